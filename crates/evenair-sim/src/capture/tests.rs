//! Tests of the file structure, byte by byte.

use evenair_core::medium::TxVector;
use evenair_core::packet::{FlowId, Packet, PacketKind};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::{PacketOption, TcpOptions, Timestamps};
use evenair_core::units::Rate;
use proptest::prelude::*;
use proptest::sample::select;

use super::connections::ConnectionInfo;
use super::headers::checksum;
use super::{AirPhy, AirWriter, MacFrame, Node, Segment, WireWriter};

pub(super) fn segment(kind: PacketKind, up: bool, seq: u64, payload: u32) -> Segment {
    Segment {
        packet: Packet {
            size: payload + 40,
            payload: payload as u16,
            seq,
            ..Packet::new(FlowId(7), kind)
        },
        station: 2,
        up,
        from_source: matches!(kind, PacketKind::Data | PacketKind::Syn | PacketKind::Datagram),
        connection: connection(),
        sack: None,
        option: None,
    }
}

/// The only connection of a flow.
fn connection() -> ConnectionInfo {
    ConnectionInfo {
        number: 0,
        station_port: 49_160,
        server_port: 5001,
        window: 29_200,
        segment: 1460,
        requested: 0,
        received: 0,
        total: None,
    }
}

/// One block: its type, and its body without type and lengths.
fn blocks(file: &[u8]) -> Vec<(u32, &[u8])> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut out) = (0, Vec::new());
    while at < file.len() {
        let length = word(at + 4) as usize;
        assert_eq!(length % 4, 0);
        assert_eq!(word(at + length - 4) as usize, length, "the lengths of a block agree");
        out.push((word(at), &file[at + 8..at + length - 4]));
        at += length;
    }
    out
}

pub(super) struct FlowMeta<'a> {
    nanos: u64,
    pub(super) original: u32,
    pub(super) bytes: &'a [u8],
    options: &'a [u8],
}

pub(super) fn packets(file: &[u8]) -> Vec<FlowMeta<'_>> {
    let word = |b: &[u8], at: usize| u32::from_le_bytes(b[at..at + 4].try_into().unwrap());
    blocks(file)
        .into_iter()
        .filter(|(kind, _)| *kind == 6)
        .map(|(_, b)| {
            let captured = word(b, 12) as usize;
            FlowMeta {
                nanos: u64::from(word(b, 4)) << 32 | u64::from(word(b, 8)),
                original: word(b, 16),
                bytes: &b[20..20 + captured],
                options: &b[20 + captured.next_multiple_of(4)..],
            }
        })
        .collect()
}

fn wire(segment: Segment) -> Vec<u8> {
    let mut writer = WireWriter::new(Vec::new()).unwrap();
    writer.packet(Instant::ZERO, &segment).unwrap();
    writer.finish().unwrap()
}

fn air(frame: &MacFrame) -> Vec<u8> {
    let mut writer = AirWriter::new(Vec::new(), AirPhy::B { short_preamble: true }).unwrap();
    writer.frame(Instant::ZERO, &TxVector::dsss(Rate::from_mbps(11)), 117, frame).unwrap();
    writer.finish().unwrap()
}

/// Checks the checksums of an IPv4 packet with a payload of zeros. Returns its total length.
fn check_ip(ip: &[u8]) -> usize {
    let header = usize::from(ip[0] & 15) * 4;
    assert_eq!(checksum(0, &ip[..header]), 0, "IPv4 header checksum");
    let total = usize::from(u16::from_be_bytes([ip[2], ip[3]]));
    let mut pseudo = ip[12..20].to_vec();
    pseudo.extend([0, ip[9]]);
    pseudo.extend(((total - header) as u16).to_be_bytes());
    pseudo.extend(&ip[header..]);
    assert_eq!(checksum(0, &pseudo), 0, "transport checksum");
    total
}

#[test]
fn a_file_begins_with_its_section_and_interface() {
    let file = wire(segment(PacketKind::Data, false, 0, 1460));
    let blocks = blocks(&file);
    assert_eq!(blocks[0].0, 0x0A0D_0D0A);
    assert_eq!(blocks[0].1[..8], [0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0]);
    assert!(blocks[0].1.windows(7).any(|w| w == b"evenair"));
    assert_eq!(blocks[1].0, 1);
    assert_eq!(blocks[1].1[..2], [1, 0], "Ethernet");
    let resolution = [9, 0, 1, 0, 9, 0, 0, 0];
    assert!(blocks[1].1.windows(8).any(|w| w == resolution), "nanoseconds");
    let file = air(&MacFrame::Ack { to: Node::AccessPoint });
    assert_eq!(self::blocks(&file)[1].1[..2], [127, 0], "radiotap");
}

#[test]
fn stamps_are_64_bits_of_nanoseconds() {
    let mut writer = WireWriter::new(Vec::new()).unwrap();
    let data = segment(PacketKind::Data, true, 0, 1460);
    for nanos in [0, 1, 1 << 32, 300_000_000_123] {
        writer.packet(Instant::from_nanos(nanos), &data).unwrap();
    }
    let file = writer.finish().unwrap();
    let stamps: Vec<u64> = packets(&file).iter().map(|p| p.nanos).collect();
    assert_eq!(stamps, [0, 1, 1 << 32, 300_000_000_123]);
}

#[test]
fn headers_are_captured_and_the_payload_is_counted() {
    let file = wire(segment(PacketKind::Data, false, 2920, 1460));
    let p = &packets(&file)[0];
    assert_eq!((p.bytes.len(), p.original), (14 + 40, 14 + 1500));
    assert_eq!(p.bytes[..14], [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]);
    assert_eq!(check_ip(&p.bytes[14..]), 1500);
    assert_eq!(p.bytes[26..34], [10, 0, 0, 1, 10, 1, 0, 3]);
    assert_eq!(p.bytes[34..38], [0x13, 0x89, 0xC0, 0x08], "ports 5001 and 49160");
    assert_eq!(p.bytes[46..50], [0x50, 0x10, 0x72, 0x10], "ACK, window 29200");
    assert!(p.options.is_empty());
}

#[test]
fn a_retransmission_has_a_comment() {
    let mut data = segment(PacketKind::Data, false, 2920, 1460);
    data.packet.retransmission = true;
    let file = wire(data);
    let comment = b"TCP retransmission";
    let mut expected = vec![1, 0, comment.len() as u8, 0];
    expected.extend(comment);
    expected.extend([0; 2 + 4]); // padding, end of options
    assert_eq!(packets(&file)[0].options, expected);
}

#[test]
fn sequence_numbers_agree_between_the_directions() {
    let field = |s: Segment, at: usize| {
        let file = wire(s);
        let p = packets(&file)[0].bytes[34 + at..34 + at + 4].to_vec();
        u32::from_be_bytes(p.try_into().unwrap())
    };
    let beyond = (1_u64 << 32) + 14_600;
    for up in [false, true] {
        let isn = field(segment(PacketKind::Syn, up, 0, 0), 4);
        let answer = segment(PacketKind::SynAck, !up, 0, 0);
        assert_eq!(field(answer, 8), isn.wrapping_add(1));
        let data = segment(PacketKind::Data, up, beyond, 1460);
        assert_eq!(field(data, 4), isn.wrapping_add(1 + 14_600));
        assert_eq!(field(data, 8), field(answer, 4).wrapping_add(1));
        let ack = segment(PacketKind::Ack, !up, beyond, 0);
        assert_eq!(field(ack, 8), field(data, 4));
        assert_eq!(field(ack, 4), field(data, 8));
    }
}

#[test]
fn extra_header_bytes_become_options() {
    // Extra bytes; then the lengths of the IPv4 and TCP headers, and of the padding after the
    // packet.
    for (extra, ip, tcp, behind) in [
        (0, 20, 20, 0),
        (20, 20, 40, 0),
        (40, 20, 60, 0),
        (43, 20, 60, 3),
        (60, 40, 60, 0),
        (90, 60, 60, 10),
    ] {
        let mut data = segment(PacketKind::Data, true, 0, 1000);
        data.packet.size += extra;
        let file = wire(data);
        let p = &packets(&file)[0];
        assert_eq!(p.original, 14 + 1040 + extra);
        assert_eq!(check_ip(&p.bytes[14..]) as u32, 1040 + extra - behind);
        assert_eq!(usize::from(p.bytes[14] & 15) * 4, ip);
        assert_eq!(usize::from(p.bytes[14 + ip + 12] >> 4) * 4, tcp);
        assert_eq!(p.bytes.len(), 14 + ip + tcp);
    }
}

/// RFC 7323 section 3.2 and appendix A: two no-operations, kind 8, length 10, TSval, TSecr. In milliseconds.
#[test]
fn timestamps_are_written_where_there_is_room() {
    let ms = |ms: u64| Instant::ZERO + Duration::from_millis(ms);
    let timestamps = Some(Timestamps { value: ms(70_000), echo: Some(ms(3)) });
    let options = TcpOptions { timestamps, ..TcpOptions::default() };
    let option = Some(PacketOption::Tcp(options));
    let mut ack = Segment { option, ..segment(PacketKind::Ack, true, 0, 0) };
    let file = wire(ack);
    let [packet] = &packets(&file)[..] else { panic!("one packet") };
    assert_eq!(packet.bytes.len(), 14 + 40);
    ack.packet.size = 52;
    let file = wire(ack);
    let [packet] = &packets(&file)[..] else { panic!("one packet") };
    let expected = [1, 1, 8, 10, 0, 1, 0x11, 0x70, 0, 0, 0, 3];
    assert_eq!(packet.bytes[14 + 40..], expected);
}

#[test]
fn sizes_that_no_header_fits_still_make_valid_packets() {
    for (size, payload) in
        [(0, 0), (1000, 1000), (20, 1000), (u32::MAX, u32::MAX), (70_000, 69_960)]
    {
        for kind in [PacketKind::Data, PacketKind::Datagram] {
            let mut data = segment(kind, false, 0, 0);
            data.packet.size = size;
            data.packet.payload = payload as u16;
            data.connection.window = u32::MAX;
            let file = wire(data);
            check_ip(&packets(&file)[0].bytes[14..]);
        }
    }
}

fn any_segment() -> impl Strategy<Value = Segment> {
    let kinds = [
        PacketKind::Data,
        PacketKind::Ack,
        PacketKind::Syn,
        PacketKind::SynAck,
        PacketKind::Datagram,
        PacketKind::Request,
    ];
    let packet = (select(kinds.to_vec()), any::<(u32, u16, u32, u64, bool)>(), 0_u32..70_000);
    let blocks = prop::option::of(prop::collection::vec(any::<(u64, u64)>(), 0..4));
    let ends = any::<(u32, bool, bool)>();
    let numbers = any::<(u32, u16, u16, u32, u32, u32)>();
    let total = prop::option::of(prop_oneof![any::<u64>(), Just(0)]);
    (packet, blocks, ends, numbers, total).prop_map(
        |(
            (kind, (flow, payload, large, seq, retransmission), size),
            sack,
            ends,
            numbers,
            total,
        )| {
            // Positions leave room for the payload, as all that is counted in bytes of a run does.
            let (seq, size) = (seq / 2, if large % 4 == 0 { large } else { size });
            let packet =
                Packet { size, payload, seq, retransmission, ..Packet::new(FlowId(flow), kind) };
            let (station, up, from_source) = ends;
            let (number, station_port, server_port, window, segment, requested) = numbers;
            let connection = ConnectionInfo {
                number,
                station_port,
                server_port,
                window,
                segment,
                requested,
                received: u64::from(requested) / 2,
                total,
            };
            let sack = sack.map(|blocks| blocks.into_iter().collect());
            Segment { packet, station, up, from_source, connection, sack, option: None }
        },
    )
}

proptest! {
    #![proptest_config(evenair_testing::config!())]

    /// Whatever the packets, the files have the structure of pcapng and the packets the lengths and
    /// checksums of IPv4.
    #[test]
    fn any_packets_make_a_valid_file(segments in prop::collection::vec(any_segment(), 0..6)) {
        let mut wire = WireWriter::new(Vec::new()).unwrap();
        let mut air = AirWriter::new(Vec::new(), AirPhy::G).unwrap();
        for (at, segment) in segments.iter().enumerate() {
            let at = Instant::from_nanos(at as u64);
            wire.packet(at, segment).unwrap();
            let data = MacFrame::Data { segment: *segment, retry: false, sequence: 4095 };
            air.frame(at, &TxVector::ofdm(Rate::from_mbps(54)), 0, &data).unwrap();
        }
        for (file, header) in [(wire.finish().unwrap(), 14), (air.finish().unwrap(), 14 + 32)] {
            let packets = packets(&file);
            prop_assert_eq!(packets.len(), segments.len());
            for packet in packets {
                let total = check_ip(&packet.bytes[header..]);
                let captured = packet.bytes.len() - header;
                prop_assert!(total >= captured, "{} bytes of {}", captured, total);
                prop_assert!(packet.original as usize >= header + total);
            }
        }
    }
}

#[test]
fn a_datagram_is_udp() {
    let mut datagram = segment(PacketKind::Datagram, true, 0, 1472);
    datagram.packet.size = 1500;
    let file = wire(datagram);
    let p = &packets(&file)[0];
    assert_eq!((p.bytes.len(), p.original), (14 + 28, 14 + 1500));
    assert_eq!(check_ip(&p.bytes[14..]), 1500);
    assert_eq!(p.bytes[23], 17);
    assert_eq!(p.bytes[38..40], [5, 200], "UDP length 1480");
}

#[test]
fn frames_of_the_air_have_their_fields() {
    let data = |up| MacFrame::Data {
        segment: segment(PacketKind::Data, up, 0, 1460),
        retry: up,
        sequence: 0x1234,
    };
    let radiotap = [0, 0, 14, 0, 0x0E, 0, 0, 0, 0x02, 22, 0x85, 0x09, 0xA0, 0];
    let (ap, station) = ([2, 0, 0, 0, 0, 2], [2, 0, 0, 1, 0, 3]);
    for (up, control, first, second) in [(true, 0x09, ap, station), (false, 0x02, station, ap)] {
        let file = air(&data(up));
        let p = &packets(&file)[0];
        assert_eq!((p.bytes.len(), p.original), (14 + 32 + 40, 14 + 32 + 1500));
        assert_eq!(p.bytes[..14], radiotap);
        let mac = &p.bytes[14..];
        assert_eq!(mac[..4], [0x08, control, 117, 0]);
        assert_eq!([&mac[4..10], &mac[10..16], &mac[16..22]], [&first, &second, &ap]);
        assert_eq!(mac[22..32], [0x40, 0x23, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0]);
        assert_eq!(check_ip(&mac[32..]), 1500);
    }
    let to = Node::Station(2);
    let mut expected = vec![0xD4, 0, 117, 0];
    expected.extend(station);
    assert_eq!(packets(&air(&MacFrame::Ack { to }))[0].bytes[14..], expected);
    expected[0] = 0xC4;
    assert_eq!(packets(&air(&MacFrame::Cts { to }))[0].bytes[14..], expected);
    expected[0] = 0xB4;
    expected.extend(ap);
    let rts = MacFrame::Rts { from: Node::AccessPoint, to };
    assert_eq!(packets(&air(&rts))[0].bytes[14..], expected);
}

#[test]
fn radiotap_has_rate_and_preamble() {
    let ack = MacFrame::Ack { to: Node::AccessPoint };
    let fields = |phy, mbps| {
        let mut writer = AirWriter::new(Vec::new(), phy).unwrap();
        let rate = Rate::from_mbps(mbps);
        let is_dsss = matches!(phy, AirPhy::B { .. });
        let mode = if is_dsss { TxVector::dsss(rate) } else { TxVector::ofdm(rate) };
        writer.frame(Instant::ZERO, &mode, 0, &ack).unwrap();
        let file = writer.finish().unwrap();
        let p = &packets(&file)[0];
        assert!(p.options.is_empty());
        p.bytes[8..14].to_vec()
    };
    let short = AirPhy::B { short_preamble: true };
    let long = AirPhy::B { short_preamble: false };
    assert_eq!(fields(short, 2), [0x02, 4, 0x85, 0x09, 0xA0, 0]);
    assert_eq!(fields(short, 1)[..2], [0, 2], "never short at 1 Mb/s");
    assert_eq!(fields(long, 11)[..2], [0, 22]);
    assert_eq!(fields(AirPhy::A, 54), [0, 108, 0x3C, 0x14, 0x40, 1]);
    assert_eq!(fields(AirPhy::G, 6), [0, 12, 0x85, 0x09, 0xC0, 0]);
}

#[test]
fn errors_of_the_file_come_through() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let error = WireWriter::new(Full).and_then(WireWriter::finish).err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}
