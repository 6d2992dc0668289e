//! An engine that stands still says so, although few packets or none see it.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::sync::Arc;
use std::thread;

use evenair_core::time::{Duration, Instant};
use evenair_emu::{Arriving, Clock, Engine, Pool, Ports, Report, Signals, Site, Spec};
use serde_json::json;

const WARMUP_S: f64 = 0.4;
const DURATION_S: f64 = 0.6;

/// Hosts that send nothing. Waiting for them at `stall_at` takes `stall` longer.
struct Silent {
    stall_at: Instant,
    stall: Duration,
}

impl Ports for Silent {
    fn wait(&mut self, clock: &Clock, _: &Pool, until: Instant) -> Result<(), String> {
        let mut wait = until.since(clock.now());
        if clock.now() >= self.stall_at {
            self.stall_at = Instant::NEVER;
            wait += self.stall;
        }
        thread::sleep(std::time::Duration::from_nanos(wait.as_nanos()));
        Ok(())
    }

    fn next_arrival(&self) -> Instant {
        Instant::NEVER
    }

    fn receive(&mut self) -> Option<Arriving> {
        None
    }

    fn deliver(&mut self, _: Instant, _: Site, _: &[u8]) -> bool {
        true
    }
}

/// A run that stands still for `stall_ms` at `at_s`; what is later than 50 ms is late.
fn run(at_s: f64, stall_ms: u64) -> Report {
    let scenario = json!({ "cell": {}, "station": [{ "flows": [{ "direction": "up" }] }] });
    let addresses = json!({ "sta-1": ["10.77.0.1"], "server": ["10.78.0.1"] });
    let spec = json!({
        "scenario": scenario.to_string(), "seed": 1, "namespaces": {}, "addresses": addresses,
        "warmup_s": WARMUP_S, "duration_s": DURATION_S, "max_lateness_s": 0.05, "realtime": false,
    });
    let hosts = Silent {
        stall_at: Instant::ZERO + Duration::from_secs_f64(at_s),
        stall: Duration::from_millis(stall_ms),
    };
    let signals = Arc::new(Signals::default());
    signals.start();
    Engine::new(Spec::parse(&spec.to_string()).unwrap(), hosts, signals).unwrap().run().unwrap()
}

#[test]
fn a_stall_without_packets_is_seen() {
    let report = run(WARMUP_S + 0.1, 300);
    assert_eq!(report.lateness_s.count, 0);
    let time = report.punctuality;
    assert!(time.longest_stall_s >= 0.3, "{time:?}");
    assert!(time.longest_stall_at_s.is_some_and(|at| at >= WARMUP_S + 0.1), "{time:?}");
    // Late from 50 ms on.
    assert!(time.late_share >= 0.25 / DURATION_S, "{time:?}");
    assert_eq!(report.untrusted.len(), 2, "{:?}", report.untrusted);
    assert!(report.untrusted[0].starts_with("the engine stood still for "), "{report:?}");
}

/// Another process may take the processor, which adds to it.
#[test]
fn a_stall_long_before_the_measured_time_is_not_counted() {
    let report = run(0.0, 100);
    let time = report.punctuality;
    assert!(time.longest_stall_at_s.is_none_or(|at| at >= 0.2), "{time:?}");
    assert!(report.began_s > 0.0);
}
