//! The contract of a transport.

use super::limits::LimitTimes;
use super::option::PacketOption;
use crate::delays::Delays;
use crate::packet::{End, Packet};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Takes the packets that a transport sends.
pub trait Output {
    /// `packet` leaves for [`Packet::to`], with this option. Its size includes the option.
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>);
}

/// A transport: both ends of a flow.
pub trait Transport {
    /// The application starts to send.
    fn start(&mut self, now: Instant, out: &mut impl Output);

    /// A packet has arrived at the end that it is for. Returns that end, and when
    /// [`Transport::on_timer`] is to be called for it. (For the other end that has not changed.)
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) -> (End, Instant);

    /// Does what is due at `end`. Nothing is, if the call is early.
    fn on_timer(&mut self, now: Instant, end: End, out: &mut impl Output);

    /// When [`Transport::on_timer`] is to be called for `end`.
    fn poll_at(&self, end: End) -> Instant;

    /// Nothing new is sent from now on. What has been sent is still repaired.
    fn stop(&mut self, now: Instant);

    /// A controller at `end` allows the flow this rate of payload; `None` lifts the limit. What
    /// [`Transport::poll_at`] returns for `end` may change.
    fn limit_rate(&mut self, now: Instant, end: End, limit: Option<Rate>);

    /// The smoothed round-trip time as `end` knows it.
    fn rtt(&self, end: End) -> Option<Duration>;

    /// Bytes at IP level of what the receiver sends in answer to data, without options; 0 if it sends
    /// nothing.
    fn answer_bytes(&self) -> u32;

    /// What has happened so far.
    fn counters(&self) -> Counters;

    /// Starts the measurement of delays and limits anew.
    fn measure_from(&mut self, now: Instant);

    /// The delays measured.
    fn measurements(&self) -> Measurements<'_>;

    /// For how long the measured sender was held back by what, until `now`; none without a window.
    fn limits(&self, now: Instant) -> Option<LimitTimes>;

    /// The congestion window, segments, if the transport has one.
    fn cwnd(&self) -> Option<f64>;

    /// The state of a transport that is controlled by its rate.
    fn rate_control(&self) -> Option<RateControl> {
        None
    }
}

/// The state of a sender that is controlled by its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateControl {
    /// The rate of payload that it may send, bytes/s.
    pub allowed: f64,
    /// Loss events per packet, as it knows them.
    pub loss_event_rate: f64,
}

/// What a transport has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Payload bytes acknowledged, or received where nothing is acknowledged.
    pub delivered: u64,
    /// Data segments or datagrams sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer of either end, or of the nofeedback timer.
    pub timeouts: u64,
    /// Recoveries begun.
    pub fast_retransmits: u64,
    /// Segments that arrived with a congestion mark (RFC 3168).
    pub congestion_marks: u64,
    /// Reductions of the window because of congestion marks.
    pub congestion_responses: u64,
    /// Loss events that the receiver has found (RFC 5348 section 5.2).
    pub loss_events: u64,
    /// Data packets that have not arrived although later ones have, where the receiver counts them.
    pub packets_lost: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_sum: Duration,
}

/// The delays that a transport has measured.
#[derive(Clone, Copy, Debug)]
pub struct Measurements<'a> {
    /// Round-trip times; none if the transport measures none.
    pub rtt: Option<&'a Delays>,
    /// Of each segment or datagram from when it was first sent to its first arrival.
    pub one_way_delay: &'a Delays,
}
