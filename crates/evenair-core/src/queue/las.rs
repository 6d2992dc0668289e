//! LAS: least attained service first (Gong, Wu and Williamson 2006, section III-B).
//!
//! The queue is ordered by how much service a packet's flow has attained; the least comes first. A
//! full queue discards the packet with the most, which may be the one that arrives.
//!
//! What the paper leaves open, and what was decided:
//! - **Service** (`service`). The paper inserts a packet "according to its sequence number". So
//!   service is the flow's progress in sequence space: of a data packet its sequence number, of an
//!   acknowledgement the number that it acknowledges, for it advances the upload by that much
//!   (`"sequence"`, the default, which reproduces the paper). `"bytes"` counts
//!   what a flow has had queued here, as LAS routers do; a 40-byte acknowledgement then counts for
//!   40 bytes, uploads look starved beside downloads, and the unfairness stays.
//! - **Retransmissions** carry old sequence numbers and so go first, which is what a flow that is
//!   held up by a hole needs. Under `Bytes` they are served like any other packet of their flow.
//! - **Ties** are served in order of arrival, and the one that came last is discarded first.
//! - **A new flow** beside old ones starts from nothing and goes before them until it has caught
//!   up: that is LAS, it is what favours short transfers, and the paper wants it.
//! - **Expiry and ageing.** Sequence numbers need no state in the queue and hence no expiry; a
//!   flow that has paused keeps its rank. Under `Bytes` a flow is forgotten, and starts from
//!   nothing, when it has queued nothing for `flow_timeout`. Nothing is aged.

use std::collections::{BTreeMap, VecDeque};

use super::{Actions, Backlog, DropReason, Limit, QueueDiscipline, QueueItem};
use crate::component::{configuration, named, names, positive};
use crate::packet::ConnectionId;
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

configuration! {
    /// Parameters of LAS.
    pub struct LasConfig {
        name: "las",
        summary: "least attained service first: the flow that has progressed least goes before all",
        source: "Gong, Wu and Williamson 2006, section III-B; Rai et al. 2004",
    }
    /// what counts as service: progress in the flow's sequence space, as in the
    /// paper, or bytes queued here
    service: Service = Service::Sequence, names();
    /// with service = "bytes": a flow that queues nothing for so long is forgotten
    flow_timeout: Duration = Duration::from_secs(60), positive();
}

named! {
    /// What counts as service.
    pub enum Service {
        /// The flow's progress in its sequence space.
        #[default]
        Sequence => "sequence",
        /// The bytes that the flow has had queued.
        Bytes => "bytes",
    }
    planned []
}

/// A queue ordered by attained service.
#[derive(Clone, Debug)]
pub struct Las<P> {
    backlog: Backlog,
    config: LasConfig,
    /// Ascending by attained service, equals in order of arrival.
    packets: VecDeque<(u64, P)>,
    /// With `Service::Bytes`, by connection.
    attained: BTreeMap<ConnectionId, Attained>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Attained {
    bytes: u64,
    last_arrival: Instant,
}

impl<P: QueueItem> Las<P> {
    /// An empty queue.
    pub fn new(config: LasConfig, limit: Limit, _rng: RngStream) -> Self {
        Self {
            backlog: Backlog::new(limit),
            config,
            packets: VecDeque::new(),
            attained: BTreeMap::new(),
        }
    }

    /// The service that `packet`'s flow has attained before it.
    fn attained(&mut self, now: Instant, packet: &P) -> u64 {
        if self.config.service == Service::Sequence {
            return packet.progress();
        }
        match self.attained.get(&packet.connection()) {
            Some(flow) if now.since(flow.last_arrival) <= self.config.flow_timeout => flow.bytes,
            _ => {
                // A flow that is new, or comes back, is the time to forget those that have gone.
                let timeout = self.config.flow_timeout;
                self.attained.retain(|_, flow| now.since(flow.last_arrival) <= timeout);
                0
            }
        }
    }

    fn accept(&mut self, now: Instant, attained: u64, packet: P) {
        if self.config.service == Service::Bytes {
            let flow = self.attained.entry(packet.connection()).or_default();
            flow.bytes += u64::from(packet.size());
            flow.last_arrival = now;
        }
        self.backlog.add(&packet);
        // Most arrivals belong near the end: flows advance.
        let place = self.packets.partition_point(|(service, _)| *service <= attained);
        self.packets.insert(place, (attained, packet));
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Las<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut Actions<P>) {
        let attained = self.attained(now, &packet);
        if !self.backlog.has_room_for(&packet) {
            let victims = self.packets.iter().filter(|(service, _)| *service > attained);
            if !self.backlog.has_room_without(victims.map(|(_, p)| p), &packet) {
                actions.drop(packet, DropReason::OnArrival);
                return;
            }
        }
        while !self.backlog.has_room_for(&packet) {
            // The queue is sorted, so these are the victims that were counted above.
            let Some((_, last)) = self.packets.pop_back() else { break };
            self.backlog.remove(&last);
            if let Some(flow) = self.attained.get_mut(&last.connection()) {
                flow.bytes = flow.bytes.saturating_sub(u64::from(last.size()));
            }
            actions.drop(last, DropReason::Evicted);
        }
        self.accept(now, attained, packet);
    }

    #[inline(never)]
    fn dequeue(&mut self, _now: Instant, _actions: &mut Actions<P>) -> Option<P> {
        let (_, packet) = self.packets.pop_front()?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn can_bypass(&self) -> bool {
        self.config.service == Service::Sequence
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }
}
