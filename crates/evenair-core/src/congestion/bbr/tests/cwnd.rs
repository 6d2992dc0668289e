//! The window (5.6.4) and ACK aggregation (5.5.9).

use super::*;

/// 5.6.4.6: in Startup each ACK adds what it acknowledges, up to twice the product and the extra.
#[test]
fn startup_adds_what_is_acknowledged() {
    let mut bench = Bench::open();
    bench.round(10);
    assert_eq!(bench.window.cwnd, 20.0);
    // 20 segments in 100 ms: the product is 20. 20 have come at once (5.5.9).
    bench.ack_of(Duration::ZERO, 10, 0);
    assert_eq!(bench.window.cwnd, 30.0);
    // ACKs that come in more time than they should are no extra but for the segment of each. The burst is remembered for a
    // round.
    bench.next.is_app_limited = true;
    for _ in 0..20 {
        bench.ack_of(Duration::from_millis(150), 1, bench.delivered - 1);
    }
    assert_eq!((bench.state(), bench.window.cwnd), (State::Startup, 41.0));
}

/// 5.6.4.6: until the initial window of ten segments is delivered there is no bound, also if there is no bandwidth yet.
#[test]
fn the_initial_window_is_not_bounded() {
    let mut bench = Bench::open();
    bench.next.interval = None;
    bench.ack_of(Duration::ZERO, 5, 0);
    bench.ack_of(Duration::ZERO, 4, 0);
    assert_eq!(bench.window.cwnd, 19.0);
    bench.ack_of(Duration::ZERO, 1, 0);
    assert_eq!(bench.window.cwnd, 19.0);
}

/// 5.6.4.2 and 5.6.1: 2 * 100 and an extra of 100; in UP 2.25 * 100, and two segments more.
#[test]
fn the_gain_of_up_is_larger() {
    assert_eq!(Bench::refilling().window.cwnd, 300.0);
    assert_eq!(Bench::probing().window.cwnd, 327.0);
}

/// 5.5.9: ACKs for ten segments at a time are ten ahead of the rate. What was more is forgotten after ten rounds, once ACKs have come
/// late.
#[test]
fn aggregated_acks_raise_it() {
    let mut bench = Bench::cruising();
    let round = |bench: &mut Bench, acked| {
        let start = bench.delivered;
        for n in 0..100 / acked {
            let wait = Duration::from_millis(acked);
            bench.ack_of(wait, acked, if n == 0 { start } else { start - 1 });
        }
    };
    bench.next.interval = None; // the rate is known
    bench.ack(RTT * 2);
    for _ in 0..12 {
        round(&mut bench, 10);
    }
    assert_eq!((bench.state(), bench.window.cwnd), (State::Cruise, 210.0));
}

/// 5.6.4.2 and 5.6.4.3: a product of 2 segments, but a budget of three quanta of two segments (5.5.8.1).
#[test]
fn the_least_is_three_quanta() {
    let mut bench = Bench::cruising_with(2);
    assert_eq!(bench.bbr.send_quantum, 2.0);
    assert_eq!(bench.window.cwnd, 6.0);
    // 5.6.4.7: what bounds it leaves four segments.
    bench.bbr.model.inflight_shortterm = 1.0;
    bench.ack(NANO);
    assert_eq!(bench.window.cwnd, 4.0);
}
