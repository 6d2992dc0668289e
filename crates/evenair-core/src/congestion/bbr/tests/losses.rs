//! What losses change (5.5.10), and what recovery does to cwnd (5.6.4.4).

use super::*;

/// 5.5.10.3: after a round with a loss 0.7 of 1,000 segments/s and of a cwnd of 300 are left, after another 0.49, but no less than the
/// path has delivered in it: 500 segments/s, 50 in a round. CRUISE paces at 0.99 of that.
#[test]
fn a_round_with_a_loss_leaves_0_7() {
    let mut bench = Bench::cruising();
    bench.round(50);
    bench.lose(1, 300);
    bench.ack_of(NANO, 0, bench.delivered - 50); // the round trip of the loss goes on
    assert_eq!(bench.bbr.model.bw_shortterm, f64::INFINITY);
    bench.round(50);
    assert_eq!((bench.bbr.model.bw_shortterm, bench.bbr.model.inflight_shortterm), (700.0, 210.0));
    assert_eq!(bench.window.cwnd, 210.0);
    close(bench.bbr.pacing_rate, 693.0);
    // A round without a loss changes nothing.
    bench.round(50);
    assert_eq!(bench.bbr.model.bw_shortterm, 700.0);
    bench.lose(1, 210);
    bench.lose(2, 210);
    bench.round(50);
    assert_eq!(bench.bbr.model.bw_shortterm, 500.0);
    close(bench.bbr.model.inflight_shortterm, 147.0);
    // 5.3.3.3: the next probe forgets it.
    bench.ack(bench.bbr.cycle.wait);
    assert_eq!(bench.state(), State::Refill);
    assert_eq!(bench.bbr.model.bw_shortterm, f64::INFINITY);
    assert_eq!((bench.bbr.model.inflight_shortterm, bench.bbr.model.bw), (f64::INFINITY, 1000.0));
}

/// 5.5.10.3: while a flow probes, a loss changes neither.
#[test]
fn a_probe_keeps_its_rate() {
    for mut bench in [Bench::open(), Bench::refilling(), Bench::probing()] {
        bench.round(100);
        bench.lose(1, 100);
        bench.round(100);
        assert_eq!(bench.bbr.model.bw_shortterm, f64::INFINITY);
    }
}

/// 5.5.10.2: the third loss of 120 in flight is more than 2 %. 119 were in flight before it, of which 2.38 might have been lost, and 2
/// were: another 0.38 / 0.98 cross the threshold. UP ends, and the next losses of this probe change nothing.
#[test]
fn a_probe_that_loses_2_percent_sets_the_bound() {
    let mut bench = Bench::probing();
    bench.lose(2, 100);
    assert_eq!((bench.state(), bench.bbr.model.inflight_longterm), (State::Up, f64::INFINITY));
    bench.lose(3, 120);
    assert_eq!((bench.state(), bench.bbr.cycle.was_too_high), (State::Down, true));
    let bound = 119.0 + 0.38 / 0.98;
    close(bench.bbr.model.inflight_longterm, bound);
    bench.lose(10, 90);
    close(bench.bbr.model.inflight_longterm, bound);
    // 5.6.4.7: DOWN leaves as much in flight, CRUISE 0.85 of it (5.3.3.9).
    bench.ack(NANO);
    assert_eq!(bench.state(), State::Cruise);
    close(bench.window.cwnd, 0.85 * bound);
}

/// 5.5.10.2: the bound is 0.7 of the product at least, which is 100.
#[test]
fn the_bound_is_0_7_of_the_product_at_least() {
    let mut bench = Bench::probing();
    bench.lose(3, 50);
    assert_eq!(bench.bbr.model.inflight_longterm, 70.0);
}

/// 5.5.10.2 and A.6: losses end a probe that the application limits, but set no bound.
#[test]
fn a_probe_that_the_application_limits_sets_no_bound() {
    let mut bench = Bench::probing();
    bench.next.is_app_limited = true;
    bench.lose(3, 50);
    assert_eq!((bench.state(), bench.bbr.model.inflight_longterm), (State::Down, f64::INFINITY));
}

/// 5.5.10.2: losses are the probe's for a round trip after UP, and no longer; nor before UP, as what was sent in REFILL is told by then.
#[test]
fn losses_count_until_the_probe_is_known() {
    let mut bench = Bench::probing();
    for _ in 0..3 {
        bench.round(100);
    }
    assert_eq!(bench.state(), State::Down);
    let mut later = bench.bbr.clone();
    bench.lose(3, 100);
    assert!(bench.bbr.model.inflight_longterm < 100.0);
    std::mem::swap(&mut bench.bbr, &mut later);
    bench.round(100);
    bench.lose(3, 100);
    assert_eq!(bench.bbr.model.inflight_longterm, f64::INFINITY);
    let mut bench = Bench::refilling();
    bench.lose(3, 100);
    assert_eq!(bench.bbr.model.inflight_longterm, f64::INFINITY);
}

/// 5.3.3.9: what was in flight and has not lost more than 2 % is safe, in any state. Of 150, 3 are 2 %.
#[test]
fn what_is_safe_raises_the_bound() {
    let mut bench = Bench::cruising();
    bench.bbr.model.inflight_longterm = 120.0;
    (bench.next.tx_in_flight, bench.next.lost) = (150 * SEGMENT, 4 * SEGMENT);
    bench.ack(NANO);
    assert_eq!(bench.bbr.model.inflight_longterm, 120.0);
    bench.next.lost = 3 * SEGMENT;
    bench.ack(NANO);
    assert_eq!(bench.bbr.model.inflight_longterm, 150.0);
}

/// 3.7: a mark is congestion, as a loss below the threshold.
#[test]
fn a_mark_is_congestion() {
    let mark = |bench: &mut Bench| {
        let event = super::super::super::tests::signal(0, 1.0, 100.0);
        bench.bbr.on_congestion_mark(&mut bench.window, &event);
        bench.round(50);
    };
    let mut bench = Bench::cruising();
    bench.round(50);
    mark(&mut bench);
    assert_eq!((bench.bbr.model.bw_shortterm, bench.bbr.model.inflight_shortterm), (700.0, 210.0));
    let mut bench = Bench::probing();
    mark(&mut bench);
    assert_eq!((bench.state(), bench.bbr.model.bw_shortterm), (State::Up, f64::INFINITY));
}

/// 5.6.4.4: a timeout leaves a segment. Each ACK then adds what it acknowledges, from four on, and the end of recovery restores
/// what cwnd was.
#[test]
fn recovery_restores_cwnd() {
    let mut bench = Bench::cruising();
    let event = super::super::super::tests::signal(0, 0.0, 100.0);
    bench.bbr.on_timeout(&mut bench.window, &event, true);
    assert_eq!(bench.window.cwnd, 1.0);
    bench.next.repair = Repair::Timeout;
    let mut windows = vec![];
    for _ in 0..3 {
        bench.ack(NANO);
        windows.push(bench.window.cwnd);
    }
    assert_eq!(windows, [4.0, 5.0, 6.0]);
    // A second timeout does not forget it.
    bench.bbr.on_timeout(&mut bench.window, &event, true);
    bench.next.repair = Repair::None;
    bench.ack(NANO);
    assert_eq!(bench.window.cwnd, 301.0, "300, and what this ACK acknowledges");
    // Fast recovery leaves cwnd, which the model bounds.
    bench.bbr.on_loss(&mut bench.window, &event);
    assert_eq!(bench.window.cwnd, 301.0);
}
