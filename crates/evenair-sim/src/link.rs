//! One direction of the wired link: packets leave one after another and arrive a delay later.

use std::collections::VecDeque;

use evenair_core::packet::Packet;
use evenair_core::time::{Span, Time};
use evenair_core::units::Rate;

/// A link with an unlimited queue in front of it. When a packet arrives at the far end follows from
/// when it was sent, so a packet costs one event.
#[derive(Debug)]
pub(crate) struct Link {
    rate: Rate,
    delay: Span,
    /// When the last packet so far will have left.
    free_at: Time,
    in_flight: VecDeque<(Time, Packet)>,
}

impl Link {
    pub(crate) fn new(rate: Rate, delay: Span) -> Self {
        Self { rate, delay, free_at: Time::ZERO, in_flight: VecDeque::new() }
    }

    /// Sends `packet` behind all that were sent before.
    pub(crate) fn send(&mut self, now: Time, packet: Packet) {
        self.free_at = self.free_at.max(now) + self.rate.time_for(u64::from(packet.size));
        self.in_flight.push_back((self.free_at + self.delay, packet));
    }

    /// When the next packet arrives.
    pub(crate) fn next(&self) -> Time {
        self.in_flight.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    /// The packet that arrives next.
    pub(crate) fn pop(&mut self) -> Option<Packet> {
        self.in_flight.pop_front().map(|(_, packet)| packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenair_core::packet::{FlowId, PacketKind};

    #[test]
    fn packets_queue_behind_each_other() {
        let packet = Packet {
            flow: FlowId(0),
            kind: PacketKind::Data,
            high_priority: false,
            retransmission: false,
            size: 1500,
            payload: 1460,
            seq: 0,
            enqueued_at: Time::ZERO,
        };
        let mut link = Link::new(Rate::from_mbps(100), Span::from_millis(2));
        link.send(Time::ZERO, packet);
        link.send(Time::ZERO, packet);
        assert_eq!(link.next(), Time::from_nanos(2_120_000));
        link.pop();
        assert_eq!(link.next(), Time::from_nanos(2_240_000));
    }
}
