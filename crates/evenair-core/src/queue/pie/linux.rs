//! PIE as Linux has it: `net/sched/sch_pie.c` and `include/net/pie.h` of Linux 5.10, in its integers. Linux 6.10 has the
//! same rules.
//!
//! What differs from RFC 8033:
//! - the random drop is derandomized (section 5.4) and the increase capped (section 5.5), always. A mark by the upper
//!   bound of the sum, 8.5, leaves the sum as it is: what follows is marked, too, until something is dropped, or
//!   the probability is 0;
//! - above a delay of 250 ms an update adds a further 2%;
//! - of an idle queue an update takes a 64th;
//! - nothing is dropped at random while the delay of the last departure, and not of the last update, is below half the
//!   target and the probability below 20%, or while less than two packets of the MTU wait;
//! - the burst allowance shrinks by the time between departures, and is renewed at updates;
//! - packets are marked up to a probability of 10%, including it;
//! - the probability is not bounded by 1: it may rise to 256, where its 64 bits end, and then takes as long to come
//!   down.
//!
//! Decisions:
//! - **MTU and sizes.** The queue counts packets with the 14 bytes of an Ethernet header, and the MTU is that of
//!   Ethernet, 1514 bytes with it (`psched_mtu`). The limit is counted as in all disciplines;
//! - **Updates** come each `tupdate`. The kernel rounds it up to its clock (`usecs_to_jiffies`): 15 ms are 16 ms at
//!   250 Hz. It makes the first one half a second after the queue is set up; here the queue is there for long;
//! - **Left out:** `bytemode`, which is off unless `tc` sets it.

use super::config::{DelayEstimate, LinuxConfig};
use super::control::{Control, Verdict, Waiting};
use crate::rng::RngStream;
use crate::time::Instant;

/// A probability of 1 (`MAX_PROB`).
const ONE: u64 = u64::MAX >> 8;

/// Nanoseconds of a tick, as a power of 2 (`PSCHED_SHIFT`).
const TICK_SHIFT: u32 = 6;

/// Ticks in a second (`PSCHED_TICKS_PER_SEC`).
const TICKS_PER_SECOND: u64 = 1_000_000_000 >> TICK_SHIFT;

/// The burst allowance.
const MAX_BURST: u64 = 150_000_000 >> TICK_SHIFT;

/// A delay above which the probability rises by a further 2%.
const LONG_DELAY: u64 = 250_000_000 >> TICK_SHIFT;

/// Bytes of an Ethernet header (`ETH_HLEN`).
const HEADER: u64 = 14;

/// `psched_mtu` of an Ethernet device.
const MTU: u64 = 1500 + HEADER;

/// Bytes over which the departure rate is measured; as many must wait when a measurement begins
/// (`QUEUE_THRESHOLD`).
const MEASURED_BYTES: u64 = 16_384;

/// The departure rate counts bytes per tick, times 2 to this power (`PIE_SCALE`).
const RATE_SHIFT: u32 = 8;

/// The state of the controller.
#[derive(Clone, Debug)]
pub(super) struct Linux {
    /// Ticks.
    target: u64,
    /// Change of the probability per tick of deviation from the target, and of change of the delay.
    weights: [u64; 2],
    by_rate: bool,
    ecn: bool,
    vars: Vars,
}

/// `struct pie_vars`. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vars {
    /// The drop probability, in parts of [`ONE`].
    probability: u64,
    /// Sum of the probabilities since the last drop.
    sum: u64,
    delay: u64,
    /// The delay at the last update; by rate, at the one before the last.
    old_delay: u64,
    /// The remaining burst allowance.
    burst: u64,
    /// When the last packet left, or a measurement of the rate began.
    since: Option<u64>,
    /// Bytes that have left in the measurement that is under way.
    measured: Option<u64>,
    /// The mean departure rate; 0 before the first measurement.
    rate: u32,
}

impl Vars {
    /// The measurements begin anew (`pie_vars_init`).
    fn restart(&mut self) {
        (self.burst, self.sum) = (MAX_BURST, 0);
        (self.since, self.measured, self.rate) = (None, None, 0);
    }
}

fn ticks(time: Instant) -> u64 {
    time.as_nanos() >> TICK_SHIFT
}

/// The queued bytes as the kernel counts them.
fn backlog(waiting: Waiting) -> u64 {
    waiting.bytes + HEADER * u64::from(waiting.packets)
}

/// A weight per second, as tc gives it in sixteenths, per tick.
fn per_tick(weight: f64) -> u64 {
    ((weight * 16.0).round() as u64 * (ONE / TICKS_PER_SECOND)) >> 4
}

/// How many powers of 2 an update is divided by: 1, 3, 5, 7, 9 or 11 while the probability is below a tenth, a
/// hundredth and so on to a millionth.
fn damping(probability: u64) -> u32 {
    let below = (1..=6).filter(|&power| probability < ONE / 10_u64.pow(power)).count() as u32;
    (2 * below).saturating_sub(1)
}

impl Linux {
    /// Of an empty queue.
    pub(super) fn new(config: &LinuxConfig) -> Self {
        let mut vars = Vars {
            probability: 0,
            sum: 0,
            delay: 0,
            old_delay: 0,
            burst: 0,
            since: None,
            measured: None,
            rate: 0,
        };
        vars.restart();
        Self {
            target: config.target.as_nanos() >> TICK_SHIFT,
            weights: [config.alpha, config.beta].map(per_tick),
            by_rate: config.delay == DelayEstimate::Rate,
            ecn: config.ecn,
            vars,
        }
    }

    /// What an update adds, in parts of [`ONE`].
    fn change(&self, delay: u64, old_delay: u64) -> i64 {
        let [alpha, beta] = self.weights.map(|weight| weight >> damping(self.vars.probability));
        // The kernel's multiplications wrap, too, at minutes of delay.
        let deviation = alpha.wrapping_mul(delay.wrapping_sub(self.target));
        let trend = beta.wrapping_mul(delay.wrapping_sub(old_delay));
        let mut change = deviation.wrapping_add(trend).cast_signed();
        if change > (ONE / 50).cast_signed() && self.vars.probability >= ONE / 10 {
            change = (ONE / 100 * 2).cast_signed();
        }
        if delay > LONG_DELAY {
            change = change.wrapping_add((ONE / 50).cast_signed());
        }
        change
    }

    /// Whether an arriving packet is to be dropped or marked (`pie_drop_early`).
    fn drops_early(&mut self, waiting: Waiting, rng: &mut RngStream) -> bool {
        let vars = &mut self.vars;
        let probability = vars.probability;
        let is_safe = vars.delay < self.target / 2 && probability < ONE / 5;
        if vars.burst > 0 || is_safe || backlog(waiting) < 2 * MTU {
            return false;
        }
        vars.sum = if probability == 0 { 0 } else { vars.sum.wrapping_add(probability) };
        if vars.sum < ONE / 100 * 85 {
            return false;
        }
        if vars.sum >= ONE / 2 * 17 {
            return true;
        }
        let drops = rng.next_u64() >> 8 < probability;
        if drops {
            vars.sum = 0;
        }
        drops
    }

    /// A packet of `bytes` leaves `waiting` bytes behind. Returns how long the measurement took that it has ended.
    fn measure(&mut self, now: u64, bytes: u64, waiting: u64) -> Option<u32> {
        let vars = &mut self.vars;
        if waiting >= MEASURED_BYTES && vars.measured.is_none() {
            (vars.since, vars.measured) = (Some(now), Some(0));
        }
        let measured = vars.measured? + bytes;
        vars.measured = Some(measured);
        let taken = now.wrapping_sub(vars.since?) as u32;
        if measured < MEASURED_BYTES || taken == 0 {
            return None;
        }
        let rate = (measured as u32) << RATE_SHIFT;
        let rate = rate / taken;
        vars.rate = match vars.rate {
            0 => rate,
            mean => mean - (mean >> 3) + (rate >> 3),
        };
        if waiting < MEASURED_BYTES {
            vars.measured = None;
        } else {
            (vars.since, vars.measured) = (Some(now), Some(0));
        }
        Some(taken)
    }
}

impl Control for Linux {
    /// `pie_calculate_probability`.
    fn update(&mut self, waiting: Waiting) -> bool {
        let before = self.vars;
        let backlog = backlog(waiting);
        if self.by_rate {
            let rate = u64::from(self.vars.rate);
            self.vars.old_delay = self.vars.delay;
            self.vars.delay = (backlog << RATE_SHIFT).checked_div(rate).unwrap_or(0);
        }
        let (delay, old_delay) = (self.vars.delay, self.vars.old_delay);
        let change = self.change(delay, old_delay);
        let vars = &mut self.vars;
        let old = vars.probability;
        // A delay of 0 with packets that wait is one that is too short to be measured.
        let mut decays = delay == 0 && old_delay == 0 && backlog == 0;
        vars.probability = old.wrapping_add_signed(change);
        if change > 0 && vars.probability < old {
            (vars.probability, decays) = (ONE, false);
        } else if change <= 0 && vars.probability > old {
            vars.probability = 0;
        }
        if decays {
            vars.probability -= vars.probability / 64;
        }
        let is_short = delay < self.target / 2 && old_delay < self.target / 2;
        if is_short && vars.probability == 0 && (!self.by_rate || vars.rate > 0) {
            vars.restart();
        }
        if !self.by_rate {
            vars.old_delay = delay;
        }
        *vars != before
    }

    /// `pie_process_dequeue`.
    fn on_departure(&mut self, now: Instant, bytes: u32, since: Instant, waiting: Waiting) {
        let (now, backlog) = (ticks(now), backlog(waiting));
        let passed = if self.by_rate {
            self.measure(now, u64::from(bytes) + HEADER, backlog)
        } else {
            let vars = &mut self.vars;
            vars.delay = if backlog == 0 { 0 } else { now - ticks(since) };
            vars.since.replace(now).map(|last| now.wrapping_sub(last) as u32)
        };
        self.vars.burst = self.vars.burst.saturating_sub(u64::from(passed.unwrap_or(0)));
    }

    /// `pie_qdisc_enqueue`.
    fn on_arrival(&mut self, has_room: bool, waiting: Waiting, rng: &mut RngStream) -> Verdict {
        if !has_room {
            Verdict::Drop
        } else if !self.drops_early(waiting, rng) {
            Verdict::Queue
        } else if self.ecn && self.vars.probability <= ONE / 10 {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }

    fn on_drop(&mut self) {
        self.vars.sum = 0;
    }

    fn probability(&self) -> f64 {
        (self.vars.probability as f64 / ONE as f64).min(1.0)
    }
}
