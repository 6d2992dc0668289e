//! A droptail queue and its transmitter, computed at arrival.
//!
//! When a packet leaves a first-in, first-out queue is known when it arrives: when the
//! transmitter is done with the packets before it. So such a queue needs no event of its own, and packets may arrive
//! *ahead of time*, as long as they arrive in order. What happened is therefore counted by the times
//! of the packets, and not when the calls come.

use std::collections::VecDeque;

use evenair_core::packet::Packet;
use evenair_core::queue::{DropStats, Limit, QueueStats};
use evenair_core::time::{Duration, Instant};

/// How a packet comes to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// From an end of a flow or from the air, now.
    Direct,
    /// From another link. `first`: at equal times it comes before the transmitter turns to the next
    /// packet, because links are served in the order of their numbers.
    Link { first: bool },
}

/// The queue and transmitter of one direction of a link.
#[derive(Debug)]
pub(crate) struct Fifo {
    limit: Limit,
    /// When the transmitter is done with the last packet.
    free_at: Instant,
    /// Packets of which the transmission has not ended.
    held: VecDeque<Passage>,
    /// How many of them, from the front, will have left by the last arrival, and the bytes of the
    /// others.
    left: usize,
    held_bytes: u64,
    /// Packets that were dropped, and whether each was an acknowledgement.
    dropped: VecDeque<(Instant, bool)>,
    stats: FifoStats,
    /// Since when `stats` counts.
    counted_from: Instant,
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
    /// Whether its arrival and its start are before the last reset.
    arrived_before: bool,
    started_before: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct FifoStats {
    /// Of data and of acknowledgements.
    arrivals: [u64; 2],
    drops: [u64; 2],
    waiting_time: [Duration; 2],
    departures: u64,
    waited: Duration,
    busy: Duration,
}

impl Fifo {
    pub(super) fn new(limit: Limit) -> Self {
        Self {
            limit,
            free_at: Instant::ZERO,
            held: VecDeque::new(),
            left: 0,
            held_bytes: 0,
            dropped: VecDeque::new(),
            stats: FifoStats::default(),
            counted_from: Instant::ZERO,
        }
    }

    /// `packet`, which takes `duration` to transmit, arrives `at` a time that is not before `now` or
    /// that of the last arrival. Returns the end of its transmission, or `None` if it is dropped.
    #[inline(always)]
    pub(super) fn arrive(
        &mut self,
        now: Instant,
        at: Instant,
        entry: Entry,
        packet: &Packet,
        duration: Duration,
    ) -> Option<Instant> {
        self.let_leave(at, entry);
        self.count_until(now);
        let is_ack = packet.is_pure_ack();
        if self.held.len() > self.left && !self.has_room_for(packet.size) {
            self.dropped.push_back((at, is_ack));
            return None;
        }
        let start = at.max(self.free_at);
        let end = start + duration;
        self.free_at = end;
        self.held_bytes += u64::from(packet.size);
        self.held.push_back(Passage {
            arrival: at,
            start,
            end,
            bytes: packet.size,
            is_ack,
            is_direct: entry == Entry::Direct,
            arrived_before: false,
            started_before: false,
        });
        Some(end)
    }

    /// What went through from the last reset to `end`, and how long the transmitter was busy.
    pub(super) fn stats(&self, end: Instant) -> (QueueStats, Duration) {
        let mut stats = self.stats;
        for passage in &self.held {
            stats.add(passage, self.counted_from, end);
        }
        for &(at, is_ack) in &self.dropped {
            stats.drop(at, is_ack, end);
        }
        let queue = QueueStats {
            data_arrivals: stats.arrivals[0],
            ack_arrivals: stats.arrivals[1],
            data_drops: stats.drops[0],
            ack_drops: stats.drops[1],
            drops: DropStats { on_arrival: stats.drops.iter().sum(), ..DropStats::default() },
            marks: 0,
            departures: stats.departures,
            waited: stats.waited,
            data_time: stats.waiting_time[0],
            ack_time: stats.waiting_time[1],
        };
        (queue, stats.busy)
    }

    /// Starts the statistics anew.
    pub(super) fn reset(&mut self, now: Instant) {
        self.count_until(now);
        self.dropped.retain(|&(at, _)| at > now);
        for passage in &mut self.held {
            passage.arrived_before = passage.arrival <= now;
            passage.started_before = passage.start <= now;
        }
        (self.stats, self.counted_from) = (FifoStats::default(), now);
    }

    /// Packets whose transmission has ended `at` the next arrival no longer occupy the queue.
    #[inline(always)]
    fn let_leave(&mut self, at: Instant, entry: Entry) {
        while let Some(passage) = self.held.get(self.left) {
            // The transmitter turns to a waiting packet after an arrival that comes first.
            let waits = self.held.len() - self.left > 1;
            let comes_first = waits && entry == Entry::Link { first: true };
            if passage.end > at || (passage.end == at && comes_first) {
                break;
            }
            self.held_bytes -= u64::from(passage.bytes);
            self.left += 1;
        }
    }

    /// Counts and removes what is over.
    #[inline(always)]
    fn count_until(&mut self, now: Instant) {
        while self.left > 0
            && let Some(passage) = self.held.front().filter(|passage| passage.end <= now)
        {
            self.stats.add(passage, self.counted_from, Instant::NEVER);
            self.held.pop_front();
            self.left -= 1;
        }
        while let Some(&(at, is_ack)) = self.dropped.front().filter(|(at, _)| *at < now) {
            self.stats.drop(at, is_ack, Instant::NEVER);
            self.dropped.pop_front();
        }
    }

    fn has_room_for(&self, bytes: u32) -> bool {
        match self.limit {
            Limit::Packets(limit) => self.held.len() - self.left < limit as usize,
            Limit::Bytes(limit) => self.held_bytes + u64::from(bytes) <= limit,
        }
    }
}

impl FifoStats {
    /// Counts what of `passage` lies after `from` and before `end`. At `end` itself only what the ends
    /// of flows do still counts.
    #[inline(always)]
    fn add(&mut self, passage: &Passage, from: Instant, end: Instant) {
        let Passage { arrival, start, is_ack, is_direct, .. } = *passage;
        let has_arrived = arrival < end || is_direct;
        let has_started = start < end || (start == arrival && has_arrived);
        self.arrivals[usize::from(is_ack)] += u64::from(has_arrived && !passage.arrived_before);
        if has_started && !passage.started_before {
            self.departures += 1;
            self.waited += start.since(arrival);
        }
        if has_started {
            self.busy += passage.end.min(end).since(start.max(from));
        }
        if start > arrival {
            let waited = start.min(end).since(arrival.max(from));
            self.waiting_time[usize::from(is_ack)] += waited;
        }
    }

    fn drop(&mut self, at: Instant, is_ack: bool, end: Instant) {
        let count = u64::from(at < end);
        self.arrivals[usize::from(is_ack)] += count;
        self.drops[usize::from(is_ack)] += count;
    }
}
