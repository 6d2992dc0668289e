//! An 802.11 cell: the distributed coordination function in one collision domain.
//!
//! [`Medium`] is the air of the cell and the MAC of every station in it, as one state machine: it
//! is offered frames, says when it wants to be polled, and reports what was received and what
//! became of each frame.

mod contention;
mod crowd;
mod medium;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;

pub use medium::{AP, Counters, Event, Exchange, Frame, Medium, MediumConfig, Outcome};
