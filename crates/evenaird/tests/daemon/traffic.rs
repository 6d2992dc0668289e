//! Decisions under traffic, against Tab. 1 computed here.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::cell::Cell;
use crate::support::process::run;
use crate::support::udp::{arrivals, receiver, send_at, sender};
use crate::support::{capable, report};
use crate::{fixed, start};

/// R after each record, from its observations by Tab. 1 of the publication, with R_step = 200 kb/s,
/// C_max = 6 Mb/s and target_rate = C / 2 rounded up to bit/s.
fn table_1(records: &[Value]) -> Vec<i64> {
    let (mut rate, mut first_loss) = (6_000_000, true);
    let number = |record: &Value, name: &str| record[name].as_i64().unwrap();
    records
        .iter()
        .map(|record| {
            let (up, down) = (number(record, "up_bps"), number(record, "down_bps"));
            if record["lost"] == false {
                first_loss = true;
                rate = (rate + 200_000).min(6_000_000);
            } else {
                let half = (up + down + 1) / 2;
                let lower = rate - 200_000;
                let lower = if first_loss { lower.min(up - 200_000) } else { lower };
                first_loss = false;
                rate = lower.max(half).min(6_000_000);
            }
            rate
        })
        .collect()
}

/// Stations send 5 Mb/s of UDP, and the server sends 3 Mb/s to them through a queue that carries
/// 2 Mb/s and loses the rest, for 4 s; then the queue is empty. The records replay to the same rates.
#[test]
#[ignore = "long, in real time"]
fn the_rate_follows_losses() {
    let Some(_alone) = capable("rate follows losses") else { return };
    let cell = Cell::new();
    let records = cell.directory.path().join("records");
    cell.gateway.ip("link set ap0 txqueuelen 1000");
    tc(&cell, "qdisc add dev ap0 root tbf rate 2mbit burst 10kb limit 20kb");
    let config = format!(
        "mode = \"enforce\"\nrecords.file = {records:?}\nlimiter.interval = \"250 ms\"\n\
         loss_signal = {{ kind = \"local\", device = \"ap0\", counter = \"qdisc\" }}\n"
    );
    let mut daemon = start(&cell, &config);
    let (up_sender, up_receiver) = cell.uplink();
    let down_address = cell.addresses.v4[0].clone();
    let _down_receiver = cell.station.enter(|| receiver(&down_address));
    let down_sender = cell.gateway.enter(|| sender(&down_address));
    let [stop_up, stop_down] = [const { AtomicBool::new(false) }; 2];
    let received = thread::scope(|scope| {
        scope.spawn(|| send_at(&up_sender, 5_000_000, 1472, 1, &stop_up));
        scope.spawn(|| send_at(&down_sender, 3_000_000, 1472, 1, &stop_down));
        let received = scope.spawn(|| arrivals(&up_receiver, &stop_up).len());
        sleep(Duration::from_secs(4));
        stop_down.store(true, Ordering::Relaxed);
        sleep(Duration::from_secs(2));
        stop_up.store(true, Ordering::Relaxed);
        received.join().unwrap()
    });
    let status = daemon.wait_for("the end of traffic", |status| {
        status.last.as_ref().is_some_and(|last| last.up_bps == 0)
    });
    drop(daemon);
    let replayed = run(&["replay", records.to_str().unwrap()]);
    let replayed = String::from_utf8(replayed.stdout).unwrap();
    let text = fs::read_to_string(&records).unwrap();
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (state, record) in replayed.lines().zip(&records) {
        let state: Value = serde_json::from_str(state).unwrap();
        for member in ["rate_bps", "capacity_bps", "first_loss"] {
            assert_eq!(state[member], record[member], "{record}");
        }
    }
    assert_eq!(replayed.lines().count(), records.len());
    // The first round sets the counter's first reading.
    let known: Vec<Value> =
        records.into_iter().filter(|record| !record["lost"].is_null()).collect();
    let rates: Vec<i64> = known.iter().map(|record| record["rate_bps"].as_i64().unwrap()).collect();
    assert_eq!(rates, table_1(&known));
    let lossy: Vec<i64> = known
        .iter()
        .zip(&rates)
        .filter(|(record, _)| record["lost"] == true)
        .map(|(_, rate)| *rate)
        .collect();
    let (steady, last) = (lossy[7], rates[rates.len() - 1]);
    report(&format!(
        "{} lossy rounds, R at {:.3} Mb/s in the eighth, {:.3} Mb/s after rounds without loss",
        lossy.len(),
        steady as f64 / 1e6,
        last as f64 / 1e6
    ));
    assert!((10..=18).contains(&lossy.len()), "{}", lossy.len());
    // C is 5 + 3 Mb/s: by then R has reached C / 2. Packets of 1,500 bytes make 0.05 Mb/s of a round.
    assert!((3_900_000..=4_100_000).contains(&steady), "{steady}");
    assert!(last > steady + 1_000_000, "{last}");
    // The station's packets are those that the policer has passed.
    let udp = &status.traffic[1];
    assert_eq!(received as u64, udp.up_packets);
    assert!(udp.dropped_packets > 0);
}

fn tc(cell: &Cell, arguments: &str) {
    let status = cell.gateway.enter(|| {
        std::process::Command::new("tc").args(arguments.split(' ')).status().expect("iproute2")
    });
    assert!(status.success(), "tc {arguments}");
}

/// An upload over TCP for 2.5 s through a bucket of 1.25 MB and 20 Mb/s; the full bucket passes at once.
#[test]
fn tcp_gets_the_rate_of_the_policer() {
    const LENGTH: Duration = Duration::from_millis(2500);
    let Some(_alone) = capable("TCP") else { return };
    let cell = Cell::new();
    let config = fixed("20 Mbps").replace("100 KB", "1250 KB");
    let mut daemon = start(&cell, &config);
    let listener = cell.gateway.enter(|| TcpListener::bind(("0.0.0.0", 5001))).unwrap();
    let address = (cell.addresses.v4[1].as_str(), 5001);
    let mut stream = cell.station.enter(|| TcpStream::connect(address)).unwrap();
    let mut sink = listener.accept().unwrap().0;
    let start = Instant::now();
    let (received, elapsed) = thread::scope(|scope| {
        let receiver = scope.spawn(move || {
            let (mut total, mut buffer) = (0, vec![0; 1 << 16]);
            while start.elapsed() < LENGTH {
                total += sink.read(&mut buffer).unwrap();
            }
            (total, start.elapsed().as_secs_f64())
        });
        scope.spawn(move || while stream.write_all(&[0; 1 << 16]).is_ok() {});
        receiver.join().unwrap()
    });
    // Counts are those of the last round.
    let rounds = daemon.status().unwrap().rounds.total;
    let status = daemon.wait_for("the next round", |status| status.rounds.total > rounds);
    let passed = status.traffic[0].up_bytes;
    let goodput = received as f64 * 8.0 / elapsed / 1e6;
    report(&format!(
        "TCP through 20 Mb/s and 1.25 MB: goodput {goodput:.2} Mb/s in {elapsed:.2} s"
    ));
    // The rate and, once, the bucket; headers take 52 of 1,500 bytes.
    let most = (20.0 + 10.0 / elapsed) * 1448.0 / 1500.0;
    assert!(goodput < most, "{goodput} of {most}");
    // More than half of the rate and the bucket would be.
    assert!(goodput > 0.6 * most, "{goodput} of {most}");
    assert!(passed as f64 >= received as f64);
}
