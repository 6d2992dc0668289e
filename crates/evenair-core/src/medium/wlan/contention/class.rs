//! Contenders of the same AIFS: a slot clock, and when they transmit.

use super::contender::ContenderId;
use super::slot_ring::SlotRing;

/// Contenders of the same AIFS.
#[derive(Debug)]
pub(super) struct Class {
    /// Its first boundary after AIFS: 0 for the smallest AIFSN.
    pub(super) first: u64,
    /// The boundary from which those in the ring count in this idle period: `first`, or more after EIFS.
    pub(super) from: u64,
    /// Slots that they have counted before the present (or next) idle period.
    pub(super) elapsed: u64,
    /// Slots that they count at a boundary at which another one transmits.
    pub(super) busy_boundary: u64,
    pub(super) ring: SlotRing,
}

impl Class {
    /// A class whose first boundary is `first`, in a cell with this number of contenders.
    pub(super) fn new(first: u64, busy_boundary: u64, contenders: usize) -> Self {
        let ring = SlotRing::new(contenders);
        Self { first, from: first, elapsed: 0, busy_boundary, ring }
    }

    /// Slots that those in the ring have counted when `boundary` of this idle period is reached.
    pub(super) fn elapsed_at(&self, boundary: Option<u64>) -> u64 {
        self.elapsed + boundary.map_or(0, |b| b.saturating_sub(self.from))
    }

    /// The boundary at which the first in the ring transmits.
    #[inline(always)]
    pub(super) fn next_access(&self) -> Option<u64> {
        self.ring.first_after(self.elapsed).map(|slots| self.from + slots)
    }

    /// The medium becomes busy at `boundary`, which counts for `busy_boundary` slots: passes those in the ring
    /// that transmit to `transmit`.
    #[inline(always)]
    pub(super) fn seize(
        &mut self,
        boundary: u64,
        busy_boundary: u64,
        transmit: impl FnMut(ContenderId),
    ) {
        if boundary >= self.from {
            self.elapsed += boundary - self.from;
            self.ring.take(self.elapsed, transmit);
            self.elapsed += busy_boundary;
        }
    }
}
