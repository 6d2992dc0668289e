//! Queue disciplines with congestion controls, against real kernels: CUBIC and Reno behind FQ-CoDel and PIE, the rows of
//! `validation/kernel/aqm_mixed_rtt.json`, and Prague beside them behind DualPI2, those of `validation/kernel/dualpi2.json`.
//!
//! Bars: goodput within 5 % behind FQ-CoDel and 10 % behind PIE and DualPI2, there 20 % of a share below 10 Mb/s; behind DualPI2 the
//! delay of L within 0.1 ms, and that of C within 15 %. Two of the kernel's own runs of one configuration differ by 6 %. What is beyond
//! the bars is listed in [`DEPARTURES`].

#![allow(clippy::print_stdout, reason = "the log shows the differences")]

use std::fs;
use std::path::Path;

use evenair_sim::scenario::resolve;
use evenair_sim::{FlowResult, LinkResult, RunOptions, RunResult, run};
use rayon::prelude::*;
use serde_json::{Value, json};

/// The folder of the measurements.
const MEASURED: &str = "../../validation/kernel";

/// What is beyond the bars: the row, and which flow's share or delay. Reno beside Prague gets 10.4 % less than the kernel's, about three standard
/// deviations of a run; the classic queue has 13 ms where the kernel's has 10; and Prague alone waits for
/// 0.65 ms instead of 0.52. Why is not known.
const DEPARTURES: [&str; 4] = [
    "dualpi2 cubic 5 delay 1",
    "dualpi2 cubic 5+50 delay 2",
    "dualpi2 newreno 5+50 delay 2",
    "dualpi2 newreno 100+100 flow 2",
];

/// Seeds of the long runs behind PIE and DualPI2. FQ-CoDel draws no random numbers: there the flows only begin at other times.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=16;

/// 40 Mb/s of frames with 14 bytes of Ethernet header, in packets of 1500 bytes.
const RATE_BPS: u64 = 40_000_000 * 1500 / 1514;

/// The transport of this name, with the Reno-friendly window of Linux's CUBIC.
fn transport(name: &str) -> Value {
    match name {
        "cubic" => json!({ "kind": "cubic", "reno_friendly": "linux" }),
        name => json!(name),
    }
}

/// IP bytes of a packet for those of its payload.
const HEADERS: f64 = 1500.0 / 1448.0;

/// What the kernel measured, or what evenair has: Mb/s of IP bytes and queueing delays in ms of one or two flows, and the utilization
/// in percent. Here a delay is what the one-way delay has besides propagation and transmission, with what waits for the repair of a loss (not behind DualPI2).
struct Measured {
    mbps: Vec<f64>,
    /// Standard deviations of one run; of the kernel there is one run.
    deviations: Vec<f64>,
    delays_ms: Vec<f64>,
    utilization: f64,
}

struct Row {
    queue: String,
    second: String,
    rtts_ms: Vec<f64>,
    kernel: Measured,
}

impl Row {
    /// Of the columns after that of the queue.
    fn new(queue: &str, row: &[Value]) -> Self {
        let number = |column: usize| row[column].as_f64().unwrap();
        let flows = if number(2) == 0.0 { 1 } else { 2 };
        let both = |first: usize| (first..first + flows).map(number).collect::<Vec<_>>();
        let kernel = Measured {
            mbps: both(3),
            deviations: vec![0.0; flows],
            delays_ms: both(6),
            utilization: number(5),
        };
        let second = row[0].as_str().unwrap().to_owned();
        Self { queue: queue.to_owned(), second, rtts_ms: both(1), kernel }
    }

    fn name(&self) -> String {
        let rtts: Vec<String> = self.rtts_ms.iter().map(f64::to_string).collect();
        format!("{} {} {}", self.queue, self.second, rtts.join("+"))
    }

    /// A host for each flow, half a round-trip time from the router. All packets of data wait there for the wire. Bursts
    /// (`tso`) are those of the kernel's senders; they were added with the delays of L at hand, which are shorter by a third without
    /// them. The station, which each scenario needs, says nothing.
    fn scenario(&self, duration_s: u32, seed: u64) -> Value {
        let queue = match self.queue.as_str() {
            "fq-codel" => json!({ "kind": "fq-codel", "limit": 10_240 }),
            "dualpi2" => json!({ "kind": "dualpi2", "limit": 10_000, "classify": "any_ect" }),
            _ => json!({
                "kind": "pie", "form": "linux", "ecn": true, "target": "15 ms", "tupdate": "16 ms", "limit": 1000,
            }),
        };
        let mut links = vec![
            json!({ "between": ["r", "client"], "rate": RATE_BPS.to_string() + " bps", "delay": 0, "queue": queue }),
            json!({ "between": ["r", "ap"], "rate": "unlimited", "delay": 0 }),
        ];
        let mut flows = vec![];
        let first = if self.queue == "dualpi2" {
            ("prague", json!("accecn"))
        } else {
            ("cubic", json!(true))
        };
        for (number, rtt_ms) in self.rtts_ms.iter().enumerate() {
            let host = format!("host-{number}");
            links.push(
                json!({ "between": [host, "r"], "rate": "unlimited", "delay": rtt_ms / 2e3 }),
            );
            flows.push(json!({
                "from": host, "to": "client", "tcp": "linux", "pacing": true, "tso": true, "timestamps": true, "segment": 1448, "header": 52,
                "transport": transport(if number == 0 { first.0 } else { &self.second }),
                "ecn": if number == 0 { first.1.clone() } else { json!(false) },
                "start": 0.1 * (seed * number as u64) as f64,
            }));
        }
        let silent = json!({ "kind": "file", "size": 1 });
        json!({
            "duration": duration_s, "warmup": 20,
            "wired": { "link": links, "flow": flows },
            "station": [{ "flows": [{ "direction": "up", "host": "client", "start": 19, "application": silent }] }],
        })
    }

    /// The means over these seeds.
    fn measure(&self, duration_s: u32, seeds: std::ops::RangeInclusive<u64>) -> Measured {
        let runs: Vec<RunResult> = seeds
            .into_par_iter()
            .map(|seed| {
                let scenario = resolve(self.scenario(duration_s, seed), "row").unwrap();
                run(&scenario, seed, &RunOptions::default()).unwrap()
            })
            .collect();
        let over_runs = |of: &dyn Fn(&RunResult) -> f64| runs.iter().map(of).collect::<Vec<f64>>();
        let transmission_s = 1500.0 * 8.0 / RATE_BPS as f64;
        let (mut mbps, mut deviations, mut delays_ms) = (vec![], vec![], vec![]);
        for (number, rtt_ms) in self.rtts_ms.iter().enumerate() {
            let rates = over_runs(&|run| run.wired.flows[number].goodput_bps * HEADERS / 1e6);
            mbps.push(mean(&rates));
            let squares: Vec<f64> =
                rates.iter().map(|rate| (rate - mean(&rates)).powi(2)).collect();
            deviations.push((squares.iter().sum::<f64>() / (rates.len() - 1) as f64).sqrt());
            let delays =
                over_runs(&|run| run.wired.flows[number].one_way_delay_s.as_ref().unwrap().mean);
            delays_ms.push((mean(&delays) - transmission_s) * 1e3 - rtt_ms / 2.0);
        }
        let of_wire = |of: &dyn Fn(&LinkResult) -> f64| {
            let is_wire = |link: &&LinkResult| link.to == "client" && link.from == "r";
            mean(&over_runs(&|run| of(run.wired.links.iter().find(is_wire).unwrap())))
        };
        let utilization = of_wire(&|wire| wire.utilization * 100.0);
        if self.queue == "dualpi2" && delays_ms.len() == 2 {
            // What is in L is not lost, so that its delay has no repairs. The rest of the queue's delay is that of C.
            let of_all = of_wire(&|wire| wire.queue.mean_delay_s * 1e3);
            delays_ms[1] = (of_all * (mbps[0] + mbps[1]) - delays_ms[0] * mbps[0]) / mbps[1];
        }
        Measured { mbps, deviations, delays_ms, utilization }
    }

    /// Prints both and the differences. Returns the shares that are beyond their bars.
    fn compare(&self, ours: &Measured) -> Vec<String> {
        let mut beyond = Vec::new();
        let name = self.name();
        for (number, (got, theirs)) in ours.mbps.iter().zip(&self.kernel.mbps).enumerate() {
            let bar = match self.queue.as_str() {
                "fq-codel" => 0.05,
                _ if *theirs < 10.0 => 0.2,
                _ => 0.1,
            };
            let difference = got / theirs - 1.0;
            println!(
                "{name} flow {}: {got:.2} +- {:.2} Mb/s, kernel {theirs:.2}, {:+.1} %; waits {:.2} ms, kernel {:.2}; utilization {:.1} %, kernel {:.1}",
                number + 1,
                ours.deviations[number],
                100.0 * difference,
                ours.delays_ms[number],
                self.kernel.delays_ms[number],
                ours.utilization,
                self.kernel.utilization,
            );
            if difference.abs() > bar {
                beyond.push(format!("{name} flow {}", number + 1));
            }
            if self.queue == "dualpi2" {
                let delay = self.kernel.delays_ms[number];
                let bar = if number == 0 { 0.1 } else { 0.15 * delay };
                if (ours.delays_ms[number] - delay).abs() > bar {
                    beyond.push(format!("{name} delay {}", number + 1));
                }
            }
        }
        beyond
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn rows() -> Vec<Row> {
    let document = |file: &str| -> Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(MEASURED).join(file);
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    };
    let columns = |document: &Value| -> Vec<Vec<Value>> {
        serde_json::from_value(document["rows"].clone()).unwrap()
    };
    let mixed = columns(&document("aqm_mixed_rtt.json"));
    let coupled = columns(&document("dualpi2.json"));
    let mixed = mixed.iter().map(|row| Row::new(row[0].as_str().unwrap(), &row[1..]));
    let rows: Vec<Row> = mixed.chain(coupled.iter().map(|row| Row::new("dualpi2", row))).collect();
    assert_eq!(rows.len(), 30);
    rows
}

#[test]
#[ignore = "long"]
fn queue_disciplines_are_those_of_kernels() {
    let measure = |row: &Row| {
        let seeds = if row.queue == "fq-codel" { 1..=2 } else { SEEDS };
        row.measure(320, seeds)
    };
    let beyond: Vec<String> = rows().iter().flat_map(|row| row.compare(&measure(row))).collect();
    assert_eq!(beyond, DEPARTURES);
}

/// Five of the rows, for a shorter time.
#[test]
fn a_sample_of_queue_disciplines_is_that_of_kernels() {
    let sample = [
        "fq-codel cubic 5+50",
        "fq-codel newreno 100",
        "pie cubic 5+5",
        "pie cubic 100",
        "dualpi2 newreno 5+5",
    ];
    let rows: Vec<Row> =
        rows().into_iter().filter(|row| sample.contains(&row.name().as_str())).collect();
    assert_eq!(rows.len(), sample.len());
    for row in rows {
        assert_eq!(row.compare(&row.measure(120, 1..=2)), Vec::<String>::new());
    }
}

/// Datagrams of `udp_mbps` at IP level into one of DualPI2's queues on a wire of 100 Mb/s, beside five flows of Prague and five of
/// CUBIC with a round-trip time of 10 ms.
fn overload(row: &Value) -> RunResult {
    let is_low_latency = row["udp_in"] == "L";
    let udp = if is_low_latency { json!({ "kind": "udp", "ecn": "ect1" }) } else { json!("udp") };
    let rate_bps = row["udp_mbps"].as_f64().unwrap() * 1e6 * 1460.0 / 1500.0;
    let of = |name: &str, ecn: Value| {
        json!({
            "from": "server", "to": "client", "tcp": "linux", "pacing": true, "tso": true, "timestamps": true,
            "segment": 1448, "header": 52, "transport": transport(name), "ecn": ecn,
        })
    };
    let queue = json!({ "kind": "dualpi2", "limit": 10_000, "classify": "any_ect" });
    let mut flows = vec![of("prague", json!("accecn")); 5];
    flows.extend(vec![of("cubic", json!(false)); 5]);
    flows.push(json!({
        "from": "server", "to": "client", "transport": udp, "rate": rate_bps, "start": 5,
    }));
    let scenario = json!({
        "duration": 60, "warmup": 20,
        "wired": {
            "link": [
                { "between": ["server", "r"], "rate": "unlimited", "delay": 0.005 },
                { "between": ["r", "client"], "rate": 100e6 * 1500.0 / 1514.0, "delay": 0, "queue": queue },
                { "between": ["r", "ap"], "rate": "unlimited", "delay": 0 },
            ],
            "flow": flows,
        },
        "station": [{ "flows": [{
            "direction": "up", "host": "client", "start": 19, "application": { "kind": "file", "size": 1 },
        }] }],
    });
    run(&resolve(scenario, "row").unwrap(), 1, &RunOptions::default()).unwrap()
}

/// What a run under overload has: TCP's share of the bytes in percent, the delay in ms of the queue that controls, and the
/// share in percent of what is sent into it that it drops.
struct Overload {
    share: f64,
    delay_ms: f64,
    drops: f64,
}

/// `controls_low_latency`: the queue in question is L, and otherwise C.
fn measure_overload(row: &Value, controls_low_latency: bool) -> Overload {
    let result = overload(row);
    let flows = &result.wired.flows;
    let udp_is_low_latency = row["udp_in"] == "L";
    let is_low_latency = |transport: &str| match transport {
        "udp" => udp_is_low_latency,
        transport => transport == "prague",
    };
    let bytes = |flow: &FlowResult| match flow.transport {
        "udp" => flow.goodput_bps * 1500.0 / 1460.0,
        _ => flow.goodput_bps * HEADERS,
    };
    let sum = |of: &dyn Fn(&FlowResult) -> f64, wanted: &dyn Fn(&str) -> bool| -> f64 {
        flows.iter().filter(|flow| wanted(flow.transport)).map(of).sum()
    };
    let here = |transport: &str| is_low_latency(transport) == controls_low_latency;
    let (tcp, all) = (sum(&bytes, &|transport| transport != "udp"), sum(&bytes, &|_| true));
    // Datagrams are not repaired: their delay is that of their queue. The rest of the delay of all is that of the other one.
    let transmission_ms = 1500.0 * 8.0 / (100e6 * 1500.0 / 1514.0) * 1e3;
    let udp = flows.iter().find(|flow| flow.transport == "udp").unwrap();
    let of_udp = udp.one_way_delay_s.as_ref().unwrap().mean * 1e3 - 5.0 - transmission_ms;
    let delay_ms = if here("udp") {
        of_udp
    } else {
        let wire = result.wired.links.iter().find(|link| link.from == "r" && link.to == "client");
        let rest = sum(&bytes, &here);
        (wire.unwrap().queue.mean_delay_s * 1e3 * all - of_udp * (all - rest)) / rest
    };
    let lost = sum(&|flow| flow.data_losses.wired_queue as f64, &here);
    let sent = sum(&|flow| flow.segments_sent as f64, &here);
    Overload { share: 100.0 * tcp / all, delay_ms, drops: 100.0 * lost / sent }
}

/// DualPI2 under overload: TCP's share within 20 % where it is above 5 %, within 2 points below; 15 ms in the queue that has the
/// target of them within 1 ms; and its drops within 20 %. Beyond are the drops with 70 Mb/s in C, which
/// are few: 1.9 % instead of 1.3.
#[test]
fn dualpi2_under_overload_is_that_of_a_kernel() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(MEASURED).join("dualpi2.json");
    let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let rows = document["overload"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let mut beyond = Vec::new();
    for row in rows {
        let number = |key: &str, index: usize| row[key][index].as_f64().unwrap();
        let lane = usize::from(number("delay_ms", 0) < number("delay_ms", 1));
        let ours = measure_overload(row, lane == 0);
        let share = row["tcp_percent"].as_f64().unwrap();
        let (delay_ms, drops) = (number("delay_ms", lane), number("drop_percent", lane));
        let name = format!("{} Mb/s in {}", row["udp_mbps"], row["udp_in"].as_str().unwrap());
        println!(
            "{name}: share of TCP {:.2} %, kernel {share}; delay {:.2} ms, kernel {delay_ms}; drops {:.2} %, kernel {drops}",
            ours.share, ours.delay_ms, ours.drops,
        );
        let bar = if share > 5.0 { 0.2 * share } else { 2.0 };
        if (ours.share - share).abs() > bar {
            beyond.push(name.clone() + ": share");
        }
        if (ours.delay_ms - delay_ms).abs() > 1.0 {
            beyond.push(name.clone() + ": delay");
        }
        if (ours.drops / drops - 1.0).abs() > 0.2 {
            beyond.push(name + ": drops");
        }
    }
    assert_eq!(beyond, ["70 Mb/s in C: drops"]);
}
