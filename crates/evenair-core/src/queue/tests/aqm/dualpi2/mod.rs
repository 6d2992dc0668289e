//! DualPI2.

mod control;
mod model;
mod scheduler;
mod signals;

use super::*;

fn dualpi2(parameters: &[(&str, Value)]) -> Config {
    discipline("dualpi2", parameters)
}

fn time(nanos: u64) -> Value {
    Value::Duration(Duration::from_nanos(nanos))
}

/// A packet that asks for the marks of L4S.
fn l4s(packet: Packet) -> Packet {
    Packet { ecn: Ecn::Ect1, ..packet }
}

/// The base probability, as of the last arrival or departure.
fn base_probability(bench: &Bench) -> f64 {
    let Queue::DualPi2(queue) = &bench.queue else { panic!("it is DualPI2") };
    queue.base_probability()
}

fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-14, "{got} is not {expected}");
}
