//! Makes a TOML text say another document, with as few changes of the text as possible.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{self as edit, ArrayOfTables, InlineTable, Item, Table, TableLike};

/// Makes the top of a text, which says `before`, say `after`.
pub(crate) fn rewrite_document(
    document: &mut Table,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) {
    rewrite_entries(document, before, after, top_item);
}

/// Makes the entries of a table say `after`; `new` makes new ones.
fn rewrite_entries(
    table: &mut dyn TableLike,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    new: fn(&Value) -> Item,
) {
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        remove(table, key);
    }
    for (key, after) in after {
        match (before.get(key), table.get_mut(key)) {
            (Some(before), Some(item)) => rewrite(item, before, after),
            _ => drop(table.insert(key, new(after))),
        }
    }
}

fn rewrite(item: &mut Item, before: &Value, after: &Value) {
    match (item, before, after) {
        (_, before, after) if before == after => {}
        (Item::Table(table), Value::Object(before), Value::Object(after)) => {
            rewrite_entries(table, before, after, item_of);
            // Without entries, nothing but a header says that it is there.
            if after.is_empty() {
                table.set_dotted(false);
                table.set_implicit(false);
            }
        }
        (Item::ArrayOfTables(tables), Value::Array(before), Value::Array(after))
            if is_tables(after) =>
        {
            rewrite_tables(tables, before, after);
        }
        (Item::Value(value), before, after) => rewrite_value(value, before, after),
        (item, _, after) => *item = item_of(after),
    }
}

fn rewrite_tables(tables: &mut ArrayOfTables, before: &[Value], after: &[Value]) {
    let removed = removed(before, after);
    removed.clone().for_each(|_| drop(tables.remove(removed.start)));
    let left = [&before[..removed.start], &before[removed.end..]].concat();
    for (index, after) in after.iter().enumerate() {
        match (tables.get_mut(index), left.get(index), after) {
            (Some(table), Some(Value::Object(before)), Value::Object(after)) => {
                rewrite_entries(table, before, after, item_of);
            }
            (_, _, after) => tables.push(new_table(after)),
        }
    }
}

/// Which entries of a list are left out if `after` is shorter.
fn removed(before: &[Value], after: &[Value]) -> Range<usize> {
    let same = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    same..same + before.len().saturating_sub(after.len())
}

fn rewrite_value(value: &mut edit::Value, before: &Value, after: &Value) {
    match (value, before, after) {
        (_, before, after) if before == after => {}
        (edit::Value::InlineTable(table), Value::Object(before), Value::Object(after)) => {
            rewrite_entries(table, before, after, item_of);
            if !before.keys().eq(after.keys()) {
                tidy(table);
            }
            if after.is_empty() {
                table.set_dotted(false);
            }
        }
        (edit::Value::Array(array), Value::Array(before), Value::Array(after)) => {
            rewrite_array(array, before, after);
        }
        (value, _, after) => {
            let decor = value.decor().clone();
            *value = new_value(after);
            *value.decor_mut() = decor;
        }
    }
}

fn rewrite_array(array: &mut edit::Array, before: &[Value], after: &[Value]) {
    let removed = removed(before, after);
    removed.clone().for_each(|_| drop(array.remove(removed.start)));
    let left = [&before[..removed.start], &before[removed.end..]].concat();
    for (index, after) in after.iter().enumerate() {
        match (array.get_mut(index), left.get(index)) {
            (Some(value), Some(before)) => rewrite_value(value, before, after),
            _ => append(array, new_value(after)),
        }
    }
}

/// Appends an entry with the indentation of the last one.
fn append(array: &mut edit::Array, mut value: edit::Value) {
    if let Some(last) = array.len().checked_sub(1).and_then(|index| array.get_mut(index)) {
        let decor = last.decor_mut();
        let (prefix, suffix) = (indentation(decor.prefix()), text(decor.suffix()));
        decor.set_suffix("");
        *value.decor_mut() = edit::Decor::new(prefix, suffix);
    }
    array.push_formatted(value);
}

/// What stands before the entry of a list or a table, without comments.
fn indentation(before: Option<&edit::RawString>) -> String {
    let text = text(before);
    let last_line = text.rfind('\n').unwrap_or(0);
    if text.trim().is_empty() { text[last_line..].to_owned() } else { " ".to_owned() }
}

fn text(raw: Option<&edit::RawString>) -> String {
    raw.and_then(edit::RawString::as_str).unwrap_or_default().to_owned()
}

/// Lays out an inline table that has other keys now. One of several lines keeps its lines and comments.
fn tidy(table: &mut InlineTable) {
    let mut alone = table.clone();
    alone.decor_mut().clear();
    if !alone.to_string().contains('\n') {
        table.fmt();
    }
}

/// Removes a key with the comment right above it. What stands above that is kept.
fn remove(table: &mut dyn TableLike, key: &str) {
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    let next = keys.iter().skip_while(|other| *other != key).nth(1);
    let before = above(table, key).map(|raw| text(Some(raw))).unwrap_or_default();
    table.remove(key);
    let kept = before.rfind("\n\n").map_or("", |end| &before[..end + 2]);
    if let (true, Some(next)) = (kept.contains('#'), next) {
        let own = above(table, next).map(|raw| text(Some(raw))).unwrap_or_default();
        set_above(table, next, kept.to_owned() + own.trim_start_matches('\n'));
    }
}

/// The lines above an entry of a table.
fn above<'a>(table: &'a dyn TableLike, key: &str) -> Option<&'a edit::RawString> {
    match table.get(key)? {
        Item::Table(table) if !table.is_dotted() => table.decor().prefix(),
        Item::ArrayOfTables(tables) => tables.get(0)?.decor().prefix(),
        _ => table.key(key)?.leaf_decor().prefix(),
    }
}

fn set_above(table: &mut dyn TableLike, key: &str, lines: String) {
    match table.get_mut(key) {
        Some(Item::Table(table)) if !table.is_dotted() => table.decor_mut().set_prefix(lines),
        Some(Item::ArrayOfTables(tables)) => {
            if let Some(table) = tables.get_mut(0) {
                table.decor_mut().set_prefix(lines);
            }
        }
        _ => {
            if let Some(mut key) = table.key_mut(key) {
                key.leaf_decor_mut().set_prefix(lines);
            }
        }
    }
}

/// At the top, tables and lists of tables have headers.
fn top_item(value: &Value) -> Item {
    match value {
        Value::Object(_) => Item::Table(new_table(value)),
        Value::Array(items) if is_tables(items) => {
            Item::ArrayOfTables(items.iter().map(new_table).collect())
        }
        other => item_of(other),
    }
}

/// Whether a list can have a header for each of its entries.
fn is_tables(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(Value::is_object)
}

/// A table with a header, after an empty line.
fn new_table(value: &Value) -> Table {
    let entries = value.as_object().into_iter().flatten();
    let mut table: Table = entries.map(|(key, value)| (key.as_str(), item_of(value))).collect();
    table.decor_mut().set_prefix("\n");
    table
}

fn item_of(value: &Value) -> Item {
    Item::Value(new_value(value))
}

fn new_value(value: &Value) -> edit::Value {
    match value {
        Value::Null => unreachable!("TOML has no null"),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => edit::Value::Array(new_array(items)),
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.as_str(), new_value(value)));
            edit::Value::InlineTable(entries.collect())
        }
    }
}

/// A list of several tables has a line for each.
fn new_array(items: &[Value]) -> edit::Array {
    let mut array: edit::Array = items.iter().map(new_value).collect();
    if items.len() > 1 && items.iter().all(Value::is_object) {
        array.iter_mut().for_each(|item| item.decor_mut().set_prefix("\n    "));
        array.set_trailing("\n");
        array.set_trailing_comma(true);
    }
    array
}
