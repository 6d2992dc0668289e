//! A station's network interface: its queue in front of the MAC, and what went through it.

use evenair_core::packet::Packet;
use evenair_core::queue::{Discarded, Queue, QueueDiscipline, Reason};
use evenair_core::time::{Span, Time};

/// The queue of one station, watched.
#[derive(Debug)]
pub(crate) struct Interface {
    queue: Queue,
    /// Reused between arrivals.
    discarded: Vec<Discarded>,
    stats: QueueStats,
}

/// What went through a queue. Packets are *data* or pure acknowledgements; those of the handshake
/// count as data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueStats {
    pub(crate) data_arrivals: u64,
    pub(crate) ack_arrivals: u64,
    pub(crate) data_drops: u64,
    pub(crate) ack_drops: u64,
    /// Acknowledgements among the drops that a later one superseded.
    pub(crate) superseded: u64,
    pub(crate) departures: u64,
    /// Sum of the time that the departed have waited.
    pub(crate) waited: Span,
    /// Integrals over time of the data packets and acknowledgements that wait.
    pub(crate) data_time: Span,
    pub(crate) ack_time: Span,
    since: Time,
}

impl Interface {
    pub(crate) fn new(queue: Queue) -> Self {
        Self { queue, discarded: Vec::new(), stats: QueueStats::default() }
    }

    /// A packet arrives at the queue.
    pub(crate) fn enqueue(&mut self, now: Time, mut packet: Packet) {
        self.advance(now);
        packet.enqueued_at = now;
        let is_ack = packet.is_pure_ack();
        self.stats.ack_arrivals += u64::from(is_ack);
        self.stats.data_arrivals += u64::from(!is_ack);
        self.queue.enqueue(now, packet, &mut self.discarded);
        for Discarded { packet, reason } in self.discarded.drain(..) {
            let is_ack = packet.is_pure_ack();
            self.stats.ack_drops += u64::from(is_ack);
            self.stats.data_drops += u64::from(!is_ack);
            self.stats.superseded += u64::from(reason == Reason::Superseded);
        }
    }

    /// The MAC takes the next packet.
    pub(crate) fn dequeue(&mut self, now: Time) -> Option<Packet> {
        self.advance(now);
        let packet = self.queue.dequeue(now)?;
        self.stats.departures += 1;
        self.stats.waited += now.since(packet.enqueued_at);
        Some(packet)
    }

    /// The MAC is done with the packet that it took last.
    pub(crate) fn transmitted(&mut self, packet: &Packet) {
        self.queue.transmitted(packet);
    }

    /// Data packets and acknowledgements that wait.
    pub(crate) fn waiting(&self) -> (u32, u32) {
        let backlog = self.queue.backlog();
        (backlog.packets() - backlog.acks(), backlog.acks())
    }

    /// What went through since the last [`Interface::reset`], up to `now`.
    pub(crate) fn stats(&mut self, now: Time) -> QueueStats {
        self.advance(now);
        self.stats
    }

    /// Forgets what went through.
    pub(crate) fn reset(&mut self, now: Time) {
        self.stats = QueueStats { since: now, ..QueueStats::default() };
    }

    fn advance(&mut self, now: Time) {
        let elapsed = now.since(self.stats.since);
        let (data, acks) = self.waiting();
        self.stats.data_time += elapsed * u64::from(data);
        self.stats.ack_time += elapsed * u64::from(acks);
        self.stats.since = now;
    }
}
