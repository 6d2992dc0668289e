//! The sender and the receiver by hand ([`sending`], [`receiving`], [`sack`], [`rack`], [`ecn`]), whether cwnd grows where it does not limit the sender ([`validation`]), and both with a path
//! between them that loses, delays and reorders ([`path`], [`transfers`], what theory says of random
//! losses: [`pftk`], each congestion control on a link that queues: [`variants`], and limits of the
//! rate: [`rate_limit`]).

mod delays;
mod ecn;
mod fine_grained;
mod path;
mod pftk;
mod rack;
mod rate_limit;
mod receiving;
mod sack;
mod sending;
mod transfers;
mod validation;
mod variants;

use super::{
    AckAction, ConnectionConfig, DelayedAck, LimitedTransmit, Receiver, ReceiverConfig,
    ReceivingEnd, RtoFormula, Segment, SenderConfig, SendingEnd, SynTimer,
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

/// Nothing limits the sender but its congestion window.
fn plain() -> SenderConfig {
    SenderConfig {
        segment: SEGMENT as u32,
        window: 1_000_000,
        initial_window: 1,
        initial_ssthresh: 1_000_000,
        byte_counting: false,
        cwnd_validation: false,
        limited_transmit: LimitedTransmit::Off,
        spm_marking: false,
        sack: false,
        rack: false,
        prr: false,
        ecn: false,
        rto: RtoFormula::Rfc6298,
        min_rto: Duration::from_millis(200),
        initial_rto: Duration::from_secs(3),
        total: u64::MAX,
    }
}

fn receiver_config(delayed_ack: u32) -> ReceiverConfig {
    let delayed_ack = DelayedAck::Every(delayed_ack);
    ReceiverConfig {
        segment: SEGMENT as u32,
        delayed_ack,
        delayed_ack_timeout: Duration::from_millis(100),
        quick_acks: 0,
        sack: false,
        ecn: false,
    }
}

/// With SACK at both ends or not.
fn receiver_of(config: &SenderConfig, delayed_ack: u32) -> Receiver {
    Receiver::new(ReceiverConfig { sack: config.sack, ..receiver_config(delayed_ack) })
}

fn newreno() -> Controller {
    Controller::new(&Config::default())
}

const HEADERS: [PacketHeader; 2] = PacketHeader::of_ends(FlowId(0), NodeId(1), [40, 40]);

fn connection_config(sender: SenderConfig, delayed_ack: u32) -> ConnectionConfig {
    let receiver =
        ReceiverConfig { sack: sender.sack, ecn: sender.ecn, ..receiver_config(delayed_ack) };
    let (syn_timer, uptime) = (SynTimer::Exact, Duration::ZERO);
    ConnectionConfig { sender, receiver, opened_by: End::Sender, request: 0, syn_timer, uptime }
}

/// Both ends of a flow.
fn ends(config: &ConnectionConfig) -> Ends<SendingEnd, ReceivingEnd> {
    let [data, acks] = HEADERS;
    Ends::new(SendingEnd::new(config, newreno(), data), ReceivingEnd::new(config, acks))
}

/// A sending end whose SYN is the next segment to be sent.
fn sending_end(config: SenderConfig, control: Controller) -> SendingEnd {
    let mut end = SendingEnd::new(&connection_config(config, 1), control, HEADERS[0]);
    end.begin_opening();
    end
}
