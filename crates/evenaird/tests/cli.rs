//! The command line: what is refused, and replays. None of it needs root.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use support::process::{assert_refused, evenaird, run};

#[test]
fn wrong_arguments_are_one_line() {
    assert_refused(&run(&[]), 2, "accepted: run, check, status, off, replay");
    assert_refused(&run(&["strat"]), 2, "strat");
    assert_refused(&run(&["run"]), 2, "<CONFIG>");
    assert_refused(&run(&["run", "a", "b"]), 2, "'b'");
    assert_refused(&run(&["status", "--xml"]), 2, "--xml");
    assert_refused(&run(&["replay", "-", "--config"]), 2, "--config");
}

#[test]
fn help_and_version_are_no_errors() {
    for (argument, part) in [("--help", "replay"), ("--version", env!("CARGO_PKG_VERSION"))] {
        let output = run(&[argument]);
        assert!(output.status.success() && output.stderr.is_empty());
        assert!(String::from_utf8(output.stdout).unwrap().contains(part));
    }
}

#[test]
fn without_privileges_one_line_says_which_it_needs() {
    // Of Ethernet: ARPHRD_ETHER of linux/if_arp.h.
    let is_ethernet = |name: &str| {
        fs::read_to_string(format!("/sys/class/net/{name}/type")).is_ok_and(|kind| kind == "1\n")
    };
    let names = fs::read_dir("/sys/class/net").unwrap();
    let mut names = names.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let Some(interface) = names.find(|name| is_ethernet(name)) else {
        return eprintln!("skipped, for want of an Ethernet device: privileges");
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gw.toml");
    let runtime = folder.path().join("run");
    let text = format!(
        "interface = {interface:?}\nlimiter = {{ kind = \"fixed\", rate = \"5 Mbps\" }}\n\
         runtime_directory = {runtime:?}\n"
    );
    fs::write(&file, text).unwrap();
    let program = env!("CARGO_BIN_EXE_evenaird");
    // Root without capabilities is any user.
    let mut command = if nix::unistd::geteuid().is_root() {
        let mut wrapped = Command::new("setpriv");
        wrapped.args(["--bounding-set", "-all", "--inh-caps", "-all", program]);
        wrapped
    } else {
        Command::new(program)
    };
    let output = command.arg("run").arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if !said.contains("built without clang") {
        assert_refused(&output, 1, "run it as root, or with CAP_BPF and CAP_NET_ADMIN");
    }
}

#[test]
fn a_configuration_that_is_not_accepted_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gw.toml");
    let path = file.to_str().unwrap();
    let secret = folder.path().join("community");
    fs::write(&secret, "hush-hush\n").unwrap();
    fs::set_permissions(&secret, Permissions::from_mode(0o640)).unwrap();
    let snmp = format!(
        "interface = \"lo\"\n[loss_signal]\nkind = \"snmp\"\nhost = \"127.0.0.1\"\ninterface = 1\n\
         community_file = {secret:?}\n"
    );
    let slow = format!("{snmp}refresh = \"3 s\"\n");
    for (text, part) in [
        ("", "gw.toml: interface: missing; accepted: "),
        ("a = = 1", "gw.toml: line 1, column 5: "),
        (
            "interface = \"lo\"\nlimiter = \"fixed\"\nx = 1",
            "gw.toml: x: unknown key `x`; accepted: ",
        ),
        ("interface = \"none0\"\nlimiter = \"fixed\"", "gw.toml: interface: got \"none0\", which"),
        (
            "interface = \"lo\"\nlimiter = { kind = \"fixed\", bucket = \"50 KB\" }",
            "gw.toml: limiter.bucket: got 50000 bytes; accepted: at least ",
        ),
        (&snmp, "community_file: got "),
        (&slow, "limiter.interval: got 1 s; accepted: at least the refresh interval"),
    ] {
        fs::write(&file, text).unwrap();
        for command in ["check", "run"] {
            let output = run(&[command, path]);
            assert_refused(&output, 2, part);
            assert!(!String::from_utf8_lossy(&output.stderr).contains("hush"));
        }
    }
    fs::remove_file(&file).unwrap();
    assert_refused(&run(&["check", path]), 2, "No such file");
}

#[test]
fn check_says_what_it_has_understood() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gw.toml");
    fs::write(&file, "interface = \"lo\"\nlimiter = \"fixed\"\nrecords = { file = \"/r\" }")
        .unwrap();
    let output = run(&["check", file.to_str().unwrap()]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for part in
        ["observe: counts and decides, limits nothing", "2.3 Mbps", "300000 B", "/r, up to "]
    {
        assert!(text.contains(part), "{text}");
    }
    let adaptive = "interface = \"lo\"\nloss_signal = { kind = \"local\", device = \"lo\" }\n";
    fs::write(&file, adaptive).unwrap();
    let output = run(&["check", file.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    let values: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    for line in ["uplink_count air", "udp shared", "min_rate 0.3 Mbps"] {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(values.contains(&words), "{line} is not in\n{text}");
    }
    // What the daemon's unit may reach: nobody.
    assert!(text.ends_with("\n[Service]\nIPAddressDeny=any\n"), "{text}");
}

#[test]
fn without_a_daemon_status_and_off_fail() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().to_str().unwrap();
    for command in ["status", "off"] {
        let output = run(&[command, "--runtime-directory", directory]);
        assert_refused(&output, 1, "no daemon runs");
    }
    let output = run(&["status", "eth1", "--runtime-directory", directory]);
    assert_refused(&output, 1, "no daemon runs");
}

/// Tab. 1 by hand, R_step = 200 kb/s and C_max = 6 Mb/s: what is observed, and the state after it.
/// 1. No loss at C_max. 2. C = 4.8, R = max(min(5.8, 3.8), 2.4). 3. C = 5, R = max(3.6, 2.5).
/// 4. R = max(3.4, 2.6). 5. No loss: a step up; C stays. 6. R_up is below R: R = max(min(3.4, 2.8), 2.5).
/// 7. C / 2 is the bound: R = max(2.6, 2.75). 8. Not known: nothing changes.
const ROUNDS: [(&str, &str); 8] = [
    (
        r#"{"t_s": 1, "up_bps": 5000000, "down_bps": 1000000, "lost": false}"#,
        r#"{"t_s":1,"rate_bps":6000000,"capacity_bps":null,"first_loss":true}"#,
    ),
    (
        r#"{"t_s": 2, "up_bps": 4000000, "down_bps": 800000, "lost": true}"#,
        r#"{"t_s":2,"rate_bps":3800000,"capacity_bps":4800000,"first_loss":false}"#,
    ),
    (
        r#"{"t_s": 3.25, "up_bps": 3700000, "down_bps": 1300000, "lost": true}"#,
        r#"{"t_s":3.25,"rate_bps":3600000,"capacity_bps":5000000,"first_loss":false}"#,
    ),
    (
        r#"{"t_s": 4, "up_bps": 3500000, "down_bps": 1700000, "lost": true}"#,
        r#"{"t_s":4,"rate_bps":3400000,"capacity_bps":5200000,"first_loss":false}"#,
    ),
    (
        r#"{"t_s": 5, "up_bps": 3400000, "down_bps": 1700000, "lost": false}"#,
        r#"{"t_s":5,"rate_bps":3600000,"capacity_bps":5200000,"first_loss":true}"#,
    ),
    (
        r#"{"t_s": 6, "up_bps": 3000000, "down_bps": 2000000, "lost": true}"#,
        r#"{"t_s":6,"rate_bps":2800000,"capacity_bps":5000000,"first_loss":false}"#,
    ),
    (
        r#"{"t_s": 7, "up_bps": 2800000, "down_bps": 2700000, "lost": true, "more": {}}"#,
        r#"{"t_s":7,"rate_bps":2750000,"capacity_bps":5500000,"first_loss":false}"#,
    ),
    (
        r#"{"t_s": 8, "up_bps": 1, "down_bps": 1, "lost": null}"#,
        r#"{"t_s":8,"rate_bps":2750000,"capacity_bps":5500000,"first_loss":false}"#,
    ),
];

#[test]
fn a_replay_follows_tab_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rounds");
    let input: String = ROUNDS.iter().map(|(line, _)| format!("{line}\n")).collect();
    let expected: String = ROUNDS.iter().map(|(_, line)| format!("{line}\n")).collect();
    fs::write(&file, &input).unwrap();
    let output = run(&["replay", file.to_str().unwrap()]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    // From standard input.
    let mut child = evenaird();
    child.args(["replay", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap(), expected);
}

/// By hand with R_step = 1 Mb/s and C_max = 3 Mb/s: R = max(min(2, 1.8), 2.5), at most 3.
#[test]
fn a_replay_takes_the_limiter_of_a_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let (file, config) = (folder.path().join("rounds"), folder.path().join("gw.toml"));
    fs::write(&file, r#"{"t_s": 0, "up_bps": 2800000, "down_bps": 2200000, "lost": true}"#)
        .unwrap();
    let (file, config) = (file.to_str().unwrap(), config.to_str().unwrap());
    for text in [
        "[limiter]\nstep = \"1 Mbps\"\nmax_rate = \"3 Mbps\"\n",
        "interface = \"not-here\"\nmode = \"enforce\"\nlimiter = { max_rate = 3e6, step = 1e6 }\n\
         loss_signal = { kind = \"local\", device = \"nor-here\" }\n",
    ] {
        fs::write(config, text).unwrap();
        let output = run(&["replay", file, "--config", config]);
        let state = r#"{"t_s":0,"rate_bps":2500000,"capacity_bps":5000000,"first_loss":false}"#;
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{state}\n"));
    }
    fs::write(config, "[limiter]\nmax_rate = \"fast\"\n").unwrap();
    assert_refused(
        &run(&["replay", file, "--config", config]),
        2,
        "gw.toml: limiter.max_rate: got",
    );
}

#[test]
fn a_replay_of_bad_lines_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rounds");
    let path = file.to_str().unwrap();
    assert_refused(&run(&["replay", path]), 2, "No such file");
    for (text, part) in [
        ("1", "rounds: line 1: got \"1\": "),
        ("\n{\"t_s\": 0, \"up_bps\": 0, \"down_bps\": 0}\n", "rounds: line 2: got "),
        (
            "{\"t_s\": 0, \"up_bps\": -1, \"down_bps\": 0, \"lost\": true}",
            "got -1; accepted: a rate",
        ),
    ] {
        fs::write(&file, text).unwrap();
        assert_refused(&run(&["replay", path]), 2, part);
    }
}
