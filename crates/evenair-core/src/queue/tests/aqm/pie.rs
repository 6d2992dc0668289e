//! PIE.

use std::cell::RefCell;

use super::*;

#[derive(Clone, Copy, Debug)]
struct Parameters {
    target: u64,
    tupdate: u64,
    alpha: f64,
    beta: f64,
    max_burst: u64,
    mean_packet: u64,
    by_rate: bool,
    derandomize: bool,
    cap_adjustment: bool,
    ecn: bool,
    mark_threshold: f64,
}

impl Parameters {
    fn values(&self) -> Vec<(&'static str, Value)> {
        let time = |nanos| Value::Duration(Duration::from_nanos(nanos));
        vec![
            ("target", time(self.target)),
            ("tupdate", time(self.tupdate)),
            ("alpha", Value::Number(self.alpha)),
            ("beta", Value::Number(self.beta)),
            ("max_burst", time(self.max_burst)),
            ("mean_packet", Value::Integer(self.mean_packet)),
            ("delay", Value::Name(if self.by_rate { "rate" } else { "timestamps" })),
            ("derandomize", Value::Switch(self.derandomize)),
            ("cap_adjustment", Value::Switch(self.cap_adjustment)),
            ("ecn", Value::Switch(self.ecn)),
            ("mark_threshold", Value::Number(self.mark_threshold)),
        ]
    }
}

fn any_parameters() -> impl Strategy<Value = Parameters> {
    let times = prop_oneof![
        2 => Just((15 * MS, 15 * MS, 150 * MS)),
        2 => Just((5 * MS, 5 * MS, 20 * MS)),
        1 => (MS..30 * MS, MS..40 * MS, 1..200 * MS),
    ];
    let weights = prop::sample::select(vec![(0.125, 1.25), (0.125, 1.25), (0.01, 0.1), (2.0, 0.0)]);
    let mean_packet = prop::sample::select(vec![100, 1024, 1500]);
    let mark_threshold = prop::sample::select(vec![0.1, 0.5, 1.0]);
    (times, weights, mean_packet, mark_threshold, any::<[bool; 4]>()).prop_map(
        |(times, (alpha, beta), mean_packet, mark_threshold, options)| {
            let (target, tupdate, max_burst) = times;
            let [by_rate, derandomize, cap_adjustment, ecn] = options;
            Parameters {
                target,
                tupdate,
                alpha,
                beta,
                max_burst,
                mean_packet,
                by_rate,
                derandomize,
                cap_adjustment,
                ecn,
                mark_threshold,
            }
        },
    )
}

/// PIE as appendix A of RFC 8033 specifies it, with the options of appendix B. Every update that is
/// due is made.
struct Pie {
    parameters: Parameters,
    limit: QueueLimit,
    rng: RngStream,
    waiting: Vec<Packet>,
    updates: u64,
    p: f64,
    /// Nanoseconds.
    delay: u64,
    old_delay: u64,
    burst: u64,
    sum: f64,
    /// Start of a measurement of the departure rate, and the bytes that have left since.
    measured: Option<(u64, u64)>,
    mean_seconds: f64,
    /// Drops and marks that were not due to a full queue.
    at_random: usize,
}

impl Pie {
    fn new(parameters: Parameters, limit: QueueLimit) -> Self {
        Self {
            parameters,
            limit,
            rng: stream(),
            waiting: vec![],
            updates: 0,
            p: 0.0,
            delay: 0,
            old_delay: 0,
            burst: parameters.max_burst,
            sum: 0.0,
            measured: None,
            mean_seconds: 0.0,
            at_random: 0,
        }
    }

    fn waiting_bytes(&self) -> u64 {
        self.waiting.iter().map(|p| u64::from(p.size)).sum()
    }

    fn update_until(&mut self, now: u64) {
        while (self.updates + 1) * self.parameters.tupdate <= now {
            self.updates += 1;
            self.update();
        }
    }

    fn update(&mut self) {
        if self.parameters.by_rate {
            let seconds = self.waiting_bytes() as f64 * self.mean_seconds / 16384.0;
            self.delay = (seconds * 1e9).round() as u64;
        } else if self.waiting.is_empty() {
            self.delay = 0;
        }
        let seconds = |nanos| nanos as f64 / 1e9;
        let error = seconds(self.delay) - seconds(self.parameters.target);
        let trend = seconds(self.delay) - seconds(self.old_delay);
        let mut step = self.parameters.alpha * error + self.parameters.beta * trend;
        step /= match self.p {
            p if p < 0.000001 => 2048.0,
            p if p < 0.00001 => 512.0,
            p if p < 0.0001 => 128.0,
            p if p < 0.001 => 32.0,
            p if p < 0.01 => 8.0,
            p if p < 0.1 => 2.0,
            _ => 1.0,
        };
        if self.parameters.cap_adjustment && self.p >= 0.1 && step > 0.02 {
            step = 0.02;
        }
        self.p += step;
        if self.delay == 0 && self.old_delay == 0 {
            self.p *= 0.98;
        }
        self.p = self.p.clamp(0.0, 1.0);
        self.old_delay = self.delay;
        self.burst -= self.burst.min(self.parameters.tupdate);
    }

    fn drops_at_random(&mut self) -> bool {
        if self.burst > 0 {
            return false;
        }
        if 2 * self.old_delay < self.parameters.target && self.p < 0.2 {
            return false;
        }
        if self.waiting_bytes() <= 2 * self.parameters.mean_packet {
            return false;
        }
        if self.parameters.derandomize {
            self.sum += self.p;
            if self.p == 0.0 {
                self.sum = 0.0;
            }
            if self.sum < 0.85 {
                return false;
            }
            if self.sum >= 8.5 {
                return true;
            }
        }
        self.rng.uniform() < self.p
    }
}

impl Model for Pie {
    fn arrive(&mut self, now: u64, mut packet: Packet, in_service: &[Packet]) -> Outcome {
        let mut outcome = Outcome::default();
        self.update_until(now);
        let half = |delay| 2 * delay < self.parameters.target;
        if self.p == 0.0 && half(self.delay) && half(self.old_delay) {
            self.burst = self.parameters.max_burst;
        }
        if !fits(self.limit, self.waiting.iter().chain(in_service), &packet) {
            self.sum = 0.0;
            outcome.drop(packet, DropReason::OnArrival);
            return outcome;
        }
        if self.drops_at_random() {
            self.at_random += 1;
            self.sum = 0.0;
            let may_mark = self.parameters.ecn && self.p < self.parameters.mark_threshold;
            if !may_mark || !outcome.mark(&mut packet) {
                outcome.drop(packet, DropReason::OnArrival);
                return outcome;
            }
        }
        self.waiting.push(packet);
        outcome
    }

    fn serve(&mut self, now: u64) -> Outcome {
        self.update_until(now);
        if self.waiting.is_empty() {
            return Outcome::default();
        }
        let packet = self.waiting.remove(0);
        if !self.parameters.by_rate {
            self.delay = now - packet.enqueued_at.as_nanos();
        }
        if let Some((start, left)) = self.measured {
            let left = left + u64::from(packet.size);
            self.measured = Some((start, left));
            if left >= 16384 {
                let taken = (now - start) as f64 / 1e9;
                self.mean_seconds = match self.mean_seconds {
                    0.0 => taken,
                    mean => taken * 0.25 + mean * 0.75,
                };
                self.measured = None;
            }
        }
        if self.measured.is_none() && self.waiting_bytes() >= 16384 {
            self.measured = Some((now, 0));
        }
        Outcome { returned: Some(packet), ..Outcome::default() }
    }
}

#[test]
fn pie_does_what_its_model_does() {
    // Random drops and marks, and runs that ended with a probability in each range of the
    // auto-tuning.
    let totals = RefCell::new((Tally::default(), 0, [0; 8]));
    let cases = (any_parameters(), any_limit(), any_steps());
    let run = |(parameters, limit, steps): (Parameters, QueueLimit, Vec<Step>)| {
        let discipline = discipline("pie", &parameters.values());
        let mut model = Pie::new(parameters, limit);
        let tally = compare(&discipline, limit, &mut model, &steps)?;
        let (total, at_random, ranges) = &mut *totals.borrow_mut();
        total.add(&tally);
        *at_random += model.at_random;
        let bounds = [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
        ranges[bounds.iter().filter(|&&bound| model.p > bound).count()] += 1;
        Ok(())
    };
    TestRunner::new(config(3000)).run(&cases, run).unwrap();
    // The patterns cover these cases.
    let (total, at_random, ranges) = totals.into_inner();
    assert!(at_random > 10_000 && total.marked > 300, "{at_random} at random, {total:?}");
    assert!(ranges.iter().all(|&runs| runs > 10), "{ranges:?}");
}

fn pie(parameters: &[(&str, Value)]) -> Config {
    discipline("pie", parameters)
}

/// The drop probability, as of the last arrival or departure.
fn probability(bench: &Bench) -> f64 {
    let Queue::Pie(pie) = &bench.queue else { panic!("it is PIE") };
    pie.drop_probability()
}

/// The drop probability for a packet that arrives at `time`.
fn probability_at(bench: &mut Bench, time: u64) -> f64 {
    bench.now = time;
    bench.arrive(data(9, 0, 1500));
    probability(bench)
}

/// Whether a packet that arrives now is dropped.
fn is_dropped(bench: &mut Bench) -> bool {
    !bench.arrive(data(9, 0, 1500)).dropped.is_empty()
}

fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-14 * expected.abs(), "{got} is not {expected}");
}

/// By hand, with a target of 15 ms and an update each 15 ms. All packets arrive at 0, and one
/// leaves 1 ms before each update; its wait is the delay at that update.
///
/// | update | delay, s | 0.125 (delay - 0.015) | 1.25 (delay - last) | sum | divided by | probability |
/// |---|---|---|---|---|---|---|
/// | 1 | 0.014 | -0.000125 | 0.0175 | 0.017375 | 2048 | 0.00000848388671875 |
/// | 2 | 0.029 | 0.00175 | 0.01875 | 0.0205 | 512 | 0.00004852294921875 |
/// | 3 | 0.044 | 0.003625 | 0.01875 | 0.022375 | 128 | 0.00022332763671875 |
/// | 4 | 0.059 | 0.0055 | 0.01875 | 0.02425 | 32 | 0.00098114013671875 |
/// | 5 | 0.074 | 0.007375 | 0.01875 | 0.026125 | 32 | 0.00179754638671875 |
/// | 6 | 0.089 | 0.00925 | 0.01875 | 0.028 | 8 | 0.00529754638671875 |
#[test]
fn the_probability_of_pie_follows_its_control_law() {
    let mut bench = Bench::new(&pie(&[]), QueueLimit::Packets(1000));
    for seq in 0..20 {
        bench.arrive(data(0, seq, 1500));
    }
    let expected = [
        0.00000848388671875,
        0.00004852294921875,
        0.00022332763671875,
        0.00098114013671875,
        0.00179754638671875,
        0.00529754638671875,
    ];
    let mut before = 0.0;
    for (update, after) in (1..).zip(expected) {
        let due = update * 15 * MS;
        bench.serve(due - MS);
        assert_near(probability_at(&mut bench, due - 1), before);
        assert_near(probability_at(&mut bench, due), after);
        before = after;
    }
}

/// A queue of 1500-byte packets that all arrived at 0. One leaves each millisecond until the
/// probability reaches `least`.
fn congested(least: f64, parameters: &[(&str, Value)]) -> Bench {
    let mut bench = Bench::new(&pie(parameters), QueueLimit::Packets(100_000));
    for seq in 0..20_000 {
        bench.arrive(data(0, seq, 1500));
    }
    while probability(&bench) < least {
        bench.serve(bench.now + MS);
    }
    bench
}

/// The first update after now.
fn next_update(bench: &Bench) -> u64 {
    (bench.now / (15 * MS) + 1) * 15 * MS
}

/// No packet leaves for 150 ms or more, then one leaves 1 ns before an update. All packets arrived
/// at 0, so the delay is the time of the last departure. By the control law the update adds 0.125
/// (delay - 0.015) + 1.25 (delay - last), at least 1.25 * 0.15 = 0.1875; at 10% nothing divides it.
#[test]
fn from_ten_percent_on_an_update_of_pie_adds_two_percent_at_most_if_capped() {
    let cap = [("cap_adjustment", Value::Switch(true))];
    for (parameters, is_capped) in [(&[][..], false), (&cap[..], true)] {
        let mut bench = congested(0.1, parameters);
        let last = bench.now as f64 / 1e9;
        let due = next_update(&bench) + 150 * MS;
        bench.serve(due - 1);
        let before = probability(&bench);
        assert!((0.1..0.6).contains(&before), "{before}");
        let delay = (due - 1) as f64 / 1e9;
        let step = 0.125 * (delay - 0.015) + 1.25 * (delay - last);
        assert!(step > 0.1875, "{step}");
        let expected = before + if is_capped { 0.02 } else { step };
        assert_near(probability_at(&mut bench, due), expected);
    }
}

/// By hand: without beta, an update of an empty queue takes 0.125 * 0.015 = 0.001875 from a
/// probability of 10% or more; and from the second such update on, 2% of what is left.
#[test]
fn the_probability_of_pie_decays_when_the_queue_is_idle() {
    let mut bench = congested(0.6, &[("beta", Value::Number(0.0))]);
    while bench.queue.backlog().packets() > 0 {
        bench.serve(bench.now);
    }
    let p = probability(&bench);
    let first = next_update(&bench);
    for (updates, expected) in [
        (0, p - 0.001875),
        (1, (p - 2.0 * 0.001875) * 0.98),
        (2, ((p - 2.0 * 0.001875) * 0.98 - 0.001875) * 0.98),
    ] {
        // An empty queue that is asked for a packet applies the updates, too.
        assert_eq!(bench.serve(first + updates * 15 * MS).returned, None);
        assert_near(probability(&bench), expected);
    }
    // An hour later the probability is 0, and the burst allowance is restored.
    assert_eq!(probability_at(&mut bench, 3_600_000 * MS), 0.0);
    assert!((0..1000).all(|_| !is_dropped(&mut bench)));
}

#[test]
fn pie_lets_a_burst_pass() {
    // The delay is far too long from the first update on; the burst allowance of 150 ms is used up
    // by the tenth update, at 150 ms.
    let mut bench =
        Bench::new(&pie(&[("beta", Value::Number(1000.0))]), QueueLimit::Packets(100_000));
    for seq in 0..1000 {
        bench.arrive(data(0, seq, 1500));
    }
    let mut drops_at = |time: u64| {
        bench.serve(time);
        (0..1000).filter(|_| is_dropped(&mut bench)).count()
    };
    for time in [10, 20, 60, 100, 149] {
        assert_eq!(drops_at(time * MS), 0, "at {time} ms");
    }
    assert!(drops_at(150 * MS) > 100);
}

#[test]
fn pie_drops_at_random_with_its_probability() {
    let mut bench = congested(0.3, &[]);
    let p = probability(&bench);
    assert!((0.3..0.35).contains(&p), "{p}");
    let arrivals = 20_000;
    let dropped = (0..arrivals).filter(|_| is_dropped(&mut bench)).count();
    let share = dropped as f64 / f64::from(arrivals);
    // Four standard deviations of a binomial share.
    let tolerance = 4.0 * (p * (1.0 - p) / f64::from(arrivals)).sqrt();
    assert!((share - p).abs() < tolerance, "{share}, not {p}");
}

#[test]
fn derandomized_pie_spaces_its_drops() {
    let mut bench = congested(0.05, &[("derandomize", Value::Switch(true))]);
    let p = probability(&bench);
    assert!((0.05..0.07).contains(&p), "{p}");
    let drops: Vec<u32> = (0..20_000).filter(|_| is_dropped(&mut bench)).collect();
    let gaps: Vec<f64> = drops.windows(2).map(|pair| f64::from(pair[1] - pair[0])).collect();
    assert!(gaps.len() > 300, "{} drops", gaps.len());
    // The sum of the probabilities from one drop to the next is 0.85 at least and, before the last
    // of them, less than 8.5. Undisturbed, four gaps in ten would be shorter: (1 - p)^(0.85 / p) is
    // 0.42.
    assert!(gaps.iter().all(|gap| gap * p > 0.849 && (gap - 1.0) * p < 8.501), "{gaps:?}");
}

#[test]
fn pie_marks_below_the_threshold_and_drops_above() {
    for (least, marks) in [(0.02, true), (0.1, false)] {
        let at_once = ("max_burst", Value::Duration(Duration::from_nanos(1)));
        let mut bench = congested(least, &[("ecn", Value::Switch(true)), at_once]);
        let outcomes: Vec<Outcome> =
            (0..2000).map(|seq| bench.arrive(capable(data(0, seq, 1500)))).collect();
        let marked: u64 = outcomes.iter().map(|outcome| outcome.marked).sum();
        let dropped: usize = outcomes.iter().map(|outcome| outcome.dropped.len()).sum();
        let (few, many) = if marks { (dropped as u64, marked) } else { (marked, dropped as u64) };
        assert!(few == 0 && many > 10, "{marked} marked, {dropped} dropped from {least} on");
        // A packet without ECN support is always dropped.
        assert!((0..2000).filter(|_| is_dropped(&mut bench)).count() > 10);
    }
}

#[test]
fn pie_drops_nothing_at_random_while_two_packets_or_less_wait() {
    let mut bench = congested(0.9, &[]);
    while bench.queue.backlog().packets() > 1 {
        bench.serve(bench.now);
    }
    assert!(probability(&bench) >= 0.9);
    // 1500 bytes wait, then 2048, which is twice 1024; then 2049, and the next is likely to be
    // dropped.
    for size in [548, 1] {
        assert_eq!(bench.arrive(data(0, 0, size)), Outcome::default());
    }
    assert!((0..100).filter(|_| is_dropped(&mut bench)).count() > 50);
}

/// By hand: 1500-byte packets leave one per millisecond. The measurement begins with the first
/// departure; eleven more are 16500 bytes, in 11 ms. So 30 packets that wait, 45000 bytes, will
/// take 45000 * 0.011 / 16384 = 0.030212... s.
#[test]
fn pie_estimates_the_delay_from_the_departure_rate() {
    let mut bench =
        Bench::new(&pie(&[("delay", Value::Name("rate"))]), QueueLimit::Packets(100_000));
    for seq in 0..42 {
        bench.arrive(data(0, seq, 1500));
    }
    for time in 1..=12 {
        bench.serve(time * MS);
    }
    assert_eq!(bench.queue.backlog().packets(), 30);
    let delay = 45_000.0 * 0.011 / 16_384.0;
    // To the nearest nanosecond.
    let delay = (delay * 1e9_f64).round() / 1e9;
    let expected = (0.125 * (delay - 0.015) + 1.25 * delay) / 2048.0;
    assert_near(probability_at(&mut bench, 15 * MS), expected);
}

#[test]
fn a_full_pie_queue_drops_what_arrives() {
    let mut bench = Bench::new(&pie(&[]), QueueLimit::Packets(1));
    assert_eq!(bench.arrive(data(0, 0, 1500)), Outcome::default());
    let lost = Dropped { packet: data(0, 1, 1500), reason: DropReason::OnArrival };
    assert_eq!(bench.arrive(data(0, 1, 1500)).dropped, [lost]);
}
