//! A viewer of a video: the player's chunks, one after the other, over one connection that is kept.

use super::connections::Connections;
use super::transfer::Transfer;
use crate::time::Instant;
use crate::traffic::streaming::{Player, StreamConfig, Viewing};

/// The player, and how far its connection has got.
#[derive(Debug)]
pub struct Viewer {
    player: Player,
    /// What will have arrived with the present chunk, bytes since the connection was opened; 0 before the first.
    expected: u64,
    /// The present chunk has not arrived.
    is_waiting: bool,
    has_started: bool,
    stopped: bool,
    /// Whether the video has an end.
    is_finite: bool,
}

impl Viewer {
    pub(super) fn new(config: &StreamConfig) -> Self {
        Self {
            player: Player::new(config.clone(), Instant::ZERO),
            expected: 0,
            is_waiting: false,
            has_started: false,
            stopped: false,
            is_finite: config.chunks.largest() != u64::MAX,
        }
    }

    pub(super) fn start(&mut self, now: Instant) {
        self.player.start(now);
        self.has_started = true;
    }

    pub(super) fn poll_at(&self) -> Instant {
        let asks = self.has_started && !self.stopped;
        if asks { self.player.next_request_at() } else { Instant::NEVER }
    }

    /// The next chunk is asked for.
    pub(super) fn on_timer(&mut self, now: Instant, connections: &mut impl Connections) {
        let bytes = self.player.request(now);
        self.is_waiting = true;
        match self.expected {
            0 => connections.open(0, bytes),
            _ => connections.request(0, bytes),
        }
        self.expected += bytes;
    }

    pub(super) fn on_progress(
        &mut self,
        now: Instant,
        slot: usize,
        connections: &mut impl Connections,
    ) {
        let (received, _) = connections.received(slot);
        if self.is_waiting && received >= self.expected {
            self.is_waiting = false;
            self.player.on_chunk(now);
        }
    }

    pub(super) fn stop(&mut self, connections: &mut impl Connections) {
        self.stopped = true;
        if self.expected > 0 {
            connections.stop(0);
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.is_finite
    }

    /// What has arrived is played without the network.
    pub(super) fn is_done(&self) -> bool {
        self.stopped || self.player.is_done()
    }

    /// Chunks are no transfers of their own.
    pub(super) fn finished(&self) -> &[Transfer] {
        &[]
    }

    pub(super) fn measure_from(&mut self, now: Instant) {
        self.player.measure_from(now);
    }

    pub(super) fn viewing(&self, now: Instant) -> Viewing {
        self.player.viewing(now)
    }
}
