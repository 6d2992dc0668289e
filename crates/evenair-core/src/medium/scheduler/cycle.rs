//! Stations that are visited in cyclic order.

/// The stations that wait, and one of them.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    stations: Vec<State>,
    at: usize,
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
        Self { stations: vec![State::Idle; stations], at: 0 }
    }

    /// `station` waits.
    #[inline(always)]
    pub(super) fn add(&mut self, station: usize) {
        if self.stations[station] == State::Idle {
            self.stations[station] = State::Waits;
        }
    }

    /// Goes to the first station that waits, from the present one on.
    pub(super) fn find(&mut self) -> Option<usize> {
        let waits = |state: &State| *state == State::Waits;
        let (before, behind) = self.stations.split_at(self.at);
        let found = behind.iter().position(waits).map(|place| self.at + place);
        let found = found.or_else(|| before.iter().position(waits));
        self.at = found.unwrap_or(self.at);
        found
    }

    /// Goes on to the next station, and returns it.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> usize {
        self.at = if self.at + 1 == self.stations.len() { 0 } else { self.at + 1 };
        self.at
    }

    /// The present station no longer waits; goes on.
    pub(super) fn remove(&mut self) {
        self.stations[self.at] = State::Idle;
        self.advance();
    }

    /// Passes over the present station, and returns it; goes on.
    pub(super) fn pass_over(&mut self) -> usize {
        let station = self.at;
        self.stations[station] = State::PassedOver;
        self.advance();
        station
    }

    /// A round begins with station `first`.
    pub(super) fn restart(&mut self, first: usize) {
        self.at = first;
        for state in &mut self.stations {
            if *state == State::PassedOver {
                *state = State::Waits;
            }
        }
    }
}
