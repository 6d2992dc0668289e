//! The loop that carries packets between devices and the network.

use std::rc::Rc;
use std::sync::Arc;

use evenair_core::delays::Delays;
use evenair_core::ip::IpPacket;
use evenair_core::ip::flows::FlowTable;
use evenair_core::ip::headers::{FlowKey, Headers, mark};
use evenair_core::packet::Ecn;
use evenair_core::queue::QueueItem;
use evenair_core::time::{Duration, Instant};
use evenair_sim::emulation::{Emulation, Exit, Exited, Places, emulation};

use crate::Error;
use crate::account::{Account, Dropped};
use crate::device::capture::Capture;
use crate::device::payload::{Content, Pool};
use crate::device::ports::{Arriving, Ports, Site};
use crate::report::{FlowCounts, Report};
use crate::routes::{Routes, Way};
use crate::signals::Signals;
use crate::snmp::Counters;
use crate::spec::Spec;
use crate::timing::clock::{Clock, thread_cpu_s};
use crate::timing::punctuality::{Lateness, Watch, reasons};
use crate::timing::realtime::{self, Processors};

/// How often the loop looks for signals and at the clock if nothing else happens. When the loop
/// stands still while it waits is known to this precision: well below the bounds of lateness that
/// are of use.
const WATCH_INTERVAL: Duration = Duration::from_millis(1);
/// The loop does not sleep for less: what is due meanwhile is done together when it wakes. Where packets follow
/// each other by less, as on a link of 1 Gb/s (12 us each), most of its time is otherwise spent on going to sleep
/// and waking up. What is due is late by this at most, a twentieth of the smallest bound that is of use.
const SHORTEST_SLEEP: Duration = Duration::from_micros(50);
/// More packets under way than this end the run: they take some 200 MB. Only queues without a limit
/// come there.
const MOST_IN_FLIGHT: usize = 131_072;
const NANOSECOND: Duration = Duration::from_nanos(1);

/// The network of a scenario between devices.
pub struct Engine<P> {
    network: Box<dyn Emulation<Content>>,
    ports: P,
    clock: Clock,
    pool: Pool,
    routes: Routes,
    /// The flows in the queues of the cell, and in those of the links.
    flow_tables: [FlowTable; 2],
    largest_packet: usize,
    /// Time 0 of the scenario, and when measuring begins and ends; [`Instant::NEVER`] before.
    began: Instant,
    measure_at: Instant,
    end: Instant,
    is_measuring: bool,
    /// When the second, third and last quarter of the measured time begin.
    quarters: [Instant; 3],
    read: u64,
    written: u64,
    dropped: Dropped,
    most_in_flight: usize,
    flows: Vec<FlowCounts>,
    /// Of the access point's radio.
    radio: Counters,
    /// In each quarter of the measured time.
    lateness: [Delays; 4],
    watch: Watch,
    /// A copy of the bytes of a packet that was marked.
    marked: Vec<u8>,
    capture: Option<Capture>,
    signals: Arc<Signals>,
    spec: Spec,
}

impl<P: Ports> Engine<P> {
    /// The network of the specification's scenario between these devices. The medium clock starts
    /// now.
    ///
    /// # Errors
    /// The specification does not fit the scenario.
    pub fn new(spec: Spec, ports: P, signals: Arc<Signals>) -> Result<Self, Error> {
        let scenario = spec.resolved()?;
        let places = Places::new(&scenario);
        let routes = Routes::new(&spec, &places)?;
        let network = emulation(&scenario, spec.seed).map_err(Error::Invalid)?;
        let clock = Clock::start();
        let capture = capture(&spec, &places, clock)?;
        let flows = spec.flows.iter();
        Ok(Self {
            network,
            ports,
            clock,
            pool: Pool::default(),
            routes,
            flow_tables: Default::default(),
            largest_packet: largest_packet(&places),
            began: Instant::NEVER,
            measure_at: Instant::NEVER,
            end: Instant::NEVER,
            is_measuring: false,
            quarters: [Instant::NEVER; 3],
            read: 0,
            written: 0,
            dropped: Dropped::default(),
            most_in_flight: 0,
            flows: flows
                .map(|flow| FlowCounts { index: flow.index, ..Default::default() })
                .collect(),
            radio: Counters::default(),
            lateness: Default::default(),
            watch: Watch::new(Duration::from_secs_f64(spec.max_lateness_s)),
            marked: Vec::new(),
            capture,
            signals,
            spec,
        })
    }

    /// Carries packets until the end of the measured time, or until it is stopped.
    ///
    /// # Errors
    /// A device is gone, too many packets are under way, or the run was stopped before measuring
    /// began.
    pub fn run(mut self) -> Result<Report, Error> {
        let mut warnings = match self.spec.realtime {
            true => realtime::enter(),
            false => Vec::new(),
        };
        let has_priority = self.spec.realtime && warnings.is_empty();
        if has_priority && let Some(processors) = Processors::divided() {
            processors.keep_to_own();
        }
        realtime::exact_timers();
        let mut due = self.clock.now();
        loop {
            let now = self.clock.now();
            self.watch.note(due, now);
            self.advance(now.min(self.end))?;
            self.radio.discards = self.network.ap_losses();
            self.signals.radio.write(self.radio);
            if now >= self.end || self.signals.is_stopped() {
                break;
            }
            self.note_start(now);
            let until = self.network.poll_at().min(self.measure_at).min(self.end);
            due = until.max(now + SHORTEST_SLEEP).min(now + WATCH_INTERVAL);
            self.ports.wait(&self.clock, &self.pool, due).map_err(Error::Failed)?;
        }
        warnings.extend(self.capture.take().and_then(Capture::finish));
        warnings.extend(match self.ports.lost() {
            0 => None,
            lost => Some(format!(
                "{lost} packets were dropped before hosts received them: more than \
                 net.core.netdev_max_backlog waited for a processor"
            )),
        });
        if !self.is_measuring {
            return Err(Error::Failed("the run was stopped before measuring began".to_owned()));
        }
        let now = self.clock.now().min(self.end);
        // What was read after the end has not entered the network.
        while self.ports.receive().is_some() {}
        let lateness = Lateness::of(&self.lateness);
        let punctuality = self.watch.account(now);
        Ok(Report {
            network: self.network.result(now),
            account: self.account(),
            flows: self.flows,
            lateness_s: lateness,
            lateness_quarters_s: self.lateness.each_ref().map(|delays| Lateness::of([delays])),
            punctuality,
            began_s: self.clock.monotonic_s(self.began),
            realtime: has_priority,
            untrusted: reasons(&lateness, &punctuality, self.spec.max_lateness_s),
            warnings,
            cpu_s: thread_cpu_s(),
            elapsed_s: now.as_secs_f64(),
            most_in_flight: self.most_in_flight,
        })
    }

    /// The scenario begins when it is told to.
    fn note_start(&mut self, now: Instant) {
        if self.end == Instant::NEVER && self.signals.is_started() {
            let after = |seconds: f64| Duration::from_secs_f64(seconds);
            self.began = now;
            self.measure_at = now + after(self.spec.warmup_s);
            self.end = self.measure_at + after(self.spec.duration_s);
            self.watch.measure(now, self.measure_at, self.end);
            self.signals.note_start(self.clock, now);
        }
    }

    /// Does all that is due up to and at `now`, in the order of the medium's time.
    fn advance(&mut self, now: Instant) -> Result<(), Error> {
        loop {
            let arrival_at = self.ports.next_arrival();
            let limit = (now + NANOSECOND).min(arrival_at).min(self.measure_at);
            if let Some(exit) = self.network.poll(limit) {
                self.deliver(exit);
            } else if self.measure_at <= now.min(arrival_at) {
                self.begin_measuring();
            } else if arrival_at <= now
                && let Some(arriving) = self.ports.receive()
            {
                self.admit(arriving)?;
            } else {
                return Ok(());
            }
        }
    }

    fn begin_measuring(&mut self) {
        let now = std::mem::replace(&mut self.measure_at, Instant::NEVER);
        self.network.begin_measuring(now);
        self.lateness.iter_mut().for_each(Delays::reset);
        let quarter = self.end.since(now) / 4;
        self.quarters = [1, 2, 3].map(|number| now + quarter * number);
        for flow in &mut self.flows {
            *flow = FlowCounts { index: flow.index, ..Default::default() };
        }
        self.is_measuring = true;
    }

    /// A packet that a host has sent enters the network.
    fn admit(&mut self, arriving: Arriving) -> Result<(), Error> {
        let Arriving { at, site, buffer } = arriving;
        self.read += 1;
        let bytes = buffer.bytes();
        if let Some(capture) = &mut self.capture {
            capture.packet(at, site, bytes);
        }
        if bytes.len() > self.largest_packet {
            self.dropped.too_large += 1;
            return Ok(());
        }
        let Some(headers) = Headers::parse(bytes, bytes.len()) else {
            self.dropped.not_ip += 1;
            return Ok(());
        };
        let FlowKey { addresses: [from, to], .. } = headers.key;
        let Some(way) = self.routes.way(site, to) else {
            self.dropped.no_route += 1;
            return Ok(());
        };
        let size = bytes.len() as u32 + self.routes.extra_header(from);
        let (flow, is_data) = self.routes.flow(&headers.key).unzip();
        let buffer = Some(Rc::new(buffer));
        let content = Content { buffer, flow, is_data: is_data.unwrap_or_default() };
        let table = &mut self.flow_tables[usize::from(matches!(way, Way::Wired { .. }))];
        let mut packet = IpPacket::new(at, &headers, size, table, content);
        match way {
            Way::Air { from, station } => {
                packet.station = station;
                self.radio.out_packets += u64::from(from.is_access_point());
                self.network.send_air(at, from, packet);
            }
            Way::Wired { from, to } => self.network.send_wired(at, from, to, packet),
        }
        let in_flight = self.pool.in_use();
        self.most_in_flight = self.most_in_flight.max(in_flight);
        if in_flight > MOST_IN_FLIGHT {
            return Err(Error::Failed(format!(
                "more than {MOST_IN_FLIGHT} packets wait or are under way; give the queues a limit"
            )));
        }
        Ok(())
    }

    /// A packet leaves the network at a device.
    fn deliver(&mut self, exit: Exit<Content>) {
        let Exit { at, place, packet } = exit;
        let (site, is_far_end) = match place {
            Exited::Air(node) if node.is_access_point() => (Site::ApRadio, false),
            Exited::Air(node) => (Site::Station(node.0), true),
            Exited::Wired(0) => (Site::ApWire, false),
            Exited::Wired(host) => (Site::Host(host), true),
        };
        let Some(buffer) = &packet.content.buffer else { return };
        let mut bytes = buffer.bytes();
        if packet.ecn() == Ecn::Ce {
            self.marked.clear();
            self.marked.extend_from_slice(bytes);
            mark(&mut self.marked);
            bytes = &self.marked;
        }
        match place {
            Exited::Air(node) if node.is_access_point() => {
                self.radio.in_packets += 1;
                self.radio.in_octets += bytes.len() as u64;
            }
            Exited::Air(_) => self.radio.out_octets += bytes.len() as u64,
            Exited::Wired(_) => {}
        }
        let quarter = self.quarters.iter().filter(|&&begin| at >= begin).count();
        self.lateness[quarter].record(self.clock.now().since(at));
        if !self.ports.deliver(at, site, bytes) {
            self.dropped.device_full += 1;
            return;
        }
        self.written += 1;
        if let Some(capture) = &mut self.capture {
            capture.packet(at, site, bytes);
        }
        if is_far_end && let Some(number) = packet.content.flow {
            let flow = &mut self.flows[number];
            let (packets, octets) = match packet.content.is_data {
                true => (&mut flow.packets, &mut flow.delivered_bytes_ip),
                false => (&mut flow.answer_packets, &mut flow.answer_bytes_ip),
            };
            *packets += 1;
            *octets += bytes.len() as u64;
        }
    }

    fn account(&self) -> Account {
        let discarded = self.network.discarded();
        let dropped = Dropped {
            queue: discarded.queue,
            retry_limit: discarded.retry_limit,
            error: discarded.error,
            ..self.dropped
        };
        let in_flight = self.pool.in_use() as u64;
        Account { read: self.read, written: self.written, dropped, in_flight }
    }
}

fn capture(spec: &Spec, places: &Places, clock: Clock) -> Result<Option<Capture>, Error> {
    let Some(path) = &spec.pcap else { return Ok(None) };
    let devices = spec.devices(places)?;
    let sites: Vec<_> = devices.into_iter().map(|(site, name, _)| (site, name)).collect();
    let capture = Capture::create(path, &sites, clock.now());
    capture.map(Some).map_err(|error| Error::Failed(format!("{}: {error}", path.display())))
}

/// The largest packet that enters the network, bytes: that of the scenario, and at least the
/// smallest MTU of IPv6 (RFC 8200 section 5).
pub fn largest_packet(places: &Places) -> usize {
    const SMALLEST_MTU: u32 = 1280;
    places.largest_packet.max(SMALLEST_MTU) as usize
}
