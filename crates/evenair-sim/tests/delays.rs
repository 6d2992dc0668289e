//! Delays in results: what they are where the path determines them.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{DelayResult, RunOptions, RunResult, run};

fn result(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test.toml").unwrap();
    let scenario = resolve(document, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

/// The relative error of percentiles, as documented.
const ERROR: f64 = 1.0 / 256.0;

fn percentiles(delays: &DelayResult) -> [f64; 6] {
    [delays.p5, delays.p25, delays.p50, delays.p75, delays.p95, delays.p99]
}

/// Datagrams of 1460 + 40 bytes cross 10 Mb/s, 1.2 ms each, and 10 ms. There is one every 5.84 ms, so
/// that none waits.
#[test]
fn one_way_delay_of_datagrams() {
    let result = result(
        r#"
        duration = "20 s"
        warmup = "1 s"
        [wired]
        link = [
            { between = ["a", "ap"], rate = "10 Mbps", delay = "10 ms" },
            { between = ["b", "ap"], rate = "unlimited", delay = 0 },
        ]
        flow = [{ from = "a", to = "b", transport = "udp", application = "cbr", rate = "2 Mbps", header = 40 }]
        [[station]]
        flows = [{ direction = "up", host = "b" }]
        "#,
    );
    let flow = &result.wired.flows[0];
    let delays = flow.one_way_delay_s.unwrap();
    assert!((delays.mean - 0.0112).abs() < 1e-9, "{delays:?}");
    assert!((delays.max - 0.0112).abs() < 1e-9, "{delays:?}");
    assert!(percentiles(&delays).iter().all(|p| (p / 0.0112 - 1.0).abs() <= ERROR), "{delays:?}");
    assert_eq!((flow.rtt_s, flow.limited_by), (None, None));
    let queue =
        result.wired.links.iter().find(|link| link.from == "a").unwrap().queue.delay_s.unwrap();
    assert_eq!((queue.p99, queue.max), (0.0, 0.0));
}

/// With an overload of 1.5 times the rate of the link, a queue of 20 packets is full: of its 20 places one
/// is the transmitter's, so that those that are not dropped wait 18 to 19 packets' times of 1.2 ms.
#[test]
fn waiting_time_of_a_full_queue() {
    let result = result(
        r#"
        duration = "20 s"
        warmup = "2 s"
        [wired]
        link = [
            { between = ["a", "ap"], rate = "10 Mbps", delay = "10 ms", queue = { kind = "droptail", limit = 20 } },
            { between = ["b", "ap"], rate = "unlimited", delay = 0 },
        ]
        flow = [{ from = "a", to = "b", transport = "udp", application = "cbr", rate = "14.6 Mbps", header = 40 }]
        [[station]]
        flows = [{ direction = "up", host = "b" }]
        "#,
    );
    let queue = &result.wired.links.iter().find(|link| link.from == "a").unwrap().queue;
    assert!(queue.drops > 1000);
    let delays = queue.delay_s.unwrap();
    assert!((delays.mean - queue.mean_delay_s).abs() < 1e-12);
    for delay in percentiles(&delays).into_iter().chain([delays.max]) {
        let packets = delay / 0.0012;
        assert!((18.0 * (1.0 - ERROR)..=19.0 * (1.0 + ERROR)).contains(&packets), "{packets}");
    }
    // Transmission and 10 ms of wire come on top.
    let one_way = result.wired.flows[0].one_way_delay_s.unwrap();
    assert!((one_way.mean - delays.mean - 0.0112).abs() < 1e-4, "{one_way:?}");
}

/// A download with a window of one segment over a wire of 50 ms: each segment is acknowledged before the
/// next is sent, so that goodput is a segment per round-trip time, which is what the sender measures.
#[test]
fn round_trip_time_of_one_segment_at_a_time() {
    let result = result(
        r#"
        duration = "60 s"
        warmup = "1 s"
        wired.delay = "50 ms"
        [[station]]
        flows = [{ direction = "down", window = 1, initial_window = 1, delayed_ack = 1 }]
        "#,
    );
    let flow = &result.flows[0];
    let rtt = flow.rtt_s.unwrap();
    let round = 1460.0 * 8.0 / flow.goodput_bps;
    assert!((rtt.mean / round - 1.0).abs() < 2e-3, "{rtt:?}, {round}");
    assert!((rtt.mean - flow.mean_rtt_s.unwrap()).abs() < 1e-12);
    // One way there, the other back: the difference is the segment's time on the air and on the wire.
    let one_way = flow.one_way_delay_s.unwrap();
    assert!(one_way.mean > 0.050 && one_way.max < rtt.max - 0.050, "{one_way:?}");
    // Of one flow, the sample of all flows is its own.
    assert_eq!((result.rtt_s, result.one_way_delay_s), (flow.rtt_s, flow.one_way_delay_s));
}

/// Delays are those of the measured time: an overload that ends in the warm-up leaves nothing.
#[test]
fn the_warm_up_does_not_count() {
    let toml = |warmup: &str| {
        format!(
            r#"
            duration = "5 s"
            warmup = "{warmup}"
            [[station]]
            flows = [
                {{ direction = "down", transport = "udp", application = "cbr", rate = "20 Mbps", stop = "1 s" }},
                {{ direction = "down", transport = "udp", application = "cbr", rate = "100 kbps" }},
            ]
            "#
        )
    };
    let (cold, warm) = (result(&toml("0 s")), result(&toml("3 s")));
    let queue = |result: &RunResult| result.ap_queue.delay_s.unwrap();
    assert!(queue(&cold).p75 > 0.005, "{:?}", queue(&cold));
    assert!(queue(&warm).max < 0.001, "{:?}", queue(&warm));
    assert_eq!(warm.flows[0].one_way_delay_s, None);
    assert!(warm.flows[1].one_way_delay_s.unwrap().max < 0.010);
}

/// Each sample of a trace has the delays of its interval alone.
#[test]
fn traces_have_delays_by_interval() {
    let result = result(
        r#"
        duration = "6 s"
        trace.interval = "1 s"
        [[station]]
        flows = [
            { direction = "down", transport = "udp", application = "cbr", rate = "20 Mbps", start = "2 s", stop = "3 s" },
            { direction = "down", window = 10 },
        ]
        "#,
    );
    let series = result.series.unwrap();
    let column = |flow: &str, name: &str| series.flows[flow][name].as_array().unwrap().clone();
    let delays = column("down-1", "one_way_delay_p50_s");
    let some: Vec<bool> = delays.iter().map(|delay| !delay.is_null()).collect();
    // The queue empties within the fourth second.
    assert_eq!(some, [false, false, true, true, false, false]);
    assert!(!series.flows["down-1"].as_object().unwrap().contains_key("rtt_p50_s"));
    let rtts = column("down-2", "rtt_p95_s");
    let rtt = |second: usize| rtts[second].as_f64().unwrap();
    assert!(rtt(1) < 0.05 && rtt(5) < 0.05, "{rtts:?}");
    assert!(
        series.ap_queue_delay_p95_s[2].unwrap() > 2.0 * series.ap_queue_delay_p95_s[5].unwrap()
    );
}
