//! Selective acknowledgement (RFC 2018): the blocks that a receiver reports, and what a sender keeps
//! of them (RFC 6675).

use super::ranges;
use super::sender::DUPLICATE_ACK_THRESHOLD;

/// Blocks in a TCP header without other options: 8 n + 2 of its 40 option bytes (RFC 2018 section 3).
pub const MAX_BLOCKS: usize = 4;

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

/// The sender's scoreboard with the variables of RFC 6675. Every bound is the byte *after* the last,
/// so HighRxt and RescueRxt are one more than in the RFC.
#[derive(Clone, Debug)]
pub(super) struct Scoreboard {
    /// Payload bytes of a full segment.
    segment: u64,
    /// What has arrived beyond the cumulative ACK.
    sacked: Vec<(u64, u64)>,
    /// What has been sent again in this recovery ends here.
    high_rxt: u64,
    /// Where the cumulative ACK must be for a rescue retransmission.
    rescue_rxt: u64,
    /// Bytes in the network by estimate.
    pipe: u64,
}

impl Scoreboard {
    /// Nothing has arrived.
    pub(super) fn new(segment: u32) -> Self {
        let sacked = Vec::new();
        Self { segment: u64::from(segment), sacked, high_rxt: 0, rescue_rxt: 0, pipe: 0 }
    }

    /// Takes an ACK's blocks, of what lies between the cumulative ACK and what has been sent;
    /// whether they tell anything new, and what. Only whole segments count: a sender sends nothing else
    /// again.
    pub(super) fn update(
        &mut self,
        una: u64,
        max: u64,
        blocks: &[(u64, u64)],
        mut tell: impl FnMut((u64, u64)),
    ) -> bool {
        let mut news = false;
        for &(start, end) in blocks {
            if start <= una || end > max {
                continue;
            }
            let start = start.next_multiple_of(self.segment);
            let end = if end == max { end } else { end / self.segment * self.segment };
            if start < end {
                ranges::missing(&self.sacked, start, end).for_each(&mut tell);
                news |= ranges::insert(&mut self.sacked, start, end) > 0;
            }
        }
        news
    }

    /// Everything before `una` has arrived.
    pub(super) fn advance(&mut self, una: u64) {
        let gone = self.sacked.partition_point(|&(s, _)| s <= una);
        self.sacked.drain(..gone);
    }

    /// Forgets what has arrived (RFC 2018 section 8: after a timeout, for the receiver may have
    /// discarded it).
    pub(super) fn clear(&mut self) {
        self.sacked.clear();
    }

    /// Whether `byte` has been reported.
    #[cold]
    pub(super) fn contains(&self, byte: u64) -> bool {
        ranges::containing(&self.sacked, byte).is_some()
    }

    /// The first byte from `byte` on that has not been reported.
    pub(super) fn skip(&self, byte: u64) -> u64 {
        ranges::containing(&self.sacked, byte).map_or(byte, |(_, end)| end)
    }

    /// Reported bytes before `end`.
    pub(super) fn sacked_before(&self, end: u64) -> u64 {
        self.sacked.iter().take_while(|&&(s, _)| s < end).map(|&(s, e)| e.min(end) - s).sum()
    }

    /// What has not been reported before this byte is lost, and nothing beyond it (IsLost): above it
    /// there are DupThresh ranges, or more than DupThresh - 1 segments.
    pub(super) fn lost_before(&self) -> u64 {
        let mut bytes = 0;
        for (n, &(start, end)) in (1..).zip(self.sacked.iter().rev()) {
            bytes += end - start;
            if n >= DUPLICATE_ACK_THRESHOLD
                || bytes > u64::from(DUPLICATE_ACK_THRESHOLD - 1) * self.segment
            {
                return start;
            }
        }
        0
    }

    /// Whether anything from `start` to before `end` has not been reported.
    pub(super) fn has_hole(&self, start: u64, end: u64) -> bool {
        self.skip(start) < end
    }

    /// IsLost.
    pub(super) fn is_lost(&self, byte: u64) -> bool {
        byte < self.lost_before()
    }

    /// Bytes in the network by estimate.
    pub(super) fn pipe(&self) -> u64 {
        self.pipe
    }

    /// SetPipe: what is neither reported nor lost, and what has been sent again.
    pub(super) fn set_pipe(&mut self, una: u64, max: u64) {
        let lost = self.lost_before();
        let (mut pipe, mut from) = (0, una);
        let end = [(max, max)];
        for &(start, end) in self.sacked.iter().chain(&end) {
            if from >= lost {
                pipe += start - from;
            }
            pipe += start.min(self.high_rxt).saturating_sub(from);
            from = end;
        }
        self.pipe = pipe;
    }

    /// Recovery begins with the segment up to `end`, which is sent again whatever the pipe.
    pub(super) fn begin(&mut self, end: u64) {
        self.high_rxt = end;
        self.rescue_rxt = end;
    }

    /// A segment of `bytes` was sent.
    pub(super) fn sent(&mut self, bytes: u64) {
        self.pipe += bytes;
    }

    /// Everything lost up to `end` has been sent again.
    pub(super) fn sent_again(&mut self, end: u64) {
        self.high_rxt = end;
    }

    /// NextSeg, rules 1 and 3: the first byte below a reported one that has neither been reported
    /// nor sent again. By rule 1 it is lost.
    pub(super) fn next_hole(&self, una: u64) -> Option<u64> {
        let hole = self.skip(self.high_rxt.max(una));
        let &(_, highest) = self.sacked.last()?;
        (hole < highest).then_some(hole)
    }

    /// NextSeg, rule 4: the segment with the last byte that has not been reported, once in a recovery
    /// that goes `until` there.
    pub(super) fn rescue(&mut self, una: u64, max: u64, until: u64) -> Option<u64> {
        if una <= self.rescue_rxt {
            return None;
        }
        let last = match self.sacked.last() {
            Some(&(start, end)) if end == max => start - 1,
            _ => max - 1,
        };
        self.rescue_rxt = until;
        Some(last / self.segment * self.segment)
    }
}
