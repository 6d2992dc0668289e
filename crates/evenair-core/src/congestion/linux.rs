//! What Linux's congestion controls share: windows of whole segments, and the state in which the
//! modules measure.

use super::{AckEvent, Window};
use crate::component::named;

named! {
    /// The numbers that a window is computed with.
    pub enum Arithmetic {
        /// Whole numbers, rounded down.
        #[default]
        Linux => "linux",
        /// The same as Linux 2.6.22 has it, which ns-2.35 runs: the window grows one ACK later, and
        /// at ssthresh it is in slow start.
        Linux2622 => "linux-2.6.22",
        /// Real numbers.
        Exact => "exact",
    }
    planned []
}

impl Arithmetic {
    /// Whether numbers are whole.
    pub fn is_whole(self) -> bool {
        self != Self::Exact
    }

    /// A quantity in these numbers.
    pub fn round(self, x: f64) -> f64 {
        // A quotient of whole numbers must not fall below a whole number by the error of a float.
        if self.is_whole() { (x + 1e-9).floor() } else { x }
    }
}

/// The segments acknowledged towards the window's next one (`snd_cwnd_cnt`). A loss discards them.
#[derive(Clone, Copy, Debug)]
pub struct SegmentCount {
    arithmetic: Arithmetic,
    counted: f64,
}

impl SegmentCount {
    /// Nothing has been acknowledged.
    pub fn new(arithmetic: Arithmetic) -> Self {
        Self { arithmetic, counted: 0.0 }
    }

    /// What slow start has left of the credit of an ACK, which with 2.6.22 ends above ssthresh only.
    pub fn after_slow_start(&self, window: &mut Window, rest: f64) -> f64 {
        let at_threshold = rest > 0.0 && window.cwnd <= window.ssthresh;
        if self.arithmetic != Arithmetic::Linux2622 || !at_threshold {
            return rest;
        }
        window.cwnd += 1.0;
        (rest - 1.0).max(0.0)
    }

    /// What this credit adds to a window that grows by one for `every` segments
    /// (`tcp_cong_avoid_ai`; in 2.6.22 each module counts by itself).
    pub fn advance(&mut self, every: f64, credit: f64) -> f64 {
        let every = match self.arithmetic {
            Arithmetic::Exact => return credit / every,
            Arithmetic::Linux => every,
            Arithmetic::Linux2622 => every + 1.0,
        };
        // What was counted towards a larger window makes one segment at most.
        let overdue = self.counted >= every;
        self.counted = if overdue { credit } else { self.counted + credit };
        let grown = (self.counted / every).floor();
        self.counted -= grown * every;
        grown + f64::from(u8::from(overdue))
    }

    /// A loss.
    pub fn reset(&mut self) {
        self.counted = 0.0;
    }
}

/// Whether a timeout is being repaired (`TCP_CA_Loss`): until what had been sent then is acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct LossState {
    until: u64,
}

impl LossState {
    /// The retransmission timer expired.
    pub fn on_timeout(&mut self, signal: &AckEvent) {
        self.until = self.until.max(signal.snd_nxt);
    }

    /// Whether an ACK of new data, outside of recovery, comes in the state `TCP_CA_Open`.
    pub fn is_open(&self, signal: &AckEvent) -> bool {
        signal.snd_una >= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of ACKs after which a window of 4 has grown, one segment each.
    fn increases(arithmetic: Arithmetic) -> Vec<u32> {
        let mut count = SegmentCount::new(arithmetic);
        (1..=20).filter(|_| count.advance(4.0, 1.0) > 0.0).collect()
    }

    /// tcp_cong_avoid_ai grows with each 4th ACK; 2.6.22 counts to 4 and grows with the ACK after.
    #[test]
    fn increases_by_hand() {
        assert_eq!(increases(Arithmetic::Linux), [4, 8, 12, 16, 20]);
        assert_eq!(increases(Arithmetic::Linux2622), [5, 10, 15, 20]);
        let mut count = SegmentCount::new(Arithmetic::Exact);
        assert_eq!(count.advance(4.0, 2.0), 0.5);
        // 3 and 7 are 10 segments: two increases by 4 and 2 left, which make one of every 3 with 1.
        let mut count = SegmentCount::new(Arithmetic::Linux);
        assert_eq!([count.advance(4.0, 3.0), count.advance(4.0, 7.0)], [0.0, 2.0]);
        assert_eq!(count.advance(3.0, 1.0), 1.0);
        // 3 of 4, and then every 2 suffice: 1 at once, and this ACK is the first of the next.
        count.advance(4.0, 3.0);
        assert_eq!([count.advance(2.0, 1.0), count.advance(2.0, 1.0)], [1.0, 1.0]);
        count.advance(4.0, 3.0);
        count.reset();
        assert_eq!(count.advance(4.0, 1.0), 0.0);
    }

    /// A window at ssthresh is in slow start in 2.6.22 only.
    #[test]
    fn slow_start_ends_at_or_above_ssthresh() {
        for (arithmetic, left, cwnd) in
            [(Arithmetic::Linux, 1.0, 10.0), (Arithmetic::Linux2622, 0.0, 11.0)]
        {
            let count = SegmentCount::new(arithmetic);
            let mut window = Window { cwnd: 10.0, ssthresh: 10.0 };
            assert_eq!(count.after_slow_start(&mut window, 1.0), left);
            assert_eq!(window.cwnd, cwnd);
        }
    }
}
