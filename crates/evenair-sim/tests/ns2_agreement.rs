//! TCP over DCF against ns-2.35: the stored rows of `validation/ns2` and their bars.
//!
//! Both sides are means over seeds (ns-2: 5 of 300 s, ours: 10), so a bar is compared with a
//! difference of means whose standard error is well below it, for all quantities but one: Jain's
//! index at a buffer of 10 packets, where a few uploads starve. There ns-2's five stored seeds
//! (0.379) lie outside of the 95% interval of twenty (0.402, `f1_buffer10_20seeds.json`). The
//! stored row is compared in all else, and the row of twenty seeds in everything.
//!
//! What waits in the queue is measured without the first 20 s, as ns-2's was.

#![allow(clippy::print_stdout, reason = "the log shows the differences")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::fs;
use std::path::Path;

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};
use rayon::prelude::*;
use serde_json::Value;

/// What ns-2 was run with, in our keys; `limited_transmit` is left at the RFC's.
const SCENARIO: &str = r#"
    duration = "300 s"
    [cell]
    control_rate = "2 Mbps"
    preamble = "120 us"
    mac_overhead = 34
    immediate_access = false
    [[station]]
    extra_header = 20
    flows = [{ direction = "up" }]
    [[station]]
    extra_header = 20
    flows = [{ direction = "down" }]
"#;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=10;

/// A quantity of a row: ns-2's, ours, and how far they may be apart.
struct Comparison {
    what: &'static str,
    ns2: f64,
    ours: f64,
    bar: f64,
}

#[test]
fn buffer_sweep() {
    let stored = rows("f1_buffer_sweep.json");
    check(&stored[..1], &["Jain's index"]);
    check(&rows("f1_buffer10_20seeds.json"), &[]);
    check(&stored[1..], &[]);
}

#[test]
fn one_up_and_many_down() {
    check(&rows("f2_one_up_n_down_buffer60.json"), &[]);
}

/// What keeps us apart from ns-2 where losses are many is its limited transmit, which sends old
/// segments again after a timeout: with the same rule 1 + 25 flows agree within 0.5%.
#[test]
fn limited_transmit_explains_the_rest() {
    let row = rows("f2_one_up_n_down_buffer60.json").pop().unwrap();
    let any = [0, 1].map(|i| format!("station.{i}.flows.0.limited_transmit"));
    let overrides: Vec<(&str, &str)> = any.iter().map(|key| (key.as_str(), "any")).collect();
    let runs = simulate(&row, &overrides);
    let ours = mean(&runs, |r| r.aggregate_goodput_bps / 1e6);
    let ns2 = number(&row, "aggregate_goodput_mbps");
    assert!((ours / ns2 - 1.0).abs() < 0.005, "ours {ours}, ns-2 {ns2}");
}

/// Compares every row; prints all before it fails, so that the log shows all differences. What is
/// `but_for` is printed and not judged.
fn check(rows: &[Value], but_for: &[&str]) {
    let mut misses = Vec::new();
    for row in rows {
        let name = format!("{} up, {} down, buffer {}", row["n_up"], row["n_down"], buffer(row));
        for c in compare(row) {
            let line = format!(
                "{name}: {} ns-2 {:.4}, ours {:.4}, difference {:+.4}, bar {:.4}",
                c.what,
                c.ns2,
                c.ours,
                c.ours - c.ns2,
                c.bar
            );
            println!("{line}");
            if (c.ours - c.ns2).abs() > c.bar && !but_for.contains(&c.what) {
                misses.push(line);
            }
        }
    }
    assert!(misses.is_empty(), "beyond the bar:\n{}", misses.join("\n"));
}

fn compare(row: &Value) -> Vec<Comparison> {
    let runs = &simulate(row, &[]);
    let queue = &simulate(row, &[("warmup", "20 s"), ("duration", "280 s")]);
    let direction = |r: &RunResult, direction: &str| {
        let flows = r.flows.iter().filter(|f| f.direction == Some(direction));
        let goodputs: Vec<f64> = flows.map(|f| f.goodput_bps / 1e6).collect();
        goodputs.iter().sum::<f64>() / goodputs.len() as f64
    };
    let aggregate = number(row, "aggregate_goodput_mbps");
    let up = number(row, "mean_goodput_per_up_flow_mbps");
    let down = number(row, "mean_goodput_per_down_flow_mbps");
    let jain = number(row, "jain_index_of_flow_goodputs");
    let data = number(row, "ap_queue_mean_waiting_data_packets");
    let acks = number(row, "ap_queue_mean_waiting_tcp_ack_packets");
    // Each part within 10% of itself; a tenth of a packet where next to nothing waits.
    let part = |waiting: f64| (0.1 * waiting).max(0.1);
    [
        (
            "aggregate Mb/s",
            aggregate,
            mean(runs, |r| r.aggregate_goodput_bps / 1e6),
            0.02 * aggregate,
        ),
        ("per upload Mb/s", up, mean(runs, |r| direction(r, "up")), (0.05 * up).max(0.02)),
        ("per download Mb/s", down, mean(runs, |r| direction(r, "down")), (0.05 * down).max(0.02)),
        ("Jain's index", jain, mean(runs, |r| r.jain_index), 0.03),
        ("data waiting", data, mean(queue, |r| r.ap_queue.mean_data), part(data)),
        ("ACKs waiting", acks, mean(queue, |r| r.ap_queue.mean_acks), part(acks)),
    ]
    .map(|(what, ns2, ours, bar)| Comparison { what, ns2, ours, bar })
    .into()
}

fn simulate(row: &Value, overrides: &[(&str, &str)]) -> Vec<RunResult> {
    let mut document = document_from_toml(SCENARIO.as_bytes(), "test").unwrap();
    let own = [
        ("station.0.count", row["n_up"].to_string()),
        ("station.1.count", row["n_down"].to_string()),
        ("cell.queue.limit", buffer(row)),
    ];
    for (key, value) in own.iter().map(|(k, v)| (*k, v.as_str())).chain(overrides.iter().copied()) {
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").unwrap();
    let seeds: Vec<u64> = SEEDS.collect();
    seeds.par_iter().map(|&seed| run(&scenario, seed, &RunOptions::default()).unwrap()).collect()
}

fn rows(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/ns2").join(file);
    let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    document["rows"].as_array().unwrap().clone()
}

fn buffer(row: &Value) -> String {
    row["ap_buffer_packets"].as_u64().unwrap_or(60).to_string()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]["mean"].as_f64().unwrap()
}

fn mean(runs: &[RunResult], quantity: impl Fn(&RunResult) -> f64) -> f64 {
    runs.iter().map(quantity).sum::<f64>() / runs.len() as f64
}
