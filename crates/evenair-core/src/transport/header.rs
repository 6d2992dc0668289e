//! The headers of the packets of one end.

use crate::packet::{AccessCategory, Ecn, End, FlowId, NodeId, Packet, PacketKind};
use crate::time::Instant;

/// What all packets of one end have in common.
#[derive(Clone, Copy, Debug)]
pub struct PacketHeader {
    /// The flow.
    pub flow: FlowId,
    /// The end of the path in the cell that is not the access point, see [`Packet::station`].
    pub station: NodeId,
    /// The access category.
    pub category: AccessCategory,
    /// The ECN field of the IP header, where the transport does not set that of each packet.
    pub ecn: Ecn,
    /// The connection of the flow.
    pub connection: u8,
    /// The end that they are for.
    pub to: End,
    /// Bytes of the IP and transport headers without options.
    pub bytes: u32,
}

impl PacketHeader {
    /// Those of the sender and of the receiver, with so many bytes.
    pub const fn of_ends(flow: FlowId, station: NodeId, bytes: [u32; 2]) -> [Self; 2] {
        let [data, answers] = bytes;
        let (category, ecn) = (AccessCategory::BestEffort, Ecn::NotEct);
        [
            Self { flow, station, category, ecn, connection: 0, to: End::Receiver, bytes: data },
            Self { flow, station, category, ecn, connection: 0, to: End::Sender, bytes: answers },
        ]
    }

    /// A packet that is sent at `now`.
    #[inline(always)]
    pub fn packet(&self, now: Instant, kind: PacketKind, payload: u32, seq: u64) -> Packet {
        Packet {
            station: self.station,
            category: self.category,
            ecn: self.ecn,
            connection: self.connection,
            to: self.to,
            size: payload + self.bytes,
            // A segment has up to 65,495 bytes.
            payload: payload as u16,
            seq,
            enqueued_at: now,
            ..Packet::new(self.flow, kind)
        }
    }
}
