//! The state variables of a flow that several rules share (section 2), and what an ACK tells of it.

use crate::congestion::RateSample;
use crate::time::{Duration, Instant};

/// What an ACK tells (RS).
#[derive(Clone, Copy, Debug)]
pub(super) struct Ack {
    /// RS.newly_acked, segments.
    pub(super) newly_acked: f64,
    /// RS.delivered, segments.
    pub(super) delivered: f64,
    /// RS.delivery_rate, segments/s; 0 if there is no sample.
    pub(super) rate: f64,
    /// RS.prior_delivered, bytes.
    pub(super) prior_delivered: u64,
    pub(super) is_app_limited: bool,
    /// C.inflight, segments.
    pub(super) in_flight: f64,
    /// RS.tx_in_flight, segments.
    pub(super) tx_in_flight: f64,
    /// RS.lost, segments.
    pub(super) lost: f64,
    /// Of `delivered`, the segments that were marked.
    pub(super) marked: f64,
    pub(super) rtt: Option<Duration>,
}

impl Ack {
    pub(super) fn new(sample: &RateSample, segment: f64) -> Self {
        let segments = |bytes: u64| bytes as f64 / segment;
        let delivered = segments(sample.total - sample.prior_delivered);
        Self {
            newly_acked: segments(sample.newly_delivered),
            delivered,
            rate: sample.interval.map_or(0.0, |interval| delivered / interval.as_secs_f64()),
            prior_delivered: sample.prior_delivered,
            is_app_limited: sample.is_app_limited,
            in_flight: segments(sample.in_flight),
            tx_in_flight: segments(sample.tx_in_flight),
            lost: segments(sample.lost),
            marked: segments(sample.marked),
            rtt: sample.rtt,
        }
    }
}

/// Rounds without such growth after which the path is full.
const ROUNDS: u32 = 3;
/// By how much a round's rate exceeds the last, if there may be more.
const GROWTH: f64 = 1.25;

/// The first sign: the delivery rate grows no more (5.3.1.2). ProbeBW_UP looks for it as well.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullBandwidth {
    /// BBR.full_bw: the rate that the next is compared with.
    pub(super) baseline: f64,
    /// BBR.full_bw_count.
    pub(super) rounds: u32,
    /// BBR.full_bw_now: whether it has been seen since the search began.
    pub(super) now: bool,
    /// BBR.full_bw_reached: whether the path has ever been full.
    pub(super) reached: bool,
}

impl FullBandwidth {
    /// ResetFullBW, with a rate to compare with.
    pub(super) fn restart(&mut self, baseline: f64) {
        *self = Self { baseline, rounds: 0, now: false, reached: self.reached };
    }

    /// CheckFullBWReached, of the sample that begins a round.
    pub(super) fn on_round(&mut self, rate: f64, is_app_limited: bool) {
        if self.now || is_app_limited {
            return;
        }
        if rate >= self.baseline * GROWTH {
            return self.restart(rate);
        }
        self.rounds += 1;
        self.now = self.rounds >= ROUNDS;
        self.reached |= self.now;
    }
}

/// The ranges of bytes that were lost in a round, those that touch counted as one (5.3.1.3).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LostRanges {
    pub(super) count: u32,
    /// The end of the last.
    pub(super) end: u64,
}

impl LostRanges {
    /// The bytes from `start` up to `end` are lost.
    pub(super) fn add(&mut self, start: u64, end: u64) {
        if self.count == 0 || start != self.end {
            self.count += 1;
        }
        self.end = end;
    }
}

/// BBR.ack_phase (2.14): what the ACKs tell of the last probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// Nothing.
    #[default]
    Init,
    /// Still nothing: the path is being filled.
    Refilling,
    /// Nothing yet: the probe has begun less than a round trip ago.
    ProbeStarting,
    /// What the probe does.
    ProbeFeedback,
    /// The same, for a round trip after the probe.
    ProbeStopping,
}

/// The state of the cycle (2.14).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    pub(super) ack_phase: AckPhase,
    /// BBR.is_bw_probe_sample: whether losses are the doing of the last probe.
    pub(super) is_probe_sample: bool,
    /// BBR.bw_probe_up_acked: segments acknowledged since `inflight_longterm` has grown.
    pub(super) up_acked: f64,
    /// BBR.probe_up_acked_per_inc: segments that let it grow by one.
    pub(super) acked_per_increment: f64,
    /// BBR.bw_probe_up_rounds.
    pub(super) up_rounds: u32,
    /// BBR.rounds_since_probe_up.
    pub(super) rounds: u32,
    /// BBR.bw_probe_wait.
    pub(super) wait: Duration,
    /// BBR.cycle_stamp.
    pub(super) began: Instant,
    /// BBR.prev_probe_too_high: whether the last probe has lost too much.
    pub(super) was_too_high: bool,
    /// BBR.prev_probe_precautionary: whether it has ended early because the one before had.
    pub(super) was_precautionary: bool,
}

impl Default for Cycle {
    fn default() -> Self {
        Self {
            ack_phase: AckPhase::default(),
            is_probe_sample: false,
            up_acked: 0.0,
            acked_per_increment: f64::INFINITY,
            up_rounds: 0,
            rounds: 0,
            wait: Duration::ZERO,
            began: Instant::ZERO,
            was_too_high: false,
            was_precautionary: false,
        }
    }
}

impl Cycle {
    /// A round trip has begun.
    pub(super) fn on_round(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
    }

    /// ProbeRTT begins: what is acknowledged for another round trip may be the last probe's.
    pub(super) fn stop_probing(&mut self) {
        self.ack_phase = AckPhase::ProbeStopping;
    }
}

/// When the path has been empty (2.16), and how long ProbeRTT lasts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeRtt {
    /// BBR.min_rtt_stamp: when BBR.min_rtt was measured.
    pub(super) min_rtt_at: Instant,
    /// BBR.probe_rtt_min_delay: the smallest round-trip time since the last ProbeRTT.
    pub(super) least: Option<Duration>,
    /// BBR.probe_rtt_min_stamp.
    pub(super) least_at: Instant,
    /// BBR.probe_rtt_expired: whether that is too long ago.
    pub(super) has_expired: bool,
    /// BBR.probe_rtt_done_stamp: when ProbeRTT may end, once little is in flight.
    pub(super) done_at: Option<Instant>,
    /// BBR.probe_rtt_round_done: whether a round trip has passed in which little was in flight.
    pub(super) round_is_done: bool,
}

impl ProbeRtt {
    /// The connection opens with a round-trip time from the handshake, if there is one.
    pub(super) fn open(&mut self, now: Instant, rtt: Option<Duration>) {
        *self = Self { min_rtt_at: now, least: rtt, least_at: now, ..Self::default() };
    }
}

/// What has been delivered in the present round trip, and whether something was lost (2.10, 5.5.10.3). These round trips begin
/// with a loss, and are others than [`super::rounds::Rounds`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latest {
    /// BBR.bw_latest: the largest delivery rate, segments/s.
    pub(super) bw: f64,
    /// BBR.inflight_latest: the largest volume delivered in a round trip, segments.
    pub(super) inflight: f64,
    /// BBR.loss_round_delivered: what had been delivered when the round trip began, bytes.
    pub(super) start: u64,
    /// BBR.loss_round_start: whether the present ACK begins one.
    pub(super) round_has_begun: bool,
    /// BBR.is_loss_in_round.
    pub(super) has_loss: bool,
}

impl Latest {
    /// ResetCongestionSignals.
    pub(super) fn reset(&mut self) {
        (self.bw, self.inflight, self.has_loss) = (0.0, 0.0, false);
    }

    /// UpdateLatestDeliverySignals.
    pub(super) fn update(&mut self, ack: &Ack, delivered: u64) {
        self.bw = self.bw.max(ack.rate);
        self.inflight = self.inflight.max(ack.delivered);
        self.round_has_begun = ack.prior_delivered >= self.start;
        if self.round_has_begun {
            self.start = delivered;
        }
    }

    /// AdvanceLatestDeliverySignals.
    pub(super) fn advance(&mut self, ack: &Ack) {
        if self.round_has_begun {
            (self.bw, self.inflight) = (ack.rate, ack.delivered);
        }
    }
}

/// A segment that is lost, as the flow was when it was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost {
    /// P.size, segments.
    pub(super) size: f64,
    /// What is lost since it was sent, with it, segments.
    pub(super) lost: f64,
    /// What was in flight, with it, segments.
    pub(super) tx_in_flight: f64,
    pub(super) is_app_limited: bool,
}
