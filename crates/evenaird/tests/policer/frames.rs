//! Frames of a station, well-formed and not, from a seed.

use std::net::{Ipv4Addr, Ipv6Addr};

pub const GATEWAY: [u8; 6] = [2, 0, 0, 0, 1, 2];
const STATION: [u8; 6] = [2, 0, 0, 0, 1, 1];
pub const UDP: u8 = 17;
pub const ICMPV6: u8 = 58;
pub const DESTINATION_OPTIONS: u8 = 60;

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn bytes(&mut self, length: u64) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }
}

/// An Ethernet frame of the station; `tags` are the TPID and the VLAN of each tag.
pub fn ethernet(to: [u8; 6], tags: &[(u16, u16)], kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = [to, STATION].concat();
    for (tpid, vlan) in tags {
        frame.extend(tpid.to_be_bytes());
        frame.extend(vlan.to_be_bytes());
    }
    frame.extend(kind.to_be_bytes());
    frame.extend(payload);
    frame
}

/// An IPv4 packet (RFC 791). `options` are a multiple of four bytes, at most 40.
pub fn ipv4(
    addresses: [&str; 2],
    protocol: u8,
    ttl: u8,
    options: &[u8],
    payload: &[u8],
) -> Vec<u8> {
    let header = 20 + options.len();
    let mut packet = vec![0x40 | (header / 4) as u8, 0];
    packet.extend(((header + payload.len()) as u16).to_be_bytes());
    packet.extend([0, 0, 0, 0, ttl, protocol, 0, 0]);
    for address in addresses {
        packet.extend(address.parse::<Ipv4Addr>().unwrap().octets());
    }
    packet.extend(options);
    set_checksum(&mut packet);
    packet.extend(payload);
    packet
}

/// The checksum of an IPv4 header (RFC 1071).
pub fn set_checksum(packet: &mut [u8]) {
    let header = (usize::from(packet[0] & 15) * 4).min(packet.len());
    packet[10..12].fill(0);
    let sum: u32 = packet[..header]
        .chunks_exact(2)
        .map(|word| u32::from(word[0]) << 8 | u32::from(word[1]))
        .sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
}

/// An IPv6 packet (RFC 8200); the payload begins with its extension headers.
pub fn ipv6(addresses: [&str; 2], next: u8, hop_limit: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend((payload.len() as u16).to_be_bytes());
    packet.extend([next, hop_limit]);
    for address in addresses {
        packet.extend(address.parse::<Ipv6Addr>().unwrap().octets());
    }
    packet.extend(payload);
    packet
}

/// A datagram (RFC 768) without checksum.
pub fn udp(from: u16, to: u16, payload: &[u8]) -> Vec<u8> {
    let length = 8 + payload.len() as u16;
    [&[from, to, length, 0].map(u16::to_be_bytes).concat(), payload].concat()
}

/// Any frame.
pub fn any(random: &mut Random) -> Vec<u8> {
    let mut to = GATEWAY;
    if random.percent(8) {
        to = random.of(&[
            [0xff; 6],
            [0x33, 0x33, 0, 0, 0, 1],
            [2, 0, 0, 0, 9, 9],
            [1, 0x80, 0xc2, 0, 0, 3],
        ]);
    }
    let depth = random.of(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 9, 12]);
    let tags: Vec<(u16, u16)> = (0..depth)
        .map(|_| {
            (
                random.of(&[0x8100, 0x8100, 0x8100, 0x88a8, 0x88a8, 0x88a8, 0x9100]),
                random.of(&[0, 0, 0, 0, 0, 0, 0, 0, 0x2000, 5]),
            )
        })
        .collect();
    let (mut kind, mut payload) = match random.below(20) {
        0..9 => (0x0800, any_ipv4(random)),
        9..18 => (0x86dd, any_ipv6(random)),
        _ => {
            let length = random.below(400);
            (random.of(&[0x0806, 0x888e, 0x8847, 0x8864, 100, 0x6558]), random.bytes(length))
        }
    };
    if random.percent(2) {
        kind = random.of(&[0x0800, 0x86dd, 0x0806]);
    }
    if random.percent(6) {
        payload.truncate(random.below(payload.len() as u64 + 1) as usize);
    }
    if random.percent(6) {
        for _ in 0..1 + random.below(4) {
            if !payload.is_empty() {
                let at = random.below(payload.len().min(80) as u64) as usize;
                payload[at] = random.byte();
            }
        }
        if kind == 0x0800 && payload.len() >= 20 {
            set_checksum(&mut payload);
        }
    }
    ethernet(to, &tags, kind, &payload)
}

/// Up to 300 bytes, at times almost 9,000.
fn length(random: &mut Random) -> u64 {
    if random.percent(2) { 8000 + random.below(800) } else { random.below(300) }
}

fn transport(random: &mut Random) -> Vec<u8> {
    let length = length(random);
    let payload = random.bytes(length);
    if random.percent(50) {
        return udp(random.of(&[161, 161, 9]), random.of(&[40_000, 40_000, 9]), &payload);
    }
    payload
}

fn any_ipv4(random: &mut Random) -> Vec<u8> {
    let from = random.of(&[
        "10.0.1.1",
        "10.0.1.1",
        "10.0.1.1",
        "10.0.1.7",
        "10.0.1.7",
        "192.0.2.1",
        "10.0.1.2",
        "0.0.0.0",
    ]);
    let to = random.of(&[
        "10.0.2.2",
        "10.0.2.2",
        "10.0.2.2",
        "10.0.2.2",
        "10.0.2.2",
        "10.0.2.2",
        "10.0.2.2",
        "10.0.1.2",
        "10.0.1.1",
        "10.0.2.1",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.9",
    ]);
    // No operation; a loose source route (RFC 791) to the server.
    let mut options = vec![1; 4 * random.of(&[0, 0, 0, 0, 1, 5, 10])];
    if random.percent(5) {
        options = vec![131, 7, 4, 10, 0, 2, 2, 0];
    }
    let protocol = random.of(&[UDP, UDP, UDP, 6, 6, 1, 2, 4, 50, 132, 255]);
    let ttl = random.of(&[64, 64, 64, 64, 64, 255, 255, 1, 0]);
    let payload = transport(random);
    let mut packet = ipv4([from, to], protocol, ttl, &options, &payload);
    if random.percent(10) {
        // Flags and offset of fragments.
        packet[6] = random.of(&[0x20, 0x40, 0x80, 0, 0x20]);
        packet[7] = random.of(&[0, 1, 25]);
    }
    if random.percent(10) {
        let total = u16::from_be_bytes([packet[2], packet[3]]);
        let other = random.of(&[total.wrapping_sub(1), total / 2, total + 1, 0, 19, 20, 65_535]);
        packet[2..4].copy_from_slice(&other.to_be_bytes());
    }
    set_checksum(&mut packet);
    if random.percent(2) {
        packet[10] ^= 1;
    }
    packet
}

fn any_ipv6(random: &mut Random) -> Vec<u8> {
    let from = random.of(&[
        "fd00:1::1",
        "fd00:1::1",
        "fd00:1::1",
        "fd00:1::1",
        "fd00:1::7",
        "fd00:1::7",
        "2001:db8::1",
        "fe80::1",
        "::",
        "fd00:1::2",
    ]);
    let to = random.of(&[
        "fd00:2::2",
        "fd00:2::2",
        "fd00:2::2",
        "fd00:2::2",
        "fd00:2::2",
        "fd00:2::2",
        "fd00:2::2",
        "fd00:1::2",
        "fd00:1::1",
        "fe80::2",
        "fe80::9",
        "ff02::1",
        "ff02::1:ff00:2",
        "ff05::1",
        "2001:db8::9",
    ]);
    let last = random.of(&[UDP, UDP, 6, ICMPV6, ICMPV6, 59, 4, 50, 253]);
    let mut payload = match last {
        // Around neighbour discovery (RFC 4861).
        ICMPV6 => {
            let length = random.below(80);
            [vec![128 + random.below(12) as u8, random.of(&[0, 0, 0, 1])], random.bytes(length)]
                .concat()
        }
        _ => transport(random),
    };
    let mut next = last;
    for _ in 0..random.of(&[0, 0, 0, 0, 1, 1, 2, 3, 9]) {
        let kind = random.of(&[DESTINATION_OPTIONS, DESTINATION_OPTIONS, 43, 44, 51]);
        let words = random.of(&[0, 0, 1, 2]);
        let mut header = vec![0; 8 + 8 * usize::from(words)];
        header[..2].copy_from_slice(&[next, words]);
        match kind {
            // An option that is skipped (PadN); of no type that is routed, without segments left.
            DESTINATION_OPTIONS => header[2..4].copy_from_slice(&[1, 4 + 8 * words]),
            43 => header[2..4].copy_from_slice(&[4, random.of(&[0, 0, 1])]),
            44 => {
                header.truncate(8);
                header[1] = 0;
                header[2..4].copy_from_slice(&[random.of(&[0, 0, 1]), random.of(&[0, 1, 9])]);
            }
            _ => header[1] = 2 * words,
        }
        if random.percent(20) {
            // Lengths that lead elsewhere, also beyond the packet.
            header[1] = random.byte();
        }
        payload.splice(0..0, header);
        next = kind;
    }
    if random.percent(5) {
        // Hop-by-hop options: padding, or the length of a jumbogram (RFC 2675).
        let jumbo = [next, 0, 0xc2, 4, 0, 0, 0x20, 0];
        let header = if random.percent(50) { [next, 0, 1, 4, 0, 0, 0, 0] } else { jumbo };
        payload.splice(0..0, header);
        next = 0;
    }
    let hop_limit = random.of(&[64, 64, 255, 255, 255, 1, 0]);
    let mut packet = ipv6([from, to], next, hop_limit, &payload);
    if random.percent(10) {
        let length = payload.len() as u16;
        let other = random.of(&[length.wrapping_sub(1), length / 2, length + 1, 0, 65_535]);
        packet[4..6].copy_from_slice(&other.to_be_bytes());
    }
    packet
}
