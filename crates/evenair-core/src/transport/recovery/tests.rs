//! The parts together in a transport that is not TCP: it numbers its packets, and a receiver acknowledges each
//! with the ranges of all that have arrived.

use std::collections::{BTreeSet, BinaryHeap};

use proptest::prelude::*;

use super::{Prr, Rack, Scoreboard, ranges};
use crate::time::{Duration, Instant};

/// One way.
const DELAY: Duration = Duration::from_millis(50);
/// Between two packets that leave.
const SPACING: Duration = Duration::from_millis(1);
/// After which silence everything outstanding counts as lost.
const TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Packet(u64),
    /// The first number that is missing, and what has arrived beyond it.
    Ack(u64, Vec<(u64, u64)>),
    Reordering,
}

#[derive(Debug)]
struct Sender {
    rack: Rack,
    scoreboard: Scoreboard,
    prr: Prr,
    una: u64,
    next: u64,
    total: u64,
    cwnd: u64,
    /// The end of the present recovery.
    recover: Option<u64>,
    response: Instant,
}

impl Sender {
    fn new(total: u64, cwnd: u64) -> Self {
        Self {
            rack: Rack::new(1),
            scoreboard: Scoreboard::new(1),
            prr: Prr::new(1),
            una: 0,
            next: 0,
            total,
            cwnd,
            recover: None,
            response: Instant::ZERO,
        }
    }

    fn on_ack(&mut self, now: Instant, una: u64, blocks: &[(u64, u64)]) -> Instant {
        let advances = una > self.una;
        self.una = una;
        self.scoreboard.advance(una);
        let rack = &mut self.rack;
        self.scoreboard.update(una, self.next, blocks, |range| rack.reported(range));
        let before = rack.outstanding() - rack.sacked();
        rack.update(now, una, DELAY * 2);
        let delivered = before - (rack.outstanding() - rack.sacked());
        self.recover = self.recover.filter(|&recover| una < recover);
        self.find_losses(now, delivered, advances)
    }

    /// Returns when to look again.
    fn find_losses(&mut self, now: Instant, delivered: u64, advances: bool) -> Instant {
        let window = self.rack.window(self.recover.is_some(), DELAY * 2, DELAY * 2);
        let found = self.rack.detect(now, window, self.response);
        let inflight = self.rack.inflight();
        if self.recover.is_none() && self.rack.has_losses() {
            (self.recover, self.response) = (Some(self.next), now);
            self.prr.begin(self.rack.outstanding() - self.rack.sacked() + delivered, inflight);
        }
        if self.recover.is_some() {
            let safe = advances && !found.lost;
            self.prr.on_ack(delivered, inflight, (self.cwnd / 2).max(1), safe);
        }
        found.reordering_at
    }

    /// Nothing has come for long.
    fn on_timeout(&mut self, now: Instant) {
        assert!(!self.rack.time_out(now, Duration::ZERO));
        self.recover = None;
    }

    /// The number of the next packet to be sent, and whether it has been sent before.
    fn poll_transmit(&mut self, now: Instant) -> Option<(u64, bool)> {
        let limit = if self.recover.is_some() { self.prr.cwnd() } else { self.cwnd };
        if self.rack.inflight() >= limit {
            return None;
        }
        let lost = self.rack.first_lost();
        let number = lost.or((self.next < self.total).then_some(self.next))?;
        if lost.is_some() {
            self.rack.retransmitted(now, number);
        } else {
            self.rack.sent(now);
            self.next += 1;
        }
        self.prr.sent();
        Some((number, lost.is_some()))
    }
}

/// Sends `total` packets, of whose transmissions those in `lost` do not arrive. Returns how many were sent, and
/// how many of those again.
fn transfer(total: u64, cwnd: u64, lost: &BTreeSet<u64>) -> (u64, u64) {
    let mut sender = Sender::new(total, cwnd);
    let mut arrived: Vec<(u64, u64)> = vec![];
    // The earliest first; events of one moment in the order in which they were scheduled.
    let mut events = BinaryHeap::new();
    let (mut now, mut free, mut silent_since) = (Instant::ZERO, Instant::ZERO, Instant::ZERO);
    let (mut transmissions, mut again, mut scheduled) = (0, 0, 0_u64);
    let schedule = |events: &mut BinaryHeap<_>, scheduled: &mut u64, at, event| {
        *scheduled += 1;
        events.push(std::cmp::Reverse((at, *scheduled, event)));
    };
    while sender.una < total {
        while let Some((number, is_again)) = sender.poll_transmit(now) {
            free = free.max(now) + SPACING;
            if !lost.contains(&transmissions) {
                schedule(&mut events, &mut scheduled, free + DELAY, Event::Packet(number));
            }
            transmissions += 1;
            again += u64::from(is_again);
        }
        let Some(std::cmp::Reverse((at, _, event))) = events.pop() else {
            now = now.max(silent_since + TIMEOUT);
            silent_since = now;
            sender.on_timeout(now);
            continue;
        };
        (now, silent_since) = (at, at);
        match event {
            Event::Packet(number) => {
                ranges::insert(&mut arrived, number, number + 1);
                let una = ranges::containing(&arrived, 0).map_or(0, |(_, end)| end);
                let beyond = arrived.iter().copied().filter(|&(start, _)| start > una).collect();
                schedule(&mut events, &mut scheduled, now + DELAY, Event::Ack(una, beyond));
            }
            Event::Ack(una, blocks) => {
                let look_again = sender.on_ack(now, una, &blocks);
                if look_again != Instant::NEVER {
                    schedule(&mut events, &mut scheduled, look_again, Event::Reordering);
                }
            }
            Event::Reordering => {
                sender.find_losses(now, 0, false);
            }
        }
    }
    (transmissions, again)
}

proptest! {
    #![proptest_config(evenair_testing::config!())]

    /// All arrive, and on a path that keeps the order nothing is sent again that was not lost.
    #[test]
    fn what_is_lost_is_sent_again_and_nothing_else(
        total in 1..300_u64,
        cwnd in 1..40_u64,
        lost in prop::collection::btree_set(0..300_u64, 0..60),
    ) {
        let (transmissions, again) = transfer(total, cwnd, &lost);
        let gone = lost.range(..transmissions).count() as u64;
        prop_assert_eq!((transmissions, again), (total + gone, gone));
    }
}
