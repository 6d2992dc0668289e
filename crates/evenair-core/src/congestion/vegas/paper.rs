//! Vegas as published (Brakmo and Peterson 1995), with equation (1) of the module.
//!
//! - Congestion avoidance: Diff < alpha adds one segment over the next round, Diff > beta takes one
//!   off at once, anything between leaves the window (the paper's section III-B).
//! - Slow start grows in every other round only, and ends when Diff > gamma (section III-C).
//! - Losses are found by fine-grained timeouts (section III-A), which
//!   [`LossDetection::FineGrained`] stands for. A loss reduces the window only if the segment was
//!   sent after the last reduction.
//!
//! Where the paper is silent, or implementations differ:
//! - W is what is outstanding when the round ends: what was sent while the round's segment was
//!   under way, which is how the paper measures Actual, and ns-2 Expected. RTT is the mean of the
//!   round's samples (ns-2; the paper takes one segment's). Diff is not rounded (ns-2 rounds it to
//!   whole segments).
//! - On leaving slow start ssthresh becomes 2 and an eighth of the window goes (ns-2).
//! - BaseRTT becomes the round's RTT where a single segment was outstanding, as nothing of its own
//!   can have queued (ns-2).
//! - The window does not grow while it is more than 2 segments above what is outstanding (ns-2).
//! - A loss leaves 3/4 of the window (ns-2, after the authors' own code), a timeout 2 segments and an
//!   ssthresh of half the window.

use super::super::round::Round;
use super::super::{AckEvent, CongestionControl, LossDetection, Window, in_use, slow_start};
use super::config::Thresholds;

/// What is left of the window after three duplicate ACKs.
const DECREASE: f64 = 0.75;
/// The smallest window outside of recovery.
const LEAST: f64 = 2.0;

/// The state of this form.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    thresholds: Thresholds,
    round: Round,
    /// BaseRTT, seconds.
    base: f64,
    /// Whether the window grows in this round.
    grows: bool,
}

impl Paper {
    pub(super) fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, round: Round::default(), base: f64::INFINITY, grows: true }
    }

    /// A round is over, in which segments took `rtt` seconds.
    fn decide(&mut self, window: &mut Window, signal: &AckEvent, rtt: f64) {
        if signal.flight <= 1.0 {
            self.base = rtt;
        }
        // Equation (1).
        let diff = in_use(window, signal) * (1.0 - self.base / rtt);
        if window.cwnd < window.ssthresh {
            self.grows = !self.grows;
            if diff > self.thresholds.gamma {
                window.ssthresh = LEAST;
                window.cwnd = (window.cwnd * 7.0 / 8.0).max(LEAST);
                self.grows = false;
            }
        } else if diff > self.thresholds.beta {
            window.cwnd = (window.cwnd - 1.0).max(LEAST);
            self.grows = false;
        } else {
            self.grows = diff < self.thresholds.alpha;
        }
    }
}

impl CongestionControl for Paper {
    fn loss_detection(&self) -> LossDetection {
        LossDetection::FineGrained
    }

    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        if let Some(rtt) = signal.rtt {
            self.base = self.base.min(rtt.as_secs_f64());
        }
        // A round without samples, and one of no length, tell nothing.
        if let Some(round) = self.round.on_ack(signal)
            && round.mean > 0.0
        {
            self.decide(window, signal, round.mean);
        }
        if self.grows && window.cwnd <= signal.flight + 2.0 {
            let rest = slow_start(window, signal.credit);
            window.cwnd += rest / window.cwnd;
        }
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        window.ssthresh = (in_use(window, signal) * DECREASE).max(LEAST);
        window.cwnd = window.ssthresh;
        self.round.restart();
        self.grows = false;
    }

    fn on_partial_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.on_ack(window, signal);
    }

    fn on_recovered(&mut self, window: &mut Window, signal: &AckEvent) {
        self.on_ack(window, signal);
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if first {
            // As in NewReno: half of what the window had become, if in recovery.
            window.ssthresh = (signal.flight.min(window.cwnd) / 2.0).max(LEAST);
        }
        window.cwnd = LEAST;
        self.round.restart();
        self.grows = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{Acks, signal};
    use super::super::config::{Form, FormConfig};
    use super::*;
    use crate::time::Duration;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn paper() -> Paper {
        Paper::new(FormConfig::of(Form::Paper).thresholds)
    }

    /// Ten or eleven segments, BaseRTT 100 ms: an RTT of 125 ms means 2.2 queued at most, which is
    /// between 1 and 3; of 160 ms 3.75 and more; of 100 ms none.
    #[test]
    fn the_window_follows_the_segments_queued() {
        let mut vegas = paper();
        let mut window = Window { cwnd: 10.0, ssthresh: 2.0 };
        let mut acks = Acks::default();
        acks.feed(&mut vegas, &mut window, 11, (10, MS(100)));
        acks.feed(&mut vegas, &mut window, 10, (10, MS(125)));
        let steady = window.cwnd;
        acks.feed(&mut vegas, &mut window, 50, (10, MS(125)));
        assert_eq!(window.cwnd, steady);
        acks.feed(&mut vegas, &mut window, 10, (10, MS(160)));
        assert_eq!(window.cwnd, steady - 1.0);
        acks.feed(&mut vegas, &mut window, 10, (10, MS(160)));
        assert_eq!(window.cwnd, steady - 2.0);
        // The round's last ACK decides to grow and is the first of ten that do.
        window.cwnd = 10.0;
        acks.feed(&mut vegas, &mut window, 10 + 9, (10, MS(100)));
        let growth = window.cwnd - 10.0;
        assert!((0.95..=1.0).contains(&growth), "{growth}");
    }

    #[test]
    fn slow_start_ends_with_more_than_gamma_queued() {
        let mut vegas = paper();
        let mut window = Window { cwnd: 16.0, ssthresh: 1000.0 };
        let mut acks = Acks::default();
        acks.feed(&mut vegas, &mut window, 1, (16, MS(100)));
        window.cwnd = 16.0;
        // 16 (1 - 100/105) = 0.76; the first round is over with the 17th ACK, and so on.
        acks.feed(&mut vegas, &mut window, 32, (16, MS(105)));
        assert_eq!(window.ssthresh, 1000.0);
        window.cwnd = 16.0;
        // 16 (1 - 100/108) = 1.19.
        acks.feed(&mut vegas, &mut window, 16, (16, MS(108)));
        assert_eq!(window.ssthresh, 2.0);
        assert!((14.0..17.0).contains(&window.cwnd), "{}", window.cwnd);
    }

    #[test]
    fn losses_leave_three_quarters_and_timeouts_two_segments() {
        let mut vegas = paper();
        let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
        vegas.on_loss(&mut window, &signal(0, 0.0, 20.0));
        assert_eq!(window, Window { cwnd: 15.0, ssthresh: 15.0 });
        vegas.on_timeout(&mut window, &signal(0, 0.0, 14.0), true);
        assert_eq!(window, Window { cwnd: 2.0, ssthresh: 7.0 });
    }
}
