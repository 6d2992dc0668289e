//! Metrics of the cell and of the wired links: differences of the counters at the start and the end
//! of the measurement.

use std::iter::once;

use evenair_core::medium::{Airtime, Cell, CellPacket};
use evenair_core::packet::NodeId;
use evenair_core::queue::QueueStats;
use evenair_core::time::{Duration, Instant};

use crate::engine::sim_medium::SimMedium;
use crate::results::medium::{AirResult, MediumResult};
use crate::results::run::{LinkResult, Losses, MacResult, QueueResult, Use};
use crate::scenario::{Scenario, WiredLink, numbered};
use crate::wired::{WirePacket, Wired};

/// The counters at the start of the measurement. (The statistics of queues and links are reset
/// then.)
#[derive(Debug)]
pub(crate) struct CellMetrics<M: SimMedium> {
    usage: Vec<Use>,
    medium: M::Counters,
}

impl<M: SimMedium> Default for CellMetrics<M> {
    fn default() -> Self {
        Self { usage: Vec::new(), medium: M::Counters::default() }
    }
}

/// The results of a cell.
pub(crate) struct CellResults {
    /// The statistics of the queues of each node.
    pub(crate) nodes: Vec<QueueStats>,
    /// The same as results.
    pub(crate) queues: Vec<QueueResult>,
    pub(crate) stations: Vec<MacResult>,
    pub(crate) ap: MacResult,
    pub(crate) air: Option<AirResult>,
    pub(crate) medium: MediumResult,
}

impl CellResults {
    /// Packets lost in the cell and on the links.
    pub(crate) fn losses(&self, links: &[LinkResult]) -> Losses {
        let queues = self.queues.iter().chain(links.iter().map(|link| &link.queue));
        let macs = || self.stations.iter().chain([&self.ap]);
        let with_frames = self.medium.lost_with_frames;
        Losses {
            congestion: queues.map(|queue| queue.drops - queue.acks_filtered).sum(),
            retry_limit: macs().map(|mac| mac.frames_dropped).sum::<u64>() - with_frames,
            error: with_frames
                + macs().map(|mac| mac.packets_lost_to_errors).sum::<u64>()
                + links.iter().map(|link| link.packets_lost_to_errors).sum::<u64>(),
            policer: None,
        }
    }
}

impl<M: SimMedium> CellMetrics<M> {
    /// The measurement begins at `now`.
    pub(crate) fn begin<P: CellPacket>(&mut self, now: Instant, cell: &Cell<M, P>) {
        self.usage = usage(now, cell);
        self.medium = cell.medium().counters();
    }

    /// The results of the measurement from `begin` to `end`.
    pub(crate) fn results<P: CellPacket>(
        &self,
        (begin, end): (Instant, Instant),
        scenario: &Scenario,
        cell: &Cell<M, P>,
    ) -> CellResults {
        let duration_s = end.since(begin).as_secs_f64();
        let nodes = queue_stats(end, cell);
        let queue = |stats: &QueueStats| QueueResult::new(stats, duration_s);
        let queues: Vec<QueueResult> = nodes.iter().map(queue).collect();
        let after = usage(end, cell);
        let mut medium = cell.medium().results(&self.medium, end.since(begin));
        let mac = |(i, name): (usize, Option<String>)| {
            let id = if i == 0 { "ap".to_owned() } else { format!("sta-{i}") };
            let lost = cell.residual_losses(NodeId(i as u32));
            MacResult::new((id, name), (&self.usage[i], &after[i]), &queues[i], lost, duration_s)
        };
        let mut stations: Vec<MacResult> = (1..).zip(station_names(scenario)).map(mac).collect();
        for (station, delay) in stations.iter_mut().zip(&medium.grant_delays) {
            station.grant_delay_s = Some(*delay);
        }
        for (station, rates) in stations.iter_mut().zip(std::mem::take(&mut medium.data_rates)) {
            station.data_rates = rates;
        }
        let mut ap = mac((0, None));
        for (node, edca) in once(&mut ap).chain(&mut stations).zip(std::mem::take(&mut medium.edca))
        {
            node.edca = Some(edca);
        }
        // Of 802.16 the use of the frame says more.
        let air =
            medium.frame.is_none().then(|| self.air(&after, medium.in_exchanges, end.since(begin)));
        CellResults { nodes, queues, stations, ap, air, medium }
    }
}

impl<M: SimMedium> CellMetrics<M> {
    /// What the air has been used for from `begin` until `after`, a time of `measured`.
    fn air(
        &self,
        after: &[Use],
        in_exchanges: Option<[Duration; 2]>,
        measured: Duration,
    ) -> AirResult {
        let sum = |uses: &[Use]| {
            uses.iter().fold(Airtime::default(), |mut sum, each| {
                sum += each.own.airtime;
                sum
            })
        };
        let ap = NodeId::ACCESS_POINT.index();
        let used = after[ap].traffic - self.usage[ap].traffic;
        AirResult::new(sum(after) - sum(&self.usage), used, in_exchanges, measured)
    }
}

/// The results of each direction of each link.
pub(crate) fn link_results<P: WirePacket>(
    (begin, end): (Instant, Instant),
    scenario: &Scenario,
    wired: &Wired<P>,
) -> Vec<LinkResult> {
    let duration_s = end.since(begin).as_secs_f64();
    let specs = scenario.wired.links();
    // For each link first backward, then forward: the numbering of the topology.
    let ends = specs.iter().flat_map(|WiredLink { between: [a, b], .. }| [[b, a], [a, b]]);
    let result = |([from, to], link): ([&String; 2], &_)| {
        let link: &crate::wired::Link<P> = link;
        LinkResult {
            from: from.clone(),
            to: to.clone(),
            utilization: link.busy(end).as_secs_f64() / duration_s,
            packets_lost_to_errors: link.losses(end),
            queue: QueueResult::new(&link.queue_stats(end), duration_s),
        }
    };
    ends.zip(wired.links()).map(result).collect()
}

/// The names that the scenario gives to the stations.
pub(crate) fn station_names(scenario: &Scenario) -> impl Iterator<Item = Option<String>> {
    scenario.station.iter().flat_map(|group| {
        let name = |number| Some(numbered(group.name.as_deref()?, number, group.count));
        (1..=group.count).map(name)
    })
}

/// The statistics of the transmit queues of each node, those of several queues together.
fn queue_stats<M: SimMedium, P: CellPacket>(now: Instant, cell: &Cell<M, P>) -> Vec<QueueStats> {
    let mut nodes: Vec<Option<QueueStats>> = vec![None; cell.nodes()];
    for (queue, sender) in cell.queues().iter().zip(cell.senders()) {
        let stats = queue.stats(now);
        match &mut nodes[sender.index()] {
            Some(sum) => *sum += stats,
            none => *none = Some(stats),
        }
    }
    nodes.into_iter().map(Option::unwrap_or_default).collect()
}

/// The use of the air by each node until `now`.
fn usage<M: SimMedium, P: CellPacket>(now: Instant, cell: &Cell<M, P>) -> Vec<Use> {
    let nodes = (0..cell.nodes() as u32).map(NodeId);
    nodes
        .map(|node| Use { own: cell.usage(now, node), traffic: cell.traffic_airtime(now, node) })
        .collect()
}
