//! The target that `EVENAIR_FUZZ_TARGET` names, by libFuzzer.
#![no_main]

use std::env;
use std::sync::LazyLock;

use evenair_fuzz::TARGETS;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = env::var("EVENAIR_FUZZ_TARGET").unwrap_or_default();
    let target = TARGETS.iter().find(|(target, _)| *target == name);
    let names: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    target.unwrap_or_else(|| panic!("EVENAIR_FUZZ_TARGET: got {name:?}; accepted: {names:?}")).1
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
