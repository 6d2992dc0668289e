//! Tests of the metrics' text.

use super::*;
use crate::data_path::{Counters, Traffic};
use crate::status::{QueueStatus, Rounds, SignalStatus};

fn status() -> Status {
    let mut counters = Counters::default();
    counters.up[1] = Traffic { packets: 10, bytes: 1000 };
    counters.dropped[1] = Traffic { packets: 2, bytes: 200 };
    Status {
        version: "0.1.0".to_owned(),
        interface: "eth\"1\\".to_owned(),
        mode: "observe".to_owned(),
        configured_mode: "observe".to_owned(),
        attached: true,
        data_path_error: None,
        uptime_s: 12.5,
        limiter: "adaptive".to_owned(),
        interval_s: 1.0,
        rounds: Rounds { total: 12, lossy: 3, blind: 2, skipped: 1 },
        signal: Some(SignalStatus {
            state: "stale".to_owned(),
            age_s: 4.25,
            lost_packets: 77,
            refresh_s: Some(3.0),
            error: None,
        }),
        queue: Some(QueueStatus {
            discipline: "las".to_owned(),
            open: true,
            rate_bps: Some(4_500_000),
            capacity_bps: Some(5_000_000),
            backlog_packets: 6,
            backlog_bytes: 8000,
            packets: 100,
            bytes: 90_000,
            delayed_packets: 50,
            dropped_packets: 9,
            marked_packets: 3,
            error: None,
        }),
        traffic: ProtocolTraffic::all(&counters),
        record_failures: 5,
        record_error: None,
        reloads: 1,
        failed_reloads: 0,
        last: None,
    }
}

/// The rules of OpenMetrics 1.0.0 that such a text can break: every sample belongs to the family
/// above it and has its suffix, no family comes twice, the text ends with EOF.
#[test]
fn the_text_is_openmetrics() {
    let text = text(&status());
    assert!(text.ends_with("\n# EOF\n"));
    let mut families = Vec::new();
    let (mut family, mut kind) = ("", "");
    for line in text.lines().take_while(|line| *line != "# EOF") {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            (family, kind) = rest.split_once(' ').unwrap();
            assert!(!families.contains(&family), "{family} twice");
            families.push(family);
        } else if let Some(rest) = line.strip_prefix("# HELP ") {
            assert!(rest.starts_with(&format!("{family} ")), "{line}");
        } else {
            let (name, rest) = line.split_once('{').unwrap();
            let suffix = match kind {
                "counter" => "_total",
                "info" => "_info",
                "gauge" | "stateset" => "",
                other => panic!("{other}"),
            };
            assert_eq!(name, format!("{family}{suffix}"));
            assert!(rest.starts_with(r#"interface="eth\"1\\""#), "{line}");
            let value = rest.rsplit_once("} ").unwrap().1;
            assert!(value.parse::<f64>().is_ok(), "{line}");
        }
    }
    assert!(families.len() > 15);
}

#[test]
fn values_are_those_of_the_status() {
    let text = text(&status());
    let interface = r#"interface="eth\"1\\""#;
    for line in [
        format!(r#"evenaird_mode{{{interface},evenaird_mode="observe"}} 1"#),
        format!(r#"evenaird_mode{{{interface},evenaird_mode="enforce"}} 0"#),
        format!(r#"evenaird_signal{{{interface},evenaird_signal="stale"}} 1"#),
        format!("evenaird_signal_age_seconds{{{interface}}} 4.25"),
        format!("evenaird_lost_packets_total{{{interface}}} 77"),
        format!("evenaird_blind_rounds_total{{{interface}}} 2"),
        format!(r#"evenaird_bytes_total{{{interface},direction="up",protocol="udp"}} 1000"#),
        format!(r#"evenaird_dropped_packets_total{{{interface},protocol="udp"}} 2"#),
        format!(r#"evenaird_queue_info{{{interface},discipline="las"}} 1"#),
        format!("evenaird_queue_rate_bps{{{interface}}} 4500000"),
        format!("evenaird_queue_backlog_packets{{{interface}}} 6"),
        format!("evenaird_queue_dropped_packets_total{{{interface}}} 9"),
        format!("evenaird_record_failures_total{{{interface}}} 5"),
    ] {
        assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
    }
}

#[test]
fn http_has_one_resource() {
    let body = text(&status());
    let good = answer("GET /metrics?x=1 HTTP/1.1\r\nHost: x", status);
    assert!(good.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; "));
    assert!(
        good.ends_with(&format!(
            "Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    );
    assert!(answer("HEAD /metrics HTTP/1.1", status).ends_with("close\r\n\r\n"));
    let unused = || unreachable!("no status is needed");
    assert!(answer("GET / HTTP/1.1", unused).starts_with("HTTP/1.1 404 "));
    assert!(answer("POST /metrics HTTP/1.1", unused).starts_with("HTTP/1.1 405 "));
    assert!(answer("", unused).starts_with("HTTP/1.1 405 "));
}
