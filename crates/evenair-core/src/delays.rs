//! Distributions of delays: a log-linear histogram of nanoseconds, with exact mean and maximum.
//!
//! Each power of two is divided into 2^7 buckets of equal width, and up to 2^8 ns each nanosecond has
//! a bucket of its own. A percentile is the middle of its bucket, so it differs from the sample that it
//! stands for by at most [`Delays::RELATIVE_ERROR`] of that sample.

use crate::time::Duration;

/// Buckets per power of two, as a power of two.
const GROUPING_POWER: u8 = 7;
/// Delays of 2^40 ns (18 minutes) and more share the last bucket.
const MAX_POWER: u8 = 40;
const BUCKETS: usize = bucket((1 << MAX_POWER) - 1) + 1;
/// Empty buckets that are skipped at a time.
const CHUNK: usize = 64;

/// The bucket of a delay. The tests compare this with the crate `histogram`, which has no constant powers and
/// is slower.
const fn bucket(nanos: u64) -> usize {
    let shift = 63 - (nanos | (1 << GROUPING_POWER)).leading_zeros() - GROUPING_POWER as u32;
    ((shift as usize) << GROUPING_POWER) + (nanos >> shift) as usize
}

/// The least and the largest delay of a bucket.
const fn bounds(bucket: usize) -> (u64, u64) {
    let shift = (bucket >> GROUPING_POWER).saturating_sub(1);
    let first = ((bucket - (shift << GROUPING_POWER)) as u64) << shift;
    (first, first + (1 << shift) - 1)
}

/// A distribution of delays. A bucket counts up to 2^32 - 1 of them. It has the buckets of the powers of two up
/// to the largest delay, 17 kB at most.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// By bucket.
    counts: Vec<u32>,
    /// Delays of zero that are not in `counts`.
    zeros: u64,
    sum: Duration,
    max: Duration,
}

/// The buckets of a distribution that are not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets {
    buckets: Vec<Bucket>,
    total: u64,
    sum: Duration,
    max: Duration,
}

/// A bucket: the least and the largest delay, and how many it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The least delay that belongs to it.
    pub first: Duration,
    /// The largest.
    pub last: Duration,
    /// The number of delays in it.
    pub count: u64,
}

impl Delays {
    /// The largest error of a percentile, as a share of the sample that it stands for.
    pub const RELATIVE_ERROR: f64 = 1.0 / (2_u64 << GROUPING_POWER) as f64;

    /// Records a delay.
    #[inline(always)]
    pub fn record(&mut self, delay: Duration) {
        self.sum += delay;
        if delay > self.max {
            self.max = delay;
        }
        match self.counts.get_mut(bucket(delay.as_nanos())) {
            Some(count) => *count += 1,
            None => self.record_seldom(delay),
        }
    }

    /// Records a delay of zero.
    #[inline(always)]
    pub fn record_zero(&mut self) {
        self.zeros += 1;
    }

    /// A delay of a power of two above that of all before, or beyond the last bucket.
    #[cold]
    #[inline(never)]
    fn record_seldom(&mut self, delay: Duration) {
        let bucket = bucket(delay.as_nanos()).min(BUCKETS - 1);
        let powers = (bucket + 1).next_multiple_of(1 << GROUPING_POWER);
        self.counts.resize(self.counts.len().max(powers), 0);
        self.counts[bucket] += 1;
    }

    /// The number of delays.
    pub fn count(&self) -> u64 {
        self.zeros + self.counts.iter().map(|&count| u64::from(count)).sum::<u64>()
    }

    /// Their sum.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// The largest; zero without any.
    pub fn max(&self) -> Duration {
        self.max
    }

    /// Forgets all, but keeps the memory.
    pub fn reset(&mut self) {
        self.counts.fill(0);
        (self.zeros, self.sum, self.max) = (0, Duration::ZERO, Duration::ZERO);
    }

    /// Adds the delays of `other`.
    pub fn add(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.zeros += other.zeros;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// What has been recorded since `earlier`, an earlier state of the same distribution. The maximum
    /// remains that of all.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut since = self.clone();
        for (count, before) in since.counts.iter_mut().zip(&earlier.counts) {
            *count -= before;
        }
        since.zeros -= earlier.zeros;
        since.sum = since.sum.saturating_sub(earlier.sum);
        since
    }

    /// The buckets that are not empty, in ascending order.
    pub fn buckets(&self) -> Buckets {
        let nanos = Duration::from_nanos;
        let mut buckets = Vec::new();
        // Those that are not in `counts` belong to the first bucket.
        let first = self.counts.first().copied().unwrap_or_default();
        if self.zeros > 0 || first > 0 {
            let (first_delay, last) = (Duration::ZERO, nanos(bounds(0).1));
            let count = self.zeros + u64::from(first);
            buckets.push(Bucket { first: first_delay, last, count });
        }
        let used = self.counts.len().min(bucket(self.max.as_nanos()) + 1);
        for (chunk, first) in self.counts[..used].chunks(CHUNK).zip((0..).step_by(CHUNK)) {
            if chunk.iter().fold(0, |any, count| any | count) == 0 {
                continue;
            }
            for (&count, bucket) in chunk.iter().zip(first..) {
                if count > 0 && bucket > 0 {
                    let (first, last) = bounds(bucket);
                    let (first, last) = (nanos(first), nanos(last));
                    buckets.push(Bucket { first, last, count: count.into() });
                }
            }
        }
        let total = buckets.iter().map(|bucket| bucket.count).sum();
        Buckets { buckets, total, sum: self.sum, max: self.max }
    }
}

impl Buckets {
    /// The buckets, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &Bucket> {
        self.buckets.iter()
    }

    /// The number of delays in all of them.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The mean, seconds; not a number without any delay.
    pub fn mean(&self) -> f64 {
        self.sum.as_secs_f64() / self.total as f64
    }

    /// The largest delay; zero without any.
    pub fn max(&self) -> Duration {
        self.max
    }

    /// Percentiles by nearest rank: of n sorted delays that of number p n / 100, rounded up. `percents`
    /// ascend. None without any delay.
    pub fn percentiles<const N: usize>(&self, percents: [u64; N]) -> Option<[Duration; N]> {
        self.quantiles(percents, 100)
    }

    /// As [`Self::percentiles`], of which `whole` is 100: with `whole` 1000, 999 is the 99.9th
    /// percentile.
    pub fn quantiles<const N: usize>(&self, parts: [u64; N], whole: u64) -> Option<[Duration; N]> {
        let mut buckets = self.buckets.iter();
        let mut at = buckets.next()?;
        let mut passed = at.count;
        Some(parts.map(|part| {
            let rank = (part * self.total).div_ceil(whole);
            while passed < rank
                && let Some(next) = buckets.next()
            {
                at = next;
                passed += at.count;
            }
            let middle = at.first + at.last.saturating_sub(at.first) / 2;
            middle.min(self.max)
        }))
    }
}

impl PartialEq for Delays {
    fn eq(&self, other: &Self) -> bool {
        self.buckets() == other.buckets()
    }
}

impl Eq for Delays {}

#[cfg(test)]
mod tests {
    use histogram::{Config, Histogram32};
    use proptest::prelude::*;

    use super::*;

    const PERCENTS: [u64; 6] = [5, 25, 50, 75, 95, 99];

    /// Delays of all magnitudes from 1 ns to beyond the last bucket.
    fn delays() -> impl Strategy<Value = Vec<u64>> {
        let one = (0..42_u32, any::<u64>())
            .prop_map(|(power, bits)| (1 << power) | (bits >> (63 - power) >> 1));
        prop::collection::vec(prop_oneof![8 => one, 1 => Just(0)], 1..400)
    }

    fn of(delays: &[u64]) -> Delays {
        let mut recorded = Delays::default();
        for &delay in delays {
            recorded.record(Duration::from_nanos(delay));
        }
        recorded
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Against sorting: nearest rank, within the stated error.
        #[test]
        fn percentiles_are_those_of_the_sorted_delays(mut delays in delays()) {
            for delay in &mut delays {
                *delay = (*delay).min((1 << MAX_POWER) - 1);
            }
            let recorded = of(&delays);
            delays.sort_unstable();
            let n = delays.len();
            let found = recorded.buckets().percentiles(PERCENTS).expect("there are some");
            for (percent, found) in PERCENTS.into_iter().zip(found) {
                let exact = delays[(percent as usize * n).div_ceil(100) - 1];
                let error = found.as_nanos().abs_diff(exact) as f64;
                prop_assert!(
                    error <= Delays::RELATIVE_ERROR * exact as f64,
                    "p{percent}: {} for {exact} of {n}", found.as_nanos()
                );
            }
            prop_assert_eq!(recorded.count(), n as u64);
            prop_assert_eq!(recorded.sum().as_nanos(), delays.iter().sum::<u64>());
            prop_assert_eq!(recorded.max().as_nanos(), delays[n - 1]);
        }

        /// Two parts are the whole, and the whole less one part is the other.
        #[test]
        fn parts_add_up(first in delays(), second in delays()) {
            let (a, b) = (of(&first), of(&second));
            let both = of(&[first, second].concat());
            let mut sum = a.clone();
            sum.add(&b);
            prop_assert_eq!(&sum, &both);
            let rest = both.since(&a);
            prop_assert!(rest.buckets().iter().eq(b.buckets().iter()));
            prop_assert_eq!((rest.sum(), rest.count()), (b.sum(), b.count()));
        }
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Each delay goes into the bucket that the library gives it.
        #[test]
        fn buckets_are_those_of_the_library(mut delays in delays()) {
            delays.retain(|delay| delay >> MAX_POWER == 0);
            let config = Config::new(GROUPING_POWER, MAX_POWER).expect("the powers are in order");
            let mut library = Histogram32::with_config(&config);
            for &delay in &delays {
                library.increment(delay).expect("it is below the maximum");
            }
            prop_assert_eq!(library.as_slice().len(), BUCKETS);
            let mut own = of(&delays);
            own.counts.resize(BUCKETS, 0);
            prop_assert_eq!(&own.counts, library.as_slice());
            let used = library.iter().filter(|bucket| bucket.count() > 0);
            let used = used.map(|bucket| (bucket.start(), bucket.end(), bucket.count()));
            let of_own = own.buckets();
            let of_own = of_own.iter().map(|bucket| {
                (bucket.first.as_nanos(), bucket.last.as_nanos(), bucket.count)
            });
            prop_assert!(of_own.eq(used));
        }
    }

    #[test]
    fn an_error_is_as_large_as_stated() {
        // 2^20 to 2^20 + 2^13 - 1 share a bucket, of which the middle is reported.
        let delay = 1_u64 << 20;
        let recorded = of(&[delay, 2 * delay]);
        let [half] = recorded.buckets().percentiles([50]).expect("there are two");
        let error = (half.as_nanos() - delay) as f64 / delay as f64;
        assert!(
            (0.99 * Delays::RELATIVE_ERROR..=Delays::RELATIVE_ERROR).contains(&error),
            "{error}"
        );
    }

    #[test]
    fn delays_of_zero_and_beyond_the_last_bucket() {
        let mut delays = Delays::default();
        assert_eq!(delays.buckets().percentiles([50]), None);
        delays.record_zero();
        delays.record_zero();
        delays.record(Duration::from_secs(3600));
        let [median, highest] = delays.buckets().percentiles([50, 100]).expect("there are three");
        assert_eq!(median, Duration::ZERO);
        assert!(highest.as_secs_f64() > 1090.0, "the last bucket");
        assert_eq!((delays.count(), delays.max()), (3, Duration::from_secs(3600)));
        delays.reset();
        assert_eq!((delays.count(), delays.buckets().percentiles([50])), (0, None));
    }
}
