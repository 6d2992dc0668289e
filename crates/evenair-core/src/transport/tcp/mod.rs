//! TCP without sockets, clocks or payload bytes.
//!
//! A connection has two ends: [`SendingEnd`] sends data, [`ReceivingEnd`] receives them, and either opens
//! the connection. An end takes packets and the time, and gives packets to an
//! [`Output`](crate::transport::Output). Within them are the
//! [`Sender`], which with its congestion control and its form of loss recovery decides what to send,
//! and the [`Receiver`], which decides what to acknowledge. Sequence numbers are payload bytes since
//! the connection was opened and do not wrap.

mod config;
mod connection;
mod delayed_ack;
mod departures;
mod ecn;
mod idle_restart;
mod pacing;
mod preset;
mod rate_based;
mod receiver;
mod recovery;
mod rtt;
mod segment;
mod send_times;
mod sender;
mod small_queue;
mod syn_timer;
mod tcb;
#[cfg(test)]
mod tests;
mod usage;

pub use config::TcpConfig;
pub use connection::{ConnectionConfig, ReceivingEnd, SendingEnd};
pub use delayed_ack::DelayedAck;
pub use idle_restart::IdleRestart;
pub use preset::TcpPreset;
pub use receiver::{AckAction, Receiver};
pub use rtt::{MAX_RTO, RtoFormula, RttEstimator};
pub use segment::{LimitedTransmit, Segment, SenderCounters};
pub use sender::Sender;
pub use syn_timer::SynTimer;
