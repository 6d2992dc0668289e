//! Where the value stands that an override does not fit to.

use evenair_core::component::message::{clipped, one_line};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::scenario::document::from_toml::line_of;
use crate::scenario::error::ScenarioError;
use crate::scenario::resolution::resolve;

/// Documents with more values are not searched for the one that clashes: each costs a check of the
/// whole scenario.
const MOST_VALUES: usize = 300;

/// The text that a document was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its name, as errors have it.
    pub source: String,
    /// TOML text; `None` if the document is not from a file.
    pub text: Option<String>,
}

impl Origin {
    /// Adds to the error of a document the place of the value that the overrides do not fit to, if it
    /// is one of the document's own. `overridden` are the keys of the overrides.
    ///
    /// That value is the one that the error is about; or, if an override has set that, the first one
    /// without which there is no error.
    pub fn locate(
        &self,
        error: ScenarioError,
        document: &Value,
        overridden: &[String],
    ) -> ScenarioError {
        let is_own = |key: &str| !overridden.iter().any(|other| overlap(key, other));
        let note = if at(document, &error.field).is_some() && is_own(&error.field) {
            format!("this value is {}", self.place(&error.field))
        } else if let Some((key, value)) = self.clashing(document, &is_own) {
            format!("it clashes with {key} = {} {}", clipped(&value, 60), self.place(&key))
        } else {
            return error;
        };
        ScenarioError { message: format!("{}; {}", error.message, one_line(&note)), ..error }
    }

    /// The first own value without which the document is a scenario, with its key.
    fn clashing(
        &self,
        document: &Value,
        is_own: &impl Fn(&str) -> bool,
    ) -> Option<(String, String)> {
        let mut values = Vec::new();
        collect(document, String::new(), &mut values);
        // The error may be one of an override's key, which has not changed the document.
        if values.len() > MOST_VALUES || resolve(document.clone(), &self.source).is_ok() {
            return None;
        }
        let mut own = values.into_iter().filter(|(key, _)| is_own(key));
        own.find(|(key, _)| {
            let mut without = document.clone();
            remove(&mut without, key);
            resolve(without, &self.source).is_ok()
        })
    }

    fn place(&self, key: &str) -> String {
        match self.text.as_ref().and_then(|text| line_of_key(text, key)) {
            Some(line) => format!("in line {line} of {}", self.source),
            None => "in the scenario itself".to_owned(),
        }
    }
}

/// Whether one of two dotted keys is the other one, or a table or list that it is in.
fn overlap(key: &str, other: &str) -> bool {
    key.split('.').zip(other.split('.')).all(|(a, b)| a == b.trim())
}

fn at<'a>(document: &'a Value, key: &str) -> Option<&'a Value> {
    let enter = |node: &'a Value, step: &str| match node {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    };
    key.split('.').try_fold(document, enter)
}

/// All plain values in tables, with their keys.
fn collect(node: &Value, key: String, found: &mut Vec<(String, String)>) {
    let join = |step: &str| if key.is_empty() { step.to_owned() } else { format!("{key}.{step}") };
    match node {
        Value::Object(table) => {
            table.iter().for_each(|(step, value)| collect(value, join(step), found))
        }
        Value::Array(items) if items.iter().all(Value::is_object) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, join(&index.to_string()), found);
            }
        }
        plain => found.push((key, plain.to_string())),
    }
}

/// Removes the value of a key, and the tables that are empty without it.
fn remove(document: &mut Value, key: &str) {
    let (table, step) = key.rsplit_once('.').unwrap_or(("", key));
    let pointer = table.split('.').filter(|step| !step.is_empty()).map(|step| format!("/{step}"));
    let found = document.pointer_mut(&pointer.collect::<String>());
    if let Some(found) = found.and_then(Value::as_object_mut) {
        found.shift_remove(step);
    }
}

/// The line, from 1, of the value of a dotted key in TOML text; of a table that of its header. None if
/// the key is not there.
pub fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut steps = key.split('.');
    let first = root.get_ref().get(steps.next()?)?;
    let value = steps.try_fold(first, entry)?;
    Some(line_of(text.as_bytes(), value.span().start))
}

fn entry<'a, 'i>(node: &'a Spanned<DeValue<'i>>, step: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    match node.get_ref() {
        DeValue::Array(items) => items.get(step.parse::<usize>().ok()?),
        table => table.get(step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{document_from_toml, set};

    const TEXT: &str = r#"
duration = "10 s"
[cell]
phy = "802.11b"
data_rate = "11 Mbps"

[[station]]
flows = [
    { direction = "up" },
    { direction = "down", transport = "udp", application = "cbr",
      rate = "1 Mbps" },
]
"#;

    fn error(text: &str, overrides: &[(&str, &str)]) -> String {
        let mut document = document_from_toml(text.as_bytes(), "x.toml").unwrap();
        for (key, value) in overrides {
            set(&mut document, key, value, "--set").unwrap();
        }
        let keys: Vec<String> = overrides.iter().map(|(key, _)| (*key).to_owned()).collect();
        let origin = Origin { source: "x.toml".to_owned(), text: Some(text.to_owned()) };
        let error = resolve(document.clone(), "x.toml").unwrap_err();
        origin.locate(error, &document, &keys).to_string()
    }

    #[test]
    fn a_value_of_the_file_has_its_line() {
        let message = error(TEXT, &[("cell.phy", "802.11a")]);
        assert!(message.starts_with("x.toml: cell.data_rate: got "), "{message}");
        assert!(message.ends_with("; this value is in line 5 of x.toml"), "{message}");
        let message = error(TEXT, &[("station.0.flows.1.transport", "newreno")]);
        assert!(message.ends_with("; this value is in line 10 of x.toml"), "{message}");
    }

    #[test]
    fn the_value_that_an_override_clashes_with_has_its_line() {
        let text = "[cell]\nrts_threshold = 0\nphy = \"802.11a\"\n[[station]]\nflows = [{ direction = \"up\" }]";
        let message = error(text, &[("duration", "5"), ("cell.preamble", "short")]);
        let note = r#"; it clashes with cell.phy = "802.11a" in line 3 of x.toml"#;
        assert!(message.ends_with(note), "{message}");
    }

    #[test]
    fn an_override_that_is_wrong_by_itself_clashes_with_nothing() {
        for (key, value) in [("duration", "0"), ("cell.data_rate", "12 Mbps"), ("cell.x", "1")] {
            let message = error(TEXT, &[(key, value)]);
            assert!(!message.contains("line") && !message.contains("clashes"), "{message}");
        }
    }

    #[test]
    fn a_key_that_is_not_there_clashes_with_nothing() {
        let mut document = document_from_toml(TEXT.as_bytes(), "x.toml").unwrap();
        let origin = Origin { source: "x.toml".to_owned(), text: Some(TEXT.to_owned()) };
        let mut message = |key| {
            let error = set(&mut document, key, "1", "--set").unwrap_err();
            origin.locate(error, &document, &[]).to_string()
        };
        assert!(message("station.1.count").ends_with("for there is 1 station entry"));
        assert!(message("duration.x").ends_with("; this value is in line 2 of x.toml"));
    }

    #[test]
    fn a_scenario_without_a_file_has_no_lines() {
        let origin = Origin { source: "Scenario".to_owned(), text: None };
        let document = serde_json::json!({
            "cell": { "phy": "802.11a", "data_rate": "11 Mbps" },
            "station": [{ "flows": [{ "direction": "up" }] }],
        });
        let error = resolve(document.clone(), "Scenario").unwrap_err();
        let message = origin.locate(error, &document, &["cell.phy".to_owned()]).to_string();
        assert!(message.ends_with("; this value is in the scenario itself"), "{message}");
    }
}
