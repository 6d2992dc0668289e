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

/// What a datagram says of the video frame that it belongs to, as the timestamps and markers of RTP do (RFC 3550 section
/// 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameMark {
    /// Number of the frame, counted from 0.
    pub frame: u32,
    /// In how many datagrams the frame is sent.
    pub count: u32,
    /// The rate with which the encoder made it, bit/s.
    pub rate_bps: u32,
}

/// What makes something of datagrams.
pub trait Receiver {
    /// A datagram has arrived. Numbers and times ascend.
    fn on_datagram(&mut self, datagram: &Received);

    /// The datagram that has arrived at `now` says this of its frame.
    fn on_mark(&mut self, _now: Instant, _mark: &FrameMark) {}

    /// What is measured starts anew at `now`. What the receiver has learned remains.
    fn measure_from(&mut self, now: Instant);
}
