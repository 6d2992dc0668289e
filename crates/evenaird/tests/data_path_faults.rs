//! The data path when instances meet, die and are killed, and when the device goes.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests with real time")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use aya::programs::{SchedClassifier, TcAttachType};
use evenaird::data_path::{Counters, DataPath, Error, Options, Policy, Tcx, attached};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use support::cell::{Cell, policy};
use support::namespace::{connect, ip};
use support::{capable, report};

#[test]
fn a_second_instance_is_refused() {
    let Some(_alone) = capable("second instance") else { return };
    let cell = Cell::new();
    let limit = policy(1_000_000, 100_000);
    let first = cell.attach(&limit);
    let other =
        Options { runtime_directory: cell.directory.path().join("other"), ..cell.options() };
    for options in [cell.options(), other] {
        let Err(error) = cell.try_attach(&limit, &options) else { panic!("two instances") };
        assert_eq!(error.to_string(), "ap0: another instance of evenaird polices this interface");
    }
    assert_eq!(cell.gateway.enter(|| attached("ap0")).unwrap().len(), 2);
    drop(first);
    drop(cell.attach(&limit));
}

#[test]
fn nothing_is_left_behind() {
    let Some(_alone) = capable("nothing left behind") else { return };
    let cell = Cell::new();
    let data_path = cell.attach(&policy(0, 100_000));
    let names = cell.gateway.enter(|| attached("ap0")).unwrap();
    assert!(names[0].starts_with("evenaird_up (id ") && names[1].starts_with("evenaird_down (id "));
    drop(data_path);
    for hook in [TcAttachType::Ingress, TcAttachType::Egress] {
        let (_, programs) = cell.gateway.enter(|| SchedClassifier::query_tcx("ap0", hook)).unwrap();
        assert!(programs.is_empty(), "{programs:?}");
    }
}

#[test]
fn the_device_may_go_and_come_back() {
    let Some(_alone) = capable("device removed") else { return };
    let cell = Cell::new();
    let mut data_path = cell.attach(&policy(0, 100_000));
    cell.station.ip("link delete sta0");
    let gone = cell.gateway.enter(|| data_path.counters());
    assert!(matches!(gone, Err(Error::NoDevice { .. })), "{gone:?}");
    data_path.set_policy(&policy(1, 100_000)).unwrap();
    let refused = cell.try_attach(&policy(0, 1), &cell.options()).map(|_| ());
    assert!(matches!(refused, Err(Error::NoDevice { .. })), "{refused:?}");
    // Another device of the same name is another device.
    connect((&cell.station, "sta0"), (&cell.gateway, "ap0"), 1);
    assert!(cell.gateway.enter(|| data_path.counters()).is_err());
    drop(data_path);
    let mut data_path = cell.attach(&policy(0, 100_000));
    assert_eq!(cell.counters(&mut data_path).up[..2], Counters::default().up[..2]);
}

/// Another process that attaches a policer with an empty bucket, and is killed.
struct Instance(Child);

/// What this process gives the other one: a directory, and whether to pin.
const DIRECTORY: &str = "EVENAIRD_TEST_DIRECTORY";
const PINNED: &str = "EVENAIRD_TEST_PINNED";
const LEASE: Duration = Duration::from_secs(2);

impl Instance {
    /// Starts it in the thread's namespaces, and waits until it is attached.
    fn start(directory: &Path, pinned: bool) -> Self {
        Self::run(Command::new(std::env::current_exe().unwrap()), directory, pinned)
    }

    /// Starts it with a command whose last argument is this program.
    fn run(mut command: Command, directory: &Path, pinned: bool) -> Self {
        let mut child = command
            .args(["--exact", "the_other_process", "--nocapture"])
            .env(DIRECTORY, directory)
            .env(PINNED, if pinned { "yes" } else { "no" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let instance = Self(child);
        assert!(lines.map_while(Result::ok).any(|line| line.contains("attached")));
        instance
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SIGKILL.
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn options(directory: &Path, pinned: bool) -> Options {
    let runtime_directory = directory.join("run");
    Options { runtime_directory, pin_directory: directory.join("bpf"), pinned }
}

/// Not a test: what the other process does, which tests start and kill. It has nothing to do without
/// their environment.
#[test]
fn the_other_process() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let pinned = std::env::var(PINNED).unwrap() == "yes";
    let closed = Policy { lease: pinned.then_some(LEASE), ..policy(0, 1) };
    let _data_path = Tcx::attach("ap0", &closed, &options(directory.as_ref(), pinned)).unwrap();
    println!("attached");
    // Until it is killed, or the test has ended.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// Whether nothing is attached to a device within a second. The kernel gives up what was pinned a grace
/// period of RCU after its file is removed.
fn is_left_free(device: &str) -> bool {
    let start = Instant::now();
    while !attached(device).unwrap().is_empty() {
        if start.elapsed() > Duration::from_secs(1) {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
    true
}

/// The time until a datagram of the station arrives.
fn time_to_pass((sender, receiver): &(UdpSocket, UdpSocket), limit: Duration) -> Option<Duration> {
    receiver.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    let start = Instant::now();
    while start.elapsed() < limit {
        sender.send(b"?").unwrap();
        if receiver.recv(&mut [0; 8]).is_ok() {
            return Some(start.elapsed());
        }
    }
    None
}

#[test]
fn traffic_passes_when_the_process_is_killed() {
    let Some(_alone) = capable("killed process") else { return };
    let cell = Cell::new();
    let instance = cell.gateway.enter(|| Instance::start(cell.directory.path(), false));
    let uplink = cell.uplink();
    assert_eq!(time_to_pass(&uplink, Duration::from_millis(300)), None);
    let killed = Instant::now();
    drop(instance);
    assert!(time_to_pass(&uplink, Duration::from_secs(5)).is_some());
    let time = killed.elapsed();
    report(&format!("traffic passes {time:?} after SIGKILL"));
    assert!(time < Duration::from_secs(1), "{time:?}");
    assert_eq!(cell.gateway.enter(|| attached("ap0")).unwrap(), Vec::<String>::new());
}

/// Programs have names only where CAP_PERFMON lets the loader find out that they may.
#[test]
fn few_capabilities_suffice() {
    let Some(_alone) = capable("capabilities") else { return };
    for capabilities in ["-all,+bpf,+net_admin", "-all,+bpf,+net_admin,+perfmon"] {
        let cell = Cell::new();
        let mut command = Command::new("setpriv");
        command.arg(format!("--bounding-set={capabilities}"));
        command.arg(format!("--inh-caps={capabilities}"));
        command.arg(std::env::current_exe().unwrap());
        let start = || Instance::run(command, cell.directory.path(), false);
        let _instance = cell.gateway.enter(start);
        assert_eq!(time_to_pass(&cell.uplink(), Duration::from_millis(100)), None);
        if capabilities.contains("perfmon") {
            assert_eq!(cell.gateway.enter(|| attached("ap0")).unwrap().len(), 2);
        }
    }
}

#[test]
#[ignore = "long, in real time"]
fn a_pinned_policer_holds_for_its_lease_when_the_process_is_killed() {
    let Some(_alone) = capable("pinned policer") else { return };
    let cell = Cell::new();
    let directory = cell.directory.path();
    cell.gateway.enter(|| {
        // A bpf file system that only this thread and its children see.
        unshare(CloneFlags::CLONE_NEWNS).unwrap();
        let none = None::<&str>;
        mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).unwrap();
        let pins = directory.join("bpf");
        fs::create_dir(&pins).unwrap();
        mount(Some("bpf"), &pins, Some("bpf"), MsFlags::empty(), none).unwrap();

        let instance = Instance::start(directory, true);
        let uplink = cell.uplink();
        // Nobody renews the policy, but for this instance's start: it has passed in part.
        let start = Instant::now();
        drop(instance);
        assert_eq!(time_to_pass(&uplink, Duration::from_millis(500)), None);
        assert_eq!(attached("ap0").unwrap().len(), 2);
        assert!(pins.join("ap0/evenaird_up").exists());
        let time = time_to_pass(&uplink, 2 * LEASE);
        assert!(time.is_some() && start.elapsed() < LEASE + Duration::from_millis(500), "{time:?}");

        // The next instance removes what this one has left, and nothing is left of it.
        let options = options(directory, true);
        let closed = Policy { lease: Some(LEASE), ..policy(0, 1) };
        let mut data_path = Tcx::attach("ap0", &closed, &options).unwrap();
        assert_eq!(attached("ap0").unwrap().len(), 2);
        // Renewed, it holds beyond its lease.
        for _ in 0..5 {
            assert_eq!(time_to_pass(&uplink, LEASE / 4), None);
            data_path.set_policy(&closed).unwrap();
        }
        drop(data_path);
        assert!(is_left_free("ap0"));
        assert!(!pins.join("ap0").exists());
        assert!(time_to_pass(&uplink, LEASE).is_some());

        // Without an instance, leftovers can be removed as well.
        drop(Instance::start(directory, true));
        evenaird::data_path::remove_leftovers("ap0", &options).unwrap();
        assert!(is_left_free("ap0"));

        // Also when the device has another name by then.
        drop(Instance::start(directory, true));
        ip("link set ap0 down");
        ip("link set ap0 name lan0");
        assert_eq!(attached("lan0").unwrap().len(), 2);
        evenaird::data_path::remove_leftovers("ap0", &options).unwrap();
        assert!(is_left_free("lan0"));
        let again = evenaird::data_path::remove_leftovers("ap0", &options);
        assert!(matches!(again, Err(Error::NoDevice { .. })), "{again:?}");
    });
}

#[test]
fn pins_need_a_lease_and_a_bpf_file_system() {
    let Some(_alone) = capable("refusals of pins") else { return };
    let cell = Cell::new();
    let options = options(cell.directory.path(), true);
    let refusal = |policy| cell.try_attach(&policy, &options).map(|_| ()).unwrap_err().to_string();
    let closed = policy(0, 1);
    assert_eq!(refusal(closed), "a pinned data path needs a policy with a lease");
    let leased = Policy { lease: Some(LEASE), ..closed };
    let path = cell.directory.path().join("bpf/ap0/evenaird_up");
    let expected = format!("pin {}: not on a bpf file system (mount -t bpf)", path.display());
    assert_eq!(refusal(leased), expected);
    assert_eq!(cell.gateway.enter(|| attached("ap0")).unwrap(), Vec::<String>::new());
}
