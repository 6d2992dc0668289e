//! What the simulator needs of each kind of cell besides its medium: how it is built from a scenario, and
//! results that other kinds do not have.

use std::iter::{once, repeat_n};

use evenair_core::medium::wimax::Wimax;
use evenair_core::medium::wlan::{Dcf, DcfConfig, Edca, EdcaConfig, StationConfig};
use evenair_core::medium::{Cell, CellPacket, Medium, Observable};
use evenair_core::packet::{Direction, NodeId};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

use crate::results::medium::{EdcaCounters, MediumResult, WimaxCounters, WlanCounters};
use crate::scenario::{Preamble, RtsThreshold, Station, WimaxCell, WlanCell};

/// A medium that scenarios can name.
pub(crate) trait SimMedium: Medium + Sized {
    /// What it counts besides [`evenair_core::medium::AirUsage`].
    type Counters: Default + std::fmt::Debug;

    /// These counters.
    fn counters(&self) -> Self::Counters;

    /// The results since the time of these counters, `measured` ago.
    fn results(&self, since: &Self::Counters, measured: Duration) -> MediumResult;

    /// What a controller sees of it; `None` of a medium without beacons.
    fn observable(&self) -> Option<&dyn Observable> {
        None
    }

    /// The present rate of the link of `station`; `None` where it does not change.
    fn changing_rate(&self, _station: NodeId, _direction: Direction) -> Option<Rate> {
        None
    }

    /// The access point broadcasts `beacon`; nothing happens on a medium without beacons.
    fn broadcast<P: CellPacket>(_cell: &mut Cell<Self, P>, _now: Instant, _beacon: P) {}
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
        rts_threshold: rts_threshold(cell),
        mac_overhead: cell.mac_overhead,
        immediate_access: cell.immediate_access,
        short_retry_limit: cell.short_retry_limit,
        long_retry_limit: cell.long_retry_limit,
        station_queues: cell.scheduler.has_station_queues(),
    };
    let data_rate = cell.data_rate.unwrap_or_else(|| cell.phy.default_data_rate());
    let access_point = StationConfig::fixed(&config.phy, data_rate.rate());
    let station = |group: &Station| cell.station_config(group);
    let nodes: Vec<_> = once(access_point).chain(each(stations, station)).collect();
    Dcf::new(config, &nodes, seed)
}

/// The medium of a WLAN cell whose PHY has MCS.
pub(crate) fn edca(cell: &WlanCell, stations: &[Station], seed: u64) -> Edca {
    let parameters = cell.edca.unwrap_or_default();
    let config = EdcaConfig {
        preamble: cell.preamble.map(Preamble::duration),
        coding: cell.coding.unwrap_or_default(),
        protection: cell.protection.unwrap_or_default(),
        mac_overhead: cell.mac_overhead,
        access: parameters.parameters(false),
        access_point: cell.edca_ap.unwrap_or(parameters).parameters(true),
        rules: parameters.rules(),
        recovery: cell.block_ack_recovery.unwrap_or_default(),
        lifetime: cell.msdu_lifetime.unwrap_or_default().duration(),
        rts_threshold: rts_threshold(cell),
        short_retry_limit: cell.short_retry_limit,
        ..EdcaConfig::new(cell.timing(stations), cell.control_rate())
    };
    let node = |station: Option<&Station>| {
        cell.edca_node(station).expect("a resolved scenario has modes of its PHY")
    };
    let stations = each(stations, |group| node(Some(group)));
    let nodes: Vec<_> = once(node(None)).chain(stations).collect();
    Edca::new(config, &nodes, seed)
}

fn rts_threshold(cell: &WlanCell) -> Option<u32> {
    match cell.rts_threshold {
        RtsThreshold::Off => None,
        RtsThreshold::Bytes(bytes) => Some(bytes),
    }
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
        WlanCounters::of_dcf(self)
    }

    fn results(&self, since: &WlanCounters, _: Duration) -> MediumResult {
        WlanCounters::of_dcf(self).results(since)
    }

    fn observable(&self) -> Option<&dyn Observable> {
        Some(self)
    }

    fn changing_rate(&self, station: NodeId, direction: Direction) -> Option<Rate> {
        self.frames_by_mode(station, direction).is_some().then(|| self.rate(station, direction))
    }

    fn broadcast<P: CellPacket>(cell: &mut Cell<Self, P>, now: Instant, beacon: P) {
        cell.broadcast(now, NodeId::ACCESS_POINT, beacon);
    }
}

impl SimMedium for Edca {
    type Counters = EdcaCounters;

    fn counters(&self) -> EdcaCounters {
        EdcaCounters::new(self)
    }

    fn results(&self, since: &EdcaCounters, measured: Duration) -> MediumResult {
        EdcaCounters::new(self).results(since, measured)
    }

    fn observable(&self) -> Option<&dyn Observable> {
        Some(self)
    }

    fn changing_rate(&self, station: NodeId, direction: Direction) -> Option<Rate> {
        self.frames_by_mode(station, direction).is_some().then(|| self.rate(station, direction))
    }

    fn broadcast<P: CellPacket>(cell: &mut Cell<Self, P>, now: Instant, beacon: P) {
        cell.broadcast(now, NodeId::ACCESS_POINT, beacon);
    }
}

impl SimMedium for Wimax {
    type Counters = WimaxCounters;

    fn counters(&self) -> WimaxCounters {
        WimaxCounters::new(self)
    }

    fn results(&self, since: &WimaxCounters, _: Duration) -> MediumResult {
        WimaxCounters::new(self).results(since, self)
    }
}
