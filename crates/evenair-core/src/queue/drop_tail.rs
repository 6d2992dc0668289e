//! DropTail: first in, first out; an arrival that finds no room is discarded.

use std::collections::VecDeque;

use super::{Backlog, Discarded, Limit, QueueDiscipline, Reason};
use crate::component::{Choice, Part};
use crate::packet::Packet;
use crate::time::Instant;

pub(super) static PART: Part = Part {
    name: "droptail",
    summary: "first in, first out; a packet that arrives at a full queue is discarded",
    source: "the default of routers and access points; ns-2's Queue/DropTail",
    ordered: &[],
    parameters: &[],
};

/// A first-in, first-out queue.
#[derive(Clone, Debug)]
pub struct DropTail {
    backlog: Backlog,
    packets: VecDeque<Packet>,
}

impl DropTail {
    /// An empty queue.
    pub fn new(_choice: &Choice, limit: Limit) -> Self {
        Self { backlog: Backlog::new(limit), packets: VecDeque::new() }
    }
}

impl QueueDiscipline for DropTail {
    #[inline(always)]
    fn enqueue(&mut self, _now: Instant, packet: Packet, discarded: &mut Vec<Discarded>) {
        if self.backlog.has_room_for(&packet) {
            self.backlog.add(&packet);
            self.packets.push_back(packet);
        } else {
            discarded.push(Discarded { packet, reason: Reason::NoRoom });
        }
    }

    #[inline(always)]
    fn dequeue(&mut self, _now: Instant) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }
}
