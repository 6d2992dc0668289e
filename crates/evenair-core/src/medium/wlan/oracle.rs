//! A simple DCF to test [`super::Dcf`] against: one integer backoff counter per station, decremented
//! slot by slot, and a time from which the station may act.
//!
//! Written from the rules in the documentation of [`super::dcf`] and [`super::backoff`], not
//! from their code. It makes the same draws in the same order per station.

use std::collections::VecDeque;

use super::phy::{PhyKind, is_dsss};
use super::tests::{AP, Event, Frame};
use super::{ControlFrames, DcfConfig, Exchange, Protection};
use crate::loss::{LossDirection, LossyFrames, ScopeConfig};
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
    why: Why,
}

#[derive(Clone, Copy, Debug)]
enum Why {
    Success,
    Collision,
    Corrupted,
}

impl Used {
    fn by(self, now: Instant) -> Duration {
        self.end.min(now).since(self.start)
    }

    fn add_to(self, airtime: &mut Airtime, now: Instant) {
        *match self.why {
            Why::Success => &mut airtime.successes,
            Why::Collision => &mut airtime.collisions,
            Why::Corrupted => &mut airtime.corrupted,
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
    /// Frames in vain: each sender, and when its response timeout ends.
    Vain { senders: Vec<(u32, Instant)>, end: Instant, counts_for: Limit },
    /// The CTS or ACK for `sender` cannot be decoded.
    VainAnswer { sender: u32, end: Instant, counts_for: Limit },
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
        }
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
    fn uses(&mut self, sender: u32, start: Instant, end: Instant, why: Why) {
        let receiver = self.stations[sender as usize].frame.unwrap().to;
        let used = Used { start, end, why };
        for index in [sender, receiver] {
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
        let difs = self.config.phy.difs();
        let station = &mut self.stations[index as usize];
        station.frame = Some(frame);
        if station.counter.is_some() {
            return; // The rest of its post-backoff is its backoff.
        }
        if !matches!(self.air, Air::Idle { .. }) {
            station.draw();
        } else if self.config.immediate_access {
            station.counter = Some(0);
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
            Air::Data { exchange, .. } => exchange.data_end,
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
                Air::Ack { sender, .. } => {
                    for station in &mut self.stations {
                        station.ready_from = now + phy.difs();
                    }
                    self.finish(sender, TxStatus::Delivered);
                }
                Air::VainAnswer { sender, counts_for, .. } => {
                    for station in &mut self.stations {
                        station.ready_from = now + phy.eifs();
                    }
                    let answering = self.stations[sender as usize].frame.unwrap().to;
                    self.stations[answering as usize].ready_from = now + phy.difs();
                    self.retry(sender, counts_for);
                }
                Air::Vain { senders, counts_for, .. } => {
                    for station in &mut self.stations {
                        station.ready_from = now + phy.eifs();
                    }
                    for &(index, timeout) in &senders {
                        self.stations[index as usize].ready_from = timeout.max(now + phy.difs());
                        self.retry(index, counts_for);
                    }
                }
            }
        }
        self.events.pop_front()
    }

    /// A slot boundary of an idle medium: somebody sends, or an idle slot begins.
    fn boundary(&mut self, now: Instant) {
        let mut senders = Vec::new();
        for (station, index) in self.stations.iter_mut().zip(0..) {
            if station.counter == Some(0) && station.ready_from <= now {
                station.counter = None; // A post-backoff is over; a backoff leads to:
                if station.frame.is_some() {
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
        self.air = match senders[..] {
            [sender] => self.send_alone(now, sender),
            _ => self.collide(now, &senders),
        };
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
                self.uses(sender, now, rts_end, Why::Corrupted);
                let senders = vec![(sender, rts_end + self.timeout(control.rts_rate))];
                return Air::Vain { senders, end: rts_end, counts_for: Limit::Short };
            }
            let cts_end = rts_end + phy.sifs + control.cts;
            if self.loses(sender, true, true) {
                self.uses(sender, now, cts_end, Why::Corrupted);
                return Air::VainAnswer { sender, end: cts_end, counts_for: Limit::Short };
            }
            self.station(sender).short_retries = 0;
            data_start = cts_end + phy.sifs;
        }
        let counts_for = if rts { Limit::Long } else { Limit::Short };
        let data_end = data_start + self.data_time(sender);
        self.station(sender).usage.data_frames += 1;
        if self.loses(sender, false, false) {
            self.uses(sender, now, data_end, Why::Corrupted);
            let rate = self.stations[self.end_of_link(sender) as usize].rate;
            let senders = vec![(sender, data_end + self.timeout(rate))];
            return Air::Vain { senders, end: data_end, counts_for };
        }
        let end = data_end + phy.sifs + control.ack;
        let acknowledged = !self.loses(sender, true, true);
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        let why = if acknowledged { Why::Success } else { Why::Corrupted };
        self.uses(sender, now, end, why);
        let station = self.station(sender);
        if std::mem::replace(&mut station.received, true) {
            return match acknowledged {
                true => Air::Ack { sender, end },
                false => Air::VainAnswer { sender, end, counts_for },
            };
        }
        let retries = if rts { station.long_retries } else { station.short_retries };
        let (start, ack_end) = (now, end);
        let cts_to_self = self.has_cts_to_self(sender);
        let exchange = Exchange {
            start,
            data_start,
            data_end,
            ack_end,
            rate,
            rts,
            cts_to_self,
            acknowledged,
            retries,
        };
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
        let (mut timeouts, mut end) = (Vec::new(), now);
        for &sender in senders {
            let rts = self.needs_rts(sender);
            let control = self.control(sender);
            let (airtime, rate) = if rts {
                (control.rts, control.rts_rate)
            } else if self.has_cts_to_self(sender) {
                // Nothing answers a CTS-to-self: the data frame follows in any case.
                let cts = control.cts + self.config.phy.sifs;
                (cts + self.data_time(sender), control.rate)
            } else {
                (self.data_time(sender), control.rate)
            };
            self.uses(sender, now, now + airtime, Why::Collision);
            let counters = &mut self.stations[sender as usize].usage;
            counters.attempts += 1;
            counters.collisions += 1;
            counters.data_frames += u64::from(!rts);
            end = end.max(now + airtime);
            timeouts.push((sender, now + airtime + self.timeout(rate)));
        }
        Air::Vain { senders: timeouts, end, counts_for: Limit::Short }
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
        if is_dsss(rate) { Protection::Off } else { self.config.protection }
    }

    /// SIFS, slot and aPHY-RX-START-Delay of a response to a frame at `rate`.
    fn timeout(&self, rate: Rate) -> Duration {
        let phy = &self.config.phy;
        match phy.kind {
            PhyKind::Dot11g if is_dsss(rate) => phy.sifs + phy.slot + Duration::from_micros(192),
            PhyKind::Dot11a | PhyKind::Dot11b | PhyKind::Dot11g => phy.response_timeout(),
        }
    }

    /// The end of `sender`'s link that is not the AP: rate and errors are those of this link.
    fn end_of_link(&self, sender: u32) -> u32 {
        if sender == AP { self.stations[sender as usize].frame.unwrap().to } else { sender }
    }

    fn control(&self, sender: u32) -> ControlFrames {
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        self.config.control_frames(rate)
    }

    fn data_time(&self, sender: u32) -> Duration {
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        self.config.phy.airtime(self.frame_bytes(sender), rate)
    }
}

/// aCWmin of a node whose frames have this rate.
fn cw_min(config: &DcfConfig, rate: Rate) -> u32 {
    match config.phy.kind {
        PhyKind::Dot11b => 31,
        PhyKind::Dot11g if is_dsss(rate) => 31,
        PhyKind::Dot11a | PhyKind::Dot11g => 15,
    }
}

impl Station {
    fn draw(&mut self) {
        self.counter = Some(self.backoff.up_to(self.cw));
    }
}
