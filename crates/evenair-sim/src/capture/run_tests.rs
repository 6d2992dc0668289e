//! Captures of whole runs, as tshark reads them, if it is installed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::tshark_tests::{File, WRONG, tshark_is_here};
use crate::scenario::resolve;
use crate::{CaptureSinks, RunOptions, RunResult, run_with_captures};

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The result of a run and its captures: of the air, and of the wire.
pub(super) fn captured(name: &str, scenario: Value) -> (RunResult, [File; 2]) {
    let scenario = resolve(scenario, "test").unwrap();
    let (air, wire) = (Memory::default(), Memory::default());
    let sinks = CaptureSinks { air: Some(Box::new(air.clone())), wire: Box::new(wire.clone()) };
    let result = run_with_captures(&scenario, 1, &RunOptions::default(), Some(sinks)).unwrap();
    let file = |kind: &str, memory: &Memory| {
        File::new(&format!("{name}-{kind}"), &memory.0.lock().unwrap())
    };
    (result, [file("air", &air), file("wire", &wire)])
}

/// Transfers of 10,000 bytes, one after the other, with a window of 100 segments.
fn web(opened_by: &str, direction: &str, sack: bool) -> Value {
    json!({
        "direction": direction,
        "application": {
            "kind": "web", "size": "10000 B", "think": "10 ms", "sessions": 150,
            "opened_by": opened_by, "request": if opened_by == "receiver" { 200 } else { 0 },
        },
        "segment": 1460, "window": 100, "initial_window": 2, "sack": sack,
    })
}

/// A cell in which nothing is lost: neither by queues, which hold all, nor by collisions.
fn cell(flows: Value, stations: u32) -> Value {
    let queue = json!({ "limit": "unlimited" });
    json!({
        "duration": "60 s",
        "cell": {
            "phy": "802.11g", "queue": queue, "short_retry_limit": 255, "long_retry_limit": 255,
        },
        "wired": { "rate": "100 Mbps", "delay": "2 ms", "queue": queue },
        "station": [{ "count": stations, "flows": flows, "queue": queue }],
    })
}

fn lines(values: &[&[&str]]) -> Vec<Vec<String>> {
    values.iter().map(|row| row.iter().map(|&field| field.to_owned()).collect()).collect()
}

#[test]
#[ignore = "long"]
fn each_transfer_is_a_conversation_of_its_own() {
    if !tshark_is_here() {
        return;
    }
    let flows = json!([
        web("receiver", "down", true),
        web("sender", "down", false),
        web("sender", "up", false),
        web("receiver", "up", true),
    ]);
    let (result, files) = captured("web", cell(flows, 2));
    assert_eq!(result.losses.congestion + result.losses.retry_limit + result.losses.error, 0);
    let sessions = result.sessions.unwrap();
    assert_eq!(sessions.len(), 2 * 4 * 150);
    assert!(sessions.iter().all(|session| session.retransmissions == 0 && session.timeouts == 0));
    for file in &files {
        assert_eq!(file.read(WRONG, &["frame.number"]), lines(&[]));
        let syns = file.read("tcp.flags.syn == 1 and tcp.flags.ack == 0", &["tcp.stream"]);
        assert_eq!(syns.len(), sessions.len());
        let mut segments: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for row in file.read("tcp.len > 0", &["tcp.stream", "tcp.flags.fin", "tcp.len"]) {
            let [stream, fin, bytes] = &row[..] else { panic!("{row:?}") };
            let bytes = bytes.parse().unwrap();
            // Requests have 200 bytes.
            if bytes != 200 {
                assert_eq!(fin == "1" || fin == "True", bytes == 10_000 - 6 * 1460, "{row:?}");
                segments.entry(stream.clone()).or_default().push(bytes);
            }
        }
        assert_eq!(segments.len(), sessions.len(), "a conversation for each connection");
        for bytes in segments.values() {
            assert_eq!(bytes[..], [1460, 1460, 1460, 1460, 1460, 1460, 1240]);
        }
        // The FIN has a sequence number of its own: the last acknowledgement covers it.
        let last = file.read("tcp.ack == 10002", &["tcp.stream"]);
        assert_eq!(last.len(), sessions.len());
        // Nothing is repeated, missing, out of order, or beyond a window; no port is used again.
        let flagged = file.read("tcp.analysis.flags", &["frame.number", "tcp.analysis.flags"]);
        assert_eq!(flagged, lines(&[]));
        let reused = file.read("tcp.analysis.reused_ports", &["frame.number"]);
        assert_eq!(reused, lines(&[]));
    }
}

/// RFC 862: each datagram to port 7 comes back with the same payload, from port 7. A ping has 56 + 8 bytes of UDP.
#[test]
fn pings_are_echoes() {
    if !tshark_is_here() {
        return;
    }
    let ping = |direction: &str| {
        let application = json!({ "kind": "ping", "interval": "1 s" });
        json!({ "direction": direction, "transport": "udp", "application": application })
    };
    let (_, files) = captured("ping", cell(json!([ping("up"), ping("down")]), 2));
    for file in &files {
        assert_eq!(file.read(WRONG, &["frame.number"]), lines(&[]));
        // Captures have no payload, which is all that tshark decodes of an echo.
        let all = file.read("udp.port == 7", &["udp.srcport", "udp.dstport", "udp.length"]);
        assert_eq!(all.len(), 2 * 2 * 2 * 60, "station, direction, echo, second");
        let [there, back] = [1, 0].map(|port| {
            let own = all.iter().filter(move |row| row[port] == "7");
            own.inspect(|row| assert_eq!(row[2], "64")).map(move |row| row[1 - port].clone())
        });
        let (mut there, mut back): (Vec<_>, Vec<_>) = (there.collect(), back.collect());
        there.sort();
        back.sort();
        assert_eq!(there, back);
        assert_eq!(there.len(), 2 * 2 * 60);
    }
}

/// Kept connections: further requests have payload, answers acknowledge them, and nobody closes. New ones: each object
/// is a conversation of its own.
#[test]
#[ignore = "long"]
fn a_kept_connection_has_requests_and_answers() {
    if !tshark_is_here() {
        return;
    }
    for (keeping, direction) in [("kept", "down"), ("kept", "up"), ("new", "down")] {
        let flow = json!({
            "direction": direction, "window": 100,
            "application": {
                "kind": "page", "objects": 20, "size": "5000 B", "connections": 3, "think": "10 ms",
                "pages": 10, "request": 200, "keeping": keeping,
            },
        });
        let (result, files) = captured(keeping, cell(json!([flow]), 1));
        assert_eq!(result.losses.congestion + result.losses.retry_limit + result.losses.error, 0);
        assert_eq!(result.sessions.unwrap().len(), 10);
        for file in &files {
            assert_eq!(file.read(WRONG, &["frame.number"]), lines(&[]));
            let flagged = file.read("tcp.analysis.flags", &["frame.number", "tcp.analysis.flags"]);
            assert_eq!(flagged, lines(&[]), "{keeping} {direction}");
            let syns = file.read("tcp.flags.syn == 1 and tcp.flags.ack == 0", &["frame.number"]);
            assert_eq!(syns.len(), if keeping == "kept" { 10 * 3 } else { 10 * 20 });
            let fins = file.read("tcp.flags.fin == 1", &["frame.number"]);
            assert_eq!(fins.len(), if keeping == "kept" { 0 } else { 10 * 20 });
            assert_eq!(file.read("tcp.len == 200", &["frame.number"]).len(), 10 * 20);
            // Of each conversation: the last sequence numbers, which are those of all requests and answers.
            let mut ends: BTreeMap<String, [u64; 2]> = BTreeMap::new();
            for row in file.read("tcp.len > 0", &["tcp.stream", "tcp.len", "tcp.seq"]) {
                let [bytes, seq] = [1, 2].map(|field| row[field].parse::<u64>().unwrap());
                let end = &mut ends.entry(row[0].clone()).or_default()[usize::from(bytes != 200)];
                *end = (*end).max(seq + bytes - 1);
            }
            let sums = ends.values().fold([0, 0], |sum, end| [sum[0] + end[0], sum[1] + end[1]]);
            assert_eq!(sums, [10 * 20 * 200, 10 * 20 * 5000]);
        }
    }
}

/// 100 segments of 1460 bytes need 18 bits: a shift of 2 and no more. tshark multiplies the window of
/// all segments behind the handshake.
#[test]
#[ignore = "long"]
fn the_handshake_announces_window_and_segment() {
    if !tshark_is_here() {
        return;
    }
    for (sack, perm, header) in [(true, "1", "32"), (false, "", "28")] {
        let flows = json!([web("receiver", "down", sack)]);
        let (_, files) = captured("options", cell(flows, 1));
        for file in &files {
            let fields = [
                "tcp.options.mss_val",
                "tcp.options.wscale.shift",
                "tcp.hdr_len",
                "tcp.window_size_value",
            ];
            let syns = file.read("tcp.flags.syn == 1", &fields);
            assert_eq!(syns, vec![lines(&[&["1460", "2", header, "65535"]])[0].clone(); 300]);
            let permitted = file.read("tcp.options.sack_perm", &["frame.number"]);
            assert_eq!(permitted.len(), if perm == "1" { 300 } else { 0 });
            let windows = file.read("tcp.flags.syn == 0", &["tcp.window_size"]);
            assert!(windows.len() > 1000);
            assert!(windows.iter().all(|window| window[0] == "146000"), "{:?}", windows[0]);
        }
    }
    // A window that fits into the header is announced as it is.
    let mut flow = web("receiver", "down", false);
    flow["window"] = json!(44);
    let (_, files) = captured("small", cell(json!([flow]), 1));
    for file in &files {
        assert_eq!(file.read("tcp.options.wscale", &["frame.number"]), lines(&[]));
        let windows = file.read("tcp", &["tcp.window_size"]);
        assert!(windows.iter().all(|window| window[0] == "64240"), "{:?}", windows[0]);
    }
}

/// A download whose window of 1000 segments never fills: tshark sees no full window, although more
/// than 65,535 bytes are under way. With a window of 20 segments that fills, it does see that.
#[test]
fn full_windows_are_those_that_are_full() {
    if !tshark_is_here() {
        return;
    }
    let bulk = |window: u32| {
        let flow = json!({
            "direction": "down", "segment": 1460, "window": window, "initial_window": 2,
            "initial_ssthresh": if window > 100 { 200 } else { 20 }, "stop": "2 s",
        });
        let mut cell = cell(json!([flow]), 1);
        cell["duration"] = json!("2 s");
        captured("bulk", cell).1
    };
    let [_, wire] = bulk(1000);
    let in_flight = wire.read("tcp.analysis.bytes_in_flight > 200000", &["frame.number"]);
    assert!(in_flight.len() > 100, "{}", in_flight.len());
    assert_eq!(wire.read("tcp.analysis.flags", &["tcp.analysis.flags"]), lines(&[]));
    let [_, wire] = bulk(20);
    assert!(wire.read("tcp.analysis.window_full", &["frame.number"]).len() > 100);
}

/// Data are RTP with a header extension of 8 bytes, reports RTCP transport feedback of 7 words. Sequence
/// numbers ascend by one, and the reports have what the sender has sent.
#[test]
#[ignore = "long"]
fn tfrc_is_rtp() {
    if !tshark_is_here() {
        return;
    }
    let flows = json!([{ "direction": "down", "transport": "tfrc", "stop": "2 s" }]);
    let (result, files) = captured("tfrc", cell(flows, 1));
    let rtp = ["-d", "udp.port==5001,rtp"];
    for file in &files {
        let wrong = file.read_with(&rtp, WRONG, &["frame.number"]);
        assert_eq!(wrong, lines(&[]));
        let fields = ["rtp.seq", "rtp.p_type", "rtp.ext.profile", "rtp.ext.len", "ip.len"];
        let data = file.read_with(&rtp, "rtp", &fields);
        assert_eq!(data.len() as u64, result.flows[0].segments_sent);
        for (number, row) in data.iter().enumerate() {
            let number = (number % 65_536).to_string();
            assert_eq!(row[..], [number.as_str(), "96", "0xbede", "2", "1500"], "{row:?}");
        }
        let fields = ["rtcp.pt", "rtcp.rtpfb.fmt", "rtcp.length", "ip.len"];
        let reports = file.read_with(&rtp, "rtcp", &fields);
        assert!(!reports.is_empty());
        assert!(reports.iter().all(|row| row[..] == ["205", "2", "6", "56"]), "{reports:?}");
    }
}

/// Fields and elements of beacons; the intervals are 20 ms, that is 19.53 time units.
#[test]
#[ignore = "long"]
fn tshark_reads_beacons() {
    if !tshark_is_here() {
        return;
    }
    for (phy, bytes, rate, rates, extended) in [
        ("802.11a", 66, "6", "140,18,152,36,176,72,96,108", ""),
        ("802.11b", 65, "1", "130,132,139,150", ""),
        ("802.11g", 78, "6", "2,4,11,22,140,18,152,36", "176,72,96,108"),
    ] {
        let flows = json!([{ "direction": "down", "transport": "udp", "rate": "1 Mbps" }]);
        let mut scenario = cell(flows, 2);
        scenario["duration"] = json!("1 s");
        scenario["cell"]["phy"] = json!(phy);
        scenario["cell"]["beacon_interval"] = json!("20 ms");
        let (result, [air, wire]) = captured(&format!("beacons-{phy}"), scenario);
        let sent = result.ap.beacons.unwrap().sent;
        assert!(sent >= 48, "{sent}");
        let suspicious =
            "wlan.fc.type_subtype == 8 and (_ws.malformed or _ws.expert.severity >= warning)";
        assert_eq!(air.read(suspicious, &["frame.number"]), lines(&[]));
        assert_eq!(wire.read("wlan", &["frame.number"]), lines(&[]));
        let is_beacon = "wlan.fc.type_subtype == 8 and wlan.ssid == \"even-air\" and \
            wlan.fixed.beacon == 20";
        let fields = [
            "frame.len",
            "radiotap.datarate",
            "wlan.da",
            "wlan.bssid",
            "wlan.supported_rates",
            "wlan.extended_supported_rates",
        ];
        let mut found = air.read(is_beacon, &fields);
        // Some versions of tshark print rates as hexadecimal numbers.
        found.iter_mut().flat_map(|row| &mut row[4..]).for_each(|rates| *rates = decimal(rates));
        assert_eq!(found.len() as u64, sent, "none has collided");
        let length = (14 + bytes - 4).to_string();
        let [receiver, bssid] = ["ff:ff:ff:ff:ff:ff", "02:00:00:00:00:02"];
        for row in &found {
            let expected = [&*length, rate, receiver, bssid, rates, extended];
            assert_eq!(row[..], expected, "{phy}");
        }
        // A frame and a backoff later than due at most: in 802.11b 2 ms and 0.6 ms.
        for (row, number) in
            air.read(is_beacon, &["wlan.fixed.timestamp", "wlan.seq"]).iter().zip(1..)
        {
            let [timestamp, sequence] = &row[..] else { panic!("{row:?}") };
            let late = timestamp.parse::<u64>().unwrap() - 20_000 * number;
            assert!(late < 3_000, "{row:?}");
            assert!(sequence.parse::<u64>().unwrap() >= number - 1);
        }
    }
}

/// A list of numbers, each decimal or hexadecimal, in decimal.
fn decimal(list: &str) -> String {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap().to_string(),
        None => text.to_owned(),
    };
    list.split(',').map(number).collect::<Vec<_>>().join(",")
}
