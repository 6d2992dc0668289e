//! Losses of a flow in a result.

use std::ops::Add;

use serde::Serialize;

/// Lost packets of a flow, data or acknowledgements, by place. Filtered acknowledgements are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LossesByPlace {
    /// Dropped by the queue of the access point.
    pub ap_queue: u64,
    /// Dropped by the queue of a station.
    pub station_queue: u64,
    /// Dropped by the queue of a wired link.
    pub wired_queue: u64,
    /// Dropped by a MAC at its retry limit, or with a bandwidth request that was given up.
    pub retry_limit: u64,
    /// Lost to a loss model: of the air after delivery by the MAC, or of a wired link.
    pub error: u64,
    /// Dropped by the policer of a rate limiter; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policer: Option<u64>,
}

impl Add for LossesByPlace {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            ap_queue: self.ap_queue + other.ap_queue,
            station_queue: self.station_queue + other.station_queue,
            wired_queue: self.wired_queue + other.wired_queue,
            retry_limit: self.retry_limit + other.retry_limit,
            error: self.error + other.error,
            policer: self.policer.zip(other.policer).map(|(one, more)| one + more),
        }
    }
}
