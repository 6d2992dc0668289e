//! The daemon as another user than root, with the two capabilities of its unit.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use evenaird::data_path::attached;
use evenaird::status::Status;
use nix::sys::signal::Signal;

use crate::router::{Router, can_queue, config};
use crate::support::process::Daemon;
use crate::support::{has_program, report};

/// "nobody" of Debian; any that owns nothing else.
const USER: u32 = 65_534;
/// CAP_NET_ADMIN is 12, CAP_BPF is 39 (linux/capability.h).
const CAPABILITIES: u64 = 1 << 12 | 1 << 39;

/// Starts the daemon as systemd starts its unit: setpriv(1) stands for `User=`, `AmbientCapabilities=`,
/// `CapabilityBoundingSet=` and `NoNewPrivileges=`.
fn start(router: &Router) -> Daemon {
    let folder = router.directory.path();
    let records = folder.join("state/records");
    let text = format!(
        "{}records.file = {records:?}\nmetrics.listen = \"127.0.0.1:9723\"\n",
        config("{ rate = \"5 Mbps\" }")
    );
    Daemon::start_with(&router.gateway, folder, &text, |command| {
        let mut wrapped = Command::new("setpriv");
        let user = USER.to_string();
        wrapped.args(["--reuid", &user, "--regid", &user, "--clear-groups", "--no-new-privs"]);
        for set in ["--inh-caps", "--ambient-caps", "--bounding-set"] {
            wrapped.args([set, "-all,+net_admin,+bpf"]);
        }
        wrapped.arg(folder.join("evenaird")).args(command.get_args());
        let log = File::options().append(true).open(folder.join("log")).unwrap();
        wrapped.stdin(Stdio::null()).stderr(log);
        *command = wrapped;
    })
}

fn is_complete(status: &Status) -> bool {
    status.attached && status.queue.as_ref().is_some_and(|queue| queue.open)
}

/// A line of `/proc/PID/status`.
fn line(text: &str, name: &str) -> String {
    let found = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    found.trim().to_owned()
}

/// The folders that systemd makes, and a program that this user may run.
fn prepare(folder: &Path) {
    fs::copy(env!("CARGO_BIN_EXE_evenaird"), folder.join("evenaird")).unwrap();
    for (name, mode) in [("run", 0o700), ("state", 0o750)] {
        fs::create_dir(folder.join(name)).unwrap();
        fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).unwrap();
        chown(folder.join(name), Some(USER), Some(USER)).unwrap();
    }
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[ignore = "long, in real time"]
fn two_capabilities_are_enough() {
    let test = "another user than root";
    let Some(_alone) = can_queue(test) else { return };
    if !has_program(test, "setpriv") {
        return;
    }
    let version = Command::new("iptables").arg("--version").output().unwrap();
    if String::from_utf8_lossy(&version.stdout).contains("legacy") {
        // It needs CAP_NET_RAW and its lock, too (docs/gateway-queue.md).
        return report(&format!("skipped, as iptables is iptables-legacy: {test}"));
    }
    let router = Router::new();
    let folder = router.directory.path();
    prepare(folder);
    let programs = || router.gateway.enter(|| attached("ap0")).unwrap().len();
    let off = || -> Output {
        let output = router.off();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(programs(), 0);
        assert!(!router.rules().contains("evenaird"), "{}", router.rules());
        output
    };

    let mut daemon = start(&router);
    daemon.wait_for("policer and queue", is_complete);
    assert_eq!((programs(), router.rules().matches("NFQUEUE").count()), (2, 2));
    let proc = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let user = USER.to_string();
    assert!(line(&proc, "Uid:").split_whitespace().all(|uid| uid == user), "{proc}");
    for set in ["CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        let bits = u64::from_str_radix(&line(&proc, set), 16).unwrap();
        assert_eq!(bits, CAPABILITIES, "{set}");
    }
    daemon.signal(Signal::SIGHUP);
    daemon.wait_for("a reload", |status| status.reloads == 1 && is_complete(status));
    let status = daemon.wait_for("rounds", |status| status.rounds.total > 1);
    assert_eq!(status.record_error, None);
    let records = fs::metadata(folder.join("state/records")).unwrap();
    assert_eq!((records.uid(), records.len() > 0), (USER, true));

    // Root turns it off, and also one that is stopped or was killed.
    off();
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.end(), Some(0));
    let mut daemon = start(&router);
    daemon.wait_for("the next one", is_complete);
    daemon.signal(Signal::SIGSTOP);
    let said = String::from_utf8(off().stdout).unwrap();
    assert!(said.contains("the daemon does not answer"), "{said}");
    daemon.signal(Signal::SIGKILL);
    daemon.end();

    // A lock that root has made does not keep the daemon out.
    fs::remove_file(folder.join("run/ap0.lock")).unwrap();
    off();
    start(&router).wait_for("one after root's lock", is_complete);
}
