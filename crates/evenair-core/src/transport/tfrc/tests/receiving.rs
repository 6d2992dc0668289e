use crate::time::{Duration, Instant};
use crate::transport::tfrc::{Receiver, equation};
use crate::transport::{DataHeader, Report};
use crate::units::Rate;

const RTT: Duration = Duration::from_millis(100);

fn at(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

struct Fixture {
    receiver: Receiver,
    reports: Vec<(u64, Report)>,
}

impl Fixture {
    fn new() -> Self {
        Self { receiver: Receiver::new(1000, Some(0.25)), reports: vec![] }
    }

    /// Packet `number` arrives, sent 50 ms before; the timer expires meanwhile.
    fn arrive(&mut self, ms: u64, number: u64, rtt: Option<Duration>) {
        self.run_until(ms);
        let header = DataHeader { sent: at(ms.saturating_sub(50)), rtt };
        let report = self.receiver.on_packet(at(ms), number, 1000, &header);
        self.reports.extend(report.map(|report| (ms, report)));
    }

    fn run_until(&mut self, ms: u64) {
        while self.receiver.poll_at() <= at(ms) {
            let now = self.receiver.poll_at();
            let report = self.receiver.on_timer(now);
            self.reports.extend(report.map(|report| (now.as_nanos() / 1_000_000, report)));
        }
    }

    fn times(&self) -> Vec<u64> {
        self.reports.iter().map(|(ms, _)| *ms).collect()
    }
}

/// Sections 6.2 and 6.3: the first packet is reported with X_recv = 0, each until the round-trip time is
/// known, and then one report in each round-trip time.
#[test]
fn reports_come_once_per_round_trip() {
    let mut fixture = Fixture::new();
    fixture.arrive(1000, 0, None);
    fixture.arrive(2000, 1, None);
    for number in 2..40 {
        fixture.arrive(2100 + 20 * (number - 2), number, Some(RTT));
    }
    assert_eq!(fixture.times(), [1000, 2000, 2100, 2200, 2300, 2400, 2500, 2600, 2700, 2800]);
    let rates: Vec<f64> = fixture.reports.iter().map(|(_, report)| report.receive_rate).collect();
    // One packet in 1 s, one in 0.1 s, and of those at 20 ms intervals five in each 0.1 s.
    assert_eq!(rates[..3], [0.0, 1000.0, 10_000.0]);
    // The timer is due before the packet that arrives at the same time, which counts at the next.
    assert_eq!(rates[3..5], [40_000.0, 50_000.0]);
    let last = fixture.reports[4].1;
    assert_eq!((last.timestamp, last.delay), (at(2280 - 50), Duration::from_millis(20)));
    assert!(fixture.reports.iter().all(|(_, report)| report.loss_event_rate == 0.0));
}

/// Section 6.2: without data no report; section 6.1: the next packet is then reported at once, with one
/// packet in a round-trip time.
#[test]
fn silence_is_not_reported() {
    let mut fixture = Fixture::new();
    fixture.arrive(0, 0, Some(RTT));
    fixture.arrive(50, 1, Some(RTT));
    fixture.arrive(730, 2, Some(RTT));
    fixture.arrive(740, 3, Some(RTT));
    fixture.run_until(900);
    assert_eq!(fixture.times(), [0, 100, 730, 830]);
    assert_eq!(fixture.reports[2].1.receive_rate, 10_000.0);
}

/// Packets each 10 ms, of which number 20 is lost: at the arrival of 23 a report is sent. The interval
/// before is the one that gives the largest X_recv so far, 10 packets in 0.1 s (section 6.3.1).
#[test]
fn the_first_loss_is_reported_at_once() {
    let mut fixture = Fixture::new();
    for number in (0..=24).filter(|&number| number != 20) {
        fixture.arrive(10 * number, number, Some(RTT));
    }
    assert_eq!(fixture.times(), [0, 100, 200, 230]);
    let report = fixture.reports[3].1;
    // 14 to 19 and 21 to 23: the last packet is not as old as 0.1 s.
    assert_eq!(report.receive_rate, 90_000.0);
    let rate = equation::throughput(1000.0, 0.1, report.loss_event_rate);
    assert!((rate / 100_000.0 - 1.0).abs() < 1e-6, "{rate}");
    assert_eq!(fixture.receiver.loss_events(), 1);
    // The timer restarts with the report.
    assert_eq!(fixture.receiver.poll_at(), at(330));
}

/// Section 6.3.1: without the first packet the first interval gives half a packet in a round-trip time.
#[test]
fn a_lost_first_packet_seeds_a_small_interval() {
    let mut fixture = Fixture::new();
    for number in 1..=4 {
        fixture.arrive(10 * number, number, Some(RTT));
    }
    let report = fixture.reports.last().unwrap().1;
    let rate = equation::throughput(1000.0, 0.1, report.loss_event_rate);
    assert!((rate / 5000.0 - 1.0).abs() < 1e-6, "{rate}");
}

/// Half of what a controller allows is written into each report.
#[test]
fn a_limit_is_reported_instead_of_the_rate() {
    let mut fixture = Fixture::new();
    fixture.arrive(0, 0, Some(RTT));
    fixture.receiver.limit_rate(Some(Rate::from_mbps(8)));
    fixture.arrive(50, 1, Some(RTT));
    fixture.arrive(110, 2, Some(RTT));
    fixture.receiver.limit_rate(None);
    fixture.run_until(250);
    let rates: Vec<f64> = fixture.reports.iter().map(|(_, report)| report.receive_rate).collect();
    assert_eq!(rates, [0.0, 500_000.0, 10_000.0]);
}
