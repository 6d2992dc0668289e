//! ECN (RFC 3168): each expected value is from the RFC's text, by hand; and both ends over a queue that
//! marks.

use std::collections::VecDeque;

use super::link::Link;
use super::*;
use crate::congestion::EcnFeedback;
use crate::packet::{Ecn, EcnFlags, Packet, PacketKind};
use crate::transport::{Output, PacketOption, TcpOptions};

fn with_ecn() -> TcpConfig {
    TcpConfig { ecn: Some(EcnFeedback::Rfc3168), ..plain() }
}

fn support(ecn: bool) -> EcnFeedback {
    if ecn { EcnFeedback::Rfc3168 } else { EcnFeedback::None }
}

/// The packets that were sent, and from which end.
#[derive(Debug, Default)]
struct Sent(VecDeque<(End, Packet)>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, _option: Option<&PacketOption>) {
        self.0.push_back((packet.to.other(), *packet));
    }
}

impl Sent {
    fn one(&mut self) -> Packet {
        let (_, packet) = self.0.pop_front().unwrap();
        assert!(self.0.is_empty());
        packet
    }

    fn all(&mut self) -> Vec<Packet> {
        self.0.drain(..).map(|(_, packet)| packet).collect()
    }
}

/// Section 6.1.1: an ECN-setup SYN has ECE and CWR, an ECN-setup SYN-ACK has ECE alone. Neither is
/// ECT. A host that offers no ECN sets neither, and then data are not ECT.
#[test]
fn both_ends_have_to_agree() {
    for offers in [[true, true], [true, false], [false, true], [false, false]] {
        for opener in [End::Sender, End::Receiver] {
            let [sender, receiver] = offers.map(|ecn| {
                let tcp = TcpConfig { ecn: Some(support(ecn)), ..plain() };
                ConnectionConfig { opened_by: opener, ..connection_config(tcp, 1) }
            });
            let mut sending = SendingEnd::new(&sender, newreno(), HEADERS[0]);
            let mut receiving = ReceivingEnd::new(&receiver, HEADERS[1]);
            let (mut out, agreed) = (Sent::default(), offers == [true, true]);
            sending.open(at(0), 0, u64::MAX, &mut out);
            receiving.open(at(0), 0, u64::MAX, &mut out);
            if opener == End::Receiver {
                receiving.on_timer(at(0), &mut out);
            }
            let syn = out.one();
            let offered = offers[usize::from(opener == End::Receiver)];
            assert_eq!((syn.kind, syn.ecn), (PacketKind::Syn, Ecn::NotEct));
            assert_eq!((syn.ecn_flags.ece(), syn.ecn_flags.cwr()), (offered, offered));
            let mut deliver = |packet: &Packet, to_sender: bool, out: &mut Sent| {
                if to_sender {
                    sending.on_packet(at(10), packet, None, out);
                } else {
                    receiving.on_packet(at(10), packet, None, out);
                }
            };
            deliver(&syn, opener == End::Receiver, &mut out);
            let syn_ack = out.one();
            assert_eq!((syn_ack.kind, syn_ack.ecn), (PacketKind::SynAck, Ecn::NotEct));
            assert_eq!((syn_ack.ecn_flags.ece(), syn_ack.ecn_flags.cwr()), (agreed, false));
            deliver(&syn_ack, opener == End::Sender, &mut out);
            if opener == End::Receiver {
                let request = out.one();
                assert_eq!((request.kind, request.ecn), (PacketKind::Request, Ecn::NotEct));
                deliver(&request, true, &mut out);
            }
            let data = out.one();
            assert_eq!(data.ecn, if agreed { Ecn::Ect0 } else { Ecn::NotEct });
            assert!(data.ecn_flags == EcnFlags::NONE);
            deliver(&data, false, &mut out);
            let ack = out.one();
            assert_eq!(
                (ack.kind, ack.ecn, ack.ecn_flags),
                (PacketKind::Ack, Ecn::NotEct, EcnFlags::NONE)
            );
        }
    }
}

/// A sending end that a test drives in whole segments.
struct Driver {
    end: SendingEnd,
    out: Sent,
}

impl Driver {
    /// With `window` segments outstanding.
    fn new(window: u32, config: TcpConfig) -> Self {
        Self::controlled(window, config, newreno())
    }

    /// The same with this congestion control.
    fn controlled(window: u32, config: TcpConfig, control: Controller) -> Self {
        let config = TcpConfig { initial_window: window, ..config };
        let mut end = SendingEnd::new(&connection_config(config, 1), control, HEADERS[0]);
        let mut out = Sent::default();
        end.open(at(0), 0, u64::MAX, &mut out);
        out.all();
        let syn_ack =
            Packet { ecn_flags: EcnFlags::ECE, ..Packet::new(FlowId(0), PacketKind::SynAck) };
        end.on_packet(at(10), &syn_ack, None, &mut out);
        let sent = out.all();
        assert_eq!(sent.len(), window as usize);
        assert!(sent.iter().all(|packet| packet.ecn == Ecn::Ect0 && !packet.ecn_flags.cwr()));
        Self { end, out }
    }

    /// An ACK that expects `segment` next; what is sent: number, CWR and ECT.
    fn ack(&mut self, segment: u64, ece: bool) -> Vec<(u64, bool, bool)> {
        self.report(segment, None, ece)
    }

    /// The same with a block that reports from the first of these segments up to the one before the second.
    fn report(
        &mut self,
        segment: u64,
        block: Option<(u64, u64)>,
        ece: bool,
    ) -> Vec<(u64, bool, bool)> {
        let sack = block.map(|(from, to)| (from * SEGMENT, to * SEGMENT)).into_iter().collect();
        let options = PacketOption::Tcp(TcpOptions { sack, ..TcpOptions::default() });
        let seq = segment * SEGMENT;
        let ack = Packet {
            ecn_flags: EcnFlags::ECE.only_if(ece),
            seq,
            ..Packet::new(FlowId(0), PacketKind::Ack)
        };
        self.end.on_packet(at(20), &ack, Some(&options), &mut self.out);
        let sent = self.out.all().into_iter();
        sent.map(|p| (p.seq / SEGMENT, p.ecn_flags.cwr(), p.ecn == Ecn::Ect0)).collect()
    }

    fn cwnd(&self) -> f64 {
        self.end.window().cwnd
    }

    fn responses(&self) -> u64 {
        self.end.counters().congestion_responses
    }
}

/// Section 6.1.2: the window is halved once for a window of data; ACKs with ECN-Echo let it not
/// grow; the first new segment after the reduction carries CWR. What is acknowledged up to that
/// segment belongs to the old window, and ECN-Echo beyond it is another mark.
#[test]
fn the_window_is_reduced_once_for_a_window_of_data() {
    let mut driver = Driver::new(16, with_ecn());
    assert_eq!(driver.ack(1, true), []);
    assert_eq!(driver.end.window(), Window { cwnd: 8.0, ssthresh: 8.0 });
    for segment in 2..=8 {
        assert_eq!(driver.ack(segment, true), [], "{segment}");
    }
    // 9 to 15 are outstanding: one more may be sent, which carries CWR.
    assert_eq!(driver.ack(9, true), [(16, true, true)]);
    for segment in 10..=16 {
        assert_eq!(driver.ack(segment, true), [(segment + 7, false, true)]);
        assert_eq!((driver.cwnd(), driver.responses()), (8.0, 1));
    }
    // Beyond the segment with CWR: 17 to 23 are outstanding, 8 before this ACK.
    assert_eq!(driver.ack(17, true), []);
    assert_eq!((driver.cwnd(), driver.responses()), (4.0, 2));
    assert_eq!(driver.end.counters().retransmissions, 0);
    assert_eq!(driver.end.counters().fast_retransmits, 0);
}

/// Section 6.1.2: a loss and a mark of the same window are one reduction, whichever is noticed first.
/// A fast retransmit and a timeout set CWR, too. Retransmissions are neither ECT (6.1.5) nor do they
/// carry CWR.
#[test]
fn losses_and_marks_of_one_window_are_one_reduction() {
    let mut driver = Driver::new(16, with_ecn());
    assert_eq!(driver.ack(1, true), []);
    assert_eq!(driver.ack(1, true), []);
    assert_eq!(driver.ack(1, true), []);
    assert_eq!(driver.ack(1, true), [(1, false, false)]);
    assert_eq!(
        (driver.cwnd(), driver.responses(), driver.end.counters().fast_retransmits),
        (8.0, 1, 1)
    );
    let mut driver = Driver::new(16, with_ecn());
    for _ in 0..2 {
        assert_eq!(driver.ack(0, false), []);
    }
    assert_eq!(driver.ack(0, false), [(0, false, false)]);
    for _ in 0..5 {
        assert_eq!(driver.ack(0, true), []);
    }
    // The ninth duplicate: 8 + 9 segments may be outstanding.
    assert_eq!(driver.ack(0, true), [(16, true, true)]);
    assert_eq!((driver.cwnd(), driver.responses()), (8.0, 0));
    // All of the window has arrived, and the segment with CWR is not acknowledged.
    driver.ack(16, true);
    assert_eq!((driver.cwnd(), driver.responses()), (8.0, 0));
    let mut driver = Driver::new(4, with_ecn());
    driver.end.on_timer(driver.end.poll_at(), &mut driver.out);
    let again = driver.out.one();
    assert_eq!((again.seq, again.ecn_flags.cwr(), again.ecn), (0, false, Ecn::NotEct));
    assert_eq!(driver.ack(4, true), [(4, true, true)]);
    assert_eq!((driver.cwnd(), driver.responses()), (1.0, 0));
}

/// A later window may lose or mark again.
#[test]
fn a_loss_of_a_later_window_is_another_reduction() {
    let mut driver = Driver::new(16, with_ecn());
    driver.ack(1, true);
    driver.ack(16, true); // 16 to 23 are sent
    assert_eq!(driver.ack(17, false).len(), 1);
    for _ in 0..3 {
        driver.ack(17, false);
    }
    assert_eq!(driver.end.counters().fast_retransmits, 1);
    assert_eq!(driver.cwnd(), 4.0); // half of 17 to 24
}

/// CUBIC with 20 segments outstanding: a mark leaves 14, 7/10. With RACK or without.
fn reducing_gradually(rack: bool) -> Driver {
    let config = TcpConfig { sack: true, rack, prr: true, ..with_ecn() };
    let cubic = Controller::new(&Config::from_name("cubic").unwrap());
    Driver::controlled(20, config, cubic)
}

/// Numbers and CWR of what is sent.
fn numbers(sent: &[(u64, bool, bool)]) -> Vec<(u64, bool)> {
    sent.iter().map(|&(number, cwr, _)| (number, cwr)).collect()
}

/// Linux's `tcp_enter_cwr`: after n ACKs of the window of 20, ceil(14 n / 20) segments have left while more than 14
/// are in flight: 1 2 3 3 4 5 5 6 7 7 8 9 10 10 11 12 12, which leaves 20 - 17 + 12 = 15. The 18th ACK finds 14 and
/// sends nothing, the last two find 13 and send one each. The first new segment has CWR. cwnd is 14 from the mark on,
/// and does not grow before an ACK for more than the 20 comes, whether ACKs have ECN-Echo or not.
#[test]
fn with_prr_a_mark_reduces_over_a_round_trip() {
    for (rack, ece) in [(false, true), (false, false), (true, true), (true, false)] {
        let mut driver = reducing_gradually(rack);
        let mut next = 20;
        for acked in 1..=20 {
            let sent = driver.ack(acked, ece || acked == 1);
            let silent = [4, 7, 10, 14, 17, 18].contains(&acked);
            let expected = if silent { vec![] } else { vec![(next, next == 20)] };
            next += u64::from(!silent);
            assert_eq!(numbers(&sent), expected, "ACK {acked}, RACK {rack}");
            assert_eq!((driver.cwnd(), driver.responses()), (14.0, 1));
        }
        assert_eq!(next, 34);
        assert_eq!(numbers(&driver.ack(21, false)), [(34, false)]);
        assert!((14.0..15.0).contains(&driver.cwnd()), "{}", driver.cwnd());
        assert_eq!(driver.responses(), 1);
        // 22 to 34 are outstanding, and this one: 14 leave 9.8, and the first ACK one of 14, ceil(9 / 14).
        assert_eq!(numbers(&driver.ack(22, true)), [(35, true)]);
        assert_eq!(driver.responses(), 2);
    }
}

/// Without: nothing is sent until the seventh ACK leaves 13 in flight.
#[test]
fn without_prr_a_mark_reduces_at_once() {
    let config = TcpConfig { sack: true, rack: true, ..with_ecn() };
    let cubic = Controller::new(&Config::from_name("cubic").unwrap());
    let mut driver = Driver::controlled(20, config, cubic);
    for acked in 1..=6 {
        assert_eq!(driver.ack(acked, true), []);
    }
    for acked in 7..=20 {
        assert_eq!(numbers(&driver.ack(acked, true)), [(acked + 13, acked == 7)]);
    }
}

/// Linux's `tcp_enter_recovery`: a loss in the window that a mark reduces begins a recovery, and the same reduction
/// goes on. Segment 2 is lost. Reports of 3 and 4 send nothing, without limited transmit. That of 5 is the fifth
/// segment delivered: ceil(14 x 5 / 20) = 4 may have left, two have, so the repair leaves and one more. Reports of 6, 7
/// and 8 leave 5, 5 and 6.
#[test]
fn a_loss_while_a_mark_reduces_is_no_other_reduction() {
    for rack in [false, true] {
        let mut driver = reducing_gradually(rack);
        assert_eq!(numbers(&driver.ack(1, true)), [(20, true)]);
        assert_eq!(numbers(&driver.ack(2, true)), [(21, false)]);
        let expected: [(u64, &[u64]); 6] =
            [(4, &[]), (5, &[]), (6, &[2, 22]), (7, &[23]), (8, &[]), (9, &[24])];
        for (end, expected) in expected {
            let sent = driver.report(2, Some((3, end)), true);
            let sent: Vec<u64> = sent.iter().map(|&(number, ..)| number).collect();
            assert_eq!(sent, expected, "up to {end}, RACK {rack}");
        }
        // The repair has arrived, and what was outstanding when the loss was found.
        driver.ack(22, true);
        assert_eq!((driver.cwnd(), driver.responses()), (14.0, 1));
        assert_eq!(driver.end.counters().fast_retransmits, 1);
        assert_eq!(driver.end.counters().retransmissions, 1);
    }
}

/// A timeout ends the reduction: cwnd is 1, and grows with the next ACK.
#[test]
fn a_timeout_ends_a_reduction() {
    let mut driver = reducing_gradually(false);
    driver.ack(1, true);
    driver.end.on_timer(driver.end.poll_at(), &mut driver.out);
    assert_eq!((driver.out.one().seq, driver.cwnd()), (SEGMENT, 1.0));
    assert_eq!(numbers(&driver.ack(21, false)), [(21, true), (22, false)]);
    assert_eq!((driver.cwnd(), driver.responses()), (2.0, 1));
}

/// Section 6.1.3: every ACK carries ECN-Echo from a marked segment on until CWR arrives; an ACK for
/// several segments does if any of them was marked.
#[test]
fn the_receiver_echoes_until_cwr() {
    let config = connection_config(with_ecn(), 2);
    let mut receiving = ReceivingEnd::new(&config, HEADERS[1]);
    let mut out = Sent::default();
    let syn = Packet { ecn_flags: EcnFlags::SETUP_SYN, ..Packet::new(FlowId(0), PacketKind::Syn) };
    receiving.on_packet(at(0), &syn, None, &mut out);
    assert!(out.one().ecn_flags.ece());
    // Of each segment: marked, CWR; and of the ACK that it provokes: ECN-Echo.
    let steps = [
        ((false, false), None),
        ((false, false), Some(false)),
        ((true, false), None),
        ((false, false), Some(true)),
        ((false, false), None),
        ((false, false), Some(true)), // until CWR
        ((false, true), None),
        ((false, false), Some(false)),
        ((true, false), None),
        ((false, true), Some(true)), // one of the two is marked
        ((false, false), None),
        ((false, false), Some(false)),
        ((true, true), None), // the segment with CWR is marked itself
        ((false, false), Some(true)),
        ((false, false), None),
        ((false, false), Some(true)),
    ];
    for (n, ((marked, cwr), ece)) in (0..).zip(steps) {
        let ecn = if marked { Ecn::Ce } else { Ecn::Ect0 };
        let (seq, payload) = (n * SEGMENT, SEGMENT as u16);
        let data = Packet {
            ecn,
            ecn_flags: EcnFlags::CWR.only_if(cwr),
            seq,
            payload,
            ..Packet::new(FlowId(0), PacketKind::Data)
        };
        receiving.on_packet(at(0), &data, None, &mut out);
        let acks: Vec<bool> = out.all().iter().map(|ack| ack.ecn_flags.ece()).collect();
        assert_eq!(acks, Vec::from_iter(ece), "segment {n}");
    }
    assert_eq!(receiving.counters().congestion_marks, 3);
}

/// A bottleneck that sends a segment each millisecond, with 50 ms each way, and marks what arrives when
/// 30 segments or more wait. Nothing is lost; the link is always busy once the window is there; the
/// queue stays short; and each response is to a window of its own. Without ECN the 400 segments of
/// window fill the queue. With AccECN it is the same.
#[test]
fn a_queue_that_marks_keeps_itself_short() {
    // Slow start ends with a response, and leaves about 65. cwnd then grows by one in each round trip:
    // 35 of 100 ms, at 82% on average, until the path is full with 100, and 30 of 115 ms until the
    // queue marks at 130, which leaves 65: a response in each 7 s. Of the 20 s slow start loses
    // 0.5 s, each of three low periods 0.6 s, and a window is still unacknowledged: 87%.
    let at_once = (3, 0.87);
    // With proportional rate reduction the first segments of a reduction find the queue as it was, and are marked: a
    // second response follows a round trip later, and the two leave about 32. From there 68 round trips of 100 ms at
    // 66% lose 2.3 s, and 30 of 107 ms on average follow: two responses in each 10 s. Of the 20 s slow start loses
    // 0.5 s, each of two low periods 2.3 s, and a window is still unacknowledged: 74%.
    let over_a_round_trip = (4, 0.74);
    let (classic, acc_ecn) = (Some(EcnFeedback::Rfc3168), Some(EcnFeedback::AccEcn));
    for (ecn, sack, rack, prr, (responses, share)) in [
        (classic, false, false, false, at_once),
        (classic, true, false, false, at_once),
        (classic, true, true, false, at_once),
        (classic, true, false, true, over_a_round_trip),
        (classic, true, true, true, over_a_round_trip),
        (acc_ecn, true, true, false, at_once),
        (acc_ecn, false, false, false, at_once),
        (None, false, false, false, at_once),
    ] {
        let (window, initial_window) = (400, 4);
        let recovery = TcpConfig { sack, rack, prr, ..plain() };
        let config = TcpConfig { ecn, window, initial_window, ..recovery };
        let mut connection = ends(&connection_config(config, 1));
        let mut link = Link::new(Duration::from_millis(1), Duration::from_millis(50));
        let step = |waiting: u128, _: &Packet| waiting >= 30;
        link.run(&mut connection, at(5000), step, |_| {});
        link.longest = 0;
        link.run(&mut connection, at(20_000), step, |_| {});
        let (counters, longest, marks) = (connection.counters(), link.longest, link.marks);
        assert_eq!((counters.retransmissions, counters.timeouts), (0, 0));
        // All marks arrive but those under way.
        assert!(marks - counters.congestion_marks <= 400, "{counters:?}");
        if ecn.is_none() {
            assert_eq!((marks, counters.congestion_responses), (0, 0));
            assert!(longest > 250, "{longest}");
            continue;
        }
        assert!(longest < 60, "{longest} wait");
        assert_eq!(counters.congestion_responses, responses, "{counters:?}");
        let carried = counters.delivered as f64 / SEGMENT as f64 / 20_000.0;
        assert!((carried - share).abs() < 0.03, "{carried} of the capacity");
    }
}
