//! Stations that are visited in cyclic order.

/// The stations that wait, and one of them.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    stations: Vec<State>,
    at: usize,
    /// How many wait and may be visited, and how many were passed over.
    waiting: usize,
    passed_over: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Waits,
    /// It waits, and is not visited again before the next round.
    PassedOver,
}

impl Cycle {
    /// None of these waits. The first round begins with the first.
    pub(super) fn new(stations: usize) -> Self {
        Self { stations: vec![State::Idle; stations], at: 0, waiting: 0, passed_over: 0 }
    }

    /// `station` waits.
    #[inline(always)]
    pub(super) fn add(&mut self, station: usize) {
        if self.stations[station] == State::Idle {
            self.stations[station] = State::Waits;
            self.waiting += 1;
        }
    }

    /// Goes to the first station that waits, from the present one on.
    #[inline(always)]
    pub(super) fn find(&mut self) -> Option<usize> {
        if self.waiting == 0 {
            return None;
        }
        while self.stations[self.at] != State::Waits {
            self.advance();
        }
        Some(self.at)
    }

    /// The present station.
    #[inline(always)]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The station after the present one.
    #[inline(always)]
    pub(super) fn next(&self) -> usize {
        if self.at + 1 == self.stations.len() { 0 } else { self.at + 1 }
    }

    /// Goes on to the next station.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        self.at = self.next();
    }

    /// The present station no longer waits; goes on.
    #[inline(always)]
    pub(super) fn remove(&mut self) {
        self.stations[self.at] = State::Idle;
        self.waiting -= 1;
        self.advance();
    }

    /// Passes over the present station; goes on.
    #[inline(always)]
    pub(super) fn pass_over(&mut self) {
        self.stations[self.at] = State::PassedOver;
        self.waiting -= 1;
        self.passed_over += 1;
        self.advance();
    }

    /// A round begins with station `first`.
    pub(super) fn restart(&mut self, first: usize) {
        self.at = first;
        if self.passed_over == 0 {
            return;
        }
        self.waiting += self.passed_over;
        self.passed_over = 0;
        for state in &mut self.stations {
            if *state == State::PassedOver {
                *state = State::Waits;
            }
        }
    }
}
