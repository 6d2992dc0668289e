//! The medium clock: CLOCK_MONOTONIC since the start of the engine.

use evenair_core::time::{Duration, Instant};
use nix::time::{ClockId, clock_gettime};

/// The medium clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    epoch: Duration,
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self { epoch: read(ClockId::CLOCK_MONOTONIC) }
    }

    /// The time.
    pub fn now(&self) -> Instant {
        Instant::ZERO + read(ClockId::CLOCK_MONOTONIC).saturating_sub(self.epoch)
    }

    /// A time of this clock on CLOCK_MONOTONIC, seconds.
    pub fn monotonic_s(&self, at: Instant) -> f64 {
        (self.epoch + at.since(Instant::ZERO)).as_secs_f64()
    }
}

/// The processor time of this thread, seconds.
pub fn thread_cpu_s() -> f64 {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID).as_secs_f64()
}

/// The time since 1970-01-01 00:00 UTC.
pub fn utc() -> Duration {
    read(ClockId::CLOCK_REALTIME)
}

fn read(clock: ClockId) -> Duration {
    // clock_gettime(2) fails for a clock that the kernel does not have, or for a bad pointer.
    let (seconds, nanos) = clock_gettime(clock).map_or((0, 0), |t| (t.tv_sec(), t.tv_nsec()));
    Duration::from_nanos(seconds as u64 * 1_000_000_000 + nanos as u64)
}
