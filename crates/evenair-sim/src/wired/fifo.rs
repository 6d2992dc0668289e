//! A droptail queue and its transmitter, computed at arrival.
//!
//! When a packet leaves a first-in, first-out queue is known when it arrives: when the
//! transmitter is done with the packets before it. So such a queue needs no event of its own, and packets may arrive
//! *ahead of time*, as long as they arrive in order. What happened is therefore counted by the times
//! of the packets, and not when the calls come.

use std::collections::VecDeque;

use evenair_core::delays::Delays;
use evenair_core::flow_losses::FlowLosses;
use evenair_core::packet::FlowId;
use evenair_core::queue::{DropStats, QueueItem, QueueLimit, QueueStats};
use evenair_core::time::{Duration, Instant};

/// How a packet comes to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Whether it comes from an end of a flow or from the air, and not from another link.
    pub(super) is_direct: bool,
    /// Whether at equal times it comes before the transmitter turns to the next packet: links are
    /// served in the order of their numbers, and this follows from an event of an earlier one.
    pub(super) is_first: bool,
}

/// The queue and transmitter of one direction of a link.
#[derive(Debug)]
pub(crate) struct Fifo {
    limit: QueueLimit,
    /// When the transmitter is done with the last packet, and the size of that packet.
    free_at: Instant,
    last_bytes: u32,
    /// Packets that passed ahead of time without waiting, until their transmission has ended. All are before
    /// those in `held`.
    ahead: VecDeque<Ahead>,
    /// Other packets that had to wait, or that arrive ahead of time, until their transmission has ended.
    held: VecDeque<Passage>,
    /// How many of them, from the front, will have left by the last arrival, and the bytes of the
    /// others.
    left: usize,
    held_bytes: u64,
    /// Packets that were dropped and not yet counted.
    dropped: VecDeque<Drop>,
    /// The end of the transmission in which a packet was dropped last.
    dropped_before: Instant,
    stats: FifoStats,
    /// Transmission times of all packets since the last reset.
    busy: Duration,
    /// Since when `stats` counts.
    counted_from: Instant,
}

/// A packet that arrives ahead of time, from a link, at an idle transmitter.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    arrival: Instant,
    end: Instant,
    is_ack: bool,
    /// Whether it lies before the last reset.
    is_counted: bool,
}

/// A packet that crosses the queue and the transmitter.
#[derive(Clone, Copy, Debug)]
struct Passage {
    arrival: Instant,
    start: Instant,
    end: Instant,
    bytes: u32,
    is_ack: bool,
    is_direct: bool,
    /// Whether its arrival and its start have been counted, or lie before the last reset.
    is_arrival_counted: bool,
    is_start_counted: bool,
}

/// A packet that found the queue full.
#[derive(Clone, Copy, Debug)]
struct Drop {
    at: Instant,
    flow: FlowId,
    is_ack: bool,
    is_direct: bool,
}

#[derive(Clone, Debug, Default)]
struct FifoStats {
    /// Of data and of acknowledgements.
    arrivals: [u64; 2],
    drops: [u64; 2],
    lost: FlowLosses,
    waiting_time: [Duration; 2],
    waits: Delays,
}

impl Fifo {
    pub(super) fn new(limit: QueueLimit) -> Self {
        Self {
            limit,
            free_at: Instant::ZERO,
            last_bytes: 0,
            ahead: VecDeque::new(),
            held: VecDeque::new(),
            left: 0,
            held_bytes: 0,
            dropped: VecDeque::new(),
            dropped_before: Instant::ZERO,
            stats: FifoStats::default(),
            busy: Duration::ZERO,
            counted_from: Instant::ZERO,
        }
    }

    /// When the transmitter is done with what has arrived.
    pub(super) fn free_at(&self) -> Instant {
        self.free_at
    }

    /// `packet`, which takes `duration` to transmit, arrives `at` a time that is not before `now` or
    /// that of the last arrival. Returns the end of its transmission, or `None` if it is dropped.
    #[inline(always)]
    pub(super) fn arrive(
        &mut self,
        now: Instant,
        at: Instant,
        entry: Entry,
        packet: &impl QueueItem,
        duration: Duration,
    ) -> Option<Instant> {
        if self.free_at <= at && self.held.is_empty() {
            if at == now {
                return Some(self.pass(now, packet, duration));
            }
            // What is transmitted now is in no list.
            if self.free_at <= now || !self.ahead.is_empty() {
                return Some(self.pass_ahead(now, at, packet, duration));
            }
        }
        self.wait(now, at, entry, packet, duration)
    }

    /// The transmitter is idle and takes `packet` at once.
    #[inline(always)]
    fn pass(&mut self, now: Instant, packet: &impl QueueItem, duration: Duration) -> Instant {
        if !self.ahead.is_empty() {
            self.count_ahead(now);
        }
        self.stats.arrivals[usize::from(packet.is_pure_ack())] += 1;
        self.stats.waits.record_zero();
        self.last_bytes = packet.size();
        self.busy += duration;
        self.free_at = now + duration;
        self.free_at
    }

    /// The transmitter will be idle at `at`, and takes `packet` then.
    #[inline(never)] // only of private links
    fn pass_ahead(
        &mut self,
        now: Instant,
        at: Instant,
        packet: &impl QueueItem,
        duration: Duration,
    ) -> Instant {
        self.count_ahead(now);
        self.last_bytes = packet.size();
        self.busy += duration;
        self.free_at = at + duration;
        let (end, is_ack) = (self.free_at, packet.is_pure_ack());
        self.ahead.push_back(Ahead { arrival: at, end, is_ack, is_counted: false });
        end
    }

    /// The same for a packet that may have to wait.
    fn wait(
        &mut self,
        now: Instant,
        at: Instant,
        entry: Entry,
        packet: &impl QueueItem,
        duration: Duration,
    ) -> Option<Instant> {
        if self.held.is_empty() && self.free_at > at {
            self.hold_last(now);
        }
        if self.left > 0 || !self.dropped.is_empty() {
            self.count_until(now);
        }
        self.let_leave(now, at, entry);
        if at == now && self.free_at <= at && self.held.is_empty() {
            return Some(self.pass(now, packet, duration));
        }
        let (is_ack, is_direct) = (packet.is_pure_ack(), entry.is_direct);
        if self.held.len() > self.left && !self.has_room_for(packet.size()) {
            let (flow, _) = packet.connection();
            self.dropped.push_back(Drop { at, flow, is_ack, is_direct });
            self.dropped_before = self.held[self.left].end;
            return None;
        }
        let start = at.max(self.free_at);
        let end = start + duration;
        self.busy += duration;
        self.free_at = end;
        self.last_bytes = packet.size();
        self.held_bytes += u64::from(packet.size());
        self.held.push_back(Passage {
            arrival: at,
            start,
            end,
            bytes: packet.size(),
            is_ack,
            is_direct,
            is_arrival_counted: false,
            is_start_counted: false,
        });
        Some(end)
    }

    /// What went through from the last reset to `end`, the drops by flow, and how long the transmitter was
    /// busy.
    pub(super) fn stats(&self, end: Instant) -> (QueueStats, FlowLosses, Duration) {
        let mut stats = self.stats.clone();
        for passage in &self.ahead {
            stats.add_ahead(passage, end);
        }
        for passage in &self.held {
            stats.add(passage, self.counted_from, end);
        }
        for drop in &self.dropped {
            stats.drop(drop, end);
        }
        let drops = DropStats { on_arrival: stats.drops.iter().sum(), ..DropStats::default() };
        let queue = QueueStats {
            data_arrivals: stats.arrivals[0],
            ack_arrivals: stats.arrivals[1],
            data_drops: stats.drops[0],
            ack_drops: stats.drops[1],
            drops,
            marks: 0,
            waits: stats.waits,
            data_time: stats.waiting_time[0],
            ack_time: stats.waiting_time[1],
        };
        (queue, stats.lost, self.busy.saturating_sub(self.busy_after(end)))
    }

    /// Packets dropped since the last reset, those included that are dropped ahead of time.
    pub(super) fn drops(&self) -> u64 {
        self.stats.drops.iter().sum::<u64>() + self.dropped.len() as u64
    }

    /// Entries in memory: packets that occupy the queue or are ahead of time, and drops to be counted.
    pub(super) fn entries(&self) -> usize {
        self.ahead.len() + self.held.len() + self.dropped.len()
    }

    /// Starts the statistics anew.
    pub(super) fn reset(&mut self, now: Instant) {
        self.count_until(now);
        self.dropped.retain(|drop| drop.at > now);
        for passage in &mut self.ahead {
            passage.is_counted |= passage.arrival <= now;
        }
        for passage in &mut self.held {
            passage.is_arrival_counted |= passage.arrival <= now;
            passage.is_start_counted |= passage.start <= now;
        }
        self.busy = self.busy_after(now);
        (self.stats, self.counted_from) = (FifoStats::default(), now);
    }

    /// Transmission time that lies after `time`.
    fn busy_after(&self, time: Instant) -> Duration {
        if self.held.is_empty() && self.ahead.is_empty() {
            return self.free_at.since(time);
        }
        let ahead = self.ahead.iter().map(|passage| (passage.arrival, passage.end));
        let held = self.held.iter().map(|passage| (passage.start, passage.end));
        let after = |(start, end): (Instant, Instant)| end.since(start.max(time));
        ahead.chain(held).map(after).fold(Duration::ZERO, |sum, each| sum + each)
    }

    /// The packet that is being transmitted begins to occupy the queue.
    fn hold_last(&mut self, now: Instant) {
        let passed = Ahead { arrival: now, end: self.free_at, is_ack: false, is_counted: true };
        // The last one that has passed ahead of time may be it.
        let Ahead { arrival, end, is_ack, is_counted } = self.ahead.pop_back().unwrap_or(passed);
        self.held_bytes = u64::from(self.last_bytes);
        self.held.push_back(Passage {
            arrival,
            start: arrival,
            end,
            bytes: self.last_bytes,
            is_ack,
            is_direct: false,
            is_arrival_counted: is_counted,
            is_start_counted: is_counted,
        });
    }

    /// Packets whose transmission has ended `at` the next arrival no longer occupy the queue. Those of which
    /// it is over are counted.
    #[inline(always)]
    fn let_leave(&mut self, now: Instant, at: Instant, entry: Entry) {
        while let Some(passage) = self.held.get(self.left).filter(|passage| passage.end <= at) {
            // If others have arrived during a transmission, the transmitter turns to them after an
            // arrival that comes first.
            if passage.end == at && entry.is_first {
                let others = self.held.len() - self.left > 1 || at == self.dropped_before;
                if others {
                    break;
                }
            }
            self.held_bytes -= u64::from(passage.bytes);
            if self.left == 0 && passage.end <= now {
                self.stats.add(passage, self.counted_from, Instant::NEVER);
                self.held.pop_front();
            } else {
                self.left += 1;
            }
        }
    }

    /// Counts and removes what has passed ahead of time and is over.
    #[inline(always)]
    fn count_ahead(&mut self, now: Instant) {
        while let Some(passage) = self.ahead.front().filter(|passage| passage.end <= now) {
            self.stats.add_ahead(passage, Instant::NEVER);
            self.ahead.pop_front();
        }
    }

    /// Counts and removes what is over.
    fn count_until(&mut self, now: Instant) {
        self.count_ahead(now);
        while self.left > 0
            && let Some(passage) = self.held.front().filter(|passage| passage.end <= now)
        {
            self.stats.add(passage, self.counted_from, Instant::NEVER);
            self.held.pop_front();
            self.left -= 1;
        }
        while let Some(drop) = self.dropped.front().filter(|drop| drop.at < now) {
            self.stats.drop(drop, Instant::NEVER);
            self.dropped.pop_front();
        }
    }

    fn has_room_for(&self, bytes: u32) -> bool {
        match self.limit {
            QueueLimit::Packets(limit) => self.held.len() - self.left < limit as usize,
            QueueLimit::Bytes(limit) => self.held_bytes + u64::from(bytes) <= limit,
            QueueLimit::Unlimited => true,
        }
    }
}

impl FifoStats {
    /// Counts what of `passage` lies after `from` and before `end`. At `end` itself only what the ends
    /// of flows do still counts.
    fn add(&mut self, passage: &Passage, from: Instant, end: Instant) {
        let Passage { arrival, start, is_ack, is_direct, .. } = *passage;
        let has_arrived = arrival < end || is_direct;
        let has_started = start < end || (start == arrival && has_arrived);
        self.arrivals[usize::from(is_ack)] += u64::from(has_arrived && !passage.is_arrival_counted);
        if has_started && !passage.is_start_counted {
            self.waits.record(start.since(arrival));
        }
        if start > arrival {
            let waited = start.min(end).since(arrival.max(from));
            self.waiting_time[usize::from(is_ack)] += waited;
        }
    }

    fn add_ahead(&mut self, passage: &Ahead, end: Instant) {
        if passage.arrival < end && !passage.is_counted {
            self.arrivals[usize::from(passage.is_ack)] += 1;
            self.waits.record_zero();
        }
    }

    fn drop(&mut self, drop: &Drop, end: Instant) {
        if drop.at < end || drop.is_direct {
            self.arrivals[usize::from(drop.is_ack)] += 1;
            self.drops[usize::from(drop.is_ack)] += 1;
            self.lost.count(drop.flow, drop.is_ack);
        }
    }
}
