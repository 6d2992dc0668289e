//! A plain model: one list in order of arrival, every update made, written from the functions of Linux that are named in the
//! documentation of the discipline.

use std::cell::RefCell;

use super::*;

#[derive(Clone, Copy, Debug)]
struct Parameters {
    target: u64,
    tupdate: u64,
    alpha: f64,
    beta: f64,
    coupling: u64,
    step: u64,
    step_packets: Option<u64>,
    min_qlen_step: u64,
    any_ect: bool,
    protection: u64,
    drop_on_overload: bool,
    drop_early: bool,
    mtu: u64,
}

impl Parameters {
    fn values(&self) -> Vec<(&'static str, Value)> {
        let mut values = vec![
            ("target", time(self.target)),
            ("tupdate", time(self.tupdate)),
            ("alpha", Value::Number(self.alpha)),
            ("beta", Value::Number(self.beta)),
            ("coupling_factor", Value::Integer(self.coupling)),
            ("step_thresh", time(self.step)),
            ("min_qlen_step", Value::Integer(self.min_qlen_step)),
            ("classify", Value::Name(if self.any_ect { "any_ect" } else { "l4s_ect" })),
            ("classic_protection", Value::Integer(self.protection)),
            ("drop_on_overload", Value::Switch(self.drop_on_overload)),
            ("drop_early", Value::Switch(self.drop_early)),
            ("mtu", Value::Integer(self.mtu)),
        ];
        values.extend(self.step_packets.map(|count| ("step_packets", Value::Integer(count))));
        values
    }
}

fn any_parameters() -> impl Strategy<Value = Parameters> {
    let times = prop_oneof![
        2 => Just((15 * MS, 16 * MS)),
        1 => (MS..30 * MS, MS..40 * MS),
    ];
    let weights = prop::sample::select(vec![(0.16, 3.2), (0.16, 3.2), (0.01, 0.1), (8.0, 0.0)]);
    let coupling = prop::sample::select(vec![1, 2, 2, 3]);
    let step = prop::sample::select(vec![MS, MS, 10 * MS, 100 * MS]);
    let step_packets = prop::option::weighted(0.3, 0..6_u64);
    let min_qlen_step = prop::sample::select(vec![0, 0, 2, 5]);
    let protection = prop::sample::select(vec![0, 10, 10, 50, 100]);
    let mtu = prop::sample::select(vec![1, 500, 1500]);
    let step = (step, step_packets, min_qlen_step);
    (times, weights, coupling, step, protection, mtu, any::<[bool; 3]>()).prop_map(
        |(times, weights, coupling, step, protection, mtu, options)| {
            let [any_ect, drop_on_overload, drop_early] = options;
            Parameters {
                target: times.0,
                tupdate: times.1,
                alpha: weights.0,
                beta: weights.1,
                coupling,
                step: step.0,
                step_packets: step.1,
                min_qlen_step: step.2,
                any_ect,
                protection,
                drop_on_overload,
                drop_early,
                mtu,
            }
        },
    )
}

/// Each flow keeps to one queue, so that its packets keep their order.
fn any_steps_of_flows() -> impl Strategy<Value = Vec<Step>> {
    any_steps().prop_map(|mut steps| {
        for packet in steps.iter_mut().flat_map(|step| &mut step.arrivals) {
            packet.ecn = match (packet.flow.0, packet.ecn) {
                (0, _) => Ecn::NotEct,
                (1 | 2, _) => Ecn::Ect0,
                (3, _) => Ecn::Ect1,
                (_, Ecn::Ce) => Ecn::Ce,
                _ => Ecn::Ect1,
            };
        }
        steps
    })
}

/// A packet in the list.
#[derive(Clone, Copy)]
struct Held {
    packet: Packet,
    is_l: bool,
    /// As Linux decides when it queues the packet.
    apply_step: bool,
}

struct DualPi2 {
    parameters: Parameters,
    limit: QueueLimit,
    rng: RngStream,
    waiting: Vec<Held>,
    credit: i64,
    updates: u64,
    p: f64,
    last_delay: u64,
    /// Marks by the step alone, drops of packets with ECN, and turns of C while L waited.
    step_marks: usize,
    overload_drops: usize,
    protected: usize,
}

impl DualPi2 {
    fn new(parameters: Parameters, limit: QueueLimit) -> Self {
        Self {
            parameters,
            limit,
            rng: stream(),
            waiting: vec![],
            credit: 0,
            updates: 0,
            p: 0.0,
            last_delay: 0,
            step_marks: 0,
            overload_drops: 0,
            protected: 0,
        }
    }

    fn update_until(&mut self, now: u64) {
        while (self.updates + 1) * self.parameters.tupdate <= now {
            self.updates += 1;
            let due = self.updates * self.parameters.tupdate;
            let delays = self.waiting.iter().map(|held| due - held.packet.enqueued_at.as_nanos());
            let delay = delays.max().unwrap_or(0);
            let seconds = |nanos| nanos as f64 / 1e9;
            self.p += self.parameters.alpha * (seconds(delay) - seconds(self.parameters.target))
                + self.parameters.beta * (seconds(delay) - seconds(self.last_delay));
            self.last_delay = delay;
            if self.p < 0.0 {
                self.p = 0.0;
            }
            let k = self.parameters.coupling as f64;
            let most = if self.parameters.drop_on_overload { 1.0 } else { 1.0 / k };
            if self.p > most {
                self.p = most;
            }
        }
    }

    fn roll(&mut self, probability: f64) -> bool {
        self.rng.uniform() < probability
    }

    /// Marks `packet` or says that it is to be dropped; `others` are those beside it.
    fn must_drop(&mut self, is_l: bool, packet: &mut Packet, others: u64, marks: &mut u64) -> bool {
        if others < 2 * self.parameters.mtu {
            return false;
        }
        let (p, local) = (self.p, self.p * self.parameters.coupling as f64);
        let overload = local > 1.0 && self.parameters.drop_on_overload;
        let mut mark = false;
        if !is_l {
            if self.roll(p) && self.roll(p) {
                if overload || packet.ecn == Ecn::NotEct {
                    self.overload_drops += usize::from(packet.ecn != Ecn::NotEct);
                    return true;
                }
                mark = true;
            }
        } else if overload {
            if self.roll(p) && self.roll(p) {
                self.overload_drops += 1;
                return true;
            }
            mark = true;
        } else if self.roll(local) {
            mark = true;
        }
        if mark {
            packet.ecn = Ecn::Ce;
            *marks += 1;
        }
        false
    }

    fn bytes(&self) -> u64 {
        self.waiting.iter().map(|held| u64::from(held.packet.size)).sum()
    }
}

impl Model for DualPi2 {
    fn arrive(&mut self, now: u64, mut packet: Packet, in_service: &[Packet]) -> Outcome {
        let mut outcome = Outcome::default();
        self.update_until(now);
        let is_l = match packet.ecn {
            Ecn::NotEct => false,
            Ecn::Ect0 => self.parameters.any_ect,
            Ecn::Ect1 | Ecn::Ce => true,
        };
        let waiting = self.waiting.iter().map(|held| &held.packet);
        if !fits(self.limit, waiting.chain(in_service), &packet) {
            outcome.drop(packet, DropReason::OnArrival);
            return outcome;
        }
        if self.parameters.drop_early {
            let others = self.bytes();
            if self.must_drop(is_l, &mut packet, others, &mut outcome.marked) {
                outcome.drop(packet, DropReason::OnArrival);
                return outcome;
            }
        }
        if self.waiting.is_empty() {
            let wc = self.parameters.protection as i64;
            self.credit = self.parameters.mtu as i64 * (wc - (100 - wc));
        }
        let in_l = self.waiting.iter().filter(|held| held.is_l).count() as u64;
        // Marked packets are not counted again.
        let apply_step = is_l && in_l >= self.parameters.min_qlen_step && outcome.marked == 0;
        self.waiting.push(Held { packet, is_l, apply_step });
        outcome
    }

    fn serve(&mut self, now: u64) -> Outcome {
        let mut outcome = Outcome::default();
        self.update_until(now);
        loop {
            let first = |is_l| self.waiting.iter().position(|held| held.is_l == is_l);
            let (l, c) = (first(true), first(false));
            let (place, weight) = match (l, c) {
                (None, None) => return outcome,
                (Some(place), None) | (None, Some(place)) => (place, 0),
                (Some(place), Some(_)) if self.credit <= 0 => {
                    (place, self.parameters.protection as i64)
                }
                (Some(_), Some(place)) => {
                    self.protected += 1;
                    (place, self.parameters.protection as i64 - 100)
                }
            };
            let Held { mut packet, is_l, apply_step } = self.waiting.remove(place);
            let mut marks = 0;
            let others = self.bytes();
            if !self.parameters.drop_early && self.must_drop(is_l, &mut packet, others, &mut marks)
            {
                outcome.drop(packet, DropReason::OnDeparture);
                continue;
            }
            let in_l = self.waiting.iter().filter(|held| held.is_l).count() as u64;
            let exceeds = match self.parameters.step_packets {
                Some(packets) => in_l > packets,
                None => now - packet.enqueued_at.as_nanos() > self.parameters.step,
            };
            if apply_step && exceeds && marks == 0 {
                packet.ecn = Ecn::Ce;
                marks = 1;
                self.step_marks += 1;
            }
            self.credit += weight * i64::from(packet.size);
            outcome.marked += marks;
            outcome.returned = Some(packet);
            return outcome;
        }
    }
}

#[test]
fn dualpi2_does_what_its_model_does() {
    let totals = RefCell::new((Tally::default(), [0; 4]));
    let cases = (any_parameters(), any_limit(), any_steps_of_flows());
    let run = |(parameters, limit, steps): (Parameters, QueueLimit, Vec<Step>)| {
        let mut model = DualPi2::new(parameters, limit);
        let tally = compare(&dualpi2(&parameters.values()), limit, &mut model, &steps)?;
        let (total, counts) = &mut *totals.borrow_mut();
        total.add(&tally);
        counts[0] += model.step_marks;
        counts[1] += model.overload_drops;
        counts[2] += model.protected;
        counts[3] += usize::from(model.p > 0.0);
        Ok(())
    };
    TestRunner::new(config(2000)).run(&cases, run).unwrap();
    // The patterns cover these cases.
    let (total, counts) = totals.into_inner();
    assert!(total.dropped_on_departure > 1000 && total.marked > 10_000, "{total:?}");
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}, {total:?}");
}
