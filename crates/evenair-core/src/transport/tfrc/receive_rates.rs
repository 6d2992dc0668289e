//! X_recv_set: the recent receive rates, which limit the sending rate (RFC 5348 section 4.3).

use crate::time::{Duration, Instant};

/// Receive rates of about the last two round-trip times.
#[derive(Clone, Debug)]
pub(super) struct ReceiveRates(Vec<(Instant, f64)>);

impl ReceiveRates {
    /// At the start of a connection: infinity, so that nothing is limited for two round-trip times.
    pub(super) fn new(now: Instant) -> Self {
        Self(vec![(now, f64::INFINITY)])
    }

    /// "Update X_recv_set": adds `rate`, and deletes what is older than two round-trip times.
    pub(super) fn update(&mut self, now: Instant, rate: f64, rtt: Duration) {
        self.0.retain(|(at, _)| now.since(*at) <= rtt * 2);
        self.0.push((now, rate));
    }

    /// Replaces all by `rate`.
    pub(super) fn replace(&mut self, now: Instant, rate: f64) {
        self.0.clear();
        self.0.push((now, rate));
    }

    /// The largest, bytes/s.
    pub(super) fn max(&self) -> f64 {
        self.0.iter().map(|&(_, rate)| rate).fold(0.0, f64::max)
    }
}
