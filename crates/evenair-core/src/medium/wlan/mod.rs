//! An 802.11 cell: the distributed coordination function in one collision domain.

pub mod channel;
mod config;
mod contention;
mod dcf;
mod frame;
pub mod rate_control;
#[cfg(test)]
mod tests;

pub use config::{DcfConfig, StationConfig};
pub use dcf::Dcf;
pub use frame::beacon::{SSID, beacon_bytes};
pub use frame::control::{BasicRates, ControlFrames, ControlRate, Protection};
pub use frame::high_throughput;
pub use frame::phy;
