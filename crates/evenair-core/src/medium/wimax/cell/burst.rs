//! A burst.

use crate::medium::Airtime;
use crate::packet::{Direction, NodeId};
use crate::time::Duration;

/// A burst of the frame under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Its station.
    pub station: NodeId,
    /// Its direction.
    pub direction: Direction,
    /// Its first data symbol, counted from the start of the subframe.
    pub first_symbol: u32,
    /// Data symbols.
    pub symbols: u32,
    /// Bytes of its PDUs; the rest is padding.
    pub bytes: u32,
    /// Number of PDUs.
    pub pdus: u32,
    /// Bytes of corrupted PDUs.
    pub corrupted_bytes: u32,
}

impl Burst {
    /// Adds its first `elapsed` to `airtime`. `capacity` are the bytes of all of it.
    pub(super) fn add_to(&self, airtime: &mut Airtime, elapsed: Duration, capacity: u32) {
        if self.corrupted_bytes == 0 {
            airtime.successes += elapsed;
            return;
        }
        let corrupted = elapsed * u64::from(self.corrupted_bytes) / u64::from(capacity);
        airtime.corrupted += corrupted;
        airtime.successes += elapsed - corrupted;
    }
}
