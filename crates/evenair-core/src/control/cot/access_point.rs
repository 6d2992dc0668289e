//! The part of the access point: equations (2) to (6).

use super::{BeaconElement, is_unsatisfied};
use crate::time::Duration;

/// The shares of the time that the access point assigns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// For each active station, p_even.
    pub even: f64,
    /// For an unsatisfied station besides, p_additional.
    pub additional: f64,
}

impl Shares {
    /// What the access point announces before it has observed a slot: no station needs to be limited.
    pub const UNKNOWN: Self = Self { even: 1.0, additional: 0.0 };

    /// The shares after a slot in which beacons occupied the share `beacons` of the time, and each active
    /// station that of `stations`.
    ///
    /// Beyond the paper: backoffs of several nodes pass at the same time, so that the shares may sum up
    /// to more than is available; then nothing remains. Without an unsatisfied station there is no
    /// additional share, and without an active one the first that comes may have everything.
    pub fn new(threshold: f64, beacons: f64, stations: &[f64]) -> Self {
        let available = (1.0 - beacons).max(0.0); // (2)
        let even = available / stations.len().max(1) as f64; // (3)
        let remain = (available - stations.iter().sum::<f64>()).max(0.0); // (4)
        let unsatisfied = |&&used: &&f64| is_unsatisfied(used, threshold, even); // (5)
        let additional = match stations.iter().filter(unsatisfied).count() {
            0 => 0.0,
            unsatisfied => remain / unsatisfied as f64, // (6)
        };
        Self { even, additional }
    }

    /// The shares as the element of a beacon; `backoff` is the mean backoff of the access point.
    pub fn element(&self, backoff: Duration) -> BeaconElement {
        BeaconElement::new(self.even, self.additional, backoff)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12, "{got}, expected {expected}");
    }

    /// By hand: 1 - 0.01 = 0.99 is available, 0.495 for each of two. 0.396 and more is unsatisfied:
    /// the first alone. 0.99 - 0.5 - 0.1 = 0.39 remains, all for it.
    #[test]
    fn what_one_leaves_goes_to_the_other() {
        let shares = Shares::new(0.8, 0.01, &[0.5, 0.1]);
        assert_near(shares.even, 0.495);
        assert_near(shares.additional, 0.39);
    }

    /// By hand: of 0.9 each of three is due 0.3; 0.24 is the threshold itself, and unsatisfied. 0.9 -
    /// 0.24 - 0.31 - 0.05 = 0.3 remains, for two.
    #[test]
    fn the_threshold_is_unsatisfied() {
        let shares = Shares::new(0.8, 0.1, &[0.24, 0.31, 0.05]);
        assert_near(shares.even, 0.3);
        assert_near(shares.additional, 0.15);
    }

    #[test]
    fn nothing_remains_of_more_than_all() {
        assert_eq!(Shares::new(0.8, 0.0, &[0.6, 0.5]), Shares { even: 0.5, additional: 0.0 });
    }

    #[test]
    fn satisfied_stations_get_nothing_more() {
        assert_eq!(Shares::new(0.8, 0.0, &[0.1, 0.2]), Shares { even: 0.5, additional: 0.0 });
    }

    #[test]
    fn a_cell_without_traffic_has_room() {
        assert_eq!(Shares::new(0.8, 0.25, &[]), Shares { even: 0.75, additional: 0.0 });
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// p_even for all is what is available. As an unsatisfied station uses at least r p_even, all
        /// together get at most 2 - r times what is available, where satisfied ones go on as before.
        #[test]
        fn shares_are_bounded(
            r in 0.001..0.999_f64,
            beacons in 0.0..1.0_f64,
            used in prop::collection::vec(0.0..1.0_f64, 1..20),
        ) {
            let Shares { even, additional } = Shares::new(r, beacons, &used);
            let available = 1.0 - beacons;
            assert_near(even * used.len() as f64, available);
            prop_assert!(additional >= 0.0 && additional <= available + 1e-12);
            let expected = |&share: &f64| {
                if share >= r * even { even + additional } else { share }
            };
            let sum: f64 = used.iter().map(expected).sum();
            prop_assert!(sum <= (2.0 - r) * available + 1e-9, "{sum} of {available}");
        }

        /// What stations decode is below what was computed, by less than one unit.
        #[test]
        fn elements_round_down(even in 0.0..=1.0_f64, additional in 0.0..=1.0_f64) {
            let element = Shares { even, additional }.element(Duration::ZERO);
            for (decoded, exact) in [(element.even(), even), (element.additional(), additional)] {
                prop_assert!(decoded <= exact && exact - decoded < 1.0 / 65_535.0 + 1e-15);
            }
        }
    }
}
