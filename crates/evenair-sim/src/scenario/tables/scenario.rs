//! What a scenario consists of. Sources of the defaults: Gong et al. 2006 (section IV), IEEE
//! 802.11-2007 and the RFCs named at each field.

use evenair_core::component::Seconds;
use evenair_core::control::limiter;
use evenair_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::tables::cell::Cell;
use crate::scenario::tables::station::Station;
use crate::scenario::tables::wired::Wired;

/// Everything that a run depends on, but for its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// A title for tables and plots; it changes no result.
    #[serde(default = "unnamed")]
    pub name: String,
    /// Measured time after the warm-up, seconds, above 0 (default: 300 s).
    #[serde(default = "default_duration")]
    pub duration: Seconds,
    /// Time that is simulated before measuring starts, seconds (default: 0 s).
    #[serde(default)]
    pub warmup: Seconds,
    /// The wireless cell; its keys are those of its kind.
    #[serde(default)]
    pub cell: Cell,
    /// What is behind the access point: one link to the server, or a topology.
    #[serde(default)]
    pub wired: Wired,
    /// The router between the access point and the wired part.
    #[serde(default)]
    pub gateway: Gateway,
    /// The stations, grouped: each entry stands for `count` equal ones. At least one entry.
    #[schemars(length(min = 1))]
    pub station: Vec<Station>,
    /// Time series to record; none where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

impl Scenario {
    /// Time between the starts of two flows that give none, so that equal flows do not run in
    /// step: 0.1 s if any entry stands for several stations, else 0.
    pub(crate) fn stagger(&self) -> Duration {
        let several = self.station.iter().any(|group| group.count > 1);
        if several { Duration::from_millis(100) } else { Duration::ZERO }
    }
}

/// The router between the access point and the wired part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gateway {
    /// What limits the rate of all packets from the access point (default: "none").
    pub limiter: limiter::Config,
}

/// Time series to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Time between two samples, seconds, above 0 (default: 1 s).
    #[serde(default = "default_interval")]
    pub interval: Seconds,
}

fn unnamed() -> String {
    "unnamed".to_owned()
}

fn default_duration() -> Seconds {
    Seconds::from_millis(300_000)
}

fn default_interval() -> Seconds {
    Seconds::from_millis(1_000)
}
