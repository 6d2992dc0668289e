//! ACK aggregation (5.5.9): how much more an interval acknowledges than the bandwidth lets expect.

use std::collections::VecDeque;

use crate::time::Instant;

/// ExtraAckedFilterLen (2.12), round trips.
const ROUNDS: u64 = 10;

/// Estimates BBR.extra_acked.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    /// BBR.extra_acked_interval_start.
    since: Instant,
    /// BBR.extra_acked_delivered: segments since then.
    delivered: f64,
    /// BBR.extra_acked_filter: falling values with the round of each. The first is the largest.
    largest: VecDeque<(u64, f64)>,
}

impl Aggregation {
    /// BBR.extra_acked, segments.
    pub(super) fn extra_acked(&self) -> f64 {
        self.largest.front().map_or(0.0, |&(_, extra)| extra)
    }

    /// The flow restarts from idle (5.4.1): the pause says nothing of the path.
    pub(super) fn restart(&mut self, now: Instant) {
        self.since = now;
    }

    /// UpdateACKAggregation: `acked` more segments are acknowledged in this round of a path that carries `bw`.
    pub(super) fn on_ack(
        &mut self,
        now: Instant,
        acked: f64,
        (bw, cwnd): (f64, f64),
        (round, is_startup): (u64, bool),
    ) {
        let mut expected = bw * now.since(self.since).as_secs_f64();
        if self.delivered <= expected {
            (self.delivered, self.since, expected) = (0.0, now, 0.0);
        }
        self.delivered += acked;
        let extra = (self.delivered - expected).min(cwnd);
        while self.largest.back().is_some_and(|&(_, other)| other <= extra) {
            self.largest.pop_back();
        }
        self.largest.push_back((round, extra));
        let length = if is_startup { 1 } else { ROUNDS };
        while self.largest.front().is_some_and(|&(of, _)| round - of > length) {
            self.largest.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    /// A path of 1,000 segments/s, one ACK for ten segments every 10 ms, each in a round of its own; extra_acked
    /// after each.
    fn extras(acks: &[(u64, f64)], is_startup: bool) -> Vec<f64> {
        let mut aggregation = Aggregation::default();
        let extra = |(round, &(ms, acked)): (usize, &(u64, f64))| {
            let now = Instant::ZERO + Duration::from_millis(ms);
            aggregation.on_ack(now, acked, (1000.0, 100.0), (round as u64, is_startup));
            aggregation.extra_acked()
        };
        acks.iter().enumerate().map(extra).collect()
    }

    /// By hand: the first ACK begins an interval in which nothing was expected. 10 ms later 10 are expected, as
    /// many as had come: a new interval. 5 ms later 5 are expected, and 20 have come; another 5 ms later 30, of
    /// which 10 were expected: 20 more. cwnd is the most that it can be.
    #[test]
    fn what_exceeds_the_bandwidth_is_extra() {
        let acks = [(10, 10.0), (20, 10.0), (25, 10.0), (30, 10.0), (30, 150.0)];
        assert_eq!(extras(&acks, false), [10.0, 10.0, 15.0, 20.0, 100.0]);
    }

    /// A burst of 50 is remembered for ten rounds, in Startup for one.
    #[test]
    fn it_is_the_largest_of_ten_rounds() {
        let acks: Vec<_> = (1..=13).map(|n| (10 * n, if n == 1 { 50.0 } else { 1.0 })).collect();
        let expected: Vec<_> = (0..13).map(|round| round <= 10).collect();
        let is_burst = |extra: &f64| *extra == 50.0;
        assert_eq!(extras(&acks, false).iter().map(is_burst).collect::<Vec<_>>(), expected);
        assert_eq!(extras(&acks, true).iter().filter(|&extra| is_burst(extra)).count(), 2);
    }
}
