//! Applications over UDP: the sending times and the sizes of a flow's datagrams.

use super::adaptation::Adaptation;
use super::offer::Offer;
use super::packet_trace::{PacketTraceConfig, Replay};
use super::receiver::FrameMark;
use super::video::{VideoCallConfig, VideoPackets};
use super::voip::{self, VoipConfig};
use super::{Distribution, Draws, distribution_of_times};
use crate::component::{configuration, positive_up_to, registry};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

registry! {
    /// An application over UDP.
    pub enum Pattern {
        Cbr(CbrConfig),
        Poisson(PoissonConfig),
        OnOff(OnOffConfig),
        Voip(VoipConfig),
        VideoCall(VideoCallConfig),
        Trace(PacketTraceConfig),
        Ping(PingConfig),
    }
    kind "application", noun "application", planned &[]
}

impl Pattern {
    /// Whether it sends at the flow's `rate`.
    pub fn has_rate(&self) -> bool {
        match self {
            Self::Cbr(_) | Self::Poisson(_) | Self::OnOff(_) | Self::VideoCall(_) => true,
            Self::Voip(_) | Self::Trace(_) | Self::Ping(_) => false,
        }
    }

    /// What the receiver sends back.
    pub fn replies(&self) -> Replies {
        match self {
            Self::Ping(_) => Replies::Echoes,
            Self::VideoCall(config) if config.adaptation != Adaptation::None => Replies::Reports,
            _ => Replies::None,
        }
    }
}

/// What the receiver of datagrams sends back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replies {
    /// Nothing.
    None,
    /// Each datagram.
    Echoes,
    /// Receiver reports of RTP.
    Reports,
}

configuration! {
    /// Constant bit rate: the interval follows from the flow's `rate`.
    pub struct CbrConfig {
        name: "cbr",
        summary: "a datagram of `segment` bytes at a constant interval, by the flow's `rate` (UDP)",
        source: "ns-2's Application/Traffic/CBR",
    }
}

configuration! {
    /// A Poisson process: the mean interval follows from the flow's `rate`.
    pub struct PoissonConfig {
        name: "poisson",
        summary: "datagrams of `segment` bytes with exponential gaps, at the flow's `rate` on \
                  average (UDP)",
        source: "the Poisson process",
    }
}

configuration! {
    /// Parameters of an on-off source.
    pub struct OnOffConfig {
        name: "on-off",
        summary: "datagrams of `segment` bytes at the flow's `rate` in on periods, none in off \
                  periods (UDP)",
        source: "Tsiknas and Stamatelos 2012 (cross traffic of scenario 2); ns-2's \
                 Application/Traffic/Pareto",
    }
    /// length of an on period; its mean is at least the interval of the datagrams
    on: Distribution = HALF_A_SECOND, distribution_of_times();
    /// length of an off period
    off: Distribution = HALF_A_SECOND, distribution_of_times();
}

configuration! {
    /// Parameters of a source of datagrams that the receiver sends back.
    pub struct PingConfig {
        name: "ping",
        summary: "a datagram of `segment` bytes at a constant interval, which the receiver sends \
                  back at once (UDP)",
        source: "RFC 862 (echo); the intervals of flent's pings",
    }
    /// time between two datagrams, from 1 ms
    interval: Duration = Duration::from_millis(200), positive_up_to(Duration::from_secs(3600));
}

/// Tsiknas and Stamatelos 2012: "the mean duration in on and off states is 500 msec"; the paper
/// gives no shape, so it is the default of ns-2's Application/Traffic/Pareto.
const HALF_A_SECOND: Distribution = Distribution::pareto(0.5, 1.5);

/// Generates the sending times and the sizes of an application's datagrams.
#[derive(Clone, Debug)]
pub struct Datagrams {
    process: Process,
    /// Interval between two datagrams, at the flow's rate if the application uses it.
    interval: Duration,
    next: Instant,
    /// Of the next one, bytes.
    payload: u32,
}

#[derive(Clone, Debug)]
enum Process {
    Constant,
    Poisson(RngStream),
    /// A datagram is sent after each `interval` of on time; the interval is suspended in off
    /// periods. So the long-term rate is the flow's rate times the share of the on periods, however
    /// short they are.
    OnOff {
        on: Draws,
        off: Draws,
        /// Remaining time of the current on period at `next`.
        left: Duration,
    },
    Video(Box<VideoPackets>),
    Trace(Replay),
}

impl Datagrams {
    /// Creates the configured application. `flow` is the index of the flow in the run.
    ///
    /// The first datagram is sent at `start`, with "poisson" an exponential interval later.
    pub fn new(pattern: &Pattern, offer: Offer, start: Instant, seed: u64, flow: u32) -> Self {
        let stream = |number| RngStream::new(seed, StreamId::Traffic, 2 * u64::from(flow) + number);
        let process = match pattern {
            Pattern::Cbr(CbrConfig {}) | Pattern::Voip(_) | Pattern::Ping(_) => Process::Constant,
            Pattern::Poisson(PoissonConfig {}) => Process::Poisson(stream(0)),
            Pattern::OnOff(OnOffConfig { on, off }) => {
                let mut on = Draws::new(on.clone(), stream(0));
                let off = Draws::new(off.clone(), stream(1));
                let left = Duration::from_secs_f64(on.draw());
                Process::OnOff { on, off, left }
            }
            Pattern::VideoCall(config) => {
                let frames = config.frames(&offer, start, seed, flow);
                let packets = VideoPackets::new(frames, offer.segment, config.pacing);
                Process::Video(Box::new(packets.with(config.controller(&offer))))
            }
            Pattern::Trace(config) => {
                Process::Trace(Replay::new(config, offer.direction, offer.header, start))
            }
        };
        let interval = match pattern {
            Pattern::Voip(_) => voip::INTERVAL,
            Pattern::Ping(PingConfig { interval }) => *interval,
            _ => offer.interval(),
        };
        let mut datagrams = Self { process, interval, next: start, payload: offer.segment };
        match &datagrams.process {
            Process::Constant | Process::OnOff { .. } => {}
            Process::Poisson(_) => datagrams.advance(),
            Process::Video(packets) => (datagrams.next, datagrams.payload) = packets.next(),
            Process::Trace(replay) => (datagrams.next, datagrams.payload) = replay.next(),
        }
        datagrams
    }

    /// The time at which the next datagram is sent.
    #[inline(always)]
    pub fn next(&self) -> Instant {
        self.next
    }

    /// The payload of the next datagram, bytes.
    #[inline(always)]
    pub fn payload(&self) -> u32 {
        self.payload
    }

    /// Whether datagrams have different sizes, or several leave at the same time.
    pub fn varies(&self) -> bool {
        matches!(self.process, Process::Video(_) | Process::Trace(_))
    }

    /// What the next datagram says of its frame, if the receiver needs it.
    pub fn mark(&self) -> Option<FrameMark> {
        match &self.process {
            Process::Video(packets) => packets.mark(),
            _ => None,
        }
    }

    /// The receiver has reported that this share of the datagrams was lost.
    pub fn on_report(&mut self, lost: f64) {
        if let Process::Video(packets) = &mut self.process {
            packets.on_report(lost);
        }
    }

    /// Moves on to the datagram after the next one.
    #[inline(always)]
    pub fn advance(&mut self) {
        match self.process {
            Process::Constant => self.next += self.interval,
            Process::Poisson(_) | Process::OnOff { .. } | Process::Video(_) | Process::Trace(_) => {
                self.draw_next()
            }
        }
    }

    fn draw_next(&mut self) {
        match &mut self.process {
            Process::Constant => {}
            Process::Poisson(stream) => {
                self.next +=
                    Duration::from_secs_f64(stream.exponential(self.interval.as_secs_f64()));
            }
            Process::OnOff { on, off, left } => {
                let mut missing = self.interval;
                while *left < missing {
                    missing = missing - *left;
                    self.next += *left;
                    self.next += Duration::from_secs_f64(off.draw());
                    *left = Duration::from_secs_f64(on.draw());
                }
                self.next += missing;
                *left = *left - missing;
            }
            Process::Video(packets) => {
                packets.advance();
                (self.next, self.payload) = packets.next();
            }
            Process::Trace(replay) => {
                replay.advance();
                (self.next, self.payload) = replay.next();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::TraceDirection;
    use crate::units::Rate;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// The sending times of the first `count` datagrams, in seconds.
    fn times(pattern: &Pattern, interval: Duration, count: usize) -> Vec<f64> {
        // A byte in each interval.
        let rate = Some(Rate::from_bps(8_000_000_000 / interval.as_nanos()));
        let offer = Offer { rate, segment: 1, header: 28, direction: TraceDirection::Up };
        let mut datagrams = Datagrams::new(pattern, offer, Instant::ZERO, 1, 0);
        let mut next = || {
            let at = datagrams.next().as_secs_f64();
            datagrams.advance();
            at
        };
        (0..count).map(|_| next()).collect()
    }

    fn on_off(on: Distribution, off: Distribution) -> Pattern {
        Pattern::OnOff(OnOffConfig { on, off })
    }

    /// A chi-square test in 20 classes of equal probability: 19 degrees of freedom, 99.9% quantile
    /// 43.8. The mean gap, 2 ms, is within 3.3 standard errors (99.9%).
    #[test]
    fn gaps_of_a_poisson_process_are_exponential() {
        let times = times(&PoissonConfig {}.into(), MS(2), 100_001);
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let n = gaps.len() as f64;
        let mut counts = [0.0; 20];
        for gap in &gaps {
            counts[(-libm::expm1(-gap / 0.002) * 20.0) as usize] += 1.0;
        }
        let chi2: f64 = counts.iter().map(|c| (c - n / 20.0).powi(2) / (n / 20.0)).sum();
        assert!(chi2 < 43.8, "chi-square {chi2}");
        let mean = gaps.iter().sum::<f64>() / n;
        assert!((mean / 0.002 - 1.0).abs() < 3.3 / n.sqrt(), "{mean}");
    }

    /// By hand: on for 25 ms, off for 100 ms, a datagram at each 10 ms of on time. The third
    /// datagram leaves 20 ms into the first on period, the fourth after 5 ms more, the off period,
    /// and 5 ms of the second one.
    #[test]
    fn an_off_period_stops_the_clock() {
        let constant = |mean| Distribution::constant(mean);
        let times = times(&on_off(constant(0.025), constant(0.1)), MS(10), 7);
        assert_eq!(times, [0.0, 0.01, 0.02, 0.13, 0.14, 0.15, 0.26]);
    }

    /// With exponential periods of means a and b, the on time within a long time t has variance 2
    /// a^2 b^2 t / (a + b)^3 (renewal theory: Cox 1962, section 7.4). The measured share is within
    /// 3.3 standard errors (99.9%) of a / (a + b), over some 20,000 periods of each kind.
    #[test]
    fn the_mean_rate_is_the_share_of_the_on_periods() {
        let (a, b) = (0.5, 0.25);
        let exponential = |mean| Distribution::exponential(mean);
        let count = 1_000_000;
        let times = times(&on_off(exponential(a), exponential(b)), MS(10), count);
        let time = times[count - 1];
        let share = count as f64 * 0.01 / time;
        let standard_error = (2.0 * a * a * b * b / ((a + b) * (a + b) * (a + b) * time)).sqrt();
        assert!((share - a / (a + b)).abs() < 3.3 * standard_error, "{share}");
    }

    /// The cross traffic of Tsiknas and Stamatelos 2012: half of the rate in the long run. The
    /// variance is infinite, so there is no standard error; the error of a mean of n draws with
    /// shape 1.5 decreases as n^(-1/3), to 1% for the million periods here. The tolerance of 5%
    /// detects gross errors only.
    #[test]
    fn the_default_sends_at_half_the_rate() {
        let times = times(&OnOffConfig::default().into(), MS(250), 2_000_000);
        let share = times.len() as f64 * 0.25 / times[times.len() - 1];
        assert!((share - 0.5).abs() < 0.025, "{share}");
    }
}
