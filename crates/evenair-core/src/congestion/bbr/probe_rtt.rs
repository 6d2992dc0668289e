//! ProbeRTT and the round-trip time of the empty path (5.3.4, 5.5.7).

use super::variables::Ack;
use super::{Bbr, State};
use crate::time::Duration;

/// MinRTTFilterLen.
const MIN_RTT_WINDOW: Duration = Duration::from_secs(10);
/// ProbeRTTInterval.
const INTERVAL: Duration = Duration::from_secs(5);
/// ProbeRTTDuration.
const DURATION: Duration = Duration::from_millis(200);

impl Bbr {
    /// UpdateMinRTT.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let probe = &mut self.probe_rtt;
        probe.has_expired = self.now > probe.least_at + INTERVAL;
        if let Some(rtt) = ack.rtt
            && (probe.has_expired || probe.least.is_none_or(|least| rtt < least))
        {
            (probe.least, probe.least_at) = (Some(rtt), self.now);
        }
        let has_expired = self.now > probe.min_rtt_at + MIN_RTT_WINDOW;
        if let Some(least) = probe.least
            && (has_expired || self.model.min_rtt.is_none_or(|rtt| least < rtt))
        {
            (self.model.min_rtt, probe.min_rtt_at) = (Some(least), probe.least_at);
        }
    }

    /// CheckProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.state != State::ProbeRtt && self.probe_rtt.has_expired && !self.restarts_from_idle {
            self.state = State::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt.done_at = None;
            self.cycle.stop_probing();
            self.rounds.restart(self.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(ack);
        }
        self.restarts_from_idle = false;
    }

    /// HandleProbeRTT. What it delivers counts as limited by the application.
    fn handle_probe_rtt(&mut self, ack: &Ack) {
        self.is_app_limited = true;
        if self.probe_rtt.done_at.is_none() {
            if ack.in_flight <= self.probe_rtt_cwnd() {
                self.probe_rtt.done_at = Some(self.now + DURATION);
                self.probe_rtt.round_is_done = false;
                self.rounds.restart(self.delivered);
            }
            return;
        }
        self.probe_rtt.round_is_done |= self.rounds.has_begun;
        if self.probe_rtt.round_is_done {
            self.check_probe_rtt_done();
        }
    }

    /// CheckProbeRTTDone.
    pub(super) fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt.done_at.is_some_and(|at| self.now > at) {
            self.probe_rtt.least_at = self.now;
            self.restore_cwnd();
            self.exit_probe_rtt();
        }
    }

    /// ExitProbeRTT (5.3.4.4).
    fn exit_probe_rtt(&mut self) {
        self.model.reset_shortterm();
        if self.full.reached {
            self.start_down();
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
