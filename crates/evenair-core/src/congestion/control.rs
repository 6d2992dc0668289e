//! The contract of a congestion control, and what several of them share.

use super::{EcnFeedback, EcnResponse};
use crate::rng::RngStream;
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// The congestion window, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The congestion window.
    pub cwnd: f64,
    /// The slow-start threshold.
    pub ssthresh: f64,
}

/// What the sender knows when a signal comes.
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// The moment.
    pub now: Instant,
    /// Segments newly acknowledged (0 with a duplicate ACK).
    pub acked: f64,
    /// By how many segments the window may count this ACK: 1, or `acked` with byte counting; 0 while cwnd
    /// does not limit the sender.
    pub credit: f64,
    /// Whether cwnd may grow: not with an ACK that reports marks if the response is classic (RFC 3168 section 6.1.2),
    /// nor while it does not limit the sender (RFC 7661). What grows nevertheless is taken off.
    pub may_grow: bool,
    /// Of `acked`, the segments that arrived with a mark as far as the sender knows. With RFC 3168's feedback it knows only
    /// that there were some: then all of them (as RFC 8257 section 3.3 reads it).
    pub marked: f64,
    /// Segments that were outstanding before the signal (RFC 5681: FlightSize), without those sent
    /// by limited transmit.
    pub flight: f64,
    /// The round-trip time of the last segment that this ACK acknowledges, if it was sent once.
    pub rtt: Option<Duration>,
    /// The first byte that had not been acknowledged before the signal.
    pub snd_una: u64,
    /// The next byte to be sent: what is below it was sent in this round or before.
    pub snd_nxt: u64,
    /// Payload bytes of a full segment.
    pub segment: u64,
}

impl AckEvent {
    /// The first byte that has not been acknowledged after the signal.
    pub fn ack(&self) -> u64 {
        self.snd_una + (self.acked * self.segment as f64).round() as u64
    }
}

/// The connection is established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenEvent {
    /// The moment.
    pub now: Instant,
    /// The smoothed round-trip time: that of the handshake, unless it was repeated.
    pub srtt: Option<Duration>,
    /// Payload bytes of a full segment.
    pub segment: u64,
    /// Whether the receiver reports what has arrived beyond a hole (SACK).
    pub has_sack: bool,
}

/// A data segment leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentEvent {
    /// The moment.
    pub now: Instant,
    /// Payload bytes of the segment.
    pub bytes: u32,
    /// Whether it, or a part of it, has been sent before.
    pub retransmission: bool,
    /// Payload bytes in the network before it; 0 after a pause.
    pub in_flight: u64,
    /// Whether the application has left the sender without data (C.app_limited).
    pub is_app_limited: bool,
}

/// What the sender repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing: all that was outstanding at the last loss has been acknowledged.
    None,
    /// Losses that ACKs or the reordering timer have told (fast recovery).
    Losses,
    /// What was outstanding when the retransmission timer expired.
    Timeout,
}

/// A segment is marked lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// The moment.
    pub now: Instant,
    /// Its first byte.
    pub seq: u64,
    /// Its payload bytes (P.size).
    pub bytes: u64,
    /// Bytes in the network just after it was last sent (P.tx_in_flight).
    pub tx_in_flight: u64,
    /// Bytes of the connection that have been marked lost since it was last sent, with itself (C.lost - P.lost).
    pub lost: u64,
    /// Bytes of the connection that have been delivered (C.delivered), with those that the ACK that tells the loss reports.
    pub delivered: u64,
    /// Whether the application had no data to send when it was last sent (P.is_app_limited).
    pub is_app_limited: bool,
}

/// How fast payload is delivered, as one ACK tells it (draft-ietf-ccwg-bbr-02 section 4.1.1). What has been
/// acknowledged or reported by SACK is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// When the ACK has come.
    pub now: Instant,
    /// Bytes that it is the first to report (rs.newly_acked).
    pub newly_delivered: u64,
    /// Bytes of the connection that have been delivered (C.delivered).
    pub total: u64,
    /// `total` at the time at which the newest segment was sent (rs.prior_delivered). The newest is the one
    /// sent last of those that the ACK is the first to report.
    pub prior_delivered: u64,
    /// The time in which `total - prior_delivered` was delivered: the longer of the time in which it was sent
    /// and that in which its ACKs came (rs.interval). None if it is shorter than the shortest round-trip time:
    /// then the ACKs were compressed.
    pub interval: Option<Duration>,
    /// Whether the application had no data to send when the newest segment was sent (rs.is_app_limited). The
    /// path may carry more than the rate of this sample.
    pub is_app_limited: bool,
    /// Bytes in the network after the ACK.
    pub in_flight: u64,
    /// The round-trip time of the newest segment, if it was sent once.
    pub rtt: Option<Duration>,
    /// Payload bytes of a full segment.
    pub segment: u64,
    /// Bytes in the network before the ACK.
    pub prior_in_flight: u64,
    /// Whether what is in the network has filled cwnd since the last sample.
    pub is_cwnd_limited: bool,
    /// Bytes that the ACK has marked lost (rs.newly_lost). What a timer marks is in `total_lost` only.
    pub newly_lost: u64,
    /// Bytes of the connection that have been marked lost since the newest segment was sent (rs.lost).
    pub lost: u64,
    /// Bytes of the connection that have been marked lost (C.lost). They stay in it if they arrive nevertheless.
    pub total_lost: u64,
    /// Bytes in the network just after the newest segment was sent (rs.tx_in_flight).
    pub tx_in_flight: u64,
    /// Of `newly_delivered`, the bytes that arrived with a congestion mark, as far as the sender knows: all of them
    /// with ECN-Echo (RFC 3168).
    pub newly_marked: u64,
    /// Bytes that arrived with a mark since the newest segment was sent.
    pub marked: u64,
    /// What the sender repairs after the ACK.
    pub repair: Repair,
    /// When the next segment may leave by pacing (C.next_send_time). It may be past.
    pub next_send_at: Instant,
    /// The smoothed round-trip time.
    pub srtt: Option<Duration>,
}

impl RateSample {
    /// The delivery rate, of payload (rs.delivery_rate).
    pub fn rate(&self) -> Option<Rate> {
        self.interval.map(|interval| Rate::mean(self.total - self.prior_delivered, interval))
    }
}

/// What finds losses, besides the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// What the flow's options say.
    Configured,
    /// A timer of fine resolution, looked at when ACKs come (Brakmo and Peterson 1995).
    FineGrained,
}

/// What a variable of a congestion control is at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observed<'a> {
    /// One of the states that its source names.
    State(&'a str),
    /// A number, in the unit that the name of the variable ends with; none if it is not known.
    Number(Option<f64>),
}

/// A congestion control.
pub trait CongestionControl {
    /// What finds losses. It is asked before anything has been sent.
    fn loss_detection(&self) -> LossDetection {
        LossDetection::Configured
    }

    /// What it does about marks, if both ends of the connection have agreed on this. It is asked before anything has been
    /// sent; [`EcnFeedback::None`]: there is no ECN.
    fn use_ecn(&mut self, _agreed: EcnFeedback) -> EcnResponse {
        EcnResponse::Classic
    }

    /// Whether [`CongestionControl::on_sent`], [`CongestionControl::on_rate_sample`] and
    /// [`CongestionControl::on_segment_lost`] are called. It is asked before anything has been sent.
    fn is_rate_based(&self) -> bool {
        false
    }

    /// Whether losses change nothing but what this control changes itself, as with `cong_control` in Linux: during
    /// recovery cwnd alone says what may be sent, without proportional rate reduction. It is asked before anything
    /// has been sent.
    fn limits_itself(&self) -> bool {
        false
    }

    /// The random numbers of one connection. It is called for each, before anything else, if the control is rate-based.
    fn use_random(&mut self, _random: RngStream) {}

    /// The connection is established, and `window` is the initial one.
    fn on_open(&mut self, _window: &mut Window, _event: &OpenEvent) {}

    /// Whether it has a rate at which segments leave, whatever the flow's options say. It is asked before anything has been
    /// sent.
    fn paces(&self) -> bool {
        self.is_rate_based()
    }

    /// The rate at which segments leave, payload; `None`: as soon as the window has room, or as the flow's options say.
    /// It is asked after each segment, and holds for the time until the next.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// The most segments that leave at a time where the flow has bursts (`tso`), two at least; `None`: what the pacing
    /// rate sends in 2^-10 s. It is asked when a burst begins.
    fn burst(&self) -> Option<u64> {
        None
    }

    /// A data segment leaves, for the first time or again.
    fn on_sent(&mut self, _window: &mut Window, _event: &SentEvent) {}

    /// What an ACK that has reported something new tells of the delivery rate, after all other events of
    /// that ACK.
    fn on_rate_sample(&mut self, _window: &mut Window, _sample: &RateSample) {}

    /// A segment is marked lost, if the control is rate-based: by an ACK before [`CongestionControl::on_rate_sample`], by
    /// the retransmission timer before [`CongestionControl::on_timeout`].
    fn on_segment_lost(&mut self, _window: &mut Window, _segment: &LostSegment) {}

    /// Whether this control keeps the rate low at present. If so after a sample, what is in the network and what is
    /// sent until it has arrived counts as limited by the application (MarkConnectionAppLimited).
    fn lowers_rate(&self) -> bool {
        false
    }

    /// Whether it departs from its estimate of the path in order to measure it: it sends more or less than that, or comes back
    /// from it. None if it never does, so that the time of it is not measured.
    fn is_probing(&self) -> Option<bool> {
        None
    }

    /// Tells `see` the variables that a time series is to have besides cwnd, with their names: lower-case, with the unit as
    /// suffix (`min_rtt_s`). They are always the same, in the same order.
    fn observe(&self, _see: &mut dyn FnMut(&str, Observed<'_>)) {}

    /// New data was acknowledged outside of recovery.
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent);

    /// A duplicate ACK came.
    fn on_duplicate_ack(&mut self, _window: &mut Window, _signal: &AckEvent) {}

    /// A loss is confirmed, by anything but a timeout: set `ssthresh`, and `cwnd` to what it shall be during
    /// and after recovery.
    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent);

    /// A queue has marked a segment instead of dropping it (RFC 3168): the classic response is that to a loss.
    /// The sender calls this once for a window of data at most, after [`CongestionControl::on_ack`] for the
    /// same ACK, whose event has the number of marked segments.
    fn on_congestion_mark(&mut self, window: &mut Window, signal: &AckEvent) {
        self.on_loss(window, signal);
    }

    /// New data was acknowledged during recovery, but not all that was outstanding at its start.
    fn on_partial_ack(&mut self, _window: &mut Window, _signal: &AckEvent) {}

    /// Recovery is over: all that was outstanding at its start has been acknowledged.
    fn on_recovered(&mut self, _window: &mut Window, _signal: &AckEvent) {}

    /// The retransmission timer expired; `first`: the segment had not timed out before.
    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool);
}

/// Slow start and congestion avoidance of RFC 5681 section 3.1, for those who build on them: each
/// segment of credit adds 1 below ssthresh, and 1/cwnd above it.
pub fn grow(window: &mut Window, credit: f64) {
    let rest = slow_start(window, credit);
    window.cwnd += rest / window.cwnd;
}

/// Slow start alone: what is left of the credit once ssthresh is reached.
pub fn slow_start(window: &mut Window, credit: f64) -> f64 {
    if window.cwnd >= window.ssthresh {
        return credit;
    }
    let used = credit.min((window.ssthresh - window.cwnd).ceil());
    window.cwnd += used;
    credit - used
}

/// The window that is made use of: cwnd, unless a whole segment of it or more is not outstanding,
/// because the receiver's window or the application is what limits the sender.
pub fn in_use(window: &Window, signal: &AckEvent) -> f64 {
    window.cwnd.min(signal.flight + 1.0)
}
