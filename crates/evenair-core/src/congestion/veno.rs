//! Veno: NewReno that tells random losses from congestion by the number of segments queued (Fu and
//! Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC
//! 21(2), 2003), as Linux has it (`tcp_veno`).
//!
//! With the window W, the smallest round-trip time BaseRTT and the present RTT, the queue holds
//!
//! ```text
//! N = Actual (RTT - BaseRTT) = W (1 - BaseRTT / RTT)                                             (1)
//! ```
//!
//! - Increase: as NewReno where N < beta, and half as fast where N >= beta.
//! - Loss: 4/5 of the window where N < beta (a random loss), else a half.
//! - Slow start is NewReno's.
//!
//! Linux differs from the paper, and a key each chooses the other:
//! - `base_rtt`: BaseRTT is the minimum of the connection, but for a timeout, after which nothing is in
//!   flight (CA_EVENT_TX_START). In the paper it starts afresh after each fast recovery too, so that it
//!   can follow another route. Beside a buffer that never empties that counts the standing queue as
//!   a part of the path and takes congestion for random loss.
//! - `rtt`: Linux's module wipes its minimum after each ACK, so that RTT is the last ACK's. The paper says
//!   "measured" and "round by round": the smallest of the last round of 3 samples or more.
//! - `timeout`: Linux sets ssthresh as after other losses, the paper to a half.
//! - `arithmetic`: the window is whole, and N is in halves of a segment, rounded up.
//!
//! Linux's too: until there are 3 samples growth is NewReno's, and a loss counts as random.

use super::linux::{Arithmetic, SegmentCount};
use super::round::Round;
use super::{AckEvent, CongestionControl, Window, in_use, slow_start};
use crate::component::{configuration, named, names, number};
use crate::time::Duration;

configuration! {
    /// Parameters of Veno.
    pub struct VenoConfig {
        name: "veno",
        summary: "as newreno, but 4/5 of the window at a loss while few segments are queued",
        source: "Fu and Liew 2003; Linux tcp_veno",
    }
    /// with fewer segments queued a loss counts as random
    beta: f64 = 3.0, number(0.0..=1e6);
    /// whether the smallest round-trip time is the connection's (Linux) or
    /// is measured afresh after each loss (the paper)
    base_rtt: BaseRtt = BaseRtt::Keep, names();
    /// whether the queue is judged by the round-trip time of each ACK (Linux), or
    /// by the smallest of each round
    rtt: QueueRtt = QueueRtt::Ack, names();
    /// whether window and queue are whole numbers (of segments and of halves), as in Linux, or exact
    arithmetic: Arithmetic = Arithmetic::Linux, names();
    /// whether a timeout leaves in ssthresh what any loss does (Linux), or a half (the paper)
    timeout: TimeoutLoss = TimeoutLoss::Loss, names();
}

named! {
    /// What a loss does to the smallest round-trip time.
    pub enum BaseRtt {
        /// It stays.
        #[default]
        Keep => "keep",
        /// It is measured again.
        Reset => "reset",
    }
    planned []
}

named! {
    /// The round-trip time that tells how many segments are queued.
    pub enum QueueRtt {
        /// That of the last ACK.
        #[default]
        Ack => "ack",
        /// The smallest of the last whole round.
        Round => "round",
    }
    planned []
}

named! {
    /// What a timeout leaves of the window in ssthresh.
    pub enum TimeoutLoss {
        /// 4/5 if few segments are queued, else a half.
        #[default]
        Loss => "loss",
        /// A half.
        Half => "half",
    }
    planned []
}

/// Least number of samples of the connection, or of the round, for an estimate (Linux).
const SAMPLES: u32 = 3;
/// N is counted in halves of segments, rounded up (Linux: V_PARAM_SHIFT = 1).
const HALVES: f64 = 2.0;

/// Veno.
#[derive(Clone, Debug)]
pub struct Veno {
    config: VenoConfig,
    round: Round,
    /// BaseRTT, seconds.
    base: f64,
    samples: u32,
    /// N; 0 until there is an estimate.
    queued: f64,
    count: SegmentCount,
    /// Whether the last full count of ACKs in congestion was passed over.
    passed_over: bool,
}

impl Veno {
    /// Before anything has been sent.
    pub fn new(config: VenoConfig) -> Self {
        Self {
            round: Round::default(),
            base: f64::INFINITY,
            samples: 0,
            queued: 0.0,
            count: SegmentCount::new(config.arithmetic),
            passed_over: true,
            config,
        }
    }

    /// The round-trip time by which an ACK allows to judge the queue, seconds.
    fn sample(&mut self, signal: &AckEvent) -> Option<f64> {
        let rtt = signal.rtt.map(Duration::as_secs_f64).filter(|&rtt| rtt > 0.0);
        if let Some(rtt) = rtt {
            self.base = self.base.min(rtt);
            self.samples = self.samples.saturating_add(1);
        }
        match self.config.rtt {
            QueueRtt::Ack => rtt.filter(|_| self.samples >= SAMPLES),
            QueueRtt::Round => {
                let round = self.round.on_ack(signal)?;
                let least = round.least.filter(|_| round.samples >= SAMPLES);
                least.map(Duration::as_secs_f64).filter(|&rtt| rtt > 0.0)
            }
        }
    }

    fn is_random(&self) -> bool {
        self.queued < self.config.beta
    }

    /// ssthresh after a loss.
    fn after_loss(&self, window: &Window, signal: &AckEvent) -> f64 {
        let factor = if self.is_random() { 0.8 } else { 0.5 };
        self.config.arithmetic.round(in_use(window, signal) * factor).max(2.0)
    }

    fn restart(&mut self) {
        self.count.reset();
        self.round.restart();
        if self.config.base_rtt == BaseRtt::Reset {
            self.base = f64::INFINITY;
        }
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        if let Some(rtt) = self.sample(signal) {
            let both = HALVES * window.cwnd;
            self.queued = (both - self.config.arithmetic.round(both * self.base / rtt)) / HALVES;
        }
        let rest = slow_start(window, signal.credit);
        let rest = self.count.after_slow_start(window, rest);
        if rest <= 0.0 {
            return;
        }
        let grown = self.count.advance(window.cwnd, rest);
        if grown > 0.0 && !self.is_random() {
            self.passed_over = !self.passed_over;
            if self.passed_over {
                return;
            }
        }
        window.cwnd += grown;
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        window.ssthresh = self.after_loss(window, signal);
        window.cwnd = window.ssthresh;
        self.restart();
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if first {
            window.ssthresh = match self.config.timeout {
                TimeoutLoss::Loss => self.after_loss(window, signal),
                // As in NewReno: half of what the window had become, if in recovery.
                TimeoutLoss::Half => (signal.flight.min(window.cwnd) / 2.0).max(2.0),
            };
        }
        window.cwnd = 1.0;
        self.restart();
        self.base = f64::INFINITY;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Acks, signal};
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Twenty segments, BaseRTT 100 ms, and now this RTT for a round, the last ACK of which tells N.
    fn after(config: VenoConfig, rtt: u64) -> (Veno, Window, Acks) {
        let mut veno = Veno::new(config);
        let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
        let mut acks = Acks::default();
        for (count, rtt) in [(21, 100), (19, rtt), (1, rtt)] {
            window.cwnd = 20.0;
            acks.feed(&mut veno, &mut window, count, (20, MS(rtt)));
        }
        window.cwnd = 20.0;
        (veno, window, acks)
    }

    /// N = 20 (1 - 100/RTT), in halves rounded up: 40 - floor(4000/RTT) is 4 at 110 ms, 5 at 114 and
    /// 6 at 115. Exactly 2.9 at 117 ms and 3.05 at 118 ms.
    #[test]
    fn the_queue_tells_random_losses_from_congestion() {
        let exact = VenoConfig { arithmetic: Arithmetic::Exact, ..VenoConfig::default() };
        let round = VenoConfig { rtt: QueueRtt::Round, ..exact.clone() };
        let patient = VenoConfig { beta: 5.0, ..VenoConfig::default() };
        for (config, table) in [
            (VenoConfig::default(), [(110, 16.0), (114, 16.0), (115, 10.0), (200, 10.0)]),
            (exact, [(110, 16.0), (117, 16.0), (118, 10.0), (200, 10.0)]),
            (round, [(110, 16.0), (117, 16.0), (118, 10.0), (200, 10.0)]),
            (patient, [(110, 16.0), (115, 16.0), (125, 16.0), (200, 10.0)]),
        ] {
            for (rtt, kept) in table {
                let (mut veno, mut window, _) = after(config.clone(), rtt);
                veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
                assert_eq!(window, Window { cwnd: kept, ssthresh: kept }, "{config:?}, {rtt} ms");
            }
        }
    }

    /// The last ACK tells N, or the smallest of a round that it cannot end alone.
    #[test]
    fn one_late_ack_counts_unless_rounds_do() {
        for (rtt, kept) in [(QueueRtt::Ack, 10.0), (QueueRtt::Round, 16.0)] {
            let (mut veno, mut window, mut acks) =
                after(VenoConfig { rtt, ..VenoConfig::default() }, 100);
            acks.feed(&mut veno, &mut window, 1, (20, MS(200)));
            veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
            assert_eq!(window.cwnd, kept, "{rtt}");
        }
    }

    /// In whole numbers 20 + 21 + ... + 27 = 188 ACKs are 8 segments, or with every second ACK 20 + 21 +
    /// 22 + 23 <= 94 are 4. In real numbers cwnd dcwnd = dn, so that n ACKs lead to sqrt(400 + 2 n).
    #[test]
    fn congestion_halves_the_growth() {
        for (rtt, acks_that_count, whole) in [(105, 188.0, 8.0), (130, 94.0, 4.0)] {
            let real = f64::sqrt(400.0 + 2.0 * acks_that_count) - 20.0;
            for (arithmetic, growth) in [(Arithmetic::Linux, whole), (Arithmetic::Exact, real)] {
                let config = VenoConfig { arithmetic, ..VenoConfig::default() };
                let (mut veno, mut window, mut acks) = after(config, rtt);
                acks.feed(&mut veno, &mut window, 188, (20, MS(rtt)));
                let grown = window.cwnd - 20.0;
                assert!((grown - growth).abs() < 0.05, "{arithmetic}, {rtt}: {grown}");
            }
        }
    }

    /// Until there are samples a loss counts as random (Linux). 11 segments are in use at the timeout.
    #[test]
    fn losses_before_the_first_samples() {
        for (timeout, left) in [(TimeoutLoss::Loss, 8.0), (TimeoutLoss::Half, 5.0)] {
            let mut veno = Veno::new(VenoConfig { timeout, ..VenoConfig::default() });
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
            veno.on_loss(&mut window, &signal(0, 0.0, 20.0));
            assert_eq!(window, Window { cwnd: 16.0, ssthresh: 16.0 });
            veno.on_timeout(&mut window, &signal(0, 0.0, 10.0), true);
            assert_eq!(window, Window { cwnd: 1.0, ssthresh: left }, "{timeout}");
        }
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
