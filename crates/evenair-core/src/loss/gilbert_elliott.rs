//! The Gilbert-Elliott model of bursts of losses.

use super::common::{LossRateConfig, ScopeConfig};
use super::model::{Frame, LossModel};
use crate::component::{configuration, positive};
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

configuration! {
    /// Parameters of the Gilbert-Elliott model.
    pub struct GilbertElliottConfig {
        name: "gilbert-elliott",
        summary: "a good state without losses and a bad one in which every packet is lost",
        source: "Gilbert 1960, Elliott 1963; Tsiknas and Stamatelos 2012, equation (1)",
    }
    /// Common to all loss models.
    loss: LossRateConfig = LossRateConfig::default();
    /// mean duration of the bad state; that of the good one follows from the rate
    bad_state: Duration = Duration::from_millis(5), positive();
    /// Common to all loss models.
    scope: ScopeConfig = ScopeConfig::default();
}

/// A two-state Markov chain in continuous time. Sojourn times are exponential, with means T_B in
/// the bad state and T_G = T_B (1 - p) / p in the good state, so the share of time in the bad
/// state, and of lost packets, is p (Tsiknas and Stamatelos 2012, equation (1)). The state changes
/// with time, not per packet, so a bad state also ends while the sender is idle.
///
/// The state and the time at which it ends are drawn when a packet arrives after the end of the last
/// drawn state. If that end was a time d ago, and the state that followed was b (1: bad, 0: good), the
/// state is now bad with probability p + (b - p) exp(-d (1/T_B + 1/T_G)). As sojourn times are
/// exponential, the time that remains in the state has the distribution of a whole sojourn.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    rate: f64,
    /// T_G and T_B, seconds.
    sojourns: [f64; 2],
    /// 1/T_B + 1/T_G, per second.
    relaxation: f64,
    bad: bool,
    /// When the state changes next.
    changes_at: Instant,
    stream: RngStream,
}

impl GilbertElliott {
    pub(super) fn new(config: GilbertElliottConfig, stream: RngStream) -> Self {
        let rate = config.loss.rate;
        let bad_state = config.bad_state.as_secs_f64();
        let mut chain = Self {
            rate,
            sojourns: [bad_state * (1.0 - rate) / rate, bad_state],
            // 1/T_B + 1/T_G = 1/T_B (1 + p / (1 - p)) = 1 / (T_B (1 - p))
            relaxation: 1.0 / (bad_state * (1.0 - rate)),
            bad: false,
            changes_at: Instant::ZERO,
            stream,
        };
        chain.enter_state(Instant::ZERO, rate);
        chain
    }

    /// Draws the state at `now`, bad with probability `bad`, and how long it lasts from then.
    fn enter_state(&mut self, now: Instant, bad: f64) {
        self.bad = self.stream.bernoulli(bad);
        let mean = self.sojourns[usize::from(self.bad)];
        // The good state never ends if the rate is zero.
        self.changes_at = if mean.is_finite() {
            now.saturating_add(Duration::from_secs_f64(self.stream.exponential(mean)))
        } else {
            Instant::NEVER
        };
    }
}

impl LossModel for GilbertElliott {
    fn loses(&mut self, now: Instant, _frame: Frame) -> bool {
        if now >= self.changes_at {
            let next = if self.bad { 0.0 } else { 1.0 };
            let elapsed = now.since(self.changes_at).as_secs_f64();
            let memory = libm::exp(-elapsed * self.relaxation);
            self.enter_state(now, self.rate + (next - self.rate) * memory);
        }
        self.bad
    }

    fn no_loss_before(&self) -> Instant {
        if self.bad { Instant::ZERO } else { self.changes_at }
    }
}
