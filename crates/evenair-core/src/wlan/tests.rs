//! [`Medium`] against the slot-by-slot [`Oracle`], against Bianchi's model and against ns-2.

use std::collections::VecDeque;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::oracle::Oracle;
use super::{AP, Counters, Event, Exchange, Frame, Medium, MediumConfig, Outcome};
use crate::errors::{self, LinkErrors};
use crate::parts::{Choice, Value};
use crate::phy::{ACK_BYTES, CTS_BYTES, LONG_PREAMBLE, Phy, RTS_BYTES, SHORT_PREAMBLE};
use crate::rng::{Purpose, Stream};
use crate::time::{Span, Time};
use crate::units::Rate;

/// What [`Medium`] and [`Oracle`] have in common.
trait Dcf: ErrorRate {
    fn build(config: MediumConfig, rates: &[Rate], seed: u64) -> Self;
    fn is_free(&self, station: u32) -> bool;
    fn counters(&self, station: u32) -> Counters;
    fn offer(&mut self, now: Time, station: u32, frame: Frame);
    fn poll_at(&self) -> Time;
    fn poll(&mut self, now: Time) -> Option<Event>;
    fn exchange(&self) -> Exchange;
}

macro_rules! dcf {
    ($type:ty, $poll:expr) => {
        impl Dcf for $type {
            fn build(config: MediumConfig, rates: &[Rate], seed: u64) -> Self {
                Self::new(config, rates, seed)
            }
            fn is_free(&self, station: u32) -> bool {
                self.is_free(station)
            }
            fn counters(&self, station: u32) -> Counters {
                self.counters(station)
            }
            fn offer(&mut self, now: Time, station: u32, frame: Frame) {
                self.offer(now, station, frame);
            }
            fn poll_at(&self) -> Time {
                self.poll_at()
            }
            fn poll(&mut self, now: Time) -> Option<Event> {
                $poll(self, now)
            }
            fn exchange(&self) -> Exchange {
                *self.exchange()
            }
        }
    };
}
dcf!(Medium, poll);
dcf!(Oracle, Oracle::poll);

/// Lets the medium do what is due at `now`, up to a report.
fn poll(medium: &mut Medium, now: Time) -> Option<Event> {
    medium.poll_until(now + Span::from_nanos(1)).map(|(_, event)| event)
}

/// Lets single transmissions on `station`'s link fail with probability `rate`, both ways.
trait ErrorRate {
    fn set_error_rate(&mut self, seed: u64, station: u32, rate: f64);
}

impl ErrorRate for Medium {
    fn set_error_rate(&mut self, seed: u64, station: u32, rate: f64) {
        if rate > 0.0 {
            let choice = Choice::by_name(errors::REGISTRY, "independent").unwrap();
            let choice = choice.with("rate", Value::Number(rate));
            let choice = choice.with("level", Value::Name("mac"));
            self.set_errors(station, LinkErrors::new(&choice, seed, Purpose::FrameErrors, station));
        }
    }
}

impl ErrorRate for Oracle {
    fn set_error_rate(&mut self, _seed: u64, station: u32, rate: f64) {
        self.set_error_rate(station, rate);
    }
}

/// A packet that comes to a station's queue, which has no limit.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Time,
    from: u32,
    to: u32,
    bytes: u32,
}

/// A cell and everything that is sent in it.
#[derive(Clone, Debug)]
struct Case {
    config: MediumConfig,
    seed: u64,
    rates: Vec<Rate>,
    error_rates: Vec<f64>,
    /// In order of time.
    arrivals: Vec<Arrival>,
    until: Time,
}

/// What can be seen of a DCF from outside.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Access { at: Time, transmitters: Vec<u32>, collision: bool },
    Received { at: Time, link: (u32, u32), packet: u64, times: [Time; 3], rts: bool, retries: u32 },
    Finished { at: Time, station: u32, packet: u64, outcome: Outcome },
}

/// Everything that happens in `case`, and the counters at the end. An arrival goes before whatever
/// else is due at the same time.
fn observe<D: Dcf>(case: &Case) -> (Vec<Seen>, Vec<Counters>) {
    let mut dcf = D::build(case.config, &case.rates, case.seed);
    for (&rate, station) in case.error_rates.iter().zip(0..) {
        dcf.set_error_rate(case.seed, station, rate);
    }
    let stations = case.rates.len() as u32;
    let mut queues = vec![VecDeque::new(); case.rates.len()];
    let mut sending = vec![0; case.rates.len()];
    let mut arrivals = case.arrivals.iter().zip(0u64..).peekable();
    let mut counters = vec![Counters::default(); case.rates.len()];
    let (mut seen, mut now) = (Vec::new(), Time::ZERO);
    loop {
        let due = dcf.poll_at();
        if let Some((arrival, seq)) = arrivals.next_if(|(arrival, _)| arrival.at <= due.max(now)) {
            now = arrival.at;
            let frame = Frame { to: arrival.to, bytes: arrival.bytes };
            if dcf.is_free(arrival.from) {
                sending[arrival.from as usize] = seq;
                dcf.offer(now, arrival.from, frame);
            } else {
                queues[arrival.from as usize].push_back((seq, frame));
            }
            continue;
        }
        now = now.max(due);
        if now > case.until {
            break;
        }
        let event = dcf.poll(now);
        let mut transmitters = Vec::new();
        let mut collision = false;
        for (old, station) in counters.iter_mut().zip(0..stations) {
            let new = dcf.counters(station);
            if new.attempts > old.attempts {
                transmitters.push(station);
                collision |= new.collisions > old.collisions;
            }
            *old = new;
        }
        if !transmitters.is_empty() {
            assert_eq!(collision, transmitters.len() > 1);
            seen.push(Seen::Access { at: now, transmitters, collision });
        }
        match event {
            Some(Event::Received { from, to }) => {
                let exchange = dcf.exchange();
                let times = [exchange.start, exchange.data_start, exchange.data_end];
                let (packet, rts, retries) =
                    (sending[from as usize], exchange.rts, exchange.retries);
                seen.push(Seen::Received {
                    at: now,
                    link: (from, to),
                    packet,
                    times,
                    rts,
                    retries,
                });
            }
            Some(Event::Finished { station, outcome }) => {
                let packet = sending[station as usize];
                seen.push(Seen::Finished { at: now, station, packet, outcome });
                if let Some((seq, next)) = queues[station as usize].pop_front() {
                    sending[station as usize] = seq;
                    dcf.offer(now, station, next);
                }
            }
            None => {}
        }
    }
    // The order in which frames that are dropped at the same time are reported means nothing.
    let finished_at = |s: &Seen| match s {
        Seen::Finished { at, .. } => Some(*at),
        _ => None,
    };
    let tie = |a: &Seen, b: &Seen| finished_at(a).is_some() && finished_at(a) == finished_at(b);
    for tie in seen.chunk_by_mut(tie) {
        tie.sort_by_key(|s| match s {
            Seen::Finished { station, .. } => *station,
            _ => 0,
        });
    }
    (seen, counters)
}

/// Runs `case` on both; on success the number of (accesses, collisions, drops).
fn compare(case: &Case) -> Result<[usize; 3], String> {
    let (medium, medium_counters) = observe::<Medium>(case);
    let (oracle, oracle_counters) = observe::<Oracle>(case);
    if let Some(i) = (0..medium.len().max(oracle.len())).find(|&i| medium.get(i) != oracle.get(i)) {
        let before = &medium[i.saturating_sub(6)..i];
        return Err(format!(
            "differ at {i}:\nmedium {:?}\noracle {:?}\nafter {before:?}\n{:?}, error rates {:?}",
            medium.get(i),
            oracle.get(i),
            case.config,
            case.error_rates,
        ));
    }
    if medium_counters != oracle_counters {
        return Err(format!("counters differ: {medium_counters:?}\n{oracle_counters:?}"));
    }
    let count = |what: fn(&Seen) -> bool| medium.iter().filter(|s| what(s)).count();
    Ok([
        count(|s| matches!(s, Seen::Access { .. })),
        count(|s| matches!(s, Seen::Access { collision: true, .. })),
        count(|s| matches!(s, Seen::Finished { outcome: Outcome::Dropped, .. })),
    ])
}

fn phys() -> [Phy; 5] {
    let [long, short] = [LONG_PREAMBLE, SHORT_PREAMBLE].map(Phy::dot11b);
    [long, short, Phy::dot11b(Span::from_micros(120)), Phy::dot11a(), Phy::dot11g()]
}

fn pick<T: Copy>(rng: &mut Stream, of: &[T]) -> T {
    of[rng.up_to(of.len() as u32 - 1) as usize]
}

/// A random cell with random traffic.
fn random_case(seed: u64) -> Case {
    let rng = &mut Stream::new(seed, Purpose::Traffic, 1 << 32);
    let phy = pick(rng, &phys());
    let stations = 1 + rng.up_to(19);
    let config = MediumConfig {
        phy,
        control_rate: pick(rng, &phy.rates[..3]),
        rts_threshold: match rng.up_to(3) {
            0 | 1 => None,
            2 => Some(0),
            _ => Some(100 + rng.up_to(1400)),
        },
        mac_overhead: pick(rng, &[28, 34, 36]),
        immediate_access: rng.bernoulli(0.6),
        short_retry_limit: pick(rng, &[1, 2, 3, 7, 7]),
        long_retry_limit: pick(rng, &[1, 2, 4, 4]),
    };
    // One rate for all makes equal frames, mixed rates make colliding frames of unequal length.
    let common = rng.bernoulli(0.3).then(|| pick(rng, phy.rates));
    let rates: Vec<_> =
        (0..=stations).map(|_| common.unwrap_or_else(|| pick(rng, phy.rates))).collect();
    let worst = pick(rng, &[0.0, 0.0, 0.1, 0.6]);
    let error_rates = rates.iter().map(|_| worst * rng.uniform() * rng.up_to(1) as f64).collect();
    // Whole microseconds meet slot boundaries exactly, which whole nanoseconds hardly ever do.
    let quantum = pick(rng, &[1, 1_000, 1_000, phy.slot.as_nanos()]);
    let until = Time::ZERO + Span::from_millis(400);
    let saturated = rng.bernoulli(0.3);
    let size = pick(rng, &[0, 40, 1500]);
    // Mean frame of some 1 ms on air in all; loads from 2% to 200%.
    let mean = 1e6 * f64::from(stations + 1) / pick(rng, &[0.02, 0.2, 0.5, 0.9, 2.0]);
    let mut arrivals = Vec::new();
    for from in 0..=stations {
        let mut at = 0.0;
        loop {
            at += if saturated { 1e3 } else { rng.exponential(mean) };
            let ns = at as u64 / quantum * quantum;
            if ns >= until.as_nanos() || (saturated && ns >= 300_000) {
                break;
            }
            let to = if from == AP { 1 + rng.up_to(stations - 1) } else { AP };
            let bytes = if size == 0 { 20 + rng.up_to(1480) } else { size };
            arrivals.push(Arrival { at: Time::from_nanos(ns), from, to, bytes });
        }
    }
    arrivals.sort_by_key(|a| a.at);
    Case { config, seed, rates, error_rates, arrivals, until }
}

#[test]
fn medium_does_what_the_slot_by_slot_dcf_does() {
    let (mut total, mut failures) = ([0; 3], Vec::new());
    for seed in 0..1000 {
        match compare(&random_case(seed)) {
            Ok(counts) => (0..3).for_each(|i| total[i] += counts[i]),
            Err(message) => failures.push((seed, message)),
        }
    }
    if let Some((seed, message)) = failures.first() {
        let seeds: Vec<_> = failures.iter().map(|(seed, _)| seed).collect();
        panic!("{} of 1000 differ: {seeds:?}; first {seed}: {message}", failures.len());
    }
    eprintln!("accesses, collisions, drops: {total:?}");
    assert!(total[0] > 100_000 && total[1] > 10_000 && total[2] > 5_000, "{total:?}");
}

/// The counters agree with the events, and every attempt but one that still goes on was delivered,
/// collided or was in error.
#[test]
fn counters_add_up() {
    for seed in 0..200 {
        let case = random_case(seed);
        let (seen, counters) = observe::<Medium>(&case);
        let mut expected = vec![Counters::default(); counters.len()];
        let mut last = vec![None; counters.len()];
        let mut errors = vec![0; counters.len()];
        for (i, s) in seen.iter().enumerate() {
            match s {
                Seen::Access { transmitters, collision, .. } => {
                    for &station in transmitters {
                        expected[station as usize].attempts += 1;
                        expected[station as usize].collisions += u64::from(*collision);
                    }
                    // A lone frame that is over without having been received was in error.
                    let received = matches!(seen.get(i + 1), Some(Seen::Received { .. }) | None);
                    errors[transmitters[0] as usize] += u64::from(!collision && !received);
                }
                Seen::Received { link: (from, _), packet, .. } => {
                    assert!(last[*from as usize] < Some(*packet), "frames leave in order");
                }
                Seen::Finished { station, outcome, packet, .. } => {
                    let station = *station as usize;
                    match outcome {
                        Outcome::Delivered => expected[station].delivered += 1,
                        Outcome::Dropped => expected[station].dropped += 1,
                    }
                    assert!(
                        last[station].replace(*packet) < Some(*packet),
                        "frames leave in order"
                    );
                }
            }
        }
        let in_flight = match seen.last() {
            Some(Seen::Access { transmitters, .. }) => Some(transmitters[0]),
            Some(Seen::Received { link: (from, _), .. }) => Some(*from),
            _ => None,
        };
        for (station, (got, want)) in counters.iter().zip(&expected).enumerate() {
            let open = u64::from(in_flight == Some(station as u32));
            let pairs = [
                (got.attempts, want.attempts),
                (got.collisions, want.collisions),
                (got.delivered, want.delivered),
                (got.dropped, want.dropped),
            ];
            assert!(pairs.iter().all(|(got, want)| got == want), "{seed}: {got:?}, {want:?}");
            let ended = got.collisions + got.delivered + errors[station];
            assert!(ended <= got.attempts && got.attempts <= ended + open, "{seed}: {got:?}");
            match case.config.rts_threshold {
                None => assert_eq!(got.data_frames, got.attempts),
                Some(0) => assert_eq!(got.data_frames, got.attempts - got.collisions),
                Some(_) => assert!(got.data_frames + got.collisions >= got.attempts),
            }
        }
    }
}

fn us(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

/// A cell of 802.11b at 1 and 2 Mb/s, where all frames last whole microseconds: data 192 us + 8 or
/// 4 us a byte, ACK 248 us, DIFS 50 us, EIFS 364 us, response timeout 222 us.
fn slow_cell(immediate_access: bool, retry_limit: u32) -> MediumConfig {
    MediumConfig { immediate_access, mac_overhead: 28, ..dot11b_cell(false, retry_limit) }
}

fn arrival(at: u64, from: u32, bytes: u32) -> Arrival {
    Arrival { at: us(at), from, to: AP, bytes }
}

/// Two stations at 1 Mb/s.
fn two_stations(config: MediumConfig, seed: u64, arrivals: Vec<Arrival>) -> Case {
    let rates = vec![Rate::from_mbps(1); 3];
    let until = us(1_000_000);
    Case { config, seed, rates, error_rates: vec![0.0; 3], arrivals, until }
}

fn accesses(seen: &[Seen]) -> Vec<(Time, Vec<u32>)> {
    let access = |s: &Seen| match s {
        Seen::Access { at, transmitters, .. } => Some((*at, transmitters.clone())),
        _ => None,
    };
    seen.iter().filter_map(access).collect()
}

/// The first backoff that `station` draws, and the following ones with windows `cw`.
fn draws<const N: usize>(seed: u64, station: u64, cw: [u32; N]) -> [u64; N] {
    let mut stream = Stream::new(seed, Purpose::Backoff, station);
    cw.map(|cw| u64::from(stream.up_to(cw)))
}

/// The first boundaries lie at 50 us (a DIFS after the start of the run) + k 20 us.
#[test]
fn a_lone_station_has_immediate_access() {
    for (at, boundary) in [(0, 50), (50, 50), (51, 70), (1_003, 1_010), (1_010, 1_010)] {
        let case = two_stations(slow_cell(true, 7), 1, vec![arrival(at, 1, 100)]);
        let (seen, _) = observe::<Medium>(&case);
        let [start, data_end] = [boundary, boundary + 192 + 128 * 8].map(us);
        let times = [start, start, data_end];
        let (packet, end) = (0, us(boundary + 192 + 128 * 8 + 10 + 248));
        assert_eq!(
            seen,
            [
                Seen::Access { at: start, transmitters: vec![1], collision: false },
                Seen::Received {
                    at: data_end,
                    link: (1, AP),
                    packet,
                    times,
                    rts: false,
                    retries: 0
                },
                Seen::Finished { at: end, station: 1, packet, outcome: Outcome::Delivered },
            ]
        );
    }
}

/// The DIFS runs from the arrival, the backoff from the first boundary after it.
#[test]
fn without_immediate_access_a_lone_station_backs_off() {
    let [backoff] = draws(1, 1, [31]);
    for (at, boundary) in [(0, 50), (1, 70), (960, 1_010), (1_003, 1_070)] {
        let case = two_stations(slow_cell(false, 7), 1, vec![arrival(at, 1, 100)]);
        let (seen, _) = observe::<Medium>(&case);
        assert_eq!(accesses(&seen), [(us(boundary + 20 * backoff), vec![1])]);
    }
}

/// Every attempt fails: 7 data frames, or 4 behind RTS/CTS, each a response timeout and a backoff
/// from a doubled window after the one before. 230 us (50 + 9 slots) is the first boundary at or
/// after the timeout of 222 us.
#[test]
fn the_retry_limit_ends_a_frame() {
    let windows = [63, 127, 255, 511, 1023, 1023];
    for (rts, attempts) in [(false, 7), (true, 4)] {
        let config = MediumConfig { long_retry_limit: 4, ..slow_cell(true, 7) };
        let config = MediumConfig { rts_threshold: rts.then_some(0), ..config };
        let mut case = two_stations(config, 5, vec![arrival(0, 1, 100)]);
        case.error_rates[1] = 1.0;
        let (seen, counters) = observe::<Medium>(&case);
        // RTS 272 us and CTS 248 us, each followed by SIFS.
        let exchange = 192 + 128 * 8 + if rts { 272 + 248 + 20 } else { 0 };
        let (mut start, mut expected) = (50, Vec::new());
        for backoff in draws(5, 1, windows) {
            expected.push((us(start), vec![1]));
            start += exchange + 230 + 20 * backoff;
        }
        expected.push((us(start), vec![1]));
        assert_eq!(accesses(&seen), expected[..attempts]);
        let end = expected[attempts - 1].0 + Span::from_micros(exchange);
        let dropped = Seen::Finished { at: end, station: 1, packet: 0, outcome: Outcome::Dropped };
        assert_eq!(seen.last(), Some(&dropped));
        let attempts = attempts as u64;
        let airtime = Span::from_micros(exchange) * attempts;
        let data_frames = attempts;
        let none = Counters::default();
        assert_eq!(counters[1], Counters { attempts, data_frames, dropped: 1, airtime, ..none });
    }
}

/// Two frames that come to an idle medium between the same boundaries collide. RTS frames count
/// for the short limit, and their collision costs no data frame.
#[test]
fn colliding_rts_frames_count_for_the_short_limit() {
    let config =
        MediumConfig { rts_threshold: Some(0), short_retry_limit: 1, ..slow_cell(true, 7) };
    let case = two_stations(config, 1, vec![arrival(1_001, 1, 100), arrival(1_009, 2, 700)]);
    let (seen, counters) = observe::<Medium>(&case);
    assert_eq!(accesses(&seen), [(us(1_010), vec![1, 2])]);
    let airtime = Span::from_micros(272);
    let none = Counters::default();
    let expected = Counters { attempts: 1, collisions: 1, dropped: 1, airtime, ..none };
    assert_eq!(counters[1..], [expected; 2]);
}

/// After a collision only those who heard it wait EIFS (boundary 16 after E + DIFS). A collider
/// whose response timeout (boundary 9) and post-backoff are over has immediate access.
#[test]
fn a_collider_does_not_wait_eifs() {
    let short = |seed: &u64| draws(*seed, 1, [31])[0] < 4;
    let seed = (0..).find(short).unwrap();
    let over = 9 + draws(seed, 1, [31])[0];
    let end = 50 + 192 + 128 * 8;
    let late = end + 50 + 20 * over + 1;
    let first = vec![arrival(0, 1, 100), arrival(0, 2, 100), arrival(late, 1, 100)];
    let case = two_stations(slow_cell(true, 1), seed, first);
    let (seen, _) = observe::<Medium>(&case);
    let second = us(end + 50 + 20 * (over + 1));
    assert_eq!(accesses(&seen), [(us(50), vec![1, 2]), (second, vec![1])]);
}

/// Station 2 draws a post-backoff of 0 after a collision, but station 1, whose frame was shorter,
/// sends before station 2's response timeout is over (boundary 9). The post-backoff is then still
/// to come, so a frame that arrives meanwhile goes in slot 0 after that.
#[test]
fn a_post_backoff_of_0_that_was_forestalled_is_not_over() {
    let wanted = |seed: &u64| draws(*seed, 1, [31])[0] < 9 && draws(*seed, 2, [31]) == [0];
    let seed = (0..).find(wanted).unwrap();
    let end = 50 + 192 + 1028 * 8;
    let second = end + 50 + 20 * draws(seed, 1, [31])[0];
    let arrivals = vec![
        arrival(0, 1, 100),
        arrival(0, 1, 100),
        arrival(0, 2, 1_000),
        arrival(second + 500, 2, 1_000),
    ];
    let mut case = two_stations(slow_cell(true, 1), seed, arrivals);
    // If station 1 is not understood, EIFS (boundary 16) goes before.
    for (error_rate, wait) in [(0.0, 10 + 248 + 50), (1.0, 50 + 16 * 20)] {
        case.error_rates[1] = error_rate;
        let (seen, _) = observe::<Medium>(&case);
        let third = second + 192 + 128 * 8 + wait;
        let expected = [(us(50), vec![1, 2]), (us(second), vec![1]), (us(third), vec![2])];
        assert_eq!(accesses(&seen), expected);
    }
}

prop_compose! {
    /// Few frames at any times, for a small counterexample.
    fn any_case()(
        phy in 0usize..5,
        control in 0usize..3,
        rts_threshold in prop_oneof![Just(None), Just(Some(0)), (50u32..1500).prop_map(Some)],
        mac_overhead in 28u32..=36,
        immediate_access: bool,
        short_retry_limit in 1u32..=7,
        long_retry_limit in 1u32..=4,
        seed: u64,
        links in prop::collection::vec((0usize..8, prop_oneof![Just(0.0), 0.0..0.9]), 2..8),
        gaps in prop::collection::vec(
            (prop_oneof![Just(0u64), 0u64..30, 0u64..3000], any::<u32>(), 1u32..1500),
            1..80,
        ),
        unit in prop_oneof![Just(1_000u64), 900u64..1100],
    ) -> Case {
        let phy = phys()[phy];
        let config = MediumConfig {
            phy,
            control_rate: phy.rates[control],
            rts_threshold,
            mac_overhead,
            immediate_access,
            short_retry_limit,
            long_retry_limit,
        };
        let stations = links.len() as u32;
        let mut at = Time::ZERO;
        let arrivals = gaps.iter().map(|&(gap, pair, bytes)| {
            at += Span::from_nanos(gap * unit);
            let from = pair % stations;
            let to = if from == AP { 1 + (pair / stations) % (stations - 1) } else { AP };
            Arrival { at, from, to, bytes }
        });
        Case {
            config,
            seed,
            rates: links.iter().map(|&(rate, _)| phy.rates[rate % phy.rates.len()]).collect(),
            error_rates: links.iter().map(|&(_, error_rate)| error_rate).collect(),
            arrivals: arrivals.collect(),
            until: Time::ZERO + Span::from_millis(1_500),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2006),
        ..ProptestConfig::default()
    })]

    #[test]
    fn medium_does_what_the_slot_by_slot_dcf_does_in_any_case(case in any_case()) {
        compare(&case).map_err(TestCaseError::fail)?;
    }
}

/// A cell of 802.11b with long preambles at 11 Mb/s, control frames at 2 Mb/s.
fn dot11b_cell(rts: bool, retry_limit: u32) -> MediumConfig {
    MediumConfig {
        phy: Phy::dot11b(LONG_PREAMBLE),
        control_rate: Rate::from_mbps(2),
        rts_threshold: rts.then_some(0),
        mac_overhead: 34,
        immediate_access: false,
        short_retry_limit: retry_limit,
        long_retry_limit: retry_limit,
    }
}

const PACKET: u32 = 1500;

/// Throughput (Mb/s of IP packets) and collision probability per attempt of `n` stations that always
/// have a packet for the AP, over `measured` after 5 s.
fn saturation(config: MediumConfig, n: u32, seed: u64, measured: Span) -> [f64; 2] {
    let rates = vec![Rate::from_mbps(11); n as usize + 1];
    let mut medium = Medium::new(config, &rates, seed);
    let sum = |medium: &Medium, what: fn(&Counters) -> u64| {
        (1..=n).map(|s| what(&medium.counters(s))).sum::<u64>() as f64
    };
    for station in 1..=n {
        medium.offer(Time::ZERO, station, Frame { to: AP, bytes: PACKET });
    }
    let warm = Time::ZERO + Span::from_secs(5);
    let (mut now, mut counting) = (Time::ZERO, false);
    let mut packets = 0u64;
    let (mut attempts, mut collisions) = (0.0, 0.0);
    loop {
        now = now.max(medium.poll_at());
        if !counting && now >= warm {
            counting = true;
            packets = 0;
            attempts = sum(&medium, |c| c.attempts);
            collisions = sum(&medium, |c| c.collisions);
        }
        if now >= warm + measured {
            break;
        }
        match poll(&mut medium, now) {
            Some(Event::Received { .. }) => packets += 1,
            Some(Event::Finished { station, .. }) => {
                medium.offer(now, station, Frame { to: AP, bytes: PACKET });
            }
            None => {}
        }
    }
    attempts = sum(&medium, |c| c.attempts) - attempts;
    collisions = sum(&medium, |c| c.collisions) - collisions;
    let bits = packets as f64 * 8.0 * f64::from(PACKET);
    [bits / measured.as_secs_f64() / 1e6, collisions / attempts]
}

/// Mean and half-width of the 99.9% confidence interval over 20 seeds (Student's t, 19 degrees of
/// freedom), of throughput and of collision probability.
fn over_20_seeds(config: MediumConfig, n: u32, measured: Span) -> [(f64, f64); 2] {
    let runs: Vec<_> = (1..=20).map(|seed| saturation(config, n, seed, measured)).collect();
    [0, 1].map(|i| {
        let mean = runs.iter().map(|r| r[i]).sum::<f64>() / 20.0;
        let variance = runs.iter().map(|r| (r[i] - mean).powi(2)).sum::<f64>() / 19.0;
        (mean, 3.883 * (variance / 20.0).sqrt())
    })
}

/// Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC
/// 18(3), 2000: transmission probability in a slot (equation 7) and collision probability
/// (equation 9) of `n` saturated stations, by bisection.
fn bianchi(n: u32, phy: &Phy) -> [f64; 2] {
    let window = f64::from(phy.cw_min + 1);
    let stages = ((phy.cw_max + 1) / (phy.cw_min + 1)).ilog2() as i32;
    let collision = |tau: f64| 1.0 - (1.0 - tau).powi(n as i32 - 1);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let tau = (low + high) / 2.0;
        let p = collision(tau);
        let growth: f64 = (0..stages).map(|i| (2.0 * p).powi(i)).sum();
        if tau < 2.0 / (1.0 + window + p * window * growth) { low = tau } else { high = tau }
    }
    [low, collision(low)]
}

/// T_s and T_c in seconds: a success with its DIFS, and a collision with its EIFS.
fn busy_times(config: &MediumConfig) -> [f64; 2] {
    let phy = &config.phy;
    let data = phy.airtime(PACKET + config.mac_overhead, Rate::from_mbps(11));
    let [ack, rts, cts] =
        [ACK_BYTES, RTS_BYTES, CTS_BYTES].map(|bytes| phy.airtime(bytes, config.control_rate));
    let success = data + phy.sifs + ack + phy.difs();
    let [success, collision] = if config.rts_threshold.is_some() {
        [rts + phy.sifs + cts + phy.sifs + success, rts + phy.eifs()]
    } else {
        [success, data + phy.eifs()]
    };
    [success.as_secs_f64(), collision.as_secs_f64()]
}

/// Saturation throughput in Mb/s (Bianchi 2000, equation 13).
fn bianchi_throughput(config: &MediumConfig, n: u32) -> f64 {
    let [success, collision] = busy_times(config);
    let [tau, _] = bianchi(n, &config.phy);
    let idle = (1.0 - tau).powi(n as i32);
    let one = f64::from(n) * tau * (1.0 - tau).powi(n as i32 - 1);
    let slot = config.phy.slot.as_secs_f64();
    let mean = idle * slot + one * success + (1.0 - idle - one) * collision;
    one * 8.0 * f64::from(PACKET) / mean / 1e6
}

/// Saturation throughput within 2% of Bianchi's model (2000). His stations never drop a frame, so
/// the retry limits are large here. The simulated means are known to 0.25% with 99.9% confidence.
///
/// The differences, up to 1.3%, have two known causes. He decrements counters also in busy slots;
/// here the medium stays idle for a slot longer after a busy period, and EIFS is rounded up to a
/// boundary (-0.4 to -0.9% without RTS: a model corrected like Tinnirello, Bianchi and Xiao, 2010).
/// And he has everybody back at the same time after a collision; here the colliders, whose response
/// timeout is shorter than EIFS, get ahead of the crowd, which pays off when there are many stations
/// (0.2% at n = 5, 1.1% at n = 50 without RTS).
#[test]
fn saturation_throughput_is_that_of_bianchis_model() {
    let mut wrong = Vec::new();
    eprintln!("             n  model  simulated  99.9%  difference   p model  p simulated");
    for rts in [false, true] {
        for n in [1, 2, 5, 10, 20, 50] {
            let config = dot11b_cell(rts, 255);
            let model = bianchi_throughput(&config, n);
            let [(mean, half), (p, _)] = over_20_seeds(config, n, Span::from_secs(120));
            let difference = mean / model - 1.0;
            let p_model = bianchi(n, &config.phy)[1];
            let row = format!(
                "{:10} {n:3} {model:6.4}  {mean:8.4} {half:7.4}   {:+7.2}% {p_model:10.4} {p:10.4}",
                if rts { "RTS/CTS" } else { "basic" },
                100.0 * difference,
            );
            eprintln!("{row}");
            assert!(half < 0.0025 * mean, "the simulation is too short: {row}");
            if difference.abs() > 0.02 {
                wrong.push(row);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Throughput of n saturated UDP stations in ns-2.35, with 95% confidence half-width over 5 seeds,
/// 60 s each: `validation/ns2/f7_saturated_udp_uplink.json`.
const NS2_SATURATED: [(u32, bool, f64); 6] = [
    (1, false, 6.26544),
    (1, true, 4.88724),
    (5, false, 6.32128),
    (5, true, 5.2212),
    (20, false, 5.51604),
    (20, true, 5.00604),
];

#[test]
fn saturation_throughput_is_that_of_ns2() {
    let mut wrong = Vec::new();
    eprintln!("             n  ns-2   evenair  99.9%   difference  p");
    for (n, rts, reference) in NS2_SATURATED {
        let config = MediumConfig { long_retry_limit: 4, ..dot11b_cell(rts, 7) };
        let [(mean, half), (p, _)] = over_20_seeds(config, n, Span::from_secs(60));
        let difference = mean / reference - 1.0;
        let row = format!(
            "{:10} {n:3} {reference:6.4} {mean:8.4} {half:7.4}   {:+7.2}%  {p:8.4}",
            if rts { "RTS/CTS" } else { "basic" },
            100.0 * difference,
        );
        eprintln!("{row}");
        assert!(half < 0.003 * mean, "the simulation is too short: {row}");
        if difference.abs() > 0.03 {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
