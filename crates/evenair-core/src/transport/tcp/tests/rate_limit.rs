//! A limit of the rate at either end, over a path with a queue of its own.

use std::collections::VecDeque;

use super::*;
use crate::packet::{Packet, PacketKind};
use crate::transport::{Output, PacketOption};
use crate::units::Rate;

#[derive(Default)]
pub(super) struct Sent(VecDeque<(End, Packet, Option<PacketOption>)>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        self.0.push_back((packet.to.other(), *packet, option.copied()));
    }
}

/// A connection over 50 ms in each direction, and a link that sends a segment per millisecond.
pub(super) struct Path {
    pub(super) connection: Ends<SendingEnd, ReceivingEnd>,
    under_way: VecDeque<(Instant, Packet, Option<PacketOption>)>,
    pub(super) now: Instant,
    busy_until: Instant,
    pub(super) out: Sent,
    /// Segments that wait for the link, at most, since this was last set.
    waiting: u64,
}

const SERVICE: Duration = Duration::from_millis(1);
const DELAY: Duration = Duration::from_millis(50);

impl Path {
    fn new(sender: TcpConfig) -> Self {
        let mut path = Self::between(ends(&connection_config(sender, 1)));
        path.connection.open(at(0), 0, u64::MAX, &mut path.out);
        path
    }

    /// Between the ends of a connection that is not open yet.
    pub(super) fn between(connection: Ends<SendingEnd, ReceivingEnd>) -> Self {
        let (under_way, out) = (VecDeque::new(), Sent::default());
        Self { connection, under_way, now: at(0), busy_until: at(0), out, waiting: 0 }
    }

    pub(super) fn run(&mut self, until: Instant) {
        loop {
            while let Some((from, packet, option)) = self.out.0.pop_front() {
                let mut arrival = self.now + DELAY;
                if from == End::Sender && packet.kind == PacketKind::Data {
                    let wait = self.busy_until.since(self.now).as_nanos() / SERVICE.as_nanos();
                    self.waiting = self.waiting.max(wait);
                    self.busy_until = self.busy_until.max(self.now) + SERVICE;
                    arrival = self.busy_until + DELAY;
                }
                let place = self.under_way.partition_point(|&(other, ..)| other <= arrival);
                self.under_way.insert(place, (arrival, packet, option));
            }
            let arrival = self.under_way.front().map_or(Instant::NEVER, |&(at, ..)| at);
            let [sender, receiver] =
                [End::Sender, End::Receiver].map(|end| self.connection.poll_at(end));
            let next = arrival.min(sender).min(receiver);
            if next > until {
                return;
            }
            self.now = next;
            if next == arrival {
                let (_, packet, option) = self.under_way.pop_front().unwrap();
                self.connection.on_packet(next, &packet, option.as_ref(), &mut self.out);
            } else {
                let end = if next == sender { End::Sender } else { End::Receiver };
                self.connection.on_timer(next, end, &mut self.out);
            }
        }
    }

    /// Segments that arrive in ten seconds from `from` on.
    fn delivered(&mut self, from: u64) -> u64 {
        self.run(at(from));
        let before = self.connection.counters().delivered;
        self.run(at(from + 10_000));
        (self.connection.counters().delivered - before) / SEGMENT
    }
}

fn config(sack: bool) -> TcpConfig {
    TcpConfig { window: 300, initial_window: 4, sack, ..plain() }
}

/// The shortest round-trip time is that of the first segment, 101 ms. At 2 Mbit/s it carries 25.25 segments
/// of 1000 bytes: with 25 outstanding, 25 arrive in each 101 ms, 2475 in 10 s. Without a limit the window of
/// 300 fills the link.
#[test]
fn either_end_keeps_the_rate() {
    for (end, sack) in
        [(End::Sender, false), (End::Sender, true), (End::Receiver, false), (End::Receiver, true)]
    {
        let mut path = Path::new(config(sack));
        assert_eq!(path.delivered(5000), 10_000);
        path.connection.limit_rate(path.now, end, Some(Rate::from_mbps(2)));
        let limited = path.delivered(17_000);
        assert!(limited.abs_diff(2475) <= 25, "{end:?}, SACK {sack}: {limited}");
        // The queue that had been there is gone.
        path.waiting = 0;
        path.run(at(28_000));
        assert!(path.waiting <= 25, "{}", path.waiting);
        path.connection.limit_rate(path.now, end, None);
        assert_eq!(path.delivered(32_000), 10_000, "{end:?}, SACK {sack}");
        assert_eq!(path.connection.counters().retransmissions, 0);
    }
}

/// The smaller of two limits holds, and two segments are allowed at any rate: 20 each second.
#[test]
fn limits_have_bounds() {
    let mut path = Path::new(config(false));
    path.run(at(2000));
    path.connection.limit_rate(at(2000), End::Sender, Some(Rate::from_mbps(4)));
    path.connection.limit_rate(at(2000), End::Receiver, Some(Rate::from_mbps(1)));
    let limited = path.delivered(5000);
    assert!(limited.abs_diff(1188) <= 12, "{limited}");
    path.connection.limit_rate(at(15_000), End::Receiver, Some(Rate::from_bps(1)));
    let limited = path.delivered(17_000);
    assert!(limited.abs_diff(198) <= 2, "{limited}");
}

/// A limit from the start holds once the round-trip time is known, for a further connection of the flow
/// from its start.
#[test]
fn a_limit_outlives_a_connection() {
    for end in [End::Sender, End::Receiver] {
        let mut path = Path::new(config(false));
        path.connection.limit_rate(at(0), end, Some(Rate::from_mbps(2)));
        let first = path.delivered(5000);
        path.connection.open(path.now, 1, u64::MAX, &mut path.out);
        let second = path.delivered(20_000);
        assert!(first.abs_diff(2475) <= 25 && second.abs_diff(2475) <= 25, "{first} {second}");
    }
}

/// The receiver knows the round-trip time from the first limit on: 101 ms, and the queue of 25 segments
/// at a rate that the link just carries.
#[test]
fn the_receiver_measures_round_trips() {
    let mut path = Path::new(config(false));
    path.run(at(5000));
    assert_eq!(path.connection.rtt(End::Receiver), None);
    path.connection.limit_rate(at(5000), End::Receiver, Some(Rate::from_mbps(2)));
    path.run(at(20_000));
    let rtt = path.connection.rtt(End::Receiver).unwrap().as_secs_f64();
    assert!((0.1005..0.127).contains(&rtt), "{rtt}");
}
