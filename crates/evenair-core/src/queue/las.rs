//! LAS: least attained service first (Gong, Wu and Williamson 2006, section III-B).
//!
//! Packets are sorted by the attained service of their flow, in ascending order. A full queue drops
//! the packet with the most attained service, which may be the arriving one.
//!
//! Where the paper is open:
//! - **Service** (`service`). The paper inserts a packet "according to its sequence number". With
//!   `"sequence"`, the default, service is progress in sequence space: the sequence number of data,
//!   the acknowledgement number of an acknowledgement, since that is the progress of the upload.
//!   This reproduces the paper. With `"bytes"`, service is the number of bytes that the flow has
//!   queued here, as in LAS routers. A 40-byte acknowledgement then counts as 40 bytes, so uploads
//!   have priority over downloads and the unfairness remains.
//! - **Retransmissions** have old sequence numbers and are therefore served first, which shortens
//!   the recovery. With `"bytes"` they are treated like any other packet of their flow.
//! - **Ties** are served in order of arrival; the last to arrive is dropped first.
//! - **A new flow** starts with no attained service and has priority over older flows until it has
//!   caught up. This is a property of LAS that favours short transfers, and the paper intends it.
//! - **Expiry and ageing.** With `"sequence"` the queue keeps no state per flow, so there is no
//!   expiry, and a flow keeps its rank after a pause. With `"bytes"` the state of a flow is deleted
//!   when it has queued nothing for `flow_timeout`. There is no ageing.

use std::collections::BTreeMap;

use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
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
        /// The bytes that the flow has queued.
        Bytes => "bytes",
    }
    planned []
}

/// A queue ordered by attained service.
#[derive(Clone, Debug)]
pub struct Las<P> {
    backlog: Backlog,
    config: LasConfig,
    /// Sorted by attained service, then by arrival.
    packets: BTreeMap<(u64, u64), P>,
    arrivals: u64,
    /// By connection; empty unless the service is `Service::Bytes`.
    attained: BTreeMap<ConnectionId, Attained>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Attained {
    bytes: u64,
    last_arrival: Instant,
}

impl<P: QueueItem> Las<P> {
    /// Creates an empty queue.
    pub fn new(config: LasConfig, limit: QueueLimit, _rng: RngStream) -> Self {
        Self {
            backlog: Backlog::new(limit),
            config,
            packets: BTreeMap::new(),
            arrivals: 0,
            attained: BTreeMap::new(),
        }
    }

    /// The attained service of the flow of `packet`, without `packet`.
    fn attained(&mut self, now: Instant, packet: &P) -> u64 {
        if self.config.service == Service::Sequence {
            return packet.progress();
        }
        match self.attained.get(&packet.connection()) {
            Some(flow) if now.since(flow.last_arrival) <= self.config.flow_timeout => flow.bytes,
            _ => {
                // The flow is new or has expired: delete all expired flows.
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
        self.arrivals += 1;
        self.packets.insert((attained, self.arrivals), packet);
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Las<P> {
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>) {
        let attained = self.attained(now, &packet);
        if !self.backlog.has_room_for(&packet) {
            let victims = self.packets.range((attained, u64::MAX)..).map(|(_, packet)| packet);
            if !self.backlog.has_room_without(victims, &packet) {
                actions.drop(packet, DropReason::OnArrival);
                return;
            }
        }
        while !self.backlog.has_room_for(&packet) {
            // Packets are sorted, so these are the victims counted above.
            let Some((_, last)) = self.packets.pop_last() else { break };
            self.backlog.remove(&last);
            if let Some(flow) = self.attained.get_mut(&last.connection()) {
                flow.bytes = flow.bytes.saturating_sub(u64::from(last.size()));
            }
            actions.drop(last, DropReason::Evicted);
        }
        self.accept(now, attained, packet);
    }

    fn dequeue(&mut self, _now: Instant, _actions: &mut impl Actions<P>) -> Option<P> {
        let (_, packet) = self.packets.pop_first()?;
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
        let (&place, next) = self.packets.iter().find(|(_, packet)| is_wanted(packet))?;
        if next.size() > max_bytes {
            return None;
        }
        let packet = self.packets.remove(&place)?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn can_bypass(&self) -> bool {
        // Under `Service::Bytes` each packet counts as service.
        self.config.service == Service::Sequence
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.packets.values().collect()
    }
}
