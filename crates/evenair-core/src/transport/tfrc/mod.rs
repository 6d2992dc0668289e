//! TCP-friendly rate control (RFC 5348): data are sent at the rate that TCP would have at the same loss
//! event rate and round-trip time.
//!
//! The [`Sender`] is paced by time. The [`Receiver`] counts loss events and sends a [`Report`] once per
//! round-trip time, and at once when the loss event rate has risen. Both are without sockets and clocks.
//! [`TfrcSource`] and [`TfrcSink`] are the ends of a flow over RTP and UDP.
//!
//! Departures from the RFC: none of its rules for data-limited senders apply, because there are always
//! data to send. A packet that arrives after it counts as lost does not undo a loss event (section 5.1
//! allows either). Congestion marks are not used.

mod config;
mod endpoints;
pub mod equation;
mod loss_history;
mod loss_intervals;
mod receive_rates;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub use config::TfrcConfig;
pub use endpoints::{TfrcSink, TfrcSource};
pub use loss_history::LossHistory;
pub use loss_intervals::LossIntervals;
pub use receiver::Receiver;
pub use sender::Sender;
