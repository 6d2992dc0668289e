//! Round-trip times and the retransmission timeout (RFC 6298).

use crate::component::named;
use crate::time::Duration;

/// Clock granularity G of RFC 6298: 10 ms, the tick of ns-2 and of a Linux kernel with HZ = 100.
pub const CLOCK_GRANULARITY: Duration = Duration::from_millis(10);
/// The longest timeout, backed off or not (RFC 6298 section 2.5 allows a maximum of at least 60 s).
pub const MAX_RTO: Duration = Duration::from_secs(60);

named! {
    /// How the retransmission timeout follows from round-trip times.
    pub enum RtoFormula {
        /// RFC 6298: SRTT + max(G, 4 RTTVAR), and at least the minimum. Each sample has the same weight.
        Rfc6298 => "rfc6298",
        /// The same, but the samples of a round trip share the weight of one (RFC 7323 appendix G).
        Rfc7323 => "rfc7323",
        /// Linux (`tcp_rtt_estimator`): SRTT and a deviation that is at least the minimum. The deviation
        /// rises at once and falls by a quarter of the excess each round trip.
        #[default]
        Linux => "linux",
    }
    planned []
}

/// Smoothed round-trip time and the timeout that follows from it.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    formula: RtoFormula,
    min_rto: Duration,
    /// SRTT and RTTVAR, once there is a sample.
    smoothed: Option<(Duration, Duration)>,
    /// With Linux's formula.
    deviation: LinuxDeviation,
    rto: Duration,
    samples: u64,
    sum: Duration,
    least: Duration,
}

impl RttEstimator {
    /// No sample yet: the timeout is `initial_rto`, and never below `min_rto` afterwards.
    pub fn new(formula: RtoFormula, initial_rto: Duration, min_rto: Duration) -> Self {
        let (samples, sum, least) = (0, Duration::ZERO, Duration::MAX);
        let (deviation, smoothed) = (LinuxDeviation::default(), None);
        Self { formula, min_rto, smoothed, deviation, rto: initial_rto, samples, sum, least }
    }

    /// Takes a round-trip time measured on a segment that was sent once (Karn; RFC 6298 section 3), the only one of its round
    /// trip, and ends any back-off.
    #[inline(always)]
    pub fn sample(&mut self, rtt: Duration) {
        self.sample_of(rtt, 1, true);
    }

    /// The same for one of so many of a round trip, and whether that ends: by RFC 7323 each has less weight. Linux lets the
    /// deviation fall once in a round trip.
    pub fn sample_of(&mut self, rtt: Duration, of_round: u64, ends_round: bool) {
        self.samples += 1;
        self.sum += rtt;
        self.least = self.least.min(rtt);
        let before = self.smoothed;
        let weights = if self.formula == RtoFormula::Rfc7323 { of_round } else { 1 };
        let (srtt, rttvar) = smooth_of(before, rtt, weights);
        self.smoothed = Some((srtt, rttvar));
        let rto = match self.formula {
            RtoFormula::Rfc6298 | RtoFormula::Rfc7323 => {
                (srtt + CLOCK_GRANULARITY.max(rttvar * 4)).max(self.min_rto)
            }
            RtoFormula::Linux => {
                let before = before.map(|(srtt, _)| srtt);
                srtt + self.deviation.update(before, rtt, self.min_rto, ends_round)
            }
        };
        self.rto = rto.min(MAX_RTO);
    }

    /// Doubles the timeout (RFC 6298 section 5.5).
    pub fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(MAX_RTO);
    }

    /// The handshake timed out: data starts with a timeout of 3 s at least (RFC 6298 section 5.7).
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

/// Linux's deviation of round-trip times, four times their mean deviation.
#[derive(Clone, Copy, Debug, Default)]
struct LinuxDeviation {
    /// `mdev_us`: smoothed.
    mean: Duration,
    /// `mdev_max_us`: the largest mean of this round trip.
    largest: Duration,
    /// `rttvar_us`: what the timeout has.
    rttvar: Duration,
}

impl LinuxDeviation {
    /// Takes a sample, before which SRTT was `srtt`, and which may end a round trip. Returns what is added to SRTT.
    fn update(
        &mut self,
        srtt: Option<Duration>,
        rtt: Duration,
        least: Duration,
        ends_round: bool,
    ) -> Duration {
        let Some(srtt) = srtt else {
            self.mean = rtt * 2;
            self.rttvar = self.mean.max(least);
            self.largest = self.rttvar;
            return self.rttvar;
        };
        let error = rtt.saturating_sub(srtt) + srtt.saturating_sub(rtt);
        let rise = error.saturating_sub(self.mean / 4);
        // A shorter round-trip time raises the deviation by an eighth of what a longer one does.
        let rise = if rtt < srtt { rise / 8 } else { rise };
        self.mean = (self.mean + rise).saturating_sub((self.mean / 4).saturating_sub(error));
        self.largest = self.largest.max(self.mean);
        self.rttvar = self.rttvar.max(self.largest);
        if ends_round {
            self.rttvar = self.rttvar.saturating_sub((self.rttvar - self.largest) / 4);
            self.largest = least;
        }
        self.rttvar
    }
}

/// SRTT and RTTVAR after a sample, from those before it (RFC 6298 section 2.2 and 2.3, with alpha = 1/8 and
/// beta = 1/4).
#[inline(always)]
pub(super) fn smooth(before: Option<(Duration, Duration)>, rtt: Duration) -> (Duration, Duration) {
    smooth_of(before, rtt, 1)
}

/// The same with alpha and beta divided by the `samples` of a round trip (RFC 7323 appendix G).
#[inline(always)]
fn smooth_of(
    before: Option<(Duration, Duration)>,
    rtt: Duration,
    samples: u64,
) -> (Duration, Duration) {
    match before {
        None => (rtt, rtt / 2),
        Some((srtt, rttvar)) => {
            let error = srtt.saturating_sub(rtt) + rtt.saturating_sub(srtt);
            let (a, b) = (8 * samples, 4 * samples);
            ((srtt * (a - 1) + rtt) / a, (rttvar * (b - 1) + error) / b)
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
        let mut rtt = RttEstimator::new(RtoFormula::Rfc6298, MS(3000), MS(200));
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

    /// Worked by hand from Linux's `tcp_rtt_estimator`, of which `mdev` and `rttvar` are four times the
    /// mean deviation.
    #[test]
    fn follows_linux() {
        let mut rtt = RttEstimator::new(RtoFormula::Linux, MS(1000), MS(200));
        assert_eq!(rtt.rto(), MS(1000));
        rtt.sample(MS(80)); // mdev 160; rttvar 200, the minimum
        assert_eq!(rtt.rto(), MS(280));
        rtt.sample(MS(400)); // error 320: mdev 160 - 40 + 320 = 440 and rttvar 440; SRTT 120
        assert_eq!(rtt.rto(), MS(560));
        rtt.sample(MS(120)); // error 0: mdev 330; rttvar 440 - 110 / 4 = 412.5
        assert_eq!(rtt.rto(), Duration::from_nanos(532_500_000));
        rtt.sample(MS(40)); // 80 below: less than 330 / 4, so mdev 330 - 82.5 + 80 = 327.5
        // rttvar 412.5 - 85 / 4 = 391.25; SRTT 110
        assert_eq!(rtt.rto(), Duration::from_nanos(501_250_000));
        rtt.sample(MS(10)); // 100 below: mdev 327.5 + (100 - 81.875) / 8 = 329.765625
        // rttvar 391.25 - (391.25 - 329.765625) / 4 = 375.87890625; SRTT 97.5
        assert_eq!(rtt.rto(), Duration::from_nanos(473_378_907));
    }

    /// RFC 7323 appendix G by hand: four samples a round trip, alpha 1/32 and beta 1/16.
    #[test]
    fn samples_of_a_round_trip_share_its_weight() {
        let mut rtt = RttEstimator::new(RtoFormula::Rfc7323, MS(1000), MS(200));
        rtt.sample_of(MS(160), 4, true); // the first: SRTT 160, RTTVAR 80
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(MS(160)), MS(480)));
        rtt.sample_of(MS(192), 4, false); // SRTT 161; RTTVAR 15/16 80 + 1/16 32 = 77
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(MS(161)), MS(469)));
        // RFC 6298 by hand, with alpha 1/8 and beta 1/4: SRTT 164; RTTVAR 3/4 80 + 1/4 32 = 68.
        let mut rtt = RttEstimator::new(RtoFormula::Rfc6298, MS(1000), MS(200));
        rtt.sample_of(MS(160), 4, true);
        rtt.sample_of(MS(192), 4, false);
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(MS(164)), MS(436)));
    }

    /// As in `follows_linux`, but the third sample does not end the round trip: rttvar stays 440 until the fourth.
    #[test]
    fn linux_s_deviation_falls_once_a_round_trip() {
        let mut rtt = RttEstimator::new(RtoFormula::Linux, MS(1000), MS(200));
        rtt.sample(MS(80));
        rtt.sample(MS(400));
        rtt.sample_of(MS(120), 7, false); // SRTT 120
        assert_eq!(rtt.rto(), MS(560));
        rtt.sample_of(MS(120), 7, true); // mdev 330 - 82.5; the largest of the round is 330: rttvar 412.5
        assert_eq!(rtt.rto(), Duration::from_nanos(532_500_000));
    }

    /// What a deviation of zero leaves: SRTT + 200 ms, where RFC 6298 has 200 ms.
    #[test]
    fn linux_adds_the_minimum_to_the_round_trip_time() {
        let mut rtt = RttEstimator::new(RtoFormula::Linux, MS(1000), MS(200));
        for _ in 0..200 {
            rtt.sample(MS(60));
        }
        assert_eq!(rtt.rto(), MS(260));
    }

    #[test]
    fn stays_between_its_bounds() {
        let mut rtt = RttEstimator::new(RtoFormula::Rfc6298, MS(3000), MS(200));
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
