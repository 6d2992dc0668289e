//! The elements of a beacon that say what 802.11n, ac and ax have (IEEE 802.11-2020 9.4.2, 802.11ax-2021 9.4.2).
//!
//! They have the sizes with which the simulator counts, whatever the cell has.

use evenair_core::medium::wlan::{AccessParameters, EdcaParameters};
use evenair_core::medium::{PhyFormat, TxVector};

/// Element IDs (802.11-2020 table 9-92), and Element ID Extensions.
const EDCA_PARAMETER_SET: u8 = 12;
const HT_CAPABILITIES: u8 = 45;
const HT_OPERATION: u8 = 61;
const VHT_CAPABILITIES: u8 = 191;
const VHT_OPERATION: u8 = 192;
const EXTENSION: u8 = 255;
const HE_CAPABILITIES: u8 = 35;
const HE_OPERATION: u8 = 36;
/// The primary channel, and the centres of the channels of 80 and 160 MHz that it is in.
const PRIMARY: [u8; 2] = [36, 6];
const CENTRE_80: u8 = 42;
const CENTRE_160: u8 = 50;
/// A map of two bits a stream: MCS 0 to 7 of one stream, none of the others.
const BASIC_MAP: u16 = 0xFFFC;

/// Appends the elements of a cell whose data PPDUs have `mode`.
pub(super) fn write(
    mode: &TxVector,
    is_at_2_ghz: bool,
    has_ldpc: bool,
    access: &EdcaParameters,
    out: &mut Vec<u8>,
) {
    let width = mode.width_hz / 1_000_000;
    ht(mode.streams, width > 20, is_at_2_ghz, has_ldpc, out);
    edca(access, out);
    if matches!(mode.format, PhyFormat::Vht | PhyFormat::He) {
        vht(mode.streams, width, has_ldpc, out);
    }
    if mode.format == PhyFormat::He {
        he(mode.streams, width, is_at_2_ghz, has_ldpc, out);
    }
}

/// HT Capabilities and HT Operation (9.4.2.55, 9.4.2.56).
fn ht(streams: u8, is_wide: bool, is_at_2_ghz: bool, has_ldpc: bool, out: &mut Vec<u8>) {
    // Width, no SM power save, short guard intervals in 20 and 40 MHz.
    let info = u16::from(has_ldpc) | u16::from(is_wide) << 1 | 0b11 << 2 | 1 << 5 | 1 << 6;
    out.extend([HT_CAPABILITIES, 26]);
    out.extend(info.to_le_bytes());
    out.push(0b11); // A-MPDUs of up to 65,535 bytes
    let rates = |stream| if stream < streams.min(4) { 0xFF } else { 0 };
    out.extend((0..4).map(rates));
    out.extend([0; 12 + 2 + 4 + 1]); // rest of the MCS set; extended, beamforming, antenna selection
    out.extend([HT_OPERATION, 22, PRIMARY[usize::from(is_at_2_ghz)]]);
    // The secondary channel is above.
    out.push(if is_wide { 1 | 1 << 2 } else { 0 });
    out.extend([0; 4 + 16]); // rest, no basic MCS
}

/// EDCA Parameter Set (9.4.2.28): a record of each category.
fn edca(access: &EdcaParameters, out: &mut Vec<u8>) {
    out.extend([EDCA_PARAMETER_SET, 18, 0, 0]);
    // The numbers of categories there are those here.
    for (number, &AccessParameters { cw_min, cw_max, aifsn, txop }) in (0_u8..).zip(access) {
        let exponent = |cw: u32| (cw + 1).ilog2() as u8;
        out.push(aifsn.min(15) as u8 | number << 5);
        out.push(exponent(cw_min) | exponent(cw_max) << 4);
        let units = txop.as_nanos() / 32_000; // 32 us
        out.extend(u16::try_from(units).unwrap_or(u16::MAX).to_le_bytes());
    }
}

/// VHT Capabilities and VHT Operation (9.4.2.157, 9.4.2.158).
fn vht(streams: u8, width: u32, has_ldpc: bool, out: &mut Vec<u8>) {
    let has_160 = width > 80;
    // MPDUs of up to 11,454 bytes, 160 MHz, short guard intervals in 80 and 160 MHz, A-MPDUs of up to 2^20 - 1 bytes.
    let info = 2 | u32::from(has_160) << 2 | u32::from(has_ldpc) << 4 | 0b11 << 5 | 7 << 23;
    out.extend([VHT_CAPABILITIES, 12]);
    out.extend(info.to_le_bytes());
    for _ in ["received", "transmitted"] {
        out.extend(map(streams).to_le_bytes());
        out.extend([0, 0]); // highest rate: not given
    }
    out.extend([VHT_OPERATION, 5]);
    out.extend(match width {
        0..=40 => [0, 0, 0],
        41..=80 => [1, CENTRE_80, 0],
        _ => [1, CENTRE_80, CENTRE_160],
    });
    out.extend(BASIC_MAP.to_le_bytes());
}

/// HE Capabilities, of widths up to 80 MHz, and HE Operation (802.11ax-2021 9.4.2.248, 9.4.2.249).
fn he(streams: u8, width: u32, is_at_2_ghz: bool, has_ldpc: bool, out: &mut Vec<u8>) {
    let has_40 = u8::from(is_at_2_ghz && width > 20);
    let has_80 = u8::from(!is_at_2_ghz);
    out.extend([EXTENSION, 1 + 6 + 11 + 4, HE_CAPABILITIES]);
    out.extend([0; 6]); // MAC capabilities
    out.extend([has_40 << 1 | has_80 << 2, u8::from(has_ldpc) << 5]);
    out.extend([0; 9]); // rest of the PHY capabilities
    for _ in ["received", "transmitted"] {
        out.extend(map(streams).to_le_bytes());
    }
    out.extend([EXTENSION, 1 + 3 + 1 + 2, HE_OPERATION]);
    out.extend([0xF0, 0x3F, 0]); // a TXOP needs no RTS
    out.push(1 << 7); // no BSS color
    out.extend(BASIC_MAP.to_le_bytes());
}

/// A map of two bits a stream: 2 for all MCS, 3 for none.
fn map(streams: u8) -> u16 {
    (0..8).map(|stream| if stream < streams { 2 << (2 * stream) } else { 3 << (2 * stream) }).sum()
}
