//! One direction of a wired link: a queue, a transmitter, a delay, and perhaps errors.

use std::collections::VecDeque;

use evenair_core::loss::{LossModel, Losses};
use evenair_core::packet::Packet;
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

use crate::interface::Interface;

/// A link. While nothing waits a packet costs one event, its arrival, and does not see the queue:
/// when it arrives follows from when it was sent. Only while the queue holds something is the
/// transmitter looked at each time it becomes free.
#[derive(Debug)]
pub(crate) struct Link {
    rate: Rate,
    /// How long a byte takes, where that is a whole number of nanoseconds, as it is at 10 or 100 Mb/s:
    /// saves a division per packet.
    nanos_per_byte: Option<u64>,
    delay: Duration,
    interface: Interface,
    errors: Option<Losses>,
    /// Whether the queue holds something, and so counts the packet in the transmitter, too.
    waiting: bool,
    /// When the transmitter is done with the packet that entered it last.
    free_at: Instant,
    /// What has been sent, each as it enters the next queue; the last is, or was, in the transmitter.
    in_flight: VecDeque<Packet>,
    /// Time that the packets sent since the last [`Link::reset`] take to send.
    busy: Duration,
    error_losses: u64,
}

impl Link {
    pub(crate) fn new(
        rate: Rate,
        delay: Duration,
        interface: Interface,
        errors: Option<Losses>,
    ) -> Self {
        // Eight bits in nanoseconds.
        let (byte, bps) = (8_000_000_000, rate.as_bps());
        let nanos_per_byte = (bps > 0 && byte % bps == 0).then(|| byte / bps);
        Self {
            rate,
            nanos_per_byte,
            delay,
            interface,
            errors,
            waiting: false,
            free_at: Instant::ZERO,
            in_flight: VecDeque::new(),
            busy: Duration::ZERO,
            error_losses: 0,
        }
    }

    /// Sends `packet`, or queues it, or drops what the queue has no room for. Returns whether
    /// [`Link::next`] may tell something else than before.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Instant, packet: &Packet) -> bool {
        if !self.waiting {
            if self.free_at <= now {
                let was_empty = self.in_flight.is_empty();
                self.interface.pass(packet);
                self.transmit(now, packet);
                return was_empty;
            }
            // Its arrival is later than its departure, so it is still in flight.
            if let Some(in_service) = self.in_flight.back() {
                self.interface.keep(in_service);
            }
            self.waiting = true;
        }
        self.interface.enqueue(now, &Packet { enqueued_at: now, ..*packet });
        true
    }

    /// When [`Link::poll`] is to be called next.
    pub(crate) fn next(&self) -> Instant {
        let arrival = self.in_flight.front().map_or(Instant::NEVER, |packet| packet.enqueued_at);
        if self.waiting { arrival.min(self.free_at) } else { arrival }
    }

    /// Does what is due at `now`: the next packet that arrives, if one does. It stays until it is
    /// [`Link::forget`]ten.
    pub(crate) fn poll(&mut self, now: Instant) -> Option<&Packet> {
        if self.waiting && self.free_at <= now {
            self.serve();
        }
        if self.in_flight.front()?.enqueued_at > now {
            return None;
        }
        if let Some(errors) = &mut self.errors
            && errors.loses(now)
        {
            self.error_losses += 1;
            self.in_flight.pop_front();
            return None;
        }
        self.in_flight.front()
    }

    /// The packet that has arrived has been taken.
    pub(crate) fn forget(&mut self) {
        self.in_flight.pop_front();
    }

    /// The queue.
    pub(crate) fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Time that the transmitter has been busy from the last [`Link::reset`] to `now`.
    pub(crate) fn busy(&self, now: Instant) -> Duration {
        self.busy.saturating_sub(self.free_at.since(now))
    }

    /// Packets lost to errors since the last [`Link::reset`].
    pub(crate) fn error_losses(&self) -> u64 {
        self.error_losses
    }

    /// Forgets what went through.
    pub(crate) fn reset(&mut self, now: Instant) {
        self.interface.reset(now);
        self.error_losses = 0;
        // What is left of the packet in the transmitter will be sent from now on.
        self.busy = self.free_at.since(now);
    }

    /// The transmitter has become free: the queue's next packet takes it.
    fn serve(&mut self) {
        self.interface.transmitted();
        self.waiting = false;
        if let Some(&packet) = self.interface.dequeue(self.free_at) {
            self.transmit(self.free_at, &packet);
            if self.interface.waiting() == [0, 0] {
                self.interface.transmitted();
            } else {
                self.waiting = true;
            }
        }
    }

    #[inline(always)]
    fn transmit(&mut self, now: Instant, packet: &Packet) {
        let bytes = u64::from(packet.size);
        let duration = match self.nanos_per_byte {
            Some(nanos) => Duration::from_nanos(nanos * bytes),
            None => self.rate.time_for(bytes),
        };
        self.busy += duration;
        self.free_at = now + duration;
        let arrival = self.free_at + self.delay;
        self.in_flight.push_back(Packet { enqueued_at: arrival, ..*packet });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenair_core::packet::{FlowId, PacketKind};
    use evenair_core::queue::{Config, Limit, Queue};
    use evenair_core::rng::{RngStream, StreamId};

    fn link(limit: u32) -> Link {
        let rng = RngStream::new(1, StreamId::Queue, 0);
        let queue = Queue::new(&Config::default(), Limit::Packets(limit), rng);
        Link::new(Rate::from_mbps(100), Duration::from_millis(2), Interface::new(queue), None)
    }

    fn packet(seq: u64) -> Packet {
        Packet { size: 1500, payload: 1460, seq, ..Packet::new(FlowId(0), PacketKind::Data) }
    }

    /// Arrivals (time in microseconds, number) of all packets.
    fn arrivals(link: &mut Link) -> Vec<(u64, u64)> {
        let mut arrived = Vec::new();
        while link.next() != Instant::NEVER {
            let now = link.next();
            if let Some(packet) = link.poll(now) {
                arrived.push((now.as_nanos() / 1000, packet.seq));
                link.forget();
            }
        }
        arrived
    }

    /// 1500 bytes take 120 us at 100 Mb/s, and then 2 ms.
    #[test]
    fn packets_queue_behind_each_other() {
        let mut link = link(10);
        for seq in 0..3 {
            link.send(Instant::ZERO, &packet(seq));
        }
        assert_eq!(arrivals(&mut link), [(2120, 0), (2240, 1), (2360, 2)]);
        link.send(Instant::from_nanos(5_000_000), &packet(3));
        assert_eq!(arrivals(&mut link), [(7120, 3)]);
    }

    /// One in the transmitter and one waiting: a limit of two.
    #[test]
    fn a_full_queue_drops() {
        let mut link = link(2);
        for seq in 0..4 {
            link.send(Instant::ZERO, &packet(seq));
        }
        assert_eq!(link.interface().stats(Instant::ZERO).data_drops, 2);
        assert_eq!(arrivals(&mut link), [(2120, 0), (2240, 1)]);
    }
}
