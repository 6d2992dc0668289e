//! Independent bit errors.

use super::common::ScopeConfig;
use super::model::{Frame, FrameKind, LossModel};
use crate::component::{configuration, probability};
use crate::rng::RngStream;
use crate::time::Instant;

configuration! {
    /// Parameters of independent bit errors.
    pub struct BitErrorConfig {
        name: "bit-error",
        summary: "each bit is wrong with the same probability, and a packet with a wrong bit is lost",
        source: "Bernoulli trials; the probability is 1 - (1 - b)^(8 bytes)",
    }
    /// bit error rate b of data frames and packets
    data: f64 = 0.000_01, probability();
    /// bit error rate b of RTS, CTS and ACK frames, whose rate and modulation may be others
    control: f64 = 0.000_01, probability();
    /// Common to all loss models.
    scope: ScopeConfig = ScopeConfig::default();
}

/// Independent bit errors. PLCP preamble and header have none.
#[derive(Clone, Debug)]
pub struct BitError {
    /// ln(1 - b) of data and control frames.
    log_correct: [f64; 2],
    stream: RngStream,
}

impl BitError {
    pub(super) fn new(config: BitErrorConfig, stream: RngStream) -> Self {
        Self { log_correct: [config.data, config.control].map(|b| libm::log1p(-b)), stream }
    }
}

impl LossModel for BitError {
    fn loses(&mut self, _now: Instant, frame: Frame) -> bool {
        let log_correct = match frame.kind {
            FrameKind::Data => self.log_correct[0],
            FrameKind::Control => self.log_correct[1],
        };
        let bits = 8.0 * f64::from(frame.bytes);
        self.stream.uniform() < -libm::expm1(bits * log_correct)
    }
}
