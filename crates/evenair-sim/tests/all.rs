//! The integration tests, linked into one program.
//!
//! `cargo test -p evenair-sim --test all -- limits::` runs those of one file.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

mod air;
mod airtime_scheduler;
mod arrivals;
mod between_hosts;
mod control_rates;
mod controller;
mod controller_with_mcs;
mod delay_places;
mod delays;
mod dualpi2;
mod ecn;
mod explain;
mod fingerprints;
mod fuzz;
mod kernel_aqm;
mod labels;
mod limiter;
mod limits;
mod linux_access_point;
mod ns2_agreement;
mod ns2_downloads;
mod ns2_error_bursts;
mod ns2_mac_errors;
mod ns2_tfrc;
mod ns2_variants;
mod ns2_wireless_errors;
mod ns3_tcp;
mod ns3_validation;
mod occupancy;
mod overridden;
mod packet_traces;
mod pages;
mod ping;
mod queues;
mod random_cells;
mod rate_control;
mod short_runs;
mod small_queues;
mod streams;
mod tcp_presets;
mod tfrc;
mod topology;
mod transfers;
mod video_calls;
mod voip;
mod wimax;
mod without_events;

#[test]
fn every_file_is_a_module() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files: BTreeSet<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "all")
        .collect();
    let modules: BTreeSet<_> = include_str!("all.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    assert_eq!(files, modules);
}
