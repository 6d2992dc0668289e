//! The share of segments that are marked, smoothed over round trips: DCTCP.Alpha of RFC 8257 section 3.3.

use super::AckEvent;

/// The smoothed share.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarkedShare {
    alpha: f64,
    /// The weight of a new round trip (g).
    gain: f64,
    /// Segments acknowledged in this round trip, and those of them that were marked.
    acked: f64,
    marked: f64,
    /// The round trip ends when this byte is acknowledged.
    end: u64,
}

impl MarkedShare {
    /// Before the first ACK.
    pub(super) fn new(initial: f64, gain: f64) -> Self {
        Self { alpha: initial, gain, acked: 0.0, marked: 0.0, end: 0 }
    }

    /// The share.
    pub(super) fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Segments are acknowledged. Returns whether a round trip is over.
    pub(super) fn on_ack(&mut self, signal: &AckEvent) -> bool {
        self.acked += signal.acked;
        self.marked += signal.marked;
        signal.ack() >= self.end
    }

    /// Takes what has been acknowledged since the last time.
    pub(super) fn update(&mut self) {
        let share = self.marked / self.acked.max(1.0);
        self.alpha += self.gain * (share.min(1.0) - self.alpha);
    }

    /// A round trip begins.
    pub(super) fn begin_round(&mut self, signal: &AckEvent) {
        (self.acked, self.marked) = (0.0, 0.0);
        self.end = signal.snd_nxt.max(signal.ack());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::signal;
    use super::*;

    /// By hand: without marks (15/16)^n is left of 1 after n rounds; and a quarter of marks for long makes it a quarter.
    #[test]
    fn the_share_is_smoothed_over_rounds() {
        let mut share = MarkedShare::new(1.0, 1.0 / 16.0);
        let mut round = |marked: f64| {
            let ack = AckEvent { marked, ..signal(0, 4.0, 4.0) };
            assert!(share.on_ack(&ack));
            share.update();
            share.begin_round(&AckEvent { snd_nxt: 0, ..ack });
            share.end = 0;
            share.alpha()
        };
        for n in 1..=10 {
            assert!((round(0.0) - (15.0_f64 / 16.0).powi(n)).abs() < 1e-12, "{n}");
        }
        (0..200).for_each(|_| {
            round(1.0);
        });
        assert!((round(1.0) - 0.25).abs() < 1e-5);
    }

    /// A round trip ends when what had been sent at its beginning is acknowledged, and counts segments, not ACKs: 1 of 10.
    #[test]
    fn a_round_is_a_window_of_data() {
        let mut share = MarkedShare::new(0.0, 1.0);
        share.begin_round(&AckEvent { snd_nxt: 10, ..signal(0, 0.0, 10.0) });
        assert!(!share.on_ack(&AckEvent { marked: 1.0, ..signal(0, 4.0, 10.0) }));
        assert!(!share.on_ack(&AckEvent { snd_una: 4, ..signal(0, 5.0, 10.0) }));
        assert!(share.on_ack(&AckEvent { snd_una: 9, ..signal(0, 1.0, 10.0) }));
        share.update();
        assert_eq!(share.alpha(), 0.1);
    }
}
