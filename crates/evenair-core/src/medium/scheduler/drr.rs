//! Deficit round robin (Shreedhar and Varghese 1996): stations share the medium, and each frame of
//! 802.16, in equal numbers of bytes.
//!
//! Stations are visited in cyclic order, in several rounds of a frame. A visit adds the quantum to
//! the deficit of the station, unless the deficit pays for a symbol already, and gives it the
//! symbols that the deficit pays for. A symbol costs its bytes, so that a station with a robust
//! modulation gets more symbols. The deficit is kept while something waits, and forgotten
//! otherwise.
//!
//! A station is passed over if it cannot be given a symbol, because the frame is full or has as many
//! bursts as its map announces. A visit in which a station is given fewer symbols than its deficit pays
//! for goes on, so that it is passed over next. The next frame begins with the first such station.

use super::contract::{FrameScheduler, StationScheduler, Turn};
use super::cycle::Cycle;
use crate::component::{configuration, integer};

configuration! {
    /// Parameters of deficit round robin.
    pub struct DrrConfig {
        name: "drr",
        summary: "deficit round robin: stations share each frame in equal numbers of bytes",
        source: "Shreedhar and Varghese 1996; default quantum: the default MTU of RFC 5121",
    }
    /// bytes that a station may be given in a round, MAC headers included
    quantum: u64 = 1500, integer(1..=1_000_000);
}

/// Deficits of all stations.
#[derive(Clone, Debug)]
pub struct Drr {
    quantum: u64,
    cycle: Cycle,
    /// The station after the last one that was visited.
    first: usize,
    /// The first station that was passed over in this frame.
    passed_over: Option<usize>,
    /// The station that is visited, and what it was granted at the beginning.
    visit: Option<(usize, u64)>,
    stations: Vec<Deficit>,
}

#[derive(Clone, Copy, Debug)]
struct Deficit {
    bytes: u64,
    /// The least that it can pay for: the bytes of a symbol.
    least: u64,
}

impl Drr {
    /// No station is backlogged. `least` is the least that each can be given, in 802.16 a symbol.
    pub fn new(config: &DrrConfig, least: impl Iterator<Item = u64>) -> Self {
        let stations: Vec<_> = least.map(|least| Deficit { bytes: 0, least }).collect();
        Self {
            quantum: config.quantum,
            cycle: Cycle::new(stations.len()),
            first: 0,
            passed_over: None,
            visit: None,
            stations,
        }
    }

    /// The deficit of `station`.
    #[cfg(test)]
    pub(in crate::medium) fn deficit(&self, station: usize) -> u64 {
        self.stations[station].bytes
    }
}

impl StationScheduler for Drr {
    #[inline(always)]
    fn backlogged(&mut self, station: usize) {
        self.cycle.add(station);
    }

    fn next_turn(&mut self) -> Option<Turn> {
        if let Some((visited, _)) = self.visit.take() {
            let Deficit { bytes, least } = self.stations[visited];
            self.first = self.cycle.next();
            if bytes < least {
                self.cycle.advance();
            }
        }
        let Some(station) = self.cycle.find() else {
            self.first = self.passed_over.take().unwrap_or(self.first);
            self.cycle.restart(self.first);
            return None;
        };
        let Deficit { bytes, least } = &mut self.stations[station];
        let granted = if *bytes < *least { self.quantum } else { 0 };
        *bytes += granted;
        self.visit = Some((station, granted));
        Some(Turn { station, most: *bytes })
    }

    fn has_no_backlog(&mut self) {
        if let Some((station, _)) = self.visit.take() {
            self.stations[station].bytes = 0;
            self.cycle.remove();
        }
    }

    fn charge(&mut self, station: usize, cost: u64) {
        let bytes = &mut self.stations[station].bytes;
        *bytes = bytes.saturating_sub(cost);
        if self.visit.is_some_and(|(visited, _)| visited == station) {
            self.first = self.cycle.next();
        }
    }
}

impl FrameScheduler for Drr {
    fn pass_over(&mut self) {
        if let Some((station, granted)) = self.visit.take() {
            self.stations[station].bytes -= granted;
            self.cycle.pass_over();
            self.passed_over.get_or_insert(station);
        }
    }
}
