//! TBF: a first-in, first-out queue shaped by a token bucket (Linux `tc-tbf(8)`).
//!
//! Tokens accumulate at `rate`, up to those of `burst` bytes; the bucket is full at the start. A
//! packet leaves when there are tokens for all of its bytes, and consumes them. So at most
//! `burst + rate * t` leaves in any interval of `t` seconds.
//!
//! Design decisions, and differences from Linux (`net/sched/sch_tbf.c`):
//! - **Exactness.** Tokens are not rounded ([`TokenBucket`]), only the time at which a packet may leave
//!   is, up to the next nanosecond. Linux counts tokens as nanoseconds and rounds the duration of each
//!   packet.
//! - **A packet larger than the bucket** could never leave, so it is dropped on arrival. Linux also
//!   drops it, unless it can be segmented.
//! - **Sizes** are those of IP packets. There is no peak rate, no minimum size and no overhead per
//!   packet.

use std::collections::VecDeque;

use super::discipline::first_of;
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::component::{configuration, integer};
use crate::rng::RngStream;
use crate::time::Instant;
use crate::token_bucket::TokenBucket;
use crate::units::Rate;

configuration! {
    /// Parameters of the token bucket.
    pub struct TbfConfig {
        name: "tbf",
        summary: "first in, first out, at no more than a rate after a burst (token bucket)",
        source: "Linux tc-tbf(8)",
    }
    /// bit/s of IP packets that leave in the long run
    rate: u64 = 1_000_000, integer(1..=1_000_000_000_000);
    /// bytes that may leave at once after a pause; a larger packet is dropped
    burst: u64 = 15_000, integer(1..=1_000_000_000);
}

/// A first-in, first-out queue behind a token bucket.
#[derive(Clone, Debug)]
pub struct Tbf<P> {
    backlog: Backlog,
    bucket: TokenBucket,
    packets: VecDeque<P>,
}

impl<P: QueueItem> Tbf<P> {
    /// Creates an empty queue with a full bucket.
    pub fn new(config: TbfConfig, limit: QueueLimit, _rng: RngStream) -> Self {
        let bucket = TokenBucket::new(Rate::from_bps(config.rate), config.burst);
        Self { backlog: Backlog::new(limit), bucket, packets: VecDeque::new() }
    }

    /// The packet at `place` leaves, if there are enough tokens for it.
    fn depart(&mut self, now: Instant, place: usize) -> Option<P> {
        let bytes = self.packets.get(place)?.size().into();
        if !self.bucket.take(now, bytes) {
            return None;
        }
        let packet = self.packets.remove(place)?;
        self.backlog.serve(&packet);
        Some(packet)
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Tbf<P> {
    fn enqueue(&mut self, _now: Instant, packet: P, actions: &mut impl Actions<P>) {
        let can_leave = self.bucket.can_hold(packet.size().into());
        if can_leave && self.backlog.has_room_for(&packet) {
            self.backlog.add(&packet);
            self.packets.push_back(packet);
        } else {
            actions.drop(packet, DropReason::OnArrival);
        }
    }

    fn dequeue(&mut self, now: Instant, _actions: &mut impl Actions<P>) -> Option<P> {
        self.depart(now, 0)
    }

    fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        _actions: &mut impl Actions<P>,
    ) -> Option<P> {
        let place = first_of(&self.packets, is_wanted, max_bytes)?;
        self.depart(now, place)
    }

    fn ready_at(&self) -> Instant {
        let Some(head) = self.packets.front() else { return Instant::NEVER };
        self.bucket.ready_at(head.size().into())
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.packets.iter().collect()
    }
}
