//! The keys of a WiMAX cell. Sources of the defaults: Tsiknas and Stamatelos 2012 (Table 1) and what
//! the NIST add-on for ns-2 (2007) has where the paper is silent.

use evenair_core::component::{Hertz, Seconds};
use evenair_core::medium::wimax::phy::{CyclicPrefix, Modulation, OfdmPhy, PhyError};
use evenair_core::medium::wimax::{DlShare, Maps, RequestSize, WimaxConfig, scheduler};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::scenario::tables::station::Station;
use crate::scenario::values::bounded_integer::{bounded_integer, optional_bounded_integer};
use crate::scenario::values::names::WimaxKind;
use crate::scenario::values::queue::{self, Queue};
use crate::scenario::values::request_backoff::RequestBackoff;

/// An IEEE 802.16 cell: a base station and its stations, OFDM with 256 subcarriers, time division
/// duplex, point to multipoint, best effort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(transform = require_kind)]
pub struct WimaxCell {
    /// The medium, "wimax".
    pub kind: WimaxKind,
    /// Channel bandwidth, Hz, 1.75 to 20 MHz in steps of 250 kHz (default: 7 MHz).
    pub bandwidth: Hertz,
    /// Duration of a frame, seconds: 2.5, 4, 5, 8, 10, 12.5 or 20 ms (IEEE 802.16-2004 8.3.5.4)
    /// (default: 5 ms).
    pub frame: Seconds,
    /// Cyclic prefix as a share of the useful symbol time (default: "1/16").
    pub cyclic_prefix: CyclicPrefix,
    /// Modulation and coding of bursts and of the contention regions (default: "64qam-3/4").
    pub modulation: Modulation,
    /// Bytes of a burst that a symbol carries (default: that of `modulation`, 107 for "64qam-3/4").
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<9, 144, _>"
    )]
    #[schemars(range(min = 9, max = 144))]
    pub bytes_per_symbol: Option<u32>,
    /// Symbols of the downlink to those of the uplink, as "3:1" (or 3), or the downlink's fraction of
    /// the frame's symbols (default: "1:1").
    pub dl_ratio: DlShare,
    /// Opportunities in a frame for initial ranging, and as many for bandwidth requests (default: 5).
    #[serde(deserialize_with = "bounded_integer::<1, 255, _>")]
    #[schemars(range(min = 1, max = 255))]
    pub contention_slots: u32,
    /// First and last exponent of the backoff window of bandwidth requests: up to 2^w - 1
    /// opportunities are skipped (default: [2, 6]).
    pub request_backoff: RequestBackoff,
    /// How long a station waits for a grant after a bandwidth request, seconds, above 0 (T16;
    /// default: 50 ms).
    pub t16: Seconds,
    /// Repetitions of a bandwidth request before the packets that it is for are dropped (default: 2).
    #[serde(deserialize_with = "bounded_integer::<0, 255, _>")]
    #[schemars(range(min = 0, max = 255))]
    pub request_retries: u32,
    /// What a repeated bandwidth request asks for, and what is dropped with it: "stored", what waited
    /// when it was made, or "current", all that waits by then (default: "stored").
    pub request_size: RequestSize,
    /// Size of DL-MAP and UL-MAP: "maximum", always that of ten bursts each, or "actual" (default:
    /// "maximum").
    pub maps: Maps,
    /// Whether a station adds what it needs further to the last PDU of a burst (default: false).
    pub piggyback: bool,
    /// Whether PDUs have a CRC of 4 bytes (default: false).
    pub crc: bool,
    /// How the base station divides the frame among stations (default: "round-robin").
    pub scheduler: scheduler::Config,
    /// The base station's downlink queue, one for each station (default: droptail, 50 packets).
    #[serde(deserialize_with = "queue::base_station")]
    pub queue: Queue,
}

impl WimaxCell {
    /// The PHY.
    ///
    /// # Errors
    /// A bandwidth or a frame duration that the standard does not have.
    pub fn phy(&self) -> Result<OfdmPhy, PhyError> {
        OfdmPhy::new(self.bandwidth.as_u64(), self.cyclic_prefix, self.frame.duration())
    }

    /// The configuration of the medium.
    ///
    /// # Errors
    /// Those of [`WimaxCell::phy`].
    pub fn config(&self) -> Result<WimaxConfig, PhyError> {
        Ok(WimaxConfig {
            phy: self.phy()?,
            dl_share: self.dl_ratio,
            bytes_per_symbol: self.bytes_per_symbol(),
            contention_slots: self.contention_slots,
            request_backoff: self.request_backoff.0,
            t16: self.t16.duration(),
            request_retries: self.request_retries,
            request_size: self.request_size,
            maps: self.maps,
            piggyback: self.piggyback,
            crc: self.crc,
            scheduler: self.scheduler.clone(),
        })
    }

    /// Bytes of a symbol in bursts to and from `station`.
    pub fn bytes_per_symbol_of(&self, station: &Station) -> u32 {
        station.modulation.map_or_else(|| self.bytes_per_symbol(), Modulation::bytes_per_symbol)
    }

    fn bytes_per_symbol(&self) -> u32 {
        self.bytes_per_symbol.unwrap_or_else(|| self.modulation.bytes_per_symbol())
    }
}

impl Default for WimaxCell {
    fn default() -> Self {
        Self {
            kind: WimaxKind::Wimax,
            bandwidth: Hertz::new(7_000_000),
            frame: Seconds::from_millis(5),
            cyclic_prefix: CyclicPrefix::default(),
            modulation: Modulation::default(),
            bytes_per_symbol: None,
            dl_ratio: DlShare::default(),
            contention_slots: 5,
            request_backoff: RequestBackoff::default(),
            t16: Seconds::from_millis(50),
            request_retries: 2,
            request_size: RequestSize::default(),
            maps: Maps::default(),
            piggyback: false,
            crc: false,
            scheduler: scheduler::Config::default(),
            queue: queue::base_station_default(),
        }
    }
}

/// Without `kind` a cell is a WLAN.
fn require_kind(schema: &mut Schema) {
    schema.insert("required".to_owned(), serde_json::json!(["kind"]));
}
