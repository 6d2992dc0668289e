//! Runs of a WiMAX cell: the frame in results, capacity in both directions, TCP's bound, requests.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::resolve;
use evenair_sim::{CaptureSinks, FrameResult, RunOptions, RunResult, run, run_with_captures};
use serde_json::{Value, json};

/// Bytes that a symbol carries at 64-QAM 3/4: 192 subcarriers of 6 bits at rate 3/4, less a byte of
/// zeros (IEEE 802.16-2004 8.3.3).
const BYTES_PER_SYMBOL: f64 = 107.0;
/// Frames in a second.
const FRAMES: f64 = 200.0;
/// Data symbols of down- and uplink for one station at 1:1 to 6:1: of 146 symbols, less 3 of preamble and
/// FCH, 6 of maps and 1 before the burst; less 11 and 6 of the contention regions, 1 between them and 1
/// before the burst.
const DATA_SYMBOLS: [(u32, u32); 6] = [(63, 54), (87, 30), (99, 18), (106, 11), (111, 6), (115, 2)];

fn simulate(document: Value) -> RunResult {
    run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap()
}

/// A cell of this ratio with one station and this flow.
fn one(ratio: usize, flow: Value) -> Value {
    json!({
        "duration": "10 s",
        "warmup": "1 s",
        "cell": { "kind": "wimax", "dl_ratio": format!("{ratio}:1") },
        "wired": { "rate": "100 Mbps", "delay": "2 ms" },
        "station": [{ "flows": [flow] }],
    })
}

fn cbr(direction: &str, bps: f64) -> Value {
    // With the header of 28 bytes a PDU has 1070 bytes: 10 symbols.
    json!({ "direction": direction, "transport": "udp", "segment": 1036, "header": 28, "rate": bps })
}

/// Symbols, and the capacities in Mb/s with two decimals.
#[test]
fn the_frame_of_a_run_is_that_of_the_accounting() {
    let published = ["10.79", "14.89", "16.95", "18.15", "19.00", "19.69"];
    for (ratio, (dl, ul)) in (1..).zip(DATA_SYMBOLS) {
        let result = simulate(one(ratio, cbr("down", 100_000.0)));
        let text = serde_json::to_value(&result).unwrap();
        let frame = &text["frame"];
        assert_eq!(frame["symbols"], 146);
        assert_eq!(frame["dl_symbols"], 146 * ratio / (ratio + 1));
        assert_eq!(frame["ul_symbols"], 146 - 146 * ratio / (ratio + 1));
        assert_eq!(frame["dl_data_symbols"], dl);
        assert_eq!(frame["ul_data_symbols"], ul);
        let capacity = |symbols: u32| f64::from(symbols) * BYTES_PER_SYMBOL * 8.0 * FRAMES;
        assert_eq!(frame["dl_capacity_bps"], capacity(dl));
        assert_eq!(frame["ul_capacity_bps"], capacity(ul));
        let mbps = frame["dl_capacity_bps"].as_f64().unwrap() / 1e6;
        assert_eq!(format!("{mbps:.2}"), published[ratio - 1]);
    }
}

/// Goodput of datagrams of 1064 bytes with their header, bit/s of 1036, if each frame has a full burst of
/// so many symbols. A burst's end cuts a packet, whose two parts have 8 bytes of headers each instead of
/// 6; a packet that is longer than a burst is always cut, and each burst cuts it once.
fn bound(symbols: u32) -> f64 {
    let burst = f64::from(symbols) * BYTES_PER_SYMBOL;
    let packets = if burst > 1080.0 { (burst - 10.0) / 1070.0 } else { (burst - 8.0) / 1072.0 };
    packets * FRAMES * 1036.0 * 8.0
}

#[test]
fn datagrams_use_the_capacity_of_either_direction() {
    for (ratio, (dl, ul)) in (1..).zip(DATA_SYMBOLS) {
        for (direction, symbols) in [("down", dl), ("up", ul)] {
            let offered = 1.2 * f64::from(symbols) * BYTES_PER_SYMBOL * 8.0 * FRAMES;
            let result = simulate(one(ratio, cbr(direction, offered)));
            let share = result.aggregate_goodput_bps / bound(symbols);
            assert!((share - 1.0).abs() < 0.005, "{ratio}:1 {direction}: {share} of the capacity");
            let FrameResult { dl_utilization, ul_utilization, .. } = result.frame.unwrap();
            let used = if direction == "down" { dl_utilization } else { ul_utilization };
            assert!((0.999..=1.0).contains(&used), "{ratio}:1 {direction}: {used} used");
        }
    }
}

/// The bound is the downlink's capacity times the share of payload in a PDU, 1024 of 1070 bytes. Windows
/// and queues of 400 segments keep the cell busy without losses.
#[test]
fn tcp_reaches_its_bound() {
    for (ratio, (dl, _)) in (1..5).zip(DATA_SYMBOLS) {
        let flow = json!({
            "direction": "down", "tcp": "ns2", "segment": 1024, "header": 40, "window": 400,
            "delayed_ack": 1,
        });
        let mut document = one(ratio, flow);
        document["duration"] = json!("30 s");
        document["warmup"] = json!("10 s");
        document["wired"]["delay"] = json!("45 ms");
        document["cell"]["queue"] = json!({ "limit": 400 });
        document["station"][0]["queue"] = json!({ "limit": 400 });
        let result = simulate(document);
        let capacity = f64::from(dl) * BYTES_PER_SYMBOL * 8.0 * FRAMES;
        let share = result.aggregate_goodput_bps / (capacity * 1024.0 / 1070.0);
        assert!((0.97..=1.0).contains(&share), "{ratio}:1: {share} of the bound");
    }
}

/// A lone station's datagrams, one in 100 ms, 1 ms after the start of a frame: each waits for the next
/// frame, asks there, in the first region if it skips at most four opportunities, as it always does, and
/// is granted in the frame after that: 5 ms after its request.
#[test]
fn a_lone_station_is_granted_in_the_next_frame() {
    let mut document = one(1, cbr("up", 1036.0 * 8.0 / 0.1));
    document["station"][0]["flows"][0]["start"] = json!("1 ms");
    let result = simulate(document);
    let requests = result.requests.clone().unwrap();
    assert!((100..=101).contains(&requests.sent), "{requests:?}");
    assert_eq!((requests.collided, requests.retried, requests.given_up), (0, 0, 0));
    let delays = result.stations[0].grant_delay_s.unwrap().unwrap();
    assert_eq!((delays.mean, delays.max), (0.005, 0.005));
    // 4 ms to the next frame, 5 ms to that of the grant; then downlink and TTG (73 symbols and 10 PS),
    // contention regions (18 symbols), preamble (1) and ten symbols of data; 2 ms and 85 us on the wire.
    let air = 0.009 + (f64::from(73 + 18 + 1 + 10) * 68.0 + 10.0) * 0.5e-6;
    let wire = 0.002 + 1064.0 * 8.0 / 100e6;
    let delay = result.flows[0].one_way_delay_s.unwrap().mean;
    assert!((delay - air - wire).abs() < 1e-8, "{delay} s, expected {}", air + wire);
}

/// Six stations that ask at the same time: what they do in the first 5 s and in the next 5 s is what
/// they do in 10 s.
#[test]
fn counters_begin_with_the_measurement() {
    let mut document = one(1, Value::Null);
    document["station"] = json!([{ "count": 6, "flows": [cbr("up", 1036.0 * 8.0 / 0.2)] }]);
    document["station"][0]["flows"][0]["start"] = json!("0 s");
    let mut requests = |warmup: u32, duration: u32| {
        document["warmup"] = json!(warmup);
        document["duration"] = json!(duration);
        let requests = simulate(document.clone()).requests.unwrap();
        [requests.sent, requests.collided, requests.retried, requests.given_up]
    };
    let (first, after, both) = (requests(0, 5), requests(5, 5), requests(0, 10));
    assert!(first[0] > 100 && first[1] > 10 && after[0] > 100, "{first:?} {after:?}");
    assert_eq!([0, 1, 2, 3].map(|i| first[i] + after[i]), both);
}

/// The base station's queues are one in the results, a station's is its own.
#[test]
fn queues_are_those_of_the_layout() {
    let mut document = one(1, Value::Null);
    let down = |rate: f64| json!({ "flows": [cbr("down", rate)] });
    document["station"] = json!([down(9e6), down(9e6), { "flows": [cbr("up", 12e6)] }]);
    document["warmup"] = json!("0 s");
    document["cell"]["scheduler"] = json!("drr");
    document["trace"] = json!({ "interval": "0.1 s" });
    let result = simulate(document);
    let [one, two, three] = &result.flows[..] else { panic!("three flows") };
    let ap = &result.ap_queue;
    // But for what waits or is under way at the end: two queues of 50, and the wire.
    let under_way = one.segments_sent + two.segments_sent - ap.arrivals;
    assert!(under_way < 10, "{under_way}");
    assert!(ap.drops > 1000 && ap.mean_packets > 85.0 && ap.mean_packets < 100.0, "{ap:?}");
    // More than one of them holds, and no more than both do.
    let waiting = result.series.unwrap().ap_queue_data;
    assert_eq!(waiting.len(), 100);
    assert!(waiting.iter().skip(10).all(|&packets| (51..=100).contains(&packets)), "{waiting:?}");
    assert_eq!(three.segments_sent, result.stations[2].queue_arrivals);
    assert!(result.stations[2].queue_drops > 100);
    assert_eq!([0, 1].map(|i| result.stations[i].queue_arrivals), [0, 0]);
}

/// An SDU that is lost with a PDU is an error, one that is dropped with its request is not.
#[test]
fn losses_have_their_cause() {
    let mut document = one(1, cbr("down", 1e6));
    document["station"][0]["error"] = json!({ "rate": 0.1, "level": "mac" });
    let losses = simulate(document).losses;
    assert_eq!((losses.retry_limit, losses.congestion), (0, 0));
    // One PDU each of 1e6 / (1036 * 8) * 10 = 1207 datagrams: 120.7 with a standard deviation of 10.4;
    // within four of them with a confidence of 99.99%.
    assert!((79..=163).contains(&losses.error), "{losses:?}");

    // Eight stations share one opportunity without any backoff, and never get a request through.
    let mut document = one(1, Value::Null);
    document["cell"]["contention_slots"] = json!(1);
    document["cell"]["request_backoff"] = json!([0, 0]);
    document["station"] = json!([{ "count": 8, "flows": [cbr("up", 1e5)] }]);
    for flow in document["station"][0]["flows"].as_array_mut().unwrap() {
        flow["start"] = json!("0 s");
    }
    let result = simulate(document);
    assert!(result.losses.retry_limit > 0, "{:?}", result.losses);
    assert_eq!((result.losses.error, result.aggregate_goodput_bps), (0, 0.0));
    let requests = result.requests.unwrap();
    assert_eq!(requests.sent, requests.collided);
    assert!(result.stations.iter().all(|station| station.grant_delay_s == Some(None)));
}

#[test]
fn frames_on_the_air_are_not_captured() {
    let scenario = resolve(one(1, cbr("down", 1e5)), "test").unwrap();
    let capture = |air| {
        let sinks = CaptureSinks { air, wire: Box::new(std::io::sink()) };
        run_with_captures(&scenario, 1, &RunOptions::default(), Some(sinks))
    };
    let error = capture(Some(Box::new(std::io::sink()))).unwrap_err();
    assert_eq!(error.to_string(), "capture of the air: frames of IEEE 802.16 are not captured");
    let (with, without) = (capture(None).unwrap(), simulate(one(1, cbr("down", 1e5))));
    assert_eq!(with.fingerprint, without.fingerprint);
}

/// A WLAN has none of this.
#[test]
fn a_wlan_has_no_frame() {
    let flow = json!({ "direction": "up" });
    let result = simulate(json!({ "duration": "0.1 s", "station": [{ "flows": [flow] }] }));
    let text = serde_json::to_value(&result).unwrap();
    assert!(text.get("frame").is_none() && text.get("requests").is_none());
    assert!(text["stations"][0].get("grant_delay_s").is_none());
}
