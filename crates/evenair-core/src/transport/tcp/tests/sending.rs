//! The sender by hand: each expected value is worked out from the RFCs.

use super::*;

/// A sender whose connection was opened in the first 10 ms, unless a test says otherwise, and that
/// a test drives in whole segments.
struct Hand {
    sender: SendingEnd,
    now: Instant,
}

impl Hand {
    /// The connection's first segment is answered after `rtt`; what the sender then sends.
    fn opened(config: impl Into<Sending>, rtt: Duration) -> (Self, Vec<u64>) {
        let mut hand = Self { sender: new_sender(config), now: Instant::ZERO };
        let syn = hand.sender.poll_transmit(hand.now).unwrap();
        assert!(syn.syn && syn.payload == 0 && !syn.retransmission);
        assert_eq!(hand.sender.poll_transmit(hand.now), None, "nothing before the answer");
        hand.now += rtt;
        hand.sender.on_syn_ack(hand.now);
        let sent = hand.sent();
        (hand, sent)
    }

    /// With `window` segments outstanding after the handshake.
    fn with_window(window: u32, config: impl Into<Sending>) -> Self {
        let config = config.into().with_initial_window(window);
        let (hand, sent) = Self::opened(config, Duration::from_millis(10));
        assert_eq!(sent, (0..u64::from(window)).collect::<Vec<_>>());
        hand
    }

    fn segments(&mut self) -> Vec<Segment> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
    }

    /// The numbers of the segments that the sender sends now.
    fn sent(&mut self) -> Vec<u64> {
        self.segments().iter().map(|segment| segment.seq / SEGMENT).collect()
    }

    /// An ACK that expects `segment` next; returns what is sent.
    fn ack(&mut self, segment: u64) -> Vec<u64> {
        self.sender.take_ack(self.now, segment * SEGMENT, &[]);
        self.sent()
    }

    /// `n` of them.
    fn acks(&mut self, segment: u64, n: usize) -> Vec<Vec<u64>> {
        (0..n).map(|_| self.ack(segment)).collect()
    }

    /// The timer expires; what is sent, and the time since the last event.
    fn expire(&mut self) -> (Vec<u64>, Duration) {
        let due = self.sender.poll_at();
        assert_ne!(due, Instant::NEVER);
        self.sender.expire(Instant::from_nanos(due.as_nanos() - 1));
        assert_eq!(self.sent(), [0; 0], "the timer does not expire early");
        let wait = due.since(self.now);
        self.now = due;
        self.sender.expire(due);
        (self.sent(), wait)
    }

    fn cwnd(&self) -> f64 {
        self.sender.window().cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.sender.window().ssthresh
    }

    fn fast_retransmits(&self) -> u64 {
        self.sender.counters().fast_retransmits
    }
}

fn new_sender(config: impl Into<Sending>) -> SendingEnd {
    sending_end(config, newreno())
}

const NOTHING: [u64; 0] = [];

// Growth (RFC 5681 section 3.1)

#[test]
fn begins_with_the_initial_window() {
    for window in [1, 2, 3, 10] {
        assert_eq!(Hand::with_window(window, plain()).cwnd(), f64::from(window));
    }
}

#[test]
fn slow_start_adds_one_segment_per_ack() {
    let mut hand = Hand::with_window(1, plain());
    for n in 1..100 {
        assert_eq!(hand.ack(n), [2 * n - 1, 2 * n]);
        assert_eq!(hand.cwnd(), n as f64 + 1.0);
    }
}

#[test]
fn congestion_avoidance_adds_a_segment_per_window() {
    let mut hand = Hand::with_window(4, TcpConfig { initial_ssthresh: Some(4), ..plain() });
    let by_hand: [(f64, &[u64]); 6] = [
        (4.25, &[4]),      // 4 + 1/4
        (4.485_294, &[5]), // + 1/4.25
        (4.708_246, &[6]), // + 1/4.485294
        (4.920_638, &[7]), // + 1/4.708246
        (5.123_863, &[8, 9]),
        (5.319_029, &[10]),
    ];
    for (n, (cwnd, sent)) in (1..).zip(by_hand) {
        assert_eq!(hand.ack(n), sent);
        assert!((hand.cwnd() - cwnd).abs() < 2e-6, "{} after {n} ACKs", hand.cwnd());
    }
}

#[test]
fn slow_start_ends_at_the_threshold() {
    let mut hand = Hand::with_window(2, TcpConfig { initial_ssthresh: Some(4), ..plain() });
    let cwnd: Vec<_> = (1..5).map(|n| (hand.ack(n), hand.cwnd()).1).collect();
    assert_eq!(cwnd[..3], [3.0, 4.0, 4.25]);
}

#[test]
fn byte_counting_adds_the_segments_that_an_ack_covers() {
    for (byte_counting, cwnd, sent) in [(true, 8.0, 4..12), (false, 5.0, 4..9)] {
        let byte_counting = Some(byte_counting);
        let mut hand = Hand::with_window(4, TcpConfig { byte_counting, ..plain() });
        assert_eq!(hand.ack(4), sent.collect::<Vec<_>>());
        assert_eq!(hand.cwnd(), cwnd);
    }
    // In congestion avoidance 3 segments of 10 count for 3/10 of a segment.
    for (byte_counting, cwnd) in [(true, 10.3), (false, 10.1)] {
        let byte_counting = Some(byte_counting);
        let config = TcpConfig { byte_counting, initial_ssthresh: Some(10), ..plain() };
        let mut hand = Hand::with_window(10, config);
        assert_eq!(hand.ack(3), [10, 11, 12]);
        assert_eq!(hand.cwnd(), cwnd);
    }
}

#[test]
fn the_receiver_s_window_limits_what_is_outstanding_but_not_cwnd() {
    let mut hand = Hand::with_window(3, TcpConfig { window: 4, ..plain() });
    assert_eq!(hand.ack(1), [3, 4]);
    assert_eq!(hand.ack(2), [5]);
    assert_eq!(hand.ack(4), [6, 7]);
    assert_eq!(hand.cwnd(), 6.0);
}

#[test]
fn acks_of_the_past_and_of_the_future_are_ignored() {
    let mut hand = Hand::with_window(4, plain());
    assert_eq!(hand.ack(2), [4, 5, 6]);
    let before = (hand.sender.window(), hand.sender.poll_at());
    hand.now += Duration::from_millis(1);
    assert_eq!(hand.acks(1, 5), [[]; 5] as [[u64; 0]; 5]);
    assert_eq!(hand.ack(8), NOTHING);
    assert_eq!(hand.sender.acked(), 2000);
    assert_eq!((hand.sender.window(), hand.sender.poll_at()), before);
    assert_eq!(hand.fast_retransmits(), 0);
}

// Fast retransmit and recovery (RFC 5681 section 3.2, RFC 6582)

#[test]
fn the_third_duplicate_ack_and_no_other_retransmits() {
    let mut hand = Hand::with_window(8, plain());
    // Segment 0 is lost. The window is 4 + 3 and then one more for each duplicate: 9 at the fifth.
    let sent = hand.acks(0, 7);
    assert_eq!(sent, [vec![], vec![], vec![0], vec![], vec![8], vec![9], vec![10]]);
    assert_eq!((hand.ssthresh(), hand.fast_retransmits()), (4.0, 1));
    // All that was outstanding has come: recovery is over with cwnd = ssthresh (3.2, step 3).
    assert_eq!(hand.ack(8), [11]);
    assert_eq!((hand.cwnd(), hand.ssthresh()), (4.0, 4.0));
    assert_eq!(hand.ack(9), [12]);
    assert_eq!(hand.cwnd(), 4.25);
    let counters = hand.sender.counters();
    assert_eq!((counters.segments_sent, counters.retransmissions), (14, 1));
    assert_eq!((counters.timeouts, counters.fast_retransmits), (0, 1));
    assert_eq!(counters.congestion_responses, 0);
}

#[test]
fn what_fast_retransmit_sends_is_flagged_and_the_next_new_segment_is_not() {
    let mut hand = Hand::with_window(4, plain());
    hand.acks(0, 2);
    hand.sender.take_ack(hand.now, 0, &[]);
    let segments = hand.segments();
    assert_eq!(segments.len(), 2); // the window: 2 + 3
    let flags: Vec<_> = segments.iter().map(|s| (s.seq, s.retransmission)).collect();
    assert_eq!(flags, [(0, true), (4000, false)]);
}

#[test]
fn new_acks_between_duplicates_begin_the_count_again() {
    let mut hand = Hand::with_window(4, plain());
    for n in 1..10 {
        hand.ack(n);
        hand.acks(n, 2);
    }
    assert_eq!(hand.fast_retransmits(), 0);
}

#[test]
fn the_threshold_is_half_of_flight_size_and_at_least_two() {
    for (outstanding, ssthresh) in [(3, 2.0), (4, 2.0), (5, 2.5), (6, 3.0), (20, 10.0)] {
        let mut hand = Hand::with_window(outstanding, plain());
        hand.acks(0, 3);
        assert_eq!(hand.ssthresh(), ssthresh, "{outstanding} segments outstanding");
    }
    // FlightSize, not cwnd: the receiver lets 6 be outstanding while cwnd is 10.
    let mut hand = Hand::with_window(4, TcpConfig { window: 6, ..plain() });
    for n in 1..7 {
        hand.ack(n);
    }
    assert_eq!(hand.cwnd(), 10.0);
    hand.acks(6, 3);
    assert_eq!(hand.ssthresh(), 3.0);
}

#[test]
fn a_partial_ack_repairs_the_next_hole_and_stays_in_recovery() {
    let mut hand = Hand::with_window(10, plain());
    // 0 and 3 of 0..10 are lost: 8 duplicates. The window is 5 + 3, then 9, 10, 11, 12, 13.
    let sent = hand.acks(0, 8);
    let later = [vec![], vec![], vec![10], vec![11], vec![12]];
    assert_eq!(sent, [&[vec![], vec![], vec![0]], &later[..]].concat());
    // 3 acknowledged: 13 - 3 + 1 = 11 beyond segment 3 is 13 (RFC 6582, 3.2, step 3).
    assert_eq!(hand.ack(3), [3, 13]);
    assert_eq!(hand.cwnd(), 5.0);
    // 10, 11 and 12 arrive: 12, 13 and 14 beyond segment 3.
    assert_eq!(hand.acks(3, 3), [[14], [15], [16]]);
    // Segment 3 arrives, and all that was outstanding with it: 5 beyond segment 13.
    assert_eq!(hand.ack(13), [17]);
    assert_eq!((hand.cwnd(), hand.ssthresh(), hand.fast_retransmits()), (5.0, 5.0, 1));
}

#[test]
fn recovery_shrinks_the_window_once_for_all_losses_of_a_window() {
    let mut hand = Hand::with_window(16, plain());
    hand.acks(0, 3);
    for hole in [2, 5, 7, 11, 13] {
        assert_eq!(hand.ack(hole)[0], hole);
        hand.acks(hole, 3);
        assert_eq!((hand.ssthresh(), hand.fast_retransmits()), (8.0, 1));
    }
    hand.ack(16);
    assert_eq!(hand.cwnd(), 8.0);
}

#[test]
fn duplicates_of_the_recovery_s_end_confirm_nothing() {
    let mut hand = Hand::with_window(8, plain());
    hand.acks(0, 7); // 8, 9 and 10 follow
    hand.ack(8);
    // The acknowledgement covers no more than `recover` (RFC 6582, 3.2, step 2) ...
    hand.acks(8, 3);
    assert_eq!(hand.fast_retransmits(), 1);
    // ... and one segment later it does.
    hand.ack(9);
    assert_eq!(hand.acks(9, 3)[2][0], 9);
    assert_eq!(hand.fast_retransmits(), 2);
}

#[test]
fn limited_transmit_sends_a_segment_for_each_of_the_first_two_duplicates() {
    use LimitedTransmit::{Any, New, Off};
    for (limited_transmit, first, second) in
        [(Off, vec![], vec![]), (New, vec![8], vec![9]), (Any, vec![8], vec![9])]
    {
        let mut hand = Hand::with_window(8, TcpConfig { limited_transmit, ..plain() });
        assert_eq!(hand.ack(0), first, "{limited_transmit:?}");
        assert_eq!(hand.ack(0), second, "{limited_transmit:?}");
        assert_eq!(hand.cwnd(), 8.0, "cwnd is left alone (RFC 3042 section 2)");
        // Only the lost one, and what limited transmit sent is not FlightSize (RFC 5681 3.2).
        assert_eq!(hand.ack(0), [0], "{limited_transmit:?}");
        assert_eq!(hand.ssthresh(), 4.0, "{limited_transmit:?}");
    }
}

#[test]
fn limited_transmit_respects_the_receiver_s_window() {
    let config = TcpConfig { limited_transmit: LimitedTransmit::New, window: 9, ..plain() };
    let mut hand = Hand::with_window(8, config);
    assert_eq!(hand.acks(0, 3), [vec![8], vec![], vec![0]]);
}

#[test]
fn after_a_timeout_only_any_limited_transmit_sends_again() {
    use LimitedTransmit::{Any, New, Off};
    for (limited_transmit, first, second) in
        [(Off, vec![], vec![]), (New, vec![], vec![]), (Any, vec![1], vec![2])]
    {
        let mut hand = Hand::with_window(4, TcpConfig { limited_transmit, ..plain() });
        assert_eq!(hand.expire().0, [0]);
        assert_eq!(hand.ack(0), first, "{limited_transmit:?}");
        assert_eq!(hand.ack(0), second, "{limited_transmit:?}");
        assert_eq!(hand.ack(0), NOTHING, "{limited_transmit:?}");
    }
}

// The timer (RFC 6298)

#[test]
fn the_timer_runs_while_anything_is_outstanding_and_from_the_last_new_ack() {
    let config = Sending { total: 3 * SEGMENT, tcp: plain() };
    let (mut hand, sent) = Hand::opened(config, Duration::from_millis(100));
    assert_eq!(sent, [0]);
    // SRTT 100, RTTVAR 50: 300 ms (2.2).
    assert_eq!(hand.sender.poll_at(), at(400));
    hand.now = at(200);
    assert_eq!(hand.ack(1), [1, 2]);
    // A second sample of 100: RTTVAR 37.5, 250 ms (2.3).
    assert_eq!(hand.sender.poll_at(), at(450));
    hand.now = at(250);
    assert_eq!(hand.ack(1), NOTHING);
    assert_eq!(hand.sender.poll_at(), at(450), "a duplicate does not restart it");
    hand.now = at(300);
    assert_eq!(hand.ack(2), NOTHING);
    // A third: RTTVAR 28.125, 212.5 ms.
    assert_eq!(hand.sender.poll_at(), at(300) + Duration::from_micros(212_500));
    assert_eq!(hand.ack(3), NOTHING);
    assert_eq!(hand.sender.poll_at(), Instant::NEVER, "nothing is outstanding (5.2)");
    assert!(hand.sender.is_done());
}

#[test]
fn timeouts_double_up_to_a_minute_and_leave_the_threshold() {
    let mut hand = Hand::with_window(8, plain());
    let mut wait = 200;
    for n in 1..=14 {
        let (sent, waited) = hand.expire();
        assert_eq!(sent, [0]);
        assert_eq!(waited, Duration::from_millis(wait), "timeout {n}");
        // Half of 8 outstanding at first, and then not again: not half of the one retransmitted.
        assert_eq!((hand.cwnd(), hand.ssthresh()), (1.0, 4.0), "timeout {n}");
        assert_eq!(hand.sender.counters().timeouts, n);
        wait = (2 * wait).min(60_000);
    }
    assert_eq!(wait, 60_000);
}

#[test]
fn the_threshold_after_a_timeout_is_at_least_two() {
    let mut hand = Hand::with_window(1, plain());
    hand.expire();
    assert_eq!(hand.ssthresh(), 2.0);
}

#[test]
fn only_a_segment_sent_once_ends_the_back_off() {
    let mut hand = Hand::with_window(4, plain());
    hand.expire();
    hand.expire();
    assert_eq!(hand.sender.rtt_estimator().rto(), Duration::from_millis(800));
    let samples = hand.sender.rtt_estimator().total().0;
    // Acknowledges what was sent again, and what was outstanding when the timer expired.
    hand.now += Duration::from_millis(10);
    assert_eq!(hand.ack(4), [4, 5]);
    assert_eq!(hand.sender.rtt_estimator().total().0, samples);
    assert_eq!(hand.sender.rtt_estimator().rto(), Duration::from_millis(800));
    assert_eq!(hand.sender.poll_at(), hand.now + Duration::from_millis(800));
    // Acknowledges a segment that was sent once.
    hand.now += Duration::from_millis(10);
    hand.ack(5);
    assert_eq!(hand.sender.rtt_estimator().total().0, samples + 1);
    assert_eq!(hand.sender.rtt_estimator().rto(), Duration::from_millis(200));
}

#[test]
fn a_retransmitted_segment_is_no_sample_though_its_first_sending_was_timed() {
    let mut hand = Hand::with_window(5, plain());
    let samples = hand.sender.rtt_estimator().total().0;
    hand.acks(0, 4);
    hand.now += Duration::from_millis(50);
    hand.ack(5);
    assert_eq!(hand.sender.rtt_estimator().total().0, samples);
}

#[test]
fn a_repeated_timeout_halves_again_once_something_was_acknowledged() {
    let mut hand = Hand::with_window(16, plain());
    hand.expire();
    assert_eq!(hand.ssthresh(), 8.0);
    for n in 1..6 {
        hand.ack(n);
    }
    // 6 outstanding: another segment than before has timed out.
    hand.expire();
    assert_eq!(hand.ssthresh(), 3.0);
}

#[test]
fn after_a_timeout_what_has_arrived_is_not_sent_again() {
    let mut hand = Hand::with_window(8, plain());
    assert_eq!(hand.expire().0, [0]);
    // Only 0 was lost.
    assert_eq!(hand.ack(8), [8, 9]);
    // 0 and 3 were lost: 1 and 2 need not be sent, 4 is as long as nothing is known of it.
    let mut hand = Hand::with_window(8, plain());
    assert_eq!(hand.expire().0, [0]);
    assert_eq!(hand.ack(3), [3, 4]);
    assert_eq!(hand.ack(8), [8, 9, 10]);
    assert_eq!(hand.sender.counters().retransmissions, 3);
}

#[test]
fn duplicates_that_a_timeout_provokes_confirm_nothing() {
    let mut hand = Hand::with_window(8, plain());
    hand.expire();
    hand.acks(0, 5);
    hand.ack(3);
    hand.acks(3, 5);
    hand.ack(8);
    hand.acks(8, 5);
    assert_eq!((hand.fast_retransmits(), hand.ssthresh()), (0, 4.0));
    hand.ack(9);
    hand.acks(9, 3);
    assert_eq!(hand.fast_retransmits(), 1);
}

#[test]
fn a_timeout_ends_recovery() {
    let mut hand = Hand::with_window(16, plain());
    hand.acks(0, 15);
    assert_eq!((hand.cwnd(), hand.ssthresh()), (8.0, 8.0));
    assert_eq!(hand.expire().0, [0]);
    assert_eq!(hand.cwnd(), 1.0);
    // More than 16 are outstanding now, but the window was 8. The retransmission was lost, so the
    // window is lowered twice (RFC 5681, 4.3).
    assert_eq!(hand.ssthresh(), 4.0);
    // No inflation is left over: 2 and no more.
    assert_eq!(hand.ack(1), [1, 2]);
}

/// "Impatient" (RFC 6582 section 4): only the first partial ACK restarts the timer.
#[test]
fn many_holes_end_in_a_timeout() {
    let (mut hand, _) =
        Hand::opened(TcpConfig { initial_window: 10, ..plain() }, Duration::from_millis(100));
    hand.now = at(200);
    hand.acks(0, 3);
    assert_eq!(hand.sender.poll_at(), at(500)); // 300 ms after the retransmission
    hand.now = at(300);
    assert_eq!(hand.ack(1), [1]);
    assert_eq!(hand.sender.poll_at(), at(600));
    hand.now = at(400);
    assert_eq!(hand.ack(2), [2]);
    assert_eq!(hand.sender.poll_at(), at(600));
    hand.now = at(500);
    assert_eq!(hand.ack(3), [3, 10]); // 5 + 3 beyond segment 3 is 11
    assert_eq!(hand.sender.poll_at(), at(600));
    assert_eq!(hand.expire(), (vec![3], Duration::from_millis(100)));
    assert_eq!(hand.cwnd(), 1.0);
}

#[test]
fn the_end_of_recovery_restarts_the_timer() {
    let (mut hand, _) =
        Hand::opened(TcpConfig { initial_window: 10, ..plain() }, Duration::from_millis(100));
    hand.now = at(200);
    hand.acks(0, 3);
    hand.now = at(300);
    hand.ack(1);
    hand.now = at(400);
    hand.ack(2);
    hand.now = at(500);
    assert_eq!(hand.ack(10), [10, 11, 12, 13, 14]);
    assert_eq!(hand.sender.poll_at(), at(800));
}

// The handshake

#[test]
fn a_lost_first_segment_is_sent_again_after_3_and_6_seconds_and_leaves_a_window_of_one() {
    let config = TcpConfig { initial_window: 4, ..plain() };
    let mut hand = Hand { sender: new_sender(config), now: Instant::ZERO };
    assert!(!hand.segments()[0].retransmission);
    for (when, wait) in [(3, 3), (9, 6), (21, 12)] {
        let waited = hand.sender.poll_at().since(hand.now);
        assert_eq!(waited, Duration::from_secs(wait));
        hand.now += waited;
        assert_eq!(hand.now, at(1000 * when));
        hand.sender.expire(hand.now);
        let again = hand.segments();
        assert_eq!(again.len(), 1);
        assert!(again[0].syn && again[0].retransmission);
    }
    hand.now += Duration::from_millis(100);
    hand.sender.on_syn_ack(hand.now);
    // RFC 5681 3.1: at most one segment. Karn: which one was answered is not known.
    assert_eq!(hand.sent(), [0]);
    assert_eq!(hand.cwnd(), 1.0);
    assert_eq!(hand.sender.rtt_estimator().total().0, 0);
    assert_eq!(hand.ssthresh(), 1_000_000.0);
}

#[test]
fn the_handshake_is_the_first_sample() {
    let (hand, _) = Hand::opened(plain(), Duration::from_millis(100));
    assert_eq!(hand.sender.rtt_estimator().srtt(), Some(Duration::from_millis(100)));
    assert_eq!(hand.sender.rtt_estimator().rto(), Duration::from_millis(300));
}

#[test]
fn a_second_answer_to_the_handshake_changes_nothing() {
    let mut hand = Hand::with_window(2, plain());
    hand.ack(2);
    let before = (hand.sender.window(), hand.sender.poll_at(), hand.sender.rtt_estimator().total());
    hand.now += Duration::from_millis(50);
    hand.sender.on_syn_ack(hand.now);
    assert_eq!(hand.sent(), [0; 0]);
    let after = (hand.sender.window(), hand.sender.poll_at(), hand.sender.rtt_estimator().total());
    assert_eq!(after, before);
}

// Marking (Gong et al. 2006, section III-A)

#[test]
fn segments_are_marked_while_cwnd_is_below_four() {
    for spm_marking in [true, false] {
        let mut hand = Hand {
            sender: new_sender(TcpConfig { spm_marking: Some(spm_marking), ..plain() }),
            now: at(0),
        };
        assert_eq!(hand.segments()[0].high_priority, spm_marking);
        hand.sender.on_syn_ack(at(10));
        let mut marks = vec![(hand.cwnd(), hand.segments())];
        for n in 1..6 {
            hand.sender.take_ack(at(10), n * SEGMENT, &[]);
            marks.push((hand.cwnd(), hand.segments()));
        }
        hand.now = hand.sender.poll_at();
        hand.sender.expire(hand.now);
        marks.push((hand.cwnd(), hand.segments()));
        let cwnds: Vec<_> = marks.iter().map(|&(cwnd, _)| cwnd).collect();
        assert_eq!(cwnds, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0]);
        for (cwnd, segments) in marks {
            assert!(!segments.is_empty());
            let marked = spm_marking && cwnd < 4.0;
            assert!(segments.iter().all(|s| s.high_priority == marked), "cwnd {cwnd}");
        }
    }
}

// The end

#[test]
fn a_finite_transfer_ends_with_a_short_segment() {
    let mut hand = Hand::with_window(2, Sending { total: 2500, tcp: plain() });
    hand.sender.take_ack(hand.now, 1000, &[]);
    let last = hand.segments();
    assert_eq!(last.iter().map(|s| (s.seq, s.payload)).collect::<Vec<_>>(), [(2000, 500)]);
    assert_eq!(hand.ack(2), NOTHING);
    assert!(!hand.sender.is_done());
    hand.sender.take_ack(hand.now, 2500, &[]);
    assert_eq!(hand.sent(), NOTHING);
    assert!(hand.sender.is_done());
    assert_eq!((hand.sender.acked(), hand.sender.poll_at()), (2500, Instant::NEVER));
}

#[test]
fn a_lost_last_segment_is_sent_again_in_its_length() {
    let mut hand = Hand::with_window(3, Sending { total: 2500, tcp: plain() });
    hand.ack(2);
    hand.now = hand.sender.poll_at();
    hand.sender.expire(hand.now);
    let again = hand.segments();
    assert_eq!(again.len(), 1);
    assert_eq!((again[0].seq, again[0].payload, again[0].retransmission), (2000, 500, true));
}

#[test]
fn a_stopped_sender_repairs_and_sends_nothing_new() {
    let mut hand = Hand::with_window(4, plain());
    hand.sender.stop();
    assert!(!hand.sender.is_done());
    assert_eq!(hand.ack(1), NOTHING);
    assert_eq!(hand.acks(1, 3), [vec![], vec![], vec![1]]);
    assert_eq!(hand.expire().0, [1]);
    assert_eq!(hand.ack(2), [2, 3]);
    assert_eq!(hand.ack(4), NOTHING);
    assert!(hand.sender.is_done());
    assert_eq!(hand.sender.poll_at(), Instant::NEVER);
}

// Between an ACK and the next segment

/// Two ACKs may come before the sender is asked: the repair that the first wanted is then void.
#[test]
fn an_ack_for_everything_voids_the_repair_before_it_is_sent() {
    for (total, sent) in [(u64::MAX, vec![8, 9, 10, 11]), (8 * SEGMENT, vec![])] {
        let mut hand = Hand::with_window(8, Sending { total, tcp: plain() });
        for _ in 0..3 {
            hand.sender.take_ack(hand.now, 0, &[]);
        }
        hand.sender.take_ack(hand.now, 8 * SEGMENT, &[]);
        assert_eq!(hand.sent(), sent);
        assert_eq!(hand.sender.counters().retransmissions, 0);
    }
}

/// RFC 6298 section 5.7: a handshake that timed out leaves a timeout of 3 s at least.
#[test]
fn a_handshake_that_timed_out_leaves_a_timeout_of_three_seconds_at_least() {
    for (initial_rto, rto) in [(1, 3), (3, 6)] {
        let config = TcpConfig { initial_rto: Duration::from_secs(initial_rto), ..plain() };
        let mut hand = Hand { sender: new_sender(config), now: Instant::ZERO };
        hand.segments();
        hand.expire();
        hand.sender.on_syn_ack(hand.now);
        assert_eq!(hand.sent(), [0]);
        assert_eq!(hand.sender.poll_at(), hand.now + Duration::from_secs(rto));
    }
}

#[test]
fn a_sender_that_is_stopped_opens_no_connection() {
    let mut hand = Hand { sender: new_sender(plain()), now: Instant::ZERO };
    hand.segments();
    hand.sender.stop();
    assert_eq!(hand.expire().0, NOTHING);
    assert_eq!(hand.sender.poll_at(), Instant::NEVER);
    let mut hand = Hand { sender: new_sender(plain()), now: Instant::ZERO };
    hand.sender.stop();
    assert_eq!(hand.sent(), NOTHING);
}
