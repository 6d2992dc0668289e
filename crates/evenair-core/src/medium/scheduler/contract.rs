//! What a medium or a cell asks a scheduler, and what they tell it.

use std::fmt::Debug;

use crate::time::Instant;

/// A station that may be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The station.
    pub station: usize,
    /// What its transmission may cost; `u64::MAX` if the scheduler does not limit it.
    pub most: u64,
}

/// What a station has in the queues of the hardware, below those that the scheduler serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its estimated airtime, nanoseconds.
    pub airtime: u64,
    /// Whether it may have more there.
    pub may_take: bool,
}

/// Chooses the station that is served at a transmit opportunity.
///
/// One scheduler serves one access category in one direction: within a category stations share the
/// medium, among categories EDCA or the medium decides. Stations are numbered from 0.
///
/// The unit of costs is that of the medium: nanoseconds of airtime in 802.11, bytes of whole symbols in
/// 802.16.
pub trait StationScheduler: Debug + Send {
    /// The time of what follows. Only a scheduler that forgets needs it.
    fn advance(&mut self, _now: Instant) {}

    /// Something waits for `station`. May be called more often than needed.
    fn backlogged(&mut self, station: usize);

    /// The station whose turn it is; `None` if no station is backlogged. The caller serves it, or says
    /// why not by [`StationScheduler::has_no_backlog`], and then asks again.
    fn next_turn(&mut self) -> Option<Turn>;

    /// The same where packets are taken before they are transmitted: `pending` says what each station already has in the
    /// hardware.
    fn next_turn_beside(&mut self, _pending: &dyn Fn(usize) -> Pending) -> Option<Turn> {
        self.next_turn()
    }

    /// Nothing that may be taken waits for the station that was named last, or nothing more if it was served
    /// and charged. It has no turn until it is backlogged again.
    fn has_no_backlog(&mut self);

    /// The same, and the station has this much airtime in the hardware, nanoseconds.
    fn has_no_backlog_beside(&mut self, _pending: u64) {
        self.has_no_backlog();
    }

    /// A transmission to `station`, or from it if these are charged, has cost this much. In 802.11 it is
    /// known at its end, after other turns.
    fn charge(&mut self, station: usize, cost: u64);
}

/// A scheduler whose medium serves several stations in a frame.
pub trait FrameScheduler: StationScheduler {
    /// The station that was named last cannot be given anything in this frame, though something waits for
    /// it. It is not named again before [`StationScheduler::next_turn`] has returned `None`, with which the
    /// frame ends.
    fn pass_over(&mut self);
}
