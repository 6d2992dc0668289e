//! The earliest of a fixed set of times.

use evenair_core::time::Instant;

/// A time for each of several indices, and the earliest of them; at equal times the lowest index. A
/// winner tree: changing a time costs a comparison for each level.
#[derive(Debug)]
pub(super) struct Earliest {
    /// Times and indices of the winners, from the root at 1 on; the children of `n` are `2 n` and
    /// `2 n + 1`. The second half are the times themselves.
    tree: Vec<(Instant, usize)>,
    /// Where the times themselves begin, a power of two.
    leaves: usize,
}

impl Earliest {
    /// `count` times, all [`Instant::NEVER`].
    pub(super) fn new(count: usize) -> Self {
        let leaves = count.next_power_of_two();
        let mut tree = vec![(Instant::NEVER, 0); 2 * leaves];
        for node in (1..2 * leaves).rev() {
            tree[node].1 = if node >= leaves { node - leaves } else { tree[2 * node].1 };
        }
        Self { tree, leaves }
    }

    /// The earliest time.
    pub(super) fn time(&self) -> Instant {
        self.tree[1].0
    }

    /// The index of the earliest time.
    pub(super) fn index(&self) -> usize {
        self.tree[1].1
    }

    /// Changes the time of `index`.
    #[inline(always)]
    pub(super) fn set(&mut self, index: usize, time: Instant) {
        let mut node = self.leaves + index;
        let mut winner = (time, index);
        self.tree[node] = winner;
        while node > 1 {
            let other = self.tree[node ^ 1];
            // The left one wins at equal times: it has the lower index.
            let stays = if node & 1 == 0 { winner.0 <= other.0 } else { winner.0 < other.0 };
            if !stays {
                winner = other;
            }
            node /= 2;
            self.tree[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::rng::{RngStream, StreamId};

    use super::*;

    #[test]
    fn the_earliest_is_that_of_a_search() {
        let mut rng = RngStream::new(1, StreamId::Traffic, 0);
        for count in 1..12 {
            let mut earliest = Earliest::new(count);
            let mut times = vec![Instant::NEVER; count];
            for _ in 0..500 {
                let index = rng.up_to(count as u32 - 1) as usize;
                times[index] = match rng.up_to(9) {
                    9 => Instant::NEVER,
                    nanos => Instant::from_nanos(u64::from(nanos)),
                };
                earliest.set(index, times[index]);
                let expected = (0..count).min_by_key(|&index| times[index]).unwrap();
                assert_eq!((earliest.time(), earliest.index()), (times[expected], expected));
            }
        }
    }
}
