//! Changes of texts: they mean what they mean on the command line, and leave the rest of a text alone.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::fs;
use std::path::Path;

use evenair_sim::scenario::{self, document_from_toml};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

type Change = (String, Option<String>);

/// The changed text.
fn set(toml: &str, changes: &[Change]) -> Result<String, Value> {
    let request = json!({ "call": "set", "toml": toml, "changes": changes });
    let mut answer: Value =
        serde_json::from_str(&evenair_web::answer(&request.to_string())).unwrap();
    match answer["ok"].take() {
        Value::String(text) => Ok(text),
        _ => Err(answer["error"].take()),
    }
}

fn document(toml: &str) -> Value {
    document_from_toml(toml.as_bytes(), "test").unwrap()
}

fn changed(toml: &str, changes: &[(&str, Option<&str>)]) -> String {
    let owned = |(key, value): &(&str, Option<&str>)| ((*key).to_owned(), value.map(str::to_owned));
    set(toml, &changes.iter().map(owned).collect::<Vec<_>>()).unwrap()
}

/// The document after the changes, without any text.
fn expected(toml: &str, changes: &[Change]) -> Option<Value> {
    let mut document = document(toml);
    for (key, value) in changes {
        match value {
            Some(value) => scenario::set(&mut document, key, value, "test").ok()?,
            None => {
                let (table, last) = key.rsplit_once('.').unwrap_or(("", key));
                let pointer: String = table
                    .split('.')
                    .filter(|step| !step.is_empty())
                    .map(|step| format!("/{step}"))
                    .collect();
                match document.pointer_mut(&pointer) {
                    Some(Value::Object(table)) => drop(table.remove(last)),
                    Some(Value::Array(list)) => {
                        let index = last.parse().unwrap_or(usize::MAX);
                        *list = list
                            .drain(..)
                            .enumerate()
                            .filter(|(i, _)| *i != index)
                            .map(|(_, item)| item)
                            .collect();
                    }
                    _ => {}
                }
            }
        }
    }
    Some(document)
}

/// The built-in scenarios, the texts of the tests of scenarios, and ways to write tables.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts: Vec<String> = ["python/evenair/scenarios", "crates/evenair-sim/tests/corpus"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| fs::read_to_string(path).ok())
        .filter(|text| document_from_toml(text.as_bytes(), "test").is_ok())
        .collect();
    assert!(texts.len() > 10);
    texts.sort();
    let written = [
        "cell.queue = \"las\" # short\nstation = [{ flows = [{ direction = \"up\" }] }]\n",
        "# head\n\ncell = { queue = { kind = \"codel\", limit = 9, target = 0.01 }, phy = \"802.11a\" }\n[[station]]\nflows = []",
        "[cell.queue]\n# of CoDel\ntarget = 0.01\nkind = \"codel\"\n[[station]]\ncount = 2\n[[station.flows]]\ndirection = \"up\"\n[[station.flows]]\ndirection = \"down\"\n[[station]]\nerror.rate = 0.1\nerror.level = \"mac\"\n",
        "trace.interval = 1\ncell.queue.limit = 3\ncell.phy = \"802.11b\"\n[wired]\n[[station]]\nflows = [ { direction = \"up\", application = { kind = \"web\", think = { distribution = \"exponential\", mean = 1 } } } ]\nqueue = { limit = 5,\n  # lines\n  kind = \"pie\"\n}\n",
        "[[station]]\nqueue = \"las\"\n[station.error]\nrate = 0.5\n[trace]\n[gateway]\nlimiter = { kind = \"fixed\", rate = \"1 Mbps\" }\n",
    ];
    texts.extend(written.map(str::to_owned));
    texts
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    const KEYS: [&str; 40] = [
        "name",
        "duration",
        "warmup",
        "trace",
        "trace.interval",
        "cell",
        "cell.kind",
        "cell.phy",
        "cell.queue",
        "cell.queue.kind",
        "cell.queue.limit",
        "cell.queue.target",
        "cell.controller",
        "cell.controller.kind",
        "wired",
        "wired.rate",
        "wired.delay",
        "wired.queue.limit",
        "gateway",
        "gateway.limiter",
        "gateway.limiter.kind",
        "gateway.limiter.rate",
        "station",
        "station.0",
        "station.1",
        "station.0.count",
        "station.1.count",
        "station.0.queue",
        "station.0.queue.limit",
        "station.0.error",
        "station.0.error.rate",
        "station.1.error.level",
        "station.0.flows",
        "station.0.flows.0",
        "station.0.flows.1",
        "station.0.flows.0.window",
        "station.0.flows.0.transport",
        "station.0.flows.0.application",
        "station.0.flows.0.application.kind",
        "station.0.flows.0.application.think.distribution",
    ];
    const VALUES: [&str; 22] = [
        "5",
        "-3",
        "0.25",
        "1e-7",
        "1e300",
        "true",
        "11 Mbps",
        "las",
        "codel",
        "web",
        "constant",
        "802.11a",
        "\"a \\\"b\\\" # c\"",
        "[]",
        "[1, 2, 3]",
        "[0.5, \"x\"]",
        "{}",
        "{ kind = \"las\", limit = 20 }",
        "{ kind = \"web\", think = { distribution = \"constant\", mean = 2 } }",
        "[{ direction = \"up\" }]",
        "[{ direction = \"up\" }, { direction = \"down\", window = 4 }]",
        "[{ count = 2, flows = [{ direction = \"up\" }] }, { flows = [] }]",
    ];
    let value = prop::option::weighted(0.8, select(VALUES.as_slice()));
    let change = (select(KEYS.as_slice()), value)
        .prop_map(|(key, value)| (key.to_owned(), value.map(str::to_owned)));
    prop::collection::vec(change, 1..5)
}

proptest! {
    #![proptest_config(evenair_testing::config!(4000))]

    #[test]
    fn a_change_of_a_text_is_one_of_its_document(text in select(texts()), changes in changes()) {
        match (set(&text, &changes), expected(&text, &changes)) {
            (Ok(changed), Some(expected)) => prop_assert_eq!(document(&changed), expected, "{}", changed),
            (Err(_), None) => {}
            (answer, expected) => prop_assert!(false, "{answer:?} {expected:?}"),
        }
    }

    /// Setting a key and setting it back changes the layout of nothing else.
    #[test]
    fn other_lines_stay(text in select(texts()), count in 2..99_u32) {
        let Some(before) = document(&text).pointer("/station/0/count").and_then(Value::as_u64) else {
            return Ok(());
        };
        let key = "station.0.count";
        let there = changed(&text, &[(key, Some(&count.to_string()))]);
        let differing = text.lines().zip(there.lines()).filter(|(a, b)| a != b).count();
        prop_assert!(differing <= 1, "{there}");
        let back = changed(&there, &[(key, Some(&before.to_string()))]);
        prop_assert_eq!(back.lines().collect::<Vec<_>>(), text.lines().collect::<Vec<_>>());
    }
}

const TEXT: &str = r#"# Two stations.

# Its name.
name = "two"
duration = "10 s" # short

[cell]
queue = "droptail" # the usual one

[[station]]
count = 1
flows = [
    { direction = "up", window = 20 },   # one
    { direction = "down" },
]
"#;

#[test]
fn a_value_keeps_the_comment_behind_it() {
    let text = changed(TEXT, &[("duration", Some("20 s")), ("cell.queue.limit", Some("30"))]);
    let expected = TEXT
        .replace("\"10 s\"", "\"20 s\"")
        .replace("\"droptail\"", "{ kind = \"droptail\", limit = 30 }");
    assert_eq!(text, expected);
}

#[test]
fn a_list_of_several_lines_keeps_them() {
    let text = changed(TEXT, &[("station.0.flows.0.window", Some("40"))]);
    assert_eq!(text, TEXT.replace("window = 20", "window = 40"));
    let text = changed(TEXT, &[("station.0.flows.1.transport", Some("cubic"))]);
    let with = r#"{ direction = "down", transport = "cubic" }"#;
    assert_eq!(text, TEXT.replace(r#"{ direction = "down" }"#, with));
}

#[test]
fn new_tables_have_headers() {
    let text = changed(TEXT, &[("trace.interval", Some("1 s"))]);
    assert_eq!(text, format!("{TEXT}\n[trace]\ninterval = \"1 s\"\n"));
}

#[test]
fn a_removed_key_takes_the_comment_right_above_it() {
    let text = changed(TEXT, &[("name", None)]);
    assert_eq!(text, TEXT.replace("# Its name.\nname = \"two\"\n", ""));
    let text = changed(TEXT, &[("station.0.flows.0.window", None)]);
    assert_eq!(text, TEXT.replace(", window = 20", ""));
}

#[test]
fn another_kind_replaces_the_parameters() {
    let toml = "[cell]\nqueue = { kind = \"codel\", limit = 100, target = \"5 ms\" }\n";
    let text = changed(toml, &[("cell.queue.kind", Some("las"))]);
    assert_eq!(text, "[cell]\nqueue = { kind = \"las\", limit = 100 }\n");
}

#[test]
fn errors_have_key_and_line() {
    let changes = [("station.1.count".to_owned(), Some("2".to_owned()))];
    let error = set(TEXT, &changes).unwrap_err();
    assert_eq!((&error["field"], &error["line"]), (&json!("station.1"), &json!(10)), "{error}");
    let error = set("duration = \"10 s\"\nname = two\n", &changes).unwrap_err();
    assert_eq!((&error["field"], &error["line"]), (&Value::Null, &json!(2)), "{error}");
}
