//! OFDM with 256 subcarriers (IEEE 802.16-2004, 8.3): symbols, frame durations, bytes per symbol.
//!
//! Times are counted in physical slots (PS) of 4 samples. A symbol of 256 (1 + G) samples has
//! 64 (1 + G) of them, a whole number for every cyclic prefix G.

pub(super) mod symbol;

use std::fmt;

use crate::component::{Component, named};
use crate::medium::{PhyFormat, TxVector};
use crate::time::Duration;
use crate::units::Rate;

/// The smallest channel bandwidth, Hz (12.3).
pub const MIN_BANDWIDTH: u64 = 1_750_000;
/// The largest channel bandwidth, Hz (8.3.2.4).
pub const MAX_BANDWIDTH: u64 = 20_000_000;
/// Bandwidths are multiples of this, Hz: the raster of channels.
pub const BANDWIDTH_STEP: u64 = 250_000;
/// Frame durations with a code (8.3.5.4), ascending.
pub const FRAME_DURATIONS: [Duration; 7] = [
    Duration::from_micros(2500),
    Duration::from_micros(4000),
    Duration::from_micros(5000),
    Duration::from_micros(8000),
    Duration::from_micros(10_000),
    Duration::from_micros(12_500),
    Duration::from_micros(20_000),
];
/// Bytes of a symbol without any coding: 192 data subcarriers of 6 bits (8.3.2.4).
pub const MAX_BYTES_PER_SYMBOL: u32 = 192 * 6 / 8;
/// Transmit/receive transition gap between the subframes, PS (the default of the NIST add-on to
/// ns-2).
pub const TTG: u64 = 10;
/// Receive/transmit transition gap at the end of the frame, PS (the default of the NIST add-on).
pub const RTG: u64 = 10;

const SAMPLES_PER_SLOT: u64 = 4;
/// PS of the useful time Tb of a symbol: 256 samples.
const USEFUL_SLOTS: u64 = 64;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

named! {
    /// The cyclic prefix of a symbol, as a share G of its useful time (8.3.2.2).
    pub enum CyclicPrefix {
        /// G = 1/4.
        Quarter => "1/4",
        /// G = 1/8.
        Eighth => "1/8",
        /// G = 1/16.
        #[default]
        Sixteenth => "1/16",
        /// G = 1/32.
        ThirtySecond => "1/32",
    }
    planned []
}

named! {
    /// Modulation and coding of a burst (8.3.3).
    pub enum Modulation {
        /// BPSK, rate 1/2.
        Bpsk12 => "bpsk-1/2",
        /// QPSK, rate 1/2.
        Qpsk12 => "qpsk-1/2",
        /// QPSK, rate 3/4.
        Qpsk34 => "qpsk-3/4",
        /// 16-QAM, rate 1/2.
        Qam16R12 => "16qam-1/2",
        /// 16-QAM, rate 3/4.
        Qam16R34 => "16qam-3/4",
        /// 64-QAM, rate 2/3.
        Qam64R23 => "64qam-2/3",
        /// 64-QAM, rate 3/4.
        #[default]
        Qam64R34 => "64qam-3/4",
    }
    planned []
}

macro_rules! modulations {
    ($($modulation:ident, $bytes:literal;)+) => {
        /// Every modulation, by the name that scenarios use.
        pub static REGISTRY: &[Component] = &[$(Component {
            name: Modulation::$modulation.name(),
            summary: concat!("OFDM-256 with ", $bytes, " usable bytes in a symbol"),
            source: "IEEE 802.16-2004, 8.3.3",
            aliases: &[],
            ordered: &[],
        },)+];

        impl Modulation {
            /// All of them, the most robust first.
            pub const ALL: &'static [Self] = &[$(Self::$modulation),+];

            /// Usable bytes of a symbol: 192 subcarriers times bits times code rate, less the byte
            /// of zeros that ends each block (8.3.3.2).
            pub const fn bytes_per_symbol(self) -> u32 {
                match self { $(Self::$modulation => $bytes,)+ }
            }
        }
    };
}

modulations! {
    Bpsk12, 11;
    Qpsk12, 23;
    Qpsk34, 35;
    Qam16R12, 47;
    Qam16R34, 71;
    Qam64R23, 95;
    Qam64R34, 107;
}

impl CyclicPrefix {
    /// Symbol time, PS.
    pub const fn symbol_slots(self) -> u64 {
        match self {
            Self::Quarter => 80,
            Self::Eighth => 72,
            Self::Sixteenth => 68,
            Self::ThirtySecond => 66,
        }
    }
}

/// Bandwidth, cyclic prefix and frame duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfdmPhy {
    bandwidth: u64,
    cyclic_prefix: CyclicPrefix,
    frame: Duration,
    sampling_frequency: u64,
}

/// What the standard does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhyError {
    /// A bandwidth off the raster, Hz.
    Bandwidth(u64),
    /// A frame duration without a code.
    Frame(Duration),
}

impl OfdmPhy {
    /// A PHY with this `bandwidth` in Hz: 1.75 to 20 MHz in steps of 250 kHz. `frame` is one of
    /// [`FRAME_DURATIONS`].
    pub fn new(
        bandwidth: u64,
        cyclic_prefix: CyclicPrefix,
        frame: Duration,
    ) -> Result<Self, PhyError> {
        let on_raster = bandwidth.is_multiple_of(BANDWIDTH_STEP);
        if !(MIN_BANDWIDTH..=MAX_BANDWIDTH).contains(&bandwidth) || !on_raster {
            return Err(PhyError::Bandwidth(bandwidth));
        }
        if !FRAME_DURATIONS.contains(&frame) {
            return Err(PhyError::Frame(frame));
        }
        let sampling_frequency = sampling_frequency(bandwidth);
        Ok(Self { bandwidth, cyclic_prefix, frame, sampling_frequency })
    }

    /// Channel bandwidth, Hz.
    pub const fn bandwidth(&self) -> u64 {
        self.bandwidth
    }

    /// Cyclic prefix.
    pub const fn cyclic_prefix(&self) -> CyclicPrefix {
        self.cyclic_prefix
    }

    /// Frame duration.
    pub const fn frame(&self) -> Duration {
        self.frame
    }

    /// Sampling frequency Fs, Hz (8.3.2.2).
    pub const fn sampling_frequency(&self) -> u64 {
        self.sampling_frequency
    }

    /// Symbol time Ts = Tb + Tg, PS.
    pub const fn symbol_slots(&self) -> u64 {
        self.cyclic_prefix.symbol_slots()
    }

    /// Symbol time, seconds.
    pub fn symbol_seconds(&self) -> f64 {
        (SAMPLES_PER_SLOT * self.symbol_slots()) as f64 / self.sampling_frequency as f64
    }

    /// Whole PS of a frame.
    pub const fn frame_slots(&self) -> u64 {
        self.frame.as_nanos() * self.sampling_frequency / (SAMPLES_PER_SLOT * NANOS_PER_SECOND)
    }

    /// Symbols of a frame: as many as fit beside TTG and RTG.
    pub const fn symbols(&self) -> u32 {
        ((self.frame_slots() - TTG - RTG) / self.symbol_slots()) as u32
    }

    /// The time that `slots` PS take, rounded down to the nanosecond.
    pub const fn time(&self, slots: u64) -> Duration {
        let nanos = slots * SAMPLES_PER_SLOT * NANOS_PER_SECOND / self.sampling_frequency;
        Duration::from_nanos(nanos)
    }

    /// The rate of a burst with this many bytes in a symbol, rounded down to bit/s.
    pub const fn rate(&self, bytes_per_symbol: u32) -> Rate {
        let bits = 8 * bytes_per_symbol as u64;
        Rate::from_bps(bits * self.sampling_frequency / (SAMPLES_PER_SLOT * self.symbol_slots()))
    }

    /// The PHY mode of a burst with this many bytes in a symbol.
    pub const fn mode(&self, bytes_per_symbol: u32) -> TxVector {
        TxVector {
            format: PhyFormat::Ofdm,
            width_hz: self.bandwidth as u32,
            streams: 1,
            guard_interval: self.time(self.symbol_slots() - USEFUL_SLOTS),
            rate: self.rate(bytes_per_symbol),
            mcs: None,
        }
    }
}

/// 7 MHz, a cyclic prefix of 1/16 and frames of 5 ms (Tsiknas and Stamatelos 2012, Table 1).
impl Default for OfdmPhy {
    fn default() -> Self {
        let bandwidth = 7_000_000;
        Self {
            bandwidth,
            cyclic_prefix: CyclicPrefix::Sixteenth,
            frame: Duration::from_millis(5),
            sampling_frequency: sampling_frequency(bandwidth),
        }
    }
}

/// Fs = floor(n BW / 8000) 8000 Hz; the sampling factor n depends on what BW is a multiple of
/// (8.3.2.4).
const fn sampling_frequency(bandwidth: u64) -> u64 {
    let (numerator, denominator) = if bandwidth.is_multiple_of(1_750_000) {
        (8, 7)
    } else if bandwidth.is_multiple_of(1_500_000) {
        (86, 75)
    } else if bandwidth.is_multiple_of(1_250_000) {
        (144, 125)
    } else if bandwidth.is_multiple_of(2_750_000) {
        (316, 275)
    } else if bandwidth.is_multiple_of(2_000_000) {
        (57, 50)
    } else {
        (8, 7)
    };
    numerator * bandwidth / (denominator * 8000) * 8000
}

impl fmt::Display for PhyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bandwidth(bandwidth) => write!(
                f,
                "got {} MHz; accepted: a bandwidth from 1.75 to 20 MHz in steps of 0.25 MHz",
                *bandwidth as f64 / 1e6
            ),
            Self::Frame(frame) => {
                let durations = FRAME_DURATIONS.map(|frame| millis(frame).to_string()).join(", ");
                write!(f, "got {} ms; accepted: a frame of {durations} ms", millis(*frame))
            }
        }
    }
}

impl std::error::Error for PhyError {}

fn millis(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 7 MHz is a multiple of 1.75 MHz, so Fs = 8 MHz, a PS is 0.5 us and a symbol 34 us;
    /// 5 ms are 10,000 PS, of which 9980 are 146 symbols and 52 PS.
    #[test]
    fn seven_megahertz() {
        let phy = OfdmPhy::new(7_000_000, CyclicPrefix::Sixteenth, Duration::from_millis(5));
        let phy = phy.expect("the standard has it");
        assert_eq!(phy, OfdmPhy::default());
        assert_eq!(
            (phy.sampling_frequency(), phy.frame_slots(), phy.symbols()),
            (8_000_000, 10_000, 146)
        );
        assert_eq!(phy.time(68), Duration::from_micros(34));
        assert_eq!(phy.time(1), Duration::from_nanos(500));
        // 856 bits in 34 us.
        assert_eq!(phy.rate(107), Rate::from_bps(25_176_470));
    }

    /// By hand: 2 MHz is no multiple of the first four, so n = 57/50 and Fs = 2.28 MHz; 5.5 MHz is
    /// one of 2.75 MHz: Fs = floor(316/275 * 5.5e6 / 8000) * 8000 = 790 * 8000.
    #[test]
    fn sampling_factors() {
        let frequency = |bandwidth| sampling_frequency(bandwidth);
        assert_eq!(frequency(2_000_000), 2_280_000);
        assert_eq!(frequency(5_500_000), 6_320_000);
        assert_eq!(frequency(3_000_000), 3_440_000);
        assert_eq!(frequency(10_000_000), 11_520_000);
        assert_eq!(frequency(2_250_000), 2_568_000, "8/7: 2,571,428 down to a multiple of 8000");
    }

    #[test]
    fn what_the_standard_does_not_have_is_refused() {
        let new = |bandwidth, millis| {
            OfdmPhy::new(bandwidth, CyclicPrefix::Quarter, Duration::from_millis(millis))
        };
        for bandwidth in [0, 1_500_000, 7_100_000, 20_250_000] {
            assert_eq!(new(bandwidth, 5), Err(PhyError::Bandwidth(bandwidth)));
        }
        assert_eq!(new(7_000_000, 6), Err(PhyError::Frame(Duration::from_millis(6))));
        assert_eq!(
            PhyError::Frame(Duration::from_millis(6)).to_string(),
            "got 6 ms; accepted: a frame of 2.5, 4, 5, 8, 10, 12.5, 20 ms"
        );
        assert_eq!(
            PhyError::Bandwidth(7_100_000).to_string(),
            "got 7.1 MHz; accepted: a bandwidth from 1.75 to 20 MHz in steps of 0.25 MHz"
        );
    }
}
