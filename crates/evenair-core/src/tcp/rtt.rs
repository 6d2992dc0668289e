//! Round-trip times and the retransmission timeout (RFC 6298).

use crate::time::Duration;

/// Clock granularity G of RFC 6298: 10 ms, the tick of ns-2 and of a Linux kernel with HZ = 100.
pub const CLOCK_GRANULARITY: Duration = Duration::from_millis(10);
/// The longest timeout, backed off or not (RFC 6298 2.5 allows a maximum of at least 60 s).
pub const MAX_RTO: Duration = Duration::from_secs(60);

/// Smoothed round-trip time and the timeout that follows from it.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    min_rto: Duration,
    /// SRTT and RTTVAR, once there is a sample.
    smoothed: Option<(Duration, Duration)>,
    rto: Duration,
    samples: u64,
    sum: Duration,
    least: Duration,
}

impl RttEstimator {
    /// No sample yet: the timeout is `initial_rto`, and never below `min_rto` afterwards.
    pub fn new(initial_rto: Duration, min_rto: Duration) -> Self {
        let (samples, sum, least) = (0, Duration::ZERO, Duration::MAX);
        Self { min_rto, smoothed: None, rto: initial_rto, samples, sum, least }
    }

    /// Takes a round-trip time measured on a segment that was sent once (Karn; RFC 6298 3), and
    /// ends any back-off.
    pub fn sample(&mut self, rtt: Duration) {
        self.samples += 1;
        self.sum += rtt;
        self.least = self.least.min(rtt);
        let (srtt, rttvar) = smooth(self.smoothed, rtt);
        self.smoothed = Some((srtt, rttvar));
        let rto = srtt + CLOCK_GRANULARITY.max(rttvar * 4);
        self.rto = rto.max(self.min_rto).min(MAX_RTO);
    }

    /// Doubles the timeout (RFC 6298 5.5).
    pub fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(MAX_RTO);
    }

    /// The handshake timed out: data starts with a timeout of 3 s at least (RFC 6298 5.7).
    pub fn be_patient(&mut self) {
        self.rto = self.rto.max(Duration::from_secs(3));
    }

    /// The present timeout.
    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// SRTT, once there is a sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt, _)| srtt)
    }

    /// The smallest sample.
    pub fn min_rtt(&self) -> Option<Duration> {
        (self.samples > 0).then_some(self.least)
    }

    /// The number of samples and their sum.
    pub fn total(&self) -> (u64, Duration) {
        (self.samples, self.sum)
    }
}

/// SRTT and RTTVAR after a sample, from those before it (RFC 6298 2.2 and 2.3, with alpha = 1/8 and
/// beta = 1/4).
pub(super) fn smooth(before: Option<(Duration, Duration)>, rtt: Duration) -> (Duration, Duration) {
    match before {
        None => (rtt, rtt / 2),
        Some((srtt, rttvar)) => {
            let error = srtt.saturating_sub(rtt) + rtt.saturating_sub(srtt);
            ((srtt * 7 + rtt) / 8, (rttvar * 3 + error) / 4)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Worked by hand from RFC 6298 section 2.
    #[test]
    fn follows_the_rfc() {
        let mut rtt = RttEstimator::new(Duration::from_secs(3), MS(200));
        assert_eq!(rtt.rto(), MS(3000));
        rtt.sample(MS(100)); // SRTT 100, RTTVAR 50
        assert_eq!(rtt.rto(), MS(300));
        rtt.sample(MS(180)); // RTTVAR 3/4 50 + 1/4 80 = 57.5, SRTT 7/8 100 + 1/8 180 = 110
        assert_eq!(rtt.rto(), MS(340));
        assert_eq!(rtt.srtt(), Some(MS(110)));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), MS(1360));
        rtt.sample(MS(110)); // RTTVAR 43.125
        assert_eq!(rtt.rto(), Duration::from_nanos(282_500_000));
    }

    #[test]
    fn stays_between_its_bounds() {
        let mut rtt = RttEstimator::new(Duration::from_secs(3), MS(200));
        for _ in 0..50 {
            rtt.sample(MS(1));
        }
        assert_eq!(rtt.rto(), MS(200));
        for _ in 0..50 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), MAX_RTO);
    }
}
