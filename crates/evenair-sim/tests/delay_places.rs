//! Where the delay of flows is: the places sum to the one-way delay, and are what the path determines.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::path::Path;

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{DelayByPlace, FlowResult, RunOptions, RunResult, run};
use serde_json::Value;

fn simulate(toml: &str, settings: &[(&str, &str)], delay_by_place: bool) -> RunResult {
    let mut document = document_from_toml(toml.as_bytes(), "test").unwrap();
    for (key, value) in settings {
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions { delay_by_place, ..RunOptions::default() }).unwrap()
}

fn places(toml: &str, settings: &[(&str, &str)]) -> Vec<DelayByPlace> {
    let result = simulate(toml, settings, true);
    result.flows.iter().map(|flow| flow.delay_by_place_s.unwrap()).collect()
}

fn means(of: &DelayByPlace) -> [f64; 9] {
    [
        of.repair.mean,
        of.station_queue.mean,
        of.ap_queue.mean,
        of.ring.mean,
        of.hardware.mean,
        of.air.mean,
        of.reorder.mean,
        of.wired_queue.mean,
        of.wire.mean,
    ]
}

fn assert_conserved(flow: &FlowResult) {
    let (whole, parts) = (flow.one_way_delay_s, flow.delay_by_place_s);
    assert_eq!(whole.is_some(), parts.is_some(), "{}", flow.id);
    if let Some((whole, parts)) = whole.zip(parts) {
        let sum: f64 = means(&parts).iter().sum();
        assert!((sum / whole.mean - 1.0).abs() < 1e-9, "{}: {parts:?} of {whole:?}", flow.id);
    }
}

/// The run is the same with the measurement, and in each flow the parts are the whole.
fn check(toml: &str, settings: &[(&str, &str)]) -> RunResult {
    let [with, without] = [true, false].map(|measured| simulate(toml, settings, measured));
    with.flows.iter().for_each(assert_conserved);
    assert!(with.flows.iter().any(|flow| flow.delay_by_place_s.is_some()));
    let plain = |result: &RunResult| {
        let mut document: Value = serde_json::to_value(result).unwrap();
        document["events"].take();
        for flow in document["flows"].as_array_mut().unwrap() {
            flow.as_object_mut().unwrap().remove("delay_by_place_s");
        }
        document
    };
    assert!(plain(&with) == plain(&without), "{settings:?}");
    with
}

/// Uploads and downloads of TCP and UDP, a call, web pages, a lossy wire and a lossy station.
const MIXED: &str = r#"
    duration = "3 s"
    warmup = "1 s"
    [cell]
    queue = { kind = "droptail", limit = 50 }
    [wired]
    link = [
        { between = ["server", "r"], rate = "20 Mbps", delay = "7 ms", queue = { kind = "codel", limit = 100 } },
        { between = ["r", "ap"], rate = "30 Mbps", delay = "1 ms", error = { kind = "independent", rate = 0.002 } },
    ]
    [[station]]
    count = 2
    flows = [{ direction = "both" }, { direction = "up", transport = "udp", application = "cbr", rate = "300 kbps" }]
    [[station]]
    error = { kind = "independent", rate = 0.05, level = "mac" }
    flows = [
        { direction = "down" },
        { direction = "both", transport = "udp", application = "voip" },
        { direction = "down", application = { kind = "web", size = "100 kB", think = "100 ms" } },
    ]
"#;

#[test]
fn the_places_sum_to_the_delay() {
    let linux = ("cell.access_point", "linux");
    let cells: [&[(&str, &str)]; 7] = [
        &[("cell.phy", "802.11g")],
        &[("cell.phy", "802.11g"), ("cell.ring", "16"), ("cell.queue.kind", "fq-codel")],
        &[("cell.phy", "802.11g"), ("cell.scheduler", "airtime-drr")],
        &[("cell.phy", "802.11n")],
        &[("cell.phy", "802.11n"), ("cell.ring", "64"), ("station.0.stack", "linux")],
        &[("cell.phy", "802.11ac"), linux, ("cell.queue", "fq-codel")],
        &[("cell.kind", "wimax")],
    ];
    for settings in cells {
        check(MIXED, settings);
    }
}

#[test]
fn the_places_of_built_in_scenarios_sum_to_the_delay() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/evenair/scenarios");
    let mut scenarios = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("blefari2007-dynamic.toml") {
            continue; // begins after 20 s; otherwise as blefari2007
        }
        let toml = std::fs::read_to_string(path).unwrap();
        let result = simulate(&toml, &[("duration", "2 s"), ("warmup", "1 s")], true);
        result.flows.iter().for_each(assert_conserved);
        scenarios += 1;
    }
    assert!(scenarios >= 10);
}

/// A station with a flow of datagrams of 1,000 + 28 bytes.
const DATAGRAMS: &str = r#"
    duration = "10 s"
    warmup = "2 s"
    [cell]
    phy = "802.11b"
    data_rate = "11 Mbps"
    mac_overhead = 34
    queue = { kind = "droptail", limit = 50 }
    [wired]
    rate = "100 Mbps"
    delay = "10 ms"
    [[station]]
    [[station.flows]]
    direction = "up"
    transport = "udp"
    application = "poisson"
    rate = "200 kbps"
    segment = 1000
    header = 28
"#;

/// Nothing waits where there is nothing else. A frame of 1,062 bytes takes a long preamble of 192 us and 772.4 us; before it come
/// at most DIFS, 50 us, and 31 slots of 20 us, unless another datagram is there. The wire takes 82.24 us and 10 ms.
#[test]
fn a_datagram_alone_is_on_the_air_and_on_the_wire() {
    for direction in ["up", "down"] {
        let settings = [("station.0.flows.0.direction", direction)];
        let result = simulate(DATAGRAMS, &settings, true);
        let of = result.flows[0].delay_by_place_s.unwrap();
        let frame = 192e-6 + 1062.0 * 8.0 / 11e6;
        assert!((frame..frame + 50e-6 + 31.0 * 20e-6).contains(&of.air.mean), "{of:?}");
        assert!((of.wire.mean - 0.01008224).abs() < 1e-9, "{of:?}");
        // One in forty meets another within a millisecond.
        let waits = of.station_queue.mean + of.ap_queue.mean;
        assert!(waits < 0.05 * frame, "{of:?}");
        let none =
            [of.repair, of.ring, of.hardware, of.reorder].map(|times| (times.mean, times.p95));
        assert_eq!(none, [(0.0, 0.0); 4]);
    }
}

/// The time from one delivered datagram of 1,000 bytes to the next, seconds.
fn service(result: &RunResult) -> f64 {
    8000.0 / result.flows[0].goodput_bps
}

fn assert_near(time: f64, expected: f64) {
    assert!((time / expected - 1.0).abs() < 0.01, "{time} for {expected}");
}

const OVERLOAD: [(&str, &str); 2] =
    [("station.0.flows.0.rate", "30 Mbps"), ("station.0.flows.0.direction", "down")];

/// Little's law: in the queue a datagram waits for those before it.
#[test]
fn a_full_queue_is_where_the_delay_is() {
    let result = simulate(DATAGRAMS, &OVERLOAD, true);
    let of = result.flows[0].delay_by_place_s.unwrap();
    assert_near(of.ap_queue.mean, result.ap_queue.mean_packets * service(&result));
    assert_eq!((of.station_queue.mean, of.ring.mean), (0.0, 0.0));
    let up = [OVERLOAD[0], ("station.0.queue.limit", "50")];
    let result = simulate(DATAGRAMS, &up, true);
    let of = result.flows[0].delay_by_place_s.unwrap();
    assert_near(of.station_queue.mean, result.stations[0].queue_mean_packets * service(&result));
    assert_eq!(of.ap_queue.mean, 0.0);
    // The wire: 2 Mb/s let 243 datagrams a second pass.
    let wire = [OVERLOAD[0], OVERLOAD[1], ("wired.rate", "2 Mbps"), ("wired.queue.limit", "20")];
    let of = places(DATAGRAMS, &wire)[0];
    assert_near(of.wire.mean, 0.01 + 1028.0 * 8.0 / 2e6);
    // Of 20 places one is the transmitter's, and the last is taken within the time of a datagram.
    let waits = of.wired_queue.mean / (1028.0 * 8.0 / 2e6);
    assert!((18.0..19.0).contains(&waits), "{of:?}");
}

/// What enters a ring of 16 places waits for the 15 in front.
#[test]
fn a_ring_holds_what_its_places_take() {
    let result = simulate(DATAGRAMS, &[OVERLOAD[0], OVERLOAD[1], ("cell.ring", "16")], true);
    let of = result.flows[0].delay_by_place_s.unwrap();
    assert_near(of.ring.mean, 15.0 * service(&result));
    let queue = of.ap_queue.mean / service(&result);
    assert!((49.0..50.0).contains(&queue), "{of:?}");
}

/// With 802.11n, and more than it carries.
fn high_throughput() -> String {
    let toml = DATAGRAMS.replace("802.11b", "802.11n").replace("data_rate = \"11 Mbps\"", "");
    toml.replace("200 kbps", "90 Mbps").replace("\"up\"", "\"down\"")
}

/// A datagram is prepared when the PPDU before begins to contend, and taken when its own does, or is transmitted: 34 us of
/// AIFS 2 and 15 slots of 9 us later at most.
#[test]
fn hardware_holds_a_ppdu() {
    let toml = high_throughput().replace("limit = 50", "limit = 1000");
    let scheduler = ("cell.scheduler", "{ kind = \"airtime-drr\", aql = \"off\" }");
    let result = simulate(&toml, &[("cell.access_point", "linux"), scheduler], true);
    let of = result.flows[0].delay_by_place_s.unwrap();
    let mpdus = result.ap.edca.as_ref().unwrap().mpdus_per_ppdu.unwrap();
    let cycle = mpdus * service(&result);
    assert!(mpdus > 20.0, "{mpdus}");
    assert!((0.99 * cycle..cycle + 34e-6 + 135e-6).contains(&of.hardware.mean), "{of:?} {cycle}");
}

const LOSSY_WIRE: &str = r#"link = [
    { between = ["server", "ap"], delay = "10 ms", error = { kind = "independent", rate = 0.1, direction = "down" } },
]"#;

/// Only TCP repairs what is lost, and only a receiver that lacks an MPDU holds others back.
#[test]
fn losses_take_time_where_they_are_repaired() {
    let toml = high_throughput();
    let lossy = (
        "station.0.error",
        "{ kind = \"independent\", rate = 0.1, level = \"mac\", frames = \"data\" }",
    );
    let lossless = places(&toml, &[])[0];
    let of = places(&toml, &[lossy])[0];
    assert_eq!((lossless.reorder.mean, of.repair.mean), (0.0, 0.0));
    assert!(of.reorder.mean > 0.1 * of.air.mean, "{of:?}");
    assert!(of.air.mean > lossless.air.mean, "{of:?} {lossless:?}");
    // A tenth of the segments arrives a round trip of 20 ms later at the earliest.
    let tcp = DATAGRAMS.replace("\"up\"", "\"down\"");
    let tcp =
        tcp.replace("\"udp\"\n    application = \"poisson\"\n    rate = \"200 kbps\"", "\"cubic\"");
    let tcp = tcp
        .replace("header = 28", "")
        .replace("rate = \"100 Mbps\"\n    delay = \"10 ms\"", LOSSY_WIRE);
    let of = places(&tcp, &[])[0];
    assert!(of.repair.mean > 0.1 * 0.02, "{of:?}");
    assert_eq!((of.reorder.mean, of.hardware.mean), (0.0, 0.0));
}
