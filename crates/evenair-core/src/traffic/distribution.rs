//! Distributions of times and sizes. Samples are exact: by inversion, and for the lognormal
//! distribution by the method of Box and Muller (1958).

use std::sync::Arc;

use crate::component::{
    Component, Configuration, Parameter, Parameters, Value, configuration, number, registry,
};
use crate::rng::RngStream;

configuration! {
    /// No parameters besides the mean.
    pub struct DeterministicConfig {
        name: "deterministic",
        summary: "always the mean; a plain quantity says the same",
        source: "",
    }
}

configuration! {
    /// No parameters besides the mean.
    pub struct ExponentialConfig {
        name: "exponential",
        summary: "exponential, by its mean",
        source: "",
    }
}

configuration! {
    /// No parameters besides the mean.
    pub struct UniformConfig {
        name: "uniform",
        summary: "uniform from 0 to twice the mean",
        source: "",
    }
}

configuration! {
    /// Parameters of the Pareto distribution of the first kind, P(X > x) = (m / x)^shape for x >=
    /// m, with the minimum m = mean (shape - 1) / shape, as in ns-2's `RandomVariable/Pareto`.
    pub struct ParetoConfig {
        name: "pareto",
        summary: "Pareto's first kind: heavy-tailed, from a minimum of mean (shape - 1) / shape on",
        source: "ns-2's RandomVariable/Pareto",
    }
    /// exponent of the tail; up to 2 the variance is infinite
    // At a shape of 1 the mean is infinite; at 1.01 the minimum is a hundredth of the mean.
    shape: f64 = 1.5, number(1.01..=100.0);
}

configuration! {
    /// Parameters of the lognormal distribution. The mean is that of the values, not of their
    /// logarithms.
    pub struct LognormalConfig {
        name: "lognormal",
        summary: "the exponential of a normal variable, by its own mean",
        source: "",
    }
    /// standard deviation of the logarithm
    // Above 5, nearly all samples are close to zero.
    sigma: f64 = 1.0, number(0.0..=5.0);
}

/// The values of a trace, returned in order and repeated from the first. They are given instead of
/// a mean, and are not a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceConfig {
    values: Arc<[f64]>,
}

impl Default for TraceConfig {
    fn default() -> Self {
        Self { values: [0.0].into() }
    }
}

impl Parameters for TraceConfig {
    fn visit(&self, _visitor: &mut dyn FnMut(&'static Parameter, Value)) {}

    fn assign(&mut self, _name: &str, _value: Value) -> bool {
        false
    }
}

impl Configuration for TraceConfig {
    const COMPONENT: &'static Component = &Component {
        name: "trace",
        summary: "the values of a list, or of a file with one in each line, in turn and repeated",
        source: "",
        aliases: &[],
        ordered: &[],
    };
}

registry! {
    /// A family of distributions, with its parameters besides the mean.
    pub enum Family {
        Deterministic(DeterministicConfig),
        Exponential(ExponentialConfig),
        Uniform(UniformConfig),
        Pareto(ParetoConfig),
        Lognormal(LognormalConfig),
        Trace(TraceConfig),
    }
    kind "distribution", noun "distribution", planned &[]
}

/// The distribution of a quantity that is never negative, in seconds or bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    family: Family,
    mean: f64,
}

impl Distribution {
    /// Creates a distribution of a family with this mean. For a trace `mean` is ignored: the mean
    /// is that of its values.
    pub fn new(family: Family, mean: f64) -> Self {
        match family {
            Family::Trace(trace) => Self::trace(trace.values),
            family => Self { family, mean },
        }
    }

    /// The constant `mean`.
    pub const fn constant(mean: f64) -> Self {
        Self { family: Family::Deterministic(DeterministicConfig {}), mean }
    }

    /// Exponential.
    pub const fn exponential(mean: f64) -> Self {
        Self { family: Family::Exponential(ExponentialConfig {}), mean }
    }

    /// Uniform from 0 to twice the mean.
    pub const fn uniform(mean: f64) -> Self {
        Self { family: Family::Uniform(UniformConfig {}), mean }
    }

    /// Pareto of the first kind; `shape` must be above 1.
    pub const fn pareto(mean: f64, shape: f64) -> Self {
        Self { family: Family::Pareto(ParetoConfig { shape }), mean }
    }

    /// Lognormal; `sigma` is the standard deviation of the logarithm.
    pub const fn lognormal(mean: f64, sigma: f64) -> Self {
        Self { family: Family::Lognormal(LognormalConfig { sigma }), mean }
    }

    /// These values in order, repeated; at least one.
    pub fn trace(values: Arc<[f64]>) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self { family: Family::Trace(TraceConfig { values }), mean }
    }

    /// The family and its parameters.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The values of a trace; `None` for the other families.
    pub fn trace_values(&self) -> Option<&[f64]> {
        match &self.family {
            Family::Trace(trace) => Some(&trace.values),
            _ => None,
        }
    }
}

/// A sampler of a distribution, with its own random stream.
#[derive(Clone, Debug)]
pub struct Draws {
    distribution: Distribution,
    stream: RngStream,
    /// Number of trace values returned so far.
    taken: usize,
}

impl Draws {
    /// Creates a sampler.
    pub fn new(distribution: Distribution, stream: RngStream) -> Self {
        Self { distribution, stream, taken: 0 }
    }

    /// The mean of the distribution.
    pub fn mean(&self) -> f64 {
        self.distribution.mean
    }

    /// The next value.
    pub fn draw(&mut self) -> f64 {
        let (stream, mean) = (&mut self.stream, self.distribution.mean);
        match &self.distribution.family {
            Family::Deterministic(_) => mean,
            Family::Exponential(_) => stream.exponential(mean),
            Family::Uniform(_) => 2.0 * mean * stream.uniform(),
            Family::Pareto(ParetoConfig { shape }) => {
                let least = mean * (shape - 1.0) / shape;
                // 1 - U is in (0, 1], so the result is finite.
                least * libm::pow(1.0 - stream.uniform(), -1.0 / shape)
            }
            Family::Lognormal(LognormalConfig { sigma }) => {
                let radius = libm::sqrt(stream.exponential(2.0));
                let angle = 2.0 * std::f64::consts::PI * stream.uniform();
                let normal = radius * libm::cos(angle);
                mean * libm::exp(sigma * normal - sigma * sigma / 2.0)
            }
            Family::Trace(TraceConfig { values }) => {
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

    /// Kolmogorov-Smirnov tests at 99.9% over 100,000 draws, against the published distribution
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
        statistic(Distribution::exponential(mean), &|x| -libm::expm1(-x / 2.0));
        statistic(Distribution::uniform(mean), &|x| (x / 4.0).clamp(0.0, 1.0));
        // Minima by hand: 2 * 0.5 / 1.5, and 2 * 2 / 3.
        statistic(Distribution::pareto(mean, 1.5), &pareto(2.0 / 3.0, 1.5));
        statistic(Distribution::pareto(mean, 3.0), &pareto(4.0 / 3.0, 3.0));
        // The logarithm's mean is ln 2 - sigma^2 / 2.
        for sigma in [0.5, 1.0] {
            let mu = libm::log(2.0) - sigma * sigma / 2.0;
            let cdf = |x| normal((libm::log(x) - mu) / sigma);
            statistic(Distribution::lognormal(mean, sigma), &cdf);
        }
    }

    /// Families with finite variance: the sample mean is within 3.3 standard errors (99.9%).
    #[test]
    fn each_family_has_its_mean() {
        let mean = 30_000.0;
        let variance_1 = libm::exp(1.0) - 1.0;
        for (distribution, relative_variance) in [
            (Distribution::exponential(mean), 1.0),
            (Distribution::uniform(mean), 1.0 / 3.0),
            // 1 / (shape (shape - 2))
            (Distribution::pareto(mean, 3.0), 1.0 / 3.0),
            (Distribution::lognormal(mean, 1.0), variance_1),
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
        let constant = Distribution::constant(3.0);
        assert!(draws(&constant).iter().all(|&x| x == 3.0));
        let trace = Distribution::trace([1.0, 5.0, 3.0].into());
        assert_eq!(draws(&trace)[..7], [1.0, 5.0, 3.0, 1.0, 5.0, 3.0, 1.0]);
        assert_eq!(trace.mean(), 3.0);
    }
}
