//! The accesses to an 802.11 medium.

use evenair_core::medium::wlan::{
    Access, AirFrame, Counter, Dcf, FrameFate as Fate, FrameType, IdlePeriod, Transmitter,
};
use evenair_core::medium::{Cell, PacketId};
use evenair_core::packet::NodeId;
use evenair_core::time::{Duration, Instant};

use super::recorder::{Air, Recordable, describe_packet, parts};
use super::types::{
    AccessSlots, Contender, FrameFate, FrameKind, PartKind, TracedAttempt, TracedFrame, TracedPdu,
};

impl Recordable for Dcf {
    const NAME: &'static str = "wlan";

    type Before = IdlePeriod;

    fn before(cell: &Cell<Self>) -> Option<IdlePeriod> {
        cell.medium().idle_period()
    }

    fn next_access(idle: &IdlePeriod) -> Instant {
        idle.next_access.map_or(Instant::NEVER, |(_, at)| at)
    }

    fn access(cell: &Cell<Self>, idle: &IdlePeriod, at: Instant) -> Option<Air> {
        cell.medium().access(idle, at).map(|access| air(cell, at, idle, &access))
    }

    fn ap_sends(cell: &Cell<Self>) -> Vec<PacketId> {
        cell.medium().packet_of(NodeId::ACCESS_POINT).into_iter().collect()
    }

    fn given_up(cell: &Cell<Self>, node: NodeId) -> u64 {
        cell.medium().dropped(node)
    }
}

fn air(cell: &Cell<Dcf>, at: Instant, idle: &IdlePeriod, access: &Access) -> Air {
    let phy = &cell.medium().config().phy;
    let contenders: Vec<_> =
        idle.counters.iter().map(|counter| contender(counter, access)).collect();
    let boundary = at.since(idle.grid).div_ceil(phy.slot);
    let counted = contenders.iter().filter(|contender| contender.transmits);
    let backoff = phy.slot * counted.map(|node| boundary - node.from).max().unwrap_or(0);
    let idle_since = Instant::from_nanos(idle.grid.as_nanos() - phy.difs().as_nanos());
    let end = access.frames.iter().map(|frame| frame.end).max().unwrap_or(at);
    let ack = access.frames.iter().find(|frame| frame.kind == FrameType::Ack);
    let ack_at = ack.map_or(end, |ack| ack.start);
    let frames_end = ack.map_or(Duration::ZERO, |_| phy.sifs);
    let ends = [
        (PartKind::Difs, idle.grid),
        (PartKind::Idle, idle.grid + at.since(idle.grid).saturating_sub(backoff)),
        (PartKind::Backoff, at),
        (PartKind::Frames, Instant::from_nanos(ack_at.as_nanos() - frames_end.as_nanos())),
        (PartKind::Sifs, ack_at),
        (PartKind::Ack, end),
    ];
    let packet = |sent: &Transmitter| {
        describe_packet(cell.packet(sent.packet.expect("who transmits has a packet")))
    };
    let attempt = |sent: &Transmitter| TracedAttempt {
        node: sent.node.0,
        to: receiver(sent.to),
        packet: packet(sent),
        cw: sent.cw,
        backoff: sent.backoff,
        repeats: sent.repeats,
        delivered: access.transmitters.len() == 1
            && access.frames.iter().all(|frame| frame.fate == Fate::Received),
    };
    let carried = |frame: &AirFrame| {
        let sent = access.transmitters.iter().find(|sent| sent.node == frame.from);
        sent.filter(|_| frame.kind == FrameType::Data).map(|sent| TracedPdu {
            packet: packet(sent),
            bytes: frame.bytes,
            end_ns: frame.end.as_nanos(),
            is_first: true,
            is_last: true,
            fate: frame.fate.into(),
        })
    };
    Air {
        idle_since,
        at,
        end,
        parts: parts(idle_since, ends),
        slots: AccessSlots {
            start_ns: idle.grid.as_nanos(),
            end_ns: at.as_nanos(),
            count: boundary,
        },
        contenders,
        attempts: access.transmitters.iter().map(attempt).collect(),
        frames: access.frames.iter().map(|sent| frame(sent, carried(sent))).collect(),
    }
}

fn contender(counter: &Counter, access: &Access) -> Contender {
    let after = access.counters.iter().find(|after| after.node == counter.node);
    Contender {
        node: counter.node.0,
        from: counter.from,
        before: counter.slots,
        after: after.map_or(0, |after| after.slots),
        has_frame: counter.has_frame,
        immediate: counter.immediate,
        transmits: access.transmitters.iter().any(|sent| sent.node == counter.node),
    }
}

fn frame(frame: &AirFrame, carries: Option<TracedPdu>) -> TracedFrame {
    TracedFrame {
        kind: frame.kind.into(),
        from: frame.from.0,
        to: receiver(frame.to),
        start_ns: frame.start.as_nanos(),
        end_ns: frame.end.as_nanos(),
        rate_bps: frame.rate.as_bps(),
        bytes: frame.bytes,
        retries: frame.retries,
        fate: frame.fate.into(),
        pdus: u32::from(carries.is_some()),
        carries: carries.into_iter().collect(),
        asks_for: None,
    }
}

fn receiver(node: NodeId) -> Option<u32> {
    (node != NodeId::BROADCAST).then_some(node.0)
}

impl From<FrameType> for FrameKind {
    fn from(kind: FrameType) -> Self {
        match kind {
            FrameType::Rts => Self::Rts,
            FrameType::Cts => Self::Cts,
            FrameType::Data => Self::Data,
            FrameType::Ack => Self::Ack,
            FrameType::Beacon => Self::Beacon,
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
