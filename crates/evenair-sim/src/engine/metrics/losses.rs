//! Where the packets of a flow were lost.

use evenair_core::flow_losses::{FlowLosses, Lost};
use evenair_core::packet::{FlowId, NodeId};
use evenair_core::time::Instant;

use crate::engine::flow::Flow;
use crate::engine::network::Network;
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;
use crate::results::losses::LossesByPlace;

/// The losses of all flows, place by place.
pub(crate) struct Places<'a, M: SimMedium, P> {
    network: &'a Network<M, P>,
    /// Of all queues and loss models, by flow: the access point's, those of stations, those of links, and the
    /// models.
    ap_queue: Vec<Lost>,
    station_queue: Vec<Lost>,
    wired_queue: Vec<Lost>,
    error: Vec<Lost>,
}

impl<'a, M: SimMedium, P: SimPacket> Places<'a, M, P> {
    /// Those of a run with so many flows that ends at `end`.
    pub(crate) fn new(network: &'a Network<M, P>, flows: usize, end: Instant) -> Self {
        let none = || vec![Lost::default(); flows];
        let (cell, [ap_queue, station_queue]) = (network.cell(), [none(), none()]);
        let [wired_queue, error] = [none(), none()];
        let mut all = Self { network, ap_queue, station_queue, wired_queue, error };
        for (queue, sender) in cell.queues().iter().zip(cell.senders()) {
            let is_ap = *sender == NodeId::ACCESS_POINT;
            add(if is_ap { &mut all.ap_queue } else { &mut all.station_queue }, queue.lost());
        }
        add(&mut all.error, cell.discarded());
        for link in network.wired().links() {
            let [dropped, discarded] = link.flow_losses(end);
            add(&mut all.wired_queue, &dropped);
            add(&mut all.error, &discarded);
        }
        all
    }

    /// The data and the acknowledgements that these flows have lost together, at least one.
    pub(crate) fn of(&self, flows: &[Flow]) -> [LossesByPlace; 2] {
        let mut each = flows.iter().map(|flow| self.of_one(flow.index));
        let first = each.next().unwrap_or_default();
        each.fold(first, |[data, acks], [more, more_acks]| [data + more, acks + more_acks])
    }

    fn of_one(&self, flow: FlowId) -> [LossesByPlace; 2] {
        let index = flow.0 as usize;
        let retry_limit = self.network.cell().given_up().of(flow);
        let limiter = self.network.limiter();
        let policer = limiter.map(|limiter| limiter.dropped()[index].packets);
        let by_place = |kind: fn(Lost) -> u64| LossesByPlace {
            ap_queue: kind(self.ap_queue[index]),
            station_queue: kind(self.station_queue[index]),
            wired_queue: kind(self.wired_queue[index]),
            retry_limit: kind(retry_limit),
            error: kind(self.error[index]),
            policer: policer.map(kind),
        };
        [by_place(|lost| lost.data), by_place(|lost| lost.acks)]
    }
}

/// Adds losses to those of each flow.
fn add(sum: &mut [Lost], losses: &FlowLosses) {
    for (flow, lost) in losses.iter() {
        if let Some(sum) = sum.get_mut(flow.0 as usize) {
            *sum += lost;
        }
    }
}
