//! The end of a connection that sends the data.

use super::opening::{ConnectionConfig, Opening, SACK_PERMITTED, send_seldom};
use super::rate_limit::SendLimit;
use super::template::Template;
use crate::congestion::{Controller, EcnFeedback, Observed, Window};
use crate::delays::Delays;
use crate::packet::{EcnFlags, End, Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::transport::contract::{Counters, Endpoint, Output, Source, Windows};
use crate::transport::header::PacketHeader;
use crate::transport::limits::Limit;
use crate::transport::option::{PacketOption, TcpOptions, Timestamps};
use crate::transport::tcp::config::TcpConfig;
use crate::transport::tcp::ecn::negotiation;
use crate::transport::tcp::ecn::sending::SenderEcn;
use crate::transport::tcp::rtt::RttEstimator;
use crate::transport::tcp::segment::Segment;
use crate::transport::tcp::sender::Sender;
use crate::units::Rate;

/// States of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    /// The SYN is to be sent, for the first time or again.
    Opening,
    SynSent,
    /// The other end is to open the connection.
    Listen,
    Established,
}

/// The end of a connection that sends the data.
#[derive(Clone, Debug)]
pub struct SendingEnd {
    header: PacketHeader,
    template: Box<Template>,
    state: State,
    sender: Sender,
    opening: Opening,
    /// When the answer to the SYN was sent; none if it has been sent again.
    answered: Option<Instant>,
    /// A SYN has been answered.
    has_answered: bool,
    /// Further requests that have arrived.
    requests: u64,
    /// The bytes that the next one is for; none if the receiver asks for no more.
    next: Option<u64>,
    ecn: SenderEcn,
    /// The limits of the rate, once there has been one.
    limit: Option<Box<SendLimit>>,
    /// TS.Recent: the last timestamp of the receiver (RFC 7323 section 4.3).
    recent: Option<Instant>,
    /// Whether there is ECN, a limit, timestamps, or a small queue.
    extended: bool,
}

impl SendingEnd {
    /// An end without a connection.
    pub fn new(config: &ConnectionConfig, control: Controller, header: PacketHeader) -> Self {
        let mut template = Box::new(Template::new(*config, control));
        Self {
            header,
            state: State::Closed,
            sender: template.sender(u64::MAX),
            template,
            opening: Opening::new(config),
            answered: None,
            has_answered: false,
            requests: 0,
            next: None,
            ecn: SenderEcn::default(),
            limit: None,
            recent: None,
            extended: config.tcp.timestamps() || config.tcp.tsq.is_some(),
        }
    }

    /// The limits, from now on.
    fn limit(&mut self) -> &mut SendLimit {
        self.extended = true;
        let full = self.sender.receive_window();
        self.limit.get_or_insert_with(|| Box::new(SendLimit::new(full)))
    }

    fn update_window(&mut self) {
        if let Some(limit) = &self.limit {
            let min_rtt = self.sender.rtt().min_rtt();
            self.sender.set_receive_window(limit.window(min_rtt, self.sender.segment()));
        }
    }

    /// Bytes of options in a SYN or SYN-ACK.
    fn syn_options(&self) -> u32 {
        if self.template.config.tcp.sack { SACK_PERMITTED } else { 0 }
    }

    /// The next connection is to be opened, which sends so many bytes.
    pub(in crate::transport::tcp) fn renew(&mut self, number: u8, bytes: u64) {
        let stopped = self.sender.is_stopped();
        let rtt_samples = std::mem::take(&mut self.sender.rtt_samples);
        self.header.connection = number;
        self.sender = self.template.sender(bytes);
        self.sender.rtt_samples = rtt_samples;
        if stopped {
            self.sender.stop();
        }
        self.opening = Opening::new(&self.template.config);
        (self.answered, self.has_answered, self.recent) = (None, false, None);
        (self.requests, self.next) = (0, None);
        self.limit = self.limit.as_ref().map(|limit| Box::new(limit.of_next_connection()));
        self.agree_on(EcnFeedback::None);
    }

    /// The SYN is the next segment to be sent.
    pub(in crate::transport::tcp) fn begin_opening(&mut self) {
        self.state = State::Opening;
    }

    /// Waits for the other end to open the connection.
    fn listen(&mut self) {
        self.state = State::Listen;
    }

    /// An acknowledgement has arrived.
    #[inline(always)]
    fn on_ack(
        &mut self,
        now: Instant,
        ack: u64,
        flags: EcnFlags,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        let blocks = match option {
            Some(PacketOption::Tcp(options)) => {
                if options.timestamps.is_some() {
                    self.on_timestamps(options);
                }
                options.sack.as_slice()
            }
            Some(_) | None => &[],
        };
        if self.extended {
            self.on_extended_ack(now, ack, flags, blocks, option);
        } else {
            self.sender.on_ack(now, ack, blocks);
        }
        self.transmit(now, out);
    }

    /// Takes the timestamps of an acknowledgement, and the window if it has one.
    #[cold]
    fn on_timestamps(&mut self, options: &TcpOptions) {
        if let Some(window) = options.window {
            self.limit().on_update(window);
        }
        if let Some(timestamps) = options.timestamps {
            self.recent = Some(timestamps.value);
            self.sender.set_echo(timestamps.echo);
        }
    }

    /// An acknowledgement has arrived where there is ECN, a limit, or timestamps.
    #[cold]
    fn on_extended_ack(
        &mut self,
        now: Instant,
        ack: u64,
        flags: EcnFlags,
        blocks: &[(u64, u64)],
        option: Option<&PacketOption>,
    ) {
        let marked = self.ecn.marked(ack, flags, blocks, option);
        if marked.is_any() {
            self.sender.on_ack_with_marks(now, ack, blocks, marked);
        } else {
            self.sender.on_ack(now, ack, blocks);
        }
        self.update_window();
    }

    /// A packet of the handshake has arrived.
    #[cold]
    fn on_handshake(&mut self, now: Instant, packet: &Packet, out: &mut impl Output) {
        let supported = self.template.config.tcp.ecn();
        let flags = packet.ecn_flags;
        match packet.kind {
            PacketKind::Syn if self.state == State::Listen => {
                let again = std::mem::replace(&mut self.has_answered, true);
                self.answered = (!again).then_some(now);
                let mut answer = self.header.packet(now, PacketKind::SynAck, 0, 0);
                answer.size += self.syn_options();
                answer.high_priority = self.template.config.tcp.spm_marking();
                self.agree_on(negotiation::on_syn(supported, flags));
                answer.ecn_flags = negotiation::syn_ack(self.ecn.agreed(), packet.ecn);
                let timestamps = self.timestamps(now, true);
                let options = PacketOption::Tcp(TcpOptions { timestamps, ..TcpOptions::default() });
                send_seldom(&answer, timestamps.is_some().then_some(&options), out);
            }
            PacketKind::SynAck => {
                self.agree_on(negotiation::on_syn_ack(supported, flags));
                self.on_syn_ack(now);
            }
            PacketKind::Request if self.state == State::Listen => {
                let measured = self.opening.measured(self.answered.map(|sent| now.since(sent)));
                self.establish(now, measured);
            }
            _ => {}
        }
        self.transmit(now, out);
    }

    /// A further request has arrived. It acknowledges all that was sent, because the receiver asks for one
    /// thing after the other. A copy of it says nothing new.
    #[cold]
    fn on_request(&mut self, now: Instant, number: u64, flags: EcnFlags, out: &mut impl Output) {
        if number == self.requests + 1
            && let Some(bytes) = self.next.take()
        {
            self.requests = number;
            self.on_extended_ack(now, self.sender.total(), flags, &[], None);
            self.sender.resume(now, bytes);
        }
        self.transmit(now, out);
    }

    /// An acknowledgement alone.
    #[cfg(test)]
    pub(in crate::transport::tcp) fn take_ack(
        &mut self,
        now: Instant,
        ack: u64,
        blocks: &[(u64, u64)],
    ) {
        self.sender.on_ack(now, ack, blocks);
    }

    /// The SYN is answered.
    pub(in crate::transport::tcp) fn on_syn_ack(&mut self, now: Instant) {
        if self.state == State::SynSent {
            let measured = self.opening.on_syn_ack(now);
            self.establish(now, measured);
        }
    }

    fn establish(&mut self, now: Instant, measured: bool) {
        self.state = State::Established;
        self.sender.establish(now, self.opening.rtt.clone(), measured);
        self.update_window();
    }

    /// Both ends agree on this.
    fn agree_on(&mut self, ecn: EcnFeedback) {
        let codepoint = self.sender.use_ecn(ecn);
        self.ecn = SenderEcn::new(ecn, codepoint, self.template.config.segment);
        let TcpConfig { tsq, .. } = self.template.config.tcp;
        let has_timestamps = self.template.config.tcp.timestamps();
        self.extended =
            ecn != EcnFeedback::None || self.limit.is_some() || has_timestamps || tsq.is_some();
    }

    /// The timer may have expired.
    pub(in crate::transport::tcp) fn expire(&mut self, now: Instant) {
        if self.state != State::SynSent {
            self.sender.on_timer(now);
        } else if now >= self.opening.deadline {
            self.opening.on_timeout();
            self.state = State::Opening;
        }
    }

    /// Sends what may be sent now.
    #[inline(never)] // once, so that all that it calls is inlined into it
    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        while let Some(segment) = self.poll_transmit(now) {
            let packet = self.data_packet(now, &segment);
            if segment.syn || self.extended {
                self.send_more(packet, segment.syn, out);
            } else {
                out.send(&packet, None);
            }
        }
    }

    #[inline(always)]
    fn data_packet(&self, now: Instant, segment: &Segment) -> Packet {
        let mut packet = self.header.packet(now, PacketKind::Data, segment.payload, segment.seq);
        packet.high_priority = segment.high_priority;
        packet.retransmission = segment.retransmission;
        packet
    }

    /// Its timestamps: with the option in every segment, under a limit in data that answer an ACK.
    fn timestamps(&self, now: Instant, syn: bool) -> Option<Timestamps> {
        let has_any = self.template.config.tcp.timestamps() || (self.recent.is_some() && !syn);
        has_any.then_some(Timestamps { value: now, echo: self.recent })
    }

    /// Sends a SYN, or a data segment of a connection with ECN, a limit, timestamps, or a small queue.
    #[cold]
    fn send_more(&mut self, mut packet: Packet, syn: bool, out: &mut impl Output) {
        if syn {
            packet.kind = PacketKind::Syn;
            packet.size += self.syn_options();
            packet.ecn_flags = negotiation::syn(self.template.config.tcp.ecn());
        } else {
            self.sender.sent(packet.size);
            let sender = &mut self.sender;
            self.ecn.label(&mut packet, || sender.take_cwr());
        }
        let timestamps = self.timestamps(packet.enqueued_at, syn);
        let options = PacketOption::Tcp(TcpOptions { timestamps, ..TcpOptions::default() });
        send_seldom(&packet, timestamps.is_some().then_some(&options), out);
    }

    /// The next segment that may be sent now, if any.
    #[inline(always)]
    pub(in crate::transport::tcp) fn poll_transmit(&mut self, now: Instant) -> Option<Segment> {
        match self.state {
            State::Established => self.sender.poll_transmit(now),
            State::Opening => self.send_syn(now),
            State::Closed | State::SynSent | State::Listen => None,
        }
    }

    #[cold]
    fn send_syn(&mut self, now: Instant) -> Option<Segment> {
        if self.sender.is_stopped() {
            return None;
        }
        self.state = State::SynSent;
        let retransmission = self.opening.waits;
        self.opening.timed = (!retransmission).then_some(now);
        self.opening.sent(now);
        let high_priority = self.template.config.tcp.spm_marking();
        Some(Segment { syn: true, seq: 0, payload: 0, retransmission, high_priority })
    }

    /// The congestion window and its threshold.
    pub fn window(&self) -> Window {
        self.sender.window()
    }

    /// Payload bytes acknowledged.
    pub fn acked(&self) -> u64 {
        self.sender.acked()
    }

    /// Round-trip times.
    pub fn rtt_estimator(&self) -> &RttEstimator {
        self.sender.rtt()
    }
}

impl Endpoint for SendingEnd {
    fn open(&mut self, now: Instant, number: u8, bytes: u64, out: &mut impl Output) {
        self.renew(number, bytes);
        match self.template.config.opened_by {
            End::Sender => {
                self.begin_opening();
                self.transmit(now, out);
            }
            End::Receiver => self.listen(),
        }
    }

    /// The request says that the bytes may be sent.
    fn request(&mut self, _now: Instant, bytes: u64, _out: &mut impl Output) {
        self.next = (!self.sender.is_stopped()).then_some(bytes);
    }

    #[inline(always)]
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        match packet.kind {
            PacketKind::Ack => self.on_ack(now, packet.seq, packet.ecn_flags, option, out),
            kind => {
                if let Some(PacketOption::Tcp(options)) = option {
                    self.on_timestamps(options);
                }
                if kind == PacketKind::Request && self.state == State::Established {
                    return self.on_request(now, packet.seq, packet.ecn_flags, out);
                }
                self.on_handshake(now, packet, out);
            }
        }
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, out: &mut impl Output) {
        if packet.kind == PacketKind::Data && self.sender.left(packet.size) {
            self.transmit(now, out);
        }
    }

    #[inline]
    fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        self.expire(now);
        self.transmit(now, out);
    }

    #[inline(always)]
    fn poll_at(&self) -> Instant {
        self.sender.timer_at().min(self.opening.deadline)
    }

    fn stop(&mut self) {
        self.next = None;
        self.sender.stop();
    }

    fn limit_rate(&mut self, _now: Instant, limit: Option<Rate>) {
        if limit.is_some() || self.limit.is_some() {
            self.limit().rate = limit;
            self.update_window();
        }
    }

    fn rtt(&self) -> Option<Duration> {
        self.sender.rtt().srtt()
    }

    fn counters(&self) -> Counters {
        let counters = self.sender.counters();
        let (rtt_samples, rtt_sum) = self.sender.rtt().total();
        Counters {
            delivered: self.acked(),
            segments_sent: counters.segments_sent,
            retransmissions: counters.retransmissions,
            timeouts: self.timeouts(),
            fast_retransmits: counters.fast_retransmits,
            congestion_responses: counters.congestion_responses,
            rtt_samples,
            rtt_sum,
            ..Counters::default()
        }
    }

    /// Those of the SYN included.
    #[inline]
    fn timeouts(&self) -> u64 {
        self.sender.timeouts() + self.opening.timeouts
    }

    #[inline]
    fn opening_since(&self) -> Option<Instant> {
        if self.state == State::SynSent { self.opening.since() } else { None }
    }
}

impl Source for SendingEnd {
    /// What has not arrived is not acknowledged, so that its time is known.
    #[inline(always)]
    fn first_sent(&mut self, packet: &Packet, _option: Option<&PacketOption>) -> Option<Instant> {
        Some(self.sender.first_sent(packet.seq))
    }

    fn is_done(&self) -> bool {
        self.next.is_none() && self.sender.is_done()
    }

    fn rtt_samples(&self) -> Option<&Delays> {
        Some(&self.sender.rtt_samples)
    }

    fn reset_rtt_samples(&mut self) {
        self.sender.rtt_samples.reset();
    }

    #[inline(always)]
    fn limit(&self) -> Option<Limit> {
        if self.state == State::Established { Some(self.sender.limit()) } else { None }
    }

    fn has_timed_out(&self) -> bool {
        match self.state {
            State::Established => self.sender.has_timed_out(),
            State::SynSent | State::Opening => self.opening.timeouts > 0,
            State::Listen | State::Closed => false,
        }
    }

    fn windows(&self) -> Option<Windows> {
        Some(self.sender.windows())
    }

    fn probes(&self) -> bool {
        self.sender.probes()
    }

    fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        self.sender.observe(see);
    }
}
