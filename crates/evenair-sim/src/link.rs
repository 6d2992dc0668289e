//! One direction of the wired link: a queue, a transmitter, and a delay.

use std::collections::VecDeque;

use evenair_core::packet::Packet;
use evenair_core::queue::{Discarded, Queue, QueueDiscipline};
use evenair_core::time::{Span, Time};
use evenair_core::units::Rate;

/// A link. While nothing waits a packet costs one event, its arrival, and does not see the queue:
/// when it arrives follows from when it was sent. Only while the queue holds something is the
/// transmitter looked at each time it becomes free.
#[derive(Debug)]
pub(crate) struct Link {
    rate: Rate,
    delay: Span,
    queue: Queue,
    /// Whether the queue holds something, and so counts the packet in the transmitter, too.
    waiting: bool,
    /// The packet that is in the transmitter, or was last.
    in_service: Option<Packet>,
    /// When the transmitter is done with it.
    free_at: Time,
    in_flight: VecDeque<(Time, Packet)>,
    discarded: Vec<Discarded>,
    drops: u64,
}

impl Link {
    pub(crate) fn new(rate: Rate, delay: Span, queue: Queue) -> Self {
        Self {
            rate,
            delay,
            queue,
            waiting: false,
            in_service: None,
            free_at: Time::ZERO,
            in_flight: VecDeque::new(),
            discarded: Vec::new(),
            drops: 0,
        }
    }

    /// Sends `packet`, or queues it, or drops what the queue has no room for.
    pub(crate) fn send(&mut self, now: Time, packet: Packet) {
        if !self.waiting && self.free_at <= now {
            self.transmit(now, packet);
            return;
        }
        if !self.waiting
            && let Some(in_service) = &self.in_service
        {
            self.queue.backlog_mut().serve_directly(in_service);
        }
        self.queue.enqueue(now, packet, &mut self.discarded);
        self.drops += self.discarded.drain(..).count() as u64;
        self.waiting = true;
    }

    /// When [`Link::pop`] is to be called next.
    pub(crate) fn next(&self) -> Time {
        let arrival = self.in_flight.front().map_or(Time::NEVER, |&(at, _)| at);
        if self.waiting { arrival.min(self.free_at) } else { arrival }
    }

    /// Does what is due at `now`: the next packet that arrives, if one does.
    pub(crate) fn pop(&mut self, now: Time) -> Option<Packet> {
        if self.waiting && self.free_at <= now {
            self.serve();
        }
        match self.in_flight.front() {
            Some(&(at, _)) if at <= now => self.in_flight.pop_front().map(|(_, packet)| packet),
            _ => None,
        }
    }

    /// Packets dropped so far.
    pub(crate) fn drops(&self) -> u64 {
        self.drops
    }

    /// The transmitter has become free: the queue's next packet takes it.
    fn serve(&mut self) {
        if let Some(done) = self.in_service.take() {
            self.queue.transmitted(&done);
        }
        if let Some(packet) = self.queue.dequeue(self.free_at) {
            self.transmit(self.free_at, packet);
            if self.queue.backlog().packets() == 0 {
                self.queue.transmitted(&packet);
                self.waiting = false;
            }
        } else {
            self.waiting = false;
        }
    }

    fn transmit(&mut self, now: Time, packet: Packet) {
        self.free_at = now + self.rate.time_for(u64::from(packet.size));
        self.in_flight.push_back((self.free_at + self.delay, packet));
        self.in_service = Some(packet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenair_core::packet::{FlowId, PacketKind};
    use evenair_core::parts::Choice;
    use evenair_core::queue::{Limit, REGISTRY};

    fn link(limit: u32) -> Link {
        let choice = Choice::by_name(REGISTRY, "droptail").unwrap();
        let queue = Queue::new(&choice, Limit::Packets(limit));
        Link::new(Rate::from_mbps(100), Span::from_millis(2), queue)
    }

    fn packet(seq: u64) -> Packet {
        Packet {
            flow: FlowId(0),
            kind: PacketKind::Data,
            high_priority: false,
            retransmission: false,
            size: 1500,
            payload: 1460,
            sack: 0,
            seq,
            enqueued_at: Time::ZERO,
        }
    }

    /// Arrivals (time in microseconds, number) of all packets.
    fn arrivals(link: &mut Link) -> Vec<(u64, u64)> {
        let mut arrived = Vec::new();
        while link.next() != Time::NEVER {
            let now = link.next();
            if let Some(packet) = link.pop(now) {
                arrived.push((now.as_nanos() / 1000, packet.seq));
            }
        }
        arrived
    }

    /// 1500 bytes take 120 us at 100 Mb/s, and then 2 ms.
    #[test]
    fn packets_queue_behind_each_other() {
        let mut link = link(10);
        for seq in 0..3 {
            link.send(Time::ZERO, packet(seq));
        }
        assert_eq!(arrivals(&mut link), [(2120, 0), (2240, 1), (2360, 2)]);
        link.send(Time::from_nanos(5_000_000), packet(3));
        assert_eq!(arrivals(&mut link), [(7120, 3)]);
    }

    /// One in the transmitter and one waiting: a limit of two.
    #[test]
    fn a_full_queue_drops() {
        let mut link = link(2);
        for seq in 0..4 {
            link.send(Time::ZERO, packet(seq));
        }
        assert_eq!(link.drops(), 2);
        assert_eq!(arrivals(&mut link), [(2120, 0), (2240, 1)]);
    }
}
