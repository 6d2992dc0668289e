//! What the daemon costs; a disk that is full, and one that does not answer.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::AT_FDCWD;
use nix::sys::fanotify::{EventFFlags, Fanotify, InitFlags, MarkFlags, MaskFlags};
use nix::sys::signal::Signal;
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

/// The share of a processor is the least of three: what else a machine does, or the one that it is a guest
/// of, can only add to the time that the kernel counts.
#[test]
#[ignore = "long, in real time"]
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
    let shares = [(); 3].map(|()| {
        let before = cpu_time(daemon.pid());
        sleep(IDLE);
        (cpu_time(daemon.pid()) - before) / IDLE.as_secs_f64()
    });
    let share = shares.into_iter().fold(f64::INFINITY, f64::min);
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let kibibytes = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    let (resident, highest) = (kibibytes("VmRSS:"), kibibytes("VmHWM:"));
    let percent = shares.map(|share| share * 100.0);
    report(&format!(
        "idle: {percent:.3?} % of a core, {resident} KiB resident, {highest} KiB while it loads its \
         programs"
    ));
    assert!(resident * 1024 < 20_000_000, "{resident}");
    assert!(share < 0.01, "{shares:?}");
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

/// Whoever opens the file waits for a permission (fanotify(7)) that nobody gives, as for a disk that does
/// not answer.
#[test]
#[ignore = "long, in real time"]
fn a_disk_that_does_not_answer_stops_neither_rounds_nor_the_end() {
    let Some(_alone) = capable("disk that does not answer") else { return };
    let cell = Cell::new();
    let records = cell.directory.path().join("records");
    fs::write(&records, "").unwrap();
    let flags = InitFlags::FAN_CLASS_CONTENT | InitFlags::FAN_CLOEXEC;
    let hang = || {
        let guard = Fanotify::init(flags, EventFFlags::O_RDONLY).unwrap();
        let (add, mask) = (MarkFlags::FAN_MARK_ADD, MaskFlags::FAN_OPEN_PERM);
        guard.mark(add, mask, AT_FDCWD, Some(&records)).unwrap();
        guard
    };
    let guard = hang();
    let config = format!("records.file = {records:?}\n{}", quick("enforce"));
    let mut daemon = start(&cell, &config);
    let before = daemon.wait_for("a round", |status| status.rounds.total >= 1).rounds;
    let status = daemon.wait_for("lost records", |status| status.record_failures >= 3);
    assert!(status.attached);
    // One record is being written, and 64 wait.
    assert!(status.rounds.total >= 65 + 3, "{:?}", status.rounds);
    report(&format!("disk that does not answer: {:?}, {before:?} before", status.rounds));
    assert!(status.rounds.skipped <= before.skipped + 1, "{before:?}, {:?}", status.rounds);
    let log = daemon.log();
    assert_eq!(log.matches("records cannot be written").count(), 1, "{log}");
    // It answers again: what has waited is written.
    drop(guard);
    let status = daemon.wait_for("records", |status| status.record_error.is_none());
    assert!(fs::read_to_string(&records).unwrap().lines().count() >= 65);
    assert!(status.record_failures >= 3);
    // The end waits for a limited time.
    let _guard = hang();
    daemon.signal(Signal::SIGHUP);
    let total = daemon.wait_for("a reload", |status| status.reloads == 1).rounds.total;
    daemon.wait_for("two rounds", |status| status.rounds.total >= total + 2);
    let start = Instant::now();
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.end(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let log = daemon.log();
    assert!(log.contains("records are not written at the end"), "{log}");
}
