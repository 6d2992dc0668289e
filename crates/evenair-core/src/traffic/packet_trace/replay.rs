//! Packets or transfers of a trace, once more.

use std::sync::Arc;

use super::{PacketTraceConfig, TraceDirection};
use crate::time::{Duration, Instant};

/// The packets that go in one direction, at their times.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    /// Times since the beginning of a round, and payload, bytes.
    packets: Arc<[(Duration, u32)]>,
    repeat: Option<Duration>,
    /// When this round began.
    round: Instant,
    /// Of the next packet.
    place: usize,
}

impl Replay {
    /// The packets in `direction`, with a header of `header` bytes each.
    pub(crate) fn new(
        config: &PacketTraceConfig,
        direction: TraceDirection,
        header: u32,
        start: Instant,
    ) -> Self {
        let origin = config.origin();
        let all = config.packets.as_deref().unwrap_or_default().iter();
        let those = all.filter(|packet| packet.direction.is_none_or(|to| to == direction));
        let packets = those.map(|packet| (packet.at - origin, packet.bytes.saturating_sub(header)));
        Self { packets: packets.collect(), repeat: config.repeat, round: start, place: 0 }
    }

    /// When the next packet is sent, and its payload, bytes.
    pub(crate) fn next(&self) -> (Instant, u32) {
        match self.packets.get(self.place) {
            Some(&(at, payload)) => (self.round + at, payload),
            None => (Instant::NEVER, 0),
        }
    }

    /// The first round begins now.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.round = now;
    }

    /// How many there are in all; `u64::MAX` if they begin anew.
    pub(crate) fn count(&self) -> u64 {
        if self.repeat.is_some() { u64::MAX } else { self.packets.len() as u64 }
    }

    pub(crate) fn advance(&mut self) {
        self.place += 1;
        if let Some(repeat) = self.repeat
            && self.place >= self.packets.len()
        {
            self.round += repeat;
            self.place = 0;
        }
    }
}
