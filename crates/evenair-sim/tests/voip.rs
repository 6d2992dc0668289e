//! Calls: what their users hear where the path determines it.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{CallResult, FlowResult, Quality, RunOptions, RunResult, run};

fn result(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test.toml").unwrap();
    let scenario = resolve(document, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

fn call(flow: &FlowResult) -> &CallResult {
    match flow.quality.as_ref().unwrap() {
        Quality::Call(call) => call,
        other => panic!("{other:?}"),
    }
}

/// A call from a to b, over a link that it has to itself, with these keys, and with errors of that link.
fn between_hosts(keys: &str, error: &str) -> RunResult {
    result(&format!(
        r#"
        duration = "100 s"
        warmup = "1 s"
        [wired]
        link = [
            {{ between = ["a", "ap"], rate = "10 Mbps", delay = "10 ms"{error} }},
            {{ between = ["b", "ap"], rate = "unlimited", delay = 0 }},
        ]
        flow = [{{ from = "a", to = "b", transport = "udp", {keys} }}]
        [[station]]
        flows = [{{ direction = "up", host = "b" }}]
        "#
    ))
}

fn is_near(value: Option<f64>, expected: f64) -> bool {
    (value.unwrap() - expected).abs() < 1e-5
}

/// Datagrams of 160 + 40 bytes cross 10 Mb/s in 0.16 ms, and 10 ms: with 20 ms of speech and 60 ms in the playout
/// buffer 90.16 ms. R and MOS of that delay are calculated from the equations of G.107 apart from evenair.
#[test]
fn a_call_over_an_unshared_link() {
    let result = between_hosts(r#"application = "voip""#, "");
    let flow = &result.wired.flows[0];
    let heard = call(flow);
    assert!((heard.mouth_to_ear_s.unwrap() - 0.090_16).abs() < 1e-9, "{heard:?}");
    assert!(is_near(heard.r_factor, 90.866_818), "{heard:?}");
    assert!(is_near(heard.mos, 4.359_654), "{heard:?}");
    let none = (heard.loss_ratio, heard.late_ratio, heard.burst_ratio, heard.jitter_s);
    assert_eq!(none, (Some(0.0), Some(0.0), Some(1.0), Some(0.0)));
    assert_eq!((flow.segments_sent, flow.goodput_bps), (5000, 64_000.0));
}

/// Opus: 80 bytes, so that they cross 10 Mb/s in 0.096 ms, and 6.5 ms of look-ahead. With a playout buffer of 20 ms it
/// is 56.596 ms.
#[test]
fn another_codec_and_playout_buffer() {
    let application = r#"application = { kind = "voip", codec = "opus", buffer = "20 ms" }"#;
    let result = between_hosts(application, "");
    let heard = call(&result.wired.flows[0]);
    assert!((heard.mouth_to_ear_s.unwrap() - 0.056_596).abs() < 1e-9, "{heard:?}");
    assert_eq!(result.wired.flows[0].goodput_bps, 32_000.0);
}

/// What is lost is what the link has lost, but for what is under way when measuring begins or ends: Ie,eff = 95 P / (P
/// / BurstR + 25.1).
#[test]
fn losses_of_a_call() {
    let result = between_hosts(
        r#"application = "voip""#,
        r#", error = { kind = "independent", rate = 0.05 }"#,
    );
    let flow = &result.wired.flows[0];
    let heard = call(flow);
    let (loss, lost) = (heard.loss_ratio.unwrap(), flow.data_losses.error as f64);
    assert!(lost > 150.0 && (5000.0 * loss - lost).abs() <= 10.0, "{loss}, {lost}");
    let burst_ratio = heard.burst_ratio.unwrap();
    assert!((1.0..1.2).contains(&burst_ratio), "{burst_ratio}");
    let effective = 95.0 * 100.0 * loss / (100.0 * loss / burst_ratio + 25.1);
    assert!(is_near(heard.r_factor, 90.866_818 - effective), "{heard:?}");
}

/// The direction is both unless the scenario has one; each has its name, and the keys of the one table.
#[test]
fn a_call_has_two_directions() {
    let cell = r#"duration = "5 s"
        [[station]]
        count = 2
        flows = [{ name = "call", transport = "udp", application = "voip" }, { direction = "down" }]"#;
    let flows = result(cell).flows;
    let ids: Vec<_> = flows.iter().map(|flow| flow.id.as_str()).collect();
    assert_eq!(ids, ["up-1", "down-1", "down-2", "up-2", "down-3", "down-4"]);
    let names: Vec<_> = flows.iter().filter_map(|flow| flow.name.as_deref()).collect();
    assert_eq!(names, ["call-up-1", "call-down-1", "call-up-2", "call-down-2"]);
    for flow in flows.iter().filter(|flow| flow.application == "voip") {
        assert!(call(flow).mos.is_some(), "{flow:?}");
    }
    let down = cell.replace("transport = \"udp\",", "transport = \"udp\", direction = \"down\",");
    let ids: Vec<_> = result(&down).flows.into_iter().map(|flow| flow.id).collect();
    assert_eq!(ids, ["down-1", "down-2", "down-3", "down-4"]);
}

/// A call whose receiver holds datagrams for 1 ms only misses some beside a download, and one with 200 ms hardly any;
/// losses and late ones make its MOS worse than its delay alone would.
#[test]
fn a_short_playout_buffer_misses_late_datagrams() {
    let late = |buffer: &str| {
        let flows = result(&format!(
            r#"duration = "20 s"
            [cell]
            phy = "802.11g"
            [[station]]
            flows = [{{ transport = "udp", application = {{ kind = "voip", buffer = "{buffer}" }} }}]
            [[station]]
            flows = [{{ direction = "down", start = "1 s" }}]"#
        ))
        .flows;
        let down = flows.iter().find(|flow| flow.id == "down-1").unwrap();
        call(down).late_ratio.unwrap()
    };
    let [short, long] = ["1 ms", "1 s"].map(late);
    assert!(short > 0.5 && long == 0.0, "{short} {long}");
}
