//! What the acknowledgements under way report (RFC 2018): a packet is too small to carry blocks, so
//! it has a number, and its flow knows the blocks. They are read when that packet arrives, or is
//! captured, and are lost with it.

use evenair_core::tcp::SackBlocks;

/// The blocks of a flow's latest acknowledgements.
#[derive(Debug)]
pub(crate) struct AckBlocks {
    /// By their number modulo `most`.
    entries: Vec<(u16, SackBlocks)>,
    /// A power of two.
    most: usize,
    /// The latest number.
    last: u16,
}

impl AckBlocks {
    /// For a flow whose receiver has a window of so many segments. Each segment provokes one
    /// acknowledgement, so what is under way is seldom more than a window. One that has become older
    /// than four of them, in a long queue, reports nothing.
    pub(crate) fn new(window: u32) -> Self {
        let most = (4 * window as usize).next_power_of_two().clamp(64, 1 << 16);
        Self { entries: Vec::new(), most, last: 0 }
    }

    /// Keeps the blocks of an acknowledgement; its number, 0 if there are none.
    pub(crate) fn put(&mut self, blocks: SackBlocks) -> u16 {
        if blocks.is_empty() {
            return 0;
        }
        self.last = self.last.checked_add(1).unwrap_or(1);
        let index = usize::from(self.last) % self.most;
        if index >= self.entries.len() {
            self.entries.resize(index + 1, Default::default());
        }
        self.entries[index] = (self.last, blocks);
        self.last
    }

    /// The blocks of the acknowledgement with this number.
    pub(crate) fn get(&self, number: u16) -> &[(u64, u64)] {
        match self.entries.get(usize::from(number) % self.most) {
            Some((known, blocks)) if *known == number => blocks.as_slice(),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_latest_and_confuses_none() {
        let mut acks = AckBlocks::new(20);
        assert_eq!(acks.put(SackBlocks::default()), 0);
        assert_eq!(acks.get(0), []);
        let mut numbers = vec![];
        for n in 0..200_000 {
            numbers.push(acks.put([(n, n + 1)].into_iter().collect()));
            assert_ne!(numbers[n as usize], 0);
            for back in 0..=n.min(120) {
                let ago = n - back;
                assert_eq!(acks.get(numbers[ago as usize]), [(ago, ago + 1)]);
            }
            // An old number has its own blocks or none, but for one that was given anew.
            let old = n.saturating_sub(300);
            let known = acks.get(numbers[old as usize]);
            assert!(known.is_empty() || n < 300, "{known:?}");
        }
    }
}
