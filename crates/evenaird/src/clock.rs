//! Time of the daemon: CLOCK_MONOTONIC, which the BPF program reads as well. Setting the system's
//! clock does not change it; it stands still while the machine sleeps.

use std::time::SystemTime;

use evenair_core::time::Instant;
use nix::time::{ClockId, clock_gettime};

/// The time since an arbitrary point, usually the start of the machine.
pub fn now() -> Instant {
    // clock_gettime(2) fails for a clock that the kernel does not have, or for a bad pointer.
    let time =
        clock_gettime(ClockId::CLOCK_MONOTONIC).map_or((0, 0), |t| (t.tv_sec(), t.tv_nsec()));
    Instant::from_nanos(time.0 as u64 * 1_000_000_000 + time.1 as u64)
}

/// A wall-clock time as RFC 3339 has it, in UTC with milliseconds: `2026-01-31T08:00:00.000Z`.
pub fn rfc3339(time: SystemTime) -> String {
    let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since_1970.as_secs() / 86_400, since_1970.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let millis = since_1970.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// From `date -u -d @SECONDS`.
    #[test]
    fn dates_are_those_of_the_gregorian_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.250Z"),
            (951_782_399, "2000-02-28T23:59:59.250Z"),
            (951_782_400, "2000-02-29T00:00:00.250Z"),
            (1_709_251_199, "2024-02-29T23:59:59.250Z"),
            (1_735_689_599, "2024-12-31T23:59:59.250Z"),
            (4_107_542_400, "2100-03-01T00:00:00.250Z"),
        ] {
            let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, 250_000_000);
            assert_eq!(rfc3339(time), text);
        }
    }

    #[test]
    fn the_clock_does_not_go_back() {
        let first = now();
        std::thread::sleep(Duration::from_millis(2));
        let passed = now().since(first).as_nanos();
        assert!((2_000_000..5_000_000_000).contains(&passed), "{passed} ns");
    }
}
