//! The receiver: when it acknowledges (RFC 5681 section 4.2), and what it expects next.

use proptest::prelude::*;

use super::*;

/// Segments 0 to 9 of 1000 bytes, one each 10 ms, and whatever the timer adds: when each ACK left
/// and what it said, in segments.
fn acks_for_ten_segments(delayed_ack: u32) -> Vec<(Instant, u64)> {
    acks_of_ten_segments(DelayedAck::Every(delayed_ack))
}

fn acks_of_ten_segments(delayed_ack: DelayedAck) -> Vec<(Instant, u64)> {
    let mut receiver = Receiver::new(TcpConfig { delayed_ack, ..plain() }, SEGMENT as u32);
    let mut acks = vec![];
    for i in 0..10 {
        let now = at(10 * i);
        if let AckAction::Ack(ack) = receiver.on_segment(now, i * SEGMENT, SEGMENT as u32) {
            acks.push((now, ack / SEGMENT));
            assert_eq!(receiver.timer_at(), Instant::NEVER, "an ACK ends the wait");
        } else {
            assert_eq!(receiver.on_timer(now), None, "the timer has not expired");
        }
    }
    let due = receiver.timer_at();
    if due != Instant::NEVER {
        acks.push((due, receiver.on_timer(due).unwrap() / SEGMENT));
    }
    assert_eq!(receiver.timer_at(), Instant::NEVER);
    assert_eq!(receiver.on_timer(at(10_000)), None, "nothing is left to acknowledge");
    acks
}

#[test]
fn acknowledges_every_d_segments_and_the_rest_by_timer() {
    let each: Vec<_> = (0..10).map(|i| (at(10 * i), i + 1)).collect();
    assert_eq!(acks_for_ten_segments(1), each);
    let pairs: Vec<_> = (0..5).map(|i| (at(20 * i + 10), 2 * i + 2)).collect();
    assert_eq!(acks_for_ten_segments(2), pairs);
    // Three times 3 segments; the tenth comes at 90 ms and waits 100 ms.
    assert_eq!(acks_for_ten_segments(3), [(at(20), 3), (at(50), 6), (at(80), 9), (at(190), 10)]);
    // Twice 4; the ninth and the tenth wait for 100 ms after the ninth, at 80 ms.
    assert_eq!(acks_for_ten_segments(4), [(at(30), 4), (at(70), 8), (at(180), 10)]);
    assert_eq!(acks_for_ten_segments(5), [(at(40), 5), (at(90), 10)]);
}

/// Two segments in order per ACK, but the first three ACKs are not held back.
#[test]
fn the_first_acks_are_quick() {
    let mut receiver = receiver_of(TcpConfig { quick_acks: 3, ..plain() }, 2);
    let acks = (0..8).map(|i| receiver.on_segment(at(i), i * SEGMENT, SEGMENT as u32));
    let is_ack: Vec<bool> = acks.map(|action| action != AckAction::Wait).collect();
    assert_eq!(is_ack, [true, true, true, false, true, false, true, false]);
}

/// The dynamic scheme by hand, segments counted from 1: the first alone (d = 1); 2 and 3 (d = 2); 4
/// waits with d = 2, 5 with d = 3, and 6 is the third; 7 and 8 wait with d = 3, 9 is the third but
/// has d = 4, and 10 is the fourth.
#[test]
fn waits_for_more_the_further_the_connection_is() {
    let acks = acks_of_ten_segments(DelayedAck::Dynamic);
    assert_eq!(acks, [(at(0), 1), (at(20), 3), (at(50), 6), (at(90), 10)]);
    // After a loss the number of the segment counts, not how many have come.
    let delayed_ack = DelayedAck::Dynamic;
    let mut receiver = Receiver::new(TcpConfig { delayed_ack, ..plain() }, SEGMENT as u32);
    let mut take = |segment: u64| receiver.on_segment(at(0), segment * SEGMENT, SEGMENT as u32);
    assert_eq!(take(1), AckAction::Ack(0));
    for segment in 2..9 {
        assert_eq!(take(segment), AckAction::Ack(0));
    }
    assert_eq!(take(0), AckAction::Ack(9000));
    assert_eq!([9, 10, 11].map(&mut take), [AckAction::Wait; 3]);
    assert_eq!(take(12), AckAction::Ack(13_000));
}

#[test]
fn acknowledges_at_once_what_is_out_of_order_fills_a_gap_or_is_known() {
    let mut receiver = receiver_of(plain(), 3);
    let mut take = |segment: u64| receiver.on_segment(at(0), segment * SEGMENT, SEGMENT as u32);
    assert_eq!(take(0), AckAction::Wait);
    assert_eq!(take(2), AckAction::Ack(1000)); // beyond a hole
    assert_eq!(take(4), AckAction::Ack(1000)); // beyond two
    assert_eq!(take(4), AckAction::Ack(1000)); // known, out of order
    assert_eq!(take(1), AckAction::Ack(3000)); // fills the first
    assert_eq!(take(5), AckAction::Ack(3000));
    assert_eq!(take(3), AckAction::Ack(6000)); // fills the last
    assert_eq!(take(2), AckAction::Ack(6000)); // known, in order
    // All is in order again and the count starts anew.
    assert_eq!(take(6), AckAction::Wait);
    assert_eq!(take(7), AckAction::Wait);
    assert_eq!(take(8), AckAction::Ack(9000));
}

#[test]
fn a_segment_that_fills_a_part_of_a_gap_is_acknowledged_at_once() {
    let mut receiver = receiver_of(plain(), 2);
    assert_eq!(receiver.on_segment(at(0), 3000, 1000), AckAction::Ack(0));
    assert_eq!(receiver.on_segment(at(1), 0, 1000), AckAction::Ack(1000));
    assert_eq!(receiver.on_segment(at(2), 1000, 1000), AckAction::Ack(2000));
    assert_eq!(receiver.on_segment(at(3), 2000, 1000), AckAction::Ack(4000));
}

#[test]
fn an_immediate_ack_takes_the_waiting_one_along() {
    let mut receiver = receiver_of(plain(), 2);
    assert_eq!(receiver.on_segment(at(0), 0, 1000), AckAction::Wait);
    assert_eq!(receiver.timer_at(), at(100));
    assert_eq!(receiver.on_segment(at(5), 2000, 1000), AckAction::Ack(1000));
    assert_eq!(receiver.timer_at(), Instant::NEVER);
}

#[test]
fn the_timer_runs_from_the_first_segment_that_waits() {
    let mut receiver = receiver_of(plain(), 3);
    assert_eq!(receiver.on_segment(at(0), 0, 1000), AckAction::Wait);
    assert_eq!(receiver.on_segment(at(60), 1000, 1000), AckAction::Wait);
    assert_eq!(receiver.on_timer(at(99)), None);
    assert_eq!(receiver.on_timer(at(100)), Some(2000));
    assert_eq!(receiver.on_segment(at(150), 2000, 1000), AckAction::Wait);
    assert_eq!(receiver.timer_at(), at(250));
}

#[test]
fn a_segment_that_is_known_in_part_counts_for_its_new_bytes() {
    let mut receiver = receiver_of(plain(), 1);
    assert_eq!(receiver.on_segment(at(0), 0, 1000), AckAction::Ack(1000));
    assert_eq!(receiver.on_segment(at(1), 500, 1000), AckAction::Ack(1500));
    assert_eq!(receiver.on_segment(at(2), 2000, 500), AckAction::Ack(1500));
    assert_eq!(receiver.on_segment(at(3), 1500, 700), AckAction::Ack(2500));
}

proptest! {
    #![proptest_config(evenair_testing::config!(2000))]

    /// Segments of any length from anywhere, against an array that has a mark for each byte.
    #[test]
    fn expects_the_first_byte_that_has_not_come(
        delayed_ack in 1..6_u32,
        segments in prop::collection::vec((0..60_u64, 1..12_u32, 0..80_u64), 1..80),
    ) {
        let mut receiver = receiver_of(plain(), delayed_ack);
        let mut has_come = [false; 80];
        let (mut now, mut acked, mut waiting) = (Instant::ZERO, 0, 0);
        for (seq, payload, pause) in segments {
            now += Duration::from_millis(pause);
            if let Some(ack) = receiver.on_timer(now) {
                prop_assert!(waiting > 0, "an ACK from nowhere");
                (acked, waiting) = (ack, 0);
            }
            let first_missing = |bytes: &[bool]| bytes.iter().position(|b| !b).unwrap() as u64;
            let before = first_missing(&has_come);
            let gap = has_come[before as usize..].contains(&true);
            has_come[seq as usize..seq as usize + payload as usize].fill(true);
            let next = first_missing(&has_come);
            let answer = receiver.on_segment(now, seq, payload);
            prop_assert_eq!(receiver.next_expected(), next);
            match answer {
                AckAction::Ack(ack) => {
                    prop_assert_eq!(ack, next);
                    prop_assert!(ack >= acked);
                    (acked, waiting) = (ack, 0);
                    prop_assert_eq!(receiver.timer_at(), Instant::NEVER);
                }
                AckAction::Wait => {
                    prop_assert!(!gap && next > before, "only what is in order may wait");
                    waiting += 1;
                    prop_assert!(waiting < delayed_ack);
                    prop_assert!(receiver.timer_at() > now);
                    prop_assert!(receiver.timer_at().since(now) <= Duration::from_millis(100));
                }
            }
        }
    }
}
