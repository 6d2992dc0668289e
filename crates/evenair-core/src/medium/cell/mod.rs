//! A cell: a medium, the transmit queues of its nodes, and the loss models of its links.

mod departures;
mod driver;
mod feed;
mod hardware;
mod nodes;
mod packet;
mod slow_stations;
#[cfg(test)]
mod tests;

pub use feed::Feed;
pub use hardware::HardwareConfig;
pub use packet::{Arrival, CellPacket};

use feed::just_before;
use hardware::Hardware;
use nodes::{NO_PLACE, Nodes};
use slow_stations::SlowStations;

use super::scheduler::StationScheduler;
use super::{
    AirEvent, AirUsage, Broadcast, LinkId, Listening, Medium, Occupancy, PacketId, QueueLayout,
    Setup, Taken,
};
use crate::flow_losses::FlowLosses;
use crate::loss::LinkLoss;
use crate::packet::{AccessCategory, NodeId, Packet};
use crate::queue::{Dropped, TxQueue};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// A wireless cell, or several that share a channel. It knows packets and time, but neither flows nor
/// routes: a driver hands it packets, calls [`Cell::poll`] when [`Cell::poll_at`] says so, and gets back what has arrived. Drivers are
/// the simulator, and programs that follow the wall clock (see the example `realtime_cell`).
#[derive(Debug)]
pub struct Cell<M, P = Packet> {
    medium: M,
    nodes: Nodes<P>,
}

impl<M: Medium, P: CellPacket> Cell<M, P> {
    /// `medium` with `queues` in the order of its layout, and the loss model of each node's link
    /// with its access point; the entries of access points themselves are not used.
    ///
    /// # Panics
    /// If the number of queues is not that of the layout, or that of losses not that of nodes.
    pub fn new(medium: M, queues: Vec<TxQueue<P>>, losses: Vec<Option<LinkLoss>>) -> Self {
        let setup = medium.setup();
        let expected = setup.layout.count(&setup.associations);
        assert_eq!(queues.len(), expected as usize, "queues of the layout");
        Self::with_queues(medium, queues, false, losses)
    }

    /// The same with one queue for each node and category, in this order: that of an access point is for all its
    /// stations. A transmission carries packets for one of them: the receiver of the packet that the
    /// queue's discipline gives, unless the medium still has packets to repeat. Those of the others
    /// keep their places.
    ///
    /// # Panics
    /// If the number of queues is not that of nodes and categories of the layout, or that of losses not that of nodes.
    pub fn with_shared_queues(
        medium: M,
        queues: Vec<TxQueue<P>>,
        losses: Vec<Option<LinkLoss>>,
    ) -> Self {
        let setup = medium.setup();
        let expected = setup.associations.nodes() * setup.layout.categories();
        assert_eq!(queues.len(), expected as usize, "queues of nodes and categories");
        Self::with_queues(medium, queues, true, losses)
    }

    /// The same with one queue for each access point, which has tins (see
    /// [`QueueDiscipline::enqueue_tin`](crate::queue::QueueDiscipline::enqueue_tin)) for its queues of the layout, and after these one
    /// for each queue of the layout of a station. Needs [`Cell::with_schedulers`].
    ///
    /// # Panics
    /// If the number of queues is not that, or that of losses not that of nodes.
    pub fn with_tins(medium: M, queues: Vec<TxQueue<P>>, losses: Vec<Option<LinkLoss>>) -> Self {
        let Setup { associations, layout, .. } = medium.setup();
        let of_stations = layout.count(associations) / 2;
        let expected = associations.access_points().len() + of_stations as usize;
        assert_eq!(queues.len(), expected, "queues of access points, and of stations");
        let mut cell = Self::with_queues(medium, queues, false, losses);
        cell.nodes.share_tins();
        cell
    }

    fn with_queues(
        medium: M,
        queues: Vec<TxQueue<P>>,
        are_shared: bool,
        losses: Vec<Option<LinkLoss>>,
    ) -> Self {
        let setup = medium.setup().clone();
        assert_eq!(losses.len(), setup.associations.nodes() as usize, "losses of the nodes");
        let nodes = Nodes::new(setup, queues, are_shared, losses);
        Self { medium, nodes }
    }

    /// Lets `schedulers`, for each access point one for each category of the layout, choose among the queues that
    /// it has for its stations. They know a station by its number on the channel, and are charged with the
    /// airtime of attempts in nanoseconds.
    ///
    /// # Panics
    /// If the layout has no queue for each station, or has another number of categories.
    #[must_use]
    pub fn with_schedulers(mut self, schedulers: Vec<Box<dyn StationScheduler>>) -> Self {
        let Setup { associations, layout, .. } = self.medium.setup();
        let categories = (schedulers.len() / associations.access_points().len()) as u32;
        let expected = QueueLayout::PerReceiver { categories };
        assert_eq!(*layout, expected, "queues for each station and scheduler");
        self.nodes.schedulers = schedulers;
        self.nodes.choice = true;
        self.medium.listen(Listening::Outcomes);
        self
    }

    /// Lets the drivers of access points fill their hardware ahead, by these schedulers.
    ///
    /// # Panics
    /// Without schedulers.
    #[must_use]
    pub fn with_hardware(mut self, config: HardwareConfig) -> Self {
        assert!(!self.nodes.schedulers.is_empty(), "schedulers say what the hardware gets");
        let stations = self.nodes.setup.associations.stations().len();
        let schedulers = self.nodes.schedulers.len();
        self.nodes.hardware = Some(Box::new(Hardware::new(config, stations, schedulers)));
        self.nodes.follows = true;
        self
    }

    /// CoDel in the tins of an access point is milder with stations whose expected throughput is below `threshold` times the
    /// number of stations, as in Linux until 6.15.
    ///
    /// # Panics
    /// Without tins.
    #[must_use]
    pub fn with_slow_stations(mut self, threshold: Rate) -> Self {
        assert!(self.nodes.has_tins, "the rule is one of tins");
        let stations = self.nodes.setup.associations.stations().len();
        self.nodes.slow_stations = Some(Box::new(SlowStations::new(threshold, stations)));
        self
    }

    /// Lets `feed` fill a queue of `station`, that for packets of this category, into which nothing is sent with
    /// [`Cell::send`] then. [`Cell::fill`] is called before the queue is looked at. Only on a medium that calls
    /// [`CellContext::fill`](super::CellContext::fill), as those of 802.11 do.
    ///
    /// # Panics
    /// If `station` is an access point, or if the queue has a feed.
    pub fn add_feed(&mut self, station: NodeId, category: AccessCategory, feed: Box<dyn Feed<P>>) {
        let associations = &self.medium.setup().associations;
        assert!(!associations.is_access_point(station), "a feed is that of a station");
        self.nodes.add_feed(station, category, feed);
    }

    /// Reports packets of these flows, by number, but no pure ACKs, when the MAC of their station is done with them: see
    /// [`Cell::take_departures`]. From then on [`Cell::take_drops`] does not return what queues of stations drop.
    ///
    /// # Panics
    /// If something has been sent.
    pub fn report_departures(&mut self, flows: Vec<bool>) {
        self.nodes.report_departures(flows);
    }

    /// Whether [`Cell::take_departures`] has any: to be asked when [`Cell::poll`] has returned nothing.
    #[inline(always)]
    pub fn has_departures(&self) -> bool {
        self.nodes.has_departures()
    }

    /// The packets that stations are done with since the last call, and when the last one was. [`Cell::poll`] does
    /// nothing more until they are taken.
    pub fn take_departures(&mut self) -> Option<(Instant, Vec<P>)> {
        self.nodes.take_departures()
    }

    /// The packets of all feeds enter their queues up to `now`, without those of `now`. What is due before has been polled.
    /// Returns how many have entered since the start.
    pub fn fill(&mut self, now: Instant) -> u64 {
        if let Some(last) = just_before(now) {
            self.nodes.fill_all(last);
        }
        self.nodes.fed
    }

    /// Counts attempts in `occupancy` from now on.
    pub fn observe_occupancy(&mut self, occupancy: Occupancy) {
        self.nodes.occupancy = Some(Box::new(occupancy));
        self.medium.listen(Listening::Outcomes);
    }

    /// The attempts counted so far; `None` without [`Cell::observe_occupancy`].
    pub fn occupancy(&self) -> Option<&Occupancy> {
        self.nodes.occupancy.as_deref()
    }

    /// Records the events of the air from now on, until they are taken: see [`Cell::take_air`].
    pub fn record_air(&mut self) {
        self.nodes.recorded.get_or_insert_default();
        self.medium.listen(Listening::Everything);
    }

    /// The events of the air since the last call, none before [`Cell::record_air`]. Their packets are
    /// those of [`Cell::packet`] until the sender's MAC is done with them.
    pub fn take_air(&mut self) -> Vec<AirEvent> {
        self.nodes.recorded.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// `from` has a packet to transmit, whose [`QueueItem::enqueued_at`](crate::queue::QueueItem::enqueued_at) is `now`. What was due
    /// before `now` has been polled.
    #[inline(always)]
    pub fn send(&mut self, now: Instant, from: NodeId, packet: P) {
        let queue = self.nodes.queue_of(from, &packet);
        debug_assert!(!self.nodes.is_fed(queue), "a queue with a feed has no other source");
        if self.nodes.has_choice(from) {
            self.nodes.enqueue_for_choice(now, queue, packet);
            return self.medium.wake(now, queue, None, &mut self.nodes);
        }
        let place = if self.nodes.choice { self.nodes.place(queue) } else { queue.0 as usize };
        let tx_queue = &mut self.nodes.queues[place];
        if !self.medium.is_idle(queue) {
            return tx_queue.enqueue(now, packet);
        }
        if tx_queue.pass_through(&packet) {
            let taken = self.nodes.serve(now, queue, place, packet);
            return self.medium.wake(now, queue, Some(taken), &mut self.nodes);
        }
        tx_queue.enqueue(now, packet);
        self.medium.wake(now, queue, None, &mut self.nodes);
    }

    /// When [`Cell::poll`] is to be called next.
    pub fn poll_at(&self) -> Instant {
        self.medium.poll_at().min(self.nodes.held_until())
    }

    /// Does what is due before `limit`, up to the next packet that arrives.
    #[inline(always)]
    pub fn poll(&mut self, limit: Instant) -> Option<Arrival<P>> {
        loop {
            if let Some(reception) = self.medium.poll(limit, &mut self.nodes) {
                return Some(self.nodes.receive(reception));
            }
            if self.nodes.held_until() >= limit || self.nodes.has_departures() {
                return None;
            }
            self.release_held();
        }
    }

    /// When a shaper is ready that holds packets back; [`Cell::poll`] then wakes the medium.
    pub fn shaper_ready_at(&self) -> Instant {
        self.nodes.held_until()
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

    /// Associations, transmit queues and PHY modes.
    pub fn setup(&self) -> &Setup {
        self.medium.setup()
    }

    /// The medium.
    pub fn medium(&self) -> &M {
        &self.medium
    }

    /// The number of nodes, access points included.
    pub fn nodes(&self) -> usize {
        self.nodes.setup.associations.nodes() as usize
    }

    /// The transmit queues, in the order in which they were given.
    pub fn queues(&self) -> &[TxQueue<P>] {
        &self.nodes.queues
    }

    /// The station for which packets wait in the queue at this place of [`Cell::queues`], if it is one of a link, and their
    /// category, if there are several.
    pub fn queue_use(&self, place: usize) -> (Option<NodeId>, Option<AccessCategory>) {
        self.nodes.queue_use(place)
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
        let associations = &self.nodes.setup.associations;
        if associations.is_access_point(node) {
            return 0;
        }
        self.nodes.residual_losses[associations.number(node) as usize]
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
    /// which only the acknowledgements were lost ([`TxStatus::Dropped`](super::TxStatus::Dropped)). Only of packets that know
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

    /// Wakes the medium for the first queue that it has asked in vain.
    #[cold]
    fn release_held(&mut self) {
        let now = self.nodes.held_until();
        let queue = self.nodes.take_first_held();
        self.nodes.note_backlog(now, queue);
        self.medium.wake(now, queue, None, &mut self.nodes);
    }
}

impl<M: Broadcast, P: CellPacket> Cell<M, P> {
    /// The access point `from` broadcasts `packet`, see [`Broadcast::broadcast`]. It is not queued, and arrives
    /// at [`NodeId::BROADCAST`].
    pub fn broadcast(&mut self, now: Instant, from: NodeId, packet: P) {
        let bytes = packet.size();
        let packet = self.nodes.keep(NO_PLACE, LinkId::BROADCAST, packet);
        let frame = Taken { packet, to: NodeId::BROADCAST, link: LinkId::BROADCAST, bytes };
        self.medium.broadcast(now, from, frame, &mut self.nodes);
    }
}
