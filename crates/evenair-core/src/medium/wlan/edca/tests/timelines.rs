//! Frame exchanges by hand, in microseconds. Sizes of all: packets of 1,500 bytes, MPDUs of 1,538. HT20 at MCS 7 has 260
//! bits in a symbol of 4 us behind 36 us of preamble; responses have 24 Mb/s, 96 bits in a symbol behind 20 us.

use super::*;

const AP: NodeId = NodeId::ACCESS_POINT;

/// Stations of HT20 at MCS 7, and an access point.
pub(super) fn ht20(config: EdcaConfig, stations: usize, aggregates: bool, seed: u64) -> Cell<Edca> {
    let aggregation = aggregates.then(|| Aggregation::of(PhyFormat::Ht));
    let node = EdcaNode::new(mode(PhyFormat::Ht, 7, 20), aggregation);
    cell(config, &vec![node; stations + 1], seed)
}

/// `from` gets a packet for or from `station` at this time.
pub(super) fn send(
    cell: &mut Cell<Edca>,
    us: u64,
    from: NodeId,
    station: u32,
    category: AccessCategory,
) {
    let at = Instant::from_nanos(1000 * us);
    cell.send(at, from, packet(NodeId(station), 1500, category, at));
}

/// What is passed on before 10 ms: when, and by whom.
fn arrivals(cell: &mut Cell<Edca>) -> Vec<(f64, u32)> {
    arrivals_until(cell, 10_000)
}

/// The same before this time.
fn arrivals_until(cell: &mut Cell<Edca>, us: u64) -> Vec<(f64, u32)> {
    let arrivals = std::iter::from_fn(|| cell.poll(Instant::from_nanos(1000 * us)));
    arrivals.map(|arrival| (arrival.at.as_nanos() as f64 / 1e3, arrival.from.0)).collect()
}

/// ```text
/// 0  43          271  287  315  358
/// |AIFS|PPDU: 1   |SIFS|ACK |AIFS| k slots |PPDU: 2
/// ```
/// 16 + 8 x 1,538 + 6 bits: 48 symbols. An ACK of 14 bytes: 2 symbols.
#[test]
fn a_single_mpdu_and_its_ack() {
    let mut cell = ht20(config(), 1, false, 1);
    send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
    send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
    let [(first, 1), (second, 1)] = arrivals(&mut cell)[..] else { panic!("two packets") };
    assert_eq!(first, 271.0);
    let slots = (second - 228.0 - 358.0) / 9.0;
    assert!(slots.fract() == 0.0 && (0.0..=15.0).contains(&slots), "{slots}");
}

/// VHT20 at MCS 8 has 312 bits in a symbol behind 40 us. A single MPDU has a delimiter (9.7.1): 16 + 8 x 1,542 + 6 bits,
/// 40 symbols, of which the last bit of the MPDU is in the last.
///
/// ```text
/// 0  43            243  259  287
/// |AIFS|PPDU: S-MPDU|SIFS|ACK |
/// ```
#[test]
fn an_s_mpdu_and_its_ack() {
    let aggregation = Some(Aggregation::of(PhyFormat::Vht));
    let node = EdcaNode::new(mode(PhyFormat::Vht, 8, 20), aggregation);
    let mut cell = cell(config(), &vec![node.clone(); 2], 1);
    send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
    assert_eq!(arrivals(&mut cell), [(243.0, 1)]);
    let usage = cell.medium().access_usage(NodeId(1), AccessCategory::BestEffort);
    assert_eq!(usage.airtime, Duration::from_micros(287 - 43));
}

/// RTS of 20 bytes and CTS of 14: 2 symbols each. Two subframes, 1,544 + 1,542 bytes: 96 symbols. The first MPDU ends
/// with byte 1,542, in symbol 48. A Block Ack of 32 bytes: 3 symbols.
///
/// ```text
/// 0  43 71   87  115  131         551  567 599
/// |AIFS|RTS|SIFS|CTS|SIFS|PPDU: 1 2|SIFS|BA |
/// ```
#[test]
fn an_a_mpdu_behind_rts_and_cts() {
    let mut cell = ht20(EdcaConfig { rts_threshold: Some(2000), ..config() }, 1, true, 1);
    send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
    send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
    assert_eq!(arrivals(&mut cell), [(131.0 + 36.0 + 192.0, 1), (551.0, 1)]);
    let usage = cell.medium().access_usage(NodeId(1), AccessCategory::BestEffort);
    assert_eq!(usage.airtime, Duration::from_micros(599 - 43));
}

/// An A-MSDU of two packets: subframes of 14 + 8 + 1,500 bytes, the first padded to 1,524, with 26 bytes of header and 4
/// of FCS 3,076. 16 + 8 x 3,076 + 6 bits: 95 symbols. It is one MPDU, which an ACK answers.
///
/// ```text
/// 0  43            459  475  503
/// |AIFS|PPDU: (1 2) |SIFS|ACK |
/// ```
#[test]
fn an_a_msdu_is_one_mpdu() {
    let aggregation = Aggregation { amsdu: Some(3839), ..Aggregation::of(PhyFormat::Ht) };
    let node = EdcaNode::new(mode(PhyFormat::Ht, 7, 20), Some(aggregation));
    let mut cell = cell(config(), &vec![node.clone(); 2], 1);
    send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
    send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
    assert_eq!(arrivals(&mut cell), [(459.0, 1), (459.0, 1)]);
    let usage = cell.medium().access_usage(NodeId(1), AccessCategory::BestEffort);
    assert_eq!((usage.airtime, usage.mpdus), (Duration::from_micros(503 - 43), 1));
    let end = Instant::from_nanos(10_000_000);
    assert_eq!(cell.usage(end, NodeId(1)).delivered, 2);
    // 3,000 bytes at 65 Mb/s.
    let payload = cell.usage(end, NodeId(1)).airtime.payload;
    assert_eq!(payload, Rate::from_mbps(65).time_for(3000));
}

/// A TXOP of video, 3,008 us from 34 on, has single MPDUs every 228 + 16 + 28 + 16 = 288 us. The tenth and its ACK end
/// 9 x 288 + 272 = 2,864 us after the start; another would end at 3,152. Then the backoff.
///
/// ```text
/// 0  34    262  278 306  322   550  566 594        2898      2932
/// |AIFS|PPDU|SIFS|ACK|SIFS|PPDU|SIFS|ACK| ... 10 x |AIFS| k slots |PPDU: 11
/// ```
#[test]
fn a_txop_has_as_many_exchanges_as_fit() {
    let mut cell = ht20(config(), 1, false, 1);
    for _ in 0..11 {
        send(&mut cell, 0, NodeId(1), 1, AccessCategory::Video);
    }
    let arrivals: Vec<_> = arrivals(&mut cell).into_iter().map(|(at, _)| at).collect();
    let expected: Vec<_> = (0..10).map(|k| f64::from(34 + 228 + 288 * k)).collect();
    assert_eq!(arrivals[..10], expected);
    let slots = (arrivals[10] - 228.0 - 2932.0) / 9.0;
    assert!(slots.fract() == 0.0 && (0.0..=7.0).contains(&slots), "{slots}");
}

/// Voice and video of a station reach 0 together: voice transmits. Video has doubled its CW, from 7 to 15 (10.23.2.2),
/// and draws a backoff, after which it transmits.
///
/// ```text
/// 0  34        262  278 306  340
/// |AIFS|PPDU: VO|SIFS|ACK|AIFS| k slots |PPDU: VI
/// ```
#[test]
fn an_internal_collision_is_a_failure_without_a_transmission() {
    let mut draws = Vec::new();
    for seed in 1..=60 {
        let mut cell = ht20(config(), 1, false, seed);
        send(&mut cell, 0, NodeId(1), 1, AccessCategory::Video);
        send(&mut cell, 0, NodeId(1), 1, AccessCategory::Voice);
        let [(first, 1), (second, 1)] = arrivals(&mut cell)[..] else { panic!("two packets") };
        assert_eq!(first, 262.0);
        draws.push((second - 228.0 - 340.0) / 9.0);
        let of = |category| *cell.medium().access_usage(NodeId(1), category);
        let (voice, video) = (of(AccessCategory::Voice), of(AccessCategory::Video));
        assert_eq!((voice.internal_collisions, voice.attempts), (0, 1));
        assert_eq!((video.internal_collisions, video.attempts, video.collisions), (1, 1, 0));
    }
    assert!(draws.iter().all(|slots| slots.fract() == 0.0 && (0.0..=15.0).contains(slots)));
    assert!(draws.iter().any(|slots| *slots > 7.0), "CW is 15: {draws:?}");
}

/// Two stations collide. Their timeout, SIFS + slot + 20 us, ends at 316: they count from the boundary after it on, 323.
/// The others wait for EIFS - DIFS + AIFS, 60 + 43 us after the collision, until the boundary after 374, 377: there the
/// access point transmits, whose packet comes at 300, unless a collider has drawn fewer than 6 slots of 0 to 31.
///
/// ```text
/// 0  43          271   300     323        377
/// |AIFS|PPDU: 1   |               | colliders count | all count
/// |AIFS|PPDU: 2   |     * AP      |                 |PPDU: AP
/// ```
#[test]
fn colliders_count_before_the_others() {
    let mut ahead = 0;
    for seed in 1..=100 {
        let mut cell = ht20(config(), 2, false, seed);
        send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
        send(&mut cell, 0, NodeId(2), 2, AccessCategory::BestEffort);
        assert_eq!(cell.poll(Instant::from_nanos(300_000)).map(|arrival| arrival.at), None);
        send(&mut cell, 300, AP, 1, AccessCategory::BestEffort);
        let (at, from) = arrivals(&mut cell)[0];
        let start = at - 228.0;
        if from == AP.0 && start == 377.0 {
            continue;
        }
        // A collider was first, alone; or two transmitted together, and what follows is later.
        let slots = (start - 323.0) / 9.0;
        if start < 377.0 {
            assert!(from != AP.0 && slots.fract() == 0.0 && slots >= 0.0, "{at} {from}");
            ahead += 1;
        } else {
            assert!(start >= 323.0 + 228.0, "{at} {from}");
        }
    }
    // 1 - (26/32)^2 = 34 %, less ties: 32 %. 99.9 % of the binomial distribution are within 17 and 48 of 100.
    assert!((17..=48).contains(&ahead), "{ahead}");
}

/// A beacon of 200 bytes has 6 Mb/s: 16 + 8 x 200 + 6 bits, 68 symbols of 24 bits, 20 + 272 us. It comes at 300, while
/// station 1 transmits and while voice waits at the access point, of which hostapd's AIFSN is 1, too: it goes first,
/// after PIFS of 25 us, and voice collides internally.
///
/// ```text
/// 0  43       271  287  315 340    632 657
/// |AIFS|PPDU: 1|SIFS|ACK|PIFS|beacon|PIFS| 0 to 7 slots |PPDU: VO
/// ```
#[test]
fn a_beacon_goes_before_voice() {
    for seed in 1..=40 {
        let mut cell = ht20(config(), 1, false, seed);
        send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
        assert_eq!(cell.poll(Instant::from_nanos(200_000)), None);
        send(&mut cell, 200, AP, 1, AccessCategory::Voice);
        let [(at, 1)] = arrivals_until(&mut cell, 300)[..] else { panic!("that of station 1") };
        assert_eq!(at, 271.0);
        let at = Instant::from_nanos(300_000);
        cell.broadcast(at, AP, beacon(at));
        let [(beacon, 0), (voice, 0)] = arrivals(&mut cell)[..] else { panic!("two frames") };
        let slots = (voice - 228.0 - 657.0) / 9.0;
        let of_voice = cell.medium().access_usage(AP, AccessCategory::Voice);
        // Voice has drawn 0 to 3 slots before; without any it collides internally.
        match of_voice.internal_collisions {
            0 => assert!((0.0..=3.0).contains(&slots), "{slots}"),
            _ => assert!((0.0..=7.0).contains(&slots), "{slots}"),
        }
        assert_eq!((beacon, slots.fract()), (632.0, 0.0));
        let airtime = cell.usage(Instant::from_nanos(10_000_000), AP).airtime;
        assert_eq!(airtime.successes, Duration::from_micros(292 + 228 + 16 + 28));
    }
}

/// A beacon and a packet of station 1 come to an idle medium in the same slot, and meet at 50 x 9 + 25 us. The PPDU ends
/// 228 us later, the beacon 292 us: at 767. Station 1 counts 5 slots after that, as its timeout ended at 748 and its AIFS
/// of 43 us ends later; the access point transmits after PIFS, with no response to wait for.
///
/// ```text
///    475                703  748 767  792    1084
/// | |PPDU: 1            |timeout     |       |
/// | |beacon                      |PIFS|beacon|
/// ```
#[test]
fn a_beacon_that_collides_is_lost() {
    let mut cell = ht20(config(), 1, false, 1);
    observe(&mut cell);
    assert_eq!(cell.poll(Instant::from_nanos(470_000)), None);
    send(&mut cell, 470, NodeId(1), 1, AccessCategory::BestEffort);
    let at = Instant::from_nanos(470_000);
    cell.broadcast(at, AP, beacon(at));
    assert_eq!(arrivals_until(&mut cell, 600), []);
    let at = Instant::from_nanos(600_000);
    cell.broadcast(at, AP, beacon(at));
    let [(again, 0), (packet, 1)] = arrivals(&mut cell)[..] else { panic!("two frames") };
    assert_eq!(again, 1084.0);
    assert!(packet >= 1084.0 + 43.0 + 228.0, "{packet}");
    let occupancy = cell.occupancy().expect("observed");
    assert_eq!(occupancy.beacons_sent(), [2, 1]);
    // PIFS of 25 us before each.
    assert_eq!(occupancy.beacons(), Duration::from_micros(2 * (25 + 292)));
    let airtime = cell.usage(Instant::from_nanos(10_000_000), AP).airtime;
    let each = Duration::from_micros(292);
    assert_eq!((airtime.successes, airtime.collisions), (each, each));
}

/// Three MPDUs, of which the first is lost: the receiver holds the others back. The sender repeats the first after AIFS and
/// a backoff, and all three are passed on with it. 16 + 8 x (2 x 1,544 + 1,542) + 6 bits: 143 symbols.
///
/// ```text
/// 0  43             651  667 699  742           970
/// |AIFS|PPDU: x 2 3 |SIFS|BA |AIFS| k slots |PPDU: 1|SIFS|ACK
/// ```
#[test]
fn what_follows_a_gap_is_held_back_until_it_is_filled() {
    let node = EdcaNode::new(mode(PhyFormat::Ht, 7, 20), Some(Aggregation::of(PhyFormat::Ht)));
    let mut found = 0;
    for seed in 1..=200 {
        let config = config();
        let mut cell =
            cell_with(config, &vec![node.clone(); 2], conservation::losses(0.3, 1, seed), seed);
        for _ in 0..3 {
            send(&mut cell, 0, NodeId(1), 1, AccessCategory::BestEffort);
        }
        let early = arrivals_until(&mut cell, 700);
        let of = *cell.medium().access_usage(NodeId(1), AccessCategory::BestEffort);
        // Nothing passed on, though the Block Ack came: the first is lost. One of the others may be, too.
        if !early.is_empty() || cell.usage(Instant::from_nanos(700_000), NodeId(1)).delivered != 2 {
            continue;
        }
        assert_eq!((of.ppdus, of.mpdus), (1, 3));
        let arrivals = arrivals(&mut cell);
        let [first, ..] = arrivals[..] else { panic!("the first is repeated") };
        assert_eq!(arrivals, [first; 3]);
        let slots = (first.0 - 228.0 - 742.0) / 9.0;
        // Unless it is lost again.
        let of = *cell.medium().access_usage(NodeId(1), AccessCategory::BestEffort);
        if of.ppdus == 2 {
            assert!(slots.fract() == 0.0 && (0.0..=15.0).contains(&slots), "{slots}");
            assert_eq!((of.mpdus, of.retried_mpdus), (4, 1));
            found += 1;
        }
    }
    assert!(found > 5, "{found}");
}

/// Two stations with two MPDUs each collide, and ask for their Block Acks in accesses of their own before they repeat
/// the data. A PPDU of 2 x 1,544 - 2 bytes has 96 symbols, a BlockAckReq of 24 bytes 3 symbols, 32 us.
///
/// ```text
/// 0  43         463 ...   0  32   48  80                0            420 436 468
/// |AIFS|PPDU: 1 1|    k   |BAR|SIFS|BA |AIFS| k slots |PPDU: 1 1 |SIFS|BA |
/// |AIFS|PPDU: 2 2|
/// ```
#[test]
fn a_block_ack_request_is_an_access_of_its_own() {
    let mut found = 0;
    for seed in 1..=40 {
        let config = EdcaConfig { recovery: BlockAckRecovery::BlockAckReq, ..config() };
        let mut cell = ht20(config, 2, true, seed);
        for station in [1, 1, 2, 2] {
            send(&mut cell, 0, NodeId(station), station, AccessCategory::BestEffort);
        }
        assert_eq!(arrivals(&mut cell).len(), 4);
        let of = [1, 2].map(|station| {
            *cell.medium().access_usage(NodeId(station), AccessCategory::BestEffort)
        });
        if of.iter().any(|of| of.collisions > 1) {
            continue;
        }
        for of in of {
            assert_eq!((of.attempts, of.ppdus, of.mpdus, of.retried_mpdus), (3, 2, 4, 2));
            assert_eq!(of.airtime, Duration::from_micros(420 + 80 + 468));
        }
        found += 1;
    }
    assert!(found > 20, "{found}");
}

/// A lifetime of 300 us. Of three packets that come at 0, 10 and 100 us, the second is 305 us old when its turn comes, and
/// is dropped.
///
/// ```text
/// 0  43          271  287  315  358
/// |AIFS|PPDU: 1   |SIFS|ACK |AIFS| k slots |PPDU: 3
/// ```
#[test]
fn a_packet_is_dropped_at_the_end_of_its_lifetime() {
    let lifetime = Some(Duration::from_micros(300));
    let mut cell = ht20(EdcaConfig { lifetime, ..config() }, 1, false, 1);
    for at in [0, 10, 100] {
        send(&mut cell, at, NodeId(1), 1, AccessCategory::BestEffort);
    }
    let [(first, 1), (third, 1)] = arrivals(&mut cell)[..] else { panic!("two packets") };
    let slots = (third - 228.0 - 358.0) / 9.0;
    assert!(first == 271.0 && slots.fract() == 0.0 && (0.0..=15.0).contains(&slots), "{slots}");
    let usage = cell.usage(Instant::from_nanos(10_000_000), NodeId(1));
    assert_eq!((usage.delivered, usage.dropped), (2, 1));
}
