//! What a controller of a cell may know of its medium.

use crate::packet::{AccessCategory, Direction, NodeId};
use crate::time::Duration;

/// A medium of 802.11 with beacons, as a controller sees it.
pub trait Observable {
    /// Whether `station` decoded the last beacon that met no other frame.
    fn decoded(&self, station: NodeId) -> bool;

    /// How often the rate of any link has changed.
    fn rate_changes(&self) -> u64;

    /// The mean backoff of an access point that has made no attempt: CWmin / 2 slots.
    fn mean_first_backoff(&self) -> Duration;

    /// An exchange between the access point and `station` at the present rate, of which the PPDU has as many of
    /// `waiting` packets, each of `bytes` at IP level, as it can have.
    fn exchange(
        &self,
        station: NodeId,
        direction: Direction,
        category: AccessCategory,
        bytes: u32,
        waiting: u32,
    ) -> ExchangeTime;
}

/// What an exchange that succeeds takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeTime {
    /// DIFS or AIFS, and its frames with the spaces between them.
    pub time: Duration,
    /// How many packets it delivers: at least 1.
    pub packets: u32,
}
