//! The wired part of a scenario.

use std::borrow::Cow;

use evenair_core::component::{BitRate, Seconds};
use evenair_core::loss;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::tables::flow::Flow;
use crate::scenario::values::node_names::{self, ACCESS_POINT, SERVER};
use crate::scenario::values::queue::{self, Queue};

/// The wired part: a full-duplex link between the server and the access point (`rate`, `delay`,
/// `queue`), or any number of links (`link`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wired {
    /// The one link's rate in each direction, bit/s, or "unlimited" (default: 100 Mbps).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
    /// The one link's propagation delay in each direction, seconds (default: 2 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Seconds>,
    /// The queue in front of each direction of the one link (default: droptail, 1000 packets).
    #[serde(deserialize_with = "queue::optional_station", skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
    /// Links between named nodes. "ap" is the access point; "server" is where stations' flows that
    /// name no `host` begin or end. There is one way between any two nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<WiredLink>,
    /// Flows between hosts, `from` one `to` another: cross traffic.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flow: Vec<Flow>,
}

/// A full-duplex link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WiredLink {
    /// The nodes that it connects.
    #[serde(deserialize_with = "node_names::pair")]
    pub between: [String; 2],
    /// Rate in each direction, bit/s, or "unlimited" (default: 100 Mbps).
    #[serde(default = "default_wired_rate")]
    pub rate: BitRate,
    /// Propagation delay in each direction, seconds (default: 2 ms).
    #[serde(default = "default_wired_delay")]
    pub delay: Seconds,
    /// The queue in front of each direction (default: droptail, 1000 packets).
    #[serde(default = "queue::station_default", deserialize_with = "queue::station")]
    pub queue: Queue,
    /// Errors of the link: packets are lost at its end. "down" is towards the access point, the
    /// level is "ip"; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<loss::Config>,
}

impl Wired {
    /// All links; the one link is between "server" and "ap".
    pub(crate) fn links(&self) -> Cow<'_, [WiredLink]> {
        if !self.link.is_empty() {
            return Cow::Borrowed(&self.link);
        }
        Cow::Owned(vec![WiredLink {
            between: [SERVER.to_owned(), ACCESS_POINT.to_owned()],
            rate: self.rate.unwrap_or_else(default_wired_rate),
            delay: self.delay.unwrap_or_else(default_wired_delay),
            queue: self.queue.clone().unwrap_or_else(queue::station_default),
            error: None,
        }])
    }
}

fn default_wired_rate() -> BitRate {
    BitRate::from_bps(100_000_000)
}

fn default_wired_delay() -> Seconds {
    Seconds::from_millis(2)
}
