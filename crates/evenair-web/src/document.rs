//! Changes of a TOML text that keep its comments and layout.

use evenair_sim::scenario;
use serde_json::Value;
use toml_edit::DocumentMut;

use crate::problem::{Problem, SOURCE};
use crate::rewrite::rewrite_document;

/// Sets dotted keys, such as `station.0.count`, to values in the syntax of the command line; `None`
/// removes a key or an entry of a list.
///
/// What a change means is decided by [`scenario::set`] alone: it is applied to the document of the
/// text, and the text is changed where the documents differ.
pub(crate) fn set(toml: &str, changes: &[(String, Option<String>)]) -> Result<String, Problem> {
    let invalid = |error| Problem::of_scenario(&error, toml);
    let before = scenario::document_from_toml(toml.as_bytes(), SOURCE).map_err(invalid)?;
    let mut after = before.clone();
    for (key, value) in changes {
        match value {
            Some(value) => scenario::set(&mut after, key, value, SOURCE).map_err(invalid)?,
            None => remove(&mut after, key),
        }
    }
    let mut text: DocumentMut =
        toml.parse().map_err(|error: toml_edit::TomlError| Problem::new(error.to_string()))?;
    if let (Value::Object(before), Value::Object(after)) = (&before, &after) {
        rewrite_document(text.as_table_mut(), before, after);
    }
    Ok(text.to_string())
}

/// Removes a key or an entry of a list, if it is there.
fn remove(document: &mut Value, key: &str) {
    let steps: Vec<&str> = key.split('.').map(str::trim).collect();
    let Some((last, path)) = steps.split_last() else { return };
    let enter = |node, step: &&str| match node {
        &mut Value::Array(ref mut items) => items.get_mut(step.parse::<usize>().ok()?),
        other => other.get_mut(step),
    };
    match path.iter().try_fold(document, enter) {
        Some(Value::Object(table)) => drop(table.shift_remove(*last)),
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse().ok().filter(|&index: &usize| index < items.len()) {
                items.remove(index);
            }
        }
        _ => {}
    }
}
