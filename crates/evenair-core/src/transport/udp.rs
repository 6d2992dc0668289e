//! UDP (RFC 768): datagrams without acknowledgement or control, sent when the application makes them.

use std::collections::VecDeque;

use super::contract::{Counters, Measurements, Output, Transport};
use super::header::PacketHeader;
use super::limits::LimitTimes;
use super::option::PacketOption;
use crate::delays::Delays;
use crate::packet::{End, Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::traffic::Datagrams;
use crate::units::Rate;

/// Datagrams under way whose delay can be measured.
const MAX_UNDER_WAY: usize = 1 << 20;

/// A source of datagrams and its sink.
#[derive(Debug)]
pub struct Udp {
    header: PacketHeader,
    payload: u32,
    source: Datagrams,
    /// From when on nothing is sent.
    stop: Instant,
    sent: u64,
    /// When the last of them were sent, from the first that may still arrive.
    sent_at: VecDeque<Instant>,
    received_bytes: u64,
    delays: Delays,
}

impl Udp {
    /// Datagrams of `payload` bytes, at the times of `source`, before `stop`.
    pub fn new(header: PacketHeader, payload: u32, source: Datagrams, stop: Instant) -> Self {
        let (sent_at, delays) = (VecDeque::new(), Delays::default());
        Self { header, payload, source, stop, sent: 0, sent_at, received_bytes: 0, delays }
    }

    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        while now >= self.source.next() && now < self.stop {
            self.source.advance();
            let seq = self.sent * u64::from(self.payload);
            self.sent += 1;
            if self.sent_at.len() == MAX_UNDER_WAY {
                self.sent_at.pop_front();
            }
            self.sent_at.push_back(now);
            let packet = self.header.packet(now, PacketKind::Datagram, self.payload, seq);
            out.send(&packet, None);
        }
    }

    /// When the datagram at `seq`, which has arrived, was sent. Those before it will not arrive: flows
    /// keep their order.
    fn take_sent(&mut self, seq: u64) -> Option<Instant> {
        let first = self.sent - self.sent_at.len() as u64;
        let number = seq / u64::from(self.payload);
        let lost = number.checked_sub(first)?;
        self.sent_at.drain(..lost as usize);
        self.sent_at.pop_front()
    }
}

impl Transport for Udp {
    fn start(&mut self, now: Instant, out: &mut impl Output) {
        self.transmit(now, out);
    }

    #[inline]
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        _option: Option<&PacketOption>,
        _out: &mut impl Output,
    ) -> (End, Instant) {
        self.received_bytes += u64::from(packet.payload);
        if let Some(sent) = self.take_sent(packet.seq) {
            self.delays.record(now.since(sent));
        }
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
    fn stop(&mut self, _now: Instant) {}

    /// The application's rate is not controlled.
    fn limit_rate(&mut self, _now: Instant, _end: End, _limit: Option<Rate>) {}

    fn rtt(&self, _end: End) -> Option<Duration> {
        None
    }

    fn answer_bytes(&self) -> u32 {
        0
    }

    fn counters(&self) -> Counters {
        Counters { delivered: self.received_bytes, segments_sent: self.sent, ..Counters::default() }
    }

    fn measure_from(&mut self, _now: Instant) {
        self.delays.reset();
    }

    fn measurements(&self) -> Measurements<'_> {
        Measurements { rtt: None, one_way_delay: &self.delays }
    }

    fn limits(&self, _now: Instant) -> Option<LimitTimes> {
        None
    }

    fn cwnd(&self) -> Option<f64> {
        None
    }
}
