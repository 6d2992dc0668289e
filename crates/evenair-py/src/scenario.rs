//! The scenario class: the document as it was given, and the resolved scenario.

use std::sync::{Arc, OnceLock};

use evenair_sim::scenario::{self, Origin, ScenarioError as Invalid};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::error::ScenarioError;
use crate::interrupt::interruptible;
use crate::phy::Phy;

/// Longer texts and scenarios with more entries are read and resolved with checks for signals.
const LONG_TEXT: usize = 100_000;
const MANY_ENTRIES: usize = 1000;

/// A scenario document and, after the first use, its resolved form. Immutable.
#[pyclass(frozen, module = "evenair._core")]
pub struct Scenario {
    document: Value,
    /// Where the document came from, as errors name it.
    #[pyo3(get)]
    source: String,
    /// Where the document was read, before any override.
    origin: Arc<Origin>,
    /// The keys that overrides have set.
    overridden: Vec<String>,
    resolved: OnceLock<Arc<scenario::Scenario>>,
}

impl Scenario {
    fn from_document(document: Value, source: String, text: Option<String>) -> Self {
        let origin = Arc::new(Origin { source: source.clone(), text });
        Self { document, source, origin, overridden: Vec::new(), resolved: OnceLock::new() }
    }

    /// An error of the document, with the place of the value that the overrides do not fit to.
    fn located(&self, error: Invalid) -> Invalid {
        if self.overridden.is_empty() {
            return error;
        }
        self.origin.locate(error, &self.document, &self.overridden)
    }

    /// The resolved scenario; the document is resolved on the first call.
    pub(crate) fn resolved(&self) -> Result<&Arc<scenario::Scenario>, Invalid> {
        if let Some(resolved) = self.resolved.get() {
            return Ok(resolved);
        }
        let resolved = scenario::resolve(self.document.clone(), &self.source)
            .map_err(|error| self.located(error))?;
        Ok(self.resolved.get_or_init(|| Arc::new(resolved)))
    }
}

#[pymethods]
impl Scenario {
    /// Read a JSON document. Only the syntax is checked.
    #[new]
    fn new(document: &str, source: String) -> PyResult<Self> {
        let document = serde_json::from_str(document)
            .map_err(|error| ScenarioError::new_err(format!("{source}: not JSON: {error}")))?;
        Ok(Self::from_document(document, source, None))
    }

    /// Read a TOML document. Only the syntax is checked.
    #[staticmethod]
    fn from_toml(py: Python<'_>, data: &[u8], source: String) -> PyResult<Self> {
        let document = if data.len() > LONG_TEXT {
            let (data, source) = (data.to_vec(), source.clone());
            interruptible(py, move || scenario::document_from_toml(&data, &source))?
        } else {
            scenario::document_from_toml(data, &source)
        };
        let document = document.map_err(invalid)?;
        let text = String::from_utf8_lossy(data).into_owned();
        Ok(Self::from_document(document, source, Some(text)))
    }

    /// Return a copy with dotted keys set to values in the syntax of the command line.
    ///
    /// Errors in a key name `override_source`; errors of the copy name `source`.
    fn with_overrides(
        &self,
        overrides: Vec<(String, String)>,
        override_source: &str,
        source: String,
    ) -> PyResult<Self> {
        let (mut document, mut overridden) = (self.document.clone(), self.overridden.clone());
        for (key, value) in overrides {
            let outcome = scenario::set(&mut document, &key, &value, override_source);
            let locate = |error| self.origin.locate(error, &document, &overridden);
            outcome.map_err(locate).map_err(invalid)?;
            overridden.push(key);
        }
        let origin = self.origin.clone();
        Ok(Self { document, source, origin, overridden, resolved: OnceLock::new() })
    }

    /// Check the document and fill in every default.
    fn resolve(&self, py: Python<'_>) -> PyResult<()> {
        if self.resolved.get().is_none() && has_many_entries(&self.document) {
            let (document, source) = (self.document.clone(), self.source.clone());
            let resolved = interruptible(py, move || scenario::resolve(document, &source))?;
            let resolved = resolved.map_err(|error| invalid(self.located(error)))?;
            let resolved = Arc::new(resolved);
            self.resolved.get_or_init(|| resolved);
        }
        self.resolved().map(drop).map_err(invalid)
    }

    /// Return the document as JSON text, as it was given.
    fn document_json(&self) -> String {
        self.document.to_string()
    }

    /// Return the resolved document as JSON text.
    fn resolved_json(&self) -> PyResult<String> {
        let resolved = self.resolved().map_err(invalid)?;
        serde_json::to_string(&**resolved).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Return the timing of the PHY of the scenario's cell, a WLAN.
    fn phy(&self) -> PyResult<Phy> {
        let resolved = self.resolved().map_err(invalid)?;
        match &resolved.cell {
            scenario::Cell::Wlan(cell) => {
                let phy = cell.timing(&resolved.station);
                Ok(Phy { phy, control_rate: cell.control_rate() })
            }
            scenario::Cell::Wimax(_) => {
                let message =
                    "cell.kind: got \"wimax\", which has no 802.11 PHY; accepted: \"wlan\"";
                Err(ScenarioError::new_err(format!("{}: {message}", self.source)))
            }
        }
    }

    /// Pickle as the arguments of the constructor.
    fn __getnewargs__(&self) -> (String, &str) {
        (self.document_json(), &self.source)
    }
}

fn has_many_entries(document: &Value) -> bool {
    let lists = [&document["station"], &document["wired"]["link"], &document["wired"]["flow"]];
    lists.iter().filter_map(|list| list.as_array()).map(Vec::len).sum::<usize>() > MANY_ENTRIES
}

pub(crate) fn invalid(error: Invalid) -> PyErr {
    ScenarioError::new_err(error.to_string())
}
