//! What successive readings of a counter say about losses. Without I/O: times are passed in, as
//! durations since any fixed instant of a clock that never goes back.

use std::time::Duration;

use super::{Health, Sample};

/// A count of lost packets, as wide as its source has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Passes from 2^32 - 1 to 0 (Counter32, RFC 2578 §7.1.6).
    Bits32(u32),
    /// Does not wrap in practice (Counter64, RFC 2578 §7.1.10).
    Bits64(u64),
}

/// One answer of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Packets lost so far.
    pub lost: Count,
    /// A counter that changes whenever packets pass and the source has refreshed its counters.
    /// `None`: the source does not cache, every reading is fresh.
    pub activity: Option<u128>,
    /// Time since the source started, 1/100 s, modulo 2^32 (sysUpTime, RFC 3418).
    pub uptime: Option<u32>,
    /// Counts of different epochs cannot be compared: another interface has the name, or the
    /// source says that the count is discontinuous.
    pub epoch: u64,
}

/// Follows a count of losses from reading to reading.
///
/// The losses of all samples add up to those that the readings show. Not known, and not reported,
/// is what was lost between the last reading before a restart of the source and the first after it.
#[derive(Debug)]
pub struct Counter {
    patience: Duration,
    last: Option<(Duration, Reading)>,
    /// When the last fresh reading came, at first the start.
    fresh_at: Duration,
    /// When the reading before the last change came.
    before_change: Option<Duration>,
    refresh: Option<Duration>,
    /// Samples in a row with traffic and answers, but without a fresh reading.
    unchanged: u32,
    /// Since the last sample.
    news: News,
}

#[derive(Debug, Default)]
struct News {
    answered: bool,
    fresh: bool,
    event: Option<Health>,
    lost: Option<u64>,
}

/// The losses per second above which a count is discontinuous: 10 Gb/s, the fastest port of access
/// points, full of the shortest frames (84 bytes with preamble and gap, IEEE 802.3).
const MAX_LOSSES_PER_SECOND: u128 = 14_880_952;

/// The excess of our clock over sysUpTime that means a restart. Agents may cache sysUpTime for some
/// seconds, and their clock may be slow by one part in `CLOCK_TOLERANCE` (both calibrated). A
/// restart is not seen if the agent ran for less than this and then was gone for less than this.
const UPTIME_TOLERANCE: Duration = Duration::from_secs(5);
const CLOCK_TOLERANCE: u32 = 1000;

/// Samples without a fresh reading after which the source is stale: a single packet can pass the
/// gateway just before the sample and the access point just after it.
const STALE_AFTER: u32 = 2;

impl Counter {
    /// A source is unreachable when it has not answered for `patience`.
    pub fn new(now: Duration, patience: Duration) -> Self {
        Counter {
            patience,
            last: None,
            fresh_at: now,
            before_change: None,
            refresh: None,
            unchanged: 0,
            news: News::default(),
        }
    }

    /// The source has answered.
    pub fn read(&mut self, now: Duration, reading: Reading) {
        self.news.answered = true;
        let Some((before, last)) = self.last.replace((now, reading)) else {
            return self.set_fresh(now);
        };
        let elapsed = now.saturating_sub(before);
        let Some(lost) = self.losses(now, elapsed, last, reading) else {
            self.news.event = Some(Health::Reset);
            self.before_change = None;
            self.refresh = None;
            return self.set_fresh(now);
        };
        let Some(activity) = reading.activity else {
            self.add(lost);
            return self.set_fresh(now);
        };
        if lost > 0 || Some(activity) != last.activity {
            self.add(lost);
            self.set_fresh(now);
            // The change happened after `before`, the one before it after `start`.
            if let Some(start) = self.before_change.replace(before) {
                let interval = now.saturating_sub(start);
                self.refresh = Some(self.refresh.map_or(interval, |known| known.min(interval)));
            }
        }
    }

    /// What became known since the last sample. `active`: packets that the source should count
    /// have been sent since then.
    pub fn sample(&mut self, now: Duration, active: bool) -> Sample {
        let news = std::mem::take(&mut self.news);
        // Without an answer nothing is known.
        if news.answered {
            self.unchanged = if active && !news.fresh { self.unchanged + 1 } else { 0 };
        }
        let answered_at = self.last.map(|(at, _)| at);
        let patient = answered_at.is_some_and(|at| now.saturating_sub(at) < self.patience);
        let health = match news.event {
            Some(event) => event,
            None if !news.answered && !patient => Health::Unreachable,
            None if self.unchanged >= STALE_AFTER => Health::Stale,
            None => Health::Ok,
        };
        let lost = match health {
            // A zero stands for the time since the restart only.
            Health::Reset => news.lost.filter(|&lost| lost > 0),
            _ if news.answered && !news.fresh && !active => Some(0),
            _ => news.lost,
        };
        Sample { health, lost, age: now.saturating_sub(self.fresh_at) }
    }

    /// The shortest interval in which the source was seen to refresh its counters: an upper bound,
    /// since a change is known only to lie between two readings.
    pub fn refresh(&self) -> Option<Duration> {
        self.refresh
    }

    fn set_fresh(&mut self, now: Duration) {
        self.fresh_at = now;
        self.news.fresh = true;
    }

    fn add(&mut self, lost: u64) {
        self.news.lost = Some(self.news.lost.unwrap_or(0).saturating_add(lost));
    }

    /// The losses between two readings; `None` if the count is discontinuous.
    fn losses(
        &mut self,
        now: Duration,
        elapsed: Duration,
        last: Reading,
        reading: Reading,
    ) -> Option<u64> {
        if last.epoch != reading.epoch || has_restarted(last.uptime, reading.uptime, elapsed) {
            return None;
        }
        let (lost, wrapped) = match (last.lost, reading.lost) {
            (Count::Bits32(last), Count::Bits32(next)) => {
                (next.wrapping_sub(last).into(), next < last)
            }
            (Count::Bits64(last), Count::Bits64(next)) => (next.checked_sub(last)?, false),
            _ => return None,
        };
        // A cached count may be some seconds older than the reading that contains it.
        let time = now.saturating_sub(self.fresh_at) + Duration::from_secs(1);
        if u128::from(lost) * 1000 > MAX_LOSSES_PER_SECOND * time.as_millis() {
            return None;
        }
        if wrapped {
            self.news.event.get_or_insert(Health::Wrapped);
        }
        Some(lost)
    }
}

/// Whether `uptime` went back, or advanced less than our clock.
fn has_restarted(last: Option<u32>, uptime: Option<u32>, elapsed: Duration) -> bool {
    let (Some(last), Some(uptime)) = (last, uptime) else { return false };
    // Modulo 2^32 (497 days), the upper half stands for negative differences.
    let advance = uptime.wrapping_sub(last);
    let advance_time = Duration::from_millis(u64::from(advance) * 10);
    let tolerance = UPTIME_TOLERANCE + elapsed / CLOCK_TOLERANCE;
    advance > u32::MAX / 2 || advance_time + tolerance < elapsed
}

#[cfg(test)]
mod tests;
