//! The contenders of a cell by the slot in which they transmit.

/// Ends a list of stations.
const NONE: u32 = u32::MAX;

/// Stations by position, which is a count of idle slots. All positions that are held at a time lie
/// within one contention window from `elapsed` on, so that a circle of as many slots has a place of
/// its own for each: a station joins in O(1), and the first is found by looking at one bit per slot
/// of the window.
#[derive(Debug)]
pub(super) struct SlotRing {
    /// A bit for each slot of the circle: whether anybody transmits in it.
    taken: Vec<u64>,
    /// The station that joined last, by slot; means something where `taken` is set.
    last: Vec<u32>,
    /// The station that joined the same slot before, by station.
    previous: Vec<u32>,
    /// A position's slot is its low bits.
    mask: usize,
}

impl SlotRing {
    /// Nobody, of so many stations, whose positions lie up to `window` beyond `elapsed`.
    pub(super) fn new(stations: usize, window: u32) -> Self {
        let slots = (window as usize + 1).next_power_of_two().max(u64::BITS as usize);
        Self {
            taken: vec![0; slots / u64::BITS as usize],
            last: vec![NONE; slots],
            previous: vec![NONE; stations],
            mask: slots - 1,
        }
    }

    /// `station`, which is not in the crowd, transmits at `position`.
    pub(super) fn join(&mut self, position: u64, station: u32) {
        let slot = self.slot(position);
        let (word, bit) = place(slot);
        let taken = self.taken[word] & bit != 0;
        self.previous[station as usize] = if taken { self.last[slot] } else { NONE };
        self.last[slot] = station;
        self.taken[word] |= bit;
    }

    /// How many slots after `elapsed` the first transmits; `None` when there is nobody.
    pub(super) fn first_after(&self, elapsed: u64) -> Option<u64> {
        let from = self.slot(elapsed);
        let (start, bit) = place(from);
        // The slots before `from` in its word are the last of the circle.
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

    /// Takes out all that transmit at `position`, in no particular order.
    pub(super) fn leave(&mut self, position: u64, transmitters: &mut Vec<u32>) {
        let slot = self.slot(position);
        let (word, bit) = place(slot);
        if self.taken[word] & bit == 0 {
            return;
        }
        self.taken[word] &= !bit;
        let mut station = self.last[slot];
        while station != NONE {
            transmitters.push(station);
            station = self.previous[station as usize];
        }
    }

    fn slot(&self, position: u64) -> usize {
        position as usize & self.mask
    }
}

/// A slot's word and bit.
fn place(slot: usize) -> (usize, u64) {
    (slot / u64::BITS as usize, 1 << (slot % u64::BITS as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: a window of 100 is a circle of 128 slots, and 130 lies in the third.
    #[test]
    fn the_first_is_found_across_the_end_of_the_circle() {
        let mut ring = SlotRing::new(4, 100);
        assert_eq!(ring.first_after(90), None);
        ring.join(130, 1);
        ring.join(189, 2);
        ring.join(130, 3);
        assert_eq!(ring.first_after(90), Some(40));
        assert_eq!(ring.first_after(130), Some(0));
        let mut transmitters = Vec::new();
        ring.leave(129, &mut transmitters);
        assert_eq!(transmitters, [0; 0]);
        ring.leave(130, &mut transmitters);
        transmitters.sort_unstable();
        assert_eq!(transmitters, [1, 3]);
        // 189 is slot 61, before slot 62 of 190 - 128 and in its word.
        assert_eq!(ring.first_after(130), Some(59));
        ring.join(290, 0);
        ring.leave(189, &mut transmitters);
        assert_eq!(ring.first_after(190), Some(100));
        ring.leave(290, &mut transmitters);
        assert_eq!(ring.first_after(290), None);
    }
}
