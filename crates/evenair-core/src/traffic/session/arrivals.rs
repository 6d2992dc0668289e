//! Transfers that come by themselves, each over a new connection, however many others are under way (an open
//! loop).

use std::collections::VecDeque;

use super::connections::Connections;
use super::files::draws;
use super::transfer::{Transfer, whole_bytes};
use crate::rng::StreamId;
use crate::time::{Duration, Instant};
use crate::traffic::packet_trace::Replay;
use crate::traffic::{
    ArrivalsConfig, Beyond, Draws, OpenLoopConfig, PacketTraceConfig, TraceDirection,
};

/// The most transfers that wait; those that come then are dropped.
const MAX_WAITING: usize = 1_000_000;
/// The shortest time between two transfers. Shorter ones would let time stand still.
const MIN_GAP: Duration = Duration::from_nanos(1);

/// What has become of the transfers that have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// That have come, at any time.
    pub arrived: u64,
    /// That have come beyond the limit and not taken place, or that the end of the application has cut short, at any
    /// time.
    pub dropped: u64,
    /// Of those that came since some time, these wait.
    pub waiting: u64,
    /// Of these, these are under way.
    pub under_way: u64,
}

/// The transfers that are over, those under way and waiting, and when the next one comes.
#[derive(Debug)]
pub struct Arrivals {
    origin: Origin,
    beyond: Beyond,
    /// Those that are still to come; `u64::MAX` never ends.
    left: u64,
    next: Instant,
    slots: Vec<Option<Transfer>>,
    waiting: VecDeque<Transfer>,
    arrived: u64,
    dropped: u64,
    finished: Vec<Transfer>,
}

/// Where times and sizes come from.
#[derive(Debug)]
enum Origin {
    Drawn { sizes: Draws, gaps: Draws },
    Trace(Replay),
}

impl Arrivals {
    pub(super) fn new(config: &ArrivalsConfig, seed: u64, flow: u32) -> Self {
        let origin = Origin::Drawn {
            sizes: draws(&config.size, StreamId::FileSizes, seed, flow),
            gaps: draws(&config.gap, StreamId::ThinkTimes, seed, flow),
        };
        Self::of(origin, &config.open_loop, config.arrivals.largest())
    }

    /// Those of a trace that go in `direction`.
    pub(super) fn of_trace(config: &PacketTraceConfig, direction: TraceDirection) -> Self {
        let replay = Replay::new(config, direction, 0, Instant::ZERO);
        let count = replay.count();
        Self::of(Origin::Trace(replay), &config.open_loop, count)
    }

    fn of(origin: Origin, config: &OpenLoopConfig, left: u64) -> Self {
        Self {
            origin,
            beyond: config.beyond,
            left,
            next: Instant::NEVER,
            slots: vec![None; config.concurrent as usize],
            waiting: VecDeque::new(),
            arrived: 0,
            dropped: 0,
            finished: Vec::new(),
        }
    }

    pub(super) fn start(&mut self, now: Instant) {
        if let Origin::Trace(replay) = &mut self.origin {
            replay.begin(now);
        }
        self.find_next(now);
    }

    pub(super) fn poll_at(&self) -> Instant {
        self.next
    }

    /// A transfer comes.
    pub(super) fn on_timer(&mut self, now: Instant, connections: &mut impl Connections) {
        self.arrived += 1;
        if self.left != u64::MAX {
            self.left -= 1;
        }
        let bytes = match &mut self.origin {
            Origin::Drawn { sizes, .. } => whole_bytes(sizes.draw()),
            Origin::Trace(replay) => {
                let (_, bytes) = replay.next();
                replay.advance();
                u64::from(bytes)
            }
        };
        let transfer = Transfer::begin(now, bytes);
        match self.slots.iter().position(Option::is_none) {
            Some(slot) => self.open(slot, transfer, connections),
            None if self.beyond == Beyond::Wait && self.waiting.len() < MAX_WAITING => {
                self.waiting.push_back(transfer);
            }
            None => self.dropped += 1,
        }
        self.find_next(now);
    }

    pub(super) fn on_progress(
        &mut self,
        now: Instant,
        slot: usize,
        connections: &mut impl Connections,
    ) {
        let Some(transfer) = &mut self.slots[slot] else { return };
        transfer.observe(now, slot, connections);
        if !connections.is_done(slot) {
            return;
        }
        match transfer.finish(now, slot, connections) {
            Some(transfer) => self.finished.push(transfer),
            None => self.dropped += 1,
        }
        self.slots[slot] = None;
        if let Some(next) = self.waiting.pop_front() {
            self.open(slot, next, connections);
        }
    }

    /// What waits does not take place.
    pub(super) fn stop(&mut self, connections: &mut impl Connections) {
        (self.left, self.next) = (0, Instant::NEVER);
        self.dropped += self.waiting.len() as u64;
        self.waiting.clear();
        for slot in 0..self.slots.len() {
            if self.slots[slot].is_some() && !connections.stop(slot) {
                self.slots[slot] = None;
                self.dropped += 1;
            }
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.left != u64::MAX
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0 && self.slots.iter().all(Option::is_none)
    }

    pub(super) fn finished(&self) -> &[Transfer] {
        &self.finished
    }

    pub(super) fn tally(&self, since: Instant) -> Tally {
        let counted = |transfer: &&Transfer| transfer.start >= since;
        Tally {
            arrived: self.arrived,
            dropped: self.dropped,
            waiting: self.waiting.iter().filter(counted).count() as u64,
            under_way: self.slots.iter().flatten().filter(counted).count() as u64,
        }
    }

    fn open(&mut self, slot: usize, transfer: Transfer, connections: &mut impl Connections) {
        self.slots[slot] = Some(transfer);
        connections.open(slot, transfer.bytes);
    }

    fn find_next(&mut self, now: Instant) {
        self.next = match &mut self.origin {
            _ if self.left == 0 => Instant::NEVER,
            Origin::Drawn { gaps, .. } => now + Duration::from_secs_f64(gaps.draw()).max(MIN_GAP),
            Origin::Trace(replay) => replay.next().0,
        };
    }
}
