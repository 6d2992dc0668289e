//! Whole runs, timers and event loop included: `cargo bench -p evenair-sim` takes half a minute.
#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evenair_sim::scenario::{Scenario, document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};

const TCP: &str = r#"
    duration = "30 s"
    [[station]]
    count = 5
    flows = [{ direction = "up", tcp = "ns2" }]
    [[station]]
    count = 5
    flows = [{ direction = "down", tcp = "ns2" }]
"#;

/// 8 Mb/s of datagrams are more than the channel carries.
const UDP: &str = r#"
    duration = "30 s"
    [[station]]
    count = 10
    queue = { limit = 50 }
    flows = [{ direction = "up", transport = "udp", rate = "800 kbps", start = "0 s" }]
"#;

fn scenario(toml: &str, overrides: &[(&str, &str)]) -> Scenario {
    let mut document = document_from_toml(toml.as_bytes(), "bench").expect("it is TOML");
    for (key, value) in overrides {
        set(&mut document, key, value, "bench").expect("such a key exists");
    }
    resolve(document, "bench").expect("the scenario is valid")
}

fn simulate(scenario: &Scenario) -> RunResult {
    run(scenario, 1, &RunOptions::default()).expect("nothing can fail")
}

/// Name, scenario, and what is changed in it.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Throughput is in events, so that a number can be compared across scenarios.
fn runs(c: &mut Criterion) {
    let cases: [Case; 7] = [
        ("5 up 5 down, droptail", TCP, &[]),
        ("5 up 5 down, las", TCP, &[("cell.queue.kind", "las")]),
        ("5 up 5 down, spm-af", TCP, &[("cell.queue.kind", "spm-af")]),
        ("5 up 5 down, series", TCP, &[("trace.interval", "100 ms")]),
        ("1 up 25 down, droptail", TCP, &[("station.0.count", "1"), ("station.1.count", "25")]),
        ("10 saturated", UDP, &[]),
        (
            "1000 saturated",
            UDP,
            &[("station.0.count", "1000"), ("station.0.flows.0.rate", "8 kbps")],
        ),
    ];
    let mut group = c.benchmark_group("run of 30 s");
    for (name, toml, overrides) in cases {
        let scenario = scenario(toml, overrides);
        group.throughput(Throughput::Elements(simulate(&scenario).events));
        group.bench_function(name, |b| b.iter(|| simulate(&scenario)));
    }
    group.finish();
}

criterion_group! {
    name = whole;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20);
    targets = runs
}
criterion_main!(whole);
