//! Air traces of cells with EDCA against captures, counters of results, and the rules of EDCA.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::tests::{captured_file, packets_of, parts_fill, to_the_end};
use super::{FrameFate, FrameKind, TracedAccess, TracedFrame, TracedPdu};
use crate::scenario::{Cell, Scenario, resolve};
use crate::{RunOptions, run};

/// Cells with losses, A-MSDUs, RTS/CTS, BlockAckReqs, beacons, TXOPs with CF-Ends, a scheduler, and one MPDU in a PPDU.
fn cells() -> Vec<(&'static str, Scenario)> {
    let stations = || -> Vec<Value> {
        let flow = |direction: &str, category: &str| json!({ "direction": direction, "access_category": category, "start": 0 });
        let udp = json!({
            "direction": "down", "access_category": "vi", "start": 0,
            "transport": "udp", "rate": "20 Mbps",
        });
        vec![
            json!({ "flows": [flow("up", "be"), flow("down", "vo"), udp.clone()] }),
            json!({ "flows": [flow("up", "vi"), flow("up", "bk")] }),
            json!({ "flows": [flow("down", "be"), udp] }),
        ]
    };
    let plain = json!({ "cell": { "phy": "802.11n" }, "station": stations() });
    let mut lossy = json!({
        "cell": {
            "phy": "802.11ax", "streams": 2, "rts_threshold": 5000, "beacon_interval": "20 ms",
            "block_ack_recovery": "bar", "scheduler": "airtime-drr",
            "aggregation": { "kind": "a-mpdu", "amsdu": 4000, "window": 100 },
        },
        "station": stations(),
    });
    let mut single = json!({
        "cell": {
            "phy": "802.11ac", "edca": "ns3", "aggregation": { "kind": "off" },
            "msdu_lifetime": "50 ms",
        },
        "station": stations(),
    });
    for scenario in [&mut lossy, &mut single] {
        for station in scenario["station"].as_array_mut().unwrap() {
            station["error"] =
                json!({ "kind": "independent", "rate": 0.1, "level": "mac", "frames": "all" });
        }
    }
    let each = [("plain", plain), ("lossy", lossy), ("single", single)];
    let resolved = |mut scenario: Value| {
        scenario["duration"] = json!("200 ms");
        resolve(scenario, "test").unwrap()
    };
    each.map(|(name, scenario)| (name, resolved(scenario))).into()
}

/// The MPDUs of a frame: packets of an A-MSDU have the same sequence number.
fn mpdus(frame: &TracedFrame) -> impl Iterator<Item = &[TracedPdu]> {
    assert_eq!(frame.carries.len(), frame.pdus as usize, "all are listed");
    let sequence = |pdu: &TracedPdu| pdu.qos.map(|qos| qos.sequence);
    frame.carries.chunk_by(move |one, other| sequence(one) == sequence(other))
}

/// A frame as both show it: beginning, first byte of Frame Control, Retry bit, sequence number or the start of a bitmap.
type Seen = (u64, u8, bool, u16);

fn seen(frame: &TracedFrame) -> Vec<Seen> {
    let kind = match frame.kind {
        FrameKind::Data => 0x88,
        FrameKind::Rts => 0xB4,
        FrameKind::Cts => 0xC4,
        FrameKind::Ack => 0xD4,
        FrameKind::BlockAckReq => 0x84,
        FrameKind::BlockAck => 0x94,
        FrameKind::CfEnd => 0xE4,
        FrameKind::Beacon => 0x80,
        FrameKind::Burst | FrameKind::Request => panic!("not of 802.11"),
    };
    if frame.fate != FrameFate::Received {
        return Vec::new();
    }
    let qos = frame.qos.as_ref();
    if frame.kind != FrameKind::Data {
        let start = qos.and_then(|qos| qos.block_ack.as_ref()).map_or(0, |said| said.start);
        return vec![(frame.start_ns, kind, false, start)];
    }
    let decoded = mpdus(frame).filter(|mpdu| mpdu[0].fate == FrameFate::Received);
    let mpdu = |mpdu: &[TracedPdu]| {
        let qos = mpdu[0].qos.unwrap();
        (frame.start_ns, kind, qos.retry, qos.sequence)
    };
    decoded.map(mpdu).collect()
}

/// The same of the capture: radiotap, and the Sequence Control fields of data and Block Acks.
fn captured(file: &[u8]) -> Vec<Seen> {
    let frame = |(at, packet): (u64, &[u8])| {
        let header = &packet[usize::from(packet[2])..];
        let word = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]) >> 4;
        let number = match header[0] {
            0x88 => word(22),
            0x84 | 0x94 => word(18),
            _ => 0,
        };
        (at, header[0], header[1] & 0x08 != 0, number)
    };
    packets_of(file).into_iter().map(frame).collect()
}

#[test]
fn an_air_trace_shows_what_a_capture_shows() {
    for (name, scenario) in cells() {
        let trace = to_the_end(&scenario, 0.05);
        let (first, end) = (trace.accesses[0].at_ns, 200_000_000);
        let frames = trace.accesses.iter().flat_map(|access| &access.frames);
        let traced: Vec<_> = frames.filter(|frame| frame.end_ns <= end).flat_map(seen).collect();
        let mut captured = captured(&captured_file(&scenario));
        captured.retain(|frame| frame.0 >= first);
        assert_eq!(traced, captured, "{name}");
        assert!(captured.len() > 300, "{name}: {}", captured.len());
    }
}

/// The counters of the run, which the MACs keep.
#[test]
fn an_air_trace_of_the_whole_run_has_every_attempt() {
    for (name, scenario) in cells() {
        let result = run(&scenario, 7, &RunOptions::default()).unwrap();
        let trace = to_the_end(&scenario, 0.0);
        let (mut sent, mut kinds) = (BTreeMap::new(), BTreeMap::new());
        for access in &trace.accesses {
            // Exchanges that end before the run does.
            let is_last =
                |frame: &TracedFrame| matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck);
            let exchanges = access.frames.split_inclusive(is_last);
            let over = exchanges.filter(|frames| frames.iter().all(|of| of.end_ns < 200_000_000));
            for frame in over.flatten() {
                *kinds.entry(format!("{:?}", frame.kind)).or_insert(0) += 1;
                if frame.kind == FrameKind::Data {
                    *sent.entry(frame.from).or_insert(0) += mpdus(frame).count() as u64;
                }
            }
        }
        let macs = std::iter::once(&result.ap).chain(&result.stations);
        for (node, mac) in (0..).zip(macs) {
            let found: u64 = sent.get(&node).copied().unwrap_or(0);
            assert_eq!(found, mac.frames_sent, "{name} {node}");
        }
        let expected: &[&str] = match name {
            "lossy" => &["BlockAckReq", "BlockAck", "Rts", "Cts", "Ack", "Data", "Beacon"],
            "single" => &["CfEnd", "Ack", "Data"],
            _ => &["BlockAck", "Ack", "Data"],
        };
        assert!(expected.iter().all(|kind| kinds.contains_key(*kind)), "{name}: {kinds:?}");
    }
}

#[test]
fn air_traces_of_the_same_time_agree() {
    for (name, scenario) in cells() {
        let (long, later) = (to_the_end(&scenario, 0.0), to_the_end(&scenario, 0.1));
        let skipped = long.accesses.len() - later.accesses.len();
        assert!(later.accesses.len() > 50, "{name}");
        // The first access has no drops and all senders, as there is none before it.
        assert_eq!(long.accesses[skipped + 1..], later.accesses[1..], "{name}");
    }
}

/// IEEE 802.11-2020 10.23.2.4: at each boundary from its AIFS on a category counts down, also where another one
/// transmits. Of those of a node that reach 0 the highest transmits, and beacons go before all.
#[test]
fn counters_follow_the_rules() {
    let (mut internal, mut frozen, mut txops) = (0, 0, 0);
    for (name, scenario) in cells() {
        let trace = to_the_end(&scenario, 0.0);
        let Cell::Wlan(cell) = &scenario.cell else { panic!("a WLAN cell") };
        let slot = cell.timing(&scenario.station).slot.as_nanos();
        for access in &trace.accesses {
            parts_fill(access);
            let boundary = access.slots.count;
            assert_eq!(access.at_ns - access.slots.start_ns, boundary * slot, "{name}");
            for counter in &access.contenders {
                let due = counter.has_frame && counter.from + counter.before == boundary;
                if due && !counter.transmits {
                    let wins =
                        |other: &&super::Contender| other.node == counter.node && other.transmits;
                    assert!(access.contenders.iter().any(|other| wins(&other)), "{counter:?}");
                    internal += 1;
                } else {
                    assert_eq!(counter.transmits, due, "{name}: {counter:?} at {boundary}");
                    let counted = (boundary + 1).saturating_sub(counter.from).min(counter.before);
                    let left = if due { 0 } else { counter.before - counted };
                    assert_eq!(counter.after, left, "{name}: {counter:?}");
                }
            }
            let data = access.frames.iter().filter(|frame| frame.kind == FrameKind::Data);
            txops += usize::from(access.attempts.len() == 1 && data.count() > 1);
        }
        for pair in trace.accesses.windows(2) {
            let [before, access] = pair else { unreachable!("windows of two") };
            assert_eq!(access.idle_since_ns, before.end_ns, "{name}");
            frozen += check_frozen(before, access);
        }
    }
    assert!(internal > 10 && frozen > 300 && txops > 10, "{internal} {frozen} {txops}");
}

/// What has counted down and not transmitted goes on with what is left. Returns how many have.
fn check_frozen(before: &TracedAccess, access: &TracedAccess) -> usize {
    let waits = |was: &&super::Contender| was.has_frame && !was.transmits;
    for was in before.contenders.iter().filter(waits) {
        let same = |now: &&super::Contender| (now.node, now.category) == (was.node, was.category);
        let now = access.contenders.iter().find(same);
        assert_eq!(now.map(|now| now.before), Some(was.after), "{was:?}");
    }
    before.contenders.iter().filter(waits).count()
}

/// With 802.11ax a Block Ack agreement may have a window of 256 MPDUs, more than is listed of queues. At 720.6 Mb/s packets of
/// 1,500 bytes fill it in less than the longest PPDU, and 900 Mb/s are more than the cell delivers.
#[test]
fn the_mpdus_of_a_full_window_are_listed() {
    let scenario = json!({
        "cell": {
            "phy": "802.11ax", "channel_width": "80 MHz", "mcs": 7, "streams": 2,
            "aggregation": { "kind": "a-mpdu", "window": 256 },
        },
        "station": [{ "flows": [{
            "direction": "up", "transport": "udp", "rate": "900 Mbps", "start": 0,
        }] }],
        "duration": "100 ms",
    });
    let trace = to_the_end(&resolve(scenario, "test").unwrap(), 0.0);
    let frames = trace.accesses.iter().flat_map(|access| &access.frames);
    let longest = frames.map(|frame| mpdus(frame).count()).max();
    assert_eq!(longest, Some(256));
}

/// The JSON of a Block Ack and of data.
#[test]
fn members_have_names() {
    let (_, scenario) = cells().swap_remove(1);
    let trace = serde_json::to_value(to_the_end(&scenario, 0.1)).unwrap();
    let accesses = trace["accesses"].as_array().unwrap();
    let frames: Vec<&Value> =
        accesses.iter().flat_map(|access| access["frames"].as_array().unwrap()).collect();
    let find = |kind: &str| *frames.iter().find(|frame| frame["kind"] == kind).unwrap();
    let said = &find("block-ack")["qos"]["block_ack"];
    assert_eq!(said["bitmap"].as_str().unwrap().len(), 256, "a window of 100");
    assert!(said["start"].is_u64());
    assert_eq!(find("block-ack-req")["qos"]["block_ack"]["bitmap"], "");
    assert!(find("beacon").get("qos").is_none());
    let data = find("data");
    assert!(["a-mpdu", "s-mpdu"].contains(&data["qos"]["psdu"].as_str().unwrap()));
    assert!(data["qos"]["mcs"].is_u64());
    assert!(find("block-ack")["qos"].get("mcs").is_none(), "in the format of 802.11a");
    let pdu = &data["carries"][0]["qos"];
    assert!(pdu["sequence"].is_u64() && pdu["retry"].is_boolean() && pdu["repeats"].is_boolean());
    let categories = accesses.iter().flat_map(|access| access["contenders"].as_array().unwrap());
    assert!(categories.filter(|of| of["category"] == "vo").count() > 0);
}
