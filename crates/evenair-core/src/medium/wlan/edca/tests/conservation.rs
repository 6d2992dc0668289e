//! Random cells: packets are conserved and arrive in order, and the time of the air adds up.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::loss::{
    self, IndependentConfig, Level, LinkLoss, LossRateConfig, LossyFrames, ScopeConfig,
};
use crate::medium::wlan::Protection;
use crate::medium::wlan::high_throughput::allowed;
use crate::medium::wlan::phy::OFDM_RATES;
use crate::medium::{AirEvent, Arrival, Outcome};

/// A packet that is handed to the cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offered {
    pub(super) after_us: u64,
    pub(super) station: u32,
    pub(super) is_up: bool,
    pub(super) category: AccessCategory,
    pub(super) bytes: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) config: EdcaConfig,
    pub(super) stations: Vec<EdcaNode>,
    loss: f64,
    pub(super) seed: u64,
    pub(super) offered: Vec<Offered>,
    /// Time between two beacons of [`BEACON`] bytes, microseconds.
    pub(super) beacon_interval_us: Option<u64>,
}

impl Case {
    /// The times of beacons before `until`.
    pub(super) fn beacons(&self, until: Instant) -> impl Iterator<Item = Instant> + use<> {
        let interval = self.beacon_interval_us.map(Duration::from_micros);
        let times = interval
            .into_iter()
            .flat_map(|interval| (1..).map(move |number| Instant::ZERO + interval * number));
        times.take_while(move |at| *at < until)
    }

    /// The loss models, by node.
    pub(super) fn losses(&self) -> Vec<Option<LinkLoss>> {
        losses(self.loss, self.stations.len() as u32, self.seed)
    }
}

/// The loss models of the nodes of a cell with this number of stations, in which all frames are lost at this rate.
pub(super) fn losses(rate: f64, stations: u32, seed: u64) -> Vec<Option<LinkLoss>> {
    let (loss, scope) = (LossRateConfig { rate }, ScopeConfig::default());
    let scope = ScopeConfig { level: Level::Mac, frames: LossyFrames::All, ..scope };
    let config: loss::Config = IndependentConfig { loss, scope }.into();
    let link_loss = |node| LinkLoss::new(&config, seed, StreamId::FrameErrors, node);
    (0..=stations).map(|node| (rate > 0.0).then(|| link_loss(node))).collect()
}

fn nodes() -> impl Strategy<Value = EdcaNode> {
    let formats = prop_oneof![Just(PhyFormat::Ht), Just(PhyFormat::Vht), Just(PhyFormat::He)];
    let amsdu = prop::option::of(100..11_000_u32);
    let limits = prop::option::of((1..=256_u16, 2_000..200_000_u32, 200..5484_u64, amsdu));
    let modern = (formats, 0..4_usize, 1..=4_u8, 0..12_usize, limits).prop_map(
        |(format, width, streams, mcs, limits)| {
            let width = [20, 40, 80, 160][if format == PhyFormat::Ht { width % 2 } else { width }];
            let all: Vec<_> = allowed(format, width, streams).collect();
            let (mcs, gi) = (all[mcs % all.len()], Duration::from_nanos(800));
            let mode = TxVector::high_throughput(format, mcs, width, streams, gi).unwrap();
            let aggregation = limits.map(|(window, bytes, us, amsdu)| Aggregation {
                amsdu,
                window,
                bytes,
                duration: Duration::from_micros(us),
            });
            EdcaNode::new(mode, aggregation)
        },
    );
    let rates = prop::sample::select(OFDM_RATES);
    let legacy = rates.prop_map(|rate| EdcaNode::legacy(TxVector::ofdm(rate)));
    prop_oneof![4 => modern, 1 => legacy]
}

pub(super) fn cases() -> impl Strategy<Value = Case> {
    let rules = prop_oneof![Just(AccessRules::Standard), Just(AccessRules::Ns3)];
    let recovery = prop_oneof![Just(BlockAckRecovery::Resend), Just(BlockAckRecovery::BlockAckReq)];
    let presets = prop_oneof![
        Just((EDCA_WMM, EDCA_WMM_ACCESS_POINT)),
        Just((EDCA_2020, EDCA_2020)),
        Just((EDCA_NS3, EDCA_NS3)),
    ];
    let protections = prop_oneof![
        2 => Just(Protection::Off),
        1 => Just(Protection::CtsToSelf),
        1 => Just(Protection::RtsCts)
    ];
    let lifetime = prop::option::of((0..30_000_u64).prop_map(Duration::from_micros));
    let config = (rules, recovery, presets, lifetime, prop::option::of(0..20_000_u32), protections)
        .prop_map(
            |(rules, recovery, (access, access_point), lifetime, rts_threshold, protection)| {
                EdcaConfig {
                    protection,
                    rules,
                    recovery,
                    lifetime,
                    access,
                    access_point,
                    rts_threshold,
                    ..config()
                }
            },
        );
    let loss = prop_oneof![Just(0.0), 0.0..0.4];
    let beacons = prop::option::of(300..20_000_u64);
    (config, prop::collection::vec(nodes(), 1..6), loss, 0..u64::MAX, beacons).prop_flat_map(
        |(config, stations, loss, seed, beacon_interval_us)| {
            let count = stations.len() as u32;
            let after = prop_oneof![Just(0_u64), 0..300_u64, 0..20_000_u64];
            let has_qos: Vec<_> = stations.iter().map(|station| station.has_qos).collect();
            let offered = (after, 1..=count, any::<bool>(), 0..4_usize, 28..1500_u32).prop_map(
                move |(after_us, station, is_up, category, bytes)| {
                    let has_qos = has_qos[station as usize - 1];
                    let category = AccessCategory::ALL[if has_qos { category } else { 0 }];
                    Offered { after_us, station, is_up, category, bytes }
                },
            );
            let offered = prop::collection::vec(offered, 1..150);
            offered.prop_map(move |offered| {
                let (config, stations) = (config, stations.clone());
                Case { config, stations, loss, seed, offered, beacon_interval_us }
            })
        },
    )
}

/// What has been offered on one link in one category, and the last packet that has arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    offered: u64,
    arrived: u64,
    last: Option<u64>,
}

/// A case that has run to its end.
pub(super) struct Run {
    pub(super) cell: Cell<Edca>,
    pub(super) now: Instant,
    pub(super) arrivals: Vec<Arrival<Packet>>,
}

/// Runs `case`, and records the air.
pub(super) fn run(case: &Case) -> Run {
    let access_point = case.stations[0].clone();
    let nodes: Vec<_> = [access_point].iter().chain(&case.stations).cloned().collect();
    let mut cell = cell_with(case.config, &nodes, case.losses(), case.seed);
    cell.record_air();
    observe(&mut cell);
    let mut now = Instant::ZERO;
    let mut arrivals = Vec::new();
    let offered = case.offered.iter().map(|offered| offered.after_us).sum();
    let mut beacons = case.beacons(Instant::ZERO + Duration::from_micros(offered)).peekable();
    for (number, offered) in (0..).zip(&case.offered) {
        now += Duration::from_micros(offered.after_us);
        while let Some(at) = beacons.next_if(|at| *at <= now) {
            arrivals.extend(std::iter::from_fn(|| cell.poll(at)));
            cell.broadcast(at, NodeId::ACCESS_POINT, beacon(at));
        }
        arrivals.extend(std::iter::from_fn(|| cell.poll(now)));
        let Offered { station, is_up, category, bytes, .. } = *offered;
        let from = if is_up { NodeId(station) } else { NodeId::ACCESS_POINT };
        let packet = Packet { seq: number, ..packet(NodeId(station), bytes, category, now) };
        cell.send(now, from, packet);
    }
    // Retries of a frame that is lost with a probability of 0.4 take far less than 20 s.
    now += Duration::from_secs(20);
    while let Some(arrival) = cell.poll(now) {
        arrivals.push(arrival);
    }
    Run { cell, now, arrivals }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let Run { mut cell, now, arrivals } = run(case);
    let nodes = case.stations.len() as u32 + 1;
    let mut streams: BTreeMap<(u32, bool, u8), Stream> = BTreeMap::new();
    for &Offered { station, is_up, category, .. } in &case.offered {
        streams.entry((station, is_up, category as u8)).or_default().offered += 1;
    }
    let (received, arrivals): (Vec<_>, Vec<_>) =
        arrivals.into_iter().partition(|arrival| arrival.to == NodeId::BROADCAST);
    for arrival in arrivals {
        let is_up = arrival.to == NodeId::ACCESS_POINT;
        let station = if is_up { arrival.from } else { arrival.to };
        let packet = arrival.packet;
        prop_assert_eq!(packet.station, station);
        let stream = streams.entry((station.0, is_up, packet.category as u8)).or_default();
        prop_assert!(stream.last < Some(packet.seq), "in order and once: {:?}", packet);
        stream.last = Some(packet.seq);
        stream.arrived += 1;
    }
    let (mut lost, mut dropped, mut delivered, mut attempts) = (0, 0, 0, 0);
    for (&(station, ..), stream) in &streams {
        let missing = stream.offered - stream.arrived;
        let has_agreement = case.stations[station as usize - 1].aggregation.is_some();
        if has_agreement && case.config.lifetime.is_none() {
            prop_assert_eq!(missing, 0, "under an agreement nothing is lost: {:?}", stream);
        }
        lost += missing;
    }
    for node in (0..nodes).map(NodeId) {
        let usage = cell.usage(now, node);
        dropped += usage.dropped;
        delivered += usage.delivered;
        attempts += usage.attempts;
        prop_assert!(usage.collisions <= usage.attempts);
    }
    let (of_beacons, outcomes): (Vec<_>, Vec<_>) = (cell.take_air().into_iter())
        .filter_map(
            |event| if let AirEvent::Outcome(attempt) = event { Some(attempt) } else { None },
        )
        .partition(|attempt| attempt.station == NodeId::BROADCAST);
    let occupancy = cell.occupancy().expect("observed");
    let [sent, collided] = occupancy.beacons_sent();
    prop_assert_eq!(of_beacons.len() as u64, sent);
    prop_assert_eq!(received.len() as u64, sent - collided);
    // Each station has one flow.
    for station in (1..nodes).map(NodeId) {
        let attempts = occupancy.attempts(station);
        prop_assert_eq!(attempts, occupancy.flow_attempts(FlowId(station.0)));
        let of_station = outcomes.iter().filter(|attempt| attempt.station == station);
        let sum =
            of_station.fold(Duration::ZERO, |sum, of| sum + of.space + of.backoff + of.airtime);
        prop_assert_eq!(attempts.down.time() + attempts.up.time(), sum);
    }
    let counted = (1..nodes).map(|node| occupancy.attempts(NodeId(node)));
    let counted: u64 = counted.map(|of| of.down.delivered + of.up.delivered).sum();
    prop_assert_eq!(counted, delivered);
    let given_up = outcomes.iter().filter(|attempt| attempt.outcome == Outcome::GivenUp).count();
    if case.config.lifetime.is_none() {
        prop_assert_eq!((outcomes.len() as u64, given_up as u64), (attempts, dropped));
    } else {
        // A BlockAckReq may have no packet to name, and packets are dropped at the end of their lifetime, too.
        prop_assert!(outcomes.len() as u64 <= attempts && given_up as u64 <= dropped);
    }
    // A packet of which only the ACKs were lost has arrived, and is dropped nevertheless.
    prop_assert!(lost <= dropped);
    prop_assert_eq!(delivered + dropped, case.offered.len() as u64);
    prop_assert!(cell.queues().iter().all(|queue| queue.backlog().packets() == 0));

    let airtimes = (0..nodes).map(|node| cell.usage(now, NodeId(node)).airtime);
    let (mut alone, mut all) = (Duration::ZERO, Duration::ZERO);
    for airtime in airtimes {
        prop_assert!(airtime.payload <= airtime.successes);
        alone += airtime.successes + airtime.corrupted;
        all += airtime.total();
    }
    // Every PPDU is one of the access point or for it.
    let on_air = cell.traffic_airtime(now, NodeId::ACCESS_POINT);
    prop_assert!(alone <= on_air && on_air <= all && on_air < now.since(Instant::ZERO));
    if alone == all {
        prop_assert_eq!(on_air, all, "nothing overlaps");
    }
    Ok(())
}

proptest! {
    #![proptest_config(evenair_testing::config!(2000))]

    #[test]
    fn packets_and_time_are_conserved(case in cases()) {
        check(&case)?;
    }
}
