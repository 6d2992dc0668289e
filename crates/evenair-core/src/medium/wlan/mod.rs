//! An 802.11 cell: the distributed coordination function in one collision domain.

mod airtime;
mod attempt;
mod backoff;
mod beacon;
mod beacon_frame;
mod control;
mod dcf;
mod exchange_time;
mod mac;
#[cfg(test)]
mod oracle;
pub mod phy;
mod slot_ring;
#[cfg(test)]
mod tests;

pub use beacon_frame::{SSID, beacon_bytes};
pub use control::{BasicRates, ControlFrames, ControlRate};
pub use dcf::{Dcf, DcfConfig, Exchange};
pub use mac::RateControl;
