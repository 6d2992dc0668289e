//! How a connection is opened, and what both ends know of that.

use crate::packet::{End, Packet};
use crate::time::{Duration, Instant};
use crate::transport::contract::Output;
use crate::transport::option::PacketOption;
use crate::transport::tcp::config::TcpConfig;
use crate::transport::tcp::rtt::RttEstimator;
use crate::transport::tcp::syn_timer::SynTimer;

/// Bytes of the option that offers SACK, aligned (RFC 2018 section 2).
pub(super) const SACK_PERMITTED: u32 = 4;

/// What both ends of a connection have to know.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionConfig {
    /// TCP's options.
    pub tcp: TcpConfig,
    /// Payload of a full segment, bytes.
    pub segment: u32,
    /// Which end opens the connection.
    pub opened_by: End,
    /// Payload of the request of a receiver that opens, bytes.
    pub request: u32,
    /// The age of the host's clock at time 0, below [`SynTimer::UPTIMES`]; for a timer on its ticks.
    pub uptime: Duration,
    /// From which the random numbers of its congestion control follow.
    pub random: u64,
}

/// The timer of the end that opens: it repeats what is unanswered (RFC 6298).
#[derive(Clone, Debug)]
pub(super) struct Opening {
    timer: SynTimer,
    uptime: Duration,
    pub(super) rtt: RttEstimator,
    /// When the SYN or the request was sent; none if it was repeated (Karn).
    pub(super) timed: Option<Instant>,
    /// Something has been sent and not been answered.
    pub(super) waits: bool,
    /// When that was sent last.
    pub(super) sent_at: Instant,
    pub(super) deadline: Instant,
    pub(super) timeouts: u64,
}

impl Opening {
    pub(super) fn new(config: &ConnectionConfig) -> Self {
        let TcpConfig { rto, initial_rto, min_rto, syn_timer: timer, .. } = config.tcp;
        let rtt = RttEstimator::new(rto, initial_rto, min_rto);
        let uptime = config.uptime;
        let (sent_at, deadline) = (Instant::ZERO, Instant::NEVER);
        Self { timer, uptime, rtt, timed: None, waits: false, sent_at, deadline, timeouts: 0 }
    }

    /// When what is unanswered was sent last.
    pub(super) fn since(&self) -> Option<Instant> {
        self.waits.then_some(self.sent_at)
    }

    /// The timer has expired. What has not been answered is lost.
    pub(super) fn on_timeout(&mut self) {
        self.deadline = Instant::NEVER;
        if self.waits {
            self.timeouts += 1;
            self.timed = None;
            self.rtt.back_off();
        }
    }

    /// The SYN, or what follows it, is sent.
    pub(super) fn sent(&mut self, now: Instant) {
        self.waits = true;
        self.sent_at = now;
        self.deadline = self.timer.expiry(self.uptime, now, self.rtt.rto());
    }

    /// The SYN is answered.
    pub(super) fn on_syn_ack(&mut self, now: Instant) -> bool {
        self.deadline = Instant::NEVER;
        let rtt = self.timed.take().map(|sent| now.since(sent));
        self.measured(rtt)
    }

    /// The request is answered.
    pub(super) fn on_answer(&mut self, now: Instant) {
        self.deadline = Instant::NEVER;
        if let Some(sent) = self.timed.take() {
            self.rtt.sample(now.since(sent));
        }
    }

    /// The handshake's round-trip time is this, or unknown because of a retransmission. Returns
    /// whether it is known.
    pub(super) fn measured(&mut self, rtt: Option<Duration>) -> bool {
        match rtt {
            Some(rtt) => self.rtt.sample(rtt),
            None => self.rtt.be_patient(),
        }
        rtt.is_some()
    }
}

/// Sends a packet of a kind that is seldom sent. [`Output::send`] may be long and inlined; this has one
/// copy of it.
#[inline(never)]
pub(super) fn send_seldom(packet: &Packet, option: Option<&PacketOption>, out: &mut impl Output) {
    out.send(packet, option);
}
