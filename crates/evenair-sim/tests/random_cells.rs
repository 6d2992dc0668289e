//! Invariants of random cells: what holds in every scenario, whatever its values.
//!
//! `PROPTEST_CASES=5000 cargo test --release -p evenair-sim --test all random_cells` tries more than 200.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::cell::RefCell;

use evenair_core::rng::{RngStream, StreamId};
use evenair_sim::scenario::{Scenario, resolve};
use evenair_sim::{Diagnosis, Fault, RunOptions, explain_json, run};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// Tries a property of cells with 200 of them, by number.
fn each_cell(property: impl Fn(u64)) {
    // A cell with a smaller number is not a simpler one.
    let numbers = any::<u64>().no_shrink();
    let run = |cell| {
        property(cell);
        Ok(())
    };
    let result = TestRunner::new(evenair_testing::config!(200)).run(&numbers, run);
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// Draws values.
struct Dice(RngStream);

impl Dice {
    fn new(cell: u64, purpose: u64) -> Self {
        Self(RngStream::new(cell, StreamId::Queue, purpose))
    }

    /// One of `values`.
    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.0.up_to(values.len() as u32 - 1) as usize]
    }

    /// True with probability one in `n`.
    fn one_in(&mut self, n: u32) -> bool {
        self.0.up_to(n - 1) == 0
    }

    fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.0.up_to(high - low)
    }

    fn queue(&mut self) -> Value {
        let kinds = ["droptail", "spm-af", "las", "codel", "fq-codel", "pie", "dualpi2"];
        let limit = match self.between(0, 3) {
            0 => json!(self.between(1, 10)),
            1 => json!(self.between(10, 200)),
            2 => json!(format!("{} B", self.between(3000, 60_000))),
            _ => json!("unlimited"),
        };
        json!({ "kind": self.pick(&kinds), "limit": limit })
    }

    fn error(&mut self) -> Value {
        let kind = self.pick(&["independent", "gilbert-elliott"]);
        let rate = self.pick(&[1e-6, 0.001, 0.1, 0.5]);
        let direction = self.pick(&["both", "up", "down"]);
        let (level, frames) = (self.pick(&["ip", "mac"]), self.pick(&["all", "data"]));
        let frames = if level == "ip" { "data" } else { frames };
        json!({
            "kind": kind, "rate": rate, "level": level, "frames": frames, "direction": direction,
        })
    }

    fn cell(&mut self) -> Value {
        let phy = self.pick(&["802.11b", "802.11a", "802.11g"]);
        let rates: &[&str] = match phy {
            "802.11b" => &["1 Mbps", "5.5 Mbps", "11 Mbps"],
            _ => &["6 Mbps", "24 Mbps", "54 Mbps"],
        };
        let mut cell = json!({
            "phy": phy,
            "data_rate": self.pick(rates),
            "queue": self.queue(),
            "short_retry_limit": self.pick(&[1, 7, 50]),
            "long_retry_limit": self.pick(&[1, 4, 50]),
            "immediate_access": self.one_in(2),
        });
        if self.one_in(2) {
            cell["rts_threshold"] = json!(self.pick(&[0, 500]));
        }
        if self.one_in(3) {
            cell["scheduler"] = json!("airtime-drr");
        }
        if self.one_in(2) {
            cell["beacon_interval"] = json!(self.pick(&["2 ms", "100 ms"]));
        }
        cell
    }

    fn wimax(&mut self) -> Value {
        let modulation = self.modulation();
        json!({
            "kind": "wimax",
            "bandwidth": self.pick(&["3.5 MHz", "7 MHz", "10 MHz"]),
            "frame": self.pick(&["5 ms", "10 ms"]),
            "cyclic_prefix": self.pick(&["1/8", "1/16", "1/32"]),
            "modulation": modulation,
            "dl_ratio": self.pick(&["1:1", "5:4", "3:4"]),
            "contention_slots": self.between(1, 4),
            "request_backoff": self.pick(&[[0, 3], [2, 6]]),
            "t16": self.pick(&["5 ms", "50 ms"]),
            "request_retries": self.between(0, 4),
            "request_size": self.pick(&["stored", "current"]),
            "maps": self.pick(&["maximum", "actual"]),
            "piggyback": self.one_in(2),
            "crc": self.one_in(2),
            "scheduler": self.pick(&["round-robin", "drr"]),
            "queue": self.queue(),
        })
    }

    fn modulation(&mut self) -> &'static str {
        self.pick(&["bpsk-1/2", "qpsk-1/2", "qpsk-3/4", "16qam-3/4", "64qam-3/4"])
    }

    fn tcp(&mut self) -> Value {
        let window = self.pick(&[1, 4, 20, 200]);
        let mut flow = json!({
            "direction": self.pick(&["up", "down"]),
            "transport": self.pick(&["newreno", "cubic", "vegas", "veno", "westwood", "bic", "biad", "bbr"]),
            "segment": self.pick(&[100, 536, 1460]),
            "window": window,
            "initial_window": self.between(1, window.min(10)),
            "delayed_ack": self.between(1, 3),
            "start": f64::from(self.between(0, 10)) / 100.0,
        });
        let sack = self.one_in(2);
        for (key, value) in [
            ("sack", sack),
            ("rack", sack && self.one_in(2)),
            ("prr", sack && self.one_in(2)),
            ("ecn", self.one_in(3)),
        ] {
            flow[key] = json!(value);
        }
        match self.between(0, 3) {
            0 => {
                let size = format!("{} B", self.between(1, 30_000));
                flow["application"] = json!({
                    "kind": "web", "size": size, "think": "10 ms",
                    "opened_by": self.pick(&["sender", "receiver"]),
                });
            }
            1 => flow["stop"] = json!(f64::from(self.between(20, 60)) / 100.0),
            _ => {}
        }
        flow
    }

    fn udp(&mut self) -> Value {
        json!({
            "direction": self.pick(&["up", "down"]),
            "transport": "udp",
            "application": self.pick(&["cbr", "poisson"]),
            "segment": self.pick(&[100, 200, 1472]),
            "rate": self.pick(&["50 kbps", "500 kbps"]),
            "header": 28,
            "start": f64::from(self.between(1, 10)) / 100.0,
        })
    }

    fn wired(&mut self) -> Value {
        let mut link = |between: [&str; 2]| {
            let mut link = json!({
                "between": between,
                "rate": self.pick(&["1 Mbps", "100 Mbps", "unlimited"]),
                "delay": self.pick(&["0 s", "2 ms", "50 ms"]),
                "queue": self.queue(),
            });
            if self.one_in(4) {
                link["error"] = json!({ "rate": self.pick(&[0.001, 0.1]) });
            }
            link
        };
        json!({ "link": [link(["server", "r"]), link(["r", "ap"])] })
    }

    fn stations(&mut self, flow: impl Fn(&mut Self) -> Value) -> Value {
        let groups = self.between(1, 3);
        let mut group = |_| {
            let flows: Vec<Value> = (0..self.between(1, 2)).map(|_| flow(self)).collect();
            let mut group =
                json!({ "count": self.between(1, 3), "queue": self.queue(), "flows": flows });
            if self.one_in(3) {
                group["error"] = self.error();
            }
            group
        };
        (0..groups).map(&mut group).collect()
    }
}

/// The two kinds of cell, each with draws of its own.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Wlan = 0,
    Wimax = 2,
}

impl Kind {
    fn cell(self, dice: &mut Dice) -> Value {
        match self {
            Self::Wlan => dice.cell(),
            Self::Wimax => dice.wimax(),
        }
    }

    /// Some stations of a WiMAX cell have a modulation of their own.
    fn vary(self, station: &mut Value, dice: &mut Dice) {
        for group in station.as_array_mut().unwrap() {
            if self == Self::Wimax && dice.one_in(2) {
                group["modulation"] = json!(dice.modulation());
            }
        }
    }
}

/// A cell of TCP and UDP with everything that there is.
fn mixed(kind: Kind, cell: u64) -> Scenario {
    let mut dice = Dice::new(cell, kind as u64);
    let mut station = dice.stations(|dice| if dice.one_in(4) { dice.udp() } else { dice.tcp() });
    kind.vary(&mut station, &mut dice);
    let document = json!({
        "duration": dice.pick(&[0.3, 1.0]),
        "warmup": dice.pick(&[0.0, 0.2]),
        "cell": kind.cell(&mut dice),
        "wired": dice.wired(),
        "station": station,
    });
    resolve(document.clone(), "cell").unwrap_or_else(|error| panic!("{error}\n{document}"))
}

fn document(scenario: &Scenario, seed: u64) -> Value {
    serde_json::to_value(run(scenario, seed, &RunOptions::default()).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The share of time in each member whose name ends in `airtime_share`.
fn airtime_shares(node: &Value) -> Vec<f64> {
    let members = node.as_object().unwrap().iter();
    members.filter(|(key, _)| key.ends_with("airtime_share")).map(|(_, v)| number(v)).collect()
}

/// Airtime and Jain's index are within their bounds, counts agree with each other, and a repetition
/// gives the same text.
#[test]
fn results_are_within_their_bounds() {
    check_bounds(Kind::Wlan);
}

#[test]
fn results_of_wimax_cells_are_within_their_bounds() {
    check_bounds(Kind::Wimax);
}

fn check_bounds(kind: Kind) {
    each_cell(|cell| {
        let scenario = mixed(kind, cell);
        let result = document(&scenario, cell);
        let again = document(&scenario, cell);
        assert_eq!(result.to_string(), again.to_string(), "cell {cell}: a repetition differs");

        check_losses(cell, &result);
        check_diagnoses(cell, &result);
        let flows = result["flows"].as_array().unwrap();
        let jain = number(&result["jain_index"]);
        let least = 1.0 / flows.len() as f64;
        // Without any goodput the index is 0.
        let idle = jain == 0.0 && flows.iter().any(|flow| number(&flow["goodput_bps"]) == 0.0);
        assert!(idle || (least - 1e-12..=1.0 + 1e-12).contains(&jain), "cell {cell}: Jain {jain}");

        let (rate, total) = (54e6, number(&result["aggregate_goodput_bps"]));
        assert!((0.0..=rate).contains(&total), "cell {cell}: {total} bit/s of goodput");
        for flow in flows {
            let (sent, again) = (&flow["segments_sent"], &flow["retransmissions"]);
            assert!(sent.as_u64() >= again.as_u64(), "cell {cell}: {flow}");
            assert!(number(&flow["goodput_bps"]) >= 0.0, "cell {cell}: {flow}");
        }
        let mut nodes = result["stations"].as_array().unwrap().clone();
        nodes.push(result["ap"].clone());
        for node in nodes.iter().filter(|node| node.is_object()) {
            for share in airtime_shares(node) {
                assert!((0.0..=1.0).contains(&share), "cell {cell}: {node}");
            }
            let collisions = number(&node["collision_probability"]);
            assert!((0.0..=1.0).contains(&collisions), "cell {cell}: {node}");
        }
        assert_eq!(result.get("frame").is_some(), kind == Kind::Wimax);
        for key in ["dl_utilization", "ul_utilization"].iter().filter(|_| kind == Kind::Wimax) {
            let used = number(&result["frame"][key]);
            assert!((0.0..=1.0).contains(&used), "cell {cell}: {key} {used}");
        }
        let links = result["wired"]["links"].as_array().into_iter().flatten();
        for queue in links.chain([&result["ap_queue"]]) {
            // Packets that waited at the start may be dropped; none did without a warm-up.
            if scenario.warmup.duration().as_nanos() == 0 {
                assert!(
                    number(&queue["arrivals"]) >= number(&queue["drops"]),
                    "cell {cell}: {queue}"
                );
            }
            assert!(number(&queue["mean_packets"]) >= 0.0, "cell {cell}: {queue}");
            if let Some(utilization) = queue.get("utilization") {
                assert!((0.0..=1.0).contains(&number(utilization)), "cell {cell}: {queue}");
            }
        }
    });
}

/// What the flows have lost is what was lost, at each place.
fn check_losses(cell: u64, result: &Value) {
    let flows = || {
        let wired = result["wired"].get("flows").and_then(Value::as_array);
        result["flows"].as_array().into_iter().chain(wired).flatten()
    };
    let of = |kind: &str, place: &str| -> u64 {
        flows().filter_map(|flow| flow[kind][place].as_u64()).sum()
    };
    let both = |place: &str| of("data_losses", place) + of("ack_losses", place);
    let (queue, losses) = (&result["ap_queue"], &result["losses"]);
    let count = |value: &Value| value.as_u64().unwrap();
    assert_eq!(of("data_losses", "ap_queue"), count(&queue["data_drops"]), "cell {cell}");
    let acks = count(&queue["ack_drops"]) - count(&queue["acks_filtered"]);
    assert_eq!(of("ack_losses", "ap_queue"), acks, "cell {cell}");
    let queues = ["ap_queue", "station_queue", "wired_queue"].map(both).iter().sum::<u64>();
    let found = [queues, both("retry_limit"), both("error")];
    let known = ["congestion", "retry_limit", "error"].map(|cause| count(&losses[cause]));
    assert_eq!(found, known, "cell {cell}: {losses}");
}

/// A flow that is said to starve has less than half of the mean of those that Jain's index compares, by
/// numbers that exist.
fn check_diagnoses(cell: u64, result: &Value) {
    let flows = result["flows"].as_array().unwrap();
    let over = result["jain_over"].as_str().unwrap();
    let compared = flows.iter().filter(|flow| over == "all" || flow["application"] == over);
    let goodputs: Vec<f64> = compared.map(|flow| number(&flow["goodput_bps"])).collect();
    let mean = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
    for Diagnosis { flow, fault, goodput_bps, fair_share_bps, text, .. } in
        explain_json(&result.to_string()).unwrap()
    {
        let known = flows.iter().find(|known| known["id"] == flow).unwrap();
        assert_eq!(goodput_bps, number(&known["goodput_bps"]), "cell {cell}");
        let starves = fault == Fault::Starves;
        assert!(
            !starves || goodput_bps < 0.5 * mean,
            "cell {cell}: {flow}, {goodput_bps} of {mean} bit/s"
        );
        assert!(
            (fair_share_bps / mean - 1.0).abs() < 1e-12,
            "cell {cell}: {fair_share_bps}, {mean}"
        );
        assert!(!text.contains("NaN") && !text.contains("inf"), "cell {cell}: {text}");
    }
}

/// Counts in an object.
fn sum(counts: &Value) -> u64 {
    counts.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}

/// Datagrams are received, dropped by a queue, given up by a MAC or lost to errors, and nothing else:
/// once all is over, the sum of these is what was sent. (Only data frames are corrupted: a packet whose
/// ACK is lost may be both received and given up.)
#[test]
fn datagrams_are_conserved() {
    check_conservation(Kind::Wlan);
}

#[test]
fn datagrams_of_wimax_cells_are_conserved() {
    check_conservation(Kind::Wimax);
}

fn check_conservation(kind: Kind) {
    let all = RefCell::new([0, 0]);
    each_cell(|cell| {
        let mut dice = Dice::new(cell, kind as u64 + 1);
        let mut station = dice.stations(|dice| {
            let mut flow = dice.udp();
            flow["stop"] = json!(0.3);
            flow
        });
        for group in station.as_array_mut().unwrap() {
            if group.get("error").is_some() {
                group["error"]["frames"] = json!("data");
            }
        }
        kind.vary(&mut station, &mut dice);
        let document_ = json!({
            "duration": 120, "cell": kind.cell(&mut dice), "wired": dice.wired(), "station": station,
        });
        let scenario = resolve(document_, "cell").unwrap();
        let result = document(&scenario, cell);
        let segments = scenario.station.iter().flat_map(|group| {
            (0..group.count).flat_map(|_| group.flows.iter().map(|flow| flow.segment))
        });
        let (mut sent, mut received) = (0, 0);
        for (flow, segment) in result["flows"].as_array().unwrap().iter().zip(segments) {
            sent += flow["segments_sent"].as_u64().unwrap();
            let bits = number(&flow["goodput_bps"]) * 120.0;
            let packets = bits / 8.0 / f64::from(segment);
            assert!((packets - packets.round()).abs() < 1e-6, "cell {cell}: {packets} packets");
            received += packets.round() as u64;
            let sent = flow["segments_sent"].as_u64().unwrap();
            assert_eq!(
                sent,
                packets.round() as u64 + sum(&flow["data_losses"]),
                "cell {cell}: {flow}"
            );
        }
        let (losses, lost) = (&result["losses"], sum(&result["losses"]));
        assert_eq!(sent, received + lost, "cell {cell}: {received} received, {losses:?}");
        let mut all = all.borrow_mut();
        *all = [all[0] + received, all[1] + lost];
    });
    let all = all.into_inner();
    assert!(all.iter().all(|&packets| packets > 1000), "received and lost: {all:?}");
}
