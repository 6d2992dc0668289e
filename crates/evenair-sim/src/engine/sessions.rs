//! The sessions of a run, each over a flow for every slot.

use evenair_core::packet::{End, Packet};
use evenair_core::time::Instant;
use evenair_core::traffic::Session;
use evenair_core::traffic::session::Connections;
use evenair_core::transport::{Output, PacketOption};

use crate::engine::flow::Flow;
use crate::engine::network::Network;
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;

/// A session, and the flows that are its slots.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) session: Session,
    /// The index of the flow of slot 0; the others follow. The timer of its sender wakes the session, too.
    pub(crate) first: usize,
    pub(crate) slots: usize,
    /// The end of the session has been noted.
    pub(crate) ended: bool,
}

impl Running {
    /// The flows of its slots, whose packets go to `network`.
    pub(crate) fn slots<'a, M, P>(
        &self,
        now: Instant,
        flows: &'a mut [Flow],
        network: &'a mut Network<M, P>,
    ) -> Slots<'a, M, P> {
        let flows = &mut flows[self.first..self.first + self.slots];
        Slots { now, first: self.first, flows, network, has_opened_first: false }
    }
}

/// Where the ends of flows send their packets.
pub(crate) struct Ports<'a, M, P> {
    pub(crate) now: Instant,
    pub(crate) network: &'a mut Network<M, P>,
}

impl<M: SimMedium, P: SimPacket> Output for Ports<'_, M, P> {
    #[inline(always)]
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        match option {
            None => self.network.send(self.now, packet),
            Some(option) => self.network.send_with_option(self.now, *packet, *option),
        }
    }
}

/// The slots of a session.
pub(crate) struct Slots<'a, M, P> {
    now: Instant,
    /// The index of the first of the flows.
    first: usize,
    flows: &'a mut [Flow],
    network: &'a mut Network<M, P>,
    /// Slot 0 has a new connection.
    pub(crate) has_opened_first: bool,
}

impl<M: SimMedium, P: SimPacket> Slots<'_, M, P> {
    /// The timers of a slot are to expire when its ends say so.
    fn arm(&mut self, slot: usize) {
        let flow = &self.flows[slot];
        for end in [End::Sender, End::Receiver] {
            self.network.agenda().arm(flow.timers[end as usize], flow.ends.poll_at(end));
        }
    }
}

impl<M: SimMedium, P: SimPacket> Connections for Slots<'_, M, P> {
    fn open(&mut self, slot: usize, bytes: u64) {
        self.has_opened_first |= slot == 0;
        let mut out = Ports { now: self.now, network: self.network };
        let padded = self.flows[slot].open(self.now, bytes, &mut out);
        self.network.begin_transfer(self.first + slot, padded);
        self.arm(slot);
    }

    fn request(&mut self, slot: usize, bytes: u64) {
        let mut out = Ports { now: self.now, network: self.network };
        let padded = self.flows[slot].request(self.now, bytes, &mut out);
        self.network.continue_transfer(self.first + slot, padded);
        self.arm(slot);
    }

    fn received(&self, slot: usize) -> (u64, bool) {
        self.flows[slot].ends.received()
    }

    fn is_done(&self, slot: usize) -> bool {
        self.flows[slot].ends.is_done()
    }

    fn repairs(&self, slot: usize) -> [u64; 2] {
        let counters = self.flows[slot].ends.counters();
        [counters.retransmissions, counters.timeouts]
    }

    fn stop(&mut self, slot: usize) -> bool {
        let ends = &mut self.flows[slot].ends;
        let is_opening = ends.is_opening();
        ends.stop(self.now);
        !is_opening && !ends.is_done()
    }
}
