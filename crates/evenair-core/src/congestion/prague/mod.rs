//! Prague (draft-briscoe-iccrg-prague-congestion-control; RFC 9331 section 4), as `tcp_prague` 0.6 of L4STeam's Linux has it.
//!
//! - The share of marked segments is that of DCTCP (g = 1/16, 1 at first), from the first mark on. A mark takes half of it
//!   from the window, once for a window of data; cwnd follows by one segment per ACK.
//! - Each segment that is acknowledged without a mark adds 1/cwnd, scaled down at short round-trip times
//!   ([`rtt_independence`]); then a mark takes something once per target round-trip time only, and the share is smoothed so.
//! - Segments are paced at the window, which may be below two segments, in a round-trip time; twice that in the first half of
//!   slow start.
//! - A burst (`tso`) takes a quarter of a millisecond at that rate, or two segments.
//! - The first mark ends slow start. (In `tcp_prague` the first ACK on which nothing is unmarked does.)
//! - A loss halves the window.
//!
//! Without AccECN it is NewReno, with ECT(0) where there is RFC 3168's feedback (RFC 9331 section 4.2). The detection of queues with
//! classic marks (`prague_ecn_fallback`, off in 0.6) is left out.

mod config;
mod rtt_independence;
mod window;

use self::window::FractionalWindow;
use super::alpha::MarkedShare;
use super::{
    AckEvent, CongestionControl, EcnFeedback, EcnResponse, NewReno, NewRenoConfig, Observed,
    Window, slow_start,
};
use crate::time::{Duration, Instant};
use crate::units::Rate;

pub use self::config::PragueConfig;
pub use self::rtt_independence::RttScaling;

/// The weight of a round trip in the share of marked segments (`PRAGUE_SHIFT_G`).
const GAIN: f64 = 1.0 / 16.0;

/// What a packet has besides its payload: the pacing rate counts packets (`tcp_mss_to_mtu`).
const HEADER: u64 = 40;

/// A burst is what the pacing rate sends in 2^-12 s (`prague_burst_shift`).
const BURST_SHIFT: u32 = 12;

/// Prague.
#[derive(Clone, Debug)]
pub struct Prague {
    config: PragueConfig,
    /// What it is without AccECN.
    reno: Option<NewReno>,
    share: MarkedShare,
    window: FractionalWindow,
    /// A mark has been seen.
    saw_mark: bool,
    /// Round trips since slow start.
    rounds: u32,
    /// When the share was last smoothed, and when the window was last reduced by it.
    smoothed_at: Instant,
    reduced_at: Option<Instant>,
    srtt: Option<Duration>,
    /// Twice the pacing rate: the window is below half of ssthresh.
    is_doubling: bool,
    /// Payload bytes of a full segment.
    segment: u64,
}

impl Prague {
    /// Before anything has been sent.
    pub fn new(config: PragueConfig) -> Self {
        Self {
            config,
            reno: Some(NewReno::new(NewRenoConfig {})),
            share: MarkedShare::new(1.0, GAIN),
            window: FractionalWindow::default(),
            saw_mark: false,
            rounds: 0,
            smoothed_at: Instant::ZERO,
            reduced_at: None,
            srtt: None,
            is_doubling: false,
            segment: 0,
        }
    }

    /// The time that has to pass between two reductions, once it is independent of the round-trip time.
    fn target(&self, window: &Window) -> Duration {
        let is_independent =
            window.cwnd >= window.ssthresh && self.rounds >= self.config.rtt_transition;
        let srtt = self.srtt.unwrap_or(Duration::ZERO);
        let PragueConfig { rtt_scaling, rtt_target, .. } = self.config;
        if is_independent { rtt_scaling.target(rtt_target, srtt) } else { Duration::ZERO }
    }

    /// By how much the window grows in a round trip.
    fn growth(&self) -> f64 {
        match self.srtt {
            Some(srtt) if self.rounds >= self.config.rtt_transition => {
                self.config.rtt_scaling.growth(self.config.rtt_target, srtt)
            }
            _ => 1.0,
        }
    }

    /// What an ACK of new data tells of marks and of the round-trip time.
    fn measure(&mut self, window: &Window, signal: &AckEvent) {
        if let Some(rtt) = signal.rtt {
            self.srtt = Some(match self.srtt {
                Some(srtt) => Duration::from_nanos((7 * srtt.as_nanos() + rtt.as_nanos()) / 8),
                None => rtt,
            });
        }
        self.saw_mark |= signal.marked > 0.0;
        let waits = signal.now.since(self.smoothed_at) < self.target(window);
        if self.share.on_ack(signal) && !waits {
            if self.saw_mark {
                self.share.update();
                self.smoothed_at = signal.now;
            }
            self.share.begin_round(signal);
            if window.cwnd >= window.ssthresh {
                self.rounds = self.rounds.saturating_add(1);
            }
        }
        self.is_doubling = window.cwnd < window.ssthresh / 2.0;
        self.segment = signal.segment;
    }

    /// New data are acknowledged.
    fn advance(&mut self, window: &mut Window, signal: &AckEvent) {
        self.window.follow(window);
        let mut unmarked = signal.acked - signal.marked;
        let may_grow = signal.may_grow || self.window.is_paced_alone();
        if unmarked > 0.0 && may_grow {
            if window.cwnd < window.ssthresh {
                unmarked = slow_start(window, unmarked);
                self.window.jump(window.cwnd);
                if unmarked == 0.0 {
                    return;
                }
            }
            self.window.grow(unmarked, self.growth());
        }
        self.window.step(window, signal.may_grow);
    }
}

impl CongestionControl for Prague {
    fn use_ecn(&mut self, agreed: EcnFeedback) -> EcnResponse {
        let is_l4s = agreed == EcnFeedback::AccEcn;
        self.reno = (!is_l4s).then(|| NewReno::new(NewRenoConfig {}));
        if is_l4s { EcnResponse::L4s } else { EcnResponse::Classic }
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<Rate> {
        let srtt = self.srtt.filter(|_| self.reno.is_none())?;
        let packet = 8.0 * (self.segment + HEADER) as f64;
        let ratio = if self.is_doubling { 2.0 } else { 1.0 };
        let rate = ratio * packet * self.window.segments() / srtt.as_secs_f64();
        Some(Rate::from_bps((rate as u64).max(1)))
    }

    fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        see("alpha", Observed::Number(self.reno.is_none().then(|| self.share.alpha())));
    }

    /// `max_tso_burst` in `prague_update_pacing_rate`.
    fn burst(&self) -> Option<u64> {
        let packets = self.pacing_rate()?.as_bps() / 8 / (self.segment + HEADER);
        Some(packets >> BURST_SHIFT)
    }

    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        if let Some(reno) = &mut self.reno {
            return reno.on_ack(window, signal);
        }
        self.advance(window, signal);
        self.measure(window, signal);
    }

    fn on_partial_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        if self.reno.is_none() {
            self.measure(window, signal);
        }
    }

    fn on_recovered(&mut self, window: &mut Window, signal: &AckEvent) {
        self.on_partial_ack(window, signal);
    }

    fn on_congestion_mark(&mut self, window: &mut Window, signal: &AckEvent) {
        if self.reno.is_some() {
            return self.on_loss(window, signal);
        }
        self.window.follow(window);
        self.saw_mark = true;
        let target = self.target(window);
        if self.reduced_at.is_some_and(|at| signal.now.since(at) < target) {
            return;
        }
        self.reduced_at = Some(signal.now);
        self.window.keep(1.0 - self.share.alpha() / 2.0);
        window.ssthresh = window.ssthresh.min(window.cwnd.max(2.0));
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        if let Some(reno) = &mut self.reno {
            return reno.on_loss(window, signal);
        }
        self.window.follow(window);
        self.window.keep(0.5);
        self.window.settle(window);
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if let Some(reno) = &mut self.reno {
            return reno.on_timeout(window, signal, first);
        }
        if first {
            self.on_loss(window, signal);
        }
        window.cwnd = 1.0;
        self.window.jump(1.0);
    }
}

#[cfg(test)]
mod tests;
