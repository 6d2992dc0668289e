//! From a scenario to a simulation.

use evenair_core::congestion::EcnFeedback;
use evenair_core::loss::{self, LinkLoss};
use evenair_core::medium::scheduler::USUAL_WEIGHT;
use evenair_core::medium::{
    Cell, CellPacket, HardwareConfig, Medium, Occupancy, QueueLayout, Setup, TxQueueId,
};
use evenair_core::packet::{AccessCategory, End, FlowId, NodeId};
use evenair_core::queue::{self, FqTins, Queue, QueueItem, TxQueue};
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::tcp::{ConnectionConfig, SynTimer};
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::session::Opening;
use evenair_core::traffic::{Application, Datagrams, Reception, Session, Stream, TraceDirection};
use evenair_core::transport::{Answers, AnyEnds, Counters, FlowSpec, PacketHeader};

use crate::capture::connections::FlowMeta;
use crate::engine::control::beacons::Beacons;
use crate::engine::control::limiter::UplinkLimiter;
use crate::engine::datagram_feed::DatagramFeed;
use crate::engine::flow::{Attachment, Flow, Member, Told};
use crate::engine::host_queues::HostQueues;
use crate::engine::network::{Network, Origin, Route};
use crate::engine::option_ring::OptionRing;
use crate::engine::sessions::Running;
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;
use crate::scenario::{
    self, ACCESS_POINT, Direction, SERVER, Scenario, Topology, WlanCell, numbered,
};
use crate::wired::{Hop, Link, LinkQueue, WirePacket, Wired};

/// The loss model of each station's link, by node.
fn losses(scenario: &Scenario, seed: u64) -> Vec<Option<LinkLoss>> {
    let groups = scenario.station.iter();
    let each = groups.flat_map(|group| (0..group.count).map(|_| group.error.as_ref()));
    let of = |(station, error): (u32, Option<&loss::Config>)| {
        error.map(|config| LinkLoss::new(config, seed, StreamId::FrameErrors, station))
    };
    // The access point is no station, and has no link with itself.
    std::iter::once(None).chain((1..).zip(each).map(of)).collect()
}

/// The transmit queues of the access point and of each station.
fn queues<P: QueueItem>(scenario: &Scenario, setup: &Setup, seed: u64) -> Vec<TxQueue<P>> {
    let specs = queues_by_node(scenario);
    let ids = (0..setup.layout.count(&setup.associations)).map(TxQueueId);
    let queues = ids.map(|id| {
        let sender = setup.layout.sender(&setup.associations, id);
        let queue = queue(specs[sender.index()], seed, stream_of(id, &scenario.cell, setup));
        TxQueue::new(queue.above_ring(ring(scenario, sender)))
    });
    queues.collect()
}

/// One queue of each node for each category, that of the access point for all its stations.
fn queues_of_nodes<P: QueueItem>(
    scenario: &Scenario,
    categories: u32,
    seed: u64,
) -> Vec<TxQueue<P>> {
    let specs = (0..).map(NodeId).zip(queues_by_node(scenario));
    let each = specs.flat_map(|spec| (0..categories).map(move |_| spec));
    let queue = |(id, (node, spec))| queue(spec, seed, id).above_ring(ring(scenario, node));
    (0..).zip(each).map(|entry| TxQueue::new(queue(entry))).collect()
}

/// The queue of the access point, whose tins are those of stations and categories, and then those of stations.
fn queues_with_tins<P: QueueItem>(
    scenario: &Scenario,
    setup: &Setup,
    seed: u64,
) -> Vec<TxQueue<P>> {
    let specs = queues_by_node(scenario);
    let scenario::Queue { discipline: queue::Config::FqCodel(config), limit } = specs[0] else {
        unreachable!("tins are those of fq-codel")
    };
    let memory = match &scenario.cell {
        scenario::Cell::Wlan(cell) => cell.fq_memory_limit.map(u64::from),
        scenario::Cell::Wimax(_) => None,
    };
    let rng = RngStream::new(seed, StreamId::Queue, 0);
    let tins = Queue::Tins(Box::new(FqTins::new(config.clone(), *limit, memory, rng)));
    let ids = (0..setup.layout.count(&setup.associations)).map(TxQueueId);
    let of_stations = ids.filter_map(|id| {
        let sender = setup.layout.sender(&setup.associations, id);
        let spec = specs[sender.index()];
        let is_station = !setup.associations.is_access_point(sender);
        is_station.then(|| queue(spec, seed, stream_of(id, &scenario.cell, setup)))
    });
    std::iter::once(tins).chain(of_stations).map(TxQueue::new).collect()
}

/// The packets of the ring below the queues of `node`.
fn ring(scenario: &Scenario, node: NodeId) -> u32 {
    match &scenario.cell {
        scenario::Cell::Wlan(cell) if node == NodeId::ACCESS_POINT => cell.ring.unwrap_or(0),
        _ => 0,
    }
}

/// The queue of the access point, and of each station.
fn queues_by_node(scenario: &Scenario) -> Vec<&scenario::Queue> {
    let groups = scenario.station.iter();
    let stations = groups.flat_map(|group| (0..group.count).map(|_| &group.queue));
    std::iter::once(scenario.cell.queue()).chain(stations).collect()
}

/// The number of the random stream of a queue. In a WLAN cell that of a node's own queue does not depend on
/// the scheduler; those of the access point's queues for the stations follow.
fn stream_of(id: TxQueueId, cell: &scenario::Cell, setup: &Setup) -> u64 {
    let Setup { associations, layout, .. } = setup;
    let number = match (cell, layout.link(id)) {
        (scenario::Cell::Wimax(_), _) => id.0,
        (scenario::Cell::Wlan(_), link) => match link.map(|(link, _)| associations.ends(link)) {
            Some((from, station)) if associations.is_access_point(from) => {
                associations.nodes() - 1 + station.0
            }
            _ => layout.sender(associations, id).0,
        },
    };
    number.into()
}

/// The cell with its queues, loss models and scheduler.
pub(crate) fn cell<M: Medium, P: CellPacket>(
    medium: M,
    scenario: &Scenario,
    seed: u64,
) -> Cell<M, P> {
    let losses = losses(scenario, seed);
    let layout = medium.setup().layout;
    let categories = layout.categories();
    let groups = scenario.station.iter();
    let weights: Vec<_> = groups
        .flat_map(|group| {
            (0..group.count).map(|_| group.airtime_weight.unwrap_or(USUAL_WEIGHT as u32))
        })
        .collect();
    let schedulers = |wlan: &WlanCell| -> Option<Vec<_>> {
        (0..categories).map(|_| wlan.scheduler.scheduler(&weights)).collect()
    };
    match &scenario.cell {
        scenario::Cell::Wlan(wlan) => match schedulers(wlan) {
            Some(schedulers) => {
                let cell = if wlan.has_tins() {
                    let queues = queues_with_tins(scenario, medium.setup(), seed);
                    let cell = Cell::with_tins(medium, queues, losses);
                    match wlan.sta_slow_threshold {
                        Some(threshold) => cell.with_slow_stations(threshold.rate()),
                        None => cell,
                    }
                } else {
                    let queues = queues(scenario, medium.setup(), seed);
                    Cell::new(medium, queues, losses)
                };
                let cell = cell.with_schedulers(schedulers);
                match wlan.hardware_depth.unwrap_or(0) as usize {
                    0 => cell,
                    depth => {
                        let limits = wlan.scheduler.limits();
                        cell.with_hardware(HardwareConfig { depth, limits })
                    }
                }
            }
            None if layout == QueueLayout::PerNode => {
                let queues = queues(scenario, medium.setup(), seed);
                Cell::new(medium, queues, losses)
            }
            None => {
                let queues = queues_of_nodes(scenario, categories, seed);
                Cell::with_shared_queues(medium, queues, losses)
            }
        },
        scenario::Cell::Wimax(_) => {
            let queues = queues(scenario, medium.setup(), seed);
            Cell::new(medium, queues, losses)
        }
    }
}

/// Everything between the ends of `flows`. If `has_all_events`, every packet has events wherever something happens
/// to it, and not only where it may affect others.
pub(crate) fn network<M: SimMedium, P: SimPacket>(
    medium: M,
    scenario: &Scenario,
    seed: u64,
    flows: &mut [Flow],
    is_sampled: bool,
    has_all_events: bool,
) -> Network<M, P> {
    let topology = Topology::new(&scenario.wired).expect("a resolved scenario has a topology");
    let node = |name: &str| topology.node(name).expect("a resolved scenario names known hosts");
    let links = links(scenario, &topology, seed);
    let mut next_hop = vec![vec![Hop::End; flows.len()]; links.len()];
    let mut routes = Vec::with_capacity(flows.len());
    // How many flows have packets on each link.
    let mut users = vec![0; links.len()];
    // Links to hosts at which nothing follows from the arrival of a packet.
    let mut are_quiet = vec![!has_all_events; links.len()];
    for flow in flows.iter() {
        let index = flow.index.0 as usize;
        let answers = flow.answers != Answers::None;
        // Where a packet goes that is sent over these links, one after the other, and then there.
        let mut lay = |path: Vec<usize>, end: Hop, has_packets: bool| {
            let mut hop = end;
            for &link in path.iter().rev() {
                next_hop[link][index] = hop;
                users[link] += u32::from(has_packets);
                are_quiet[link] &= !has_packets || (flow.is_unanswered() && hop == Hop::End);
                hop = Hop::Link(link as u32);
            }
            hop
        };
        let route = match &flow.place {
            Attachment::Station { station, up, host } => {
                let (ap, host) = (node(ACCESS_POINT), node(host));
                let down = lay(topology.path(host, ap), Hop::AccessPoint, !up || answers);
                let from_access_point = lay(topology.path(ap, host), Hop::End, *up || answers);
                let own = Origin::Cell(NodeId(*station));
                let first = if *up { [origin(down), own] } else { [own, origin(down)] };
                Route { first, from_access_point }
            }
            Attachment::Wired { from, to } => {
                let (from, to) = (node(from), node(to));
                let there = lay(topology.path(from, to), Hop::End, true);
                let back = lay(topology.path(to, from), Hop::End, answers);
                Route { first: [origin(back), origin(there)], from_access_point: Hop::End }
            }
        };
        routes.push(route);
    }
    let mut entries = Vec::new();
    for route in &routes {
        entries.extend(route.first.iter().filter_map(|origin| match origin {
            Origin::Link(link) => Some(*link),
            Origin::Cell(_) => None,
        }));
        if let Hop::Link(link) = route.from_access_point {
            entries.push(link);
        }
    }
    let options = flows.iter().map(|flow| OptionRing::new(flow.options)).collect();
    let mut cell = cell(medium, scenario, seed);
    if flows.iter().any(Flow::counts_station) {
        cell.report_departures(flows.iter().map(Flow::counts_station).collect());
    }
    if let (Some(_), Some(medium)) = (Beacons::new(scenario), cell.medium().observable()) {
        let first = medium.mean_first_backoff();
        cell.observe_occupancy(Occupancy::new(first, cell.nodes(), flows.len()));
    }
    // IP sees UDP below TFRC.
    let is_udp = flows.iter().map(|flow| !flow.is_tcp).collect();
    let limiter = UplinkLimiter::new(&scenario.gateway.limiter, is_udp, is_sampled);
    are_quiet.iter_mut().zip(&users).for_each(|(quiet, users)| *quiet &= *users > 0);
    let wired = Wired::new(links, next_hop, &entries).with_quiet(&are_quiet);
    let mut fed = Vec::new();
    if !has_all_events && matches!(scenario.cell, scenario::Cell::Wlan(_)) {
        fed = feed(&mut cell, flows);
    }
    // Streams have datagrams of one size that nothing answers, and no receiver that is told of each as a packet.
    let is_plain = |flow: &&Flow| {
        flow.is_unanswered() && !flow.ends.varies() && flow.ends.reception().is_none()
    };
    let datagrams = flows.iter().filter(is_plain);
    let between_hosts =
        datagrams.filter_map(|flow| match (&flow.place, routes[flow.index.0 as usize].first[1]) {
            (Attachment::Wired { .. }, Origin::Link(first)) => Some((flow.index.0 as usize, first)),
            _ => None,
        });
    let candidates: Vec<_> = between_hosts.collect();
    let host_queues = HostQueues::new(flows);
    let network = Network::new(cell, wired, routes, options, (limiter, host_queues), fed);
    network.with_streams(&users, &candidates, flows)
}

/// Lets sources of datagrams fill the queues of stations that transmit nothing else. Returns their flows.
fn feed<M: Medium, P: SimPacket>(cell: &mut Cell<M, P>, flows: &mut [Flow]) -> Vec<u32> {
    if !flows.iter().any(Flow::is_unanswered) {
        return Vec::new();
    }
    // By station: which flows it sends, and whether they are datagrams of one size alone that nothing answers.
    let mut stations = vec![(Vec::new(), true); cell.nodes()];
    for flow in flows.iter() {
        if let Attachment::Station { station, up, .. } = flow.place
            && (up || flow.answers != Answers::None)
        {
            let (sent, are_datagrams) = &mut stations[station as usize];
            sent.push(flow.index.0);
            // Of several datagrams that arrive at once, an idle MAC takes the first before the others are queued.
            *are_datagrams &= flow.is_unanswered() && !flow.ends.varies();
        }
    }
    let mut fed = Vec::new();
    for (station, (sent, _)) in (0..).map(NodeId).zip(stations).filter(|(_, (_, feeds))| *feeds) {
        for category in AccessCategory::ALL {
            let mut sources = Vec::new();
            for &flow in &sent {
                if let AnyEnds::Udp(ends) = &mut flows[flow as usize].ends
                    && ends.datagram().category == category
                {
                    sources.push(ends.source().clone());
                    fed.push(flow);
                }
            }
            if !sources.is_empty() {
                cell.add_feed(station, category, Box::new(DatagramFeed::new(sources)));
            }
        }
    }
    fed
}

/// Where a packet enters the network whose first hop is `hop`.
fn origin(hop: Hop) -> Origin {
    match hop {
        Hop::Link(link) => Origin::Link(link),
        Hop::AccessPoint | Hop::End => Origin::Cell(NodeId::ACCESS_POINT),
    }
}

/// Both directions of each wired link, as [`Topology::path`] numbers them.
pub(crate) fn links<P: WirePacket>(
    scenario: &Scenario,
    topology: &Topology,
    seed: u64,
) -> Vec<Link<P>> {
    let mut links = Vec::new();
    for (index, wired) in scenario.wired.links().iter().enumerate() {
        let mut errors = wired
            .error
            .as_ref()
            .map(|config| LinkLoss::new(config, seed, StreamId::LinkLoss, index as u32));
        for forward in [false, true] {
            let to_ap = topology.leads_to_ap(index, forward);
            let errors = errors
                .as_mut()
                .and_then(|errors| if to_ap { errors.down.take() } else { errors.up.take() });
            let (rate, delay) = (wired.rate.rate(), wired.delay.duration());
            let entity = LINK_QUEUES + links.len() as u64;
            let queue = link_queue(&wired.queue, seed, entity);
            links.push(Link::new(rate, delay, queue, errors));
        }
    }
    links
}

/// The queues of wired links are numbered from here, those of the cell from 0.
const LINK_QUEUES: u64 = 1 << 32;

fn queue<P: QueueItem>(spec: &scenario::Queue, seed: u64, entity: u64) -> Queue<P> {
    let rng = RngStream::new(seed, StreamId::Queue, entity);
    Queue::new(&spec.discipline, spec.limit, rng)
}

/// A droptail queue of a link is computed at arrival, any other asked for each packet.
fn link_queue<P: WirePacket>(spec: &scenario::Queue, seed: u64, entity: u64) -> LinkQueue<P> {
    match queue(spec, seed, entity) {
        Queue::DropTail(_) => LinkQueue::fifo(spec.limit),
        discipline => LinkQueue::discipline(discipline),
    }
}

/// All flows, those of the stations in their order, then those between hosts; and the sessions of which they are
/// slots.
pub(crate) fn flows(scenario: &Scenario, seed: u64) -> (Vec<Flow>, Vec<Running>) {
    let mut all = Flows::default();
    let stagger = scenario.stagger();
    let (mut ups, mut downs) = (0, 0);
    let mut station = 0;
    for group in &scenario.station {
        for number in 1..=group.count {
            station += 1;
            let directions = |spec: &'_ scenario::Flow| spec.directions().iter();
            let each =
                group.flows.iter().flat_map(|spec| directions(spec).map(move |way| (spec, *way)));
            for (spec, direction) in each {
                let index = all.rows;
                let up = direction == Direction::Up;
                let count = if up { &mut ups } else { &mut downs };
                *count += 1;
                let start = spec.start.map_or(stagger * u64::from(index), |s| s.duration());
                let host = spec.host.clone().unwrap_or_else(|| SERVER.to_owned());
                let place = Attachment::Station { station, up, host };
                let id = format!("{direction}-{count}");
                let extra = group.extra_header;
                let headers = if up {
                    [spec.header + extra, spec.header]
                } else {
                    [spec.header, spec.header + extra]
                };
                let name = spec.name_of(direction);
                let name = name.map(|name| numbered(&name, number, group.count));
                all.add(spec, (id, name), place, headers, (Instant::ZERO + start, seed));
            }
        }
    }
    for (spec, number) in scenario.wired.flow.iter().zip(1..) {
        let host = |name: &Option<String>| name.clone().expect("a resolved flow names its hosts");
        let place = Attachment::Wired { from: host(&spec.from), to: host(&spec.to) };
        let start = Instant::ZERO + spec.start.map_or(Duration::ZERO, |s| s.duration());
        let names = (format!("wired-{number}"), spec.name.clone());
        all.add(spec, names, place, [spec.header; 2], (start, seed));
    }
    (all.flows, all.sessions)
}

/// The flows and sessions so far.
#[derive(Default)]
struct Flows {
    flows: Vec<Flow>,
    sessions: Vec<Running>,
    /// The number of flows of the scenario.
    rows: u32,
}

impl Flows {
    /// Adds a flow of the scenario: one for each of its connections.
    fn add(
        &mut self,
        spec: &scenario::Flow,
        (id, name): (String, Option<String>),
        place: Attachment,
        headers: [u32; 2],
        (start, seed): (Instant, u64),
    ) {
        let Self { flows, sessions, rows } = self;
        let (row, first) = (*rows, flows.len());
        *rows += 1;
        let session = match &spec.application {
            Application::Stream(stream) => Session::new(stream, direction(&place), seed, row)
                .map(|session| (session, Session::slots(stream))),
            Application::Datagrams(_) => None,
        };
        let slots = session.as_ref().map_or(1, |(_, slots)| *slots);
        for slot in 0..slots {
            let index = flows.len() as u32;
            let member = session.is_some().then(|| member(spec, sessions.len(), slot));
            let random = (start, seed, row, slot);
            let mut flow = flow(spec, id.clone(), index, place.clone(), headers, random);
            (flow.name, flow.member) = (name.clone(), member.map(Box::new));
            flows.push(flow);
        }
        if let Some((session, slots)) = session {
            sessions.push(Running { session, first, slots, ended: false });
        }
    }
}

fn member(spec: &scenario::Flow, session: usize, slot: usize) -> Member {
    let pads = match &spec.application {
        Application::Stream(Stream::File(file)) => file.padding.pad,
        Application::Stream(Stream::Web(web)) => web.padding.pad,
        _ => false,
    };
    let pad = if pads { u64::from(spec.segment) } else { 1 };
    Member {
        session,
        slot,
        pad,
        connection: 0,
        bytes: 0,
        past: Counters::default(),
        told: Told::default(),
    }
}

fn flow(
    spec: &scenario::Flow,
    id: String,
    index: u32,
    place: Attachment,
    header_bytes: [u32; 2],
    (start, seed, row, slot): (Instant, u64, u32, usize),
) -> Flow {
    let stop = spec.stop.map_or(Instant::NEVER, |s| Instant::ZERO + s.duration());
    let station = place.station();
    let mut headers = PacketHeader::of_ends(FlowId(index), station, header_bytes);
    for header in &mut headers {
        header.category = spec.access_category.unwrap_or_default();
    }
    let pattern = match &spec.application {
        Application::Datagrams(pattern) => Some(pattern),
        Application::Stream(_) => None,
    };
    let offer = spec.offer(direction(&place));
    let datagrams = pattern.map(|pattern| Datagrams::new(pattern, offer, start, seed, row));
    let times = (start, stop);
    let reception = pattern.and_then(|pattern| Reception::new(pattern, &offer, times, seed, row));
    let (ends, answers) = spec.transport.ends(FlowSpec {
        headers,
        header_bytes: spec.header,
        payload: spec.segment,
        connection: connection(spec, seed, (row, slot)),
        datagrams,
        reception,
        replies: spec.application.replies(),
        stop,
    });
    let is_tcp = spec.transport.is_tcp();
    let captured = FlowMeta {
        station,
        data_up: matches!(place, Attachment::Station { up: true, .. }),
        window: spec.tcp.window.saturating_mul(spec.segment),
        segment: if is_tcp { spec.segment } else { 0 },
        request: opening(spec).request,
        keeps: matches!(&spec.application, Application::Stream(stream) if stream.keeps_connections()),
        sack: is_tcp && spec.tcp.sack,
        is_echoed: spec.application.is_echoed(),
    };
    Flow {
        id,
        index: FlowId(index),
        row,
        place,
        name: None,
        group: spec.group.clone(),
        application: spec.application.name(),
        transport_name: spec.transport.name(),
        segment: spec.segment,
        data_bytes: spec.segment + header_bytes[0],
        category: spec.access_category.unwrap_or_default(),
        answers,
        is_tcp,
        captured,
        start,
        stop,
        has_small_queue: spec.transport.is_tcp() && spec.tcp.tsq.is_some(),
        ecn: spec.tcp.ecn() != EcnFeedback::None,
        started: false,
        options: spec.transport.packets_under_way(spec.tcp.window),
        timers: Default::default(),
        ends,
        member: None,
    }
}

/// What the connections of a slot of a TCP flow are made of.
fn connection(spec: &scenario::Flow, seed: u64, (row, slot): (u32, usize)) -> ConnectionConfig {
    let Opening { by: opened_by, request } = opening(spec);
    let entity = u64::from(row) | ((slot as u64) << 32);
    let mut clock = RngStream::new(seed, StreamId::HostClock, entity);
    let uptime = Duration::from_secs_f64(SynTimer::UPTIMES.as_secs_f64() * clock.uniform());
    let random = RngStream::new(seed, StreamId::Congestion, entity).next_u64();
    ConnectionConfig { tcp: spec.tcp, segment: spec.segment, opened_by, request, uptime, random }
}

/// Which way its traces go.
fn direction(place: &Attachment) -> TraceDirection {
    match place {
        Attachment::Station { up: false, .. } => TraceDirection::Down,
        _ => TraceDirection::Up,
    }
}

/// How the connections of a flow are opened.
fn opening(spec: &scenario::Flow) -> Opening {
    match &spec.application {
        Application::Stream(stream) => Session::opening(stream),
        Application::Datagrams(_) => Opening { by: End::Sender, request: 0 },
    }
}
