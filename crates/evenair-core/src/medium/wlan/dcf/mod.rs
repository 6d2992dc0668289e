//! The channel of one 802.11 cell and the MAC of every node in it. `attempt.rs` has the frames of
//! an attempt and what follows from a failure.
//!
//! **Rules** (IEEE 802.11-2007, clause 9.2; one collision domain: every node hears every other).
//! - A node whose packet arrives while the medium is idle, and whose post-backoff is over, transmits
//!   at the next slot boundary (immediate access, 9.2.5.1). A packet that arrives while the medium is
//!   busy waits for a backoff. `contention/mod.rs` defines slots, freezing and who may use slot 0.
//! - A backoff is uniform on 0..=CW. CW starts at CWmin, becomes 2 CW + 1 (at most CWmax) after each
//!   failed attempt, and CWmin again after a success or a drop (9.2.4). Every packet, whether
//!   delivered or dropped, is followed by a post-backoff (9.2.5.2).
//! - A data frame is acknowledged after SIFS. Frames longer than the RTS threshold follow an RTS/CTS
//!   exchange. Nodes that hear an exchange are silent until its end (NAV).
//! - A sender that gets no response waits SIFS + slot + aPHY-RX-START-Delay after its frame (9.2.8) and
//!   then starts its backoff. The DIFS of idle medium that must precede a backoff slot (9.2.5.2) has
//!   passed by then, or passes after the end of the longest frame.
//! - All other nodes have heard a frame that they could not decode, and wait EIFS from its end
//!   (9.2.3.4) instead of DIFS. A corrupted frame is taken to be undecodable for all listeners; a
//!   listener resets the NAV of an RTS whose CTS it could not decode (permitted by 9.2.5.4). The
//!   sender of the shorter frame in a collision was transmitting when the longer frame began, and so
//!   has not detected a frame: it waits for its response timeout and a DIFS, not for an EIFS.
//! - A sender that receives a corrupted CTS or ACK, too, waits EIFS from its end, and has failed
//!   (9.2.8). The node that transmitted this frame waits DIFS. A data frame that is retransmitted
//!   because its ACK was lost is acknowledged again, but delivered once (9.2.9).
//! - Retry limits count attempts (9.2.5.3): the short one those of RTS frames and of frames without
//!   RTS, the long one those of data frames after RTS/CTS. A packet is dropped at its limit.
//!
//! The consequences of a failed attempt (drop, new backoff) are applied when the medium becomes idle.
//! This is indistinguishable from doing so at the response timeout, because no node can transmit in
//! between.
//!
//! A MAC takes its next packet as soon as it is done with the last one, before it contends: an 802.11
//! interface without aggregation holds one packet while it waits for access.

mod airtime;
mod attempt;
mod beacon;
mod exchange;
mod link;
mod mac;
mod observe;

pub use exchange::Exchange;
pub use observe::{Access, AirFrame, FrameFate, FrameType, IdlePeriod, Transmitter};

use exchange::{ExchangeFrame, Failure};
use link::{Adaptation, Link};
use mac::{Mac, Suspended};

use super::channel::Channel;
use super::config::{DcfConfig, StationConfig};
use super::contention::{self, Contention};
use super::rate_control::Outcome;
use crate::medium::{
    AirUsage, CellContext, Medium, QueueLayout, Reception, Taken, TxQueueId, TxStatus,
};
use crate::packet::{Direction, NodeId};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Idle; slot boundaries lie at `grid` + k slots.
    Idle { grid: Instant },
    /// A single node's exchange; its data frame ends when the phase is `due`.
    Sending,
    /// The acknowledgement of that frame ends when the phase is `due`.
    Acknowledging,
    /// An attempt that fails; its last frame ends when the phase is `due`.
    Failing(Failure),
}

/// An 802.11 cell.
#[derive(Debug)]
pub struct Dcf {
    config: DcfConfig,
    /// Slot boundaries that EIFS takes beyond DIFS.
    eifs_slots: u64,
    macs: Vec<Mac>,
    /// The link between each node and the access point, down and up. The entry of the access point
    /// itself is that of its beacons.
    links: Vec<[Link; 2]>,
    /// Whether any link has rate control.
    adapts: bool,
    /// How often the rate of a link has changed.
    rate_changes: u64,
    /// The channel of each node's link.
    channels: Vec<Option<Box<Channel>>>,
    /// Whether there is any.
    has_channels: bool,
    /// Airtime that the counters of `links` contain more than once. Of a station: its frames that
    /// collided with frames of the access point for it. Of the access point: all frames
    /// that overlapped a longer one.
    overlap: Vec<Duration>,
    contention: Contention,
    phase: Phase,
    /// When the phase ends. Of an idle medium: the time of the next access, or an earlier time while
    /// that is not known.
    due: Instant,
    /// The present, or last, exchange of a single node.
    exchange: Exchange,
    /// The slot boundary of the next access while the medium is idle; `None` when there is none, or
    /// when it has to be looked up again.
    next_access: Option<u64>,
    /// The nodes of the present, or last, attempt.
    transmitters: Vec<NodeId>,
    /// Those of them that have given up their packet.
    dropped: Vec<NodeId>,
    /// Whether more may follow the end of an attempt than the node's next packet: a report, or a beacon.
    watched: bool,
    /// A beacon that waits for the end of an attempt of the access point.
    next_beacon: Option<Taken>,
    /// The packet of the access point that waits for its beacon to be sent.
    suspended: Option<Suspended>,
    /// The stations that decoded the last beacon, by node.
    decoded: Vec<bool>,
}

impl Dcf {
    /// A cell of an access point (first) and stations. Of the access point itself only the PHY is used,
    /// which is that of the cell. Backoffs, losses of the channels and samples of rate control are drawn
    /// from the streams of `seed`.
    pub fn new(config: DcfConfig, nodes: &[StationConfig], seed: u64) -> Self {
        let phy = &config.phy;
        let mac = |(entity, node): (u64, &StationConfig)| {
            Mac::new(phy.cw_min_of(node.phy), RngStream::new(seed, StreamId::Backoff, entity))
        };
        let channel = |(entity, node): (u64, &StationConfig)| {
            let stream = RngStream::new(seed, StreamId::Channel, entity);
            node.channel.as_ref().map(|config| Box::new(Channel::new(config, phy, stream)))
        };
        let channels: Vec<_> = (0..).zip(nodes).map(channel).collect();
        let link = |entity: usize, direction: usize| {
            let (node, channel) = (&nodes[entity], channels[entity].as_deref());
            let entity = 2 * entity as u64 + direction as u64;
            let stream = RngStream::new(seed, StreamId::RateControl, entity);
            Link::new(&config, node.rate, Adaptation::new(&config, node, channel, stream))
        };
        let mut links: Vec<_> =
            (0..nodes.len()).map(|node| [0, 1].map(|way| link(node, way))).collect();
        let beacons = config.control_rate.of_beacons(phy);
        links[NodeId::ACCESS_POINT.index()] = [0, 1].map(|_| Link::new(&config, beacons, None));
        Self {
            eifs_slots: phy.eifs().saturating_sub(phy.difs()).div_ceil(phy.slot),
            macs: (0..).zip(nodes).map(mac).collect(),
            adapts: links.iter().flatten().any(|link| link.adaptation.is_some()),
            links,
            rate_changes: 0,
            has_channels: channels.iter().any(Option::is_some),
            channels,
            overlap: vec![Duration::ZERO; nodes.len()],
            contention: Contention::new(nodes.len(), phy.cw_max),
            phase: Phase::Idle { grid: Instant::ZERO + phy.difs() },
            due: Instant::NEVER,
            exchange: Exchange {
                start: Instant::ZERO,
                data_start: Instant::ZERO,
                data_end: Instant::ZERO,
                ack_end: Instant::ZERO,
                rate: phy.rates[0],
                rts: false,
                cts_to_self: false,
                acknowledged: false,
                retries: 0,
            },
            next_access: None,
            transmitters: Vec::with_capacity(nodes.len()),
            dropped: Vec::with_capacity(nodes.len()),
            watched: false,
            next_beacon: None,
            suspended: None,
            decoded: vec![false; nodes.len()],
            config,
        }
    }

    /// The timing of the cell.
    pub fn config(&self) -> &DcfConfig {
        &self.config
    }

    /// The exchange of a reception that has just been reported.
    pub fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// The number of nodes, the access point included.
    pub fn nodes(&self) -> u32 {
        self.macs.len() as u32
    }

    /// The present rate of the link of `station`. Frames with which rate control tries other rates do
    /// not count.
    pub fn rate(&self, station: NodeId, direction: Direction) -> Rate {
        self.links[station.index()][direction as usize].rate()
    }

    /// How often the rate of any link has changed.
    pub fn rate_changes(&self) -> u64 {
        self.rate_changes
    }

    /// The data frames of the link of `station` at each rate that it can have, ascending; `None` where
    /// the rate is fixed.
    pub fn frames_by_rate(
        &self,
        station: NodeId,
        direction: Direction,
    ) -> Option<impl Iterator<Item = (Rate, u64)>> {
        let link = &self.links[station.index()][direction as usize];
        link.adaptation.as_ref().map(|adaptation| adaptation.frames_by_rate())
    }

    /// Whether `station` decoded the last beacon that met no other frame.
    pub fn decoded(&self, station: NodeId) -> bool {
        self.decoded[station.index()]
    }

    /// [`DcfConfig::exchange_time`] between the access point and `station` at the present rate.
    pub fn exchange_time(&self, station: NodeId, direction: Direction, bytes: u32) -> Duration {
        self.config.exchange_time(self.rate(station, direction), bytes)
    }

    /// The MAC of `node`, which has no packet, takes the next one.
    #[inline(always)]
    fn fetch(&mut self, now: Instant, node: NodeId, cell: &mut impl CellContext) {
        let queue = Self::queue_of(node);
        if let Some(taken) = cell.take(now, queue, u32::MAX) {
            self.accept(now, queue, taken);
        }
    }

    /// `node` has a packet and contends for the medium.
    fn contend(&mut self, now: Instant, node: NodeId) {
        let (grid, slot) = match self.phase {
            Phase::Idle { grid } => (Some(grid), self.config.phy.slot),
            _ => (None, Duration::ZERO),
        };
        // Most packets are taken when the last exchange has ended, before the slots begin.
        let boundary =
            grid.map(|grid| if now <= grid { 0 } else { now.since(grid).div_ceil(slot) });
        if self.contention.arrive(node, boundary) == contention::Access::BackoffOver {
            let mac = &mut self.macs[node.index()];
            match (boundary, grid) {
                (Some(boundary), _) if self.config.immediate_access => {
                    mac.drawn = 0;
                    self.contention.immediate(node, boundary);
                }
                (Some(_), Some(grid)) => {
                    let after_difs = (now + self.config.phy.difs()).since(grid).div_ceil(slot);
                    self.contention.late_backoff(node, after_difs, mac.draw_backoff());
                }
                _ => self.contention.defer(node, mac.draw_backoff()),
            }
        }
        if grid.is_some() {
            self.next_access = None;
            self.due = now;
        }
    }

    /// The transmissions of slot boundary `boundary`, which is `now`.
    #[inline(always)]
    fn begin(&mut self, now: Instant, boundary: u64, cell: &mut impl CellContext) {
        let macs = &mut self.macs;
        let draw = |node: NodeId| macs[node.index()].draw_backoff();
        self.contention.seize(boundary, &mut self.transmitters, draw);
        match self.transmitters[..] {
            [node] => self.send(now, node, cell),
            _ => self.collide(now),
        }
    }

    /// The busy period ends when it is `due`; nodes in the slot ring count from boundary `ring_from`.
    fn become_idle(&mut self, ring_from: u64) {
        self.phase = Phase::Idle { grid: self.due + self.config.phy.difs() };
        self.next_access = None;
        self.contention.idle(ring_from);
    }

    /// Looks up the next access.
    fn schedule_access(&mut self, grid: Instant) {
        self.next_access = self.contention.next_access();
        self.due = match self.next_access {
            Some(boundary) => grid + self.config.phy.slot * boundary,
            None => Instant::NEVER,
        };
    }

    /// `node` is done with its packet: it draws a post-backoff, which counts from boundary `from`.
    fn finish(
        &mut self,
        now: Instant,
        node: NodeId,
        from: u64,
        status: TxStatus,
        cell: &mut impl CellContext,
    ) {
        let mac = &mut self.macs[node.index()];
        let backoff = mac.complete(status);
        if let Some(packet) = mac.packet.take() {
            cell.release(now, packet, status);
        }
        self.contention.back_off(node, from, backoff, false);
    }

    /// The exchange of `node` has succeeded: the medium becomes idle, and `node` takes its next packet.
    /// Has the effect of [`Dcf::finish`] and [`Dcf::fetch`]: the backoff that follows an exchange is also
    /// that of a packet that already waits (9.2.5.2).
    #[inline(always)]
    fn succeed(&mut self, now: Instant, node: NodeId, cell: &mut impl CellContext) {
        self.become_idle(0);
        let mac = &mut self.macs[node.index()];
        let backoff = mac.complete(TxStatus::Delivered);
        if let Some(packet) = mac.packet.take() {
            cell.release(now, packet, TxStatus::Delivered);
        }
        let next = cell.take(now, Self::queue_of(node), u32::MAX);
        if let Some(packet) = next {
            mac.load(&self.config, packet);
        }
        self.contention.back_off(node, 0, backoff, next.is_some());
    }

    fn queue_of(node: NodeId) -> TxQueueId {
        Self::LAYOUT.queue(node, NodeId::ACCESS_POINT, 0)
    }
}

impl Medium for Dcf {
    const LAYOUT: QueueLayout = QueueLayout::PerNode;

    #[inline(always)]
    fn is_idle(&self, queue: TxQueueId) -> bool {
        self.macs[Self::LAYOUT.sender(queue).index()].packet.is_none()
    }

    #[inline(always)]
    fn accept(&mut self, now: Instant, queue: TxQueueId, packet: Taken) {
        let node = Self::LAYOUT.sender(queue);
        self.macs[node.index()].load(&self.config, packet);
        self.contend(now, node);
    }

    #[inline(always)]
    fn wake(&mut self, now: Instant, queue: TxQueueId, cell: &mut impl CellContext) {
        if self.is_idle(queue) {
            self.fetch(now, Self::LAYOUT.sender(queue), cell);
        }
    }

    fn broadcast(&mut self, now: Instant, frame: Taken, cell: &mut impl CellContext) {
        self.send_next(now, frame, cell);
    }

    fn report_attempts(&mut self) {
        self.watched = true;
    }

    fn poll_at(&self) -> Instant {
        self.due
    }

    #[inline(always)]
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        let mut limit = limit.min(cell.wake_at());
        while self.due < limit {
            let now = self.due;
            match self.phase {
                Phase::Idle { grid } => {
                    if self.next_access.is_none() {
                        self.schedule_access(grid);
                    }
                    let boundary = self.next_access.filter(|_| self.due < limit)?;
                    self.begin(self.due, boundary, cell);
                }
                Phase::Sending => {
                    let from = self.transmitters[0];
                    self.phase = match self.exchange.acknowledged {
                        true => Phase::Acknowledging,
                        false => Phase::Failing(Failure::Corrupted(ExchangeFrame::Ack)),
                    };
                    self.due = self.exchange.ack_end;
                    let mac = &self.macs[from.index()];
                    if let Some(packet) = mac.packet {
                        let rate = self.exchange.rate;
                        return Some(Reception { at: now, packet, from, to: mac.to, rate });
                    }
                }
                Phase::Acknowledging => {
                    let node = self.transmitters[0];
                    if self.adapts {
                        self.report(now, node, true, Outcome::Delivered);
                    }
                    if self.watched {
                        self.end_watched(now, node, cell);
                    } else {
                        self.succeed(now, node, cell);
                    }
                    limit = limit.min(cell.wake_at());
                }
                Phase::Failing(failure) => {
                    self.fail(now, failure, cell);
                    limit = limit.min(cell.wake_at());
                }
            }
        }
        None
    }

    fn usage(&self, now: Instant, node: NodeId) -> AirUsage {
        AirUsage { airtime: self.airtime(now, node), ..self.macs[node.index()].usage }
    }

    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration {
        self.airtime_of_traffic(now, node)
    }
}
