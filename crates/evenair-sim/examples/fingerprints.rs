//! Prints the stored fingerprints with their configurations as JSON, for tests of other builds of the
//! engine: each has `changes`, which are made one after the other to the scenario `base`.
#![allow(clippy::print_stdout, reason = "it is a command")]

use std::collections::BTreeMap;

use serde_json::{Value, json};

#[path = "../tests/fingerprints/cases.rs"]
mod cases;

const STORED: &str = include_str!("../tests/fingerprints.txt");

fn main() {
    let stored: BTreeMap<&str, &str> = STORED
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(fingerprint, name)| (name, fingerprint))
        .collect();
    let cases: Vec<Value> = cases::all()
        .iter()
        .map(|case| {
            json!({
                "name": case.name,
                "changes": case.changes,
                "fingerprint": stored.get(case.name.as_str()),
            })
        })
        .collect();
    println!("{}", json!({ "base": cases::BASE, "cases": cases }));
}
