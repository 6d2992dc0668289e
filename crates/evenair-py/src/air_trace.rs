//! Air traces: the accesses to the medium of a run from a moment on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenair_sim::RunOptions;
use evenair_sim::air_trace::{AirTraceRequest, air_trace as record};
use pyo3::prelude::*;

use crate::error::RunError;
use crate::interrupt::interruptible;
use crate::prototype::caught;
use crate::scenario::{Scenario, invalid};

/// Return the accesses to the medium of a run from a moment on, as JSON text.
///
/// They begin `from_s` seconds after the warm-up, and are at most `accesses`; in a WiMAX cell they are
/// frames. Raises ScenarioError, or RunError if it would begin after the run or be too long.
#[pyfunction]
pub fn air_trace(
    py: Python<'_>,
    scenario: &Scenario,
    seed: u64,
    from_s: f64,
    accesses: u32,
) -> PyResult<String> {
    let scenario = Arc::clone(scenario.resolved().map_err(invalid)?);
    let cancel = Arc::new(AtomicBool::new(false));
    let options = RunOptions { cancel: Some(Arc::clone(&cancel)), ..RunOptions::default() };
    let name = scenario.name.clone();
    let outcome = interruptible(py, move || {
        let request = AirTraceRequest { from_s, accesses };
        match caught(|| record(&scenario, seed, request, &options)) {
            Ok(Ok(trace)) => serde_json::to_string(&trace).map_err(|error| error.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(Ok(reason)) => Err(reason),
            Err(Err(panic)) => std::panic::resume_unwind(panic),
        }
    });
    // After Ctrl-C nobody waits for the thread.
    cancel.store(true, Ordering::Relaxed);
    outcome?
        .map_err(|reason| RunError::new_err(format!("scenario {name:?}, seed {seed}: {reason}")))
}
