//! The sender and the receiver by hand ([`sending`], [`receiving`], [`sack`], [`rack`], [`ecn`], [`acc_ecn`], [`timestamps`]), whether cwnd grows where it does not limit the sender ([`validation`]), and both with a path
//! between them that loses, delays and reorders ([`path`], [`transfers`], what theory says of random
//! losses: [`pftk`], further requests over a connection: [`requests`], each congestion control on a link that queues: [`variants`], those that count marks: [`scalable`], and limits of the
//! rate: [`rate_limit`]).

mod acc_ecn;
mod bbr;
mod bbr1;
mod delays;
mod ecn;
mod fine_grained;
mod link;
mod path;
mod pftk;
mod rack;
mod rate_limit;
mod receiving;
mod requests;
mod sack;
mod scalable;
mod sending;
mod timestamps;
mod transfers;
mod validation;
mod variants;

use super::{
    AckAction, ConnectionConfig, DelayedAck, LimitedTransmit, Receiver, ReceivingEnd, RtoFormula,
    Segment, SendingEnd, SynTimer, TcpConfig,
};
use crate::congestion::{Config, Controller, Window};
use crate::packet::{End, FlowId, NodeId};
use crate::time::{Duration, Instant};
use crate::transport::{Endpoint, Ends, PacketHeader, SackBlocks, Source};

/// Payload bytes of a full segment in these tests.
const SEGMENT: u64 = 1000;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// What a sender under test has: TCP's options, and the bytes to send in all.
#[derive(Clone, Copy, Debug)]
struct Sending {
    tcp: TcpConfig,
    total: u64,
}

/// Without an end.
impl From<TcpConfig> for Sending {
    fn from(tcp: TcpConfig) -> Self {
        Self { tcp, total: u64::MAX }
    }
}

impl Sending {
    fn with_initial_window(self, initial_window: u32) -> Self {
        Self { tcp: TcpConfig { initial_window, ..self.tcp }, ..self }
    }
}

/// Nothing limits the sender but its congestion window, and the receiver acknowledges each segment.
fn plain() -> TcpConfig {
    TcpConfig {
        window: 1_000_000,
        initial_window: 1,
        initial_ssthresh: Some(1_000_000),
        delayed_ack: DelayedAck::Every(1),
        delayed_ack_timeout: Duration::from_millis(100),
        quick_acks: 0,
        byte_counting: Some(false),
        cwnd_validation: false,
        idle_restart: None,
        spm_marking: Some(false),
        limited_transmit: LimitedTransmit::Off,
        sack: false,
        rack: false,
        prr: false,
        ecn: None,
        receiver_ecn: None,
        timestamps: None,
        pacing: false,
        tso: false,
        tsq: None,
        rto: RtoFormula::Rfc6298,
        min_rto: Duration::from_millis(200),
        initial_rto: Duration::from_secs(3),
        syn_timer: SynTimer::Exact,
    }
}

/// A receiver that acknowledges each so many segments.
fn receiver_of(config: TcpConfig, delayed_ack: u32) -> Receiver {
    let delayed_ack = DelayedAck::Every(delayed_ack);
    Receiver::new(TcpConfig { delayed_ack, ..config }, SEGMENT as u32)
}

fn newreno() -> Controller {
    Controller::new(&Config::default())
}

const HEADERS: [PacketHeader; 2] = PacketHeader::of_ends(FlowId(0), NodeId(1), [40, 40]);

fn connection_config(tcp: TcpConfig, delayed_ack: u32) -> ConnectionConfig {
    ConnectionConfig {
        tcp: TcpConfig { delayed_ack: DelayedAck::Every(delayed_ack), ..tcp },
        segment: SEGMENT as u32,
        opened_by: End::Sender,
        request: 0,
        uptime: Duration::ZERO,
        random: 1,
    }
}

/// Both ends of a flow.
fn ends(config: &ConnectionConfig) -> Ends<SendingEnd, ReceivingEnd> {
    let [data, acks] = HEADERS;
    Ends::new(SendingEnd::new(config, newreno(), data), ReceivingEnd::new(config, acks))
}

/// A sending end whose SYN is the next segment to be sent.
fn sending_end(config: impl Into<Sending>, control: Controller) -> SendingEnd {
    let Sending { tcp, total } = config.into();
    let mut end = SendingEnd::new(&connection_config(tcp, 1), control, HEADERS[0]);
    end.renew(0, total);
    end.begin_opening();
    end
}
