//! The one error of this module, and how serde's messages become readable.

use std::fmt;

use serde_path_to_error::{Path, Segment};

use super::names::{nearest, quoted_list};
use super::types::Direction;
use super::validate::{FLOWS, STATIONS};

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
}

impl ScenarioError {
    pub(super) fn new(source: &str, field: &str, message: &str) -> Self {
        Self { source: one_line(source), field: one_line(field), message: one_line(message) }
    }

    /// Takes serde's error apart: it knows the path and what it expected.
    pub(super) fn from_serde(
        source: &str,
        err: &serde_path_to_error::Error<serde_json::Error>,
    ) -> Self {
        let mut field = dotted(err.path());
        let original = err.inner().to_string();
        let message = if let Some(expected) = original.strip_prefix("unknown field ") {
            unknown_key(last_key(err.path()), expected)
        } else if let Some(rest) = original.strip_prefix("missing field ") {
            let missing = rest.trim_matches('`');
            if !field.is_empty() {
                field.push('.');
            }
            field.push_str(missing);
            missing_key(missing)
        } else if let Some(rest) = original
            .strip_prefix("invalid type: ")
            .or_else(|| original.strip_prefix("invalid value: "))
        {
            wrong_value(rest)
        } else {
            original
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

fn last_key(path: &Path) -> &str {
    match path.iter().next_back() {
        Some(Segment::Map { key }) => key,
        _ => "",
    }
}

/// `message` is serde's: the key in backticks, then the accepted ones in backticks.
fn unknown_key(key: &str, message: &str) -> String {
    let expected = message.strip_prefix(&format!("`{key}`")).unwrap_or(message);
    let accepted: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let hint =
        nearest(key, &accepted).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let key = clipped(key, 60);
    format!("unknown key `{key}`; {hint}accepted: {}", accepted.join(", "))
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

/// `rest` is serde's: ``integer `0`, expected a whole number``.
fn wrong_value(rest: &str) -> String {
    let (got, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, "another value"));
    let got = if let Some(text) = got.strip_prefix("string ") {
        // Already quoted and escaped by serde.
        clipped(text, 80)
    } else if let Some((_, value)) = got.split_once('`') {
        value.trim_end_matches('`').to_owned()
    } else {
        match got {
            "map" => "a table".to_owned(),
            "sequence" => "a list".to_owned(),
            "null" | "unit value" => "nothing".to_owned(),
            other => other.to_owned(),
        }
    };
    let expected = match expected {
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a string" => "a text in quotes",
        struct_name if struct_name.starts_with("struct ") => "a table of keys and values",
        other => other,
    };
    format!("got {got}; accepted: {expected}")
}

fn clipped(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let head: String = text.chars().take(longest).collect();
    format!("{head}...")
}

/// Without line breaks and other control characters, whatever the input had in it.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}
