//! Occupancy, and what else a controller sees, by hand.

use super::*;
use crate::medium::Attempts;
use crate::medium::wlan::channel::SnrConfig;
use crate::packet::Direction;

const STATION: NodeId = NodeId(1);

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// A packet of this flow from or to the station.
fn of_flow(flow: u32, bytes: u32) -> Packet {
    let packet = packet(STATION, bytes, AccessCategory::BestEffort, Instant::ZERO);
    Packet { flow: FlowId(flow), ..packet }
}

/// Two nodes of this format, and mode.
fn pair(format: PhyFormat, mcs: u8, amsdu: Option<u32>) -> Cell<Edca> {
    let aggregation = Aggregation { amsdu, ..Aggregation::of(format) };
    let node = EdcaNode::new(mode(format, mcs, 20), Some(aggregation));
    cell(config(), &vec![node; 2], 1)
}

/// MPDUs of 1,538, 338 and 1,538 bytes: a PSDU of 1,544 + 4 + 340 + 4 + 1,538 = 3,430 bytes. 16 + 8 x 3,430 + 6 bits are
/// 106 symbols of HT20 at MCS 7.
///
/// ```text
/// 0  43            503  519  551
/// |AIFS|PPDU: 1 0 1 |SIFS|BA |
/// ```
#[test]
fn flows_have_parts_of_an_a_mpdu() {
    for from in [STATION, NodeId::ACCESS_POINT] {
        let mut cell = pair(PhyFormat::Ht, 7, None);
        observe(&mut cell);
        for (flow, bytes) in [(1, 1500), (0, 300), (1, 1500)] {
            cell.send(Instant::ZERO, from, of_flow(flow, bytes));
        }
        while cell.poll(Instant::from_nanos(10_000_000)).is_some() {}
        let occupancy = cell.occupancy().expect("observed");
        let way = |of: &crate::medium::BothWays| if from == STATION { of.up } else { of.down };
        let all = way(occupancy.attempts(STATION));
        let (spaces, backoff, airtime) = (us(43), Duration::ZERO, us(551 - 43));
        let (count, backoffs) = (Attempts::WHOLE, Attempts::WHOLE);
        assert_eq!(all, Attempts { count, backoffs, delivered: 3, spaces, backoff, airtime });
        let [large, small] = [1, 0].map(|flow| way(occupancy.flow_attempts(FlowId(flow))));
        let mut sum = large;
        sum += small;
        assert_eq!(sum, all);
        assert_eq!([large.delivered, small.delivered], [2, 1]);
        let bytes = 338.0 / (1538.0 + 338.0 + 1538.0);
        let expected = 551e3 * bytes;
        let got = small.time().as_nanos() as f64;
        assert!((got - expected).abs() <= 2.0, "{got} ns, expected {expected}");
        let count = small.count as f64 / Attempts::WHOLE as f64;
        assert!((count - bytes).abs() < 1e-9, "{count}, expected {bytes}");
        // Each of the station's attempts counts with the mean backoff of the access point: 7.5 slots of 9 us.
        let mean = if from == STATION { Duration::from_nanos(67_500) } else { Duration::ZERO };
        assert_eq!(occupancy.station(STATION), us(551) + mean);
    }
}

/// One A-MSDU of 1,500 and 100 bytes: subframes of 14 + 8 + 1,500 = 1,522, padded to 1,524, and 122, with 30 bytes of
/// header and FCS: 1,676 bytes, 76 of them no IP packet, 38 for each packet.
#[test]
fn flows_have_parts_of_an_a_msdu() {
    let mut cell = pair(PhyFormat::Vht, 7, Some(3839));
    observe(&mut cell);
    for (flow, bytes) in [(1, 1500), (0, 100)] {
        cell.send(Instant::ZERO, STATION, of_flow(flow, bytes));
    }
    while cell.poll(Instant::from_nanos(10_000_000)).is_some() {}
    let occupancy = cell.occupancy().expect("observed");
    let all = occupancy.attempts(STATION).up;
    assert_eq!((all.count, all.delivered), (Attempts::WHOLE, 2));
    let small = occupancy.flow_attempts(FlowId(0)).up;
    let (part, bytes) = (small.count as f64 / Attempts::WHOLE as f64, 138.0 / 1676.0);
    assert!((part - bytes).abs() < 1e-9, "{part}, expected {bytes}");
}

/// HT20 at MCS 7, in 5,484 us: (5,484 - 36) / 4 = 1,362 symbols of 260 bits have 44,262 bytes, in which there are 28
/// subframes of 1,544 bytes, less 2 behind the last: 43,230 bytes, 1,331 symbols. AIFS of 43, 36 + 4 x 1,331, SIFS of 16, a
/// Block Ack of 32. A single MPDU: 43 + 228 + 16 + 28. Of packets of 60 bytes 64 fit, the window: subframes of
/// 4 + 98 + 2 bytes, 6,654 bytes, 205 symbols.
#[test]
fn exchanges_have_as_many_packets_as_they_can() {
    let cell = pair(PhyFormat::Ht, 7, None);
    let exchange = |bytes, waiting| {
        let (way, category) = (Direction::Down, AccessCategory::BestEffort);
        let exchange = cell.medium().exchange(STATION, way, category, bytes, waiting);
        (exchange.time, exchange.packets)
    };
    assert_eq!(exchange(1500, u32::MAX), (us(43 + 36 + 4 * 1331 + 16 + 32), 28));
    assert_eq!(exchange(1500, 1), (us(43 + 228 + 16 + 28), 1));
    assert_eq!(exchange(1500, 0), exchange(1500, 1));
    assert_eq!(exchange(60, 1000), (us(43 + 36 + 4 * 205 + 16 + 32), 64));
}

/// Exchanges of a saturated cell last as long: RTS/CTS, A-MSDUs and a limit of the TXOP included.
#[test]
fn saturated_exchanges_last_as_long() {
    let limit = us(2528);
    for (rts_threshold, txop, amsdu) in
        [(None, Duration::ZERO, None), (Some(1000), limit, None), (None, limit, Some(7935))]
    {
        let mut config = EdcaConfig { rts_threshold, ..config() };
        config.access_point[0].txop = txop;
        let aggregation = Aggregation { amsdu, ..Aggregation::of(PhyFormat::Vht) };
        let node = EdcaNode::new(mode(PhyFormat::Vht, 3, 40), Some(aggregation));
        let mut cell = cell(config, &vec![node; 2], 1);
        observe(&mut cell);
        let category = AccessCategory::BestEffort;
        let medium = cell.medium();
        let expected = medium.exchange(STATION, Direction::Down, category, 1500, u32::MAX);
        for _ in 0..expected.packets {
            cell.send(Instant::ZERO, NodeId::ACCESS_POINT, of_flow(1, 1500));
        }
        while cell.poll(Instant::from_nanos(50_000_000)).is_some() {}
        let down = cell.occupancy().expect("observed").attempts(STATION).down;
        let single = expected.packets == 1;
        assert!(!single);
        assert_eq!((down.count, down.delivered), (Attempts::WHOLE, expected.packets.into()));
        assert_eq!(down.time(), expected.time);
    }
}

/// Of stations with and without noise that hides the beacon.
#[test]
fn who_decodes_a_beacon() {
    let node = |snr_db| {
        let channel = Some(SnrConfig { snr_db }.into());
        EdcaNode { channel, ..EdcaNode::new(mode(PhyFormat::Ht, 0, 20), None) }
    };
    let plain = EdcaNode::new(mode(PhyFormat::Ht, 0, 20), None);
    let nodes = [plain.clone(), node(-20.0), node(40.0), plain];
    let mut cell = cell(config(), &nodes, 1);
    cell.broadcast(Instant::ZERO, NodeId::ACCESS_POINT, beacon(Instant::ZERO));
    while cell.poll(Instant::from_nanos(10_000_000)).is_some() {}
    let decoded = [1, 2, 3].map(|station| cell.medium().decoded(NodeId(station)));
    assert_eq!(decoded, [false, true, true]);
}
