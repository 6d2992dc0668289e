//! FQ-CoDel: flow queues under CoDel, served by deficit round robin (RFC 8290).
//!
//! A hash of the connection assigns a packet to one of `flows` queues. The queues are served in
//! turns of `quantum` bytes. A queue that becomes active is appended to the list of new queues,
//! which is served before the list of old queues. It moves to the old list when its credits are
//! used up or when it is empty at its turn. Each queue runs CoDel.
//!
//! Where RFC 8290 is open, and where this differs from it or from Linux
//! (`net/sched/sch_fq_codel.c`):
//! - **Hash** (section 4.1). Flow and connection number are one integer, to which the salt is added
//!   modulo 2^64; the finalizer of SplitMix64 mixes the sum, and the remainder modulo `flows` is
//!   the queue. The salt is the first number of the discipline's random stream. The RFC adds a
//!   random salt to Jenkins' hash of the 5-tuple; packets here have no addresses or ports.
//! - **Credits** (sections 3 and 4.2). The turn of a queue ends when its credits are zero or less,
//!   as in section 3 and Linux; section 4.2 says "negative". The credits are renewed at the next
//!   departure (section 4.2 and Linux), not at the end of the turn (section 3).
//! - **Overflow** (section 4.1). The packet is queued first. If the limit is then exceeded, the
//!   queue with the most bytes (of several, the one with the lowest number) drops half of its
//!   packets from the head, rounded up, but at most `drop_batch`. This is repeated while the limit
//!   is exceeded, which can happen only with a limit in bytes. Linux drops half of the bytes
//!   instead of half of the packets, once per arrival, and adds the drops to CoDel's count. With
//!   `drop_batch = 1` each overflow drops one packet.
//! - **A packet that would not fit** even if no other packet waited, because of the packets in
//!   transmission, is dropped; no other packet is evicted for it.
//! - **Occupancy.** CoDel does not drop while `mtu` bytes or less wait behind the departing packet
//!   in *all* queues together (RFC 8289 section 4.4), as in Linux. So the last packet of a queue
//!   may be dropped; the scheduler then continues with the next queue (section 4.2).
//! - **State.** A queue keeps its CoDel state while it is inactive (section 1.3).

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::codel::{CodelConfig, CodelQueue};
use super::discipline::first_of;
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::component::{configuration, integer};
use crate::packet::ConnectionId;
use crate::rng::RngStream;
use crate::time::Instant;

configuration! {
    /// Parameters of FQ-CoDel.
    pub struct FqCodelConfig {
        name: "fq-codel",
        summary: "flow queues under CoDel that take turns, sparse flows first",
        source: "RFC 8290",
        ordered: [codel.target <= codel.interval],
    }
    // ECN: RFC 8290 section 5.2.6.
    /// CoDel on each flow queue.
    codel: CodelConfig = CodelConfig { ecn: true, ..CodelConfig::default() };
    // RFC 8290 section 5.2.5.
    /// queues among which connections are distributed
    flows: u64 = 1024, integer(1..=65_536);
    // RFC 8290 section 5.2.4.
    /// bytes that a queue may send in one turn
    quantum: u64 = 1514, integer(1..=1_000_000);
    // RFC 8290 section 4.1.
    /// packets that an overflow drops from the longest queue at most; otherwise half
    /// of that queue
    drop_batch: u64 = 64, integer(1..=1_000_000);
}

/// The bucket of a hash value that has no queue yet.
const NONE: u32 = u32::MAX;

/// Flow queues under CoDel.
#[derive(Clone, Debug)]
pub struct FqCodel<P> {
    backlog: Backlog,
    config: FqCodelConfig,
    /// Added to what is hashed.
    salt: u64,
    /// Index into `queues` by hash value, or [`NONE`]: a queue is created when it is first needed.
    buckets: Vec<u32>,
    queues: Vec<FlowQueue<P>>,
    /// The list of new queues, in the order of their turns.
    new: VecDeque<u32>,
    /// The list of old queues, in the order of their turns.
    old: VecDeque<u32>,
}

/// One of the queues.
#[derive(Clone, Debug)]
struct FlowQueue<P> {
    bucket: u32,
    packets: CodelQueue<P>,
    /// Bytes that the queue may still send in this turn.
    credits: i64,
    /// Whether the queue is in one of the two lists.
    is_active: bool,
}

impl<P: QueueItem> FqCodel<P> {
    /// Creates an empty queue.
    pub fn new(config: FqCodelConfig, limit: QueueLimit, mut rng: RngStream) -> Self {
        Self {
            backlog: Backlog::new(limit),
            salt: rng.next_u64(),
            buckets: vec![NONE; config.flows as usize],
            config,
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// The index of the queue of `connection`.
    fn classify(&mut self, connection: ConnectionId) -> u32 {
        let bucket = hash(connection, self.salt) % self.config.flows;
        let index = &mut self.buckets[bucket as usize];
        if *index == NONE {
            *index = self.queues.len() as u32;
            self.queues.push(FlowQueue {
                bucket: bucket as u32,
                packets: CodelQueue::new(),
                credits: 0,
                is_active: false,
            });
        }
        *index
    }

    /// The index of the queue with the most bytes, of several the one in the lowest bucket.
    fn longest(&self) -> Option<u32> {
        self.new.iter().chain(&self.old).copied().max_by_key(|&index| {
            let queue = &self.queues[index as usize];
            (queue.packets.bytes(), Reverse(queue.bucket))
        })
    }

    /// Drops from the longest queue until the packet at the end of queue `index`, which the backlog
    /// does not count yet, is within the limit. Returns false if that packet was dropped.
    fn make_room(&mut self, index: u32, actions: &mut impl Actions<P>) -> bool {
        loop {
            let arrived = self.queues[index as usize].packets.packets().back();
            match arrived {
                Some(packet) if !self.backlog.has_room_for(packet) => {}
                _ => return true,
            }
            let Some(longest) = self.longest() else { return true };
            let queue = &mut self.queues[longest as usize].packets;
            let batch = queue.packets().len().div_ceil(2).min(self.config.drop_batch as usize);
            for _ in 0..batch {
                let Some(packet) = queue.pop() else { break };
                // A batch empties a queue only if it held one packet: the arrived one.
                if longest == index && queue.packets().is_empty() {
                    actions.drop(packet, DropReason::OnArrival);
                    return false;
                }
                self.backlog.remove(&packet);
                actions.drop(packet, DropReason::Evicted);
            }
        }
    }
}

/// The hash of a connection: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
pub(super) fn hash((flow, connection): ConnectionId, salt: u64) -> u64 {
    let mut z = (u64::from(flow.0) << 8 | u64::from(connection)).wrapping_add(salt);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl<P: QueueItem> QueueDiscipline<P> for FqCodel<P> {
    fn enqueue(&mut self, _now: Instant, packet: P, actions: &mut impl Actions<P>) {
        let has_room = self.backlog.has_room_for(&packet);
        if !has_room {
            let waiting = self.queues.iter().flat_map(|queue| queue.packets.packets());
            if !self.backlog.has_room_without(waiting, &packet) {
                actions.drop(packet, DropReason::OnArrival);
                return;
            }
        }
        let index = self.classify(packet.connection());
        let queue = &mut self.queues[index as usize];
        queue.packets.push(packet);
        if !queue.is_active {
            queue.is_active = true;
            queue.credits = self.config.quantum as i64;
            self.new.push_back(index);
        }
        if (has_room || self.make_room(index, actions))
            && let Some(packet) = self.queues[index as usize].packets.packets().back()
        {
            self.backlog.add(packet);
        }
    }

    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let queue = &mut self.queues[index as usize];
            if queue.credits <= 0 {
                queue.credits += self.config.quantum as i64;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let codel = &self.config.codel;
            if let Some(packet) = queue.packets.dequeue(codel, now, &mut self.backlog, actions) {
                queue.credits -= i64::from(packet.size());
                return Some(packet);
            }
            list.pop_front();
            if is_new {
                // Not removed: a queue refilled just before its turn would stay new and starve the
                // old ones (RFC 8290 section 4.2).
                self.old.push_back(index);
            } else {
                queue.is_active = false;
            }
        }
    }

    fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        actions: &mut impl Actions<P>,
    ) -> Option<P> {
        let head_at = |packets: &VecDeque<P>| first_of(packets, &is_wanted, max_bytes);
        loop {
            let Self { queues, new, old, .. } = self;
            let is_served =
                |index: &u32| head_at(queues[*index as usize].packets.packets()).is_some();
            let (list, place) = match (new.iter().position(is_served), &mut *old) {
                (Some(place), _) => (new, place),
                (None, old) => {
                    let place = old.iter().position(is_served)?;
                    (old, place)
                }
            };
            let index = list[place];
            let queue = &mut queues[index as usize];
            if queue.credits <= 0 {
                queue.credits += self.config.quantum as i64;
                list.remove(place);
                self.old.push_back(index);
                continue;
            }
            let (codel, backlog) = (&self.config.codel, &mut self.backlog);
            // A queue that CoDel has emptied leaves its list at its turn.
            if let Some(packet) = queue.packets.dequeue_at(codel, now, backlog, actions, head_at) {
                queue.credits -= i64::from(packet.size());
                return Some(packet);
            }
        }
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    /// The turns of [`FqCodel::dequeue`], played on copies of lists and credits.
    fn packets(&self) -> Vec<&P> {
        let (mut new, mut old) = (self.new.clone(), self.old.clone());
        let mut queues: Vec<_> = (self.queues.iter())
            .map(|queue| (queue.credits, queue.packets.packets().iter()))
            .collect();
        let mut packets = Vec::new();
        loop {
            let is_new = !new.is_empty();
            let list = if is_new { &mut new } else { &mut old };
            let Some(&index) = list.front() else { return packets };
            let (credits, waiting) = &mut queues[index as usize];
            if *credits <= 0 {
                *credits += self.config.quantum as i64;
                list.pop_front();
                old.push_back(index);
            } else if let Some(packet) = waiting.next() {
                *credits -= i64::from(packet.size());
                packets.push(packet);
            } else {
                list.pop_front();
                if is_new {
                    old.push_back(index);
                }
            }
        }
    }
}
