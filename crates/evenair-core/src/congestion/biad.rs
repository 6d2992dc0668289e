//! BIAD: binary increase, adaptive decrease. Tsiknas and Stamatelos ("Comparative performance
//! evaluation of TCP variants in WiMAX (and WLANs) network configurations", 2012) conclude that the
//! increase of BIC and the decrease of Westwood should be joined, and leave it there. What follows
//! is our definition.
//!
//! - Increase: [BIC](super::Bic)'s, with NewReno's up to `low_window`.
//! - Decrease: [Westwood](super::Westwood)'s. Three duplicate ACKs at the window W set
//!
//! ```text
//! T = min(W, max(2, BWE RTTmin));   ssthresh = cwnd = T                                          (1)
//! ```
//!
//!   An estimate above W is W: a loss never opens the window. The target of the search becomes W, or
//!   if W was below the old target (W + max(T, 819/1024 W)) / 2, which is BIC's fast convergence where
//!   T is small, and gives away nothing where T = W.
//! - A timeout sets ssthresh = max(2, BWE RTTmin) and cwnd = 1; what becomes of the target is as in
//!   BIC.
//!
//! Where T = W, a random loss costs the retransmission and nothing else.
//!
//! The room for others does not go by T alone: at a full queue of one bandwidth-delay product
//! (W + T) / 2 is 3/4 W, so far below the next overflow that the search meets it at `smax` segments a
//! round trip. NewReno repairs one of them each round trip, and the timer expires at every other loss.

use super::bandwidth::BandwidthEstimator;
use super::bic::{BETA, Increase, IncreaseConfig};
use super::hystart::{HyStart, HyStartConfig};
use super::westwood::{FilterConfig, after_loss};
use super::{AckEvent, CongestionControl, Window, in_use};
use crate::component::configuration;

configuration! {
    /// Parameters of BIAD.
    pub struct BiadConfig {
        name: "biad",
        summary: "the increase of bic with the decrease of westwood",
        source: "the conclusion of Tsiknas and Stamatelos 2012; defined here",
    }
    /// Common to bic and biad.
    increase: IncreaseConfig = IncreaseConfig::default();
    /// Common to westwood and biad.
    filter: FilterConfig = FilterConfig::default();
    /// Common to cubic and biad.
    slow_start: HyStartConfig = HyStartConfig::default();
}

/// BIAD.
#[derive(Clone, Debug)]
pub struct Biad {
    increase: Increase,
    pipe: BandwidthEstimator,
}

impl Biad {
    /// Before anything has been sent.
    pub fn new(config: BiadConfig) -> Self {
        let increase = Increase::new(config.increase, HyStart::new(&config.slow_start));
        Self { increase, pipe: BandwidthEstimator::new(config.filter.filter()) }
    }
}

/// What counts as left of `cwnd` where the search makes room for others: at least what BIC leaves.
fn room(kept: f64, cwnd: f64) -> f64 {
    kept.max(BETA * cwnd)
}

impl CongestionControl for Biad {
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.pipe.on_ack(signal);
        self.increase.on_ack(window, signal);
    }

    fn on_duplicate_ack(&mut self, _window: &mut Window, signal: &AckEvent) {
        self.pipe.on_ack(signal);
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        let cwnd = in_use(window, signal);
        let kept = after_loss(&mut self.pipe, signal).min(cwnd).max(2.0);
        self.increase.on_loss(cwnd, room(kept, cwnd));
        window.ssthresh = kept;
        window.cwnd = kept;
    }

    fn on_partial_ack(&mut self, _window: &mut Window, signal: &AckEvent) {
        self.pipe.on_ack(signal);
    }

    fn on_recovered(&mut self, _window: &mut Window, signal: &AckEvent) {
        self.pipe.on_ack(signal);
        self.increase.on_recovered();
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if first {
            let cwnd = in_use(window, signal);
            window.ssthresh = after_loss(&mut self.pipe, signal);
            self.increase.on_timeout(cwnd, room(window.ssthresh.min(cwnd), cwnd), signal);
        }
        window.cwnd = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Arithmetic;
    use super::super::tests::{Acks, signal};
    use super::*;
    use crate::time::Duration;

    /// 1000 segments/s with an RTT of 100 ms: T = 100. BIC's increase by its formula.
    fn fed() -> (Biad, Window, Acks) {
        let increase =
            IncreaseConfig { arithmetic: Arithmetic::Exact, ..IncreaseConfig::default() };
        let mut biad = Biad::new(BiadConfig { increase, ..BiadConfig::default() });
        let mut window = Window { cwnd: 100.0, ssthresh: 2.0 };
        let mut acks = Acks::default();
        acks.feed(&mut biad, &mut window, 5000, (100, Duration::from_millis(100)));
        (biad, window, acks)
    }

    fn round_trip(biad: &mut Biad, window: &mut Window, acks: &mut Acks) -> f64 {
        let before = window.cwnd;
        acks.feed(biad, window, 100, (100, Duration::from_millis(100)));
        window.cwnd - before
    }

    #[test]
    fn decreases_to_the_estimate_and_searches_for_the_old_window() {
        let (mut biad, mut window, mut acks) = fed();
        window.cwnd = 130.0;
        biad.on_loss(&mut window, &AckEvent { now: acks.now, ..signal(0, 0.0, 130.0) });
        assert!((window.cwnd - 100.0).abs() < 1.0, "{window:?}");
        // (130 - 100) / 4 is 7 in whole segments, and 6 and less on the way up.
        let gain = round_trip(&mut biad, &mut window, &mut acks);
        assert!((5.5..7.0).contains(&gain), "{gain}");
        // Below the old target: the new one is halfway between 120 and 100, and this is the plateau.
        window.cwnd = 120.0;
        biad.on_loss(&mut window, &AckEvent { now: acks.now, ..signal(0, 0.0, 120.0) });
        window.cwnd = 103.5;
        let gain = round_trip(&mut biad, &mut window, &mut acks);
        assert!((0.15..0.25).contains(&gain), "{gain}");
    }

    /// Half of the window was queued, which leaves T = 100 of 200. The target is BIC's
    /// 200 (1 + 819/1024) / 2 = 179.98, in whole segments 179, and not 150. From 104 the distance is 75,
    /// a fourth of it more than Smax; from 160 it is 19, of which 4 are taken, with 100 ACKs of the 160
    /// of a round trip 2.5.
    #[test]
    fn makes_no_more_room_than_bic() {
        let (mut biad, mut window, mut acks) = fed();
        for cwnd in [210.0, 200.0] {
            window.cwnd = cwnd;
            biad.on_loss(&mut window, &AckEvent { now: acks.now, ..signal(0, 0.0, cwnd) });
            assert!((window.cwnd - 100.0).abs() < 1.0, "{window:?}");
        }
        for (cwnd, expected) in [(104.0, 14.0..16.0), (160.0, 2.3..2.5)] {
            window.cwnd = cwnd;
            let gain = round_trip(&mut biad, &mut window, &mut acks);
            assert!(expected.contains(&gain), "{gain}");
        }
    }

    #[test]
    fn a_loss_never_opens_the_window() {
        let (mut biad, mut window, acks) = fed();
        window.cwnd = 60.0;
        biad.on_loss(&mut window, &AckEvent { now: acks.now, ..signal(0, 0.0, 60.0) });
        assert_eq!(window, Window { cwnd: 60.0, ssthresh: 60.0 });
    }

    #[test]
    fn small_windows_grow_as_newreno() {
        let (mut biad, _, mut acks) = fed();
        let mut window = Window { cwnd: 10.0, ssthresh: 2.0 };
        acks.feed(&mut biad, &mut window, 1, (10, Duration::from_millis(100)));
        assert_eq!(window.cwnd, 10.1);
    }
}
