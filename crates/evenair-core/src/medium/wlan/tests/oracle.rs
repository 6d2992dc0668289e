//! A simple DCF to test [`Dcf`] against: one integer backoff counter per station, decremented
//! slot by slot, and a time from which the station may act.
//!
//! Written from the rules in the documentation of `dcf/mod.rs` and `contention/mod.rs`, not
//! from their code. It makes the same draws in the same order per station.

use std::collections::VecDeque;

use super::{AP, Attempted, BROADCAST, Event, Exchange, Frame, rates_of};
use crate::loss::{LossDirection, LossyFrames, ScopeConfig};
use crate::medium::wlan::phy::{DSSS_RATES, PhyKind};
use crate::medium::wlan::{ControlFrames, ControlRate, DcfConfig, Protection};
use crate::medium::{AirUsage, Airtime, TxStatus};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

#[derive(Debug)]
struct Station {
    rate: Rate,
    error_rate: f64,
    scope: ScopeConfig,
    frame: Option<Frame>,
    /// Slots still to count, of a backoff or a post-backoff; `None` when there is none to count.
    counter: Option<u32>,
    /// It neither counts nor sends at boundaries before this moment: the end of DIFS, EIFS or
    /// response timeout, or the arrival of its frame.
    ready_from: Instant,
    /// The counter of 0 stands for an immediate access, not for a backoff.
    immediate: bool,
    /// Its frame has been received, but not acknowledged.
    received: bool,
    cw: u32,
    cw_min: u32,
    short_retries: u32,
    long_retries: u32,
    /// Slots drawn for the next or present attempt.
    drawn: u32,
    backoff: RngStream,
    /// Down and up.
    errors: [RngStream; 2],
    usage: AirUsage,
    /// Its last attempt, which `usage` does not contain.
    attempt: Option<Used>,
    /// Airtime of its traffic without `traffic`, the last attempts of it or for it.
    traffic_before: Duration,
    traffic: Option<Used>,
}

/// A time in which the air was used, or will have been.
#[derive(Clone, Copy, Debug)]
struct Used {
    start: Instant,
    end: Instant,
    usage: Usage,
}

#[derive(Clone, Copy, Debug)]
enum Usage {
    /// With an IP packet from the first of these times to the second.
    Success(Instant, Instant),
    Collision,
    Corrupted,
}

impl Used {
    fn by(self, now: Instant) -> Duration {
        self.end.min(now).since(self.start)
    }

    fn add_to(self, airtime: &mut Airtime, now: Instant) {
        if let Usage::Success(from, to) = self.usage {
            airtime.payload += to.min(now).since(from);
        }
        *match self.usage {
            Usage::Success(..) => &mut airtime.successes,
            Usage::Collision => &mut airtime.collisions,
            Usage::Corrupted => &mut airtime.corrupted,
        } += self.by(now);
    }
}

#[derive(Debug)]
enum Air {
    /// Idle; this slot boundary has not been looked at yet.
    Idle { boundary: Instant },
    /// `sender` has the air, and its data frame will be received.
    Data { sender: u32, exchange: Exchange },
    /// `sender`'s data is being acknowledged.
    Ack { sender: u32, end: Instant },
    /// A beacon alone.
    Beacon { exchange: Exchange },
    /// Frames in vain: each sender, when its own frame ends, and its response timeout. `beacon`: that of
    /// the AP is one.
    Vain { senders: Vec<(u32, Instant, Duration)>, end: Instant, counts_for: Limit, beacon: bool },
    /// The CTS or ACK for `sender` cannot be decoded.
    VainAnswer { sender: u32, end: Instant, counts_for: Limit },
}

/// How long the senders of colliding frames wait before they count a backoff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AfterCollision {
    /// A response timeout from the end of the own frame, and at least DIFS from that of the longest.
    Standard,
    /// EIFS from the end of the longest frame, like those that heard it.
    Eifs,
    /// As in ns-2: EIFS and DIFS from the end of the longest frame; its sender SIFS, the time of an
    /// ACK, 4 us and DIFS. For collisions of frames of unequal length.
    Ns2,
}

/// The retry limit for which a failure counts.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Short,
    Long,
}

/// The slot-by-slot DCF. A node is offered a packet when it
/// has none; it is to be polled at every slot boundary.
#[derive(Debug)]
pub(super) struct Oracle {
    config: DcfConfig,
    stations: Vec<Station>,
    air: Air,
    events: VecDeque<Event>,
    /// The last exchange whose data were received.
    last: Option<Exchange>,
    /// Bytes of a beacon that waits.
    beacon: Option<u32>,
    pub(super) after_collision: AfterCollision,
    /// Which stations decoded the last beacon.
    decoded: Vec<bool>,
    /// When the present attempt began.
    began: Instant,
    attempts: Vec<Attempted>,
}

impl Oracle {
    pub(super) fn new(config: DcfConfig, rates: &[Rate], seed: u64) -> Self {
        let station = |(index, &rate): (usize, &Rate)| Station {
            rate,
            error_rate: 0.0,
            scope: ScopeConfig::default(),
            frame: None,
            counter: None,
            ready_from: Instant::ZERO + config.phy.difs(),
            immediate: false,
            received: false,
            cw: cw_min(&config, rate),
            cw_min: cw_min(&config, rate),
            short_retries: 0,
            long_retries: 0,
            drawn: 0,
            backoff: RngStream::new(seed, StreamId::Backoff, index as u64),
            errors: [0, 1]
                .map(|way| RngStream::new(seed, StreamId::FrameErrors, 2 * index as u64 + way)),
            usage: AirUsage::default(),
            attempt: None,
            traffic_before: Duration::ZERO,
            traffic: None,
        };
        Self {
            config,
            stations: rates.iter().enumerate().map(station).collect(),
            air: Air::Idle { boundary: Instant::ZERO + config.phy.difs() },
            events: VecDeque::new(),
            last: None,
            beacon: None,
            after_collision: AfterCollision::Standard,
            decoded: vec![false; rates.len()],
            began: Instant::ZERO,
            attempts: Vec::new(),
        }
    }

    pub(super) fn attempts(&self) -> &[Attempted] {
        &self.attempts
    }

    pub(super) fn decoded(&self) -> Vec<bool> {
        self.decoded.clone()
    }

    pub(super) fn set_errors(&mut self, station: u32, rate: f64, scope: &ScopeConfig) {
        self.stations[station as usize].error_rate = rate;
        self.stations[station as usize].scope = scope.clone();
    }

    pub(super) fn is_free(&self, station: u32) -> bool {
        self.stations[station as usize].frame.is_none()
    }

    pub(super) fn usage(&self, now: Instant, station: u32) -> AirUsage {
        let station = &self.stations[station as usize];
        let mut usage = station.usage;
        station.attempt.iter().for_each(|used| used.add_to(&mut usage.airtime, now));
        usage
    }

    /// Airtime of the traffic from and to `station`.
    pub(super) fn traffic_airtime(&self, now: Instant, station: u32) -> Duration {
        let station = &self.stations[station as usize];
        station.traffic_before + station.traffic.map_or(Duration::ZERO, |used| used.by(now))
    }

    /// `sender` and its receiver use the air.
    fn uses(&mut self, sender: u32, start: Instant, end: Instant, usage: Usage) {
        let receiver = self.stations[sender as usize].frame.unwrap().to;
        self.is_used(&[sender, receiver], start, end, usage);
    }

    /// The first of `nodes` transmits, the other receives.
    fn is_used(&mut self, nodes: &[u32], start: Instant, end: Instant, usage: Usage) {
        let (sender, used) = (nodes[0], Used { start, end, usage });
        for &index in nodes {
            let station = self.station(index);
            match &mut station.traffic {
                Some(last) if last.start == start => last.end = last.end.max(end),
                last => {
                    let before = last.replace(used).map_or(Duration::ZERO, |old| old.by(start));
                    station.traffic_before += before;
                }
            }
        }
        let station = self.station(sender);
        if let Some(last) = station.attempt.replace(used) {
            last.add_to(&mut station.usage.airtime, start);
        }
    }

    pub(super) fn offer(&mut self, now: Instant, index: u32, frame: Frame) {
        let waits = self.seeks_access(index);
        self.stations[index as usize].frame = Some(frame);
        if !waits {
            self.seek_access(now, index);
        }
    }

    /// The AP's next frame is a beacon. It replaces one that waits.
    pub(super) fn broadcast(&mut self, now: Instant, bytes: u32) {
        let waits = self.seeks_access(AP);
        self.beacon = Some(bytes);
        if !waits {
            self.seek_access(now, AP);
        }
    }

    /// Whether the station sends, or waits until it can.
    fn seeks_access(&self, index: u32) -> bool {
        let sends_beacon = matches!(self.air, Air::Beacon { .. } | Air::Vain { beacon: true, .. });
        self.has_frame(index) || (index == AP && sends_beacon)
    }

    fn has_frame(&self, index: u32) -> bool {
        self.stations[index as usize].frame.is_some() || (index == AP && self.beacon.is_some())
    }

    fn seek_access(&mut self, now: Instant, index: u32) {
        let difs = self.config.phy.difs();
        let station = &mut self.stations[index as usize];
        if station.counter.is_some() {
            return; // The rest of its post-backoff is its backoff.
        }
        if !matches!(self.air, Air::Idle { .. }) {
            station.draw();
        } else if self.config.immediate_access {
            station.counter = Some(0);
            station.drawn = 0;
            station.immediate = true;
            station.ready_from = station.ready_from.max(now);
        } else {
            station.draw();
            station.ready_from = station.ready_from.max(now + difs);
        }
    }

    pub(super) fn poll_at(&self) -> Instant {
        if !self.events.is_empty() {
            return Instant::ZERO;
        }
        match &self.air {
            Air::Idle { boundary } => *boundary,
            Air::Data { exchange, .. } | Air::Beacon { exchange } => exchange.data_end,
            Air::Ack { end, .. } | Air::Vain { end, .. } | Air::VainAnswer { end, .. } => *end,
        }
    }

    pub(super) fn exchange(&self) -> &Exchange {
        self.last.as_ref().unwrap()
    }

    pub(super) fn poll(&mut self, now: Instant) -> Option<Event> {
        if self.events.is_empty() {
            let phy = self.config.phy;
            let idle = Air::Idle { boundary: now + phy.difs() };
            match std::mem::replace(&mut self.air, idle) {
                Air::Idle { .. } => self.boundary(now),
                Air::Data { sender, exchange } => {
                    self.last = Some(exchange);
                    let to = self.stations[sender as usize].frame.unwrap().to;
                    self.events.push_back(Event::Received { from: sender, to });
                    let end = exchange.ack_end;
                    self.air = if exchange.acknowledged {
                        Air::Ack { sender, end }
                    } else {
                        let counts_for = if exchange.rts { Limit::Long } else { Limit::Short };
                        Air::VainAnswer { sender, end, counts_for }
                    };
                }
                Air::Beacon { exchange } => {
                    self.last = Some(exchange);
                    self.events.push_back(Event::Received { from: AP, to: BROADCAST });
                    for station in &mut self.stations {
                        station.ready_from = now + phy.difs();
                    }
                    self.end_beacon(now, true);
                }
                Air::Ack { sender, .. } => {
                    self.attempted(now, sender, now.since(self.began), true);
                    for station in &mut self.stations {
                        station.ready_from = now + phy.difs();
                    }
                    self.finish(sender, TxStatus::Delivered);
                }
                Air::VainAnswer { sender, counts_for, .. } => {
                    for station in &mut self.stations {
                        station.ready_from = now + phy.eifs();
                    }
                    self.attempted(now, sender, now.since(self.began), false);
                    let answering = self.stations[sender as usize].frame.unwrap().to;
                    self.stations[answering as usize].ready_from = now + phy.difs();
                    self.retry(sender, counts_for);
                }
                Air::Vain { senders, counts_for, beacon, .. } => {
                    for station in &mut self.stations {
                        station.ready_from = now + phy.eifs();
                    }
                    for &(index, own_end, timeout) in &senders {
                        if beacon && index == AP {
                            self.stations[AP as usize].ready_from = now + phy.difs();
                            self.end_beacon(own_end, false);
                            self.attempts.last_mut().unwrap().at = now;
                            continue;
                        }
                        let spent = own_end.since(self.began) + timeout;
                        self.attempted(now, index, spent, false);
                        let timeout = own_end + timeout;
                        let ack = self.control(index).ack;
                        self.stations[index as usize].ready_from = match self.after_collision {
                            AfterCollision::Standard => timeout.max(now + phy.difs()),
                            AfterCollision::Eifs => now + phy.eifs(),
                            AfterCollision::Ns2 if own_end < now => now + phy.eifs() + phy.difs(),
                            AfterCollision::Ns2 => {
                                now + phy.sifs + ack + Duration::from_micros(4) + phy.difs()
                            }
                        };
                        self.retry(index, counts_for);
                    }
                }
            }
        }
        self.events.pop_front()
    }

    /// The beacon of the AP has ended at `end`.
    fn end_beacon(&mut self, end: Instant, delivered: bool) {
        let airtime = end.since(self.began);
        let (from, station) = (AP, BROADCAST);
        let ap = &mut self.stations[AP as usize];
        let backoff = self.config.phy.slot * u64::from(ap.drawn);
        self.attempts.push(Attempted { at: end, from, station, backoff, airtime, delivered });
        ap.cw = self.config.phy.cw_min;
        ap.draw();
    }

    fn attempted(&mut self, at: Instant, sender: u32, airtime: Duration, delivered: bool) {
        let station = self.end_of_link(sender);
        let backoff = self.config.phy.slot * u64::from(self.stations[sender as usize].drawn);
        let from = sender;
        self.attempts.push(Attempted { at, from, station, backoff, airtime, delivered });
    }

    /// A slot boundary of an idle medium: somebody sends, or an idle slot begins.
    fn boundary(&mut self, now: Instant) {
        let mut senders = Vec::new();
        let has_frame: Vec<_> =
            (0..).take(self.stations.len()).map(|i| self.has_frame(i)).collect();
        for (station, index) in self.stations.iter_mut().zip(0..) {
            if station.counter == Some(0) && station.ready_from <= now {
                station.counter = None; // A post-backoff is over; a backoff leads to:
                if has_frame[index as usize] {
                    station.immediate = false;
                    senders.push(index);
                }
            }
        }
        if senders.is_empty() {
            for station in &mut self.stations {
                if station.ready_from <= now {
                    station.counter = station.counter.map(|slots| slots - 1);
                }
            }
            self.air = Air::Idle { boundary: now + self.config.phy.slot };
            return;
        }
        for station in &mut self.stations {
            if station.immediate {
                station.immediate = false;
                station.draw();
            }
        }
        self.began = now;
        self.air = match senders[..] {
            [AP] if self.beacon.is_some() => self.send_beacon(now),
            [sender] => self.send_alone(now, sender),
            _ => self.collide(now, &senders),
        };
    }

    fn beacon_time(&self, bytes: u32) -> (Duration, Rate) {
        let phy = &self.config.phy;
        let rate = match self.config.control_rate {
            ControlRate::Fixed(rate) => rate,
            basic => {
                let possible = rates_of(phy).into_iter().filter(|rate| basic.is_basic(*rate));
                possible.min().unwrap_or(phy.mandatory_rates[0])
            }
        };
        (phy.airtime(bytes, &phy.mode_of(rate)), rate)
    }

    fn send_beacon(&mut self, start: Instant) -> Air {
        let (airtime, rate) = self.beacon_time(self.beacon.unwrap());
        self.beacon = None;
        let end = start + airtime;
        self.is_used(&[AP], start, end, Usage::Success(end, end));
        for (station, decoded) in self.stations.iter_mut().zip(&mut self.decoded).skip(1) {
            let scope = &station.scope;
            let spared = station.error_rate == 0.0
                || scope.direction == LossDirection::Up
                || scope.frames == LossyFrames::Data;
            *decoded = spared || !station.errors[0].bernoulli(station.error_rate);
        }
        let (data_start, data_end, ack_end) = (start, end, end);
        let (rts, acknowledged, retries) = (false, true, 0);
        let exchange =
            Exchange { start, data_start, data_end, ack_end, rate, rts, acknowledged, retries };
        Air::Beacon { exchange }
    }

    fn send_alone(&mut self, now: Instant, sender: u32) -> Air {
        let phy = self.config.phy;
        let control = self.control(sender);
        let rts = self.needs_rts(sender);
        self.station(sender).usage.attempts += 1;
        let mut data_start = now;
        if self.has_cts_to_self(sender) {
            data_start = now + control.cts + phy.sifs;
        }
        if rts {
            let rts_end = now + control.rts;
            if self.loses(sender, false, true) {
                self.uses(sender, now, rts_end, Usage::Corrupted);
                let senders = vec![(sender, rts_end, self.timeout(control.rts_mode.rate))];
                let counts_for = Limit::Short;
                return Air::Vain { senders, end: rts_end, counts_for, beacon: false };
            }
            let cts_end = rts_end + phy.sifs + control.cts;
            if self.loses(sender, true, true) {
                self.uses(sender, now, cts_end, Usage::Corrupted);
                return Air::VainAnswer { sender, end: cts_end, counts_for: Limit::Short };
            }
            self.station(sender).short_retries = 0;
            data_start = cts_end + phy.sifs;
        }
        let counts_for = if rts { Limit::Long } else { Limit::Short };
        let data_end = data_start + self.data_time(sender);
        self.station(sender).usage.data_frames += 1;
        if self.loses(sender, false, false) {
            self.uses(sender, now, data_end, Usage::Corrupted);
            let rate = self.stations[self.end_of_link(sender) as usize].rate;
            let senders = vec![(sender, data_end, self.timeout(rate))];
            return Air::Vain { senders, end: data_end, counts_for, beacon: false };
        }
        let end = data_end + phy.sifs + control.ack;
        let acknowledged = !self.loses(sender, true, true);
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        let payload = rate.time_for((self.frame_bytes(sender) - self.config.mac_overhead).into());
        let payload_start = data_start + self.data_time(sender).saturating_sub(payload);
        let usage =
            if acknowledged { Usage::Success(payload_start, data_end) } else { Usage::Corrupted };
        self.uses(sender, now, end, usage);
        let station = self.station(sender);
        if std::mem::replace(&mut station.received, true) {
            return match acknowledged {
                true => Air::Ack { sender, end },
                false => Air::VainAnswer { sender, end, counts_for },
            };
        }
        let retries = if rts { station.long_retries } else { station.short_retries };
        let (start, ack_end) = (now, end);
        let exchange =
            Exchange { start, data_start, data_end, ack_end, rate, rts, acknowledged, retries };
        Air::Data { sender, exchange }
    }

    /// Whether a frame in an exchange of `sender` is lost: its own or an `answer`, and a `control` frame
    /// or data.
    fn loses(&mut self, sender: u32, answer: bool, control: bool) -> bool {
        let up = (sender != AP) != answer;
        let end_of_link = self.end_of_link(sender);
        let link = self.station(end_of_link);
        let spared = match link.scope.direction {
            LossDirection::Both => false,
            LossDirection::Down => up,
            LossDirection::Up => !up,
        };
        if link.error_rate == 0.0 || spared || (control && link.scope.frames == LossyFrames::Data) {
            return false;
        }
        link.errors[usize::from(up)].bernoulli(link.error_rate)
    }

    fn station(&mut self, index: u32) -> &mut Station {
        &mut self.stations[index as usize]
    }

    fn collide(&mut self, now: Instant, senders: &[u32]) -> Air {
        let mut ends = Vec::new();
        let beacon = self.beacon.take_if(|_| senders.contains(&AP));
        for &sender in senders {
            if let Some(bytes) = beacon.filter(|_| sender == AP) {
                let end = now + self.beacon_time(bytes).0;
                self.is_used(&[AP], now, end, Usage::Collision);
                ends.push((sender, end, Duration::ZERO));
                continue;
            }
            let rts = self.needs_rts(sender);
            let control = self.control(sender);
            let (airtime, rate) = if rts {
                (control.rts, control.rts_mode.rate)
            } else if self.has_cts_to_self(sender) {
                // Nothing answers a CTS-to-self: the data frame follows in any case.
                let cts = control.cts + self.config.phy.sifs;
                (cts + self.data_time(sender), control.mode.rate)
            } else {
                (self.data_time(sender), control.mode.rate)
            };
            self.uses(sender, now, now + airtime, Usage::Collision);
            let counters = &mut self.stations[sender as usize].usage;
            counters.attempts += 1;
            counters.collisions += 1;
            counters.data_frames += u64::from(!rts);
            ends.push((sender, now + airtime, self.timeout(rate)));
        }
        let end = ends.iter().map(|&(_, end, _)| end).max().unwrap();
        Air::Vain { senders: ends, end, counts_for: Limit::Short, beacon: beacon.is_some() }
    }

    fn retry(&mut self, index: u32, counts_for: Limit) {
        let station = &mut self.stations[index as usize];
        let over = match counts_for {
            Limit::Long => {
                station.long_retries += 1;
                station.long_retries >= self.config.long_retry_limit
            }
            Limit::Short => {
                station.short_retries += 1;
                station.short_retries >= self.config.short_retry_limit
            }
        };
        if over {
            self.finish(index, TxStatus::Dropped);
        } else {
            station.cw = (2 * station.cw + 1).min(self.config.phy.cw_max);
            station.draw();
        }
    }

    fn finish(&mut self, index: u32, outcome: TxStatus) {
        let station = &mut self.stations[index as usize];
        match outcome {
            TxStatus::Delivered => station.usage.delivered += 1,
            TxStatus::Dropped => station.usage.dropped += 1,
        }
        station.cw = station.cw_min;
        station.short_retries = 0;
        station.long_retries = 0;
        station.draw();
        station.frame = None;
        station.received = false;
        self.events.push_back(Event::Done { station: index, outcome });
    }

    fn frame_bytes(&self, sender: u32) -> u32 {
        self.stations[sender as usize].frame.unwrap().bytes + self.config.mac_overhead
    }

    fn needs_rts(&self, sender: u32) -> bool {
        let is_long = |threshold| self.frame_bytes(sender) > threshold;
        self.config.rts_threshold.is_some_and(is_long)
            || self.protection(sender) == Protection::RtsCts
    }

    fn has_cts_to_self(&self, sender: u32) -> bool {
        !self.needs_rts(sender) && self.protection(sender) == Protection::CtsToSelf
    }

    /// 802.11b stations cannot read OFDM frames.
    fn protection(&self, sender: u32) -> Protection {
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        if DSSS_RATES.contains(&rate) { Protection::Off } else { self.config.protection }
    }

    /// SIFS, slot and aPHY-RX-START-Delay of a response to a frame at `rate`.
    fn timeout(&self, rate: Rate) -> Duration {
        let phy = &self.config.phy;
        match phy.kind {
            PhyKind::Dot11g if DSSS_RATES.contains(&rate) => {
                phy.sifs + phy.slot + Duration::from_micros(192)
            }
            _ => phy.response_timeout(),
        }
    }

    /// The end of `sender`'s link that is not the AP: rate and errors are those of this link.
    fn end_of_link(&self, sender: u32) -> u32 {
        if sender == AP { self.stations[sender as usize].frame.unwrap().to } else { sender }
    }

    fn control(&self, sender: u32) -> ControlFrames {
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        self.config.control_frames(&self.config.phy.mode_of(rate))
    }

    fn data_time(&self, sender: u32) -> Duration {
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        let phy = &self.config.phy;
        phy.airtime(self.frame_bytes(sender), &phy.mode_of(rate))
    }
}

/// aCWmin of a node whose frames have this rate.
fn cw_min(config: &DcfConfig, rate: Rate) -> u32 {
    match config.phy.kind {
        PhyKind::Dot11b => 31,
        PhyKind::Dot11g if DSSS_RATES.contains(&rate) => 31,
        _ => 15,
    }
}

impl Station {
    fn draw(&mut self) {
        self.drawn = self.backoff.up_to(self.cw);
        self.counter = Some(self.drawn);
    }
}
