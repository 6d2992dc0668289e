//! What packets carry besides the header: the options of TCP, and the headers of TFRC.

use super::sack::SackBlocks;
use crate::time::{Duration, Instant};

/// An option of the transport header, or what else a packet carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PacketOption {
    /// What has arrived beyond the cumulative acknowledgement (RFC 2018).
    Sack(SackBlocks),
    /// Of the ACK of a receiver that limits the rate.
    Window(WindowUpdate),
    /// TSecr of data: the timestamp of the ACK that was the last to arrive (RFC 7323).
    TimestampEcho(Instant),
    /// Of TFRC's data.
    TfrcData(DataHeader),
    /// Of TFRC's feedback packets.
    TfrcReport(Report),
}

/// What the ACK of a receiver that limits the rate carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowUpdate {
    /// SACK blocks.
    pub sack: SackBlocks,
    /// The window, segments.
    pub window: u32,
    /// TSval: when the ACK is sent.
    pub timestamp: Instant,
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
