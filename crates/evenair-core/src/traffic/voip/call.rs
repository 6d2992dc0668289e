//! The receiver of a call.

use super::config::{INTERVAL, VoipConfig};
use super::playout::PlayoutBuffer;
use crate::time::{Duration, Instant};
use crate::traffic::receiver::{Received, Receiver};

/// The receiver of a call: plays each datagram when it is due, and counts those that it does not have by then.
#[derive(Clone, Debug)]
pub struct CallReceiver {
    config: VoipConfig,
    /// When the first datagram is sent, and from when on none is.
    start: Instant,
    stop: Instant,
    buffer: PlayoutBuffer,
    jitter: Jitter,
    /// The number after that of the last datagram that has arrived or counts as lost.
    next: u64,
    /// The first number that is measured.
    first: u64,
    heard: Heard,
}

/// What a receiver heard of the datagrams that were sent in the measured time and whose fate is known at its end:
/// those that have arrived, that later ones have overtaken, or that were to be played by then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heard {
    /// Their number.
    pub datagrams: u64,
    /// Those of them that did not arrive.
    pub lost: u64,
    /// Those that arrived after they were to be played.
    pub late: u64,
    /// Groups of consecutive ones that were lost or late.
    pub bursts: u64,
    /// Whether the last one was.
    is_gap: bool,
    /// The sum of their delays from being sent to being played.
    delay: Duration,
    /// The sum of the jitter after each that arrived, seconds.
    jitter: f64,
}

/// The interarrival jitter of RFC 3550 (6.4.1, A.8), seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Jitter {
    transit: Option<Duration>,
    value: f64,
}

impl CallReceiver {
    /// The receiver of a call from `start` to `stop`. All of it is measured.
    pub fn new(config: VoipConfig, start: Instant, stop: Instant) -> Self {
        let buffer = PlayoutBuffer::new(config.playout, config.buffer);
        let (jitter, heard) = (Jitter::default(), Heard::default());
        Self { config, start, stop, buffer, jitter, next: 0, first: 0, heard }
    }

    /// The call.
    pub fn config(&self) -> &VoipConfig {
        &self.config
    }

    /// How many datagrams are sent before `at`.
    fn sent_before(&self, at: Instant) -> u64 {
        at.min(self.stop).since(self.start).div_ceil(INTERVAL)
    }

    /// What it has heard when measuring ends at `end`.
    pub fn heard(&self, end: Instant) -> Heard {
        let mut call = self.clone();
        let due = Instant::ZERO + end.since(Instant::ZERO).saturating_sub(self.buffer.delay());
        call.lose_until(self.sent_before(due));
        call.heard
    }

    /// The datagrams before the one with this number will not arrive.
    fn lose_until(&mut self, number: u64) {
        let lost = number.saturating_sub(self.next.max(self.first));
        self.next = self.next.max(number);
        if lost > 0 {
            self.heard.lost += lost;
            self.heard.add(lost, false, self.buffer.delay());
        }
    }
}

impl Receiver for CallReceiver {
    fn on_datagram(&mut self, datagram: &Received) {
        self.lose_until(datagram.number);
        self.next = datagram.number + 1;
        let transit = datagram.now.since(datagram.sent);
        let jitter = self.jitter.update(transit);
        let delay = self.buffer.accept(transit);
        if datagram.number >= self.first {
            let is_late = transit > delay;
            self.heard.late += u64::from(is_late);
            self.heard.jitter += jitter;
            self.heard.add(1, !is_late, delay);
        }
    }

    fn measure_from(&mut self, now: Instant) {
        self.first = self.sent_before(now);
        self.heard = Heard::default();
    }
}

impl Heard {
    fn add(&mut self, datagrams: u64, are_played: bool, delay: Duration) {
        self.datagrams += datagrams;
        self.delay += Duration::from_nanos(delay.as_nanos().saturating_mul(datagrams));
        self.bursts += u64::from(!are_played && !self.is_gap);
        self.is_gap = !are_played;
    }

    /// Those that were not played, as a share of all.
    pub fn loss_ratio(&self) -> f64 {
        (self.lost + self.late) as f64 / self.datagrams as f64
    }

    /// The mean length of a burst of datagrams that were not played, as a multiple of what it would be if they were
    /// not played at random (BurstR of ITU-T G.107, 7.5), at least 1. At random it is 1 / (1 - loss).
    pub fn burst_ratio(&self) -> f64 {
        let missed = self.lost + self.late;
        if missed == 0 {
            return 1.0;
        }
        let mean = missed as f64 / self.bursts as f64;
        (mean * (1.0 - self.loss_ratio())).max(1.0)
    }

    /// Mean time from sending to playing, whether a datagram was there by then or not, seconds.
    pub fn mean_delay_s(&self) -> f64 {
        self.delay.as_secs_f64() / self.datagrams as f64
    }

    /// The mean of the interarrival jitter after each datagram, seconds; none without any.
    pub fn mean_jitter_s(&self) -> Option<f64> {
        let arrived = self.datagrams - self.lost;
        (arrived > 0).then(|| self.jitter / arrived as f64)
    }
}

impl Jitter {
    /// A datagram has arrived after this time.
    fn update(&mut self, transit: Duration) -> f64 {
        if let Some(last) = self.transit {
            let difference = (transit.as_secs_f64() - last.as_secs_f64()).abs();
            self.value += (difference - self.value) / 16.0;
        }
        self.transit = Some(transit);
        self.value
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Playout;
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const AT: fn(u64) -> Instant = |ms| Instant::from_nanos(ms * 1_000_000);
    const START: Instant = Instant::from_nanos(100_000_000);

    fn receiver(hold: u64) -> CallReceiver {
        call(Playout::Fixed, hold, Instant::NEVER)
    }

    fn call(playout: Playout, hold: u64, stop: Instant) -> CallReceiver {
        let config = VoipConfig { playout, buffer: MS(hold), ..VoipConfig::default() };
        CallReceiver::new(config, START, stop)
    }

    /// The datagram with this number arrives after so many milliseconds.
    fn arrive(call: &mut CallReceiver, number: u64, transit: u64) {
        let sent = START + MS(20 * number);
        call.on_datagram(&Received { now: sent + MS(transit), sent, number, bytes: 160 });
    }

    fn counts(heard: &Heard) -> [u64; 4] {
        [heard.datagrams, heard.lost, heard.late, heard.bursts]
    }

    /// By hand: sent at 100, 120, ... ms, and played 5 + 30 ms later. Of 0 to 9, 2, 3 and 6 are lost and 4 takes 36
    /// ms: late. When measuring ends at 355 ms, 11, sent at 320 ms, was to be played just then, and 10 before; 12 is
    /// not due.
    #[test]
    fn a_call_by_hand() {
        let mut call = receiver(30);
        for (number, transit) in [(0, 5), (1, 5), (4, 36), (5, 5), (7, 5), (8, 5), (9, 5)] {
            arrive(&mut call, number, transit);
        }
        let heard = call.heard(AT(355));
        assert_eq!(counts(&heard), [11, 4, 1, 3]);
        assert_eq!(counts(&call.heard(Instant::from_nanos(355_000_001))), [12, 5, 1, 3]);
        assert_eq!(heard.loss_ratio(), 5.0 / 11.0);
        // 5 in 3 bursts, of which each would have 11 / 6 at random: 1 at least.
        assert_eq!(heard.burst_ratio(), 1.0);
        assert_eq!(heard.mean_delay_s(), 0.035);
        // Differences of 0, 31, 31, 0, 0 and 0 ms.
        let j = [31.0 / 16.0, 31.0 / 16.0 * 15.0 / 16.0 + 31.0 / 16.0];
        let j5 = j[1] * 15.0 / 16.0;
        let sum = j[0] + j[1] + j5 + j5 * 15.0 / 16.0 + j5 * 225.0 / 256.0;
        let jitter = heard.mean_jitter_s().unwrap();
        assert!((jitter - sum / 7.0 * 1e-3).abs() < 1e-12, "{jitter}");
    }

    /// Measuring begins at 140 ms, when the datagram with number 2 is sent: 1 does not count, though it arrives later,
    /// and the loss of 3 and 4 is a burst: 2 of 4, so its length is 2 and that at random 1 / (1 - 1 / 2).
    #[test]
    fn the_measured_time_begins_with_what_is_sent_in_it() {
        let mut call = receiver(30);
        arrive(&mut call, 0, 5);
        call.measure_from(AT(140));
        for number in [1, 2, 5] {
            arrive(&mut call, number, 25);
        }
        let heard = call.heard(AT(210));
        assert_eq!(counts(&heard), [4, 2, 0, 1]);
        assert_eq!((heard.loss_ratio(), heard.burst_ratio()), (0.5, 1.0));
    }

    /// Until something arrives the playout buffer has the delay that it holds datagrams for: at 300 ms those before
    /// 270 ms were due, at 100, 120, ... 260 ms. The call ends at 200 ms.
    #[test]
    fn a_call_of_which_nothing_arrives() {
        let silent = receiver(30);
        assert_eq!(counts(&silent.heard(AT(300))), [9, 9, 0, 1]);
        assert_eq!(silent.heard(AT(300)).mean_jitter_s(), None);
        let short = call(Playout::Fixed, 30, AT(200));
        assert_eq!(counts(&short.heard(AT(300))), [5, 5, 0, 1]);
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Whatever arrives when: what is not late has arrived by the time it is played, all are counted once, and
        /// losses come in no more bursts than there are.
        #[test]
        fn nothing_is_played_before_it_arrives(
            transits in prop::collection::vec(prop::option::of(1..200_u64), 1..100),
            adaptive in any::<bool>(), hold in 0..100_u64,
        ) {
            let playout = if adaptive { Playout::Adaptive } else { Playout::Fixed };
            let mut call = call(playout, hold, Instant::NEVER);
            let (mut late, mut last) = (0, 0);
            for (number, transit) in (0..).zip(&transits) {
                if let Some(transit) = transit {
                    // Flows keep their order.
                    last = (*transit).max(last);
                    let mut buffer = call.buffer.clone();
                    late += u64::from(buffer.accept(MS(last)) < MS(last));
                    arrive(&mut call, number, last);
                }
            }
            let heard = call.heard(AT(1_000_000));
            let gaps = transits.iter().filter(|transit| transit.is_none()).count() as u64;
            let sent = call.sent_before(AT(1_000_000));
            prop_assert!(heard.datagrams <= sent);
            prop_assert_eq!(heard.late, late);
            prop_assert_eq!(heard.lost, heard.datagrams - transits.len() as u64 + gaps);
            prop_assert!(heard.bursts <= heard.lost + heard.late);
            prop_assert!(heard.burst_ratio() >= 1.0 && heard.loss_ratio() <= 1.0);
        }
    }
}
