//! What marks say by Linux's version 3 (`tcp_bbr.c` of google/bbr, branch v3, commit 001a430b). The draft has no response of its
//! own (3.7); without this one a mark is a loss below the threshold ([`super::loss`]).
//!
//! The share of marked segments is smoothed once in a round trip. Between probes it bounds what is in flight; a probe of which half is
//! marked was too much, and so was Startup after two round trips of which half is marked each. Once marks cease, the next probe
//! begins at once. It holds where the path is short: marks are then those of a shallow threshold. (Linux asks for the feature `ecn_low` of
//! the route besides, which this rule is.)

use super::Bbr;
use super::marks::{EcnRule, Marks, THRESHOLD};
use super::variables::Ack;
use crate::congestion::{EcnFeedback, EcnResponse, RateSample, Repair};

/// `bbr_ecn_factor`: what of the smoothed share is taken from the volume in flight.
const FACTOR: f64 = 1.0 / 3.0;
/// `bbr_ecn_reprobe_gain`: the share of inflight_longterm that the first round trip of a probe adds after marks.
const REPROBE_GAIN: f64 = 0.5;
/// `ilog2` of the largest growth (`bbr_start_bw_probe_refill` takes 5 bits, of which `bbr_raise_inflight_hi_slope` uses 30).
const LARGEST_ROUNDS: u32 = 30;

impl Bbr {
    /// Both ends have agreed on this form of ECN.
    pub(super) fn agree_on(&mut self, agreed: EcnFeedback) -> EcnResponse {
        let counts = self.config.ecn == EcnRule::Linux && agreed != EcnFeedback::None;
        self.marks = counts.then(|| Box::new(Marks::new()));
        if counts { EcnResponse::Scalable } else { EcnResponse::Classic }
    }

    /// An ACK comes, which may begin a round trip. Before all that it changes otherwise, as in `bbr_main`.
    pub(super) fn note_marks(&mut self, sample: &RateSample) {
        let Some(marks) = &mut self.marks else { return };
        marks.delivered += sample.newly_delivered;
        marks.marked += sample.newly_marked;
        marks.reported_until = marks.reported_until.filter(|&until| sample.total <= until);
        let is_marked = sample.newly_marked > 0;
        if is_marked && marks.reported_until.is_none() {
            marks.reported_until = Some(sample.total + sample.in_flight);
        }
        let share = self.rounds.has_begun.then(|| marks.on_round(self.model.min_rtt)).flatten();
        marks.in_round |= is_marked && marks.counts;
        if !self.full.reached && share.is_some_and(|share| marks.ends_startup(share)) {
            // `bbr_handle_queue_too_high_in_startup`
            self.full.reached = true;
            let inflight = self.inflight(self.model.max_bw.get());
            self.model.inflight_longterm = inflight.max(self.latest.inflight);
        }
    }

    /// The end of what an ACK changes.
    pub(super) fn remember_marks(&mut self, sample: &RateSample) {
        if let Some(marks) = &mut self.marks {
            marks.has_loss_in_cycle |= sample.lost > 0;
            marks.in_cycle |= sample.marked > 0;
        }
    }

    /// A segment is lost (`bbr_note_loss`).
    pub(super) fn note_loss_beside_marks(&mut self) {
        if let Some(marks) = &mut self.marks {
            marks.has_loss_in_cycle = true;
        }
    }

    /// Startup or a probe ends: what follows is another cycle (`bbr_reset_congestion_signals`).
    pub(super) fn forget_marks(&mut self) {
        if let Some(marks) = &mut self.marks {
            (marks.in_round, marks.in_cycle, marks.has_loss_in_cycle) = (false, false, false);
        }
    }

    /// `bbr_ecn_lower_bounds` at the end of a round trip of losses: the volume that its marks leave.
    pub(super) fn take_marked_bound(&mut self) -> f64 {
        let Some(marks) = &mut self.marks else { return f64::INFINITY };
        if !std::mem::take(&mut marks.in_round) || self.state.is_probing() {
            return f64::INFINITY;
        }
        let bound = self.model.inflight_shortterm;
        let bound = if bound == f64::INFINITY { self.cwnd } else { bound };
        bound * (1.0 - FACTOR * marks.alpha)
    }

    /// Whether so much is marked of what was delivered since the newest segment was sent that it was too much
    /// (`bbr_is_inflight_too_high`).
    pub(super) fn has_too_many_marks(&self, ack: &Ack) -> bool {
        let counts = self.marks.as_ref().is_some_and(|marks| marks.counts);
        counts && ack.marked > THRESHOLD * ack.delivered
    }

    /// `bbr_check_time_to_probe_bw`: since the last probe segments were marked and none lost, and the marks have ceased. How many round
    /// trips the growth of the next probe is ahead.
    pub(super) fn rounds_ahead(&self) -> Option<u32> {
        let marks = self.marks.as_ref().filter(|marks| marks.counts)?;
        let is_open = self.repair == Repair::None && marks.reported_until.is_none();
        let is_time = marks.in_cycle && !marks.has_loss_in_cycle && is_open;
        is_time.then(|| {
            let growth =
                (REPROBE_GAIN * self.model.inflight_longterm).clamp(1.0, f64::from(u32::MAX));
            (growth as u32).ilog2().min(LARGEST_ROUNDS)
        })
    }

    /// What too many marks of a probe change; whether there were.
    pub(super) fn handle_too_many_marks(&mut self, ack: &Ack) -> bool {
        let has_too_many = self.has_too_many_marks(ack);
        if has_too_many && self.cycle.is_probe_sample {
            self.handle_inflight_too_high(ack.tx_in_flight, ack.is_app_limited);
        }
        has_too_many
    }
}
