//! The model of the path: how fast it delivers, and how much it holds (2.9, 5.5.2 to 5.5.6).
//!
//! Rates are segments/s, volumes segments. A bound that is not set is infinite.

use crate::time::Duration;

/// MinPipeCwnd (2.8), segments: two, and the ACKs of two, if every second is acknowledged.
pub(super) const MIN_PIPE_CWND: f64 = 4.0;

/// BBR.max_bw_filter: the largest delivery rate of the present ProbeBW cycle and of the one before (5.5.3).
/// Two values are enough for it, as 5.5.6 notes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBandwidth {
    previous: f64,
    present: f64,
}

impl MaxBandwidth {
    /// BBR.max_bw; 0 before the first sample.
    pub(super) fn get(self) -> f64 {
        self.previous.max(self.present)
    }

    /// UpdateMaxBw (5.5.5). A sample that the application has limited counts only if it is as large as the
    /// estimate (5.5.4).
    pub(super) fn take(&mut self, rate: f64, is_app_limited: bool) {
        if rate > 0.0 && (rate >= self.get() || !is_app_limited) {
            self.present = self.present.max(rate);
        }
    }

    /// AdvanceMaxBwFilter (5.5.6): the next cycle begins. A cycle without a sample is none: the filter of the
    /// draft forgets nothing before there is another sample.
    pub(super) fn advance(&mut self) {
        if self.present > 0.0 {
            (self.previous, self.present) = (self.present, 0.0);
        }
    }
}

/// What is known of the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    pub(super) max_bw: MaxBandwidth,
    /// BBR.bw: the smaller of `max_bw` and `bw_shortterm`.
    pub(super) bw: f64,
    /// The rate that has been delivered since losses were seen in this cycle.
    pub(super) bw_shortterm: f64,
    /// The same for the volume in flight.
    pub(super) inflight_shortterm: f64,
    /// The volume in flight beyond which a probe has lost too much.
    pub(super) inflight_longterm: f64,
    /// The round-trip time of the empty path.
    pub(super) min_rtt: Option<Duration>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            max_bw: MaxBandwidth::default(),
            bw: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            min_rtt: None,
        }
    }
}

impl Model {
    /// BDPMultiple (5.6.4.2) with a gain of 1: what the path holds at this rate, without a queue.
    pub(super) fn bdp(&self, bw: f64) -> Option<f64> {
        self.min_rtt.map(|rtt| bw * rtt.as_secs_f64())
    }

    /// InflightWithHeadroom (5.3.3.9): leaves `headroom`, a share of it, to others.
    pub(super) fn inflight_with_headroom(&self, headroom: f64) -> f64 {
        if self.inflight_longterm == f64::INFINITY {
            return f64::INFINITY;
        }
        let room = (headroom * self.inflight_longterm).max(1.0);
        (self.inflight_longterm - room).max(MIN_PIPE_CWND)
    }

    /// ResetShortTermModel (5.5.10.3).
    pub(super) fn reset_shortterm(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// BoundBWForModel (5.5.10.3).
    pub(super) fn bound_bw(&mut self) {
        self.bw = self.max_bw.get().min(self.bw_shortterm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles with at most 100, 80, 60, nothing and 40. The largest of two in a row: 100, 100, 80; then 60, as of the
    /// next there is no sample. The first sample of that one is 40, and 60 is the cycle before.
    #[test]
    fn the_filter_covers_two_cycles() {
        let mut filter = MaxBandwidth::default();
        filter.take(100.0, false);
        filter.take(90.0, false);
        let mut largest = vec![filter.get()];
        for rates in [&[80.0][..], &[50.0, 60.0], &[], &[40.0]] {
            filter.advance();
            for &rate in rates {
                filter.take(rate, false);
            }
            largest.push(filter.get());
        }
        assert_eq!(largest, [100.0, 100.0, 80.0, 60.0, 60.0]);
    }

    #[test]
    fn a_sample_that_the_application_limits_only_raises_the_filter() {
        let mut filter = MaxBandwidth::default();
        filter.take(100.0, false);
        filter.advance();
        filter.take(70.0, true);
        filter.advance(); // of a cycle without a sample
        assert_eq!(filter.get(), 100.0);
        filter.take(120.0, true);
        assert_eq!(filter.get(), 120.0);
    }

    /// 0.15 of 40 are 6; of 5 it would be less than a segment, and 4 are always allowed.
    #[test]
    fn headroom_is_a_segment_at_least() {
        let with = |inflight_longterm| {
            Model { inflight_longterm, ..Model::default() }.inflight_with_headroom(0.15)
        };
        assert_eq!(with(40.0), 34.0);
        assert_eq!(with(6.0), 5.0);
        assert_eq!(with(4.5), 4.0);
        assert_eq!(with(f64::INFINITY), f64::INFINITY);
    }
}
