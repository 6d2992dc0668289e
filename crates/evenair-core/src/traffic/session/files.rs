//! Files, one after the other, each over a connection of its own, which begins like any other: with a handshake,
//! the initial window and no round-trip time.
//!
//! A transfer begins with the first packet of the handshake and ends when its sender knows that all
//! has arrived: that is what Miorandi et al. 2006 count in equation (14), each segment with its ACK,
//! and what ns-2 calls done. (For the user it is over with the last byte; a result has both.)
//! Closing the connection is not simulated, as there. So nothing of a connection but copies can
//! be under way when the next one begins, and `Packet::connection` separates those.
//!
//! Who opens the connection is a choice. Equation (13) has two packets before the first segment, as
//! ns-2, where the sender opens. A browser opens the connection itself.

use super::connections::Connections;
use super::transfer::{Transfer, whole_bytes};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::traffic::{Distribution, Draws, WebConfig};

/// The files that are over, the present one, and when the next one begins.
#[derive(Debug)]
pub struct Files {
    sizes: Draws,
    think: Option<Draws>,
    /// Files that are still to begin; `u64::MAX` never ends.
    left: u64,
    phase: Phase,
    present: Transfer,
    finished: Vec<Transfer>,
}

#[derive(Debug)]
enum Phase {
    /// Until the next file begins.
    Thinking(Instant),
    /// A file is under way.
    Transferring,
    /// There is no other.
    Done,
}

impl Files {
    /// A single file, at the start.
    pub(super) fn once(size: &Distribution, seed: u64, flow: u32) -> Self {
        Self::new(draws(size, StreamId::FileSizes, seed, flow), None, 1)
    }

    /// The files of a web user.
    pub(super) fn of_user(web: &WebConfig, seed: u64, flow: u32) -> Self {
        let think = draws(&web.think, StreamId::ThinkTimes, seed, flow);
        let sizes = draws(&web.size, StreamId::FileSizes, seed, flow);
        Self::new(sizes, Some(think), web.sessions.largest())
    }

    /// Files of these sizes, `pause` seconds apart; at least one.
    pub(super) fn of_sizes(sizes: Vec<u64>, pause: f64) -> Self {
        let count = sizes.len() as u64;
        let sizes: Vec<f64> = sizes.into_iter().map(|bytes| bytes as f64).collect();
        let draws = |distribution, purpose| draws(&distribution, purpose, 0, 0);
        let pause = draws(Distribution::constant(pause), StreamId::ThinkTimes);
        Self::new(draws(Distribution::trace(sizes.into()), StreamId::FileSizes), Some(pause), count)
    }

    fn new(sizes: Draws, think: Option<Draws>, left: u64) -> Self {
        let phase = Phase::Thinking(Instant::NEVER);
        Self { sizes, think, left, phase, present: Transfer::default(), finished: Vec::new() }
    }

    pub(super) fn start(&mut self, now: Instant) {
        self.think(now);
    }

    /// When the next file begins, if none is under way.
    pub(super) fn poll_at(&self) -> Instant {
        match self.phase {
            Phase::Thinking(until) => until,
            _ => Instant::NEVER,
        }
    }

    /// The next file begins.
    pub(super) fn on_timer(&mut self, now: Instant, connections: &mut impl Connections) {
        let bytes = whole_bytes(self.sizes.draw());
        self.present = Transfer::begin(now, bytes);
        if self.left != u64::MAX {
            self.left -= 1;
        }
        self.phase = Phase::Transferring;
        connections.open(0, bytes);
    }

    pub(super) fn on_progress(
        &mut self,
        now: Instant,
        slot: usize,
        connections: &mut impl Connections,
    ) {
        self.present.observe(now, slot, connections);
        // The sender knows that all has arrived, or all that it has sent before it was stopped.
        if connections.is_done(slot) && matches!(self.phase, Phase::Transferring) {
            self.finished.extend(self.present.finish(now, slot, connections));
            self.think(now);
        }
    }

    pub(super) fn stop(&mut self, connections: &mut impl Connections) {
        let goes_on = connections.stop(0);
        self.left = 0;
        if !goes_on || !matches!(self.phase, Phase::Transferring) {
            self.phase = Phase::Done;
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.left != u64::MAX
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    pub(super) fn finished(&self) -> &[Transfer] {
        &self.finished
    }

    fn think(&mut self, now: Instant) {
        self.phase = if self.left == 0 {
            Phase::Done
        } else {
            let think = self.think.as_mut().map_or(0.0, Draws::draw);
            Phase::Thinking(now + Duration::from_secs_f64(think))
        };
    }
}

/// Draws from a distribution in the stream of a flow for a purpose.
pub(super) fn draws(distribution: &Distribution, purpose: StreamId, seed: u64, flow: u32) -> Draws {
    Draws::new(distribution.clone(), RngStream::new(seed, purpose, u64::from(flow)))
}
