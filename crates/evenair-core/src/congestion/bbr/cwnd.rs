//! The congestion window (5.6.4).

use super::model::MIN_PIPE_CWND;
use super::{Bbr, State};

/// Quanta that the hosts hold (5.5.8.1).
const QUANTA: f64 = 3.0;

impl Bbr {
    /// BDPMultiple (5.6.4.2): a share of what the path holds at `bw`.
    fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        self.model.bdp(bw).map_or(self.path.initial_cwnd, |bdp| gain * bdp)
    }

    /// QuantizationBudget (5.6.4.2).
    fn with_quanta(&self, inflight: f64) -> f64 {
        let inflight = inflight.max(QUANTA * self.send_quantum).max(MIN_PIPE_CWND);
        if self.state == State::Up { inflight + 2.0 } else { inflight }
    }

    /// Inflight(bw, 1.0) (5.6.4.2): what is in flight without a queue.
    pub(super) fn inflight(&self, bw: f64) -> f64 {
        self.with_quanta(self.bdp_multiple(bw, 1.0))
    }

    /// UpdateMaxInflight (5.6.4.2).
    fn max_inflight(&self) -> f64 {
        let inflight = self.bdp_multiple(self.model.bw, self.state.cwnd_gain());
        self.with_quanta(inflight + self.aggregation.extra_acked())
    }

    /// SetCwnd (5.6.4.6): `acked` more segments are acknowledged.
    pub(super) fn set_cwnd(&mut self, acked: f64) {
        let most = self.max_inflight();
        if self.full.reached {
            self.cwnd = (self.cwnd + acked).min(most);
        } else if self.cwnd < most || self.delivered_segments() < self.path.initial_cwnd {
            self.cwnd += acked;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd();
    }

    /// ProbeRTTCwnd (5.6.4.5).
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.model.bw, State::ProbeRtt.cwnd_gain()).max(MIN_PIPE_CWND)
    }

    /// BoundCwndForModel (5.6.4.7).
    fn bound_cwnd(&mut self) {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.model.inflight_longterm,
            State::Cruise | State::ProbeRtt => {
                self.model.inflight_with_headroom(self.config.headroom)
            }
            State::Startup | State::Drain => f64::INFINITY,
        };
        self.cwnd = self.cwnd.min(cap.min(self.model.inflight_shortterm).max(MIN_PIPE_CWND));
    }

    /// SaveCwnd (5.6.4.4).
    pub(super) fn save_cwnd(&mut self) {
        let is_modulated = self.is_recovering() || self.state == State::ProbeRtt;
        self.prior_cwnd = if is_modulated { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// RestoreCwnd (5.6.4.4).
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}
