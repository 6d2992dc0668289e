//! The frames of an 802.16 medium: each in which something waits, or a request is pending, is an access.

use evenair_core::medium::wimax::{Before, FilledBurst, Frame, Part, Pdu, Request, Wimax};
use evenair_core::medium::{Cell, PacketId};
use evenair_core::packet::NodeId;
use evenair_core::time::Instant;

use super::recorder::{Air, Recordable, describe_packet, parts};
use super::types::{
    AccessSlots, Contender, FrameFate, FrameKind, MAX_LISTED, PartKind, TracedFrame, TracedPdu,
};

/// The state before a frame.
pub(super) struct BeforeFrame {
    medium: Before,
    /// Whether packets wait.
    any_waits: bool,
}

impl Recordable for Wimax {
    const NAME: &'static str = "wimax";

    type Before = BeforeFrame;

    fn before(cell: &Cell<Self>) -> Option<BeforeFrame> {
        let medium = cell.medium().before_frame()?;
        let any_waits = cell.queues().iter().any(|queue| queue.backlog().packets() > 0);
        Some(BeforeFrame { medium, any_waits })
    }

    fn next_access(before: &BeforeFrame) -> Instant {
        let is_busy = before.any_waits || before.medium.is_pending;
        if is_busy { before.medium.begins } else { Instant::NEVER }
    }

    fn access(cell: &Cell<Self>, before: &BeforeFrame, at: Instant) -> Option<Air> {
        let size = |packet: PacketId| cell.packet(packet).size;
        let frame = cell.medium().frame(&before.medium, size)?;
        Some(air(cell, at, &frame))
    }

    fn ap_sends(cell: &Cell<Self>) -> Vec<PacketId> {
        cell.medium().incomplete().collect()
    }

    fn given_up(cell: &Cell<Self>, node: NodeId) -> u64 {
        cell.medium().sdus(node).given_up
    }
}

fn air(cell: &Cell<Wimax>, at: Instant, frame: &Frame) -> Air {
    let ends = frame.parts.iter().map(|&(part, end)| (kind(part), end));
    let parts = parts(at, ends);
    let region = parts.iter().find(|part| part.kind == PartKind::Requests);
    let end = frame.parts.last().map_or(at, |&(_, end)| end);
    let opportunities = u64::from(frame.opportunities);
    let sent = frame
        .requests
        .iter()
        .map(|request| contender(request.station, u64::from(request.skipped), opportunities, true));
    let waiting = frame.backoffs.iter().map(|&(station, left)| {
        contender(station, u64::from(left) + opportunities, opportunities, false)
    });
    let mut contenders: Vec<_> = sent.chain(waiting).collect();
    contenders.sort_by_key(|contender| contender.node);
    let requests = frame.requests.iter().map(request);
    let bursts = frame.bursts.iter().map(|sent| burst(cell, sent));
    let mut frames: Vec<_> = requests.chain(bursts).collect();
    frames.sort_by_key(|frame| frame.start_ns);
    Air {
        idle_since: at,
        at,
        end,
        slots: AccessSlots {
            start_ns: region.map_or(at.as_nanos(), |region| region.start_ns),
            end_ns: region.map_or(at.as_nanos(), |region| region.end_ns),
            count: opportunities,
        },
        parts,
        contenders,
        attempts: Vec::new(),
        frames,
    }
}

fn kind(part: Part) -> PartKind {
    match part {
        Part::Broadcast => PartKind::Broadcast,
        Part::Downlink => PartKind::Downlink,
        Part::Gap => PartKind::Gap,
        Part::Ranging => PartKind::Ranging,
        Part::Requests => PartKind::Requests,
        Part::Uplink => PartKind::Uplink,
    }
}

/// A station with a request that had to skip `before` opportunities.
fn contender(node: NodeId, before: u64, opportunities: u64, transmits: bool) -> Contender {
    Contender {
        node: node.0,
        from: 0,
        before,
        after: before.saturating_sub(opportunities),
        has_frame: true,
        immediate: false,
        transmits,
    }
}

fn request(request: &Request) -> TracedFrame {
    TracedFrame {
        kind: FrameKind::Request,
        from: request.station.0,
        to: Some(NodeId::ACCESS_POINT.0),
        start_ns: request.start.as_nanos(),
        end_ns: request.end.as_nanos(),
        rate_bps: request.rate.as_bps(),
        bytes: request.bytes,
        retries: request.retries,
        fate: if request.is_received { FrameFate::Received } else { FrameFate::Collided },
        carries: Vec::new(),
        pdus: 0,
        asks_for: Some(request.asks_for),
    }
}

fn burst(cell: &Cell<Wimax>, burst: &FilledBurst) -> TracedFrame {
    let pdu = |pdu: &Pdu| TracedPdu {
        packet: describe_packet(cell.packet(pdu.packet)),
        bytes: pdu.bytes,
        end_ns: pdu.end.as_nanos(),
        is_first: pdu.is_first,
        is_last: pdu.is_last,
        fate: fate(pdu.is_corrupted),
    };
    TracedFrame {
        kind: FrameKind::Burst,
        from: burst.from.0,
        to: Some(burst.to.0),
        start_ns: burst.start.as_nanos(),
        end_ns: burst.end.as_nanos(),
        rate_bps: burst.rate.as_bps(),
        bytes: burst.bytes,
        retries: 0,
        fate: fate(burst.pdus.iter().any(|pdu| pdu.is_corrupted)),
        carries: burst.pdus.iter().take(MAX_LISTED).map(pdu).collect(),
        pdus: burst.pdus.len() as u32,
        asks_for: burst.asks_for,
    }
}

fn fate(is_corrupted: bool) -> FrameFate {
    if is_corrupted { FrameFate::Corrupted } else { FrameFate::Received }
}
