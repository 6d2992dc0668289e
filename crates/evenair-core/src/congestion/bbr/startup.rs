//! Startup (5.3.1): two signs that the path is full.

use super::variables::{Ack, LostRanges};
use super::{Bbr, State};

/// BBRStartupFullLossCnt.
const LOST_RANGES: u32 = 6;

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
            && (self.is_inflight_too_high(ack.lost, ack.tx_in_flight)
                || self.has_too_many_marks(ack))
    }
}
