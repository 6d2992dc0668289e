//! TCP small queues (TSQ): how much a sender leaves in the queues of its own host.
//!
//! A host holds segments from when TCP hands them to IP until its network device is done with them; over Wi-Fi this is
//! when they are acknowledged by the MAC or given up. Linux lets a connection have as much there as its pacing rate
//! sends in 2^-s seconds, but two segments at least (`tcp_small_queue_check` in `net/ipv4/tcp_output.c`, Linux 6.1 to
//! 6.16). The rest waits in TCP, where losses need not repair it and other connections do not wait behind it. The shift
//! s is `sk_pacing_shift`: 10, or 7 where the last device is one of mac80211 (`tx_sk_pacing_shift` in
//! `net/mac80211/main.c`), which needs more to aggregate.
//!
//! - What counts is the memory of buffers (`sk_wmem_alloc`), as [`truesize`] estimates it, and not payload.
//! - The [pacing rate](super::pacing) is also known where nothing is paced.
//! - A sender with at most one outstanding segment is not held back.
//! - After a timeout it is not either: Linux does not ask when the timer expires.
//!
//! Departures: Linux checks before it sends a burst of segments (GSO), so that it may exceed the limit by such a burst, and
//! two bursts are the least that it has; here segments are checked one by one. Linux doubles the limit for retransmissions,
//! here it is doubled until the end of recovery.

use super::pacing::pacing_rate;
use super::tcb::Tcb;
use crate::truesize::truesize;

/// The most that a connection may have, bytes (`tcp_limit_output_bytes`, Linux 6.14; 1 MiB before); Linux does not apply it to one that
/// is paced.
const LIMIT_OUTPUT_BYTES: u64 = 4 << 20;

/// What a sender has in the queues of its host.
#[derive(Clone, Debug)]
pub(super) struct SmallQueue {
    shift: u32,
    /// Memory of the segments there (`sk_wmem_alloc`).
    queued: u64,
    /// That of the largest segment so far.
    segment: u64,
    /// A segment has been held back, and none sent since (`TSQ_THROTTLED`).
    is_throttled: bool,
}

impl SmallQueue {
    /// Nothing is queued. The limit is what the pacing rate sends in 2^-`shift` seconds.
    pub(super) fn new(shift: u32) -> Self {
        Self { shift, queued: 0, segment: 0, is_throttled: false }
    }

    /// Whether a segment that may be sent otherwise has to wait until something has left.
    pub(super) fn holds_back(&mut self, tcb: &Tcb) -> bool {
        let outstanding = tcb.snd_max - tcb.snd_una;
        self.is_throttled = outstanding > tcb.segment()
            && !tcb.timed_out
            && self.queued > self.limit(tcb, outstanding);
        self.is_throttled
    }

    fn limit(&self, tcb: &Tcb, outstanding: u64) -> u64 {
        let rate = pacing_rate(tcb, outstanding).map_or(u64::MAX, |rate| rate.as_bps() / 8);
        let limit = (rate >> self.shift).max(2 * self.segment).min(LIMIT_OUTPUT_BYTES);
        limit << u32::from(tcb.in_recovery)
    }

    /// A segment enters the queues, in a packet of `bytes` at IP level.
    pub(super) fn sent(&mut self, bytes: u32) {
        let memory = truesize(bytes);
        self.queued += memory;
        self.segment = self.segment.max(memory);
        self.is_throttled = false;
    }

    /// One of `bytes` has left them, or was dropped there. Returns whether the sender was held back.
    pub(super) fn left(&mut self, bytes: u32) -> bool {
        self.queued = self.queued.saturating_sub(truesize(bytes));
        self.is_throttled
    }

    /// Whether the sender is held back.
    pub(super) fn is_throttled(&self) -> bool {
        self.is_throttled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::pacing::tests::tcb_of;

    /// cwnd of 100 segments of 1,460 bytes, of which so many are outstanding, and a round-trip time of 10 ms.
    fn tcb(ssthresh: Option<u32>, outstanding: u64) -> Tcb {
        let mut tcb = tcb_of(1460, ssthresh);
        tcb.snd_max = 1460 * outstanding;
        tcb
    }

    /// How many packets of 1,500 bytes the queue takes until it holds the next one back.
    fn packets(queue: &mut SmallQueue, tcb: &Tcb) -> u64 {
        let mut packets = 0;
        while !queue.holds_back(tcb) {
            queue.sent(1500);
            packets += 1;
        }
        packets
    }

    /// By hand: 100 segments in 10 ms are 14.6 MB/s, twice that in slow start; in 2^-7 s 228,125 bytes. A packet takes 256 +
    /// 64 + 1,536 + 320 = 2,176 bytes of memory, and more than the limit are 105 packets. Later on it is 1.2 times: 136,875 bytes
    /// and 63 packets. At 2^-10 s 28,515 and 14, and 17,109 and 8.
    #[test]
    fn the_limit_is_a_time_of_the_pacing_rate() {
        let in_slow_start = tcb(None, 2);
        let after = tcb(Some(100), 2);
        assert_eq!(packets(&mut SmallQueue::new(7), &in_slow_start), 105);
        assert_eq!(packets(&mut SmallQueue::new(7), &after), 63);
        assert_eq!(packets(&mut SmallQueue::new(10), &in_slow_start), 14);
        assert_eq!(packets(&mut SmallQueue::new(10), &after), 8);
    }

    /// 2^-31 s are nothing: three packets are more than two. In recovery it is twice that. What is outstanding counts where it is more
    /// than cwnd: 200 segments are 35.04 MB/s, in 2^-10 s 34,218 bytes and 16 packets.
    #[test]
    fn two_segments_are_the_least() {
        assert_eq!(packets(&mut SmallQueue::new(31), &tcb(None, 2)), 3);
        let mut in_recovery = tcb(None, 2);
        in_recovery.in_recovery = true;
        assert_eq!(packets(&mut SmallQueue::new(31), &in_recovery), 5);
        assert_eq!(packets(&mut SmallQueue::new(10), &tcb(Some(100), 200)), 16);
    }

    /// The limit of connections that are not paced: 4 MiB, which 1,928 packets exceed.
    #[test]
    fn the_most_is_a_number_of_bytes() {
        assert_eq!(packets(&mut SmallQueue::new(0), &tcb(None, 2)), 1928);
    }

    /// A packet that leaves makes room for one, and wakes the sender only if that was held back.
    #[test]
    fn what_leaves_makes_room() {
        let (tcb, mut queue) = (tcb(None, 2), SmallQueue::new(7));
        queue.sent(1500);
        assert!(!queue.left(1500) && !queue.is_throttled());
        assert_eq!(packets(&mut queue, &tcb), 105);
        assert!(queue.is_throttled() && queue.left(1500));
        assert!(!queue.holds_back(&tcb) && !queue.is_throttled());
    }

    /// A sender with one outstanding segment, or whose timer has expired, would wait for nothing.
    #[test]
    fn who_has_nothing_under_way_is_not_held_back() {
        let mut queue = SmallQueue::new(7);
        assert_eq!(packets(&mut queue, &tcb(None, 2)), 105);
        assert!(!queue.holds_back(&tcb(None, 1)));
        let mut after_timeout = tcb(None, 2);
        after_timeout.timed_out = true;
        assert!(!queue.holds_back(&after_timeout));
    }
}
