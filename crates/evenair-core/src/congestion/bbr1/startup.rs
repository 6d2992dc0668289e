//! When the start has filled the pipe (`bbr_check_full_bw_reached`): the bandwidth has not grown by a fourth in three rounds.

use super::bandwidth::{Bandwidth, Gain};

/// `bbr_full_bw_cnt`.
const ROUNDS: u32 = 3;

/// The bandwidth that the start has found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// The highest that was a fourth above the one before.
    bandwidth: Bandwidth,
    rounds: u32,
    reached: bool,
}

impl FullPipe {
    /// Whether the pipe has been full. That holds for good.
    pub(super) fn is_reached(&self) -> bool {
        self.reached
    }

    /// A round has ended in which the application did not limit the sender, with this as the highest bandwidth.
    pub(super) fn on_round(&mut self, bandwidth: Bandwidth) {
        if self.reached {
            return;
        }
        let enough = Bandwidth((self.bandwidth.0 * Gain::UP.0) >> 8);
        if bandwidth >= enough {
            (self.bandwidth, self.rounds) = (bandwidth, 0);
        } else {
            self.rounds += 1;
            self.reached = self.rounds >= ROUNDS;
        }
    }

    /// A timeout: the growth is measured anew (`bbr_set_state`).
    pub(super) fn on_timeout(&mut self) {
        self.bandwidth = Bandwidth(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 1000 to 1249 is no growth by a fourth, 1250 is, from which the three rounds count anew.
    #[test]
    fn three_rounds_without_a_fourth_more() {
        let mut full = FullPipe::default();
        let mut reached = vec![];
        for bandwidth in [500, 1000, 1200, 1249, 1250, 1500, 1561, 1562] {
            full.on_round(Bandwidth(bandwidth));
            reached.push(full.is_reached());
        }
        // 1250 x 5/4 = 1562.5, cut off 1562: that grows.
        assert_eq!(reached, [false; 8]);
        for (bandwidth, expected) in [(1700, false), (1800, false), (1900, true), (9000, true)] {
            full.on_round(Bandwidth(bandwidth));
            assert_eq!(full.is_reached(), expected, "{bandwidth}");
        }
    }

    #[test]
    fn a_timeout_measures_growth_anew() {
        let mut full = FullPipe::default();
        for bandwidth in [1000, 1000, 1000] {
            full.on_round(Bandwidth(bandwidth));
        }
        full.on_timeout();
        for (bandwidth, expected) in [(100, false), (100, false), (100, false), (100, true)] {
            full.on_round(Bandwidth(bandwidth));
            assert_eq!(full.is_reached(), expected);
        }
    }
}
