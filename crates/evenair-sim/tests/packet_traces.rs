//! Flows that replay the packets of a file.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::path::{Path, PathBuf};

use evenair_sim::scenario::{Scenario, document_from_toml, resolve};
use evenair_sim::{RunOptions, RunResult, run};

const CSV: &str = "time,size,direction\n0,1500,up\n0.25,100,down\n0.25,200,down\n0.5,60,up\n";

/// A folder of the test with these files.
fn folder(test: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("evenair-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    folder
}

fn scenario(folder: &Path, application: &str) -> Scenario {
    let flow = format!("transport = \"udp\", application = {application}, start = \"1 s\"");
    let text = format!(
        "duration = \"5 s\"\nwired = {{ rate = \"10 Mbps\", delay = \"10 ms\" }}\n[[station]]\n\
         flows = [{{ direction = \"up\", {flow} }}, {{ direction = \"down\", {flow} }}]\n"
    );
    let source = folder.join("scenario.toml");
    let source = source.to_str().unwrap();
    let document = document_from_toml(text.as_bytes(), source).unwrap();
    resolve(document, source).unwrap_or_else(|error| panic!("{error}"))
}

fn result(scenario: &Scenario) -> RunResult {
    run(scenario, 1, &RunOptions::default()).unwrap()
}

/// The same packets as a pcap file of raw IPv4 with times in microseconds.
fn pcap() -> Vec<u8> {
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let mut file = words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 101]);
    for (micros, size, is_up) in
        [(0, 1500, true), (250_000, 100, false), (250_000, 200, false), (500_000, 60, true)]
    {
        file.extend(words(&[1_700_000_000, micros, 20, size]));
        let [first, second] = (size as u16).to_be_bytes();
        file.extend([0x45, 0, first, second, 0, 0, 0, 0, 64, 17, 0, 0]);
        let ends = [[192, 168, 0, 2], [10, 0, 0, 1]];
        let [from, to] = if is_up { ends } else { [ends[1], ends[0]] };
        file.extend([from, to].concat());
    }
    file
}

/// A CSV file and a capture of the same packets are the same scenario, which has the packets and not the file.
#[test]
fn files_of_the_same_packets_give_the_same_run() {
    let folder = folder("traces", &[("x.csv", CSV.as_bytes()), ("x.pcap", &pcap())]);
    let of = |file: &str| scenario(&folder, &format!("{{ kind = \"trace\", file = \"{file}\" }}"));
    let (csv, pcap) = (of("x.csv"), of("x.pcap"));
    assert_eq!(csv, pcap);
    let address = "{ address = \"192.168.0.2\", file = \"x.pcap\", kind = \"trace\" }";
    assert_eq!(csv, scenario(&folder, address));
    let text = serde_json::to_value(&csv).unwrap();
    let application = &text["station"][0]["flows"][0]["application"];
    assert_eq!(application["packets"][1], serde_json::json!([0.25, 100, "down"]));
    assert!(application.get("file").is_none());
    assert_eq!(resolve(text, "again").unwrap(), csv);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// By hand: up 1500 - 28 and 60 - 28 bytes of payload, down 100 - 28 and 200 - 28, over five seconds; with `repeat`
/// a second later again, four times in all.
#[test]
fn every_packet_of_a_file_arrives_once() {
    let folder = folder("arrivals", &[("x.csv", CSV.as_bytes())]);
    for (more, rounds) in [("", 1), (", repeat = \"1 s\"", 4)] {
        let application = format!("{{ kind = \"trace\", file = \"x.csv\"{more} }}");
        let result = result(&scenario(&folder, &application));
        for (flow, bytes) in result.flows.iter().zip([1472 + 32, 72 + 172]) {
            assert_eq!(flow.segments_sent, 2 * rounds);
            assert_eq!(flow.goodput_bps, (8 * bytes * rounds) as f64 / 5.0);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Between hosts: datagrams of 1500 and 100 bytes cross 10 Mb/s, 1.2 and 0.08 ms, and 10 ms. The two that leave at
/// once wait for each other: 1.2 and 1.28 ms.
#[test]
fn delays_follow_from_the_sizes() {
    let text = r#"
        duration = "5 s"
        [wired]
        link = [
            { between = ["a", "ap"], rate = "10 Mbps", delay = "10 ms" },
            { between = ["b", "ap"], rate = "unlimited", delay = 0 },
        ]
        flow = [{ from = "a", to = "b", transport = "udp", application = {
            kind = "trace", packets = [[0, 100], [1, 1500], [1, 100]] } }]
        [[station]]
        flows = [{ direction = "up", host = "b" }]
        "#;
    let document = document_from_toml(text.as_bytes(), "test.toml").unwrap();
    let result = result(&resolve(document, "test.toml").unwrap());
    let flow = &result.wired.flows[0];
    let delays = flow.one_way_delay_s.unwrap();
    assert!((delays.mean - (0.010_08 + 0.0112 + 0.011_28) / 3.0).abs() < 1e-9, "{delays:?}");
    assert!((delays.max - 0.011_28).abs() < 1e-9, "{delays:?}");
    assert_eq!(flow.goodput_bps, 8.0 * f64::from(72 + 1472 + 72) / 5.0);
}
