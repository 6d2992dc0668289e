//! A transmit queue: a queue discipline with statistics.

use super::{ActionLog, Actions, Backlog, DropReason, Dropped, Queue, QueueDiscipline, QueueItem};
use crate::delays::Delays;
use crate::flow_losses::FlowLosses;
use crate::time::{Duration, Instant};

/// A queue discipline and its statistics.
#[derive(Debug)]
pub struct TxQueue<P> {
    queue: Queue<P>,
    counts: Counts<P>,
    waits: Delays,
}

/// Arrivals, drops and marks since the last reset.
#[derive(Debug)]
struct Counts<P> {
    /// Data packets, then pure acknowledgements.
    kinds: [KindStats; 2],
    drops: DropStats,
    marks: u64,
    /// Drops by flow, without superseded acknowledgements.
    lost: FlowLosses,
    /// The dropped packets, for an observer.
    log: Option<Box<ActionLog<P>>>,
}

/// Counts what the discipline does at the time `now`.
struct CountAt<'a, P> {
    now: Instant,
    counts: &'a mut Counts<P>,
}

/// Statistics of data packets, or of pure acknowledgements.
#[derive(Clone, Copy, Debug, Default)]
struct KindStats {
    arrivals: u64,
    drops: u64,
    /// Sum of the times of all departures and drops minus the sum of the times of all arrivals,
    /// modulo 2^64. Together with the number of waiting packets it gives the time integral of the
    /// backlog.
    time_sum: u64,
}

/// Dropped packets by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropStats {
    /// [`DropReason::OnArrival`].
    pub on_arrival: u64,
    /// [`DropReason::OnDeparture`].
    pub on_departure: u64,
    /// [`DropReason::Evicted`].
    pub evicted: u64,
    /// [`DropReason::Superseded`].
    pub superseded: u64,
}

/// Statistics of a queue since the last reset. Every packet that is not a pure acknowledgement
/// counts as data, including those of the handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Data packets that arrived.
    pub data_arrivals: u64,
    /// Acknowledgements that arrived.
    pub ack_arrivals: u64,
    /// Data packets dropped.
    pub data_drops: u64,
    /// Acknowledgements dropped.
    pub ack_drops: u64,
    /// All drops by reason.
    pub drops: DropStats,
    /// Packets marked with CE.
    pub marks: u64,
    /// Waiting times of the packets dequeued by the transmitter.
    pub waits: Delays,
    /// Time integral of the number of waiting data packets.
    pub data_time: Duration,
    /// Time integral of the number of waiting acknowledgements.
    pub ack_time: Duration,
}

/// The statistics of several queues together.
impl std::ops::AddAssign for QueueStats {
    fn add_assign(&mut self, other: Self) {
        self.data_arrivals += other.data_arrivals;
        self.ack_arrivals += other.ack_arrivals;
        self.data_drops += other.data_drops;
        self.ack_drops += other.ack_drops;
        self.drops.on_arrival += other.drops.on_arrival;
        self.drops.on_departure += other.drops.on_departure;
        self.drops.evicted += other.drops.evicted;
        self.drops.superseded += other.drops.superseded;
        self.marks += other.marks;
        self.waits.add(&other.waits);
        self.data_time += other.data_time;
        self.ack_time += other.ack_time;
    }
}

impl<P: QueueItem> TxQueue<P> {
    /// Wraps an empty queue.
    pub fn new(queue: Queue<P>) -> Self {
        Self { queue, counts: Counts::default(), waits: Delays::default() }
    }

    /// Enqueues `packet`, whose [`QueueItem::enqueued_at`] is `now`.
    #[inline(always)]
    pub fn enqueue(&mut self, now: Instant, packet: P) {
        debug_assert_eq!(packet.enqueued_at(), now, "its waiting time is counted from there");
        let kind = self.counts.of(&packet);
        kind.arrivals += 1;
        kind.enter(now, 1);
        self.queue.enqueue(now, packet, &mut CountAt { now, counts: &mut self.counts });
    }

    /// Removes and returns the next packet to transmit. It counts against the limit until
    /// [`TxQueue::transmitted`] is called.
    #[inline(always)]
    pub fn dequeue(&mut self, now: Instant) -> Option<P> {
        let packet = self.queue.dequeue(now, &mut CountAt { now, counts: &mut self.counts })?;
        Some(self.leave(now, packet))
    }

    /// The same of the packets that `is_wanted`: see [`QueueDiscipline::dequeue_of`].
    #[inline(always)]
    pub fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
    ) -> Option<P> {
        let actions = &mut CountAt { now, counts: &mut self.counts };
        let packet = self.queue.dequeue_of(now, is_wanted, max_bytes, actions)?;
        Some(self.leave(now, packet))
    }

    /// [`TxQueue::enqueue`], into a tin: see [`QueueDiscipline::enqueue_tin`].
    pub fn enqueue_tin(&mut self, now: Instant, tin: u32, packet: P) {
        debug_assert_eq!(packet.enqueued_at(), now, "its waiting time is counted from there");
        let kind = self.counts.of(&packet);
        kind.arrivals += 1;
        kind.enter(now, 1);
        self.queue.enqueue_tin(now, tin, packet, &mut CountAt { now, counts: &mut self.counts });
    }

    /// [`TxQueue::dequeue`], from a tin: see [`QueueDiscipline::dequeue_tin`].
    pub fn dequeue_tin(&mut self, now: Instant, tin: u32) -> Option<P> {
        let actions = &mut CountAt { now, counts: &mut self.counts };
        let packet = self.queue.dequeue_tin(now, tin, actions)?;
        Some(self.leave(now, packet))
    }

    /// See [`QueueDiscipline::set_slow`].
    pub fn set_slow(&mut self, tin: u32, is_slow: bool) {
        self.queue.set_slow(tin, is_slow);
    }

    /// See [`QueueDiscipline::tin_packets`].
    pub fn tin_packets(&self, tin: u32) -> u32 {
        self.queue.tin_packets(tin)
    }

    /// Counts `packet`, which leaves.
    #[inline(always)]
    fn leave(&mut self, now: Instant, packet: P) -> P {
        self.counts.of(&packet).leave(now);
        self.waits.record(now.since(packet.enqueued_at()));
        packet
    }

    /// The transmission of a packet of `bytes` has ended.
    pub fn transmitted(&mut self, bytes: u32) {
        self.queue.transmitted(bytes);
    }

    /// If `packet`, which arrives at an idle transmitter, can bypass the queue, counts it as being
    /// transmitted and returns true. It then counts against the limit until
    /// [`TxQueue::transmitted`] is called.
    #[inline(always)]
    pub fn pass_through(&mut self, packet: &P) -> bool {
        let backlog = self.queue.backlog();
        if backlog.packets() > 0 || !self.queue.can_bypass() || !backlog.has_room_for(packet) {
            return false;
        }
        self.bypass(packet);
        self.mark_in_service(packet.size());
        true
    }

    /// See [`QueueDiscipline::can_bypass`].
    pub fn can_bypass(&self) -> bool {
        self.queue.can_bypass()
    }

    /// Counts a packet that is transmitted without being queued. It does not count against the
    /// limit.
    pub fn bypass(&mut self, packet: &P) {
        self.counts.of(packet).arrivals += 1;
        self.waits.record_zero();
    }

    /// Counts a packet of `bytes` that has bypassed the queue and is still being transmitted against the
    /// limit, until [`TxQueue::transmitted`] is called. To be called when the first packet is
    /// queued behind it.
    pub fn mark_in_service(&mut self, bytes: u32) {
        self.queue.backlog_mut().serve_directly(bytes);
    }

    /// See [`QueueDiscipline::ready_at`].
    pub fn ready_at(&self) -> Instant {
        self.queue.ready_at()
    }

    /// The number and size of the packets that wait or are being transmitted.
    pub fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    /// The numbers of waiting data packets and acknowledgements.
    pub fn waiting(&self) -> [u32; 2] {
        let backlog = self.queue.backlog();
        [backlog.packets() - backlog.acks(), backlog.acks()]
    }

    /// See [`QueueDiscipline::packets`].
    pub fn packets(&self) -> Vec<&P> {
        self.queue.packets()
    }

    /// The packets dropped since the last call, none before the first one.
    pub fn take_drops(&mut self) -> Vec<Dropped<P>> {
        std::mem::take(&mut self.counts.log.get_or_insert_default().dropped)
    }

    /// Waiting times since the last [`TxQueue::reset`].
    pub fn waits(&self) -> &Delays {
        &self.waits
    }

    /// Statistics from the last [`TxQueue::reset`] to `now`.
    pub fn stats(&self, now: Instant) -> QueueStats {
        let [data, acks] = self.counts.kinds;
        let [data_waiting, acks_waiting] = self.waiting();
        QueueStats {
            data_arrivals: data.arrivals,
            ack_arrivals: acks.arrivals,
            data_drops: data.drops,
            ack_drops: acks.drops,
            drops: self.counts.drops,
            marks: self.counts.marks,
            waits: self.waits.clone(),
            data_time: data.waiting_time(now, data_waiting),
            ack_time: acks.waiting_time(now, acks_waiting),
        }
    }

    /// Packets dropped since the last [`TxQueue::reset`], without filtered acknowledgements.
    pub fn losses(&self) -> u64 {
        let DropStats { on_arrival, on_departure, evicted, superseded: _ } = self.counts.drops;
        on_arrival + on_departure + evicted
    }

    /// These by flow.
    pub fn lost(&self) -> &FlowLosses {
        &self.counts.lost
    }

    /// Acknowledgements filtered since the last [`TxQueue::reset`].
    pub fn superseded(&self) -> u64 {
        self.counts.drops.superseded
    }

    /// Resets the statistics.
    pub fn reset(&mut self, now: Instant) {
        self.counts = Counts { log: self.counts.log.take(), ..Counts::default() };
        self.waits.reset();
        let waiting = self.waiting();
        for (kind, waiting) in self.counts.kinds.iter_mut().zip(waiting) {
            kind.enter(now, waiting);
        }
    }
}

impl<P> Default for Counts<P> {
    fn default() -> Self {
        Self {
            kinds: Default::default(),
            drops: DropStats::default(),
            marks: 0,
            lost: FlowLosses::default(),
            log: None,
        }
    }
}

impl<P> Counts<P> {
    #[inline(always)]
    fn of(&mut self, packet: &impl QueueItem) -> &mut KindStats {
        &mut self.kinds[usize::from(packet.is_pure_ack())]
    }
}

impl<P: QueueItem> Actions<P> for CountAt<'_, P> {
    fn drop(&mut self, packet: P, reason: DropReason) {
        let kind = self.counts.of(&packet);
        kind.drops += 1;
        kind.leave(self.now);
        *self.counts.drops.of(reason) += 1;
        if reason != DropReason::Superseded {
            let (flow, _) = packet.connection();
            self.counts.lost.count(flow, packet.is_pure_ack());
        }
        if let Some(log) = &mut self.counts.log {
            log.dropped.push(Dropped { packet, reason });
        }
    }

    fn marked(&mut self) {
        self.counts.marks += 1;
    }
}

impl DropStats {
    fn of(&mut self, reason: DropReason) -> &mut u64 {
        match reason {
            DropReason::OnArrival => &mut self.on_arrival,
            DropReason::OnDeparture => &mut self.on_departure,
            DropReason::Evicted => &mut self.evicted,
            DropReason::Superseded => &mut self.superseded,
        }
    }
}

impl KindStats {
    fn enter(&mut self, now: Instant, packets: u32) {
        self.time_sum = self.time_sum.wrapping_sub(now.as_nanos().wrapping_mul(u64::from(packets)));
    }

    fn leave(&mut self, now: Instant) {
        self.time_sum = self.time_sum.wrapping_add(now.as_nanos());
    }

    /// The time integral of the number of waiting packets, which is `waiting` at `now`. Each packet
    /// contributes the time of its departure, or `now` if it still waits, minus that of its
    /// arrival.
    fn waiting_time(&self, now: Instant, waiting: u32) -> Duration {
        let still = now.as_nanos().wrapping_mul(u64::from(waiting));
        Duration::from_nanos(self.time_sum.wrapping_add(still))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, Packet, PacketKind};
    use crate::queue::{Config, QueueLimit};
    use crate::rng::{RngStream, StreamId};

    fn packet(enqueued_at: Instant, kind: PacketKind) -> Packet {
        Packet { size: 40, enqueued_at, ..Packet::new(FlowId(0), kind) }
    }

    /// By hand: two data packets wait from 3 to 7 and from 5 to at least 9, a third is dropped at
    /// 6. After a reset at 10 the remaining one waits from 10 to 12.
    #[test]
    fn integrals_are_sums_of_waiting_times() {
        let at = Instant::from_nanos;
        let rng = RngStream::new(1, StreamId::Queue, 0);
        let mut queue = TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(3), rng));
        queue.enqueue(at(3), packet(at(3), PacketKind::Data));
        queue.enqueue(at(5), packet(at(5), PacketKind::Data));
        queue.enqueue(at(5), packet(at(5), PacketKind::Ack));
        queue.enqueue(at(6), packet(at(6), PacketKind::Data));
        assert!(queue.dequeue(at(7)).is_some());
        let stats = queue.stats(at(9));
        assert_eq!((stats.data_arrivals, stats.data_drops), (3, 1));
        assert_eq!(stats.drops, DropStats { on_arrival: 1, ..DropStats::default() });
        assert_eq!(stats.data_time, Duration::from_nanos(8));
        assert_eq!(stats.ack_time, Duration::from_nanos(4));
        assert_eq!((stats.waits.count(), stats.waits.sum()), (1, Duration::from_nanos(4)));
        queue.reset(at(10));
        assert_eq!(queue.stats(at(12)).data_time, Duration::from_nanos(2));
    }

    /// Different numbers in each field, so that none can stand for another.
    #[test]
    fn statistics_of_several_queues_are_added() {
        let stats = |factor: u64| {
            let mut waits = Delays::default();
            waits.record(Duration::from_nanos(100 * factor));
            QueueStats {
                data_arrivals: 2 * factor,
                ack_arrivals: 3 * factor,
                data_drops: 5 * factor,
                ack_drops: 7 * factor,
                drops: DropStats {
                    on_arrival: 11 * factor,
                    on_departure: 13 * factor,
                    evicted: 17 * factor,
                    superseded: 19 * factor,
                },
                marks: 23 * factor,
                waits,
                data_time: Duration::from_nanos(29 * factor),
                ack_time: Duration::from_nanos(31 * factor),
            }
        };
        let mut sum = stats(1);
        sum += stats(10);
        let expected = QueueStats { waits: sum.waits.clone(), ..stats(11) };
        assert_eq!(sum, expected);
        assert_eq!((sum.waits.count(), sum.waits.sum()), (2, Duration::from_nanos(1100)));
    }
}
