//! FQ-CoDel for several receivers: the queues in front of the drivers of Linux's mac80211 (`include/net/fq_impl.h` and
//! `fq_tin_dequeue_func` in `net/mac80211/tx.c`, Linux 6.4; Høiland-Jørgensen et al. 2017, section 3.1).
//!
//! What is for one receiver and access category is a *tin*, which the caller serves when it likes. All share one table of flow
//! queues and one limit.
//!
//! - The hash of a connection names a flow queue of the table. One that another tin uses is not shared: the packet enters
//!   the default flow queue of its own tin.
//! - Each tin has its own lists of new and old flow queues, served by deficit round robin as in FQ-CoDel
//!   ([`FqCodel`](super::FqCodel)). A flow queue that leaves the lists belongs to no tin.
//! - CoDel runs on each flow queue, with the bytes of this queue alone: `mtu = 0` lets it drop whenever a packet remains.
//! - When packets, or the memory of their buffers, exceed the limit, the flow queue with the most bytes of all tins drops
//!   half of its packets from the head, at least one and at most `drop_batch`, until they do not. Of equal ones this is the
//!   one that comes first in the table, where default queues come last.
//!
//! - In the tin of a slow station, if there is a rule for these, CoDel has a target of 50 ms and an interval of 300 ms, and does
//!   not mark (`sta_update_codel_params` in `net/mac80211/sta_info.c`, Linux up to 6.15).
//!
//! Departures: CoDel is that of RFC 8289, and hash and salt are those of [`FqCodel`](super::FqCodel), where Linux has its own.

use std::collections::VecDeque;

use super::codel::{CodelConfig, CodelQueue};
use super::counted::Counted;
use super::fq_codel::{FqCodelConfig, hash};
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::packet::ConnectionId;
use crate::rng::RngStream;
use crate::time::{Duration, Instant};
use crate::truesize::truesize;

/// The place of a flow queue that does not exist yet.
const NONE: u32 = u32::MAX;

/// Flow queues under CoDel, in tins.
#[derive(Clone, Debug)]
pub struct FqTins<P> {
    config: FqCodelConfig,
    /// CoDel in tins of slow stations.
    slow: CodelConfig,
    salt: u64,
    limit: QueueLimit,
    /// Bytes of buffers at most.
    memory_limit: u64,
    memory: u64,
    backlog: Backlog,
    /// Index into `flows` by hash value, or [`NONE`].
    buckets: Vec<u32>,
    flows: Vec<Flow<P>>,
    tins: Vec<Tin>,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    packets: CodelQueue<P>,
    backlog: Backlog,
    deficit: i64,
    /// The tin in whose lists it is.
    tin: Option<u32>,
    /// Its place among those of equal length: hash value, or behind all of these number of the tin.
    order: u32,
}

#[derive(Clone, Debug)]
struct Tin {
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Its default flow queue, or [`NONE`].
    default: u32,
    is_slow: bool,
}

/// CoDel for slow stations instead of `codel`.
fn slow(codel: &CodelConfig) -> CodelConfig {
    let (target, interval) = (Duration::from_millis(50), Duration::from_millis(300));
    CodelConfig { target, interval, ecn: false, ..codel.clone() }
}

impl<P: QueueItem> FqTins<P> {
    /// Empty tins, which come into being as they are used.
    pub fn new(
        config: FqCodelConfig,
        limit: QueueLimit,
        memory_limit: Option<u64>,
        mut rng: RngStream,
    ) -> Self {
        Self {
            salt: rng.next_u64(),
            limit,
            memory_limit: memory_limit.unwrap_or(u64::MAX),
            memory: 0,
            backlog: Backlog::new(QueueLimit::Unlimited),
            buckets: vec![NONE; config.flows as usize],
            slow: slow(&config.codel),
            config,
            flows: Vec::new(),
            tins: Vec::new(),
        }
    }

    /// The flow queue of `connection` in `tin`.
    fn classify(&mut self, tin: u32, connection: ConnectionId) -> u32 {
        let bucket = hash(connection, self.salt) % self.config.flows;
        let index = self.buckets[bucket as usize];
        if index == NONE {
            self.buckets[bucket as usize] = self.add_flow(bucket as u32);
            return self.buckets[bucket as usize];
        }
        match self.flows[index as usize].tin {
            Some(other) if other != tin => {}
            _ => return index,
        }
        if self.tins[tin as usize].default == NONE {
            self.tins[tin as usize].default = self.add_flow(self.config.flows as u32 + tin);
        }
        self.tins[tin as usize].default
    }

    fn add_flow(&mut self, order: u32) -> u32 {
        let backlog = Backlog::new(QueueLimit::Unlimited);
        let packets = CodelQueue::new();
        self.flows.push(Flow { packets, backlog, deficit: 0, tin: None, order });
        self.flows.len() as u32 - 1
    }

    /// Tins come into being as they are used.
    fn make_tin(&mut self, tin: u32) {
        let tins = self.tins.len().max(tin as usize + 1);
        let (new, old) = (VecDeque::new, VecDeque::new);
        self.tins.resize_with(tins, || Tin {
            new: new(),
            old: old(),
            default: NONE,
            is_slow: false,
        });
    }

    fn is_over(&self) -> bool {
        let over = match self.limit {
            QueueLimit::Packets(limit) => self.backlog.packets() > limit,
            QueueLimit::Bytes(limit) => self.backlog.bytes() > limit,
            QueueLimit::Unlimited => false,
        };
        over || self.memory > self.memory_limit
    }

    /// The flow queue with the most bytes drops, until the limits are kept. The packet that has arrived last is in the flow
    /// queue `arrived`.
    #[cold]
    fn make_room(&mut self, arrived: u32, actions: &mut impl Actions<P>) {
        while self.is_over() {
            let longest = (0..self.flows.len()).max_by_key(|&index| {
                let flow = &self.flows[index];
                (flow.packets.bytes(), std::cmp::Reverse(flow.order))
            });
            let Some(longest) = longest else { return };
            let flow = &mut self.flows[longest];
            let batch = (flow.packets.packets().len() as u64 / 2).clamp(1, self.config.drop_batch);
            for _ in 0..batch {
                let Some(packet) = flow.packets.pop() else { return };
                flow.backlog.remove(&packet);
                self.backlog.remove(&packet);
                self.memory -= truesize(packet.size());
                let is_arrival = longest == arrived as usize && flow.packets.packets().is_empty();
                let reason = if is_arrival { DropReason::OnArrival } else { DropReason::Evicted };
                actions.drop(packet, reason);
            }
        }
    }
}

impl<P: QueueItem> QueueDiscipline<P> for FqTins<P> {
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>) {
        self.enqueue_tin(now, 0, packet, actions);
    }

    fn enqueue_tin(&mut self, _now: Instant, tin: u32, packet: P, actions: &mut impl Actions<P>) {
        self.make_tin(tin);
        let index = self.classify(tin, packet.connection());
        let flow = &mut self.flows[index as usize];
        flow.backlog.add(&packet);
        self.backlog.add(&packet);
        self.memory += truesize(packet.size());
        flow.packets.push(packet);
        if flow.tin.is_none() {
            flow.tin = Some(tin);
            flow.deficit = self.config.quantum as i64;
            self.tins[tin as usize].new.push_back(index);
        }
        if self.is_over() {
            self.make_room(index, actions);
        }
    }

    /// From the first tin that has a packet.
    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
        (0..self.tins.len() as u32).find_map(|tin| self.dequeue_tin(now, tin, actions))
    }

    fn dequeue_tin(&mut self, now: Instant, tin: u32, actions: &mut impl Actions<P>) -> Option<P> {
        let Self { tins, flows, config, slow, backlog, memory, .. } = self;
        let Tin { new, old, is_slow, .. } = tins.get_mut(tin as usize)?;
        let codel = if *is_slow { slow } else { &config.codel };
        loop {
            let (is_new, is_alone) = (!new.is_empty(), new.len() + old.len() == 1);
            let list = if is_new { &mut *new } else { &mut *old };
            let index = *list.front()?;
            let flow = &mut flows[index as usize];
            if flow.deficit <= 0 {
                // A flow queue that is alone has all its turns without a packet at once.
                let quantum = config.quantum as i64;
                let turns = if is_alone { 1 - flow.deficit / quantum } else { 1 };
                flow.deficit += turns * quantum;
                list.pop_front();
                old.push_back(index);
                continue;
            }
            let mut dropped = Freed { memory, actions };
            let counted = &mut Counted { backlog, actions: &mut dropped };
            let Flow { packets, backlog: own, .. } = flow;
            if let Some(packet) = packets.dequeue(codel, now, own, counted) {
                own.transmitted(packet.size());
                flow.deficit -= i64::from(packet.size());
                backlog.serve(&packet);
                *memory -= truesize(packet.size());
                return Some(packet);
            }
            list.pop_front();
            if is_new && !old.is_empty() {
                old.push_back(index);
            } else {
                flow.tin = None;
            }
        }
    }

    fn set_slow(&mut self, tin: u32, is_slow: bool) {
        self.make_tin(tin);
        self.tins[tin as usize].is_slow = is_slow;
    }

    fn tin_packets(&self, tin: u32) -> u32 {
        let listed = self.tins.get(tin as usize).into_iter();
        let flows = listed.flat_map(|tin| tin.new.iter().chain(&tin.old));
        flows.map(|&index| self.flows[index as usize].packets.packets().len() as u32).sum()
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        let listed = self.tins.iter().flat_map(|tin| tin.new.iter().chain(&tin.old));
        listed.flat_map(|&index| self.flows[index as usize].packets.packets()).collect()
    }
}

/// Counts the buffers of what CoDel drops.
struct Freed<'a, A> {
    memory: &'a mut u64,
    actions: &'a mut A,
}

impl<P: QueueItem, A: Actions<P>> Actions<P> for Freed<'_, A> {
    fn drop(&mut self, packet: P, reason: DropReason) {
        *self.memory -= truesize(packet.size());
        self.actions.drop(packet, reason);
    }

    fn marked(&mut self) {
        self.actions.marked();
    }
}
