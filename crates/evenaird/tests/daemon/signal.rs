//! The loss signal as the operator sees it.

use std::fs::{self, Permissions};
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use evenaird::status::Status;

use crate::support::cell::Cell;
use crate::support::process::{Daemon, assert_refused, run, write_config};
use crate::support::radio::{NAME as RADIO, Radio};
use crate::support::snmpd::{COMMUNITY, PORT, Snmpd};
use crate::support::udp::{receiver, send_at, sender};
use crate::support::{capable, has_program, report};
use crate::{attached, start};

/// An agent in the gateway's namespace, which stands for that of an access point whose radio is
/// `ap0`. It caches interface counters for 3 s.
fn start_agent(cell: &Cell) -> Snmpd {
    cell.gateway.enter(|| Snmpd::start(&[]))
}

fn config(cell: &Cell, interval: &str) -> String {
    let secret = cell.directory.path().join("community");
    fs::write(&secret, format!("{COMMUNITY}\n")).unwrap();
    fs::set_permissions(&secret, Permissions::from_mode(0o600)).unwrap();
    format!(
        "mode = \"enforce\"\nlimiter.interval = \"{interval}\"\n[loss_signal]\nkind = \"snmp\"\n\
         host = \"127.0.0.1\"\nport = {PORT}\ninterface = \"ap0\"\nhold = \"1 s\"\n\
         community_file = {secret:?}\n"
    )
}

/// Runs `test` while the gateway sends to the station, so that the agent's counters move.
fn under_traffic(cell: &Cell, test: impl FnOnce()) {
    let address = cell.addresses.v4[0].clone();
    let _receiver = cell.station.enter(|| receiver(&address));
    let sender = cell.gateway.enter(|| sender(&address));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| send_at(&sender, 1_000_000, 1000, 1, &stop));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(test));
        stop.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

/// The agent refreshes its counters every 3 s: an interval of 1 s is refused, one of 4 s is not.
#[test]
#[ignore = "long, in real time"]
fn an_interval_below_the_agents_refresh_is_refused() {
    let Some(_alone) = capable("agent's refresh") else { return };
    if !has_program("agent's refresh", "snmpd") {
        return;
    }
    let cell = Cell::new();
    let _agent = start_agent(&cell);
    under_traffic(&cell, || {
        let folder = cell.directory.path();
        write_config(folder, &config(&cell, "1 s"));
        let file = folder.join("gw.toml");
        let output = cell.gateway.enter(|| run(&["run", file.to_str().unwrap()]));
        assert_refused(&output, 2, "limiter.interval: got 1 s; accepted: at least the refresh");
        report(String::from_utf8_lossy(&output.stderr).trim());
        assert!(attached(&cell).is_empty());
        let mut daemon = start(&cell, &config(&cell, "4 s"));
        let status = daemon.wait_for("a refresh interval", |status| {
            status.signal.as_ref().is_some_and(|signal| signal.refresh_s.is_some())
        });
        let refresh = status.signal.unwrap().refresh_s.unwrap();
        assert!((2.8..=3.4).contains(&refresh), "{refresh}");
    });
}

/// The states of an agent that caches, stops and starts again, as status, metrics and records have
/// them. The stated refresh interval is wrong, so the pauses of the counters are seen as such.
#[test]
#[ignore = "long, in real time"]
fn every_state_of_an_agent_is_shown() {
    let Some(_alone) = capable("states of an agent") else { return };
    if !has_program("states of an agent", "snmpd") {
        return;
    }
    let cell = Cell::new();
    let records = cell.directory.path().join("records");
    let agent = start_agent(&cell);
    let agent_started = Instant::now();
    under_traffic(&cell, || {
        let config = config(&cell, "250 ms");
        let config = format!("{config}refresh = \"100 ms\"\n[records]\nfile = {records:?}\n");
        let mut daemon = start(&cell, &config);
        let mut wait_for = |state: &str| {
            let status = daemon.wait_for(state, |status| {
                status.signal.as_ref().is_some_and(|signal| signal.state == state)
            });
            let sample =
                format!("evenaird_signal{{interface=\"ap0\",evenaird_signal=\"{state}\"}} 1\n");
            assert!(evenaird::metrics::text(&status).contains(&sample));
        };
        wait_for("ok");
        wait_for("stale");
        // The signal sees a restart by sysUpTime, of an agent that has run for more than 5 s.
        sleep(Duration::from_secs(6).saturating_sub(agent_started.elapsed()));
        drop(agent);
        wait_for("unreachable");
        daemon.wait_for("the release", |status| {
            status.last.as_ref().is_some_and(|last| last.reason == "released")
        });
        let _agent = start_agent(&cell);
        let deadline = Instant::now() + Duration::from_secs(10);
        let text = || fs::read_to_string(&records).unwrap();
        while !text().contains("\"signal\":\"reset\"") {
            assert!(Instant::now() < deadline, "{}", text());
            sleep(Duration::from_millis(100));
        }
        let mut wait_for_ok = || {
            daemon.wait_for("fresh counters", |status| {
                status.last.as_ref().is_some_and(|last| last.reason == "no-loss")
            })
        };
        assert_eq!(wait_for_ok().last.unwrap().rate_bps, 6_000_000);
        let reasons: Vec<String> = text()
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["reason"].to_string()
            })
            .collect();
        assert!(reasons.contains(&"\"held\"".to_owned()), "{reasons:?}");
    });
}

/// The community was wrong; then the file is changed, and not the configuration.
#[test]
fn a_reload_reads_secrets_again() {
    let Some(_alone) = capable("changed secret") else { return };
    if !has_program("changed secret", "snmpd") {
        return;
    }
    let cell = Cell::new();
    let _agent = start_agent(&cell);
    let config = config(&cell, "250 ms");
    let config = format!("{config}refresh = \"100 ms\"\n");
    let secret = cell.directory.path().join("community");
    fs::write(&secret, "another one\n").unwrap();
    let mut daemon = start(&cell, &config);
    let has_error = |status: &Status, part: &str| {
        let signal = status.signal.as_ref();
        signal.is_some_and(|signal| signal.error.as_ref().is_some_and(|error| error.contains(part)))
    };
    daemon.wait_for("no answer", |status| has_error(status, "no answer; "));
    fs::write(&secret, format!("{COMMUNITY}\n")).unwrap();
    daemon.reload(&config);
    daemon.wait_for("an answer", |status| !has_error(status, ""));
}

/// Everything that the daemon shows of itself.
fn shown(daemon: &Daemon) -> String {
    let command = fs::read(format!("/proc/{}/cmdline", daemon.pid())).unwrap();
    let status = serde_json::to_string(&daemon.status().unwrap()).unwrap();
    format!("{}{status}{}", String::from_utf8_lossy(&command), daemon.log())
}

/// A counter that ticks in an idle cell, in which C is some kb/s: R falls to 5% of 6 Mb/s, and no further.
#[test]
fn losses_without_load_are_said() {
    let Some(_alone) = capable("losses without load") else { return };
    let cell = Cell::new();
    let mut radio = cell.gateway.enter(Radio::new);
    let signal = format!("loss_signal = {{ kind = \"local\", device = \"{RADIO}\" }}\n");
    let records = cell.directory.path().join("records");
    let files = format!("records.file = {records:?}\nlimiter.interval = \"100 ms\"\n");
    let daemon = start(&cell, &format!("{signal}{files}"));
    let directory = cell.directory.path().join("run");
    let status = || {
        let output = run(&["status", "--runtime-directory", directory.to_str().unwrap()]);
        String::from_utf8(output.stdout).unwrap()
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    assert!(!status().contains("warning"), "{}", status());
    while !status().contains("\nwarning     losses do not follow the load: ") {
        assert!(Instant::now() < deadline, "{}", status());
        radio.lose(1);
        sleep(Duration::from_millis(100));
    }
    let text = fs::read_to_string(records).unwrap();
    let rates = text.lines().map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["rate_bps"].as_u64().unwrap()
    });
    assert_eq!(rates.min(), Some(300_000));
    assert!(daemon.log().contains("rounds without load"), "{}", daemon.log());
}

/// The agent is behind the policed interface, and 9,375 packets of 40 bytes per second, 3 Mb/s, take all
/// tokens of 1 Mb/s as they accrue: a reply that was charged would not pass.
#[test]
#[ignore = "long, in real time"]
fn small_packets_do_not_blind_the_signal() {
    let Some(_alone) = capable("small packets") else { return };
    if !has_program("small packets", "snmpd") {
        return;
    }
    let cell = Cell::new();
    let _agent = cell.station.enter(|| {
        let agent = Snmpd::start(&[]);
        agent.set_cache_timeout(0);
        agent
    });
    let front =
        cell.station.enter(|| UdpSocket::bind((cell.addresses.v4[0].as_str(), 161)).unwrap());
    let back = cell.station.enter(|| UdpSocket::bind("127.0.0.1:0").unwrap());
    back.connect(("127.0.0.1", PORT)).unwrap();
    back.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    // The agent listens on loopback. The thread ends with the test's process.
    thread::spawn(move || {
        let mut buffer = [0; 2048];
        loop {
            let (length, from) = front.recv_from(&mut buffer).unwrap();
            back.send(&buffer[..length]).unwrap();
            let Ok(length) = back.recv(&mut buffer) else { continue };
            front.send_to(&buffer[..length], from).unwrap();
        }
    });
    let text = config(&cell, "500 ms")
        .replace("limiter.", "limiter.max_rate = \"1 Mbps\"\nlimiter.bucket = \"100 KB\"\nlimiter.")
        .replace("127.0.0.1", &cell.addresses.v4[0])
        .replace(&format!("port = {PORT}"), "refresh = \"500 ms\"")
        .replace("interface = \"ap0\"", "interface = \"sta0\"");
    let (sender, _receiver) = cell.uplink();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| send_at(&sender, 3_000_000, 12, 1, &stop));
        let mut daemon = start(&cell, &text);
        let before = daemon.wait_for("tokens to be used up", |status| status.rounds.total >= 4);
        let after =
            daemon.wait_for("rounds", |status| status.rounds.total >= before.rounds.total + 16);
        stop.store(true, Ordering::Relaxed);
        let rounds = after.rounds.total - before.rounds.total;
        let blind = after.rounds.blind - before.rounds.blind;
        let dropped = |status: &Status| -> u64 {
            status.traffic.iter().map(|traffic| traffic.dropped_packets).sum()
        };
        let dropped = dropped(&after) - dropped(&before);
        report(&format!("small packets: {blind} of {rounds} rounds blind, {dropped} dropped"));
        assert!(10 * blind <= rounds, "{blind} of {rounds}: {:?}", after.signal);
        // Two of three packets, in 8 s; half of them on a busy machine.
        assert!(dropped > 8 * 9375 / 3, "{dropped}");
    });
}

#[test]
fn an_agent_that_does_not_answer_is_shown_and_the_limit_lifted() {
    let Some(_alone) = capable("unreachable agent") else { return };
    let cell = Cell::new();
    let mut daemon = start(&cell, &config(&cell, "250 ms"));
    let status = daemon.wait_for("the release", |status| {
        status.last.as_ref().is_some_and(|last| last.reason == "released")
    });
    let signal = status.signal.unwrap();
    assert_eq!(signal.state, "unreachable");
    assert!(signal.error.unwrap().contains("no answer"));
    let last = status.last.unwrap();
    assert_eq!(
        (last.lost, last.rate_bps, last.signal.as_deref()),
        (None, 6_000_000, Some("unreachable"))
    );
    assert!(!shown(&daemon).contains(COMMUNITY));
}
