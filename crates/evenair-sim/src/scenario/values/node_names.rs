//! The names of nodes in a scenario.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer};

/// The node that is the access point.
pub(crate) const ACCESS_POINT: &str = "ap";
/// The host that stations talk to where a flow names none.
pub(crate) const SERVER: &str = "server";

/// Reads the names of two nodes.
pub(crate) fn pair<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[String; 2], D::Error> {
    const ACCEPTED: &str = "two names of nodes such as [\"server\", \"ap\"]";
    let value = serde_json::Value::deserialize(deserializer)?;
    let refuse = |got: String| D::Error::custom(format!("got {got}; accepted: {ACCEPTED}"));
    let serde_json::Value::Array(items) = &value else { return Err(refuse(written(&value))) };
    let names: Option<Vec<String>> =
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    match names.map(<[String; 2]>::try_from) {
        Some(Ok(pair)) if pair.iter().all(|name| !name.trim().is_empty()) => Ok(pair),
        _ => Err(refuse(written(&value))),
    }
}

pub(crate) fn written(value: &serde_json::Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { "a longer value".to_owned() }
}
