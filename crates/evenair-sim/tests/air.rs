//! What the air is used for.

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{AirResult, RunOptions, RunResult, run};

fn result(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test.toml").unwrap();
    let scenario = resolve(document, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

/// The shares of a result, which sum to 1; those of the access point's airtime are the same.
fn air(toml: &str) -> AirResult {
    let result = result(toml);
    let air = result.air.unwrap();
    let AirResult { payload, overhead, collisions, corrupted, idle, preambles, block_acks } = air;
    assert_eq!((preambles, block_acks), (None, None));
    let shares = [payload, overhead, collisions, corrupted, idle];
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{air:?}");
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{air:?}");
    assert!((1.0 - idle - result.ap.airtime_share).abs() < 1e-9, "{air:?}");
    air
}

/// By hand: 100 datagrams per second of 1000 bytes and 28 of headers, at 11 Mb/s with long preambles of
/// 192 us. Payload 1028 * 8 / 11 us; 36 bytes of MAC and LLC headers, two preambles, SIFS of 10 us, 14
/// bytes of ACK at 2 Mb/s. One station has nobody to collide with.
#[test]
fn a_station_alone() {
    let found = air(r#"
        duration = "100 s"
        cell = { phy = "802.11b", data_rate = "11 Mbps", control_rate = "2 Mbps", preamble = "long" }
        [[station]]
        flows = [{ direction = "up", transport = "udp", application = "cbr", rate = "800 kbps", segment = 1000, header = 28 }]
    "#);
    let payload = 1028.0 * 8.0 / 11.0;
    let overhead = 192.0 + 36.0 * 8.0 / 11.0 + 10.0 + 192.0 + 14.0 * 8.0 / 2.0;
    // The number of datagrams in the measured time is 10,000 within one.
    assert!((found.payload / (100.0 * payload * 1e-6) - 1.0).abs() < 2e-4, "{found:?}");
    assert!((found.overhead / (100.0 * overhead * 1e-6) - 1.0).abs() < 2e-4, "{found:?}");
    assert_eq!((found.collisions, found.corrupted), (0.0, 0.0));
}

const SATURATED: &str = r#"
    duration = "20 s"
    warmup = "1.2345 s"
    cell = { phy = "802.11b", data_rate = "11 Mbps", control_rate = "2 Mbps", preamble = "long", KEYS }
    [[station]]
    STATION
    flows = [{ direction = "up", transport = "udp", application = "cbr", rate = "9 Mbps", segment = 1000, header = 28 }]
"#;

fn saturated(keys: &str, station: &str) -> AirResult {
    air(&SATURATED.replace(", KEYS", keys).replace("STATION", station))
}

/// Without RTS, what collides is a whole data frame of 966 us; with it, an RTS of 272 us.
#[test]
fn collisions_take_less_time_with_rts() {
    let plain = saturated("", "count = 5");
    let protected = saturated(", rts_threshold = 0", "count = 5");
    assert!(protected.collisions > 0.0);
    assert!(protected.collisions < plain.collisions / 2.0, "{plain:?} {protected:?}");
    assert!(protected.overhead > plain.overhead);
}

/// One of ten data frames is lost, so there is a failure for nine successes. A failure takes a data frame,
/// 192 + 1064 * 8 / 11 us, a success also SIFS of 10 us and an ACK of 248 us. Of some 12,000 successes the
/// failures are within 14% of their expectation (five standard deviations).
#[test]
fn corrupted_exchanges() {
    let error = r#"error = { rate = 0.1, level = "mac", frames = "data" }"#;
    let found = saturated("", error);
    let data = 192.0 + 1064.0 * 8.0 / 11.0;
    let expected = data / (9.0 * (data + 10.0 + 248.0));
    let ratio = found.corrupted / (found.payload + found.overhead);
    assert!((ratio / expected - 1.0).abs() < 0.14, "{found:?}");
    assert_eq!(found.collisions, 0.0);
}

/// Beacons are overhead. Two packets of a handshake have less payload than 1000 beacons have overhead.
#[test]
fn beacons() {
    let found = air(r#"
        duration = "20 s"
        cell.beacon_interval = "20 ms"
        [[station]]
        flows = [{ direction = "down", start = "19.9999 s" }]
    "#);
    assert!(found.overhead > 0.0 && found.payload < found.overhead / 100.0, "{found:?}");
    let busy = saturated(r#", beacon_interval = "20 ms""#, "count = 5");
    assert!(busy.overhead > saturated("", "count = 5").overhead);
}

/// A WiMAX cell has a frame instead.
#[test]
fn wimax() {
    let toml = r#"
        duration = "5 s"
        cell.kind = "wimax"
        [[station]]
        flows = [{ direction = "down" }]
    "#;
    let result = result(toml);
    assert!(result.air.is_none() && result.frame.is_some());
}
