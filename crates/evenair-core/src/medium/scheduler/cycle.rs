//! Stations that are visited in cyclic order.

/// The stations that wait, and one of them.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    /// [`IDLE`], [`WAITS`], or the round in which it was passed over: until the next one it is not visited.
    stations: Vec<u64>,
    at: usize,
    /// The number of this round, above [`WAITS`].
    round: u64,
    /// How many wait and may be visited, and how many were passed over.
    waiting: usize,
    passed_over: usize,
}

/// The station does not wait.
const IDLE: u64 = 0;
/// It waits, and was not passed over since it began to.
const WAITS: u64 = 1;

impl Cycle {
    /// None of these waits. The first round begins with the first.
    pub(super) fn new(stations: usize) -> Self {
        Self { stations: vec![IDLE; stations], at: 0, round: WAITS + 1, waiting: 0, passed_over: 0 }
    }

    /// `station` waits.
    #[inline(always)]
    pub(super) fn add(&mut self, station: usize) {
        if self.stations[station] == IDLE {
            self.stations[station] = WAITS;
            self.waiting += 1;
        }
    }

    /// Goes to the first station that waits, from the present one on.
    #[inline(always)]
    pub(super) fn find(&mut self) -> Option<usize> {
        if self.waiting == 0 {
            return None;
        }
        while matches!(self.stations[self.at], state if state == IDLE || state == self.round) {
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
        self.stations[self.at] = IDLE;
        self.waiting -= 1;
        self.advance();
    }

    /// Passes over the present station; goes on.
    #[inline(always)]
    pub(super) fn pass_over(&mut self) {
        self.stations[self.at] = self.round;
        self.waiting -= 1;
        self.passed_over += 1;
        self.advance();
    }

    /// A round begins with station `first`.
    #[inline(always)]
    pub(super) fn restart(&mut self, first: usize) {
        self.at = first;
        self.round += 1;
        self.waiting += self.passed_over;
        self.passed_over = 0;
    }
}
