//! The events of the air: exchanges by hand, in microseconds, as in the timelines; and random cells, of which the events
//! add up to the counters.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::conservation::{self, Case, cases, losses};
use super::timelines::{ht20, send};
use super::*;
use crate::medium::wlan::AccessUsage;
use crate::medium::{
    Access, AccessDetail, AirEvent, Airtime, BlockAck, Contender, Fate, Mpdu, Ppdu, PpduKind,
    PsduFormat, QosPpdu, Transmitter,
};

const AP: NodeId = NodeId::ACCESS_POINT;
const STATION: NodeId = NodeId(1);
const BE: AccessCategory = AccessCategory::BestEffort;

/// The accesses before 20 ms, each with its PPDUs.
fn accesses(cell: &mut Cell<Edca>) -> Vec<(Access, Vec<Ppdu>)> {
    while cell.poll(Instant::from_nanos(20_000_000)).is_some() {}
    let mut accesses: Vec<(Access, Vec<Ppdu>)> = Vec::new();
    for event in cell.take_air() {
        match event {
            AirEvent::Access(access) => accesses.push((access, Vec::new())),
            AirEvent::Transmission(ppdu) => accesses.last_mut().expect("an access").1.push(ppdu),
            AirEvent::Outcome(_) => {}
        }
    }
    accesses
}

fn us(at: Instant) -> u64 {
    assert_eq!(at.as_nanos() % 1000, 0, "{at:?}");
    at.as_nanos() / 1000
}

/// What a PPDU is, from whom to whom, when it begins and ends, and what becomes of it.
fn frame(ppdu: &Ppdu) -> (PpduKind, [u32; 2], [u64; 2], Fate) {
    (ppdu.kind, [ppdu.from.0, ppdu.to.0], [us(ppdu.start), us(ppdu.end)], ppdu.fate)
}

fn frames(ppdus: &[Ppdu]) -> Vec<(PpduKind, [u32; 2], [u64; 2], Fate)> {
    ppdus.iter().map(frame).collect()
}

/// Sequence numbers, Retry bits, whether the receiver had them, and fates.
fn mpdus(ppdu: &Ppdu) -> Vec<(u16, bool, bool, Fate)> {
    let mpdu = |mpdu: &Mpdu| {
        let qos = mpdu.qos.expect("with EDCA");
        (qos.sequence, qos.retry, qos.repeats, mpdu.fate)
    };
    ppdu.mpdus.iter().map(mpdu).collect()
}

fn qos(ppdu: &Ppdu) -> QosPpdu {
    ppdu.qos.expect("with EDCA")
}

fn transmitters(access: &Access) -> &[Transmitter] {
    let AccessDetail::Contention(transmitters) = &access.detail else { panic!("{access:?}") };
    transmitters
}

/// Two stations without losses.
fn listened(config: EdcaConfig, aggregates: bool, seed: u64) -> Cell<Edca> {
    let mut cell = ht20(config, 2, aggregates, seed);
    cell.record_air();
    cell
}

/// A station of HT20 at MCS 7 whose first three packets come together, in a cell that loses 30 % of all frames; two more
/// come while they are on the air. Of the first seed with which the PPDU and the response fare so: all accesses.
fn three_mpdus(fates: [Fate; 3], response: Fate) -> Vec<(Access, Vec<Ppdu>)> {
    for seed in 0..1000 {
        let aggregation = Some(Aggregation::of(PhyFormat::Ht));
        let node = EdcaNode::new(mode(PhyFormat::Ht, 7, 20), aggregation);
        let mut cell = cell_with(config(), &[node.clone(), node], losses(0.3, 1, seed), seed);
        cell.record_air();
        (0..3).for_each(|_| send(&mut cell, 0, STATION, 1, BE));
        while cell.poll(Instant::from_nanos(100_000)).is_some() {}
        (0..2).for_each(|_| send(&mut cell, 100, STATION, 1, BE));
        let accesses = accesses(&mut cell);
        let [data, answer] = &accesses[0].1[..] else { continue };
        let of_mpdus: Vec<_> = data.mpdus.iter().map(|mpdu| mpdu.fate).collect();
        if of_mpdus == fates && answer.fate == response {
            return accesses;
        }
    }
    panic!("no seed has {fates:?} {response:?}");
}

/// The shortest AIFS is that of voice and video at the access point of hostapd, SIFS and a slot: 25 us. Best effort of
/// stations waits for two slots more.
#[test]
fn a_single_mpdu() {
    let mut cell = listened(config(), false, 1);
    send(&mut cell, 0, STATION, 1, BE);
    let [(access, ppdus)] = &accesses(&mut cell)[..] else { panic!("one access") };
    assert_eq!(
        [access.idle_since, access.at, access.slots.start, access.slots.end].map(us),
        [0, 43, 25, 43]
    );
    assert_eq!(access.slots.count, 2);
    let contender = Contender {
        node: STATION,
        category: Some(BE),
        from: 2,
        before: 0,
        after: 0,
        has_frame: true,
        immediate: true,
        transmits: true,
    };
    assert_eq!(access.contenders, [contender]);
    let [sent] = transmitters(access) else { panic!("one transmitter") };
    assert_eq!(
        (sent.node, sent.category, sent.to, sent.cw, sent.backoff, sent.repeats),
        (STATION, Some(BE), AP, 15, 0, false)
    );
    assert_eq!(
        frames(ppdus),
        [
            (PpduKind::Data, [1, 0], [43, 271], Fate::Received),
            (PpduKind::Ack, [0, 1], [287, 315], Fate::Received),
        ]
    );
    let data = &ppdus[0];
    assert_eq!(mpdus(data), [(0, false, false, Fate::Received)]);
    assert_eq!((data.bytes, data.mpdus[0].bytes, us(data.mpdus[0].end)), (1538, 1538, 271));
    let expected = QosPpdu {
        category: BE,
        psdu: PsduFormat::Mpdu,
        block_ack: None,
        reserved_until: ppdus[1].end,
    };
    assert_eq!(ppdus.iter().map(qos).collect::<Vec<_>>(), [expected; 2]);
    assert_eq!(Some(data.mpdus[0].packet), sent.packet);
}

/// Subframes of 1,544, 1,544 and 1,542 bytes end in symbols 48, 96 and 143 of 4 us behind 36 us of preamble. The second
/// MPDU is repeated, in front of the two that have come since.
#[test]
fn a_lost_mpdu_is_not_in_the_block_ack_and_is_repeated_first() {
    use Fate::{Corrupted, Received};
    let accesses = three_mpdus([Received, Corrupted, Received], Received);
    let [data, answer] = &accesses[0].1[..] else { panic!("two frames") };
    assert_eq!(frame(data), (PpduKind::Data, [1, 0], [43, 651], Received));
    assert_eq!(frame(answer), (PpduKind::BlockAck, [0, 1], [667, 699], Received));
    assert_eq!(qos(data).psdu, PsduFormat::AMpdu);
    let ends: Vec<_> = data.mpdus.iter().map(|mpdu| us(mpdu.end)).collect();
    assert_eq!(ends, [48, 96, 143].map(|symbols| 43 + 36 + 4 * symbols));
    let said = BlockAck { start: 0, length: 64, bitmap: [0b101, 0, 0, 0] };
    assert_eq!(qos(answer).block_ack, Some(said));
    let again = mpdus(&accesses[1].1[0]);
    let numbers: Vec<_> =
        again.iter().map(|(sequence, retry, repeats, _)| (*sequence, *retry, *repeats)).collect();
    assert_eq!(numbers, [(1, true, false), (3, false, false), (4, false, false)]);
}

/// The receiver has all three, and says so when they come again, whether or not it decodes them.
#[test]
fn after_a_lost_block_ack_the_next_one_has_what_was_received_before() {
    use Fate::{Corrupted, Received};
    let accesses = three_mpdus([Received; 3], Corrupted);
    assert_eq!(frame(&accesses[0].1[1]), (PpduKind::BlockAck, [0, 1], [667, 699], Corrupted));
    let again = mpdus(&accesses[1].1[0]);
    let numbers: Vec<_> =
        again.iter().map(|(sequence, retry, repeats, _)| (*sequence, *retry, *repeats)).collect();
    let (old, new) = (
        [0, 1, 2].map(|sequence| (sequence, true, true)),
        [3, 4].map(|sequence| (sequence, false, false)),
    );
    assert_eq!(numbers, [&old[..], &new].concat());
    assert!(transmitters(&accesses[1].0)[0].repeats);
    if let [_, answer] = &accesses[1].1[..] {
        let oldest = again.iter().find(|mpdu| mpdu.3 == Received).expect("one is decoded").0.min(3);
        let new = again.iter().filter(|mpdu| mpdu.0 > 2 && mpdu.3 == Received);
        let bits = 0b111 | new.map(|mpdu| 1 << mpdu.0).sum::<u64>();
        let said = qos(answer).block_ack.expect("a bitmap");
        assert_eq!((said.start, said.bitmap[0]), (oldest, bits >> oldest));
    }
}

/// As in the timeline of RTS and CTS.
#[test]
fn rts_and_cts_belong_to_the_access() {
    let mut cell = listened(EdcaConfig { rts_threshold: Some(2000), ..config() }, true, 1);
    (0..2).for_each(|_| send(&mut cell, 0, STATION, 1, BE));
    let [(_, ppdus)] = &accesses(&mut cell)[..] else { panic!("one access") };
    assert_eq!(
        frames(ppdus),
        [
            (PpduKind::Rts, [1, 0], [43, 71], Fate::Received),
            (PpduKind::Cts, [0, 1], [87, 115], Fate::Received),
            (PpduKind::Data, [1, 0], [131, 551], Fate::Received),
            (PpduKind::BlockAck, [0, 1], [567, 599], Fate::Received),
        ]
    );
    assert!(ppdus.iter().all(|ppdu| us(qos(ppdu).reserved_until) == 599));
    let bytes: Vec<_> = ppdus.iter().map(|ppdu| ppdu.bytes).collect();
    assert_eq!(bytes, [20, 14, 3086, 32]);
}

/// An S-MPDU of VHT, and an A-MSDU: two packets with one sequence number.
#[test]
fn an_a_msdu_is_one_mpdu_with_several_packets() {
    let aggregation = Aggregation { amsdu: Some(3839), ..Aggregation::of(PhyFormat::Vht) };
    let node = EdcaNode::new(mode(PhyFormat::Vht, 8, 20), Some(aggregation));
    let mut cell = cell(config(), &[node.clone(), node], 1);
    cell.record_air();
    (0..2).for_each(|_| send(&mut cell, 0, STATION, 1, BE));
    let [(_, ppdus)] = &accesses(&mut cell)[..] else { panic!("one access") };
    assert_eq!(
        ppdus.iter().map(|ppdu| ppdu.kind).collect::<Vec<_>>(),
        [PpduKind::Data, PpduKind::Ack]
    );
    let data = &ppdus[0];
    assert_eq!(qos(data).psdu, PsduFormat::SMpdu);
    assert_eq!(mpdus(data), [(0, false, false, Fate::Received); 2]);
    // 26 + 4 bytes of header and FCS, subframes of 1,524 and 1,522; and a delimiter.
    assert_eq!(data.mpdus.iter().map(|mpdu| mpdu.bytes).collect::<Vec<_>>(), [3076; 2]);
    assert_eq!(data.bytes, 3080);
    assert_ne!(data.mpdus[0].packet, data.mpdus[1].packet);
}

/// As in the timeline of BlockAckReqs: both stations ask for a Block Ack that says that nothing has been received.
#[test]
fn a_block_ack_request_follows_a_collision() {
    let config = EdcaConfig { recovery: BlockAckRecovery::BlockAckReq, ..config() };
    let mut cell = listened(config, true, 1);
    for station in [1, 1, 2, 2] {
        send(&mut cell, 0, NodeId(station), station, BE);
    }
    let accesses = accesses(&mut cell);
    assert_eq!(
        frames(&accesses[0].1),
        [1, 2].map(|node| (PpduKind::Data, [node, 0], [43, 463], Fate::Collided))
    );
    assert!(
        accesses[0].1.iter().all(|ppdu| ppdu.mpdus.iter().all(|mpdu| mpdu.fate == Fate::Collided))
    );
    let (access, ppdus) = &accesses[1];
    let [sent] = transmitters(access) else { panic!("seed 1 has one transmitter") };
    let (node, at) = (sent.node.0, us(access.at));
    assert_eq!(sent.packet, None);
    assert_eq!(
        frames(ppdus),
        [
            (PpduKind::BlockAckReq, [node, 0], [at, at + 32], Fate::Received),
            (PpduKind::BlockAck, [0, node], [at + 48, at + 80], Fate::Received),
        ]
    );
    let nothing = BlockAck { start: 0, length: 64, bitmap: [0; 4] };
    assert_eq!(
        ppdus.iter().map(|ppdu| qos(ppdu).block_ack).collect::<Vec<_>>(),
        [Some(nothing); 2]
    );
    assert_eq!(ppdus.iter().map(|ppdu| ppdu.retries).collect::<Vec<_>>(), [1, 0]);
    let again = accesses.iter().skip(2).flat_map(|(_, ppdus)| ppdus);
    let mut again = again.filter(|ppdu| ppdu.kind == PpduKind::Data && ppdu.from == sent.node);
    assert_eq!(
        mpdus(again.next_back().expect("data")),
        [0, 1].map(|number| (number, true, false, Fate::Received))
    );
}

/// A TXOP of video has two exchanges, and with the rules of ns-3 a CF-End of 20 bytes at 6 Mb/s: 8 symbols of 4 us behind
/// 20 us. It is one access.
#[test]
fn a_txop_is_one_access() {
    let standard = config();
    let ns3 = EdcaConfig {
        rules: AccessRules::Ns3,
        access: EDCA_NS3,
        access_point: EDCA_NS3,
        ..config()
    };
    for (config, ends) in [(standard, false), (ns3, true)] {
        let mut cell = listened(config, false, 1);
        (0..2).for_each(|_| send(&mut cell, 0, STATION, 1, AccessCategory::Video));
        let [(_, ppdus)] = &accesses(&mut cell)[..] else { panic!("one access") };
        let mut expected = vec![
            (PpduKind::Data, [1, 0], [34, 262], Fate::Received),
            (PpduKind::Ack, [0, 1], [278, 306], Fate::Received),
            (PpduKind::Data, [1, 0], [322, 550], Fate::Received),
            (PpduKind::Ack, [0, 1], [566, 594], Fate::Received),
        ];
        if ends {
            let to = NodeId::BROADCAST.0;
            expected.push((PpduKind::CfEnd, [1, to], [610, 662], Fate::Received));
        }
        assert_eq!(frames(ppdus), expected);
        assert_eq!(mpdus(&ppdus[2]), [(1, false, false, Fate::Received)]);
    }
}

/// Voice and video reach 0 together. Video has drawn a backoff of 0 to 15 slots.
#[test]
fn an_internal_collision_is_not_on_the_air() {
    let mut cell = listened(config(), false, 3);
    send(&mut cell, 0, STATION, 1, AccessCategory::Video);
    send(&mut cell, 0, STATION, 1, AccessCategory::Voice);
    let [(access, first), (later, second)] = &accesses(&mut cell)[..] else { panic!("two") };
    let [video, voice] = &access.contenders[..] else { panic!("two contenders") };
    assert_eq!(
        [video, voice].map(|of| (of.category, of.from, of.before, of.transmits)),
        [(Some(AccessCategory::Video), 1, 0, false), (Some(AccessCategory::Voice), 1, 0, true),]
    );
    assert_eq!(transmitters(access).len(), 1);
    assert_eq!(first[0].qos.map(|qos| qos.category), Some(AccessCategory::Voice));
    let counted = later.contenders.iter().find(|of| of.category == Some(AccessCategory::Video));
    assert_eq!(counted.map(|of| (of.before, of.transmits)), Some((video.after, true)));
    assert_eq!((us(later.at) - 340) / 9, video.after);
    // The failure counts, but it was not transmitted.
    assert_eq!((second[0].retries, mpdus(&second[0])[0].1), (1, false));
    assert!(transmitters(later)[0].cw == 15 && video.after <= 15);
}

/// As in the timelines: a beacon of 292 us meets a PPDU of 228 us; the next one meets nothing.
#[test]
fn beacons_have_no_category() {
    let mut cell = listened(config(), false, 1);
    assert_eq!(cell.poll(Instant::from_nanos(470_000)), None);
    send(&mut cell, 470, STATION, 1, BE);
    for at in [470_000, 600_000].map(Instant::from_nanos) {
        assert_eq!(cell.poll(at), None);
        cell.broadcast(at, AP, beacon(at));
    }
    let accesses = accesses(&mut cell);
    let to = NodeId::BROADCAST.0;
    assert_eq!(
        frames(&accesses[0].1),
        [
            (PpduKind::Beacon, [0, to], [475, 767], Fate::Collided),
            (PpduKind::Data, [1, 0], [475, 703], Fate::Collided),
        ]
    );
    let nodes = |access: &Access| -> Vec<_> {
        transmitters(access).iter().map(|sent| (sent.node.0, sent.category)).collect()
    };
    assert_eq!(nodes(&accesses[0].0), [(0, None), (1, Some(BE))]);
    assert_eq!(frames(&accesses[1].1), [(PpduKind::Beacon, [0, to], [792, 1084], Fate::Received)]);
    assert_eq!(nodes(&accesses[1].0), [(0, None)]);
    assert_eq!(accesses[1].1[0].qos, None);
}

/// What the receiver has of a link and category, and what its sender waits for.
#[derive(Debug, Default)]
struct Stream {
    received: BTreeSet<u16>,
    unacknowledged: BTreeSet<u16>,
}

impl Stream {
    /// The receiver and the sender of a PPDU of data, with the response to it if there is one.
    fn exchange(&mut self, data: &Ppdu, response: Option<&Ppdu>) -> Result<(), TestCaseError> {
        let before = self.received.clone();
        let numbers: BTreeSet<_> = mpdus(data).iter().map(|mpdu| mpdu.0).collect();
        for (sequence, retry, repeats, fate) in mpdus(data) {
            prop_assert_eq!(repeats, before.contains(&sequence));
            if fate == Fate::Received {
                self.received.insert(sequence);
            }
            prop_assert_eq!(retry, self.unacknowledged.contains(&sequence));
        }
        self.unacknowledged.extend(&numbers);
        let Some(response) = response else { return Ok(()) };
        if let Some(said) = qos(response).block_ack {
            self.check(said, &numbers)?;
        }
        if response.fate == Fate::Received {
            match qos(response).block_ack {
                None => self.unacknowledged.retain(|sequence| !numbers.contains(sequence)),
                Some(said) => self.acknowledge(said),
            }
        }
        Ok(())
    }

    /// A Block Ack has bits for all that has been received, and for what of `numbers` has.
    fn check(&self, said: BlockAck, numbers: &BTreeSet<u16>) -> Result<(), TestCaseError> {
        let newest = self.received.last().copied();
        for place in 0..said.length {
            let sequence = (said.start + place) % 4096;
            let is_set = bit(said, place);
            let is_received = self.received.contains(&sequence);
            prop_assert!(is_set || !is_received, "{:?}: {}", said, sequence);
            // Numbers before the first.
            let is_old = sequence >= 2048;
            prop_assert!(!is_set || is_old || Some(sequence) <= newest, "{:?}: {}", said, sequence);
            if numbers.contains(&sequence) {
                prop_assert_eq!(is_set, is_received, "{:?}: {}", said, sequence);
            }
        }
        Ok(())
    }

    fn acknowledge(&mut self, said: BlockAck) {
        self.unacknowledged.retain(|sequence| {
            let place = sequence.wrapping_sub(said.start) % 4096;
            !(place < said.length && bit(said, place))
        });
    }
}

fn bit(said: BlockAck, place: u16) -> bool {
    said.bitmap[usize::from(place / 64)] >> (place % 64) & 1 == 1
}

/// What the events of a run add up to.
#[derive(Debug, Default)]
struct Sums {
    usage: BTreeMap<(u32, u8), AccessUsage>,
    airtime: BTreeMap<u32, Airtime>,
    streams: BTreeMap<(u32, u32, u8), Stream>,
    beacons: u64,
    /// Packets that their receivers decode for the first time.
    received: u64,
}

impl Sums {
    fn access(&mut self, access: &Access, ppdus: &[Ppdu]) -> Result<(), TestCaseError> {
        for counter in &access.contenders {
            let reaches = counter.has_frame && counter.from + counter.before == access.slots.count;
            prop_assert!(reaches || !counter.transmits, "{:?}", counter);
            if reaches && !counter.transmits {
                let category = counter.category.expect("beacons have the highest priority");
                self.usage(counter.node, category).internal_collisions += 1;
            }
        }
        let is_collision = transmitters(access).len() > 1;
        let senders: Vec<_> = transmitters(access).iter().map(|sent| sent.node).collect();
        prop_assert!(senders.is_sorted());
        prop_assert_eq!(ppdus[0].start, access.at);
        let collided = ppdus.iter().filter(|ppdu| ppdu.fate == Fate::Collided).count();
        prop_assert_eq!(collided, if is_collision { ppdus.len() } else { 0 });
        for ppdu in ppdus {
            prop_assert!(access.at <= ppdu.start && ppdu.start < ppdu.end);
            let mut at = ppdu.start;
            for mpdu in &ppdu.mpdus {
                prop_assert!(at <= mpdu.end && mpdu.end <= ppdu.end);
                at = mpdu.end;
                let repeats = mpdu.qos.is_none_or(|qos| qos.repeats);
                self.received += u64::from(mpdu.fate == Fate::Received && !repeats);
            }
        }
        if is_collision {
            // A CTS that a sender addresses to itself goes with its data.
            let mut each = ppdus.chunk_by(|one, other| one.from == other.from);
            return each.try_for_each(|frames| self.exchange(frames));
        }
        prop_assert!(ppdus.windows(2).all(|pair| pair[0].end < pair[1].start), "{:?}", ppdus);
        // An exchange ends with a response.
        let is_response = |ppdu: &Ppdu| matches!(ppdu.kind, PpduKind::Ack | PpduKind::BlockAck);
        ppdus.split_inclusive(is_response).try_for_each(|exchange| self.exchange(exchange))
    }

    /// A frame that meets others, or an exchange.
    fn exchange(&mut self, ppdus: &[Ppdu]) -> Result<(), TestCaseError> {
        let (first, last) = (&ppdus[0], &ppdus[ppdus.len() - 1]);
        if matches!(first.kind, PpduKind::Beacon | PpduKind::CfEnd) {
            prop_assert_eq!(ppdus.len(), 1);
            self.beacons += u64::from(first.kind == PpduKind::Beacon);
            return Ok(());
        }
        // All but the last are received, and each is answered or continued after SIFS.
        let (_, others) = ppdus.split_last().expect("a frame");
        let is_lost = |ppdu: &Ppdu| ppdu.fate == Fate::Corrupted;
        prop_assert!(!others.iter().any(is_lost));
        let sifs = Duration::from_micros(16);
        prop_assert!(ppdus.windows(2).all(|pair| pair[0].end + sifs == pair[1].start));
        let time = last.end.since(first.start);
        let airtime = self.airtime.entry(first.from.0).or_default();
        match last.fate {
            Fate::Received => airtime.successes += time,
            Fate::Collided => airtime.collisions += time,
            Fate::Corrupted => airtime.corrupted += time,
        }
        if last.fate == Fate::Received {
            prop_assert_eq!(qos(first).reserved_until, last.end);
        }
        let category = qos(first).category;
        prop_assert!(ppdus.iter().all(|ppdu| qos(ppdu).category == category));
        let usage = self.usage(first.from, category);
        usage.attempts += 1;
        usage.collisions += u64::from(first.fate == Fate::Collided);
        usage.airtime += time;
        for (place, data) in ppdus.iter().enumerate() {
            let response = ppdus.get(place + 1);
            let stream = (data.from.0, data.to.0, category as u8);
            match data.kind {
                PpduKind::Data => {
                    let numbers: BTreeMap<_, _> =
                        mpdus(data).iter().map(|of| (of.0, of.1)).collect();
                    let usage = self.usage(data.from, category);
                    usage.ppdus += 1;
                    usage.mpdus += numbers.len() as u64;
                    usage.retried_mpdus += numbers.values().filter(|retry| **retry).count() as u64;
                    self.streams.entry(stream).or_default().exchange(data, response)?;
                }
                PpduKind::BlockAckReq => {
                    let asked = qos(data).block_ack.expect("a start");
                    prop_assert_eq!(asked.bitmap, [0; 4]);
                    let Some(response) = response else { continue };
                    let said = qos(response).block_ack.expect("a bitmap");
                    prop_assert_eq!(said.start, asked.start);
                    let stream = self.streams.entry(stream).or_default();
                    stream.check(said, &BTreeSet::new())?;
                    if response.fate == Fate::Received {
                        stream.acknowledge(said);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn usage(&mut self, node: NodeId, category: AccessCategory) -> &mut AccessUsage {
        self.usage.entry((node.0, category as u8)).or_default()
    }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let run = conservation::run(case);
    let (mut cell, now) = (run.cell, run.now);
    let (mut sums, mut last) = (Sums::default(), Instant::ZERO);
    let mut present: Option<(Access, Vec<Ppdu>)> = None;
    let mut end = |access: Option<(Access, Vec<Ppdu>)>, sums: &mut Sums| {
        let Some((access, ppdus)) = access else { return Ok(()) };
        prop_assert!(last <= access.idle_since && access.idle_since <= access.slots.start);
        prop_assert!(access.slots.start <= access.at && access.at == access.slots.end);
        last = ppdus.iter().map(|ppdu| ppdu.end).max().expect("a frame");
        sums.access(&access, &ppdus)
    };
    for event in cell.take_air() {
        match event {
            AirEvent::Access(access) => end(present.replace((access, Vec::new())), &mut sums)?,
            AirEvent::Transmission(ppdu) => present.as_mut().expect("an access").1.push(ppdu),
            AirEvent::Outcome(_) => {}
        }
    }
    end(present, &mut sums)?;
    for node in (0..=case.stations.len() as u32).map(NodeId) {
        for category in AccessCategory::ALL {
            let counted = *cell.medium().access_usage(node, category);
            let found = *sums.usage(node, category);
            prop_assert_eq!(found, counted, "{:?} {:?}", node, category);
        }
        let counted = cell.usage(now, node).airtime;
        let of_beacons = cell.medium().airtime_of_beacons(now, node);
        let mut found = sums.airtime.get(&node.0).copied().unwrap_or_default();
        found += of_beacons;
        prop_assert_eq!(found, Airtime { payload: Duration::ZERO, ..counted }, "{:?}", node);
    }
    let [beacons, _] = cell.occupancy().expect("observed").beacons_sent();
    prop_assert_eq!(sums.beacons, beacons);
    let packets = run.arrivals.iter().filter(|arrival| arrival.to != NodeId::BROADCAST);
    prop_assert_eq!(sums.received, packets.count() as u64);
    Ok(())
}

proptest! {
    #![proptest_config(evenair_testing::config!(1000))]

    #[test]
    fn events_add_up_to_the_counters(case in cases()) {
        check(&case)?;
    }
}
