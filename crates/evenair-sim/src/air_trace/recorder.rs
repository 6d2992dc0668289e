//! Records an air trace from a run that goes on step by step.

use evenair_core::medium::{Cell, PacketId, QueueLayout};
use evenair_core::packet::{FlowId, NodeId, Packet};
use evenair_core::queue::{Dropped, TxQueue};
use evenair_core::time::{Duration, Instant};

use super::types::{
    AccessPart, AccessSlots, AirTrace, AirTraceRequest, Contender, GivenUp, MAX_LISTED, PartKind,
    TracedAccess, TracedAttempt, TracedDrop, TracedFlow, TracedFrame, TracedNode, TracedPacket,
    TracedQueue, TracedSender, WiredPackets,
};
use crate::engine::flow::{Attachment, Flow};
use crate::engine::metrics::cell::station_names;
use crate::engine::network::Network;
use crate::engine::run_error::RunError;
use crate::engine::sim_medium::SimMedium;
use crate::engine::simulation::Simulation;
use crate::scenario::Scenario;

/// What is due before this much later is due at the same time.
const MOMENT: Duration = Duration::from_nanos(1);

/// A medium whose accesses can be recorded.
pub(super) trait Recordable: SimMedium {
    /// The name of its kind of cell.
    const NAME: &'static str;

    /// What is to be known of it before an access.
    type Before;

    /// The present state; `None` while an access goes on.
    fn before(cell: &Cell<Self>) -> Option<Self::Before>;

    /// When the next access begins, if no further packet arrives; [`Instant::NEVER`] if none does.
    fn next_access(before: &Self::Before) -> Instant;

    /// The access at `at` that has just begun after `before`; `None` if none has.
    fn access(cell: &Cell<Self>, before: &Self::Before, at: Instant) -> Option<Air>;

    /// The packets that the MAC of the access point has taken from its queues and not sent as a whole.
    fn ap_sends(cell: &Cell<Self>) -> Vec<PacketId>;

    /// Packets that `node` has given up since the start.
    fn given_up(cell: &Cell<Self>, node: NodeId) -> u64;
}

/// What is on the air in an access. The members are those of [`TracedAccess`].
#[derive(Debug)]
pub(super) struct Air {
    pub(super) idle_since: Instant,
    pub(super) at: Instant,
    pub(super) end: Instant,
    pub(super) parts: Vec<AccessPart>,
    pub(super) slots: AccessSlots,
    pub(super) contenders: Vec<Contender>,
    pub(super) attempts: Vec<TracedAttempt>,
    pub(super) frames: Vec<TracedFrame>,
}

/// Takes `simulation`, which has not begun, to the beginning of the air trace, and records it.
pub(super) fn record<M: Recordable>(
    mut simulation: Simulation<'_, M>,
    scenario: &Scenario,
    seed: u64,
    request: AirTraceRequest,
) -> Result<AirTrace, RunError> {
    let warmup = scenario.warmup.duration();
    let from = Instant::ZERO + warmup + Duration::from_secs_f64(request.from_s);
    let mut is_over = !simulation.advance_to(from)?;
    let (network, flows) = simulation.parts();
    let mut trace = AirTrace {
        seed,
        warmup_ns: warmup.as_nanos(),
        medium: M::NAME,
        nodes: nodes(scenario),
        flows: flows.iter().map(describe).collect(),
        accesses: Vec::new(),
        ended: false,
    };
    network.take_drops(); // those before the air trace
    let mut drops = Drops::default();
    let mut senders = Vec::new();
    // By node, before the last access; empty once that is over.
    let mut given_up = Vec::new();
    loop {
        let next = simulation.next_event();
        let (network, _) = simulation.parts();
        let cell = network.cell();
        let shaper = cell.shaper_ready_at();
        let idle = M::before(cell);
        if idle.is_some()
            && let Some(last) = trace.accesses.last_mut()
        {
            if !given_up.is_empty() {
                last.given_up = differences(&given_up, &all_given_up(cell));
                given_up.clear();
            }
            if trace.accesses.len() == request.accesses as usize {
                break;
            }
        }
        if is_over {
            break;
        }
        let Some(idle) = idle else {
            let due = next.min(shaper).min(cell.medium().poll_at());
            is_over = simulation.step(due + MOMENT)?;
            drops.add(simulation.parts().0.take_drops());
            continue;
        };
        let wake = M::next_access(&idle).min(shaper);
        let at = wake.min(next);
        // What happens outside of the cell comes first, and a step does no more.
        let before = (wake < next).then(|| {
            let (network, flows) = simulation.parts_at(wake);
            State::new(network, flows)
        });
        // The step does one of the things that are due at this time, and nothing later.
        is_over = simulation.step(at.saturating_add(MOMENT))?;
        let (network, _) = simulation.parts();
        drops.add(network.take_drops());
        if let Some(before) = before
            && let Some(air) = M::access(network.cell(), &idle, at)
        {
            let changed =
                |(index, sender): &(usize, &TracedSender)| senders.get(*index) != Some(*sender);
            let changed: Vec<_> =
                before.senders.iter().enumerate().filter(changed).map(|(_, &s)| s).collect();
            senders.clone_from(&before.senders);
            given_up.clone_from(&before.given_up);
            trace.accesses.push(entry(air, before, std::mem::take(&mut drops), changed));
        }
    }
    trace.ended = trace.accesses.len() < request.accesses as usize;
    Ok(trace)
}

/// What the queues of the access point have dropped.
#[derive(Default)]
struct Drops {
    first: Vec<TracedDrop>,
    count: u64,
}

impl Drops {
    fn add(&mut self, dropped: Vec<Dropped<Packet>>) {
        self.count += dropped.len() as u64;
        let room = MAX_LISTED - self.first.len();
        self.first.extend(dropped.iter().take(room).map(|dropped| TracedDrop {
            packet: describe_packet(&dropped.packet),
            reason: dropped.reason,
        }));
    }
}

/// The state of the world when nothing is on the air.
struct State {
    ap_sends: Vec<TracedPacket>,
    ap_queues: Vec<TracedQueue>,
    senders: Vec<TracedSender>,
    wired: WiredPackets,
    /// By node: packets that its MAC has given up.
    given_up: Vec<u64>,
}

impl State {
    fn new<M: Recordable>(network: &Network<M>, flows: &[Flow]) -> Self {
        let cell = network.cell();
        let [to_access_point, to_hosts] = network.under_way();
        let ap_sends = M::ap_sends(cell).into_iter().take(MAX_LISTED);
        Self {
            ap_sends: ap_sends.map(|packet| describe_packet(cell.packet(packet))).collect(),
            ap_queues: ap_queues(cell),
            senders: (0..).zip(flows).filter_map(|(index, flow)| sender(index, flow)).collect(),
            wired: WiredPackets { to_access_point, to_hosts },
            given_up: all_given_up(cell),
        }
    }
}

/// By node: packets that its MAC has given up since the start.
fn all_given_up<M: Recordable>(cell: &Cell<M>) -> Vec<u64> {
    (0..cell.nodes() as u32).map(|node| M::given_up(cell, NodeId(node))).collect()
}

/// The nodes that have given up packets between two states.
fn differences(before: &[u64], after: &[u64]) -> Vec<GivenUp> {
    let each = (0..).zip(before.iter().zip(after));
    each.filter(|(_, (before, after))| before < after)
        .map(|(node, (before, after))| GivenUp { node, packets: after - before })
        .collect()
}

fn nodes(scenario: &Scenario) -> Vec<TracedNode> {
    let station = |(i, name)| TracedNode { id: format!("sta-{i}"), name };
    let ap = TracedNode { id: "ap".to_owned(), name: None };
    std::iter::once(ap).chain((1_u32..).zip(station_names(scenario)).map(station)).collect()
}

fn describe(flow: &Flow) -> TracedFlow {
    let (station, direction) = match flow.place {
        Attachment::Station { station, up, .. } => {
            (Some(station), Some(if up { "up" } else { "down" }))
        }
        Attachment::Wired { .. } => (None, None),
    };
    TracedFlow {
        id: flow.id.clone(),
        name: flow.name.clone(),
        station,
        direction,
        transport: flow.transport_name,
        segment: flow.segment,
    }
}

pub(super) fn describe_packet(packet: &Packet) -> TracedPacket {
    let &Packet { flow, kind, seq, size, retransmission, .. } = packet;
    let flow = (flow != FlowId::NONE).then_some(flow.0);
    TracedPacket { flow, kind, seq, bytes: size, retransmission }
}

/// The queues of the access point, of which each lists an equal part of [`MAX_LISTED`] at most.
fn ap_queues<M: Recordable>(cell: &Cell<M>) -> Vec<TracedQueue> {
    let own = |at: &usize| cell.senders()[*at].is_access_point();
    let queues: Vec<usize> = (0..cell.queues().len()).filter(own).collect();
    let waiting = |at: &usize| cell.queues()[*at].backlog().packets();
    let describe = |station, queue: &TxQueue<Packet>, most: usize| TracedQueue {
        station,
        waiting: queue.backlog().packets(),
        packets: queue.packets().into_iter().take(most).map(describe_packet).collect(),
    };
    if let [only] = queues[..]
        && cell.medium().layout() == QueueLayout::PerNode
    {
        return vec![describe(None, &cell.queues()[only], MAX_LISTED)];
    }
    let busy = queues.iter().filter(|at| waiting(at) > 0).count().max(1);
    let each = (1..).zip(&queues).filter(|(_, at)| waiting(at) > 0);
    each.map(|(station, &at)| describe(Some(station), &cell.queues()[at], MAX_LISTED / busy))
        .collect()
}

fn sender(index: u32, flow: &Flow) -> Option<TracedSender> {
    let state = flow.ends.windows()?;
    Some(TracedSender {
        flow: index,
        cwnd: state.cwnd,
        ssthresh: state.ssthresh.is_finite().then_some(state.ssthresh),
        in_flight: state.in_flight,
        receive_window: state.receive_window,
        limited_by: flow.ends.limit(),
    })
}

fn entry(air: Air, before: State, drops: Drops, senders: Vec<TracedSender>) -> TracedAccess {
    let Air { idle_since, at, end, parts, slots, contenders, attempts, frames } = air;
    let State { ap_sends, ap_queues, wired, .. } = before;
    TracedAccess {
        idle_since_ns: idle_since.as_nanos(),
        at_ns: at.as_nanos(),
        end_ns: end.as_nanos(),
        parts,
        slots,
        contenders,
        attempts,
        frames,
        given_up: Vec::new(), // not known before its end
        ap_sends,
        ap_queues,
        drops: drops.first,
        dropped: drops.count,
        senders,
        wired,
    }
}

/// Parts from `start` on, by their ends.
pub(super) fn parts(
    start: Instant,
    ends: impl IntoIterator<Item = (PartKind, Instant)>,
) -> Vec<AccessPart> {
    let mut start_ns = start.as_nanos();
    let mut part = |(kind, end): (PartKind, Instant)| {
        let end_ns = end.as_nanos();
        AccessPart { kind, start_ns: std::mem::replace(&mut start_ns, end_ns), end_ns }
    };
    let each = ends.into_iter().map(&mut part);
    each.filter(|part| part.start_ns < part.end_ns).collect()
}
