//! Loss intervals and the loss event rate (RFC 5348 sections 5.3 to 5.5).

/// n: the number of intervals that count, and their weights w_0 to w_7 (section 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// An interval that a loss event has ended.
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    /// I_i, packets.
    packets: f64,
    /// DF_i.
    discount: f64,
}

/// The sums of intervals and of weights over which an average is taken.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    intervals: f64,
    weights: f64,
}

impl Sums {
    fn add(&mut self, packets: f64, weight: f64) {
        self.intervals += packets * weight;
        self.weights += weight;
    }
}

/// The loss intervals of a receiver.
#[derive(Clone, Debug)]
pub struct LossIntervals {
    /// The lower bound of DF; none without history discounting.
    threshold: Option<f64>,
    /// The first packet of I_0, once there has been a loss event.
    current: Option<u64>,
    /// I_1 to I_n, of which there are `known`.
    closed: [Interval; WEIGHTS.len()],
    known: usize,
}

impl LossIntervals {
    /// Before any loss. With a `threshold` history is discounted (section 5.5).
    pub fn new(threshold: Option<f64>) -> Self {
        let closed = [Interval::default(); WEIGHTS.len()];
        Self { threshold, current: None, closed, known: 0 }
    }

    /// Whether there has been a loss event.
    pub fn has_loss(&self) -> bool {
        self.current.is_some()
    }

    /// Packet `first` has begun a loss event. If it is the first event, `seed` is the interval before
    /// it, packets (section 6.3.1).
    pub fn begin(&mut self, first: u64, seed: f64) {
        let packets = match self.current.replace(first) {
            Some(start) => (first - start) as f64,
            None => seed,
        };
        let discount = self.discount(packets);
        for interval in self.closed() {
            interval.discount *= discount;
        }
        self.known = (self.known + 1).min(WEIGHTS.len());
        self.closed().rotate_right(1);
        // DF_0 is 1, and DF has been that of the intervals before.
        self.closed[0] = Interval { packets, discount: 1.0 };
    }

    /// p, if packet `highest` is the last that has arrived; 0 before any loss.
    pub fn loss_event_rate(&self, highest: u64) -> f64 {
        let Some(start) = self.current else { return 0.0 };
        let current = (highest.max(start) - start + 1) as f64;
        let closed = self.sums();
        let mut with_current = Sums::default();
        with_current.add(current, WEIGHTS[0]);
        let discount = self.discount(current);
        for (interval, weight) in self.closed[..self.known - 1].iter().zip(&WEIGHTS[1..]) {
            with_current.add(interval.packets, weight * interval.discount * discount);
        }
        let rate = |sums: Sums| sums.weights / sums.intervals;
        rate(with_current).min(rate(closed)).min(1.0)
    }

    fn closed(&mut self) -> &mut [Interval] {
        &mut self.closed[..self.known]
    }

    /// Those of I_1 to I_n.
    fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for (interval, weight) in self.closed[..self.known].iter().zip(&WEIGHTS) {
            sums.add(interval.packets, weight * interval.discount);
        }
        sums
    }

    /// DF, if I_0 has so many packets.
    fn discount(&self, current: f64) -> f64 {
        let Some(threshold) = self.threshold else { return 1.0 };
        let sums = self.sums();
        let mean = sums.intervals / sums.weights;
        // Without intervals the mean is not a number, and nothing is discounted.
        if current > 2.0 * mean { (2.0 * mean / current).max(threshold) } else { 1.0 }
    }
}
