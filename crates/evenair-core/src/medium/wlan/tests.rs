//! [`Dcf`] against the slot-by-slot [`Oracle`], against what follows from the standard by hand
//! ([`examples`]), and against Bianchi's model and ns-2 ([`saturation`]).

mod airtime;
mod anomaly;
mod attempts;
mod beacons;
mod cells;
mod control_rates;
mod examples;
mod mixed;
mod ofdm;
mod oracle;
mod rate_control;
mod saturation;

use std::collections::VecDeque;

use oracle::Oracle;
use proptest::prelude::*;

use super::phy::{DSSS_RATES, PhyKind};
use super::{BasicRates, ControlRate, Dcf, DcfConfig, Protection, StationConfig};
use crate::loss::{
    self, IndependentConfig, Level, LinkLoss, LossDirection, LossRateConfig, LossyFrames,
    ScopeConfig,
};
use crate::medium::wlan::phy::{LONG_PREAMBLE, Phy, SHORT_PREAMBLE};
use crate::medium::{
    AirEvent, AirUsage, Associations, Attempt, Broadcast, CellContext, Fate, LinkId, Listening,
    Medium, NextPpdu, Observable, Outcome, PacketId, PhyModes, Ppdu, PpduKind, Taken, Transmission,
    TxQueueId, TxStatus,
};
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::queue::{Backlog, QueueLimit};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// The access point's index.
pub(super) const AP: u32 = 0;
/// The receiver of a beacon.
pub(super) const BROADCAST: u32 = NodeId::BROADCAST.0;

/// An attempt that is over, as reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempted {
    pub(super) at: Instant,
    pub(super) from: u32,
    pub(super) station: u32,
    pub(super) backoff: Duration,
    pub(super) airtime: Duration,
    pub(super) delivered: bool,
}

/// A packet for the MAC of a node that has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) to: u32,
    pub(super) bytes: u32,
}

/// A frame exchange in which a packet is received for the first time, or a beacon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    /// Start of its first frame (RTS or data).
    pub(super) start: Instant,
    /// Start of its data frame.
    pub(super) data_start: Instant,
    /// End of its data frame.
    pub(super) data_end: Instant,
    /// End of the ACK.
    pub(super) ack_end: Instant,
    /// Rate of the data frame.
    pub(super) rate: Rate,
    /// Whether RTS and CTS preceded the data frame.
    pub(super) rts: bool,
    /// Whether the ACK is received as well; true of a beacon, which has none.
    pub(super) acknowledged: bool,
    /// How often the data frame had been sent before.
    pub(super) retries: u32,
}

impl Exchange {
    /// That of these transmissions, if there are any.
    fn of(sent: &[Ppdu], modes: &PhyModes) -> Option<Self> {
        let (first, last) = (sent.first()?, sent.last()?);
        let carries = |ppdu: &&Ppdu| !ppdu.mpdus.is_empty();
        let data = sent.iter().find(carries).unwrap_or(first);
        Some(Self {
            start: first.start,
            data_start: data.start,
            data_end: data.end,
            ack_end: last.end,
            rate: modes.rate(data.mode),
            rts: first.kind == PpduKind::Rts,
            acknowledged: last.fate == Fate::Received,
            retries: data.retries,
        })
    }
}

/// What a DCF reports.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Received { from: u32, to: u32 },
    Done { station: u32, outcome: TxStatus },
}

/// What [`Dcf`] and [`Oracle`] have in common.
trait UnderTest {
    fn build(config: DcfConfig, rates: &[Rate], seed: u64) -> Self;
    /// Frames in `scope` on the link of `station` are lost with probability `rate`.
    fn set_errors(&mut self, seed: u64, station: u32, rate: f64, scope: &ScopeConfig);
    fn is_free(&self, station: u32) -> bool;
    fn usage(&self, now: Instant, station: u32) -> AirUsage;
    fn traffic_airtime(&self, now: Instant, station: u32) -> Duration;
    fn offer(&mut self, now: Instant, station: u32, frame: Frame);
    /// The access point is to send a beacon of `bytes`.
    fn broadcast(&mut self, now: Instant, bytes: u32);
    /// The stations that decoded the last beacon.
    fn decoded(&self) -> Vec<bool>;
    /// Attempts are reported from now on; until then they may be.
    fn watch(&mut self) {}
    fn attempts(&self) -> &[Attempted];
    fn poll_at(&self) -> Instant;
    fn poll(&mut self, now: Instant) -> Option<Event>;
    fn exchange(&self) -> Exchange;
}

impl UnderTest for Oracle {
    fn build(config: DcfConfig, rates: &[Rate], seed: u64) -> Self {
        Self::new(config, rates, seed)
    }
    fn set_errors(&mut self, _seed: u64, station: u32, rate: f64, scope: &ScopeConfig) {
        self.set_errors(station, rate, scope);
    }
    fn is_free(&self, station: u32) -> bool {
        self.is_free(station)
    }
    fn usage(&self, now: Instant, station: u32) -> AirUsage {
        self.usage(now, station)
    }
    fn traffic_airtime(&self, now: Instant, station: u32) -> Duration {
        self.traffic_airtime(now, station)
    }
    fn offer(&mut self, now: Instant, station: u32, frame: Frame) {
        self.offer(now, station, frame);
    }
    fn broadcast(&mut self, now: Instant, bytes: u32) {
        self.broadcast(now, bytes);
    }
    fn decoded(&self) -> Vec<bool> {
        self.decoded()
    }
    fn attempts(&self) -> &[Attempted] {
        self.attempts()
    }
    fn poll_at(&self) -> Instant {
        self.poll_at()
    }
    fn poll(&mut self, now: Instant) -> Option<Event> {
        self.poll(now)
    }
    fn exchange(&self) -> Exchange {
        *self.exchange()
    }
}

/// [`Dcf`] with a place for one packet per node.
struct Driver {
    dcf: Dcf,
    cell: Slots,
}

struct Slots {
    modes: PhyModes,
    associations: Associations,
    waiting: Vec<Option<Frame>>,
    /// Whether the MAC of each node has a packet, whose id is that of the node.
    busy: Vec<bool>,
    done: VecDeque<(u32, TxStatus)>,
    losses: Vec<Option<LinkLoss>>,
    /// When the last frame ended that the losses of each link were asked about, down and up.
    asked: Vec<[Instant; 2]>,
    backlog: Backlog,
    /// Beacons that the MAC has, whose ids follow those of nodes.
    beacons: u32,
    attempts: Vec<Attempted>,
}

impl CellContext for Slots {
    fn backlog(&self, _queue: TxQueueId) -> &Backlog {
        &self.backlog
    }
    fn wake_at(&self) -> Instant {
        Instant::NEVER
    }
    fn next_queue(
        &mut self,
        _now: Instant,
        node: NodeId,
        _category: AccessCategory,
        _holds: impl Fn(TxQueueId) -> bool,
        _next: impl Fn(TxQueueId) -> NextPpdu,
    ) -> Option<TxQueueId> {
        Some(TxQueueId(node.0))
    }
    fn take(&mut self, _now: Instant, queue: TxQueueId, _max_bytes: u32) -> Option<Taken> {
        let Frame { to, bytes } = self.waiting[queue.0 as usize].take()?;
        self.busy[queue.0 as usize] = true;
        let (packet, to) = (PacketId(queue.0), NodeId(to));
        let link = self.associations.link(NodeId(queue.0), to);
        Some(Taken { packet, to, link, bytes })
    }
    fn enqueued_at(&self, _packet: PacketId) -> Instant {
        Instant::ZERO
    }
    fn release(&mut self, _now: Instant, packet: PacketId, status: TxStatus) {
        if packet == self.beacon() {
            self.beacons -= 1;
            return;
        }
        self.busy[packet.0 as usize] = false;
        self.done.push_back((packet.0, status));
    }
    fn on_air(&mut self, event: AirEvent) {
        let AirEvent::Outcome(attempt) = event else { return };
        let Attempt { at, packet, from, station, backoff, airtime, outcome, .. } = attempt;
        let delivered = outcome == Outcome::Delivered;
        let held = if station == NodeId::BROADCAST { self.beacon() } else { PacketId(from.0) };
        assert_eq!(packet, held, "its packet is not yet released");
        let (from, station) = (from.0, station.0);
        self.attempts.push(Attempted { at, from, station, backoff, airtime, delivered });
    }
    fn no_loss_before(&self, station: NodeId) -> Instant {
        let loss = self.losses[station.index()].as_ref();
        loss.map_or(Instant::NEVER, |loss| loss.no_loss_before(Level::Mac))
    }
    fn is_corrupted(&mut self, transmission: &Transmission) -> bool {
        let Transmission { at, station, direction, kind, mode, bytes } = *transmission;
        let last = &mut self.asked[station.index()][usize::from(direction == Direction::Up)];
        assert!(*last < at, "frames of a link and direction are in order of time");
        *last = at;
        let model = self.losses[station.index()].as_mut();
        let frame = loss::Frame { kind, rate: self.modes.rate(mode), bytes };
        model.is_some_and(|model| model.lose(Level::Mac, direction, at, frame))
    }
}

impl Slots {
    fn beacon(&self) -> PacketId {
        PacketId(self.busy.len() as u32)
    }
}

impl Driver {
    /// The present, or last, exchange. Of an exchange that is over the time at which it began is right.
    fn last_exchange(&self) -> Option<Exchange> {
        Exchange::of(&self.dcf.transmissions(Instant::ZERO, |_| 0), &self.dcf.setup().modes)
    }
}

impl UnderTest for Driver {
    fn build(config: DcfConfig, rates: &[Rate], seed: u64) -> Self {
        let nodes = rates.len();
        let station = |&rate: &Rate| {
            let fixed = StationConfig::fixed(&config.phy, rate);
            let phy = if DSSS_RATES.contains(&rate) { PhyKind::Dot11b } else { config.phy.kind };
            StationConfig { phy, ..fixed }
        };
        let stations: Vec<_> = rates.iter().map(station).collect();
        let dcf = Dcf::new(config, &stations, seed);
        let cell = Slots {
            modes: dcf.setup().modes.clone(),
            associations: dcf.setup().associations.clone(),
            waiting: vec![None; nodes],
            busy: vec![false; nodes],
            done: VecDeque::new(),
            losses: (0..nodes).map(|_| None).collect(),
            asked: vec![[Instant::ZERO; 2]; nodes],
            backlog: Backlog::new(QueueLimit::Packets(1)),
            beacons: 0,
            attempts: Vec::new(),
        };
        Self { dcf, cell }
    }
    fn set_errors(&mut self, seed: u64, station: u32, rate: f64, scope: &ScopeConfig) {
        if rate > 0.0 {
            let scope = scope.clone();
            let config = IndependentConfig { loss: LossRateConfig { rate }, scope }.into();
            let loss = LinkLoss::new(&config, seed, StreamId::FrameErrors, station);
            self.cell.losses[station as usize] = Some(loss);
        }
    }
    fn is_free(&self, station: u32) -> bool {
        !self.cell.busy[station as usize] && self.cell.waiting[station as usize].is_none()
    }
    fn usage(&self, now: Instant, station: u32) -> AirUsage {
        self.dcf.usage(now, NodeId(station))
    }
    fn traffic_airtime(&self, now: Instant, station: u32) -> Duration {
        self.dcf.traffic_airtime(now, NodeId(station))
    }
    fn offer(&mut self, now: Instant, station: u32, frame: Frame) {
        self.cell.waiting[station as usize] = Some(frame);
        let queue = TxQueueId(station);
        self.dcf.wake(now, queue, None, &mut self.cell);
        let goes_first = station == AP && self.cell.beacons > 0;
        let taken = self.cell.busy[station as usize];
        assert!(taken || goes_first, "a free MAC takes what it is offered");
    }
    fn broadcast(&mut self, now: Instant, bytes: u32) {
        let (packet, to) = (self.cell.beacon(), NodeId::BROADCAST);
        self.cell.beacons += 1;
        let beacon = Taken { packet, to, link: LinkId::BROADCAST, bytes };
        self.dcf.broadcast(now, NodeId(AP), beacon, &mut self.cell);
    }
    fn decoded(&self) -> Vec<bool> {
        (0..self.cell.busy.len() as u32).map(|node| self.dcf.decoded(NodeId(node))).collect()
    }
    fn watch(&mut self) {
        self.dcf.listen(Listening::Everything);
    }
    fn attempts(&self) -> &[Attempted] {
        &self.cell.attempts
    }
    fn poll_at(&self) -> Instant {
        if self.cell.done.is_empty() { self.dcf.poll_at() } else { Instant::ZERO }
    }
    fn poll(&mut self, now: Instant) -> Option<Event> {
        if self.cell.done.is_empty() {
            let limit = now + Duration::from_nanos(1);
            if let Some(reception) = self.dcf.poll(limit, &mut self.cell) {
                assert_eq!(reception.at, now);
                return Some(Event::Received { from: reception.from.0, to: reception.to.0 });
            }
        }
        let (station, outcome) = self.cell.done.pop_front()?;
        Some(Event::Done { station, outcome })
    }
    fn exchange(&self) -> Exchange {
        self.last_exchange().expect("there was one")
    }
}

/// A packet that comes to a station's queue, which has no limit; or a beacon, to [`BROADCAST`].
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Instant,
    from: u32,
    to: u32,
    bytes: u32,
}

/// A cell and everything that is sent in it.
#[derive(Clone, Debug)]
struct Case {
    config: DcfConfig,
    seed: u64,
    rates: Vec<Rate>,
    error_rates: Vec<f64>,
    /// The frames that may be lost.
    scope: ScopeConfig,
    /// In order of time.
    arrivals: Vec<Arrival>,
    until: Instant,
    /// Whether attempts are reported.
    watched: bool,
}

/// What can be seen of a DCF from outside.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Access {
        at: Instant,
        transmitters: Vec<u32>,
        collision: bool,
    },
    Received {
        at: Instant,
        link: (u32, u32),
        packet: u64,
        times: [Instant; 3],
        rts: bool,
        acknowledged: bool,
        retries: u32,
    },
    Beacon {
        at: Instant,
        start: Instant,
        decoded: Vec<bool>,
    },
    Done {
        at: Instant,
        station: u32,
        packet: u64,
        outcome: TxStatus,
    },
}

/// Everything that happens in `case`, and the counters at the end.
fn observe<D: UnderTest>(case: &Case) -> (Vec<Seen>, Vec<AirUsage>) {
    let (seen, counters, _) = observe_with::<D>(case, |_, _| {});
    (seen, counters)
}

/// As [`observe`]. An arrival goes before whatever else is due at the same time. `before` is called
/// with the time of each event before it.
fn observe_with<D: UnderTest>(
    case: &Case,
    mut before: impl FnMut(&D, Instant),
) -> (Vec<Seen>, Vec<AirUsage>, Vec<Attempted>) {
    let mut dcf = D::build(case.config, &case.rates, case.seed);
    for (&rate, station) in case.error_rates.iter().zip(0..) {
        dcf.set_errors(case.seed, station, rate, &case.scope);
    }
    if case.watched {
        dcf.watch();
    }
    let stations = case.rates.len() as u32;
    let mut queues = vec![VecDeque::new(); case.rates.len()];
    let mut sending = vec![0; case.rates.len()];
    let mut arrivals = case.arrivals.iter().zip(0u64..).peekable();
    let mut counters = vec![AirUsage::default(); case.rates.len()];
    let (mut seen, mut now) = (Vec::new(), Instant::ZERO);
    loop {
        let due = dcf.poll_at();
        let next = arrivals.peek().map_or(Instant::NEVER, |(arrival, _)| arrival.at);
        before(&dcf, next.min(due.max(now)).min(case.until));
        if let Some((arrival, seq)) = arrivals.next_if(|(arrival, _)| arrival.at <= due.max(now)) {
            now = arrival.at;
            let frame = Frame { to: arrival.to, bytes: arrival.bytes };
            if arrival.to == BROADCAST {
                dcf.broadcast(now, arrival.bytes);
            } else if dcf.is_free(arrival.from) {
                sending[arrival.from as usize] = seq;
                dcf.offer(now, arrival.from, frame);
            } else {
                queues[arrival.from as usize].push_back((seq, frame));
            }
            continue;
        }
        now = now.max(due);
        if now > case.until {
            break;
        }
        let event = dcf.poll(now);
        let mut transmitters = Vec::new();
        let mut collision = false;
        for (old, station) in counters.iter_mut().zip(0..stations) {
            let new = dcf.usage(now, station);
            if new.attempts > old.attempts {
                transmitters.push(station);
                collision |= new.collisions > old.collisions;
            }
            *old = new;
        }
        if !transmitters.is_empty() {
            // A beacon is no attempt with data.
            let with_beacon = collision && case.has_beacons();
            assert_eq!(collision, transmitters.len() > 1 || with_beacon);
            seen.push(Seen::Access { at: now, transmitters, collision });
        }
        match event {
            Some(Event::Received { to: BROADCAST, .. }) => {
                let (start, decoded) = (dcf.exchange().start, dcf.decoded());
                seen.push(Seen::Beacon { at: now, start, decoded });
            }
            Some(Event::Received { from, to }) => {
                let exchange = dcf.exchange();
                let times = [exchange.start, exchange.data_start, exchange.data_end];
                let &Exchange { rts, acknowledged, retries, .. } = &exchange;
                let (packet, link) = (sending[from as usize], (from, to));
                let at = now;
                seen.push(Seen::Received { at, link, packet, times, rts, acknowledged, retries });
            }
            Some(Event::Done { station, outcome }) => {
                let packet = sending[station as usize];
                seen.push(Seen::Done { at: now, station, packet, outcome });
                if let Some((seq, next)) = queues[station as usize].pop_front() {
                    sending[station as usize] = seq;
                    dcf.offer(now, station, next);
                }
            }
            None => {}
        }
    }
    // The order in which frames that are dropped at the same time are reported means nothing.
    let finished_at = |s: &Seen| match s {
        Seen::Done { at, .. } => Some(*at),
        _ => None,
    };
    let tie = |a: &Seen, b: &Seen| finished_at(a).is_some() && finished_at(a) == finished_at(b);
    for tie in seen.chunk_by_mut(tie) {
        tie.sort_by_key(|s| match s {
            Seen::Done { station, .. } => *station,
            _ => 0,
        });
    }
    let attempts = dcf.attempts().to_vec();
    (seen, counters, attempts)
}

/// Runs `case` on both; on success the number of (accesses, collisions, drops, lost ACKs).
fn compare(case: &Case) -> Result<[usize; 4], String> {
    let (medium, medium_counters, medium_attempts) = observe_with::<Driver>(case, |_, _| {});
    let (oracle, oracle_counters, oracle_attempts) = observe_with::<Oracle>(case, |_, _| {});
    if let Some(i) = (0..medium.len().max(oracle.len())).find(|&i| medium.get(i) != oracle.get(i)) {
        let before = &medium[i.saturating_sub(6)..i];
        return Err(format!(
            "differ at {i}:\nmedium {:?}\noracle {:?}\nafter {before:?}\n{:?}, error rates {:?} {:?}",
            medium.get(i),
            oracle.get(i),
            case.config,
            case.error_rates,
            case.scope,
        ));
    }
    if medium_counters != oracle_counters {
        return Err(format!("counters differ: {medium_counters:?}\n{oracle_counters:?}"));
    }
    if !case.watched {
        assert!(medium_attempts.is_empty() || case.has_beacons(), "nobody wants to know");
        return Ok(medium_counts(&medium));
    }
    let each = medium_attempts.iter().zip(&oracle_attempts);
    if let Some((got, want)) = each.clone().find(|(got, want)| got != want) {
        return Err(format!("attempts differ: {got:?}\n{want:?}\n{:?}", case.config));
    }
    if medium_attempts.len() != oracle_attempts.len() {
        return Err(format!("{} attempts, {}", medium_attempts.len(), oracle_attempts.len()));
    }
    Ok(medium_counts(&medium))
}

fn medium_counts(seen: &[Seen]) -> [usize; 4] {
    let count = |what: fn(&Seen) -> bool| seen.iter().filter(|s| what(s)).count();
    [
        count(|s| matches!(s, Seen::Access { .. })),
        count(|s| matches!(s, Seen::Access { collision: true, .. })),
        count(|s| matches!(s, Seen::Done { outcome: TxStatus::Dropped, .. })),
        count(|s| matches!(s, Seen::Received { acknowledged: false, .. })),
    ]
}

/// A cell of 802.11b with long preambles at 11 Mb/s, control frames at 2 Mb/s.
fn dot11b_cell(rts: bool, retry_limit: u32) -> DcfConfig {
    DcfConfig {
        phy: Phy::dot11b(LONG_PREAMBLE),
        control_rate: ControlRate::Fixed(Rate::from_mbps(2)),
        protection: Protection::Off,
        rts_threshold: rts.then_some(0),
        mac_overhead: 34,
        immediate_access: false,
        short_retry_limit: retry_limit,
        long_retry_limit: retry_limit,
        station_queues: false,
    }
}

fn mac_errors(frames: LossyFrames, direction: LossDirection) -> ScopeConfig {
    ScopeConfig { level: Level::Mac, frames, direction }
}

fn phys() -> [Phy; 6] {
    let [long, short] = [LONG_PREAMBLE, SHORT_PREAMBLE].map(Phy::dot11b);
    let mixed = Phy::dot11g_with_dot11b();
    [long, short, Phy::dot11b(Duration::from_micros(120)), Phy::dot11a(), Phy::dot11g(), mixed]
}

const PROTECTIONS: [Protection; 3] = [Protection::Off, Protection::CtsToSelf, Protection::RtsCts];

/// The rates that stations of a cell of `phy` can have: in one of 802.11g with 802.11b stations those
/// of both.
pub(super) fn rates_of(phy: &Phy) -> Vec<Rate> {
    let mixed = *phy == Phy::dot11g_with_dot11b();
    let dsss = DSSS_RATES.iter().filter(|_| mixed);
    dsss.chain(phy.rates).copied().collect()
}

fn us(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

fn pick<T: Copy>(rng: &mut RngStream, of: &[T]) -> T {
    of[rng.up_to(of.len() as u32 - 1) as usize]
}

/// One of the three lowest rates, or basic rates by the bits of `some`.
fn any_control_rate(phy: &Phy, fixed: u32, some: u32) -> ControlRate {
    if some.is_multiple_of(2) && *phy != Phy::dot11g_with_dot11b() {
        return ControlRate::Fixed(phy.rates[fixed as usize]);
    }
    let of_phy = rates_of(phy).into_iter().enumerate();
    let rates: Vec<Rate> = of_phy.filter(|(i, _)| some >> i & 2 != 0).map(|(_, r)| r).collect();
    ControlRate::Basic(BasicRates::new(&rates))
}

impl Case {
    fn has_beacons(&self) -> bool {
        self.arrivals.iter().any(|arrival| arrival.to == BROADCAST)
    }

    /// With beacons of `bytes` at `times`, which are in order.
    fn with_beacons(mut self, bytes: u32, times: impl Iterator<Item = Instant>) -> Self {
        let beacon = |at| Arrival { at, from: AP, to: BROADCAST, bytes };
        self.arrivals.extend(times.map(beacon));
        self.arrivals.sort_by_key(|arrival| arrival.at);
        self
    }
}

/// A random cell with random traffic.
fn random_case(seed: u64) -> Case {
    let rng = &mut RngStream::new(seed, StreamId::Traffic, 1 << 32);
    let phy = pick(rng, &phys());
    let stations = 1 + rng.up_to(19);
    let config = DcfConfig {
        phy,
        control_rate: any_control_rate(&phy, rng.up_to(2), rng.up_to(8191)),
        protection: match phy.kind {
            PhyKind::Dot11g => pick(rng, &PROTECTIONS),
            _ => Protection::Off,
        },
        rts_threshold: match rng.up_to(3) {
            0 | 1 => None,
            2 => Some(0),
            _ => Some(100 + rng.up_to(1400)),
        },
        mac_overhead: pick(rng, &[28, 34, 36]),
        immediate_access: rng.bernoulli(0.6),
        short_retry_limit: pick(rng, &[1, 2, 3, 7, 7]),
        long_retry_limit: pick(rng, &[1, 2, 4, 4]),
        station_queues: false,
    };
    // One rate for all makes equal frames, mixed rates make colliding frames of unequal length.
    let possible = rates_of(&phy);
    let common = rng.bernoulli(0.3).then(|| pick(rng, &possible));
    let mut rates: Vec<_> =
        (0..=stations).map(|_| common.unwrap_or_else(|| pick(rng, &possible))).collect();
    // The access point has the PHY of the cell.
    rates[AP as usize] = phy.rates[0];
    let worst = pick(rng, &[0.0, 0.0, 0.1, 0.6]);
    let error_rates = rates.iter().map(|_| worst * rng.uniform() * rng.up_to(1) as f64).collect();
    // Whole microseconds meet slot boundaries exactly, which whole nanoseconds hardly ever do.
    let quantum = pick(rng, &[1, 1_000, 1_000, phy.slot.as_nanos()]);
    let until = Instant::ZERO + Duration::from_millis(400);
    let saturated = rng.bernoulli(0.3);
    let size = pick(rng, &[0, 40, 1500]);
    // Mean frame of some 1 ms on air in all; loads from 2% to 200%.
    let mean = 1e6 * f64::from(stations + 1) / pick(rng, &[0.02, 0.2, 0.5, 0.9, 2.0]);
    let mut arrivals = Vec::new();
    for from in 0..=stations {
        let mut at = 0.0;
        loop {
            at += if saturated { 1e3 } else { rng.exponential(mean) };
            let ns = at as u64 / quantum * quantum;
            if ns >= until.as_nanos() || (saturated && ns >= 300_000) {
                break;
            }
            let to = if from == AP { 1 + rng.up_to(stations - 1) } else { AP };
            let bytes = if size == 0 { 20 + rng.up_to(1480) } else { size };
            arrivals.push(Arrival { at: Instant::from_nanos(ns), from, to, bytes });
        }
    }
    arrivals.sort_by_key(|a| a.at);
    let scope = mac_errors(
        pick(rng, &[LossyFrames::All, LossyFrames::All, LossyFrames::Data]),
        pick(
            rng,
            &[LossDirection::Both, LossDirection::Both, LossDirection::Down, LossDirection::Up],
        ),
    );
    let watched = seed.is_multiple_of(2);
    Case { config, seed, rates, error_rates, scope, arrivals, until, watched }
}

/// The same with beacons, every 0.5 to 20 ms.
fn random_case_with_beacons(seed: u64) -> Case {
    let rng = &mut RngStream::new(seed, StreamId::Traffic, 1 << 33);
    let case = random_case(seed);
    let interval = pick(rng, &[500, 2_000, 5_120, 20_000]) + u64::from(rng.up_to(40));
    let beacon = move |i| Instant::ZERO + Duration::from_micros(interval) * i;
    let count = 400_000 / interval;
    case.with_beacons(pick(rng, &[66, 72, 400]), (0..count).map(beacon))
}

#[test]
fn medium_does_what_the_slot_by_slot_dcf_does_with_beacons() {
    let (mut total, mut failures) = ([0; 4], Vec::new());
    for seed in 0..1000 {
        match compare(&random_case_with_beacons(seed)) {
            Ok(counts) => (0..4).for_each(|i| total[i] += counts[i]),
            Err(message) => failures.push((seed, message)),
        }
    }
    if let Some((seed, message)) = failures.first() {
        panic!("{} of 1000 differ; first {seed}: {message}", failures.len());
    }
    assert!(total[0] > 100_000 && total[1] > 10_000 && total[2] > 5_000, "{total:?}");
}

#[test]
fn medium_does_what_the_slot_by_slot_dcf_does() {
    let (mut total, mut failures) = ([0; 4], Vec::new());
    for seed in 0..1000 {
        match compare(&random_case(seed)) {
            Ok(counts) => (0..4).for_each(|i| total[i] += counts[i]),
            Err(message) => failures.push((seed, message)),
        }
    }
    if let Some((seed, message)) = failures.first() {
        let seeds: Vec<_> = failures.iter().map(|(seed, _)| seed).collect();
        panic!("{} of 1000 differ: {seeds:?}; first {seed}: {message}", failures.len());
    }
    eprintln!("accesses, collisions, drops, lost ACKs: {total:?}");
    assert!(total[0] > 100_000 && total[1] > 10_000 && total[2] > 5_000, "{total:?}");
    assert!(total[3] > 2_000, "{total:?}");
}

/// The counters agree with the events, and every attempt but one that still goes on was delivered,
/// collided or was in error.
#[test]
fn counters_add_up() {
    for seed in 0..200 {
        let case = random_case(seed);
        let (seen, counters) = observe::<Driver>(&case);
        let mut expected = vec![AirUsage::default(); counters.len()];
        let mut last = vec![None; counters.len()];
        let mut errors = vec![0; counters.len()];
        for (i, s) in seen.iter().enumerate() {
            match s {
                Seen::Access { transmitters, collision, .. } => {
                    for &station in transmitters {
                        expected[station as usize].attempts += 1;
                        expected[station as usize].collisions += u64::from(*collision);
                    }
                    // A lone attempt that is over without a delivery was in error.
                    let mut rest =
                        seen[i + 1..].iter().filter(|s| !matches!(s, Seen::Received { .. }));
                    let delivered = TxStatus::Delivered;
                    let failed = rest.next().is_some_and(
                        |s| !matches!(s, Seen::Done { outcome, .. } if *outcome == delivered),
                    );
                    errors[transmitters[0] as usize] += u64::from(!collision && failed);
                }
                Seen::Received { link: (from, _), packet, .. } => {
                    assert!(last[*from as usize] < Some(*packet), "frames leave in order");
                }
                Seen::Beacon { .. } => {}
                Seen::Done { station, outcome, packet, .. } => {
                    let station = *station as usize;
                    match outcome {
                        TxStatus::Delivered => expected[station].delivered += 1,
                        TxStatus::Dropped => expected[station].dropped += 1,
                    }
                    assert!(
                        last[station].replace(*packet) < Some(*packet),
                        "frames leave in order"
                    );
                }
            }
        }
        let in_flight = match seen.last() {
            Some(Seen::Access { transmitters, .. }) => Some(transmitters[0]),
            Some(Seen::Received { link: (from, _), .. }) => Some(*from),
            _ => None,
        };
        for (station, (got, want)) in counters.iter().zip(&expected).enumerate() {
            let open = u64::from(in_flight == Some(station as u32));
            let pairs = [
                (got.attempts, want.attempts),
                (got.collisions, want.collisions),
                (got.delivered, want.delivered),
                (got.dropped, want.dropped),
            ];
            assert!(pairs.iter().all(|(got, want)| got == want), "{seed}: {got:?}, {want:?}");
            let ended = got.collisions + got.delivered + errors[station];
            assert!(ended <= got.attempts && got.attempts <= ended + open, "{seed}: {got:?}");
            let always = case.config.protection == Protection::RtsCts;
            match case.config.rts_threshold {
                _ if always => assert!(got.data_frames >= got.delivered),
                None => assert_eq!(got.data_frames, got.attempts),
                Some(0) if case.scope.frames == LossyFrames::Data => {
                    assert_eq!(got.data_frames, got.attempts - got.collisions);
                }
                Some(_) => assert!(got.data_frames >= got.delivered),
            }
        }
    }
}

prop_compose! {
    /// Few frames at any times, for a small counterexample.
    fn any_case()(
        phy in 0usize..6,
        protection in 0usize..3,
        control in (0u32..3, 0u32..8192),
        rts_threshold in prop_oneof![Just(None), Just(Some(0)), (50u32..1500).prop_map(Some)],
        mac_overhead in 28u32..=36,
        immediate_access: bool,
        short_retry_limit in 1u32..=7,
        long_retry_limit in 1u32..=4,
        seed: u64,
        links in prop::collection::vec((0usize..12, prop_oneof![Just(0.0), 0.0..0.9]), 2..8),
        gaps in prop::collection::vec(
            (prop_oneof![Just(0u64), 0u64..30, 0u64..3000], any::<u32>(), 1u32..1500),
            1..80,
        ),
        unit in prop_oneof![Just(1_000u64), 900u64..1100],
        frames in prop_oneof![Just(LossyFrames::All), Just(LossyFrames::Data)],
        direction in prop_oneof![
            Just(LossDirection::Both), Just(LossDirection::Down), Just(LossDirection::Up),
        ],
        beacons in (prop_oneof![Just(0u64), 200u64..5_000], 20u32..400),
        watched: bool,
    ) -> Case {
        let phy = phys()[phy];
        let config = DcfConfig {
            phy,
            control_rate: any_control_rate(&phy, control.0, control.1),
            protection: match phy.kind {
                PhyKind::Dot11g => PROTECTIONS[protection],
                _ => Protection::Off,
            },
            rts_threshold,
            mac_overhead,
            immediate_access,
            short_retry_limit,
            long_retry_limit,
            station_queues: false,
        };
        let stations = links.len() as u32;
        let mut at = Instant::ZERO;
        let arrivals = gaps.iter().map(|&(gap, pair, bytes)| {
            at += Duration::from_nanos(gap * unit);
            let from = pair % stations;
            let to = if from == AP { 1 + (pair / stations) % (stations - 1) } else { AP };
            Arrival { at, from, to, bytes }
        });
        let possible = rates_of(&phy);
        let mut rates: Vec<_> =
            links.iter().map(|&(rate, _)| possible[rate % possible.len()]).collect();
        rates[AP as usize] = phy.rates[0];
        Case {
            config,
            seed,
            rates,
            error_rates: links.iter().map(|&(_, error_rate)| error_rate).collect(),
            scope: mac_errors(frames, direction),
            arrivals: arrivals.collect(),
            until: Instant::ZERO + Duration::from_millis(1_500),
            watched,
        }
        .with_beacons(beacons.1, (1..100).map(|i| us(i * beacons.0)).filter(|_| beacons.0 > 0))
    }
}

proptest! {
    #![proptest_config(evenair_testing::config!(200))]

    #[test]
    fn medium_does_what_the_slot_by_slot_dcf_does_in_any_case(case in any_case()) {
        compare(&case).map_err(TestCaseError::fail)?;
    }
}

proptest! {
    #![proptest_config(evenair_testing::config!(1000))]

    #[test]
    #[ignore = "long"]
    fn medium_does_what_the_slot_by_slot_dcf_does_in_a_thousand_cases(case in any_case()) {
        compare(&case).map_err(TestCaseError::fail)?;
    }
}
