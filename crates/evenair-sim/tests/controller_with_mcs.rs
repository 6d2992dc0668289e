//! The channel-occupancy-time controller in cells of 802.11n, ac and ax, of which a PPDU has packets of several flows.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};

/// Two stations of 802.11ac with 80 MHz: 390 and 58.5 Mb/s. The transient is not measured.
const CELL: &str = r#"
duration = "40 s"
warmup = "20 s"

[cell]
phy = "802.11ac"
channel_width = "80 MHz"
controller = "cot"
queue = { kind = "droptail", limit = 1000 }

[wired]
rate = "1 Gbps"
delay = "10 ms"

[[station]]
mcs = 9
flows = []

[[station]]
mcs = 1
flows = []
"#;

const TFRC_DOWN: &str = r#"{ direction = "down", transport = "tfrc" }"#;
const TCP_DOWN: &str = r#"{ direction = "down", transport = "newreno" }"#;
const TCP_UP: &str = r#"{ direction = "up", transport = "newreno" }"#;

/// The stations have these flows.
fn simulate(flows: [&str; 2], settings: &[(&str, &str)]) -> RunResult {
    let mut document = document_from_toml(CELL.as_bytes(), "test").unwrap();
    for (place, flows) in flows.into_iter().enumerate() {
        set(&mut document, &format!("station.{place}.flows"), &format!("[{flows}]"), "test")
            .unwrap();
    }
    for (key, value) in settings {
        set(&mut document, key, value, "test").unwrap();
    }
    run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap()
}

fn shares(result: &RunResult) -> Vec<f64> {
    result.stations.iter().map(|station| station.occupancy_share.unwrap()).collect()
}

const OFF: [(&str, &str); 2] = [("cell.controller", "none"), ("cell.beacon_interval", "100 ms")];
/// 802.11n with 40 MHz: 135 and 13.5 Mb/s.
const HT40: [(&str, &str); 4] = [
    ("cell.phy", "802.11n"),
    ("cell.channel_width", "40 MHz"),
    ("station.0.mcs", "7"),
    ("station.1.mcs", "0"),
];

/// Goodput (Mb/s) of a TFRC download that has half of the time, without losses, collisions and feedback, at a rate with
/// `bits` in a symbol of 4 us behind `preamble` us, with a Block Ack of `block_ack` us. AIFS of 43 us, a mean backoff of
/// 7.5 slots of 9, SIFS of 16. Packets of 1,500 bytes, 1,448 of them payload, are subframes of 4 + 1,538 + 2 bytes, of which
/// the last has no padding: as many as 64, `most` bytes and 5,484 us have room for.
fn half_of_the_time(bits: u32, preamble: u32, block_ack: u32, most: u32) -> f64 {
    let time = |n: u32| preamble + 4 * (22 + 8 * (1544 * n - 2)).div_ceil(bits);
    let fits = |n: &u32| time(*n) <= 5484 && 1544 * n - 2 <= most;
    let packets = (1..=64).rev().find(fits).unwrap();
    let cycle = f64::from(43 + time(packets) + 16 + block_ack) + 67.5;
    0.5 * 8.0 * 1448.0 * f64::from(packets) / cycle
}

/// By hand: 64 MPDUs at 1,560 bits, 98,814 bytes in 507 symbols, 43 + 67.5 + 2,068 + 16 + 32 = 2,226.5 us. 25 at 234 bits,
/// 38,598 bytes in 1,320 symbols, 43 + 67.5 + 5,320 + 16 + 44 = 5,490.5 us.
#[test]
fn the_formula_agrees_with_exchanges_by_hand() {
    let [fast, slow] = [(1560, 32), (234, 44)]
        .map(|(bits, block_ack)| half_of_the_time(bits, 40, block_ack, 1_048_575));
    assert!((fast - 4.0 * 1448.0 * 64.0 / 2226.5).abs() < 1e-9, "{fast}");
    assert!((slow - 4.0 * 1448.0 * 25.0 / 5490.5).abs() < 1e-9, "{slow}");
}

/// The claim of the paper, "almost the same duration", as with 802.11a: each has 0.5 +- 0.02. The goodput is that of half of
/// the time with A-MPDUs as long as they may be.
#[test]
fn two_downloads_have_equal_shares() {
    let ac = [(1560, 40, 32, 1_048_575), (234, 40, 44, 1_048_575)];
    let n = [(540, 36, 32, 65_535), (54, 36, 68, 65_535)];
    for (settings, modes) in [(&[][..], ac), (&HT40[..], n)] {
        let result = simulate([TFRC_DOWN; 2], settings);
        let shares = shares(&result);
        assert!(shares.iter().all(|share| (share - 0.5).abs() <= 0.02), "{shares:.4?}");
        for (flow, (bits, preamble, block_ack, most)) in result.flows.iter().zip(modes) {
            let expected = half_of_the_time(bits, preamble, block_ack, most);
            let ratio = flow.goodput_bps / 1e6 / expected;
            assert!((ratio - 1.0).abs() <= 0.05, "{ratio:.4} of {expected:.1} Mb/s");
        }
    }
}

/// Without the controller the slow station has most of the time, and the test above would fail.
#[test]
fn without_a_controller_shares_are_not_equal() {
    for settings in [&OFF[..], &[OFF, [HT40[0], HT40[1]], [HT40[2], HT40[3]]].concat()] {
        let shares = shares(&simulate([TFRC_DOWN; 2], settings));
        assert!(shares[1] > 0.75, "{shares:.4?}");
    }
}

/// Shares of TCP flows are as equal, if not all of the time.
#[test]
fn shares_of_tcp_flows_are_fair() {
    for flows in [[TCP_DOWN; 2], [TCP_UP; 2], [TCP_DOWN, TCP_UP]] {
        let shares = shares(&simulate(flows, &[]));
        let difference = (shares[0] - shares[1]).abs();
        assert!(difference <= 0.04 && shares[0] > 0.43, "{flows:?}: {shares:.4?}");
    }
}

/// The share of a station is for all its flows, whose packets share PPDUs. CBR of 10 Mb/s is not limited.
#[test]
fn flows_of_a_station_share_its_time() {
    const CBR: &str = r#"{ direction = "down", transport = "udp", rate = "10 Mbps" }"#;
    for (flows, numbers) in [([CBR, TFRC_DOWN], [1, 0]), ([TFRC_DOWN; 2], [0, 1])] {
        let result = simulate([&flows.join(", "), TFRC_DOWN], &[]);
        let shares = shares(&result);
        assert!(shares.iter().all(|share| (share - 0.5).abs() <= 0.03), "{shares:.4?}");
        let of_flows = result.flows[..2].iter().map(|flow| flow.occupancy_share.unwrap());
        let difference = of_flows.sum::<f64>() - shares[0];
        assert!(difference.abs() < 1e-6, "{difference}");
        let ratio = match numbers {
            [1, 0] => result.flows[0].goodput_bps / 10e6,
            _ => result.flows[0].goodput_bps / result.flows[1].goodput_bps,
        };
        assert!((ratio - 1.0).abs() < 0.05, "{ratio:.4}");
    }
}

/// When the rate changes between two beacons, theta follows from the same share (16) to (18). With a backoff between 0 and
/// 67.5 us an exchange with 64 packets at 390 Mb/s lasts 2,159 to 2,226.5 us, one with 25 at 58.5 Mb/s 5,423 to 5,490.5:
/// theta falls to between 0.1537 and 0.1604 of its value. A report takes 0.02 of the time at most.
#[test]
fn a_limit_follows_the_rate_between_beacons() {
    let channel =
        r#"{ kind = "schedule", rates = [["0 s", "390 Mbps"], ["10.05 s", "58.5 Mbps"]] }"#;
    let settings = [
        ("station.1.mcs", "9"),
        ("station.1.rate_control", "ideal"),
        ("station.1.channel", channel),
        ("trace.interval", "10 ms"),
        ("warmup", "0 s"),
        ("duration", "10.2 s"),
    ];
    let result = simulate([TFRC_DOWN; 2], &settings);
    let samples = result.series.unwrap().controller;
    let at = |time: f64| samples.iter().find(|sample| (sample.t_s - time).abs() < 0.001).unwrap();
    let (before, after) = (at(10.04), at(10.09));
    assert_eq!(before.p_even, after.p_even, "no beacon in between");
    let [before, after] =
        [before, after].map(|sample| sample.theta_bps["down-2"].as_f64().unwrap());
    let ratio = after / before;
    assert!((0.150..=0.164).contains(&ratio), "{after} of {before} bit/s: {ratio:.4}");
}
