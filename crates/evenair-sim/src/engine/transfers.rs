//! Finite transfers: the application that sends files one after the other, each over a connection of
//! its own, which begins like any other: with a handshake, the initial window and no round-trip
//! time.
//!
//! A transfer begins with the first packet of the handshake and ends when its sender knows that all
//! has arrived: that is what Miorandi et al. 2006 count in equation (14), each segment with its ACK,
//! and what ns-2 calls done. (For the user it is over with the last byte; a result has both.)
//! Closing the connection is not simulated, as there. So nothing of a connection but copies can
//! be under way when the next one begins, and `Packet::connection` separates those.
//!
//! Who opens the connection is a choice. Equation (13) has two packets before the first segment, as
//! ns-2, where the sender opens. A browser opens the connection itself.

use evenair_core::rng::{RngStream, StreamId};
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::{Distribution, Draws, Stream};
use evenair_core::transport::{AnyEnds, Counters, Output};

/// The largest file; a heavy tail has no end.
const MAX_BYTES: f64 = 1e15;

/// One transfer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Transfer {
    /// The first packet of the handshake leaves.
    pub(crate) start: Instant,
    /// The first segment reaches the receiver.
    pub(crate) first_byte: Instant,
    /// All has reached the receiver.
    pub(crate) last_byte: Instant,
    /// The sender knows.
    pub(crate) end: Instant,
    /// The file's size, without padding.
    pub(crate) bytes: u64,
    /// Segments sent again.
    pub(crate) retransmissions: u64,
    /// Expiries of either end's retransmission timer.
    pub(crate) timeouts: u64,
}

/// The transfers of one flow: those that are over, the present one, and when the next one begins.
#[derive(Debug)]
pub(crate) struct Transfers {
    /// The size of a segment that the last one is filled up to, bytes; 1 where it is not.
    pad: u64,
    sizes: Draws,
    think: Option<Draws>,
    /// Transfers that are still to begin; `u64::MAX` never ends.
    left: u64,
    phase: Phase,
    /// The number of the present connection, modulo 256.
    connection: u8,
    present: Transfer,
    /// What the connections before the present one have done.
    past: Counters,
    finished: Vec<Transfer>,
}

#[derive(Debug)]
enum Phase {
    /// Until the next transfer begins.
    Thinking(Instant),
    /// A transfer is under way.
    Transferring,
    /// There is no other.
    Done,
}

impl Transfers {
    /// The transfers of an application in segments of `segment` bytes; `None` if it has no finite
    /// ones. `flow` is its index in the run.
    pub(crate) fn new(application: &Stream, segment: u32, seed: u64, flow: u32) -> Option<Self> {
        let draws = |distribution: &Distribution, purpose| {
            let stream = RngStream::new(seed, purpose, u64::from(flow));
            Draws::new(distribution.clone(), stream)
        };
        let (size, padding, web) = match application {
            Stream::Bulk(_) => return None,
            Stream::File(file) => (&file.size, &file.padding, None),
            Stream::Web(web) => (&web.size, &web.padding, Some(web)),
        };
        Some(Self {
            pad: if padding.pad { u64::from(segment) } else { 1 },
            sizes: draws(size, StreamId::FileSizes),
            think: web.map(|web| draws(&web.think, StreamId::ThinkTimes)),
            left: web.map_or(1, |web| web.sessions.largest()),
            phase: Phase::Thinking(Instant::NEVER),
            connection: 0,
            present: Transfer::default(),
            past: Counters::default(),
            finished: Vec::new(),
        })
    }

    /// The application starts.
    pub(crate) fn start(&mut self, now: Instant) {
        self.think(now);
    }

    /// When the next transfer begins, if none is under way.
    pub(crate) fn next_start(&self) -> Instant {
        match self.phase {
            Phase::Thinking(until) => until,
            _ => Instant::NEVER,
        }
    }

    /// Begins the next transfer if that is due. Returns its bytes, with padding.
    pub(crate) fn begin(
        &mut self,
        now: Instant,
        ends: &mut AnyEnds,
        out: &mut impl Output,
    ) -> Option<u64> {
        if now < self.next_start() {
            return None;
        }
        self.past = self.total(ends.counters());
        let bytes = self.sizes.draw().round().clamp(1.0, MAX_BYTES) as u64;
        self.present = Transfer { start: now, bytes, ..Transfer::default() };
        if self.left != u64::MAX {
            self.left -= 1;
        }
        self.phase = Phase::Transferring;
        self.connection = self.connection.wrapping_add(1);
        let padded = bytes.next_multiple_of(self.pad);
        ends.open(now, self.connection, padded, out);
        Some(padded)
    }

    /// A packet has arrived at an end of the connection: notes how far the transfer has got.
    #[inline(never)] // so that the path of all other flows stays short
    pub(crate) fn observe(&mut self, now: Instant, ends: &AnyEnds) {
        let present = &mut self.present;
        let (received, has_data) = ends.received();
        if present.first_byte == Instant::ZERO && has_data {
            present.first_byte = now;
        }
        if present.last_byte == Instant::ZERO && received >= present.bytes {
            present.last_byte = now;
        }
        if ends.is_done() {
            self.finish(now, ends);
        }
    }

    /// No transfer begins any more; the present one sends nothing new.
    pub(crate) fn stop(&mut self, now: Instant, ends: &mut AnyEnds) {
        let is_opening = ends.is_opening();
        ends.stop(now);
        self.left = 0;
        if !matches!(self.phase, Phase::Transferring) || is_opening || ends.is_done() {
            self.phase = Phase::Done;
        }
    }

    /// Whether there will be an end to the transfers.
    pub(crate) fn is_finite(&self) -> bool {
        self.left != u64::MAX
    }

    /// Whether it has come.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    /// What all connections have done. `present` is what the present one has.
    pub(crate) fn total(&self, present: Counters) -> Counters {
        // Without padding.
        let delivered = present.delivered.min(self.present.bytes);
        self.past + Counters { delivered, ..present }
    }

    /// The transfers that are over, in their order.
    pub(crate) fn finished(&self) -> &[Transfer] {
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

    /// The sender knows that all has arrived, or all that it has sent before it was stopped.
    fn finish(&mut self, now: Instant, ends: &AnyEnds) {
        if !matches!(self.phase, Phase::Transferring) {
            return;
        }
        let counters = ends.counters();
        if counters.delivered >= self.present.bytes {
            let (retransmissions, timeouts) = (counters.retransmissions, counters.timeouts);
            self.finished.push(Transfer { end: now, retransmissions, timeouts, ..self.present });
        }
        self.think(now);
    }
}
