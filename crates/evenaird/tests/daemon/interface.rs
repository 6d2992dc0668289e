//! An interface that goes and comes back; a daemon that is killed.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::support::cell::Cell;
use crate::support::namespace::connect;
use crate::support::process::{assert_refused, run};
use crate::support::udp::{arrivals, send_at};
use crate::support::{capable, report};
use crate::{attached, fixed, quick, start};

#[test]
fn an_interface_that_comes_back_is_policed_again() {
    let Some(_alone) = capable("interface removed and back") else { return };
    let cell = Cell::new();
    let mut daemon = start(&cell, &quick("enforce"));
    for number in 1..=2 {
        cell.station.ip("link delete sta0");
        let status = daemon.wait_for("the interface to go", |status| !status.attached);
        assert_eq!(status.data_path_error.as_deref(), Some("ap0: no such network interface"));
        connect((&cell.station, "sta0"), (&cell.gateway, "ap0"), 1);
        daemon.wait_for("the interface to come back", |status| status.attached);
        assert_eq!(attached(&cell).len(), 2, "{number}");
    }
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.end(), Some(0));
}

/// The programs go with the device, whatever it is called.
#[test]
fn a_renamed_interface_is_policed_and_named() {
    let Some(_alone) = capable("interface renamed") else { return };
    let cell = Cell::new();
    let mut daemon = start(&cell, &quick("enforce"));
    let before = daemon.wait_for("rounds", |status| status.rounds.total > 1);
    assert_eq!(before.policed.as_deref(), Some("ap0"));
    rename(&cell);
    let after = daemon.wait_for("the name", |status| status.policed.as_deref() == Some("lan0"));
    assert!(after.attached && after.interface == "ap0");
    let line = "interface   lan0, ap0 in the configuration";
    assert_eq!(after.text().lines().next(), Some(line));
    let programs = cell.gateway.enter(|| evenaird::data_path::attached("lan0")).unwrap();
    assert_eq!(programs.len(), 2);
    let rounds = after.rounds.total;
    daemon.wait_for("more rounds", |status| status.attached && status.rounds.total > rounds + 2);
}

/// 20 Mb/s are offered to a policer of 1 Mb/s until the daemon is killed after 1.5 s.
#[test]
fn after_sigkill_traffic_passes() {
    const OFFERED: f64 = 20e6;
    let Some(_alone) = capable("SIGKILL") else { return };
    let cell = Cell::new();
    let mut daemon = start(&cell, &fixed("1 Mbps"));
    let (sender, receiver) = cell.uplink();
    let stop = AtomicBool::new(false);
    let arrivals = thread::scope(|scope| {
        scope.spawn(|| send_at(&sender, OFFERED as u64, 1472, 1, &stop));
        let receiver = scope.spawn(|| arrivals(&receiver, &stop));
        sleep(Duration::from_millis(1500));
        daemon.signal(Signal::SIGKILL);
        sleep(Duration::from_millis(1000));
        stop.store(true, Ordering::Relaxed);
        receiver.join().unwrap()
    });
    assert_eq!(daemon.end(), None);
    // At 1 Mb/s packets of 1,500 bytes are 12 ms apart, at 20 Mb/s 0.6 ms.
    let bits = |from: f64, to: f64| {
        arrivals.iter().filter(|&&time| (from..to).contains(&time)).count() as f64 * 12_000.0
    };
    let (first, end) = (arrivals[0], arrivals[arrivals.len() - 1]);
    let (before, after) = (bits(first + 0.5, first + 1.4) / 0.9, bits(end - 0.5, end) / 0.5);
    report(&format!("SIGKILL: {:.2} Mb/s before, {:.2} Mb/s after", before / 1e6, after / 1e6));
    assert!((before - 1e6).abs() < 0.05e6, "{before}");
    assert!(after > 0.9 * OFFERED, "{after}");
    assert!(attached(&cell).is_empty());
    // The next instance replaces the socket that is left.
    start(&cell, &fixed("1 Mbps")).wait_for("the next instance", |status| status.attached);
}

/// `ap0` of the gateway becomes `lan0`.
fn rename(cell: &Cell) {
    cell.gateway.ip("link set ap0 down");
    cell.gateway.ip("link set ap0 name lan0 up");
}

/// 20 Mb/s are offered to a policer of 1 Mb/s whose lease, five intervals, outlasts the test.
#[test]
#[ignore = "long, in real time"]
fn off_finds_the_programs_of_a_daemon_that_hangs_under_another_name() {
    const OFFERED: f64 = 20e6;
    let Some(_alone) = capable("off after a renaming") else { return };
    let cell = Cell::new();
    let limiter = "limiter = { max_rate = \"1 Mbps\", bucket = \"1 s\", interval = \"20 s\" }";
    let signal = "loss_signal = { kind = \"local\", device = \"lo\" }";
    let mut daemon = start(&cell, &format!("mode = \"enforce\"\n{limiter}\n{signal}\n"));
    let programs = || cell.gateway.enter(|| evenaird::data_path::attached("lan0")).unwrap().len();
    let (sender, receiver) = cell.uplink();
    // The mean over a second, after the bucket's 125 kB, that are gone in 53 ms.
    let throughput = || {
        let stop = AtomicBool::new(false);
        let times = thread::scope(|scope| {
            scope.spawn(|| send_at(&sender, OFFERED as u64, 1472, 1, &stop));
            let receiver = scope.spawn(|| arrivals(&receiver, &stop));
            sleep(Duration::from_millis(1700));
            stop.store(true, Ordering::Relaxed);
            receiver.join().unwrap()
        });
        let from = times[0] + 0.5;
        times.iter().filter(|&&time| (from..from + 1.0).contains(&time)).count() as f64 * 12_000.0
    };
    let run_folder = cell.directory.path().join("run");
    let off = |name: &str| {
        let directory = run_folder.to_str().unwrap();
        cell.gateway.enter(|| run(&["off", name, "--runtime-directory", directory]))
    };

    daemon.signal(Signal::SIGSTOP);
    rename(&cell);
    cell.gateway.wait_until_up("lan0");
    let before = throughput();
    // Without the daemon's notes nobody knows where its programs are, and it is said.
    let (notes, aside) = (run_folder.join("ap0.lock"), run_folder.join("aside"));
    fs::rename(&notes, &aside).unwrap();
    let unknown =
        "ap0: no such network interface, and no program of a daemon of that name is known";
    assert_refused(&off("ap0"), 2, unknown);
    assert_refused(&off("ap7"), 2, "ap7: no such network interface");
    assert_eq!(programs(), 2);
    fs::rename(&aside, &notes).unwrap();
    let output = off("ap0");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(programs(), 0);
    let after = throughput();
    report(&format!("renamed: {:.2} Mb/s before off, {:.2} Mb/s after", before / 1e6, after / 1e6));
    assert!((before - 1e6).abs() < 0.05e6, "{before}");
    assert!(after > 0.9 * OFFERED, "{after}");
    // Should it go on, it reads the request that waits for it; the name is still no device.
    daemon.signal(Signal::SIGCONT);
    daemon.wait_for("off", |status| status.mode == "off" && !status.attached);
    assert!(off("ap0").status.success());
}
