//! What packets carry besides the header: the options of TCP, and the headers of TFRC.

use super::sack::SackBlocks;
use crate::time::{Duration, Instant};
use crate::traffic::FrameMark;

/// The options of the transport header, or what else a packet carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PacketOption {
    /// Of a TCP segment.
    Tcp(TcpOptions),
    /// Of TFRC's data.
    TfrcData(DataHeader),
    /// Of TFRC's feedback packets.
    TfrcReport(Report),
    /// Of the video frame that a datagram belongs to.
    Frame(FrameMark),
    /// Of a receiver report of RTP: the fraction lost, in 256ths (RFC 3550 section 6.4.1).
    FractionLost(u8),
}

/// What a TCP segment carries beside sequence number and flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions {
    /// What has arrived beyond the cumulative acknowledgement (RFC 2018).
    pub sack: SackBlocks,
    /// The byte counters of AccECN, whose packet counter is [`EcnFlags::ace`](crate::packet::EcnFlags::ace).
    pub acc_ecn: Option<AccEcnCounters>,
    /// The window, segments, in the ACK of a receiver that limits the rate.
    pub window: Option<u32>,
    /// The timestamps of a connection that has them.
    pub timestamps: Option<Timestamps>,
}

/// The AccECN option (RFC 9768 section 3.2.3): payload bytes that have arrived with each codepoint, modulo 2^24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccEcnCounters {
    /// With ECT(0) (r.e0b).
    pub ect0: u32,
    /// With CE (r.ceb).
    pub ce: u32,
    /// With ECT(1) (r.e1b).
    pub ect1: u32,
}

/// The timestamps option (RFC 7323 section 3.2). Its clock is that of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: when the segment is sent.
    pub value: Instant,
    /// TSecr: a timestamp of the other end; `None` before one has arrived.
    pub echo: Option<Instant>,
}

impl Timestamps {
    /// Bytes of the option behind two no-operations, which align it (RFC 7323 appendix A).
    pub const BYTES: u32 = 12;
}

/// What a data packet of TFRC carries beside its number (RFC 5348 section 3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataHeader {
    /// When it is sent.
    pub sent: Instant,
    /// R, once the sender knows it.
    pub rtt: Option<Duration>,
}

/// What a feedback packet of TFRC carries (RFC 5348 section 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// t_recvdata: when the last data packet that has arrived was sent.
    pub timestamp: Instant,
    /// t_delay: how long ago that arrived.
    pub delay: Duration,
    /// X_recv, bytes/s.
    pub receive_rate: f64,
    /// p.
    pub loss_event_rate: f64,
}
