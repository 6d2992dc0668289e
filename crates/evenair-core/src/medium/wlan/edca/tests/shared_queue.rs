//! An access point with one queue for all its stations.

use super::*;
use crate::queue::LasConfig;

const AP: NodeId = NodeId::ACCESS_POINT;

/// An access point with this queue of each category, and three stations of HT20 at MCS 7.
fn shared(queue: &Config, limit: QueueLimit, categories: [AccessCategory; 5]) -> Cell<Edca> {
    let aggregation = Some(Aggregation::of(PhyFormat::Ht));
    let node = EdcaNode::new(mode(PhyFormat::Ht, 7, 20), aggregation);
    let medium = Edca::new(config(), &vec![node.clone(); 4], 1);
    let tx_queue = |index: u32| {
        let stream = RngStream::new(1, StreamId::Queue, index.into());
        TxQueue::new(Queue::new(queue, limit, stream))
    };
    let queues = (0..4 * AccessCategory::COUNT).map(tx_queue).collect();
    let mut cell = Cell::with_shared_queues(medium, queues, vec![None, None, None, None]);
    for (seq, (station, category)) in (0..).zip([1, 2, 1, 2, 1].into_iter().zip(categories)) {
        let packet = packet(NodeId(station), 1500, category, Instant::ZERO);
        cell.send(Instant::ZERO, AP, Packet { seq, ..packet });
    }
    cell
}

/// What arrives: when, in microseconds, at which station, and which packet.
fn arrivals(cell: &mut Cell<Edca>) -> Vec<(f64, u32, u64)> {
    let arrivals = std::iter::from_fn(|| cell.poll(Instant::from_nanos(10_000_000)));
    let us = |at: Instant| at.as_nanos() as f64 / 1e3;
    arrivals.map(|arrival| (us(arrival.at), arrival.to.0, arrival.packet.seq)).collect()
}

/// By hand: the first PPDU begins after AIFS, 43 us, and has the three packets of station 1: 3 x 1544 - 2 bytes, 143
/// symbols of 260 bits, 608 us. Its MPDUs end with bytes 1,542, 3,086 and 4,630: 16 bits more in front, in
/// symbols 48, 96 and 143. The second has those of station 2: 3,086 bytes, 96 symbols, 420 us, after SIFS,
/// the Block Ack of 32 bytes at 24 Mb/s (32 us), AIFS and a backoff.
///
/// ```text
/// 0    43                      651  667 699  742       742 + 9 k
/// |AIFS|PPDU: 1 1 1 to station 1|SIFS|BA |AIFS| k slots |PPDU: 2 2 to station 2
/// ```
#[test]
fn a_ppdu_has_the_packets_for_the_receiver_of_the_oldest() {
    let be = [AccessCategory::BestEffort; 5];
    let mut cell = shared(&Config::default(), QueueLimit::Packets(5), be);
    // The queue holds five: what is in the air counts.
    let sixth = |at| packet(NodeId(1), 1500, AccessCategory::BestEffort, at);
    cell.send(Instant::ZERO, AP, sixth(Instant::ZERO));
    assert_eq!(cell.queues_of(AP).map(TxQueue::losses).sum::<u64>(), 1);
    let arrivals = arrivals(&mut cell);
    assert_eq!(arrivals[..3], [(271.0, 1, 0), (463.0, 1, 2), (651.0, 1, 4)]);
    let [(first, 2, 1), (at, 2, 3)] = arrivals[3..] else { panic!("{arrivals:?}") };
    assert_eq!(at - first, 4.0 * 48.0);
    let slots = (at - 420.0 - 742.0) / 9.0;
    assert!(slots.fract() == 0.0 && (0.0..=15.0).contains(&slots), "{slots}");
    assert!(cell.queues_of(AP).all(|queue| queue.backlog().packets() == 0));
}

/// Voice goes first, with its own queue; of best effort the rule is the same.
#[test]
fn each_category_has_its_own_queue() {
    use AccessCategory::{BestEffort, Voice};
    let categories = [BestEffort, BestEffort, Voice, Voice, BestEffort];
    let mut cell = shared(&Config::default(), QueueLimit::Packets(2), categories);
    let queues = cell.queues_of(AP);
    // The third of best effort found two, of which one was with the MAC.
    assert_eq!(queues.map(TxQueue::losses).collect::<Vec<_>>(), [1, 0, 0, 0]);
    let arrivals: Vec<_> = arrivals(&mut cell).into_iter().map(|(_, to, seq)| (to, seq)).collect();
    assert_eq!(arrivals, [(1, 2), (2, 3), (1, 0), (2, 1)]);
}

/// Least attained service first: the MAC has the first packet that came, whatever waits; then the packet that the queue
/// gives decides whose PPDU is next, that of station 3, though station 2 has one that came before.
#[test]
fn the_discipline_chooses_the_receiver() {
    let las = Config::from(LasConfig::default());
    let mut cell = shared(&las, QueueLimit::Packets(10), [AccessCategory::BestEffort; 5]);
    let order = |cell: &mut Cell<Edca>, until| {
        let all = std::iter::from_fn(|| cell.poll(Instant::from_nanos(until)));
        all.map(|arrival| (arrival.to.0, arrival.packet.seq)).collect::<Vec<_>>()
    };
    assert_eq!(order(&mut cell, 10_000_000), [(1, 0), (1, 2), (1, 4), (2, 1), (2, 3)]);
    for (station, seq) in [(1, 9), (2, 8), (3, 1), (2, 7)] {
        let at = Instant::from_nanos(20_000_000);
        let packet = packet(NodeId(station), 1500, AccessCategory::BestEffort, at);
        cell.send(at, AP, Packet { seq, ..packet });
    }
    assert_eq!(order(&mut cell, 40_000_000), [(1, 9), (3, 1), (2, 7), (2, 8)]);
}
