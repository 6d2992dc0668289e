//! The time that a controller looks back on.

use std::collections::VecDeque;

use crate::component::named;
use crate::time::{Duration, Instant};

named! {
    /// When observation slots of `n` beacon intervals end.
    pub enum Slots {
        /// At every n-th beacon: they follow each other.
        #[default]
        Disjoint => "disjoint",
        /// At every beacon: they overlap.
        Sliding => "sliding",
    }
    planned []
}

/// The last `n` beacon intervals. It keeps what was counted at each beacon, so that differences of
/// counters give what happened since.
#[derive(Clone, Debug)]
pub struct ObservationSlot<T> {
    intervals: usize,
    slots: Slots,
    /// Those of the last `intervals` beacons, oldest first.
    counted: VecDeque<(Instant, T)>,
}

impl<T> ObservationSlot<T> {
    /// Slots of this many beacon intervals, before the first beacon.
    pub fn new(intervals: usize, slots: Slots) -> Self {
        Self { intervals, slots, counted: VecDeque::with_capacity(intervals + 1) }
    }

    /// At a beacon: counters have these values `now`. Returns the length of the slot that ends, and
    /// what had been counted at its start; `None` if no slot ends.
    pub fn advance(&mut self, now: Instant, counters: T) -> Option<(Duration, T)> {
        self.counted.push_back((now, counters));
        if self.counted.len() <= self.intervals {
            return None;
        }
        let (start, counters) = self.counted.pop_front()?;
        if self.slots == Slots::Disjoint {
            self.counted.drain(..self.intervals - 1);
        }
        Some((now.since(start), counters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// By hand: of beacons at 100, 200, 300, 450 and 500 ms, three intervals end at the fourth and at
    /// the fifth.
    #[test]
    fn a_slot_spans_the_last_intervals() {
        let mut slot = ObservationSlot::new(3, Slots::Sliding);
        for (at, counters) in [(100, 'a'), (200, 'b'), (300, 'c')] {
            assert_eq!(slot.advance(ms(at), counters), None);
        }
        assert_eq!(slot.advance(ms(450), 'd'), Some((Duration::from_millis(350), 'a')));
        assert_eq!(slot.advance(ms(500), 'e'), Some((Duration::from_millis(300), 'b')));
    }

    /// By hand: of beacons every 100 ms those of number 2 and 4, counted from 0, end slots of two
    /// intervals.
    #[test]
    fn disjoint_slots_follow_each_other() {
        let mut slot = ObservationSlot::new(2, Slots::Disjoint);
        let ends: Vec<_> = (0..6).map(|i| slot.advance(ms(100 * i), i)).collect();
        let slot = |start| Some((Duration::from_millis(200), start));
        assert_eq!(ends, [None, None, slot(0), None, slot(2), None]);
    }
}
