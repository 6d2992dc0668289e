//! Rate limiters at the gateway: what arrives is conserved, rates follow from rounds as the core's rules
//! have it, and the throughputs of rounds are those of the flows.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_core::control::limiter::{
    AdaptiveConfig, AdaptiveRateLimiter, Config, Round, Throughput, Udp,
};
use evenair_core::units::Rate;
use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{FlowResult, LimiterSample, RunOptions, RunResult, run};

const TCP: &str = r#"
duration = "30 s"
[trace]
interval = "1 s"
[[station]]
count = 3
flows = [{ direction = "up", window = 44 }, { direction = "down", window = 44 }]
"#;

/// IP packets of 1500 bytes; nothing is under way at the end.
const UDP: &str = r#"
duration = "10 s"
[trace]
interval = "1 s"
[[station]]
flows = [
    { direction = "up", transport = "udp", segment = 1472, header = 28, rate = "3 Mbps", stop = "8 s" },
    { direction = "down", transport = "udp", segment = 1472, header = 28, rate = "1 Mbps", stop = "8 s" },
]
"#;
const UDP_PACKET: u64 = 1500;

fn simulate(text: &str, settings: &[(&str, &str)]) -> RunResult {
    let mut document = document_from_toml(text.as_bytes(), "test").unwrap();
    for (key, value) in settings {
        set(&mut document, key, value, "test").unwrap();
    }
    run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap()
}

fn limited(text: &str, limiter: &str) -> RunResult {
    simulate(text, &[("gateway.limiter", limiter)])
}

/// Datagrams that have arrived.
fn delivered(flow: &FlowResult, duration_s: f64) -> u64 {
    (flow.goodput_bps * duration_s / 8.0 / 1472.0).round() as u64
}

fn samples(result: &RunResult) -> &[LimiterSample] {
    &result.series.as_ref().unwrap().limiter
}

/// Bytes from throughputs of rounds of a second, each rounded down to bit/s.
fn bytes(result: &RunResult, bps: fn(&LimiterSample) -> u64) -> f64 {
    samples(result).iter().map(|sample| (bps(sample) as f64 + 0.5) / 8.0).sum()
}

/// A full bucket and 8 s at the rate pass, less what does not fill a packet.
#[test]
fn a_fixed_limiter_passes_bucket_and_rate() {
    let result = limited(UDP, r#"{ kind = "fixed", rate = "1 Mbps", bucket = "300 KB" }"#);
    let [up, down] = &result.flows[..] else { panic!("two flows") };
    let passed = UDP_PACKET * delivered(up, 10.0);
    let yielded = 300_000 + 125_000 * 8;
    assert!(passed <= yielded && yielded - passed < 2 * UDP_PACKET, "{passed} of {yielded}");
    assert_eq!(down.policer_drops, Some(0));
    let limiter = result.limiter.as_ref().unwrap();
    assert_eq!(limiter.mean_rate_bps, 1e6);
    assert_eq!((limiter.rounds, limiter.lossy_rounds), (0, 0));
    assert!(samples(&result).is_empty());
}

#[test]
fn what_is_sent_arrives_or_is_dropped_somewhere() {
    for limiter in [
        r#"{ kind = "fixed", rate = "1 Mbps", bucket = "10 KB" }"#,
        r#"{ kind = "adaptive", max_rate = "2 Mbps", bucket = "10 KB", interval = "0.3 s" }"#,
        r#"{ kind = "adaptive", max_rate = "2 Mbps", bucket = "10 KB", udp = "reserved" }"#,
    ] {
        let result = limited(UDP, limiter);
        let [up, down] = &result.flows[..] else { panic!("two flows") };
        let station = &result.stations[0];
        let (dropped, drops) = (up.policer_drops.unwrap(), station.queue_drops);
        assert!(dropped > 0, "{limiter}");
        assert_eq!(
            up.segments_sent,
            delivered(up, 10.0) + dropped + drops + station.frames_dropped,
            "{limiter}"
        );
        assert_eq!(down.segments_sent, delivered(down, 10.0), "{limiter}");
        let total = result.limiter.as_ref().unwrap();
        assert_eq!((total.packets_dropped, total.bytes_dropped), (dropped, UDP_PACKET * dropped));
        assert_eq!(result.losses.policer, Some(dropped));
        assert_eq!(result.losses.congestion, 0);
    }
}

/// Data of uploads and acknowledgements of downloads are counted alike, flow by flow.
#[test]
fn drops_of_acknowledgements_count() {
    let result = limited(TCP, r#"{ kind = "fixed", rate = "50 kbps", bucket = "1500 B" }"#);
    let drops: Vec<u64> = result.flows.iter().map(|flow| flow.policer_drops.unwrap()).collect();
    assert!(drops.iter().all(|&drops| drops > 0), "{drops:?}");
    assert_eq!(drops.iter().sum::<u64>(), result.limiter.as_ref().unwrap().packets_dropped);
}

/// The rules of the core, called with the rounds of the result, give its rates to the bit/s.
#[test]
fn the_rates_are_those_of_the_rounds() {
    for keys in ["", r#", udp = "estimated""#, r#", step = 77777, interval = "0.37 s""#] {
        let limiter = format!("{{ kind = \"adaptive\"{keys} }}");
        let mut text = TCP.to_owned();
        text +=
            "[[station]]\nflows = [{ direction = \"up\", transport = \"udp\", rate = \"1 Mbps\" }]";
        let result = limited(&text, &limiter);
        let Config::Adaptive(config) = &result.scenario.gateway.limiter else { panic!("adaptive") };
        let mut rules = AdaptiveRateLimiter::new(config);
        let mut mean = 0.0;
        for sample in samples(&result) {
            mean += rules.decision().rate.as_bps() as f64;
            let throughput =
                |total, udp| Throughput { total: Rate::from_bps(total), udp: Rate::from_bps(udp) };
            let up = throughput(sample.up_bps, sample.up_udp_bps);
            let down = throughput(sample.down_bps, sample.down_udp_bps);
            let decision = rules.round(&Round { up, down, lost: sample.lost });
            assert_eq!(sample.rate_bps, decision.rate.as_bps());
            assert_eq!(sample.capacity_bps, decision.capacity.map(Rate::as_bps));
            assert_eq!(sample.udp_rate_bps, decision.udp_rate.map(Rate::as_bps));
        }
        let total = result.limiter.as_ref().unwrap();
        let lossy = samples(&result).iter().filter(|sample| sample.lost).count() as u64;
        assert_eq!((total.rounds, total.lossy_rounds), (samples(&result).len() as u64, lossy));
        assert!(lossy > 0 && lossy < total.rounds, "{lossy} of {} rounds", total.rounds);
        if config.interval.as_secs_f64() == 1.0 {
            assert_eq!(total.rounds, 30);
            assert!((total.mean_rate_bps - mean / 30.0).abs() < 1.0, "{}", total.mean_rate_bps);
        }
    }
}

/// Throughputs of rounds add up to what the flows have sent: up with or without what the policer has
/// dropped. By hand: 3 Mb/s of payload are 3 * 1500 / 1472 Mb/s over the air, and an empty bucket passes
/// 1 Mb/s; a round has a packet more or less.
#[test]
fn rounds_count_what_crosses_the_air_or_what_passes() {
    let air = 3e6 * 1500.0 / 1472.0;
    for (key, has_dropped, bps) in [
        ("", true, air),
        (r#", uplink_count = "air""#, true, air),
        (r#", uplink_count = "passed""#, false, 1e6),
    ] {
        let limiter =
            format!(r#"{{ kind = "adaptive", max_rate = "1 Mbps", bucket = "10 KB"{key} }}"#);
        let result = limited(UDP, &limiter);
        let [up, down] = &result.flows[..] else { panic!("two flows") };
        let drops = up.policer_drops.unwrap();
        assert!(drops > 100, "{drops}");
        for sample in &samples(&result)[1..7] {
            assert!((sample.up_bps as f64 - bps).abs() <= 8.0 * UDP_PACKET as f64, "{key}");
        }
        let counted = UDP_PACKET * (delivered(up, 10.0) + if has_dropped { drops } else { 0 });
        let rounding = 10.0 / 16.0 + 0.5;
        for up_bps in [|s: &LimiterSample| s.up_bps, |s: &LimiterSample| s.up_udp_bps] {
            assert!((bytes(&result, up_bps) - counted as f64).abs() <= rounding, "{key}");
        }
        let delivered = (UDP_PACKET * delivered(down, 10.0)) as f64;
        for down_bps in [|s: &LimiterSample| s.down_bps, |s: &LimiterSample| s.down_udp_bps] {
            assert!((bytes(&result, down_bps) - delivered).abs() <= rounding, "{key}");
        }
    }
}

/// A counter that is refreshed at 3, 6, ... s and read 20 ms before a decision at a full second shows
/// losses to the decisions at 4, 7, ... s alone.
#[test]
fn a_polled_counter_shows_losses_late() {
    let limiter = r#"{ kind = "adaptive", loss_signal = { kind = "polled", refresh = "3 s" } }"#;
    let polled = limited(TCP, limiter);
    let lossy: Vec<f64> =
        samples(&polled).iter().filter(|sample| sample.lost).map(|sample| sample.t_s).collect();
    assert!(!lossy.is_empty() && lossy.iter().all(|t_s| t_s % 3.0 == 1.0), "{lossy:?}");
    // Read after each refresh, it shows what has happened up to then.
    let fresh = r#"{ kind = "adaptive", loss_signal = { refresh = "1 ms", kind = "polled", delay = "1 ns" } }"#;
    let rounds = limited(TCP, fresh).limiter.unwrap().lossy_rounds;
    let exact = limited(TCP, "adaptive").limiter.unwrap().lossy_rounds;
    assert!(rounds.abs_diff(exact) <= 3 && exact > 3, "{rounds} and {exact} lossy rounds");
}

/// Rounds begin at the start of the run. Those that end in the warm-up are not counted.
#[test]
fn rounds_of_the_warm_up_are_not_counted() {
    let settings = [("gateway.limiter", "adaptive"), ("duration", "10"), ("warmup", "5.5 s")];
    let result = simulate(TCP, &settings);
    let times: Vec<f64> = samples(&result).iter().map(|sample| sample.t_s).collect();
    assert_eq!(times, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]);
    let settings = [("gateway.limiter", "adaptive"), ("duration", "10"), ("warmup", "5 s")];
    let times: Vec<f64> = samples(&simulate(TCP, &settings)).iter().map(|s| s.t_s).collect();
    assert_eq!(times, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
}

#[test]
fn an_interval_beyond_the_end_makes_no_decision() {
    let result = limited(TCP, r#"{ kind = "adaptive", interval = "100 s" }"#);
    let limiter = result.limiter.unwrap();
    assert_eq!((limiter.rounds, limiter.mean_rate_bps), (0, 6e6));
}

/// A limiter that never drops changes nothing, in either medium.
#[test]
fn a_limiter_without_drops_changes_nothing() {
    for cell in ["wlan", "wimax"] {
        let with = |limiter| simulate(TCP, &[("cell.kind", cell), ("gateway.limiter", limiter)]);
        let (off, idle) =
            (with("none"), with(r#"{ kind = "fixed", rate = "1 Gbps", bucket = "1 GB" }"#));
        assert_eq!(off.fingerprint, idle.fingerprint, "{cell}");
        assert_eq!(idle.limiter.as_ref().unwrap().packets_dropped, 0, "{cell}");
        assert!(off.limiter.is_none() && off.losses.policer.is_none(), "{cell}");
        assert!(off.flows.iter().all(|flow| flow.policer_drops.is_none()), "{cell}");
        let low = with(r#"{ kind = "adaptive", max_rate = "0.5 Mbps", bucket = "10 KB" }"#);
        assert!(low.limiter.as_ref().unwrap().packets_dropped > 0, "{cell}");
        assert_ne!(low.fingerprint, off.fingerprint, "{cell}");
    }
}

#[test]
fn equal_seeds_give_equal_results() {
    let json = || serde_json::to_string(&limited(TCP, "adaptive")).unwrap();
    assert_eq!(json(), json());
}

/// UDP with a bucket of its own passes at its own rate: here 0.5 Mb/s and a bucket of 10 KB.
#[test]
fn reserved_udp_passes_at_its_own_rate() {
    let limiter =
        r#"{ kind = "adaptive", bucket = "10 KB", udp = "reserved", udp_rate = "0.5 Mbps" }"#;
    let result = limited(UDP, limiter);
    let Config::Adaptive(AdaptiveConfig { udp: Udp::Reserved, .. }) =
        result.scenario.gateway.limiter
    else {
        panic!("reserved")
    };
    let passed = UDP_PACKET * delivered(&result.flows[0], 10.0);
    let yielded = 10_000 + 62_500 * 8;
    assert!(passed <= yielded && yielded - passed < 2 * UDP_PACKET, "{passed} of {yielded}");
}
