//! What senders at wired hosts have in the queues of their hosts: packets for the first link, until that has sent them.

use std::collections::VecDeque;

use evenair_core::packet::{End, Packet};
use evenair_core::time::Instant;

use crate::agenda::{Agenda, Timer};
use crate::engine::flow::Flow;

/// The packets of flows that count them, and when each has left.
#[derive(Debug, Default)]
pub(crate) struct HostQueues {
    /// By flow; absent where nobody counts.
    flows: Vec<Option<HostQueue>>,
}

#[derive(Debug, Default)]
struct HostQueue {
    timer: Timer,
    packets: VecDeque<(Instant, Packet)>,
}

impl HostQueues {
    /// Those of these flows.
    pub(crate) fn new(flows: &[Flow]) -> Self {
        let queue = |flow: &Flow| flow.counts_wired_host().then(HostQueue::default);
        Self { flows: flows.iter().map(queue).collect() }
    }

    /// Whether any flow is counted.
    pub(crate) fn counts_any(&self) -> bool {
        self.flows.iter().any(Option::is_some)
    }

    /// The timer for the departures of this flow.
    pub(crate) fn set_timer(&mut self, flow: usize, timer: Timer) {
        if let Some(queue) = &mut self.flows[flow] {
            queue.timer = timer;
        }
    }

    /// Whether `packet` counts.
    pub(crate) fn counts(&self, packet: &Packet) -> bool {
        packet.to == End::Receiver && self.flows[packet.flow.0 as usize].is_some()
    }

    /// `packet` has entered its link, which has sent it at `at`. Times of a flow do not decrease.
    pub(crate) fn sent(&mut self, at: Instant, packet: &Packet, agenda: &mut Agenda) {
        if let Some(queue) = &mut self.flows[packet.flow.0 as usize] {
            queue.packets.push_back((at, *packet));
            agenda.arm(queue.timer, at);
        }
    }

    /// The next packet of a flow that has left by `now`.
    pub(crate) fn departed(&mut self, flow: usize, now: Instant) -> Option<Packet> {
        let packets = &mut self.flows[flow].as_mut()?.packets;
        packets.front().filter(|(at, _)| *at <= now)?;
        packets.pop_front().map(|(_, packet)| packet)
    }

    /// When the next one does.
    pub(crate) fn next_at(&self, flow: usize) -> Instant {
        let queue = self.flows[flow].as_ref();
        queue.and_then(|queue| queue.packets.front()).map_or(Instant::NEVER, |(at, _)| *at)
    }
}
