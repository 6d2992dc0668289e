//! How full a queue is: the accounting that every discipline shares.

use super::QueueItem;

/// How much a queue may hold, the packet being transmitted included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// This many packets.
    Packets(u32),
    /// This many bytes at IP level.
    Bytes(u64),
}

/// What a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    limit: Limit,
    packets: u32,
    acks: u32,
    bytes: u64,
    in_service_packets: u32,
    in_service_bytes: u64,
}

impl Backlog {
    /// Nothing, with room for `limit`.
    pub fn new(limit: Limit) -> Self {
        let (packets, acks, bytes) = (0, 0, 0);
        Self { limit, packets, acks, bytes, in_service_packets: 0, in_service_bytes: 0 }
    }

    /// Packets that wait; the one being transmitted is not counted.
    pub fn packets(&self) -> u32 {
        self.packets
    }

    /// Pure TCP acknowledgements among them.
    pub fn acks(&self) -> u32 {
        self.acks
    }

    /// Bytes that wait, at IP level.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether `packet` may join.
    pub fn has_room_for(&self, packet: &impl QueueItem) -> bool {
        match self.limit {
            Limit::Packets(limit) => self.packets + self.in_service_packets < limit,
            Limit::Bytes(limit) => {
                self.bytes + self.in_service_bytes + u64::from(packet.size()) <= limit
            }
        }
    }

    /// Whether `packet` may join once those of `victims` have left.
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

    /// `packet` has joined.
    pub fn add(&mut self, packet: &impl QueueItem) {
        self.packets += 1;
        self.acks += u32::from(packet.is_pure_ack());
        self.bytes += u64::from(packet.size());
    }

    /// `packet` has left without being transmitted.
    pub fn remove(&mut self, packet: &impl QueueItem) {
        self.packets -= 1;
        self.acks -= u32::from(packet.is_pure_ack());
        self.bytes -= u64::from(packet.size());
    }

    /// `packet` has left for the transmitter.
    pub fn serve(&mut self, packet: &impl QueueItem) {
        self.remove(packet);
        self.serve_directly(packet);
    }

    /// `packet` went to the transmitter without having waited.
    pub fn serve_directly(&mut self, packet: &impl QueueItem) {
        self.in_service_packets += 1;
        self.in_service_bytes += u64::from(packet.size());
    }

    /// The transmitter is done with a packet of `bytes`.
    pub fn transmitted(&mut self, bytes: u32) {
        self.in_service_packets -= 1;
        self.in_service_bytes -= u64::from(bytes);
    }
}
