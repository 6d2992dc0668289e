//! The random stream of a component.

use evenair_core::rng::RngStream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Random numbers of one component in one run; they follow from the run's seed alone.
#[pyclass(module = "evenair._core")]
pub struct RandomStream {
    stream: RngStream,
}

impl RandomStream {
    pub(super) fn new(stream: RngStream) -> Self {
        Self { stream }
    }
}

#[pymethods]
impl RandomStream {
    /// 64 uniform bits.
    fn next_u64(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A uniform integer from 0 to `largest`, at most 2^32 - 1.
    fn up_to(&mut self, largest: u32) -> u32 {
        self.stream.up_to(largest)
    }

    /// A uniform number from 0 to below 1.
    fn uniform(&mut self) -> f64 {
        self.stream.uniform()
    }

    /// True with this probability.
    fn bernoulli(&mut self, probability: f64) -> PyResult<bool> {
        if !(0.0..=1.0).contains(&probability) {
            let problem = format!("probability: got {probability}, expected 0 to 1");
            return Err(PyValueError::new_err(problem));
        }
        Ok(self.stream.bernoulli(probability))
    }

    /// An exponential number with this mean.
    fn exponential(&mut self, mean: f64) -> PyResult<f64> {
        if !(mean >= 0.0 && mean.is_finite()) {
            return Err(PyValueError::new_err(format!("mean: got {mean}, expected from 0")));
        }
        Ok(self.stream.exponential(mean))
    }
}
