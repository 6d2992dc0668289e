//! TFRC in the simulator: beside TCP, over a cell, and with its keys.

#![allow(clippy::print_stdout, reason = "the log shows the shares")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};
use rayon::prelude::*;
use serde_json::Value;

fn simulate(scenario: &str, overrides: &[(&str, &str)], seed: u64) -> RunResult {
    let mut document = document_from_toml(scenario.as_bytes(), "test").unwrap();
    for (key, value) in overrides {
        set(&mut document, key, value, "test").unwrap();
    }
    run(&resolve(document, "test").unwrap(), seed, &RunOptions::default()).unwrap()
}

/// A bottleneck of 15 Mb/s and 50 ms whose buffer is the bandwidth-delay product of the path, 125 packets.
const BOTTLENECK: &str = r#"
    warmup = 60
    duration = 600
    [wired]
    link = [
        { between = ["source", "left"], rate = "100 Mbps", delay = 0 },
        { between = ["left", "right"], rate = "15 Mbps", delay = "50 ms", queue = { limit = 125 } },
        { between = ["right", "sink"], rate = "100 Mbps", delay = 0 },
        { between = ["right", "ap"] },
    ]
    [[station]]
    flows = [{ direction = "down", transport = "udp", rate = "1 kbps", host = "source" }]
    [trace]
    interval = "1 s"
"#;

/// The coefficient of variation of a flow's rate in the intervals of the trace.
fn variation(result: &RunResult, flow: &str) -> f64 {
    let series = result.series.as_ref().unwrap();
    let rates = series.flows[flow]["goodput_bps"].as_array().unwrap();
    let rates: Vec<f64> = rates.iter().map(|rate| rate.as_f64().unwrap()).collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let squares = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>();
    (squares / rates.len() as f64).sqrt() / mean
}

/// So many NewReno flows and as many TFRC flows share the bottleneck. For five seeds, which set when flows
/// start: the share of TFRC, and the mean coefficients of variation of TFRC and of NewReno.
fn beside_newreno(flows: usize) -> Vec<(f64, f64, f64)> {
    let one = |seed: u64| {
        let flow = |index: usize| {
            let transport = if index < flows { "newreno" } else { "tfrc" };
            let start = 0.1 + 0.37 * index as f64 + 0.53 * seed as f64 * (index % 3) as f64;
            format!(
                "{{ from = 'source', to = 'sink', transport = '{transport}', start = {start} }}"
            )
        };
        let all: Vec<String> = (0..2 * flows).map(flow).collect();
        let result = simulate(BOTTLENECK, &[("wired.flow", &format!("[{}]", all.join(",")))], seed);
        let rates = result.wired.flows.iter().map(|flow| flow.goodput_bps);
        let (newreno, tfrc) =
            (rates.clone().take(flows).sum::<f64>(), rates.skip(flows).sum::<f64>());
        // What is left of 15 Mb/s without headers.
        assert!(newreno + tfrc > 0.96 * 15e6, "the bottleneck is not full");
        let mean = |first: usize| {
            let each =
                (first..first + flows).map(|i| variation(&result, &format!("wired-{}", i + 1)));
            each.sum::<f64>() / flows as f64
        };
        (tfrc / (tfrc + newreno), mean(flows), mean(0))
    };
    let results: Vec<_> = (1..=5).into_par_iter().map(one).collect();
    for (share, tfrc, newreno) in &results {
        println!(
            "{flows} + {flows}: share {share:.3}, variation {tfrc:.3}, NewReno's {newreno:.3}"
        );
    }
    results
}

/// Two flows that fill a link have rates of a constant sum, so that their variation says nothing beyond
/// their shares.
#[test]
fn shares_a_bottleneck_with_newreno() {
    for (share, ..) in beside_newreno(1) {
        assert!((0.4..=0.6).contains(&share), "{share}");
    }
}

#[test]
fn varies_less_than_newreno() {
    for (share, tfrc, newreno) in beside_newreno(4) {
        assert!((0.4..=0.6).contains(&share), "{share}");
        assert!(tfrc < newreno, "{tfrc} {newreno}");
    }
}

const CELL: &str = r#"
    duration = 20
    [cell]
    phy = "802.11a"
    [wired]
    delay = "50 ms"
    [[station]]
    flows = [{ direction = "down", transport = "tfrc" }, { direction = "up", transport = "tfrc" }]
    [trace]
    interval = "1 s"
"#;

/// Packets of 1500 bytes, reports of 56, and what a result says of them.
#[test]
fn runs_over_a_cell_in_both_directions() {
    let result = simulate(CELL, &[], 1);
    let written = serde_json::to_value(&result).unwrap();
    for flow in written["flows"].as_array().unwrap() {
        assert!(flow["goodput_bps"].as_f64().unwrap() > 1e6, "{flow}");
        assert!(flow["packets_lost"].as_u64().unwrap() > 0, "{flow}");
        assert!(flow["mean_rtt_s"].as_f64().unwrap() > 0.1, "{flow}");
        assert!((0.0..0.1).contains(&flow["loss_event_rate"].as_f64().unwrap()), "{flow}");
        assert!(flow.get("limited_by").is_none());
        let scenario = &written["scenario"]["station"][0]["flows"][0];
        assert_eq!((&scenario["segment"], &scenario["header"]), (&1448.into(), &52.into()));
        let series = &written["series"]["flows"][flow["id"].as_str().unwrap()];
        let rates = series["allowed_rate_bps"].as_array().unwrap();
        assert_eq!(rates.len(), 20);
        assert!(rates.iter().all(|rate| rate.as_f64().unwrap() > 0.0));
        assert!(series.get("cwnd").is_none());
    }
    let udp = simulate(
        CELL,
        &[("station.0.flows.0.transport", "udp"), ("station.0.flows.0.rate", "1 Mbps")],
        1,
    );
    assert_eq!(serde_json::to_value(&udp).unwrap()["flows"][0].get("loss_event_rate"), None);
}

/// A flow that stops sends nothing more.
#[test]
fn stops_when_it_is_told_to() {
    let until =
        |stop: &str| simulate(CELL, &[("station.0.flows.0.stop", stop)], 1).flows[0].segments_sent;
    let (five, ten) = (until("5 s"), until("10 s"));
    assert!(five > 0 && five < ten, "{five} {ten}");
    assert!(ten < simulate(CELL, &[], 1).flows[0].segments_sent);
}

/// Without errors and with room in the queues nothing is lost: slow start ends at the rate of the link,
/// and what has been sent and not received is under way.
#[test]
fn slow_start_alone_fills_a_link() {
    let overrides = [
        ("wired.rate", "5 Mbps"),
        ("wired.queue", "{ kind = 'droptail', limit = 60000 }"),
        ("station.0.flows", "[{ direction = 'down', transport = 'tfrc' }]"),
    ];
    let result = simulate(CELL, &overrides, 1);
    let flow = &result.flows[0];
    assert_eq!(flow.loss_event_rate, Some(0.0));
    let expected = 5e6 * 1448.0 / 1500.0;
    assert!((flow.goodput_bps / expected - 1.0).abs() < 0.05, "{}", flow.goodput_bps);
}

#[test]
fn wrong_values_have_one_line() {
    for (key, value, message) in [
        ("application", "web", "got \"web\" over tfrc"),
        ("transport", "{ kind = 'tfrc', rtt_filter = 1.5 }", "accepted"),
        ("transport", "{ kind = 'tfrc', discount_threshold = 0 }", "accepted"),
        ("transport", "{ kind = 'tfrc', report_size = 20 }", "accepted"),
        ("transport", "{ kind = 'tfrc', oscillation_prevention = 'maybe' }", "\"on\""),
        ("transport", "{ kind = 'tfrc', history_discounting = 3 }", "accepted"),
        ("transport", "{ kind = 'tfrc', initial_rate = 3 }", "initial_rate"),
        ("ecn", "true", "false with transport \"tfrc\""),
        ("spm_marking", "true", "false with transport \"tfrc\""),
        ("rate", "1 Mbps", "no rate"),
    ] {
        let mut document = document_from_toml(CELL.as_bytes(), "test").unwrap();
        set(&mut document, &format!("station.0.flows.0.{key}"), value, "test").unwrap();
        let error = resolve(document, "test").unwrap_err().to_string();
        assert!(error.contains(message) && !error.contains('\n'), "{key} = {value}: {error}");
        assert!(error.contains(&format!("station.0.flows.0.{key}")), "{error}");
    }
}

/// The allowed rate follows the losses: a flow at a loss rate of 1% has the rate of the equation, within
/// what random intervals leave.
#[test]
fn the_allowed_rate_follows_the_losses() {
    let overrides = [
        ("duration", "200 s"),
        ("wired.delay", "100 ms"),
        ("station.0.error", "{ kind = 'independent', rate = 0.01, direction = 'down' }"),
        ("station.0.flows", "[{ direction = 'down', transport = 'tfrc' }]"),
    ];
    let result = simulate(CELL, &overrides, 1);
    let flow: Value = serde_json::to_value(&result.flows[0]).unwrap();
    let number = |key: &str| flow[key].as_f64().unwrap();
    // Several losses within a round-trip time are one event.
    assert!((0.006..=0.0105).contains(&number("loss_event_rate")), "{flow}");
    let (p, rtt) = (number("loss_event_rate"), number("mean_rtt_s"));
    let f = (2.0 * p / 3.0).sqrt() + 12.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
    let expected = 8.0 * 1448.0 / (rtt * f) * 0.99;
    assert!((number("goodput_bps") / expected - 1.0).abs() < 0.15, "{flow} {expected}");
}
