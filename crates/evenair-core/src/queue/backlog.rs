//! The occupancy of a queue: accounting shared by all disciplines.

use super::item::QueueItem;
use crate::component::QueueLimit;

/// The packets and bytes in a queue and in transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    limit: QueueLimit,
    packets: u32,
    acks: u32,
    bytes: u64,
    in_service_packets: u32,
    in_service_bytes: u64,
}

impl Backlog {
    /// The backlog of an empty queue with this limit.
    pub fn new(limit: QueueLimit) -> Self {
        let (packets, acks, bytes) = (0, 0, 0);
        Self { limit, packets, acks, bytes, in_service_packets: 0, in_service_bytes: 0 }
    }

    /// Waiting packets, without those in transmission.
    pub fn packets(&self) -> u32 {
        self.packets
    }

    /// Waiting pure TCP acknowledgements.
    pub fn acks(&self) -> u32 {
        self.acks
    }

    /// Waiting bytes at IP level.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Packets in transmission.
    pub fn in_service(&self) -> u32 {
        self.in_service_packets
    }

    /// Whether `packet` can be queued within the limit.
    pub fn has_room_for(&self, packet: &impl QueueItem) -> bool {
        match self.limit {
            QueueLimit::Packets(limit) => self.packets + self.in_service_packets < limit,
            QueueLimit::Bytes(limit) => {
                self.bytes + self.in_service_bytes + u64::from(packet.size()) <= limit
            }
            QueueLimit::Unlimited => true,
        }
    }

    /// Whether `packet` can be queued within the limit after the removal of `victims`.
    pub fn has_room_without<'a, P: QueueItem + 'a>(
        &self,
        mut victims: impl Iterator<Item = &'a P>,
        packet: &P,
    ) -> bool {
        let mut rest = *self;
        while !rest.has_room_for(packet) {
            match victims.next() {
                Some(victim) => rest.remove(victim),
                None => return false,
            }
        }
        true
    }

    /// Adds a queued packet.
    pub fn add(&mut self, packet: &impl QueueItem) {
        self.packets += 1;
        self.acks += u32::from(packet.is_pure_ack());
        self.bytes += u64::from(packet.size());
    }

    /// Removes a packet that was dropped.
    pub fn remove(&mut self, packet: &impl QueueItem) {
        self.packets -= 1;
        self.acks -= u32::from(packet.is_pure_ack());
        self.bytes -= u64::from(packet.size());
    }

    /// Moves a waiting packet into transmission.
    pub fn serve(&mut self, packet: &impl QueueItem) {
        self.remove(packet);
        self.serve_directly(packet.size());
    }

    /// Adds a packet of `bytes` to those in transmission that was not queued before.
    pub fn serve_directly(&mut self, bytes: u32) {
        self.in_service_packets += 1;
        self.in_service_bytes += u64::from(bytes);
    }

    /// Removes a transmitted packet of `bytes`.
    pub fn transmitted(&mut self, bytes: u32) {
        self.in_service_packets -= 1;
        self.in_service_bytes -= u64::from(bytes);
    }
}
