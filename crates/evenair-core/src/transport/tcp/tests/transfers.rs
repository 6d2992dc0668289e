//! Whole transfers over a [`Path`].

use proptest::prelude::*;

use super::path::{Fate, Packet, Path};
use super::*;

pub(super) const RTT: Duration = Duration::from_millis(100);
/// Half a round-trip time each way, and nothing that queues.
pub(super) const WIDE: (Duration, Duration) = (Duration::from_millis(50), Duration::ZERO);

/// Loses the data segments with these numbers among all that are sent.
pub(super) fn losing(numbers: &[u64]) -> impl FnMut(&Packet, u64) -> Fate {
    move |packet, number| match packet {
        Packet::Data { .. } if numbers.contains(&number) => Fate::Lost,
        _ => Fate::Arrives,
    }
}

/// How many segments left in each round trip after the handshake.
fn rounds(sent: &[(Instant, Segment)]) -> Vec<usize> {
    let round = |t: Instant| (t.as_nanos() / RTT.as_nanos()) as usize - 1;
    let mut rounds = vec![];
    for &(when, _) in sent {
        rounds.resize(rounds.len().max(round(when) + 1), 0);
        rounds[round(when)] += 1;
    }
    rounds
}

#[test]
fn slow_start_doubles_each_round_trip() {
    let mut path = Path::new(plain(), 1, WIDE, losing(&[]));
    path.run_until(at(1050));
    assert_eq!(rounds(&path.sent), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
    assert_eq!(path.sender.window().cwnd, 512.0);
}

/// With an ACK for 2 segments the window grows by half: 2, 3, 4 (the third waits for its ACK), ...
#[test]
fn slow_start_with_delayed_acks_grows_by_half() {
    let mut path = Path::new(TcpConfig { initial_window: 16, ..plain() }, 2, WIDE, losing(&[]));
    path.run_until(at(450));
    assert_eq!(rounds(&path.sent), [16, 24, 36, 54]);
}

#[test]
fn congestion_avoidance_grows_by_one_each_round_trip() {
    let config = TcpConfig { initial_window: 10, initial_ssthresh: Some(10), ..plain() };
    let mut path = Path::new(config, 1, WIDE, losing(&[]));
    let mut cwnd = 10.0;
    for round in 2..60 {
        // The round's ACKs have come and the next round's have not.
        path.run_until(at(100 * round + 99));
        let growth = path.sender.window().cwnd - cwnd;
        // Somewhat less than 1: a cwnd of 10.96 also permits 10 segments.
        assert!((0.85..1.0).contains(&growth), "round {round}: {growth}");
        cwnd += growth;
    }
}

#[test]
fn the_bottleneck_sets_the_pace() {
    let min_rto = Duration::from_secs(1);
    let tcp = TcpConfig { initial_window: 20, window: 20, min_rto, ..plain() };
    let config = Sending { total: 2000 * SEGMENT, tcp };
    // 20 segments of 10 ms more than fill a path of 110 ms: the bottleneck never rests.
    let pace = (Duration::from_millis(50), Duration::from_millis(10));
    let end = Path::new(config, 1, pace, losing(&[])).run();
    assert_eq!(end, at(100 + 2000 * 10 + 100));
}

#[test]
fn acks_of_a_transfer_of_ten_segments() {
    for (delayed_ack, acks) in [(1, 10), (2, 5), (3, 4), (4, 3), (5, 2)] {
        let config =
            Sending { total: 10 * SEGMENT, tcp: TcpConfig { initial_window: 10, ..plain() } };
        let mut path = Path::new(config, delayed_ack, WIDE, losing(&[]));
        let end = path.run();
        assert_eq!(path.acks.len(), acks, "an ACK for {delayed_ack}");
        // A segment that is left over waits for 100 ms more.
        assert_eq!(end, if 10 % delayed_ack == 0 { at(200) } else { at(300) });
        assert_eq!(path.sender.counters().retransmissions, 0);
    }
}

/// One segment in a window costs a round trip, and no timeout.
#[test]
fn one_loss_is_repaired_a_round_trip_later() {
    let config = Sending { total: 64 * SEGMENT, tcp: TcpConfig { initial_window: 8, ..plain() } };
    let mut path = Path::new(config, 1, WIDE, losing(&[3]));
    path.run();
    let again: Vec<_> = path.sent.iter().filter(|(_, s)| s.retransmission).collect();
    assert_eq!(again.len(), 1);
    assert_eq!((again[0].0, again[0].1.seq), (at(200), 3 * SEGMENT));
    assert_eq!(path.sender.counters().timeouts, 0);
    assert_eq!(path.sender.counters().fast_retransmits, 1);
}

/// RFC 6582: one hole each round trip, no timeout while the timer allows, one halving.
#[test]
fn losses_of_one_window_are_repaired_one_each_round_trip() {
    let min_rto = Duration::from_secs(1);
    let config = TcpConfig { initial_window: 20, min_rto, ..plain() };
    let mut path = Path::new(config, 1, WIDE, losing(&[2, 5, 11, 17]));
    path.run_until(at(590));
    let again: Vec<_> =
        path.sent.iter().filter(|(_, s)| s.retransmission).map(|(t, s)| (*t, s.seq)).collect();
    assert_eq!(again, [(at(200), 2000), (at(300), 5000), (at(400), 11_000), (at(500), 17_000)]);
    path.run_until(at(601));
    assert_eq!(path.sender.counters().fast_retransmits, 1);
    assert_eq!(path.sender.counters().timeouts, 0);
    // 20 sent, 2 acknowledged that let 4 go: 22 outstanding.
    assert_eq!(path.sender.window().ssthresh, 11.0);
    assert!(path.sender.window().cwnd < 12.0);
}

#[test]
fn a_transfer_begins_though_the_handshake_is_lost_twice() {
    let config = Sending { total: SEGMENT, tcp: TcpConfig { initial_window: 4, ..plain() } };
    let mut lost = 0;
    let end = Path::new(config, 1, WIDE, |packet: &Packet, _| {
        let is_lost = matches!(packet, Packet::Syn if lost == 0)
            || matches!(packet, Packet::SynAck if lost == 1);
        lost += u32::from(is_lost);
        if is_lost { Fate::Lost } else { Fate::Arrives }
    })
    .run();
    assert_eq!(end, at(9200)); // sent again at 3 s and at 9 s
}

#[test]
fn lost_acks_cost_nothing_while_later_ones_come() {
    let config = Sending {
        total: 200 * SEGMENT,
        tcp: TcpConfig { initial_window: 20, window: 20, ..plain() },
    };
    let mut path = Path::new(config, 1, WIDE, |packet: &Packet, number| match packet {
        Packet::Ack(..) if number % 4 != 3 => Fate::Lost,
        _ => Fate::Arrives,
    });
    path.run();
    assert_eq!(path.sender.counters().retransmissions, 0);
}

/// Every 1/p-th segment is lost: sqrt(1.5 / p) segments each round trip (Mathis et al. 1997).
/// The law leaves out the round trip of the recovery, and that a
/// part of a segment is not sent: about 2 segments less, whatever the window.
#[test]
fn periodic_losses_give_the_square_root_law() {
    for (period, rtts) in [(800, 10_000), (3200, 20_000)] {
        let config = TcpConfig { initial_ssthresh: Some(2), ..plain() };
        let mut path = Path::new(config, 1, WIDE, move |packet: &Packet, number| match packet {
            Packet::Data { .. } if number % period == period - 1 => Fate::Lost,
            _ => Fate::Arrives,
        });
        path.run_until(Instant::ZERO + RTT * rtts);
        let window = path.sender.acked() as f64 / SEGMENT as f64 / rtts as f64;
        let law = (1.5 * period as f64).sqrt();
        let ratio = window / law;
        assert!((0.9..1.1).contains(&ratio), "1/p = {period}: {window} is {ratio} of {law}");
        assert_eq!(path.sender.counters().timeouts, 0, "1/p = {period}");
    }
}

/// Losses of data, of data after a lost segment, and of ACKs, with these probabilities; what arrives
/// is late by up to `jitter` milliseconds.
pub(super) fn random_fates(
    seed: u64,
    (loss, burst, ack_loss): (f64, f64, f64),
    jitter: u64,
) -> impl FnMut(&Packet, u64) -> Fate {
    let (mut state, mut bad) = (seed, false);
    move |packet, _| {
        let chance = match packet {
            Packet::Data { .. } if bad => burst,
            Packet::Data { .. } => loss,
            Packet::Ack(..) => ack_loss,
            _ => 0.0,
        };
        let lost = uniform(&mut state) < chance;
        bad = if matches!(packet, Packet::Data { .. }) { lost } else { bad };
        let late = uniform(&mut state) * jitter as f64 * 1e3;
        if lost { Fate::Lost } else { Fate::ArrivesLate(Duration::from_micros(late as u64)) }
    }
}

/// A small generator: a test's losses must depend on nothing but its seed.
pub(super) fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn any_config() -> impl Strategy<Value = Sending> {
    use LimitedTransmit::{Any, New, Off};
    let limits = (1..40_u32, 1..10_u32, 1..40_u32, 0..80_001_u64);
    let recovery = any::<[bool; 3]>();
    let limited_transmit = prop::sample::select(vec![Off, New, Any]);
    let options = (any::<bool>(), any::<bool>(), limited_transmit, recovery);
    (limits, options, 1..300_u64).prop_map(
        |((window, initial_window, initial_ssthresh, total), options, min_rto)| {
            let tcp = TcpConfig {
                window,
                initial_window,
                initial_ssthresh: Some(initial_ssthresh),
                byte_counting: Some(options.0),
                spm_marking: Some(options.1),
                limited_transmit: options.2,
                sack: options.3[0],
                rack: options.3[1],
                prr: options.3[2],
                min_rto: Duration::from_millis(min_rto),
                ..plain()
            };
            Sending { tcp, total }
        },
    )
}

proptest! {
    #![proptest_config(evenair_testing::config!(2000))]

    /// Whatever is lost: all arrives, and no step breaks what [`Path`] guards.
    #[test]
    fn all_arrives_whatever_is_lost(
        config in any_config(),
        delayed_ack in 1..6_u32,
        (delay, service) in (0..120_u64, 0..12_u64),
        (data_loss, ack_loss) in (0.0..0.4, 0.0..0.4),
        jitter in prop_oneof![Just(0_u64), 1..150_u64],
        seed in any::<u64>(),
    ) {
        let mut state = seed;
        let pace = (Duration::from_millis(delay), Duration::from_millis(service));
        let mut path = Path::new(config, delayed_ack, pace, move |packet: &Packet, _| {
            let loss = match packet {
                Packet::Syn | Packet::Data { .. } => data_loss,
                Packet::SynAck | Packet::Ack(..) => ack_loss,
            };
            if uniform(&mut state) < loss {
                return Fate::Lost;
            }
            if jitter == 0 {
                return Fate::Arrives;
            }
            Fate::ArrivesLate(Duration::from_micros((uniform(&mut state) * jitter as f64 * 1e3) as u64))
        });
        path.run();
        prop_assert_eq!(path.sender.acked(), config.total);
        prop_assert_eq!(path.sender.poll_at(), if config.total == 0 { at(3000) } else { Instant::NEVER });
        // What is still under way changes nothing any more.
        if config.total > 0 {
            let sent = path.sent.len();
            while path.step() {}
            prop_assert_eq!(path.sent.len(), sent);
        }
    }

    /// Stopped at any moment, it repairs what it has begun and comes to an end.
    #[test]
    fn a_stopped_transfer_comes_to_an_end(
        config in any_config(),
        steps in 0..200_usize,
        loss in 0.0..0.4,
        seed in any::<u64>(),
    ) {
        let mut state = seed;
        let config = Sending { total: u64::MAX, ..config };
        let mut path = Path::new(config, 2, WIDE, move |_: &Packet, _| {
            if uniform(&mut state) < loss { Fate::Lost } else { Fate::Arrives }
        });
        for _ in 0..steps {
            path.step();
        }
        path.stop();
        let highest = path.sent.iter().map(|(_, s)| s.seq + u64::from(s.payload)).max().unwrap_or(0);
        for _ in 0..100_000 {
            if path.sender.is_done() {
                break;
            }
            prop_assert!(path.step());
        }
        prop_assert!(path.sender.is_done());
        prop_assert_eq!(path.sender.acked(), highest);
        prop_assert!(path.sent.iter().all(|(_, s)| s.seq < highest || highest == 0));
    }
}
