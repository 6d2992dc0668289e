//! What a congestion control and explicit congestion notification know of each other.

use crate::packet::Ecn;

/// How a receiver tells the sender of marks: what an end supports, or what both have agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EcnFeedback {
    /// Not at all: no packet is ECN-capable.
    #[default]
    None,
    /// ACKs say that there have been marks since the window was last reduced (RFC 3168 section 6.1.3).
    Rfc3168,
    /// ACKs count marked packets, and the bytes with each codepoint (RFC 9768, AccECN).
    AccEcn,
}

/// What a congestion control does about marks, and so what its packets ask queues for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnResponse {
    /// As about a loss, once for a window of data; ACKs that report marks do not increase cwnd (RFC 3168
    /// section 6.1.2).
    #[default]
    Classic,
    /// By the share of segments that are marked. Such a control decides itself what an ACK that reports marks
    /// changes, and a loss is a reduction of its own (RFC 8257).
    Scalable,
    /// The same, and its packets ask for the marks of L4S (RFC 9331 section 4).
    L4s,
}

impl EcnResponse {
    /// The codepoint of its data.
    pub fn codepoint(self) -> Ecn {
        match self {
            Self::Classic | Self::Scalable => Ecn::Ect0,
            Self::L4s => Ecn::Ect1,
        }
    }
}
