//! Beacons worked out by hand. 802.11a at 6 Mb/s: 66 bytes are 528 bits, with 22 bits of service and
//! tail 23 symbols of 24 bits, 112 us.

use super::examples::{accesses, draws, two_stations};
use super::*;

/// 802.11a at 6 Mb/s, response timeout 50 us, EIFS 94 us. A packet of 1464 bytes has 1500 on the air:
/// 12022 bits, 501 symbols, 2024 us; its ACK 44 us.
fn cell(retry_limit: u32, arrivals: Vec<Arrival>, seed: u64) -> Case {
    let phy = Phy::dot11a();
    let rate = Rate::from_mbps(6);
    let config = DcfConfig {
        short_retry_limit: retry_limit,
        ..DcfConfig::new(phy, ControlRate::Fixed(rate))
    };
    Case { rates: vec![rate; 3], ..two_stations(config, seed, arrivals) }
}

const DATA: u64 = 2024;
const EXCHANGE: u64 = DATA + 16 + 44;
const BEACON: u64 = 112;

fn packet(at: u64, from: u32) -> Arrival {
    let to = if from == AP { 1 } else { AP };
    Arrival { at: us(at), from, to, bytes: 1464 }
}

/// When each beacon that met no other frame began and ended.
fn beacons(seen: &[Seen]) -> Vec<(Instant, Instant)> {
    let beacon = |s: &Seen| match s {
        Seen::Beacon { at, start, .. } => Some((*start, *at)),
        _ => None,
    };
    seen.iter().filter_map(beacon).collect()
}

/// At the next slot boundary of an idle medium; then a DIFS and a backoff, but no ACK.
#[test]
fn a_beacon_has_immediate_access_and_no_acknowledgement() {
    let [post] = draws(1, 0, [15]);
    let start = 34 + 9 * 108; // 1006, the first boundary at or after 1000
    let arrivals = vec![packet(start + 50, AP)];
    let case = cell(7, arrivals, 1).with_beacons(66, [us(1_000)].into_iter());
    let (seen, counters, attempts) = observe_with::<Driver>(&case, |_, _| {});
    let end = start + BEACON;
    assert_eq!(beacons(&seen), [(us(start), us(end))]);
    assert_eq!(accesses(&seen), [(us(end + 34 + 9 * post), vec![AP])]);
    let first = Attempted {
        at: us(end),
        from: AP,
        station: BROADCAST,
        backoff: Duration::ZERO,
        airtime: Duration::from_micros(BEACON),
        delivered: true,
    };
    assert_eq!(attempts[0], first);
    // Its airtime counts, but it is no data frame.
    assert_eq!((counters[0].attempts, counters[0].data_frames, counters[0].delivered), (1, 1, 1));
    let both = Duration::from_micros(BEACON + EXCHANGE);
    assert_eq!(counters[0].airtime.successes, both);
}

/// 72 bytes are 576 bits, with 22 bits 25 symbols.
#[test]
fn six_more_bytes_take_two_more_symbols() {
    let case = cell(7, vec![], 1).with_beacons(72, [us(1_000)].into_iter());
    let (seen, _) = observe::<Driver>(&case);
    assert_eq!(beacons(&seen), [(us(1_006), us(1_006 + 120))]);
}

/// It waits for the end of the exchange and a backoff, and goes before what is queued.
#[test]
fn a_beacon_waits_for_the_frame_on_the_air_only() {
    let [first, second] = draws(2, 0, [15, 15]);
    let arrivals = vec![packet(0, AP), packet(1, AP), packet(2, AP)];
    let case = cell(7, arrivals, 2).with_beacons(66, [us(500)].into_iter());
    let (seen, _) = observe::<Driver>(&case);
    let start = 34 + EXCHANGE + 34 + 9 * first;
    assert_eq!(beacons(&seen), [(us(start), us(start + BEACON))]);
    let next = start + BEACON + 34 + 9 * second;
    assert_eq!(accesses(&seen)[..2], [(us(34), vec![AP]), (us(next), vec![AP])]);
}

/// The packet of the access point waits for its backoff while station 1 sends. The beacon, which comes
/// later, uses this backoff, and the packet draws another.
#[test]
fn a_beacon_goes_before_a_packet_that_contends() {
    let [first, second] = draws(4, 0, [15, 15]);
    let case = cell(7, vec![packet(0, 1), packet(500, AP)], 4);
    let case = case.with_beacons(66, [us(1_000)].into_iter());
    let (seen, _, attempts) = observe_with::<Driver>(&case, |_, _| {});
    let start = 34 + EXCHANGE + 34 + 9 * first;
    assert_eq!(beacons(&seen), [(us(start), us(start + BEACON))]);
    let next = start + BEACON + 34 + 9 * second;
    assert_eq!(accesses(&seen), [(us(34), vec![1]), (us(next), vec![AP])]);
    let drawn: Vec<_> = attempts.iter().map(|a| a.backoff.as_nanos() / 9_000).collect();
    assert_eq!(drawn, [0, first, second]);
}

/// The first attempt of a packet of the access point fails: its retry waits for the beacon, with the
/// backoff of the failure from 0..=31 and then one from 0..=15. It is the second of two attempts.
#[test]
fn a_beacon_goes_before_a_retry() {
    let [first, second] = draws(5, 0, [31, 15]);
    let mut case = cell(2, vec![packet(0, AP)], 5).with_beacons(66, [us(500)].into_iter());
    case.error_rates[1] = 1.0;
    let (seen, counters) = observe::<Driver>(&case);
    // The response timeout of 50 us ends between boundaries 1 and 2 behind DIFS.
    let start = 34 + DATA + 34 + 9 * (2 + first);
    assert_eq!(beacons(&seen), [(us(start), us(start + BEACON))]);
    let retry = start + BEACON + 34 + 9 * second;
    assert_eq!(accesses(&seen), [(us(34), vec![AP]), (us(retry), vec![AP])]);
    assert_eq!((counters[0].attempts, counters[0].dropped), (2, 1));
}

/// Station 1 begins at the same boundary: the beacon is lost, and not repeated. Nobody was to answer it,
/// so the access point counts its backoff from DIFS behind the longer frame.
#[test]
fn a_collision_loses_a_beacon() {
    let [backoff] = draws(6, 0, [15]);
    let arrivals = vec![packet(1_001, 1), packet(1_100, AP)];
    let case = cell(1, arrivals, 6).with_beacons(66, [us(1_001)].into_iter());
    let (seen, _, attempts) = observe_with::<Driver>(&case, |_, _| {});
    assert_eq!(beacons(&seen), []);
    let end = 1_006 + DATA;
    let lost = Attempted {
        at: us(end),
        from: AP,
        station: BROADCAST,
        backoff: Duration::ZERO,
        airtime: Duration::from_micros(BEACON),
        delivered: false,
    };
    assert_eq!(attempts[0], lost);
    assert_eq!(accesses(&seen), [(us(1_006), vec![1]), (us(end + 34 + 9 * backoff), vec![AP])]);
}

/// Three come during a frame: the last one is sent.
#[test]
fn a_waiting_beacon_is_replaced() {
    let case = cell(7, vec![packet(0, AP)], 2);
    let case = case.with_beacons(66, [500, 600].map(us).into_iter());
    let case = case.with_beacons(72, [us(700)].into_iter());
    let (seen, _) = observe::<Driver>(&case);
    let lengths: Vec<_> = beacons(&seen).iter().map(|(start, end)| end.since(*start)).collect();
    assert_eq!(lengths, [Duration::from_micros(120)]);
}

/// Each link has its errors; a beacon is no data frame.
#[test]
fn a_beacon_is_decoded_by_some() {
    for (frames, first) in [(LossyFrames::All, false), (LossyFrames::Data, true)] {
        let mut case = cell(7, vec![], 1).with_beacons(66, [us(1_000)].into_iter());
        case.error_rates[1] = 1.0;
        case.scope = mac_errors(frames, LossDirection::Both);
        let (seen, _) = observe::<Driver>(&case);
        let decoded = vec![false, first, true];
        let (start, at) = (us(1_006), us(1_006 + BEACON));
        assert_eq!(seen, [Seen::Beacon { at, start, decoded }]);
    }
}
