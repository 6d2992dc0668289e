//! What passes between the engine's thread and others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use evenair_core::time::Instant;

use crate::snmp::Radio;
use crate::timing::clock::Clock;

/// What other threads tell the engine, and what it tells them.
#[derive(Debug, Default)]
pub struct Signals {
    is_started: AtomicBool,
    is_stopped: AtomicBool,
    /// The clock, and time 0 of the scenario on it.
    start: OnceLock<(Clock, Instant)>,
    /// The counters of the access point's radio.
    pub(crate) radio: Arc<Radio>,
}

impl Signals {
    /// Time 0 of the scenario is now.
    pub fn start(&self) {
        self.is_started.store(true, Ordering::Relaxed);
    }

    /// The run ends now.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Time since the start of the scenario, seconds; `None` before.
    pub fn time_s(&self) -> Option<f64> {
        self.start.get().map(|(clock, start)| clock.now().since(*start).as_secs_f64())
    }

    pub(crate) fn is_started(&self) -> bool {
        self.is_started.load(Ordering::Relaxed)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn note_start(&self, clock: Clock, at: Instant) {
        // It starts once.
        let _ = self.start.set((clock, at));
    }
}
