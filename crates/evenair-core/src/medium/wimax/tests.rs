//! [`Wimax`] against the plain model [`Oracle`] frame by frame, against an independent computation
//! of the PHY ([`phy`]) and the frame ([`accounting`]), and against the theory of binary backoff
//! ([`contention`]).

mod accounting;
mod capacity;
mod contention;
mod phy;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::oracle::{Burst, Departure, Oracle, Pdu, Setup, is_lost};
use super::phy::{CyclicPrefix, OfdmPhy};
use super::scheduler::{self, DrrConfig, RoundRobinConfig};
use super::{DlShare, FrameError, Maps, Wimax, WimaxConfig};
use crate::loss::FrameKind;
use crate::medium::{
    AirUsage, Cell, CellContext, Medium, QueueLayout, Reception, Taken, Transmission, TxQueueId,
    TxStatus,
};
use crate::packet::{Direction, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{self, Backlog, Limit, Queue, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// Usable bytes per symbol, BPSK 1/2 to 64QAM 3/4: 192 subcarriers of 1, 2, 4 or 6 bits times the
/// code rate, less the tail byte (8.3.3).
const BYTES_PER_SYMBOL: [u64; 7] = [11, 23, 35, 47, 71, 95, 107];

/// The medium of a [`Setup`].
pub(super) fn wimax(setup: &Setup) -> Result<Wimax, FrameError> {
    let prefix = match setup.prefix {
        4 => CyclicPrefix::Quarter,
        8 => CyclicPrefix::Eighth,
        16 => CyclicPrefix::Sixteenth,
        _ => CyclicPrefix::ThirtySecond,
    };
    let phy = OfdmPhy::new(setup.bandwidth, prefix, Duration::from_nanos(setup.frame)).unwrap();
    let (dl, ul) = (setup.ratio.0 as u32, setup.ratio.1 as u32);
    let (first, last) = setup.backoff;
    let config = WimaxConfig {
        dl_share: DlShare::Ratio { dl, ul },
        bytes_per_symbol: setup.bytes_per_symbol as u32,
        contention_slots: setup.contention_slots as u32,
        request_backoff: [first, last],
        t16: Duration::from_nanos(setup.t16),
        request_retries: setup.retries,
        maps: if setup.actual_maps { Maps::Actual } else { Maps::Maximum },
        piggyback: setup.piggyback,
        crc: setup.crc,
        scheduler: match setup.quantum {
            None => RoundRobinConfig::default().into(),
            Some(quantum) => scheduler::Config::from(DrrConfig { quantum }),
        },
        ..WimaxConfig::new(phy)
    };
    let stations: Vec<u32> = setup.stations.iter().map(|&bytes| bytes as u32).collect();
    Wimax::new(config, &stations, setup.seed)
}

/// A cell with the medium `medium` and drop-tail queues of the limits of `setup`.
pub(super) fn cell<M: Medium>(setup: &Setup, medium: M) -> Cell<M> {
    let nodes = setup.stations.len() as u32 + 1;
    let queue = |id: u32| {
        let up = !M::LAYOUT.sender(TxQueueId(id)).is_access_point();
        let limit = Limit::Packets(setup.limits[usize::from(up)] as u32);
        let stream = RngStream::new(1, StreamId::Queue, id.into());
        TxQueue::new(Queue::new(&queue::Config::default(), limit, stream))
    };
    let queues = (0..M::LAYOUT.count(nodes)).map(queue).collect();
    Cell::new(medium, queues, (0..nodes).map(|_| None).collect())
}

/// A packet to or from the station with this index.
pub(super) fn packet(at: Instant, station: usize, size: u32) -> Packet {
    let station = NodeId(station as u32 + 1);
    let packet = Packet::new(FlowId(0), PacketKind::Datagram);
    Packet { station, size, enqueued_at: at, ..packet }
}

/// The sender of a packet to or from the station with this index.
pub(super) fn sender(station: usize, up: bool) -> NodeId {
    if up { NodeId(station as u32 + 1) } else { NodeId::ACCESS_POINT }
}

/// The medium, with all that it does to its cell noted down. Losses are those of [`is_lost`].
struct Watched {
    wimax: Wimax,
    notes: Notes,
}

struct Notes {
    setup: Setup,
    pdus: Vec<Pdu>,
    departed: Vec<Departure>,
    /// PDUs that each station has sent, down and up.
    sent: Vec<[usize; 2]>,
    /// Packets taken from each queue.
    taken: Vec<usize>,
    /// By packet id: queue, number among those taken from it, and when it was received.
    in_service: Vec<(TxQueueId, usize, Option<Instant>)>,
}

/// A [`CellContext`] whose use is noted.
struct Context<'a, C> {
    cell: &'a mut C,
    notes: &'a mut Notes,
}

impl Notes {
    fn new(setup: &Setup) -> Self {
        let n = setup.stations.len();
        Self {
            setup: setup.clone(),
            pdus: Vec::new(),
            departed: Vec::new(),
            sent: vec![[0; 2]; n],
            taken: vec![0; 2 * n],
            in_service: Vec::new(),
        }
    }

    /// A packet of `in_service` leaves the cell.
    fn depart(&mut self, at: Instant, id: u32, received: bool) {
        let (queue, nth, _) = self.in_service[id as usize];
        let up = !Wimax::LAYOUT.sender(queue).is_access_point();
        let station = queue.0 as usize / 2;
        self.departed.push(Departure { at: at.as_nanos(), station, up, nth, received });
    }
}

impl<C: CellContext> CellContext for Context<'_, C> {
    fn backlog(&self, queue: TxQueueId) -> &Backlog {
        self.cell.backlog(queue)
    }
    fn wake_at(&self) -> Instant {
        self.cell.wake_at()
    }
    fn take(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken> {
        let taken = self.cell.take(now, queue, max_bytes)?;
        let (nth, id) = (&mut self.notes.taken[queue.0 as usize], taken.packet.0 as usize);
        let entry = (queue, *nth, None);
        *nth += 1;
        match self.notes.in_service.get_mut(id) {
            Some(place) => *place = entry,
            None => self.notes.in_service.push(entry),
        }
        Some(taken)
    }
    fn release(&mut self, now: Instant, packet: crate::medium::PacketId, status: TxStatus) {
        match self.notes.in_service[packet.0 as usize].2 {
            Some(received) => {
                assert_eq!(status, TxStatus::Delivered);
                assert_eq!(now, received, "released when it is received");
            }
            None => {
                assert_eq!(status, TxStatus::Dropped);
                self.notes.depart(now, packet.0, false);
            }
        }
        self.cell.release(now, packet, status);
    }
    fn no_loss_before(&self, _station: NodeId) -> Instant {
        Instant::ZERO
    }
    fn is_corrupted(&mut self, frame: &Transmission) -> bool {
        assert_eq!(frame.kind, FrameKind::Data);
        let (station, up) = (frame.station.index() - 1, frame.direction == Direction::Up);
        let at = frame.at.as_nanos();
        self.notes.pdus.push(Pdu { at, station, up, bytes: frame.bytes.into() });
        let sent = &mut self.notes.sent[station][usize::from(up)];
        *sent += 1;
        is_lost(&self.notes.setup, station, up, *sent - 1)
    }
}

impl Medium for Watched {
    const LAYOUT: QueueLayout = Wimax::LAYOUT;

    fn is_idle(&self, queue: TxQueueId) -> bool {
        self.wimax.is_idle(queue)
    }
    fn accept(&mut self, now: Instant, queue: TxQueueId, packet: Taken) {
        self.wimax.accept(now, queue, packet);
    }
    fn wake(&mut self, now: Instant, queue: TxQueueId, cell: &mut impl CellContext) {
        self.wimax.wake(now, queue, &mut Context { cell, notes: &mut self.notes });
    }
    fn poll_at(&self) -> Instant {
        self.wimax.poll_at()
    }
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        let context = &mut Context { cell, notes: &mut self.notes };
        let reception = self.wimax.poll(limit, context)?;
        let received = &mut self.notes.in_service[reception.packet.0 as usize].2;
        assert_eq!(received.replace(reception.at), None, "received once");
        self.notes.depart(reception.at, reception.packet.0, true);
        Some(reception)
    }
    fn usage(&self, now: Instant, node: NodeId) -> AirUsage {
        self.wimax.usage(now, node)
    }
    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration {
        self.wimax.traffic_airtime(now, node)
    }
}

/// When a packet arrives.
#[derive(Clone, Copy, Debug)]
enum Gap {
    /// That many nanoseconds after the one before.
    After(u64),
    /// At the next start of a frame.
    FrameStart,
}

#[derive(Clone, Debug)]
struct Case {
    setup: Setup,
    /// Time, station, whether it is sent up, and bytes.
    packets: Vec<(Gap, usize, bool, u32)>,
}

/// Both models of one case.
struct Pair {
    setup: Setup,
    oracle: Oracle,
    cell: Cell<Watched>,
    /// Start of the next frame.
    frame: u64,
}

impl Pair {
    fn poll(&mut self, limit: u64) {
        self.oracle.advance(limit);
        while self.cell.poll(Instant::from_nanos(limit)).is_some() {}
    }

    /// Does what happens before `limit`, and compares what each frame holds.
    fn advance(&mut self, limit: u64) -> Result<(), String> {
        while self.frame < limit {
            self.poll(self.frame + 1);
            self.compare_frame().map_err(|why| format!("frame at {} ns: {why}", self.frame))?;
            self.frame += self.setup.frame;
        }
        self.poll(limit);
        Ok(())
    }

    fn compare_frame(&self) -> Result<(), String> {
        let wimax = &self.cell.medium().wimax;
        let burst = |burst: &super::Burst| Burst {
            station: burst.station.index() - 1,
            up: burst.direction == Direction::Up,
            first: burst.first_symbol.into(),
            symbols: burst.symbols.into(),
            bytes: burst.bytes.into(),
            pdus: burst.pdus.into(),
            lost_bytes: burst.corrupted_bytes.into(),
        };
        same("bursts", wimax.bursts().iter().map(burst).collect(), self.oracle.bursts.clone())?;
        let (counts, expected) = (wimax.counts(), self.oracle.counts);
        let requests = counts.requests;
        same(
            "requests sent, collided, retried, given up",
            [requests.sent, requests.collided, requests.retried, requests.given_up],
            [expected.sent, expected.collided, expected.retried, expected.given_up],
        )?;
        same("symbols used", [counts.dl_symbols_used, counts.ul_symbols_used], expected.used)?;
        same(
            "symbols available",
            [counts.dl_symbols_available, counts.ul_symbols_available],
            expected.available,
        )
    }

    /// Compares all that has happened.
    fn compare_end(&mut self) -> Result<(), String> {
        let now = Instant::from_nanos(self.frame);
        let notes = &self.cell.medium().notes;
        let stations = 0..self.setup.stations.len();
        for (station, up) in
            stations.clone().flat_map(|station| [(station, false), (station, true)])
        {
            let of_queue = |pdus: &[Pdu]| -> Vec<Pdu> {
                pdus.iter().filter(|pdu| pdu.station == station && pdu.up == up).copied().collect()
            };
            let name = format!("station {station}, up {up}");
            same(&format!("{name}: PDUs"), of_queue(&notes.pdus), of_queue(&self.oracle.pdus))?;
            let queue = Wimax::LAYOUT.queue(sender(station, up), other_end(station, up), 0);
            let dropped = self.cell.queues()[queue.0 as usize].stats(now).drops.on_arrival;
            same(&format!("{name}: drops"), dropped, self.oracle.dropped(station, up))?;
        }
        let mut departed = [notes.departed.clone(), self.oracle.departed.clone()];
        departed.iter_mut().for_each(|list| list.sort());
        let [medium, oracle] = departed;
        same("departures", medium, oracle)?;
        for station in stations {
            let delays = self.cell.medium().wimax.grant_delays(NodeId(station as u32 + 1));
            let expected = self.oracle.grant_delays.iter().filter(|delay| delay.0 == station);
            let expected: Vec<u64> = expected.map(|delay| delay.1).collect();
            same(
                "grant delays: number, sum, largest",
                (delays.count(), delays.sum().as_nanos(), delays.max().as_nanos()),
                (
                    expected.len() as u64,
                    expected.iter().sum(),
                    expected.iter().max().copied().unwrap_or(0),
                ),
            )?;
        }
        Ok(())
    }
}

fn other_end(station: usize, up: bool) -> NodeId {
    sender(station, !up)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, medium: T, oracle: T) -> Result<(), String> {
    if medium == oracle {
        return Ok(());
    }
    Err(format!("{what}:\n medium {medium:?}\n oracle {oracle:?}"))
}

/// Whether a frame has room for a burst and a grant: a symbol and the one before it.
fn has_room(setup: &Setup) -> bool {
    setup.up_room() >= 2 && setup.down_room(1, 1) >= 2
}

fn compare(case: &Case) -> Result<(), String> {
    let setup = &case.setup;
    let wimax = match wimax(setup) {
        Ok(wimax) if has_room(setup) => wimax,
        Err(_) if !has_room(setup) => return Ok(()),
        other => return Err(format!("room {}, but {:?}", has_room(setup), other.err())),
    };
    let watched = Watched { wimax, notes: Notes::new(setup) };
    let cell = cell(setup, watched);
    let mut pair =
        Pair { oracle: Oracle::new(setup.clone()), setup: setup.clone(), cell, frame: 0 };
    let mut now = 0;
    for &(gap, station, up, bytes) in &case.packets {
        now = match gap {
            Gap::After(nanos) => now + nanos,
            Gap::FrameStart => now.next_multiple_of(setup.frame),
        };
        let station = station % setup.stations.len();
        pair.advance(now)?;
        pair.oracle.arrive(station, up, bytes.into());
        let at = Instant::from_nanos(now);
        pair.cell.send(at, sender(station, up), packet(at, station, bytes));
    }
    pair.advance(now + 200 * setup.frame)?;
    pair.compare_end()
}

fn any_setup() -> impl Strategy<Value = Setup> {
    let modulation = || proptest::sample::select(&BYTES_PER_SYMBOL[..]);
    let frames =
        proptest::sample::select(vec![2_500, 4_000, 5_000, 5_000, 8_000, 10_000, 12_500, 20_000]);
    let phy = (
        prop_oneof![Just(28_u64), 7..=80_u64],
        proptest::sample::select(vec![4, 8, 16, 32]),
        frames,
        (1..=6_u64, 1..=2_u64),
        modulation(),
    );
    let stations = prop_oneof![
        proptest::collection::vec(Just(107), 1..=12),
        proptest::collection::vec(modulation(), 1..=12)
    ];
    let contention = (1..=8_u64, 0..=5_u32, 0..=3_u32, 0..=60_000_000_u64, 0..=3_u32);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let rest = (
        proptest::option::of(1..=4000_u64),
        [1..=60_usize, 1..=60_usize],
        prop_oneof![Just(0_u8), Just(10), Just(80)],
        any::<u64>(),
    );
    (phy, stations, contention, flags, rest).prop_map(
        |(
            (quarters, prefix, micros, ratio, bytes_per_symbol),
            stations,
            (contention_slots, first, more, t16, retries),
            (actual_maps, piggyback, crc),
            (quantum, limits, loss, seed),
        )| Setup {
            bandwidth: quarters * 250_000,
            prefix,
            frame: micros * 1000,
            ratio,
            bytes_per_symbol,
            stations,
            contention_slots,
            backoff: (first, first + more),
            t16,
            retries,
            actual_maps,
            piggyback,
            crc,
            quantum,
            limits,
            loss,
            seed,
        },
    )
}

fn any_case() -> impl Strategy<Value = Case> {
    let gap = prop_oneof![
        10 => Just(Gap::After(0)),
        5 => (1..=500_000_u64).prop_map(Gap::After),
        5 => (1..=5_000_000_u64).prop_map(Gap::After),
        1 => (1..=100_000_000_u64).prop_map(Gap::After),
        2 => Just(Gap::FrameStart),
    ];
    let bytes = prop_oneof![Just(40_u32), Just(1064), 20..=1500_u32];
    let packets = proptest::collection::vec((gap, 0..12_usize, any::<bool>(), bytes), 1..400);
    // DCD and UCD are due again after 5 s.
    let pause =
        prop_oneof![9 => Just(None), 1 => (4_000_000_000..=11_000_000_000_u64).prop_map(Some)];
    (any_setup(), packets, pause).prop_map(|(setup, mut packets, pause)| {
        if let Some(pause) = pause {
            let middle = packets.len() / 2;
            packets[middle].0 = Gap::After(pause);
        }
        Case { setup, packets }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2012),
        ..ProptestConfig::default()
    })]

    /// The same grants, bursts, fragments, requests, collisions, losses and deliveries at the same
    /// times.
    #[test]
    fn the_medium_does_what_the_plain_model_does(case in any_case()) {
        compare(&case).map_err(TestCaseError::fail)?;
    }
}
