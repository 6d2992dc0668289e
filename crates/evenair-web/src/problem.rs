//! Errors for people.

use evenair_sim::scenario::{ScenarioError, line_of_key};
use serde::Serialize;

/// What errors call the scenario.
pub(crate) const SOURCE: &str = "scenario";

/// What is wrong with a request: one line.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    message: String,
    /// The dotted key that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The line of the scenario's text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Problem {
    pub(crate) fn new(message: String) -> Self {
        Self { message, field: None, line: None }
    }

    /// An error of a scenario with this text. If its key is not there, because it is missing or has
    /// its default, the line is that of the table which it belongs to.
    pub(crate) fn of_scenario(error: &ScenarioError, toml: &str) -> Self {
        let message = error.message.clone();
        if error.line.is_some() {
            return Self { message, field: None, line: error.line };
        }
        let tables = std::iter::successors(Some(error.field.as_str()), |key| {
            key.rsplit_once('.').map(|(table, _)| table)
        });
        let line = tables.filter(|key| !key.is_empty()).find_map(|key| line_of_key(toml, key));
        Self { message, field: Some(error.field.clone()).filter(|key| !key.is_empty()), line }
    }
}
