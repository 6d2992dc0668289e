//! Base-station schedulers: which stations get bursts in a frame, and how many symbols each.
//!
//! A [`FrameScheduler`](crate::medium::scheduler::FrameScheduler) chooses the stations. Downlink bursts and
//! uplink grants have one each. To add one, add a file in `medium/scheduler/` and a variant below.

mod allocation;
#[cfg(test)]
mod tests;

pub use crate::medium::scheduler::{Drr, DrrConfig, RoundRobin, RoundRobinConfig};

pub(super) use allocation::{Allocation, Need};

use allocation::allocate;

use super::frame::room::Room;
use super::phy::symbol::SymbolSize;
use crate::component::registry;

registry! {
    /// The configuration of a base-station scheduler.
    pub enum Config {
        RoundRobin(RoundRobinConfig),
        Drr(DrrConfig),
    }
    kind "base-station scheduler", noun "scheduler", schema "BaseStationScheduler", planned &[]
}

/// Any of the schedulers: frames are filled by code for each.
#[derive(Clone, Debug)]
pub(super) enum AnyScheduler {
    RoundRobin(RoundRobin),
    Drr(Drr),
}

impl AnyScheduler {
    /// The configured scheduler of a cell with stations of these symbols.
    pub(super) fn new(config: &Config, sizes: &[SymbolSize]) -> Self {
        match config {
            Config::RoundRobin(_) => Self::RoundRobin(RoundRobin::new(sizes.len())),
            Config::Drr(config) => {
                Self::Drr(Drr::new(config, sizes.iter().map(|size| size.bytes().into())))
            }
        }
    }

    /// Fills `room` with bursts, by what the stations need.
    #[inline(always)]
    pub(super) fn allocate(
        &mut self,
        room: &mut Room,
        needs: &mut [Need],
        sizes: &[SymbolSize],
        bursts: &mut Vec<Allocation>,
    ) {
        match self {
            Self::RoundRobin(scheduler) => allocate(scheduler, room, needs, sizes, bursts),
            Self::Drr(scheduler) => allocate(scheduler, room, needs, sizes, bursts),
        }
    }
}
