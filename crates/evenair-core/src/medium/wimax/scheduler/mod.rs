//! Base-station schedulers: which stations get bursts in a frame, and how many symbols each.
//!
//! A scheduler sees how many bytes each station needs. Downlink bursts and uplink grants have a
//! scheduler each. To add one, add a file here and a line in `schedulers!` below.

mod drr;
mod round_robin;

pub use drr::{Drr, DrrConfig};
pub use round_robin::{RoundRobin, RoundRobinConfig};

use super::cell::layout::Room;
use super::phy::symbol::SymbolSize;
use crate::component::registry;

/// A burst, or a grant of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    /// Index of the station.
    pub(super) station: usize,
    /// Data symbols.
    pub(super) symbols: u32,
}

/// A base-station scheduler of one direction.
pub(super) trait Scheduler {
    /// Fills `room` with bursts, at most one for each station. `needs` are the bytes, with headers,
    /// that wait for each station, and `sizes` those of its symbols. The bursts are appended to
    /// `bursts`.
    fn schedule(
        &mut self,
        room: &mut Room,
        needs: &[u64],
        sizes: &[SymbolSize],
        bursts: &mut Vec<Allocation>,
    );
}

/// Generates the registry of all schedulers, and an enum that dispatches to them.
macro_rules! schedulers {
    ($($type:ident($config:ident),)+) => {
        registry! {
            /// The configuration of a base-station scheduler.
            pub enum Config {
                $($type($config),)+
            }
            kind "base-station scheduler", noun "scheduler",
            schema "BaseStationScheduler", planned &[]
        }

        /// Any of the schedulers.
        #[derive(Clone, Debug)]
        pub(super) enum AnyScheduler {
            $($type($type),)+
        }

        impl AnyScheduler {
            /// The configured scheduler of a cell with this many stations.
            pub(super) fn new(config: &Config, stations: usize) -> Self {
                match config {
                    $(Config::$type(config) => Self::$type($type::new(config, stations)),)+
                }
            }
        }

        impl Scheduler for AnyScheduler {
            fn schedule(
                &mut self,
                room: &mut Room,
                needs: &[u64],
                sizes: &[SymbolSize],
                bursts: &mut Vec<Allocation>,
            ) {
                match self {
                    $(Self::$type(scheduler) => scheduler.schedule(room, needs, sizes, bursts),)+
                }
            }
        }
    };
}

schedulers! {
    RoundRobin(RoundRobinConfig),
    Drr(DrrConfig),
}

/// The station after `station`, in cyclic order.
fn after(station: usize, stations: usize) -> usize {
    if station + 1 == stations { 0 } else { station + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::wimax::cell::layout::Layout;
    use crate::medium::wimax::config::WimaxConfig;
    use crate::medium::wimax::phy::OfdmPhy;

    /// The downlink bursts of a frame with 64 symbols for bursts of 107 bytes per symbol: station
    /// and data symbols.
    pub(super) fn frame(scheduler: &mut impl Scheduler, needs: &[u64]) -> Vec<(usize, u32)> {
        let layout = Layout::new(&WimaxConfig::new(OfdmPhy::default())).unwrap();
        let mut room = layout.dl_room(0, false);
        let sizes = vec![SymbolSize::new(107); needs.len()];
        let mut bursts = Vec::new();
        scheduler.schedule(&mut room, needs, &sizes, &mut bursts);
        bursts.iter().map(|burst| (burst.station, burst.symbols)).collect()
    }

    pub(super) fn symbols(bursts: &[(usize, u32)]) -> u32 {
        bursts.iter().map(|(_, symbols)| symbols).sum()
    }
}
