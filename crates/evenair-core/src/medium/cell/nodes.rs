//! What a medium finds in its cell: the transmit queues of the nodes, and the loss models of their links.

use super::departures::Departures;
use super::feed::{Fed, Feed};
use super::hardware::Hardware;
use super::packet::{Arrival, CellPacket};
use super::slow_stations::SlowStations;
use crate::flow_losses::FlowLosses;
use crate::loss::{Frame, FrameKind, Level, LinkLoss};
use crate::medium::occupancy::CountedPacket;
use crate::medium::scheduler::StationScheduler;
use crate::medium::{
    AirEvent, Attempt, Carried, CellContext, LinkId, NextPpdu, Occupancy, PacketId, QueueLayout,
    Reception, Setup, Taken, Transmission, TxQueueId, TxStatus,
};
use crate::packet::{AccessCategory, Direction, NodeId, Stage};
use crate::queue::{Backlog, TxQueue};
use crate::time::Instant;
use crate::tournament::Tournament;

/// Everything of a cell that its medium may use.
#[derive(Debug)]
pub(super) struct Nodes<P> {
    pub(super) setup: Setup,
    pub(super) queues: Vec<TxQueue<P>>,
    /// The feed of each of them; empty if none has one.
    feeds: Vec<Fed<P>>,
    /// How many packets of feeds have entered their queues.
    pub(super) fed: u64,
    /// The node of each of them.
    pub(super) senders: Vec<NodeId>,
    /// Of nodes whose queues of the layout in one category are one: its place in `queues`, by queue of the layout.
    /// Empty if each is one of its own.
    places: Vec<u32>,
    /// The queue of the layout from which each of `queues` was served last; as `places`.
    last_served: Vec<TxQueueId>,
    /// Whether the queues of an access point are tins of one; `places` says which.
    pub(super) has_tins: bool,
    /// The rule for slow stations, if there is one.
    pub(super) slow_stations: Option<Box<SlowStations>>,
    /// What the drivers of access points have taken ahead, if they do.
    pub(super) hardware: Option<Box<Hardware<P>>>,
    /// What stations are done with, if that is reported.
    pub(super) departures: Option<Box<Departures<P>>>,
    /// Whether somebody is to be told when the medium is done with a packet: the hardware, or those who want departures.
    pub(super) follows: bool,
    /// Link and receiver of what leaves each queue; `None` of an access point's queue for all its stations.
    routes: Vec<Option<(LinkId, NodeId)>>,
    /// Those of each access point, by category; none if it has one queue, or the medium chooses.
    pub(super) schedulers: Vec<Box<dyn StationScheduler>>,
    /// Whether there are schedulers, or queues of the layout that are one: see [`Nodes::has_choice`].
    pub(super) choice: bool,
    /// Packets that were dequeued and not taken: larger than the medium asked for, or found by
    /// [`Nodes::has_next`].
    pub(super) set_aside: Vec<(TxQueueId, P)>,
    /// By [`PacketId`].
    pub(super) taken: Vec<InService<P>>,
    free: Vec<u32>,
    /// By [`PacketId`], up to the last that a receiver has kept.
    held_by: Vec<Held>,
    /// By number of a station; of its links in both directions.
    losses: Vec<Option<Box<LinkLoss>>>,
    /// [`LinkLoss::no_loss_before`] at [`Level::Mac`], by node.
    no_loss_before: Vec<Instant>,
    /// Packets discarded after the MAC had delivered them, by number of the station.
    pub(super) residual_losses: Vec<u64>,
    /// Packets that their MAC has given up, by flow.
    pub(super) given_up: FlowLosses,
    /// Packets that a loss model has discarded, by flow.
    pub(super) discarded: FlowLosses,
    /// Packets that their MAC has given up and that are known not to have been received.
    pub(super) mac_losses: u64,
    /// By queue of the layout: when it will have what the medium has asked it for in vain, because a shaper holds
    /// its packets back, or its feed has the next one later. Without slots until the first time that this happens.
    /// After these, a slot for departures.
    pub(super) held: Tournament,
    /// Counts attempts, if anybody wants to know.
    pub(super) occupancy: Option<Box<Occupancy>>,
    /// The events of the air that nobody has asked for yet, if they are recorded.
    pub(super) recorded: Option<Vec<AirEvent>>,
}

#[derive(Debug)]
pub(super) struct InService<P> {
    pub(super) packet: P,
    /// The place of its queue in `queues`; [`NO_PLACE`] of a broadcast frame.
    pub(super) place: u32,
    link: LinkId,
}

/// Who needs a packet that the medium has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Sender,
    /// Its receiver will pass it on.
    Both,
    /// Only its receiver needs it.
    Receiver,
}

pub(super) const NO_PLACE: u32 = u32::MAX;
const NO_QUEUE: TxQueueId = TxQueueId(u32::MAX);

impl<P: CellPacket> Nodes<P> {
    /// Nodes with these queues, and the loss model of the link of each. `are_shared`: a node has one for each category.
    pub(super) fn new(
        setup: Setup,
        queues: Vec<TxQueue<P>>,
        are_shared: bool,
        mut losses: Vec<Option<LinkLoss>>,
    ) -> Self {
        let Setup { associations, layout, .. } = &setup;
        let ids = (0..layout.count(associations)).map(TxQueueId);
        let senders_of_layout: Vec<_> =
            ids.map(|queue| layout.sender(associations, queue)).collect();
        let categories = layout.categories();
        let (senders, places) = if are_shared {
            let place =
                |(queue, sender): (u32, &NodeId)| sender.0 * categories + queue % categories;
            let senders = (0..queues.len() as u32).map(|place| NodeId(place / categories));
            (senders.collect(), (0..).zip(&senders_of_layout).map(place).collect())
        } else {
            (senders_of_layout.clone(), Vec::new())
        };
        let route = |(queue, &sender): (u32, &NodeId)| match layout.link(TxQueueId(queue)) {
            Some((link, _)) => Some((link, associations.ends(link).1)),
            None if associations.is_access_point(sender) => None,
            None => Some(associations.route(sender, sender)),
        };
        let routes = (0..).zip(&senders_of_layout).map(route).collect();
        let no_loss_before = losses.iter().map(|loss| {
            loss.as_ref().map_or(Instant::NEVER, |loss| loss.no_loss_before(Level::Mac))
        });
        let no_loss_before = no_loss_before.collect();
        let stations = associations.stations().iter();
        let stations: Vec<_> =
            stations.map(|station| losses[station.index()].take().map(Box::new)).collect();
        Self {
            setup,
            last_served: vec![NO_QUEUE; if are_shared { queues.len() } else { 0 }],
            queues,
            feeds: Vec::new(),
            fed: 0,
            senders,
            places,
            has_tins: false,
            slow_stations: None,
            hardware: None,
            departures: None,
            follows: false,
            routes,
            schedulers: Vec::new(),
            choice: are_shared,
            set_aside: Vec::new(),
            taken: Vec::new(),
            free: Vec::new(),
            held_by: Vec::new(),
            residual_losses: vec![0; stations.len()],
            no_loss_before,
            losses: stations,
            given_up: FlowLosses::default(),
            discarded: FlowLosses::default(),
            mac_losses: 0,
            held: Tournament::default(),
            occupancy: None,
            recorded: None,
        }
    }

    /// The queues of the layout of an access point are tins of its one queue, which come first.
    pub(super) fn share_tins(&mut self) {
        let Setup { associations, layout, .. } = &self.setup;
        let access_points = associations.access_points();
        let mut senders: Vec<_> = access_points.to_vec();
        let ids = (0..layout.count(associations)).map(TxQueueId);
        let place = |id| {
            let sender = layout.sender(associations, id);
            match associations.is_access_point(sender) {
                true => associations.number(sender),
                false => {
                    senders.push(sender);
                    senders.len() as u32 - 1
                }
            }
        };
        self.places = ids.map(place).collect();
        self.senders = senders;
        self.has_tins = true;
    }

    /// The place in `queues` of a queue of the layout.
    #[inline(always)]
    pub(super) fn place(&self, queue: TxQueueId) -> usize {
        let number = queue.0 as usize;
        if self.places.is_empty() { number } else { self.places[number] as usize }
    }

    /// See [`Cell::queue_use`](super::Cell::queue_use).
    pub(super) fn queue_use(&self, place: usize) -> (Option<NodeId>, Option<AccessCategory>) {
        let Setup { associations, layout, .. } = &self.setup;
        if self.has_tins {
            let first = self.places.iter().position(|other| *other as usize == place);
            let queue = TxQueueId(first.unwrap_or(0) as u32);
            let is_shared = associations.is_access_point(self.senders[place]);
            let use_of = layout.link(queue).filter(|_| !is_shared);
            return use_of.map_or((None, None), |(link, category)| {
                let category =
                    (layout.categories() > 1).then(|| AccessCategory::ALL[category as usize]);
                (Some(associations.station(link)), category)
            });
        }
        let number = place as u32 % layout.categories();
        let category = (layout.categories() > 1).then(|| AccessCategory::ALL[number as usize]);
        let link = layout.link(TxQueueId(place as u32)).filter(|_| self.places.is_empty());
        (link.map(|(link, _)| associations.station(link)), category)
    }

    /// The queue for what `from` transmits.
    #[inline(always)]
    pub(super) fn queue_of(&self, from: NodeId, packet: &P) -> TxQueueId {
        self.queue_for(from, packet.station(), packet.access_category())
    }

    /// The queue of `from` for packets of `category` on the link of `station`, which may be `from` itself.
    #[inline(always)]
    fn queue_for(&self, from: NodeId, station: NodeId, category: AccessCategory) -> TxQueueId {
        let Setup { associations, layout, .. } = &self.setup;
        match layout {
            QueueLayout::PerNode => TxQueueId(from.0),
            QueueLayout::PerReceiver { .. } => {
                let (link, _) = associations.route(from, station);
                layout.queue(from, link, category)
            }
        }
    }

    /// Hands `packet` of `queue`, which has this place, to the medium.
    #[inline(always)]
    pub(super) fn serve(
        &mut self,
        now: Instant,
        queue: TxQueueId,
        place: usize,
        mut packet: P,
    ) -> Taken {
        packet.enter(Stage::Air, now);
        let bytes = packet.size();
        let (link, to) = self.routes[queue.0 as usize].unwrap_or_else(|| {
            let station = packet.station();
            (LinkId::new(self.setup.associations.number(station), Direction::Down), station)
        });
        Taken { packet: self.keep(place as u32, link, packet), to, link, bytes }
    }

    /// The same if it has at most `max_bytes`; a larger one is set aside.
    #[inline(always)]
    fn serve_up_to(
        &mut self,
        (now, max_bytes): (Instant, u32),
        queue: TxQueueId,
        place: usize,
        packet: P,
    ) -> Option<Taken> {
        if packet.size() > max_bytes {
            self.set_aside.push((queue, packet));
            return None;
        }
        Some(self.serve(now, queue, place, packet))
    }

    /// The queue of the layout from which a node's queue of several was served last is `queue`.
    #[inline(always)]
    pub(super) fn note_served(&mut self, queue: TxQueueId, place: usize) {
        if let Some(last) = self.last_served.get_mut(place) {
            *last = queue;
        }
    }

    /// Keeps a packet of the queue in this place until the medium releases it.
    #[inline(always)]
    pub(super) fn keep(&mut self, place: u32, link: LinkId, packet: P) -> PacketId {
        let Some(id) = self.free.pop() else {
            self.taken.push(InService { packet, place, link });
            return PacketId(self.taken.len() as u32 - 1);
        };
        let slot = &mut self.taken[id as usize];
        (slot.packet, slot.place, slot.link) = (packet, place, link);
        PacketId(id)
    }

    /// The packet of `queue` that was set aside.
    pub(super) fn take_set_aside(&mut self, queue: TxQueueId) -> Option<P> {
        let place = self.set_aside.iter().position(|(of, _)| *of == queue)?;
        Some(self.set_aside.swap_remove(place).1)
    }

    /// Lets `feed` fill a queue of `station`, into which nothing else is sent.
    pub(super) fn add_feed(
        &mut self,
        station: NodeId,
        category: AccessCategory,
        feed: Box<dyn Feed<P>>,
    ) {
        let queue = self.queue_for(station, station, category);
        assert!(!self.is_fed(queue), "a queue has one feed");
        let place = self.place(queue);
        self.feeds.resize_with(self.queues.len(), Fed::default);
        self.feeds[place] = Fed::new(feed);
        self.hold(queue);
    }

    /// Whether a feed fills `queue`.
    pub(super) fn is_fed(&self, queue: TxQueueId) -> bool {
        self.feeds.get(self.place(queue)).is_some_and(Fed::is_fed)
    }

    /// The packets of all feeds up to and including `last` enter their queues.
    pub(super) fn fill_all(&mut self, last: Instant) {
        (0..self.feeds.len()).for_each(|place| self.fill_place(last, place));
    }

    /// Those of the feed of a node's queue, if it has one.
    #[inline(never)] // only with feeds
    fn fill_queue(&mut self, last: Instant, node: NodeId, category: AccessCategory) {
        if !self.setup.associations.is_access_point(node) {
            self.fill_place(last, self.place(self.queue_for(node, node, category)));
        }
    }

    /// The same of the queue in this place.
    fn fill_place(&mut self, last: Instant, place: usize) {
        if let Some(fed) = self.feeds.get_mut(place)
            && fed.next_at <= last
        {
            self.fed += fed.fill(last, &mut self.queues[place]);
        }
    }

    /// Dequeues the next packet of `queue`, which may be a tin.
    pub(super) fn dequeue_any(&mut self, now: Instant, queue: TxQueueId) -> Option<P> {
        let place = self.place(queue);
        if self.has_tins && self.is_of_access_point(queue) {
            return self.queues[place].dequeue_tin(now, queue.0);
        }
        self.dequeue(now, queue, place)
    }

    /// Dequeues the next packet of `queue`, unless a shaper holds it back.
    #[inline(always)]
    fn dequeue(&mut self, now: Instant, queue: TxQueueId, place: usize) -> Option<P> {
        let source = &mut self.queues[place];
        let packet = source.dequeue(now);
        if packet.is_none() && (source.backlog().packets() > 0 || !self.feeds.is_empty()) {
            self.hold(queue);
        }
        packet
    }

    /// Whether an access point transmits from `queue`.
    fn is_of_access_point(&self, queue: TxQueueId) -> bool {
        let Setup { associations, layout, .. } = &self.setup;
        associations.is_access_point(layout.sender(associations, queue))
    }

    /// Whether a scheduler chooses among the queues of `node`.
    #[inline(always)]
    pub(super) fn is_scheduled(&self, node: NodeId) -> bool {
        !self.schedulers.is_empty() && self.setup.associations.is_access_point(node)
    }

    /// Whether what `node` transmits next is chosen among its queues of the layout: by a scheduler, or by the discipline of
    /// the one queue that they are.
    #[inline(always)]
    pub(super) fn has_choice(&self, node: NodeId) -> bool {
        let is_shared = || !self.places.is_empty() && !self.has_tins;
        self.choice && (is_shared() || self.is_scheduled(node))
    }

    /// Queues a packet of such a node.
    #[inline(never)] // not where each node has one queue
    pub(super) fn enqueue_for_choice(&mut self, now: Instant, queue: TxQueueId, packet: P) {
        let place = self.place(queue);
        let tx_queue = &mut self.queues[place];
        tx_queue.enqueue_tin(now, queue.0, packet);
        if tx_queue.tin_packets(queue.0) > 0 {
            self.note_backlog(now, queue);
            if let Some(hardware) = &self.hardware {
                let Setup { associations, layout, .. } = &self.setup;
                let sender = layout.sender(associations, queue);
                let category = layout.link(queue).map_or(0, |(_, category)| category);
                let number = self.scheduler(sender, category);
                if !hardware.has_room(number) {
                    return;
                }
                self.prepare(now, number, |_| false, |_| NextPpdu::SINGLE);
            }
        }
    }

    /// A packet waits in `queue`: tells the scheduler, if it has one.
    pub(super) fn note_backlog(&mut self, now: Instant, queue: TxQueueId) {
        let Setup { associations, layout, .. } = &self.setup;
        let sender = layout.sender(associations, queue);
        if self.is_scheduled(sender)
            && let Some((link, category)) = self.setup.layout.link(queue)
        {
            let number = self.scheduler(sender, category);
            self.schedulers[number].advance(now);
            self.schedulers[number].backlogged(link.station() as usize);
        }
    }

    /// The place of the scheduler of an access point for a category with this number.
    pub(super) fn scheduler(&self, access_point: NodeId, category: u32) -> usize {
        let categories = self.schedulers.len() / self.setup.associations.access_points().len();
        self.setup.associations.number(access_point) as usize * categories + category as usize
    }

    /// The queue of `node` that is served next, where it has one for each receiver.
    #[inline(never)] // only with a scheduler
    fn next_of_receivers(
        &mut self,
        now: Instant,
        node: NodeId,
        category: AccessCategory,
        holds: impl Fn(TxQueueId) -> bool,
        next: impl Fn(TxQueueId) -> NextPpdu,
    ) -> Option<TxQueueId> {
        let Setup { associations, layout, .. } = &self.setup;
        let layout = *layout;
        let access_point = associations.access_point_of(node);
        if node != access_point {
            return Some(layout.queue(node, associations.link(node, access_point), category));
        }
        if !self.places.is_empty() && !self.has_tins {
            return self.next_of_shared(now, node, category, holds);
        }
        let number = self.scheduler(node, layout.category(category));
        if let Some(hardware) = &mut self.hardware {
            let served = hardware.finish_first(number);
            if let Some(queue) = served.filter(|queue| holds(*queue)) {
                self.note_backlog(now, queue);
            }
            self.prepare(now, number, &holds, next);
            return self.hardware.as_mut()?.first(number, holds);
        }
        self.schedulers.get_mut(number)?.advance(now);
        loop {
            let turn = self.schedulers.get_mut(number)?.next_turn()?;
            let link = LinkId::new(turn.station as u32, Direction::Down);
            let queue = layout.queue(node, link, category);
            if holds(queue) || self.has_next(now, queue) {
                return Some(queue);
            }
            self.schedulers.get_mut(number)?.has_no_backlog();
        }
    }

    /// The same where an access point has one queue for all its stations: first the receiver of what the medium
    /// holds, which has been served last and whose packets are the oldest, then that of the packet that the
    /// queue's discipline gives.
    fn next_of_shared(
        &mut self,
        now: Instant,
        node: NodeId,
        category: AccessCategory,
        holds: impl Fn(TxQueueId) -> bool,
    ) -> Option<TxQueueId> {
        let layout = self.setup.layout;
        let place = (node.0 * layout.categories() + layout.category(category)) as usize;
        let last = self.last_served[place];
        if last != NO_QUEUE && holds(last) {
            return Some(last);
        }
        let packet = self.queues[place].dequeue(now);
        let Some(packet) = packet else {
            if self.queues[place].backlog().packets() > 0 {
                // Any of the queues that are one wakes the medium for all.
                let of_all = self.places.iter().position(|other| *other as usize == place)?;
                self.hold(TxQueueId(of_all as u32));
            }
            return None;
        };
        let queue = self.queue_of(node, &packet);
        self.set_aside.push((queue, packet));
        Some(queue)
    }

    /// Whether a packet of `queue` may be taken, which stays the next one.
    fn has_next(&mut self, now: Instant, queue: TxQueueId) -> bool {
        if self.set_aside.iter().any(|(of, _)| *of == queue) {
            return true;
        }
        let packet = self.dequeue_any(now, queue).map(|packet| (queue, packet));
        let found = packet.is_some();
        self.set_aside.extend(packet);
        found
    }

    /// Takes the next packet of an access point's queue for all its stations that is for the receiver of `queue`, or of
    /// a station's queue, if it has at most `max_bytes`.
    #[inline(always)]
    fn take_shared(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken> {
        let place = self.place(queue);
        let (_, to) = self.routes[queue.0 as usize]?;
        let source = &mut self.queues[place];
        let is_access_point = self.setup.associations.is_access_point(self.senders[place]);
        let packet = if is_access_point && !self.has_tins {
            source.dequeue_of(now, |packet| packet.station() == to, max_bytes)?
        } else {
            let packet = self.dequeue(now, queue, place)?;
            return self.serve_up_to((now, max_bytes), queue, place, packet);
        };
        self.note_served(queue, place);
        Some(self.serve(now, queue, place, packet))
    }

    /// Charges a station with the airtime of an attempt; beacons are for all.
    #[inline(never)] // only with a scheduler
    fn charge(&mut self, attempt: &Attempt) {
        if attempt.station != NodeId::BROADCAST {
            let packet = &self.taken[attempt.packet.0 as usize].packet;
            let Setup { associations, layout, .. } = &self.setup;
            let category = layout.category(packet.access_category());
            let access_point = associations.access_point_of(attempt.station);
            let station = associations.number(attempt.station) as usize;
            let number = self.scheduler(access_point, category);
            self.schedulers[number].advance(attempt.at);
            self.schedulers[number].charge(station, attempt.airtime.as_nanos());
            if let Some(hardware) = &mut self.hardware {
                hardware.note_mode(station, attempt);
            }
            if self.slow_stations.is_some() {
                self.note_slow(access_point, station as u32, attempt);
            }
        }
    }

    /// Remembers to wake the medium when `queue` may have a packet again: when its shaper is ready, or its feed has one.
    #[cold]
    fn hold(&mut self, queue: TxQueueId) {
        self.make_slots();
        let place = self.place(queue);
        let source = &self.queues[place];
        let ready_at = match source.backlog().packets() {
            0 => Instant::NEVER,
            _ => source.ready_at(),
        };
        let fed_at = self.feeds.get(place).map_or(Instant::NEVER, |fed| fed.next_at);
        self.held.set(queue.0, ready_at.min(fed_at));
    }

    /// Slots for the queues of the layout, and for departures.
    fn make_slots(&mut self) {
        if self.held.slots() == 0 {
            self.held = Tournament::new(self.routes.len() as u32 + 1);
        }
    }

    /// See [`Cell::report_departures`](super::Cell::report_departures).
    pub(super) fn report_departures(&mut self, flows: Vec<bool>) {
        assert!(self.taken.is_empty(), "what was sent before would be counted wrongly");
        self.make_slots();
        self.departures = Some(Box::new(Departures::new(flows, self.routes.len() as u32)));
        self.follows = true;
        let senders = self.senders.iter();
        let associations = &self.setup.associations;
        let queues = self.queues.iter_mut().zip(senders);
        queues.filter(|(_, sender)| !associations.is_access_point(**sender)).for_each(
            |(queue, _)| {
                queue.take_drops(); // they are recorded from now on
            },
        );
    }

    /// Whether there are departures to take.
    #[inline(always)]
    pub(super) fn has_departures(&self) -> bool {
        self.departures.as_ref().is_some_and(|departures| !departures.packets.is_empty())
    }

    /// The medium is done with a packet. If the packet is reported, the poll stops, because its sender may have more to send.
    /// What the station's queue has dropped until now is reported with it. After a drop the queue transmits another packet, so
    /// that each drop is reported.
    pub(super) fn note_departure(&mut self, now: Instant, packet: PacketId) {
        let Some(departures) = &mut self.departures else { return };
        let InService { packet, place, .. } = &self.taken[packet.0 as usize];
        if departures.note(packet) {
            let queue = self.queues.get_mut(*place as usize);
            let drops = queue.map(|queue| queue.take_drops()).unwrap_or_default();
            drops.iter().for_each(|dropped| _ = departures.note(&dropped.packet));
            self.held.set(departures.slot, now);
        }
    }

    /// See [`Cell::take_departures`](super::Cell::take_departures).
    pub(super) fn take_departures(&mut self) -> Option<(Instant, Vec<P>)> {
        let departures = self.departures.as_mut().filter(|queue| !queue.packets.is_empty())?;
        let at = self.held.at(departures.slot);
        self.held.set(departures.slot, Instant::NEVER);
        Some((at, std::mem::take(&mut departures.packets)))
    }

    /// When the first queue is ready that the medium has asked in vain.
    #[inline(always)]
    pub(super) fn held_until(&self) -> Instant {
        self.held.first_at()
    }

    /// That queue, which is held no longer.
    pub(super) fn take_first_held(&mut self) -> TxQueueId {
        let queue = self.held.first_slot();
        self.held.set(queue, Instant::NEVER);
        TxQueueId(queue)
    }

    /// Copies a received packet, and applies the loss model behind the MAC.
    #[inline(always)]
    pub(super) fn receive(&mut self, reception: Reception) -> Arrival<P> {
        let Reception { at, packet: id, from, to, mode } = reception;
        let InService { packet, link, .. } = &mut self.taken[id.0 as usize];
        let station = link.station() as usize;
        if let Some(held_by) = self.held_by.get_mut(id.0 as usize) {
            if *held_by == Held::Receiver {
                self.free.push(id.0);
            }
            *held_by = Held::Sender;
        }
        // Broadcast frames are no packets of a link.
        let lost = match self.losses.get_mut(station) {
            Some(Some(loss)) => {
                let (kind, rate) = (FrameKind::Data, self.setup.modes.rate(mode));
                let frame = Frame { kind, rate, bytes: packet.size() };
                loss.lose(Level::Ip, link.direction(), at, frame)
            }
            _ => false,
        };
        let packet = packet.receive();
        if lost {
            self.residual_losses[station] += 1;
            self.discard(id);
        }
        Arrival { at, from, to, packet, lost }
    }

    /// A loss model has discarded `packet`.
    #[cold]
    fn discard(&mut self, packet: PacketId) {
        let InService { packet, .. } = &self.taken[packet.0 as usize];
        self.discarded.count(packet.connection().0, packet.is_pure_ack());
    }

    /// The driver and the sender's host learn that the MAC is done with `packet`.
    #[inline(never)] // only where there is either
    fn note_end(&mut self, now: Instant, packet: PacketId) {
        self.release_prepared(packet);
        self.note_departure(now, packet);
    }

    /// The MAC is done with `packet`, which no longer counts against the limit of its queue.
    #[inline(always)]
    fn end_service(&mut self, now: Instant, packet: PacketId, status: TxStatus) {
        if self.follows {
            self.note_end(now, packet);
        }
        let InService { packet: sent, place, .. } = &mut self.taken[packet.0 as usize];
        let queue = self.queues.get_mut(*place as usize);
        let is_queued = queue.map(|queue| queue.transmitted(sent.size())).is_some();
        if let Some(held_by) = self.held_by.get_mut(packet.0 as usize)
            && *held_by == Held::Both
        {
            // What the receiver holds is complete, and not lost.
            *held_by = Held::Receiver;
            return;
        }
        let is_lost = is_queued && sent.release() && status == TxStatus::Dropped;
        self.mac_losses += u64::from(is_lost);
        self.free.push(packet.0);
    }
}

impl<P: CellPacket> CellContext for Nodes<P> {
    fn backlog(&self, queue: TxQueueId) -> &Backlog {
        self.queues[self.place(queue)].backlog()
    }

    #[inline(always)]
    fn wake_at(&self) -> Instant {
        self.held_until()
    }

    #[inline(always)]
    fn next_queue(
        &mut self,
        now: Instant,
        node: NodeId,
        category: AccessCategory,
        holds: impl Fn(TxQueueId) -> bool,
        next: impl Fn(TxQueueId) -> NextPpdu,
    ) -> Option<TxQueueId> {
        match self.setup.layout {
            QueueLayout::PerNode => Some(TxQueueId(node.0)),
            QueueLayout::PerReceiver { .. } => {
                self.next_of_receivers(now, node, category, holds, next)
            }
        }
    }

    #[inline(always)]
    fn fill(&mut self, now: Instant, node: NodeId, category: AccessCategory) {
        if !self.feeds.is_empty() {
            self.fill_queue(now, node, category);
        }
    }

    #[inline(always)]
    fn take(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken> {
        if self.choice && self.hardware.is_some() && self.is_of_access_point(queue) {
            return self.take_prepared(now, queue, max_bytes);
        }
        // Two ways to the medium, so that a packet is not copied on its way.
        if !self.set_aside.is_empty()
            && let Some(packet) = self.take_set_aside(queue)
        {
            let place = self.place(queue);
            self.note_served(queue, place);
            return self.serve_up_to((now, max_bytes), queue, place, packet);
        }
        if self.choice && !self.places.is_empty() {
            return self.take_shared(now, queue, max_bytes);
        }
        let place = queue.0 as usize;
        let packet = self.dequeue(now, queue, place)?;
        self.serve_up_to((now, max_bytes), queue, place, packet)
    }

    #[inline(always)]
    fn keep(&mut self, at: Instant, packet: PacketId) {
        let place = packet.0 as usize;
        self.taken[place].packet.enter(Stage::Reorder, at);
        self.held_by.resize(self.held_by.len().max(place + 1), Held::Sender);
        self.held_by[place] = Held::Both;
    }

    fn enqueued_at(&self, packet: PacketId) -> Instant {
        self.taken[packet.0 as usize].packet.enqueued_at()
    }

    #[inline(always)]
    fn release(&mut self, now: Instant, packet: PacketId, status: TxStatus) {
        if status == TxStatus::Dropped {
            let InService { packet, place, .. } = &self.taken[packet.0 as usize];
            if *place != NO_PLACE {
                self.given_up.count(packet.connection().0, packet.is_pure_ack());
            }
        }
        self.end_service(now, packet, status);
    }

    fn lose(&mut self, now: Instant, packet: PacketId) {
        self.discard(packet);
        self.end_service(now, packet, TxStatus::Dropped);
    }

    #[inline(always)]
    fn no_loss_before(&self, station: NodeId) -> Instant {
        self.no_loss_before[station.index()]
    }

    fn is_corrupted(&mut self, transmission: &Transmission) -> bool {
        let Transmission { at, station, direction, kind, mode, bytes } = *transmission;
        let number = self.setup.associations.number(station);
        let Some(loss) = &mut self.losses[number as usize] else { return false };
        let rate = self.setup.modes.rate(mode);
        let corrupted = loss.lose(Level::Mac, direction, at, Frame { kind, rate, bytes });
        self.no_loss_before[station.index()] = loss.no_loss_before(Level::Mac);
        corrupted
    }

    fn on_outcome(&mut self, attempt: Attempt, carried: impl Iterator<Item = Carried> + Clone) {
        if let Some(occupancy) = &mut self.occupancy {
            let packets = carried.map(|carried| {
                let packet = &self.taken[carried.packet.0 as usize].packet;
                let ((flow, _), bytes) = (packet.connection(), packet.size() + carried.overhead);
                CountedPacket { flow, bytes, delivered: carried.delivered }
            });
            occupancy.count(&attempt, packets);
        }
        self.on_air(AirEvent::Outcome(attempt));
    }

    fn on_air(&mut self, event: AirEvent) {
        if let AirEvent::Outcome(attempt) = &event
            && !self.schedulers.is_empty()
        {
            self.charge(attempt);
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.push(event);
        }
    }
}
