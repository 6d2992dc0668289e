//! AARF, adaptive ARF (Lacage, Manshaei and Turletti, "IEEE 802.11 rate adaptation: a practical
//! approach", MSWiM 2004, section 3.2).
//!
//! As [ARF](super::arf), but a probe that fails doubles the number of successes after which the next
//! one is made, up to 50. It is 10 again after a fallback because of two failures in a row. The timer
//! doubles, and starts anew, with it, as in the implementation by Lacage (ns-3 `AarfWifiManager`, whose
//! default maximum is 60): otherwise it would make the probes.

use super::algorithm::{LinkInfo, NextFrame, Outcome, RateControl, Report};
use super::arf::{FallBack, Ladder, Thresholds};
use crate::component::{configuration, integer};

configuration! {
    /// Parameters of AARF.
    pub struct AarfConfig {
        name: "aarf",
        summary: "as arf; a failed probe doubles the successes that the next one needs",
        source: "Lacage, Manshaei and Turletti 2004, section 3.2",
        ordered: [successes <= max_successes],
    }
    /// successes in a row after which the next higher rate is tried, at first
    successes: u64 = 10, integer(1..=1_000_000);
    /// the most successes in a row that a probe may need
    max_successes: u64 = 50, integer(1..=1_000_000);
    /// failures in a row after which the rate falls back
    failures: u64 = 2, integer(1..=1_000_000);
    /// attempts after a change of the rate after which a success is enough to try the next higher one, at first
    timer: u64 = 15, integer(1..=1_000_000);
}

/// Adaptive ARF.
#[derive(Clone, Debug)]
pub struct Aarf {
    config: AarfConfig,
    ladder: Ladder,
    pub(super) thresholds: Thresholds,
}

impl Aarf {
    /// Begins at the first rate of the link.
    pub fn new(config: AarfConfig, link: LinkInfo<'_>) -> Self {
        let thresholds = initial(&config);
        Self { config, ladder: Ladder::new(&link), thresholds }
    }
}

fn initial(config: &AarfConfig) -> Thresholds {
    let AarfConfig { successes, failures, timer, .. } = *config;
    Thresholds { successes, failures, timer }
}

impl RateControl for Aarf {
    fn choose(&mut self, _: &NextFrame) -> usize {
        self.ladder.rate
    }

    fn report(&mut self, report: &Report) {
        if !report.sent_data {
            return;
        }
        match self.ladder.step(report.outcome == Outcome::Delivered, self.thresholds) {
            Some(FallBack::Probe) => {
                let Thresholds { successes, timer, .. } = &mut self.thresholds;
                *successes = (2 * *successes).min(self.config.max_successes);
                *timer = timer.saturating_mul(2);
            }
            Some(FallBack::Failures) => self.thresholds = initial(&self.config),
            None => {}
        }
    }

    fn present(&self) -> usize {
        self.ladder.rate
    }
}
