//! Base-station schedulers: which stations get bursts in a frame, and how many symbols each.
//!
//! A scheduler sees how many bytes each station needs. Downlink bursts and uplink grants have a
//! scheduler each. To add one, add a file here and a line in `schedulers!` below.

mod allocation;
mod drr;
mod round_robin;

pub use drr::{Drr, DrrConfig};
pub use round_robin::{RoundRobin, RoundRobinConfig};

pub(super) use allocation::{Allocation, Scheduler};

use super::frame::room::Room;
use super::phy::symbol::SymbolSize;
use crate::component::registry;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// The bursts in a subframe that has 64 symbols for at most 10 bursts, of 107 bytes each: station and
    /// data symbols.
    pub(super) fn frame(scheduler: &mut impl Scheduler, needs: &[u64]) -> Vec<(usize, u32)> {
        let mut room = Room::new(64, 10, None);
        let sizes = vec![SymbolSize::new(107); needs.len()];
        let mut bursts = Vec::new();
        scheduler.schedule(&mut room, needs, &sizes, &mut bursts);
        bursts.iter().map(|burst| (burst.station, burst.symbols)).collect()
    }

    pub(super) fn symbols(bursts: &[(usize, u32)]) -> u32 {
        bursts.iter().map(|(_, symbols)| symbols).sum()
    }
}
