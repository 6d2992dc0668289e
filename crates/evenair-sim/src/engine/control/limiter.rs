//! The rate limiter at the gateway in a run: the policer that packets from the access point meet, what
//! it observes in a control round, and its decisions.
//!
//! The throughputs of a round are bytes at IP level: up what the access point has received, or what of
//! it has passed the policer ([`UplinkCount`]); down what its radio has delivered.

use std::collections::VecDeque;

use evenair_core::control::limiter::{
    AdaptiveConfig, AdaptiveRateLimiter, Config, Decision, LossSignal, Policer, Round, Throughput,
    UplinkCount,
};
use evenair_core::flow_losses::Lost;
use evenair_core::packet::{Direction, Packet};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

use crate::results::limiter::{LimiterResult, LimiterSample};

/// Packets that the policer has dropped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dropped {
    pub(crate) packets: Lost,
    pub(crate) bytes: u64,
}

/// The limiter.
#[derive(Debug)]
pub(crate) struct UplinkLimiter {
    policer: Policer,
    /// Whether a flow's packets are UDP, by flow.
    is_udp: Vec<bool>,
    /// Since the last reset, by flow.
    dropped: Vec<Dropped>,
    /// Which packets of the uplink a round counts.
    uplink_count: UplinkCount,
    /// By [`Direction`]: since the last round ended.
    counts: [ByteCount; 2],
    control: Option<Control>,
    mean_rate: MeanRate,
    /// When the statistics were reset.
    since: Instant,
}

/// Bytes at IP level.
#[derive(Clone, Copy, Debug, Default)]
struct ByteCount {
    total: u64,
    udp: u64,
}

/// What an adaptive limiter has besides.
#[derive(Debug)]
struct Control {
    limiter: AdaptiveRateLimiter,
    interval: Duration,
    signal: Signal,
    /// Losses of the access point's queue before its statistics were reset.
    losses_before_reset: u64,
    /// Since the last reset.
    rounds: u64,
    lossy_rounds: u64,
    /// Only of a run that is traced.
    samples: Option<Vec<LimiterSample>>,
}

/// How losses become known.
#[derive(Debug)]
struct Signal {
    /// Those known at the last decision.
    known: u64,
    /// The agent that is asked, unless all losses are known.
    agent: Option<Agent>,
}

/// An agent whose counter is refreshed periodically and read some time before each decision.
#[derive(Debug)]
struct Agent {
    refresh: Duration,
    delay: Duration,
    /// Values of the counter and since when it has shown them; all but the first are newer than the
    /// last reading.
    shown: VecDeque<(Instant, u64)>,
}

/// The time integral of the rate.
#[derive(Debug, Default)]
struct MeanRate {
    since: Instant,
    /// Until `until`, bit/s times ns.
    integral: u128,
    until: Instant,
}

impl UplinkLimiter {
    /// The limiter with this configuration, if there is one. `is_udp` has an entry for each flow.
    pub(crate) fn new(config: &Config, is_udp: Vec<bool>, is_traced: bool) -> Option<Self> {
        let mut policer = Policer::new(config)?;
        let control = match config {
            Config::Adaptive(config) => Some(Control::new(config, is_traced)),
            Config::None(_) | Config::Fixed(_) => None,
        };
        if let Some(control) = &control {
            policer.apply(Instant::ZERO, &control.limiter.decision());
        }
        Some(Self {
            policer,
            dropped: vec![Dropped::default(); is_udp.len()],
            is_udp,
            uplink_count: config.uplink_count(),
            counts: Default::default(),
            control,
            mean_rate: MeanRate::default(),
            since: Instant::ZERO,
        })
    }

    /// The access point has received `packet` from a station. Returns whether it passes the policer.
    pub(crate) fn admits(&mut self, now: Instant, packet: &Packet) -> bool {
        let flow = packet.flow.0 as usize;
        let is_udp = self.is_udp[flow];
        let passes = self.policer.admits(now, packet.size, is_udp);
        if passes || self.uplink_count == UplinkCount::Air {
            self.counts[Direction::Up as usize].add(packet.size, is_udp);
        }
        if !passes {
            self.dropped[flow].count(packet);
        }
        passes
    }

    /// A station has received `packet`.
    pub(crate) fn note_delivered(&mut self, packet: &Packet) {
        let is_udp = self.is_udp[packet.flow.0 as usize];
        self.counts[Direction::Down as usize].add(packet.size, is_udp);
    }

    /// Time between two decisions; `None` if there are none.
    pub(crate) fn interval(&self) -> Option<Duration> {
        self.control.as_ref().map(|control| control.interval)
    }

    /// Time between two refreshes of the counter of losses; `None` if none is read.
    pub(crate) fn refresh_interval(&self) -> Option<Duration> {
        self.control.as_ref()?.signal.agent.as_ref().map(|agent| agent.refresh)
    }

    /// The counter of losses is refreshed. The access point's queue has lost `losses` packets since its
    /// statistics were reset.
    pub(crate) fn refresh(&mut self, now: Instant, losses: u64) {
        if let Some(control) = &mut self.control
            && let Some(agent) = &mut control.signal.agent
        {
            agent.shown.push_back((now, control.losses_before_reset + losses));
        }
    }

    /// A control round ends. The access point's queue has lost `losses` packets since its statistics
    /// were reset.
    pub(crate) fn end_round(&mut self, now: Instant, losses: u64) {
        let Some(control) = &mut self.control else { return };
        let [down, up] = std::mem::take(&mut self.counts).map(|c| c.over(control.interval));
        let lost = control.signal.has_lost(now, control.losses_before_reset + losses);
        let decision = control.limiter.round(&Round { up, down, lost });
        self.mean_rate.advance(now, self.policer.rate());
        self.policer.apply(now, &decision);
        // A round that ends with the warm-up belongs to it.
        if now > self.since {
            control.note(now.since(self.since), &Round { up, down, lost }, &decision);
        }
    }

    /// Starts the statistics anew, those of the access point's queue, which has lost `losses` packets
    /// since the last time, as well.
    pub(crate) fn reset_stats(&mut self, now: Instant, losses: u64) {
        self.dropped.fill(Dropped::default());
        self.mean_rate = MeanRate { since: now, integral: 0, until: now };
        self.since = now;
        if let Some(control) = &mut self.control {
            control.losses_before_reset += losses;
            (control.rounds, control.lossy_rounds) = (0, 0);
            control.samples.iter_mut().for_each(Vec::clear);
        }
    }

    /// What was dropped of each flow since the last reset.
    pub(crate) fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// The result of a run that ends at `end`.
    pub(crate) fn result(&self, end: Instant) -> LimiterResult {
        let (rounds, lossy_rounds) =
            self.control.as_ref().map_or((0, 0), |control| (control.rounds, control.lossy_rounds));
        LimiterResult {
            mean_rate_bps: self.mean_rate.until(end, self.policer.rate()),
            packets_dropped: self.dropped.iter().map(|dropped| dropped.packets.packets()).sum(),
            bytes_dropped: self.dropped.iter().map(|dropped| dropped.bytes).sum(),
            rounds,
            lossy_rounds,
        }
    }

    /// The rounds of a run that is traced.
    pub(crate) fn samples(&self) -> Vec<LimiterSample> {
        self.control.as_ref().and_then(|control| control.samples.clone()).unwrap_or_default()
    }
}

impl Dropped {
    fn count(&mut self, packet: &Packet) {
        let ack = packet.is_pure_ack();
        self.packets += Lost { data: u64::from(!ack), acks: u64::from(ack) };
        self.bytes += u64::from(packet.size);
    }
}

impl Control {
    fn new(config: &AdaptiveConfig, is_traced: bool) -> Self {
        let agent = match &config.loss_signal {
            LossSignal::Exact(_) => None,
            LossSignal::Polled(polled) => Some(Agent {
                refresh: polled.refresh,
                delay: polled.delay,
                shown: VecDeque::from([(Instant::ZERO, 0)]),
            }),
        };
        Self {
            limiter: AdaptiveRateLimiter::new(config),
            interval: config.interval,
            signal: Signal { known: 0, agent },
            losses_before_reset: 0,
            rounds: 0,
            lossy_rounds: 0,
            samples: is_traced.then(Vec::new),
        }
    }

    /// Counts a round that has ended at `time` since the last reset.
    fn note(&mut self, time: Duration, round: &Round, decision: &Decision) {
        self.rounds += 1;
        self.lossy_rounds += u64::from(round.lost);
        let Some(samples) = &mut self.samples else { return };
        samples.push(LimiterSample {
            t_s: time.as_secs_f64(),
            rate_bps: decision.rate.as_bps(),
            capacity_bps: decision.capacity.map(Rate::as_bps),
            up_bps: round.up.total.as_bps(),
            down_bps: round.down.total.as_bps(),
            lost: round.lost,
            udp_rate_bps: decision.udp_rate.map(Rate::as_bps),
            up_udp_bps: round.up.udp.as_bps(),
            down_udp_bps: round.down.udp.as_bps(),
        });
    }
}

impl Signal {
    /// Whether losses have become known since the last decision. `losses` have happened.
    fn has_lost(&mut self, now: Instant, losses: u64) -> bool {
        let known = self.agent.as_mut().map_or(losses, |agent| agent.read(now));
        std::mem::replace(&mut self.known, known) < known
    }
}

impl Agent {
    /// The value that was read for a decision at `now`.
    fn read(&mut self, now: Instant) -> u64 {
        while let Some(&(since, _)) = self.shown.get(1)
            && since.saturating_add(self.delay) <= now
        {
            self.shown.pop_front();
        }
        self.shown.front().map_or(0, |(_, losses)| *losses)
    }
}

impl ByteCount {
    fn add(&mut self, bytes: u32, is_udp: bool) {
        self.total += u64::from(bytes);
        if is_udp {
            self.udp += u64::from(bytes);
        }
    }

    /// Average rates over `time`, rounded down to bit/s.
    fn over(self, time: Duration) -> Throughput {
        Throughput { total: Rate::mean(self.total, time), udp: Rate::mean(self.udp, time) }
    }
}

impl MeanRate {
    /// The rate was `rate` up to `now`.
    fn advance(&mut self, now: Instant, rate: Rate) {
        let time = now.since(self.until).as_nanos();
        self.integral += u128::from(rate.as_bps()) * u128::from(time);
        self.until = now;
    }

    /// The average up to `end`, bit/s.
    fn until(&self, end: Instant, rate: Rate) -> f64 {
        let rest = u128::from(rate.as_bps()) * u128::from(end.since(self.until).as_nanos());
        (self.integral + rest) as f64 / end.since(self.since).as_nanos() as f64
    }
}
