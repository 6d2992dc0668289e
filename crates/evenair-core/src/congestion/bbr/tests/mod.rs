//! What the draft says, by hand: a flow with segments of 1,000 bytes on a path of 100 ms, to which the tests tell samples.
//! A round trip is one ACK for all that was sent in it, unless a test says otherwise.

mod cwnd;
mod ecn;
mod losses;
mod probe_bw;
mod probe_rtt;
mod startup;

use super::*;
use crate::time::Duration;

const RTT: Duration = Duration::from_millis(100);
const SEGMENT: u64 = 1000;
const NANO: Duration = Duration::from_nanos(1);

/// A flow, and what it is told next.
struct Bench {
    bbr: Bbr,
    window: Window,
    now: Instant,
    /// C.delivered, segments.
    delivered: u64,
    /// C.lost, segments.
    lost: u64,
    /// What the next samples have besides.
    next: RateSample,
}

fn close(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 1e-12, "{got}, not {expected}");
}

impl Bench {
    /// A flow that opens at 1 s with ten segments.
    fn open() -> Self {
        Self::with(BbrConfig::default(), true)
    }

    fn with(config: BbrConfig, has_sack: bool) -> Self {
        let now = Instant::ZERO + Duration::from_secs(1);
        let mut bench = Self {
            bbr: Bbr::new(config),
            window: Window { cwnd: 10.0, ssthresh: 1e9 },
            now,
            delivered: 0,
            lost: 0,
            next: RateSample {
                now,
                newly_delivered: 0,
                total: 0,
                prior_delivered: 0,
                interval: Some(RTT),
                is_app_limited: false,
                in_flight: 1_000_000,
                rtt: Some(RTT),
                segment: SEGMENT,
                prior_in_flight: 0,
                is_cwnd_limited: true,
                newly_lost: 0,
                lost: 0,
                total_lost: 0,
                tx_in_flight: 0,
                newly_marked: 0,
                marked: 0,
                repair: Repair::None,
                next_send_at: now,
                srtt: Some(RTT),
            },
        };
        let event = OpenEvent { now, srtt: Some(RTT), segment: SEGMENT, has_sack };
        bench.bbr.on_open(&mut bench.window, &event);
        bench
    }

    /// An ACK for `acked` segments comes after `wait`; the newest was sent when `prior` segments had been
    /// delivered.
    fn ack_of(&mut self, wait: Duration, acked: u64, prior: u64) {
        self.now += wait;
        self.delivered += acked;
        let sample = RateSample {
            now: self.now,
            newly_delivered: acked * SEGMENT,
            total: self.delivered * SEGMENT,
            prior_delivered: prior * SEGMENT,
            ..self.next
        };
        self.bbr.on_rate_sample(&mut self.window, &sample);
    }

    /// A round trip that delivers so many segments.
    fn round(&mut self, segments: u64) {
        self.ack_of(RTT, segments, self.delivered);
    }

    /// An ACK for one segment of the present round trip, `wait` later; 100 have been delivered since it was sent.
    fn ack(&mut self, wait: Duration) {
        self.ack_of(wait, 1, self.delivered.saturating_sub(99));
    }

    /// A segment is found lost that was sent with so many in flight, since when `lost` were lost with it.
    fn lose(&mut self, lost: u64, tx_in_flight: u64) {
        self.lose_at(2 * self.lost, lost, tx_in_flight);
    }

    /// The same of segment `number`.
    fn lose_at(&mut self, number: u64, lost: u64, tx_in_flight: u64) {
        self.lost += 1;
        let segment = LostSegment {
            now: self.now,
            seq: number * SEGMENT,
            bytes: SEGMENT,
            tx_in_flight: tx_in_flight * SEGMENT,
            lost: lost * SEGMENT,
            delivered: self.delivered * SEGMENT,
            is_app_limited: self.next.is_app_limited,
        };
        self.bbr.on_segment_lost(&mut self.window, &segment);
    }

    /// C.inflight after the next ACKs, segments.
    fn in_flight(&mut self, segments: u64) {
        self.next.in_flight = segments * SEGMENT;
    }

    /// As after ProbeRTT: the next is due in 5 s.
    fn rest(&mut self) {
        self.bbr.probe_rtt.open(self.now, Some(RTT));
    }

    fn state(&self) -> State {
        self.bbr.state
    }

    /// A flow that has found 1,000 segments/s, a bandwidth-delay product of 100, and is in CRUISE.
    fn cruising() -> Self {
        let bench = Self::cruising_with(100);
        // 5.6.4.2: twice the product, and what an ACK for all of it is ahead of the rate.
        assert_eq!((bench.bbr.model.bw, bench.window.cwnd), (1000.0, 300.0));
        bench
    }

    /// The same with another product.
    fn cruising_with(segments: u64) -> Self {
        let mut bench = Self::open();
        for _ in 0..3 {
            bench.round(segments);
        }
        assert_eq!(bench.state(), State::Startup);
        bench.round(segments);
        assert_eq!(bench.state(), State::Drain);
        bench.in_flight(segments);
        bench.round(segments);
        assert_eq!(bench.state(), State::Cruise, "the queue is empty already");
        bench
    }

    /// The same after its wait, in REFILL.
    fn refilling() -> Self {
        let mut bench = Self::cruising();
        bench.ack(bench.bbr.cycle.wait);
        assert_eq!(bench.state(), State::Cruise, "not yet");
        bench.ack(NANO);
        assert_eq!(bench.state(), State::Refill);
        bench
    }

    /// The same a round trip later, in UP.
    fn probing() -> Self {
        let mut bench = Self::refilling();
        bench.round(100);
        assert_eq!(bench.state(), State::Up);
        bench
    }
}
