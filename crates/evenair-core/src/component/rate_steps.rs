//! Rates that hold from given times on: `[["0 s", "54 Mbps"], ["10 s", "6 Mbps"]]`.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::message::{clipped, shown_value};
use super::quantity::{BitRate, Seconds};
use crate::time::Duration;

/// The accepted values, for error messages and lists.
pub(super) const ACCEPTED: &str = "a list of times and rates in ascending order of time, the first at \
                                   0 s, such as [[\"0 s\", \"54 Mbps\"], [\"10 s\", \"6 Mbps\"]]";

/// Rates, and the times from which they hold: the first at 0, the others later and later.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct RateSteps(Vec<(Seconds, BitRate)>);

impl RateSteps {
    /// The rate at this time.
    pub fn at(&self, time: Duration) -> BitRate {
        let begun = self.0.partition_point(|(from, _)| from.duration() <= time);
        self.0[begun.max(1) - 1].1
    }

    /// Each rate.
    pub fn rates(&self) -> impl Iterator<Item = BitRate> {
        self.0.iter().map(|(_, rate)| *rate)
    }

    /// Reads a list, or says what is wrong with it.
    pub(super) fn parse(list: &Json) -> Result<Self, String> {
        let refused = |got: String| format!("got {got}; accepted: {ACCEPTED}");
        let Json::Array(items) = list else { return Err(refused(shown_value(list))) };
        let mut steps: Vec<(Seconds, BitRate)> = Vec::with_capacity(items.len());
        for item in items {
            let step = <(Seconds, BitRate)>::deserialize(item);
            let step =
                step.map_err(|_| refused(format!("the entry {}", clipped(&item.to_string(), 60))))?;
            match steps.last() {
                None if step.0 != Seconds::ZERO => {
                    return Err(refused(format!("{} as the first time", step.0)));
                }
                Some((last, _)) if *last >= step.0 => {
                    return Err(refused(format!("{} after {last}", step.0)));
                }
                _ => steps.push(step),
            }
        }
        if steps.is_empty() { Err(refused("an empty list".to_owned())) } else { Ok(Self(steps)) }
    }
}

/// No limit.
impl Default for RateSteps {
    fn default() -> Self {
        Self(vec![(Seconds::ZERO, BitRate::UNLIMITED)])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rate_holds_from_its_time_to_the_next() {
        let steps = RateSteps::parse(&json!([["0 s", "54 Mbps"], ["1 s", "6 Mbps"], [2, 12e6]]));
        let steps = steps.unwrap();
        let mbps = |ns| steps.at(Duration::from_nanos(ns)).as_bps() / 1_000_000;
        let times = [0, 999_999_999, 1_000_000_000, 1_999_999_999, 2_000_000_000, u64::MAX];
        assert_eq!(times.map(mbps), [54, 54, 6, 6, 12, 12]);
    }

    #[test]
    fn the_error_says_which_entry_is_wrong() {
        for (list, got) in [
            (json!([]), "an empty list"),
            (json!([["1 s", "6 Mbps"]]), "1 s as the first time"),
            (json!([["0 s", "6 Mbps"], ["2 s", "9 Mbps"], ["1 s", "6 Mbps"]]), "1 s after 2 s"),
            (json!([["0 s", "6 Mbps"], ["-1 s", "9 Mbps"]]), "the entry "),
            (json!([["0 s"]]), "the entry "),
            (json!("6 Mbps"), "\"6 Mbps\""),
        ] {
            let error = RateSteps::parse(&list).unwrap_err();
            assert!(error.starts_with(&format!("got {got}")), "{list}: {error}");
        }
    }
}
