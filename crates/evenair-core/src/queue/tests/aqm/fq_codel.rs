//! FQ-CoDel.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::codel::{Memory, Parameters, any_parameters};
use super::*;

/// FQ-CoDel as section 4 of RFC 8290 specifies it: queues by number, and two lists of those that are active.
struct Flows {
    codel: Parameters,
    limit: QueueLimit,
    flows: u64,
    quantum: i64,
    drop_batch: usize,
    salt: u64,
    queues: BTreeMap<u64, FlowQueue>,
    new: Vec<u64>,
    old: Vec<u64>,
}

#[derive(Default)]
struct FlowQueue {
    packets: Vec<Packet>,
    memory: Memory,
    credits: i64,
}

/// The number of the queue of a connection: the finalizer of SplitMix64, in 128 bits.
fn number_of(packet: &Packet, salt: u64, flows: u64) -> u64 {
    const WORD: u128 = 1 << 64;
    let key = u128::from(packet.flow.0) * 256 + u128::from(packet.connection);
    let z = (key + u128::from(salt)) % WORD;
    let z = (z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9 % WORD;
    let z = (z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB % WORD;
    ((z ^ (z >> 31)) % u128::from(flows)) as u64
}

fn bytes(packets: &[Packet]) -> u64 {
    packets.iter().map(|p| u64::from(p.size)).sum()
}

impl Flows {
    fn is_over(&self, in_service: &[Packet]) -> bool {
        let waiting = self.queues.values().flat_map(|queue| &queue.packets);
        let held: Vec<Packet> = waiting.chain(in_service).copied().collect();
        match self.limit {
            QueueLimit::Packets(limit) => held.len() > limit as usize,
            QueueLimit::Bytes(limit) => bytes(&held) > limit,
            QueueLimit::Unlimited => false,
        }
    }
}

impl Model for Flows {
    fn arrive(&mut self, _now: u64, packet: Packet, in_service: &[Packet]) -> Outcome {
        let mut outcome = Outcome::default();
        if !fits(self.limit, in_service.iter(), &packet) {
            outcome.drop(packet, DropReason::OnArrival);
            return outcome;
        }
        let number = number_of(&packet, self.salt, self.flows);
        let queue = self.queues.entry(number).or_default();
        queue.packets.push(packet);
        if !self.new.contains(&number) && !self.old.contains(&number) {
            queue.credits = self.quantum;
            self.new.push(number);
        }
        while self.is_over(in_service) {
            let most = self.queues.values().map(|queue| bytes(&queue.packets)).max().unwrap();
            let longest = self.queues.values_mut().find(|q| bytes(&q.packets) == most).unwrap();
            let half = longest.packets.len() - longest.packets.len() / 2;
            for lost in longest.packets.drain(..half.min(self.drop_batch)) {
                let is_new = lost.seq == packet.seq;
                let reason = if is_new { DropReason::OnArrival } else { DropReason::Evicted };
                outcome.drop(lost, reason);
            }
        }
        outcome
    }

    fn serve(&mut self, now: u64) -> Outcome {
        let mut outcome = Outcome::default();
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            if list.is_empty() {
                return outcome;
            }
            let number = list[0];
            let others = self.queues.iter().filter(|(other, _)| **other != number);
            let other = others.map(|(_, queue)| bytes(&queue.packets)).sum();
            let queue = self.queues.get_mut(&number).unwrap();
            if queue.credits <= 0 {
                queue.credits += self.quantum;
                list.remove(0);
                self.old.push(number);
                continue;
            }
            let of_queue = self.codel.serve(&mut queue.memory, &mut queue.packets, other, now);
            outcome.dropped.extend(of_queue.dropped);
            outcome.marked += of_queue.marked;
            match of_queue.returned {
                Some(packet) => {
                    outcome.returned = Some(packet);
                    queue.credits -= i64::from(packet.size);
                    return outcome;
                }
                None if from_new => {
                    list.remove(0);
                    self.old.push(number);
                }
                None => {
                    list.remove(0);
                }
            }
        }
    }
}

fn fq_codel(parameters: &[(&str, Value)]) -> Config {
    discipline("fq-codel", parameters)
}

#[test]
fn fq_codel_does_what_its_model_does() {
    let totals = RefCell::new(Tally::default());
    let flows = prop::sample::select(vec![1, 2, 3, 5, 1024]);
    let quantum = prop::sample::select(vec![1, 300, 1514, 1514, 6000]);
    let drop_batch = prop::sample::select(vec![1, 3, 64]);
    let cases = (any_parameters(), flows, quantum, drop_batch, any_limit(), any_steps());
    let run = |(codel, flows, quantum, drop_batch, limit, steps): (
        Parameters,
        u64,
        u64,
        u64,
        QueueLimit,
        Vec<Step>,
    )| {
        let mut parameters = codel.values().to_vec();
        parameters.extend([
            ("flows", Value::Integer(flows)),
            ("quantum", Value::Integer(quantum)),
            ("drop_batch", Value::Integer(drop_batch)),
        ]);
        let discipline = fq_codel(&parameters);
        let mut model = Flows {
            codel,
            limit,
            flows,
            quantum: quantum as i64,
            drop_batch: drop_batch as usize,
            salt: stream().next_u64(),
            queues: BTreeMap::new(),
            new: vec![],
            old: vec![],
        };
        totals.borrow_mut().add(&compare(&discipline, limit, &mut model, &steps)?);
        Ok(())
    };
    TestRunner::new(config(3000)).run(&cases, run).unwrap();
    // The patterns cover these cases.
    let total = totals.into_inner();
    assert!(total.dropped_on_departure > 10_000 && total.marked > 5_000, "{total:?}");
    assert!(total.dropped_on_arrival > 1_000 && total.evicted > 10_000, "{total:?}");
}

#[test]
fn with_one_queue_fq_codel_is_codel() {
    let cases = (any_parameters(), any_steps());
    let run = |(parameters, steps): (Parameters, Vec<Step>)| {
        // No limit: on overflow they differ.
        let limit = QueueLimit::Packets(u32::MAX);
        let mut one_queue = parameters.values().to_vec();
        one_queue.push(("flows", Value::Integer(1)));
        let one = fq_codel(&one_queue);
        let queues = [discipline("codel", &parameters.values()), one];
        let mut queues =
            queues.map(|discipline| Queue::<Packet>::new(&discipline, limit, stream()));
        let mut now = 0;
        for step in &steps {
            now += step.gap;
            let time = Instant::from_nanos(now);
            for &packet in &step.arrivals {
                let packet = Packet { enqueued_at: time, ..packet };
                for queue in &mut queues {
                    queue.enqueue(time, packet, &mut ActionLog::new());
                }
            }
            for _ in 0..step.serves {
                let [codel, fq_codel] = queues.each_mut().map(|queue| {
                    let mut actions = ActionLog::new();
                    (queue.dequeue(time, &mut actions), actions.dropped, actions.marked)
                });
                prop_assert_eq!(codel, fq_codel);
            }
        }
        Ok(())
    };
    TestRunner::new(config(500)).run(&cases, run).unwrap();
}

/// A queue in which each of `flows` has `packets` of its size, one of each flow in turn.
fn backlogged(discipline: &Config, flows: &[(u32, u32)], packets: u64) -> Bench {
    let mut bench = Bench::new(discipline, QueueLimit::Packets(100_000));
    for number in 0..packets {
        for &(flow, size) in flows {
            assert_eq!(bench.arrive(data(flow, number, size)), Outcome::default());
        }
    }
    bench
}

#[test]
fn flows_of_different_packet_sizes_get_equal_bytes() {
    // The delay is far below the target, so CoDel drops nothing.
    let mut bench = backlogged(&fq_codel(&[]), &[(0, 1500), (1, 300), (2, 40)], 20_000);
    let mut sent = [0_i64; 3];
    for _ in 0..18_000 {
        let packet = bench.serve(0).returned.unwrap();
        sent[packet.flow.0 as usize] += i64::from(packet.size);
        // A turn exceeds the quantum by up to a packet less a byte; the next turn is shorter by as
        // much.
        let (least, most) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
        assert!(most - least <= 1514 + 1500, "{sent:?}");
    }
    // 40-byte packets make up most of 18 000.
    assert!(sent.iter().all(|&bytes| bytes > 500_000), "{sent:?}");
}

#[test]
fn a_queue_sends_until_its_credits_are_used_up() {
    // A quantum of 1000: flow 0 sends 600 and 600, which leaves -200, and flow 1 likewise. Then both
    // have 800, send two more each, and have -400. Then 600: one packet is enough.
    let discipline = fq_codel(&[("quantum", Value::Integer(1000))]);
    let mut bench = backlogged(&discipline, &[(0, 600), (1, 600)], 9);
    let flows: Vec<u32> = (0..11).map(|_| bench.flow_at(0).unwrap()).collect();
    assert_eq!(flows, [0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0]);
}

#[test]
fn a_sparse_flow_goes_before_backlogged_ones() {
    let mut bench = backlogged(&fq_codel(&[]), &[(0, 1500), (1, 1500)], 50);
    // Both have had their first turn: 1500 bytes leave 14 credits, the second packet uses them up.
    for _ in 0..6 {
        bench.serve(0);
    }
    for number in 0..10 {
        bench.arrive(data(2, number, 200));
        assert_eq!(bench.flow_at(0), Some(2), "at once, each time");
        // Its queue, now empty, passes through the list of old queues before it is new again.
        let others = [bench.flow_at(0), bench.flow_at(0), bench.flow_at(0)];
        assert!(!others.contains(&Some(2)));
    }
}

/// Flows 1 and 2 take turns: when the packet of one arrives, the queue of the other has just become
/// empty. If that were new again at once, one of the two would always go before flow 0.
#[test]
fn queues_that_are_refilled_when_they_are_empty_do_not_starve_the_others() {
    let mut bench = backlogged(&fq_codel(&[]), &[(0, 1500)], 100);
    for _ in 0..3 {
        assert_eq!(bench.flow_at(0), Some(0));
    }
    let mut sent = [0; 3];
    for number in 0..120 {
        bench.arrive(data(1 + (number % 2) as u32, number, 100));
        sent[bench.flow_at(0).unwrap() as usize] += 1;
    }
    // A packet of flow 0 has the size of 15 packets of the others.
    assert!(sent[0] * 15 >= sent[1].max(sent[2]), "{sent:?}");
}

fn lost(flow: u32, seqs: std::ops::Range<u64>, size: u32) -> Vec<Dropped<Packet>> {
    let lost = |seq| Dropped { packet: data(flow, seq, size), reason: DropReason::Evicted };
    seqs.map(lost).collect()
}

#[test]
fn an_overflow_drops_half_of_the_longest_queue_from_its_head() {
    let mut bench = Bench::new(&fq_codel(&[]), QueueLimit::Packets(13));
    for seq in 0..7 {
        bench.arrive(data(0, seq, 300)); // 2100 bytes
    }
    for seq in 0..2 {
        bench.arrive(data(1, seq, 1500)); // 3000 bytes
    }
    for seq in 0..4 {
        bench.arrive(data(2, seq, 40)); // 160 bytes
    }
    // The longest queue in bytes drops half of its packets, rounded up: one of two, four of seven.
    assert_eq!(bench.arrive(data(2, 4, 40)).dropped, lost(1, 0..1, 1500));
    assert_eq!(bench.arrive(data(2, 5, 40)).dropped, lost(0, 0..4, 300));
    // Four more packets fit.
    for seq in 6..9 {
        assert_eq!(bench.arrive(data(2, seq, 40)), Outcome::default());
    }
    assert_eq!(bench.arrive(data(0, 7, 300)).dropped, lost(1, 1..2, 1500));
}

#[test]
fn an_overflow_drops_no_more_than_a_batch() {
    for (batch, dropped) in [(1, 1), (3, 3), (64, 50)] {
        let discipline = fq_codel(&[("drop_batch", Value::Integer(batch))]);
        let mut bench = Bench::new(&discipline, QueueLimit::Packets(100));
        for seq in 0..99 {
            bench.arrive(data(0, seq, 300));
        }
        bench.arrive(data(1, 0, 40));
        assert_eq!(bench.arrive(data(0, 99, 300)).dropped, lost(0, 0..dropped, 300));
    }
}

#[test]
fn an_arrival_that_has_the_longest_queue_to_itself_is_dropped() {
    let mut bench = Bench::new(&fq_codel(&[]), QueueLimit::Packets(2));
    bench.arrive(data(0, 0, 40));
    bench.arrive(data(1, 0, 40));
    let lost = Dropped { packet: data(2, 0, 1500), reason: DropReason::OnArrival };
    assert_eq!(bench.arrive(data(2, 0, 1500)).dropped, [lost]);
    let flows = [bench.flow_at(0), bench.flow_at(0), bench.flow_at(0)];
    assert_eq!(flows, [Some(0), Some(1), None]);
}

#[test]
fn nothing_makes_room_for_what_cannot_fit_beside_the_packet_in_service() {
    let mut bench = Bench::new(&fq_codel(&[]), QueueLimit::Bytes(2000));
    bench.arrive(data(0, 0, 1000));
    bench.queue.dequeue(Instant::ZERO, &mut ActionLog::new());
    bench.arrive(data(1, 0, 900));
    let lost = Dropped { packet: data(2, 0, 1001), reason: DropReason::OnArrival };
    assert_eq!(bench.arrive(data(2, 0, 1001)).dropped, [lost]);
    bench.queue.transmitted(1000);
    assert_eq!(bench.flow_at(0), Some(1));
}

#[test]
fn the_random_stream_decides_which_connections_share_a_queue() {
    let discipline = fq_codel(&[("flows", Value::Integer(2)), ("quantum", Value::Integer(1500))]);
    let mut shared = 0;
    for entity in 0..1000 {
        let rng = RngStream::new(1, StreamId::Queue, entity);
        let mut bench = Bench::new(&discipline, QueueLimit::Packets(9));
        bench.queue = Queue::new(&discipline, QueueLimit::Packets(9), rng);
        for packet in [data(0, 0, 1500), data(0, 1, 1500), data(1, 0, 1500)] {
            bench.arrive(packet);
        }
        // A turn is one packet: two queues alternate.
        match [0; 3].map(|time| bench.flow_at(time).unwrap()) {
            [0, 1, 0] => {}
            [0, 0, 1] => shared += 1,
            other => panic!("{other:?}"),
        }
    }
    // Binomial: 500 with a standard deviation of 15.8.
    assert!((420..580).contains(&shared), "{shared}");
}

#[test]
fn two_connections_of_a_flow_are_two_flows() {
    let discipline = fq_codel(&[("quantum", Value::Integer(1500))]);
    let mut bench = Bench::new(&discipline, QueueLimit::Packets(9));
    for (connection, seq) in [(0, 0), (0, 1), (1, 2)] {
        bench.arrive(Packet { connection, ..data(0, seq, 1500) });
    }
    assert_eq!([0; 3].map(|time| bench.serve(time).returned.unwrap().seq), [0, 2, 1]);
}

#[test]
fn codel_watches_each_queue_by_itself() {
    let mut bench = Bench::new(&fq_codel(&[]), QueueLimit::Packets(1000));
    for seq in 0..100 {
        bench.arrive(data(0, seq, 1500));
    }
    // A packet of flow 1 each 10 ms waits for a packet of flow 0 at most; flow 0 is above the
    // target from 10 ms on, so its first drop is due at 110 ms.
    let mut dropped = vec![];
    for time in 1..20 {
        bench.now = time * 10 * MS;
        bench.arrive(data(1, time, 100));
        for _ in 0..2 {
            dropped
                .extend(bench.serve(time * 10 * MS).dropped.iter().map(|d| (time, d.packet.flow)));
        }
    }
    assert_eq!(dropped, [(11, FlowId(0))]);
}

/// At 5 ms the first packet of flow 0 is above the target, so its second may be dropped at 105 ms.
/// It is the last of its queue, but `behind` packets of 1500 bytes wait in the queue of flow 1.
#[test]
fn the_bytes_of_all_queues_decide_whether_codel_may_drop() {
    for (behind, dropped) in [(1, None), (2, Some(0))] {
        let mut bench = backlogged(&fq_codel(&[]), &[(0, 1500)], 2);
        for number in 0..behind {
            bench.arrive(data(1, number, 1500));
        }
        assert_eq!(bench.flow_at(5 * MS), Some(0));
        let outcome = bench.serve(105 * MS);
        assert_eq!(outcome.dropped.first().map(|lost| lost.packet.flow.0), dropped);
        // The queue of flow 0 is then empty, and flow 1 has its turn in the same call.
        let next = if dropped.is_some() { 1 } else { 0 };
        assert_eq!(outcome.returned.unwrap().flow, FlowId(next));
        assert_eq!(bench.queue.backlog().packets(), 1);
    }
}

#[test]
fn fq_codel_marks_by_default() {
    let mut bench = Bench::new(&fq_codel(&[]), QueueLimit::Packets(1000));
    for seq in 0..100 {
        bench.arrive(capable(data(0, seq, 1500)));
    }
    assert_eq!(bench.serve(5 * MS).marked, 0);
    let outcome = bench.serve(105 * MS);
    assert_eq!((outcome.marked, outcome.dropped.len()), (1, 0));
    assert_eq!(outcome.returned.unwrap().ecn, Ecn::Ce);
}
