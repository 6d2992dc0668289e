//! The scenario class: the document as it was given, and the resolved scenario.

use std::sync::{Arc, OnceLock};

use evenair_sim::scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::ScenarioError;
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
    resolved: OnceLock<Arc<scenario::Scenario>>,
}

impl Scenario {
    fn from_document(document: Value, source: String) -> Self {
        Self { document, source, resolved: OnceLock::new() }
    }

    /// The resolved scenario; the document is resolved on the first call.
    pub(crate) fn resolved(&self) -> Result<&Arc<scenario::Scenario>, scenario::ScenarioError> {
        if let Some(resolved) = self.resolved.get() {
            return Ok(resolved);
        }
        let resolved = scenario::resolve(self.document.clone(), &self.source)?;
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
        Ok(Self::from_document(document, source))
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
        Ok(Self::from_document(document.map_err(invalid)?, source))
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
        let mut document = self.document.clone();
        for (key, value) in &overrides {
            scenario::set(&mut document, key, value, override_source).map_err(invalid)?;
        }
        Ok(Self::from_document(document, source))
    }

    /// Check the document and fill in every default.
    fn resolve(&self, py: Python<'_>) -> PyResult<()> {
        if self.resolved.get().is_none() && has_many_entries(&self.document) {
            let (document, source) = (self.document.clone(), self.source.clone());
            let resolved = interruptible(py, move || scenario::resolve(document, &source))?;
            let resolved = Arc::new(resolved.map_err(invalid)?);
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

fn invalid(error: scenario::ScenarioError) -> PyErr {
    ScenarioError::new_err(error.to_string())
}
