//! DropTail: first in, first out; a packet that arrives at a full queue is dropped.

use std::collections::VecDeque;

use super::discipline::first_of;
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::component::configuration;
use crate::rng::RngStream;
use crate::time::Instant;

configuration! {
    /// DropTail has no parameters.
    pub struct DropTailConfig {
        name: "droptail",
        summary: "first in, first out; a packet that arrives at a full queue is discarded",
        source: "the default of routers and access points; ns-2's Queue/DropTail",
    }
}

/// A first-in, first-out queue.
#[derive(Clone, Debug)]
pub struct DropTail<P> {
    backlog: Backlog,
    packets: VecDeque<P>,
}

impl<P> DropTail<P> {
    /// Creates an empty queue.
    pub fn new(_config: DropTailConfig, limit: QueueLimit, _rng: RngStream) -> Self {
        Self { backlog: Backlog::new(limit), packets: VecDeque::new() }
    }
}

impl<P: QueueItem> QueueDiscipline<P> for DropTail<P> {
    #[inline(always)]
    fn enqueue(&mut self, _now: Instant, packet: P, actions: &mut impl Actions<P>) {
        if self.backlog.has_room_for(&packet) {
            self.backlog.add(&packet);
            self.packets.push_back(packet);
        } else {
            actions.drop(packet, DropReason::OnArrival);
        }
    }

    #[inline(always)]
    fn dequeue(&mut self, _now: Instant, _actions: &mut impl Actions<P>) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn dequeue_of(
        &mut self,
        _now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        _actions: &mut impl Actions<P>,
    ) -> Option<P> {
        let place = first_of(&self.packets, is_wanted, max_bytes)?;
        let packet = self.packets.remove(place)?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn can_bypass(&self) -> bool {
        true
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.packets.iter().collect()
    }
}
