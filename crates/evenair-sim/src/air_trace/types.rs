//! What an air trace consists of.

use evenair_core::packet::{AccessCategory, PacketKind};
use evenair_core::queue::DropReason;
use evenair_core::transport::Limit;
use serde::{Serialize, Serializer};

/// The longest air trace, accesses.
pub const MAX_ACCESSES: u32 = 1000;

/// The most packets that are listed: of all queues of the access point together, of those dropped before an
/// access, and of a burst.
pub const MAX_LISTED: usize = 200;

/// The most packets of a PPDU with EDCA that are listed: those of the largest window of a Block Ack agreement, one in
/// each MPDU (IEEE 802.11ax-2021 9.3.1.8).
pub const MAX_LISTED_OF_PPDU: usize = 256;

/// Which accesses an air trace shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirTraceRequest {
    /// From when on, seconds since the end of the warm-up.
    pub from_s: f64,
    /// How many, up to [`MAX_ACCESSES`].
    pub accesses: u32,
}

/// The accesses to the medium from a moment on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AirTrace {
    /// The seed of the run.
    pub seed: u64,
    /// When the measured time begins.
    pub warmup_ns: u64,
    /// "wlan" or "wimax".
    pub medium: &'static str,
    /// The access point or base station, then the stations.
    pub nodes: Vec<TracedNode>,
    /// The flows.
    pub flows: Vec<TracedFlow>,
    /// The accesses in order of time.
    pub accesses: Vec<TracedAccess>,
    /// Whether the run was over before there were as many accesses as wanted.
    pub ended: bool,
}

/// A node of the cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedNode {
    /// "ap", "sta-1", ...
    pub id: String,
    /// The name that the scenario gives to it.
    pub name: Option<String>,
}

/// A flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedFlow {
    /// "up-1", "down-3", ...
    pub id: String,
    /// The name that the scenario gives to it.
    pub name: Option<String>,
    /// The node of its station; none of a flow between hosts.
    pub station: Option<u32>,
    /// "up" or "down"; none of a flow between hosts.
    pub direction: Option<&'static str>,
    /// The transport's name.
    pub transport: &'static str,
    /// Payload of a data packet, bytes.
    pub segment: u32,
}

/// An access to the medium: one exchange or a collision, a TXOP, or an 802.16 frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TracedAccess {
    /// When the medium had become idle: in 802.16 when the frame begins.
    pub idle_since_ns: u64,
    /// When the first frame begins; in 802.16 the frame itself.
    pub at_ns: u64,
    /// When the last frame ends; in 802.16 the frame itself.
    pub end_ns: u64,
    /// What the time from `idle_since_ns` to `end_ns` consists of, in order of time.
    pub parts: Vec<AccessPart>,
    /// The slots in which nodes count down.
    pub slots: AccessSlots,
    /// The nodes that count down, in order of node; with EDCA their categories.
    pub contenders: Vec<Contender>,
    /// Who transmits after a backoff, in order of node: several in a collision. None in 802.16.
    pub attempts: Vec<TracedAttempt>,
    /// The frames, in order of their beginning; those of a collision in order of node.
    pub frames: Vec<TracedFrame>,
    /// The nodes that give packets up: a MAC at its retry limit, or a station with a bandwidth request.
    pub given_up: Vec<GivenUp>,
    /// The packets that the MAC of the access point has taken from its queue before and not sent as a whole.
    pub ap_sends: Vec<TracedPacket>,
    /// The queues of the access point: one; or one for each station, of which those are listed in which
    /// packets wait.
    pub ap_queues: Vec<TracedQueue>,
    /// What these have dropped since the access before, or since the air trace begins: the first of
    /// them.
    pub drops: Vec<TracedDrop>,
    /// How many packets that are.
    pub dropped: u64,
    /// The TCP senders whose state has changed since the access before; in the first access all.
    pub senders: Vec<TracedSender>,
    /// Packets that wait at wired links or are under way on them.
    pub wired: WiredPackets,
}

/// A part of the time of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AccessPart {
    /// What it is.
    pub kind: PartKind,
    /// When it begins: at the end of the part before.
    pub start_ns: u64,
    /// When it ends.
    pub end_ns: u64,
}

/// What a part of the time of an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// 802.11: DIFS, with EDCA the shortest AIFS of the cell.
    Difs,
    /// 802.11: nobody has a frame, or all wait for a response timeout or EIFS.
    Idle,
    /// 802.11: the slots that the transmitter has counted since; of several transmitters the most.
    Backoff,
    /// 802.11: frames without the last acknowledgement, and the spaces between them. Of frames that overlap, the
    /// longest.
    Frames,
    /// 802.11: the SIFS before the acknowledgement.
    Sifs,
    /// 802.11: the acknowledgement, or the Block Ack, with which the access ends.
    Ack,
    /// 802.16: preamble, FCH, maps, and DCD and UCD where the frame has them.
    Broadcast,
    /// 802.16: the symbols for downlink bursts.
    Downlink,
    /// 802.16: TTG, or RTG with what is left of the frame.
    Gap,
    /// 802.16: the ranging region.
    Ranging,
    /// 802.16: the region of bandwidth requests.
    Requests,
    /// 802.16: the symbols for uplink bursts.
    Uplink,
}

/// The slots of an idle period of an 802.11 medium, from the end of DIFS to the access; or the request
/// opportunities of an 802.16 frame, which divide their region evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AccessSlots {
    /// The beginning of the first.
    pub start_ns: u64,
    /// The end of the last.
    pub end_ns: u64,
    /// How many.
    pub count: u64,
}

/// A node, or one of its access categories, that counts down before an access: slots, or opportunities to send a
/// bandwidth request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Contender {
    /// The node.
    pub node: u32,
    /// With EDCA the category, "be", "bk", "vi" or "vo"; absent of the beacons of the access point.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// An attempt to deliver a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TracedAttempt {
    /// The transmitter.
    pub node: u32,
    /// With EDCA the category; absent of a beacon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<AccessCategory>,
    /// The receiver; none of a beacon.
    pub to: Option<u32>,
    /// The packet, with EDCA the first of several; none of a BlockAckReq.
    pub packet: Option<TracedPacket>,
    /// The contention window, slots.
    pub cw: u32,
    /// The backoff drawn for this attempt, slots.
    pub backoff: u32,
    /// Whether the packet has been received already, and only its acknowledgement was lost.
    pub repeats: bool,
    /// Whether it is acknowledged. Of a beacon: whether it meets no other frame.
    pub delivered: bool,
}

/// A node that gives packets up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GivenUp {
    /// The node.
    pub node: u32,
    /// How many.
    pub packets: u64,
}

/// A frame on the air, a burst, or a bandwidth request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedFrame {
    /// What it is.
    pub kind: FrameKind,
    /// The transmitter.
    pub from: u32,
    /// The receiver; none of a beacon or CF-End. Of a CTS that protects a frame, its transmitter.
    pub to: Option<u32>,
    /// When its preamble begins; of a request its opportunity.
    pub start_ns: u64,
    /// Its end.
    pub end_ns: u64,
    /// Its rate.
    pub rate_bps: u64,
    /// Bytes on the air, with MAC header and FCS; of a burst those of its PDUs.
    pub bytes: u32,
    /// How often it has been sent before; with EDCA failures of its category since the last success.
    pub retries: u32,
    /// What becomes of it. A burst is corrupted if one of its PDUs is, data with EDCA if all MPDUs are.
    pub fate: FrameFate,
    /// The packets, or fragments of packets, that it carries, in order: the first of them.
    pub carries: Vec<TracedPdu>,
    /// How many these are.
    pub pdus: u32,
    /// Bytes for which a bandwidth request asks, which a burst may have as well.
    pub asks_for: Option<u32>,
    /// What it has with EDCA alone; absent also of a beacon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qos: Option<TracedQosFrame>,
}

/// What a frame has with EDCA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedQosFrame {
    /// The category of the exchange.
    pub category: AccessCategory,
    /// Its MCS; absent without one, as of most control frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// How it carries MPDUs.
    pub psdu: PsduKind,
    /// Of a BlockAckReq and a Block Ack: what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_ack: Option<TracedBlockAck>,
}

/// How a PPDU carries MPDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PsduKind {
    /// It has one.
    Mpdu,
    /// It has one, in an A-MPDU.
    SMpdu,
    /// It has an A-MPDU.
    AMpdu,
}

/// What a Block Ack says, or where that begins for which a BlockAckReq asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedBlockAck {
    /// The first sequence number.
    pub start: u16,
    /// From there on, "1" for each MPDU that has been received and "0" for others: 64 or 256. Empty of a BlockAckReq.
    pub bitmap: String,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FrameKind {
    /// 802.11: request to send.
    Rts,
    /// 802.11: clear to send.
    Cts,
    /// 802.11: data.
    Data,
    /// 802.11: acknowledgement.
    Ack,
    /// 802.11: Block Ack.
    #[serde(rename = "block-ack")]
    BlockAck,
    /// 802.11: BlockAckReq, which asks for a Block Ack.
    #[serde(rename = "block-ack-req")]
    BlockAckReq,
    /// 802.11: CF-End, which ends a TXOP.
    #[serde(rename = "cf-end")]
    CfEnd,
    /// 802.11: beacon.
    Beacon,
    /// 802.16: a burst.
    Burst,
    /// 802.16: a bandwidth request in contention.
    Request,
}

/// What becomes of a frame or PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FrameFate {
    /// Its receiver decodes it. Of a beacon: it meets no other frame.
    Received,
    /// It meets another frame.
    Collided,
    /// A channel or loss model corrupts it.
    Corrupted,
}

/// A packet in a frame, or a fragment of one. Packets of an A-MSDU have the same sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TracedPdu {
    /// The packet.
    pub packet: TracedPacket,
    /// Bytes on the air, with headers; with each packet of an A-MSDU those of the whole.
    pub bytes: u32,
    /// Its end; in 802.16 and with EDCA that of its last symbol.
    pub end_ns: u64,
    /// Whether the packet begins with it.
    pub is_first: bool,
    /// Whether the packet ends with it.
    pub is_last: bool,
    /// What becomes of it.
    pub fate: FrameFate,
    /// What it has with EDCA alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qos: Option<TracedQosPdu>,
}

/// What an MPDU has with EDCA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TracedQosPdu {
    /// Its sequence number, counted for each link and category.
    pub sequence: u16,
    /// Whether it has been transmitted before.
    pub retry: bool,
    /// Whether it has been received already, and only its acknowledgement was lost.
    pub repeats: bool,
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TracedPacket {
    /// Its flow, also of an acknowledgement; none of a beacon.
    pub flow: Option<u32>,
    /// "data", "ack", "syn", "syn-ack", "datagram", "request", "beacon" or "report".
    #[serde(serialize_with = "packet_kind")]
    pub kind: PacketKind,
    /// Position in the sequence space of the connection, bytes: of data the first payload byte, of an
    /// acknowledgement the next byte that is expected.
    pub seq: u64,
    /// Bytes at IP level; of a beacon, of the frame.
    pub bytes: u32,
    /// Whether TCP has sent the payload before.
    pub retransmission: bool,
}

/// A queue of the access point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedQueue {
    /// The node of its station, if it is the queue of one.
    pub station: Option<u32>,
    /// The category of its packets, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<AccessCategory>,
    /// How many packets wait.
    pub waiting: u32,
    /// The first of them, in the order in which they would leave if none arrived and none were dropped.
    /// Of a Python class in order of arrival.
    pub packets: Vec<TracedPacket>,
}

/// A packet that a queue has dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TracedDrop {
    /// The packet.
    pub packet: TracedPacket,
    /// "on-arrival", "on-departure", "evicted" or "superseded".
    #[serde(serialize_with = "drop_reason")]
    pub reason: DropReason,
}

/// The state of a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TracedSender {
    /// The flow.
    pub flow: u32,
    /// The congestion window, segments.
    pub cwnd: f64,
    /// The slow-start threshold, segments; none before the first loss if it is unlimited.
    pub ssthresh: Option<f64>,
    /// Segments that are sent and not acknowledged. After a timeout they are counted anew.
    pub in_flight: f64,
    /// The receiver's window, segments.
    pub receive_window: u32,
    /// What holds it back, as the keys of `limited_by` in results: "receive_window", "cwnd", "recovery",
    /// "timeout", "application", "small_queue", "pacing" or "bandwidth_probing".
    #[serde(serialize_with = "limit")]
    pub limited_by: Limit,
}

/// Packets in the wired network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WiredPackets {
    /// On their way to the access point.
    pub to_access_point: usize,
    /// On their way to a host.
    pub to_hosts: usize,
}

/// The name of a type of packets.
fn packet_kind<S: Serializer>(kind: &PacketKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match kind {
        PacketKind::Data => "data",
        PacketKind::Ack => "ack",
        PacketKind::Syn => "syn",
        PacketKind::SynAck => "syn-ack",
        PacketKind::Datagram => "datagram",
        PacketKind::Request => "request",
        PacketKind::Beacon => "beacon",
        PacketKind::Report => "report",
    })
}

fn drop_reason<S: Serializer>(reason: &DropReason, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match reason {
        DropReason::OnArrival => "on-arrival",
        DropReason::OnDeparture => "on-departure",
        DropReason::Evicted => "evicted",
        DropReason::Superseded => "superseded",
    })
}

fn limit<S: Serializer>(limit: &Limit, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match limit {
        Limit::ReceiveWindow => "receive_window",
        Limit::Cwnd => "cwnd",
        Limit::Recovery => "recovery",
        Limit::Timeout => "timeout",
        Limit::Application => "application",
        Limit::SmallQueue => "small_queue",
        Limit::Pacing => "pacing",
        Limit::BandwidthProbing => "bandwidth_probing",
    })
}
