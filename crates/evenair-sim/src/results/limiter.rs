//! The rate limiter in a result.

use serde::Serialize;

/// What a limiter has done in the measured time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimiterResult {
    /// Time average of the policer's rate, R, bit/s.
    pub mean_rate_bps: f64,
    /// Packets that the policer has dropped, data and acknowledgements.
    pub packets_dropped: u64,
    /// Their bytes at IP level.
    pub bytes_dropped: u64,
    /// Control rounds that ended.
    pub rounds: u64,
    /// Those in which the loss signal reported losses.
    pub lossy_rounds: u64,
}

/// A control round and the decision at its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimiterSample {
    /// End of the round, seconds since the end of the warm-up.
    pub t_s: f64,
    /// The rate of the uplink from then on, R, bit/s.
    pub rate_bps: u64,
    /// The capacity as estimated, C, bit/s; none before the first loss.
    pub capacity_bps: Option<u64>,
    /// Throughput of the uplink in the round as the limiter counts it, bit/s at IP level.
    pub up_bps: u64,
    /// Throughput of the downlink, bit/s.
    pub down_bps: u64,
    /// Whether the loss signal reported losses.
    pub lost: bool,
    /// The rate of UDP's own bucket from then on, bit/s; none without one.
    pub udp_rate_bps: Option<u64>,
    /// UDP's part of `up_bps`.
    pub up_udp_bps: u64,
    /// UDP's part of `down_bps`.
    pub down_udp_bps: u64,
}
