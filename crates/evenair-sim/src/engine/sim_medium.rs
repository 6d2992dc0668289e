//! What the simulator needs of each kind of cell besides its medium: how it is built from a scenario, and
//! results that other kinds do not have.

use std::iter::{once, repeat_n};

use evenair_core::medium::wimax::Wimax;
use evenair_core::medium::wlan::{Dcf, DcfConfig, StationConfig};
use evenair_core::medium::{Cell, Medium};

use crate::results::medium::{MediumResult, WimaxCounters, WlanCounters};
use crate::scenario::{RtsThreshold, Station, WimaxCell, WlanCell};

/// A medium that scenarios can name.
pub(crate) trait SimMedium: Medium + Sized {
    /// What it counts besides [`evenair_core::medium::AirUsage`].
    type Counters: Default + std::fmt::Debug;

    /// These counters.
    fn counters(&self) -> Self::Counters;

    /// The results since the time of these counters.
    fn results(&self, since: &Self::Counters) -> MediumResult;

    /// The cell, if it is one of 802.11: only such a cell has beacons, a controller and rate control.
    fn wlan<P>(cell: &mut Cell<Self, P>) -> Option<&mut Cell<Dcf, P>>;
}

/// A value for each station.
fn each<T: Clone>(groups: &[Station], value: impl Fn(&Station) -> T) -> impl Iterator<Item = T> {
    groups.iter().flat_map(move |group| repeat_n(value(group), group.count as usize))
}

/// The medium of a WLAN cell.
pub(crate) fn dcf(cell: &WlanCell, stations: &[Station], seed: u64) -> Dcf {
    let config = DcfConfig {
        phy: cell.timing(stations),
        control_rate: cell.control_rate(),
        protection: cell.protection.unwrap_or_default(),
        rts_threshold: match cell.rts_threshold {
            RtsThreshold::Off => None,
            RtsThreshold::Bytes(bytes) => Some(bytes),
        },
        mac_overhead: cell.mac_overhead,
        immediate_access: cell.immediate_access,
        short_retry_limit: cell.short_retry_limit,
        long_retry_limit: cell.long_retry_limit,
        station_queues: cell.scheduler.has_station_queues(),
    };
    let access_point = StationConfig::fixed(&config.phy, cell.data_rate.rate());
    let station = |group: &Station| cell.station_config(group);
    let nodes: Vec<_> = once(access_point).chain(each(stations, station)).collect();
    Dcf::new(config, &nodes, seed)
}

/// The medium of a WiMAX cell.
pub(crate) fn wimax(cell: &WimaxCell, stations: &[Station], seed: u64) -> Wimax {
    let config = cell.config().expect("a resolved scenario has a PHY of the standard");
    let bytes_per_symbol = each(stations, |group| cell.bytes_per_symbol_of(group));
    let medium = Wimax::new(config, &bytes_per_symbol.collect::<Vec<_>>(), seed);
    medium.expect("the frame of a resolved scenario has room")
}

impl SimMedium for Dcf {
    type Counters = WlanCounters;

    fn counters(&self) -> WlanCounters {
        WlanCounters::new(self)
    }

    fn results(&self, since: &WlanCounters) -> MediumResult {
        WlanCounters::new(self).results(since)
    }

    fn wlan<P>(cell: &mut Cell<Self, P>) -> Option<&mut Cell<Self, P>> {
        Some(cell)
    }
}

impl SimMedium for Wimax {
    type Counters = WimaxCounters;

    fn counters(&self) -> WimaxCounters {
        WimaxCounters::new(self)
    }

    fn results(&self, since: &WimaxCounters) -> MediumResult {
        WimaxCounters::new(self).results(since, self)
    }

    fn wlan<P>(_: &mut Cell<Self, P>) -> Option<&mut Cell<Dcf, P>> {
        None
    }
}
