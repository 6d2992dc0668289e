//! What is wrong with a specification is said in one line.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::sync::Arc;

use evenair_core::time::Instant;
use evenair_emu::{Arriving, Clock, Engine, Error, Pool, Ports, Running, Signals, Site, Spec};
use serde_json::{Value, json};

/// No devices.
struct Nothing;

impl Ports for Nothing {
    fn wait(&mut self, _: &Clock, _: &Pool, _: Instant) -> Result<(), String> {
        Ok(())
    }

    fn next_arrival(&self) -> Instant {
        Instant::NEVER
    }

    fn receive(&mut self) -> Option<Arriving> {
        None
    }

    fn deliver(&mut self, _: Instant, _: Site, _: &[u8]) -> bool {
        true
    }
}

fn specification() -> Value {
    let flows = json!([{ "direction": "up" }]);
    let scenario = json!({ "station": [{ "count": 2, "flows": flows }] });
    json!({
        "scenario": scenario.to_string(), "seed": 1, "namespaces": {},
        "flows": [{
            "index": 0, "station": "sta-1", "host": "server", "up": true, "protocol": "tcp",
            "port": 5201
        }],
        "addresses": { "sta-1": ["10.77.0.1", "fd77::1"], "server": ["10.78.0.1"] },
        "warmup_s": 0.0, "duration_s": 0.01, "max_lateness_s": 0.002, "realtime": false,
        "pcap": null,
        "snmp": null,
    })
}

fn start(document: &Value) -> Result<Engine<Nothing>, Error> {
    Engine::new(Spec::parse(&document.to_string())?, Nothing, Arc::new(Signals::default()))
}

#[test]
fn a_valid_specification_is_accepted() {
    assert!(start(&specification()).is_ok());
}

#[test]
fn each_wrong_value_is_named() {
    let snmp = |key: &str, value: Value| {
        let mut agent = json!({ "listen": "10.79.0.1:161", "community": "public" });
        agent[key] = value;
        agent
    };
    for (pointer, value, parts) in [
        ("/scenario", json!("[station]\nx"), "scenario: "),
        ("/scenario", json!("{ \"stations\": [] }"), "scenario: "),
        ("/seed", json!(-1), "seed: "),
        ("/namespaces", json!({ "sta-1": 5 }), "namespaces.sta-1: "),
        ("/addresses/sta-1/0", json!("10.77.0"), "addresses.sta-1[0]: "),
        ("/addresses/sta-1/0", json!("10.78.0.1"), "got 10.78.0.1, which another host has"),
        ("/addresses", json!({ "sta-3": [] }), "got \"sta-3\"; accepted: "),
        ("/addresses", json!({ "ap": [] }), "got \"ap\"; accepted: "),
        ("/flows/0/index", json!(-1), "flows[0].index: "),
        ("/flows/0/station", json!("sta-0"), "flows.0.station: got \"sta-0\"; accepted: "),
        ("/flows/0/station", json!(null), "got neither station and host nor from and to"),
        ("/flows/0/host", json!("web"), "got \"web\"; accepted: "),
        ("/flows/0/up", json!(1), "flows[0].up: "),
        ("/flows/0/protocol", json!("sctp"), "flows[0].protocol: "),
        ("/flows/0/port", json!(65_536), "flows[0].port: "),
        ("/warmup_s", json!(-1.0), "warmup_s: got -1; accepted: "),
        ("/duration_s", json!(0.0), "duration_s: got 0; accepted: "),
        ("/max_lateness_s", json!(0.0), "max_lateness_s: got 0; accepted: "),
        ("/realtime", json!("yes"), "realtime: "),
        ("/pcap", json!(1), "pcap: "),
        ("/snmp", snmp("listen", json!("10.79.0.1")), "snmp.listen: "),
        ("/snmp", snmp("community", json!(1)), "snmp.community: "),
        ("/snmp", snmp("refresh_s", json!(-1.0)), "snmp.refresh_s: got -1; accepted: "),
        ("/snmp", snmp("version", json!(3)), "snmp.version: unknown field"),
    ] {
        let mut document = specification();
        *document.pointer_mut(pointer).unwrap() = value;
        let Err(Error::Invalid(line)) = start(&document).map(drop) else {
            panic!("{pointer} is accepted: {document}");
        };
        assert!(line.contains(parts) && line.lines().count() == 1, "{line}, without {parts:?}");
    }
}

#[test]
fn parts_that_need_the_simulator_are_refused() {
    let mut document = specification();
    let flows = json!([{ "direction": "down", "transport": "tfrc" }]);
    let cell = json!({ "controller": "cot", "beacon_interval": "100 ms" });
    document["scenario"] =
        json!({ "cell": cell, "station": [{ "flows": flows }] }).to_string().into();
    document["flows"] = json!([]);
    let refused = start(&document).map(drop);
    assert!(matches!(&refused, Err(Error::Invalid(line)) if line.starts_with("cell.controller: ")));
}

#[test]
fn devices_need_namespaces_that_are_there() {
    let mut document = specification();
    document["namespaces"] = json!({ "nobody": "/proc/self/ns/net" });
    let begin = |document: &Value| {
        let running = Spec::parse(&document.to_string()).and_then(Running::begin);
        running.map(drop).unwrap_err()
    };
    assert!(matches!(begin(&document), Error::Invalid(line) if line.contains("got \"nobody\"")));
    document["namespaces"] = json!({ "sta-1": "/nonexistent/namespace" });
    assert!(matches!(begin(&document), Error::Failed(line) if line.contains("/nonexistent")));
    document["namespaces"] = json!({});
    document["snmp"] = json!({ "listen": "10.79.0.1:161", "community": "public" });
    assert!(matches!(begin(&document), Error::Invalid(line) if line.contains("gateway")));
}

#[test]
fn a_run_that_is_stopped_before_it_measures_has_no_result() {
    let signals = Arc::new(Signals::default());
    signals.stop();
    let spec = Spec::parse(&specification().to_string()).unwrap();
    let run = Engine::new(spec, Nothing, signals).unwrap().run();
    assert!(matches!(run, Err(Error::Failed(line)) if line.contains("before measuring")));
}
