//! A packet as the queues and the media see it: a small plain value without payload bytes.

use crate::time::Instant;

/// Names a flow: its index in the run, or in the gateway's flow table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// What a packet is to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// A TCP segment with payload.
    Data,
    /// A TCP segment that only acknowledges.
    Ack,
    /// The first segment of a connection.
    Syn,
    /// The answer to the first segment.
    SynAck,
    /// A datagram without acknowledgement (UDP).
    Datagram,
    /// What completes the handshake of the end that wants the data, and asks for them.
    Request,
}

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)] // in this order copies take fewer instructions than in the compiler's own
pub struct Packet {
    /// The flow it belongs to; an acknowledgement belongs to the flow that it acknowledges.
    pub flow: FlowId,
    /// Data, acknowledgement, ...
    pub kind: PacketKind,
    /// Which of its flow's connections, counted modulo 256: one that comes late concerns no other.
    pub connection: u8,
    /// Marked as crucial by its source (Gong et al. 2006, section III-A).
    pub high_priority: bool,
    /// Sent before: the payload, or a part of it.
    pub retransmission: bool,
    /// Bytes at IP level, headers included.
    pub size: u32,
    /// Bytes of transport payload.
    pub payload: u16,
    /// Which blocks an acknowledgement carries (RFC 2018): a number that its flow knows them by, 0
    /// without any.
    pub sack: u16,
    /// The connection's progress in its sequence space, bytes since its start: for data the first
    /// payload byte, for an acknowledgement the next byte that is expected.
    pub seq: u64,
    /// When it enters the queue that it is on its way to, or entered that which it was in last.
    pub enqueued_at: Instant,
}

impl Packet {
    /// An acknowledgement without payload, which a later one of the same flow supersedes.
    pub fn is_pure_ack(&self) -> bool {
        self.kind == PacketKind::Ack
    }
}

// Queues and media copy packets all the time: half a cache line.
const _: () = assert!(size_of::<Packet>() == 32);
