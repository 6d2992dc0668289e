//! A cell: a medium, the transmit queues of its nodes, and the loss models of its links.

mod downlinks;
#[cfg(test)]
mod tests;

use downlinks::Downlinks;

use super::scheduler::AirtimeDrr;
use super::{
    AirUsage, Attempt, CellContext, Medium, Occupancy, PacketId, QueueLayout, Reception, Taken,
    Transmission, TxQueueId, TxStatus,
};
use crate::flow_losses::FlowLosses;
use crate::loss::{Frame, FrameKind, Level, LinkLoss};
use crate::packet::{Direction, NodeId, Packet};
use crate::queue::{Backlog, Dropped, QueueItem, TxQueue};
use crate::time::{Duration, Instant};

/// A packet that can cross a cell. Its copies stand for the same data.
pub trait CellPacket: QueueItem + Clone {
    /// The node that is to receive it when `from` transmits it.
    fn destination(&self, from: NodeId) -> NodeId;

    /// Traffic class, below the number of classes of the medium.
    fn class(&self) -> u32 {
        0
    }

    /// The packet for its receiver. The sender's MAC keeps a copy until it is done with it.
    #[inline(always)]
    fn receive(&mut self) -> Self {
        self.clone()
    }

    /// The sender's MAC is done with it. Returns whether it is known that nobody has received it.
    #[inline(always)]
    fn release(&mut self) -> bool {
        false
    }
}

impl CellPacket for Packet {
    #[inline(always)]
    fn destination(&self, from: NodeId) -> NodeId {
        if from.is_access_point() { self.station } else { NodeId::ACCESS_POINT }
    }
}

/// A packet that has crossed the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<P> {
    /// When.
    pub at: Instant,
    /// The node that transmitted it.
    pub from: NodeId,
    /// The node that received it.
    pub to: NodeId,
    /// The packet.
    pub packet: P,
    /// The MAC has delivered it, but a loss model of level [`Level::Ip`] discards it: it may be
    /// captured, and goes no further.
    pub lost: bool,
}

/// A wireless cell. It knows packets and time, but neither flows nor routes: a driver hands it
/// packets, calls [`Cell::poll`] when [`Cell::poll_at`] says so, and gets back what has arrived. Drivers are
/// the simulator, and programs that follow the wall clock (see the example `realtime_cell`).
#[derive(Debug)]
pub struct Cell<M, P = Packet> {
    medium: M,
    nodes: Nodes<P>,
}

/// Everything of a cell that its medium may use.
#[derive(Debug)]
struct Nodes<P> {
    queues: Vec<TxQueue<P>>,
    /// The node of each queue.
    senders: Vec<NodeId>,
    /// The queues of the access point for each station, if it has them.
    downlinks: Option<Box<Downlinks>>,
    /// Packets that were dequeued but were larger than the medium asked for.
    set_aside: Vec<(TxQueueId, P)>,
    /// By [`PacketId`].
    taken: Vec<InService<P>>,
    free: Vec<u32>,
    /// By node; of the link between that station and the access point.
    losses: Vec<Option<Box<LinkLoss>>>,
    /// [`LinkLoss::no_loss_before`] of each, at [`Level::Mac`].
    no_loss_before: Vec<Instant>,
    /// Packets discarded after the MAC had delivered them, by node.
    residual_losses: Vec<u64>,
    /// Packets that their MAC has given up, by flow.
    given_up: FlowLosses,
    /// Packets that a loss model has discarded, by flow.
    discarded: FlowLosses,
    /// Packets that their MAC has given up and that are known not to have been received.
    mac_losses: u64,
    /// Queues in which a shaper holds packets back that the medium asked for, and when they are ready.
    held: Vec<(Instant, TxQueueId)>,
    /// The first of those times.
    held_until: Instant,
    /// Counts attempts, if anybody wants to know.
    occupancy: Option<Box<Occupancy>>,
}

#[derive(Debug)]
struct InService<P> {
    packet: P,
    /// [`NO_QUEUE`] of a broadcast frame.
    queue: TxQueueId,
}

const NO_QUEUE: TxQueueId = TxQueueId(u32::MAX);

impl<M: Medium, P: CellPacket> Cell<M, P> {
    /// `medium` with `queues` in the order of its layout, and the loss model of each node's link
    /// with the access point; the entry of the access point itself is not used.
    ///
    /// # Panics
    /// If the number of queues is not that of the layout.
    pub fn new(medium: M, queues: Vec<TxQueue<P>>, losses: Vec<Option<LinkLoss>>) -> Self {
        let nodes = losses.len();
        assert_eq!(queues.len(), M::LAYOUT.count(nodes as u32) as usize, "queues of the layout");
        let ids = (0..queues.len() as u32).map(TxQueueId);
        let no_loss_before = |loss: &Option<LinkLoss>| {
            loss.as_ref().map_or(Instant::NEVER, |loss| loss.no_loss_before(Level::Mac))
        };
        Self {
            medium,
            nodes: Nodes {
                senders: ids.map(|queue| M::LAYOUT.sender(queue)).collect(),
                downlinks: None,
                set_aside: Vec::new(),
                queues,
                taken: Vec::new(),
                free: Vec::new(),
                no_loss_before: losses.iter().map(no_loss_before).collect(),
                losses: losses.into_iter().map(|loss| loss.map(Box::new)).collect(),
                residual_losses: vec![0; nodes],
                given_up: FlowLosses::default(),
                discarded: FlowLosses::default(),
                mac_losses: 0,
                held: Vec::new(),
                held_until: Instant::NEVER,
                occupancy: None,
            },
        }
    }

    /// Gives the access point a queue for each station instead of one for all, which stays empty.
    /// `scheduler` chooses among them. They follow the queues of the layout in [`Cell::queues`].
    ///
    /// # Panics
    /// If the layout has queues for each station already, or the number of queues is not that of
    /// the stations.
    #[must_use]
    pub fn with_scheduler(mut self, scheduler: AirtimeDrr, queues: Vec<TxQueue<P>>) -> Self {
        let nodes = &mut self.nodes;
        assert_eq!(M::LAYOUT, QueueLayout::PerNode, "one queue of the access point");
        assert_eq!(queues.len() + 1, nodes.losses.len(), "a queue for each station");
        nodes.downlinks = Some(Box::new(Downlinks::new(scheduler, nodes.queues.len() as u32)));
        nodes.senders.extend(queues.iter().map(|_| NodeId::ACCESS_POINT));
        nodes.queues.extend(queues);
        self.medium.report_attempts();
        self
    }

    /// Counts attempts in `occupancy` from now on.
    pub fn observe_occupancy(&mut self, occupancy: Occupancy) {
        self.nodes.occupancy = Some(Box::new(occupancy));
        self.medium.report_attempts();
    }

    /// The attempts counted so far; `None` without [`Cell::observe_occupancy`].
    pub fn occupancy(&self) -> Option<&Occupancy> {
        self.nodes.occupancy.as_deref()
    }

    /// `from` has a packet to transmit, whose [`QueueItem::enqueued_at`] is `now`. What was due
    /// before `now` has been polled.
    #[inline(always)]
    pub fn send(&mut self, now: Instant, from: NodeId, packet: P) {
        let queue = M::LAYOUT.queue(from, packet.destination(from), packet.class());
        if self.nodes.downlinks.is_some() && from.is_access_point() {
            self.nodes.enqueue_downlink(now, packet);
            return self.medium.wake(now, queue, &mut self.nodes);
        }
        let tx_queue = &mut self.nodes.queues[queue.0 as usize];
        if !self.medium.is_idle(queue) {
            return tx_queue.enqueue(now, packet);
        }
        if tx_queue.pass_through(&packet) {
            let taken = self.nodes.serve(queue, packet);
            return self.medium.accept(now, queue, taken);
        }
        tx_queue.enqueue(now, packet);
        self.medium.wake(now, queue, &mut self.nodes);
    }

    /// The access point broadcasts `packet`, see [`Medium::broadcast`]. It is not queued, and arrives at
    /// [`NodeId::BROADCAST`].
    pub fn broadcast(&mut self, now: Instant, packet: P) {
        let bytes = packet.size();
        let packet = self.nodes.keep(NO_QUEUE, packet);
        let frame = Taken { packet, to: NodeId::BROADCAST, bytes };
        self.medium.broadcast(now, frame, &mut self.nodes);
    }

    /// When [`Cell::poll`] is to be called next.
    pub fn poll_at(&self) -> Instant {
        self.medium.poll_at().min(self.nodes.held_until)
    }

    /// Does what is due before `limit`, up to the next packet that arrives.
    #[inline(always)]
    pub fn poll(&mut self, limit: Instant) -> Option<Arrival<P>> {
        loop {
            if let Some(reception) = self.medium.poll(limit, &mut self.nodes) {
                return Some(self.nodes.receive(reception));
            }
            if self.nodes.held_until >= limit {
                return None;
            }
            self.release_held();
        }
    }

    /// When a shaper is ready that holds packets back; [`Cell::poll`] then wakes the medium.
    pub fn shaper_ready_at(&self) -> Instant {
        self.nodes.held_until
    }

    /// A packet that the medium has taken and not yet released.
    pub fn packet(&self, id: PacketId) -> &P {
        &self.nodes.taken[id.0 as usize].packet
    }

    /// The packets that the queues of `node` have dropped since the last call, none before the first
    /// one.
    pub fn take_drops(&mut self, node: NodeId) -> Vec<Dropped<P>> {
        let senders = self.nodes.senders.iter();
        let queues = self.nodes.queues.iter_mut().zip(senders);
        let own = queues.filter(|(_, sender)| **sender == node);
        own.flat_map(|(queue, _)| queue.take_drops()).collect()
    }

    /// The medium.
    pub fn medium(&self) -> &M {
        &self.medium
    }

    /// The number of nodes, the access point included.
    pub fn nodes(&self) -> usize {
        self.nodes.losses.len()
    }

    /// The transmit queues, in the order of the layout of the medium, then those of a scheduler.
    pub fn queues(&self) -> &[TxQueue<P>] {
        &self.nodes.queues
    }

    /// The nodes that transmit from these queues.
    pub fn senders(&self) -> &[NodeId] {
        &self.nodes.senders
    }

    /// The transmit queues of `node`.
    pub fn queues_of(&self, node: NodeId) -> impl Iterator<Item = &TxQueue<P>> {
        let senders = self.nodes.senders.iter();
        let each = self.nodes.queues.iter().zip(senders);
        each.filter(move |(_, sender)| **sender == node).map(|(queue, _)| queue)
    }

    /// What `node` has transmitted by `now`, up to which the cell has been polled.
    pub fn usage(&self, now: Instant, node: NodeId) -> AirUsage {
        self.medium.usage(now, node)
    }

    /// How long the traffic of `node` in both directions has been on the air by `now`.
    pub fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration {
        self.medium.traffic_airtime(now, node)
    }

    /// Packets that were lost on the link of `node` after the MAC had delivered them, since the last
    /// reset.
    pub fn residual_losses(&self, node: NodeId) -> u64 {
        self.nodes.residual_losses[node.index()]
    }

    /// Packets that a MAC has given up since the last reset, by flow: at a retry limit, or with a bandwidth
    /// request. A packet of which only the acknowledgements were lost has been received nevertheless.
    pub fn given_up(&self) -> &FlowLosses {
        &self.nodes.given_up
    }

    /// Packets that a loss model has discarded since the last reset, by flow: after the MAC had
    /// delivered them, or on a medium that does not repeat them.
    pub fn discarded(&self) -> &FlowLosses {
        &self.nodes.discarded
    }

    /// Packets that a MAC has given up since the start and that were not received: without those of
    /// which only the acknowledgements were lost ([`TxStatus::Dropped`]). Only of packets that know
    /// ([`CellPacket::release`]).
    pub fn mac_losses(&self) -> u64 {
        self.nodes.mac_losses
    }

    /// Starts the statistics of queues, losses and the medium anew; [`Cell::usage`] counts on.
    pub fn reset_stats(&mut self, now: Instant) {
        for queue in &mut self.nodes.queues {
            queue.reset(now);
        }
        self.nodes.residual_losses.fill(0);
        self.nodes.given_up.clear();
        self.nodes.discarded.clear();
        self.medium.reset_stats(now);
    }

    /// Wakes the medium for the queues whose shapers are ready.
    #[cold]
    fn release_held(&mut self) {
        let now = self.nodes.held_until;
        let (ready, held): (Vec<_>, Vec<_>) =
            self.nodes.held.iter().partition(|&&(at, _)| at <= now);
        self.nodes.held_until = held.iter().map(|&(at, _)| at).min().unwrap_or(Instant::NEVER);
        self.nodes.held = held;
        for (_, queue) in ready {
            let queue = self.nodes.served_as(queue);
            self.medium.wake(now, queue, &mut self.nodes);
        }
    }
}

impl<P: CellPacket> Nodes<P> {
    /// Hands `packet` of `queue` to the medium.
    #[inline(always)]
    fn serve(&mut self, queue: TxQueueId, packet: P) -> Taken {
        let bytes = packet.size();
        let to = packet.destination(self.senders[queue.0 as usize]);
        Taken { packet: self.keep(queue, packet), to, bytes }
    }

    /// Keeps a packet of `queue` until the medium releases it.
    #[inline(always)]
    fn keep(&mut self, queue: TxQueueId, packet: P) -> PacketId {
        let entry = InService { packet, queue };
        let id = match self.free.pop() {
            Some(id) => {
                self.taken[id as usize] = entry;
                id
            }
            None => {
                self.taken.push(entry);
                self.taken.len() as u32 - 1
            }
        };
        PacketId(id)
    }

    /// The next packet of `queue`, see [`CellContext::take`].
    #[inline(always)]
    fn take_from(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken> {
        let index = queue.0 as usize;
        let source = &mut self.queues[index];
        let mut packet = None;
        if !self.set_aside.is_empty() {
            let found = self.set_aside.iter().position(|(of, _)| *of == queue);
            packet = found.map(|place| self.set_aside.swap_remove(place).1);
        }
        if packet.is_none() {
            packet = source.dequeue(now);
        }
        let Some(packet) = packet else {
            if source.backlog().packets() > 0 {
                self.hold(queue);
            }
            return None;
        };
        if packet.size() > max_bytes {
            self.set_aside.push((queue, packet));
            return None;
        }
        Some(self.serve(queue, packet))
    }

    /// Remembers to wake the medium when the shaper of `queue` is ready.
    #[cold]
    fn hold(&mut self, queue: TxQueueId) {
        let ready_at = self.queues[queue.0 as usize].ready_at();
        self.held.retain(|&(_, other)| other != queue);
        self.held.push((ready_at, queue));
        self.held_until = self.held_until.min(ready_at);
    }

    /// Copies a received packet, and applies the loss model behind the MAC.
    #[inline(always)]
    fn receive(&mut self, reception: Reception) -> Arrival<P> {
        let Reception { at, packet: id, from, to, rate } = reception;
        let packet = self.taken[id.0 as usize].packet.receive();
        let direction = Direction::from_node(from);
        let station = if direction == Direction::Down { to } else { from };
        // Broadcast frames are no packets of a link.
        let lost = match self.losses.get_mut(station.index()) {
            Some(Some(loss)) => {
                let frame = Frame { kind: FrameKind::Data, rate, bytes: packet.size() };
                loss.lose(Level::Ip, direction, at, frame)
            }
            _ => false,
        };
        if lost {
            self.residual_losses[station.index()] += 1;
            self.discard(id);
        }
        Arrival { at, from, to, packet, lost }
    }

    /// A loss model has discarded `packet`. The fields of the copy that arrives are not read, so that it is
    /// copied as a whole.
    #[cold]
    fn discard(&mut self, packet: PacketId) {
        let InService { packet, .. } = &self.taken[packet.0 as usize];
        self.discarded.count(packet.connection().0, packet.is_pure_ack());
    }

    /// The MAC is done with `packet`, which no longer counts against the limit of its queue.
    #[inline(always)]
    fn end_service(&mut self, packet: PacketId, status: TxStatus) {
        let InService { packet: sent, queue } = &mut self.taken[packet.0 as usize];
        if let Some(queue) = self.queues.get_mut(queue.0 as usize) {
            queue.transmitted(sent.size());
            let is_lost = sent.release() && status == TxStatus::Dropped;
            self.mac_losses += u64::from(is_lost);
        }
        self.free.push(packet.0);
    }
}

impl<P: CellPacket> CellContext for Nodes<P> {
    fn backlog(&self, queue: TxQueueId) -> &Backlog {
        self.queues[queue.0 as usize].backlog()
    }

    #[inline(always)]
    fn wake_at(&self) -> Instant {
        self.held_until
    }

    #[inline(always)]
    fn take(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken> {
        if self.downlinks.is_some() && self.senders[queue.0 as usize].is_access_point() {
            return self.take_downlink(now, max_bytes);
        }
        self.take_from(now, queue, max_bytes)
    }

    #[inline(always)]
    fn release(&mut self, _now: Instant, packet: PacketId, status: TxStatus) {
        if status == TxStatus::Dropped {
            let InService { packet, queue } = &self.taken[packet.0 as usize];
            if *queue != NO_QUEUE {
                self.given_up.count(packet.connection().0, packet.is_pure_ack());
            }
        }
        self.end_service(packet, status);
    }

    fn lose(&mut self, _now: Instant, packet: PacketId) {
        self.discard(packet);
        self.end_service(packet, TxStatus::Dropped);
    }

    #[inline(always)]
    fn no_loss_before(&self, station: NodeId) -> Instant {
        self.no_loss_before[station.index()]
    }

    fn is_corrupted(&mut self, transmission: &Transmission) -> bool {
        let Transmission { at, station, direction, kind, rate, bytes } = *transmission;
        let Some(loss) = &mut self.losses[station.index()] else { return false };
        let corrupted = loss.lose(Level::Mac, direction, at, Frame { kind, rate, bytes });
        self.no_loss_before[station.index()] = loss.no_loss_before(Level::Mac);
        corrupted
    }

    fn on_attempt(&mut self, _now: Instant, attempt: &Attempt) {
        if let Some(occupancy) = &mut self.occupancy {
            let (flow, _) = self.taken[attempt.packet.0 as usize].packet.connection();
            occupancy.count(flow, attempt);
        }
        if let Some(downlinks) = &mut self.downlinks {
            downlinks.count(attempt);
        }
    }
}
