//! The states and their gains (5.1.1, 5.6.1).

/// The state of a flow (BBR.state). The four of ProbeBW are states of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Doubles the rate each round, until the path is full (5.3.1).
    #[default]
    Startup,
    /// Empties the queue that Startup has built (5.3.2).
    Drain,
    /// ProbeBW_DOWN: empties the queue of the last probe (5.3.3.1).
    Down,
    /// ProbeBW_CRUISE: sends at the estimated bandwidth (5.3.3.2).
    Cruise,
    /// ProbeBW_REFILL: fills the path before a probe (5.3.3.3).
    Refill,
    /// ProbeBW_UP: probes for more bandwidth (5.3.3.5).
    Up,
    /// Keeps little in flight, to measure the round-trip time of the empty path (5.3.4).
    ProbeRtt,
}

impl State {
    /// The name that the draft has for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::Drain => "Drain",
            Self::Down => "ProbeBW_DOWN",
            Self::Cruise => "ProbeBW_CRUISE",
            Self::Refill => "ProbeBW_REFILL",
            Self::Up => "ProbeBW_UP",
            Self::ProbeRtt => "ProbeRTT",
        }
    }

    /// BBR.pacing_gain: the share of the bandwidth at which segments are sent.
    pub(super) fn pacing_gain(self) -> f64 {
        match self {
            Self::Startup => 2.77, // StartupPacingGain, 4 ln 2
            Self::Drain => 0.5,
            Self::Down => 0.9,
            Self::Cruise | Self::Refill | Self::ProbeRtt => 1.0,
            Self::Up => 1.25,
        }
    }

    /// BBR.cwnd_gain: the share of the bandwidth-delay product that may be in flight.
    pub(super) fn cwnd_gain(self) -> f64 {
        match self {
            Self::Up => 2.25,
            Self::ProbeRtt => 0.5, // ProbeRTTCwndGain
            _ => 2.0,              // DefaultCwndGain
        }
    }

    /// IsInAProbeBWState (5.3.3.9).
    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// IsProbingBW (5.3.3.9): whether losses may come from the search for bandwidth.
    pub(super) fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }
}

#[cfg(test)]
mod tests {
    use super::State::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};

    /// The table of 5.6.1, row by row.
    #[test]
    fn the_gains_are_those_of_the_table() {
        for (state, pacing, cwnd) in [
            (Startup, 2.77, 2.0),
            (Drain, 0.5, 2.0),
            (Down, 0.9, 2.0),
            (Cruise, 1.0, 2.0),
            (Refill, 1.0, 2.0),
            (Up, 1.25, 2.25),
            (ProbeRtt, 1.0, 0.5),
        ] {
            assert_eq!((state.pacing_gain(), state.cwnd_gain()), (pacing, cwnd), "{state:?}");
        }
    }
}
