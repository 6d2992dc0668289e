//! ARF, automatic rate fallback (Kamerman and Monteban 1997, section "Automatic rate control", as
//! described by Lacage, Manshaei and Turletti 2004, section 3.1).
//!
//! - Two failures in a row: the next lower rate, and a timer starts.
//! - Ten successes in a row, or the timer expires: the next higher rate.
//! - The first attempt after a step up is a probe: if it fails, the rate falls back at once and the
//!   timer starts again.
//!
//! Kamerman and Monteban do not give the timer's length. Here, as in the implementation by Lacage (ns-3
//! `ArfWifiManager`), it counts attempts, 15 of them. There it does not expire if a failure is the
//! fifteenth; here it expires with the next success.
//! A probe ends with its attempt. In ns-3 failures that follow a failed probe at once do not lower the
//! rate further until there is a success; the papers have no such rule.

use super::algorithm::{LinkInfo, NextFrame, Outcome, RateControl, Report};
use crate::component::{configuration, integer};

configuration! {
    /// Parameters of ARF.
    pub struct ArfConfig {
        name: "arf",
        summary: "up after ten successes in a row or a timer, down after two failures in a row",
        source: "Kamerman and Monteban 1997; Lacage, Manshaei and Turletti 2004, section 3.1",
    }
    /// successes in a row after which the next higher rate is tried
    successes: u64 = 10, integer(1..=1_000_000);
    /// failures in a row after which the rate falls back
    failures: u64 = 2, integer(1..=1_000_000);
    /// attempts after a change of the rate after which a success is enough to try the next higher one
    timer: u64 = 15, integer(1..=1_000_000);
}

/// The rate of ARF and AARF, which differ in the thresholds.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pub(super) rate: usize,
    highest: usize,
    /// In a row.
    successes: u64,
    /// In a row at this rate.
    failures: u64,
    /// Attempts since the timer started.
    timer: u64,
    /// No attempt at this rate, to which it has stepped up, has ended yet.
    probing: bool,
}

/// Thresholds of a [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thresholds {
    pub(super) successes: u64,
    pub(super) failures: u64,
    pub(super) timer: u64,
}

/// Why a rate falls back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FallBack {
    /// A probe failed.
    Probe,
    /// Failures in a row.
    Failures,
}

impl Ladder {
    pub(super) fn new(link: &LinkInfo<'_>) -> Self {
        Self {
            rate: link.first,
            highest: link.modes.len() - 1,
            successes: 0,
            failures: 0,
            timer: 0,
            probing: false,
        }
    }

    /// A data frame was acknowledged or not. Returns why the rate falls back, if it does (at the
    /// lowest rate: would).
    pub(super) fn step(&mut self, success: bool, thresholds: Thresholds) -> Option<FallBack> {
        self.timer += 1;
        let probing = std::mem::replace(&mut self.probing, false);
        if success {
            self.failures = 0;
            self.successes += 1;
            let due = self.successes >= thresholds.successes || self.timer >= thresholds.timer;
            if due && self.rate < self.highest {
                self.move_to(self.rate + 1);
                self.probing = true;
            }
            return None;
        }
        self.successes = 0;
        self.failures += 1;
        let cause = if probing {
            FallBack::Probe
        } else if self.failures >= thresholds.failures {
            FallBack::Failures
        } else {
            return None;
        };
        self.move_to(self.rate.saturating_sub(1));
        Some(cause)
    }

    fn move_to(&mut self, rate: usize) {
        self.rate = rate;
        (self.successes, self.failures, self.timer) = (0, 0, 0);
    }
}

/// Automatic rate fallback.
#[derive(Clone, Debug)]
pub struct Arf {
    ladder: Ladder,
    thresholds: Thresholds,
}

impl Arf {
    /// Begins at the first rate of the link.
    pub fn new(config: ArfConfig, link: LinkInfo<'_>) -> Self {
        let ArfConfig { successes, failures, timer } = config;
        let thresholds = Thresholds { successes, failures, timer };
        Self { ladder: Ladder::new(&link), thresholds }
    }
}

impl RateControl for Arf {
    fn choose(&mut self, _: &NextFrame) -> usize {
        self.ladder.rate
    }

    fn report(&mut self, report: &Report) {
        if report.sent_data {
            self.ladder.step(report.outcome == Outcome::Delivered, self.thresholds);
        }
    }

    fn present(&self) -> usize {
        self.ladder.rate
    }
}
