//! Prototypes: queue disciplines, congestion controls and rate controls that are Python classes.
//!
//! A class implements the methods of the Rust trait. The core calls an instance through its boxed
//! variant, and each call holds the GIL. An exception ends the run at once: the thread of the run
//! unwinds to [`caught`], and no value is made up for what the call should have returned.

mod class;
mod congestion;
mod endless;
mod queue;
mod random;
mod rate_control;

use std::sync::Arc;

use evenair_core::component::{
    Component, Definition, Parameter, ParameterType, Registry, Value, positive,
};
use evenair_core::medium::wlan::rate_control::Config as RateControlConfig;
use evenair_core::queue::Config as QueueConfig;
use evenair_sim::scenario::Transport;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value as Json;

pub(crate) use class::caught;
pub use congestion::{AckEvent, RateSample, SentEvent, Window};
pub(crate) use endless::Threads;
pub use queue::{Packet, QueueContext};
pub use random::RandomStream;
pub use rate_control::{Link, NextFrame};

use self::class::Class;

/// Register a class as a component that scenarios can name; `evenair.register` calls this.
///
/// `kind` is "queue", "congestion_control" or "rate_control". `description` is JSON text with `name`,
/// `summary`, `source`, `file` and `parameters`, each with `name`, `meaning`, `type`, `default` and,
/// depending on the type, `min` and `max`, or `names`. Raises ValueError.
#[pyfunction]
pub fn register_prototype(
    py: Python<'_>,
    kind: &str,
    cls: Py<PyAny>,
    description: &str,
    replace: bool,
) -> PyResult<()> {
    let description: Json = serde_json::from_str(description)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let component: &'static Component = Box::leak(Box::new(Component {
        name: leaked(&description["name"]),
        aliases: &[],
        summary: leaked(&description["summary"]),
        source: leaked(&description["source"]),
        ordered: &[],
    }));
    let name = component.name;
    let list = description["parameters"].as_array().into_iter().flatten();
    let parameters = list.map(parameter).collect::<Result<Vec<_>, _>>();
    let parameters =
        parameters.map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
    let class = Arc::new(Class {
        class: cls.clone_ref(py),
        file: description["file"].as_str().map(str::to_owned),
        parameters: parameters.iter().map(|(parameter, _)| parameter.name).collect(),
    });
    match kind {
        "queue" => {
            check_name::<QueueConfig>(kind, name, replace)?;
            let new = queue::constructor(class);
            evenair_core::queue::boxed::PROTOTYPES.register(Definition {
                component,
                parameters,
                new,
            });
        }
        "congestion_control" => {
            use evenair_core::congestion::boxed;
            check_name::<Transport>(kind, name, replace)?;
            let new = congestion::constructor(class);
            boxed::PROTOTYPES.register(Definition { component, parameters, new });
        }
        "rate_control" => {
            use evenair_core::medium::wlan::rate_control::boxed;
            check_name::<RateControlConfig>(kind, name, replace)?;
            let new = rate_control::constructor(class);
            boxed::PROTOTYPES.register(Definition { component, parameters, new });
        }
        other => return Err(PyValueError::new_err(format!("kind: got {other:?}"))),
    }
    endless::note_registration();
    Ok(())
}

/// Refuses a name that is taken, unless it may be replaced.
fn check_name<R: Registry>(kind: &str, name: &str, replace: bool) -> PyResult<()> {
    let problem = match R::from_name(name) {
        None => return Ok(()),
        Some(taken) if !taken.is_prototype() => "the name of a built-in; choose another kind",
        Some(_) if replace => return Ok(()),
        Some(_) => "the name is registered; choose another kind, or pass replace=True",
    };
    Err(PyValueError::new_err(format!("{kind}: got {name:?}, {problem}")))
}

/// A parameter and its default.
fn parameter(description: &Json) -> Result<(&'static Parameter, Value), String> {
    let name = leaked(&description["name"]);
    let (min, max) = (&description["min"], &description["max"]);
    let parameter_type = match description["type"].as_str() {
        Some("integer") => {
            ParameterType::Integer(min.as_u64().unwrap_or(0), max.as_u64().unwrap_or(u64::MAX))
        }
        Some("number") => ParameterType::Number(
            min.as_f64().unwrap_or(f64::MIN),
            max.as_f64().unwrap_or(f64::MAX),
        ),
        Some("duration") => positive().parameter_type(),
        Some("rate") => ParameterType::Rate,
        Some("switch") => ParameterType::Switch,
        Some("names") => {
            let names = description["names"].as_array().into_iter().flatten().map(leaked);
            ParameterType::Names(Vec::leak(names.collect()))
        }
        other => return Err(format!("{name}: type: got {other:?}")),
    };
    let default = parameter_type
        .parse(&description["default"])
        .map_err(|problem| format!("{name}: default: {problem}"))?;
    let meaning = leaked(&description["meaning"]);
    Ok((Box::leak(Box::new(Parameter { name, parameter_type, meaning, absent: None })), default))
}

/// A text that lives as long as the process, as a registered definition does.
fn leaked(text: &Json) -> &'static str {
    String::leak(text.as_str().unwrap_or_default().to_owned())
}
