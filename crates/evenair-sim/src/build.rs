//! From a scenario to the parts of a world.

use evenair_core::loss::{self, LinkLoss};
use evenair_core::medium::wlan::{AP, Dcf, DcfConfig};
use evenair_core::packet::FlowId;
use evenair_core::queue::Queue;
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::tcp::congestion::{self, Controller};
use evenair_core::tcp::{self, Receiver, ReceiverConfig, Sender, SenderConfig};
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::{Application, Datagrams};
use evenair_core::units::Rate;

use crate::ack_options::AckBlocks;
use crate::flow::{Attachment, Endpoints, Flow, Udp};
use crate::interface::Interface;
use crate::link::Link;
use crate::network::{Hop, Network, Route};
use crate::scenario::{
    self, ACCESS_POINT, DelayedAck, Direction, LimitedTransmit, RtsThreshold, SERVER, Scenario,
    Topology, Transport,
};
use crate::transfers::{ConnectionConfig, Transfers};

/// The cell's air, with the access point at index 0.
fn medium(scenario: &Scenario, seed: u64) -> Dcf {
    let cell = &scenario.cell;
    let config = DcfConfig {
        phy: cell.phy.timing(cell.preamble),
        control_rate: cell.control_rate.rate(),
        rts_threshold: match cell.rts_threshold {
            RtsThreshold::Off => None,
            RtsThreshold::Bytes(bytes) => Some(bytes),
        },
        mac_overhead: cell.mac_overhead,
        immediate_access: cell.immediate_access,
        short_retry_limit: cell.short_retry_limit,
        long_retry_limit: cell.long_retry_limit,
    };
    let mut rates: Vec<Rate> = vec![cell.data_rate.rate()];
    for group in &scenario.station {
        let rate = group.data_rate.unwrap_or(cell.data_rate).rate();
        rates.extend((0..group.count).map(|_| rate));
    }
    Dcf::new(config, &rates, seed)
}

/// The errors of each station's link, by the station's index in the cell.
fn errors(scenario: &Scenario, seed: u64) -> Vec<Option<LinkLoss>> {
    let groups = scenario.station.iter();
    let each = groups.flat_map(|group| (0..group.count).map(|_| group.error.as_ref()));
    let of = |(station, error): (u32, Option<&loss::Config>)| {
        error.map(|config| LinkLoss::new(config, seed, StreamId::FrameErrors, station))
    };
    // The access point is no station, and has no link with itself.
    std::iter::once(None).chain((1..).zip(each).map(of)).collect()
}

/// The interfaces of the access point and of each station.
fn interfaces(scenario: &Scenario, seed: u64) -> Vec<Interface> {
    let groups = scenario.station.iter();
    let stations = groups.flat_map(|group| (0..group.count).map(|_| &group.queue));
    let queues = std::iter::once(&scenario.cell.queue).chain(stations);
    queues.zip(0..).map(|(queue, node)| interface(queue, seed, node)).collect()
}

/// Everything between the ends of `flows`.
pub(crate) fn network(scenario: &Scenario, seed: u64, flows: &[Flow]) -> Network {
    let topology = Topology::new(&scenario.wired).expect("a resolved scenario has a topology");
    let node = |name: &str| topology.node(name).expect("a resolved scenario names known hosts");
    let links = links(scenario, &topology, seed);
    let mut next_hop = vec![vec![Hop::End; flows.len()]; links.len()];
    let mut routes = Vec::with_capacity(flows.len());
    for flow in flows {
        let index = flow.index.0 as usize;
        // Where a packet goes that is sent over these links, one after the other, and then there.
        let mut lay = |path: Vec<usize>, end: Hop| {
            let mut hop = end;
            for &link in path.iter().rev() {
                next_hop[link][index] = hop;
                hop = Hop::Link(link as u32);
            }
            hop
        };
        let route = match &flow.place {
            Attachment::Station { station, up, host } => {
                let (ap, host) = (node(ACCESS_POINT), node(host));
                let down = lay(topology.path(host, ap), Hop::Air(AP));
                let off_air = lay(topology.path(ap, host), Hop::End);
                let own = Hop::Air(*station);
                let first = if *up { [own, down] } else { [down, own] };
                Route { first, off_air, station: *station }
            }
            Attachment::Wired { from, to } => {
                let (from, to) = (node(from), node(to));
                let there = lay(topology.path(from, to), Hop::End);
                let back = lay(topology.path(to, from), Hop::End);
                Route { first: [there, back], off_air: Hop::End, station: AP }
            }
        };
        routes.push(route);
    }
    let sack = flows.iter().map(|flow| flow.sack_window().map(AckBlocks::new)).collect();
    Network::new(
        medium(scenario, seed),
        interfaces(scenario, seed),
        errors(scenario, seed),
        links,
        next_hop,
        routes,
        sack,
    )
}

/// Both directions of each wired link, as [`Topology::path`] numbers them.
fn links(scenario: &Scenario, topology: &Topology, seed: u64) -> Vec<Link> {
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
            links.push(Link::new(rate, delay, interface(&wired.queue, seed, entity), errors));
        }
    }
    links
}

/// The queues of wired links are numbered from here, those of the nodes of the cell from 0.
const LINK_QUEUES: u64 = 1 << 32;

/// An interface with that queue.
fn interface(queue: &scenario::Queue, seed: u64, entity: u64) -> Interface {
    let rng = RngStream::new(seed, StreamId::Queue, entity);
    Interface::new(Queue::new(&queue.discipline, queue.limit.into(), rng))
}

/// All flows: those of the stations in their order, then those between hosts.
pub(crate) fn flows(scenario: &Scenario, seed: u64) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::new();
    let stagger = scenario.stagger();
    let (mut ups, mut downs) = (0, 0);
    let mut station = 0;
    for group in &scenario.station {
        for _ in 0..group.count {
            station += 1;
            for spec in &group.flows {
                let index = flows.len() as u32;
                let up = spec.direction == Some(Direction::Up);
                let (count, name) = if up { (&mut ups, "up") } else { (&mut downs, "down") };
                *count += 1;
                let start = spec.start.map_or(stagger * u64::from(index), |s| s.duration());
                let host = spec.host.clone().unwrap_or_else(|| SERVER.to_owned());
                let place = Attachment::Station { station, up, host };
                let id = format!("{name}-{count}");
                let flow = flow(spec, id, index, place, Instant::ZERO + start, seed);
                let extra = group.extra_header;
                let headers = if up {
                    [spec.header + extra, spec.header]
                } else {
                    [spec.header, spec.header + extra]
                };
                flows.push(Flow { headers, ..flow });
            }
        }
    }
    for (spec, number) in scenario.wired.flow.iter().zip(1..) {
        let host = |name: &Option<String>| name.clone().expect("a resolved flow names its hosts");
        let place = Attachment::Wired { from: host(&spec.from), to: host(&spec.to) };
        let start = Instant::ZERO + spec.start.map_or(Duration::ZERO, |s| s.duration());
        let (id, index) = (format!("wired-{number}"), flows.len() as u32);
        flows.push(flow(spec, id, index, place, start, seed));
    }
    flows
}

fn flow(
    spec: &scenario::Flow,
    id: String,
    index: u32,
    place: Attachment,
    start: Instant,
    seed: u64,
) -> Flow {
    Flow {
        id,
        index: FlowId(index),
        place,
        transport: spec.transport.name(),
        headers: [spec.header; 2],
        window_bytes: spec.window.saturating_mul(spec.segment),
        start,
        stop: spec.stop.map_or(Instant::NEVER, |s| Instant::ZERO + s.duration()),
        started: false,
        connection: 0,
        marks_openings: spec.spm_marking.unwrap_or(false),
        transfers: transfers(spec, index, seed),
        ends: ends(spec, index, start, seed),
    }
}

fn ends(spec: &scenario::Flow, index: u32, start: Instant, seed: u64) -> Endpoints {
    let control = match (&spec.transport, &spec.application) {
        (Transport::Tcp(control), _) => control,
        (Transport::Udp, Application::Datagrams(pattern)) => {
            return Endpoints::Udp(Udp {
                payload: spec.segment,
                source: Datagrams::new(pattern, spec.datagram_interval(), start, seed, index),
                sent: 0,
                received_bytes: 0,
            });
        }
        (Transport::Udp, Application::Stream(_)) => {
            unreachable!("a resolved scenario has datagrams over UDP")
        }
    };
    let ConnectionConfig { control, sender, receiver } = endpoints(spec, control);
    let mut sender = Sender::new(sender, control);
    if spec.application.is_finite() {
        // This one sends nothing: each transfer has its own.
        sender.listen();
    }
    Endpoints::Tcp {
        sender,
        sack_window: spec.sack.then_some(spec.window),
        receiver: Receiver::new(receiver),
    }
}

/// The transfers of an application that is finite.
fn transfers(spec: &scenario::Flow, index: u32, seed: u64) -> Option<Box<Transfers>> {
    let (Transport::Tcp(control), Application::Stream(stream)) =
        (&spec.transport, &spec.application)
    else {
        return None;
    };
    Transfers::new(stream, endpoints(spec, control), seed, index).map(Box::new)
}

/// What a flow's connections are made of.
fn endpoints(spec: &scenario::Flow, control: &congestion::Config) -> ConnectionConfig {
    let sender = SenderConfig {
        segment: spec.segment,
        window: spec.window,
        initial_window: spec.initial_window,
        initial_ssthresh: spec.initial_ssthresh.unwrap_or(spec.window),
        byte_counting: spec.byte_counting.unwrap_or(false),
        limited_transmit: match spec.limited_transmit {
            LimitedTransmit::Off => tcp::LimitedTransmit::Off,
            LimitedTransmit::New => tcp::LimitedTransmit::New,
            LimitedTransmit::Any => tcp::LimitedTransmit::Any,
        },
        spm_marking: spec.spm_marking.unwrap_or(false),
        sack: spec.sack,
        rack: spec.rack,
        prr: spec.prr,
        min_rto: spec.min_rto.duration(),
        initial_rto: spec.initial_rto.duration(),
        total: u64::MAX,
    };
    let receiver = ReceiverConfig {
        delayed_ack: match spec.delayed_ack {
            DelayedAck::Every(segments) => tcp::DelayedAck::Every(segments),
            DelayedAck::Dynamic => tcp::DelayedAck::Dynamic { segment: spec.segment },
        },
        delayed_ack_timeout: spec.delayed_ack_timeout.duration(),
        sack: spec.sack,
    };
    ConnectionConfig { control: Controller::new(control), sender, receiver }
}
