//! Start, reload, crash and end of the queue: traffic goes on, and nothing stays behind.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use evenaird::queue::netfilter::NetfilterQueue;
use nix::sys::signal::Signal;

use crate::router::{Router, can_queue, config, queue_when};
use crate::support::process::{Daemon, assert_refused, evenaird, run, write_config};
use crate::support::report;
use crate::support::udp::{arrivals, receiver, send_at, sender};

impl Router {
    pub fn off(&self) -> Output {
        let directory = self.directory.path().join("run");
        let directory = directory.to_str().unwrap();
        self.gateway.enter(|| run(&["off", "ap0", "--runtime-directory", directory]))
    }

    /// The same where `iptables` is this script.
    fn off_with_iptables(&self, script: &str) -> Output {
        let file = self.directory.path().join("iptables");
        fs::write(&file, script).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        self.gateway.enter(|| {
            let mut command = evenaird();
            command
                .args(["off", "ap0", "--runtime-directory"])
                .arg(self.directory.path().join("run"));
            command.env("PATH", self.directory.path()).stdin(Stdio::null()).output().unwrap()
        })
    }

    /// Sends UDP at 4 Mb/s to the station while `events` happen. Returns how many packets were sent,
    /// and when they arrived, in seconds after the start.
    pub fn under_load(&self, events: impl FnOnce() + Send) -> (u64, Vec<f64>) {
        let address = &self.cell.v4[0];
        let receiver = self.station.enter(|| receiver(address));
        let sender = self.server.enter(|| sender(address));
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let sent = scope.spawn(|| send_at(&sender, 4_000_000, 1472, 1, &stop));
            let times = scope.spawn(|| arrivals(&receiver, &stop));
            events();
            stop.store(true, Ordering::Relaxed);
            let times = times.join().unwrap();
            (sent.join().unwrap(), times.iter().map(|time| time - times[0]).collect())
        })
    }
}

/// Packets wait, as the load is twice the rate, when the daemon is killed.
#[test]
fn a_crash_opens_the_bypass() {
    let Some(_alone) = can_queue("crash of the queue") else { return };
    let router = Router::new();
    let mut daemon = router.start("{ kind = \"las\", rate = \"2 Mbps\" }");
    let mut killed_at = 0.0;
    let start = Instant::now();
    let (_, times) = router.under_load(|| {
        queue_when(&mut daemon, "a backlog", |queue| queue.backlog_packets > 10);
        killed_at = start.elapsed().as_secs_f64();
        daemon.signal(Signal::SIGKILL);
        daemon.end();
        sleep(Duration::from_millis(1500));
    });
    let gap = times
        .windows(2)
        .filter(|pair| pair[1] > killed_at - 0.1)
        .map(|pair| pair[1] - pair[0])
        .fold(0.0, f64::max);
    let after = times.iter().filter(|time| **time > killed_at + 0.5).count();
    let length = times[times.len() - 1] - killed_at - 0.5;
    let rate = after as f64 * 12_000.0 / length;
    report(&format!(
        "SIGKILL of a queue at 2 Mb/s under 4 Mb/s: longest gap {:.0} ms, then {:.2} Mb/s",
        gap * 1000.0,
        rate / 1e6
    ));
    assert!(gap < 1.0, "{gap}");
    assert!((3.8e6..4.2e6).contains(&rate), "{rate}");
    // What is left lets everything pass, and is removed by the next start and by `evenaird off`.
    assert!(router.rules().contains("--queue-bypass"));
    let next = router.start("{ rate = \"2 Mbps\" }");
    assert_eq!(router.rules().matches("-j evenaird-ap0").count(), 2, "{}", router.rules());
    next.signal(Signal::SIGKILL);
    drop(next);
    assert!(router.rules().contains("evenaird"));
    let mut observer = Daemon::start(
        &router.gateway,
        router.directory.path(),
        &config("\"las\"").replace("enforce", "observe").replace("queue = \"las\"", ""),
    );
    assert!(!router.rules().contains("evenaird"), "{}", router.rules());
    observer.signal(Signal::SIGTERM);
    observer.end();
    let killed = router.start("{ rate = \"2 Mbps\" }");
    killed.signal(Signal::SIGKILL);
    drop(killed);
    assert!(router.rules().contains("evenaird"));
    // Rules that cannot be listed are not gone.
    let output = router.off_with_iptables("#!/bin/sh\necho \"lock is held\" >&2\nexit 4\n");
    assert_refused(&output, 1, "iptables -t mangle -S evenaird-ap0: lock is held");
    let output = router.off();
    assert!(output.status.success(), "{output:?}");
    assert!(!router.rules().contains("evenaird"), "{}", router.rules());
}

/// A killed daemon's rules outlive their interface.
#[test]
fn off_removes_rules_of_an_interface_that_is_gone() {
    let Some(_alone) = can_queue("rules without interface") else { return };
    let router = Router::new();
    drop(router.start("{ rate = \"2 Mbps\" }"));
    router.station.ip("link delete sta0");
    assert!(router.rules().contains("evenaird"));
    assert_refused(&router.off(), 2, "ap0: no such network interface");
    assert!(!router.rules().contains("evenaird"), "{}", router.rules());
}

/// A load that the queue carries: not one packet is lost.
#[test]
fn reloads_off_and_end_lose_no_packet() {
    let Some(_alone) = can_queue("reload of the queue") else { return };
    let router = Router::new();
    let mut daemon = router.start("{ kind = \"las\", rate = \"5 Mbps\" }");
    let mut reloads = 0;
    let (sent, times) = router.under_load(|| {
        for queue in [
            "{ kind = \"las\", rate = \"6 Mbps\" }",
            "{ kind = \"fq-codel\", rate = \"5 Mbps\", number = 200 }",
            "{ kind = \"spm-af\", rate = \"5 Mbps\", limit = \"100 KB\" }",
            "{ kind = \"las\", rate = \"5 Mbps\" }\nloss_signal = { kind = \"local\", device = \"ap0\" }",
        ] {
            daemon.reload(&config(queue));
            reloads += 1;
            daemon.wait_for("a reload", |status| status.reloads == reloads);
            sleep(Duration::from_millis(300));
        }
        daemon.reload(&config("\"las\"").replace("queue = \"las\"", ""));
        daemon.wait_for("no queue", |status| status.queue.is_none());
        // The rules go on another thread than the control loop's.
        daemon.wait_for("no rules", |_| !router.rules().contains("evenaird"));
        daemon.reload(&config("{ kind = \"las\", rate = \"5 Mbps\" }"));
        queue_when(&mut daemon, "the queue", |queue| queue.open);
        sleep(Duration::from_millis(300));
        assert!(router.off().status.success());
        assert!(!router.rules().contains("evenaird"), "{}", router.rules());
        sleep(Duration::from_millis(300));
    });
    report(&format!(
        "7 changes of the queue under 4 Mb/s: {} of {sent} packets lost",
        sent - times.len() as u64
    ));
    assert_eq!(times.len() as u64, sent);
    let status = daemon.status().unwrap();
    let queue = status.queue.unwrap();
    assert!(!queue.open && queue.packets > 0 && queue.dropped_packets == 0, "{queue:?}");
}

#[test]
fn observing_queues_nothing() {
    let Some(_alone) = can_queue("observe without a queue") else { return };
    let router = Router::new();
    let text = config("{ rate = \"2 Mbps\" }").replace("enforce", "observe");
    let daemon = Daemon::start(&router.gateway, router.directory.path(), &text);
    assert!(!daemon.status().unwrap().queue.unwrap().open);
    assert!(!router.rules().contains("evenaird"));
}

/// What keeps the queue from being opened ends the start, with one line and without rules.
#[test]
fn what_is_in_the_way_is_said() {
    let Some(_alone) = can_queue("start of the queue") else { return };
    let router = Router::new();
    let file: PathBuf = router.directory.path().join("gw.toml");
    let file = file.to_str().unwrap();
    let start = || router.gateway.enter(|| run(&["run", file]));
    write_config(router.directory.path(), &config("{ rate = \"2 Mbps\", number = 7 }"));
    let other = router.gateway.enter(|| NetfilterQueue::open(7, 100)).unwrap();
    let output = start();
    let last = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(last.contains("evenaird: queue.number: netfilter queue 7: another process serves it"));
    assert_eq!(output.status.code(), Some(1));
    drop(other);
    let output = router.gateway.enter(|| {
        let mut command = evenaird();
        command.args(["run", file]).env("PATH", "/nonexistent").stdin(Stdio::null());
        command.output().unwrap()
    });
    let last = String::from_utf8(output.stderr).unwrap();
    assert!(last.contains("iptables -t mangle -N evenaird-ap0: No such file"), "{last}");
    assert!(!router.rules().contains("evenaird"));
    write_config(router.directory.path(), &config("{ rate = \"2 Mbps\", number = \"x\" }"));
    assert_refused(&start(), 2, "queue.number: got \"x\"");
}
