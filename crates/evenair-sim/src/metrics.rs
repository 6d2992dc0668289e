//! What a run has to tell: counts taken when measuring begins and when it ends.

use evenair_core::medium::AirUsage;
use evenair_core::packet::NodeId;
use evenair_core::queue::QueueStats;
use evenair_core::time::{Duration, Instant};

use crate::RESULT_VERSION;
use crate::cell_kind::CellKind;
use crate::flow::{Attachment, Endpoints, Flow};
use crate::network::Network;
use crate::result::{
    FlowResult, LinkResult, Losses, MacResult, QueueResult, RunResult, SessionResult, WiredResult,
    jain_index,
};
use crate::scenario::{Scenario, WiredLink};
use crate::transfers::Session;

/// What had been counted when measuring began. (The network's queues and links begin anew then.)
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    flows: Vec<FlowCounts>,
    usage: Vec<AirUsage>,
}

#[derive(Clone, Copy, Debug, Default)]
struct FlowCounts {
    delivered: u64,
    segments: u64,
    retransmissions: u64,
    timeouts: u64,
    fast_retransmits: u64,
    rtt_samples: u64,
    rtt_sum: Duration,
}

impl Metrics {
    /// The warm-up is over.
    pub(crate) fn begin(&mut self, flows: &[Flow], network: &Network<impl CellKind>) {
        self.flows = flows.iter().map(FlowCounts::of).collect();
        self.usage = usage(network);
    }

    /// What has happened since, up to `end`.
    pub(crate) fn result(
        self,
        scenario: &Scenario,
        end: Instant,
        flows: &[Flow],
        network: &Network<impl CellKind>,
    ) -> RunResult {
        let begin = Instant::ZERO + scenario.warmup.duration();
        let duration_s = end.since(begin).as_secs_f64();
        let sessions = sessions(flows, begin);
        let each = flows.iter().zip(&self.flows);
        let (flows, wired_flows): (Vec<_>, Vec<_>) = each
            .map(|(flow, start)| start.until(&FlowCounts::of(flow), flow, (begin, duration_s)))
            .partition(|flow| flow.station.is_some());
        let goodputs = || flows.iter().map(|flow| flow.goodput_bps);
        let cell = network.cell();
        let queue = |stats: &QueueStats| QueueResult::new(stats, duration_s);
        let queues: Vec<QueueResult> =
            cell.queues().iter().map(|each| queue(&each.stats(end))).collect();
        let after = usage(network);
        let mac = |i: usize| {
            let id = if i == 0 { "ap".to_owned() } else { format!("sta-{i}") };
            let lost = cell.residual_losses(NodeId(i as u32));
            MacResult::new(id, (&self.usage[i], &after[i]), &queues[i], lost, duration_s)
        };
        let stations: Vec<MacResult> = (1..after.len()).map(mac).collect();
        let ap = mac(0);
        let wired = scenario.wired.links();
        // Backward, then forward, as the topology numbers them.
        let ends = wired.iter().flat_map(|WiredLink { between: [a, b], .. }| [[b, a], [a, b]]);
        let links = ends.zip(network.wired().links()).map(|([from, to], link)| LinkResult {
            from: from.clone(),
            to: to.clone(),
            utilization: link.busy(end).as_secs_f64() / duration_s,
            packets_lost_to_errors: link.losses(end),
            queue: queue(&link.queue_stats(end)),
        });
        let links: Vec<LinkResult> = links.collect();
        let losses = Losses {
            congestion: queues
                .iter()
                .chain(links.iter().map(|link| &link.queue))
                .map(|queue| queue.drops - queue.acks_filtered)
                .sum(),
            retry_limit: stations.iter().chain([&ap]).map(|mac| mac.frames_dropped).sum(),
            error: stations.iter().chain([&ap]).map(|mac| mac.packets_lost_to_errors).sum::<u64>()
                + links.iter().map(|link| link.packets_lost_to_errors).sum::<u64>(),
        };
        RunResult {
            scenario: scenario.clone(),
            seed: 0,
            version: env!("CARGO_PKG_VERSION"),
            result_version: RESULT_VERSION,
            duration_s,
            aggregate_goodput_bps: goodputs().sum(),
            jain_index: jain_index(goodputs()),
            sessions,
            losses,
            ap_queue: queues[0].clone(),
            wired: WiredResult { links, flows: wired_flows },
            ap,
            stations,
            series: None,
            events: 0,
            fingerprint: String::new(),
            flows,
            wall_s: None,
        }
    }
}

/// What each node has transmitted.
fn usage(network: &Network<impl CellKind>) -> Vec<AirUsage> {
    let cell = network.cell();
    (0..cell.nodes() as u32).map(|node| cell.usage(NodeId(node))).collect()
}

/// The transfers of a flow that began after `begin`.
fn measured(flow: &Flow, begin: Instant) -> impl Iterator<Item = &Session> {
    let finished = flow.transfers.iter().flat_map(|transfers| transfers.finished());
    finished.filter(move |session| session.start >= begin)
}

/// Those of all flows, by their start.
fn sessions(flows: &[Flow], begin: Instant) -> Option<Vec<SessionResult>> {
    flows.iter().find(|flow| flow.transfers.is_some())?;
    let each = |flow: &'_ Flow| -> Vec<(Instant, SessionResult)> {
        let result = |session: &Session| SessionResult {
            flow: flow.id.clone(),
            start_s: session.start.since(begin).as_secs_f64(),
            end_s: session.end.since(begin).as_secs_f64(),
            bytes: session.bytes,
            first_byte_s: session.first_byte.since(begin).as_secs_f64(),
            last_byte_s: session.last_byte.since(begin).as_secs_f64(),
            retransmissions: session.retransmissions,
            timeouts: session.timeouts,
        };
        measured(flow, begin).map(|session| (session.start, result(session))).collect()
    };
    let mut all: Vec<(Instant, SessionResult)> = flows.iter().flat_map(each).collect();
    // A stable sort: at equal times in the order of the flows.
    all.sort_by_key(|(start, _)| *start);
    Some(all.into_iter().map(|(_, session)| session).collect())
}

impl FlowCounts {
    fn of(flow: &Flow) -> Self {
        let delivered = flow.delivered_bytes();
        match &flow.ends {
            Endpoints::Tcp { sender, .. } => {
                let counters = sender.counters();
                let (rtt_samples, rtt_sum) = sender.rtt().total();
                let past = flow.transfers.as_ref().map(|transfers| *transfers.past());
                let past = past.unwrap_or_default();
                Self {
                    delivered,
                    segments: past.counters.segments_sent + counters.segments_sent,
                    retransmissions: past.counters.retransmissions + counters.retransmissions,
                    timeouts: past.counters.timeouts + counters.timeouts,
                    fast_retransmits: past.counters.fast_retransmits + counters.fast_retransmits,
                    rtt_samples: past.rtt_samples + rtt_samples,
                    rtt_sum: past.rtt_sum + rtt_sum,
                }
            }
            Endpoints::Udp(udp) => Self { delivered, segments: udp.sent, ..Self::default() },
        }
    }

    /// What happened from these counts to `end`.
    fn until(&self, end: &Self, flow: &Flow, (begin, duration_s): (Instant, f64)) -> FlowResult {
        let rtt_samples = end.rtt_samples - self.rtt_samples;
        let rtt_sum = end.rtt_sum - self.rtt_sum;
        let (station, direction, from, to) = match &flow.place {
            Attachment::Station { station, up, .. } => {
                let direction = if *up { "up" } else { "down" };
                (Some(format!("sta-{station}")), Some(direction), None, None)
            }
            Attachment::Wired { from, to } => (None, None, Some(from.clone()), Some(to.clone())),
        };
        FlowResult {
            id: flow.id.clone(),
            station,
            direction,
            from,
            to,
            transport: flow.transport,
            goodput_bps: (end.delivered - self.delivered) as f64 * 8.0 / duration_s,
            segments_sent: end.segments - self.segments,
            retransmissions: end.retransmissions - self.retransmissions,
            timeouts: end.timeouts - self.timeouts,
            fast_retransmits: end.fast_retransmits - self.fast_retransmits,
            sessions: flow.transfers.is_some().then(|| measured(flow, begin).count() as u64),
            mean_rtt_s: (rtt_samples > 0).then(|| rtt_sum.as_secs_f64() / rtt_samples as f64),
        }
    }
}
