//! An 802.11 cell: the distributed coordination function in one collision domain.

mod airtime;
mod attempt;
mod backoff;
mod beacon;
mod control;
mod dcf;
mod mac;
#[cfg(test)]
mod oracle;
pub mod phy;
mod slot_ring;
#[cfg(test)]
mod tests;

pub use control::{BasicRates, ControlFrames, ControlRate};
pub use dcf::{Dcf, DcfConfig, Exchange};
pub use mac::RateControl;
