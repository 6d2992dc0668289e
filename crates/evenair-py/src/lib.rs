//! `evenair._core`, the extension module behind the Python package `evenair`.
//!
//! It converts and forwards; what it adds to the simulator is what only a driver may have:
//! threads, a wall clock, and an ear for Ctrl-C. Documents cross the border as JSON text, so that
//! a result's numbers reach the user as Rust printed them.

mod pool;

use pyo3::exceptions::{PyRuntimeError, PyValueError};

pyo3::create_exception!(
    evenair._core,
    ScenarioError,
    PyValueError,
    "A scenario is not valid. The message names source, field, value and what is accepted."
);

pyo3::create_exception!(
    evenair._core,
    RunError,
    PyRuntimeError,
    "A run failed. The message names the scenario and the seed that reproduce it."
);

/// The native part of evenair.
#[pyo3::pymodule]
mod _core {
    use std::path::PathBuf;
    use std::sync::Arc;

    use evenair_sim::scenario::{self, Scenario};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::pybacked::PyBackedStr;
    use serde_json::Value;

    use crate::pool::{self, Job};

    #[pymodule_export]
    use super::{RunError, ScenarioError};

    /// Changes whenever the same scenario and seed give another result.
    #[pymodule_export]
    const RESULT_VERSION: u32 = evenair_sim::RESULT_VERSION;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        pool::keep_panics_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Read a TOML document; `source` names it in errors. Returns it as JSON text, unresolved.
    #[pyfunction]
    fn from_toml(data: &[u8], source: &str) -> PyResult<String> {
        let document = scenario::document_from_toml(data, source).map_err(invalid)?;
        Ok(document.to_string())
    }

    /// Set dotted keys of a JSON document to values written as on the command line.
    #[pyfunction]
    fn apply(document: &str, overrides: Vec<(String, String)>, source: &str) -> PyResult<String> {
        let mut document = parse(document, source)?;
        for (key, value) in &overrides {
            scenario::set(&mut document, key, value, source).map_err(invalid)?;
        }
        Ok(document.to_string())
    }

    /// Check a JSON document and fill in every default. Returns the resolved scenario as JSON text.
    #[pyfunction]
    fn resolve(document: &str, source: &str) -> PyResult<String> {
        to_json(&scenario(document, source)?)
    }

    /// Run jobs, each a resolved scenario as JSON text and a seed, on `threads` threads.
    ///
    /// Calls `on_result(index of the job, result as JSON text)` on this thread as runs finish. A
    /// run that fails does not stop the others: `RunError` is raised for the first of them when
    /// all are done. An exception in `on_result`, or Ctrl-C, stops everything at once.
    ///
    /// `pcap` names the capture file of the only job: the air goes to `x.pcapng`, the wire to
    /// `x-wire.pcapng`.
    #[pyfunction]
    fn run_many(
        py: Python<'_>,
        jobs: Vec<(PyBackedStr, u64)>,
        threads: usize,
        on_result: Py<PyAny>,
        pcap: Option<PathBuf>,
    ) -> PyResult<()> {
        if threads == 0 {
            return Err(PyValueError::new_err("threads: got 0, at least 1 is needed"));
        }
        if pcap.is_some() && jobs.len() != 1 {
            return Err(PyValueError::new_err("pcap: a capture is of one run"));
        }
        let mut runs: Vec<Job> = Vec::with_capacity(jobs.len());
        for (index, (document, seed)) in jobs.iter().enumerate() {
            // Mostly the same scenario comes with many seeds: it is read once.
            let scenario = match runs.last() {
                Some(last) if jobs[index - 1].0 == *document => last.scenario.clone(),
                _ => Arc::new(scenario(document, "scenario")?),
            };
            runs.push(Job { scenario, seed: *seed });
        }
        pool::run(py, &runs, threads, &on_result, pcap)
    }

    /// Every queue discipline, congestion control, PHY and application, as JSON text.
    #[pyfunction]
    fn parts() -> String {
        evenair_sim::parts().to_string()
    }

    /// The JSON Schema of a scenario, as JSON text.
    #[pyfunction]
    fn schema() -> String {
        scenario::json_schema().to_string()
    }

    fn scenario(document: &str, source: &str) -> PyResult<Scenario> {
        scenario::resolve(parse(document, source)?, source).map_err(invalid)
    }

    fn parse(document: &str, source: &str) -> PyResult<Value> {
        serde_json::from_str(document)
            .map_err(|error| ScenarioError::new_err(format!("{source}: not JSON: {error}")))
    }

    fn to_json(scenario: &Scenario) -> PyResult<String> {
        serde_json::to_string(scenario).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn invalid(error: scenario::ScenarioError) -> PyErr {
        ScenarioError::new_err(error.to_string())
    }
}
