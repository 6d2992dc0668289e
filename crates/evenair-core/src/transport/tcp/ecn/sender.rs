//! What a sender learns of marks from AccECN's counters (RFC 9768 sections 3.2.2.2, 3.2.2.5.2 and 3.2.3.1).

use crate::transport::option::AccEcnCounters;
use crate::transport::recovery::ranges;

/// ACE counts modulo this (DIVACE).
const DIVACE: u64 = 8;

/// Segments that an ACK reports as marked; infinite where it says only that there are some (RFC 3168).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::transport::tcp) struct MarkReport {
    /// Those that it is the first to report.
    pub(in crate::transport::tcp) newly: f64,
    /// Those to compare with the data that the cumulative ACK acknowledges: with an ACK of new data also what
    /// duplicate ACKs have reported since the last such one.
    pub(in crate::transport::tcp) of_acked: f64,
}

impl MarkReport {
    /// The same number of both.
    pub(in crate::transport::tcp) fn same(marked: f64) -> Self {
        Self { newly: marked, of_acked: marked }
    }

    /// Whether it reports any.
    pub(in crate::transport::tcp) fn is_any(self) -> bool {
        self.of_acked > 0.0
    }
}

/// What the ACKs of one connection have told.
#[derive(Clone, Debug)]
pub(in crate::transport::tcp) struct MarkCounter {
    /// Payload bytes of a full segment.
    segment: u64,
    /// Packets marked CE (s.cep, which begins at 5).
    cep: u64,
    /// Bytes marked CE (s.ceb, modulo 2^24).
    ceb: u32,
    /// SND.UNA, and what has been reported beyond it.
    una: u64,
    sacked: Vec<(u64, u64)>,
    /// Marks that ACKs of no new data have reported since the last ACK of some.
    pending: u64,
}

impl MarkCounter {
    /// Before the first ACK.
    pub(in crate::transport::tcp) fn new(segment: u32) -> Self {
        let segment = u64::from(segment);
        Self { segment, cep: 5, ceb: 0, una: 0, sacked: Vec::new(), pending: 0 }
    }

    /// An ACK has arrived that expects `ack` next, with these blocks, this field ACE, and this option. Returns the packets
    /// that it reports as marked.
    pub(in crate::transport::tcp) fn on_ack(
        &mut self,
        ack: u64,
        blocks: &[(u64, u64)],
        ace: u8,
        option: Option<AccEcnCounters>,
    ) -> MarkReport {
        let advances = ack > self.una;
        let bytes = self.newly_delivered(ack, blocks);
        if bytes == 0 {
            // Superseded by another ACK, as far as the sender can tell (appendix A.1).
            return MarkReport::default();
        }
        let least = (u64::from(ace) + DIVACE - self.cep % DIVACE) % DIVACE;
        let marked_bytes = option.map(|option| {
            let bytes = option.ce.wrapping_sub(self.ceb) & AccEcnCounters::MASK;
            self.ceb = option.ce;
            u64::from(bytes)
        });
        let newly = match marked_bytes {
            Some(bytes) => by_bytes(least, bytes, self.segment),
            None => safest(least, bytes.div_ceil(self.segment)),
        };
        self.cep += newly;
        self.pending += newly;
        let of_acked = if advances { std::mem::take(&mut self.pending) } else { newly };
        MarkReport { newly: newly as f64, of_acked: of_acked as f64 }
    }

    /// Packets marked, in all.
    #[cfg(test)]
    pub(in crate::transport::tcp) fn marked(&self) -> u64 {
        self.cep - 5
    }

    /// Payload bytes that this ACK is the first to acknowledge or to report.
    fn newly_delivered(&mut self, ack: u64, blocks: &[(u64, u64)]) -> u64 {
        let beyond = blocks.iter().filter(|&&(_, end)| end > self.una.max(ack));
        let mut bytes = 0;
        for &(start, end) in beyond {
            bytes += ranges::insert(&mut self.sacked, start.max(self.una), end);
        }
        if ack > self.una {
            bytes += ranges::missing(&self.sacked, self.una, ack).map(|(s, e)| e - s).sum::<u64>();
            self.sacked.retain_mut(|range| {
                range.0 = range.0.max(ack);
                range.0 < range.1
            });
            self.una = ack;
        }
        bytes
    }
}

/// How often ACE has been increased if that is at least `least`, and so many packets are newly acknowledged: the most that is
/// possible, because marks of which nothing else tells must not be missed (appendix A.2.1).
fn safest(least: u64, packets: u64) -> u64 {
    if packets < least {
        // Packets that the sender does not count are marked (section 3.2.2.5.2).
        return least;
    }
    packets - (packets - least) % DIVACE
}

/// The same where the option tells the bytes that are marked: the number next to what they make of full segments. (Appendix
/// A.2.2 only chooses by them between least and most.)
fn by_bytes(least: u64, bytes: u64, segment: u64) -> u64 {
    let beyond = bytes.saturating_sub(least * segment);
    least + DIVACE * ((beyond + DIVACE / 2 * segment) / (DIVACE * segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of appendix A.2.1: of 9 packets at least 2 are marked, then 2 are the most possible; of 10 it is
    /// 10. And section 3.2.2.5.2: more marks than packets.
    #[test]
    fn without_the_option_the_most_is_taken() {
        assert_eq!([safest(2, 9), safest(2, 10), safest(2, 17), safest(2, 18)], [2, 10, 10, 18]);
        assert_eq!([safest(0, 7), safest(0, 8), safest(3, 1)], [0, 8, 3]);
    }

    /// By hand: 2 marks of 10 segments or 10, as 2 or 10 segments are marked; segments of three fifths of the full size;
    /// and 34 is possible of 40, but 18 have been marked.
    #[test]
    fn with_the_option_the_bytes_tell() {
        assert_eq!([by_bytes(2, 2_000, 1000), by_bytes(2, 10_000, 1000)], [2, 10]);
        assert_eq!([by_bytes(2, 6_000, 1000), by_bytes(2, 1_200, 1000)], [10, 2]);
        assert_eq!([by_bytes(2, 18_000, 1000), by_bytes(0, 0, 1000)], [18, 0]);
        assert_eq!(by_bytes(3, 0, 1000), 3);
    }

    fn option(ce: u32) -> Option<AccEcnCounters> {
        Some(AccEcnCounters { ce, ..AccEcnCounters::default() })
    }

    /// ACE from 5 on: 7, 0 and 3 are 2, 1 and 3 marks. An ACK that arrives after a later one says nothing. A mark that
    /// a duplicate ACK reports is new with it, and belongs to what the next ACK of new data acknowledges.
    #[test]
    fn each_mark_is_counted_once() {
        let mut counter = MarkCounter::new(1000);
        let mut of = |ack, blocks: &[(u64, u64)], ace, ce| {
            let report = counter.on_ack(ack, blocks, ace, option(ce));
            (report.newly, report.of_acked)
        };
        assert_eq!(of(4000, &[], 7, 2000), (2.0, 2.0));
        assert_eq!(of(3000, &[], 6, 1000), (0.0, 0.0));
        assert_eq!(of(4000, &[], 6, 1000), (0.0, 0.0));
        assert_eq!(of(4000, &[(5000, 6000)], 0, 3000), (1.0, 1.0));
        assert_eq!(of(4000, &[(5000, 6000)], 0, 3000), (0.0, 0.0));
        assert_eq!(of(8000, &[], 3, 6000), (3.0, 4.0));
        assert_eq!(of(9000, &[], 3, 6000), (0.0, 0.0));
    }

    /// A counter of bytes wraps at 2^24: from 2^24 - 1000 to 9,000 are 10 segments.
    #[test]
    fn the_counter_of_bytes_wraps() {
        let mut counter = MarkCounter::new(1000);
        counter.ceb = (1 << 24) - 1000;
        // 5 + 10 = 15, modulo 8.
        assert_eq!(counter.on_ack(40_000, &[], 7, option(9_000)), MarkReport::same(10.0));
    }

    /// Blocks are counted once, and not again when the cumulative ACK reaches them.
    #[test]
    fn what_is_delivered_is_counted_once() {
        let mut counter = MarkCounter::new(1000);
        assert_eq!(counter.newly_delivered(1000, &[(3000, 5000)]), 3000);
        assert_eq!(counter.newly_delivered(1000, &[(3000, 6000)]), 1000);
        assert_eq!(counter.newly_delivered(4000, &[(4000, 6000)]), 2000);
        assert_eq!(counter.newly_delivered(7000, &[]), 1000);
        assert_eq!(counter.newly_delivered(6000, &[(3000, 5000)]), 0);
    }
}
