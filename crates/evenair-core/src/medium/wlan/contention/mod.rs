//! Who transmits next: backoff counters on a virtual slot clock.
//!
//! Backoff counters run down in idle slots only. [`Contention`] therefore counts the idle slots since
//! the start of the run, and keeps for each contender the count at which it will transmit. A frozen
//! counter costs nothing, and the cost of adding a contender or of finding the next access does not
//! depend on their number.
//!
//! **Slots.** After each busy period that ends at E the slot boundaries lie at E + DIFS + k slots
//! (IEEE 802.11-2007 9.2.10 and figure 9-14: all timing is relative to the end of the last activity).
//! All nodes act at these boundaries: a deferral that is longer than DIFS (EIFS, a response timeout),
//! or a packet that arrives between two boundaries, counts from the next one. Nodes that choose the
//! same boundary collide. A node that would start one slot later has sensed the first, since a slot
//! consists of CCA time, turnaround, propagation and processing.
//!
//! **When a frozen counter is decremented** (9.2.5.2): at the end of a slot during which the medium
//! was idle. The slot in which another node transmits is not idle and does not count. After the busy
//! period and a DIFS the counter continues from its value, which is at least 1. **Slot 0 after a busy
//! period** can hence be used only by a node that draws 0 (it has just transmitted, its packet arrived
//! during the busy period, or another node preempted its immediate access), or by one whose packet
//! arrived after the medium became idle (immediate access). Models in which a busy slot counts
//! (Bianchi 2000) differ by 1 to 2% in throughput.

mod backoff;
mod slot_ring;

pub(in crate::medium::wlan) use backoff::Backoff;

use slot_ring::SlotRing;

use crate::packet::NodeId;

/// An off-grid contender: in this idle period its counter starts at another boundary than those in the
/// slot ring, because it has just collided or its packet has just arrived.
#[derive(Clone, Copy, Debug)]
struct OffGrid {
    node: NodeId,
    /// The boundary, counted from E + DIFS, from which its counter runs.
    from: u64,
    /// Slots left to count.
    counter: u64,
    has_frame: bool,
    /// It transmits without a backoff.
    immediate: bool,
}

/// A node that counts down, as an observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::medium::wlan) struct Counter {
    /// The node.
    pub(in crate::medium::wlan) node: NodeId,
    /// The slot boundary after DIFS from which it counts in this idle period, or will count in the next.
    pub(in crate::medium::wlan) from: u64,
    /// Slots that it has to count from there.
    pub(in crate::medium::wlan) slots: u64,
    /// Whether it has a frame; else this is the backoff after its last one.
    pub(in crate::medium::wlan) has_frame: bool,
    /// Whether it transmits without a backoff.
    pub(in crate::medium::wlan) immediate: bool,
}

/// The post-backoff of a node that has no packet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdleBackoff {
    /// None: the node contends or transmits.
    Active,
    /// Post-backoff ends at this count of idle slots.
    Post(u64),
    /// In the list of off-grid contenders until the idle period ends.
    OffGrid,
}

/// What a node has to do to send a packet that has just arrived at its idle MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::medium::wlan) enum Access {
    /// Nothing: it contends with the remainder of its post-backoff.
    Contending,
    /// Its post-backoff is over: draw a backoff, or use [`Contention::immediate`].
    BackoffOver,
}

/// The backoff counters of all nodes in the cell.
#[derive(Debug)]
pub(in crate::medium::wlan) struct Contention {
    /// Idle slots that the nodes in the ring have counted before the present (or next) idle period.
    elapsed: u64,
    /// The boundary from which they count in this idle period: 0 after DIFS, more after EIFS.
    ring_from: u64,
    ring: SlotRing,
    off_grid: Vec<OffGrid>,
    /// The first boundary at which an off-grid contender transmits.
    first_off_grid: Option<u64>,
    /// A node that waits for DIFS only in this idle period.
    exempt: Option<NodeId>,
    idle: Vec<IdleBackoff>,
}

impl Contention {
    /// No backoff is longer than `cw_max`.
    pub(in crate::medium::wlan) fn new(nodes: usize, cw_max: u32) -> Self {
        Self {
            elapsed: 0,
            ring_from: 0,
            ring: SlotRing::new(nodes, cw_max),
            off_grid: Vec::with_capacity(nodes),
            first_off_grid: None,
            exempt: None,
            idle: vec![IdleBackoff::Post(0); nodes],
        }
    }

    /// A busy period has ended; the nodes in the ring count from boundary `ring_from` after it.
    pub(in crate::medium::wlan) fn idle(&mut self, ring_from: u64) {
        self.ring_from = ring_from;
        self.first_off_grid = None;
        self.exempt = None;
        for i in 0..self.off_grid.len() {
            self.off_grid[i].from = ring_from;
            self.expect(self.off_grid[i]);
        }
    }

    /// `node` transmitted the frame with which the busy period ended, and which no other node could
    /// decode: it counts from boundary 0. Call [`Contention::idle`] first.
    #[cold]
    pub(in crate::medium::wlan) fn exempt_from_eifs(&mut self, node: NodeId) {
        self.exempt = Some(node);
        let counting =
            |counter, has_frame| OffGrid { node, from: 0, counter, has_frame, immediate: false };
        if let IdleBackoff::Post(position) = self.idle[node.index()] {
            if position > self.elapsed {
                self.leave_grid(counting(position - self.elapsed, false));
            }
        } else if let Some(counter) = self.ring.remove(self.elapsed, node) {
            self.leave_grid(counting(counter, true));
        } else if let Some(i) = self.off_grid.iter().position(|s| s.node == node) {
            self.off_grid[i].from = 0;
            self.expect(self.off_grid[i]);
        }
    }

    /// `node` transmitted in the busy period that has just ended, and drew `backoff`; it counts
    /// from boundary `from`. Call [`Contention::idle`] first.
    #[inline(always)] // into the loop, after each success
    pub(in crate::medium::wlan) fn back_off(
        &mut self,
        node: NodeId,
        from: u64,
        backoff: u32,
        has_frame: bool,
    ) {
        // A post-backoff of 0 lasts until its boundary is reached, even if another node transmits
        // first: a packet that arrives until then uses it. Positions in the ring cannot express this.
        if from == self.ring_from && (has_frame || backoff > 0) {
            let position = self.elapsed + u64::from(backoff);
            self.join_ring(node, position, has_frame);
        } else {
            let counter = u64::from(backoff);
            self.leave_grid(OffGrid { node, from, counter, has_frame, immediate: false });
        }
    }

    /// A packet has arrived at `node`, which had none. `boundary` is the next boundary of the idle
    /// period, or `None` while the medium is busy.
    pub(in crate::medium::wlan) fn arrive(
        &mut self,
        node: NodeId,
        boundary: Option<u64>,
    ) -> Access {
        match self.idle[node.index()] {
            IdleBackoff::Post(position)
                if position > self.elapsed && position >= self.elapsed_at(boundary) =>
            {
                self.join_ring(node, position, true);
                Access::Contending
            }
            IdleBackoff::OffGrid => {
                let found = self.off_grid.iter_mut().find(|s| s.node == node);
                let off_grid = found.expect("an off-grid node is in the list");
                if boundary.is_some_and(|b| b > off_grid.from + off_grid.counter) {
                    return Access::BackoffOver;
                }
                off_grid.has_frame = true;
                let off_grid = *off_grid;
                self.expect(off_grid);
                self.idle[node.index()] = IdleBackoff::Active;
                Access::Contending
            }
            _ => Access::BackoffOver,
        }
    }

    /// `node`, whose frame arrived while the medium was busy, drew `backoff`.
    pub(in crate::medium::wlan) fn defer(&mut self, node: NodeId, backoff: u32) {
        self.join_ring(node, self.elapsed + u64::from(backoff), true);
    }

    /// `node`, whose frame arrived while the medium was idle, transmits at `boundary`, or as
    /// soon after it as its EIFS or response timeout allows.
    pub(in crate::medium::wlan) fn immediate(&mut self, node: NodeId, boundary: u64) {
        let from = boundary.max(self.silent_until(node));
        self.leave_grid(OffGrid { node, from, counter: 0, has_frame: true, immediate: true });
    }

    /// `node`, whose frame arrived while the medium was idle, counts `backoff` slots from
    /// `boundary`, or as soon after it as its EIFS or response timeout allows.
    pub(in crate::medium::wlan) fn late_backoff(
        &mut self,
        node: NodeId,
        boundary: u64,
        backoff: u32,
    ) {
        let from = boundary.max(self.silent_until(node));
        let counter = u64::from(backoff);
        self.leave_grid(OffGrid { node, from, counter, has_frame: true, immediate: false });
    }

    /// The boundary of the next access, counted from E + DIFS; `None` if no node contends.
    pub(in crate::medium::wlan) fn next_access(&self) -> Option<u64> {
        let ring = self.ring.first_after(self.elapsed).map(|slots| self.ring_from + slots);
        match (ring, self.first_off_grid) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, other) => one.or(other),
        }
    }

    /// All nodes that count down, in order of node.
    #[cold]
    pub(in crate::medium::wlan) fn counters(&self) -> Vec<Counter> {
        let on_grid = |node, slots, has_frame| Counter {
            node,
            from: self.ring_from,
            slots,
            has_frame,
            immediate: false,
        };
        let contending = self.ring.nodes(self.elapsed);
        let contending = contending.map(|(node, slots)| on_grid(node, slots, true));
        let post = (0..).map(NodeId).zip(&self.idle).filter_map(|(node, idle)| match idle {
            IdleBackoff::Post(position) if *position > self.elapsed => {
                Some(on_grid(node, position - self.elapsed, false))
            }
            _ => None,
        });
        let off_grid =
            self.off_grid.iter().map(|&OffGrid { node, from, counter, has_frame, immediate }| {
                Counter { node, from, slots: counter, has_frame, immediate }
            });
        let mut counters: Vec<_> = contending.chain(post).chain(off_grid).collect();
        counters.sort_unstable_by_key(|counter| counter.node);
        counters
    }

    /// The medium becomes busy at `boundary`, that of [`Contention::next_access`]: fills
    /// `transmitters`, in order of node, and freezes everybody else. `draw` gives the backoff of
    /// a node whose immediate access another node has preempted.
    #[inline(always)] // into the loop
    pub(in crate::medium::wlan) fn seize(
        &mut self,
        boundary: u64,
        transmitters: &mut Vec<NodeId>,
        mut draw: impl FnMut(NodeId) -> u32,
    ) {
        transmitters.clear();
        self.elapsed = self.elapsed_at(Some(boundary));
        if boundary >= self.ring_from {
            self.ring.take(self.elapsed, transmitters);
        }
        for i in 0..self.off_grid.len() {
            let s = self.off_grid[i];
            if s.has_frame && s.from + s.counter == boundary {
                self.idle[s.node.index()] = IdleBackoff::Active;
                transmitters.push(s.node);
                continue;
            }
            let counted = boundary.saturating_sub(s.from).min(s.counter);
            let left = if s.immediate { u64::from(draw(s.node)) } else { s.counter - counted };
            // A post-backoff of 0 that has not reached its boundary is not over yet.
            if s.has_frame || left > 0 || s.from <= boundary {
                self.join_ring(s.node, self.elapsed + left, s.has_frame);
            }
        }
        if !self.off_grid.is_empty() {
            let idle = &self.idle;
            self.off_grid.retain(|s| idle[s.node.index()] == IdleBackoff::OffGrid);
            self.first_off_grid = None;
        }
        if transmitters.len() > 1 {
            transmitters.sort_unstable();
        }
    }

    /// Idle slots that the nodes in the ring have counted by `boundary` of this idle period.
    fn elapsed_at(&self, boundary: Option<u64>) -> u64 {
        self.elapsed + boundary.map_or(0, |b| b.saturating_sub(self.ring_from))
    }

    /// The boundary until which `node`, whose backoff is over, has to be silent in this idle
    /// period. Its response timeout if it has just transmitted: it is then removed from the off-grid contenders.
    fn silent_until(&mut self, node: NodeId) -> u64 {
        if self.idle[node.index()] == IdleBackoff::OffGrid
            && let Some(i) = self.off_grid.iter().position(|s| s.node == node)
        {
            return self.off_grid.swap_remove(i).from;
        }
        if self.exempt == Some(node) { 0 } else { self.ring_from }
    }

    fn join_ring(&mut self, node: NodeId, position: u64, has_frame: bool) {
        if has_frame {
            self.idle[node.index()] = IdleBackoff::Active;
            self.ring.join(position, node);
        } else {
            self.idle[node.index()] = IdleBackoff::Post(position);
        }
    }

    fn leave_grid(&mut self, off_grid: OffGrid) {
        self.idle[off_grid.node.index()] =
            if off_grid.has_frame { IdleBackoff::Active } else { IdleBackoff::OffGrid };
        self.expect(off_grid);
        self.off_grid.push(off_grid);
    }

    /// Keeps `first_off_grid` up to date with one that may transmit.
    fn expect(&mut self, off_grid: OffGrid) {
        if off_grid.has_frame {
            let at = off_grid.from + off_grid.counter;
            self.first_off_grid = Some(self.first_off_grid.map_or(at, |first| first.min(at)));
        }
    }
}
