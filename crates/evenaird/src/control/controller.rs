//! The limiter of a deployment: the core's, and what happens while its loss signal is blind. The
//! daemon and `evenaird replay` run the same.

use evenair_core::component::named;
use evenair_core::control::limiter::{self, AdaptiveRateLimiter, Decision, Throughput};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

/// What was observed in a control round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The end of the round.
    pub at: Instant,
    /// From the stations: what `uplink_count` has.
    pub up: Throughput,
    /// To the stations.
    pub down: Throughput,
    /// Whether the access point's downlink queue has lost a packet; `None`: not known.
    pub lost: Option<bool>,
    /// Whether the loss signal works. It may do so without news, when its source updates its
    /// counters less often than once per round.
    pub signal_works: bool,
}

/// What follows from a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Rates and estimates.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
}

named! {
    /// Why the rate is what it is.
    pub enum Reason {
        /// Nothing was lost: the rate rises.
        #[default]
        NoLoss => "no-loss",
        /// First lossy round: the rate falls below what the uplink has used.
        FirstLoss => "first-loss",
        /// Another lossy round: the rate falls by a step.
        Loss => "loss",
        /// It is not known whether there were losses: the rate stays.
        Held => "held",
        /// That has lasted too long: the rate is the highest one.
        Released => "released",
        /// The rate is constant.
        Fixed => "fixed",
    }
    planned []
}

/// A limiter between rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    limiter: Limiter,
    hold: Duration,
    /// When the signal last worked.
    worked_at: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq)]
enum Limiter {
    Adaptive(AdaptiveRateLimiter),
    Fixed(Rate),
}

impl Controller {
    /// A limiter before its first round. While the signal does not work, the rate is held for `hold`
    /// and then released. The limiter "none" is a rate without limit.
    pub fn new(config: &limiter::Config, hold: Duration) -> Self {
        let limiter = match config {
            limiter::Config::None(_) => Limiter::Fixed(Rate::UNLIMITED),
            limiter::Config::Adaptive(adaptive) => {
                Limiter::Adaptive(AdaptiveRateLimiter::new(adaptive))
            }
            limiter::Config::Fixed(fixed) => Limiter::Fixed(fixed.rate.rate()),
        };
        Self { limiter, hold, worked_at: None }
    }

    /// Changes how long the rate is held.
    pub fn set_hold(&mut self, hold: Duration) {
        self.hold = hold;
    }

    /// The decision in force.
    pub fn decision(&self) -> Decision {
        match &self.limiter {
            Limiter::Adaptive(adaptive) => adaptive.decision(),
            Limiter::Fixed(rate) => Decision {
                rate: *rate,
                udp_rate: None,
                capacity: None,
                first_loss: true,
                reason: limiter::Branch::NoLoss,
            },
        }
    }

    /// A control round is over.
    pub fn round(&mut self, observation: &Observation) -> Outcome {
        let &Observation { at, up, down, lost, signal_works } = observation;
        let worked_at = *self.worked_at.get_or_insert(at);
        if signal_works || lost.is_some() {
            self.worked_at = Some(at);
        }
        let reason = match (&mut self.limiter, lost) {
            (Limiter::Fixed(_), _) => Reason::Fixed,
            (Limiter::Adaptive(adaptive), Some(lost)) => {
                match adaptive.round(&limiter::Round { up, down, lost }).reason {
                    limiter::Branch::NoLoss => Reason::NoLoss,
                    limiter::Branch::FirstLoss => Reason::FirstLoss,
                    limiter::Branch::Loss => Reason::Loss,
                }
            }
            (Limiter::Adaptive(_), None) if signal_works || at.since(worked_at) < self.hold => {
                Reason::Held
            }
            (Limiter::Adaptive(adaptive), None) => {
                adaptive.release();
                Reason::Released
            }
        };
        Outcome { decision: self.decision(), reason }
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::control::limiter::{AdaptiveConfig, FixedConfig};

    use super::*;

    fn observation(second: u64, up_kbps: u64, down_kbps: u64, lost: Option<bool>) -> Observation {
        let throughput =
            |kbps| Throughput { total: Rate::from_bps(1000 * kbps), udp: Rate::from_bps(0) };
        Observation {
            at: Instant::ZERO + Duration::from_secs(second),
            up: throughput(up_kbps),
            down: throughput(down_kbps),
            lost,
            signal_works: lost.is_some(),
        }
    }

    /// By hand: R = max(min(6000 - 200, 4000 - 200), 2500) after the loss. It is held from second 2
    /// to 31, and at second 32 the last news is 31 s old.
    #[test]
    fn a_blind_signal_holds_the_rate_and_then_releases_it() {
        let config = AdaptiveConfig::default().into();
        let mut controller = Controller::new(&config, Duration::from_secs(31));
        let mut step = |second, lost| {
            let outcome = controller.round(&observation(second, 4000, 1000, lost));
            (outcome.decision.rate.as_bps(), outcome.reason)
        };
        assert_eq!(step(1, Some(true)), (3_800_000, Reason::FirstLoss));
        for second in 2..=31 {
            assert_eq!(step(second, None), (3_800_000, Reason::Held), "{second}");
        }
        assert_eq!(step(32, None), (6_000_000, Reason::Released));
        assert_eq!(step(33, None), (6_000_000, Reason::Released));
        // After the release a loss is a first loss.
        assert_eq!(step(34, Some(true)), (3_800_000, Reason::FirstLoss));
        assert_eq!(step(35, Some(true)), (3_600_000, Reason::Loss));
        assert_eq!(step(36, None), (3_600_000, Reason::Held));
    }

    /// A source that updates its counters every few rounds has no news in between.
    #[test]
    fn a_signal_that_works_never_releases() {
        let config = AdaptiveConfig::default().into();
        let mut controller = Controller::new(&config, Duration::from_secs(3));
        controller.round(&observation(1, 4000, 1000, Some(true)));
        for second in 2..100 {
            let round = Observation { signal_works: true, ..observation(second, 4000, 1000, None) };
            assert_eq!(controller.round(&round).reason, Reason::Held);
        }
        assert_eq!(controller.decision().rate, Rate::from_bps(3_800_000));
    }

    #[test]
    fn a_fixed_rate_needs_no_signal() {
        let config = FixedConfig::default().into();
        let mut controller = Controller::new(&config, Duration::from_secs(1));
        for (second, lost) in [(1, None), (100, Some(true)), (101, Some(false))] {
            let outcome = controller.round(&observation(second, 4000, 1000, lost));
            assert_eq!(outcome.decision.rate, Rate::from_bps(2_300_000));
            assert_eq!((outcome.decision.capacity, outcome.reason), (None, Reason::Fixed));
        }
    }
}
