//! The contract of a queue discipline, and what it reports.

use std::collections::VecDeque;

use super::backlog::Backlog;
use super::item::QueueItem;
use crate::packet::Ecn;
use crate::time::Instant;

/// A queue discipline in front of one transmitter.
pub trait QueueDiscipline<P: QueueItem> {
    /// Queues `packet`, drops it, or drops other packets to make room for it.
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>);

    /// Removes and returns the packet to be transmitted next. It counts against the limit until
    /// [`QueueDiscipline::transmitted`] is called. Packets in front of it may be dropped, and it
    /// may be marked. Returns `None` if the queue is empty, if all its packets were dropped, or
    /// before [`QueueDiscipline::ready_at`].
    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P>;

    /// Removes and returns the next packet to be transmitted of those that `is_wanted` and, should the next of them be
    /// larger than `max_bytes`, none: a transmitter asks for what it sends to one receiver together. Otherwise as
    /// [`QueueDiscipline::dequeue`]. A discipline that cannot tell its packets apart has none.
    fn dequeue_of(
        &mut self,
        _now: Instant,
        _is_wanted: impl Fn(&P) -> bool,
        _max_bytes: u32,
        _actions: &mut impl Actions<P>,
    ) -> Option<P> {
        None
    }

    /// Queues `packet` in the tin with this number: a discipline with tins keeps apart what is for several receivers. All
    /// others have one for all.
    fn enqueue_tin(&mut self, now: Instant, _tin: u32, packet: P, actions: &mut impl Actions<P>) {
        self.enqueue(now, packet, actions);
    }

    /// As [`QueueDiscipline::dequeue`], of the packets in this tin.
    fn dequeue_tin(&mut self, now: Instant, _tin: u32, actions: &mut impl Actions<P>) -> Option<P> {
        self.dequeue(now, actions)
    }

    /// The tin is that of a slow station, or not: see [`FqTins`](super::FqTins).
    fn set_slow(&mut self, _tin: u32, _is_slow: bool) {}

    /// Packets that wait in this tin.
    fn tin_packets(&self, _tin: u32) -> u32 {
        self.backlog().packets()
    }

    /// The earliest time at which [`QueueDiscipline::dequeue`] may return a packet:
    /// [`Instant::NEVER`] if the queue is empty, a time in the future if a shaper delays the head.
    fn ready_at(&self) -> Instant {
        if self.backlog().packets() == 0 { Instant::NEVER } else { Instant::ZERO }
    }

    /// Whether a packet that arrives at an empty queue and an idle transmitter may be transmitted
    /// without being queued, because the discipline would return it at once and keeps no state for
    /// it.
    fn can_bypass(&self) -> bool {
        false
    }

    /// The transmission of a dequeued packet of `bytes` has ended.
    fn transmitted(&mut self, bytes: u32) {
        self.backlog_mut().transmitted(bytes);
    }

    /// The number and size of the packets that wait or are being transmitted.
    fn backlog(&self) -> &Backlog;

    /// Mutable access to the backlog, for accounting.
    fn backlog_mut(&mut self) -> &mut Backlog;

    /// The packets that wait, in the order in which they would leave if none arrived and none were
    /// dropped. For observers, which show none of a discipline that does not tell.
    fn packets(&self) -> Vec<&P> {
        Vec::new()
    }
}

/// The place of the first of `packets` that `is_wanted`, if it has at most `max_bytes`.
pub(super) fn first_of<P: QueueItem>(
    packets: &VecDeque<P>,
    is_wanted: impl Fn(&P) -> bool,
    max_bytes: u32,
) -> Option<usize> {
    let place = packets.iter().position(is_wanted)?;
    (packets[place].size() <= max_bytes).then_some(place)
}

/// Receives the drops and marks of a discipline. The owner of the queue counts them, and a gateway
/// frees the buffers of dropped packets.
pub trait Actions<P: QueueItem> {
    /// `packet` was dropped.
    fn drop(&mut self, packet: P, reason: DropReason);

    /// The ECN field of a packet was set to CE.
    fn marked(&mut self);

    /// Sets the ECN field of `packet` to CE if its transport supports ECN (RFC 3168 section 5).
    /// Returns whether it does.
    fn mark(&mut self, packet: &mut P) -> bool {
        match packet.ecn() {
            Ecn::NotEct => return false,
            Ecn::Ect0 | Ecn::Ect1 => packet.set_ecn(Ecn::Ce),
            Ecn::Ce => {}
        }
        self.marked();
        true
    }
}

/// Records drops and marks.
#[derive(Clone, Debug)]
pub struct ActionLog<P> {
    /// Dropped packets.
    pub dropped: Vec<Dropped<P>>,
    /// Packets whose ECN field was set to CE.
    pub marked: u64,
}

impl<P> ActionLog<P> {
    /// No drops and no marks.
    pub const fn new() -> Self {
        Self { dropped: Vec::new(), marked: 0 }
    }
}

impl<P: QueueItem> Actions<P> for ActionLog<P> {
    fn drop(&mut self, packet: P, reason: DropReason) {
        self.dropped.push(Dropped { packet, reason });
    }

    fn marked(&mut self) {
        self.marked += 1;
    }
}

impl<P> Default for ActionLog<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// A dropped packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<P> {
    /// The packet.
    pub packet: P,
    /// Why it was dropped.
    pub reason: DropReason,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// Dropped on arrival: the queue was full, or the discipline dropped it early.
    OnArrival,
    /// Dropped when it was about to be transmitted.
    OnDeparture,
    /// Removed from a full queue to make room for a packet of higher rank.
    Evicted,
    /// An acknowledgement superseded by a later one of its flow.
    Superseded,
}
