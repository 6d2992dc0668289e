//! When each part of the world outside of a cell is due: wired links and timers.
//!
//! A part has a slot, and its slot a time, which may be earlier than there is anything to do: the part then
//! sets another one. So a deadline that is postponed, as TCP postpones most, costs a comparison. The
//! cell has no slot: it proceeds by itself until the first time in the agenda, and comes last at equal
//! times, so that what arrives at a slot boundary can still use it.

use evenair_core::time::Instant;
use evenair_core::tournament::Tournament;

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
        Self { links: Tournament::new(links as u32), timers: Tournament::default() }
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

#[cfg(test)]
mod tests {
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
}
