//! Start, status, off, end; what is refused.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::support::capable;
use crate::support::cell::Cell;
use crate::support::process::{assert_refused, evenaird, run, write_config};
use crate::{attached, fixed, start};

/// Runs a command in the gateway's namespace.
fn at_gateway(cell: &Cell, arguments: &[&str]) -> Output {
    cell.gateway.enter(|| run(arguments))
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn off_leaves_a_clean_data_path_until_a_restart() {
    let Some(_alone) = capable("off") else { return };
    let cell = Cell::new();
    let mut daemon = start(&cell, &fixed("1 Mbps"));
    assert_eq!(attached(&cell).len(), 2);
    let directory = text(&cell.directory.path().join("run"));
    let off = ["off", "--runtime-directory", &directory];
    let output = at_gateway(&cell, &off);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("ap0: no program of evenaird is attached; "), "{said}");
    assert!(attached(&cell).is_empty());
    daemon.signal(Signal::SIGHUP);
    let status = daemon.wait_for("a reload", |status| status.reloads == 1);
    assert_eq!((status.mode.as_str(), status.attached), ("off", false));
    assert!(attached(&cell).is_empty());
    let shown = run(&["status", "--runtime-directory", &directory]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("off, by `evenaird off`"), "{shown}");
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.end(), Some(0));
    // Without a daemon, the interface has to be named.
    assert_refused(&at_gateway(&cell, &off), 1, "no daemon runs");
    let named = ["off", "ap0", "--runtime-directory", &directory];
    assert!(at_gateway(&cell, &named).status.success());
    drop(start(&cell, &fixed("1 Mbps")));
}

#[test]
fn the_end_detaches() {
    let Some(_alone) = capable("end") else { return };
    let cell = Cell::new();
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut daemon = start(&cell, &fixed("1 Mbps"));
        daemon.signal(signal);
        assert_eq!(daemon.end(), Some(0));
        assert!(attached(&cell).is_empty());
        assert!(!cell.directory.path().join("run/ap0.sock").exists());
    }
}

#[test]
fn a_second_instance_is_refused_in_every_mode() {
    let Some(_alone) = capable("two instances") else { return };
    let cell = Cell::new();
    for mode in ["off", "observe", "enforce"] {
        let config = format!("mode = \"{mode}\"\nlimiter = \"fixed\"\n");
        let mut first = start(&cell, &config);
        let file = text(&cell.directory.path().join("gw.toml"));
        assert_refused(&at_gateway(&cell, &["run", &file]), 1, "another instance of evenaird");
        let status = first.wait_for("an answer", |_| true);
        assert_eq!((status.mode.as_str(), status.attached), (mode, mode != "off"));
        first.signal(Signal::SIGTERM);
        assert_eq!(first.end(), Some(0));
    }
}

#[test]
fn sockets_are_private() {
    let Some(_alone) = capable("sockets") else { return };
    let cell = Cell::new();
    let _daemon = start(&cell, &fixed("1 Mbps"));
    let mode = |name: &str| fs::metadata(cell.directory.path().join(name)).unwrap().mode() & 0o777;
    assert_eq!((mode("run"), mode("run/ap0.sock")), (0o700, 0o600));
}

#[test]
fn metrics_are_served_over_tcp_and_a_unix_socket() {
    let Some(_alone) = capable("metrics") else { return };
    let cell = Cell::new();
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut answer = String::new();
    let tcp = format!("{}metrics.listen = \"127.0.0.1:9723\"\n", fixed("1 Mbps"));
    let mut daemon = start(&cell, &tcp);
    let mut stream = cell.gateway.enter(|| TcpStream::connect("127.0.0.1:9723")).unwrap();
    stream.write_all(request).unwrap();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\nevenaird_attached{interface=\"ap0\"} 1\n"), "{answer}");
    assert!(answer.ends_with("# EOF\n"));
    let path = cell.directory.path().join("metrics");
    daemon.reload(&format!("{}metrics.listen = \"unix:{}\"\n", fixed("1 Mbps"), text(&path)));
    daemon.wait_for("a reload", |status| status.reloads == 1);
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(request).unwrap();
    answer.clear();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("# EOF\n"), "{answer}");
    assert!(cell.gateway.enter(|| TcpStream::connect("127.0.0.1:9723")).is_err());
}

#[test]
fn the_service_manager_is_told() {
    let Some(_alone) = capable("service manager") else { return };
    let cell = Cell::new();
    let folder = cell.directory.path();
    write_config(folder, &fixed("1 Mbps"));
    let manager = UnixDatagram::bind(folder.join("notify")).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut child = cell.gateway.enter(|| {
        let mut command = evenaird();
        command.arg("run").arg(folder.join("gw.toml")).stderr(Stdio::null());
        command.env("NOTIFY_SOCKET", folder.join("notify")).env("WATCHDOG_USEC", "400000");
        command.spawn().unwrap()
    });
    let next = || {
        let mut buffer = [0; 256];
        let length = manager.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    assert_eq!(next(), "READY=1\nSTATUS=ap0: enforce, a round every 1 s");
    // Five pings of 200 ms, while rounds take 1 s.
    for _ in 0..5 {
        assert_eq!(next(), "WATCHDOG=1");
    }
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, Signal::SIGHUP).unwrap();
    let not_a_ping = || loop {
        let message = next();
        if message != "WATCHDOG=1" {
            return message;
        }
    };
    assert!(not_a_ping().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert!(not_a_ping().starts_with("READY=1\n"));
    nix::sys::signal::kill(pid, Signal::SIGTERM).unwrap();
    assert_eq!(not_a_ping(), "STOPPING=1");
    assert!(child.wait().unwrap().success());
}

/// Memory has the secrets. SIGABRT is what an abort sends.
#[test]
fn a_crash_leaves_no_core_dump() {
    let Some(_alone) = capable("core dump") else { return };
    let cell = Cell::new();
    let folder = cell.directory.path();
    write_config(folder, &fixed("1 Mbps"));
    let script = "ulimit -c unlimited && exec \"$0\" run gw.toml";
    let mut child = cell.gateway.enter(|| {
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(env!("CARGO_BIN_EXE_evenaird")).current_dir(folder);
        command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    });
    let deadline = Instant::now() + Duration::from_secs(10);
    while !folder.join("run/ap0.sock").exists() {
        assert!(Instant::now() < deadline, "it does not start");
        sleep(Duration::from_millis(20));
    }
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, Signal::SIGABRT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!((status.signal(), status.core_dumped()), (Some(libc::SIGABRT), false));
}

/// Each of these is refused before anything is attached.
#[test]
fn bad_input_leaves_the_data_path_alone() {
    let Some(_alone) = capable("bad input") else { return };
    let cell = Cell::new();
    let folder = cell.directory.path();
    let secret = folder.join("community");
    fs::write(&secret, "hush-hush\n").unwrap();
    fs::set_permissions(&secret, Permissions::from_mode(0o644)).unwrap();
    let snmp = format!(
        "[loss_signal]\nkind = \"snmp\"\nhost = \"127.0.0.1\"\ninterface = 1\ncommunity_file = {secret:?}\n"
    );
    let bucket = |size| format!("limiter = {{ kind = \"fixed\", bucket = {size} }}\n");
    let cases = [
        ("mode = \"on\"\n".to_owned(), "gw.toml: mode: got \"on\"; accepted: "),
        ("limter = \"fixed\"\n".to_owned(), "did you mean `limiter`?"),
        (bucket(65_536), "limiter.bucket: got 65536 bytes; accepted: at least 68775 bytes"),
        (snmp, "loss_signal.community_file: got "),
        (
            "loss_signal = { kind = \"local\", device = \"wlan9\" }\n".to_owned(),
            "loss_signal.device: got \"wlan9\", which is not there; accepted: ",
        ),
    ];
    let file = text(&folder.join("gw.toml"));
    for (config, part) in cases {
        write_config(folder, &config);
        for command in ["run", "check"] {
            let output = at_gateway(&cell, &[command, &file]);
            assert_refused(&output, 2, part);
            assert!(!String::from_utf8_lossy(&output.stderr).contains("hush"));
        }
        assert!(attached(&cell).is_empty());
    }
    cell.gateway.ip("link property add dev ap0 altname uplink0");
    fs::write(folder.join("gw.toml"), format!("interface = \"uplink0\"\n{}", fixed("1 Mbps")))
        .unwrap();
    let part = "interface: got \"uplink0\", another name of \"ap0\"; accepted: \"ap0\"";
    assert_refused(&at_gateway(&cell, &["run", &file]), 2, part);
    let other = format!("interface = \"lo\"\nruntime_directory = {folder:?}\n{}", fixed("1 Mbps"));
    fs::write(folder.join("gw.toml"), other.replace("100 KB", "200 KB")).unwrap();
    fs::set_permissions(folder, Permissions::from_mode(0o700)).unwrap();
    assert_refused(&at_gateway(&cell, &["run", &file]), 2, "lo: got an interface of hardware type");
}
