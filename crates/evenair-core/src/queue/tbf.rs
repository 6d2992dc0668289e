//! TBF: a first-in, first-out queue shaped by a token bucket (Linux `tc-tbf(8)`).
//!
//! Tokens accumulate at `rate`, up to those of `burst` bytes; the bucket is full at the start. A
//! packet leaves when there are tokens for all of its bytes, and consumes them. So at most
//! `burst + rate * t` leaves in any interval of `t` seconds.
//!
//! Design decisions, and differences from Linux (`net/sched/sch_tbf.c`):
//! - **Exactness.** A token is a billionth of a bit, so a nanosecond at any integer rate yields an
//!   integer number of tokens. Only the time at which a packet may leave is rounded, up to the next
//!   nanosecond. Linux counts tokens as nanoseconds and rounds the duration of each packet.
//! - **A packet larger than the bucket** could never leave, so it is dropped on arrival. Linux also
//!   drops it, unless it can be segmented.
//! - **Sizes** are those of IP packets. There is no peak rate, no minimum size and no overhead per
//!   packet.

use std::collections::VecDeque;

use super::{Actions, Backlog, DropReason, Limit, QueueDiscipline, QueueItem};
use crate::component::{configuration, integer};
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

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

/// The parameters in tokens.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Bit/s, which is tokens per nanosecond.
    rate: u128,
    /// Capacity of the bucket, tokens.
    burst: u128,
}

/// A first-in, first-out queue behind a token bucket.
#[derive(Clone, Debug)]
pub struct Tbf<P> {
    backlog: Backlog,
    bucket: Bucket,
    packets: VecDeque<P>,
    /// Tokens in the bucket at `updated`, billionths of a bit.
    tokens: u128,
    updated: Instant,
}

/// The tokens that `bytes` cost.
fn tokens(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * 1_000_000_000
}

impl<P: QueueItem> Tbf<P> {
    /// Creates an empty queue with a full bucket.
    pub fn new(config: TbfConfig, limit: Limit, _rng: RngStream) -> Self {
        let bucket = Bucket { rate: u128::from(config.rate), burst: tokens(config.burst) };
        Self {
            backlog: Backlog::new(limit),
            bucket,
            packets: VecDeque::new(),
            tokens: bucket.burst,
            updated: Instant::ZERO,
        }
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Tbf<P> {
    #[inline(never)]
    fn enqueue(&mut self, _now: Instant, packet: P, actions: &mut impl Actions<P>) {
        let can_leave = tokens(u64::from(packet.size())) <= self.bucket.burst;
        if can_leave && self.backlog.has_room_for(&packet) {
            self.backlog.add(&packet);
            self.packets.push_back(packet);
        } else {
            actions.drop(packet, DropReason::OnArrival);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Instant, _actions: &mut impl Actions<P>) -> Option<P> {
        let cost = tokens(u64::from(self.packets.front()?.size()));
        let gained = self.bucket.rate * u128::from(now.since(self.updated).as_nanos());
        let available = (self.tokens + gained).min(self.bucket.burst);
        if available < cost {
            return None;
        }
        (self.tokens, self.updated) = (available - cost, self.updated.max(now));
        let packet = self.packets.pop_front()?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn ready_at(&self) -> Instant {
        let Some(head) = self.packets.front() else { return Instant::NEVER };
        let missing = tokens(u64::from(head.size())).saturating_sub(self.tokens);
        let wait = missing.div_ceil(self.bucket.rate);
        self.updated + Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX))
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }
}
