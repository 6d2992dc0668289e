//! Packets that the MAC of a station is done with, for transports that count what their host still has.

use super::packet::CellPacket;

/// What has departed and nobody has taken yet.
#[derive(Debug)]
pub(super) struct Departures<P> {
    /// By flow: whether its packets are reported.
    flows: Vec<bool>,
    /// The slot of [`Nodes::held`] that stops a poll when something departs.
    pub(super) slot: u32,
    pub(super) packets: Vec<P>,
}

impl<P: CellPacket> Departures<P> {
    /// Those of these flows.
    pub(super) fn new(flows: Vec<bool>, slot: u32) -> Self {
        Self { flows, slot, packets: Vec::new() }
    }

    /// A packet has departed, or was dropped in the queue of its station. Returns whether it is reported.
    pub(super) fn note(&mut self, packet: &P) -> bool {
        let (flow, _) = packet.connection();
        let is_reported = self.flows.get(flow.0 as usize) == Some(&true) && !packet.is_pure_ack();
        if is_reported {
            self.packets.push(packet.clone());
        }
        is_reported
    }
}
