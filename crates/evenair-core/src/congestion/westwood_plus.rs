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
use crate::component::{configuration, positive};
use crate::time::Duration;

configuration! {
    /// Parameters of Westwood+.
    pub struct WestwoodPlusConfig {
        name: "westwood-plus",
        summary: "as westwood, but with an estimate from each round trip",
        source: "Grieco and Mascolo 2004; Linux tcp_westwood",
    }
    /// the shortest time over which bandwidth is measured
    sample: Duration = Duration::from_millis(50), positive();
}

/// Westwood+.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    estimator: BandwidthEstimator,
}

impl WestwoodPlus {
    /// Before anything has been sent.
    pub fn new(config: WestwoodPlusConfig) -> Self {
        let filter = Filter::Plus { least: config.sample, first: None };
        Self { estimator: BandwidthEstimator::new(filter) }
    }
}

// Linux measures RTTmin afresh after a timeout.
follow_bandwidth!(WestwoodPlus, BandwidthEstimator::forget_rtt);
