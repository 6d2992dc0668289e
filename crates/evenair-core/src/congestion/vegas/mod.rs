//! Vegas: keeps a few segments queued on the path, and so needs no losses to find its window. Two
//! forms, each with the rules of its source:
//!
//! - [`linux`]: `tcp_vegas.c` of Linux 2.6.22, which ns-2.35 runs as `linux:vegas`. Losses are
//!   detected and repaired as the flow's options say;
//! - [`paper`]: Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global
//!   Internet", IEEE JSAC 13(8), 1995, with its own detection of losses.
//!
//! Both compare the rate at which segments are delivered with the rate that the smallest round-trip
//! time would allow, once per round:
//!
//! ```text
//! Diff = (Expected - Actual) BaseRTT = (W / BaseRTT - W / RTT) BaseRTT = W (1 - BaseRTT / RTT)   (1)
//! ```
//!
//! which is the number of segments that wait somewhere on the path.

mod config;
mod linux;
mod paper;

pub use config::{Form, FormConfig, VegasConfig};

use self::linux::Linux;
use self::paper::Paper;
use super::{AckEvent, CongestionControl, LossDetection, Window};

/// Vegas in one of its forms.
#[derive(Clone, Debug)]
pub struct Vegas(State);

#[derive(Clone, Debug)]
enum State {
    Linux(Linux),
    Paper(Paper),
}

impl Vegas {
    /// Before anything has been sent.
    pub fn new(config: VegasConfig) -> Self {
        let FormConfig { form, thresholds } = config.settings;
        Self(match form {
            Form::Linux => State::Linux(Linux::new(thresholds)),
            Form::Paper => State::Paper(Paper::new(thresholds)),
        })
    }

    fn form(&mut self) -> &mut dyn CongestionControl {
        match &mut self.0 {
            State::Linux(linux) => linux,
            State::Paper(paper) => paper,
        }
    }
}

impl CongestionControl for Vegas {
    fn loss_detection(&self) -> LossDetection {
        match &self.0 {
            State::Linux(linux) => linux.loss_detection(),
            State::Paper(paper) => paper.loss_detection(),
        }
    }

    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.form().on_ack(window, signal);
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        self.form().on_loss(window, signal);
    }

    fn on_partial_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.form().on_partial_ack(window, signal);
    }

    fn on_recovered(&mut self, window: &mut Window, signal: &AckEvent) {
        self.form().on_recovered(window, signal);
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        self.form().on_timeout(window, signal, first);
    }
}
