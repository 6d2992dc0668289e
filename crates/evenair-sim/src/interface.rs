//! A network interface: the queue in front of a MAC or of a wired link, and what went through it.

use evenair_core::packet::Packet;
use evenair_core::queue::{Actions, DropReason, Dropped, Queue, QueueDiscipline};
use evenair_core::time::{Duration, Instant};

/// The queue in front of one transmitter, watched.
#[derive(Debug)]
pub(crate) struct Interface {
    queue: Queue<Packet>,
    /// What the transmitter took last.
    in_service: Option<Packet>,
    /// Reused between arrivals.
    actions: Actions<Packet>,
    /// Of data packets and of pure acknowledgements.
    kinds: [Kind; 2],
    superseded: u64,
    departures: u64,
    waited: Duration,
}

/// What went through a queue of one kind of packets.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    arrivals: u64,
    drops: u64,
    /// The moments of all departures and drops less those of all arrivals, which is what an
    /// integral over time of the number that waits needs to know; it wraps around, harmlessly.
    moments: u64,
}

/// What went through a queue. Packets are *data* or pure acknowledgements; those of the handshake
/// count as data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueStats {
    pub(crate) data_arrivals: u64,
    pub(crate) ack_arrivals: u64,
    pub(crate) data_drops: u64,
    pub(crate) ack_drops: u64,
    /// Acknowledgements among the drops that a later one superseded.
    pub(crate) superseded: u64,
    pub(crate) departures: u64,
    /// Sum of the time that the departed have waited.
    pub(crate) waited: Duration,
    /// Integrals over time of the data packets and acknowledgements that wait.
    pub(crate) data_time: Duration,
    pub(crate) ack_time: Duration,
}

impl Interface {
    pub(crate) fn new(queue: Queue<Packet>) -> Self {
        Self {
            queue,
            in_service: None,
            actions: Actions::new(),
            kinds: [Kind::default(); 2],
            superseded: 0,
            departures: 0,
            waited: Duration::ZERO,
        }
    }

    /// `packet`, whose `enqueued_at` is `now`, arrives at the queue.
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, now: Instant, packet: &Packet) {
        debug_assert_eq!(packet.enqueued_at, now, "its waiting is counted from there");
        let kind = self.kind(packet);
        kind.arrivals += 1;
        kind.arrive(now, 1);
        self.queue.enqueue(now, *packet, &mut self.actions);
        while let Some(Dropped { packet, reason }) = self.actions.dropped.pop() {
            let kind = self.kind(&packet);
            kind.drops += 1;
            kind.leave(now);
            self.superseded += u64::from(reason == DropReason::Superseded);
        }
    }

    /// A packet arrives and goes straight to the transmitter.
    pub(crate) fn pass(&mut self, packet: &Packet) {
        self.kind(packet).arrivals += 1;
        self.departures += 1;
    }

    /// A packet that has passed turns out to be in the transmitter still while others wait: it
    /// counts against the limit until it is [`Interface::transmitted`].
    pub(crate) fn keep(&mut self, packet: &Packet) {
        self.queue.backlog_mut().serve_directly(packet);
        self.in_service = Some(*packet);
    }

    /// The transmitter takes the next packet.
    pub(crate) fn dequeue(&mut self, now: Instant) -> Option<&Packet> {
        self.in_service = self.queue.dequeue(now, &mut self.actions);
        let packet = self.in_service.as_ref()?;
        self.kinds[usize::from(packet.is_pure_ack())].leave(now);
        self.departures += 1;
        self.waited += now.since(packet.enqueued_at);
        Some(packet)
    }

    /// The packet that the transmitter took last, if it is not done with it.
    pub(crate) fn in_service(&self) -> Option<&Packet> {
        self.in_service.as_ref()
    }

    /// The transmitter is done with the packet that it took last.
    pub(crate) fn transmitted(&mut self) {
        if let Some(packet) = self.in_service.take() {
            self.queue.transmitted(packet.size);
        }
    }

    /// Data packets and acknowledgements that wait.
    pub(crate) fn waiting(&self) -> [u32; 2] {
        let backlog = self.queue.backlog();
        [backlog.packets() - backlog.acks(), backlog.acks()]
    }

    /// What went through since the last [`Interface::reset`], up to `now`.
    pub(crate) fn stats(&self, now: Instant) -> QueueStats {
        let [data, acks] = self.kinds;
        let [data_waiting, acks_waiting] = self.waiting();
        QueueStats {
            data_arrivals: data.arrivals,
            ack_arrivals: acks.arrivals,
            data_drops: data.drops,
            ack_drops: acks.drops,
            superseded: self.superseded,
            departures: self.departures,
            waited: self.waited,
            data_time: data.waiting_time(now, data_waiting),
            ack_time: acks.waiting_time(now, acks_waiting),
        }
    }

    /// Forgets what went through.
    pub(crate) fn reset(&mut self, now: Instant) {
        (self.superseded, self.departures, self.waited) = (0, 0, Duration::ZERO);
        let waiting = self.waiting();
        for (kind, waiting) in self.kinds.iter_mut().zip(waiting) {
            *kind = Kind::default();
            kind.arrive(now, waiting);
        }
    }

    fn kind(&mut self, packet: &Packet) -> &mut Kind {
        &mut self.kinds[usize::from(packet.is_pure_ack())]
    }
}

impl Kind {
    fn arrive(&mut self, now: Instant, packets: u32) {
        let moments = now.as_nanos().wrapping_mul(u64::from(packets));
        self.moments = self.moments.wrapping_sub(moments);
    }

    fn leave(&mut self, now: Instant) {
        self.moments = self.moments.wrapping_add(now.as_nanos());
    }

    /// The integral over time of the number that waits, which is `waiting` at its end: each packet
    /// adds its departure, or `now` if it still waits, less its arrival.
    fn waiting_time(&self, now: Instant, waiting: u32) -> Duration {
        let still = now.as_nanos().wrapping_mul(u64::from(waiting));
        Duration::from_nanos(self.moments.wrapping_add(still))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenair_core::packet::{FlowId, PacketKind};
    use evenair_core::queue::{Config, Limit};
    use evenair_core::rng::{RngStream, StreamId};

    fn packet(enqueued_at: Instant, kind: PacketKind) -> Packet {
        Packet { size: 40, enqueued_at, ..Packet::new(FlowId(0), kind) }
    }

    /// By hand: data wait 3..7 and 5..9 (still), a third is dropped at 6; after a reset at 10 the
    /// one that is left waits 10..12.
    #[test]
    fn integrals_are_sums_of_waiting_times() {
        let at = Instant::from_nanos;
        let mut interface = Interface::new(Queue::new(
            &Config::default(),
            Limit::Packets(3),
            RngStream::new(1, StreamId::Queue, 0),
        ));
        interface.enqueue(at(3), &packet(at(3), PacketKind::Data));
        interface.enqueue(at(5), &packet(at(5), PacketKind::Data));
        interface.enqueue(at(5), &packet(at(5), PacketKind::Ack));
        interface.enqueue(at(6), &packet(at(6), PacketKind::Data));
        assert!(interface.dequeue(at(7)).is_some());
        let stats = interface.stats(at(9));
        assert_eq!((stats.data_arrivals, stats.data_drops), (3, 1));
        assert_eq!(
            (stats.data_time, stats.ack_time),
            (Duration::from_nanos(8), Duration::from_nanos(4))
        );
        assert_eq!(stats.waited, Duration::from_nanos(4));
        interface.reset(at(10));
        assert_eq!(interface.stats(at(12)).data_time, Duration::from_nanos(2));
    }
}
