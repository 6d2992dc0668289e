//! SIGHUP under load.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::support::cell::Cell;
use crate::support::tcp::tcp_info;
use crate::support::udp::{arrivals, send_at};
use crate::support::{capable, report};
use crate::{quick, start};

/// Each half of the load, bit/s.
const LOAD: u64 = 50_000_000;
const LENGTH: Duration = Duration::from_secs(4);

/// Sends for a while at [`LOAD`] and returns the segments that had to be sent again.
/// The end of the stream ends the receiver.
fn send_tcp(mut stream: TcpStream) -> u32 {
    let (chunk, start) = ([0; 12_500], Instant::now());
    let mut sent = 0;
    while start.elapsed() < LENGTH {
        let due = start + Duration::from_nanos(sent * 8 * 1_000_000_000 / LOAD);
        sleep(due.saturating_duration_since(Instant::now()));
        stream.write_all(&chunk).unwrap();
        sent += chunk.len() as u64;
    }
    tcp_info(&stream).tcpi_total_retrans
}

#[test]
#[ignore = "long, in real time"]
fn reloads_under_load_lose_no_packet() {
    let Some(_alone) = capable("reload under load") else { return };
    let cell = Cell::new();
    // Its limiter is above the load: the policer drops nothing, and every loss is the reload's.
    let mut daemon = start(&cell, &quick("enforce"));
    let (sender, receiver) = cell.uplink();
    let listener = cell.gateway.enter(|| TcpListener::bind(("::", 5001))).unwrap();
    let address = (cell.addresses.v6[1].as_str(), 5001);
    let stream = cell.station.enter(|| TcpStream::connect(address)).unwrap();
    let stop = AtomicBool::new(false);
    let (sent, received, retransmissions) = thread::scope(|scope| {
        let udp_sender = scope.spawn(|| send_at(&sender, LOAD, 1472, 1, &stop));
        let udp_receiver = scope.spawn(|| arrivals(&receiver, &stop).len() as u64);
        let tcp_sender = scope.spawn(move || send_tcp(stream));
        scope.spawn(|| {
            let mut sink = listener.accept().unwrap().0;
            let mut buffer = vec![0; 1 << 16];
            while sink.read(&mut buffer).is_ok_and(|length| length > 0) {}
        });
        for number in 1..=20 {
            sleep(LENGTH / 21);
            // A file that is not accepted changes nothing; a mode changes the policy only.
            let mode = ["enforce", "observe", "bad"][number % 3];
            daemon.reload(&quick(mode));
        }
        let retransmissions = tcp_sender.join().unwrap();
        stop.store(true, Ordering::Relaxed);
        (udp_sender.join().unwrap(), udp_receiver.join().unwrap(), retransmissions)
    });
    let status =
        daemon.wait_for("the reloads", |status| status.reloads + status.failed_reloads == 20);
    report(&format!(
        "20 reloads at {} Mb/s of UDP and as much of TCP: {} of {sent} datagrams lost, \
         {retransmissions} segments sent again",
        LOAD / 1_000_000,
        sent - received
    ));
    // Of the numbers from 1 to 20, seven leave 2 when divided by 3.
    assert_eq!((status.reloads, status.failed_reloads), (13, 7));
    let dropped: u64 = status.traffic.iter().map(|traffic| traffic.dropped_packets).sum();
    assert_eq!((sent - received, retransmissions, dropped), (0, 0, 0));
    assert!(sent * 1500 * 8 > 9 * LOAD / 10 * LENGTH.as_secs(), "the load was only {sent}");
}

#[test]
fn a_file_that_is_not_accepted_changes_nothing() {
    let Some(_alone) = capable("bad reload") else { return };
    let cell = Cell::new();
    let mut daemon = start(&cell, &quick("enforce"));
    let before = daemon.wait_for("a round", |status| status.last.is_some());
    for (number, bad) in [
        "mode = \"on\"\n".to_owned(),
        "runtime_directory = \"/tmp\"\n".to_owned(),
        format!("pinned = true\n{}", quick("enforce")),
        format!("{}metrics.listen = \"unix:/nonexistent/metrics\"\n", quick("enforce")),
    ]
    .iter()
    .enumerate()
    {
        daemon.reload(bad);
        daemon.wait_for("a refusal", |status| status.failed_reloads == number as u64 + 1);
    }
    let log = daemon.log();
    let refusals: Vec<&str> =
        log.lines().filter(|line| line.ends_with("; the configuration stays as it was")).collect();
    assert_eq!(refusals.len(), 4, "{log}");
    let after = daemon.status().unwrap();
    assert_eq!((after.mode, after.attached, after.reloads), (before.mode, true, 0));
}
