//! Frames of cells with EDCA, byte by byte: by hand from radiotap.org and IEEE 802.11-2020 clause 9.

use evenair_core::medium::wlan::EDCA_WMM;
use evenair_core::medium::{Mcs, PhyFormat, TxVector};
use evenair_core::packet::{AccessCategory, PacketKind};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

use super::qos::{QosData, QosFrame, tid};
use super::radiotap::{self, AMpduStatus};
use super::tests::{packets, segment};
use super::{AirPhy, AirWriter, MacFrame, Node};

fn mode(format: PhyFormat, mcs: u8, width: u32, streams: u8, gi_ns: u64) -> TxVector {
    let gi = Duration::from_nanos(gi_ns);
    TxVector::high_throughput(format, Mcs(mcs), width, streams, gi).unwrap()
}

fn phy(is_at_2_ghz: bool, has_ldpc: bool) -> AirPhy {
    let mode = mode(PhyFormat::He, 0, 20, 1, 800);
    AirPhy::HighThroughput { mode, is_at_2_ghz, has_ldpc, access: EDCA_WMM }
}

fn header(phy: AirPhy, mode: &TxVector, a_mpdu: Option<AMpduStatus>, is_up: bool) -> Vec<u8> {
    let mut out = Vec::new();
    assert_eq!(radiotap::write(phy, mode, a_mpdu, is_up, &mut out) as usize, out.len());
    out
}

/// Flags and channel (bits 1 and 3), A-MPDU status (20).
const PRESENT: u32 = 1 << 1 | 1 << 3;
const A_MPDU: u32 = 1 << 20;

/// Version, pad, length, present; flags and a pad, 5180 MHz with OFDM at 5 GHz.
fn begin(length: u8, present: u32) -> Vec<u8> {
    let [a, b, c, d] = present.to_le_bytes();
    vec![0, 0, length, 0, a, b, c, d, 0, 0, 0x3C, 0x14, 0x40, 0x01]
}

const FIRST: AMpduStatus = AMpduStatus { reference: 7, is_last: false, is_single: false };

/// MCS 15 is MCS 7 with two streams. 40 MHz is 1, a short guard interval 4, LDPC 16.
#[test]
fn ht_has_an_mcs_field() {
    let wide = mode(PhyFormat::Ht, 7, 40, 2, 400);
    let mut expected = begin(17, PRESENT | 1 << 19);
    expected.extend([0x3F, 0x01 | 0x04 | 0x10, 15]);
    assert_eq!(header(phy(false, true), &wide, None, false), expected);
    // The status is at a multiple of 4; the last is known.
    let narrow = mode(PhyFormat::Ht, 3, 20, 1, 800);
    let mut expected = begin(28, PRESENT | A_MPDU | 1 << 19);
    expected.extend([0x3F, 0, 3, 0, 0, 0, 7, 0, 0, 0, 0x04, 0, 0, 0]);
    assert_eq!(header(phy(false, false), &narrow, Some(FIRST), false), expected);
    let last = AMpduStatus { is_last: true, ..FIRST };
    expected[24] = 0x0C;
    assert_eq!(header(phy(false, false), &narrow, Some(last), false), expected);
}

/// Bandwidth 11 is 160 MHz, 4 is 80. MCS in the high half, streams in the low half of the first user.
#[test]
fn vht_has_a_field_for_users() {
    let mut expected = begin(36, PRESENT | A_MPDU | 1 << 21);
    expected.extend([0, 0, 7, 0, 0, 0, 0xCC, 0, 0, 0]); // EOF is known and set, and it is the last
    expected.extend([0x65, 0, 0x04, 11, 0x82, 0, 0, 0, 1, 0, 0, 0]);
    let single = AMpduStatus { reference: 7, is_last: true, is_single: true };
    let wide = mode(PhyFormat::Vht, 8, 160, 2, 400);
    assert_eq!(header(phy(false, true), &wide, Some(single), false), expected);
    let long = mode(PhyFormat::Vht, 1, 80, 1, 800);
    let found = header(phy(false, false), &long, Some(FIRST), false);
    assert_eq!(found[20..22], [0x84, 0], "EOF is known and not set");
    assert_eq!(found[24..], [0x65, 0, 0, 4, 0x11, 0, 0, 0, 0, 0, 0, 0]);
}

/// Of an uplink with MCS 11 and LDPC data 3 is 0x80 + 0xB00 + 0x2000. Data 5 has 80 MHz (2), 1.6 us (1 at bit 4), LTFs of
/// type 2x (2 at bit 6), 4 of them (2 at bit 8).
#[test]
fn he_has_six_words() {
    let up = mode(PhyFormat::He, 11, 80, 3, 1600);
    let mut expected = begin(36, PRESENT | A_MPDU | 1 << 23);
    expected.extend([0, 0, 7, 0, 0, 0, 0x84, 0, 0, 0]);
    let words: [u16; 6] = [0x42F0, 0x0006, 0x2B80, 0, 0x0292, 3];
    expected.extend(words.into_iter().flat_map(u16::to_le_bytes));
    assert_eq!(header(phy(false, true), &up, Some(FIRST), true), expected);
    // The longest guard interval (2) has LTFs of type 4x (3). Eight streams have 8 (4).
    let down = mode(PhyFormat::He, 0, 160, 8, 3200);
    let found = header(phy(false, false), &down, Some(FIRST), false);
    let words: [u16; 6] = [0x42F0, 0x0006, 0, 0, 0x04E3, 8];
    assert_eq!(found[24..], words.map(u16::to_le_bytes).concat());
}

#[test]
fn control_frames_have_a_rate_of_ofdm() {
    let slow = TxVector::ofdm(Rate::from_mbps(24));
    let at_5 = header(phy(false, true), &slow, None, false);
    assert_eq!(at_5, [0, 0, 14, 0, 0x0E, 0, 0, 0, 0, 48, 0x3C, 0x14, 0x40, 1]);
    assert_eq!(header(phy(true, true), &slow, None, false)[10..], [0x85, 0x09, 0xC0, 0]);
}

/// The frame behind radiotap, captured and original length.
fn frame(frame: QosFrame<'_>) -> (Vec<u8>, u32) {
    let mut writer = AirWriter::new(Vec::new(), phy(false, true)).unwrap();
    let slow = TxVector::ofdm(Rate::from_mbps(24));
    writer.frame(Instant::ZERO, &slow, 44, &MacFrame::Qos(frame)).unwrap();
    let file = writer.finish().unwrap();
    let packet = &packets(&file)[0];
    (packet.bytes[14..].to_vec(), packet.original - 14)
}

const AP: [u8; 6] = [2, 0, 0, 0, 0, 2];
const STATION: [u8; 6] = [2, 0, 0, 1, 0, 3];

/// Control: compressed is type 2 at bit 1; the TID is at bit 12. The number of a fragment says that a bitmap has 32 bytes.
#[test]
fn block_acks_are_compressed() {
    let (from, to) = (Node::AccessPoint, Node::Station(2));
    let header = |kind| [&[kind, 0, 44, 0], &STATION[..], &AP].concat();
    let request = QosFrame::BlockAckReq { from, to, tid: 6, start: 0x123 };
    let expected = [&header(0x84)[..], &[0x04, 0x60, 0x30, 0x12]].concat();
    assert_eq!(frame(request), (expected, 20));
    let said = QosFrame::BlockAck { from, to, tid: 1, start: 0xFFF, bitmap: &[0b101] };
    let expected = [&header(0x94)[..], &[0x04, 0x10, 0xF0, 0xFF, 5, 0, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(frame(said), (expected, 28));
    let long = QosFrame::BlockAck { from, to, tid: 0, start: 1, bitmap: &[0, 0, 0, 1 << 63] };
    let (bytes, length) = frame(long);
    assert_eq!((&bytes[16..20], bytes[51], length), (&[0x04, 0, 0x14, 0][..], 0x80, 52));
    let end = [&[0xE4, 0, 44, 0][..], &[0xFF; 6], &STATION].concat();
    assert_eq!(frame(QosFrame::CfEnd { from: to }), (end, 16));
}

/// 26 bytes of header, 8 of LLC/SNAP. An A-MSDU of two has subframes of 14 + 8 + 1,500 bytes, of which the first is padded
/// to 1,524.
#[test]
fn qos_data_has_subframes_if_it_has_several_packets() {
    let segments = [0, 1460].map(|seq| segment(PacketKind::Data, true, seq, 1460));
    let data = |segments| {
        let a_mpdu = Some(FIRST);
        frame(QosFrame::Data(QosData { segments, tid: 4, retry: true, sequence: 0x1234, a_mpdu }))
    };
    let mut writer = AirWriter::new(Vec::new(), phy(false, true)).unwrap();
    let slow = TxVector::ofdm(Rate::from_mbps(24));
    let one =
        QosData { segments: &segments[..1], tid: 4, retry: true, sequence: 0x1234, a_mpdu: None };
    writer.frame(Instant::ZERO, &slow, 44, &MacFrame::Qos(QosFrame::Data(one))).unwrap();
    let file = writer.finish().unwrap();
    let packet = &packets(&file)[0];
    let header = [&[0x88, 0x09, 44, 0][..], &AP, &STATION, &AP, &[0x40, 0x23]].concat();
    let llc = [0xAA, 0xAA, 3, 0, 0, 0, 8, 0];
    assert_eq!(packet.bytes[14..14 + 34], [&header[..], &[4, 0], &llc].concat());
    assert_eq!((packet.bytes.len(), packet.original), (14 + 34 + 40, 14 + 34 + 1500));
    // With an A-MPDU status behind the rate: 24 bytes of radiotap, of which `frame` has cut off 14.
    let (bytes, length) = data(&segments);
    let bytes = &bytes[10..];
    assert_eq!(length - 10, 26 + 1524 + 1522);
    assert_eq!(bytes.len(), 26 + 1524 + 14 + 8 + 40);
    assert_eq!(bytes[..26], [&header[..], &[0x84, 0]].concat());
    for (place, subframe) in [26, 26 + 1524].into_iter().enumerate() {
        let expected = [&AP[..], &STATION, &1508_u16.to_be_bytes(), &llc].concat();
        assert_eq!(bytes[subframe..subframe + 22], expected, "{place}");
    }
    assert!(bytes[26 + 22 + 40..26 + 1524].iter().all(|byte| *byte == 0));
}

/// Table 10-1: user priorities 1 and 2 are background, 0 and 3 best effort, 4 and 5 video, 6 and 7 voice.
#[test]
fn tids_are_user_priorities() {
    assert_eq!(AccessCategory::ALL.map(tid), [0, 1, 4, 6]);
}
