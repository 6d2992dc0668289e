//! What a medium and its cell ask and tell each other.

use super::airtime::AirUsage;
use super::queues::{QueueLayout, TxQueueId};
use crate::loss::FrameKind;
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::queue::Backlog;
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// A packet that a medium has taken and not yet released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(pub(crate) u32);

/// What a medium learns of a packet that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its name until it is released.
    pub packet: PacketId,
    /// Who is to receive it.
    pub to: NodeId,
    /// Bytes at IP level.
    pub bytes: u32,
}

/// How the MAC of the sender fared with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TxStatus {
    /// Acknowledged, or sent on a medium without acknowledgements.
    Delivered,
    /// Given up at a retry limit. It has been received nevertheless if only its ACKs were lost.
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
    /// The rate at which it was transmitted.
    pub rate: Rate,
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
    /// Its rate.
    pub rate: Rate,
    /// Bytes on the air, MAC overhead included.
    pub bytes: u32,
}

/// An attempt to transmit a packet, which is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The packet.
    pub packet: PacketId,
    /// The transmitting node.
    pub from: NodeId,
    /// The end of its link that is not the access point; [`NodeId::BROADCAST`] of a beacon.
    pub station: NodeId,
    /// The backoff drawn for it, whether or not it was interrupted; zero without a backoff.
    pub backoff: Duration,
    /// All its frames with the spaces between them and the response; where there was no response,
    /// the response timeout.
    pub airtime: Duration,
    /// Whether it was acknowledged. Of a beacon: whether it met no other frame.
    pub delivered: bool,
}

/// What a medium may ask of its cell during a call.
pub trait CellContext {
    /// What waits in `queue`, without taking anything.
    fn backlog(&self, queue: TxQueueId) -> &Backlog;

    /// When the cell wakes the medium next, because a shaper is ready: no poll may go beyond.
    fn wake_at(&self) -> Instant;

    /// The queue from which `node` serves `category` at a transmit opportunity that begins now: the medium may
    /// take one packet or several. Of an access point with a queue for each station, the scheduler of the
    /// cell chooses among those that have a packet that may be taken, or of which the medium itself
    /// `holds` packets to repeat; `None` if there is none, or no scheduler.
    fn next_queue(
        &mut self,
        now: Instant,
        node: NodeId,
        category: AccessCategory,
        holds: impl Fn(TxQueueId) -> bool,
    ) -> Option<TxQueueId>;

    /// Takes the next packet of `queue` if it has at most `max_bytes`. A packet that is too large
    /// stays the next one. `None` also when nothing waits, or while a shaper holds packets back: the
    /// cell wakes the medium when it may ask again.
    fn take(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken>;

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

    /// An attempt is over, and its packet not yet released. Only after [`Medium::report_attempts`].
    fn on_attempt(&mut self, _now: Instant, _attempt: &Attempt) {}
}

/// The channel of a cell and the MACs of its nodes.
pub trait Medium {
    /// The transmit queues that it takes from; always the same.
    fn layout(&self) -> QueueLayout;

    /// Whether the MAC would take a packet that arrived in `queue` at once, whatever it is. A medium
    /// that collects packets for a later transmission never does.
    fn is_idle(&self, _queue: TxQueueId) -> bool {
        false
    }

    /// A packet that has arrived in `queue` while [`Medium::is_idle`], and that the MAC takes without
    /// asking for it.
    fn accept(&mut self, _now: Instant, _queue: TxQueueId, _packet: Taken) {
        unreachable!("a medium whose MACs are never idle accepts nothing");
    }

    /// A packet has arrived in `queue`, or a shaper has released one. May come at any time and more
    /// often than needed; what else is due before `now` has been polled.
    fn wake(&mut self, now: Instant, queue: TxQueueId, cell: &mut impl CellContext);

    /// The access point is to transmit `frame` to all stations, before packets that wait and before
    /// retries. It replaces a broadcast frame whose transmission has not begun. What was due before
    /// `now` has been polled.
    fn broadcast(&mut self, _now: Instant, _frame: Taken, _cell: &mut impl CellContext) {
        unreachable!("a medium without broadcast frames");
    }

    /// Attempts that end from now on are reported to [`CellContext::on_attempt`], if the medium has any.
    fn report_attempts(&mut self) {}

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
