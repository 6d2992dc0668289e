//! What a medium and its cell ask and tell each other.

use super::air::{AirEvent, Attempt, Carried, Listening, PacketId};
use super::airtime::AirUsage;
use super::association::LinkId;
use super::phy_mode::PhyMode;
use super::queues::TxQueueId;
use super::setup::Setup;
use crate::loss::FrameKind;
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::queue::Backlog;
use crate::time::{Duration, Instant};

/// What a medium learns of a packet that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its name until it is released.
    pub packet: PacketId,
    /// Who is to receive it.
    pub to: NodeId,
    /// The link on which it is to be transmitted; [`LinkId::BROADCAST`] of a broadcast frame.
    pub link: LinkId,
    /// Bytes at IP level.
    pub bytes: u32,
}

/// How the MAC of the sender fared with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TxStatus {
    /// Acknowledged, or sent on a medium without acknowledgements.
    Delivered,
    /// Given up at a retry limit, or at the end of its lifetime. It has been received nevertheless if only its ACKs were lost.
    Dropped,
}

/// A packet that was received: the first time that it was, if the sender repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reception {
    /// When it was complete.
    pub at: Instant,
    /// The packet, which the medium may keep until its acknowledgement is over.
    pub packet: PacketId,
    /// The transmitting node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// The PHY mode in which it was transmitted.
    pub mode: PhyMode,
}

/// A frame on the air, as a loss model sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Whether it carries data.
    pub kind: FrameKind,
    /// Its end.
    pub at: Instant,
    /// The end of its link that is not the access point.
    pub station: NodeId,
    /// Its direction: that of an ACK is opposite to that of the data.
    pub direction: Direction,
    /// Its PHY mode.
    pub mode: PhyMode,
    /// Bytes on the air, MAC overhead included.
    pub bytes: u32,
}

/// The room that the next PPDU of a queue has besides what is repeated in it.
#[derive(Clone, Copy, Debug)]
pub struct NextPpdu {
    /// Packets that may join.
    pub packets: u32,
    /// Bytes of the PSDU with what is repeated, and the most that it may have.
    pub bytes: u32,
    /// See `bytes`.
    pub most: u32,
    /// Bytes that the MAC adds to a packet.
    pub overhead: u32,
    /// The bytes of a PSDU with these bytes that gets an MPDU of so many.
    pub lengthened: fn(u32, u32) -> u32,
}

impl NextPpdu {
    /// A PPDU of one packet, of any size.
    pub const SINGLE: Self =
        Self { packets: 1, bytes: 0, most: u32::MAX, overhead: 0, lengthened: u32::saturating_add };

    /// Another packet of `bytes` joins, if it may: the first one always.
    pub fn add(&mut self, bytes: u32) -> bool {
        let lengthened = (self.lengthened)(self.bytes, bytes.saturating_add(self.overhead));
        let may_join = self.packets > 0 && (self.bytes == 0 || lengthened <= self.most);
        if may_join {
            self.packets -= 1;
            self.bytes = lengthened;
        }
        may_join
    }
}

/// What a medium may ask of its cell during a call.
pub trait CellContext {
    /// What waits in `queue`, without taking anything.
    fn backlog(&self, queue: TxQueueId) -> &Backlog;

    /// When the cell wakes the medium next, because a shaper is ready or a feed has a packet: no poll
    /// may go beyond.
    fn wake_at(&self) -> Instant;

    /// The queue from which `node` serves `category` at a transmit opportunity that begins now: the medium may
    /// take one packet or several. Of an access point with a queue for each station, the scheduler of the
    /// cell chooses among those that have a packet that may be taken, or of which the medium itself
    /// `holds` packets to repeat; `None` if there is none, or no scheduler. A cell whose access point takes packets before
    /// they are transmitted asks what the `next` PPDU has room for.
    fn next_queue(
        &mut self,
        now: Instant,
        node: NodeId,
        category: AccessCategory,
        holds: impl Fn(TxQueueId) -> bool,
        next: impl Fn(TxQueueId) -> NextPpdu,
    ) -> Option<TxQueueId>;

    /// What fills a queue of `node` by itself ([`Cell::add_feed`](super::Cell::add_feed)) does so up to `now`. A medium that may
    /// have such queues calls this before it takes packets of `node` and `category` or releases them.
    fn fill(&mut self, _now: Instant, _node: NodeId, _category: AccessCategory) {}

    /// Takes the next packet of `queue` if it has at most `max_bytes`. A packet that is too large
    /// stays the next one. `None` also when nothing waits, or while a shaper holds packets back: the
    /// cell wakes the medium when it may ask again.
    fn take(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken>;

    /// The receiver of `packet` has it from `at` on, and may hold it back: its name remains until it is reported as a
    /// [`Reception`], also if the sender is done with it before. Not needed where a reception always comes first.
    fn keep(&mut self, _at: Instant, _packet: PacketId) {}

    /// When `packet` was handed to its sender.
    fn enqueued_at(&self, packet: PacketId) -> Instant;

    /// The sender is done with `packet`, which no longer counts against the limit of its queue.
    fn release(&mut self, now: Instant, packet: PacketId, status: TxStatus);

    /// `packet` was sent without acknowledgement and was not received: the sender is done with it.
    fn lose(&mut self, now: Instant, packet: PacketId) {
        self.release(now, packet, TxStatus::Dropped);
    }

    /// Frames on the link of `station` that end before this time are not corrupted: a medium need not
    /// ask [`CellContext::is_corrupted`] about them.
    fn no_loss_before(&self, station: NodeId) -> Instant;

    /// Whether a frame that met no other is undecodable. Asked once for each frame that is
    /// transmitted; for the frames of one link and direction in order of time.
    fn is_corrupted(&mut self, transmission: &Transmission) -> bool;

    /// Something happens on the air. Only events that [`Medium::listen`] has asked for.
    fn on_air(&mut self, event: AirEvent);

    /// The same of an attempt that is over, with the packets that it carried, in order.
    fn on_outcome(&mut self, attempt: Attempt, _carried: impl Iterator<Item = Carried> + Clone) {
        self.on_air(AirEvent::Outcome(attempt));
    }
}

/// The channel of a cell and the MACs of its nodes.
pub trait Medium {
    /// What of it never changes: associations, transmit queues, PHY modes.
    fn setup(&self) -> &Setup;

    /// Whether [`Medium::wake`] takes a packet of `queue` at once, whatever it is. A medium that collects
    /// packets for a later transmission never does.
    fn is_idle(&self, queue: TxQueueId) -> bool;

    /// Something waits in `queue`: a packet has arrived, or a shaper has released one. If the MAC
    /// [is idle](Medium::is_idle), it takes `arrived`, a packet that has just arrived there and is not queued, or
    /// asks `cell` for one. May come at any time and more often than needed, but with `arrived` only to an idle
    /// MAC; what else is due before `now` has been polled.
    fn wake(
        &mut self,
        now: Instant,
        queue: TxQueueId,
        arrived: Option<Taken>,
        cell: &mut impl CellContext,
    );

    /// Somebody listens to these events from now on: they are passed to [`CellContext::on_air`].
    fn listen(&mut self, to: Listening);

    /// When [`Medium::poll`] may have something to do; [`Instant::NEVER`] while all are idle, but of a
    /// medium with frames, which begins the next one then.
    fn poll_at(&self) -> Instant;

    /// Does what is due before `limit` and [`CellContext::wake_at`], which a packet that is asked for in
    /// vain brings forward, up to the next reception. Times never decrease from one call to the next.
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception>;

    /// What `node` has transmitted since the start. What is due before `now` has been polled, and an
    /// attempt that still goes on counts up to `now`.
    fn usage(&self, now: Instant, node: NodeId) -> AirUsage;

    /// How long the traffic of `node` has been on the air since the start, up to `now`: its own attempts
    /// and those for it; what overlaps counts once. Of the access point this is all traffic.
    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration;

    /// Starts the statistics that are no counters anew, such as distributions of delays. Counters go on.
    fn reset_stats(&mut self, _now: Instant) {}
}

/// A medium whose access points transmit broadcast frames.
pub trait Broadcast: Medium {
    /// The access point `from` is to transmit `frame` to all its stations, before packets that wait and before
    /// retries. It replaces a broadcast frame whose transmission has not begun. What was due before
    /// `now` has been polled.
    fn broadcast(&mut self, now: Instant, from: NodeId, frame: Taken, cell: &mut impl CellContext);
}
