//! Transfers that come by themselves: how long they take, by hand and by queueing theory, and that none is lost.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::{FlowResult, SessionResult};

use crate::between_hosts::{between_hosts, result};

/// Transfers every 2 s, over a link with room for all packets.
const TRANSFERS: &str = r#"
    initial_window = 10
    window = 100
    application = { kind = "arrivals", gap = "2 s", request = 200, size = "14600 B", arrivals = 20 }
"#;
const LONG: [&str; 3] =
    ["duration=100 s", "station.0.flows.0.start=99 s", "wired.link.0.queue={limit='unlimited'}"];

fn wired(overrides: &[&str]) -> FlowResult {
    result(&between_hosts(TRANSFERS), &[&LONG[..], overrides].concat(), 1).wired.flows[0].clone()
}

/// SYN 10.040, its answer 20.080, the request of 240 bytes 30.320; ten segments of 1.5 ms at once: 30.32 + 15 + 10.
#[test]
fn a_lone_transfer_takes_what_is_computed_by_hand() {
    let flow = wired(&[]);
    let completion = flow.completion_s.unwrap().unwrap();
    assert_eq!((completion.all.n, completion.all.times.max), (20, 0.05532));
    assert!((completion.all.times.mean - 0.05532).abs() < 1e-12);
    assert!((completion.all.geometric_mean - 0.05532).abs() < 1e-12);
    assert!(flow.page_load_s.is_none());
}

/// In an empty network each transfer is alone, whatever its size.
#[test]
fn the_slowdown_in_an_empty_network_is_1() {
    let sizes = "wired.flow.0.application.size={distribution='pareto',mean='30 KB'}";
    for opener in ["receiver", "sender"] {
        let opened_by = format!("wired.flow.0.application.opened_by={opener}");
        let flow = wired(&[sizes, &opened_by, "wired.flow.0.tcp=linux"]);
        let completion = flow.completion_s.unwrap().unwrap();
        assert_eq!(completion.all.n, 20);
        assert!(completion.by_size.len() >= 2, "{completion:?}");
        assert_eq!(completion.all.slowdown, Some(1.0));
        assert!(completion.by_size.iter().all(|class| class.times.slowdown == Some(1.0)));
    }
}

/// By hand: one that comes 10 ms after another of the same size, when only one may be under way, waits until the
/// sender of the first knows that all has arrived, 65.36 after its arrival, and then takes 55.32: 110.68 in all.
#[test]
fn beyond_the_limit_transfers_wait_or_are_dropped() {
    let gaps = "wired.flow.0.application.gap={distribution='trace',values=['2 s','10 ms']}";
    let one = "wired.flow.0.application.concurrent=1";
    let flow = wired(&[gaps, one]);
    let completion = flow.completion_s.unwrap().unwrap();
    let arrivals = flow.arrivals.unwrap();
    assert_eq!((arrivals.arrived, arrivals.finished, arrivals.dropped), (20, 20, 0));
    assert_eq!(completion.all.times.max, 0.11068);
    assert!((completion.all.slowdown.unwrap() - (1.0 + 110.68 / 55.32) / 2.0).abs() < 1e-9);
    let flow = wired(&[gaps, one, "wired.flow.0.application.beyond=drop"]);
    let arrivals = flow.arrivals.unwrap();
    assert_eq!((arrivals.arrived, arrivals.finished, arrivals.dropped), (20, 10, 10));
    assert_eq!(flow.completion_s.unwrap().unwrap().all.times.max, 0.05532);
}

/// A trace of the same: the second of two that come 10 ms apart waits as above. With `repeat` all come again.
#[test]
fn rows_of_a_trace_are_transfers() {
    let of = |more: &str| {
        let rows = "[[0.5, 14600], [1.5, 14600], [1.51, '14600 B', 'up'], [2, 1, 'down']]";
        let application = format!(
            "wired.flow.0.application={{kind='trace',sent_as='transfers',packets={rows},concurrent=1,\
             request=200{more}}}"
        );
        wired(&[&application, "wired.flow.0.start=0"])
    };
    let flow = of("");
    let completion = flow.completion_s.unwrap().unwrap();
    assert_eq!(
        (flow.application, completion.all.n, completion.all.times.max),
        ("trace", 3, 0.11068)
    );
    assert!((completion.all.times.mean - (2.0 * 0.05532 + 0.11068) / 3.0).abs() < 1e-12);
    assert!((completion.all.slowdown.unwrap() - (2.0 + 110.68 / 55.32) / 3.0).abs() < 1e-9);
    let arrivals = of(",times='as-given',repeat='10 s'").arrivals.unwrap();
    assert_eq!((arrivals.arrived, arrivals.finished, arrivals.dropped), (30, 30, 0));
    let dropped = of(",beyond='drop'").arrivals.unwrap();
    assert_eq!((dropped.arrived, dropped.finished, dropped.dropped), (3, 2, 1));
}

/// With m the mean and s the standard deviation of the logarithm, mu = ln m - s^2 / 2. Then the mean is exp(mu + s^2 / 2)
/// and the variance (exp(s^2) - 1) exp(2 mu + s^2); with w = exp(s^2) the fourth central moment is the variance squared
/// times w^4 + 2 w^3 + 3 w^2 - 3. The moments of n sizes are within 3.3 standard errors (99.9 %): of the mean the root of
/// variance / n, of the variance the root of (fourth moment - variance^2) / n. Sizes are whole bytes, which adds 1/12 to the
/// variance.
#[test]
fn sizes_have_the_moments_of_a_lognormal() {
    let (mean, s, n) = (2000.0, 0.5, 20_000.0_f64);
    let mu = libm::log(mean) - s * s / 2.0;
    let overrides = [
        "wired.link.0.delay=0 s",
        "wired.link.0.rate=100 Mbps",
        "wired.flow.0.application.gap=4 ms",
        "wired.flow.0.application.arrivals=20000",
        "wired.flow.0.application.size={distribution='lognormal',mean='2000 B',sigma=0.5}",
    ];
    let run = result(&between_hosts(TRANSFERS), &[&LONG[..], &overrides].concat(), 1);
    let sessions = run.sessions.unwrap();
    let own = sessions.iter().filter(|session: &&SessionResult| session.flow == "wired-1");
    let sizes: Vec<f64> = own.map(|session| session.bytes as f64).collect();
    assert_eq!(sizes.len() as f64, n);
    let expected = libm::exp(mu + s * s / 2.0);
    let w = libm::exp(s * s);
    let variance = (w - 1.0) * libm::exp(2.0 * mu + s * s);
    let fourth = variance * variance * (w.powi(4) + 2.0 * w.powi(3) + 3.0 * w * w - 3.0);
    let found = sizes.iter().sum::<f64>() / n;
    let spread = sizes.iter().map(|size| (size - found).powi(2)).sum::<f64>() / (n - 1.0);
    assert!((found - expected).abs() < 3.3 * (variance / n).sqrt(), "{found}, {expected}");
    let error = ((fourth - variance * variance) / n).sqrt();
    assert!((spread - variance).abs() < 3.3 * error + 1.0 / 12.0, "{spread}, {variance}");
}

/// An M/G/1 queue with processor sharing: the mean slowdown is 1 / (1 - load), whatever the sizes (Kleinrock, Queueing
/// Systems II, section 4.4). A FIFO serves TCP flows like processor sharing if each has as much in it as any other:
/// here 4 segments, the receiver's window, with an ACK for each and without losses. Their transmission, 2.4 ms, is long
/// against the round-trip time of 0.1 ms, so that a flow alone uses the whole link; and transfers of about 125 segments
/// are long against 4, so that the handshake, which waits for what is queued, matters little.
#[test]
fn the_slowdown_over_a_fifo_is_that_of_processor_sharing() {
    for load in [0.1, 0.3, 0.5, 0.7] {
        // 1500 bytes on the link for 1460; 125 segments on average.
        let gap = 125.0 * 1500.0 * 8.0 / 20e6 / load;
        let completion = wired(&[
            "duration=10000 s",
            "station.0.flows.0.start=9999 s",
            "wired.link.0.rate=20 Mbps",
            "wired.link.0.delay=50 us",
            "wired.flow.0.window=4",
            "wired.flow.0.initial_window=4",
            "wired.flow.0.application.arrivals=8000",
            "wired.flow.0.application.request=0",
            &format!("wired.flow.0.application.gap={{distribution='exponential',mean={gap}}}"),
            "wired.flow.0.application.size={distribution='lognormal',mean='182500 B',sigma=0.5}",
        ])
        .completion_s
        .unwrap()
        .unwrap();
        assert_eq!(completion.all.n, 8000);
        let (slowdown, theory) = (completion.all.slowdown.unwrap(), 1.0 / (1.0 - load));
        assert!((slowdown / theory - 1.0).abs() < 0.1, "load {load}: {slowdown}, {theory}");
    }
}

/// A cell with losses in which transfers come up and down faster than it can carry them.
const CELL: &str = r#"
    duration = "10 s"
    [cell]
    queue = { limit = 20 }
    [[station]]
    error = { kind = "independent", rate = 0.02 }
    flows = [
        { direction = "down", start = 0, application = { kind = "arrivals", gap = "10 ms", concurrent = 5 } },
        { direction = "up", start = 0, application = { kind = "arrivals", gap = "10 ms", concurrent = 5, beyond = "drop", opened_by = "sender" } },
    ]
"#;

/// Each 10 ms one comes, the first after 10 ms: 999 before the end. Each is over, dropped, waiting or under way.
#[test]
fn every_arrival_is_accounted_for() {
    let result = result(CELL, &[], 1);
    for (flow, drops) in result.flows.iter().zip([false, true]) {
        let all = flow.arrivals.unwrap();
        assert_eq!(all.arrived, 999, "{}", flow.id);
        assert_eq!(all.finished + all.dropped + all.waiting + all.under_way, 999, "{all:?}");
        assert_eq!((all.dropped > 0, all.waiting > 0), (drops, !drops), "{all:?}");
        assert_eq!(all.under_way, 5);
        let own = result.sessions.as_ref().unwrap().iter().filter(|one| one.flow == flow.id);
        assert_eq!(own.clone().count() as u64, all.finished);
        // The goodput is that of what is over and of a part of what is under way.
        let over: u64 = own.map(|one| one.bytes).sum();
        let delivered = flow.goodput_bps * 10.0 / 8.0;
        assert!(delivered + 0.5 >= over as f64, "{delivered} of {over}");
    }
    assert_eq!(result.flows.len(), 2, "a row for each flow of the scenario");
}

/// If no more come, all bytes arrive, once.
#[test]
fn all_bytes_arrive_in_the_end() {
    let finite = [
        "duration=1000 s",
        "station.0.flows.0.application.arrivals=100",
        "station.0.flows.1.application.arrivals=100",
    ];
    let result = result(CELL, &finite, 1);
    assert!(result.duration_s < 1000.0, "the run is over with the last transfer");
    for flow in &result.flows {
        let all = flow.arrivals.unwrap();
        assert_eq!((all.arrived, all.waiting, all.under_way), (100, 0, 0));
        let own = result.sessions.as_ref().unwrap().iter().filter(|one| one.flow == flow.id);
        let bytes: u64 = own.map(|one| one.bytes).sum();
        let delivered = flow.goodput_bps * result.duration_s / 8.0;
        assert!((delivered - bytes as f64).abs() < 1.0, "{}: {delivered} of {bytes}", flow.id);
    }
}

/// When transfers come and how large they are depends neither on how many may be under way nor on other flows, and
/// differs between flows.
#[test]
fn random_streams_are_independent() {
    let exponential = [
        "duration=3 s",
        "station.0.flows.0.application.gap={distribution='exponential',mean='20 ms'}",
        "station.0.flows.1.application.gap={distribution='exponential',mean='20 ms'}",
        "station.0.flows.0.application.arrivals=50",
        "station.0.flows.1.application.arrivals=50",
        "duration=500 s",
    ];
    let come = |more: &[&str]| {
        let result = result(CELL, &[&exponential[..], more].concat(), 1);
        let of = |flow: &str| -> Vec<(u64, u64)> {
            let own = result.sessions.iter().flatten().filter(|one| one.flow == flow);
            own.map(|one| ((one.start_s * 1e9).round() as u64, one.bytes)).collect()
        };
        [of("down-1"), of("up-1")]
    };
    let [down, up] = come(&["station.0.flows.1.application.beyond=wait"]);
    assert_eq!((down.len(), up.len()), (50, 50));
    assert_ne!(down, up);
    let more = [
        "station.0.flows.0.application.concurrent=40",
        "station.0.flows.1.application.beyond=wait",
        "station.0.flows.1.application.size={distribution='lognormal',mean='20 KB'}",
    ];
    let [same, other] = come(&more);
    assert_eq!(same, down);
    let times = |all: &[(u64, u64)]| all.iter().map(|(at, _)| *at).collect::<Vec<_>>();
    assert_eq!(times(&other), times(&up));
    assert_ne!(other, up);
}
