//! Hosts of a scenario in namespaces, with the addresses and routes of a test-bed.

use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use evenair_emu::{Report, Running, Spec};
use serde_json::{Value, json};

use crate::namespace::Namespace;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Whether this host has root and TUN; one line says what is missing. With CI=true a test fails
/// instead. Tests that hold the guard do not disturb each other's timing.
pub fn capable(test: &str) -> Option<MutexGuard<'static, ()>> {
    let missing = if !nix::unistd::geteuid().is_root() {
        "root"
    } else if !Path::new("/dev/net/tun").exists() {
        "/dev/net/tun"
    } else {
        return Some(ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner));
    };
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{test} needs {missing}");
    let line = format!("skipped, for want of {missing}: {test}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    None
}

/// Stations, a gateway and a server, and the engine between them.
pub struct TestBed {
    pub stations: Vec<Namespace>,
    pub gateway: Namespace,
    pub server: Namespace,
    engine: Running,
}

/// The address of a station, by its number from 1.
pub fn station_address(number: usize) -> String {
    format!("10.77.0.{number}")
}

pub const SERVER_ADDRESS: &str = "10.78.0.1";
/// The port of all flows.
pub const PORT: u16 = 5201;

impl TestBed {
    /// The hosts of a scenario with this many stations. `more` are further keys of the
    /// specification.
    pub fn new(stations: usize, scenario: &Value, more: Value) -> Self {
        let each: Vec<Namespace> = (0..stations).map(|_| Namespace::new()).collect();
        let (gateway, server) = (Namespace::new(), Namespace::new());
        let mut namespaces = json!({ "gateway": gateway.path(), "server": server.path() });
        let mut addresses = json!({
            "gateway": ["10.77.255.254", "10.78.255.254", "fd77::ffff", "fd78::ffff"],
            "server": [SERVER_ADDRESS, "fd78::1"],
        });
        for (number, station) in (1..).zip(&each) {
            namespaces[format!("sta-{number}")] = station.path().into();
            let v6 = format!("fd77::{number}");
            addresses[format!("sta-{number}")] = json!([station_address(number), v6]);
        }
        let mut spec = json!({
            "scenario": scenario.to_string(), "seed": 1, "namespaces": namespaces,
            "addresses": addresses, "duration_s": 10.0, "max_lateness_s": 0.002, "realtime": true,
        });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let engine = Running::begin(Spec::parse(&spec.to_string()).unwrap()).unwrap();
        for (number, station) in (1..).zip(&each) {
            let v4 = station_address(number);
            configure(station, "wlan0", &format!("{v4}/32"), &format!("fd77::{number}/128"));
            default_routes(station, "wlan0");
        }
        configure(&server, "eth0", &format!("{SERVER_ADDRESS}/32"), "fd78::1/128");
        default_routes(&server, "eth0");
        configure(&gateway, "ap0", "10.77.255.254/16", "fd77::ffff/64");
        configure(&gateway, "wan0", "10.78.255.254/16", "fd78::ffff/64");
        gateway.enter(|| {
            for family in ["ipv4/ip_forward", "ipv6/conf/all/forwarding"] {
                std::fs::write(format!("/proc/sys/net/{family}"), "1").unwrap();
            }
        });
        Self { stations: each, gateway, server, engine }
    }

    /// Time 0 of the scenario is now.
    pub fn start(&self) {
        self.engine.start().unwrap();
    }

    /// Ends the run now.
    pub fn stop(&self) {
        self.engine.signals().stop();
    }

    /// The result.
    pub fn result(&self) -> Report {
        let patience = Duration::from_secs(60);
        self.engine.result_within(patience).unwrap().expect("the run ends in time")
    }
}

fn configure(namespace: &Namespace, device: &str, v4: &str, v6: &str) {
    namespace.ip(&format!("address add {v4} dev {device}"));
    namespace.ip(&format!("address add {v6} dev {device} nodad"));
    namespace.ip(&format!("link set {device} up"));
}

fn default_routes(namespace: &Namespace, device: &str) {
    namespace.ip(&format!("route add default dev {device}"));
    namespace.ip(&format!("-6 route add default dev {device}"));
}
