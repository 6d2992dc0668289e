//! TCP over a lossy cell against ns-2.35: one download, Gilbert-Elliott errors that the MAC cannot
//! repair, loss rates from 1e-5 to 0.1. Goodput within 5%.
//!
//! Two sets of rows: the stored ones with 5 seeds, and those of high loss with 20, because five runs
//! know ns-2's mean to no better than 8% at a loss rate of 0.1. Ours are means of 40 seeds. With
//! each ratio of means the half-width of its 95% interval is printed; with the 20 seeds it must be
//! below the bar, or the comparison would tell nothing.

#![allow(clippy::print_stdout, reason = "the log tells how close the two are")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::fs;
use std::path::Path;

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};
use rayon::prelude::*;
use serde_json::Value;

const SCENARIO: &[u8] = include_bytes!("ns2_wireless_errors.toml");
const STORED: &str = "f5_tcp_variants_wireless_errors.json";
const TWENTY_SEEDS: &str = "f5_20seeds.json";
const SEEDS: std::ops::RangeInclusive<u64> = 1..=40;
/// Student's t at 97.5% with 39 degrees of freedom.
const T: f64 = 2.023;
const BAR: f64 = 0.05;

/// A row's goodput of ns-2 and ours, Mb/s.
struct Comparison {
    loss: f64,
    ns2: f64,
    ours: f64,
    /// Half-width of the ratio's 95% interval.
    half_width: f64,
}

#[test]
fn newreno() {
    judge(&compare(STORED, "Newreno", &[]));
}

#[test]
fn newreno_twenty_seeds() {
    let rows = compare(TWENTY_SEEDS, "Newreno", &[]);
    judge(&rows);
    assert!(rows.iter().all(|row| row.half_width < BAR), "the runs are too few to tell");
}

/// ns-2's limited transmit makes no difference here, unlike in crowded cells.
#[test]
fn newreno_whichever_the_limited_transmit() {
    judge(&compare(TWENTY_SEEDS, "Newreno", &[("station.0.flows.0.limited_transmit", "any")]));
}

/// ns-2's `Sack1` waits for the timeout of a lost retransmission, as RFC 6675 does.
#[test]
fn newreno_with_sack() {
    judge(&compare(TWENTY_SEEDS, "Sack1", &[("station.0.flows.0.sack", "true")]));
}

/// ns-2's Westwood is Linux's, which is our Westwood+, with timestamps (10 bytes) and SACK. It
/// also finds lost retransmissions, which RFC 6675 does not, and has next to no timeouts. At loss
/// rates of 0.03 and 0.1 evenair misses the bar; should that be mended, this says so.
#[test]
fn westwood() {
    let overrides = [
        ("station.0.flows.0.transport", "westwood-plus"),
        ("station.0.flows.0.header", "50"),
        ("station.0.flows.0.sack", "true"),
    ];
    for file in [STORED, TWENTY_SEEDS] {
        assert_eq!(misses(&compare(file, "linux:westwood", &overrides)), [0.03, 0.1], "{file}");
    }
}

fn judge(rows: &[Comparison]) {
    let misses = misses(rows);
    assert!(misses.is_empty(), "beyond the bar at loss rates {misses:?}");
}

/// The loss rates at which goodput is beyond the bar.
fn misses(rows: &[Comparison]) -> Vec<f64> {
    let beyond = |row: &&Comparison| (row.ours / row.ns2 - 1.0).abs() > BAR;
    rows.iter().filter(beyond).map(|row| row.loss).collect()
}

/// All rows of `file` for a TCP variant of ns-2, printed.
fn compare(file: &str, variant: &str, overrides: &[(&str, &str)]) -> Vec<Comparison> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/ns2").join(file);
    let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let rows: Vec<&Value> = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|r| r["tcp_variant"] == variant)
        .collect();
    assert!(!rows.is_empty(), "{file} has no {variant}");
    rows.into_iter()
        .map(|row| {
            let loss = row["packet_error_rate"].as_f64().unwrap();
            let runs = simulate(loss, overrides);
            let number = |quantity: &str, key: &str| row[quantity][key].as_f64().unwrap();
            let goodput: Vec<f64> = runs.iter().map(|r| r.aggregate_goodput_bps / 1e6).collect();
            let (ours, ours_half) = mean(&goodput);
            let ns2 = number("goodput_mbps", "mean");
            let ns2_half = number("goodput_mbps", "ci95_half_width");
            let half_width = (ours / ns2) * (ours_half / ours).hypot(ns2_half / ns2);
            let timeouts =
                mean(&runs.iter().map(|r| r.flows[0].timeouts as f64).collect::<Vec<_>>());
            println!(
                "{variant}, {} seeds, loss {loss}: ns-2 {ns2:.4}, ours {ours:.4}, \
                 ratio {:.4} ± {half_width:.4}; timeouts {:.1}, ours {:.1}",
                row["seeds"].as_array().unwrap().len(),
                ours / ns2,
                number("timeouts", "mean"),
                timeouts.0,
            );
            Comparison { loss, ns2, ours, half_width }
        })
        .collect()
}

fn simulate(loss: f64, overrides: &[(&str, &str)]) -> Vec<RunResult> {
    let mut document = document_from_toml(SCENARIO, "test").unwrap();
    let loss = loss.to_string();
    for (key, value) in [("station.0.error.rate", loss.as_str())].iter().chain(overrides) {
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").unwrap();
    let seeds: Vec<u64> = SEEDS.collect();
    seeds.par_iter().map(|&seed| run(&scenario, seed, &RunOptions::default()).unwrap()).collect()
}

/// The mean of our runs and the half-width of its 95% interval.
fn mean(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, T * (variance / n).sqrt())
}
