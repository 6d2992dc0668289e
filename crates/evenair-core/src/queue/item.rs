//! What a queue discipline knows of a packet.

use crate::packet::{ConnectionId, Ecn, Packet, Stage};
use crate::time::Instant;

/// A packet that can be queued.
pub trait QueueItem {
    /// Flow and connection.
    fn connection(&self) -> ConnectionId;

    /// Bytes at IP level.
    fn size(&self) -> u32;

    /// Position in the sequence space of the connection, bytes: the sequence number of data, the
    /// acknowledgement number of a pure acknowledgement.
    fn progress(&self) -> u64;

    /// Whether it is a TCP acknowledgement without payload.
    fn is_pure_ack(&self) -> bool;

    /// Whether its source has marked it as high priority (SPM).
    fn is_high_priority(&self) -> bool;

    /// When it arrived at the queue.
    fn enqueued_at(&self) -> Instant;

    /// The ECN field of the IP header.
    fn ecn(&self) -> Ecn;

    /// Overwrites the ECN field.
    fn set_ecn(&mut self, ecn: Ecn);

    /// It enters a stage of its way, of which a packet may keep account. Times never decrease.
    #[inline(always)]
    fn enter(&mut self, _stage: Stage, _now: Instant) {}
}

impl QueueItem for Packet {
    fn connection(&self) -> ConnectionId {
        (self.flow, self.connection)
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn progress(&self) -> u64 {
        self.seq
    }

    fn is_pure_ack(&self) -> bool {
        Self::is_pure_ack(self)
    }

    fn is_high_priority(&self) -> bool {
        self.high_priority
    }

    fn enqueued_at(&self) -> Instant {
        self.enqueued_at
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }
}
