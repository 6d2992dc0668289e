//! What tests of the gateway need: network namespaces of their own, and traffic through them.
#![allow(dead_code, reason = "each test uses a part")]

pub mod cell;
pub mod namespace;
pub mod process;
pub mod udp;

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Whether this host has root, and the data path is built; one line says what is missing. With
/// CI=true a test fails instead. Tests that hold the guard do not disturb each other's timing.
pub fn capable(test: &str) -> Option<MutexGuard<'static, ()>> {
    let missing = if !nix::unistd::geteuid().is_root() {
        "root"
    } else if !evenaird::data_path::BUILT {
        "clang"
    } else {
        return Some(ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner));
    };
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{test} needs {missing}");
    report(&format!("skipped, for want of {missing}: {test}"));
    None
}

/// Whether a program is installed; otherwise as [`capable`].
pub fn has_program(test: &str, program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian keeps daemons where users do not look for commands.
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    let is_there = folders.into_iter().any(|folder| folder.join(program).is_file());
    if !is_there {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{test} needs {program}");
        report(&format!("skipped, for want of {program}: {test}"));
    }
    is_there
}

/// Prints a line past the capture of test output.
pub fn report(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}
