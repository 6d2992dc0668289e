//! Loss recovery for any transport whose acknowledgements report what has arrived: which packets are lost,
//! and how much may be sent until that is repaired.
//!
//! The parts know packets as ranges of a sequence space, in bytes of which each packet but the last has the
//! same number (1, where packets are numbered). They know neither headers nor timers nor the congestion
//! control. A sender that uses them:
//!
//! - tells [`Rack`] what it sends and what an acknowledgement is the first to report, and asks which
//!   packets are lost by the times at which they were sent (RFC 8985); or asks a [`Scoreboard`], by how many
//!   have arrived beyond them (RFC 6675);
//! - asks [`Prr`] how much each acknowledgement of a recovery allows to be sent (RFC 9937).
//!
//! How TCP uses them is in `tcp/recovery`.

mod prr;
mod rack;
pub mod ranges;
mod scoreboard;
#[cfg(test)]
mod tests;

pub use prr::Prr;
pub use rack::{Found, Rack};
pub use scoreboard::Scoreboard;

/// Duplicate ACKs that confirm a loss (RFC 5681 section 3.2), and segments that have arrived beyond it
/// (RFC 6675: DupThresh).
pub const DUP_THRESH: u32 = 3;
