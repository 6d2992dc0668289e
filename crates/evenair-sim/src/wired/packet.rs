//! What wired links need to know of a packet.

use evenair_core::ip::IpPacket;
use evenair_core::packet::Packet;
use evenair_core::queue::QueueItem;
use evenair_core::time::Instant;

/// A packet that can cross wired links. Its copies stand for the same data.
pub(crate) trait WirePacket: QueueItem + Clone {
    /// The index of its path in the table of next hops.
    fn path(&self) -> usize;

    /// A copy that enters the next queue, or leaves the last link, at `at`.
    fn arriving(&self, at: Instant) -> Self;
}

/// The packets of a flow have one path.
impl WirePacket for Packet {
    #[inline(always)]
    fn path(&self) -> usize {
        self.flow.0 as usize
    }

    #[inline(always)]
    fn arriving(&self, at: Instant) -> Self {
        // A copy of the whole and a store is cheaper than a copy of each field.
        let mut packet = *self;
        packet.enqueued_at = at;
        packet
    }
}

impl<B: Clone> WirePacket for IpPacket<B> {
    fn path(&self) -> usize {
        self.path as usize
    }

    fn arriving(&self, at: Instant) -> Self {
        let mut packet = self.clone();
        packet.enqueued_at = at;
        packet
    }
}
