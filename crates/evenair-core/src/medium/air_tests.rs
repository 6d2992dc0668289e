//! The events of the air are complete: counters of the media against sums over the events.

use std::collections::BTreeSet;

use super::scheduler::AirtimeDrr;
use super::wimax::phy::OfdmPhy;
use super::wimax::{Wimax, WimaxConfig};
use super::wlan::phy::Phy;
use super::wlan::{BasicRates, ControlRate, Dcf, DcfConfig, StationConfig};
use super::{
    AccessDetail, AirEvent, Airtime, Attempt, Cell, Fate, Medium, Outcome, PacketId, Ppdu,
    PpduKind, Setup, Transmitter,
};
use crate::loss::{
    self, IndependentConfig, Level, LinkLoss, LossDirection, LossRateConfig, LossyFrames,
    ScopeConfig,
};
use crate::packet::{FlowId, NodeId, Packet, PacketKind};
use crate::queue::{Config, Queue, QueueLimit, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

const STATIONS: u32 = 4;
const SEED: u64 = 3;

fn queues(count: u32) -> Vec<TxQueue<Packet>> {
    let queue = |id: u32| {
        let rng = RngStream::new(SEED, StreamId::Queue, id.into());
        TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(5), rng))
    };
    (0..count).map(queue).collect()
}

/// A cell in which 15% of the frames on each link are corrupted.
fn cell<M: Medium>(medium: M) -> Cell<M> {
    let Setup { associations, layout, .. } = medium.setup();
    let count = layout.count(associations);
    let loss = |station| {
        let scope = ScopeConfig {
            level: Level::Mac,
            frames: LossyFrames::All,
            direction: LossDirection::Both,
        };
        let loss: loss::Config =
            IndependentConfig { loss: LossRateConfig { rate: 0.15 }, scope }.into();
        LinkLoss::new(&loss, SEED, StreamId::FrameErrors, station)
    };
    let losses = std::iter::once(None).chain((1..=STATIONS).map(|station| Some(loss(station))));
    Cell::new(medium, queues(count), losses.collect())
}

/// Packets of several sizes from and to all stations, twice as many as `interval` suffices for, and then
/// silence. `at_start` is called with the times of the arrivals. Returns the number of packets sent, and the
/// events.
fn load<M: Medium>(
    cell: &mut Cell<M>,
    interval: Duration,
    mut on_arrival: impl FnMut(&mut Cell<M>, Instant, u32),
) -> (u64, Vec<AirEvent>) {
    let mut sizes = RngStream::new(SEED, StreamId::Traffic, 0);
    let mut events = Vec::new();
    let (mut now, count) = (Instant::ZERO, 4000);
    cell.record_air();
    for i in 0..count {
        now += interval;
        while cell.poll(now).is_some() {}
        events.append(&mut cell.take_air());
        let station = NodeId(1 + i / 2 % STATIONS);
        let from = if i % 2 == 0 { station } else { NodeId::ACCESS_POINT };
        let size = 40 + sizes.up_to(1400);
        let packet = Packet::new(FlowId(station.0), PacketKind::Data);
        cell.send(now, from, Packet { station, size, enqueued_at: now, ..packet });
        on_arrival(cell, now, i);
    }
    while cell.poll(now + Duration::from_secs(60)).is_some() {}
    events.append(&mut cell.take_air());
    (count.into(), events)
}

/// The packets that have left the queues.
fn taken<M: Medium>(cell: &Cell<M>, sent: u64) -> u64 {
    assert!(cell.queues().iter().all(|queue| queue.backlog().packets() == 0));
    sent - cell.queues().iter().map(TxQueue::losses).sum::<u64>()
}

/// Packets that are in the hands of a medium.
#[derive(Default)]
struct InService {
    packets: BTreeSet<u32>,
    finals: u64,
}

impl InService {
    fn transmit(&mut self, packet: PacketId) {
        self.packets.insert(packet.0);
    }

    fn end(&mut self, packet: PacketId) {
        assert!(self.packets.remove(&packet.0), "one final outcome for what is transmitted");
        self.finals += 1;
    }
}

/// An exchange of one node, or the frames of each node in a collision.
fn airtime_of_access(transmitters: &[Transmitter], sent: &[&Ppdu], airtime: &mut [Airtime]) {
    for transmitter in transmitters {
        let alone = transmitters.len() == 1;
        let own = |ppdu: &&&Ppdu| alone || ppdu.from == transmitter.node;
        let start = sent.iter().filter(own).map(|ppdu| ppdu.start).min().unwrap();
        let end = sent.iter().filter(own).map(|ppdu| ppdu.end).max().unwrap();
        let fates = || sent.iter().filter(own).map(|ppdu| ppdu.fate);
        let airtime = &mut airtime[transmitter.node.index()];
        let of_fate = if !alone {
            assert!(fates().all(|fate| fate == Fate::Collided));
            &mut airtime.collisions
        } else if fates().all(|fate| fate == Fate::Received) {
            &mut airtime.successes
        } else {
            &mut airtime.corrupted
        };
        *of_fate += end.since(start);
    }
}

/// With beacons, RTS/CTS for some frames, and a scheduler or none.
#[test]
fn the_events_of_an_802_11_cell_are_complete() {
    for with_scheduler in [false, true] {
        let phy = Phy::dot11a();
        let control_rate = ControlRate::Basic(BasicRates::new(phy.mandatory_rates));
        let config = DcfConfig {
            rts_threshold: Some(700),
            short_retry_limit: 3,
            long_retry_limit: 2,
            station_queues: with_scheduler,
            ..DcfConfig::new(phy, control_rate)
        };
        let station = StationConfig::fixed(&config.phy, phy.rates[5]);
        let nodes = vec![station; STATIONS as usize + 1];
        let mut cell = cell(Dcf::new(config, &nodes, SEED));
        if with_scheduler {
            let scheduler = AirtimeDrr::new(&[Duration::from_micros(300); STATIONS as usize]);
            cell = cell.with_schedulers(vec![Box::new(scheduler)]);
        }
        let (sent, events) = load(&mut cell, Duration::from_micros(400), |cell, now, i| {
            if i % 50 == 0 {
                let beacon = Packet::new(FlowId::NONE, PacketKind::Beacon);
                cell.broadcast(now, NodeId::ACCESS_POINT, Packet { size: 100, ..beacon });
            }
        });
        let mut airtime = vec![Airtime::default(); nodes.len()];
        let mut outcomes = vec![[0_u64; 3]; nodes.len()];
        let (mut beacons, mut in_service) = (0, InService::default());
        let (mut at, mut transmitters, mut ppdus) = (Instant::ZERO, &[][..], Vec::new());
        for event in &events {
            match event {
                AirEvent::Access(access) => {
                    airtime_of_access(transmitters, &ppdus, &mut airtime);
                    assert!(at <= access.at);
                    at = access.at;
                    let AccessDetail::Contention(all) = &access.detail else {
                        panic!("{access:?}")
                    };
                    (transmitters, ppdus) = (all, Vec::new());
                    all.iter()
                        .filter_map(|sent| sent.packet)
                        .for_each(|sent| in_service.transmit(sent));
                }
                AirEvent::Transmission(ppdu) => {
                    let carried = matches!(ppdu.kind, PpduKind::Data | PpduKind::Beacon);
                    assert_eq!(ppdu.mpdus.len(), usize::from(carried));
                    for mpdu in &ppdu.mpdus {
                        let sender = transmitters.iter().find(|sent| sent.node == ppdu.from);
                        assert_eq!(sender.map(|sent| sent.packet), Some(Some(mpdu.packet)));
                    }
                    ppdus.push(ppdu);
                }
                AirEvent::Outcome(Attempt { packet, from, station, outcome, .. }) => {
                    if *outcome != Outcome::Failed {
                        in_service.end(*packet);
                    }
                    match *station {
                        NodeId::BROADCAST => beacons += 1,
                        _ => outcomes[from.index()][*outcome as usize] += 1,
                    }
                }
            }
        }
        airtime_of_access(transmitters, &ppdus, &mut airtime);
        let end = at + Duration::from_secs(1);
        let mut corrupted_and_collided = [Duration::ZERO; 2];
        for (node, (found, outcomes)) in (0..).map(NodeId).zip(airtime.iter().zip(&outcomes)) {
            let usage = cell.usage(end, node);
            assert_eq!(*found, Airtime { payload: Duration::ZERO, ..usage.airtime }, "{node:?}");
            assert_eq!(outcomes[Outcome::Delivered as usize], usage.delivered, "{node:?}");
            assert_eq!(outcomes[Outcome::GivenUp as usize], usage.dropped, "{node:?}");
            assert_eq!(outcomes.iter().sum::<u64>(), usage.attempts, "{node:?}");
            corrupted_and_collided[0] += found.corrupted;
            corrupted_and_collided[1] += found.collisions;
        }
        assert!(in_service.packets.is_empty());
        assert_eq!(in_service.finals, taken(&cell, sent) + beacons);
        assert!(beacons > 50 && corrupted_and_collided.iter().all(|time| *time > Duration::ZERO));
    }
}

/// With fragments, piggybacked requests, and requests that are given up.
#[test]
fn the_events_of_an_802_16_cell_are_complete() {
    let config = WimaxConfig {
        piggyback: true,
        contention_slots: 1,
        request_backoff: [0, 1],
        request_retries: 0,
        t16: Duration::from_millis(10),
        ..WimaxConfig::new(OfdmPhy::default())
    };
    let bytes = [107, 48, 24, 12];
    let mut cell = cell(Wimax::new(config, &bytes, SEED).unwrap());
    let (sent, events) = load(&mut cell, Duration::from_micros(700), |_, _, _| {});
    let mut airtime = vec![Duration::ZERO; bytes.len() + 1];
    let mut outcomes = vec![[0_u64; 3]; bytes.len() + 1];
    let (mut in_service, mut fragments, mut frames) = (InService::default(), 0, Vec::new());
    for event in &events {
        match event {
            AirEvent::Access(access) => frames.push(access.at),
            AirEvent::Transmission(ppdu) if ppdu.kind == PpduKind::Request => {
                assert!(ppdu.mpdus.is_empty() && ppdu.asks_for.is_some());
            }
            AirEvent::Transmission(ppdu) => {
                airtime[ppdu.from.index()] += ppdu.end.since(ppdu.start);
                assert_eq!(ppdu.mpdus.iter().map(|mpdu| mpdu.bytes).sum::<u32>(), ppdu.bytes);
                for mpdu in &ppdu.mpdus {
                    let is_new = !in_service.packets.contains(&mpdu.packet.0);
                    assert_eq!(mpdu.is_first, is_new, "{mpdu:?}");
                    in_service.transmit(mpdu.packet);
                    fragments += u32::from(!mpdu.is_last);
                }
            }
            AirEvent::Outcome(Attempt { packet, from, outcome, .. }) => {
                if *outcome == Outcome::GivenUp {
                    in_service.transmit(*packet);
                }
                in_service.end(*packet);
                outcomes[from.index()][*outcome as usize] += 1;
            }
        }
    }
    assert!(frames.is_sorted());
    let end = frames[frames.len() - 1] + Duration::from_secs(1);
    for (node, (found, outcomes)) in (0..).map(NodeId).zip(airtime.iter().zip(&outcomes)) {
        let usage = cell.usage(end, node);
        assert_eq!(*found, usage.airtime.total(), "{node:?}");
        let [delivered, failed, given_up] = *outcomes;
        assert_eq!((delivered, failed + given_up), (usage.delivered, usage.dropped), "{node:?}");
    }
    let [failed, given_up] = [1, 2].map(|of| outcomes.iter().map(|sums| sums[of]).sum::<u64>());
    assert!(in_service.packets.is_empty());
    assert_eq!(in_service.finals, taken(&cell, sent));
    assert!(fragments > 10 && failed > 10 && given_up > 10, "{fragments} {failed} {given_up}");
}
