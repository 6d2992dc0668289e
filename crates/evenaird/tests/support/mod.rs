//! What tests of the gateway need: network namespaces of their own, and traffic through them.
#![allow(dead_code, reason = "each test uses a part")]

pub mod cell;
pub mod namespace;
pub mod process;
pub mod radio;
pub mod snmpd;
pub mod stalls;
pub mod tcp;
pub mod udp;

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::namespace::Namespace;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Whether this host has root, and the data path is built; one line says what is missing. With
/// CI=true a test fails instead. Tests that hold the guard do not disturb each other's timing.
pub fn capable(test: &str) -> Option<MutexGuard<'static, ()>> {
    let is_capable = is_root(test) && has(test, "clang", evenaird::data_path::BUILT);
    is_capable.then(|| ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Whether a program is installed; otherwise as [`capable`].
pub fn has_program(test: &str, program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian keeps daemons where users do not look for commands.
    let mut folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    has(test, program, folders.any(|folder| folder.join(program).is_file()))
}

/// Runs a test that needs root and these programs in a network namespace of its own, beside others.
pub fn in_namespace(programs: &[&str], test: impl FnOnce() + Send) {
    let thread = std::thread::current();
    // The test harness names threads by their tests.
    let name = thread.name().unwrap_or_default();
    if is_root(name) && programs.iter().all(|program| has_program(name, program)) {
        Namespace::new().enter(test);
    }
}

fn is_root(test: &str) -> bool {
    has(test, "root", nix::unistd::geteuid().is_root())
}

fn has(test: &str, what: &str, is_there: bool) -> bool {
    if !is_there {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{test} needs {what}");
        report(&format!("skipped, for want of {what}: {test}"));
    }
    is_there
}

/// Prints a line past the capture of test output.
pub fn report(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}
