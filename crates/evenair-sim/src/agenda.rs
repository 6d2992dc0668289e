//! When each part of the world outside of a cell is due: wired links and timers.
//!
//! A part has a slot, and its slot a time, which may be earlier than there is anything to do: the part then
//! sets another one. So a deadline that is postponed, as TCP postpones most, costs a comparison. The
//! cell has no slot: it proceeds by itself until the first time in the agenda, and comes last at equal
//! times, so that what arrives at a slot boundary can still use it.

use evenair_core::time::Instant;

/// The times of links and timers. At equal times links come before timers, and of either the one that was
/// added first.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    links: Tournament,
    timers: Tournament,
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// A direction of a wired link, by its index.
    Link(u32),
    /// A timer.
    Timer(Timer),
}

/// A timer of whoever drives the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timer(pub(crate) u32);

impl Agenda {
    /// An agenda of this many links, none of which is due.
    pub(crate) fn new(links: usize) -> Self {
        let mut agenda = Self::default();
        for _ in 0..links {
            agenda.links.add();
        }
        agenda
    }

    /// Another timer, which is not armed.
    pub(crate) fn add_timer(&mut self) -> Timer {
        Timer(self.timers.add())
    }

    /// What is due first; anything if nothing is.
    #[inline(always)]
    pub(crate) fn first(&self) -> Due {
        if self.links.first_at() <= self.timers.first_at() {
            Due::Link(self.links.first_slot())
        } else {
            Due::Timer(Timer(self.timers.first_slot()))
        }
    }

    /// When it is due; [`Instant::NEVER`] if nothing is.
    #[inline(always)]
    pub(crate) fn first_at(&self) -> Instant {
        self.links.first_at().min(self.timers.first_at())
    }

    /// When `link` is due.
    #[inline(always)]
    pub(crate) fn link(&self, link: u32) -> Instant {
        self.links.at(link)
    }

    /// `link` is due at this time.
    #[inline(always)]
    pub(crate) fn set_link(&mut self, link: u32, at: Instant) {
        self.links.set(link, at);
    }

    /// `timer` expires at `deadline` or earlier.
    #[inline(always)]
    pub(crate) fn arm(&mut self, timer: Timer, deadline: Instant) {
        if deadline < self.timers.at(timer.0) {
            self.timers.set(timer.0, deadline);
        }
    }

    /// The first timer, and when it expires.
    pub(crate) fn first_timer(&self) -> (Instant, Timer) {
        (self.timers.first_at(), Timer(self.timers.first_slot()))
    }

    /// `timer`, which has expired, expires next at this time.
    #[inline(always)]
    pub(crate) fn set_timer(&mut self, timer: Timer, at: Instant) {
        self.timers.set(timer.0, at);
    }
}

/// Times of which the first is known: each inner node of a binary tree has the earlier of the times of its two
/// children.
#[derive(Debug)]
pub(crate) struct Tournament {
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
    /// Another slot, whose time is [`Instant::NEVER`].
    pub(crate) fn add(&mut self) -> u32 {
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
    pub(crate) fn first_at(&self) -> Instant {
        self.first
    }

    /// The first slot that has this time; any slot if it is [`Instant::NEVER`].
    #[inline(always)]
    pub(crate) fn first_slot(&self) -> u32 {
        let mut node = 1;
        while node < self.leaves() {
            node *= 2;
            node += usize::from(self.times[node] > self.first);
        }
        (node - self.leaves()) as u32
    }

    #[inline(always)]
    fn at(&self, slot: u32) -> Instant {
        self.times[self.leaves() + slot as usize]
    }

    /// The time of `slot` is `at` from now on.
    #[inline(always)]
    pub(crate) fn set(&mut self, slot: u32, mut at: Instant) {
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

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    #[test]
    fn links_go_before_timers_and_both_in_their_order() {
        let mut agenda = Agenda::new(3);
        assert_eq!(agenda.first_at(), Instant::NEVER);
        let first = |agenda: &Agenda| (agenda.first_at(), agenda.first());
        let timers = [agenda.add_timer(), agenda.add_timer()];
        agenda.arm(timers[1], at(5));
        agenda.arm(timers[0], at(5));
        assert_eq!(first(&agenda), (at(5), Due::Timer(timers[0])));
        agenda.set_link(2, at(5));
        assert_eq!(first(&agenda), (at(5), Due::Link(2)));
        agenda.set_link(1, at(5));
        assert_eq!(first(&agenda), (at(5), Due::Link(1)));
        agenda.set_link(1, at(6));
        agenda.set_link(2, Instant::NEVER);
        agenda.set_timer(timers[0], Instant::NEVER);
        assert_eq!(first(&agenda), (at(5), Due::Timer(timers[1])));
        agenda.arm(timers[1], at(9));
        assert_eq!(agenda.first_at(), at(5), "a later deadline does not postpone a timer");
        agenda.arm(timers[1], at(3));
        assert_eq!(agenda.first_at(), at(3));
    }

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
                times[slot] = if time == 0 { Instant::NEVER } else { at(time) };
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
