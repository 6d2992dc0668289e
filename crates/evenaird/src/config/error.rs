//! Errors of a configuration, for people: one line with file, key, value and what is accepted.

use std::fmt;

use evenair_core::component::message::{one_line, readable, shown};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    source: String,
    field: String,
    message: String,
}

impl ConfigError {
    /// `field` is the dotted path of the key, `message` what it got and what is accepted.
    pub fn new(field: &str, message: &str) -> Self {
        Self { source: String::new(), field: one_line(field), message: one_line(message) }
    }

    /// The same error, of this file.
    pub fn in_source(mut self, source: &str) -> Self {
        self.source = one_line(source);
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [&self.source, &self.field] {
            if !part.is_empty() {
                write!(f, "{part}: ")?;
            }
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

/// Reads a value at the path `at`, which is empty for the whole document.
pub(super) fn deserialize<T: DeserializeOwned>(at: &str, value: Value) -> Result<T, ConfigError> {
    serde_path_to_error::deserialize(value).map_err(|err| {
        let path = err.path().to_string();
        let mut keys: Vec<&str> = vec![at, &path];
        keys.retain(|key| !key.is_empty() && *key != ".");
        let original = err.inner().to_string();
        let last = path.rsplit('.').next().unwrap_or_default();
        if let Some(missing) = original.strip_prefix("missing field ") {
            keys.push(missing.trim_matches('`'));
            return ConfigError::new(&keys.join("."), "missing; accepted: a value for it");
        }
        ConfigError::new(&keys.join("."), &readable(&original, last))
    })
}

/// A syntax error at byte `at` of the text.
pub(super) fn syntax(text: &[u8], at: usize, problem: &str) -> ConfigError {
    let before = &text[..at.min(text.len())];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = text[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    let shown_line = text[start..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let shown_line = shown(String::from_utf8_lossy(shown_line).trim());
    let place = format!("line {line}, column {column}");
    let message = format!("got {shown_line}: {}; accepted: TOML text", problem.trim());
    ConfigError::new(&place, &message)
}
