//! Tests in a network namespace of their own, which ends with the test's thread and processes.

use std::io::Write;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::Command;
use std::thread;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::geteuid;

/// Runs a test as root in a new network namespace with a loopback device. Without root or one of
/// the programs, the test is skipped with a line; in continuous integration it fails.
pub fn in_namespace(programs: &[&str], test: impl FnOnce() + Send + 'static) {
    if let Some(missing) = missing(programs) {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{missing}");
        // Past the capture of test output.
        std::io::stderr().write_all(format!("skipped: {missing}\n").as_bytes()).unwrap();
        return;
    }
    let thread = thread::spawn(|| {
        unshare(CloneFlags::CLONE_NEWNET).unwrap();
        ip(&["link", "set", "lo", "up"]);
        test();
    });
    if let Err(panic) = thread.join() {
        resume_unwind(panic);
    }
}

/// Runs `ip` in the namespace of the calling thread.
pub fn ip(arguments: &[&str]) {
    let status = Command::new("ip").args(arguments).status().unwrap();
    assert!(status.success(), "ip {arguments:?}");
}

fn missing(programs: &[&str]) -> Option<String> {
    if !geteuid().is_root() {
        return Some("not root: no network namespace".into());
    }
    let folders = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    let is_there = |program: &&str| folders.iter().any(|dir| Path::new(dir).join(program).exists());
    programs
        .iter()
        .chain(&["ip"])
        .find(|program| !is_there(program))
        .map(|program| format!("{program} is not installed"))
}
