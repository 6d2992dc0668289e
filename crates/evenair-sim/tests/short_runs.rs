//! Runs, and intervals of traces, that are shorter than a frame: what a result says of them is of that
//! time alone.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};
use proptest::prelude::*;

/// A busy cell whose frames last up to 12 ms.
const CELL: &str = r#"
    [cell]
    rts_threshold = 800
    [wired]
    rate = "unlimited"
    delay = 0
    [[station]]
    count = 3
    data_rate = "1 Mbps"
    error = { rate = 0.2, level = "mac" }
    flows = [{ direction = "up", start = 0 }, { direction = "down", start = 0 }]
    [[station]]
    flows = [{ direction = "down", transport = "udp", rate = "2 Mbps", start = 0 }]
"#;

fn simulate(overrides: &[(&str, &str)], seed: u64) -> RunResult {
    let mut document = document_from_toml(CELL.as_bytes(), "test").unwrap();
    for (key, value) in overrides {
        set(&mut document, key, value, "test").unwrap();
    }
    run(&resolve(document, "test").unwrap(), seed, &RunOptions::default()).unwrap()
}

proptest! {
    #![proptest_config(evenair_testing::config!(400))]

    #[test]
    fn shares_are_shares_however_short_the_run(
        duration in prop_oneof![1u32..1000, 1000u32..50_000],
        warmup in prop_oneof![Just(0u32), 0u32..100_000],
        interval in 1u32..3000,
        seed: u64,
    ) {
        let [length, warmup_text, interval] =
            [duration, warmup, interval.max(duration / 100)].map(|us| format!("{us} us"));
        let overrides =
            [("duration", &*length), ("warmup", &warmup_text), ("trace.interval", &interval)];
        let result = simulate(&overrides, seed);
        let macs = || result.stations.iter().chain([&result.ap]);
        for mac in macs() {
            prop_assert!(0.0 <= mac.tx_airtime_share && mac.tx_airtime_share <= mac.airtime_share);
            prop_assert!(mac.airtime_share <= result.ap.airtime_share, "{mac:?}");
        }
        prop_assert!(result.ap.airtime_share <= 1.0, "{}", result.ap.airtime_share);
        for flow in &result.flows {
            // Without a warm-up all that arrives has been sent in the measured time.
            prop_assert!(warmup > 0 || flow.goodput_bps == 0.0 || flow.segments_sent > 0, "{flow:?}");
        }
        // The intervals of a trace have what the run has until the last of them.
        let series = result.series.unwrap();
        let columns: Vec<f64> = series.aggregate_goodput_bps.clone();
        let seconds = |text: &str| text.trim_end_matches(" us").parse::<f64>().unwrap() * 1e-6;
        let traced: f64 = columns.iter().sum::<f64>() * seconds(&interval);
        prop_assert!(traced <= result.aggregate_goodput_bps * result.duration_s + 1e-6);
    }
}

/// A datagram that is sent at 0 begins a DIFS of 50 us later and lasts 192 us + 8 us a byte, 12 ms. Of the
/// first millisecond it has 0.95, and all of a microsecond within it, and nothing of one before it.
#[test]
fn an_attempt_counts_until_the_end_of_the_run_only() {
    let datagrams = r#"{ direction = "up", transport = "udp", rate = "1 Mbps", start = 0 }"#;
    let one = format!("[{{ data_rate = \"1 Mbps\", flows = [{datagrams}] }}]");
    for (warmup, duration, share) in
        [("0 s", "1 ms", 0.95), ("3 ms", "1 us", 1.0), ("10 us", "30 us", 0.0)]
    {
        let overrides = [
            ("station", &*one),
            ("cell.rts_threshold", "off"),
            ("warmup", warmup),
            ("duration", duration),
        ];
        let result = simulate(&overrides, 1);
        for mac in [&result.stations[0], &result.ap] {
            assert!((mac.airtime_share - share).abs() < 1e-9, "{warmup}: {mac:?}");
        }
        assert_eq!(result.stations[0].tx_airtime_share, result.stations[0].airtime_share);
        assert_eq!(result.ap.tx_airtime_share, 0.0);
    }
}

/// The first datagram is sent at 0, and measuring begins at 0: it counts as sent.
#[test]
fn what_is_sent_at_the_start_of_the_measurement_counts() {
    let overrides = [("duration", "1 ms"), ("warmup", "0 s")];
    let result = simulate(&overrides, 1);
    let udp = result.flows.iter().find(|flow| flow.transport == "udp").unwrap();
    assert_eq!(udp.segments_sent, 1);
    assert!(result.ap_queue.arrivals > 0);
}

/// Nor does what is sent at its end: of datagrams at 0, 4, 8, ... ms 25 are sent in 100 ms.
#[test]
fn what_is_sent_at_the_end_of_the_measurement_does_not_count() {
    let datagrams = r#"{ direction = "up", transport = "udp", rate = "2 Mbps", segment = 1000 }"#;
    let one = format!("[{{ flows = [{datagrams}] }}]");
    for warmup in ["0 s", "40 ms"] {
        let overrides = [("station", &*one), ("warmup", warmup), ("duration", "100 ms")];
        assert_eq!(simulate(&overrides, 1).flows[0].segments_sent, 25, "{warmup}");
    }
}
