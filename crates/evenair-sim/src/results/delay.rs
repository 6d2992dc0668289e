//! Delays and limits in a result.

use evenair_core::delays::Buckets;
use evenair_core::time::Duration;
use evenair_core::transport::{Limit, LimitTimes};
use serde::Serialize;

/// A distribution of delays, seconds. `mean` and `max` are exact; a percentile differs from the sample
/// of its rank (nearest rank) by at most 1/256 of that sample
/// ([`RELATIVE_ERROR`](evenair_core::delays::Delays::RELATIVE_ERROR)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DelayResult {
    /// Mean.
    pub mean: f64,
    /// 5th percentile.
    pub p5: f64,
    /// 25th percentile.
    pub p25: f64,
    /// Median.
    pub p50: f64,
    /// 75th percentile.
    pub p75: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

impl DelayResult {
    /// None without any delay.
    pub(crate) fn new(delays: &Buckets) -> Option<Self> {
        let percentiles = delays.percentiles([5, 25, 50, 75, 95, 99])?;
        let [p5, p25, p50, p75, p95, p99] = percentiles.map(Duration::as_secs_f64);
        let (mean, max) = (delays.mean(), delays.max().as_secs_f64());
        Some(Self { mean, p5, p25, p50, p75, p95, p99, max })
    }
}

/// A cumulative distribution of delays. Buckets of the histogram are joined until they have a
/// hundredth of its samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DelayCurve {
    /// The flow's id; absent for the access point's queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// "rtt", "one_way_delay" or "ap_queue_delay".
    pub quantity: &'static str,
    /// Upper ends of buckets, seconds.
    pub le_s: Vec<f64>,
    /// Number of samples up to each of them.
    pub count: Vec<u64>,
}

/// Points of a [`DelayCurve`] at most, but for one.
const POINTS: u64 = 100;

impl DelayCurve {
    /// None without any delay.
    pub(crate) fn new(
        flow: Option<&str>,
        quantity: &'static str,
        delays: &Buckets,
    ) -> Option<Self> {
        // The curve begins below the first sample.
        let first = delays.iter().next()?.first.saturating_sub(Duration::from_nanos(1));
        let (mut le_s, mut count) = (vec![first.as_secs_f64()], vec![0]);
        let (mut passed, mut noted) = (0, 0);
        for bucket in delays.iter() {
            passed += bucket.count;
            if (passed - noted) * POINTS >= delays.total() || passed == delays.total() {
                le_s.push(bucket.last.min(delays.max()).as_secs_f64());
                count.push(passed);
                noted = passed;
            }
        }
        Some(Self { flow: flow.map(str::to_owned), quantity, le_s, count })
    }
}

/// Shares of the measured time in which a TCP sender was held back by what; they sum to 1. Of a flow with several
/// connections at the same time: the mean of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LimitedBy {
    /// The receiver's window, while cwnd had room.
    pub receive_window: f64,
    /// cwnd, the handshake, or the last ACKs of a transfer.
    pub cwnd: f64,
    /// Repair of losses.
    pub recovery: f64,
    /// Waiting until a retransmission timer expired.
    pub timeout: f64,
    /// The application, which had nothing to send.
    pub application: f64,
    /// What was in the queues of the sender's host, with TCP small queues.
    pub small_queue: f64,
    /// Pacing.
    pub pacing: f64,
    /// Pacing or cwnd, while the congestion control departs from its estimate of the path to measure that. Only of
    /// controls that do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_probing: Option<f64>,
}

impl LimitedBy {
    /// The mean of these senders, at least one, of `duration_s` in all; `probes`: their congestion control does.
    pub(crate) fn mean(times: &[LimitTimes], probes: bool, duration_s: f64) -> Self {
        let of_one = |times: &LimitTimes, limit| times.of(limit).as_secs_f64() / duration_s;
        let share = |limit| {
            times.iter().map(|times| of_one(times, limit)).sum::<f64>() / times.len() as f64
        };
        Self {
            receive_window: share(Limit::ReceiveWindow),
            cwnd: share(Limit::Cwnd),
            recovery: share(Limit::Recovery),
            timeout: share(Limit::Timeout),
            application: share(Limit::Application),
            small_queue: share(Limit::SmallQueue),
            pacing: share(Limit::Pacing),
            bandwidth_probing: probes.then(|| share(Limit::BandwidthProbing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::delays::Delays;

    use super::*;

    fn delays(nanos: impl Iterator<Item = u64>) -> Buckets {
        let mut delays = Delays::default();
        nanos.for_each(|nanos| delays.record(Duration::from_nanos(nanos)));
        delays.buckets()
    }

    /// Below 256 ns buckets have one nanosecond, so that everything is exact.
    #[test]
    fn percentiles_of_1_to_200() {
        let result = DelayResult::new(&delays(1..=200)).unwrap();
        let nanos = [5, 25, 50, 75, 95, 99].map(|percent| f64::from(2 * percent) / 1e9);
        let found = [result.p5, result.p25, result.p50, result.p75, result.p95, result.p99];
        assert_eq!(found, nanos);
        assert_eq!((result.mean, result.max), (100.5 / 1e9, 200.0 / 1e9));
        assert_eq!(DelayResult::new(&Delays::default().buckets()), None);
    }

    #[test]
    fn a_curve_has_points_a_hundredth_apart() {
        let curve = DelayCurve::new(Some("up-1"), "rtt", &delays(1..=200)).unwrap();
        assert_eq!((curve.le_s.len(), curve.count.len()), (101, 101));
        assert_eq!((curve.le_s[0], curve.count[0]), (0.0, 0));
        assert_eq!((curve.le_s[1], curve.count[1]), (2.0 / 1e9, 2));
        assert_eq!((curve.le_s[100], curve.count[100]), (200.0 / 1e9, 200));
        let point = DelayCurve::new(None, "rtt", &delays([7, 7].into_iter())).unwrap();
        assert_eq!((point.le_s, point.count), (vec![6.0 / 1e9, 7.0 / 1e9], vec![0, 2]));
    }
}
