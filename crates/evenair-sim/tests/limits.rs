//! What limits a flow: five scenarios, each built so that one cause dominates.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{LimitedBy, RunOptions, RunResult, run};

fn result(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test.toml").unwrap();
    let scenario = resolve(document, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

/// The shares of the flow of a cell of one station, whose sum is 1.
fn shares(toml: &str, flow: &str) -> (RunResult, LimitedBy) {
    let result = result(&format!("{toml}\n[[station]]\nflows = [{flow}]"));
    let limited_by = result.flows[0].limited_by.unwrap();
    check(&limited_by);
    (result, limited_by)
}

fn check(limited_by: &LimitedBy) {
    let LimitedBy {
        receive_window, cwnd, recovery, timeout, application, small_queue, pacing, ..
    } = *limited_by;
    let probing = limited_by.bandwidth_probing.unwrap_or(0.0);
    let shares =
        [receive_window, cwnd, recovery, timeout, application, small_queue, pacing, probing];
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{limited_by:?}");
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{limited_by:?}");
}

const LONG_PATH: &str = r#"
    duration = "60 s"
    warmup = "5 s"
    cell.phy = "802.11g"
    wired.delay = "50 ms"
"#;

/// Eight segments per 100 ms fill no queue: cwnd has passed the window in the warm-up, within one
/// segment per two round-trip times.
#[test]
fn the_receive_window() {
    let flow = r#"{ direction = "down", window = 8, initial_window = 2, initial_ssthresh = 8 }"#;
    let (result, shares) = shares(LONG_PATH, flow);
    assert_eq!(result.losses.congestion, 0);
    assert!(shares.receive_window > 0.999, "{shares:?}");
}

/// cwnd grows by a segment per round-trip time of 100 ms at most from 2 on, and is below the
/// window of 1000 for the whole time. Nothing is lost.
#[test]
fn cwnd() {
    let flow = r#"{ direction = "down", window = 1000, initial_window = 2, initial_ssthresh = 2 }"#;
    let toml = LONG_PATH.replace("60 s", "20 s").replace("5 s", "0 s");
    let (result, shares) = shares(&toml, flow);
    assert_eq!((result.losses.congestion, result.losses.retry_limit), (0, 0));
    assert!(shares.cwnd > 0.999, "{shares:?}");
}

/// Nothing is lost, and the state of the flow at the end of each hundredth of a second says how often it departs from its
/// estimate. Of the eight phases of version 1 two do, which are a round-trip time long, one of them until the queue is
/// drained; once in 10 s ProbeRTT takes 0.2 s and a round-trip time.
#[test]
fn probes_of_the_bandwidth() {
    for transport in ["bbr", "bbr1"] {
        let flow = format!(r#"{{ direction = "down", transport = "{transport}", window = 3000 }}"#);
        let toml = format!(
            "{LONG_PATH}\ntrace.interval = \"10 ms\"\ncell.queue = {{ kind = \"droptail\", limit = 3000 }}"
        );
        let (result, shares) = shares(&toml, &flow);
        assert_eq!((result.losses.congestion, result.losses.retry_limit), (0, 0));
        let series = &result.series.unwrap().flows["down-1"];
        let (states, gains) = (&series["state"], &series["pacing_gain"]);
        let samples = states.as_array().unwrap().len();
        let departs = |k: usize| match transport {
            "bbr" => states[k] != "ProbeBW_CRUISE",
            _ => states[k] != "ProbeBW" || gains[k] != 1.0,
        };
        let expected = (0..samples).filter(|&k| departs(k)).count() as f64 / samples as f64;
        let probing = shares.bandwidth_probing.unwrap();
        assert!((probing - expected).abs() < 0.01, "{transport}: {shares:?}, not {expected}");
        assert!(shares.pacing > 0.5, "{transport}: {shares:?}");
        if transport == "bbr1" {
            assert!((0.2..0.35).contains(&probing), "{shares:?}");
        }
    }
}

/// Slow start fills a queue of 10 packets and overshoots by tens of segments. Without SACK each of the
/// holes takes a round-trip time of 100 ms (RFC 6582), and the timer is out of the way.
#[test]
fn recovery() {
    let flow = r#"{
        direction = "down", window = 200, initial_window = 2, initial_ssthresh = 200,
        transport = "newreno", sack = false, limited_transmit = "off", min_rto = "60 s", delayed_ack = 1
    }"#
    .replace('\n', " ");
    let toml = LONG_PATH.replace("60 s", "4 s").replace("5 s", "0 s").replace("802.11g", "802.11b");
    let toml = format!("{toml}\ncell.queue = {{ kind = \"droptail\", limit = 10 }}");
    let (result, shares) = shares(&toml, &flow);
    assert_eq!(result.flows[0].timeouts, 0);
    assert!(shares.recovery > 0.5, "{shares:?}");
}

/// Nine of ten segments are lost: hardly ever is there an ACK before the timer expires.
#[test]
fn timeouts() {
    let result = result(&format!(
        "{LONG_PATH}\n[[station]]\nerror = {{ rate = 0.9, level = \"ip\", direction = \"down\" }}\n\
         flows = [{{ direction = \"down\", window = 20 }}]"
    ));
    let shares = result.flows[0].limited_by.unwrap();
    check(&shares);
    assert!(result.flows[0].timeouts > 1, "{}", result.flows[0].timeouts);
    assert!(shares.timeout > 0.9, "{shares:?}");
}

/// A path on which nothing arrives: SYN after SYN waits for its timer, also where the end of the run or of
/// the warm-up cuts a wait.
#[test]
fn a_dead_path_waits_for_timeouts() {
    for opened_by in ["sender", "receiver"] {
        let result = result(&format!(
            "{LONG_PATH}\n[[station]]\nerror = {{ rate = 0.9999999, level = \"ip\" }}\n\
             flows = [{{ direction = \"down\", application = {{ kind = \"web\", think = \"0 s\", \
             opened_by = \"{opened_by}\" }} }}]"
        ));
        let shares = result.flows[0].limited_by.unwrap();
        check(&shares);
        assert!(shares.timeout > 0.999, "{opened_by}: {shares:?}");
        assert_eq!(result.flows[0].rtt_s, None);
        assert_eq!(result.flows[0].one_way_delay_s, None);
    }
}

/// A user who reads for 10 s between small pages. The flow is busy exactly while pages are
/// transferred: from the SYN to the last ACK.
#[test]
fn the_application() {
    for opened_by in ["sender", "receiver"] {
        let flow = format!(
            r#"{{ direction = "down", window = 20, application = {{
                kind = "web", size = "20 KB", think = "10 s", sessions = 10, opened_by = "{opened_by}"
            }} }}"#
        );
        let toml = r#"
            duration = "300 s"
        "#;
        let (result, shares) = shares(toml, &flow.replace('\n', " "));
        let sessions = result.sessions.unwrap();
        assert_eq!(sessions.len(), 10, "the run ends with the last page");
        let busy: f64 = sessions.iter().map(|session| session.end_s - session.start_s).sum();
        let idle = 1.0 - busy / result.duration_s;
        assert!((shares.application - idle).abs() < 1e-9, "{shares:?}, {idle} by sessions");
        assert!(shares.application > 0.9, "{shares:?}");
    }
}

/// The shares of every kind of flow sum to 1, with losses and queues of all kinds; UDP has none.
#[test]
fn shares_sum_to_one() {
    for recovery in
        ["", "sack = true,", "sack = true, rack = true,", "sack = true, rack = true, prr = true,"]
    {
        for transport in ["newreno", "cubic", "vegas", "westwood-plus", "bbr", "bbr1"] {
            let flow = |direction: &str| {
                format!(
                    "{{ direction = \"{direction}\", transport = \"{transport}\", {recovery} window = 50 }}"
                )
            };
            let web = r#"{ direction = "up", stop = "7 s", application = { kind = "web", think = "100 ms" } }"#;
            let udp = r#"{ direction = "up", transport = "udp", application = "cbr", rate = "500 kbps" }"#;
            let result = result(&format!(
                "duration = \"10 s\"\nwarmup = \"2 s\"\n[[station]]\ncount = 2\n\
                 error = {{ rate = 0.03, level = \"ip\" }}\n\
                 flows = [{}, {}, {web}, {udp}]",
                flow("up"),
                flow("down"),
            ));
            for flow in &result.flows {
                match &flow.limited_by {
                    Some(limited_by) => {
                        check(limited_by);
                        let probes = flow.transport.starts_with("bbr");
                        assert_eq!(limited_by.bandwidth_probing.is_some(), probes);
                    }
                    None => assert_eq!(flow.transport, "udp"),
                }
            }
            assert_eq!(result.flows.iter().filter(|flow| flow.limited_by.is_none()).count(), 2);
        }
    }
}
