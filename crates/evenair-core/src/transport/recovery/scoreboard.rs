//! The sender's scoreboard (RFC 6675): which bytes beyond the cumulative ACK have arrived.

use super::{DUP_THRESH, ranges};

/// The sender's scoreboard with the variables of RFC 6675. Every bound is the byte *after* the last,
/// so HighRxt and RescueRxt are one more than in the RFC.
#[derive(Clone, Debug)]
pub struct Scoreboard {
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
    pub fn new(segment: u32) -> Self {
        let sacked = Vec::new();
        Self { segment: u64::from(segment), sacked, high_rxt: 0, rescue_rxt: 0, pipe: 0 }
    }

    /// Takes an ACK's blocks, of what lies between the cumulative ACK and what has been sent;
    /// whether they report anything new, and what. Only whole segments count, which begin at the cumulative ACK: a
    /// sender sends nothing else again.
    pub fn update(
        &mut self,
        snd_una: u64,
        snd_max: u64,
        blocks: &[(u64, u64)],
        mut report: impl FnMut((u64, u64)),
    ) -> bool {
        let mut news = false;
        for &(start, end) in blocks {
            if start <= snd_una || end > snd_max {
                continue;
            }
            let start = snd_una + (start - snd_una).next_multiple_of(self.segment);
            let whole = (end - snd_una) / self.segment * self.segment;
            let end = if end == snd_max { end } else { snd_una + whole };
            if start < end {
                ranges::missing(&self.sacked, start, end).for_each(&mut report);
                news |= ranges::insert(&mut self.sacked, start, end) > 0;
            }
        }
        news
    }

    /// Everything before `snd_una` has arrived.
    pub fn advance(&mut self, snd_una: u64) {
        let gone = self.sacked.partition_point(|&(s, _)| s <= snd_una);
        self.sacked.drain(..gone);
    }

    /// Forgets what has arrived (RFC 2018 section 8: after a timeout, for the receiver may have
    /// discarded it).
    pub fn clear(&mut self) {
        self.sacked.clear();
    }

    /// Whether `byte` has been reported.
    #[cold]
    pub fn contains(&self, byte: u64) -> bool {
        ranges::containing(&self.sacked, byte).is_some()
    }

    /// The first byte from `byte` on that has not been reported.
    pub fn skip(&self, byte: u64) -> u64 {
        ranges::containing(&self.sacked, byte).map_or(byte, |(_, end)| end)
    }

    /// Reported bytes before `end`.
    pub fn sacked_before(&self, end: u64) -> u64 {
        self.sacked.iter().take_while(|&&(s, _)| s < end).map(|&(s, e)| e.min(end) - s).sum()
    }

    /// What has not been reported before this byte is lost, and nothing beyond it (IsLost): above it
    /// there are DupThresh ranges, or more than DupThresh - 1 segments.
    pub fn lost_before(&self) -> u64 {
        let mut bytes = 0;
        for (n, &(start, end)) in (1..).zip(self.sacked.iter().rev()) {
            bytes += end - start;
            if n >= DUP_THRESH || bytes > u64::from(DUP_THRESH - 1) * self.segment {
                return start;
            }
        }
        0
    }

    /// What has been sent again in this recovery ends here.
    pub fn high_rxt(&self) -> u64 {
        self.high_rxt
    }

    /// Whether anything from `start` to before `end` has not been reported.
    pub fn has_hole(&self, start: u64, end: u64) -> bool {
        self.skip(start) < end
    }

    /// IsLost.
    pub fn is_lost(&self, byte: u64) -> bool {
        byte < self.lost_before()
    }

    /// Bytes in the network by estimate.
    pub fn pipe(&self) -> u64 {
        self.pipe
    }

    /// SetPipe: what is neither reported nor lost, and what has been sent again.
    pub fn set_pipe(&mut self, snd_una: u64, snd_max: u64) {
        let lost = self.lost_before();
        let (mut pipe, mut from) = (0, snd_una);
        let end = [(snd_max, snd_max)];
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
    pub fn begin(&mut self, end: u64) {
        self.high_rxt = end;
        self.rescue_rxt = end;
    }

    /// A segment of `bytes` was sent.
    pub fn sent(&mut self, bytes: u64) {
        self.pipe += bytes;
    }

    /// Everything lost up to `end` has been retransmitted.
    pub fn retransmitted(&mut self, end: u64) {
        self.high_rxt = end;
    }

    /// NextSeg, rules 1 and 3: the first byte below a reported one that has neither been reported
    /// nor sent again. By rule 1 it is lost.
    pub fn next_hole(&self, snd_una: u64) -> Option<u64> {
        let hole = self.skip(self.high_rxt.max(snd_una));
        let &(_, highest) = self.sacked.last()?;
        (hole < highest).then_some(hole)
    }

    /// NextSeg, rule 4: the segment with the last byte that has not been reported, once in a recovery
    /// that goes `until` there.
    pub fn rescue(&mut self, snd_una: u64, snd_max: u64, until: u64) -> Option<u64> {
        if snd_una <= self.rescue_rxt {
            return None;
        }
        let last = match self.sacked.last() {
            Some(&(start, end)) if end == snd_max => start - 1,
            _ => snd_max - 1,
        };
        self.rescue_rxt = until;
        Some(snd_una + (last - snd_una) / self.segment * self.segment)
    }
}
