//! What the policer is compared with: frames read front to back as the RFCs lay them out, and buckets
//! in 128-bit integers. Written from docs/gateway.md, without looking for speed.

/// The agent: 10.0.1.1 or fd00:1::1, port 161; `struct agent` of exempt.h, whose last member but one
/// is AF_INET or AF_INET6.
pub const AGENTS: [[u8; 20]; 2] = [
    [10, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 161, 2, 0],
    [0xfd, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 161, 10, 0],
];
/// The device's link-local address: fe80::2.
pub const OWN: [u8; 16] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];

/// What the kernel knows of a frame, and would answer.
pub struct Environment {
    pub ether_type: u16,
    pub pkt_type: u32,
    pub is_tagged: bool,
    /// Whether the agent is that of IPv6.
    pub has_v6_agent: bool,
    pub route: i32,
    pub socket: u32,
    pub gso_segs: u32,
    pub gso_size: u32,
}

/// linux/if_packet.h.
const PACKET_HOST: u32 = 0;
const PACKET_OTHERHOST: u32 = 3;
/// BPF_FIB_LKUP_RET_NOT_FWDED and _FWD_DISABLED of linux/bpf.h: the kernel does not forward.
const STAYS: [i32; 2] = [4, 5];
/// TCP_ESTABLISHED: the socket is connected.
const CONNECTED: u32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Tcp,
    Udp,
    Other,
}

/// How a frame is counted and charged.
#[derive(Debug)]
pub struct Account {
    pub is_exempt: bool,
    pub protocol: Protocol,
    pub packets: u32,
    pub bytes: u32,
}

fn protocol(number: u8) -> Protocol {
    match number {
        6 => Protocol::Tcp,
        17 => Protocol::Udp,
        _ => Protocol::Other,
    }
}

fn word(bytes: &[u8], at: usize) -> usize {
    usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1])
}

/// The account of a frame of at least an Ethernet header.
pub fn account(frame: &[u8], environment: &Environment) -> Account {
    let (mut ether_type, mut rest) = (environment.ether_type, &frame[14..]);
    let mut is_tagged = environment.is_tagged;
    // At most eight tags are read (IEEE 802.1Q, 9.5).
    for _ in 0..8 {
        if !matches!(ether_type, 0x8100 | 0x88a8) || rest.len() < 4 {
            break;
        }
        (ether_type, is_tagged, rest) = (word(rest, 2) as u16, true, &rest[4..]);
    }
    let (protocol, size, transport) = match ether_type {
        0x0800 => ipv4(rest, environment.gso_size > 0),
        0x86dd => ipv6(rest, environment.gso_size > 0),
        _ => None,
    }
    .unwrap_or((Protocol::Other, rest.len(), None));
    let (mut packets, mut bytes) = (1, size as u32);
    if let Some(transport) = transport.filter(|_| environment.gso_size > 0) {
        let header = match protocol {
            Protocol::Udp => 8,
            Protocol::Tcp => rest.get(transport + 12).map_or(0, |byte| usize::from(byte >> 4) * 4),
            Protocol::Other => 0,
        };
        let headers = transport + header;
        let segments = match environment.gso_segs {
            0 => size.saturating_sub(headers).div_ceil(environment.gso_size as usize) as u32,
            segments => segments,
        };
        if segments > 1 {
            packets = segments;
            bytes += (segments - 1) * headers as u32;
        }
    }
    let frame = Seen { environment, ether_type, is_tagged, packet: rest, protocol };
    Account { is_exempt: frame.is_exempt(), protocol, packets, bytes }
}

/// Protocol, size, and where the transport header begins.
type Parsed = Option<(Protocol, usize, Option<usize>)>;

/// RFC 791, section 3.1.
fn ipv4(packet: &[u8], is_super: bool) -> Parsed {
    let header = usize::from(packet.first()? & 15) * 4;
    if packet.len() < 20 || packet[0] >> 4 != 4 || header < 20 {
        return None;
    }
    let total = word(packet, 2);
    if is_super {
        return Some((protocol(packet[9]), packet.len(), Some(header)));
    }
    (header..=packet.len()).contains(&total).then(|| (protocol(packet[9]), total, None))
}

/// RFC 8200, section 4. A length of 0 is that of a jumbogram (RFC 2675).
fn ipv6(packet: &[u8], is_super: bool) -> Parsed {
    if packet.len() < 40 || packet[0] >> 4 != 6 || 40 + word(packet, 4) > packet.len() {
        return None;
    }
    let (mut next, mut at) = (packet[6], 40);
    for _ in 0..8 {
        if !matches!(next, 0 | 43 | 44 | 51 | 60) {
            break;
        }
        let Some(&[after, length, high, low]) = packet.get(at..at + 4) else {
            next = 59; // no next header
            break;
        };
        at += match next {
            44 => 8,
            51 => (usize::from(length) + 2) * 4,
            _ => (usize::from(length) + 1) * 8,
        };
        let is_later = next == 44 && u16::from_be_bytes([high, low]) >> 3 != 0;
        next = after;
        if is_later {
            break;
        }
    }
    let size = match word(packet, 4) {
        _ if is_super => packet.len(),
        0 => packet.len(),
        length => 40 + length,
    };
    Some((protocol(next), size, is_super.then_some(at)))
}

/// A frame after its tags.
struct Seen<'a> {
    environment: &'a Environment,
    ether_type: u16,
    is_tagged: bool,
    packet: &'a [u8],
    protocol: Protocol,
}

impl Seen<'_> {
    /// Addressed to this host or to a group, and in one piece: short ARP, 802.1X, neighbour discovery on the
    /// link, replies of the agent.
    fn is_exempt(&self) -> bool {
        if self.environment.pkt_type == PACKET_OTHERHOST || self.environment.gso_size > 0 {
            return false;
        }
        match self.ether_type {
            0x0806 => self.packet.len() <= 46,
            0x888e => true,
            0x86dd => self.is_discovery() || self.is_reply_v6(),
            0x0800 => self.is_reply_v4(),
            _ => false,
        }
    }

    /// Whether a packet for a unicast address ends at this host.
    fn ends_here(&self) -> bool {
        !self.is_tagged && self.environment.pkt_type == PACKET_HOST
    }

    /// RFC 4861, sections 4.1 to 4.5.
    fn is_discovery(&self) -> bool {
        let Some(packet) = self.packet.get(..42) else { return false };
        let is_message = packet[0] >> 4 == 6
            && packet[6..8] == [58, 255]
            && (133..=137).contains(&packet[40])
            && packet[41] == 0;
        let to_group = packet[24] == 0xff;
        is_message && if to_group { packet[25] & 15 == 2 } else { self.stays_v6(packet) }
    }

    /// Whether an IPv6 packet for a unicast address is not forwarded. A link-local one may be forwarded back
    /// to the cell, unless it is this host's.
    fn stays_v6(&self, packet: &[u8]) -> bool {
        let (from, to) = (&packet[8..24], &packet[24..40]);
        let is_link_local = |address: &[u8]| address[0] == 0xfe && address[1] >> 6 == 2;
        self.ends_here()
            && match is_link_local(to) {
                // The policer has three more own addresses, which are not set: ::.
                true => to == OWN,
                false => !is_link_local(from) && STAYS.contains(&self.environment.route),
            }
    }

    /// A datagram of the agent without extension headers.
    fn is_reply_v6(&self) -> bool {
        let Some(packet) = self.packet.get(..48) else { return false };
        self.environment.has_v6_agent
            && self.protocol == Protocol::Udp
            && packet[6] == 17
            && packet[8..24] == AGENTS[1][..16]
            && word(packet, 40) == 161
            && self.environment.socket == CONNECTED
            && self.stays_v6(packet)
    }

    /// A datagram of the agent without IP options, in one piece.
    fn is_reply_v4(&self) -> bool {
        let Some(packet) = self.packet.get(..28) else { return false };
        !self.environment.has_v6_agent
            && self.protocol == Protocol::Udp
            && packet[0] == 0x45
            && word(packet, 6) & 0x3fff == 0
            && packet[12..16] == AGENTS[0][..4]
            && word(packet, 20) == 161
            && self.environment.socket == CONNECTED
            && self.ends_here()
            && STAYS.contains(&self.environment.route)
    }
}

/// What user space asks of the policer: bit/s and 1e-9 bit, the lease in ns.
pub struct Policy {
    pub rate: u64,
    pub size: u64,
    pub udp_rate: u64,
    pub udp_size: u64,
    pub lease: u64,
}

/// A token bucket; tokens are 1e-9 bit.
#[derive(Debug, Default)]
pub struct Bucket {
    rate: u64,
    size: u128,
    tokens: u128,
    updated: u64,
    expires: u128,
}

impl Bucket {
    /// A size of 0: there is none.
    pub fn is_in_use(&self) -> bool {
        self.size > 0
    }

    fn accrue(&mut self, now: u64) {
        let new = u128::from(self.rate) * u128::from(now - self.updated);
        self.tokens = (self.tokens + new).min(self.size);
        self.updated = now;
    }

    /// Sets rate and size. Tokens stay, up to the new size; a new bucket is full.
    pub fn change(&mut self, now: u64, rate: u64, size: u64, expires: u128) {
        self.accrue(now);
        if !self.is_in_use() {
            self.tokens = size.into();
        }
        (self.rate, self.size, self.expires) = (rate, size.into(), expires);
        self.tokens = self.tokens.min(self.size);
    }

    /// Whether a packet passes, which takes its tokens.
    pub fn take(&mut self, now: u64, bytes: u64) -> bool {
        self.accrue(now);
        // After the lease, and at the rate that stands for no limit, everything passes.
        if !self.is_in_use() || self.rate == u64::MAX || u128::from(now) > self.expires {
            return true;
        }
        let need = u128::from(bytes) * 8_000_000_000;
        let passes = self.tokens >= need;
        if passes {
            self.tokens -= need;
        }
        passes
    }
}
