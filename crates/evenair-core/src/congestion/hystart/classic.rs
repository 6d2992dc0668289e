//! HyStart as in Linux's CUBIC (`hystart_update` in `net/ipv4/tcp_cubic.c`, Linux 5.8 to 5.16; Ha and Rhee, "Taming the
//! elephants: New TCP slow start", Computer Networks 55, 2011). Slow start ends, with ssthresh = cwnd, by one of two rules:
//!
//! - **ACK train**: ACKs not more than 2 ms apart have come for longer than half of the smallest round-trip time since the
//!   round began: what is sent in a round takes about as long as the way to the receiver. Linux waits for twice as long where
//!   segments are paced, ns-3 always (`train`).
//! - **Delay**: the smallest round-trip time of this round, of 8 samples or more, is above the connection's smallest by more than
//!   an eighth of that, but by 4 ms at least, and 16 ms wherever an eighth is more.
//!
//! A round ends with the first ACK of a segment that was sent after its begin. Below 16 segments of cwnd
//! neither rule holds, and ACKs belong to no train. Since Linux 5.17 no round begins there.
//!
//! Departure: Linux adds to a train up to 1 ms, the time in which four bursts of segments (GSO) leave; here segments
//! leave one by one.

use super::config::{Detect, HyStartConfig};
use crate::congestion::{AckEvent, Window, slow_start};
use crate::time::{Duration, Instant};

/// `hystart_low_window`, segments.
const LOW_WINDOW: f64 = 16.0;
/// `hystart_ack_delta_us`.
const ACK_DELTA: Duration = Duration::from_millis(2);
/// `HYSTART_MIN_SAMPLES`.
const MIN_SAMPLES: u32 = 8;
/// `HYSTART_DELAY_MIN`.
const DELAY_MIN: Duration = Duration::from_millis(4);
/// `HYSTART_DELAY_MAX`.
const DELAY_MAX: Duration = Duration::from_millis(16);

/// The first slow start under HyStart.
#[derive(Clone, Copy, Debug)]
pub struct ClassicHyStart {
    /// The length of a train of ACKs that ends slow start, in smallest round-trip times.
    train: f64,
    detect: Detect,
    /// The connection's smallest round-trip time (`delay_min`).
    min_rtt: Option<Duration>,
    round: Round,
}

/// What has been seen in a round.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// When it began.
    start: Instant,
    /// The last ACK that belongs to the train.
    last_ack: Instant,
    /// What had been sent when it began.
    end: u64,
    samples: u32,
    /// The smallest round-trip time (`curr_rtt`).
    least: Option<Duration>,
}

impl ClassicHyStart {
    /// Before anything has been sent.
    pub(super) fn new(config: &HyStartConfig) -> Self {
        let HyStartConfig { hystart_train: train, hystart_detect: detect, .. } = *config;
        Self { train, detect, min_rtt: None, round: Round::default() }
    }

    /// See [`HyStart::on_ack`](super::HyStart::on_ack). The rules are looked at before cwnd grows.
    pub(super) fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) -> f64 {
        if let Some(rtt) = signal.rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
            if self.ends_slow_start(window.cwnd, signal, rtt) {
                window.ssthresh = window.cwnd;
            }
        }
        slow_start(window, signal.credit)
    }

    fn ends_slow_start(&mut self, cwnd: f64, signal: &AckEvent, rtt: Duration) -> bool {
        let now = signal.now;
        if signal.ack() > self.round.end {
            let end = signal.snd_nxt;
            self.round = Round { start: now, last_ack: now, end, ..Round::default() };
        }
        if cwnd < LOW_WINDOW {
            return false;
        }
        let (round, min_rtt) = (&mut self.round, self.min_rtt.unwrap_or(rtt));
        let mut found = false;
        if self.detect != Detect::Delay && now.since(round.last_ack) <= ACK_DELTA {
            round.last_ack = now;
            let length = now.since(round.start).as_secs_f64();
            found = length > self.train * min_rtt.as_secs_f64();
        }
        let least = round.least.map_or(rtt, |least| least.min(rtt));
        round.least = Some(least);
        if round.samples < MIN_SAMPLES {
            round.samples += 1;
            return found;
        }
        let rise = (min_rtt / 8).clamp(DELAY_MIN, DELAY_MAX);
        found || self.detect != Detect::AckTrain && least > min_rtt + rise
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::signal;

    /// A sender in slow start with a window of 20 segments, of one byte each.
    struct Sender {
        hystart: ClassicHyStart,
        window: Window,
        now: Instant,
        snd_una: u64,
    }

    impl Sender {
        fn new(hystart_train: f64, cwnd: f64) -> Self {
            Self::with(HyStartConfig { hystart_train, ..HyStartConfig::default() }, cwnd)
        }

        fn with(config: HyStartConfig, cwnd: f64) -> Self {
            Self {
                hystart: ClassicHyStart::new(&config),
                window: Window { cwnd, ssthresh: 1e6 },
                now: Instant::ZERO,
                snd_una: 0,
            }
        }

        /// An ACK of one segment so many microseconds after the last one, with this round-trip time in milliseconds. Returns
        /// whether slow start has ended.
        fn ack(&mut self, gap_us: u64, rtt_ms: u64) -> bool {
            self.now += Duration::from_micros(gap_us);
            let signal = AckEvent {
                now: self.now,
                rtt: Some(Duration::from_millis(rtt_ms)),
                snd_una: self.snd_una,
                snd_nxt: self.snd_una + 1000,
                segment: 1,
                ..signal(0, 1.0, 20.0)
            };
            self.snd_una += 1;
            self.hystart.on_ack(&mut self.window, &signal);
            self.window.ssthresh < 1e6
        }
    }

    /// A round of 1,000 segments, ACKs 2 ms apart, a smallest round-trip time of 100 ms. More than 50 ms have passed since the first
    /// ACK at the 27th: the window is 20 + 26 then, and the ACK adds one that is beyond ssthresh. With `train = 1` at the 52nd.
    #[test]
    fn a_train_of_acks_ends_slow_start() {
        for (train, last) in [(0.5, 27), (1.0, 52)] {
            let mut sender = Sender::new(train, 20.0);
            for number in 1..last {
                assert!(!sender.ack(2000, 100), "{number}");
            }
            assert!(sender.ack(2000, 100));
            assert_eq!(
                sender.window,
                Window { cwnd: 19.0 + f64::from(last), ssthresh: 19.0 + f64::from(last) }
            );
        }
    }

    /// A gap of more than 2 ms ends the train for the whole round, even if ACKs are close again.
    #[test]
    fn a_gap_ends_the_train() {
        let mut sender = Sender::new(0.5, 20.0);
        assert!(!sender.ack(2000, 100) && !sender.ack(2001, 100));
        for _ in 0..500 {
            assert!(!sender.ack(1000, 100));
        }
    }

    /// 100 ms and an eighth are 112.5 ms; of 20 ms an eighth is less than 4 ms, of 200 ms more than 16 ms. The ninth sample of a
    /// round is the first that may tell.
    #[test]
    fn a_rise_of_the_smallest_round_trip_time_ends_slow_start() {
        for (min_rtt, slow, ends) in [
            (100, 112, false),
            (100, 113, true),
            (20, 24, false),
            (20, 25, true),
            (200, 216, false),
            (200, 217, true),
        ] {
            let mut sender = Sender::new(0.5, 20.0);
            // The first round has the first ACK and those of what was sent before it.
            for _ in 0..1000 {
                assert!(!sender.ack(3000, min_rtt));
            }
            for _ in 0..8 {
                assert!(!sender.ack(3000, slow));
            }
            assert_eq!(sender.ack(3000, slow), ends, "{min_rtt}, {slow}");
            // One fast segment is enough.
            let mut sender = Sender::new(0.5, 20.0);
            for _ in 0..1001 {
                sender.ack(3000, min_rtt);
            }
            for _ in 0..20 {
                assert!(!sender.ack(3000, slow));
            }
        }
    }

    /// Either rule alone.
    #[test]
    fn one_rule_may_be_left_out() {
        let of = |hystart_detect| HyStartConfig { hystart_detect, ..HyStartConfig::default() };
        let mut by_delay = Sender::with(of(Detect::Delay), 20.0);
        let mut by_train = Sender::with(of(Detect::AckTrain), 20.0);
        for _ in 0..1000 {
            assert!(!by_delay.ack(1000, 100) && !by_train.ack(3000, 100));
        }
        for _ in 0..8 {
            assert!(!by_delay.ack(1000, 200) && !by_train.ack(3000, 200));
        }
        assert!(by_delay.ack(1000, 200) && !by_train.ack(3000, 200));
    }

    /// The round began with the first ACK, 14 ms before there are 16 segments: its train is over. Where there are 15 at its begin,
    /// the second ACK continues the train, 1 ms after the first.
    #[test]
    fn below_sixteen_segments_neither_rule_holds() {
        let mut sender = Sender::new(0.1, 2.0);
        for number in 1..100 {
            assert!(!sender.ack(1000, 1), "{number}");
        }
        let mut sender = Sender::new(0.1, 15.0);
        assert!(!sender.ack(1000, 1) && sender.ack(1000, 1));
    }
}
