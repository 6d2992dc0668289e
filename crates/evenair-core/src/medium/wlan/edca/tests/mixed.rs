//! Stations of 802.11a, n, ac and ax in a cell by hand, in microseconds: response rates, protection, and how stations
//! with the DCF count. Packets of 1,500 bytes; MPDUs have 1,538, without QoS 1,536. The basic rates are 6, 12, 24 Mb/s.

use super::*;
use crate::medium::wlan::Protection;
use crate::medium::wlan::channel::SnrConfig;
use crate::medium::wlan::rate_control::IdealConfig;
use crate::medium::{AirEvent, Attempt, Attempts, BothWays};
use crate::packet::Direction;

fn at(us: u64) -> Instant {
    Instant::from_nanos(1000 * us)
}

fn ofdm(mbps: u64) -> EdcaNode {
    EdcaNode::legacy(TxVector::ofdm(Rate::from_mbps(mbps)))
}

/// One MPDU in a PPDU.
fn without_aggregation(format: PhyFormat, mcs: u8) -> EdcaNode {
    EdcaNode::new(mode(format, mcs, 20), None)
}

/// A cell of an access point and these stations.
fn mixed(config: EdcaConfig, stations: &[EdcaNode], seed: u64) -> Cell<Edca> {
    let nodes: Vec<_> = [&stations[0]].into_iter().chain(stations).cloned().collect();
    cell(config, &nodes, seed)
}

/// The time of all frames of one access of each of `stations`, one after the other, with a packet to the access point.
fn airtimes(config: EdcaConfig, stations: &[EdcaNode]) -> Vec<f64> {
    let mut cell = mixed(config, stations, 1);
    for station in 1..=stations.len() as u32 {
        let now = at(10_000 * u64::from(station));
        while cell.poll(now).is_some() {}
        cell.send(
            now,
            NodeId(station),
            packet(NodeId(station), 1500, AccessCategory::BestEffort, now),
        );
    }
    while cell.poll(at(1_000_000)).is_some() {}
    let usage = |station| cell.medium().access_usage(NodeId(station), AccessCategory::BestEffort);
    let airtimes = (1..=stations.len() as u32).map(|station| usage(station).airtime);
    airtimes.map(|airtime| airtime.as_nanos() as f64 / 1e3).collect()
}

/// Data, SIFS of 16 us and an ACK: at the highest basic rate that is not above that of the data, or that of OFDM with
/// its modulation and code rate: 44 us at 6 Mb/s, 32 at 12, 28 at 24.
///
/// - OFDM, 16 + 8 x 1,536 + 6 bits behind 20 us: 57 symbols of 216 bits, 342 of 36, 171 of 72.
/// - HT20 MCS 0, 16 + 8 x 1,538 + 6 bits behind 36 us: 475 symbols of 26 bits.
/// - VHT20 MCS 2, 8 x 1,542 bits behind 40 us: 159 symbols of 78 bits; QPSK 3/4 is 18 Mb/s.
/// - HE20 MCS 3, the same behind 43.2 us: 27 symbols of 13.6 us with 468 bits.
#[test]
fn responses_have_basic_rates() {
    let stations = [
        ofdm(54),
        ofdm(9),
        ofdm(18),
        without_aggregation(PhyFormat::Ht, 0),
        without_aggregation(PhyFormat::Vht, 2),
        without_aggregation(PhyFormat::He, 3),
    ];
    let expected = [
        248.0 + 16.0 + 28.0,
        1388.0 + 16.0 + 44.0,
        704.0 + 16.0 + 32.0,
        1936.0 + 16.0 + 44.0,
        676.0 + 16.0 + 32.0,
        410.4 + 16.0 + 28.0,
    ];
    assert_eq!(airtimes(config(), &stations), expected);
}

/// A CTS has the duration of an ACK, an RTS of 20 bytes 28 us at 24 Mb/s and 52 at 6. HT20 MCS 7: 228 us. OFDM needs no
/// protection.
#[test]
fn later_formats_are_protected() {
    let stations =
        [ofdm(54), without_aggregation(PhyFormat::Ht, 7), without_aggregation(PhyFormat::Ht, 0)];
    let with = |protection| airtimes(EdcaConfig { protection, ..config() }, &stations);
    let plain = [292.0, 228.0 + 16.0 + 28.0, 1936.0 + 16.0 + 44.0];
    assert_eq!(with(Protection::Off), plain);
    let [legacy, fast, slow] = plain;
    let expected = [legacy, 28.0 + 16.0 + fast, 44.0 + 16.0 + slow];
    assert_eq!(with(Protection::CtsToSelf), expected);
    let expected = [legacy, 28.0 + 16.0 + 28.0 + 16.0 + fast, 52.0 + 16.0 + 44.0 + 16.0 + slow];
    assert_eq!(with(Protection::RtsCts), expected);
    // The RTS threshold goes before, for OFDM as well: MPDUs of 1,536 and 1,538 bytes.
    let config =
        EdcaConfig { protection: Protection::CtsToSelf, rts_threshold: Some(1536), ..config() };
    let expected = [legacy, 28.0 + 16.0 + 28.0 + 16.0 + fast, 52.0 + 16.0 + 44.0 + 16.0 + slow];
    assert_eq!(airtimes(config, &stations), expected);
}

/// Protection goes before the first PPDU of a TXOP of video alone.
///
/// ```text
/// 0  34     62   78   306  322 350  366  594  610 638
/// |AIFS|CTS  |SIFS|PPDU|SIFS|ACK|SIFS|PPDU|SIFS|ACK|
/// ```
#[test]
fn a_txop_is_protected_once() {
    let config = EdcaConfig { protection: Protection::CtsToSelf, ..config() };
    let mut cell = mixed(config, &[without_aggregation(PhyFormat::Ht, 7)], 1);
    observe(&mut cell);
    for _ in 0..2 {
        let video = packet(NodeId(1), 1500, AccessCategory::Video, Instant::ZERO);
        cell.send(Instant::ZERO, NodeId(1), video);
    }
    let arrivals = std::iter::from_fn(|| cell.poll(at(10_000)));
    let arrivals: Vec<_> = arrivals.map(|arrival| arrival.at).collect();
    assert_eq!(arrivals, [at(306), at(594)]);
    let usage = cell.medium().access_usage(NodeId(1), AccessCategory::Video);
    // Without SIFS between the two.
    let airtime = Duration::from_micros((350 - 34) + (638 - 366));
    assert_eq!(usage.airtime, airtime);
    // One access, without a backoff, of two attempts: AIFS and SIFS before them.
    let occupancy = cell.occupancy().expect("observed").attempts(NodeId(1));
    let expected = Attempts {
        count: 2 * Attempts::WHOLE,
        backoffs: Attempts::WHOLE,
        delivered: 2,
        spaces: Duration::from_micros(34 + 16),
        backoff: Duration::ZERO,
        airtime,
    };
    assert_eq!(*occupancy, BothWays { up: expected, down: Attempts::default() });
}

/// The attempts that have ended.
fn attempts(cell: &mut Cell<Edca>) -> Vec<Attempt> {
    let events = cell.take_air().into_iter();
    let attempts = events.filter_map(|event| match event {
        AirEvent::Outcome(attempt) => Some(attempt),
        _ => None,
    });
    attempts.collect()
}

/// A station with the DCF transmits first, at DIFS of 34 us, and draws K slots for its next packet. One of HT20, whose
/// packet has come in the meantime, transmits k slots after its AIFS of 43 us, which is slot k + 1 after DIFS. That slot
/// is not idle (10.3.4.3): K - (k + 1) are left. With EDCA it would be one less.
#[test]
fn a_station_with_the_dcf_counts_idle_slots() {
    let mut found = 0;
    for seed in 1..=60 {
        let mut cell = mixed(config(), &[ofdm(54), without_aggregation(PhyFormat::Ht, 7)], seed);
        cell.record_air();
        let send = |cell: &mut Cell<Edca>, us, station| {
            let best_effort = AccessCategory::BestEffort;
            cell.send(at(us), NodeId(station), packet(NodeId(station), 1500, best_effort, at(us)));
        };
        send(&mut cell, 0, 1);
        send(&mut cell, 0, 1);
        send(&mut cell, 20, 2);
        while cell.poll(at(10_000)).is_some() {}
        let attempts = attempts(&mut cell);
        let [first, second, third] = attempts[..] else { continue };
        if [first.from, second.from, third.from] != [NodeId(1), NodeId(2), NodeId(1)] {
            continue;
        }
        let slots = |attempt: &Attempt| attempt.backoff.as_nanos() / 9000;
        let (of_dcf, of_edca) = (slots(&third), slots(&second));
        assert_eq!(first.at, at(34 + 292));
        assert_eq!(second.at, first.at + Duration::from_micros(43 + 9 * of_edca + 272));
        let left = of_dcf - (of_edca + 1);
        assert_eq!(third.at, second.at + Duration::from_micros(34 + 9 * left + 292));
        found += 1;
    }
    assert!(found > 10, "{found}");
}

/// A saturated station of HE20 with MCS 4 whose MPDUs of 1,458 bytes are lost one by one: a tenth of them at 10.9 dB, by
/// the table of LDPC. An MPDU that is lost is transmitted again. Four standard errors of 0.14 %, and Block Acks are lost once
/// in 10,000.
#[test]
fn mpdus_are_lost_one_by_one() {
    let config = config();
    let channel = Some(SnrConfig { snr_db: 10.9 }.into());
    let aggregation = Some(Aggregation::of(PhyFormat::He));
    let node = EdcaNode { channel, ..EdcaNode::new(mode(PhyFormat::He, 4, 20), aggregation) };
    let mut cell = mixed(config, &[node], 1);
    let size = 1458 - config.mac_overhead;
    let send = |cell: &mut Cell<Edca>, now| {
        cell.send(now, NodeId(1), packet(NodeId(1), size, AccessCategory::BestEffort, now));
    };
    (0..600).for_each(|_| send(&mut cell, Instant::ZERO));
    while let Some(arrival) = cell.poll(at(10_000_000)) {
        send(&mut cell, arrival.at);
    }
    let usage = *cell.medium().access_usage(NodeId(1), AccessCategory::BestEffort);
    let share = usage.retried_mpdus as f64 / usage.mpdus as f64;
    assert!(usage.mpdus > 40_000 && (share - 0.1).abs() < 0.006, "{share} of {}", usage.mpdus);
}

/// The highest MCS at which nine tenths of the MPDUs are received: of 1,458 bytes they are at 23.5 dB with MCS 9, of
/// 1,538 bytes 1 - 0.9^(1,538 / 1,458) = 10.5 % are lost there. 21.6 dB suffice for MCS 8.
#[test]
fn rate_control_chooses_the_mode_of_each_ppdu() {
    for (snr_db, mcs) in [(23.5, 8), (23.6, 9), (29.5, 11)] {
        let aggregation = Some(Aggregation::of(PhyFormat::He));
        let node = EdcaNode {
            channel: Some(SnrConfig { snr_db }.into()),
            rate_control: IdealConfig::default().into(),
            ..EdcaNode::new(mode(PhyFormat::He, 0, 20), aggregation)
        };
        let mut cell = mixed(config(), &[node], 1);
        for _ in 0..3 {
            let best_effort = AccessCategory::BestEffort;
            cell.send(at(0), NodeId(1), packet(NodeId(1), 1500, best_effort, at(0)));
        }
        let expected = mode(PhyFormat::He, mcs, 20);
        while cell.poll(at(100_000)).is_some() {}
        let medium = cell.medium();
        assert_eq!(medium.rate(NodeId(1), Direction::Up), expected.rate);
        let used = medium.frames_by_mode(NodeId(1), Direction::Up).unwrap();
        let used: Vec<_> = used.filter(|(_, mpdus)| *mpdus > 0).collect();
        let [(used, mpdus)] = used[..] else { panic!("one mode") };
        assert_eq!(*cell.setup().modes.vector(used), expected, "{snr_db} dB");
        assert!(mpdus >= 3, "{mpdus}");
    }
}
