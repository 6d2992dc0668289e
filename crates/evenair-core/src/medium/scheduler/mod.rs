//! Access-point schedulers: which station of a WLAN cell the access point serves next.
//!
//! To add one, add a file here and a variant below.

mod airtime_drr;

pub use airtime_drr::{AirtimeDrr, AirtimeDrrConfig};

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
    /// The scheduler of a cell with this many stations; `None` if all stations share one queue.
    pub fn scheduler(&self, stations: usize) -> Option<AirtimeDrr> {
        match self {
            Self::Fifo(_) => None,
            Self::AirtimeDrr(config) => Some(AirtimeDrr::new(config, stations)),
        }
    }
}
