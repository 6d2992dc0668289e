//! `evenair._core`, the extension module behind the Python package `evenair`.
//!
//! It converts and forwards; what it adds to the simulator is what only a driver may have:
//! threads, a wall clock, and an ear for Ctrl-C. Documents cross the border as JSON text, so that
//! a result's numbers reach the user as Rust printed them.

mod phy;
mod pool;
mod quantity;

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

    use crate::pool::{self, Driver, Job, Outcome};

    #[pymodule_export]
    use super::phy::Phy;
    #[pymodule_export]
    use super::quantity::quantity;
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
        let mut scenarios = Cache::default();
        let jobs = (jobs.into_iter())
            .map(|(document, seed)| Ok(Job { scenario: Ok(scenarios.get(document)?), seed }))
            .collect::<PyResult<Vec<Job>>>()?;
        let mut driver = List { jobs: jobs.into_iter(), on_result, failed: None };
        pool::run(py, &mut driver, threads, pcap)?;
        driver.failed.map_or(Ok(()), |(_, reason)| Err(RunError::new_err(reason)))
    }

    /// Run what an iterator yields, pairs of a resolved scenario as JSON text and a seed.
    ///
    /// The iterator is asked a little ahead of what `threads` threads run, so that it may be long.
    /// Calls `on_results([(index of the job, result as JSON text or None, error or None), ...])` on
    /// this thread with whatever has finished since the last call. Neither a run that fails nor a
    /// scenario that is not valid stops the others; an exception in the iterator or in
    /// `on_results`, or Ctrl-C, stops everything at once.
    #[pyfunction]
    fn run_stream(jobs: &Bound<'_, PyAny>, threads: usize, on_results: Py<PyAny>) -> PyResult<()> {
        if threads == 0 {
            return Err(PyValueError::new_err("threads: got 0, at least 1 is needed"));
        }
        let iterator = jobs.try_iter()?.into_any().unbind();
        let mut driver = Stream { iterator, on_results, scenarios: Cache::default() };
        pool::run(jobs.py(), &mut driver, threads, None)
    }

    /// The jobs of `run_many`.
    struct List {
        jobs: std::vec::IntoIter<Job>,
        on_result: Py<PyAny>,
        /// The first job that failed, and why.
        failed: Option<(usize, String)>,
    }

    impl Driver for List {
        fn next(&mut self, _: Python<'_>) -> PyResult<Option<Job>> {
            Ok(self.jobs.next())
        }

        fn finished(&mut self, py: Python<'_>, outcomes: Vec<(usize, Outcome)>) -> PyResult<()> {
            for (index, outcome) in outcomes {
                match outcome {
                    Ok(result) => drop(self.on_result.call1(py, (index, result))?),
                    Err(reason) => {
                        if self.failed.as_ref().is_none_or(|(first, _)| index < *first) {
                            self.failed = Some((index, reason));
                        }
                    }
                }
            }
            Ok(())
        }
    }

    /// The jobs of `run_stream`.
    struct Stream {
        iterator: Py<PyAny>,
        on_results: Py<PyAny>,
        scenarios: Cache,
    }

    impl Driver for Stream {
        fn next(&mut self, py: Python<'_>) -> PyResult<Option<Job>> {
            let Some(job) = self.iterator.bind(py).try_iter()?.next() else { return Ok(None) };
            let (document, seed): (PyBackedStr, u64) = job?.extract()?;
            let scenario =
                self.scenarios.get(document).map_err(|error| error.value(py).to_string());
            Ok(Some(Job { scenario, seed }))
        }

        fn finished(&mut self, py: Python<'_>, outcomes: Vec<(usize, Outcome)>) -> PyResult<()> {
            let outcomes: Vec<_> = (outcomes.into_iter())
                .map(|(index, outcome)| match outcome {
                    Ok(result) => (index, Some(result), None),
                    Err(reason) => (index, None, Some(reason)),
                })
                .collect();
            self.on_results.call1(py, (outcomes,)).map(drop)
        }
    }

    /// Mostly the same scenario comes with many seeds: it is read once.
    #[derive(Default)]
    struct Cache {
        last: Option<(PyBackedStr, Arc<Scenario>)>,
    }

    impl Cache {
        fn get(&mut self, document: PyBackedStr) -> PyResult<Arc<Scenario>> {
            if let Some((last, scenario)) = &self.last
                && *last == document
            {
                return Ok(Arc::clone(scenario));
            }
            let scenario = Arc::new(scenario(&document, "scenario")?);
            self.last = Some((document, Arc::clone(&scenario)));
            Ok(scenario)
        }
    }

    /// Every part that a scenario can name, as JSON text.
    ///
    /// Queue disciplines, congestion controls, the datagram transport, PHYs, loss processes (kind
    /// "error"), applications and distributions, each with its parameters.
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
