//! Marks and drops.

use super::*;

const PACKETS: u64 = 20_000;

/// The packets of `make`, all at 0, and one of 1500 bytes behind them, so that the controller spares none. At the first update,
/// at 100 ms, the base probability is `p`: by hand 0.085 times `alpha`.
fn controlled(p: f64, more: &[(&str, Value)], make: impl Fn(Packet) -> Packet) -> Bench {
    let mut parameters = vec![
        ("tupdate", time(100 * MS)),
        ("alpha", Value::Number(p / 0.085)),
        ("beta", Value::Number(0.0)),
        ("step_thresh", time(10_000 * MS)),
    ];
    parameters.extend(more.iter().cloned());
    let mut bench = Bench::new(&dualpi2(&parameters), QueueLimit::Unlimited);
    for seq in 0..PACKETS {
        bench.arrive(make(data(0, seq, 1500)));
    }
    bench
}

/// Shares of the packets that are dropped and marked when all but the last two, which the controller spares, leave at 100 ms.
fn shares(bench: &mut Bench, p: f64) -> [f64; 2] {
    let [mut dropped, mut marked] = [0, 0];
    while bench.queue.backlog().packets() > 2 {
        let outcome = bench.serve(100 * MS);
        assert!((base_probability(bench) - p).abs() < 1e-12);
        dropped += outcome.dropped.len() as u64;
        marked += outcome.marked;
        assert!(outcome.dropped.iter().all(|lost| lost.reason == DropReason::OnDeparture));
        let is_marked = outcome.returned.is_some_and(|packet| packet.ecn == Ecn::Ce);
        assert_eq!(is_marked, outcome.marked == 1);
    }
    [dropped, marked].map(|count| count as f64 / PACKETS as f64)
}

/// Four standard deviations of a binomial share: a sound queue fails with another seed once in 16,000 times.
fn assert_share(share: f64, probability: f64) {
    let tolerance = 4.0 * (probability * (1.0 - probability) / PACKETS as f64).sqrt();
    assert!((share - probability).abs() <= tolerance, "{share}, not {probability}");
}

/// At p' = 0.3: by hand 0.3^2 = 9% of classic packets, 2 * 0.3 = 60% of low-latency ones.
#[test]
fn classic_packets_feel_the_square_of_what_low_latency_packets_feel() {
    let [dropped, marked] = shares(&mut controlled(0.3, &[], |packet| packet), 0.3);
    assert_share(dropped, 0.09);
    assert_eq!(marked, 0.0);
    let [dropped, marked] = shares(&mut controlled(0.3, &[], capable), 0.3);
    assert_eq!(dropped, 0.0);
    assert_share(marked, 0.09);
    let [dropped, marked] = shares(&mut controlled(0.3, &[], l4s), 0.3);
    assert_eq!(dropped, 0.0);
    assert_share(marked, 0.6);
    let three = [("coupling_factor", Value::Integer(3))];
    assert_share(shares(&mut controlled(0.3, &three, l4s), 0.3)[1], 0.9);
}

/// At p' = 0.6 the marks of low-latency packets would be 120%: 36% of the packets of both queues are dropped, whatever their
/// ECN field, and all other low-latency packets are marked.
#[test]
fn both_queues_drop_at_overload() {
    let [dropped, marked] = shares(&mut controlled(0.6, &[], l4s), 0.6);
    assert_share(dropped, 0.36);
    assert!((dropped + marked - 1.0).abs() < 3.0 / PACKETS as f64);
    let [dropped, marked] = shares(&mut controlled(0.6, &[], capable), 0.6);
    assert_share(dropped, 0.36);
    assert_eq!(marked, 0.0);
}

/// Without drops at overload p' is at most 1/2: all low-latency packets are marked, and a quarter of classic ones.
#[test]
fn without_drops_at_overload_packets_are_marked() {
    let overflow = [("drop_on_overload", Value::Switch(false))];
    let [dropped, marked] = shares(&mut controlled(0.6, &overflow, l4s), 0.5);
    assert_eq!(dropped, 0.0);
    assert!((marked - 1.0).abs() < 3.0 / PACKETS as f64);
    let [dropped, marked] = shares(&mut controlled(0.6, &overflow, capable), 0.5);
    assert_eq!(dropped, 0.0);
    assert_share(marked, 0.25);
}

/// With `drop_early` the same happens to what arrives: the update at 100 ms finds the head of 0.
#[test]
fn with_drop_early_arrivals_are_marked_and_dropped() {
    let early = [("drop_early", Value::Switch(true))];
    let mut bench = controlled(0.3, &early, |packet| packet);
    bench.now = 100 * MS;
    let (mut dropped, mut marked) = (0, 0);
    for seq in 0..PACKETS {
        let outcome = bench.arrive(data(1, seq, 1500));
        assert!(outcome.dropped.iter().all(|lost| lost.reason == DropReason::OnArrival));
        dropped += outcome.dropped.len();
        marked += bench.arrive(l4s(data(2, seq, 1500))).marked;
    }
    assert_share(dropped as f64 / PACKETS as f64, 0.09);
    assert_share(marked as f64 / PACKETS as f64, 0.6);
    // Those that leave are neither, and those marked before are not counted again after the step.
    while bench.queue.backlog().packets() > 0 {
        let outcome = bench.serve(101 * MS);
        assert_eq!((outcome.dropped, outcome.marked), (vec![], 0));
    }
}

/// By hand: where all low-latency packets are marked, the first of three has 3000 bytes beside it, twice the MTU, and is
/// marked; the second, with 1500, and the last are spared.
#[test]
fn the_controller_spares_packets_of_a_short_queue() {
    let mut parameters = vec![("drop_on_overload", Value::Switch(false))];
    parameters.push(("beta", Value::Number(1000.0)));
    parameters.push(("step_thresh", time(10_000 * MS)));
    let mut bench = Bench::new(&dualpi2(&parameters), QueueLimit::Packets(100));
    for seq in 0..3 {
        bench.arrive(l4s(data(0, seq, 1500)));
    }
    let marks: Vec<u64> = (0..3).map(|_| bench.serve(16 * MS).marked).collect();
    assert_eq!(marks, [1, 0, 0]);
}

/// The threshold is 1 ms. The controller is switched off.
fn stepped(more: &[(&str, Value)]) -> Bench {
    let mut parameters = vec![("alpha", Value::Number(0.0)), ("beta", Value::Number(0.0))];
    parameters.extend(more.iter().cloned());
    Bench::new(&dualpi2(&parameters), QueueLimit::Packets(100))
}

#[test]
fn the_step_marks_what_has_waited_longer_than_its_threshold() {
    for (wait, marked) in [(0, 0), (MS - 1, 0), (MS, 0), (MS + 1, 1), (5 * MS, 1)] {
        let mut bench = stepped(&[]);
        bench.arrive(l4s(data(0, 0, 1500)));
        let outcome = bench.serve(wait);
        assert_eq!(outcome.marked, marked, "{wait}");
        let expected = if marked == 1 { Ecn::Ce } else { Ecn::Ect1 };
        assert_eq!(outcome.returned.map(|packet| packet.ecn), Some(expected));
    }
    // A classic packet has no step.
    let mut bench = stepped(&[]);
    bench.arrive(capable(data(0, 0, 1500)));
    assert_eq!(bench.serve(50 * MS).marked, 0);
}

/// By hand: of five packets the first three leave more than one packet in the low-latency queue; packets of the other queue do
/// not count.
#[test]
fn the_step_may_count_packets() {
    let mut bench = stepped(&[("step_packets", Value::Integer(1))]);
    for seq in 0..5 {
        bench.arrive(l4s(data(0, seq, 1500)));
    }
    for seq in 0..5 {
        bench.arrive(data(1, seq, 1500));
    }
    let marks: Vec<u64> = (0..5).map(|_| bench.serve(0).marked).collect();
    assert_eq!(marks, [1, 1, 1, 0, 0]);
}

/// By hand: the first two packets find fewer than two in the low-latency queue.
#[test]
fn the_step_may_need_a_queue() {
    let mut bench = stepped(&[("min_qlen_step", Value::Integer(2))]);
    bench.arrive(capable(data(1, 0, 1500)));
    for seq in 0..4 {
        bench.arrive(l4s(data(0, seq, 1500)));
    }
    let marks: Vec<u64> = (0..4).map(|_| bench.serve(50 * MS).marked).collect();
    assert_eq!(marks, [0, 0, 1, 1]);
}

/// A packet that both the step and the controller mark counts once.
#[test]
fn a_packet_is_marked_once() {
    let parameters = [("beta", Value::Number(1000.0)), ("drop_on_overload", Value::Switch(false))];
    let mut bench = Bench::new(&dualpi2(&parameters), QueueLimit::Packets(100));
    for seq in 0..10 {
        bench.arrive(l4s(data(0, seq, 1500)));
    }
    assert_eq!(bench.serve(16 * MS).marked, 1);
}

#[test]
fn the_ecn_field_says_which_queue_it_is() {
    // The low-latency queue goes first.
    for (any, order) in [(false, [3, 4, 1, 2]), (true, [2, 3, 4, 1])] {
        let name = if any { "any_ect" } else { "l4s_ect" };
        let mut bench = stepped(&[("classify", Value::Name(name))]);
        for (flow, ecn) in [(1, Ecn::NotEct), (2, Ecn::Ect0), (3, Ecn::Ect1), (4, Ecn::Ce)] {
            bench.arrive(Packet { ecn, ..data(flow, 0, 1500) });
        }
        assert_eq!([0; 4].map(|time| bench.flow_at(time).unwrap()), order, "{name}");
    }
}

#[test]
fn both_queues_share_the_limit() {
    let mut bench = Bench::new(&dualpi2(&[]), QueueLimit::Packets(2));
    bench.arrive(data(0, 0, 1500));
    bench.arrive(l4s(data(1, 0, 1500)));
    for packet in [data(0, 1, 1500), l4s(data(1, 1, 1500))] {
        let lost = Dropped { packet, reason: DropReason::OnArrival };
        assert_eq!(bench.arrive(packet).dropped, [lost]);
    }
}
