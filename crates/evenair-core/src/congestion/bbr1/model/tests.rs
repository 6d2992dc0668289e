//! Segments of 1,000 bytes on a path that delivers one in a millisecond, with a round-trip time of 10 ms: 10 segments fill
//! it. In fixed point that is 16,777 units, a bit less than 1 / 1,000, so that products round up to 10.
//!
//! At 1 MB/s bursts are of 2 segments: 966 bytes in 2^-10 s. The budget for them is 6.

use super::*;
use crate::congestion::Repair;

const SEGMENT: u64 = 1000;
const RTT: Duration = Duration::from_millis(10);

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// A connection with all that has been delivered on it.
struct Hand {
    model: Model,
    window: Window,
    ms: u64,
    total: u64,
}

impl Hand {
    fn new() -> Self {
        let (mut model, mut window) = (Model::new(), Window { cwnd: 10.0, ssthresh: 1e6 });
        model.on_open(
            &mut window,
            &OpenEvent { now: at(0), srtt: Some(RTT), segment: SEGMENT, has_sack: true },
        );
        let mut hand = Self { model, window, ms: 0, total: 0 };
        for _ in 0..10 {
            hand.sent(10_000, false);
        }
        hand
    }

    fn sent(&mut self, in_flight: u64, is_app_limited: bool) {
        let (now, bytes, retransmission) = (at(self.ms), SEGMENT as u32, false);
        let event = SentEvent { now, bytes, retransmission, in_flight, is_app_limited };
        self.model.on_sent(&mut self.window, &event);
    }

    /// An ACK after `ms` for so many segments, all of which were sent after the ACK before it: a round begins.
    fn sample(&self, acked: u64, in_flight: u64) -> RateSample {
        RateSample {
            now: at(self.ms),
            newly_delivered: acked * SEGMENT,
            total: (self.total + acked) * SEGMENT,
            prior_delivered: self.total * SEGMENT,
            interval: Some(RTT),
            is_app_limited: false,
            in_flight: in_flight * SEGMENT,
            rtt: Some(RTT),
            segment: SEGMENT,
            prior_in_flight: (in_flight + acked) * SEGMENT,
            is_cwnd_limited: true,
            newly_lost: 0,
            lost: 0,
            total_lost: 0,
            tx_in_flight: in_flight * SEGMENT,
            newly_marked: 0,
            marked: 0,
            repair: Repair::None,
            next_send_at: at(self.ms),
            srtt: Some(RTT),
        }
    }

    fn take(&mut self, sample: &RateSample) {
        self.total = sample.total / SEGMENT;
        self.model.on_rate_sample(&mut self.window, sample);
    }

    /// 10 ms later 10 segments have been delivered.
    fn round(&mut self, in_flight: u64) {
        self.ms += 10;
        let sample = self.sample(10, in_flight);
        self.take(&sample);
    }

    /// The pacing rate, as multiple of 1 MB/s, to 1 in 10,000.
    fn paces(&self, gain: f64) -> bool {
        let rate = self.model.pacing_rate().unwrap().as_bps() as f64 / 8e6;
        (rate / gain - 1.0).abs() < 1e-4
    }

    /// In the cycle: five rounds, the last of which finds the queue drained.
    fn cycling() -> Self {
        let mut hand = Self::new();
        for _ in 0..4 {
            hand.round(30);
        }
        hand.round(16);
        hand
    }
}

/// 10 segments in 10 ms times 739/256, less 1 %: 2.858 MB/s, from the tenth segment on.
#[test]
fn the_first_rate_is_the_initial_window_in_a_round_trip() {
    let mut model = Model::new();
    let mut window = Window { cwnd: 10.0, ssthresh: 1e6 };
    model.on_open(
        &mut window,
        &OpenEvent { now: at(0), srtt: Some(RTT), segment: SEGMENT, has_sack: true },
    );
    assert_eq!(model.pacing_rate(), None);
    let hand = Hand::new();
    assert!(hand.paces(739.0 / 256.0 * 0.99), "{:?}", hand.model.pacing_rate());
    // Without a round-trip time it is that of 1 ms, until there is one.
    model.on_open(
        &mut window,
        &OpenEvent { now: at(0), srtt: None, segment: SEGMENT, has_sack: true },
    );
    model.sent = 10;
    let mut unmeasured = Hand { model, ..hand };
    assert!(unmeasured.paces(10.0 * 739.0 / 256.0 * 0.99));
    unmeasured.window.cwnd = 20.0;
    let sample = RateSample { rtt: None, ..unmeasured.sample(1, 9) };
    unmeasured.take(&sample);
    assert!(unmeasured.paces(2.0 * 739.0 / 256.0 * 0.99));
}

/// What a series has of the start: 10 segments of 8,000 bits in 10 ms, in fixed point 16,777 x 8e9 / 2^24 = 7.99990 Mb/s, at
/// 739/256, 88/256 and a gain of the cycle.
#[test]
fn a_series_has_the_states_of_a_start() {
    let of = |hand: &Hand| {
        let mut row = (String::new(), vec![]);
        hand.model.observe(&mut |_, value| match value {
            Observed::State(state) => row.0 = state.to_owned(),
            Observed::Number(number) => row.1.push(number),
        });
        row
    };
    let mut hand = Hand::new();
    assert_eq!(of(&hand), ("Startup".into(), vec![None, Some(0.01), Some(2.886_718_75)]));
    let bandwidth = Some(16_777.0 * 8e9 / f64::from(1 << 24));
    hand.round(30);
    assert_eq!(of(&hand), ("Startup".into(), vec![bandwidth, Some(0.01), Some(2.886_718_75)]));
    (0..3).for_each(|_| hand.round(30));
    assert_eq!(of(&hand), ("Drain".into(), vec![bandwidth, Some(0.01), Some(0.343_75)]));
    hand.round(16);
    let (state, numbers) = of(&hand);
    assert_eq!((state.as_str(), &numbers[..2]), ("ProbeBW", &[bandwidth, Some(0.01)][..]));
    assert!(numbers[2] == Some(1.25) || numbers[2] == Some(1.0), "{numbers:?}");
}

/// Three rounds after the first no bandwidth has been added: with 30 in flight the queue is drained at 88/256; with 16,
/// which is the path and the budget, the cycle begins. cwnd: 28.9, rounded up, then 2 x 10; and 11, for ACKs come of
/// 10 segments at a time, of which 9.9998, rounded down, are expected; and 6; to an even number.
#[test]
fn the_start_ends_when_the_pipe_is_full_and_drained() {
    let mut hand = Hand::new();
    for _ in 0..3 {
        hand.round(30);
        assert_eq!(hand.model.mode, Mode::Startup);
        assert!(hand.paces(739.0 / 256.0 * 0.99));
    }
    // 20, 30, and not beyond 29 + 6, rounded up, by more than the ACK that reaches it.
    assert_eq!(hand.window.cwnd, 40.0);
    hand.round(30);
    assert_eq!((hand.model.mode, hand.window.cwnd), (Mode::Drain, 46.0));
    assert_eq!(hand.window.ssthresh, 16.0);
    assert!(hand.paces(88.0 / 256.0 * 0.99));
    hand.round(17);
    assert_eq!(hand.model.mode, Mode::Drain);
    hand.round(16);
    assert_eq!(hand.model.mode, Mode::ProbeBw);
    let more = if hand.model.cycle.is_probing() { 2.0 } else { 0.0 };
    assert_eq!(hand.window.cwnd, 38.0 + more);
}

/// While it starts, the bandwidth that the application leaves unused says nothing.
#[test]
fn rounds_of_an_application_without_data_do_not_end_the_start() {
    let mut hand = Hand::new();
    for _ in 0..10 {
        hand.ms += 10;
        let sample = RateSample { is_app_limited: true, ..hand.sample(10, 0) };
        hand.take(&sample);
    }
    assert_eq!(hand.model.mode, Mode::Startup);
    // Nor does a lower bandwidth of the application replace the path's.
    hand.ms += 10;
    let sample = RateSample { is_app_limited: true, ..hand.sample(1, 0) };
    hand.take(&sample);
    assert_eq!(hand.model.bandwidth(), Bandwidth(16_777));
}

/// Rounds of 11 ms, each longer than the round-trip time: the gains follow each other in a cycle of 8.
#[test]
fn the_rate_is_cycled() {
    let mut hand = Hand::cycling();
    let mut rates = vec![];
    for _ in 0..24 {
        hand.ms += 11;
        // More in the network than 5/4 of the path and all budgets, so that the probe ends.
        let sample = hand.sample(10, 30);
        hand.take(&sample);
        let gain = [1.25, 0.75, 1.0].into_iter().find(|gain| hand.paces(gain * 0.99));
        rates.push(gain.unwrap());
    }
    let first = rates.iter().position(|&rate| rate == 1.25).unwrap();
    let cycle = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    for (n, &rate) in rates[first..].iter().enumerate() {
        assert_eq!(rate, cycle[n % 8], "{rates:?}");
    }
}

/// More than 10 s after the round-trip time has last been as low: 4 segments, whose samples are marked; 200 ms and a round
/// after they are in flight cwnd is what it was.
#[test]
fn the_round_trip_time_is_probed_after_ten_seconds() {
    let mut hand = Hand::cycling();
    let (start, cwnd) = (hand.ms, hand.window.cwnd);
    let slow = |hand: &mut Hand, ms, acked, in_flight| {
        hand.ms = ms;
        let rtt = Some(Duration::from_millis(12));
        let sample = RateSample { rtt, interval: rtt, ..hand.sample(acked, in_flight) };
        hand.take(&sample);
    };
    slow(&mut hand, start + 10_000, 10, 20);
    assert_eq!(hand.model.mode, Mode::ProbeBw);
    assert!(!hand.model.lowers_rate());
    slow(&mut hand, start + 10_001, 10, 20);
    assert_eq!((hand.model.mode, hand.window.cwnd), (Mode::ProbeRtt, 4.0));
    assert!(hand.model.lowers_rate() && hand.paces(0.99));
    slow(&mut hand, start + 10_020, 16, 4);
    slow(&mut hand, start + 10_220, 4, 4);
    assert_eq!((hand.model.mode, hand.window.cwnd), (Mode::ProbeRtt, 4.0));
    slow(&mut hand, start + 10_221, 4, 4);
    assert_eq!(hand.model.mode, Mode::ProbeBw);
    assert!(hand.window.cwnd >= cwnd - 2.0, "{} {cwnd}", hand.window.cwnd);
    // The new round-trip time holds.
    assert_eq!(hand.model.min_rtt.get(), Some(Duration::from_millis(12)));
}

/// Of 30 in flight an ACK delivers 2 and marks 8 lost: cwnd is the 20 that are left and 2; afterwards it is what it was.
#[test]
fn a_recovery_sends_what_is_delivered_and_restores_the_window() {
    let mut hand = Hand::cycling();
    let cwnd = hand.window.cwnd;
    hand.model.on_loss(&mut hand.window);
    let lossy = |hand: &Hand, acked, lost: u64, left| RateSample {
        newly_lost: lost * SEGMENT,
        prior_delivered: (hand.total - 5) * SEGMENT,
        repair: Repair::Losses,
        ..hand.sample(acked, left)
    };
    let sample = lossy(&hand, 2, 8, 20);
    hand.take(&sample);
    assert_eq!(hand.window.cwnd, 22.0);
    let sample = lossy(&hand, 1, 0, 21);
    hand.take(&sample);
    assert_eq!(hand.window.cwnd, 22.0);
    // The round is over: towards the target, a segment for each.
    let sample = RateSample { prior_delivered: hand.total * SEGMENT, ..lossy(&hand, 3, 0, 19) };
    hand.take(&sample);
    assert_eq!(hand.window.cwnd, 25.0);
    // What it was and the segment of this ACK; the 18 that have come at once leave room for it.
    let sample = RateSample { repair: Repair::None, ..hand.sample(1, 19) };
    hand.take(&sample);
    assert_eq!(hand.window.cwnd, cwnd + 1.0);
}

/// After a timeout cwnd is one segment, then 4 and more, and at the end of the repair what it was.
#[test]
fn a_timeout_restores_the_window_too() {
    let mut hand = Hand::cycling();
    let cwnd = hand.window.cwnd;
    hand.model.on_timeout(&mut hand.window);
    assert_eq!(hand.window.cwnd, 1.0);
    for grown in [4.0, 5.0] {
        let sample = RateSample { repair: Repair::Timeout, ..hand.sample(1, 0) };
        hand.take(&sample);
        assert_eq!(hand.window.cwnd, grown);
    }
    let sample = hand.sample(1, 0);
    hand.take(&sample);
    assert_eq!(hand.window.cwnd, cwnd);
}

/// After a pause the rate is that of the path, also in the phase that probes.
#[test]
fn a_pause_is_followed_by_the_rate_of_the_path() {
    let mut hand = Hand::cycling();
    while !hand.model.cycle.is_probing() {
        hand.ms += 11;
        let sample = hand.sample(10, 30);
        hand.take(&sample);
    }
    assert!(hand.paces(1.25 * 0.99));
    hand.sent(0, false);
    assert!(hand.paces(1.25 * 0.99));
    hand.sent(0, true);
    assert!(hand.paces(0.99));
    // The round-trip time has not been as low for 10 s, but a pause has drained the queue: no probe.
    hand.ms += 11_000;
    let sample = RateSample { rtt: None, ..hand.sample(1, 3) };
    hand.take(&sample);
    assert_eq!(hand.model.mode, Mode::ProbeBw);
    hand.ms += 1;
    let sample = RateSample { rtt: None, ..hand.sample(1, 3) };
    hand.take(&sample);
    assert_eq!(hand.model.mode, Mode::ProbeRtt);
}
