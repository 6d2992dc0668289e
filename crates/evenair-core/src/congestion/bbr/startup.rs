//! Startup (5.3.1): two signs that the path is full.

use super::{Ack, Bbr, State};

/// By how much a round's rate exceeds the last, if there may be more.
const GROWTH: f64 = 1.25;
/// Rounds without such growth after which the path is full.
const ROUNDS: u32 = 3;
/// BBRStartupFullLossCnt.
const LOST_RANGES: u32 = 6;

/// The first sign: the delivery rate grows no more (5.3.1.2). ProbeBW_UP looks for it as well.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullBandwidth {
    /// BBR.full_bw: the rate that the next is compared with.
    baseline: f64,
    /// BBR.full_bw_count.
    rounds: u32,
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
    count: u32,
    /// The end of the last.
    end: u64,
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

impl Bbr {
    /// CheckStartupDone.
    pub(super) fn check_startup_done(&mut self, ack: &Ack) {
        self.check_startup_high_loss(ack);
        if self.state == State::Startup && self.full.reached {
            self.enter_drain();
        }
    }

    /// CheckStartupHighLoss (5.3.1.3).
    fn check_startup_high_loss(&mut self, ack: &Ack) {
        if self.has_high_loss(ack) && self.state == State::Startup && !self.full.reached {
            (self.full.now, self.full.reached) = (true, true);
            let bdp = self.model.bdp(self.model.bw).unwrap_or(self.path.initial_cwnd);
            self.model.inflight_longterm = bdp.max(self.latest.inflight);
        }
        if self.latest.round_has_begun {
            self.lost_ranges = LostRanges::default();
        }
    }

    /// Whether fast recovery has found many losses in a round trip, or without SACK, which finds one in each, any.
    fn has_high_loss(&self, ack: &Ack) -> bool {
        let Some(since) = self.recovery_since else { return false };
        if !self.path.has_selective_acks {
            return self.lost_ranges.count > 0;
        }
        self.latest.round_has_begun
            && ack.prior_delivered >= since
            && self.lost_ranges.count >= LOST_RANGES
            && self.is_inflight_too_high(ack.lost, ack.tx_in_flight)
    }
}
