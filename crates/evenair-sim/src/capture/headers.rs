//! IPv4, TCP, UDP and RTP headers of simulated packets.
//!
//! Sources: RFC 791 (IPv4), RFC 9293 (TCP), RFC 7323 (window scale, timestamps), RFC 2018 (SACK), RFC 9768 (AccECN), RFC 768 (UDP),
//! RFC 1071 (checksum).

use evenair_core::packet::{Packet, PacketKind};
use evenair_core::time::Instant;
use evenair_core::transport::{PacketOption, SackBlocks, TcpOptions, Timestamps};

use super::connections::ConnectionInfo;
use super::rtp;

/// A packet and the additional information for its headers.
///
/// The IPv4 total length is [`Packet::size`]. If the headers of the simulated packet are longer
/// than 40 bytes (TCP), 28 (UDP) or 52 (TFRC over RTP), the excess is filled with no-operation options: up to 40 bytes
/// in the TCP header and up to 40 in the IPv4 header, in multiples of 4 bytes. Further bytes follow
/// the IPv4 packet, as padding of the frame. If they are shorter, the headers are written in full
/// and the frame is longer than the simulated packet, as that of a SYN, whose options the simulator
/// does not count (SACK-permitted excepted). Packets are truncated to IPv4's limit of 65,535 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The packet. [`PacketKind::Datagram`] and [`PacketKind::Report`] are written as UDP, all other
    /// kinds as TCP.
    pub packet: Packet,
    /// The flow's station, counted from 0.
    pub station: u32,
    /// Whether this packet (not its flow's data) goes from the station to the server.
    pub up: bool,
    /// Whether the packet is sent by the source of the flow's data.
    pub from_source: bool,
    /// Its connection.
    pub connection: ConnectionInfo,
    /// The SACK blocks of an acknowledgement (RFC 2018), in bytes since the start of the flow;
    /// `None` if the flow has no SACK. They and the AccECN option are the first options; the size of the packet
    /// includes them.
    pub sack: Option<SackBlocks>,
    /// What the packet carries beside its payload: of TFRC the RTP header or RTCP, of TCP the window.
    pub option: Option<PacketOption>,
}

pub(super) const SERVER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
pub(super) const GATEWAY_MAC: [u8; 6] = [2, 0, 0, 0, 0, 2];
pub(super) const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];

const SERVER_IP: [u8; 4] = [10, 0, 0, 1];
const IP_HEADER: u32 = 20;
const TCP_HEADER: u32 = 20;
const UDP_HEADER: u32 = 8;
const OPTION_SPACE: u32 = 40;
const MAX_HEADERS: u32 = IP_HEADER + TCP_HEADER + 2 * OPTION_SPACE;
const MAX_PACKET: u32 = 65_535;
const NO_OPERATION: u8 = 1; // the same number in IPv4 and TCP
const MAXIMUM_SEGMENT_SIZE: [u8; 2] = [2, 4]; // kind, length
const WINDOW_SCALE: [u8; 2] = [3, 3];
const SACK_PERMITTED: [u8; 2] = [4, 2];
const SACK: u8 = 5;
const TIMESTAMPS: [u8; 2] = [8, 10];
/// The largest shift of the window scale option (RFC 7323 section 2.3).
const MAX_WINDOW_SHIFT: u32 = 14;
const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_UDP: u8 = 17;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

/// The station's MAC address, locally administered.
pub(super) fn station_mac(station: u32) -> [u8; 6] {
    let [_, c, d, e] = station.wrapping_add(1).to_be_bytes();
    [2, 0, 0, c.wrapping_add(1), d, e]
}

fn station_ip(station: u32) -> [u8; 4] {
    let [_, c, d, e] = station.wrapping_add(1).to_be_bytes();
    [10, c.wrapping_add(1), d, e]
}

impl Segment {
    /// The packet comment of the capture; empty for most packets.
    pub(super) fn comment(&self) -> &'static str {
        if self.packet.retransmission { "TCP retransmission" } else { "" }
    }

    /// Appends the IPv4 and the TCP or UDP header. Returns the length of the whole packet with
    /// payload and padding. `forwarded`: whether the gateway has forwarded it.
    pub(super) fn write(&self, forwarded: bool, out: &mut Vec<u8>) -> u32 {
        let udp = matches!(self.packet.kind, PacketKind::Datagram | PacketKind::Report);
        let transport_header =
            if udp { UDP_HEADER + rtp::length(self.option.as_ref()) } else { TCP_HEADER };
        // TCP's sequence numbers count the payload, so it is kept and the headers are truncated.
        let payload = u32::from(self.packet.payload).min(MAX_PACKET - MAX_HEADERS);
        let headers = self.packet.size.min(MAX_PACKET).saturating_sub(payload);
        let extra = headers.saturating_sub(IP_HEADER + transport_header);
        let tcp_options =
            if udp { 0 } else { option_bytes(extra).max(self.handshake_option_bytes()) };
        let ip_options = option_bytes(extra.saturating_sub(tcp_options));
        let ip_header = IP_HEADER + ip_options;
        let transport = transport_header + tcp_options + payload;
        let total = ip_header + transport;

        let (source, target) = if self.up {
            (station_ip(self.station), SERVER_IP)
        } else {
            (SERVER_IP, station_ip(self.station))
        };
        let ip_at = out.len();
        out.extend([0x40 | (ip_header / 4) as u8, self.packet.ecn as u8]); // version 4, header words, ECN
        out.extend((total as u16).to_be_bytes());
        out.extend([0, 0, 0x40, 0]); // identification, don't fragment
        let protocol = if udp { PROTOCOL_UDP } else { PROTOCOL_TCP };
        out.extend([if forwarded { 63 } else { 64 }, protocol, 0, 0]);
        out.extend(source);
        out.extend(target);
        out.resize(out.len() + ip_options as usize, NO_OPERATION);
        let sum = checksum(0, &out[ip_at..]);
        out[ip_at + 10..ip_at + 12].copy_from_slice(&sum.to_be_bytes());

        let transport_at = out.len();
        let checksum_at = if udp {
            self.write_udp(transport, out);
            transport_at + 6
        } else {
            self.write_tcp(tcp_options, out);
            transport_at + 16
        };
        // The pseudo-header: addresses, protocol, length. A payload of zeros does not change the
        // sum.
        let pseudo = ones_sum(&source) + ones_sum(&target) + u32::from(protocol) + transport;
        let mut sum = checksum(pseudo, &out[transport_at..]);
        if udp && sum == 0 {
            sum = 0xFFFF; // zero means no checksum (RFC 768)
        }
        out[checksum_at..checksum_at + 2].copy_from_slice(&sum.to_be_bytes());
        total.max(self.packet.size.min(MAX_PACKET))
    }

    fn write_udp(&self, length: u32, out: &mut Vec<u8>) {
        self.write_ports(out);
        out.extend((length as u16).to_be_bytes());
        out.extend([0, 0]); // checksum, later
        rtp::write(&self.packet, self.option.as_ref(), out);
    }

    fn write_tcp(&self, options: u32, out: &mut Vec<u8>) {
        let ConnectionInfo { number, requested, received, .. } = self.connection;
        // Arbitrary constants: initial sequence numbers differ by flow and connection, and some
        // wrap.
        let connection = number.wrapping_mul(0x0765_4321);
        let flow = self.packet.flow.0.wrapping_add(1).wrapping_mul(0x9E37_79B1);
        let sender_isn = flow.wrapping_add(connection);
        let receiver_isn = !sender_isn;
        let position = sender_isn.wrapping_add(1).wrapping_add(self.sequence(self.packet.seq));
        let asked = receiver_isn.wrapping_add(1).wrapping_add(requested);
        let answered = sender_isn.wrapping_add(1).wrapping_add(received as u32);
        let (own_isn, other_isn) =
            if self.from_source { (sender_isn, receiver_isn) } else { (receiver_isn, sender_isn) };
        let (sequence, acknowledged, flags) = match self.packet.kind {
            PacketKind::Syn => (own_isn, 0, SYN),
            PacketKind::SynAck => (own_isn, other_isn.wrapping_add(1), SYN | ACK),
            PacketKind::Request => (asked, answered, ACK),
            PacketKind::Ack => (asked, position, ACK),
            PacketKind::Data if self.is_last() => (position, asked, ACK | FIN),
            PacketKind::Data | PacketKind::Datagram | PacketKind::Report | PacketKind::Beacon => {
                (position, asked, ACK)
            }
        };
        self.write_ports(out);
        out.extend(sequence.to_be_bytes());
        out.extend(acknowledged.to_be_bytes());
        // AE is below the data offset, CWR and ECE are the highest of the flags (RFC 9768 section 3.1).
        let ace = self.packet.ecn_flags.ace();
        out.extend([(((TCP_HEADER + options) / 4) << 4) as u8 | ace >> 2, flags | ace << 6]);
        out.extend(self.window_field().to_be_bytes());
        out.extend([0; 4]); // checksum, later; urgent pointer
        let end = out.len() + options as usize;
        if self.is_handshake() {
            self.write_handshake_options(out);
        } else if self.packet.kind == PacketKind::Ack {
            self.write_acc_ecn(out);
            self.write_sack(position, out);
        }
        self.write_timestamps(end, out);
        out.resize(end, NO_OPERATION);
    }

    /// The distance of byte `position` of the data from the first; the FIN has a number of its own.
    fn sequence(&self, position: u64) -> u32 {
        let is_behind_fin = self.connection.total.is_some_and(|total| position >= total);
        (position as u32).wrapping_add(u32::from(is_behind_fin))
    }

    /// Whether the packet carries the last byte of a finite transfer.
    fn is_last(&self) -> bool {
        let end = self.packet.seq + u64::from(self.packet.payload);
        self.connection.total.is_some_and(|total| end >= total)
    }

    fn is_handshake(&self) -> bool {
        matches!(self.packet.kind, PacketKind::Syn | PacketKind::SynAck)
    }

    /// By how many bits the window is shifted (RFC 7323 section 2.3): as few as possible.
    fn window_shift(&self) -> u32 {
        let fits = |shift: &u32| self.connection.window.div_ceil(1 << shift) <= u32::from(u16::MAX);
        (0..MAX_WINDOW_SHIFT).find(fits).unwrap_or(MAX_WINDOW_SHIFT)
    }

    /// The window, rounded up to a multiple of its unit. That of a SYN is not scaled (RFC 7323
    /// section 2.2).
    fn window_field(&self) -> u16 {
        let shift = if self.is_handshake() { 0 } else { self.window_shift() };
        let advertised = self.tcp_options().and_then(|options| options.window);
        let bytes = |segments: u32| segments * self.connection.segment;
        let window = advertised.map_or(self.connection.window, bytes);
        window.div_ceil(1 << shift).min(u32::from(u16::MAX)) as u16
    }

    /// The length of [`Segment::write_handshake_options`].
    fn handshake_option_bytes(&self) -> u32 {
        if !self.is_handshake() {
            return 0;
        }
        let has_timestamps = self.tcp_options().is_some_and(|options| options.timestamps.is_some());
        4 + 4 * u32::from(self.sack.is_some())
            + 4 * u32::from(self.window_shift() > 0)
            + Timestamps::BYTES * u32::from(has_timestamps)
    }

    fn tcp_options(&self) -> Option<&TcpOptions> {
        match &self.option {
            Some(PacketOption::Tcp(options)) => Some(options),
            _ => None,
        }
    }

    /// The timestamps, in milliseconds as in Linux, if there is room before `end`.
    fn write_timestamps(&self, end: usize, out: &mut Vec<u8>) {
        let Some(Timestamps { value, echo }) = self.tcp_options().and_then(|o| o.timestamps) else {
            return;
        };
        if out.len() + Timestamps::BYTES as usize <= end {
            out.extend([NO_OPERATION, NO_OPERATION]);
            out.extend(TIMESTAMPS);
            let milliseconds = |at: Instant| (at.as_nanos() / 1_000_000) as u32;
            out.extend(milliseconds(value).to_be_bytes());
            out.extend(echo.map_or(0, milliseconds).to_be_bytes());
        }
    }

    /// Maximum segment size; SACK-permitted where the flow has SACK; the window scale where the
    /// window needs it.
    fn write_handshake_options(&self, out: &mut Vec<u8>) {
        out.extend(MAXIMUM_SEGMENT_SIZE);
        out.extend((self.connection.segment.min(u32::from(u16::MAX)) as u16).to_be_bytes());
        if self.sack.is_some() {
            out.extend([NO_OPERATION, NO_OPERATION]);
            out.extend(SACK_PERMITTED);
        }
        if self.window_shift() > 0 {
            out.push(NO_OPERATION);
            out.extend(WINDOW_SCALE);
            out.push(self.window_shift() as u8);
        }
    }

    /// The AccECN option (RFC 9768 section 3.2.3), aligned.
    fn write_acc_ecn(&self, out: &mut Vec<u8>) {
        let Some(counters) = self.tcp_options().and_then(|options| options.acc_ecn) else { return };
        let end = out.len() + counters.header_bytes() as usize;
        let (kind, fields) = counters.fields();
        let begin = out.len();
        out.extend([kind, 0]);
        fields.for_each(|field| out.extend(&field.to_be_bytes()[1..]));
        out[begin + 1] = (out.len() - begin) as u8;
        out.resize(end, NO_OPERATION);
    }

    /// The SACK option; `acknowledged` is the sequence number of the byte at `packet.seq`.
    fn write_sack(&self, acknowledged: u32, out: &mut Vec<u8>) {
        let blocks = self.sack.as_ref().map_or(&[][..], |blocks| blocks.as_slice());
        if blocks.is_empty() {
            return;
        }
        out.extend([NO_OPERATION, NO_OPERATION, SACK, 2 + 8 * blocks.len() as u8]);
        for edge in blocks.iter().flat_map(|&(start, end)| [start, end]) {
            let ahead = self.sequence(edge).wrapping_sub(self.sequence(self.packet.seq));
            out.extend(acknowledged.wrapping_add(ahead).to_be_bytes());
        }
    }

    fn write_ports(&self, out: &mut Vec<u8>) {
        let ConnectionInfo { station_port, server_port, .. } = self.connection;
        let (source, target) =
            if self.up { (station_port, server_port) } else { (server_port, station_port) };
        out.extend(source.to_be_bytes());
        out.extend(target.to_be_bytes());
    }
}

/// The number of `extra` header bytes that fit into the options of one header.
fn option_bytes(extra: u32) -> u32 {
    (extra & !3).min(OPTION_SPACE)
}

/// The sum of the 16-bit words of `bytes`, without folding of carries (RFC 1071).
fn ones_sum(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|w| u32::from(w[0]) << 8 | w.get(1).map_or(0, |&low| u32::from(low))).sum()
}

/// The Internet checksum (RFC 1071) of `bytes`; `start` is added to the sum.
pub(super) fn checksum(start: u32, bytes: &[u8]) -> u16 {
    let mut sum = start + ones_sum(bytes);
    while sum > 0xFFFF {
        sum = (sum >> 16) + (sum & 0xFFFF);
    }
    !(sum as u16)
}
