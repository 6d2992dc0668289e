//! Radiotap headers (radiotap.org, "Defined fields"): on which channel and in which mode a frame was transmitted.
//!
//! Fields come in the order of their bits, each at a multiple of its alignment.

use evenair_core::medium::{PhyFormat, TxVector};
use evenair_core::units::Rate;

use super::air_phy::AirPhy;

/// The place of a frame in an A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AMpduStatus {
    /// The same number for all frames of an A-MPDU, another one for the next.
    pub reference: u32,
    /// Whether it is the last one.
    pub is_last: bool,
    /// Whether it is alone and its delimiter says so (EOF): an S-MPDU.
    pub is_single: bool,
}

const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const MCS: u32 = 1 << 19;
const A_MPDU_STATUS: u32 = 1 << 20;
const VHT: u32 = 1 << 21;
const HE: u32 = 1 << 23;

const FLAG_SHORT_PREAMBLE: u8 = 0x02;
const CHANNEL_CCK: u16 = 0x0020;
const CHANNEL_OFDM: u16 = 0x0040;
const CHANNEL_2_GHZ: u16 = 0x0080;
const CHANNEL_5_GHZ: u16 = 0x0100;

/// Channels 6 and 36.
const MHZ_2_GHZ: u16 = 2437;
const MHZ_5_GHZ: u16 = 5180;

/// A-MPDU status flags.
const LAST_IS_KNOWN: u16 = 0x0004;
const IS_LAST: u16 = 0x0008;
const EOF: u16 = 0x0040;
const EOF_IS_KNOWN: u16 = 0x0080;

/// Appends the header of a frame in `mode`, which a station has transmitted if it `is_up`.
pub(super) fn write(
    phy: AirPhy,
    mode: &TxVector,
    a_mpdu: Option<AMpduStatus>,
    is_up: bool,
    out: &mut Vec<u8>,
) -> u32 {
    let begin = out.len();
    let (of_mode, is_ht) = match mode.format {
        PhyFormat::Dsss | PhyFormat::Ofdm => (RATE, false),
        PhyFormat::Ht => (MCS, true),
        PhyFormat::Vht => (VHT, false),
        PhyFormat::He => (HE, false),
    };
    let of_a_mpdu = if a_mpdu.is_some() { A_MPDU_STATUS } else { 0 };
    out.extend([0, 0]); // version, pad
    out.extend([0, 0]); // length, set below
    out.extend((FLAGS | CHANNEL | of_mode | of_a_mpdu).to_le_bytes());
    let (mhz, channel, is_short) = channel(phy, mode);
    out.push(if is_short { FLAG_SHORT_PREAMBLE } else { 0 });
    if of_mode == RATE {
        out.push((mode.rate.as_bps() / 500_000).min(u64::from(u8::MAX)) as u8); // 500 kb/s
    }
    align(2, begin, out);
    out.extend(mhz.to_le_bytes());
    out.extend(channel.to_le_bytes());
    let has_ldpc = matches!(phy, AirPhy::HighThroughput { has_ldpc: true, .. });
    if is_ht {
        out.extend(mcs(mode, has_ldpc));
    }
    if let Some(AMpduStatus { reference, is_last, is_single }) = a_mpdu {
        let mut flags = LAST_IS_KNOWN;
        flags |= if is_last { IS_LAST } else { 0 };
        // Delimiters of HT have no EOF.
        flags |= if is_ht { 0 } else { EOF_IS_KNOWN };
        flags |= if is_single { EOF } else { 0 };
        align(4, begin, out);
        out.extend(reference.to_le_bytes());
        out.extend(flags.to_le_bytes());
        out.extend([0, 0]); // delimiter CRC, not known; reserved
    }
    match mode.format {
        PhyFormat::Vht => {
            align(2, begin, out);
            out.extend(vht(mode, has_ldpc));
        }
        PhyFormat::He => {
            align(2, begin, out);
            out.extend(he(mode, has_ldpc, is_up).into_iter().flat_map(u16::to_le_bytes));
        }
        PhyFormat::Dsss | PhyFormat::Ofdm | PhyFormat::Ht => {}
    }
    let length = out.len() - begin;
    out[begin + 2..begin + 4].copy_from_slice(&(length as u16).to_le_bytes());
    length as u32
}

fn align(to: usize, begin: usize, out: &mut Vec<u8>) {
    let length = (out.len() - begin).next_multiple_of(to);
    out.resize(begin + length, 0);
}

/// Channel and its flags, and whether the preamble is short.
fn channel(phy: AirPhy, mode: &TxVector) -> (u16, u16, bool) {
    let modulation = if mode.format == PhyFormat::Dsss { CHANNEL_CCK } else { CHANNEL_OFDM };
    match phy {
        AirPhy::B { short_preamble } => {
            let is_short = short_preamble && mode.rate > Rate::from_mbps(1);
            (MHZ_2_GHZ, CHANNEL_CCK | CHANNEL_2_GHZ, is_short)
        }
        AirPhy::A | AirPhy::HighThroughput { is_at_2_ghz: false, .. } => {
            (MHZ_5_GHZ, CHANNEL_OFDM | CHANNEL_5_GHZ, false)
        }
        AirPhy::G | AirPhy::HighThroughput { .. } => (MHZ_2_GHZ, modulation | CHANNEL_2_GHZ, false),
    }
}

/// "MCS": bandwidth, index, guard interval, format, FEC and STBC are known. An index counts the streams, too.
fn mcs(mode: &TxVector, has_ldpc: bool) -> [u8; 3] {
    const KNOWN: u8 = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x20;
    let width = u8::from(mode.width_hz > 20_000_000);
    let short_gi = u8::from(is_short(mode)) << 2;
    let fec = u8::from(has_ldpc) << 4;
    [KNOWN, width | short_gi | fec, index(mode) + 8 * (mode.streams - 1)]
}

/// "VHT": STBC, guard interval, beamforming and bandwidth are known. It is for one user, in no group.
fn vht(mode: &TxVector, has_ldpc: bool) -> [u8; 12] {
    const KNOWN: u16 = 0x0001 | 0x0004 | 0x0020 | 0x0040;
    let [low, high] = KNOWN.to_le_bytes();
    let flags = u8::from(is_short(mode)) << 2;
    let bandwidth = match mode.width_hz / 1_000_000 {
        20 => 0,
        40 => 1,
        80 => 4,
        _ => 11,
    };
    let user = index(mode) << 4 | mode.streams;
    [low, high, flags, bandwidth, user, 0, 0, 0, u8::from(has_ldpc), 0, 0, 0]
}

/// "HE": an SU PPDU with its direction, MCS, coding, bandwidth, guard interval and HE-LTFs.
fn he(mode: &TxVector, has_ldpc: bool, is_up: bool) -> [u16; 6] {
    /// UL/DL, MCS, DCM, coding, STBC, bandwidth.
    const DATA_1: u16 = 0x0010 | 0x0020 | 0x0040 | 0x0080 | 0x0200 | 0x4000;
    /// Guard interval, number of LTF symbols.
    const DATA_2: u16 = 0x0002 | 0x0004;
    let data_3 = u16::from(is_up) << 7 | u16::from(index(mode)) << 8 | u16::from(has_ldpc) << 13;
    let bandwidth = match mode.width_hz / 1_000_000 {
        20 => 0,
        40 => 1,
        80 => 2,
        _ => 3,
    };
    // HE-LTFs are twice compressed, but not with the longest guard interval: 2x and 4x.
    let (guard_interval, ltf_size) = match mode.guard_interval.as_nanos() {
        800 => (0, 2),
        1600 => (1, 2),
        _ => (2, 3),
    };
    // 1, 2, 4, 6 or 8 of them have the numbers 0 to 4.
    let ltfs = u16::from(mode.streams / 2 + mode.streams % 2) - u16::from(mode.streams == 1);
    let data_5 = bandwidth | guard_interval << 4 | ltf_size << 6 | ltfs << 8;
    [DATA_1, DATA_2, data_3, 0, data_5, mode.streams.into()]
}

fn index(mode: &TxVector) -> u8 {
    mode.mcs.map_or(0, |mcs| mcs.0)
}

/// Of HT and VHT: whether it has the guard interval of 0.4 us.
fn is_short(mode: &TxVector) -> bool {
    mode.guard_interval.as_nanos() < 800
}
