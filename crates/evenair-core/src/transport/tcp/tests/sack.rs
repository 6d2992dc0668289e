//! SACK: the receiver's blocks (RFC 2018), and recovery by them (RFC 6675) by hand and against a
//! [`Model`] that follows the RFC's words segment by segment.

use proptest::prelude::*;

use super::path::Path;
use super::transfers::{RTT, WIDE, losing, random_fates};
use super::*;

/// What RFC 6675 has a sender do, with a mark for each segment and no arithmetic on ranges. Numbers
/// are those of segments.
pub(super) struct Model {
    config: Sending,
    sacked: Vec<bool>,
    una: usize,
    /// HighData: segments that have been sent.
    sent: usize,
    duplicate_acks: u32,
    /// RecoveryPoint, of this recovery or of the last one or the last timeout.
    point: Option<usize>,
    recovering: bool,
    /// HighRxt and RescueRxt, once the first segment of a recovery has been sent again.
    high_rxt: Option<usize>,
    rescue_rxt: usize,
    recoveries: u64,
}

impl Model {
    pub(super) fn new(config: Sending) -> Self {
        Self {
            config,
            sacked: vec![],
            una: 0,
            sent: 0,
            duplicate_acks: 0,
            point: None,
            recovering: false,
            high_rxt: None,
            rescue_rxt: 0,
            recoveries: 0,
        }
    }

    fn bytes(&self, segment: usize) -> u64 {
        (self.config.total - segment as u64 * SEGMENT).min(SEGMENT)
    }

    fn sacked_above(&self, segment: usize) -> impl Iterator<Item = usize> {
        (segment + 1..self.sent).filter(|&s| self.sacked[s])
    }

    /// Section 4, IsLost.
    fn is_lost(&self, segment: usize) -> bool {
        let ranges = self.sacked_above(segment).filter(|&s| !self.sacked[s - 1]).count();
        let bytes: u64 = self.sacked_above(segment).map(|s| self.bytes(s)).sum();
        ranges >= 3 || bytes > 2 * SEGMENT
    }

    /// Section 4, SetPipe.
    fn pipe(&self) -> u64 {
        let high_rxt = self.high_rxt.unwrap();
        (self.una..self.sent)
            .filter(|&s| !self.sacked[s])
            .map(|s| {
                let times = u64::from(!self.is_lost(s)) + u64::from(s <= high_rxt);
                times * self.bytes(s)
            })
            .sum()
    }

    /// Section 4, NextSeg: the segment, and by which rule.
    fn next_seg(&self) -> Option<(usize, u8)> {
        let high_rxt = self.high_rxt.unwrap();
        let highest = (self.una..self.sent).rev().find(|&s| self.sacked[s]);
        let hole = (self.una.max(high_rxt + 1)..highest.unwrap_or(0)).find(|&s| !self.sacked[s]);
        let limit = self.una as u64 * SEGMENT + u64::from(self.config.tcp.window) * SEGMENT;
        let next = self.sent as u64 * SEGMENT;
        let new = next < self.config.total && next + self.bytes(self.sent) <= limit;
        let last = (self.una..self.sent).rev().find(|&s| !self.sacked[s]);
        match hole {
            Some(hole) if self.is_lost(hole) => Some((hole, 1)),
            _ if new => Some((self.sent, 2)),
            Some(hole) => Some((hole, 3)),
            None if self.una > self.rescue_rxt + 1 => last.map(|last| (last, 4)),
            None => None,
        }
    }

    pub(super) fn stop(&mut self) {
        self.config.total = self.config.total.min(self.sent as u64 * SEGMENT);
    }

    pub(super) fn on_timer(&mut self, sender: &SendingEnd) {
        if sender.counters().segments_sent == 0 {
            return;
        }
        self.sacked.fill(false);
        self.recovering = false;
        self.duplicate_acks = 0;
        self.point = Some(self.sent);
    }

    pub(super) fn on_ack(&mut self, sender: &SendingEnd, ack: u64, blocks: &[(u64, u64)]) {
        let ack = ack.div_ceil(SEGMENT) as usize;
        if ack < self.una {
            return;
        }
        if ack > self.una {
            self.una = ack;
            self.duplicate_acks = 0;
            if self.recovering && Some(ack) >= self.point {
                self.recovering = false;
            }
        }
        let mut news = false;
        for &(start, end) in blocks {
            for s in start / SEGMENT..end.div_ceil(SEGMENT) {
                news |= !self.sacked[s as usize];
                self.sacked[s as usize] = true;
            }
        }
        if news && !self.recovering {
            self.duplicate_acks += 1;
            let confirmed = self.duplicate_acks >= 3 || self.is_lost(self.una);
            if confirmed && self.point.is_none_or(|point| self.una >= point) {
                self.recovering = true;
                self.recoveries += 1;
                self.point = Some(self.sent);
                self.high_rxt = None;
            }
        }
        assert_eq!(sender.counters().fast_retransmits, self.recoveries);
    }

    /// `segment` has just been sent.
    pub(super) fn on_sent(&mut self, sender: &SendingEnd, segment: &Segment) {
        let number = (segment.seq / SEGMENT) as usize;
        assert!(number >= self.sent || !self.sacked[number], "what has arrived is sent again");
        if self.recovering && self.high_rxt.is_none() {
            assert_eq!(number, self.una);
            (self.high_rxt, self.rescue_rxt) = (Some(number), number);
        } else if self.recovering {
            assert!(self.has_room(sender));
            let (expected, rule) = self.next_seg().unwrap();
            assert_eq!(number, expected);
            match rule {
                1 | 3 => self.high_rxt = Some(number),
                2 => {}
                _ => self.rescue_rxt = self.point.unwrap() - 1,
            }
        } else {
            let outstanding =
                (self.una..=number).filter(|&s| s >= self.sent || !self.sacked[s]).count();
            assert!(outstanding as f64 <= sender.window().cwnd);
        }
        self.sent = self.sent.max(number + 1);
        self.sacked.resize(self.sent, false);
    }

    /// Section 5, step C: cwnd - pipe is a segment or more.
    fn has_room(&self, sender: &SendingEnd) -> bool {
        self.pipe() + SEGMENT <= sender.window().cwnd as u64 * SEGMENT
    }

    /// The sender has nothing to send.
    pub(super) fn on_silence(&self, sender: &SendingEnd) {
        if self.recovering {
            assert!(!self.has_room(sender) || self.next_seg().is_none());
        }
    }
}

pub(super) fn with_sack() -> TcpConfig {
    TcpConfig { sack: true, limited_transmit: LimitedTransmit::New, ..plain() }
}

/// The blocks of an ACK, in segments.
fn blocks(receiver: &Receiver) -> Vec<(u64, u64)> {
    receiver.sack().as_slice().iter().map(|&(s, e)| (s / SEGMENT, e / SEGMENT)).collect()
}

/// RFC 2018 section 4: the block of the segment that provoked the ACK first, then the others as they
/// were last reported; four at most.
#[test]
fn blocks_are_reported_latest_first() {
    let mut receiver = receiver_of(with_sack(), 1);
    let mut take = |segment: u64| {
        receiver.on_segment(at(0), segment * SEGMENT, SEGMENT as u32);
        blocks(&receiver)
    };
    assert_eq!(take(0), []);
    assert_eq!(take(2), [(2, 3)]);
    assert_eq!(take(4), [(4, 5), (2, 3)]);
    assert_eq!(take(9), [(9, 10), (4, 5), (2, 3)]);
    assert_eq!(take(5), [(4, 6), (9, 10), (2, 3)]);
    assert_eq!(take(12), [(12, 13), (4, 6), (9, 10), (2, 3)]);
    assert_eq!(take(14), [(14, 15), (12, 13), (4, 6), (9, 10)]);
    assert_eq!(take(2), [(2, 3), (14, 15), (12, 13), (4, 6)]); // known already
    assert_eq!(take(13), [(12, 15), (2, 3), (4, 6), (9, 10)]); // joins two
    assert_eq!(take(1), [(12, 15), (4, 6), (9, 10)]); // fills the first hole
    assert_eq!(take(3), [(12, 15), (9, 10)]);
    assert_eq!(take(0), [(12, 15), (9, 10)]); // a duplicate below: no D-SACK (RFC 2883)
    assert_eq!(take(6), [(12, 15), (9, 10)]); // in order, with holes beyond
}

/// RFC 2018 section 7, whose receiver has 5000 bytes, gets segments of 500, of which the first of eight
/// is lost (case 2), or every other one of the last seven (case 3).
#[test]
fn the_examples_of_rfc_2018() {
    let mut receiver = receiver_of(with_sack(), 1);
    receiver.on_segment(at(0), 0, 5000);
    for n in 1..8 {
        assert_eq!(receiver.on_segment(at(0), 5000 + 500 * n, 500), AckAction::Ack(5000));
        assert_eq!(receiver.sack().as_slice(), [(5500, 5500 + 500 * n)]);
        assert_eq!(receiver.sack().header_bytes(), 12);
    }
    let mut receiver = receiver_of(with_sack(), 1);
    receiver.on_segment(at(0), 0, 5500);
    let mut expected = vec![];
    for start in [6000, 7000, 8000] {
        assert_eq!(receiver.on_segment(at(0), start, 500), AckAction::Ack(5500));
        expected.insert(0, (start, start + 500));
        assert_eq!(receiver.sack().as_slice(), expected);
    }
    // The 4th segment comes late: the block is (6000, 7500); then the 2nd.
    receiver.on_segment(at(0), 6500, 500);
    assert_eq!(receiver.sack().as_slice(), [(6000, 7500), (8000, 8500)]);
    assert_eq!(receiver.on_segment(at(0), 5500, 500), AckAction::Ack(7500));
    assert_eq!(receiver.sack().as_slice(), [(8000, 8500)]);
    assert_eq!(receiver.sack().header_bytes(), 12);
}

/// A sender that a test drives in whole segments.
pub(super) struct Hand {
    pub(super) sender: SendingEnd,
    pub(super) now: Instant,
}

impl Hand {
    /// With segments 0 to `window` - 1 outstanding.
    pub(super) fn new(window: u32, config: impl Into<Sending>) -> Self {
        let config = config.into().with_initial_window(window);
        let mut hand = Self { sender: sending_end(config, newreno()), now: at(10) };
        hand.sender.poll_transmit(at(0));
        hand.sender.on_syn_ack(hand.now);
        assert_eq!(hand.sent(), (0..u64::from(window)).collect::<Vec<_>>());
        hand
    }

    pub(super) fn sent(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now))
            .map(|segment| segment.seq / SEGMENT)
            .collect()
    }

    /// An ACK that expects `ack` next with these blocks; returns what is sent.
    pub(super) fn ack<const N: usize>(&mut self, ack: u64, blocks: [(u64, u64); N]) -> Vec<u64> {
        let blocks = blocks.map(|(start, end)| (start * SEGMENT, end * SEGMENT));
        self.sender.take_ack(self.now, ack * SEGMENT, &blocks);
        self.sent()
    }

    pub(super) fn expire(&mut self) -> Vec<u64> {
        self.now = self.sender.poll_at();
        self.sender.expire(self.now);
        self.sent()
    }
}

/// Section 5: 10 outstanding, 0 and 5 lost. Limited transmit by the pipe, halving of what was
/// outstanding without it, and then as the pipe has room for 5.
#[test]
fn recovery_goes_by_the_pipe() {
    let mut hand = Hand::new(10, with_sack());
    assert_eq!(hand.ack(0, [(1, 2)]), [10]);
    assert_eq!(hand.ack(0, [(1, 3)]), [11]);
    // Recovery with cwnd 5. The pipe: 4 to 11, and 0 again.
    assert_eq!(hand.ack(0, [(1, 4)]), [0]);
    assert_eq!(hand.sender.window(), Window { cwnd: 5.0, ssthresh: 5.0 });
    assert_eq!(hand.ack(0, [(1, 5)]), [0; 0]); // 5 to 11, 0: 8
    assert_eq!(hand.ack(0, [(6, 7), (1, 5)]), [0; 0]); // 5, 7 to 11, 0: 7
    assert_eq!(hand.ack(0, [(6, 8), (1, 5)]), [0; 0]); // 6
    // 6 to 8 are more than two segments: 5 is lost. The pipe is 9, 10, 11 and 0.
    assert_eq!(hand.ack(0, [(6, 9), (1, 5)]), [5]);
    assert_eq!(hand.ack(0, [(6, 10), (1, 5)]), [12]); // 10, 11, 0, 5
    assert_eq!(hand.ack(0, [(6, 11), (1, 5)]), [13]);
    assert_eq!(hand.ack(0, [(6, 12), (1, 5)]), [14]);
    // 0 has arrived: 5, 12, 13, 14 are in the pipe.
    assert_eq!(hand.ack(5, [(6, 12)]), [15]);
    // And 5, which ends it: 12 to 15 are outstanding, cwnd 5.
    assert_eq!(hand.ack(12, []), [16]);
    assert_eq!(hand.sender.window().cwnd, 5.0);
    assert_eq!(hand.sender.counters().fast_retransmits, 1);
    assert_eq!(hand.sender.counters().retransmissions, 2);
}

/// Section 5, step 2: one ACK that reports more than two segments confirms the loss alone; lost ACKs
/// delay nothing.
#[test]
fn one_ack_may_confirm_a_loss() {
    let mut hand = Hand::new(10, with_sack());
    assert_eq!(hand.ack(0, [(1, 3)]), [10, 11]); // two segments do not
    let mut hand = Hand::new(10, with_sack());
    assert_eq!(hand.ack(2, [(3, 6)])[0], 2);
    assert_eq!(hand.sender.counters().fast_retransmits, 1);
    let mut hand = Hand::new(10, with_sack());
    assert_eq!(hand.ack(0, [(1, 2), (3, 4), (5, 6)])[0], 0); // three ranges
    // A duplicate that reports nothing new is none (section 2).
    let mut hand = Hand::new(10, with_sack());
    for _ in 0..10 {
        assert_eq!(hand.ack(0, []), [0; 0]);
    }
    assert_eq!(hand.ack(0, [(1, 2)]), [10]);
    for _ in 0..10 {
        assert_eq!(hand.ack(0, [(1, 2)]), [0; 0]);
    }
}

/// NextSeg, rule 3: nothing new may be sent, so what may be lost is sent, though nothing proves it.
#[test]
fn the_last_resort_is_a_hole_that_may_be_lost() {
    let mut hand = Hand::new(8, Sending { total: 8 * SEGMENT, tcp: with_sack() });
    // 0 and 5 are lost; 6 and 7 alone do not prove the loss of 5.
    assert_eq!(hand.ack(0, [(1, 4)]), [0]); // cwnd 4; 4 to 7, 0
    assert_eq!(hand.ack(0, [(1, 5)]), [0; 0]); // 5, 6, 7, 0
    assert_eq!(hand.ack(0, [(6, 7), (1, 5)]), [5]); // 5, 7, 0
    assert_eq!(hand.ack(0, [(6, 8), (1, 5)]), [0; 0]); // 5 twice, 0
}

/// NextSeg, rule 4: the last segments are lost, and nothing comes that could tell. One is sent again
/// on a partial ACK, once.
#[test]
fn the_rescue_is_the_last_segment_once() {
    let mut hand = Hand::new(10, Sending { total: 10 * SEGMENT, tcp: with_sack() });
    // 0, 2, 8 and 9 are lost.
    assert_eq!(hand.ack(0, [(1, 2)]), [0; 0]);
    assert_eq!(hand.ack(0, [(3, 4), (1, 2)]), [0; 0]);
    assert_eq!(hand.ack(0, [(3, 5), (1, 2)]), [0]); // 1, 3, 4: cwnd 5; 2, 5 to 9, 0
    assert_eq!(hand.ack(0, [(3, 6), (1, 2)]), [0; 0]); // 2 is lost; 6 to 9, 0
    assert_eq!(hand.ack(0, [(3, 7), (1, 2)]), [2]); // 7, 8, 9, 0
    assert_eq!(hand.ack(0, [(3, 8), (1, 2)]), [0; 0]); // 8, 9, 0, 2: but HighACK is not above RescueRxt
    // 0 and 1 have arrived, which is above 0: 8, 9 and 2 are in the pipe.
    assert_eq!(hand.ack(2, [(3, 8)]), [9]);
    assert_eq!(hand.ack(8, []), [0; 0]);
    // 9 has arrived, 8 has not.
    assert_eq!(hand.ack(8, [(9, 10)]), [8]); // rule 3
    assert_eq!(hand.ack(10, []), [0; 0]);
    assert!(hand.sender.is_done());
}

/// Section 5.1: a timeout forgets what was reported and sends everything again, but for what is
/// reported anew; and no recovery begins before all of it is acknowledged.
#[test]
fn a_timeout_begins_again_and_leaves_out_what_is_reported() {
    let mut hand = Hand::new(10, with_sack());
    assert_eq!(hand.ack(0, [(1, 4)]), [0]);
    assert_eq!(hand.ack(0, [(6, 7), (1, 4)]), [0; 0]);
    assert_eq!(hand.expire(), [0]);
    // 0 arrives: 4 and 5 are missing, 6 is there, and so is what came later.
    assert_eq!(hand.ack(4, [(6, 10)]), [4, 5]);
    assert_eq!(hand.sender.counters().fast_retransmits, 1);
    assert_eq!(hand.ack(10, []), [10, 11, 12]);
    assert_eq!(hand.sender.counters().timeouts, 1);
    assert_eq!(hand.sender.counters().retransmissions, 4);
}

/// What contradicts the ACK, was never sent or is no whole segment says nothing.
#[test]
fn nonsense_is_ignored() {
    let mut hand = Hand::new(10, with_sack());
    hand.sender.take_ack(hand.now, 4000, &[(0, 9000), (4000, 9000), (5000, 11_000), (9000, 5000)]);
    hand.sender.take_ack(hand.now, 4000, &[(5001, 5999), (u64::MAX - 1, u64::MAX)]);
    assert_eq!(hand.sender.counters().fast_retransmits, 0);
    hand.sender.take_ack(hand.now, 4000, &[(5999, 9500)]);
    assert_eq!(hand.sender.counters().fast_retransmits, 1);
    assert_eq!(hand.sent()[0], 4);
}

/// How long after the first retransmission the last of these losses of one window was sent again.
fn repair_time(sack: bool, lost: &[u64]) -> Duration {
    let min_rto = Duration::from_secs(10);
    let config = TcpConfig { initial_window: 40, min_rto, sack, ..with_sack() };
    let mut path = Path::new(config, 1, WIDE, losing(lost));
    path.run_until(at(3000));
    assert_eq!(path.sender.counters().timeouts, 0);
    let again: Vec<_> = path.sent.iter().filter(|(_, s)| s.retransmission).collect();
    assert_eq!(again.len(), lost.len(), "each once");
    again[again.len() - 1].0.since(again[0].0)
}

/// Losses of one window, none among its last three: at once with SACK, as all ACKs come at once; one
/// each round trip without.
#[test]
fn losses_of_one_window_are_repaired_together() {
    let lost = [2, 5, 11, 12, 17, 20, 30, 36];
    assert_eq!(repair_time(true, &lost), Duration::ZERO);
    assert_eq!(repair_time(false, &lost), RTT * 7);
}

/// A receiver that has lost what it had reported (RFC 2018 section 8): a timeout gets it back.
#[test]
fn what_the_receiver_has_thrown_away_is_sent_again() {
    let mut hand = Hand::new(10, Sending { total: 10 * SEGMENT, tcp: with_sack() });
    assert_eq!(hand.ack(0, [(1, 10)]), [0]);
    assert_eq!(hand.ack(1, []), [0; 0]);
    assert_eq!(hand.expire(), [1]);
    for n in 2..11 {
        hand.ack(n, []);
    }
    assert!(hand.sender.is_done());
}

proptest! {
    #![proptest_config(evenair_testing::config!(1000))]

    /// Any losses of one window of 40, up to 10 of them: all sent again within a round trip, each
    /// once.
    #[test]
    fn any_losses_of_one_window_take_a_round_trip(
        lost in prop::collection::btree_set(0..37_u64, 1..10),
    ) {
        let lost: Vec<u64> = lost.into_iter().collect();
        prop_assert!(repair_time(true, &lost) <= RTT);
        prop_assert_eq!(repair_time(false, &lost), RTT * (lost.len() as u64 - 1));
    }

    /// Large windows on a path that loses, reorders and queues: the sender does what the [`Model`] says
    /// (which [`Path`] compares step by step), and all arrives.
    #[test]
    fn the_sender_does_what_the_rfc_says(
        (window, initial_window, segments, rest) in (4..200_u32, 2..60_u32, 1..400_u64, 1..1001_u64),
        (loss, burst, ack_loss) in (0.0..0.2, 0.0..0.8, 0.0..0.3),
        (delay, service) in (1..100_u64, 0..5_u64),
        jitter in prop_oneof![3 => Just(0_u64), 1 => 1..40_u64],
        seed in any::<u64>(),
    ) {
        let total = (segments - 1) * SEGMENT + rest;
        let config = Sending { total, tcp: TcpConfig { window, initial_window, ..with_sack() } };
        let pace = (Duration::from_millis(delay), Duration::from_millis(service));
        let fates = random_fates(seed, (loss, burst, ack_loss), jitter);
        let mut path = Path::new(config, 2, pace, fates);
        path.run();
        prop_assert_eq!(path.sender.acked(), total);
    }
}
