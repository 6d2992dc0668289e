//! What a sender makes: its segments, its counters.

use crate::component::named;

named! {
    /// What each of the first two duplicate ACKs, which confirm no loss yet, allows beyond cwnd.
    pub enum LimitedTransmit {
        /// Nothing.
        Off => "off",
        /// A segment that has never been sent (RFC 3042).
        #[default]
        New => "new",
        /// The next segment in turn: after a timeout that is one sent before. Not RFC 3042, but what
        /// ns-2 does; where losses are many it sends again, and needlessly, 3% of all segments.
        Any => "any",
    }
    planned []
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whether this is the connection's first segment, which has no payload.
    pub syn: bool,
    /// The first payload byte.
    pub seq: u64,
    /// Payload bytes.
    pub payload: u32,
    /// Whether it, or a part of it, has been sent before.
    pub retransmission: bool,
    /// Marked as crucial.
    pub high_priority: bool,
}

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Recoveries begun: losses found by duplicate ACKs, SACK or RACK.
    pub fast_retransmits: u64,
    /// Reductions of the window because of congestion marks.
    pub congestion_responses: u64,
}
