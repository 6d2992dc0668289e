//! The stations of a scenario.

use evenair_core::component::{BitRate, Hertz};
use evenair_core::loss;
use evenair_core::medium::wimax::phy::Modulation;
use evenair_core::medium::wlan::phy::PhyKind;
use evenair_core::medium::wlan::{AggregationConfig, channel, rate_control};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::tables::flow::Flow;
use crate::scenario::values::bounded_integer::{bounded_integer, optional_bounded_integer};
use crate::scenario::values::names::Stack;
use crate::scenario::values::queue::{self, Queue};

/// A group of equal stations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// The station's name in results; absent: none. The `count` stations of an entry are NAME-1, NAME-2
    /// and so on. No two stations have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// How many stations this entry stands for; each has all of `flows` (default: 1).
    #[serde(default = "one", deserialize_with = "bounded_integer::<1, 100_000, _>")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
    /// The station's PHY, the cell's or an older one: in an 802.11g cell "802.11b"; in a cell of 802.11n, ac
    /// or ax an older one of these, at 5 GHz "802.11a", at 2.4 GHz "802.11g"; absent: the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phy: Option<PhyKind>,
    /// In a cell of 802.11n, ac or ax: modulation and coding of data PPDUs to and from this station, or of the
    /// first one with a `rate_control`; absent: the cell's, or the highest of its own `phy`, `streams` and
    /// `channel_width`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<0, 11, _>"
    )]
    #[schemars(range(min = 0, max = 11))]
    pub mcs: Option<u32>,
    /// There: spatial streams of these; absent: the cell's.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<1, 8, _>"
    )]
    #[schemars(range(min = 1, max = 8))]
    pub streams: Option<u32>,
    /// There: width of these, Hz, up to the cell's; absent: the cell's, or the widest of its own `phy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_width: Option<Hertz>,
    /// There: what these carry; absent: as the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<AggregationConfig>,
    /// In a WLAN cell: rate of data frames to and from this station, bit/s, or the first one with a
    /// `rate_control`; absent: the cell's, of a station of an older PHY the highest. Not with `mcs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<BitRate>,
    /// In a WLAN cell: chooses the rate of each data frame, in each direction by itself; absent: "fixed".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<rate_control::Config>,
    /// In a WLAN cell: corrupts frames between this station and the access point by their mode; absent:
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<channel::Config>,
    /// With the scheduler "airtime-drr": its share of the airtime is to those of others as these weights are
    /// (absent: 256).
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<1, 65535, _>"
    )]
    #[schemars(range(min = 1, max = 65535))]
    pub airtime_weight: Option<u32>,
    /// In a WiMAX cell: modulation and coding of bursts to and from this station; absent: the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulation: Option<Modulation>,
    /// In a WLAN cell: "linux", a station with Linux's network stack: where they are not given, `queue` is mac80211's and
    /// `tsq` of its uploads over TCP 7; absent: neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<Stack>,
    /// The station's own uplink queue (default: droptail, in a WLAN cell 1000 packets, in a WiMAX
    /// cell 50).
    #[serde(default = "queue::station_default", deserialize_with = "queue::station")]
    pub queue: Queue,
    /// Errors of the air between this station and the access point; absent: collisions alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<loss::Config>,
    /// Bytes added to every IP packet that the station sends (default: 0; ns-2 with DSDV has 20).
    #[serde(default, deserialize_with = "bounded_integer::<0, 65535, _>")]
    #[schemars(range(min = 0, max = 65535))]
    pub extra_header: u32,
    /// The flows of each of the `count` stations. At least one.
    #[schemars(length(min = 1))]
    pub flows: Vec<Flow>,
}

impl Station {
    /// The flows of each of its stations.
    pub(crate) fn flow_count(&self) -> u64 {
        self.flows.iter().map(|flow| flow.directions().len() as u64).sum()
    }
}

fn one() -> u32 {
    1
}
