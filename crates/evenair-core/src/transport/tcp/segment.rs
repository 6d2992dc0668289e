//! What a sender is made of and what it makes: its constants, its segments, its counters.

use super::rtt::RtoFormula;
use crate::component::named;
use crate::time::Duration;

/// A sender's constants.
#[derive(Clone, Copy, Debug)]
pub struct SenderConfig {
    /// Payload bytes of a full segment.
    pub segment: u32,
    /// The receiver's window, segments.
    pub window: u32,
    /// cwnd after the handshake, segments.
    pub initial_window: u32,
    /// ssthresh at the start, segments.
    pub initial_ssthresh: u32,
    /// Whether cwnd grows by the segments that an ACK covers instead of once per ACK (RFC 3465,
    /// without its limit).
    pub byte_counting: bool,
    /// Whether cwnd grows only while it limits the sender (RFC 7661).
    pub cwnd_validation: bool,
    /// What each of the first two duplicate ACKs allows to be sent.
    pub limited_transmit: LimitedTransmit,
    /// Whether crucial segments are marked (Gong et al. 2006, section III-A).
    pub spm_marking: bool,
    /// Whether recovery goes by what ACKs report out of order (RFC 6675).
    pub sack: bool,
    /// Whether losses are found by time, and a probe asks for ACKs that do not come (RFC 8985); with
    /// SACK only.
    pub rack: bool,
    /// Whether recovery brings down what is in flight little by little (RFC 9937); with SACK only.
    pub prr: bool,
    /// Whether segments may be marked by queues instead of dropped (RFC 3168), if the other end
    /// agrees.
    pub ecn: bool,
    /// How the retransmission timeout follows from round-trip times.
    pub rto: RtoFormula,
    /// The lower bound of the retransmission timeout; what it bounds depends on `rto`.
    pub min_rto: Duration,
    /// The retransmission timeout before the first round-trip time is known.
    pub initial_rto: Duration,
    /// Payload bytes to send in all; `u64::MAX` never ends.
    pub total: u64,
}

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
