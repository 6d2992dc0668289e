//! Prototypes: queue disciplines, congestion controls and rate controls that are Python classes.
//!
//! A class implements the methods of the Rust trait. The core calls an instance through its boxed
//! variant, and each call holds the GIL. An exception ends the run at once: the thread of the run
//! unwinds to [`caught`], and no value is made up for what the call should have returned.

mod congestion;
mod endless;
mod queue;
mod random;
mod rate_control;

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use evenair_core::component::message::{clipped, one_line};
use evenair_core::component::{Component, Definition, Parameter, ParameterType, Registry, Value};
use evenair_core::medium::wlan::rate_control::Config as RateControlConfig;
use evenair_core::queue::Config as QueueConfig;
use evenair_sim::scenario::Transport;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value as Json;

pub use congestion::{AckEvent, Window};
pub(crate) use endless::Threads;
pub use queue::{Packet, QueueContext};
pub use random::RandomStream;
pub use rate_control::{Link, NextFrame};

/// Longest text of an exception in an error message.
const LONGEST: usize = 300;

/// Why a run with a prototype has ended: `FILE:LINE: what`.
#[derive(Debug)]
struct Failure(String);

impl Failure {
    /// Ends the run.
    fn end_run(self) -> ! {
        panic::resume_unwind(Box::new(self))
    }
}

/// Runs `work`; the reason if a prototype has ended it, the payload if it has panicked.
pub(crate) fn caught<T>(
    work: impl FnOnce() -> T,
) -> Result<T, Result<String, Box<dyn Any + Send>>> {
    panic::catch_unwind(AssertUnwindSafe(work))
        .map_err(|payload| payload.downcast::<Failure>().map(|failure| failure.0))
}

/// A registered class.
#[derive(Debug)]
struct Class {
    class: Py<PyAny>,
    /// The file that defines it.
    file: Option<String>,
    /// Names of the parameters, in the order of their values.
    parameters: Vec<&'static str>,
}

impl Class {
    /// A new instance.
    fn instance(&self, py: Python<'_>, context: Option<Py<PyAny>>, values: &[Value]) -> Py<PyAny> {
        let make = || {
            let keywords = PyDict::new(py);
            for (name, value) in self.parameters.iter().zip(values) {
                set(&keywords, name, value)?;
            }
            let arguments = PyTuple::new(py, context)?;
            self.class.bind(py).call(arguments, Some(&keywords))
        };
        match make() {
            Ok(object) => object.unbind(),
            Err(error) => self.raised(py, "__init__", &error).end_run(),
        }
    }

    fn defines(&self, py: Python<'_>, method: &str) -> bool {
        self.class.bind(py).hasattr(method).unwrap_or(false)
    }

    /// An exception that `method` has raised: the line is the innermost of the class's file.
    fn raised(&self, py: Python<'_>, method: &str, error: &PyErr) -> Failure {
        let kind =
            error.get_type(py).name().map_or_else(|_| "Exception".to_owned(), |n| n.to_string());
        let text = error.value(py).str().map(|text| text.to_string()).unwrap_or_default();
        let place = self.line_of(py, error).or_else(|| self.definition_of(py, method));
        let colon = if text.is_empty() { "" } else { ": " };
        Failure(format!(
            "{}{kind}{colon}{}",
            place.map_or_else(String::new, |place| format!("{place}: ")),
            clipped(&one_line(&text), LONGEST),
        ))
    }

    /// What `method` has done is against the contract.
    fn misused(&self, py: Python<'_>, method: &str, problem: &str) -> Failure {
        let place = self.definition_of(py, method);
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        Failure(format!("{place}{method}: {problem}"))
    }

    fn line_of(&self, py: Python<'_>, error: &PyErr) -> Option<String> {
        let mut place = None;
        let mut own = None;
        let mut next = error.traceback(py).map(Bound::into_any);
        while let Some(entry) = next {
            let code = entry.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
            let file: String = code.getattr("co_filename").ok()?.extract().ok()?;
            let line: u32 = entry.getattr("tb_lineno").ok()?.extract().ok()?;
            place = Some(format!("{file}:{line}"));
            if self.file.as_ref() == Some(&file) {
                own.clone_from(&place);
            }
            next = entry.getattr("tb_next").ok().filter(|next| !next.is_none());
        }
        own.or(place)
    }

    fn definition_of(&self, py: Python<'_>, method: &str) -> Option<String> {
        let code = self.class.bind(py).getattr(method).ok()?.getattr("__code__").ok()?;
        let file: String = code.getattr("co_filename").ok()?.extract().ok()?;
        let line: u32 = code.getattr("co_firstlineno").ok()?.extract().ok()?;
        Some(format!("{file}:{line}"))
    }
}

/// Sets the keyword of a parameter: a duration in nanoseconds, a rate in bit/s.
fn set(keywords: &Bound<'_, PyDict>, name: &str, value: &Value) -> PyResult<()> {
    match value {
        Value::Name(text) => keywords.set_item(name, text),
        Value::Integer(number) => keywords.set_item(name, number),
        Value::Number(number) => keywords.set_item(name, number),
        Value::Duration(duration) => keywords.set_item(name, duration.as_nanos()),
        Value::Switch(on) => keywords.set_item(name, on),
        Value::Rate(rate) => keywords.set_item(name, rate.as_bps()),
        other => unreachable!("no prototype has a parameter such as {other:?}"),
    }
}

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
            check_name::<QueueConfig>(kind, name, replace, |config| {
                matches!(config, QueueConfig::Prototype(_))
            })?;
            let new = queue::constructor(class);
            evenair_core::queue::boxed::PROTOTYPES.register(Definition {
                component,
                parameters,
                new,
            });
        }
        "congestion_control" => {
            use evenair_core::tcp::congestion::{Config, boxed};
            check_name::<Transport>(kind, name, replace, |transport| {
                matches!(transport, Transport::Tcp(Config::Prototype(_)))
            })?;
            let new = congestion::constructor(class);
            boxed::PROTOTYPES.register(Definition { component, parameters, new });
        }
        "rate_control" => {
            use evenair_core::medium::wlan::rate_control::boxed;
            check_name::<RateControlConfig>(kind, name, replace, |config| {
                matches!(config, RateControlConfig::Prototype(_))
            })?;
            let new = rate_control::constructor(class);
            boxed::PROTOTYPES.register(Definition { component, parameters, new });
        }
        other => return Err(PyValueError::new_err(format!("kind: got {other:?}"))),
    }
    endless::note_registration();
    Ok(())
}

/// Refuses a name that is taken, unless it may be replaced.
fn check_name<R: Registry>(
    kind: &str,
    name: &str,
    replace: bool,
    is_prototype: impl Fn(&R) -> bool,
) -> PyResult<()> {
    let problem = match R::from_name(name) {
        None => return Ok(()),
        Some(taken) if !is_prototype(&taken) => "the name of a built-in; choose another kind",
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
        Some("duration") => ParameterType::Duration,
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
    Ok((Box::leak(Box::new(Parameter { name, parameter_type, meaning })), default))
}

/// A text that lives as long as the process, as a registered definition does.
fn leaked(text: &Json) -> &'static str {
    String::leak(text.as_str().unwrap_or_default().to_owned())
}

/// The representation of a returned value, for an error message.
fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|text| text.to_string()).unwrap_or_default();
    clipped(&one_line(&text), 60)
}
