//! Occupancy of stations, flows and beacons in results.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{RunOptions, RunResult, run};

fn simulate(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test").unwrap();
    run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap()
}

/// A saturated download at 54 Mb/s. By hand, in us: an attempt has DIFS 34, a mean backoff of 67.5, data
/// of 1536 bytes 248, SIFS 16 and ACK 28, together 393.5; a beacon of 66 bytes at 6 Mb/s 34, a backoff and
/// 112. A beacon that comes during a backoff, which goes on for 67.5 / 393.5 of the time, takes it over,
/// and it finds long ones more often: their mean is E[B^2] / E[B] = 77.5 / 7.5 slots, 93. So the mean of
/// beacons is 71.9. That of 600 backoffs is known to 4.5 with 99% confidence, 2.1% of 217.9.
#[test]
fn frames_and_beacons_occupy_what_figure_1_says() {
    let result = simulate(
        r#"
        duration = "60 s"
        warmup = "50 ms"
        cell = { phy = "802.11a", beacon_interval = "100 ms" }
        [[station]]
        flows = [{ direction = "down", transport = "udp", rate = "40 Mbps", segment = 1460 }]
        "#,
    );
    let attempts = result.ap.frames_sent as f64;
    let share = result.stations[0].occupancy_share.unwrap();
    let cycle = share * 60e6 / attempts;
    assert!((cycle / 393.5 - 1.0).abs() < 0.002, "{cycle} us");
    let beacons = result.ap.beacons.unwrap();
    assert_eq!([beacons.sent, beacons.lost], [600, 0]);
    let beacon = beacons.occupancy_share * 60e6 / 600.0;
    assert!((beacon / 217.9 - 1.0).abs() < 0.021, "{beacon} us");
    // Nobody else contends: no time counts twice, and none is missing.
    let all = share + beacons.occupancy_share;
    assert!((all - 1.0).abs() < 0.001, "{all}");
    assert_eq!(result.jain_occupancy, Some(1.0));
}

/// Uploads alone: the access point makes no attempt but those of its beacons, whose mean backoff counts
/// for the stations.
#[test]
fn uploads_count_with_the_backoff_of_the_access_point() {
    let result = simulate(
        r#"
        duration = "60 s"
        cell = { phy = "802.11a", beacon_interval = "100 ms" }
        [[station]]
        flows = [{ direction = "up", transport = "udp", rate = "1 Mbps", segment = 1460 }]
        "#,
    );
    let station = &result.stations[0];
    let beacons = result.ap.beacons.unwrap();
    let mean_backoff = beacons.occupancy_share * 60e6 / beacons.sent as f64 - 34.0 - 112.0;
    let frames = station.frames_sent as f64;
    // In a collision with a beacon the response timeout of 50 us stands for SIFS and ACK.
    let collisions = frames * station.collision_probability;
    let expected =
        (frames * (34.0 + mean_backoff + 292.0) + collisions * (50.0 - 16.0 - 28.0)) / 60e6;
    let share = station.occupancy_share.unwrap();
    // The mean is rounded down to a nanosecond.
    assert!((share / expected - 1.0).abs() < 1e-5, "{share} {expected}");
}

/// Collisions, errors and retries included.
#[test]
fn the_flows_of_a_station_occupy_what_it_does() {
    let result = simulate(
        r#"
        duration = "20 s"
        warmup = "1 s"
        cell = { phy = "802.11g", beacon_interval = "20 ms", rts_threshold = 1000 }
        [[station]]
        count = 3
        data_rate = "12 Mbps"
        error = { rate = 0.05, level = "mac" }
        flows = [
            { direction = "up" },
            { direction = "down" },
            { direction = "down", transport = "udp", rate = "300 kbps" },
        ]
        "#,
    );
    assert!(result.stations.iter().all(|station| station.collision_probability > 0.0));
    for (station, flows) in result.stations.iter().zip(result.flows.chunks(3)) {
        assert!(flows.iter().all(|flow| flow.station.as_ref() == Some(&station.id)));
        let shares = flows.iter().map(|flow| flow.occupancy_share.unwrap());
        let difference = shares.sum::<f64>() - station.occupancy_share.unwrap();
        assert!(difference.abs() < 1e-12, "{difference}");
    }
    let beacons = result.ap.beacons.unwrap();
    assert!(beacons.sent > 990 && beacons.lost > 0 && beacons.lost < beacons.sent / 4);
}

/// The same of packets that share A-MPDUs. A beacon of 138 bytes at 6 Mb/s, 20 + 4 x 47 = 208 us, follows PIFS of 25.
#[test]
fn flows_that_share_a_mpdus_occupy_what_their_station_does() {
    let result = simulate(
        r#"
        duration = "10 s"
        warmup = "1 s"
        cell = { phy = "802.11n", mcs = 5, beacon_interval = "20 ms", rts_threshold = 20000, edca = "802.11-2020" }
        [[station]]
        count = 3
        error = { rate = 0.05, level = "mac", frames = "all" }
        flows = [
            { direction = "up" },
            { direction = "down" },
            { direction = "down", transport = "udp", rate = "2 Mbps" },
        ]
        "#,
    );
    for (station, flows) in result.stations.iter().zip(result.flows.chunks(3)) {
        let shares = flows.iter().map(|flow| flow.occupancy_share.unwrap());
        let difference = shares.sum::<f64>() - station.occupancy_share.unwrap();
        // The mean backoff of a part of an attempt is rounded down to a nanosecond.
        assert!(difference.abs() < 1e-8, "{difference}");
    }
    let beacons = result.ap.beacons.unwrap();
    let beacon = beacons.occupancy_share * 10e6 / beacons.sent as f64;
    assert!(beacons.sent > 400 && (beacon - 233.0).abs() < 1e-6, "{} of {beacon} us", beacons.sent);
}

/// A cell without beacons measures no occupancy, and its results have no such member.
#[test]
fn without_beacons_there_is_no_occupancy() {
    let result = simulate("duration = \"1 s\"\n[[station]]\nflows = [{ direction = \"up\" }]");
    let text = serde_json::to_string(&result).unwrap();
    assert!(!text.contains("occupancy") && !text.contains("beacons"), "{text}");
}
