//! Defaults that follow from other values; the others stand beside their fields.

use serde_json::{Map, Value};

use super::choices::Preamble;
use super::transport::UDP;
use super::types::{Application, PhyKind, Scenario};

/// Fills in what must be known before the document is read into types.
///
/// What it cannot make sense of it leaves to the reader, whose errors are better.
pub(super) fn fill_document(document: &mut Value) {
    if let Some(cell) = document.get_mut("cell").and_then(Value::as_object_mut) {
        let phy = match cell.get("phy") {
            Some(name) => name.as_str().and_then(PhyKind::from_name),
            None => Some(PhyKind::default()),
        };
        if let Some(phy) = phy {
            default_to(cell, "data_rate", phy.default_data_rate().as_bps());
            default_to(cell, "control_rate", phy.default_control_rate().as_bps());
        }
        put_kind_first(cell, "queue");
    }
    if let Some(wired) = document.get_mut("wired").and_then(Value::as_object_mut) {
        put_kind_first(wired, "queue");
    }
    let stations = document.get_mut("station").and_then(Value::as_array_mut);
    for station in stations.into_iter().flatten() {
        if let Some(station) = station.as_object_mut() {
            put_kind_first(station, "queue");
            put_kind_first(station, "error");
        }
        let flows = station.get_mut("flows").and_then(Value::as_array_mut);
        for flow in flows.into_iter().flatten().filter_map(Value::as_object_mut) {
            put_kind_first(flow, "transport");
            let transport = flow.get("transport").map(|t| t.get("kind").unwrap_or(t));
            if transport.and_then(Value::as_str) == Some(UDP.name) {
                default_to(flow, "application", Application::Cbr.name());
            }
            if flow.get("window").and_then(Value::as_u64) == Some(1) {
                default_to(flow, "initial_window", 1);
            }
        }
    }
}

/// Fills in the optional values of a scenario that has been read.
pub(super) fn fill_scenario(scenario: &mut Scenario) {
    if scenario.cell.phy == PhyKind::Dot11b {
        scenario.cell.preamble.get_or_insert(Preamble::Long);
    }
    let marks_packets = scenario.cell.queue.discipline.name() == "spm-af";
    for flow in scenario.station.iter_mut().flat_map(|s| &mut s.flows) {
        let marking = *flow.spm_marking.get_or_insert(marks_packets && flow.transport.is_tcp());
        flow.byte_counting.get_or_insert(marking);
        flow.initial_ssthresh.get_or_insert(flow.window);
    }
}

/// Moves the `kind` of the part in `table[key]` before its parameters, which it gives a meaning.
fn put_kind_first(table: &mut Map<String, Value>, key: &str) {
    if let Some(part) = table.get_mut(key).and_then(Value::as_object_mut)
        && let Some(kind) = part.shift_remove("kind")
    {
        part.shift_insert(0, "kind".to_owned(), kind);
    }
}

fn default_to(table: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    table.entry(key).or_insert_with(|| value.into());
}
