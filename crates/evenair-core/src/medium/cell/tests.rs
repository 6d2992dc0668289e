//! A cell with a medium that sends each packet in a microsecond.

use std::cell::Cell as Mutable;
use std::rc::Rc;

use crate::loss::{
    self, FrameKind, IndependentConfig, Level, LinkLoss, LossDirection, LossRateConfig,
    LossyFrames, ScopeConfig,
};
use crate::medium::{
    AirUsage, Associations, Cell, CellContext, CellPacket, Listening, Medium, PhyMode, PhyModes,
    QueueLayout, Reception, Setup, Taken, Transmission, TxQueueId, TxStatus, TxVector,
};
use crate::packet::{AccessCategory, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{Config, Queue, QueueLimit, TbfConfig, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

type Largest = Mutable<u32>;

const MODE: PhyMode = PhyMode(0);

/// Takes packets of up to `largest` bytes in the order of the queues, and asks for each frame whether it
/// is corrupted.
#[derive(Debug)]
struct Stub {
    setup: Setup,
    largest: Rc<Largest>,
    now: Instant,
    ends: Vec<(TxQueueId, Taken)>,
    /// Nodes whose frames were corrupted.
    corrupted: Vec<NodeId>,
}

impl Medium for Stub {
    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn is_idle(&self, _: TxQueueId) -> bool {
        false
    }

    fn wake(&mut self, now: Instant, _: TxQueueId, _: Option<Taken>, _: &mut impl CellContext) {
        self.now = self.now.max(now);
    }

    fn listen(&mut self, _: Listening) {}

    fn poll_at(&self) -> Instant {
        if self.ends.is_empty() { Instant::NEVER } else { self.now }
    }

    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        for queue in (0..3).map(TxQueueId) {
            while let Some(taken) = cell.take(self.now, queue, self.largest.get()) {
                self.ends.push((queue, taken));
            }
        }
        while self.poll_at() < limit.min(cell.wake_at()) {
            let (queue, taken) = self.ends.remove(0);
            let from = NodeId(queue.0);
            self.now += Duration::from_micros(1);
            let direction = self.setup.associations.direction_from(from);
            let station = if from.is_access_point() { taken.to } else { from };
            let (kind, at, bytes) = (FrameKind::Data, self.now, taken.bytes);
            let frame = Transmission { kind, at, station, direction, mode: MODE, bytes };
            if cell.no_loss_before(station) <= at && cell.is_corrupted(&frame) {
                self.corrupted.push(from);
                cell.release(self.now, taken.packet, TxStatus::Dropped);
                continue;
            }
            return Some(Reception { at, packet: taken.packet, from, to: taken.to, mode: MODE });
        }
        None
    }

    fn usage(&self, _now: Instant, node: NodeId) -> AirUsage {
        AirUsage { attempts: u64::from(node.0), ..AirUsage::default() }
    }

    fn traffic_airtime(&self, _now: Instant, node: NodeId) -> Duration {
        Duration::from_nanos(node.0.into())
    }
}

/// The access point and two stations; the link of the first has these losses.
fn cell(config: &Config, loss: Option<LinkLoss>, largest: &Rc<Largest>) -> Cell<Stub> {
    let rng = || RngStream::new(1, StreamId::Queue, 0);
    let queue = || TxQueue::new(Queue::new(config, QueueLimit::Packets(10), rng()));
    let (now, ends, corrupted) = (Instant::ZERO, Vec::new(), Vec::new());
    let setup = Setup {
        associations: Associations::one_cell(3),
        layout: QueueLayout::PerNode,
        modes: PhyModes::new([TxVector::dsss(Rate::from_mbps(11))]),
    };
    let stub = Stub { setup, largest: Rc::clone(largest), now, ends, corrupted };
    Cell::new(stub, (0..3).map(|_| queue()).collect(), vec![None, loss, None])
}

fn packet(station: u32, size: u32) -> Packet {
    Packet { station: NodeId(station), size, ..Packet::new(FlowId(station), PacketKind::Data) }
}

/// The sender, the receiver and whether the packet was lost, for a packet from the access point to each
/// station and back.
fn exchanges(level: Level, direction: LossDirection) -> (Vec<(u32, u32, bool)>, Cell<Stub>) {
    let scope = ScopeConfig { level, frames: LossyFrames::All, direction };
    let loss = LossRateConfig { rate: 1.0_f64.next_down() };
    let loss: loss::Config = IndependentConfig { loss, scope }.into();
    let loss = LinkLoss::new(&loss, 1, StreamId::FrameErrors, 0);
    let mut cell = cell(&Config::default(), Some(loss), &Rc::new(Largest::new(u32::MAX)));
    for (from, station) in [(0, 1), (0, 2), (1, 1), (2, 2)] {
        cell.send(Instant::ZERO, NodeId(from), packet(station, 1500));
    }
    let mut arrivals = Vec::new();
    while let Some(arrival) = cell.poll(Instant::NEVER) {
        arrivals.push((arrival.from.0, arrival.to.0, arrival.lost));
    }
    (arrivals, cell)
}

/// A lost packet has arrived, and goes no further; each link has its own losses, in its directions.
#[test]
fn packets_are_lost_on_their_link_in_its_direction() {
    for (direction, down, up) in [
        (LossDirection::Both, true, true),
        (LossDirection::Down, true, false),
        (LossDirection::Up, false, true),
    ] {
        let (arrivals, cell) = exchanges(Level::Ip, direction);
        assert_eq!(arrivals, [(0, 1, down), (0, 2, false), (1, 0, up), (2, 0, false)]);
        let losses = [0, 1, 2].map(|node| cell.residual_losses(NodeId(node)));
        assert_eq!(losses, [0, u64::from(down) + u64::from(up), 0]);
        assert_eq!(cell.medium().corrupted, []);
    }
}

/// A frame that the medium sends is corrupted or not; a packet that arrives is never lost.
#[test]
fn frames_are_corrupted_on_their_link_in_its_direction() {
    for (direction, down, up) in [
        (LossDirection::Both, true, true),
        (LossDirection::Down, true, false),
        (LossDirection::Up, false, true),
    ] {
        let (arrivals, mut cell) = exchanges(Level::Mac, direction);
        let corrupted: Vec<u32> = cell.medium().corrupted.iter().map(|node| node.0).collect();
        let expected = [(0, down), (1, up)].into_iter().filter(|(_, lost)| *lost);
        assert_eq!(corrupted, expected.map(|(node, _)| node).collect::<Vec<_>>());
        assert_eq!(arrivals.len() + corrupted.len(), 4);
        assert!(arrivals.iter().all(|(.., lost)| !lost));
        assert_eq!([0, 1, 2].map(|node| cell.residual_losses(NodeId(node))), [0; 3]);
        cell.reset_stats(Instant::ZERO);
        let attempts = cell.usage(Instant::ZERO, NodeId(2)).attempts;
        assert_eq!((cell.nodes(), attempts), (3, 2));
    }
}

/// Packets are of best effort. A layout with one category has a queue for packets of each.
#[test]
fn one_category_has_all_packets() {
    let layout = QueueLayout::PerReceiver { categories: 1 };
    let link = Associations::one_cell(3).link(NodeId(2), NodeId::ACCESS_POINT);
    assert_eq!(packet(2, 1500).access_category(), AccessCategory::BestEffort);
    for category in [AccessCategory::BestEffort, AccessCategory::Voice] {
        assert_eq!(layout.queue(NodeId(2), link, category), TxQueueId(3));
    }
}

#[test]
fn a_reset_forgets_losses() {
    let (_, mut cell) = exchanges(Level::Ip, LossDirection::Both);
    cell.reset_stats(Instant::ZERO);
    assert_eq!(cell.residual_losses(NodeId(1)), 0);
}

/// A packet that is larger than the medium asks for stays the next one of its queue, and of no other.
#[test]
fn a_packet_that_is_too_large_stays_the_next() {
    let largest = Rc::new(Largest::new(1000));
    let mut cell = cell(&Config::default(), None, &largest);
    cell.send(Instant::ZERO, NodeId(0), packet(1, 1500));
    cell.send(Instant::ZERO, NodeId(0), packet(2, 100));
    cell.send(Instant::ZERO, NodeId(2), packet(2, 200));
    let sizes = |cell: &mut Cell<Stub>| {
        std::iter::from_fn(|| cell.poll(Instant::NEVER)).map(|a| a.packet.size).collect::<Vec<_>>()
    };
    assert_eq!(sizes(&mut cell), [200]);
    largest.set(2000);
    cell.send(Instant::ZERO, NodeId(0), packet(2, 300));
    assert_eq!(sizes(&mut cell), [1500, 100, 300]);
    assert_eq!(cell.queues()[0].backlog().packets(), 0);
}

/// By hand: a bucket of 1000 bytes and 8 kb/s, which is a byte each millisecond. Of two packets of 600
/// bytes the second has 400 tokens, and leaves after 200 ms; that of the other node does not wait.
#[test]
fn a_shaper_wakes_the_medium() {
    let mut cell =
        cell(&TbfConfig { rate: 8000, burst: 1000 }.into(), None, &Rc::new(Largest::new(u32::MAX)));
    for node in [1, 1, 2] {
        cell.send(Instant::ZERO, NodeId(node), packet(node, 600));
    }
    let early = Instant::ZERO + Duration::from_millis(200);
    let mut from = Vec::new();
    while let Some(arrival) = cell.poll(early) {
        from.push(arrival.from.0);
    }
    assert_eq!(from, [1, 2]);
    assert_eq!(cell.poll_at(), early);
    let late =
        cell.poll(early + Duration::from_millis(1)).map(|arrival| (arrival.from.0, arrival.at));
    assert_eq!(late, Some((1, early + Duration::from_micros(1))));
    assert_eq!(cell.poll_at(), Instant::NEVER);
}
