//! Runs of a scenario in which some keys have other values.

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};

/// The result of `toml` with these values of keys.
pub(crate) fn result(toml: &str, overrides: &[(&str, &str)], seed: u64) -> RunResult {
    let mut document = document_from_toml(toml.as_bytes(), "test").unwrap();
    for (key, value) in overrides {
        set(&mut document, key, value, "test").unwrap();
    }
    run(&resolve(document, "test").unwrap(), seed, &RunOptions::default()).unwrap()
}
