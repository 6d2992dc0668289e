//! The end of a connection that receives the data.

use super::opening::{ConnectionConfig, Opening, SACK_PERMITTED, send_seldom};
use super::rate_limit::ReceiveLimit;
use crate::congestion::EcnFeedback;
use crate::packet::{Ecn, End, Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::transport::contract::{Counters, Endpoint, Output, Sink};
use crate::transport::header::PacketHeader;
use crate::transport::option::{PacketOption, TcpOptions, Timestamps};
use crate::transport::tcp::ecn::negotiation;
use crate::transport::tcp::ecn::receiver::Marks;
use crate::transport::tcp::receiver::{AckAction, Receiver};
use crate::units::Rate;

/// States of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The other end is to open the connection, or has done so.
    Listen,
    /// The SYN is unanswered.
    SynSent,
    /// A request is unanswered.
    Requesting,
    /// What was asked for arrives.
    Established,
}

/// The end of a connection that receives the data.
#[derive(Clone, Debug)]
pub struct ReceivingEnd {
    header: PacketHeader,
    config: Box<ConnectionConfig>,
    state: State,
    receiver: Receiver,
    opening: Opening,
    /// Requests after the one that opens the connection.
    requests: u64,
    /// What both ends have agreed on.
    ecn: EcnFeedback,
    marks: Marks,
    /// Whether with RFC 3168's feedback each ACK tells of its segments alone, as by DCTCP.
    echoes_each: bool,
    /// The limit of the rate, once there has been one.
    limit: Option<Box<ReceiveLimit>>,
    recent: Recent,
    /// Whether there is ECN, a limit, or timestamps.
    extended: bool,
}

/// Which timestamp ACKs echo (RFC 7323 section 4.3).
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    /// TS.Recent.
    value: Option<Instant>,
    /// Last.ACK.sent.
    last_ack_sent: u64,
}

impl Recent {
    /// A segment has arrived that begins at `seq`. The echo is of the first one that the next ACK covers, so that a
    /// delay of the ACK counts, and not of one beyond a hole.
    fn on_segment(&mut self, seq: u64, timestamp: Instant) {
        if seq <= self.last_ack_sent && self.value.is_none_or(|recent| timestamp >= recent) {
            self.value = Some(timestamp);
        }
    }
}

impl ReceivingEnd {
    /// An end without a connection, which another may open.
    pub fn new(config: &ConnectionConfig, header: PacketHeader) -> Self {
        Self {
            header,
            state: State::Listen,
            receiver: Receiver::new(config.tcp, config.segment),
            opening: Opening::new(config),
            requests: 0,
            config: Box::new(*config),
            ecn: EcnFeedback::None,
            marks: Marks::default(),
            echoes_each: false,
            limit: None,
            recent: Recent::default(),
            extended: config.tcp.timestamps(),
        }
    }

    /// The same, of a sender that counts the ACKs with ECN-Echo (RFC 8257 section 3.2).
    #[must_use]
    pub fn echoing_each(self, echoes_each: bool) -> Self {
        Self { echoes_each, ..self }
    }

    /// Whether this end has opened the connection, or asked for more, and no data have answered.
    #[inline]
    fn is_opening(&self) -> bool {
        matches!(self.state, State::SynSent | State::Requesting)
    }

    /// A packet of the handshake, or data with ECN or a timestamp.
    #[cold]
    fn on_other_packet(
        &mut self,
        now: Instant,
        packet: Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        if let Some(PacketOption::Tcp(TcpOptions { timestamps: Some(timestamps), .. })) = option {
            self.recent.on_segment(packet.seq, timestamps.value);
            if let (Some(limit), Some(echo)) = (&mut self.limit, timestamps.echo) {
                limit.on_echo(now, echo);
            }
        }
        if packet.kind != PacketKind::Data {
            return self.on_handshake(now, &packet, out);
        }
        if self.marks.flushes_before(&packet) && self.receiver.withholds() {
            self.receiver.acknowledged();
            self.acknowledge(now, self.receiver.next_expected(), out);
        }
        let at_once = self.marks.on_segment(&packet);
        self.on_plain_data(now, packet.seq, packet.payload, out);
        if at_once && self.receiver.withholds() {
            self.receiver.acknowledged();
            self.acknowledge(now, self.receiver.next_expected(), out);
        }
    }

    /// A data segment has arrived, of which neither the ECN field nor the option matters.
    #[inline(always)]
    fn on_plain_data(&mut self, now: Instant, seq: u64, payload: u16, out: &mut impl Output) {
        if self.state != State::Established && seq >= self.receiver.next_expected() {
            // What was requested arrives: nothing is to be repeated.
            self.state = State::Established;
            self.opening.on_answer(now);
        }
        if let AckAction::Ack(ack) = self.receiver.on_segment(now, seq, u32::from(payload)) {
            self.acknowledge(now, ack, out);
        }
    }

    /// A packet of the handshake has arrived.
    #[cold]
    fn on_handshake(&mut self, now: Instant, packet: &Packet, out: &mut impl Output) {
        let supported = self.config.tcp.receiver_ecn();
        match (packet.kind, self.state) {
            (PacketKind::Syn, _) => {
                self.agree_on(negotiation::on_syn(supported, packet.ecn_flags));
                self.send(now, PacketKind::SynAck, out);
            }
            (PacketKind::SynAck, State::SynSent) => {
                self.agree_on(negotiation::on_syn_ack(supported, packet.ecn_flags));
                self.opening.on_syn_ack(now);
                self.ask(now, out);
            }
            _ => {}
        }
    }

    /// Both ends agree on this.
    fn agree_on(&mut self, ecn: EcnFeedback) {
        self.ecn = ecn;
        self.marks = Marks::new(ecn, self.echoes_each);
        self.extended =
            self.marks.is_active() || self.limit.is_some() || self.config.tcp.timestamps();
    }

    #[inline(never)] // once, so that all that it calls is inlined into it
    fn acknowledge(&mut self, now: Instant, ack: u64, out: &mut impl Output) {
        let packet = self.header.packet(now, PacketKind::Ack, 0, ack);
        if self.extended || self.receiver.has_sack() {
            return self.acknowledge_more(now, packet, out);
        }
        out.send(&packet, None);
    }

    /// The timestamps of a segment that is sent now.
    fn timestamps(&self, now: Instant) -> Option<Timestamps> {
        self.config.tcp.timestamps().then_some(Timestamps { value: now, echo: self.recent.value })
    }

    /// Sends an ACK with timestamps, with what SACK and ECN report, and with the window under a limit.
    #[cold]
    fn acknowledge_more(&mut self, now: Instant, mut packet: Packet, out: &mut impl Output) {
        packet.ecn_flags = self.marks.take();
        let acc_ecn = self.marks.take_option();
        let acc_ecn_bytes = acc_ecn.map_or(0, |option| option.header_bytes());
        let has_sack = self.receiver.has_sack();
        let sack =
            if has_sack { self.receiver.sack_beside(acc_ecn_bytes) } else { Default::default() };
        packet.size += sack.header_bytes() + acc_ecn_bytes;
        let window = self.limit.as_ref().map(|limit| limit.window());
        let of_limit = window.map(|_| Timestamps { value: now, echo: None });
        let timestamps = self.timestamps(now).or(of_limit);
        self.recent.last_ack_sent = packet.seq;
        let options = PacketOption::Tcp(TcpOptions { sack, acc_ecn, window, timestamps });
        let carries_any = timestamps.is_some() || acc_ecn.is_some() || !sack.is_empty();
        send_seldom(&packet, carries_any.then_some(&options), out);
    }

    /// Sends a request for the first time.
    fn ask(&mut self, now: Instant, out: &mut impl Output) {
        self.state = State::Requesting;
        self.opening.timed = Some(now);
        self.opening.sent(now);
        self.send(now, PacketKind::Request, out);
    }

    /// Sends a packet of the handshake, or a further request, which acknowledges all that has arrived.
    fn send(&mut self, now: Instant, kind: PacketKind, out: &mut impl Output) {
        let config = &self.config;
        let payload = if kind == PacketKind::Request { config.request } else { 0 };
        let mut packet = self.header.packet(now, kind, payload, self.requests);
        match kind {
            PacketKind::Request => {
                self.receiver.acknowledged();
                packet.ecn_flags = self.marks.take();
                self.recent.last_ack_sent = self.receiver.next_expected();
            }
            PacketKind::Syn => {
                packet.ecn_flags = negotiation::syn(config.tcp.receiver_ecn());
            }
            // No SYN is ECN-capable.
            PacketKind::SynAck => {
                packet.ecn_flags = negotiation::syn_ack(self.ecn, Ecn::NotEct);
            }
            _ => {}
        }
        if kind != PacketKind::Request && config.tcp.sack {
            packet.size += SACK_PERMITTED;
        }
        packet.high_priority = config.tcp.spm_marking();
        let timestamps = self.timestamps(now);
        let options = PacketOption::Tcp(TcpOptions { timestamps, ..TcpOptions::default() });
        send_seldom(&packet, timestamps.is_some().then_some(&options), out);
    }
}

impl Endpoint for ReceivingEnd {
    /// The sender's data say how many bytes there are.
    fn open(&mut self, now: Instant, number: u8, _bytes: u64, _out: &mut impl Output) {
        self.header.connection = number;
        (self.state, self.requests) = (State::Listen, 0);
        self.receiver = Receiver::new(self.config.tcp, self.config.segment);
        self.opening = Opening::new(&self.config);
        self.recent = Recent::default();
        self.agree_on(EcnFeedback::None);
        if self.config.opened_by == End::Receiver {
            self.state = State::SynSent;
            self.opening.timed = Some(now);
            self.opening.deadline = now;
        }
    }

    fn request(&mut self, now: Instant, _bytes: u64, out: &mut impl Output) {
        self.requests += 1;
        self.ask(now, out);
    }

    #[inline(always)]
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        if packet.kind == PacketKind::Data && !self.extended {
            return self.on_plain_data(now, packet.seq, packet.payload, out);
        }
        // Only what is looked at: the common path does not load what is left out.
        let Packet { seq, payload, ecn, ecn_flags, .. } = *packet;
        let packet =
            Packet { seq, payload, ecn, ecn_flags, ..Packet::new(packet.flow, packet.kind) };
        self.on_other_packet(now, packet, option, out);
    }

    /// Repeats what is unanswered, or acknowledges.
    #[inline]
    fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if now >= self.opening.deadline {
            self.opening.on_timeout();
            self.opening.sent(now);
            let asks = self.state == State::Requesting;
            self.send(now, if asks { PacketKind::Request } else { PacketKind::Syn }, out);
        } else if let Some(ack) = self.receiver.on_timer(now) {
            self.acknowledge(now, ack, out);
        }
    }

    #[inline(always)]
    fn poll_at(&self) -> Instant {
        self.receiver.timer_at().min(self.opening.deadline)
    }

    /// Opens no connection, and asks for nothing, from now on.
    fn stop(&mut self) {
        if self.is_opening() {
            self.state = State::Listen;
            self.opening.deadline = Instant::NEVER;
        }
    }

    fn limit_rate(&mut self, _now: Instant, limit: Option<Rate>) {
        if limit.is_some() || self.limit.is_some() {
            let config = &self.config;
            let new = || Box::new(ReceiveLimit::new(config.tcp.window, config.segment));
            self.limit.get_or_insert_with(new).rate = limit;
            self.extended = true;
        }
    }

    /// Measured from the first limit on.
    fn rtt(&self) -> Option<Duration> {
        self.limit.as_ref().and_then(|limit| limit.rtt())
    }

    fn counters(&self) -> Counters {
        let (timeouts, congestion_marks) = (self.timeouts(), self.marks.count);
        Counters { timeouts, congestion_marks, ..Counters::default() }
    }

    /// How often the SYN or the request has been repeated.
    #[inline]
    fn timeouts(&self) -> u64 {
        self.opening.timeouts
    }

    #[inline]
    fn opening_since(&self) -> Option<Instant> {
        if self.is_opening() { self.opening.since() } else { None }
    }
}

impl Sink for ReceivingEnd {
    #[inline(always)]
    fn lacks(&self, packet: &Packet) -> bool {
        self.receiver.lacks(packet.seq)
    }

    fn received(&self) -> (u64, bool) {
        (self.receiver.next_expected(), self.receiver.has_data())
    }
}
