//! An IEEE 802.16 cell: OFDM with 256 subcarriers, time division duplex, point to multipoint, best
//! effort.
//!
//! The base station divides time into frames of a downlink and an uplink subframe. At the start of
//! a frame it decides on everything in it (`cell/`): the grants of the uplink, the bursts of the
//! downlink, then the bandwidth requests of the stations. Packets leave their queues at that time,
//! and are received at the ends of their PDUs (`cell/connection.rs`). What arrives later waits for the
//! next frame.

mod cell;
mod config;
mod frame;
pub mod phy;
mod request;
pub mod scheduler;
#[cfg(test)]
mod tests;

pub use cell::{
    Burst, Counts, FrameAccount, FrameError, RequestCounts, SduCounts, Wimax, pdu_overhead,
    smallest_pdu,
};
pub use config::{
    MAX_BACKOFF_EXPONENT, MAX_CONTENTION_SLOTS, MAX_REQUEST_RETRIES, RequestSize, WimaxConfig,
};
pub use frame::{DlShare, Maps};
