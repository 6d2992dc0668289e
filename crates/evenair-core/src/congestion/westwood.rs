//! Westwood: at a loss the window becomes what the path has been carrying (Mascolo, Casetti, Gerla,
//! Sanadidi and Wang, "TCP Westwood: bandwidth estimation for enhanced transport over wireless
//! links", MobiCom 2001).
//!
//! Growth is NewReno's. Three duplicate ACKs set, with the estimated bandwidth BWE and the smallest
//! round-trip time RTTmin,
//!
//! ```text
//! ssthresh = max(2, BWE RTTmin);   cwnd = min(cwnd, ssthresh)                                    (1)
//! ```
//!
//! and a timeout the same ssthresh and a cwnd of 1. BWE is filtered from a sample b_k = d_k / D_k
//! for each ACK, with d_k segments that it reports as arrived in the time D_k since the last:
//!
//! ```text
//! BWE_k = a_k BWE_(k-1) + (1 - a_k) (b_k + b_(k-1)) / 2,   a_k = (2 tau - D_k) / (2 tau + D_k)   (2)
//! ```
//!
//! and after each tau/2 without an ACK a sample of 0 is put in.
//!
//! Where the paper is silent:
//! - BWE starts at 0 with the first ACK, so a loss within the first tau leaves little.
//! - ACKs within 1 ms make one sample: a link that hands over ACKs in clumps would seem fast.
//! - The zero samples are put in at losses and timeouts too, so BWE has faded when the timer expires.
//! - While no round-trip time is known, a loss halves the window as NewReno does.

use super::bandwidth::{BandwidthEstimator, Filter};
use super::{AckEvent, CongestionControl, Window, grow};
use crate::component::{configuration, positive};
use crate::time::Duration;

configuration! {
    /// Parameters of Westwood.
    pub struct WestwoodConfig {
        name: "westwood",
        summary: "as newreno, but a loss leaves what the path carries by an estimate from each ACK",
        source: "Mascolo et al. 2001",
    }
    /// Common to westwood and biad.
    filter: FilterConfig = FilterConfig::default();
}

configuration! {
    /// Parameter of the bandwidth filter of Mascolo et al. 2001.
    pub group FilterConfig;
    /// time constant of the bandwidth filter
    tau: Duration = Duration::from_millis(500), positive();
}

impl FilterConfig {
    /// The filter before the first sample.
    pub(super) fn filter(&self) -> Filter {
        Filter::Original { tau: self.tau.as_secs_f64(), last: 0.0 }
    }
}

/// Westwood.
#[derive(Clone, Debug)]
pub struct Westwood {
    estimator: BandwidthEstimator,
}

impl Westwood {
    /// Before anything has been sent.
    pub fn new(config: WestwoodConfig) -> Self {
        Self { estimator: BandwidthEstimator::new(config.filter.filter()) }
    }
}

/// ssthresh after a loss: equation (1).
pub(super) fn after_loss(estimator: &mut BandwidthEstimator, signal: &AckEvent) -> f64 {
    estimator.size(signal.now).unwrap_or_else(|| (signal.flight / 2.0).max(2.0))
}

/// Implements [`CongestionControl`] for a type with an `estimator`. The controls of this family differ
/// in their filter, and in what they do with the estimator at a timeout.
macro_rules! follow_bandwidth {
    ($type:ty, $at_timeout:expr) => {
        impl CongestionControl for $type {
            fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
                self.estimator.on_ack(signal);
                grow(window, signal.credit);
            }

            fn on_duplicate_ack(&mut self, _window: &mut Window, signal: &AckEvent) {
                self.estimator.on_ack(signal);
            }

            fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
                window.ssthresh = after_loss(&mut self.estimator, signal);
                window.cwnd = window.cwnd.min(window.ssthresh);
            }

            fn on_partial_ack(&mut self, _window: &mut Window, signal: &AckEvent) {
                self.estimator.on_ack(signal);
            }

            fn on_recovered(&mut self, _window: &mut Window, signal: &AckEvent) {
                self.estimator.on_ack(signal);
            }

            fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
                if first {
                    window.ssthresh = after_loss(&mut self.estimator, signal);
                }
                let at_timeout: fn(&mut BandwidthEstimator) = $at_timeout;
                at_timeout(&mut self.estimator);
                window.cwnd = 1.0;
            }
        }
    };
}
pub(super) use follow_bandwidth;

follow_bandwidth!(Westwood, |_| ());

#[cfg(test)]
mod tests {
    use super::super::tests::{Acks, signal};
    use super::super::{Config, Controller, in_use};
    use super::*;

    /// 100 segments/s with an RTT of 200 ms, which is 20 segments, whatever the window is.
    #[test]
    fn a_loss_leaves_what_the_path_carries() {
        for name in ["westwood", "westwood-plus", "biad"] {
            for (cwnd, left) in [(30.0, 20.0), (12.0, 12.0)] {
                let mut control = Controller::new(&Config::from_name(name).unwrap());
                let mut window = Window { cwnd, ssthresh: 2.0 };
                let mut acks = Acks::default();
                acks.feed(&mut control, &mut window, 2000, (20, Duration::from_millis(200)));
                window.cwnd = cwnd;
                let signal = AckEvent { now: acks.now, ..signal(0, 0.0, cwnd) };
                assert_eq!(in_use(&window, &signal), cwnd);
                control.on_loss(&mut window, &signal);
                assert!((window.cwnd / left - 1.0).abs() < 0.01, "{name}: {}", window.cwnd);
                let ssthresh = if name == "biad" { left } else { 20.0 };
                assert!((window.ssthresh / ssthresh - 1.0).abs() < 0.01, "{name}: {window:?}");
                control.on_timeout(&mut window, &signal, true);
                assert_eq!(window.cwnd, 1.0);
                assert!((window.ssthresh / 20.0 - 1.0).abs() < 0.01, "{name}: {window:?}");
            }
        }
    }

    #[test]
    fn without_a_round_trip_time_a_loss_halves() {
        for name in ["westwood", "westwood-plus", "biad"] {
            let mut control = Controller::new(&Config::from_name(name).unwrap());
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
            control.on_loss(&mut window, &signal(0, 0.0, 20.0));
            assert_eq!(window, Window { cwnd: 10.0, ssthresh: 10.0 }, "{name}");
        }
    }
}
