//! Exchanges worked out by hand from the standard's rules.

use super::*;
use crate::medium::Airtime;

/// A cell of 802.11b at 1 and 2 Mb/s, where all frames last whole microseconds: data 192 us + 8 or
/// 4 us a byte, ACK 248 us, DIFS 50 us, EIFS 364 us, response timeout 222 us.
pub(super) fn slow_cell(immediate_access: bool, retry_limit: u32) -> DcfConfig {
    DcfConfig { immediate_access, mac_overhead: 28, ..dot11b_cell(false, retry_limit) }
}

pub(super) fn arrival(at: u64, from: u32, bytes: u32) -> Arrival {
    Arrival { at: us(at), from, to: AP, bytes }
}

/// Two stations at 1 Mb/s.
pub(super) fn two_stations(config: DcfConfig, seed: u64, arrivals: Vec<Arrival>) -> Case {
    let rates = vec![Rate::from_mbps(1); 3];
    let until = us(1_000_000);
    let scope = mac_errors(LossyFrames::Data, LossDirection::Both);
    let (error_rates, watched) = (vec![0.0; 3], true);
    Case { config, seed, rates, error_rates, scope, arrivals, until, watched }
}

pub(super) fn accesses(seen: &[Seen]) -> Vec<(Instant, Vec<u32>)> {
    let access = |s: &Seen| match s {
        Seen::Access { at, transmitters, .. } => Some((*at, transmitters.clone())),
        _ => None,
    };
    seen.iter().filter_map(access).collect()
}

/// The first backoff that `station` draws, and the following ones with windows `cw`.
pub(super) fn draws<const N: usize>(seed: u64, station: u64, cw: [u32; N]) -> [u64; N] {
    let mut stream = RngStream::new(seed, StreamId::Backoff, station);
    cw.map(|cw| u64::from(stream.up_to(cw)))
}

/// The first boundaries lie at 50 us (a DIFS after the start of the run) + k 20 us.
#[test]
fn a_lone_station_has_immediate_access() {
    for (at, boundary) in [(0, 50), (50, 50), (51, 70), (1_003, 1_010), (1_010, 1_010)] {
        let case = two_stations(slow_cell(true, 7), 1, vec![arrival(at, 1, 100)]);
        let (seen, _) = observe::<Driver>(&case);
        let [start, data_end] = [boundary, boundary + 192 + 128 * 8].map(us);
        let times = [start, start, data_end];
        let (packet, end) = (0, us(boundary + 192 + 128 * 8 + 10 + 248));
        assert_eq!(
            seen,
            [
                Seen::Access { at: start, transmitters: vec![1], collision: false },
                Seen::Received {
                    at: data_end,
                    link: (1, AP),
                    packet,
                    times,
                    rts: false,
                    acknowledged: true,
                    retries: 0
                },
                Seen::Done { at: end, station: 1, packet, outcome: TxStatus::Delivered },
            ]
        );
    }
}

/// The DIFS runs from the arrival, the backoff from the first boundary after it.
#[test]
fn without_immediate_access_a_lone_station_backs_off() {
    let [backoff] = draws(1, 1, [31]);
    for (at, boundary) in [(0, 50), (1, 70), (960, 1_010), (1_003, 1_070)] {
        let case = two_stations(slow_cell(false, 7), 1, vec![arrival(at, 1, 100)]);
        let (seen, _) = observe::<Driver>(&case);
        assert_eq!(accesses(&seen), [(us(boundary + 20 * backoff), vec![1])]);
    }
}

/// Every attempt fails: 7 data frames, or 4 behind RTS/CTS, each a response timeout and a backoff
/// from a doubled window after the one before. 230 us (50 + 9 slots) is the first boundary at or
/// after the timeout of 222 us.
#[test]
fn the_retry_limit_ends_a_frame() {
    let windows = [63, 127, 255, 511, 1023, 1023];
    for (rts, attempts) in [(false, 7), (true, 4)] {
        let config = DcfConfig { long_retry_limit: 4, ..slow_cell(true, 7) };
        let config = DcfConfig { rts_threshold: rts.then_some(0), ..config };
        let mut case = two_stations(config, 5, vec![arrival(0, 1, 100)]);
        case.error_rates[1] = 1.0;
        let (seen, counters) = observe::<Driver>(&case);
        // RTS 272 us and CTS 248 us, each followed by SIFS.
        let exchange = 192 + 128 * 8 + if rts { 272 + 248 + 20 } else { 0 };
        let (mut start, mut expected) = (50, Vec::new());
        for backoff in draws(5, 1, windows) {
            expected.push((us(start), vec![1]));
            start += exchange + 230 + 20 * backoff;
        }
        expected.push((us(start), vec![1]));
        assert_eq!(accesses(&seen), expected[..attempts]);
        let end = expected[attempts - 1].0 + Duration::from_micros(exchange);
        let dropped = Seen::Done { at: end, station: 1, packet: 0, outcome: TxStatus::Dropped };
        assert_eq!(seen.last(), Some(&dropped));
        let attempts = attempts as u64;
        let corrupted = Duration::from_micros(exchange) * attempts;
        let airtime = Airtime { corrupted, ..Airtime::default() };
        let data_frames = attempts;
        let none = AirUsage::default();
        assert_eq!(counters[1], AirUsage { attempts, data_frames, dropped: 1, airtime, ..none });
    }
}

/// Two frames that come to an idle medium between the same boundaries collide. RTS frames count
/// for the short limit, and their collision costs no data frame.
#[test]
fn colliding_rts_frames_count_for_the_short_limit() {
    let config = DcfConfig { rts_threshold: Some(0), short_retry_limit: 1, ..slow_cell(true, 7) };
    let case = two_stations(config, 1, vec![arrival(1_001, 1, 100), arrival(1_009, 2, 700)]);
    let (seen, counters) = observe::<Driver>(&case);
    assert_eq!(accesses(&seen), [(us(1_010), vec![1, 2])]);
    let airtime = Airtime { collisions: Duration::from_micros(272), ..Airtime::default() };
    let none = AirUsage::default();
    let expected = AirUsage { attempts: 1, collisions: 1, dropped: 1, airtime, ..none };
    assert_eq!(counters[1..], [expected; 2]);
}

/// After a collision only those who heard it wait EIFS (boundary 16 after E + DIFS). A collider
/// whose response timeout (boundary 9) and post-backoff are over has immediate access.
#[test]
fn a_collider_does_not_wait_eifs() {
    let short = |seed: &u64| draws(*seed, 1, [31])[0] < 4;
    let seed = (0..).find(short).unwrap();
    let over = 9 + draws(seed, 1, [31])[0];
    let end = 50 + 192 + 128 * 8;
    let late = end + 50 + 20 * over + 1;
    let first = vec![arrival(0, 1, 100), arrival(0, 2, 100), arrival(late, 1, 100)];
    let case = two_stations(slow_cell(true, 1), seed, first);
    let (seen, _) = observe::<Driver>(&case);
    let second = us(end + 50 + 20 * (over + 1));
    assert_eq!(accesses(&seen), [(us(50), vec![1, 2]), (second, vec![1])]);
}

/// Station 2 draws a post-backoff of 0 after a collision, but station 1, whose frame was shorter,
/// sends before station 2's response timeout is over (boundary 9). The post-backoff is then still
/// to come, so a frame that arrives meanwhile goes in slot 0 after that.
#[test]
fn a_post_backoff_of_0_that_was_forestalled_is_not_over() {
    let wanted = |seed: &u64| draws(*seed, 1, [31])[0] < 9 && draws(*seed, 2, [31]) == [0];
    let seed = (0..).find(wanted).unwrap();
    let end = 50 + 192 + 1028 * 8;
    let second = end + 50 + 20 * draws(seed, 1, [31])[0];
    let arrivals = vec![
        arrival(0, 1, 100),
        arrival(0, 1, 100),
        arrival(0, 2, 1_000),
        arrival(second + 500, 2, 1_000),
    ];
    let mut case = two_stations(slow_cell(true, 1), seed, arrivals);
    // If station 1 is not understood, EIFS (boundary 16) goes before.
    for (error_rate, wait) in [(0.0, 10 + 248 + 50), (1.0, 50 + 16 * 20)] {
        case.error_rates[1] = error_rate;
        let (seen, _) = observe::<Driver>(&case);
        let third = second + 192 + 128 * 8 + wait;
        let expected = [(us(50), vec![1, 2]), (us(second), vec![1]), (us(third), vec![2])];
        assert_eq!(accesses(&seen), expected);
    }
}

/// All ACKs are lost: the packet is received once, and given up at the retry limit. 370 us (50 + 16
/// slots) is the first boundary at or after the EIFS of 364 us, which the sender waits for, too.
#[test]
fn a_packet_without_ack_is_received_once_and_dropped() {
    let mut case = two_stations(slow_cell(true, 2), 3, vec![arrival(0, 1, 100)]);
    case.error_rates[1] = 1.0;
    case.scope = mac_errors(LossyFrames::All, LossDirection::Down);
    let (seen, counters) = observe::<Driver>(&case);
    let exchange = 192 + 128 * 8 + 10 + 248;
    let second = 50 + exchange + 370 + 20 * draws(3, 1, [63])[0];
    let [start, data_end] = [50, 50 + 192 + 128 * 8].map(us);
    let (transmitters, collision, packet, retries) = (vec![1], false, 0, 0);
    let received = Seen::Received {
        at: data_end,
        link: (1, AP),
        packet,
        times: [start, start, data_end],
        rts: false,
        acknowledged: false,
        retries,
    };
    let outcome = TxStatus::Dropped;
    assert_eq!(
        seen,
        [
            Seen::Access { at: start, transmitters: transmitters.clone(), collision },
            received,
            Seen::Access { at: us(second), transmitters, collision },
            Seen::Done { at: us(second + exchange), station: 1, packet, outcome },
        ]
    );
    let airtime = Airtime { corrupted: Duration::from_micros(2 * exchange), ..Airtime::default() };
    let none = AirUsage::default();
    assert_eq!(counters[1], AirUsage { attempts: 2, data_frames: 2, dropped: 1, airtime, ..none });
}

/// The access point, whose ACK nobody could decode, waits DIFS, and station 2 waits EIFS.
#[test]
fn the_sender_of_a_lost_ack_does_not_wait_eifs() {
    let seed = (0..).find(|&seed| draws(seed, 0, [31])[0] < 16).unwrap();
    let down = Arrival { at: us(500), from: AP, to: 2, bytes: 100 };
    let arrivals = vec![arrival(0, 1, 100), down, arrival(600, 2, 100)];
    let mut case = two_stations(slow_cell(true, 1), seed, arrivals);
    case.error_rates[1] = 1.0;
    case.scope = mac_errors(LossyFrames::All, LossDirection::Down);
    let (seen, _) = observe::<Driver>(&case);
    let end = 50 + 192 + 128 * 8 + 10 + 248;
    let second = end + 50 + 20 * draws(seed, 0, [31])[0];
    assert_eq!(accesses(&seen)[..2], [(us(50), vec![1]), (us(second), vec![AP])]);
}

/// An RTS of 272 us that travels up, or its CTS of 248 us that travels down: no data are sent.
#[test]
fn a_lost_rts_or_cts_counts_for_the_short_limit() {
    let config = DcfConfig { rts_threshold: Some(0), short_retry_limit: 1, ..slow_cell(true, 7) };
    for (direction, spent) in [(LossDirection::Up, 272), (LossDirection::Down, 272 + 10 + 248)] {
        let mut case = two_stations(config, 1, vec![arrival(0, 1, 100)]);
        case.error_rates[1] = 1.0;
        case.scope = mac_errors(LossyFrames::All, direction);
        let (seen, counters) = observe::<Driver>(&case);
        let (at, outcome) = (us(50 + spent), TxStatus::Dropped);
        assert_eq!(seen.last(), Some(&Seen::Done { at, station: 1, packet: 0, outcome }));
        let airtime = Airtime { corrupted: Duration::from_micros(spent), ..Airtime::default() };
        let none = AirUsage::default();
        assert_eq!(counters[1], AirUsage { attempts: 1, dropped: 1, airtime, ..none });
    }
}
