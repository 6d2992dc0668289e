//! NewReno over a cell that loses single frames, which the MAC retransmits, against ns-2.35: data
//! frames from the access point, and the MAC ACKs for the station's frames. Goodput within 7% plus
//! the half-width of the ratio's 95% interval. Ours are means of 20 seeds.

#![allow(clippy::print_stdout, reason = "the log shows the differences")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::fs;
use std::path::Path;

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, run};
use rayon::prelude::*;
use serde_json::Value;

const SCENARIO: &[u8] = include_bytes!("ns2_wireless_errors.toml");
const SEEDS: std::ops::RangeInclusive<u64> = 1..=20;
/// Student's t at 97.5% with 19 degrees of freedom.
const T: f64 = 2.093;
const BAR: f64 = 0.07;

#[test]
#[ignore = "long"]
fn newreno_with_all_frames_lost() {
    let mut beyond = Vec::new();
    for (loss, ratio, half_width) in compare("all") {
        if (ratio - 1.0).abs() > BAR + half_width {
            beyond.push(loss);
        }
    }
    assert!(beyond.is_empty(), "beyond the bar at loss rates {beyond:?}");
}

/// The contrast: if MAC ACKs are not lost, goodput at a loss rate of 0.3 is beyond the bar.
#[test]
#[ignore = "long"]
fn newreno_with_data_frames_lost() {
    let rows = compare("data");
    let &(_, ratio, half_width) = rows.iter().find(|(loss, ..)| *loss == 0.3).unwrap();
    assert!(ratio - half_width > 1.0 + BAR);
}

/// Loss rate, our goodput relative to ns-2's and the half-width of its 95% interval, printed.
fn compare(frames: &str) -> Vec<(f64, f64, f64)> {
    let rows = ["f9_more_variants_wireless_errors.json", "f9_mac_level.json"].map(|file| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/ns2").join(file);
        let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        document["rows"].as_array().unwrap().clone()
    });
    let rows: Vec<Value> =
        rows.concat().into_iter().filter(|row| row["error_level"] == "mac").collect();
    assert_eq!(rows.len(), 4);
    rows.iter()
        .map(|row| {
            let loss = row["packet_error_rate"].as_f64().unwrap();
            let number = |key: &str| row["goodput_mbps"][key].as_f64().unwrap();
            let (ns2, ns2_half) = (number("mean"), number("ci95_half_width"));
            let (ours, ours_half) = mean(&simulate(loss, frames));
            let ratio = ours / ns2;
            let half_width = ratio * (ours_half / ours).hypot(ns2_half / ns2);
            println!(
                "frames {frames}, loss {loss}: ns-2 {ns2:.4} ± {ns2_half:.4}, \
                 ours {ours:.4} ± {ours_half:.4}, ratio {ratio:.4} ± {half_width:.4}"
            );
            (loss, ratio, half_width)
        })
        .collect()
}

/// Goodput of each seed, Mb/s.
fn simulate(loss: f64, frames: &str) -> Vec<f64> {
    let mut document = document_from_toml(SCENARIO, "test").unwrap();
    let error = format!(
        "{{ kind = \"independent\", rate = {loss}, level = \"mac\", frames = \"{frames}\", \
         direction = \"down\" }}"
    );
    set(&mut document, "station.0.error", &error, "test").unwrap();
    let scenario = resolve(document, "test").unwrap();
    let seeds: Vec<u64> = SEEDS.collect();
    let goodput = |&seed: &u64| {
        run(&scenario, seed, &RunOptions::default()).unwrap().aggregate_goodput_bps / 1e6
    };
    seeds.par_iter().map(goodput).collect()
}

/// The mean of our runs and the half-width of its 95% interval.
fn mean(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, T * (variance / n).sqrt())
}
