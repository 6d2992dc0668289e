//! Rounds: the time in which one window is acknowledged, and the round-trip times seen in it.

use super::AckEvent;
use crate::time::Duration;

/// What a round has told.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Round-trip times that were measured in it.
    pub samples: u32,
    /// Their mean, seconds; 0 without any.
    pub mean: f64,
    /// The smallest of them.
    pub least: Option<Duration>,
}

/// The present round. It ends with the ACK of the first segment sent after it began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// The first byte that was not yet sent when the round began.
    end: Option<u64>,
    samples: u32,
    sum: Duration,
    least: Option<Duration>,
}

impl Round {
    /// Takes an ACK of new data; what the round has told, if this ACK ends it.
    pub fn on_ack(&mut self, signal: &AckEvent) -> Option<Summary> {
        if let Some(rtt) = signal.rtt {
            self.samples += 1;
            self.sum += rtt;
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
        let Some(end) = self.end else {
            self.end = Some(signal.snd_nxt);
            return None;
        };
        // `snd_una` is what had been acknowledged before: this ACK is the first beyond `end`.
        if signal.snd_una < end {
            return None;
        }
        let summary = self.so_far();
        *self = Self { end: Some(signal.snd_nxt), ..Self::default() };
        Some(summary)
    }

    /// What the present round has told up to now.
    pub fn so_far(&self) -> Summary {
        Summary {
            samples: self.samples,
            mean: self.sum.as_secs_f64() / f64::from(self.samples.max(1)),
            least: self.least,
        }
    }

    /// Forgets the present round: the next ACK begins another.
    pub fn restart(&mut self) {
        *self = Self::default();
    }
}
