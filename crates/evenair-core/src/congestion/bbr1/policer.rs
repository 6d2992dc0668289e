//! Token-bucket policers: where two intervals in a row have the same rate with many losses, that rate is taken for a while
//! (`bbr_lt_bw_sampling`; Flach et al., "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016).

use super::bandwidth::{Bandwidth, Gain};
use crate::time::Instant;

/// The rounds of an interval, at least; four times so many at most (`bbr_lt_intvl_min_rtts`).
const ROUNDS: u64 = 4;
/// Losses in 256 delivered from which on an interval is lossy (`bbr_lt_loss_thresh`).
const LOSSES: u64 = 50;
/// Two rates are the same if they differ by this share of the first ...
const RATIO: Gain = Gain(256 / 8);
/// ... or by so many bytes per second (`bbr_lt_bw_ratio`, `bbr_lt_bw_diff`).
const DIFFERENCE: u64 = 500;
/// The rounds in which the rate is taken (`bbr_lt_bw_max_rtts`).
const ROUNDS_OF_USE: u64 = 48;

/// What the connection has delivered and lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    /// When something was last delivered.
    pub(super) at: Instant,
    /// Segments delivered.
    pub(super) delivered: u64,
    /// Segments lost.
    pub(super) lost: u64,
}

/// What an ACK or a timeout tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal {
    /// So far.
    pub(super) delivery: Delivery,
    /// Payload bytes of a segment.
    pub(super) segment: u64,
    /// Whether it tells losses.
    pub(super) has_losses: bool,
    /// Whether a round begins.
    pub(super) round_starts: bool,
    /// Whether the application limits the sender.
    pub(super) is_app_limited: bool,
    /// Whether the rate is cycled, not that of the start, of a drain or of a probe for the round-trip time.
    pub(super) is_cycling: bool,
}

/// The state of the sampling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    is_sampling: bool,
    is_used: bool,
    bandwidth: Bandwidth,
    /// At the start of the interval.
    start: Delivery,
    /// Of the interval, or of the use.
    rounds: u64,
}

impl Policer {
    /// The rate of the policer, while it is taken.
    pub(super) fn bandwidth(&self) -> Option<Bandwidth> {
        self.is_used.then_some(self.bandwidth)
    }

    /// Starts anew. Returns whether the rate was taken until now and is given up.
    pub(super) fn update(&mut self, signal: &Signal) -> bool {
        if self.is_used {
            self.rounds += u64::from(signal.is_cycling && signal.round_starts);
            let ends = signal.is_cycling && signal.round_starts && self.rounds >= ROUNDS_OF_USE;
            if ends {
                *self = Self { start: signal.delivery, ..Self::default() };
            }
            return ends;
        }
        if !self.is_sampling {
            // The policer has tokens until the first loss.
            if !signal.has_losses {
                return false;
            }
            self.begin_interval(signal);
            self.is_sampling = true;
        }
        if signal.is_app_limited {
            *self = Self { start: signal.delivery, ..Self::default() };
            return false;
        }
        self.rounds += u64::from(signal.round_starts);
        if self.rounds > 4 * ROUNDS {
            *self = Self { start: signal.delivery, ..Self::default() };
        } else if self.rounds >= ROUNDS && signal.has_losses {
            self.end_interval(signal);
        }
        false
    }

    fn begin_interval(&mut self, signal: &Signal) {
        (self.start, self.rounds) = (signal.delivery, 0);
    }

    /// The tokens are used up: the interval may end.
    fn end_interval(&mut self, signal: &Signal) {
        let Delivery { at, delivered, lost } = signal.delivery;
        let (delivered, lost) = (delivered - self.start.delivered, lost - self.start.lost);
        if delivered == 0 || lost * 256 < LOSSES * delivered {
            return;
        }
        // Whole milliseconds, as in Linux.
        let millis = |at: Instant| at.as_nanos() / 1_000_000;
        let time = millis(at).saturating_sub(millis(self.start.at));
        if time == 0 {
            return;
        }
        let bandwidth = Bandwidth::of(delivered, 1000 * time);
        let difference = Bandwidth(bandwidth.0.abs_diff(self.bandwidth.0));
        let is_same = difference.0 * Gain::ONE.0 <= RATIO.0 * self.bandwidth.0
            || difference.bytes_per_second(signal.segment, Gain::ONE) <= DIFFERENCE;
        if self.bandwidth.0 > 0 && is_same {
            self.bandwidth = Bandwidth(u64::midpoint(bandwidth.0, self.bandwidth.0));
            (self.is_used, self.rounds) = (true, 0);
        } else {
            self.bandwidth = bandwidth;
            self.begin_interval(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    /// The state after so many ms, with so many segments delivered and lost; a round has begun.
    fn signal(ms: u64, delivered: u64, lost: u64) -> Signal {
        let delivery = Delivery { at: Instant::ZERO + Duration::from_millis(ms), delivered, lost };
        Signal {
            delivery,
            segment: 1000,
            has_losses: true,
            round_starts: true,
            is_app_limited: false,
            is_cycling: true,
        }
    }

    /// Rounds of 100 ms. In intervals of four rounds `rates` segments are delivered, and a fourth of that is lost.
    fn after_intervals(rates: &[u64]) -> (Policer, u64, u64) {
        let mut policer = Policer::default();
        let (mut ms, mut delivered) = (0, 0);
        policer.update(&Signal { round_starts: false, ..signal(0, 0, 0) });
        for rate in rates {
            for quarter in 1..=4 {
                let now = delivered + rate * quarter / 4;
                assert!(!policer.update(&signal(ms + 100 * quarter, now, now / 4)));
            }
            (ms, delivered) = (ms + 400, delivered + rate);
        }
        (policer, ms, delivered)
    }

    /// 400 and then 440 segments in 400 ms: 1/10 more, less than 1/8. Their mean is taken, 420 in 400 ms; after 48 rounds
    /// it is given up. 460 differ by more than 1/8.
    #[test]
    fn two_lossy_intervals_of_one_rate_are_a_policer() {
        assert_eq!(after_intervals(&[400]).0.bandwidth(), None);
        assert_eq!(after_intervals(&[400, 460]).0.bandwidth(), None);
        let (mut policer, ms, delivered) = after_intervals(&[400, 440]);
        let taken = policer.bandwidth().unwrap();
        let mean = Bandwidth::of(420, 400_000);
        assert!(taken.0.abs_diff(mean.0) <= 1, "{taken:?} {mean:?}");
        for round in 1..=48 {
            assert!(policer.bandwidth().is_some());
            let ends = policer.update(&signal(ms + 100 * round, delivered + 100 * round, 0));
            assert_eq!(ends, round == 48);
        }
        assert_eq!(policer.bandwidth(), None);
    }

    /// 50 of 256 is 19.5 %: 78 of 400 is less, 79 is more.
    #[test]
    fn fewer_losses_are_no_policer() {
        for (lost, expected) in [(78, false), (79, true)] {
            let mut policer = Policer::default();
            policer.update(&Signal { round_starts: false, ..signal(0, 0, 0) });
            for round in 1..=3 {
                policer.update(&signal(100 * round, 100 * round, 0));
            }
            policer.update(&signal(400, 400, lost));
            assert_eq!(policer.bandwidth.0 > 0, expected, "{lost}");
        }
    }

    /// Nothing begins before the first loss; without data it starts anew; and so it does after more than 16 rounds.
    #[test]
    fn sampling_starts_anew() {
        let mut policer = Policer::default();
        policer.update(&Signal { has_losses: false, ..signal(0, 0, 0) });
        assert!(!policer.is_sampling);
        policer.update(&signal(100, 100, 10));
        assert!(policer.is_sampling);
        policer.update(&Signal { is_app_limited: true, ..signal(200, 200, 20) });
        assert!(!policer.is_sampling);
        policer.update(&Signal { round_starts: false, ..signal(300, 300, 30) });
        for round in 1..=17 {
            assert!(policer.is_sampling, "{round}");
            let quiet = Signal { has_losses: false, ..signal(300 + round * 100, 300, 30) };
            policer.update(&quiet);
        }
        assert!(!policer.is_sampling);
    }
}
