//! The rule, and causes and words by hand-made results. Scenarios are in `tests/explain.rs`.

use serde_json::{Map, Value, json};

use super::*;

/// Two bulk flows with 2 Mb/s and one with these members; the fair share is 4/3 Mb/s and a third of the
/// third flow's goodput.
fn result(controller: &str, members: Value) -> Value {
    let flow = |id: &str, station: &str, goodput_bps: f64| {
        json!({
            "id": id, "station": station, "direction": "up", "transport": "newreno",
            "application": "bulk", "goodput_bps": goodput_bps, "segments_sent": 1000,
            "retransmissions": 0, "timeouts": 0, "mean_rtt_s": 0.1,
        })
    };
    let mut flows =
        [flow("up-1", "sta-1", 2e6), flow("up-2", "sta-2", 2e6), flow("up-3", "sta-3", 5e5)];
    let members: Map<String, Value> = members.as_object().cloned().unwrap_or_default();
    for (name, value) in members {
        flows[2][name] = value;
    }
    let station =
        |id: &str, airtime_share: f64| json!({ "id": id, "airtime_share": airtime_share });
    json!({
        "scenario": {
            "cell": { "kind": "wlan", "controller": controller },
            "station": [{ "count": 3, "flows": [{ "direction": "up", "window": 20 }] }],
        },
        "jain_over": "bulk",
        "flows": flows,
        "ap_queue": { "loss_ratio": 0.1, "mean_packets": 0.0, "mean_acks": 0.0 },
        "stations": [station("sta-1", 0.4), station("sta-2", 0.4), station("sta-3", 0.1)],
        "wired": { "links": [] },
    })
}

fn explained(controller: &str, members: Value) -> Vec<Diagnosis> {
    explain_json(&result(controller, members).to_string()).unwrap()
}

/// The only diagnosis.
fn one(controller: &str, members: Value) -> (Cause, Option<Place>, String) {
    let [found] = explained(controller, members).try_into().expect("one starves");
    assert_eq!(found.flow, "up-3");
    (found.cause, found.place, found.text)
}

fn limits(receive_window: f64, cwnd: f64, recovery: f64, timeout: f64) -> Value {
    json!({
        "receive_window": receive_window, "cwnd": cwnd, "recovery": recovery, "timeout": timeout,
        "application": 1.0 - receive_window - cwnd - recovery - timeout,
    })
}

/// With a goodput of x the fair share is (4 Mb/s + x) / 3, twice x at 0.8 Mb/s.
#[test]
fn half_of_the_fair_share_is_the_bar() {
    let at = |goodput_bps: f64| explained("none", json!({ "goodput_bps": goodput_bps })).len();
    assert_eq!((at(0.801e6), at(0.799e6)), (0, 1));
    let found = &explained("none", json!({ "goodput_bps": 5e5 }))[0];
    assert_eq!((found.goodput_bps, found.fair_share_bps), (5e5, 1.5e6));
}

/// 0.5 of 1.5 Mb/s, while there was something to send for two thirds of the time: half of the share.
#[test]
fn time_without_data_does_not_count() {
    let busy =
        |share: f64| explained("none", json!({ "limited_by": limits(0.0, share, 0.0, 0.0) })).len();
    assert_eq!((busy(0.66), busy(0.67)), (0, 1));
}

#[test]
fn an_application_that_pauses_for_half_of_the_time_is_the_limit() {
    let busy = |share: f64| {
        let members = json!({ "goodput_bps": 1.0, "limited_by": limits(0.0, share, 0.0, 0.0) });
        explained("none", members).len()
    };
    assert_eq!((busy(0.5), busy(0.51)), (0, 1));
}

#[test]
fn flows_without_a_fair_share_are_not_judged() {
    assert_eq!(explained("none", json!({ "application": "web", "goodput_bps": 0.0 })), []);
}

/// UDP that loses less than half sends little.
#[test]
fn udp_starves_if_most_is_lost() {
    let lost = |data: u64| {
        json!({
            "transport": "udp", "application": "cbr", "goodput_bps": 1e5,
            "data_losses": { "station_queue": data },
        })
    };
    assert_eq!(explained("none", lost(500)), []);
    let (cause, place, text) = one("none", lost(501));
    assert_eq!((cause, place), (Cause::DataLosses, Some(Place::StationQueue)));
    let expected = "UDP does not repeat what is lost: 50% of its data was dropped at its station's queue, \
                    which holds 0 packets on average";
    assert_eq!(text, expected);
}

#[test]
fn a_receive_window_of_a_controller_is_the_controllers() {
    let members = json!({ "limited_by": limits(0.9, 0.1, 0.0, 0.0), "mean_rtt_s": 0.4 });
    let (cause, _, text) = one("none", members.clone());
    assert_eq!(cause, Cause::ReceiveWindow);
    let expected = "90% of its time limited by its receiver's window: 20 segments for each round trip \
                    (RTT 400 ms, other flows 100 ms)";
    assert_eq!(text, expected);
    let (cause, _, text) = one("cot", members);
    assert_eq!(cause, Cause::Controller);
    assert_eq!(text, "90% of its time limited by the window that the controller sets");
}

#[test]
fn marks_are_named_where_nothing_is_lost() {
    let members = json!({ "limited_by": limits(0.0, 1.0, 0.0, 0.0), "congestion_responses": 7 });
    let (cause, _, text) = one("none", members);
    assert_eq!(cause, Cause::CongestionMarks);
    let expected = "100% of its time limited by its congestion window: it has reduced its window 7 times \
                    because of congestion marks";
    assert_eq!(text, expected);
}

#[test]
fn a_small_window_without_a_reason_is_said_to_be_one() {
    let (cause, place, text) = one("none", json!({ "limited_by": limits(0.0, 0.8, 0.0, 0.0) }));
    assert_eq!((cause, place), (Cause::Cwnd, None));
    assert_eq!(text, "80% of its time limited by its congestion window, without a loss");
}

#[test]
fn a_connection_may_not_be_established() {
    let members = json!({
        "goodput_bps": 0.0, "segments_sent": 0, "mean_rtt_s": null, "timeouts": 4,
        "limited_by": limits(0.0, 0.0, 0.0, 1.0), "data_losses": { "ap_queue": 4 },
    });
    let (cause, place, text) = one("none", members);
    assert_eq!((cause, place), (Cause::DataLosses, Some(Place::ApQueue)));
    let expected = "its connection is not established: 4 of its packets were dropped at the AP's queue, \
                    which loses 10% of its packets";
    assert_eq!(text, expected);
}

/// Results of the test-bed.
#[test]
fn retransmissions_stand_for_losses_whose_place_is_not_known() {
    let (cause, place, text) = one("none", json!({ "retransmissions": 25 }));
    assert_eq!((cause, place), (Cause::DataLosses, None));
    assert_eq!(text, "its congestion window limits it: 2.5% of its segments are retransmissions");
}

/// Four times the round-trip time outweighs four times the losses, of which the root counts, and not 25
/// times.
#[test]
fn the_larger_factor_of_the_rate_of_tcp_is_the_cause() {
    let of = |lost: u64| {
        let mut document = result(
            "none",
            json!({
                "mean_rtt_s": 0.4, "limited_by": limits(0.0, 0.9, 0.1, 0.0),
                "data_losses": { "wired_queue": lost },
            }),
        );
        for other in 0..2 {
            document["flows"][other]["data_losses"] = json!({ "ap_queue": 2 });
        }
        explain_json(&document.to_string()).unwrap()[0].cause
    };
    assert_eq!((of(8), of(50)), (Cause::RoundTripTime, Cause::DataLosses));
}

/// The third flow has 0.4 and 1.2 Mb/s, on average 0.8 of 1.6: only in the first run it starves, and not
/// on average. With 0.2 instead of 0.4 it does.
#[test]
fn the_rule_is_applied_to_the_mean_of_runs() {
    let of = |goodput_bps: f64| {
        let runs =
            [goodput_bps, 1.2e6].map(|goodput| result("none", json!({ "goodput_bps": goodput })));
        explain_json(&json!({ "runs": runs }).to_string()).unwrap()
    };
    assert_eq!(of(4.01e5), []);
    let [found] = of(2e5).try_into().expect("one starves");
    assert_eq!((found.runs, found.starving_runs), (2, 1));
    assert_eq!((found.goodput_bps, found.fair_share_bps), (7e5, 4.7e6 / 3.0));
}

#[test]
fn runs_of_different_flows_have_no_mean() {
    let mut other = result("none", json!({}));
    other["flows"][0]["id"] = json!("down-1");
    let set = json!({ "runs": [result("none", json!({})), other] });
    let error = explain_json(&set.to_string()).unwrap_err().to_string();
    assert_eq!(error, "not the document of a result: its runs have different flows");
}
