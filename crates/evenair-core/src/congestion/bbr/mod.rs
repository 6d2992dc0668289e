//! BBR version 3, by draft-ietf-ccwg-bbr-06 (July 2026). Each rule names the section of the draft that it is from; variables
//! have the draft's names where they are told (BBR.max_bw).
//!
//! A flow estimates how fast the path delivers (BBR.bw) and its round-trip time without a queue (BBR.min_rtt). It paces at a
//! share of the one, with at most a multiple of their product in flight. Its state says which ([`state`]): Startup doubles
//! the rate, Drain empties the queue, ProbeBW probes for more every few seconds and settles in between, ProbeRTT measures
//! the round-trip time again. Losses are no signal to halve: they bound what a probe may put in flight, and between probes what
//! is sent ([`loss`]).
//!
//! Volumes are in segments and rates in segments/s, as section 2 allows, so that C.SMSS is 1.
//!
//! # Where the draft contradicts itself, or says nothing
//!
//! Its editors have since said that the pseudocode is normative (commit 4ce5e87, August 2026). So where prose and pseudocode
//! differ, the pseudocode holds; Linux's version 3 (google/bbr, branch v3), the second source, mostly agrees with it:
//!
//! - Drain is bounded by inflight_shortterm alone (5.6.4.7, Linux), not by inflight_longterm as well (table of 5.6.1).
//! - Drain ends with the ACK that begins the fourth round after it (5.3.2: `>` drain_start_round + 3), where the prose and A.4
//!   say after three.
//! - ProbeRTT keeps half of a bandwidth-delay product in flight, at least MinPipeCwnd (5.6.4.5); two places of the prose
//!   (2.16.2, 5.6.4.5) still have MinPipeCwnd.
//! - Reno's time scale is min(BDP, cwnd, 63) rounds, counted from 0 or 1 (5.3.3.8.3); the prose has a bound of 62 or 63, which
//!   is the same for large products only.
//! - What an ACK tells of too many losses changes nothing (AdaptLongTermModel): HandleLostPacket has done so. In Linux both do.
//!
//! Where the pseudocode is silent:
//! - Nothing sets the gains of ProbeBW, nor those after ProbeRTT: they are those of the table of 5.6.1 in every state.
//! - CheckStartupHighLoss has no pseudocode: it is judged when a loss round ends (as in Linux), without SACK with each ACK. Of
//!   the ranges lost in that round those that touch count as one. It sets full_bw_now, too (A.2).
//! - BDPMultiple has one argument in one place and two in others: `Inflight(BBR.max_bw, 1.0)` is read as the product with max_bw.
//! - BBR.probe_rtt_min_delay starts as min_rtt does, with the handshake's round-trip time; BBR.bw and BBR.extra_acked with 0.
//! - InflightAtLoss is negative in its second term if the losses before exceed the threshold: then the term is 0, as in Linux.
//! - A pacing rate of 0, which a loss in Startup without any sample would give, is none: the initial one stays.
//! - cwnd after a timeout is C.inflight + 1, which is 1: all that was outstanding counts as lost.
//! - C.is_cwnd_limited looks at the present and the last round trip, as `tcp_is_cwnd_limited` in Linux.
//! - A filter of ten rounds remembers a value of the tenth round before the present one, as Linux's `win_minmax`.
//!
//! # What is left out
//!
//! - The draft has no response to ECN but that a mark is congestion (3.7). Here it counts as a loss below the threshold does:
//!   the rate and the volume of the round are what is sent until the next probe (5.5.10.3). A probe goes on. Linux's
//!   response is that of `ecn = "linux"` ([`ecn`]).
//! - Undo (5.5.11): the sender does not find out that a recovery was spurious.
//! - Segments leave one by one (or in bursts, by the flow's `tso`): C.send_quantum only counts in the budget of 5.6.4.2.

mod aggregation;
mod cwnd;
mod drain;
mod ecn;
mod loss;
mod marks;
mod model;
mod pacing;
mod probe_bw;
mod probe_rtt;
mod rounds;
mod startup;
mod state;
#[cfg(test)]
mod tests;
mod variables;

use self::aggregation::Aggregation;
use self::marks::Marks;
use self::model::Model;
use self::rounds::Rounds;
use self::state::State;
use self::variables::{Ack, Cycle, FullBandwidth, Latest, Lost, LostRanges, ProbeRtt};
use super::{
    AckEvent, CongestionControl, EcnFeedback, EcnResponse, LostSegment, Observed, OpenEvent,
    RateSample, Repair, SentEvent, Window,
};
use crate::component::{configuration, names, number};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

pub use self::marks::EcnRule;

configuration! {
    /// The parameters of the draft's section 2.8.
    pub struct BbrConfig {
        name: "bbr",
        summary: "paces at the measured bandwidth, with a bounded volume in flight (version 3)",
        source: "draft-ietf-ccwg-bbr-06",
    }
    /// share of what was in flight that a probe may lose before it counts as too
    /// much
    loss_threshold: f64 = 0.02, number(0.0..=0.5);
    /// share of the rate and volume that a round trip with a loss leaves at least
    beta: f64 = 0.7, number(0.0..=1.0);
    /// share of the volume that has lost too much which is left to others
    headroom: f64 = 0.15, number(0.0..=0.9);
    /// what marks say
    ecn: EcnRule = EcnRule::Draft, names();
}

/// What is told of the connection (2.2).
#[derive(Clone, Copy, Debug)]
struct Connection {
    /// C.SMSS, bytes.
    segment: f64,
    /// C.InitialCwnd, segments.
    initial_cwnd: f64,
    /// C.has_selective_acks.
    has_selective_acks: bool,
}

/// C.is_cwnd_limited: whether cwnd was filled in the present round trip or the last.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    present: bool,
    last: bool,
}

impl Usage {
    fn on_ack(&mut self, is_limited: bool, begins_round: bool) {
        if begins_round {
            (self.last, self.present) = (self.present, false);
        }
        self.present |= is_limited;
    }

    fn is_limited(self) -> bool {
        self.present || self.last
    }
}

/// BBR version 3.
#[derive(Clone, Debug)]
pub struct Bbr {
    config: Box<BbrConfig>,
    random: RngStream,
    path: Connection,
    state: State,
    /// When the last event came.
    now: Instant,
    /// C.delivered, bytes.
    delivered: u64,
    /// C.cwnd.
    cwnd: f64,
    /// BBR.prior_cwnd: cwnd without a loss or ProbeRTT.
    prior_cwnd: f64,
    /// C.pacing_rate, segments/s.
    pacing_rate: f64,
    /// C.send_quantum, segments.
    send_quantum: f64,
    rounds: Rounds,
    model: Model,
    latest: Latest,
    aggregation: Aggregation,
    usage: Usage,
    full: FullBandwidth,
    lost_ranges: LostRanges,
    /// BBR.drain_start_round.
    drain_start_round: u64,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    /// BBR.idle_restart.
    restarts_from_idle: bool,
    /// Whether what is sent from now on counts as limited by the application.
    is_app_limited: bool,
    repair: Repair,
    /// What had been delivered when fast recovery began, bytes.
    recovery_since: Option<u64>,
    /// What marks have told, where Linux's rule holds.
    marks: Option<Box<Marks>>,
}

impl Bbr {
    /// Before anything has been sent.
    pub fn new(config: BbrConfig) -> Self {
        Self {
            config: Box::new(config),
            random: RngStream::new(0, StreamId::Congestion, 0),
            path: Connection { segment: 1.0, initial_cwnd: 1.0, has_selective_acks: true },
            state: State::default(),
            now: Instant::ZERO,
            delivered: 0,
            cwnd: 1.0,
            prior_cwnd: 0.0,
            pacing_rate: 0.0,
            send_quantum: 0.0,
            rounds: Rounds::default(),
            model: Model::default(),
            latest: Latest::default(),
            aggregation: Aggregation::default(),
            usage: Usage::default(),
            full: FullBandwidth::default(),
            lost_ranges: LostRanges::default(),
            drain_start_round: 0,
            cycle: Cycle::default(),
            probe_rtt: ProbeRtt::default(),
            restarts_from_idle: false,
            is_app_limited: false,
            repair: Repair::None,
            recovery_since: None,
            marks: None,
        }
    }

    fn is_recovering(&self) -> bool {
        self.repair != Repair::None
    }

    fn delivered_segments(&self) -> f64 {
        self.delivered as f64 / self.path.segment
    }

    /// What is repaired after an ACK. Recovery leaves the window as it was before (5.6.4.4).
    fn update_recovery(&mut self, repair: Repair) {
        if repair != Repair::Losses {
            self.recovery_since = None;
        } else if self.recovery_since.is_none() {
            self.recovery_since = Some(self.delivered);
        }
        if self.is_recovering() && repair == Repair::None {
            self.restore_cwnd();
        }
        self.repair = repair;
    }

    /// UpdateModelAndState (5.2.3).
    fn update_model_and_state(&mut self, ack: &Ack) {
        self.latest.update(ack, self.delivered);
        self.model.max_bw.take(ack.rate, ack.is_app_limited);
        self.adapt_lower_bounds();
        let limits = (self.model.bw, self.cwnd);
        let round = (self.rounds.count, !self.full.reached);
        self.aggregation.on_ack(self.now, ack.newly_acked, limits, round);
        if self.rounds.has_begun {
            self.full.on_round(ack.rate, ack.is_app_limited);
        }
        self.check_startup_done(ack);
        self.check_drain_done(ack);
        self.update_cycle(ack);
        self.update_min_rtt(ack);
        self.check_probe_rtt(ack);
        self.latest.advance(ack);
        self.model.bound_bw();
    }

    /// UpdateControlParameters (5.2.3).
    fn update_control_parameters(&mut self, ack: &Ack) {
        self.set_pacing_rate(self.state.pacing_gain());
        self.set_send_quantum();
        self.set_cwnd(ack.newly_acked);
    }

    /// HandleRestartFromIdle (5.4.1).
    fn restart_from_idle(&mut self) {
        self.restarts_from_idle = true;
        self.aggregation.restart(self.now);
        if self.state.is_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done();
        }
    }
}

impl CongestionControl for Bbr {
    fn is_rate_based(&self) -> bool {
        true
    }

    fn limits_itself(&self) -> bool {
        true
    }

    fn use_ecn(&mut self, agreed: EcnFeedback) -> EcnResponse {
        self.agree_on(agreed)
    }

    fn use_random(&mut self, random: RngStream) {
        self.random = random;
    }

    /// OnInit (5.2.1).
    fn on_open(&mut self, window: &mut Window, event: &OpenEvent) {
        self.now = event.now;
        self.cwnd = window.cwnd;
        self.path = Connection {
            segment: event.segment as f64,
            initial_cwnd: window.cwnd,
            has_selective_acks: event.has_sack,
        };
        self.model.min_rtt = event.srtt;
        self.probe_rtt.open(event.now, event.srtt);
        self.aggregation.restart(event.now);
        self.init_pacing_rate(event.srtt);
        self.set_send_quantum();
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.rate()
    }

    fn lowers_rate(&self) -> bool {
        self.is_app_limited
    }

    fn on_sent(&mut self, window: &mut Window, event: &SentEvent) {
        self.now = event.now;
        if event.in_flight == 0 && event.is_app_limited {
            self.cwnd = window.cwnd;
            self.restart_from_idle();
            window.cwnd = self.cwnd;
        }
    }

    /// HandleLostPacket (5.2.4).
    fn on_segment_lost(&mut self, window: &mut Window, lost: &LostSegment) {
        (self.now, self.delivered, self.cwnd) = (lost.now, lost.delivered, window.cwnd);
        self.note_loss_beside_marks();
        self.lost_ranges.add(lost.seq, lost.seq + lost.bytes);
        let segments = |bytes: u64| bytes as f64 / self.path.segment;
        self.handle_lost(&Lost {
            size: segments(lost.bytes),
            lost: segments(lost.lost),
            tx_in_flight: segments(lost.tx_in_flight),
            is_app_limited: lost.is_app_limited,
        });
    }

    /// UpdateOnACK (5.2.3).
    fn on_rate_sample(&mut self, window: &mut Window, sample: &RateSample) {
        let ack = Ack::new(sample, self.path.segment);
        (self.now, self.delivered, self.cwnd) = (sample.now, sample.total, window.cwnd);
        self.is_app_limited = false;
        self.rounds.on_ack(sample.prior_delivered, sample.total);
        if self.rounds.has_begun {
            self.cycle.on_round();
        }
        self.note_marks(sample);
        self.usage.on_ack(sample.is_cwnd_limited, self.rounds.has_begun);
        self.update_recovery(sample.repair);
        self.update_model_and_state(&ack);
        self.update_control_parameters(&ack);
        self.remember_marks(sample);
        window.cwnd = self.cwnd;
    }

    fn is_probing(&self) -> Option<bool> {
        Some(self.state != State::Cruise)
    }

    fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        let Model { bw, min_rtt, .. } = self.model;
        let bandwidth = (bw > 0.0).then_some(8.0 * self.path.segment * bw);
        see("state", Observed::State(self.state.name()));
        see("bandwidth_bps", Observed::Number(bandwidth));
        see("min_rtt_s", Observed::Number(min_rtt.map(Duration::as_secs_f64)));
        see("pacing_gain", Observed::Number(Some(self.state.pacing_gain())));
    }

    /// Nothing: [`CongestionControl::on_rate_sample`] does all.
    fn on_ack(&mut self, _window: &mut Window, _event: &AckEvent) {}

    /// OnEnterFastRecovery (5.6.4.4).
    fn on_loss(&mut self, window: &mut Window, _event: &AckEvent) {
        self.cwnd = window.cwnd;
        self.save_cwnd();
    }

    /// Section 3.7: congestion. By Linux's rule [`CongestionControl::on_rate_sample`] does all.
    fn on_congestion_mark(&mut self, window: &mut Window, _event: &AckEvent) {
        if self.marks.is_some() {
            return;
        }
        self.cwnd = window.cwnd;
        self.note_congestion();
    }

    /// OnEnterRTO (5.6.4.4).
    fn on_timeout(&mut self, window: &mut Window, _event: &AckEvent, _first: bool) {
        self.cwnd = window.cwnd;
        self.save_cwnd();
        self.repair = Repair::Timeout;
        self.recovery_since = None;
        window.cwnd = 1.0;
        self.cwnd = window.cwnd;
    }
}
