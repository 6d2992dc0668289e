//! What all stations of a cell have in common.

use super::frame::{DlShare, Maps};
use super::phy::{Modulation, OfdmPhy};
use super::scheduler;
use crate::component::named;
use crate::time::Duration;

/// The largest number of opportunities in a contention region: more do not fit into any frame.
pub const MAX_CONTENTION_SLOTS: u32 = 1000;
/// The largest backoff exponent that a UCD message can announce (IEEE 802.16-2004, 6.3.2.3.3).
pub const MAX_BACKOFF_EXPONENT: u32 = 15;
/// The largest number of retries of a bandwidth request.
pub const MAX_REQUEST_RETRIES: u32 = 255;

named! {
    /// What a repeated bandwidth request asks for.
    pub enum RequestSize {
        /// What it asked for when it was made: a copy of it is sent (NIST add-on).
        #[default]
        Stored => "stored",
        /// What the station needs by then.
        Current => "current",
    }
    planned []
}

/// What all stations of a cell have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct WimaxConfig {
    /// Bandwidth, cyclic prefix and frame duration.
    pub phy: OfdmPhy,
    /// The downlink's share of the symbols.
    pub dl_share: DlShare,
    /// Usable bytes of a symbol in the contention regions, from 1 to
    /// [`MAX_BYTES_PER_SYMBOL`](super::phy::MAX_BYTES_PER_SYMBOL).
    pub bytes_per_symbol: u32,
    /// Opportunities for ranging and for bandwidth requests, each, in a frame: from 1 to
    /// [`MAX_CONTENTION_SLOTS`].
    pub contention_slots: u32,
    /// First and last exponent w of the backoff window of a bandwidth request, which is 2^w
    /// opportunities; up to [`MAX_BACKOFF_EXPONENT`].
    pub request_backoff: [u32; 2],
    /// T16: how long a station waits for a grant before it repeats its request; above 0.
    pub t16: Duration,
    /// Repetitions of a bandwidth request before it is given up.
    pub request_retries: u32,
    /// What a repeated request asks for, and what is dropped with it.
    pub request_size: RequestSize,
    /// The size of the maps.
    pub maps: Maps,
    /// Whether a burst that does not empty a queue carries a request for the rest.
    pub piggyback: bool,
    /// Whether each PDU ends with a CRC of 4 bytes.
    pub crc: bool,
    /// Which station gets the next burst.
    pub scheduler: scheduler::Config,
}

impl WimaxConfig {
    /// The defaults: 64-QAM 3/4, 1:1 and 5 opportunities (Tsiknas and Stamatelos 2012, Table 1);
    /// backoff exponents 2 to 6, 2 retries of a stored size, maps at their maximum, neither CRC nor piggybacked
    /// requests (NIST add-on); T16 of 50 ms (ns-2 scripts of Arcia and Ros for the same cell).
    pub fn new(phy: OfdmPhy) -> Self {
        Self {
            phy,
            dl_share: DlShare::default(),
            bytes_per_symbol: Modulation::default().bytes_per_symbol(),
            contention_slots: 5,
            request_backoff: [2, 6],
            t16: Duration::from_millis(50),
            request_retries: 2,
            request_size: RequestSize::default(),
            maps: Maps::default(),
            piggyback: false,
            crc: false,
            scheduler: scheduler::Config::default(),
        }
    }
}
