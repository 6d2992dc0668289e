//! BBA-0: the rate of the next chunk by the buffer's level alone (Huang et al. 2014, section 4 and algorithm 1).

use crate::time::Duration;

/// The adaptation. Its map f(B) is the lowest rate up to the reservoir, rises linearly over the cushion, and
/// is the highest rate above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bba {
    reservoir: Duration,
    cushion: Duration,
}

impl Bba {
    pub(super) fn new(reservoir: Duration, cushion: Duration) -> Self {
        Self { reservoir, cushion }
    }

    /// The index of the next rate in `rates`, which ascend; that of the chunk before was `last`. The rate is
    /// kept until f(B) reaches the next one above, or falls to the next one below.
    pub(super) fn choose(self, rates: &[u64], last: usize, level: Duration) -> usize {
        let top = rates.len() - 1;
        if level <= self.reservoir {
            return 0;
        }
        let above = level.saturating_sub(self.reservoir);
        if above >= self.cushion {
            return top;
        }
        let share = above.as_secs_f64() / self.cushion.as_secs_f64();
        let (lowest, highest) = (rates[0] as f64, rates[top] as f64);
        let mapped = lowest + share * (highest - lowest);
        let up = rates[(last + 1).min(top)] as f64;
        let down = rates[last.saturating_sub(1)] as f64;
        if mapped >= up {
            // The highest rate below f(B); f(B) itself, which the paper leaves out, is no reason to stay below.
            rates.iter().rposition(|&rate| rate as f64 <= mapped).unwrap_or(0)
        } else if mapped <= down {
            // The lowest rate above f(B).
            rates.iter().position(|&rate| rate as f64 >= mapped).unwrap_or(top)
        } else {
            last
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATES: [u64; 4] = [1_000, 2_000, 3_000, 5_000];

    fn bba() -> Bba {
        Bba::new(Duration::from_secs(10), Duration::from_secs(40))
    }

    /// f(B) = 1000 + 100 (B - 10): reaches 2000 at 20 s, 3000 at 30 s, 5000 at 50 s.
    #[test]
    fn a_rate_is_kept_until_the_next_one_is_reached() {
        let choose = |last, seconds| bba().choose(&RATES, last, Duration::from_secs(seconds));
        // Up: from the lowest.
        assert_eq!([10, 19, 20, 29, 30, 49, 50].map(|b| choose(0, b)), [0, 0, 1, 1, 2, 2, 3]);
        // Down, one behind: 3000 is kept above f(B) = 2000.
        assert_eq!([29, 21, 20, 11, 10].map(|b| choose(2, b)), [2, 2, 1, 1, 0]);
        // The highest is kept down to f(B) = 3000.
        assert_eq!([49, 31, 30].map(|b| choose(3, b)), [3, 3, 2]);
        // The rate below, from 2000: at f(B) <= 1000, which is the reservoir.
        assert_eq!(choose(1, 11), 1);
    }

    proptest! {
        /// More in the buffer, no lower rate; and a single rate is always chosen.
        #[test]
        fn the_rate_rises_with_the_level(last in 0_usize..4, ms in 0_u64..60_000, more in 0_u64..60_000) {
            let level = Duration::from_millis(ms);
            let higher = Duration::from_millis(ms + more);
            prop_assert!(bba().choose(&RATES, last, level) <= bba().choose(&RATES, last, higher));
            prop_assert_eq!(bba().choose(&RATES[..1], 0, level), 0);
        }
    }
}
