//! An IP packet in a queue.

use super::flows::FlowTable;
use super::headers::Headers;
use crate::medium::CellPacket;
use crate::packet::{AccessCategory, ConnectionId, Ecn, FlowId, NodeId};
use crate::queue::QueueItem;
use crate::time::Instant;

/// An IP packet as queue disciplines see it, and what stands for its bytes.
///
/// A mark changes the ECN field here only. The driver changes the bytes when the packet leaves
/// ([`super::headers::mark`]).
#[derive(Clone, Debug)]
pub struct IpPacket<B> {
    /// Bytes at IP level.
    pub size: u32,
    /// When it entered the queue in which it waits, or will enter the next one.
    pub enqueued_at: Instant,
    /// The end of its path in the cell that is not the access point; the access point for packets
    /// that do not enter a cell.
    pub station: NodeId,
    /// Its path over wired links, by the driver's table.
    pub path: u32,
    /// In which access category it is transmitted in the cell.
    pub category: AccessCategory,
    /// Its bytes, or their handle.
    pub content: B,
    connection: ConnectionId,
    progress: u64,
    is_pure_ack: bool,
    is_high_priority: bool,
    is_received: bool,
    ecn: Ecn,
}

impl<B> IpPacket<B> {
    /// A packet of `size` bytes that has arrived at `now`, and enters neither a cell nor a wired
    /// link.
    pub fn new(
        now: Instant,
        headers: &Headers,
        size: u32,
        flows: &mut FlowTable,
        content: B,
    ) -> Self {
        let (connection, progress) = flows.arrive(now, headers, size);
        Self {
            size,
            enqueued_at: now,
            station: NodeId::ACCESS_POINT,
            path: 0,
            category: headers.category,
            content,
            connection,
            progress,
            is_pure_ack: headers.tcp.is_some_and(|tcp| tcp.is_pure_ack),
            is_high_priority: headers.is_high_priority,
            is_received: false,
            ecn: headers.ecn,
        }
    }

    /// A frame of `bytes` that the access point broadcasts.
    pub fn broadcast(now: Instant, bytes: u32, content: B) -> Self {
        Self {
            size: bytes,
            enqueued_at: now,
            station: NodeId::BROADCAST,
            path: 0,
            category: AccessCategory::BestEffort,
            content,
            connection: (FlowId::NONE, 0),
            progress: 0,
            is_pure_ack: false,
            is_high_priority: false,
            is_received: false,
            ecn: Ecn::NotEct,
        }
    }
}

impl<B> QueueItem for IpPacket<B> {
    fn connection(&self) -> ConnectionId {
        self.connection
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn is_pure_ack(&self) -> bool {
        self.is_pure_ack
    }

    fn is_high_priority(&self) -> bool {
        self.is_high_priority
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

/// The content goes with the packet that is received; what the sender's MAC keeps is without it.
impl<B: Clone + Default> CellPacket for IpPacket<B> {
    fn station(&self) -> NodeId {
        self.station
    }

    fn access_category(&self) -> AccessCategory {
        self.category
    }

    fn receive(&mut self) -> Self {
        self.is_received = true;
        Self { content: std::mem::take(&mut self.content), ..*self }
    }

    fn release(&mut self) -> bool {
        self.content = B::default();
        !self.is_received
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ip::headers::tests::{pure_ack, tcp_v4};

    fn packet(bytes: &[u8]) -> IpPacket<()> {
        let headers = Headers::parse(bytes, bytes.len()).unwrap();
        let flows = &mut FlowTable::default();
        IpPacket::new(Instant::ZERO, &headers, bytes.len() as u32, flows, ())
    }

    #[test]
    fn kinds_of_packets() {
        assert!(packet(&pure_ack(5)).is_pure_ack());
        let mut marked = tcp_v4(1, 2, 0x10, &[], 100);
        assert!(!packet(&marked).is_high_priority());
        marked[1] = 46 << 2;
        let marked = packet(&marked);
        assert!(marked.is_high_priority() && !marked.is_pure_ack());
    }
}
