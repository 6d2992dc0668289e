//! A medium with aggregation under the schedulers.

use super::{AirtimeDrr, RoundRobin, StationScheduler};
use crate::medium::{
    AirEvent, AirUsage, Associations, Attempt, Cell, CellContext, Listening, Medium, NextPpdu,
    Outcome, PhyMode, PhyModes, QueueLayout, Reception, Setup, Taken, TxQueueId, TxStatus,
    TxVector,
};
use crate::packet::{AccessCategory, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{Config, Queue, QueueLimit, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

const AP: NodeId = NodeId::ACCESS_POINT;
const LAYOUT: QueueLayout = QueueLayout::PerReceiver { categories: 1 };
/// Preamble, SIFS and Block Ack of a transmission.
const OVERHEAD: Duration = Duration::from_micros(80);

/// The access point transmits up to `most` packets of a queue together, as an A-MPDU. Each `lossy`th packet
/// is lost, and repeated in the next transmission to its station.
#[derive(Debug)]
struct Aggregating {
    most: usize,
    lossy: usize,
    /// By station.
    setup: Setup,
    sent: usize,
    queue: TxQueueId,
    /// What is on the air, from when to when, and how many of it have been reported.
    aggregate: Vec<Taken>,
    time: [Instant; 2],
    reported: usize,
    /// To repeat, by station.
    lost: [Vec<Taken>; 2],
    /// By station: airtime, transmissions, and the packets of the largest.
    airtimes: [Duration; 2],
    transmissions: [u64; 2],
    largest: [usize; 2],
}

impl Aggregating {
    fn new(most: usize, lossy: usize) -> Self {
        Self {
            most,
            lossy,
            setup: Setup {
                associations: Associations::one_cell(3),
                layout: LAYOUT,
                modes: PhyModes::new([54, 6].map(|mbps| TxVector::ofdm(Rate::from_mbps(mbps)))),
            },
            sent: 0,
            queue: TxQueueId(0),
            aggregate: Vec::new(),
            time: [Instant::ZERO; 2],
            reported: 0,
            lost: [Vec::new(), Vec::new()],
            airtimes: [Duration::ZERO; 2],
            transmissions: [0; 2],
            largest: [0; 2],
        }
    }

    /// The mode of the frames for a station.
    fn mode(station: usize) -> PhyMode {
        PhyMode(station as u16)
    }

    /// The number of the station of a queue of the access point.
    fn station(queue: TxQueueId) -> usize {
        LAYOUT.link(queue).unwrap().0.station() as usize
    }

    fn airtime(&self, station: usize, packets: &[Taken]) -> Duration {
        let bytes: u32 = packets.iter().map(|packet| packet.bytes).sum();
        OVERHEAD + self.setup.modes.rate(Self::mode(station)).time_for(bytes.into())
    }

    fn begin(&mut self, now: Instant, cell: &mut impl CellContext) {
        let holds = |queue| !self.lost[Self::station(queue)].is_empty();
        let category = AccessCategory::BestEffort;
        let chosen = cell.next_queue(now, AP, category, holds, |_| NextPpdu::SINGLE);
        let Some(queue) = chosen else { return };
        let station = Self::station(queue);
        self.aggregate.append(&mut self.lost[station]);
        while self.aggregate.len() < self.most {
            let Some(taken) = cell.take(now, queue, u32::MAX) else { break };
            self.aggregate.push(taken);
        }
        self.queue = queue;
        self.time = [now, now + self.airtime(station, &self.aggregate)];
        self.reported = 0;
    }

    /// The Block Ack has been received.
    fn end(&mut self, cell: &mut impl CellContext) {
        let ([start, now], station) = (self.time, Self::station(self.queue));
        let airtime = now.since(start);
        let packet = self.aggregate[0].packet;
        let (backoff, to) = (Duration::ZERO, self.aggregate[0].to);
        let (sent_data, outcome) = (true, Outcome::Delivered);
        cell.on_air(AirEvent::Outcome(Attempt {
            at: now,
            packet,
            from: AP,
            station: to,
            mode: None,
            space: Duration::ZERO,
            has_backoff: true,
            backoff,
            airtime,
            sent_data,
            outcome,
        }));
        self.airtimes[station] += airtime;
        self.transmissions[station] += 1;
        self.largest[station] = self.largest[station].max(self.aggregate.len());
        for packet in self.aggregate.drain(..) {
            self.sent += 1;
            if self.sent.is_multiple_of(self.lossy) {
                self.lost[station].push(packet);
            } else {
                cell.release(now, packet.packet, TxStatus::Delivered);
            }
        }
    }
}

impl Medium for Aggregating {
    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn is_idle(&self, _: TxQueueId) -> bool {
        false
    }

    fn wake(&mut self, now: Instant, _: TxQueueId, _: Option<Taken>, cell: &mut impl CellContext) {
        if self.aggregate.is_empty() {
            self.begin(now, cell);
        }
    }

    fn listen(&mut self, _: Listening) {}

    fn poll_at(&self) -> Instant {
        if self.aggregate.is_empty() { Instant::NEVER } else { self.time[1] }
    }

    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        while self.poll_at() < limit.min(cell.wake_at()) {
            let (at, next) = (self.time[1], self.sent + self.reported + 1);
            let mode = Self::mode(Self::station(self.queue));
            if let Some(&Taken { packet, to, .. }) = self.aggregate.get(self.reported) {
                self.reported += 1;
                if !next.is_multiple_of(self.lossy) {
                    return Some(Reception { at, packet, from: AP, to, mode });
                }
            } else {
                self.end(cell);
                self.begin(at, cell);
            }
        }
        None
    }

    fn usage(&self, _now: Instant, _node: NodeId) -> AirUsage {
        AirUsage::default()
    }

    fn traffic_airtime(&self, _now: Instant, _node: NodeId) -> Duration {
        Duration::ZERO
    }
}

/// Two stations for which more waits than a transmission can have, over `turns` arrivals. Calls `check`
/// after each.
fn saturate(
    medium: Aggregating,
    scheduler: Box<dyn StationScheduler>,
    arrivals: usize,
    check: impl Fn(&Aggregating),
) -> Cell<Aggregating> {
    let queue = |index| {
        let stream = RngStream::new(1, StreamId::Queue, index);
        TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(1000), stream))
    };
    let waiting = 2 * medium.most;
    let queues = (0..LAYOUT.count(&Associations::one_cell(3)).into()).map(queue).collect();
    let mut cell = Cell::new(medium, queues, vec![None, None, None]);
    cell = cell.with_schedulers(vec![scheduler]);
    let packet = |station, enqueued_at| {
        let packet = Packet::new(FlowId(0), PacketKind::Datagram);
        Packet { station, size: 1500, enqueued_at, ..packet }
    };
    for station in [1, 2].map(NodeId) {
        for _ in 0..waiting {
            cell.send(Instant::ZERO, AP, packet(station, Instant::ZERO));
        }
    }
    for _ in 0..arrivals {
        let arrival = cell.poll(Instant::NEVER).unwrap();
        check(cell.medium());
        cell.send(arrival.at, AP, packet(arrival.to, arrival.at));
    }
    cell
}

/// Aggregation and airtime fairness compose: the airtimes of a fast and a slow station differ by less than
/// a quantum and a transmission, as those of single frames do (`airtime_drr.rs`), whatever the length of
/// aggregates and also if packets are repeated.
#[test]
fn aggregates_share_airtime() {
    for (most, quantum_us) in [(1, 300), (4, 300), (16, 300), (64, 300), (64, 4000), (7, 50_000)] {
        for lossy in [usize::MAX, 10] {
            let quantum = Duration::from_micros(quantum_us);
            let scheduler = Box::new(AirtimeDrr::new(&[quantum; 2]));
            let medium = Aggregating::new(most, lossy);
            let longest =
                OVERHEAD + medium.setup.modes.rate(PhyMode(1)).time_for(1500 * most as u64);
            let cell = saturate(medium, scheduler, 10_000, |medium| {
                let [fast, slow] = medium.airtimes.map(|airtime| airtime.as_nanos());
                let bound = (quantum + longest).as_nanos();
                assert!(fast.abs_diff(slow) < bound, "{most} packets: {fast} and {slow} ns");
            });
            assert_eq!(cell.medium().largest, [most; 2]);
        }
    }
}

/// In round robin both stations have the same number of transmissions.
#[test]
fn aggregates_take_turns() {
    let scheduler = Box::new(RoundRobin::new(2));
    let cell = saturate(Aggregating::new(16, 10), scheduler, 5000, |medium| {
        let [fast, slow] = medium.transmissions;
        assert!(fast.abs_diff(slow) <= 1, "{fast} and {slow}");
    });
    assert_eq!(cell.medium().largest, [16; 2]);
}
