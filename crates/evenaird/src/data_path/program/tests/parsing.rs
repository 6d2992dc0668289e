//! What counts as which protocol, and how many bytes it has on the air.

use super::*;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The expected count of one packet.
fn one(protocol: Protocol, bytes: usize) -> (Protocol, Traffic) {
    many(protocol, 1, bytes)
}

fn many(protocol: Protocol, packets: u64, bytes: usize) -> (Protocol, Traffic) {
    (protocol, Traffic { packets, bytes: u64::try_from(bytes).unwrap() })
}

/// Sets a policy under which nothing passes that is policed.
fn close(kernel: &Kernel) {
    kernel.set_policy(&Policy { rate_bps: 0, udp_rate_bps: None, bucket_bytes: 1, lease: None });
}

#[test]
fn protocols_of_both_versions_of_ip() {
    for (number, protocol) in [
        (TCP, Protocol::Tcp),
        (UDP, Protocol::Udp),
        (1, Protocol::Other),   // ICMP
        (50, Protocol::Other),  // ESP
        (132, Protocol::Other), // SCTP
    ] {
        let Some(kernel) = Kernel::new(14) else { return };
        let v4 = ethernet(IPV4, &ipv4(number, &[], &tcp(20, 480)));
        let v6 = ethernet(IPV6, &ipv6(number, &tcp(20, 480)));
        assert_eq!(kernel.count(&v4), one(protocol, 520));
        assert_eq!(kernel.count(&v6), one(protocol, 540));
        close(&kernel);
        assert!(!kernel.passes(&v4) && !kernel.passes(&v6), "protocol {number}");
    }
}

#[test]
fn dropped_packets_count_as_dropped_only() {
    let Some(kernel) = Kernel::new(14) else { return };
    close(&kernel);
    assert!(!kernel.passes(&ethernet(IPV4, &ipv4(UDP, &[], &[0; 100]))));
    let mut expected = Counters::default();
    expected.dropped[Protocol::Udp as usize] = Traffic { packets: 1, bytes: 120 };
    assert_eq!(kernel.programs.counters().unwrap(), expected);
}

#[test]
fn options_padding_and_fragments() {
    let Some(kernel) = Kernel::new(14) else { return };
    let options = ipv4(TCP, &[1; 40], &tcp(32, 8));
    assert_eq!(kernel.count(&ethernet(IPV4, &options)), one(Protocol::Tcp, 100));
    // An acknowledgement of 40 bytes in the shortest Ethernet payload, 46 bytes.
    let mut padded = ipv4(TCP, &[], &tcp(20, 0));
    padded.resize(46, 0);
    assert_eq!(kernel.count(&ethernet(IPV4, &padded)), one(Protocol::Tcp, 40));
    // A later fragment: protocol and length are those of its own header.
    let mut fragment = ipv4(UDP, &[], &[0xff; 200]);
    fragment[7] = 100;
    assert_eq!(kernel.count(&ethernet(IPV4, &fragment)), one(Protocol::Udp, 220));
}

#[test]
fn extension_headers() {
    let Some(kernel) = Kernel::new(14) else { return };
    let options = |next: u8| vec![next, 0, 1, 4, 0, 0, 0, 0];
    let routing = |next: u8| [vec![next, 2, 4, 0], vec![0; 20]].concat();
    let authentication = |next: u8| [vec![next, 4], vec![0; 22]].concat();
    let fragment = |next: u8, offset: u16| {
        [vec![next, 0], (offset << 3 | 1).to_be_bytes().to_vec(), vec![0; 4]].concat()
    };
    // Hop-by-hop, destination options, routing, first fragment, authentication; a datagram.
    let chain = [options(60), options(43), routing(44), fragment(51, 0), authentication(UDP)];
    let all = [chain.concat(), vec![0; 108]].concat();
    let length = 40 + 8 + 8 + 24 + 8 + 24 + 108;
    assert_eq!(kernel.count(&ethernet(IPV6, &ipv6(0, &all))), one(Protocol::Udp, length));
    // A later fragment has a protocol, but no transport header.
    let later = [fragment(TCP, 100), vec![0xff; 64]].concat();
    assert_eq!(kernel.count(&ethernet(IPV6, &ipv6(44, &later))), one(Protocol::Tcp, 112));
    // No next header.
    assert_eq!(kernel.count(&ethernet(IPV6, &ipv6(59, &[]))), one(Protocol::Other, 40));
    // More headers than are followed: policed, with no protocol.
    let deep = ipv6(60, &[options(60).repeat(9), options(TCP), tcp(20, 0)].concat());
    let deep = ethernet(IPV6, &deep);
    assert_eq!(kernel.count(&deep), one(Protocol::Other, 140));
    close(&kernel);
    assert!(!kernel.passes(&deep));
}

#[test]
fn super_packets_count_as_their_segments() {
    let Some(kernel) = Kernel::new(14) else { return };
    // 2,900 bytes in segments of 1,448, each with 20 + 32 (IPv4) or 40 + 32 bytes of headers.
    let payload = 2900;
    let gso = |frame: Frame, gso_segs, gso_size| Frame { gso_segs, gso_size, ..frame };
    let v4 = ethernet(IPV4, &ipv4(TCP, &[], &tcp(32, payload)));
    let v6 = ethernet(IPV6, &ipv6(TCP, &tcp(32, payload)));
    // 0: as virtio and TUN leave it to the receiver.
    for segments in [3, 0] {
        let v4 = gso(v4.clone(), segments, 1448);
        let v6 = gso(v6.clone(), segments, 1448);
        assert_eq!(kernel.count(&v4), many(Protocol::Tcp, 3, payload + 3 * 52));
        assert_eq!(kernel.count(&v6), many(Protocol::Tcp, 3, payload + 3 * 72));
    }
    assert_eq!(kernel.count(&gso(v4, 1, 1448)), one(Protocol::Tcp, payload + 52));
    // UDP_SEGMENT: datagrams of 1,000 bytes of payload at most.
    let udp = gso(ethernet(IPV4, &ipv4(UDP, &[], &[0; 8 + 2500])), 3, 1000);
    assert_eq!(kernel.count(&udp), many(Protocol::Udp, 3, 2500 + 3 * 28));
    // IPv4 and TCP options; an IPv6 extension header.
    let options = gso(ethernet(IPV4, &ipv4(TCP, &[1; 8], &tcp(60, payload))), 3, 1448);
    assert_eq!(kernel.count(&options), many(Protocol::Tcp, 3, payload + 3 * 88));
    let extension = [vec![TCP, 0, 1, 4, 0, 0, 0, 0], tcp(20, payload)].concat();
    let extension = gso(ethernet(IPV6, &ipv6(60, &extension)), 3, 1448);
    assert_eq!(kernel.count(&extension), many(Protocol::Tcp, 3, payload + 3 * 68));
}

/// A test run refuses packets below an IP header; a test of the whole data path sends such ones.
#[test]
fn what_is_not_understood_is_policed() {
    let Some(kernel) = Kernel::new(14) else { return };
    let v4 = ipv4(TCP, &[], &tcp(20, 100));
    let v6 = ipv6(TCP, &tcp(20, 100));
    let changed = |packet: &[u8], at: usize, byte: u8| {
        let mut packet = packet.to_vec();
        packet[at] = byte;
        packet
    };
    let frames = [
        ("LLC", ethernet(100, &[0x42; 100])),
        ("MPLS", ethernet(0x8847, &[0; 100])),
        ("long ARP", ethernet(0x0806, &[0; 47])),
        ("truncated IPv4 packet", ethernet(IPV4, &v4[..139])),
        ("IPv4 of version 5", ethernet(IPV4, &changed(&v4, 0, 0x55))),
        ("IPv4 header of 16 bytes", ethernet(IPV4, &changed(&v4, 0, 0x44))),
        ("IPv4 packet below its header", ethernet(IPV4, &changed(&v4, 3, 19))),
        ("truncated IPv6 packet", ethernet(IPV6, &v6[..159])),
        ("IPv6 of version 4", ethernet(IPV6, &changed(&v6, 0, 0x40))),
        ("truncated extension header", ethernet(IPV6, &ipv6(60, &[6, 0]))),
        ("neighbour solicitation from elsewhere", ethernet(IPV6, &ipv6(58, &[135; 24]))),
        ("what looks like it in a later fragment", {
            ethernet(IPV6, &ipv6(44, &[[58, 0, 0, 64, 0, 0, 0, 0], [135; 8]].concat()))
        }),
    ];
    for (what, frame) in &frames {
        assert_eq!(kernel.count(frame), one(Protocol::Other, frame.bytes.len() - 14), "{what}");
    }
    // A header whose length leads beyond the packet has a protocol, too.
    let beyond = ethernet(IPV6, &ipv6(60, &[TCP, 200, 0, 0, 0, 0, 0, 0]));
    assert_eq!(kernel.count(&beyond), one(Protocol::Tcp, 48));
    close(&kernel);
    assert!(!kernel.passes(&beyond));
    for (what, frame) in &frames {
        assert!(!kernel.passes(frame), "{what}");
    }
}

#[test]
fn tags_do_not_hide_the_packet() {
    let Some(kernel) = Kernel::new(14) else { return };
    let tagged = |tags: &[[u8; 4]]| {
        let mut frame = ethernet(IPV4, &ipv4(TCP, &[], &tcp(20, 100)));
        for tag in tags {
            frame.bytes.splice(12..12, *tag);
        }
        frame
    };
    let [priority, service] = [[0x81, 0, 0, 0], [0x88, 0xa8, 0, 5]];
    for tags in [&[priority][..], &[service, priority], &[priority; 3], &[priority; 8]] {
        assert_eq!(kernel.count(&tagged(tags)), one(Protocol::Tcp, 140));
    }
    // What follows the eighth tag is not looked at: four bytes of a tag more.
    let deep = tagged(&[priority; 9]);
    assert_eq!(kernel.count(&deep), one(Protocol::Other, 144));
    close(&kernel);
    assert!(!kernel.passes(&tagged(&[priority; 2])) && !kernel.passes(&deep));
}

/// RFC 4861, sections 4.1 to 4.5: hop limit 255, code 0; to a group of link-local scope or a unicast
/// address, here one that is not this host's. A test run takes frames to 00:00:00:00:00:00 as its own.
#[test]
fn what_the_link_depends_on_passes() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    kernel.programs.set_own(&["fe80::2".parse().unwrap()]).unwrap();
    close(&kernel);
    let own = |mut frame: Frame| {
        frame.bytes[..6].fill(0);
        frame
    };
    let discovery = |to: &str, hop_limit: u8, kind: u8, code: u8| {
        let mut packet = ipv6(58, &[&[kind, code][..], &[0; 22]].concat());
        packet[7] = hop_limit;
        packet[24..40].copy_from_slice(&to.parse::<std::net::Ipv6Addr>().unwrap().octets());
        own(ethernet(IPV6, &packet))
    };
    for (frame, passes) in [
        (own(ethernet(0x0806, &[0; 46])), true),
        (ethernet(0x0806, &[0; 46]), false),
        (own(ethernet(0x888e, &[0; 200])), true),
        (ethernet(0x888e, &[0; 200]), false),
        (discovery("ff02::1", 255, 134, 0), true),
        (discovery("ff02::1:ff00:1", 255, 135, 0), true),
        (discovery("ff02::1", 255, 133, 0), true),
        (discovery("ff02::1", 255, 137, 0), true),
        (discovery("ff02::1", 255, 132, 0), false),
        (discovery("ff02::1", 255, 138, 0), false),
        (discovery("ff02::1", 254, 135, 0), false),
        (discovery("ff02::1", 255, 135, 1), false),
        (discovery("ff05::1", 255, 135, 0), false),
        // This device's own, and that of a neighbour.
        (discovery("fe80::2", 255, 136, 0), true),
        (discovery("fe80::3", 255, 136, 0), false),
    ] {
        let shown = format!("{:02x?}", frame.bytes);
        assert_eq!(kernel.passes(&frame), passes, "{shown}");
    }
}
