//! Datagrams that need no events against the same with events, which a capture asks for.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_core::rng::{RngStream, StreamId};
use evenair_sim::scenario::resolve;
use evenair_sim::{CaptureSinks, RunOptions, run, run_with_captures};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Draws one of `values`.
fn pick<T: Clone>(rng: &mut RngStream, values: &[T]) -> T {
    values[rng.up_to(values.len() as u32 - 1) as usize].clone()
}

/// Packets of any size, some of which leave at the same time, again and again.
fn trace(rng: &mut RngStream) -> Value {
    let mut at = 0.0;
    let packets: Vec<_> = (0..=rng.up_to(20))
        .map(|_| {
            at += pick(rng, &[0.0, 0.0, 0.001, 0.03]);
            json!([at, 29 + rng.up_to(1471)])
        })
        .collect();
    json!({ "kind": "trace", "packets": packets, "repeat": at + 0.01 })
}

/// A flow of which the other end is the server.
fn flow(rng: &mut RngStream, has_categories: bool) -> Value {
    let (kind, rate) = (rng.up_to(9), pick(rng, &["60 kbps", "300 kbps", "2 Mbps", "9 Mbps"]));
    let start = pick(rng, &["0 s", "0 s", "10 ms", "313 ms"]);
    let mut flow = match kind {
        0 => json!({ "direction": "down", "transport": "cubic" }),
        1 => json!({ "direction": "up", "transport": "cubic" }),
        2 => json!({ "direction": "down", "transport": "udp", "application": "cbr", "rate": rate }),
        3 => {
            json!({ "transport": "udp", "application": { "kind": "voip", "playout": "adaptive" } })
        }
        4 => json!({ "direction": "up", "transport": "udp", "application": trace(rng) }),
        5 => json!({
            "direction": pick(rng, &["up", "down"]), "transport": "udp",
            "application": { "kind": "ping", "interval": pick(rng, &["7 ms", "20 ms"]) },
        }),
        _ => {
            let application = pick(rng, &["cbr", "cbr", "poisson", "on-off", "video-call"]);
            json!({
                "direction": "up", "transport": "udp", "application": application, "rate": rate,
            })
        }
    };
    flow["start"] = json!(start);
    if has_categories {
        flow["access_category"] = json!(pick(rng, &["be", "bk", "vi", "vo"]));
    }
    if rng.up_to(3) == 0 {
        flow["stop"] = json!("900 ms");
    }
    flow
}

/// A WLAN cell with up to five groups of stations, some of which only send datagrams.
fn cell(number: u64) -> Value {
    let rng = &mut RngStream::new(number, StreamId::Queue, 0);
    let phy = pick(rng, &["802.11b", "802.11g", "802.11n", "802.11ax"]);
    let has_categories = phy == "802.11n" || phy == "802.11ax";
    let station = |rng: &mut RngStream| {
        let flows: Vec<_> = (0..=rng.up_to(2)).map(|_| flow(rng, has_categories)).collect();
        let limit =
            pick(rng, &[json!(1), json!(3), json!(50), json!("4000 B"), json!("unlimited")]);
        let kind = pick(rng, &["droptail", "droptail", "las", "codel", "pie"]);
        let mut station = json!({
            "count": 1 + rng.up_to(3), "flows": flows, "queue": { "kind": kind, "limit": limit },
        });
        if rng.up_to(2) == 0 {
            let level = pick(rng, &["ip", "mac"]);
            station["error"] = json!({ "kind": "independent", "rate": 0.1, "level": level });
        }
        station
    };
    let stations: Vec<_> = (0..=rng.up_to(4)).map(|_| station(rng)).collect();
    let (rate, delay) = (pick(rng, &["2 Mbps", "100 Mbps"]), pick(rng, &["0 ms", "2 ms", "70 ms"]));
    let mut document = json!({
        "duration": "1 s", "warmup": "300 ms",
        "cell": { "phy": phy }, "station": stations, "wired": { "rate": rate, "delay": delay },
    });
    match rng.up_to(2) {
        0 => document["trace"] = json!({ "interval": "100 ms" }),
        1 => document["cell"]["beacon_interval"] = json!("100 ms"),
        _ => {}
    }
    document
}

/// The result, without the number of events.
fn result_of(document: &Value, captures: Option<CaptureSinks>) -> Value {
    let scenario = resolve(document.clone(), "test").unwrap();
    let options = RunOptions::default();
    let result = match captures {
        None => run(&scenario, 1, &options),
        captures => run_with_captures(&scenario, 1, &options, captures),
    };
    let mut result = serde_json::to_value(result.unwrap()).unwrap();
    assert!(result.as_object_mut().unwrap().remove("events").is_some());
    result
}

/// The leaves in which two documents differ.
fn differences(a: &Value, b: &Value) -> Vec<String> {
    let parts = |value: &Value| -> Vec<(String, Value)> {
        match value {
            Value::Object(map) => {
                map.iter().map(|(key, part)| (key.clone(), part.clone())).collect()
            }
            Value::Array(list) => {
                (0..).zip(list).map(|(i, part): (u32, _)| (i.to_string(), part.clone())).collect()
            }
            _ => Vec::new(),
        }
    };
    let (of_a, of_b) = (parts(a), parts(b));
    if of_a.is_empty() || of_a.len() != of_b.len() {
        return if a == b { Vec::new() } else { vec![format!(": {a} and {b}")] };
    }
    let each = of_a.iter().zip(&of_b);
    let named = each.flat_map(|((key, a), (_, b))| {
        differences(a, b).into_iter().map(move |rest| format!("{key} {rest}"))
    });
    named.collect()
}

proptest! {
    #![proptest_config(evenair_testing::config!(200))]

    #[test]
    fn a_capture_changes_no_result(number in any::<u64>().no_shrink()) {
        let document = cell(number);
        let captures = CaptureSinks { air: None, wire: Box::new(std::io::sink()) };
        let (quiet, captured) = (result_of(&document, None), result_of(&document, Some(captures)));
        let different = differences(&quiet, &captured);
        prop_assert!(different.is_empty(), "{different:#?} in {document:#}");
    }
}
