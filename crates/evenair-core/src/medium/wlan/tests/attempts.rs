//! What is reported of each attempt, worked out by hand.

use super::examples::{arrival, draws, slow_cell, two_stations};
use super::*;

const fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

fn attempts(case: &Case) -> Vec<Attempted> {
    observe_with::<Driver>(case, |_, _| {}).2
}

/// Backoff slots, airtime and success of each attempt.
fn outcomes(case: &Case) -> Vec<(u64, Duration, bool)> {
    let slot = case.config.phy.slot;
    let outcome = |a: &Attempted| (a.backoff.div_ceil(slot), a.airtime, a.delivered);
    attempts(case).iter().map(outcome).collect()
}

/// 802.11a at 54 Mb/s: data of 1536 bytes 248 us, SIFS 16 us, ACK 28 us. The first frame has immediate
/// access after a DIFS of 34 us, the others the post-backoff of the one before.
#[test]
fn a_success_takes_data_sifs_and_ack() {
    let phy = Phy::dot11a();
    let basic = [6, 12, 24].map(Rate::from_mbps);
    let config = DcfConfig::new(phy, ControlRate::Basic(BasicRates::new(&basic)));
    let down = |at| Arrival { at: us(at), from: AP, to: 2, bytes: 1500 };
    let case = two_stations(config, 3, vec![down(0), down(1), down(2)]);
    let case = Case { rates: vec![Rate::from_mbps(54); 3], ..case };
    let [first, second] = draws(3, 0, [15, 15]);
    let mut end = 0;
    let expected = [0, first, second].map(|slots| {
        end += 34 + 9 * slots + 292;
        let (at, backoff, airtime) = (us(end), micros(9 * slots), micros(292));
        Attempted { at, from: AP, station: 2, backoff, airtime, delivered: true }
    });
    assert_eq!(attempts(&case), expected);
}

/// Data 192 + 1024 us at 1 Mb/s, with RTS/CTS 272 + 10 + 248 + 10 us before; the response timeout is
/// 222 us. The post-backoff of the drop is for no attempt.
#[test]
fn a_lost_data_frame_takes_the_response_timeout() {
    let windows = [63, 127, 255, 511, 1023, 1023];
    for (rts, count) in [(false, 7), (true, 4)] {
        let config = DcfConfig { long_retry_limit: 4, ..slow_cell(true, 7) };
        let config = DcfConfig { rts_threshold: rts.then_some(0), ..config };
        let mut case = two_stations(config, 5, vec![arrival(0, 1, 100)]);
        case.error_rates[1] = 1.0;
        let airtime = micros(192 + 1024 + 222 + if rts { 540 } else { 0 });
        let drawn = [0].into_iter().chain(draws(5, 1, windows));
        let expected: Vec<_> = drawn.map(|slots| (slots, airtime, false)).take(count).collect();
        assert_eq!(outcomes(&case), expected);
    }
}

/// An RTS of 272 us, without answer; then with a CTS of 248 us that cannot be decoded; data whose ACK
/// cannot.
#[test]
fn an_undecodable_response_counts_and_has_no_timeout() {
    let rts = DcfConfig { rts_threshold: Some(0), ..slow_cell(true, 1) };
    for (config, direction, airtime) in [
        (rts, LossDirection::Up, 272 + 222),
        (rts, LossDirection::Down, 272 + 10 + 248),
        (slow_cell(true, 1), LossDirection::Down, 192 + 1024 + 10 + 248),
    ] {
        let mut case = two_stations(config, 1, vec![arrival(0, 1, 100)]);
        case.error_rates[1] = 1.0;
        case.scope = mac_errors(LossyFrames::All, direction);
        assert_eq!(outcomes(&case), [(0, micros(airtime), false)]);
    }
}

/// Each of two colliding stations has its own frame, of 1216 or 2016 us, and its timeout.
#[test]
fn a_collision_takes_each_its_own_frame() {
    let arrivals = vec![arrival(1_001, 1, 100), arrival(1_009, 2, 200)];
    let case = two_stations(slow_cell(true, 1), 1, arrivals);
    let of = |from, airtime: u64| {
        let (at, backoff, airtime) = (us(1_010 + 2016), Duration::ZERO, micros(airtime + 222));
        Attempted { at, from, station: from, backoff, airtime, delivered: false }
    };
    assert_eq!(attempts(&case), [of(1, 1216), of(2, 2016)]);
}

/// Everything but the reports is the same where nobody wants them.
#[test]
fn reports_change_nothing() {
    for seed in 0..200 {
        let case = random_case(seed);
        let [with, without] = [true, false].map(|watched| {
            let airtime = std::cell::RefCell::new(Vec::new());
            let case = Case { watched, ..case.clone() };
            let (seen, counters, _) = observe_with::<Driver>(&case, |dcf, now| {
                airtime.borrow_mut().push(dcf.traffic_airtime(now, AP));
            });
            (seen, counters, airtime.into_inner())
        });
        assert!(with == without, "seed {seed}");
    }
}
