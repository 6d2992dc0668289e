//! Time series in a result, by column.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::results::limiter::LimiterSample;

/// Samples at a constant interval. Each column has one value per sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// End of each interval, seconds since the end of the warm-up.
    pub time_s: Vec<f64>,
    /// Acknowledgements waiting at the access point.
    pub ap_queue_acks: Vec<u32>,
    /// Data packets waiting at the access point.
    pub ap_queue_data: Vec<u32>,
    /// Median of the waiting times of packets that left the access point's queue in the interval,
    /// seconds; none without any.
    pub ap_queue_delay_p50_s: Vec<Option<f64>>,
    /// 95th percentile of them.
    pub ap_queue_delay_p95_s: Vec<Option<f64>>,
    /// Goodput of all flows in the interval, bit/s.
    pub aggregate_goodput_bps: Vec<f64>,
    /// By flow id: `cwnd` (segments) at the end of the interval, `goodput_bps` (bit/s) in it, and medians
    /// and 95th percentiles of the delays in it (seconds): `rtt_p50_s`, `rtt_p95_s`,
    /// `one_way_delay_p50_s`, `one_way_delay_p95_s`. UDP has neither cwnd nor RTT, but for "ping"
    /// (RTT, and its mean `rtt_mean_s`). TFRC has instead of
    /// cwnd what its sender knows at the end of the interval: `allowed_rate_bps` (of payload, bit/s) and
    /// `loss_event_rate`. A congestion control may have further ones of its own at the end of the interval
    /// (`CongestionControl::observe`).
    pub flows: Map<String, Value>,
    /// By the id of a station with rate control: the rates of its link at the end of the interval,
    /// `down_rate_bps` and `up_rate_bps` (bit/s), without frames that try another rate.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub stations: Map<String, Value>,
    /// What the controller of the cell had decided at the end of each interval; absent without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controller: Vec<ControllerSample>,
    /// The rounds of the limiter that ended in the measured time; absent without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limiter: Vec<LimiterSample>,
}

/// The last decision of the controller of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControllerSample {
    /// As `time_s`.
    pub t_s: f64,
    /// Share of the time that is due to each active station.
    pub p_even: f64,
    /// What an unsatisfied station gets besides.
    pub p_additional: f64,
    /// Share of the last observation slot that beacons occupied.
    pub p_beacon: f64,
    /// Mean backoff of the access point in it, seconds.
    pub backoff_s: f64,
    /// By station id: share of the last observation slot that its traffic occupied, as the access point
    /// has observed it.
    pub shares: Map<String, Value>,
    /// By flow id: the highest rate of payload, bit/s; none without a limit.
    pub theta_bps: Map<String, Value>,
}
