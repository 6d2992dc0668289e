//! Packet-timed round trips (5.5.1): one ends when a segment is delivered that was sent after it began.

/// Counts them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// BBR.next_round_delivered: what had been delivered when the present one began, bytes.
    start: u64,
    /// BBR.round_count.
    pub(super) count: u64,
    /// BBR.round_start: whether the present ACK begins one.
    pub(super) has_begun: bool,
}

impl Rounds {
    /// StartRound: what is sent from now on belongs to the next round.
    pub(super) fn restart(&mut self, delivered: u64) {
        self.start = delivered;
    }

    /// UpdateRound: an ACK comes for a segment that was sent when `prior_delivered` bytes had been delivered,
    /// which are `delivered` now.
    pub(super) fn on_ack(&mut self, prior_delivered: u64, delivered: u64) {
        self.has_begun = prior_delivered >= self.start;
        if self.has_begun {
            self.restart(delivered);
            self.count += 1;
        }
    }
}
