//! Stations that always have enough for the longest A-MPDU, against arithmetic and against ns-3.

use std::fs::read_to_string;

use serde_json::Value;

use super::*;

/// Packets that each station keeps waiting or on the air: more than two A-MPDUs without A-MSDUs.
const BACKLOG: u64 = 600;
/// Bytes of UDP payload in packets of 1500 bytes.
const PAYLOAD: f64 = 1472.0;

/// Payload in Mb/s that the access point receives of each station, from `warm_up` on for `measured` seconds. Each
/// station sends in its category. The access point sends beacons of this size every 102.4 ms.
fn saturated(
    config: EdcaConfig,
    nodes: &[EdcaNode],
    categories: &[AccessCategory],
    (beacon_bytes, backlog): (Option<u32>, u64),
    seed: u64,
    [warm_up, measured]: [f64; 2],
) -> Vec<f64> {
    let mut cell = cell(config, nodes, seed);
    let category = |station: NodeId| categories[station.index() - 1];
    for station in (1..nodes.len() as u32).map(NodeId) {
        for _ in 0..backlog {
            let packet = packet(station, 1500, category(station), Instant::ZERO);
            cell.send(Instant::ZERO, station, packet);
        }
    }
    let warm = Instant::ZERO + Duration::from_secs_f64(warm_up);
    let end = warm + Duration::from_secs_f64(measured);
    let mut received = vec![0_u32; nodes.len()];
    let beacons = (1..).map(|number| Instant::ZERO + Duration::from_micros(102_400) * number);
    let beacons = beacons.take_while(|at| *at < end && beacon_bytes.is_some());
    for until in beacons.chain([end]) {
        while let Some(arrival) = cell.poll(until) {
            let station = arrival.from;
            if !station.is_access_point() {
                received[station.index()] += u32::from(arrival.at >= warm);
                let next = packet(station, 1500, category(station), arrival.at);
                cell.send(arrival.at, station, next);
            }
        }
        if let Some(size) = beacon_bytes {
            cell.broadcast(until, NodeId::ACCESS_POINT, Packet { size, ..beacon(until) });
        }
    }
    let mbps = |packets: &u32| f64::from(*packets) * PAYLOAD * 8.0 / measured / 1e6;
    received[1..].iter().map(mbps).collect()
}

/// ns-3's rules and parameters.
fn ns3(preamble: Option<u64>) -> EdcaConfig {
    EdcaConfig {
        preamble: preamble.map(Duration::from_micros),
        rules: AccessRules::Ns3,
        recovery: BlockAckRecovery::BlockAckReq,
        access: EDCA_NS3,
        access_point: EDCA_NS3,
        ..config()
    }
}

/// One station, by hand. An access takes AIFS of 43 us, 7.5 slots on average, the PPDU, SIFS and the response. HT20
/// MCS 7: 28 MPDUs in 5360 us, and a Block Ack of 32 us; VHT80 MCS 9: 64 in 2064 us; HE80 MCS 11: 256 in
/// 5320.8 us, and a Block Ack of 40 us. The preambles are ns-3's. Without aggregation: 228 and 71.2 us, and an ACK
/// of 28 us. The backoffs, uniform on 0 to 15 slots, have a standard deviation of 4.61 slots; the tolerance is the
/// 99.9 % interval of their mean.
#[test]
fn one_station_by_arithmetic() {
    let ht = (mode(PhyFormat::Ht, 7, 20), None);
    let vht = (mode(PhyFormat::Vht, 9, 80), Some(36));
    let he = (mode(PhyFormat::He, 11, 80), Some(44));
    let cases = [
        (ht, true, 28.0, 5360.0, 32.0, 59.75),
        (vht, true, 64.0, 2064.0, 32.0, 339.1),
        (he, true, 256.0, 5320.8, 40.0, 549.4),
        (ht, false, 1.0, 228.0, 28.0, 30.79),
        (he, false, 1.0, 71.2, 28.0, 52.18),
    ];
    for ((mode, preamble), aggregates, mpdus, ppdu, response, rounded) in cases {
        let aggregation = aggregates.then(|| Aggregation::of(mode.format));
        let node = EdcaNode::new(mode, aggregation);
        let best_effort = [AccessCategory::BestEffort];
        let [measured] = saturated(
            ns3(preamble),
            &vec![node.clone(); 2],
            &best_effort,
            (None, BACKLOG),
            1,
            [0.5, 30.0],
        )[..] else {
            panic!("one station")
        };
        let cycle = 43.0 + 7.5 * 9.0 + ppdu + 16.0 + response;
        let expected = mpdus * PAYLOAD * 8.0 / cycle;
        assert!((expected / rounded - 1.0).abs() < 1e-4, "{expected}");
        let accesses = 30e6 / cycle;
        // An access at either end of the time may count as a whole or not at all.
        let tolerance = 3.29 * 4.61 * 9.0 / cycle / accesses.sqrt() + 1.0 / accesses;
        let difference = measured / expected - 1.0;
        assert!(difference.abs() < tolerance, "{measured} Mb/s, not {expected}");
    }
}

/// The rows of `validation/ns3`, but for those without preamble detection, in which a receiver decodes a part of what
/// collides. Allowed: 2 %, or 3 % of categories and of different MCS, and half of the row's interval, which is one of 95 %;
/// with one station 0.3 %. Three seeds of 40 s.
#[test]
fn throughput_is_that_of_ns3() {
    let mut failures = Vec::new();
    for (file, allowed) in [
        ("a_saturated_udp_uplink", 0.02),
        ("a_variants", 0.02),
        ("c_edca", 0.03),
        ("d_anomaly", 0.03),
        ("e_amsdu", 0.02),
    ] {
        let path = format!("{}/../../validation/ns3/{file}.json", env!("CARGO_MANIFEST_DIR"));
        let document: Value = serde_json::from_str(&read_to_string(path).unwrap()).unwrap();
        let rows = document["rows"].as_array().unwrap();
        let rows = rows.iter().filter(|row| row["preamble_detection"] != 0);
        for row in rows {
            let each = like_ns3(row, &document["fixed_parameters"]);
            let goodput = &row["aggregate_goodput_mbps"];
            let [expected, half_width] =
                ["mean", "ci95_half_width"].map(|key| goodput[key].as_f64().unwrap());
            let measured = each.iter().sum::<f64>();
            let difference = measured / expected - 1.0;
            let row = format!(
                "{file} {} {} stations {} A-MPDU {} A-MSDU {}: ns-3 {expected:.2} +- {half_width:.2}, evenair {measured:.2} ({:+.1} %)",
                row["phy"],
                each.len(),
                row["mcs"],
                row["ampdu"],
                row["amsdu"],
                100.0 * difference,
            );
            eprintln!("{row}");
            let bar = match each.len() {
                1 => 0.003,
                _ => allowed + half_width / 2.0 / expected,
            };
            if difference.abs() > bar {
                failures.push(row);
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Mb/s of each station in the cell of a row.
fn like_ns3(row: &Value, fixed: &Value) -> Vec<f64> {
    let key = |name: &str| if row[name].is_null() { &fixed[name] } else { &row[name] };
    // ns-3's beacons last 212 and 284 us: 48 and 66 symbols of 24 bits, with 22 bits of service and tail.
    let (format, width, highest, preamble, beacon) = match row["phy"].as_str().unwrap() {
        "ht20" => (PhyFormat::Ht, 20, 7, None, 141),
        "he80" => (PhyFormat::He, 80, 11, Some(44), 195),
        other => panic!("{other}"),
    };
    let amsdu = row["amsdu"].as_u64().map(|bytes| bytes as u32);
    let aggregation = match key("ampdu") {
        Value::String(_) => Some(Aggregation { amsdu, ..Aggregation::of(format) }),
        bytes => match bytes.as_u64().unwrap() as u32 {
            0 => None,
            bytes => Some(Aggregation { bytes, ..Aggregation::of(format) }),
        },
    };
    let stations = key("stations").as_u64().unwrap() as usize;
    let mcs: Vec<u8> = match row["mcs"].as_str() {
        Some(list) => list.split(',').map(|mcs| mcs.parse().unwrap()).collect(),
        None => vec![highest; stations],
    };
    let categories: Vec<_> = match key("ac").as_str() {
        Some(list) => list.split(',').map(category).collect(),
        None => vec![AccessCategory::BestEffort; stations],
    };
    let node = |mcs: &u8| EdcaNode::new(mode(format, *mcs, width), aggregation);
    let nodes: Vec<_> = mcs[..1].iter().chain(&mcs).map(node).collect();
    let recovery = match row["explicit_bar"].as_u64() {
        Some(0) => BlockAckRecovery::Resend,
        _ => BlockAckRecovery::BlockAckReq,
    };
    let backlog = key("backlog").as_u64().unwrap();
    let rts_threshold = row["rts"].as_u64().map(|bytes| bytes as u32);
    let config = EdcaConfig { recovery, rts_threshold, ..ns3(preamble) };
    let load = (Some(beacon), backlog);
    let run = |seed| saturated(config, &nodes, &categories, load, seed, [1.0, 40.0]);
    let runs: Vec<_> = (1..=3).map(run).collect();
    (0..stations).map(|i| runs.iter().map(|run| run[i]).sum::<f64>() / 3.0).collect()
}

fn category(name: &str) -> AccessCategory {
    match name {
        "BE" => AccessCategory::BestEffort,
        "VI" => AccessCategory::Video,
        other => panic!("{other}"),
    }
}
