//! Timestamps (RFC 7323): each expected value is from the RFC's text, by hand.

use super::*;
use crate::packet::{Packet, PacketKind};
use crate::transport::{Output, PacketOption, TcpOptions, Timestamps};

fn with_timestamps() -> TcpConfig {
    TcpConfig { timestamps: Some(true), ..plain() }
}

#[derive(Debug, Default)]
struct Sent(Vec<(Packet, Option<TcpOptions>)>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        let options = match option {
            Some(PacketOption::Tcp(options)) => Some(*options),
            _ => None,
        };
        self.0.push((*packet, options));
    }
}

impl Sent {
    /// Of the segments since the last call: position, TSval and TSecr in milliseconds.
    fn take(&mut self) -> Vec<(u64, u64, Option<u64>)> {
        let ms = |at: Instant| at.as_nanos() / 1_000_000;
        let of = |(packet, options): (Packet, Option<TcpOptions>)| {
            let Timestamps { value, echo } = options.unwrap().timestamps.unwrap();
            (packet.seq, ms(value), echo.map(ms))
        };
        self.0.drain(..).map(of).collect()
    }
}

fn option(value: u64, echo: Option<u64>) -> Option<PacketOption> {
    let timestamps = Some(Timestamps { value: at(value), echo: echo.map(at) });
    Some(PacketOption::Tcp(TcpOptions { timestamps, ..TcpOptions::default() }))
}

/// A receiver that has opened a connection and gets segments by number, each of `SEGMENT` bytes, sent at a time and
/// arriving 10 ms later. Returns the segments expected next and the TSecr of the ACKs.
fn echoes(delayed_ack: u32, segments: &[(u64, u64)]) -> Vec<(u64, Option<u64>)> {
    let config = connection_config(with_timestamps(), delayed_ack);
    let (mut end, mut out) = (ReceivingEnd::new(&config, HEADERS[1]), Sent::default());
    end.open(at(0), 0, u64::MAX, &mut out);
    end.on_packet(
        at(10),
        &HEADERS[0].packet(at(0), PacketKind::Syn, 0, 0),
        option(0, None).as_ref(),
        &mut out,
    );
    assert_eq!(out.take(), [(0, 10, Some(0))]);
    let mut acks = Vec::new();
    for &(number, sent) in segments {
        let data = HEADERS[0].packet(at(sent), PacketKind::Data, SEGMENT as u32, number * SEGMENT);
        end.on_packet(at(sent + 10), &data, option(sent, Some(10)).as_ref(), &mut out);
        acks.extend(out.take().into_iter().map(|(seq, value, echo)| {
            assert_eq!(value, sent + 10);
            (seq / SEGMENT, echo)
        }));
    }
    acks
}

/// Section 4.3, example (A): delayed ACKs echo the first segment that they cover.
#[test]
fn a_delayed_ack_echoes_the_earliest_segment() {
    let acks = echoes(3, &[(0, 1), (1, 2), (2, 3)]);
    assert_eq!(acks, [(3, Some(1))]);
}

/// Example (B): what has arrived beyond a hole is not echoed, what fills it is.
#[test]
fn an_ack_echoes_what_advances_the_window() {
    let acks = echoes(1, &[(0, 1), (2, 3), (1, 2), (4, 5), (3, 4)]);
    assert_eq!(acks, [(1, Some(1)), (1, Some(1)), (3, Some(2)), (3, Some(2)), (5, Some(4))]);
}

/// A sender whose SYN of 0 ms was answered at 100 ms: SRTT 100, RTTVAR 50, RTO 300 ms.
fn opened(tcp: TcpConfig) -> (SendingEnd, Sent) {
    let config = connection_config(tcp, 1);
    let (mut end, mut out) = (SendingEnd::new(&config, newreno(), HEADERS[0]), Sent::default());
    end.open(at(0), 0, u64::MAX, &mut out);
    assert_eq!(out.take(), [(0, 0, None)]);
    let syn_ack = HEADERS[1].packet(at(50), PacketKind::SynAck, 0, 0);
    end.on_packet(at(100), &syn_ack, option(50, Some(0)).as_ref(), &mut out);
    (end, out)
}

fn acknowledge(end: &mut SendingEnd, out: &mut Sent, now: u64, segments: u64, echo: u64) {
    let ack = HEADERS[1].packet(at(now - 50), PacketKind::Ack, 0, segments * SEGMENT);
    end.on_packet(at(now), &ack, option(now - 50, Some(echo)).as_ref(), out);
}

/// Section 4.1: the ACK of a retransmission gives a round-trip time, and so ends the back-off. Data echo the last
/// timestamp of the receiver.
#[test]
fn a_retransmission_gives_a_round_trip_time() {
    let (mut end, mut out) = opened(with_timestamps());
    assert_eq!(out.take(), [(0, 100, Some(50))]);
    assert_eq!(end.poll_at(), at(400));
    end.on_timer(at(400), &mut out);
    assert_eq!(out.take(), [(0, 400, Some(50))]);
    assert_eq!(end.rtt_estimator().rto(), Duration::from_millis(600));
    acknowledge(&mut end, &mut out, 500, 1, 400);
    // RTTVAR 3/4 50 = 37.5
    assert_eq!(end.rtt_estimator().rto(), Duration::from_millis(250));
    assert_eq!(end.rtt_estimator().total().0, 2);
    assert!(out.take().iter().all(|&(_, value, echo)| (value, echo) == (500, Some(450))));
}

/// The same without timestamps: the back-off stays (Karn).
#[test]
fn without_timestamps_a_retransmission_gives_none() {
    let config = connection_config(plain(), 1);
    let (mut end, mut out) = (SendingEnd::new(&config, newreno(), HEADERS[0]), Sent::default());
    end.open(at(0), 0, u64::MAX, &mut out);
    end.on_packet(at(100), &HEADERS[1].packet(at(50), PacketKind::SynAck, 0, 0), None, &mut out);
    end.on_timer(at(400), &mut out);
    end.on_packet(
        at(500),
        &HEADERS[1].packet(at(450), PacketKind::Ack, 0, SEGMENT),
        None,
        &mut out,
    );
    assert!(out.0.iter().all(|(_, options)| options.is_none()));
    assert_eq!(end.rtt_estimator().rto(), Duration::from_millis(600));
    assert_eq!(end.rtt_estimator().total().0, 1);
}

/// Section 4.1: an ACK that acknowledges nothing new gives no round-trip time.
#[test]
fn a_duplicate_ack_gives_no_round_trip_time() {
    let (mut end, mut out) = opened(with_timestamps());
    acknowledge(&mut end, &mut out, 200, 1, 100);
    acknowledge(&mut end, &mut out, 300, 1, 100);
    acknowledge(&mut end, &mut out, 400, 1, 100);
    let total = (2, Duration::from_millis(200)); // of the SYN and of the first segment
    assert_eq!(end.rtt_estimator().total(), total);
}

/// Timestamps and three SACK blocks take 12 + 4 + 24 bytes of the 40 (RFC 2018 section 3).
#[test]
fn three_sack_blocks_fit_beside_timestamps() {
    for (timestamps, blocks) in [(None, 4), (Some(true), 3)] {
        let config = TcpConfig { sack: true, timestamps, ..plain() };
        let mut receiver = receiver_of(config, 1);
        for number in [2, 4, 6, 8, 10] {
            receiver.on_segment(at(0), number * SEGMENT, SEGMENT as u32);
        }
        assert_eq!(receiver.sack().as_slice().len(), blocks);
    }
}
