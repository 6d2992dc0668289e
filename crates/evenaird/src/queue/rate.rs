//! The rate of the shaped queue, from what the control loop observes.

use evenair_core::units::Rate;

use crate::config::QueueRate;

/// A loss lowers the estimate by at most this part of it. The throughput of a lossy round is the
/// capacity only if the round was busy throughout; after the burst of a short transfer it is far
/// below. A decision: four such rounds lower the estimate by less than a quarter.
const LARGEST_FALL: u64 = 16;
/// While the queue holds packets back and none is lost, the estimate rises by this part of itself per
/// round, since a capacity that has risen causes no loss. A decision: from a share of 0.95, ten rounds
/// pass before the access point's queue fills again and the next loss corrects the estimate.
const RISE: u64 = 200;

/// What a round has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Throughput of the uplink, dropped packets included.
    pub up: Rate,
    /// Throughput of the downlink.
    pub down: Rate,
    /// Whether the access point's downlink queue has lost a packet; `None`: not known.
    pub lost: Option<bool>,
    /// Whether the limiter has given up waiting for news of losses.
    pub is_released: bool,
    /// Whether the queue has held packets back.
    pub is_limiting: bool,
}

/// The rate between rounds.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapedRate {
    /// Constant.
    Fixed(Rate),
    /// `share` of the estimated capacity less the uplink, but at least half of that share, since the
    /// limiter leaves the uplink no more than half of the capacity under load.
    Estimated {
        /// The share of the capacity, above 0 and up to 1.
        share: f64,
        /// The limiter's C_max, bit/s.
        highest: u64,
        /// The limiter's R_step, which the rate is never below, bit/s.
        lowest: u64,
        /// The estimate of the capacity, bit/s; C_max before the first loss.
        estimate: u64,
        /// The uplink's throughput in the last round, bit/s.
        up: u64,
    },
}

impl ShapedRate {
    /// The rate before the first round.
    pub fn new(config: &QueueRate) -> Self {
        match *config {
            QueueRate::Fixed(rate) => Self::Fixed(rate),
            QueueRate::Estimated { share, highest, lowest } => Self::Estimated {
                share,
                highest: highest.as_bps(),
                lowest: lowest.as_bps(),
                estimate: highest.as_bps(),
                up: 0,
            },
        }
    }

    /// A round has ended. Of a lossy one the capacity is C = R_up + R_down (Blefari-Melazzi et al.
    /// 2007, section 2).
    pub fn round(&mut self, round: &Round) {
        let Self::Estimated { highest, estimate, up, .. } = self else { return };
        *up = round.up.as_bps();
        let capacity = round.up.as_bps().saturating_add(round.down.as_bps());
        *estimate = match round.lost {
            _ if round.is_released => *highest,
            Some(true) => capacity.max(*estimate - *estimate / LARGEST_FALL),
            Some(false) if round.is_limiting => *estimate + *estimate / RISE,
            _ => *estimate,
        };
        *estimate = (*estimate).min(*highest);
    }

    /// The rate of the queue.
    pub fn rate(&self) -> Rate {
        match *self {
            Self::Fixed(rate) => rate,
            Self::Estimated { share, lowest, estimate, up, .. } => {
                let usable = (estimate as f64 * share) as u64;
                Rate::from_bps(usable.saturating_sub(up).max(usable / 2).max(lowest))
            }
        }
    }

    /// The estimate of the capacity, if the rate follows one.
    pub fn estimate(&self) -> Option<Rate> {
        match *self {
            Self::Fixed(_) => None,
            Self::Estimated { estimate, .. } => Some(Rate::from_bps(estimate)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn kbps(kbps: u64) -> Rate {
        Rate::from_bps(1000 * kbps)
    }

    fn estimated() -> ShapedRate {
        let (highest, lowest) = (kbps(8000), kbps(200));
        ShapedRate::new(&QueueRate::Estimated { share: 0.75, highest, lowest })
    }

    fn round(up: u64, down: u64, lost: Option<bool>, is_limiting: bool) -> Round {
        Round { up: kbps(up), down: kbps(down), lost, is_released: false, is_limiting }
    }

    /// By hand, with share 0.75: round; estimate and rate after it, kbit/s.
    #[test]
    fn the_rate_by_hand() {
        let mut shaped = estimated();
        assert_eq!((shaped.estimate(), shaped.rate()), (Some(kbps(8000)), kbps(6000)));
        for (i, (round, estimate, rate)) in [
            // Nothing is known of losses: 6000 - 1000.
            (round(1000, 1000, None, true), 8000, 5000),
            // C = 7600 is above 15/16 of 8000: 5700 - 1600.
            (round(1600, 6000, Some(true), true), 7600, 4100),
            // C = 400 is below 15/16 of 7600 = 7125: 5343.75 - 200.
            (round(200, 200, Some(true), true), 7125, 5143),
            // No loss, and nothing was held back.
            (round(0, 0, Some(false), false), 7125, 5343),
            // The uplink uses more than half.
            (round(5000, 3000, Some(true), true), 8000, 3000),
            // Above C_max.
            (round(1000, 9000, Some(true), true), 8000, 5000),
            (round(0, 6000, Some(false), true), 8000, 6000),
        ]
        .into_iter()
        .enumerate()
        {
            shaped.round(&round);
            let got = (shaped.estimate().unwrap(), shaped.rate().as_bps() / 1000);
            assert_eq!(got, (kbps(estimate), rate), "round {i}");
        }
    }

    /// By hand: ten rounds at 1 / 200 more make 1.005^10 = 1.0511; rounding down loses some bits.
    #[test]
    fn an_estimate_that_is_too_low_rises() {
        let mut shaped = estimated();
        for _ in 0..100 {
            shaped.round(&round(0, 1000, Some(true), true));
        }
        assert_eq!(shaped.estimate(), Some(kbps(1000)));
        for _ in 0..10 {
            shaped.round(&round(0, 750, Some(false), true));
        }
        let estimate = shaped.estimate().unwrap().as_bps();
        assert!((1_051_130..=1_051_140).contains(&estimate), "{estimate}");
        shaped.round(&Round { is_released: true, ..round(0, 0, None, false) });
        assert_eq!(shaped.estimate(), Some(kbps(8000)));
    }

    #[test]
    fn a_fixed_rate_stays() {
        let mut shaped = ShapedRate::new(&QueueRate::Fixed(kbps(5000)));
        shaped.round(&round(4000, 4000, Some(true), true));
        assert_eq!((shaped.rate(), shaped.estimate()), (kbps(5000), None));
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..Default::default() })]

        /// Whatever is observed, the rate is in [R_step, share * C_max].
        #[test]
        fn the_rate_has_bounds(
            rounds in prop::collection::vec(
                (any::<u64>(), any::<u64>(), any::<Option<bool>>(), any::<bool>(), any::<bool>()), 1..100),
        ) {
            let mut shaped = estimated();
            for (up, down, lost, is_released, is_limiting) in rounds {
                let (up, down) = (Rate::from_bps(up), Rate::from_bps(down));
                shaped.round(&Round { up, down, lost, is_released, is_limiting });
                prop_assert!((kbps(200)..=kbps(6000)).contains(&shaped.rate()));
            }
        }
    }
}
