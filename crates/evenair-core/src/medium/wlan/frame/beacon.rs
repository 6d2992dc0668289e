//! The size of a beacon frame (IEEE 802.11-2007 7.2.3.1).

use super::phy::PhyKind;

/// Network name in the SSID element. (A name of 8 bytes makes a beacon of 66 bytes in 802.11a.)
pub const SSID: &str = "even-air";

/// MAC header of a management frame, and the frame check sequence (7.2.3).
const HEADER_AND_FCS: u32 = 24 + 4;
/// Timestamp, Beacon Interval, Capability Information (7.3.1).
const FIXED_FIELDS: u32 = 8 + 2 + 2;
/// Element ID and Length (7.3.2).
const ELEMENT_HEADER: u32 = 2;
/// DTIM Count, DTIM Period, Bitmap Control and one byte of a partial virtual bitmap (7.3.2.6).
const TIM: u32 = ELEMENT_HEADER + 4;
/// Current Channel (7.3.2.4).
const DS_PARAMETER_SET: u32 = ELEMENT_HEADER + 1;
/// Three flags in a byte (7.3.2.13).
const ERP_INFORMATION: u32 = ELEMENT_HEADER + 1;
/// HT Capabilities, HT Operation and EDCA Parameter Set (802.11-2020 9.4.2.55, 9.4.2.56, 9.4.2.28).
const HT_ELEMENTS: u32 = 3 * ELEMENT_HEADER + 26 + 22 + 18;
/// VHT Capabilities and VHT Operation (9.4.2.157, 9.4.2.158).
const VHT_ELEMENTS: u32 = 2 * ELEMENT_HEADER + 12 + 5;
/// HE Capabilities up to 80 MHz without PPE thresholds, and HE Operation, each with an Element ID Extension
/// (802.11ax-2021 9.4.2.248, 9.4.2.249).
const HE_ELEMENTS: u32 = 2 * (ELEMENT_HEADER + 1) + 6 + 11 + 4 + 3 + 1 + 2;
/// The Supported Rates element has at most this many, Extended Supported Rates the others (7.3.2.2,
/// 7.3.2.14).
const SUPPORTED_RATES: u32 = 8;

/// Bytes of the beacon of an access point without optional elements, MAC header and FCS included.
pub const fn beacon_bytes(phy: PhyKind) -> u32 {
    let (rates, elements) = match phy {
        PhyKind::Dot11a => (8, 0),
        PhyKind::Dot11b => (4, DS_PARAMETER_SET),
        // All rates of 802.11b and of OFDM.
        PhyKind::Dot11g => (4 + 8, DS_PARAMETER_SET + ERP_INFORMATION),
        // At 5 GHz.
        PhyKind::Dot11n => (8, HT_ELEMENTS),
        PhyKind::Dot11ac => (8, HT_ELEMENTS + VHT_ELEMENTS),
        PhyKind::Dot11ax => (8, HT_ELEMENTS + VHT_ELEMENTS + HE_ELEMENTS),
    };
    let extended = if rates > SUPPORTED_RATES { ELEMENT_HEADER } else { 0 };
    let ssid = ELEMENT_HEADER + SSID.len() as u32;
    HEADER_AND_FCS + FIXED_FIELDS + ssid + ELEMENT_HEADER + rates + extended + TIM + elements
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Added up by hand: 24 + 12 + 10 (SSID) + 10 (rates) + 6 (TIM) + 4 in 802.11a; 802.11b has 4 rates
    /// less and 3 bytes of DS parameters; 802.11g those 3, 3 of ERP information and 6 of further rates. With elements
    /// of 28, 24 and 20 bytes 802.11n at 5 GHz has 72 more than 802.11a, ac with 14 and 7 another 21, ax with 24
    /// and 9 another 33.
    #[test]
    fn beacons_have_the_sizes_of_their_elements() {
        let bytes = [PhyKind::Dot11a, PhyKind::Dot11b, PhyKind::Dot11g].map(beacon_bytes);
        assert_eq!(bytes, [66, 65, 78]);
        let bytes = [PhyKind::Dot11n, PhyKind::Dot11ac, PhyKind::Dot11ax].map(beacon_bytes);
        assert_eq!(bytes, [138, 159, 192]);
    }
}
