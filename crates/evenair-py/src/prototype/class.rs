//! A class in Python, and why a call of it ends the run.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

use evenair_core::component::Value;
use evenair_core::component::message::{clipped, one_line};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Longest text of an exception in an error message.
const LONGEST: usize = 300;

/// Why a run with a prototype has ended: `FILE:LINE: what`.
#[derive(Debug)]
pub(super) struct Failure(String);

impl Failure {
    /// Ends the run.
    pub(super) fn end_run(self) -> ! {
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
pub(super) struct Class {
    pub(super) class: Py<PyAny>,
    /// The file that defines it.
    pub(super) file: Option<String>,
    /// Names of the parameters, in the order of their values.
    pub(super) parameters: Vec<&'static str>,
}

impl Class {
    /// A new instance.
    pub(super) fn instance(
        &self,
        py: Python<'_>,
        context: Option<Py<PyAny>>,
        values: &[Value],
    ) -> Py<PyAny> {
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

    pub(super) fn defines(&self, py: Python<'_>, method: &str) -> bool {
        self.class.bind(py).hasattr(method).unwrap_or(false)
    }

    /// An exception that `method` has raised: the line is the innermost of the class's file.
    pub(super) fn raised(&self, py: Python<'_>, method: &str, error: &PyErr) -> Failure {
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
    pub(super) fn misused(&self, py: Python<'_>, method: &str, problem: &str) -> Failure {
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

/// The representation of a returned value, for an error message.
pub(super) fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|text| text.to_string()).unwrap_or_default();
    clipped(&one_line(&text), 60)
}
