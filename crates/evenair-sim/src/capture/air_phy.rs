//! The PHY of a capture of the air.

/// The PHY and channel in the radiotap header. The channel numbers are arbitrary: the simulator has
/// one channel without a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}
