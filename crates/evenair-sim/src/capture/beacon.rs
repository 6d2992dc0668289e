//! The body of a beacon frame (IEEE 802.11-2007 7.2.3.1).

use evenair_core::medium::wlan::SSID;

use super::air_phy::AirPhy;
use super::elements;

/// What a beacon says besides what follows from the PHY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beacon {
    /// Timestamp, microseconds since the start of the run.
    pub timestamp_us: u64,
    /// Time between two beacons, in time units of 1024 us.
    pub interval: u16,
    /// The basic rates, in units of 500 kb/s, by the bits of their number: bit 2 is 1 Mb/s.
    pub basic_rates: u128,
    /// The sequence number, of which 12 bits are written.
    pub sequence: u16,
    /// Bytes of an element at the end, its header included; 0 for none, else at least 2. Its content is
    /// zeros.
    pub further_bytes: u8,
}

/// Rates in 500 kb/s, in the order of the element.
const DSSS: [u8; 4] = [2, 4, 11, 22];
const OFDM: [u8; 8] = [12, 18, 24, 36, 48, 72, 96, 108];
/// A rate of the BSSBasicRateSet (7.3.2.2).
const BASIC: u8 = 0x80;
/// The Supported Rates element has no more.
const SUPPORTED_RATES: usize = 8;

/// Capability Information (7.3.1.4).
const ESS: u16 = 1;
const SHORT_PREAMBLE: u16 = 1 << 5;
const SHORT_SLOT: u16 = 1 << 10;

/// Element IDs (table 7-26).
const SSID_ELEMENT: u8 = 0;
const SUPPORTED_RATES_ELEMENT: u8 = 1;
const DS_PARAMETER_SET: u8 = 3;
const TIM: u8 = 5;
const ERP_INFORMATION: u8 = 42;
const EXTENDED_RATES: u8 = 50;
const VENDOR_SPECIFIC: u8 = 221;
/// The channel at 2437 MHz.
const CHANNEL: u8 = 6;

impl Beacon {
    /// Appends fixed fields and elements.
    pub(super) fn write(&self, phy: AirPhy, out: &mut Vec<u8>) {
        let (capability, dsss, ofdm) = match phy {
            AirPhy::B { short_preamble: false } => (ESS, true, false),
            AirPhy::B { short_preamble: true } => (ESS | SHORT_PREAMBLE, true, false),
            AirPhy::A | AirPhy::HighThroughput { .. } => (ESS, false, true),
            AirPhy::G => (ESS | SHORT_SLOT, true, true),
        };
        let rates: &[&[u8]] = match (dsss, ofdm) {
            (true, false) => &[&DSSS],
            (false, _) => &[&OFDM],
            (true, true) => &[&DSSS, &OFDM],
        };
        let count: usize = rates.iter().map(|class| class.len()).sum();
        let rates = || rates.iter().flat_map(|class| class.iter());
        let octet = |&rate: &u8| rate | if self.basic_rates >> rate & 1 == 1 { BASIC } else { 0 };
        out.extend(self.timestamp_us.to_le_bytes());
        out.extend(self.interval.to_le_bytes());
        out.extend(capability.to_le_bytes());
        out.extend([SSID_ELEMENT, SSID.len() as u8]);
        out.extend(SSID.as_bytes());
        out.extend([SUPPORTED_RATES_ELEMENT, count.min(SUPPORTED_RATES) as u8]);
        out.extend(rates().take(SUPPORTED_RATES).map(octet));
        if dsss {
            out.extend([DS_PARAMETER_SET, 1, CHANNEL]);
        }
        // DTIM count and period, no traffic.
        out.extend([TIM, 4, 0, 1, 0, 0]);
        if dsss && ofdm {
            out.extend([ERP_INFORMATION, 1, 0]);
        }
        if count > SUPPORTED_RATES {
            out.extend([EXTENDED_RATES, (count - SUPPORTED_RATES) as u8]);
            out.extend(rates().skip(SUPPORTED_RATES).map(octet));
        }
        if let AirPhy::HighThroughput { mode, is_at_2_ghz, has_ldpc, access } = &phy {
            elements::write(mode, *is_at_2_ghz, *has_ldpc, access, out);
        }
        if let Some(content) = self.further_bytes.checked_sub(2) {
            out.extend([VENDOR_SPECIFIC, content]);
            out.resize(out.len() + usize::from(content), 0);
        }
    }
}
