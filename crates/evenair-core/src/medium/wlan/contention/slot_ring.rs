//! Contenders by the slot in which they transmit.

use super::contender::ContenderId;

/// Slots of the ring. A constant, so that no index needs to be checked.
const SLOTS: usize = 1024;
const WORDS: usize = SLOTS / u64::BITS as usize;
/// The longest backoff: aCWmax of all PHYs, and the largest CWmax of EDCA's default parameters.
pub(super) const LONGEST_BACKOFF: u32 = SLOTS as u32 - 1;
/// Ends a list of contenders.
const NONE: ContenderId = ContenderId(u32::MAX);

/// A ring buffer of slots. A contender's *position* is the count of idle slots at which it transmits. All
/// positions that are held at a time lie within one contention window from `elapsed` on, so that a ring
/// of that many slots has a distinct slot for each: adding a contender is O(1), and the first is found
/// by looking at one bit per slot of the window.
#[derive(Debug)]
pub(super) struct SlotRing {
    /// One bit per slot: whether a contender transmits in it.
    taken: [u64; WORDS],
    /// The contender that was added last, by slot; valid where `taken` is set.
    last: Box<[ContenderId; SLOTS]>,
    /// The contender that was added to the same slot before, by contender.
    previous: Vec<ContenderId>,
}

impl SlotRing {
    /// An empty ring for this number of contenders.
    pub(super) fn new(contenders: usize) -> Self {
        Self { taken: [0; WORDS], last: Box::new([NONE; SLOTS]), previous: vec![NONE; contenders] }
    }

    /// Adds `id`, which is not in the ring, at `position`.
    #[inline(always)]
    pub(super) fn join(&mut self, position: u64, id: ContenderId) {
        let slot = slot(position);
        let (word, bit) = word_and_bit(slot);
        let taken = self.taken[word] & bit != 0;
        self.previous[id.index()] = if taken { self.last[slot] } else { NONE };
        self.last[slot] = id;
        self.taken[word] |= bit;
    }

    /// The number of slots from `elapsed` to the first contender; `None` when the ring is empty.
    #[inline(always)]
    pub(super) fn first_after(&self, elapsed: u64) -> Option<u64> {
        let from = slot(elapsed);
        let (start, bit) = word_and_bit(from);
        // The slots before `from` in its word are the last of the ring.
        let earlier = bit - 1;
        let mut word = start;
        let mut bits = self.taken[word] & !earlier;
        while bits == 0 {
            word = (word + 1) % WORDS;
            bits = self.taken[word];
            if word == start {
                bits &= earlier;
                break;
            }
        }
        if bits == 0 {
            return None;
        }
        let slot = word * u64::BITS as usize + bits.trailing_zeros() as usize;
        Some(slots_between(from, slot))
    }

    /// Removes all that transmit at `position` and passes them to `transmit`, in no order.
    #[inline(always)]
    pub(super) fn take(&mut self, position: u64, mut transmit: impl FnMut(ContenderId)) {
        let slot = slot(position);
        let (word, bit) = word_and_bit(slot);
        if self.taken[word] & bit == 0 {
            return;
        }
        self.taken[word] &= !bit;
        let mut id = self.last[slot];
        while id != NONE {
            transmit(id);
            id = self.previous[id.index()];
        }
    }

    /// Removes `id` and returns the number of slots from `elapsed` to its position; `None` if it is
    /// not in the ring.
    #[cold]
    pub(super) fn remove(&mut self, elapsed: u64, id: ContenderId) -> Option<u64> {
        let (_, slots) = self.contenders(elapsed).find(|&(other, _)| other == id)?;
        let position = elapsed + slots;
        let mut all = Vec::new();
        self.take(position, |other| all.push(other));
        all.retain(|&other| other != id);
        all.into_iter().for_each(|other| self.join(position, other));
        Some(slots)
    }

    /// All contenders, each with the number of slots from `elapsed` to its position.
    pub(super) fn contenders(&self, elapsed: u64) -> impl Iterator<Item = (ContenderId, u64)> {
        let from = slot(elapsed);
        let taken = (0..SLOTS).filter(|&slot| {
            let (word, bit) = word_and_bit(slot);
            self.taken[word] & bit != 0
        });
        taken.flat_map(move |slot| {
            let slots = slots_between(from, slot);
            self.chain(slot).map(move |id| (id, slots))
        })
    }

    /// The contenders of a slot that is taken.
    fn chain(&self, slot: usize) -> impl Iterator<Item = ContenderId> {
        let next = |id: ContenderId| (id != NONE).then_some(id);
        std::iter::successors(next(self.last[slot]), move |id| next(self.previous[id.index()]))
    }
}

/// The slot of a position.
fn slot(position: u64) -> usize {
    position as usize % SLOTS
}

/// The number of slots from one to another.
fn slots_between(from: usize, to: usize) -> u64 {
    (to.wrapping_sub(from) % SLOTS) as u64
}

/// Word and bit of a slot.
fn word_and_bit(slot: usize) -> (usize, u64) {
    (slot / u64::BITS as usize, 1 << (slot % u64::BITS as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_at(ring: &mut SlotRing, position: u64) -> Vec<u32> {
        let mut taken = Vec::new();
        ring.take(position, |id| taken.push(id.0));
        taken.sort_unstable();
        taken
    }

    /// By hand: the ring has 1024 slots, so that 1026 is slot 2.
    #[test]
    fn the_first_is_found_across_the_end_of_the_ring() {
        let mut ring = SlotRing::new(4);
        assert_eq!(ring.first_after(986), None);
        ring.join(1026, ContenderId(1));
        ring.join(1085, ContenderId(2));
        ring.join(1026, ContenderId(3));
        assert_eq!(ring.first_after(986), Some(40));
        assert_eq!(ring.first_after(1026), Some(0));
        assert!(taken_at(&mut ring, 1025).is_empty());
        assert_eq!(taken_at(&mut ring, 1026), [1, 3]);
        // 1085 is slot 61, before slot 62 of 1086 and in its word.
        assert_eq!(ring.first_after(1026), Some(59));
        ring.join(1186, ContenderId(0));
        assert_eq!(taken_at(&mut ring, 1085), [2]);
        assert_eq!(ring.first_after(1086), Some(100));
        assert_eq!(taken_at(&mut ring, 1186), [0]);
        assert_eq!(ring.first_after(1186), None);
        // Slot 68 of 2116, and 1022 slots later slot 66, before it and in its word.
        ring.join(3138, ContenderId(2));
        assert_eq!(ring.first_after(2116), Some(1022));
    }

    #[test]
    fn a_contender_is_removed_from_among_others() {
        for removed in 0..3 {
            let mut ring = SlotRing::new(4);
            (0..3).for_each(|id| ring.join(1030, ContenderId(id)));
            assert_eq!(ring.remove(1020, ContenderId(3)), None);
            assert_eq!(ring.remove(1020, ContenderId(removed)), Some(10));
            let left: Vec<_> = (0..3).filter(|&id| id != removed).collect();
            assert_eq!(taken_at(&mut ring, 1030), left);
        }
        let mut ring = SlotRing::new(4);
        ring.join(1030, ContenderId(1));
        assert_eq!(ring.remove(1029, ContenderId(1)), Some(1));
        assert_eq!(ring.first_after(1029), None);
    }
}
