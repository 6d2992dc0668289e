//! TCP endpoints: a sender and a receiver without sockets, clocks or payload bytes.
//!
//! A [`Sender`] is told of acknowledgements and of its timer, and is then asked for segments until
//! it has none to send; a [`Receiver`] is told of segments and answers each with an
//! acknowledgement, or with a delay after which to ask again. Sequence numbers are payload bytes
//! since the start of the flow and do not wrap.

pub mod congestion;
mod prr;
mod rack;
mod ranges;
mod receiver;
mod rtt;
mod sack;
mod sender;
#[cfg(test)]
mod tests;

pub use receiver::{AckAction, DelayedAck, Receiver, ReceiverConfig};
pub use rtt::{MAX_RTO, RttEstimator};
pub use sack::{MAX_BLOCKS, SackBlocks};
pub use sender::{LimitedTransmit, Segment, Sender, SenderConfig, SenderCounters};
