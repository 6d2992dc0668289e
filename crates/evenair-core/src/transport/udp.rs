//! UDP (RFC 768): datagrams without acknowledgement or control, sent when the application makes them. The
//! receiver may send them back (RFC 862).

use std::collections::VecDeque;

use super::contract::{Counters, Endpoint, Output, Sink, Source};
use super::echoes::Echoes;
use super::ends::Ends;
use super::header::PacketHeader;
use super::option::PacketOption;
use super::receiver_reports::ReceiverReports;
use crate::delays::Delays;
use crate::packet::{Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::traffic::{Datagrams, Received, Reception};
use crate::units::Rate;

/// Datagrams under way whose delay can be measured.
const MAX_UNDER_WAY: usize = 1 << 20;

/// A source of datagrams. A copy sends the same at the same times.
#[derive(Clone, Debug)]
pub struct UdpSource {
    header: PacketHeader,
    /// The payload of the largest datagram. Datagrams are numbered in multiples of it, so that the number of
    /// one follows from its [`Packet::seq`].
    segment: u32,
    /// When the application makes them, and how large; none if it makes none.
    source: Option<Datagrams>,
    /// From when on nothing is sent.
    stop: Instant,
    sent: u64,
    /// When the last of them were sent, from the first that may still arrive.
    sent_at: VecDeque<Instant>,
    /// What is known of those that come back, if they do.
    echoes: Option<Box<Echoes>>,
}

impl UdpSource {
    /// Datagrams of up to `segment` bytes, at the times and with the sizes of `source`, before `stop`.
    pub fn new(
        header: PacketHeader,
        segment: u32,
        source: Option<Datagrams>,
        stop: Instant,
    ) -> Self {
        let sent_at = VecDeque::new();
        Self { header, segment, source, stop, sent: 0, sent_at, echoes: None }
    }

    /// The same of datagrams that the receiver sends back.
    #[must_use]
    pub fn with_echoes(self) -> Self {
        Self { echoes: Some(Box::default()), ..self }
    }

    /// The datagram that is due, for who knows when it was sent.
    #[inline]
    pub fn next_datagram(&mut self) -> Packet {
        let payload = self.payload();
        let (at, seq) = self.depart();
        self.header.packet(at, PacketKind::Datagram, payload, seq)
    }

    /// The payload of the datagram that is due.
    #[inline(always)]
    fn payload(&self) -> u32 {
        self.source.as_ref().map_or(self.segment, Datagrams::payload)
    }

    /// Notes what a copy of this source has sent before `until`.
    pub fn follow(&mut self, until: Instant) {
        while self.poll_at() < until {
            self.note_departure();
        }
    }

    /// When a copy of this source has sent the datagram with this number. It and those before it count as sent.
    #[inline(never)] // so that the path of all other flows stays short
    fn sent_by_copy(&mut self, number: u64) -> Instant {
        self.sent_at.clear();
        while self.sent < number {
            self.depart();
        }
        self.depart().0
    }

    /// The next datagram leaves: when, and its [`Packet::seq`].
    #[inline(always)]
    fn depart(&mut self) -> (Instant, u64) {
        let at = self.poll_at();
        if let Some(source) = &mut self.source {
            source.advance();
        }
        let seq = self.sent * u64::from(self.segment);
        self.sent += 1;
        (at, seq)
    }

    /// The same, and remembers when.
    #[inline(always)]
    fn note_departure(&mut self) -> (Instant, u64) {
        let (at, seq) = self.depart();
        if self.sent_at.len() == MAX_UNDER_WAY {
            self.sent_at.pop_front();
        }
        self.sent_at.push_back(at);
        (at, seq)
    }

    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        while self.poll_at() <= now {
            let payload = self.payload();
            let mark = self.source.as_ref().and_then(Datagrams::mark).map(PacketOption::Frame);
            let (at, seq) = self.note_departure();
            if let Some(echoes) = &mut self.echoes {
                echoes.expect(at, seq);
            }
            out.send(&self.header.packet(now, PacketKind::Datagram, payload, seq), mark.as_ref());
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
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        _out: &mut impl Output,
    ) {
        if let Some(echoes) = &mut self.echoes {
            echoes.receive(now, packet.seq);
        }
        if let (Some(PacketOption::FractionLost(fraction)), Some(source)) =
            (option, &mut self.source)
        {
            source.on_report(f64::from(*fraction) / 256.0);
        }
    }

    fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        self.transmit(now, out);
    }

    #[inline(always)]
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
        let echoes = self.echoes.as_ref().map(|echoes| echoes.counters());
        Counters { segments_sent: self.sent, ..echoes.unwrap_or_default() }
    }
}

/// Without packets, for who computes what becomes of each datagram: the times and the numbers are all that
/// tells one from the other, as all have the same size.
impl Ends<UdpSource, UdpSink> {
    /// A datagram.
    pub fn datagram(&self) -> Packet {
        let UdpSource { header, segment, .. } = &self.source;
        header.packet(Instant::ZERO, PacketKind::Datagram, *segment, 0)
    }

    /// Whether datagrams do not all have the same size.
    pub fn varies(&self) -> bool {
        self.source.source.as_ref().is_some_and(Datagrams::varies)
    }

    /// The source.
    pub fn source(&mut self) -> &mut UdpSource {
        &mut self.source
    }

    /// The datagram that is due is sent. Returns its [`Packet::seq`].
    #[inline(always)]
    pub fn depart(&mut self) -> u64 {
        self.source.depart().1
    }

    /// Whether the application's receiver is told of each datagram that arrives.
    pub fn has_reception(&self) -> bool {
        self.sink.reception.is_some()
    }

    /// A datagram that was sent at `sent` arrives, of a flow without a receiver of its application.
    #[inline(always)]
    pub fn arrive(&mut self, now: Instant, sent: Instant) {
        self.one_way_delay.record(now.since(sent));
        self.sink.received += u64::from(self.source.segment);
    }
}

impl Source for UdpSource {
    /// The datagrams before this one will not arrive: flows keep their order.
    fn first_sent(&mut self, packet: &Packet, _option: Option<&PacketOption>) -> Option<Instant> {
        let number = packet.seq / u64::from(self.segment);
        if self.sent <= number {
            return Some(self.sent_by_copy(number));
        }
        let first = self.sent - self.sent_at.len() as u64;
        let lost = number.checked_sub(first)?;
        for _ in 0..lost {
            self.sent_at.pop_front();
        }
        self.sent_at.pop_front()
    }

    fn rtt_samples(&self) -> Option<&Delays> {
        self.echoes.as_ref().map(|echoes| echoes.rtts())
    }

    fn reset_rtt_samples(&mut self) {
        if let Some(echoes) = &mut self.echoes {
            echoes.reset();
        }
    }
}

/// Counts the bytes that arrive, hands datagrams to the application's receiver, if it has one, and may send them back.
#[derive(Debug)]
pub struct UdpSink {
    received: u64,
    /// Payload of a datagram, by which [`Packet::seq`] counts.
    payload: u32,
    reception: Option<Box<Reception>>,
    /// Of what it sends back.
    echo: Option<PacketHeader>,
    reports: Option<Box<ReceiverReports>>,
}

impl UdpSink {
    /// For datagrams of a source with the same `payload`.
    pub fn new(payload: u32, reception: Option<Reception>) -> Self {
        let reception = reception.map(Box::new);
        Self { received: 0, payload, reception, echo: None, reports: None }
    }

    /// Sends each datagram back, with this header.
    #[must_use]
    pub fn with_echoes(self, header: PacketHeader) -> Self {
        Self { echo: Some(header), ..self }
    }

    /// Reports what is lost, with this header.
    #[must_use]
    pub fn with_reports(self, header: PacketHeader) -> Self {
        Self { reports: Some(Box::new(ReceiverReports::new(header))), ..self }
    }

    /// The application's receiver, if it has one.
    pub fn reception(&self) -> Option<&Reception> {
        self.reception.as_deref()
    }
}

impl Endpoint for UdpSink {
    fn open(&mut self, _now: Instant, _number: u8, _bytes: u64, _out: &mut impl Output) {}

    #[inline]
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        let payload = u32::from(packet.payload);
        self.received += u64::from(payload);
        if let Some(reports) = &mut self.reports {
            reports.on_packet(now, packet.seq / u64::from(self.payload));
            if let (Some(PacketOption::Frame(mark)), Some(reception)) =
                (option, &mut self.reception)
            {
                reception.receiver().on_mark(now, mark);
            }
        }
        if let Some(header) = &self.echo {
            out.send(&header.packet(now, PacketKind::Datagram, payload, packet.seq), None);
        }
    }

    fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if let Some(reports) = &mut self.reports {
            reports.on_timer(now, out);
        }
    }

    #[inline(always)]
    fn poll_at(&self) -> Instant {
        self.reports.as_ref().map_or(Instant::NEVER, |reports| reports.poll_at())
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

    #[inline(always)]
    fn note_sent(&mut self, now: Instant, packet: &Packet, sent: Instant) {
        if let Some(reception) = &mut self.reception {
            let number = packet.seq / u64::from(self.payload);
            let bytes = u32::from(packet.payload);
            reception.receiver().on_datagram(&Received { now, sent, number, bytes });
        }
    }

    fn measure_from(&mut self, now: Instant) {
        if let Some(reception) = &mut self.reception {
            reception.receiver().measure_from(now);
        }
    }
}
