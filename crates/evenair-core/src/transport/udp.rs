//! UDP (RFC 768): datagrams without acknowledgement or control, sent when the application makes them.

use std::collections::VecDeque;

use super::contract::{Counters, Endpoint, Output, Sink, Source};
use super::ends::Ends;
use super::header::PacketHeader;
use super::option::PacketOption;
use crate::delays::Delays;
use crate::packet::{Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::traffic::Datagrams;
use crate::units::Rate;

/// Datagrams under way whose delay can be measured.
const MAX_UNDER_WAY: usize = 1 << 20;

/// A source of datagrams.
#[derive(Debug)]
pub struct UdpSource {
    header: PacketHeader,
    payload: u32,
    /// When the application makes them; none if it makes none.
    source: Option<Datagrams>,
    /// From when on nothing is sent.
    stop: Instant,
    sent: u64,
    /// When the last of them were sent, from the first that may still arrive.
    sent_at: VecDeque<Instant>,
}

impl UdpSource {
    /// Datagrams of `payload` bytes, at the times of `source`, before `stop`.
    pub fn new(
        header: PacketHeader,
        payload: u32,
        source: Option<Datagrams>,
        stop: Instant,
    ) -> Self {
        Self { header, payload, source, stop, sent: 0, sent_at: VecDeque::new() }
    }

    /// Counts the next datagram as sent. Returns its [`Packet::seq`].
    #[inline(always)]
    fn count_next(&mut self) -> u64 {
        let seq = self.sent * u64::from(self.payload);
        self.sent += 1;
        seq
    }

    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        while let Some(source) = &mut self.source
            && now >= source.next()
            && now < self.stop
        {
            source.advance();
            let seq = self.count_next();
            if self.sent_at.len() == MAX_UNDER_WAY {
                self.sent_at.pop_front();
            }
            self.sent_at.push_back(now);
            out.send(&self.header.packet(now, PacketKind::Datagram, self.payload, seq), None);
        }
    }
}

impl Endpoint for UdpSource {
    /// The application's own times say how much is sent.
    fn open(&mut self, now: Instant, _number: u8, _bytes: u64, out: &mut impl Output) {
        self.transmit(now, out);
    }

    fn on_packet(
        &mut self,
        _now: Instant,
        _packet: &Packet,
        _option: Option<&PacketOption>,
        _out: &mut impl Output,
    ) {
    }

    fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        self.transmit(now, out);
    }

    fn poll_at(&self) -> Instant {
        let next = self.source.as_ref().map_or(Instant::NEVER, Datagrams::next);
        if next < self.stop { next } else { Instant::NEVER }
    }

    /// The time to stop is given when the flow is made.
    fn stop(&mut self) {}

    /// The application's rate is not controlled.
    fn limit_rate(&mut self, _now: Instant, _limit: Option<Rate>) {}

    fn rtt(&self) -> Option<Duration> {
        None
    }

    fn counters(&self) -> Counters {
        Counters { segments_sent: self.sent, ..Counters::default() }
    }
}

/// Without packets, for who computes what becomes of each datagram: the times and the numbers are all that
/// tells one from the other.
impl Ends<UdpSource, UdpSink> {
    /// A datagram.
    pub fn datagram(&self) -> Packet {
        let UdpSource { header, payload, .. } = &self.source;
        header.packet(Instant::ZERO, PacketKind::Datagram, *payload, 0)
    }

    /// The datagram that is due is sent. Returns its [`Packet::seq`].
    #[inline(always)]
    pub fn depart(&mut self) -> u64 {
        if let Some(source) = &mut self.source.source {
            source.advance();
        }
        self.source.count_next()
    }

    /// A datagram that was sent at `sent` arrives.
    #[inline(always)]
    pub fn arrive(&mut self, now: Instant, sent: Instant) {
        self.one_way_delay.record(now.since(sent));
        self.sink.received += u64::from(self.source.payload);
    }
}

impl Source for UdpSource {
    /// The datagrams before this one will not arrive: flows keep their order.
    fn first_sent(&mut self, packet: &Packet, _option: Option<&PacketOption>) -> Option<Instant> {
        let first = self.sent - self.sent_at.len() as u64;
        let number = packet.seq / u64::from(self.payload);
        let lost = number.checked_sub(first)?;
        for _ in 0..lost {
            self.sent_at.pop_front();
        }
        self.sent_at.pop_front()
    }

    fn rtt_samples(&self) -> Option<&Delays> {
        None
    }

    fn reset_rtt_samples(&mut self) {}
}

/// Counts the datagrams that arrive.
#[derive(Debug, Default)]
pub struct UdpSink {
    received: u64,
}

impl Endpoint for UdpSink {
    fn open(&mut self, _now: Instant, _number: u8, _bytes: u64, _out: &mut impl Output) {}

    #[inline]
    fn on_packet(
        &mut self,
        _now: Instant,
        packet: &Packet,
        _option: Option<&PacketOption>,
        _out: &mut impl Output,
    ) {
        self.received += u64::from(packet.payload);
    }

    fn on_timer(&mut self, _now: Instant, _out: &mut impl Output) {}

    fn poll_at(&self) -> Instant {
        Instant::NEVER
    }

    fn stop(&mut self) {}

    fn limit_rate(&mut self, _now: Instant, _limit: Option<Rate>) {}

    fn rtt(&self) -> Option<Duration> {
        None
    }

    fn counters(&self) -> Counters {
        Counters { delivered: self.received, ..Counters::default() }
    }
}

impl Sink for UdpSink {
    fn lacks(&self, _packet: &Packet) -> bool {
        true
    }

    fn received(&self) -> (u64, bool) {
        (self.received, self.received > 0)
    }
}
