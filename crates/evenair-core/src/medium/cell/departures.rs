//! Packets that the MAC of a station is done with, for transports that count what their host still has.

use super::nodes::{InService, Nodes};
use super::packet::CellPacket;
use crate::medium::PacketId;
use crate::time::Instant;

/// What has departed and nobody has taken yet.
#[derive(Debug)]
pub(super) struct Departures<P> {
    /// By flow: whether its packets are reported.
    flows: Vec<bool>,
    /// The slot of [`Nodes::held`] that stops a poll when something departs.
    pub(super) slot: u32,
    packets: Vec<P>,
}

impl<P: CellPacket> Departures<P> {
    /// Those of these flows.
    pub(super) fn new(flows: Vec<bool>, slot: u32) -> Self {
        Self { flows, slot, packets: Vec::new() }
    }

    fn note(&mut self, packet: &P) -> bool {
        let (flow, _) = packet.connection();
        let is_reported = self.flows.get(flow.0 as usize) == Some(&true) && !packet.is_pure_ack();
        if is_reported {
            self.packets.push(packet.clone());
        }
        is_reported
    }
}

impl<P: CellPacket> Nodes<P> {
    /// Whether there are departures to take.
    #[inline(always)]
    pub(super) fn has_departures(&self) -> bool {
        self.departures.as_ref().is_some_and(|departures| !departures.packets.is_empty())
    }

    /// The medium is done with a packet. If it is reported, the poll stops: its sender may have more to send. What the
    /// station's queue has dropped meanwhile is reported with it; a queue drops nothing that is not followed by
    /// a packet that it transmits.
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
}
