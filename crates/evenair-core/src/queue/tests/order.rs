//! What observers are told of the packets that wait ([`QueueDiscipline::packets`]): they leave in this
//! order.

use super::super::{CodelConfig, DualPi2Config, FqCodelConfig, PieConfig, TbfConfig, TxQueue};
use super::*;

fn disciplines() -> Vec<Config> {
    let fq = FqCodelConfig { flows: 3, quantum: 700, ..FqCodelConfig::default() };
    // Tokens for all packets.
    let tbf = TbfConfig { burst: 1_000_000, ..TbfConfig::default() };
    vec![
        DropTailConfig {}.into(),
        SpmAfConfig { filtering: Filtering::Tail }.into(),
        SpmAfConfig { filtering: Filtering::Head }.into(),
        LasConfig { service: Service::Sequence, ..LasConfig::default() }.into(),
        LasConfig { service: Service::Bytes, ..LasConfig::default() }.into(),
        CodelConfig::default().into(),
        fq.into(),
        PieConfig::default().into(),
        DualPi2Config::default().into(),
        tbf.into(),
    ]
}

/// Packets of five flows come in batches, and some leave in between. All this happens at one time, so that
/// no discipline finds that a packet has waited for too long.
#[test]
fn packets_leave_in_the_order_that_is_told() {
    let now = Instant::ZERO;
    for (number, config) in (0..).zip(disciplines()) {
        let mut dice = RngStream::new(number, StreamId::Queue, 1);
        let rng = RngStream::new(number, StreamId::Queue, 0);
        let mut queue = TxQueue::new(Queue::new(&config, QueueLimit::Packets(30), rng));
        let mut compared = 0;
        for _ in 0..40 {
            for _ in 0..dice.up_to(20) {
                let kind = if dice.up_to(1) == 0 { PacketKind::Data } else { PacketKind::Ack };
                let (flow, size, seq) = (dice.up_to(4), 40 + dice.up_to(1460), dice.up_to(100));
                queue.enqueue(now, Packet { seq: u64::from(seq), ..packet(flow, kind, size) });
            }
            let told: Vec<Packet> = queue.packets().into_iter().copied().collect();
            assert_eq!(told.len(), queue.backlog().packets() as usize, "{config:?}");
            let leaving = 1 + dice.up_to(told.len() as u32) as usize;
            for expected in told.iter().take(leaving) {
                let left = queue.dequeue(now).unwrap();
                queue.transmitted(left.size);
                assert_eq!(left, *expected, "{config:?}");
                compared += 1;
            }
        }
        assert!(compared > 100, "{config:?}: {compared}");
    }
}

/// The packets of one flow leave in the order that is told, past those of others, as far as they are small enough; the
/// others stay.
#[test]
fn packets_of_a_flow_leave_in_the_order_that_is_told() {
    let now = Instant::ZERO;
    for (number, config) in (0..).zip(disciplines()) {
        let mut dice = RngStream::new(number, StreamId::Queue, 3);
        let rng = RngStream::new(number, StreamId::Queue, 2);
        let mut queue = TxQueue::new(Queue::new(&config, QueueLimit::Packets(30), rng));
        let mut compared = [0; 2];
        for _ in 0..400 {
            for _ in 0..dice.up_to(6) {
                let (flow, size, seq) = (dice.up_to(4), 40 + dice.up_to(1460), dice.up_to(100));
                let sent = packet(flow, PacketKind::Data, size);
                queue.enqueue(now, Packet { seq: u64::from(seq), ..sent });
            }
            let (flow, most) = (FlowId(dice.up_to(4)), 40 + dice.up_to(2000));
            let told: Vec<Packet> = queue.packets().into_iter().copied().collect();
            let next = told.iter().find(|packet| packet.flow == flow);
            let fits = next.filter(|packet| packet.size <= most);
            let left = queue.dequeue_of(now, |packet| packet.flow == flow, most);
            assert_eq!(left.as_ref(), fits, "{config:?}");
            let waiting = queue.backlog().packets() as usize;
            assert_eq!(waiting, told.len() - usize::from(left.is_some()), "{config:?}");
            assert_eq!(queue.packets().len(), waiting, "{config:?}");
            if let Some(left) = left {
                queue.transmitted(left.size);
            }
            compared[usize::from(fits.is_some())] += 1;
        }
        assert!(compared.iter().all(|count| *count > 50), "{config:?}: {compared:?}");
    }
}

/// By hand: the queue has room for two, and the third is dropped when it comes.
#[test]
fn drops_are_told_once_asked_for() {
    let rng = RngStream::new(1, StreamId::Queue, 0);
    let config = DropTailConfig {}.into();
    let mut queue = TxQueue::new(Queue::new(&config, QueueLimit::Packets(2), rng));
    let arrive = |queue: &mut TxQueue<Packet>, seq| {
        queue.enqueue(Instant::ZERO, Packet { seq, ..packet(0, PacketKind::Data, 1500) });
    };
    for seq in 0..3 {
        arrive(&mut queue, seq);
    }
    assert_eq!(queue.take_drops(), []); // nobody had asked before
    arrive(&mut queue, 3);
    queue.reset(Instant::ZERO);
    arrive(&mut queue, 4);
    let drops = queue.take_drops();
    let seen: Vec<_> = drops.iter().map(|drop| (drop.packet.seq, drop.reason)).collect();
    assert_eq!(seen, [(3, DropReason::OnArrival), (4, DropReason::OnArrival)]);
    assert_eq!(queue.take_drops(), []);
}
