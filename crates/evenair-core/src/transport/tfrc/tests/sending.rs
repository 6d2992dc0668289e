use crate::component::OnOff;
use crate::time::{Duration, Instant};
use crate::transport::Report;
use crate::transport::tfrc::{Sender, TfrcConfig, equation};
use crate::units::Rate;

fn at(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

struct Fixture {
    sender: Sender,
    /// When packets were sent, ms.
    sent: Vec<f64>,
}

impl Fixture {
    fn new(config: TfrcConfig, segment: u32) -> Self {
        let mut fixture = Self { sender: Sender::new(config, segment), sent: vec![] };
        fixture.sender.start(at(0));
        fixture.transmit(at(0));
        fixture
    }

    fn transmit(&mut self, now: Instant) {
        while self.sender.poll_transmit(now).is_some() {
            self.sent.push(now.as_secs_f64() * 1e3);
        }
    }

    fn run_until(&mut self, ms: u64) {
        while self.sender.poll_at() < at(ms) {
            let now = self.sender.poll_at();
            self.sender.on_timer(now);
            self.transmit(now);
        }
    }

    /// A report at `ms`, a round-trip time of `rtt` ms after its packet was sent.
    fn report(&mut self, ms: u64, rtt: u64, receive_rate: f64, loss_event_rate: f64) {
        self.run_until(ms);
        let (timestamp, delay) = (at(ms - rtt), Duration::ZERO);
        let report = Report { timestamp, delay, receive_rate, loss_event_rate };
        self.sender.on_report(at(ms), &report);
        self.transmit(at(ms));
    }
}

fn assert_close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-7, "{found} instead of {expected}");
}

/// Section 4.2: a packet per second, then W_init / R with W_init = min(4 s, max(2 s, 4380)).
#[test]
fn the_first_report_sets_the_initial_rate() {
    for (segment, window) in [(1000, 4000.0), (1460, 4380.0), (2500, 5000.0)] {
        let mut fixture = Fixture::new(TfrcConfig::default(), segment);
        assert_eq!(fixture.sender.rate(), f64::from(segment));
        fixture.report(100, 100, 0.0, 0.0);
        assert_close(fixture.sender.rate(), window / 0.1);
        // No packet of the time before is made up for: one now, the others at their times.
        let interval = 100.0 * f64::from(segment) / window;
        fixture.run_until(200);
        assert_close(fixture.sent[1], 100.0);
        assert_close(fixture.sent[2], 100.0 + interval);
    }
}

/// Section 4.3: doubled once per round-trip time, limited by twice the largest X_recv of the last two,
/// and never below the initial rate. Infinity, in the set from the start, goes after 0.2 s.
#[test]
fn slow_start_doubles_up_to_twice_the_receive_rate() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1000);
    let mut rates = vec![];
    for (ms, received) in
        [(100, 0.0), (200, 10_000.0), (250, 1.0), (300, 40_000.0), (400, 9e9), (500, 60_000.0)]
    {
        fixture.report(ms, 100, received, 0.0);
        rates.push(fixture.sender.rate().round());
    }
    assert_eq!(rates, [40_000.0, 80_000.0, 80_000.0, 80_000.0, 160_000.0, 320_000.0]);
    // The 9e9 of 400 ms is as old as two round-trip times at 600 ms, and older at 700 ms.
    fixture.report(600, 100, 5000.0, 0.0);
    assert_close(fixture.sender.rate(), 640_000.0);
    fixture.report(700, 100, 5000.0, 0.0);
    assert_close(fixture.sender.rate(), 2.0 * 60_000.0);
}

/// With losses: min(X_Bps, 2 max X_recv), at least a packet in 64 s.
#[test]
fn losses_bring_the_rate_of_the_equation() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1460);
    for (ms, received, p) in [(100, 0.0, 0.0), (200, 1e9, 0.01), (300, 1e9, 0.1)] {
        fixture.report(ms, 100, received, p);
        if p > 0.0 {
            assert_close(fixture.sender.rate(), equation::throughput(1460.0, 0.1, p));
        }
    }
    // X_recv alone, once 1e9 is old: 2 times 5000.
    for ms in [400, 500, 600] {
        fixture.report(ms, 100, 5000.0, 1e-3);
    }
    assert_close(fixture.sender.rate(), 10_000.0);
    // X_recv of nothing for two round-trip times.
    for ms in [700, 800, 900] {
        fixture.report(ms, 100, 0.0, 1e-3);
    }
    assert_close(fixture.sender.rate(), 1460.0 / 64.0);
}

/// R = 0.9 R + 0.1 R_sample: 0.1 s, then 0.9 0.1 + 0.1 0.2 = 0.11 s. t_delay does not count.
#[test]
fn the_round_trip_time_is_smoothed() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1000);
    fixture.report(100, 100, 0.0, 0.0);
    fixture.report(300, 200, 1e9, 0.01);
    assert_eq!(fixture.sender.rtt(), Some(Duration::from_millis(110)));
    let report = Report {
        timestamp: at(400),
        delay: Duration::from_millis(50),
        receive_rate: 1e9,
        loss_event_rate: 0.01,
    };
    let sample = fixture.sender.on_report(at(510), &report);
    assert_eq!(sample, Duration::from_millis(60));
    assert_eq!(fixture.sender.rtt(), Some(Duration::from_millis(105)));
}

/// Section 4.5, by hand: after 0.1 s and 0.4 s R_sqmean is 0.9 a + 0.1 2 a = 1.1 a and the last root 2 a,
/// so that X_inst = 0.55 X. Without it the interval is s / X.
#[test]
fn a_long_round_trip_slows_the_sender() {
    for (prevention, factor) in [(OnOff::On, 0.55), (OnOff::Off, 1.0)] {
        let config = TfrcConfig { oscillation_prevention: prevention, ..Default::default() };
        let mut fixture = Fixture::new(config, 1000);
        fixture.report(100, 100, 0.0, 0.0);
        fixture.report(600, 400, 1e9, 0.01);
        // The nofeedback timer expires after 4 times 0.13 s.
        fixture.run_until(1100);
        let last = fixture.sent.len() - 1;
        let interval = (fixture.sent[last] - fixture.sent[last - 1]) / 1e3;
        let expected = 1000.0 / (factor * equation::throughput(1000.0, 0.13, 0.01));
        assert!((interval / expected - 1.0).abs() < 1e-6, "{interval}: {expected}");
    }
}

/// Section 4.4 without a round-trip time: halved after 2 s, and then after max(4 R, 2 s / X).
#[test]
fn silence_halves_the_first_rate() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1000);
    let mut expiries = vec![];
    for second in 1..200 {
        let before = fixture.sender.expiries();
        fixture.run_until(1000 * second + 1);
        if fixture.sender.expiries() > before {
            expiries.push((second, fixture.sender.rate()));
        }
    }
    let expected = [(2, 500.0), (6, 250.0), (14, 125.0), (30, 62.5), (62, 31.25), (126, 15.625)];
    assert_eq!(expiries, expected);
}

/// Section 4.4 in slow start: X is halved after max(4 R, 2 s / X) = 0.4 s.
#[test]
fn silence_halves_the_rate_of_slow_start() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1000);
    fixture.report(100, 100, 0.0, 0.0);
    // The timer of that report is that of the rate before it, 2 s (steps 3 and 6 of section 4.3).
    fixture.report(200, 100, 1e9, 0.0);
    assert_close(fixture.sender.rate(), 80_000.0);
    fixture.run_until(599);
    assert_close(fixture.sender.rate(), 80_000.0);
    fixture.run_until(601);
    assert_close(fixture.sender.rate(), 40_000.0);
    fixture.run_until(1001);
    assert_close(fixture.sender.rate(), 20_000.0);
}

/// Section 4.4 with losses: half of X_Bps, if that limits; then half of what limits, down to s / 64.
#[test]
fn silence_halves_the_calculated_rate() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1460);
    for ms in [100, 200, 300, 400] {
        fixture.report(ms, 100, 1e9, 0.01);
    }
    let calculated = equation::throughput(1460.0, 0.1, 0.01);
    assert_close(fixture.sender.rate(), calculated);
    for halvings in 1..5 {
        fixture.run_until(400 + 400 * halvings + 1);
        assert_close(fixture.sender.rate(), calculated / 2_f64.powi(halvings as i32));
    }
    fixture.run_until(10_000_000);
    assert_close(fixture.sender.rate(), 1460.0 / 64.0);
    // Reports resume: at most twice what was received, or half of the last limit.
    fixture.report(10_000_100, 100, 20_000.0, 0.01);
    assert_close(fixture.sender.rate(), 40_000.0);
}

/// A controller's rate limits X and X_inst, and ends with the limit.
#[test]
fn a_limit_caps_the_rate() {
    let config = TfrcConfig { oscillation_prevention: OnOff::On, ..Default::default() };
    let mut fixture = Fixture::new(config, 1000);
    fixture.report(100, 100, 0.0, 0.0);
    fixture.sender.limit_rate(at(100), Some(Rate::from_bps(160_000)));
    assert_close(fixture.sender.rate(), 20_000.0);
    fixture.report(200, 100, 1e9, 0.0);
    // A shorter round-trip time would raise X_inst.
    fixture.report(300, 25, 1e9, 0.0);
    assert_close(fixture.sender.rate(), 20_000.0);
    let before = fixture.sent.len();
    fixture.run_until(601);
    assert_eq!(fixture.sent.len() - before, 6, "{:?}", fixture.sent);
    fixture.sender.limit_rate(at(601), None);
    fixture.report(602, 100, 1e9, 0.0);
    assert!(fixture.sender.rate() > 20_000.0);
}

/// Section 4.4: a sender that has been idle since the timer was set keeps the initial rate. Only a limit
/// can make this one idle.
#[test]
fn an_idle_sender_keeps_its_rate() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1000);
    fixture.report(100, 100, 0.0, 0.0);
    fixture.report(200, 100, 1e9, 0.0);
    // Of the packets at 200 and 212.5 ms the second is then due at 10.2 s.
    fixture.report(205, 100, 1e9, 0.0);
    fixture.sender.limit_rate(at(205), Some(Rate::from_bps(800)));
    assert_close(fixture.sender.rate(), 100.0);
    fixture.run_until(606);
    assert_eq!(fixture.sender.expiries(), 1);
    assert_close(fixture.sender.rate(), 100.0);
}

/// Section 4.6: a sender that is called late makes up for the times of one round-trip time at most.
#[test]
fn unused_times_are_kept_for_a_round_trip() {
    let mut fixture = Fixture::new(TfrcConfig::default(), 1000);
    fixture.report(100, 100, 0.0, 0.0);
    // Packets at 100, 125 and so on. Called at 620: those since 520 ms, 525 to 600, and that of now.
    let before = fixture.sent.len();
    fixture.transmit(at(620));
    assert_eq!(fixture.sent.len() - before, 5);
}
