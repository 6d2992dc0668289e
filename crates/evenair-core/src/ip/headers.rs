//! What the disciplines need of a packet's headers: IPv4 (RFC 791), IPv6 (RFC 8200) and TCP
//! (RFC 9293). The bytes come from the network; none of them is trusted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::packet::{AccessCategory, Ecn};

/// DSCP of packets that their source has marked as crucial: EF (RFC 3246).
const EXPEDITED_FORWARDING: u8 = 46;
/// Extension headers that are followed before the transport header. More are legal and suspicious
/// (RFC 9098); such a packet is taken for one without ports.
const MOST_EXTENSIONS: usize = 8;

const TCP: u8 = 6;
const UDP: u8 = 17;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;

/// The flow of a packet: addresses, protocol and ports. Packets without ports have 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowKey {
    /// Source and destination.
    pub addresses: [IpAddr; 2],
    /// Protocol number.
    pub protocol: u8,
    /// Ports of source and destination.
    pub ports: [u16; 2],
}

/// The headers of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Its flow.
    pub key: FlowKey,
    /// ECN field.
    pub ecn: Ecn,
    /// In which access category it is transmitted in a cell with EDCA, by its DSCP.
    pub category: AccessCategory,
    /// Whether its source has marked it as crucial, by DSCP EF.
    pub is_high_priority: bool,
    /// The TCP header, if it is there.
    pub tcp: Option<Tcp>,
}

/// A TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number, with the ACK flag.
    pub ack: Option<u32>,
    /// Whether it opens a connection.
    pub is_syn: bool,
    /// Payload, bytes.
    pub payload: u32,
    /// Whether all that it says is its acknowledgement number and window, so that a later one of its
    /// connection supersedes it. An acknowledgement with SACK blocks (RFC 2018) or with an ECN flag
    /// (RFC 3168, RFC 9768) says more, and so do SYN, FIN, RST and URG.
    pub is_pure_ack: bool,
}

impl Headers {
    /// Reads the first bytes of an IP packet of `size` bytes. `None` if it is no IP packet.
    pub fn parse(bytes: &[u8], size: usize) -> Option<Self> {
        match bytes.first()? >> 4 {
            4 => Self::parse_v4(bytes, size),
            6 => Self::parse_v6(bytes, size),
            _ => None,
        }
    }

    fn parse_v4(bytes: &[u8], size: usize) -> Option<Self> {
        let address = |at| Some(IpAddr::V4(Ipv4Addr::from(array::<4>(bytes, at)?)));
        let is_later_fragment = u16::from_be_bytes(array(bytes, 6)?) & 0x1fff != 0;
        let protocol = *bytes.get(9)?;
        let transport = usize::from(bytes[0] & 0x0f) * 4;
        let addresses = [address(12)?, address(16)?];
        let transport = (transport >= 20 && !is_later_fragment).then_some(transport);
        Some(Self::new(bytes, size, bytes[1], addresses, protocol, transport))
    }

    fn parse_v6(bytes: &[u8], size: usize) -> Option<Self> {
        let address = |at| Some(IpAddr::V6(Ipv6Addr::from(array::<16>(bytes, at)?)));
        let addresses = [address(8)?, address(24)?];
        let traffic_class = bytes[0] << 4 | bytes.get(1)? >> 4;
        let (protocol, transport) = transport_v6(bytes);
        Some(Self::new(bytes, size, traffic_class, addresses, protocol, transport))
    }

    fn new(
        bytes: &[u8],
        size: usize,
        traffic_class: u8,
        addresses: [IpAddr; 2],
        protocol: u8,
        transport: Option<usize>,
    ) -> Self {
        let tcp = transport
            .filter(|_| protocol == TCP)
            .and_then(|at| Tcp::parse(bytes.get(at..)?, size.checked_sub(at)?));
        let ports = transport.filter(|_| matches!(protocol, TCP | UDP)).and_then(|at| {
            Some([array(bytes, at)?, array(bytes, at + 2)?].map(u16::from_be_bytes))
        });
        Self {
            key: FlowKey { addresses, protocol, ports: ports.unwrap_or_default() },
            ecn: Ecn::of_traffic_class(traffic_class),
            category: AccessCategory::of_traffic_class(traffic_class),
            is_high_priority: traffic_class >> 2 == EXPEDITED_FORWARDING,
            tcp,
        }
    }
}

/// The protocol of an IPv6 packet, and where its header starts unless it is in another fragment.
fn transport_v6(bytes: &[u8]) -> (u8, Option<usize>) {
    let (mut next, mut at) = (bytes.get(6).copied().unwrap_or_default(), 40);
    for _ in 0..MOST_EXTENSIONS {
        let length = match next {
            // Hop-by-hop options, routing, destination options: in units of 8 bytes.
            0 | 43 | 60 => bytes.get(at + 1).map(|&length| (usize::from(length) + 1) * 8),
            FRAGMENT => Some(8),
            // In units of 4 bytes (RFC 4302 section 2.2).
            AUTHENTICATION => bytes.get(at + 1).map(|&length| (usize::from(length) + 2) * 4),
            _ => return (next, Some(at)),
        };
        let (Some(length), Some(&after)) = (length, bytes.get(at)) else { break };
        if next == FRAGMENT {
            let offset = array(bytes, at + 2).map(u16::from_be_bytes);
            if offset.is_none_or(|offset| offset & 0xfff8 != 0) {
                return (after, None);
            }
        }
        (next, at) = (after, at + length);
    }
    (next, None)
}

impl Tcp {
    /// Reads a segment of `size` bytes, header included.
    fn parse(bytes: &[u8], size: usize) -> Option<Self> {
        let [fin, syn, rst, ack, urg, ece, cwr] = [0x01, 0x02, 0x04, 0x10, 0x20, 0x40, 0x80];
        let header = usize::from(bytes.get(12)? >> 4) * 4;
        let flags = *bytes.get(13)?;
        let has_ae = bytes[12] & 1 != 0;
        let options = bytes.get(20..header)?;
        let payload = size.saturating_sub(header) as u32;
        let is_plain =
            !has_ae && flags & (fin | syn | rst | urg | ece | cwr) == 0 && flags & ack != 0;
        Some(Self {
            seq: u32::from_be_bytes(array(bytes, 4)?),
            ack: (flags & ack != 0).then_some(u32::from_be_bytes(array(bytes, 8)?)),
            is_syn: flags & syn != 0,
            payload,
            is_pure_ack: is_plain && payload == 0 && !has_sack(options),
        })
    }
}

/// Whether TCP options contain SACK blocks. Options that are cut off end the search.
fn has_sack(mut options: &[u8]) -> bool {
    const END: u8 = 0;
    const NO_OPERATION: u8 = 1;
    const SACK: u8 = 5;
    while let Some(&kind) = options.first() {
        let length = match kind {
            END => return false,
            SACK => return true,
            NO_OPERATION => 1,
            _ => options.get(1).map_or(0, |&length| usize::from(length)),
        };
        match options.get(length..) {
            Some(rest) if length > 0 => options = rest,
            _ => return false,
        }
    }
    false
}

/// Sets the ECN field of an IP packet to CE, and corrects the header checksum of IPv4 (RFC 791
/// section 3.1). Nothing else covers these bits.
pub fn mark(packet: &mut [u8]) {
    match packet.first().map(|first| first >> 4) {
        Some(4) => {
            let length = usize::from(packet[0] & 0x0f) * 4;
            let Some(header) = packet.get_mut(..length).filter(|header| header.len() >= 20) else {
                return;
            };
            header[1] |= 3;
            header[10..12].fill(0);
            let sum: u32 = header
                .chunks_exact(2)
                .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
                .sum();
            // At most 30 words: one carry, and the carry of that.
            let folded = (sum & 0xffff) + (sum >> 16);
            let folded = (folded & 0xffff) + (folded >> 16);
            header[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
        }
        Some(6) if packet.len() >= 40 => packet[1] |= 3 << 4,
        _ => {}
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
pub(super) mod tests;
