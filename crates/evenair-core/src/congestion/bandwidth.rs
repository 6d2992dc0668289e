//! How much a path carries, from the ACKs that come back: the estimators of Westwood and Westwood+.
//!
//! Both count the segments that each ACK reports as arrived ([`Arrivals`]), turn them into
//! samples of bandwidth, and smooth these. BWE RTTmin is then what the path holds without a queue.

use super::AckEvent;
use crate::time::{Duration, Instant};

/// ACKs that come closer together than this make one sample: those that a link delivers in a clump
/// tell the link's rate, not the path's.
const CLUMP: Duration = Duration::from_millis(1);

/// Counts what has arrived (Mascolo et al. 2001, `AckedCount`): a duplicate ACK stands for one
/// segment, and the ACK that later covers these segments for what had not been counted yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// Segments counted by duplicate ACKs and not yet acknowledged.
    counted: f64,
}

impl Arrivals {
    /// Segments that this ACK reports as arrived; `acked` is 0 with a duplicate ACK.
    pub fn of(&mut self, acked: f64) -> f64 {
        if acked == 0.0 {
            self.counted += 1.0;
            1.0
        } else if acked <= 1.0 {
            acked
        } else if self.counted >= acked {
            // At least the retransmitted segment has just arrived.
            self.counted -= acked;
            1.0
        } else {
            let rest = acked - self.counted;
            self.counted = 0.0;
            rest
        }
    }
}

/// A filter of bandwidth samples.
#[derive(Clone, Debug)]
pub enum Filter {
    /// Westwood's: a sample for each ACK, and a low-pass filter with time constant tau (bilinear
    /// transform) that goes by the time between samples.
    Original {
        /// The time constant, seconds.
        tau: f64,
        /// The last sample, segments/s.
        last: f64,
    },
    /// Westwood+'s: a sample for each round trip, and two averages in a row that each keep 7/8.
    Plus {
        /// The shortest time of a sample.
        least: Duration,
        /// What the first average has come to, once there is a sample.
        first: Option<f64>,
    },
}

/// The virtual samples of Westwood: after tau / 2 without an ACK the path carried nothing.
const VIRTUAL: f64 = 2.0;

/// What the path holds: BWE RTTmin.
#[derive(Clone, Debug)]
pub struct BandwidthEstimator {
    filter: Filter,
    arrivals: Arrivals,
    /// Segments that have arrived since `since`.
    pending: f64,
    /// When the last sample ended, once there has been an ACK.
    since: Option<Instant>,
    /// BWE, segments/s.
    bandwidth: f64,
    /// RTTmin.
    least_rtt: Option<Duration>,
    /// The last round-trip time.
    rtt: Duration,
}

impl BandwidthEstimator {
    /// Of which nothing is known.
    pub fn new(filter: Filter) -> Self {
        Self {
            filter,
            arrivals: Arrivals::default(),
            pending: 0.0,
            since: None,
            bandwidth: 0.0,
            least_rtt: None,
            rtt: Duration::ZERO,
        }
    }

    /// Takes any ACK.
    pub fn on_ack(&mut self, signal: &AckEvent) {
        if let Some(rtt) = signal.rtt {
            self.rtt = rtt;
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let arrived = self.arrivals.of(signal.acked);
        let Some(since) = self.since else {
            // The clock starts: the first ACK ends no interval.
            self.since = Some(signal.now);
            return;
        };
        let since = self.rest(since, signal.now);
        self.pending += arrived;
        let elapsed = signal.now.since(since);
        let least = match self.filter {
            Filter::Original { .. } => CLUMP,
            Filter::Plus { least, .. } => least.max(self.rtt),
        };
        if elapsed >= least && elapsed > Duration::ZERO {
            let seconds = elapsed.as_secs_f64();
            self.sample(self.pending / seconds, seconds);
            self.pending = 0.0;
            self.since = Some(signal.now);
        }
    }

    /// BWE RTTmin at `now`, segments, at least 2; nothing while there is no round-trip time.
    pub fn size(&mut self, now: Instant) -> Option<f64> {
        if let Some(since) = self.since {
            self.rest(since, now);
        }
        self.least_rtt.map(|rtt| (self.bandwidth * rtt.as_secs_f64()).max(2.0))
    }

    /// Forgets RTTmin: the next round-trip time starts it afresh.
    pub fn forget_rtt(&mut self) {
        self.least_rtt = None;
    }

    /// The virtual samples between `since` and `now`; when the last of them ended.
    fn rest(&mut self, since: Instant, now: Instant) -> Instant {
        let Filter::Original { tau, .. } = self.filter else { return since };
        let gap = Duration::from_secs_f64(tau / VIRTUAL).max(Duration::from_nanos(1));
        let mut since = since;
        // What is pending arrived at the start of the gap. After 400 samples nothing is left.
        let mut left = 400;
        while now.since(since) > gap && left > 0 {
            let seconds = gap.as_secs_f64();
            self.sample(self.pending / seconds, seconds);
            self.pending = 0.0;
            since += gap;
            left -= 1;
        }
        if now.since(since) > gap {
            since = now;
        }
        self.since = Some(since);
        since
    }

    /// Takes a sample of `bandwidth` segments/s over `seconds`.
    fn sample(&mut self, bandwidth: f64, seconds: f64) {
        match &mut self.filter {
            Filter::Original { tau, last } => {
                // Mascolo et al. 2001, equation (2).
                let a = (2.0 * *tau - seconds) / (2.0 * *tau + seconds);
                self.bandwidth = a * self.bandwidth + (1.0 - a) * (bandwidth + *last) / 2.0;
                *last = bandwidth;
            }
            Filter::Plus { first: Some(first), .. } => {
                *first = (7.0 * *first + bandwidth) / 8.0;
                self.bandwidth = (7.0 * self.bandwidth + *first) / 8.0;
            }
            Filter::Plus { first, .. } => {
                *first = Some(bandwidth);
                self.bandwidth = bandwidth;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at_ms, signal};
    use super::*;

    fn close(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 1e-6, "{got}, not {expected}");
    }

    /// One segment each, at these times in ms; BWE after each.
    fn one_each(pipe: &mut BandwidthEstimator, times: &[u64]) -> Vec<f64> {
        times
            .iter()
            .map(|&ms| {
                pipe.on_ack(&AckEvent { rtt: None, ..signal(ms, 1.0, 10.0) });
                pipe.bandwidth
            })
            .collect()
    }

    /// Mascolo et al. 2001, equation (2), by hand with tau = 0.5 s. At 100 ms a = 9/11: 10/11, then
    /// 9/11 10/11 + 2/11 10. Two virtual samples (a = 3/5) at +250 and +500 ms, then one at +600.
    #[test]
    fn the_original_filter_by_hand() {
        let mut pipe = BandwidthEstimator::new(Filter::Original { tau: 0.5, last: 0.0 });
        let got = one_each(&mut pipe, &[1000, 1100, 1200, 1800]);
        close(got[1], 10.0 / 11.0);
        close(got[2], 2.561_983_471);
        close(got[3], 2.645_529_677);
    }

    /// The often quoted weights of D = tau / 10: 19/21 and 1/21.
    #[test]
    fn the_original_filter_at_a_tenth_of_tau() {
        let mut pipe = BandwidthEstimator::new(Filter::Original { tau: 0.5, last: 0.0 });
        let got = one_each(&mut pipe, &[0, 50, 100, 150]);
        close(got[1], 20.0 / 21.0);
        close(got[2], 19.0 / 21.0 * got[1] + (20.0 + 20.0) / 21.0);
        close(got[3], 19.0 / 21.0 * got[2] + (20.0 + 20.0) / 21.0);
    }

    /// ACKs of the same instant count as one sample of all that they tell.
    #[test]
    fn a_clump_is_one_sample() {
        let mut clumps = BandwidthEstimator::new(Filter::Original { tau: 0.5, last: 0.0 });
        for ms in (0..5000).step_by(20) {
            for _ in 0..4 {
                clumps.on_ack(&signal(ms, 1.0, 10.0));
            }
        }
        // 200 segments/s.
        assert!((clumps.bandwidth - 200.0).abs() < 4.0, "{}", clumps.bandwidth);
    }

    /// Ten segments in a round trip of 100 ms, then five, then five.
    #[test]
    fn the_filter_of_westwood_plus_by_hand() {
        let mut pipe =
            BandwidthEstimator::new(Filter::Plus { least: Duration::from_millis(50), first: None });
        let expected = [(100, 10, 100.0), (200, 20, 99.218_75), (300, 20, 97.851_562_5)];
        pipe.on_ack(&signal(0, 1.0, 10.0));
        for (end, step, bandwidth) in expected {
            for ms in (end - 100 + step..=end).step_by(step as usize) {
                pipe.on_ack(&signal(ms, 1.0, 10.0));
            }
            close(pipe.bandwidth, bandwidth);
        }
        // RTTmin is 100 ms.
        close(pipe.size(at_ms(300)).unwrap(), 9.785_156_25);
    }

    #[test]
    fn duplicate_acks_are_not_counted_twice() {
        let mut arrivals = Arrivals::default();
        let told = |arrivals: &mut Arrivals, acked: &[f64]| {
            acked.iter().map(|&acked| arrivals.of(acked)).collect::<Vec<_>>()
        };
        // Three beyond a hole; then the hole and these three: one more.
        assert_eq!(told(&mut arrivals, &[0.0, 0.0, 0.0, 4.0]), [1.0, 1.0, 1.0, 1.0]);
        // Delayed ACKs count for two.
        assert_eq!(told(&mut arrivals, &[2.0, 2.0]), [2.0, 2.0]);
        // A partial ACK of three leaves two counted.
        assert_eq!(told(&mut arrivals, &[0.0; 5]), [1.0; 5]);
        assert_eq!(told(&mut arrivals, &[3.0, 4.0]), [1.0, 2.0]);
    }

    /// After tau without an ACK little is left, however long it lasts.
    #[test]
    fn silence_fades() {
        let mut pipe = BandwidthEstimator::new(Filter::Original { tau: 0.5, last: 0.0 });
        for ms in (0..4000).step_by(10) {
            pipe.on_ack(&signal(ms, 1.0, 10.0));
        }
        close(pipe.size(at_ms(3990)).unwrap().round(), 10.0);
        assert!(pipe.size(at_ms(4990)).unwrap() < 5.0);
        assert_eq!(pipe.size(at_ms(400_000_000)), Some(2.0));
    }
}
