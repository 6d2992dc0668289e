//! Where the delay of a flow is, in a result.

use evenair_core::delays::Delays;
use serde::{Deserialize, Serialize};

/// Times of a flow's packets by place, of those that [`FlowResult::one_way_delay_s`](crate::FlowResult::one_way_delay_s)
/// counts. The means sum to its mean.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct DelayByPlace {
    /// Before it was sent as it arrived: it had been sent before, and that was lost.
    pub repair: TimesAt,
    /// In the queue of the station.
    pub station_queue: TimesAt,
    /// In the queue of the access point.
    pub ap_queue: TimesAt,
    /// In the ring of a driver below either.
    pub ring: TimesAt,
    /// In the hardware of the access point.
    pub hardware: TimesAt,
    /// With the MAC: contention, transmissions, retries.
    pub air: TimesAt,
    /// With the MAC of the receiver, which lacked a packet before it.
    pub reorder: TimesAt,
    /// In the queues of wired links.
    pub wired_queue: TimesAt,
    /// On wired links: transmission and propagation.
    pub wire: TimesAt,
}

/// Seconds at a place.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct TimesAt {
    /// Mean.
    pub mean: f64,
    /// 95th percentile.
    pub p95: f64,
}

impl TimesAt {
    /// None without any sample.
    pub(crate) fn new(delays: &Delays) -> Option<Self> {
        let buckets = delays.buckets();
        let [p95] = buckets.percentiles([95])?;
        Some(Self { mean: buckets.mean(), p95: p95.as_secs_f64() })
    }
}
