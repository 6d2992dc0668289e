//! The receiving half: what has arrived, and when to acknowledge it.

use super::config::TcpConfig;
use crate::time::Instant;
use crate::transport::option::Timestamps;
use crate::transport::recovery::ranges;
use crate::transport::sack::{SackBlocks, blocks_beside};

/// What a receiver does about a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckAction {
    /// It acknowledges at once, expecting this byte next.
    Ack(u64),
    /// It holds the ACK back; see [`Receiver::timer_at`].
    Wait,
}

/// The receiving half of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: TcpConfig,
    /// Payload of a full segment, bytes.
    segment: u32,
    /// RCV.NXT: the next byte that is expected.
    rcv_nxt: u64,
    /// Bytes beyond `rcv_nxt` that have arrived, as ascending, disjoint ranges.
    out_of_order: Vec<(u64, u64)>,
    /// A byte of each range of `out_of_order`, that of the last segment first, where ACKs report them.
    recent: Vec<u64>,
    /// In-order segments that have not been acknowledged.
    unacked: u32,
    /// ACKs that are still sent at once.
    quick: u32,
    deadline: Instant,
}

impl Receiver {
    /// Expecting the first byte.
    pub fn new(config: TcpConfig, segment: u32) -> Self {
        let (rcv_nxt, out_of_order, recent, unacked) = (0, Vec::new(), Vec::new(), 0);
        let (quick, deadline) = (config.quick_acks, Instant::NEVER);
        Self { config, segment, rcv_nxt, out_of_order, recent, unacked, quick, deadline }
    }

    /// The next byte that is expected: all before it have arrived.
    pub fn next_expected(&self) -> u64 {
        self.rcv_nxt
    }

    /// Whether byte `seq` has not arrived.
    #[inline(always)]
    pub fn lacks(&self, seq: u64) -> bool {
        seq == self.rcv_nxt || (seq > self.rcv_nxt && self.lacks_beyond_hole(seq))
    }

    #[cold]
    fn lacks_beyond_hole(&self, seq: u64) -> bool {
        ranges::containing(&self.out_of_order, seq).is_none()
    }

    /// Whether a segment has arrived.
    pub fn has_data(&self) -> bool {
        self.rcv_nxt > 0 || !self.out_of_order.is_empty()
    }

    /// Whether ACKs report what has arrived out of order.
    pub fn has_sack(&self) -> bool {
        self.config.sack
    }

    /// The blocks that an ACK has which leaves now: first that of the segment which provoked it, then
    /// the others as they were last reported (RFC 2018 section 4).
    pub fn sack(&self) -> SackBlocks {
        self.sack_beside(0)
    }

    /// The same where the ACK has so many bytes of options beside timestamps.
    pub fn sack_beside(&self, others: u32) -> SackBlocks {
        let timestamps = if self.config.timestamps() { Timestamps::BYTES } else { 0 };
        let most = blocks_beside(timestamps + others);
        self.recent
            .iter()
            .filter_map(|&byte| ranges::containing(&self.out_of_order, byte))
            .take(most)
            .collect()
    }

    /// Takes a segment of `payload` bytes from `seq` on.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Instant, seq: u64, payload: u32) -> AckAction {
        let end = seq + u64::from(payload);
        if end <= self.rcv_nxt || seq > self.rcv_nxt {
            // A duplicate, or a segment beyond a hole: acknowledged at once (RFC 5681 4.2).
            if seq > self.rcv_nxt {
                self.keep(seq, end);
            }
            return self.acknowledge();
        }
        self.rcv_nxt = end;
        let fills_a_hole = !self.out_of_order.is_empty();
        if fills_a_hole {
            self.join();
            return self.acknowledge();
        }
        self.unacked += 1;
        if self.unacked >= self.config.delayed_ack.threshold(end, self.segment) {
            return self.acknowledge();
        }
        if self.quick > 0 {
            self.quick -= 1;
            return self.acknowledge();
        }
        if self.unacked == 1 {
            self.deadline = now + self.config.delayed_ack_timeout;
        }
        AckAction::Wait
    }

    /// When an ACK that is held back is due.
    pub fn timer_at(&self) -> Instant {
        self.deadline
    }

    /// The timer has expired: what to acknowledge, if anything is.
    pub fn on_timer(&mut self, now: Instant) -> Option<u64> {
        if now < self.deadline {
            return None;
        }
        self.acknowledge();
        Some(self.rcv_nxt)
    }

    /// Whether an ACK is held back.
    pub fn withholds(&self) -> bool {
        self.unacked > 0
    }

    /// A segment that is sent for another reason acknowledges what has arrived.
    pub fn acknowledged(&mut self) {
        self.acknowledge();
    }

    fn acknowledge(&mut self) -> AckAction {
        self.unacked = 0;
        self.deadline = Instant::NEVER;
        AckAction::Ack(self.rcv_nxt)
    }

    /// Remembers bytes `seq..end` beyond a hole.
    fn keep(&mut self, seq: u64, end: u64) {
        ranges::insert(&mut self.out_of_order, seq, end);
        if self.config.sack {
            let (start, end) = ranges::containing(&self.out_of_order, seq).unwrap_or((seq, end));
            self.recent.retain(|byte| !(start..end).contains(byte));
            self.recent.insert(0, seq);
        }
    }

    /// Moves `rcv_nxt` over what had arrived before the hole was filled.
    fn join(&mut self) {
        let reached = self.out_of_order.partition_point(|&(s, _)| s <= self.rcv_nxt);
        for (_, end) in self.out_of_order.drain(..reached) {
            self.rcv_nxt = self.rcv_nxt.max(end);
        }
        self.recent.retain(|&byte| byte >= self.rcv_nxt);
    }
}
