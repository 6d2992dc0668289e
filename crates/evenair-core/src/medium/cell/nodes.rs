//! What a medium finds in its cell: the transmit queues of the nodes, and the loss models of their links.

use super::downlinks::Downlinks;
use super::packet::{Arrival, CellPacket};
use crate::flow_losses::FlowLosses;
use crate::loss::{Frame, FrameKind, Level, LinkLoss};
use crate::medium::{
    AirEvent, CellContext, Occupancy, PacketId, Reception, Taken, Transmission, TxQueueId, TxStatus,
};
use crate::packet::{Direction, NodeId};
use crate::queue::{Backlog, TxQueue};
use crate::time::Instant;

/// Everything of a cell that its medium may use.
#[derive(Debug)]
pub(super) struct Nodes<P> {
    pub(super) queues: Vec<TxQueue<P>>,
    /// The node of each queue.
    pub(super) senders: Vec<NodeId>,
    /// The queues of the access point for each station, if it has them.
    pub(super) downlinks: Option<Box<Downlinks>>,
    /// Packets that were dequeued but were larger than the medium asked for.
    set_aside: Vec<(TxQueueId, P)>,
    /// By [`PacketId`].
    pub(super) taken: Vec<InService<P>>,
    free: Vec<u32>,
    /// By node; of the link between that station and the access point.
    pub(super) losses: Vec<Option<Box<LinkLoss>>>,
    /// [`LinkLoss::no_loss_before`] of each, at [`Level::Mac`].
    no_loss_before: Vec<Instant>,
    /// Packets discarded after the MAC had delivered them, by node.
    pub(super) residual_losses: Vec<u64>,
    /// Packets that their MAC has given up, by flow.
    pub(super) given_up: FlowLosses,
    /// Packets that a loss model has discarded, by flow.
    pub(super) discarded: FlowLosses,
    /// Packets that their MAC has given up and that are known not to have been received.
    pub(super) mac_losses: u64,
    /// Queues in which a shaper holds packets back that the medium asked for, and when they are ready.
    held: Vec<(Instant, TxQueueId)>,
    /// The first of those times.
    pub(super) held_until: Instant,
    /// Counts attempts, if anybody wants to know.
    pub(super) occupancy: Option<Box<Occupancy>>,
    /// The events of the air that nobody has asked for yet, if they are recorded.
    pub(super) recorded: Option<Vec<AirEvent>>,
}

#[derive(Debug)]
pub(super) struct InService<P> {
    pub(super) packet: P,
    /// [`NO_QUEUE`] of a broadcast frame.
    queue: TxQueueId,
}

pub(super) const NO_QUEUE: TxQueueId = TxQueueId(u32::MAX);

impl<P: CellPacket> Nodes<P> {
    /// Nodes with these queues, the senders of which are `senders`, and the loss model of the link of each.
    pub(super) fn new(
        queues: Vec<TxQueue<P>>,
        senders: Vec<NodeId>,
        losses: Vec<Option<LinkLoss>>,
    ) -> Self {
        let no_loss_before = |loss: &Option<LinkLoss>| {
            loss.as_ref().map_or(Instant::NEVER, |loss| loss.no_loss_before(Level::Mac))
        };
        Self {
            queues,
            senders,
            downlinks: None,
            set_aside: Vec::new(),
            taken: Vec::new(),
            free: Vec::new(),
            residual_losses: vec![0; losses.len()],
            no_loss_before: losses.iter().map(no_loss_before).collect(),
            losses: losses.into_iter().map(|loss| loss.map(Box::new)).collect(),
            given_up: FlowLosses::default(),
            discarded: FlowLosses::default(),
            mac_losses: 0,
            held: Vec::new(),
            held_until: Instant::NEVER,
            occupancy: None,
            recorded: None,
        }
    }

    /// Hands `packet` of `queue` to the medium.
    #[inline(always)]
    pub(super) fn serve(&mut self, queue: TxQueueId, packet: P) -> Taken {
        let bytes = packet.size();
        let to = packet.destination(self.senders[queue.0 as usize]);
        Taken { packet: self.keep(queue, packet), to, bytes }
    }

    /// Keeps a packet of `queue` until the medium releases it.
    #[inline(always)]
    pub(super) fn keep(&mut self, queue: TxQueueId, packet: P) -> PacketId {
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

    /// Queues a packet of the access point for its station.
    #[inline(never)] // only with a scheduler
    pub(super) fn enqueue_downlink(&mut self, now: Instant, packet: P) {
        if let Some(downlinks) = &mut self.downlinks {
            downlinks.enqueue(now, packet, &mut self.queues);
        }
    }

    /// The next packet of the access point, which the scheduler chooses.
    #[inline(never)] // only with a scheduler
    fn take_downlink(&mut self, now: Instant, max_bytes: u32) -> Option<Taken> {
        loop {
            let queue = self.downlinks.as_mut()?.next_queue()?;
            if let Some(taken) = self.take_from(now, queue, max_bytes) {
                return Some(taken);
            }
            self.downlinks.as_mut()?.has_no_backlog();
        }
    }

    /// Remembers to wake the medium when the shaper of `queue` is ready.
    #[cold]
    fn hold(&mut self, queue: TxQueueId) {
        let ready_at = self.queues[queue.0 as usize].ready_at();
        self.held.retain(|&(_, other)| other != queue);
        self.held.push((ready_at, queue));
        self.held_until = self.held_until.min(ready_at);
    }

    /// The queues whose shapers are ready.
    pub(super) fn no_longer_held(&mut self, now: Instant) -> Vec<TxQueueId> {
        let ready = self.held.extract_if(.., |&mut (at, _)| at <= now);
        let ready = ready.map(|(_, queue)| queue).collect();
        self.held_until = self.held.iter().map(|&(at, _)| at).min().unwrap_or(Instant::NEVER);
        ready
    }

    /// Copies a received packet, and applies the loss model behind the MAC.
    #[inline(always)]
    pub(super) fn receive(&mut self, reception: Reception) -> Arrival<P> {
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

    fn on_air(&mut self, event: AirEvent) {
        if let AirEvent::Outcome(attempt) = &event {
            if let Some(occupancy) = &mut self.occupancy {
                let (flow, _) = self.taken[attempt.packet.0 as usize].packet.connection();
                occupancy.count(flow, attempt);
            }
            if let Some(downlinks) = &mut self.downlinks {
                downlinks.count(attempt);
            }
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.push(event);
        }
    }
}
