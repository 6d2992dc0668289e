//! Pages from end to end: load times computed by hand, and what a run reports of them.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use crate::between_hosts::{between_hosts, result};

/// One page, with an initial window of 10 segments.
const PAGE: &str = r#"
    initial_window = 10
    window = 100
    application = { kind = "page", think = "1 s", pages = 1, request = 200, objects = 1, depth = 1, size = "14600 B" }
"#;

/// The load time of the page, ms.
fn load(overrides: &[&str]) -> f64 {
    let result = result(&between_hosts(PAGE), overrides, 1);
    let flow = &result.wired.flows[0];
    let loads = flow.page_load_s.as_ref().unwrap().as_ref().unwrap();
    assert_eq!((flow.sessions, loads.n), (Some(1), 1));
    assert_eq!((flow.retransmissions, flow.timeouts), (0, 0));
    let pages = result.sessions.unwrap();
    let page = pages.iter().find(|session| session.flow == "wired-1").unwrap();
    assert_eq!(page.start_s, 1.0);
    // The mean is exact to the nanosecond.
    assert!((loads.times.mean - (page.last_byte_s - page.start_s)).abs() < 2e-9);
    assert!(page.end_s > page.last_byte_s, "the sender knows later");
    ((page.last_byte_s - page.start_s) * 1e9).round() / 1e6
}

/// SYN 10.040, its answer 20.080, the request of 240 bytes 30.320; ten segments of 1.5 ms at once: 30.32 + 15 + 10.
#[test]
fn one_object_takes_handshake_request_and_a_round() {
    assert_eq!(load(&[]), 55.32);
}

/// 20 segments over a new connection: the first ACK comes 1.5 + 10 + 10.04 after the request, at 51.86, and with each,
/// 1.5 ms apart, two segments leave: ten more from 51.86 on without a gap, 51.86 + 15 + 10.
#[test]
fn an_object_above_the_initial_window_takes_another_round() {
    assert_eq!(load(&["wired.flow.0.application.size=29200 B"]), 76.86);
}

const TWO: &str = "wired.flow.0.application.objects=2";
const LEVELS: &str = "wired.flow.0.application.depth=2";
const ONE: &str = "wired.flow.0.application.connections=1";
const SIZES: &str =
    "wired.flow.0.application.size={distribution='trace',values=['14600 B','29200 B']}";

/// The first object has arrived at 55.32. Its last ACK and the second request, 0.04 + 0.24, are at the server at 65.60,
/// where cwnd is 20: all 20 segments leave at once, and are there at 65.6 + 30 + 10.
#[test]
fn a_kept_connection_has_a_larger_window() {
    assert_eq!(load(&[TWO, LEVELS, ONE, SIZES]), 105.6);
}

/// The same over a new connection: behind the last ACK, its SYN is there at 65.40, the answer at 75.44, the request at
/// 85.68, and then two rounds as above, 21.54 + 15 + 10.
#[test]
fn a_new_connection_starts_over() {
    let new = "wired.flow.0.application.keeping=new";
    assert_eq!(load(&[TWO, LEVELS, ONE, SIZES, new]), 132.22);
}

/// At 55.32 one object is asked for over the kept connection, at the server at 65.60, and one over a second one: its SYN
/// behind ACK and request is there at 65.64, and the answer waits for ten segments, until 80.60, and arrives at 90.64;
/// the request 10.24 later, and ten segments: 100.88 + 15 + 10.
#[test]
fn objects_of_a_level_share_the_link() {
    let three = "wired.flow.0.application.objects=3";
    assert_eq!(load(&[three, LEVELS]), 125.88);
    // With a single connection one comes after the other: 65.60 + 15 + 10 is 90.60, and the next 0.28 + 10 + 25 later.
    assert_eq!(load(&[three, LEVELS, ONE]), 125.88);
}

/// If all objects are known, all connections open at once: two SYNs, two answers, two requests of 0.24, of which the
/// second is at the server at 30.56 while the link has segments of the first until 45.32, and then 15 + 10.
#[test]
fn without_levels_all_objects_are_asked_for_at_once() {
    assert_eq!(load(&[TWO]), 70.32);
}

/// The pages of the user and of a host that asks a station.
#[test]
fn built_in_pages_have_their_objects() {
    let cell = r#"
        duration = "30 s"
        [[station]]
        flows = [
            { direction = "down", application = { kind = "page", pages = 3, think = "1 s" } },
            { direction = "up", application = { kind = "page", pages = 2, think = "1 s", form = "large" } },
            { direction = "down", application = { kind = "page", pages = 2, think = "1 s", form = "large", keeping = "new" } },
        ]
    "#;
    let result = result(cell, &[], 1);
    let duration_s = result.duration_s;
    let pages = result.sessions.unwrap();
    assert!(duration_s < 30.0, "the run is over with the last page");
    // 56 KB and 3 MB, up to the rounding of each object.
    for (flow, count, objects, total) in
        [("down-1", 3, 3, 56_000), ("up-1", 2, 110, 3_000_000), ("down-2", 2, 110, 3_000_000)]
    {
        let own: Vec<_> = pages.iter().filter(|page| page.flow == flow).collect();
        assert_eq!(own.len(), count, "{flow}");
        assert!(own.iter().all(|page| page.bytes.abs_diff(total) <= objects), "{own:?}");
        let result = result.flows.iter().find(|result| result.id == flow).unwrap();
        let loads = result.page_load_s.as_ref().unwrap().as_ref().unwrap();
        assert_eq!(loads.n, count as u64);
        let bytes: u64 = own.iter().map(|page| page.bytes).sum();
        let delivered = result.goodput_bps * duration_s / 8.0;
        assert!((delivered - bytes as f64).abs() < 1.0, "{flow}: {delivered} of {bytes}");
        assert!(result.completion_s.is_none() && result.arrivals.is_none());
    }
}

/// Flows that stop in the middle of a page, and whatever they lose: what has begun ends, or is stopped, and the run
/// comes to its end.
#[test]
fn pages_survive_losses_and_an_early_stop() {
    let cell = |stop: &str, keeping: &str, rate: f64| {
        format!(
            r#"
            duration = "20 s"
            [cell]
            queue = {{ limit = 20 }}
            [[station]]
            count = 2
            error = {{ kind = "independent", rate = {rate} }}
            flows = [{{
                direction = "down", start = 0{stop},
                application = {{ kind = "page", pages = 5, think = "100 ms", objects = 30, size = "5000 B", keeping = "{keeping}" }},
            }}]
        "#
        )
    };
    for keeping in ["kept", "new"] {
        let all = result(&cell("", keeping, 0.02), &[], 1);
        let pages = all.sessions.unwrap();
        assert_eq!(pages.len(), 10, "{keeping}");
        let again: u64 = all.flows.iter().map(|flow| flow.retransmissions).sum();
        assert_eq!(pages.iter().map(|page| page.retransmissions).sum::<u64>(), again);
        assert!(again > 0);
        let stopped = result(&cell(", stop = '0.6 s'", keeping, 0.02), &[], 1);
        assert!(stopped.sessions.unwrap().len() < 10, "{keeping}");
        assert!(stopped.duration_s < 20.0, "what has begun ends");
    }
}
