//! A run: the parts of the world, and the loop that wakes whichever is due next.
//!
//! A download's packet goes `Flow` -> wire down -> AP's `Interface` -> `Medium` -> `Flow`, and its
//! acknowledgement `Flow` -> station's `Interface` -> `Medium` -> wire up -> `Flow`; an upload's the
//! other way. Every step is one method here, in that order.
//!
//! Each part that can be due tells its next time by itself; at equal times the wire goes before
//! timers and both before the medium, so that what arrives at a slot boundary can still use it.

use std::sync::atomic::{AtomicBool, Ordering};

use evenair_core::errors::{Level, LinkErrors};
use evenair_core::packet::Packet;
use evenair_core::time::{Span, Time};
use evenair_core::wlan::{AP, Counters, Event, Frame, Medium};

use crate::flow::{Ends, Flow};
use crate::interface::Interface;
use crate::link::Link;
use crate::recorder::Recorder;
use crate::result::{ApQueue, FlowResult, MacResult, RunResult, Wired, jain_index};
use crate::scenario::Scenario;
use crate::series::Sampler;
use crate::timers::Timers;
use crate::{RESULT_VERSION, RunError, RunOptions, setup};

/// How many events pass between two looks at the cancel flag.
const EVENTS_PER_CANCEL_CHECK: u64 = 1 << 14;

/// Everything that a run consists of.
pub(crate) struct World<'a> {
    scenario: &'a Scenario,
    seed: u64,
    now: Time,
    medium: Medium,
    /// One per station, the access point's first.
    interfaces: Vec<Interface>,
    /// Of each station's link, where they strike what the MAC has delivered.
    errors: Vec<Option<LinkErrors>>,
    /// Packets that they have lost, by station.
    error_losses: Vec<u64>,
    flows: Vec<Flow>,
    wire_down: Link,
    wire_up: Link,
    timers: Timers,
    recorder: Option<Recorder>,
    sampler: Option<Sampler>,
    at_warmup: Snapshot,
    events: u64,
    fingerprint: u64,
}

/// What had been counted when measuring began.
#[derive(Default)]
struct Snapshot {
    flows: Vec<FlowCounts>,
    macs: Vec<Counters>,
    error_losses: Vec<u64>,
    wired_drops: [u64; 2],
}

#[derive(Clone, Copy, Default)]
struct FlowCounts {
    delivered: u64,
    segments: u64,
    retransmissions: u64,
    timeouts: u64,
    fast_retransmits: u64,
    rtt_samples: u64,
    rtt_sum: Span,
}

/// What a timer is for. Flow `f` owns three timers, from 3 f on; the run's own follow.
enum Timer {
    Sender(usize),
    Receiver(usize),
    Stop(usize),
    WarmupEnds,
    Sample,
}

/// Where an event happened, for the fingerprint.
#[derive(Clone, Copy)]
enum Source {
    WireUp = 1,
    WireDown = 2,
    Timer = 3,
    Medium = 4,
}

impl<'a> World<'a> {
    /// The world before time 0.
    pub(crate) fn new(
        scenario: &'a Scenario,
        seed: u64,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        let mut medium = setup::medium(scenario, seed);
        let mut errors = setup::errors(scenario, seed);
        for (station, link) in (0..).zip(&mut errors) {
            if let Some(mac) = link.take_if(|link| link.level == Level::Mac) {
                medium.set_errors(station, mac);
            }
        }
        let interfaces = setup::interfaces(scenario);
        let flows = setup::flows(scenario);
        let recorder = options
            .pcap
            .as_ref()
            .map(|path| Recorder::create(path, medium.config(), interfaces.len()))
            .transpose()?;
        let wire = || setup::wire(&scenario.wired);
        let mut timers = Timers::new(3 * flows.len() + 2);
        for (i, flow) in flows.iter().enumerate() {
            timers.arm(3 * i as u32, flow.start);
            timers.arm(3 * i as u32 + 2, flow.stop);
        }
        timers.arm(3 * flows.len() as u32, Time::ZERO + scenario.warmup.span());
        Ok(Self {
            scenario,
            seed,
            now: Time::ZERO,
            medium,
            interfaces,
            error_losses: vec![0; errors.len()],
            errors,
            wire_down: wire(),
            wire_up: wire(),
            timers,
            recorder,
            sampler: scenario.trace.as_ref().map(|_| Sampler::default()),
            at_warmup: Snapshot::default(),
            events: 0,
            fingerprint: seed,
            flows,
        })
    }

    /// Runs to the end of the scenario.
    pub(crate) fn run(mut self, options: &RunOptions) -> Result<RunResult, RunError> {
        let end = Time::ZERO + self.scenario.warmup.span() + self.scenario.duration.span();
        let cancel = options.cancel.as_deref();
        let cancelled = || cancel.is_some_and(|flag: &AtomicBool| flag.load(Ordering::Relaxed));
        let mut next_check = 0;
        while self.advance(end) {
            if self.events >= next_check {
                if cancelled() {
                    return Err(RunError::Cancelled);
                }
                next_check = self.events + EVENTS_PER_CANCEL_CHECK;
            }
        }
        self.now = end;
        if let Some(recorder) = self.recorder.take() {
            recorder.finish()?;
        }
        Ok(self.result())
    }

    /// Does what the medium does until something else is due, and then that; false when nothing is
    /// due before `end`.
    fn advance(&mut self, end: Time) -> bool {
        let (at, source) = self.next_of_others();
        let limit = at.min(end);
        // Most of what the medium does concerns nobody else, so that the others' times still hold.
        while self.medium.poll_at() < limit {
            self.begin_event(self.medium.poll_at(), Source::Medium);
            if self.on_medium() {
                return true;
            }
        }
        // At the very end only what timers do still counts, for a sample may be due then.
        let source = match at.cmp(&end) {
            std::cmp::Ordering::Less => source,
            _ if self.timers.next() <= end => Source::Timer,
            _ => return false,
        };
        self.begin_event(at, source);
        match source {
            Source::WireUp => self.on_wire_up(),
            Source::WireDown => self.on_wire_down(),
            _ => self.on_timer(),
        }
        true
    }

    fn begin_event(&mut self, at: Time, source: Source) {
        self.now = self.now.max(at);
        self.events += 1;
        self.fingerprint = fold(self.fingerprint, self.now.as_nanos() ^ ((source as u64) << 60));
    }

    /// What is due next but for the medium, and when.
    fn next_of_others(&self) -> (Time, Source) {
        let mut due = (self.wire_up.next(), Source::WireUp);
        for (at, source) in
            [(self.wire_down.next(), Source::WireDown), (self.timers.next(), Source::Timer)]
        {
            if at < due.0 {
                due = (at, source);
            }
        }
        due
    }

    /// Lets `flow`'s source send what it may.
    fn transmit(&mut self, flow: usize) {
        while let Some(packet) = self.flows[flow].poll_transmit(self.now) {
            let at_station = self.flows[flow].up;
            self.send(at_station, packet);
        }
        self.timers.arm(3 * flow as u32, self.flows[flow].sender_timer());
    }

    /// A packet leaves the end that is at the station, or at the server.
    fn send(&mut self, at_station: bool, packet: Packet) {
        let flow = &self.flows[packet.flow.0 as usize];
        if at_station {
            let station = flow.station;
            self.enqueue(station, &packet);
        } else {
            if let Some(recorder) = &mut self.recorder {
                recorder.wire(self.now, flow, false, &packet);
            }
            self.wire_down.send(self.now, packet);
        }
    }

    /// What is due on the way down: mostly a packet from the server reaches the access point.
    fn on_wire_down(&mut self) {
        if let Some(packet) = self.wire_down.pop(self.now) {
            self.enqueue(AP, &packet);
        }
    }

    /// A packet reaches the interface of `station`.
    fn enqueue(&mut self, station: u32, packet: &Packet) {
        self.interfaces[station as usize].enqueue(self.now, packet);
        if self.medium.is_free(station) {
            self.offer(station);
        }
    }

    /// The free MAC of `station` gets the next packet, if one waits.
    fn offer(&mut self, station: u32) {
        if let Some(packet) = self.interfaces[station as usize].dequeue(self.now) {
            let flow = &self.flows[packet.flow.0 as usize];
            let to = if station == AP { flow.station } else { AP };
            self.medium.offer(self.now, station, Frame { to, packet });
        }
    }

    /// The medium does what is due; tells whether a wire or a timer may have been touched.
    fn on_medium(&mut self) -> bool {
        match self.medium.poll(self.now) {
            None => false,
            Some(Event::Received { from }) => {
                let Frame { to, packet } = *self.medium.frame(from);
                let what = (u64::from(packet.flow.0) << 40) ^ (packet.kind as u64);
                self.fingerprint = fold(self.fingerprint, packet.seq ^ (what << 8));
                if let Some(recorder) = &mut self.recorder {
                    let flow = &self.flows[packet.flow.0 as usize];
                    let link = (from, to);
                    recorder.exchange(&self.medium, flow, link, &packet);
                }
                let up = to == AP;
                let station = if up { from } else { to } as usize;
                if let Some(errors) = &mut self.errors[station]
                    && errors.lose(Level::Ip, up, self.now)
                {
                    self.error_losses[station] += 1;
                } else if up {
                    self.wire_up.send(self.now, packet);
                } else {
                    self.deliver(&packet);
                }
                true
            }
            Some(Event::Finished { station, .. }) => {
                let packet = &self.medium.frame(station).packet;
                self.interfaces[station as usize].transmitted(packet);
                self.offer(station);
                false
            }
        }
    }

    /// What is due on the way up: mostly a packet from the access point reaches the server.
    fn on_wire_up(&mut self) {
        let Some(packet) = self.wire_up.pop(self.now) else { return };
        if let Some(recorder) = &mut self.recorder {
            let flow = &self.flows[packet.flow.0 as usize];
            recorder.wire(self.now, flow, true, &packet);
        }
        self.deliver(&packet)
    }

    /// A packet has come to the end that it is for.
    fn deliver(&mut self, packet: &Packet) {
        let index = packet.flow.0 as usize;
        let flow = &mut self.flows[index];
        let answer = flow.on_packet(self.now, packet);
        if packet.payload > 0 || answer.is_some() {
            self.timers.arm(3 * index as u32 + 1, flow.receiver_timer());
            let at_station = !flow.up;
            if let Some(answer) = answer {
                self.send(at_station, answer);
            }
        } else {
            self.transmit(index)
        }
    }

    fn on_timer(&mut self) {
        let Some(timer) = self.timers.pop() else { return };
        match self.purpose(timer) {
            Timer::Sender(flow) => {
                if self.flows[flow].started {
                    self.flows[flow].on_sender_timer(self.now);
                }
                self.flows[flow].started = true;
                self.transmit(flow)
            }
            Timer::Receiver(flow) => {
                let answer = self.flows[flow].on_receiver_timer(self.now);
                self.timers.arm(timer, self.flows[flow].receiver_timer());
                let at_station = !self.flows[flow].up;
                if let Some(answer) = answer {
                    self.send(at_station, answer);
                }
            }
            Timer::Stop(flow) => {
                self.flows[flow].on_stop();
            }
            Timer::WarmupEnds => {
                self.on_warmup_end();
            }
            Timer::Sample => {
                self.on_sample();
            }
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
        self.at_warmup = self.snapshot();
        for interface in &mut self.interfaces {
            interface.reset(self.now);
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.start(&self.flows);
        }
        self.arm_sample();
    }

    fn on_sample(&mut self) {
        let since_warmup = self.now.since(Time::ZERO + self.scenario.warmup.span());
        if let (Some(sampler), Some(trace)) = (&mut self.sampler, &self.scenario.trace) {
            let interval = trace.interval.span().as_secs_f64();
            let waiting = self.interfaces[AP as usize].waiting();
            sampler.sample(since_warmup.as_secs_f64(), interval, &self.flows, waiting);
        }
        self.arm_sample();
    }

    fn arm_sample(&mut self) {
        if let Some(trace) = &self.scenario.trace {
            let timer = 3 * self.flows.len() as u32 + 1;
            self.timers.arm(timer, self.now + trace.interval.span());
        }
    }

    fn snapshot(&self) -> Snapshot {
        let stations = 0..self.interfaces.len() as u32;
        Snapshot {
            flows: self.flows.iter().map(FlowCounts::of).collect(),
            macs: stations.map(|station| self.medium.counters(station)).collect(),
            error_losses: self.error_losses.clone(),
            wired_drops: [self.wire_down.drops(), self.wire_up.drops()],
        }
    }

    fn result(mut self) -> RunResult {
        let duration_s = self.scenario.duration.span().as_secs_f64();
        let (start, end) = (std::mem::take(&mut self.at_warmup), self.snapshot());
        let flows: Vec<FlowResult> = self
            .flows
            .iter()
            .zip(start.flows.iter().zip(&end.flows))
            .map(|(flow, (start, end))| start.until(end, flow, duration_s))
            .collect();
        let goodputs = || flows.iter().map(|flow| flow.goodput_bps);
        let mut macs = (0..).zip(start.macs.iter().zip(&end.macs)).map(|(i, macs)| {
            let id = if i == AP { "ap".to_owned() } else { format!("sta-{i}") };
            let lost = end.error_losses[i as usize] - start.error_losses[i as usize];
            MacResult::new(id, macs, lost, duration_s)
        });
        RunResult {
            scenario: self.scenario.clone(),
            seed: self.seed,
            version: env!("CARGO_PKG_VERSION"),
            result_version: RESULT_VERSION,
            duration_s,
            aggregate_goodput_bps: goodputs().sum(),
            jain_index: jain_index(goodputs()),
            ap_queue: ApQueue::new(&self.interfaces[AP as usize].stats(self.now), duration_s),
            wired: Wired {
                down_drops: end.wired_drops[0] - start.wired_drops[0],
                up_drops: end.wired_drops[1] - start.wired_drops[1],
            },
            ap: macs.next().expect("the access point is there"),
            stations: macs.collect(),
            series: self.sampler.map(|sampler| sampler.finish(&self.flows)),
            events: self.events,
            fingerprint: format!("{:016x}", self.fingerprint),
            flows,
        }
    }
}

impl FlowCounts {
    fn of(flow: &Flow) -> Self {
        let delivered = flow.delivered_bytes();
        match &flow.ends {
            Ends::Tcp { sender, .. } => {
                let counters = sender.counters();
                let (rtt_samples, rtt_sum) = sender.rtt().total();
                Self {
                    delivered,
                    segments: counters.segments_sent,
                    retransmissions: counters.retransmissions,
                    timeouts: counters.timeouts,
                    fast_retransmits: counters.fast_retransmits,
                    rtt_samples,
                    rtt_sum,
                }
            }
            Ends::Cbr(cbr) => Self { delivered, segments: cbr.sent, ..Self::default() },
        }
    }

    /// What happened from these counts to `end`.
    fn until(&self, end: &Self, flow: &Flow, duration_s: f64) -> FlowResult {
        let rtt_samples = end.rtt_samples - self.rtt_samples;
        let rtt_sum = end.rtt_sum - self.rtt_sum;
        FlowResult {
            id: flow.id.clone(),
            station: format!("sta-{}", flow.station),
            direction: if flow.up { "up" } else { "down" },
            transport: flow.transport,
            goodput_bps: (end.delivered - self.delivered) as f64 * 8.0 / duration_s,
            segments_sent: end.segments - self.segments,
            retransmissions: end.retransmissions - self.retransmissions,
            timeouts: end.timeouts - self.timeouts,
            fast_retransmits: end.fast_retransmits - self.fast_retransmits,
            mean_rtt_s: (rtt_samples > 0).then(|| rtt_sum.as_secs_f64() / rtt_samples as f64),
        }
    }
}

/// Folds `value` into a hash (FNV-1a on 64-bit words, with a rotation so that high bits come down).
fn fold(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23)
}
