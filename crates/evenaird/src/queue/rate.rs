//! The rate of the shaped queue, from what the control loop observes.

use evenair_core::units::Rate;

use crate::config::QueueRate;

/// A lossy round lowers the estimate by at most this part of it. Its throughput is the capacity only if
/// the round was busy throughout; after the burst of a short transfer it is far below. Calibrated with
/// `tests/queue`: two such rounds lower the estimate by less than a quarter.
const LARGEST_FALL: u64 = 8;
/// After this many rounds in which the queue held packets back and none was lost, the estimate has
/// risen by a twentieth, and from then on ever faster, since a capacity that has risen causes no loss.
/// Calibrated with `tests/queue`: from a share of 0.95, a queue of 60 packets at the access point has
/// time to become empty at 4 Mb/s, which takes 4 s, and to stay so; a capacity that has doubled is
/// found after 200 rounds.
const PROBE: u64 = 45;
const PROBE_PART: u64 = 20;

/// What a round has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Throughput of the uplink, dropped packets included.
    pub up: Rate,
    /// Throughput of the downlink.
    pub down: Rate,
    /// What the access point's downlink queue has lost of it; `None`: not known.
    pub lost: Option<Rate>,
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
        /// The estimate of the capacity after the last lossy round, bit/s; C_max before the first.
        base: u64,
        /// Rounds since then in which the queue held packets back.
        probed: u64,
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
                base: highest.as_bps(),
                probed: 0,
                up: 0,
            },
        }
    }

    /// A round has ended. Of a lossy one the capacity is C = R_up + R_down (Blefari-Melazzi et al.
    /// 2007, section 2), where R_down is what crosses the air: here without the losses.
    pub fn round(&mut self, round: &Round) {
        let estimate = self.estimate().map_or(0, Rate::as_bps);
        let Self::Estimated { highest, base, probed, up, .. } = self else { return };
        *up = round.up.as_bps();
        match round.lost {
            _ if round.is_released => (*base, *probed) = (*highest, 0),
            Some(lost) if lost.as_bps() > 0 => {
                let down = round.down.as_bps().saturating_sub(lost.as_bps());
                let capacity = down.saturating_add(*up);
                *base = capacity.max(estimate - estimate / LARGEST_FALL).min(*highest);
                *probed = 0;
            }
            Some(_) if round.is_limiting => *probed += 1,
            _ => {}
        }
    }

    /// The rate of the queue.
    pub fn rate(&self) -> Rate {
        match *self {
            Self::Fixed(rate) => rate,
            Self::Estimated { share, lowest, up, .. } => {
                let estimate = self.estimate().map_or(0, Rate::as_bps);
                let usable = (estimate as f64 * share) as u64;
                Rate::from_bps(usable.saturating_sub(up).max(usable / 2).max(lowest))
            }
        }
    }

    /// The estimate of the capacity, if the rate follows one.
    pub fn estimate(&self) -> Option<Rate> {
        match *self {
            Self::Fixed(_) => None,
            Self::Estimated { highest, base, probed, .. } => {
                let square = u128::from(probed.min(PROBE * PROBE_PART)).pow(2);
                let probe = u128::from(PROBE * PROBE * PROBE_PART);
                let risen = u128::from(base) + u128::from(base) * square / probe;
                Some(Rate::from_bps(u64::try_from(risen).unwrap_or(u64::MAX).min(highest)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kbps(kbps: u64) -> Rate {
        Rate::from_bps(1000 * kbps)
    }

    fn estimated() -> ShapedRate {
        let (highest, lowest) = (kbps(8000), kbps(200));
        ShapedRate::new(&QueueRate::Estimated { share: 0.75, highest, lowest })
    }

    fn round(up: u64, down: u64, lost: Option<u64>, is_limiting: bool) -> Round {
        let [up, down] = [up, down].map(kbps);
        Round { up, down, lost: lost.map(kbps), is_released: false, is_limiting }
    }

    /// By hand, with share 0.75: round; estimate and rate after it, kbit/s.
    #[test]
    fn the_rate_by_hand() {
        let mut shaped = estimated();
        assert_eq!((shaped.estimate(), shaped.rate()), (Some(kbps(8000)), kbps(6000)));
        for (i, (round, estimate, rate)) in [
            // Nothing is known of losses: 6000 - 1000.
            (round(1000, 1000, None, true), 8000, 5000),
            // C = 7600 is above 7/8 of 8000: 5700 - 1600.
            (round(1600, 6400, Some(400), true), 7600, 4100),
            // C = 400 is below 7/8 of 7600 = 6650: 4987.5 - 200.
            (round(200, 250, Some(50), true), 6650, 4787),
            // No loss, and nothing was held back.
            (round(0, 0, Some(0), false), 6650, 4987),
            // The uplink uses more than half.
            (round(5000, 3010, Some(10), true), 8000, 3000),
            // Above C_max.
            (round(1000, 9000, Some(1000), true), 8000, 5000),
            (round(0, 6000, Some(0), true), 8000, 6000),
        ]
        .into_iter()
        .enumerate()
        {
            shaped.round(&round);
            let got = (shaped.estimate().unwrap(), shaped.rate().as_bps() / 1000);
            assert_eq!(got, (kbps(estimate), rate), "round {i}");
        }
    }

    /// By hand: 1 + 1/20 after 45 rounds, 1 + 4/20 after 90; 2 after 45 * sqrt(20) = 201.2 rounds.
    #[test]
    fn an_estimate_that_is_too_low_rises() {
        let mut shaped = estimated();
        for _ in 0..100 {
            shaped.round(&round(0, 1010, Some(10), true));
        }
        assert_eq!(shaped.estimate(), Some(kbps(1000)));
        let mut after = |rounds| {
            for _ in 0..rounds {
                shaped.round(&round(0, 750, Some(0), true));
            }
            shaped.estimate().unwrap()
        };
        assert_eq!((after(45), after(45)), (kbps(1050), kbps(1200)));
        assert!(after(111) < kbps(2000) && after(1) > kbps(2000));
        assert_eq!(after(100_000), kbps(8000));
        shaped.round(&round(0, 7500, Some(500), true));
        assert_eq!(shaped.estimate(), Some(kbps(7000)));
        shaped.round(&Round { is_released: true, ..round(0, 0, None, false) });
        assert_eq!(shaped.estimate(), Some(kbps(8000)));
    }

    #[test]
    fn a_fixed_rate_stays() {
        let mut shaped = ShapedRate::new(&QueueRate::Fixed(kbps(5000)));
        shaped.round(&round(4000, 4000, Some(1000), true));
        assert_eq!((shaped.rate(), shaped.estimate()), (kbps(5000), None));
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Whatever is observed, the rate is in [R_step, share * C_max].
        #[test]
        fn the_rate_has_bounds(
            rounds in prop::collection::vec(
                (any::<u64>(), any::<u64>(), any::<Option<u64>>(), any::<bool>(), any::<bool>()), 1..100),
        ) {
            let mut shaped = estimated();
            for (up, down, lost, is_released, is_limiting) in rounds {
                let [up, down] = [up, down].map(Rate::from_bps);
                let lost = lost.map(Rate::from_bps);
                shaped.round(&Round { up, down, lost, is_released, is_limiting });
                prop_assert!((kbps(200)..=kbps(6000)).contains(&shaped.rate()));
            }
        }
    }
}
