//! What the sender of datagrams knows of those that come back: round-trip times and losses.

use std::collections::VecDeque;

use super::contract::Counters;
use crate::delays::Delays;
use crate::time::{Duration, Instant};

/// Datagrams whose echo is awaited.
const MAX_AWAITED: usize = 1 << 20;

/// The echoes of the datagrams that are sent in the measured time.
#[derive(Clone, Debug, Default)]
pub struct Echoes {
    /// The datagrams without an echo that may still come: when they were sent, and
    /// [`Packet::seq`](crate::packet::Packet::seq).
    awaited: VecDeque<(Instant, u64)>,
    /// Those that have been sent without an echo so far.
    missing: u64,
    received: u64,
    rtt_sum: Duration,
    rtts: Delays,
}

impl Echoes {
    /// The datagram `seq` is sent.
    pub fn expect(&mut self, now: Instant, seq: u64) {
        self.missing += 1;
        if self.awaited.len() == MAX_AWAITED {
            self.awaited.pop_front();
        }
        self.awaited.push_back((now, seq));
    }

    /// The datagram `seq` has come back. Those before it will not: flows keep their order.
    pub fn receive(&mut self, now: Instant, seq: u64) {
        while let Some(&(sent, awaited)) = self.awaited.front()
            && awaited <= seq
        {
            self.awaited.pop_front();
            if awaited == seq {
                let rtt = now.since(sent);
                self.missing -= 1;
                self.received += 1;
                self.rtt_sum += rtt;
                self.rtts.record(rtt);
            }
        }
    }

    /// Measures anew: what was sent before is not awaited any more.
    pub fn reset(&mut self) {
        self.awaited.clear();
        self.rtts.reset();
    }

    /// The round-trip times of those that have come back.
    pub fn rtts(&self) -> &Delays {
        &self.rtts
    }

    /// Losses and round-trip times since the start.
    pub fn counters(&self) -> Counters {
        Counters {
            packets_lost: self.missing,
            rtt_samples: self.received,
            rtt_sum: self.rtt_sum,
            ..Counters::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// By hand: of four datagrams the second is lost, and the fourth has not come back yet.
    #[test]
    fn a_datagram_without_an_echo_is_missing() {
        let mut echoes = Echoes::default();
        for seq in 0..4 {
            echoes.expect(at(100 * seq), 56 * seq);
        }
        echoes.receive(at(330), 0);
        echoes.receive(at(350), 2 * 56);
        // A copy of an echo, and one of a datagram that counts as lost.
        echoes.receive(at(360), 2 * 56);
        echoes.receive(at(370), 56);
        let counters = echoes.counters();
        assert_eq!((counters.packets_lost, counters.rtt_samples), (2, 2));
        assert_eq!(counters.rtt_sum, Duration::from_millis(330 + 150));
        assert_eq!(echoes.rtts().max(), Duration::from_millis(330));
    }

    /// What was sent before the measurement is neither a sample nor found again.
    #[test]
    fn a_measurement_begins_with_what_is_sent_then() {
        let mut echoes = Echoes::default();
        echoes.expect(at(0), 0);
        let before = echoes.counters();
        echoes.reset();
        echoes.expect(at(10), 56);
        echoes.receive(at(11), 0);
        echoes.receive(at(15), 56);
        let after = echoes.counters();
        assert_eq!(after.packets_lost - before.packets_lost, 0);
        assert_eq!(after.rtt_samples - before.rtt_samples, 1);
        assert_eq!(echoes.rtts().sum(), Duration::from_millis(5));
    }
}
