//! What the daemon costs, and a disk that is full.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use crate::support::cell::Cell;
use crate::support::{capable, report};
use crate::{quick, start};

const IDLE: Duration = Duration::from_secs(4);

/// The processor time that a process has taken, s.
fn cpu_time(pid: Pid) -> f64 {
    let time = clock_gettime(clock_getcpuclockid(pid).unwrap()).unwrap();
    time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9
}

#[test]
fn an_idle_daemon_takes_little() {
    let Some(_alone) = capable("resources") else { return };
    let cell = Cell::new();
    let records = cell.directory.path().join("records");
    let config = format!(
        "mode = \"enforce\"\nrecords.file = {records:?}\nmetrics.listen = \"127.0.0.1:9723\"\n\
         loss_signal = {{ kind = \"local\", device = \"lo\" }}\n"
    );
    let mut daemon = start(&cell, &config);
    daemon.wait_for("two rounds", |status| status.rounds.total >= 2);
    let before = cpu_time(daemon.pid());
    sleep(IDLE);
    let share = (cpu_time(daemon.pid()) - before) / IDLE.as_secs_f64();
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let kibibytes = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    let (resident, highest) = (kibibytes("VmRSS:"), kibibytes("VmHWM:"));
    report(&format!(
        "idle: {:.3}% of a core, {resident} KiB resident, {highest} KiB while it loads its programs",
        share * 100.0
    ));
    assert!(resident * 1024 < 20_000_000, "{resident}");
    assert!(share < 0.01, "{share}");
}

#[test]
fn a_full_disk_stops_neither_rounds_nor_policing() {
    let Some(_alone) = capable("full disk") else { return };
    let cell = Cell::new();
    let mut daemon = start(&cell, &format!("records.file = \"/dev/full\"\n{}", quick("enforce")));
    let status = daemon.wait_for("lost records", |status| status.record_failures >= 3);
    assert!(status.attached && status.rounds.total >= 3);
    assert!(status.record_error.unwrap().contains("No space left"));
    let log = daemon.log();
    assert_eq!(log.matches("records cannot be written").count(), 1, "{log}");
}
