//! Both ends over a link that queues, and marks what a test says.

use std::collections::VecDeque;

use super::*;
use crate::packet::{Ecn, Packet};
use crate::transport::{Output, PacketOption};

pub(super) type Connection = Ends<SendingEnd, ReceivingEnd>;

/// What the ends have sent.
#[derive(Debug, Default)]
struct Sent(VecDeque<(Packet, Option<PacketOption>)>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        self.0.push_back((*packet, option.copied()));
    }
}

/// A bottleneck for what the sender sends, and the same delay both ways.
pub(super) struct Link {
    /// How long a segment takes, and how long it then propagates.
    service: Duration,
    delay: Duration,
    /// The most segments that have waited.
    pub(super) longest: u128,
    /// ECN-capable segments that have been marked, of all.
    pub(super) marks: u64,
    pub(super) segments: u64,
    now: Instant,
    busy_until: Instant,
    under_way: VecDeque<(Instant, Packet, Option<PacketOption>)>,
    sent: Sent,
}

impl Link {
    pub(super) fn new(service: Duration, delay: Duration) -> Self {
        Self {
            service,
            delay,
            longest: 0,
            marks: 0,
            segments: 0,
            now: Instant::ZERO,
            busy_until: Instant::ZERO,
            under_way: VecDeque::new(),
            sent: Sent::default(),
        }
    }

    /// Runs until `end`. `marks` is asked for each segment that is ECN-capable and finds so many waiting; `observe` looks at the
    /// ends after each packet.
    pub(super) fn run(
        &mut self,
        connection: &mut Connection,
        end: Instant,
        mut marks: impl FnMut(u128, &Packet) -> bool,
        mut observe: impl FnMut(&Connection),
    ) {
        if self.now == Instant::ZERO {
            connection.open(self.now, 0, u64::MAX, &mut self.sent);
        }
        while self.now < end {
            self.carry(&mut marks);
            let ends = [End::Sender, End::Receiver];
            let timer = ends.map(|end| connection.poll_at(end));
            let packet = self.under_way.front().map_or(Instant::NEVER, |&(at, ..)| at);
            self.now = packet.min(timer[0]).min(timer[1]);
            if packet == self.now {
                let (_, packet, option) = self.under_way.pop_front().unwrap();
                connection.on_packet(self.now, &packet, option.as_ref(), &mut self.sent);
                observe(connection);
                continue;
            }
            for (end, at) in ends.into_iter().zip(timer) {
                if at <= self.now {
                    connection.on_timer(self.now, end, &mut self.sent);
                }
            }
        }
    }

    /// Puts on the way what has been sent.
    fn carry(&mut self, marks: &mut impl FnMut(u128, &Packet) -> bool) {
        while let Some((mut packet, option)) = self.sent.0.pop_front() {
            let mut arrival = self.now + self.delay;
            if packet.to == End::Receiver {
                let waiting = self.busy_until.since(self.now).as_nanos() / self.service.as_nanos();
                self.longest = self.longest.max(waiting.into());
                let is_capable = matches!(packet.ecn, Ecn::Ect0 | Ecn::Ect1);
                if is_capable && marks(waiting.into(), &packet) {
                    packet.ecn = Ecn::Ce;
                    self.marks += 1;
                }
                self.segments += 1;
                self.busy_until = self.busy_until.max(self.now) + self.service;
                arrival = self.busy_until + self.delay;
            }
            let place = self.under_way.partition_point(|&(other, ..)| other <= arrival);
            self.under_way.insert(place, (arrival, packet, option));
        }
    }
}
