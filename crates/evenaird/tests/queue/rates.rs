//! The rate at which the queue is emptied.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use nix::time::{clock_getcpuclockid, clock_gettime};

use crate::router::{Router, can_queue, queue_when};
use crate::support::process::Daemon;
use crate::support::report;
use crate::support::stalls::assert_measured;
use crate::support::udp::{arrivals, receiver, send_at, sender};

/// Bytes of an IP packet in these tests.
const SIZE: f64 = 1500.0;

/// Twice the rate over UDP, for 2 s. The arrivals of a second from 0.6 s on are those of a backlogged
/// queue, in which 60 packets wait after 0.4 s at 2 Mb/s; in any interval at most the burst of 15 kB
/// comes besides.
fn measured_rate(router: &Router, address: &str, rate: u64) -> f64 {
    let headers = if address.contains(':') { 48 } else { 28 };
    let receiver = router.station.enter(|| receiver(address));
    let sender = router.server.enter(|| sender(address));
    let stop = AtomicBool::new(false);
    let times = thread::scope(|scope| {
        scope.spawn(|| send_at(&sender, 2 * rate, SIZE as usize - headers, 1, &stop));
        let times = scope.spawn(|| arrivals(&receiver, &stop));
        sleep(Duration::from_secs(2));
        stop.store(true, Ordering::Relaxed);
        times.join().unwrap()
    });
    let start = times[0] + 0.6;
    let middle: Vec<f64> =
        times.into_iter().filter(|time| (start..start + 1.0).contains(time)).collect();
    // Intervals between packets, not packets.
    let length = middle[middle.len() - 1] - middle[0];
    (middle.len() - 1) as f64 * SIZE * 8.0 / length
}

#[test]
#[ignore = "long, in real time"]
fn packets_leave_at_the_rate() {
    let Some(_alone) = can_queue("rate of the queue") else { return };
    let router = Router::new();
    let mut daemon = router.start("{ rate = \"2 Mbps\" }");
    let addresses = [&router.cell.v4[0], &router.cell.v6[0]];
    let mut before = 0;
    for (address, mbps) in [(0, 2), (1, 2), (0, 20), (1, 20)] {
        daemon.reload(&crate::router::config(&format!("{{ rate = \"{mbps} Mbps\" }}")));
        queue_when(&mut daemon, "the rate", |queue| queue.rate_bps == Some(mbps * 1_000_000));
        let error = || {
            let got = measured_rate(&router, addresses[address], mbps * 1_000_000);
            let error = got / (mbps as f64 * 1e6) - 1.0;
            report(&format!(
                "queue at {mbps} Mb/s, {}: {:+.2}%",
                addresses[address],
                100.0 * error
            ));
            error
        };
        assert_measured(error, |error| error.abs() < 0.01);
        let queue = queue_when(&mut daemon, "an empty queue", |queue| queue.backlog_packets == 0);
        assert!(queue.dropped_packets > before);
        before = queue.dropped_packets;
    }
}

/// A download through 100 Mb/s after its slow start, and what it costs.
#[test]
#[ignore = "long, in real time"]
fn a_download_at_100_mbps() {
    const SLOW_START: Duration = Duration::from_secs(1);
    const LENGTH: Duration = Duration::from_secs(3);
    let Some(_alone) = can_queue("100 Mb/s") else { return };
    let router = Router::new();
    let mut daemon = router.start("{ kind = \"fq-codel\", rate = \"100 Mbps\", limit = 1000 }");
    let cpu_time = |pid| {
        let time = clock_gettime(clock_getcpuclockid(pid).unwrap()).unwrap();
        time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9
    };
    let listener = router.station.enter(|| TcpListener::bind(("0.0.0.0", 5001))).unwrap();
    let address = (router.cell.v4[0].as_str(), 5001);
    let pid = daemon.pid();
    let goodput = || {
        let mut stream = router.server.enter(|| TcpStream::connect(address)).unwrap();
        let mut sink = listener.accept().unwrap().0;
        let before = cpu_time(pid);
        let received = thread::scope(|scope| {
            scope.spawn(move || while stream.write_all(&[0; 1 << 16]).is_ok() {});
            let mut buffer = vec![0; 1 << 16];
            let mut read_for = |length| {
                let (start, mut total) = (Instant::now(), 0);
                while start.elapsed() < length {
                    total += sink.read(&mut buffer).unwrap();
                }
                total
            };
            read_for(SLOW_START);
            let total = read_for(LENGTH);
            drop(sink);
            total
        });
        let goodput = received as f64 * 8.0 / LENGTH.as_secs_f64() / 1e6;
        let cpu = (cpu_time(pid) - before) / (SLOW_START + LENGTH).as_secs_f64();
        report(&format!("download: {goodput:.1} Mb/s, {:.1}% of a core", 100.0 * cpu));
        goodput
    };
    // Headers with timestamps take 52 of 1,500 bytes.
    let most = 100.0 * 1448.0 / 1500.0;
    assert_measured(goodput, |goodput| *goodput < 1.01 * most && *goodput > 0.9 * most);
    let cpu = cpu_time(pid);
    let queue = queue_when(&mut daemon, "the packets", |queue| queue.packets > 0);
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let resident: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    report(&format!(
        "download through 100 Mb/s: {:.1} us per packet with those of the start, {} of {} packets \
         delayed, {} dropped, {resident} KiB resident",
        cpu * 1e6 / queue.packets as f64,
        queue.delayed_packets,
        queue.packets,
        queue.dropped_packets
    ));
    assert!(resident * 1024 < 20_000_000, "{resident}");
}

/// Packets that wait in the queue of a device.
fn device_backlog(router: &Router) -> f64 {
    let output = router.gateway.enter(|| {
        Command::new("tc").args(["-s", "-j", "qdisc", "show", "dev", "ap0"]).output().unwrap()
    });
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    json[0]["qlen"].as_f64().unwrap()
}

/// A download through a device that carries 4 Mb/s of Ethernet frames and has a queue of 60 packets,
/// as an access point's. It is the gateway's queue in which packets wait. By hand: after a loss the rate
/// is 0.95 of what the device carries and reaches it after 46 rounds; 28 rounds of 200 ms later, at 1.08,
/// 60 packets too many have come. The mean over these 74 rounds is 0.993.
#[test]
#[ignore = "long, in real time"]
fn the_rate_follows_the_capacity() {
    let Some(_alone) = can_queue("estimated capacity") else { return };
    assert_measured(download_at_an_estimated_rate, |[rate, goodput, at_device, in_queue]| {
        // A loss lowers the estimate to what has crossed the device, or by 1/8. A twentieth for what
        // the device's queue has taken in that round.
        (0.95 * 7.0 / 8.0..1.05 * 0.993).contains(rate)
            // A download fills most of the rate; headers take 52 of 1,500 bytes.
            && *goodput > 0.9 * rate * 1448.0 / 1500.0
            && at_device < in_queue
    });
}

/// The rate of the queue and the goodput, as shares of the capacity, and the packets that wait at the
/// device and in the queue.
fn download_at_an_estimated_rate() -> [f64; 4] {
    const START: Duration = Duration::from_secs(10);
    // The rate goes up and down around the capacity, in some seconds.
    const LENGTH: Duration = Duration::from_secs(30);
    let capacity = 4e6 * 1500.0 / 1514.0;
    let router = Router::new();
    let tc = "qdisc add dev ap0 root tbf rate 4mbit burst 10kb limit 90kb";
    router.gateway.enter(|| {
        let status = Command::new("tc").args(tc.split(' ')).status().unwrap();
        assert!(status.success(), "tc {tc}");
    });
    let config = "mode = \"enforce\"\nlimiter.interval = \"200 ms\"\nqueue = \"las\"\n\
                  loss_signal = { kind = \"local\", device = \"ap0\", counter = \"qdisc\" }\n";
    let daemon = Daemon::start(&router.gateway, router.directory.path(), config);
    let listener = router.station.enter(|| TcpListener::bind(("0.0.0.0", 5001))).unwrap();
    let address = (router.cell.v4[0].as_str(), 5001);
    let mut stream = router.server.enter(|| TcpStream::connect(address)).unwrap();
    let mut sink = listener.accept().unwrap().0;
    let received = AtomicU64::new(0);
    let mut samples = Vec::new();
    thread::scope(|scope| {
        scope.spawn(move || while stream.write_all(&[0; 1 << 14]).is_ok() {});
        let ender = sink.try_clone().unwrap();
        scope.spawn(|| {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(length @ 1..) = sink.read(&mut buffer) {
                received.fetch_add(length as u64, Ordering::Relaxed);
            }
        });
        sleep(START);
        received.store(0, Ordering::Relaxed);
        let end = Instant::now() + LENGTH;
        while Instant::now() < end {
            sleep(Duration::from_millis(100));
            let queue = daemon.status().unwrap().queue.unwrap();
            let rate = queue.rate_bps.unwrap() as f64 / capacity;
            samples.push([rate, device_backlog(&router), queue.backlog_packets as f64]);
        }
        ender.shutdown(std::net::Shutdown::Both).unwrap();
    });
    let goodput = received.into_inner() as f64 * 8.0 / LENGTH.as_secs_f64() / capacity;
    let mean = |column: usize| {
        samples.iter().map(|sample| sample[column]).sum::<f64>() / samples.len() as f64
    };
    report(&format!(
        "a device of {:.2} Mb/s: queue at {:.2} of it, goodput {goodput:.2} of it; {:.1} packets wait \
         at the device, {:.1} in the queue",
        capacity / 1e6,
        mean(0),
        mean(1),
        mean(2),
    ));
    [mean(0), goodput, mean(1), mean(2)]
}
