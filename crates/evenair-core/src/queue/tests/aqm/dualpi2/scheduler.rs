//! The scheduler, with turns by hand. The controller does nothing here: its weights are 0.

use super::*;

/// Low-latency packets of flow 1 and classic ones of flow 0, `count` of each, all at 0.
fn backlogged(protection: u64, count: u64, sizes: [u32; 2]) -> Bench {
    let parameters = [
        ("alpha", Value::Number(0.0)),
        ("beta", Value::Number(0.0)),
        ("classic_protection", Value::Integer(protection)),
    ];
    let mut bench = Bench::new(&dualpi2(&parameters), QueueLimit::Unlimited);
    for seq in 0..count {
        bench.arrive(l4s(data(1, seq, sizes[0])));
        bench.arrive(data(0, seq, sizes[1]));
    }
    bench
}

/// The departures before each of the first classic ones, since the last.
fn low_latency_runs(bench: &mut Bench, runs: usize) -> Vec<u32> {
    let mut before = vec![];
    let mut run = 0;
    while before.len() < runs {
        match bench.flow_at(0).unwrap() {
            1 => run += 1,
            _ => before.push(std::mem::take(&mut run)),
        }
    }
    before
}

/// By hand: the credit begins at 1500 * (10 - 90) = -120000. Each packet of L adds 15000, so the ninth makes it positive, and
/// one of C takes 135000: it is -120000 again.
#[test]
fn one_packet_in_ten_is_classic() {
    let mut bench = backlogged(10, 100, [1500, 1500]);
    assert_eq!(low_latency_runs(&mut bench, 10), [9; 10]);
}

/// By hand: a packet of L adds 3000. The 41st makes the credit 3000; one of C takes 135000 and leaves -132000; from then on it
/// is 45 packets of L, 13500 bytes, to each of C with 1500: nine bytes to one.
#[test]
fn one_byte_in_ten_is_classic() {
    let mut bench = backlogged(10, 300, [300, 1500]);
    assert_eq!(low_latency_runs(&mut bench, 6), [41, 45, 45, 45, 45, 45]);
}

/// By hand: at 50% the credit begins at 0, which is a turn of L; at 100% it stays at 150000, and at 0% at -150000.
#[test]
fn protection_is_a_share_from_none_to_all() {
    assert_eq!(low_latency_runs(&mut backlogged(50, 20, [1500, 1500]), 5), [1; 5]);
    assert_eq!(low_latency_runs(&mut backlogged(100, 20, [1500, 1500]), 20), [0; 20]);
    assert_eq!(low_latency_runs(&mut backlogged(0, 20, [1500, 1500]), 3), [20, 0, 0]);
}

/// By hand: after nine packets of L the credit is 15000, and a packet of C of 3000 bytes takes 270000: it is -255000. Alone, L
/// does not change it. Then 17 packets of L make it 0, and the 18th positive. After both were empty it is -120000 again, which
/// is nine packets.
#[test]
fn the_credit_stays_while_one_queue_is_empty_and_begins_anew_after_both_were() {
    let mut bench = backlogged(10, 0, [1500, 1500]);
    for seq in 0..100 {
        bench.arrive(l4s(data(1, seq, 1500)));
    }
    bench.arrive(data(0, 0, 3000));
    assert_eq!(low_latency_runs(&mut bench, 1), [9]);
    for _ in 0..20 {
        assert_eq!(bench.flow_at(0), Some(1));
    }
    bench.arrive(data(0, 1, 3000));
    assert_eq!(low_latency_runs(&mut bench, 1), [18]);
    while bench.flow_at(0).is_some() {}
    for seq in 0..30 {
        bench.arrive(l4s(data(1, seq, 1500)));
        bench.arrive(data(0, seq, 3000));
    }
    assert_eq!(low_latency_runs(&mut bench, 2), [9, 18]);
}

#[test]
fn observers_are_told_the_turns() {
    let mut bench = backlogged(10, 40, [300, 1500]);
    for _ in 0..7 {
        bench.flow_at(0);
    }
    let told: Vec<u64> = bench.queue.packets().iter().map(|packet| packet.seq).collect();
    let flows: Vec<u32> = bench.queue.packets().iter().map(|packet| packet.flow.0).collect();
    for (seq, flow) in told.into_iter().zip(flows) {
        let left = bench.serve(0).returned.unwrap();
        assert_eq!((left.seq, left.flow.0), (seq, flow));
    }
    assert_eq!(bench.flow_at(0), None);
}

/// A receiver's packets leave past those of others, whoever has the turn, unless the next is too large.
#[test]
fn packets_for_one_receiver_leave_as_if_no_others_waited() {
    let mut bench = backlogged(10, 3, [1500, 1500]);
    let mut ask = |flow: u32, bytes: u32| {
        let mut actions = ActionLog::new();
        let wanted = |packet: &Packet| packet.flow.0 == flow;
        let left = bench.queue.dequeue_of(Instant::ZERO, wanted, bytes, &mut actions);
        assert_eq!(actions.dropped, []);
        left.map(|packet| (packet.flow.0, packet.seq))
    };
    assert_eq!(ask(0, 1500), Some((0, 0)));
    assert_eq!(ask(0, 1499), None);
    assert_eq!(ask(0, 1500), Some((0, 1)));
    assert_eq!(ask(1, 1500), Some((1, 0)));
    assert_eq!(ask(0, 1500), Some((0, 2)));
    assert_eq!(ask(0, 1500), None);
    assert_eq!(ask(1, 1499), None);
    assert_eq!(ask(1, 1500), Some((1, 1)));
}
