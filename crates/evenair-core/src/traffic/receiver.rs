//! The contract of receivers of datagrams.

use crate::time::Instant;

/// A datagram that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// When it arrived.
    pub now: Instant,
    /// When it was sent.
    pub sent: Instant,
    /// How many the flow had sent before it.
    pub number: u64,
    /// Its payload, bytes.
    pub bytes: u32,
}

/// What makes something of datagrams.
pub trait Receiver {
    /// A datagram has arrived. Numbers and times ascend.
    fn on_datagram(&mut self, datagram: &Received);

    /// What is measured starts anew at `now`. What the receiver has learned remains.
    fn measure_from(&mut self, now: Instant);
}
