//! BBR version 1 over a path. Expected values follow from its gains.

use super::path::{Fate, Path};
use super::*;
use crate::rng::{RngStream, StreamId};

/// 50 ms each way, and a bottleneck of 1 ms a segment: 101 segments fill the path.
const PACE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(1));

fn config() -> TcpConfig {
    TcpConfig { sack: true, rack: true, initial_window: 10, ..plain() }
}

fn bbr1() -> Controller {
    Controller::new(&Config::from_name("bbr1").unwrap())
}

/// Segments in (from, until), ms, and how long they wait for the bottleneck on average, ms.
fn load<F: FnMut(&super::path::Packet, u64) -> Fate>(
    path: &Path<F>,
    (from, until): (u64, u64),
) -> (usize, f64) {
    let (mut free, mut waits) = (Instant::ZERO, vec![]);
    for &(sent, _) in &path.sent {
        let start = free.max(sent);
        free = start + PACE.1;
        if sent >= at(from) && sent < at(until) {
            waits.push(start.since(sent).as_secs_f64() * 1e3);
        }
    }
    (waits.len(), waits.iter().sum::<f64>() / waits.len() as f64)
}

/// Alone. By hand, in segments of the queue: in the probing phase the rate is 5/4 x 0.99, so that the queue grows by 0.2375
/// in a ms until 127 and 6 and 2 are in flight, 136, which is a queue of 35; it shrinks by 0.2575 in a ms for a round-trip time
/// of 101 ms, to 9; and by 0.01 in a ms for six, to 3. From there it grows for 135 ms. So the mean is
/// (135 x 19 + 101 x 22 + 606 x 6) / 842 = 10. Bursts of the ACK clock are not in that: half as much and half as much again is
/// accepted. A probe for the round-trip time leaves the path empty for about 300 ms in 10 s.
#[test]
fn alone_it_fills_the_path_with_a_short_queue() {
    let mut path = Path::with(bbr1(), config(), 1, PACE, |_, _| Fate::Arrives);
    path.run_until(at(45_000));
    let (segments, wait) = load(&path, (5_000, 45_000));
    assert!(segments as f64 >= 0.95 * 40_000.0, "{segments} segments");
    assert!((5.0..15.0).contains(&wait), "a mean queue of {wait}");
    assert_eq!(path.sender.counters().retransmissions, 0);
}

/// One of 50 segments is lost at random. BBR's rate is that of the path nevertheless, less what is lost; CUBIC's would be
/// about 1.2 / sqrt(0.02) segments per round trip, a twelfth.
#[test]
fn random_losses_do_not_lower_the_rate() {
    let mut random = RngStream::new(7, StreamId::LinkLoss, 0);
    let mut path = Path::with(bbr1(), config(), 1, PACE, move |packet, _| match packet {
        super::path::Packet::Data { .. } if random.bernoulli(0.02) => Fate::Lost,
        _ => Fate::Arrives,
    });
    path.run_until(at(40_000));
    let delivered = path.sender.acked() / SEGMENT;
    assert!(delivered as f64 > 0.85 * 0.98 * 40_000.0, "{delivered}");
}

/// With each form of loss recovery losses are repaired and all arrives.
#[test]
fn all_arrives_with_each_form_of_recovery() {
    for (sack, rack) in [(false, false), (true, false), (true, true)] {
        for seed in 0..5 {
            let mut random = RngStream::new(seed, StreamId::LinkLoss, 0);
            let tcp = TcpConfig { sack, rack, prr: true, ..config() };
            let sending = Sending { total: 2_000 * SEGMENT, ..tcp.into() };
            let mut path = Path::with(bbr1(), sending, 1, PACE, move |_, _| {
                if random.bernoulli(0.05) { Fate::Lost } else { Fate::Arrives }
            });
            path.run();
        }
    }
}
