//! A channel whose fastest rate is given over time.

use crate::component::{RateSteps, configuration, rate_steps};
use crate::medium::wlan::phy::Phy;
use crate::time::Instant;
use crate::units::Rate;

configuration! {
    /// Parameters of a schedule.
    pub struct ScheduleConfig {
        name: "schedule",
        summary: "corrupts the frames that are faster than the present rate, and no others",
        source: "-",
    }
    /// from when on which rate is the fastest that is received
    rates: RateSteps = RateSteps::default(), rate_steps();
}

/// A channel whose fastest rate is given over time.
#[derive(Clone, Debug)]
pub struct Schedule {
    steps: RateSteps,
}

impl Schedule {
    pub(super) fn new(config: &ScheduleConfig, _: &Phy) -> Self {
        Self { steps: config.rates.clone() }
    }

    pub(super) fn success(&self, at: Instant, rate: Rate, _: u32) -> f64 {
        if rate <= self.steps.at(at.since(Instant::ZERO)).rate() { 1.0 } else { 0.0 }
    }
}
