//! The rate of a video call that follows its losses.

use crate::component::named;

named! {
    /// Which rate the encoder of a video call has.
    pub enum Adaptation {
        /// That of the flow, whatever the network does.
        #[default]
        None => "none",
        /// That of [`LossController`].
        GccLoss => "gcc-loss",
    }
    planned []
}

/// Up to this share of lost packets the rate may rise.
const FEW: f64 = 0.02;
/// Above this share the rate falls.
const MANY: f64 = 0.1;
/// The rate times this, where few are lost.
const INCREASE: f64 = 1.05;
/// The rate falls by this part of the share that is lost.
const DECREASE: f64 = 0.5;

/// The loss-based controller of Google Congestion Control (draft-ietf-rmcat-gcc-02 section 6), alone, as section 7 has it
/// where the receiver sends plain receiver reports.
#[derive(Clone, Debug)]
pub struct LossController {
    rate: f64,
    bounds: [f64; 2],
}

impl LossController {
    /// It begins with `rate`, which stays within `bounds`.
    pub fn new(rate: f64, bounds: [f64; 2]) -> Self {
        Self { rate, bounds }
    }

    /// A report has come: this share of the packets was lost since the one before.
    pub fn on_report(&mut self, lost: f64) {
        let factor = if lost < FEW {
            INCREASE
        } else if lost > MANY {
            1.0 - DECREASE * lost
        } else {
            1.0
        };
        let [least, most] = self.bounds;
        self.rate = (self.rate * factor).clamp(least, most);
    }

    /// The rate from now on.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: of 20 % lost 1 - 0.1 remains, of all half; from 2 % to 10 % it stays, and below it rises by a twentieth.
    #[test]
    fn the_rate_falls_above_a_tenth_and_rises_below_two_percent() {
        let mut controller = LossController::new(1e6, [150e3, 1.2e6]);
        let mut after = |lost| {
            controller.on_report(lost);
            controller.rate().round()
        };
        assert_eq!(after(0.2), 900e3);
        assert_eq!([0.02, 0.05, 0.1].map(&mut after), [900e3; 3]);
        assert_eq!(after(0.019), 945e3);
        assert_eq!(after(0.0), 992_250.0);
        assert_eq!(after(1.0), 496_125.0);
        after(1.0);
        assert_eq!([1.0; 2].map(&mut after), [150e3; 2], "half of 248 kb/s is below the bound");
        let rises = std::iter::repeat_with(|| after(0.0)).position(|rate| rate == 1.2e6);
        // 1.05^42 = 7.76 and 1.05^43 = 8.15, of which 8 are needed.
        assert_eq!(rises, Some(42));
    }
}
