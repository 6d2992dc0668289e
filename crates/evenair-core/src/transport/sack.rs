//! Selective acknowledgement (RFC 2018): the blocks that an ACK carries.

/// Blocks in a TCP header without other options: 8 n + 2 of its 40 option bytes (RFC 2018 section 3).
pub const MAX_BLOCKS: usize = 4;
/// Bytes of a TCP header's options (RFC 9293 section 3.1).
const OPTION_SPACE: u32 = 40;

/// Blocks that fit beside so many bytes of other options: 3 beside timestamps (RFC 2018 section 3).
pub const fn blocks_beside(bytes: u32) -> usize {
    ((OPTION_SPACE - bytes - 4) / 8) as usize
}

/// The blocks of one ACK, each the bytes from its first up to the one after its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u64, u64); MAX_BLOCKS],
    len: u8,
}

impl SackBlocks {
    /// The blocks, in the order of the option.
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that they add to an ACK's header: the option and two that align it (RFC 2018 section 3).
    pub fn header_bytes(&self) -> u32 {
        if self.is_empty() { 0 } else { 4 + 8 * u32::from(self.len) }
    }
}

/// The first [`MAX_BLOCKS`] of them.
impl FromIterator<(u64, u64)> for SackBlocks {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(blocks: I) -> Self {
        let mut all = Self::default();
        for (slot, block) in all.blocks.iter_mut().zip(blocks) {
            *slot = block;
            all.len += 1;
        }
        all
    }
}
