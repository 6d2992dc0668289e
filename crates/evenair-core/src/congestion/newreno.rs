//! NewReno: slow start, congestion avoidance and the halving of RFC 5681; the recovery of RFC 6582
//! is the sender's.

use super::{AckEvent, CongestionControl, Window, grow};
use crate::component::configuration;

configuration! {
    /// NewReno has no parameters.
    pub struct NewRenoConfig {
        name: "newreno",
        summary: "slow start, congestion avoidance, half the window at a loss",
        source: "RFC 5681, RFC 6582",
        aliases: ["reno"],
    }
}

/// NewReno. It has no state but the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewReno;

impl NewReno {
    /// Before anything has been sent.
    pub fn new(_config: NewRenoConfig) -> Self {
        Self
    }
}

/// Half of what is outstanding, at least 2 segments (RFC 5681, equation 4).
fn halved(flight: f64) -> f64 {
    (flight / 2.0).max(2.0)
}

impl CongestionControl for NewReno {
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        grow(window, signal.credit);
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        window.ssthresh = halved(signal.flight);
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        // A segment that times out again has not been answered: ssthresh stays (RFC 5681 3.1).
        if first {
            // In recovery cwnd has been halved already, whereas FlightSize still has what was lost
            // and what recovery has sent: a lost retransmission halves again (RFC 5681 4.3).
            window.ssthresh = halved(signal.flight.min(window.cwnd));
        }
        window.cwnd = 1.0;
    }
}
