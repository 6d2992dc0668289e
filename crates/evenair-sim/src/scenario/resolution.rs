//! From a document to a scenario.

use serde_json::Value;

use crate::scenario::error::ScenarioError;
use crate::scenario::problem::Problem;
use crate::scenario::tables::scenario::Scenario;
use crate::scenario::{defaults, validate};

/// Checks a document and fills in every default.
///
/// `source` names where the document came from (a file name, "arguments"): errors start with it.
///
/// # Errors
///
/// The first thing that is wrong, with its field, the value it got and what is accepted.
pub fn resolve(mut document: Value, source: &str) -> Result<Scenario, ScenarioError> {
    let refuse = |problem: Problem| ScenarioError::new(source, &problem.field, &problem.message);
    validate::check_tables(&document).map_err(refuse)?;
    defaults::fill_document(&mut document);
    let mut scenario: Scenario = serde_path_to_error::deserialize(document)
        .map_err(|err| ScenarioError::from_serde(source, &err))?;
    defaults::fill_scenario(&mut scenario);
    validate::check(&scenario).map_err(refuse)?;
    Ok(scenario)
}
