//! The SNMP agent, asked by another implementation of SNMP.

use std::net::UdpSocket;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use snmp2::{Oid, SyncSession, Value};

use crate::hosts::{PORT, SERVER_ADDRESS, TestBed, capable, station_address};

const ADDRESS: &str = "10.79.0.1:161";
const PATIENCE: Duration = Duration::from_secs(2);
/// Columns of ifTable and ifXTable (RFC 2863), with ifIndex 1.
const IF_OUT_DISCARDS: [u64; 11] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 19, 1];
const IF_HC_IN_OCTETS: [u64; 12] = [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6, 1];
const IF_HC_OUT_OCTETS: [u64; 12] = [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10, 1];
const IF_HC_OUT_UCAST_PKTS: [u64; 12] = [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 11, 1];

fn bed(refresh_s: f64) -> TestBed {
    let flow = json!({ "direction": "down", "transport": "udp", "rate": "1 Mbps" });
    let scenario = json!({
        "cell": { "queue": { "limit": 5 } }, "wired": { "rate": "unlimited", "delay": "0 s" },
        "station": [{ "flows": [flow] }],
    });
    let snmp = json!({ "listen": ADDRESS, "community": "public", "refresh_s": refresh_s });
    let bed = TestBed::new(1, &scenario, json!({ "duration_s": 30.0, "snmp": snmp }));
    bed.gateway.ip("address add 10.79.0.1/32 dev lo");
    bed.start();
    bed
}

/// Sends many datagrams at once to the station.
fn overload(bed: &TestBed, packets: usize) {
    let socket = bed.server.enter(|| UdpSocket::bind((SERVER_ADDRESS, 0)).unwrap());
    for _ in 0..packets {
        socket.send_to(&[0; 1000], (station_address(1), PORT)).unwrap();
    }
    thread::sleep(Duration::from_millis(300));
}

fn session(bed: &TestBed, community: &[u8]) -> SyncSession {
    bed.gateway.enter(|| SyncSession::new_v2c(ADDRESS, community, Some(PATIENCE), 7).unwrap())
}

fn get(session: &mut SyncSession, object: &[u64]) -> u64 {
    let object = Oid::from(object).unwrap();
    let response = session.get(&object).unwrap();
    let (name, value) = response.varbinds.clone().next().unwrap();
    assert_eq!(name, object);
    match value {
        Value::Counter32(count) => count.into(),
        Value::Counter64(count) => count,
        other => panic!("{other:?}"),
    }
}

#[test]
fn counters_are_those_of_the_cell() {
    let Some(_guard) = capable("counters_are_those_of_the_cell") else { return };
    let bed = bed(0.0);
    overload(&bed, 200);
    let (packets, _) = bed.stations[0].received("wlan0");
    let mut session = session(&bed, b"public");
    let lost = get(&mut session, &IF_OUT_DISCARDS);
    assert_eq!(get(&mut session, &IF_HC_OUT_UCAST_PKTS), 200);
    assert_eq!(lost + packets, 200);
    // Of 1000 bytes with headers of 28.
    assert_eq!(get(&mut session, &IF_HC_OUT_OCTETS), packets * 1028);
    // The station answers: nobody has opened the port.
    assert!(get(&mut session, &IF_HC_IN_OCTETS) > 0);
    // All objects in order, and then the end.
    let first = Oid::from(&[1, 3, 6, 1]).unwrap();
    let response = session.getbulk(&[&first], 0, 100).unwrap();
    let objects: Vec<_> = response.varbinds.clone().collect();
    let (end, named) = objects.split_last().unwrap();
    assert!(matches!(end.1, Value::EndOfMibView), "{end:?}");
    assert_eq!(named.len(), 21);
    let numbers = |name: &Oid<'_>| name.iter().unwrap().collect::<Vec<_>>();
    assert!(named.is_sorted_by(|(a, _), (b, _)| numbers(a) < numbers(b)), "{named:?}");
    // Nothing can be written. Another community gets no answer.
    let object = Oid::from(&IF_OUT_DISCARDS).unwrap();
    assert_eq!(session.set(&[(&object, Value::Integer(0))]).unwrap().error_status, 17);
    let mut stranger = bed.gateway.enter(|| {
        let patience = Some(Duration::from_millis(200));
        SyncSession::new_v2c(ADDRESS, b"private", patience, 7).unwrap()
    });
    assert!(stranger.get(&object).is_err());
    bed.stop();
    let report = bed.result();
    assert_eq!(report.network.ap_queue.drops, lost);
    assert_eq!(report.account.unaccounted(), 0);
}

/// Counters that are refreshed every 2 s are those of the last refresh.
#[test]
fn counters_are_refreshed_at_an_interval() {
    let Some(_guard) = capable("counters_are_refreshed_at_an_interval") else { return };
    let bed = bed(2.0);
    let start = Instant::now();
    overload(&bed, 100);
    let mut session = session(&bed, b"public");
    assert_eq!(get(&mut session, &IF_OUT_DISCARDS), 0, "after {:?}", start.elapsed());
    thread::sleep(Duration::from_secs(2));
    assert!(get(&mut session, &IF_OUT_DISCARDS) > 50);
}
