//! A driver's ring below a queue discipline: first in, first out, of a fixed number of packets.
//!
//! Between an operating system's queue discipline and the MAC stands the ring of the network driver. The discipline
//! fills it whenever it has room, so that it decides about a packet when that enters the ring, and what the ring holds waits
//! without any management (Høiland-Jørgensen et al. 2017, sections 2.1 and 2.3). A packet has its place in the ring until
//! its transmission has ended.

use std::collections::VecDeque;

use super::counted::Counted;
use super::discipline::first_of;
use super::{Actions, Backlog, QueueDiscipline, QueueItem, QueueLimit};
use crate::packet::Stage;
use crate::time::Instant;

/// A queue discipline, `upper`, above a ring.
#[derive(Debug)]
pub struct Ring<P, Q> {
    upper: Q,
    /// Packets that have a place at a time.
    capacity: usize,
    packets: VecDeque<P>,
    /// Of ring and discipline together. The discipline alone has a limit.
    backlog: Backlog,
}

impl<P: QueueItem, Q: QueueDiscipline<P>> Ring<P, Q> {
    /// An empty ring of `capacity` packets below `upper`, which is empty.
    pub fn new(upper: Q, capacity: u32) -> Self {
        let backlog = Backlog::new(QueueLimit::Unlimited);
        Self { upper, capacity: capacity as usize, packets: VecDeque::new(), backlog }
    }

    /// The discipline gives packets until the ring is full.
    fn fill(&mut self, now: Instant, actions: &mut impl Actions<P>) {
        while self.packets.len() + (self.backlog.in_service() as usize) < self.capacity {
            let counted = &mut Counted { backlog: &mut self.backlog, actions };
            let Some(mut packet) = self.upper.dequeue(now, counted) else { return };
            self.upper.transmitted(packet.size());
            packet.enter(Stage::Ring, now);
            self.packets.push_back(packet);
        }
    }
}

impl<P: QueueItem, Q: QueueDiscipline<P>> QueueDiscipline<P> for Ring<P, Q> {
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>) {
        // What has been transmitted since has left room for packets that came before.
        self.fill(now, actions);
        self.backlog.add(&packet);
        self.upper.enqueue(now, packet, &mut Counted { backlog: &mut self.backlog, actions });
        self.fill(now, actions);
    }

    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
        self.fill(now, actions);
        let packet = self.packets.pop_front()?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        actions: &mut impl Actions<P>,
    ) -> Option<P> {
        self.fill(now, actions);
        let place = first_of(&self.packets, is_wanted, max_bytes)?;
        let packet = self.packets.remove(place)?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn ready_at(&self) -> Instant {
        if self.packets.is_empty() { self.upper.ready_at() } else { Instant::ZERO }
    }

    fn can_bypass(&self) -> bool {
        self.upper.can_bypass()
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.packets.iter().chain(self.upper.packets()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::packet::{FlowId, Packet, PacketKind};
    use crate::queue::{ActionLog, CodelConfig, Config, DropTailConfig, Queue};
    use crate::rng::{RngStream, StreamId};

    fn ring(config: Config, limit: u32, capacity: u32) -> Queue<Packet> {
        let rng = RngStream::new(1, StreamId::Traffic, 0);
        let upper = Queue::new(&config, QueueLimit::Packets(limit), rng);
        upper.above_ring(capacity)
    }

    fn packet(seq: u64, at: Instant) -> Packet {
        let packet = Packet::new(FlowId(0), PacketKind::Data);
        Packet { seq, size: 1500, enqueued_at: at, ..packet }
    }

    fn millis(ms: u64) -> Instant {
        Instant::from_nanos(1_000_000 * ms)
    }

    /// By hand: of seven packets two have places in the ring, three in the queue above, two are dropped. One that is
    /// being transmitted keeps its place.
    #[test]
    fn ring_and_queue_hold_as_many_as_both_have_places() {
        let mut queue = ring(Config::DropTail(DropTailConfig {}), 3, 2);
        let mut log = ActionLog::new();
        (0..7).for_each(|seq| queue.enqueue(millis(0), packet(seq, millis(0)), &mut log));
        let dropped: Vec<_> = log.dropped.iter().map(|dropped| dropped.packet.seq).collect();
        assert_eq!((dropped, queue.backlog().packets()), (vec![5, 6], 5));
        assert_eq!(queue.dequeue(millis(1), &mut log).map(|packet| packet.seq), Some(0));
        queue.enqueue(millis(1), packet(7, millis(1)), &mut log);
        assert_eq!(
            log.dropped.len(),
            3,
            "the first has its place until its transmission has ended"
        );
        queue.transmitted(1500);
        queue.enqueue(millis(2), packet(8, millis(2)), &mut log);
        assert_eq!(log.dropped.len(), 3);
        let rest: Vec<_> =
            std::iter::from_fn(|| queue.dequeue(millis(3), &mut log)).map(|p| p.seq).collect();
        assert_eq!(rest, [1, 2], "what follows has no place in the ring");
        [1500; 2].iter().for_each(|bytes| queue.transmitted(*bytes));
        let rest: Vec<_> = std::iter::from_fn(|| {
            let packet = queue.dequeue(millis(3), &mut log)?;
            queue.transmitted(packet.size);
            Some(packet.seq)
        })
        .collect();
        assert_eq!((rest, queue.backlog().packets()), (vec![3, 4, 8], 0));
    }

    /// CoDel sees the time above the ring: packets wait in a ring with room for all, and none is dropped. With a ring of
    /// one packet they are, by hand: the delay has been above the target for an interval at 301 ms, then at 401, 472, 529 and
    /// 579 ms, 100 ms / sqrt(n) apart.
    #[test]
    fn codel_does_not_see_the_time_in_the_ring() {
        let drops = |capacity| {
            let mut queue = ring(Config::Codel(CodelConfig::default()), 1000, capacity);
            let mut log = ActionLog::new();
            (0..400).for_each(|seq| queue.enqueue(millis(0), packet(seq, millis(0)), &mut log));
            for ms in 200..600 {
                if queue.dequeue(millis(ms), &mut log).is_some() {
                    queue.transmitted(1500);
                }
            }
            log.dropped.len()
        };
        assert_eq!(drops(400), 0);
        assert_eq!(drops(1), 5);
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(1000))]

        /// A ring below a FIFO queue is a FIFO queue with the places of both.
        #[test]
        fn below_a_fifo_queue_it_only_adds_places(
            limit in 1..10_u32,
            capacity in 1..10_u32,
            events in prop::collection::vec(0..3_u8, 1..100),
        ) {
            let mut queue = ring(Config::DropTail(DropTailConfig {}), limit, capacity);
            let mut log = ActionLog::new();
            let (mut waiting, mut in_service, mut seq) = (VecDeque::new(), 0_u32, 0);
            for event in events {
                match event {
                    0 => {
                        let in_ring = (waiting.len() as u32).min(capacity - in_service);
                        let has_room = waiting.len() as u32 - in_ring < limit
                            || in_ring + in_service < capacity;
                        let drops = log.dropped.len();
                        queue.enqueue(millis(0), packet(seq, millis(0)), &mut log);
                        prop_assert_eq!(log.dropped.len() == drops, has_room);
                        if has_room {
                            waiting.push_back(seq);
                        }
                        seq += 1;
                    }
                    1 if in_service < capacity => {
                        let first = waiting.pop_front();
                        let dequeued = queue.dequeue(millis(0), &mut log).map(|packet| packet.seq);
                        prop_assert_eq!(dequeued, first);
                        in_service += u32::from(first.is_some());
                    }
                    2 if in_service > 0 => {
                        queue.transmitted(1500);
                        in_service -= 1;
                    }
                    _ => {}
                }
                prop_assert_eq!(queue.backlog().packets() as usize, waiting.len());
                prop_assert_eq!(queue.packets().len(), waiting.len());
            }
        }
    }
}
