//! Pages: several objects each, some of which are known only when others have arrived, over several connections.

use super::connections::Connections;
use super::files::draws;
use super::transfer::{Transfer, whole_bytes};
use crate::rng::StreamId;
use crate::time::{Duration, Instant};
use crate::traffic::{Draws, Keeping, Objects, PageConfig};

/// The pages that are over, the present one, and when the next one begins.
#[derive(Debug)]
pub struct Pages {
    objects: u64,
    depth: u64,
    keeping: Keeping,
    sizes: Draws,
    think: Draws,
    /// Pages that are still to begin; `u64::MAX` never ends.
    left: u64,
    /// When the next one begins, if none is under way and there is one.
    next: Instant,
    /// Whether a page is under way.
    loads: bool,
    stopped: bool,
    present: Transfer,
    /// The objects of the present page that have not been asked for: their sizes by level, the next one last.
    waiting: Vec<Vec<u64>>,
    /// Objects that have been asked for and have not arrived.
    missing: u64,
    slots: Vec<Slot>,
    finished: Vec<Transfer>,
}

/// A connection of a page.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Whether it has been opened for this page.
    is_open: bool,
    /// An object is under way.
    is_busy: bool,
    /// What will have arrived then, bytes since the connection was opened.
    expected: u64,
    /// Segments sent again and timeouts of the connections before this one, for the same page.
    repairs: [u64; 2],
}

impl Pages {
    pub(super) fn new(config: &PageConfig, seed: u64, flow: u32) -> Self {
        let Objects { objects, size, depth } = &config.settings.page;
        Self {
            objects: *objects,
            depth: (*depth).min(*objects),
            keeping: config.keeping,
            sizes: draws(size, StreamId::FileSizes, seed, flow),
            think: draws(&config.think, StreamId::ThinkTimes, seed, flow),
            left: config.pages.largest(),
            next: Instant::NEVER,
            loads: false,
            stopped: false,
            present: Transfer::default(),
            waiting: Vec::new(),
            missing: 0,
            slots: vec![Slot::default(); config.connections as usize],
            finished: Vec::new(),
        }
    }

    pub(super) fn start(&mut self, now: Instant) {
        self.think(now);
    }

    pub(super) fn poll_at(&self) -> Instant {
        self.next
    }

    /// The next page begins.
    pub(super) fn on_timer(&mut self, now: Instant, connections: &mut impl Connections) {
        if self.left != u64::MAX {
            self.left -= 1;
        }
        (self.next, self.loads) = (Instant::NEVER, true);
        self.slots.fill(Slot::default());
        let sizes: Vec<u64> = (0..self.objects).map(|_| whole_bytes(self.sizes.draw())).collect();
        self.present = Transfer::begin(now, sizes.iter().sum());
        self.waiting = self.levels(sizes);
        self.ask(connections);
    }

    pub(super) fn on_progress(
        &mut self,
        now: Instant,
        slot: usize,
        connections: &mut impl Connections,
    ) {
        let (received, has_data) = connections.received(slot);
        if self.present.first_byte == Instant::ZERO && has_data {
            self.present.first_byte = now;
        }
        let place = &mut self.slots[slot];
        if place.is_busy && received >= place.expected {
            place.is_busy = false;
            self.missing -= 1;
            self.ask(connections);
            if self.missing == 0 && self.waiting.is_empty() {
                self.present.last_byte = now;
            }
        }
        let is_done = |slot| connections.is_done(slot);
        if self.loads && self.has_nothing_to_come() && self.open().all(is_done) {
            self.finish(now, connections);
        }
    }

    pub(super) fn stop(&mut self, connections: &mut impl Connections) {
        (self.left, self.next, self.stopped) = (0, Instant::NEVER, true);
        let slots: Vec<usize> = self.open().collect();
        let under_way = slots.into_iter().filter(|&slot| connections.stop(slot)).count();
        self.loads &= under_way > 0;
    }

    pub(super) fn is_finite(&self) -> bool {
        self.left != u64::MAX
    }

    pub(super) fn is_done(&self) -> bool {
        !self.loads && self.left == 0 && self.next == Instant::NEVER
    }

    pub(super) fn finished(&self) -> &[Transfer] {
        &self.finished
    }

    /// The sizes by level, the last level first, and in each the first object last.
    fn levels(&self, sizes: Vec<u64>) -> Vec<Vec<u64>> {
        let (others, levels) = (self.objects - 1, self.depth - 1);
        let level = |object: u64| match object {
            0 => 0,
            _ if levels == 0 => 0,
            _ => 1 + (object - 1) * levels / others,
        };
        let mut by_level = vec![Vec::new(); self.depth as usize];
        for (object, bytes) in sizes.into_iter().enumerate().rev() {
            by_level[(self.depth - 1 - level(object as u64)) as usize].push(bytes);
        }
        by_level
    }

    /// Asks for what is known and has a connection: a kept one that is free, else a new one.
    fn ask(&mut self, connections: &mut impl Connections) {
        if self.missing == 0 && self.waiting.last().is_some_and(Vec::is_empty) {
            self.waiting.pop();
        }
        while !self.stopped
            && let Some(level) = self.waiting.last_mut()
            && let Some(&bytes) = level.last()
            && let Some(slot) = self.free()
        {
            if let Some(level) = self.waiting.last_mut() {
                level.pop();
            }
            self.missing += 1;
            let place = &mut self.slots[slot];
            let reuses = place.is_open && self.keeping == Keeping::Kept;
            if reuses {
                place.expected += bytes;
                connections.request(slot, bytes);
            } else {
                if place.is_open {
                    let repairs = connections.repairs(slot);
                    place.repairs = [0, 1].map(|kind| place.repairs[kind] + repairs[kind]);
                }
                (place.is_open, place.expected) = (true, bytes);
                connections.open(slot, bytes);
            }
            self.slots[slot].is_busy = true;
        }
    }

    /// The connection for the next object, if one is free.
    fn free(&self) -> Option<usize> {
        let free =
            |is_open| self.slots.iter().position(|slot| !slot.is_busy && slot.is_open == is_open);
        free(true).or_else(|| free(false))
    }

    /// The slots with a connection of this page.
    fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.slots.len()).filter(|&slot| self.slots[slot].is_open)
    }

    fn has_nothing_to_come(&self) -> bool {
        self.stopped || (self.missing == 0 && self.waiting.is_empty())
    }

    /// The senders know that all has arrived, or all that they have sent before they were stopped.
    fn finish(&mut self, now: Instant, connections: &impl Connections) {
        if self.present.last_byte != Instant::ZERO {
            let mut page = Transfer { end: now, ..self.present };
            for slot in self.open() {
                let [retransmissions, timeouts] = connections.repairs(slot);
                let before = self.slots[slot].repairs;
                page.retransmissions += retransmissions + before[0];
                page.timeouts += timeouts + before[1];
            }
            self.finished.push(page);
        }
        self.loads = false;
        self.think(now);
    }

    fn think(&mut self, now: Instant) {
        self.next = match self.left {
            0 => Instant::NEVER,
            _ => now + Duration::from_secs_f64(self.think.draw()),
        };
    }
}
