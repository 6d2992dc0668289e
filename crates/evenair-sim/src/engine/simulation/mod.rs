//! A run: the parts of the world, and the loop that wakes whichever is due next.
//!
//! A download's packet goes `Flow` -> `Network` (links, the access point's interface, the air) ->
//! `Flow`, and its acknowledgement back; an upload's the other way. What the [`Network`] does with it
//! in between is its own affair; here packets enter it and come out.
//!
//! What is due when is in an [`Agenda`](crate::agenda::Agenda), and the [`World`](crate::engine::world::World)
//! does it; here is what follows at the ends of flows.

mod observe;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenair_core::medium::Arrival;
use evenair_core::medium::wlan::channel::Coding;
use evenair_core::packet::{Direction, End, NodeId, Packet};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::{Output, PacketOption};

use crate::agenda::Timer;
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
use crate::engine::world::{self, Driver, World};
use crate::engine::{build, memory};
use crate::results::run::RunResult;
use crate::scenario::{Cell, Scenario, Station, WlanCell};
use crate::wired::Until;

/// How many steps of the loop pass between two checks of the cancel flag: a millisecond or two.
const STEPS_PER_CANCEL_CHECK: usize = 1 << 14;
/// Time on the air between two pauses of the loop, which check the flag although no step ends.
const AIR_TIME_PER_PAUSE: Duration = Duration::from_millis(100);

/// Everything that a run consists of.
pub(crate) struct Simulation<'a, M: SimMedium> {
    scenario: &'a Scenario,
    seed: u64,
    now: Instant,
    network: Network<M>,
    flows: Vec<Flow>,
    /// By [`Timer`].
    purposes: Vec<Purpose>,
    /// The timer of samples.
    sample: Timer,
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

/// What a timer of the simulation is for. They expire at equal times in the order in which they are listed
/// here, those of flows flow by flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
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

impl<M: SimMedium> Driver<M, Packet> for Simulation<'_, M> {
    #[inline(always)]
    fn world(&mut self) -> &mut World<M, Packet> {
        self.network.world()
    }

    #[inline(always)]
    fn before(&mut self, until: Until) {
        self.network.advance_streams(until, &mut self.flows);
    }

    #[inline(always)]
    fn on_arrival(&mut self, arrival: &Arrival<Packet>) {
        self.begin_event(arrival.at);
        if self.network.on_arrival(arrival) {
            self.deliver(&arrival.packet);
        }
    }

    #[inline(always)]
    fn on_link(&mut self, now: Instant, packet: Option<&Packet>) {
        self.begin_event(now);
        if let Some(packet) = packet {
            self.network.on_exit(now, packet);
            self.deliver(packet);
        }
    }

    fn on_timer(&mut self, now: Instant, timer: Timer) -> Instant {
        self.expire(now, timer)
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
        let mut flows = build::flows(scenario, seed);
        let sampled = scenario.trace.as_ref().map(|trace| trace.interval).or(options.sampled);
        let control = CellControl::new(scenario, &flows).map(Box::new);
        // A controller looks at the cell at each event, and a capture sees packets in the order of time.
        let has_all_events = control.is_some() || captures.is_some();
        let is_sampled = sampled.is_some();
        let mut network =
            build::network(medium, scenario, seed, &mut flows, is_sampled, has_all_events);
        let beacons = Beacons::new(scenario);
        if let Some(sinks) = captures {
            let interval = beacons.as_ref().map_or(Duration::ZERO, |beacons| beacons.interval);
            let captured = flows.iter().map(|flow| flow.captured).collect();
            let cell = match &scenario.cell {
                Cell::Wlan(cell) => Some(captured_cell(cell, &scenario.station, interval)),
                Cell::Wimax(_) => None,
            };
            let nodes = network.cell().nodes();
            network.capture(CaptureWriter::new(sinks, cell, nodes, captured)?);
        }
        let mut has_events = vec![true; flows.len()];
        network.without_events().for_each(|flow| has_events[flow] = false);
        let round = network.limiter().and_then(UplinkLimiter::interval);
        let refresh_interval = network.limiter().and_then(UplinkLimiter::refresh_interval);
        let mut purposes = Vec::new();
        let mut add = |purpose, at| {
            let timer = network.agenda().add_timer();
            network.agenda().arm(timer, at);
            purposes.push(purpose);
            timer
        };
        add(Purpose::WarmupEnds, Instant::ZERO + scenario.warmup.duration());
        for (i, flow) in flows.iter_mut().enumerate() {
            let start = if has_events[i] { flow.start } else { Instant::NEVER };
            flow.timers = [
                add(Purpose::End(i, End::Sender), start),
                add(Purpose::End(i, End::Receiver), Instant::NEVER),
            ];
            add(Purpose::Stop(i), flow.stop);
        }
        let after = |interval: Option<Duration>| {
            interval.map_or(Instant::NEVER, |interval| Instant::ZERO + interval)
        };
        let sample = add(Purpose::Sample, Instant::NEVER);
        add(Purpose::Beacon, after(beacons.as_ref().map(|beacons| beacons.interval)));
        add(Purpose::LossCounter, after(refresh_interval));
        add(Purpose::Round, after(round));
        let links = network.wired().links().len();
        Ok(Self {
            scenario,
            seed,
            now: Instant::ZERO,
            network,
            purposes,
            sample,
            beacons,
            control,
            sampler: sampled.map(|interval| (Sampler::default(), interval.duration())),
            samples_unseen: scenario.trace.is_none(),
            metrics: Metrics::default(),
            events: 0,
            cancel: options.cancel.clone(),
            steps_per_check: STEPS_PER_CANCEL_CHECK,
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
        self.network.finish_capture(self.end)?;
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
        while !self.is_cancelled() {
            for _ in 0..self.steps_per_check {
                let pause = self.pause;
                if !world::step(self, pause) {
                    if self.on_pause() {
                        return Ok(true);
                    }
                    self.check_memory()?;
                    break;
                }
                self.check_memory()?;
            }
            if self.is_observed {
                return Ok(false);
            }
        }
        Err(RunError::Cancelled)
    }

    /// Fails if packets take too much memory. They are counted now and then.
    #[inline(always)]
    fn check_memory(&mut self) -> Result<(), RunError> {
        if self.network.sent() >= self.count_at {
            self.network.settle(Until::time(self.now), &mut self.flows);
            memory::check(self.scenario, &self.network, &self.flows)?;
            self.count_at = self.network.sent() + self.packets_per_count;
        }
        Ok(())
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Nothing is due before the pause. Returns whether the run is over.
    #[cold]
    fn on_pause(&mut self) -> bool {
        let end = self.end;
        let pause = self.pause;
        if self.network.has_quiet() {
            self.network.catch_up(Until::time(pause), &mut self.flows);
        }
        if self.pause < end {
            // Time in which nothing happens needs no pauses.
            let next = self.network.due().max(self.pause);
            self.pause = next.saturating_add(AIR_TIME_PER_PAUSE).min(end);
            self.network.hear_air();
            return false;
        }
        self.network.settle(Until::time(end), &mut self.flows);
        // At the very end only a sample or a round may still be due: what flows do then is not measured.
        while let (at, timer) = self.network.agenda().first_timer()
            && at <= end
        {
            let next = self.expire(end, timer);
            self.network.agenda().set_timer(timer, next);
        }
        true
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
        self.network.agenda().arm(flow.timers[packet.to as usize], at);
        if flow.transfers.is_some() {
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

    /// A timer has expired. Returns when it does next.
    #[inline(never)] // seldom in comparison, and long
    fn expire(&mut self, at: Instant, timer: Timer) -> Instant {
        let purpose = self.purposes[timer.0 as usize];
        if self.samples_unseen && purpose == Purpose::Sample {
            self.now = at;
        } else {
            self.begin_event(at);
        }
        if self.now == self.end && !matches!(purpose, Purpose::Sample | Purpose::Round) {
            return Instant::NEVER;
        }
        match purpose {
            Purpose::End(flow, End::Sender) => return self.on_flow_timer(flow, End::Sender),
            Purpose::End(flow, End::Receiver) => return self.on_flow_timer(flow, End::Receiver),
            Purpose::Stop(flow) => {
                self.flows[flow].on_stop(self.now);
                self.note_end(flow);
            }
            Purpose::WarmupEnds => self.on_warmup_end(),
            Purpose::Sample => return self.on_sample(),
            Purpose::Beacon => return self.on_beacon_time(),
            Purpose::LossCounter => {
                self.network.refresh_losses(self.now);
                return self
                    .after(self.network.limiter().and_then(UplinkLimiter::refresh_interval));
            }
            Purpose::Round => {
                self.network.end_round(self.now);
                return self.after(self.network.limiter().and_then(UplinkLimiter::interval));
            }
        }
        Instant::NEVER
    }

    /// So much later; never without an interval.
    fn after(&self, interval: Option<Duration>) -> Instant {
        interval.map_or(Instant::NEVER, |interval| self.now + interval)
    }

    #[inline(always)] // with a constant `end`
    fn on_flow_timer(&mut self, index: usize, end: End) -> Instant {
        let flow = &mut self.flows[index];
        let mut out = Ports { now: self.now, network: &mut self.network };
        if let Some(bytes) = flow.on_timer(self.now, end, &mut out) {
            self.network.begin_transfer(index, bytes);
        }
        let flow = &self.flows[index];
        if end == End::Sender && flow.transfers.is_some() {
            // Where the sender's application begins a transfer, the receiver may have to open it.
            let receiver = flow.timers[End::Receiver as usize];
            self.network.agenda().arm(receiver, flow.poll_at(End::Receiver));
        }
        flow.poll_at(end)
    }

    /// Measuring begins.
    fn on_warmup_end(&mut self) {
        self.network.settle(Until::ends(self.now), &mut self.flows);
        self.network.reset_stats(self.now);
        for flow in &mut self.flows {
            flow.ends.measure_from(self.now);
        }
        self.metrics.begin(self.now, &self.flows, &self.network);
        if let Some((sampler, _)) = &mut self.sampler {
            sampler.start(&self.flows);
        }
        let next = self.next_sample();
        self.network.agenda().arm(self.sample, next);
    }

    /// A target beacon transmission time.
    #[inline(never)] // seldom in comparison
    fn on_beacon_time(&mut self) -> Instant {
        let Some(beacons) = &mut self.beacons else { return Instant::NEVER };
        let (frame, next) = (beacons.next_frame(self.now), self.now + beacons.interval);
        if let Some(control) = &mut self.control
            && let Some(cell) = self.network.observed()
        {
            control.prepare_beacon(&frame, cell.occupancy);
        }
        self.network.broadcast(self.now, frame);
        next
    }

    /// The stations that have decoded this beacon follow it.
    #[cold]
    fn on_beacon(&mut self, beacon: &Packet) {
        let Some(control) = &mut self.control else { return };
        let Some((cell, agenda)) = self.network.observed_and_agenda() else { return };
        control.on_beacon(self.now, beacon, cell, &mut self.flows, agenda);
    }

    /// The rate of a station may have changed.
    #[cold]
    fn check_rates(&mut self) {
        let Some(control) = &mut self.control else { return };
        let Some((cell, agenda)) = self.network.observed_and_agenda() else { return };
        control.check_rates(self.now, cell.medium, &mut self.flows, agenda);
    }

    #[inline(never)] // seldom in comparison
    fn on_sample(&mut self) -> Instant {
        // What happens at the very end is not measured.
        let until = if self.now < self.end { Until::after } else { Until::time };
        self.network.settle(until(self.now), &mut self.flows);
        let since_warmup = self.now.since(Instant::ZERO + self.scenario.warmup.duration());
        if let Some((sampler, interval)) = &mut self.sampler {
            let interval = interval.as_secs_f64();
            let cell = self.network.cell();
            let stations = cell.setup().associations.stations().iter();
            let rates: Vec<_> =
                stations.map(|station| link_rates(cell.medium(), *station)).collect();
            let rates = rates.into_iter();
            let queues = self.network.cell().queues_of(NodeId::ACCESS_POINT);
            sampler.sample(since_warmup.as_secs_f64(), interval, &self.flows, queues, rates);
            if let Some(control) = &self.control {
                sampler.sample_controller(control, &self.flows);
            }
        }
        self.next_sample()
    }

    fn next_sample(&self) -> Instant {
        self.after(self.sampler.as_ref().map(|(_, interval)| *interval))
    }
}

/// What a capture of the air says of the cell.
fn captured_cell(cell: &WlanCell, stations: &[Station], beacon_interval: Duration) -> CapturedCell {
    let phy = cell.timing(stations);
    let captured = CapturedCell::new(&phy, cell.control_rate(), beacon_interval);
    match cell.mode(None) {
        Ok(mode) => {
            let access = cell.edca.unwrap_or_default().parameters(false);
            let has_ldpc = cell.coding.unwrap_or_default() == Coding::Ldpc;
            captured.with_edca(cell.phy, mode, has_ldpc, access)
        }
        Err(_) => captured,
    }
}

/// The present rates of the link of `station`, down and up, bit/s; `None` where they do not change.
fn link_rates(medium: &impl SimMedium, station: NodeId) -> Option<[u64; 2]> {
    let rate = |way| Some(medium.changing_rate(station, way)?.as_bps());
    Some([rate(Direction::Down)?, rate(Direction::Up)?])
}
