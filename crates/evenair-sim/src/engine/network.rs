//! What carries packets between the ends of flows: the wired links and the cell.
//!
//! A download's packet crosses link after link to the access point, and the cell to its station. Its
//! acknowledgement takes the same path backwards, an upload's packets likewise; those between two
//! hosts see links only. What comes from the access point meets the rate limiter first, if there is one.

use evenair_core::medium::{AirEvent, Arrival, Cell};
use evenair_core::packet::{End, FlowId, NodeId, Packet, Stage};
use evenair_core::queue::{Dropped, TxQueue};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::udp::{UdpSink, UdpSource};
use evenair_core::transport::{self, AnyEnds, Output, PacketOption};

use crate::agenda::Agenda;
use crate::capture::CaptureError;
use crate::capture::writer::CaptureWriter;
use crate::engine::control::limiter::UplinkLimiter;
use crate::engine::control::observed::Observed;
use crate::engine::flow::Flow;
use crate::engine::host_queues::HostQueues;
use crate::engine::option_ring::OptionRing;
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;
use crate::engine::world::World;
use crate::wired::{Hop, StreamEnds, Streams, Until, Wired};

/// How the packets of one flow travel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// Where packets enter the network, by the end that they are for: what answers the data, and the data.
    pub(crate) first: [Origin; 2],
    /// Where a packet goes that the access point has received.
    pub(crate) from_access_point: Hop,
}

/// Where packets enter the network.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// At a node of the cell.
    Cell(NodeId),
    /// At a host, onto a link.
    Link(u32),
}

/// Everything between the ends of flows.
pub(crate) struct Network<M, P = Packet> {
    world: World<M, P>,
    /// The flows between hosts that need no events.
    streams: Streams,
    /// The flows whose datagrams fill the queue of their station without events.
    fed: Vec<u32>,
    /// Whether a flow has no events somewhere.
    has_quiet: bool,
    /// By flow.
    routes: Vec<Route>,
    /// The options of the packets under way, by flow.
    options: Vec<OptionRing>,
    capture: Option<CaptureWriter>,
    /// What packets from the access point meet first.
    limiter: Option<Box<UplinkLimiter>>,
    /// Whether there is a capture or a limiter.
    is_watched: bool,
    /// What senders at hosts have not sent yet, where they count it.
    pub(crate) host_queues: HostQueues,
    /// Whether there is a capture, or a host queue.
    follows_hosts: bool,
    /// Packets that ends of flows have sent, without those that fill the queues of stations.
    sent: u64,
    /// These, as of the last time that they were counted.
    filled: u64,
    /// The sum of a hash of every packet that has crossed the cell or reached its host, and of when.
    fingerprint: u64,
}

impl<M: SimMedium, P: SimPacket> Network<M, P> {
    /// `routes` and `options` have an entry for each flow.
    pub(crate) fn new(
        cell: Cell<M, P>,
        wired: Wired<P>,
        routes: Vec<Route>,
        options: Vec<OptionRing>,
        (limiter, host_queues): (Option<UplinkLimiter>, HostQueues),
        fed: Vec<u32>,
    ) -> Self {
        Self {
            streams: Streams::default(),
            has_quiet: wired.has_quiet() || !fed.is_empty(),
            fed,
            world: World::new(cell, wired),
            routes,
            options,
            capture: None,
            is_watched: limiter.is_some(),
            limiter: limiter.map(Box::new),
            follows_hosts: host_queues.counts_any(),
            host_queues,
            sent: 0,
            filled: 0,
            fingerprint: 0,
        }
    }

    /// The cell.
    pub(crate) fn cell(&self) -> &Cell<M, P> {
        &self.world.cell
    }

    /// The packets that the access point's queues have dropped since the last call, see
    /// [`Cell::take_drops`].
    pub(crate) fn take_drops(&mut self) -> Vec<Dropped<P>> {
        self.world.cell.take_drops(NodeId::ACCESS_POINT)
    }

    /// Records the events of the air from now on.
    pub(crate) fn record_air(&mut self) {
        self.world.cell.record_air();
    }

    /// See [`Cell::take_air`].
    pub(crate) fn take_air(&mut self) -> Vec<AirEvent> {
        self.world.cell.take_air()
    }

    /// The wired links.
    pub(crate) fn wired(&self) -> &Wired<P> {
        &self.world.wired
    }

    /// When links and timers are due.
    #[inline(always)]
    pub(crate) fn agenda(&mut self) -> &mut Agenda {
        &mut self.world.agenda
    }

    /// The limiter of the uplink, if there is one.
    pub(crate) fn limiter(&self) -> Option<&UplinkLimiter> {
        self.limiter.as_deref()
    }

    /// Writes what passes to `writer` from now on.
    pub(crate) fn capture(&mut self, writer: CaptureWriter) {
        if writer.has_air() {
            self.world.cell.record_air();
        }
        self.capture = Some(writer);
        (self.is_watched, self.follows_hosts) = (true, true);
    }

    /// A flow begins a transfer of `bytes` over its next connection.
    pub(crate) fn begin_transfer(&mut self, flow: usize, bytes: u64) {
        if let Some(capture) = &mut self.capture {
            capture.begin_transfer(flow, bytes);
        }
    }

    /// A flow goes on with `bytes` more over its connection.
    pub(crate) fn continue_transfer(&mut self, flow: usize, bytes: u64) {
        if let Some(capture) = &mut self.capture {
            capture.continue_transfer(flow, bytes);
        }
    }

    /// Completes the captures at the end of the run.
    pub(crate) fn finish_capture(&mut self, end: Instant) -> Result<(), CaptureError> {
        self.hear_air();
        self.capture.take().map_or(Ok(()), |capture| capture.finish(end))
    }

    /// The option of `packet`.
    pub(crate) fn option(&self, packet: &Packet) -> Option<PacketOption> {
        if packet.option == 0 {
            return None;
        }
        self.options[packet.flow.0 as usize].get(packet.option).copied()
    }

    /// A packet leaves one end of its flow.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Instant, packet: &Packet) {
        self.sent += 1;
        match self.routes[packet.flow.0 as usize].first[packet.to as usize] {
            Origin::Cell(node) => {
                self.world.send_air(now, node, *P::sent(packet, Stage::Queue, now));
            }
            Origin::Link(link) if self.follows_hosts => self.send_from_host(now, link, packet),
            Origin::Link(link) => {
                self.world.send_wired(now, link, &P::sent(packet, Stage::Wire, now));
            }
        }
    }

    /// A packet enters `link` at its host, where it is captured or counted.
    #[cold]
    fn send_from_host(&mut self, now: Instant, link: u32, packet: &Packet) {
        self.capture_wire(now, false, packet);
        let drops = |world: &World<M, P>| world.wired.links()[link as usize].losses_known()[0];
        let before = drops(&self.world);
        self.world.send_wired(now, link, &P::sent(packet, Stage::Wire, now));
        if self.host_queues.counts(packet) {
            let is_dropped = drops(&self.world) > before;
            let free_at = self.world.wired.links()[link as usize].free_at();
            let at = if is_dropped { now } else { free_at };
            self.host_queues.sent(at, packet, &mut self.world.agenda);
        }
    }

    /// A packet with an option leaves one end of its flow.
    #[inline(never)] // an option is large, and most packets have none
    pub(crate) fn send_with_option(
        &mut self,
        now: Instant,
        mut packet: Packet,
        option: PacketOption,
    ) {
        packet.option = self.options[packet.flow.0 as usize].put(option);
        self.send(now, &packet);
    }

    /// How long data of `bytes` of a flow take on the wire if they do not wait there.
    pub(crate) fn unloaded_time(&self, flow: usize, bytes: u32) -> Duration {
        let route = &self.routes[flow];
        let first = match (route.first[End::Receiver as usize], route.from_access_point) {
            (Origin::Link(link), _) | (Origin::Cell(_), Hop::Link(link)) => link,
            (Origin::Cell(_), _) => return Duration::ZERO,
        };
        self.world.wired.unloaded_time(first, flow, bytes)
    }

    /// What a controller sees of the cell, if that measures occupancy.
    pub(crate) fn observed(&self) -> Option<Observed<'_>> {
        Observed::of(&self.world.cell)
    }

    /// The access point broadcasts `beacon`.
    pub(crate) fn broadcast(&mut self, now: Instant, beacon: Packet) {
        M::broadcast(&mut self.world.cell, now, *P::sent(&beacon, Stage::Queue, now));
    }

    /// Packets that ends of flows have sent.
    #[inline(always)]
    pub(crate) fn sent(&self) -> u64 {
        self.sent + self.filled
    }

    /// The same beside the agenda.
    pub(crate) fn observed_and_agenda(&mut self) -> Option<(Observed<'_>, &mut Agenda)> {
        let World { cell, agenda, .. } = &mut self.world;
        Some((Observed::of(cell)?, agenda))
    }

    /// Those of `candidates`, flows and their first links, have no events that need none. `users` are the
    /// numbers of flows on each link.
    pub(crate) fn with_streams(
        mut self,
        users: &[u32],
        candidates: &[(usize, u32)],
        flows: &mut [Flow],
    ) -> Self {
        let Self { world, fingerprint, sent, .. } = &mut self;
        let mut ends = Ends { flows, fingerprint, sent };
        self.streams = Streams::new(&world.wired, users, candidates, &mut ends);
        self.has_quiet |= self.streams.paths().next().is_some();
        self
    }

    /// The flows between hosts that need no events.
    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    /// The flows whose sources have no events.
    pub(crate) fn without_events(&self) -> impl Iterator<Item = usize> {
        self.streams.paths().chain(self.fed.iter().map(|&flow| flow as usize))
    }

    /// Cell, links and timers.
    #[inline(always)]
    pub(crate) fn world(&mut self) -> &mut World<M, P> {
        &mut self.world
    }

    /// Computes what streams do before `until`, as far as the event that is due then notices it.
    #[inline(always)]
    pub(crate) fn advance_streams(&mut self, until: Until, flows: &mut [Flow]) {
        if self.streams.may_be_noticed(until) {
            let Self { world, streams, fingerprint, sent, .. } = self;
            streams.advance(until, &mut world.wired, &mut Ends { flows, fingerprint, sent });
        }
    }

    /// Computes what has no events and happens before `until`.
    pub(crate) fn settle(&mut self, until: Until, flows: &mut [Flow]) {
        self.catch_up(until, flows);
        for &flow in &self.fed {
            udp(flows, flow as usize).source().follow(until.at);
        }
    }

    /// Whether a flow has no events somewhere.
    pub(crate) fn has_quiet(&self) -> bool {
        self.has_quiet
    }

    /// The same, but for what sources know of what they have sent.
    pub(crate) fn catch_up(&mut self, until: Until, flows: &mut [Flow]) {
        let Self { world, streams, fingerprint, sent, .. } = self;
        let mut ends = Ends { flows, fingerprint, sent };
        streams.settle(until, &mut world.wired, &mut ends);
        world.wired.drain_quiet(until, |packet| ends.deliver(packet.packet()));
        self.filled = world.cell.fill(until.at);
    }

    /// When something happens next.
    pub(crate) fn due(&self) -> Instant {
        self.world.due().min(self.streams.due())
    }

    /// Packets that wait for wired links or are under way on them: those that go to the access point, and
    /// those that go to a host.
    pub(crate) fn under_way(&self) -> [usize; 2] {
        let [to_access_point, to_hosts] = self.world.wired.under_way();
        [to_access_point, to_hosts + self.streams.under_way()]
    }

    /// A packet has left the wired links at its host.
    #[inline(always)]
    pub(crate) fn on_exit(&mut self, now: Instant, packet: &Packet) {
        self.add_to_fingerprint(now, packet);
        self.capture_wire(now, true, packet);
    }

    /// A packet has crossed the cell. Returns whether it has reached the end that it is for.
    #[inline(always)]
    pub(crate) fn on_arrival(&mut self, arrival: &Arrival<P>) -> bool {
        let Arrival { at, to, packet: arrived, lost, .. } = arrival;
        let packet = arrived.packet();
        self.add_to_fingerprint(*at, packet);
        if (self.is_watched && !self.watch(arrival)) || *lost {
            return false;
        }
        if to.is_access_point()
            && let Hop::Link(link) = self.routes[packet.flow.0 as usize].from_access_point
        {
            self.world.send_wired(*at, link, &arrived.forwarded(Stage::Wire, *at));
            return false;
        }
        true
    }

    /// A packet has crossed the cell, which is captured or limited. Returns whether it passes the
    /// limiter.
    #[cold]
    fn watch(&mut self, arrival: &Arrival<P>) -> bool {
        let Arrival { at, from, to, packet, lost } = arrival;
        let packet = packet.packet();
        self.hear_air();
        if let Some(capture) = &mut self.capture
            && capture.has_air()
        {
            // A beacon is of no flow.
            let options = self.options.get(packet.flow.0 as usize);
            let arrival = Arrival { at: *at, from: *from, to: *to, packet: *packet, lost: *lost };
            capture.exchange(&arrival, options.and_then(|options| options.get(packet.option)));
        }
        match &mut self.limiter {
            Some(limiter) if !lost && to.is_access_point() => limiter.admits(*at, packet),
            Some(limiter) if !lost && packet.flow != FlowId::NONE => {
                limiter.note_delivered(packet);
                true
            }
            _ => true,
        }
    }

    /// Hands to a capture what has happened on the air, also where nothing is received for long.
    pub(crate) fn hear_air(&mut self) {
        if let Some(capture) = &mut self.capture
            && capture.has_air()
        {
            let (events, cell) = (self.world.cell.take_air(), &self.world.cell);
            let packet = |id| {
                let packet = cell.packet(id).packet();
                let options = self.options.get(packet.flow.0 as usize);
                (*packet, options.and_then(|options| options.get(packet.option)).copied())
            };
            capture.hear(events, &cell.setup().modes, packet);
        }
    }

    /// A control round of the limiter ends.
    pub(crate) fn end_round(&mut self, now: Instant) {
        let losses = self.queue_losses();
        if let Some(limiter) = &mut self.limiter {
            limiter.end_round(now, losses);
        }
    }

    /// The counter of losses that the limiter reads is refreshed.
    pub(crate) fn refresh_losses(&mut self, now: Instant) {
        let losses = self.queue_losses();
        if let Some(limiter) = &mut self.limiter {
            limiter.refresh(now, losses);
        }
    }

    /// Packets that the access point's queue has lost since the statistics were reset.
    fn queue_losses(&self) -> u64 {
        self.world.cell.queues_of(NodeId::ACCESS_POINT).map(TxQueue::losses).sum()
    }

    /// Starts all statistics anew.
    pub(crate) fn reset_stats(&mut self, now: Instant) {
        let losses = self.queue_losses();
        if let Some(limiter) = &mut self.limiter {
            limiter.reset_stats(now, losses);
        }
        self.world.cell.reset_stats(now);
        self.world.wired.reset_stats(now);
    }

    /// The sum of a hash of every packet that has crossed the cell or reached its host, and of when. It does
    /// not depend on the order in which packets are looked at that have nothing to do with each other.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    #[inline(always)]
    fn add_to_fingerprint(&mut self, now: Instant, packet: &Packet) {
        self.fingerprint = self.fingerprint.wrapping_add(hash_of(now, packet));
    }

    fn capture_wire(&mut self, now: Instant, up: bool, packet: &Packet) {
        if let Some(capture) = &mut self.capture {
            let option = self.options[packet.flow.0 as usize].get(packet.option);
            capture.wire(now, up, packet, option);
        }
    }
}

/// The ends of streams.
struct Ends<'a> {
    flows: &'a mut [Flow],
    fingerprint: &'a mut u64,
    sent: &'a mut u64,
}

impl Ends<'_> {
    #[inline(always)]
    fn of(&mut self, flow: usize) -> &mut transport::Ends<UdpSource, UdpSink> {
        udp(self.flows, flow)
    }
}

/// The ends of a flow without events, all of which are over UDP and unanswered.
#[inline(always)]
fn udp(flows: &mut [Flow], flow: usize) -> &mut transport::Ends<UdpSource, UdpSink> {
    match &mut flows[flow].ends {
        AnyEnds::Udp(ends) => ends,
        _ => unreachable!("only flows over UDP have no events"),
    }
}

impl Ends<'_> {
    /// A datagram has arrived at its host.
    #[inline(always)]
    fn deliver(&mut self, packet: &Packet) {
        let now = packet.enqueued_at;
        *self.fingerprint = self.fingerprint.wrapping_add(hash_of(now, packet));
        self.of(packet.flow.0 as usize).on_packet(now, packet, None, &mut Unanswered);
    }
}

/// The output of ends that send nothing.
struct Unanswered;

impl Output for Unanswered {
    fn send(&mut self, _packet: &Packet, _option: Option<&PacketOption>) {
        unreachable!("nothing answers a datagram")
    }
}

impl StreamEnds for Ends<'_> {
    fn packet(&mut self, flow: usize) -> Packet {
        self.of(flow).datagram()
    }

    #[inline(always)]
    fn next_departure(&mut self, flow: usize) -> Instant {
        self.of(flow).poll_at(End::Sender)
    }

    #[inline(always)]
    fn depart(&mut self, flow: usize) -> u64 {
        *self.sent += 1;
        self.of(flow).depart()
    }

    #[inline(always)]
    fn arrive(&mut self, flow: usize, now: Instant, packet: &Packet, sent: Instant) {
        *self.fingerprint = self.fingerprint.wrapping_add(hash_of(now, packet));
        self.of(flow).arrive(now, sent);
    }
}

/// A hash of a packet that has crossed the cell or reached its host, and of when.
#[inline(always)]
fn hash_of(now: Instant, packet: &Packet) -> u64 {
    let what = (u64::from(packet.flow.0) << 40) ^ ((packet.kind as u64) << 8) ^ packet.seq;
    hash(now.as_nanos().rotate_left(32) ^ what)
}

/// A hash of one word: both halves of its product with an odd constant (the fractional part of the golden
/// ratio). It is not linear, so that sums tell which time belongs to which packet.
#[inline(always)]
pub(crate) fn hash(word: u64) -> u64 {
    let product = u128::from(word) * 0x9E37_79B9_7F4A_7C15;
    product as u64 ^ (product >> u64::BITS) as u64
}
