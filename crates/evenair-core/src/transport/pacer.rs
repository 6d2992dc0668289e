//! Spaces the packets of a sender at a rate.

use crate::time::Instant;
use crate::units::Rate;

/// When the next packet may leave. Without a rate: at once.
#[derive(Clone, Debug)]
pub struct Pacer {
    next_at: Instant,
    /// When a packet that has been held back may leave.
    release_at: Instant,
}

/// Nothing has been sent.
impl Default for Pacer {
    fn default() -> Self {
        Self { next_at: Instant::ZERO, release_at: Instant::NEVER }
    }
}

impl Pacer {
    /// Whether a packet must wait. If so, [`Pacer::poll_at`] says until when.
    #[inline(always)]
    pub fn holds_back(&mut self, now: Instant) -> bool {
        let holds_back = now < self.next_at;
        if holds_back {
            self.release_at = self.next_at;
        }
        holds_back
    }

    /// A packet with so many bytes has left: the next leaves after the time that they take at `rate`. No
    /// credit is kept for the time in which nothing was sent.
    pub fn sent(&mut self, now: Instant, bytes: u32, rate: Rate) {
        self.next_at = now.max(self.next_at) + rate.time_for(u64::from(bytes));
    }

    /// When a packet that has been held back may leave.
    #[inline(always)]
    pub fn poll_at(&self) -> Instant {
        self.release_at
    }

    /// Forgets what was held back, if it may leave: the sender is to try again.
    pub fn on_timer(&mut self, now: Instant) {
        if now >= self.release_at {
            self.release_at = Instant::NEVER;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    /// 1,000 bytes at 8 Mb/s take 1 ms.
    #[test]
    fn packets_leave_at_the_rate() {
        let at = |us| Instant::ZERO + Duration::from_micros(us);
        let mut pacer = Pacer::default();
        assert!(!pacer.holds_back(at(0)));
        pacer.sent(at(0), 1000, Rate::from_mbps(8));
        assert!(pacer.holds_back(at(999)));
        assert_eq!(pacer.poll_at(), at(1000));
        pacer.on_timer(at(1000));
        assert_eq!(pacer.poll_at(), Instant::NEVER);
        assert!(!pacer.holds_back(at(1000)));
        // After a pause the spacing begins anew.
        pacer.sent(at(5000), 500, Rate::from_mbps(8));
        assert!(pacer.holds_back(at(5499)) && !pacer.holds_back(at(5500)));
    }
}
