//! Deficit round robin (Shreedhar and Varghese 1996): stations share each frame in equal numbers of
//! bytes.
//!
//! Stations are visited in cyclic order, in several rounds of a frame. A visit adds the quantum to
//! the deficit of the station, unless the deficit pays for a symbol already, and gives it the
//! symbols that the deficit pays for. A symbol costs its bytes, so that a station with a robust
//! modulation gets more symbols. The deficit is kept while something waits, and forgotten
//! otherwise.
//!
//! The symbols of all rounds are one burst. A station is passed over if it cannot be given a
//! symbol, because the frame is full or has as many bursts as its map announces, or if it is given
//! fewer symbols than its deficit pays for. The next frame begins with the first such station, and
//! its visit goes on there.

use super::allocation::{Allocation, Scheduler, after};
use crate::component::{configuration, integer};
use crate::medium::wimax::frame::room::Room;
use crate::medium::wimax::phy::symbol::SymbolSize;

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
    first: usize,
    stations: Vec<Deficit>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Deficit {
    bytes: u64,
    /// Symbols that the station needs beyond those that it has got in the frame.
    symbols: u64,
    /// Its burst in the frame.
    burst: Option<usize>,
}

impl Drr {
    pub(super) fn new(config: &DrrConfig, stations: usize) -> Self {
        let deficits = vec![Deficit::default(); stations];
        Self { quantum: config.quantum, first: 0, stations: deficits }
    }
}

impl Scheduler for Drr {
    fn schedule(
        &mut self,
        room: &mut Room,
        needs: &[u64],
        sizes: &[SymbolSize],
        bursts: &mut Vec<Allocation>,
    ) {
        for ((state, &need), size) in self.stations.iter_mut().zip(needs).zip(sizes) {
            let bytes = if need == 0 { 0 } else { state.bytes };
            *state = Deficit { bytes, symbols: need.div_ceil(size.bytes().into()), burst: None };
        }
        let stations = needs.len();
        let (mut next, mut passed_over, mut in_vain) = (self.first, None, 0);
        while in_vain < stations {
            let station = next;
            next = after(station, stations);
            in_vain += 1;
            let state = &mut self.stations[station];
            if state.symbols == 0 {
                continue;
            }
            let most = if state.burst.is_some() { room.left() } else { room.for_burst() };
            if most == 0 {
                passed_over.get_or_insert(station);
                continue;
            }
            in_vain = 0;
            self.first = next;
            let cost = u64::from(sizes[station].bytes());
            if state.bytes < cost {
                state.bytes += self.quantum;
            }
            let symbols = (state.bytes / cost).min(state.symbols).min(most.into());
            state.bytes -= symbols * cost;
            state.symbols -= symbols;
            if state.symbols == 0 {
                state.bytes = 0;
            } else if state.bytes >= cost {
                passed_over.get_or_insert(station);
            }
            let symbols = symbols as u32;
            match state.burst {
                Some(burst) => {
                    bursts[burst].symbols += symbols;
                    room.extend_burst(symbols);
                }
                None if symbols > 0 => {
                    state.burst = Some(bursts.len());
                    bursts.push(Allocation { station, symbols });
                    room.add_burst(symbols);
                }
                None => {}
            }
        }
        self.first = passed_over.unwrap_or(self.first);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{frame, symbols};
    use super::*;

    fn drr(quantum: u64, stations: usize) -> Drr {
        Drr::new(&DrrConfig { quantum }, stations)
    }

    /// By hand: a quantum of 428 bytes is 4 symbols. 64 symbols less 3 before bursts are 61: five
    /// rounds of 12, and one symbol for the first station, whose visit the end of the frame cuts
    /// short. It goes on with 3 symbols of deficit: 3 + 4 + 4, then 4 rounds of 12, and 2 symbols
    /// for the first.
    #[test]
    fn stations_share_a_frame() {
        let mut scheduler = drr(428, 3);
        let needs = [1 << 40; 3];
        assert_eq!(frame(&mut scheduler, &needs), [(0, 21), (1, 20), (2, 20)]);
        assert_eq!(frame(&mut scheduler, &needs), [(0, 21), (1, 20), (2, 20)]);
    }

    /// What a station leaves is shared by the others, and its deficit is forgotten.
    #[test]
    fn a_short_queue_leaves_its_share() {
        let mut scheduler = drr(1500, 2);
        assert_eq!(frame(&mut scheduler, &[100, 1 << 40]), [(0, 1), (1, 61)]);
        assert_eq!(scheduler.stations[0].bytes, 0);
        assert_eq!(frame(&mut scheduler, &[0, 0]), []);
        assert_eq!(scheduler.stations[1].bytes, 0);
    }

    /// A quantum below a symbol: a visit may be in vain, but no station is forgotten, and over many
    /// frames all get the same number of symbols within one visit each.
    #[test]
    fn shares_are_equal_in_the_long_run() {
        for (quantum, stations) in [(1, 3), (100, 3), (107, 4), (1500, 4), (4000, 3), (1500, 12)] {
            let mut scheduler = drr(quantum, stations);
            let mut total = vec![0; stations];
            for _ in 0..240 {
                for (station, symbols) in frame(&mut scheduler, &vec![1 << 40; stations]) {
                    total[station] += symbols;
                }
            }
            let spread = total.iter().max().unwrap() - total.iter().min().unwrap();
            let visit = quantum.div_ceil(107) as u32 + 1;
            assert!(spread <= visit, "{quantum}: {total:?}");
        }
    }

    /// At most 10 bursts in a frame; the stations without one come first in the next.
    #[test]
    fn the_map_limits_bursts() {
        let mut scheduler = drr(107, 12);
        let bursts = frame(&mut scheduler, &[1 << 40; 12]);
        assert_eq!((bursts.len(), symbols(&bursts)), (10, 54));
        assert_eq!(frame(&mut scheduler, &[1 << 40; 12])[0].0, 10);
    }
}
