//! CUBIC (RFC 9438): the window is a cubic function of the time since the last loss, flat around the
//! window at which the loss came.
//!
//! With t since congestion avoidance began, at the window W_0, and W_max the window of the loss:
//!
//! ```text
//! W_cubic(t) = C (t - K)^3 + W_max                                        (RFC 9438, figure 1)
//! K = cbrt((W_max - W_0) / C)                                             (figure 2)
//! W_est = W_est + alpha segments_acked / cwnd, from W_0                   (figure 4)
//! alpha = 3 (1 - beta) / (1 + beta), and 1 once W_est is the window before the loss
//! ```
//!
//! Each ACK adds (target - cwnd) / cwnd, the target being W_cubic(t + RTT) between cwnd and
//! 1.5 cwnd; but the window is W_est where W_cubic(t) < W_est (the Reno-friendly region).
//!
//! A loss sets ssthresh = max(2, beta FlightSize), and W_max = cwnd, or cwnd (1 + beta) / 2 if the
//! last W_max was higher (fast convergence, section 4.7). After a timeout, and after a slow start
//! that ended without a loss, K = 0 and W_max = W_0 (sections 4.8 and 4.10).
//!
//! `after_timeout` departs from section 4.8: `"keep"` treats every timeout as other losses, and
//! `"keep-in-recovery"` only a timeout that ends the repair of a loss, whose W_max is known. Without
//! SACK that improves utilisation: NewReno repairs one loss each round trip, from K = 0 the function is
//! steep where the queue overflows, and the timer expires before the many losses are repaired.
//!
//! The first slow start is [HyStart++](super::hystart) (section 4.10 recommends it), unless
//! `hystart = false`.
//!
//! Where the RFC leaves a choice: RTT is smoothed by 1/8 (it asks for "the smoothed RTT"); an ACK
//! counts once, or by its segments where the flow counts bytes. The RFC stops the clock while the
//! application limits the sender (section 5.8); here it runs on, as cwnd grows on, but a loss goes by
//! what was outstanding.

use super::hystart::{Form, HyStart, HyStartConfig};
use super::{AckEvent, CongestionControl, Window, in_use};
use crate::component::{OnOff, configuration, named, names, number};
use crate::time::Instant;

configuration! {
    /// Parameters of CUBIC.
    pub struct CubicConfig {
        name: "cubic",
        summary: "a cubic function of the time since the last loss; 7/10 of the window at a loss",
        source: "RFC 9438",
    }
    /// how steep the function is, segments/s^3
    c: f64 = 0.4, number(1e-6..=1e3);
    /// what is left of the window at a loss
    beta: f64 = 0.7, number(0.1..=0.99);
    /// whether a loss below the last one's window lowers W_max, to leave room
    fast_convergence: OnOff = OnOff::On, names();
    /// whether the window is at least what Reno's would be; with "linux" it grows
    /// above the window before the loss as slowly as below
    reno_friendly: RenoFriendly = RenoFriendly::On, names();
    /// whether after a timeout the function starts from the window (the RFC), or leads
    /// to W_max as after other losses, always or where it ended a recovery
    after_timeout: AfterTimeout = AfterTimeout::Restart, names();
    /// Common to cubic and biad.
    slow_start: HyStartConfig = HyStartConfig { hystart: Form::PlusPlus, ..HyStartConfig::default() };
}

named! {
    /// Where the function starts after a timeout.
    pub enum AfterTimeout {
        /// From the window.
        #[default]
        Restart => "restart",
        /// As `Keep` if the timeout ended a recovery, else as `Restart`.
        KeepInRecovery => "keep-in-recovery",
        /// It leads to W_max, as after other losses.
        Keep => "keep",
    }
    planned []
}

named! {
    /// The Reno-friendly region.
    pub enum RenoFriendly {
        /// alpha is 1 above the window before the loss (RFC 9438 section 4.3).
        #[default]
        On => "on",
        /// alpha stays what it is (`bictcp_update` in Linux's `tcp_cubic.c`).
        Linux => "linux",
        /// There is none.
        Off => "off",
    }
    planned []
}

/// A stretch of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    since: Instant,
    /// K, seconds.
    k: f64,
    /// W_max of the function.
    origin: f64,
    /// W_est.
    estimate: f64,
}

/// CUBIC.
#[derive(Clone, Debug)]
pub struct Cubic {
    config: CubicConfig,
    hystart: HyStart,
    /// Whether W_max is that of a loss which has not been repaired yet.
    recovering: bool,
    /// W_max, unless a timeout or the end of slow start without a loss has taken its meaning.
    max: Option<f64>,
    /// cwnd before the last loss.
    prior: f64,
    /// SRTT, seconds.
    srtt: Option<f64>,
    epoch: Option<Epoch>,
}

impl Cubic {
    /// Before anything has been sent.
    pub fn new(config: CubicConfig) -> Self {
        Self {
            hystart: HyStart::new(&config.slow_start),
            config,
            recovering: false,
            max: None,
            prior: 0.0,
            srtt: None,
            epoch: None,
        }
    }

    /// Congestion avoidance begins.
    fn begin(&self, now: Instant, cwnd: f64) -> Epoch {
        let origin = self.max.unwrap_or(cwnd).max(cwnd);
        let k = libm::cbrt((origin - cwnd) / self.config.c);
        Epoch { since: now, k, origin, estimate: cwnd }
    }

    /// W_cubic after `t` seconds.
    fn cubic(&self, epoch: &Epoch, t: f64) -> f64 {
        let x = t - epoch.k;
        self.config.c * x * x * x + epoch.origin
    }

    /// A loss at the window `cwnd`.
    fn remember(&mut self, cwnd: f64) {
        let below = self.max.is_some_and(|max| cwnd < max);
        let factor = if below && self.config.fast_convergence.is_on() {
            (1.0 + self.config.beta) / 2.0
        } else {
            1.0
        };
        self.max = Some(cwnd * factor);
        self.prior = cwnd;
    }

    fn reduced(&self, flight: f64) -> f64 {
        (flight * self.config.beta).max(2.0)
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        // No event reports the end of a loss that a probe has repaired.
        self.recovering = false;
        if let Some(rtt) = signal.rtt {
            let rtt = rtt.as_secs_f64();
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt + (rtt - srtt) / 8.0));
        }
        let rest = self.hystart.on_ack(window, signal);
        if rest <= 0.0 {
            return;
        }
        let cwnd = window.cwnd;
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(signal.now, cwnd));
        let t = signal.now.since(epoch.since).as_secs_f64();
        let is_below = epoch.estimate < self.prior;
        let alpha = if is_below || self.config.reno_friendly == RenoFriendly::Linux {
            3.0 * (1.0 - self.config.beta) / (1.0 + self.config.beta)
        } else {
            1.0
        };
        epoch.estimate += alpha * signal.acked / cwnd;
        let target = self.cubic(&epoch, t + self.srtt.unwrap_or(0.0)).clamp(cwnd, 1.5 * cwnd);
        window.cwnd += rest * (target - cwnd) / cwnd;
        if self.config.reno_friendly != RenoFriendly::Off && self.cubic(&epoch, t) < epoch.estimate
        {
            window.cwnd = window.cwnd.max(epoch.estimate);
        }
        self.epoch = Some(epoch);
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        self.hystart.stop();
        self.remember(in_use(window, signal));
        self.recovering = true;
        window.ssthresh = self.reduced(signal.flight);
        window.cwnd = window.ssthresh;
        self.epoch = None;
    }

    fn on_recovered(&mut self, _window: &mut Window, _signal: &AckEvent) {
        self.recovering = false;
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        self.hystart.stop();
        if first {
            let cwnd = in_use(window, signal);
            if !self.recovering {
                self.remember(cwnd);
            }
            // What recovery has sent meanwhile makes FlightSize larger than any window.
            window.ssthresh = self.reduced(signal.flight.min(cwnd));
        }
        let keeps = match self.config.after_timeout {
            AfterTimeout::Restart => false,
            AfterTimeout::Keep => true,
            AfterTimeout::KeepInRecovery => self.recovering,
        };
        if !keeps {
            self.max = None;
        }
        self.recovering = false;
        window.cwnd = 1.0;
        self.epoch = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Acks, at_ms, signal};
    use super::*;
    use crate::time::Duration;

    /// A probe that repairs a loss ends no recovery; the timeout long afterwards is in none, either.
    #[test]
    fn a_loss_without_a_recovery_does_not_shield_from_a_timeout() {
        let mut cubic = Cubic::new(CubicConfig::default());
        let mut window = Window { cwnd: 100.0, ssthresh: 100.0 };
        cubic.on_loss(&mut window, &signal(0, 0.0, 100.0));
        cubic.on_ack(&mut window, &signal(10, 1.0, 70.0));
        cubic.on_timeout(&mut window, &signal(20, 0.0, 70.0), true);
        assert_eq!(cubic.max, None);
    }

    /// A loss at 200 leaves 140: K = cbrt(60 / 0.4) = 5.3133 s. Each ACK for 12 s, against the
    /// function itself.
    #[test]
    fn the_window_follows_the_function() {
        for rtt in [20, 50, 100, 200] {
            let reno_friendly = RenoFriendly::Off;
            let mut cubic = Cubic::new(CubicConfig { reno_friendly, ..CubicConfig::default() });
            let mut window = Window { cwnd: 200.0, ssthresh: 2.0 };
            cubic.on_loss(&mut window, &signal(0, 0.0, 200.0));
            assert_eq!(window, Window { cwnd: 140.0, ssthresh: 140.0 });
            let mut acks = Acks::default();
            let mut begin = None;
            while acks.now < at_ms(12_000) {
                let flight = window.cwnd as u64;
                acks.feed(&mut cubic, &mut window, 1, (flight, Duration::from_millis(rtt)));
                let begin = *begin.get_or_insert(acks.now);
                let t = acks.now.since(begin).as_secs_f64();
                let expected = 0.4 * (t - 5.3133).powi(3) + 200.0;
                let off = window.cwnd / expected - 1.0;
                assert!(off.abs() < 0.01, "rtt {rtt}, {t} s: {} is off by {off}", window.cwnd);
            }
        }
    }

    /// RFC 9438 section 4.3: 3 * 0.3 / 1.7 = 0.529 segments each round trip until the window before
    /// the loss, and 1 from there.
    #[test]
    fn small_windows_grow_at_renos_pace() {
        assert!(gains_above_the_window_before_the_loss(RenoFriendly::On, 1.0) > 25.0);
    }

    /// `bictcp_update` counts a segment for 15/8 of cwnd, 8/15 = 0.533 each round trip, whatever W_est is.
    #[test]
    fn linux_goes_on_at_the_same_pace() {
        gains_above_the_window_before_the_loss(RenoFriendly::Linux, 0.529);
    }

    /// A flow of 10 ms for 24 round trips after a loss at 20, which grows by 0.529 segments a round trip, and above 20 by
    /// `above`, within 7 %; its window then.
    fn gains_above_the_window_before_the_loss(reno_friendly: RenoFriendly, above: f64) -> f64 {
        let mut cubic = Cubic::new(CubicConfig { reno_friendly, ..CubicConfig::default() });
        let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
        cubic.on_loss(&mut window, &signal(0, 0.0, 20.0));
        let mut acks = Acks::default();
        let mut cwnd = vec![window.cwnd];
        for _ in 0..24 {
            let flight = window.cwnd as u64;
            acks.feed(&mut cubic, &mut window, flight, (flight, Duration::from_millis(10)));
            cwnd.push(window.cwnd);
        }
        for pair in cwnd.windows(2) {
            let expected = if pair[1] < 20.0 { 0.529 } else { above };
            let gain = pair[1] - pair[0];
            let crossing = pair[0] < 20.0 && pair[1] >= 20.0;
            assert!(crossing || (0.93..1.01).contains(&(gain / expected)), "{cwnd:?}");
        }
        cwnd[24]
    }

    #[test]
    fn losses_by_hand() {
        let mut cubic = Cubic::new(CubicConfig::default());
        let mut window = Window { cwnd: 100.0, ssthresh: 2.0 };
        cubic.on_loss(&mut window, &signal(0, 0.0, 100.0));
        assert_eq!(window, Window { cwnd: 70.0, ssthresh: 70.0 });
        assert_eq!(cubic.max, Some(100.0));
        // Fast convergence: 80 (1 + 0.7) / 2 = 68.
        window.cwnd = 80.0;
        cubic.on_loss(&mut window, &signal(0, 0.0, 80.0));
        assert_eq!(cubic.max, Some(68.0));
        assert_eq!(window.cwnd, 56.0);
        cubic.on_recovered(&mut window, &signal(0, 1.0, 50.0));
        // After a timeout: slow start to ssthresh, then the function from there with K = 0.
        cubic.on_timeout(&mut window, &signal(0, 0.0, 50.0), true);
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 35.0 });
        let mut acks = Acks::default();
        acks.feed(&mut cubic, &mut window, 34, (10, Duration::from_millis(100)));
        assert_eq!(window.cwnd, 35.0);
        acks.feed(&mut cubic, &mut window, 1, (35, Duration::from_millis(100)));
        let epoch = cubic.epoch.unwrap();
        assert_eq!((epoch.k, epoch.origin), (0.0, 35.0));
    }

    /// A loss at 100 and a timeout before it is repaired, at what that left: slow start to 49. Then from
    /// there to the W_max of the loss, K = cbrt(51 / 0.4) = 5.0331 s; by the RFC from there, K = 0.
    #[test]
    fn timeouts_in_recovery_by_hand() {
        for (after_timeout, expected) in [
            (AfterTimeout::KeepInRecovery, (5.0331, 100.0)),
            (AfterTimeout::Keep, (5.0331, 100.0)),
            (AfterTimeout::Restart, (0.0, 49.0)),
        ] {
            let mut cubic = Cubic::new(CubicConfig { after_timeout, ..CubicConfig::default() });
            let mut window = Window { cwnd: 100.0, ssthresh: 2.0 };
            cubic.on_loss(&mut window, &signal(0, 0.0, 100.0));
            cubic.on_timeout(&mut window, &signal(0, 0.0, 150.0), true);
            assert_eq!(window, Window { cwnd: 1.0, ssthresh: 49.0 });
            let mut acks = Acks::default();
            acks.feed(&mut cubic, &mut window, 49, (10, Duration::from_millis(100)));
            let epoch = cubic.epoch.unwrap();
            assert!((epoch.k - expected.0).abs() < 1e-4, "{after_timeout}: {epoch:?}");
            assert_eq!(epoch.origin, expected.1, "{after_timeout}");
        }
    }

    /// RFC 9438 section 4.10: where a slow start ends without a loss the function starts with K = 0.
    /// HyStart++ ends it here: 11 ACKs of 100 ms and 50 of 150 ms, of which 8 count in full.
    #[test]
    fn hystart_hands_over_to_the_function() {
        let mut cubic = Cubic::new(CubicConfig::default());
        let mut window = Window { cwnd: 2.0, ssthresh: 1e6 };
        let mut acks = Acks::default();
        acks.feed(&mut cubic, &mut window, 11, (10, Duration::from_millis(100)));
        acks.feed(&mut cubic, &mut window, 50, (10, Duration::from_millis(150)));
        let cwnd = 2.0 + 11.0 + 8.0 + 42.0 / 4.0;
        assert_eq!(window, Window { cwnd, ssthresh: cwnd });
        assert!(cubic.epoch.is_none());
        acks.feed(&mut cubic, &mut window, 1, (10, Duration::from_millis(150)));
        let epoch = cubic.epoch.unwrap();
        assert_eq!((epoch.k, epoch.origin), (0.0, cwnd));
    }
}
