//! HyStart++ (RFC 9406): the first slow start ends when the round-trip time rises, before the queue
//! overflows, and not at a loss.
//!
//! With m the smallest round-trip time of this round so far, of at least 8 samples, and M that of the
//! round before, slow start gives way to conservative slow start (CSS) when
//!
//! ```text
//! m >= M + max(4 ms, min(M / 8, 16 ms))                                   (RFC 9406 section 4.2)
//! ```
//!
//! CSS grows by a fourth of what slow start would. It ends after 5 rounds, that in which it began
//! among them, with ssthresh = cwnd. If in one of them, again of at least 8 samples, m falls below
//! what it was when CSS began, the rise was no queue's and slow start goes on.
//!
//! Where the RFC leaves a choice:
//! - Rounds are those of [`Round`], "when windowEnd is ACKed": the ACK that covers windowEnd ends a
//!   round and gives it its last sample. Delayed ACKs may put that off by one ACK.
//! - An ACK of segments that were sent more than once gives no sample (Karn).
//! - An ACK counts for 8 segments at most (L = 8 without pacing, section 4.3). That limits flows
//!   that count bytes; where an ACK counts once it changes nothing.
//! - The first slow start is meant whatever its ssthresh: a scenario has the receiver's window there.
//!   Later ones, after timeouts, know a threshold and go without (section 4.3).

use crate::congestion::round::Round;
use crate::congestion::{AckEvent, Window, slow_start};
use crate::time::Duration;

/// MIN_RTT_THRESH (RFC 9406 section 4.3, as all that follow).
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
/// MAX_RTT_THRESH.
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
/// MIN_RTT_DIVISOR.
const MIN_RTT_DIVISOR: u64 = 8;
/// N_RTT_SAMPLE.
const N_RTT_SAMPLE: u32 = 8;
/// CSS_GROWTH_DIVISOR.
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// CSS_ROUNDS.
const CSS_ROUNDS: u32 = 5;
/// L, segments, without pacing.
const L: f64 = 8.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Phase {
    #[default]
    Standard,
    Conservative {
        /// cssBaselineMinRtt.
        baseline: Duration,
        /// Rounds that have ended in it.
        rounds: u32,
    },
    /// It has ended in congestion avoidance.
    Over,
}

/// The first slow start under HyStart++.
#[derive(Clone, Copy, Debug, Default)]
pub struct HyStartPlusPlus {
    phase: Phase,
    round: Round,
    /// lastRoundMinRTT.
    last: Option<Duration>,
}

impl HyStartPlusPlus {
    /// See [`HyStart::on_ack`](super::HyStart::on_ack).
    pub(super) fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) -> f64 {
        let rest = match self.phase {
            Phase::Over => return slow_start(window, signal.credit),
            Phase::Standard => slow_start(window, signal.credit.min(L)),
            Phase::Conservative { .. } => {
                let credit = signal.credit.min(L) / CSS_GROWTH_DIVISOR;
                slow_start(window, credit) * CSS_GROWTH_DIVISOR
            }
        };
        let ended = self.round.on_ack(signal);
        let seen = ended.unwrap_or_else(|| self.round.so_far());
        if let Some(least) = seen.least.filter(|_| seen.samples >= N_RTT_SAMPLE) {
            self.judge(least);
        }
        if ended.is_some() {
            self.last = seen.least;
            self.end_round(window);
        }
        rest
    }

    /// Enough samples of this round have been seen, the smallest of which is `least`.
    fn judge(&mut self, least: Duration) {
        match self.phase {
            Phase::Standard => {
                if self.last.is_some_and(|last| least >= last + threshold(last)) {
                    self.phase = Phase::Conservative { baseline: least, rounds: 0 };
                }
            }
            Phase::Conservative { baseline, .. } if least < baseline => {
                self.phase = Phase::Standard;
            }
            Phase::Conservative { .. } | Phase::Over => {}
        }
    }

    fn end_round(&mut self, window: &mut Window) {
        if let Phase::Conservative { rounds, .. } = &mut self.phase {
            *rounds += 1;
            if *rounds == CSS_ROUNDS {
                window.ssthresh = window.cwnd;
                self.phase = Phase::Over;
            }
        }
    }
}

/// RttThresh, after a round whose smallest round-trip time was `last`.
fn threshold(last: Duration) -> Duration {
    (last / MIN_RTT_DIVISOR).min(MAX_RTT_THRESH).max(MIN_RTT_THRESH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::congestion::tests::signal;

    use super::*;

    /// A sender of ten segments per round, whatever its window. The first round has eleven ACKs: it
    /// begins with the first ACK, and ends with that of the first segment sent afterwards.
    struct Rounds {
        hystart: HyStartPlusPlus,
        window: Window,
        snd_una: u64,
    }

    impl Rounds {
        fn new() -> Self {
            let hystart = HyStartPlusPlus::default();
            Self { hystart, window: Window { cwnd: 10.0, ssthresh: 1e6 }, snd_una: 0 }
        }

        /// ACKs of one segment each, with this RTT in microseconds; cwnd after the last.
        fn acks(&mut self, count: u64, rtt: Option<u64>) -> f64 {
            for _ in 0..count {
                let rtt = rtt.map(Duration::from_micros);
                let signal = AckEvent {
                    rtt,
                    snd_una: self.snd_una,
                    snd_nxt: self.snd_una + 10,
                    segment: 1,
                    ..signal(0, 1.0, 10.0)
                };
                self.snd_una += 1;
                assert_eq!(self.hystart.on_ack(&mut self.window, &signal), 0.0);
            }
            self.window.cwnd
        }
    }

    /// RFC 9406 section 4.2 by hand: 20/8 is below 4 ms, 80/8 between the bounds, 200/8 above 16 ms.
    #[test]
    fn thresholds_by_hand() {
        for (last, expected) in [(20, 4), (32, 4), (80, 10), (128, 16), (200, 16)] {
            assert_eq!(threshold(Duration::from_millis(last)), Duration::from_millis(expected));
        }
    }

    /// A round of 100 ms, so the next must reach 112.5 ms. Decided at its eighth sample: 10 + 11 + 8, and a
    /// fourth from there. The five rounds of CSS have 2 + 4 * 10 ACKs, then there is a threshold.
    #[test]
    fn a_rising_round_trip_time_ends_slow_start() {
        let mut rounds = Rounds::new();
        assert_eq!(rounds.acks(11, Some(100_000)), 21.0);
        assert_eq!(rounds.acks(8, Some(112_500)), 29.0);
        assert_eq!(rounds.acks(2, Some(112_500)), 29.5);
        assert_eq!(rounds.acks(39, Some(150_000)), 39.25);
        assert_eq!(rounds.window.ssthresh, 1e6);
        assert_eq!(rounds.acks(1, Some(150_000)), 39.5);
        assert_eq!(rounds.window.ssthresh, 39.5);
        let ack = signal(0, 1.0, 10.0);
        assert_eq!(rounds.hystart.on_ack(&mut rounds.window, &ack), 1.0);
        assert_eq!(rounds.window.cwnd, 39.5);
    }

    #[test]
    fn too_small_a_rise_and_too_few_samples_tell_nothing() {
        let mut rounds = Rounds::new();
        rounds.acks(11, Some(100_000));
        assert_eq!(rounds.acks(10, Some(112_499)), 31.0);
        // Seven samples; the other segments were sent more than once.
        rounds.acks(3, None);
        assert_eq!(rounds.acks(7, Some(200_000)), 41.0);
        // Nor is there anything to compare with after a round without a sample.
        rounds.acks(10, None);
        assert_eq!(rounds.acks(10, Some(300_000)), 61.0);
    }

    /// What counts is a round's smallest: one fast segment, and the queue is not standing.
    #[test]
    fn one_fast_segment_outweighs_the_others() {
        let mut rounds = Rounds::new();
        rounds.acks(11, Some(100_000));
        rounds.acks(1, Some(105_000));
        assert_eq!(rounds.acks(9, Some(200_000)), 31.0);
    }

    /// CSS from 120 ms on. The next round is as slow, and in the one after that the eighth sample brings
    /// back slow start: a fourth for 2 + 10 + 8 ACKs.
    #[test]
    fn a_spurious_exit_is_taken_back() {
        let mut rounds = Rounds::new();
        rounds.acks(11, Some(100_000));
        assert_eq!(rounds.acks(8, Some(120_000)), 29.0);
        assert_eq!(rounds.acks(12, Some(120_000)), 32.0);
        assert_eq!(rounds.acks(8, Some(119_999)), 34.0);
        assert_eq!(rounds.acks(2, Some(119_999)), 36.0);
        // And HyStart++ with it: 119.999 + 15 ms is the next threshold.
        assert_eq!(rounds.acks(8, Some(135_000)), 44.0);
        assert_eq!(rounds.acks(2, Some(135_000)), 44.5);
    }

    /// Section 4.3: without pacing 8 segments at most, and CSS a fourth of them.
    #[test]
    fn an_ack_counts_for_eight_segments_at_most() {
        let mut rounds = Rounds::new();
        let ack = AckEvent { credit: 20.0, ..signal(0, 20.0, 100.0) };
        rounds.hystart.on_ack(&mut rounds.window, &ack);
        assert_eq!(rounds.window.cwnd, 18.0);
        rounds.hystart.phase = Phase::Conservative { baseline: Duration::ZERO, rounds: 0 };
        rounds.hystart.on_ack(&mut rounds.window, &ack);
        assert_eq!(rounds.window.cwnd, 20.0);
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(500))]

        /// Whatever the round-trip times are, the window never falls and never grows by more than slow
        /// start's, of which CSS has a fourth; what is left of the credit is left for above ssthresh.
        #[test]
        fn never_faster_than_slow_start(
            acks in prop::collection::vec((1..12_u32, 0..400_u64), 1..500),
            ssthresh in prop_oneof![Just(1e6), 12.0..200.0],
        ) {
            let mut hystart = HyStartPlusPlus::default();
            let mut window = Window { cwnd: 2.0, ssthresh };
            let mut snd_una = 0;
            for (acked, rtt) in acks {
                let before = window.cwnd;
                let most = match hystart.phase {
                    Phase::Conservative { .. } => f64::from(acked) / 4.0,
                    Phase::Standard | Phase::Over => f64::from(acked),
                };
                let signal = AckEvent {
                    credit: f64::from(acked),
                    rtt: (rtt > 20).then_some(Duration::from_millis(rtt)),
                    snd_una,
                    snd_nxt: snd_una + before as u64,
                    segment: 1,
                    ..signal(0, f64::from(acked), before)
                };
                snd_una += u64::from(acked);
                let rest = hystart.on_ack(&mut window, &signal);
                let growth = window.cwnd - before;
                prop_assert!((0.0..=most).contains(&growth), "{growth} of {most}");
                prop_assert!((0.0..=f64::from(acked)).contains(&rest));
                prop_assert!(rest == 0.0 || window.cwnd >= window.ssthresh);
            }
        }
    }
}
