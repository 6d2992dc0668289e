//! The real-time emulator, on a thread of its own.

use evenair_emu::{Error, Running, Spec, die_with_parent};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error::{RunError, ScenarioError};
use crate::interrupt::SIGNAL_INTERVAL;

/// Emulate the network of a scenario between TUN devices in network namespaces.
///
/// `spec` is a JSON document with the scenario, the namespaces and addresses of the hosts and the
/// flows that are counted. Returns the result as JSON text. Packets are carried from the first call
/// of `report` on, with `{"event": "ready"}`; every 50 ms follows
/// `{"event": "progress", "t_s": ...}`, the time since the start of the scenario or null. `report`
/// returns None, `{"command": "start"}`, with which time 0 of the scenario is now, or
/// `{"command": "stop"}`, which ends the run. Without `report` the scenario starts at once. An
/// exception in `report` or in a signal handler ends the run.
///
/// For a process of its own: it is killed when its parent dies.
#[pyfunction]
#[pyo3(signature = (spec, report = None))]
pub fn emulate(py: Python<'_>, spec: &str, report: Option<Py<PyAny>>) -> PyResult<String> {
    die_with_parent();
    let running = Spec::parse(spec).and_then(Running::begin).map_err(raised)?;
    let report = |event: Value| match &report {
        Some(report) => obey(py, &running, report, &event),
        None if event["event"] == "ready" => running.start().map_err(raised),
        None => Ok(()),
    };
    report(json!({ "event": "ready" }))?;
    loop {
        if let Some(result) =
            py.detach(|| running.result_within(SIGNAL_INTERVAL)).map_err(raised)?
        {
            return serde_json::to_string(&result)
                .map_err(|error| RunError::new_err(error.to_string()));
        }
        py.check_signals()?;
        report(json!({ "event": "progress", "t_s": running.signals().time_s() }))?;
    }
}

/// Reports an event, and does what the answer says.
fn obey(py: Python<'_>, running: &Running, report: &Py<PyAny>, event: &Value) -> PyResult<()> {
    let answer: Option<String> = report.call1(py, (event.to_string(),))?.extract(py)?;
    let Some(answer) = answer else { return Ok(()) };
    let command = serde_json::from_str::<Value>(&answer).unwrap_or_default();
    match command["command"].as_str() {
        Some("start") => running.start().map_err(raised)?,
        Some("stop") => running.signals().stop(),
        _ => {
            return Err(RunError::new_err(format!(
                "command: got {answer:?}; accepted: {{\"command\": \"start\"}}, {{\"command\": \"stop\"}}"
            )));
        }
    }
    Ok(())
}

fn raised(error: Error) -> PyErr {
    match error {
        Error::Invalid(reason) => ScenarioError::new_err(reason),
        Error::Failed(reason) => RunError::new_err(reason),
    }
}
