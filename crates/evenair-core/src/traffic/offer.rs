//! What a flow says of the datagrams of its application.

use super::packet_trace::TraceDirection;
use crate::time::Duration;
use crate::units::Rate;

/// What a flow says of its datagrams.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// The flow's rate, of payload; none where the application has its own.
    pub rate: Option<Rate>,
    /// Payload of a datagram, of those of varying size the largest, bytes.
    pub segment: u32,
    /// IP and transport header of each, bytes.
    pub header: u32,
    /// Where they go.
    pub direction: TraceDirection,
}

impl Offer {
    /// The flow's rate, of payload, bytes/s; 0 where the application has its own.
    pub fn bytes_per_second(&self) -> f64 {
        self.rate.map_or(0.0, |rate| rate.as_bps() as f64 / 8.0)
    }

    /// Time between two datagrams of `segment` bytes at the flow's rate.
    pub fn interval(&self) -> Duration {
        let interval = self.rate.map(|rate| rate.time_for(u64::from(self.segment)));
        interval.unwrap_or(Duration::ZERO).max(Duration::from_nanos(1))
    }
}
