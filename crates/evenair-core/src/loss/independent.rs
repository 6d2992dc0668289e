//! Independent losses.

use super::common::{LossRateConfig, ScopeConfig};
use super::model::{Frame, LossModel};
use crate::component::configuration;
use crate::rng::RngStream;
use crate::time::Instant;

configuration! {
    /// Parameters of independent losses.
    pub struct IndependentConfig {
        name: "independent",
        summary: "each packet is lost with the same probability, whatever happened to others",
        source: "Bernoulli trials",
    }
    /// Common to all loss models.
    loss: LossRateConfig = LossRateConfig::default();
    /// Common to all loss models.
    scope: ScopeConfig = ScopeConfig::default();
}

/// Independent losses.
#[derive(Clone, Debug)]
pub struct Independent {
    rate: f64,
    stream: RngStream,
}

impl Independent {
    pub(super) fn new(config: IndependentConfig, stream: RngStream) -> Self {
        Self { rate: config.loss.rate, stream }
    }
}

impl LossModel for Independent {
    fn loses(&mut self, _now: Instant, _frame: Frame) -> bool {
        self.stream.bernoulli(self.rate)
    }
}
