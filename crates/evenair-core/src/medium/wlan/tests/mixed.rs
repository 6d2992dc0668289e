//! 802.11g cells with 802.11b stations, worked by hand.
//!
//! A slot has 20 us, DIFS 50 us, EIFS 364 us. With the basic rates 1 and 2 Mb/s a CTS lasts 192 + 56 =
//! 248 us, an RTS 192 + 80 = 272 us. A frame of 100 + 36 bytes at 54 Mb/s has 1110 bits, 6 symbols, and
//! lasts 20 + 24 + 6 = 50 us, its ACK at 24 Mb/s 34 us. At 2 Mb/s the frame lasts 192 + 544 us, its ACK
//! 248 us.

use super::*;
use crate::medium::Airtime;

const DOT11G: Rate = Rate::from_mbps(54);
const DOT11B: Rate = Rate::from_mbps(2);

fn us(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

/// Stations 1 and 2 of 802.11g, 3 and 4 of 802.11b. All frames have 100 bytes.
fn case(protection: Protection, seed: u64, arrivals: &[(u64, u32, u32)]) -> Case {
    let basic = BasicRates::new(&[1, 2].map(Rate::from_mbps));
    let config = DcfConfig::new(Phy::dot11g_with_dot11b(), ControlRate::Basic(basic));
    let arrival = |&(at, from, to)| Arrival { at: us(at), from, to, bytes: 100 };
    Case {
        config: DcfConfig { protection, ..config },
        seed,
        rates: vec![DOT11G, DOT11G, DOT11G, DOT11B, DOT11B],
        error_rates: vec![0.0; 5],
        scope: mac_errors(LossyFrames::All, LossDirection::Both),
        arrivals: arrivals.iter().map(arrival).collect(),
        until: us(1_000_000),
        watched: false,
    }
}

/// Start, start and end of the data, and the end of each attempt of a single frame.
fn exchange(protection: Protection, from: u32, to: u32) -> (Vec<Instant>, Instant) {
    let (seen, _) = observe::<Driver>(&case(protection, 1, &[(0, from, to)]));
    match &seen[..] {
        [Seen::Access { at, .. }, Seen::Received { times, .. }, Seen::Done { at: end, .. }] => {
            assert_eq!(*at, times[0]);
            (times.to_vec(), *end)
        }
        other => panic!("{other:?}"),
    }
}

/// The first boundary is at 50 us.
#[test]
fn exchanges_with_and_without_protection() {
    let ofdm_end = |data: u64| ([us(data), us(data + 50)], us(data + 50 + 10 + 34));
    for (from, to) in [(1, AP), (AP, 1)] {
        for (protection, before) in [
            (Protection::Off, 0),
            (Protection::CtsToSelf, 248 + 10),
            (Protection::RtsCts, 272 + 10 + 248 + 10),
        ] {
            let (times, end) = exchange(protection, from, to);
            let (data, expected_end) = ofdm_end(50 + before);
            assert_eq!(times, [us(50), data[0], data[1]], "{protection}");
            assert_eq!(end, expected_end, "{protection}");
        }
    }
    // Frames of 802.11b need none.
    for (from, to) in [(3, AP), (AP, 3)] {
        for protection in PROTECTIONS {
            let (times, end) = exchange(protection, from, to);
            assert_eq!(times, [us(50), us(50), us(50 + 736)]);
            assert_eq!(end, us(50 + 736 + 10 + 248));
        }
    }
}

fn draws<const N: usize>(seed: u64, node: u64, cw: [u32; N]) -> [u64; N] {
    let mut stream = RngStream::new(seed, StreamId::Backoff, node);
    cw.map(|cw| u64::from(stream.up_to(cw)))
}

fn accesses(case: &Case) -> Vec<(Instant, Vec<u32>)> {
    let (seen, _) = observe::<Driver>(case);
    let access = |s: &Seen| match s {
        Seen::Access { at, transmitters, .. } => Some((*at, transmitters.clone())),
        _ => None,
    };
    seen.iter().filter_map(access).collect()
}

/// Windows of 15, 31, 63 for the station of 802.11g, of 31, 63, 127 for that of 802.11b. The response
/// timeout is 10 + 20 + 25 = 55 us after OFDM (boundary 1 after DIFS), 10 + 20 + 192 = 222 us after DSSS
/// (boundary 9). No frame is received.
#[test]
fn windows_and_timeouts_are_those_of_the_station() {
    for (station, frame, from, windows) in [(1, 50, 1, [31, 63]), (3, 736, 9, [63, 127])] {
        let mut lossy = case(Protection::Off, 5, &[(0, station, AP)]);
        lossy.error_rates[station as usize] = 1.0;
        let mut start = 50;
        let mut expected = vec![(us(start), vec![station])];
        for backoff in draws(5, u64::from(station), windows) {
            start += frame + 50 + 20 * (from + backoff);
            expected.push((us(start), vec![station]));
        }
        assert_eq!(accesses(&lossy)[..3], expected);
    }
}

/// Stations 1 and 2 send CTS-to-self at the same time. Nothing answers, so both send their data frames,
/// too: the air is busy for 248 + 10 + 50 us. With RTS only for 272 us. The longer frame of an
/// 802.11b station ends the collision with it.
#[test]
fn a_collided_cts_to_self_is_followed_by_its_data() {
    let colliding = |protection, stations: [u32; 2]| {
        let mut all = case(protection, 1, &stations.map(|station| (0, station, AP)));
        all.config.short_retry_limit = 1;
        all.config.long_retry_limit = 1;
        let (seen, counters) = observe::<Driver>(&all);
        let end = seen.iter().find_map(|s| match s {
            Seen::Done { at, .. } => Some(*at),
            _ => None,
        });
        let airtime = |station: u32| counters[station as usize].airtime;
        (end.unwrap(), stations.map(airtime))
    };
    let collisions = |us| Airtime { collisions: Duration::from_micros(us), ..Airtime::default() };
    for (protection, stations, end, airtimes) in [
        (Protection::CtsToSelf, [1, 2], 308, [308, 308]),
        (Protection::RtsCts, [1, 2], 272, [272, 272]),
        (Protection::Off, [1, 2], 50, [50, 50]),
        (Protection::CtsToSelf, [1, 3], 736, [308, 736]),
        (Protection::RtsCts, [1, 3], 736, [272, 736]),
    ] {
        let found = colliding(protection, stations);
        assert_eq!(found, (us(50 + end), airtimes.map(collisions)), "{protection} {stations:?}");
    }
}

/// After a lost RTS the sender waits 222 us for a CTS at a DSSS rate, not 55 us.
#[test]
fn an_rts_that_protects_waits_for_a_dsss_response() {
    let mut lossy = case(Protection::RtsCts, 3, &[(0, 1, AP)]);
    lossy.error_rates[1] = 1.0;
    let [backoff] = draws(3, 1, [31]);
    let second = us(50 + 272 + 50 + 20 * (9 + backoff));
    assert_eq!(accesses(&lossy)[..2], [(us(50), vec![1]), (second, vec![1])]);
}

/// Station 2, which hears a frame that it cannot decode, waits EIFS of 364 us: boundary 16.
#[test]
fn eifs_has_an_ack_at_the_lowest_rate_of_dot11b() {
    let late = 50 + 50 + 51;
    let mut lossy = case(Protection::Off, 1, &[(0, 1, AP), (late, 2, AP)]);
    lossy.error_rates[1] = 1.0;
    lossy.config.short_retry_limit = 1;
    let second = us(50 + 50 + 50 + 16 * 20);
    assert_eq!(accesses(&lossy), [(us(50), vec![1]), (second, vec![2])]);
}
