//! What a run has to tell: counts taken when measuring begins and when it ends.

use evenair_core::time::{Span, Time};
use evenair_core::wlan::{AP, Counters};

use crate::RESULT_VERSION;
use crate::flow::{Ends, Flow, Place};
use crate::interface::Interface;
use crate::network::Network;
use crate::result::{
    FlowResult, LinkResult, Losses, MacResult, QueueResult, RunResult, SessionResult, WiredResult,
    jain_index,
};
use crate::scenario::{Scenario, WiredLink};
use crate::transfers::Session;

/// What had been counted when measuring began. (The network's queues and links begin anew then.)
#[derive(Debug, Default)]
pub(crate) struct Measuring {
    flows: Vec<FlowCounts>,
    macs: Vec<Counters>,
}

#[derive(Clone, Copy, Debug, Default)]
struct FlowCounts {
    delivered: u64,
    segments: u64,
    retransmissions: u64,
    timeouts: u64,
    fast_retransmits: u64,
    rtt_samples: u64,
    rtt_sum: Span,
}

impl Measuring {
    /// The warm-up is over.
    pub(crate) fn begin(&mut self, flows: &[Flow], network: &Network) {
        self.flows = flows.iter().map(FlowCounts::of).collect();
        self.macs = network.macs();
    }

    /// What has happened since, up to `end`.
    pub(crate) fn result(
        self,
        scenario: &Scenario,
        end: Time,
        flows: &[Flow],
        network: &Network,
    ) -> RunResult {
        let begin = Time::ZERO + scenario.warmup.span();
        let duration_s = end.since(begin).as_secs_f64();
        let sessions = sessions(flows, begin);
        let each = flows.iter().zip(&self.flows);
        let (flows, wired_flows): (Vec<_>, Vec<_>) = each
            .map(|(flow, start)| start.until(&FlowCounts::of(flow), flow, (begin, duration_s)))
            .partition(|flow| flow.station.is_some());
        let goodputs = || flows.iter().map(|flow| flow.goodput_bps);
        let macs = network.macs();
        let queue = |interface: &Interface| QueueResult::new(&interface.stats(end), duration_s);
        let queues: Vec<QueueResult> = network.interfaces().iter().map(queue).collect();
        let mac = |i: usize| {
            let id = if i == AP as usize { "ap".to_owned() } else { format!("sta-{i}") };
            let lost = network.error_losses()[i];
            MacResult::new(id, (&self.macs[i], &macs[i]), &queues[i], lost, duration_s)
        };
        let stations: Vec<MacResult> = (1..macs.len()).map(mac).collect();
        let ap = mac(AP as usize);
        let wired = scenario.wired.links();
        // Backward, then forward, as the topology numbers them.
        let ends = wired.iter().flat_map(|WiredLink { between: [a, b], .. }| [[b, a], [a, b]]);
        let links = ends.zip(network.links()).map(|([from, to], link)| LinkResult {
            from: from.clone(),
            to: to.clone(),
            utilization: link.busy(end).as_secs_f64() / duration_s,
            packets_lost_to_errors: link.error_losses(),
            queue: queue(link.interface()),
        });
        let links: Vec<LinkResult> = links.collect();
        let losses = Losses {
            congestion: queues
                .iter()
                .chain(links.iter().map(|link| &link.queue))
                .map(|queue| queue.drops - queue.acks_filtered)
                .sum(),
            retry_limit: stations.iter().chain([&ap]).map(|mac| mac.frames_dropped).sum(),
            error: network.error_losses().iter().sum::<u64>()
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
            ap_queue: queues[AP as usize].clone(),
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

/// The transfers of a flow that began after `begin`.
fn measured(flow: &Flow, begin: Time) -> impl Iterator<Item = &Session> {
    let finished = flow.transfers.iter().flat_map(|transfers| transfers.finished());
    finished.filter(move |session| session.start >= begin)
}

/// Those of all flows, by their start.
fn sessions(flows: &[Flow], begin: Time) -> Option<Vec<SessionResult>> {
    flows.iter().find(|flow| flow.transfers.is_some())?;
    let each = |flow: &'_ Flow| -> Vec<(Time, SessionResult)> {
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
    let mut all: Vec<(Time, SessionResult)> = flows.iter().flat_map(each).collect();
    // A stable sort: at equal times in the order of the flows.
    all.sort_by_key(|(start, _)| *start);
    Some(all.into_iter().map(|(_, session)| session).collect())
}

impl FlowCounts {
    fn of(flow: &Flow) -> Self {
        let delivered = flow.delivered_bytes();
        match &flow.ends {
            Ends::Tcp { sender, .. } => {
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
            Ends::Udp(udp) => Self { delivered, segments: udp.sent, ..Self::default() },
        }
    }

    /// What happened from these counts to `end`.
    fn until(&self, end: &Self, flow: &Flow, (begin, duration_s): (Time, f64)) -> FlowResult {
        let rtt_samples = end.rtt_samples - self.rtt_samples;
        let rtt_sum = end.rtt_sum - self.rtt_sum;
        let (station, direction, from, to) = match &flow.place {
            Place::Station { station, up, .. } => {
                let direction = if *up { "up" } else { "down" };
                (Some(format!("sta-{station}")), Some(direction), None, None)
            }
            Place::Wired { from, to } => (None, None, Some(from.clone()), Some(to.clone())),
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
