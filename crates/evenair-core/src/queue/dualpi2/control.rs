//! The controller: one base probability, from the longer delay of the two queues.

use super::config::DualPi2Config;
use crate::time::{Duration, Instant};

/// The proportional integral controller (PI2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    state: State,
    next_update: Instant,
}

/// What an update changes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    /// The base probability, p'.
    probability: f64,
    /// The queue delay at the last update.
    delay: Duration,
}

impl Control {
    /// That of an empty queue.
    pub(super) fn new(config: &DualPi2Config) -> Self {
        let state = State { probability: 0.0, delay: Duration::ZERO };
        Self { state, next_update: Instant::ZERO + config.tupdate }
    }

    /// The base probability.
    pub(super) fn probability(&self) -> f64 {
        self.state.probability
    }

    /// Makes the updates that are due at `now`. The packet that waits for the longest time arrived at `oldest`.
    #[inline]
    pub(super) fn catch_up(
        &mut self,
        config: &DualPi2Config,
        now: Instant,
        oldest: Option<Instant>,
    ) {
        if self.next_update <= now {
            self.make_updates(config, now, oldest);
        }
    }

    fn make_updates(&mut self, config: &DualPi2Config, now: Instant, oldest: Option<Instant>) {
        while self.next_update <= now {
            let before = self.state;
            let delay = oldest.map_or(Duration::ZERO, |arrived| self.next_update.since(arrived));
            self.state.update(config, delay);
            self.next_update += config.tupdate;
            if oldest.is_none() && self.state == before {
                // The other updates of an empty queue that are due have no effect, either.
                let due = now.since(self.next_update).as_nanos() / config.tupdate.as_nanos();
                self.next_update += config.tupdate * due;
            }
        }
    }
}

impl State {
    /// A periodic update (RFC 9332 appendix A.2, figure 8; `calculate_probability` of Linux).
    fn update(&mut self, config: &DualPi2Config, delay: Duration) {
        let [current, last, target] = [delay, self.delay, config.target].map(Duration::as_secs_f64);
        let change = config.alpha * (current - target) + config.beta * (current - last);
        // Where nothing is dropped at overload, the mark probability has no more than 100%.
        let most = if config.drop_on_overload { 1.0 } else { 1.0 / config.coupling_factor as f64 };
        self.probability = (self.probability + change).clamp(0.0, most);
        self.delay = delay;
    }
}
