//! Two cells that share a channel.

use crate::medium::scheduler::{AirtimeDrr, StationScheduler};
use crate::medium::wlan::phy::Phy;
use crate::medium::wlan::{BasicRates, ControlRate, Dcf, DcfConfig, StationConfig};
use crate::medium::{Arrival, Associations, Cell, Medium, Observable, Setup};
use crate::packet::{FlowId, NodeId, Packet, PacketKind};
use crate::queue::{Config, Queue, QueueLimit, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

const NODES: usize = 4;
/// Nodes 0 and 1 are access points; 2 belongs to 0, and 3 to 1.
const TWO_CELLS: [NodeId; NODES] = [NodeId(0), NodeId(1), NodeId(0), NodeId(1)];
/// Nodes 1 to 3 belong to 0.
const ONE_CELL: [NodeId; NODES] = [NodeId(0); NODES];

fn cell(access_points: [NodeId; NODES], station_queues: bool) -> Cell<Dcf> {
    let phy = Phy::dot11a();
    let control_rate = ControlRate::Basic(BasicRates::new(phy.mandatory_rates));
    let config = DcfConfig { station_queues, ..DcfConfig::new(phy, control_rate) };
    let nodes: [_; NODES] = std::array::from_fn(|_| StationConfig::fixed(&phy, phy.rates[7]));
    let dcf = Dcf::with_associations(config, Associations::new(&access_points), &nodes, 1);
    let Setup { associations, layout, .. } = dcf.setup();
    let queue = |id: u32| {
        let stream = RngStream::new(1, StreamId::Queue, id.into());
        TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(1000), stream))
    };
    let queues = (0..layout.count(associations)).map(queue).collect();
    Cell::new(dcf, queues, (0..NODES).map(|_| None).collect())
}

/// Each node of `senders` has 200 packets from the beginning, for its partner in the two cells.
fn run(mut cell: Cell<Dcf>, senders: &[u32]) -> (Cell<Dcf>, Vec<Arrival<Packet>>) {
    for &from in senders {
        // The station of node 0 and 2 is 2, that of 1 and 3 is 3.
        let station = NodeId(2 + from % 2);
        let packet = Packet::new(FlowId(from), PacketKind::Data);
        for _ in 0..200 {
            cell.send(Instant::ZERO, NodeId(from), Packet { station, size: 1500, ..packet });
        }
    }
    let arrivals = std::iter::from_fn(|| cell.poll(Instant::NEVER)).collect();
    (cell, arrivals)
}

/// Contention is that of one cell with the same nodes: each transmits at the same times. In two cells
/// packets reach the access point or the station of their own.
#[test]
fn nodes_contend_as_if_they_were_one_cell() {
    let senders = [0, 1, 2, 3];
    let (one, of_one) = run(cell(ONE_CELL, false), &senders);
    let (two, of_two) = run(cell(TWO_CELLS, false), &senders);
    let times = |arrivals: &[Arrival<Packet>]| {
        arrivals.iter().map(|arrival| (arrival.at, arrival.from)).collect::<Vec<_>>()
    };
    assert_eq!(times(&of_one), times(&of_two));
    assert_eq!(of_two.len(), 800);
    for Arrival { from, to, .. } in of_two {
        assert_eq!(to.0, (from.0 + 2) % 4);
    }
    let late = Instant::ZERO + Duration::from_secs(10);
    let counts = |cell: &Cell<Dcf>| {
        let usage = |node| cell.usage(late, NodeId(node));
        senders.map(|node| (usage(node).attempts, usage(node).collisions, usage(node).delivered))
    };
    assert_eq!(counts(&one), counts(&two));
    assert!(counts(&two).iter().all(|(_, collisions, _)| *collisions > 0));
}

/// With one station that sends in each cell all collisions are between cells: the traffic of a cell is what
/// its station sends. In one cell they overlap within it.
#[test]
fn frames_of_another_cell_are_no_traffic_of_this_one() {
    let late = Instant::ZERO + Duration::from_secs(10);
    let (two, _) = run(cell(TWO_CELLS, false), &[2, 3]);
    for (access_point, station) in [(0, 2), (1, 3)] {
        let sent = two.usage(late, NodeId(station)).airtime;
        assert!(sent.collisions > Duration::ZERO);
        for node in [access_point, station] {
            assert_eq!(two.traffic_airtime(late, NodeId(node)), sent.total());
        }
        assert_eq!(two.usage(late, NodeId(access_point)).airtime.total(), Duration::ZERO);
    }
    let (one, _) = run(cell(ONE_CELL, false), &[2, 3]);
    let [a, b] = [2, 3].map(|node| one.usage(late, NodeId(node)).airtime);
    // Frames are of one length: each collision is counted twice.
    let traffic = a.total() + b.total() - a.collisions;
    assert_eq!(one.traffic_airtime(late, NodeId(0)), traffic);
}

/// A beacon is for the stations of its cell, and is sent beside one of the other cell.
#[test]
fn each_access_point_has_its_beacons() {
    let mut cell = cell(TWO_CELLS, false);
    let beacon = Packet { size: 100, ..Packet::new(FlowId(9), PacketKind::Data) };
    let mut decoded = Vec::new();
    for from in [1, 0] {
        cell.broadcast(Instant::ZERO + Duration::from_millis(from), NodeId(from as u32), beacon);
        let arrival = cell.poll(Instant::NEVER).unwrap();
        assert_eq!((arrival.from.0, arrival.to), (from as u32, NodeId::BROADCAST));
        decoded.push([2, 3].map(|station| cell.medium().decoded(NodeId(station))));
        // The end of the access.
        assert_eq!(cell.poll(Instant::ZERO + Duration::from_millis(from + 1)), None);
    }
    assert_eq!(decoded, [[false, true], [true, true]]);
}

/// The scheduler of each access point serves its own stations.
#[test]
fn each_access_point_has_its_scheduler() {
    let cell = cell(TWO_CELLS, true);
    let scheduler = || -> Box<dyn StationScheduler> {
        Box::new(AirtimeDrr::new(&[Duration::from_micros(300); 2]))
    };
    let (cell, arrivals) = run(cell.with_schedulers(vec![scheduler(), scheduler()]), &[0, 1]);
    let to = |station| arrivals.iter().filter(|arrival| arrival.to == NodeId(station)).count();
    assert_eq!([2, 3].map(to), [200, 200]);
    assert!(arrivals.iter().all(|arrival| arrival.to.0 == arrival.from.0 + 2));
    assert!(cell.queues().iter().all(|queue| queue.backlog().packets() == 0));
}
