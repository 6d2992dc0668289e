//! The queues of an access point for each station, among which a scheduler chooses.

use super::{CellPacket, Nodes};
use crate::medium::scheduler::AirtimeDrr;
use crate::medium::{Attempt, Taken, TxQueueId};
use crate::packet::NodeId;
use crate::time::Instant;

/// Which of the queues belong to the access point and a station each, and their scheduler.
#[derive(Debug)]
pub(super) struct Downlinks {
    scheduler: AirtimeDrr,
    /// The queue for the first station; those for the others follow.
    first: u32,
}

impl Downlinks {
    pub(super) fn new(scheduler: AirtimeDrr, first: u32) -> Self {
        Self { scheduler, first }
    }

    /// Charges its station with the airtime of an attempt; beacons are for all.
    pub(super) fn count(&mut self, attempt: &Attempt) {
        if attempt.station != NodeId::BROADCAST {
            self.scheduler.charge(attempt.station.index() - 1, attempt.airtime);
        }
    }
}

impl<P: CellPacket> Nodes<P> {
    /// Queues a packet of the access point for its station.
    #[inline(never)] // only with a scheduler
    pub(super) fn enqueue_downlink(&mut self, now: Instant, packet: P) {
        let Some(downlinks) = &mut self.downlinks else { return };
        let station = packet.destination(NodeId::ACCESS_POINT).index() - 1;
        let queue = &mut self.queues[downlinks.first as usize + station];
        queue.enqueue(now, packet);
        if queue.backlog().packets() > 0 {
            downlinks.scheduler.backlogged(station);
        }
    }

    /// The next packet of the access point, which the scheduler chooses.
    #[inline(never)] // only with a scheduler
    pub(super) fn take_downlink(&mut self, now: Instant, max_bytes: u32) -> Option<Taken> {
        loop {
            let downlinks = self.downlinks.as_mut()?;
            let queue = TxQueueId(downlinks.first + downlinks.scheduler.next_station()? as u32);
            if let Some(taken) = self.take_from(now, queue, max_bytes) {
                return Some(taken);
            }
            self.downlinks.as_mut()?.scheduler.has_no_backlog();
        }
    }

    /// The queue as the medium knows it of which `queue`, where a shaper has released a packet, is a
    /// part: the station of a downlink queue is backlogged again.
    pub(super) fn served_as(&mut self, queue: TxQueueId) -> TxQueueId {
        match &mut self.downlinks {
            Some(downlinks) if queue.0 >= downlinks.first => {
                downlinks.scheduler.backlogged((queue.0 - downlinks.first) as usize);
                TxQueueId(NodeId::ACCESS_POINT.0)
            }
            _ => queue,
        }
    }
}
