//! The token bucket.

use std::cell::RefCell;

use super::*;

/// A token bucket as a bound on departures: since each earlier departure, that one included, at
/// most `burst + rate * t` bytes have left.
struct Shaper {
    rate: u64,
    burst: u64,
    limit: QueueLimit,
    waiting: Vec<Packet>,
    departures: Vec<(u64, u32)>,
}

impl Shaper {
    /// The first nanosecond at which `size` bytes may leave, as far as the departures before allow.
    fn earliest(&self, size: u32) -> u64 {
        let bound = |(index, &(time, _)): (usize, &(u64, u32))| {
            let since: u64 = self.departures[index..].iter().map(|d| u64::from(d.1)).sum();
            let excess = (since + u64::from(size)).saturating_sub(self.burst);
            let nanos = u128::from(excess) * 8_000_000_000;
            time + nanos.div_ceil(u128::from(self.rate)) as u64
        };
        self.departures.iter().enumerate().map(bound).max().unwrap_or(0)
    }
}

impl Model for Shaper {
    fn arrive(&mut self, _now: u64, packet: Packet, in_service: &[Packet]) -> Outcome {
        let mut outcome = Outcome::default();
        let has_room = fits(self.limit, self.waiting.iter().chain(in_service), &packet);
        if has_room && u64::from(packet.size) <= self.burst {
            self.waiting.push(packet);
        } else {
            outcome.drop(packet, DropReason::OnArrival);
        }
        outcome
    }

    fn serve(&mut self, now: u64) -> Outcome {
        let mut outcome = Outcome::default();
        if !self.waiting.is_empty() && self.earliest(self.waiting[0].size) <= now {
            let packet = self.waiting.remove(0);
            self.departures.push((now, packet.size));
            outcome.returned = Some(packet);
        }
        outcome
    }
}

fn tbf(rate: u64, burst: u64) -> Config {
    discipline("tbf", &[("rate", Value::Integer(rate)), ("burst", Value::Integer(burst))])
}

fn any_rate() -> impl Strategy<Value = u64> {
    prop_oneof![
        prop::sample::select(vec![8_000, 1_000_000, 3_000_000, 11_000_000]),
        1_000..100_000_000_u64,
    ]
}

#[test]
fn tbf_does_what_its_model_does() {
    let totals = RefCell::new(Tally::default());
    let burst = prop::sample::select(vec![40, 1499, 1500, 1501, 4000, 15_000]);
    let cases = (any_rate(), burst, any_limit(), any_steps());
    let run = |(rate, burst, limit, steps): (u64, u64, QueueLimit, Vec<Step>)| {
        let mut model = Shaper { rate, burst, limit, waiting: vec![], departures: vec![] };
        totals.borrow_mut().add(&compare(&tbf(rate, burst), limit, &mut model, &steps)?);
        Ok(())
    };
    TestRunner::new(config(1000)).run(&cases, run).unwrap();
    let total = totals.into_inner();
    assert!(total.left > 10_000 && total.dropped_on_arrival > 10_000, "{total:?}");
}

/// A transmitter that asks at `ready_at` gets each packet at the first nanosecond that the bound
/// allows, and the bound holds over every window.
#[test]
fn no_window_sees_more_than_the_burst_and_the_rate_nor_much_less() {
    let sizes = prop::collection::vec(40..1501_u32, 2..60);
    let run = |(rate, burst, sizes): (u64, u64, Vec<u32>)| {
        let mut bench = Bench::new(&tbf(rate, burst), QueueLimit::Packets(100));
        for (&size, seq) in sizes.iter().zip(0..) {
            prop_assert_eq!(bench.arrive(data(0, seq, size)), Outcome::default());
        }
        let mut left: Vec<(u64, u32)> = vec![];
        for &size in &sizes {
            let time = bench.queue.ready_at().as_nanos().max(bench.now);
            if time > bench.now {
                prop_assert_eq!(bench.serve(time - 1), Outcome::default());
            }
            prop_assert_eq!(bench.serve(time).returned.map(|packet| packet.size), Some(size));
            left.push((time, size));
        }
        prop_assert_eq!(bench.queue.ready_at(), Instant::NEVER);
        let bits = |bytes: u64| u128::from(bytes) * 8_000_000_000;
        for first in 0..left.len() {
            let mut bytes = 0;
            for &(time, size) in &left[first..] {
                bytes += u64::from(size);
                let allowed = bits(burst) + u128::from(rate) * u128::from(time - left[first].0);
                prop_assert!(bits(bytes) <= allowed, "too much from {first} on");
            }
        }
        // Nor is it slower: all packets arrived at the start, so the last one left as soon as burst
        // and rate allowed all of them, to the nanosecond.
        let all: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        let due = bits(all.saturating_sub(burst)).div_ceil(u128::from(rate));
        prop_assert_eq!(u128::from(left[left.len() - 1].0), due);
        Ok(())
    };
    TestRunner::new(config(1000)).run(&(any_rate(), 1500..20_000_u64, sizes), run).unwrap();
}

/// By hand, at 8 Mbit/s, a byte in a microsecond, with a burst of 3000 bytes: two packets of 1500
/// leave at once and the third 1500 us later. After a pause of 1 ms, there are tokens for 1000
/// bytes, and 500 us are missing for the fourth.
#[test]
fn tbf_says_when_it_is_ready() {
    let mut bench = Bench::new(&tbf(8_000_000, 3000), QueueLimit::Packets(100));
    assert_eq!(bench.queue.ready_at(), Instant::NEVER);
    for seq in 0..3 {
        bench.arrive(data(0, seq, 1500));
    }
    for _ in 0..2 {
        assert!(bench.queue.ready_at() <= Instant::ZERO);
        assert!(bench.serve(0).returned.is_some());
    }
    assert_eq!(bench.queue.ready_at().as_nanos(), 1_500_000);
    assert_eq!(bench.serve(1_499_999).returned, None);
    assert!(bench.serve(1_500_000).returned.is_some());
    assert_eq!(bench.queue.ready_at(), Instant::NEVER);
    bench.now = 2_500_000;
    bench.arrive(data(0, 3, 1500));
    assert_eq!(bench.queue.ready_at().as_nanos(), 3_000_000);
}

/// By hand: at 3 bit/s, after a burst of two packets of a byte, a further one takes 8/3 s, which is
/// 2 666 666 666.7 ns: it may leave at the nanosecond after. The next is not delayed by the
/// rounding: two take 5 333 333 333.3 ns, three 8 s. (With a bucket of one byte they would be: it
/// overflows.)
#[test]
fn tbf_does_not_accumulate_rounding() {
    let mut bench = Bench::new(&tbf(3, 2), QueueLimit::Packets(100));
    for seq in 0..5 {
        bench.arrive(data(0, seq, 1));
    }
    assert!(bench.serve(0).returned.is_some());
    assert!(bench.serve(0).returned.is_some());
    for due in [2_666_666_667, 5_333_333_334, 8_000_000_000] {
        assert_eq!(bench.queue.ready_at().as_nanos(), due);
        assert_eq!(bench.serve(due - 1).returned, None);
        assert!(bench.serve(due).returned.is_some());
    }
}

#[test]
fn tbf_drops_what_exceeds_its_bucket() {
    let mut bench = Bench::new(&tbf(8_000_000, 1499), QueueLimit::Packets(100));
    let lost = Dropped { packet: data(0, 0, 1500), reason: DropReason::OnArrival };
    assert_eq!(bench.arrive(data(0, 0, 1500)).dropped, [lost]);
    assert_eq!(bench.arrive(data(0, 1, 1499)), Outcome::default());
}
