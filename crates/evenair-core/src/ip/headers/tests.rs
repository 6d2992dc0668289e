use proptest::prelude::*;

use super::*;

/// An IPv4 packet with a TCP segment.
pub fn tcp_v4(seq: u32, ack: u32, flags: u8, options: &[u8], payload: usize) -> Vec<u8> {
    let segment = tcp(seq, ack, flags, options, payload);
    let length = (20 + segment.len()) as u16;
    let mut packet = vec![0x45, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 1, 0x40, 0, 64, 6, 0, 0, 192, 0, 2, 1, 198, 51, 100, 7]);
    packet.extend(segment);
    packet
}

/// A segment of 1000 bytes.
pub fn data(seq: u32) -> Vec<u8> {
    tcp_v4(seq, 1, 0x10, &[], 1000)
}

/// An acknowledgement without options.
pub fn pure_ack(ack: u32) -> Vec<u8> {
    tcp_v4(1, ack, 0x10, &[], 0)
}

fn tcp(seq: u32, ack: u32, flags: u8, options: &[u8], payload: usize) -> Vec<u8> {
    assert!(options.len().is_multiple_of(4));
    let mut segment = vec![0x01, 0xbb, 0xc3, 0x50];
    segment.extend(seq.to_be_bytes());
    segment.extend(ack.to_be_bytes());
    segment.extend([((20 + options.len()) * 4) as u8, flags, 0xff, 0xff, 0, 0, 0, 0]);
    segment.extend(options);
    segment.resize(segment.len() + payload, 0xab);
    segment
}

/// An IPv6 packet with these bytes after its header.
fn v6(traffic_class: u8, next: u8, rest: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60 | traffic_class >> 4, traffic_class << 4, 0, 0];
    packet.extend((rest.len() as u16).to_be_bytes());
    packet.extend([next, 64]);
    for last in [1_u8, 7] {
        packet.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    packet.extend(rest);
    packet
}

fn parse(bytes: &[u8]) -> Headers {
    Headers::parse(bytes, bytes.len()).unwrap()
}

/// RFC 1071's algorithm over a header with its checksum in place yields 0 (all ones before the
/// complement). Summed here with 64 bits and one end-around loop.
fn checksum_holds(header: &[u8]) -> bool {
    let words = header.chunks_exact(2).map(|w| u64::from(w[0]) << 8 | u64::from(w[1]));
    let mut sum: u64 = words.sum();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum == 0xffff
}

#[test]
fn a_segment_over_ipv4() {
    let headers = parse(&tcp_v4(0x0102_0304, 0x0506_0708, 0x18, &[], 10));
    let addresses = ["192.0.2.1", "198.51.100.7"].map(|text| text.parse().unwrap());
    assert_eq!(headers.key, FlowKey { addresses, protocol: 6, ports: [443, 50_000] });
    let tcp = Tcp {
        seq: 0x0102_0304,
        ack: Some(0x0506_0708),
        is_syn: false,
        payload: 10,
        is_pure_ack: false,
    };
    assert_eq!((headers.ecn, headers.tcp), (Ecn::NotEct, Some(tcp)));
}

#[test]
fn only_an_acknowledgement_that_says_nothing_else_is_pure() {
    let timestamps = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
    let sack = [1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2];
    let is_pure = |flags, options: &[u8], payload| {
        parse(&tcp_v4(1, 2, flags, options, payload)).tcp.unwrap().is_pure_ack
    };
    assert!(is_pure(0x10, &[], 0) && is_pure(0x10, &timestamps, 0) && is_pure(0x18, &[], 0));
    assert!(!is_pure(0x10, &[], 1) && !is_pure(0x10, &sack, 0));
    let both: Vec<u8> = timestamps.iter().chain(&sack).copied().collect();
    assert!(!is_pure(0x10, &both, 0));
    // No ACK; FIN, SYN, RST, URG, ECE, CWR.
    assert!(!is_pure(0x00, &[], 0));
    for flag in [0x01, 0x02, 0x04, 0x20, 0x40, 0x80] {
        assert!(!is_pure(0x10 | flag, &[], 0), "{flag:#x}");
    }
    // AE, the lowest bit of the byte before the flags (RFC 9768 section 3.1).
    let mut packet = tcp_v4(1, 2, 0x10, &[], 0);
    let flags_at = packet.len() - 20 + 13;
    packet[flags_at - 1] |= 1;
    assert!(!parse(&packet).tcp.unwrap().is_pure_ack);
}

#[test]
fn the_padding_of_ethernet_is_no_payload() {
    // The kernel cuts it off before the hook: the size is that of the packet.
    let mut packet = pure_ack(5);
    packet.extend([0; 6]);
    assert!(Headers::parse(&packet, 40).unwrap().tcp.unwrap().is_pure_ack);
}

#[test]
fn extension_headers_of_ipv6_are_followed() {
    let segment = tcp(7, 8, 0x10, &[], 0);
    let hop_by_hop = [60, 0, 1, 4, 0, 0, 0, 0];
    let destination = [44, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut fragment = [6, 0, 0, 1, 0, 0, 0, 9];
    let build = |fragment: &[u8]| {
        v6(0xb8 | 2, 0, &[&hop_by_hop[..], &destination, fragment, &segment].concat())
    };
    let headers = parse(&build(&fragment));
    assert_eq!((headers.key.protocol, headers.key.ports), (6, [443, 50_000]));
    assert_eq!(headers.key.addresses[1], "2001:db8::7".parse::<IpAddr>().unwrap());
    // 0xb8 is EF, the top bits of which are user priority 5; the low bits are ECT(0).
    assert!(headers.is_high_priority && headers.ecn == Ecn::Ect0);
    assert_eq!(headers.category, AccessCategory::Video);
    assert!(headers.tcp.unwrap().is_pure_ack);
    // A later fragment has no transport header.
    fragment[3] = 8;
    let headers = parse(&build(&fragment));
    assert_eq!((headers.key.protocol, headers.key.ports, headers.tcp), (6, [0, 0], None));
    assert_eq!(parse(&v6(0, 6, &segment)).tcp.unwrap().seq, 7);
}

/// IEEE 802.11-2020, table 10-1, by the top three bits of the DSCP.
#[test]
fn access_categories_of_dscp() {
    let mut packet = data(1);
    let mut category = |dscp: u8| {
        packet[1] = dscp << 2 | 1;
        parse(&packet).category.name()
    };
    // CS0 to CS7, and AF11, AF31, AF41, EF (RFC 2474, RFC 2597, RFC 3246).
    let selectors: Vec<_> = (0..8).map(|number| category(8 * number)).collect();
    assert_eq!(selectors, ["be", "bk", "bk", "be", "vi", "vi", "vo", "vo"]);
    assert_eq!([10, 26, 34, 46].map(category), ["bk", "be", "vi", "vi"]);
}

#[test]
fn a_later_fragment_of_ipv4_has_no_ports() {
    let mut packet = data(1);
    packet[7] = 1;
    let headers = parse(&packet);
    assert_eq!((headers.key.ports, headers.tcp), ([0, 0], None));
}

#[test]
fn what_is_no_ip_is_not_read() {
    assert_eq!(Headers::parse(&[], 0), None);
    assert_eq!(Headers::parse(&[0x45; 19], 19), None);
    assert_eq!(Headers::parse(&[0x60; 39], 39), None);
    assert_eq!(Headers::parse(&[0x10; 100], 100), None);
}

#[test]
fn a_mark_sets_both_bits_and_keeps_the_checksum() {
    for ecn in 0..=3 {
        let mut packet = data(5);
        packet[1] = 0xb8 | ecn;
        mark(&mut packet);
        assert_eq!(packet[1], 0xbb);
        assert!(checksum_holds(&packet[..20]));
        assert_eq!(parse(&packet).ecn, Ecn::Ce);
        let before = v6(0xb8 | ecn, 6, &tcp(7, 8, 0x10, &[], 3));
        let mut after = before.clone();
        mark(&mut after);
        assert_eq!((after[0], after[1]), (before[0], before[1] | 0x30));
        assert_eq!((&after[2..], parse(&after).ecn), (&before[2..], Ecn::Ce));
    }
}

/// A header with the checksum 0xb861 (the example of Wikipedia's "Internet checksum").
#[test]
fn a_mark_of_a_known_header() {
    let mut header = [
        0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00,
        0x01, 0xc0, 0xa8, 0x00, 0xc7,
    ];
    assert!(checksum_holds(&header));
    header[1] = 2;
    mark(&mut header);
    // By hand: the sum has grown by 3, so its complement has fallen by 3.
    assert_eq!((header[1], &header[10..12]), (3, &[0xb8, 0x5e][..]));
}

proptest! {
    #![proptest_config(evenair_testing::config!(20_000))]

    /// No panic, whatever arrives.
    #[test]
    fn random_bytes_do_no_harm(
        version in prop::sample::select(vec![0x40_u8, 0x60, 0]),
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        size in 0_usize..70_000,
    ) {
        if let Some(first) = bytes.first_mut() {
            *first = *first & 0x0f | version;
        }
        let _ = Headers::parse(&bytes, size);
        mark(&mut bytes);
    }

    /// The same for packets that begin well, cut and changed anywhere.
    #[test]
    fn damaged_packets_do_no_harm(
        is_v6 in any::<bool>(),
        options in prop::collection::vec(any::<u8>(), 40),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        size in 0_usize..3000,
    ) {
        let segment = tcp(1, 2, 0x10, &options, 20);
        let mut packet =
            if is_v6 { v6(0, 6, &segment) } else { tcp_v4(1, 2, 0x10, &options, 20) };
        for (place, byte) in changes {
            let place = place.index(packet.len());
            packet[place] = byte;
        }
        packet.truncate(cut.index(packet.len() + 1));
        let _ = Headers::parse(&packet, size);
        mark(&mut packet);
    }
}
