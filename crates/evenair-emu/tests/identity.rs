//! The emulated network transmits what the simulated one transmits: the same arrivals by wall clock
//! and in simulation give the same transmissions at the same times of the medium.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::collections::BTreeMap;
use std::num::Wrapping;
use std::sync::{Arc, Mutex};
use std::thread;

use evenair_core::time::{Duration, Instant};
use evenair_emu::{Arriving, Clock, Engine, Pool, Ports, Report, Signals, Site, Spec};
use evenair_sim::scenario::resolve;
use evenair_sim::{MacResult, RunOptions, RunResult, run};
use serde_json::{Value, json};

const SEED: u64 = 7;
/// Time for which datagrams are sent, s.
const SENDING_S: f64 = 0.5;
/// The same in tests of what is rare in this time.
const LONG_SENDING_S: f64 = 1.5;
/// Time after it in which all have arrived, s.
const ARRIVING_S: f64 = 1.0;
const HEADERS: usize = 28;
/// `PacketKind::Datagram` among the kinds of packets, counted from 0.
const DATAGRAM: u64 = 4;

/// Hosts that send at known times, and a gateway that forwards at once.
struct Script {
    /// By time, then by number.
    arrivals: BTreeMap<(Instant, u64), (Site, Vec<u8>)>,
    number: u64,
    /// What a simulation's result says of the packets that have crossed the cell or reached their
    /// host.
    fingerprint: Arc<Mutex<Wrapping<u64>>>,
    late: u64,
    /// The engine's.
    pool: Pool,
}

impl Script {
    fn push(&mut self, at: Instant, site: Site, packet: Vec<u8>) {
        self.number += 1;
        self.arrivals.insert((at, self.number), (site, packet));
    }
}

impl Ports for Script {
    fn wait(&mut self, clock: &Clock, pool: &Pool, until: Instant) -> Result<(), String> {
        self.pool = pool.clone();
        // Up to 3 ms late, by turns.
        self.late = (self.late + 7) % 31;
        let due = until.min(self.next_arrival()) + Duration::from_micros(100 * self.late);
        thread::sleep(std::time::Duration::from_nanos(due.since(clock.now()).as_nanos()));
        Ok(())
    }

    fn next_arrival(&self) -> Instant {
        self.arrivals.first_key_value().map_or(Instant::NEVER, |((at, _), _)| *at)
    }

    fn receive(&mut self) -> Option<Arriving> {
        let ((at, _), (site, packet)) = self.arrivals.pop_first()?;
        Some(Arriving { at, site, buffer: self.pool.buffer(&packet) })
    }

    fn deliver(&mut self, at: Instant, site: Site, packet: &[u8]) -> bool {
        if site != Site::ApWire {
            let number = |place: usize| {
                let bytes = packet[place..place + 8].try_into().unwrap();
                u64::from_be_bytes(bytes)
            };
            let (flow, seq) = (number(HEADERS), number(HEADERS + 8));
            let mut fingerprint = self.fingerprint.lock().unwrap();
            let packet = flow << 40 ^ DATAGRAM << 8 ^ seq;
            *fingerprint += hash(at.as_nanos().rotate_left(32) ^ packet);
        }
        match site {
            Site::ApRadio => self.push(at, Site::ApWire, packet.to_vec()),
            Site::ApWire => self.push(at, Site::ApRadio, packet.to_vec()),
            Site::Station(_) | Site::Host(_) => {}
        }
        true
    }
}

/// Both halves of the product with an odd constant, as a result's fingerprint has it: the sum of those of
/// all packets.
fn hash(word: u64) -> Wrapping<u64> {
    let product = u128::from(word) * 0x9E37_79B9_7F4A_7C15;
    Wrapping(product as u64 ^ (product >> 64) as u64)
}

/// A datagram over IPv4 with this DSCP, and these last bytes of the addresses.
fn datagram(dscp: u8, from: [u8; 2], to: [u8; 2], flow: u64, seq: u64, payload: usize) -> Vec<u8> {
    let length = (HEADERS + payload) as u16;
    let mut packet = vec![0x45, dscp << 2];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, from[0], 0, from[1], 10, to[0], 0, to[1]]);
    packet.extend([0x14, 0x51, 0x14, 0x51, 0, 0, 0, 0]);
    packet.extend(flow.to_be_bytes());
    packet.extend(seq.to_be_bytes());
    packet.resize(usize::from(length), 0);
    packet
}

/// Four stations with an upload and a download each, more than the cell carries. `error` is a loss
/// model of their links.
fn scenario(cell: Value, error: Value) -> Value {
    scenario_of(SENDING_S, cell, error)
}

fn scenario_of(sending_s: f64, cell: Value, error: Value) -> Value {
    let payload = [1000, 700];
    let flow = |direction: &str, number: usize| {
        json!({
            "direction": direction, "transport": "udp", "rate": "1.7 Mbps", "segment": payload[number],
            "header": HEADERS, "start": 0.001 + 0.000_37 * number as f64, "stop": sending_s,
        })
    };
    let flows = json!([flow("up", 0), flow("down", 1)]);
    json!({
        "duration": sending_s + ARRIVING_S, "cell": cell,
        "station": [{ "count": 4, "flows": flows, "queue": { "limit": 20 }, "error": error }],
    })
}

fn simulate(scenario: &Value) -> RunResult {
    run(&resolve(scenario.clone(), "test").unwrap(), SEED, &RunOptions::default()).unwrap()
}

/// The fingerprint and the result of the emulation.
fn emulate(scenario: &Value) -> (u64, Report) {
    let addresses = json!({
        "sta-1": ["10.77.0.1"], "sta-2": ["10.77.0.2"], "sta-3": ["10.77.0.3"], "sta-4": ["10.77.0.4"],
        "server": ["10.78.0.1"],
    });
    let spec = json!({
        "scenario": scenario.to_string(), "seed": SEED, "namespaces": {}, "addresses": addresses,
        "warmup_s": scenario["warmup"].as_f64().unwrap_or_default(),
        "duration_s": scenario["duration"], "max_lateness_s": 0.0001, "realtime": false,
    });
    let fingerprint = Arc::new(Mutex::new(Wrapping(0)));
    let arrivals = BTreeMap::new();
    let mut script = Script {
        arrivals,
        number: 0,
        fingerprint: fingerprint.clone(),
        late: 0,
        pool: Pool::default(),
    };
    let flows = scenario["station"][0]["flows"].as_array().unwrap();
    let nanos = |seconds: f64| (seconds * 1e9).round() as u64;
    for (flow, (station, spec)) in
        (1..=4_u8).flat_map(|station| flows.iter().map(move |spec| (station, spec))).enumerate()
    {
        let payload = spec["segment"].as_u64().unwrap();
        let [first, stop] = ["start", "stop"].map(|key| nanos(spec[key].as_f64().unwrap()));
        // Whole nanoseconds, rounded up.
        let interval = (payload * 8 * 1_000_000_000).div_ceil(1_700_000);
        let (own, server) = ([77, station], [78, 1]);
        // User priorities of table 10-1 of IEEE 802.11-2020, in the top three bits.
        let dscp = match spec["access_category"].as_str() {
            Some("vi") => 5 << 3,
            Some("bk") => 1 << 3,
            _ => 0,
        };
        let (site, from, to) = match spec["direction"].as_str() {
            Some("up") => (Site::Station(station.into()), own, server),
            _ => (Site::Host(1), server, own),
        };
        for number in 0.. {
            let at = first + number * interval;
            if at >= stop {
                break;
            }
            let packet = datagram(dscp, from, to, flow as u64, number * payload, payload as usize);
            script.push(Instant::from_nanos(at), site, packet);
        }
    }
    let signals = Arc::new(Signals::default());
    signals.start();
    let engine = Engine::new(Spec::parse(&spec.to_string()).unwrap(), script, signals).unwrap();
    let report = engine.run().unwrap();
    let fingerprint = *fingerprint.lock().unwrap();
    (hash(SEED ^ fingerprint.0).0, report)
}

/// Whether all transmissions are the same; returns the results of simulation and emulation.
fn compare(scenario: &Value) -> (bool, RunResult, Report) {
    let simulated = simulate(scenario);
    let (fingerprint, report) = emulate(scenario);
    // The cell is overloaded.
    assert!(simulated.losses.congestion > 100, "{:?}", simulated.losses);
    assert_eq!(report.account.dropped.queue, simulated.losses.congestion);
    assert_eq!(report.network.losses, simulated.losses);
    assert_eq!(report.account.unaccounted(), 0, "{:?}", report.account);
    let sent = |macs: &[MacResult]| macs.iter().map(|mac| mac.frames_sent).collect::<Vec<_>>();
    assert_eq!(sent(&report.network.stations), sent(&simulated.stations));
    assert_eq!(report.network.ap.frames_sent, simulated.ap.frames_sent);
    // The hosts wake up to 3 ms late: such a run is not trusted with a bound of 0.1 ms.
    assert!(report.lateness_s.p99 > 0.001, "{:?}", report.lateness_s);
    let said = |text| report.untrusted.iter().any(|line| line.contains(text));
    assert!(said("percentile of lateness") && said("of the time"), "{:?}", report.untrusted);
    (format!("{fingerprint:016x}") == simulated.fingerprint, simulated, report)
}

#[test]
fn a_wlan_cell_transmits_the_same() {
    let (is_same, simulated, report) = compare(&scenario(json!({ "kind": "wlan" }), json!(null)));
    assert!(is_same);
    assert_eq!(report.account.dropped.retry_limit, simulated.losses.retry_limit);
    assert_eq!(report.account.dropped.error, 0);
}

/// The fingerprint of a simulation has its beacons, too.
#[test]
#[ignore = "long, in real time"]
fn a_wlan_cell_with_beacons_transmits_the_same() {
    let cell = json!({ "kind": "wlan", "beacon_interval": "100 ms" });
    let (is_same, simulated, _) = compare(&scenario_of(LONG_SENDING_S, cell, json!(null)));
    assert!(!is_same && simulated.ap.beacons.is_some_and(|beacons| beacons.sent > 20));
}

/// Packets of which only the acknowledgements are lost arrive, although the MAC gives them up.
#[test]
fn a_wlan_cell_with_corrupted_frames_transmits_the_same() {
    let error = json!({ "kind": "independent", "rate": 0.6, "level": "mac", "frames": "all" });
    let (is_same, simulated, report) = compare(&scenario(json!({ "kind": "wlan" }), error));
    assert!(is_same);
    let lost = report.account.dropped.retry_limit;
    assert!(lost > 0 && lost < simulated.losses.retry_limit, "{lost}, {:?}", simulated.losses);
}

/// The fingerprint of a simulation has packets that are discarded after the MAC, too.
#[test]
#[ignore = "long, in real time"]
fn a_wlan_cell_with_lost_packets_transmits_the_same() {
    let error = json!({ "kind": "independent", "rate": 0.1, "level": "ip" });
    let scenario = scenario_of(LONG_SENDING_S, json!({ "kind": "wlan" }), error);
    let (is_same, simulated, report) = compare(&scenario);
    assert!(!is_same && simulated.losses.error > 50, "{:?}", simulated.losses);
    assert_eq!(report.account.dropped.error, simulated.losses.error);
}

/// The measured time begins some milliseconds later than in the simulation, as the engine starts
/// before it: 1.7 Mb/s of 8 flows in packets of 728 and 1028 bytes are up to two a millisecond.
#[test]
#[ignore = "long, in real time"]
fn losses_are_of_the_measured_time() {
    let error = json!({ "kind": "independent", "rate": 0.1, "level": "ip" });
    let mut scenario = scenario_of(LONG_SENDING_S, json!({ "kind": "wlan" }), error);
    let duration = LONG_SENDING_S + ARRIVING_S - 0.75;
    (scenario["warmup"], scenario["duration"]) = (json!(0.75), json!(duration));
    let simulated = simulate(&scenario).losses;
    let (_, report) = emulate(&scenario);
    let losses = report.network.losses;
    let earlier = report.account.dropped.queue - losses.congestion;
    assert!(earlier > 200 && simulated.congestion > 200, "{earlier}, {simulated:?}");
    assert!(losses.congestion.abs_diff(simulated.congestion) <= 20, "{losses:?}, {simulated:?}");
    assert!(losses.error.abs_diff(simulated.error) <= 10, "{losses:?}, {simulated:?}");
}

/// 802.11ac with MCS 0: A-MPDUs of which some MPDUs are lost, uploads in video, downloads in background.
#[test]
fn a_cell_with_aggregation_transmits_the_same() {
    let cell = json!({ "kind": "wlan", "phy": "802.11ac", "channel_width": "20 MHz", "mcs": 0 });
    let error = json!({ "kind": "independent", "rate": 0.2, "level": "mac" });
    let mut scenario = scenario(cell, error);
    let flows = &mut scenario["station"][0]["flows"];
    (flows[0]["access_category"], flows[1]["access_category"]) = (json!("vi"), json!("bk"));
    let (is_same, simulated, _) = compare(&scenario);
    assert!(is_same);
    let station = simulated.stations[0].edca.as_ref().unwrap();
    assert!(station.mpdus_per_ppdu > Some(1.5) && station.retried_mpdus > Some(0.1), "{station:?}");
}

#[test]
fn a_wimax_cell_transmits_the_same() {
    let cell = json!({ "kind": "wimax", "bandwidth": "3.5 MHz" });
    let (is_same, ..) = compare(&scenario(cell, json!(null)));
    assert!(is_same);
}
