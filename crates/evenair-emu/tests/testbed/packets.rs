//! What becomes of packets.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::hosts::{PORT, SERVER_ADDRESS, TestBed, capable, station_address};

/// Bytes that TCP carries in the test.
const LENGTH: usize = 300_000;

/// A megabyte or so in each direction, over IPv4 and IPv6, arrives as it was sent, and each packet
/// is accounted for.
#[test]
fn tcp_carries_bytes_both_ways() {
    let Some(_guard) = capable("tcp_carries_bytes_both_ways") else { return };
    let flow = json!({ "direction": "down" });
    let scenario = json!({ "station": [{ "count": 2, "flows": [flow] }] });
    let flows = json!([
        {
            "index": 0, "station": "sta-1", "host": "server", "up": true, "protocol": "tcp",
            "port": PORT
        },
        {
            "index": 1, "station": "sta-2", "host": "server", "up": false, "protocol": "tcp",
            "port": PORT
        },
    ]);
    let bed = TestBed::new(2, &scenario, json!({ "flows": flows, "duration_s": 30.0 }));
    bed.start();
    let sent: Vec<u8> = (0..LENGTH).map(|i| ((i * i) >> 7) as u8).collect();
    for (address, own, is_up) in
        [(SERVER_ADDRESS, station_address(1), true), ("fd78::1", "fd77::2".to_owned(), false)]
    {
        let listener = bed.server.enter(|| TcpListener::bind((address, PORT)).unwrap());
        let station = &bed.stations[usize::from(!is_up)];
        let mut client = station.enter(|| TcpStream::connect((address, PORT)).unwrap());
        assert_eq!(client.local_addr().unwrap().ip().to_string(), own);
        let (mut server, _) = listener.accept().unwrap();
        let (from, to) =
            if is_up { (&mut client, &mut server) } else { (&mut server, &mut client) };
        for stream in [&*from, &*to] {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        }
        let mut received = Vec::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                from.write_all(&sent).unwrap();
                from.shutdown(Shutdown::Write).unwrap();
            });
            to.read_to_end(&mut received).unwrap();
        });
        assert!(received == sent, "{address}: {} bytes arrived", received.len());
    }
    // What is still under way arrives.
    thread::sleep(Duration::from_millis(300));
    bed.stop();
    let report = bed.result();
    assert_eq!(report.account.unaccounted(), 0, "{:?}", report.account);
    let is_lost = |line: &String| line.contains("netdev_max_backlog");
    assert!(!report.warnings.iter().any(is_lost), "{:?}", report.warnings);
    for flow in &report.flows {
        assert!(flow.delivered_bytes_ip > LENGTH as u64, "{flow:?}");
        assert!(flow.answer_packets > 50 && flow.answer_bytes_ip < LENGTH as u64 / 10, "{flow:?}");
    }
    assert_eq!(report.account.in_flight, 0);
}

/// Where there are two processors, those of hosts are all but one, in each namespace.
#[test]
fn hosts_receive_on_other_processors_than_the_engine() {
    let Some(_guard) = capable("hosts_receive_on_other_processors_than_the_engine") else { return };
    let mask = "/proc/sys/net/core/rps_default_mask";
    if !Path::new(mask).exists() {
        println!("skipped: the kernel has no rps_default_mask");
        return;
    }
    let here = fs::read_to_string(mask).unwrap();
    let scenario = json!({ "station": [{ "flows": [{ "direction": "down" }] }] });
    let bed = TestBed::new(1, &scenario, json!({ "duration_s": 0.1 }));
    let count = thread::available_parallelism().unwrap().get() as u32;
    for namespace in [&bed.stations[0], &bed.gateway, &bed.server] {
        let text = namespace.enter(|| fs::read_to_string(mask)).unwrap();
        let words = text.trim().split(',').map(|word| u32::from_str_radix(word, 16).unwrap());
        assert_eq!(words.map(u32::count_ones).sum::<u32>(), count - 1, "{text}");
    }
    assert_eq!(fs::read_to_string(mask).unwrap(), here);
    bed.start();
    assert_eq!(bed.result().account.unaccounted(), 0);
}

/// Each reason for which the engine itself drops packets, with known numbers of them.
#[test]
fn drops_have_reasons() {
    let Some(_guard) = capable("drops_have_reasons") else { return };
    let flow = json!({ "direction": "up", "transport": "udp", "rate": "1 Mbps", "segment": 1000 });
    let station = json!({ "flows": [flow], "queue": { "limit": 5 } });
    let scenario = json!({ "station": [station] });
    let bed = TestBed::new(1, &scenario, json!({ "duration_s": 30.0 }));
    bed.start();
    let socket = bed.stations[0].enter(|| UdpSocket::bind((station_address(1), 0)).unwrap());
    let send = |address: &str, bytes: usize, count: usize| {
        for _ in 0..count {
            socket.send_to(&vec![0; bytes], (address, PORT)).unwrap();
        }
    };
    // The largest packet is the smallest MTU of IPv6, 1280 bytes: 1252 of payload and 28 of
    // headers.
    send(SERVER_ADDRESS, 1253, 3);
    send("10.99.0.1", 100, 4);
    thread::sleep(Duration::from_millis(100));
    let before = bed.server.received("eth0").0;
    // Far more at once than the queue holds.
    send(SERVER_ADDRESS, 1252, 100);
    thread::sleep(Duration::from_millis(500));
    let arrived = bed.server.received("eth0").0 - before;
    bed.stop();
    let report = bed.result();
    let dropped = report.account.dropped;
    assert_eq!((dropped.too_large, dropped.not_ip, dropped.device_full), (3, 0, 0));
    // The kernel's own multicasts as well.
    assert!(dropped.no_route >= 4, "{dropped:?}");
    assert_eq!(arrived + dropped.queue, 100, "{dropped:?}");
    assert!(dropped.queue > 50, "{dropped:?}");
    assert_eq!((report.account.unaccounted(), report.account.in_flight), (0, 0));
}
