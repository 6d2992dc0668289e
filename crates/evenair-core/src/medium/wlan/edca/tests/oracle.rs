//! A simple EDCA to test [`Edca`] against: a backoff counter per contender, looked at in each slot, and lists of
//! MPDUs with flags instead of windows and scoreboards.
//!
//! Written from clauses 10.3.2, 10.23.2 and 10.25.6 of IEEE 802.11-2020, with the choices of the module's
//! documentation, and none of the medium's code but durations of frames ([`EdcaConfig::ppdu_time`], `Phy`). It makes the
//! same random draws per contender and link. The access point has one queue per category.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;

use super::conservation::{Case, cases};
use super::*;
use crate::loss::{Frame, FrameKind, Level};
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use crate::medium::wlan::{Protection, high_throughput};
use crate::medium::{AirEvent, Outcome};
use crate::packet::Direction;

/// A packet: when and where it arrives at its sender, and its number.
#[derive(Clone, Copy, Debug)]
struct Offer {
    at: Instant,
    station: u32,
    is_up: bool,
    category: AccessCategory,
    bytes: u32,
    number: u64,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A packet is passed on: when, by which node to which, and its number.
    Arrival(Instant, u32, u32, u64),
    /// An attempt ends: when, of which node and station, slots of its backoff, and how.
    Attempt(Instant, u32, u32, u64, u8),
}

impl Event {
    fn at(&self) -> Instant {
        match *self {
            Self::Arrival(at, ..) | Self::Attempt(at, ..) => at,
        }
    }
}

const fn number_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Delivered => 0,
        Outcome::Failed => 1,
        Outcome::GivenUp => 2,
    }
}

/// By priority, the highest first (10.2.3.2, table 10-1).
const PRIORITY: [AccessCategory; 4] = [
    AccessCategory::Voice,
    AccessCategory::Video,
    AccessCategory::BestEffort,
    AccessCategory::Background,
];

/// An MPDU of a link and category, from when it is first taken for a PPDU. Several packets are an A-MSDU.
#[derive(Clone, Debug)]
struct Mpdu {
    packets: Vec<Offer>,
    was_on_air: bool,
    is_received: bool,
    is_passed_on: bool,
    failures: u32,
}

/// The MPDUs of a link and category that have been taken: in order, those that are acknowledged are removed; and
/// those that the receiver may not pass on yet.
#[derive(Clone, Debug, Default)]
struct Flow {
    /// With their sequence numbers.
    unacknowledged: VecDeque<(u64, Mpdu)>,
    held_back: BTreeMap<u64, Mpdu>,
    next_number: u64,
    next_passed_on: u64,
    needs_request: bool,
}

impl Mpdu {
    /// Its bytes (9.3.2.1, 9.3.2.2.2), where `overhead` has 8 bytes of LLC/SNAP.
    fn bytes(packets: &[Offer], overhead: u32) -> u32 {
        match packets {
            [one] => one.bytes + overhead,
            _ => Self::amsdu(packets) + overhead - 8,
        }
    }

    /// Bytes of its A-MSDU: subframes with 14 bytes of header and LLC/SNAP, padded to 4 but the last.
    fn amsdu(packets: &[Offer]) -> u32 {
        let subframe =
            |length: u32, packet: &Offer| length.next_multiple_of(4) + 14 + 8 + packet.bytes;
        packets.iter().fold(0, subframe)
    }
}

impl Flow {
    /// An MPDU with the next sequence number.
    fn push(&mut self, packets: Vec<Offer>) {
        let mpdu = Mpdu {
            packets,
            was_on_air: false,
            is_received: false,
            is_passed_on: false,
            failures: 0,
        };
        self.unacknowledged.push_back((self.next_number, mpdu));
        self.next_number += 1;
    }
}

#[derive(Debug)]
struct Contender {
    node: u32,
    category: AccessCategory,
    /// That of the access point for its beacons, which has no category.
    is_for_beacons: bool,
    /// That of a station without QoS.
    has_dcf: bool,
    parameters: AccessParameters,
    /// Packets that wait, of all receivers.
    queue: VecDeque<Offer>,
    /// The station of the link that is served next, if there is something to send; of beacons the number.
    serves: Option<u32>,
    cw: u32,
    failures: u32,
    /// `None`: no backoff is to be counted.
    counter: Option<u32>,
    /// Slots drawn for the next attempt.
    drawn: u32,
    /// It does nothing at boundaries before this time.
    ready_from: Instant,
    stream: RngStream,
}

/// A PPDU, or a BlockAckReq, of a contender.
#[derive(Clone, Debug)]
struct Ppdu {
    contender: usize,
    station: u32,
    /// Slots of the backoff before it; 0 of one that continues a TXOP.
    drawn: u32,
    /// Of the MPDUs from the first unacknowledged on.
    mpdus: usize,
    bytes: u32,
    has_rts: bool,
    start: Instant,
    data_start: Instant,
    /// End of the RTS, or of the PPDU without.
    first_end: Instant,
    end: Instant,
}

struct Oracle<'a> {
    config: EdcaConfig,
    nodes: &'a [EdcaNode],
    losses: Vec<Option<LinkLoss>>,
    contenders: Vec<Contender>,
    /// By station, direction (whether up) and category.
    flows: BTreeMap<(u32, bool, AccessCategory), Flow>,
    offers: VecDeque<Offer>,
    /// When beacons are due.
    beacons: VecDeque<Instant>,
    /// The end of the last busy period.
    idle_since: Instant,
    events: Vec<Event>,
}

impl<'a> Oracle<'a> {
    fn new(
        config: EdcaConfig,
        nodes: &'a [EdcaNode],
        losses: Vec<Option<LinkLoss>>,
        seed: u64,
        offers: impl IntoIterator<Item = Offer>,
        beacons: impl Iterator<Item = Instant>,
    ) -> Self {
        // The medium numbers contenders by node, the lowest priority first.
        let contender = |(node, place): (u32, u32)| {
            let category = PRIORITY[3 - place as usize];
            let all = if node == 0 { config.access_point } else { config.access };
            let has_dcf = node > 0 && !nodes[node as usize].has_qos;
            // DIFS has two slots (10.3.7), CWmin and CWmax are those of the PHY (table 17-21).
            let of_dcf =
                AccessParameters { cw_min: 15, cw_max: 1023, aifsn: 2, txop: Duration::ZERO };
            let parameters = if has_dcf { of_dcf } else { all[category as usize] };
            Contender {
                node,
                category,
                is_for_beacons: false,
                has_dcf,
                parameters,
                queue: VecDeque::new(),
                serves: None,
                cw: parameters.cw_min,
                failures: 0,
                counter: None,
                drawn: 0,
                ready_from: Instant::ZERO,
                stream: RngStream::new(seed, StreamId::Backoff, u64::from(4 * node + place)),
            }
        };
        let all = (0..nodes.len() as u32).flat_map(|node| (0..4).map(move |place| (node, place)));
        // PIFS, and no backoff.
        let without_backoff =
            AccessParameters { cw_min: 0, cw_max: 0, aifsn: 1, ..config.access[0] };
        let for_beacons = Contender {
            is_for_beacons: true,
            parameters: without_backoff,
            cw: 0,
            ..contender((0, 0))
        };
        Self {
            config,
            nodes,
            losses,
            contenders: all.map(contender).chain([for_beacons]).collect(),
            flows: BTreeMap::new(),
            offers: offers.into_iter().collect(),
            beacons: beacons.collect(),
            idle_since: Instant::ZERO,
            events: Vec::new(),
        }
    }

    /// All that happens before `until`.
    fn run(mut self, until: Instant) -> Vec<Event> {
        let Phy { sifs, slot, .. } = self.config.phy;
        let mut boundary = 0;
        loop {
            let at = self.idle_since + sifs + slot * boundary;
            // Nothing waits or counts, and nothing comes: the next boundary that matters is that of the next packet.
            let is_quiet =
                self.contenders.iter().all(|c| c.serves.is_none() && c.counter.is_none());
            if is_quiet {
                let next = self.offers.front().map(|offer| offer.at);
                let Some(next) = next.into_iter().chain(self.beacons.front().copied()).min() else {
                    break;
                };
                if next > at {
                    boundary += next.since(at).div_ceil(slot);
                    let at = self.idle_since + sifs + slot * boundary;
                    self.arrive(at, false);
                    continue;
                }
            }
            if at >= until {
                break;
            }
            self.arrive(at, false);
            match self.act(at, boundary) {
                true => boundary = 0,
                false => boundary += 1,
            }
        }
        self.events.retain(|event| event.at() < until);
        self.events
    }

    /// Packets and beacons arrive up to `now`, while the medium is busy or not.
    fn arrive(&mut self, now: Instant, is_busy: bool) {
        while let Some(at) = self.beacons.pop_front_if(|at| *at <= now) {
            let for_beacons = self.contenders.iter_mut().find(|c| c.is_for_beacons).unwrap();
            (for_beacons.serves, for_beacons.counter) = (Some(0), Some(0));
            for_beacons.ready_from = for_beacons.ready_from.max(at);
        }
        while let Some(offer) = self.offers.pop_front_if(|offer| offer.at <= now) {
            let node = if offer.is_up { offer.station } else { 0 };
            let is_its =
                |c: &Contender| c.node == node && c.category == offer.category && !c.is_for_beacons;
            let place = self.contenders.iter().position(is_its).unwrap();
            let contender = &mut self.contenders[place];
            contender.queue.push_back(offer);
            if contender.serves.is_some() {
                continue;
            }
            self.load(place, offer.station);
            let contender = &mut self.contenders[place];
            // 10.23.2.2 a): a backoff, if the medium is busy and the counter has a value of 0.
            match (contender.counter, is_busy) {
                (None | Some(0), true) => contender.draw(),
                (None, false) => {
                    (contender.counter, contender.drawn) = (Some(0), 0);
                    contender.ready_from = contender.ready_from.max(offer.at);
                }
                (Some(_), _) => {}
            }
        }
    }

    /// A contender serves `station` next: its first packet becomes an MPDU, unless there is something to repeat.
    fn load(&mut self, place: usize, station: u32) {
        let contender = &mut self.contenders[place];
        contender.serves = Some(station);
        let key = (station, contender.node != 0, contender.category);
        let flow = self.flows.entry(key).or_default();
        if flow.unacknowledged.is_empty() && !flow.needs_request {
            let is_its = |offer: &Offer| offer.station == station;
            let first = contender.queue.iter().position(is_its).unwrap();
            let packets = vec![contender.queue.remove(first).unwrap()];
            flow.push(packets);
        }
    }

    /// Whether a packet is too old at `now`.
    fn is_over(config: &EdcaConfig, now: Instant, offer: &Offer) -> bool {
        config.lifetime.is_some_and(|lifetime| now.since(offer.at) > lifetime)
    }

    /// What is too old is dropped: of the packets for `station` that wait, and of MPDUs, but for the last of all if it
    /// `keeps_last`.
    fn expire(&mut self, now: Instant, place: usize, station: u32, keeps_last: bool) {
        let Contender { node, category, .. } = self.contenders[place];
        let Some(flow) = self.flows.get_mut(&(station, node != 0, category)) else { return };
        let kept = flow.unacknowledged.back().map(|(number, _)| *number).filter(|_| keeps_last);
        let has_agreement = self.nodes[station as usize].aggregation.is_some();
        let mut tells = false;
        // What was never on the air gets its number anew.
        let fresh = flow.unacknowledged.iter().find(|(_, mpdu)| !mpdu.was_on_air);
        let first_fresh = fresh.map_or(flow.next_number, |(number, _)| *number);
        flow.unacknowledged.retain(|(number, mpdu)| {
            let is_over =
                mpdu.packets.iter().all(|packet| Self::is_over(&self.config, now, packet));
            let goes = is_over && kept != Some(*number);
            tells |= goes && mpdu.was_on_air && has_agreement;
            !goes
        });
        flow.needs_request |= tells;
        flow.next_number = first_fresh;
        for (number, _) in flow.unacknowledged.iter_mut().filter(|(_, mpdu)| !mpdu.was_on_air) {
            *number = flow.next_number;
            flow.next_number += 1;
        }
    }

    /// What all contenders do at a slot boundary, the `number`-th after SIFS. Returns whether there was an access.
    fn act(&mut self, now: Instant, number: u64) -> bool {
        let mut reached = Vec::new();
        let mut counts_idle_slots = Vec::new();
        for (place, contender) in self.contenders.iter_mut().enumerate() {
            if number < u64::from(contender.parameters.aifsn) || now < contender.ready_from {
                continue;
            }
            match (contender.counter, contender.serves) {
                (Some(0), Some(_)) => reached.push(place),
                (Some(0), None) => contender.counter = None,
                (Some(_), _) if contender.has_dcf => counts_idle_slots.push(place),
                (Some(left), _) => contender.counter = Some(left - 1),
                (None, _) => {}
            }
        }
        if reached.is_empty() {
            // 10.3.4.3: the slot that begins here is idle.
            for place in counts_idle_slots {
                *self.contenders[place].counter.as_mut().unwrap() -= 1;
            }
            return false;
        }
        for contender in &mut self.contenders {
            if contender.counter == Some(0) && contender.serves.is_none() {
                contender.counter = None;
            }
        }
        let priority = |place: usize| {
            let Contender { category, is_for_beacons, .. } = self.contenders[place];
            let of_category = PRIORITY.iter().position(|other| *other == category);
            if is_for_beacons { None } else { of_category }
        };
        let (mut transmitting, mut collided) = (Vec::new(), Vec::new());
        for &place in &reached {
            let node = self.contenders[place].node;
            let is_highest = reached.iter().all(|&other| {
                self.contenders[other].node != node || priority(place) <= priority(other)
            });
            if is_highest { &mut transmitting } else { &mut collided }.push(place);
        }
        for place in collided {
            self.contenders[place].fail(self.config.short_retry_limit);
        }
        let beacon = transmitting.iter().position(|&place| self.contenders[place].is_for_beacons);
        let beacon = beacon.map(|place| transmitting.remove(place));
        let beacon_end = beacon.map(|place| {
            (self.contenders[place].serves, self.contenders[place].counter) = (None, None);
            let lowest = self.config.phy.mode_of(Rate::from_mbps(6));
            now + self.config.phy.airtime(BEACON, &lowest)
        });
        let ppdus: Vec<_> = transmitting
            .iter()
            .map(|&place| {
                let limit = self.contenders[place].parameters.txop;
                let end = if limit > Duration::ZERO { now + limit } else { Instant::NEVER };
                self.ppdu(place, now, end, true)
            })
            .collect();
        match (&ppdus[..], beacon_end) {
            ([ppdu], None) => self.txop(ppdu.clone()),
            ([], Some(end)) => {
                self.broadcast(end);
                self.arrive_before(end);
                self.end_busy(end, false);
            }
            _ => {
                let ends = ppdus.iter().map(|ppdu| ppdu.first_end).chain(beacon_end);
                let end = ends.max().unwrap();
                self.arrive_before(end);
                self.end_busy(end, true);
                for ppdu in ppdus {
                    if !ppdu.has_rts {
                        self.put_on_air(&ppdu);
                    }
                    self.fail(end, &ppdu, false, !ppdu.has_rts);
                }
                if beacon_end.is_some() {
                    self.lose_beacon(end);
                }
            }
        }
        true
    }

    /// A beacon that meets no other frame ends. A loss model of each station counts it.
    fn broadcast(&mut self, end: Instant) {
        let rate = Rate::from_mbps(6);
        for losses in self.losses.iter_mut().flatten() {
            let frame = Frame { kind: FrameKind::Control, rate, bytes: BEACON };
            losses.lose(Level::Mac, Direction::Down, end, frame);
        }
        let all = NodeId::BROADCAST.0;
        self.events.push(Event::Arrival(end, 0, all, u64::MAX));
        self.events.push(Event::Attempt(end, 0, all, 0, number_of(Outcome::Delivered)));
    }

    /// A beacon has met other frames. The access point, which sent it, has not heard them, and waits for no response.
    fn lose_beacon(&mut self, end: Instant) {
        let phy = &self.config.phy;
        for contender in self.contenders.iter_mut().filter(|contender| contender.node == 0) {
            let aifs = phy.sifs + phy.slot * u64::from(contender.parameters.aifsn);
            contender.ready_from = end + aifs;
        }
        let all = NodeId::BROADCAST.0;
        self.events.push(Event::Attempt(end, 0, all, 0, number_of(Outcome::GivenUp)));
    }

    /// The PPDU that a contender transmits at `start`. New packets leave its queue.
    fn ppdu(&mut self, place: usize, start: Instant, txop_end: Instant, is_first: bool) -> Ppdu {
        let station = self.contenders[place].serves.unwrap();
        // It is made when the one before it in the TXOP has been acknowledged.
        let before = if is_first { Duration::ZERO } else { self.config.phy.sifs };
        let now = Instant::ZERO + start.since(Instant::ZERO).saturating_sub(before);
        self.expire(now, place, station, true);
        let contender = &mut self.contenders[place];
        let (node, category) = (contender.node, contender.category);
        let drawn = if is_first { contender.drawn } else { 0 };
        let link = &self.nodes[station as usize];
        let flow = self.flows.entry((station, node != 0, category)).or_default();
        let phy = self.config.phy;
        let response = phy.mode_of(self.config.control_rate.of(&link.mode));
        let control = |bytes| phy.airtime(bytes, &response);
        if flow.needs_request {
            let end = start + control(24);
            let (mpdus, bytes, has_rts) = (0, 24, false);
            let (data_start, first_end) = (start, end);
            return Ppdu {
                contender: place,
                station,
                mpdus,
                bytes,
                drawn,
                has_rts,
                start,
                data_start,
                first_end,
                end,
            };
        }
        let cts = control(CTS_BYTES) + phy.sifs;
        let rts = control(RTS_BYTES) + phy.sifs + cts;
        // Legacy stations decode OFDM, but no later format (10.27.3).
        let protects = |protection| {
            is_first && link.mode.mcs.is_some() && self.config.protection == protection
        };
        let may_have_rts = is_first && self.config.rts_threshold.is_some();
        let may_be_before = if may_have_rts || protects(Protection::RtsCts) {
            rts
        } else if protects(Protection::CtsToSelf) {
            cts
        } else {
            Duration::ZERO
        };
        let block_ack = control(block_ack_bytes(link));
        let overhead = overhead(&self.config, link);
        let subframes = |mpdus: &[u32]| {
            mpdus.iter().fold(0_u32, |length, mpdu| length.next_multiple_of(4) + 4 + mpdu)
        };
        let size = |mpdus: &[u32]| match *mpdus {
            [mpdu] if matches!(link.mode.format, PhyFormat::Ht | PhyFormat::Ofdm) => mpdu,
            [mpdu] => 4 + mpdu,
            _ => subframes(mpdus),
        };
        let within = |mpdus: &[u32], bytes: u32| {
            let Some(limits) = link.aggregation else { return false };
            let time = self.config.ppdu_time(bytes, &link.mode);
            let in_time = txop_end == Instant::NEVER
                || start + may_be_before + time + phy.sifs + block_ack <= txop_end;
            mpdus.len() <= usize::from(limits.window)
                && bytes <= limits.bytes
                && time <= limits.duration
                && in_time
        };
        let fits = |mpdus: &[u32]| within(mpdus, size(mpdus));
        let fits_as_subframes = |mpdus: &[u32]| within(mpdus, subframes(mpdus));
        let mut mpdus: Vec<u32> = Vec::new();
        for (_, old) in &flow.unacknowledged {
            mpdus.push(Mpdu::bytes(&old.packets, overhead));
            if mpdus.len() > 1 && !fits(&mpdus) {
                mpdus.pop();
                break;
            }
        }
        // The place of the next packet for the station. Those that are too old are dropped.
        let config = self.config;
        let next_of = |queue: &mut VecDeque<Offer>| {
            loop {
                let next = queue.iter().position(|offer| offer.station == station)?;
                if !Self::is_over(&config, now, &queue[next]) {
                    return Some(next);
                }
                queue.remove(next);
            }
        };
        // The last MPDU gets further packets, as far as the A-MPDU has room for their subframes.
        let fill = |queue: &mut VecDeque<Offer>, mpdus: &mut Vec<u32>, packets: &mut Vec<Offer>| {
            while let Some(most) = link.aggregation.and_then(|limits| limits.amsdu) {
                let Some(next) = next_of(queue) else { break };
                packets.push(queue[next]);
                let mut with = mpdus.clone();
                *with.last_mut().unwrap() = Mpdu::bytes(packets, overhead);
                if Mpdu::amsdu(packets) > most || !fits_as_subframes(&with) {
                    packets.pop();
                    break;
                }
                queue.remove(next);
                *mpdus = with;
            }
        };
        if mpdus.len() == flow.unacknowledged.len()
            && let Some((_, newest)) = flow.unacknowledged.back_mut()
            && !newest.was_on_air
        {
            fill(&mut contender.queue, &mut mpdus, &mut newest.packets);
        }
        // New ones follow as long as they lie in the window: so many numbers from the oldest on.
        while mpdus.len() == flow.unacknowledged.len() {
            let oldest =
                flow.unacknowledged.front().map_or(flow.next_number, |(number, _)| *number);
            let window = link.aggregation.map_or(1, |limits| u64::from(limits.window));
            let Some(next) = next_of(&mut contender.queue) else { break };
            mpdus.push(contender.queue[next].bytes + overhead);
            if flow.next_number >= oldest + window || mpdus.len() > 1 && !fits(&mpdus) {
                mpdus.pop();
                break;
            }
            let mut packets = vec![contender.queue.remove(next).unwrap()];
            fill(&mut contender.queue, &mut mpdus, &mut packets);
            flow.push(packets);
        }
        let bytes = size(&mpdus);
        let is_long = self.config.rts_threshold.is_some_and(|most| bytes > most);
        let has_rts = is_first && is_long || protects(Protection::RtsCts);
        let before = match has_rts {
            true => rts,
            false if protects(Protection::CtsToSelf) => cts,
            false => Duration::ZERO,
        };
        let data_start = start + before;
        let end = data_start + self.config.ppdu_time(bytes, &link.mode);
        let first_end = if has_rts { start + control(RTS_BYTES) } else { end };
        let mpdus = mpdus.len();
        Ppdu {
            contender: place,
            station,
            drawn,
            mpdus,
            bytes,
            has_rts,
            start,
            data_start,
            first_end,
            end,
        }
    }

    /// A TXOP that begins with `ppdu`: exchanges, until it is over.
    fn txop(&mut self, mut ppdu: Ppdu) {
        let phy = self.config.phy;
        let place = ppdu.contender;
        let limit = self.contenders[place].parameters.txop;
        let txop_end = if limit > Duration::ZERO { ppdu.start + limit } else { Instant::NEVER };
        loop {
            let Some(mut end) = self.exchange(&ppdu) else { return };
            self.arrive_before(end);
            self.next(end, place);
            if txop_end != Instant::NEVER && self.contenders[place].serves.is_some() {
                let start = end + phy.sifs;
                let next = self.shortest(place);
                if start + next + phy.sifs <= txop_end {
                    ppdu = self.ppdu(place, start, txop_end, false);
                    continue;
                }
            }
            let cf_end = phy.sifs + phy.airtime(20, &phy.mode_of(Rate::from_mbps(6)));
            if txop_end != Instant::NEVER
                && self.config.rules == AccessRules::Ns3
                && end + cf_end <= txop_end
            {
                end += cf_end;
                // What arrives contends with the backoff that follows.
                self.contenders[place].counter = Some(u32::MAX);
                self.arrive_before(end);
            }
            self.end_busy(end, false);
            let contender = &mut self.contenders[place];
            (contender.failures, contender.cw) = (0, contender.parameters.cw_min);
            contender.draw();
            return;
        }
    }

    /// How long the shortest next PPDU of a contender and its response last, without the SIFS between.
    fn shortest(&self, place: usize) -> Duration {
        let Contender { node, category, serves, .. } = self.contenders[place];
        let station = serves.unwrap();
        let link = &self.nodes[station as usize];
        let phy = &self.config.phy;
        let response = phy.mode_of(self.config.control_rate.of(&link.mode));
        let control = |bytes| phy.airtime(bytes, &response);
        let flow = self.flows.get(&(station, node != 0, category));
        if flow.is_some_and(|flow| flow.needs_request) {
            return control(24) + control(block_ack_bytes(link));
        }
        let (_, mpdu) = flow.unwrap().unacknowledged.front().unwrap();
        let mpdu = Mpdu::bytes(&mpdu.packets, overhead(&self.config, link));
        let has_delimiter = matches!(link.mode.format, PhyFormat::Vht | PhyFormat::He);
        let delimiter = if has_delimiter { 4 } else { 0 };
        self.config.ppdu_time(mpdu + delimiter, &link.mode) + control(ACK_BYTES)
    }

    /// The MPDUs of a PPDU go on the air.
    fn put_on_air(&mut self, ppdu: &Ppdu) {
        let Contender { node, category, .. } = self.contenders[ppdu.contender];
        let flow = self.flows.get_mut(&(ppdu.station, node != 0, category)).unwrap();
        for (_, mpdu) in flow.unacknowledged.iter_mut().take(ppdu.mpdus) {
            mpdu.was_on_air = true;
        }
    }

    /// A PPDU that meets no other. Returns the end of the response to it, if that is received.
    fn exchange(&mut self, ppdu: &Ppdu) -> Option<Instant> {
        let phy = self.config.phy;
        let Contender { node, category, .. } = self.contenders[ppdu.contender];
        let link = &self.nodes[ppdu.station as usize];
        let up = node != 0;
        let response = phy.mode_of(self.config.control_rate.of(&link.mode));
        let (ack, block_ack) = (ACK_BYTES, block_ack_bytes(link));
        let mut losses = self.losses[ppdu.station as usize].take();
        let mut is_lost = |kind, is_up: bool, at, rate, bytes| {
            let direction = if is_up { Direction::Up } else { Direction::Down };
            let frame = Frame { kind, rate, bytes };
            losses.as_mut().is_some_and(|loss| loss.lose(Level::Mac, direction, at, frame))
        };
        let (data, control) = (FrameKind::Data, FrameKind::Control);
        // What fails, and when: nobody decodes a frame, or its sender the response to it.
        let mut failure = None;
        if ppdu.has_rts {
            let cts_end = ppdu.first_end + phy.sifs + phy.airtime(CTS_BYTES, &response);
            if is_lost(control, up, ppdu.first_end, response.rate, RTS_BYTES) {
                failure = Some((ppdu.first_end, false, false));
            } else if is_lost(control, !up, cts_end, response.rate, CTS_BYTES) {
                failure = Some((cts_end, true, false));
            }
        }
        if failure.is_none() {
            self.put_on_air(ppdu);
        }
        let flow = self.flows.get_mut(&(ppdu.station, up, category)).unwrap();
        let response_bytes = if ppdu.mpdus == 1 { ack } else { block_ack };
        let end = ppdu.end + phy.sifs + phy.airtime(response_bytes, &response);
        if failure.is_none() {
            let mut any = false;
            let mut length = 0;
            let mut decoded = Vec::new();
            for (number, mpdu) in flow.unacknowledged.iter().take(ppdu.mpdus) {
                let bytes = Mpdu::bytes(&mpdu.packets, overhead(&self.config, link));
                length = if ppdu.mpdus == 1 {
                    ppdu.bytes
                } else {
                    u32::next_multiple_of(length, 4) + 4 + bytes
                };
                let at = ppdu.data_start + received_after(&self.config, length, &link.mode);
                if !is_lost(data, up, at, link.mode.rate, bytes) {
                    any = true;
                    decoded.push((*number, at));
                }
            }
            if ppdu.mpdus == 0 {
                any = !is_lost(control, up, ppdu.end, response.rate, ppdu.bytes);
            }
            if !any {
                failure = Some((ppdu.end, false, true));
            } else {
                let (from, to) = if up { (ppdu.station, 0) } else { (0, ppdu.station) };
                if ppdu.mpdus == 0 {
                    // What the sender no longer has, the receiver need not wait for.
                    let oldest = flow.unacknowledged.front().map(|(number, _)| *number);
                    let start = oldest.unwrap_or(flow.next_number);
                    while flow.next_passed_on < start
                        || flow.held_back.contains_key(&flow.next_passed_on)
                    {
                        if let Some(next) = flow.held_back.remove(&flow.next_passed_on) {
                            for packet in &next.packets {
                                self.events.push(Event::Arrival(ppdu.end, from, to, packet.number));
                            }
                        }
                        flow.next_passed_on += 1;
                    }
                }
                for (number, at) in decoded {
                    let of = flow.unacknowledged.iter_mut().find(|(other, _)| *other == number);
                    let (_, mpdu) = of.unwrap();
                    if !std::mem::replace(&mut mpdu.is_received, true) {
                        flow.held_back.insert(number, mpdu.clone());
                    }
                    if link.aggregation.is_none() {
                        // No agreement: there is no order to wait for.
                        flow.next_passed_on = flow.next_passed_on.max(number);
                    }
                    while let Some(next) = flow.held_back.remove(&flow.next_passed_on) {
                        debug_assert!(!next.is_passed_on, "once");
                        for packet in &next.packets {
                            self.events.push(Event::Arrival(at, from, to, packet.number));
                        }
                        flow.next_passed_on += 1;
                    }
                }
                if is_lost(control, !up, end, response.rate, response_bytes) {
                    failure = Some((end, true, true));
                }
            }
        }
        self.losses[ppdu.station as usize] = losses;
        if let Some((end, is_answered, had_data)) = failure {
            self.arrive_before(end);
            self.end_busy(end, true);
            self.fail(end, ppdu, is_answered, had_data);
            return None;
        }
        flow.needs_request = false;
        let first = flow.unacknowledged.len();
        // A Block Ack has what has been received of all; an ACK is of the MPDU.
        flow.unacknowledged.retain(|(_, mpdu)| !mpdu.is_received);
        if first > 0 {
            let (drawn, outcome) = (ppdu.drawn.into(), number_of(Outcome::Delivered));
            self.events.push(Event::Attempt(end, node, ppdu.station, drawn, outcome));
        }
        Some(end)
    }

    /// Packets that arrive before the medium is idle at `end`.
    fn arrive_before(&mut self, end: Instant) {
        self.arrive(Instant::from_nanos(end.as_nanos() - 1), true);
        self.arrive(end, true);
    }

    /// The medium is idle from `end` on; who has heard what nobody could decode waits for EIFS.
    fn end_busy(&mut self, end: Instant, is_undecoded: bool) {
        self.idle_since = end;
        let phy = &self.config.phy;
        for contender in &mut self.contenders {
            let aifs = phy.sifs + phy.slot * u64::from(contender.parameters.aifsn);
            let eifs = phy.eifs().saturating_sub(phy.difs()) + aifs;
            let waits = is_undecoded && self.config.rules == AccessRules::Standard;
            contender.ready_from = end + if waits { eifs } else { aifs };
        }
    }

    /// The attempt with `ppdu` has failed, as the medium became idle at `end`: without a response, or with one that its
    /// sender could not decode.
    fn fail(&mut self, end: Instant, ppdu: &Ppdu, is_answered: bool, had_data: bool) {
        let place = ppdu.contender;
        let Contender { node, category, .. } = self.contenders[place];
        let phy = self.config.phy;
        let receiver = if node == 0 { ppdu.station } else { 0 };
        for contender in &mut self.contenders {
            let aifs = phy.sifs + phy.slot * u64::from(contender.parameters.aifsn);
            if contender.node == node && !is_answered {
                // SIFS, slot and aRxPHYStartDelay of 20 us (10.3.2.11, table 17-21).
                let sent = if had_data { ppdu.end } else { ppdu.first_end };
                let timeout = sent + phy.sifs + phy.slot + Duration::from_micros(20);
                contender.ready_from = match self.config.rules {
                    AccessRules::Standard => timeout,
                    AccessRules::Ns3 => timeout + aifs,
                };
            } else if contender.node == receiver && is_answered {
                contender.ready_from = end + aifs;
            }
        }
        let link = &self.nodes[ppdu.station as usize];
        let flow = self.flows.get_mut(&(ppdu.station, node != 0, category)).unwrap();
        let limit = self.config.short_retry_limit;
        let has_mpdus = !flow.unacknowledged.is_empty();
        let mut outcome = Outcome::Failed;
        if link.aggregation.is_some() {
            let asks = self.config.recovery == BlockAckRecovery::BlockAckReq;
            flow.needs_request |= asks && had_data && ppdu.mpdus > 1;
        } else {
            let (_, mpdu) = flow.unacknowledged.front_mut().unwrap();
            mpdu.failures += 1;
            if mpdu.failures >= limit {
                flow.unacknowledged.pop_front();
                outcome = Outcome::GivenUp;
            }
        }
        // A BlockAckReq may have no MPDU behind it.
        if has_mpdus {
            let event =
                Event::Attempt(end, node, ppdu.station, ppdu.drawn.into(), number_of(outcome));
            self.events.push(event);
        }
        self.contenders[place].fail(limit);
        self.expire(end, place, ppdu.station, false);
        let flow = &self.flows[&(ppdu.station, node != 0, category)];
        if flow.unacknowledged.is_empty() && !flow.needs_request {
            self.next(end, place);
        }
    }

    /// What a contender serves next: the receiver of what is to be repeated, then that of the oldest packet.
    fn next(&mut self, now: Instant, place: usize) {
        let Contender { node, category, .. } = self.contenders[place];
        let of_node = |station: u32, up: bool| if node == 0 { !up } else { up && station == node };
        let keys: Vec<_> = self.flows.keys().copied().collect();
        for (station, up, of) in keys {
            if !of_node(station, up) || of != category {
                continue;
            }
            self.expire(now, place, station, false);
            let flow = &self.flows[&(station, up, of)];
            if flow.needs_request || !flow.unacknowledged.is_empty() {
                return self.load(place, station);
            }
        }
        let queue = &mut self.contenders[place].queue;
        while queue.pop_front_if(|offer| Self::is_over(&self.config, now, offer)).is_some() {}
        match queue.front().map(|offer| offer.station) {
            Some(station) => self.load(place, station),
            None => self.contenders[place].serves = None,
        }
    }
}

impl Contender {
    fn draw(&mut self) {
        self.drawn = self.stream.up_to(self.cw);
        self.counter = Some(self.drawn);
    }

    /// A failure, or an internal collision (10.23.2.2).
    fn fail(&mut self, limit: u32) {
        if self.failures == limit {
            (self.failures, self.cw) = (0, self.parameters.cw_min);
        } else {
            self.failures += 1;
            self.cw = (2 * self.cw + 1).min(self.parameters.cw_max);
        }
        self.draw();
    }
}

/// From the start of a PPDU to the end of the symbol with the last of its first `bytes`.
fn received_after(config: &EdcaConfig, bytes: u32, mode: &TxVector) -> Duration {
    let preamble = match (config.preamble, mode.format) {
        (_, PhyFormat::Ofdm) => Duration::from_micros(20),
        (Some(preamble), _) => preamble,
        (None, _) => high_throughput::preamble(mode),
    };
    let useful = if mode.format == PhyFormat::He { 12_800 } else { 3_200 };
    let symbol = Duration::from_nanos(useful) + mode.guard_interval;
    // The rate is that of the data bits of a symbol, rounded down to bit/s.
    let bits = (mode.rate.as_bps() as f64 * symbol.as_nanos() as f64 / 1e9).round() as u64;
    preamble + symbol * (16 + 8 * u64::from(bytes)).div_ceil(bits)
}

/// Header, FCS and LLC/SNAP of an MPDU: 2 bytes of QoS Control are missing without QoS (9.2.4.5).
fn overhead(config: &EdcaConfig, link: &EdcaNode) -> u32 {
    if link.has_qos { config.mac_overhead } else { config.mac_overhead - 2 }
}

/// With a bitmap for 64 MPDUs or for 256 (9.3.1.8.2; 802.11ax-2021).
fn block_ack_bytes(link: &EdcaNode) -> u32 {
    if link.aggregation.is_some_and(|limits| limits.window > 64) { 56 } else { 32 }
}

/// The same events, at the same nanosecond, of the medium and of the oracle.
fn compare(case: &Case) -> (Vec<Event>, Vec<Event>) {
    let nodes: Vec<_> = [&case.stations[0]].into_iter().chain(&case.stations).cloned().collect();
    let mut at = Instant::ZERO;
    let offers = (0..).zip(&case.offered).map(|(number, offered)| {
        at += Duration::from_micros(offered.after_us);
        let (station, is_up, category) = (offered.station, offered.is_up, offered.category);
        Offer { at, station, is_up, category, bytes: offered.bytes, number }
    });
    let offers: Vec<_> = offers.collect();
    let until = at + Duration::from_secs(20);
    let beacons = || case.beacons(at + Duration::from_millis(50));
    let oracle =
        Oracle::new(case.config, &nodes, case.losses(), case.seed, offers.clone(), beacons());
    let mut expected = oracle.run(until);

    let medium = Edca::new(case.config, &nodes, case.seed);
    let queue = |index: u32| {
        let stream = RngStream::new(case.seed, StreamId::Queue, index.into());
        TxQueue::new(Queue::new(&Config::default(), QueueLimit::Unlimited, stream))
    };
    let queues = (0..nodes.len() as u32 * AccessCategory::COUNT).map(queue).collect();
    let mut cell = Cell::with_shared_queues(medium, queues, case.losses());
    cell.record_air();
    let mut found = Vec::new();
    let mut poll = |cell: &mut Cell<Edca>, until| {
        while let Some(arrival) = cell.poll(until) {
            let (from, to) = (arrival.from.0, arrival.to.0);
            let number = if to == NodeId::BROADCAST.0 { u64::MAX } else { arrival.packet.seq };
            found.push(Event::Arrival(arrival.at, from, to, number));
        }
    };
    let mut beacons = beacons().peekable();
    let mut broadcast =
        |cell: &mut Cell<Edca>, until, poll: &mut dyn FnMut(&mut Cell<Edca>, Instant)| {
            while let Some(at) = beacons.next_if(|at| *at <= until) {
                poll(cell, at);
                cell.broadcast(at, NodeId::ACCESS_POINT, beacon(at));
            }
        };
    for offer in offers {
        broadcast(&mut cell, offer.at, &mut poll);
        poll(&mut cell, offer.at);
        let from = if offer.is_up { NodeId(offer.station) } else { NodeId::ACCESS_POINT };
        let packet = packet(NodeId(offer.station), offer.bytes, offer.category, offer.at);
        cell.send(offer.at, from, Packet { seq: offer.number, ..packet });
    }
    broadcast(&mut cell, until, &mut poll);
    poll(&mut cell, until);
    let slot = case.config.phy.slot.as_nanos();
    found.extend(cell.take_air().into_iter().filter_map(|event| match event {
        AirEvent::Outcome(of) => {
            let backoff = of.backoff.as_nanos() / slot;
            Some(Event::Attempt(of.at, of.from.0, of.station.0, backoff, number_of(of.outcome)))
        }
        _ => None,
    }));
    for events in [&mut found, &mut expected] {
        events.sort_unstable_by_key(|event| (event.at(), *event));
    }
    (found, expected)
}

proptest! {
    #![proptest_config(evenair_testing::config!(2000))]

    #[test]
    fn medium_does_what_the_slot_by_slot_edca_does(case in cases()) {
        let (found, expected) = compare(&case);
        let place = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        let place = place.unwrap_or(found.len().min(expected.len()));
        let near = |events: &[Event]| {
            let near = place.saturating_sub(8)..(place + 4).min(events.len());
            events.get(near).map(<[_]>::to_vec)
        };
        prop_assert_eq!(near(&found), near(&expected), "event {}", place);
        prop_assert_eq!(found.len(), expected.len());
    }
}
