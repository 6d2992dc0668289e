//! What marks change by Linux's rule, on a path of 5 ms. Expected values are by hand, from the constants of `tcp_bbr.c`.

use super::*;
use crate::congestion::EcnFeedback;

const SHORT: Duration = Duration::from_millis(5);

/// A flow with ECN on a path of this round-trip time.
fn open(rtt: Duration) -> Bench {
    let config = BbrConfig { ecn: EcnRule::Linux, ..BbrConfig::default() };
    let mut bench = Bench::with(config, true);
    assert_eq!(bench.bbr.use_ecn(EcnFeedback::Rfc3168), EcnResponse::Scalable);
    let event = OpenEvent { now: bench.now, srtt: Some(rtt), segment: SEGMENT, has_sack: true };
    bench.bbr.on_open(&mut bench.window, &event);
    (bench.next.rtt, bench.next.interval) = (Some(rtt), Some(rtt));
    bench
}

/// A round trip that delivers so many segments, of which so many are marked.
fn round(bench: &mut Bench, segments: u64, marked: u64) {
    (bench.next.newly_marked, bench.next.marked) = (marked * SEGMENT, marked * SEGMENT);
    bench.ack_of(SHORT, segments, bench.delivered);
    (bench.next.newly_marked, bench.next.marked) = (0, 0);
}

fn alpha(bench: &Bench) -> f64 {
    bench.bbr.marks.as_ref().unwrap().alpha
}

/// A flow in CRUISE that has found 20,000 segments/s, a product of 100, in five rounds without marks.
fn cruising() -> Bench {
    let mut bench = open(SHORT);
    for _ in 0..4 {
        round(&mut bench, 100, 0);
    }
    assert_eq!(bench.state(), State::Drain);
    bench.in_flight(100);
    round(&mut bench, 100, 0);
    assert_eq!((bench.state(), bench.window.cwnd), (State::Cruise, 300.0));
    bench
}

/// The share is 1 at first; rounds with 0, 50 and 100 marks of 100 leave 15/16, 225/256 + 1/32 and 15/16 of that + 1/16.
#[test]
fn the_share_is_smoothed_with_a_sixteenth() {
    let mut bench = open(SHORT);
    assert_eq!(alpha(&bench), 1.0);
    let mut alphas = vec![];
    for marked in [0, 50, 100] {
        round(&mut bench, 100, marked);
        alphas.push(alpha(&bench));
    }
    assert_eq!(alphas, [0.9375, 0.910_156_25, 0.915_771_484_375]);
}

/// Above 5 ms marks count for nothing; once a round-trip time of 5 ms has been measured, all do that have come before.
#[test]
fn marks_count_at_5_ms() {
    let mut bench = open(SHORT + NANO);
    round(&mut bench, 100, 100);
    round(&mut bench, 100, 0);
    assert_eq!(alpha(&bench), 1.0);
    bench.next.rtt = Some(SHORT);
    round(&mut bench, 100, 0); // measures it
    assert_eq!(alpha(&bench), 1.0);
    round(&mut bench, 100, 0);
    assert_eq!(alpha(&bench), 0.9375 + 0.25 / 16.0);
}

/// Where there is no ECN, and by the draft's rule, nothing is kept.
#[test]
fn it_needs_both_ends() {
    let mut bench = open(SHORT);
    assert_eq!(bench.bbr.use_ecn(EcnFeedback::None), EcnResponse::Classic);
    assert!(bench.bbr.marks.is_none());
    let mut bench = Bench::open();
    assert_eq!(bench.bbr.use_ecn(EcnFeedback::AccEcn), EcnResponse::Classic);
    assert!(bench.bbr.marks.is_none());
}

/// Half of a round trip is marked, less than half of the next, then half in two: the rates have grown by a third or more, and
/// Startup ends. What was in flight before that ACK, 400 segments in a round trip, is the bound.
#[test]
fn two_rounds_in_a_row_with_half_marked_end_startup() {
    let mut bench = open(SHORT);
    for (segments, marked) in [(200, 100), (300, 149), (400, 200)] {
        round(&mut bench, segments, marked);
        assert_eq!((bench.state(), bench.bbr.full.reached), (State::Startup, false));
    }
    round(&mut bench, 600, 300);
    assert_eq!((bench.state(), bench.bbr.full.reached), (State::Drain, true));
    assert_eq!(bench.bbr.model.inflight_longterm, 400.0);
}

/// Between probes a round trip with marks leaves 1 - alpha/3 of the volume in flight, alpha after it being (15/16)^6 + 1/32. The
/// rate stays. Another with marks takes its part of what is left; one without nothing.
#[test]
fn a_round_with_marks_takes_a_third_of_the_share() {
    let mut bench = cruising();
    round(&mut bench, 100, 50);
    let share = 0.9375_f64.powi(6) + 0.5 / 16.0;
    close(alpha(&bench), share);
    let left = 300.0 * (1.0 - share / 3.0);
    close(bench.bbr.model.inflight_shortterm, left);
    assert_eq!((bench.bbr.model.bw_shortterm, bench.bbr.model.bw), (f64::INFINITY, 20_000.0));
    close(bench.window.cwnd, left);
    round(&mut bench, 50, 0);
    close(bench.bbr.model.inflight_shortterm, left);
    round(&mut bench, 50, 25);
    let share = (share * 0.9375) * 0.9375 + 0.5 / 16.0;
    close(bench.bbr.model.inflight_shortterm, left * (1.0 - share / 3.0));
}

/// A round trip with marks and a loss has the smaller of both bounds: 0.7 for the loss, as less than a tenth of the share
/// are marks.
#[test]
fn the_smaller_bound_of_marks_and_losses_holds() {
    let mut bench = cruising();
    round(&mut bench, 50, 0);
    bench.lose(1, 300);
    round(&mut bench, 50, 1);
    close(bench.bbr.model.inflight_shortterm, 210.0);
    assert_eq!(bench.bbr.model.bw_shortterm, 14_000.0);
}

/// In UP 50 marks of 100 are not too many, 51 are. What was in flight then, 130, is the bound: more than 0.7 of the product.
#[test]
fn a_probe_of_which_more_than_half_is_marked_ends() {
    let mut bench = cruising();
    bench.ack(bench.bbr.cycle.wait + NANO);
    assert_eq!(bench.state(), State::Refill);
    round(&mut bench, 100, 0);
    assert_eq!(bench.state(), State::Up);
    bench.next.tx_in_flight = 130 * SEGMENT;
    bench.in_flight(130);
    round(&mut bench, 100, 50);
    assert_eq!((bench.state(), bench.bbr.model.inflight_longterm), (State::Up, f64::INFINITY));
    round(&mut bench, 100, 51);
    assert_eq!((bench.state(), bench.bbr.model.inflight_longterm), (State::Down, 130.0));
    assert!(bench.bbr.cycle.was_too_high);
}

/// Once all that was in flight at the last mark has been delivered, and more, the next probe begins. With a bound of 120 its
/// growth is that of the sixth round trip: 32 segments, of 60 the largest power of two.
#[test]
fn when_marks_cease_the_next_probe_begins() {
    let mut bench = cruising();
    bench.bbr.model.inflight_longterm = 120.0;
    round(&mut bench, 100, 10);
    round(&mut bench, 100, 0);
    assert_eq!(bench.state(), State::Cruise);
    let mut after_loss = bench.bbr.clone();
    bench.ack(NANO);
    assert_eq!((bench.state(), bench.bbr.cycle.up_rounds), (State::Refill, 5));
    assert_eq!(bench.bbr.model.inflight_shortterm, f64::INFINITY);
    // Not after a loss.
    std::mem::swap(&mut bench.bbr, &mut after_loss);
    bench.lose(1, 300);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::Cruise);
}
