//! Who transmits next: backoff counters on a virtual slot clock.
//!
//! Backoff counters run down in idle slots only. [`Contention`] therefore counts the idle slots since
//! the start of the run, and keeps for each contender the count at which it will transmit. A frozen
//! counter costs nothing, and the cost of adding a contender or of finding the next access does not
//! depend on their number.
//!
//! **Slots.** After each busy period that ends at E the slot boundaries of the DCF lie at E + DIFS + k
//! slots (IEEE 802.11-2007 9.2.10 and figure 9-14: all timing is relative to the end of the last activity).
//! All nodes act at these boundaries: a deferral that is longer than DIFS (EIFS, a response timeout),
//! or a packet that arrives between two boundaries, counts from the next one. Nodes that choose the
//! same boundary collide. A node that would start one slot later has sensed the first, since a slot
//! consists of CCA time, turnaround, propagation and processing.
//!
//! **Classes.** The AIFS of a contender is SIFS + AIFSN slots (802.11-2020 10.3.7, 10.23.2.4; DIFS has AIFSN 2).
//! So the boundaries of all contenders lie on one grid. Here they are counted from that of the smallest AIFSN.
//! Contenders of the same AIFSN are a *class*, which has a slot clock of its own.
//!
//! **When a frozen counter is decremented** depends on the [`CounterRule`]. In the DCF (9.2.5.2) it is at the end
//! of a slot during which the medium was idle. The slot in which another node transmits is not idle and does not
//! count. After the busy period and a DIFS the counter continues from its value, which is at least 1. **Slot 0
//! after a busy period** can hence be used only by a node that draws 0 (it has just transmitted, its packet
//! arrived during the busy period, or another node preempted its immediate access), or by one whose packet
//! arrived after the medium became idle (immediate access). Models in which a busy slot counts
//! (Bianchi 2000) differ by 1 to 2% in throughput.

mod backoff;
mod class;
mod contender;
mod counters;
pub(in crate::medium::wlan) mod internal;
mod rule;
mod slot_ring;
#[cfg(test)]
mod tests;

pub(in crate::medium::wlan) use backoff::Backoff;
pub(in crate::medium::wlan) use contender::ContenderId;
pub(in crate::medium::wlan) use counters::Counter;
pub(in crate::medium::wlan) use rule::{AllBoundaries, IdleSlots};

use std::marker::PhantomData;

use class::Class;
use rule::CounterRule;
use slot_ring::LONGEST_BACKOFF;

/// No boundary.
const NEVER: u64 = u64::MAX;
/// The first boundary of a class without contenders. Those with contenders come before it.
const UNUSED: u64 = NEVER / 2;

/// An off-grid contender: in this idle period its counter starts at another boundary than those in the
/// slot ring of its class, because it has just collided or its packet has just arrived.
#[derive(Clone, Copy, Debug)]
struct OffGrid {
    id: ContenderId,
    /// The boundary from which its counter runs.
    from: u64,
    /// Slots left to count.
    counter: u64,
    has_frame: bool,
    /// It transmits without a backoff.
    immediate: bool,
}

/// What a contender does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It contends or transmits.
    Active,
    /// It has no frame. Its post-backoff ends at this count of slots of its class.
    Post(u64),
    /// It has no frame, and is in the list of off-grid contenders until the idle period ends.
    OffGrid,
}

#[derive(Clone, Copy, Debug)]
struct Contender {
    state: State,
    class: u8,
}

/// What a contender has to do to send a packet that has just arrived when it had none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::medium::wlan) enum Access {
    /// Nothing: it contends with the remainder of its post-backoff.
    Contending,
    /// Its post-backoff is over: draw a backoff, or use [`Contention::immediate`].
    BackoffOver,
}

/// The backoff counters of all contenders in the cell, which have `CLASSES` different AIFS.
#[derive(Debug)]
pub(in crate::medium::wlan) struct Contention<R, const CLASSES: usize> {
    classes: [Class; CLASSES],
    contenders: Vec<Contender>,
    off_grid: Vec<OffGrid>,
    /// The first boundary at which an off-grid contender transmits, or `NEVER`.
    first_off_grid: u64,
    /// Contenders that do not count from the boundary of their class in this idle period, and theirs.
    exempt: Vec<(ContenderId, u64)>,
    rule: PhantomData<R>,
}

impl<R: CounterRule, const CLASSES: usize> Contention<R, CLASSES> {
    /// `aifsn` are those of the classes, and `classes` the class of each contender. No backoff is longer than
    /// `cw_max`.
    ///
    /// # Panics
    ///
    /// If `cw_max` is larger than 1023.
    pub(in crate::medium::wlan) fn new(
        aifsn: [u32; CLASSES],
        classes: impl IntoIterator<Item = u8>,
        cw_max: u32,
    ) -> Self {
        assert!(cw_max <= LONGEST_BACKOFF, "CWmax is {cw_max}, more than {LONGEST_BACKOFF}");
        let contender = |class| Contender { state: State::Post(0), class };
        let contenders: Vec<_> = classes.into_iter().map(contender).collect();
        let smallest = aifsn.into_iter().min().unwrap_or(0);
        let mut classes = aifsn.map(|aifsn| {
            Class::new(u64::from(aifsn - smallest), R::BUSY_BOUNDARY, contenders.len())
        });
        if CLASSES > 1 {
            let used = contenders.iter().map(|contender| usize::from(contender.class) + 1);
            let used = used.max().unwrap_or(0);
            classes[used..].iter_mut().for_each(|class| class.first = UNUSED);
        }
        Self {
            classes,
            off_grid: Vec::with_capacity(contenders.len()),
            contenders,
            first_off_grid: NEVER,
            exempt: Vec::new(),
            rule: PhantomData,
        }
    }

    /// Those of `class` count idle slots only, as in the DCF, whatever the rule of the others is.
    #[must_use]
    pub(in crate::medium::wlan) fn with_idle_slots(mut self, class: u8) -> Self {
        self.classes[usize::from(class)].busy_boundary = IdleSlots::BUSY_BOUNDARY;
        self
    }

    /// A busy period has ended. The contenders in the rings count from their AIFS and `deferral` slots on.
    #[inline(always)]
    pub(in crate::medium::wlan) fn idle(&mut self, deferral: u64) {
        for class in &mut self.classes {
            if Self::is_unused(class) {
                break;
            }
            class.from = class.first + deferral;
        }
        self.exempt.clear();
        self.first_off_grid = NEVER;
        // Their post-backoffs of 0 have lasted; some have a frame by now.
        for i in 0..self.off_grid.len() {
            self.off_grid[i].from = self.classes[self.class(self.off_grid[i].id)].from;
            self.expect(self.off_grid[i]);
        }
    }

    /// `id` has another deferral than [`Contention::idle`] has given to all: its node transmitted the frame with
    /// which the busy period ended, and which no other node could decode.
    #[cold]
    pub(in crate::medium::wlan) fn exempt(&mut self, id: ContenderId, deferral: u64) {
        let from = self.first(id) + deferral;
        self.exempt.push((id, from));
        let counting =
            |counter, has_frame| OffGrid { id, from, counter, has_frame, immediate: false };
        let class = self.class(id);
        let class = &mut self.classes[class];
        if let State::Post(position) = self.contenders[id.index()].state {
            if position > class.elapsed {
                let counter = position - class.elapsed;
                self.leave_grid(counting(counter, false));
            }
        } else if let Some(counter) = class.ring.remove(class.elapsed, id) {
            self.leave_grid(counting(counter, true));
        } else if let Some(i) = self.off_grid.iter().position(|s| s.id == id) {
            self.off_grid[i].from = from;
            self.first_off_grid = NEVER;
            (0..self.off_grid.len()).for_each(|i| self.expect(self.off_grid[i]));
        }
    }

    /// `id` transmitted in the busy period that has just ended, and drew `backoff`; it counts
    /// from its AIFS and `deferral` slots on. Call [`Contention::idle`] first.
    #[inline(always)] // into the loop, after each success
    pub(in crate::medium::wlan) fn back_off(
        &mut self,
        id: ContenderId,
        deferral: u64,
        backoff: u32,
        has_frame: bool,
    ) {
        let from = self.first(id) + deferral;
        // A post-backoff of 0 may last until its boundary is reached, even if another node transmits
        // first: a packet that arrives until then uses it. Positions in the ring cannot express this.
        let lasts = !R::ZERO_IS_NONE && !has_frame && backoff == 0;
        if from == self.classes[self.class(id)].from && !lasts {
            self.join_ring(id, u64::from(backoff), has_frame);
        } else {
            let counter = u64::from(backoff);
            self.leave_grid(OffGrid { id, from, counter, has_frame, immediate: false });
        }
    }

    /// A packet has arrived at `id`, which had none. `boundary` is the next boundary of the idle
    /// period, or `None` while the medium is busy.
    pub(in crate::medium::wlan) fn arrive(
        &mut self,
        id: ContenderId,
        boundary: Option<u64>,
    ) -> Access {
        let class = &self.classes[self.class(id)];
        match self.contenders[id.index()].state {
            State::Post(position)
                if position > class.elapsed && position >= class.elapsed_at(boundary) =>
            {
                let slots = position - class.elapsed;
                self.contenders[id.index()].state = State::Active;
                self.join_ring(id, slots, true);
                Access::Contending
            }
            State::OffGrid => {
                let found = self.off_grid.iter_mut().find(|s| s.id == id);
                let off_grid = found.expect("an off-grid contender is in the list");
                if boundary.is_some_and(|b| b > off_grid.from + off_grid.counter) {
                    return Access::BackoffOver;
                }
                off_grid.has_frame = true;
                let off_grid = *off_grid;
                self.expect(off_grid);
                self.contenders[id.index()].state = State::Active;
                Access::Contending
            }
            _ => Access::BackoffOver,
        }
    }

    /// `id`, whose frame arrived while the medium was busy, or which has collided internally, drew `backoff`.
    pub(in crate::medium::wlan) fn defer(&mut self, id: ContenderId, backoff: u32) {
        self.contenders[id.index()].state = State::Active;
        self.join_ring(id, u64::from(backoff), true);
    }

    /// `id`, whose frame arrived while the medium was idle, transmits at `boundary`, or as
    /// soon after it as its AIFS, EIFS or response timeout allows.
    pub(in crate::medium::wlan) fn immediate(&mut self, id: ContenderId, boundary: u64) {
        let from = boundary.max(self.silent_until(id));
        self.leave_grid(OffGrid { id, from, counter: 0, has_frame: true, immediate: true });
    }

    /// `id`, whose frame arrived while the medium was idle, counts `backoff` slots from
    /// `boundary`, or as soon after it as its AIFS, EIFS or response timeout allows.
    pub(in crate::medium::wlan) fn late_backoff(
        &mut self,
        id: ContenderId,
        boundary: u64,
        backoff: u32,
    ) {
        let from = boundary.max(self.silent_until(id));
        let counter = u64::from(backoff);
        self.leave_grid(OffGrid { id, from, counter, has_frame: true, immediate: false });
    }

    /// The boundary of the next access; `None` if nobody contends.
    #[inline(always)]
    pub(in crate::medium::wlan) fn next_access(&self) -> Option<u64> {
        let mut next = self.first_off_grid;
        for class in &self.classes {
            if Self::is_unused(class) {
                break;
            }
            next = next.min(class.next_access().unwrap_or(NEVER));
        }
        (next != NEVER).then_some(next)
    }

    /// The medium becomes busy at `boundary`, that of [`Contention::next_access`]: passes those that
    /// transmit to `transmit`, in no order, and freezes everybody else. `draw` gives the backoff of
    /// a contender whose immediate access another one has preempted.
    #[inline(always)] // into the loop
    pub(in crate::medium::wlan) fn seize(
        &mut self,
        boundary: u64,
        mut transmit: impl FnMut(ContenderId),
        draw: impl FnMut(ContenderId) -> u32,
    ) {
        for class in &mut self.classes {
            if Self::is_unused(class) {
                break;
            }
            class.seize(boundary, Self::busy_boundary(class), &mut transmit);
        }
        if !self.off_grid.is_empty() {
            self.seize_off_grid(boundary, transmit, draw);
        }
    }

    /// As [`Contention::seize`], of the off-grid contenders. Those that do not transmit join the rings.
    fn seize_off_grid(
        &mut self,
        boundary: u64,
        mut transmit: impl FnMut(ContenderId),
        mut draw: impl FnMut(ContenderId) -> u32,
    ) {
        let mut off_grid = std::mem::take(&mut self.off_grid);
        off_grid.retain(|s| {
            if s.has_frame && s.from + s.counter == boundary {
                transmit(s.id);
                return false;
            }
            let busy_boundary = Self::busy_boundary(&self.classes[self.class(s.id)]);
            let counted = (boundary + busy_boundary).saturating_sub(s.from).min(s.counter);
            let draws = s.immediate && !R::ZERO_IS_NONE;
            let left = if draws { u64::from(draw(s.id)) } else { s.counter - counted };
            // A post-backoff of 0 that has not reached its boundary may not be over yet.
            let lasts = !R::ZERO_IS_NONE && !s.has_frame && left == 0 && s.from > boundary;
            if !lasts {
                self.join_ring(s.id, left, s.has_frame);
            }
            lasts
        });
        self.off_grid = off_grid;
    }

    /// Whether `class` and those behind it have no contenders.
    #[inline(always)]
    const fn is_unused(class: &Class) -> bool {
        CLASSES > 1 && class.first == UNUSED
    }

    /// Slots that those of `class` count at a boundary at which another one transmits.
    #[inline(always)]
    const fn busy_boundary(class: &Class) -> u64 {
        if CLASSES == 1 { R::BUSY_BOUNDARY } else { class.busy_boundary }
    }

    /// The class of `id`.
    #[inline(always)]
    fn class(&self, id: ContenderId) -> usize {
        if CLASSES == 1 { 0 } else { usize::from(self.contenders[id.index()].class) }
    }

    /// The boundary of its AIFS.
    #[inline(always)]
    fn first(&self, id: ContenderId) -> u64 {
        if CLASSES == 1 { 0 } else { self.classes[self.class(id)].first }
    }

    /// The boundary until which `id`, whose backoff is over, has to be silent in this idle
    /// period. Its response timeout if it has just transmitted: it is then removed from the off-grid contenders.
    fn silent_until(&mut self, id: ContenderId) -> u64 {
        if self.contenders[id.index()].state == State::OffGrid
            && let Some(i) = self.off_grid.iter().position(|s| s.id == id)
        {
            return self.off_grid.swap_remove(i).from;
        }
        let exempt = self.exempt.iter().find(|&&(other, _)| other == id);
        exempt.map_or(self.classes[self.class(id)].from, |&(_, from)| from)
    }

    /// `id`, which is active if it has a frame, is to count `slots` with its class.
    #[inline(always)]
    fn join_ring(&mut self, id: ContenderId, slots: u64, has_frame: bool) {
        let class = self.class(id);
        let class = &mut self.classes[class];
        let position = class.elapsed + slots;
        if has_frame {
            class.ring.join(position, id);
        } else {
            self.contenders[id.index()].state = State::Post(position);
        }
    }

    fn leave_grid(&mut self, off_grid: OffGrid) {
        self.contenders[off_grid.id.index()].state =
            if off_grid.has_frame { State::Active } else { State::OffGrid };
        self.expect(off_grid);
        self.off_grid.push(off_grid);
    }

    /// Keeps `first_off_grid` up to date with one that may transmit.
    fn expect(&mut self, off_grid: OffGrid) {
        if off_grid.has_frame {
            self.first_off_grid = self.first_off_grid.min(off_grid.from + off_grid.counter);
        }
    }
}
