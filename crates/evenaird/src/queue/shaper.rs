//! A queue discipline in front of a link of a given rate: packets leave one after the other when
//! their tokens are there. Is told the time.

use evenair_core::queue::{Actions, Config, Queue, QueueDiscipline, QueueItem, QueueLimit};
use evenair_core::rng::RngStream;
use evenair_core::time::Instant;
use evenair_core::token_bucket::TokenBucket;
use evenair_core::units::Rate;

/// A shaped queue.
///
/// The packet that leaves next is taken from the discipline when the one before has left, and then
/// waits for its tokens; it counts as in transmission. A packet that is larger than the bucket pays in
/// parts.
pub struct Shaper<P> {
    queue: Queue<P>,
    bucket: TokenBucket,
    /// Size of the bucket, bytes.
    burst: u64,
    next: Option<Next<P>>,
}

struct Next<P> {
    packet: P,
    /// Bytes without tokens.
    unpaid: u64,
}

impl<P: QueueItem> Shaper<P> {
    /// An empty queue without limit of the rate. `burst` is the size of its bucket, bytes, above 0.
    pub fn new(discipline: &Config, limit: QueueLimit, rng: RngStream, burst: u64) -> Self {
        let bucket = TokenBucket::new(Rate::UNLIMITED, burst);
        Self { queue: Queue::new(discipline, limit, rng), bucket, burst, next: None }
    }

    /// From `now` on packets leave at this rate, above 0.
    pub fn set_rate(&mut self, now: Instant, rate: Rate) {
        self.bucket.set_rate(now, rate);
    }

    /// A packet arrives.
    pub fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>) {
        self.queue.enqueue(now, packet, actions);
    }

    /// The packet that leaves now, if one may.
    pub fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
        let mut next = match self.next.take() {
            Some(next) => next,
            None => {
                let packet = self.queue.dequeue(now, actions)?;
                let unpaid = packet.size().into();
                Next { packet, unpaid }
            }
        };
        while next.unpaid > 0 {
            let part = next.unpaid.min(self.burst);
            if !self.bucket.take(now, part) {
                self.next = Some(next);
                return None;
            }
            next.unpaid -= part;
        }
        self.queue.transmitted(next.packet.size());
        Some(next.packet)
    }

    /// When to call [`Self::dequeue`] again; [`Instant::NEVER`] if nothing waits.
    pub fn ready_at(&self) -> Instant {
        match &self.next {
            Some(next) => self.bucket.ready_at(next.unpaid.min(self.burst)),
            None => self.queue.ready_at(),
        }
    }

    /// Packets and bytes that wait, the one that leaves next included.
    pub fn backlog(&self) -> (u64, u64) {
        let (packets, bytes) = match &self.next {
            Some(next) => (1, next.packet.size().into()),
            None => (0, 0),
        };
        let waiting = self.queue.backlog();
        (packets + u64::from(waiting.packets()), bytes + waiting.bytes())
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::packet::{FlowId, Packet, PacketKind};
    use evenair_core::queue::{ActionLog, DropReason};
    use evenair_core::rng::StreamId;
    use evenair_core::time::Duration;

    use super::*;

    fn shaper(kind: &str, limit: u32, burst: u64) -> Shaper<Packet> {
        let config = serde_json::from_value(kind.into()).unwrap();
        let rng = RngStream::new(1, StreamId::Queue, 0);
        Shaper::new(&config, QueueLimit::Packets(limit), rng, burst)
    }

    fn packet(flow: u32, seq: u64, size: u32) -> Packet {
        Packet { seq, size, ..Packet::new(FlowId(flow), PacketKind::Data) }
    }

    fn at(us: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(us)
    }

    /// Runs until the queue is empty: when each packet left, in microseconds.
    fn departures(shaper: &mut Shaper<Packet>) -> Vec<(u64, u64)> {
        let mut left = Vec::new();
        let mut now = at(0);
        while shaper.ready_at() != Instant::NEVER {
            now = now.max(shaper.ready_at());
            while let Some(packet) = shaper.dequeue(now, &mut ActionLog::new()) {
                left.push((now.as_nanos() / 1000, packet.seq));
            }
        }
        assert_eq!(shaper.backlog(), (0, 0));
        left
    }

    /// By hand: at 8 Mb/s 1,000 bytes take 1 ms; the full bucket holds 1,500 bytes, so that 4 packets
    /// leave when 0, 500, 1,500 and 2,500 bytes have come.
    #[test]
    fn packets_leave_at_the_rate_after_a_burst() {
        let mut shaper = shaper("droptail", 10, 1500);
        shaper.set_rate(at(0), Rate::from_mbps(8));
        for seq in 0..4 {
            shaper.enqueue(at(0), packet(1, seq, 1000), &mut ActionLog::new());
        }
        assert_eq!(shaper.backlog(), (4, 4000));
        assert_eq!(departures(&mut shaper), [(0, 0), (500, 1), (1500, 2), (2500, 3)]);
    }

    /// By hand: 3,500 bytes less the bucket's 1,000 take 2.5 ms at 8 Mb/s.
    #[test]
    fn a_packet_larger_than_the_bucket_leaves() {
        let mut shaper = shaper("droptail", 10, 1000);
        shaper.set_rate(at(0), Rate::from_mbps(8));
        shaper.enqueue(at(0), packet(1, 0, 3500), &mut ActionLog::new());
        assert_eq!(departures(&mut shaper), [(2500, 0)]);
    }

    #[test]
    fn nothing_waits_without_a_limit_of_the_rate() {
        let mut shaper = shaper("droptail", 1000, 15_000);
        for seq in 0..1000 {
            shaper.enqueue(at(1), packet(1, seq, 1500), &mut ActionLog::new());
        }
        assert!(departures(&mut shaper).iter().all(|(us, _)| *us <= 1));
    }

    /// The old flow's packets are there first. One of them is in transmission; the new flow's go next.
    #[test]
    fn las_sends_the_flow_with_least_progress_first() {
        let mut shaper = shaper("las", 6, 1000);
        shaper.set_rate(at(0), Rate::from_mbps(8));
        let mut log = ActionLog::new();
        for (flow, seq) in [(1, 900_000), (1, 901_000), (1, 902_000)] {
            shaper.enqueue(at(0), packet(flow, seq, 1000), &mut log);
        }
        assert_eq!(shaper.dequeue(at(0), &mut log).unwrap().seq, 900_000);
        assert!(shaper.dequeue(at(0), &mut log).is_none());
        for (flow, seq) in [(2, 0), (2, 1000), (2, 2000), (2, 3000), (2, 4000)] {
            shaper.enqueue(at(0), packet(flow, seq, 1000), &mut log);
        }
        // Six wait at most, the one in transmission included.
        let lost: Vec<(u64, DropReason)> =
            log.dropped.iter().map(|drop| (drop.packet.seq, drop.reason)).collect();
        assert_eq!(lost, [(902_000, DropReason::Evicted)]);
        let order: Vec<u64> = departures(&mut shaper).iter().map(|(_, seq)| *seq).collect();
        assert_eq!(order, [901_000, 0, 1000, 2000, 3000, 4000]);
    }

    #[test]
    fn a_change_of_the_rate_holds_from_then_on() {
        let mut shaper = shaper("droptail", 10, 1000);
        shaper.set_rate(at(0), Rate::from_mbps(8));
        for seq in 0..3 {
            shaper.enqueue(at(0), packet(1, seq, 1000), &mut ActionLog::new());
        }
        assert_eq!(shaper.dequeue(at(0), &mut ActionLog::new()).unwrap().seq, 0);
        assert!(shaper.dequeue(at(0), &mut ActionLog::new()).is_none());
        // Half of the second packet's tokens have come; the rest comes in 0.25 ms at 16 Mb/s.
        shaper.set_rate(at(500), Rate::from_mbps(16));
        assert_eq!(departures(&mut shaper), [(750, 1), (1250, 2)]);
    }
}
