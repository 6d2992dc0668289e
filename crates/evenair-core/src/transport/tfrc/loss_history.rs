//! Which packets are lost, and which losses begin a loss event (RFC 5348 sections 5.1 and 5.2).
//!
//! A packet that arrives after it counts as lost is received, but its loss event remains: the RFC leaves
//! that to the receiver.

use std::collections::VecDeque;

use crate::time::{Duration, Instant};

/// NDUPACK: packets with higher sequence numbers that must arrive until a packet counts as lost.
const LATER_PACKETS: u32 = 3;

/// When a packet has arrived.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    number: u64,
    at: Instant,
}

/// Packets `first..end`, which have not arrived although a later one has.
#[derive(Clone, Copy, Debug)]
struct Hole {
    first: u64,
    end: u64,
    /// The arrivals around it; none before the first packet.
    before: Option<Arrival>,
    after: Arrival,
    /// Packets above it that have arrived.
    later: u32,
}

impl Hole {
    /// The nominal arrival time of a packet of the hole.
    fn time_of(&self, number: u64) -> Instant {
        let Some(before) = self.before else { return self.after.at };
        let span = u128::from(self.after.at.since(before.at).as_nanos());
        let (part, whole) = (number - before.number, self.after.number - before.number);
        let nanos = span * u128::from(part) / u128::from(whole);
        before.at + Duration::from_nanos(nanos as u64)
    }

    /// The first of its packets of which the nominal arrival time is later than `limit`.
    fn first_after(&self, limit: Instant) -> Option<u64> {
        let (mut low, mut high) = (self.first, self.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.time_of(middle) > limit { high = middle } else { low = middle + 1 }
        }
        (low < self.end).then_some(low)
    }
}

/// What has arrived and what has not.
#[derive(Clone, Debug, Default)]
pub struct LossHistory {
    /// The packet with the highest number.
    highest: Option<Arrival>,
    /// By ascending numbers. They do not count as lost yet.
    holes: VecDeque<Hole>,
    /// The nominal arrival time of the packet that began the last loss event.
    event_at: Option<Instant>,
}

impl LossHistory {
    /// The highest number that has arrived.
    pub fn highest(&self) -> Option<u64> {
        self.highest.map(|arrival| arrival.number)
    }

    /// Packet `number` has arrived. Calls `event` with the number of each packet that begins a loss
    /// event, in their order; losses within `rtt` of the beginning belong to the event. Without a
    /// round-trip time losses wait for one.
    pub fn on_packet(
        &mut self,
        now: Instant,
        number: u64,
        rtt: Option<Duration>,
        event: impl FnMut(u64),
    ) {
        let arrival = Arrival { number, at: now };
        let expected = self.highest.map_or(0, |highest| highest.number + 1);
        if number < expected {
            self.fill(number);
        } else {
            if number > expected {
                let (before, after) = (self.highest, arrival);
                self.holes.push_back(Hole {
                    first: expected,
                    end: number,
                    before,
                    after,
                    later: 0,
                });
            }
            self.highest = Some(arrival);
        }
        if self.holes.is_empty() {
            return;
        }
        for hole in self.holes.iter_mut().take_while(|hole| hole.end <= number) {
            hole.later += 1;
        }
        if let Some(rtt) = rtt {
            self.lose(rtt, event);
        }
    }

    /// A packet has arrived late.
    fn fill(&mut self, number: u64) {
        let Some(index) = self.holes.iter().position(|h| (h.first..h.end).contains(&number)) else {
            return;
        };
        let hole = self.holes[index];
        let below = Hole { end: number, ..hole };
        let above = Hole { first: number + 1, ..hole };
        self.holes.remove(index);
        for part in [above, below].into_iter().filter(|part| part.first < part.end) {
            self.holes.insert(index, part);
        }
    }

    /// The holes with enough packets above are lost. (The lower hole has at least as many.)
    fn lose(&mut self, rtt: Duration, mut event: impl FnMut(u64)) {
        while let Some(hole) =
            self.holes.front().filter(|hole| hole.later >= LATER_PACKETS).copied()
        {
            self.holes.pop_front();
            let mut next = match self.event_at {
                Some(at) => hole.first_after(at + rtt),
                None => Some(hole.first),
            };
            while let Some(number) = next {
                let at = hole.time_of(number);
                self.event_at = Some(at);
                event(number);
                next = hole.first_after(at + rtt);
            }
        }
    }
}
