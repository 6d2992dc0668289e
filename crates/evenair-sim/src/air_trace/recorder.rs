//! Records an air trace from a run that goes on step by step.

use evenair_core::medium::wimax::Wimax;
use evenair_core::medium::wlan::{Dcf, Edca};
use evenair_core::medium::{AirEvent, Cell, Outcome, PacketId, QueueLayout};
use evenair_core::packet::{NodeId, Packet};
use evenair_core::queue::Dropped;
use evenair_core::time::{Duration, Instant};

use super::access::{Air, continue_access, describe_packet};
use super::types::{
    AirTrace, AirTraceRequest, GivenUp, MAX_LISTED, TracedAccess, TracedDrop, TracedFlow,
    TracedNode, TracedPacket, TracedQueue, TracedSender, WiredPackets,
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

/// A medium whose state before an access is described.
pub(super) trait Recordable: SimMedium {
    /// The packets that the MAC of the access point has taken from its queues and not sent as a whole.
    fn ap_sends(&self) -> Vec<PacketId>;
}

impl Recordable for Dcf {
    fn ap_sends(&self) -> Vec<PacketId> {
        self.packet_of(NodeId::ACCESS_POINT).into_iter().collect()
    }
}

impl Recordable for Edca {
    fn ap_sends(&self) -> Vec<PacketId> {
        self.packets_of(NodeId::ACCESS_POINT).collect()
    }
}

impl Recordable for Wimax {
    fn ap_sends(&self) -> Vec<PacketId> {
        self.incomplete().collect()
    }
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
        medium: scenario.cell.kind().name(),
        nodes: nodes(scenario),
        flows: flows.iter().map(describe).collect(),
        accesses: Vec::new(),
        ended: false,
    };
    network.take_drops(); // those before the air trace
    network.record_air();
    let mut drops = Drops::default();
    let mut senders = Vec::new();
    while !is_over {
        let next = simulation.next_event();
        let (network, _) = simulation.parts();
        let due = network.cell().poll_at();
        let at = due.min(next);
        let is_complete = trace.accesses.len() == request.accesses as usize;
        if is_complete && trace.accesses.last().is_some_and(|last| last.end_ns < at.as_nanos()) {
            break;
        }
        // What happens outside of the cell comes first, and a step does no more.
        let before = (due < next).then(|| {
            let (network, flows) = simulation.parts_at(due);
            State::new(network, flows)
        });
        // The step does one of the things that are due at this time, and nothing later.
        is_over = simulation.step(at.saturating_add(MOMENT))?;
        let (network, _) = simulation.parts();
        drops.add(network.take_drops());
        let events = network.take_air();
        if let Some(before) = before
            && let Some(air) = Air::new(network.cell(), &events)
        {
            if is_complete {
                break;
            }
            let changed =
                |(index, sender): &(usize, &TracedSender)| senders.get(*index) != Some(*sender);
            let changed: Vec<_> =
                before.senders.iter().enumerate().filter(changed).map(|(_, &s)| s).collect();
            senders.clone_from(&before.senders);
            trace.accesses.push(entry(air, before, std::mem::take(&mut drops), changed));
        } else if let Some(last) = trace.accesses.last_mut() {
            continue_access(last, network.cell(), &events);
        }
        if let Some(last) = trace.accesses.last_mut() {
            events.iter().for_each(|event| note_given_up(&mut last.given_up, event));
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
}

impl State {
    fn new<M: Recordable>(network: &Network<M>, flows: &[Flow]) -> Self {
        let cell = network.cell();
        let [to_access_point, to_hosts] = network.under_way();
        let ap_sends = cell.medium().ap_sends().into_iter().take(MAX_LISTED);
        Self {
            ap_sends: ap_sends.map(|packet| describe_packet(cell.packet(packet))).collect(),
            ap_queues: ap_queues(cell),
            senders: (0..).zip(flows).filter_map(|(index, flow)| sender(index, flow)).collect(),
            wired: WiredPackets { to_access_point, to_hosts },
        }
    }
}

/// Counts a packet that is given up, by node. Beacons are no packets.
fn note_given_up(nodes: &mut Vec<GivenUp>, event: &AirEvent) {
    let AirEvent::Outcome(attempt) = event else { return };
    if attempt.outcome != Outcome::GivenUp || attempt.station == NodeId::BROADCAST {
        return;
    }
    let node = attempt.from.0;
    match nodes.binary_search_by_key(&node, |given| given.node) {
        Ok(place) => nodes[place].packets += 1,
        Err(place) => nodes.insert(place, GivenUp { node, packets: 1 }),
    }
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

/// The queues of the access point, of which each lists an equal part of [`MAX_LISTED`] at most.
fn ap_queues<M: Recordable>(cell: &Cell<M>) -> Vec<TracedQueue> {
    let own = |at: &usize| cell.senders()[*at].is_access_point();
    let queues: Vec<usize> = (0..cell.queues().len()).filter(own).collect();
    let waiting = |at: &usize| cell.queues()[*at].backlog().packets();
    let describe = |at: usize, most: usize| {
        let (queue, (station, category)) = (&cell.queues()[at], cell.queue_use(at));
        TracedQueue {
            station: station.map(|station| station.0),
            category,
            waiting: queue.backlog().packets(),
            packets: queue.packets().into_iter().take(most).map(describe_packet).collect(),
        }
    };
    if let [only] = queues[..]
        && cell.setup().layout == QueueLayout::PerNode
    {
        return vec![describe(only, MAX_LISTED)];
    }
    let busy = queues.iter().filter(|at| waiting(at) > 0).count().max(1);
    queues
        .into_iter()
        .filter(|at| waiting(at) > 0)
        .map(|at| describe(at, MAX_LISTED / busy))
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
    let Air { idle_since_ns, at_ns, end_ns, parts, slots, contenders, attempts, frames } = air;
    let State { ap_sends, ap_queues, wired, .. } = before;
    TracedAccess {
        idle_since_ns,
        at_ns,
        end_ns,
        parts,
        slots,
        contenders,
        attempts,
        frames,
        given_up: Vec::new(), // not known yet
        ap_sends,
        ap_queues,
        drops: drops.first,
        dropped: drops.count,
        senders,
        wired,
    }
}
