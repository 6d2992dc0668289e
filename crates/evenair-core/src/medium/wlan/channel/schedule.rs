//! A channel whose fastest rate is given over time.

use super::error_rate::ErrorModel;
use crate::component::{RateSteps, configuration, rate_steps};
use crate::medium::wlan::phy::Phy;
use crate::medium::{PhyMode, PhyModes};
use crate::time::Instant;

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
    modes: PhyModes,
}

impl Schedule {
    pub(super) fn new(config: &ScheduleConfig, _: &Phy, modes: &PhyModes, _: ErrorModel) -> Self {
        Self { steps: config.rates.clone(), modes: modes.clone() }
    }

    pub(super) fn success(&self, at: Instant, mode: PhyMode, _: u32) -> f64 {
        let fastest = self.steps.at(at.since(Instant::ZERO)).rate();
        if self.modes.rate(mode) <= fastest { 1.0 } else { 0.0 }
    }

    /// All MPDUs of a PPDU that is too fast are corrupted, one by one.
    pub(super) fn header_success(&self, _: Instant, _: PhyMode) -> f64 {
        1.0
    }

    pub(super) fn mpdu_success(&self, at: Instant, mode: PhyMode, bytes: u32) -> f64 {
        self.success(at, mode, bytes)
    }
}
