//! Files of packets, against files that are written here, and broken ones.

use std::net::{IpAddr, Ipv4Addr};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::time::Instant;
use crate::traffic::{Datagrams, Offer, Pattern};

const STATION: Ipv4Addr = Ipv4Addr::new(192, 168, 0, 2);
const HOST: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

/// A packet of a file: time since the first, nanoseconds; size, bytes; whether it comes from the station.
type Row = (u64, u16, bool);

/// The packets of a CSV file or capture.
fn load(bytes: &[u8], address: Option<IpAddr>) -> Result<Vec<TracePacket>, String> {
    let file = Some(TraceFile::new("f", bytes)?);
    let mut config = PacketTraceConfig { file, address, ..PacketTraceConfig::default() };
    config.load()?;
    assert_eq!((&config.file, config.address), (&None, None));
    Ok(config.packets.unwrap().to_vec())
}

fn csv(rows: &[Row]) -> String {
    let line = |&(at, size, is_up): &Row| {
        let direction = if is_up { "up" } else { "down" };
        format!("{}.{:09},{size},{direction}\n", at / 1_000_000_000, at % 1_000_000_000)
    };
    rows.iter().map(line).collect()
}

/// The first bytes of an IPv4 packet of this size.
fn ipv4(size: u16, from: Ipv4Addr, to: Ipv4Addr) -> Vec<u8> {
    let mut ip = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0];
    ip[2..4].copy_from_slice(&size.to_be_bytes());
    ip.extend(from.octets());
    ip.extend(to.octets());
    ip
}

fn packet(&(_, size, is_up): &Row) -> Vec<u8> {
    let (from, to) = if is_up { (STATION, HOST) } else { (HOST, STATION) };
    ipv4(size, from, to)
}

/// How a capture is written.
#[derive(Clone, Copy, Debug)]
struct Format {
    is_ng: bool,
    is_big_endian: bool,
    is_ethernet: bool,
}

impl Format {
    fn word(self, word: u32) -> [u8; 4] {
        if self.is_big_endian { word.to_be_bytes() } else { word.to_le_bytes() }
    }

    fn half(self, half: u16) -> [u8; 2] {
        if self.is_big_endian { half.to_be_bytes() } else { half.to_le_bytes() }
    }

    fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let length = self.word(body.len() as u32 + 12);
        [&self.word(kind)[..], &length, &body, &length].concat()
    }

    /// A capture with times in nanoseconds that begin some years after the epoch.
    fn write(self, rows: &[Row]) -> Vec<u8> {
        let link = if self.is_ethernet { 1 } else { 101 };
        let mut file = if self.is_ng {
            let section =
                [&self.word(0x1a2b_3c4d)[..], &self.half(1), &[0; 2], &[0xff; 8]].concat();
            // Option 9, the resolution: 10^-9 s.
            let resolution = [&self.half(9)[..], &self.half(1), &[9, 0, 0, 0]].concat();
            let interface = [&self.half(link)[..], &[0; 6], &resolution, &[0; 4]].concat();
            [self.block(0x0a0d_0d0a, &section), self.block(1, &interface)].concat()
        } else {
            let words = [0xa1b2_3c4d, 0x0002_0004, 0, 0, 65_535, u32::from(link)];
            words.map(|word| self.word(word)).concat()
        };
        for row in rows {
            let mut data = packet(row);
            let mut on_link = u32::from(row.1);
            if self.is_ethernet {
                data = [&[0; 12][..], &[0x08, 0x00], &data].concat();
                on_link += 14;
            }
            let time = 1_600_000_000_000_000_000 + row.0;
            let lengths = [data.len() as u32, on_link].map(|word| self.word(word)).concat();
            if self.is_ng {
                let times = [(time >> 32) as u32, time as u32].map(|word| self.word(word)).concat();
                let body = [&self.word(0)[..], &times, &lengths, &data].concat();
                file.extend(self.block(6, &body));
            } else {
                let times = [(time / 1_000_000_000) as u32, (time % 1_000_000_000) as u32];
                file.extend(
                    [&times.map(|word| self.word(word)).concat()[..], &lengths, &data].concat(),
                );
            }
        }
        file
    }
}

fn formats() -> impl Strategy<Value = Format> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(is_ng, is_big_endian, is_ethernet)| {
        Format { is_ng, is_big_endian, is_ethernet }
    })
}

/// Rows in the order of their times, from 0 on, the first of which goes up.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..2_000_000_000_u64, 29..=1500_u16, any::<bool>());
    prop::collection::vec(row, 1..40).prop_map(|mut rows| {
        rows.sort_unstable();
        let first = rows[0].0;
        rows.iter_mut().for_each(|row| row.0 -= first);
        rows[0].2 = true;
        rows
    })
}

/// What is sent in a direction: times in nanoseconds and payload.
fn sent(config: &PacketTraceConfig, direction: TraceDirection, count: usize) -> Vec<(u64, u32)> {
    let offer = Offer { rate: None, segment: 1472, header: 28, direction };
    let pattern = Pattern::Trace(config.clone());
    let mut datagrams = Datagrams::new(&pattern, offer, Instant::from_nanos(5), 1, 0);
    let mut all = Vec::new();
    while datagrams.next() != Instant::NEVER && all.len() < count {
        all.push((datagrams.next().as_nanos() - 5, datagrams.payload()));
        datagrams.advance();
    }
    all
}

fn config(text: &str) -> PacketTraceConfig {
    let file = Some(TraceFile::new("f", text.as_bytes()).unwrap());
    let mut config = PacketTraceConfig { file, ..PacketTraceConfig::default() };
    config.load().unwrap();
    config
}

/// By hand: three packets, of which two go up; with `repeat`, again 2 s later.
#[test]
fn a_trace_is_replayed_and_repeated() {
    let once = config("time,size,direction\n3,100,up\n3.5 s,60 B,down\n4,1500,up\n");
    const S: u64 = 1_000_000_000;
    assert_eq!(sent(&once, TraceDirection::Up, 9), [(0, 72), (S, 1472)]);
    assert_eq!(sent(&once, TraceDirection::Down, 9), [(S / 2, 32)]);
    let as_given = PacketTraceConfig { times: Times::AsGiven, ..once.clone() };
    assert_eq!(sent(&as_given, TraceDirection::Up, 9), [(3 * S, 72), (4 * S, 1472)]);
    let again = PacketTraceConfig { repeat: Some(Duration::from_secs(2)), ..once };
    let expected = [(0, 72), (S, 1472), (2 * S, 72), (3 * S, 1472), (4 * S, 72)];
    assert_eq!(sent(&again, TraceDirection::Up, 5), expected);
}

/// Columns in another order, others beside them, and none with a direction.
#[test]
fn a_heading_names_the_columns() {
    let packets = load(b"number, size ,\"time\"\n1,100,0.5\n\n2,200,0.5\n", None).unwrap();
    let at = Duration::from_millis(500);
    let packet = |bytes| TracePacket { at, bytes, direction: None };
    assert_eq!(packets, [packet(100), packet(200)]);
    assert_eq!(load(b"0.5,100\n0.5,200", None).unwrap(), packets);
}

#[test]
fn broken_csv_files_are_explained() {
    for (text, expected) in [
        ("", "got 0 packets; accepted: from 1 to 100000 of them"),
        ("time,size\n", "got 0 packets; accepted: from 1 to 100000 of them"),
        ("time,bytes\n0,1\n", "line 1: got \"time,bytes\" without a column \"size\"; accepted: "),
        ("t,size\n0,1\n", "without a column \"time\""),
        ("0,1\n-1,1\n", "line 2: got -1: it is negative; accepted: a time"),
        ("1,1\n\n0.5,1\n", "line 3: got 0.5 s after 1 s; accepted: times in order"),
        ("0,0\n", "line 1: got 0 B; accepted: a size from 1 to 4294967295 B"),
        ("0,4294967296\n", "line 1: got 4294967296 B; accepted: a size"),
        ("0,-5\n", "line 1: got -5: it is negative; accepted: a size"),
        ("0\n", "line 1: got \"0\"; accepted: a time and a size"),
        ("0;100\n", "line 1: got \"0;100\"; accepted: a time and a size"),
        ("0,1,upp\n", "line 1: got \"upp\"; did you mean \"up\"? accepted: \"up\", \"down\""),
        ("nan,1\n", "line 1: got \"nan\": it does not start with a number"),
        ("1.6e9,1\n", "line 1: got 1600000000: it is too large; accepted: a time"),
    ] {
        let error = load(text.as_bytes(), None).unwrap_err();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    let error = load(b"0,100\n", Some(HOST.into())).unwrap_err();
    assert_eq!(error, "got address with f; accepted: address with a capture");
    assert!(
        load(&[0xff, 0xfe], None).unwrap_err().contains("accepted: a CSV, pcap or pcapng file")
    );
}

const RAW: Format = Format { is_ng: false, is_big_endian: false, is_ethernet: false };
const NG: Format = Format { is_ng: true, ..RAW };

#[test]
fn broken_captures_are_explained() {
    let arp = |format: Format| {
        let mut file = Format { is_ethernet: true, ..format }.write(&[(0, 60, true)]);
        let at = file.windows(2).rposition(|pair| pair == [0x08, 0x00]).unwrap();
        file[at + 1] = 0x06;
        file
    };
    let link = |link: u8| {
        let mut file = RAW.write(&[(0, 60, true)]);
        file[20] = link;
        file
    };
    let whole = NG.write(&[(0, 60, true), (1, 70, true)]);
    let mut interface = whole.clone();
    let at = interface.windows(4).rposition(|four| four == [6, 0, 0, 0]).unwrap();
    interface[at + 8] = 7;
    let simple = [NG.write(&[]), NG.block(3, &[0; 4])].concat();
    let mut order = whole.clone();
    order[8] = 0;
    for (file, expected) in [
        (arp(RAW), "which is a capture: got no IP packet; accepted: at least one"),
        (arp(NG), "which is a capture: got no IP packet"),
        (RAW.write(&[]), "which is a capture: got no IP packet"),
        (RAW.write(&[])[..23].to_vec(), "header: got the end of the file within it"),
        (
            RAW.write(&[(0, 60, true); 2])[..80].to_vec(),
            "packet 2: got the end of the file within it",
        ),
        (whole[..whole.len() - 1].to_vec(), "block 4: got the end of the file within it"),
        (link(127), "packet 1: got link type 127; accepted: Ethernet (1), raw IP"),
        (interface, "packet 2: got interface 7, which is not there"),
        (simple, "block 3: got a packet without a time"),
        (order, "block 1: got the byte order"),
        (RAW.write(&[(5, 60, true), (4, 60, true)]), "packet 2: got a time before the first"),
        (
            RAW.write(&[(0, 60, true), (5, 60, true), (4, 60, true)]),
            "packet 3: got 0.000000004 s after",
        ),
    ] {
        let error = load(&file, None).unwrap_err();
        assert!(error.contains(expected) && error.contains("; accepted: "), "{error}");
    }
}

/// Whose packets go up: the source of the first, or who is named. Those of others are left out.
#[test]
fn the_station_of_a_capture_has_an_address() {
    let other = Ipv4Addr::new(172, 16, 0, 9);
    let mut file = RAW.write(&[(0, 60, false), (1, 61, true)]);
    let mut foreign = RAW.write(&[(2, 62, true)]).split_off(24);
    foreign[16..].copy_from_slice(&ipv4(62, HOST, other));
    file.extend(foreign);
    let ends = |address| {
        let packets = load(&file, address).unwrap();
        packets.iter().map(|p| (p.bytes, p.direction.unwrap().name())).collect::<Vec<_>>()
    };
    assert_eq!(ends(None), [(60, "up"), (61, "down"), (62, "up")]);
    assert_eq!(ends(Some(STATION.into())), [(60, "down"), (61, "up")]);
    assert_eq!(ends(Some(other.into())), [(62, "down")]);
    let error = load(&file, Some(Ipv4Addr::LOCALHOST.into())).unwrap_err();
    assert!(
        error.contains("no packet from or to it; accepted: an address such as \"10.0.0.1\""),
        "{error}"
    );
}

/// IPv6 has the length without its header; of a packet to be segmented IPv4 states none. VLAN tags and a time in
/// powers of two, with an offset of 10 s.
#[test]
fn sizes_and_times_have_several_forms() {
    let mut v6 = vec![0x60, 0, 0, 0, 0, 100, 17, 64];
    v6.extend([0; 32]);
    let tags = [&[0; 12][..], &[0x88, 0xa8, 0, 1, 0x81, 0x00, 0, 2, 0x86, 0xdd], &v6].concat();
    let unknown = [&[0; 12][..], &[0x08, 0x00], &ipv4(0, HOST, STATION)].concat();
    let section = [&NG.word(0x1a2b_3c4d)[..], &NG.half(1), &[0; 2], &[0xff; 8]].concat();
    // Options 9, 2^-1 s, and 14.
    let options = [9, 0, 1, 0, 0x81, 0, 0, 0, 14, 0, 8, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let interface = [&NG.half(1)[..], &[0; 6], &options].concat();
    let mut file = [NG.block(0x0a0d_0d0a, &section), NG.block(1, &interface)].concat();
    for (time, data, length) in [(4, tags, 162), (7, unknown, 3014)] {
        let words = [0, 0, time, data.len() as u32, length].map(|word| NG.word(word)).concat();
        file.extend(NG.block(6, &[words, data].concat()));
    }
    let file = TraceFile::new("f", &file).unwrap();
    let any = IpAddr::V6(std::net::Ipv6Addr::UNSPECIFIED);
    let first = file.clone().packets(Some(any), SentAs::Datagrams).unwrap();
    assert_eq!((first.len(), first[0].bytes), (1, 140));
    let second = file.packets(Some(STATION.into()), SentAs::Datagrams).unwrap();
    assert_eq!((second[0].at, second[0].bytes), (Duration::from_millis(1500), 3000));
}

/// A segment of TCP in IPv4: the first word of ports is the connection's, the payload in bytes; then zeros, as Ethernet adds
/// to what is short.
fn segment(is_up: bool, port: u16, flags: u8, payload: u16) -> Vec<u8> {
    let ends = if is_up { [STATION, HOST] } else { [HOST, STATION] };
    let mut packet = ipv4(40 + payload, ends[0], ends[1]);
    packet[9] = 6;
    let ports = if is_up { [port, 80] } else { [80, port] };
    packet.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
    packet.extend([0; 8]);
    packet.extend([0x50, flags, 0, 0, 0, 0, 0, 0]);
    packet.resize((40 + usize::from(payload)).max(46), 0);
    packet
}

/// By hand: of port 1000 the request has 100 bytes and the answer 1460 + 40, from its SYN at 1 ms on; port 2000 has
/// none; port 1000 is used again at 6 ms, and UDP is no transfer.
#[test]
fn each_direction_of_a_connection_is_a_transfer() {
    const SYN: u8 = 2;
    const ACK: u8 = 16;
    let mut udp = ipv4(1000, STATION, HOST);
    udp.resize(1000, 0);
    let packets = [
        segment(true, 1000, SYN, 0),
        segment(false, 1000, SYN | ACK, 0),
        segment(true, 1000, ACK, 100),
        segment(true, 2000, SYN, 0),
        segment(false, 1000, ACK, 1460),
        segment(false, 1000, ACK, 40),
        segment(true, 1000, SYN, 0),
        segment(true, 1000, ACK, 7),
        udp,
    ];
    let mut file = RAW.write(&[]);
    for (ms, packet) in packets.iter().enumerate() {
        let words = [0, ms as u32 * 1_000_000, packet.len() as u32, packet.len() as u32];
        file.extend(words.map(|word| RAW.word(word)).concat());
        file.extend(packet);
    }
    let read = |bytes: &[u8]| TraceFile::new("f", bytes).unwrap();
    let transfers = read(&file).packets(None, SentAs::Transfers).unwrap();
    let found: Vec<_> = transfers
        .iter()
        .map(|one| (one.at.as_nanos() / 1_000_000, one.bytes, one.direction.unwrap().name()))
        .collect();
    assert_eq!(found, [(0, 100, "up"), (1, 1500, "down"), (6, 7, "up")]);
    let none = read(&RAW.write(&[(0, 60, true)])).packets(None, SentAs::Transfers).unwrap_err();
    let expected =
        "got f without payload over TCP from or to 192.168.0.2; accepted: a capture of connections";
    assert_eq!(none, expected);
}

/// A list that a configuration has is what it writes.
#[test]
fn packets_are_written_as_they_are_read() {
    let config = config("0,100\n0.1,200,down\n1.000000001,300\n");
    let json = serde_json::to_value(config.packets).unwrap();
    assert_eq!(json, json!([[0.0, 100], [0.1, 200, "down"], [1.000000001, 300]]));
}

/// A mutation of a file: a byte that is replaced, or removed, or the end cut off.
#[derive(Clone, Debug)]
enum Mutation {
    Replace(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Cut(prop::sample::Index),
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let at = any::<prop::sample::Index>;
    let special = prop::sample::select(vec![0_u8, 1, 6, 9, 0x7f, 0x80, 0xff, b'-', b'e', b',']);
    let one = prop_oneof![
        8 => (at(), prop_oneof![any::<u8>(), special]).prop_map(|(i, byte)| Mutation::Replace(i, byte)),
        1 => at().prop_map(Mutation::Remove),
        1 => at().prop_map(Mutation::Cut),
    ];
    prop::collection::vec(one, 1..6)
}

proptest! {
    #![proptest_config(evenair_testing::config!())]

    /// The packets of a CSV file are sent at their times and with their sizes, and no others.
    #[test]
    fn a_csv_file_is_sent_as_it_is(rows in rows()) {
        let config = config(&csv(&rows));
        for direction in [TraceDirection::Up, TraceDirection::Down] {
            let those = rows.iter().filter(|row| row.2 == (direction == TraceDirection::Up));
            let expected: Vec<_> = those.map(|row| (row.0, u32::from(row.1) - 28)).collect();
            prop_assert_eq!(sent(&config, direction, 100), expected);
        }
    }

    /// A capture in any format is the CSV file of the same packets.
    #[test]
    fn a_capture_is_the_same_as_a_csv_file(rows in rows(), format in formats()) {
        let captured = load(&format.write(&rows), None);
        prop_assert_eq!(captured, load(csv(&rows).as_bytes(), None));
    }
}

proptest! {
    #![proptest_config(evenair_testing::config!(300))]

    /// Files that are damaged anywhere are read or explained in one line.
    #[test]
    fn damaged_files_are_read_or_explained(
        rows in rows(),
        format in prop::option::of(formats()),
        mutations in mutations(),
    ) {
        let mut file = match format {
            Some(format) => format.write(&rows),
            None => csv(&rows).into_bytes(),
        };
        for mutation in mutations {
            if file.is_empty() {
                break;
            }
            match mutation {
                Mutation::Replace(at, byte) => { let at = at.index(file.len()); file[at] = byte; }
                Mutation::Remove(at) => { file.remove(at.index(file.len())); }
                Mutation::Cut(at) => file.truncate(at.index(file.len())),
            }
        }
        match load(&file, None) {
            Ok(packets) => prop_assert!(packets.windows(2).all(|pair| pair[0].at <= pair[1].at)),
            Err(error) => {
                prop_assert!(error.contains("accepted: "), "{error}");
                prop_assert_eq!(error.lines().count(), 1);
            }
        }
    }
}
