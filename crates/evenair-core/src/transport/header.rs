//! The headers of the packets of one end.

use crate::packet::{FlowId, NodeId, Packet, PacketKind};
use crate::time::Instant;

/// What all packets of one end have in common.
#[derive(Clone, Copy, Debug)]
pub struct PacketHeader {
    /// The flow.
    pub flow: FlowId,
    /// The end of the path in the cell that is not the access point, see [`Packet::station`].
    pub station: NodeId,
    /// The connection of the flow.
    pub connection: u8,
    /// Bytes of the IP and transport headers without options.
    pub bytes: u32,
}

impl PacketHeader {
    /// A packet that is sent at `now`.
    #[inline(always)]
    pub fn packet(&self, now: Instant, kind: PacketKind, payload: u32, seq: u64) -> Packet {
        Packet {
            station: self.station,
            connection: self.connection,
            size: payload + self.bytes,
            // A segment has up to 65,495 bytes.
            payload: payload as u16,
            seq,
            enqueued_at: now,
            ..Packet::new(self.flow, kind)
        }
    }
}
