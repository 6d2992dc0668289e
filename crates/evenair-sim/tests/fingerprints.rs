//! Golden fingerprints: some eighty small runs whose every event is hashed. Any change of behaviour
//! changes one; a change that is meant goes with a bump of `RESULT_VERSION` and a line in the
//! changelog, and with `UPDATE_FINGERPRINTS=1 cargo test -p evenair-sim --test all fingerprints`.
//!
//! `lab/test/fingerprints.test.mjs` repeats them in WebAssembly.
//!
//! This says that a result is the same as before, not that it is right: for that, see the oracle,
//! the analytic models and the comparison with ns-2.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RESULT_VERSION, RunOptions, run};

mod cases;

use cases::{BASE, Case};

#[test]
fn behaviour_is_as_recorded() {
    let recorded = file();
    let now: BTreeMap<String, String> = cases::all()
        .into_iter()
        .map(|case| {
            let fingerprint = fingerprint(&case);
            (case.name, fingerprint)
        })
        .collect();
    if std::env::var_os("UPDATE_FINGERPRINTS").is_some() {
        let mut text = format!("RESULT_VERSION {RESULT_VERSION}\n");
        for (name, fingerprint) in &now {
            writeln!(text, "{fingerprint} {name}").unwrap();
        }
        fs::write(recorded, text).unwrap();
        return;
    }
    let text = fs::read_to_string(recorded).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(format!("RESULT_VERSION {RESULT_VERSION}").as_str()));
    let before: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(' '))
        .map(|(fingerprint, name)| (name.to_owned(), fingerprint.to_owned()))
        .collect();
    assert_eq!(now, before, "results have changed: see the head of this file");
}

fn fingerprint(case: &Case) -> String {
    let mut document = document_from_toml(BASE.as_bytes(), "test").unwrap();
    for (key, value) in &case.changes {
        set(&mut document, key, value, "test").unwrap();
    }
    let scenario = resolve(document, "test").unwrap();
    run(&scenario, 1, &RunOptions::default()).unwrap().fingerprint
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fingerprints.txt")
}
