//! Captures of random cells with EDCA, as tshark reads them, against the events of the same runs.

use std::collections::{BTreeMap, BTreeSet};

use evenair_core::medium::wlan::high_throughput::allowed;
use evenair_core::medium::{AirEvent, Fate, Mpdu, PhyFormat, PhyModes, Ppdu, PpduKind, PsduFormat};
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::time::Instant;
use serde_json::{Value, json};

use super::qos::tid;
use super::run_tests::captured;
use super::tshark_tests::{WRONG, tshark_is_here};
use crate::RunOptions;
use crate::engine::sim_medium::edca;
use crate::engine::simulation::Simulation;
use crate::scenario::{Cell, resolve};

/// A cell that lasts 60 ms.
fn cell(number: u64) -> Value {
    let mut random = RngStream::new(number, StreamId::Traffic, 0);
    let mut up_to = |most: u32| random.up_to(most);
    let one_in = |draw: u32| draw == 0;
    let (name, format) =
        [("802.11n", PhyFormat::Ht), ("802.11ac", PhyFormat::Vht), ("802.11ax", PhyFormat::He)]
            [up_to(2) as usize];
    let is_ht = format == PhyFormat::Ht;
    let width = [20, 40, 80, 160][up_to(if is_ht { 1 } else { 3 }) as usize];
    let streams = 1 + up_to(if is_ht { 3 } else { 7 });
    let all: Vec<_> = allowed(format, width, streams as u8).map(|mcs| mcs.0).collect();
    let mcs = all[up_to(all.len() as u32 - 1) as usize];
    let guard_intervals =
        if format == PhyFormat::He { &[800, 1600, 3200][..] } else { &[400, 800] };
    let gi = guard_intervals[up_to(guard_intervals.len() as u32 - 1) as usize];
    let mut cell = json!({
        "phy": name,
        "channel_width": format!("{width} MHz"),
        "streams": streams,
        "mcs": mcs,
        "guard_interval": format!("{gi} ns"),
        "edca": (["wmm", "802.11-2020", "ns3"])[up_to(2) as usize],
        "block_ack_recovery": (["resend", "bar"])[up_to(1) as usize],
        "queue": { "limit": 200 },
    });
    if !one_in(up_to(5)) {
        let windows = if format == PhyFormat::He { 256 } else { 64 };
        let amsdus = [json!("off"), json!(3000), json!(4000)];
        cell["aggregation"] = json!({
            "kind": "a-mpdu",
            "window": 1 + up_to(windows - 1),
            "amsdu": amsdus[up_to(2) as usize],
        });
    } else if one_in(up_to(2)) {
        cell["aggregation"] = json!({ "kind": "off" });
    }
    if one_in(up_to(2)) {
        cell["rts_threshold"] = json!(up_to(4000));
    }
    if one_in(up_to(2)) {
        cell["beacon_interval"] = json!("7 ms");
    }
    if one_in(up_to(3)) {
        cell["msdu_lifetime"] = json!("5 ms");
    }
    if format != PhyFormat::Vht && width <= 40 && one_in(up_to(2)) {
        cell["band"] = json!("2.4 GHz");
    }
    let loss = [0.0, 0.1, 0.4][up_to(2) as usize];
    let mut station = || {
        let mut flow = || {
            let (udp, segment) = (up_to(1) == 0, 100 + up_to(1300));
            let mut flow = json!({
                "direction": (["up", "down"])[up_to(1) as usize],
                "segment": segment,
                "start": 0,
                "access_category": (["be", "bk", "vi", "vo"])[up_to(3) as usize],
            });
            if udp {
                flow["transport"] = json!("udp");
                flow["rate"] = json!(format!("{} Mbps", 1 + up_to(60)));
            }
            flow
        };
        let mut station = json!({ "flows": [flow(), flow()] });
        if loss > 0.0 {
            station["error"] =
                json!({ "kind": "independent", "rate": loss, "level": "mac", "frames": "all" });
        }
        station
    };
    let mut stations: Vec<_> = (0..3).map(|_| station()).collect();
    if number.is_multiple_of(4) {
        let older = if cell.get("band").is_some() { "802.11g" } else { "802.11a" };
        stations[2]["phy"] = json!(older);
        for flow in stations[2]["flows"].as_array_mut().unwrap() {
            flow.as_object_mut().unwrap().remove("access_category");
        }
        cell["protection"] = json!((["off", "cts-to-self", "rts-cts"])[number as usize / 4 % 3]);
    }
    json!({ "duration": "60 ms", "cell": cell, "station": stations })
}

/// What both show of a frame: when it begins, its type and subtype, Retry bit, sequence number or the start of the
/// bitmap, TID, bitmap, number of packets; MCS, streams, width in MHz and rate; number of its A-MPDU and place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    at_ns: u64,
    kind: u8,
    retry: bool,
    number: Option<u16>,
    tid: Option<u8>,
    bitmap: Vec<u8>,
    packets: usize,
    mode: String,
    a_mpdu: Option<(u32, bool)>,
    duration_us: u64,
}

/// The events of the run, and when it ends.
fn events(scenario: Value) -> (Vec<AirEvent>, PhyModes, Instant) {
    let scenario = resolve(scenario, "test").unwrap();
    let Cell::Wlan(cell) = &scenario.cell else { panic!("a WLAN cell") };
    let medium = edca(cell, &scenario.station, 1);
    let options = RunOptions::default();
    let mut simulation: Simulation<'_, _> =
        Simulation::new(medium, &scenario, 1, &options, None).unwrap();
    simulation.parts().0.record_air();
    assert!(!simulation.advance_to(Instant::NEVER).unwrap());
    let end = Instant::ZERO + scenario.warmup.duration() + scenario.duration.duration();
    let network = simulation.parts_at(end).0;
    (network.take_air(), network.cell().setup().modes.clone(), end)
}

/// The frames of a PPDU that are decoded. `reference` is the number of the next A-MPDU.
fn frames_of(ppdu: &Ppdu, modes: &PhyModes, reference: &mut u32) -> Vec<Seen> {
    let vector = modes.vector(ppdu.mode);
    let width = vector.width_hz / 1_000_000;
    let mode = match vector.mcs {
        Some(mcs) => format!("{} {} {width}", mcs.0, vector.streams),
        None => format!("{}", vector.rate.as_bps() / 1_000_000),
    };
    let until = ppdu.qos.map_or(ppdu.end, |qos| qos.reserved_until);
    let duration_us = until.since(ppdu.end).as_nanos().div_ceil(1000);
    let seen = Seen { at_ns: ppdu.start.as_nanos(), mode, duration_us, ..Seen::default() };
    let control = |kind| vec![Seen { kind, ..seen.clone() }];
    match ppdu.kind {
        PpduKind::Rts => control(0x1b),
        PpduKind::Cts => control(0x1c),
        PpduKind::Ack => control(0x1d),
        PpduKind::CfEnd => control(0x1e),
        PpduKind::Beacon => control(0x08),
        PpduKind::BlockAck | PpduKind::BlockAckReq => {
            let qos = ppdu.qos.unwrap();
            let said = qos.block_ack.unwrap();
            let is_answer = ppdu.kind == PpduKind::BlockAck;
            let words = usize::from(is_answer) * usize::from(said.length / 64);
            let bitmap = said.bitmap[..words].iter().flat_map(|word| word.to_le_bytes()).collect();
            let (number, tid) = (Some(said.start), Some(tid(qos.category)));
            let kind = if is_answer { 0x19 } else { 0x18 };
            vec![Seen { kind, number, tid, bitmap, ..seen }]
        }
        PpduKind::Data => {
            let qos = ppdu.qos.unwrap();
            let is_a_mpdu = qos.psdu != PsduFormat::Mpdu;
            let number = *reference;
            *reference += u32::from(is_a_mpdu);
            let sequence = |mpdu: &Mpdu| mpdu.qos.unwrap().sequence;
            let last = sequence(ppdu.mpdus.last().unwrap());
            let mpdus = ppdu.mpdus.chunk_by(|one, other| sequence(one) == sequence(other));
            let decoded = mpdus.filter(|mpdu| mpdu[0].fate == Fate::Received);
            // Of stations of 802.11a and g without QoS.
            let has_qos = vector.mcs.is_some();
            let frame = |mpdu: &[Mpdu]| Seen {
                kind: if has_qos { 0x28 } else { 0x20 },
                retry: mpdu[0].qos.unwrap().retry,
                number: Some(sequence(&mpdu[0])),
                tid: has_qos.then_some(tid(qos.category)),
                packets: mpdu.len(),
                a_mpdu: is_a_mpdu.then_some((number, sequence(&mpdu[0]) == last)),
                ..seen.clone()
            };
            decoded.map(frame).collect()
        }
        PpduKind::Burst | PpduKind::Request => panic!("not of 802.11"),
    }
}

const FIELDS: [&str; 24] = [
    "frame.time_epoch",
    "wlan.fc.type_subtype",
    "wlan.fc.retry",
    "wlan.seq",
    "wlan.fixed.ssc.sequence",
    "wlan.qos.tid",
    "wlan.ba.bm",
    "wlan_aggregate.a_mdsu.length",
    "radiotap.datarate",
    "radiotap.mcs.index",
    "radiotap.mcs.bw",
    "radiotap.vht.mcs.0",
    "radiotap.vht.nss.0",
    "radiotap.vht.bw",
    "radiotap.he.data_3.data_mcs",
    "radiotap.he.data_6.nsts",
    "radiotap.he.data_5.data_bw_ru_allocation",
    "radiotap.ampdu.reference",
    "radiotap.ampdu.flags.last",
    "wlan.duration",
    "wlan.ta",
    "wlan.ra",
    "wlan.ba.basic.tidinfo",
    "ip.len",
];

fn number<T: TryFrom<u64>>(text: &str) -> Option<T> {
    let text = text.split(',').next()?;
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    T::try_from(value).ok()
}

/// A frame as tshark shows it.
fn read(row: &[String]) -> Seen {
    let field = |name: &str| {
        let place = FIELDS.iter().position(|field| *field == name).unwrap();
        row.get(place).map_or("", String::as_str)
    };
    let kind = number(field("wlan.fc.type_subtype")).unwrap();
    let (seconds, nanos) = field("frame.time_epoch").split_once('.').unwrap();
    let at_ns = seconds.parse::<u64>().unwrap() * 1_000_000_000 + nanos.parse::<u64>().unwrap();
    let flag = |text: &str| text == "1" || text == "True";
    let width = |place: Option<usize>, widths: &[u32]| widths[place.unwrap()];
    let mode = if let Some(index) = number::<u32>(field("radiotap.mcs.index")) {
        let width = width(number(field("radiotap.mcs.bw")), &[20, 40]);
        format!("{} {} {width}", index % 8, index / 8 + 1)
    } else if let Some(mcs) = number::<u32>(field("radiotap.vht.mcs.0")) {
        let widths = [20, 40, 0, 0, 80, 0, 0, 0, 0, 0, 0, 160];
        let width = width(number(field("radiotap.vht.bw")), &widths);
        format!("{mcs} {} {width}", field("radiotap.vht.nss.0"))
    } else if let Some(mcs) = number::<u32>(field("radiotap.he.data_3.data_mcs")) {
        let place = number(field("radiotap.he.data_5.data_bw_ru_allocation"));
        let streams = number::<u32>(field("radiotap.he.data_6.nsts")).unwrap();
        format!("{mcs} {streams} {}", width(place, &[20, 40, 80, 160]))
    } else {
        field("radiotap.datarate").to_owned()
    };
    let hex = field("wlan.ba.bm").replace(':', "");
    let byte = |place: usize| u8::from_str_radix(&hex[place..place + 2], 16).unwrap();
    let is_data = kind == 0x28 || kind == 0x20;
    let a_msdu = field("wlan_aggregate.a_mdsu.length");
    let reference = number(field("radiotap.ampdu.reference"));
    Seen {
        at_ns,
        kind,
        retry: flag(field("wlan.fc.retry")),
        number: match is_data {
            true => number(field("wlan.seq")),
            false => number(field("wlan.fixed.ssc.sequence")),
        },
        tid: match kind {
            0x28 => number(field("wlan.qos.tid")),
            0x18 | 0x19 => number(field("wlan.ba.basic.tidinfo")),
            _ => None,
        },
        bitmap: (0..hex.len()).step_by(2).map(byte).collect(),
        packets: match a_msdu {
            "" => usize::from(is_data),
            lengths => lengths.split(',').count(),
        },
        mode,
        a_mpdu: reference.map(|number| (number, flag(field("radiotap.ampdu.flags.last")))),
        duration_us: number(field("wlan.duration")).unwrap_or(0),
    }
}

/// What has been decoded, and what has been acknowledged.
#[derive(Default)]
struct Stream {
    decoded: BTreeSet<u16>,
    acknowledged: BTreeSet<u16>,
}

/// Applies Block Acks to data as they are read, without the simulator: by transmitter, receiver and TID.
#[derive(Default)]
struct Receivers {
    streams: BTreeMap<(String, String, u8), Stream>,
    bits: u64,
}

impl Receivers {
    fn hear(&mut self, seen: &Seen, ta: &str, ra: &str) {
        let (Some(tid), Some(number)) = (seen.tid, seen.number) else { return };
        let ends = if seen.kind == 0x19 { (ra, ta) } else { (ta, ra) };
        let Stream { decoded, acknowledged } =
            self.streams.entry((ends.0.to_owned(), ends.1.to_owned(), tid)).or_default();
        match seen.kind {
            0x28 => {
                assert!(!acknowledged.contains(&number), "{seen:?} is acknowledged");
                assert!(decoded.insert(number) || seen.retry, "{seen:?} is a retry");
            }
            0x19 => {
                let bits = 8 * seen.bitmap.len() as u16;
                let is_set =
                    |place: u16| seen.bitmap[usize::from(place / 8)] >> (place % 8) & 1 == 1;
                let newest = decoded.last().copied();
                for place in 0..bits {
                    let sequence = (number + place) % 4096;
                    assert!(is_set(place) || !decoded.contains(&sequence), "{seen:?} {sequence}");
                    assert!(!is_set(place) || sequence > 2048 || Some(sequence) <= newest);
                    if is_set(place) {
                        acknowledged.insert(sequence);
                        self.bits += 1;
                    }
                }
            }
            _ => {}
        }
    }
}

/// Compares the captures of the cells with these numbers. Returns how many frames of each type they have.
fn compare(numbers: impl Iterator<Item = u64>) -> BTreeMap<u8, usize> {
    let (mut kinds, mut bits, mut a_msdus, mut retries) = (BTreeMap::new(), 0, 0, 0);
    // Also the packets of frames that are repeated.
    let all = ["-o", "wlan.retransmitted:TRUE"];
    for case in numbers {
        let scenario = cell(case);
        let (_, [air, _]) = captured(&format!("edca-{case}"), scenario.clone());
        let wrong = air.read_with(&all, WRONG, &["frame.number", "_ws.expert.message"]);
        assert_eq!(wrong, Vec::<Vec<String>>::new(), "{scenario}");
        let rows = air.read_with(&all, "frame", &FIELDS);
        let (events, modes, end) = events(scenario.clone());
        let (mut expected, mut reference) = (Vec::new(), 0);
        for event in &events {
            if let AirEvent::Transmission(ppdu) = event
                && ppdu.fate == Fate::Received
                && ppdu.end <= end
            {
                expected.extend(frames_of(ppdu, &modes, &mut reference));
            }
        }
        let mut receivers = Receivers::default();
        for (row, expected) in rows.iter().zip(&expected) {
            let mut found = read(row);
            // Beacons have a number of their own, which nobody acknowledges.
            if found.kind == 0x08 {
                found.number = None;
            }
            assert_eq!(found, *expected, "{scenario}");
            let place = |name| FIELDS.iter().position(|field| *field == name).unwrap();
            receivers.hear(&found, &row[place("wlan.ta")], &row[place("wlan.ra")]);
            *kinds.entry(found.kind).or_insert(0) += 1;
            a_msdus += usize::from(found.packets > 1);
            retries += usize::from(found.retry);
        }
        assert_eq!(rows.len(), expected.len(), "{scenario}");
        bits += receivers.bits;
    }
    assert!(bits > 500 && a_msdus > 20 && retries > 20, "{bits} {a_msdus} {retries}");
    kinds
}

#[test]
fn tshark_agrees_with_the_events_of_some_cells() {
    if tshark_is_here() {
        compare(0..6);
    }
}

#[test]
#[ignore = "long"]
fn tshark_agrees_with_the_events_of_a_hundred_cells() {
    if !tshark_is_here() {
        return;
    }
    let kinds = compare(100..200);
    // Beacons, BlockAckReqs, Block Acks, RTS, CTS, ACKs, CF-Ends, data without QoS and with it.
    for kind in [0x08, 0x18, 0x19, 0x1b, 0x1c, 0x1d, 0x1e, 0x20, 0x28] {
        assert!(kinds.get(&kind).is_some_and(|frames| *frames > 20), "{kinds:?}");
    }
}
