//! Disciplines that use the time: tests of their rules, and step-by-step comparisons with a slow
//! model written from the text of the RFC. Models search plain lists and share no code with the
//! disciplines.

mod codel;
mod dualpi2;
mod fq_codel;
mod fq_tins;
mod pie;
mod pie_linux;
mod tbf;

use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::model::Account;
use super::*;
use crate::component::{Parameters, Value};
use crate::packet::{ConnectionId, Ecn};
use crate::queue::QueueItem;

const MS: u64 = 1_000_000;

/// The actions of a queue in one step.
#[derive(Clone, Debug, Default, PartialEq)]
struct Outcome {
    returned: Option<Packet>,
    dropped: Vec<Dropped<Packet>>,
    marked: u64,
}

impl Outcome {
    fn drop(&mut self, packet: Packet, reason: DropReason) {
        self.dropped.push(Dropped { packet, reason });
    }

    /// Marks `packet` if its transport supports ECN. Returns whether it does.
    fn mark(&mut self, packet: &mut Packet) -> bool {
        if packet.ecn == Ecn::NotEct {
            return false;
        }
        packet.ecn = Ecn::Ce;
        self.marked += 1;
        true
    }
}

/// A plain model of a discipline.
trait Model {
    /// `packet` arrives while `in_service` are in transmission.
    fn arrive(&mut self, now: u64, packet: Packet, in_service: &[Packet]) -> Outcome;

    /// The transmitter requests a packet.
    fn serve(&mut self, now: u64) -> Outcome;
}

/// Whether `packet` fits in addition to the packets held.
fn fits<'a>(limit: QueueLimit, held: impl Iterator<Item = &'a Packet>, packet: &Packet) -> bool {
    match limit {
        QueueLimit::Packets(limit) => held.count() < limit as usize,
        QueueLimit::Bytes(limit) => {
            held.map(|p| u64::from(p.size)).sum::<u64>() + u64::from(packet.size) <= limit
        }
        QueueLimit::Unlimited => true,
    }
}

/// The events at a queue at one time.
#[derive(Clone, Debug)]
struct Step {
    /// Nanoseconds since the last step.
    gap: u64,
    arrivals: Vec<Packet>,
    /// Whether all transmissions end.
    is_done: bool,
    serves: u32,
}

fn any_packet() -> impl Strategy<Value = Packet> {
    use PacketKind::{Ack, Data, Datagram};
    let data = (prop::sample::select(vec![Data, Data, Datagram]), 200..1501_u32);
    let large = (Just(Data), Just(1500_u32));
    let ack = (Just(Ack), 40..61_u32);
    let ecn = prop_oneof![
        3 => Just(Ecn::NotEct),
        2 => Just(Ecn::Ect0),
        1 => Just(Ecn::Ce),
    ];
    (prop_oneof![data, large, ack], 0..5_u32, 0..2_u8, ecn).prop_map(
        |((kind, size), flow, connection, ecn)| Packet {
            connection,
            ecn,
            ..packet(flow, kind, size)
        },
    )
}

/// A period with constant arrival and departure rates.
fn any_phase() -> impl Strategy<Value = Vec<Step>> {
    // On a grid, so that events coincide, or off it.
    let pace = prop_oneof![
        prop::sample::select(vec![0, MS, 5 * MS, 15 * MS, 50 * MS, 100 * MS])
            .prop_map(|gap| gap..gap + 1),
        prop::sample::select(vec![MS / 5, 2 * MS, 8 * MS, 30 * MS])
            .prop_map(|gap| gap / 2..gap * 3 / 2),
    ];
    let idle = prop::sample::select(vec![0, 0, 0, 20 * MS, 400 * MS, 5_000 * MS]);
    (pace, idle, 0..4_usize, 0..3_u32).prop_flat_map(|(pace, idle, arrivals, serves)| {
        let arrivals = prop::collection::vec(any_packet(), 0..=arrivals);
        let step = (pace, arrivals, prop::bool::weighted(0.8), 0..=serves);
        let step = step.prop_map(|(gap, arrivals, is_done, serves)| Step {
            gap,
            arrivals,
            is_done,
            serves,
        });
        prop::collection::vec(step, 1..60).prop_map(move |mut steps| {
            steps[0].gap += idle;
            steps
        })
    })
}

/// Bursts, overload, underload and idle periods.
fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any_phase(), 1..8).prop_map(|phases| phases.concat())
}

fn any_limit() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        1 => (1..12_u32).prop_map(QueueLimit::Packets),
        3 => (20..200_u32).prop_map(QueueLimit::Packets),
        1 => (1500..60_000_u64).prop_map(QueueLimit::Bytes),
    ]
}

fn config(cases: u32) -> ProptestConfig {
    evenair_testing::config!(cases)
}

/// The discipline called `name`, with those parameters.
fn discipline(name: &str, parameters: &[(&str, Value)]) -> Config {
    let mut config = Config::from_name(name).unwrap();
    for (name, value) in parameters {
        assert!(config.assign(name, value.clone()), "{name}");
    }
    config
}

/// The random stream of all queues here.
fn stream() -> RngStream {
    RngStream::new(1, StreamId::Queue, 0)
}

/// Counts of events that a test requires to have occurred.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    left: usize,
    dropped_on_arrival: usize,
    dropped_on_departure: usize,
    evicted: usize,
    marked: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.left += other.left;
        self.dropped_on_arrival += other.dropped_on_arrival;
        self.dropped_on_departure += other.dropped_on_departure;
        self.evicted += other.evicted;
        self.marked += other.marked;
    }
}

/// Applies the same steps to a discipline and its model, then empties them.
fn compare(
    discipline: &Config,
    limit: QueueLimit,
    model: &mut dyn Model,
    steps: &[Step],
) -> Result<Tally, TestCaseError> {
    let mut queue = Queue::new(discipline, limit, stream());
    let mut account = Account::default();
    let mut tally = Tally::default();
    let mut now = 0;
    let last = Step { gap: 40 * MS, arrivals: vec![], is_done: true, serves: 1 };
    let mut number = 0;
    for step in steps.iter().chain(std::iter::repeat(&last)) {
        if std::ptr::eq(step, &last) && account.waiting.is_empty() {
            break;
        }
        now += step.gap;
        if step.is_done {
            for packet in account.in_service.drain(..) {
                queue.transmitted(packet.size);
            }
        }
        for &packet in &step.arrivals {
            // The number makes each packet unique, whatever its ECN field.
            let packet = Packet { enqueued_at: Instant::from_nanos(now), seq: number, ..packet };
            number += 1;
            let mut actions = ActionLog::new();
            queue.enqueue(Instant::from_nanos(now), packet, &mut actions);
            let got = Outcome { returned: None, dropped: actions.dropped, marked: actions.marked };
            account.arrived.push(packet);
            account.waiting.push(packet);
            settle(&mut account, &mut tally, &got)?;
            prop_assert_eq!(got, model.arrive(now, packet, &account.in_service));
            account.check(&queue, limit)?;
        }
        for _ in 0..step.serves {
            let ready_at = queue.ready_at();
            prop_assert_eq!(ready_at == Instant::NEVER, account.waiting.is_empty());
            let mut actions = ActionLog::new();
            let returned = queue.dequeue(Instant::from_nanos(now), &mut actions);
            let got = Outcome { returned, dropped: actions.dropped, marked: actions.marked };
            prop_assert_eq!(
                returned.is_some(),
                ready_at.as_nanos() <= now,
                "ready at {}",
                ready_at
            );
            settle(&mut account, &mut tally, &got)?;
            prop_assert_eq!(got, model.serve(now));
            account.check(&queue, limit)?;
        }
    }
    check_order(&account.left)?;
    Ok(tally)
}

/// Updates the counts with the actions of a queue.
fn settle(account: &mut Account, tally: &mut Tally, got: &Outcome) -> Result<(), TestCaseError> {
    let original = |packet: &Packet| {
        let arrived = account.arrived[packet.seq as usize];
        prop_assert_eq!(Packet { ecn: arrived.ecn, ..*packet }, arrived, "altered");
        if packet.ecn != arrived.ecn {
            prop_assert!(matches!(arrived.ecn, Ecn::Ect0 | Ecn::Ect1) && packet.ecn == Ecn::Ce);
        }
        Ok(arrived)
    };
    let returned = got.returned.as_ref().map(original).transpose()?;
    let mut dropped = vec![];
    for lost in &got.dropped {
        dropped.push(Dropped { packet: original(&lost.packet)?, reason: lost.reason });
        match lost.reason {
            DropReason::OnArrival => tally.dropped_on_arrival += 1,
            DropReason::OnDeparture => tally.dropped_on_departure += 1,
            DropReason::Evicted => tally.evicted += 1,
            DropReason::Superseded => prop_assert!(false, "nothing supersedes here"),
        }
    }
    account.discard(&dropped)?;
    if let Some(packet) = returned {
        let place = account.waiting.iter().position(|p| *p == packet);
        prop_assert!(place.is_some(), "returned, but not waiting: {packet:?}");
        account.waiting.remove(place.unwrap());
        account.in_service.push(packet);
        account.left.push(packet);
        tally.left += 1;
    }
    tally.marked += got.marked;
    Ok(())
}

/// The packets of a connection leave in order of arrival.
fn check_order(left: &[Packet]) -> Result<(), TestCaseError> {
    let mut connections: Vec<ConnectionId> = left.iter().map(QueueItem::connection).collect();
    connections.sort();
    connections.dedup();
    for connection in connections {
        let of_connection = left.iter().filter(|p| p.connection() == connection);
        let numbers: Vec<u64> = of_connection.map(|p| p.seq).collect();
        prop_assert!(numbers.is_sorted(), "{connection:?} left in the order {numbers:?}");
    }
    Ok(())
}

/// A queue and the current time in nanoseconds.
struct Bench {
    queue: Queue<Packet>,
    now: u64,
}

impl Bench {
    fn new(discipline: &Config, limit: QueueLimit) -> Self {
        Self { queue: Queue::new(discipline, limit, stream()), now: 0 }
    }

    /// The actions when `packet` arrives now.
    fn arrive(&mut self, packet: Packet) -> Outcome {
        let now = Instant::from_nanos(self.now);
        let mut actions = ActionLog::new();
        self.queue.enqueue(now, Packet { enqueued_at: now, ..packet }, &mut actions);
        Outcome { returned: None, dropped: actions.dropped, marked: actions.marked }
    }

    /// The actions when the transmitter requests a packet at `time`; its transmission ends at once.
    fn serve(&mut self, time: u64) -> Outcome {
        self.now = time;
        let mut actions = ActionLog::new();
        let returned = self.queue.dequeue(Instant::from_nanos(time), &mut actions);
        if let Some(packet) = returned {
            self.queue.transmitted(packet.size);
        }
        Outcome { returned, dropped: actions.dropped, marked: actions.marked }
    }

    /// The flow whose packet leaves at `time`.
    fn flow_at(&mut self, time: u64) -> Option<u32> {
        self.serve(time).returned.map(|packet| packet.flow.0)
    }
}

fn data(flow: u32, seq: u64, size: u32) -> Packet {
    Packet { seq, ..packet(flow, PacketKind::Data, size) }
}

fn capable(packet: Packet) -> Packet {
    Packet { ecn: Ecn::Ect0, ..packet }
}
