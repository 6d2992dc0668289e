//! How long bursts are on the air.

use super::burst::Burst;
use super::state::Wimax;
use crate::medium::Airtime;
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};

impl Wimax {
    /// Adds the bursts of the frame that is over to the airtime of its stations.
    pub(super) fn settle_airtime(&mut self) {
        for burst in &self.bursts {
            let index = burst.station.index() - 1;
            let capacity = burst.symbols * self.sizes[index].bytes();
            let time = self.end_of(burst) - self.start_of(burst);
            burst.add_to(&mut self.stations[index].side(burst.direction).airtime, time, capacity);
        }
    }

    /// When a burst starts: in the uplink with its preamble.
    pub(super) fn start_of(&self, burst: &Burst) -> Duration {
        let preamble = u32::from(burst.direction == Direction::Up);
        self.layout.time(burst.direction, burst.first_symbol - preamble)
    }

    pub(super) fn end_of(&self, burst: &Burst) -> Duration {
        self.layout.time(burst.direction, burst.first_symbol + burst.symbols)
    }

    /// Airtime of the bursts of `direction` from or to `station`; of all stations for the base
    /// station.
    pub(super) fn airtime(&self, now: Instant, node: NodeId, direction: Direction) -> Airtime {
        let all = node.is_access_point();
        let mut airtime = Airtime::default();
        for station in self.stations.iter().filter(|station| all || station.node == node) {
            airtime += match direction {
                Direction::Down => station.down.airtime,
                Direction::Up => station.up.airtime,
            };
        }
        let elapsed = now.since(self.frame_start);
        let bursts = self.bursts.iter().filter(|burst| burst.direction == direction);
        for burst in bursts.filter(|burst| all || burst.station == node) {
            let capacity = burst.symbols * self.sizes[burst.station.index() - 1].bytes();
            let time = elapsed.min(self.end_of(burst)).saturating_sub(self.start_of(burst));
            burst.add_to(&mut airtime, time, capacity);
        }
        airtime
    }
}
