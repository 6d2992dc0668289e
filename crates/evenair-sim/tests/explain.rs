//! Diagnoses of scenarios whose cause is known: it is named where it is forced, and nothing is said where
//! it is removed.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{
    Cause, Diagnosis, Fault, Place, RunOptions, RunResult, explain, explain_json, run,
};

fn simulate(toml: &str, settings: &[(&str, &str)]) -> RunResult {
    let mut document = document_from_toml(toml.as_bytes(), "test").unwrap();
    for (key, value) in settings {
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

/// The diagnoses, which the JSON text of the result has as well.
fn diagnoses(result: &RunResult) -> Vec<Diagnosis> {
    let found = explain(result);
    assert_eq!(found, explain_json(&serde_json::to_string(result).unwrap()).unwrap());
    found
}

/// Starving are the flows `ids`, all of them for this reason; without it, with the setting `instead`, none.
fn assert_cause(
    toml: &str,
    ids: &[&str],
    (cause, place): (Cause, Option<Place>),
    instead: (&str, &str),
) -> RunResult {
    let result = simulate(toml, &[]);
    let found = diagnoses(&result);
    let causes = |of: &Diagnosis| (of.flow.clone(), of.cause, of.place);
    let expected: Vec<_> = ids.iter().map(|id| ((*id).to_owned(), cause, place)).collect();
    assert_eq!(found.iter().map(causes).collect::<Vec<_>>(), expected);
    assert_eq!(diagnoses(&simulate(toml, &[instead])), []);
    result
}

fn loss(place: Place) -> (Cause, Option<Place>) {
    (Cause::DataLosses, Some(place))
}

/// The cell of Gong et al. 2006.
const GONG: &str = include_str!("../../../python/evenair/scenarios/gong2006.toml");
const DOWNLOADS: [&str; 5] = ["down-1", "down-2", "down-3", "down-4", "down-5"];

/// ACKs of uploads fill the queue (Gong et al. 2006, section IV). With room for all windows nothing is
/// dropped.
#[test]
fn uploads_win_at_the_queue_of_the_access_point() {
    let instead = ("cell.queue.limit", "300");
    let result = assert_cause(GONG, &DOWNLOADS, loss(Place::ApQueue), instead);
    let flow = &result.flows[5];
    let share = flow.data_losses.ap_queue as f64 / flow.segments_sent as f64;
    let acks = result.ap_queue.mean_acks / result.ap_queue.mean_packets;
    let said = format!(
        "{:.1}% of its data was dropped at the AP's queue, where ACKs of uploads hold {:.0}% of the places",
        100.0 * share,
        100.0 * acks
    );
    let diagnosis = &explain(&result)[0];
    assert!(diagnosis.text.ends_with(&said), "{}", diagnosis.text);
    assert!((0.01..0.1).contains(&share) && acks > 0.5, "{share} {acks}");
    let goodputs: Vec<f64> = result.flows.iter().map(|flow| flow.goodput_bps).collect();
    assert_eq!(diagnosis.fair_share_bps, goodputs.iter().sum::<f64>() / 10.0);
    assert_eq!((diagnosis.goodput_bps, diagnosis.runs, diagnosis.faulty_runs), (goodputs[5], 1, 1));
}

/// The same with an upload and a download at each station: their airtime is known of both together only, and
/// as much worth as that of the others.
#[test]
fn uploads_win_over_downloads_of_their_own_stations() {
    let cell = GONG.split("[[station]]").next().unwrap();
    let toml = format!(
        r#"{cell}
        [[station]]
        count = 5
        flows = [
            {{ direction = "up", tcp = "ns2", window = 20 }},
            {{ direction = "down", tcp = "ns2", window = 20 }},
        ]
        "#
    );
    assert_cause(&toml, &DOWNLOADS, loss(Place::ApQueue), ("cell.queue.limit", "300"));
}

/// Two of three uploads get each ACK, the third one in five.
#[test]
fn acks_of_an_upload_are_lost() {
    let toml = r#"
        duration = "60 s"
        [[station]]
        count = 2
        flows = [{ direction = "up", window = 4, initial_window = 2, tcp = "ns2" }]
        [[station]]
        flows = [{ direction = "up", window = 4, initial_window = 2, tcp = "ns2" }]
        error = { kind = "independent", rate = 0.4, level = "ip", direction = "down" }
    "#;
    let cause = (Cause::AckLosses, Some(Place::Error));
    assert_cause(toml, &["up-3"], cause, ("station.1.error.rate", "1e-9"));
}

/// Frames to one station need more attempts than the MAC makes.
#[test]
fn packets_are_given_up_at_the_retry_limit() {
    let toml = r#"
        duration = "30 s"
        cell = { short_retry_limit = 3 }
        [[station]]
        count = 3
        flows = [{ direction = "down", window = 20, tcp = "ns2" }]
        [[station]]
        flows = [{ direction = "down", window = 20, tcp = "ns2" }]
        error = { kind = "independent", rate = 0.4, level = "mac", frames = "data" }
    "#;
    assert_cause(toml, &["down-4"], loss(Place::RetryLimit), ("station.1.error.rate", "1e-9"));
}

/// With equal shares of the air, a tenth of the rate is a tenth of the goodput. With equal chances of packets, and a queue for
/// all windows, all have the same, and the slow station takes the airtime of others: with long preambles, SIFS and ACK, a packet
/// of 1,500 bytes and its acknowledgement take some 13.9 ms at 1 Mb/s and 2.2 ms at 11 Mb/s, so that it has 68%.
#[test]
fn a_slow_station_has_the_airtime_of_others() {
    let toml = r#"
        duration = "30 s"
        cell = { scheduler = "airtime-drr", data_rate = "11 Mbps" }
        [[station]]
        count = 3
        flows = [{ direction = "down", window = 20, tcp = "ns2" }]
        [[station]]
        data_rate = "1 Mbps"
        flows = [{ direction = "down", window = 20, tcp = "ns2" }]
    "#;
    let found = diagnoses(&simulate(toml, &[]));
    let [starves] = &found[..] else { panic!("{found:?}") };
    assert_eq!((starves.flow.as_str(), starves.cause), ("down-4", Cause::Airtime));
    let result = simulate(toml, &[("cell.scheduler", "fifo"), ("cell.queue.limit", "300")]);
    let found = diagnoses(&result);
    let [slow] = &found[..] else { panic!("{found:?}") };
    assert_eq!((slow.fault, slow.station.as_str()), (Fault::TakesAirtime, "sta-4"));
    let airtimes = result.stations.iter().map(|station| station.airtime_share);
    let share = 100.0 * result.stations[3].airtime_share / airtimes.sum::<f64>();
    assert!((65.0..71.0).contains(&share), "{share}");
    assert!(slow.measure.starts_with(&format!("{share:.0}% of it for ")), "{}", slow.measure);
    assert!(slow.text.starts_with("at 1.0 Mb/s, "), "{}", slow.text);
}

#[test]
fn random_loss_is_taken_for_congestion() {
    let toml = r#"
        duration = "30 s"
        [wired]
        delay = "20 ms"
        [[station]]
        count = 3
        flows = [{ direction = "up", window = 20, tcp = "ns2" }]
        [[station]]
        flows = [{ direction = "up", window = 20, tcp = "ns2" }]
        error = { kind = "independent", rate = 0.1, level = "ip", direction = "up" }
    "#;
    let result =
        assert_cause(toml, &["up-4"], loss(Place::Error), ("station.1.error.rate", "1e-9"));
    let said = "of its data was lost to transmission errors, not to congestion";
    assert!(explain(&result)[0].text.ends_with(said));
}

/// A window of two segments is two segments for each round trip.
#[test]
fn the_window_of_a_receiver_limits() {
    let toml = r#"
        duration = "30 s"
        [wired]
        delay = "30 ms"
        [[station]]
        count = 3
        flows = [{ direction = "up", window = 20, tcp = "ns2" }]
        [[station]]
        flows = [{ direction = "up", window = 2, tcp = "ns2" }]
    "#;
    let cause = (Cause::ReceiveWindow, None);
    let instead = ("station.1.flows.0.window", "20");
    let result = assert_cause(toml, &["up-4"], cause, instead);
    let text = &explain(&result)[0].text;
    assert!(text.contains("its receiver's window: 2 segments for each round trip"), "{text}");
    let share = 100.0 * result.flows[3].limited_by.unwrap().receive_window;
    assert!(text.starts_with(&format!("{share:.0}% of its time")), "{text}");
}

/// A flow that starts at 20 of 30 s has a third of the goodput, which is all that it asked for.
#[test]
fn a_flow_without_data_does_not_starve() {
    let toml = r#"
        duration = "30 s"
        [[station]]
        count = 3
        flows = [{ direction = "up" }]
        [[station]]
        flows = [{ direction = "up", start = "20 s" }]
    "#;
    let result = simulate(toml, &[]);
    let mean = result.aggregate_goodput_bps / 4.0;
    assert!(result.flows[3].goodput_bps < 0.5 * mean, "the goodput alone does not tell");
    assert_eq!(diagnoses(&result), []);
}

/// The policer drops from all uploads.
#[test]
fn a_policer_holds_uploads_back() {
    let toml = r#"
        duration = "60 s"
        [gateway]
        limiter = { kind = "fixed", rate = "300 kbps" }
        [[station]]
        count = 2
        flows = [{ direction = "up", window = 20, tcp = "ns2" }]
        [[station]]
        count = 2
        flows = [{ direction = "down", window = 20, tcp = "ns2" }]
    "#;
    let instead = ("gateway.limiter.rate", "20 Mbps");
    assert_cause(toml, &["up-1", "up-2"], loss(Place::Policer), instead);
}

/// One server is behind a slow link with a short queue.
#[test]
fn a_wired_link_is_the_bottleneck() {
    let toml = r#"
        duration = "30 s"
        [wired]
        link = [
            { between = ["server", "ap"], rate = "100 Mbps" },
            { between = ["far", "ap"], rate = "400 kbps", queue = { kind = "droptail", limit = 5 } },
        ]
        [[station]]
        count = 3
        flows = [{ direction = "down", window = 20, tcp = "ns2" }]
        [[station]]
        flows = [{ direction = "down", window = 20, tcp = "ns2", host = "far" }]
    "#;
    let instead = ("wired.link.1.rate", "100 Mbps");
    let result = assert_cause(toml, &["down-4"], loss(Place::WiredQueue), instead);
    let busy = result.wired.links.iter().find(|link| link.from == "far").unwrap().utilization;
    let said = format!("from far to ap, which is busy {:.0}% of the time", 100.0 * busy);
    assert!(explain(&result)[0].text.ends_with(&said));
}

/// The rate of TCP is inversely proportional to the round-trip time.
#[test]
fn a_long_way_takes_its_time() {
    let toml = r#"
        duration = "60 s"
        cell = { queue = { kind = "codel", limit = 100 } }
        [wired]
        link = [
            { between = ["server", "ap"], rate = "100 Mbps" },
            { between = ["far", "ap"], rate = "100 Mbps", delay = "300 ms" },
        ]
        [[station]]
        count = 3
        flows = [{ direction = "down", window = 100, tcp = "ns2" }]
        [[station]]
        flows = [{ direction = "down", window = 100, tcp = "ns2", host = "far" }]
    "#;
    let instead = ("wired.link.1.delay", "2 ms");
    assert_cause(toml, &["down-4"], (Cause::RoundTripTime, None), instead);
}

/// Datagrams of 20 Mb/s to a station of an 802.11b cell fill the queue of the access point. What few ACKs of
/// uploads get through opens the window of some, and others wait for timeouts (Gong et al. 2006, section
/// II); which ones is chance.
#[test]
fn acks_of_uploads_are_dropped_at_the_access_point() {
    let toml = r#"
        duration = "20 s"
        [[station]]
        count = 3
        flows = [{ direction = "up", window = 200, tcp = "ns2" }]
        [[station]]
        flows = [{ direction = "down", transport = "udp", rate = "20 Mbps" }]
    "#;
    let found = diagnoses(&simulate(toml, &[]));
    let (takers, starving): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|of| of.fault == Fault::TakesAirtime);
    assert!(!starving.is_empty());
    for diagnosis in starving {
        assert_eq!((diagnosis.cause, diagnosis.place), (Cause::AckLosses, Some(Place::ApQueue)));
    }
    let stations: Vec<_> = takers.iter().map(|of| of.station.as_str()).collect();
    assert_eq!(stations, ["sta-4"], "datagrams have three quarters of the airtime");
    assert_eq!(diagnoses(&simulate(toml, &[("station.1.flows.0.rate", "100 kbps")])), []);
}

#[test]
fn datagrams_are_lost() {
    let toml = r#"
        duration = "20 s"
        [[station]]
        count = 3
        flows = [{ direction = "up" }]
        [[station]]
        flows = [{ direction = "up", transport = "udp", rate = "1 Mbps" }]
        error = { kind = "independent", rate = 0.8, level = "ip" }
    "#;
    let result =
        assert_cause(toml, &["up-4"], loss(Place::Error), ("station.1.error.rate", "1e-9"));
    let flow = &result.flows[3];
    let share = 100.0 * flow.data_losses.error as f64 / flow.segments_sent as f64;
    let said = format!("UDP does not repeat what is lost: {share:.0}% of its data was lost");
    assert!(explain(&result)[0].text.starts_with(&said));
}

#[test]
fn tfrc_follows_its_losses() {
    let toml = r#"
        duration = "60 s"
        [[station]]
        count = 2
        flows = [{ direction = "up", transport = "tfrc" }]
        [[station]]
        flows = [{ direction = "up", transport = "tfrc" }]
        error = { kind = "independent", rate = 0.2, level = "ip", direction = "up" }
    "#;
    assert_cause(toml, &["up-3"], loss(Place::Error), ("station.1.error.rate", "1e-9"));
}

/// The fault of the only flow that has one, as [`assert_cause`] with this one flow.
fn assert_fault(
    toml: &str,
    fault: Fault,
    cause: (Cause, Option<Place>),
    instead: (&str, &str),
) -> Diagnosis {
    let result = assert_cause(toml, &["down-1"], cause, instead);
    let [found] = explain(&result).try_into().expect("one flow");
    assert_eq!(found.fault, fault);
    found
}

const ERRORS: &str =
    r#"error = { kind = "independent", rate = 0.3, level = "ip", direction = "down" }"#;

/// Three of ten packets of pages of 560 KB are lost. Without losses a page takes a second.
#[test]
fn pages_are_slow_because_of_losses() {
    let toml = format!(
        r#"
        duration = "120 s"
        [[station]]
        flows = [{{ direction = "down", application = {{ kind = "page", think = "1 s", objects = 30 }} }}]
        {ERRORS}
        "#
    );
    let cause = (Cause::TransferLosses, Some(Place::Error));
    assert_fault(&toml, Fault::SlowPages, cause, ("station.0.error.rate", "1e-9"));
}

/// Pages wait behind 600 packets of a download; with FQ-CoDel they have a queue of their own.
#[test]
fn pages_are_slow_behind_a_download() {
    let toml = r#"
        duration = "120 s"
        warmup = "10 s"
        cell = { queue = { kind = "droptail", limit = 1000 } }
        [[station]]
        flows = [{ direction = "down", application = { kind = "page", think = "1 s" } }]
        [[station]]
        flows = [{ direction = "down", window = 600 }]
    "#;
    let cause = (Cause::TransferQueues, None);
    let found = assert_fault(toml, Fault::SlowPages, cause, ("cell.queue", "fq-codel"));
    assert!(found.text.contains("until its first byte"), "{}", found.text);
}

/// 8 Mb/s of transfers in a cell that carries less, two of them at the same time.
#[test]
fn transfers_are_refused_by_the_limit() {
    let toml = r#"
        duration = "30 s"
        [[station]]
        flows = [{ direction = "down", application = { kind = "arrivals", gap = { mean = "0.1 s" }, size = "100 KB", concurrent = 2, beyond = "drop" } }]
    "#;
    let cause = (Cause::TransferLimit, None);
    let instead = ("station.0.flows.0.application.gap.mean", "10 s");
    assert_fault(toml, Fault::SlowTransfers, cause, instead);
}

#[test]
fn a_picture_freezes_because_of_losses() {
    let toml = format!(
        r#"
        duration = "30 s"
        [[station]]
        flows = [{{ direction = "down", transport = "udp", application = "video-call", rate = "500 kbps" }}]
        {ERRORS}
        "#
    );
    let cause = (Cause::FrameLosses, Some(Place::Error));
    assert_fault(&toml, Fault::Freezes, cause, ("station.0.error.rate", "1e-9"));
}

/// A video of 2 Mb/s over a link of 1 Mb/s with room for all packets, and over one of 100 Mb/s.
#[test]
fn a_stream_stalls_behind_a_slow_link() {
    let toml = r#"
        duration = "60 s"
        wired = { rate = "1 Mbps", delay = "10 ms" }
        [[station]]
        flows = [{ direction = "down", application = { kind = "stream", rates = ["2 Mbps"] } }]
    "#;
    let found = assert_fault(
        toml,
        Fault::Stalls,
        (Cause::TransferRounds, None),
        ("wired.rate", "100 Mbps"),
    );
    assert!(found.text.contains("the lowest rate of the video is 2.0: "), "{}", found.text);
}

/// Means over runs: the text of a set of runs with equal members is that of each.
#[test]
fn runs_are_explained_together() {
    let result = simulate(GONG, &[("duration", "30 s")]);
    let text = serde_json::to_string(&result).unwrap();
    let set = explain_json(&format!("{{\"summary\": {{}}, \"runs\": [{text}, {text}]}}")).unwrap();
    let one = explain(&result);
    assert_eq!(set.len(), one.len());
    for (both, one) in set.iter().zip(&one) {
        assert_eq!((both.runs, both.faulty_runs), (2, 2));
        assert_eq!(*both, Diagnosis { runs: 2, faulty_runs: 2, ..one.clone() });
    }
}

#[test]
fn a_text_that_is_no_result_is_refused() {
    for text in ["", "[]", "{}", r#"{"runs": [{}]}"#] {
        let error = explain_json(text).unwrap_err().to_string();
        assert!(error.starts_with("not the document of a result: "), "{error}");
    }
}
