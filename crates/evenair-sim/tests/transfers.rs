//! Finite transfers from end to end: how long they take, computed by hand, and what a run reports
//! of them.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::{RunResult, SessionResult};

use crate::between_hosts::{between_hosts, result};

const WEB: &str = r#"application = { kind = "web", think = "1 s", size = "14600 B", sessions = 1, request = 200 }"#;

fn wired(overrides: &[&str]) -> RunResult {
    result(&between_hosts(WEB), overrides, 1)
}

fn lone_session(result: &RunResult) -> SessionResult {
    let sessions = result.sessions.as_ref().unwrap();
    sessions.iter().find(|session| session.flow == "wired-1").unwrap().clone()
}

/// From one packet to the next by hand, in ms. SYN 10.040, its answer 20.080, the request of 240
/// bytes 30.320. Segments of 1.5 ms: 1 and 2 reach the client at 41.82 and 43.32; their ACKs, 10.04
/// later, let go two each: 3 to 6 arrive at 63.36, 64.86, 66.36 and 67.86. The ACKs of 3 and 4 let go
/// 7 to 10: from 73.4 on without a gap, the last arrives at 73.4 + 6 + 10, and its ACK 10.04 later.
#[test]
fn a_transfer_takes_handshake_and_slow_start() {
    let session = lone_session(&wired(&[]));
    assert_eq!(session.bytes, 14_600);
    assert_eq!((session.retransmissions, session.timeouts), (0, 0));
    let ms = |time: f64| ((time - session.start_s) * 1e9).round() / 1e6;
    assert_eq!(session.start_s, 1.0);
    assert_eq!(ms(session.first_byte_s), 41.82);
    assert_eq!(ms(session.last_byte_s), 89.4);
    assert_eq!(ms(session.end_s), 99.44);
}

/// The same where the sender opens: its SYN and the answer, 20.080, and no request: the first data
/// leave 10.240 earlier than above.
#[test]
fn a_sender_that_opens_sends_its_data_with_the_third_packet() {
    let session = lone_session(&wired(&["wired.flow.0.application.opened_by=sender"]));
    let ms = |time: f64| ((time - session.start_s) * 1e9).round() / 1e6;
    assert_eq!(ms(session.first_byte_s), 31.58);
    assert_eq!(ms(session.end_s), 89.2);
}

/// Ten segments at once: SYN and the data one way; the answer to the SYN and the ACKs the other. With
/// d in-order segments per ACK there are 10 / d of them, and one more by the timer if a rest is left,
/// 100 ms after the first segment of that rest. The dynamic scheme acknowledges 1, 3, 6 and 10.
#[test]
fn ten_segments_take_so_many_acks() {
    for (d, acks, rest) in [
        ("1", 10, None),
        ("2", 5, None),
        ("3", 4, Some(10)),
        ("4", 3, Some(9)),
        ("5", 2, None),
        ("dynamic", 4, None),
    ] {
        let delayed = format!("wired.flow.0.delayed_ack={d}");
        let result = wired(&[
            &delayed,
            "wired.flow.0.initial_window=10",
            "wired.flow.0.application.opened_by=sender",
        ]);
        let [to_ap, from_ap] = [("server", "ap"), ("ap", "server")].map(|(from, to)| {
            let mut links = result.wired.links.iter();
            links.find(|link| link.from == from && link.to == to).unwrap().queue.arrivals
        });
        assert_eq!((to_ap, from_ap), (1 + 10, 1 + acks), "d = {d}");
        let session = lone_session(&result);
        let ms = |time: f64| ((time - session.start_s) * 1e9).round() / 1e6;
        // Segment k arrives at 20.08 + 1.5 k + 10; an ACK takes 10.04.
        let arrives = |k: u32| 30.08 + 1.5 * f64::from(k);
        let acked = rest.map_or(arrives(10), |first| arrives(first) + 100.0);
        assert_eq!(ms(session.last_byte_s), arrives(10));
        assert!((ms(session.end_s) - acked - 10.04).abs() < 1e-6, "d = {d}: {session:?}");
    }
}

/// A lone user of a cell with windows of one segment, where every frame waits a backoff: no other node
/// contends, so that each of the 2 + 2 N frames takes DIFS, a backoff of 0 to 31 slots, preamble,
/// frame, SIFS, preamble and ACK (IEEE 802.11b), as in Miorandi et al. 2006, equation 14. Files of 5 segments
/// of 1000 bytes over 11 and 2 Mb/s with the long preamble; the wire's 20 ms are there so that every
/// post-backoff is over. The mean of 400 sessions is within 3.3 standard errors (99.9%), which follow
/// from the variance of a backoff, (32^2 - 1) / 12 slots^2.
#[test]
fn the_mean_over_a_lone_cell_is_that_of_its_frames() {
    let result = result(
        r#"
        duration = "5000 s"
        wired = { rate = "unlimited", delay = "20 ms" }
        cell = { control_rate = "2 Mbps", immediate_access = false, mac_overhead = 36 }
        [[station]]
        flows = [{ direction = "down", tcp = "ns2", window = 1, segment = 1000, delayed_ack = 1,
                   application = { kind = "web", size = "5 KB", think = "1 s", opened_by = "sender", sessions = 400 } }]
        "#,
        &[],
        1,
    );
    let sessions = result.sessions.unwrap();
    assert_eq!(sessions.len(), 400);
    let (slot, sifs, difs, preamble) = (20e-6, 10e-6, 50e-6, 192e-6);
    let ack = preamble + 14.0 * 8.0 / 2e6;
    let frame =
        |bytes: f64| difs + 15.5 * slot + preamble + (bytes + 36.0) * 8.0 / 11e6 + sifs + ack;
    let (segments, frames) = (5.0, 12.0);
    // Each round trip has the wire twice; what the access point receives goes on at the frame's end,
    // before its MAC has acknowledged it, and so does what the station receives and answers; but the
    // station's answer waits for that acknowledgement, and the access point's next frame does not.
    let up_tail = sifs + ack;
    let expected = 2.0 * frame(40.0)
        + segments * (frame(1040.0) + frame(40.0))
        + (segments + 1.0) * (0.04 - up_tail);
    let n = sessions.len() as f64;
    let mean = sessions.iter().map(|s| s.end_s - s.start_s).sum::<f64>() / n;
    let standard_error = slot * (1023.0_f64 / 12.0 * frames / n).sqrt();
    let error = mean - expected;
    assert!(
        error.abs() < 3.3 * standard_error,
        "{mean}, not {expected}: {error} +- {standard_error}"
    );
}

const CELL: &str = r#"
    duration = "60 s"
    [[station]]
    count = 4
    flows = [{ direction = "down", tcp = "ns2", application = { kind = "web", think = "1 s", sessions = 5 } }]
"#;

/// What each flow fetched, in its order.
fn sizes(result: &RunResult) -> Vec<(String, Vec<u64>)> {
    let sessions = result.sessions.as_ref().unwrap();
    let of = |flow: &str| {
        let own = sessions.iter().filter(|session| session.flow == flow);
        (flow.to_owned(), own.map(|session| session.bytes).collect())
    };
    result.flows.iter().map(|flow| of(&flow.id)).collect()
}

/// A run of users who stop is over with the last of them, and its goodput is what they fetched.
#[test]
fn a_run_ends_with_the_last_finite_transfer() {
    let result = result(CELL, &[], 1);
    let sessions = result.sessions.as_ref().unwrap();
    assert_eq!(sessions.len(), 4 * 5);
    assert!(result.flows.iter().all(|flow| flow.sessions == Some(5)));
    let last = sessions.iter().map(|session| session.end_s).fold(0.0, f64::max);
    assert!(result.duration_s == last && last < 60.0, "{last}");
    let bytes: u64 = sessions.iter().map(|session| session.bytes).sum();
    let goodput = bytes as f64 * 8.0 / last;
    assert!((result.aggregate_goodput_bps / goodput - 1.0).abs() < 1e-12);
    for session in sessions {
        let SessionResult { start_s, first_byte_s, last_byte_s, end_s, .. } = *session;
        assert!(start_s < first_byte_s && first_byte_s <= last_byte_s && last_byte_s < end_s);
    }
    assert!(sessions.windows(2).all(|pair| pair[0].start_s <= pair[1].start_s));
}

/// Common random numbers: what is fetched is the same whatever else is changed.
#[test]
fn sizes_do_not_depend_on_anything_else() {
    let reference = sizes(&result(CELL, &[], 1));
    let application = "station.0.flows.0.application";
    for change in [
        "cell.queue.limit=5",
        "cell.data_rate=2 Mbps",
        "station.0.flows.0.window=3",
        &format!("{application}.think=0.5 s"),
        &format!("{application}.opened_by=sender"),
        &format!("{application}.pad=true"),
        "station.0.error={ rate = 0.05 }",
    ] {
        assert_eq!(sizes(&result(CELL, &[change], 1)), reference, "{change}");
    }
    assert_ne!(sizes(&result(CELL, &[], 2)), reference);
}

/// Whatever is lost, handshakes and requests included, each transfer is completed once.
#[test]
fn transfers_survive_losses() {
    let application = "station.0.flows.0.application";
    for opener in ["receiver", "sender"] {
        for change in ["station.0.flows.0.sack=false", "station.0.flows.0.sack=true"] {
            let overrides = [
                "station.0.error={ rate = 0.2 }",
                "duration=5000 s",
                change,
                &format!("{application}.opened_by={opener}"),
                &format!("{application}.request=300"),
            ];
            let result = result(CELL, &overrides, 1);
            let sessions = result.sessions.as_ref().unwrap();
            assert_eq!(sessions.len(), 20, "{opener}, {change}");
            let bytes: u64 = sessions.iter().map(|session| session.bytes).sum();
            let goodput = bytes as f64 * 8.0 / result.duration_s;
            assert!((result.aggregate_goodput_bps / goodput - 1.0).abs() < 1e-12);
            let timeouts: u64 = sessions.iter().map(|session| session.timeouts).sum();
            assert!(timeouts > 0);
            assert_eq!(timeouts, result.flows.iter().map(|flow| flow.timeouts).sum::<u64>());
        }
    }
}

/// Upwards everything is the other way round.
#[test]
fn a_station_can_be_fetched_from() {
    let result = result(CELL, &["station.0.flows.0.direction=up"], 1);
    assert_eq!(result.sessions.unwrap().len(), 20);
}

/// Beside a download without end the run goes on to its own; and what begins in the warm-up or does
/// not end is no session.
#[test]
fn mice_and_elephants_share_a_cell() {
    let text = r#"
        duration = "30 s"
        warmup = "10 s"
        [[station]]
        count = 3
        flows = [{ direction = "down", tcp = "ns2", application = { kind = "web", think = "1 s" } }]
        [[station]]
        flows = [{ direction = "down", tcp = "ns2" }]
    "#;
    let result = result(text, &[], 1);
    assert_eq!(result.duration_s, 30.0);
    let sessions = result.sessions.unwrap();
    assert!(sessions.len() > 20);
    assert!(sessions.iter().all(|session| session.start_s >= 0.0 && session.end_s <= 30.0));
    assert_eq!(result.flows[3].sessions, None);
    assert!(result.flows[3].goodput_bps > 1e6);
    let counted: u64 = result.flows.iter().filter_map(|flow| flow.sessions).sum();
    assert_eq!(counted, sessions.len() as u64);
}

/// A file of 2000 bytes is two segments of 1460; padded they go over the link in full: 2 times 1460
/// bytes and not 2000, at 1 us each.
#[test]
fn padding_fills_up_the_last_segment() {
    let two = "wired.flow.0.application.size=2000";
    let plain = lone_session(&wired(&[two]));
    let padded = lone_session(&wired(&[two, "wired.flow.0.application.pad=true"]));
    assert_eq!((plain.bytes, padded.bytes), (2000, 2000));
    let delay = |session: &SessionResult| session.last_byte_s - session.start_s;
    assert!((delay(&padded) - delay(&plain) - 920e-6).abs() < 1e-12);
}

/// After its stop a user begins nothing; what has begun is not finished.
#[test]
fn a_stop_ends_a_user() {
    let result = result(CELL, &["station.0.flows.0.stop=2 s", "duration=10 s"], 1);
    let sessions = result.sessions.unwrap();
    assert!(!sessions.is_empty() && sessions.len() < 20);
    assert!(sessions.iter().all(|session| session.start_s < 2.0));
    assert!(result.duration_s < 10.0, "all flows are done");
}

#[test]
fn sizes_can_come_from_a_trace() {
    let trace =
        "station.0.flows.0.application.size={ distribution = 'trace', values = [500, '2 KB', 7] }";
    for (_, sizes) in sizes(&result(CELL, &[trace], 1)) {
        assert_eq!(sizes, [500, 2000, 7, 500, 2000]);
    }
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let text = |seed| serde_json::to_string(&result(CELL, &[], seed)).unwrap();
    assert_eq!(text(3), text(3));
    assert_ne!(text(3), text(4));
}

/// Fifty downloads with windows of 1000 segments overflow any other queue.
#[test]
fn a_queue_without_a_limit_loses_nothing() {
    let text = r#"
        duration = "20 s"
        cell = { queue = { kind = "droptail", limit = "unlimited" } }
        [[station]]
        count = 50
        flows = [{ direction = "down", tcp = "ns2", window = 1000, start = 0 }]
    "#;
    let result = result(text, &[], 1);
    assert_eq!(result.ap_queue.drops, 0);
    assert!(result.ap_queue.mean_packets > 1000.0);
    let scenario = serde_json::to_value(&result.scenario).unwrap();
    assert_eq!(scenario["cell"]["queue"]["limit"], "unlimited");
}
