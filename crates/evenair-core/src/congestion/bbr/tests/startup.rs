//! Startup and Drain (5.3.1, 5.3.2), pacing (5.6.2) and the quantum (5.6.3).

use super::*;
use crate::congestion::tests::observed;

/// 5.6.2: 2.77 times ten segments in 100 ms are 277/s. 100 segments/s would be 2.77 * 0.99 * 100 = 274.23, less than that; 200
/// are 548.46, of 8,000 bits each.
#[test]
fn startup_paces_at_2_77_times_the_bandwidth() {
    let mut bench = Bench::open();
    close(bench.bbr.pacing_rate, 277.0);
    bench.round(10);
    assert_eq!(bench.bbr.model.bw, 100.0);
    close(bench.bbr.pacing_rate, 277.0);
    bench.round(20);
    close(bench.bbr.pacing_rate, 548.46);
    assert_eq!(bench.bbr.pacing_rate(), Some(Rate::from_bps(4_387_680)));
}

/// 5.6.2: without a round-trip time the nominal bandwidth is that of 1 ms.
#[test]
fn a_handshake_without_a_round_trip_time_counts_as_1_ms() {
    let mut bench = Bench::open();
    let event = OpenEvent { now: bench.now, srtt: None, segment: SEGMENT, has_sack: true };
    bench.bbr.on_open(&mut bench.window, &event);
    close(bench.bbr.pacing_rate, 27_700.0);
}

/// 5.6.3: 1 ms at the pacing rate, two segments at least, 65,536 bytes at most.
#[test]
fn a_quantum_is_a_millisecond() {
    let mut bench = Bench::open();
    assert_eq!(bench.bbr.send_quantum, 2.0);
    bench.round(1000);
    close(bench.bbr.send_quantum, 27.423); // 10,000 segments/s
    bench.round(10_000);
    close(bench.bbr.send_quantum, 65.536);
}

/// 5.3.1.2: 125 is 25 % more than 100, and a new baseline. 156 is less than 156.25: the third such round is the last.
#[test]
fn three_rounds_with_less_than_25_percent_growth_end_it() {
    let mut bench = Bench::open();
    for segments in [100, 125, 156, 130] {
        bench.round(segments);
        assert_eq!((bench.state(), bench.bbr.full.reached), (State::Startup, false));
    }
    // The samples of a round that do not begin it do not count.
    bench.ack(Duration::ZERO);
    bench.round(156);
    assert_eq!((bench.state(), bench.bbr.full.reached), (State::Drain, true));
    // 5.3.2: half of the bandwidth, 1,560 segments/s, less the margin.
    close(bench.bbr.pacing_rate, 0.5 * 0.99 * 1560.0);
}

/// 5.3.1.2, 5.3.2 and the gains of 5.6.1, as a series has them: 100 segments of 8,000 bits in 100 ms are 8 Mb/s. Three rounds
/// without growth end Startup, and an empty queue ends Drain.
#[test]
fn a_series_has_the_states_of_a_start() {
    let mut bench = Bench::open();
    let mut seen = vec![observed(&bench.bbr)];
    for round in 0..5 {
        bench.in_flight(if round < 4 { 1000 } else { 100 });
        bench.round(100);
        seen.push(observed(&bench.bbr));
    }
    let row = |state: &str, bandwidth, gain| {
        (vec![state.to_owned()], vec![bandwidth, Some(0.1), Some(gain)])
    };
    let starts = row("Startup", Some(8e6), 2.77);
    let others = [row("Drain", Some(8e6), 0.5), row("ProbeBW_CRUISE", Some(8e6), 1.0)];
    let expected = [row("Startup", None, 2.77), starts.clone(), starts.clone(), starts];
    assert_eq!(seen, [&expected[..], &others].concat());
}

/// 5.3.1.2: growth of 25 % starts the count anew.
#[test]
fn growth_starts_the_count_anew() {
    let mut bench = Bench::open();
    for segments in [100, 100, 100, 125, 125, 125] {
        bench.round(segments);
        assert_eq!(bench.state(), State::Startup);
    }
    bench.round(125);
    assert_eq!(bench.state(), State::Drain);
}

/// 5.3.1.2 and A.7: rounds that the application limits do not count.
#[test]
fn rounds_that_the_application_limits_do_not_end_it() {
    let mut bench = Bench::open();
    bench.round(100);
    bench.next.is_app_limited = true;
    for _ in 0..20 {
        bench.round(50);
    }
    assert_eq!(bench.state(), State::Startup);
    // 5.5.4: nor do they lower the estimate, but a higher rate raises it.
    assert_eq!(bench.bbr.model.bw, 1000.0);
    bench.round(110);
    assert_eq!(bench.bbr.model.bw, 1100.0);
}

/// A flow in recovery that has lost these segments, `lost` of which count for a sample with 100 in flight.
fn losing(numbers: &[u64], lost: u64, rounds: u64) -> Bench {
    let mut bench = Bench::open();
    bench.next.is_app_limited = true; // A.2: it is not the plateau that ends Startup.
    bench.round(100);
    for &number in numbers {
        bench.lose_at(number, 1, 100);
    }
    bench.next.repair = Repair::Losses;
    bench.next.tx_in_flight = 100 * SEGMENT;
    bench.ack(Duration::ZERO);
    bench.next.lost = lost * SEGMENT;
    for _ in 0..rounds {
        bench.round(80);
    }
    bench
}

/// 5.3.1.3: more than 2 % of 100 segments, six ranges, and a round trip in recovery. The bandwidth is 1,000 segments/s: inflight_longterm
/// is the product, 100.
#[test]
fn six_lost_ranges_of_2_percent_end_it() {
    let six = [0, 2, 4, 6, 8, 10];
    let bench = losing(&six, 3, 1);
    assert_eq!(
        (bench.state(), bench.bbr.full.now, bench.bbr.full.reached),
        (State::Drain, true, true)
    );
    assert_eq!(bench.bbr.model.inflight_longterm, 100.0);
    // Not a round trip in recovery; 2 % and no more; five ranges, as two of the six touch.
    for bench in [losing(&six, 3, 0), losing(&six, 2, 1), losing(&[0, 2, 4, 6, 8, 9], 3, 1)] {
        assert_eq!((bench.state(), bench.bbr.full.reached), (State::Startup, false));
        assert_eq!(bench.bbr.model.inflight_longterm, f64::INFINITY);
    }
    // Three ranges in each of two round trips are not six in one.
    let mut bench = losing(&six[..3], 3, 1);
    for number in [20, 22, 24] {
        bench.lose_at(number, 1, 100);
    }
    bench.round(80);
    bench.round(80);
    assert_eq!(bench.state(), State::Startup);
}

/// 5.3.1.3: without SACK a sender finds a loss in each round trip, and the first ends Startup. What the round trip has delivered, 120, is
/// more than the product.
#[test]
fn without_sack_one_loss_ends_it() {
    let mut bench = Bench::with(BbrConfig::default(), false);
    bench.round(100);
    bench.next.interval = Some(RTT * 2);
    bench.lose(1, 100);
    bench.next.repair = Repair::Losses;
    bench.ack_of(Duration::ZERO, 20, 0);
    assert_eq!(bench.state(), State::Drain);
    assert_eq!(bench.bbr.model.inflight_longterm, 120.0);
}

/// 5.3.2 and A.3: Drain ends when no more than the product is in flight, 100 segments.
#[test]
fn drain_ends_when_the_queue_is_empty() {
    let mut bench = Bench::open();
    for _ in 0..4 {
        bench.round(100);
    }
    bench.in_flight(101);
    bench.ack(Duration::ZERO);
    assert_eq!(bench.state(), State::Drain);
    bench.in_flight(100);
    bench.ack(Duration::ZERO);
    assert!(bench.state().is_probe_bw());
}

/// 5.3.2: or with the fourth round that begins (`round_count > drain_start_round + 3`).
#[test]
fn drain_ends_with_the_fourth_round() {
    let mut bench = Bench::open();
    for _ in 0..7 {
        bench.round(100);
    }
    assert_eq!(bench.state(), State::Drain);
    bench.round(100);
    assert_eq!(bench.state(), State::Down);
}
