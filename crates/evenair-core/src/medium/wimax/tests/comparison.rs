//! The medium against the plain model in random cells.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::accounting::tsiknas;
use super::contention::wide;
use super::oracle::{Burst, Oracle, Pdu, Setup};
use super::queue_of;
use super::watched::Watched;
use super::{BYTES_PER_SYMBOL, cell, packet, queues, sender, wimax};
use crate::loss::{self, GilbertElliottConfig, Level, LinkLoss, LossRateConfig, ScopeConfig};
use crate::medium::{Cell, Medium};
use crate::packet::{Direction, NodeId, Packet};
use crate::rng::StreamId;
use crate::time::{Duration, Instant};

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
    /// Whether the medium is polled at each frame, and its frames are compared; else when a packet
    /// arrives.
    each_frame: bool,
    /// Time, station, whether it is sent up, and bytes.
    packets: Vec<(Gap, usize, bool, u32)>,
}

/// Both models of one case.
struct Pair {
    setup: Setup,
    each_frame: bool,
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
            if self.each_frame {
                self.poll(self.frame + 1);
                self.compare_bursts()
                    .map_err(|why| format!("frame at {} ns: {why}", self.frame))?;
            }
            self.frame += self.setup.frame;
        }
        self.poll(limit);
        self.compare_counts().map_err(|why| format!("at {limit} ns: {why}"))
    }

    fn compare_bursts(&self) -> Result<(), String> {
        let wimax = &self.cell.medium().wimax;
        let burst = |burst: &super::super::Burst| Burst {
            station: burst.station.index() - 1,
            up: burst.direction == Direction::Up,
            first: burst.first_symbol.into(),
            symbols: burst.symbols.into(),
            bytes: burst.bytes.into(),
            pdus: burst.pdus.into(),
            lost_bytes: burst.corrupted_bytes.into(),
        };
        same("bursts", wimax.bursts().iter().map(burst).collect(), self.oracle.bursts.clone())?;
        self.compare_counts()
    }

    fn compare_counts(&self) -> Result<(), String> {
        let wimax = &self.cell.medium().wimax;
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
            let queue = queue_of(sender(station, up), other_end(station, up));
            let dropped = self.cell.queues()[queue.0 as usize].stats(now).drops.on_arrival;
            same(&format!("{name}: drops"), dropped, self.oracle.dropped(station, up))?;
        }
        let mut departed = [notes.departed.clone(), self.oracle.departed.clone()];
        departed.iter_mut().for_each(|list| list.sort());
        let [medium, oracle] = departed;
        same("departures", medium, oracle)?;
        self.compare_usage(now)?;
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

impl Pair {
    /// Compares the use of the air by all downlink and all uplink transmissions.
    fn compare_usage(&self, now: Instant) -> Result<(), String> {
        let oracle = &self.oracle;
        for up in [false, true] {
            let nodes = if up { 1..=self.setup.stations.len() as u32 } else { 0..=0 };
            let mut usage = [0; 6];
            for node in nodes {
                let used = self.cell.usage(now, NodeId(node));
                let airtime = used.airtime.total().as_nanos();
                let of_node = [used.attempts, used.collisions, used.data_frames];
                let of_node = of_node.into_iter().chain([used.delivered, used.dropped, airtime]);
                usage.iter_mut().zip(of_node).for_each(|(sum, number)| *sum += number);
            }
            let departed = |received: bool| {
                let of_kind = oracle.departed.iter().filter(|sdu| sdu.up == up);
                of_kind.filter(|sdu| sdu.received == received).count() as u64
            };
            let requests = if up { [oracle.counts.sent, oracle.counts.collided] } else { [0; 2] };
            let pdus = oracle.pdus.iter().filter(|pdu| pdu.up == up).count() as u64;
            let expected = [
                requests[0],
                requests[1],
                pdus,
                departed(true),
                departed(false),
                oracle.airtime[usize::from(up)],
            ];
            same("attempts, collisions, PDUs, delivered, dropped, airtime", usage, expected)?;
        }
        Ok(())
    }

    /// Adds what has happened in this case.
    fn cover(&self, coverage: &mut Coverage) {
        let Oracle { counts, departed, grant_delays, .. } = &self.oracle;
        let lost = departed.iter().filter(|sdu| !sdu.received).count() as u64;
        coverage.cells += 1;
        coverage.received += departed.len() as u64 - lost;
        coverage.lost += lost;
        coverage.granted += grant_delays.len() as u64;
        coverage.collided += counts.collided;
        coverage.retried += counts.retried;
        coverage.given_up += counts.given_up;
        for station in 0..self.setup.stations.len() {
            coverage.dropped +=
                [false, true].map(|up| self.oracle.dropped(station, up)).iter().sum::<u64>();
        }
    }
}

/// What the random cells have covered.
#[derive(Debug, Default)]
struct Coverage {
    /// Those with room for data.
    cells: u64,
    received: u64,
    lost: u64,
    dropped: u64,
    granted: u64,
    collided: u64,
    retried: u64,
    given_up: u64,
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

fn compare(case: &Case, coverage: &mut Coverage) -> Result<(), String> {
    let setup = &case.setup;
    let wimax = match wimax(setup) {
        Ok(wimax) if has_room(setup) => wimax,
        Err(_) if !has_room(setup) => return Ok(()),
        other => return Err(format!("room {}, but {:?}", has_room(setup), other.err())),
    };
    let mut pair = Pair {
        setup: setup.clone(),
        each_frame: case.each_frame,
        oracle: Oracle::new(setup.clone()),
        cell: cell(setup, Watched::new(wimax, setup)),
        frame: 0,
    };
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
    pair.cover(coverage);
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
    let t16 = (0..=60_000_000_u64, any::<bool>());
    let contention = (1..=8_u64, 0..=5_u32, 0..=3_u32, t16, 0..=3_u32);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
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
            (contention_slots, first, more, (t16, whole_frames), retries),
            (revalued, actual_maps, piggyback, crc),
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
            t16: if whole_frames { t16 - t16 % (micros * 1000) } else { t16 },
            retries,
            revalued,
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
    (any_setup(), any::<bool>(), packets, pause).prop_map(
        |(setup, each_frame, mut packets, pause)| {
            if let Some(pause) = pause {
                let middle = packets.len() / 2;
                packets[middle].0 = Gap::After(pause);
            }
            Case { setup, each_frame, packets }
        },
    )
}

/// The same grants, bursts, fragments, requests, collisions, losses and deliveries at the same
/// times.
#[test]
fn the_medium_does_what_the_plain_model_does() {
    let config = evenair_testing::config!(2000);
    let coverage = RefCell::new(Coverage::default());
    let result = TestRunner::new(config).run(&any_case(), |case| {
        compare(&case, &mut coverage.borrow_mut()).map_err(TestCaseError::fail)
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let coverage = coverage.into_inner();
    eprintln!("{coverage:?}");
    let rare = [
        coverage.cells,
        coverage.lost,
        coverage.dropped,
        coverage.granted,
        coverage.collided,
        coverage.given_up,
    ];
    assert!(rare.iter().all(|&count| count > 1000), "{coverage:?}");
}

/// Backlogs beyond what a request can ask for, 524,287 bytes in contention and 65,535 with a PDU,
/// in frames with an uplink of some 88,000 bytes.
#[test]
fn large_backlogs() {
    for (piggyback, first) in [(false, 400), (true, 400), (true, 1)] {
        let setup = Setup { piggyback, ..wide(1, 5) };
        let mut packets = vec![(Gap::After(0), 0, true, 1500); 400];
        // The others arrive after the request has been made.
        if let Some((gap, ..)) = packets.get_mut(first) {
            *gap = Gap::After(1);
        }
        let mut coverage = Coverage::default();
        compare(&Case { setup, each_frame: true, packets }, &mut coverage).unwrap();
        assert_eq!(coverage.received, 400);
    }
}

/// Two stations collide at once and give up: they drop the packets that their requests count, and
/// no others.
#[test]
fn many_packets_are_given_up() {
    let setup = Setup { backoff: (0, 0), retries: 0, ..tsiknas(1, 2) };
    let counted = (0..80).map(|packet| (Gap::After(0), packet % 2, true, 20));
    let later = (0..20).map(|packet| (Gap::After(1), packet % 2, true, 20));
    let packets = counted.chain(later).collect();
    let mut coverage = Coverage::default();
    compare(&Case { setup, each_frame: true, packets }, &mut coverage).unwrap();
    assert_eq!((coverage.received, coverage.lost), (0, 100));
}

/// DCD and UCD are due after 5 s, 1000 frames, of which nothing happens in all but the last ones.
#[test]
fn descriptors_after_a_pause() {
    for frames in 998..=1003 {
        for pauses in [1, 2, 3] {
            for early in [0, 1] {
                let pause = (Gap::After(frames * 5_000_000 - early), 0, false, 1064);
                let setup = tsiknas(1, 1);
                let case = Case { setup, each_frame: false, packets: vec![pause; pauses] };
                compare(&case, &mut Coverage::default()).unwrap();
            }
        }
    }
}

/// The medium does not ask about PDUs that cannot be lost; the same are lost.
#[test]
fn pdus_that_cannot_be_lost_need_not_be_asked_about() {
    let setup = Setup { limits: [30; 2], ..tsiknas(2, 3) };
    let medium = || wimax(&setup).unwrap();
    let mut plain = lossy_cell(&setup, medium());
    let mut asking = lossy_cell(&setup, Watched::with_losses_of_cell(medium(), 3));
    let mut received = 0;
    for frame in 0..4000 {
        let start = Instant::from_nanos(frame * setup.frame);
        loop {
            let arrival = plain.poll(start);
            assert_eq!(arrival, asking.poll(start));
            if arrival.is_none() {
                break;
            }
            received += 1;
        }
        for (station, up) in (0..6).map(|queue| (queue / 2, queue % 2 == 1)) {
            for seq in 0..3 {
                let packet = Packet { seq: 3 * frame + seq, ..packet(start, station, 700) };
                plain.send(start, sender(station, up), packet);
                asking.send(start, sender(station, up), packet);
            }
        }
    }
    let lost = |node| plain.usage(Instant::from_nanos(4000 * setup.frame), NodeId(node)).dropped;
    assert!(received > 10_000 && (0..=3).all(|node| lost(node) > 50), "{received}");
}

/// A cell with bursts of lost PDUs.
fn lossy_cell<M: Medium>(setup: &Setup, medium: M) -> Cell<M> {
    let loss = LossRateConfig { rate: 0.05 };
    let scope = ScopeConfig { level: Level::Mac, ..ScopeConfig::default() };
    let bad_state = Duration::from_millis(20);
    let config: loss::Config = GilbertElliottConfig { loss, scope, bad_state }.into();
    let link = |node| Some(LinkLoss::new(&config, 1, StreamId::FrameErrors, node));
    Cell::new(medium, queues(setup), (0..=setup.stations.len() as u32).map(link).collect())
}
