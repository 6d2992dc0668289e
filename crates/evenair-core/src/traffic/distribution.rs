//! Distributions of times and sizes, sampled exactly: by inversion, and the lognormal one by the
//! method of Box and Muller (1958).

use std::sync::Arc;

use crate::component::{Accepts, Parameter, Part, Value};
use crate::rng::RngStream;

/// A distribution of a quantity that is never negative, in seconds or bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always the mean.
    Deterministic {
        /// What is always drawn.
        mean: f64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// Uniform from 0 to twice the mean.
    Uniform {
        /// The mean.
        mean: f64,
    },
    /// Pareto's first kind, P(X > x) = (m / x)^shape from the minimum
    /// m = mean (shape - 1) / shape on, as ns-2's `RandomVariable/Pareto`.
    Pareto {
        /// The mean.
        mean: f64,
        /// The tail's exponent, above 1; up to 2 the variance is infinite.
        shape: f64,
    },
    /// The exponential of a normal variable.
    Lognormal {
        /// The mean of what is drawn, not of its logarithm.
        mean: f64,
        /// The standard deviation of its logarithm.
        sigma: f64,
    },
    /// These values one after the other, and again from the first.
    Trace {
        /// The values; at least one.
        values: Arc<[f64]>,
    },
}

/// The families by the name that scenarios use, with the parameters that they have besides the
/// mean (a trace has its values instead).
pub static FAMILIES: &[&Part] = &[
    &Part {
        name: "deterministic",
        summary: "always the mean; a plain quantity says the same",
        source: "",
        ordered: &[],
        parameters: &[],
    },
    &Part {
        name: "exponential",
        summary: "exponential, by its mean",
        source: "",
        ordered: &[],
        parameters: &[],
    },
    &Part {
        name: "uniform",
        summary: "uniform from 0 to twice the mean",
        source: "",
        ordered: &[],
        parameters: &[],
    },
    &Part {
        name: "pareto",
        summary: "Pareto's first kind: heavy-tailed, from a minimum of mean (shape - 1) / shape on",
        source: "ns-2's RandomVariable/Pareto",
        ordered: &[],
        parameters: &[Parameter {
            name: "shape",
            default: Value::Number(1.5),
            // At 1 there is no mean; at 1.01 the minimum is already a hundredth of it.
            accepts: Accepts::Number(1.01, 100.0),
            meaning: "exponent of the tail; up to 2 the variance is infinite",
        }],
    },
    &Part {
        name: "lognormal",
        summary: "the exponential of a normal variable, by its own mean",
        source: "",
        ordered: &[],
        parameters: &[Parameter {
            name: "sigma",
            default: Value::Number(1.0),
            // Beyond, nearly all draws are next to nothing.
            accepts: Accepts::Number(0.0, 5.0),
            meaning: "standard deviation of the logarithm",
        }],
    },
    &Part {
        name: "trace",
        summary: "the values of a list, or of a file with one in each line, in turn and repeated",
        source: "",
        ordered: &[],
        parameters: &[],
    },
];

impl Distribution {
    /// The family of that name with that mean and the family's own parameter, if it has one.
    /// `None` for a name that is none of a family with a mean.
    pub fn of(family: &str, mean: f64, own: f64) -> Option<Self> {
        Some(match family {
            "deterministic" => Self::Deterministic { mean },
            "exponential" => Self::Exponential { mean },
            "uniform" => Self::Uniform { mean },
            "pareto" => Self::Pareto { mean, shape: own },
            "lognormal" => Self::Lognormal { mean, sigma: own },
            _ => return None,
        })
    }

    /// The family.
    pub fn family(&self) -> &'static Part {
        FAMILIES[match self {
            Self::Deterministic { .. } => 0,
            Self::Exponential { .. } => 1,
            Self::Uniform { .. } => 2,
            Self::Pareto { .. } => 3,
            Self::Lognormal { .. } => 4,
            Self::Trace { .. } => 5,
        }]
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Deterministic { mean }
            | Self::Exponential { mean }
            | Self::Uniform { mean }
            | Self::Pareto { mean, .. }
            | Self::Lognormal { mean, .. } => *mean,
            Self::Trace { values } => values.iter().sum::<f64>() / values.len() as f64,
        }
    }

    /// The value of the family's own parameter.
    pub fn own(&self) -> Option<f64> {
        match self {
            Self::Pareto { shape, .. } => Some(*shape),
            Self::Lognormal { sigma, .. } => Some(*sigma),
            _ => None,
        }
    }
}

/// What is drawn from a distribution, one value after the other, with a random stream of its own.
#[derive(Clone, Debug)]
pub struct Draws {
    distribution: Distribution,
    stream: RngStream,
    /// How many values of a trace have been taken.
    taken: usize,
}

impl Draws {
    /// Nothing drawn yet.
    pub fn new(distribution: Distribution, stream: RngStream) -> Self {
        Self { distribution, stream, taken: 0 }
    }

    /// The next value.
    pub fn draw(&mut self) -> f64 {
        let stream = &mut self.stream;
        match &self.distribution {
            Distribution::Deterministic { mean } => *mean,
            Distribution::Exponential { mean } => stream.exponential(*mean),
            Distribution::Uniform { mean } => 2.0 * mean * stream.uniform(),
            Distribution::Pareto { mean, shape } => {
                let least = mean * (shape - 1.0) / shape;
                // 1 - U is in (0, 1], so that nothing is infinite.
                least * libm::pow(1.0 - stream.uniform(), -1.0 / shape)
            }
            Distribution::Lognormal { mean, sigma } => {
                let radius = libm::sqrt(stream.exponential(2.0));
                let angle = 2.0 * std::f64::consts::PI * stream.uniform();
                let normal = radius * libm::cos(angle);
                mean * libm::exp(sigma * normal - sigma * sigma / 2.0)
            }
            Distribution::Trace { values } => {
                let value = values[self.taken % values.len()];
                self.taken += 1;
                value
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::StreamId;

    const DRAWS: usize = 100_000;

    fn draws(distribution: &Distribution) -> Vec<f64> {
        let stream = RngStream::new(1, StreamId::Traffic, 0);
        let mut draws = Draws::new(distribution.clone(), stream);
        (0..DRAWS).map(|_| draws.draw()).collect()
    }

    /// Kolmogorov's statistic, the largest distance between the empirical distribution and `cdf`,
    /// times sqrt(n). Its 99.9% quantile is 1.949 (Smirnov 1948).
    fn kolmogorov(mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        values.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        let distance = values.iter().enumerate().map(|(i, &x)| {
            let (i, f) = (i as f64, cdf(x));
            (f - i / n).max((i + 1.0) / n - f)
        });
        distance.fold(0.0, f64::max) * n.sqrt()
    }

    /// Kolmogorov-Smirnov tests at 99.9% over 100,000 draws, against the textbook's distribution
    /// functions (Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 1994).
    #[test]
    fn each_family_has_its_distribution_function() {
        let normal = |z: f64| 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
        let pareto = |least: f64, shape: f64| {
            move |x: f64| if x < least { 0.0 } else { 1.0 - libm::pow(least / x, shape) }
        };
        let statistic = |distribution, cdf: &dyn Fn(f64) -> f64| {
            let statistic = kolmogorov(draws(&distribution), cdf);
            assert!(statistic < 1.949, "{distribution:?}: {statistic}");
        };
        let mean = 2.0;
        statistic(Distribution::Exponential { mean }, &|x| -libm::expm1(-x / 2.0));
        statistic(Distribution::Uniform { mean }, &|x| (x / 4.0).clamp(0.0, 1.0));
        // Minima by hand: 2 * 0.5 / 1.5, and 2 * 2 / 3.
        statistic(Distribution::Pareto { mean, shape: 1.5 }, &pareto(2.0 / 3.0, 1.5));
        statistic(Distribution::Pareto { mean, shape: 3.0 }, &pareto(4.0 / 3.0, 3.0));
        // The logarithm's mean is ln 2 - sigma^2 / 2.
        for sigma in [0.5, 1.0] {
            let mu = libm::log(2.0) - sigma * sigma / 2.0;
            let cdf = |x| normal((libm::log(x) - mu) / sigma);
            statistic(Distribution::Lognormal { mean, sigma }, &cdf);
        }
    }

    /// Where the variance is finite: within 3.3 standard errors (99.9%).
    #[test]
    fn each_family_has_its_mean() {
        let mean = 30_000.0;
        let variance_1 = libm::exp(1.0) - 1.0;
        for (distribution, relative_variance) in [
            (Distribution::Exponential { mean }, 1.0),
            (Distribution::Uniform { mean }, 1.0 / 3.0),
            // 1 / (shape (shape - 2))
            (Distribution::Pareto { mean, shape: 3.0 }, 1.0 / 3.0),
            (Distribution::Lognormal { mean, sigma: 1.0 }, variance_1),
        ] {
            assert_eq!(distribution.mean(), mean);
            let measured = draws(&distribution).iter().sum::<f64>() / DRAWS as f64;
            let standard_error = (relative_variance / DRAWS as f64).sqrt();
            let error = measured / mean - 1.0;
            assert!(error.abs() < 3.3 * standard_error, "{distribution:?}: {measured}");
        }
    }

    #[test]
    fn constants_and_traces_are_no_matter_of_chance() {
        let constant = Distribution::Deterministic { mean: 3.0 };
        assert!(draws(&constant).iter().all(|&x| x == 3.0));
        let trace = Distribution::Trace { values: [1.0, 5.0, 3.0].into() };
        assert_eq!(draws(&trace)[..7], [1.0, 5.0, 3.0, 1.0, 5.0, 3.0, 1.0]);
        assert_eq!(trace.mean(), 3.0);
    }
}
