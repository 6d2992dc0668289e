//! UDP (RFC 768): datagrams without acknowledgement or control, sent when the application makes them.

use super::{Counters, End, Output, PacketHeader, PacketOption, Transport};
use crate::packet::{Packet, PacketKind};
use crate::time::Instant;
use crate::traffic::Datagrams;

/// A source of datagrams and its sink.
#[derive(Debug)]
pub struct Udp {
    header: PacketHeader,
    payload: u32,
    source: Datagrams,
    /// From when on nothing is sent.
    stop: Instant,
    sent: u64,
    received_bytes: u64,
}

impl Udp {
    /// Datagrams of `payload` bytes, at the times of `source`, before `stop`.
    pub fn new(header: PacketHeader, payload: u32, source: Datagrams, stop: Instant) -> Self {
        Self { header, payload, source, stop, sent: 0, received_bytes: 0 }
    }

    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        while now >= self.source.next() && now < self.stop {
            self.source.advance();
            let seq = self.sent * u64::from(self.payload);
            self.sent += 1;
            let packet = self.header.packet(now, PacketKind::Datagram, self.payload, seq);
            out.send(End::Sender, &packet, None);
        }
    }
}

impl Transport for Udp {
    fn start(&mut self, now: Instant, out: &mut impl Output) {
        self.transmit(now, out);
    }

    #[inline]
    fn on_packet(
        &mut self,
        _now: Instant,
        packet: &Packet,
        _option: Option<&PacketOption>,
        _out: &mut impl Output,
    ) -> (End, Instant) {
        self.received_bytes += u64::from(packet.payload);
        (End::Receiver, Instant::NEVER)
    }

    fn on_timer(&mut self, now: Instant, end: End, out: &mut impl Output) {
        if end == End::Sender {
            self.transmit(now, out);
        }
    }

    fn poll_at(&self, end: End) -> Instant {
        match end {
            End::Sender if self.source.next() < self.stop => self.source.next(),
            _ => Instant::NEVER,
        }
    }

    /// The time to stop is given when the flow is made.
    fn stop(&mut self) {}

    fn counters(&self) -> Counters {
        Counters { delivered: self.received_bytes, segments_sent: self.sent, ..Counters::default() }
    }

    fn cwnd(&self) -> Option<f64> {
        None
    }
}
