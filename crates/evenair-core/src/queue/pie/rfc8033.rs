//! PIE as RFC 8033 has it.
//!
//! The default is the basic scheme of section 4 and appendix A of the RFC. The options of section 5
//! and appendix B are parameters: `ecn`, `delay = "rate"`, `derandomize` and `cap_adjustment`.
//!
//! Where RFC 8033 is open or contradicts itself, and where this differs from it:
//! - **Queue delay** (section 4.3, `delay`). By default the waiting time of the last departed
//!   packet (appendix A). `"rate"` is the estimate of section 5.2: the waiting bytes divided by the
//!   departure rate, which is measured over 16 KiB.
//! - **Empty queue.** With timestamps, the delay at an update is zero if the queue is empty.
//!   Appendix A changes it at departures only, so the probability of an idle queue could rise to 1.
//! - **Departure rate** (section 5.2). As in appendix B: a measurement starts after a departure and
//!   does not count it, ends with the sample, and the first sample is the mean. The pseudocode of
//!   section 5.2 counts that departure and ends a measurement at the first one below 16 KiB.
//! - **Decay** (section 4.2). The probability decays if the delay is zero at two successive
//!   updates, as in appendix A; in appendix B, if it is below half the target.
//! - **Safeguards** (section 4.1). No random drop while the delay at the last update is below half
//!   the target and the probability below 20%, or while two packets of `mean_packet` or less wait.
//!   RFC 8033 does not give `MEAN_PKTSIZE` a value; 1024 bytes is that of RFC 8034, appendix A.1.2.
//! - **Burst allowance** (section 4.4). It starts at `max_burst`, and each update reduces it by
//!   `tupdate`. An arrival resets it if the probability is 0 and both the delay and the delay at
//!   the last update are below half the target. While it is positive, the random drop is bypassed:
//!   no number is drawn, and no probability is summed. Appendix B checks it last.
//! - **ECN** (section 5.1, `ecn`). A packet that would be dropped at random is marked and queued if
//!   its transport supports ECN and the probability is below `mark_threshold`.
//! - **Derandomization** (section 5.4, `derandomize`). The probabilities since the last random drop
//!   or mark, or drop at a full queue, are summed. No packet is dropped while the sum is below
//!   0.85; a packet is always dropped when it is 8.5 or more.
//! - **Cap** (section 5.5, `cap_adjustment`). At a probability of 10% or more, an update adds at
//!   most 2%.
//! - **A full queue** drops the packet that arrives, without a random draw (appendix B).
//! - **Not implemented:** deactivation at short queues (section 5.3) and scaling by packet size
//!   (appendix B), both optional.

use super::config::{DelayEstimate, Rfc8033Config};
use super::control::{Control, Verdict, Waiting};
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

/// Pairs of a probability and a divisor: while the drop probability is below the former, the update
/// is divided by the latter (RFC 8033 section 4.2).
const SCALES: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];

/// Factor by which an update of an idle queue reduces the probability (section 4.2).
const DECAY: f64 = 0.98;

/// Below this probability, no packet is dropped at random while the delay is short (section 4.1).
const SAFE_PROBABILITY: f64 = 0.2;

/// With `cap_adjustment`: at the first probability or above, an update adds at most the second
/// (section 5.5).
const CAP: (f64, f64) = (0.1, 0.02);

/// No packet is dropped while the sum of probabilities is below the first value; a packet is always
/// dropped when it reaches the second (section 5.4).
const SUM_BOUNDS: (f64, f64) = (0.85, 8.5);

/// `DQ_THRESHOLD`: bytes over which the departure rate is measured; as many must wait when a
/// measurement begins (section 5.2).
const MEASURED_BYTES: u64 = 1 << 14;

/// The weight of the last measurement in the mean (section 5.2): 2^14 / 2^16.
const MEASUREMENT_WEIGHT: f64 = 0.25;

impl Rfc8033Config {
    /// Whether `delay` is below half the target.
    fn is_short(&self, delay: Duration) -> bool {
        delay * 2 < self.target
    }
}

/// The state of the controller.
#[derive(Clone, Debug)]
pub(super) struct Rfc8033 {
    config: Rfc8033Config,
    vars: Vars,
    /// Sum of the probabilities since the last drop, with `derandomize`.
    sum: f64,
    rate: DepartureRate,
}

/// What an update changes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vars {
    probability: f64,
    /// The queue delay.
    delay: Duration,
    /// The queue delay at the last update.
    old_delay: Duration,
    /// The remaining burst allowance.
    burst: Duration,
}

impl Vars {
    /// A periodic update (RFC 8033 sections 4.2 and 5.5). `delay` must be current.
    fn update(&mut self, config: &Rfc8033Config) {
        let [delay, old_delay, target] =
            [self.delay, self.old_delay, config.target].map(Duration::as_secs_f64);
        let change = config.alpha * (delay - target) + config.beta * (delay - old_delay);
        let scale = SCALES.iter().find(|(below, _)| self.probability < *below);
        let change = change / scale.map_or(1.0, |(_, scale)| *scale);
        let is_capped = config.cap_adjustment && self.probability >= CAP.0;
        let change = if is_capped { change.min(CAP.1) } else { change };
        let mut probability = self.probability + change;
        if self.delay == Duration::ZERO && self.old_delay == Duration::ZERO {
            probability *= DECAY;
        }
        self.probability = probability.clamp(0.0, 1.0);
        self.old_delay = self.delay;
        self.burst = self.burst.saturating_sub(config.tupdate);
    }
}

/// Estimator of the departure rate (RFC 8033 section 5.2).
#[derive(Clone, Copy, Debug, Default)]
struct DepartureRate {
    /// Start of the measurement, and the bytes that have departed since.
    measurement: Option<(Instant, u64)>,
    /// Mean departure time of [`MEASURED_BYTES`], seconds; zero before the first measurement.
    mean: f64,
}

impl DepartureRate {
    /// Records the departure of a packet of `bytes`; `waiting` bytes remain in the queue.
    fn departed(&mut self, now: Instant, bytes: u32, waiting: u64) {
        if let Some((start, left)) = &mut self.measurement {
            *left += u64::from(bytes);
            if *left >= MEASURED_BYTES {
                let taken = now.since(*start).as_secs_f64();
                self.mean = if self.mean == 0.0 {
                    taken
                } else {
                    taken * MEASUREMENT_WEIGHT + self.mean * (1.0 - MEASUREMENT_WEIGHT)
                };
                self.measurement = None;
            }
        }
        if self.measurement.is_none() && waiting >= MEASURED_BYTES {
            self.measurement = Some((now, 0));
        }
    }

    /// Estimated departure time of `waiting` bytes; zero before the first measurement.
    fn delay(&self, waiting: u64) -> Duration {
        Duration::from_secs_f64(waiting as f64 * self.mean / MEASURED_BYTES as f64)
    }
}

impl Rfc8033 {
    /// Of an empty queue.
    pub(super) fn new(config: Rfc8033Config) -> Self {
        let vars = Vars {
            probability: 0.0,
            delay: Duration::ZERO,
            old_delay: Duration::ZERO,
            burst: config.max_burst,
        };
        Self { config, vars, sum: 0.0, rate: DepartureRate::default() }
    }

    /// Whether an arriving packet is to be dropped or marked.
    fn drops_early(&mut self, waiting: Waiting, rng: &mut RngStream) -> bool {
        let probability = self.vars.probability;
        let is_safe = self.config.is_short(self.vars.old_delay) && probability < SAFE_PROBABILITY;
        if is_safe || waiting.bytes <= 2 * self.config.mean_packet {
            return false;
        }
        if self.config.derandomize {
            self.sum = if probability == 0.0 { 0.0 } else { self.sum + probability };
            if self.sum < SUM_BOUNDS.0 {
                return false;
            }
            if self.sum >= SUM_BOUNDS.1 {
                return true;
            }
        }
        rng.bernoulli(probability)
    }
}

impl Control for Rfc8033 {
    fn update(&mut self, waiting: Waiting) -> bool {
        let before = self.vars;
        if self.config.delay == DelayEstimate::Rate {
            self.vars.delay = self.rate.delay(waiting.bytes);
        } else if waiting.packets == 0 {
            self.vars.delay = Duration::ZERO;
        }
        self.vars.update(&self.config);
        self.vars != before
    }

    fn on_departure(&mut self, now: Instant, bytes: u32, since: Instant, waiting: Waiting) {
        if self.config.delay == DelayEstimate::Rate {
            self.rate.departed(now, bytes, waiting.bytes);
        } else {
            self.vars.delay = now.since(since);
        }
    }

    fn on_arrival(&mut self, has_room: bool, waiting: Waiting, rng: &mut RngStream) -> Verdict {
        let Vars { probability, delay, old_delay, .. } = self.vars;
        if probability == 0.0 && self.config.is_short(delay) && self.config.is_short(old_delay) {
            self.vars.burst = self.config.max_burst;
        }
        if has_room && (self.vars.burst > Duration::ZERO || !self.drops_early(waiting, rng)) {
            return Verdict::Queue;
        }
        self.sum = 0.0;
        let may_mark = has_room && self.config.ecn && probability < self.config.mark_threshold;
        if may_mark { Verdict::Mark } else { Verdict::Drop }
    }

    fn probability(&self) -> f64 {
        self.vars.probability
    }
}
