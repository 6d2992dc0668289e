//! Applications over UDP: when each of a flow's datagrams, which are all of one size, is sent.

use super::{Distribution, Draws};
use crate::component::{Accepts, Choice, Parameter, Part, Value};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// What runs over UDP, by the name that scenarios use. All take the flow's `rate`.
pub static DATAGRAMS: &[&Part] = &[&CBR, &POISSON, &ON_OFF];

static CBR: Part = Part {
    name: "cbr",
    summary: "a datagram of `segment` bytes at a constant interval, by the flow's `rate` (UDP)",
    source: "ns-2's Application/Traffic/CBR",
    ordered: &[],
    parameters: &[],
};

static POISSON: Part = Part {
    name: "poisson",
    summary: "datagrams of `segment` bytes with exponential gaps, at the flow's `rate` on average \
              (UDP)",
    source: "the Poisson process",
    ordered: &[],
    parameters: &[],
};

static ON_OFF: Part = Part {
    name: "on-off",
    summary: "datagrams of `segment` bytes at the flow's `rate` in on periods, none in off periods \
              (UDP)",
    source: "Tsiknas and Stamatelos 2012 (cross traffic of scenario 2); ns-2's \
             Application/Traffic/Pareto",
    ordered: &[],
    parameters: &[
        Parameter {
            name: "on",
            default: Value::Distribution(HALF_A_SECOND),
            accepts: Accepts::Times,
            meaning: "length of an on period; its mean is at least the interval of the datagrams",
        },
        Parameter {
            name: "off",
            default: Value::Distribution(HALF_A_SECOND),
            accepts: Accepts::Times,
            meaning: "length of an off period",
        },
    ],
};

/// Tsiknas and Stamatelos 2012: "the mean duration in on and off states is 500 msec"; the shape is
/// the default of ns-2's Application/Traffic/Pareto, for the paper gives none.
const HALF_A_SECOND: Distribution = Distribution::Pareto { mean: 0.5, shape: 1.5 };

/// When an application sends its datagrams.
#[derive(Clone, Debug)]
pub struct Datagrams {
    pattern: Pattern,
    /// Between two datagrams, at the flow's rate.
    interval: Duration,
    next: Instant,
}

#[derive(Clone, Debug)]
enum Pattern {
    Constant,
    Poisson(RngStream),
    /// A clock that runs in on periods alone makes a datagram at each `interval`, so that the rate
    /// in the long run is exactly the share of the on periods, however short they are.
    OnOff {
        on: Draws,
        off: Draws,
        /// Of the present on period, counted from `next`.
        left: Duration,
    },
}

impl Datagrams {
    /// The chosen application from `start` on, `interval` apart at the flow's rate; `flow` is its
    /// index in the run.
    ///
    /// The first datagram leaves at `start`, or with "poisson" a first gap later.
    ///
    /// # Panics
    /// If the choice is not from [`DATAGRAMS`].
    pub fn new(choice: &Choice, interval: Duration, start: Instant, seed: u64, flow: u32) -> Self {
        let stream = |number| RngStream::new(seed, StreamId::Traffic, 2 * u64::from(flow) + number);
        let pattern = match choice.name() {
            name if name == CBR.name => Pattern::Constant,
            name if name == POISSON.name => Pattern::Poisson(stream(0)),
            name if name == ON_OFF.name => {
                let mut on = Draws::new(choice.distribution("on").clone(), stream(0));
                let off = Draws::new(choice.distribution("off").clone(), stream(1));
                let left = Duration::from_secs_f64(on.draw());
                Pattern::OnOff { on, off, left }
            }
            other => panic!("no application over UDP is called {other}"),
        };
        let waits = matches!(pattern, Pattern::Poisson(_));
        let mut datagrams = Self { pattern, interval, next: start };
        if waits {
            datagrams.advance();
        }
        datagrams
    }

    /// When the next datagram is to be sent.
    pub fn next(&self) -> Instant {
        self.next
    }

    /// It has been sent.
    pub fn advance(&mut self) {
        match &mut self.pattern {
            Pattern::Constant => self.next += self.interval,
            Pattern::Poisson(stream) => {
                self.next +=
                    Duration::from_secs_f64(stream.exponential(self.interval.as_secs_f64()));
            }
            Pattern::OnOff { on, off, left } => {
                let mut missing = self.interval;
                while *left < missing {
                    missing = missing - *left;
                    self.next += *left;
                    self.next += Duration::from_secs_f64(off.draw());
                    *left = Duration::from_secs_f64(on.draw());
                }
                self.next += missing;
                *left = *left - missing;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// When the first `count` datagrams leave, in seconds.
    fn times(choice: &Choice, interval: Duration, count: usize) -> Vec<f64> {
        let mut datagrams = Datagrams::new(choice, interval, Instant::ZERO, 1, 0);
        let mut next = || {
            let at = datagrams.next().as_secs_f64();
            datagrams.advance();
            at
        };
        (0..count).map(|_| next()).collect()
    }

    fn on_off(on: Distribution, off: Distribution) -> Choice {
        let choice = Choice::new(&ON_OFF).with("on", Value::Distribution(on));
        choice.with("off", Value::Distribution(off))
    }

    /// A chi-square test in 20 classes of equal probability: 19 degrees of freedom, 99.9% quantile
    /// 43.8. The mean gap, 2 ms, is within 3.3 standard errors (99.9%).
    #[test]
    fn gaps_of_a_poisson_process_are_exponential() {
        let times = times(&Choice::new(&POISSON), MS(2), 100_001);
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let n = gaps.len() as f64;
        let mut counts = [0.0; 20];
        for gap in &gaps {
            counts[(-libm::expm1(-gap / 0.002) * 20.0) as usize] += 1.0;
        }
        let chi2: f64 = counts.iter().map(|c| (c - n / 20.0).powi(2) / (n / 20.0)).sum();
        assert!(chi2 < 43.8, "chi-square {chi2}");
        let mean = gaps.iter().sum::<f64>() / n;
        assert!((mean / 0.002 - 1.0).abs() < 3.3 / n.sqrt(), "{mean}");
    }

    /// By hand: on for 25 ms, off for 100 ms, a datagram at each 10 ms of on time. The third
    /// datagram leaves 20 ms into the first on period, the fourth after 5 ms more, the off period,
    /// and 5 ms of the second one.
    #[test]
    fn an_off_period_stops_the_clock() {
        let constant = |mean| Distribution::Deterministic { mean };
        let times = times(&on_off(constant(0.025), constant(0.1)), MS(10), 7);
        assert_eq!(times, [0.0, 0.01, 0.02, 0.13, 0.14, 0.15, 0.26]);
    }

    /// With exponential periods of means a and b the on time among a time t has the variance
    /// 2 a^2 b^2 t / (a + b)^3 for long t (renewal theory: Cox 1962, section 7.4). Within 3.3
    /// standard errors (99.9%) of a / (a + b), over some 20,000 periods each.
    #[test]
    fn the_mean_rate_is_the_share_of_the_on_periods() {
        let (a, b) = (0.5, 0.25);
        let exponential = |mean| Distribution::Exponential { mean };
        let count = 1_000_000;
        let times = times(&on_off(exponential(a), exponential(b)), MS(10), count);
        let time = times[count - 1];
        let share = count as f64 * 0.01 / time;
        let standard_error = (2.0 * a * a * b * b / ((a + b) * (a + b) * (a + b) * time)).sqrt();
        assert!((share - a / (a + b)).abs() < 3.3 * standard_error, "{share}");
    }

    /// The cross traffic of Tsiknas and Stamatelos 2012: half of the rate in the long run. With
    /// infinite variance there is no standard error; means of n draws of shape 1.5 spread as
    /// n^(-1/3), 1% for the million periods here, so the bar of 5% is for gross errors alone.
    #[test]
    fn the_default_sends_at_half_the_rate() {
        let times = times(&Choice::new(&ON_OFF), MS(250), 2_000_000);
        let share = times.len() as f64 * 0.25 / times[times.len() - 1];
        assert!((share - 0.5).abs() < 0.025, "{share}");
    }
}
