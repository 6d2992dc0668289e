//! The end of a connection that sends the data.

use super::opening::{
    ConnectionConfig, Opening, SACK_PERMITTED, is_ecn_setup_syn, is_ecn_setup_syn_ack, send_seldom,
};
use super::rate_limit::SendLimit;
use crate::congestion::{Controller, Window};
use crate::delays::Delays;
use crate::packet::{Ecn, Packet, PacketKind};
use crate::time::Instant;
use crate::transport::contract::Output;
use crate::transport::header::PacketHeader;
use crate::transport::limits::{Limit, LimitTimes};
use crate::transport::option::{PacketOption, WindowUpdate};
use crate::transport::tcp::rtt::RttEstimator;
use crate::transport::tcp::segment::{Segment, SenderCounters};
use crate::transport::tcp::sender::{Sender, SenderSnapshot};
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
    state: State,
    sender: Sender,
    opening: Opening,
    /// When the answer to the SYN was sent; none if it has been sent again.
    answered: Option<Instant>,
    /// A SYN has been answered.
    has_answered: bool,
    /// Bytes of options in a SYN or SYN-ACK.
    syn_options: u32,
    /// Whether what opens the connection is marked as crucial.
    spm_marking: bool,
    /// Whether this end offers ECN, and whether both do.
    ecn_offered: bool,
    ecn: bool,
    /// The limits of the rate, once there has been one.
    limit: Option<Box<SendLimit>>,
    /// Whether there is ECN or a limit.
    extended: bool,
}

impl SendingEnd {
    /// An end that neither opens a connection nor listens.
    pub fn new(config: &ConnectionConfig, control: Controller, header: PacketHeader) -> Self {
        Self {
            header,
            state: State::Closed,
            sender: Sender::new(config.sender, control),
            opening: Opening::new(config),
            answered: None,
            has_answered: false,
            syn_options: if config.sender.sack { SACK_PERMITTED } else { 0 },
            spm_marking: config.sender.spm_marking,
            ecn_offered: config.sender.ecn,
            ecn: false,
            limit: None,
            extended: false,
        }
    }

    /// Goes on with what a connection before has measured, and with its limit.
    pub(super) fn take_over(&mut self, before: &mut Self) {
        self.sender.measures = std::mem::take(&mut before.sender.measures);
        self.limit = before.limit.as_ref().map(|limit| Box::new(limit.of_next_connection()));
        self.extended = self.limit.is_some();
    }

    /// A controller allows this rate of payload.
    pub fn limit_rate(&mut self, rate: Option<Rate>) {
        if rate.is_some() || self.limit.is_some() {
            self.limit().rate = rate;
            self.update_window();
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

    #[cold]
    fn on_window_update(&mut self, update: &WindowUpdate) {
        self.limit().on_update(update);
    }

    /// Opens the connection.
    pub fn open(&mut self, now: Instant, out: &mut impl Output) {
        self.begin_opening();
        self.transmit(now, out);
    }

    /// The SYN is the next segment to be sent.
    pub(in crate::transport::tcp) fn begin_opening(&mut self) {
        self.state = State::Opening;
    }

    /// Waits for the other end to open the connection.
    pub fn listen(&mut self) {
        self.state = State::Listen;
    }

    /// What holds the sender back from `now` on.
    pub(super) fn set_limit(&mut self, now: Instant, limit: Limit) {
        self.sender.measures.limits.set(now, limit);
    }

    /// A timer of the handshake, which has run since `sent`, has expired at one of the ends.
    pub(super) fn note_opening_timeout(&mut self, now: Instant, sent: Instant) {
        self.sender.measures.limits.expire(now, sent);
    }

    /// A packet has arrived, with this option.
    pub fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        match packet.kind {
            PacketKind::Ack => self.on_ack(now, packet.seq, packet.ece, option, out),
            _ => self.on_handshake(now, packet, out),
        }
    }

    /// An acknowledgement has arrived.
    #[inline(always)]
    pub(super) fn on_ack(
        &mut self,
        now: Instant,
        ack: u64,
        ece: bool,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        let blocks = match option {
            Some(PacketOption::Sack(blocks)) => blocks.as_slice(),
            Some(PacketOption::Window(update)) => {
                self.on_window_update(update);
                update.sack.as_slice()
            }
            Some(_) | None => &[],
        };
        if self.extended {
            self.on_extended_ack(now, ack, ece, blocks);
        } else {
            self.sender.on_ack(now, ack, blocks);
        }
        self.transmit(now, out);
    }

    /// An acknowledgement has arrived where there is ECN or a limit.
    #[cold]
    fn on_extended_ack(&mut self, now: Instant, ack: u64, ece: bool, blocks: &[(u64, u64)]) {
        if self.ecn && ece {
            self.sender.on_ack_with_ece(now, ack, blocks);
        } else {
            self.sender.on_ack(now, ack, blocks);
        }
        self.update_window();
    }

    /// A packet of the handshake has arrived.
    #[cold]
    fn on_handshake(&mut self, now: Instant, packet: &Packet, out: &mut impl Output) {
        match packet.kind {
            PacketKind::Syn if self.state == State::Listen => {
                let again = std::mem::replace(&mut self.has_answered, true);
                self.answered = (!again).then_some(now);
                let mut answer = self.header.packet(now, PacketKind::SynAck, 0, 0);
                answer.size += self.syn_options;
                answer.high_priority = self.spm_marking;
                self.set_ecn(self.ecn_offered && is_ecn_setup_syn(packet));
                answer.ece = self.ecn;
                send_seldom(&answer, None, out);
            }
            PacketKind::SynAck => {
                self.set_ecn(self.ecn_offered && is_ecn_setup_syn_ack(packet));
                self.on_syn_ack(now);
            }
            PacketKind::Request if self.state == State::Listen => {
                let measured = self.opening.measured(self.answered.map(|sent| now.since(sent)));
                self.establish(measured);
            }
            _ => {}
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
            self.establish(measured);
        }
    }

    fn establish(&mut self, measured: bool) {
        self.state = State::Established;
        self.sender.establish(self.opening.rtt.clone(), measured);
        self.update_window();
    }

    fn set_ecn(&mut self, ecn: bool) {
        self.ecn = ecn;
        self.extended = ecn || self.limit.is_some();
    }

    /// When [`SendingEnd::on_timer`] is to be called.
    #[inline(always)]
    pub fn poll_at(&self) -> Instant {
        self.sender.timer_at().min(self.opening.deadline)
    }

    /// Does what is due at `now`.
    #[inline]
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        self.expire(now);
        self.transmit(now, out);
    }

    /// The timer may have expired.
    pub(in crate::transport::tcp) fn expire(&mut self, now: Instant) {
        if self.state != State::SynSent {
            self.sender.on_timer(now);
        } else if now >= self.opening.deadline {
            self.note_opening_timeout(now, self.opening.sent_at);
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
        if self.state == State::Established {
            self.sender.note_limit(now);
        }
    }

    #[inline(always)]
    fn data_packet(&self, now: Instant, segment: &Segment) -> Packet {
        let mut packet = self.header.packet(now, PacketKind::Data, segment.payload, segment.seq);
        packet.high_priority = segment.high_priority;
        packet.retransmission = segment.retransmission;
        packet
    }

    /// Sends a SYN, or a data segment of a connection with ECN or a limit.
    #[cold]
    fn send_more(&mut self, mut packet: Packet, syn: bool, out: &mut impl Output) {
        if syn {
            packet.kind = PacketKind::Syn;
            packet.size += self.syn_options;
            // RFC 3168 6.1.1: an ECN-setup SYN.
            (packet.ece, packet.cwr) = (self.ecn_offered, self.ecn_offered);
        } else if self.ecn && !packet.retransmission {
            // 6.1.2 and 6.1.5: new data only.
            packet.ecn = Ecn::Capable;
            packet.cwr = self.sender.take_cwr();
        }
        let echo = self.limit.as_ref().and_then(|limit| limit.echo);
        let option = echo.filter(|_| !syn).map(PacketOption::TimestampEcho);
        send_seldom(&packet, option.as_ref(), out);
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
        self.opening.syn_sent = (!retransmission).then_some(now);
        self.opening.sent(now);
        let high_priority = self.spm_marking;
        Some(Segment { syn: true, seq: 0, payload: 0, retransmission, high_priority })
    }

    /// Sends nothing new from now on.
    pub fn stop(&mut self) {
        self.sender.stop();
    }

    /// Whether nothing will be sent until the connection is opened anew.
    pub(super) fn is_over(&self) -> bool {
        self.is_stopped() && (self.state != State::Established || self.is_done())
    }

    /// Measures round-trip times and limits from `now` on.
    pub fn measure_from(&mut self, now: Instant) {
        self.sender.measures.rtt.reset();
        self.sender.measures.limits.restart(now);
    }

    /// When the segment at `seq`, which is not acknowledged, was first sent.
    #[inline(always)]
    pub(super) fn first_sent(&self, seq: u64) -> Instant {
        self.sender.first_sent(seq)
    }

    /// Round-trip times measured.
    pub fn rtt_samples(&self) -> &Delays {
        &self.sender.measures.rtt
    }

    /// For how long each limit has applied. `peer_waits`: the other end, which opens, has repeated its SYN.
    pub(super) fn limits(&self, now: Instant, peer_waits: bool) -> LimitTimes {
        let has_expired = match self.state {
            State::Established => self.sender.has_timed_out(),
            State::SynSent | State::Opening => self.opening.timeouts > 0,
            State::Listen => peer_waits,
            State::Closed => false,
        };
        self.sender.measures.limits.times(now, has_expired)
    }

    /// Whether [`SendingEnd::stop`] has been called.
    pub fn is_stopped(&self) -> bool {
        self.sender.is_stopped()
    }

    /// Whether everything has been sent and acknowledged.
    pub fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    /// Which connection of the flow this is.
    #[inline(always)]
    pub fn number(&self) -> u8 {
        self.header.connection
    }

    /// Payload bytes acknowledged.
    pub fn acked(&self) -> u64 {
        self.sender.acked()
    }

    /// The congestion window and its threshold.
    pub fn window(&self) -> Window {
        self.sender.window()
    }

    /// The present state.
    pub fn snapshot(&self) -> SenderSnapshot {
        self.sender.snapshot()
    }

    /// Round-trip times.
    pub fn rtt(&self) -> &RttEstimator {
        self.sender.rtt()
    }

    /// What has happened so far. Timeouts include those of the SYN.
    pub fn counters(&self) -> SenderCounters {
        let counters = self.sender.counters();
        SenderCounters { timeouts: counters.timeouts + self.opening.timeouts, ..counters }
    }
}
