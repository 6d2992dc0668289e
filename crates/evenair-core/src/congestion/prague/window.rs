//! The window of Prague: a fraction of segments, to which cwnd follows one segment per ACK.

use crate::congestion::Window;

/// Fewer segments than these are never in cwnd (`MIN_CWND`); what is below is left to pacing.
const LEAST: f64 = 2.0;

/// The resolution of Linux's window (`CWND_UNIT`).
const SMALLEST: f64 = 1.0 / 1_048_576.0;

/// The window with its fraction (`frac_cwnd`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FractionalWindow {
    segments: f64,
    /// cwnd as it was set here last.
    set: f64,
}

impl FractionalWindow {
    /// The window, segments.
    pub(super) fn segments(&self) -> f64 {
        self.segments
    }

    /// Whether cwnd is too large to limit the sender: pacing does.
    pub(super) fn is_paced_alone(&self) -> bool {
        self.segments < LEAST
    }

    /// What others have set cwnd to is taken over: the initial window, or that after a pause.
    pub(super) fn follow(&mut self, window: &Window) {
        if window.cwnd != self.set {
            self.jump(window.cwnd);
        }
    }

    /// cwnd is this.
    pub(super) fn jump(&mut self, cwnd: f64) {
        (self.segments, self.set) = (cwnd, cwnd);
    }

    /// Segments are acknowledged without marks, while the window grows by `growth` in a round trip.
    pub(super) fn grow(&mut self, unmarked: f64, growth: f64) {
        self.segments += unmarked * growth / self.whole();
    }

    /// This share of it is left.
    pub(super) fn keep(&mut self, share: f64) {
        self.segments = (self.segments * share).max(SMALLEST);
    }

    /// An ACK has come: cwnd goes one segment towards the window. What reduces it ends slow start.
    pub(super) fn step(&mut self, window: &mut Window, may_grow: bool) {
        let whole = self.whole();
        if window.cwnd > whole && window.cwnd > LEAST {
            window.cwnd = (window.cwnd - 1.0).max(LEAST);
            window.ssthresh = window.cwnd;
        } else if window.cwnd < whole && may_grow {
            window.cwnd = (window.cwnd + 1.0).min(whole.max(LEAST));
        }
        self.set = window.cwnd;
    }

    /// A loss: cwnd and ssthresh are the window at once.
    pub(super) fn settle(&mut self, window: &mut Window) {
        window.cwnd = self.whole().max(LEAST);
        window.ssthresh = window.cwnd;
        self.set = window.cwnd;
    }

    /// Whole segments, rounded up.
    fn whole(&self) -> f64 {
        self.segments.ceil().max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: half of 9 is 4.5, to which cwnd goes down by one for each ACK, to 5; 40 ACKs then add 40/5 less what the
    /// divisor grows.
    #[test]
    fn cwnd_follows_step_by_step() {
        let mut fractional = FractionalWindow::default();
        let mut window = Window { cwnd: 9.0, ssthresh: 1e9 };
        fractional.follow(&window);
        fractional.keep(0.5);
        let mut steps = vec![];
        for _ in 0..5 {
            fractional.step(&mut window, true);
            fractional.follow(&window);
            steps.push(window.cwnd);
        }
        assert_eq!((steps, fractional.segments()), (vec![8.0, 7.0, 6.0, 5.0, 5.0], 4.5));
        assert_eq!(window.ssthresh, 5.0);
        fractional.grow(2.0, 1.0);
        assert_eq!(fractional.segments(), 4.9);
        fractional.grow(2.0, 0.5);
        fractional.step(&mut window, false);
        assert_eq!((fractional.segments(), window.cwnd), (4.9 + 0.2, 5.0));
        fractional.step(&mut window, true);
        assert_eq!(window.cwnd, 6.0);
    }

    /// A window below two segments is cwnd's two, with a fraction for pacing.
    #[test]
    fn cwnd_has_two_segments_at_least() {
        let mut fractional = FractionalWindow::default();
        let mut window = Window { cwnd: 3.0, ssthresh: 3.0 };
        fractional.follow(&window);
        fractional.keep(0.25);
        (0..3).for_each(|_| fractional.step(&mut window, true));
        assert_eq!((window.cwnd, fractional.segments()), (2.0, 0.75));
        assert!(fractional.is_paced_alone());
        fractional.settle(&mut window);
        assert_eq!(window, Window { cwnd: 2.0, ssthresh: 2.0 });
    }
}
