//! Frames of cells with EDCA: QoS data, Block Acks and what goes with them (IEEE 802.11-2020 clause 9).

use evenair_core::packet::AccessCategory;

use super::headers::{ETHERTYPE_IPV4, GATEWAY_MAC, Segment, station_mac};
use super::mac_header::{BROADCAST, FROM_DS, LLC_SNAP, Node, RETRY, TO_DS, mac};
use super::radiotap::AMpduStatus;

/// A frame of a cell with EDCA, other than those that every cell has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QosFrame<'a> {
    /// Data with QoS Control (9.3.2.1).
    Data(QosData<'a>),
    /// A compressed BlockAckReq (9.3.1.7.2).
    BlockAckReq {
        /// The transmitter.
        from: Node,
        /// The receiver.
        to: Node,
        /// The TID of the agreement.
        tid: u8,
        /// Starting Sequence Number.
        start: u16,
    },
    /// A compressed Block Ack (9.3.1.8.2).
    BlockAck {
        /// The transmitter.
        from: Node,
        /// The receiver.
        to: Node,
        /// The TID of the agreement.
        tid: u8,
        /// Starting Sequence Number.
        start: u16,
        /// The bitmap: 1 word of 64 MPDUs, or 4 (802.11ax-2021).
        bitmap: &'a [u64],
    },
    /// A CF-End, which ends the TXOP of its transmitter (9.3.1.6).
    CfEnd {
        /// The transmitter.
        from: Node,
    },
}

/// A QoS data frame: ToDS from a station, FromDS from the access point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QosData<'a> {
    /// Its packet, or the packets of an A-MSDU: at least one. Their direction determines transmitter and receiver.
    pub segments: &'a [Segment],
    /// The TID.
    pub tid: u8,
    /// The Retry bit: this is a retransmission by the MAC.
    pub retry: bool,
    /// The sequence number, of which 12 bits are written.
    pub sequence: u16,
    /// Its place, if it is transmitted in an A-MPDU.
    pub a_mpdu: Option<AMpduStatus>,
}

/// The TID of packets in `category`: the lower of its two user priorities (table 10-1).
pub const fn tid(category: AccessCategory) -> u8 {
    match category {
        AccessCategory::BestEffort => 0,
        AccessCategory::Background => 1,
        AccessCategory::Video => 4,
        AccessCategory::Voice => 6,
    }
}

/// First byte of the Frame Control field (9.2.4.1).
const QOS_DATA: u8 = 0x88;
const BLOCK_ACK_REQ: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
const CF_END: u8 = 0xE4;
/// QoS Control: an A-MSDU is present (table 9-10). The Ack Policy is Normal Ack, in A-MPDUs Implicit BAR: 0.
const A_MSDU_PRESENT: u8 = 1 << 7;
/// BAR Control and BA Control: type Compressed (tables 9-28 and 9-30). The TID has the highest bits.
const COMPRESSED: u16 = 2 << 1;
/// The Fragment Number of a Block Ack with a bitmap of 32 bytes (802.11ax-2021 table 9-30a).
const OF_32_BYTES: u16 = 4;
/// Header of an A-MSDU subframe, and what subframes are padded to but for the last (9.3.2.2.2).
const SUBFRAME_HEADER: usize = 14;
const ALIGNMENT: usize = 4;

impl QosFrame<'_> {
    /// The packet comment of the capture; empty for most packets.
    pub(super) fn comment(&self) -> &'static str {
        let QosFrame::Data(data) = self else { return "" };
        data.segments.iter().map(Segment::comment).find(|comment| !comment.is_empty()).unwrap_or("")
    }

    /// Its place in an A-MPDU.
    pub(super) fn a_mpdu(&self) -> Option<AMpduStatus> {
        if let QosFrame::Data(data) = self { data.a_mpdu } else { None }
    }

    /// Whether a station has transmitted it, as data.
    pub(super) fn is_up(&self) -> bool {
        matches!(self, QosFrame::Data(data) if data.segments.first().is_some_and(|first| first.up))
    }
}

/// Appends the frame's headers; returns the length of the frame without FCS.
pub(super) fn write(frame: &QosFrame<'_>, duration_us: u16, out: &mut Vec<u8>) -> u32 {
    let begin = out.len();
    let mut header = |kind: u8, flags: u8, receiver: [u8; 6], transmitter: [u8; 6]| {
        out.extend([kind, flags]);
        out.extend(duration_us.to_le_bytes());
        out.extend(receiver);
        out.extend(transmitter);
    };
    match *frame {
        QosFrame::BlockAckReq { from, to, tid, start } => {
            header(BLOCK_ACK_REQ, 0, mac(to), mac(from));
            out.extend((COMPRESSED | u16::from(tid) << 12).to_le_bytes());
            out.extend((start << 4).to_le_bytes());
        }
        QosFrame::BlockAck { from, to, tid, start, bitmap } => {
            header(BLOCK_ACK, 0, mac(to), mac(from));
            out.extend((COMPRESSED | u16::from(tid) << 12).to_le_bytes());
            let fragment = if bitmap.len() > 1 { OF_32_BYTES } else { 0 };
            out.extend((start << 4 | fragment).to_le_bytes());
            out.extend(bitmap.iter().flat_map(|word| word.to_le_bytes()));
        }
        // Its second address is that of the BSSID, or of the holder of the TXOP.
        QosFrame::CfEnd { from } => header(CF_END, 0, BROADCAST, mac(from)),
        QosFrame::Data(QosData { segments, tid, retry, sequence, .. }) => {
            let Some(first) = segments.first() else { return 0 };
            let station = station_mac(first.station);
            // As in frames without QoS: the access point is the gateway.
            let (ds, receiver, transmitter) = if first.up {
                (TO_DS, GATEWAY_MAC, station)
            } else {
                (FROM_DS, station, GATEWAY_MAC)
            };
            let flags = ds | if retry { RETRY } else { 0 };
            header(QOS_DATA, flags, receiver, transmitter);
            out.extend(GATEWAY_MAC);
            out.extend((sequence << 4).to_le_bytes()); // fragment 0
            let is_a_msdu = segments.len() > 1;
            out.extend([tid | if is_a_msdu { A_MSDU_PRESENT } else { 0 }, 0]);
            if is_a_msdu {
                return write_a_msdu(segments, receiver, transmitter, begin, out);
            }
            let msdu = out.len();
            return (msdu - begin) as u32 + write_msdu(first, out);
        }
    }
    (out.len() - begin) as u32
}

/// LLC/SNAP and the headers of a packet. Returns its length with payload.
fn write_msdu(segment: &Segment, out: &mut Vec<u8>) -> u32 {
    out.extend(LLC_SNAP);
    out.extend(ETHERTYPE_IPV4);
    LLC_SNAP.len() as u32 + ETHERTYPE_IPV4.len() as u32 + segment.write(!segment.up, out)
}

/// Subframes, all but the last with their payloads, which are zeros. Returns the length of the frame, which begins at
/// `begin`.
fn write_a_msdu(
    segments: &[Segment],
    destination: [u8; 6],
    source: [u8; 6],
    begin: usize,
    out: &mut Vec<u8>,
) -> u32 {
    let (body, mut end) = (out.len(), out.len());
    for segment in segments {
        // What is before it is complete.
        out.resize(body + (end - body).next_multiple_of(ALIGNMENT), 0);
        let subframe = out.len();
        out.extend(destination);
        out.extend(source);
        out.extend([0, 0]); // length, set below
        let length = write_msdu(segment, out);
        let field = subframe + SUBFRAME_HEADER - 2;
        out[field..field + 2].copy_from_slice(&(length as u16).to_be_bytes());
        end = subframe + SUBFRAME_HEADER + length as usize;
    }
    (end - begin) as u32
}
