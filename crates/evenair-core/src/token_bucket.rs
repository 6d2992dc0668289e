//! A token bucket (RFC 2216, as in Linux `tc-tbf(8)`): at most `size + rate * t` passes in any
//! interval of `t` seconds.
//!
//! A token is a billionth of a bit, so that a nanosecond at any integer rate yields an integer number
//! of tokens, and nothing is rounded. The bucket is full at the start.

use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Tokens of a bit: nanoseconds per second.
const TOKENS_PER_BIT: u128 = 1_000_000_000;

/// A bucket that fills at a rate, which may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    rate: Rate,
    /// Capacity, tokens.
    size: u128,
    /// Those in the bucket at `updated`.
    tokens: u128,
    updated: Instant,
}

impl TokenBucket {
    /// A bucket of `size` bytes that is full at time 0.
    pub fn new(rate: Rate, size: u64) -> Self {
        let size = cost(size);
        Self { rate, size, tokens: size, updated: Instant::ZERO }
    }

    /// The rate at which it fills.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// From `now` on it fills at this rate. What is in it stays.
    pub fn set_rate(&mut self, now: Instant, rate: Rate) {
        self.tokens = self.tokens_at(now);
        self.updated = self.updated.max(now);
        self.rate = rate;
    }

    /// Takes the tokens of `bytes` if there are enough; returns whether there were.
    pub fn take(&mut self, now: Instant, bytes: u64) -> bool {
        let (available, cost) = (self.tokens_at(now), cost(bytes));
        if available < cost {
            return false;
        }
        (self.tokens, self.updated) = (available - cost, self.updated.max(now));
        true
    }

    /// What is in the bucket, billionths of a bit.
    pub fn tokens_at(&self, now: Instant) -> u128 {
        let gained =
            u128::from(self.rate.as_bps()) * u128::from(now.since(self.updated).as_nanos());
        self.tokens.saturating_add(gained).min(self.size)
    }

    /// When the tokens of `bytes` are there, unless some are taken before; rounded up to the next
    /// nanosecond. Not for more bytes than the bucket holds, which are never there.
    pub fn ready_at(&self, bytes: u64) -> Instant {
        let missing = cost(bytes).saturating_sub(self.tokens);
        let wait = missing.div_ceil(u128::from(self.rate.as_bps()));
        self.updated + Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX))
    }

    /// Whether the bucket can ever hold the tokens of `bytes`.
    pub fn can_hold(&self, bytes: u64) -> bool {
        cost(bytes) <= self.size
    }
}

/// The tokens that `bytes` cost.
fn cost(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * TOKENS_PER_BIT
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// By hand: 1 Mb/s is 125 bytes per millisecond.
    #[test]
    fn tokens_accumulate_at_the_rate() {
        let mut bucket = TokenBucket::new(Rate::from_mbps(1), 1000);
        assert!(bucket.take(at(0), 1000) && !bucket.take(at(0), 1));
        assert!(!bucket.take(at(1), 126) && bucket.take(at(1), 125));
        assert!(!bucket.take(at(100), 1001) && bucket.take(at(100), 1000));
    }

    /// By hand: 1 ms at 1 Mb/s and 1 ms at 8 Mb/s yield 125 and 1000 bytes.
    #[test]
    fn a_change_of_the_rate_keeps_the_tokens() {
        let mut bucket = TokenBucket::new(Rate::from_mbps(1), 5000);
        assert!(bucket.take(at(0), 5000));
        bucket.set_rate(at(1), Rate::from_mbps(8));
        assert_eq!(bucket.tokens_at(at(1)), 125 * 8_000_000_000);
        assert!(!bucket.take(at(2), 1126) && bucket.take(at(2), 1125));
        for _ in 0..1000 {
            bucket.set_rate(at(2), Rate::from_mbps(1));
            bucket.set_rate(at(2), Rate::from_mbps(8));
        }
        assert!(!bucket.take(at(2), 1));
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// What leaves in any interval is at most the size and what the rates yield in it: here from
        /// time 0, with the sum computed apart from the bucket.
        #[test]
        fn at_most_size_and_rate_leave(
            size in 1_u64..100_000,
            events in prop::collection::vec((0_u64..20_000_000, 1_u64..3000, 1_u64..20_000_000), 1..200),
        ) {
            let mut bucket = TokenBucket::new(Rate::from_bps(1_000_000), size);
            let (mut now, mut rate, mut passed, mut yielded) = (0_u64, 1_000_000_u64, 0_u128, 0_u128);
            for (gap, bytes, next) in events {
                now += gap;
                yielded += u128::from(rate) * u128::from(gap);
                if bucket.take(Instant::from_nanos(now), bytes) {
                    passed += u128::from(bytes) * 8_000_000_000;
                }
                prop_assert!(passed <= u128::from(size) * 8_000_000_000 + yielded);
                if next % 3 == 0 {
                    rate = next;
                    bucket.set_rate(Instant::from_nanos(now), Rate::from_bps(rate));
                }
            }
        }

        /// It is ready at the first nanosecond at which the bytes can be taken.
        #[test]
        fn it_is_ready_at_the_first_nanosecond(rate in 1_u64..1_000_000_000, first in 0_u64..5000, bytes in 1_u64..5000) {
            let mut bucket = TokenBucket::new(Rate::from_bps(rate), 5000);
            prop_assert!(bucket.take(Instant::ZERO, first));
            let ready = bucket.ready_at(bytes);
            prop_assert!(bucket.clone().take(ready, bytes));
            if ready > Instant::ZERO {
                let before = Instant::from_nanos(ready.as_nanos() - 1);
                prop_assert!(!bucket.take(before, bytes));
            }
        }
    }
}
