//! The driver of an access point: takes packets from the queues of the stations into the hardware.

use std::collections::VecDeque;

use super::nodes::Nodes;
use super::packet::CellPacket;
use crate::medium::scheduler::{Pending, Turn};
use crate::medium::{Attempt, LinkId, NextPpdu, PacketId, Taken, TxQueueId};
use crate::packet::{AccessCategory, Direction, NodeId, Stage};
use crate::time::Instant;

impl<P: CellPacket> Nodes<P> {
    /// Fills the hardware with PPDUs by the scheduler with this number; each station has at most one turn. A station of which
    /// the medium `holds` packets to repeat has a turn for these, whatever the airtime queue limits say: they are in the
    /// hardware already.
    #[inline(never)] // only where there is a driver
    pub(super) fn prepare(
        &mut self,
        now: Instant,
        number: usize,
        holds: impl Fn(TxQueueId) -> bool,
        next: impl Fn(TxQueueId) -> NextPpdu,
    ) {
        let Some(mut hardware) = self.hardware.take() else { return };
        let (layout, access_points) = (self.setup.layout, self.setup.associations.access_points());
        let per_access_point = self.schedulers.len() / access_points.len();
        let access_point = access_points[number / per_access_point];
        let category = AccessCategory::ALL[number % per_access_point];
        let queue_of = |station: usize| {
            layout.queue(access_point, LinkId::new(station as u32, Direction::Down), category)
        };
        let mut served = Vec::new();
        self.schedulers[number].advance(now);
        while hardware.has_room(number) {
            let pending = |station| {
                let Pending { airtime, may_take } = hardware.pending(station, category);
                Pending { airtime, may_take: may_take || holds(queue_of(station)) }
            };
            let Some(Turn { station, .. }) = self.schedulers[number].next_turn_beside(&pending)
            else {
                break;
            };
            if served.contains(&station) {
                break;
            }
            served.push(station);
            let queue = queue_of(station);
            let (mut ppdu, mut packets) = (next(queue), VecDeque::new());
            let mut gives_none = false;
            while ppdu.packets > 0 && hardware.pending(station, category).may_take {
                let packet = self.take_set_aside(queue).or_else(|| self.dequeue_any(now, queue));
                let Some(mut packet) = packet else {
                    gives_none = true;
                    break;
                };
                if !ppdu.add(packet.size()) {
                    self.set_aside.push((queue, packet));
                    break;
                }
                let modes = &self.setup.modes;
                let counted = hardware.count(station, category, packet.size(), modes);
                packet.enter(Stage::Hardware, now);
                packets.push_back((packet, counted));
            }
            if gives_none || !self.has_waiting(queue) {
                let Pending { airtime, .. } = hardware.pending(station, category);
                self.schedulers[number].has_no_backlog_beside(airtime);
            }
            if !packets.is_empty() || holds(queue) {
                hardware.push(number, queue, packets);
            }
        }
        self.hardware = Some(hardware);
    }

    /// Whether something waits in `queue`, above the hardware.
    fn has_waiting(&self, queue: TxQueueId) -> bool {
        self.set_aside.iter().any(|(of, _)| *of == queue)
            || self.queues[self.place(queue)].tin_packets(queue.0) > 0
    }

    /// The medium takes a packet of the PPDU that the hardware transmits next.
    #[inline(never)] // only where there is a driver
    pub(super) fn take_prepared(
        &mut self,
        now: Instant,
        queue: TxQueueId,
        max_bytes: u32,
    ) -> Option<Taken> {
        let (_, category) = self.setup.layout.link(queue)?;
        let sender = self.setup.layout.sender(&self.setup.associations, queue);
        let number = self.scheduler(sender, category);
        let (packet, counted) = self.hardware.as_mut()?.take(number, queue, max_bytes)?;
        let taken = self.serve(now, queue, self.place(queue), packet);
        self.hardware.as_mut()?.name(taken.packet.0 as usize, counted);
        Some(taken)
    }

    /// The medium is done with a packet that the driver has taken.
    pub(super) fn release_prepared(&mut self, packet: PacketId) {
        if let Some(hardware) = &mut self.hardware {
            hardware.release(packet.0 as usize);
        }
    }

    /// An attempt of an access point, or to it, is over: tells the queues of the station whether it is slow.
    #[cold]
    pub(super) fn note_slow(&mut self, access_point: NodeId, station: u32, attempt: &Attempt) {
        let Some(slow) = &mut self.slow_stations else { return };
        let Some(is_slow) = slow.note(station as usize, attempt, &self.setup.modes) else { return };
        for category in AccessCategory::ALL {
            let link = LinkId::new(station, Direction::Down);
            let queue = self.setup.layout.queue(access_point, link, category);
            let place = self.place(queue);
            self.queues[place].set_slow(queue.0, is_slow);
        }
    }
}
