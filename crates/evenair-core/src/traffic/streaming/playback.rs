//! The buffer of a player, and when it runs empty.

use crate::time::{Duration, Instant};

/// Video that has arrived and is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Playback {
    /// What is in the buffer when it is played, first and after a stall.
    start_at: Duration,
    /// What was in the buffer at `since`.
    level: Duration,
    since: Instant,
    is_playing: bool,
    /// Nothing follows what is in the buffer.
    is_complete: bool,
    /// When it was played first.
    began: Option<Instant>,
    measured_from: Instant,
    /// Stalls that have begun in the measured time before the present one, and how long they took in it.
    stalls: u64,
    stalled: Duration,
}

impl Playback {
    /// Empty.
    pub(super) fn new(now: Instant, start_at: Duration) -> Self {
        Self {
            start_at,
            level: Duration::ZERO,
            since: now,
            is_playing: false,
            is_complete: false,
            began: None,
            measured_from: Instant::ZERO,
            stalls: 0,
            stalled: Duration::ZERO,
        }
    }

    /// What is in the buffer.
    pub(super) fn level(&self, now: Instant) -> Duration {
        if self.is_playing { self.level.saturating_sub(now.since(self.since)) } else { self.level }
    }

    /// From when on no more than `level` is in the buffer. What waits to be played is no more than that.
    pub(super) fn when_at_most(&self, level: Duration) -> Instant {
        self.since + self.level.saturating_sub(level)
    }

    /// When it was played first.
    pub(super) fn began(&self) -> Option<Instant> {
        self.began
    }

    /// `chunk` has arrived, the last one or not.
    pub(super) fn add(&mut self, now: Instant, chunk: Duration, is_last: bool) {
        (self.stalls, self.stalled) = self.stalls(now);
        let level = self.level(now);
        self.is_playing &= level > Duration::ZERO;
        self.level = level + chunk;
        self.since = now;
        self.is_complete = is_last;
        if !self.is_playing && (self.level >= self.start_at || is_last) {
            self.is_playing = true;
            self.began.get_or_insert(now);
        }
    }

    /// Stalls count from now on, one that has begun before only with its time.
    pub(super) fn measure_from(&mut self, now: Instant) {
        self.measured_from = now;
        (self.stalls, self.stalled) = (0, Duration::ZERO);
    }

    /// Stalls that have begun in the measured time until `now`, and how long they have taken in it.
    pub(super) fn stalls(&self, now: Instant) -> (u64, Duration) {
        let Some(_) = self.began else { return (0, Duration::ZERO) };
        if self.is_complete {
            return (self.stalls, self.stalled);
        }
        // When the buffer ran empty, or runs.
        let empty = if self.is_playing { self.since + self.level } else { self.since };
        if empty >= now {
            return (self.stalls, self.stalled);
        }
        let is_new = self.is_playing && empty >= self.measured_from;
        let time = now.since(empty.max(self.measured_from));
        (self.stalls + u64::from(is_new), self.stalled + time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: fn(u64) -> Duration = Duration::from_secs;

    fn at(s: u64) -> Instant {
        Instant::ZERO + SECOND(s)
    }

    /// Chunks of 2 s at 1, 2 and 9 s, played from 4 s on in the buffer: played from 2 to 6 s; at 9 s there are 2 s,
    /// which wait; with those of 11 s it is played to 15 s.
    #[test]
    fn a_stall_ends_when_there_is_enough() {
        let mut playback = Playback::new(at(0), SECOND(4));
        playback.add(at(1), SECOND(2), false);
        assert_eq!((playback.began(), playback.level(at(2))), (None, SECOND(2)));
        playback.add(at(2), SECOND(2), false);
        assert_eq!((playback.began(), playback.level(at(5))), (Some(at(2)), SECOND(1)));
        assert_eq!(playback.when_at_most(SECOND(3)), at(3));
        assert_eq!(playback.stalls(at(6)), (0, SECOND(0)));
        assert_eq!(playback.stalls(at(8)), (1, SECOND(2)));
        playback.add(at(9), SECOND(2), false);
        assert_eq!((playback.level(at(10)), playback.stalls(at(10))), (SECOND(2), (1, SECOND(4))));
        playback.add(at(11), SECOND(2), false);
        assert_eq!((playback.level(at(13)), playback.stalls(at(15))), (SECOND(2), (1, SECOND(5))));
        assert_eq!(playback.stalls(at(16)), (2, SECOND(6)));
    }

    /// A stall from 3 s on; measured from 5 s on it is none that has begun, but takes time.
    #[test]
    fn only_the_measured_time_counts() {
        let mut playback = Playback::new(at(0), SECOND(2));
        playback.add(at(1), SECOND(2), false);
        playback.measure_from(at(5));
        assert_eq!(playback.stalls(at(7)), (0, SECOND(2)));
        playback.add(at(8), SECOND(2), true);
        assert_eq!(playback.stalls(at(20)), (0, SECOND(3)));
    }
}
