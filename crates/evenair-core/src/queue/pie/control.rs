//! What the forms of PIE have in common: the events that change a drop probability, and what one says of an
//! arrival.

use crate::rng::RngStream;
use crate::time::Instant;

/// What waits in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) packets: u32,
    /// Bytes at IP level.
    pub(super) bytes: u64,
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is queued.
    Queue,
    /// It is marked and queued; dropped if its transport is not ECN-capable.
    Mark,
    /// It is dropped.
    Drop,
}

/// The rules of one form. Time is that of the caller, which makes each update when it is due.
pub(super) trait Control {
    /// A periodic update. Returns whether it has changed anything that another one would go by.
    fn update(&mut self, waiting: Waiting) -> bool;

    /// A packet of `bytes` that has waited since `since` leaves `waiting` behind.
    fn on_departure(&mut self, now: Instant, bytes: u32, since: Instant, waiting: Waiting);

    /// A packet arrives for which there is room or not.
    fn on_arrival(&mut self, has_room: bool, waiting: Waiting, rng: &mut RngStream) -> Verdict;

    /// That packet was dropped.
    fn on_drop(&mut self) {}

    /// The drop probability, from 0 to 1.
    fn probability(&self) -> f64;
}
