//! Room for bursts in a subframe.

use super::maps::dl_map;
use crate::medium::wimax::phy::symbol::SymbolSize;

/// A gap or short preamble before each burst.
pub(in crate::medium::wimax) const BEFORE_BURST: u32 = 1;

/// What is left of a subframe while bursts are scheduled.
#[derive(Clone, Copy, Debug)]
pub(in crate::medium::wimax) struct Room {
    /// Symbols for bursts, and for the DL-MAP where its size depends on them.
    free: u32,
    used: u32,
    bursts: u32,
    limit: u32,
    dl_map: Option<SymbolSize>,
}

impl Room {
    /// `free` symbols for at most `limit` bursts, and for the DL-MAP if it has symbols of `dl_map`.
    pub(in crate::medium::wimax) const fn new(
        free: u32,
        limit: u32,
        dl_map: Option<SymbolSize>,
    ) -> Self {
        Self { free, used: 0, bursts: 0, limit, dl_map }
    }

    /// Bursts that have been added.
    pub(in crate::medium::wimax) const fn bursts(&self) -> u32 {
        self.bursts
    }

    /// Data symbols that one more burst can have.
    pub(in crate::medium::wimax) fn for_burst(&self) -> u32 {
        if self.bursts == self.limit {
            return 0;
        }
        self.behind(self.bursts + 1).saturating_sub(BEFORE_BURST)
    }

    /// Data symbols that the bursts can have in addition.
    pub(in crate::medium::wimax) fn left(&self) -> u32 {
        self.behind(self.bursts)
    }

    /// Adds a burst of this many data symbols.
    pub(in crate::medium::wimax) fn add_burst(&mut self, symbols: u32) {
        self.bursts += 1;
        self.used += BEFORE_BURST + symbols;
    }

    /// Adds data symbols to a burst.
    pub(in crate::medium::wimax) fn extend_burst(&mut self, symbols: u32) {
        self.used += symbols;
    }

    /// Data symbols of all bursts.
    pub(in crate::medium::wimax) const fn used(&self) -> u32 {
        self.used - self.bursts * BEFORE_BURST
    }

    /// Data symbols that there are for the bursts that have been added.
    pub(in crate::medium::wimax) fn capacity(&self) -> u32 {
        let map = self.dl_map.map_or(0, |size| dl_map(size, self.bursts));
        self.free.saturating_sub(map + self.bursts * BEFORE_BURST)
    }

    /// Symbols that are not used, of a subframe with this many bursts.
    fn behind(&self, bursts: u32) -> u32 {
        let map = self.dl_map.map_or(0, |size| dl_map(size, bursts));
        self.free.saturating_sub(self.used + map)
    }
}
