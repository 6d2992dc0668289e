//! TCP over DCF against ns-2.35: the stored rows of `validation/ns2` and their bars, with stations at
//! 3 m and, for some rows, at 30 m.
//!
//! Both sides are means over seeds (ns-2: 5 of 300 s, ours: 10). Goodputs of downloads, which may
//! starve, and the loss ratio of the access point's queue have a relative bar and in addition the
//! 95% interval of the difference. For the others the standard error is well below the bar, but for
//! Jain's index at a buffer of 10 packets, where a few uploads starve. There ns-2's five stored seeds
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
    flows = [{ direction = "up", tcp = "ns2" }]
    [[station]]
    extra_header = 20
    flows = [{ direction = "down", tcp = "ns2" }]
"#;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=10;
/// Student's t at 97.5% with 9 degrees of freedom.
const T: f64 = 2.262;

/// A quantity of a row: ns-2's, ours, and how far they may be apart.
struct Comparison {
    what: &'static str,
    ns2: f64,
    ours: f64,
    bar: f64,
}

#[test]
#[ignore = "long"]
fn buffer_sweep() {
    let stored = rows("f1_buffer_sweep.json");
    check(&stored[..1], &["Jain's index"]);
    check(&rows("f1_buffer10_20seeds.json"), &[]);
    check(&stored[1..], &[]);
}

/// Not judged is the loss ratio at a buffer of 70 packets, where ns-2, which halves cwnd with its
/// fraction, loses more; see [`whole_segment_halving`].
#[test]
fn buffer_sweep_at_30_m() {
    let stored = rows("f1_buffer_sweep_30m.json");
    check(&stored[..1], &["Jain's index"]);
    check(&stored[1..], &["loss ratio"]);
}

#[test]
#[ignore = "long"]
fn one_up_and_many_down() {
    check(&rows("f2_one_up_n_down_buffer60.json"), &[]);
    check(&rows("f2_one_up_n_down_buffer60_30m.json"), &[]);
}

/// With a loss that halves cwnd in whole segments, as RFC 5681 halves FlightSize.
#[test]
fn whole_segment_halving() {
    check(&rows("f11_whole_segment_halving.json"), &[]);
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
        let distance = row["station_distance_m"].as_f64().unwrap_or(3.0);
        let (up, down) = (&row["n_up"], &row["n_down"]);
        let name = format!("{up} up, {down} down, buffer {}, {distance} m", buffer(row));
        for c in compare(row) {
            let line = format!(
                "{name}: {} ns-2 {:.5}, ours {:.5}, difference {:+.5}, bar {:.5}",
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
    let down = |r: &RunResult| direction(r, "down");
    let loss = |r: &RunResult| r.ap_queue.loss_ratio;
    // Each part of the queue within 10% of itself; a tenth of a packet where next to nothing waits.
    let waiting = |ns2: f64| (0.1 * ns2).max(0.1);
    let comparison = |what, key, ours, bar: &dyn Fn(f64) -> f64| {
        let ns2 = number(row, key);
        Comparison { what, ns2, ours, bar: bar(ns2) }
    };
    let down_key = "mean_goodput_per_down_flow_mbps";
    let loss_key = "ap_queue_loss_ratio_all_packets";
    vec![
        comparison(
            "aggregate Mb/s",
            "aggregate_goodput_mbps",
            mean(runs, |r| r.aggregate_goodput_bps / 1e6),
            &|ns2| 0.02 * ns2,
        ),
        comparison(
            "per upload Mb/s",
            "mean_goodput_per_up_flow_mbps",
            mean(runs, |r| direction(r, "up")),
            &|ns2| 0.05 * ns2,
        ),
        comparison("per download Mb/s", down_key, mean(runs, down), &|ns2| {
            0.05 * ns2 + interval(row, down_key, runs, down)
        }),
        comparison(
            "Jain's index",
            "jain_index_of_flow_goodputs",
            mean(runs, |r| r.jain_index),
            &|_| 0.03,
        ),
        comparison(
            "data waiting",
            "ap_queue_mean_waiting_data_packets",
            mean(queue, |r| r.ap_queue.mean_data),
            &waiting,
        ),
        comparison(
            "ACKs waiting",
            "ap_queue_mean_waiting_tcp_ack_packets",
            mean(queue, |r| r.ap_queue.mean_acks),
            &waiting,
        ),
        comparison("loss ratio", loss_key, mean(queue, loss), &|ns2| {
            0.1 * ns2 + interval(row, loss_key, queue, loss)
        }),
    ]
}

/// Half-width of the 95% interval of the difference between ns-2's mean and ours.
fn interval(
    row: &Value,
    key: &str,
    runs: &[RunResult],
    quantity: impl Fn(&RunResult) -> f64,
) -> f64 {
    let (n, mean) = (runs.len() as f64, mean(runs, &quantity));
    let variance = runs.iter().map(|r| (quantity(r) - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (T * (variance / n).sqrt()).hypot(row[key]["ci95_half_width"].as_f64().unwrap())
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
