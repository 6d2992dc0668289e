//! The cell of 802.11 with EDCA, against calculations by hand, ns-3 and an oracle.

mod conservation;
mod events;
mod minstrel_ht;
mod mixed;
mod occupancy;
mod oracle;
mod saturation;
mod shared_queue;
mod timelines;

use super::*;
use crate::loss::LinkLoss;
use crate::medium::scheduler::{RoundRobin, StationScheduler};
use crate::medium::wlan::phy::Phy;
use crate::medium::wlan::{BasicRates, ControlRate};
use crate::medium::{Cell, Mcs, Observable as _, Occupancy, PhyFormat, TxVector};
use crate::packet::{AccessCategory, FlowId, Packet, PacketKind};
use crate::queue::{Config, Queue, QueueLimit, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::units::Rate;

/// 5 GHz, and the basic rates 6, 12 and 24 Mb/s.
fn config() -> EdcaConfig {
    let basic = [6, 12, 24].map(Rate::from_mbps);
    EdcaConfig::new(Phy::dot11a(), ControlRate::Basic(BasicRates::new(&basic)))
}

fn mode(format: PhyFormat, mcs: u8, width: u32) -> TxVector {
    let gi = Duration::from_nanos(800);
    TxVector::high_throughput(format, Mcs(mcs), width, 1, gi).expect("a mode")
}

/// A cell with long queues, and round robin among the stations at the access point.
fn cell(config: EdcaConfig, nodes: &[EdcaNode], seed: u64) -> Cell<Edca> {
    cell_with(config, nodes, nodes.iter().map(|_| None).collect(), seed)
}

/// The same with loss models, by node.
fn cell_with(
    config: EdcaConfig,
    nodes: &[EdcaNode],
    losses: Vec<Option<LinkLoss>>,
    seed: u64,
) -> Cell<Edca> {
    let medium = Edca::new(config, nodes, seed);
    let setup = medium.setup();
    let queues = setup.layout.count(&setup.associations);
    let queue = |index: u32| {
        let stream = RngStream::new(seed, StreamId::Queue, index.into());
        TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(10_000), stream))
    };
    let queues = (0..queues).map(queue).collect();
    let scheduler = |_| Box::new(RoundRobin::new(nodes.len() - 1)) as Box<dyn StationScheduler>;
    Cell::new(medium, queues, losses)
        .with_schedulers((0..AccessCategory::COUNT).map(scheduler).collect())
}

fn packet(station: NodeId, size: u32, category: AccessCategory, enqueued_at: Instant) -> Packet {
    let packet = Packet::new(FlowId(station.0), PacketKind::Datagram);
    Packet { station, size, category, enqueued_at, ..packet }
}

/// Counts the occupancy of the cell from now on.
fn observe(cell: &mut Cell<Edca>) {
    let first = cell.medium().mean_first_backoff();
    let nodes = cell.nodes();
    cell.observe_occupancy(Occupancy::new(first, nodes, nodes));
}

/// Bytes of a beacon.
const BEACON: u32 = 200;

fn beacon(at: Instant) -> Packet {
    let packet = Packet::new(FlowId::NONE, PacketKind::Beacon);
    Packet { station: NodeId::BROADCAST, size: BEACON, enqueued_at: at, ..packet }
}
