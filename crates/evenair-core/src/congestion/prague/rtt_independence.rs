//! How Prague's growth depends on the round-trip time (`rtt_scaling_heuristics` in `tcp_prague.c`; RFC 9331 section
//! 4.3 asks for less dependence than a window has by itself).

use crate::component::named;
use crate::time::Duration;

named! {
    /// The rule.
    pub enum RttScaling {
        /// One segment per round trip (`RTT_CONTROL_NONE`).
        None => "none",
        /// A flow of a shorter round-trip time sends as fast as one of the target (`RTT_CONTROL_RATE`).
        #[default]
        Rate => "rate",
        /// Less so the shorter it is, so that marks remain frequent (`RTT_CONTROL_SCALABLE`).
        Scalable => "scalable",
        /// As if its round trip took the target in addition (`RTT_CONTROL_ADDITIVE`).
        Additive => "additive",
    }
    planned []
}

/// Round-trip times above are not scaled (`MAX_SCALED_RTT`).
const LONGEST: Duration = Duration::from_millis(100);

impl RttScaling {
    /// The round-trip time as at which the window grows and is reduced.
    pub(super) fn target(self, target: Duration, srtt: Duration) -> Duration {
        match self {
            Self::None => Duration::ZERO,
            Self::Rate | Self::Scalable => target,
            Self::Additive => target + srtt,
        }
    }

    /// By how many segments the window grows in a round trip that takes `srtt`, without marks.
    pub(super) fn growth(self, target: Duration, srtt: Duration) -> f64 {
        if srtt > LONGEST {
            return 1.0;
        }
        match self {
            Self::None => 1.0,
            Self::Rate | Self::Additive => {
                let ratio = srtt.as_secs_f64() / self.target(target, srtt).as_secs_f64();
                if ratio < 1.0 { ratio * ratio } else { 1.0 }
            }
            Self::Scalable => {
                // R0 and R1, which are not parameters.
                let (slowest, quickest) = (16_384e-6, 1_536e-6);
                let srtt = srtt.as_secs_f64();
                let above = (srtt - quickest).clamp(0.0, slowest) / slowest;
                (0.125 + above) * srtt / slowest
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: at 10 ms of 25, (10/25)^2 = 0.16; (10/35)^2 with the round trip added; and (1/8 + 8.464/16.384) of
    /// 10/16.384 in the scalable form. Nothing is scaled above the target, or 100 ms.
    #[test]
    fn growth_at_short_round_trips() {
        let ms = Duration::from_millis;
        let of = |scaling: RttScaling, rtt| scaling.growth(ms(25), ms(rtt));
        let is = |growth: f64, expected: f64| assert!((growth - expected).abs() < 1e-9, "{growth}");
        is(of(RttScaling::None, 10), 1.0);
        is(of(RttScaling::Rate, 10), 0.16);
        is(of(RttScaling::Rate, 25), 1.0);
        is(of(RttScaling::Rate, 60), 1.0);
        is(of(RttScaling::Additive, 10), 100.0 / 1225.0);
        is(of(RttScaling::Additive, 101), 1.0);
        is(of(RttScaling::Scalable, 10), (0.125 + 8.464 / 16.384) * 10.0 / 16.384);
        is(of(RttScaling::Scalable, 1), 0.125 / 16.384);
    }
}
