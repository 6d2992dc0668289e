//! Playout buffers: how long the receiver of speech waits before it plays a datagram.

use crate::component::named;
use crate::time::Duration;

named! {
    /// How a playout buffer chooses its delay.
    pub enum Playout {
        /// The first datagram of the call waits for a set time, and all others keep its delay.
        #[default]
        Fixed => "fixed",
        /// The delay follows the mean and the variation of the network's (Ramjee, Kurose, Towsley and Schulzrinne
        /// 1994, algorithm 1).
        Adaptive => "adaptive",
    }
    planned []
}

/// The weight of the past in the estimates of Ramjee et al. 1994.
const ALPHA: f64 = 0.998_002;
/// How many mean deviations the delay is above the mean there.
const DEVIATIONS: f64 = 4.0;

/// The delays of datagrams from being sent to being played.
///
/// Ramjee et al. change the delay where a talkspurt begins. A call here has no silences, so it changes with each
/// datagram, as in receivers that stretch and shorten speech (Liang, Färber and Girod 2003).
#[derive(Clone, Debug)]
pub struct PlayoutBuffer {
    playout: Playout,
    /// For how long the first datagram waits, if the delay is fixed.
    hold: Duration,
    /// Mean of the network's delay and its mean deviation, seconds.
    estimate: Option<[f64; 2]>,
    delay: Duration,
}

impl PlayoutBuffer {
    /// Before the first datagram. `hold` is for [`Playout::Fixed`].
    pub fn new(playout: Playout, hold: Duration) -> Self {
        let delay = match playout {
            Playout::Fixed => hold,
            Playout::Adaptive => Duration::ZERO,
        };
        Self { playout, hold, estimate: None, delay }
    }

    /// From when the next datagram is sent until it is played, or would be.
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// A datagram has crossed the network in this time. Returns when it is played, from when it was sent, or would
    /// have been; it is not played if that is less.
    pub fn accept(&mut self, network: Duration) -> Duration {
        let seconds = network.as_secs_f64();
        match (self.playout, self.estimate) {
            (Playout::Fixed, None) => {
                self.estimate = Some([seconds, 0.0]);
                self.delay = network + self.hold;
            }
            (Playout::Fixed, Some(_)) => {}
            // The paper leaves open how to begin: here as RFC 6298 section 2.2, with half of the delay.
            (Playout::Adaptive, None) => self.follow([seconds, seconds / 2.0]),
            (Playout::Adaptive, Some([mean, deviation])) => {
                let delay = self.delay;
                let mean = ALPHA * mean + (1.0 - ALPHA) * seconds;
                let deviation = ALPHA * deviation + (1.0 - ALPHA) * (mean - seconds).abs();
                self.follow([mean, deviation]);
                return delay;
            }
        }
        self.delay
    }

    fn follow(&mut self, estimate: [f64; 2]) {
        let [mean, deviation] = estimate;
        self.estimate = Some(estimate);
        self.delay = Duration::from_secs_f64(mean + DEVIATIONS * deviation);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn a_fixed_delay_is_that_of_the_first_datagram() {
        let mut buffer = PlayoutBuffer::new(Playout::Fixed, MS(60));
        assert_eq!([8, 100, 1].map(|ms| buffer.accept(MS(ms))), [MS(68); 3]);
    }

    /// By hand: 10 ms, then 30 ms. The mean is 10 + 0.001998 * 20 = 10.03996 ms, the deviation 0.998002 * 5 + 0.001998
    /// * 19.96004 = 5.02989016 ms, and the delay 30.15952064 ms.
    #[test]
    fn an_adaptive_delay_by_hand() {
        let mut buffer = PlayoutBuffer::new(Playout::Adaptive, MS(60));
        assert_eq!([buffer.accept(MS(10)), buffer.accept(MS(30))], [MS(30); 2]);
        assert_eq!(buffer.delay(), Duration::from_nanos(30_159_521));
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Where the network's delay does not change, it ends there: less than 1 % of the first deviation is left
        /// after 2303 datagrams (ln 100 / 0.001998 = 2304.9).
        #[test]
        fn an_adaptive_delay_ends_at_a_constant_delay(ms in 1..1000_u64) {
            let mut buffer = PlayoutBuffer::new(Playout::Adaptive, Duration::ZERO);
            for _ in 0..2306 {
                prop_assert!(buffer.accept(MS(ms)) >= MS(ms));
            }
            prop_assert!(buffer.delay().as_secs_f64() < ms as f64 * 1e-3 * 1.02 + 1e-9);
        }
    }
}
