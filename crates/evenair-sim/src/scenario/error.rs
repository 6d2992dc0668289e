//! The error of a scenario.

use std::fmt;

use evenair_core::component::message::{clipped, one_line, quoted_list, readable};
use serde_path_to_error::{Path, Segment};

use crate::scenario::problem::{FLOWS, STATIONS};
use crate::scenario::tables::cell;
use crate::scenario::values::names::Direction;

/// What is wrong with a scenario, for people: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// Where the scenario came from: a file name, "arguments", an override.
    pub source: String,
    /// The dotted path of the value, `station.0.flows.1.window`, or the line of a syntax error;
    /// empty where the whole document is meant.
    pub field: String,
    /// What it got; what is accepted.
    pub message: String,
    /// The line of a syntax error, from 1.
    pub line: Option<usize>,
}

impl ScenarioError {
    pub(super) fn new(source: &str, field: &str, message: &str) -> Self {
        let (source, field) = (one_line(source), one_line(field));
        Self { source, field, message: one_line(message), line: None }
    }

    /// The error of a deserializer, which has the path, the value and the expected type.
    pub(super) fn from_serde(
        source: &str,
        err: &serde_path_to_error::Error<serde_json::Error>,
    ) -> Self {
        let mut field = dotted(err.path());
        let original = err.inner().to_string();
        let message = if let Some(rest) = original.strip_prefix("missing field ") {
            let missing = rest.trim_matches('`');
            if !field.is_empty() {
                field.push('.');
            }
            field.push_str(missing);
            missing_key(missing)
        } else {
            of_another_cell(&field, &original)
                .or_else(|| table_for_list(err.path(), &original))
                .unwrap_or_else(|| readable(&original, last_key(err.path())))
        };
        Self::new(source, &field, &message)
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            write!(f, "{}: {}", self.source, self.message)
        } else {
            write!(f, "{}: {}: {}", self.source, self.field, self.message)
        }
    }
}

impl std::error::Error for ScenarioError {}

/// `station.0.flows.1.window`, as `--set` writes it.
fn dotted(path: &Path) -> String {
    let steps: Vec<String> = path
        .iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(clipped(key, 60)),
            Segment::Enum { variant } => Some(variant.clone()),
            Segment::Unknown => None,
        })
        .collect();
    steps.join(".")
}

/// The message for `[station]` where `[[station]]` is meant.
fn table_for_list(path: &Path, original: &str) -> Option<String> {
    if original != "invalid type: map, expected a sequence" {
        return None;
    }
    let keys: Vec<&str> = path
        .iter()
        .filter_map(
            |segment| if let Segment::Map { key } = segment { Some(key.as_str()) } else { None },
        )
        .collect();
    let key = clipped(&keys.join("."), 60);
    Some(format!(
        "got a table; accepted: a list, each entry of which begins with [[{key}]] in TOML"
    ))
}

fn last_key(path: &Path) -> &str {
    match path.iter().next_back() {
        Some(Segment::Map { key }) => key,
        _ => "",
    }
}

/// The message for an unknown key of the cell that a cell of another kind has.
fn of_another_cell(field: &str, original: &str) -> Option<String> {
    let key = field.strip_prefix("cell.")?;
    if !original.starts_with("unknown field ") {
        return None;
    }
    cell::foreign_key(key, readable(original, key).rsplit_once("accepted: ")?.1)
}

fn missing_key(key: &str) -> String {
    let accepted = match key {
        "direction" => quoted_list(Direction::NAMES),
        "station" => STATIONS.to_owned(),
        "flows" => FLOWS.to_owned(),
        _ => "a value for it".to_owned(),
    };
    format!("missing; accepted: {accepted}")
}
