//! What tests of applications have in common: a run with overrides, and a flow in whose way nothing is random.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};

/// Of this scenario, with overrides such as `duration=20 s`.
pub(crate) fn result(text: &str, overrides: &[&str], seed: u64) -> RunResult {
    let mut document = document_from_toml(text.as_bytes(), "test").unwrap();
    for override_ in overrides {
        let (key, value) = override_.split_once('=').unwrap();
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").unwrap();
    run(&scenario, seed, &RunOptions::default()).unwrap()
}

/// A flow between two hosts over one link of 8 Mb/s, which takes 1 us for each byte, and 10 ms: no air, so no chance. An
/// ACK for each segment of 1460 bytes, 1500 with headers. (The station, which every scenario needs, says nothing in the
/// first 19 s.) `keys` are further ones of the flow.
pub(crate) fn between_hosts(keys: &str) -> String {
    format!(
        r#"
        duration = "20 s"
        [[wired.link]]
        between = ["server", "ap"]
        rate = "8 Mbps"
        delay = "10 ms"
        [[wired.link]]
        between = ["ap", "client"]
        rate = "unlimited"
        delay = "0 s"
        [[wired.flow]]
        from = "server"
        to = "client"
        tcp = "ns2"
        delayed_ack = 1
        {keys}
        [[station]]
        flows = [{{ direction = "up", tcp = "ns2", host = "client", start = "19 s", application = {{ kind = "file", size = 1 }} }}]
        "#
    )
}
