//! ProbeBW (5.3.3): the cycle of DOWN, CRUISE, REFILL and UP.

use super::variables::{Ack, AckPhase};
use super::{Bbr, State};
use crate::time::Duration;

/// T_reno_bound (5.3.3.8.2): round trips after which a flow probes at the latest.
const RENO_ROUNDS: f64 = 63.0;
/// T_bbr: the shortest time after which a flow probes, s. A second at most is added at random.
const LEAST_WAIT: f64 = 2.0;

impl Bbr {
    /// StartProbeBW_DOWN, which EnterProbeBW is.
    pub(super) fn start_down(&mut self) {
        self.latest.reset();
        self.forget_marks();
        self.cycle.acked_per_increment = f64::INFINITY;
        self.pick_probe_wait();
        self.cycle.began = self.now;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(self.delivered);
        self.state = State::Down;
    }

    /// StartProbeBW_REFILL; the growth of the probe is so many round trips ahead.
    fn start_refill(&mut self, rounds_ahead: u32) {
        self.model.reset_shortterm();
        self.cycle.up_rounds = rounds_ahead;
        self.cycle.up_acked = 0.0;
        self.cycle.was_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.rounds.restart(self.delivered);
        self.state = State::Refill;
    }

    /// StartProbeBW_UP.
    fn start_up(&mut self, ack: &Ack) {
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        self.rounds.restart(self.delivered);
        self.full.restart(ack.rate);
        self.state = State::Up;
        self.raise_slope();
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_cycle(&mut self, ack: &Ack) {
        if !self.full.reached || self.adapt_longterm(ack) {
            return;
        }
        let state = self.state;
        if matches!(state, State::Down | State::Cruise)
            && let Some(rounds) = self.rounds_ahead()
        {
            return self.start_refill(rounds);
        }
        match state {
            State::Down | State::Cruise if self.is_time_to_probe() => self.start_refill(0),
            State::Down if self.is_time_to_cruise(ack) => self.state = State::Cruise,
            State::Refill if self.rounds.has_begun => {
                self.cycle.is_probe_sample = true;
                self.start_up(ack);
            }
            State::Up if self.is_time_to_go_down(ack) => {
                self.cycle.was_too_high = false;
                self.start_down();
            }
            _ => {}
        }
    }

    /// AdaptLongTermModel; whether it has decided on the next state.
    fn adapt_longterm(&mut self, ack: &Ack) -> bool {
        if self.rounds.has_begun {
            if self.cycle.ack_phase == AckPhase::ProbeStarting {
                self.cycle.ack_phase = AckPhase::ProbeFeedback;
            }
            if self.cycle.ack_phase == AckPhase::ProbeStopping && self.end_probe(ack) {
                return true;
            }
        }
        if self.handle_too_many_marks(ack)
            || self.is_inflight_too_high(ack.lost, ack.tx_in_flight)
            || self.model.inflight_longterm == f64::INFINITY
        {
            return false;
        }
        self.model.inflight_longterm = self.model.inflight_longterm.max(ack.tx_in_flight);
        if self.state == State::Up {
            self.probe_upward(ack);
        }
        false
    }

    /// A round trip after a probe all of it is known; whether the next begins at once (5.3.3.6).
    fn end_probe(&mut self, ack: &Ack) -> bool {
        self.cycle.is_probe_sample = false;
        self.cycle.ack_phase = AckPhase::Init;
        if !self.state.is_probe_bw() {
            return false;
        }
        if !ack.is_app_limited {
            self.model.max_bw.advance();
        }
        let was_safe = self.cycle.was_precautionary && !self.cycle.was_too_high;
        if was_safe {
            self.start_refill(0);
        }
        was_safe
    }

    /// ProbeInflightLongtermUpward: by a segment in the first round trip that is limited by it, two in the
    /// second, four in the third.
    fn probe_upward(&mut self, ack: &Ack) {
        if !self.usage.is_limited() || self.cwnd < self.model.inflight_longterm {
            return;
        }
        self.cycle.up_acked += ack.newly_acked;
        if self.cycle.up_acked >= self.cycle.acked_per_increment {
            let increments = (self.cycle.up_acked / self.cycle.acked_per_increment).floor();
            self.cycle.up_acked -= increments * self.cycle.acked_per_increment;
            self.model.inflight_longterm += increments;
        }
        if self.rounds.has_begun {
            self.raise_slope();
        }
    }

    /// RaiseInflightLongtermSlope.
    fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.cycle.up_rounds);
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(30);
        self.cycle.acked_per_increment = (self.cwnd / growth).max(1.0);
    }

    /// IsTimeToCruise: the queue is empty, and there is room for others.
    fn is_time_to_cruise(&self, ack: &Ack) -> bool {
        ack.in_flight <= self.model.inflight_with_headroom(self.config.headroom)
            && ack.in_flight <= self.inflight(self.model.max_bw.get())
    }

    /// IsTimeToGoDown.
    fn is_time_to_go_down(&mut self, ack: &Ack) -> bool {
        let bound = self.model.inflight_longterm;
        if self.cycle.was_too_high && ack.in_flight >= bound {
            self.cycle.was_precautionary = true;
            return true;
        }
        if self.usage.is_limited() && self.cwnd >= bound {
            // The bound, and not the path, is what limits the rate.
            self.full.restart(ack.rate);
            return false;
        }
        self.full.now
    }

    /// PickProbeWait (5.3.3.8.3).
    fn pick_probe_wait(&mut self) {
        self.cycle.rounds = self.random.up_to(1);
        self.cycle.wait = Duration::from_secs_f64(LEAST_WAIT + self.random.uniform());
    }

    /// IsTimeToProbeBW (5.3.3.8.3): some seconds have passed, or as many round trips as a Reno flow needs between two
    /// losses. That one adds a segment in each, so that they are the bandwidth-delay product.
    fn is_time_to_probe(&self) -> bool {
        self.now > self.cycle.began + self.cycle.wait
            || f64::from(self.cycle.rounds) >= self.target_inflight().min(RENO_ROUNDS)
    }

    /// TargetInflight (5.3.3.8.3).
    pub(super) fn target_inflight(&self) -> f64 {
        self.model.bdp(self.model.bw).map_or(self.cwnd, |bdp| bdp.min(self.cwnd))
    }
}
