//! Timers that are re-armed lazily.
//!
//! TCP postpones most deadlines before they expire. A timer therefore keeps one entry in the heap,
//! which may be earlier than its deadline: when the entry expires, the owner compares the deadline
//! and arms the timer again. Postponing a deadline costs a comparison, and nothing is removed from
//! the heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use evenair_core::time::Instant;

/// A fixed set of timers, identified by index.
#[derive(Debug)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<Entry>>,
    /// The time of each timer's valid entry, or [`Instant::NEVER`]. Its other entries are stale.
    armed: Vec<Instant>,
    /// The time of the earliest entry.
    next: Instant,
}

/// A time (upper bits) and a timer (lower bits) as one integer, which is compared without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u128);

impl Entry {
    fn new(at: Instant, timer: u32) -> Self {
        Self(u128::from(at.as_nanos()) << u32::BITS | u128::from(timer))
    }

    fn at(self) -> Instant {
        Instant::from_nanos((self.0 >> u32::BITS) as u64)
    }

    fn timer(self) -> u32 {
        self.0 as u32
    }
}

impl Timers {
    /// Creates `count` timers, none armed.
    pub(crate) fn new(count: usize) -> Self {
        let heap = BinaryHeap::with_capacity(2 * count);
        Self { heap, armed: vec![Instant::NEVER; count], next: Instant::NEVER }
    }

    /// Ensures that `timer` expires at `deadline` or earlier.
    #[inline] // into the loop, whatever the unit of compilation
    pub(crate) fn arm(&mut self, timer: u32, deadline: Instant) {
        let armed = &mut self.armed[timer as usize];
        if deadline < *armed {
            *armed = deadline;
            self.next = self.next.min(deadline);
            self.heap.push(Reverse(Entry::new(deadline, timer)));
        }
    }

    /// The time of the earliest entry: when [`Timers::pop`] is to be called next.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// The timer of that entry.
    pub(crate) fn first(&self) -> Option<u32> {
        self.heap.peek().map(|Reverse(entry)| entry.timer())
    }

    /// Removes the earliest entry. Returns its timer, which is then disarmed, or `None` if the
    /// entry is stale.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let Reverse(entry) = self.heap.pop()?;
        self.next = self.heap.peek().map_or(Instant::NEVER, |Reverse(next)| next.at());
        let armed = &mut self.armed[entry.timer() as usize];
        if *armed != entry.at() {
            return None;
        }
        *armed = Instant::NEVER;
        Some(entry.timer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_deadline_counts_and_the_later_entry_is_stale() {
        let at = Instant::from_nanos;
        let mut timers = Timers::new(2);
        timers.arm(0, at(10));
        timers.arm(1, at(7));
        timers.arm(0, at(5));
        timers.arm(0, at(20));
        assert_eq!((timers.next(), timers.pop()), (at(5), Some(0)));
        assert_eq!((timers.next(), timers.pop()), (at(7), Some(1)));
        assert_eq!((timers.next(), timers.pop()), (at(10), None));
        assert_eq!((timers.next(), timers.pop()), (Instant::NEVER, None));
    }
}
