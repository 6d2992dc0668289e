//! Always the same rate.

use super::algorithm::{LinkInfo, NextFrame, RateControl, Report};
use crate::component::configuration;

configuration! {
    /// Parameters of a fixed rate: none.
    pub struct FixedConfig {
        name: "fixed",
        summary: "every data frame has the rate `data_rate`",
        source: "-",
    }
}

/// A fixed rate.
#[derive(Clone, Debug)]
pub struct Fixed {
    rate: usize,
}

impl Fixed {
    /// The first rate of the link.
    pub fn new(_: FixedConfig, link: LinkInfo<'_>) -> Self {
        Self { rate: link.first }
    }
}

impl RateControl for Fixed {
    fn choose(&mut self, _: &NextFrame) -> usize {
        self.rate
    }

    fn report(&mut self, _: &Report) {}

    fn present(&self) -> usize {
        self.rate
    }
}
