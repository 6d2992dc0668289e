//! HT, VHT and HE: the PHY modes of 802.11n, 802.11ac and 802.11ax with one receiver, and how long their PPDUs last.
//!
//! Sources: IEEE 802.11-2020, clause 19 (HT-mixed format) and clause 21 (VHT); IEEE 802.11ax-2021, clause 27 (HE SU
//! PPDU). A PPDU is preamble, then a whole number of symbols that hold 16 service bits, the PSDU, and 6 tail bits for
//! each convolutional encoder.
//!
//! ```text
//! HT   | L-STF L-LTF L-SIG 20 | HT-SIG 8 | HT-STF 4 | n HT-LTF of 4 | data, symbols of 4 or 3.6 us
//! VHT  | L-STF L-LTF L-SIG 20 | VHT-SIG-A 8 | VHT-STF 4 | n VHT-LTF of 4 | VHT-SIG-B 4 | data, the same
//! HE   | L-STF L-LTF L-SIG 20 | RL-SIG 4 | HE-SIG-A 8 | HE-STF 4 | n HE-LTF of 7.2, 8 or 16 | data, 12.8 us + GI
//! ```
//!
//! HT and VHT have convolutional codes, which all devices have. HE with more than 20 MHz has LDPC, which has no tail
//! bits, but may need a symbol more; here it has the 6 tail bits of one encoder instead. There is no packet extension.

use std::fmt;

use crate::medium::{Mcs, PhyFormat, TxVector};
use crate::time::Duration;
use crate::units::Rate;

/// The longest PPDU, aPPDUMaxTime (802.11-2020 tables 19-25 and 21-28, 802.11ax-2021 table 27-54).
pub const MAX_PPDU: Duration = Duration::from_micros(5484);

/// Service bits before the PSDU (17.3.2.2, 19.3.11.2).
pub const SERVICE_BITS: u64 = 16;
/// Tail bits of an encoder (17.3.2.2, 19.3.11.2).
const TAIL_BITS: u64 = 6;
/// Legacy preamble and L-SIG: 8 + 8 + 4 us (19.3.4).
const LEGACY_PREAMBLE: Duration = Duration::from_micros(20);
/// The useful part of a symbol of HT and VHT (tables 19-6 and 21-5), and of HE (table 27-12).
const HT_USEFUL: Duration = Duration::from_nanos(3200);
const HE_USEFUL: Duration = Duration::from_nanos(12_800);
/// HT and VHT PPDUs with short guard intervals end at a multiple of this after their preamble (19.4.3, 21.4.3).
const HT_SYMBOL: Duration = Duration::from_micros(4);
/// What one encoder may have, bits in a symbol: 300 Mb/s in HT and 600 Mb/s in VHT, with symbols of 3.6 us
/// (19.3.11.3, 21.3.10.5.2).
const HT_ENCODER_BITS: u64 = 1080;
const VHT_ENCODER_BITS: u64 = 2160;

/// Modulation and coding of an MCS.
#[derive(Clone, Copy, Debug)]
struct Scheme {
    /// N_BPSCS: coded bits of a subcarrier and stream.
    coded_bits: u64,
    /// The code rate.
    code: [u64; 2],
    /// The rate of OFDM with this modulation and code rate, Mb/s (table 10-10).
    reference: u64,
}

/// By MCS (tables 19-27 and following, 21-30 and following, 27-55 and following).
const SCHEMES: [Scheme; 12] = [
    Scheme { coded_bits: 1, code: [1, 2], reference: 6 },
    Scheme { coded_bits: 2, code: [1, 2], reference: 12 },
    Scheme { coded_bits: 2, code: [3, 4], reference: 18 },
    Scheme { coded_bits: 4, code: [1, 2], reference: 24 },
    Scheme { coded_bits: 4, code: [3, 4], reference: 36 },
    Scheme { coded_bits: 6, code: [2, 3], reference: 48 },
    Scheme { coded_bits: 6, code: [3, 4], reference: 54 },
    Scheme { coded_bits: 6, code: [5, 6], reference: 54 },
    Scheme { coded_bits: 8, code: [3, 4], reference: 54 },
    Scheme { coded_bits: 8, code: [5, 6], reference: 54 },
    Scheme { coded_bits: 10, code: [3, 4], reference: 54 },
    Scheme { coded_bits: 10, code: [5, 6], reference: 54 },
];

/// What a PHY offers.
#[derive(Clone, Copy, Debug)]
struct Offer {
    name: &'static str,
    /// Widths of the channel, MHz, and data subcarriers N_SD.
    widths: &'static [(u32, u64)],
    streams: u8,
    mcs: u8,
    guard_intervals: &'static [Duration],
}

const HT_GUARD_INTERVALS: &[Duration] = &[Duration::from_nanos(800), Duration::from_nanos(400)];

/// 802.11n (tables 19-6 and 19-27 to 19-38).
const HT: Offer = Offer {
    name: "802.11n",
    widths: &[(20, 52), (40, 108)],
    streams: 4,
    mcs: 7,
    guard_intervals: HT_GUARD_INTERVALS,
};

/// 802.11ac (table 21-5).
const VHT: Offer = Offer {
    name: "802.11ac",
    widths: &[(20, 52), (40, 108), (80, 234), (160, 468)],
    streams: 8,
    mcs: 9,
    guard_intervals: HT_GUARD_INTERVALS,
};

/// 802.11ax: RUs of 242, 484, 996 and 2 x 996 tones (tables 27-13 and 27-55 to 27-110).
const HE: Offer = Offer {
    name: "802.11ax",
    widths: &[(20, 234), (40, 468), (80, 980), (160, 1960)],
    streams: 8,
    mcs: 11,
    guard_intervals: &[
        Duration::from_nanos(800),
        Duration::from_nanos(1600),
        Duration::from_nanos(3200),
    ],
};

/// What 802.11ac does not have: width in MHz, MCS and streams (tables 21-30 to 21-61). The coded bits of a symbol
/// cannot be divided among the encoders.
const NOT_IN_VHT: &[(u32, u8, &[u8])] =
    &[(20, 9, &[1, 2, 4, 5, 7, 8]), (80, 6, &[3, 7]), (80, 9, &[6]), (160, 9, &[3])];

/// A mode that a PHY does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeError {
    /// A format without MCS.
    Format,
    /// A width of the channel, MHz.
    Width(PhyFormat, u32),
    /// A number of spatial streams.
    Streams(PhyFormat, u8),
    /// A guard interval.
    GuardInterval(PhyFormat, Duration),
    /// An MCS, at this width in MHz and with this number of streams.
    Mcs(PhyFormat, Mcs, u32, u8),
}

impl TxVector {
    /// The mode of a PPDU in one of the formats [`PhyFormat::Ht`], [`PhyFormat::Vht`] and [`PhyFormat::He`]:
    /// `width` in MHz, 1 to 4 spatial streams (8 of VHT and HE). Its rate is rounded down to bit/s.
    pub fn high_throughput(
        format: PhyFormat,
        mcs: Mcs,
        width: u32,
        streams: u8,
        guard_interval: Duration,
    ) -> Result<Self, ModeError> {
        let offer = Offer::of(format).ok_or(ModeError::Format)?;
        if offer.subcarriers(width).is_none() {
            return Err(ModeError::Width(format, width));
        }
        if !(1..=offer.streams).contains(&streams) {
            return Err(ModeError::Streams(format, streams));
        }
        if !offer.guard_intervals.contains(&guard_interval) {
            return Err(ModeError::GuardInterval(format, guard_interval));
        }
        if !allowed(format, width, streams).any(|allowed| allowed == mcs) {
            return Err(ModeError::Mcs(format, mcs, width, streams));
        }
        let (rate, mcs, width_hz) = (Rate::UNLIMITED, Some(mcs), width * 1_000_000);
        let mut mode = Self { rate, format, width_hz, streams, guard_interval, mcs };
        mode.rate = Rate::from_bps(data_bits(&mode) * 1_000_000_000 / symbol(&mode).as_nanos());
        Ok(mode)
    }
}

impl Mcs {
    /// The rate of OFDM with this modulation and code rate, by which the rate of a response is chosen (802.11-2020
    /// 10.6.11 and table 10-10).
    pub fn non_ht_reference_rate(self) -> Rate {
        Rate::from_mbps(self.scheme().reference)
    }

    /// The MCS with the modulation and code rate of OFDM at `rate`; `None` of 9 Mb/s, which is that of none.
    pub(in crate::medium::wlan) fn with_modulation_of(rate: Rate) -> Option<Self> {
        let of = |scheme: &Scheme| Rate::from_mbps(scheme.reference) == rate;
        SCHEMES.iter().position(of).map(|mcs| Self(mcs as u8))
    }

    fn scheme(self) -> Scheme {
        SCHEMES[usize::from(self.0).min(SCHEMES.len() - 1)]
    }
}

/// The MCS of a format at this width in MHz and with this number of streams, ascending.
pub fn allowed(format: PhyFormat, width: u32, streams: u8) -> impl Iterator<Item = Mcs> {
    let most = Offer::of(format).filter(|offer| offer.subcarriers(width).is_some());
    let is_missing = move |mcs: u8| {
        let of = |&(at, missing, with): &(u32, u8, &[u8])| {
            at == width && missing == mcs && with.contains(&streams)
        };
        format == PhyFormat::Vht && NOT_IN_VHT.iter().any(of)
    };
    (0..most.map_or(0, |offer| offer.mcs + 1)).filter(move |&mcs| !is_missing(mcs)).map(Mcs)
}

/// The modes of HT, VHT or HE that a station can receive which has the width, the streams and the guard interval of
/// `best`, by ascending rate: all with fewer streams and narrower channels, and of HT and VHT the long guard interval,
/// which every station has.
pub fn receivable(best: &TxVector) -> Vec<TxVector> {
    let Some(offer) = Offer::of(best.format) else { return Vec::new() };
    let widest = best.width_hz / 1_000_000;
    let widths = offer.widths.iter().map(|(width, _)| *width).filter(|width| *width <= widest);
    let long = HT_GUARD_INTERVALS[0];
    let is_short = offer.guard_intervals.contains(&long) && best.guard_interval < long;
    let guard_intervals = std::iter::once(best.guard_interval).chain(is_short.then_some(long));
    let mut modes = Vec::new();
    for guard_interval in guard_intervals {
        for width in widths.clone() {
            for streams in 1..=best.streams {
                let of = |mcs| {
                    TxVector::high_throughput(best.format, mcs, width, streams, guard_interval)
                };
                modes.extend(allowed(best.format, width, streams).flat_map(of));
            }
        }
    }
    modes.sort_by_key(|mode| mode.rate);
    modes
}

/// The widest channel of a format, MHz.
pub fn widest(format: PhyFormat) -> u32 {
    let widths = Offer::of(format).map_or(&[][..], |offer| offer.widths);
    widths.iter().map(|(width, _)| *width).max().unwrap_or(20)
}

/// The most spatial streams of a format.
pub fn most_streams(format: PhyFormat) -> u8 {
    Offer::of(format).map_or(1, |offer| offer.streams)
}

/// Whether a format has this guard interval.
pub fn has_guard_interval(format: PhyFormat, guard_interval: Duration) -> bool {
    Offer::of(format).is_some_and(|offer| offer.guard_intervals.contains(&guard_interval))
}

/// Preamble and headers of a PPDU in a mode of HT, VHT or HE (19.3.9, 21.3.8, 27.3.11), or of OFDM (17.3.2). HE-LTFs are
/// twice compressed, but not with the guard interval of 3.2 us, as all devices have them (27.3.11.10).
pub fn preamble(mode: &TxVector) -> Duration {
    let (fixed, training) = match mode.format {
        PhyFormat::Ofdm | PhyFormat::Dsss => return LEGACY_PREAMBLE,
        PhyFormat::He => {
            let useful = if mode.guard_interval == Duration::from_nanos(3200) {
                HE_USEFUL
            } else {
                HE_USEFUL / 2
            };
            (4 + 8 + 4, useful + mode.guard_interval)
        }
        PhyFormat::Vht => (8 + 4 + 4, HT_SYMBOL),
        PhyFormat::Ht => (8 + 4, HT_SYMBOL),
    };
    let symbols = match mode.streams {
        streams @ (1 | 2 | 4 | 6 | 8) => streams,
        odd => odd + 1,
    };
    LEGACY_PREAMBLE + Duration::from_micros(fixed) + training * u64::from(symbols)
}

/// The time behind the preamble of a PPDU whose PSDU has `bits` bits (19.4.3, 21.4.3, 27.4.3).
pub fn data_time(bits: u64, mode: &TxVector) -> Duration {
    let bits = SERVICE_BITS + bits + TAIL_BITS * encoders(mode);
    let time = symbol(mode) * bits.div_ceil(data_bits(mode));
    match mode.format {
        PhyFormat::He => time,
        _ => HT_SYMBOL * time.div_ceil(HT_SYMBOL),
    }
}

/// Data bits of a symbol of all streams, and how long a symbol lasts: N_DBPS and T_SYM.
pub fn symbols(mode: &TxVector) -> (u64, Duration) {
    (data_bits(mode), symbol(mode))
}

/// The bits of the largest PSDU of which the time behind the preamble is at most `time`; `None` if not even an empty
/// one ends in time.
pub fn bits_within(time: Duration, mode: &TxVector) -> Option<u64> {
    let whole = |time: Duration, unit: Duration| time.as_nanos() / unit.as_nanos();
    let time = match mode.format {
        PhyFormat::He => time,
        _ => HT_SYMBOL * whole(time, HT_SYMBOL),
    };
    let bits = whole(time, symbol(mode)) * data_bits(mode);
    bits.checked_sub(SERVICE_BITS + TAIL_BITS * encoders(mode))
}

/// N_DBPS: data bits of a symbol, of all streams. Of OFDM the rate has it (table 17-4).
fn data_bits(mode: &TxVector) -> u64 {
    match mode.mcs.map(Mcs::scheme) {
        Some(Scheme { code: [numerator, denominator], .. }) => {
            coded_bits(mode) * numerator / denominator
        }
        None => mode.rate.as_bps() * symbol(mode).as_nanos() / 1_000_000_000,
    }
}

/// N_CBPS: coded bits of a symbol, of all streams.
fn coded_bits(mode: &TxVector) -> u64 {
    let offer = Offer::of(mode.format);
    let subcarriers = offer.and_then(|offer| offer.subcarriers(mode.width_hz / 1_000_000));
    let coded = mode.mcs.map_or(1, |mcs| mcs.scheme().coded_bits);
    subcarriers.unwrap_or(1) * coded * u64::from(mode.streams)
}

/// T_SYM.
fn symbol(mode: &TxVector) -> Duration {
    let useful = if mode.format == PhyFormat::He { HE_USEFUL } else { HT_USEFUL };
    useful + mode.guard_interval
}

/// N_ES: the number of convolutional encoders. Each has at most the bits of its PHY, and the same number of whole
/// code words as the others (19.3.11.3; tables 21-30 to 21-61).
fn encoders(mode: &TxVector) -> u64 {
    let most = match mode.format {
        PhyFormat::Ht => HT_ENCODER_BITS,
        PhyFormat::Vht => VHT_ENCODER_BITS,
        PhyFormat::He | PhyFormat::Ofdm | PhyFormat::Dsss => return 1,
    };
    let [_, denominator] = mode.mcs.map_or([1, 1], |mcs| mcs.scheme().code);
    let mut encoders = data_bits(mode).div_ceil(most);
    while !coded_bits(mode).is_multiple_of(encoders * denominator) {
        encoders += 1;
    }
    encoders
}

impl Offer {
    fn of(format: PhyFormat) -> Option<Self> {
        match format {
            PhyFormat::Ht => Some(HT),
            PhyFormat::Vht => Some(VHT),
            PhyFormat::He => Some(HE),
            PhyFormat::Dsss | PhyFormat::Ofdm => None,
        }
    }

    fn subcarriers(self, width: u32) -> Option<u64> {
        let of = self.widths.iter().find(|(other, _)| *other == width);
        of.map(|&(_, subcarriers)| subcarriers)
    }
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offer = |format: &PhyFormat| Offer::of(*format).unwrap_or(HT);
        let list = |items: Vec<String>| items.join(", ");
        let us = |time: &Duration| (time.as_nanos() as f64 / 1e3).to_string();
        match self {
            Self::Format => write!(f, "a format without MCS"),
            Self::Width(format, got) => {
                let Offer { name, widths, .. } = offer(format);
                let widths = list(widths.iter().map(|(width, _)| width.to_string()).collect());
                write!(f, "got {got} MHz; accepted with {name}: {widths} MHz")
            }
            Self::Streams(format, got) => {
                let Offer { name, streams, .. } = offer(format);
                write!(f, "got {got} streams; accepted with {name}: 1 to {streams}")
            }
            Self::GuardInterval(format, got) => {
                let Offer { name, guard_intervals, .. } = offer(format);
                let accepted = list(guard_intervals.iter().map(us).collect());
                write!(f, "got {} us; accepted with {name}: {accepted} us", us(got))
            }
            Self::Mcs(format, got, width, streams) => {
                let accepted = allowed(*format, *width, *streams).map(|mcs| mcs.0.to_string());
                let (name, accepted) = (offer(format).name, list(accepted.collect()));
                let s = if *streams == 1 { "" } else { "s" };
                write!(
                    f,
                    "got MCS {}; accepted with {name}, {width} MHz and {streams} stream{s}: {accepted}",
                    got.0
                )
            }
        }
    }
}

impl std::error::Error for ModeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use PhyFormat::{He, Ht, Vht};

    fn mode(format: PhyFormat, mcs: u8, width: u32, streams: u8, gi: u64) -> TxVector {
        let gi = Duration::from_nanos(gi);
        TxVector::high_throughput(format, Mcs(mcs), width, streams, gi).expect("a mode")
    }

    fn mbps(mode: TxVector) -> f64 {
        (mode.rate.as_bps() / 100_000) as f64 / 10.0
    }

    fn us(mode: TxVector, bytes: u64) -> f64 {
        (preamble(&mode) + data_time(8 * bytes, &mode)).as_nanos() as f64 / 1e3
    }

    /// The tables of rates of the standard (19-27 and following, 21-30 and following, 27-55 and following), to
    /// 0.1 Mb/s, rounded down.
    #[test]
    fn rates_of_the_standard() {
        let ht20 = (0..8).map(|mcs| mbps(mode(Ht, mcs, 20, 1, 800))).collect::<Vec<_>>();
        assert_eq!(ht20, [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0]);
        let of = |format, mcs, width, streams, gi| mbps(mode(format, mcs, width, streams, gi));
        assert_eq!([of(Ht, 7, 20, 1, 400), of(Ht, 7, 40, 1, 800)], [72.2, 135.0]);
        assert_eq!([of(Ht, 7, 40, 1, 400), of(Ht, 7, 40, 4, 400)], [150.0, 600.0]);
        assert_eq!([of(Vht, 8, 20, 1, 800), of(Vht, 9, 20, 3, 800)], [78.0, 260.0]);
        let vht = [40, 80, 160].map(|width| of(Vht, 9, width, 1, 400));
        assert_eq!(vht, [200.0, 433.3, 866.6]);
        assert_eq!(of(Vht, 9, 160, 8, 400), 6933.3);
        let he = [20, 40, 80, 160].map(|width| of(He, 11, width, 1, 800));
        assert_eq!(he, [143.3, 286.7, 600.4, 1200.9]);
        assert_eq!([of(He, 0, 20, 1, 3200), of(He, 11, 160, 8, 800)], [7.3, 9607.7]);
    }

    /// By hand from 19.3.9, 21.3.8 and 27.3.11; LTFs by number of streams (tables 19-13, 21-13): 1, 2, 4, 4, 6, 6, 8, 8.
    #[test]
    fn preambles() {
        let us = |format, streams, gi| {
            preamble(&mode(format, 0, 20, streams, gi)).as_nanos() as f64 / 1e3
        };
        assert_eq!([1, 2, 3, 4].map(|streams| us(Ht, streams, 800)), [36.0, 40.0, 48.0, 48.0]);
        assert_eq!([1, 2, 5, 8].map(|streams| us(Vht, streams, 800)), [40.0, 44.0, 60.0, 68.0]);
        assert_eq!([800, 1600, 3200].map(|gi| us(He, 1, gi)), [43.2, 44.0, 52.0]);
        assert_eq!([2, 7].map(|streams| us(He, streams, 800)), [50.4, 93.6]);
    }

    /// By hand: of HT20 MCS 7, 12,304 + 22 bits in symbols of 260 are 48 symbols of 4 us, and 36 us; of HE80 MCS 11,
    /// 12,336 + 22 bits in symbols of 8166 are 2 of 13.6 us. With short guard intervals 48 symbols are 172.8 us, which
    /// the standard rounds up to 176 (19.4.3).
    #[test]
    fn durations() {
        assert_eq!(us(mode(Ht, 7, 20, 1, 800), 1538), 228.0);
        assert_eq!(us(mode(Ht, 7, 20, 1, 400), 1538), 36.0 + 176.0);
        assert_eq!(us(mode(Ht, 7, 40, 1, 800), 1538), 128.0);
        let vht = [(8, 20), (9, 40), (9, 80), (9, 160)];
        let vht = vht.map(|(mcs, width)| us(mode(Vht, mcs, width, 1, 800), 1542));
        assert_eq!(vht, [200.0, 112.0, 72.0, 56.0]);
        let he = [20, 40, 80, 160].map(|width| us(mode(He, 11, width, 1, 800), 1542));
        assert_eq!(he, [138.4, 97.6, 70.4, 56.8]);
        assert_eq!(us(mode(Ht, 7, 20, 1, 800), 28 * 1544 - 2), 5360.0);
        assert_eq!(us(mode(Vht, 9, 80, 1, 800), 64 * 1544 - 2), 2068.0);
        assert_eq!(us(mode(He, 11, 80, 1, 800), 256 * 1544 - 2), 5320.0);
    }

    /// A PSDU of as many bits lasts as long as that, and one of a byte more longer.
    #[test]
    fn the_largest_psdu_in_a_time() {
        let modes = [mode(Ht, 7, 20, 1, 400), mode(Ht, 0, 40, 4, 800), mode(Vht, 9, 160, 8, 400)];
        for mode in modes.into_iter().chain([mode(He, 11, 80, 1, 1600), mode(He, 0, 20, 1, 3200)]) {
            for nanos in (0..6_000_000).step_by(7919) {
                let time = Duration::from_nanos(nanos);
                let bits = bits_within(time, &mode);
                assert!(bits.is_none_or(|bits| data_time(bits, &mode) <= time));
                assert!(data_time(bits.map_or(0, |bits| bits + 1), &mode) > time);
            }
        }
    }

    /// Of the tables of clauses 19 and 21: 2 encoders above 300 Mb/s in HT; VHT at 80 MHz and MCS 9 has 1, 2, 3, 3
    /// with 1 to 4 streams, and 6 with 7 streams at MCS 7 and 8; at 160 MHz 8 with 5 streams at MCS 8.
    #[test]
    fn encoders_of_the_standard() {
        let of = |format, mcs, width, streams| encoders(&mode(format, mcs, width, streams, 800));
        assert_eq!(
            [of(Ht, 7, 20, 4), of(Ht, 4, 40, 3), of(Ht, 5, 40, 3), of(Ht, 7, 40, 4)],
            [1, 1, 2, 2]
        );
        assert_eq!([1, 2, 3, 4].map(|streams| of(Vht, 9, 80, streams)), [1, 2, 3, 3]);
        assert_eq!([of(Vht, 7, 80, 7), of(Vht, 8, 80, 7), of(Vht, 8, 160, 5)], [6, 6, 8]);
    }

    /// Every mode that the standard has can be made, and its PPDUs have whole code words.
    #[test]
    fn all_modes() {
        let mut count = [0; 3];
        for (place, format) in [Ht, Vht, He].into_iter().enumerate() {
            let offer = Offer::of(format).unwrap();
            for &(width, _) in offer.widths {
                for streams in 1..=offer.streams {
                    for mcs in 0..=offer.mcs {
                        let gi = offer.guard_intervals[0];
                        let made = TxVector::high_throughput(format, Mcs(mcs), width, streams, gi);
                        count[place] += u32::from(made.is_ok());
                    }
                }
            }
        }
        // 2 widths, 4 streams, 8 MCS; 4 x 8 x 10 less 10 that are not allowed; 4 x 8 x 12.
        assert_eq!(count, [64, 310, 384]);
    }

    #[test]
    fn what_a_phy_does_not_have_is_refused() {
        let refused = |format, mcs, width, streams, gi| {
            let gi = Duration::from_nanos(gi);
            let mode = TxVector::high_throughput(format, Mcs(mcs), width, streams, gi);
            mode.expect_err("no mode").to_string()
        };
        assert_eq!(refused(Ht, 7, 80, 1, 800), "got 80 MHz; accepted with 802.11n: 20, 40 MHz");
        assert_eq!(refused(Ht, 7, 20, 5, 800), "got 5 streams; accepted with 802.11n: 1 to 4");
        assert_eq!(refused(He, 0, 20, 0, 800), "got 0 streams; accepted with 802.11ax: 1 to 8");
        assert_eq!(refused(Vht, 0, 20, 1, 1600), "got 1.6 us; accepted with 802.11ac: 0.8, 0.4 us");
        assert_eq!(
            refused(Vht, 9, 20, 1, 800),
            "got MCS 9; accepted with 802.11ac, 20 MHz and 1 stream: 0, 1, 2, 3, 4, 5, 6, 7, 8"
        );
        assert_eq!(
            refused(Vht, 6, 80, 3, 800),
            "got MCS 6; accepted with 802.11ac, 80 MHz and 3 streams: 0, 1, 2, 3, 4, 5, 7, 8, 9"
        );
        let format =
            TxVector::high_throughput(PhyFormat::Ofdm, Mcs(0), 20, 1, Duration::from_nanos(800));
        assert_eq!(format, Err(ModeError::Format));
    }
}
