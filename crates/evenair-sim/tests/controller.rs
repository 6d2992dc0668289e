//! Cells with the channel-occupancy-time controller against what Kashibuchi et al. 2009 says, and
//! against closed formulas from the timing of IEEE 802.11a.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};

/// Figure 3 of the paper, as `evenair run kashibuchi2009` has it.
const FIGURE_3: &[u8] = include_bytes!("../../../python/evenair/scenarios/kashibuchi2009.toml");

/// The same network without stations. The transient of the first flows is not measured.
const NETWORK: &str = r#"
duration = "200 s"
warmup = "100 s"

[cell]
phy = "802.11a"
controller = { kind = "cot", beacons = 3, threshold = 0.8 }
queue = { kind = "droptail", limit = "150 KB" }

[wired]
delay = "50 ms"
queue = { kind = "droptail", limit = "150 KB" }
"#;

/// Rates of 802.11a, Mb/s.
const RATES: [u32; 8] = [6, 9, 12, 18, 24, 36, 48, 54];

/// A station at `mbps` Mb/s with these flows.
fn station(mbps: u32, flows: &str) -> String {
    format!(
        "[[station]]\ndata_rate = \"{mbps} Mbps\"\nqueue = {{ kind = \"droptail\", limit = \"150 KB\" }}\n\
         flows = [{flows}]\n"
    )
}

const TFRC_DOWN: &str = r#"{ direction = "down", transport = "tfrc" }"#;
const TCP_DOWN: &str = r#"{ direction = "down", transport = "newreno" }"#;
const TCP_UP: &str = r#"{ direction = "up", transport = "newreno" }"#;
const CBR_DOWN: &str = r#"{ direction = "down", transport = "udp", rate = "2 Mbps" }"#;

fn simulate(stations: &[String], seed: u64, settings: &[(&str, &str)]) -> RunResult {
    let text = format!("{NETWORK}{}", stations.concat());
    simulate_text(text.as_bytes(), seed, settings)
}

fn simulate_text(text: &[u8], seed: u64, settings: &[(&str, &str)]) -> RunResult {
    let mut document = document_from_toml(text, "test").unwrap();
    for (key, value) in settings {
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").unwrap();
    run(&scenario, seed, &RunOptions::default()).unwrap()
}

fn shares(result: &RunResult) -> Vec<f64> {
    result.stations.iter().map(|station| station.occupancy_share.unwrap()).collect()
}

/// All shares are within 0.02 of what each of `stations` is due.
fn assert_equal_shares(result: &RunResult, context: &str) {
    let shares = shares(result);
    let due = 1.0 / shares.len() as f64;
    let near = shares.iter().all(|share| (share - due).abs() <= 0.02);
    assert!(near, "{context}: shares {shares:.4?}");
}

/// Goodput (bit/s) of a TFRC download that has half of the time, without losses and collisions: 17.4.3
/// for a packet of 1500 bytes, 1536 in the frame, of which 1448 are payload, its ACK at 6, 12 or 24
/// Mb/s, SIFS of 16, DIFS of 34, and a mean backoff of 7.5 slots of 9 us.
fn half_of_the_time(mbps: u32) -> f64 {
    let airtime = |bytes: u32, mbps: u32| 20 + 4 * (22 + 8 * bytes).div_ceil(4 * mbps);
    let ack_mbps = match mbps {
        ..12 => 6,
        12..24 => 12,
        24.. => 24,
    };
    let cycle_us = f64::from(34 + airtime(1536, mbps) + 16 + airtime(14, ack_mbps)) + 67.5;
    0.5 * 8.0 * 1448.0 / cycle_us * 1e6
}

/// Cycles of phy-timing: 2233.5 us at 6 and 393.5 us at 54 Mb/s.
#[test]
fn the_formula_agrees_with_cycles_by_hand() {
    assert!((half_of_the_time(6) - 4.0 * 1448.0 / 2233.5e-6).abs() < 1e-3);
    assert!((half_of_the_time(54) - 4.0 * 1448.0 / 393.5e-6).abs() < 1e-3);
}

/// At every rate of station 2 each has half of the time, and the goodput that goes with it; that of
/// station 1, at 54 Mb/s, does not depend on station 2.
fn assert_figure_3(settings: &[(&str, &str)]) {
    let mut fast = Vec::new();
    for mbps in RATES {
        let rate = format!("{mbps} Mbps");
        let settings = [&[("station.1.data_rate", rate.as_str())], settings].concat();
        let result = simulate_text(FIGURE_3, 1, &settings);
        assert_equal_shares(&result, &rate);
        for (flow, mbps) in result.flows.iter().zip([54, mbps]) {
            let ratio = flow.goodput_bps / half_of_the_time(mbps);
            assert!((ratio - 1.0).abs() <= 0.05, "{rate}: {ratio:.4} of the formula at {mbps}");
        }
        fast.push(result.flows[0].goodput_bps);
    }
    let (least, most) = fast.iter().fold((f64::MAX, 0.0_f64), |(l, m), &g| (l.min(g), m.max(g)));
    assert!(most / least < 1.03, "station 1: {fast:.0?} bit/s");
}

/// The whole 600 s of the paper.
#[test]
#[ignore = "long"]
fn two_downloads_have_equal_shares() {
    assert_figure_3(&[]);
}

/// With overlapping slots the losses of the first second can keep station 1 below its share for minutes
/// (docs/controllers/cot.md): with this seed at 18 Mb/s for 340 s. The last 200 s are measured.
#[test]
#[ignore = "long"]
fn two_downloads_come_to_equal_shares_with_sliding_slots() {
    let sliding = ("cell.controller.slots", "sliding");
    assert_figure_3(&[sliding, ("warmup", "400 s"), ("duration", "200 s")]);
}

/// Figure 4b: N stations at random rates.
#[test]
fn many_downloads_have_equal_shares() {
    // A linear congruential generator (Knuth, MMIX) draws the rates.
    let mut state = 1_u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        RATES[(state >> 61) as usize]
    };
    for n in [2, 3, 5, 10, 15, 20] {
        let rates: Vec<u32> = (0..n).map(|_| draw()).collect();
        let stations: Vec<String> = rates.iter().map(|&mbps| station(mbps, TFRC_DOWN)).collect();
        let result = simulate(&stations, 1, &[("warmup", "0 s"), ("duration", "600 s")]);
        let jain = result.jain_occupancy.unwrap();
        assert!(jain >= 0.98, "{n} stations at {rates:?} Mb/s: {jain:.4}, {:.4?}", shares(&result));
    }
}

/// The rules make no difference between directions, and TCP is controllable, too. Two uploads have less
/// than their shares with slots that do not overlap (docs/controllers/cot.md).
#[test]
fn shares_of_tcp_flows_are_equal() {
    let sliding = ("cell.controller.slots", "sliding");
    for (flows, settings) in
        [([TCP_DOWN, TCP_DOWN], &[][..]), ([TCP_UP, TCP_UP], &[sliding]), ([TCP_DOWN, TCP_UP], &[])]
    {
        let stations = [station(54, flows[0]), station(6, flows[1])];
        assert_equal_shares(&simulate(&stations, 1, settings), &format!("{flows:?}"));
    }
}

/// Jain's index of the shares of unlike flows is above that of figure 4b's bar. (They are not all within
/// 0.02 of a half: a window of theta times the shortest round-trip time is less than theta while a
/// queue lengthens it.)
#[test]
fn shares_of_unlike_flows_are_fair() {
    for flows in [[TCP_DOWN, TFRC_DOWN], [TFRC_DOWN, TCP_DOWN], [TCP_UP, TFRC_DOWN]] {
        let stations = [station(54, flows[0]), station(6, flows[1])];
        let result = simulate(&stations, 1, &[]);
        let jain = result.jain_occupancy.unwrap();
        assert!(jain >= 0.98, "{flows:?}: {jain:.4}, {:.4?}", shares(&result));
    }
}

/// Without the controller the station at 6 Mb/s has most of the time, and with it the test above would
/// fail.
#[test]
fn without_a_controller_shares_are_not_equal() {
    let stations = [station(54, TFRC_DOWN), station(6, TFRC_DOWN)];
    let settings = [("cell.controller", "none"), ("cell.beacon_interval", "100 ms")];
    let result = simulate(&stations, 1, &settings);
    assert!(shares(&result)[1] > 0.75, "{:.4?}", shares(&result));
    assert!(result.jain_occupancy.unwrap() < 0.8);
}

/// The share of a station is for all of its flows. CBR has its rate, as long as that fits: 2 Mb/s of
/// 1460 bytes of payload at 54 Mb/s are 171.2 packets/s of 393.5 us each, 0.067 of the time.
#[test]
fn flows_of_a_station_share_its_time() {
    let both = format!("{TFRC_DOWN}, {CBR_DOWN}");
    let result = simulate(&[station(54, &both), station(6, TFRC_DOWN)], 1, &[]);
    assert_equal_shares(&result, "CBR beside");
    let cbr = result.flows[1].goodput_bps / 2e6;
    assert!((cbr - 1.0).abs() < 0.01, "CBR has {cbr:.4} of its rate");

    let two = format!("{TFRC_DOWN}, {TFRC_DOWN}");
    let result = simulate(&[station(54, &two), station(6, TFRC_DOWN)], 1, &[]);
    assert_equal_shares(&result, "two flows");
    let ratio = result.flows[0].goodput_bps / result.flows[1].goodput_bps;
    assert!((ratio - 1.0).abs() < 0.05, "flows of one station: {ratio:.4}");
}

/// What a station leaves goes to the other (4) to (7), but not all of it: the additional share shrinks as
/// it is used. Station 1 uses c = 171.2 packets/s of 393.5 us, 0.067; use u and share of station 2 agree
/// where u = p_even + 1 - c - u, at 0.716. It oscillates around that, more below than above, because the
/// medium is full at 0.933.
#[test]
fn the_time_that_a_station_leaves_is_used_in_part() {
    let result = simulate(&[station(54, CBR_DOWN), station(6, TFRC_DOWN)], 1, &[]);
    let cbr = result.flows[0].goodput_bps / 2e6;
    assert!((cbr - 1.0).abs() < 0.01, "CBR has {cbr:.4} of its rate");
    let used = shares(&result)[1];
    assert!((0.52..=0.716 + 0.02).contains(&used), "{used:.4}");
}

/// When the rate changes between two beacons, theta follows from the same share (16) to (18). With a
/// backoff between 0 and 67.5 us T_data is 326 to 393.5 us at 54 Mb/s and 2166 to 2233.5 us at 6 Mb/s, so
/// that theta falls to between 0.1505 and 0.1762 of its value; a report per round-trip time of 100 ms or
/// more takes up to 0.0031 of the time instead of 0.0018 or less, of a share of 0.5.
#[test]
fn a_limit_follows_the_rate_between_beacons() {
    let channel = r#"{ kind = "schedule", rates = [["0 s", "54 Mbps"], ["10.05 s", "6 Mbps"]] }"#;
    let settings = [
        ("station.1.rate_control", "ideal"),
        ("station.1.channel", channel),
        ("trace.interval", "10 ms"),
        ("warmup", "0 s"),
        ("duration", "10.2 s"),
    ];
    let result = simulate(&[station(54, TFRC_DOWN), station(54, TFRC_DOWN)], 1, &settings);
    let samples = result.series.unwrap().controller;
    let at = |time: f64| samples.iter().find(|sample| (sample.t_s - time).abs() < 0.001).unwrap();
    let (before, after) = (at(10.04), at(10.09));
    assert_eq!(before.p_even, after.p_even, "no beacon in between");
    let [before, after] =
        [before, after].map(|sample| sample.theta_bps["down-2"].as_f64().unwrap());
    let ratio = after / before;
    assert!((0.149..=0.177).contains(&ratio), "{after} of {before} bit/s: {ratio:.4}");
}

/// A series has what the access point decides: with two saturated stations p_even is half of what the
/// beacons leave. 72 bytes at 6 Mb/s take 20 + 4 * 25 = 120 us, DIFS 34 us, and up to 15 slots of 9 us:
/// 0.00154 to 0.00289 of 100 ms.
#[test]
fn the_series_has_shares_and_limits() {
    let stations = [station(54, TFRC_DOWN), station(6, TFRC_DOWN)];
    let result = simulate(&stations, 1, &[("trace.interval", "1 s"), ("duration", "10 s")]);
    let samples = result.series.unwrap().controller;
    assert_eq!(samples.len(), 10);
    for sample in samples {
        let due = 0.5 * (1.0 - 0.00289)..=0.5 * (1.0 - 0.00154);
        assert!(due.contains(&sample.p_even), "{}", sample.p_even);
        assert!((0.0..=1.0).contains(&sample.p_additional));
        let used: f64 = sample.shares.values().map(|share| share.as_f64().unwrap()).sum();
        assert!((used - 1.0).abs() < 0.1, "{used}");
        assert!(sample.theta_bps.values().all(|theta| theta.as_u64().unwrap() > 0));
    }
}

/// An input, the field that is refused, and what the message says about it.
#[test]
fn wrong_input_is_refused() {
    let wimax = ("cell", "{ kind = \"wimax\", controller = \"cot\" }");
    let cases: [((&str, &str), &str, &str); 8] = [
        (("cell.controller.beacons", "0"), "cell.controller.beacons", "got 0"),
        (("cell.controller.threshold", "0"), "cell.controller.threshold", "got 0"),
        (("cell.controller.threshold", "1"), "cell.controller.threshold", "got 1"),
        (("cell.controller.threshold", "-0.5"), "cell.controller.threshold", "got -0.5"),
        (("cell.beacon_interval", "off"), "cell.beacon_interval", "controller \"cot\""),
        (("cell.beacon_interval", "0 s"), "cell.beacon_interval", "got 0 s"),
        (("cell.controller", "cott"), "cell.controller.kind", "did you mean \"cot\"?"),
        (wimax, "cell.controller", "a key of a \"wlan\" cell"),
    ];
    for ((key, value), field, message) in cases {
        let text = format!("{NETWORK}{}", station(54, TFRC_DOWN));
        let mut document = document_from_toml(text.as_bytes(), "test").unwrap();
        set(&mut document, key, value, "test").unwrap();
        let error = resolve(document, "test").unwrap_err().to_string();
        assert!(error.contains(&format!("{field}: ")), "{key} = {value}: {error}");
        assert!(error.contains(message) && !error.contains('\n'), "{key} = {value}: {error}");
    }
}

/// A controller needs beacons, and has them by default, as often as in section IV.
#[test]
fn a_controller_has_beacons_by_default() {
    let result = simulate(&[station(54, TFRC_DOWN)], 1, &[("duration", "1 s"), ("warmup", "0 s")]);
    let document = serde_json::to_value(&result.scenario).unwrap();
    assert_eq!(document["cell"]["beacon_interval"], 0.1);
    let beacons = result.ap.beacons.unwrap();
    assert!((9..=10).contains(&beacons.sent), "{}", beacons.sent);
}
