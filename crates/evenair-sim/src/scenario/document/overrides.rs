//! Overrides by dotted key: `cell.queue.kind=las`, `station.0.count=3`.

use evenair_core::component::DISTRIBUTION;
use evenair_core::component::message::shown;
use serde_json::{Map, Value};

use crate::scenario::document::from_toml::from_toml;
use crate::scenario::error::ScenarioError;

/// Sets one value of a document.
///
/// `key` is a dotted path with indices from 0; missing tables on it are made, list entries are
/// not. `value` is read as a TOML value, and as a text where it is none (`11 Mbps`, `las`).
/// Setting the `kind` of a component, or the component to a name, removes the parameters of the old
/// kind; a queue keeps its `limit`, and a distribution its `mean`.
/// `source` names the override in errors. Whether the key and the value mean anything is
/// checked by [`resolve`](crate::scenario::resolve).
///
/// # Errors
///
/// A key with empty parts, an index that does not exist, or a path through a plain value; the
/// document is then as it was.
pub fn set(
    document: &mut Value,
    key: &str,
    value: &str,
    source: &str,
) -> Result<(), ScenarioError> {
    let steps: Vec<&str> = key.split('.').map(str::trim).collect();
    if steps.iter().any(|step| step.is_empty()) {
        let message =
            "got an empty part in the key; accepted: a dotted key such as cell.queue.limit";
        return Err(ScenarioError::new(source, key, message));
    }
    let walk = Walk { steps: &steps, source };
    let mut node = document;
    for depth in 0..steps.len() {
        walk.open(node, depth)?;
        if depth + 1 == steps.len() {
            return walk.store(node, depth, parse(value));
        }
        node = walk.enter(node, depth)?;
    }
    Ok(())
}

/// Whether `key` holds a component: its name, or a table with its `kind` and parameters.
fn is_component(key: &str) -> bool {
    const COMPONENTS: [&str; 10] = [
        "queue",
        "transport",
        "error",
        "application",
        "scheduler",
        "controller",
        "rate_control",
        "channel",
        "limiter",
        "loss_signal",
    ];
    COMPONENTS.contains(&key)
}

/// Sets the kind of a component. Another kind has other parameters, so that all are removed but a
/// queue's limit.
fn set_kind(component: &mut Map<String, Value>, kind: Value) {
    if component.get("kind") != Some(&kind) {
        component.retain(|key, _| key == "limit");
    }
    component.insert("kind".to_owned(), kind);
}

/// A TOML value, or the text itself where it is none.
fn parse(text: &str) -> Value {
    let text = text.trim();
    match text.parse::<toml::Value>() {
        Ok(value) => from_toml(value),
        Err(_) => Value::String(text.to_owned()),
    }
}

/// One way through the document; `depth` counts the steps taken.
struct Walk<'a> {
    steps: &'a [&'a str],
    source: &'a str,
}

impl Walk<'_> {
    /// Makes sure that the node reached after `depth` steps can be stepped into.
    fn open(&self, node: &mut Value, depth: usize) -> Result<(), ScenarioError> {
        match node {
            Value::Object(_) | Value::Array(_) => Ok(()),
            Value::Null => {
                *node = Value::Object(Map::new());
                Ok(())
            }
            // `queue = "las"` says the same as `queue = { kind = "las" }`.
            Value::String(kind) if depth > 0 && is_component(self.steps[depth - 1]) => {
                let kind = Value::String(std::mem::take(kind));
                *node = Value::Object(Map::from_iter([("kind".to_owned(), kind)]));
                Ok(())
            }
            plain => {
                let message = format!(
                    "got the key {}, but this is the plain value {plain}; accepted: a key that ends here",
                    shown(&self.steps.join("."))
                );
                Err(self.fail(depth, &message))
            }
        }
    }

    /// The child that step `depth` names, made where it is missing.
    fn enter<'n>(&self, node: &'n mut Value, depth: usize) -> Result<&'n mut Value, ScenarioError> {
        let step = self.steps[depth];
        match node {
            Value::Array(items) => {
                let index = self.index(items.len(), depth)?;
                Ok(&mut items[index])
            }
            Value::Object(table) => {
                // Nothing is made on a path that leads into a list that is not there.
                let into_list = self.steps[depth + 1..].iter().position(|step| is_index(step));
                if let (false, Some(further)) = (table.contains_key(step), into_list) {
                    self.index(0, depth + 1 + further)?;
                }
                Ok(table.entry(step).or_insert_with(|| Value::Object(Map::new())))
            }
            _ => Err(self.fail(depth, "got a plain value; accepted: a table")),
        }
    }

    /// Puts `value` where the last step points to.
    fn store(&self, node: &mut Value, depth: usize, value: Value) -> Result<(), ScenarioError> {
        let step = self.steps[depth];
        match node {
            Value::Array(items) => {
                let index = self.index(items.len(), depth)?;
                items[index] = value;
            }
            Value::Object(table) => match table.get_mut(step) {
                // The name alone stands for the kind, here as in a scenario.
                Some(Value::Object(component)) if is_component(step) && value.is_string() => {
                    set_kind(component, value);
                }
                _ if step == "kind" && depth > 0 && is_component(self.steps[depth - 1]) => {
                    set_kind(table, value);
                }
                Some(family) if step == DISTRIBUTION && *family != value => {
                    *table = Map::from_iter(
                        [(DISTRIBUTION.to_owned(), value)]
                            .into_iter()
                            .chain(table.remove_entry("mean")),
                    );
                }
                _ => {
                    table.insert(step.to_owned(), value);
                }
            },
            _ => return Err(self.fail(depth, "got a plain value; accepted: a table")),
        }
        Ok(())
    }

    /// Step `depth` as an index into a list of `len` entries.
    fn index(&self, len: usize, depth: usize) -> Result<usize, ScenarioError> {
        let step = self.steps[depth];
        if let Ok(index) = step.parse::<usize>()
            && index < len
        {
            return Ok(index);
        }
        let list = self.steps[depth - 1];
        let accepted = match len {
            0 => format!("no index, for there are 0 {list} entries; add one to the scenario first"),
            1 => format!("index 0, for there is 1 {list} entry"),
            _ => format!("an index from 0 to {}, for there are {len} {list} entries", len - 1),
        };
        let message = format!("got index {}; accepted: {accepted}", shown(step));
        Err(self.fail(depth + 1, &message))
    }

    fn fail(&self, depth: usize, message: &str) -> ScenarioError {
        ScenarioError::new(self.source, &self.steps[..depth].join("."), message)
    }
}

fn is_index(step: &str) -> bool {
    step.parse::<usize>().is_ok()
}
