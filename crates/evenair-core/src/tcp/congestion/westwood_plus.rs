//! Westwood+: Westwood with an estimate that ACKs in clumps do not mislead (Grieco and Mascolo,
//! "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP congestion
//! control", ACM CCR 34(2), 2004), with the filter of Linux.
//!
//! The window follows [Westwood](super::Westwood). There is one sample of bandwidth for each round
//! trip, of 50 ms at least: the segments that arrived in it over its length. Two averages in a row
//! smooth the samples, and both start with the first sample:
//!
//! ```text
//! s_k = (7 s_(k-1) + b_k) / 8;   BWE_k = (7 BWE_(k-1) + s_k) / 8
//! ```
//!
//! (Linux; the paper has 0.9 BWE + 0.1 b.) After a timeout RTTmin is measured afresh (Linux).

use super::bandwidth::{BandwidthEstimator, Filter};
use super::westwood::{after_loss, follow_bandwidth};
use super::{AckEvent, CongestionControl, Window, grow};
use crate::component::{Accepts, Choice, Parameter, Part, Value};
use crate::time::Duration;

pub(super) static PART: Part = Part {
    name: "westwood-plus",
    summary: "as westwood, but with an estimate from each round trip",
    source: "Grieco and Mascolo 2004; Linux tcp_westwood",
    ordered: &[],
    parameters: &[Parameter {
        name: "sample",
        default: Value::Time(Duration::from_millis(50)),
        accepts: Accepts::Time,
        meaning: "the shortest time over which bandwidth is measured",
    }],
};

/// Westwood+.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    estimator: BandwidthEstimator,
}

impl WestwoodPlus {
    /// With the chosen filter.
    pub fn new(choice: &Choice) -> Self {
        Self {
            estimator: BandwidthEstimator::new(Filter::Plus {
                least: choice.time("sample"),
                first: None,
            }),
        }
    }
}

// Linux measures RTTmin afresh after a timeout.
follow_bandwidth!(WestwoodPlus, BandwidthEstimator::forget_rtt);
