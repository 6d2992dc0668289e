//! A simple DCF to test [`super::Dcf`] against: one integer backoff counter per station, decremented
//! slot by slot, and a time from which the station may act.
//!
//! Written from the rules in the documentation of [`super::dcf`] and [`super::backoff`], not
//! from their code. It makes the same draws in the same order per station.

use std::collections::VecDeque;

use super::tests::{AP, Event, Frame};
use super::{DcfConfig, Exchange};
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use crate::medium::{AirUsage, TxStatus};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

#[derive(Debug)]
struct Station {
    rate: Rate,
    error_rate: f64,
    frame: Option<Frame>,
    /// Slots still to count, of a backoff or a post-backoff; `None` when there is none to count.
    counter: Option<u32>,
    /// It neither counts nor sends at boundaries before this moment: the end of DIFS, EIFS or
    /// response timeout, or the arrival of its frame.
    ready_from: Instant,
    /// The counter of 0 stands for an immediate access, not for a backoff.
    immediate: bool,
    cw: u32,
    short_retries: u32,
    long_retries: u32,
    backoff: RngStream,
    /// Down and up.
    errors: [RngStream; 2],
    usage: AirUsage,
}

#[derive(Debug)]
enum Air {
    /// Idle; this slot boundary has not been looked at yet.
    Idle { boundary: Instant },
    /// `sender` has the air, and its data frame will be received.
    Data { sender: u32, exchange: Exchange },
    /// `sender`'s data is being acknowledged.
    Ack { sender: u32, end: Instant },
    /// Frames in vain: each sender, and when its own frame ends.
    Vain { senders: Vec<(u32, Instant)>, end: Instant },
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
            frame: None,
            counter: None,
            ready_from: Instant::ZERO + config.phy.difs(),
            immediate: false,
            cw: config.phy.cw_min,
            short_retries: 0,
            long_retries: 0,
            backoff: RngStream::new(seed, StreamId::Backoff, index as u64),
            errors: [0, 1]
                .map(|way| RngStream::new(seed, StreamId::FrameErrors, 2 * index as u64 + way)),
            usage: AirUsage::default(),
        };
        Self {
            config,
            stations: rates.iter().enumerate().map(station).collect(),
            air: Air::Idle { boundary: Instant::ZERO + config.phy.difs() },
            events: VecDeque::new(),
            last: None,
        }
    }

    pub(super) fn set_error_rate(&mut self, station: u32, rate: f64) {
        self.stations[station as usize].error_rate = rate;
    }

    pub(super) fn is_free(&self, station: u32) -> bool {
        self.stations[station as usize].frame.is_none()
    }

    pub(super) fn usage(&self, station: u32) -> AirUsage {
        self.stations[station as usize].usage
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
            Air::Ack { end, .. } | Air::Vain { end, .. } => *end,
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
                    let end = now + phy.sifs + phy.airtime(ACK_BYTES, self.config.control_rate);
                    self.air = Air::Ack { sender, end };
                }
                Air::Ack { sender, .. } => {
                    for station in &mut self.stations {
                        station.ready_from = now + phy.difs();
                    }
                    self.finish(sender, TxStatus::Delivered);
                }
                Air::Vain { senders, .. } => {
                    for station in &mut self.stations {
                        station.ready_from = now + phy.eifs();
                    }
                    for &(index, own_end) in &senders {
                        self.stations[index as usize].ready_from =
                            (own_end + phy.response_timeout()).max(now + phy.difs());
                        self.retry(index, senders.len() > 1);
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
        let (phy, control) = (self.config.phy, self.config.control_rate);
        let rts = self.needs_rts(sender);
        let data_start = if rts {
            let [rts, cts] = [RTS_BYTES, CTS_BYTES].map(|bytes| phy.airtime(bytes, control));
            now + rts + phy.sifs + cts + phy.sifs
        } else {
            now
        };
        let data_end = data_start + self.data_time(sender);
        let end_of_link = self.end_of_link(sender);
        let link = &mut self.stations[end_of_link as usize];
        let rate = link.rate;
        let errors = &mut link.errors[usize::from(sender != AP)];
        let lost = link.error_rate > 0.0 && errors.bernoulli(link.error_rate);
        let station = &mut self.stations[sender as usize];
        station.usage.attempts += 1;
        station.usage.data_frames += 1;
        if rts {
            station.short_retries = 0;
        }
        if lost {
            station.usage.airtime.corrupted += data_end.since(now);
            return Air::Vain { senders: vec![(sender, data_end)], end: data_end };
        }
        station.usage.airtime.successes +=
            (data_end + phy.sifs + phy.airtime(ACK_BYTES, control)).since(now);
        let retries = if rts { station.long_retries } else { station.short_retries };
        let exchange = Exchange { start: now, data_start, data_end, rate, rts, retries };
        Air::Data { sender, exchange }
    }

    fn collide(&mut self, now: Instant, senders: &[u32]) -> Air {
        let mut ends = Vec::new();
        for &sender in senders {
            let rts = self.needs_rts(sender);
            let airtime = if rts {
                self.config.phy.airtime(RTS_BYTES, self.config.control_rate)
            } else {
                self.data_time(sender)
            };
            let counters = &mut self.stations[sender as usize].usage;
            counters.attempts += 1;
            counters.collisions += 1;
            counters.data_frames += u64::from(!rts);
            counters.airtime.collisions += airtime;
            ends.push((sender, now + airtime));
        }
        let end = ends.iter().map(|&(_, end)| end).max().unwrap();
        Air::Vain { senders: ends, end }
    }

    fn retry(&mut self, index: u32, collision: bool) {
        let data_behind_rts = self.needs_rts(index) && !collision;
        let station = &mut self.stations[index as usize];
        let over = if data_behind_rts {
            station.long_retries += 1;
            station.long_retries >= self.config.long_retry_limit
        } else {
            station.short_retries += 1;
            station.short_retries >= self.config.short_retry_limit
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
        station.cw = self.config.phy.cw_min;
        station.short_retries = 0;
        station.long_retries = 0;
        station.draw();
        station.frame = None;
        self.events.push_back(Event::Done { station: index, outcome });
    }

    fn frame_bytes(&self, sender: u32) -> u32 {
        self.stations[sender as usize].frame.unwrap().bytes + self.config.mac_overhead
    }

    fn needs_rts(&self, sender: u32) -> bool {
        self.config.rts_threshold.is_some_and(|threshold| self.frame_bytes(sender) > threshold)
    }

    /// The end of `sender`'s link that is not the AP: rate and errors are those of this link.
    fn end_of_link(&self, sender: u32) -> u32 {
        if sender == AP { self.stations[sender as usize].frame.unwrap().to } else { sender }
    }

    fn data_time(&self, sender: u32) -> Duration {
        let rate = self.stations[self.end_of_link(sender) as usize].rate;
        self.config.phy.airtime(self.frame_bytes(sender), rate)
    }
}

impl Station {
    fn draw(&mut self) {
        self.counter = Some(self.backoff.up_to(self.cw));
    }
}
