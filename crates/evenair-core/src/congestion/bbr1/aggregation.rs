//! How far deliveries run ahead of the bandwidth, because ACKs or segments come in bursts (`bbr_update_ack_aggregation`,
//! `bbr_ack_aggregation_cwnd`). cwnd has so much more, for the silence between bursts.

use super::bandwidth::{Bandwidth, micros};
use crate::time::{Duration, Instant};

/// The window of the filter: the highest of 5 to 10 rounds (`bbr_extra_acked_win_rtts`).
const ROUNDS: u32 = 5;
/// No more than is delivered in this time (`bbr_extra_acked_max_us`).
const LONGEST: Duration = Duration::from_millis(100);
/// After so many segments an epoch begins anew (`bbr_ack_epoch_acked_reset_thresh`).
const LONGEST_EPOCH: u64 = 1 << 20;

/// The epoch in which deliveries are ahead, and the filter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    epoch: Instant,
    /// Segments delivered in the epoch.
    acked: u64,
    /// The most extra segments in this half of the window and in the other.
    extra: [u64; 2],
    /// Which half it is.
    half: usize,
    rounds: u32,
}

impl Aggregation {
    /// An epoch begins: with the connection, or after a pause.
    pub(super) fn restart(&mut self, now: Instant) {
        (self.epoch, self.acked) = (now, 0);
    }

    /// `acked` segments have been delivered, on a path of this bandwidth and with this cwnd.
    pub(super) fn update(
        &mut self,
        now: Instant,
        (acked, cwnd): (u64, u64),
        bandwidth: Bandwidth,
        round_starts: bool,
    ) {
        if round_starts {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                (self.rounds, self.half) = (0, 1 - self.half);
                self.extra[self.half] = 0;
            }
        }
        let mut expected = bandwidth.segments_in(micros(now.since(self.epoch)));
        if self.acked <= expected || self.acked + acked >= LONGEST_EPOCH {
            self.restart(now);
            expected = 0;
        }
        self.acked += acked;
        let extra = (self.acked - expected).min(cwnd);
        self.extra[self.half] = self.extra[self.half].max(extra);
    }

    /// Segments that cwnd has in addition.
    pub(super) fn allowance(&self, bandwidth: Bandwidth) -> u64 {
        self.extra[0].max(self.extra[1]).min(bandwidth.segments_in(micros(LONGEST)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// One segment per millisecond, in bursts of 8 every 8 ms: 8 are ahead. A burst of 30 that comes after 24 ms of
    /// silence is not, for an epoch begins that it alone is in. What comes 1 ms later is 29 + 1 - 1 more.
    #[test]
    fn bursts_are_ahead_of_the_bandwidth() {
        let bandwidth = Bandwidth::of(1001, 1_000_000);
        let mut aggregation = Aggregation::default();
        aggregation.restart(at(0));
        for burst in 1..=4 {
            aggregation.update(at(8 * burst), (8, 1000), bandwidth, false);
            assert_eq!(aggregation.allowance(bandwidth), 8);
        }
        aggregation.update(at(56), (30, 1000), bandwidth, false);
        assert_eq!(aggregation.allowance(bandwidth), 30);
        aggregation.update(at(57), (5, 1000), bandwidth, false);
        assert_eq!(aggregation.allowance(bandwidth), 34);
        // No more than cwnd, and than 100 ms of the bandwidth.
        aggregation.update(at(58), (500, 90), bandwidth, false);
        assert_eq!(aggregation.allowance(bandwidth), 90);
        aggregation.update(at(59), (500, 1000), bandwidth, false);
        assert_eq!(aggregation.allowance(bandwidth), 100);
    }

    /// The most is forgotten 5 to 10 rounds later: the half that it is in is cleared in the tenth round.
    #[test]
    fn the_most_lasts_ten_rounds() {
        let bandwidth = Bandwidth::of(1001, 1_000_000);
        let mut aggregation = Aggregation::default();
        aggregation.update(at(1), (50, 1000), bandwidth, false);
        let mut seen = vec![];
        for round in 1..=10 {
            // Segments one by one at the rate.
            for ms in 0..100 {
                aggregation.update(at(100 * round + ms), (1, 1000), bandwidth, ms == 0);
            }
            seen.push(aggregation.allowance(bandwidth));
        }
        assert!(seen[..9].iter().all(|&extra| extra == 50), "{seen:?}");
        assert!(seen[9] <= 2, "{seen:?}");
    }
}
