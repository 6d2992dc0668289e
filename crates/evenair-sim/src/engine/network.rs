//! What carries packets between the ends of flows: the wired links and the cell.
//!
//! A download's packet crosses link after link to the access point, and the cell to its station. Its
//! acknowledgement takes the same path backwards, an upload's packets likewise; those between two
//! hosts see links only. What comes from the access point meets the rate limiter first, if there is one.

use evenair_core::medium::wlan::Dcf;
use evenair_core::medium::{AirEvent, Arrival, Cell};
use evenair_core::packet::{FlowId, NodeId, Packet};
use evenair_core::queue::{Dropped, TxQueue};
use evenair_core::time::Instant;
use evenair_core::transport::PacketOption;

use crate::capture::CaptureError;
use crate::capture::writer::CaptureWriter;
use crate::engine::control::limiter::UplinkLimiter;
use crate::engine::option_ring::OptionRing;
use crate::engine::sim_medium::SimMedium;
use crate::wired::{Hop, Wired};

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
pub(crate) struct Network<M> {
    cell: Cell<M>,
    wired: Wired,
    /// By flow.
    routes: Vec<Route>,
    /// The options of the packets under way, by flow.
    options: Vec<OptionRing>,
    capture: Option<CaptureWriter>,
    /// What packets from the access point meet first.
    limiter: Option<Box<UplinkLimiter>>,
    /// Whether there is a capture or a limiter.
    is_watched: bool,
    /// Packets that ends of flows have sent.
    sent: u64,
    /// A hash of every packet that has crossed the cell or reached its host, and of when.
    fingerprint: u64,
}

impl<M: SimMedium> Network<M> {
    /// `routes` and `options` have an entry for each flow.
    pub(crate) fn new(
        cell: Cell<M>,
        wired: Wired,
        routes: Vec<Route>,
        options: Vec<OptionRing>,
        limiter: Option<UplinkLimiter>,
    ) -> Self {
        Self {
            cell,
            wired,
            routes,
            options,
            capture: None,
            is_watched: limiter.is_some(),
            limiter: limiter.map(Box::new),
            sent: 0,
            fingerprint: 0,
        }
    }

    /// The cell.
    pub(crate) fn cell(&self) -> &Cell<M> {
        &self.cell
    }

    /// The packets that the access point's queues have dropped since the last call, see
    /// [`Cell::take_drops`].
    pub(crate) fn take_drops(&mut self) -> Vec<Dropped<Packet>> {
        self.cell.take_drops(NodeId::ACCESS_POINT)
    }

    /// Records the events of the air from now on.
    pub(crate) fn record_air(&mut self) {
        self.cell.record_air();
    }

    /// See [`Cell::take_air`].
    pub(crate) fn take_air(&mut self) -> Vec<AirEvent> {
        self.cell.take_air()
    }

    /// The wired links.
    pub(crate) fn wired(&self) -> &Wired {
        &self.wired
    }

    /// The limiter of the uplink, if there is one.
    pub(crate) fn limiter(&self) -> Option<&UplinkLimiter> {
        self.limiter.as_deref()
    }

    /// Writes what passes to `writer` from now on.
    pub(crate) fn capture(&mut self, writer: CaptureWriter) {
        if writer.has_air() {
            self.cell.record_air();
        }
        self.capture = Some(writer);
        self.is_watched = true;
    }

    /// A flow begins a transfer of `bytes` over its next connection.
    pub(crate) fn begin_transfer(&mut self, flow: usize, bytes: u64) {
        if let Some(capture) = &mut self.capture {
            capture.begin_transfer(flow, bytes);
        }
    }

    /// Completes the captures.
    pub(crate) fn finish_capture(&mut self) -> Result<(), CaptureError> {
        self.capture.take().map_or(Ok(()), CaptureWriter::finish)
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
            Origin::Cell(node) => self.cell.send(now, node, *packet),
            Origin::Link(link) => {
                self.capture_wire(now, false, packet);
                self.wired.send(now, link, packet);
            }
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

    /// The cell, if it is one of 802.11.
    pub(crate) fn wlan(&mut self) -> Option<&mut Cell<Dcf>> {
        M::wlan(&mut self.cell)
    }

    /// Packets that ends of flows have sent.
    #[inline(always)]
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// When [`Network::poll_wired`] is to be called next.
    pub(crate) fn wired_due(&self) -> Instant {
        self.wired.due()
    }

    /// Does what is due at the first wired link; returns a packet that has reached its host.
    #[inline(always)]
    pub(crate) fn poll_wired(&mut self, now: Instant) -> Option<Packet> {
        let mut arrived = None;
        let cell = &mut self.cell;
        self.wired.poll(now, |packet, hop| match hop {
            // It was due now, so that `enqueued_at` is right.
            Hop::AccessPoint => cell.send(now, NodeId::ACCESS_POINT, *packet),
            Hop::Link(_) | Hop::End => arrived = Some(*packet),
        });
        let packet = arrived?;
        self.add_to_fingerprint(now, &packet);
        self.capture_wire(now, true, &packet);
        Some(packet)
    }

    /// What followed from the last [`Network::poll_wired`] is done.
    pub(crate) fn end_wired_event(&mut self) {
        self.wired.end_event();
    }

    /// Lets the cell proceed until a packet arrives, or until `limit`.
    #[inline(always)]
    pub(crate) fn poll_cell(&mut self, limit: Instant) -> Option<Arrival<Packet>> {
        self.cell.poll(limit)
    }

    /// When the cell has something to do next.
    pub(crate) fn cell_due(&self) -> Instant {
        self.cell.poll_at()
    }

    /// A packet has crossed the cell. Returns whether it has reached the end that it is for.
    #[inline(always)]
    pub(crate) fn on_arrival(&mut self, arrival: &Arrival<Packet>) -> bool {
        let Arrival { at, to, packet, lost, .. } = arrival;
        self.add_to_fingerprint(*at, packet);
        if (self.is_watched && !self.watch(arrival)) || *lost {
            return false;
        }
        if to.is_access_point()
            && let Hop::Link(link) = self.routes[packet.flow.0 as usize].from_access_point
        {
            self.wired.send(*at, link, packet);
            return false;
        }
        true
    }

    /// A packet has crossed the cell, which is captured or limited. Returns whether it passes the
    /// limiter.
    #[cold]
    fn watch(&mut self, arrival: &Arrival<Packet>) -> bool {
        let Arrival { at, to, packet, lost, .. } = arrival;
        if let Some(capture) = &mut self.capture
            && capture.has_air()
        {
            // A beacon is of no flow.
            let options = self.options.get(packet.flow.0 as usize);
            let option = options.and_then(|options| options.get(packet.option));
            capture.hear(self.cell.take_air());
            capture.exchange(arrival, option);
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
            capture.hear(self.cell.take_air());
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
        self.cell.queues_of(NodeId::ACCESS_POINT).map(TxQueue::losses).sum()
    }

    /// Starts all statistics anew.
    pub(crate) fn reset_stats(&mut self, now: Instant) {
        let losses = self.queue_losses();
        if let Some(limiter) = &mut self.limiter {
            limiter.reset_stats(now, losses);
        }
        self.cell.reset_stats(now);
        self.wired.reset_stats(now);
    }

    /// A hash of every packet that has crossed the cell or reached its host, and of when, in that
    /// order.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn add_to_fingerprint(&mut self, now: Instant, packet: &Packet) {
        let what = (u64::from(packet.flow.0) << 40) ^ ((packet.kind as u64) << 8) ^ packet.seq;
        self.fingerprint = fold(self.fingerprint, now.as_nanos().rotate_left(32) ^ what);
    }

    fn capture_wire(&mut self, now: Instant, up: bool, packet: &Packet) {
        if let Some(capture) = &mut self.capture {
            let option = self.options[packet.flow.0 as usize].get(packet.option);
            capture.wire(now, up, packet, option);
        }
    }
}

/// Folds `value` into a hash (FNV-1a on 64-bit words, with a rotation so that high bits come down).
pub(crate) fn fold(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23)
}
