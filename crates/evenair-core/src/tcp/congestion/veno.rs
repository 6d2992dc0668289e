//! Veno: NewReno that tells random losses from congestion by the number of segments queued (Fu and
//! Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC
//! 21(2), 2003).
//!
//! With the window W, the smallest round-trip time BaseRTT and the present RTT, the queue holds
//!
//! ```text
//! N = Actual (RTT - BaseRTT) = W (1 - BaseRTT / RTT)                                             (1)
//! ```
//!
//! - Increase: as NewReno where N < beta, and by every other ACK only where N >= beta.
//! - Three duplicate ACKs: 4/5 of the window where N < beta (a random loss), else a half.
//! - Slow start and timeouts are NewReno's.
//!
//! Where sources differ:
//! - RTT is the smallest sample of the last whole round, as Linux's comments say; the paper says
//!   "measured" and "round by round". A round of less than 3 samples is ignored, and without a
//!   value Veno acts as NewReno (Linux).
//! - BaseRTT starts afresh after each fast recovery and timeout in the paper, so that it can follow
//!   another route; Linux keeps the minimum of the connection. The parameter `base_rtt` says which.
//!   Beside a buffer that never empties the paper's rule counts the standing queue as a part of the
//!   path and takes congestion for random loss.

use super::round::Round;
use super::{AckEvent, CongestionControl, Window, in_use, slow_start};
use crate::component::{configuration, named, names, number};
use crate::time::Duration;

configuration! {
    /// Parameters of Veno.
    pub struct VenoConfig {
        name: "veno",
        summary: "as newreno, but 4/5 of the window at a loss while few segments are queued",
        source: "Fu and Liew 2003",
    }
    /// with fewer segments queued a loss counts as random
    beta: f64 = 3.0, number(0.0..=1e6);
    /// whether the smallest round-trip time is measured afresh after each loss
    /// (the paper) or is the connection's (Linux)
    base_rtt: BaseRtt = BaseRtt::Reset, names();
}

named! {
    /// What a loss does to the smallest round-trip time.
    pub enum BaseRtt {
        /// It is measured again.
        #[default]
        Reset => "reset",
        /// It stays.
        Keep => "keep",
    }
    planned []
}

/// Least number of samples for which a round is evaluated.
const SAMPLES: u32 = 3;

/// Veno.
#[derive(Clone, Debug)]
pub struct Veno {
    config: VenoConfig,
    round: Round,
    /// BaseRTT, seconds.
    base: f64,
    /// The last round's RTT, seconds.
    rtt: Option<f64>,
    /// Whether the last ACK in congestion was passed over.
    passed_over: bool,
}

impl Veno {
    /// Before anything has been sent.
    pub fn new(config: VenoConfig) -> Self {
        Self { config, round: Round::default(), base: f64::INFINITY, rtt: None, passed_over: false }
    }

    /// N, once it is known: equation (1).
    fn queued(&self, window: &Window, signal: &AckEvent) -> Option<f64> {
        self.rtt.map(|rtt| in_use(window, signal) * (1.0 - self.base / rtt))
    }

    fn restart(&mut self) {
        self.round.restart();
        self.rtt = None;
        if self.config.base_rtt == BaseRtt::Reset {
            self.base = f64::INFINITY;
        }
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        if let Some(rtt) = signal.rtt {
            self.base = self.base.min(rtt.as_secs_f64());
        }
        if let Some(round) = self.round.on_ack(signal) {
            let is_valid = round.samples >= SAMPLES;
            let rtt = round.least.filter(|_| is_valid).map(Duration::as_secs_f64);
            self.rtt = rtt.filter(|&rtt| rtt > 0.0);
        }
        let queued = self.queued(window, signal);
        let mut rest = slow_start(window, signal.credit);
        if rest > 0.0 && queued.is_some_and(|n| n >= self.config.beta) {
            self.passed_over = !self.passed_over;
            if self.passed_over {
                rest = 0.0;
            }
        }
        window.cwnd += rest / window.cwnd;
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        let kept = match self.queued(window, signal) {
            Some(n) if n < self.config.beta => in_use(window, signal) * 0.8,
            _ => signal.flight / 2.0,
        };
        window.ssthresh = kept.max(2.0);
        window.cwnd = window.ssthresh;
        self.restart();
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if first {
            // As in NewReno: half of what the window had become, if in recovery.
            window.ssthresh = (signal.flight.min(window.cwnd) / 2.0).max(2.0);
        }
        window.cwnd = 1.0;
        self.restart();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Acks, signal};
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Twenty segments, BaseRTT 100 ms, and now this RTT; the window is set to 20 again.
    fn after(config: VenoConfig, rtt: u64) -> (Veno, Window, Acks) {
        let mut veno = Veno::new(config);
        let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
        let mut acks = Acks::default();
        acks.feed(&mut veno, &mut window, 21, (20, MS(100)));
        acks.feed(&mut veno, &mut window, 20, (20, MS(rtt)));
        window.cwnd = 20.0;
        (veno, window, acks)
    }

    /// N = 20 (1 - 100/RTT): 1.8 at 110 ms and 2.9 at 117 ms; 3.05 at 118 ms and 10 at 200 ms.
    #[test]
    fn the_queue_tells_random_losses_from_congestion() {
        for (rtt, kept) in [(100, 16.0), (110, 16.0), (117, 16.0), (118, 10.0), (200, 10.0)] {
            let (mut veno, mut window, _) = after(VenoConfig::default(), rtt);
            veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
            assert_eq!(window, Window { cwnd: kept, ssthresh: kept }, "{rtt} ms");
        }
        let patient = VenoConfig { beta: 5.0, ..VenoConfig::default() };
        let (mut veno, mut window, _) = after(patient, 125);
        veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
        assert_eq!(window.cwnd, 16.0);
    }

    #[test]
    fn congestion_halves_the_growth() {
        for (rtt, growth) in [(110, 1.0), (130, 0.5)] {
            let (mut veno, mut window, mut acks) = after(VenoConfig::default(), rtt);
            acks.feed(&mut veno, &mut window, 20, (20, MS(rtt)));
            let grown = window.cwnd - 20.0;
            assert!((0.95 * growth..=growth).contains(&grown), "{rtt} ms: {grown}");
        }
    }

    #[test]
    fn without_samples_it_is_newreno() {
        let mut veno = Veno::new(VenoConfig::default());
        let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
        veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
        assert_eq!(window, Window { cwnd: 10.0, ssthresh: 10.0 });
        veno.on_timeout(&mut window, &signal(0, 0.0, 10.0), true);
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 5.0 });
    }

    /// 130 ms are BaseRTT after a loss (nothing queued), unless the connection's minimum is kept.
    #[test]
    fn the_base_may_follow_the_path() {
        for (base_rtt, kept) in [(BaseRtt::Reset, 16.0), (BaseRtt::Keep, 10.0)] {
            let config = VenoConfig { base_rtt, ..VenoConfig::default() };
            let (mut veno, mut window, mut acks) = after(config, 130);
            veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
            acks.feed(&mut veno, &mut window, 41, (20, MS(130)));
            window.cwnd = 20.0;
            veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
            assert_eq!(window.cwnd, kept, "{base_rtt}");
        }
    }
}
