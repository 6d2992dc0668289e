//! A long run with connections that come and go: memory stays, and no packet is lost sight of.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::hosts::{PORT, SERVER_ADDRESS, TestBed, capable, station_address};

const STATIONS: usize = 4;

/// Seconds, by EVENAIR_ENDURANCE_S; otherwise half an hour.
fn seconds() -> u64 {
    let seconds = std::env::var("EVENAIR_ENDURANCE_S");
    seconds.ok().and_then(|text| text.parse().ok()).unwrap_or(1800)
}

#[test]
#[ignore = "takes half an hour"]
fn memory_is_flat() {
    let Some(_guard) = capable("memory_is_flat") else { return };
    let flows = json!([{ "direction": "up" }, { "direction": "down" }]);
    let scenario = json!({
        "cell": { "phy": "802.11g", "data_rate": "54 Mbps" },
        "station": [{ "count": STATIONS, "flows": flows }],
    });
    let bed = TestBed::new(STATIONS, &scenario, json!({ "duration_s": seconds() + 10 }));
    let end = Instant::now() + Duration::from_secs(seconds());
    let transfers = AtomicU64::new(0);
    bed.start();
    let memory = thread::scope(|scope| {
        for (number, station) in (1..).zip(&bed.stations) {
            for is_up in [true, false] {
                let port = PORT + 2 * number as u16 + u16::from(is_up);
                let listener =
                    bed.server.enter(|| TcpListener::bind((SERVER_ADDRESS, port)).unwrap());
                let transfers = &transfers;
                scope.spawn(move || {
                    // From 1 kB to 1 MB, each size in turn.
                    for round in 0.. {
                        if Instant::now() >= end {
                            break;
                        }
                        let bytes = 1000 << (round % 11);
                        let client = station.enter(|| TcpStream::connect((SERVER_ADDRESS, port)));
                        let (client, (server, from)) =
                            (client.unwrap(), listener.accept().unwrap());
                        assert_eq!(from.ip().to_string(), station_address(number));
                        transfer(is_up, &client, &server, bytes);
                        transfers.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        }
        let mut memory = Vec::new();
        while Instant::now() < end {
            thread::sleep(Duration::from_secs(1));
            memory.push(resident_pages());
        }
        memory
    });
    thread::sleep(Duration::from_secs(1));
    bed.stop();
    let report = bed.result();
    // Connections that are closing send a few more packets.
    assert_eq!(report.account.unaccounted(), 0, "{:?}", report.account);
    let quarter = memory.len() / 4;
    let mean = |pages: &[u64]| pages.iter().sum::<u64>() as f64 / pages.len() as f64;
    let (first, last) = (mean(&memory[quarter..2 * quarter]), mean(&memory[3 * quarter..]));
    println!(
        "{} s, {} transfers, {:?}, pages {first} then {last}, {:?}, {:.1} s of the processor",
        report.elapsed_s,
        transfers.into_inner(),
        report.account,
        report.lateness_s,
        report.cpu_s
    );
    assert!((last / first - 1.0).abs() < 0.05, "{first} pages, then {last}");
    assert!(report.lateness_s.p99 < 0.001, "{:?}", report.lateness_s);
}

/// Sends so many bytes one way, and closes the connection.
fn transfer(is_up: bool, client: &TcpStream, server: &TcpStream, bytes: usize) {
    let (mut from, mut to) = if is_up { (client, server) } else { (server, client) };
    thread::scope(|scope| {
        scope.spawn(move || {
            from.write_all(&vec![0; bytes]).unwrap();
            from.shutdown(Shutdown::Write).unwrap();
        });
        let mut received = 0;
        let mut buffer = [0; 16_384];
        loop {
            match to.read(&mut buffer).unwrap() {
                0 => break,
                more => received += more,
            }
        }
        assert_eq!(received, bytes);
    });
}

/// Pages of this process in memory (proc(5), statm).
fn resident_pages() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse().unwrap()
}
