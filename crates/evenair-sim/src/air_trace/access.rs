//! An access as an air trace shows it, from the events of the air.

use evenair_core::medium::{
    Access, AccessDetail, AirEvent, Cell, Contender as CountsDown, Fate, FramePart, Medium, Mpdu,
    PacketId, PhyModes, Ppdu, PpduKind, Transmitter,
};
use evenair_core::packet::{FlowId, NodeId, Packet};
use evenair_core::time::{Duration, Instant};

use super::types::{
    AccessPart, AccessSlots, Contender, FrameFate, FrameKind, MAX_LISTED, PartKind, TracedAttempt,
    TracedFrame, TracedPacket, TracedPdu,
};

/// What is on the air in an access. The members are those of [`TracedAccess`](super::TracedAccess).
#[derive(Debug)]
pub(super) struct Air {
    pub(super) idle_since: Instant,
    pub(super) at: Instant,
    pub(super) end: Instant,
    pub(super) parts: Vec<AccessPart>,
    pub(super) slots: AccessSlots,
    pub(super) contenders: Vec<Contender>,
    pub(super) attempts: Vec<TracedAttempt>,
    pub(super) frames: Vec<TracedFrame>,
}

impl Air {
    /// The access that has begun in `events`, whose packets are those of `cell`; `None` if none has.
    pub(super) fn new<M: Medium>(cell: &Cell<M>, events: &[AirEvent]) -> Option<Self> {
        let access = events.iter().find_map(|event| match event {
            AirEvent::Access(access) => Some(access),
            _ => None,
        })?;
        let sent: Vec<&Ppdu> = events
            .iter()
            .filter_map(|event| match event {
                AirEvent::Transmission(ppdu) => Some(ppdu),
                _ => None,
            })
            .collect();
        let packet = |packet| describe_packet(cell.packet(packet));
        let (parts, attempts) = match &access.detail {
            AccessDetail::Contention(transmitters) => {
                let delivered =
                    transmitters.len() == 1 && sent.iter().all(|ppdu| ppdu.fate == Fate::Received);
                let each = transmitters.iter();
                let attempts = each.map(|sent| attempt(sent, sent.packet.map(packet), delivered));
                (parts_of_exchange(access, &sent), attempts.collect())
            }
            AccessDetail::Frame(ends) => {
                let ends = ends.iter().map(|&(part, end)| (part.into(), end));
                (parts(access.at, ends), Vec::new())
            }
        };
        let end = match &access.detail {
            AccessDetail::Contention(_) => sent.iter().map(|ppdu| ppdu.end).max(),
            AccessDetail::Frame(ends) => ends.last().map(|&(_, end)| end),
        };
        Some(Self {
            idle_since: access.idle_since,
            at: access.at,
            end: end.unwrap_or(access.at),
            parts,
            slots: AccessSlots {
                start_ns: access.slots.start.as_nanos(),
                end_ns: access.slots.end.as_nanos(),
                count: access.slots.count,
            },
            contenders: access.contenders.iter().map(contender).collect(),
            attempts,
            frames: sent.into_iter().map(|ppdu| frame(ppdu, &cell.setup().modes, packet)).collect(),
        })
    }
}

/// The parts of an 802.11 exchange, or of a collision.
fn parts_of_exchange(access: &Access, sent: &[&Ppdu]) -> Vec<AccessPart> {
    let (idle_since, at, slots) = (access.idle_since, access.at, access.slots);
    let slot = match slots.count {
        0 => Duration::ZERO,
        count => slots.end.since(slots.start) / count,
    };
    let counted = access.contenders.iter().filter(|contender| contender.transmits);
    let counted = counted.map(|contender| slots.count - contender.from).max().unwrap_or(0);
    let (acks, frames): (Vec<&Ppdu>, Vec<&Ppdu>) =
        sent.iter().partition(|ppdu| ppdu.kind == PpduKind::Ack);
    let frames_end = frames.iter().map(|ppdu| ppdu.end).max().unwrap_or(at);
    let (ack_start, end) =
        acks.first().map_or((frames_end, frames_end), |ack| (ack.start, ack.end));
    let idle_end = slots.start + at.since(slots.start).saturating_sub(slot * counted);
    let ends = [
        (PartKind::Difs, slots.start),
        (PartKind::Idle, idle_end),
        (PartKind::Backoff, at),
        (PartKind::Frames, frames_end),
        (PartKind::Sifs, ack_start),
        (PartKind::Ack, end),
    ];
    parts(idle_since, ends)
}

/// Parts from `start` on, by their ends.
fn parts(start: Instant, ends: impl IntoIterator<Item = (PartKind, Instant)>) -> Vec<AccessPart> {
    let mut start_ns = start.as_nanos();
    let mut part = |(kind, end): (PartKind, Instant)| {
        let end_ns = end.as_nanos();
        AccessPart { kind, start_ns: std::mem::replace(&mut start_ns, end_ns), end_ns }
    };
    let each = ends.into_iter().map(&mut part);
    each.filter(|part| part.start_ns < part.end_ns).collect()
}

fn contender(contender: &CountsDown) -> Contender {
    let &CountsDown { node, category, from, before, after, has_frame, immediate, transmits } =
        contender;
    Contender { node: node.0, category, from, before, after, has_frame, immediate, transmits }
}

fn attempt(sent: &Transmitter, packet: Option<TracedPacket>, delivered: bool) -> TracedAttempt {
    let &Transmitter { node, category, to, cw, backoff, repeats, .. } = sent;
    let (node, to) = (node.0, receiver(to));
    TracedAttempt { node, category, to, packet, cw, backoff, repeats, delivered }
}

fn frame(ppdu: &Ppdu, modes: &PhyModes, packet: impl Fn(PacketId) -> TracedPacket) -> TracedFrame {
    let pdu = |mpdu: &Mpdu| TracedPdu {
        packet: packet(mpdu.packet),
        bytes: mpdu.bytes,
        end_ns: mpdu.end.as_nanos(),
        is_first: mpdu.is_first,
        is_last: mpdu.is_last,
        fate: mpdu.fate.into(),
    };
    // A beacon is a packet of the simulator alone.
    let mpdus = if ppdu.kind == PpduKind::Beacon { &[] } else { &ppdu.mpdus[..] };
    TracedFrame {
        kind: ppdu.kind.into(),
        from: ppdu.from.0,
        to: receiver(ppdu.to),
        start_ns: ppdu.start.as_nanos(),
        end_ns: ppdu.end.as_nanos(),
        rate_bps: modes.rate(ppdu.mode).as_bps(),
        bytes: ppdu.bytes,
        retries: ppdu.retries,
        fate: ppdu.fate.into(),
        carries: mpdus.iter().take(MAX_LISTED).map(pdu).collect(),
        pdus: mpdus.len() as u32,
        asks_for: ppdu.asks_for,
    }
}

fn receiver(node: NodeId) -> Option<u32> {
    (node != NodeId::BROADCAST).then_some(node.0)
}

pub(super) fn describe_packet(packet: &Packet) -> TracedPacket {
    let &Packet { flow, kind, seq, size, retransmission, .. } = packet;
    let flow = (flow != FlowId::NONE).then_some(flow.0);
    TracedPacket { flow, kind, seq, bytes: size, retransmission }
}

impl From<PpduKind> for FrameKind {
    fn from(kind: PpduKind) -> Self {
        match kind {
            PpduKind::Rts => Self::Rts,
            PpduKind::Cts => Self::Cts,
            PpduKind::Data => Self::Data,
            PpduKind::Ack => Self::Ack,
            PpduKind::BlockAck => Self::BlockAck,
            PpduKind::BlockAckReq => Self::BlockAckReq,
            PpduKind::CfEnd => Self::CfEnd,
            PpduKind::Beacon => Self::Beacon,
            PpduKind::Burst => Self::Burst,
            PpduKind::Request => Self::Request,
        }
    }
}

impl From<Fate> for FrameFate {
    fn from(fate: Fate) -> Self {
        match fate {
            Fate::Received => Self::Received,
            Fate::Collided => Self::Collided,
            Fate::Corrupted => Self::Corrupted,
        }
    }
}

impl From<FramePart> for PartKind {
    fn from(part: FramePart) -> Self {
        match part {
            FramePart::Broadcast => Self::Broadcast,
            FramePart::Downlink => Self::Downlink,
            FramePart::Gap => Self::Gap,
            FramePart::Ranging => Self::Ranging,
            FramePart::Requests => Self::Requests,
            FramePart::Uplink => Self::Uplink,
        }
    }
}
