//! A packet of the simulator: a small plain value without payload bytes.

use crate::component::named;
use crate::time::Instant;

/// A flow: its index in the run, or in the flow table of a gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The flow of packets that belong to none: those that the access point itself sends.
    pub const NONE: Self = Self(u32::MAX);
}

/// One connection of a flow: a flow may open several, one after the other. The connections are
/// counted modulo 256.
pub type ConnectionId = (FlowId, u8);

/// A node of a wireless cell. Node 0 is the access point or base station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The access point of an 802.11 cell, the base station of an 802.16 cell.
    pub const ACCESS_POINT: Self = Self(0);

    /// The receiver of a frame for all stations.
    pub const BROADCAST: Self = Self(u32::MAX);

    /// Whether this is the access point or base station.
    pub const fn is_access_point(self) -> bool {
        self.0 == Self::ACCESS_POINT.0
    }

    /// Index into tables with an entry per node.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Direction of a transmission in the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the access point to a station.
    Down,
    /// From a station to the access point.
    Up,
}

named! {
    /// An access category of EDCA (IEEE 802.11-2020 10.2.3.2, table 10-1), numbered by its ACI (9.4.2.28).
    /// Without EDCA, as in the DCF and in best-effort service of 802.16, there is one: best effort.
    pub enum AccessCategory {
        /// AC_BE.
        #[default]
        BestEffort => "be",
        /// AC_BK.
        Background => "bk",
        /// AC_VI.
        Video => "vi",
        /// AC_VO.
        Voice => "vo",
    }
    planned []
}

impl AccessCategory {
    /// The access categories of EDCA, by number.
    pub const ALL: [Self; 4] = [Self::BestEffort, Self::Background, Self::Video, Self::Voice];
    /// Their number.
    pub const COUNT: u32 = Self::ALL.len() as u32;

    /// That of an IP packet with this traffic class: the user priority is the top three bits of the DSCP, and the
    /// category that of table 10-1. ns-3 does so, and Linux but for the code points that RFC 8325 moves.
    pub const fn of_traffic_class(traffic_class: u8) -> Self {
        match traffic_class >> 5 {
            1 | 2 => Self::Background,
            4 | 5 => Self::Video,
            6 | 7 => Self::Voice,
            _ => Self::BestEffort,
        }
    }
}

/// One of the two ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The source of the data.
    Sender,
    /// Their destination.
    Receiver,
}

impl End {
    /// The other end.
    pub const fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}

/// Where a packet is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// On wired links, or in their queues.
    Wire,
    /// In the transmit queue of a node of the cell.
    Queue,
    /// In the ring of a driver.
    Ring,
    /// In the hardware of an access point, which a driver fills ahead.
    Hardware,
    /// With the MAC, which contends for the medium or transmits it.
    Air,
    /// With the MAC of the receiver, which lacks a packet before it.
    Reorder,
}

impl Stage {
    /// The number of stages.
    pub const COUNT: usize = Self::Reorder as usize + 1;
}

/// Type of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// A TCP segment with payload.
    Data,
    /// A TCP segment without payload.
    Ack,
    /// The first segment of a TCP connection.
    Syn,
    /// The reply to a SYN.
    SynAck,
    /// A UDP datagram, or a data packet of TFRC.
    Datagram,
    /// The third segment of the handshake, with the request of a client that opens the connection.
    Request,
    /// A beacon frame of an 802.11 access point.
    Beacon,
    /// A feedback packet of TFRC (RFC 5348 section 3.2.2).
    Report,
}

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: the transport does not support ECN.
    #[default]
    NotEct,
    /// ECT(1): the transport supports ECN, and asks for the marks of L4S (RFC 9331 section 4.1).
    Ect1,
    /// ECT(0): the transport supports ECN.
    Ect0,
    /// CE: a queue has marked the packet instead of dropping it.
    Ce,
}

impl Ecn {
    /// That of the low two bits of a traffic class (RFC 3168 section 5).
    pub const fn of_traffic_class(traffic_class: u8) -> Self {
        [Self::NotEct, Self::Ect1, Self::Ect0, Self::Ce][traffic_class as usize & 3]
    }
}

/// The ECN bits of a TCP header: ECE and CWR (RFC 3168 section 6.1), and AE. Together they are also the
/// counter of three bits of AccECN (RFC 9768 section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnFlags(u8);

impl EcnFlags {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// ECN-Echo.
    pub const ECE: Self = Self(1);
    /// Congestion Window Reduced.
    pub const CWR: Self = Self(2);
    /// Those of a SYN that offers ECN (RFC 3168 section 6.1.1).
    pub const SETUP_SYN: Self = Self(Self::ECE.0 | Self::CWR.0);
    /// Those of the SYN-ACK that accepts it.
    pub const SETUP_SYN_ACK: Self = Self::ECE;

    /// These flags, or none.
    pub const fn only_if(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }

    /// Whether ECN-Echo is set.
    #[inline(always)]
    pub const fn ece(self) -> bool {
        self.0 & Self::ECE.0 != 0
    }

    /// Whether Congestion Window Reduced is set.
    #[inline(always)]
    pub const fn cwr(self) -> bool {
        self.0 & Self::CWR.0 != 0
    }

    /// The bits AE, CWR and ECE as a number: the field ACE of AccECN.
    pub const fn ace(self) -> u8 {
        self.0
    }

    /// Those of which the field ACE is `count`, modulo 8.
    pub const fn of_ace(count: u8) -> Self {
        Self(count & 7)
    }
}

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)] // copies of this layout take fewer instructions than of the compiler's own
pub struct Packet {
    /// The flow. An acknowledgement belongs to the flow that it acknowledges.
    pub flow: FlowId,
    /// The end of the path in the cell that is not the access point; the access point for packets
    /// that do not enter the cell. Of a beacon: [`NodeId::BROADCAST`].
    pub station: NodeId,
    /// Type.
    pub kind: PacketKind,
    /// The connection of the flow, see [`ConnectionId`].
    pub connection: u8,
    /// Marked as crucial by its source (Gong et al. 2006, section III-A).
    pub high_priority: bool,
    /// The payload, or a part of it, has been sent before.
    pub retransmission: bool,
    /// Bytes at IP level, headers included. Of a beacon: of the frame, with MAC header and FCS.
    pub size: u32,
    /// Bytes of transport payload.
    pub payload: u16,
    /// Number of the transport option that the packet carries, such as SACK blocks; 0 for none. The
    /// options themselves are kept per flow, so that packets stay small.
    pub option: u16,
    /// ECN field of the IP header.
    pub ecn: Ecn,
    /// ECN bits of the TCP header.
    pub ecn_flags: EcnFlags,
    /// The end of the flow that it is for; [`End::Receiver`] where there is no flow.
    pub to: End,
    /// In which access category it is transmitted in the cell.
    pub category: AccessCategory,
    /// Position in the sequence space of the connection, bytes: of data the first payload byte, of an
    /// acknowledgement the next byte that is expected.
    pub seq: u64,
    /// When it entered the queue in which it waits, or will enter the next one.
    pub enqueued_at: Instant,
}

impl Packet {
    /// A packet of `flow` without size, payload or marks.
    pub const fn new(flow: FlowId, kind: PacketKind) -> Self {
        Self {
            flow,
            station: NodeId::ACCESS_POINT,
            kind,
            connection: 0,
            high_priority: false,
            retransmission: false,
            size: 0,
            payload: 0,
            option: 0,
            ecn: Ecn::NotEct,
            ecn_flags: EcnFlags::NONE,
            to: End::Receiver,
            category: AccessCategory::BestEffort,
            seq: 0,
            enqueued_at: Instant::ZERO,
        }
    }

    /// Whether it is an acknowledgement without payload, which a later one of the same connection
    /// supersedes.
    pub fn is_pure_ack(&self) -> bool {
        self.kind == PacketKind::Ack
    }
}

// Queues and media copy packets all the time.
const _: () = assert!(size_of::<Packet>() == 40);

#[cfg(test)]
mod tests {
    use super::*;

    /// The codepoints of RFC 3168 section 5, figure 1, below a DSCP of EF.
    #[test]
    fn ecn_codepoints() {
        let dscp: u8 = 46 << 2;
        let of = |bits| Ecn::of_traffic_class(dscp | bits);
        let all = [of(0b00), of(0b01), of(0b10), of(0b11)];
        assert_eq!(all, [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]);
    }

    /// RFC 9768 section 3.1: AE is the highest bit of ACE, then CWR, then ECE, as in the TCP header.
    #[test]
    fn ecn_flags_are_the_counter_of_accecn() {
        assert_eq!((EcnFlags::ECE.ace(), EcnFlags::CWR.ace()), (0b001, 0b010));
        assert_eq!(EcnFlags::of_ace(5 + 8), EcnFlags::of_ace(5));
        let flags = EcnFlags::of_ace(0b101);
        assert_eq!((flags.ece(), flags.cwr(), flags.ace()), (true, false, 5));
        assert_eq!(EcnFlags::SETUP_SYN, EcnFlags::of_ace(0b011));
    }
}
