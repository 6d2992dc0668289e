//! Units of public interfaces: rates in bit/s, sizes in bytes.

use crate::time::Duration;

/// A data rate in bit/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// An unlimited rate, at which a transmission takes no time.
    pub const UNLIMITED: Self = Self(u64::MAX);

    /// `bps` bit/s.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// `mbps` million bit/s.
    pub const fn from_mbps(mbps: u64) -> Self {
        Self(mbps * 1_000_000)
    }

    /// Bit/s.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Transmission time of `bytes`, rounded to the nearest nanosecond.
    pub const fn time_for(self, bytes: u64) -> Duration {
        self.time_for_bits(bytes.saturating_mul(8))
    }

    /// Transmission time of `bits`, rounded to the nearest nanosecond.
    pub const fn time_for_bits(self, bits: u64) -> Duration {
        if self.0 == u64::MAX {
            return Duration::ZERO;
        }
        // A 64-bit division is several times faster than a 128-bit one, and sufficient for any
        // packet.
        match bits.checked_mul(1_000_000_000) {
            Some(bits_ns) => Duration::from_nanos((bits_ns + self.0 / 2) / self.0),
            None => {
                let bits_ns = bits as u128 * 1_000_000_000 + self.0 as u128 / 2;
                Duration::from_nanos((bits_ns / self.0 as u128) as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ethernet_frame_takes_its_time() {
        assert_eq!(Rate::from_mbps(100).time_for(1500), Duration::from_micros(120));
        assert_eq!(Rate::from_mbps(11).time_for(1), Duration::from_nanos(727));
        assert_eq!(Rate::from_mbps(2).time_for_bits(181), Duration::from_nanos(90_500));
        assert_eq!(Rate::UNLIMITED.time_for(1 << 40), Duration::ZERO);
    }
}
