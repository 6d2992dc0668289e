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
        "ap_queue": { "loss_ratio": 0.1, "mean_packets": 0.0, "mean_acks": 0.0, "mean_delay_s": 0.3 },
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
    assert_eq!((found.says, found.measure.as_str()), ("starves", "0.500 Mb/s, fair share 1.500"));
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
    let expected =
        "80% of its time limited by its congestion window, without a loss in the measured time";
    assert_eq!(text, expected);
}

#[test]
fn a_connection_may_not_be_established() {
    let members = json!({
        "goodput_bps": 0.0, "segments_sent": 0, "mean_rtt_s": null, "timeouts": 4,
        "limited_by": limits(0.0, 0.0, 0.0, 1.0), "data_losses": { "ap_queue": 4 },
    });
    let (cause, place, text) = one("none", members);
    assert_eq!((cause, place), (Cause::DataLosses, Some(Place::ApQueue)));
    let expected = "it sends no data: 4 of its packets were dropped at the AP's queue, \
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
    assert_eq!((found.runs, found.faulty_runs), (2, 1));
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

/// The third flow has 0.5 Mb/s beside 2.5 Mb/s of an upload at its own station. Both together have 70% of the
/// air, 35% each, and carry 4.3 Mb in a second of it, the others 5 Mb: its airtime is not the cause. With
/// 0.5 Mb/s of the upload they carry 1.4 Mb.
#[test]
fn airtime_of_a_station_with_several_flows_is_that_of_all() {
    let of = |goodput_bps: f64| {
        let mut document = result("none", json!({ "limited_by": limits(0.0, 1.0, 0.0, 0.0) }));
        let mut beside = document["flows"][2].clone();
        beside["id"] = json!("up-4");
        beside["goodput_bps"] = json!(goodput_bps);
        beside.as_object_mut().unwrap().remove("limited_by");
        document["flows"].as_array_mut().unwrap().push(beside);
        document["stations"][2]["airtime_share"] = json!(0.7);
        let found = explain_json(&document.to_string()).unwrap();
        let own = found.into_iter().find(|found| found.flow == "up-3").expect("it starves");
        (own.cause, own.text)
    };
    assert_eq!(of(2.5e6).0, Cause::Cwnd);
    let (cause, text) = of(0.5e6);
    assert_eq!(cause, Cause::Airtime);
    let expected = "its part of its station's traffic uses 35% of the air, that of other flows 40%, but a \
                    second of it carries 1.4 Mb, of theirs 5.0 Mb: low data rates, or frames that are \
                    repeated";
    assert_eq!(text, expected);
}

/// 4 lost packets of a handshake and 1 segment of one that was sent are not 500% of it.
#[test]
fn a_share_of_lost_data_is_at_most_all() {
    let members = json!({
        "goodput_bps": 1.0, "segments_sent": 1, "limited_by": limits(0.0, 0.1, 0.0, 0.9),
        "data_losses": { "ap_queue": 5 },
    });
    let (_, _, text) = one("none", members);
    let expected = "90% of its time waiting for a retransmission timeout: 5 of its packets were dropped at \
                    the AP's queue, which loses 10% of its packets";
    assert_eq!(text, expected);
}

/// Which of two links has dropped the packets of a flow is not known.
#[test]
fn a_wired_link_is_named_if_no_other_drops() {
    let text = |drops: [u64; 2]| {
        let members = json!({
            "limited_by": limits(0.0, 0.9, 0.1, 0.0), "data_losses": { "wired_queue": 1 },
        });
        let mut document = result("none", members);
        let link = |from: &str, drops: u64| json!({ "from": from, "to": "ap", "utilization": 0.5, "drops": drops });
        document["wired"]["links"] = json!([link("near", drops[0]), link("far", drops[1])]);
        explain_json(&document.to_string()).unwrap()[0].text.clone()
    };
    let named = "the queue of a wired link from far to ap, which is busy 50% of the time";
    assert!(text([0, 7]).ends_with(named), "{}", text([0, 7]));
    assert!(text([1, 7]).ends_with("the queue of a wired link"), "{}", text([1, 7]));
}

/// One of 200,000 segments is 0.0005%.
#[test]
fn small_shares_have_two_digits() {
    let lost = |segments: u64| {
        let members = json!({
            "segments_sent": segments, "limited_by": limits(0.0, 0.9, 0.1, 0.0),
            "data_losses": { "error": 1 },
        });
        let (_, _, text) = one("none", members);
        text.split(": ").nth(1).unwrap().split(" of").next().unwrap().to_owned()
    };
    assert_eq!(lost(200_000), "0.00050%");
    assert_eq!([1005, 1000, 101, 100, 10].map(lost), ["0.10%", "0.10%", "0.99%", "1.0%", "10%"]);
}

/// The window of the third of three uploads, which is the first of the second group.
#[test]
fn windows_are_found_by_the_number_of_the_flow() {
    let members = json!({ "limited_by": limits(0.9, 0.1, 0.0, 0.0), "mean_rtt_s": null });
    let mut document = result("none", members);
    document["scenario"]["station"] = json!([
        { "count": 2, "flows": [{ "direction": "down", "window": 9 }, { "direction": "up", "window": 8 }] },
        { "count": 1, "flows": [{ "direction": "up", "window": 1 }] },
    ]);
    let text = explain_json(&document.to_string()).unwrap()[0].text.clone();
    let expected =
        "90% of its time limited by its receiver's window: 1 segment for each round trip";
    assert_eq!(text, expected);
}

/// In a cell of 20,000 flows of which half starve, each is compared with sums that are made once.
#[test]
fn many_flows_are_explained_at_once() {
    let mut document = result("none", json!({}));
    let (starving, other) = (document["flows"][2].clone(), document["flows"][0].clone());
    let named = |flow: &Value, number: usize| {
        let mut flow = flow.clone();
        flow["id"] = json!(format!("up-{number}"));
        flow["station"] = json!(format!("sta-{number}"));
        flow
    };
    let flows = (1..=20_000).map(|number| named([&other, &starving][number % 2], number));
    document["flows"] = flows.collect();
    let station = |number| json!({ "id": format!("sta-{number}"), "airtime_share": 5e-5 });
    document["stations"] = (1..=20_000).map(station).collect();
    // With a sum over all flows for each flow of each sum this would take hours.
    assert_eq!(explain_json(&document.to_string()).unwrap().len(), 10_000);
}

/// By hand: a delay of 400 ms costs 93.2 - 62.2 = 31 of R (the table of the E-model's tests), a loss of 5 % 95 * 5 /
/// 30.1 = 15.8. At a MOS of 3.6 nobody is named.
#[test]
fn a_poor_call_says_why() {
    let call = |mos: f64, r: f64, delay: f64, loss: f64, late: f64| {
        let losses = json!({ "ap_queue": 50.0 });
        json!({
            "application": "voip", "transport": "udp", "goodput_bps": 64e3, "mos": mos, "r_factor": r,
            "mouth_to_ear_s": delay, "loss_ratio": loss, "late_ratio": late, "data_losses": losses,
        })
    };
    let slow = explained("none", call(2.4, 46.5, 0.4, 0.05, 0.0));
    assert_eq!((slow[0].fault, slow[0].cause), (Fault::PoorCall, Cause::CallDelay));
    assert_eq!((slow[0].says, slow[0].measure.as_str()), ("is a poor call", "MOS 2.40"));
    assert_eq!(slow[0].text, "400 ms pass from speaking to hearing");
    let (cause, place, text) = one("none", call(3.0, 58.0, 0.08, 0.12, 0.01));
    assert_eq!((cause, place), (Cause::CallLosses, Some(Place::ApQueue)));
    let expected = "12% of its datagrams do not arrive, most of them dropped at the AP's queue";
    assert!(text.starts_with(expected), "{text}");
    let (cause, _, text) = one("none", call(3.0, 58.0, 0.08, 0.01, 0.12));
    assert_eq!(cause, Cause::CallLate);
    assert_eq!(text, "12% of its datagrams arrive after they were to be played");
    assert_eq!(explained("none", call(3.6, 70.0, 0.08, 0.05, 0.0)).len(), 0);
}

/// Of the third flow, with the words of fault and measure.
fn user(members: Value) -> (Fault, Cause, String, String) {
    let mut document = result("none", members);
    document["sessions"] = json!([
        { "flow": "up-3", "start_s": 1.0, "first_byte_s": 1.5 },
        { "flow": "up-3", "start_s": 8.0, "first_byte_s": 9.5 },
        { "flow": "up-2", "start_s": 1.0, "first_byte_s": 9.0 },
    ]);
    document["stations"][2]["queue_delay_s"] = json!({ "mean": 0.02, "p95": 0.04 });
    let [found] = explain_json(&document.to_string()).unwrap().try_into().expect("one fault");
    let said = format!("{} ({})", found.says, found.measure);
    (found.fault, found.cause, said, found.text)
}

fn page(load_s: f64, members: Value) -> Value {
    let mut page = json!({
        "application": "page", "goodput_bps": 1e6, "page_load_s": { "mean": load_s, "p95": 9.0 },
    });
    for (name, value) in members.as_object().cloned().unwrap_or_default() {
        page[name] = value;
    }
    page
}

/// The mean wait at the access point and at the station is 320 ms, and until the first byte (0.5 + 1.5) / 2 s pass.
#[test]
fn a_slow_page_says_where_its_time_goes() {
    assert_eq!(explained("none", page(4.0, json!({}))).len(), 0);
    let of = |rtt_s: f64| user(page(4.01, json!({ "mean_rtt_s": rtt_s })));
    let (fault, cause, said, text) = of(0.6);
    assert_eq!((fault, cause), (Fault::SlowPages, Cause::TransferQueues));
    assert_eq!(said, "loads pages slowly (4.01 s)");
    let expected = "1000 ms of a page pass until its first byte: a round trip takes 600 ms; packets of all flows \
                    wait 300 ms at the AP on average, those of its station 20 ms there";
    assert_eq!(text, expected);
    // Half of 0.64 s is 320 ms. With round trips of 0.2 s its packets do not wait as long as the others.
    let causes = [0.639, 0.641, 0.2].map(|rtt_s| of(rtt_s).1);
    let rounds = Cause::TransferRounds;
    assert_eq!(causes, [Cause::TransferQueues, rounds, rounds]);
    // Of 0.4 of the time in which there is something to send, 0.2 + 0.1 for repair.
    let lossy = page(
        6.0,
        json!({ "limited_by": limits(0.0, 0.1, 0.2, 0.1), "data_losses": { "error": 12 } }),
    );
    let (_, cause, _, text) = user(lossy);
    assert_eq!(cause, Cause::TransferLosses);
    let expected = "75% of the time with something to send passes with the repair of losses; 12 of its packets \
                    were lost to transmission errors, not to congestion";
    assert!(text.ends_with(expected), "{text}");
}

fn transfers(slowdown: f64, dropped: u64, waiting: u64) -> Value {
    json!({
        "application": "arrivals", "goodput_bps": 1e6, "mean_rtt_s": 0.6,
        "completion_s": {
            "slowdown": slowdown,
            "by_size": [{ "below_bytes": 10_000, "slowdown": 4.25 }, { "slowdown": 1.5 }],
        },
        "arrivals": { "arrived": 90, "finished": 70, "dropped": dropped, "waiting": waiting, "under_way": 4 },
    })
}

#[test]
fn slow_transfers_are_named_by_size() {
    assert_eq!(explained("none", transfers(1.99, 0, 4)).len(), 0);
    let (fault, cause, said, text) = user(transfers(2.0, 0, 4));
    assert_eq!((fault, cause), (Fault::SlowTransfers, Cause::TransferQueues));
    assert_eq!(said, "has slow transfers (slowdown 2.00)");
    assert!(text.starts_with("by size below 10 KB 4.2, longer 1.5: a round trip"), "{text}");
    let (_, cause, _, text) = user(transfers(1.5, 9, 0));
    assert_eq!(cause, Cause::TransferLimit);
    assert_eq!(
        text,
        "90 transfers came, and 9 found as many under way as may be, or were cut short"
    );
    let (_, cause, _, text) = user(transfers(1.5, 0, 5));
    assert_eq!(cause, Cause::TransferLimit);
    let expected = "90 transfers came; at the end 4 are under way, and 5 wait until they may begin";
    assert_eq!(text, expected);
}

/// Of classes that only some runs have, the mean is that of these: 4.25 and 6.25, and of the longer ones 1.5.
#[test]
fn classes_of_sizes_have_means_of_their_own() {
    let mut runs = [transfers(3.0, 0, 0), transfers(3.0, 0, 0)].map(|of| result("none", of));
    runs[1]["flows"][2]["completion_s"]["by_size"] = json!([
        { "below_bytes": 10_000, "slowdown": 6.25 }, { "below_bytes": 100_000, "slowdown": 2.5 },
    ]);
    let found = explain_json(&json!({ "runs": runs }).to_string()).unwrap();
    assert_eq!((found[0].runs, found[0].faulty_runs), (2, 2));
    let text = &found[0].text;
    assert!(text.starts_with("by size below 10 KB 5.2, below 100 KB 2.5, longer 1.5: "), "{text}");
}

#[test]
fn a_frozen_picture_says_what_is_missing() {
    let call = |frozen_s: f64, lost: f64| {
        json!({
            "application": "video-call", "transport": "udp", "goodput_bps": 1e6, "freezes": 3,
            "frozen_s": frozen_s, "frames_lost_ratio": lost, "frames_undecodable_ratio": 2.0 * lost,
            "frame_delay_s": { "mean": 0.12, "p95": 0.4 }, "data_losses": { "station_queue": 7 },
        })
    };
    assert_eq!(explained("none", call(0.0, 0.1)).len(), 0);
    let (fault, cause, said, text) = user(call(1.25, 0.1));
    assert_eq!((fault, cause), (Fault::Freezes, Cause::FrameLosses));
    assert_eq!(said, "freezes (3 times, 1.25 s)");
    let expected = "10% of its frames miss a packet, and 20% are not shown because they refer to one that does, \
                    most of them dropped at its station's queue, which holds 0 packets on average";
    assert_eq!(text, expected);
    let (_, cause, _, text) = user(call(1.25, 0.0));
    assert_eq!(cause, Cause::FrameDelay);
    let expected =
        "no frame misses a packet; a frame takes 120 ms on average, one in 20 more than 400 ms";
    assert_eq!(text, expected);
}

#[test]
fn a_stream_that_stalls_is_compared_with_its_ladder() {
    let stream = |stalls_s: f64, startup_s: Option<f64>, application: f64| {
        let mut limits = limits(0.0, 1.0 - application, 0.0, 0.0);
        limits["application"] = json!(application);
        json!({
            "application": "stream", "goodput_bps": 2e5, "stalls": 1, "stalls_s": stalls_s,
            "startup_s": startup_s, "mean_rtt_s": 2.0, "limited_by": limits,
        })
    };
    // While the player waits for room in its buffer nothing is wrong.
    assert_eq!(explained("none", stream(0.0, Some(1.0), 0.0)).len(), 0);
    assert_eq!(explained("none", stream(0.0, None, 0.5)).len(), 0);
    let mut document = result("none", stream(2.5, Some(1.0), 0.0));
    let stream_keys = json!({
        "direction": "up", "window": 20, "application": { "kind": "stream", "rates": ["250 kbps", "1 Mbps"] },
    });
    document["scenario"]["station"][0]["flows"] = json!([stream_keys]);
    let found = &explain_json(&document.to_string()).unwrap()[0];
    assert_eq!((found.fault, found.cause), (Fault::Stalls, Cause::TransferRounds));
    assert_eq!((found.says, found.measure.as_str()), ("stalls", "once, 2.50 s"));
    let expected = "it gets 0.20 Mb/s, the lowest rate of the video is 0.25: a round trip takes 2000 ms; packets of \
                    all flows wait 300 ms at the AP on average, those of its station 0 ms there";
    assert_eq!(found.text, expected);
    let (_, _, said, _) = user(stream(0.0, None, 0.4));
    assert_eq!(said, "stalls (not played)");
}

/// Of 1.0 in sum, the third station has the `airtime`, and of 4 Mb/s in sum the `goodput`; the others have halves of the rest.
fn shared(airtime: f64, goodput: f64, in_use: f64) -> Vec<Diagnosis> {
    let mut document = result("none", json!({}));
    for (k, part) in [0.5, 0.5].into_iter().enumerate() {
        document["stations"][k]["airtime_share"] = json!(part * (1.0 - airtime));
        document["flows"][k]["goodput_bps"] = json!(part * (4.0 - goodput) * 1e6);
    }
    document["stations"][2]["airtime_share"] = json!(airtime);
    document["stations"][2]["name"] = json!("cellar");
    document["flows"][2]["goodput_bps"] = json!(goodput * 1e6);
    document["ap"] = json!({ "airtime_share": in_use });
    document["scenario"]["cell"]["data_rate"] = json!(11e6);
    document["scenario"]["station"] = json!([
        { "count": 2, "flows": [{ "direction": "up", "window": 20 }] },
        { "count": 1, "data_rate": 1e6, "flows": [{ "direction": "up", "window": 20 }] },
    ]);
    explain_json(&document.to_string()).unwrap()
}

/// Half of the airtime is 1.5 times a third. With 1.2 of 4 Mb/s a second of it carries 2.4 Mb, of that of others 5.6 Mb, and
/// with 1.6 Mb/s 3.2 Mb and 4.8 Mb: more than 5/8 of it.
#[test]
fn a_station_takes_the_airtime_of_others() {
    let [found] = shared(0.5, 1.2, 0.9).try_into().expect("one station");
    assert_eq!((found.fault, found.cause), (Fault::TakesAirtime, Cause::Airtime));
    assert_eq!((found.station.as_str(), found.flow.as_str()), ("sta-3", "up-3"));
    assert_eq!(found.says, "takes the airtime of others");
    assert_eq!(found.measure, "50% of it for 30% of the goodput");
    let expected =
        "at 1.0 Mb/s, a second of its airtime carries 2.4 Mb, of that of other stations 5.6 Mb";
    assert_eq!(found.text, expected);
    assert_eq!((found.runs, found.faulty_runs), (1, 1));
    assert_eq!(shared(0.49, 1.2, 0.9), [], "it has little more than others");
    assert_eq!(shared(0.5, 1.6, 0.9), [], "it carries what it takes");
    assert_eq!(shared(0.5, 1.2, 0.49), [], "there is airtime left");
}

/// Of six stations one has three times the mean airtime, half of it, and carries as much in a second as the others.
#[test]
fn a_fast_station_takes_the_airtime_of_others() {
    let found = |airtime: f64| {
        let mut document = result("none", json!({}));
        document["jain_over"] = json!("all");
        let flow = document["flows"][0].clone();
        document["flows"].as_array_mut().unwrap().resize(6, flow.clone());
        document["stations"].as_array_mut().unwrap().resize(6, json!(null));
        for k in 0..6 {
            let share = if k == 5 { airtime } else { (1.0 - airtime) / 5.0 };
            document["flows"][k] = flow.clone();
            document["flows"][k]["id"] = json!(format!("up-{}", k + 1));
            document["flows"][k]["station"] = json!(format!("sta-{}", k + 1));
            document["flows"][k]["goodput_bps"] = json!(10e6 * share);
            document["stations"][k] =
                json!({ "id": format!("sta-{}", k + 1), "airtime_share": share });
        }
        let found = explain_json(&document.to_string()).unwrap();
        found.into_iter().find(|of| of.fault == Fault::TakesAirtime).map(|of| of.measure)
    };
    assert_eq!(found(0.51).as_deref(), Some("51% of it for 51% of the goodput"));
    assert_eq!(found(0.49), None);
}

/// If one of its flows starves because of its airtime, this is said already.
#[test]
fn the_airtime_of_a_station_is_named_once() {
    let found = shared(0.6, 0.5, 0.9);
    let faults: Vec<_> = found.iter().map(|of| (of.fault, of.cause)).collect();
    assert_eq!(faults, [(Fault::Starves, Cause::Airtime)]);
}

#[test]
fn the_longest_delay_says_where_it_is() {
    let at = |mean: f64| json!({ "mean": mean, "p95": 2.0 * mean });
    let times = |ap_queue: f64, air: f64| {
        json!({
            "repair": at(0.0), "station_queue": at(0.0), "ap_queue": at(ap_queue), "ring": at(0.0),
            "hardware": at(0.0), "air": at(air), "reorder": at(0.0), "wired_queue": at(0.0), "wire": at(0.01),
        })
    };
    let mut document = result("none", json!({}));
    let explained = |document: &Value| explain_delays_json(&document.to_string()).unwrap();
    assert_eq!(explained(&document), None, "it was not measured");
    document["flows"][0]["delay_by_place_s"] = times(0.001, 0.029);
    document["flows"][1]["delay_by_place_s"] = times(0.164, 0.026);
    document["stations"][1]["name"] = json!("cellar");
    let found = explained(&document).unwrap();
    let places: Vec<_> = found.flows.iter().map(|of| (of.flow.as_str(), of.place)).collect();
    assert_eq!(places, [("up-1", DelayPlace::Air), ("up-2", DelayPlace::ApQueue)]);
    assert!((found.flows[0].delay_s - 0.04).abs() < 1e-12);
    assert!((found.flows[0].share - 0.725).abs() < 1e-12);
    assert_eq!(found.worst, "up-2");
    assert_eq!(found.text, "82% of its one-way delay of 200 ms is in the AP's queue for cellar");
    // Of several runs the means: 182 and 218 ms.
    let mut more = document.clone();
    document["flows"][1]["delay_by_place_s"] = times(0.146, 0.026);
    more["flows"][1]["delay_by_place_s"] = times(0.182, 0.026);
    assert_eq!(explained(&json!({ "runs": [document, more] })).unwrap().text, found.text);
}
