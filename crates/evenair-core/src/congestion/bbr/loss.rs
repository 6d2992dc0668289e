//! What losses say (5.5.10): of a probe, that it was too much; otherwise, that the path carries less now.

use super::variables::Lost;
use super::{Bbr, State};

impl Bbr {
    /// NoteLoss (5.5.10.2), of a loss or a mark.
    pub(super) fn note_congestion(&mut self) {
        if !self.latest.has_loss {
            self.latest.start = self.delivered;
            self.save_cwnd();
        }
        self.latest.has_loss = true;
    }

    /// HandleLostPacket (5.5.10.2).
    pub(super) fn handle_lost(&mut self, segment: &Lost) {
        self.note_congestion();
        if self.cycle.is_probe_sample
            && self.is_inflight_too_high(segment.lost, segment.tx_in_flight)
        {
            let inflight = inflight_at_loss(segment, self.config.loss_threshold);
            self.handle_inflight_too_high(inflight, segment.is_app_limited);
        }
    }

    /// IsInflightTooHigh (5.5.10.2): whether so much of what was in flight is lost that it was too much.
    pub(super) fn is_inflight_too_high(&self, lost: f64, tx_in_flight: f64) -> bool {
        lost > tx_in_flight * self.config.loss_threshold
            || (lost > 0.0 && !self.path.has_selective_acks)
    }

    /// HandleInflightTooHigh (5.5.10.2), once for each probe.
    pub(super) fn handle_inflight_too_high(&mut self, tx_in_flight: f64, is_app_limited: bool) {
        self.cycle.was_too_high = true;
        self.cycle.is_probe_sample = false;
        if !is_app_limited {
            let least = self.target_inflight() * self.config.beta;
            self.model.inflight_longterm = tx_in_flight.max(least);
        }
        if self.state == State::Up {
            self.start_down();
        }
    }

    /// AdaptLowerBoundsFromCongestion (5.5.10.3), once in each round trip.
    pub(super) fn adapt_lower_bounds(&mut self) {
        if !self.latest.round_has_begun {
            return;
        }
        let marked_bound = self.take_marked_bound();
        if std::mem::take(&mut self.latest.has_loss) && !self.state.is_probing() {
            let (model, beta) = (&mut self.model, self.config.beta);
            if model.bw_shortterm == f64::INFINITY {
                model.bw_shortterm = model.max_bw.get();
            }
            if model.inflight_shortterm == f64::INFINITY {
                model.inflight_shortterm = self.cwnd;
            }
            model.bw_shortterm = self.latest.bw.max(beta * model.bw_shortterm);
            model.inflight_shortterm = self.latest.inflight.max(beta * model.inflight_shortterm);
        }
        self.model.inflight_shortterm = self.model.inflight_shortterm.min(marked_bound);
    }
}

/// InflightAtLoss (5.5.10.2): how much was in flight when the losses crossed the threshold, which may have been within the
/// segment. None of it is needed if what was lost before was more.
fn inflight_at_loss(segment: &Lost, threshold: f64) -> f64 {
    let inflight_before = segment.tx_in_flight - segment.size;
    let lost_before = segment.lost - segment.size;
    let prefix = (threshold * inflight_before - lost_before) / (1.0 - threshold);
    inflight_before + prefix.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(size: f64, lost: f64, tx_in_flight: f64) -> f64 {
        inflight_at_loss(&Lost { size, lost, tx_in_flight, is_app_limited: false }, 0.02)
    }

    /// A burst of 10 segments with 90 in flight before it, all lost and nothing else: 1.8 of 90 may be lost, and 1.8 / 0.98
    /// of the burst are 2 % of what is in flight with them.
    #[test]
    fn losses_cross_the_threshold_within_a_burst() {
        assert_eq!(at(10.0, 10.0, 100.0), 90.0 + 1.8 / 0.98);
        let inflight = at(10.0, 10.0, 100.0);
        assert!(((inflight - 90.0) / inflight - 0.02).abs() < 1e-12);
    }

    /// The fifth loss of 101 in flight: 4 of 100 were lost before it.
    #[test]
    fn what_was_lost_before_is_not_made_up_for() {
        assert_eq!(at(1.0, 5.0, 101.0), 100.0);
    }
}
