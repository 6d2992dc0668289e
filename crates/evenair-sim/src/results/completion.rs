//! How long pages and transfers take, in a result.

use evenair_core::delays::Delays;
use evenair_core::time::Duration;
use serde::Serialize;

use crate::results::delay::DelayResult;

/// The sizes below which a transfer belongs to a class, bytes; the last class has no end.
pub(crate) const CLASSES: [Option<u64>; 4] = [Some(10_000), Some(100_000), Some(1_000_000), None];

/// Times from the first packet of a handshake, or from an arrival that had to wait, until the last byte has reached
/// the receiver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimesResult {
    /// Their number.
    pub n: u64,
    /// Their distribution, seconds.
    #[serde(flatten)]
    pub times: DelayResult,
    /// Their geometric mean, seconds.
    pub geometric_mean: f64,
    /// Mean of each time over that of a transfer of the same size alone in the network; absent of pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
}

/// Completion times of transfers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompletionResult {
    /// Of all.
    #[serde(flatten)]
    pub all: TimesResult,
    /// By size, those without a transfer left out.
    pub by_size: Vec<SizeClass>,
}

/// Completion times of the transfers of a class, by size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeClass {
    /// They have fewer bytes than this, and at least as many as the class before; absent: any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_bytes: Option<u64>,
    /// Their times.
    #[serde(flatten)]
    pub times: TimesResult,
}

/// What has become of the transfers that came in the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ArrivalsResult {
    /// That came.
    pub arrived: u64,
    /// Of these, that were over at the end.
    pub finished: u64,
    /// That found the limit of concurrent ones, or that the end of the application has cut short. One that came
    /// before may be among them.
    pub dropped: u64,
    /// That waited at the end.
    pub waiting: u64,
    /// That were under way at the end.
    pub under_way: u64,
}

/// The time that a transfer or page has taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Taken {
    /// Payload, bytes.
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
    /// That of the same transfer alone, if it is known.
    pub(crate) alone: Option<Duration>,
}

impl TimesResult {
    /// None of none.
    pub(crate) fn new<'a>(all: impl Iterator<Item = &'a Taken> + Clone) -> Option<Self> {
        let mut delays = Delays::default();
        all.clone().for_each(|taken| delays.record(taken.time));
        let n = all.clone().count() as f64;
        let logarithms = all.clone().map(|taken| libm::log(taken.time.as_secs_f64()));
        let geometric_mean = libm::exp(logarithms.sum::<f64>() / n);
        let slowdowns: Vec<f64> = all
            .filter_map(|taken| Some(taken.time.as_secs_f64() / taken.alone?.as_secs_f64()))
            .collect();
        let slowdown = slowdowns.iter().sum::<f64>() / slowdowns.len() as f64;
        Some(Self {
            n: n as u64,
            times: DelayResult::new(&delays.buckets())?,
            geometric_mean,
            slowdown: (!slowdowns.is_empty()).then_some(slowdown),
        })
    }
}

impl CompletionResult {
    /// None of none.
    pub(crate) fn new(all: &[Taken]) -> Option<Self> {
        let mut least = 0;
        let mut class = |below_bytes: Option<u64>| {
            let range = least..below_bytes.unwrap_or(u64::MAX);
            least = range.end;
            let times = TimesResult::new(all.iter().filter(|taken| range.contains(&taken.bytes)))?;
            Some(SizeClass { below_bytes, times })
        };
        let by_size = CLASSES.into_iter().filter_map(&mut class).collect();
        Some(Self { all: TimesResult::new(all.iter())?, by_size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: times of 1, 2 and 4 s, of which the geometric mean is 2 s, and slowdowns of 1, 2 and 2.
    #[test]
    fn means_and_classes_of_three_transfers() {
        let taken = |bytes, seconds, alone| Taken {
            bytes,
            time: Duration::from_secs(seconds),
            alone: Some(Duration::from_secs(alone)),
        };
        let all = [taken(9_999, 1, 1), taken(10_000, 2, 1), taken(2_000_000, 4, 2)];
        let result = CompletionResult::new(&all).unwrap();
        assert_eq!((result.all.n, result.all.times.max), (3, 4.0));
        assert!((result.all.geometric_mean - 2.0).abs() < 1e-12);
        assert!((result.all.times.mean - 7.0 / 3.0).abs() < 1e-9);
        assert!((result.all.slowdown.unwrap() - 5.0 / 3.0).abs() < 1e-12);
        let classes: Vec<_> =
            result.by_size.iter().map(|class| (class.below_bytes, class.times.n)).collect();
        assert_eq!(classes, [(Some(10_000), 1), (Some(100_000), 1), (None, 1)]);
        assert_eq!(CompletionResult::new(&[]), None);
    }
}
