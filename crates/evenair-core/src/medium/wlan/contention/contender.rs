//! Which contenders there are.

/// A contender. A node has one (DCF), or one for each access category (EDCA). Those of a node have consecutive
/// numbers, the highest priority last: with four, contender c is one of node c / 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::medium::wlan) struct ContenderId(pub(in crate::medium::wlan) u32);

impl ContenderId {
    /// Its place in a table of all contenders.
    pub(in crate::medium::wlan) fn index(self) -> usize {
        self.0 as usize
    }
}
