//! The emulated cell has the capacity of the simulated one.

use std::net::UdpSocket;
use std::thread;
use std::time::{Duration, Instant};

use evenair_sim::scenario::resolve;
use evenair_sim::{RunOptions, run};
use serde_json::json;

use crate::hosts::{PORT, SERVER_ADDRESS, TestBed, capable};

/// Payload of a datagram, bytes.
const PAYLOAD: usize = 1470;

/// Saturated uplinks of `stations` stations: bit/s of payload in the test-bed and in simulation.
fn throughputs(stations: usize) -> (f64, f64) {
    const SECONDS: f64 = 5.0;
    let flow = json!({
        "direction": "up", "transport": "udp", "rate": "20 Mbps", "segment": PAYLOAD, "header": 28
    });
    let scenario = json!({
        "duration": 60.0, "warmup": 1.0,
        "station": [{ "count": stations, "flows": [flow], "queue": { "limit": 50 } }],
    });
    let simulated = run(&resolve(scenario.clone(), "test").unwrap(), 1, &RunOptions::default());
    let flows: Vec<_> = (1..=stations)
        .map(|number| {
            json!({
                "index": number, "station": format!("sta-{number}"), "host": "server", "up": true,
                "protocol": "udp", "port": PORT
            })
        })
        .collect();
    let more = json!({ "flows": flows, "duration_s": SECONDS, "warmup_s": 0.5 });
    let bed = TestBed::new(stations, &scenario, more);
    // Nobody reads there; the server's kernel must not answer.
    let _sink = bed.server.enter(|| UdpSocket::bind((SERVER_ADDRESS, PORT)).unwrap());
    let report = thread::scope(|scope| {
        for station in &bed.stations {
            let socket = station.enter(|| UdpSocket::bind("0.0.0.0:0").unwrap());
            socket.connect((SERVER_ADDRESS, PORT)).unwrap();
            scope.spawn(move || {
                // 8 Mb/s or more: above the capacity of 802.11b, and the processor has little to
                // do.
                let interval = Duration::from_micros(1400);
                let start = Instant::now();
                for number in 0.. {
                    let due = start + interval * number;
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    // The device is gone when the run is over.
                    if socket.send(&[0; PAYLOAD]).is_err() {
                        break;
                    }
                }
            });
        }
        bed.start();
        bed.result()
    });
    assert_eq!(report.account.unaccounted(), 0, "{:?}", report.account);
    let packets: u64 = report.flows.iter().map(|flow| flow.packets).sum();
    let emulated = packets as f64 * PAYLOAD as f64 * 8.0 / SECONDS;
    let line = format!(
        "{stations} stations: {:.4} and {:.4} Mb/s, lateness {:?}, {:.1}% of a core\n",
        emulated / 1e6,
        simulated.as_ref().unwrap().aggregate_goodput_bps / 1e6,
        report.lateness_s,
        report.cpu_s / report.elapsed_s * 100.0
    );
    print!("{line}");
    (emulated, simulated.unwrap().aggregate_goodput_bps)
}

#[test]
#[ignore = "long, in real time"]
fn saturated_uplinks_have_the_throughput_of_the_simulation() {
    let test = "saturated_uplinks_have_the_throughput_of_the_simulation";
    let Some(_guard) = capable(test) else { return };
    for stations in [1, 2, 5] {
        let (emulated, simulated) = throughputs(stations);
        let difference = emulated / simulated - 1.0;
        assert!(difference.abs() < 0.02, "{stations} stations: {:.2}%", difference * 100.0);
    }
}
