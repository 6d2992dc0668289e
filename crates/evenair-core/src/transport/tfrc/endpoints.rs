//! The ends of a TFRC flow: a sender and a receiver with their packets.

use super::{Receiver, Sender, TfrcConfig};
use crate::delays::Delays;
use crate::packet::{Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::transport::contract::{Counters, Endpoint, Output, RateControl, Sink, Source};
use crate::transport::header::PacketHeader;
use crate::transport::option::{PacketOption, Report};
use crate::units::Rate;

/// The end of a TFRC flow that sends the data.
#[derive(Debug)]
pub struct TfrcSource {
    header: PacketHeader,
    payload: u32,
    sender: Sender,
    reports: u64,
    rtt_sum: Duration,
    rtts: Delays,
}

impl TfrcSource {
    /// Packets of `payload` bytes.
    pub fn new(config: TfrcConfig, payload: u32, header: PacketHeader) -> Self {
        let (reports, rtt_sum, rtts) = (0, Duration::ZERO, Delays::default());
        Self { header, payload, sender: Sender::new(config, payload), reports, rtt_sum, rtts }
    }

    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        while let Some((number, header)) = self.sender.poll_transmit(now) {
            let seq = number * u64::from(self.payload);
            let packet = self.header.packet(now, PacketKind::Datagram, self.payload, seq);
            out.send(&packet, Some(&PacketOption::TfrcData(header)));
        }
    }
}

impl Endpoint for TfrcSource {
    /// There are always data to send, see the [module](super).
    fn open(&mut self, now: Instant, _number: u8, _bytes: u64, out: &mut impl Output) {
        self.sender.start(now);
        self.transmit(now, out);
    }

    #[inline(never)] // the code of TCP stays together
    fn on_packet(
        &mut self,
        now: Instant,
        _packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        // A packet without its report is none.
        let Some(PacketOption::TfrcReport(report)) = option else { return };
        let rtt = self.sender.on_report(now, report);
        self.reports += 1;
        self.rtt_sum += rtt;
        self.rtts.record(rtt);
        self.transmit(now, out);
    }

    #[inline(never)]
    fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        self.sender.on_timer(now);
        self.transmit(now, out);
    }

    #[inline(never)]
    fn poll_at(&self) -> Instant {
        self.sender.poll_at()
    }

    fn stop(&mut self) {
        self.sender.stop();
    }

    fn limit_rate(&mut self, now: Instant, limit: Option<Rate>) {
        self.sender.limit_rate(now, limit);
    }

    fn rtt(&self) -> Option<Duration> {
        self.sender.rtt()
    }

    fn counters(&self) -> Counters {
        Counters {
            segments_sent: self.sender.sent(),
            timeouts: self.sender.expiries(),
            rtt_samples: self.reports,
            rtt_sum: self.rtt_sum,
            ..Counters::default()
        }
    }
}

impl Source for TfrcSource {
    /// The packet has it.
    #[inline(never)]
    fn first_sent(&mut self, _packet: &Packet, option: Option<&PacketOption>) -> Option<Instant> {
        match option {
            Some(PacketOption::TfrcData(header)) => Some(header.sent),
            _ => None,
        }
    }

    fn rtt_samples(&self) -> Option<&Delays> {
        Some(&self.rtts)
    }

    fn reset_rtt_samples(&mut self) {
        self.rtts.reset();
    }

    fn rate_control(&self) -> Option<RateControl> {
        Some(RateControl {
            allowed: self.sender.rate(),
            loss_event_rate: self.sender.loss_event_rate(),
        })
    }
}

/// The end of a TFRC flow that receives the data.
#[derive(Debug)]
pub struct TfrcSink {
    header: PacketHeader,
    payload: u32,
    receiver: Receiver,
    received: u64,
}

impl TfrcSink {
    /// For packets of `payload` bytes. A report has no payload.
    pub fn new(config: &TfrcConfig, payload: u32, header: PacketHeader) -> Self {
        let receiver = Receiver::new(payload, config.threshold());
        Self { header, payload, receiver, received: 0 }
    }

    /// Packets below the highest number that has arrived that have not arrived.
    fn packets_lost(&self) -> u64 {
        let sent = self.receiver.highest().map_or(0, |highest| highest + 1);
        sent - self.received / u64::from(self.payload)
    }

    fn answer(&mut self, now: Instant, report: Option<Report>, out: &mut impl Output) {
        let Some(report) = report else { return };
        // As an acknowledgement has it: the next byte that is expected.
        let packet = self.header.packet(now, PacketKind::Report, 0, self.received);
        out.send(&packet, Some(&PacketOption::TfrcReport(report)));
    }
}

impl Endpoint for TfrcSink {
    fn open(&mut self, _now: Instant, _number: u8, _bytes: u64, _out: &mut impl Output) {}

    #[inline(never)] // the code of TCP stays together
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) {
        // A packet without its header is none.
        let Some(PacketOption::TfrcData(header)) = option else { return };
        self.received += u64::from(packet.payload);
        let number = packet.seq / u64::from(self.payload);
        let report = self.receiver.on_packet(now, number, u32::from(packet.payload), header);
        self.answer(now, report, out);
    }

    #[inline(never)]
    fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        let report = self.receiver.on_timer(now);
        self.answer(now, report, out);
    }

    #[inline(never)]
    fn poll_at(&self) -> Instant {
        self.receiver.poll_at()
    }

    fn stop(&mut self) {}

    fn limit_rate(&mut self, _now: Instant, limit: Option<Rate>) {
        self.receiver.limit_rate(limit);
    }

    fn rtt(&self) -> Option<Duration> {
        self.receiver.rtt()
    }

    fn counters(&self) -> Counters {
        Counters {
            delivered: self.received,
            loss_events: self.receiver.loss_events(),
            packets_lost: self.packets_lost(),
            ..Counters::default()
        }
    }
}

impl Sink for TfrcSink {
    fn lacks(&self, _packet: &Packet) -> bool {
        true
    }

    fn received(&self) -> (u64, bool) {
        (self.received, self.received > 0)
    }
}
