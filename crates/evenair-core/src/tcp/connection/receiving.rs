//! The end of a connection that receives the data.

use super::{ConnectionConfig, Opening, SACK_PERMITTED, send_seldom};
use crate::packet::{Packet, PacketKind};
use crate::tcp::receiver::{AckAction, Receiver};
use crate::time::Instant;
use crate::transport::{End, Output, PacketHeader, PacketOption};

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
}

impl ReceivingEnd {
    /// An end that waits for the other to open the connection.
    pub fn new(config: &ConnectionConfig, header: PacketHeader) -> Self {
        Self {
            header,
            state: State::Listen,
            receiver: Receiver::new(config.receiver),
            opening: Opening::new(&config.sender),
            request: config.request,
            syn_options: if config.receiver.sack { SACK_PERMITTED } else { 0 },
            spm_marking: config.sender.spm_marking,
        }
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

    /// A packet has arrived.
    #[inline(always)]
    pub fn on_packet(&mut self, now: Instant, packet: &Packet, out: &mut impl Output) {
        if packet.kind != PacketKind::Data {
            return self.on_handshake(now, *packet, out);
        }
        if self.state != State::Established {
            // What was requested arrives: nothing is to be repeated.
            self.state = State::Established;
            self.opening.deadline = Instant::NEVER;
        }
        let payload = u32::from(packet.payload);
        if let AckAction::Ack(ack) = self.receiver.on_segment(now, packet.seq, payload) {
            self.acknowledge(now, ack, out);
        }
    }

    /// A packet of the handshake has arrived.
    #[cold]
    pub(super) fn on_handshake(&mut self, now: Instant, packet: Packet, out: &mut impl Output) {
        match (packet.kind, self.state) {
            (PacketKind::Syn, _) => self.send(now, PacketKind::SynAck, out),
            (PacketKind::SynAck, State::SynSent) => {
                self.state = State::Requesting;
                self.opening.on_syn_ack(now);
                self.opening.sent(now);
                self.send(now, PacketKind::Request, out);
            }
            _ => {}
        }
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
    fn acknowledge(&self, now: Instant, ack: u64, out: &mut impl Output) {
        let packet = self.header.packet(now, PacketKind::Ack, 0, ack);
        if self.receiver.has_sack() {
            return self.send_blocks(packet, out);
        }
        out.send(End::Receiver, &packet, None);
    }

    #[cold]
    fn send_blocks(&self, mut packet: Packet, out: &mut impl Output) {
        let blocks = self.receiver.sack();
        packet.size += blocks.header_bytes();
        let option = PacketOption::Sack(blocks);
        let option = (!blocks.is_empty()).then_some(&option);
        send_seldom(End::Receiver, &packet, option, out);
    }

    /// Sends a packet of the handshake.
    fn send(&self, now: Instant, kind: PacketKind, out: &mut impl Output) {
        let payload = if kind == PacketKind::Request { self.request } else { 0 };
        let mut packet = self.header.packet(now, kind, payload, 0);
        if kind != PacketKind::Request {
            packet.size += self.syn_options;
        }
        packet.high_priority = self.spm_marking;
        send_seldom(End::Receiver, &packet, None, out);
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

    /// The next byte that is expected.
    pub fn next_expected(&self) -> u64 {
        self.receiver.next_expected()
    }

    /// Whether a segment has arrived.
    pub fn has_data(&self) -> bool {
        self.receiver.has_data()
    }
}
