//! When each of many things is due, and which is first.

use crate::time::Instant;

/// Times of which the first is known: each inner node of a binary tree has the earlier of the times of its two
/// children.
#[derive(Debug)]
pub struct Tournament {
    /// The time of the root.
    first: Instant,
    /// By node. The root is node 1, the children of `i` are `2 i` and `2 i + 1`, and the second half are leaves, one
    /// for each slot.
    times: Vec<Instant>,
    slots: u32,
}

impl Default for Tournament {
    fn default() -> Self {
        Self { first: Instant::NEVER, times: Vec::new(), slots: 0 }
    }
}

impl Tournament {
    /// This many slots, whose times are [`Instant::NEVER`].
    pub fn new(slots: u32) -> Self {
        let mut tournament = Self::default();
        for _ in 0..slots {
            tournament.add();
        }
        tournament
    }

    /// The number of slots.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Another slot, whose time is [`Instant::NEVER`].
    pub fn add(&mut self) -> u32 {
        let slots = self.slots;
        if slots as usize == self.leaves() {
            let leaves = self.times.split_off(self.leaves());
            self.times = vec![Instant::NEVER; (4 * leaves.len()).max(4)];
            (0..).zip(leaves).for_each(|(slot, at)| self.set(slot, at));
        }
        self.slots += 1;
        slots
    }

    /// The first of all times.
    #[inline(always)]
    pub fn first_at(&self) -> Instant {
        self.first
    }

    /// The first slot that has this time; any slot if it is [`Instant::NEVER`].
    #[inline(always)]
    pub fn first_slot(&self) -> u32 {
        let mut node = 1;
        while node < self.leaves() {
            node *= 2;
            node += usize::from(self.times[node] > self.first);
        }
        (node - self.leaves()) as u32
    }

    /// The time of `slot`.
    #[inline(always)]
    pub fn at(&self, slot: u32) -> Instant {
        self.times[self.leaves() + slot as usize]
    }

    /// The time of `slot` is `at` from now on.
    #[inline(always)]
    pub fn set(&mut self, slot: u32, mut at: Instant) {
        let mut node = self.leaves() + slot as usize;
        while node > 1 {
            if self.times[node] == at {
                return;
            }
            self.times[node] = at;
            at = at.min(self.times[node ^ 1]);
            node /= 2;
        }
        self.first = at;
    }

    fn leaves(&self) -> usize {
        self.times.len() / 2
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(evenair_testing::config!(500))]

        /// The first is that of a scan, whatever the number of slots.
        #[test]
        fn the_first_is_that_of_a_scan(
            slots in 1_usize..40,
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0_u64..20), 1..200),
        ) {
            let mut tournament = Tournament::default();
            let mut times = vec![Instant::NEVER; slots];
            for slot in 0..slots {
                prop_assert_eq!(tournament.add() as usize, slot);
            }
            for (slot, time) in changes {
                let slot = slot.index(slots);
                times[slot] = if time == 0 { Instant::NEVER } else { Instant::from_nanos(time) };
                tournament.set(slot as u32, times[slot]);
                let first = (0..slots).min_by_key(|&slot| (times[slot], slot)).unwrap();
                prop_assert_eq!(tournament.first_at(), times[first]);
                if times[first] != Instant::NEVER {
                    prop_assert_eq!(tournament.first_slot() as usize, first);
                }
            }
        }
    }
}
