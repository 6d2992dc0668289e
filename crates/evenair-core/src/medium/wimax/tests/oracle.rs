//! A plain model of the 802.16 cell to test [`crate::medium::wimax::Wimax`] against: a subframe is a list of
//! symbols, a burst a list of PDUs.
//!
//! Written from the rules of `docs/media/wimax.md`, not from the code of the medium, whose types it
//! does not use. It makes the same draws in the same order per station.

mod requests;
mod setup;
mod shares;

use std::collections::{BTreeSet, VecDeque};

use setup::{LARGEST_PIGGYBACKED, SECOND, TTG};
pub(super) use setup::{Setup, is_lost};

use crate::rng::{RngStream, StreamId};

/// A PDU on the air: end of its last symbol, whether it is sent up, and its bytes with headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pdu {
    pub(super) at: u64,
    pub(super) station: usize,
    pub(super) up: bool,
    pub(super) bytes: u64,
}

/// A burst: its first data symbol, counted from the first of its subframe, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Burst {
    pub(super) station: usize,
    pub(super) up: bool,
    pub(super) first: u64,
    pub(super) symbols: u64,
    /// Of its PDUs, with headers.
    pub(super) bytes: u64,
    pub(super) pdus: u64,
    /// Of those PDUs that are lost.
    pub(super) lost_bytes: u64,
}

/// An SDU leaves the cell: the `nth` that its queue accepted was received, or is lost or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Departure {
    pub(super) at: u64,
    pub(super) station: usize,
    pub(super) up: bool,
    pub(super) nth: usize,
    pub(super) received: bool,
}

/// What has happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Request transmissions.
    pub(super) sent: u64,
    pub(super) collided: u64,
    pub(super) retried: u64,
    pub(super) given_up: u64,
    /// Data symbols given to bursts, down and up.
    pub(super) used: [u64; 2],
    /// Data symbols that were there, down and up.
    pub(super) available: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Preamble,
    Fch,
    Broadcast,
    Gap,
    Ranging,
    Requests,
    BurstPreamble,
    Data,
}

#[derive(Clone, Copy, Debug)]
struct Sdu {
    nth: usize,
    bytes: u64,
}

/// An SDU of which fragments have been sent.
#[derive(Clone, Copy, Debug)]
struct Partial {
    sdu: Sdu,
    /// Bytes that have not been sent.
    rest: u64,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Sdu>,
    partial: Option<Partial>,
    /// SDUs of which a fragment is lost.
    damaged: BTreeSet<usize>,
    accepted: usize,
    dropped: u64,
    /// Taken from the queue, and neither received nor dropped.
    in_service: usize,
    /// PDUs sent.
    pdus: usize,
    deficit: u64,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    /// Start of the frame in which it was made.
    made: u64,
    value: u64,
    retries: u32,
    exponent: u32,
    state: Pending,
}

#[derive(Clone, Copy, Debug)]
enum Pending {
    /// Opportunities to skip.
    Backoff(u64),
    /// Start of T16.
    Sent(u64),
}

#[derive(Debug)]
struct Station {
    bytes_per_symbol: u64,
    /// Down and up.
    queues: [Queue; 2],
    request: Option<Request>,
    /// Bytes that the base station has still to grant.
    outstanding: u64,
    /// A request that reaches the base station at the end of the frame.
    piggybacked: Option<u64>,
    rng: RngStream,
}

/// What a burst carries of an SDU, before it is transmitted.
#[derive(Clone, Copy, Debug)]
struct Part {
    bytes: u64,
    sdu: Sdu,
    is_last: bool,
}

#[derive(Debug)]
pub(super) struct Oracle {
    setup: Setup,
    stations: Vec<Station>,
    /// The number of the next frame.
    frame: u64,
    /// The station with which the next frame begins, down and up.
    first: [usize; 2],
    /// Of the frame under way, in order of time.
    departures: VecDeque<Departure>,
    pub(super) counts: Counts,
    pub(super) pdus: Vec<Pdu>,
    pub(super) departed: Vec<Departure>,
    /// Of the last frame: uplink bursts, then downlink bursts.
    pub(super) bursts: Vec<Burst>,
    /// Nanoseconds of all bursts, down and up; in the uplink with their preambles.
    pub(super) airtime: [u64; 2],
    /// Station, and time from a request to its grant.
    pub(super) grant_delays: Vec<(usize, u64)>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.partial.is_none() && self.waiting.is_empty()
    }

    /// Bytes on the air that would empty it.
    fn need(&self, setup: &Setup) -> u64 {
        let (whole, fragment) = setup.headers();
        let rest = self.partial.map_or(0, |partial| partial.rest + fragment);
        rest + self.waiting.iter().map(|sdu| sdu.bytes + whole).sum::<u64>()
    }

    /// The next PDU within `left` bytes.
    fn next_part(&mut self, setup: &Setup, left: u64) -> Option<Part> {
        let (whole, fragment) = setup.headers();
        let (sdu, rest, header) = match (self.partial, self.waiting.front()) {
            (Some(partial), _) => (partial.sdu, partial.rest, fragment),
            (None, Some(&sdu)) => (sdu, sdu.bytes, whole),
            (None, None) => return None,
        };
        let is_last = rest + header <= left;
        if !is_last && left <= fragment {
            return None;
        }
        if self.partial.take().is_none() {
            self.waiting.pop_front();
            self.in_service += 1;
        }
        if is_last {
            return Some(Part { bytes: rest + header, sdu, is_last });
        }
        self.partial = Some(Partial { sdu, rest: rest - (left - fragment) });
        Some(Part { bytes: left, sdu, is_last })
    }
}

impl Oracle {
    pub(super) fn new(setup: Setup) -> Self {
        let station = |(index, &bytes_per_symbol): (usize, &u64)| Station {
            bytes_per_symbol,
            queues: Default::default(),
            request: None,
            outstanding: 0,
            piggybacked: None,
            rng: RngStream::new(setup.seed, StreamId::BandwidthRequests, index as u64 + 1),
        };
        Self {
            stations: setup.stations.iter().enumerate().map(station).collect(),
            frame: 0,
            first: [0; 2],
            departures: VecDeque::new(),
            counts: Counts::default(),
            pdus: Vec::new(),
            departed: Vec::new(),
            bursts: Vec::new(),
            airtime: [0; 2],
            grant_delays: Vec::new(),
            setup,
        }
    }

    /// A packet arrives; everything before has been done.
    pub(super) fn arrive(&mut self, station: usize, up: bool, bytes: u64) {
        let limit = self.setup.limits[usize::from(up)];
        let queue = &mut self.stations[station].queues[usize::from(up)];
        if queue.waiting.len() + queue.in_service >= limit {
            queue.dropped += 1;
            return;
        }
        queue.waiting.push_back(Sdu { nth: queue.accepted, bytes });
        queue.accepted += 1;
    }

    /// Packets that a queue had no room for.
    pub(super) fn dropped(&self, station: usize, up: bool) -> u64 {
        self.stations[station].queues[usize::from(up)].dropped
    }

    /// Does what happens before `limit`.
    pub(super) fn advance(&mut self, limit: u64) {
        loop {
            if let Some(&next) = self.departures.front() {
                if next.at >= limit {
                    return;
                }
                self.departures.pop_front();
                self.depart(next);
            } else if self.frame * self.setup.frame < limit {
                self.schedule();
                self.frame += 1;
            } else {
                return;
            }
        }
    }

    fn depart(&mut self, departure: Departure) {
        self.stations[departure.station].queues[usize::from(departure.up)].in_service -= 1;
        self.departed.push(departure);
    }

    /// Everything about the next frame.
    fn schedule(&mut self) {
        let start = self.frame * self.setup.frame;
        let ps_per_symbol = self.setup.ps_per_symbol();
        let [down, up] = self.setup.subframes();
        let up_start = down * ps_per_symbol + TTG;
        self.bursts.clear();
        for station in &mut self.stations {
            if let Some(value) = station.piggybacked.take() {
                station.outstanding = value;
            }
        }

        let most = |limit| if self.setup.actual_maps { usize::MAX } else { limit };
        let (most_bursts, most_grants) = (most(10), most(8));
        let up_room = self.setup.up_room();
        let wanted: Vec<u64> = self.stations.iter().map(|station| station.outstanding).collect();
        let grants = self.shares(true, &wanted, most_grants, |_| up_room);
        for &(station, symbols) in &grants {
            let station = &mut self.stations[station];
            let granted = symbols * station.bytes_per_symbol;
            station.outstanding -= granted.min(station.outstanding);
        }
        let (ranging, requests) = self.setup.regions();
        let mut subframe = vec![Symbol::Ranging; ranging as usize];
        subframe.push(Symbol::Gap);
        subframe.extend(vec![Symbol::Requests; requests as usize]);
        let requests_end = up_start + subframe.len() as u64 * ps_per_symbol;
        let mut departures = Vec::new();
        for &(station, symbols) in &grants {
            subframe.push(Symbol::BurstPreamble);
            let first = subframe.len() as u64;
            self.open_burst(station, true, first, symbols);
            let first = up_start + first * ps_per_symbol;
            subframe.extend(vec![Symbol::Data; symbols as usize]);
            let end = up_start + subframe.len() as u64 * ps_per_symbol;
            self.airtime[1] += self.setup.time(end) - self.setup.time(first - ps_per_symbol);
            departures.extend(self.up_burst(station, start, first, symbols));
        }
        assert!(subframe.len() as u64 <= up || grants.is_empty());
        self.count(true, up, &subframe);

        let n = grants.len() as u64;
        let setup = self.setup.clone();
        // A multiple of 5 s has come since the start of the frame before.
        let is_due = (0..=start / (5 * SECOND)).any(|m| {
            m * 5 * SECOND <= start && (start == 0 || m * 5 * SECOND > start - setup.frame)
        });
        let descriptors = if is_due { setup.descriptors() } else { 0 };
        let need = |station: &Station| station.queues[0].need(&setup);
        let wanted: Vec<u64> = self.stations.iter().map(need).collect();
        let room = |bursts| setup.down_room(bursts, n).saturating_sub(descriptors);
        let bursts = self.shares(false, &wanted, most_bursts, room);
        let mut subframe = vec![Symbol::Preamble, Symbol::Preamble, Symbol::Fch];
        let broadcast = setup.maps(bursts.len() as u64, n) + descriptors;
        subframe.extend(vec![Symbol::Broadcast; broadcast as usize]);
        let mut down_departures = Vec::new();
        for &(station, symbols) in &bursts {
            subframe.push(Symbol::Gap);
            let first = subframe.len() as u64;
            self.open_burst(station, false, first, symbols);
            let first = first * ps_per_symbol;
            subframe.extend(vec![Symbol::Data; symbols as usize]);
            let end = subframe.len() as u64 * ps_per_symbol;
            self.airtime[0] += setup.time(end) - setup.time(first);
            let size = symbols * self.stations[station].bytes_per_symbol;
            let parts = self.fill(station, false, size);
            down_departures.extend(self.transmit(station, false, start, first, &parts).0);
        }
        assert!(subframe.len() as u64 <= down || bursts.is_empty());
        self.count(false, down, &subframe);
        self.departures.extend(down_departures);
        self.departures.extend(departures);

        self.make_requests(start);
        self.contend(start + self.setup.time(requests_end));
    }

    /// Counts the data symbols of a subframe: those in bursts, and those that could have been.
    fn count(&mut self, up: bool, symbols: u64, subframe: &[Symbol]) {
        let data = subframe.iter().filter(|&&symbol| symbol == Symbol::Data).count() as u64;
        let overhead = subframe.len() as u64 - data;
        self.counts.used[usize::from(up)] += data;
        self.counts.available[usize::from(up)] += symbols.saturating_sub(overhead);
    }

    fn open_burst(&mut self, station: usize, up: bool, first: u64, symbols: u64) {
        let (bytes, pdus, lost_bytes) = (0, 0, 0);
        self.bursts.push(Burst { station, up, first, symbols, bytes, pdus, lost_bytes });
    }

    /// The PDUs of a burst of `size` bytes.
    fn fill(&mut self, station: usize, up: bool, size: u64) -> Vec<Part> {
        let queue = &mut self.stations[station].queues[usize::from(up)];
        let mut parts = Vec::new();
        let mut left = size;
        while let Some(part) = queue.next_part(&self.setup, left) {
            left -= part.bytes;
            parts.push(part);
        }
        parts
    }

    /// A burst of a station whose first symbol begins with the physical slot `first`.
    fn up_burst(&mut self, index: usize, start: u64, first: u64, symbols: u64) -> Vec<Departure> {
        let station = &mut self.stations[index];
        if let Some(request) = station.request.take() {
            self.grant_delays.push((index, start - request.made));
        }
        let size = symbols * station.bytes_per_symbol;
        let piggyback = self.setup.piggyback && station.queues[1].need(&self.setup) > size;
        let mut parts = self.fill(index, true, if piggyback { size - 2 } else { size });
        if !piggyback || parts.is_empty() {
            return self.transmit(index, true, start, first, &parts).0;
        }
        parts.last_mut().unwrap().bytes += 2;
        let (departures, lost) = self.transmit(index, true, start, first, &parts);
        let value = self.stations[index].queues[1].need(&self.setup).min(LARGEST_PIGGYBACKED);
        let state = Pending::Sent(start + self.setup.frame);
        let exponent = self.setup.backoff.0;
        let station = &mut self.stations[index];
        station.request = Some(Request { made: start, value, retries: 0, exponent, state });
        station.piggybacked = (!lost).then_some(value);
        departures
    }

    /// When the SDUs that end in the last burst leave the cell, and whether its last PDU is lost.
    fn transmit(
        &mut self,
        station: usize,
        up: bool,
        start: u64,
        first: u64,
        parts: &[Part],
    ) -> (Vec<Departure>, bool) {
        let bytes_per_symbol = self.stations[station].bytes_per_symbol;
        let queue = &mut self.stations[station].queues[usize::from(up)];
        let (mut departures, mut position, mut lost) = (Vec::new(), 0, false);
        for part in parts {
            position += part.bytes;
            let symbols = (position - 1) / bytes_per_symbol + 1;
            let at = start + self.setup.time(first + symbols * self.setup.ps_per_symbol());
            self.pdus.push(Pdu { at, station, up, bytes: part.bytes });
            lost = is_lost(&self.setup, station, up, queue.pdus);
            queue.pdus += 1;
            let burst = self.bursts.last_mut().unwrap();
            burst.pdus += 1;
            burst.bytes += part.bytes;
            if lost {
                burst.lost_bytes += part.bytes;
                queue.damaged.insert(part.sdu.nth);
            }
            if part.is_last {
                let received = !queue.damaged.remove(&part.sdu.nth);
                departures.push(Departure { at, station, up, nth: part.sdu.nth, received });
            }
        }
        (departures, lost)
    }
}
