//! Minstrel's statistics, chains and samples, worked by hand from the source that it follows.

use super::*;
use crate::rng::StreamId;

fn minstrel(phy: &Phy) -> Minstrel {
    let stream = RngStream::new(1, StreamId::RateControl, 0);
    let modes = phy.modes_of(phy.kind, &phy.modes([]));
    let link = LinkInfo { modes, first: 0, phy, channel: None, stream };
    Minstrel::new(MinstrelConfig::default(), link)
}

/// A frame of 1204 bytes has 16 + 6 + 9632 = 9654 bits, at 6 Mb/s 403 symbols of 24, and lasts
/// 16 + 20 + 1612 us with SIFS; an ACK of 14 bytes 134 bits, 6 symbols, 60 us.
/// Attempts: the first takes 1648 + 60 us; each further one 1648 + 60 us and 9 us times half of 15, 31,
/// 63, ... slots (67, 139, 283, 571): at 6 Mb/s after 1708 + 1775 + 1847 = 5330 us one more than these
/// three ends after 6000 us. At 54 Mb/s (45 symbols, 216 us; ACK 1 symbol, 40 us) attempts end
/// after 276, 599, 994, 1533, 2360, 3763 and 6318 us: six.
#[test]
fn a_segment_holds_these_attempts() {
    let stats = minstrel(&Phy::dot11a()).stats;
    assert_eq!(stats[0].frame_us, 1648);
    assert_eq!(stats[7].frame_us, 216);
    assert_eq!((stats[0].fitting[0], stats[7].fitting[0]), (3, 6));
    // Behind an RTS each attempt takes 120 us more, and the first attempt is not counted before.
    // 6 Mb/s: 1895, 3862, 5973 us, so that four fit.
    assert_eq!(stats[0].fitting[2], 4);
    // A DSSS frame needs no CTS.
    let dsss = minstrel(&Phy::dot11b(crate::medium::wlan::phy::LONG_PREAMBLE)).stats;
    assert!(dsss.iter().all(|stats| stats.fitting[1] == stats.fitting[0]));
}

/// 3 of 4: 3072/4096. Then 1 of 2: 3072 + (32 (2048 - 3072)) / 128 = 2816. Without attempts it stays.
#[test]
fn the_probability_is_an_average() {
    let mut stats = minstrel(&Phy::dot11a()).stats.remove(7);
    for (attempts, successes, probability, skipped) in
        [(4, 3, 3072, 0), (2, 1, 2816, 0), (0, 0, 2816, 1), (0, 0, 2816, 2), (3, 0, 2112, 0)]
    {
        (stats.attempts, stats.successes) = (attempts, successes);
        stats.update();
        assert_eq!((stats.probability, stats.skipped), (probability, skipped));
    }
    // 2112 / 216 us = 9, 900,000 / 4096 = 219.
    assert_eq!(stats.throughput(), 219);
    // 90% is 3686: 3686 / 216 = 17, 1,700,000 / 4096 = 415. Below 10%, 409, it is 0.
    for (probability, throughput) in [(4096, 415), (3686, 415), (409, 24), (408, 0)] {
        stats.probability = probability;
        assert_eq!(stats.throughput(), throughput, "{probability}");
    }
}

/// Sure and hopeless rates have half of the attempts, at most two, and four samples in an interval.
#[test]
fn sure_and_hopeless_rates_have_fewer_attempts() {
    for (probability, count, samples) in
        [(4096, 2, Some(4)), (3892, 2, Some(4)), (3891, 6, None), (409, 6, None), (408, 2, Some(4))]
    {
        let mut stats = minstrel(&Phy::dot11a()).stats.remove(7);
        stats.probability = probability;
        stats.update();
        assert_eq!((stats.count, stats.samples), (count, samples), "{probability}");
    }
    // Of the three that fit at 6 Mb/s half is one.
    let mut slow = minstrel(&Phy::dot11a()).stats.remove(0);
    slow.probability = 4096;
    slow.update();
    assert_eq!(slow.count, 1);
}

/// Probabilities of 6 to 54 Mb/s; throughputs (p / time of 1648, 1112, 840, 572, 440, 304, 240, 216 us,
/// in whole numbers): 2, 3, 4, 6, 8, 12, 4, 0. The times: 403, 269, 202, 135, 101, 68, 51, 45 symbols and
/// 36 us.
#[test]
fn the_chain_begins_with_the_best_rates() {
    let mut control = minstrel(&Phy::dot11a());
    let times: Vec<_> = control.stats.iter().map(|stats| stats.frame_us).collect();
    assert_eq!(times, [1648, 1112, 844, 576, 440, 308, 240, 216]);
    let probabilities = [4096, 4096, 4096, 4096, 3950, 3800, 1000, 100];
    for (stats, probability) in control.stats.iter_mut().zip(probabilities) {
        (stats.probability, stats.tried) = (probability, true);
    }
    control.update();
    // 3686 / 308 = 11, 3686 / 440 = 8, 3686 / 576 = 6, 3686 / 844 = 4, 1000 / 240 = 4: of equals the first.
    assert_eq!(control.best, [5, 4, 3, 2]);
    // Of those with 95% the one of the highest throughput: 3950 is 96%, 3800 below 93%.
    assert_eq!(control.surest, 4);
    control.lookaround = 0;
    control.sampled = 1;
    let chain = control.begin(Protection::Off).map(|stage| (stage.rate, stage.count));
    // At 36 Mb/s attempts end after 368, 783, 1270, 1901, 2820, 4315 and 6962 us.
    assert_eq!(chain, [(5, 6), (4, 2), (4, 2), (0, 7)]);
}

/// The chain is followed attempt by attempt, and a success counts for the rate that it had.
#[test]
fn attempts_count_for_their_rates() {
    let mut control = minstrel(&Phy::dot11a());
    (control.best, control.surest) = ([7, 6, 5, 4], 3);
    control.stats[7].count = 2;
    control.stats[6].count = 1;
    control.lookaround = 0;
    control.sampled = 1;
    let frame = NextFrame { now: Instant::ZERO, bytes: 1536, prelude: Protection::Off };
    let mut rates = Vec::new();
    for outcome in [Outcome::Failed, Outcome::Failed, Outcome::Failed, Outcome::Delivered] {
        rates.push(control.choose(&frame));
        control.report(&Report::of_frame(Instant::ZERO, true, outcome));
    }
    assert_eq!(rates, [7, 7, 6, 3]);
    let counts = |control: &Minstrel| {
        [7, 6, 3].map(|rate: usize| (control.stats[rate].attempts, control.stats[rate].successes))
    };
    assert_eq!(counts(&control), [(2, 0), (1, 0), (1, 1)]);
    // An RTS without CTS is no attempt; the packet that is dropped with it has none.
    assert_eq!(control.choose(&frame), 7);
    control.report(&Report::of_frame(Instant::ZERO, false, Outcome::GivenUp));
    assert_eq!(counts(&control), [(2, 0), (1, 0), (1, 1)]);
}

/// Faster rates are tried first, slower ones second; one that was not tried for 20 intervals first.
#[test]
fn slower_rates_are_tried_behind_the_best() {
    let mut control = minstrel(&Phy::dot11a());
    control.best = [4; BEST];
    let mut places = [None; 8];
    for next in 0..8 {
        control.next = next;
        (control.packets, control.sampled, control.deferred) = (10, 0, 0);
        let (rate, place) = control.sample(true).unwrap();
        places[rate] = Some(place);
    }
    assert_eq!(places, [1, 1, 1, 1, 0, 0, 0, 0].map(Some));
    let slow = control.table[..8].iter().position(|rate| *rate == 0).unwrap();
    control.stats[0].skipped = 20;
    control.next = slow;
    (control.packets, control.sampled) = (10, 0);
    assert_eq!(control.sample(true), Some((0, 0)));
    // No sample is left of a sure rate in this interval; behind a CTS it is not tried at all.
    control.stats[0].samples = Some(0);
    control.next = slow;
    (control.packets, control.sampled) = (10, 0);
    assert_eq!(control.sample(true), None);
    control.stats[0].samples = Some(4);
    control.stats[0].probability = 3892;
    control.next = slow;
    (control.packets, control.sampled, control.sampled_last) = (20, 0, false);
    assert_eq!(control.sample(false), None);
}

/// Of 10,000 packets a tenth are samples; behind RTS a twentieth.
#[test]
fn a_tenth_of_the_packets_are_samples() {
    for (plain, share) in [(true, 10), (false, 5)] {
        let mut control = minstrel(&Phy::dot11a());
        let samples = (0..9_000).filter(|_| control.sample(plain).is_some()).count();
        assert!((90 * share..=90 * share + 1).contains(&samples), "{samples}, {share}%");
    }
}

/// Ten permutations of the rates.
#[test]
fn every_column_of_the_table_has_every_rate() {
    let table = minstrel(&Phy::dot11a()).table;
    assert_eq!(table.len(), 80);
    for column in table.chunks(8) {
        let mut sorted = column.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
    assert!(table.chunks(8).any(|column| column != &table[..8]));
}
