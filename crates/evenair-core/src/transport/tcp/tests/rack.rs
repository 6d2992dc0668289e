//! RACK-TLP (RFC 8985) and proportional rate reduction (RFC 9937): the examples of the RFCs by hand,
//! and recovery against a [`Model`] that follows RFC 8985's pseudocode segment by segment.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::path::{Fate, Packet, Path};
use super::sack::{Hand, with_sack};
use super::transfers::{WIDE, losing, random_fates};
use super::*;
use crate::component::Registry;

#[derive(Clone, Copy, Debug)]
struct Sent {
    xmit_ts: Instant,
    retransmitted: bool,
    acked: bool,
    lost: bool,
    /// It has been lost and not been acknowledged since.
    missing: bool,
}

/// What RFC 8985 finds lost, by its pseudocode. Numbers are those of segments.
pub(super) struct Model {
    config: TcpConfig,
    sent: Vec<Sent>,
    una: usize,
    xmit_ts: Instant,
    end_seq: usize,
    rtt: Duration,
    fack: usize,
    reordering_seen: bool,
    /// Where the last recovery or timeout ends, and whether one is under way.
    point: usize,
    recovering: bool,
    recoveries: u64,
    timeouts: u64,
}

impl Model {
    pub(super) fn new(config: TcpConfig) -> Self {
        Self {
            config,
            sent: vec![],
            una: 0,
            xmit_ts: Instant::ZERO,
            end_seq: 0,
            rtt: Duration::ZERO,
            fack: 0,
            reordering_seen: false,
            point: 0,
            recovering: false,
            recoveries: 0,
            timeouts: 0,
        }
    }

    pub(super) fn on_sent(&mut self, now: Instant, segment: &Segment) {
        let number = (segment.seq / SEGMENT) as usize;
        if number == self.sent.len() {
            let (retransmitted, acked, lost, missing) = (false, false, false, false);
            self.sent.push(Sent { xmit_ts: now, retransmitted, acked, lost, missing });
            return;
        }
        let last = number + 1 == self.sent.len();
        let sent = &mut self.sent[number];
        assert!(!sent.acked, "what has arrived is sent again");
        // Nothing else but a probe is sent again.
        assert!(sent.lost || (last && !self.recovering), "sent again for no reason");
        (sent.xmit_ts, sent.retransmitted, sent.lost) = (now, true, false);
    }

    /// The sender has nothing to send.
    pub(super) fn on_silence(&self, sender: &SendingEnd) {
        let outstanding = &self.sent[self.una..];
        let inflight = outstanding.iter().filter(|sent| !sent.acked && !sent.lost).count();
        let lost = outstanding.iter().any(|sent| sent.lost);
        if !self.config.prr {
            assert!(!lost || inflight as f64 + 1.0 > sender.window().cwnd, "{sender:?}");
        }
    }

    pub(super) fn on_timer(&mut self, now: Instant, sender: &SendingEnd) {
        let timeouts = std::mem::replace(&mut self.timeouts, sender.counters().timeouts);
        if self.sent.is_empty() {
            return;
        }
        if self.timeouts == timeouts {
            self.detect_loss(now, sender);
            return;
        }
        let reo_wnd = self.reo_wnd(sender);
        let (una, rtt) = (self.una, self.rtt);
        for (number, sent) in self.sent.iter_mut().enumerate().skip(una) {
            if !sent.acked && (number == una || sent.xmit_ts + rtt + reo_wnd <= now) {
                (sent.lost, sent.missing) = (true, true);
            }
        }
        (self.recovering, self.point) = (true, self.sent.len());
    }

    pub(super) fn on_ack(
        &mut self,
        now: Instant,
        sender: &SendingEnd,
        ack: u64,
        blocks: &[(u64, u64)],
    ) {
        let ack = ack.div_ceil(SEGMENT) as usize;
        if ack < self.una {
            return;
        }
        let mut newly: Vec<usize> = (self.una..ack).filter(|&s| !self.sent[s].acked).collect();
        self.una = ack;
        for &(start, end) in blocks {
            let block = (start / SEGMENT) as usize..end.div_ceil(SEGMENT) as usize;
            newly.extend(block.filter(|&s| !self.sent[s].acked));
        }
        newly.sort_unstable();
        newly.dedup();
        let min_rtt = sender.rtt_estimator().min_rtt().unwrap_or(Duration::ZERO);
        for &number in &newly {
            let sent = self.sent[number];
            if number + 1 > self.fack {
                self.fack = number + 1;
            } else if number + 1 < self.fack && !sent.retransmitted {
                self.reordering_seen = true;
            }
        }
        newly.sort_by_key(|&number| (self.sent[number].xmit_ts, number));
        for &number in &newly {
            let sent = &mut self.sent[number];
            (sent.acked, sent.lost, sent.missing) = (true, false, false);
            let rtt = now.since(sent.xmit_ts);
            if sent.retransmitted && rtt < min_rtt {
                continue;
            }
            self.rtt = rtt;
            if (sent.xmit_ts, number + 1) > (self.xmit_ts, self.end_seq) {
                (self.xmit_ts, self.end_seq) = (sent.xmit_ts, number + 1);
            }
        }
        self.recovering &= self.una < self.point;
        self.detect_loss(now, sender);
        assert_eq!(sender.counters().fast_retransmits, self.recoveries);
    }

    fn reo_wnd(&self, sender: &SendingEnd) -> Duration {
        let sacked = self.sent[self.una..].iter().filter(|sent| sent.acked).count();
        if !self.reordering_seen && (self.recovering || sacked >= 3) {
            return Duration::ZERO;
        }
        let rtt = sender.rtt_estimator();
        (rtt.min_rtt().unwrap_or(Duration::ZERO) / 4).min(rtt.srtt().unwrap_or(Duration::ZERO))
    }

    fn detect_loss(&mut self, now: Instant, sender: &SendingEnd) {
        let reo_wnd = self.reo_wnd(sender);
        for (number, sent) in self.sent.iter_mut().enumerate().skip(self.una) {
            if !sent.acked
                && !sent.lost
                && (self.xmit_ts, self.end_seq) > (sent.xmit_ts, number + 1)
                && sent.xmit_ts + self.rtt + reo_wnd <= now
            {
                (sent.lost, sent.missing) = (true, true);
            }
        }
        if !self.recovering && self.sent[self.una..].iter().any(|sent| sent.missing) {
            (self.recovering, self.point) = (true, self.sent.len());
            self.recoveries += 1;
        }
    }
}

fn with_rack() -> TcpConfig {
    TcpConfig { rack: true, ..with_sack() }
}

/// The half-millisecond that the quarters of these round-trip times need.
fn half_past(ms: u64) -> Instant {
    at(ms) + Duration::from_micros(500)
}

/// RFC 8985, figure 1: of P0 to P3 the last three are lost, and P1 again. The probe asks, and P2's
/// arrival reports P1's second loss. The handshake took 10 ms, as does everything.
#[test]
fn figure_1_of_rfc_8985() {
    let mut hand = Hand::new(4, Sending { total: 4 * SEGMENT, tcp: with_rack() });
    hand.now = at(20);
    assert_eq!(hand.ack(1, []), [0; 0]);
    assert_eq!(hand.expire(), [3]);
    assert_eq!(hand.now, at(40)); // 2 SRTT later
    hand.now = at(50);
    assert_eq!(hand.ack(1, [(3, 4)]), [1, 2]);
    hand.now = at(60);
    assert_eq!(hand.ack(1, [(2, 4)]), [1]);
    hand.now = at(70);
    assert_eq!(hand.ack(4, []), [0; 0]);
    assert!(hand.sender.is_done());
    assert_eq!(hand.sender.counters().timeouts, 0);
}

/// RFC 8985 section 9.1, example 1, but sent at once: P1 and P3 of three are lost. P1 after the
/// reordering window, a quarter of 10 ms, has passed; P3 as soon as P1's repair has arrived.
#[test]
fn two_of_three_are_lost() {
    let mut hand = Hand::new(3, Sending { total: 3 * SEGMENT, tcp: with_rack() });
    hand.now = at(20);
    assert_eq!(hand.ack(0, [(1, 2)]), [0; 0]);
    assert_eq!(hand.expire(), [0]);
    assert_eq!(hand.now, half_past(22));
    hand.now = half_past(32);
    assert_eq!(hand.ack(2, []), [2]);
    assert_eq!(hand.sender.counters().fast_retransmits, 1);
    assert_eq!(hand.sender.counters().timeouts, 0);
}

/// RFC 8985 section 9.1, example 3: what comes within the window is not sent again, and from then on
/// three reports do not confirm a loss without the window.
#[test]
fn reordering_within_the_window_is_forgiven() {
    let mut hand = Hand::new(10, with_rack());
    hand.now = at(20);
    assert_eq!(hand.ack(0, [(2, 3)]), [10]);
    hand.now = at(22);
    assert_eq!(hand.ack(3, []), [11, 12, 13]);
    hand.now = at(23);
    // 4 to 9, of 10 ms before 20, are late by more than the window; now 13 ms are the round-trip time.
    let sent = hand.ack(3, [(4, 10)]);
    assert!(!sent.contains(&3), "{sent:?}");
    assert_eq!(hand.sender.poll_at(), half_past(25));
    assert_eq!(hand.expire()[0], 3);
    assert_eq!(hand.sender.counters().fast_retransmits, 1);
    // Without reordering the third report does.
    let mut hand = Hand::new(10, with_rack());
    hand.now = at(20);
    assert_eq!(hand.ack(0, [(1, 3)]), [10, 11]);
    assert_eq!(hand.ack(0, [(1, 4)])[0], 0);
}

/// RFC 8985 section 7.3: new data rather than old, beyond cwnd; once, until there is a new round-trip
/// time. Then the timeout, from when the probe was sent.
#[test]
fn the_probe_is_new_data_where_there_is_some() {
    let mut hand = Hand::new(4, with_rack());
    assert_eq!(hand.expire(), [4]);
    assert_eq!(hand.now, at(30));
    assert_eq!(hand.sender.window().cwnd, 4.0);
    assert_eq!(hand.expire(), [0]);
    assert_eq!(hand.now, at(230));
    assert_eq!(hand.sender.counters().timeouts, 1);
    assert_eq!(hand.sender.window().cwnd, 1.0);
}

/// RFC 8985 section 7.2: one segment alone may wait for a delayed ACK; but not beyond the timeout.
#[test]
fn the_probe_of_a_single_segment_waits_for_a_delayed_ack() {
    let config = Sending {
        total: SEGMENT,
        tcp: TcpConfig { min_rto: Duration::from_secs(1), ..with_rack() },
    };
    let mut hand = Hand::new(1, config);
    assert_eq!(hand.expire(), [0]);
    assert_eq!(hand.now, at(10 + 2 * 10 + 200));
    let tcp = TcpConfig { min_rto: Duration::from_millis(50), ..config.tcp };
    let mut hand = Hand::new(1, Sending { tcp, ..config });
    assert_eq!(hand.expire(), [0]);
    assert_eq!(hand.now, at(10 + 50));
    assert_eq!(hand.sender.counters().timeouts, 0);
}

/// RFC 8985 section 7.4.2: the window is full, its last segment is lost, and the probe repairs it.
/// The loss lowers the window, unless a duplicate reports that there was none.
#[test]
fn a_loss_that_the_probe_repairs_is_a_loss() {
    for (duplicate, cwnd) in [(false, 2.0), (true, 6.0)] {
        let mut hand = Hand::new(4, TcpConfig { window: 4, ..with_rack() });
        assert_eq!(hand.expire(), [3]);
        hand.now = at(40);
        assert_eq!(hand.ack(4, []), [4, 5, 6, 7]);
        if duplicate {
            assert_eq!(hand.ack(4, []), [0; 0]);
        }
        hand.now = at(50);
        hand.ack(5, []);
        assert_eq!(hand.sender.window().cwnd, cwnd);
        assert_eq!(hand.sender.counters().fast_retransmits, 0);
    }
}

/// RFC 8985 section 9.3: a lost repair lowers the window again, but with proportional rate reduction
/// it is the congestion control's matter, and one reduction for the episode.
#[test]
fn a_lost_repair_lowers_the_window_again() {
    for (prr, cwnd) in [(false, 5.0), (true, 10.0)] {
        let mut hand = Hand::new(20, TcpConfig { prr, ..with_rack() });
        hand.now = at(20);
        assert_eq!(hand.ack(0, [(1, 4)])[0], 0);
        assert_eq!(hand.sender.window().cwnd, 10.0);
        hand.ack(0, [(1, 20)]); // sends new segments, unless they were sent before
        assert_eq!(hand.sender.window().cwnd, 10.0);
        hand.now = at(30);
        assert_eq!(hand.ack(0, [(1, 21)])[0], 0);
        assert_eq!(hand.sender.window().cwnd, cwnd);
        // It was one response for all repairs of that time.
        hand.ack(0, [(1, 22)]);
        assert_eq!(hand.sender.window().cwnd, cwnd);
    }
}

/// RFC 9937 section 6.2, with RFC 6675 and with RACK: 20 outstanding, target 10. Four reports begin
/// recovery, with 0 to 7 lost, 8 in flight and room for 2. The ACK of 0 reports four more, so that 12
/// to 15 are lost, too, and only 1 is in flight: 9 delivered less 2 sent are 7, and not one more, as
/// there would be if the ACK reported no further loss.
#[test]
fn an_ack_that_reports_further_losses_is_not_safe() {
    for rack in [false, true] {
        let mut hand = Hand::new(20, TcpConfig { rack, prr: true, ..with_sack() });
        hand.now = at(20);
        assert_eq!(hand.ack(0, [(8, 12)]), [0, 1]);
        assert_eq!(hand.sender.window().cwnd, 10.0);
        hand.now = at(30);
        assert_eq!(hand.ack(1, [(16, 20), (8, 12)]), [2, 3, 4, 5, 6, 7, 12], "rack {rack}");
    }
}

/// A timeout gives up the first segment and what is older than a round-trip time (section 6.3), keeps
/// what was reported, and sends the first whatever is in flight.
#[test]
fn a_timeout_gives_up_what_is_old() {
    let mut hand = Hand::new(4, with_rack());
    hand.now = at(20);
    assert_eq!(hand.ack(4, []), [4, 5, 6, 7, 8]);
    assert_eq!(hand.expire(), [9]); // the probe
    assert_eq!(hand.expire(), [4]);
    assert_eq!(hand.now, at(20 + 2 * 10 + 200));
    assert_eq!(hand.sender.counters().timeouts, 1);
    // 4 and 9 have arrived, 5 to 8 are lost: one by one, as the window opens.
    hand.now += Duration::from_millis(10);
    assert_eq!(hand.ack(5, [(9, 10)]), [5, 6]);
    hand.now += Duration::from_millis(10);
    assert_eq!(hand.ack(7, [(9, 10)]), [7, 8, 10]);
    hand.now += Duration::from_millis(10);
    assert_eq!(hand.ack(10, [])[0], 11);
    assert_eq!(hand.sender.counters().timeouts, 1);
}

/// A receiver that has lost what it had reported (RFC 2018 section 8): a timeout gets it back.
#[test]
fn what_the_receiver_has_thrown_away_is_sent_again() {
    let mut hand = Hand::new(10, Sending { total: 10 * SEGMENT, tcp: with_rack() });
    hand.now = at(20);
    assert_eq!(hand.ack(0, [(1, 10)]), [0]);
    hand.now = at(30);
    assert_eq!(hand.ack(1, []), [0; 0]);
    assert_eq!(hand.expire(), [1]);
    for n in 2..11 {
        hand.ack(n, []);
    }
    assert!(hand.sender.is_done());
}

/// RFC 9937 section 8, figures 1 and 2, whichever finds the losses: 20 in flight, the first or the
/// first 15 lost. (The last but one of figure 1 goes with ACK 20, by the pseudocode, and not with 19.)
#[test]
fn the_figures_of_rfc_9937() {
    for rack in [false, true] {
        let config = TcpConfig { rack, prr: true, ..with_sack() };
        let mut hand = Hand::new(20, config);
        hand.now = at(20);
        for ack in 1..=21 {
            hand.now += Duration::from_micros(10);
            let sent = hand.ack(0, [(1, ack + 1)]);
            let expected: &[u64] = match ack {
                1 => &[20],
                2 => &[21],
                3 => &[0],
                20 => &[29],
                21 => &[30],
                _ if ack % 2 == 1 && ack < 19 => &[22 + (ack - 5) / 2],
                _ => &[],
            };
            assert_eq!(sent, expected, "ACK {ack}, RACK {rack}");
        }
        // 22 to 30 are outstanding: one more makes ssthresh.
        assert_eq!(hand.ack(22, []), [31]);
        assert_eq!(hand.sender.window(), Window { cwnd: 10.0, ssthresh: 10.0 });
        let mut hand = Hand::new(20, config);
        hand.now = at(20);
        let mut sent = vec![];
        for ack in 15..20 {
            sent.extend(hand.ack(0, [(15, ack + 1)]));
        }
        assert_eq!(sent, [20, 21, 0, 1, 2], "RACK {rack}");
    }
}

/// Each segment's first `times[segment]` transmissions are lost.
fn losing_again(times: BTreeMap<u64, u32>) -> impl FnMut(&Packet, u64) -> Fate {
    let mut times = times;
    move |packet, _| match packet {
        Packet::Data { seq, .. } => match times.get_mut(&(seq / SEGMENT)) {
            Some(left @ 1..) => {
                *left -= 1;
                Fate::Lost
            }
            _ => Fate::Arrives,
        },
        _ => Fate::Arrives,
    }
}

/// A repair that is lost: a timeout without RACK, a round trip with it. All else is the same.
#[test]
fn a_lost_repair_costs_a_round_trip_and_not_a_timeout() {
    for (rack, prr) in [(false, false), (false, true), (true, false), (true, true)] {
        let config = TcpConfig {
            initial_window: 40,
            initial_ssthresh: Some(40),
            min_rto: Duration::from_secs(1),
            rack,
            prr,
            ..with_sack()
        };
        let mut path = Path::new(config, 1, WIDE, losing_again(BTreeMap::from([(5, 3)])));
        path.run_until(at(5000));
        assert_eq!(path.sender.counters().timeouts > 0, !rack);
        let again: Vec<Instant> =
            path.sent.iter().filter(|(_, s)| s.seq == 5 * SEGMENT).map(|&(at, _)| at).collect();
        assert_eq!(again.len(), 4);
        if rack {
            assert_eq!(again, [at(100), at(200), at(300), at(400)]);
        }
    }
}

/// The last segments of a transfer are lost: a probe and a round trip instead of a timeout.
#[test]
fn a_lost_tail_is_probed() {
    for (rack, done) in [(false, 1400), (true, 600)] {
        let min_rto = Duration::from_secs(1);
        let total = 10 * SEGMENT;
        let config =
            Sending { total, tcp: TcpConfig { initial_window: 10, min_rto, rack, ..with_sack() } };
        let mut path = Path::new(config, 1, WIDE, losing(&[7, 8, 9]));
        // ACKs of 0 to 6 at 200 ms. The probe repairs 9 at 400 ms, its ACK at 500 ms reports 7 and 8 lost.
        // The timeout comes at 1200 ms, and repairs 7, then 8 and 9.
        assert_eq!(path.run(), at(done));
        assert_eq!(path.sender.counters().timeouts, u64::from(!rack));
    }
}

/// A case that the property below has found: pacing holds back a probe, and the ACK of all that is outstanding comes
/// before it leaves. What is left is sent nevertheless.
#[test]
fn a_probe_that_pacing_holds_back_ends_with_the_ack() {
    let tcp = TcpConfig {
        window: 2,
        initial_window: 6,
        min_rto: Duration::from_millis(1),
        ..with_rack()
    };
    let config = Sending { total: 67 * SEGMENT + 1, tcp };
    let (loss, burst, ack_loss) =
        (0.185_548_326_007_582_3, 0.733_551_405_163_153_5, 0.367_242_958_303_961_9);
    let fates = random_fates(13_503_818_324_534_574_584, (loss, burst, ack_loss), 0);
    let control = Controller::new(&Config::from_name("bbr1").unwrap());
    let pace = (Duration::from_millis(157), Duration::ZERO);
    Path::with(control, config, 2, pace, fates).run();
}

proptest! {
    #![proptest_config(evenair_testing::config!(3000))]

    /// On a path that loses segments, repairs and ACKs, reorders and queues, with any congestion
    /// control: what is sent again is lost by the [`Model`] (which [`Path`] compares step by step), no
    /// timer is due in the past, and all arrives.
    #[test]
    fn the_sender_does_what_the_rfc_says(
        control in prop::sample::select(Config::all()),
        (window, initial_window, segments, rest) in (1..200_u32, 1..60_u32, 1..400_u64, 1..1001_u64),
        (loss, burst, ack_loss) in (0.0..0.3, 0.0..0.9, 0.0..0.6),
        (delay, service) in (1..300_u64, 0..5_u64),
        jitter in prop_oneof![2 => Just(0_u64), 1 => 1..200_u64],
        min_rto in 1..400_u64,
        prr in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let total = (segments - 1) * SEGMENT + rest;
        let min_rto = Duration::from_millis(min_rto);
        let config =
            Sending { total, tcp: TcpConfig { window, initial_window, prr, min_rto, ..with_rack() } };
        let pace = (Duration::from_millis(delay), Duration::from_millis(service));
        let fates = random_fates(seed, (loss, burst, ack_loss), jitter);
        let control = Controller::new(&control);
        let mut path = Path::with(control, config, 2, pace, fates);
        path.run();
        prop_assert_eq!(path.sender.acked(), total);
    }

    /// Any losses of one window of 40, and of their first repairs: no timeout.
    #[test]
    fn any_losses_are_repaired_without_a_timeout(
        lost in prop::collection::btree_map(0..37_u64, 1..3_u32, 1..10),
        prr in any::<bool>(),
    ) {
        let min_rto = Duration::from_secs(10);
        let config =
            Sending { total: 300 * SEGMENT, tcp: TcpConfig { initial_window: 40, min_rto, prr, ..with_rack() } };
        let mut path = Path::new(config, 1, WIDE, losing_again(lost));
        path.run();
        prop_assert_eq!(path.sender.counters().timeouts, 0);
    }
}
