//! The pacing rate and the send quantum (5.6.2, 5.6.3).

use super::Bbr;
use crate::time::Duration;
use crate::units::Rate;

/// What PacingMarginPercent leaves of the bandwidth.
const MARGIN: f64 = 0.99;
/// The round-trip time of a connection that has measured none.
const NOMINAL_RTT: Duration = Duration::from_millis(1);
/// What is sent together at most, bytes.
const LONGEST_QUANTUM: f64 = 65_536.0;
/// The least, segments.
const SHORTEST_QUANTUM: f64 = 2.0;
/// The time that a quantum takes at the pacing rate, s.
const QUANTUM_TIME: f64 = 0.001;

impl Bbr {
    /// InitPacingRate: the initial window in a round trip, times the gain.
    pub(super) fn init_pacing_rate(&mut self, srtt: Option<Duration>) {
        let rtt = srtt.filter(|rtt| *rtt > Duration::ZERO).unwrap_or(NOMINAL_RTT);
        self.pacing_rate = self.state.pacing_gain() * self.path.initial_cwnd / rtt.as_secs_f64();
    }

    /// SetPacingRateWithGain. Without a bandwidth the initial rate stays.
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.model.bw * MARGIN;
        if rate > 0.0 && (self.full.reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// SetSendQuantum.
    pub(super) fn set_send_quantum(&mut self) {
        let longest = LONGEST_QUANTUM / self.path.segment;
        self.send_quantum = (self.pacing_rate * QUANTUM_TIME).min(longest).max(SHORTEST_QUANTUM);
    }

    /// The pacing rate, of payload.
    pub(super) fn rate(&self) -> Option<Rate> {
        let bps = 8.0 * self.path.segment * self.pacing_rate;
        (bps > 0.0).then(|| Rate::from_bps((bps as u64).max(1)))
    }
}
