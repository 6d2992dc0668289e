//! Both ends of a flow in one process, and what can be measured only where both are known.

use super::contract::{Counters, Output, RateControl, Sink, Source, Windows};
use super::limits::{Limit, LimitClock, LimitTimes};
use super::option::PacketOption;
use crate::congestion::Observed;
use crate::delays::Delays;
use crate::packet::{End, Packet};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// The two ends of a flow. They meet only through the packets that the caller carries from one to the
/// other; what is measured here is not told to either.
#[derive(Debug)]
pub struct Ends<S, R> {
    pub(super) source: S,
    pub(super) sink: R,
    /// The present connection of the flow. Packets of another are late copies.
    connection: u8,
    pub(super) one_way_delay: Delays,
    limits: LimitClock,
}

impl<S: Source, R: Sink> Ends<S, R> {
    /// Two ends without a connection.
    pub fn new(source: S, sink: R) -> Self {
        let (one_way_delay, limits) = (Delays::default(), LimitClock::default());
        Self { source, sink, connection: 0, one_way_delay, limits }
    }

    /// The application begins a transfer, see [`Endpoint::open`](super::Endpoint::open).
    pub fn open(&mut self, now: Instant, number: u8, bytes: u64, out: &mut impl Output) {
        self.connection = number;
        self.limits.set(now, Limit::Cwnd);
        self.source.open(now, number, bytes, out);
        self.sink.open(now, number, bytes, out);
    }

    /// The receiver's application asks for more, see [`Endpoint::request`](super::Endpoint::request).
    pub fn request(&mut self, now: Instant, bytes: u64, out: &mut impl Output) {
        self.source.request(now, bytes, out);
        self.sink.request(now, bytes, out);
    }

    /// A packet has arrived at the end that it is for. Returns when [`Ends::on_timer`] is to be called
    /// for that end. (For the other end that has not changed.)
    #[inline(always)]
    pub fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) -> Instant {
        if packet.connection != self.connection {
            return self.poll_at(packet.to);
        }
        match packet.to {
            End::Sender => {
                self.source.on_packet(now, packet, option, out);
                self.note_limit(now);
                self.source.poll_at()
            }
            End::Receiver => {
                if packet.payload > 0
                    && self.sink.lacks(packet)
                    && let Some(sent) = self.source.first_sent(packet, option)
                {
                    self.one_way_delay.record(now.since(sent));
                    self.sink.note_sent(now, packet, sent);
                }
                self.sink.on_packet(now, packet, option, out);
                self.sink.poll_at()
            }
        }
    }

    /// The sender's host is done with a packet of data, see [`Endpoint::on_departure`](super::Endpoint::on_departure). Returns
    /// when [`Ends::on_timer`] is to be called for the sender.
    pub fn on_departure(
        &mut self,
        now: Instant,
        packet: &Packet,
        out: &mut impl Output,
    ) -> Instant {
        if packet.connection == self.connection {
            self.source.on_departure(now, packet, out);
            self.note_limit(now);
        }
        self.source.poll_at()
    }

    /// Does what is due at `end`. Nothing is, if the call is early.
    #[inline]
    pub fn on_timer(&mut self, now: Instant, end: End, out: &mut impl Output) {
        match end {
            End::Sender => {
                let (timeouts, sent) = (self.source.timeouts(), self.source.opening_since());
                self.source.on_timer(now, out);
                if self.source.timeouts() > timeouts {
                    self.limits.expire(now, sent.unwrap_or(Instant::ZERO));
                }
                self.note_limit(now);
            }
            End::Receiver => {
                let (timeouts, sent) = (self.sink.timeouts(), self.sink.opening_since());
                self.sink.on_timer(now, out);
                if self.sink.timeouts() > timeouts {
                    self.limits.expire(now, sent.unwrap_or(Instant::ZERO));
                }
            }
        }
    }

    #[inline(always)]
    fn note_limit(&mut self, now: Instant) {
        if let Some(limit) = self.source.limit() {
            self.limits.set(now, limit);
        }
    }

    /// When [`Ends::on_timer`] is to be called for `end`.
    #[inline(always)]
    pub fn poll_at(&self, end: End) -> Instant {
        match end {
            End::Sender => self.source.poll_at(),
            End::Receiver => self.sink.poll_at(),
        }
    }

    /// Nothing new is sent from now on. What has been sent is still repaired.
    pub fn stop(&mut self, now: Instant) {
        self.source.stop();
        self.sink.stop();
        if self.source.limit().is_none() || self.source.is_done() {
            self.limits.set(now, Limit::Application);
        }
    }

    /// A controller at `end` limits the rate, see [`Endpoint::limit_rate`](super::Endpoint::limit_rate).
    pub fn limit_rate(&mut self, now: Instant, end: End, limit: Option<Rate>) {
        match end {
            End::Sender => self.source.limit_rate(now, limit),
            End::Receiver => self.sink.limit_rate(now, limit),
        }
    }

    /// The smoothed round-trip time as `end` knows it.
    pub fn rtt(&self, end: End) -> Option<Duration> {
        match end {
            End::Sender => self.source.rtt(),
            End::Receiver => self.sink.rtt(),
        }
    }

    /// Whether the receiver opens the connection, and no data have answered its SYN or request.
    pub fn is_opening(&self) -> bool {
        self.sink.opening_since().is_some()
    }

    /// Whether the sender knows that all has arrived.
    pub fn is_done(&self) -> bool {
        self.source.is_done()
    }

    /// Payload bytes that have arrived without a gap, and whether anything has arrived.
    pub fn received(&self) -> (u64, bool) {
        self.sink.received()
    }

    /// What has happened so far at both ends.
    pub fn counters(&self) -> Counters {
        self.source.counters() + self.sink.counters()
    }

    /// Starts the measurement of delays and limits anew.
    pub fn measure_from(&mut self, now: Instant) {
        self.source.reset_rtt_samples();
        self.sink.measure_from(now);
        self.one_way_delay.reset();
        self.limits.restart(now);
    }

    /// Round-trip times measured; none if the transport measures none.
    pub fn rtt_samples(&self) -> Option<&Delays> {
        self.source.rtt_samples()
    }

    /// Of each segment or datagram from when it was first sent to its first arrival.
    pub fn one_way_delay(&self) -> &Delays {
        &self.one_way_delay
    }

    /// For how long the measured sender was held back by what, until `now`; none without a window.
    pub fn limits(&self, now: Instant) -> Option<LimitTimes> {
        self.source.windows()?;
        // Where the receiver opens, the sender waits for the receiver's timer.
        let waits = self.source.limit().is_none() && self.sink.timeouts() > 0;
        Some(self.limits.times(now, waits || self.source.has_timed_out()))
    }

    /// What holds the sender back, as of the last ACK, transmission or timeout.
    pub fn limit(&self) -> Limit {
        self.limits.limit()
    }

    /// The windows, of a transport that has them.
    pub fn windows(&self) -> Option<Windows> {
        self.source.windows()
    }

    /// Whether the congestion control measures the path by probes, see [`Source::probes`].
    pub fn probes(&self) -> bool {
        self.source.probes()
    }

    /// The variables of the congestion control, see [`Source::observe`].
    pub fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        self.source.observe(see);
    }

    /// The state of a transport that is controlled by its rate.
    pub fn rate_control(&self) -> Option<RateControl> {
        self.source.rate_control()
    }
}
