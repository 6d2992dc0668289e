//! Where the packets of a flow were lost.

use evenair_core::flow_losses::{FlowLosses, Lost};
use evenair_core::packet::{FlowId, NodeId};
use evenair_core::time::Instant;
use serde::Serialize;

use crate::cell_kind::CellKind;
use crate::network::Network;

/// Lost packets of a flow, data or acknowledgements, by place. Filtered acknowledgements are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LossesByPlace {
    /// Dropped by the queue of the access point.
    pub ap_queue: u64,
    /// Dropped by the queue of a station.
    pub station_queue: u64,
    /// Dropped by the queue of a wired link.
    pub wired_queue: u64,
    /// Dropped by a MAC at its retry limit, or with a bandwidth request that was given up.
    pub retry_limit: u64,
    /// Lost to a loss model: of the air after delivery by the MAC, or of a wired link.
    pub error: u64,
    /// Dropped by the policer of a rate limiter; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policer: Option<u64>,
}

/// The losses of all flows, place by place.
pub(crate) struct Places<'a, M: CellKind> {
    network: &'a Network<M>,
    /// Of each link: what its queue dropped, and what its loss model discarded.
    links: Vec<[FlowLosses; 2]>,
}

impl<'a, M: CellKind> Places<'a, M> {
    /// Those of a run that ends at `end`.
    pub(crate) fn new(network: &'a Network<M>, end: Instant) -> Self {
        let links = network.wired().links().iter().map(|link| link.flow_losses(end)).collect();
        Self { network, links }
    }

    /// The data and the acknowledgements that `flow` has lost.
    pub(crate) fn of(&self, flow: FlowId) -> [LossesByPlace; 2] {
        let cell = self.network.cell();
        let [mut ap_queue, mut station_queue] = [Lost::default(); 2];
        for (queue, sender) in cell.queues().iter().zip(cell.senders()) {
            let place =
                if *sender == NodeId::ACCESS_POINT { &mut ap_queue } else { &mut station_queue };
            *place += queue.lost().of(flow);
        }
        let (mut wired_queue, mut error) = (Lost::default(), cell.discarded().of(flow));
        for [dropped, discarded] in &self.links {
            wired_queue += dropped.of(flow);
            error += discarded.of(flow);
        }
        let retry_limit = cell.given_up().of(flow);
        let limiter = self.network.limiter();
        let policer = limiter.map(|limiter| limiter.dropped()[flow.0 as usize].packets);
        let by_place = |kind: fn(Lost) -> u64| LossesByPlace {
            ap_queue: kind(ap_queue),
            station_queue: kind(station_queue),
            wired_queue: kind(wired_queue),
            retry_limit: kind(retry_limit),
            error: kind(error),
            policer: policer.map(kind),
        };
        [by_place(|lost| lost.data), by_place(|lost| lost.acks)]
    }
}
