//! Timers: what is due when, without ever cancelling anything.
//!
//! TCP moves most deadlines before they are reached. So a timer keeps one entry in the heap, which
//! may be too early: when it comes up the owner looks at its real deadline and arms the timer
//! again. Moving a deadline back and forth costs a comparison.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use evenair_core::time::Instant;

/// A fixed set of timers, named by their index.
#[derive(Debug)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<Entry>>,
    /// The entry of each timer that counts; earlier or later ones are stale.
    armed: Vec<Instant>,
}

/// A moment and a timer, in this order, as one number, which a heap compares without a branch.
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
    /// `count` timers, none armed.
    pub(crate) fn new(count: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(2 * count), armed: vec![Instant::NEVER; count] }
    }

    /// Makes sure that `timer` comes up at `deadline` or before.
    pub(crate) fn arm(&mut self, timer: u32, deadline: Instant) {
        let armed = &mut self.armed[timer as usize];
        if deadline < *armed {
            *armed = deadline;
            self.heap.push(Reverse(Entry::new(deadline, timer)));
        }
    }

    /// When [`Timers::pop`] is to be called next.
    pub(crate) fn next(&self) -> Instant {
        self.heap.peek().map_or(Instant::NEVER, |Reverse(entry)| entry.at())
    }

    /// The timer that comes up next, which is then no longer armed; `None` for a stale entry.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let Reverse(entry) = self.heap.pop()?;
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
