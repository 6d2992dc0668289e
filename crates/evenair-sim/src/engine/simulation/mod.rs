//! A run: the parts of the world, and the loop that wakes whichever is due next.
//!
//! A download's packet goes `Flow` -> `Network` (links, the access point's interface, the air) ->
//! `Flow`, and its acknowledgement back; an upload's the other way. What the [`Network`] does with it
//! in between is its own affair; here packets enter it and come out.
//!
//! Each part reports the time of its next event; at equal times links go before timers
//! and both before the air, so that what arrives at a slot boundary can still use it.

mod observe;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenair_core::medium::wlan::Dcf;
use evenair_core::packet::{Direction, End, NodeId, Packet};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::{Output, PacketOption};

use crate::capture::CaptureSinks;
use crate::capture::captured_cell::CapturedCell;
use crate::capture::writer::CaptureWriter;
use crate::engine::control::beacons::Beacons;
use crate::engine::control::cot::CellControl;
use crate::engine::control::limiter::UplinkLimiter;
use crate::engine::flow::Flow;
use crate::engine::metrics::sampler::Sampler;
use crate::engine::metrics::{Metrics, RunOutcome};
use crate::engine::network::Network;
use crate::engine::run_error::RunError;
use crate::engine::run_options::RunOptions;
use crate::engine::sim_medium::SimMedium;
use crate::engine::timers::Timers;
use crate::engine::{build, memory};
use crate::results::run::RunResult;
use crate::scenario::{Cell, Scenario};

/// How many steps of the loop pass between two checks of the cancel flag: a millisecond or two.
const STEPS_PER_CANCEL_CHECK: usize = 1 << 14;
/// A step may visit all links: so many take about as long as a step without links.
const LINKS_PER_STEP: usize = 16;
/// Time on the air between two pauses of the loop, which check the flag although no step ends.
const AIR_TIME_PER_PAUSE: Duration = Duration::from_millis(100);

/// Everything that a run consists of.
pub(crate) struct Simulation<'a, M: SimMedium> {
    scenario: &'a Scenario,
    seed: u64,
    now: Instant,
    network: Network<M>,
    flows: Vec<Flow>,
    timers: Timers,
    beacons: Option<Beacons>,
    control: Option<Box<CellControl>>,
    /// What samples a series and at which interval.
    sampler: Option<(Sampler, Duration)>,
    /// Samples are no events, and nothing is done at them but observe: the scenario has none.
    samples_unseen: bool,
    metrics: Metrics<M>,
    events: u64,
    cancel: Option<Arc<AtomicBool>>,
    /// Steps between two checks of the cancel flag.
    steps_per_check: usize,
    /// How many packets may be sent until what they take of memory is counted again.
    packets_per_count: u64,
    /// That many have been sent then.
    count_at: u64,
    /// Whether an observer takes the run step by step.
    is_observed: bool,
    /// Flows that have not come to their end, where every flow has one.
    unfinished: Option<usize>,
    /// When the run is over: as the scenario has it, or when the last of them has.
    end: Instant,
    /// When the loop pauses next, at the latest at `end`.
    pause: Instant,
}

/// Where the ends of flows send their packets.
struct Ports<'a, M> {
    now: Instant,
    network: &'a mut Network<M>,
}

impl<M: SimMedium> Output for Ports<'_, M> {
    #[inline(always)]
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        match option {
            None => self.network.send(self.now, packet),
            Some(option) => self.network.send_with_option(self.now, *packet, *option),
        }
    }
}

/// What a step of the loop has done.
enum Step {
    /// An event.
    Event,
    /// None: the time of a pause has come.
    Pause,
    /// Nothing is due before the end.
    End,
}

/// A timer of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    /// Measuring begins, before anything that flows do at that time.
    WarmupEnds,
    /// Of an end of the flow with this index.
    End(usize, End),
    /// The stop of that flow.
    Stop(usize),
    Sample,
    /// A beacon is to be sent.
    Beacon,
    /// The limiter's counter of losses is refreshed.
    LossCounter,
    /// A control round of the limiter ends.
    Round,
}

/// The timers in the order in which they expire at equal times: the end of the warm-up, flow by flow,
/// the sample, the beacon, those of the limiter.
#[derive(Clone, Copy, Debug)]
struct TimerIds {
    flows: usize,
}

impl TimerIds {
    const PER_FLOW: usize = 3;

    fn count(self) -> usize {
        1 + Self::PER_FLOW * self.flows + 4
    }

    #[inline(always)]
    fn id(self, timer: Timer) -> u32 {
        let id = match timer {
            Timer::WarmupEnds => 0,
            Timer::End(flow, end) => 1 + Self::PER_FLOW * flow + end as usize,
            Timer::Stop(flow) => 1 + Self::PER_FLOW * flow + 2,
            Timer::Sample => 1 + Self::PER_FLOW * self.flows,
            Timer::Beacon => 1 + Self::PER_FLOW * self.flows + 1,
            Timer::LossCounter => 1 + Self::PER_FLOW * self.flows + 2,
            Timer::Round => 1 + Self::PER_FLOW * self.flows + 3,
        };
        id as u32
    }

    fn timer(self, id: u32) -> Timer {
        let Some(of_flows) = (id as usize).checked_sub(1) else { return Timer::WarmupEnds };
        if let Some(rest) = of_flows.checked_sub(Self::PER_FLOW * self.flows) {
            return [Timer::Sample, Timer::Beacon, Timer::LossCounter, Timer::Round][rest];
        }
        let (flow, own) = (of_flows / Self::PER_FLOW, of_flows % Self::PER_FLOW);
        match own {
            0 => Timer::End(flow, End::Sender),
            1 => Timer::End(flow, End::Receiver),
            _ => Timer::Stop(flow),
        }
    }
}

impl<'a, M: SimMedium> Simulation<'a, M> {
    /// The state before time 0.
    pub(crate) fn new(
        medium: M,
        scenario: &'a Scenario,
        seed: u64,
        options: &RunOptions,
        captures: Option<CaptureSinks>,
    ) -> Result<Self, RunError> {
        let flows = build::flows(scenario, seed);
        let sampled = scenario.trace.as_ref().map(|trace| trace.interval).or(options.sampled);
        let mut network = build::network(medium, scenario, seed, &flows, sampled.is_some());
        let beacons = Beacons::new(scenario);
        if let Some(sinks) = captures {
            let interval = beacons.as_ref().map_or(Duration::ZERO, |beacons| beacons.interval);
            let captured = flows.iter().map(|flow| flow.captured).collect();
            let cell = match &scenario.cell {
                Cell::Wlan(cell) => {
                    let phy = cell.timing(&scenario.station);
                    Some(CapturedCell::new(&phy, cell.control_rate(), interval))
                }
                Cell::Wimax(_) => None,
            };
            let nodes = network.cell().nodes();
            network.capture(CaptureWriter::new(sinks, cell, nodes, captured)?);
        }
        let ids = TimerIds { flows: flows.len() };
        let mut timers = Timers::new(ids.count());
        for (i, flow) in flows.iter().enumerate() {
            timers.arm(ids.id(Timer::End(i, End::Sender)), flow.start);
            timers.arm(ids.id(Timer::Stop(i)), flow.stop);
        }
        timers.arm(ids.id(Timer::WarmupEnds), Instant::ZERO + scenario.warmup.duration());
        if let Some(beacons) = &beacons {
            timers.arm(ids.id(Timer::Beacon), Instant::ZERO + beacons.interval);
        }
        if let Some(limiter) = network.limiter() {
            let first = |interval: Option<Duration>| {
                interval.map_or(Instant::NEVER, |interval| Instant::ZERO + interval)
            };
            timers.arm(ids.id(Timer::LossCounter), first(limiter.refresh_interval()));
            timers.arm(ids.id(Timer::Round), first(limiter.interval()));
        }
        let links = network.wired().links().len();
        Ok(Self {
            scenario,
            seed,
            now: Instant::ZERO,
            network,
            timers,
            beacons,
            control: CellControl::new(scenario, &flows).map(Box::new),
            sampler: sampled.map(|interval| (Sampler::default(), interval.duration())),
            samples_unseen: scenario.trace.is_none(),
            metrics: Metrics::default(),
            events: 0,
            cancel: options.cancel.clone(),
            steps_per_check: (STEPS_PER_CANCEL_CHECK / (1 + links / LINKS_PER_STEP)).max(1),
            packets_per_count: memory::packets_between_counts(links),
            count_at: memory::packets_between_counts(links),
            is_observed: false,
            unfinished: flows.iter().all(Flow::is_finite).then_some(flows.len()),
            end: Instant::ZERO + scenario.warmup.duration() + scenario.duration.duration(),
            pause: Instant::ZERO,
            flows,
        })
    }

    /// Runs to the end of the scenario.
    pub(crate) fn run(mut self) -> Result<RunResult, RunError> {
        self.advance_to_end()?;
        self.network.finish_capture()?;
        let outcome = RunOutcome {
            scenario: self.scenario,
            seed: self.seed,
            end: self.end,
            events: self.events,
            series: self
                .sampler
                .map(|(sampler, _)| sampler.finish(&self.flows, self.network.limiter())),
            flows: &self.flows,
            network: &self.network,
        };
        Ok(self.metrics.result(outcome))
    }

    /// Returns whether the end is reached: observed runs come back when the cancel flag is checked.
    #[inline(never)] // so that the loop is compiled by itself, and once
    fn advance_to_end(&mut self) -> Result<bool, RunError> {
        let mut count_at = self.count_at; // the loop has it at hand
        while !self.is_cancelled() {
            for _ in 0..self.steps_per_check {
                match self.advance() {
                    Step::Event => {}
                    Step::Pause => break,
                    Step::End => return Ok(true),
                }
                if self.network.sent() >= count_at {
                    memory::check(self.scenario, &self.network, &self.flows)?;
                    count_at = self.network.sent() + self.packets_per_count;
                    self.count_at = count_at;
                }
            }
            if self.is_observed {
                return Ok(false);
            }
        }
        Err(RunError::Cancelled)
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Lets the cell proceed until a packet arrives or something else is due, and does that.
    #[inline(always)] // into the loop
    fn advance(&mut self) -> Step {
        let end = self.end;
        let wired_at = self.network.wired_due();
        let timer_at = self.timers.next();
        let due = wired_at.min(timer_at).min(self.pause);
        if let Some(arrival) = self.network.poll_cell(due) {
            self.begin_event(arrival.at);
            if self.network.on_arrival(&arrival) {
                self.deliver(&arrival.packet);
            }
            return Step::Event;
        }
        if due == self.pause && due < end {
            // Time in which nothing happens needs no pauses.
            let next = self.network.cell_due().min(wired_at).min(timer_at);
            self.pause = next.max(due).saturating_add(AIR_TIME_PER_PAUSE).min(end);
            self.network.hear_air();
            return Step::Pause;
        }
        if wired_at <= timer_at && wired_at < end {
            self.begin_event(wired_at);
            if let Some(packet) = self.network.poll_wired(wired_at) {
                self.deliver(&packet);
            }
            self.network.end_wired_event();
            return Step::Event;
        }
        // At the very end only a sample or a round may still be due: what flows do then is not measured.
        if timer_at <= end {
            if self.samples_unseen && self.timers.first() == Some(self.ids().id(Timer::Sample)) {
                self.now = timer_at;
            } else {
                self.begin_event(timer_at);
            }
            self.on_timer();
            return Step::Event;
        }
        Step::End
    }

    fn begin_event(&mut self, at: Instant) {
        debug_assert!(self.now <= at, "time never decreases");
        self.now = at;
        self.events += 1;
        if self.control.is_some() {
            self.check_rates();
        }
    }

    /// A packet has come to the end that it is for, or a beacon to all stations.
    fn deliver(&mut self, packet: &Packet) {
        if packet.option == 0 {
            self.hand_over(packet, None);
        } else {
            self.deliver_with_option(packet);
        }
    }

    #[inline(never)] // an option is large, and most packets have none
    fn deliver_with_option(&mut self, packet: &Packet) {
        let option = self.network.option(packet);
        self.hand_over(packet, option.as_ref());
    }

    #[inline(always)] // without an option that is all that the compiler sees
    fn hand_over(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        let index = packet.flow.0 as usize;
        let Some(flow) = self.flows.get_mut(index) else { return self.on_beacon(packet) };
        let mut out = Ports { now: self.now, network: &mut self.network };
        let at = flow.on_packet(self.now, packet, option, &mut out);
        let has_transfers = flow.transfers.is_some();
        self.arm(Timer::End(index, packet.to), at);
        if has_transfers {
            self.note_end(index);
        }
    }

    /// A run of finite flows alone is over with the last of them.
    #[inline(never)] // so that the path of all other flows stays short
    fn note_end(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        if flow.is_done() && !std::mem::replace(&mut flow.ended, true) {
            self.unfinished = self.unfinished.map(|flows| flows - 1);
            let measures = self.now > Instant::ZERO + self.scenario.warmup.duration();
            if measures && self.unfinished == Some(0) {
                (self.end, self.pause) = (self.now, self.now);
            }
        }
    }

    #[inline(never)] // seldom in comparison, and long
    fn on_timer(&mut self) {
        let Some(timer) = self.timers.pop() else { return };
        let timer = self.ids().timer(timer);
        if self.now == self.end && !matches!(timer, Timer::Sample | Timer::Round) {
            return;
        }
        match timer {
            Timer::End(flow, End::Sender) => self.on_flow_timer(flow, End::Sender),
            Timer::End(flow, End::Receiver) => self.on_flow_timer(flow, End::Receiver),
            Timer::Stop(flow) => {
                self.flows[flow].on_stop(self.now);
                self.note_end(flow);
            }
            Timer::WarmupEnds => {
                self.on_warmup_end();
            }
            Timer::Sample => {
                self.on_sample();
            }
            Timer::Beacon => self.on_beacon_time(),
            Timer::LossCounter => {
                self.network.refresh_losses(self.now);
                self.arm_limiter(timer, UplinkLimiter::refresh_interval);
            }
            Timer::Round => {
                self.network.end_round(self.now);
                self.arm_limiter(timer, UplinkLimiter::interval);
            }
        }
    }

    #[inline(always)] // with a constant `end`
    fn on_flow_timer(&mut self, index: usize, end: End) {
        let flow = &mut self.flows[index];
        let mut out = Ports { now: self.now, network: &mut self.network };
        if let Some(bytes) = flow.on_timer(self.now, end, &mut out) {
            self.network.begin_transfer(index, bytes);
        }
        let at = self.flows[index].poll_at(end);
        self.arm(Timer::End(index, end), at);
        if end == End::Sender && self.flows[index].transfers.is_some() {
            // Where the sender's application begins a transfer, the receiver may have to open it.
            let at = self.flows[index].poll_at(End::Receiver);
            self.arm(Timer::End(index, End::Receiver), at);
        }
    }

    #[inline(always)]
    fn arm(&mut self, timer: Timer, at: Instant) {
        self.timers.arm(self.ids().id(timer), at);
    }

    #[inline(always)]
    fn ids(&self) -> TimerIds {
        TimerIds { flows: self.flows.len() }
    }

    /// Measuring begins.
    fn on_warmup_end(&mut self) {
        self.network.reset_stats(self.now);
        for flow in &mut self.flows {
            flow.ends.measure_from(self.now);
        }
        self.metrics.begin(self.now, &self.flows, &self.network);
        if let Some((sampler, _)) = &mut self.sampler {
            sampler.start(&self.flows);
        }
        self.arm_sample();
    }

    /// Arms a timer of the limiter for one interval from now.
    fn arm_limiter(&mut self, timer: Timer, interval: fn(&UplinkLimiter) -> Option<Duration>) {
        if let Some(interval) = self.network.limiter().and_then(interval) {
            self.arm(timer, self.now + interval);
        }
    }

    /// A target beacon transmission time.
    #[inline(never)] // seldom in comparison
    fn on_beacon_time(&mut self) {
        let Some(beacons) = &mut self.beacons else { return };
        let (frame, next) = (beacons.next_frame(self.now), self.now + beacons.interval);
        if let Some(cell) = self.network.wlan() {
            if let Some(control) = &mut self.control {
                control.prepare_beacon(&frame, cell);
            }
            cell.broadcast(self.now, frame);
        }
        self.arm(Timer::Beacon, next);
    }

    /// The stations that have decoded this beacon follow it.
    #[cold]
    fn on_beacon(&mut self, beacon: &Packet) {
        let Some(control) = &mut self.control else { return };
        let Some(cell) = self.network.wlan() else { return };
        let (ids, timers) = (TimerIds { flows: self.flows.len() }, &mut self.timers);
        let mut wake = |flow, end, at| timers.arm(ids.id(Timer::End(flow, end)), at);
        control.on_beacon(self.now, beacon, cell, &mut self.flows, &mut wake);
    }

    /// The rate of a station may have changed.
    #[cold]
    fn check_rates(&mut self) {
        let Some(control) = &mut self.control else { return };
        let Some(cell) = self.network.wlan() else { return };
        let (ids, timers) = (TimerIds { flows: self.flows.len() }, &mut self.timers);
        let mut wake = |flow, end, at| timers.arm(ids.id(Timer::End(flow, end)), at);
        control.check_rates(self.now, cell, &mut self.flows, &mut wake);
    }

    #[inline(never)] // seldom in comparison
    fn on_sample(&mut self) {
        let since_warmup = self.now.since(Instant::ZERO + self.scenario.warmup.duration());
        if let Some((sampler, interval)) = &mut self.sampler {
            let interval = interval.as_secs_f64();
            let rates = self.network.wlan().map(|cell| link_rates(cell.medium()));
            let rates = rates.unwrap_or_default().into_iter();
            let queues = self.network.cell().queues_of(NodeId::ACCESS_POINT);
            sampler.sample(since_warmup.as_secs_f64(), interval, &self.flows, queues, rates);
            if let Some(control) = &self.control {
                sampler.sample_controller(control, &self.flows);
            }
        }
        self.arm_sample();
    }

    fn arm_sample(&mut self) {
        if let Some((_, interval)) = &self.sampler {
            self.arm(Timer::Sample, self.now + *interval);
        }
    }
}

/// The present rates of the link of each station, down and up, bit/s; `None` where they do not change.
fn link_rates(medium: &Dcf) -> Vec<Option<[u64; 2]>> {
    let rates = |station| {
        let both = [Direction::Down, Direction::Up].map(|way| medium.rate(station, way).as_bps());
        medium.frames_by_rate(station, Direction::Down).is_some().then_some(both)
    };
    (1..medium.nodes()).map(|station| rates(NodeId(station))).collect()
}
