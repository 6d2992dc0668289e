//! Cells whose frames are worked by hand: 7 MHz, frames of 5 ms, a symbol of 34 us and 107 bytes,
//! 1:1. The uplink subframe begins at 73 symbols and 10 PS of 0.5 us: at 2487 us. Its contention
//! regions have 18 symbols. Bursts of the downlink begin with symbol 10, in a frame with DCD and
//! UCD with symbol 15.

use super::queue_of;
use crate::loss::{self, IndependentConfig, Level, LinkLoss, LossRateConfig, ScopeConfig};
use crate::medium::wimax::phy::OfdmPhy;
use crate::medium::wimax::{Counts, RequestCounts, RequestSize, SduCounts, Wimax, WimaxConfig};
use crate::medium::{Airtime, Associations, Cell};
use crate::packet::{Direction, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{Config, Queue, QueueLimit, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

const BASE: NodeId = NodeId::ACCESS_POINT;

fn us(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

/// Requests are transmitted in the first opportunity.
fn config() -> WimaxConfig {
    WimaxConfig { request_backoff: [0, 0], ..WimaxConfig::new(OfdmPhy::default()) }
}

/// Queues of 50 packets, without losses.
fn cell(config: WimaxConfig, stations: usize) -> Cell<Wimax> {
    cell_with(config, stations, |_| None)
}

/// One station; PDUs of the downlink are lost with probability `rate`.
fn lossy_cell(rate: f64, seed: u64) -> Cell<Wimax> {
    let loss = LossRateConfig { rate };
    let scope = ScopeConfig { level: Level::Mac, ..ScopeConfig::default() };
    let losses: loss::Config = IndependentConfig { loss, scope }.into();
    let link = |node| Some(LinkLoss::new(&losses, seed, StreamId::FrameErrors, node));
    cell_with(config(), 1, link)
}

fn cell_with(
    config: WimaxConfig,
    stations: usize,
    loss: impl Fn(u32) -> Option<LinkLoss>,
) -> Cell<Wimax> {
    let medium = Wimax::new(config, &vec![107; stations], 1).unwrap();
    let nodes = medium.stations() + 1;
    let queue = |index| {
        let stream = RngStream::new(1, StreamId::Queue, index);
        TxQueue::new(Queue::new(&Config::default(), QueueLimit::Packets(50), stream))
    };
    let queues =
        (0..u64::from(Wimax::LAYOUT.count(&Associations::one_cell(nodes)))).map(queue).collect();
    Cell::new(medium, queues, (0..nodes).map(loss).collect())
}

/// Hands over `count` packets at a time up to which the cell has been polled.
fn send(cell: &mut Cell<Wimax>, at: Instant, from: NodeId, station: u32, count: u32, size: u32) {
    for _ in 0..count {
        let station = NodeId(station);
        let packet = Packet::new(FlowId(0), PacketKind::Data);
        cell.send(at, from, Packet { station, size, enqueued_at: at, ..packet });
    }
}

/// The times of arrivals before `limit`, in microseconds.
fn arrivals(cell: &mut Cell<Wimax>, limit: Instant) -> Vec<u64> {
    let times = std::iter::from_fn(|| cell.poll(limit)).map(|arrival| arrival.at.as_nanos());
    times.map(|nanos| nanos / 1000).collect()
}

/// 1064 bytes and a header are 10 symbols. At 0 the packet is in the first frame, which has DCD and
/// UCD: symbols 15 to 25. Another one at 100 us is in the next: symbols 10 to 20.
#[test]
fn a_download_is_in_the_next_frame() {
    let mut cell = cell(config(), 1);
    send(&mut cell, us(0), BASE, 1, 1, 1064);
    assert!(arrivals(&mut cell, us(100)).is_empty());
    send(&mut cell, us(100), BASE, 1, 1, 1064);
    assert_eq!(cell.poll_at(), us(850));
    assert_eq!(arrivals(&mut cell, us(10_000)), [850, 5680]);
    assert_eq!(cell.poll_at(), us(10_000));
}

/// A packet of frame 0: its request is in frame 1, its grant in frame 2. The burst has symbol 18
/// for its preamble and symbol 19 for 46 bytes: it ends at 2487 + 20 * 34 = 3167 us.
#[test]
fn an_upload_needs_a_request() {
    let mut cell = cell(config(), 1);
    assert!(arrivals(&mut cell, us(1000)).is_empty());
    send(&mut cell, us(1000), NodeId(1), 1, 1, 40);
    assert_eq!(arrivals(&mut cell, us(30_000)), [13_167]);
    let medium = cell.medium();
    let requests = RequestCounts { sent: 1, ..RequestCounts::default() };
    assert_eq!(medium.counts().requests, requests);
    let delays = medium.grant_delays(NodeId(1));
    assert_eq!((delays.count(), delays.max()), (1, Duration::from_millis(5)));
    let usage = cell.usage(us(30_000), NodeId(1));
    assert_eq!((usage.attempts, usage.collisions, usage.data_frames), (1, 0, 1));
    cell.reset_stats(us(30_000));
    assert_eq!(cell.medium().grant_delays(NodeId(1)).count(), 0);
}

/// 63 symbols have 6741 bytes: six PDUs of 1070, and a fragment with 321 - 8 bytes of payload. The
/// other 751 and 8 need 8 symbols of the next frame.
#[test]
fn the_last_packet_of_a_burst_is_cut() {
    let mut cell = cell(config(), 1);
    assert!(arrivals(&mut cell, us(1000)).is_empty());
    send(&mut cell, us(1000), BASE, 1, 7, 1064);
    let times = arrivals(&mut cell, us(10_000));
    assert_eq!(times, [5680, 6020, 6360, 6700, 7040, 7380]);
    let burst = cell.medium().bursts()[0];
    assert_eq!((burst.first_symbol, burst.symbols, burst.bytes, burst.pdus), (10, 63, 6741, 7));
    // The packet that is cut counts against the limit of 50.
    send(&mut cell, us(10_000), BASE, 1, 50, 40);
    assert_eq!(cell.queues()[0].backlog().packets(), 49);
    // Two packets of 46 bytes with headers end in the same symbol: 759, 805, 851 and 897 bytes.
    assert_eq!(arrivals(&mut cell, us(10_613)), [10_612; 3]);
}

/// A lost fragment loses its SDU: seven PDUs in one frame, the eighth ends the last SDU. All of the
/// time of the bursts is that of corrupted PDUs, but for 97 of the 856 bytes of the second, which
/// are padding.
#[test]
fn lost_fragments_lose_their_packet() {
    let mut cell = lossy_cell(1.0_f64.next_down(), 1);
    assert!(arrivals(&mut cell, us(1000)).is_empty());
    send(&mut cell, us(1000), BASE, 1, 7, 1064);
    assert!(arrivals(&mut cell, us(30_000)).is_empty());
    let lost = SduCounts { lost: 7, ..SduCounts::default() };
    assert_eq!(cell.medium().sdus(BASE), lost);
    let usage = cell.usage(us(30_000), BASE);
    assert_eq!((usage.data_frames, usage.delivered, usage.dropped), (8, 0, 7));
    let corrupted = Duration::from_nanos(63 * 34_000 + 8 * 34_000 * 759 / 856);
    let successes = Duration::from_nanos(71 * 34_000) - corrupted;
    let airtime = Airtime { corrupted, successes, ..Airtime::default() };
    assert_eq!(usage.airtime, airtime);
    send(&mut cell, us(30_000), BASE, 1, 50, 40);
    assert_eq!(cell.queues()[0].backlog().packets(), 50, "nothing is in service");
}

/// Seven packets as above are eight PDUs, each asked about once and in order: a packet is received
/// if none of its PDUs is lost, whichever of the two that is.
#[test]
fn a_packet_needs_all_its_fragments() {
    let mut fragments = [0; 2];
    for seed in 1..=40 {
        let mut cell = lossy_cell(0.5, seed);
        assert!(arrivals(&mut cell, us(1000)).is_empty());
        send(&mut cell, us(1000), BASE, 1, 7, 1064);
        let received = arrivals(&mut cell, us(30_000));
        // Of the station's two streams the first is the downlink's.
        let mut stream = RngStream::new(seed, StreamId::FrameErrors, 2);
        let lost: [bool; 8] = std::array::from_fn(|_| stream.bernoulli(0.5));
        let ends = [5680, 6020, 6360, 6700, 7040, 7380, 10_612];
        let whole = (0..6).filter(|&pdu| !lost[pdu]).map(|pdu| ends[pdu]);
        let cut = (!lost[6] && !lost[7]).then_some(ends[6]);
        assert_eq!(received, whole.chain(cut).collect::<Vec<_>>());
        fragments[0] += u32::from(lost[6] && !lost[7]);
        fragments[1] += u32::from(!lost[6] && lost[7]);
    }
    assert!(fragments.iter().all(|&count| count > 0), "both cases occur: {fragments:?}");
}

/// Two stations whose requests meet in the first opportunity, always. The region of the frame at 5
/// ms ends at 8.099 ms, so T16 of 50 ms has expired at 60 ms; then at 115 ms and 170 ms. The request
/// covers the first two packets, which wait when it is made; valued anew at 115 ms, it covers the
/// third as well. For what is left another request is made at once.
#[test]
fn requests_that_collide_are_given_up() {
    give_up(RequestSize::Stored, 2);
    give_up(RequestSize::Current, 3);
}

/// Stations that drop `dropped` of four packets.
fn give_up(request_size: RequestSize, dropped: u64) {
    let mut cell = cell(WimaxConfig { request_size, ..config() }, 2);
    for (count, at) in [(2, 1000), (1, 100_000), (1, 120_000)] {
        assert!(arrivals(&mut cell, us(at)).is_empty());
        send(&mut cell, us(at), NodeId(1), 1, count, 40);
        send(&mut cell, us(at), NodeId(2), 2, count, 40);
    }
    for (at, sent, given_up) in [(170_000, 6, 0), (170_001, 8, 2)] {
        assert!(arrivals(&mut cell, us(at)).is_empty());
        let requests = RequestCounts { sent, collided: sent, retried: 4, given_up };
        assert_eq!(cell.medium().counts().requests, requests);
    }
    for station in [1, 2].map(NodeId) {
        assert_eq!(cell.medium().sdus(station).given_up, dropped);
        let queue = queue_of(station, BASE).0 as usize;
        assert_eq!(u64::from(cell.queues()[queue].backlog().packets()), 4 - dropped);
        let usage = cell.usage(us(170_001), station);
        assert_eq!((usage.attempts, usage.collisions, usage.dropped), (4, 4, dropped));
    }
}

/// Ten packets need 10,700 bytes. The first burst has 54 symbols or 5778 bytes: five PDUs, a
/// fragment with 418 bytes, and 2 bytes of grant management. The rest needs 654 + 4 * 1070 = 4934
/// bytes or 47 symbols of the next frame, which this request gets. The burst begins with symbol 19:
/// the rest ends with symbol 26, the last packet in the last.
#[test]
fn a_burst_carries_the_next_request() {
    let mut cell = cell(WimaxConfig { piggyback: true, ..config() }, 1);
    assert!(arrivals(&mut cell, us(1000)).is_empty());
    send(&mut cell, us(1000), NodeId(1), 1, 10, 1064);
    let times = arrivals(&mut cell, us(15_000));
    let ends = [29, 39, 49, 59, 69].map(|symbol| 12_487 + 34 * symbol);
    assert_eq!(times, ends);
    let burst = cell.medium().bursts()[0];
    assert_eq!((burst.first_symbol, burst.symbols, burst.bytes, burst.pdus), (19, 54, 5778, 6));
    let times = arrivals(&mut cell, us(20_000));
    // 654, 1724, 2794, 3864 and 4934 bytes.
    assert_eq!(times, [7, 17, 27, 37, 47].map(|symbols| 17_487 + 34 * (19 + symbols)));
    assert_eq!(cell.medium().counts().requests.sent, 1);
    let delays = cell.medium().grant_delays(NodeId(1));
    assert_eq!((delays.count(), delays.sum()), (2, Duration::from_millis(10)));
    assert_eq!(cell.medium().bursts()[0].symbols, 47);
}

/// Bursts count up to now: that of the first frame is from 510 to 850 us.
#[test]
fn airtime_counts_up_to_now() {
    let mut cell = cell(config(), 2);
    send(&mut cell, us(0), BASE, 2, 1, 1064);
    let mut airtime = |at| {
        let _ = arrivals(&mut cell, us(at));
        let nodes = [BASE, NodeId(1), NodeId(2)];
        nodes.map(|node| cell.traffic_airtime(us(at), node).as_nanos() / 1000)
    };
    assert_eq!(airtime(510), [0, 0, 0]);
    assert_eq!(airtime(600), [90, 0, 90]);
    assert_eq!(airtime(2000), [340, 0, 340]);
    assert_eq!(airtime(1_000_000), [340, 0, 340]);
}

/// 2000 frames in 10 s, of which two have DCD and UCD, 5 symbols; 64 and 55 symbols are for bursts
/// and what is before them. The frame at 7.5 s has a burst of one symbol, and one before it.
#[test]
fn idle_frames_are_counted() {
    let mut cell = cell(config(), 1);
    assert!(arrivals(&mut cell, us(7_499_000)).is_empty());
    send(&mut cell, us(7_499_000), BASE, 1, 1, 40);
    assert_eq!(arrivals(&mut cell, us(10_000_000)), [7_500_374]);
    let counts = Counts {
        frames: 2000,
        dl_symbols_used: 1,
        dl_symbols_available: 2000 * 64 - 2 * 5 - 1,
        ul_symbols_used: 0,
        ul_symbols_available: 2000 * 55,
        requests: RequestCounts::default(),
    };
    assert_eq!(cell.medium().counts(), counts);
    assert_eq!(cell.poll(Instant::NEVER), None);
    assert_eq!(cell.poll_at(), us(10_000_000));
}

/// The direction of a burst is that of its queue.
#[test]
fn stations_share_both_directions() {
    let mut cell = cell(config(), 2);
    for station in [1, 2] {
        send(&mut cell, us(0), BASE, station, 1, 40);
    }
    send(&mut cell, us(0), NodeId(2), 2, 1, 40);
    let mut received = Vec::new();
    while let Some(arrival) = cell.poll(us(20_000)) {
        received.push((arrival.from.0, arrival.to.0, arrival.at.as_nanos() / 1000));
        let bursts = cell.medium().bursts().iter();
        received.extend(bursts.filter(|burst| burst.direction == Direction::Up).map(|_| (9, 9, 9)));
    }
    // Symbols 16 and 18; the grant is in the second frame, its symbol is the 20th.
    assert_eq!(received, [(0, 1, 544), (0, 2, 612), (2, 0, 8167), (9, 9, 9)]);
}
