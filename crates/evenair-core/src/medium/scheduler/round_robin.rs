//! Round robin over stations: each in turn gets all that it needs, or what there is (NIST add-on to
//! ns-2 for 802.16).
//!
//! A frame of 802.16 may be used up by one station: stations share the frames, not each frame. The next
//! frame begins with the station after the last one that was served.

use super::contract::{FrameScheduler, StationScheduler, Turn};
use super::cycle::Cycle;
use crate::component::configuration;

configuration! {
    /// Round robin has no parameters.
    pub struct RoundRobinConfig {
        name: "round-robin",
        summary: "each station in turn gets symbols for its whole queue",
        source: "NIST IEEE 802.16 add-on to ns-2, 2007",
    }
}

/// The stations in cyclic order, whatever their transmissions cost.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    cycle: Cycle,
    /// The station after the last one that was served.
    first: usize,
    /// Whether the present station was named, and is served unless the caller says why not.
    has_turn: bool,
}

impl RoundRobin {
    /// No station is backlogged.
    pub fn new(stations: usize) -> Self {
        Self { cycle: Cycle::new(stations), first: 0, has_turn: false }
    }
}

impl StationScheduler for RoundRobin {
    #[inline(always)]
    fn backlogged(&mut self, station: usize) {
        self.cycle.add(station);
    }

    #[inline(always)]
    fn next_turn(&mut self) -> Option<Turn> {
        if self.has_turn {
            self.cycle.advance();
            self.first = self.cycle.at();
        }
        let station = self.cycle.find();
        self.has_turn = station.is_some();
        if station.is_none() {
            self.cycle.restart(self.first);
        }
        station.map(|station| Turn { station, most: u64::MAX })
    }

    #[inline(always)]
    fn has_no_backlog(&mut self) {
        self.has_turn = false;
        self.cycle.remove();
    }

    #[inline(always)]
    fn charge(&mut self, station: usize, _cost: u64) {
        if self.has_turn && station == self.cycle.at() {
            self.first = self.cycle.next();
        }
    }
}

impl FrameScheduler for RoundRobin {
    #[inline(always)]
    fn pass_over(&mut self) {
        self.has_turn = false;
        self.cycle.pass_over();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A station that has a turn while others are served late, as in 802.11, keeps its place.
    #[test]
    fn stations_take_turns() {
        let mut scheduler = RoundRobin::new(3);
        let next = |scheduler: &mut RoundRobin| scheduler.next_turn().map(|turn| turn.station);
        assert_eq!(next(&mut scheduler), None);
        scheduler.backlogged(2);
        scheduler.backlogged(0);
        assert_eq!([0; 3].map(|_| next(&mut scheduler)), [Some(0), Some(2), Some(0)]);
        scheduler.backlogged(1);
        scheduler.charge(2, 1000);
        assert_eq!([0; 2].map(|_| next(&mut scheduler)), [Some(1), Some(2)]);
        scheduler.has_no_backlog();
        assert_eq!([0; 3].map(|_| next(&mut scheduler)), [Some(0), Some(1), Some(0)]);
    }
}
