//! Persistent downloads with RTS/CTS and a window of 1000, against ns-2.35: the rows of `f3_*.json`
//! in `validation/ns2`, 1 to 30 connections and one acknowledgement for 1 to 5 segments.
//!
//! Both sides are means over five seeds of 80 s. In a window so large the buffer never overflows, so
//! what is compared is the DCF, and when acknowledgements are sent.

#![allow(clippy::print_stdout, reason = "the log shows the differences")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{RunOptions, RunResult, run};
use rayon::prelude::*;
use serde_json::Value;

/// `fixed_parameters` of the files, in our keys. ns-2's link layers take 100 us per TCP round trip:
/// that is the wire's delay here.
const CELL: &str = r#"
    warmup = "21 s"
    duration = "80 s"
    [cell]
    control_rate = "2 Mbps"
    preamble = "long"
    rts_threshold = 0
    mac_overhead = 34
    immediate_access = false
    queue = { kind = "droptail", limit = 10000000 }
    [wired]
    rate = "unlimited"
    delay = "50 us"
"#;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

/// How far throughput may be from ns-2's, as a share of it.
const BAR: f64 = 0.03;

#[test]
fn connections() {
    check("f3_persistent_downloads_w1000.json");
}

#[test]
fn delayed_acknowledgements() {
    check("f3_delayed_ack_w1000.json");
}

/// Compares every row; prints all before it fails.
fn check(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/ns2").join(file);
    let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut misses = Vec::new();
    for row in document["rows"].as_array().unwrap() {
        let ns2 = row["aggregate_throughput_mbps"]["mean"].as_f64().unwrap();
        let runs = simulate(row);
        let ours = runs.iter().map(|r| r.aggregate_goodput_bps / 1e6).sum::<f64>();
        let ours = ours / runs.len() as f64;
        let line = format!(
            "{} of {}, d = {}, timer {} s: ns-2 {ns2:.4} Mb/s, ours {ours:.4}, {:+.2}%",
            row["n_connections"],
            row["tcp_agent"],
            row["delack_d"],
            timer(row),
            100.0 * (ours / ns2 - 1.0)
        );
        println!("{line}");
        if (ours / ns2 - 1.0).abs() > BAR {
            misses.push(line);
        }
    }
    assert!(misses.is_empty(), "beyond the bar:\n{}", misses.join("\n"));
}

fn simulate(row: &Value) -> Vec<RunResult> {
    let window = &row["tcp_window_packets"];
    let first = row["initial_window_packets"].as_u64().unwrap_or(2);
    let (d, timer) = (&row["delack_d"], timer(row));
    let mut text = CELL.to_owned();
    for i in 0..row["n_connections"].as_u64().unwrap() {
        let start = 1.0 + 0.05 * i as f64;
        write!(
            text,
            r#"
            [[station]]
            flows = [{{ direction = "down", segment = 1000, window = {window},
                initial_window = {first}, delayed_ack = {d}, delayed_ack_timeout = {timer},
                start = {start} }}]"#
        )
        .unwrap();
    }
    let scenario = resolve(document_from_toml(text.as_bytes(), "test").unwrap(), "test").unwrap();
    let seeds: Vec<u64> = SEEDS.collect();
    seeds.par_iter().map(|&seed| run(&scenario, seed, &RunOptions::default()).unwrap()).collect()
}

fn timer(row: &Value) -> f64 {
    row["delack_timer_s"].as_f64().unwrap_or(0.04)
}
