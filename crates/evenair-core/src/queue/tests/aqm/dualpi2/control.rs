//! The controller, with updates by hand.

use super::*;

/// By hand, with the defaults: a target of 15 ms, an update each 16 ms. Two packets arrive, at 0 and at 70 ms; the first leaves
/// at 81 ms, the second after the sixth update.
///
/// | update | delay, s | 0.16 (delay - 0.015) | 3.2 (delay - last) | sum | p' |
/// |---|---|---|---|---|---|
/// | 1 | 0.016 | 0.00016 | 0.0512 | 0.05136 | 0.05136 |
/// | 2 | 0.032 | 0.00272 | 0.0512 | 0.05392 | 0.10528 |
/// | 3 | 0.048 | 0.00528 | 0.0512 | 0.05648 | 0.16176 |
/// | 4 | 0.064 | 0.00784 | 0.0512 | 0.05904 | 0.2208 |
/// | 5 | 0.080 | 0.0104 | 0.0512 | 0.0616 | 0.2824 |
/// | 6 | 0.026 | 0.00176 | -0.1728 | -0.17104 | 0.11136 |
/// | 7 | 0 | -0.0024 | -0.0832 | -0.0856 | 0.02576 |
/// | 8 | 0 | -0.0024 | 0 | -0.0024 | 0.02336 |
#[test]
fn the_base_probability_follows_its_control_law() {
    for low_latency in [false, true] {
        let kind = |packet| if low_latency { l4s(packet) } else { packet };
        let mut bench = Bench::new(&dualpi2(&[]), QueueLimit::Packets(2));
        bench.arrive(kind(data(0, 0, 1500)));
        bench.now = 70 * MS;
        bench.arrive(kind(data(0, 1, 1500)));
        // A third one finds no room, and the probability of the last update.
        for (time, expected) in [(70 * MS, 0.2208), (80 * MS - 1, 0.2208), (80 * MS, 0.2824)] {
            bench.now = time;
            bench.arrive(kind(data(0, 2, 1500)));
            assert_near(base_probability(&bench), expected);
        }
        bench.serve(81 * MS);
        bench.serve(96 * MS);
        assert_near(base_probability(&bench), 0.11136);
    }
}

/// The last two rows of the table: nothing waits.
#[test]
fn the_base_probability_falls_while_the_queue_is_empty() {
    let mut bench = Bench::new(&dualpi2(&[]), QueueLimit::Packets(1000));
    bench.arrive(data(0, 0, 1500));
    bench.now = 70 * MS;
    bench.arrive(data(0, 1, 1500));
    bench.serve(81 * MS);
    bench.serve(96 * MS);
    for (time, expected) in [(112, 0.02576), (128, 0.02336), (144, 0.02096)] {
        assert_eq!(bench.serve(time * MS), Outcome::default());
        assert_near(base_probability(&bench), expected);
    }
    // Ten updates later it is 0, and an hour later, too.
    for time in [144 + 160, 3_600_000] {
        assert_eq!(bench.serve(time * MS), Outcome::default());
        assert_eq!(base_probability(&bench), 0.0);
    }
}

/// By hand: at 16 ms the head of L has waited for 16 ms, that of C for 6 ms; or the other way round. The delay is 16 ms.
#[test]
fn the_longer_delay_of_both_queues_counts() {
    for swapped in [false, true] {
        let mut bench = Bench::new(&dualpi2(&[]), QueueLimit::Packets(1000));
        let (first, second) = (data(0, 0, 1500), data(1, 0, 1500));
        bench.arrive(if swapped { l4s(first) } else { first });
        bench.now = 10 * MS;
        bench.arrive(if swapped { second } else { l4s(second) });
        bench.serve(16 * MS);
        assert_near(base_probability(&bench), 0.05136);
    }
}

/// By hand: the third update, at a delay of 48 ms, would make the probability 0.16 * 0.033 + 50 * 0.048 with this beta; it is at
/// most 1, or 1/2 where nothing is dropped at overload.
#[test]
fn the_base_probability_has_a_bound() {
    for (drops, most) in [(true, 1.0), (false, 0.5)] {
        let parameters =
            [("beta", Value::Number(50.0)), ("drop_on_overload", Value::Switch(drops))];
        let mut bench = Bench::new(&dualpi2(&parameters), QueueLimit::Packets(1000));
        bench.arrive(data(0, 0, 1500));
        bench.serve(48 * MS);
        assert_eq!(base_probability(&bench), most);
    }
}
