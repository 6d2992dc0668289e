//! Scenarios with a WiMAX cell.

use serde_json::{Value, json};

use super::broken_tests::check;
use super::*;

const WIMAX: &str = r#"
duration = "10 s"
[cell]
kind = "wimax"
[[station]]
flows = [{ direction = "up" }, { direction = "down" }]
"#;

fn with(overrides: &[(&str, &str)]) -> Result<Scenario, ScenarioError> {
    let mut document = document_from_toml(WIMAX.as_bytes(), "bad.toml").unwrap();
    for (key, value) in overrides {
        set(&mut document, key, value, "bad.toml")?;
    }
    resolve(document, "bad.toml")
}

fn wimax(scenario: &Scenario) -> &WimaxCell {
    match &scenario.cell {
        Cell::Wimax(cell) => cell,
        Cell::Wlan(_) => panic!("the cell is a WLAN"),
    }
}

#[test]
fn every_default_is_the_interfaces() {
    let scenario = serde_json::to_value(with(&[]).unwrap()).unwrap();
    let cell = json!({
        "kind": "wimax",
        "bandwidth": 7_000_000,
        "frame": 0.005,
        "cyclic_prefix": "1/16",
        "modulation": "64qam-3/4",
        "bytes_per_symbol": 107,
        "dl_ratio": "1:1",
        "contention_slots": 5,
        "request_backoff": [2, 6],
        "t16": 0.05,
        "request_retries": 2,
        "request_size": "stored",
        "maps": "maximum",
        "piggyback": false,
        "crc": false,
        "scheduler": "round-robin",
        "queue": { "kind": "droptail", "limit": 50 },
    });
    assert_eq!(scenario["cell"], cell);
    let station = &scenario["station"][0];
    assert_eq!(station["queue"], json!({ "kind": "droptail", "limit": 50 }));
    assert!(station.get("modulation").is_none() && station.get("data_rate").is_none());
    // The keys of a WLAN are as they are without a kind.
    let wlan =
        resolve(json!({ "station": [{ "flows": [{ "direction": "up" }] }] }), "test").unwrap();
    assert_eq!(wlan.cell.kind(), CellKind::Wlan);
    assert_eq!(wlan.station[0].queue.limit, QueueLimit::Packets(1000));
}

/// Values at the bounds of each key, and what the key then is.
const BOUNDS: &[(&str, &str, &str)] = &[
    ("bandwidth", "1.75 MHz", "1750000"),
    ("bandwidth", "20 MHz", "20000000"),
    ("bandwidth", "3500 kHz", "3500000"),
    ("frame", "2.5 ms", "0.0025"),
    ("frame", "20 ms", "0.02"),
    ("cyclic_prefix", "1/4", "\"1/4\""),
    ("cyclic_prefix", "1/32", "\"1/32\""),
    ("modulation", "16qam-1/2", "\"16qam-1/2\""),
    ("modulation", "64qam-2/3", "\"64qam-2/3\""),
    ("bytes_per_symbol", "9", "9"),
    ("bytes_per_symbol", "144", "144"),
    ("dl_ratio", "6:1", "\"6:1\""),
    ("dl_ratio", "1:1", "\"1:1\""),
    ("dl_ratio", "3", "\"3:1\""),
    ("dl_ratio", "0.75", "0.75"),
    ("contention_slots", "1", "1"),
    ("contention_slots", "13", "13"),
    ("request_backoff", "[0, 15]", "[0,15]"),
    ("request_backoff", "[15, 15]", "[15,15]"),
    ("request_backoff", "[0, 0]", "[0,0]"),
    ("t16", "1 ns", "1e-9"),
    ("t16", "1000000 s", "1000000.0"),
    ("request_retries", "0", "0"),
    ("request_retries", "255", "255"),
    ("request_size", "current", "\"current\""),
    ("maps", "actual", "\"actual\""),
    ("piggyback", "true", "true"),
    ("crc", "true", "true"),
    ("scheduler", "round-robin", "\"round-robin\""),
    ("queue", "las", "{\"kind\":\"las\",\"limit\":50,\"service\":\"packets\"}"),
    ("queue.limit", "\"30 KB\"", "\"30000 B\""),
    ("queue.limit", "unlimited", "\"unlimited\""),
];

#[test]
fn every_key_is_accepted_at_its_bounds() {
    for (key, value, expected) in BOUNDS {
        // In 5 ms there are 36 symbols at 1.75 MHz, of which the uplink's are too few.
        let frame = ("cell.frame", if *key == "bandwidth" { "20 ms" } else { "5 ms" });
        let scenario = with(&[frame, (&format!("cell.{key}"), value)]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
        let mut found = &serde_json::to_value(&scenario).unwrap()["cell"];
        for step in key.split('.') {
            found = &found[step];
        }
        let expected: Value = serde_json::from_str(expected).unwrap();
        if let (Some(found), Some(expected)) = (found.as_object(), expected.as_object()) {
            assert!(["kind", "limit"].iter().all(|k| found[*k] == expected[*k]), "{key}={value}");
        } else {
            assert_eq!(*found, expected, "{key}={value}");
        }
        let again = resolve(serde_json::to_value(&scenario).unwrap(), "json").unwrap();
        assert_eq!(again, scenario, "{key}={value}");
    }
    // More opportunities need a longer subframe: 846 symbols, of which they take 827.
    let long = [("bandwidth", "20 MHz"), ("frame", "20 ms"), ("contention_slots", "255")];
    let long = long.map(|(key, value)| (format!("cell.{key}"), value));
    let long = with(&long.each_ref().map(|(key, value)| (&key[..], *value))).unwrap();
    assert_eq!(wimax(&long).contention_slots, 255);
    let drr = with(&[("cell.scheduler", "drr")]).unwrap();
    assert_eq!(serde_json::to_value(&drr).unwrap()["cell"]["scheduler"]["kind"], "drr");
}

/// Overrides of [`WIMAX`]: `key=value => the field that the error names => texts of its line`.
const OVERRIDES: &str = r#"
cell.kind=wifi => cell.kind => got "wifi"; accepted: "wlan", "wimax"
cell.kind=wimx => cell.kind => did you mean "wimax"?
cell.kind=3 => cell.kind => got 3 | "wimax"
cell.bandwith=1 => cell.bandwith => unknown key `bandwith`; did you mean `bandwidth`? accepted: kind, bandwidth
cell.bandwidth=7 => cell.bandwidth => got 0.000007 MHz | from 1.75 to 20 MHz
cell.bandwidth=1.5 MHz => cell.bandwidth => got 1.5 MHz | from 1.75 to 20 MHz
cell.bandwidth=20.25 MHz => cell.bandwidth => got 20.25 MHz | from 1.75 to 20 MHz
cell.bandwidth=7.1 MHz => cell.bandwidth => got 7.1 MHz | steps of 0.25 MHz
cell.bandwidth=7 Mhz => cell.bandwidth => did you mean `MHz`?
cell.bandwidth=0 => cell.bandwidth => too small | such as "7 MHz"
cell.frame=6 ms => cell.frame => got 6 ms | 2.5, 4, 5, 8, 10, 12.5, 20 ms
cell.frame=0 => cell.frame => got 0 ms | 2.5, 4, 5
cell.frame=5 MHz => cell.frame => its unit "MHz" | ms
cell.cyclic_prefix=1/3 => cell.cyclic_prefix => got "1/3" | "1/4", "1/8", "1/16", "1/32"
cell.cyclic_prefix=0.25 => cell.cyclic_prefix => got 0.25 | "1/4"
cell.modulation=256qam-3/4 => cell.modulation => got "256qam-3/4" | "bpsk-1/2", "qpsk-1/2", "qpsk-3/4", "16qam-1/2", "16qam-3/4", "64qam-2/3", "64qam-3/4"
cell.bytes_per_symbol=8 => cell.bytes_per_symbol => got 8 | from 9 to 144
cell.bytes_per_symbol=145 => cell.bytes_per_symbol => got 145 | from 9 to 144
cell.dl_ratio=7:1 => cell.dl_ratio => got 7:1 | uplink | accepted: 
cell.dl_ratio=1:14 => cell.dl_ratio => got 1:14 | downlink | accepted: 
cell.dl_ratio=3:0 => cell.dl_ratio => got "3:0" | "3:1"
cell.dl_ratio=-1 => cell.dl_ratio => got -1 | above 0 and below 1
cell.dl_ratio=0.99 => cell.dl_ratio => got 0.99 | uplink
cell.dl_ratio=true => cell.dl_ratio => got true | "3:1"
cell.contention_slots=0 => cell.contention_slots => got 0 | from 1 to 255
cell.contention_slots=256 => cell.contention_slots => got 256 | from 1 to 255
cell.contention_slots=40 => cell.dl_ratio => uplink
cell.request_backoff=[6, 2] => cell.request_backoff => got [6,2] | from 0 to 15
cell.request_backoff=[2, 16] => cell.request_backoff => got [2,16] | from 0 to 15
cell.request_backoff=[2] => cell.request_backoff => got [2] | two whole numbers
cell.request_backoff=4 => cell.request_backoff => got 4 | such as [2, 6]
cell.t16=0 => cell.t16 => got 0 s | above 0
cell.request_retries=256 => cell.request_retries => got 256 | from 0 to 255
cell.request_retries=-1 => cell.request_retries => got -1 | from 0 to 255
cell.request_size=2 => cell.request_size => got 2 | "stored", "current"
cell.request_size=copy => cell.request_size => got "copy" | "stored", "current"
cell.maps=real => cell.maps => got "real" | "maximum", "actual"
cell.piggyback=1 => cell.piggyback => got 1 | true or false
cell.crc=on => cell.crc => got "on" | true or false
cell.scheduler=fifo => cell.scheduler => got "fifo" | "round-robin", "drr"
cell.scheduler=['drr'] => cell.scheduler => got a list | a table
cell.scheduler={kind='drr',quantum=0} => cell.scheduler.quantum => got 0 | whole number
cell.scheduler={quantum=100} => cell.scheduler.quantum => no parameter of a "round-robin"
cell.queue.limit=0 => cell.queue.limit => got 0 | from 1
cell.queue=lass => cell.queue => did you mean "las"?
station.0.queue=lass => station.0.queue.kind => did you mean "las"?
station.0.queue=3 => station.0.queue => got 3 | a table
station.0.modulation=64qam => station.0.modulation => got "64qam"; accepted: | "bpsk-1/2"
station.0.flows.0.segment=2002 => station.0.flows.0.segment => got 2002 | up to 2047
station.0.count=0 => station.0.count => got 0 | from 1
# Keys of a WLAN.
cell.phy=802.11b => cell.phy => `phy` is a key of a "wlan" cell; accepted: kind, bandwidth
cell.data_rate=11 Mbps => cell.data_rate => `data_rate` is a key of a "wlan" cell
cell.basic_rates=[1] => cell.basic_rates => `basic_rates` is a key of a "wlan" cell
cell.control_rate=basic => cell.control_rate => `control_rate` is a key of a "wlan" cell
cell.preamble=short => cell.preamble => `preamble` is a key of a "wlan" cell
cell.rts_threshold=0 => cell.rts_threshold => `rts_threshold` is a key of a "wlan" cell
cell.mac_overhead=36 => cell.mac_overhead => `mac_overhead` is a key of a "wlan" cell
cell.immediate_access=true => cell.immediate_access => `immediate_access` is a key of a "wlan" cell
cell.short_retry_limit=7 => cell.short_retry_limit => `short_retry_limit` is a key of a "wlan" cell
cell.long_retry_limit=4 => cell.long_retry_limit => `long_retry_limit` is a key of a "wlan" cell
station.0.phy=802.11b => station.0.phy => got a key of a "wlan" cell | accepted: modulation
station.0.rate_control=arf => station.0.rate_control => got a key of a "wlan" cell
station.0.channel={kind='snr',snr_db=20} => station.0.channel => got a key of a "wlan" cell
station.0.data_rate=11 Mbps => station.0.data_rate => got a key of a "wlan" cell | accepted: modulation
"#;

#[test]
fn wrong_values_are_told_in_one_line() {
    for line in OVERRIDES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [change, field, texts] = line.split(" => ").collect::<Vec<_>>().try_into().unwrap();
        let texts: Vec<&str> = texts.split(" | ").collect();
        let (key, value) = change.split_once('=').unwrap();
        check(change, with(&[(key, value)]), field, &texts);
    }
}

#[test]
fn keys_of_a_wimax_cell_are_refused_in_a_wlan() {
    let scenario = serde_json::to_value(with(&[]).unwrap()).unwrap();
    let keys = scenario["cell"].as_object().unwrap().keys();
    let mut refused = 0;
    for key in keys.filter(|key| !["kind", "queue", "scheduler"].contains(&&key[..])) {
        let mut document = json!({ "station": [{ "flows": [{ "direction": "up" }] }] });
        document["cell"][key] = scenario["cell"][key].clone();
        let text = format!("`{key}` is a key of a \"wimax\" cell");
        check(key, resolve(document, "bad.toml"), &format!("cell.{key}"), &[&text, "kind, phy"]);
        refused += 1;
    }
    assert_eq!(refused, 14);
    let station = json!({ "modulation": "qpsk-1/2", "flows": [{ "direction": "up" }] });
    let outcome = resolve(json!({ "station": [station] }), "bad.toml");
    check("modulation", outcome, "station.0.modulation", &["\"wimax\" cell", "data_rate"]);
}

/// Of 146 symbols 7:1 leaves 19 for the uplink. Ranging takes 11, the gap 1 and requests 6, so that a
/// burst, which has a preamble, finds one symbol. With four opportunities instead of five they take 9, 1
/// and 5.
#[test]
fn a_frame_without_room_is_refused_with_the_reason() {
    let error = with(&[("cell.dl_ratio", "7:1")]).unwrap_err().to_string();
    assert!(error.starts_with("bad.toml: cell.dl_ratio: got 7:1: "), "{error}");
    assert!(error.contains("uplink") && error.contains("19"), "{error}");
    with(&[("cell.dl_ratio", "6:1")]).unwrap();
    with(&[("cell.dl_ratio", "7:1"), ("cell.contention_slots", "4")]).unwrap();
    // At 4:1 BPSK leaves one symbol of 11 bytes for data of the uplink: the regions take 28 of 30, and
    // the preamble one. A fragment has at least 6 + 2 + 1 bytes, and with CRC 13.
    let bpsk = [("cell.modulation", "bpsk-1/2"), ("cell.dl_ratio", "4:1"), ("cell.crc", "true")];
    with(&bpsk[..2]).unwrap();
    let error = with(&bpsk).unwrap_err().to_string();
    assert!(error.contains("cell.dl_ratio: got 4:1, so that a burst of station.0 has"), "{error}");
    assert!(error.contains("at most 11 bytes; accepted: bursts of at least 13 bytes"), "{error}");
}

#[test]
fn what_follows_from_other_keys() {
    let qpsk = with(&[("cell.modulation", "qpsk-3/4"), ("cell.contention_slots", "2")]).unwrap();
    assert_eq!(wimax(&qpsk).bytes_per_symbol, Some(35));
    let two = with(&[("cell.bytes_per_symbol", "108"), ("station.0.modulation", "16qam-3/4")]);
    let two = two.unwrap();
    assert_eq!(wimax(&two).bytes_per_symbol_of(&two.station[0]), 71);
    let own = with(&[("cell.bytes_per_symbol", "108")]).unwrap();
    assert_eq!(wimax(&own).bytes_per_symbol_of(&own.station[0]), 108);
    // A station's queue keeps what is given.
    let queue = |value: &str| with(&[("station.0.queue", value)]).unwrap().station.remove(0).queue;
    assert_eq!(queue("las").limit, QueueLimit::Packets(50));
    assert_eq!(queue("{ limit = 7 }").limit, QueueLimit::Packets(7));
    assert_eq!(queue("{ kind = 'las' }").discipline.name(), "las");
}

#[test]
fn the_schema_has_the_keys_of_both_kinds() {
    let schema = json_schema();
    let keys = |name: &str| {
        let table = schema["$defs"][name]["properties"].as_object().unwrap();
        table.keys().cloned().collect::<Vec<_>>()
    };
    let (wlan, wimax) = (keys("WlanCell"), keys("WimaxCell"));
    assert!(wlan.contains(&"phy".to_owned()) && !wlan.contains(&"modulation".to_owned()));
    assert!(wimax.contains(&"modulation".to_owned()) && !wimax.contains(&"phy".to_owned()));
    assert_eq!(schema["$defs"]["WimaxCell"]["required"], json!(["kind"]));
    assert!(schema["$defs"]["WlanCell"].get("required").is_none());
    let kinds = ["WlanCell", "WimaxCell"]
        .map(|name| schema["$defs"][name]["additionalProperties"] == false);
    assert_eq!(kinds, [true, true]);
}
