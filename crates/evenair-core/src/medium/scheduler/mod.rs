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

pub use airtime_drr::{AirtimeDrr, AirtimeDrrConfig, AirtimeForm, AirtimeRules, AirtimeSettings};
pub use aql::{Aql, AqlLimits, AqlSetting, expected_airtime};
pub use contract::{FrameScheduler, Pending, StationScheduler, Turn};
pub use drr::{Drr, DrrConfig};
pub use mac80211::Mac80211Drr;
pub use round_robin::{RoundRobin, RoundRobinConfig};

use crate::component::{configuration, registry};

/// IEEE80211_DEFAULT_AIRTIME_WEIGHT (`include/net/cfg80211.h`, Linux 5.0).
pub const USUAL_WEIGHT: u64 = 256;

configuration! {
    /// First in, first out has no parameters.
    pub struct FifoConfig {
        name: "fifo",
        summary: "one queue for all stations, in the order of its discipline",
        source: "IEEE 802.11-2007, 9.1: one transmit queue per interface without 802.11e",
    }
}

configuration! {
    /// Round robin has no parameters.
    pub struct StationRoundRobinConfig {
        name: "round-robin",
        summary: "a queue per station; each in turn transmits a PPDU",
        source: "Linux 4.8, ath9k: the order before airtime fairness",
    }
}

registry! {
    /// The configuration of an access-point scheduler.
    pub enum Config {
        Fifo(FifoConfig),
        RoundRobin(StationRoundRobinConfig),
        AirtimeDrr(AirtimeDrrConfig),
    }
    kind "access-point scheduler", noun "scheduler", schema "AccessPointScheduler", planned &[]
}

impl Config {
    /// Whether the access point needs a queue for each station.
    pub fn has_station_queues(&self) -> bool {
        !matches!(self, Self::Fifo(_))
    }

    /// The scheduler of a cell whose stations have these weights, of which 256 is the usual one; `None` if all stations share
    /// one queue.
    pub fn scheduler(&self, weights: &[u32]) -> Option<Box<dyn StationScheduler>> {
        let Self::AirtimeDrr(AirtimeDrrConfig { settings }) = self else {
            let round_robin =
                || Box::new(RoundRobin::new(weights.len())) as Box<dyn StationScheduler>;
            return self.has_station_queues().then(round_robin);
        };
        let quantum = |weight: &u32| settings.rules.quantum * u64::from(*weight) / USUAL_WEIGHT;
        let quanta: Vec<_> = weights.iter().map(quantum).collect();
        Some(match settings.form {
            AirtimeForm::Ath9k => Box::new(AirtimeDrr::new(&quanta)),
            AirtimeForm::Mac80211 => Box::new(Mac80211Drr::new(&quanta)),
        })
    }

    /// What each station may have in the hardware.
    pub fn limits(&self) -> Option<AqlLimits> {
        match self {
            Self::AirtimeDrr(AirtimeDrrConfig { settings }) => settings.rules.aql.0,
            _ => None,
        }
    }

    /// Whether it looks at what the hardware has.
    pub fn needs_hardware(&self) -> bool {
        let Self::AirtimeDrr(AirtimeDrrConfig { settings }) = self else { return false };
        settings.form == AirtimeForm::Mac80211 || settings.rules.aql.0.is_some()
    }
}
