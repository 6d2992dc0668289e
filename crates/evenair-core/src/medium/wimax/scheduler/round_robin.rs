//! Round robin over stations: each in turn gets symbols for all that waits (NIST add-on to ns-2).
//!
//! A frame may be used up by one station: stations share the frames, not each frame.

use super::allocation::{Allocation, Scheduler, after};
use crate::component::configuration;
use crate::medium::wimax::frame::room::Room;
use crate::medium::wimax::phy::symbol::SymbolSize;

configuration! {
    /// Round robin has no parameters.
    pub struct RoundRobinConfig {
        name: "round-robin",
        summary: "each station in turn gets symbols for its whole queue",
        source: "NIST IEEE 802.16 add-on to ns-2, 2007",
    }
}

/// Begins each frame with the station after the last one that got a burst.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    first: usize,
}

impl RoundRobin {
    pub(super) fn new(_config: &RoundRobinConfig, _stations: usize) -> Self {
        Self { first: 0 }
    }
}

impl Scheduler for RoundRobin {
    fn schedule(
        &mut self,
        room: &mut Room,
        needs: &[u64],
        sizes: &[SymbolSize],
        bursts: &mut Vec<Allocation>,
    ) {
        let stations = needs.len();
        let mut next = self.first;
        for _ in 0..stations {
            let station = next;
            next = after(station, stations);
            if needs[station] == 0 {
                continue;
            }
            let most = room.for_burst();
            if most == 0 {
                break;
            }
            let symbols = sizes[station].symbols_up_to(needs[station], most);
            room.add_burst(symbols);
            bursts.push(Allocation { station, symbols });
            self.first = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{frame, symbols};
    use super::*;

    /// By hand: 63 data symbols for one burst, 62 for two. The second station's queue fills a
    /// frame, so the third waits for the next, which begins with it.
    #[test]
    fn a_long_queue_takes_the_frame() {
        let mut scheduler = RoundRobin::new(&RoundRobinConfig {}, 3);
        let needs = [107, 100_000, 1];
        assert_eq!(frame(&mut scheduler, &needs), [(0, 1), (1, 61)]);
        assert_eq!(frame(&mut scheduler, &needs), [(2, 1), (0, 1), (1, 59)]);
        assert_eq!(frame(&mut scheduler, &[0, 0, 108]), [(2, 2)]);
        assert_eq!(frame(&mut scheduler, &[0, 0, 0]), []);
        assert_eq!(frame(&mut scheduler, &[1, 0, 1]), [(0, 1), (2, 1)]);
    }

    /// At most 10 bursts in a frame.
    #[test]
    fn the_map_limits_bursts() {
        let mut scheduler = RoundRobin::new(&RoundRobinConfig {}, 12);
        let bursts = frame(&mut scheduler, &[1; 12]);
        assert_eq!((bursts.len(), symbols(&bursts)), (10, 10));
        assert_eq!(frame(&mut scheduler, &[1; 12])[0], (10, 1));
    }
}
