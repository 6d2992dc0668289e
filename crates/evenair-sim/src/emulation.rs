//! The network of a scenario without the ends of its flows: its cell and its wired links, for
//! drivers whose packets come from elsewhere, such as real TCP stacks.
//!
//! The gateway between the two is not part of it: a packet that the access point has received, or
//! that has come over wired links to the access point, leaves the network there, and the driver
//! decides whether it goes on.

use evenair_core::control;
use evenair_core::ip::IpPacket;
use evenair_core::medium::Arrival;
use evenair_core::packet::NodeId;
use evenair_core::queue::TxQueue;
use evenair_core::time::{Duration, Instant};
use serde::Serialize;

use crate::agenda::Timer;
use crate::engine::build;
use crate::engine::control::beacons::Beacons;
use crate::engine::metrics::cell::{CellMetrics, link_results};
use crate::engine::sim_medium::{SimMedium, dcf, edca, wimax};
use crate::engine::world::{self, Driver, World};
use crate::results::medium::{AirResult, FrameResult, RequestsResult};
use crate::results::run::{LinkResult, Losses, MacResult, QueueResult};
use crate::scenario::{self, ACCESS_POINT, Scenario, Topology};
use crate::wired::{Hop, Until, Wired};

/// The network of a scenario, whose packets have contents of type `B`. All times are those of the
/// medium; calls come in the order of their times.
pub trait Emulation<B> {
    /// A node of the cell has a packet to transmit: a station, or the access point one for
    /// [`IpPacket::station`]. What was due before `now` has been polled.
    fn send_air(&mut self, now: Instant, from: NodeId, packet: IpPacket<B>);

    /// A packet enters the wired links on its way from one node to another, by [`Places::wired`].
    /// What was due before `now` has been polled.
    fn send_wired(&mut self, now: Instant, from: usize, to: usize, packet: IpPacket<B>);

    /// When [`Emulation::poll`] has something to do next.
    fn poll_at(&self) -> Instant;

    /// Does what is due before `limit`, up to the next packet that leaves the network.
    fn poll(&mut self, limit: Instant) -> Option<Exit<B>>;

    /// Measuring begins.
    fn begin_measuring(&mut self, now: Instant);

    /// What was measured up to `now`.
    fn result(&self, now: Instant) -> EmulationResult;

    /// Packets discarded since the start.
    fn discarded(&self) -> Discarded;

    /// Packets that the access point's queue has lost since the start, which a rate limiter reads.
    fn ap_losses(&self) -> u64;
}

/// A packet that leaves the network.
#[derive(Debug)]
pub struct Exit<B> {
    /// When.
    pub at: Instant,
    /// Where.
    pub place: Exited,
    /// The packet.
    pub packet: IpPacket<B>,
}

/// Where a packet leaves the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exited {
    /// At a node of the cell.
    Air(NodeId),
    /// At a wired node, by [`Places::wired`].
    Wired(usize),
}

/// Packets discarded, by cause. Beacons are no packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discarded {
    /// By queues of nodes and links, filtered acknowledgements included.
    pub queue: u64,
    /// By a MAC at its retry limit, or with a bandwidth request that was given up.
    pub retry_limit: u64,
    /// By loss models.
    pub error: u64,
}

/// What was measured. The members are those of [`crate::RunResult`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmulationResult {
    /// Measured time, seconds.
    pub duration_s: f64,
    /// Packets lost, by cause.
    pub losses: Losses,
    /// The MAC of each station.
    pub stations: Vec<MacResult>,
    /// The MAC of the access point.
    pub ap: MacResult,
    /// The access point's downlink queue.
    pub ap_queue: QueueResult,
    /// What the time of the air is spent on; absent in a WiMAX cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub air: Option<AirResult>,
    /// The frame of 802.16; absent in a WLAN cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameResult>,
    /// Bandwidth requests of 802.16; absent in a WLAN cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestsResult>,
    /// The wired links.
    pub wired: EmulatedWired,
}

/// The wired part of a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmulatedWired {
    /// Each direction of each link.
    pub links: Vec<LinkResult>,
}

/// The nodes of a scenario's network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Bytes that each station adds to the IP packets that it sends; its index is its number less
    /// 1.
    pub extra_headers: Vec<u32>,
    /// The wired nodes: the access point, then the hosts and routers.
    pub wired: Vec<String>,
    /// The largest IP packet of any flow, with what its station adds, bytes.
    pub largest_packet: u32,
}

impl Places {
    /// Those of a resolved scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let groups = scenario.station.iter();
        let extra_headers =
            groups.flat_map(|group| (0..group.count).map(|_| group.extra_header)).collect();
        let topology = topology(scenario);
        let wired = [ACCESS_POINT].into_iter().chain(topology.hosts()).map(str::to_owned);
        let of_stations = scenario.station.iter().flat_map(|group| {
            group.flows.iter().map(|flow| flow.segment + flow.header + group.extra_header)
        });
        let of_hosts = scenario.wired.flow.iter().map(|flow| flow.segment + flow.header);
        let largest_packet = of_stations.chain(of_hosts).max().unwrap_or(0);
        Self { extra_headers, wired: wired.collect(), largest_packet }
    }
}

/// The network of a resolved scenario.
///
/// # Errors
/// One line: the scenario has a part that needs the simulator's own transports.
pub fn emulation<B: Clone + Default + 'static>(
    scenario: &Scenario,
    seed: u64,
) -> Result<Box<dyn Emulation<B>>, String> {
    Ok(match &scenario.cell {
        scenario::Cell::Wlan(cell) if cell.phy.high_throughput().is_some() => {
            Box::new(Parts::new(edca(cell, &scenario.station, seed), scenario, seed))
        }
        scenario::Cell::Wlan(cell) => {
            if !matches!(cell.controller, control::Config::None(_)) {
                return Err(format!(
                    "cell.controller: got {:?}, which limits the rates of the simulator's \
                     transports; accepted: \"none\"",
                    cell.controller.name()
                ));
            }
            Box::new(Parts::new(dcf(cell, &scenario.station, seed), scenario, seed))
        }
        scenario::Cell::Wimax(cell) => {
            Box::new(Parts::new(wimax(cell, &scenario.station, seed), scenario, seed))
        }
    })
}

fn topology(scenario: &Scenario) -> Topology {
    Topology::new(&scenario.wired).expect("a resolved scenario has a topology")
}

struct Parts<M: SimMedium, B> {
    scenario: Scenario,
    world: World<M, IpPacket<B>>,
    /// The number of wired nodes: the path from one to another has the number `from * nodes + to`.
    nodes: usize,
    /// The first link of each path.
    first: Vec<Option<u32>>,
    beacons: Option<Beacons>,
    /// What has just left the network.
    exit: Option<Exit<B>>,
    begin: Instant,
    metrics: CellMetrics<M>,
    /// Before measuring began.
    earlier: Discarded,
    ap_losses_earlier: u64,
}

impl<M: SimMedium, B: Clone + Default> Parts<M, B> {
    fn new(medium: M, scenario: &Scenario, seed: u64) -> Self {
        let topology = topology(scenario);
        let names = Places::new(scenario).wired;
        let nodes = names.len();
        let links = build::links(scenario, &topology, seed);
        let mut next_hop = vec![vec![Hop::End; nodes * nodes]; links.len()];
        let mut first = vec![None; nodes * nodes];
        let place = |name: &str| topology.node(name).expect("a node of the topology");
        for (from, a) in names.iter().enumerate() {
            for (to, b) in names.iter().enumerate() {
                let path = from * nodes + to;
                let mut hop = Hop::End;
                for &link in topology.path(place(a), place(b)).iter().rev() {
                    next_hop[link][path] = hop;
                    hop = Hop::Link(link as u32);
                    first[path] = Some(link as u32);
                }
            }
        }
        let entries: Vec<u32> = first.iter().flatten().copied().collect();
        let cell = build::cell(medium, scenario, seed);
        let mut world = World::new(cell, Wired::new(links, next_hop, &entries));
        let beacons = Beacons::new(scenario);
        if let Some(beacons) = &beacons {
            let timer = world.agenda.add_timer();
            world.agenda.arm(timer, Instant::ZERO + beacons.interval);
        }
        Self {
            scenario: scenario.clone(),
            world,
            nodes,
            first,
            beacons,
            exit: None,
            begin: Instant::ZERO,
            metrics: CellMetrics::default(),
            earlier: Discarded::default(),
            ap_losses_earlier: 0,
        }
    }

    /// Since the statistics were reset: of the access point, and of all nodes and links.
    fn queue_drops(&self) -> (u64, u64) {
        let cell = &self.world.cell;
        let of_ap = cell.queues_of(NodeId::ACCESS_POINT).map(TxQueue::losses).sum();
        let of_nodes: u64 =
            cell.queues().iter().map(|queue| queue.losses() + queue.superseded()).sum();
        let of_links: u64 =
            self.world.wired.links().iter().map(|link| link.losses_known()[0]).sum();
        (of_ap, of_nodes + of_links)
    }

    /// Since the statistics were reset: packets that were discarded by loss models behind the MAC.
    fn errors(&self) -> u64 {
        let nodes = (0..self.world.cell.nodes() as u32).map(NodeId);
        let of_nodes: u64 = nodes.map(|node| self.world.cell.residual_losses(node)).sum();
        let of_links: u64 =
            self.world.wired.links().iter().map(|link| link.losses_known()[1]).sum();
        of_nodes + of_links
    }
}

impl<M: SimMedium, B: Clone + Default> Driver<M, IpPacket<B>> for Parts<M, B> {
    fn world(&mut self) -> &mut World<M, IpPacket<B>> {
        &mut self.world
    }

    fn before(&mut self, _until: Until) {}

    fn on_arrival(&mut self, arrival: &Arrival<IpPacket<B>>) {
        let &Arrival { at, to, ref packet, lost, .. } = arrival;
        if !lost && to != NodeId::BROADCAST {
            self.exit = Some(Exit { at, place: Exited::Air(to), packet: packet.clone() });
        }
    }

    fn on_link(&mut self, now: Instant, packet: Option<&IpPacket<B>>) {
        self.exit = packet.map(|packet| {
            let place = Exited::Wired(packet.path as usize % self.nodes);
            Exit { at: now, place, packet: packet.clone() }
        });
    }

    /// A target beacon transmission time.
    fn on_timer(&mut self, now: Instant, _timer: Timer) -> Instant {
        let Some(beacons) = &mut self.beacons else { return Instant::NEVER };
        let bytes = beacons.next_frame(now).size;
        let beacon = IpPacket::broadcast(now, bytes, B::default());
        M::broadcast(&mut self.world.cell, now, beacon);
        now + beacons.interval
    }
}

impl<M: SimMedium, B: Clone + Default> Emulation<B> for Parts<M, B> {
    fn send_air(&mut self, now: Instant, from: NodeId, packet: IpPacket<B>) {
        self.world.send_air(now, from, packet);
    }

    fn send_wired(&mut self, now: Instant, from: usize, to: usize, mut packet: IpPacket<B>) {
        let path = from * self.nodes + to;
        packet.path = path as u32;
        if let Some(link) = self.first[path] {
            self.world.send_wired(now, link, &packet);
        }
    }

    fn poll_at(&self) -> Instant {
        self.world.due()
    }

    fn poll(&mut self, limit: Instant) -> Option<Exit<B>> {
        while world::step(self, limit) {
            if let Some(exit) = self.exit.take() {
                return Some(exit);
            }
        }
        None
    }

    fn begin_measuring(&mut self, now: Instant) {
        let (of_ap, all) = self.queue_drops();
        let errors = self.errors();
        self.world.cell.reset_stats(now);
        self.world.wired.reset_stats(now);
        self.metrics.begin(now, &self.world.cell);
        self.begin = now;
        // What links have discarded ahead of time is counted after the reset as well.
        let (_, later) = self.queue_drops();
        self.ap_losses_earlier += of_ap;
        self.earlier.queue += all - later;
        self.earlier.error += errors - self.errors();
    }

    fn result(&self, now: Instant) -> EmulationResult {
        let period = (self.begin, now);
        let cell = self.metrics.results(period, &self.scenario, &self.world.cell);
        let links = link_results(period, &self.scenario, &self.world.wired);
        EmulationResult {
            losses: cell.losses(&links),
            duration_s: now.since(self.begin).as_secs_f64(),
            stations: cell.stations,
            ap: cell.ap,
            ap_queue: cell.queues[0].clone(),
            air: cell.air,
            frame: cell.medium.frame,
            requests: cell.medium.requests,
            wired: EmulatedWired { links },
        }
    }

    fn discarded(&self) -> Discarded {
        let (_, queue) = self.queue_drops();
        // Since the start, and not since the statistics were reset.
        let with_frames = self
            .world
            .cell
            .medium()
            .results(&M::Counters::default(), Duration::ZERO)
            .lost_with_frames;
        Discarded {
            queue: self.earlier.queue + queue,
            retry_limit: self.world.cell.mac_losses() - with_frames,
            error: self.earlier.error + self.errors() + with_frames,
        }
    }

    fn ap_losses(&self) -> u64 {
        self.ap_losses_earlier + self.queue_drops().0
    }
}
