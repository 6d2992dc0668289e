//! TOML text becomes a document, the same tree that Python hands over as JSON.

use std::path::Path;

use evenair_core::component::DISTRIBUTION;
use evenair_core::component::message::shown;
use evenair_core::traffic::TRACE;
use serde_json::{Map, Value};

use crate::scenario::error::ScenarioError;

/// Reads TOML text into a document; nothing in it is checked yet.
///
/// `source` names the text in errors; the files of traces in it are relative to its folder.
///
/// # Errors
///
/// Binary data and syntax errors, with line and column.
pub fn document_from_toml(text: &[u8], source: &str) -> Result<Value, ScenarioError> {
    let fail = |at: usize, message: &str| {
        let place = place(text, at);
        let message = format!("{message}; accepted: a scenario as TOML text");
        let error = ScenarioError::new(source, &place, &message);
        ScenarioError { line: Some(line_of(text, at)), ..error }
    };
    if let Some(at) = text.iter().position(|&byte| byte == 0) {
        return Err(fail(at, "got a zero byte, so this is a binary file"));
    }
    let readable = std::str::from_utf8(text)
        .map_err(|err| fail(err.valid_up_to(), "got bytes that are not UTF-8 text"))?;
    let table: toml::Table = toml::from_str(readable).map_err(|err| {
        let at = err.span().map_or(0, |span| span.start);
        let mut message = err.message().replace('\n', ", ");
        if message.starts_with("invalid type: integer") {
            message = "a number out of range".to_owned();
        }
        let line = text[line_start(text, at)..].split(|&byte| byte == b'\n').next();
        let line = String::from_utf8_lossy(line.unwrap_or_default());
        let message = format!("not TOML: {}, in {}", message.trim(), shown(line.trim()));
        fail(at, &message)
    })?;
    let mut document = from_table(table);
    anchor_traces(&mut document, Path::new(source).parent().unwrap_or(Path::new("")));
    Ok(document)
}

/// Makes the files of traces (distributions and applications), which a scenario names as seen from its own file, relative to the
/// working directory.
fn anchor_traces(value: &mut Value, folder: &Path) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| anchor_traces(item, folder)),
        Value::Object(table) => {
            let is = |key| table.get(key).is_some_and(|name| name == TRACE);
            let is_trace = is(DISTRIBUTION) || is("kind");
            if let (true, Some(Value::String(file))) = (is_trace, table.get_mut("file")) {
                *file = folder.join(&*file).to_string_lossy().into_owned();
            }
            table.values_mut().for_each(|item| anchor_traces(item, folder));
        }
        _ => {}
    }
}

/// A TOML value as JSON.
pub(crate) fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(from_toml).collect()),
        toml::Value::Table(table) => from_table(table),
        // JSON has no nan and inf: as texts they reach the field, whose error shows them.
        toml::Value::Float(number) => serde_json::Number::from_f64(number)
            .map_or_else(|| Value::String(number.to_string()), Value::Number),
        toml::Value::Datetime(moment) => Value::String(moment.to_string()),
    }
}

fn from_table(table: toml::Table) -> Value {
    let entries = table.into_iter().map(|(key, value)| (key, from_toml(value)));
    Value::Object(entries.collect::<Map<String, Value>>())
}

/// Line and column of a byte, both counted from 1.
fn place(text: &[u8], at: usize) -> String {
    let (start, line) = (line_start(text, at), line_of(text, at));
    let before = &text[start..at.min(text.len())];
    let column = String::from_utf8_lossy(before).chars().count() + 1;
    format!("line {line}, column {column}")
}

/// The line of a byte, counted from 1.
pub(crate) fn line_of(text: &[u8], at: usize) -> usize {
    text[..line_start(text, at)].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Where the line begins that has this byte in it.
fn line_start(text: &[u8], at: usize) -> usize {
    let before = &text[..at.min(text.len())];
    before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1)
}
