//! What the simulator needs of each kind of cell besides its medium: how it is built from a scenario,
//! how its frames are captured, and results that other kinds do not have.

use std::iter::{once, repeat_n};

use evenair_core::medium::wimax::Wimax;
use evenair_core::medium::wlan::{Dcf, DcfConfig, StationConfig};
use evenair_core::medium::{Arrival, Medium};
use evenair_core::packet::{Direction, NodeId, Packet};
use evenair_core::time::Duration;
use evenair_core::transport::PacketOption;

use crate::capture::AirPhy;
use crate::capture::writer::CaptureWriter;
use crate::results::medium::{MediumResult, WimaxCounters, WlanCounters};
use crate::scenario::{PhyKind, RtsThreshold, Station, WimaxCell, WlanCell};

/// A medium that scenarios can name.
pub(crate) trait SimMedium: Medium + Sized {
    /// What it counts besides [`evenair_core::medium::AirUsage`].
    type Counters: Default + std::fmt::Debug;

    /// These counters.
    fn counters(&self) -> Self::Counters;

    /// The results since the time of these counters.
    fn results(&self, since: &Self::Counters) -> MediumResult;

    /// How often the rate of a link has changed so far.
    fn rate_changes(&self) -> u64 {
        0
    }

    /// Whether `station` has decoded the last beacon.
    fn has_decoded(&self, _station: NodeId) -> bool {
        false
    }

    /// DIFS and the frame exchange of a packet of `bytes` between the access point and `station` at
    /// the present rate, without a backoff. Only of a medium that has controllers.
    fn exchange_time(&self, _station: NodeId, _direction: Direction, _bytes: u32) -> Duration {
        unreachable!("only a WLAN cell has a controller")
    }
    /// The present rates of the link of `station`, down and up, bit/s; `None` where they do not change.
    fn link_rates(&self, station: NodeId) -> Option<[u64; 2]>;

    /// How captures describe its frames; `None` if they are not captured.
    fn capture_phy(&self) -> Option<AirPhy>;

    /// Writes the frames of the exchange in which `arrival` was received.
    fn capture(
        &self,
        writer: &mut CaptureWriter,
        arrival: &Arrival<Packet>,
        option: Option<&PacketOption>,
    );
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

    fn link_rates(&self, station: NodeId) -> Option<[u64; 2]> {
        let both = [Direction::Down, Direction::Up].map(|way| self.rate(station, way).as_bps());
        self.frames_by_rate(station, Direction::Down).is_some().then_some(both)
    }

    fn capture_phy(&self) -> Option<AirPhy> {
        let phy = &self.config().phy;
        Some(match phy.kind {
            PhyKind::Dot11a => AirPhy::A,
            PhyKind::Dot11g => AirPhy::G,
            PhyKind::Dot11b => AirPhy::B { short_preamble: phy.has_short_preamble() },
        })
    }

    fn rate_changes(&self) -> u64 {
        Self::rate_changes(self)
    }

    fn has_decoded(&self, station: NodeId) -> bool {
        self.decoded(station)
    }

    fn exchange_time(&self, station: NodeId, direction: Direction, bytes: u32) -> Duration {
        Self::exchange_time(self, station, direction, bytes)
    }

    #[cold]
    fn capture(
        &self,
        writer: &mut CaptureWriter,
        arrival: &Arrival<Packet>,
        option: Option<&PacketOption>,
    ) {
        writer.exchange(self, arrival, option);
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

    fn link_rates(&self, _: NodeId) -> Option<[u64; 2]> {
        None
    }

    fn capture_phy(&self) -> Option<AirPhy> {
        None
    }

    fn capture(&self, _: &mut CaptureWriter, _: &Arrival<Packet>, _: Option<&PacketOption>) {}
}
