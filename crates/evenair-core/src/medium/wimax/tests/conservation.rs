//! Random cells: what arrives is delivered, lost or still there, however often the cell is polled.

use proptest::prelude::*;

use super::queue_of;
use crate::component::Registry;
use crate::loss::{self, IndependentConfig, Level, LinkLoss, LossRateConfig, ScopeConfig};
use crate::medium::wimax::phy::{CyclicPrefix, FRAME_DURATIONS, Modulation, OfdmPhy};
use crate::medium::wimax::scheduler::{self, DrrConfig};
use crate::medium::wimax::{DlShare, Maps, RequestSize, SduCounts, Wimax, WimaxConfig};
use crate::medium::{Arrival, Associations, Cell};
use crate::packet::{Direction, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{Config, Queue, QueueLimit, TbfConfig, TxQueue};
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
    discipline: Config,
    limit: u32,
    loss: f64,
    level: Level,
    offered: Vec<Offered>,
}

impl Offered {
    /// Sender and receiver.
    fn ends(&self) -> (NodeId, NodeId) {
        match self.direction {
            Direction::Down => (NodeId::ACCESS_POINT, NodeId(self.station)),
            Direction::Up => (NodeId(self.station), NodeId::ACCESS_POINT),
        }
    }

    fn packet(&self, now: Instant, seq: usize) -> Packet {
        Packet {
            station: NodeId(self.station),
            size: self.bytes,
            seq: seq as u64,
            enqueued_at: now,
            ..Packet::new(FlowId(self.station), PacketKind::Data)
        }
    }
}

impl Case {
    /// Whether its queues are first in, first out.
    fn keeps_order(&self) -> bool {
        matches!(self.discipline.name(), "droptail" | "tbf" | "codel" | "pie" | "dualpi2")
    }
}

/// Random frames without room are not counted as cases.
fn no_room() -> TestCaseError {
    TestCaseError::reject("a subframe has no room for a burst")
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
    let config = (phy, share, scheduler, mac, any::<[bool; 4]>(), 0..7_usize).prop_map(
        |(
            phy,
            dl_share,
            scheduler,
            (slots, first, more, t16, retries),
            [current, maps, piggyback, crc],
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
                request_size: if current { RequestSize::Current } else { RequestSize::Stored },
                maps: if maps { Maps::Actual } else { Maps::Maximum },
                piggyback,
                crc,
                scheduler,
            }
        },
    );
    let modulations = prop::collection::vec(0..7_usize, 1..=12);
    let disciplines = prop_oneof![
        2 => Just(Config::default()),
        1 => Just(TbfConfig { rate: 2_000_000, burst: 10_000 }.into()),
        2 => prop::sample::select(Config::all()),
    ];
    let losses = prop::sample::select(vec![0.0, 0.01, 0.3]);
    let links = (1..80_u32, disciplines, losses, any::<bool>());
    (config, modulations, links).prop_flat_map(|(config, modulations, links)| {
        let stations = modulations.len() as u32;
        let gap = prop_oneof![3 => 0..2_000_000_u64, 1 => 0..60_000_000_u64, 1 => Just(5_000_000)];
        let size = prop_oneof![Just(40_u32), Just(1064), 20..2000_u32];
        let offered =
            (gap, 1..=stations, any::<bool>(), size).prop_map(|(gap, station, up, bytes)| {
                let direction = if up { Direction::Up } else { Direction::Down };
                Offered { after: Duration::from_nanos(gap), station, direction, bytes }
            });
        let (limit, discipline, loss, mac) = links;
        let bytes_per_symbol: Vec<u32> =
            modulations.iter().map(|&m| Modulation::ALL[m].bytes_per_symbol()).collect();
        // A symbol of BPSK holds no fragment with a CRC.
        let crc = config.crc && bytes_per_symbol.iter().all(|&bytes| bytes > 12);
        let config = WimaxConfig { crc, ..config };
        prop::collection::vec(offered, 1..400).prop_map(move |offered| Case {
            config: config.clone(),
            bytes_per_symbol: bytes_per_symbol.clone(),
            discipline: discipline.clone(),
            limit,
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
    let queue = |index| {
        let stream = RngStream::new(1, StreamId::Queue, index);
        TxQueue::new(Queue::new(&case.discipline, QueueLimit::Packets(case.limit), stream))
    };
    let queues =
        (0..u64::from(Wimax::LAYOUT.count(&Associations::one_cell(nodes)))).map(queue).collect();
    let losses = (0..nodes).map(|node| {
        let loss = LossRateConfig { rate: case.loss };
        let scope = ScopeConfig { level: case.level, ..ScopeConfig::default() };
        let config: loss::Config = IndependentConfig { loss, scope }.into();
        (case.loss > 0.0).then(|| LinkLoss::new(&config, 1, StreamId::FrameErrors, node))
    });
    Some(Cell::new(medium, queues, losses.collect()))
}

/// What has been offered, and what has arrived.
struct Ledger {
    /// Packets by queue.
    offered: Vec<u64>,
    delivered: Vec<u64>,
    /// The last packet that has arrived, by queue.
    last: Vec<Option<u64>>,
    /// Whether it has arrived, by packet.
    arrived: Vec<bool>,
    now: Instant,
}

impl Ledger {
    fn new(queues: usize, packets: usize) -> Self {
        Self {
            offered: vec![0; queues],
            delivered: vec![0; queues],
            last: vec![None; queues],
            arrived: vec![false; packets],
            now: Instant::ZERO,
        }
    }

    /// An arrival has not arrived before, and none that was sent later in its queue if that keeps
    /// the order.
    fn arrive(&mut self, case: &Case, arrival: &Arrival<Packet>) {
        assert!(self.now <= arrival.at, "times never decrease");
        self.now = arrival.at;
        let (seq, packet) = (arrival.packet.seq, arrival.packet.seq as usize);
        assert!(!std::mem::replace(&mut self.arrived[packet], true), "{seq} has arrived twice");
        assert_eq!(arrival.packet.size, case.offered[packet].bytes);
        let queue = queue_of(arrival.from, arrival.to).0 as usize;
        let last = self.last[queue].replace(seq);
        assert!(!case.keeps_order() || last < Some(seq), "{seq} after {last:?}");
        self.delivered[queue] += 1;
    }

    /// What was offered has been delivered, lost, given up or dropped by its queue, or waits or is
    /// in service.
    fn check(&self, case: &Case, cell: &Cell<Wimax>, now: Instant) {
        let medium = cell.medium();
        for node in (1..=medium.stations()).map(NodeId) {
            for (from, to) in [(NodeId::ACCESS_POINT, node), (node, NodeId::ACCESS_POINT)] {
                let index = queue_of(from, to).0 as usize;
                let (sdus, serving) = medium.sdus_of(
                    if from == NodeId::ACCESS_POINT { Direction::Down } else { Direction::Up },
                    node,
                );
                let SduCounts { delivered, lost, given_up } = sdus;
                assert_eq!(self.delivered[index], delivered);
                assert!(lost == 0 || (case.loss > 0.0 && case.level == Level::Mac));
                let queue = &cell.queues()[index];
                let waiting = u64::from(queue.backlog().packets());
                let known = delivered + lost + given_up + waiting + serving;
                assert_eq!(self.offered[index], known + queue.stats(now).data_drops);
            }
        }
    }
}

/// Offers the packets of a case and polls up to `end`.
fn run(case: &Case, cell: &mut Cell<Wimax>, end: Instant) -> Ledger {
    let mut ledger = Ledger::new(cell.queues().len(), case.offered.len());
    let mut now = Instant::ZERO;
    for (seq, offered) in case.offered.iter().enumerate() {
        now += offered.after;
        while let Some(arrival) = cell.poll(now) {
            ledger.arrive(case, &arrival);
        }
        let (from, to) = offered.ends();
        ledger.offered[queue_of(from, to).0 as usize] += 1;
        cell.send(now, from, offered.packet(now, seq));
    }
    while let Some(arrival) = cell.poll(end) {
        ledger.arrive(case, &arrival);
    }
    ledger
}

proptest! {
    #![proptest_config(evenair_testing::config!(400))]

    /// Nothing is delivered twice or out of order. At the end of the arrivals and after a long
    /// time, what was offered has been delivered, lost on the air, given up or dropped, or is
    /// there; after a long time nothing is left, and all has left the limits of the queues.
    #[test]
    fn packets_are_conserved(case in cases()) {
        let Some(mut cell) = cell(&case) else { return Err(no_room()) };
        let total = case.offered.iter().fold(Duration::ZERO, |sum, one| sum + one.after);
        let end = Instant::ZERO + total;
        let mut ledger = run(&case, &mut cell, end);
        ledger.check(&case, &cell, end);
        // 400 packets of 1000 bytes in fragments of 3 bytes, one in each frame of 20 ms, take 2700 s.
        let late = end + Duration::from_secs(3000);
        while let Some(arrival) = cell.poll(late) {
            ledger.arrive(&case, &arrival);
        }
        ledger.check(&case, &cell, late);
        let counts = cell.medium().counts();
        prop_assert!(counts.dl_symbols_used <= counts.dl_symbols_available);
        prop_assert!(counts.ul_symbols_used <= counts.ul_symbols_available);
        let bytes = 1;
        for station in 1..=cell.medium().stations() {
            for direction in [Direction::Down, Direction::Up] {
                let small = Offered { after: Duration::ZERO, station, direction, bytes };
                let (from, to) = small.ends();
                let queue = queue_of(from, to).0 as usize;
                prop_assert_eq!(cell.queues()[queue].backlog().packets(), 0);
                if case.discipline == Config::default() {
                    (0..case.limit).for_each(|_| cell.send(late, from, small.packet(late, 0)));
                    prop_assert_eq!(cell.queues()[queue].backlog().packets(), case.limit);
                }
            }
        }
    }

    /// Polling at other times, and for every idle frame, gives the same results.
    #[test]
    fn results_do_not_depend_on_when_it_is_polled(case in cases(), step in 1..20_000_000_u64) {
        let Some(mut whole) = cell(&case) else { return Err(no_room()) };
        let Some(mut stepped) = cell(&case) else { return Err(no_room()) };
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
            let ((from, _), packet) = (offered.ends(), offered.packet(now, seq));
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
