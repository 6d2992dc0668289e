//! An 802.11 cell: the distributed coordination function in one collision domain.
//!
//! [`Dcf`] is the air of the cell and the MAC of every station in it, as one state machine: it
//! is offered frames, says when it wants to be polled, and reports what was received and what
//! became of each frame.

mod backoff;
mod dcf;
#[cfg(test)]
mod oracle;
pub mod phy;
mod slot_ring;
#[cfg(test)]
mod tests;

pub use dcf::{AP, Counters, Dcf, DcfConfig, Event, Exchange, Frame, TxStatus};
