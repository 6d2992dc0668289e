//! CoDel, controlled delay (RFC 8289).
//!
//! The sojourn time of each packet is measured when it leaves. When it has been at or above
//! `target` for an `interval`, CoDel drops the packet at the head. Until the sojourn time falls
//! below `target`, it drops further packets; the control law spaces these drops
//! `interval / sqrt(count)` apart.
//!
//! Where RFC 8289 is open, and where this differs from it or from Linux (`net/sched/sch_codel.c`):
//! - **Control law** (section 5.6). The distance between two drops is the largest whole number of
//!   nanoseconds not above `interval / sqrt(count)`. It is the integer square root of
//!   `interval^2 / count`, so it is exact and the same on every platform. Linux updates an
//!   approximation of `1 / sqrt(count)` by one step of Newton's method per drop, in 16 bits, and
//!   counts time in units of 1024 ns.
//! - **Re-entry** (section 5.5). A queue that enters the dropping state again less than 16
//!   intervals after the last drop was due sets `count` to its increase in the last dropping state,
//!   if that is more than 1. Otherwise it sets `count` to 1. The RFC adopts this rule from Linux.
//! - **Persistence** (section 5.6). Dropping may begin when `interval` has passed, that is at
//!   `now >= first_above_time`; Linux requires `now` to be later.
//! - **The last packet.** A packet is not dropped while `mtu` bytes or less wait behind it (section
//!   5.6; section 4.1 says "less than an MTU"). So the last packet is never dropped, and a queue
//!   that is not empty always returns one.
//! - **ECN** (`ecn`). Section 1 permits marks instead of drops, but the pseudocode has none. With
//!   `ecn`, a packet that would be dropped is marked and returned if its transport supports ECN.
//!   The schedule advances as for a drop. At most one packet is marked per departure, as in Linux.
//! - **CE threshold** (`ce_threshold`; RFC 8290 section 5.2.7, `codel_impl.h`). A packet that leaves
//!   after it has waited for longer is marked, too, whether or not `ecn` is set. One that has a mark
//!   already is not counted again.
//! - **A full queue** drops the packet that arrives. These drops do not affect `count` (section
//!   5.4).

use std::collections::VecDeque;

use super::discipline::first_of;
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::component::{configuration, integer, optional, positive, switch};
use crate::packet::Ecn;
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

configuration! {
    /// Parameters of CoDel.
    pub struct CodelConfig {
        name: "codel",
        summary: "controlled delay: drops at the head while packets wait longer than a target",
        source: "RFC 8289",
        ordered: [target <= interval],
    }
    // RFC 8289 section 4.3: 5 ms; 5% to 10% of the interval.
    /// acceptable standing queue delay
    target: Duration = Duration::from_millis(5), positive();
    // RFC 8289 section 4.2.
    /// how long the delay must exceed the target before packets are dropped; about the
    /// largest round-trip time
    interval: Duration = Duration::from_millis(100), positive();
    // RFC 8289 section 5.3 sets `maxpacket` to 512 bytes and recommends the MTU of the interface.
    /// nothing is dropped while no more bytes than this wait behind the departing packet
    mtu: u64 = 1500, integer(0..=65_535);
    /// mark packets of ECN-capable transports instead of dropping them
    ecn: bool = false, switch();
    // RFC 8290 section 5.2.7: off by default, as in Linux.
    /// mark packets of ECN-capable transports that have waited for longer than this, for senders that
    /// respond to the share of marks
    ce_threshold: Option<Duration> = None, optional(positive(), "no threshold");
}

/// Number of intervals without a drop after which `count` restarts at 1 (RFC 8289 section 5.5).
const MEMORY: u64 = 16;

/// A first-in, first-out queue whose head CoDel watches. The caller accounts for arrivals in its
/// [`Backlog`]; departures are accounted for here.
#[derive(Clone, Debug)]
pub(super) struct CodelQueue<P> {
    packets: VecDeque<P>,
    bytes: u64,
    schedule: DropSchedule,
}

/// The drop schedule (the state variables of RFC 8289 section 5.2).
#[derive(Clone, Copy, Debug, Default)]
struct DropSchedule {
    /// When the delay will have been at or above the target for an interval. `None` while it is
    /// below.
    first_above: Option<Instant>,
    /// Whether the queue is in the dropping state.
    dropping: bool,
    /// When the next drop is due; outside the dropping state, its value when that state ended.
    drop_next: Instant,
    /// Drops in this dropping state plus the initial value.
    count: u32,
    /// `count` when the dropping state was entered.
    last_count: u32,
}

impl DropSchedule {
    /// Updates `first_above` for a packet that has waited for `sojourn` and leaves `bytes` waiting
    /// behind it. Returns whether the delay has been above the target for an interval (RFC 8289 section
    /// 5.6).
    fn is_persistent(
        &mut self,
        config: &CodelConfig,
        now: Instant,
        sojourn: Duration,
        bytes: u64,
    ) -> bool {
        if sojourn < config.target || bytes <= config.mtu {
            self.first_above = None;
            return false;
        }
        now >= *self.first_above.get_or_insert(now + config.interval)
    }

    /// Enters the dropping state (RFC 8289 section 5.5).
    fn enter(&mut self, interval: Duration, now: Instant) {
        let made = self.count - self.last_count;
        let is_recent = now.since(self.drop_next) < interval * MEMORY;
        self.count = if made > 1 && is_recent { made } else { 1 };
        self.last_count = self.count;
        self.dropping = true;
        self.drop_next = now + control_law(interval, self.count);
    }

    /// Schedules the drop that follows the one due at `drop_next`.
    fn advance(&mut self, interval: Duration) {
        self.drop_next += control_law(interval, self.count);
    }
}

/// `interval / sqrt(count)` in whole nanoseconds, rounded down (RFC 8289 section 5.6). Exact: the
/// integer square root of `floor(x)` is `floor(sqrt(x))`.
fn control_law(interval: Duration, count: u32) -> Duration {
    let nanos = u128::from(interval.as_nanos());
    Duration::from_nanos((nanos * nanos / u128::from(count)).isqrt() as u64)
}

impl<P: QueueItem> CodelQueue<P> {
    /// Creates an empty queue.
    pub(super) fn new() -> Self {
        Self { packets: VecDeque::new(), bytes: 0, schedule: DropSchedule::default() }
    }

    /// Waiting bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Waiting packets, the head first.
    pub(super) fn packets(&self) -> &VecDeque<P> {
        &self.packets
    }

    /// Appends `packet`.
    pub(super) fn push(&mut self, packet: P) {
        self.bytes += u64::from(packet.size());
        self.packets.push_back(packet);
    }

    /// Removes the head regardless of its delay.
    pub(super) fn pop(&mut self) -> Option<P> {
        self.remove(0)
    }

    fn remove(&mut self, place: usize) -> Option<P> {
        let packet = self.packets.remove(place)?;
        self.bytes -= u64::from(packet.size());
        Some(packet)
    }

    /// Drops packets as CoDel requires (RFC 8289 section 5.5), then removes and returns the next
    /// packet to transmit. `backlog` counts all queues that share the link. Returns `None` if the
    /// queue is empty or becomes empty.
    pub(super) fn dequeue(
        &mut self,
        config: &CodelConfig,
        now: Instant,
        backlog: &mut Backlog,
        actions: &mut impl Actions<P>,
    ) -> Option<P> {
        self.dequeue_at(config, now, backlog, actions, |_| Some(0))
    }

    /// The same of the packet at the place that `head_at` finds: those before it count as if they were not there.
    pub(super) fn dequeue_at(
        &mut self,
        config: &CodelConfig,
        now: Instant,
        backlog: &mut Backlog,
        actions: &mut impl Actions<P>,
        head_at: impl Fn(&VecDeque<P>) -> Option<usize>,
    ) -> Option<P> {
        let mut head = self.take_head(config, now, backlog, &head_at);
        if self.schedule.dropping {
            while let Some((packet, true)) = &mut head {
                if now < self.schedule.drop_next {
                    break;
                }
                self.schedule.count = self.schedule.count.saturating_add(1);
                if config.ecn && actions.mark(packet) {
                    self.schedule.advance(config.interval);
                    break;
                }
                head = self.replace_head(config, now, head, backlog, actions, &head_at);
                if let Some((_, true)) = head {
                    self.schedule.advance(config.interval);
                }
            }
            self.schedule.dropping = matches!(head, Some((_, true)));
        } else if let Some((packet, true)) = &mut head {
            self.schedule.enter(config.interval, now);
            if !(config.ecn && actions.mark(packet)) {
                head = self.replace_head(config, now, head, backlog, actions, &head_at);
            }
        }
        let (mut packet, _) = head?;
        if config.ce_threshold.is_some_and(|most| now.since(packet.enqueued_at()) > most)
            && packet.ecn() != Ecn::Ce
        {
            actions.mark(&mut packet);
        }
        backlog.serve(&packet);
        Some(packet)
    }

    /// The head, removed, and whether the delay has been above the target for an interval.
    /// `backlog` still counts the head. Its bytes are those of all queues that share the link (RFC
    /// 8289 section 4.4).
    fn take_head(
        &mut self,
        config: &CodelConfig,
        now: Instant,
        backlog: &Backlog,
        head_at: impl Fn(&VecDeque<P>) -> Option<usize>,
    ) -> Option<(P, bool)> {
        let packet = head_at(&self.packets).and_then(|place| self.remove(place));
        let Some(packet) = packet else {
            if self.packets.is_empty() {
                self.schedule.first_above = None;
            }
            return None;
        };
        let sojourn = now.since(packet.enqueued_at());
        let behind = backlog.bytes() - u64::from(packet.size());
        let is_persistent = self.schedule.is_persistent(config, now, sojourn, behind);
        Some((packet, is_persistent))
    }

    /// Drops `head`, a removed packet, and removes the next.
    fn replace_head(
        &mut self,
        config: &CodelConfig,
        now: Instant,
        head: Option<(P, bool)>,
        backlog: &mut Backlog,
        actions: &mut impl Actions<P>,
        head_at: impl Fn(&VecDeque<P>) -> Option<usize>,
    ) -> Option<(P, bool)> {
        let (packet, _) = head?;
        backlog.remove(&packet);
        actions.drop(packet, DropReason::OnDeparture);
        self.take_head(config, now, backlog, head_at)
    }
}

/// The CoDel queue discipline.
#[derive(Clone, Debug)]
pub struct Codel<P> {
    backlog: Backlog,
    config: CodelConfig,
    queue: CodelQueue<P>,
}

impl<P: QueueItem> Codel<P> {
    /// Creates an empty queue.
    pub fn new(config: CodelConfig, limit: QueueLimit, _rng: RngStream) -> Self {
        Self { backlog: Backlog::new(limit), config, queue: CodelQueue::new() }
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Codel<P> {
    fn enqueue(&mut self, _now: Instant, packet: P, actions: &mut impl Actions<P>) {
        if self.backlog.has_room_for(&packet) {
            self.backlog.add(&packet);
            self.queue.push(packet);
        } else {
            actions.drop(packet, DropReason::OnArrival);
        }
    }

    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
        self.queue.dequeue(&self.config, now, &mut self.backlog, actions)
    }

    fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        actions: &mut impl Actions<P>,
    ) -> Option<P> {
        let head_at = |packets: &VecDeque<P>| first_of(packets, &is_wanted, max_bytes);
        self.queue.dequeue_at(&self.config, now, &mut self.backlog, actions, head_at)
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.queue.packets().iter().collect()
    }
}
