//! The cycle of ProbeBW (5.3.3).

use super::*;

/// 5.6.1 and 5.6.2: 0.99 of 1,000 segments/s in CRUISE and REFILL, 1.25 of these in UP, 0.9 in DOWN. A bandwidth that stays is
/// known after three rounds in UP (5.3.3.7). DOWN ends when the queue is empty (5.3.3.1), here of 101 segments and then
/// 100.
#[test]
fn a_cycle_without_losses() {
    let mut bench = Bench::cruising();
    close(bench.bbr.pacing_rate, 990.0);
    bench = Bench::refilling();
    close(bench.bbr.pacing_rate, 990.0);
    bench.round(100);
    for _ in 0..3 {
        assert_eq!(bench.state(), State::Up);
        close(bench.bbr.pacing_rate, 1237.5);
        bench.round(100);
    }
    assert_eq!(bench.state(), State::Down);
    close(bench.bbr.pacing_rate, 891.0);
    bench.in_flight(101);
    bench.ack(Duration::ZERO);
    assert_eq!(bench.state(), State::Down);
    bench.in_flight(100);
    bench.ack(Duration::ZERO);
    assert_eq!(bench.state(), State::Cruise);
}

/// 5.3.3.7: UP goes on while the rate of a round grows by 25 %.
#[test]
fn up_goes_on_while_the_bandwidth_grows() {
    let mut bench = Bench::probing();
    for segments in [125, 157, 157, 157] {
        bench.round(segments);
        assert_eq!(bench.state(), State::Up);
    }
    bench.round(157);
    assert_eq!((bench.state(), bench.bbr.model.bw), (State::Down, 1570.0));
}

/// A.9: a queue that does not empty keeps a flow from CRUISE, but not from the next probe.
#[test]
fn down_may_lead_to_refill() {
    let mut bench = Bench::probing();
    for _ in 0..3 {
        bench.round(100);
    }
    bench.rest();
    bench.in_flight(101);
    bench.ack(bench.bbr.cycle.wait);
    assert_eq!(bench.state(), State::Down);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::Refill);
}

/// 5.3.3.8.3: 2 to 3 s, and from 0 or 1 round on. By the standard deviations of a uniform number (0.289 s) and of a coin
/// (0.5), the means of 1,000 are within 0.046 and 0.08 of theirs, at five times those of the mean.
#[test]
fn the_wait_is_random() {
    let mut bench = Bench::cruising();
    let waits: Vec<_> = (0..1000)
        .map(|_| {
            bench.bbr.start_down();
            (bench.bbr.cycle.wait, bench.bbr.cycle.rounds)
        })
        .collect();
    let range = Duration::from_secs(2)..Duration::from_secs(3);
    assert!(waits.iter().all(|(wait, rounds)| range.contains(wait) && *rounds <= 1));
    let seconds: f64 = waits.iter().map(|(wait, _)| wait.as_secs_f64()).sum();
    assert!((seconds / 1000.0 - 2.5).abs() < 0.046, "{seconds} s");
    let rounds: u32 = waits.iter().map(|(_, rounds)| rounds).sum();
    assert!((420..=580).contains(&rounds), "{rounds}");
    // Another flow waits otherwise.
    bench.bbr.use_random(RngStream::new(1, StreamId::Congestion, 7));
    bench.bbr.start_down();
    assert!(waits.iter().all(|(wait, _)| *wait != bench.bbr.cycle.wait));
}

/// Rounds from CRUISE up to REFILL, from 0 on.
fn rounds_of(mut bench: Bench, segments: u64) -> u32 {
    let mut rounds = bench.bbr.cycle.rounds;
    while bench.state() == State::Cruise {
        bench.ack_of(Duration::from_millis(1), segments, bench.delivered);
        rounds += 1;
    }
    assert_eq!(bench.state(), State::Refill);
    rounds
}

/// 5.3.3.8.3: as many rounds as the product has segments, 63 at most. A cwnd that losses have cut counts if it is less.
#[test]
fn reno_lets_a_flow_probe_earlier() {
    assert_eq!(rounds_of(Bench::cruising_with(10), 10), 10);
    assert_eq!(rounds_of(Bench::cruising_with(62), 62), 62);
    assert_eq!(rounds_of(Bench::cruising_with(100), 100), 63);
    let mut bench = Bench::cruising_with(100);
    bench.bbr.model.inflight_shortterm = 40.0;
    assert_eq!(rounds_of(bench, 100), 40);
}

/// 5.3.3.5: the bound grows by 1, 2, 4 and 8 segments in the rounds that it limits. 60 ACKs let it grow from 60 to 61, every 30.5 of
/// 61 then by one, every 15.75 of 63, every 8.375 of 67.
#[test]
fn the_longterm_bound_grows_ever_faster() {
    let mut bench = Bench::cruising();
    bench.bbr.model.inflight_longterm = 60.0;
    bench.ack(bench.bbr.cycle.wait + NANO);
    bench.round(60);
    assert_eq!((bench.state(), bench.window.cwnd), (State::Up, 60.0));
    for expected in [61.0, 63.0, 67.0, 75.0] {
        let window = bench.window.cwnd as u64;
        let start = bench.delivered;
        for n in 0..window {
            let is_first = n == 0 && expected > 61.0; // of the segments that were sent in UP
            bench.ack_of(NANO, 1, if is_first { start } else { start - 1 });
        }
        assert_eq!((bench.bbr.model.inflight_longterm, bench.window.cwnd), (expected, expected));
    }
    // It is not the path that limits the rate (5.3.3.7).
    assert_eq!(bench.state(), State::Up);
    // A flow that does not fill its window lets it grow no more, from the second round on in which it does not.
    bench.next.is_cwnd_limited = false;
    bench.round(75);
    let bound = bench.bbr.model.inflight_longterm;
    bench.round(75);
    bench.round(75);
    assert_eq!(bench.bbr.model.inflight_longterm, bound);
}

/// 5.3.3.6: after a probe that was too high the next ends as soon as it reaches the bound. If a round trip later nothing is
/// lost, there is another at once, which holds on.
#[test]
fn a_probe_is_cautious_after_one_that_was_too_high() {
    let mut bench = Bench::refilling();
    bench.bbr.cycle.was_too_high = true;
    bench.bbr.model.inflight_longterm = 120.0;
    bench.round(100);
    bench.in_flight(119);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::Up);
    bench.in_flight(120);
    bench.ack(NANO);
    assert_eq!((bench.state(), bench.bbr.cycle.was_too_high), (State::Down, false));
    let mut lossy = bench.bbr.clone();
    bench.round(100);
    assert_eq!(bench.state(), State::Refill);
    bench.round(100);
    bench.ack(NANO);
    assert_eq!((bench.state(), bench.bbr.cycle.was_precautionary), (State::Up, false));
    // The same, but that more than 2 % are lost.
    std::mem::swap(&mut bench.bbr, &mut lossy);
    bench.lose(3, 120);
    bench.round(100);
    assert_eq!((bench.state(), bench.bbr.cycle.was_too_high), (State::Down, true));
}

/// 5.5.6: a round trip after UP the bandwidth of the cycle before the last is forgotten. A.22: one that the application
/// limits changes nothing.
#[test]
fn the_bandwidth_is_that_of_two_cycles() {
    let cycle = |bench: &mut Bench, share: u64, is_app_limited| {
        bench.rest();
        bench.ack(bench.bbr.cycle.wait + NANO);
        assert_eq!(bench.state(), State::Refill);
        bench.next.is_app_limited = is_app_limited;
        bench.next.interval = Some(RTT * share); // 1,000 segments/s / share
        for _ in 0..4 {
            bench.ack_of(RTT, 100, bench.delivered);
        }
        assert_eq!(bench.state(), if is_app_limited { State::Up } else { State::Down });
        if is_app_limited {
            bench.bbr.start_down();
        }
        bench.in_flight(10);
        bench.round(100);
        assert_eq!(bench.state(), State::Cruise);
        bench.next.is_app_limited = false;
        bench.bbr.model.bw
    };
    let mut bench = Bench::cruising();
    assert_eq!(cycle(&mut bench, 2, false), 1000.0);
    assert_eq!(cycle(&mut bench, 2, false), 500.0);
    assert_eq!(cycle(&mut bench, 4, true), 500.0);
    assert_eq!(cycle(&mut bench, 4, false), 500.0);
    assert_eq!(cycle(&mut bench, 4, false), 250.0);
}
