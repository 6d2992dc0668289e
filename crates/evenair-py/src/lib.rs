//! `evenair._core`, the extension module of the Python package evenair.
//!
//! It converts values and calls evenair-sim. It adds what the engine must not have: threads, the
//! wall clock, and a check for Ctrl-C. A result crosses to Python as one JSON text, so that users
//! see its numbers exactly as Rust printed them.

mod air_trace;
mod application;
#[cfg(target_os = "linux")]
mod emulate;
mod error;
mod interrupt;
mod lab;
mod limiter;
mod phy;
mod pool;
mod prototype;
mod quantity;
mod scenario;

/// The extension module of evenair.
#[pyo3::pymodule]
mod _core {
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::air_trace::air_trace;
    #[pymodule_export]
    use super::application::{DatagramSource, StreamSession};
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::emulate::emulate;
    #[pymodule_export]
    use super::error::{RunError, ScenarioError};
    #[pymodule_export]
    use super::lab::{answer, read_no_files};
    #[pymodule_export]
    use super::limiter::AdaptiveRateLimiter;
    #[pymodule_export]
    use super::phy::Phy;
    #[pymodule_export]
    use super::pool::run_jobs;
    #[pymodule_export]
    use super::prototype::{
        AckEvent, Link, NextFrame, Packet, QueueContext, RandomStream, RateSample, SentEvent,
        Window, register_prototype,
    };
    #[pymodule_export]
    use super::quantity::quantity;
    #[pymodule_export]
    use super::scenario::Scenario;

    /// Incremented whenever the same scenario and seed give another result.
    #[pymodule_export]
    const RESULT_VERSION: u32 = evenair_sim::RESULT_VERSION;

    /// Words and units of metrics and of a scenario's keys, as JSON text.
    #[pymodule_export]
    const LABELS: &str = evenair_sim::LABELS;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::pool::record_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Return the name that a text is most likely meant to be; None if none is near, or several are.
    #[pyfunction]
    fn nearest(text: &str, names: Vec<String>) -> Option<String> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        evenair_core::component::message::nearest(text, &names).map(str::to_owned)
    }

    /// Return why flows starve: a list of diagnoses as JSON text, empty if none does.
    ///
    /// `result` is the JSON text of a result, or of several runs (`{"runs": [...]}`), whose means count.
    /// Raises ValueError if it is neither.
    #[pyfunction]
    fn explain(result: &str) -> PyResult<String> {
        let diagnoses = evenair_sim::explain_json(result)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(serde_json::json!(diagnoses).to_string())
    }

    /// Return where the delay of flows is as JSON text: "null" if that was not measured.
    ///
    /// `result` as of `explain`. Raises ValueError as well.
    #[pyfunction]
    fn explain_delays(result: &str) -> PyResult<String> {
        let explained = evenair_sim::explain_delays_json(result)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(serde_json::json!(explained).to_string())
    }

    /// Return every component that a scenario can name, as JSON text.
    ///
    /// Queue disciplines, congestion controls, the datagram transport, PHYs, modulations, schedulers,
    /// loss processes (kind "error"), applications and distributions, each with its parameters.
    #[pyfunction]
    fn parts() -> String {
        evenair_sim::parts().to_string()
    }

    /// Return the JSON Schema of a scenario, as JSON text.
    #[pyfunction]
    fn schema() -> String {
        evenair_sim::scenario::json_schema().to_string()
    }
}
