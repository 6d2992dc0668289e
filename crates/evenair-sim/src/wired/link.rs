//! One direction of a wired link: a queue, a transmitter, a delay, and perhaps a loss model.

use std::collections::VecDeque;

use evenair_core::flow_losses::FlowLosses;
use evenair_core::loss::{Frame, FrameKind, LossModel, Losses};
use evenair_core::packet::FlowId;
use evenair_core::queue::{Queue, QueueItem, QueueLimit, QueueStats, TxQueue};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

use super::fifo::{Entry, Fifo};
use super::packet::WirePacket;

/// One direction of a link.
#[derive(Debug)]
pub(crate) struct Link<P> {
    rate: Rate,
    /// Transmission time of a byte, where it is a whole number of nanoseconds, as at 10 or 100 Mb/s:
    /// saves a division per packet.
    nanos_per_byte: Option<u64>,
    /// The size of the last packet, bytes, and its transmission time, elsewhere.
    last_size: u32,
    last_time: Duration,
    delay: Duration,
    queue: LinkQueue<P>,
    loss: Option<Losses>,
    /// Packets that the loss model discarded and that may still be ahead of time.
    lost: VecDeque<Discarded>,
    losses: FlowLosses,
    /// Packets under way for which something has to happen at the far end. `enqueued_at` is the time
    /// of their arrival there.
    pub(super) in_flight: VecDeque<P>,
    /// Nobody needs to know when packets arrive at the far end before asking: see [`Wired::drain_quiet`](super::Wired::drain_quiet).
    pub(super) is_quiet: bool,
}

/// A packet that the loss model has discarded.
#[derive(Clone, Copy, Debug)]
struct Discarded {
    at: Instant,
    flow: FlowId,
    is_ack: bool,
}

/// The queue in front of the transmitter.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "most links are droptail; a box is a detour")]
pub(crate) enum LinkQueue<P> {
    /// Droptail: departures are computed at arrival.
    Fifo(Fifo),
    /// Any other discipline: the transmitter asks for the next packet when it is free.
    Discipline(Box<Transmitter<P>>),
}

/// A transmitter behind a queue discipline. While nothing waits, a packet bypasses the queue, and only
/// while the queue holds something does the transmitter have events.
#[derive(Debug)]
pub(crate) struct Transmitter<P> {
    queue: TxQueue<P>,
    /// Whether something has arrived since the transmitter became busy, so that the queue counts the
    /// packet in the transmitter, too.
    waiting: bool,
    /// Since when.
    waiting_since: Instant,
    /// Bytes of the packet that the transmitter sends, or sent last.
    in_service: Option<u32>,
    /// When the transmitter is done with it.
    free_at: Instant,
    /// Transmission times of the packets sent since the last reset.
    busy: Duration,
}

impl<P: WirePacket> LinkQueue<P> {
    /// A droptail queue.
    pub(crate) fn fifo(limit: QueueLimit) -> Self {
        Self::Fifo(Fifo::new(limit))
    }

    /// Any queue discipline.
    pub(crate) fn discipline(queue: Queue<P>) -> Self {
        Self::Discipline(Box::new(Transmitter {
            queue: TxQueue::new(queue),
            waiting: false,
            waiting_since: Instant::ZERO,
            in_service: None,
            free_at: Instant::ZERO,
            busy: Duration::ZERO,
        }))
    }
}

impl<P: WirePacket> Link<P> {
    pub(crate) fn new(
        rate: Rate,
        delay: Duration,
        queue: LinkQueue<P>,
        loss: Option<Losses>,
    ) -> Self {
        // Eight bits in nanoseconds.
        let (byte, bps) = (8_000_000_000, rate.as_bps());
        let nanos_per_byte = (bps > 0 && byte % bps == 0).then(|| byte / bps);
        Self {
            rate,
            nanos_per_byte,
            last_size: 0,
            last_time: Duration::ZERO,
            delay,
            queue,
            loss,
            lost: VecDeque::new(),
            losses: FlowLosses::default(),
            in_flight: VecDeque::new(),
            is_quiet: false,
        }
    }

    /// Whether packets may arrive ahead of time, in order.
    pub(super) fn is_fifo(&self) -> bool {
        matches!(self.queue, LinkQueue::Fifo(_))
    }

    /// Whether the shortest packet arrives later at the far end than at this one.
    pub(super) fn takes_time(&self) -> bool {
        self.delay > Duration::ZERO || self.rate.time_for(1) > Duration::ZERO
    }

    /// `packet` arrives at the queue. At a droptail queue, `at` may lie after `now`. Returns the time
    /// of arrival at the far end if it is already known and the packet is not lost.
    #[inline(always)]
    pub(super) fn arrive(
        &mut self,
        now: Instant,
        at: Instant,
        entry: Entry,
        packet: &P,
    ) -> Option<Instant> {
        let duration = self.transmission_time(packet);
        let end = match &mut self.queue {
            LinkQueue::Fifo(fifo) => fifo.arrive(now, at, entry, packet, duration)?,
            LinkQueue::Discipline(transmitter) => transmitter.arrive(at, packet, duration)?,
        };
        self.cross(now, end, packet)
    }

    /// The same of a droptail queue, whatever represents the packet.
    #[inline(always)]
    pub(super) fn carry(
        &mut self,
        now: Instant,
        at: Instant,
        entry: Entry,
        packet: &impl QueueItem,
    ) -> Option<Instant> {
        let duration = self.transmission_time(packet);
        let LinkQueue::Fifo(fifo) = &mut self.queue else { return None };
        let end = fifo.arrive(now, at, entry, packet, duration)?;
        self.cross(now, end, packet)
    }

    /// How long a packet of `bytes` takes that does not wait.
    pub(super) fn unloaded_time(&self, bytes: u32) -> Duration {
        self.rate.time_for(bytes.into()) + self.delay
    }

    /// When the link has something to do: a packet arrives at the far end, or the transmitter is free.
    #[inline(always)]
    pub(super) fn due(&self) -> Instant {
        let arrival = self.in_flight.front().map_or(Instant::NEVER, |packet| packet.enqueued_at());
        match &self.queue {
            LinkQueue::Discipline(transmitter) => arrival.min(transmitter.due()),
            LinkQueue::Fifo(_) => arrival,
        }
    }

    /// If the transmitter is free at `now` and packets wait, it sends the next: that packet, and
    /// when it will arrive at the far end if it gets there.
    #[inline(always)]
    pub(super) fn serve(&mut self, now: Instant) -> Option<(P, Option<Instant>)> {
        let LinkQueue::Discipline(transmitter) = &mut self.queue else { return None };
        if transmitter.due() > now {
            return None;
        }
        let packet = transmitter.next(now)?;
        let duration = self.transmission_time(&packet);
        let LinkQueue::Discipline(transmitter) = &mut self.queue else { return None };
        let end = transmitter.transmit(now, &packet, duration);
        transmitter.settle();
        let arrival = self.cross(now, end, &packet);
        Some((packet, arrival))
    }

    /// Packets that the queue has dropped and packets that the loss model has discarded since the last
    /// reset, those included for which this is known ahead of time.
    pub(crate) fn losses_known(&self) -> [u64; 2] {
        let drops = match &self.queue {
            LinkQueue::Fifo(fifo) => fifo.drops(),
            LinkQueue::Discipline(transmitter) => {
                let queue = &transmitter.queue;
                queue.losses() + queue.superseded()
            }
        };
        [drops, self.losses.total() + self.lost.len() as u64]
    }

    /// When the transmitter is done with what has arrived at a droptail queue.
    pub(crate) fn free_at(&self) -> Instant {
        match &self.queue {
            LinkQueue::Fifo(fifo) => fifo.free_at(),
            LinkQueue::Discipline(transmitter) => transmitter.free_at,
        }
    }

    /// Packets that wait or are under way.
    pub(super) fn packets(&self) -> impl Iterator<Item = &P> {
        let waiting = match &self.queue {
            LinkQueue::Fifo(_) => Vec::new(), // under way from their arrival on
            LinkQueue::Discipline(transmitter) => transmitter.queue.packets(),
        };
        waiting.into_iter().chain(&self.in_flight)
    }

    /// Entries in memory: of packets in the queue and under way, and of drops to be counted.
    pub(crate) fn entries(&self) -> usize {
        let queue = match &self.queue {
            LinkQueue::Fifo(fifo) => fifo.entries(),
            LinkQueue::Discipline(transmitter) => transmitter.queue.backlog().packets() as usize,
        };
        queue + self.in_flight.len() + self.lost.len()
    }

    /// Queue statistics from the last reset to `end`.
    pub(crate) fn queue_stats(&self, end: Instant) -> QueueStats {
        match &self.queue {
            LinkQueue::Fifo(fifo) => fifo.stats(end).0,
            LinkQueue::Discipline(transmitter) => transmitter.queue.stats(end),
        }
    }

    /// Time that the transmitter was busy from the last reset to `end`.
    pub(crate) fn busy(&self, end: Instant) -> Duration {
        match &self.queue {
            LinkQueue::Fifo(fifo) => fifo.stats(end).2,
            LinkQueue::Discipline(transmitter) => {
                transmitter.busy.saturating_sub(transmitter.free_at.since(end))
            }
        }
    }

    /// Packets that the loss model discarded from the last reset to `end`.
    pub(crate) fn losses(&self, end: Instant) -> u64 {
        self.losses.total() + self.lost.iter().filter(|lost| lost.at < end).count() as u64
    }

    /// Packets of each flow that the queue dropped and that the loss model discarded, in this order,
    /// from the last reset to `end`.
    pub(crate) fn flow_losses(&self, end: Instant) -> [FlowLosses; 2] {
        let dropped = match &self.queue {
            LinkQueue::Fifo(fifo) => fifo.stats(end).1,
            LinkQueue::Discipline(transmitter) => transmitter.queue.lost().clone(),
        };
        let mut discarded = self.losses.clone();
        for lost in self.lost.iter().filter(|lost| lost.at < end) {
            discarded.count(lost.flow, lost.is_ack);
        }
        [dropped, discarded]
    }

    /// Starts the statistics anew.
    pub(super) fn reset_stats(&mut self, now: Instant) {
        self.losses.clear();
        self.lost.retain(|lost| lost.at > now);
        match &mut self.queue {
            LinkQueue::Fifo(fifo) => fifo.reset(now),
            LinkQueue::Discipline(transmitter) => {
                transmitter.queue.reset(now);
                // What is left of the packet in the transmitter will be sent from now on.
                transmitter.busy = transmitter.free_at.since(now);
            }
        }
    }

    #[inline(always)]
    fn transmission_time(&mut self, packet: &impl QueueItem) -> Duration {
        let bytes = packet.size();
        if let Some(nanos) = self.nanos_per_byte {
            return Duration::from_nanos(nanos * u64::from(bytes));
        }
        if self.last_size != bytes {
            self.note_size(bytes);
        }
        self.last_time
    }

    /// Packets of another size follow.
    #[inline(never)] // or a part of the division is done for every packet
    fn note_size(&mut self, bytes: u32) {
        self.last_size = bytes;
        self.last_time = self.rate.time_for(bytes.into());
    }

    /// The arrival at the far end of a packet whose transmission ends at `end`; `None` if it is lost.
    #[inline(always)]
    fn cross(&mut self, now: Instant, end: Instant, packet: &impl QueueItem) -> Option<Instant> {
        let arrival = end + self.delay;
        if self.loss.is_some() {
            // A reference would keep the packet in memory on the path of links without losses.
            let candidate = Discarded {
                at: arrival,
                flow: packet.connection().0,
                is_ack: packet.is_pure_ack(),
            };
            if self.is_lost(now, packet.size(), candidate) {
                return None;
            }
        }
        Some(arrival)
    }

    #[cold]
    fn is_lost(&mut self, now: Instant, bytes: u32, candidate: Discarded) -> bool {
        let frame = Frame { kind: FrameKind::Data, rate: self.rate, bytes };
        while let Some(lost) = self.lost.front().filter(|lost| lost.at < now) {
            self.losses.count(lost.flow, lost.is_ack);
            self.lost.pop_front();
        }
        let lost = self.loss.as_mut().is_some_and(|loss| loss.loses(candidate.at, frame));
        if lost {
            self.lost.push_back(candidate);
        }
        lost
    }
}

impl<P: WirePacket> Transmitter<P> {
    /// `packet` arrives: the end of its transmission if it can start now.
    fn arrive(&mut self, now: Instant, packet: &P, duration: Duration) -> Option<Instant> {
        if !self.waiting {
            if self.free_at > now {
                if let Some(bytes) = self.in_service {
                    self.queue.mark_in_service(bytes);
                }
            } else if self.queue.can_bypass() {
                self.queue.bypass(packet);
                return Some(self.transmit(now, packet, duration));
            } else {
                self.in_service = None;
            }
            (self.waiting, self.waiting_since) = (true, now);
        }
        self.queue.enqueue(now, packet.arriving(now));
        None
    }

    /// When the transmitter asks the queue for the next packet.
    #[inline(never)] // not with a droptail queue
    fn due(&self) -> Instant {
        if !self.waiting {
            return Instant::NEVER;
        }
        // All that arrived may have been dropped; then nothing waits from then on.
        let is_empty = self.queue.backlog().packets() == 0;
        let ready_at = if is_empty { Instant::ZERO } else { self.queue.ready_at() };
        self.free_at.max(ready_at).max(self.waiting_since)
    }

    /// The next packet, as the transmitter is free.
    fn next(&mut self, now: Instant) -> Option<P> {
        if let Some(bytes) = self.in_service.take() {
            self.queue.transmitted(bytes);
        }
        let packet = self.queue.dequeue(now);
        if packet.is_none() {
            self.waiting = self.queue.backlog().packets() > 0;
        }
        packet
    }

    fn transmit(&mut self, now: Instant, packet: &P, duration: Duration) -> Instant {
        self.busy += duration;
        self.free_at = now + duration;
        self.in_service = Some(packet.size());
        self.free_at
    }

    /// Once nothing waits, the queue no longer counts the packet in the transmitter.
    fn settle(&mut self) {
        self.waiting = self.queue.backlog().packets() > 0;
        if !self.waiting
            && let Some(bytes) = self.in_service
        {
            self.queue.transmitted(bytes);
        }
    }
}
