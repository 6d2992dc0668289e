//! TCP-friendly rate control (RFC 5348): data are sent at the rate that TCP would have at the same loss
//! event rate and round-trip time.
//!
//! The [`Sender`] is paced by time. The [`Receiver`] counts loss events and sends a [`Report`] once per
//! round-trip time, and at once when the loss event rate has risen. Both are without sockets and clocks.
//! [`Tfrc`] is a flow of packets over RTP and UDP that has both ends.
//!
//! Departures from the RFC: none of its rules for data-limited senders apply, because there are always
//! data to send. A packet that arrives after it counts as lost does not undo a loss event (section 5.1
//! allows either). Congestion marks are not used.

mod config;
pub mod equation;
mod loss_history;
mod loss_intervals;
mod receive_rates;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub use config::TfrcConfig;
pub use loss_history::LossHistory;
pub use loss_intervals::LossIntervals;
pub use receiver::Receiver;
pub use sender::Sender;

use crate::delays::Delays;
use crate::packet::{End, Packet, PacketKind};
use crate::time::{Duration, Instant};
use crate::transport::contract::{Counters, Measurements, Output, RateControl, Transport};
use crate::transport::header::PacketHeader;
use crate::transport::limits::LimitTimes;
use crate::transport::option::{DataHeader, PacketOption, Report};
use crate::units::Rate;

/// A TFRC flow.
#[derive(Debug)]
pub struct Tfrc {
    headers: [PacketHeader; 2],
    payload: u32,
    sender: Sender,
    receiver: Receiver,
    received_bytes: u64,
    reports: u64,
    rtt_sum: Duration,
    rtts: Delays,
    delays: Delays,
}

impl Tfrc {
    /// Packets of `payload` bytes. `headers` are those of data and of reports; a report has no payload.
    pub fn new(config: TfrcConfig, payload: u32, headers: [PacketHeader; 2]) -> Self {
        let threshold = config.threshold();
        Self {
            headers,
            payload,
            sender: Sender::new(config, payload),
            receiver: Receiver::new(payload, threshold),
            received_bytes: 0,
            reports: 0,
            rtt_sum: Duration::ZERO,
            rtts: Delays::default(),
            delays: Delays::default(),
        }
    }

    /// Packets below the highest number that has arrived that have not arrived.
    fn packets_lost(&self) -> u64 {
        let sent = self.receiver.highest().map_or(0, |highest| highest + 1);
        sent - self.received_bytes / u64::from(self.payload)
    }

    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        while let Some((number, header)) = self.sender.poll_transmit(now) {
            let seq = number * u64::from(self.payload);
            let [data, _] = &self.headers;
            let packet = data.packet(now, PacketKind::Datagram, self.payload, seq);
            out.send(&packet, Some(&PacketOption::TfrcData(header)));
        }
    }

    fn answer(&mut self, now: Instant, report: Option<Report>, out: &mut impl Output) {
        let Some(report) = report else { return };
        let [_, header] = &self.headers;
        // As an acknowledgement has it: the next byte that is expected.
        let packet = header.packet(now, PacketKind::Report, 0, self.received_bytes);
        out.send(&packet, Some(&PacketOption::TfrcReport(report)));
    }

    fn on_data(
        &mut self,
        now: Instant,
        packet: &Packet,
        header: &DataHeader,
        out: &mut impl Output,
    ) {
        self.received_bytes += u64::from(packet.payload);
        self.delays.record(now.since(header.sent));
        let number = packet.seq / u64::from(self.payload);
        let report = self.receiver.on_packet(now, number, u32::from(packet.payload), header);
        self.answer(now, report, out);
    }

    fn on_report(&mut self, now: Instant, report: &Report, out: &mut impl Output) {
        let rtt = self.sender.on_report(now, report);
        self.reports += 1;
        self.rtt_sum += rtt;
        self.rtts.record(rtt);
        self.transmit(now, out);
    }
}

impl Transport for Tfrc {
    fn start(&mut self, now: Instant, out: &mut impl Output) {
        self.sender.start(now);
        self.transmit(now, out);
    }

    #[inline(never)] // the code of TCP stays together
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) -> (End, Instant) {
        let end = match option {
            Some(PacketOption::TfrcReport(report)) => {
                self.on_report(now, report, out);
                End::Sender
            }
            Some(PacketOption::TfrcData(header)) => {
                self.on_data(now, packet, header, out);
                End::Receiver
            }
            // A packet without its header is none.
            _ => End::Receiver,
        };
        (end, self.poll_at(end))
    }

    #[inline(never)]
    fn on_timer(&mut self, now: Instant, end: End, out: &mut impl Output) {
        match end {
            End::Sender => {
                self.sender.on_timer(now);
                self.transmit(now, out);
            }
            End::Receiver => {
                let report = self.receiver.on_timer(now);
                self.answer(now, report, out);
            }
        }
    }

    #[inline(never)]
    fn poll_at(&self, end: End) -> Instant {
        match end {
            End::Sender => self.sender.poll_at(),
            End::Receiver => self.receiver.poll_at(),
        }
    }

    fn stop(&mut self, _now: Instant) {
        self.sender.stop();
    }

    fn limit_rate(&mut self, now: Instant, end: End, limit: Option<Rate>) {
        match end {
            End::Sender => self.sender.limit_rate(now, limit),
            End::Receiver => self.receiver.limit_rate(limit),
        }
    }

    fn rtt(&self, end: End) -> Option<Duration> {
        match end {
            End::Sender => self.sender.rtt(),
            End::Receiver => self.receiver.rtt(),
        }
    }

    fn answer_bytes(&self) -> u32 {
        self.headers[End::Receiver as usize].bytes
    }

    fn counters(&self) -> Counters {
        Counters {
            delivered: self.received_bytes,
            segments_sent: self.sender.sent(),
            timeouts: self.sender.expiries(),
            loss_events: self.receiver.loss_events(),
            packets_lost: self.packets_lost(),
            rtt_samples: self.reports,
            rtt_sum: self.rtt_sum,
            ..Counters::default()
        }
    }

    fn measure_from(&mut self, _now: Instant) {
        self.rtts.reset();
        self.delays.reset();
    }

    fn measurements(&self) -> Measurements<'_> {
        Measurements { rtt: Some(&self.rtts), one_way_delay: &self.delays }
    }

    fn limits(&self, _now: Instant) -> Option<LimitTimes> {
        None
    }

    fn cwnd(&self) -> Option<f64> {
        None
    }

    fn rate_control(&self) -> Option<RateControl> {
        Some(RateControl {
            allowed: self.sender.rate(),
            loss_event_rate: self.sender.loss_event_rate(),
        })
    }
}
