//! One test for each rule of the disciplines' documentation.

use super::*;

const MINUTE: Duration = Duration::from_secs(60);
const TAIL: Kind = Kind::SpmAf { filtering: Filtering::Tail };
const HEAD: Kind = Kind::SpmAf { filtering: Filtering::Head };
const LAS: Kind = Kind::Las { service: Service::Sequence, flow_timeout: MINUTE };
const LAS_BYTES: Kind = Kind::Las { service: Service::Bytes, flow_timeout: MINUTE };

fn data(flow: u32, seq: u64) -> Packet {
    Packet { seq, ..packet(flow, PacketKind::Data, 1500) }
}

fn marked(flow: u32, seq: u64) -> Packet {
    Packet { high_priority: true, ..data(flow, seq) }
}

fn ack(flow: u32, seq: u64) -> Packet {
    Packet { seq, ..packet(flow, PacketKind::Ack, 40) }
}

/// A queue and the current time.
struct Bench {
    queue: Queue<Packet>,
    now: Instant,
}

impl Bench {
    fn new(kind: Kind, limit: QueueLimit) -> Self {
        Self { queue: kind.queue(limit), now: Instant::ZERO }
    }

    /// A queue with a limit of `packets` that holds `waiting`.
    fn holding(kind: Kind, packets: u32, waiting: &[Packet]) -> Self {
        let mut bench = Self::new(kind, QueueLimit::Packets(packets));
        for &packet in waiting {
            assert_eq!(bench.arrive(packet), [], "the queue to begin with has room");
        }
        bench
    }

    /// The packets dropped when `packet` arrives.
    fn arrive(&mut self, packet: Packet) -> Vec<(Packet, DropReason)> {
        let mut actions = ActionLog::new();
        self.queue.enqueue(self.now, packet, &mut actions);
        actions.dropped.into_iter().map(|Dropped { packet, reason }| (packet, reason)).collect()
    }

    fn serve(&mut self) -> Option<Packet> {
        self.queue.dequeue(self.now, &mut ActionLog::new())
    }

    /// The waiting packets in the order in which they leave.
    fn drain(mut self) -> Vec<Packet> {
        std::iter::from_fn(|| {
            let packet = self.serve()?;
            self.queue.transmitted(packet.size);
            Some(packet)
        })
        .collect()
    }
}

use DropReason::{Evicted, OnArrival, Superseded};

// DropTail

#[test]
fn drop_tail_discards_what_arrives_at_a_full_queue() {
    let mut bench = Bench::holding(Kind::DropTail, 2, &[data(0, 0), ack(1, 0)]);
    assert_eq!(bench.arrive(marked(0, 1)), [(marked(0, 1), OnArrival)]);
    assert_eq!(bench.arrive(ack(1, 1)), [(ack(1, 1), OnArrival)]);
    assert_eq!(bench.drain(), [data(0, 0), ack(1, 0)]);
}

#[test]
fn the_packet_in_service_counts_against_a_limit_of_packets() {
    for kind in [Kind::DropTail, TAIL, LAS] {
        let mut bench = Bench::holding(kind, 2, &[data(0, 0), data(0, 1)]);
        let first = bench.serve().unwrap();
        assert_eq!(first, data(0, 0));
        assert_eq!(bench.queue.backlog().packets(), 1, "what is in service does not wait");
        assert_eq!(bench.arrive(data(0, 2)), [(data(0, 2), OnArrival)], "{kind:?}");
        bench.queue.transmitted(first.size);
        assert_eq!(bench.arrive(data(0, 2)), [], "{kind:?}");
        assert_eq!(bench.drain(), [data(0, 1), data(0, 2)]);
    }
}

#[test]
fn a_limit_of_bytes_counts_the_packet_in_service_and_is_reached_exactly() {
    let mut bench = Bench::new(Kind::DropTail, QueueLimit::Bytes(3080));
    assert_eq!(bench.arrive(data(0, 0)), []);
    assert_eq!(bench.arrive(data(0, 1)), []);
    let first = bench.serve().unwrap();
    assert_eq!(bench.arrive(data(0, 2)), [(data(0, 2), OnArrival)]);
    // 80 bytes are left: two acknowledgements fit, to the byte, and a third does not.
    assert_eq!(bench.arrive(ack(1, 0)), []);
    assert_eq!(bench.arrive(ack(1, 1)), []);
    assert_eq!(bench.arrive(ack(1, 2)), [(ack(1, 2), OnArrival)]);
    assert_eq!(bench.queue.backlog().bytes(), 1580);
    bench.queue.transmitted(first.size);
    assert_eq!(bench.arrive(data(0, 2)), []);
    assert_eq!(bench.drain(), [data(0, 1), ack(1, 0), ack(1, 1), data(0, 2)]);
}

// SPM-AF: acknowledgements

#[test]
fn tail_filtering_puts_the_acknowledgement_last() {
    let mut bench = Bench::holding(TAIL, 9, &[data(0, 0), ack(1, 5), data(0, 1), ack(2, 7)]);
    assert_eq!(bench.arrive(ack(1, 6)), [(ack(1, 5), Superseded)]);
    assert_eq!(bench.drain(), [data(0, 0), data(0, 1), ack(2, 7), ack(1, 6)]);
}

#[test]
fn head_filtering_puts_the_acknowledgement_where_the_older_one_was() {
    let mut bench = Bench::holding(HEAD, 9, &[data(0, 0), ack(1, 5), data(0, 1), ack(2, 7)]);
    assert_eq!(bench.arrive(ack(1, 6)), [(ack(1, 5), Superseded)]);
    assert_eq!(bench.arrive(ack(3, 1)), []);
    assert_eq!(bench.drain(), [data(0, 0), ack(1, 6), data(0, 1), ack(2, 7), ack(3, 1)]);
}

#[test]
fn an_acknowledgement_in_service_is_not_replaced() {
    for kind in [TAIL, HEAD] {
        let mut bench = Bench::holding(kind, 9, &[ack(1, 5), data(0, 0)]);
        assert_eq!(bench.serve(), Some(ack(1, 5)));
        assert_eq!(bench.arrive(ack(1, 6)), []);
        assert_eq!(bench.drain(), [data(0, 0), ack(1, 6)]);
    }
}

#[test]
fn an_acknowledgement_that_replaces_one_enters_a_full_queue() {
    let mut bench = Bench::holding(TAIL, 2, &[ack(1, 5), data(0, 0)]);
    assert_eq!(bench.arrive(ack(1, 6)), [(ack(1, 5), Superseded)]);
    assert_eq!(bench.drain(), [data(0, 0), ack(1, 6)]);
    let mut bench = Bench::holding(HEAD, 2, &[ack(1, 5), data(0, 0)]);
    assert_eq!(bench.arrive(ack(1, 6)), [(ack(1, 5), Superseded)]);
    assert_eq!(bench.drain(), [ack(1, 6), data(0, 0)]);
}

#[test]
fn an_acknowledgement_without_predecessor_is_discarded_at_a_full_queue() {
    for kind in [TAIL, HEAD] {
        let mut bench = Bench::holding(kind, 2, &[ack(2, 5), data(1, 0)]);
        assert_eq!(bench.arrive(ack(1, 6)), [(ack(1, 6), OnArrival)]);
        // The priority mark of an acknowledgement has no effect.
        let marked = Packet { high_priority: true, ..ack(1, 7) };
        assert_eq!(bench.arrive(marked), [(marked, OnArrival)]);
        assert_eq!(bench.drain(), [ack(2, 5), data(1, 0)]);
    }
}

#[test]
fn the_segments_of_a_handshake_are_not_acknowledgements() {
    let (syn, syn_ack) = (packet(1, PacketKind::Syn, 40), packet(1, PacketKind::SynAck, 40));
    for kind in [TAIL, HEAD] {
        // They do not replace others and are not replaced.
        let mut bench = Bench::holding(kind, 9, &[ack(1, 5), syn, syn_ack, syn, syn_ack]);
        assert_eq!(bench.queue.backlog().acks(), 1);
        assert_eq!(bench.arrive(ack(1, 6)), [(ack(1, 5), Superseded)]);
        assert_eq!(bench.queue.backlog().packets(), 5);
        // Unmarked packets are evicted only if no acknowledgement waits.
        let mut bench = Bench::holding(kind, 3, &[ack(1, 5), syn, syn_ack]);
        assert_eq!(bench.arrive(marked(0, 0)), [(ack(1, 5), Evicted)]);
        assert_eq!(bench.arrive(marked(0, 1)), [(syn_ack, Evicted)]);
        assert_eq!(bench.arrive(marked(0, 2)), [(syn, Evicted)]);
        // A marked packet evicts others like data.
        let syn = Packet { high_priority: true, ..syn };
        let mut bench = Bench::holding(kind, 1, &[ack(1, 5)]);
        assert_eq!(bench.arrive(syn), [(ack(1, 5), Evicted)]);
        assert_eq!(bench.drain(), [syn]);
    }
}

// SPM-AF: data

#[test]
fn marked_data_takes_the_room_of_the_youngest_acknowledgement_first() {
    let waiting = [ack(1, 5), data(0, 0), ack(2, 7), data(0, 1)];
    let mut bench = Bench::holding(TAIL, 4, &waiting);
    assert_eq!(bench.arrive(marked(3, 0)), [(ack(2, 7), Evicted)]);
    assert_eq!(bench.arrive(marked(3, 1)), [(ack(1, 5), Evicted)]);
    assert_eq!(bench.arrive(marked(3, 2)), [(data(0, 1), Evicted)]);
    assert_eq!(bench.arrive(marked(3, 3)), [(data(0, 0), Evicted)]);
    assert_eq!(bench.arrive(marked(3, 4)), [(marked(3, 4), OnArrival)]);
    assert_eq!(bench.drain(), [marked(3, 0), marked(3, 1), marked(3, 2), marked(3, 3)]);
}

#[test]
fn marked_data_evicts_nothing_while_there_is_room() {
    let mut bench = Bench::holding(HEAD, 3, &[ack(1, 5), data(0, 0)]);
    assert_eq!(bench.arrive(marked(3, 0)), []);
    assert_eq!(bench.drain(), [ack(1, 5), data(0, 0), marked(3, 0)]);
}

#[test]
fn marked_data_may_take_the_room_of_its_own_flow() {
    let mut bench = Bench::holding(TAIL, 2, &[data(3, 0), data(3, 1)]);
    assert_eq!(bench.arrive(marked(3, 2)), [(data(3, 1), Evicted)]);
    assert_eq!(bench.drain(), [data(3, 0), marked(3, 2)]);
}

#[test]
fn unmarked_data_is_discarded_at_a_full_queue_even_of_acknowledgements() {
    let mut bench = Bench::holding(TAIL, 2, &[ack(1, 5), ack(2, 5)]);
    assert_eq!(bench.arrive(data(0, 0)), [(data(0, 0), OnArrival)]);
    let datagram = packet(4, PacketKind::Datagram, 1500);
    assert_eq!(bench.arrive(datagram), [(datagram, OnArrival)]);
    assert_eq!(bench.drain(), [ack(1, 5), ack(2, 5)]);
}

#[test]
fn marked_data_evicts_as_many_as_its_bytes_need() {
    let mut bench = Bench::new(TAIL, QueueLimit::Bytes(1600));
    for packet in [ack(1, 0), data(0, 0), ack(2, 0)] {
        assert_eq!(bench.arrive(packet), []);
    }
    let evicted = [(ack(2, 0), Evicted), (ack(1, 0), Evicted), (data(0, 0), Evicted)];
    assert_eq!(bench.arrive(marked(3, 0)), evicted);
    assert_eq!(bench.drain(), [marked(3, 0)]);
}

// LAS

#[test]
fn las_serves_what_has_progressed_least_and_equals_in_order_of_arrival() {
    let waiting = [data(0, 3000), ack(1, 1000), data(2, 2000), data(3, 1000), ack(4, 3000)];
    let bench = Bench::holding(LAS, 9, &waiting);
    let order = [ack(1, 1000), data(3, 1000), data(2, 2000), data(0, 3000), ack(4, 3000)];
    assert_eq!(bench.drain(), order);
}

/// Windows of 65,535 segments in a queue without limit: each arrival belongs into the middle. With an
/// order that moves all packets behind it, this would take minutes.
#[test]
fn las_sorts_long_queues() {
    const FLOWS: u64 = 4;
    const WINDOW: u64 = 65_535;
    let mut bench = Bench::new(LAS, QueueLimit::Packets(u32::MAX));
    for flow in 0..FLOWS {
        for segment in 0..WINDOW {
            // Each flow lies between the segments of those before it.
            assert_eq!(bench.arrive(data(flow as u32, segment * FLOWS + flow)), []);
        }
    }
    for seq in 0..FLOWS * WINDOW {
        assert_eq!(bench.serve().map(|packet| packet.seq), Some(seq));
    }
}

#[test]
fn las_discards_the_packet_with_the_most_service() {
    let mut bench = Bench::holding(LAS, 3, &[data(0, 9000), data(1, 1000), ack(2, 5000)]);
    assert_eq!(bench.arrive(data(3, 7000)), [(data(0, 9000), Evicted)]);
    assert_eq!(bench.arrive(data(1, 2460)), [(data(3, 7000), Evicted)]);
    assert_eq!(bench.drain(), [data(1, 1000), data(1, 2460), ack(2, 5000)]);
}

#[test]
fn las_discards_the_arriving_packet_when_that_has_the_most() {
    let mut bench = Bench::holding(LAS, 2, &[data(0, 9000), data(1, 1000)]);
    assert_eq!(bench.arrive(ack(2, 9001)), [(ack(2, 9001), OnArrival)]);
    // Of packets with equal service the last to arrive is dropped.
    assert_eq!(bench.arrive(data(3, 9000)), [(data(3, 9000), OnArrival)]);
    assert_eq!(bench.drain(), [data(1, 1000), data(0, 9000)]);
}

#[test]
fn las_discards_the_youngest_of_those_with_the_most() {
    let mut bench = Bench::holding(LAS, 3, &[data(0, 9000), data(1, 9000), data(2, 9000)]);
    assert_eq!(bench.arrive(data(3, 1000)), [(data(2, 9000), Evicted)]);
    assert_eq!(bench.arrive(data(4, 1000)), [(data(1, 9000), Evicted)]);
    assert_eq!(bench.drain(), [data(3, 1000), data(4, 1000), data(0, 9000)]);
}

#[test]
fn las_serves_a_retransmission_first_though_it_evicts_its_own_flow() {
    let again = Packet { retransmission: true, ..data(0, 1000) };
    let mut bench = Bench::holding(LAS, 3, &[data(0, 5000), data(0, 6460), data(1, 2000)]);
    assert_eq!(bench.arrive(again), [(data(0, 6460), Evicted)]);
    assert_eq!(bench.drain(), [again, data(1, 2000), data(0, 5000)]);
}

#[test]
fn a_new_flow_goes_before_old_ones_until_it_has_caught_up() {
    for kind in [LAS, LAS_BYTES] {
        let mut bench = Bench::new(kind, QueueLimit::Packets(9));
        for seq in 0..3 {
            bench.arrive(data(0, 1500 * seq));
        }
        bench.arrive(data(1, 0));
        bench.arrive(data(1, 1500));
        let order = [data(0, 0), data(1, 0), data(0, 1500), data(1, 1500), data(0, 3000)];
        assert_eq!(bench.drain(), order, "{kind:?}");
    }
}

#[test]
fn las_by_bytes_counts_what_a_flow_has_queued_whatever_its_numbers_say() {
    let mut bench = Bench::new(LAS_BYTES, QueueLimit::Packets(99));
    bench.arrive(data(0, 0)); // before: 0 bytes
    bench.arrive(ack(1, 900_000)); // 0
    bench.arrive(ack(1, 950_000)); // 40
    let again = Packet { retransmission: true, ..data(0, 0) };
    bench.arrive(again); // 1500: retransmissions have no priority
    bench.arrive(ack(1, 999_000)); // 80
    let order = [data(0, 0), ack(1, 900_000), ack(1, 950_000), ack(1, 999_000), again];
    assert_eq!(bench.drain(), order);
}

#[test]
fn las_by_bytes_does_not_count_what_it_discards() {
    let mut bench = Bench::holding(LAS_BYTES, 2, &[data(0, 0), data(0, 1)]);
    assert_eq!(bench.arrive(data(0, 2)), [(data(0, 2), OnArrival)]); // 3000 before it
    assert_eq!(bench.arrive(data(1, 0)), [(data(0, 1), Evicted)]); // 1500 before the evicted one
    assert_eq!(bench.serve(), Some(data(0, 0)));
    bench.queue.transmitted(data(0, 0).size);
    // Both flows have an attained service of 1500 bytes: dropped packets do not count.
    assert_eq!(bench.arrive(data(0, 3)), []);
    assert_eq!(bench.arrive(data(1, 1)), [(data(1, 1), OnArrival)]);
    assert_eq!(bench.drain(), [data(1, 0), data(0, 3)]);
}

#[test]
fn las_by_bytes_forgets_a_flow_after_its_timeout_and_not_before() {
    for (pause, starts_anew) in [(MINUTE, false), (MINUTE + Duration::from_nanos(1), true)] {
        let mut bench = Bench::new(LAS_BYTES, QueueLimit::Packets(9));
        bench.arrive(data(0, 0));
        bench.arrive(data(0, 1));
        bench.now += pause;
        bench.arrive(ack(1, 0)); // 0
        bench.arrive(ack(1, 1)); // 40
        bench.arrive(data(0, 2)); // 3000, or 0
        let order = if starts_anew {
            [data(0, 0), ack(1, 0), data(0, 2), ack(1, 1), data(0, 1)]
        } else {
            [data(0, 0), ack(1, 0), ack(1, 1), data(0, 1), data(0, 2)]
        };
        assert_eq!(bench.drain(), order, "after {pause}");
    }
}

#[test]
fn las_by_sequence_remembers_a_flow_for_ever() {
    let mut bench = Bench::new(LAS, QueueLimit::Packets(9));
    bench.arrive(data(0, 0));
    bench.now += MINUTE * 100;
    bench.arrive(data(1, 1000));
    bench.arrive(data(0, 3000));
    assert_eq!(bench.drain(), [data(0, 0), data(1, 1000), data(0, 3000)]);
}

#[test]
fn las_never_evicts_the_packet_in_service() {
    let mut bench = Bench::holding(LAS, 1, &[data(0, 9000)]);
    let served = bench.serve().unwrap();
    assert_eq!(bench.arrive(data(1, 0)), [(data(1, 0), OnArrival)]);
    bench.queue.transmitted(served.size);
    assert_eq!(bench.arrive(data(1, 0)), []);
}

// Regressions

#[test]
fn las_by_bytes_forgets_a_flow_whose_packets_were_all_discarded() {
    let mut bench = Bench::new(LAS_BYTES, QueueLimit::Packets(1));
    bench.arrive(data(0, 0));
    let served = bench.serve().unwrap();
    bench.now += MINUTE;
    assert_eq!(bench.arrive(data(0, 1)), [(data(0, 1), OnArrival)]); // not queued
    bench.queue.transmitted(served.size);
    bench.now += Duration::from_secs(1); // 61 s since flow 0 queued anything
    bench.arrive(ack(1, 0));
    let served = bench.serve().unwrap();
    bench.queue.transmitted(served.size);
    bench.arrive(ack(1, 1)); // 40
    assert_eq!(bench.arrive(data(0, 2)), [(ack(1, 1), Evicted)]); // 0
}

#[test]
fn nothing_is_evicted_for_a_packet_that_is_discarded_after_all() {
    let mut bench = Bench::new(TAIL, QueueLimit::Bytes(1600));
    bench.arrive(Packet { size: 1000, ..marked(0, 0) });
    bench.arrive(ack(1, 0));
    assert_eq!(bench.arrive(marked(3, 0)), [(marked(3, 0), OnArrival)]);
    let mut bench = Bench::new(LAS, QueueLimit::Bytes(1600));
    bench.arrive(Packet { size: 1000, ..data(0, 0) });
    bench.arrive(ack(1, 9000));
    assert_eq!(bench.arrive(data(3, 5000)), [(data(3, 5000), OnArrival)]);
}

#[test]
fn an_acknowledgement_that_does_not_fit_supersedes_nothing() {
    let mut bench = Bench::new(TAIL, QueueLimit::Bytes(1540));
    bench.arrive(data(0, 0));
    bench.arrive(ack(1, 1000));
    let with_options = Packet { size: 52, ..ack(1, 2000) };
    assert_eq!(bench.arrive(with_options), [(with_options, OnArrival)]);
}
