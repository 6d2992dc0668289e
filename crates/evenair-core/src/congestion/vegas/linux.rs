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

#[cfg(test)]
mod tests {
    use super::super::config::{Form, FormConfig};
    use super::*;
    use crate::time::{Duration, Instant};

    fn linux() -> Linux {
        Linux::new(FormConfig::of(Form::Linux).thresholds)
    }

    /// The ACK number `n`, from 1, of segments of one byte, with `flight` outstanding before it.
    fn ack(n: u64, flight: u64, rtt_ms: u64) -> AckEvent {
        AckEvent {
            now: Instant::ZERO,
            acked: 1.0,
            credit: 1.0,
            may_grow: true,
            marked: 0.0,
            flight: flight as f64,
            rtt: Some(Duration::from_millis(rtt_ms)),
            snd_una: n - 1,
            snd_nxt: n - 1 + flight,
            segment: 1,
        }
    }

    fn feed(
        linux: &mut Linux,
        window: &mut Window,
        acks: std::ops::RangeInclusive<u64>,
        (flight, rtt_ms): (u64, u64),
    ) {
        for n in acks {
            linux.on_ack(window, &ack(n, flight, rtt_ms));
        }
    }

    /// ACK 1 goes beyond the empty first round, which has one sample: Reno counts it. The rounds then
    /// end with ACKs 11, 21, 31: W is 10. Nothing is queued, so cwnd tends to one more than it was
    /// when the round began: 10, 10, 11, 11, 12.
    #[test]
    fn the_window_grows_in_every_other_round() {
        let (mut linux, mut window) = (linux(), Window { cwnd: 10.0, ssthresh: 2.0 });
        for (end, cwnd) in [(1, 10.0), (10, 10.0), (11, 11.0), (21, 11.0), (31, 12.0), (41, 12.0)] {
            let begin =
                [1, 2, 11, 12, 22, 32][[1, 10, 11, 21, 31, 41].binary_search(&end).unwrap()];
            feed(&mut linux, &mut window, begin..=end, (10, 100));
            assert_eq!(window.cwnd, cwnd, "ACK {end}");
        }
    }

    /// W = 10, BaseRTT 100.001 ms; 20 half segments times BaseRTT / RTT, rounded down:
    ///
    /// ```text
    /// RTT 117 ms   17 of 20   Diff 1.5   below alpha
    ///     125      16              2     alpha is not undercut
    ///     160      12              4     beta is not exceeded
    ///     170      11              4.5   above beta
    /// ```
    #[test]
    fn thresholds_are_compared_in_half_segments() {
        for (rtt, cwnd) in [(117, 11.0), (125, 10.0), (160, 10.0), (170, 9.0)] {
            let (mut linux, mut window) = (linux(), Window { cwnd: 10.0, ssthresh: 2.0 });
            feed(&mut linux, &mut window, 1..=1, (10, 100));
            feed(&mut linux, &mut window, 2..=11, (10, rtt));
            assert_eq!(window.cwnd, cwnd, "{rtt} ms");
        }
    }

    /// W = 16: of 32 half segments 30 are left at 106 ms (Diff 1), 29 at 107 ms (Diff 1.5, cwnd at
    /// most 14 + 1) and 24 at 130 ms (cwnd at most 12 + 1). The ACK itself adds 1.
    #[test]
    fn slow_start_ends_at_the_actual_rate() {
        let cases = [(106, 17.0, 1000.0), (107, 16.0, 2.0), (130, 14.0, 2.0)];
        for (rtt, cwnd, ssthresh) in cases {
            let (mut linux, mut window) = (linux(), Window { cwnd: 16.0, ssthresh: 1000.0 });
            feed(&mut linux, &mut window, 1..=1, (16, 100));
            assert_eq!(window.cwnd, 17.0);
            feed(&mut linux, &mut window, 2..=16, (16, rtt));
            assert_eq!(window.cwnd, 32.0);
            window.cwnd = 16.0;
            feed(&mut linux, &mut window, 17..=17, (16, rtt));
            assert_eq!(window, Window { cwnd, ssthresh }, "{rtt} ms");
        }
    }

    /// Two samples in a round are too few: Reno needs 11 ACKs at a window of 10.
    #[test]
    fn rounds_of_two_samples_are_renos() {
        let (mut linux, mut window) = (linux(), Window { cwnd: 10.0, ssthresh: 2.0 });
        for n in 1..=11 {
            assert_eq!(window.cwnd, 10.0, "ACK {n}");
            // Each ends a round of its own.
            linux.on_ack(&mut window, &ack(2 * n, 1, 100));
        }
        assert_eq!(window.cwnd, 11.0);
    }

    /// At ACK 11 cwnd is 11 and the round began at byte 10 with cwnd 10. A loss leaves 11 / 2,
    /// rounded down. What is acknowledged at the end of recovery is the first byte of 20 to be judged,
    /// from byte 10 to byte 30, and the first cwnd is still 10: cwnd tends to 11, then to 7.
    #[test]
    fn after_a_loss_the_round_is_that_of_before() {
        let (mut linux, mut window) = (linux(), Window { cwnd: 10.0, ssthresh: 2.0 });
        feed(&mut linux, &mut window, 1..=11, (10, 100));
        assert_eq!(linux.begin, (10, 20));
        linux.on_loss(&mut window, &AckEvent { acked: 0.0, rtt: None, ..ack(12, 11, 100) });
        assert_eq!(window, Window { cwnd: 5.0, ssthresh: 5.0 });
        linux.on_partial_ack(&mut window, &ack(15, 8, 100));
        assert_eq!(window.cwnd, 5.0);
        linux.on_recovered(&mut window, &ack(21, 10, 100));
        assert_eq!((window.cwnd, linux.begin), (5.0, (10, 30)));
        // cwnd is not above ssthresh yet.
        feed(&mut linux, &mut window, 22..=22, (10, 100));
        assert_eq!(window.cwnd, 6.0);
        feed(&mut linux, &mut window, 23..=30, (10, 100));
        assert_eq!(window.cwnd, 6.0);
        feed(&mut linux, &mut window, 31..=31, (7, 100));
        assert_eq!((window.cwnd, linux.begin), (7.0, (30, 37)));
        feed(&mut linux, &mut window, 32..=38, (7, 100));
        assert_eq!(window.cwnd, 7.0);
    }

    /// Reno until byte 24: 1 to 6 in slow start, and above ssthresh an ACK more than cwnd. The round
    /// that begins with ACK 24 is the next that is judged.
    #[test]
    fn after_a_timeout_the_window_grows_as_renos() {
        let (mut linux, mut window) = (linux(), Window { cwnd: 10.0, ssthresh: 2.0 });
        feed(&mut linux, &mut window, 1..=11, (10, 100));
        let expiry = AckEvent { acked: 0.0, rtt: None, ..ack(12, 13, 100) };
        linux.on_timeout(&mut window, &expiry, true);
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 5.0 });
        for (n, cwnd) in (12..=24).zip([2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 6, 7, 7]) {
            linux.on_ack(&mut window, &ack(n, 5, 300));
            assert_eq!(window.cwnd, f64::from(cwnd), "ACK {n}");
        }
        assert_eq!((linux.state, linux.begin), (State::Open, (10, 28)));
    }
}
