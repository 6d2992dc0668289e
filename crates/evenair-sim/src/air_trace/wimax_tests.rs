//! Air traces of 802.16 cells: by hand, against counters of results, and against captures of the wire.

use std::collections::BTreeMap;

use evenair_core::packet::PacketKind;
use serde_json::{Value, json};

use super::tests::{Memory, packets_of, parts_fill, short};
use super::{AirTrace, AirTraceRequest, FrameFate, FrameKind, PartKind, TracedFrame, recorder};
use crate::engine::sim_medium::wimax;
use crate::engine::simulation::Simulation;
use crate::scenario::{Cell, Scenario};
use crate::{CaptureSinks, RunOptions, run, run_with_captures};

/// The server's address in captures.
const SERVER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];

/// An air trace from `from_s` to the end.
fn to_the_end(scenario: &Scenario, from_s: f64) -> AirTrace {
    let Cell::Wimax(cell) = &scenario.cell else { panic!("a WiMAX cell") };
    let medium = wimax(cell, &scenario.station, 7);
    let options = RunOptions::default();
    let simulation = Simulation::new(medium, scenario, 7, &options, None).unwrap();
    let request = AirTraceRequest { from_s, accesses: u32::MAX };
    recorder::record(simulation, scenario, 7, request).unwrap()
}

/// Cells with fragments, losses, piggybacked requests, collisions of requests, both schedulers and a shaper.
fn cells() -> Vec<(&'static str, Scenario)> {
    let flows = |up: u32, down: u32| {
        json!([
            { "count": up, "flows": [{ "direction": "up" }] },
            { "count": down, "flows": [{ "direction": "down" }] },
        ])
    };
    let with = |cell: Value, station: Value| {
        let wired = json!({ "rate": "unlimited", "delay": "1 ms" });
        let mut scenario =
            json!({ "cell": { "kind": "wimax" }, "wired": wired, "station": station });
        for (key, value) in cell.as_object().unwrap() {
            scenario["cell"][key] = value.clone();
        }
        scenario
    };
    let mut lossy = with(json!({ "piggyback": true, "crc": true, "maps": "actual" }), flows(3, 3));
    for group in 0..2 {
        lossy["station"][group]["error"] =
            json!({ "kind": "independent", "rate": 0.1, "level": "mac" });
    }
    let crowded = with(
        json!({ "contention_slots": 2, "request_backoff": [0, 1], "t16": "10 ms",
                "request_retries": 1, "scheduler": "drr" }),
        flows(9, 2),
    );
    let shaped = with(
        json!({ "queue": { "kind": "tbf", "rate": 2_000_000, "limit": 20 }, "dl_ratio": "3:1" }),
        json!([
            { "flows": [{ "direction": "down" }, { "direction": "up" }] },
            { "modulation": "qpsk-1/2",
              "flows": [{ "direction": "down", "transport": "udp", "rate": "1 Mbps" }] },
            { "flows": [{ "direction": "up", "transport": "tfrc" }] },
        ]),
    );
    let each = [
        ("plain", with(json!({}), flows(5, 5))),
        ("lossy", lossy),
        ("crowded", crowded),
        ("shaped", shaped),
    ];
    each.map(|(name, scenario)| (name, short(scenario))).into()
}

/// By hand: frames of 5 ms have 146 symbols of 34 us, 73 in each subframe, and a TTG of 5 us; a symbol of
/// 64-QAM 3/4 has 107 bytes. Downlink bursts begin behind 3 + 6 symbols of overhead and a gap, uplink
/// bursts behind 11 + 1 + 6 symbols of contention; the regions there are of 11 symbols and a gap, and 6.
/// A datagram of 1028 bytes has a header of 6: 1034 bytes in 10 symbols, behind a preamble in the uplink. It is
/// sent at 12 ms: in the downlink in the frame at 15 ms, in the uplink in that at 20 ms, after a request for
/// 1034 bytes. The first window is 4 of the 5 opportunities.
#[test]
fn a_datagram_in_each_direction() {
    let flow = |direction: &str| {
        json!({ "direction": direction, "transport": "udp", "rate": "1 kbps", "start": "12 ms",
                "segment": 1000, "header": 28 })
    };
    let trace = to_the_end(
        &short(json!({
            "cell": { "kind": "wimax" }, "wired": { "rate": "unlimited", "delay": "0 s" },
            "station": [{ "flows": [flow("down")] }, { "flows": [flow("up")] }],
        })),
        0.0,
    );
    assert!(trace.ended);
    let [first, second] = &trace.accesses[..] else { panic!("two frames: {trace:?}") };
    assert_eq!(
        [first.at_ns, first.end_ns, second.at_ns, second.end_ns].map(|ns| ns / 1000),
        [15_000, 20_000, 20_000, 25_000]
    );
    let ends: Vec<_> = first.parts.iter().map(|part| (part.kind, part.end_ns / 1000)).collect();
    let up = 15_000 + 73 * 34 + 5;
    let expected = [
        (PartKind::Broadcast, 15_000 + 9 * 34),
        (PartKind::Downlink, 15_000 + 73 * 34),
        (PartKind::Gap, up),
        (PartKind::Ranging, up + 12 * 34),
        (PartKind::Requests, up + 18 * 34),
        (PartKind::Uplink, up + 73 * 34),
        (PartKind::Gap, 20_000),
    ];
    assert_eq!(ends, expected);
    let micros = |frame: &TracedFrame| {
        let [start, end] = [frame.start_ns, frame.end_ns].map(|ns| ns as f64 / 1000.0);
        (start, end, frame.bytes)
    };
    let [down, request] = &first.frames[..] else { panic!("{first:?}") };
    assert_eq!((down.kind, down.from, down.to), (FrameKind::Burst, 0, Some(1)));
    assert_eq!(micros(down), (15_340.0, 15_680.0, 1034));
    let pdu = down.carries[0];
    assert_eq!((pdu.packet.kind, pdu.packet.bytes, pdu.bytes), (PacketKind::Datagram, 1028, 1034));
    assert_eq!((pdu.end_ns, pdu.is_first, pdu.is_last), (15_680_000, true, true));
    assert_eq!((request.kind, request.from, request.to), (FrameKind::Request, 2, Some(0)));
    assert_eq!((request.bytes, request.asks_for), (6, Some(1034)));
    let [contender] = first.contenders[..] else { panic!("one station requests") };
    assert!(contender.before < 4 && contender.transmits, "{contender:?}");
    let opportunity = 6.0 * 34.0 / 5.0;
    let begin = (up + 12 * 34) as f64 + opportunity * contender.before as f64;
    let (start, end, _) = micros(request);
    assert!((start - begin).abs() < 0.001 && (end - begin - opportunity).abs() < 0.001);
    let [up] = &second.frames[..] else { panic!("{second:?}") };
    assert_eq!((up.kind, up.from, up.to), (FrameKind::Burst, 2, Some(0)));
    assert_eq!(micros(up), (20_000.0 + 3099.0, 20_000.0 + 3099.0 + 11.0 * 34.0, 1034));
    let symbol_rate = 107.0 * 8.0 / 34e-6;
    assert!((up.rate_bps as f64 - symbol_rate).abs() <= 1.0);
}

/// The counters of the run, which the medium keeps.
#[test]
fn an_air_trace_of_the_whole_run_has_every_pdu_and_request() {
    let (mut corrupted, mut collided, mut given_up, mut fragments, mut asked) = (0, 0, 0, 0, 0);
    for (name, scenario) in cells() {
        let result = run(&scenario, 7, &RunOptions::default()).unwrap();
        let trace = to_the_end(&scenario, 0.0);
        let (mut pdus, mut lost) = (BTreeMap::new(), BTreeMap::new());
        let (mut sent, mut collisions, mut all_given_up) = (0, 0, 0);
        // Of an SDU that is not complete yet, by sender and receiver: whether a fragment is lost.
        let mut incomplete: BTreeMap<_, bool> = BTreeMap::new();
        for access in &trace.accesses {
            parts_fill(access);
            all_given_up += access.given_up.iter().map(|node| node.packets).sum::<u64>();
            for frame in &access.frames {
                if frame.kind == FrameKind::Request {
                    sent += 1;
                    collisions += u64::from(frame.fate == FrameFate::Collided);
                    let same = |other: &&TracedFrame| other.start_ns == frame.start_ns;
                    let together = access.frames.iter().filter(same).count();
                    assert_eq!(together > 1, frame.fate == FrameFate::Collided, "{name}");
                    continue;
                }
                asked += usize::from(frame.asks_for.is_some());
                *pdus.entry(frame.from).or_insert(0) += u64::from(frame.pdus);
                let all = &frame.carries;
                assert_eq!(all.len(), frame.pdus as usize, "{name}");
                assert_eq!(all.iter().map(|pdu| pdu.bytes).sum::<u32>(), frame.bytes, "{name}");
                let any = all.iter().any(|pdu| pdu.fate == FrameFate::Corrupted);
                assert_eq!(any, frame.fate == FrameFate::Corrupted, "{name}");
                for pdu in all {
                    assert!(pdu.end_ns > frame.start_ns && pdu.end_ns <= frame.end_ns, "{name}");
                    let link = (frame.from, frame.to);
                    let before = incomplete.remove(&link);
                    assert_eq!(pdu.is_first, before.is_none(), "{name}: {pdu:?}");
                    let is_corrupted = pdu.fate == FrameFate::Corrupted;
                    corrupted += usize::from(is_corrupted);
                    let is_lost = before.unwrap_or(false) || is_corrupted;
                    if pdu.is_last {
                        *lost.entry(frame.from).or_insert(0) += u64::from(is_lost);
                    } else {
                        incomplete.insert(link, is_lost);
                        fragments += 1;
                    }
                    // A PDU of a whole packet adds its header, and a request to the last.
                    if pdu.is_first && pdu.is_last {
                        let header = if name == "lossy" { 10 } else { 6 };
                        let request = if frame.asks_for.is_some() { 2 } else { 0 };
                        let added = pdu.bytes - pdu.packet.bytes;
                        assert!(added == header || added == header + request, "{name}: {pdu:?}");
                    }
                }
            }
            // With a request, what is left of a packet is given up first.
            for given in &access.given_up {
                incomplete.remove(&(given.node, Some(0)));
            }
        }
        for (node, mac) in (0..).zip(std::iter::once(&result.ap).chain(&result.stations)) {
            assert_eq!(pdus.get(&node).copied().unwrap_or(0), mac.frames_sent, "{name}: {node}");
        }
        // The run ends with a frame.
        assert_eq!(lost.values().sum::<u64>(), result.losses.error, "{name}");
        let requests = result.requests.as_ref().unwrap();
        assert_eq!((sent, collisions), (requests.sent, requests.collided), "{name}");
        assert_eq!(all_given_up, result.losses.retry_limit, "{name}");
        collided += collisions;
        given_up += all_given_up;
    }
    assert!(corrupted > 50 && collided > 50 && given_up > 5, "{corrupted} {collided} {given_up}");
    assert!(fragments > 100 && asked > 50, "{fragments} {asked}");
}

/// What the base station receives is on the wire 1 ms later, and an uplink PDU ends when it is received.
#[test]
fn uplink_packets_are_on_the_wire_when_their_pdus_end() {
    for (name, scenario) in cells() {
        let trace = to_the_end(&scenario, 0.0);
        let mut traced = Vec::new();
        let mut incomplete: BTreeMap<u32, bool> = BTreeMap::new();
        for frame in trace.accesses.iter().flat_map(|access| &access.frames) {
            for pdu in frame.carries.iter().filter(|_| frame.to == Some(0)) {
                let lost = incomplete.remove(&frame.from).unwrap_or(false)
                    || pdu.fate == FrameFate::Corrupted;
                match (pdu.is_last, lost) {
                    (false, lost) => {
                        incomplete.insert(frame.from, lost);
                    }
                    (true, false) => traced.push(pdu.end_ns + 1_000_000),
                    (true, true) => {}
                }
            }
        }
        let wire = Memory::default();
        let sinks = CaptureSinks { air: None, wire: Box::new(wire.clone()) };
        run_with_captures(&scenario, 7, &RunOptions::default(), Some(sinks)).unwrap();
        let file = wire.0.lock().unwrap();
        let to_server = |packet: &&(u64, &[u8])| packet.1[..6] == SERVER_MAC;
        let captured: Vec<_> =
            packets_of(&file).iter().filter(to_server).map(|packet| packet.0).collect();
        // The run ends at 1.2 s.
        traced.retain(|&at| at < 1_200_000_000);
        assert_eq!(traced, captured, "{name}");
        assert!(traced.len() > 50, "{name}: {}", traced.len());
    }
}
