//! Who transmits next: backoff counters on a virtual slot clock.
//!
//! Backoff counters run down in idle slots only. [`Contention`] therefore counts idle slots, all
//! of them since the run began, and keeps for each contender the count at which it will transmit.
//! A counter that is frozen costs nothing, and what joining the others and finding the next access
//! cost does not depend on their number.
//!
//! **Slots.** After each busy period that ends at E the medium's slot boundaries lie at
//! E + DIFS + k slots (IEEE 802.11-2007 9.2.10 and figure 9-14: all timing is relative to the end
//! of the last activity), and *every* station acts at these boundaries: a deferral that is longer
//! than DIFS (EIFS, a response timeout), or a packet that arrives between two boundaries, counts
//! from the next one. Stations that pick the same boundary collide; one that starts a slot later
//! has sensed the first, since a slot is CCA time, turnaround, propagation and processing.
//!
//! **When a frozen counter is decremented** (9.2.5.2): a counter is decremented at the end of a
//! slot during which the medium was idle. The slot in which somebody transmits is not idle, so it
//! does not count; after the busy period and a DIFS the frozen counter goes on from where it was,
//! at least 1. **Slot 0 after a busy period** can hence be used only by a station that draws 0
//! (it has just transmitted, its packet came during the busy period, or its immediate access was
//! forestalled), or by one whose packet arrived after the medium became idle (immediate access). Models in which a busy slot counts (Bianchi 2000) differ by 1 to 2% in throughput.

use super::slot_ring::SlotRing;

/// A station that does not run with the crowd in this idle period: it begins to count later or
/// earlier (it has just collided, or its packet has just come).
#[derive(Clone, Copy, Debug)]
struct OffGrid {
    station: u32,
    /// The boundary, counted from E + DIFS, from which its counter runs.
    from: u64,
    /// Slots left to count.
    counter: u64,
    has_frame: bool,
    /// It was going to transmit without a backoff.
    immediate: bool,
}

/// Where a station's counter stands when it has no frame to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdleBackoff {
    /// Contending or transmitting: not at rest.
    Active,
    /// Post-backoff ends at this count of idle slots.
    Post(u64),
    /// In the list of stragglers until the idle period ends.
    OffGrid,
}

/// What a station has to do to send a frame that has just arrived at its idle MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing more: it contends with what is left of its post-backoff.
    Contending,
    /// Its post-backoff is over: draw a backoff, or use [`Contention::immediate`].
    BackoffOver,
}

/// The backoff counters of all stations in the cell.
#[derive(Debug)]
pub(super) struct Contention {
    /// Idle slots that the crowd has counted until the present (or next) idle period.
    elapsed: u64,
    /// Boundaries that the crowd skips in this idle period: 0 after DIFS, more after EIFS.
    ring_from: u64,
    ring: SlotRing,
    off_grids: Vec<OffGrid>,
    /// The first boundary at which one of the stragglers transmits.
    first_off_grid: Option<u64>,
    rest: Vec<IdleBackoff>,
}

impl Contention {
    /// No backoff is longer than `cw_max`.
    pub(super) fn new(stations: usize, cw_max: u32) -> Self {
        Self {
            elapsed: 0,
            ring_from: 0,
            ring: SlotRing::new(stations, cw_max),
            off_grids: Vec::with_capacity(stations),
            first_off_grid: None,
            rest: vec![IdleBackoff::Post(0); stations],
        }
    }

    /// A busy period has ended; the crowd counts from boundary `crowd_from` of the slots after it.
    pub(super) fn idle(&mut self, ring_from: u64) {
        self.ring_from = ring_from;
        self.first_off_grid = None;
        for i in 0..self.off_grids.len() {
            self.off_grids[i].from = ring_from;
            self.expect(self.off_grids[i]);
        }
    }

    /// `station` transmitted in the busy period that has just ended, and drew `backoff`; it counts
    /// from boundary `from`. Call [`Contention::idle`] first.
    pub(super) fn retreat(&mut self, station: u32, from: u64, backoff: u32, has_frame: bool) {
        // A post-backoff of 0 is not over before its boundary is reached, even if others forestall
        // it: until then a frame that arrives uses it, which the crowd's positions could not tell.
        if from == self.ring_from && (has_frame || backoff > 0) {
            let position = self.elapsed + u64::from(backoff);
            self.join_ring(station, position, has_frame);
        } else {
            let counter = u64::from(backoff);
            self.leave_grid(OffGrid { station, from, counter, has_frame, immediate: false });
        }
    }

    /// A frame has come to `station`, which had none. `boundary` is the next boundary of the idle
    /// period, or `None` while the medium is busy.
    pub(super) fn arrive(&mut self, station: u32, boundary: Option<u64>) -> Access {
        match self.rest[station as usize] {
            IdleBackoff::Post(position)
                if position > self.elapsed && position >= self.elapsed_at(boundary) =>
            {
                self.join_ring(station, position, true);
                Access::Contending
            }
            IdleBackoff::OffGrid => {
                let found = self.off_grids.iter_mut().find(|s| s.station == station);
                let off_grid = found.expect("a straggling station is in the list");
                if boundary.is_some_and(|b| b > off_grid.from + off_grid.counter) {
                    return Access::BackoffOver;
                }
                off_grid.has_frame = true;
                let off_grid = *off_grid;
                self.expect(off_grid);
                self.rest[station as usize] = IdleBackoff::Active;
                Access::Contending
            }
            _ => Access::BackoffOver,
        }
    }

    /// `station`, whose frame arrived while the medium was busy, drew `backoff`.
    pub(super) fn defer(&mut self, station: u32, backoff: u32) {
        self.join_ring(station, self.elapsed + u64::from(backoff), true);
    }

    /// `station`, whose frame arrived while the medium was idle, transmits at `boundary`, or as
    /// soon after it as its EIFS or response timeout allows.
    pub(super) fn immediate(&mut self, station: u32, boundary: u64) {
        let from = boundary.max(self.silent_until(station));
        self.leave_grid(OffGrid { station, from, counter: 0, has_frame: true, immediate: true });
    }

    /// `station`, whose frame arrived while the medium was idle, counts `backoff` slots from
    /// `boundary`, or as soon after it as its EIFS or response timeout allows.
    pub(super) fn late_backoff(&mut self, station: u32, boundary: u64, backoff: u32) {
        let from = boundary.max(self.silent_until(station));
        let counter = u64::from(backoff);
        self.leave_grid(OffGrid { station, from, counter, has_frame: true, immediate: false });
    }

    /// The boundary of the next access, counted from E + DIFS; `None` when nobody contends.
    pub(super) fn next_access(&self) -> Option<u64> {
        let ring = self.ring.first_after(self.elapsed).map(|slots| self.ring_from + slots);
        match (ring, self.first_off_grid) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, other) => one.or(other),
        }
    }

    /// The medium becomes busy at `boundary`, the one that [`Contention::next_access`] told: fills
    /// `transmitters`, in order of station, and freezes everybody else. `draw` gives the backoff of
    /// a station whose immediate access has been forestalled.
    pub(super) fn seize(
        &mut self,
        boundary: u64,
        transmitters: &mut Vec<u32>,
        mut draw: impl FnMut(u32) -> u32,
    ) {
        transmitters.clear();
        self.elapsed = self.elapsed_at(Some(boundary));
        if boundary >= self.ring_from {
            self.ring.leave(self.elapsed, transmitters);
        }
        for i in 0..self.off_grids.len() {
            let s = self.off_grids[i];
            if s.has_frame && s.from + s.counter == boundary {
                self.rest[s.station as usize] = IdleBackoff::Active;
                transmitters.push(s.station);
                continue;
            }
            let counted = boundary.saturating_sub(s.from).min(s.counter);
            let left = if s.immediate { u64::from(draw(s.station)) } else { s.counter - counted };
            // A post-backoff of 0 that has not reached its boundary is not over yet.
            if s.has_frame || left > 0 || s.from <= boundary {
                self.join_ring(s.station, self.elapsed + left, s.has_frame);
            }
        }
        if !self.off_grids.is_empty() {
            let rest = &self.rest;
            self.off_grids.retain(|s| rest[s.station as usize] == IdleBackoff::OffGrid);
            self.first_off_grid = None;
        }
        if transmitters.len() > 1 {
            transmitters.sort_unstable();
        }
    }

    /// Idle slots that the crowd has counted by `boundary` of the present idle period.
    fn elapsed_at(&self, boundary: Option<u64>) -> u64 {
        self.elapsed + boundary.map_or(0, |b| b.saturating_sub(self.ring_from))
    }

    /// The boundary until which `station`, whose backoff is over, has to be silent in this idle
    /// period. Its response timeout if it has just transmitted: it takes it from the stragglers.
    fn silent_until(&mut self, station: u32) -> u64 {
        if self.rest[station as usize] != IdleBackoff::OffGrid {
            return self.ring_from;
        }
        match self.off_grids.iter().position(|s| s.station == station) {
            Some(i) => self.off_grids.swap_remove(i).from,
            None => self.ring_from,
        }
    }

    fn join_ring(&mut self, station: u32, position: u64, has_frame: bool) {
        if has_frame {
            self.rest[station as usize] = IdleBackoff::Active;
            self.ring.join(position, station);
        } else {
            self.rest[station as usize] = IdleBackoff::Post(position);
        }
    }

    fn leave_grid(&mut self, off_grid: OffGrid) {
        self.rest[off_grid.station as usize] =
            if off_grid.has_frame { IdleBackoff::Active } else { IdleBackoff::OffGrid };
        self.expect(off_grid);
        self.off_grids.push(off_grid);
    }

    /// Keeps `first_off_grid` up to date with one that may transmit.
    fn expect(&mut self, off_grid: OffGrid) {
        if off_grid.has_frame {
            let at = off_grid.from + off_grid.counter;
            self.first_off_grid = Some(self.first_off_grid.map_or(at, |first| first.min(at)));
        }
    }
}
