//! The timer of the end that opens a connection.

use crate::component::named;
use crate::time::{Duration, Instant};

named! {
    /// When the timer of an unanswered SYN, or of the request after it, expires.
    pub enum SynTimer {
        /// Exactly after the timeout. Ends that lose their SYNs at the same time repeat them at the same
        /// time.
        Exact => "exact",
        /// On a tick of the host's clock, as the timer wheel of Linux has it since 4.8
        /// (`kernel/time/timer.c`): late by up to an eighth of the timeout.
        #[default]
        Linux => "linux",
    }
    planned []
}

/// A jiffy: 4 ms, because 250 Hz is the default of `CONFIG_HZ` (`kernel/Kconfig.hz`).
const JIFFY: Duration = Duration::from_millis(4);
/// Jiffies of timeout up to which the lowest level of the wheel is used (`LVL_SIZE` - 1).
const LOWEST_LEVEL: u64 = 63;
/// Each level has buckets this many times as long as the level below, as a power of 2
/// (`LVL_CLK_SHIFT`).
const LEVEL_SHIFT: u32 = 3;

impl SynTimer {
    /// The range of `uptime` with [`SynTimer::Linux`]: a bucket of the level of the longest timeout, 60 s.
    /// Longer ones expire no differently.
    pub const UPTIMES: Duration = Duration::from_millis(4 << (3 * LEVEL_SHIFT));

    /// When a timer expires that is set at `now`. `uptime` is the age of the host's clock at time 0, which
    /// is as good as random.
    pub(super) fn expiry(self, uptime: Duration, now: Instant, timeout: Duration) -> Instant {
        match self {
            Self::Exact => now + timeout,
            Self::Linux => {
                let jiffy = JIFFY.as_nanos();
                let set = (now + uptime).as_nanos() / jiffy;
                let expires = set + timeout.as_nanos().div_ceil(jiffy);
                let bucket = bucket_expiry(expires, expires - set);
                Instant::from_nanos(bucket * jiffy - uptime.as_nanos())
            }
        }
    }
}

/// The jiffy at which the bucket expires that a timer for the jiffy `expires`, `delta` from now, is put
/// into (`calc_wheel_index`).
fn bucket_expiry(expires: u64, delta: u64) -> u64 {
    let mut shift = 0;
    while delta >= LOWEST_LEVEL << shift {
        shift += LEVEL_SHIFT;
    }
    ((expires >> shift) + 1) << shift
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// By hand from the head of `kernel/time/timer.c` for 250 Hz: buckets of 4 ms up to 252 ms, of 32 ms
    /// up to 2016 ms, of 256 ms up to 16128 ms; a timer is put into the bucket after its time.
    #[test]
    fn timers_expire_at_the_end_of_their_bucket() {
        let timer = SynTimer::Linux;
        for (timeout, expiry) in [
            (200, 204),
            (1_000, 1_024),
            (1_024, 1_056),
            (2_000, 2_016),
            (3_000, 3_072),
            (4_000, 4_096),
            (8_000, 8_192),
            (16_000, 16_128),
            (32_000, 32_768),
        ] {
            let at = timer.expiry(Duration::ZERO, Instant::ZERO, MS(timeout));
            assert_eq!(at, Instant::ZERO + MS(expiry), "{timeout}");
        }
        // A clock that is 10 ms older: buckets end 10 ms earlier.
        assert_eq!(timer.expiry(MS(10), Instant::ZERO, MS(1_000)), Instant::ZERO + MS(1_014));
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// The head of `kernel/time/timer.c`: timers are never early, and late by up to the length of a
        /// bucket, 8/63 of the shortest timeout of its level, and here by the rest of a jiffy twice.
        #[test]
        fn timers_are_never_early_and_late_by_a_bucket_at_most(
            now in 0..100_000_000_000_u64, uptime in 0..2_048_000_000_u64, timeout in 1..60_000_u64,
        ) {
            let now = Instant::from_nanos(now);
            let uptime = Duration::from_nanos(uptime);
            let waited = SynTimer::Linux.expiry(uptime, now, MS(timeout)).since(now);
            prop_assert!(waited >= MS(timeout));
            prop_assert!(waited <= MS(timeout) + MS(timeout) * 8 / 63 + MS(8), "{waited}");
        }
    }
}
