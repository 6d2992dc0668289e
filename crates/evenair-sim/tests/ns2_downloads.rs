//! Persistent downloads with RTS/CTS against ns-2.35: the rows of `f3_*.json` and `f10_*.json` in
//! `validation/ns2`, 1 to 30 connections and one acknowledgement for 1 to 5 segments.
//!
//! Both sides are means over five seeds of 80 s. The buffer never overflows, so what is compared is
//! the DCF, and when acknowledgements are sent. With a window of 1000 congestion avoidance begins at
//! 20 segments: ns-2's NewReno takes its ssthresh from the window that it is created with. Collision probabilities are compared with the rows
//! with stations at 30 m: nearer, the slots of ns-2 have next to no width.

#![allow(clippy::print_stdout, reason = "the log shows the differences")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{MacResult, RunOptions, RunResult, run};
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
/// Student's t at 97.5% with 4 degrees of freedom.
const T: f64 = 2.776;

/// How far a quantity may be from ns-2's: a share of it, beside a constant and, if `interval`, the
/// half-width of the 95% interval of the difference.
struct Bar {
    relative: f64,
    absolute: f64,
    interval: bool,
}

/// Name, key in ns-2's row, and ours.
type Quantity = (&'static str, &'static str, fn(&RunResult) -> f64, Bar);
const THROUGHPUT: Quantity = (
    "Mb/s",
    "aggregate_throughput_mbps",
    |r| r.aggregate_goodput_bps / 1e6,
    Bar { relative: 0.03, absolute: 0.0, interval: false },
);
const JAIN: Quantity = (
    "Jain's index",
    "jain_index",
    |r| r.jain_index,
    Bar { relative: 0.0, absolute: 0.03, interval: true },
);
const COLLISIONS_OF_AP: Quantity = (
    "collisions of the access point",
    "collision_probability_per_rts_of_ap",
    |r| r.ap.collision_probability,
    Bar { relative: 0.05, absolute: 0.0, interval: true },
);
const COLLISIONS_OF_STATIONS: Quantity = (
    "collisions of the stations",
    "collision_probability_per_rts_of_stations",
    |r| collision_probability(&r.stations),
    Bar { relative: 0.05, absolute: 0.0, interval: true },
);
const QUANTITIES: [Quantity; 4] = [THROUGHPUT, JAIN, COLLISIONS_OF_AP, COLLISIONS_OF_STATIONS];

#[test]
fn connections() {
    check("f3_persistent_downloads_w1000.json");
    check("f3_persistent_downloads_w1000_30m.json");
}

#[test]
fn delayed_acknowledgements() {
    check("f3_delayed_ack_w1000.json");
}

#[test]
fn window_of_one() {
    check("f10_downloads_w1_by_distance.json");
}

/// Compares every row; prints all before it fails. Collision probabilities are judged at 30 m only,
/// Jain's index only where ns-2's agent has NewReno's rules: `FullTcp` has a timer of its own.
fn check(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/ns2").join(file);
    let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut misses = Vec::new();
    for row in document["rows"].as_array().unwrap() {
        let runs = simulate(row);
        let distance = row["station_distance_m"].as_f64().unwrap_or(3.0);
        let name = format!(
            "{} of {}, W* = {}, d = {}, timer {} s, {distance} m",
            row["n_connections"],
            row["tcp_agent"],
            row["tcp_window_packets"],
            row["delack_d"],
            timer(row),
        );
        for (what, key, quantity, bar) in QUANTITIES {
            let [ns2, ns2_half] =
                ["mean", "ci95_half_width"].map(|k| row[key][k].as_f64().unwrap());
            let (ours, ours_half) = mean(&runs.iter().map(quantity).collect::<Vec<_>>());
            let difference = ours - ns2;
            let interval = ours_half.hypot(ns2_half);
            let line = format!(
                "{name}: {what} ns-2 {ns2:.4}, ours {ours:.4}, {:+.2}%, \
                 difference {difference:+.4} ± {interval:.4}",
                100.0 * difference / ns2,
            );
            println!("{line}");
            let judged = match what {
                "Mb/s" => true,
                "Jain's index" => !is_full_tcp(row),
                _ => distance == 30.0,
            };
            let allowed =
                bar.relative * ns2 + bar.absolute + if bar.interval { interval } else { 0.0 };
            if judged && difference.abs() > allowed {
                misses.push(line);
            }
        }
    }
    assert!(misses.is_empty(), "beyond the bar:\n{}", misses.join("\n"));
}

/// Of all attempts of some nodes: each answered RTS is followed by a data frame.
fn collision_probability(nodes: &[MacResult]) -> f64 {
    let answered: f64 = nodes.iter().map(|n| n.frames_sent as f64).sum();
    let attempts: f64 =
        nodes.iter().map(|n| n.frames_sent as f64 / (1.0 - n.collision_probability)).sum();
    1.0 - answered / attempts
}

fn simulate(row: &Value) -> Vec<RunResult> {
    let window = row["tcp_window_packets"].as_u64().unwrap();
    let first = row["initial_window_packets"].as_u64().unwrap_or(2).min(window);
    let ssthresh = if is_full_tcp(row) { window } else { window.min(20) };
    let (d, timer) = (&row["delack_d"], timer(row));
    let mut text = CELL.to_owned();
    for i in 0..row["n_connections"].as_u64().unwrap() {
        let start = 1.0 + 0.05 * i as f64;
        write!(
            text,
            r#"
            [[station]]
            flows = [{{ direction = "down", tcp = "ns2", segment = 1000, window = {window},
                initial_window = {first}, initial_ssthresh = {ssthresh}, delayed_ack = {d},
                delayed_ack_timeout = {timer}, start = {start} }}]"#
        )
        .unwrap();
    }
    let scenario = resolve(document_from_toml(text.as_bytes(), "test").unwrap(), "test").unwrap();
    let seeds: Vec<u64> = SEEDS.collect();
    seeds.par_iter().map(|&seed| run(&scenario, seed, &RunOptions::default()).unwrap()).collect()
}

fn is_full_tcp(row: &Value) -> bool {
    row["tcp_agent"] == "FullTcp"
}

fn timer(row: &Value) -> f64 {
    row["delack_timer_s"].as_f64().unwrap_or(0.04)
}

/// The mean of our runs and the half-width of its 95% interval.
fn mean(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, T * (variance / n).sqrt())
}
