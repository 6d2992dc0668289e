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
use evenair_core::traffic::session::Transfer;
use evenair_core::transport::PacketOption;

use crate::agenda::Timer;
use crate::capture::CaptureSinks;
use crate::capture::captured_cell::CapturedCell;
use crate::capture::writer::CaptureWriter;
use crate::engine::alone::{Alone, Simulate};
use crate::engine::control::beacons::Beacons;
use crate::engine::control::cot::CellControl;
use crate::engine::control::limiter::UplinkLimiter;
use crate::engine::flow::Flow;
use crate::engine::metrics::delay_places::DelayPlaces;
use crate::engine::metrics::sampler::Sampler;
use crate::engine::metrics::{Metrics, RunOutcome};
use crate::engine::network::Network;
use crate::engine::run_error::RunError;
use crate::engine::run_options::RunOptions;
use crate::engine::sessions::{Ports, Running};
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;
use crate::engine::world::{self, Driver, World};
use crate::engine::{alone, build, memory};
use crate::results::run::RunResult;
use crate::scenario::{Cell, Scenario, Station, WlanCell};
use crate::wired::Until;

/// How many steps of the loop pass between two checks of the cancel flag: a millisecond or two.
const STEPS_PER_CANCEL_CHECK: usize = 1 << 14;
/// Time on the air between two pauses of the loop, which check the flag although no step ends.
const AIR_TIME_PER_PAUSE: Duration = Duration::from_millis(100);

/// Everything that a run consists of.
pub(crate) struct Simulation<'a, M: SimMedium, P = Packet> {
    scenario: &'a Scenario,
    seed: u64,
    now: Instant,
    network: Network<M, P>,
    flows: Vec<Flow>,
    sessions: Vec<Running>,
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
    delay_places: DelayPlaces,
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
    /// Sessions that have not come to their end, where every flow has one.
    unfinished: Option<usize>,
    /// When the run is over: as the scenario has it, or when the last of them has.
    end: Instant,
    /// When the loop pauses next, at the latest at `end`.
    pause: Instant,
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
    /// A packet of that flow has left its host.
    Departure(usize),
    Sample,
    /// A beacon is to be sent.
    Beacon,
    /// The limiter's counter of losses is refreshed.
    LossCounter,
    /// A control round of the limiter ends.
    Round,
}

impl<M: SimMedium, P: SimPacket> Driver<M, P> for Simulation<'_, M, P> {
    #[inline(always)]
    fn world(&mut self) -> &mut World<M, P> {
        self.network.world()
    }

    #[inline(always)]
    fn before(&mut self, until: Until) {
        self.network.advance_streams(until, &mut self.flows);
    }

    #[inline(always)]
    fn on_arrival(&mut self, arrival: &Arrival<P>) {
        self.begin_event(arrival.at);
        if self.network.on_arrival(arrival) {
            self.deliver(&arrival.packet);
        }
    }

    fn on_departures(&mut self, now: Instant, packets: Vec<P>) {
        self.begin_event(now);
        packets.iter().for_each(|packet| self.depart(packet.packet()));
    }

    #[inline(always)]
    fn on_link(&mut self, now: Instant, packet: Option<&P>) {
        self.begin_event(now);
        if let Some(packet) = packet {
            self.network.on_exit(now, packet.packet());
            self.deliver(packet);
        }
    }

    fn on_timer(&mut self, now: Instant, timer: Timer) -> Instant {
        self.expire(now, timer)
    }
}

impl<'a, M: SimMedium, P: SimPacket> Simulation<'a, M, P> {
    /// The state before time 0.
    pub(crate) fn new(
        medium: M,
        scenario: &'a Scenario,
        seed: u64,
        options: &RunOptions,
        captures: Option<CaptureSinks>,
    ) -> Result<Self, RunError> {
        Self::with(medium, scenario, seed, (options, captures, None))
    }

    /// The same, without all but what is transferred alone.
    fn with(
        medium: M,
        scenario: &'a Scenario,
        seed: u64,
        (options, captures, alone): (&RunOptions, Option<CaptureSinks>, Option<Alone>),
    ) -> Result<Self, RunError> {
        let (mut flows, mut sessions) = build::flows(scenario, seed);
        let is_alone = alone.is_some();
        let only = alone.map(|alone| alone.prepare(&mut flows, &mut sessions));
        let sampled = scenario.trace.as_ref().map(|trace| trace.interval).or(options.sampled);
        let control = CellControl::new(scenario, &flows).map(Box::new);
        // A controller looks at the cell at each event, a capture sees packets in the order of time, and packets that have
        // no events have no account.
        let has_all_events = control.is_some() || captures.is_some() || is_alone || P::IS_TIMED;
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
        let (mut purposes, mut departures) = (Vec::new(), Vec::new());
        let mut add = |purpose, at| {
            let timer = network.agenda().add_timer();
            network.agenda().arm(timer, at);
            purposes.push(purpose);
            timer
        };
        add(Purpose::WarmupEnds, Instant::ZERO + scenario.warmup.duration());
        for (i, flow) in flows.iter_mut().enumerate() {
            // The first flow of a session starts and stops it.
            let is_first = flow.member.as_ref().is_none_or(|member| member.slot == 0);
            let once = |at| if is_first { at } else { Instant::NEVER };
            let start = if has_events[i] { once(flow.start) } else { Instant::NEVER };
            flow.timers = [
                add(Purpose::End(i, End::Sender), start),
                add(Purpose::End(i, End::Receiver), Instant::NEVER),
            ];
            add(Purpose::Stop(i), once(flow.stop));
            if flow.counts_wired_host() {
                departures.push((i, add(Purpose::Departure(i), Instant::NEVER)));
            }
        }
        let after = |interval: Option<Duration>| {
            interval.map_or(Instant::NEVER, |interval| Instant::ZERO + interval)
        };
        let sample = add(Purpose::Sample, Instant::NEVER);
        add(Purpose::Beacon, after(beacons.as_ref().map(|beacons| beacons.interval)));
        add(Purpose::LossCounter, after(refresh_interval));
        add(Purpose::Round, after(round));
        for (flow, timer) in departures {
            network.host_queues.set_timer(flow, timer);
        }
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
            delay_places: DelayPlaces::default(),
            events: 0,
            cancel: options.cancel.clone(),
            steps_per_check: STEPS_PER_CANCEL_CHECK,
            packets_per_count: memory::packets_between_counts(links),
            count_at: memory::packets_between_counts(links),
            is_observed: false,
            unfinished: only.map_or_else(|| finite_sessions(&flows, &sessions), |_| Some(1)),
            end: Instant::ZERO + scenario.warmup.duration() + scenario.duration.duration(),
            pause: Instant::ZERO,
            flows,
            sessions,
        })
    }

    /// Simulates a flow alone in the network of `scenario`. Returns its transfers, in their order.
    pub(crate) fn run_alone(
        medium: M,
        scenario: &'a Scenario,
        seed: u64,
        options: &RunOptions,
        alone: Alone,
    ) -> Result<Vec<Transfer>, RunError> {
        let row = alone.row;
        let options = RunOptions { sampled: None, ..options.clone() };
        let mut simulation = Self::with(medium, scenario, seed, (&options, None, Some(alone)))?;
        simulation.advance_to_end()?;
        let Self { flows, sessions, .. } = &simulation;
        let session = sessions.iter().find(|running| flows[running.first].row == row);
        Ok(session.map_or(Vec::new(), |running| running.session.finished().to_vec()))
    }

    /// Runs to the end of the scenario. Transfers alone, where the result needs any, are simulated by
    /// `simulate_alone`.
    pub(crate) fn run(mut self, simulate_alone: Simulate<'_>) -> Result<RunResult, RunError> {
        self.advance_to_end()?;
        self.network.finish_capture(self.end)?;
        let begin = Instant::ZERO + self.scenario.warmup.duration();
        let alone = self.sessions.iter().map(|running| {
            let session = (self.flows[running.first].row, &running.session);
            alone::times(self.scenario, session, begin, simulate_alone)
        });
        let alone = alone.collect::<Result<Vec<_>, _>>()?;
        let outcome = RunOutcome {
            scenario: self.scenario,
            seed: self.seed,
            end: self.end,
            events: self.events,
            series: self
                .sampler
                .map(|(sampler, _)| sampler.finish(&self.flows, self.network.limiter())),
            flows: &self.flows,
            sessions: &self.sessions,
            alone: &alone,
            network: &self.network,
            delay_places: &self.delay_places,
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
    #[inline(always)]
    fn deliver(&mut self, packet: &P) {
        match P::IS_TIMED {
            true => self.deliver_timed(packet),
            false => self.deliver_packet(packet.packet()),
        }
    }

    /// The same with its account.
    #[inline(never)]
    fn deliver_timed(&mut self, packet: &P) {
        let Packet { flow, size, .. } = *packet.packet();
        let index = flow.0 as usize;
        let delays = |of: &Self| of.flows.get(index).map(|flow| flow.ends.one_way_delay().sum());
        let before = delays(self);
        self.deliver_packet(packet.packet());
        // The ends know whether what it brings has arrived before.
        if let Some((before, after)) = before.zip(delays(self))
            && after > before
        {
            let unloaded = self.network.unloaded_time(index, size);
            let times = packet.times(self.now);
            self.delay_places.record(index, after - before, &times, unloaded);
        }
    }

    fn deliver_packet(&mut self, packet: &Packet) {
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
        let at = flow.ends.on_packet(self.now, packet, option, &mut out);
        self.network.agenda().arm(flow.timers[packet.to as usize], at);
        if flow.member.is_some() && flow.has_progressed(packet.to) {
            self.on_progress(index);
        }
    }

    /// The host of a sender is done with `packet`.
    #[cold]
    fn depart(&mut self, packet: &Packet) {
        let Some(flow) = self.flows.get_mut(packet.flow.0 as usize) else { return };
        let mut out = Ports { now: self.now, network: &mut self.network };
        let at = flow.ends.on_departure(self.now, packet, &mut out);
        self.network.agenda().arm(flow.timers[End::Sender as usize], at);
    }

    /// A packet has brought what a session is to be told.
    #[cold]
    fn on_progress(&mut self, index: usize) {
        let Some(member) = &self.flows[index].member else { return };
        let (session, slot) = (member.session, member.slot);
        let running = &mut self.sessions[session];
        let mut slots = running.slots(self.now, &mut self.flows, &mut self.network);
        running.session.on_progress(self.now, slot, &mut slots);
        let timer = self.flows[running.first].timers[End::Sender as usize];
        self.network.agenda().arm(timer, running.session.poll_at());
        self.note_end(session);
    }

    /// A run of finite flows alone is over with the last of them.
    fn note_end(&mut self, session: usize) {
        let running = &mut self.sessions[session];
        if running.session.is_done() && !std::mem::replace(&mut running.ended, true) {
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
            Purpose::Stop(flow) => self.on_stop(flow),
            Purpose::Departure(flow) => {
                while let Some(packet) = self.network.host_queues.departed(flow, at) {
                    self.depart(&packet);
                }
                return self.network.host_queues.next_at(flow);
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
        if end == End::Sender && flow.member.is_some() {
            return self.on_member_timer(index);
        }
        let mut out = Ports { now: self.now, network: &mut self.network };
        if end == End::Sender && !std::mem::replace(&mut flow.started, true) {
            flow.ends.open(self.now, 0, u64::MAX, &mut out);
        } else {
            flow.ends.on_timer(self.now, end, &mut out);
        }
        flow.poll_at(end)
    }

    /// The timer of the sender of a flow with a session has expired. That of slot 0 is the session's, too.
    #[inline(never)]
    fn on_member_timer(&mut self, index: usize) -> Instant {
        let now = self.now;
        let flow = &mut self.flows[index];
        let Some(member) = &flow.member else { return Instant::NEVER };
        let (session, slot) = (member.session, member.slot);
        let first = !std::mem::replace(&mut flow.started, true);
        let running = &mut self.sessions[session];
        let (mut has_opened, mut at) = (false, Instant::NEVER);
        if slot == 0 {
            if first {
                running.session.start(now);
            }
            let mut slots = running.slots(now, &mut self.flows, &mut self.network);
            running.session.on_timer(now, &mut slots);
            has_opened = slots.has_opened_first || first;
            at = running.session.poll_at();
        }
        let flow = &mut self.flows[index];
        if !has_opened {
            let mut out = Ports { now, network: &mut self.network };
            flow.ends.on_timer(now, End::Sender, &mut out);
        }
        at.min(flow.poll_at(End::Sender))
    }

    /// The application of a flow stops.
    fn on_stop(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        let Some(member) = &flow.member else { return flow.ends.stop(self.now) };
        let session = member.session;
        let running = &mut self.sessions[session];
        let mut slots = running.slots(self.now, &mut self.flows, &mut self.network);
        running.session.stop(&mut slots);
        self.note_end(session);
    }

    /// Measuring begins.
    fn on_warmup_end(&mut self) {
        self.network.settle(Until::ends(self.now), &mut self.flows);
        self.network.reset_stats(self.now);
        for flow in &mut self.flows {
            flow.ends.measure_from(self.now);
        }
        self.delay_places.reset();
        for running in &mut self.sessions {
            running.session.measure_from(self.now);
        }
        self.metrics.begin(self.now, (&self.flows, &self.sessions), &self.network);
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

/// The number of sessions, if every flow has one that comes to its end.
fn finite_sessions(flows: &[Flow], sessions: &[Running]) -> Option<usize> {
    let have_sessions = flows.iter().all(|flow| flow.member.is_some());
    let are_finite = sessions.iter().all(|running| running.session.is_finite());
    (have_sessions && are_finite).then_some(sessions.len())
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
