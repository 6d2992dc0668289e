//! Air traces against captures, counters of results, and rules of the DCF.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{
    AccessSlots, AirTrace, AirTraceError, AirTraceRequest, FrameFate, FrameKind, MAX_LISTED,
    TracedAccess, TracedFrame, air_trace, recorder,
};
use crate::engine::sim_medium::{dcf, edca};
use crate::engine::simulation::Simulation;
use crate::scenario::{Cell, Scenario, resolve};
use crate::{CaptureSinks, RunOptions, run, run_with_captures};

/// Cells with short connections, losses of every kind, beacons, RTS/CTS, CTS-to-self, rate control and schedulers.
fn cells() -> Vec<(&'static str, Scenario)> {
    let flows = |up: u32, down: u32| {
        json!([
            { "count": up, "flows": [{ "direction": "up" }] },
            { "count": down, "flows": [{ "direction": "down" }] },
        ])
    };
    let plain = json!({ "station": flows(5, 5) });
    let mut lossy = json!({
        "warmup": "300 ms",
        "cell": { "phy": "802.11a", "rts_threshold": 500, "beacon_interval": "20 ms" },
        "station": flows(2, 3),
    });
    for group in 0..2 {
        lossy["station"][group]["error"] = json!({
            "kind": "independent", "rate": 0.15, "level": "mac", "frames": "all",
        });
    }
    let mut mixed = json!({
        "cell": { "phy": "802.11g", "queue": { "kind": "fq-codel", "limit": 20 } },
        "station": flows(2, 3),
    });
    mixed["station"][0]["phy"] = json!("802.11b");
    let mut rates = json!({
        "cell": { "phy": "802.11a", "scheduler": "airtime-drr" },
        "station": flows(2, 2),
    });
    for (group, snr) in [(0, 9.0), (1, 14.0)] {
        rates["station"][group]["rate_control"] = json!("minstrel");
        rates["station"][group]["channel"] = json!({ "kind": "snr", "snr_db": snr });
    }
    let datagrams = json!({
        "cell": { "queue": { "kind": "tbf", "rate": 3_000_000, "limit": 30 } },
        "wired": { "link": [
            { "between": ["ap", "r"], "rate": "20 Mbps", "queue": { "kind": "las", "limit": 30 } },
            { "between": ["server", "r"], "rate": "100 Mbps", "delay": "10 ms" },
        ] },
        "station": [
            { "flows": [{ "direction": "down" }, { "direction": "up" }] },
            { "flows": [{ "direction": "down", "transport": "udp", "rate": "1 Mbps" }] },
            { "flows": [{ "direction": "up", "transport": "tfrc" }] },
        ],
    });
    let application = json!({
        "kind": "web",
        "size": { "distribution": "exponential", "mean": "30 KB" },
        "think": { "distribution": "exponential", "mean": "20 ms" },
    });
    let web = json!({
        "station": [{ "count": 3, "flows": [{ "direction": "down", "application": application }] }],
    });
    let each = [
        ("plain", plain),
        ("web", web),
        ("lossy", lossy),
        ("mixed", mixed),
        ("rates", rates),
        ("datagrams", datagrams),
    ];
    each.map(|(name, scenario)| (name, short(scenario))).into()
}

pub(super) fn short(mut scenario: Value) -> Scenario {
    scenario["duration"] = json!("1200 ms");
    resolve(scenario, "test").unwrap()
}

/// An air trace from `from_s` to the end, however many accesses there are.
pub(super) fn to_the_end(scenario: &Scenario, from_s: f64) -> AirTrace {
    let Cell::Wlan(cell) = &scenario.cell else { panic!("a WLAN cell") };
    let options = RunOptions::default();
    let request = AirTraceRequest { from_s, accesses: u32::MAX };
    let trace = if cell.phy.high_throughput().is_some() {
        let medium = edca(cell, &scenario.station, 7);
        let simulation = Simulation::new(medium, scenario, 7, &options, None).unwrap();
        recorder::record(simulation, scenario, 7, request).unwrap()
    } else {
        let medium = dcf(cell, &scenario.station, 7);
        let simulation = Simulation::new(medium, scenario, 7, &options, None).unwrap();
        recorder::record(simulation, scenario, 7, request).unwrap()
    };
    assert!(trace.ended);
    trace
}

// ---- Captures ----

#[derive(Clone, Default)]
pub(super) struct Memory(pub(super) Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A frame as both show it: beginning, type, rate in units of 500 kb/s, whether it is a retry of data.
type Seen = (u64, FrameKind, u64, bool);

/// The frames of the capture of the air of the run.
fn captured(scenario: &Scenario) -> Vec<Seen> {
    frames_of(&captured_file(scenario))
}

/// The capture of the air of the run.
pub(super) fn captured_file(scenario: &Scenario) -> Vec<u8> {
    let air = Memory::default();
    let sinks =
        CaptureSinks { air: Some(Box::new(air.clone())), wire: Box::new(Memory::default()) };
    run_with_captures(scenario, 7, &RunOptions::default(), Some(sinks)).unwrap();
    let file = air.0.lock().unwrap();
    file.clone()
}

/// Reads the enhanced packet blocks of a pcapng file (draft-ietf-opsawg-pcapng section 4.3): times and
/// packets.
pub(super) fn packets_of(mut file: &[u8]) -> Vec<(u64, &[u8])> {
    let word = |bytes: &[u8], at: usize| {
        u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
    };
    let mut packets = Vec::new();
    while !file.is_empty() {
        let (block, rest) = file.split_at(word(file, 4) as usize);
        file = rest;
        if word(block, 0) != 6 {
            continue;
        }
        packets.push((word(block, 12) << 32 | word(block, 16), &block[28..]));
    }
    packets
}

/// Reads radiotap's rate and the Frame Control field (IEEE 802.11-2007 7.1.3.1).
fn frames_of(file: &[u8]) -> Vec<Seen> {
    let mut frames = Vec::new();
    for (start, packet) in packets_of(file) {
        let rate = u64::from(packet[9]);
        let header = &packet[usize::from(packet[2])..];
        let kind = match header[0] {
            0x08 => FrameKind::Data,
            0xB4 => FrameKind::Rts,
            0xC4 => FrameKind::Cts,
            0xD4 => FrameKind::Ack,
            0x80 => FrameKind::Beacon,
            other => panic!("frame control {other:#x}"),
        };
        let retry = kind == FrameKind::Data && header[1] & 0x08 != 0;
        frames.push((start, kind, rate, retry));
    }
    frames
}

/// The frames of an access that a capture has: those of an exchange whose data are received for the first
/// time.
fn frames_to_capture(access: &TracedAccess) -> impl Iterator<Item = &TracedFrame> {
    let is_received = |frame: &TracedFrame| frame.fate == FrameFate::Received;
    let carries = |frame: &TracedFrame| matches!(frame.kind, FrameKind::Data | FrameKind::Beacon);
    let first = access.frames.iter().any(|frame| carries(frame) && is_received(frame));
    let new = first && access.attempts.iter().all(|attempt| !attempt.repeats);
    access.frames.iter().filter(move |frame| new && is_received(frame))
}

#[test]
fn an_air_trace_shows_what_a_capture_shows() {
    for (name, scenario) in cells() {
        let trace = to_the_end(&scenario, 0.25);
        let first = trace.accesses[0].at_ns;
        let seen = |frame: &TracedFrame| {
            let retry = frame.kind == FrameKind::Data && frame.retries > 0;
            (frame.start_ns, frame.kind, frame.rate_bps / 500_000, retry)
        };
        let traced: Vec<_> = trace.accesses.iter().flat_map(frames_to_capture).map(seen).collect();
        let mut captured = captured(&scenario);
        captured.retain(|frame| frame.0 >= first);
        // An exchange whose data are not complete at the end of the run is not captured.
        let last = trace.accesses.last().unwrap();
        let complete = captured.iter().any(|frame| frame.0 >= last.at_ns);
        let until = if complete { u64::MAX } else { last.at_ns };
        let traced: Vec<_> = traced.into_iter().filter(|frame| frame.0 < until).collect();
        assert_eq!(traced.len(), captured.len(), "{name}");
        assert_eq!(traced, captured, "{name}");
        assert!(captured.len() > 500, "{name}: {}", captured.len());
    }
}

/// The counters of the run, which the MACs keep.
#[test]
fn an_air_trace_of_the_whole_run_has_every_attempt() {
    for (name, scenario) in cells() {
        let result = run(&scenario, 7, &RunOptions::default()).unwrap();
        let trace = to_the_end(&scenario, 0.0);
        let (mut sent, mut given_up, mut drops) = (BTreeMap::new(), 0, 0);
        // The last exchange may be cut off by the end of the run, but it has been begun and counts.
        for access in &trace.accesses {
            for frame in access.frames.iter().filter(|frame| frame.kind == FrameKind::Data) {
                *sent.entry(frame.from).or_insert(0) += 1;
            }
            given_up += access.given_up.iter().map(|node| node.packets).sum::<u64>();
            drops += access.dropped;
            assert_eq!(access.drops.len() as u64, access.dropped);
        }
        let macs = || std::iter::once(&result.ap).chain(&result.stations);
        for (node, mac) in (0..).zip(macs()) {
            let sent: u64 = sent.get(&node).copied().unwrap_or(0);
            assert!(sent.abs_diff(mac.frames_sent) <= 1, "{name}: {sent}, {}", mac.frames_sent);
        }
        assert_eq!(given_up, macs().map(|mac| mac.frames_dropped).sum::<u64>(), "{name}");
        let since_last = result.ap_queue.drops - drops;
        assert!(since_last <= 3, "{name}: {since_last} drops after the last access");
    }
}

/// The parts of an access follow each other from its beginning to its end.
pub(super) fn parts_fill(access: &TracedAccess) {
    let mut at_ns = access.idle_since_ns;
    for part in &access.parts {
        assert!(part.start_ns == at_ns && at_ns < part.end_ns, "{part:?} at {at_ns}");
        at_ns = part.end_ns;
    }
    assert_eq!(at_ns, access.end_ns);
}

/// Neither the state of the world nor what follows depends on where the air trace begins.
#[test]
fn air_traces_of_the_same_time_agree() {
    for (name, scenario) in cells() {
        let long = to_the_end(&scenario, 0.0);
        let later = to_the_end(&scenario, 0.6);
        let skipped = long.accesses.len() - later.accesses.len();
        assert!(later.accesses.len() > 100, "{name}");
        // The first access has no drops and all senders, as there is none before it.
        assert_eq!(long.accesses[skipped + 1..], later.accesses[1..], "{name}");
    }
}

/// IEEE 802.11-2007 9.2.5.2: a counter goes down by one for each idle slot, and transmits at 0; it is frozen
/// while the medium is busy.
#[test]
fn counters_follow_the_rules() {
    let (mut collisions, mut frozen) = (0, 0);
    for (name, scenario) in cells() {
        let trace = to_the_end(&scenario, 0.0);
        let Cell::Wlan(cell) = &scenario.cell else { panic!("a WLAN cell") };
        let phy = cell.timing(&scenario.station);
        for access in &trace.accesses {
            let begin = access.idle_since_ns + phy.difs().as_nanos();
            assert_eq!((access.at_ns - begin) % phy.slot.as_nanos(), 0, "{name}");
            let boundary = (access.at_ns - begin) / phy.slot.as_nanos();
            let AccessSlots { start_ns, end_ns, count } = access.slots;
            assert_eq!([start_ns, end_ns, count], [begin, access.at_ns, boundary], "{name}");
            for counter in &access.contenders {
                let counted = boundary.saturating_sub(counter.from).min(counter.before);
                let due = counter.has_frame && counter.from + counter.before == boundary;
                assert_eq!(counter.transmits, due, "{name}: {counter:?} at {boundary}");
                if !counter.transmits && !counter.immediate {
                    assert_eq!(counter.after, counter.before - counted, "{name}: {counter:?}");
                }
            }
            let transmitters = access.contenders.iter().filter(|counter| counter.transmits);
            let attempts = access.attempts.iter().map(|attempt| attempt.node);
            assert_eq!(
                transmitters.map(|c| c.node).collect::<Vec<_>>(),
                attempts.collect::<Vec<_>>()
            );
            for attempt in &access.attempts {
                assert!(attempt.backoff <= attempt.cw, "{name}: {attempt:?}");
                let gives_up = access.given_up.iter().any(|given| given.node == attempt.node);
                assert!(!(attempt.delivered && gives_up), "{name}: {attempt:?}");
            }
            collisions += usize::from(access.attempts.len() > 1);
            parts_fill(access);
        }
        for pair in trace.accesses.windows(2) {
            let [before, access] = pair else { unreachable!("windows of two") };
            assert_eq!(access.idle_since_ns, before.end_ns, "{name}");
            for was in before.contenders.iter().filter(|c| c.has_frame && !c.transmits) {
                let now = access.contenders.iter().find(|c| c.node == was.node);
                assert_eq!(now.map(|now| now.before), Some(was.after), "{name}: {was:?}");
                frozen += 1;
            }
        }
    }
    assert!(collisions > 50 && frozen > 1000, "{collisions} collisions, {frozen} frozen");
}

/// A queue that is first in, first out: what waits now waited before or has come since, in this order.
#[test]
fn the_queue_moves_up() {
    let (_, scenario) = cells().swap_remove(0);
    let trace = to_the_end(&scenario, 0.3);
    let mut taken = 0;
    for pair in trace.accesses.windows(2) {
        let [before, now] = [&pair[0].ap_queues[0], &pair[1].ap_queues[0]];
        assert_eq!(now.waiting as usize, now.packets.len());
        let left = (0..=before.packets.len())
            .find(|&left| now.packets.starts_with(&before.packets[left..]))
            .unwrap();
        assert!(left <= 1, "an access takes one packet");
        if left == 1 {
            assert_eq!(pair[1].ap_sends, [before.packets[0]]);
            taken += 1;
        }
    }
    assert!(taken > 50, "{taken}");
}

/// The windows of a flow that a loss has not met: all that cwnd lets go is in flight, and no more than the
/// receiver's window.
#[test]
fn what_is_in_flight_fits_into_the_windows() {
    let (_, scenario) = cells().swap_remove(0);
    let trace = to_the_end(&scenario, 0.0);
    let mut senders = BTreeMap::new();
    let mut full = 0;
    for access in &trace.accesses {
        senders.extend(access.senders.iter().map(|sender| (sender.flow, *sender)));
        assert_eq!(senders.len(), 10);
        for sender in senders.values() {
            assert!(sender.in_flight <= f64::from(sender.receive_window), "{sender:?}");
            full += usize::from(sender.in_flight == sender.cwnd.floor());
        }
    }
    assert!(full > 500, "{full}");
}

#[test]
fn errors_name_what_is_accepted() {
    let refused = |scenario: Value, from_s, accesses| {
        let scenario = resolve(scenario, "test").unwrap();
        let request = AirTraceRequest { from_s, accesses };
        match air_trace(&scenario, 1, request, &RunOptions::default()) {
            Err(error @ (AirTraceError::From { .. } | AirTraceError::Accesses(_))) => {
                error.to_string()
            }
            other => panic!("{other:?}"),
        }
    };
    let station = json!([{ "flows": [{ "direction": "up" }] }]);
    let wlan = json!({ "duration": "2 s", "station": station });
    for from_s in [-1.0, 2.0, f64::NAN, f64::INFINITY] {
        assert!(refused(wlan.clone(), from_s, 10).contains("0 to below 2 s"));
    }
    for accesses in [0, 1001] {
        assert!(refused(wlan.clone(), 0.0, accesses).contains("1 to 1000"));
    }
}

/// Of more than 200 drops before an access the first 200 are listed, and of as many packets in the queues of
/// a scheduler.
#[test]
fn lists_are_bounded() {
    let flow =
        json!({ "direction": "down", "transport": "udp", "rate": "100 Mbps", "segment": 60 });
    let scheduler = json!({
        "cell": { "scheduler": "airtime-drr", "data_rate": "1 Mbps" },
        "wired": { "rate": "1 Gbps" },
        "station": [{ "count": 9, "flows": [flow] }],
    });
    let trace = to_the_end(&short(scheduler), 0.5);
    let mut long = 0;
    for access in &trace.accesses {
        assert_eq!(access.drops.len() as u64, access.dropped.min(MAX_LISTED as u64));
        long += usize::from(access.dropped > MAX_LISTED as u64);
        let waiting: u32 = access.ap_queues.iter().map(|queue| queue.waiting).sum();
        let listed: usize = access.ap_queues.iter().map(|queue| queue.packets.len()).sum();
        assert!(waiting as usize > MAX_LISTED && listed <= MAX_LISTED, "{listed} of {waiting}");
        assert!(listed > MAX_LISTED / 2, "{listed} of {waiting}");
    }
    assert!(long > 50, "{long}");
}
