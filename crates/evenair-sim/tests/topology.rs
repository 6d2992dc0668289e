//! Wired topologies: what a bottleneck does follows from its rate, delay and queue.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{LinkResult, RunOptions, RunResult, run};

fn result(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test.toml").unwrap();
    let scenario = resolve(document, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

fn link<'a>(result: &'a RunResult, from: &str, to: &str) -> &'a LinkResult {
    result.wired.links.iter().find(|link| link.from == from && link.to == to).unwrap()
}

const CELL: &str = r#"
    duration = "20 s"
    [[station]]
    count = 2
    flows = [{ direction = "down", tcp = "ns2", window = 60 }, { direction = "up", tcp = "ns2" }]
"#;

/// The server of the one-link case, and a router with no delay of its own that changes nothing.
#[test]
fn one_link_is_a_topology_of_one_link() {
    let short = result(&format!("{CELL}\n[wired]\nrate = \"30 Mbps\"\ndelay = \"7 ms\""));
    let link = r#"{ between = ["server", "ap"], rate = "30 Mbps", delay = "7 ms" }"#;
    let long = result(&format!("{CELL}\n[wired]\nlink = [{link}]"));
    assert_eq!((&short.fingerprint, short.events), (&long.fingerprint, long.events));
    let router = r#"{ between = ["r", "ap"], rate = "unlimited", delay = 0 }"#;
    let link = link.replace("\"ap\"", "\"r\"");
    let routed = result(&format!("{CELL}\n[wired]\nlink = [{link}, {router}]"));
    assert_eq!(short.flows, routed.flows);
    // A link that only packets of one other link enter needs no events of its own.
    assert_eq!(routed.events, short.events);
}

/// A download through 2 Mb/s, of segments of 960 + 40 bytes: all of the link is used, 96% of it
/// for payload. With a window of W segments the round-trip time is W segments' time on the link,
/// 4 ms each, since all but what is on its way (under 4 segments: 2 ms and 1 ms of wire, and the
/// cell, which is faster than the link) waits in front of it.
#[test]
fn a_bottleneck_is_what_tcp_gets() {
    let result = result(
        r#"
        duration = "60 s"
        warmup = "5 s"
        wired.link = [
            { between = ["server", "r0"], delay = "2 ms" },
            { between = ["r0", "ap"], rate = "2 Mbps", delay = "1 ms" },
        ]
        [[station]]
        flows = [{ direction = "down", tcp = "ns2", window = 40, segment = 960, delayed_ack = 1 }]
        "#,
    );
    let bottleneck = link(&result, "r0", "ap");
    assert!((bottleneck.utilization - 1.0).abs() < 1e-3, "{}", bottleneck.utilization);
    let flow = &result.flows[0];
    assert!((flow.goodput_bps / (2e6 * 0.96) - 1.0).abs() < 2e-3, "{}", flow.goodput_bps);
    let rtt = flow.mean_rtt_s.unwrap();
    assert!((rtt / (40.0 * 0.004) - 1.0).abs() < 0.01, "{rtt}");
    let waiting = bottleneck.queue.mean_packets;
    assert!((35.0..39.0).contains(&waiting), "{waiting}");
    assert_eq!(result.losses.congestion, 0);
}

/// Datagrams at 1.5 and 1 Mb/s into 2 Mb/s: a fifth is lost in front of the link, and nowhere else.
/// Packets are conserved up to the few on their way.
#[test]
fn cross_traffic_competes_for_the_bottleneck() {
    let result = result(
        r#"
        duration = "100 s"
        [wired]
        link = [
            { between = ["server", "r0"] },
            { between = ["c1", "r0"] },
            { between = ["r0", "r1"], rate = "2 Mbps", queue = { limit = 20 } },
            { between = ["r1", "c3"] },
            { between = ["r1", "ap"] },
        ]
        flow = [{ from = "c1", to = "c3", transport = "udp", rate = "1.5 Mbps", segment = 972, header = 28 }]
        [[station]]
        flows = [{ direction = "down", transport = "udp", rate = "1 Mbps", segment = 972, header = 28 }]
        "#,
    );
    let bottleneck = link(&result, "r0", "r1");
    assert!((bottleneck.utilization - 1.0).abs() < 1e-3, "{}", bottleneck.utilization);
    // Payload at 2.5 Mb/s in packets of 1000 bytes with 972 of payload; the link takes 2 Mb/s.
    let offered = 2.5e6 * 1000.0 / 972.0;
    let loss = 1.0 - 2e6 / offered;
    let measured = bottleneck.queue.loss_ratio;
    assert!((measured - loss).abs() < 0.005, "{measured}, not {loss}");
    assert_eq!(result.losses.congestion, bottleneck.queue.drops);
    assert_eq!(result.wired.flows[0].from.as_deref(), Some("c1"));
    let delivered = result.flows[0].goodput_bps + result.wired.flows[0].goodput_bps;
    assert!((delivered / (2e6 * 0.972) - 1.0).abs() < 0.005, "{delivered}");
    // The cross traffic is no station's: it counts for neither sum nor fairness.
    assert_eq!(result.aggregate_goodput_bps, result.flows[0].goodput_bps);
    assert_eq!(result.jain_index, 1.0);
    // What the access point gets is what has passed.
    assert_eq!(link(&result, "r1", "ap").queue.arrivals, result.ap_queue.arrivals);
}

/// Of 25,000 datagrams 1% are lost towards the access point and none back: binomial, five standard
/// deviations are 79 packets.
#[test]
fn errors_of_a_wired_link_have_a_direction() {
    let result = result(
        r#"
        duration = "100 s"
        wired.link = [{ between = ["ap", "server"], error = { rate = 0.01, direction = "down" } }]
        [[station]]
        flows = [
            { direction = "down", transport = "udp", rate = "2 Mbps", segment = 1000 },
            { direction = "up", transport = "udp", rate = "1 Mbps", segment = 1000 },
        ]
        "#,
    );
    let [down, up] = [("server", "ap"), ("ap", "server")].map(|(a, b)| link(&result, a, b));
    let lost = down.packets_lost_to_errors as i64;
    assert!((lost - 250).abs() < 79, "{lost}");
    assert_eq!(up.packets_lost_to_errors, 0);
    assert_eq!(result.losses.error, down.packets_lost_to_errors);
    assert_eq!(down.queue.arrivals, 25_000);
}
