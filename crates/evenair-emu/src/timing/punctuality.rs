//! How long the engine's loop was behind, weighted by time, and whether a run is to be trusted.
//!
//! Percentiles over packets hardly see a stall: while the loop stands still it carries no packets,
//! and those that it carries afterwards are few. What the loop did not do while it stood still is
//! told by time: from when it was to look at the network and the devices again to when it did.

use evenair_core::delays::Delays;
use evenair_core::time::{Duration, Instant};
use serde::Serialize;

/// The largest share of the measured time that the loop may be late in. While it is behind, no new
/// packet enters the network, so that at most this share of the goodput of saturated flows is
/// lost. Chosen, as the 99th percentile over packets is: 99% of the packets and 99% of the time are
/// within the bound of lateness.
const LARGEST_SHARE: f64 = 0.01;
/// The longest stall, however long the run is. Linux's retransmission timeout is the smoothed
/// round-trip time and at least this (`TCP_RTO_MIN`; RFC 6298 section 2.3 has the formula): a shorter
/// stall fires no timer of TCP that would not have fired without it. After a longer one windows
/// begin at one segment, and what that costs is not bounded by the length of the stall.
const LONGEST_STALL: Duration = Duration::from_millis(200);

/// How late the loop was over the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Punctuality {
    /// Share of the measured time in which the loop was behind by more than the bound of lateness.
    pub late_share: f64,
    /// The longest time that the loop was behind without a break, seconds.
    pub longest_stall_s: f64,
    /// When that began, seconds since the start of the scenario; `None` if the loop was always on
    /// time.
    pub longest_stall_at_s: Option<f64>,
}

/// Times from when a packet was due at a device to when it was written there, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Lateness {
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Maximum.
    pub max: f64,
    /// Number of packets.
    pub count: u64,
}

impl Lateness {
    /// Of all these together; zeros if there are none.
    pub(crate) fn of<'a>(delays: impl IntoIterator<Item = &'a Delays>) -> Self {
        let mut all = Delays::default();
        delays.into_iter().for_each(|delays| all.add(delays));
        let buckets = all.buckets();
        let quantiles = buckets.quantiles([500, 900, 990, 999], 1000).unwrap_or_default();
        let [p50, p90, p99, p999] = quantiles.map(Duration::as_secs_f64);
        Self { p50, p90, p99, p999, max: buckets.max().as_secs_f64(), count: buckets.total() }
    }
}

/// Keeps account of how long the loop is behind.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// What is done later than this is late.
    bound: Duration,
    start: Instant,
    /// The measured time; [`Instant::NEVER`] before the start of the scenario.
    begin: Instant,
    end: Instant,
    late: Duration,
    longest: Duration,
    longest_at: Instant,
}

impl Watch {
    /// A watch that counts nothing before the measured time is known.
    pub fn new(bound: Duration) -> Self {
        let never = Instant::NEVER;
        let (late, longest) = (Duration::ZERO, Duration::ZERO);
        Self { bound, start: never, begin: never, end: never, late, longest, longest_at: never }
    }

    /// The scenario begins at `start`, and is measured from `begin` to `end`.
    pub fn measure(&mut self, start: Instant, begin: Instant, end: Instant) {
        (self.start, self.begin, self.end) = (start, begin, end);
    }

    /// The loop was to look at the network and the devices at `due`, and does so at `now`; what was
    /// due before it has done before.
    ///
    /// Of the warm-up those stalls count as stalls that reach into the measured time or end less
    /// than their own length before it: a retransmission timer that has backed off during the stall
    /// (RFC 6298 section 5.5) is due by then at the latest.
    pub fn note(&mut self, due: Instant, now: Instant) {
        let behind = now.min(self.end).since(due);
        if self.begin == Instant::NEVER || behind == Duration::ZERO {
            return;
        }
        let late_from = (due + self.bound).max(self.begin);
        self.late += now.min(self.end).since(late_from);
        if now + behind > self.begin && behind > self.longest {
            (self.longest, self.longest_at) = (behind, due);
        }
    }

    /// The account at `now`, or at the end of the measured time if that is over.
    pub fn account(&self, now: Instant) -> Punctuality {
        let measured = now.min(self.end).since(self.begin);
        let share = self.late.as_secs_f64() / measured.as_secs_f64();
        let has_stalled = self.longest > Duration::ZERO;
        Punctuality {
            late_share: if measured > Duration::ZERO { share } else { 0.0 },
            longest_stall_s: self.longest.as_secs_f64(),
            longest_stall_at_s: has_stalled
                .then(|| self.longest_at.since(self.start).as_secs_f64()),
        }
    }
}

/// Why a run is not to be trusted, each reason a line without a full stop; none if it is.
/// `max_lateness_s` is the bound of lateness, which replaces the longest stall if it is above it.
pub fn reasons(lateness: &Lateness, time: &Punctuality, max_lateness_s: f64) -> Vec<String> {
    let mut reasons = Vec::new();
    let longest = LONGEST_STALL.as_secs_f64().max(max_lateness_s);
    if time.longest_stall_s > longest {
        let at = time.longest_stall_at_s.unwrap_or_default();
        let length = time.longest_stall_s;
        reasons.push(format!(
            "the engine stood still for {length:.2} s at {at:.2} s, above {longest:.2} s"
        ));
    }
    let bound = max_lateness_s * 1e3;
    if time.late_share > LARGEST_SHARE {
        reasons.push(format!(
            "the engine was more than {bound:.2} ms late in {:.1}% of the time, above {:.0}%",
            time.late_share * 100.0,
            LARGEST_SHARE * 100.0
        ));
    }
    if lateness.p99 > max_lateness_s {
        reasons.push(format!(
            "the 99th percentile of lateness is {:.2} ms, above {bound:.2} ms",
            lateness.p99 * 1e3
        ));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Duration = Duration::from_millis(2);
    /// The scenario starts at 1 s, is measured from 3 s to 13 s.
    const MEASURED_S: f64 = 10.0;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// A loop that is to look each millisecond until `until_ms`, does so on time, and stands still
    /// in these times (from, to), milliseconds of a clock that only the test advances.
    fn ran(until_ms: u64, stalls: &[(u64, u64)]) -> Punctuality {
        let mut watch = Watch::new(BOUND);
        let mut clock = 0;
        while clock < until_ms {
            if clock >= 1000 {
                watch.measure(at(1000), at(3000), at(13_000));
            }
            let due = clock + 1;
            let stall = stalls.iter().find(|(from, to)| (*from..*to).contains(&due));
            clock = stall.map_or(due, |(_, to)| *to);
            watch.note(at(due), at(clock));
        }
        watch.account(at(until_ms))
    }

    fn judged(time: &Punctuality) -> Vec<String> {
        reasons(&Lateness::default(), time, BOUND.as_secs_f64())
    }

    fn close(got: f64, expected: f64) -> bool {
        (got - expected).abs() < 1e-9
    }

    #[test]
    fn a_loop_on_time_is_trusted() {
        let time = ran(13_000, &[]);
        assert_eq!(time, Punctuality::default());
        assert!(judged(&time).is_empty());
    }

    #[test]
    fn a_stall_counts_by_its_length() {
        let time = ran(13_000, &[(5000, 8000)]);
        // More than 2 ms late from 2 ms after it began.
        assert!(close(time.late_share, 2.998 / MEASURED_S), "{time:?}");
        assert!(close(time.longest_stall_s, 3.0), "{time:?}");
        assert!(time.longest_stall_at_s.is_some_and(|at| close(at, 4.0)), "{time:?}");
        let reasons = judged(&time);
        assert_eq!(
            reasons,
            [
                "the engine stood still for 3.00 s at 4.00 s, above 0.20 s",
                "the engine was more than 2.00 ms late in 30.0% of the time, above 1%",
            ]
        );
    }

    /// None of them is long, and packets may not see them.
    #[test]
    fn many_short_stalls_add_up() {
        let stalls: Vec<_> = (0..20).map(|k| (4000 + 400 * k, 4012 + 400 * k)).collect();
        let time = ran(13_000, &stalls);
        assert!(close(time.late_share, 20.0 * 0.010 / MEASURED_S), "{time:?}");
        assert!(close(time.longest_stall_s, 0.012), "{time:?}");
        assert_eq!(judged(&time).len(), 1);
        let time = ran(13_000, &stalls[..10]);
        assert!(judged(&time).is_empty(), "{time:?}");
    }

    #[test]
    fn lateness_within_the_bound_is_not_late() {
        let stalls: Vec<_> = (0..1000).map(|k| (3500 + 9 * k, 3502 + 9 * k)).collect();
        let time = ran(13_000, &stalls);
        assert!(close(time.late_share, 0.0) && close(time.longest_stall_s, 0.002), "{time:?}");
        assert!(judged(&time).is_empty());
    }

    #[test]
    fn a_stall_of_the_warm_up_counts_if_its_effects_reach_the_measured_time() {
        // Before the start of the scenario, and long enough before the measured time.
        for stall in [(200, 900), (1500, 2000)] {
            assert_eq!(ran(13_000, &[stall]), Punctuality::default(), "{stall:?}");
        }
        // It ends 0.3 s before the measured time, and took 0.5 s.
        let time = ran(13_000, &[(2200, 2700)]);
        assert!(close(time.late_share, 0.0) && close(time.longest_stall_s, 0.5), "{time:?}");
        assert_eq!(judged(&time).len(), 1);
        // Of one that reaches into it the share is that of the measured time.
        let time = ran(13_000, &[(2500, 3100)]);
        assert!(close(time.late_share, 0.1 / MEASURED_S), "{time:?}");
        assert!(close(time.longest_stall_s, 0.6), "{time:?}");
    }

    #[test]
    fn a_stall_beyond_the_end_counts_up_to_the_end() {
        let time = ran(14_000, &[(12_000, 14_000)]);
        assert!(close(time.late_share, 0.998 / MEASURED_S), "{time:?}");
        assert!(close(time.longest_stall_s, 1.0), "{time:?}");
    }

    /// Of a run that is stopped the measured time is that until then.
    #[test]
    fn a_run_that_is_stopped_is_judged_by_its_own_time() {
        let time = ran(5000, &[(4000, 4102)]);
        assert!(close(time.late_share, 0.1 / 2.0), "{time:?}");
        assert_eq!(Watch::new(BOUND).account(at(5)), Punctuality::default());
    }

    #[test]
    fn a_larger_bound_of_lateness_allows_longer_stalls() {
        let time = ran(13_000, &[(5000, 5090), (6000, 6500)]);
        assert_eq!(reasons(&Lateness::default(), &time, 0.002).len(), 2);
        assert_eq!(reasons(&Lateness::default(), &time, 0.1).len(), 2);
        let packets = Lateness { p99: 0.7, ..Lateness::default() };
        assert_eq!(
            reasons(&packets, &Punctuality::default(), 0.6),
            ["the 99th percentile of lateness is 700.00 ms, above 600.00 ms"]
        );
        let share = |late_share| Punctuality { late_share, ..Punctuality::default() };
        assert_eq!(reasons(&Lateness::default(), &share(0.0101), 0.6).len(), 1);
        assert!(reasons(&Lateness::default(), &share(0.01), 0.6).is_empty());
    }
}
