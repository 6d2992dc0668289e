//! The application "ping": datagrams that come back.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{RunOptions, RunResult, run};

fn result(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test.toml").unwrap();
    let scenario = resolve(document, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

/// Packets of 56 + 8 + 20 = 84 bytes, as those of iputils' ping, cross 1 Mb/s in 0.672 ms and 10 ms each way. Of
/// the 19 s after the warm-up 95 pings are measured: the first at 1.0 s, the last at 19.8 s.
#[test]
fn between_hosts_the_path_determines_the_round_trip_time() {
    let result = result(
        r#"
        duration = "19 s"
        warmup = "1 s"
        [wired]
        link = [
            { between = ["a", "ap"], rate = "1 Mbps", delay = "10 ms" },
            { between = ["b", "ap"], rate = "unlimited", delay = 0 },
        ]
        flow = [{ from = "a", to = "b", transport = "udp", application = "ping" }]
        [[station]]
        flows = [{ direction = "up", host = "b" }]
        "#,
    );
    let flow = &result.wired.flows[0];
    let (rtt, one_way) = (flow.rtt_s.unwrap(), flow.one_way_delay_s.unwrap());
    assert!((rtt.mean - 2.0 * 0.010672).abs() < 1e-9, "{rtt:?}");
    assert!((rtt.max - 2.0 * 0.010672).abs() < 1e-9, "{rtt:?}");
    assert!((one_way.mean - 0.010672).abs() < 1e-9, "{one_way:?}");
    assert_eq!((flow.segments_sent, flow.packets_lost), (95, Some(0)));
    assert!((flow.mean_rtt_s.unwrap() - rtt.mean).abs() < 1e-12);
}

/// 802.11b with a long preamble: a station that is alone sends at the next slot of 20 us, its MPDU of 84 + 36 bytes
/// takes 192 us and 120 * 8 / 11 us, rounded up, and so does the access point's. The wired link adds 84 * 8 / 100 us
/// and 2 ms each way. A station that sends an echo waits for its own ACK of 203 us after SIFS, 10 us, then for DIFS, 50
/// us, and for a backoff of 0 to 31 slots.
#[test]
fn in_an_idle_cell_the_mac_determines_the_round_trip_time() {
    let rtt = |direction| {
        let result = result(&format!(
            r#"
            duration = "20 s"
            [cell]
            phy = "802.11b"
            preamble = "long"
            [wired]
            rate = "100 Mbps"
            delay = "2 ms"
            [[station]]
            flows = [{{ direction = "{direction}", transport = "udp", application = "ping" }}]
            "#
        ));
        result.flows[0].rtt_s.unwrap()
    };
    let (up, down) = (rtt("up"), rtt("down"));
    let (path, slot) = (2.0 * (192e-6 + 88e-6 + 6.72e-6 + 2e-3), 20e-6);
    // The first ping finds no DIFS of 50 us before it.
    assert!((0.0..2.0 * slot).contains(&(up.mean - path)), "{up:?}");
    assert!(up.max - path <= 50e-6 + 2.0 * slot, "{up:?}");
    let wait = 10e-6 + 203e-6 + 50e-6;
    assert!(down.max - path - wait <= 31.0 * slot + slot, "{down:?}");
    // 15.5 slots of backoff on average, of 100 pings within 3.3 standard errors (99.9%), and half a slot before.
    let error = 3.3 * ((32.0_f64 * 32.0 - 1.0) / 12.0 / 100.0).sqrt() * slot;
    assert!((down.mean - path - wait - 16.0 * slot).abs() < error + 0.5 * slot, "{down:?}");
}

/// A ping whose datagram or echo is lost is missing, and no other: the last is sent 0.2 s before the end.
#[test]
fn losses_are_pings_without_an_echo() {
    let result = result(
        r#"
        duration = "200 s"
        [[station]]
        error = { kind = "independent", rate = 0.2, level = "ip" }
        flows = [
            { direction = "up", transport = "udp", application = { kind = "ping", interval = "100 ms" } },
            { direction = "down", transport = "udp", application = "ping", start = "50 ms" },
        ]
        "#,
    );
    for (flow, sent) in result.flows.iter().zip([2000, 1000]) {
        let lost = flow.packets_lost.unwrap();
        assert_eq!(flow.segments_sent, sent);
        assert_eq!(lost, flow.data_losses.error, "{}", flow.id);
        // 1 - 0.8^2, within 3.3 standard errors (99.9%).
        let share = lost as f64 / sent as f64;
        assert!((share - 0.36).abs() < 3.3 * (0.36 * 0.64 / sent as f64).sqrt(), "{share}");
    }
}

/// The series has the mean of each interval, and nothing where no echo has come. An echo takes 20 ms and something,
/// so that those of pings at 0, 0.2, 0.4 s, ... are in every other interval of 100 ms.
#[test]
fn the_series_has_the_round_trip_times_of_each_interval() {
    let result = result(
        r#"
        duration = "2 s"
        trace.interval = "100 ms"
        [wired]
        delay = "10 ms"
        [[station]]
        flows = [{ direction = "up", transport = "udp", application = "ping" }]
        "#,
    );
    let series = &result.series.as_ref().unwrap().flows["up-1"]["rtt_mean_s"];
    let values: Vec<Option<f64>> = serde_json::from_value(series.clone()).unwrap();
    assert_eq!(values.len(), 20);
    let (mean, max) = (result.flows[0].rtt_s.unwrap().mean, result.flows[0].rtt_s.unwrap().max);
    for (k, value) in values.iter().enumerate() {
        assert_eq!(value.is_some(), k % 2 == 0, "interval {k}");
        assert!(value.is_none_or(|rtt| rtt > 0.02 && rtt <= max), "interval {k}: {value:?}");
    }
    let sum: f64 = values.iter().flatten().sum();
    assert!((sum / 10.0 - mean).abs() < 1e-9, "{sum}");
}

/// In a cell with EDCA ping and echo go in the flow's access category.
#[test]
fn the_echo_has_the_access_category_of_the_ping() {
    let result = result(
        r#"
        duration = "10 s"
        cell.phy = "802.11n"
        [[station]]
        flows = [{ direction = "up", transport = "udp", application = "ping", access_category = "vo" }]
        "#,
    );
    assert_eq!((result.flows[0].segments_sent, result.flows[0].packets_lost), (50, Some(0)));
    for node in [&result.stations[0], &result.ap] {
        let categories = serde_json::to_value(node).unwrap()["categories"].clone();
        let attempts = |category: &str| categories[category]["attempts"].as_u64().unwrap_or(0);
        assert_eq!(["be", "bk", "vi"].map(attempts), [0, 0, 0], "{categories}");
        assert_eq!(attempts("vo"), 50, "{categories}");
    }
}
