//! The adaptive rate control of Blefari-Melazzi et al. 2007 (Tab. 1).
//!
//! The rate rises by a step after each round without a loss in the access point's downlink queue. A
//! loss means that the cell is saturated: its capacity is what it has carried in the round, and the
//! rate falls, in the first lossy round to a step below what the uplink has used, but not below half
//! of the capacity.
//!
//! What the publication leaves open:
//! - `target_rate` in the last branch of Tab. 1 is not defined: it is C / 2, of which the text says
//!   that R does not fall below.
//! - The first rate: C_max, that is no limit before the first loss.
//! - C above 2 C_max: R is at most C_max, "in any case".
//! - UDP ([`Udp`]), which it names as future work.
//!
//! What it lacks: a lowest rate. Where losses are counted that do not come from load, C falls to what
//! an idle cell carries, and R with it. `min_rate` is a floor of R, 0 by default.

use super::{AdaptiveConfig, Udp};
use crate::component::named;
use crate::units::Rate;

/// Throughput in one direction over a round, at IP level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throughput {
    /// All traffic.
    pub total: Rate,
    /// That of UDP, part of `total`.
    pub udp: Rate,
}

/// What was observed in a control round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// From the stations: what [`UplinkCount`](super::UplinkCount) has.
    pub up: Throughput,
    /// To the stations.
    pub down: Throughput,
    /// Whether the access point's downlink queue has lost a packet.
    pub lost: bool,
}

/// What follows from a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// R: the rate of the policer, with a bucket of its own for UDP that of the rest.
    pub rate: Rate,
    /// The rate of the UDP bucket, where there is one.
    pub udp_rate: Option<Rate>,
    /// C: the capacity for what R limits in both directions; `None` before the first loss.
    pub capacity: Option<Rate>,
    /// Whether the next lossy round is the first one after a round without a loss.
    pub first_loss: bool,
    /// Which branch of Tab. 1 it was.
    pub reason: Branch,
}

named! {
    /// A branch of Tab. 1.
    pub enum Branch {
        /// Nothing was lost: R rises.
        #[default]
        NoLoss => "no-loss",
        /// The first lossy round: R falls below what the uplink has used.
        FirstLoss => "first-loss",
        /// Another lossy round: R falls by a step.
        Loss => "loss",
    }
    planned []
}

/// The state between rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveRateLimiter {
    config: AdaptiveConfig,
    /// R, bit/s.
    rate: u64,
    /// C of all traffic, bit/s; `None` before the first loss.
    capacity: Option<u64>,
    /// What UDP takes of it, bit/s.
    udp: u64,
    first_loss: bool,
    reason: Branch,
}

impl AdaptiveRateLimiter {
    /// Before the first round: R = C_max.
    pub fn new(config: &AdaptiveConfig) -> Self {
        let mut limiter = Self {
            config: config.clone(),
            rate: 0,
            capacity: None,
            udp: if config.udp == Udp::Reserved { config.udp_rate.as_bps() } else { 0 },
            first_loss: true,
            reason: Branch::NoLoss,
        };
        limiter.release();
        limiter
    }

    /// A control round is over.
    pub fn round(&mut self, round: &Round) -> Decision {
        let Throughput { total: up, udp: udp_up } = round.up;
        let Throughput { total: down, udp: udp_down } = round.down;
        if self.config.udp == Udp::Estimated {
            self.udp = udp_up.as_bps().saturating_add(udp_down.as_bps());
        }
        let limited_up = match self.config.udp {
            Udp::Shared => up.as_bps(),
            Udp::Reserved | Udp::Estimated => up.as_bps().saturating_sub(udp_up.as_bps()),
        };
        let step = self.config.step.as_bps();
        let lower = self.rate.saturating_sub(step);
        if !round.lost {
            self.first_loss = true;
            self.reason = Branch::NoLoss;
            self.rate = self.rate.saturating_add(step);
        } else {
            let capacity = up.as_bps().saturating_add(down.as_bps());
            self.capacity = Some(capacity);
            // Rounded up, so that R is never below it.
            let half = capacity.saturating_sub(self.udp).div_ceil(2);
            let first = std::mem::replace(&mut self.first_loss, false);
            self.reason = if first { Branch::FirstLoss } else { Branch::Loss };
            let rate = if first { lower.min(limited_up.saturating_sub(step)) } else { lower };
            self.rate = rate.max(half);
        }
        self.rate = self.rate.max(self.config.min_rate.as_bps()).min(self.highest());
        self.decision()
    }

    /// Forgets all losses: R = C_max. For a driver whose loss signal is gone.
    pub fn release(&mut self) {
        self.rate = self.highest();
        self.first_loss = true;
    }

    /// The last decision, or that before the first round.
    pub fn decision(&self) -> Decision {
        let udp_rate = match self.config.udp {
            Udp::Shared => None,
            Udp::Reserved => Some(self.config.udp_rate.as_bps()),
            Udp::Estimated => {
                let capacity = self.capacity.unwrap_or(self.config.max_rate.as_bps());
                Some(capacity.div_ceil(2).max(self.config.min_rate.as_bps()))
            }
        };
        Decision {
            rate: Rate::from_bps(self.rate),
            udp_rate: udp_rate.map(Rate::from_bps),
            capacity: self.capacity.map(|bps| Rate::from_bps(bps.saturating_sub(self.udp))),
            first_loss: self.first_loss,
            reason: self.reason,
        }
    }

    /// C_max less what UDP takes, bit/s; at least a step, since at 0 the acknowledgements of downloads
    /// would be dropped, too.
    fn highest(&self) -> u64 {
        let max = self.config.max_rate.as_bps();
        max.saturating_sub(self.udp).max(self.config.step.as_bps()).min(max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::component::BitRate;
    use crate::rng::{RngStream, StreamId};

    fn kbps(kbps: u64) -> Rate {
        Rate::from_bps(1000 * kbps)
    }

    /// A round of TCP alone, kbit/s.
    fn tcp(up: u64, down: u64, lost: bool) -> Round {
        let throughput = |total| Throughput { total: kbps(total), udp: kbps(0) };
        Round { up: throughput(up), down: throughput(down), lost }
    }

    /// All branches of Tab. 1 by hand, with R_step = 200 and C_max = 6000 kbit/s: up, down, lost; R,
    /// C and first_loss after it.
    #[test]
    fn table_1_by_hand() {
        let rounds = [
            // R = min(6000 + 200, 6000).
            (5000, 100, false, 6000, None, true),
            // C = 5200; R = max(min(5800, 4900), 2600).
            (5100, 100, true, 4900, Some(5200), false),
            // C = 5000; R = max(4700, 2500).
            (4700, 300, true, 4700, Some(5000), false),
            // C stays; R = min(4900, 6000).
            (4600, 400, false, 4900, Some(5000), true),
            // R_up is above R: R = max(min(4700, 4800), 2450).
            (5000, 0, true, 4700, Some(5000), false),
            // R_up is far below R: R = max(min(4500, 200), 1500), after a round without loss.
            (400, 2600, false, 4900, Some(5000), true),
            (400, 2600, true, 1500, Some(3000), false),
            // The capacity has risen: R = max(1300, 2750).
            (2500, 3000, true, 2750, Some(5500), false),
            // R_up is below R_step: R = max(min(2750, -100), 100).
            (100, 100, false, 2950, Some(5500), true),
            (100, 100, true, 100, Some(200), false),
            // C / 2 is above C_max: R = 6000.
            (7000, 7000, true, 6000, Some(14_000), false),
            // R = max(5800, 0) without any traffic.
            (0, 0, true, 5800, Some(0), false),
        ];
        let mut limiter = AdaptiveRateLimiter::new(&AdaptiveConfig::default());
        let before = limiter.decision();
        assert_eq!((before.rate, before.capacity, before.first_loss), (kbps(6000), None, true));
        let mut first = true;
        for (i, (up, down, lost, rate, capacity, first_loss)) in rounds.into_iter().enumerate() {
            let decision = limiter.round(&tcp(up, down, lost));
            let reason = match (lost, first) {
                (false, _) => Branch::NoLoss,
                (true, true) => Branch::FirstLoss,
                (true, false) => Branch::Loss,
            };
            let expected = Decision {
                rate: kbps(rate),
                udp_rate: None,
                capacity: capacity.map(kbps),
                first_loss,
                reason,
            };
            assert_eq!(decision, expected, "round {i}");
            first = first_loss;
        }
    }

    /// By hand: of 5000 kbit/s, 1000 are reserved. R = max(min(5000 - 200, 3500 - 200), 4000 / 2), and
    /// never above 6000 - 1000.
    #[test]
    fn a_reservation_is_taken_from_the_capacity() {
        let config = AdaptiveConfig { udp: Udp::Reserved, ..AdaptiveConfig::default() };
        let mut limiter = AdaptiveRateLimiter::new(&config);
        assert_eq!(limiter.decision().rate, kbps(5000));
        let up = Throughput { total: kbps(4000), udp: kbps(500) };
        let down = Throughput { total: kbps(1000), udp: kbps(300) };
        let decision = limiter.round(&Round { up, down, lost: true });
        assert_eq!((decision.rate, decision.udp_rate), (kbps(3300), Some(kbps(1000))));
        assert_eq!(decision.capacity, Some(kbps(4000)));
        for _ in 0..20 {
            limiter.round(&Round { up, down, lost: false });
        }
        assert_eq!(limiter.decision().rate, kbps(5000));
    }

    /// By hand: UDP uses 500 + 300 of 5000 kbit/s. R = max(min(6000 - 800 - 200, 3300), 4200 / 2), at
    /// most 6000 - 800; the bucket of UDP has half of 5000.
    #[test]
    fn an_estimate_is_taken_from_the_capacity() {
        let config = AdaptiveConfig { udp: Udp::Estimated, ..AdaptiveConfig::default() };
        let mut limiter = AdaptiveRateLimiter::new(&config);
        assert_eq!(limiter.decision().rate, kbps(6000));
        assert_eq!(limiter.decision().udp_rate, Some(kbps(3000)));
        let up = Throughput { total: kbps(4000), udp: kbps(500) };
        let down = Throughput { total: kbps(1000), udp: kbps(300) };
        let decision = limiter.round(&Round { up, down, lost: true });
        assert_eq!((decision.rate, decision.udp_rate), (kbps(3300), Some(kbps(2500))));
        assert_eq!(decision.capacity, Some(kbps(4200)));
        for _ in 0..20 {
            limiter.round(&Round { up, down, lost: false });
        }
        assert_eq!(limiter.decision().rate, kbps(5200));
        // UDP takes more than there is: a step is left.
        let flood = Throughput { total: kbps(9000), udp: kbps(9000) };
        assert_eq!(limiter.round(&Round { up: flood, down, lost: false }).rate, kbps(200));
    }

    /// A counter that ticks in an idle cell of 12 kbit/s: C / 2 = 6 kbit/s. With a floor of 300 R is
    /// back at 6000 after ceil((6000 - 300) / 200) = 29 rounds without a loss; without one after
    /// ceil((6000 - 6) / 200) = 30.
    #[test]
    fn the_floor_holds_and_the_rate_recovers_from_it() {
        for (floor, lowest, rounds) in [(0, 6, 30), (300, 300, 29), (1500, 1500, 23)] {
            let min_rate = BitRate::from_bps(1000 * floor);
            let config = AdaptiveConfig { min_rate, ..AdaptiveConfig::default() };
            let mut limiter = AdaptiveRateLimiter::new(&config);
            assert_eq!(limiter.round(&tcp(4000, 1000, true)).rate, kbps(3800));
            for _ in 0..100 {
                limiter.round(&tcp(6, 6, true));
            }
            let decision = limiter.decision();
            assert_eq!((decision.rate, decision.capacity), (kbps(lowest), Some(kbps(12))));
            for _ in 1..rounds {
                assert!(limiter.round(&tcp(6, 6, false)).rate < kbps(6000));
            }
            assert_eq!(limiter.round(&tcp(6, 6, false)).rate, kbps(6000), "from {lowest}");
        }
    }

    /// The bucket of UDP fills at C / 2 with "estimated": it has the floor, too. What UDP takes of C_max
    /// is not given to the others: R is at most a step then.
    #[test]
    fn the_floor_holds_for_udp() {
        let min_rate = BitRate::from_bps(300_000);
        let config = AdaptiveConfig { udp: Udp::Estimated, min_rate, ..AdaptiveConfig::default() };
        let mut limiter = AdaptiveRateLimiter::new(&config);
        let idle = Throughput { total: kbps(6), udp: kbps(6) };
        for _ in 0..50 {
            limiter.round(&Round { up: idle, down: idle, lost: true });
        }
        assert_eq!(limiter.decision().udp_rate, Some(kbps(300)));
        let flood = Throughput { total: kbps(9000), udp: kbps(9000) };
        let decision = limiter.round(&Round { up: flood, down: flood, lost: false });
        assert_eq!(decision.rate, kbps(200));
    }

    #[test]
    fn a_release_lifts_the_limit() {
        let mut limiter = AdaptiveRateLimiter::new(&AdaptiveConfig::default());
        limiter.round(&tcp(4000, 1000, true));
        assert_eq!(limiter.decision().rate, kbps(3800));
        limiter.release();
        let decision = limiter.decision();
        assert_eq!((decision.rate, decision.first_loss), (kbps(6000), true));
        assert_eq!(decision.capacity, Some(kbps(5000)));
    }

    /// Random rounds of 24 hours: R is never above C_max, and after a lossy round never below C / 2,
    /// or C_max where that is less.
    #[test]
    fn the_rate_stays_within_its_bounds_for_a_day() {
        let config = AdaptiveConfig::default();
        let (step, max) = (config.step.as_bps(), config.max_rate.as_bps());
        for seed in 0..20 {
            let mut limiter = AdaptiveRateLimiter::new(&config);
            let mut rng = RngStream::new(seed, StreamId::Traffic, 0);
            let mut before = limiter.decision().rate.as_bps();
            for _ in 0..24 * 3600 {
                let [up, down] = [0, 1].map(|_| (rng.uniform() * 8e6) as u64);
                let throughput =
                    |bps| Throughput { total: Rate::from_bps(bps), udp: Rate::from_bps(0) };
                let lost = rng.bernoulli(0.5);
                let round = Round { up: throughput(up), down: throughput(down), lost };
                let rate = limiter.round(&round).rate.as_bps();
                assert!(rate <= max, "{rate}");
                if lost {
                    assert!(2 * rate >= (up + down).min(2 * max), "{rate} of {up} + {down}");
                } else {
                    assert_eq!(rate, (before + step).min(max));
                }
                before = rate;
            }
        }
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Any input, sums beyond 64 bits included, with any parameters and UDP.
        #[test]
        fn the_rate_stays_within_its_bounds(
            step in 1_u64..=1_000_000_000_000, more in 0_u64..1_000_000_000_000, mode in 0_usize..3,
            rounds in prop::collection::vec((any::<[u64; 4]>(), any::<bool>()), 1..50),
        ) {
            let max = (step + more).min(1_000_000_000_000);
            let udp = [Udp::Shared, Udp::Reserved, Udp::Estimated][mode];
            let config = AdaptiveConfig {
                step: BitRate::from_bps(step),
                max_rate: BitRate::from_bps(max),
                udp_rate: BitRate::from_bps(max / 2 + 1),
                udp,
                ..AdaptiveConfig::default()
            };
            let mut limiter = AdaptiveRateLimiter::new(&config);
            for ([up, udp_up, down, udp_down], lost) in rounds {
                let throughput = |total, udp| Throughput { total: Rate::from_bps(total), udp: Rate::from_bps(udp) };
                let round = Round { up: throughput(up, udp_up), down: throughput(down, udp_down), lost };
                let decision = limiter.round(&round);
                prop_assert!(decision.rate.as_bps() <= max);
                prop_assert_eq!(decision.first_loss, !lost);
                if let (true, Udp::Shared) = (lost, udp) {
                    let half = (u128::from(up) + u128::from(down)).min(u64::MAX.into()) / 2;
                    prop_assert!(u128::from(decision.rate.as_bps()) >= half.min(max.into()));
                }
            }
        }
    }
}
