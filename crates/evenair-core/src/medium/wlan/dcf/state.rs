//! The state of a cell, and the steps that exchanges, beacons and collisions have in common.

use super::exchange::{Exchange, Failure};
use super::link::Link;
use super::mac::{Beacons, Mac, contender_of};
use crate::medium::wlan::channel::{Channel, ErrorModel};
use crate::medium::wlan::config::{DcfConfig, StationConfig};
use crate::medium::wlan::contention::{Access, Backoff, Contention, IdleSlots};
use crate::medium::wlan::rate_control::{Adaptation, LinkInfo, Report};
use crate::medium::{
    Associations, Attempt, CellContext, LinkId, Listening, NextPpdu, Outcome, PacketId, PhyMode,
    PhyModes, QueueLayout, Setup, Taken, Transmission, TxStatus,
};
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// DIFS is SIFS and two slots (IEEE 802.11-2007 9.2.10).
const DIFSN: u32 = 2;

/// Takes the next packet of `node`.
#[inline(always)]
pub(super) fn take_next(now: Instant, node: NodeId, cell: &mut impl CellContext) -> Option<Taken> {
    cell.fill(now, node, AccessCategory::BestEffort);
    let (holds, next) = (|_| false, |_| NextPpdu::SINGLE);
    let queue = cell.next_queue(now, node, AccessCategory::BestEffort, holds, next)?;
    cell.take(now, queue, u32::MAX)
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// Idle; slot boundaries lie at `grid` + k slots.
    Idle { grid: Instant },
    /// A single node's exchange; its data frame ends when the phase is `due`.
    Sending,
    /// The acknowledgement of that frame ends when the phase is `due`.
    Acknowledging,
    /// An attempt that fails; its last frame ends when the phase is `due`.
    Failing(Failure),
}

/// The rate control of a link of `node`; `None` where its rate is fixed.
fn adaptation(
    config: &DcfConfig,
    modes: &PhyModes,
    node: &StationConfig,
    channel: Option<&Channel>,
    stream: RngStream,
) -> Option<Adaptation> {
    if node.rate_control.is_fixed() {
        return None;
    }
    let modes = config.phy.modes_of(node.phy, modes);
    let first = modes.iter().rposition(|(_, vector)| vector.rate <= node.rate).unwrap_or(0);
    let protection = config.protection_of(&modes[0].1);
    let link = LinkInfo { modes, first, phy: &config.phy, channel, stream };
    Some(Adaptation::new(&node.rate_control, link, protection))
}

/// An 802.11 cell.
#[derive(Debug)]
pub struct Dcf {
    pub(super) config: DcfConfig,
    pub(super) setup: Setup,
    /// Slot boundaries that EIFS takes beyond DIFS.
    pub(super) eifs_slots: u64,
    pub(super) macs: Vec<Mac>,
    /// By link, then that of the beacons of each access point.
    pub(super) links: Vec<Link>,
    /// Whether the ends of attempts are reported: to rate control, or to the cell.
    pub(super) reports: bool,
    /// What the cell listens to.
    pub(super) listening: Listening,
    /// How often the rate of a link has changed.
    pub(super) rate_changes: u64,
    /// The channel of each node's link.
    pub(super) channels: Vec<Option<Box<Channel>>>,
    /// Whether there is any.
    pub(super) has_channels: bool,
    /// Airtime that the counters of `links` contain more than once. Of a station: its frames that
    /// collided with frames of its access point for it. Of an access point: all frames of its cell
    /// that overlapped a longer one of it.
    pub(super) overlap: Vec<Duration>,
    pub(super) contention: Contention<IdleSlots, 1>,
    pub(super) phase: Phase,
    /// When the phase ends. Of an idle medium: the time of the next access, or an earlier time while
    /// that is not known.
    pub(super) due: Instant,
    /// The present, or last, exchange of a single node.
    pub(super) exchange: Exchange,
    /// The slot boundary of the next access while the medium is idle; `None` when there is none, or
    /// when it has to be looked up again.
    pub(super) next_access: Option<u64>,
    /// The nodes of the present, or last, attempt.
    pub(super) transmitters: Vec<NodeId>,
    /// Those of them that have given up their packet.
    pub(super) dropped: Vec<NodeId>,
    /// Whether more may follow the end of an attempt than the node's next packet: there was a beacon.
    pub(super) has_beacons: bool,
    /// Of each access point.
    pub(super) beacons: Vec<Beacons>,
    /// The stations that decoded the last beacon, by node.
    pub(super) decoded: Vec<bool>,
}

impl Dcf {
    /// A cell of an access point (first) and stations. Of the access point itself only the PHY is used,
    /// which is that of the cell. Backoffs, losses of the channels and samples of rate control are drawn
    /// from the streams of `seed`.
    pub fn new(config: DcfConfig, nodes: &[StationConfig], seed: u64) -> Self {
        let associations = Associations::one_cell(nodes.len() as u32);
        Self::with_associations(config, associations, nodes, seed)
    }

    /// Cells that share a channel. All nodes hear each other, and contend with each other.
    ///
    /// # Panics
    /// If the number of nodes is not that of `associations`.
    pub fn with_associations(
        config: DcfConfig,
        associations: Associations,
        nodes: &[StationConfig],
        seed: u64,
    ) -> Self {
        assert_eq!(nodes.len(), associations.nodes() as usize, "nodes with a place");
        let (phy, modes) = (&config.phy, config.modes(nodes));
        // The table has the rates of all nodes and of control frames.
        let mode_of = |rate: Rate| modes.find(&phy.mode_of(rate)).unwrap_or(PhyMode(0));
        let mac = |(entity, node): (u64, &StationConfig)| {
            let stream = RngStream::new(seed, StreamId::Backoff, entity);
            Mac::new(Backoff::new(phy.cw_min_of(node.phy), phy.cw_max, stream))
        };
        let channel = |(entity, node): (u64, &StationConfig)| {
            let stream = RngStream::new(seed, StreamId::Channel, entity);
            node.channel.as_ref().map(|config| {
                Box::new(Channel::new(config, phy, &modes, ErrorModel::Formulas, stream))
            })
        };
        let channels: Vec<_> = (0..).zip(nodes).map(channel).collect();
        let link = |link: u32| {
            let (link, entity) = (LinkId(link), associations.station(LinkId(link)).index());
            let (node, channel) = (&nodes[entity], channels[entity].as_deref());
            let entity = 2 * entity as u64 + link.direction() as u64;
            let stream = RngStream::new(seed, StreamId::RateControl, entity);
            let adaptation = adaptation(&config, &modes, node, channel, stream);
            Link::new(&config, &modes, mode_of(node.rate), adaptation)
        };
        let mut links: Vec<_> = (0..2 * associations.stations().len() as u32).map(link).collect();
        let beacon = mode_of(config.control_rate.of_beacons(phy));
        let access_points = associations.access_points().len();
        links.extend((0..access_points).map(|_| Link::new(&config, &modes, beacon, None)));
        let layout = match config.station_queues {
            true => QueueLayout::PerReceiver { categories: 1 },
            false => QueueLayout::PerNode,
        };
        Self {
            eifs_slots: phy.eifs().saturating_sub(phy.difs()).div_ceil(phy.slot),
            macs: (0..).zip(nodes).map(mac).collect(),
            listening: Listening::Nothing,
            reports: links.iter().any(|link| link.adaptation.is_some()),
            links,
            rate_changes: 0,
            has_channels: channels.iter().any(Option::is_some),
            channels,
            overlap: vec![Duration::ZERO; nodes.len()],
            contention: Contention::new([DIFSN], nodes.iter().map(|_| 0), phy.cw_max),
            phase: Phase::Idle { grid: Instant::ZERO + phy.difs() },
            due: Instant::NEVER,
            exchange: Exchange::of_broadcast(Instant::ZERO, Instant::ZERO, beacon),
            next_access: None,
            transmitters: Vec::with_capacity(nodes.len()),
            dropped: Vec::with_capacity(nodes.len()),
            has_beacons: false,
            beacons: (0..access_points).map(|_| Beacons::default()).collect(),
            decoded: vec![false; nodes.len()],
            setup: Setup { associations, layout, modes },
            config,
        }
    }

    /// The timing of the cell.
    pub fn config(&self) -> &DcfConfig {
        &self.config
    }

    /// The packet that the MAC of `node` sends, or sends next.
    pub fn packet_of(&self, node: NodeId) -> Option<PacketId> {
        self.macs[node.index()].packet
    }

    /// The number of nodes, the access point included.
    pub fn nodes(&self) -> u32 {
        self.macs.len() as u32
    }

    /// The present rate of the link of `station`. Frames with which rate control tries other rates do
    /// not count.
    pub fn rate(&self, station: NodeId, direction: Direction) -> Rate {
        self.setup.modes.rate(self.mode(station, direction))
    }

    /// The mode of that rate.
    pub(super) fn mode(&self, station: NodeId, direction: Direction) -> PhyMode {
        self.link_with(station, direction).mode()
    }

    /// The link of `station` in this direction.
    fn link_with(&self, station: NodeId, direction: Direction) -> &Link {
        let number = self.setup.associations.number(station);
        &self.links[LinkId::new(number, direction).index()]
    }

    /// The data frames of the link of `station` in each mode that it can have, by ascending rate; `None` where
    /// the mode is fixed.
    pub fn frames_by_mode(
        &self,
        station: NodeId,
        direction: Direction,
    ) -> Option<impl Iterator<Item = (PhyMode, u64)>> {
        let link = self.link_with(station, direction);
        link.adaptation.as_ref().map(|adaptation| adaptation.frames_by_mode())
    }

    /// The MAC of `node`, which has no packet, takes the next one.
    #[inline(always)]
    pub(super) fn fetch(&mut self, now: Instant, node: NodeId, cell: &mut impl CellContext) {
        if let Some(taken) = take_next(now, node, cell) {
            self.load(now, node, taken);
        }
    }

    /// The MAC of `node`, which has no packet, has taken `packet`.
    #[inline(always)]
    pub(super) fn load(&mut self, now: Instant, node: NodeId, packet: Taken) {
        self.macs[node.index()].load(&self.config, node, packet);
        self.contend(now, node);
    }

    /// `node` has a packet and contends for the medium.
    pub(super) fn contend(&mut self, now: Instant, node: NodeId) {
        let (grid, slot) = match self.phase {
            Phase::Idle { grid } => (Some(grid), self.config.phy.slot),
            _ => (None, Duration::ZERO),
        };
        // Most packets are taken when the last exchange has ended, before the slots begin.
        let boundary =
            grid.map(|grid| if now <= grid { 0 } else { now.since(grid).div_ceil(slot) });
        let contender = contender_of(node);
        if self.contention.arrive(contender, boundary) == Access::BackoffOver {
            let mac = &mut self.macs[node.index()];
            match (boundary, grid) {
                (Some(boundary), _) if self.config.immediate_access => {
                    mac.backoff.skip();
                    self.contention.immediate(contender, boundary);
                }
                (Some(_), Some(grid)) => {
                    let after_difs = (now + self.config.phy.difs()).since(grid).div_ceil(slot);
                    self.contention.late_backoff(contender, after_difs, mac.backoff.draw());
                }
                _ => self.contention.defer(contender, mac.backoff.draw()),
            }
        }
        if grid.is_some() {
            self.next_access = None;
            self.due = now;
        }
    }

    /// The busy period ends when it is `due`; nodes in the slot ring count from boundary `ring_from`.
    pub(super) fn become_idle(&mut self, ring_from: u64) {
        self.phase = Phase::Idle { grid: self.due + self.config.phy.difs() };
        self.next_access = None;
        self.contention.idle(ring_from);
    }

    /// `node` is done with its packet: it draws a post-backoff, which counts from boundary `from`.
    pub(super) fn finish(
        &mut self,
        now: Instant,
        node: NodeId,
        from: u64,
        status: TxStatus,
        cell: &mut impl CellContext,
    ) {
        let mac = &mut self.macs[node.index()];
        let backoff = mac.complete(status);
        cell.fill(now, node, AccessCategory::BestEffort);
        if let Some(packet) = mac.packet.take() {
            cell.release(now, packet, status);
        }
        self.contention.back_off(contender_of(node), from, backoff, false);
    }

    /// The link on which `node` transmits.
    pub(super) fn link(&self, node: NodeId) -> &Link {
        &self.links[self.macs[node.index()].link]
    }

    pub(super) fn link_mut(&mut self, node: NodeId) -> &mut Link {
        &mut self.links[self.macs[node.index()].link]
    }

    /// Whether the loss model or the channel of a link corrupts a frame that meets no other. Both are
    /// asked, so that neither changes the random numbers of the other.
    pub(super) fn is_corrupted(
        &mut self,
        frame: &Transmission,
        cell: &mut impl CellContext,
    ) -> bool {
        let channel = self.channels[frame.station.index()].as_mut();
        let by_channel = channel.is_some_and(|channel| channel.corrupts(frame));
        cell.is_corrupted(frame) | by_channel
    }

    /// The attempt of `node` ends now and has taken `airtime`: tells its rate control, and the cell if that
    /// listens. Its packet has not been released, and no other backoff been drawn. `sent_data` is false of
    /// an attempt without a data frame.
    #[inline(never)] // only of those who are told
    pub(super) fn end_attempt(
        &mut self,
        at: Instant,
        from: NodeId,
        airtime: Duration,
        sent_data: bool,
        outcome: Outcome,
        cell: &mut impl CellContext,
    ) {
        if let Some(adaptation) = &mut self.link_mut(from).adaptation {
            let changed = adaptation.report(&Report::of_frame(at, sent_data, outcome));
            self.rate_changes += u64::from(changed);
        }
        let mac = &self.macs[from.index()];
        let station = mac.station;
        if self.listening >= Listening::Outcomes
            && let Some(packet) = mac.packet
        {
            let attempt = Attempt {
                at,
                packet,
                from,
                station,
                mode: (station != NodeId::BROADCAST).then(|| self.links[mac.link].mode()),
                space: self.config.phy.difs(),
                has_backoff: true,
                backoff: self.config.phy.slot * u64::from(mac.backoff.drawn()),
                airtime,
                sent_data,
                outcome,
            };
            cell.on_outcome(attempt, attempt.carried_alone());
        }
    }
}
