//! A run: the parts of the world, and the loop that wakes whichever is due next.
//!
//! A download's packet goes `Flow` -> `Network` (links, the access point's interface, the air) ->
//! `Flow`, and its acknowledgement back; an upload's the other way. What the [`Network`] does with it
//! in between is its own affair; here packets enter it and come out.
//!
//! Each part that can be due tells its next time by itself; at equal times links go before timers
//! and both before the air, so that what arrives at a slot boundary can still use it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenair_core::packet::Packet;
use evenair_core::time::Instant;
use evenair_core::transport::{End, Output, PacketOption};

use crate::capture::writer::CaptureWriter;
use crate::cell_kind::CellKind;
use crate::flow::Flow;
use crate::metrics::{Metrics, RunOutcome};
use crate::network::Network;
use crate::result::RunResult;
use crate::scenario::Scenario;
use crate::series::Sampler;
use crate::timers::Timers;
use crate::{CaptureSinks, RunError, RunOptions, build};

/// How many steps of the loop pass between two looks at the cancel flag: a millisecond or two.
const STEPS_PER_CANCEL_CHECK: u32 = 1 << 14;

/// Everything that a run consists of.
pub(crate) struct Simulation<'a, M> {
    scenario: &'a Scenario,
    seed: u64,
    now: Instant,
    network: Network<M>,
    flows: Vec<Flow>,
    timers: Timers,
    sampler: Option<Sampler>,
    metrics: Metrics,
    events: u64,
    cancel: Option<Arc<AtomicBool>>,
    cancelled: bool,
    /// Flows that have not come to their end, where every flow has one.
    unfinished: Option<usize>,
    /// When the run is over: as the scenario has it, or when the last of them has.
    end: Instant,
}

/// Where the ends of flows send their packets.
struct Ports<'a, M> {
    now: Instant,
    network: &'a mut Network<M>,
}

impl<M: CellKind> Output for Ports<'_, M> {
    #[inline(always)]
    fn send(&mut self, from: End, packet: &Packet, option: Option<&PacketOption>) {
        let from_source = from == End::Sender;
        let mut packet = *packet;
        if let Some(&option) = option {
            self.network.attach(&mut packet, option);
        }
        self.network.send(self.now, from_source, &packet);
    }
}

/// What a timer is for. Flow `f` owns three timers, from 3 f on; the run's own follow.
enum Timer {
    Sender(usize),
    Receiver(usize),
    Stop(usize),
    WarmupEnds,
    Sample,
}

impl<'a, M: CellKind> Simulation<'a, M> {
    /// The state before time 0.
    pub(crate) fn new(
        scenario: &'a Scenario,
        seed: u64,
        options: &RunOptions,
        captures: Option<CaptureSinks>,
    ) -> Result<Self, RunError> {
        let flows = build::flows(scenario, seed);
        let mut network: Network<M> = build::network(scenario, seed, &flows);
        if let Some(sinks) = captures {
            let captured = flows.iter().map(Flow::captured).collect();
            let (phy, nodes) = (network.cell().medium().capture_phy(), network.cell().nodes());
            network.capture(CaptureWriter::new(sinks, phy, nodes, captured)?);
        }
        let mut timers = Timers::new(3 * flows.len() + 2);
        for (i, flow) in flows.iter().enumerate() {
            timers.arm(3 * i as u32, flow.start);
            timers.arm(3 * i as u32 + 2, flow.stop);
        }
        timers.arm(3 * flows.len() as u32, Instant::ZERO + scenario.warmup.duration());
        Ok(Self {
            scenario,
            seed,
            now: Instant::ZERO,
            network,
            timers,
            sampler: scenario.trace.as_ref().map(|_| Sampler::default()),
            metrics: Metrics::default(),
            events: 0,
            cancel: options.cancel.clone(),
            cancelled: false,
            unfinished: flows.iter().all(Flow::is_finite).then_some(flows.len()),
            end: Instant::ZERO + scenario.warmup.duration() + scenario.duration.duration(),
            flows,
        })
    }

    /// Runs to the end of the scenario.
    pub(crate) fn run(mut self) -> Result<RunResult, RunError> {
        self.advance_to_end();
        if self.cancelled {
            return Err(RunError::Cancelled);
        }
        self.network.finish_capture()?;
        let outcome = RunOutcome {
            scenario: self.scenario,
            seed: self.seed,
            end: self.end,
            events: self.events,
            series: self.sampler.map(|sampler| sampler.finish(&self.flows)),
            flows: &self.flows,
            network: &self.network,
        };
        Ok(self.metrics.result(outcome))
    }

    #[inline(never)] // so that the loop is compiled by itself
    fn advance_to_end(&mut self) {
        while !self.is_cancelled() {
            for _ in 0..STEPS_PER_CANCEL_CHECK {
                if !self.advance() {
                    return;
                }
            }
        }
        self.cancelled = true;
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Lets the cell proceed until something else is due, and then does that; false when nothing is due
    /// before the end.
    fn advance(&mut self) -> bool {
        let end = self.end;
        let wired_at = self.network.wired_due();
        let timer_at = self.timers.next();
        if let Some(arrival) = self.network.poll_cell(wired_at.min(timer_at).min(end)) {
            self.begin_event(arrival.at);
            if self.network.on_arrival(&arrival) {
                self.deliver(&arrival.packet);
            }
            return true;
        }
        if wired_at <= timer_at && wired_at < end {
            self.begin_event(wired_at);
            if let Some(packet) = self.network.poll_wired(wired_at) {
                self.deliver(&packet);
            }
            self.network.end_wired_event();
            return true;
        }
        // At the very end only what timers do still counts, for a sample may be due then.
        if timer_at <= end {
            self.begin_event(timer_at);
            self.on_timer();
            return true;
        }
        false
    }

    fn begin_event(&mut self, at: Instant) {
        debug_assert!(self.now <= at, "time never decreases");
        self.now = at;
        self.events += 1;
    }

    /// A packet has come to the end that it is for.
    fn deliver(&mut self, packet: &Packet) {
        let option = self.network.option(packet);
        let index = packet.flow.0 as usize;
        let flow = &mut self.flows[index];
        let mut out = Ports { now: self.now, network: &mut self.network };
        let (end, at) = flow.on_packet(self.now, packet, option.as_ref(), &mut out);
        self.timers.arm(3 * index as u32 + end as u32, at);
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
                self.end = self.now;
            }
        }
    }

    #[inline(never)] // seldom in comparison, and long
    fn on_timer(&mut self) {
        let Some(timer) = self.timers.pop() else { return };
        match self.purpose(timer) {
            Timer::Sender(flow) => self.on_flow_timer(flow, End::Sender),
            Timer::Receiver(flow) => self.on_flow_timer(flow, End::Receiver),
            Timer::Stop(flow) => {
                self.flows[flow].on_stop();
                self.note_end(flow);
            }
            Timer::WarmupEnds => {
                self.on_warmup_end();
            }
            Timer::Sample => {
                self.on_sample();
            }
        }
    }

    #[inline(always)] // with a constant `end`
    fn on_flow_timer(&mut self, index: usize, end: End) {
        let flow = &mut self.flows[index];
        let mut out = Ports { now: self.now, network: &mut self.network };
        flow.on_timer(self.now, end, &mut out);
        self.timers.arm(3 * index as u32 + end as u32, flow.poll_at(end));
        if end == End::Sender && flow.transfers.is_some() {
            // Where the sender's application begins a transfer, the receiver may have to open it.
            self.timers.arm(3 * index as u32 + 1, flow.poll_at(End::Receiver));
        }
    }

    fn purpose(&self, timer: u32) -> Timer {
        let (flow, own) = (timer as usize / 3, timer as usize % 3);
        match (flow == self.flows.len(), own) {
            (false, 0) => Timer::Sender(flow),
            (false, 1) => Timer::Receiver(flow),
            (false, _) => Timer::Stop(flow),
            (true, 0) => Timer::WarmupEnds,
            (true, _) => Timer::Sample,
        }
    }

    /// Measuring begins.
    fn on_warmup_end(&mut self) {
        self.network.reset_stats(self.now);
        self.metrics.begin(&self.flows, &self.network);
        if let Some(sampler) = &mut self.sampler {
            sampler.start(&self.flows);
        }
        self.arm_sample();
    }

    fn on_sample(&mut self) {
        let since_warmup = self.now.since(Instant::ZERO + self.scenario.warmup.duration());
        if let (Some(sampler), Some(trace)) = (&mut self.sampler, &self.scenario.trace) {
            let interval = trace.interval.duration().as_secs_f64();
            let waiting = self.network.cell().queues()[0].waiting();
            sampler.sample(since_warmup.as_secs_f64(), interval, &self.flows, waiting);
        }
        self.arm_sample();
    }

    fn arm_sample(&mut self) {
        if let Some(trace) = &self.scenario.trace {
            let timer = 3 * self.flows.len() as u32 + 1;
            self.timers.arm(timer, self.now + trace.interval.duration());
        }
    }
}
