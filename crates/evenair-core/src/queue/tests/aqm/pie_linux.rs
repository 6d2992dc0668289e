//! PIE in Linux's form.

use std::cell::RefCell;

use super::*;

/// What `tc` is given: times in nanoseconds, weights in sixteenths.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    target: u64,
    tupdate: u64,
    alpha: u64,
    beta: u64,
    estimates_rate: bool,
    ecn: bool,
}

impl Parameters {
    fn values(&self) -> Vec<(&'static str, Value)> {
        let time = |nanos| Value::Duration(Duration::from_nanos(nanos));
        vec![
            ("form", Value::Name("linux")),
            ("target", time(self.target)),
            ("tupdate", time(self.tupdate)),
            ("alpha", Value::Number(self.alpha as f64 / 16.0)),
            ("beta", Value::Number(self.beta as f64 / 16.0)),
            ("delay", Value::Name(if self.estimates_rate { "rate" } else { "timestamps" })),
            ("ecn", Value::Switch(self.ecn)),
        ]
    }
}

fn any_parameters() -> impl Strategy<Value = Parameters> {
    let times = prop_oneof![
        3 => Just((15 * MS, 16 * MS)),
        1 => Just((5 * MS, 4 * MS)),
        1 => (MS..30 * MS, MS..40 * MS),
    ];
    let weights =
        prop::sample::select(vec![(2, 20), (2, 20), (32, 0), (32, 32), (8, 8), (8, 0), (0, 20)]);
    (times, weights, any::<[bool; 2]>()).prop_map(
        |((target, tupdate), (alpha, beta), [estimates_rate, ecn])| Parameters {
            target,
            tupdate,
            alpha,
            beta,
            estimates_rate,
            ecn,
        },
    )
}

/// A queue of some tens of packets that stays as long as it is, so that probabilities rise slowly.
fn steady_steps() -> impl Strategy<Value = Vec<Step>> {
    let burst = prop::collection::vec(any_packet(), 15..60);
    let pairs = prop::collection::vec((MS * 4 / 5..MS * 6 / 5, any_packet()), 300..700);
    (burst, pairs).prop_map(|(burst, pairs)| {
        let step = |gap, arrivals, serves| Step { gap, arrivals, is_done: true, serves };
        let steady = pairs.into_iter().map(|(gap, packet)| step(gap, vec![packet], 1));
        std::iter::once(step(0, burst, 0)).chain(steady).collect()
    })
}

/// 2^56 - 1.
const MAX_PROB: u64 = 72_057_594_037_927_935;

/// The scheduler's clock ticks each 64 ns.
fn ticks(nanos: u64) -> u64 {
    nanos / 64
}

/// PIE by the rules of `sch_pie.c` of Linux 5.10, with numbers that do not wrap except where the kernel's are meant to.
/// Every update that is due is made. An Ethernet header is counted with each packet.
struct Kernel {
    parameters: Parameters,
    limit: QueueLimit,
    rng: RngStream,
    waiting: Vec<Packet>,
    updates: u64,
    prob: u64,
    accu_prob: u64,
    qdelay: u64,
    qdelay_old: u64,
    burst_time: u64,
    last_departure: Option<u64>,
    measurement: Option<(u64, u64)>,
    avg_dq_rate: u64,
    /// Drops and marks that were not due to a full queue.
    at_random: usize,
    highest: u64,
}

impl Kernel {
    fn new(parameters: Parameters, limit: QueueLimit) -> Self {
        Self {
            parameters,
            limit,
            rng: stream(),
            waiting: vec![],
            updates: 0,
            prob: 0,
            accu_prob: 0,
            qdelay: 0,
            qdelay_old: 0,
            burst_time: ticks(150 * MS),
            last_departure: None,
            measurement: None,
            avg_dq_rate: 0,
            at_random: 0,
            highest: 0,
        }
    }

    fn backlog(&self) -> u64 {
        self.waiting.iter().map(|packet| u64::from(packet.size) + 14).sum()
    }

    fn update_until(&mut self, now: u64) {
        while (self.updates + 1) * self.parameters.tupdate <= now {
            self.updates += 1;
            self.update();
            self.highest = self.highest.max(self.prob);
        }
    }

    /// A weight in sixteenths per second, for a tick at the present probability.
    fn weight(&self, sixteenths: u64) -> i128 {
        let mut weight = sixteenths * (MAX_PROB / 15_625_000) / 16;
        if self.prob < MAX_PROB / 10 {
            weight /= 2;
        }
        for share in [100, 1_000, 10_000, 100_000, 1_000_000] {
            if self.prob < MAX_PROB / share {
                weight /= 4;
            }
        }
        i128::from(weight)
    }

    fn update(&mut self) {
        let (target, backlog) = (ticks(self.parameters.target), self.backlog());
        let (qdelay, qdelay_old) = if self.parameters.estimates_rate {
            let estimate = (backlog * 256).checked_div(self.avg_dq_rate).unwrap_or(0);
            (estimate, self.qdelay)
        } else {
            (self.qdelay, self.qdelay_old)
        };
        let error = i128::from(qdelay) - i128::from(target);
        let trend = i128::from(qdelay) - i128::from(qdelay_old);
        let mut delta =
            self.weight(self.parameters.alpha) * error + self.weight(self.parameters.beta) * trend;
        if self.prob >= MAX_PROB / 10 && delta > i128::from(MAX_PROB / 50) {
            delta = i128::from(MAX_PROB / 100 * 2);
        }
        if qdelay > ticks(250 * MS) {
            delta += i128::from(MAX_PROB / 50);
        }
        let mut may_decay = qdelay != 0 || backlog == 0;
        let sum = i128::from(self.prob) + delta;
        self.prob = match u64::try_from(sum) {
            Ok(prob) => prob,
            Err(_) if sum < 0 => 0,
            Err(_) => {
                may_decay = false;
                MAX_PROB
            }
        };
        if qdelay == 0 && qdelay_old == 0 && may_decay {
            self.prob -= self.prob / 64;
        }
        let known = !self.parameters.estimates_rate || self.avg_dq_rate > 0;
        if qdelay < target / 2 && qdelay_old < target / 2 && self.prob == 0 && known {
            self.burst_time = ticks(150 * MS);
            self.accu_prob = 0;
            self.last_departure = None;
            self.measurement = None;
            self.avg_dq_rate = 0;
        }
        (self.qdelay, self.qdelay_old) = (qdelay, qdelay);
    }

    fn drops_at_random(&mut self) -> bool {
        let is_short = self.qdelay < ticks(self.parameters.target) / 2;
        if self.burst_time > 0 || (is_short && self.prob < MAX_PROB / 5) || self.backlog() < 3028 {
            return false;
        }
        self.accu_prob += self.prob;
        if self.prob == 0 {
            self.accu_prob = 0;
        }
        if self.accu_prob < MAX_PROB / 100 * 85 {
            return false;
        }
        if self.accu_prob >= MAX_PROB / 2 * 17 {
            return true;
        }
        if self.rng.next_u64() / 256 < self.prob {
            self.accu_prob = 0;
            return true;
        }
        false
    }
}

impl Model for Kernel {
    fn arrive(&mut self, now: u64, mut packet: Packet, in_service: &[Packet]) -> Outcome {
        let mut outcome = Outcome::default();
        self.update_until(now);
        if fits(self.limit, self.waiting.iter().chain(in_service), &packet) {
            let drops = self.drops_at_random();
            self.at_random += usize::from(drops);
            let may_mark = self.parameters.ecn && self.prob <= MAX_PROB / 10;
            if !drops || (may_mark && outcome.mark(&mut packet)) {
                self.waiting.push(packet);
                return outcome;
            }
        }
        self.accu_prob = 0;
        outcome.drop(packet, DropReason::OnArrival);
        outcome
    }

    fn serve(&mut self, now: u64) -> Outcome {
        self.update_until(now);
        if self.waiting.is_empty() {
            return Outcome::default();
        }
        let packet = self.waiting.remove(0);
        let (backlog, now) = (self.backlog(), ticks(now));
        let mut passed = 0;
        if self.parameters.estimates_rate {
            if backlog >= 16384 && self.measurement.is_none() {
                self.measurement = Some((now, 0));
            }
            if let Some((start, bytes)) = self.measurement {
                let bytes = bytes + u64::from(packet.size) + 14;
                self.measurement = Some((start, bytes));
                if bytes >= 16384 && now > start {
                    passed = now - start;
                    let rate = bytes * 256 / passed;
                    self.avg_dq_rate = match self.avg_dq_rate {
                        0 => rate,
                        mean => mean - mean / 8 + rate / 8,
                    };
                    self.measurement = (backlog >= 16384).then_some((now, 0));
                }
            }
        } else {
            self.qdelay = if backlog == 0 { 0 } else { now - ticks(packet.enqueued_at.as_nanos()) };
            passed = now - self.last_departure.unwrap_or(now);
            self.last_departure = Some(now);
        }
        self.burst_time = self.burst_time.saturating_sub(passed);
        Outcome { returned: Some(packet), ..Outcome::default() }
    }
}

#[test]
fn pie_of_linux_does_what_its_model_does() {
    // Random drops and marks, runs with a probability in each range, and above 1.
    let totals = RefCell::new((Tally::default(), 0, [0; 8]));
    let steps = prop_oneof![any_steps(), steady_steps()];
    let cases = (any_parameters(), any_limit(), steps);
    let run = |(parameters, limit, steps): (Parameters, QueueLimit, Vec<Step>)| {
        let discipline = discipline("pie", &parameters.values());
        let mut model = Kernel::new(parameters, limit);
        let tally = compare(&discipline, limit, &mut model, &steps)?;
        let (total, at_random, ranges) = &mut *totals.borrow_mut();
        total.add(&tally);
        *at_random += model.at_random;
        let bounds = [100_000, 10_000, 1_000, 100, 10, 5, 1];
        ranges[bounds.iter().filter(|&&share| model.highest > MAX_PROB / share).count()] += 1;
        Ok(())
    };
    TestRunner::new(super::config(2000)).run(&cases, run).unwrap();
    let (total, at_random, ranges) = totals.into_inner();
    assert!(at_random > 5_000 && total.marked > 200, "{at_random} at random, {total:?}");
    assert!(ranges.iter().all(|&runs| runs > 10), "{ranges:?}");
}

fn linux(parameters: &[(&str, Value)]) -> Config {
    let form = [("form", Value::Name("linux"))];
    discipline("pie", &[&form[..], parameters].concat())
}

/// The drop probability for a packet that arrives at `time`, in parts of 2^56 - 1.
fn probability_at(bench: &mut Bench, time: u64) -> f64 {
    bench.now = time;
    bench.arrive(data(9, 0, 1500));
    let Queue::Pie(pie) = &bench.queue else { panic!("it is PIE") };
    pie.drop_probability()
}

/// By hand. A tick is 64 ns: 15,625,000 in a second. (2^56 - 1) / 15,625,000 = 4,611,686,018; times 2 / 16 that is
/// alpha, 576,460,752, and times 20 / 16 beta, 5,764,607,522. Below a millionth both are shifted by 11, by 9 below
/// 10^-5, by 7 below 10^-4. All packets arrive at 0; one leaves 1 ms before each update of 16 ms, so that the delay is
/// 15, 31 and 47 ms: 234,375, 484,375 and 734,375 ticks. The target is 234,375.
///
/// | update | alpha | delay - target | beta | delay - last | sum | probability |
/// |---|---|---|---|---|---|---|
/// | 1 | 281,474 | 0 | 2,814,749 | 234,375 | 659,706,796,875 | 659,706,796,875 (9.2e-6) |
/// | 2 | 1,125,899 | 250,000 | 11,258,999 | 250,000 | 3,096,224,500,000 | 3,755,931,296,875 (5.2e-5) |
/// | 3 | 4,503,599 | 500,000 | 45,035,996 | 250,000 | 13,510,798,500,000 | 17,266,729,796,875 (2.4e-4) |
#[test]
fn the_probability_of_linux_is_computed_in_integers() {
    let tupdate = Value::Duration(Duration::from_millis(16));
    let mut bench = Bench::new(&linux(&[("tupdate", tupdate)]), QueueLimit::Packets(1000));
    for seq in 0..20 {
        bench.arrive(data(0, seq, 1500));
    }
    let mut before = 0.0;
    for (update, parts) in (1..).zip([659_706_796_875_u64, 3_755_931_296_875, 17_266_729_796_875]) {
        let due = update * 16 * MS;
        bench.serve(due - MS);
        let after = parts as f64 / MAX_PROB as f64;
        assert_eq!(probability_at(&mut bench, due - 1), before);
        assert_eq!(probability_at(&mut bench, due), after);
        before = after;
    }
}

/// By hand, without beta and with alpha 2 (32 sixteenths): a delay of 251 ms, 3,921,875 ticks, is above 250 ms. In each
/// update the first term is 9,223,372,036 >> 11 = 4,503,599 times (3,921,875 - 234,375), 16,607,021,312,500, or
/// 0.00023; it is small against the further 2%, (2^56 - 1) / 50 = 1,441,151,880,758,558. Above 1% the shift is 1:
/// 4,611,686,018 times 3,687,500 = 17,005,592,191,375,000, 0.236, which only the update at 10% or more bounds to 2%.
#[test]
fn linux_adds_two_percent_above_250_ms() {
    let alpha = [("alpha", Value::Number(2.0)), ("beta", Value::Number(0.0))];
    let mut bench = Bench::new(&linux(&alpha), QueueLimit::Packets(100_000));
    for seq in 0..100 {
        bench.arrive(data(0, seq, 1500));
    }
    // An update at 15 ms and each 15 ms after it: without a departure the delay is 0, and so is the probability.
    bench.serve(251 * MS);
    let further = 1_441_151_880_758_558_u64;
    let first = 16_607_021_312_500 + further;
    let second = first + 17_005_592_191_375_000 + further;
    let third = second + MAX_PROB / 100 * 2 + further;
    for (due, parts) in [(255, first), (270, second), (285, third)] {
        let got = probability_at(&mut bench, due * MS);
        assert_eq!(got, parts as f64 / MAX_PROB as f64, "at {due} ms");
    }
}

/// An idle queue loses a 64th of its probability in each update after the first. Both weights are 0, so that nothing
/// else changes it but a delay above 250 ms.
#[test]
fn the_probability_of_linux_decays_by_a_64th() {
    let alpha = [("alpha", Value::Number(0.0)), ("beta", Value::Number(0.0))];
    let mut bench = Bench::new(&linux(&alpha), QueueLimit::Packets(100_000));
    for seq in 0..100 {
        bench.arrive(data(0, seq, 1500));
    }
    bench.serve(251 * MS);
    let start = MAX_PROB / 50;
    assert_eq!(probability_at(&mut bench, 255 * MS), start as f64 / MAX_PROB as f64);
    while bench.queue.backlog().packets() > 0 {
        bench.serve(255 * MS + 1);
    }
    // The delay was 251 ms at the last update: the next one leaves the probability, those after it take a 64th each.
    let mut expected = start;
    for update in 1..10 {
        bench.serve((255 + update * 15) * MS);
        if update > 1 {
            expected -= expected / 64;
        }
        let Queue::Pie(pie) = &bench.queue else { panic!("it is PIE") };
        assert_eq!(pie.drop_probability(), expected as f64 / MAX_PROB as f64, "{update}");
    }
}

/// The burst allowance of 150 ms shrinks by the time between departures, which begins with the first.
#[test]
fn linux_lets_a_burst_pass() {
    let beta = [("beta", Value::Number(2.0))];
    let mut bench = Bench::new(&linux(&beta), QueueLimit::Packets(100_000));
    for seq in 0..1000 {
        bench.arrive(data(0, seq, 1500));
    }
    let mut drops_at = |time: u64| {
        bench.serve(time * MS);
        (0..1000).filter(|_| !bench.arrive(data(9, 0, 1500)).dropped.is_empty()).count()
    };
    // From the departure at 400 ms on. Two updates of 2% and more have come before the last of them.
    for time in [400, 401, 450, 500, 549] {
        assert_eq!(drops_at(time), 0, "at {time} ms");
    }
    assert!(drops_at(550) > 20);
}
