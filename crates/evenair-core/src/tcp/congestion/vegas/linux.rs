//! Vegas of Linux 2.6.22 (`net/ipv4/tcp_vegas.c`), the version that ns-2.35 has.
//!
//! A round ends with the ACK that goes beyond what had been sent when it began. Of that round are
//! W, the segments between its first byte and its last; RTT, the smallest of its samples; and
//! cwnd at its beginning, before the decision of that moment. With equation (1) in whole half segments,
//! rounded up:
//!
//! - slow start (cwnd <= ssthresh) ends when Diff > gamma: ssthresh is 2, and cwnd at most
//!   floor(W BaseRTT / RTT) + 1. Each ACK adds 1, and this one too;
//! - above ssthresh cwnd moves by one towards the round's first cwnd, plus 1 where Diff < alpha, minus
//!   1 where Diff > beta. As the round's first cwnd is that of before the last decision, cwnd
//!   grows in every other round;
//! - a round of fewer than 3 samples is Reno's: 1/cwnd for each ACK.
//!
//! Losses halve the window. While the sender repairs a loss no round is judged, and after a timeout
//! the window grows as Reno's until all that was outstanding is acknowledged. The next round's W and
//! first cwnd are then those of before the loss, which Linux does not set anew.
//!
//! Where the sender differs from Linux's:
//! - a loss halves what is in use of cwnd, and cwnd has no upper bound;
//! - duplicate ACKs that confirm no loss suspend nothing, as in ns-2, which has no Disorder state.

use super::super::{AckEvent, CongestionControl, Window, in_use};
use super::config::Thresholds;

/// The smallest window outside of recovery.
const LEAST: f64 = 2.0;
/// The least number of samples of a round that is judged.
const SAMPLES: u32 = 3;
/// Fixed-point fractions per segment (`V_PARAM_SHIFT` of 1).
const FRACTIONS: u64 = 2;

/// What the sender is doing (`tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Rounds are judged.
    Open,
    /// The window was reduced, and does not grow until this byte is acknowledged.
    Reduced(u64),
    /// The timer has expired: Reno until this byte is acknowledged.
    Loss(u64),
}

/// The variables of `struct vegas`.
#[derive(Clone, Debug)]
pub(super) struct Linux {
    thresholds: Thresholds,
    state: State,
    /// Where the round began, and what had been sent then.
    begin: (u64, u64),
    /// cwnd when the round began.
    begin_cwnd: f64,
    /// Round-trip times in this round, and the smallest, microseconds.
    samples: u32,
    least: u64,
    /// BaseRTT, microseconds.
    base: u64,
    /// ACKs that Reno has counted since the window last grew.
    counted: f64,
}

impl Linux {
    pub(super) fn new(thresholds: Thresholds) -> Self {
        Self {
            thresholds,
            state: State::Open,
            begin: (0, 0),
            begin_cwnd: 0.0,
            samples: 0,
            least: u64::MAX,
            base: u64::MAX,
            counted: 0.0,
        }
    }

    fn sample(&mut self, signal: &AckEvent) {
        if let Some(rtt) = signal.rtt {
            // Never 0.
            let rtt = rtt.as_nanos() / 1000 + 1;
            self.base = self.base.min(rtt);
            self.least = self.least.min(rtt);
            self.samples += 1;
        }
    }

    /// The sender has become open: the next round begins with what it sends now.
    fn enable(&mut self, signal: &AckEvent) {
        self.state = State::Open;
        self.begin.1 = signal.snd_nxt;
        self.restart();
    }

    fn restart(&mut self) {
        (self.samples, self.least) = (0, u64::MAX);
    }

    /// Reno's growth, in whole segments.
    fn reno(&mut self, window: &mut Window, signal: &AckEvent) {
        if window.cwnd <= window.ssthresh {
            window.cwnd += signal.credit;
            return;
        }
        self.counted += signal.credit;
        if self.counted > window.cwnd {
            window.cwnd += 1.0;
            self.counted = 0.0;
        }
    }

    /// A round is over that had `segments` and enough samples, and began with cwnd at `old_cwnd`.
    fn decide(&self, window: &mut Window, signal: &AckEvent, (segments, old_cwnd): (u64, f64)) {
        let product = u128::from(segments * FRACTIONS) * u128::from(self.base);
        let target = (product / u128::from(self.least)) as u64;
        let diff = (segments * FRACTIONS - target) as f64 / FRACTIONS as f64;
        if window.cwnd <= window.ssthresh {
            if diff > self.thresholds.gamma {
                window.ssthresh = LEAST;
                window.cwnd = window.cwnd.min((target / FRACTIONS + 1) as f64);
            }
            window.cwnd += signal.credit;
        } else {
            let next = if diff > self.thresholds.beta {
                old_cwnd - 1.0
            } else if diff < self.thresholds.alpha {
                old_cwnd + 1.0
            } else {
                old_cwnd
            };
            window.cwnd += (next - window.cwnd).clamp(-1.0, 1.0);
        }
        window.cwnd = window.cwnd.max(LEAST);
    }

    fn reduce(&mut self, window: &mut Window, signal: &AckEvent) {
        window.ssthresh = (in_use(window, signal) / 2.0).floor().max(LEAST);
        self.counted = 0.0;
    }
}

impl CongestionControl for Linux {
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.sample(signal);
        let ack = signal.ack();
        match self.state {
            State::Open if ack > self.begin.1 => {
                let round =
                    (self.begin.1.saturating_sub(self.begin.0) / signal.segment, self.begin_cwnd);
                self.begin = (self.begin.1, signal.snd_nxt.max(self.begin.1));
                self.begin_cwnd = window.cwnd;
                if self.samples < SAMPLES {
                    self.reno(window, signal);
                } else {
                    self.decide(window, signal, round);
                }
                self.restart();
            }
            State::Open if window.cwnd <= window.ssthresh => window.cwnd += signal.credit,
            State::Open => {}
            State::Reduced(until) => {
                if ack >= until {
                    self.enable(signal);
                }
            }
            State::Loss(until) => {
                self.reno(window, signal);
                if ack >= until {
                    self.enable(signal);
                }
            }
        }
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        self.reduce(window, signal);
        window.cwnd = window.ssthresh;
        self.state = State::Reduced(signal.snd_nxt);
    }

    fn on_partial_ack(&mut self, _window: &mut Window, signal: &AckEvent) {
        self.sample(signal);
    }

    fn on_recovered(&mut self, _window: &mut Window, signal: &AckEvent) {
        self.sample(signal);
        self.enable(signal);
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if first {
            self.reduce(window, signal);
        }
        window.cwnd = 1.0;
        let until = match self.state {
            State::Loss(until) => until.max(signal.snd_nxt),
            State::Open | State::Reduced(_) => signal.snd_nxt,
        };
        self.state = State::Loss(until);
    }
}
