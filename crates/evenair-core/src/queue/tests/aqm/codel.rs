//! CoDel.

use std::cell::RefCell;

use super::*;

/// CoDel as section 5 of RFC 8289 specifies it, times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    pub(super) target: u64,
    pub(super) interval: u64,
    pub(super) mtu: u64,
    pub(super) ecn: bool,
    /// RFC 8290 section 5.2.7.
    pub(super) ce_threshold: Option<u64>,
}

/// CoDel's state of one queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// An interval after the delay came to the target or above it, where it has remained (`first_above_time`).
    may_drop_from: Option<u64>,
    dropping: bool,
    next_drop: u64,
    drops: u64,
    drops_at_entry: u64,
}

/// The largest `x` with `x^2 * count <= interval^2`, found by bisection.
fn spacing(interval: u64, count: u64) -> u64 {
    let (mut low, mut high) = (0, interval + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let square = u128::from(middle) * u128::from(middle) * u128::from(count);
        if square <= u128::from(interval) * u128::from(interval) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

impl Parameters {
    /// Whether the head of `queue` may be dropped: its delay and that of all packets before it have
    /// not been below the target for an interval, and more than an MTU waits besides it (section
    /// 5.6), here or in `other` bytes of further queues of the same link (section 4.4).
    fn may_drop(&self, memory: &mut Memory, queue: &[Packet], other: u64, now: u64) -> bool {
        let behind: u64 = other + queue.iter().skip(1).map(|p| u64::from(p.size)).sum::<u64>();
        let delay = queue.first().map(|head| now - head.enqueued_at.as_nanos());
        match delay {
            Some(delay) if delay >= self.target && behind > self.mtu => {
                now >= *memory.may_drop_from.get_or_insert(now + self.interval)
            }
            _ => {
                memory.may_drop_from = None;
                false
            }
        }
    }

    /// The next packet of `queue` leaves; `other` bytes wait in further queues of the same link.
    pub(super) fn serve(
        &self,
        memory: &mut Memory,
        queue: &mut Vec<Packet>,
        other: u64,
        now: u64,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let mut may_drop = self.may_drop(memory, queue, other, now);
        if memory.dropping && !may_drop {
            memory.dropping = false;
        } else if memory.dropping {
            // Several drops may be due by now.
            while memory.dropping && memory.next_drop <= now {
                memory.drops += 1;
                if self.ecn && outcome.mark(&mut queue[0]) {
                    memory.next_drop += spacing(self.interval, memory.drops);
                    break;
                }
                outcome.drop(queue.remove(0), DropReason::OnDeparture);
                may_drop = self.may_drop(memory, queue, other, now);
                if may_drop {
                    memory.next_drop += spacing(self.interval, memory.drops);
                } else {
                    memory.dropping = false;
                }
            }
        } else if may_drop {
            memory.dropping = true;
            let extra = memory.drops - memory.drops_at_entry;
            let was_recent = now < memory.next_drop + 16 * self.interval;
            memory.drops = if was_recent && extra > 1 { extra } else { 1 };
            memory.drops_at_entry = memory.drops;
            memory.next_drop = now + spacing(self.interval, memory.drops);
            if !(self.ecn && outcome.mark(&mut queue[0])) {
                outcome.drop(queue.remove(0), DropReason::OnDeparture);
                self.may_drop(memory, queue, other, now);
            }
        }
        if !queue.is_empty() {
            let mut leaving = queue.remove(0);
            let waited = now - leaving.enqueued_at.as_nanos();
            if leaving.ecn != Ecn::Ce && self.ce_threshold.is_some_and(|most| waited > most) {
                outcome.mark(&mut leaving);
            }
            outcome.returned = Some(leaving);
        }
        outcome
    }

    /// The parameters as a scenario gives them.
    pub(super) fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("target", Value::Duration(Duration::from_nanos(self.target))),
            ("interval", Value::Duration(Duration::from_nanos(self.interval))),
            ("mtu", Value::Integer(self.mtu)),
            ("ecn", Value::Switch(self.ecn)),
            (
                "ce_threshold",
                match self.ce_threshold {
                    Some(threshold) => Value::Duration(Duration::from_nanos(threshold)),
                    None => Value::Absent,
                },
            ),
        ]
    }
}

pub(super) fn any_parameters() -> impl Strategy<Value = Parameters> {
    let times = prop_oneof![
        3 => Just((5 * MS, 100 * MS)),
        1 => Just((MS, 20 * MS)),
        1 => (1..30 * MS, 30 * MS..300 * MS),
    ];
    let mtu = prop::sample::select(vec![1, 600, 1500, 1500, 5000]);
    let ce_threshold = prop::sample::select(vec![None, None, Some(MS), Some(20 * MS)]);
    (times, mtu, any::<bool>(), ce_threshold).prop_map(
        |((target, interval), mtu, ecn, ce_threshold)| Parameters {
            target,
            interval,
            mtu,
            ecn,
            ce_threshold,
        },
    )
}

struct One {
    parameters: Parameters,
    limit: QueueLimit,
    memory: Memory,
    waiting: Vec<Packet>,
}

impl Model for One {
    fn arrive(&mut self, _now: u64, packet: Packet, in_service: &[Packet]) -> Outcome {
        let mut outcome = Outcome::default();
        if fits(self.limit, self.waiting.iter().chain(in_service), &packet) {
            self.waiting.push(packet);
        } else {
            outcome.drop(packet, DropReason::OnArrival);
        }
        outcome
    }

    fn serve(&mut self, now: u64) -> Outcome {
        self.parameters.serve(&mut self.memory, &mut self.waiting, 0, now)
    }
}

#[test]
fn codel_does_what_its_model_does() {
    let totals = RefCell::new((Tally::default(), 0));
    let cases = (any_parameters(), any_limit(), any_steps());
    let run = |(parameters, limit, steps): (Parameters, QueueLimit, Vec<Step>)| {
        let discipline = discipline("codel", &parameters.values());
        let mut model = One { parameters, limit, memory: Memory::default(), waiting: vec![] };
        let tally = compare(&discipline, limit, &mut model, &steps)?;
        let (total, resumed) = &mut *totals.borrow_mut();
        total.add(&tally);
        *resumed += usize::from(model.memory.drops_at_entry > 1);
        Ok(())
    };
    TestRunner::new(config(3000)).run(&cases, run).unwrap();
    // The patterns cover these cases.
    let (total, resumed) = totals.into_inner();
    assert!(total.dropped_on_departure > 10_000 && total.marked > 5_000, "{total:?}");
    assert!(total.dropped_on_arrival > 1_000, "{total:?}");
    assert!(resumed > 100, "{resumed} runs ended in a dropping state that resumed an earlier rate");
}

/// A queue with `packets` of 1500 bytes that all arrived at time 0.
fn standing(parameters: &[(&str, Value)], packets: u64) -> Bench {
    let mut bench = Bench::new(&discipline("codel", parameters), QueueLimit::Packets(1000));
    for number in 0..packets {
        assert_eq!(bench.arrive(data(0, number, 1500)), Outcome::default());
    }
    bench
}

/// The number of packets dropped when the transmitter requests one at `time`.
fn drops_at(bench: &mut Bench, time: u64) -> usize {
    let outcome = bench.serve(time);
    assert!(outcome.returned.is_some());
    assert!(outcome.dropped.iter().all(|lost| lost.reason == DropReason::OnDeparture));
    outcome.dropped.len()
}

/// By hand, with a target of 5 ms and an interval of 100 ms. All packets arrive at 0. At 5 ms the
/// first one is seen that has waited for 5 ms, so the interval ends at 105 ms. The first drop is
/// due then, and from one drop to the next pass 100 ms / sqrt(count):
///
/// | drop | count | distance to the next, ns | due at, ns |
/// |---|---|---|---|
/// | 1 | 1 | 100 000 000 | 105 000 000 |
/// | 2 | 2 | 100 000 000 / 1.414 213 562 = 70 710 678.1 | 205 000 000 |
/// | 3 | 3 | 100 000 000 / 1.732 050 808 = 57 735 026.9 | 275 710 678 |
/// | 4 | 4 | 100 000 000 / 2 = 50 000 000 | 333 445 704 |
/// | 5 | 5 | 100 000 000 / 2.236 067 977 = 44 721 359.5 | 383 445 704 |
/// | 6 | 6 |  | 428 167 063 |
///
/// Distances are rounded down to a nanosecond.
const DUE: [u64; 6] =
    [105_000_000, 205_000_000, 275_710_678, 333_445_704, 383_445_704, 428_167_063];

#[test]
fn codel_drops_at_the_times_of_its_control_law() {
    let mut bench = standing(&[], 100);
    assert_eq!(drops_at(&mut bench, 5 * MS), 0);
    for due in DUE {
        assert_eq!(drops_at(&mut bench, due - 1), 0, "just before {due}");
        assert_eq!(drops_at(&mut bench, due), 1, "at {due}");
        assert_eq!(drops_at(&mut bench, due + 1), 0, "just after {due}");
    }
}

#[test]
fn codel_makes_all_drops_that_have_become_due() {
    let mut bench = standing(&[], 100);
    assert_eq!(drops_at(&mut bench, 5 * MS), 0);
    assert_eq!(drops_at(&mut bench, DUE[0]), 1);
    // Asked again only when the sixth is due: the second to the sixth are made at once.
    assert_eq!(drops_at(&mut bench, DUE[5]), 5);
}

#[test]
fn codel_counts_a_delay_that_equals_the_target_as_too_long() {
    for (first, dropped) in [(5 * MS, 1), (5 * MS - 1, 0)] {
        let mut bench = standing(&[], 100);
        assert_eq!(drops_at(&mut bench, first), 0);
        // The interval has begun at `first`, or has not.
        assert_eq!(drops_at(&mut bench, 105 * MS), dropped);
    }
}

#[test]
fn one_short_delay_starts_the_interval_anew() {
    let mut bench = standing(&[], 10);
    for time in [5, 50, 90] {
        assert_eq!(drops_at(&mut bench, time * MS), 0);
    }
    // Seven still wait. What arrives at 96 ms has waited for 4 ms at 100 ms.
    bench.now = 96 * MS;
    for number in 10..40 {
        bench.arrive(data(0, number, 1500));
    }
    for _ in 0..7 {
        assert_eq!(drops_at(&mut bench, 96 * MS), 0);
    }
    assert_eq!(drops_at(&mut bench, 100 * MS), 0);
    // Above from 101 ms on, so the first drop is due at 201 ms.
    assert_eq!(drops_at(&mut bench, 101 * MS), 0);
    assert_eq!(drops_at(&mut bench, 201 * MS - 1), 0);
    assert_eq!(drops_at(&mut bench, 201 * MS), 1);
}

/// Makes six drops, the last of them due at 428.167063 ms, and is empty then, which ends the
/// dropping state; enters it again at `time`.
fn entering_again_at(time: u64) -> Bench {
    let mut bench = standing(&[], 14);
    assert_eq!(drops_at(&mut bench, 5 * MS), 0);
    for due in DUE {
        assert_eq!(drops_at(&mut bench, due), 1);
    }
    // Seven have left and six were dropped.
    assert_eq!(drops_at(&mut bench, DUE[5]), 0);
    assert_eq!(bench.serve(DUE[5]), Outcome::default());
    for number in 0..100 {
        bench.arrive(data(0, number, 1500));
    }
    assert_eq!(drops_at(&mut bench, time - 100 * MS), 0);
    assert_eq!(drops_at(&mut bench, time - 1), 0);
    assert_eq!(drops_at(&mut bench, time), 1);
    bench
}

#[test]
fn codel_resumes_a_recent_drop_rate() {
    // No seventh drop was scheduled, for the sixth left too little behind it. So the drop that was
    // due last is the sixth, and the count of that state rose from 1 to 6: the new state begins at
    // 5.
    let recent = DUE[5] + 1600 * MS;
    let mut bench = entering_again_at(recent - 1);
    // 100 ms / sqrt(5) = 44.721359 ms, and then 100 ms / sqrt(6) = 40.824829 ms.
    let second = recent - 1 + 44_721_359;
    assert_eq!(drops_at(&mut bench, second - 1), 0);
    assert_eq!(drops_at(&mut bench, second), 1);
    assert_eq!(drops_at(&mut bench, second + 40_824_828), 0);
    assert_eq!(drops_at(&mut bench, second + 40_824_829), 1);
}

#[test]
fn codel_forgets_a_drop_rate_after_16_intervals() {
    let mut bench = entering_again_at(DUE[5] + 1600 * MS);
    // From count 1: 100 ms to the second drop.
    let second = DUE[5] + 1700 * MS;
    assert_eq!(drops_at(&mut bench, second - 1), 0);
    assert_eq!(drops_at(&mut bench, second), 1);
}

#[test]
fn codel_never_drops_the_last_packets_of_an_mtu() {
    // Behind the head wait 1500 bytes, an MTU: nothing is dropped however long they have waited.
    let mut bench = standing(&[], 3);
    assert_eq!(drops_at(&mut bench, 1_000 * MS), 0);
    assert_eq!(drops_at(&mut bench, 10_000 * MS), 0);
    assert_eq!(drops_at(&mut bench, 20_000 * MS), 0);
    assert_eq!(bench.serve(20_000 * MS), Outcome::default());
    // With an MTU of 1499 bytes, the same 1500 are more than one.
    let mut bench = standing(&[("mtu", Value::Integer(1499))], 3);
    assert_eq!(drops_at(&mut bench, 1_000 * MS), 0);
    assert_eq!(drops_at(&mut bench, 10_000 * MS), 1);
    assert_eq!(bench.queue.backlog().packets(), 0);
}

#[test]
fn codel_marks_what_it_may_and_drops_the_others() {
    let ecn = [("ecn", Value::Switch(true))];
    let mut bench = Bench::new(&discipline("codel", &ecn), QueueLimit::Packets(1000));
    for number in 0..40 {
        // Packets 2, 5, 8 and so on do not support ECN.
        let packet = data(0, number, 1500);
        bench.arrive(if number % 3 == 2 { packet } else { capable(packet) });
    }
    let outcome = |outcome: Outcome| {
        let packet = outcome.returned.unwrap();
        let dropped: Vec<u64> = outcome.dropped.iter().map(|lost| lost.packet.seq).collect();
        (packet.seq, packet.ecn, outcome.marked, dropped)
    };
    assert_eq!(outcome(bench.serve(5 * MS)), (0, Ecn::Ect0, 0, vec![]));
    assert_eq!(outcome(bench.serve(DUE[0])), (1, Ecn::Ce, 1, vec![]));
    // Packet 2 is dropped; the next drop is not due yet, so packet 3 leaves as it came.
    assert_eq!(outcome(bench.serve(DUE[1])), (3, Ecn::Ect0, 0, vec![2]));
    // The third to the fifth are due: packet 4 is marked and leaves; one departure takes one mark.
    assert_eq!(outcome(bench.serve(DUE[4])), (4, Ecn::Ce, 1, vec![]));
    // The fourth and the fifth are still due: 5 is dropped for one of them, 6 marked for the other.
    assert_eq!(outcome(bench.serve(DUE[4])), (6, Ecn::Ce, 1, vec![5]));
    assert_eq!(outcome(bench.serve(DUE[4])), (7, Ecn::Ect0, 0, vec![]));
}

/// Whatever CoDel does: from 1 ns above the threshold on, and once. A packet that has a mark, or whose transport does not
/// support ECN, leaves as it came.
#[test]
fn codel_marks_what_has_waited_for_longer_than_the_threshold() {
    let threshold = [("ce_threshold", Value::Duration(Duration::from_nanos(MS)))];
    let mut bench = Bench::new(&discipline("codel", &threshold), QueueLimit::Packets(1000));
    for number in 0..40 {
        let packet = data(0, number, 1500);
        bench.arrive(match number {
            2 => packet,
            3 => Packet { ecn: Ecn::Ce, ..packet },
            _ => capable(packet),
        });
    }
    let outcome = |outcome: Outcome| (outcome.returned.unwrap().ecn, outcome.marked);
    assert_eq!(outcome(bench.serve(MS)), (Ecn::Ect0, 0));
    assert_eq!(outcome(bench.serve(MS + 1)), (Ecn::Ce, 1));
    assert_eq!(outcome(bench.serve(MS + 1)), (Ecn::NotEct, 0));
    assert_eq!(outcome(bench.serve(MS + 1)), (Ecn::Ce, 0));
}

#[test]
fn without_ecn_codel_drops_what_it_could_mark() {
    let mut bench = Bench::new(&discipline("codel", &[]), QueueLimit::Packets(1000));
    for number in 0..40 {
        bench.arrive(capable(data(0, number, 1500)));
    }
    assert_eq!(drops_at(&mut bench, 5 * MS), 0);
    assert_eq!(drops_at(&mut bench, DUE[0]), 1);
}

#[test]
fn a_full_codel_queue_drops_what_arrives() {
    let mut bench = Bench::new(&discipline("codel", &[]), QueueLimit::Packets(2));
    assert_eq!(bench.arrive(data(0, 0, 1500)), Outcome::default());
    assert_eq!(bench.arrive(data(1, 0, 40)), Outcome::default());
    let lost = Dropped { packet: data(0, 1, 1500), reason: DropReason::OnArrival };
    assert_eq!(bench.arrive(data(0, 1, 1500)).dropped, [lost]);
}
