//! ECN in a run (RFC 3168): the key, and the keys of a result.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};

fn result(overrides: &[&str]) -> RunResult {
    let text = r#"
        duration = "20 s"
        cell.queue = { kind = "droptail", limit = 20 }
        [[station]]
        count = 3
        flows = [
            { direction = "down", tcp = "ns2", window = 40 },
            { direction = "up", tcp = "ns2", application = { kind = "web", size = "100 KB", think = "100 ms" } },
        ]
    "#;
    let mut document = document_from_toml(text.as_bytes(), "test").unwrap();
    for override_ in overrides {
        let (key, value) = override_.split_once('=').unwrap();
        set(&mut document, key, value, "test").unwrap();
    }
    run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap()
}

/// Where no queue marks, ECN changes no packet's time.
#[test]
fn without_marks_nothing_changes() {
    let (without, with) =
        (result(&[]), result(&["station.0.flows.0.ecn=true", "station.0.flows.1.ecn=true"]));
    assert!(without.losses.congestion > 0, "the queue overflows");
    assert_eq!(without.fingerprint, with.fingerprint);
    assert_eq!(without.events, with.events);
    for flow in &with.flows {
        assert_eq!((flow.congestion_marks, flow.congestion_responses), (Some(0), Some(0)));
    }
    let json = serde_json::to_string(&without).unwrap();
    assert!(!json.contains("ecn") && !json.contains("congestion_marks"), "old results stay");
}

/// BBR alone on 200 Mb/s and 4 ms, behind queues that mark what has waited for a millisecond. By Linux's rule marks end a probe before the
/// queue is as long as without ECN, and cost no rate between probes; by the draft's a round trip with a mark has less rate.
#[test]
fn marks_shorten_the_queue_of_bbr_by_linux_s_rule() {
    let measured = |transport: &str, ecn: bool, queue: &str| {
        let text = format!(
            r#"
            duration = "12 s"
            warmup = "2 s"
            [[wired.link]]
            between = ["server", "ap"]
            rate = "200 Mbps"
            delay = "2 ms"
            queue = {queue}
            [[wired.link]]
            between = ["client", "ap"]
            rate = "unlimited"
            [[wired.flow]]
            from = "server"
            to = "client"
            transport = {transport}
            ecn = {ecn}
            [[station]]
            flows = [{{ direction = "up", host = "client", start = 1, application = {{ kind = "file", size = 1 }} }}]
            "#
        );
        let document = document_from_toml(text.as_bytes(), "test").unwrap();
        let result = run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap();
        let flow = &result.wired.flows[0];
        (flow.goodput_bps / 1e6, flow.one_way_delay_s.as_ref().unwrap().mean * 1e3)
    };
    for queue in [
        "{ kind = 'codel', ce_threshold = '1 ms', limit = 1000 }",
        "{ kind = 'dualpi2', classify = 'any_ect', limit = 1000 }",
    ] {
        let (_, without_ecn) = measured("'bbr'", false, queue);
        let (by_draft, _) = measured("'bbr'", true, queue);
        let (goodput, delay) = measured("{ kind = 'bbr', ecn = 'linux' }", true, queue);
        assert!(delay < without_ecn, "{delay} and {without_ecn} ms behind {queue}");
        assert!(goodput > by_draft, "{goodput} and {by_draft} Mb/s behind {queue}");
        // Of 200 Mb/s of packets 97.3 % are payload, of which a flow has 99 % less ProbeRTT.
        assert!(goodput > 0.95 * 0.973 * 200.0, "{goodput} Mb/s behind {queue}");
    }
}
