//! PIE, proportional integral controller enhanced (RFC 8033).
//!
//! An arriving packet is dropped with a probability that is updated every `tupdate`. The update
//! depends on the difference between the queue delay and `target`, and on the change of the delay
//! since the last update.
//!
//! The default is the basic scheme of section 4 and appendix A of the RFC. The options of section 5
//! and appendix B are parameters: `ecn`, `delay = "rate"`, `derandomize` and `cap_adjustment`.
//!
//! Where RFC 8033 is open or contradicts itself, and where this differs from it:
//! - **Updates without a timer.** Each arrival and departure first applies all updates that are
//!   due, including one due at `now`. The result is the same as with a timer: an update uses only
//!   the state of the discipline, which does not change between two calls.
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

use std::collections::VecDeque;

use super::discipline::first_of;
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::component::{configuration, integer, named, names, number, positive, switch};
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

configuration! {
    /// Parameters of PIE.
    pub struct PieConfig {
        name: "pie",
        summary: "random drops on arrival, with a probability that steers the queue delay to a target",
        source: "RFC 8033",
    }
    /// target queue delay (QDELAY_REF)
    target: Duration = Duration::from_millis(15), positive();
    /// time between two updates of the drop probability (T_UPDATE)
    tupdate: Duration = Duration::from_millis(15), positive();
    /// weight of the deviation from the target, per second
    alpha: f64 = 0.125, number(0.0..=1e3);
    /// weight of the change of the delay, per second
    beta: f64 = 1.25, number(0.0..=1e3);
    /// length of a burst that passes without random drops (MAX_BURST)
    max_burst: Duration = Duration::from_millis(150), positive();
    /// bytes; while twice as many or fewer wait, nothing is dropped at random
    /// (MEAN_PKTSIZE)
    mean_packet: u64 = 1024, integer(1..=65_535);
    /// how the queue delay is measured: the waiting time of the last departed packet, or
    /// the waiting bytes divided by the departure rate
    delay: DelayEstimate = DelayEstimate::Timestamps, names();
    /// bound the distance between random drops from below and above
    derandomize: bool = false, switch();
    /// limit the increase of the probability to 2% per update from 10% on
    cap_adjustment: bool = false, switch();
    /// mark packets of ECN-capable transports instead of dropping them
    ecn: bool = false, switch();
    /// with ecn: packets are dropped, not marked, at this drop probability or above
    /// (mark_ecnth)
    mark_threshold: f64 = 0.1, number(0.0..=1.0);
}

named! {
    /// How the queue delay is measured.
    pub enum DelayEstimate {
        /// The waiting time of the last departed packet.
        #[default]
        Timestamps => "timestamps",
        /// The bytes that wait, divided by the departure rate.
        Rate => "rate",
    }
    planned []
}

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

impl PieConfig {
    /// Whether `delay` is below half the target.
    fn is_short(&self, delay: Duration) -> bool {
        delay * 2 < self.target
    }
}

/// The PIE queue discipline.
#[derive(Clone, Debug)]
pub struct Pie<P> {
    backlog: Backlog,
    config: PieConfig,
    packets: VecDeque<P>,
    rng: RngStream,
    control: Control,
    next_update: Instant,
    /// Sum of the probabilities since the last drop, with `derandomize`.
    sum: f64,
    rate: DepartureRate,
}

/// The state of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Control {
    probability: f64,
    /// The queue delay.
    delay: Duration,
    /// The queue delay at the last update.
    old_delay: Duration,
    /// The remaining burst allowance.
    burst: Duration,
}

impl Control {
    /// A periodic update (RFC 8033 sections 4.2 and 5.5). `delay` must be current.
    fn update(&mut self, config: &PieConfig) {
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

impl<P: QueueItem> Pie<P> {
    /// Creates an empty queue.
    pub fn new(config: PieConfig, limit: QueueLimit, rng: RngStream) -> Self {
        Self {
            backlog: Backlog::new(limit),
            packets: VecDeque::new(),
            rng,
            control: Control {
                probability: 0.0,
                delay: Duration::ZERO,
                old_delay: Duration::ZERO,
                burst: config.max_burst,
            },
            next_update: Instant::ZERO + config.tupdate,
            config,
            sum: 0.0,
            rate: DepartureRate::default(),
        }
    }

    /// The drop probability after the last call.
    pub fn drop_probability(&self) -> f64 {
        self.control.probability
    }

    /// Applies the updates that are due.
    fn catch_up(&mut self, now: Instant) {
        while self.next_update <= now {
            let before = self.control;
            if self.config.delay == DelayEstimate::Rate {
                self.control.delay = self.rate.delay(self.backlog.bytes());
            } else if self.backlog.packets() == 0 {
                self.control.delay = Duration::ZERO;
            }
            self.control.update(&self.config);
            self.next_update += self.config.tupdate;
            if self.control == before {
                // The state is stationary, so the other updates that are due have no effect,
                // either.
                let due = now.since(self.next_update).as_nanos() / self.config.tupdate.as_nanos();
                self.next_update += self.config.tupdate * due;
            }
        }
    }

    /// Accounts for `packet`, which leaves.
    fn depart(&mut self, now: Instant, packet: P) -> P {
        self.backlog.serve(&packet);
        if self.config.delay == DelayEstimate::Rate {
            self.rate.departed(now, packet.size(), self.backlog.bytes());
        } else {
            self.control.delay = now.since(packet.enqueued_at());
        }
        packet
    }

    /// Whether an arriving packet is to be dropped or marked.
    fn drops_early(&mut self) -> bool {
        let probability = self.control.probability;
        let is_safe =
            self.config.is_short(self.control.old_delay) && probability < SAFE_PROBABILITY;
        if is_safe || self.backlog.bytes() <= 2 * self.config.mean_packet {
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
        self.rng.bernoulli(probability)
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Pie<P> {
    fn enqueue(&mut self, now: Instant, mut packet: P, actions: &mut impl Actions<P>) {
        self.catch_up(now);
        let Control { probability, delay, old_delay, .. } = self.control;
        if probability == 0.0 && self.config.is_short(delay) && self.config.is_short(old_delay) {
            self.control.burst = self.config.max_burst;
        }
        let is_full = !self.backlog.has_room_for(&packet);
        if is_full || self.control.burst == Duration::ZERO && self.drops_early() {
            self.sum = 0.0;
            let may_mark = self.config.ecn && probability < self.config.mark_threshold;
            if is_full || !(may_mark && actions.mark(&mut packet)) {
                actions.drop(packet, DropReason::OnArrival);
                return;
            }
        }
        self.backlog.add(&packet);
        self.packets.push_back(packet);
    }

    fn dequeue(&mut self, now: Instant, _actions: &mut impl Actions<P>) -> Option<P> {
        self.catch_up(now);
        let packet = self.packets.pop_front()?;
        Some(self.depart(now, packet))
    }

    fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        _actions: &mut impl Actions<P>,
    ) -> Option<P> {
        self.catch_up(now);
        let place = first_of(&self.packets, is_wanted, max_bytes)?;
        let packet = self.packets.remove(place)?;
        Some(self.depart(now, packet))
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.packets.iter().collect()
    }
}
