//! The end of a connection that receives the data.

use super::opening::{
    ConnectionConfig, Opening, SACK_PERMITTED, is_ecn_setup_syn, is_ecn_setup_syn_ack, send_seldom,
};
use super::rate_limit::ReceiveLimit;
use crate::packet::{Ecn, Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::transport::contract::Output;
use crate::transport::header::PacketHeader;
use crate::transport::option::{PacketOption, WindowUpdate};
use crate::transport::tcp::receiver::{AckAction, Receiver};
use crate::units::Rate;

/// States of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The other end is to open the connection, or has done so.
    Listen,
    /// The SYN is unanswered.
    SynSent,
    /// The request is unanswered.
    Requesting,
    /// Data have arrived.
    Established,
}

/// The end of a connection that receives the data.
#[derive(Clone, Debug)]
pub struct ReceivingEnd {
    header: PacketHeader,
    state: State,
    receiver: Receiver,
    opening: Opening,
    /// Payload of the request, bytes.
    request: u32,
    /// Bytes of options in a SYN or SYN-ACK.
    syn_options: u32,
    /// Whether what opens the connection is marked as crucial.
    spm_marking: bool,
    /// Whether this end offers ECN, and whether both do.
    ecn_offered: bool,
    ecn: bool,
    echo: Echo,
    /// The limit of the rate, once there has been one.
    limit: Option<Box<ReceiveLimit>>,
    /// Whether there is ECN or a limit.
    extended: bool,
    /// The sender's window without limits, and its segments, bytes.
    full_window: u32,
    segment: u32,
}

/// Which ACKs carry ECN-Echo (RFC 3168 section 6.1.3).
#[derive(Clone, Copy, Debug, Default)]
struct Echo {
    /// Until a segment with CWR arrives.
    until_cwr: bool,
    /// A segment that the next ACK covers is marked.
    covers_mark: bool,
    /// Marked segments that have arrived.
    marks: u64,
}

impl Echo {
    fn on_segment(&mut self, packet: &Packet) {
        self.until_cwr &= !packet.cwr;
        if packet.ecn == Ecn::CongestionExperienced {
            (self.until_cwr, self.covers_mark) = (true, true);
            self.marks += 1;
        }
    }

    /// ECN-Echo of the ACK that is sent now.
    fn take(&mut self) -> bool {
        std::mem::take(&mut self.covers_mark) || self.until_cwr
    }
}

impl ReceivingEnd {
    /// An end that waits for the other to open the connection.
    pub fn new(config: &ConnectionConfig, header: PacketHeader) -> Self {
        Self {
            header,
            state: State::Listen,
            receiver: Receiver::new(config.receiver),
            opening: Opening::new(config),
            request: config.request,
            syn_options: if config.receiver.sack { SACK_PERMITTED } else { 0 },
            spm_marking: config.sender.spm_marking,
            ecn_offered: config.receiver.ecn,
            ecn: false,
            echo: Echo::default(),
            limit: None,
            extended: false,
            full_window: config.sender.window,
            segment: config.sender.segment,
        }
    }

    /// Goes on with the limit of a connection before.
    pub(super) fn take_over(&mut self, before: &mut Self) {
        self.limit = before.limit.take();
        self.extended = self.limit.is_some();
    }

    /// A controller allows this rate of payload.
    pub fn limit_rate(&mut self, rate: Option<Rate>) {
        if rate.is_some() || self.limit.is_some() {
            let new = || Box::new(ReceiveLimit::new(self.full_window, self.segment));
            self.limit.get_or_insert_with(new).rate = rate;
            self.extended = true;
        }
    }

    /// The smoothed round-trip time, which is measured from the first limit on.
    pub fn rtt(&self) -> Option<Duration> {
        self.limit.as_ref().and_then(|limit| limit.rtt())
    }

    /// Opens the connection: the SYN is due at `now`.
    pub fn open(&mut self, now: Instant) {
        self.state = State::SynSent;
        self.opening.syn_sent = Some(now);
        self.opening.deadline = now;
    }

    /// Whether this end has opened the connection and no data have arrived.
    pub fn is_opening(&self) -> bool {
        matches!(self.state, State::SynSent | State::Requesting)
    }

    /// A packet has arrived, with this option.
    pub fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        if packet.kind != PacketKind::Data {
            return self.on_handshake(now, packet, out);
        }
        if let (Some(limit), Some(PacketOption::TimestampEcho(timestamp))) =
            (&mut self.limit, option)
        {
            limit.on_echo(now, *timestamp);
        }
        if self.ecn {
            self.echo.on_segment(packet);
        }
        self.on_plain_data(now, packet.seq, packet.payload, out);
    }

    /// A data segment has arrived, of which neither the ECN field nor the option matters.
    #[inline(always)]
    pub(super) fn on_plain_data(
        &mut self,
        now: Instant,
        seq: u64,
        payload: u16,
        out: &mut impl Output,
    ) {
        if self.state != State::Established {
            // What was requested arrives: nothing is to be repeated.
            self.state = State::Established;
            self.opening.deadline = Instant::NEVER;
        }
        if let AckAction::Ack(ack) = self.receiver.on_segment(now, seq, u32::from(payload)) {
            self.acknowledge(now, ack, out);
        }
    }

    /// A packet of the handshake has arrived.
    #[cold]
    fn on_handshake(&mut self, now: Instant, packet: &Packet, out: &mut impl Output) {
        match (packet.kind, self.state) {
            (PacketKind::Syn, _) => {
                self.set_ecn(self.ecn_offered && is_ecn_setup_syn(packet));
                self.send(now, PacketKind::SynAck, out);
            }
            (PacketKind::SynAck, State::SynSent) => {
                self.set_ecn(self.ecn_offered && is_ecn_setup_syn_ack(packet));
                self.state = State::Requesting;
                self.opening.on_syn_ack(now);
                self.opening.sent(now);
                self.send(now, PacketKind::Request, out);
            }
            _ => {}
        }
    }

    fn set_ecn(&mut self, ecn: bool) {
        self.ecn = ecn;
        self.extended = ecn || self.limit.is_some();
    }

    /// When [`ReceivingEnd::on_timer`] is to be called.
    #[inline(always)]
    pub fn poll_at(&self) -> Instant {
        self.receiver.timer_at().min(self.opening.deadline)
    }

    /// Does what is due at `now`: repeats what is unanswered, or acknowledges.
    #[inline]
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if now >= self.opening.deadline {
            self.opening.on_timeout();
            self.opening.sent(now);
            let asks = self.state == State::Requesting;
            self.send(now, if asks { PacketKind::Request } else { PacketKind::Syn }, out);
        } else if let Some(ack) = self.receiver.on_timer(now) {
            self.acknowledge(now, ack, out);
        }
    }

    #[inline(never)] // once, so that all that it calls is inlined into it
    fn acknowledge(&mut self, now: Instant, ack: u64, out: &mut impl Output) {
        let packet = self.header.packet(now, PacketKind::Ack, 0, ack);
        if self.extended || self.receiver.has_sack() {
            return self.acknowledge_more(now, packet, out);
        }
        out.send(&packet, None);
    }

    /// Sends an ACK with what SACK and ECN report, and the window under a limit.
    #[cold]
    fn acknowledge_more(&mut self, now: Instant, mut packet: Packet, out: &mut impl Output) {
        packet.ece = self.ecn && self.echo.take();
        let blocks =
            if self.receiver.has_sack() { self.receiver.sack() } else { Default::default() };
        packet.size += blocks.header_bytes();
        let option = match &self.limit {
            Some(limit) => {
                let window = limit.window();
                Some(PacketOption::Window(WindowUpdate { sack: blocks, window, timestamp: now }))
            }
            None => (!blocks.is_empty()).then_some(PacketOption::Sack(blocks)),
        };
        send_seldom(&packet, option.as_ref(), out);
    }

    /// Sends a packet of the handshake.
    fn send(&self, now: Instant, kind: PacketKind, out: &mut impl Output) {
        let payload = if kind == PacketKind::Request { self.request } else { 0 };
        let mut packet = self.header.packet(now, kind, payload, 0);
        match kind {
            PacketKind::Syn => (packet.ece, packet.cwr) = (self.ecn_offered, self.ecn_offered),
            PacketKind::SynAck => packet.ece = self.ecn,
            _ => {}
        }
        if kind != PacketKind::Request {
            packet.size += self.syn_options;
        }
        packet.high_priority = self.spm_marking;
        send_seldom(&packet, None, out);
    }

    /// When the SYN or the request was sent of which the timer expires at `now`.
    pub(super) fn opening_timeout(&self, now: Instant) -> Option<Instant> {
        (now >= self.opening.deadline && self.opening.waits).then_some(self.opening.sent_at)
    }

    /// Whether the segment at `seq` has not arrived.
    #[inline(always)]
    pub fn lacks(&self, seq: u64) -> bool {
        self.receiver.lacks(seq)
    }

    /// Opens no connection from now on.
    pub fn stop(&mut self) {
        if self.is_opening() {
            self.state = State::Listen;
            self.opening.deadline = Instant::NEVER;
        }
    }

    /// Whether the SYN or the request has been repeated.
    pub fn has_repeated(&self) -> bool {
        self.opening.timeouts > 0
    }

    /// How often either has been.
    pub fn timeouts(&self) -> u64 {
        self.opening.timeouts
    }

    /// Whether of data segments neither the ECN field nor the option matters.
    #[inline(always)]
    pub(super) fn takes_plain_data(&self) -> bool {
        !self.extended
    }

    /// Marked segments that have arrived.
    pub fn congestion_marks(&self) -> u64 {
        self.echo.marks
    }

    /// The next byte that is expected.
    pub fn next_expected(&self) -> u64 {
        self.receiver.next_expected()
    }

    /// Whether a segment has arrived.
    pub fn has_data(&self) -> bool {
        self.receiver.has_data()
    }
}
