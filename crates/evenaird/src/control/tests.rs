//! Tests of the control loop with a host of which the test decides what it reports.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use super::*;
use crate::data_path::{Protocol, Traffic};

/// What the fake host does, shared with the test.
#[derive(Default)]
struct Machine {
    counters: Counters,
    has_device: bool,
    attached: u32,
    policies: Vec<Policy>,
    agent: Option<SocketAddr>,
    /// What the device is called now.
    name: Option<String>,
}

#[derive(Clone, Default)]
struct FakeHost(Rc<RefCell<Machine>>);

struct FakePath(Rc<RefCell<Machine>>);

impl Drop for FakePath {
    fn drop(&mut self) {
        self.0.borrow_mut().attached -= 1;
    }
}

fn gone() -> Error {
    Error::NoDevice { device: "eth1".to_owned() }
}

impl DataPath for FakePath {
    fn set_policy(&mut self, policy: &Policy) -> Result<(), Error> {
        self.0.borrow_mut().policies.push(*policy);
        Ok(())
    }

    fn set_agent(&mut self, agent: Option<SocketAddr>) -> Result<(), Error> {
        self.0.borrow_mut().agent = agent;
        Ok(())
    }

    fn interface(&self) -> Option<String> {
        self.0.borrow().name.clone()
    }

    fn counters(&mut self) -> Result<Counters, Error> {
        let machine = self.0.borrow();
        if machine.has_device { Ok(machine.counters) } else { Err(gone()) }
    }
}

impl Host for FakeHost {
    fn attach(&mut self, _: &Config, policy: &Policy) -> Result<Box<dyn DataPath>, Error> {
        let mut machine = self.0.borrow_mut();
        if !machine.has_device {
            return Err(gone());
        }
        machine.attached += 1;
        machine.policies.push(*policy);
        machine.counters = Counters::default();
        Ok(Box::new(FakePath(self.0.clone())))
    }

    fn open_signal(&mut self, _: &Signal) -> Result<Box<dyn LossSignal>, ConfigError> {
        Err(ConfigError::new("loss_signal", "the test opens signals"))
    }

    fn open_queue(
        &mut self,
        _: &str,
        _: &QueueConfig,
        _: Rate,
        _: std::time::Duration,
    ) -> Result<Box<dyn Downlink>, String> {
        Err("the tests of the queue open it".to_owned())
    }
}

/// Samples that the test has put there; then no losses.
#[derive(Clone, Default)]
struct FakeSignal {
    samples: Arc<Mutex<VecDeque<Sample>>>,
    active: Arc<Mutex<Vec<bool>>>,
    peer: Arc<Mutex<Option<SocketAddr>>>,
}

impl LossSignal for FakeSignal {
    fn poll(&mut self, active: bool) -> Sample {
        self.active.lock().unwrap().push(active);
        self.samples.lock().unwrap().pop_front().unwrap_or(sample(Health::Ok, Some(0)))
    }

    fn refresh(&self) -> Option<std::time::Duration> {
        None
    }

    fn peer(&self) -> Option<SocketAddr> {
        *self.peer.lock().unwrap()
    }

    fn error(&self) -> Option<String> {
        None
    }
}

fn sample(health: Health, lost: Option<u64>) -> Sample {
    Sample { health, lost, age: std::time::Duration::from_millis(250) }
}

struct Bench {
    machine: Rc<RefCell<Machine>>,
    signal: FakeSignal,
    control_loop: ControlLoop<FakeHost>,
}

/// Bench time begins at 100 s of CLOCK_MONOTONIC.
fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(100_000 + ms)
}

fn config(extra: &str) -> Config {
    let text = format!(
        "interface = \"eth1\"\n{extra}\n[loss_signal]\nkind = \"local\"\ndevice = \"wlan0\"\nhold = \"3 s\"\n"
    );
    Config::parse(text.as_bytes(), "test").unwrap()
}

fn bench(extra: &str) -> Bench {
    let (host, signal) = (FakeHost::default(), FakeSignal::default());
    host.0.borrow_mut().has_device = true;
    let machine = host.0.clone();
    let mut control_loop =
        ControlLoop::new(config(extra), host, Some(Box::new(signal.clone())), at(0));
    control_loop.start(at(0)).unwrap();
    Bench { machine, signal, control_loop }
}

impl Bench {
    /// Bytes that pass in a round, and what the signal says of it; the round ends at `ms`.
    fn round(&mut self, ms: u64, up: u64, down: u64, sample: Sample) -> Record {
        {
            let counters = &mut self.machine.borrow_mut().counters;
            counters.up[Protocol::Tcp as usize].bytes += up;
            counters.down[Protocol::Tcp as usize].bytes += down;
            counters.down[Protocol::Tcp as usize].packets += down / 1500;
        }
        self.signal.samples.lock().unwrap().push_back(sample);
        // The wall clock jumps by years in both directions, which changes nothing.
        let days = ms * 7919 % 10_000;
        let wall = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(86_400 * days);
        self.control_loop.round(at(ms), wall);
        self.control_loop.status(at(ms)).last.unwrap()
    }

    fn rates(&self) -> Vec<u64> {
        self.machine.borrow().policies.iter().map(|policy| policy.rate_bps).collect()
    }
}

const OK: Sample = Sample { health: Health::Ok, lost: Some(0), age: std::time::Duration::ZERO };

/// By hand: 500,000 bytes in 1 s are 4 Mb/s, 125,000 are 1 Mb/s; C = 5, R = max(min(5.8, 3.8), 2.5).
#[test]
fn a_round_decides_and_enforces() {
    let mut bench = bench("mode = \"enforce\"");
    assert_eq!(bench.rates(), [6_000_000]);
    let record = bench.round(1000, 500_000, 125_000, OK);
    assert_eq!(
        (record.up_bps, record.down_bps, record.rate_bps),
        (4_000_000, 1_000_000, 6_000_000)
    );
    let record = bench.round(2000, 500_000, 125_000, sample(Health::Ok, Some(3)));
    assert_eq!((record.rate_bps, record.capacity_bps), (3_800_000, Some(5_000_000)));
    assert_eq!(
        (record.lost, record.lost_packets, record.reason.as_str()),
        (Some(true), Some(3), "first-loss")
    );
    assert_eq!((record.t_s, record.round_s, record.signal_age_s), (2.0, 1.0, Some(0.25)));
    assert_eq!(bench.rates(), [6_000_000, 6_000_000, 3_800_000]);
    let policy = *bench.machine.borrow().policies.last().unwrap();
    assert_eq!((policy.bucket_bytes, policy.udp_rate_bps), (250_000, None));
    assert_eq!(policy.lease, Some(std::time::Duration::from_secs(5)));
    let status = bench.control_loop.status(at(2500));
    assert_eq!((status.rounds.total, status.rounds.lossy, status.uptime_s), (2, 1, 2.5));
    assert_eq!(status.signal.unwrap().lost_packets, 3);
    // The first call is that of the start.
    assert_eq!(*bench.signal.active.lock().unwrap(), [false, true, true]);
}

#[test]
fn observing_decides_the_same_and_limits_nothing() {
    let mut bench = bench("mode = \"observe\"\nlimiter.udp = \"reserved\"");
    let record = bench.round(1000, 500_000, 125_000, sample(Health::Ok, Some(1)));
    assert_eq!((record.rate_bps, record.udp_rate_bps), (3_800_000, Some(1_000_000)));
    assert_eq!(record.mode, "observe");
    let policies = bench.machine.borrow().policies.clone();
    assert!(policies.iter().all(|p| p.rate_bps == Policy::UNLIMITED && p.udp_rate_bps.is_none()));
}

/// By hand: what was dropped has crossed the air: (250,000 + 250,000) * 8 in 1 s.
#[test]
fn dropped_packets_count_as_uplink_traffic() {
    let mut bench = bench("mode = \"enforce\"");
    {
        let counters = &mut bench.machine.borrow_mut().counters;
        counters.up[Protocol::Udp as usize] = Traffic { packets: 250, bytes: 250_000 };
        counters.dropped[Protocol::Udp as usize] = Traffic { packets: 250, bytes: 250_000 };
        counters.dropped[Protocol::Other as usize] = Traffic { packets: 1, bytes: 125 };
    }
    let record = bench.round(1000, 0, 0, OK);
    assert_eq!((record.up_bps, record.up_udp_bps), (4_001_000, 4_000_000));
    assert_eq!((record.dropped_packets, record.dropped_bytes), (251, 250_125));
}

/// By hand: 500,000 bytes pass in 1 s, that is 4 Mb/s, and 50,000 are dropped, 0.4 Mb/s; down 1 Mb/s.
/// Over the air C = 5.4 and R = max(min(5.8, 4.4 - 0.2), 2.7), behind the policer C = 5 and R =
/// max(min(5.8, 4 - 0.2), 2.5).
#[test]
fn the_limiter_counts_what_it_is_told_to() {
    for (keys, up_bps, capacity_bps, rate_bps) in [
        ("", 4_400_000, 5_400_000, 4_200_000),
        ("limiter.uplink_count = \"air\"", 4_400_000, 5_400_000, 4_200_000),
        ("limiter.uplink_count = \"passed\"", 4_000_000, 5_000_000, 3_800_000),
    ] {
        let mut bench = bench(keys);
        let dropped = Traffic { packets: 50, bytes: 50_000 };
        bench.machine.borrow_mut().counters.dropped[Protocol::Tcp as usize] = dropped;
        let record = bench.round(1000, 500_000, 125_000, sample(Health::Ok, Some(1)));
        assert_eq!((record.up_bps, record.rate_bps), (up_bps, rate_bps), "{keys}");
        assert_eq!(record.capacity_bps, Some(capacity_bps), "{keys}");
        assert_eq!((record.dropped_packets, record.dropped_bytes), (50, 50_000), "{keys}");
    }
}

/// By hand: the third round comes 2.5 s after the second: 1,250,000 bytes in 2.5 s are 4 Mb/s. Two
/// rounds are left out, and the next one is due at 5 s.
#[test]
fn a_late_round_measures_over_its_true_length() {
    let mut bench = bench("");
    bench.round(1000, 0, 0, OK);
    bench.round(2010, 0, 0, OK);
    assert_eq!(bench.control_loop.round_at(), at(3000));
    let record = bench.round(4510, 1_250_000, 0, OK);
    assert_eq!((record.up_bps, record.round_s), (4_000_000, 2.5));
    assert_eq!(bench.control_loop.round_at(), at(5000));
    assert_eq!(bench.control_loop.status(at(4510)).rounds.skipped, 1);
}

/// hold = 3 s: held at 2, 3 and 3.9 s, released at 4 s. 3.8 Mb/s as above.
#[test]
fn a_blind_signal_holds_and_releases() {
    let mut bench = bench("mode = \"enforce\"");
    bench.round(1000, 500_000, 125_000, sample(Health::Ok, Some(1)));
    for ms in [2000, 3000] {
        let record = bench.round(ms, 500_000, 125_000, sample(Health::Unreachable, None));
        assert_eq!((record.rate_bps, record.reason.as_str()), (3_800_000, "held"));
        assert_eq!((record.lost, record.signal.as_deref()), (None, Some("unreachable")));
    }
    let record = bench.round(4000, 500_000, 125_000, sample(Health::Stale, None));
    assert_eq!((record.rate_bps, record.reason.as_str()), (6_000_000, "released"));
    let status = bench.control_loop.status(at(4000));
    assert_eq!((status.rounds.blind, status.signal.unwrap().state.as_str()), (3, "stale"));
}

#[test]
fn an_interface_that_comes_back_is_attached_again() {
    let mut bench = bench("mode = \"enforce\"");
    bench.round(1000, 1000, 3000, OK);
    bench.machine.borrow_mut().has_device = false;
    bench.round(2000, 0, 0, OK);
    let status = bench.control_loop.status(at(2000));
    assert!(!status.attached && bench.machine.borrow().attached == 0);
    assert_eq!(status.data_path_error.as_deref(), Some("eth1: no such network interface"));
    bench.round(3000, 0, 0, OK);
    assert_eq!(bench.control_loop.status(at(3000)).rounds.total, 1);
    bench.machine.borrow_mut().has_device = true;
    bench.round(4000, 0, 0, OK);
    let record = bench.round(5000, 125_000, 0, OK);
    assert_eq!((record.up_bps, record.round_s), (1_000_000, 1.0));
    let status = bench.control_loop.status(at(5000));
    assert!(status.attached && status.data_path_error.is_none());
    // Counts go on where they were.
    assert_eq!((status.traffic[0].up_bytes, status.traffic[0].down_bytes), (126_000, 3000));
}

#[test]
fn off_by_command_detaches_and_stays_off() {
    let mut bench = bench("mode = \"enforce\"");
    bench.round(1000, 1000, 0, OK);
    bench.control_loop.turn_off();
    assert_eq!(bench.machine.borrow().attached, 0);
    assert_eq!(bench.control_loop.round_at(), Instant::NEVER);
    bench.control_loop.reload(config("mode = \"enforce\""), None, at(1500));
    assert_eq!(bench.machine.borrow().attached, 0);
    let status = bench.control_loop.status(at(1500));
    assert_eq!((status.mode.as_str(), status.configured_mode.as_str()), ("off", "enforce"));
}

#[test]
fn a_reload_keeps_the_data_path_and_the_rate() {
    let mut bench = bench("mode = \"enforce\"");
    bench.round(1000, 500_000, 125_000, sample(Health::Ok, Some(1)));
    bench.control_loop.reload(
        config("mode = \"enforce\"\nrecords.file = \"/dev/null\""),
        None,
        at(1500),
    );
    assert_eq!((bench.machine.borrow().attached, bench.control_loop.round_at()), (1, at(2000)));
    assert_eq!(bench.rates().last(), Some(&3_800_000));
    // To observe and back: the policy alone changes.
    bench.control_loop.reload(config("mode = \"observe\""), None, at(1600));
    assert_eq!(bench.rates().last(), Some(&Policy::UNLIMITED));
    bench.control_loop.reload(config("mode = \"enforce\""), None, at(1700));
    assert_eq!(bench.rates().last(), Some(&3_800_000));
    // Another limiter begins anew, and another interval a new schedule.
    let other = "mode = \"enforce\"\nlimiter = { interval = \"2 s\", max_rate = \"5 Mbps\" }";
    bench.control_loop.reload(config(other), None, at(1800));
    assert_eq!((bench.rates().last(), bench.control_loop.round_at()), (Some(&5_000_000), at(3800)));
    let record = bench.round(3800, 500_000, 0, OK);
    assert_eq!(record.round_s, 2.8);
    let status = bench.control_loop.status(at(3800));
    assert_eq!((status.reloads, bench.machine.borrow().attached), (4, 1));
}

#[test]
fn mode_off_detaches_and_a_reload_attaches() {
    let mut bench = bench("mode = \"off\"");
    assert_eq!(bench.machine.borrow().attached, 0);
    bench.control_loop.reload(config("mode = \"observe\""), None, at(500));
    assert_eq!((bench.machine.borrow().attached, bench.control_loop.round_at()), (1, at(1500)));
    bench.control_loop.reload(config("mode = \"off\""), None, at(600));
    assert_eq!(bench.machine.borrow().attached, 0);
}

#[test]
fn losses_before_the_data_path_was_attached_are_not_counted() {
    let mut bench = bench("mode = \"off\"");
    bench.signal.samples.lock().unwrap().push_back(sample(Health::Ok, Some(1_000_000)));
    bench.control_loop.reload(config("mode = \"observe\""), None, at(500));
    let record = bench.round(1500, 500_000, 125_000, OK);
    assert_eq!((record.lost_packets, record.reason.as_str()), (Some(0), "no-loss"));
}

#[test]
fn a_full_disk_stops_no_round() {
    let mut bench = bench("mode = \"enforce\"\nrecords.file = \"/dev/full\"");
    for second in 1..=3 {
        bench.round(1000 * second, 500_000, 125_000, sample(Health::Ok, Some(1)));
    }
    assert_eq!(bench.rates().last(), Some(&3_400_000));
    bench.control_loop.flush_records();
    let status = bench.control_loop.status(at(3000));
    assert_eq!((status.rounds.total, status.record_failures), (3, 3));
    assert!(status.record_error.unwrap().contains("No space left"));
}

/// The records of a run, replayed, yield the rates of the run, to the bit/s.
#[test]
fn records_replay_to_the_same_rates() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records");
    let mut bench = bench(&format!("records.file = {file:?}"));
    let mut expected = Vec::new();
    for round in 1..=400 {
        // Any rounds: lengths, traffic, losses and states of the signal that vary.
        let (up, down) = (round * 7919 % 700_000, round * 104_729 % 500_000);
        let seen = match round % 11 {
            0..5 => OK,
            5..8 => sample(Health::Ok, Some(round)),
            8 => sample(Health::Ok, None),
            _ if round % 200 > 150 => sample(Health::Stale, None),
            _ => sample(Health::Wrapped, Some(round % 2)),
        };
        let seen = if round % 100 > 90 { sample(Health::Unreachable, None) } else { seen };
        let record = bench.round(1000 * round + round * 13 % 900, up, down, seen);
        bench.control_loop.flush_records();
        expected.push((record.rate_bps, record.capacity_bps, record.first_loss));
    }
    let text = std::fs::read_to_string(&file).unwrap();
    let mut output = Vec::new();
    let config = config("");
    replay::replay(&config.limiter, config.hold, text.as_bytes(), &mut output).unwrap();
    let states: Vec<_> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|state| {
            let first_loss = state["first_loss"].as_bool().unwrap();
            (state["rate_bps"].as_u64().unwrap(), state["capacity_bps"].as_u64(), first_loss)
        })
        .collect();
    assert_eq!(states, expected);
    assert!(
        text.contains("\"released\"") && text.contains("\"held\"") && text.contains("\"loss\"")
    );
}

/// By hand: 1,500 bytes in each direction are 24 kb/s, below 1% of 6 Mb/s, and C / 2 = 12 kb/s. The
/// counter ticks in each round. News are at most 3 s old: the losses of the fourth round on are without
/// load, and the third of these is said. R is at the floor of 300 kb/s, and falls no further.
#[test]
fn a_counter_that_ticks_in_an_idle_cell_is_reported() {
    let mut bench = bench("mode = \"enforce\"");
    let mut shown = Vec::new();
    for round in 1..=20 {
        let record = bench.round(1000 * round, 1500, 1500, sample(Health::Ok, Some(1)));
        let status = bench.control_loop.status(at(1000 * round));
        let signal = status.signal.clone().unwrap();
        assert_eq!(signal.idle_lossy_rounds, round.saturating_sub(3), "round {round}");
        assert_eq!(signal.follows_load, round < 6, "round {round}");
        shown.push(status.text().contains("losses do not follow the load"));
        assert_eq!(record.rate_bps, 300_000);
    }
    assert_eq!(shown.iter().position(|shown| *shown), Some(5));
    // 29 rounds without a loss, by (6 - 0.3) / 0.2.
    let rates = (21..=49).map(|round| bench.round(1000 * round, 1500, 1500, OK).rate_bps);
    let rates: Vec<u64> = rates.collect();
    assert_eq!((rates[27], rates[28]), (5_900_000, 6_000_000));
}

/// Losses with load, and those that a slow source tells after it, are no reason for a warning.
#[test]
fn losses_that_come_with_load_are_not_reported() {
    let mut bench = bench("mode = \"enforce\"");
    for round in 0..120 {
        // The last losses of the load are told two rounds later.
        let (is_busy, lost) = (round % 12 < 3, u64::from(round % 12 < 5));
        let bytes = if is_busy { 300_000 } else { 1500 };
        bench.round(1000 * (round + 1), bytes, bytes, sample(Health::Ok, Some(lost)));
    }
    let signal = bench.control_loop.status(at(120_000)).signal.unwrap();
    // The fourth to the ninth of nine quiet rounds.
    assert_eq!((signal.idle_rounds, signal.idle_lossy_rounds), (60, 0));
    assert!(signal.follows_load);
}

/// Losses of a busy time during which the signal was blind become known in an idle one.
#[test]
fn losses_of_rounds_without_news_are_not_reported() {
    let mut bench = bench("mode = \"enforce\"");
    let mut now = 0;
    for _ in 0..20 {
        for (bytes, lost) in [
            (300_000, None),
            (1500, None),
            (1500, None),
            (1500, None),
            (1500, None),
            (1500, Some(9)),
        ] {
            now += 1000;
            bench.round(now, bytes, bytes, sample(Health::Ok, lost));
        }
    }
    assert!(bench.control_loop.status(at(now)).signal.unwrap().follows_load);
}

#[test]
fn the_status_has_the_name_that_the_interface_has_now() {
    let mut bench = bench("");
    for (name, line) in
        [("eth1", "interface   eth1"), ("lan0", "interface   lan0, eth1 in the configuration")]
    {
        bench.machine.borrow_mut().name = Some(name.to_owned());
        bench.round(1000, 0, 0, OK);
        let status = bench.control_loop.status(at(1000));
        assert_eq!(status.policed.as_deref(), Some(name));
        assert_eq!(status.text().lines().next(), Some(line));
    }
}

/// Its name may be resolved anew between two rounds.
#[test]
fn the_data_path_knows_the_signals_agent() {
    let mut bench = bench("");
    assert_eq!(bench.machine.borrow().agent, None);
    for (ms, peer) in [(1000, "192.0.2.7:161"), (2000, "[2001:db8::7]:1161")] {
        let peer = Some(peer.parse().unwrap());
        *bench.signal.peer.lock().unwrap() = peer;
        bench.round(ms, 0, 0, OK);
        assert_eq!(bench.machine.borrow().agent, peer);
    }
}
