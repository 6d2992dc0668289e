//! The loss signal of a device of this host, against what was lost and what `tc` shows.
#![allow(clippy::unwrap_used, reason = "a test fails where its set-up fails")]
#![allow(clippy::disallowed_methods, reason = "agents and devices have clocks of their own")]

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use evenaird::signal::netlink::{DeviceCounter, LocalSignal};
use evenaird::signal::{Health, LossSignal};

use crate::support::in_namespace;
use crate::support::radio::{NAME, Radio};

fn poll(signal: &mut LocalSignal) -> (Health, Option<u64>) {
    let sample = signal.poll(true);
    (sample.health, sample.lost)
}

#[test]
fn losses_of_a_device() {
    in_namespace(&[], || {
        let mut signal = LocalSignal::open(NAME, DeviceCounter::Device).unwrap();
        assert_eq!(poll(&mut signal), (Health::Unreachable, None));
        assert!(signal.error().unwrap().starts_with("device radio0: No such device"));

        let mut radio = Radio::new();
        radio.lose(4);
        assert_eq!(poll(&mut signal), (Health::Ok, None));
        for lost in [1, 0, 250] {
            radio.lose(lost);
            assert_eq!(poll(&mut signal), (Health::Ok, Some(lost)));
        }
        assert_eq!(signal.error(), None);

        // Removed, and there again with other counters.
        drop(radio);
        // A process that another test is about to start may have the descriptor until it runs.
        let deadline = Instant::now() + Duration::from_secs(2);
        while poll(&mut signal) != (Health::Unreachable, None) {
            assert!(Instant::now() < deadline, "the device is still there");
        }
        let mut radio = Radio::new();
        radio.lose(300);
        assert_eq!(poll(&mut signal), (Health::Reset, None));
        radio.lose(2);
        assert_eq!(poll(&mut signal), (Health::Ok, Some(2)));
    });
}

#[test]
fn losses_of_queueing_disciplines() {
    in_namespace(&["tc"], || {
        let radio = Radio::new();
        let mut device = LocalSignal::open(NAME, DeviceCounter::Device).unwrap();
        let mut qdisc = LocalSignal::open(NAME, DeviceCounter::Qdisc).unwrap();
        // It lets pass what fills the queue of `radio`, and then a packet in 128 ms.
        tc("add", &["tbf", "rate", "8kbit", "burst", "1280", "limit", "3000"]);
        assert_eq!(poll(&mut qdisc), (Health::Ok, None));
        poll(&mut device);
        let mut before = 0;
        for packets in [100, 0, 1000] {
            radio.send(packets);
            let drops = tc_drops();
            assert!(packets == 0 || drops > before, "nothing was lost");
            assert_eq!(poll(&mut qdisc), (Health::Ok, Some(drops - before)));
            // The device knows nothing of it.
            assert_eq!(poll(&mut device), (Health::Ok, Some(0)));
            before = drops;
        }
        tc("replace", &["pfifo", "limit", "10"]);
        assert_eq!(poll(&mut qdisc), (Health::Reset, None));
        assert_eq!(poll(&mut qdisc), (Health::Ok, Some(0)));
    });
}

fn tc(verb: &str, qdisc: &[&str]) {
    let mut command = Command::new("tc");
    let status = command.args(["qdisc", verb, "dev", NAME, "root"]).args(qdisc).status().unwrap();
    assert!(status.success());
}

/// The drops of the root queueing discipline, as `tc -statistics` prints them.
fn tc_drops() -> u64 {
    let output =
        Command::new("tc").args(["-s", "-j", "qdisc", "show", "dev", NAME]).output().unwrap();
    let qdiscs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    qdiscs[0]["drops"].as_u64().unwrap()
}
