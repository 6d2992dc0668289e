//! The fine-grained retransmission checks of Brakmo and Peterson (1995) by hand.

use super::*;
use crate::component::{Parameters, Value};

struct Hand {
    sender: SendingEnd,
}

impl Hand {
    /// Segments 0 to 9 were sent at 10 ms, and 0 is acknowledged at 110 ms, which lets 10 and 11 go:
    /// SRTT is 100 ms, RTTVAR 50 ms, and the timeout 17/16 (100 + 2 50) = 212.5 ms. Segment 1 expires
    /// at 222.5 ms.
    fn new() -> Self {
        let mut control = Config::from_name("vegas").unwrap();
        assert!(control.assign("form", Value::Name("paper")));
        let config = TcpConfig { initial_window: 10, ..plain() };
        let mut hand = Self { sender: sending_end(config, Controller::new(&control)) };
        assert!(hand.sender.poll_transmit(at(0)).unwrap().syn);
        hand.sender.on_syn_ack(at(10));
        assert_eq!(hand.sent(10), (0..10).collect::<Vec<_>>());
        assert_eq!(hand.ack(110, 1), [10, 11]);
        hand
    }

    fn sent(&mut self, ms: u64) -> Vec<u64> {
        let segments = std::iter::from_fn(|| self.sender.poll_transmit(at(ms)));
        segments.map(|segment| segment.seq / SEGMENT).collect()
    }

    /// What an ACK that expects `segment` next lets go.
    fn ack(&mut self, ms: u64, segment: u64) -> Vec<u64> {
        self.sender.take_ack(at(ms), segment * SEGMENT, &[]);
        self.sent(ms)
    }

    fn cwnd(&self) -> f64 {
        self.sender.window().cwnd
    }
}

const NOTHING: [u64; 0] = [];

/// Of cwnd, 11, three quarters are left. The third duplicate ACK inflates them to 11.25, the fourth to
/// 12.25: one more than is outstanding.
#[test]
fn before_the_timeout_the_third_duplicate_ack_retransmits() {
    let mut hand = Hand::new();
    assert_eq!(hand.ack(115, 1), NOTHING);
    assert_eq!(hand.ack(116, 1), NOTHING);
    assert_eq!(hand.ack(117, 1), [1]);
    assert_eq!(hand.cwnd(), 8.25);
    assert_eq!(hand.ack(118, 1), [12]);
    assert_eq!(hand.sender.counters().fast_retransmits, 1);
}

#[test]
fn after_the_timeout_the_first_or_second_does() {
    let mut hand = Hand::new();
    assert_eq!(hand.ack(223, 1), [1]);
    assert_eq!(hand.cwnd(), 8.25);
    // It counts as the third.
    assert_eq!(hand.ack(224, 1), NOTHING);
    assert_eq!(hand.ack(225, 1), NOTHING);
    assert_eq!(hand.sender.counters().retransmissions, 1);

    let mut hand = Hand::new();
    assert_eq!(hand.ack(222, 1), NOTHING);
    assert_eq!(hand.ack(223, 1), [1]);
}

/// 1 to 4 are lost. The timeout is 9/8 of 212.5 ms since the retransmission. The two ACKs after it
/// find 2 and 3; the third does not look at 4. The window is reduced once.
#[test]
fn two_acks_after_a_retransmission_find_further_losses() {
    let mut hand = Hand::new();
    assert_eq!(hand.ack(223, 1), [1]);
    assert_eq!(hand.ack(323, 2), [2]);
    assert_eq!(hand.ack(423, 3), [3]);
    assert_eq!(hand.ack(523, 4), NOTHING);
    assert_eq!(hand.cwnd(), 8.25);
    // A duplicate ACK finds it.
    assert_eq!(hand.ack(524, 4), [4]);
    assert_eq!(hand.cwnd(), 8.25, "4 was sent before the reduction");
    assert_eq!(hand.sender.counters().timeouts, 0);
}

/// The first ACK after the retransmission finds that 10 is in time. The second is not looked at, though
/// 11 has expired by then.
#[test]
fn a_segment_in_time_ends_the_checks() {
    let mut hand = Hand::new();
    assert_eq!(hand.ack(117, 1), NOTHING);
    assert_eq!(hand.ack(118, 1), NOTHING);
    assert_eq!(hand.ack(119, 1), [1]);
    // 10 was sent at 110 ms, 109 ms ago. The sample of 209 ms has set the timeout to 258 ms.
    assert_eq!(hand.ack(219, 10), [12, 13, 14, 15, 16, 17]);
    assert_eq!(hand.ack(400, 11), [18]);
    assert_eq!(hand.sender.counters().retransmissions, 1);
}

/// The retransmission of 223 ms is lost: it expires 239.0625 ms later, and the window, reduced when it
/// was sent, stays.
#[test]
fn a_lost_retransmission_is_repeated() {
    let mut hand = Hand::new();
    assert_eq!(hand.ack(223, 1), [1]);
    assert_eq!(hand.ack(462, 1), NOTHING);
    assert_eq!(hand.ack(463, 1)[0], 1);
    assert_eq!(hand.cwnd(), 8.25);
    assert_eq!(hand.sender.counters().timeouts, 0);
}
