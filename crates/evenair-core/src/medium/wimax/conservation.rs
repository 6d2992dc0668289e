//! Random cells: what arrives is delivered, lost or still there, however often the cell is polled.

use std::collections::VecDeque;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::phy::{CyclicPrefix, FRAME_DURATIONS, Modulation, OfdmPhy};
use super::scheduler::{self, DrrConfig};
use super::{DlShare, Maps, SduCounts, Wimax, WimaxConfig};
use crate::loss::{self, IndependentConfig, Level, LinkLoss, LossRateConfig, ScopeConfig};
use crate::medium::{Arrival, Cell, Medium};
use crate::packet::{Direction, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{Config, Limit, Queue, TbfConfig, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// A packet that is handed to the cell.
#[derive(Clone, Copy, Debug)]
struct Offered {
    after: Duration,
    station: u32,
    direction: Direction,
    bytes: u32,
}

#[derive(Clone, Debug)]
struct Case {
    config: WimaxConfig,
    bytes_per_symbol: Vec<u32>,
    limit: u32,
    shaped: bool,
    loss: f64,
    level: Level,
    offered: Vec<Offered>,
}

fn cases() -> impl Strategy<Value = Case> {
    let phy =
        (0..7_usize, prop::sample::select(vec![3_500_000, 7_000_000, 10_000_000]), 0..4_usize);
    let phy = phy.prop_map(|(frame, bandwidth, prefix)| {
        let prefix = CyclicPrefix::from_name(CyclicPrefix::NAMES[prefix]).unwrap();
        OfdmPhy::new(bandwidth, prefix, FRAME_DURATIONS[frame]).unwrap()
    });
    let share = prop_oneof![
        (1..7_u32, 1..4_u32).prop_map(|(dl, ul)| DlShare::Ratio { dl, ul }),
        (0.2..0.9).prop_map(DlShare::Fraction),
    ];
    let scheduler = prop_oneof![
        Just(scheduler::Config::default()),
        (1..4000_u64).prop_map(|quantum| DrrConfig { quantum }.into()),
    ];
    let mac = (1..8_u32, 0..4_u32, 0..3_u32, 1..100_u64, 0..4_u32);
    let config = (phy, share, scheduler, mac, any::<[bool; 3]>(), 0..7_usize).prop_map(
        |(
            phy,
            dl_share,
            scheduler,
            (slots, first, more, t16, retries),
            [maps, piggyback, crc],
            cell,
        )| {
            WimaxConfig {
                phy,
                dl_share,
                bytes_per_symbol: Modulation::ALL[cell].bytes_per_symbol(),
                contention_slots: slots,
                request_backoff: [first, first + more],
                t16: Duration::from_millis(t16),
                request_retries: retries,
                maps: if maps { Maps::Actual } else { Maps::Maximum },
                piggyback,
                crc,
                scheduler,
            }
        },
    );
    let modulations = prop::collection::vec(0..7_usize, 1..=12);
    let links =
        (1..80_u32, any::<bool>(), prop::sample::select(vec![0.0, 0.01, 0.3]), any::<bool>());
    (config, modulations, links).prop_flat_map(|(config, modulations, links)| {
        let stations = modulations.len() as u32;
        let gap = prop_oneof![3 => 0..2_000_000_u64, 1 => 0..60_000_000_u64, 1 => Just(5_000_000)];
        let size = prop_oneof![Just(40_u32), Just(1064), 20..2000_u32];
        let offered =
            (gap, 1..=stations, any::<bool>(), size).prop_map(|(gap, station, up, bytes)| {
                let direction = if up { Direction::Up } else { Direction::Down };
                Offered { after: Duration::from_nanos(gap), station, direction, bytes }
            });
        let (limit, shaped, loss, mac) = links;
        let bytes_per_symbol: Vec<u32> =
            modulations.iter().map(|&m| Modulation::ALL[m].bytes_per_symbol()).collect();
        // A symbol of BPSK holds no fragment with a CRC.
        let crc = config.crc && bytes_per_symbol.iter().all(|&bytes| bytes > 12);
        let config = WimaxConfig { crc, ..config };
        prop::collection::vec(offered, 1..400).prop_map(move |offered| Case {
            config: config.clone(),
            bytes_per_symbol: bytes_per_symbol.clone(),
            limit,
            shaped,
            loss,
            level: if mac { Level::Mac } else { Level::Ip },
            offered,
        })
    })
}

/// The cell of a case; none if a subframe has no room.
fn cell(case: &Case) -> Option<Cell<Wimax>> {
    let medium = Wimax::new(case.config.clone(), &case.bytes_per_symbol, 1).ok()?;
    let nodes = medium.stations() + 1;
    let discipline = match case.shaped {
        true => TbfConfig { rate: 2_000_000, burst: 10_000 }.into(),
        false => Config::default(),
    };
    let queue = |index| {
        let stream = RngStream::new(1, StreamId::Queue, index);
        TxQueue::new(Queue::new(&discipline, Limit::Packets(case.limit), stream))
    };
    let queues = (0..u64::from(Wimax::LAYOUT.count(nodes))).map(queue).collect();
    let losses = (0..nodes).map(|node| {
        let loss = LossRateConfig { rate: case.loss };
        let scope = ScopeConfig { level: case.level, ..ScopeConfig::default() };
        let config: loss::Config = IndependentConfig { loss, scope }.into();
        (case.loss > 0.0).then(|| LinkLoss::new(&config, 1, StreamId::FrameErrors, node))
    });
    Some(Cell::new(medium, queues, losses.collect()))
}

/// What has been accepted, by queue.
struct Ledger {
    /// Number and bytes of packets that have not been delivered and that no later one has overtaken.
    open: Vec<VecDeque<(u64, u32)>>,
    accepted: Vec<u64>,
    delivered: Vec<u64>,
    last: Instant,
}

impl Ledger {
    fn new(queues: usize) -> Self {
        Self {
            open: vec![VecDeque::new(); queues],
            accepted: vec![0; queues],
            delivered: vec![0; queues],
            last: Instant::ZERO,
        }
    }

    /// An arrival has been accepted before, and after all that have arrived from its queue.
    fn arrive(&mut self, arrival: &Arrival<Packet>) {
        assert!(self.last <= arrival.at, "times never decrease");
        self.last = arrival.at;
        let queue = Wimax::LAYOUT.queue(arrival.from, arrival.to, 0).0 as usize;
        loop {
            let (seq, bytes) = self.open[queue].pop_front().expect("accepted before, once");
            if seq == arrival.packet.seq {
                assert_eq!(bytes, arrival.packet.size);
                self.delivered[queue] += 1;
                return;
            }
        }
    }

    /// What was accepted has been delivered, was lost, or is in a queue or in service; nothing is lost on
    /// the air if that is `lossless`.
    fn check(&self, cell: &Cell<Wimax>, lossless: bool) {
        let medium = cell.medium();
        for station in &medium.stations {
            let node = station.node;
            for (side, from, to) in [
                (&station.down, NodeId::ACCESS_POINT, node),
                (&station.up, node, NodeId::ACCESS_POINT),
            ] {
                let queue = Wimax::LAYOUT.queue(from, to, 0).0 as usize;
                let SduCounts { delivered, lost, given_up } = side.sdus;
                assert_eq!(self.delivered[queue], delivered);
                assert!(lost == 0 || !lossless);
                let waiting = u64::from(cell.queues()[queue].backlog().packets());
                let serving = medium.in_service(Direction::from_node(from), node);
                let known = delivered + lost + given_up + waiting + serving;
                assert_eq!(self.accepted[queue], known);
            }
        }
    }
}

/// Offers the packets of a case and polls up to `end`.
fn run(case: &Case, mut cell: Cell<Wimax>, end: Instant) -> (Cell<Wimax>, Ledger) {
    let mut ledger = Ledger::new(cell.queues().len());
    let mut now = Instant::ZERO;
    for (seq, offered) in case.offered.iter().enumerate() {
        now += offered.after;
        while let Some(arrival) = cell.poll(now) {
            ledger.arrive(&arrival);
        }
        let station = NodeId(offered.station);
        let (from, to) = match offered.direction {
            Direction::Down => (NodeId::ACCESS_POINT, station),
            Direction::Up => (station, NodeId::ACCESS_POINT),
        };
        let queue = Wimax::LAYOUT.queue(from, to, 0).0 as usize;
        let before = cell.queues()[queue].backlog().packets();
        let packet = Packet {
            station,
            size: offered.bytes,
            seq: seq as u64,
            enqueued_at: now,
            ..Packet::new(FlowId(queue as u32), PacketKind::Data)
        };
        cell.send(now, from, packet);
        if cell.queues()[queue].backlog().packets() > before {
            ledger.open[queue].push_back((seq as u64, offered.bytes));
            ledger.accepted[queue] += 1;
        }
    }
    while let Some(arrival) = cell.poll(end) {
        ledger.arrive(&arrival);
    }
    (cell, ledger)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(16),
        cases: 400,
        ..ProptestConfig::default()
    })]

    /// Nothing is delivered twice or out of order. At the end of the arrivals and after a long time, what
    /// was accepted has been delivered, lost on the air, given up or waits; after a long time nothing waits,
    /// and all has left the limits of the queues.
    #[test]
    fn packets_are_conserved(case in cases()) {
        let Some(cell) = cell(&case) else { return Ok(()) };
        let total = case.offered.iter().fold(Duration::ZERO, |sum, one| sum + one.after);
        let end = Instant::ZERO + total;
        let (mut cell, mut ledger) = run(&case, cell, end);
        ledger.check(&cell, case.loss == 0.0 || case.level == Level::Ip);
        // An SDU of 2000 bytes in fragments of 3 bytes, one in a frame: 160 SDUs take 2200 s at most.
        while let Some(arrival) = cell.poll(end + Duration::from_secs(3000)) {
            ledger.arrive(&arrival);
        }
        ledger.check(&cell, case.loss == 0.0 || case.level == Level::Ip);
        let now = end + Duration::from_secs(3000);
        for station in (1..=cell.medium().stations()).map(NodeId) {
            for (from, to) in [(NodeId::ACCESS_POINT, station), (station, NodeId::ACCESS_POINT)] {
                let queue = Wimax::LAYOUT.queue(from, to, 0).0 as usize;
                prop_assert_eq!(cell.queues()[queue].backlog().packets(), 0);
                let small = Packet {
                    station,
                    size: 1,
                    enqueued_at: now,
                    ..Packet::new(FlowId(0), PacketKind::Data)
                };
                for _ in 0..case.limit {
                    cell.send(now, from, small);
                }
                prop_assert_eq!(cell.queues()[queue].backlog().packets(), case.limit);
            }
        }
        let counts = cell.medium().counts();
        prop_assert!(counts.dl_symbols_used <= counts.dl_symbols_available);
        prop_assert!(counts.ul_symbols_used <= counts.ul_symbols_available);
    }

    /// Polling at other times, and for every idle frame, gives the same results.
    #[test]
    fn results_do_not_depend_on_when_it_is_polled(case in cases(), step in 1..20_000_000_u64) {
        let (Some(mut whole), Some(mut stepped)) = (cell(&case), cell(&case)) else { return Ok(()) };
        let mut now = Instant::ZERO;
        for (seq, offered) in case.offered.iter().enumerate() {
            let due = now + offered.after;
            let mut arrivals = [Vec::new(), Vec::new()];
            while let Some(arrival) = whole.poll(due) {
                arrivals[0].push(arrival);
            }
            while now < due {
                now = due.min(now + Duration::from_nanos(step));
                while let Some(arrival) = stepped.poll(now) {
                    arrivals[1].push(arrival);
                }
            }
            prop_assert_eq!(&arrivals[0], &arrivals[1]);
            let station = NodeId(offered.station);
            let packet = Packet {
                station,
                size: offered.bytes,
                seq: seq as u64,
                enqueued_at: now,
                ..Packet::new(FlowId(0), PacketKind::Data)
            };
            let from = match offered.direction {
                Direction::Down => NodeId::ACCESS_POINT,
                Direction::Up => station,
            };
            whole.send(now, from, packet);
            stepped.send(now, from, packet);
        }
        prop_assert_eq!(whole.medium().counts(), stepped.medium().counts());
        for node in (0..=whole.medium().stations()).map(NodeId) {
            prop_assert_eq!(whole.usage(now, node), stepped.usage(now, node));
            let traffic = [&whole, &stepped].map(|cell| cell.traffic_airtime(now, node));
            prop_assert_eq!(traffic[0], traffic[1]);
        }
    }
}
