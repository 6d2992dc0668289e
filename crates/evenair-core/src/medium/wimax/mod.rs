//! An IEEE 802.16 cell: OFDM with 256 subcarriers, time division duplex, point to multipoint, best
//! effort.
//!
//! The base station divides time into frames of a downlink and an uplink subframe. At the start of
//! a frame it decides on everything in it (`cell.rs`): the grants of the uplink, the bursts of the
//! downlink, then the bandwidth requests of the stations. Packets leave their queues at that time,
//! and are received at the ends of their PDUs (`connection.rs`). What arrives later waits for the
//! next frame.

mod airtime;
mod cell;
mod config;
mod connection;
#[cfg(test)]
mod conservation;
mod counts;
#[cfg(test)]
mod examples;
mod frame;
mod observe;
#[cfg(test)]
mod oracle;
pub mod phy;
mod request;
pub mod scheduler;
mod share;
mod station;
mod symbol;
#[cfg(test)]
mod tests;

pub use airtime::Burst;
pub use cell::Wimax;
pub use config::{
    MAX_BACKOFF_EXPONENT, MAX_CONTENTION_SLOTS, MAX_REQUEST_RETRIES, Maps, RequestSize, WimaxConfig,
};
pub use connection::{pdu_overhead, smallest_pdu};
pub use counts::{Counts, RequestCounts, SduCounts};
pub use frame::{FrameAccount, FrameError};
pub use observe::{Before, FilledBurst, Frame, Part, Pdu, Request};
pub use share::DlShare;
