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
