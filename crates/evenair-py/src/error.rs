//! The exceptions of the extension module.

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
