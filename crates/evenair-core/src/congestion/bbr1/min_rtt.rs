//! The shortest round-trip time of the last 10 s, and the probe for it: 200 ms with 4 segments in flight
//! (`bbr_update_min_rtt`, `bbr_check_probe_rtt_done`).

use crate::time::{Duration, Instant};

/// `bbr_min_rtt_win_sec`.
const WINDOW: Duration = Duration::from_secs(10);
/// `bbr_probe_rtt_mode_ms`.
const PROBE: Duration = Duration::from_millis(200);

/// The shortest round-trip time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    value: Option<Duration>,
    at: Instant,
}

impl MinRtt {
    /// The connection is established, and its handshake took `rtt`.
    pub(super) fn new(now: Instant, rtt: Option<Duration>) -> Self {
        Self { value: rtt, at: now }
    }

    /// None before the first.
    pub(super) fn get(&self) -> Option<Duration> {
        self.value
    }

    /// Takes a round-trip time, if the ACK has one; `is_delayed`: its ACK may have been held back. Returns whether the
    /// one before was older than 10 s.
    pub(super) fn update(&mut self, now: Instant, rtt: Option<Duration>, is_delayed: bool) -> bool {
        let has_expired = now > self.at + WINDOW;
        let is_better = |rtt: &Duration| {
            self.value.is_none_or(|value| *rtt <= value) || (has_expired && !is_delayed)
        };
        if let Some(rtt) = rtt.filter(is_better) {
            (self.value, self.at) = (Some(rtt), now);
        }
        has_expired
    }

    /// A probe is over: none for another 10 s.
    pub(super) fn renew(&mut self, now: Instant) {
        self.at = now;
    }
}

/// A probe for the shortest round-trip time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// When it may end, once no more than 4 segments are in flight.
    end: Option<Instant>,
    has_round: bool,
}

impl Probe {
    /// Whether nothing more than the probe allows is in flight, for the first time: a round begins.
    pub(super) fn update(&mut self, now: Instant, is_low: bool, round_starts: bool) -> bool {
        if self.end.is_some() {
            self.has_round |= round_starts;
            return false;
        }
        if is_low {
            self.end = Some(now + PROBE);
        }
        is_low
    }

    /// Whether it has lasted a round and 200 ms.
    pub(super) fn is_done(&self, now: Instant) -> bool {
        self.has_round && self.has_ended(now)
    }

    /// Whether 200 ms are over.
    pub(super) fn has_ended(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| now > end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + MS(ms)
    }

    /// 50 ms of second 1 last until second 11. An ACK that may have been held back replaces them only if it is no slower.
    #[test]
    fn the_shortest_lasts_ten_seconds() {
        let mut min_rtt = MinRtt::new(at(0), Some(MS(60)));
        assert!(!min_rtt.update(at(1000), Some(MS(50)), false));
        assert!(!min_rtt.update(at(11_000), Some(MS(55)), false));
        assert_eq!(min_rtt.get(), Some(MS(50)));
        assert!(min_rtt.update(at(11_001), Some(MS(55)), true));
        assert_eq!(min_rtt.get(), Some(MS(50)));
        assert!(min_rtt.update(at(11_002), Some(MS(55)), false));
        assert_eq!(min_rtt.get(), Some(MS(55)));
        assert!(!min_rtt.update(at(21_002), None, false));
        min_rtt.renew(at(21_003));
        assert!(!min_rtt.update(at(31_003), None, false));
        assert!(min_rtt.update(at(31_004), None, false));
    }

    /// The 200 ms begin when 4 segments are in flight, and a whole round must be within.
    #[test]
    fn a_probe_takes_a_round_and_200_ms() {
        let mut probe = Probe::default();
        assert!(!probe.update(at(0), false, true));
        assert!(probe.update(at(100), true, false));
        assert!(!probe.update(at(200), true, true));
        assert!(!probe.is_done(at(300)) && probe.is_done(at(301)));
        let mut slow = Probe::default();
        slow.update(at(100), true, true);
        assert!(!slow.is_done(at(400)));
        slow.update(at(500), true, true);
        assert!(slow.is_done(at(500)));
    }
}
