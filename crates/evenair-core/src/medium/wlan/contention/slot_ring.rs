//! The contenders of a cell by the slot in which they transmit.

use crate::packet::NodeId;

/// Ends a list of nodes.
const NONE: NodeId = NodeId(u32::MAX);

/// A ring buffer of slots. A contender's *position* is the count of idle slots at which it transmits. All
/// positions that are held at a time lie within one contention window from `elapsed` on, so that a ring
/// of that many slots has a distinct slot for each: adding a contender is O(1), and the first is found
/// by looking at one bit per slot of the window.
#[derive(Debug)]
pub(super) struct SlotRing {
    /// One bit per slot: whether a node transmits in it.
    taken: Vec<u64>,
    /// The node that was added last, by slot; valid where `taken` is set.
    last: Vec<NodeId>,
    /// The node that was added to the same slot before, by node.
    previous: Vec<NodeId>,
    /// The slot of a position is its low bits.
    mask: usize,
}

impl SlotRing {
    /// An empty ring for `nodes` nodes whose positions lie up to `window` beyond `elapsed`.
    pub(super) fn new(nodes: usize, window: u32) -> Self {
        let slots = (window as usize + 1).next_power_of_two().max(u64::BITS as usize);
        Self {
            taken: vec![0; slots / u64::BITS as usize],
            last: vec![NONE; slots],
            previous: vec![NONE; nodes],
            mask: slots - 1,
        }
    }

    /// Adds `node`, which is not in the ring, at `position`.
    pub(super) fn join(&mut self, position: u64, node: NodeId) {
        let slot = self.slot(position);
        let (word, bit) = word_and_bit(slot);
        let taken = self.taken[word] & bit != 0;
        self.previous[node.index()] = if taken { self.last[slot] } else { NONE };
        self.last[slot] = node;
        self.taken[word] |= bit;
    }

    /// The number of slots from `elapsed` to the first contender; `None` when the ring is empty.
    pub(super) fn first_after(&self, elapsed: u64) -> Option<u64> {
        let from = self.slot(elapsed);
        let (start, bit) = word_and_bit(from);
        // The slots before `from` in its word are the last of the ring.
        let earlier = bit - 1;
        let mut word = start;
        let mut bits = self.taken[word] & !earlier;
        while bits == 0 {
            word = (word + 1) & (self.mask / u64::BITS as usize);
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
        Some((slot.wrapping_sub(from) & self.mask) as u64)
    }

    /// Removes all that transmit at `position` and appends them to `transmitters`, in no order.
    pub(super) fn take(&mut self, position: u64, transmitters: &mut Vec<NodeId>) {
        let slot = self.slot(position);
        let (word, bit) = word_and_bit(slot);
        if self.taken[word] & bit == 0 {
            return;
        }
        self.taken[word] &= !bit;
        let mut node = self.last[slot];
        while node != NONE {
            transmitters.push(node);
            node = self.previous[node.index()];
        }
    }

    /// Removes `node` and returns the number of slots from `elapsed` to its position; `None` if it is
    /// not in the ring.
    #[cold]
    pub(super) fn remove(&mut self, elapsed: u64, node: NodeId) -> Option<u64> {
        let slots = (0..=self.mask).filter(|&slot| {
            let (word, bit) = word_and_bit(slot);
            self.taken[word] & bit != 0
        });
        let mut chains = slots.map(|slot| (slot, self.chain(slot).collect::<Vec<_>>()));
        let (slot, chain) = chains.find(|(_, chain)| chain.contains(&node))?;
        drop(chains);
        let (word, bit) = word_and_bit(slot);
        self.taken[word] &= !bit;
        for &other in chain.iter().rev().filter(|&&other| other != node) {
            self.join(slot as u64, other);
        }
        Some((slot.wrapping_sub(self.slot(elapsed)) & self.mask) as u64)
    }

    /// All nodes, each with the number of slots from `elapsed` to its position.
    pub(super) fn nodes(&self, elapsed: u64) -> impl Iterator<Item = (NodeId, u64)> {
        let from = self.slot(elapsed);
        let taken = (0..=self.mask).filter(|&slot| {
            let (word, bit) = word_and_bit(slot);
            self.taken[word] & bit != 0
        });
        taken.flat_map(move |slot| {
            let slots = (slot.wrapping_sub(from) & self.mask) as u64;
            self.chain(slot).map(move |node| (node, slots))
        })
    }

    /// The nodes of a slot that is taken.
    fn chain(&self, slot: usize) -> impl Iterator<Item = NodeId> {
        let next = |node: NodeId| (node != NONE).then_some(node);
        std::iter::successors(next(self.last[slot]), move |node| next(self.previous[node.index()]))
    }

    fn slot(&self, position: u64) -> usize {
        position as usize & self.mask
    }
}

/// Word and bit of a slot.
fn word_and_bit(slot: usize) -> (usize, u64) {
    (slot / u64::BITS as usize, 1 << (slot % u64::BITS as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: a window of 100 is a ring of 128 slots, and 130 lies in the third.
    #[test]
    fn the_first_is_found_across_the_end_of_the_ring() {
        let mut ring = SlotRing::new(4, 100);
        assert_eq!(ring.first_after(90), None);
        ring.join(130, NodeId(1));
        ring.join(189, NodeId(2));
        ring.join(130, NodeId(3));
        assert_eq!(ring.first_after(90), Some(40));
        assert_eq!(ring.first_after(130), Some(0));
        let mut transmitters = Vec::new();
        ring.take(129, &mut transmitters);
        assert!(transmitters.is_empty());
        ring.take(130, &mut transmitters);
        transmitters.sort_unstable();
        assert_eq!(transmitters, [NodeId(1), NodeId(3)]);
        // 189 is slot 61, before slot 62 of 190 - 128 and in its word.
        assert_eq!(ring.first_after(130), Some(59));
        ring.join(290, NodeId(0));
        ring.take(189, &mut transmitters);
        assert_eq!(ring.first_after(190), Some(100));
        ring.take(290, &mut transmitters);
        assert_eq!(ring.first_after(290), None);
    }

    #[test]
    fn a_node_is_removed_from_among_others() {
        for removed in [NodeId(0), NodeId(1), NodeId(2)] {
            let mut ring = SlotRing::new(4, 100);
            (0..3).for_each(|node| ring.join(130, NodeId(node)));
            assert_eq!(ring.remove(120, NodeId(3)), None);
            assert_eq!(ring.remove(120, removed), Some(10));
            let mut transmitters = Vec::new();
            ring.take(130, &mut transmitters);
            transmitters.sort_unstable();
            let left: Vec<_> = (0..3).map(NodeId).filter(|&node| node != removed).collect();
            assert_eq!(transmitters, left);
        }
        let mut ring = SlotRing::new(4, 100);
        ring.join(130, NodeId(1));
        assert_eq!(ring.remove(129, NodeId(1)), Some(1));
        assert_eq!(ring.first_after(129), None);
    }
}
