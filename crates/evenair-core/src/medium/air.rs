//! What happens on the air, as a medium tells it to its cell: one stream of events for captures, air
//! traces, channel occupancy and airtime schedulers.
//!
//! An access to the medium is an [`Access`], followed by its transmissions, each a [`Ppdu`] with the packets
//! that it carries and what becomes of each of them. All this is known when the access begins. An
//! [`Attempt`] follows when it is over. A medium to which nobody listens makes no events.

use super::phy_mode::PhyMode;
use crate::packet::{AccessCategory, NodeId};
use crate::time::{Duration, Instant};

/// A packet that a medium has taken and not yet released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketId(pub(crate) u32);

/// Which events a medium passes to its cell. Each value includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listening {
    /// None.
    #[default]
    Nothing,
    /// Those of attempts that are over.
    Outcomes,
    /// Accesses and transmissions as well.
    Everything,
}

/// An event of the air.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AirEvent {
    /// An access to the medium begins.
    Access(Access),
    /// A transmission of the access that was announced last. Those of an access come in the order of their
    /// beginning, those of an 802.11 collision in order of node. Those of an 802.11 TXOP that follow its first
    /// exchange are announced when that is over.
    Transmission(Ppdu),
    /// An attempt is over. Its packet has not been released.
    Outcome(Attempt),
}

/// An access to the medium: one exchange or a collision, a TXOP, or an 802.16 frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// When the medium had become idle: in 802.16 when the frame begins.
    pub idle_since: Instant,
    /// When the first transmission begins; in 802.16 the frame itself.
    pub at: Instant,
    /// The slots in which nodes count down.
    pub slots: Slots,
    /// The nodes that count down, in order of node; with EDCA the categories of nodes.
    pub contenders: Vec<Contender>,
    /// What only one kind of medium has.
    pub detail: AccessDetail,
}

/// What only one kind of medium has of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessDetail {
    /// 802.11: who transmits, in order of node: several in a collision.
    Contention(Vec<Transmitter>),
    /// 802.16: the parts of the frame with their ends, in order of time. The first begins with the frame,
    /// each other one at the end of the one before.
    Frame(Vec<(FramePart, Instant)>),
}

/// The slots of an idle period of an 802.11 medium, from the end of DIFS to the access, with EDCA from the end of
/// the shortest AIFS of the cell; or the request opportunities of an 802.16 frame, which divide their region evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The beginning of the first.
    pub start: Instant,
    /// The end of the last.
    pub end: Instant,
    /// How many.
    pub count: u64,
}

/// A node, or one of its access categories, that counts down before an access: slots, or opportunities to send a
/// bandwidth request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// The node.
    pub node: NodeId,
    /// With EDCA the category; `None` of the beacons of an access point.
    pub category: Option<AccessCategory>,
    /// The slot boundary after DIFS from which it counted: more than 0 after EIFS or a response timeout, if its
    /// packet came later, and of a category with a longer AIFS.
    pub from: u64,
    /// Slots that were left to count then.
    pub before: u64,
    /// Slots that are left: its counter is frozen there. 0 of a transmitter. A node whose access without a
    /// backoff another one has preempted, or a category that has collided internally, has drawn them.
    pub after: u64,
    /// False: it has no frame, and this is the backoff after its last one.
    pub has_frame: bool,
    /// Whether it would transmit without a backoff.
    pub immediate: bool,
    /// Whether it transmits.
    pub transmits: bool,
}

/// A node that has won access to an 802.11 medium, alone or together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmitter {
    /// The node.
    pub node: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// With EDCA the category; `None` of a beacon.
    pub category: Option<AccessCategory>,
    /// The packet, the first of several, or a beacon if `to` is [`NodeId::BROADCAST`]; `None` of a BlockAckReq.
    pub packet: Option<PacketId>,
    /// The contention window of this attempt, slots.
    pub cw: u32,
    /// The backoff drawn for it, slots; 0 without one.
    pub backoff: u32,
    /// Whether the packet has been received already, so that only its acknowledgement is missing.
    pub repeats: bool,
}

/// A part of an 802.16 frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePart {
    /// Preamble, FCH, maps, and DCD and UCD where the frame has them.
    Broadcast,
    /// Downlink bursts.
    Downlink,
    /// TTG, or RTG with what is left of the frame.
    Gap,
    /// The ranging region, and the gap behind it.
    Ranging,
    /// The region of bandwidth requests.
    Requests,
    /// Uplink bursts.
    Uplink,
}

/// What a transmission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PpduKind {
    /// 802.11: request to send.
    Rts,
    /// 802.11: clear to send, the answer to an RTS, or addressed to its sender itself.
    Cts,
    /// 802.11: data.
    Data,
    /// 802.11: acknowledgement.
    Ack,
    /// 802.11: Block Ack.
    BlockAck,
    /// 802.11: BlockAckReq, which asks for a Block Ack.
    BlockAckReq,
    /// 802.11: CF-End, which ends a TXOP.
    CfEnd,
    /// 802.11: beacon.
    Beacon,
    /// 802.16: a burst.
    Burst,
    /// 802.16: a bandwidth request in contention.
    Request,
}

/// A transmission: a PPDU of 802.11, or a burst or bandwidth request of 802.16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ppdu {
    /// What it is.
    pub kind: PpduKind,
    /// Its transmitter.
    pub from: NodeId,
    /// Its receiver; [`NodeId::BROADCAST`] of a beacon and a CF-End. Of a CTS that protects a frame, its
    /// transmitter.
    pub to: NodeId,
    /// When its preamble begins; of a request its opportunity.
    pub start: Instant,
    /// Its end.
    pub end: Instant,
    /// Its PHY mode.
    pub mode: PhyMode,
    /// Bytes on the air, with MAC header and FCS; of a burst those of its PDUs.
    pub bytes: u32,
    /// Of data, RTS and requests: how often it was sent before, of an RTS since the last one that was
    /// answered. With EDCA of data, RTS and BlockAckReqs: failures of its category since the last success.
    pub retries: u32,
    /// What becomes of it. A burst is corrupted if one of its PDUs is, data with EDCA if all MPDUs are.
    pub fate: Fate,
    /// The packets, or fragments of packets, that it carries, in order: one in an 802.11 data frame or
    /// beacon, with EDCA those of all its MPDUs, none in control frames and requests.
    pub mpdus: Vec<Mpdu>,
    /// Bytes for which a bandwidth request asks, which a burst may have as well.
    pub asks_for: Option<u32>,
    /// What it has with EDCA alone; `None` also of a beacon.
    pub qos: Option<QosPpdu>,
}

/// What a transmission of an exchange has with EDCA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QosPpdu {
    /// The category of the exchange.
    pub category: AccessCategory,
    /// How its PSDU carries MPDUs.
    pub psdu: PsduFormat,
    /// Of a BlockAckReq and a Block Ack: what it says.
    pub block_ack: Option<BlockAck>,
    /// The end of the exchange if nothing is lost, until which its Duration field reserves the medium.
    pub reserved_until: Instant,
}

/// How a PSDU carries MPDUs (IEEE 802.11-2020 9.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PsduFormat {
    /// It is an MPDU.
    Mpdu,
    /// An A-MPDU of one MPDU, whose delimiter says so: an S-MPDU.
    SMpdu,
    /// An A-MPDU.
    AMpdu,
}

/// What a Block Ack says, or a BlockAckReq, whose bitmap is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAck {
    /// Starting Sequence Number.
    pub start: u16,
    /// Bits of the bitmap of the Block Ack: 64 or 256.
    pub length: u16,
    /// The bitmap. Bit i of word w stands for the MPDU with sequence number `start` + 64 w + i: it has been
    /// received.
    pub bitmap: [u64; 4],
}

/// A MAC PDU: a packet in a transmission, or a fragment of one. An A-MSDU is an MPDU with several packets: it has one of
/// these for each of them, which have the same sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mpdu {
    /// The packet.
    pub packet: PacketId,
    /// Bytes on the air, with headers; with each packet of an A-MSDU those of the whole.
    pub bytes: u32,
    /// Its end; in 802.16 and with EDCA that of its last symbol.
    pub end: Instant,
    /// Whether the packet begins with it.
    pub is_first: bool,
    /// Whether the packet ends with it.
    pub is_last: bool,
    /// What becomes of it.
    pub fate: Fate,
    /// What it has with EDCA alone.
    pub qos: Option<QosMpdu>,
}

/// What an MPDU has with EDCA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QosMpdu {
    /// Its sequence number, counted for each link and category.
    pub sequence: u16,
    /// The Retry bit: it has been transmitted before.
    pub retry: bool,
    /// Whether it has been received already, so that only its acknowledgement is missing.
    pub repeats: bool,
}

/// What becomes of a transmission, or of one of its PDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its receiver decodes it. Of a beacon: it meets no other frame.
    Received,
    /// It meets another transmission.
    Collided,
    /// A channel or loss model corrupts it.
    Corrupted,
}

/// An attempt to transmit a packet, which is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When it is over.
    pub at: Instant,
    /// The packet, the first of several.
    pub packet: PacketId,
    /// The transmitting node.
    pub from: NodeId,
    /// The end of its link that is not the access point; [`NodeId::BROADCAST`] of a beacon.
    pub station: NodeId,
    /// The PHY mode of its data frames; `None` of beacons, and in 802.16.
    pub mode: Option<PhyMode>,
    /// The time for which the medium has to be idle before it: DIFS, or AIFS; of what continues a TXOP SIFS, of a
    /// beacon with EDCA PIFS. Zero in 802.16.
    pub space: Duration,
    /// Whether it has a backoff, which may be zero. What continues a TXOP and a beacon with EDCA have none.
    pub has_backoff: bool,
    /// The backoff drawn for it, whether or not it was interrupted; zero without a backoff.
    pub backoff: Duration,
    /// All its frames with the spaces between them and the response; where there was no response,
    /// the response timeout. Zero in 802.16, where a burst carries several packets.
    pub airtime: Duration,
    /// Whether it had a data frame; false of an RTS without an answer.
    pub sent_data: bool,
    /// How it has ended.
    pub outcome: Outcome,
}

impl Attempt {
    /// Whether a station has made it; else its access point has.
    pub fn is_up(&self) -> bool {
        self.from == self.station
    }

    /// Its packet, if it carried no other.
    pub fn carried_alone(&self) -> impl Iterator<Item = Carried> + Clone {
        let delivered = self.outcome == Outcome::Delivered;
        std::iter::once(Carried { packet: self.packet, overhead: 0, delivered })
    }
}

/// A packet that an attempt carried, or was to carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The packet.
    pub packet: PacketId,
    /// Bytes on the air that it has besides those at IP level, its part of those of its MPDU.
    pub overhead: u32,
    /// Whether it is acknowledged, or received on a medium without acknowledgements.
    pub delivered: bool,
}

/// How an attempt has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The packet is acknowledged, or received on a medium without acknowledgements. Of a beacon: it met no
    /// other frame.
    Delivered,
    /// The packet will be sent again. On a medium that does not repeat packets: it is lost.
    Failed,
    /// The packet is dropped: at a retry limit, with a bandwidth request that is given up, or a beacon that
    /// met another frame.
    GivenUp,
}
