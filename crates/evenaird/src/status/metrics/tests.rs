//! Tests of the metrics' text.

use super::*;
use crate::status::tests::example as status;

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
        format!(r#"evenaird_mode{{{interface},evenaird_mode="off"}} 1"#),
        format!(r#"evenaird_mode{{{interface},evenaird_mode="enforce"}} 0"#),
        format!("evenaird_rate_bps{{{interface}}} 2900000"),
        format!("evenaird_capacity_bps{{{interface}}} 4500000"),
        format!("evenaird_udp_rate_bps{{{interface}}} 300000"),
        format!(r#"evenaird_throughput_bps{{{interface},direction="up",traffic="udp"}} 200000"#),
        format!(r#"evenaird_throughput_bps{{{interface},direction="down",traffic="all"}} 1400000"#),
        format!(r#"evenaird_signal{{{interface},evenaird_signal="stale"}} 1"#),
        format!("evenaird_signal_age_seconds{{{interface}}} 4.25"),
        format!("evenaird_lost_packets_total{{{interface}}} 77"),
        format!("evenaird_idle_rounds_total{{{interface}}} 40"),
        format!("evenaird_idle_lossy_rounds_total{{{interface}}} 12"),
        format!("evenaird_signal_follows_load{{{interface}}} 0"),
        format!("evenaird_blind_rounds_total{{{interface}}} 2"),
        format!(r#"evenaird_bytes_total{{{interface},direction="up",protocol="udp"}} 1000"#),
        format!(r#"evenaird_dropped_packets_total{{{interface},protocol="udp"}} 7"#),
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
