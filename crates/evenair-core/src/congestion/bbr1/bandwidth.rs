//! Bandwidths in Linux's fixed point, gains, and the filter of the highest of recent samples (`lib/win_minmax.c`).

use crate::time::Duration;

/// `BW_SCALE`.
const SCALE: u32 = 24;

/// A bandwidth in units of 2^-24 segments per microsecond (`BW_UNIT`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bandwidth(pub(super) u64);

impl Bandwidth {
    /// So many segments in this time, which is at least a microsecond.
    pub(super) fn of(segments: u64, micros: u64) -> Self {
        Self((segments << SCALE) / micros.max(1))
    }

    /// Segments per second.
    pub(super) fn per_second(self) -> f64 {
        self.0 as f64 * 1e6 / f64::from(1_u32 << SCALE)
    }

    /// Segments that it delivers in this time, rounded down.
    pub(super) fn segments_in(self, micros: u64) -> u64 {
        ((u128::from(self.0) * u128::from(micros)) >> SCALE) as u64
    }

    /// `bbr_bdp`: `gain` times the segments that it delivers in this time, rounded up.
    pub(super) fn product(self, micros: u64, gain: Gain) -> u64 {
        let scaled = (u128::from(self.0) * u128::from(micros) * u128::from(gain.0)) >> Gain::SCALE;
        scaled.div_ceil(1 << SCALE) as u64
    }

    /// `bbr_rate_bytes_per_sec`: `gain` times this, less the pacing margin of one percent, in bytes per second.
    pub(super) fn bytes_per_second(self, segment: u64, gain: Gain) -> u64 {
        let scaled = (u128::from(self.0) * u128::from(segment) * u128::from(gain.0)) >> Gain::SCALE;
        ((scaled * 990_000) >> SCALE) as u64
    }
}

/// Microseconds, rounded down.
pub(super) fn micros(time: Duration) -> u64 {
    time.as_nanos() / 1000
}

/// A factor in units of 1/256 (`BBR_UNIT`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gain(pub(super) u64);

impl Gain {
    const SCALE: u32 = 8;
    /// 1.
    pub(super) const ONE: Self = Self(256);
    /// 2/ln 2, rounded up: the lowest at which the rate doubles in each round trip (`bbr_high_gain`).
    pub(super) const HIGH: Self = Self(739);
    /// What takes off in a round trip what [`Gain::HIGH`] has queued (`bbr_drain_gain`).
    pub(super) const DRAIN: Self = Self(88);
    /// Of cwnd: twice the bandwidth-delay product, for ACKs that come late and in bursts (`bbr_cwnd_gain`).
    pub(super) const CWND: Self = Self(512);
    /// 5/4.
    pub(super) const UP: Self = Self(320);
    /// 3/4.
    pub(super) const DOWN: Self = Self(192);

    /// The factor.
    pub(super) fn ratio(self) -> f64 {
        self.0 as f64 / f64::from(1_u32 << Self::SCALE)
    }
}

/// A sample and the round in which it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sample {
    round: u64,
    value: Bandwidth,
}

/// The highest sample of the last rounds, by Kathleen Nichols' algorithm: the best three are kept, each of which is later than
/// the one before it, so that the next one takes over when the best is too old.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxFilter {
    best: [Sample; 3],
}

impl MaxFilter {
    /// The window, rounds (`bbr_bw_rtts`).
    const ROUNDS: u64 = 10;

    /// The highest.
    pub(super) fn get(&self) -> Bandwidth {
        self.best[0].value
    }

    /// Takes a sample of this round.
    pub(super) fn update(&mut self, round: u64, value: Bandwidth) {
        let new = Sample { round, value };
        let age = |sample: Sample| round - sample.round;
        let best = &mut self.best;
        if value >= best[0].value || age(best[2]) > Self::ROUNDS {
            *best = [new; 3];
            return;
        }
        if value >= best[1].value {
            (best[1], best[2]) = (new, new);
        } else if value >= best[2].value {
            best[2] = new;
        }
        if age(best[0]) > Self::ROUNDS {
            // Twice, where the second is too old as well.
            for _ in 0..2 {
                if age(best[0]) > Self::ROUNDS {
                    *best = [best[1], best[2], new];
                }
            }
        } else if best[1].round == best[0].round && age(best[0]) > Self::ROUNDS / 4 {
            (best[1], best[2]) = (new, new);
        } else if best[2].round == best[1].round && age(best[0]) > Self::ROUNDS / 2 {
            best[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 10 segments of 1,000 bytes in 10 ms are 1 MB/s: 2^24 / 1,000 units, rounded down 16,777. With the margin 990,000
    /// bytes/s, less what rounding takes: 16,777 x 1,000 x 990,000 / 2^24 = 989,987.3.
    #[test]
    fn a_bandwidth_is_in_fixed_point() {
        let bw = Bandwidth::of(10, 10_000);
        assert_eq!(bw, Bandwidth(16_777));
        assert_eq!(bw.bytes_per_second(1000, Gain::ONE), 989_987);
        assert_eq!(bw.segments_in(20_000), 19);
        // 16,777 x 20,000 = 335,540,000 = 19.9998 x 2^24, rounded up; at 5/4 24.9997.
        assert_eq!(bw.product(20_000, Gain::ONE), 20);
        assert_eq!(bw.product(20_000, Gain::UP), 25);
    }

    /// 256 x 2885 / 1000 = 738.56, plus 1; 256 x 1000 / 2885 = 88.7; both cut off.
    #[test]
    fn gains_are_linux_constants() {
        assert_eq!(Gain::HIGH.0, 256 * 2885 / 1000 + 1);
        assert_eq!(Gain::DRAIN.0, 256 * 1000 / 2885);
    }

    /// By hand: 100 in round 0 lasts until round 10; in round 3, past a quarter of the window, 60 becomes second, and in
    /// round 6, past a half, 50 third. In round 11 the second takes over.
    #[test]
    fn the_highest_lasts_ten_rounds() {
        let mut filter = MaxFilter::default();
        let mut seen = vec![];
        for round in 0..=22 {
            let value = match round {
                0 => 100,
                3 => 60,
                6 => 50,
                _ => 10,
            };
            filter.update(round, Bandwidth(value));
            seen.push(filter.get().0);
        }
        assert!(seen[..=10].iter().all(|&best| best == 100), "{seen:?}");
        assert!(seen[11..=13].iter().all(|&best| best == 60), "{seen:?}");
        assert!(seen[14..=16].iter().all(|&best| best == 50), "{seen:?}");
        assert!(seen[17..].iter().all(|&best| best == 10), "{seen:?}");
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Never below the newest sample, nor above the highest of the last 10 rounds.
        #[test]
        fn the_filter_lies_within_its_window(samples in prop::collection::vec((0..4_u64, 0..1000_u64), 1..200)) {
            let (mut filter, mut round, mut all) = (MaxFilter::default(), 0, vec![]);
            for (step, value) in samples {
                round += step;
                all.push((round, value));
                filter.update(round, Bandwidth(value));
                let recent = all.iter().filter(|(then, _)| round - then <= MaxFilter::ROUNDS);
                let highest = recent.map(|&(_, value)| value).max().unwrap();
                prop_assert!((value..=highest).contains(&filter.get().0), "{all:?}: {filter:?}");
            }
        }
    }
}
