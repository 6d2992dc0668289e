//! What the parts of a run cost, each by itself: queue disciplines, contention, frames of an 802.16
//! cell, TCP, random numbers. `cargo bench -p evenair-core` takes half a minute.
#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use std::collections::VecDeque;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use evenair_core::congestion::{self, Controller};
use evenair_core::medium::wimax::{Wimax, WimaxConfig, phy::OfdmPhy};
use evenair_core::medium::wlan::phy::{LONG_PREAMBLE, Phy};
use evenair_core::medium::wlan::{ControlRate, Dcf, DcfConfig, StationConfig};
use evenair_core::medium::{Associations, Cell};
use evenair_core::packet::{FlowId, NodeId, Packet, PacketKind};
use evenair_core::queue::{
    ActionLog, Config, DropTailConfig, Filtering, LasConfig, Queue, QueueDiscipline, QueueLimit,
    Service, SpmAfConfig, TxQueue,
};
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::tcp::{AckAction, Receiver, RttEstimator, Sender, TcpPreset};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

/// Flows whose packets share the queue: five downloads and the ACKs of five uploads.
const FLOWS: u64 = 10;
const SEGMENT: u32 = 1460;

/// Packet number `n` of an endless mix: every other one an acknowledgement, flows in turn.
fn packet(n: u64) -> Packet {
    let flow = n % FLOWS;
    let ack = flow.is_multiple_of(2);
    let payload = if ack { 0 } else { SEGMENT };
    Packet {
        high_priority: n.is_multiple_of(16),
        size: payload + 40,
        payload: payload as u16,
        seq: n / FLOWS * u64::from(SEGMENT),
        ..Packet::new(FlowId(flow as u32), if ack { PacketKind::Ack } else { PacketKind::Data })
    }
}

/// One packet in and one out while some sixty wait.
fn queues(c: &mut Criterion) {
    let spm_af = |filtering| Config::from(SpmAfConfig { filtering });
    let las = |service| Config::from(LasConfig { service, ..LasConfig::default() });
    let disciplines = [
        ("droptail", Config::from(DropTailConfig {})),
        ("spm-af, tail", spm_af(Filtering::Tail)),
        ("spm-af, head", spm_af(Filtering::Head)),
        ("las, sequence", las(Service::Sequence)),
        ("las, bytes", las(Service::Bytes)),
    ];
    let mut group = c.benchmark_group("queue/enqueue+dequeue at 60 packets");
    for (name, config) in disciplines {
        group.bench_function(name, |b| {
            let mut queue =
                Queue::new(&config, QueueLimit::Packets(60), RngStream::new(1, StreamId::Queue, 0));
            let mut n = 0;
            let mut actions = ActionLog::new();
            let mut offer = |queue: &mut Queue<Packet>, actions: &mut ActionLog<Packet>| {
                let now = Instant::from_nanos(n * 1_000_000);
                queue.enqueue(now, packet(n), actions);
                actions.dropped.clear();
                n += 1;
                now
            };
            for _ in 0..60 {
                offer(&mut queue, &mut actions);
            }
            b.iter(|| {
                let now = offer(&mut queue, &mut actions);
                if let Some(packet) = queue.dequeue(now, &mut actions) {
                    queue.transmitted(black_box(packet.size));
                }
            });
        });
    }
    group.finish();
}

/// One contention round, a success or a collision, of stations that always have a frame.
fn contention(c: &mut Criterion) {
    let mut group = c.benchmark_group("dcf/round of saturated stations");
    for stations in [10, 100, 1000] {
        group.throughput(Throughput::Elements(1));
        group.bench_with_input(BenchmarkId::from_parameter(stations), &stations, |b, &stations| {
            let mut cell = SaturatedCell::new(stations);
            // Past the start, when all have the smallest window.
            for _ in 0..20 * stations {
                cell.round();
            }
            b.iter(|| cell.round());
        });
    }
    group.finish();
}

struct SaturatedCell(Cell<Dcf>);

impl SaturatedCell {
    fn new(stations: u32) -> Self {
        let config =
            DcfConfig::new(Phy::dot11b(LONG_PREAMBLE), ControlRate::Fixed(Rate::from_mbps(2)));
        let node = StationConfig::fixed(&config.phy, Rate::from_mbps(11));
        let nodes = vec![node; stations as usize + 1];
        let queue = |node| {
            let rng = RngStream::new(1, StreamId::Queue, node);
            TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(60), rng))
        };
        let queues = (0..=u64::from(stations)).map(queue).collect();
        let losses = (0..=stations).map(|_| None).collect();
        let mut cell = Cell::new(Dcf::new(config, &nodes, 1), queues, losses);
        for station in 1..=stations {
            // One for the MAC, and one that waits.
            cell.send(Instant::ZERO, NodeId(station), packet(1));
            cell.send(Instant::ZERO, NodeId(station), packet(1));
        }
        Self(cell)
    }

    /// From one reception to the next; the sender of the packet gets another one.
    fn round(&mut self) {
        if let Some(arrival) = self.0.poll(Instant::NEVER) {
            let packet = Packet { enqueued_at: arrival.at, ..packet(1) };
            self.0.send(arrival.at, arrival.from, packet);
        }
    }
}

/// A packet of downloads that fill every frame: 6.3 in a frame of 5 ms.
fn frames(c: &mut Criterion) {
    let mut group = c.benchmark_group("wimax/packet of saturated downloads");
    for stations in [1, 6] {
        group.throughput(Throughput::Elements(1));
        group.bench_with_input(BenchmarkId::from_parameter(stations), &stations, |b, &stations| {
            let mut cell = saturated_downlink(stations);
            b.iter(|| {
                if let Some(arrival) = cell.poll(Instant::NEVER) {
                    let packet = Packet { enqueued_at: arrival.at, ..arrival.packet };
                    cell.send(arrival.at, NodeId::ACCESS_POINT, packet);
                }
            });
        });
    }
    group.finish();
}

/// A cell with 40 packets for each station.
fn saturated_downlink(stations: u32) -> Cell<Wimax> {
    let config = WimaxConfig::new(OfdmPhy::default());
    let bytes_per_symbol = vec![config.bytes_per_symbol; stations as usize];
    let medium = Wimax::new(config, &bytes_per_symbol, 1).expect("the frame has room");
    let queue = |index| {
        let rng = RngStream::new(1, StreamId::Queue, index);
        TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(50), rng))
    };
    let queues = (0..u64::from(Wimax::LAYOUT.count(&Associations::one_cell(stations + 1))))
        .map(queue)
        .collect();
    let mut cell = Cell::new(medium, queues, (0..=stations).map(|_| None).collect());
    for station in (1..=stations).map(NodeId) {
        for _ in 0..40 {
            let data = Packet::new(FlowId(0), PacketKind::Data);
            cell.send(Instant::ZERO, NodeId::ACCESS_POINT, Packet { station, size: 1064, ..data });
        }
    }
    cell
}

/// A data segment's whole life in both ends of a connection, with an ACK for every second one, on a
/// path that loses nothing, or one segment in a hundred.
fn tcp(c: &mut Criterion) {
    let mut group = c.benchmark_group("tcp/segment");
    group.throughput(Throughput::Elements(1));
    for (name, loss_every) in [("without loss", u64::MAX), ("one in 100 lost", 100)] {
        group.bench_function(name, |b| {
            let mut connection = Connection::new(loss_every);
            b.iter(|| connection.segment());
        });
    }
    group.finish();
}

struct Connection {
    sender: Sender,
    receiver: Receiver,
    /// Segments on the way: first byte and payload.
    path: VecDeque<(u64, u32)>,
    now: Instant,
    sent: u64,
    loss_every: u64,
}

impl Connection {
    fn new(loss_every: u64) -> Self {
        let config = TcpPreset::Ns2.config(SEGMENT);
        let newreno = congestion::Config::default();
        let mut connection = Self {
            sender: Sender::new(config, SEGMENT, u64::MAX, Controller::new(&newreno)),
            receiver: Receiver::new(config, SEGMENT),
            path: VecDeque::with_capacity(64),
            now: Instant::ZERO,
            sent: 0,
            loss_every,
        };
        let mut rtt = RttEstimator::new(config.rto, config.initial_rto, config.min_rto);
        rtt.sample(Duration::from_millis(10));
        connection.sender.establish(Instant::ZERO, rtt, true);
        connection
    }

    /// Lets the oldest segment arrive, or a timer expire where none is left.
    fn segment(&mut self) {
        self.now += Duration::from_millis(1);
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.sent += 1;
            if !self.sent.is_multiple_of(self.loss_every) {
                self.path.push_back((segment.seq, segment.payload));
            }
        }
        if let Some((seq, payload)) = self.path.pop_front() {
            if let AckAction::Ack(ack) = self.receiver.on_segment(self.now, seq, payload) {
                self.sender.on_ack(self.now, ack, &[]);
            }
        } else {
            self.now = self.sender.timer_at().min(self.receiver.timer_at());
            if let Some(ack) = self.receiver.on_timer(self.now) {
                self.sender.on_ack(self.now, ack, &[]);
            } else {
                self.sender.on_timer(self.now);
            }
        }
    }
}

fn random(c: &mut Criterion) {
    let mut group = c.benchmark_group("random");
    let mut stream = RngStream::new(1, StreamId::Backoff, 1);
    group.bench_function("64 bits", |b| b.iter(|| stream.next_u64()));
    group.bench_function("backoff out of 0..=31", |b| b.iter(|| stream.up_to(black_box(31))));
    group.bench_function("exponential", |b| b.iter(|| stream.exponential(black_box(1.0))));
    group.finish();
}

criterion_group! {
    name = parts;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1))
        .sample_size(30);
    targets = queues, contention, frames, tcp, random
}
criterion_main!(parts);
