//! What holds packets back lets go when the control loop hangs, and nothing that is slow makes it hang.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use evenaird::data_path::attached;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};

use crate::router::{Router, can_queue, config, queue_when};
use crate::support::namespace::connect;
use crate::support::process::{Daemon, write_config};
use crate::support::report;

/// A thread that a debugger stops: ptrace(2) stops no other thread of the process. Dropping it, on the
/// same thread of the test, lets it go on.
struct Stopped(Pid);

impl Stopped {
    fn new(thread: Pid) -> Self {
        // SAFETY: these requests take no addresses.
        let result = unsafe { libc::ptrace(libc::PTRACE_SEIZE, thread.as_raw(), 0, 0) };
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        // SAFETY: as above.
        let result = unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, thread.as_raw(), 0, 0) };
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        let mut status = 0;
        // SAFETY: the pointer is valid for the call.
        let stopped = unsafe { libc::waitpid(thread.as_raw(), &raw mut status, libc::__WALL) };
        assert!(stopped == thread.as_raw() && libc::WIFSTOPPED(status), "{status}");
        Self(thread)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { libc::ptrace(libc::PTRACE_DETACH, self.0.as_raw(), 0, 0) };
    }
}

/// A round takes 1 s, and a rate holds for five of them.
#[test]
#[ignore = "long, in real time"]
fn the_queue_opens_when_the_control_thread_hangs() {
    let Some(_alone) = can_queue("lease of the queue") else { return };
    let router = Router::new();
    let daemon = router.start("{ rate = \"2 Mbps\" }");
    let start = Instant::now();
    let mut stopped_at = 0.0;
    let (_, times) = router.under_load(|| {
        sleep(Duration::from_secs(2));
        stopped_at = start.elapsed().as_secs_f64();
        // The first thread has the id of the process.
        let _stopped = Stopped::new(daemon.pid());
        sleep(Duration::from_secs(9));
    });
    let rate = |from: f64, to: f64| {
        times.iter().filter(|time| (from..to).contains(*time)).count() as f64 * 12_000.0
            / (to - from)
    };
    // Under the lease, the rate of the queue; after it, that of the load. The first arrival and the start
    // of the clock are less than half a second apart.
    let (held, open) = (rate(0.5, stopped_at + 3.0), rate(stopped_at + 6.0, stopped_at + 8.5));
    report(&format!(
        "control thread stopped: {:.2} Mb/s under the lease, then {:.2} Mb/s",
        held / 1e6,
        open / 1e6
    ));
    assert!((1.8e6..2.2e6).contains(&held), "{held}");
    assert!((3.6e6..4.4e6).contains(&open), "{open}");
}

#[test]
#[ignore = "long, in real time"]
fn a_pipe_as_configuration_holds_nothing_up() {
    let Some(_alone) = can_queue("pipe as configuration") else { return };
    let router = Router::new();
    let queue = config("{ rate = \"5 Mbps\" }");
    let mut daemon = router.start("{ rate = \"5 Mbps\" }");
    let file = router.directory.path().join("gw.toml");
    fs::remove_file(&file).unwrap();
    mkfifo(&file, Mode::S_IRWXU).unwrap();
    daemon.signal(Signal::SIGHUP);
    sleep(Duration::from_millis(200));
    let before = daemon.status().unwrap().rounds;
    let after = daemon.wait_for("rounds", |status| status.rounds.total >= before.total + 2);
    assert_eq!((after.failed_reloads, after.rounds.skipped), (0, before.skipped));
    assert!(after.queue.unwrap().open);
    daemon.wait_for("a refusal", |status| status.failed_reloads == 1);
    assert!(daemon.log().contains("gw.toml: got nothing in 5 s; accepted: a TOML file"));
    fs::remove_file(&file).unwrap();
    write_config(router.directory.path(), &queue);
    daemon.signal(Signal::SIGHUP);
    daemon.wait_for("a reload", |status| status.reloads == 1);
}

impl Router {
    /// A daemon whose iptables does not return while this file is there.
    fn start_where_iptables_can_hang(&self) -> (Daemon, PathBuf) {
        let folder = self.directory.path();
        let (programs, hang) = (folder.join("bin"), folder.join("hang"));
        fs::create_dir(&programs).unwrap();
        for name in ["iptables", "ip6tables"] {
            let script = format!(
                "#!/bin/sh\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\n[ -e {hang:?} ] && sleep 1000\nexec {name} \"$@\"\n"
            );
            fs::write(programs.join(name), script).unwrap();
            fs::set_permissions(programs.join(name), Permissions::from_mode(0o755)).unwrap();
        }
        let config = config("{ rate = \"5 Mbps\" }");
        let daemon = Daemon::start_with(&self.gateway, folder, &config, |command| {
            command.env("PATH", &programs);
        });
        (daemon, hang)
    }
}

#[test]
#[ignore = "long, in real time"]
fn an_iptables_that_does_not_return_holds_nothing_up() {
    let Some(_alone) = can_queue("iptables that hangs") else { return };
    let router = Router::new();
    let (mut daemon, hang) = router.start_where_iptables_can_hang();
    queue_when(&mut daemon, "the queue", |queue| queue.open);
    fs::write(&hang, "").unwrap();
    daemon.reload(&config("{ rate = \"5 Mbps\", number = 200 }"));
    let before = daemon.wait_for("a reload", |status| status.reloads == 1).rounds;
    let after = daemon.wait_for("rounds", |status| status.rounds.total >= before.total + 3).rounds;
    assert_eq!(after.skipped, before.skipped);
    queue_when(&mut daemon, "an error", |queue| {
        !queue.open
            && queue.error.as_ref().is_some_and(|error| error.contains("does not return in 3 s"))
    });
    fs::remove_file(&hang).unwrap();
    let queue = queue_when(&mut daemon, "the queue", |queue| queue.open);
    assert_eq!(queue.error, None);
    assert_eq!(router.rules().matches("--queue-num 200").count(), 2, "{}", router.rules());
    // The end waits for iptables, and not for ever.
    fs::write(&hang, "").unwrap();
    let start = Instant::now();
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.end(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// What was left by another instance is removed whenever the interface comes back.
#[test]
#[ignore = "long, in real time"]
fn an_iptables_that_does_not_return_delays_no_interface_that_comes_back() {
    let Some(_alone) = can_queue("iptables that hangs, interface back") else { return };
    let router = Router::new();
    let (mut daemon, hang) = router.start_where_iptables_can_hang();
    queue_when(&mut daemon, "the queue", |queue| queue.open);
    let before = daemon.status().unwrap().rounds;
    fs::write(&hang, "").unwrap();
    router.station.ip("link delete sta0");
    daemon.wait_for("the interface to go", |status| !status.attached);
    connect((&router.station, "sta0"), (&router.gateway, "ap0"), 1);
    let back = daemon.wait_for("the interface to come back", |status| status.attached).rounds;
    let after = daemon.wait_for("rounds", |status| status.rounds.total >= back.total + 3).rounds;
    assert_eq!(after.skipped, before.skipped);
    fs::remove_file(&hang).unwrap();
    queue_when(&mut daemon, "the queue again", |queue| queue.open);
    assert_eq!(router.rules().matches("--queue-num").count(), 2, "{}", router.rules());
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.end(), Some(0));
    assert!(!router.rules().contains("evenaird"), "{}", router.rules());
}

/// A process that is stopped answers nothing and owns its links.
#[test]
#[ignore = "long, in real time"]
fn off_needs_no_daemon() {
    let Some(_alone) = can_queue("off by the kernel") else { return };
    let router = Router::new();
    let attached = || router.gateway.enter(|| attached("ap0")).unwrap().len();
    let mut daemon = router.start("{ rate = \"2 Mbps\" }");
    assert_eq!(attached(), 2);
    daemon.signal(Signal::SIGSTOP);
    let output = router.off();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("the daemon does not answer"), "{said}");
    assert_eq!(attached(), 0);
    assert!(!router.rules().contains("evenaird"), "{}", router.rules());
    // Should it go on, it reads the request that waits for it.
    daemon.signal(Signal::SIGCONT);
    let status = daemon.wait_for("off", |status| status.mode == "off");
    assert!(!status.attached);
    daemon.signal(Signal::SIGKILL);
    daemon.end();
    assert!(router.off().status.success());
}
