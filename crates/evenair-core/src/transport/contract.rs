//! The contract of the two ends of a flow.

use std::ops::Add;

use super::limits::Limit;
use super::option::PacketOption;
use crate::congestion::Observed;
use crate::delays::Delays;
use crate::packet::Packet;
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Takes the packets that a transport sends.
pub trait Output {
    /// `packet` leaves for [`Packet::to`], with this option. Its size includes the option.
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>);
}

/// One end of a flow. It knows of the other what packets have told it, and no more.
pub trait Endpoint {
    /// The application begins a transfer of `bytes` over connection `number` of the flow; `u64::MAX` never
    /// ends. Nothing is left of the connection before but what was measured.
    fn open(&mut self, now: Instant, number: u8, bytes: u64, out: &mut impl Output);

    /// The receiver's application asks for a further transfer of `bytes` over the present connection,
    /// which has brought it all before. A transport over which none asks does nothing.
    fn request(&mut self, _now: Instant, _bytes: u64, _out: &mut impl Output) {}

    /// A packet of the present connection has arrived here, with this option.
    fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    );

    /// The host of this end is done with a packet of the present connection that was sent here: it has left, or was
    /// dropped in the host. Ends that do not count what their host has do nothing.
    fn on_departure(&mut self, _now: Instant, _packet: &Packet, _out: &mut impl Output) {}

    /// Does what is due. Nothing is, if the call is early.
    fn on_timer(&mut self, now: Instant, out: &mut impl Output);

    /// When [`Endpoint::on_timer`] is to be called.
    fn poll_at(&self) -> Instant;

    /// Nothing new is sent from now on. What has been sent is still repaired.
    fn stop(&mut self);

    /// A controller at this end allows the flow this rate of payload; `None` lifts the limit. What
    /// [`Endpoint::poll_at`] returns may change.
    fn limit_rate(&mut self, now: Instant, limit: Option<Rate>);

    /// The smoothed round-trip time as this end knows it.
    fn rtt(&self) -> Option<Duration>;

    /// What has happened so far at this end.
    fn counters(&self) -> Counters;

    /// Expiries of its retransmission timer.
    fn timeouts(&self) -> u64 {
        0
    }

    /// Of an end that opens a connection: when what is unanswered was sent last.
    fn opening_since(&self) -> Option<Instant> {
        None
    }
}

/// The end that sends the data.
pub trait Source: Endpoint {
    /// When the payload that arrives with this packet for the first time was first sent. What was sent
    /// before it is not asked for any more where packets keep their order.
    fn first_sent(&mut self, packet: &Packet, option: Option<&PacketOption>) -> Option<Instant>;

    /// Whether everything has been sent and acknowledged.
    fn is_done(&self) -> bool {
        false
    }

    /// Round-trip times; none if the transport measures none.
    fn rtt_samples(&self) -> Option<&Delays>;

    /// Measures round-trip times anew.
    fn reset_rtt_samples(&mut self);

    /// What holds the sender back, of an open connection with a window.
    fn limit(&self) -> Option<Limit> {
        None
    }

    /// Whether a retransmission timer has expired, and nothing has been answered since.
    fn has_timed_out(&self) -> bool {
        false
    }

    /// The windows, of a transport that has them.
    fn windows(&self) -> Option<Windows> {
        None
    }

    /// Whether the congestion control measures the path by probes, see
    /// [`CongestionControl::is_probing`](crate::congestion::CongestionControl::is_probing).
    fn probes(&self) -> bool {
        false
    }

    /// The variables of the congestion control, see [`CongestionControl::observe`](crate::congestion::CongestionControl::observe).
    fn observe(&self, _see: &mut dyn FnMut(&str, Observed<'_>)) {}

    /// The state of a transport that is controlled by its rate.
    fn rate_control(&self) -> Option<RateControl> {
        None
    }
}

/// The end that receives the data.
pub trait Sink: Endpoint {
    /// Whether the payload of this packet has not arrived before.
    fn lacks(&self, packet: &Packet) -> bool;

    /// Payload bytes without a gap from the first of the connection on, and whether anything has arrived.
    fn received(&self) -> (u64, bool);

    /// This packet, which was first sent at `sent`, is about to arrive for the first time.
    #[inline(always)]
    fn note_sent(&mut self, _now: Instant, _packet: &Packet, _sent: Instant) {}

    /// What measures what arrives starts anew.
    fn measure_from(&mut self, _now: Instant) {}
}

/// The windows of a sender at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// The congestion window, segments.
    pub cwnd: f64,
    /// The slow-start threshold, segments.
    pub ssthresh: f64,
    /// Segments from the first that is not acknowledged up to the next to be sent. After a timeout that is
    /// the first again.
    pub in_flight: f64,
    /// The receiver's window, segments.
    pub receive_window: u32,
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

impl Add for Counters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            delivered: self.delivered + other.delivered,
            segments_sent: self.segments_sent + other.segments_sent,
            retransmissions: self.retransmissions + other.retransmissions,
            timeouts: self.timeouts + other.timeouts,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            congestion_marks: self.congestion_marks + other.congestion_marks,
            congestion_responses: self.congestion_responses + other.congestion_responses,
            loss_events: self.loss_events + other.loss_events,
            packets_lost: self.packets_lost + other.packets_lost,
            rtt_samples: self.rtt_samples + other.rtt_samples,
            rtt_sum: self.rtt_sum + other.rtt_sum,
        }
    }
}
