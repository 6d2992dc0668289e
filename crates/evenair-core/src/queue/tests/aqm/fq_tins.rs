//! FQ-CoDel for several receivers, as mac80211 has it.

use std::collections::{BTreeMap, BTreeSet};

use super::codel::{Memory, Parameters, any_parameters};
use super::*;
use crate::queue::{FqCodelConfig, FqTins};

/// The name of a flow queue: one of the table, by hash value, or the default one of a tin. In this order the longest one
/// is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Table(u64),
    Default(u32),
}

#[derive(Default)]
struct Flow {
    packets: Vec<Packet>,
    memory: Memory,
    deficit: i64,
    tin: Option<u32>,
}

/// The rules of `fq_impl.h`, with plain lists.
struct Tins {
    codel: Parameters,
    limit: usize,
    /// Bytes of buffers.
    memory_limit: u64,
    flows: u64,
    quantum: i64,
    batch: usize,
    salt: u64,
    queues: BTreeMap<Name, Flow>,
    /// New and old flow queues of each tin.
    lists: BTreeMap<u32, [Vec<Name>; 2]>,
    /// Tins of slow stations.
    slow: BTreeSet<u32>,
}

/// By hand: 256 bytes of `struct sk_buff`, 64 of headroom, 320 of `struct skb_shared_info`, and whole cache lines.
fn truesize(packet: &Packet) -> u64 {
    640 + u64::from(packet.size).div_ceil(64) * 64
}

fn bytes(packets: &[Packet]) -> u64 {
    packets.iter().map(|packet| u64::from(packet.size)).sum()
}

/// The finalizer of SplitMix64, in 128 bits.
fn number_of(packet: &Packet, salt: u64, flows: u64) -> u64 {
    const WORD: u128 = 1 << 64;
    let key = u128::from(packet.flow.0) * 256 + u128::from(packet.connection);
    let z = (key + u128::from(salt)) % WORD;
    let z = (z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9 % WORD;
    let z = (z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB % WORD;
    ((z ^ (z >> 31)) % u128::from(flows)) as u64
}

impl Tins {
    fn is_over(&self) -> bool {
        let waiting = || self.queues.values().flat_map(|flow| &flow.packets);
        waiting().count() > self.limit || waiting().map(truesize).sum::<u64>() > self.memory_limit
    }

    fn arrive(&mut self, tin: u32, packet: Packet) -> Outcome {
        let mut outcome = Outcome::default();
        let mut name = Name::Table(number_of(&packet, self.salt, self.flows));
        if self.queues.entry(name).or_default().tin.is_some_and(|other| other != tin) {
            name = Name::Default(tin);
        }
        let flow = self.queues.entry(name).or_default();
        flow.packets.push(packet);
        if flow.tin.is_none() {
            (flow.tin, flow.deficit) = (Some(tin), self.quantum);
            self.lists.entry(tin).or_default()[0].push(name);
        }
        while self.is_over() {
            let most = self.queues.values().map(|flow| bytes(&flow.packets)).max().unwrap();
            let longest =
                self.queues.values_mut().find(|flow| bytes(&flow.packets) == most).unwrap();
            let batch = (longest.packets.len() / 2).min(self.batch).max(1);
            for lost in longest.packets.drain(..batch) {
                let is_new = (lost.flow, lost.seq) == (packet.flow, packet.seq);
                let reason = if is_new { DropReason::OnArrival } else { DropReason::Evicted };
                outcome.drop(lost, reason);
            }
        }
        outcome
    }

    fn serve(&mut self, tin: u32, now: u64) -> Outcome {
        let mut outcome = Outcome::default();
        let Some([new, old]) = self.lists.get_mut(&tin) else { return outcome };
        let codel = match self.slow.contains(&tin) {
            true => Parameters { target: 50 * MS, interval: 300 * MS, ecn: false, ..self.codel },
            false => self.codel,
        };
        loop {
            let from_new = !new.is_empty();
            let Some(&name) = new.first().or(old.first()) else { return outcome };
            let flow = self.queues.get_mut(&name).unwrap();
            let list = if from_new { &mut *new } else { &mut *old };
            if flow.deficit <= 0 {
                flow.deficit += self.quantum;
                list.remove(0);
                old.push(name);
                continue;
            }
            let of_flow = codel.serve(&mut flow.memory, &mut flow.packets, 0, now);
            outcome.dropped.extend(of_flow.dropped);
            outcome.marked += of_flow.marked;
            if let Some(packet) = of_flow.returned {
                flow.deficit -= i64::from(packet.size);
                outcome.returned = Some(packet);
                return outcome;
            }
            list.remove(0);
            if from_new && !old.is_empty() {
                old.push(name);
            } else {
                flow.tin = None;
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Arrive { tin: u32, flow: u32, size: u32, ecn: bool },
    Serve { tin: u32 },
    Slow { tin: u32, is_slow: bool },
}

/// Parameters of CoDel, flow queues, quantum, packets, memory, batch, and what happens.
type Case = (Parameters, u64, u64, usize, u64, u64, Vec<(u64, Step)>);

fn any_steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let arrival = (0..4_u32, 0..8_u32, 41..1501_u32, any::<bool>())
        .prop_map(|(tin, flow, size, ecn)| Step::Arrive { tin, flow, size, ecn });
    let slow = (0..4_u32, any::<bool>()).prop_map(|(tin, is_slow)| Step::Slow { tin, is_slow });
    let serve = (0..4_u32).prop_map(|tin| Step::Serve { tin });
    let step = prop_oneof![12 => arrival, 8 => serve, 1 => slow];
    prop::collection::vec((0..8 * MS, step), 1..300)
}

/// What the discipline does is what the rules say, and the conditions occur: other tins' flow queues are met, limits are
/// exceeded, CoDel drops and marks.
#[test]
fn tins_do_what_their_model_does() {
    let tally = std::cell::RefCell::new([0_u64; 5]);
    let cases = (
        any_parameters(),
        prop::sample::select(vec![1_u64, 3, 4096]),
        prop::sample::select(vec![1_u64, 300, 1514]),
        prop::sample::select(vec![3_usize, 10, 50]),
        prop::sample::select(vec![10_000_u64, u64::MAX]),
        prop::sample::select(vec![1_u64, 32]),
        any_steps(),
    );
    let mut runner = TestRunner::new(evenair_testing::config!(1000));
    let run = |(codel, flows, quantum, limit, memory_limit, batch, steps): Case| {
        let config = FqCodelConfig {
            codel: crate::queue::CodelConfig {
                target: Duration::from_nanos(codel.target),
                interval: Duration::from_nanos(codel.interval),
                mtu: codel.mtu,
                ecn: codel.ecn,
                ce_threshold: codel.ce_threshold.map(Duration::from_nanos),
            },
            flows,
            quantum,
            drop_batch: batch,
        };
        let mut tins =
            FqTins::new(config, QueueLimit::Packets(limit as u32), Some(memory_limit), stream());
        let mut model = Tins {
            codel,
            limit,
            memory_limit,
            flows,
            quantum: quantum as i64,
            batch: batch as usize,
            salt: stream().next_u64(),
            queues: BTreeMap::new(),
            lists: BTreeMap::new(),
            slow: BTreeSet::new(),
        };
        let mut now = 0;
        for (seq, (gap, step)) in (0..).zip(steps) {
            now += gap;
            let (at, mut log) = (Instant::from_nanos(now), ActionLog::new());
            let (expected, returned) = match step {
                Step::Arrive { tin, flow, size, ecn } => {
                    let kind = PacketKind::Data;
                    let ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
                    let packet = Packet { seq, enqueued_at: at, ecn, ..packet(flow, kind, size) };
                    tins.enqueue_tin(at, tin, packet, &mut log);
                    (model.arrive(tin, packet), None)
                }
                Step::Serve { tin } => {
                    let returned = tins.dequeue_tin(at, tin, &mut log);
                    if let Some(packet) = returned {
                        tins.transmitted(packet.size);
                    }
                    (model.serve(tin, now), returned)
                }
                Step::Slow { tin, is_slow } => {
                    tins.set_slow(tin, is_slow);
                    if is_slow {
                        model.slow.insert(tin);
                    } else {
                        model.slow.remove(&tin);
                    }
                    (Outcome::default(), None)
                }
            };
            let ActionLog { dropped, marked } = log;
            let outcome = Outcome { returned, dropped, marked };
            prop_assert_eq!(&outcome, &expected);
            let waiting = model.queues.values().map(|flow| flow.packets.len()).sum::<usize>();
            prop_assert_eq!(tins.backlog().packets() as usize, waiting);
            prop_assert_eq!(tins.packets().len(), waiting);
            let mut tally = tally.borrow_mut();
            tally[0] += outcome.marked;
            for lost in outcome.dropped {
                let kinds = [DropReason::OnArrival, DropReason::OnDeparture, DropReason::Evicted];
                let kind = kinds.iter().position(|kind| *kind == lost.reason).unwrap();
                tally[1 + kind] += 1;
            }
            let is_default = |name: &Name| matches!(name, Name::Default(_));
            tally[4] += u64::from(model.queues.keys().any(is_default));
        }
        Ok(())
    };
    runner.run(&cases, run).unwrap();
    let tally = tally.into_inner();
    assert!(tally.iter().all(|count| *count > 100), "{tally:?}");
}

/// By hand: a tin of a flow of 1,500 bytes and one of 100. Turns of 300 bytes are one packet of the long ones in five
/// rounds, three of the short ones in each round; nothing of another tin is between them.
#[test]
fn flows_of_a_tin_take_turns_of_300_bytes() {
    let config = FqCodelConfig { quantum: 300, flows: 4096, ..FqCodelConfig::default() };
    let mut tins = FqTins::new(config, QueueLimit::Packets(8192), None, stream());
    let mut log = ActionLog::new();
    for seq in 0..40 {
        for (tin, flow, size) in [(0, 0, 1500), (0, 1, 100), (1, 2, 1000)] {
            let packet = Packet { seq, ..packet(flow, PacketKind::Data, size) };
            tins.enqueue_tin(Instant::ZERO, tin, packet, &mut log);
        }
    }
    let order: Vec<_> =
        (0..34).map(|_| tins.dequeue_tin(Instant::ZERO, 0, &mut log).unwrap().flow.0).collect();
    // A packet of 1,500 bytes is paid for with four further quanta, and the fifth lets the next one go.
    let round = |long: usize| [vec![0; long], vec![1; 15]].concat();
    assert_eq!(order, [vec![0], vec![1; 15], round(1), vec![0, 1]].concat());
}
