//! Records a film from a run that goes on step by step.

use evenair_core::medium::wlan::{
    Access, AirFrame, Counter, Dcf, FrameFate, FrameType, IdlePeriod, Transmitter,
};
use evenair_core::medium::{Cell, Medium};
use evenair_core::packet::{FlowId, NodeId, Packet};
use evenair_core::queue::{Dropped, TxQueue};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::AnyTransport;

use super::{
    Contender, Film, FilmAccess, FilmAttempt, FilmDrop, FilmFlow, FilmFrame, FilmNode, FilmPacket,
    FilmQueue, FilmRequest, FilmSender, FilmWired, MAX_LISTED, Parts,
};
use crate::RunError;
use crate::cell_metrics::station_names;
use crate::flow::{Attachment, Flow};
use crate::network::Network;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// What is due before this much later is due at the same time.
const MOMENT: Duration = Duration::from_nanos(1);

/// Takes `simulation`, which has not begun, to the beginning of the film, and records it.
pub(super) fn record(
    mut simulation: Simulation<'_, Dcf>,
    scenario: &Scenario,
    seed: u64,
    request: FilmRequest,
) -> Result<Film, RunError> {
    let warmup = scenario.warmup.duration();
    let from = Instant::ZERO + warmup + Duration::from_secs_f64(request.from_s);
    let mut is_over = !simulation.advance_to(from)?;
    let (network, flows) = simulation.parts();
    let phy = &network.cell().medium().config().phy;
    let mut film = Film {
        seed,
        warmup_ns: warmup.as_nanos(),
        slot_ns: phy.slot.as_nanos(),
        sifs_ns: phy.sifs.as_nanos(),
        difs_ns: phy.difs().as_nanos(),
        nodes: nodes(scenario),
        flows: flows.iter().map(describe).collect(),
        accesses: Vec::new(),
        ended: false,
    };
    network.take_drops(); // those before the film
    let mut senders = Vec::new();
    let mut given_up = Vec::new();
    loop {
        let next = simulation.next_event();
        let (network, flows) = simulation.parts();
        let cell = network.cell();
        let next = next.min(cell.shaper_ready_at());
        let idle = cell.medium().idle_period();
        if idle.is_some()
            && let Some(last) = film.accesses.last_mut()
        {
            for (attempt, before) in last.attempts.iter_mut().zip(&given_up) {
                attempt.given_up = dropped(cell, NodeId(attempt.node)) > *before;
            }
            if film.accesses.len() == request.accesses as usize {
                break;
            }
        }
        if is_over {
            break;
        }
        let Some(idle) = idle else {
            let due = next.min(cell.medium().poll_at());
            is_over = simulation.step(due + MOMENT)?;
            continue;
        };
        let before = State::new(network, flows);
        // The step does one of the things that are due at this time, and nothing later.
        let at = idle.next_access.map_or(next, |(_, access)| access.min(next));
        is_over = simulation.step(at.saturating_add(MOMENT))?;
        let (network, _) = simulation.parts();
        if let Some(access) = network.cell().medium().access(&idle, at) {
            let nodes = access.transmitters.iter().map(|transmitter| transmitter.node);
            given_up = nodes.map(|node| before.given_up[node.index()]).collect();
            let drops = network.take_drops();
            let State { senders: present, .. } = &before;
            let changed = present.iter().filter(|sender| !senders.contains(*sender));
            let changed = changed.copied().collect();
            senders.clone_from(present);
            film.accesses.push(FilmAccess {
                senders: changed,
                ..entry(network.cell(), at, &idle, &access, before, &drops)
            });
        }
    }
    film.ended = film.accesses.len() < request.accesses as usize;
    Ok(film)
}

/// The state of the world when nothing is on the air.
struct State {
    ap_sends: Option<FilmPacket>,
    ap_queues: Vec<FilmQueue>,
    senders: Vec<FilmSender>,
    wired: FilmWired,
    /// By node: packets that its MAC has given up.
    given_up: Vec<u64>,
}

impl State {
    fn new(network: &Network<Dcf>, flows: &[Flow]) -> Self {
        let cell = network.cell();
        let ap_sends = cell.medium().packet_of(NodeId::ACCESS_POINT);
        let [to_access_point, to_hosts] = network.wired().under_way();
        Self {
            ap_sends: ap_sends.map(|packet| describe_packet(cell.packet(packet))),
            ap_queues: ap_queues(cell),
            senders: (0..).zip(flows).filter_map(|(index, flow)| sender(index, flow)).collect(),
            wired: FilmWired { to_access_point, to_hosts },
            given_up: (0..cell.nodes() as u32).map(|node| dropped(cell, NodeId(node))).collect(),
        }
    }
}

/// Packets that the MAC of `node` has given up since the start.
fn dropped(cell: &Cell<Dcf>, node: NodeId) -> u64 {
    cell.medium().dropped(node)
}

fn nodes(scenario: &Scenario) -> Vec<FilmNode> {
    let station = |(i, name)| FilmNode { id: format!("sta-{i}"), name };
    let ap = FilmNode { id: "ap".to_owned(), name: None };
    std::iter::once(ap).chain((1_u32..).zip(station_names(scenario)).map(station)).collect()
}

fn describe(flow: &Flow) -> FilmFlow {
    let (station, direction) = match flow.place {
        Attachment::Station { station, up, .. } => {
            (Some(station), Some(if up { "up" } else { "down" }))
        }
        Attachment::Wired { .. } => (None, None),
    };
    FilmFlow {
        id: flow.id.clone(),
        name: flow.name.clone(),
        station,
        direction,
        transport: flow.transport_name,
        segment: flow.segment,
    }
}

fn describe_packet(packet: &Packet) -> FilmPacket {
    let &Packet { flow, kind, seq, size, retransmission, .. } = packet;
    let flow = (flow != FlowId::NONE).then_some(flow.0);
    FilmPacket { flow, kind, seq, bytes: size, retransmission }
}

fn ap_queues(cell: &Cell<Dcf>) -> Vec<FilmQueue> {
    let describe = |station, queue: &TxQueue<Packet>| FilmQueue {
        station,
        waiting: queue.backlog().packets(),
        packets: queue.packets().into_iter().take(MAX_LISTED).map(describe_packet).collect(),
    };
    // The queues of a scheduler follow those of the nodes, and that of the access point stays empty.
    match cell.queues().split_at(cell.nodes()) {
        ([ap, ..], []) => vec![describe(None, ap)],
        (_, stations) => {
            (1..).zip(stations).map(|(station, queue)| describe(Some(station), queue)).collect()
        }
    }
}

fn sender(index: u32, flow: &Flow) -> Option<FilmSender> {
    let AnyTransport::Tcp(connection) = &flow.transport else { return None };
    let state = connection.snapshot();
    Some(FilmSender {
        flow: index,
        cwnd: state.cwnd,
        ssthresh: state.ssthresh.is_finite().then_some(state.ssthresh),
        in_flight: state.in_flight,
        receive_window: state.receive_window,
        limited_by: state.limit,
    })
}

/// The access at `at`, without senders.
fn entry(
    cell: &Cell<Dcf>,
    at: Instant,
    idle: &IdlePeriod,
    access: &Access,
    before: State,
    drops: &[Dropped<Packet>],
) -> FilmAccess {
    let phy = &cell.medium().config().phy;
    let contenders: Vec<_> =
        idle.counters.iter().map(|counter| contender(counter, access)).collect();
    let boundary = at.since(idle.grid).div_ceil(phy.slot);
    let counted = contenders.iter().filter(|contender| contender.transmits);
    let slots = counted.map(|contender| boundary - contender.from).max().unwrap_or(0);
    let backoff = phy.slot * slots;
    let end = access.frames.iter().map(|frame| frame.end).max().unwrap_or(at);
    let ack = access.frames.iter().find(|frame| frame.kind == FrameType::Ack);
    let (sifs, ack) = match ack {
        Some(ack) => (phy.sifs, ack.end.since(ack.start)),
        None => (Duration::ZERO, Duration::ZERO),
    };
    FilmAccess {
        idle_since_ns: idle.grid.as_nanos() - phy.difs().as_nanos(),
        at_ns: at.as_nanos(),
        end_ns: end.as_nanos(),
        parts: Parts {
            difs: phy.difs().as_nanos(),
            backoff: backoff.as_nanos(),
            other: at.since(idle.grid).saturating_sub(backoff).as_nanos(),
            frames: (end.since(at) - sifs - ack).as_nanos(),
            sifs: sifs.as_nanos(),
            ack: ack.as_nanos(),
        },
        contenders,
        attempts: access.transmitters.iter().map(|sent| attempt(cell, sent, access)).collect(),
        frames: access.frames.iter().map(frame).collect(),
        ap_sends: before.ap_sends,
        ap_queues: before.ap_queues,
        drops: drops.iter().map(describe_drop).collect(),
        senders: Vec::new(),
        wired: before.wired,
    }
}

fn contender(counter: &Counter, access: &Access) -> Contender {
    let after = access.counters.iter().find(|after| after.node == counter.node);
    Contender {
        node: counter.node.0,
        from: counter.from,
        before: counter.slots,
        after: after.map_or(0, |after| after.slots),
        has_frame: counter.has_frame,
        immediate: counter.immediate,
        transmits: access.transmitters.iter().any(|sent| sent.node == counter.node),
    }
}

fn attempt(cell: &Cell<Dcf>, sent: &Transmitter, access: &Access) -> FilmAttempt {
    let packet = sent.packet.expect("who transmits has a packet");
    let is_alone = access.transmitters.len() == 1;
    FilmAttempt {
        node: sent.node.0,
        to: receiver(sent.to),
        packet: describe_packet(cell.packet(packet)),
        cw: sent.cw,
        backoff: sent.backoff,
        repeats: sent.repeats,
        delivered: is_alone && access.frames.iter().all(|frame| frame.fate == FrameFate::Received),
        given_up: false, // not known before its end
    }
}

fn frame(frame: &AirFrame) -> FilmFrame {
    FilmFrame {
        kind: frame.kind,
        from: frame.from.0,
        to: receiver(frame.to),
        start_ns: frame.start.as_nanos(),
        end_ns: frame.end.as_nanos(),
        rate_bps: frame.rate.as_bps(),
        bytes: frame.bytes,
        retries: frame.retries,
        fate: frame.fate,
    }
}

fn describe_drop(dropped: &Dropped<Packet>) -> FilmDrop {
    FilmDrop { packet: describe_packet(&dropped.packet), reason: dropped.reason }
}

fn receiver(node: NodeId) -> Option<u32> {
    (node != NodeId::BROADCAST).then_some(node.0)
}
