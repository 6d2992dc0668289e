//! Further requests over an open connection, by hand. Packets take 10 ms each way.

use super::*;
use crate::packet::{Packet, PacketKind};
use crate::rng::{RngStream, StreamId};
use crate::tcp::IdleRestart;
use crate::tcp::TcpPreset;
use crate::transport::{Output, PacketOption};

type Connection = Ends<SendingEnd, ReceivingEnd>;

/// The packets that were sent.
#[derive(Debug, Default)]
struct Sent(Vec<Packet>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, _option: Option<&PacketOption>) {
        self.0.push(*packet);
    }
}

/// Both ends of a connection that the receiver opens.
struct Path {
    ends: Connection,
    now: u64,
    /// When they arrive, ms.
    under_way: Vec<(u64, Packet)>,
    /// All that was sent, and when.
    log: Vec<(u64, Packet)>,
    /// What loses packets at random, one of eight.
    chance: Option<RngStream>,
}

impl Path {
    /// One that transfers `bytes`, with an ACK for so many segments.
    fn new(bytes: u64, delayed_ack: u32, idle_restart: Option<IdleRestart>) -> Self {
        let tcp = TcpConfig { initial_window: 2, idle_restart, ..plain() };
        Self::with(tcp, bytes, delayed_ack, None)
    }

    fn with(tcp: TcpConfig, bytes: u64, delayed_ack: u32, chance: Option<RngStream>) -> Self {
        let config = ConnectionConfig {
            opened_by: End::Receiver,
            request: 300,
            ..connection_config(tcp, delayed_ack)
        };
        let mut path = Self { ends: ends(&config), now: 0, under_way: vec![], log: vec![], chance };
        path.act(true, |ends, now, out| ends.open(now, 1, bytes, out));
        path
    }

    /// What is sent then `arrives`, or is lost.
    fn act(&mut self, arrives: bool, action: impl FnOnce(&mut Connection, Instant, &mut Sent)) {
        let mut out = Sent::default();
        action(&mut self.ends, at(self.now), &mut out);
        for packet in out.0 {
            self.log.push((self.now, packet));
            let lost = self.chance.as_mut().is_some_and(|chance| chance.bernoulli(0.125));
            if arrives && !lost {
                self.under_way.push((self.now + 10, packet));
            }
        }
    }

    fn ask(&mut self, ms: u64, bytes: u64) {
        self.now = ms;
        self.act(true, |ends, now, out| ends.request(now, bytes, out));
    }

    fn ask_in_vain(&mut self, ms: u64, bytes: u64) {
        self.now = ms;
        self.act(false, |ends, now, out| ends.request(now, bytes, out));
    }

    fn deliver(&mut self, packet: &Packet) {
        self.act(true, |ends, now, out| {
            ends.on_packet(now, packet, None, out);
        });
    }

    /// Until nothing is under way and no timer is armed. A timer is looked at each millisecond.
    fn run(&mut self) {
        self.run_until(u64::MAX);
    }

    /// All that happens before `end`.
    fn run_until(&mut self, end: u64) {
        loop {
            let timers = [End::Sender, End::Receiver].map(|end| self.ends.poll_at(end));
            let timer = timers.into_iter().min().filter(|&at| at != Instant::NEVER);
            let timer = timer.map_or(u64::MAX, |at| at.as_nanos().div_ceil(1_000_000));
            let arrival = self.under_way.first().map_or(u64::MAX, |(at, _)| *at);
            if arrival.min(timer) >= end {
                return;
            }
            self.now = arrival.min(timer);
            if arrival <= timer {
                let (_, packet) = self.under_way.remove(0);
                self.deliver(&packet);
            } else {
                for end in [End::Sender, End::Receiver] {
                    self.act(true, |ends, now, out| ends.on_timer(now, end, out));
                }
            }
        }
    }

    /// When packets of this kind were sent, with their numbers.
    fn sent(&self, kind: PacketKind) -> Vec<(u64, u64)> {
        let of_kind = self.log.iter().filter(|(_, packet)| packet.kind == kind);
        of_kind.map(|(at, packet)| (*at, packet.seq)).collect()
    }

    fn last(&self, kind: PacketKind) -> Packet {
        self.log.iter().rfind(|(_, packet)| packet.kind == kind).expect("one was sent").1
    }
}

/// SYN at 0, request at 20, 2 segments at 30 (the initial window), 2500 bytes: the third at 50; all at the client
/// at 60, and the sender knows at 70. The window is then 5. A second request at 100 is at the server at 110,
/// which sends 4 segments at once, the last one short.
#[test]
fn a_further_request_goes_on_with_the_window() {
    let mut path = Path::new(2500, 1, None);
    path.run();
    assert_eq!(path.sent(PacketKind::Request), [(20, 0)]);
    assert_eq!(path.sent(PacketKind::Data), [(30, 0), (30, 1000), (50, 2000)]);
    assert!(path.ends.is_done());
    assert_eq!(path.now, 70);
    assert_eq!(path.ends.windows().unwrap().cwnd, 5.0);
    path.ask(100, 3100);
    assert!(!path.ends.is_done(), "what is asked for is not sent");
    path.run();
    assert_eq!(path.sent(PacketKind::Request), [(20, 0), (100, 1)]);
    assert_eq!(path.last(PacketKind::Request).payload, 300);
    let data = path.sent(PacketKind::Data);
    assert_eq!(data[3..], [(110, 2500), (110, 3500), (110, 4500), (110, 5500)]);
    assert_eq!(path.last(PacketKind::Data).payload, 100);
    assert_eq!(path.ends.received(), (5600, true));
    assert!(path.ends.is_done());
    assert_eq!(path.ends.counters().delivered, 5600);
}

/// The request is sent again after the retransmission timeout, which is the least, 200 ms, after round-trip times
/// of 20 ms.
#[test]
fn a_lost_request_is_repeated_by_the_receiver() {
    let mut path = Path::new(1000, 1, None);
    path.run();
    path.ask_in_vain(100, 1000);
    path.run();
    assert_eq!(path.sent(PacketKind::Request), [(20, 0), (100, 1), (300, 1)]);
    assert_eq!(path.sent(PacketKind::Data), [(30, 0), (310, 1000)]);
    assert_eq!(path.ends.counters().timeouts, 1);
    assert!(path.ends.is_done());
}

/// The ACK of the only segment, which arrives at 40, waits for 100 ms; the request that is sent before
/// acknowledges it, and nothing else does.
#[test]
fn a_request_acknowledges_what_came_before() {
    let mut path = Path::new(1000, 2, None);
    path.run_until(41);
    assert_eq!((path.now, path.ends.received().0), (40, 1000));
    assert_eq!(path.ends.poll_at(End::Receiver), at(140));
    path.ask(40, 2000);
    path.run();
    assert_eq!(path.sent(PacketKind::Data), [(30, 0), (50, 1000), (50, 2000)]);
    assert_eq!(path.sent(PacketKind::Ack), [(60, 3000)]);
}

/// A copy of a request, or a late copy of data before it, changes nothing.
#[test]
fn copies_say_nothing_new() {
    let mut path = Path::new(1000, 1, None);
    path.run();
    let data = path.last(PacketKind::Data);
    path.ask_in_vain(100, 1000);
    // The old segment comes again while the request is unanswered, whose timer goes on.
    path.deliver(&data);
    path.run();
    assert_eq!(path.sent(PacketKind::Request)[1..], [(100, 1), (300, 1)]);
    let request = path.last(PacketKind::Request);
    let sent = path.sent(PacketKind::Data).len();
    path.now = 500;
    path.deliver(&request);
    path.run();
    assert_eq!(path.sent(PacketKind::Data).len(), sent);
    assert!(path.ends.is_done());
}

/// What is asked for when the sender has stopped is not sent.
#[test]
fn a_sender_that_has_stopped_sends_nothing_more() {
    let mut path = Path::new(1000, 1, None);
    path.run();
    path.ask(100, 1000);
    path.ends.stop(at(100));
    path.run();
    assert_eq!(path.sent(PacketKind::Data), [(30, 0)]);
    assert!(path.ends.is_done());
}

/// 2 segments, then 4: cwnd is 8. RFC 5681 section 4.1: more than the timeout of 200 ms after the last segment it
/// is the initial window again; after less it is what it was. Linux halves it.
#[test]
fn the_window_restarts_after_a_pause() {
    let burst = |idle_restart, pause| {
        let mut path = Path::new(6000, 1, idle_restart);
        path.run();
        let (last, _) = *path.sent(PacketKind::Data).last().expect("6 segments");
        path.ask(last + pause - 10, 20_000);
        path.run();
        path.sent(PacketKind::Data).iter().filter(|(at, _)| *at == last + pause).count()
    };
    assert_eq!(burst(Some(IdleRestart::Rfc5681), 200), 8);
    assert_eq!(burst(Some(IdleRestart::Rfc5681), 201), 2);
    assert_eq!(burst(Some(IdleRestart::None), 1000), 8);
    assert_eq!(burst(Some(IdleRestart::Linux), 201), 4);
    assert_eq!(burst(Some(IdleRestart::Linux), 401), 2);
    // Without cwnd validation there is none.
    assert_eq!(burst(None, 1000), 8);
}

/// Answers of odd sizes end within a segment, wherever the next one begins. Whatever is lost, with each preset all of them
/// arrive, and what is sent for the first time goes on where the last segment ended.
#[test]
fn all_that_is_asked_for_arrives_whatever_is_lost() {
    for preset in [TcpPreset::Linux, TcpPreset::Rfc, TcpPreset::Ns2] {
        for (sack, prr) in [(true, true), (true, false), (false, false)] {
            for seed in 0..20 {
                let rack = sack && preset == TcpPreset::Linux;
                let tcp = TcpConfig { sack, prr, rack, ..preset.config(SEGMENT as u32) };
                let chance = RngStream::new(seed, StreamId::FrameErrors, 0);
                let mut path = Path::with(tcp, 700, 2, Some(chance));
                path.run();
                let mut total = 700;
                for bytes in [1, 3_333, 12_345, 1_000, 40_404, 999] {
                    path.ask(path.now + 1, bytes);
                    path.run();
                    total += bytes;
                    assert_eq!(path.ends.received().0, total, "{preset:?}, seed {seed}");
                    assert!(path.ends.is_done());
                }
                let mut next = 0;
                for (_, packet) in path.log.iter().filter(|(_, p)| p.kind == PacketKind::Data) {
                    assert!(packet.seq <= next, "{preset:?}: a gap before {}", packet.seq);
                    next = next.max(packet.seq + u64::from(packet.payload));
                }
                assert_eq!(next, total);
            }
        }
    }
}
