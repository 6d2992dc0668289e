//! Schedulers of stations, and the registry of those of a WLAN's access point.
//!
//! [`StationScheduler`] is what they have in common; `medium/wimax/scheduler/` has the registry of those of
//! a base station. To add one, add a file here and a variant below or there.

mod airtime_drr;
mod aql;
mod contract;
mod cycle;
mod drr;
mod mac80211;
mod round_robin;
#[cfg(test)]
mod tests;

pub use airtime_drr::{AirtimeDrr, AirtimeDrrConfig};
pub use aql::{Aql, AqlLimits, expected_airtime};
pub use contract::{FrameScheduler, Pending, StationScheduler, Turn};
pub use drr::{Drr, DrrConfig};
pub use mac80211::Mac80211Drr;
pub use round_robin::{RoundRobin, RoundRobinConfig};

use crate::component::{configuration, registry};

configuration! {
    /// First in, first out has no parameters.
    pub struct FifoConfig {
        name: "fifo",
        summary: "one queue for all stations, in the order of its discipline",
        source: "IEEE 802.11-2007, 9.1: one transmit queue per interface without 802.11e",
    }
}

registry! {
    /// The configuration of an access-point scheduler.
    pub enum Config {
        Fifo(FifoConfig),
        AirtimeDrr(AirtimeDrrConfig),
    }
    kind "access-point scheduler", noun "scheduler", schema "AccessPointScheduler", planned &[]
}

impl Config {
    /// Whether the access point needs a queue for each station.
    pub fn has_station_queues(&self) -> bool {
        !matches!(self, Self::Fifo(_))
    }

    /// The scheduler of a cell with this many stations; `None` if all stations share one queue.
    pub fn scheduler(&self, stations: usize) -> Option<Box<dyn StationScheduler>> {
        match self {
            Self::Fifo(_) => None,
            Self::AirtimeDrr(config) => Some(Box::new(AirtimeDrr::new(config, stations))),
        }
    }
}
