use crate::time::{Duration, Instant};
use crate::transport::tfrc::{LossHistory, LossIntervals};

const RTT: Option<Duration> = Some(Duration::from_millis(100));
/// No loss events.
const NONE: [u64; 0] = [];

/// The loss events of a history after these packets have arrived, packet n at n times 10 ms or later.
fn events(arrivals: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let (mut history, mut events) = (LossHistory::default(), vec![]);
    let mut now = Instant::ZERO;
    for number in arrivals {
        now = now.max(Instant::from_nanos(number * 10_000_000));
        history.on_packet(now, number, RTT, |first| events.push(first));
    }
    events
}

fn all_but(end: u64, lost: &[u64]) -> Vec<u64> {
    (0..end).filter(|number| !lost.contains(number)).collect()
}

#[test]
fn three_later_packets_confirm_a_loss() {
    assert_eq!(events([0, 2, 3]), NONE);
    assert_eq!(events([0, 2, 3, 4]), [1]);
    // Late, but in time.
    assert_eq!(events([0, 2, 3, 1, 4, 5]), NONE);
    // The hole 1 to 4 becomes 1 and 3 to 4: packet 2 is above the first alone.
    assert_eq!(events([0, 5, 2, 6]), [1]);
    assert_eq!(events([0, 5, 1, 6, 7]), [2]);
}

/// Packet 5 has nominally arrived at 50 ms: what is lost up to 150 ms belongs to its event.
#[test]
fn losses_of_one_round_trip_are_one_event() {
    assert_eq!(events(all_but(30, &[5, 6])), [5]);
    assert_eq!(events(all_but(30, &[5, 15])), [5]);
    assert_eq!(events(all_but(30, &[5, 16])), [5, 16]);
    assert_eq!(events(all_but(40, &[5, 15, 17])), [5, 17]);
    // The event that 16 has begun ends at 260 ms.
    assert_eq!(events(all_but(40, &[5, 16, 26, 27])), [5, 16, 27]);
}

/// Of a long hole the packets count as if they had arrived evenly: 1 to 11 until 110 ms, 12 to 22, 23.
#[test]
fn a_long_hole_has_several_events() {
    assert_eq!(events([0].into_iter().chain(31..40)), [1, 12, 23]);
}

/// 6 and 7 arrive at 130 ms, 70 ms late: the nominal time of packet 5 is between 40 and 130.
#[test]
fn lost_packets_are_placed_between_arrivals() {
    let (mut history, mut events) = (LossHistory::default(), vec![]);
    let mut arrive = |ms: u64, number| {
        let now = Instant::from_nanos(ms * 1_000_000);
        history.on_packet(now, number, RTT, |first| events.push(first));
    };
    arrive(0, 0);
    // 1 to 9 at 10, 20 ... 90; 10 at 100.
    arrive(100, 10);
    arrive(100, 11);
    arrive(100, 12);
    // 13 to 16 at 150, 200, 250, 300: the event of packet 1 ends at 110, that of 13 at 250.
    arrive(350, 17);
    arrive(350, 18);
    arrive(350, 19);
    assert_eq!(events, [1, 13, 16]);
}

#[test]
fn losses_wait_for_a_round_trip_time() {
    let (mut history, mut events) = (LossHistory::default(), vec![]);
    for (number, rtt) in [(0, None), (2, None), (3, None), (4, None), (5, RTT)] {
        let at = Instant::from_nanos(number * 10_000_000);
        history.on_packet(at, number, rtt, |first| events.push((number, first)));
    }
    assert_eq!(events, [(5, 1)]);
}

/// I_1 to I_8 are 10, 20 ... 80, and packet 280 has begun I_0.
fn intervals(threshold: Option<f64>) -> LossIntervals {
    let mut intervals = LossIntervals::new(threshold);
    for first in [0, 70, 130, 180, 220, 250, 270, 280] {
        intervals.begin(first, 80.0);
    }
    intervals
}

/// p if I_0 has so many packets.
fn rate(intervals: &LossIntervals, current: u64) -> f64 {
    intervals.loss_event_rate(280 + current - 1)
}

fn assert_close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} instead of {expected}");
}

/// By hand: I_tot1 = 10 + 20 + 30 + 40 + 0.8 50 + 0.6 60 + 0.4 70 + 0.2 80 = 220, and I_tot0 = I_0 + 10 +
/// 20 + 30 + 0.8 40 + 0.6 50 + 0.4 60 + 0.2 70 = I_0 + 160; the weights are 6.
#[test]
fn the_average_interval_follows_section_5_4() {
    let intervals = intervals(None);
    assert_close(rate(&intervals, 1), 6.0 / 220.0);
    assert_close(rate(&intervals, 60), 6.0 / 220.0);
    assert_close(rate(&intervals, 61), 6.0 / 221.0);
    assert_close(rate(&intervals, 1000), 6.0 / 1160.0);
}

/// With two intervals, of 5 and 20 packets, the sums have two members.
#[test]
fn a_short_history_has_its_own_weights() {
    let mut intervals = LossIntervals::new(None);
    assert_eq!(intervals.loss_event_rate(100), 0.0);
    intervals.begin(100, 20.0);
    assert_close(intervals.loss_event_rate(100), 1.0 / 20.0);
    assert_close(intervals.loss_event_rate(129), 1.0 / 30.0);
    intervals.begin(105, 0.0);
    assert_close(intervals.loss_event_rate(105), 2.0 / 25.0);
    assert_close(intervals.loss_event_rate(129), 2.0 / 30.0);
}

/// By hand, section 5.5: I_mean is 220 / 6. With I_0 = 100 DF is 2 I_mean / 100 = 11 / 15, with 400 the
/// threshold, 0.25. The weights of I_1 to I_7 in I_tot0 are 5 together.
#[test]
fn old_intervals_are_discounted() {
    let mut intervals = intervals(Some(0.25));
    assert_close(rate(&intervals, 73), 6.0 / 233.0);
    let discount = 11.0 / 15.0;
    assert_close(rate(&intervals, 100), (1.0 + 5.0 * discount) / (100.0 + 160.0 * discount));
    assert_close(rate(&intervals, 400), 2.25 / 440.0);
    // A loss after 400 packets: they are I_1, and the others keep their discount.
    intervals.begin(680, 0.0);
    assert_close(intervals.loss_event_rate(680), 2.25 / 440.0);
    // I_0 = 500 is above twice I_mean, so DF = 2 (440 / 2.25) / 500. I_1 now counts with DF alone.
    let (discount, old) = (880.0 / 2.25 / 500.0, 10.0 + 20.0 + 0.8 * 30.0 + 0.6 * 40.0);
    let old = old + 0.4 * 50.0 + 0.2 * 60.0;
    let old_weights = 1.0 + 1.0 + 0.8 + 0.6 + 0.4 + 0.2;
    let sum = 500.0 + discount * (400.0 + 0.25 * old);
    let weights = 1.0 + discount * (1.0 + 0.25 * old_weights);
    assert_close(intervals.loss_event_rate(680 + 499), weights / sum);
}
