//! Wired networks by hand, and droptail links that are computed at arrival against the same links
//! whose transmitters ask a droptail discipline for each packet.

use evenair_core::packet::{FlowId, PacketKind};
use evenair_core::queue::{Config, Queue, QueueLimit, QueueStats};
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::time::Duration;
use evenair_core::units::Rate;
use proptest::prelude::*;

use super::*;
use crate::agenda::Due;

/// One link of a network: its rate, delay and limit.
#[derive(Clone, Copy, Debug)]
struct Spec {
    rate: Rate,
    delay: Duration,
    limit: QueueLimit,
}

#[derive(Clone, Debug)]
enum Action {
    Send { flow: u32, size: u32, is_ack: bool },
    Reset,
}

fn discipline(limit: QueueLimit) -> LinkQueue<Packet> {
    LinkQueue::discipline(Queue::new(
        &Config::default(),
        limit,
        RngStream::new(1, StreamId::Queue, 0),
    ))
}

/// A network in which each flow takes its path of links.
fn network(
    specs: &[Spec],
    paths: &[Vec<u32>],
    queue: fn(QueueLimit) -> LinkQueue<Packet>,
) -> Wired {
    let links = specs.iter().map(|s| Link::new(s.rate, s.delay, queue(s.limit), None)).collect();
    let mut next_hop = vec![vec![Hop::End; paths.len()]; specs.len()];
    for (flow, path) in paths.iter().enumerate() {
        for pair in path.windows(2) {
            next_hop[pair[0] as usize][flow] = Hop::Link(pair[1]);
        }
    }
    let entries: Vec<u32> = paths.iter().map(|path| path[0]).collect();
    Wired::new(links, next_hop, &entries)
}

/// Time, flow and number of a packet that has reached its host.
type Arrival = (Instant, u32, u64);

/// Where there is a path 4, what has come over path 3 is answered there at once.
fn answer(
    wired: &mut Wired,
    agenda: &mut Agenda,
    paths: &[Vec<u32>],
    now: Instant,
    packet: &Packet,
) {
    if packet.flow == FlowId(3)
        && let Some(path) = paths.get(4)
    {
        let seq = packet.seq;
        let answer = Packet { size: 100, seq, ..Packet::new(FlowId(4), PacketKind::Ack) };
        wired.send(now, path[0], &answer, agenda);
    }
}

/// The arrivals of what is sent, and each link's statistics, busy time included,
/// at `end`.
fn run(
    mut wired: Wired,
    paths: &[Vec<u32>],
    actions: &[(Instant, Action)],
    end: Instant,
) -> (Vec<Arrival>, Vec<(QueueStats, Duration)>) {
    let mut arrivals = Vec::new();
    let mut agenda = Agenda::new(wired.links().len());
    let mut poll_until = |wired: &mut Wired, agenda: &mut Agenda, limit: Instant| {
        while let (now, Due::Link(link)) = (agenda.first_at(), agenda.first())
            && now < limit
        {
            if let Some((packet, hop)) = wired.poll(now, link, agenda) {
                assert_eq!(hop, Hop::End);
                arrivals.push((now, packet.flow.0, packet.seq));
                answer(wired, agenda, paths, now, &packet);
            }
            wired.end_event();
        }
    };
    for (number, (at, action)) in actions.iter().enumerate() {
        // Links go before the ends of flows.
        poll_until(&mut wired, &mut agenda, end.min(*at + Duration::from_nanos(1)));
        match *action {
            Action::Send { flow, size, is_ack } => {
                let kind = if is_ack { PacketKind::Ack } else { PacketKind::Data };
                let seq = number as u64;
                let packet = Packet { size, seq, ..Packet::new(FlowId(flow), kind) };
                wired.send(*at, paths[flow as usize][0], &packet, &mut agenda);
            }
            Action::Reset => wired.reset_stats(*at),
        }
    }
    poll_until(&mut wired, &mut agenda, end);
    let stats = wired.links().iter().map(|link| (link.queue_stats(end), link.busy(end)));
    (arrivals, stats.collect())
}

fn spec(mbps: u64, delay: Duration, packets: u32) -> Spec {
    Spec { rate: Rate::from_mbps(mbps), delay, limit: QueueLimit::Packets(packets) }
}

fn data(at: u64, flow: u32) -> (Instant, Action) {
    (Instant::from_nanos(at * 1000), Action::Send { flow, size: 1500, is_ack: false })
}

/// 1500 bytes take 120 us at 100 Mb/s and 150 us at 80, and each link 2 ms. Three packets at 0 queue
/// at the first link; behind the second, slower one they are 150 us apart.
#[test]
fn packets_queue_behind_each_other() {
    let specs = [spec(100, Duration::from_millis(2), 10), spec(80, Duration::from_millis(2), 10)];
    let actions = [data(0, 0), data(0, 0), data(0, 0), data(9_000, 0)];
    for queue in [LinkQueue::fifo, discipline] {
        let paths = [vec![0, 1]];
        let wired = network(&specs, &paths, queue);
        let (arrivals, stats) = run(wired, &paths, &actions, Instant::from_nanos(1 << 40));
        let times: Vec<u64> = arrivals.iter().map(|(at, ..)| at.as_nanos() / 1000).collect();
        assert_eq!(times, [4_270, 4_420, 4_570, 13_270]);
        // At the second link they arrive at 2120, 2240 and 2360 and start at 2120, 2270 and 2420.
        let (stats, busy) = &stats[1];
        assert_eq!((stats.data_arrivals, stats.waits.count()), (4, 4));
        assert_eq!(
            (stats.waits.sum(), *busy),
            (Duration::from_micros(90), Duration::from_micros(600))
        );
    }
}

/// A limit of two: one in the transmitter and one that waits.
#[test]
fn a_full_queue_drops() {
    let specs = [spec(100, Duration::from_millis(2), 2)];
    let actions = [data(0, 0), data(0, 0), data(0, 0), data(119, 0), data(120, 0)];
    for queue in [LinkQueue::fifo, discipline] {
        let paths = [vec![0]];
        let wired = network(&specs, &paths, queue);
        let (arrivals, stats) = run(wired, &paths, &actions, Instant::from_nanos(1 << 40));
        let numbers: Vec<u64> = arrivals.iter().map(|(.., number)| *number).collect();
        assert_eq!(numbers, [0, 1, 4]);
        assert_eq!(stats[0].0.drops.on_arrival, 2);
    }
}

prop_compose! {
    fn any_spec()(
        rate in prop::sample::select(vec![8u64, 16, 40, 1_000]),
        delay in prop::sample::select(vec![0u64, 1, 10, 300]),
        limit in prop_oneof![
            (1u32..6).prop_map(QueueLimit::Packets),
            (100u64..4_000).prop_map(QueueLimit::Bytes),
        ],
    ) -> Spec {
        Spec { rate: Rate::from_mbps(rate), delay: Duration::from_micros(delay), limit }
    }
}

fn any_actions() -> impl Strategy<Value = Vec<(Instant, Action)>> {
    // Whole microseconds, and sizes that take whole microseconds to send: many coincidences.
    let send = (0u32..4, prop::sample::select(vec![50u32, 100, 1_000]), any::<bool>())
        .prop_map(|(flow, size, is_ack)| Action::Send { flow, size, is_ack });
    let action = prop_oneof![30 => send, 1 => Just(Action::Reset)];
    prop::collection::vec((prop::sample::select(vec![0u64, 0, 10, 50, 100, 777]), action), 1..80)
        .prop_map(|actions| {
            let mut at = Instant::ZERO;
            let step = |(gap, action)| {
                at += Duration::from_micros(gap);
                (at, action)
            };
            actions.into_iter().map(step).collect()
        })
}

proptest! {
    #![proptest_config(evenair_testing::config!(3000))]

    /// The same arrivals and statistics, whatever the topology.
    #[test]
    fn links_computed_at_arrival_are_links_with_events(
        specs in prop::collection::vec(any_spec(), 4),
        paths in prop::collection::vec(
            prop::sample::subsequence(vec![0u32, 1, 2, 3], 1..=4).prop_shuffle(),
            4,
        ),
        actions in any_actions(),
        end in 0u64..6_000,
    ) {
        // Between two of the times at which anything happens.
        let end = Instant::ZERO + Duration::from_nanos(end * 1_000 + 500);
        let actions: Vec<_> = actions.into_iter().filter(|(at, _)| *at < end).collect();
        let observe = |queue: fn(QueueLimit) -> LinkQueue<Packet>| {
            run(network(&specs, &paths, queue), &paths, &actions, end)
        };
        let (arrivals, stats) = observe(LinkQueue::fifo);
        let (expected_arrivals, expected_stats) = observe(discipline);
        prop_assert_eq!(arrivals, expected_arrivals);
        prop_assert_eq!(stats, expected_stats);
    }
}

/// The ends of streams: the times at which they send, and what has arrived. Their packets have the numbers of
/// the actions.
struct Departures {
    /// By path; the last is the next.
    left: Vec<Vec<(Instant, Packet)>>,
    arrivals: Vec<Arrival>,
}

impl StreamEnds for Departures {
    fn packet(&mut self, path: usize) -> Packet {
        let next = self.left[path].last();
        next.map_or(Packet::new(FlowId::NONE, PacketKind::Data), |(_, packet)| *packet)
    }

    fn next_departure(&mut self, path: usize) -> Instant {
        self.left[path].last().map_or(Instant::NEVER, |(at, _)| *at)
    }

    fn depart(&mut self, path: usize) -> u64 {
        self.left[path].pop().unwrap().1.seq
    }

    fn arrive(&mut self, path: usize, now: Instant, packet: &Packet, _sent: Instant) {
        self.arrivals.push((now, path as u32, packet.seq));
    }
}

/// As [`run`] of a network of droptail links, with streams on those of the first `candidates` paths that
/// allow it. Returns how many do, too.
fn run_with_streams(
    specs: &[Spec],
    paths: &[Vec<u32>],
    candidates: usize,
    actions: &[(Instant, Action)],
    end: Instant,
) -> (Vec<Arrival>, Vec<(QueueStats, Duration)>, usize) {
    let mut wired = network(specs, paths, LinkQueue::fifo);
    let users = (0..specs.len() as u32)
        .map(|link| paths.iter().filter(|path| path.contains(&link)).count() as u32)
        .collect::<Vec<_>>();
    let candidates: Vec<_> =
        paths.iter().map(|path| path[0]).enumerate().take(candidates).collect();
    let mut ends = Departures { left: vec![Vec::new(); paths.len()], arrivals: Vec::new() };
    let is_stream: Vec<bool> = {
        let all = Streams::new(&wired, &users, &candidates, &mut ends);
        (0..paths.len()).map(|path| all.paths().any(|stream| stream == path)).collect()
    };
    for (number, (at, action)) in actions.iter().enumerate().rev() {
        if let Action::Send { flow, size, is_ack } = *action
            && is_stream[flow as usize]
        {
            let kind = if is_ack { PacketKind::Ack } else { PacketKind::Data };
            let seq = number as u64;
            let packet = Packet { size, seq, ..Packet::new(FlowId(flow), kind) };
            ends.left[flow as usize].push((*at, packet));
        }
    }
    let mut streams = Streams::new(&wired, &users, &candidates, &mut ends);
    let mut agenda = Agenda::new(specs.len());
    let mut arrivals = Vec::new();
    let mut poll_until = |wired: &mut Wired,
                          agenda: &mut Agenda,
                          streams: &mut Streams,
                          ends: &mut Departures,
                          limit: Instant| {
        while let (now, Due::Link(link)) = (agenda.first_at(), agenda.first())
            && now < limit
        {
            streams.advance(Until::link(now, link), wired, ends);
            if let Some((packet, _)) = wired.poll(now, link, agenda) {
                arrivals.push((now, packet.flow.0, packet.seq));
                answer(wired, agenda, paths, now, &packet);
            }
            wired.end_event();
        }
    };
    for (number, (at, action)) in actions.iter().enumerate() {
        let limit = end.min(*at + Duration::from_nanos(1));
        poll_until(&mut wired, &mut agenda, &mut streams, &mut ends, limit);
        match *action {
            Action::Send { flow, size, is_ack } if !is_stream[flow as usize] => {
                streams.advance(Until::ends(*at), &mut wired, &mut ends);
                let kind = if is_ack { PacketKind::Ack } else { PacketKind::Data };
                let seq = number as u64;
                let packet = Packet { size, seq, ..Packet::new(FlowId(flow), kind) };
                wired.send(*at, paths[flow as usize][0], &packet, &mut agenda);
            }
            Action::Send { .. } => {}
            Action::Reset => {
                streams.settle(Until::ends(*at), &mut wired, &mut ends);
                wired.reset_stats(*at);
            }
        }
    }
    poll_until(&mut wired, &mut agenda, &mut streams, &mut ends, end);
    streams.settle(Until::time(end), &mut wired, &mut ends);
    arrivals.extend(ends.arrivals);
    let stats = wired.links().iter().map(|link| (link.queue_stats(end), link.busy(end)));
    (arrivals, stats.collect(), streams.paths().count())
}

prop_compose! {
    /// Three flows with links of their own before and behind link 6, one that shares it, and the answers of
    /// that: the flows' links, in the order of all or in the reverse.
    fn any_paths()(
        shapes in prop::collection::vec(0_usize..5, 3),
        other in prop::sample::select(vec![vec![6_u32], vec![7, 6], vec![6, 8], vec![7, 6, 8], vec![0, 6]]),
        reversed in any::<bool>(),
    ) -> Vec<Vec<u32>> {
        let own = |(flow, shape): (u32, usize)| match shape {
            0 => vec![flow],
            1 => vec![flow, 6],
            2 => vec![flow, flow + 3],
            3 => vec![flow, flow + 3, 6],
            _ => vec![flow, 6, flow + 3],
        };
        let mut paths: Vec<Vec<u32>> = (0..).zip(shapes).map(own).collect();
        paths.push(other);
        paths.push(vec![6]);
        if reversed {
            paths.iter_mut().flatten().for_each(|link| *link = 8 - *link);
        }
        paths
    }
}

proptest! {
    #![proptest_config(evenair_testing::config!(3000))]

    /// Streams have the arrivals and statistics of packets with events.
    #[test]
    fn streams_are_flows_without_events(
        specs in prop::collection::vec(any_spec(), 9),
        paths in any_paths(),
        actions in any_actions(),
        end in 0u64..6_000,
    ) {
        let end = Instant::ZERO + Duration::from_nanos(end * 1_000 + 500);
        // The packets of a stream have one size. What is sent at the very time of a reset may be counted
        // before or after it.
        let mut actions: Vec<_> = actions
            .into_iter()
            .map(|(at, action)| match action {
                Action::Send { flow, .. } => {
                    let size = [1_000, 100, 1_000, 50][flow as usize];
                    (at, Action::Send { flow, size, is_ack: flow == 1 })
                }
                Action::Reset => (at + Duration::from_nanos(250), Action::Reset),
            })
            .filter(|(at, _)| *at < end)
            .collect();
        actions.sort_by_key(|(at, _)| *at);
        let wired = network(&specs, &paths, LinkQueue::fifo);
        let (mut expected, expected_stats) = run(wired, &paths, &actions, end);
        let (mut arrivals, stats, _) = run_with_streams(&specs, &paths, 3, &actions, end);
        expected.sort_unstable();
        arrivals.sort_unstable();
        prop_assert_eq!(arrivals, expected);
        prop_assert_eq!(stats, expected_stats);
    }
}

/// Flows 0 and 1 share link 4 alone; flow 2 begins with a shared link, flow 3 ends with a shared one behind
/// another, flow 4 has all its links to itself.
#[test]
fn streams_share_one_link() {
    let specs = [spec(100, Duration::from_millis(2), 10); 9];
    let paths = [vec![0, 4], vec![1, 4, 5], vec![4, 6], vec![2, 4, 6], vec![3, 7]];
    assert_eq!(run_with_streams(&specs, &paths, 5, &[], Instant::from_nanos(1)).2, 3);
    let without_time = [Spec { rate: Rate::UNLIMITED, delay: Duration::ZERO, ..specs[0] }; 9];
    assert_eq!(run_with_streams(&without_time, &paths, 5, &[], Instant::from_nanos(1)).2, 0);
}
