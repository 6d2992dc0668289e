//! Quantities with units, read by the rules of scenario files.

use evenair_sim::scenario::{BitRate, Bytes, Hertz, Seconds};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

/// Read a quantity as a scenario does: a number with a unit, or a plain number.
///
/// `kind` is "rate" (bit/s), "time" (seconds), "size" (bytes) or "frequency" (Hz). Raises ValueError,
/// which says what was given and what is accepted.
#[pyfunction]
pub fn quantity(kind: &str, text: &str) -> PyResult<f64> {
    let value = match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Value::from(number),
        _ => Value::from(text),
    };
    let read = match kind {
        "rate" => serde_json::from_value(value).map(|rate: BitRate| rate.as_bps() as f64),
        "time" => {
            // A division, because 1e-9 is no binary fraction: this gives 0.1 for 100 ms.
            let seconds = |time: Seconds| time.duration().as_nanos() as f64 / 1e9;
            serde_json::from_value(value).map(seconds)
        }
        "size" => serde_json::from_value(value).map(|size: Bytes| size.as_u64() as f64),
        "frequency" => serde_json::from_value(value).map(|hertz: Hertz| hertz.as_u64() as f64),
        _ => {
            let problem = format!("got {kind:?}, expected rate, time, size, frequency");
            return Err(PyValueError::new_err(problem));
        }
    };
    read.map_err(|error| PyValueError::new_err(error.to_string()))
}
