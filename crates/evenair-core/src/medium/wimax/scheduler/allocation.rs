//! The bursts of a subframe.

use crate::medium::scheduler::{FrameScheduler, Turn};
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

/// What a station needs in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::medium::wimax) struct Need {
    /// Bytes with headers, beyond those of its burst.
    bytes: u64,
    /// Its burst.
    burst: Option<usize>,
}

impl Need {
    /// These bytes with headers; it has no burst.
    pub(in crate::medium::wimax) const fn new(bytes: u64) -> Self {
        Self { bytes, burst: None }
    }
}

/// Fills `room` with bursts, at most one for each station, in the order in which `scheduler` names the
/// stations. What several turns of a station give it is one burst. The bursts are appended to `bursts`.
/// A symbol costs the bytes that it has, by `sizes`.
#[inline(always)] // called in one place for each scheduler
pub(super) fn allocate(
    scheduler: &mut impl FrameScheduler,
    room: &mut Room,
    needs: &mut [Need],
    sizes: &[SymbolSize],
    bursts: &mut Vec<Allocation>,
) {
    for (station, need) in needs.iter().enumerate() {
        if need.bytes > 0 {
            scheduler.backlogged(station);
        }
    }
    while let Some(Turn { station, most }) = scheduler.next_turn() {
        let (need, size) = (&mut needs[station], sizes[station]);
        if need.bytes == 0 {
            scheduler.has_no_backlog();
            continue;
        }
        let free = if need.burst.is_some() { room.left() } else { room.for_burst() };
        if free == 0 {
            scheduler.pass_over();
            continue;
        }
        let paid = (most / u64::from(size.bytes())).min(free.into()) as u32;
        let symbols = size.symbols_up_to(need.bytes, paid);
        let cost = u64::from(symbols) * u64::from(size.bytes());
        need.bytes = need.bytes.saturating_sub(cost);
        scheduler.charge(station, cost);
        match need.burst {
            Some(burst) => {
                bursts[burst].symbols += symbols;
                room.extend_burst(symbols);
            }
            None if symbols > 0 => {
                need.burst = Some(bursts.len());
                bursts.push(Allocation { station, symbols });
                room.add_burst(symbols);
            }
            None => {}
        }
        if need.bytes == 0 {
            scheduler.has_no_backlog();
        }
    }
}
