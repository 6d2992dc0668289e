//! What is measured of a transfer.

use super::connections::Connections;
use crate::time::Instant;

/// The largest transfer; a heavy tail has no end.
const MAX_BYTES: f64 = 1e15;

/// A transfer over one connection, or all those of a page. What has not happened is at time 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transfer {
    /// The first packet of the handshake leaves, or would have left if there had been a connection.
    pub start: Instant,
    /// The first segment reaches the receiver.
    pub first_byte: Instant,
    /// All has reached the receiver.
    pub last_byte: Instant,
    /// The sender knows.
    pub end: Instant,
    /// Payload without padding, bytes.
    pub bytes: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Expiries of either end's retransmission timer.
    pub timeouts: u64,
}

impl Transfer {
    /// One of `bytes` that begins.
    pub(super) fn begin(start: Instant, bytes: u64) -> Self {
        Self { start, bytes, ..Self::default() }
    }

    /// Notes how far the only transfer of this connection has got.
    pub(super) fn observe(&mut self, now: Instant, slot: usize, connections: &impl Connections) {
        let (received, has_data) = connections.received(slot);
        if self.first_byte == Instant::ZERO && has_data {
            self.first_byte = now;
        }
        if self.last_byte == Instant::ZERO && received >= self.bytes {
            self.last_byte = now;
        }
    }

    /// The transfer that is over, as the sender knows now; `None` if it was stopped before all had arrived.
    pub(super) fn finish(
        self,
        now: Instant,
        slot: usize,
        connections: &impl Connections,
    ) -> Option<Self> {
        let [retransmissions, timeouts] = connections.repairs(slot);
        let is_complete = self.last_byte != Instant::ZERO;
        is_complete.then_some(Self { end: now, retransmissions, timeouts, ..self })
    }
}

/// A size that was drawn, in whole bytes.
pub(super) fn whole_bytes(drawn: f64) -> u64 {
    drawn.round().clamp(1.0, MAX_BYTES) as u64
}
