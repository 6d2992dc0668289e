//! The contract of a congestion control, and what several of them share.

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
    /// Whether cwnd may grow: not with an ACK that echoes marks (RFC 3168 section 6.1.2), nor while it does
    /// not limit the sender (RFC 7661). What grows nevertheless is taken off.
    pub may_grow: bool,
    /// Of `acked`, the segments that arrived with a mark as far as the sender knows. RFC 3168 tells it only
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

/// A congestion control.
pub trait CongestionControl {
    /// What finds losses. It is asked before anything has been sent.
    fn loss_detection(&self) -> LossDetection {
        LossDetection::Configured
    }

    /// Whether [`CongestionControl::on_sent`], [`CongestionControl::on_rate_sample`] and
    /// [`CongestionControl::pacing_rate`] are called. It is asked before anything has been sent.
    fn is_rate_based(&self) -> bool {
        false
    }

    /// The rate at which segments leave, payload; `None`: as soon as the window has room. It is asked after
    /// each segment, and holds for the time until the next.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// A data segment leaves, for the first time or again.
    fn on_sent(&mut self, _window: &mut Window, _event: &SentEvent) {}

    /// What an ACK that has reported something new tells of the delivery rate, after all other events of
    /// that ACK.
    fn on_rate_sample(&mut self, _window: &mut Window, _sample: &RateSample) {}

    /// New data was acknowledged outside of recovery.
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent);

    /// A duplicate ACK came.
    fn on_duplicate_ack(&mut self, _window: &mut Window, _signal: &AckEvent) {}

    /// A loss is confirmed, by anything but a timeout: set `ssthresh`, and `cwnd` to what it shall be during
    /// and after recovery.
    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent);

    /// A queue has marked a segment instead of dropping it (RFC 3168): the response is that to a loss.
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
