//! RTP and RTCP of TFRC (draft-ietf-avt-tfrc-profile-10): data with a header extension of one element
//! (RFC 3550 section 5.3.1, RFC 8285 section 4.2), and transport feedback (RFC 4585 section 6.1) without
//! other RTCP packets (RFC 5506).

use evenair_core::packet::Packet;
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::PacketOption;
use evenair_core::transport::{DataHeader, Report};

const VERSION: u8 = 2 << 6;
const EXTENSION: u8 = 1 << 4;
/// A dynamic payload type (RFC 3551 section 6).
const PAYLOAD_TYPE: u8 = 96;
/// Of video (RFC 3551 section 5).
const CLOCK_RATE: u128 = 90_000;
/// The profile of one-byte headers, and the length of the extension in words.
const ONE_BYTE_HEADERS: [u8; 4] = [0xBE, 0xDE, 0, 2];
/// Identifier 1, seven bytes: 24 bits of R and 32 of the time of sending, microseconds.
const ELEMENT: u8 = 1 << 4 | (7 - 1);
const DATA_BYTES: u32 = 12 + 4 + 8;

/// Message type 2 of transport feedback; the length in words less one.
const FEEDBACK: [u8; 4] = [VERSION | 2, 205, 0, 6];
const FEEDBACK_BYTES: u32 = 28;

/// The bytes that [`write`] appends.
pub(super) fn length(option: Option<&PacketOption>) -> u32 {
    match option {
        Some(PacketOption::TfrcData(_)) => DATA_BYTES,
        Some(PacketOption::TfrcReport(_)) => FEEDBACK_BYTES,
        _ => 0,
    }
}

/// Appends what precedes the payload.
pub(super) fn write(packet: &Packet, option: Option<&PacketOption>, out: &mut Vec<u8>) {
    // An arbitrary identifier for each end.
    let source = packet.flow.0.wrapping_mul(2);
    match option {
        Some(PacketOption::TfrcData(header)) => write_data(packet, header, source, out),
        Some(PacketOption::TfrcReport(report)) => write_report(report, source, out),
        _ => {}
    }
}

fn write_data(packet: &Packet, header: &DataHeader, source: u32, out: &mut Vec<u8>) {
    let number = packet.seq / u64::from(packet.payload.max(1));
    let ticks = u128::from(header.sent.as_nanos()) * CLOCK_RATE / 1_000_000_000;
    out.extend([VERSION | EXTENSION, PAYLOAD_TYPE]);
    out.extend((number as u16).to_be_bytes());
    out.extend((ticks as u32).to_be_bytes());
    out.extend(source.to_be_bytes());
    out.extend(ONE_BYTE_HEADERS);
    out.push(ELEMENT);
    out.extend(&micros(header.rtt.unwrap_or(Duration::ZERO)).to_be_bytes()[1..]);
    out.extend(time(header.sent).to_be_bytes());
}

fn write_report(report: &Report, source: u32, out: &mut Vec<u8>) {
    out.extend(FEEDBACK);
    out.extend((source + 1).to_be_bytes());
    out.extend(source.to_be_bytes());
    out.extend(time(report.timestamp).to_be_bytes());
    out.extend(micros(report.delay).to_be_bytes());
    out.extend((report.receive_rate.round() as u32).to_be_bytes());
    out.extend(((report.loss_event_rate * f64::from(u32::MAX)).round() as u32).to_be_bytes());
}

/// Microseconds, modulo 2^32.
fn time(at: Instant) -> u32 {
    (at.as_nanos() / 1000) as u32
}

fn micros(span: Duration) -> u32 {
    (span.as_nanos() / 1000) as u32
}
