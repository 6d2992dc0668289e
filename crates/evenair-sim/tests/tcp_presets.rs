//! What `flow.tcp` selects, and that it matters: windows, growth of cwnd, repeated SYNs.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};
use serde_json::{Value, json};

const FLOW: &str = "station.0.flows.0";

/// A scenario with these overrides, resolved.
fn resolved(toml: &str, overrides: &[&str]) -> Result<Value, String> {
    let mut document = document_from_toml(toml.as_bytes(), "test").unwrap();
    for (key, value) in overrides.iter().map(|text| text.split_once('=').unwrap()) {
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").map_err(|error| error.to_string())?;
    Ok(serde_json::to_value(scenario).unwrap())
}

fn simulate(toml: &str, overrides: &[&str], seed: u64) -> RunResult {
    let scenario = resolve(resolved(toml, overrides).unwrap(), "test").unwrap();
    run(&scenario, seed, &RunOptions::default()).unwrap()
}

const ONE: &str = "station = [{ flows = [{ direction = \"down\" }] }]";

fn flow(overrides: &[&str]) -> Value {
    resolved(ONE, overrides).unwrap()["station"][0]["flows"][0].clone()
}

#[track_caller]
fn assert_options(flow: &Value, options: Value) {
    for (key, expected) in options.as_object().unwrap() {
        assert_eq!(flow[key], *expected, "{key}");
    }
}

/// Linux's constants, as `include/net/tcp.h` and `Documentation/networking/ip-sysctl.rst` have them. The
/// window is half of 6 MiB: 3145728 / 1460 = 2154.6.
#[test]
fn the_default_is_linux() {
    let options = json!({
        "tcp": "linux", "window": 2154, "initial_window": 10, "initial_ssthresh": 0x7FFF_FFFF,
        "delayed_ack": 2, "delayed_ack_timeout": 0.04, "quick_acks": 16, "byte_counting": true,
        "cwnd_validation": true, "limited_transmit": "new", "sack": true, "rack": true, "prr": true,
        "rto": "linux", "min_rto": 0.2, "initial_rto": 1.0, "syn_timer": "linux",
    });
    assert_options(&flow(&[]), options.clone());
    assert_options(&flow(&["station.0.flows.0.tcp=linux"]), options);
}

/// RFC 5681 sections 3.1 and 4.2, RFC 6298 section 2.
#[test]
fn rfc_has_the_values_of_the_rfcs() {
    let rfc = |more: &str| flow(&["station.0.flows.0.tcp=rfc", more]);
    assert_options(
        &rfc("station.0.flows.0.segment=1460"),
        json!({
            "window": 2154, "initial_window": 3, "initial_ssthresh": 2154, "delayed_ack": 2,
            "delayed_ack_timeout": 0.5, "quick_acks": 0, "byte_counting": false,
            "cwnd_validation": true, "idle_restart": "rfc5681", "limited_transmit": "new",
            "sack": true, "rack": false, "prr": false, "rto": "rfc6298", "min_rto": 1.0, "initial_rto": 1.0,
            "syn_timer": "exact",
        }),
    );
    for (segment, window) in [(1095, 4), (1096, 3), (2190, 3), (2191, 2)] {
        let flow = rfc(&format!("{FLOW}.segment={segment}"));
        assert_eq!(flow["initial_window"], window, "{segment}");
    }
}

/// Their bytes are in the header, and a segment with all headers fills a packet of 1500 bytes.
#[test]
fn timestamps_take_twelve_bytes() {
    let timestamps = |more: &str| flow(&["station.0.flows.0.timestamps=true", more]);
    let expected = json!({ "timestamps": true, "header": 52, "segment": 1448 });
    assert_options(&timestamps("station.0.flows.0.tcp=rfc"), expected);
    let expected = json!({ "header": 60, "segment": 1000 });
    let given = flow(&[
        "station.0.flows.0.timestamps=true",
        "station.0.flows.0.header=60",
        "station.0.flows.0.segment=1000",
    ]);
    assert_options(&given, expected);
    let off = flow(&["station.0.flows.0.timestamps=false"]);
    assert_options(&off, json!({ "timestamps": null, "header": 40, "segment": 1460 }));
}

/// What evenair's comparison with ns-2 was made with.
#[test]
fn ns2_has_the_values_of_the_papers() {
    assert_options(
        &flow(&["station.0.flows.0.tcp=ns2"]),
        json!({
            "window": 20, "initial_window": 2, "initial_ssthresh": 20, "delayed_ack": 2,
            "delayed_ack_timeout": 0.1, "quick_acks": 0, "byte_counting": false,
            "cwnd_validation": false, "limited_transmit": "new", "sack": false, "rack": false,
            "prr": false, "rto": "rfc6298", "min_rto": 0.2, "initial_rto": 3.0,
            "syn_timer": "exact",
        }),
    );
}

#[test]
fn keys_override_their_preset() {
    let keys = ["window=64", "rack=false", "min_rto=1 s"].map(|key| format!("{FLOW}.{key}"));
    for preset in ["linux", "rfc"] {
        // The order does not matter.
        let tcp = format!("{FLOW}.tcp={preset}");
        for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
            let all = [&keys[0], &keys[1], &keys[2], &tcp];
            let flow = flow(&order.map(|index| all[index].as_str()));
            assert_options(
                &flow,
                json!({ "tcp": preset, "window": 64, "rack": false, "min_rto": 1.0, "sack": true }),
            );
        }
    }
}

/// Defaults follow other keys where they have to.
#[test]
fn presets_fit_the_keys_that_are_given() {
    let with = |key: &str| flow(&[&format!("{FLOW}.{key}")]);
    assert_options(&with("sack=false"), json!({ "sack": false, "rack": false, "prr": false }));
    assert_options(&with("window=4"), json!({ "window": 4, "initial_window": 4 }));
    // 3145728 / 1000, and no more than 65535 or fewer than 1.
    assert_eq!(with("segment=1000")["window"], 3145);
    assert_eq!(with("segment=10")["window"], 65_535);
    let ns2 = ["station.0.flows.0.tcp=ns2", "station.0.flows.0.window=1"];
    assert_options(&flow(&ns2), json!({ "initial_window": 1, "initial_ssthresh": 1 }));
    // A resolved scenario keeps its values.
    let once = resolved(ONE, &["station.0.flows.0.tcp=ns2"]).unwrap();
    let twice = resolve(once.clone(), "test").unwrap();
    assert_eq!(serde_json::to_value(twice).unwrap(), once);
}

#[test]
fn wrong_values_are_refused_in_one_line() {
    for (key, value, accepted) in [
        ("tcp", "lunix", "did you mean \"linux\"?"),
        ("tcp", "5", "\"linux\", \"rfc\", \"ns2\""),
        ("quick_acks", "-1", "a whole number from 0 to 65535"),
        ("cwnd_validation", "maybe", "true or false"),
        ("rto", "rfc", "\"rfc6298\", \"rfc7323\", \"linux\""),
        ("syn_timer", "ns2", "\"exact\", \"linux\""),
    ] {
        let error = resolved(ONE, &[&format!("{FLOW}.{key}={value}")]).unwrap_err();
        assert!(error.starts_with(&format!("test: {FLOW}.{key}: ")), "{error}");
        assert!(error.contains(accepted) && !error.contains('\n'), "{error}");
    }
}

/// 20 segments in 100 ms and the time on the air are 2.336 Mb/s at most. Without that limit a segment
/// takes 464 us with its share of an ACK, 25.2 Mb/s at most (802.11g: DIFS 28, backoff 67.5, 248, SIFS
/// 10, MAC ACK 28; for every second segment the same with 32 for a TCP ACK), of which collisions and
/// NewReno's halvings over a queue of a quarter of the path leave four fifths.
#[test]
fn the_default_window_does_not_limit_a_long_path() {
    let toml = r#"
        duration = "60 s"
        warmup = "5 s"
        cell = { phy = "802.11g" }
        wired = { delay = "50 ms" }
        station = [{ flows = [{ direction = "down" }] }]
    "#;
    let goodput = |overrides: &[&str]| simulate(toml, overrides, 1).aggregate_goodput_bps / 1e6;
    let limited = goodput(&["station.0.flows.0.window=20"]);
    assert!((0.97 * 2.336..2.336).contains(&limited), "{limited}");
    let free = goodput(&[]);
    assert!((0.8 * 25.2..25.2).contains(&free), "{free}");
}

/// The largest cwnd of a trace of two minutes, segments.
fn largest_cwnd(overrides: &[&str]) -> f64 {
    let toml = r#"
        duration = "120 s"
        trace = { interval = "100 ms" }
        cell = { queue = { limit = 100 } }
        station = [{ flows = [{ direction = "down", window = 64 }] }]
    "#;
    let result = simulate(toml, overrides, 1);
    let cwnd = &result.series.unwrap().flows["down-1"]["cwnd"];
    cwnd.as_array().unwrap().iter().filter_map(Value::as_f64).fold(0.0, f64::max)
}

/// A queue that holds the window of 64 segments loses nothing, and cwnd grows in slow start to 128, and
/// by an ACK of two segments at most. In ns-2 an ACK adds 1/cwnd: of about 30,000 ACKs of two minutes at
/// 6 Mb/s, cwnd is more than sqrt(2 * 20000) = 200.
#[test]
fn the_receivers_window_bounds_cwnd() {
    let validated = largest_cwnd(&[]);
    assert!((127.0..=130.0).contains(&validated), "{validated}");
    let ns2 = largest_cwnd(&["station.0.flows.0.tcp=ns2"]);
    assert!(ns2 > 200.0, "{ns2}");
}

/// Two stations that open their connections in the same nanosecond, and send each SYN once.
const LOCK_STEP: &str = r#"
    duration = "60 s"
    cell = { short_retry_limit = 1 }
    station = [
        { flows = [{ direction = "up", start = 0 }] },
        { flows = [{ direction = "up", start = 0 }] },
    ]
"#;

/// Without a clock of their own the SYNs collide at each retransmission, after 1, 3, 7, 15 and 31 s.
#[test]
fn exact_timers_keep_in_lock_step() {
    let result = simulate(
        LOCK_STEP,
        &["station.0.flows.0.syn_timer=exact", "station.1.flows.0.syn_timer=exact"],
        1,
    );
    for flow in &result.flows {
        assert_eq!((flow.goodput_bps, flow.timeouts), (0.0, 5));
    }
}

/// Two clocks end their buckets of 32 ms within the 1 ms of a SYN of each other with a probability of
/// 1/16 at most, and five times in a row in one of a million runs.
#[test]
fn the_ticks_of_two_hosts_differ() {
    for seed in 1..=20 {
        for flow in &simulate(LOCK_STEP, &[], seed).flows {
            assert!(flow.goodput_bps > 0.0, "seed {seed}: {}", flow.id);
        }
    }
}
