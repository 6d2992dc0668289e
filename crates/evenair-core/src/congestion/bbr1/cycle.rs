//! The cycle of pacing gains by which a flow finds out whether the path has more bandwidth, and drains what that has queued
//! (`bbr_pacing_gain`, `bbr_is_next_cycle_phase`, `bbr_reset_probe_bw_mode`).

use super::bandwidth::Gain;
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

/// `CYCLE_LEN`.
const PHASES: u32 = 8;

/// What decides whether a phase ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// The moment.
    pub(super) now: Instant,
    /// None before the first round-trip time.
    pub(super) min_rtt: Option<Duration>,
    /// The pacing gain of the phase.
    pub(super) gain: Gain,
    /// Whether the ACK tells losses.
    pub(super) has_losses: bool,
    /// Segments in the network before the ACK, when the next one leaves.
    pub(super) in_flight: u64,
    /// Segments that the gain is to bring into the network; without a gain those that fill the path.
    pub(super) target: u64,
}

/// The phase.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    index: u32,
    since: Instant,
}

impl Cycle {
    /// Begins with any phase but the one that drains.
    pub(super) fn begin(&mut self, now: Instant, random: &mut RngStream) {
        self.index = PHASES - 1 - random.up_to(PHASES - 2);
        self.advance(now);
    }

    fn advance(&mut self, now: Instant) {
        (self.index, self.since) = ((self.index + 1) % PHASES, now);
    }

    /// Whether this is the phase that probes.
    pub(super) fn is_probing(&self) -> bool {
        self.index == 0
    }

    /// The pacing gain of the phase.
    pub(super) fn gain(&self) -> Gain {
        match self.index {
            0 => Gain::UP,
            1 => Gain::DOWN,
            _ => Gain::ONE,
        }
    }

    /// Goes on to the next phase if it is time. A phase lasts min RTT; one that probes until what it sends is in the
    /// network, or losses tell that it does not fit; one that drains no longer than until the queue is drained.
    pub(super) fn update(&mut self, of: &Progress) {
        let is_over = of.min_rtt.is_some_and(|min_rtt| of.now.since(self.since) > min_rtt);
        let ends = if of.gain > Gain::ONE {
            is_over && (of.has_losses || of.in_flight >= of.target)
        } else if of.gain < Gain::ONE {
            is_over || of.in_flight <= of.target
        } else {
            is_over
        };
        if ends {
            self.advance(of.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::StreamId;

    const RTT: Duration = Duration::from_millis(10);

    fn at(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    /// Of 8 phases 7 can be the first: 7,000 beginnings, of which each has 1,000 on average, with a standard deviation of
    /// sqrt(7000 x 1/7 x 6/7) = 29.3.
    #[test]
    fn it_begins_with_any_phase_but_the_draining_one() {
        let (mut cycle, mut random) =
            (Cycle::default(), RngStream::new(1, StreamId::Congestion, 0));
        let mut counts = [0_i32; 8];
        for _ in 0..7000 {
            cycle.begin(at(0), &mut random);
            counts[cycle.index as usize] += 1;
        }
        assert_eq!(counts[1], 0);
        for (phase, count) in counts.into_iter().enumerate().filter(|&(phase, _)| phase != 1) {
            assert!((count - 1000).abs() < 150, "phase {phase}: {count}");
        }
    }

    fn progress(cycle: &Cycle, now: Instant, in_flight: u64) -> Progress {
        let target = if cycle.is_probing() { 125 } else { 100 };
        let gain = cycle.gain();
        Progress { now, min_rtt: Some(RTT), gain, has_losses: false, in_flight, target }
    }

    /// Each of six phases takes min RTT, and a bit; then the rate is raised until 125 segments are in the network.
    #[test]
    fn phases_last_a_round_trip() {
        let mut cycle = Cycle { index: 2, since: at(0) };
        let mut gains = vec![];
        for step in 1..=70 {
            cycle.update(&progress(&cycle, at(1001 * step), 110));
            gains.push(cycle.gain());
        }
        // 10 steps of 1.001 ms are more than 10 ms: phases 2 to 7 end with steps 10, 20, ... 60.
        assert!(gains[..59].iter().all(|&gain| gain == Gain::ONE));
        assert!(gains[59..].iter().all(|&gain| gain == Gain::UP));
        cycle.update(&progress(&cycle, at(71_000), 124));
        assert_eq!(cycle.gain(), Gain::UP);
        cycle.update(&progress(&cycle, at(72_000), 125));
        assert_eq!(cycle.gain(), Gain::DOWN);
        cycle.update(&progress(&cycle, at(73_000), 101));
        assert_eq!(cycle.gain(), Gain::DOWN);
        cycle.update(&progress(&cycle, at(73_000), 100));
        assert_eq!((cycle.gain(), cycle.index), (Gain::ONE, 2));
    }

    /// A loss ends the probe, but not before min RTT; and the drain ends after min RTT in any case.
    #[test]
    fn a_loss_ends_the_probe() {
        let mut cycle = Cycle { index: 0, since: at(0) };
        let lossy = |now| Progress { has_losses: true, ..progress(&Cycle::default(), now, 110) };
        cycle.update(&lossy(at(10_000)));
        assert!(cycle.is_probing());
        cycle.update(&lossy(at(10_001)));
        assert_eq!(cycle.gain(), Gain::DOWN);
        cycle.update(&progress(&cycle, at(20_001), 110));
        assert_eq!(cycle.gain(), Gain::DOWN);
        cycle.update(&progress(&cycle, at(20_002), 110));
        assert_eq!(cycle.gain(), Gain::ONE);
    }
}
