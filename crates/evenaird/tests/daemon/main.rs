//! The daemon as a process, on a gateway in a network namespace of its own.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../support/mod.rs"]
mod support;

mod interface;
mod operation;
mod reload;
mod resources;
mod signal;
mod traffic;

use support::cell::Cell;
use support::process::Daemon;

/// A limiter at a constant rate, for tests that are not about decisions.
fn fixed(rate: &str) -> String {
    format!(
        "mode = \"enforce\"\nlimiter = {{ kind = \"fixed\", rate = \"{rate}\", bucket = \"100 KB\" }}\n"
    )
}

/// Rounds of 100 ms and a limiter that is out of the way, for tests that wait for rounds.
fn quick(mode: &str) -> String {
    let limiter = "limiter = { max_rate = \"500 Mbps\", bucket = \"1 s\", interval = \"100 ms\" }";
    format!("mode = \"{mode}\"\n{limiter}\nloss_signal = {{ kind = \"local\", device = \"lo\" }}\n")
}

/// A daemon on the cell's gateway.
fn start(cell: &Cell, config: &str) -> Daemon {
    Daemon::start(&cell.gateway, cell.directory.path(), config)
}

/// The programs of evenaird on the gateway's `ap0`.
fn attached(cell: &Cell) -> Vec<String> {
    cell.gateway.enter(|| evenaird::data_path::attached("ap0")).unwrap()
}
