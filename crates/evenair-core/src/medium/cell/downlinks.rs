//! The queues of an access point for each station, among which a scheduler chooses.

use super::packet::CellPacket;
use crate::medium::scheduler::StationScheduler;
use crate::medium::{Attempt, TxQueueId};
use crate::packet::NodeId;
use crate::queue::TxQueue;
use crate::time::Instant;

/// Which of the queues belong to the access point and a station each, and their scheduler.
#[derive(Debug)]
pub(super) struct Downlinks {
    scheduler: Box<dyn StationScheduler>,
    /// The queue for the first station; those for the others follow.
    first: u32,
}

impl Downlinks {
    pub(super) fn new(scheduler: Box<dyn StationScheduler>, first: u32) -> Self {
        Self { scheduler, first }
    }

    /// Charges its station with the airtime of an attempt; beacons are for all.
    pub(super) fn count(&mut self, attempt: &Attempt) {
        if attempt.station != NodeId::BROADCAST {
            self.scheduler.charge(attempt.station.index() - 1, attempt.airtime.as_nanos());
        }
    }

    /// Queues a packet of the access point for its station, in one of the `queues` of all nodes.
    pub(super) fn enqueue<P: CellPacket>(
        &mut self,
        now: Instant,
        packet: P,
        queues: &mut [TxQueue<P>],
    ) {
        let station = packet.destination(NodeId::ACCESS_POINT).index() - 1;
        let queue = &mut queues[self.first as usize + station];
        queue.enqueue(now, packet);
        if queue.backlog().packets() > 0 {
            self.scheduler.backlogged(station);
        }
    }

    /// The queue of the next packet.
    pub(super) fn next_queue(&mut self) -> Option<TxQueueId> {
        self.scheduler.next_turn().map(|turn| TxQueueId(self.first + turn.station as u32))
    }

    /// That queue has no packet that may be taken.
    pub(super) fn has_no_backlog(&mut self) {
        self.scheduler.has_no_backlog();
    }

    /// The queue as the medium knows it of which `queue`, where a shaper has released a packet, is a
    /// part: the station of a downlink queue is backlogged again.
    pub(super) fn served_as(&mut self, queue: TxQueueId) -> TxQueueId {
        if queue.0 < self.first {
            return queue;
        }
        self.scheduler.backlogged((queue.0 - self.first) as usize);
        TxQueueId(NodeId::ACCESS_POINT.0)
    }
}
