//! The options of the packets under way. A packet is too small to carry them, so it has a number, and
//! its flow has a ring of options. An option is read when its packet arrives, or is captured, and is
//! lost with it.

use evenair_core::transport::PacketOption;

/// The options of a flow's latest packets.
#[derive(Debug)]
pub(crate) struct OptionRing {
    /// By their number modulo `capacity`.
    entries: Vec<Option<(u16, PacketOption)>>,
    /// A power of two.
    capacity: usize,
    /// The latest number.
    last: u16,
}

impl OptionRing {
    /// For the last `packets` options at least, up to 65,535.
    pub(crate) fn new(packets: u32) -> Self {
        let capacity = (packets as usize).next_power_of_two().clamp(64, 1 << 16);
        Self { entries: Vec::new(), capacity, last: 0 }
    }

    /// Keeps the option of a packet; its number, which is never 0.
    pub(crate) fn put(&mut self, option: PacketOption) -> u16 {
        self.last = self.last.checked_add(1).unwrap_or(1);
        let index = usize::from(self.last) % self.capacity;
        if index >= self.entries.len() {
            self.entries.resize(index + 1, None);
        }
        self.entries[index] = Some((self.last, option));
        self.last
    }

    /// The option of the packet with this number.
    pub(crate) fn get(&self, number: u16) -> Option<&PacketOption> {
        match self.entries.get(usize::from(number) % self.capacity)? {
            Some((known, option)) if *known == number => Some(option),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::transport::TcpOptions;

    use super::*;

    fn option(n: u64) -> PacketOption {
        let sack = [(n, n + 1)].into_iter().collect();
        PacketOption::Tcp(TcpOptions { sack, ..TcpOptions::default() })
    }

    #[test]
    fn knows_the_latest_and_confuses_none() {
        let mut ring = OptionRing::new(120);
        assert_eq!(ring.get(0), None);
        let mut numbers = vec![];
        for n in 0..200_000 {
            numbers.push(ring.put(option(n)));
            assert_ne!(numbers[n as usize], 0);
            for back in 0..=n.min(120) {
                let ago = n - back;
                assert_eq!(ring.get(numbers[ago as usize]), Some(&option(ago)));
            }
            // An old number has its own option or none, but for one that was given anew.
            let old = n.saturating_sub(300);
            let known = ring.get(numbers[old as usize]);
            assert!(known.is_none() || n < 300, "{known:?}");
        }
        assert_eq!(ring.get(0), None);
    }
}
