//! An access as an air trace shows it, from the events of the air.

use evenair_core::medium::{
    AccessDetail, AirEvent, BlockAck, Cell, Contender as CountsDown, Fate, FramePart, Mcs, Medium,
    Mpdu, PacketId, PhyModes, Ppdu, PpduKind, PsduFormat, QosMpdu, QosPpdu, Transmitter,
};
use evenair_core::packet::{FlowId, NodeId, Packet};

use super::types::{
    AccessPart, AccessSlots, Contender, FrameFate, FrameKind, MAX_LISTED, MAX_LISTED_OF_PPDU,
    PartKind, PsduKind, TracedAccess, TracedAttempt, TracedBlockAck, TracedFrame, TracedPacket,
    TracedPdu, TracedQosFrame, TracedQosPdu,
};

/// What is on the air in an access. The members are those of [`TracedAccess`](super::TracedAccess).
#[derive(Debug)]
pub(super) struct Air {
    pub(super) idle_since_ns: u64,
    pub(super) at_ns: u64,
    pub(super) end_ns: u64,
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
        let attempts = match &access.detail {
            AccessDetail::Contention(transmitters) => {
                let delivered =
                    transmitters.len() == 1 && sent.iter().all(|ppdu| ppdu.fate == Fate::Received);
                let each = transmitters.iter();
                each.map(|sent| attempt(sent, sent.packet.map(packet), delivered)).collect()
            }
            AccessDetail::Frame(_) => Vec::new(),
        };
        let slots = AccessSlots {
            start_ns: access.slots.start.as_nanos(),
            end_ns: access.slots.end.as_nanos(),
            count: access.slots.count,
        };
        let contenders: Vec<_> = access.contenders.iter().map(contender).collect();
        let frames: Vec<_> =
            sent.into_iter().map(|ppdu| frame(ppdu, &cell.setup().modes, packet)).collect();
        let idle_since_ns = access.idle_since.as_nanos();
        let parts = match &access.detail {
            AccessDetail::Contention(_) => {
                parts_of_exchange(idle_since_ns, slots, &contenders, &frames)
            }
            AccessDetail::Frame(ends) => {
                let ends = ends.iter().map(|&(part, end)| (part.into(), end.as_nanos()));
                parts(access.at.as_nanos(), ends)
            }
        };
        let at_ns = access.at.as_nanos();
        let end_ns = parts.last().map_or(at_ns, |last| last.end_ns);
        Some(Self { idle_since_ns, at_ns, end_ns, parts, slots, contenders, attempts, frames })
    }
}

/// The TXOP of `access`, which was the last one, goes on with the transmissions in `events`.
pub(super) fn continue_access<M: Medium>(
    access: &mut TracedAccess,
    cell: &Cell<M>,
    events: &[AirEvent],
) {
    let packet = |packet| describe_packet(cell.packet(packet));
    let before = access.frames.len();
    for event in events {
        if let AirEvent::Transmission(ppdu) = event {
            access.frames.push(frame(ppdu, &cell.setup().modes, packet));
        }
    }
    if access.frames.len() > before {
        let TracedAccess { idle_since_ns, slots, contenders, frames, .. } = access;
        access.parts = parts_of_exchange(*idle_since_ns, *slots, contenders, frames);
        access.end_ns = access.parts.last().map_or(access.end_ns, |last| last.end_ns);
    }
}

/// The parts of 802.11 exchanges, or of a collision.
fn parts_of_exchange(
    idle_since_ns: u64,
    slots: AccessSlots,
    contenders: &[Contender],
    frames: &[TracedFrame],
) -> Vec<AccessPart> {
    let AccessSlots { start_ns, end_ns: at_ns, count } = slots;
    let slot = (at_ns - start_ns).checked_div(count).unwrap_or(0);
    let counted = contenders.iter().filter(|contender| contender.transmits);
    let counted = counted.map(|contender| count - contender.from).max().unwrap_or(0);
    // Of the frames of a collision the last may end first.
    let end = frames.iter().map(|frame| frame.end_ns).max().unwrap_or(at_ns);
    let is_ack = |kind| matches!(kind, FrameKind::Ack | FrameKind::BlockAck);
    let (frames_end, ack_start) = match frames.split_last() {
        Some((ack, others)) if is_ack(ack.kind) => {
            (others.iter().map(|frame| frame.end_ns).max().unwrap_or(at_ns), ack.start_ns)
        }
        _ => (end, end),
    };
    let ends = [
        (PartKind::Difs, start_ns),
        (PartKind::Idle, start_ns + (at_ns - start_ns).saturating_sub(slot * counted)),
        (PartKind::Backoff, at_ns),
        (PartKind::Frames, frames_end),
        (PartKind::Sifs, ack_start),
        (PartKind::Ack, end),
    ];
    parts(idle_since_ns, ends)
}

/// Parts from `start` on, by their ends.
fn parts(mut start_ns: u64, ends: impl IntoIterator<Item = (PartKind, u64)>) -> Vec<AccessPart> {
    let mut part = |(kind, end_ns): (PartKind, u64)| AccessPart {
        kind,
        start_ns: std::mem::replace(&mut start_ns, end_ns),
        end_ns,
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
        qos: mpdu.qos.map(|QosMpdu { sequence, retry, repeats }| TracedQosPdu {
            sequence,
            retry,
            repeats,
        }),
    };
    // A beacon is a packet of the simulator alone.
    let mpdus = if ppdu.kind == PpduKind::Beacon { &[] } else { &ppdu.mpdus[..] };
    let most = if ppdu.qos.is_some() { MAX_LISTED_OF_PPDU } else { MAX_LISTED };
    let vector = modes.vector(ppdu.mode);
    TracedFrame {
        kind: ppdu.kind.into(),
        from: ppdu.from.0,
        to: receiver(ppdu.to),
        start_ns: ppdu.start.as_nanos(),
        end_ns: ppdu.end.as_nanos(),
        rate_bps: vector.rate.as_bps(),
        bytes: ppdu.bytes,
        retries: ppdu.retries,
        fate: ppdu.fate.into(),
        carries: mpdus.iter().take(most).map(pdu).collect(),
        pdus: mpdus.len() as u32,
        asks_for: ppdu.asks_for,
        qos: ppdu.qos.map(|of_ppdu| qos(ppdu.kind, &of_ppdu, vector.mcs)),
    }
}

/// What a frame has with EDCA.
fn qos(kind: PpduKind, qos: &QosPpdu, mcs: Option<Mcs>) -> TracedQosFrame {
    let block_ack = qos.block_ack.map(|BlockAck { start, length, bitmap }| {
        let length = if kind == PpduKind::BlockAck { length } else { 0 };
        let bit = |place| bitmap[usize::from(place / 64)] >> (place % 64) & 1;
        let bitmap = (0..length).map(|place| if bit(place) == 1 { '1' } else { '0' }).collect();
        TracedBlockAck { start, bitmap }
    });
    let psdu = match qos.psdu {
        PsduFormat::Mpdu => PsduKind::Mpdu,
        PsduFormat::SMpdu => PsduKind::SMpdu,
        PsduFormat::AMpdu => PsduKind::AMpdu,
    };
    TracedQosFrame { category: qos.category, mcs: mcs.map(|mcs| mcs.0), psdu, block_ack }
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
