//! When each outstanding segment was first sent, and whether it was sent again.

use crate::time::Instant;

/// Set in the time of a segment that was sent again.
const AGAIN: u64 = 1 << 63;

/// A ring of times, of the oldest outstanding segment first. Unlike `VecDeque` it removes several at
/// once without a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct SendTimes {
    /// In nanoseconds; a power of two of them, or none at first.
    times: Vec<u64>,
    first: usize,
    len: usize,
}

impl SendTimes {
    /// A new segment was sent.
    #[inline(always)]
    pub(super) fn push(&mut self, at: Instant) {
        if self.len == self.times.len() {
            self.grow();
        }
        let index = self.index(self.len);
        self.times[index] = at.as_nanos();
        self.len += 1;
    }

    /// The outstanding segment `number`, counted from the oldest, was sent again: its round-trip time
    /// is not known (Karn).
    pub(super) fn sent_again(&mut self, number: usize) {
        let index = self.index(number);
        self.times[index] |= AGAIN;
    }

    /// When the outstanding segment `number`, counted from the oldest, was first sent.
    #[inline(always)]
    pub(super) fn first_sent(&self, number: usize) -> Instant {
        Instant::from_nanos(self.times[self.index(number)] & !AGAIN)
    }

    /// The oldest `count` are acknowledged, or all if there are fewer. Returns when the last of them
    /// was sent; none if it was sent again.
    #[inline(always)]
    pub(super) fn remove(&mut self, count: u64) -> Option<Instant> {
        let count = (self.len as u64).min(count) as usize;
        if count == 0 {
            return None;
        }
        let last = self.times[self.index(count - 1)];
        self.first = self.index(count);
        self.len -= count;
        (last & AGAIN == 0).then_some(Instant::from_nanos(last))
    }

    #[inline(always)]
    fn index(&self, number: usize) -> usize {
        self.first.wrapping_add(number) & self.times.len().wrapping_sub(1)
    }

    #[cold]
    fn grow(&mut self) {
        self.times.rotate_left(self.first);
        self.first = 0;
        self.times.resize((2 * self.len).max(8), 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// As a queue that loses them one by one.
        #[test]
        fn removes_as_a_queue_does(
            steps in prop::collection::vec((0..3_u8, 0..12_u64), 1..300),
        ) {
            let (mut ring, mut queue) = (SendTimes::default(), VecDeque::new());
            for (now, (step, number)) in (0..).zip(steps) {
                let now = Instant::from_nanos(now);
                match step {
                    0 => for _ in 0..number {
                        ring.push(now);
                        queue.push_back((now, false));
                    },
                    1 if (number as usize) < queue.len() => {
                        let (first, again) = &mut queue[number as usize];
                        ring.sent_again(number as usize);
                        *again = true;
                        prop_assert_eq!(ring.first_sent(number as usize), *first);
                    }
                    1 => {}
                    _ => {
                        let mut last = None;
                        for _ in 0..number {
                            last = queue.pop_front().or(last);
                        }
                        let last = last.filter(|&(_, again)| !again);
                        prop_assert_eq!(ring.remove(number), last.map(|(first, _)| first));
                    }
                }
            }
        }
    }
}
