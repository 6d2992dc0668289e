//! The disciplines' rules one by one ([`rules`]), and all of them against small, slow queues that
//! are written as plainly as the rules ([`model`]).

mod model;
mod rules;

use super::{Discarded, Kind, Limit, Queue, QueueDiscipline, Reason};
use crate::packet::{FlowId, Packet, PacketKind};
use crate::time::Time;

/// A packet without number, at the start of its flow.
fn packet(flow: u32, kind: PacketKind, size: u32) -> Packet {
    Packet {
        flow: FlowId(flow),
        kind,
        high_priority: false,
        retransmission: false,
        size,
        payload: size.saturating_sub(40),
        seq: 0,
        enqueued_at: Time::ZERO,
    }
}
