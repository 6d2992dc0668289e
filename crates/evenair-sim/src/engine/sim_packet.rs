//! The packets of a simulation, which may keep account of where they have been.

use std::borrow::Cow;
use std::ops::Deref;

use evenair_core::medium::CellPacket;
use evenair_core::packet::{AccessCategory, ConnectionId, Ecn, NodeId, Packet, Stage};
use evenair_core::queue::QueueItem;
use evenair_core::time::{Duration, Instant};

use crate::wired::WirePacket;

/// A packet that a simulation carries from one end of its flow to the other.
pub(crate) trait SimPacket: CellPacket + WirePacket + Copy {
    /// Whether it keeps account.
    const IS_TIMED: bool;

    /// A packet that begins a stage: itself, if nothing changes.
    type Entering<'a>: Deref<Target = Self>
    where
        Self: 'a;

    /// `packet` is sent, and begins its way at this stage.
    fn sent(packet: &Packet, stage: Stage, now: Instant) -> Self::Entering<'_>;

    /// It goes on at this stage.
    fn forwarded(&self, stage: Stage, now: Instant) -> Self::Entering<'_>;

    /// What the ends of its flow know of it.
    fn packet(&self) -> &Packet;

    /// How long it has been at each stage, up to its arrival `now`.
    fn times(&self, now: Instant) -> [Duration; Stage::COUNT];
}

/// Nothing is done for packets without account.
impl SimPacket for Packet {
    const IS_TIMED: bool = false;

    type Entering<'a> = &'a Self;

    #[inline(always)]
    fn sent(packet: &Packet, _stage: Stage, _now: Instant) -> &Self {
        packet
    }

    #[inline(always)]
    fn forwarded(&self, _stage: Stage, _now: Instant) -> &Self {
        self
    }

    #[inline(always)]
    fn packet(&self) -> &Packet {
        self
    }

    fn times(&self, _now: Instant) -> [Duration; Stage::COUNT] {
        [Duration::ZERO; Stage::COUNT]
    }
}

/// A packet with an account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimedPacket {
    packet: Packet,
    /// The stage at which it is, and since when.
    stage: Stage,
    since: Instant,
    /// By stage, without the time since then.
    times: [Duration; Stage::COUNT],
}

impl SimPacket for TimedPacket {
    const IS_TIMED: bool = true;

    type Entering<'a> = Cow<'a, Self>;

    fn sent(packet: &Packet, stage: Stage, now: Instant) -> Cow<'_, Self> {
        let times = [Duration::ZERO; Stage::COUNT];
        Cow::Owned(Self { packet: *packet, stage, since: now, times })
    }

    fn forwarded(&self, stage: Stage, now: Instant) -> Cow<'_, Self> {
        let mut packet = *self;
        packet.enter(stage, now);
        Cow::Owned(packet)
    }

    fn packet(&self) -> &Packet {
        &self.packet
    }

    fn times(&self, now: Instant) -> [Duration; Stage::COUNT] {
        self.forwarded(self.stage, now).times
    }
}

impl QueueItem for TimedPacket {
    fn connection(&self) -> ConnectionId {
        self.packet.connection()
    }

    fn size(&self) -> u32 {
        self.packet.size()
    }

    fn progress(&self) -> u64 {
        self.packet.progress()
    }

    fn is_pure_ack(&self) -> bool {
        self.packet.is_pure_ack()
    }

    fn is_high_priority(&self) -> bool {
        self.packet.is_high_priority()
    }

    fn enqueued_at(&self) -> Instant {
        self.packet.enqueued_at()
    }

    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.packet.set_ecn(ecn);
    }

    fn enter(&mut self, stage: Stage, now: Instant) {
        debug_assert!(self.since <= now, "time never decreases");
        self.times[self.stage as usize] += now.since(self.since);
        (self.stage, self.since) = (stage, now);
    }
}

impl CellPacket for TimedPacket {
    fn station(&self) -> NodeId {
        self.packet.station()
    }

    fn access_category(&self) -> AccessCategory {
        self.packet.access_category()
    }
}

impl WirePacket for TimedPacket {
    fn path(&self) -> usize {
        self.packet.path()
    }

    fn arriving(&self, at: Instant) -> Self {
        Self { packet: self.packet.arriving(at), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::packet::{FlowId, PacketKind};

    use super::*;

    /// By hand: sent at 3, on the wire up to 10, in a queue up to 14, on the air up to 20, and passed on at 30.
    #[test]
    fn times_are_those_between_stages() {
        let (at, nanos) = (Instant::from_nanos, Duration::from_nanos);
        let packet = Packet::new(FlowId(0), PacketKind::Data);
        let mut timed = *TimedPacket::sent(&packet, Stage::Wire, at(3));
        timed = *timed.arriving(at(10)).forwarded(Stage::Queue, at(10));
        timed.enter(Stage::Air, at(14));
        timed.enter(Stage::Reorder, at(20));
        let mut expected = [Duration::ZERO; Stage::COUNT];
        expected[Stage::Wire as usize] = nanos(7);
        expected[Stage::Queue as usize] = nanos(4);
        expected[Stage::Air as usize] = nanos(6);
        expected[Stage::Reorder as usize] = nanos(10);
        assert_eq!(timed.times(at(30)), expected);
        assert_eq!(timed.packet().enqueued_at, at(10));
    }
}
