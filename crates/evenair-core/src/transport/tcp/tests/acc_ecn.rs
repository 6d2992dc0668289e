//! AccECN (RFC 9768) between the two ends of a connection.

use std::cell::RefCell;

use super::*;
use crate::component::{Component, Definition, Prototypes};
use crate::congestion::boxed::{Boxed, NewControl};
use crate::congestion::{AckEvent, CongestionControl, EcnFeedback, RateSample};
use crate::packet::{Ecn, EcnFlags, Packet, PacketKind};
use crate::rng::{RngStream, StreamId};
use crate::transport::tcp::ecn::sender::MarkCounter;
use crate::transport::{AccEcnCounters, Output, PacketOption, TcpOptions};

use EcnFeedback::{AccEcn, None as NoEcn, Rfc3168};

/// What an end has sent.
#[derive(Debug, Default)]
struct Sent(Vec<(Packet, Option<AccEcnCounters>)>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        let counters = match option {
            Some(PacketOption::Tcp(options)) => options.acc_ecn,
            _ => None,
        };
        self.0.push((*packet, counters));
    }
}

impl Sent {
    fn one(&mut self) -> (Packet, Option<AccEcnCounters>) {
        assert_eq!(self.0.len(), 1);
        self.0.pop().unwrap()
    }
}

fn config(ecn: EcnFeedback, receiver_ecn: EcnFeedback) -> TcpConfig {
    TcpConfig { ecn: Some(ecn), receiver_ecn: Some(receiver_ecn), ..plain() }
}

/// Table 2 of RFC 9768 with both ends, whichever opens: the flags of SYN and SYN-ACK, whether data are ECN-capable, and the
/// flags of data. With AccECN the field ACE begins with 5 and the counter of ECT(0) with 1; CWR is not set.
#[test]
fn ends_use_what_both_support() {
    for opener in [End::Sender, End::Receiver] {
        for sender in [NoEcn, Rfc3168, AccEcn] {
            for receiver in [NoEcn, Rfc3168, AccEcn] {
                let tcp = config(sender, receiver);
                let config = ConnectionConfig { opened_by: opener, ..connection_config(tcp, 1) };
                let mut sending = SendingEnd::new(&config, newreno(), HEADERS[0]);
                let mut receiving = ReceivingEnd::new(&config, HEADERS[1]);
                let (mut out, client, server) = match opener {
                    End::Sender => (Sent::default(), sender, receiver),
                    End::Receiver => (Sent::default(), receiver, sender),
                };
                sending.open(at(0), 0, u64::MAX, &mut out);
                receiving.open(at(0), 0, u64::MAX, &mut out);
                if opener == End::Receiver {
                    receiving.on_timer(at(0), &mut out);
                }
                let mut seen = vec![];
                let data = loop {
                    let (packet, _) = out.one();
                    if packet.kind == PacketKind::Data {
                        break packet;
                    }
                    seen.push((packet.kind, packet.ecn_flags.ace(), packet.ecn));
                    match packet.to {
                        End::Receiver => receiving.on_packet(at(10), &packet, None, &mut out),
                        End::Sender => sending.on_packet(at(10), &packet, None, &mut out),
                    }
                };
                let syn = match client {
                    NoEcn => 0b000,
                    Rfc3168 => 0b011,
                    AccEcn => 0b111,
                };
                let (syn_ack, request, ecn, flags) = match client.min(server) {
                    NoEcn => (0b000, 0, Ecn::NotEct, 0),
                    Rfc3168 => (0b001, 0, Ecn::Ect0, 0),
                    // The SYN is not ECN-capable: 010.
                    AccEcn => (0b010, 5, Ecn::Ect0, 5),
                };
                let mut expected = vec![
                    (PacketKind::Syn, syn, Ecn::NotEct),
                    (PacketKind::SynAck, syn_ack, Ecn::NotEct),
                ];
                if opener == End::Receiver {
                    expected.push((PacketKind::Request, request, Ecn::NotEct));
                }
                assert_eq!(seen, expected, "{opener:?} {sender:?} {receiver:?}");
                assert_eq!((data.ecn, data.ecn_flags.ace()), (ecn, flags));
                receiving.on_packet(at(20), &data, None, &mut out);
                let (ack, counters) = out.one();
                assert_eq!((ack.ecn, ack.ecn_flags.ace()), (Ecn::NotEct, flags));
                let bytes = counters.map(|counters| (counters.ect0, counters.ce, counters.ect1));
                let option = (client.min(server) == AccEcn).then_some((1 + 1000, 0, 1));
                assert_eq!((bytes, ack.size), (option, 40 + if option.is_some() { 8 } else { 0 }));
            }
        }
    }
}

/// Sections 3.2.2.5.1 and 3.2.3.3 with an ACK for every third segment: of each segment the mark, and of the ACK that it
/// provokes ACE and the bytes marked. A change of the mark, and two marks, are acknowledged at once.
#[test]
fn the_receiver_acknowledges_changes_and_marks() {
    let mut receiving =
        ReceivingEnd::new(&connection_config(config(AccEcn, AccEcn), 3), HEADERS[1]);
    let mut out = Sent::default();
    let syn = Packet { ecn_flags: EcnFlags::of_ace(7), ..Packet::new(FlowId(0), PacketKind::Syn) };
    receiving.on_packet(at(0), &syn, None, &mut out);
    out.one();
    let steps = [
        (false, Some((5, 0))), // the SYN was not ECN-capable
        (false, None),
        (false, None),
        (false, Some((5, 0))),
        (false, None),
        (true, Some((6, 1000))),
        (true, None),
        (true, Some((0, 3000))), // 8
        (true, None),
        (false, Some((1, 4000))),
        (false, None),
        (false, None),
        (false, Some((1, 4000))),
    ];
    for (n, (marked, expected)) in (0..).zip(steps) {
        let ecn = if marked { Ecn::Ce } else { Ecn::Ect0 };
        let data = Packet {
            ecn,
            seq: n * SEGMENT,
            payload: SEGMENT as u16,
            ..Packet::new(FlowId(0), PacketKind::Data)
        };
        receiving.on_packet(at(0), &data, None, &mut out);
        let ack = out.0.pop();
        let told = ack.map(|(ack, counters)| {
            assert_eq!(ack.seq, (n + 1) * SEGMENT);
            (ack.ecn_flags.ace(), counters.unwrap().ce)
        });
        assert_eq!(told, expected, "segment {n}");
    }
    assert_eq!(receiving.counters().congestion_marks, 4);
}

/// Segments are marked at random, and of 20 ACKs one arrives, so that ACE wraps once or more. With the option the sender knows
/// after each ACK exactly how many marks have arrived; without it never fewer.
#[test]
fn the_sender_counts_marks_although_acks_are_lost() {
    for (probability, has_option) in [(0.02, true), (0.2, true), (0.9, true), (0.2, false)] {
        let config = connection_config(config(AccEcn, AccEcn), 2);
        let mut receiving = ReceivingEnd::new(&config, HEADERS[1]);
        let mut out = Sent::default();
        let syn =
            Packet { ecn_flags: EcnFlags::of_ace(7), ..Packet::new(FlowId(0), PacketKind::Syn) };
        receiving.on_packet(at(0), &syn, None, &mut out);
        out.0.clear();
        let mut counter = MarkCounter::new(SEGMENT as u32);
        let (mut rng, mut acks, mut wraps) = (RngStream::new(1, StreamId::Queue, 0), 0, 0);
        for n in 0..20_000 {
            let ecn = if rng.bernoulli(probability) { Ecn::Ce } else { Ecn::Ect1 };
            let (seq, payload) = (n * SEGMENT, SEGMENT as u16);
            let data = Packet { ecn, seq, payload, ..Packet::new(FlowId(0), PacketKind::Data) };
            receiving.on_packet(at(n), &data, None, &mut out);
            for (ack, option) in out.0.drain(..) {
                acks += 1;
                if acks % 20 > 0 {
                    continue;
                }
                let option = option.filter(|_| has_option);
                let newly = counter.on_ack(ack.seq, &[], ack.ecn_flags.ace(), option);
                wraps += u32::from(newly.newly > 7.0);
                let (told, arrived) = (counter.marked(), receiving.counters().congestion_marks);
                assert!(told == arrived || (told > arrived && !has_option), "{told} of {arrived}");
            }
        }
        assert!(counter.marked() > 300 && (wraps > 100 || probability < 0.1), "{wraps}");
    }
}

thread_local! {
    /// What the recorders of this thread have been told.
    static SAMPLES: RefCell<Vec<RateSample>> = const { RefCell::new(Vec::new()) };
}

/// A congestion control with a constant window, which records samples of the delivery rate.
#[derive(Debug)]
struct Recorder;

impl CongestionControl for Recorder {
    fn is_rate_based(&self) -> bool {
        true
    }

    fn on_rate_sample(&mut self, _window: &mut Window, sample: &RateSample) {
        SAMPLES.with_borrow_mut(|samples| samples.push(*sample));
    }

    fn on_ack(&mut self, _window: &mut Window, _signal: &AckEvent) {}

    fn on_loss(&mut self, _window: &mut Window, _signal: &AckEvent) {}

    fn on_timeout(&mut self, _window: &mut Window, _signal: &AckEvent, _first: bool) {}
}

fn recorder() -> Controller {
    static RECORDERS: Prototypes<NewControl> = Prototypes::new();
    static COMPONENT: Component =
        Component { name: "recorder", aliases: &[], summary: "", source: "", ordered: &[] };
    RECORDERS.register(Definition {
        component: &COMPONENT,
        parameters: vec![],
        new: Box::new(|_| Box::new(Recorder)),
    });
    Controller::Prototype(Box::new(Boxed::new(RECORDERS.all().remove(0))))
}

/// By hand, of ten segments: the first arrives, then the third with a mark, and the second and the fourth after it, so that
/// a duplicate ACK is the first to report the mark; the fifth is marked. Each mark belongs to one sample.
#[test]
fn a_mark_that_a_duplicate_ack_reports_is_in_one_sample() {
    let tcp = TcpConfig { initial_window: 10, sack: true, ..config(AccEcn, AccEcn) };
    let mut end = SendingEnd::new(&connection_config(tcp, 1), recorder(), HEADERS[0]);
    let mut out = Sent::default();
    end.open(at(0), 0, u64::MAX, &mut out);
    let flags = EcnFlags::of_ace(0b010);
    let syn_ack = Packet { ecn_flags: flags, ..Packet::new(FlowId(0), PacketKind::SynAck) };
    end.on_packet(at(10), &syn_ack, None, &mut out);
    for (ms, segment, block, ace) in
        [(20, 1, None, 5), (21, 1, Some((2, 3)), 6), (22, 4, None, 6), (23, 5, None, 7)]
    {
        let sack = block.map(|(from, to)| (from * SEGMENT, to * SEGMENT)).into_iter().collect();
        let options = PacketOption::Tcp(TcpOptions { sack, ..TcpOptions::default() });
        let (seq, ecn_flags) = (segment * SEGMENT, EcnFlags::of_ace(ace));
        let ack = Packet { ecn_flags, seq, ..Packet::new(FlowId(0), PacketKind::Ack) };
        end.on_packet(at(ms), &ack, Some(&options), &mut out);
    }
    let told = |sample: &RateSample| (sample.newly_delivered, sample.newly_marked, sample.marked);
    let samples: Vec<_> = SAMPLES.take().iter().map(told).collect();
    assert_eq!(samples, [(1000, 0, 0), (1000, 1000, 1000), (2000, 0, 1000), (1000, 1000, 2000)]);
}
