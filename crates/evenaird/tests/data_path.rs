//! Rates and delays of the data path, between network namespaces.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests with real time")]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use aya::programs::{SchedClassifier, TcAttachType};
use aya::sys::{Stats, enable_stats};
use evenaird::data_path::{DataPath, Policy, Protocol, Tcx};
use support::cell::{Cell, of, policy};
use support::stalls::assert_measured;
use support::{capable, report, udp};

/// What passes once the bucket is empty.
struct Passed {
    /// At IP level.
    bits: f64,
    /// From one arrival to another, s since the epoch.
    from: f64,
    to: f64,
}

impl Passed {
    fn rate(&self) -> f64 {
        self.bits / (self.to - self.from)
    }
}

/// Offers twice the rate while `meanwhile` runs, and compares the counters with what arrives.
fn overload(
    cell: &Cell,
    data_path: &mut Tcx,
    rate: u64,
    (payload, segments): (usize, usize),
    meanwhile: impl FnOnce(&mut Tcx),
) -> Passed {
    let (sender, receiver) = cell.uplink();
    let stop = AtomicBool::new(false);
    let before = cell.counters(data_path);
    let (sent, arrivals) = thread::scope(|scope| {
        let sending = scope.spawn(|| udp::send_at(&sender, 2 * rate, payload, segments, &stop));
        let receiving = scope.spawn(|| udp::arrivals(&receiver, &stop));
        meanwhile(data_path);
        stop.store(true, Ordering::Relaxed);
        (sending.join().unwrap(), receiving.join().unwrap())
    });
    // What the programs count is what was sent and what arrived.
    let after = cell.counters(data_path);
    let count = |after, before| {
        let (after, before) = (of(after, Protocol::Udp), of(before, Protocol::Udp));
        (after.packets - before.packets, after.bytes - before.bytes)
    };
    let datagram = payload as u64 + udp::HEADERS;
    let (passed, bytes) = count(&after.up, &before.up);
    assert_eq!((passed, bytes), (arrivals.len() as u64, arrivals.len() as u64 * datagram));
    let (dropped, bytes) = count(&after.dropped, &before.dropped);
    assert_eq!((dropped, bytes), (sent - passed, dropped * datagram));

    // The bucket is empty after its own length; count from 0.7 s on, without the first arrival.
    let late: Vec<f64> = arrivals.iter().copied().filter(|t| t - arrivals[0] > 0.7).collect();
    let (from, to) = (late[0], *late.last().unwrap());
    let count = late.iter().filter(|t| **t > from).count();
    Passed { bits: count as f64 * (datagram * 8) as f64, from, to }
}

/// UDP at twice the rate, with a bucket of 0.5 s or 70 kB, the larger: it is empty after 0.56 s.
fn passes_at_its_rate(segments: usize) {
    let error = |mbps: u64, seconds: u64| {
        let (cell, rate) = (Cell::new(), mbps * 1_000_000);
        let mut data_path = cell.attach(&policy(rate, (rate / 16).max(70_000)));
        let payload = 1400 / segments;
        let passed = overload(&cell, &mut data_path, rate, (payload, segments), |_| {
            thread::sleep(Duration::from_secs(1 + seconds));
        });
        let measured = passed.rate();
        let error = measured / rate as f64 - 1.0;
        report(&format!(
            "UDP in super-packets of {segments}: set {mbps} Mb/s, passed {:.4} Mb/s ({:+.2} %)",
            measured / 1e6,
            error * 100.0
        ));
        error
    };
    // Each in namespaces of its own; the slow ones at the same time.
    let errors = || {
        let mut errors = thread::scope(|scope| {
            let slow =
                [(1, 4), (5, 2), (20, 2)].map(|(mbps, s)| scope.spawn(move || error(mbps, s)));
            slow.map(|thread| thread.join().unwrap()).to_vec()
        });
        errors.push(error(100, 2));
        errors
    };
    assert_measured(errors, |errors| errors.iter().all(|error| error.abs() <= 0.01));
}

#[test]
#[ignore = "long, in real time"]
fn udp_passes_at_the_rate() {
    let Some(_alone) = capable("rate of UDP") else { return };
    passes_at_its_rate(1);
}

#[test]
#[ignore = "long, in real time"]
fn udp_in_super_packets_passes_at_the_rate() {
    let Some(_alone) = capable("rate of UDP in super-packets") else { return };
    passes_at_its_rate(4);
}

/// Seconds since the epoch, the clock of arrivals.
fn epoch() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64()
}

/// What passes is what the rates yield. A policer that fills its bucket at each change passes all
/// of the 40 Mb/s.
#[test]
#[ignore = "long, in real time"]
fn a_thousand_rate_changes_under_load_neither_add_nor_lose_tokens() {
    let Some(_alone) = capable("rate changes under load") else { return };
    assert_measured(error_of_a_thousand_rate_changes, |error| error.abs() < 0.01);
}

fn error_of_a_thousand_rate_changes() -> f64 {
    let cell = Cell::new();
    let rate = |change: usize| [15_000_000, 25_000_000][change % 2];
    let mut data_path = cell.attach(&policy(rate(1), 1_000_000));
    let (mut changes, mut costs) = (Vec::new(), Vec::new());
    let passed = overload(&cell, &mut data_path, 20_000_000, (1400, 1), |data_path| {
        for change in 0..1000 {
            thread::sleep(Duration::from_millis(3));
            let before = Instant::now();
            data_path.set_policy(&policy(rate(change), 1_000_000)).unwrap();
            costs.push(before.elapsed());
            changes.push(epoch());
        }
    });
    // The integral of the rate, as user space saw its changes.
    changes.push(f64::INFINITY);
    let yielded: f64 = (0..1000)
        .map(|i| {
            let time = changes[i + 1].min(passed.to) - changes[i].max(passed.from);
            time.max(0.0) * rate(i) as f64
        })
        .sum();
    let error = passed.bits / yielded - 1.0;
    costs.sort();
    report(&format!(
        "1,000 rate changes: passed {:+.3} % of what the rates yield; a change takes {:?} (median), \
         {:?} (99 %)",
        error * 100.0,
        costs[500],
        costs[990]
    ));
    error
}

#[test]
fn a_thousand_policy_changes_lose_no_packet() {
    let Some(_alone) = capable("policy changes below the limit") else { return };
    let cell = Cell::new();
    let mut data_path = cell.attach(&policy(100_000_000, 500_000));
    let (sender, receiver) = cell.uplink();
    let stop = AtomicBool::new(false);
    let (sent, arrived) = thread::scope(|scope| {
        let sending = scope.spawn(|| udp::send_at(&sender, 50_000_000, 1400, 1, &stop));
        let receiving = scope.spawn(|| udp::arrivals(&receiver, &stop).len());
        for change in 0..1000 {
            let udp_rate_bps = (change % 2 == 0).then_some(200_000_000);
            let limit = policy(100_000_000 + change, 500_000 + change);
            data_path.set_policy(&Policy { udp_rate_bps, ..limit }).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        stop.store(true, Ordering::Relaxed);
        (sending.join().unwrap(), receiving.join().unwrap())
    });
    assert!(sent > 2000, "{sent} datagrams");
    assert_eq!(arrived as u64, sent);
}

/// The bar: less than 5 us per packet at 100 Mb/s. The kernel's own measurement of the programs,
/// and the time that a datagram and its answer take without and with them.
#[test]
fn a_packet_is_delayed_by_less_than_five_microseconds() {
    let Some(_alone) = capable("added delay") else { return };
    let cell = Cell::new();
    let without = round_trip(&cell);
    let mut data_path = cell.attach(&policy(100_000_000, 6_250_000));
    let with = round_trip(&cell);

    let _statistics = enable_stats(Stats::RunTime).unwrap();
    overload(&cell, &mut data_path, 100_000_000, (1400, 1), |_| {
        thread::sleep(Duration::from_secs(2));
    });
    let (_, programs) =
        cell.gateway.enter(|| SchedClassifier::query_tcx("ap0", TcAttachType::Ingress)).unwrap();
    let runs = programs[0].run_count();
    let mean = programs[0].run_time().as_secs_f64() * 1e6 / runs as f64;
    report(&format!(
        "policer: {mean:.3} us per packet over {runs} packets at 200 Mb/s offered; \
         median round trip (up and down) {without:.2} us without, {with:.2} us with"
    ));
    assert!(runs > 20_000, "{runs} packets");
    assert!(mean < 5.0, "{mean} us");
}

/// Median time from a datagram of the station to the gateway's answer, us. All datagrams together
/// are below the bucket's size.
fn round_trip(cell: &Cell) -> f64 {
    let (station, gateway) = cell.uplink();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for socket in [&station, &gateway] {
            socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        }
        scope.spawn(|| {
            let mut buffer = [0; 2048];
            while !stop.load(Ordering::Relaxed) {
                if let Ok((bytes, from)) = gateway.recv_from(&mut buffer) {
                    gateway.send_to(&buffer[..bytes], from).unwrap();
                }
            }
        });
        let mut times: Vec<Duration> = (0..2000)
            .map_while(|_| {
                let start = Instant::now();
                station.send(&[0; 1400]).unwrap();
                station.recv(&mut [0; 2048]).ok().map(|_| start.elapsed())
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        assert_eq!(times.len(), 2000);
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e6
    })
}
