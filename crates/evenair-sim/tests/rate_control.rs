//! Rate control, channels and 802.11b stations in scenarios: results, and throughput by formula.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::resolve;
use evenair_sim::{RunOptions, RunResult, run};
use serde_json::{Value, json};

fn simulate(document: Value) -> RunResult {
    run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap()
}

/// Datagrams of 1472 + 28 bytes, more than the link carries.
fn saturating(direction: &str) -> Value {
    json!([{
        "direction": direction, "transport": "udp", "rate": "100 Mbps", "segment": 1472, "header": 28,
    }])
}

/// One saturated station of 802.11g while one of 802.11b is silent. Each cycle has DIFS of 50 us, a mean
/// backoff of 7.5 slots of 20 us, what protects the frame, the frame (1536 bytes at 54 Mb/s: 12310 bits,
/// 57 symbols, 254 us), SIFS of 10 us and the ACK of 34 us at 24 Mb/s. CTS: 192 + 112/11 us, RTS 192 +
/// 160/11 us. Without an 802.11b station slots have 9 us and DIFS 28 us. The mean of some 40,000
/// backoffs is within 0.6% of its expectation (five standard errors), the cycle within 0.3%.
#[test]
fn an_802_11b_station_slows_an_802_11g_cell_down() {
    let (cts, rts) = (192.0 + 112.0 / 11.0, 192.0 + 160.0 / 11.0);
    for (mixed, protection, before) in [
        (false, None, 0.0),
        (true, Some("off"), 0.0),
        (true, None, cts + 10.0),
        (true, Some("cts-to-self"), cts + 10.0),
        (true, Some("rts-cts"), rts + cts + 20.0),
    ] {
        let silent = json!([{ "direction": "up", "start": "20 s", "stop": "20.1 s" }]);
        let mut stations = vec![json!({ "flows": saturating("up") })];
        if mixed {
            stations.push(json!({ "phy": "802.11b", "flows": silent }));
        }
        let mut cell = json!({ "phy": "802.11g" });
        if let Some(protection) = protection {
            cell["protection"] = protection.into();
        }
        let document = json!({ "duration": "20.5 s", "cell": cell, "station": stations });
        let result = simulate(document);
        let (slot, difs) = if mixed { (20.0, 50.0) } else { (9.0, 28.0) };
        let cycle = difs + 7.5 * slot + before + 254.0 + 10.0 + 34.0;
        let expected = 1472.0 * 8.0 / cycle * 1e6;
        let found = result.flows[0].goodput_bps;
        // The 802.11b station sends a little in the last half second.
        let bar = if mixed { 0.008 } else { 0.003 };
        assert!((found / expected - 1.0).abs() < bar, "{protection:?}: {found}, not {expected}");
        assert!(result.stations.iter().all(|station| station.data_rates.is_none()));
    }
}

/// The defaults of a cell with 802.11b stations.
#[test]
fn an_802_11b_station_changes_the_defaults() {
    let of = |phy: &str| {
        let station = json!({ "phy": phy, "flows": [{ "direction": "up" }] });
        let document = json!({ "cell": { "phy": "802.11g" }, "station": [station] });
        let scenario = serde_json::to_value(resolve(document, "test").unwrap()).unwrap();
        let cell = &scenario["cell"];
        (cell["protection"].clone(), cell["basic_rates"].clone())
    };
    assert_eq!(of("802.11g"), (json!("off"), json!([6_000_000, 12_000_000, 24_000_000])));
    let dsss = json!([1_000_000, 2_000_000, 5_500_000, 11_000_000]);
    assert_eq!(of("802.11b"), (json!("cts-to-self"), dsss));
}

/// A schedule of 54 and 12 Mb/s: results and series have the rates of the ideal control, which are those
/// of the schedule, in the direction of the data; the other is idle, and stays at its first rate.
#[test]
fn results_have_the_rates() {
    for (direction, other) in [("down", "up"), ("up", "down")] {
        let channel =
            json!({ "kind": "schedule", "rates": [["0 s", "54 Mbps"], ["2 s", "12 Mbps"]] });
        let station = json!({
            "channel": channel, "rate_control": "ideal", "data_rate": "6 Mbps",
            "flows": saturating(direction),
        });
        let fixed = json!({ "flows": [{ "direction": "up", "start": "3.9 s" }] });
        let result = simulate(json!({
            "duration": "3 s", "warmup": "1 s", "cell": { "phy": "802.11a" },
            "station": [station, fixed], "trace": { "interval": "0.5 s" },
        }));
        let result = serde_json::to_value(result).unwrap();
        let rates = &result["stations"][0]["data_rates"];
        assert!(result["stations"][1].get("data_rates").is_none());
        let frames = |mbps: u64| {
            let list = rates[direction].as_array().unwrap();
            let found = list.iter().find(|each| each["rate_bps"] == mbps * 1_000_000).unwrap();
            (found["frames"].as_u64().unwrap(), found["share"].as_f64().unwrap())
        };
        let [(slow, slow_share), (fast, fast_share)] = [12, 54].map(frames);
        let total: u64 = [6, 9, 12, 18, 24, 36, 48, 54].map(|mbps| frames(mbps).0).iter().sum();
        assert_eq!(total, slow + fast);
        let sent = &result[if direction == "up" { "stations" } else { "ap" }];
        let sent = if direction == "up" { &sent[0] } else { sent };
        // The silent station's access point sends ACKs of TCP to it.
        assert!(total.abs_diff(sent["frames_sent"].as_u64().unwrap()) < 100);
        // 1 s at 54 Mb/s in cycles of 393.5 us, 2 s at 12 Mb/s of 1197.5 us, within 2%.
        assert!((fast as f64 * 393.5e-6 - 1.0).abs() < 0.02, "{fast}");
        assert!((slow as f64 * 1197.5e-6 - 2.0).abs() < 0.05, "{slow}");
        assert!((slow_share + fast_share - 1.0).abs() < 1e-12);
        let mean = (12e6 * slow as f64 + 54e6 * fast as f64) / total as f64;
        let found = rates[format!("{direction}_mean_bps")].as_f64().unwrap();
        assert!((found / mean - 1.0).abs() < 1e-12);
        assert_eq!(rates[format!("{other}_mean_bps")], Value::Null);
        let series = &result["series"]["stations"];
        let [fast, slow, first] = [54_000_000, 12_000_000, 6_000_000];
        let expected = json!([fast, fast, slow, slow, slow, slow]);
        assert_eq!(series["sta-1"][format!("{direction}_rate_bps")], expected);
        assert_eq!(series["sta-1"][format!("{other}_rate_bps")], json!(vec![first; 6]));
        assert!(series.get("sta-2").is_none());
    }
}

/// A loss model and a channel are applied both: 20 dB corrupt nothing at 6 Mb/s, the model one frame of
/// five.
#[test]
fn a_channel_adds_to_a_loss_model() {
    let attempts = |error: bool, snr_db: f64| {
        let mut station = json!({
            "data_rate": "6 Mbps", "channel": { "kind": "snr", "snr_db": snr_db },
            "flows": saturating("up"),
        });
        if error {
            station["error"] = json!({ "rate": 0.2, "level": "mac", "frames": "data" });
        }
        let cell = json!({ "phy": "802.11a" });
        let result = simulate(json!({ "duration": "20 s", "cell": cell, "station": [station] }));
        let delivered = result.flows[0].goodput_bps * 20.0 / (1472.0 * 8.0);
        result.stations[0].frames_sent as f64 / delivered
    };
    assert!((attempts(false, 20.0) - 1.0).abs() < 1e-3);
    // 1 / 0.8 attempts for each packet; some 8,000 packets: within 5 standard errors of 0.006.
    assert!((attempts(true, 20.0) - 1.25).abs() < 0.03);
    // At 3.95 dB one frame of ten of 1458 bytes is lost by the channel, here of 1536 one of nine or ten.
    let both = attempts(true, 3.95);
    let channel = attempts(false, 3.95);
    assert!(channel > 1.05 && (both / (1.25 * channel) - 1.0).abs() < 0.03, "{both}, {channel}");
}
