//! The PHY of a capture of the air.

use evenair_core::medium::TxVector;
use evenair_core::medium::wlan::EdcaParameters;

/// The PHY and channel in the radiotap header, and what beacons say of them. The channel numbers are arbitrary: the
/// simulator has one channel without a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AirPhy {
    /// 802.11b: CCK at 2437 MHz (channel 6).
    B {
        /// Frames faster than 1 Mb/s have the short preamble (IEEE 802.11-2007 18.2.2.2).
        short_preamble: bool,
    },
    /// 802.11a: OFDM at 5180 MHz (channel 36).
    A,
    /// 802.11g: OFDM at 2437 MHz (channel 6), and CCK with long preambles at the rates of 802.11b.
    G,
    /// 802.11n, ac and ax: at 5180 MHz or 2437 MHz, with OFDM of 20 MHz for control frames.
    HighThroughput {
        /// The mode of the cell: format, width and streams.
        mode: TxVector,
        /// Whether it is at 2437 MHz.
        is_at_2_ghz: bool,
        /// Whether data have LDPC; else they have convolutional codes.
        has_ldpc: bool,
        /// How stations contend.
        access: EdcaParameters,
    },
}
