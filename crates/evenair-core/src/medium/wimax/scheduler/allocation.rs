//! What a scheduler does: it allocates the symbols of a subframe to stations.

use crate::medium::wimax::frame::room::Room;
use crate::medium::wimax::phy::symbol::SymbolSize;

/// A burst, or a grant of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::medium::wimax) struct Allocation {
    /// Index of the station.
    pub(in crate::medium::wimax) station: usize,
    /// Data symbols.
    pub(in crate::medium::wimax) symbols: u32,
}

/// A base-station scheduler of one direction.
pub(in crate::medium::wimax) trait Scheduler {
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

/// The station after `station`, in cyclic order.
pub(super) fn after(station: usize, stations: usize) -> usize {
    if station + 1 == stations { 0 } else { station + 1 }
}
