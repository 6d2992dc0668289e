//! The table of labels fits the documents whose quantities it names.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::collections::BTreeSet;

use evenair_sim::scenario::{document_from_toml, json_schema, resolve};
use evenair_sim::{LABELS, RunOptions, parts, run};
use serde_json::{Map, Value};

/// Between them, all that results can have: rate limiter, beacons and files; A-MPDUs and calls; frames and requests.
const SCENARIOS: [&str; 3] = [
    r#"
        duration = 5
        gateway = { limiter = "adaptive" }
        cell = { phy = "802.11a", controller = "cot" }
        [[station]]
        flows = [
            { direction = "down", application = { kind = "file", size = 10000 } },
            { direction = "up" },
        ]
    "#,
    r#"
        duration = 1
        cell = { phy = "802.11ax" }
        [[station]]
        flows = [
            { direction = "down" },
            { direction = "up", application = "stream" },
            { transport = "udp", application = "voip" },
            { transport = "udp", application = "video-call", rate = "1 Mbps" },
        ]
    "#,
    r#"
        duration = 5
        cell = { kind = "wimax" }
        [[station]]
        flows = [{ direction = "down" }, { direction = "up" }]
    "#,
];

/// What says nothing of the run's outcome, or counts a part of what a metric counts.
const NO_METRICS: &str = "seed result_version events ap_queue_data_arrivals ap_queue_data_drops \
    ap_queue_ack_arrivals ap_queue_ack_drops ap_queue_acks_filtered ap_queue_drops_on_arrival \
    ap_queue_drops_on_departure ap_queue_evicted ap_queue_marks symbols dl_symbols ul_symbols \
    dl_data_symbols ul_data_symbols dl_capacity_bps ul_capacity_bps";

/// What is computed from several numbers of a document.
const COMPUTED: &str = "mean_up_goodput_bps mean_down_goodput_bps mean_session_s mean_mos worst_mos \
    mean_frame_delay_s mean_frozen_s mean_stalls_s mean_page_load_s mean_completion_s";

fn set(names: &str) -> BTreeSet<String> {
    names.split_whitespace().map(str::to_owned).collect()
}

fn table() -> Value {
    serde_json::from_str(LABELS).unwrap()
}

fn names(table: &Value, part: &str) -> Vec<String> {
    table[part].as_object().unwrap().keys().cloned().collect()
}

fn labelled() -> BTreeSet<String> {
    let table = table();
    let mut all = names(&table, "metrics");
    for delay in names(&table, "delays") {
        all.extend(names(&table, "parts").iter().map(|part| format!("{delay}_{part}_s")));
    }
    all.into_iter().collect()
}

/// The names of the numbers of an object; those of a distribution `rtt_s` are `rtt_mean_s`, ...
fn numbers(prefix: &str, object: &Map<String, Value>) -> Vec<String> {
    let names = object.iter().flat_map(|(name, value)| match value {
        Value::Number(_) => vec![format!("{prefix}{name}")],
        Value::Object(parts) if parts.contains_key("p50") => {
            let stem = name.strip_suffix("_s").unwrap();
            parts.keys().map(|part| format!("{prefix}{stem}_{part}_s")).collect()
        }
        _ => Vec::new(),
    });
    names.collect()
}

/// The numbers of runs, and apart from them those of their flows and stations.
fn found() -> [BTreeSet<String>; 2] {
    let (mut of_runs, mut of_rows) = (BTreeSet::new(), BTreeSet::new());
    for toml in SCENARIOS {
        let document = document_from_toml(toml.as_bytes(), "test").unwrap();
        let scenario = resolve(document, "test").unwrap();
        let result = run(&scenario, 1, &RunOptions::default()).unwrap();
        let result = serde_json::to_value(result).unwrap();
        of_runs.extend(numbers("", result.as_object().unwrap()));
        for block in ["ap_queue", "limiter", "requests", "frame"] {
            let prefix = if block == "frame" { "" } else { &format!("{block}_") };
            let object = result.get(block).and_then(Value::as_object);
            of_runs.extend(object.into_iter().flat_map(|object| numbers(prefix, object)));
        }
        let rows = ["flows", "stations"].into_iter().flat_map(|name| result[name].as_array());
        of_rows.extend(rows.flatten().flat_map(|row| numbers("", row.as_object().unwrap())));
    }
    [of_runs, of_rows]
}

#[test]
fn every_metric_of_a_result_has_a_label() {
    let [of_runs, _] = found();
    let missing: BTreeSet<_> = of_runs.difference(&labelled()).cloned().collect();
    assert_eq!(missing, set(NO_METRICS));
}

#[test]
fn no_label_is_of_a_metric_that_no_result_has() {
    let known: BTreeSet<_> = found().into_iter().flatten().chain(set(COMPUTED)).collect();
    assert_eq!(labelled().difference(&known).collect::<Vec<_>>(), Vec::<&String>::new());
    for name in table()["main"].as_array().unwrap() {
        assert!(labelled().contains(name.as_str().unwrap()), "{name}");
    }
}

/// A unit that is misspelt would not be scaled.
#[test]
fn units_are_known() {
    let table = table();
    let units = &table["units"];
    let plain = set("s packets segments bytes dB m");
    for part in ["metrics", "keys", "station_keys", "last_parts"] {
        for (name, label) in table[part].as_object().unwrap() {
            let unit = label.get(1).and_then(Value::as_str).unwrap_or_default();
            assert!(unit.is_empty() || plain.contains(unit) || units[unit].is_f64(), "{name}");
        }
    }
}

/// Or of a parameter of a component. Also the columns of results are in the table.
#[test]
fn labels_of_keys_are_of_keys_that_a_scenario_has() {
    let mut known = set("id seed kind mean");
    collect_properties(&json_schema(), &mut known);
    for part in parts().as_array().unwrap() {
        let parameters = part["parameters"].as_array().unwrap().iter();
        known.extend(parameters.map(|parameter| parameter["name"].as_str().unwrap().to_owned()));
    }
    for part in ["keys", "station_keys", "last_parts"] {
        for name in names(&table(), part) {
            assert!(name.split('.').all(|part| known.contains(part)), "{name}");
        }
    }
}

fn collect_properties(schema: &Value, known: &mut BTreeSet<String>) {
    if let Some(Value::Object(properties)) = schema.get("properties") {
        known.extend(properties.keys().cloned());
    }
    match schema {
        Value::Object(members) => {
            members.values().for_each(|member| collect_properties(member, known));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_properties(item, known)),
        _ => {}
    }
}
