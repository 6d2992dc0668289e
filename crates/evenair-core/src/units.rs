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

    /// The mean rate of `bytes` in `time`, rounded down to bit/s, and less than unlimited. No time counts as
    /// a nanosecond.
    pub fn mean(bytes: u64, time: Duration) -> Self {
        let bps = u128::from(bytes) * 8_000_000_000 / u128::from(time.as_nanos().max(1));
        Self(u64::try_from(bps).unwrap_or(u64::MAX).min(u64::MAX - 1))
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
        let half = self.0 / 2;
        if let Some(bits_ns) = bits.checked_mul(1_000_000_000)
            && let Some(rounded) = bits_ns.checked_add(half)
        {
            return Duration::from_nanos(rounded / self.0);
        }
        let nanos = (bits as u128 * 1_000_000_000 + half as u128) / self.0 as u128;
        Duration::from_nanos(if nanos > u64::MAX as u128 { u64::MAX } else { nanos as u64 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest rate of a scenario, 1000 Gb/s.
    const FASTEST: u64 = 1_000_000_000_000;
    /// The most bits whose product with 10^9 has 64 bits.
    const MOST_BITS: u64 = u64::MAX / 1_000_000_000;

    /// `nanos` at `rate` are closer to `bits` than one nanosecond more or less; two equally close are
    /// rounded up. In units of 10^-9 bits, of which a nanosecond at 1 bit/s is one.
    fn assert_nearest(bits: u64, rate: u64) {
        let nanos = Rate::from_bps(rate).time_for_bits(bits).as_nanos();
        let (exact, rate, nanos) =
            (u128::from(bits) * 1_000_000_000, u128::from(rate), nanos.into());
        let distance = |nanos: u128| (nanos * rate).abs_diff(exact);
        assert!(distance(nanos) < distance(nanos + 1), "{exact} / {rate}: {nanos} is too little");
        if nanos > 0 {
            assert!(
                distance(nanos) <= distance(nanos - 1),
                "{exact} / {rate}: {nanos} is too much"
            );
        }
    }

    /// By hand: 1500 bytes in 3 s are 4000 bit/s, in 7 ns 1.714... Tb/s.
    #[test]
    fn mean_rates_are_rounded_down() {
        let mean = |bytes, nanos| Rate::mean(bytes, Duration::from_nanos(nanos)).as_bps();
        assert_eq!(mean(1500, 3_000_000_000), 4000);
        assert_eq!(mean(1500, 7), 1_714_285_714_285);
        assert_eq!(mean(0, 0), 0);
        assert_eq!(mean(1, 0), 8_000_000_000);
        assert_eq!(mean(u64::MAX, 1), u64::MAX - 1);
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        #[test]
        fn packets_take_the_nearest_nanosecond(bits in 0_u64..600_000, rate in 1..=FASTEST) {
            assert_nearest(bits, rate);
        }

        /// Rates at which a packet takes a few nanoseconds, where half of one matters most.
        #[test]
        fn fast_packets_take_the_nearest_nanosecond(bits in 0_u64..1000, rate in FASTEST / 1000..=FASTEST) {
            assert_nearest(bits, rate);
        }

        /// Products of more than 64 bits, and times below 2^64 ns.
        #[test]
        fn long_transmissions_take_the_nearest_nanosecond(
            more in 0_u64..1 << 40, rate in 1_000_000..=FASTEST,
        ) {
            assert_nearest(MOST_BITS + more, rate);
        }
    }

    #[test]
    fn products_around_64_bits_take_the_nearest_nanosecond() {
        for bits in MOST_BITS - 600..=MOST_BITS + 2 {
            for rate in [1_000_000, 11_000_000, FASTEST - 1, FASTEST] {
                assert_nearest(bits, rate);
            }
        }
    }

    /// By hand: 18 EB at 8 b/s take 2 * 10^18 s, more than 64 bits of nanoseconds.
    #[test]
    fn endless_transmissions_do_not_wrap() {
        assert_eq!(Rate::from_bps(8).time_for(u64::MAX / 8), Duration::from_nanos(u64::MAX));
        assert_eq!(Rate::from_bps(1).time_for_bits(18_000_000_000).as_nanos(), 18 * 10_u64.pow(18));
        assert_eq!(Rate::from_bps(1).time_for_bits(19_000_000_000).as_nanos(), u64::MAX);
    }

    #[test]
    fn an_ethernet_frame_takes_its_time() {
        assert_eq!(Rate::from_mbps(100).time_for(1500), Duration::from_micros(120));
        assert_eq!(Rate::from_mbps(11).time_for(1), Duration::from_nanos(727));
        assert_eq!(Rate::from_mbps(2).time_for_bits(181), Duration::from_nanos(90_500));
        assert_eq!(Rate::UNLIMITED.time_for(1 << 40), Duration::ZERO);
    }
}
