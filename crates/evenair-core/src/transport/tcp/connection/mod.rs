//! A connection (RFC 9293): how it is opened, what each end does with a packet, and its end.
//!
//! Data go from the [`SendingEnd`] to the [`ReceivingEnd`]. Either opens the connection:
//!
//! ```text
//! the sender (ns-2; Miorandi et al. 2006, equation 13)   the receiver (a browser)
//!   SYN ->                                                 <- SYN
//!   <- SYN-ACK                                             SYN-ACK ->
//!   data ->                                                <- ACK with the request
//!   <- ACK                                                 data ->
//! ```
//!
//! The end that opens repeats its SYN, and then its request, by a timer of its own. The other end
//! answers each SYN and repeats nothing by itself. No FIN is sent: the transfer is over when the
//! sender knows that all has arrived ([`Connection::is_done`]). A further transfer takes place over a
//! new connection ([`Connection::open`]); [`Packet::connection`] separates it from late copies of the
//! old connection's packets.

mod opening;
mod rate_limit;
mod receiving;
mod sending;

pub use opening::ConnectionConfig;
pub use receiving::ReceivingEnd;
pub use sending::SendingEnd;

use super::sender::SenderSnapshot;
use crate::congestion::{Controller, Window};
use crate::delays::Delays;
use crate::packet::{End, Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::transport::contract::{Counters, Measurements, Output, Transport};
use crate::transport::header::PacketHeader;
use crate::transport::limits::{Limit, LimitTimes};
use crate::transport::option::PacketOption;
use crate::units::Rate;

/// Both ends of a connection.
#[derive(Debug)]
pub struct Connection {
    sending: SendingEnd,
    receiving: ReceivingEnd,
    /// One-way delays of data.
    delays: Delays,
    template: Box<Template>,
}

/// What the ends of a connection are made of.
#[derive(Debug)]
struct Template {
    config: ConnectionConfig,
    control: Controller,
    headers: [PacketHeader; 2],
}

impl Connection {
    /// A connection that is not open. `headers` are those of the sender and of the receiver.
    pub fn new(config: ConnectionConfig, control: Controller, headers: [PacketHeader; 2]) -> Self {
        let template = Box::new(Template { config, control, headers });
        let (sending, receiving) = template.ends(0, config.sender.total);
        Self { sending, receiving, delays: Delays::default(), template }
    }

    /// Opens connection `number` of the flow for a transfer of `total` bytes; `u64::MAX` never ends.
    /// Nothing is left of the connection before.
    pub fn open(&mut self, now: Instant, number: u8, total: u64, out: &mut impl Output) {
        let stopped = self.sending.is_stopped();
        let (mut sending, mut receiving) = self.template.ends(number, total);
        sending.take_over(&mut self.sending);
        receiving.take_over(&mut self.receiving);
        (self.sending, self.receiving) = (sending, receiving);
        if stopped {
            self.sending.stop();
        }
        self.sending.set_limit(now, Limit::Cwnd);
        match self.template.config.opened_by {
            End::Sender => self.sending.open(now, out),
            End::Receiver => {
                self.sending.listen();
                self.receiving.open(now);
            }
        }
    }

    /// Whether the receiver's SYN or request has not been answered.
    pub fn is_opening(&self) -> bool {
        self.receiving.is_opening()
    }

    /// Whether the sender knows that all has arrived.
    pub fn is_done(&self) -> bool {
        self.sending.is_done()
    }

    /// Payload bytes acknowledged.
    pub fn acked(&self) -> u64 {
        self.sending.acked()
    }

    /// The next byte that the receiver expects.
    pub fn next_expected(&self) -> u64 {
        self.receiving.next_expected()
    }

    /// Whether the receiver has got a segment.
    pub fn has_data(&self) -> bool {
        self.receiving.has_data()
    }

    /// The constants.
    pub fn config(&self) -> &ConnectionConfig {
        &self.template.config
    }

    /// The congestion window and its threshold.
    pub fn window(&self) -> Window {
        self.sending.window()
    }

    /// The present state of the sender.
    pub fn snapshot(&self) -> SenderSnapshot {
        self.sending.snapshot()
    }

    /// Records the one-way delay of a data segment that is about to be received for the first time.
    #[inline(always)]
    fn note_delay(&mut self, now: Instant, packet: &Packet) {
        if self.receiving.lacks(packet.seq) {
            // It has not arrived, so it is not acknowledged.
            self.delays.record(now.since(self.sending.first_sent(packet.seq)));
        }
    }

    /// A packet of the handshake, or data with ECN or a timestamp.
    #[cold]
    fn on_other_packet(
        &mut self,
        now: Instant,
        packet: Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) -> End {
        let end = match (packet.kind, self.template.config.opened_by) {
            (PacketKind::Data, _) => End::Receiver,
            (PacketKind::SynAck, opener) => opener,
            (_, End::Sender) => End::Receiver,
            (_, End::Receiver) => End::Sender,
        };
        match end {
            End::Sender => self.sending.on_packet(now, &packet, None, out),
            End::Receiver => self.receiving.on_packet(now, &packet, option, out),
        }
        end
    }
}

impl Template {
    fn ends(&self, number: u8, total: u64) -> (SendingEnd, ReceivingEnd) {
        let mut config = self.config;
        config.sender.total = total;
        let [sender, receiver] =
            self.headers.map(|header| PacketHeader { connection: number, ..header });
        let sending = SendingEnd::new(&config, self.control.clone(), sender);
        (sending, ReceivingEnd::new(&config, receiver))
    }
}

impl Transport for Connection {
    /// Opens the only connection of the flow.
    fn start(&mut self, now: Instant, out: &mut impl Output) {
        self.open(now, 0, self.template.config.sender.total, out);
    }

    #[inline(always)]
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) -> (End, Instant) {
        match packet.kind {
            // A late copy from a connection before.
            _ if packet.connection != self.sending.number() => (End::Receiver, Instant::NEVER),
            PacketKind::Data if self.receiving.takes_plain_data() => {
                self.note_delay(now, packet);
                self.receiving.on_plain_data(now, packet.seq, packet.payload, out);
                (End::Receiver, self.receiving.poll_at())
            }
            PacketKind::Ack => {
                self.sending.on_ack(now, packet.seq, packet.ece, option, out);
                (End::Sender, self.sending.poll_at())
            }
            kind => {
                if kind == PacketKind::Data {
                    self.note_delay(now, packet);
                }
                // Only what the ends look at: the common path does not load what is left out.
                let Packet { seq, payload, ecn, ece, cwr, .. } = *packet;
                let packet =
                    Packet { seq, payload, ecn, ece, cwr, ..Packet::new(packet.flow, kind) };
                let end = self.on_other_packet(now, packet, option, out);
                (end, self.poll_at(end))
            }
        }
    }

    #[inline]
    fn on_timer(&mut self, now: Instant, end: End, out: &mut impl Output) {
        match end {
            End::Sender => self.sending.on_timer(now, out),
            End::Receiver => {
                let opening = self.receiving.opening_timeout(now);
                self.receiving.on_timer(now, out);
                if let Some(sent) = opening {
                    self.sending.note_opening_timeout(now, sent);
                }
            }
        }
    }

    #[inline(always)]
    fn poll_at(&self, end: End) -> Instant {
        match end {
            End::Sender => self.sending.poll_at(),
            End::Receiver => self.receiving.poll_at(),
        }
    }

    fn stop(&mut self, now: Instant) {
        self.sending.stop();
        self.receiving.stop();
        if self.sending.is_over() {
            self.sending.set_limit(now, Limit::Application);
        }
    }

    fn limit_rate(&mut self, _now: Instant, end: End, limit: Option<Rate>) {
        match end {
            End::Sender => self.sending.limit_rate(limit),
            End::Receiver => self.receiving.limit_rate(limit),
        }
    }

    fn rtt(&self, end: End) -> Option<Duration> {
        match end {
            End::Sender => self.sending.rtt().srtt(),
            End::Receiver => self.receiving.rtt(),
        }
    }

    fn answer_bytes(&self) -> u32 {
        self.template.headers[End::Receiver as usize].bytes
    }

    fn counters(&self) -> Counters {
        let sender = self.sending.counters();
        let (rtt_samples, rtt_sum) = self.sending.rtt().total();
        Counters {
            delivered: self.sending.acked(),
            segments_sent: sender.segments_sent,
            retransmissions: sender.retransmissions,
            timeouts: sender.timeouts + self.receiving.timeouts(),
            fast_retransmits: sender.fast_retransmits,
            congestion_marks: self.receiving.congestion_marks(),
            congestion_responses: sender.congestion_responses,
            loss_events: 0,
            packets_lost: 0,
            rtt_samples,
            rtt_sum,
        }
    }

    fn measure_from(&mut self, now: Instant) {
        self.sending.measure_from(now);
        self.delays.reset();
    }

    fn measurements(&self) -> Measurements<'_> {
        let rtt = Some(self.sending.rtt_samples());
        Measurements { rtt, one_way_delay: &self.delays }
    }

    fn limits(&self, now: Instant) -> Option<LimitTimes> {
        Some(self.sending.limits(now, self.receiving.has_repeated()))
    }

    fn cwnd(&self) -> Option<f64> {
        Some(self.window().cwnd)
    }
}
