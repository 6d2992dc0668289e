//! Flows over a path of constant delay that loses packets.

use std::collections::VecDeque;

use proptest::prelude::*;

use crate::packet::{End, FlowId, NodeId, Packet, PacketKind};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::transport::tfrc::{TfrcConfig, TfrcSink, TfrcSource, equation};
use crate::transport::{Ends, Output, PacketHeader, PacketOption};

const SEGMENT: u32 = 1000;

#[derive(Default)]
struct Sent(Vec<(End, Packet, PacketOption)>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
        self.0.push((packet.to.other(), *packet, *option.unwrap()));
    }
}

/// Whether a packet from this end is lost.
type Loses = dyn FnMut(End, &Packet) -> bool;

/// A flow and what is under way.
struct Path {
    flow: Ends<TfrcSource, TfrcSink>,
    delay: Duration,
    /// Which data packets and reports are lost.
    loses: Box<Loses>,
    /// When they arrive.
    under_way: VecDeque<(Instant, Packet, PacketOption)>,
    now: Instant,
    lost: [u64; 2],
    arrived: [u64; 2],
    /// p and X_recv of each report that is sent.
    reports: Vec<(f64, f64)>,
}

impl Path {
    fn new(delay: Duration, loses: impl FnMut(End, &Packet) -> bool + 'static) -> Self {
        let [data, reports] = PacketHeader::of_ends(FlowId(0), NodeId(1), [52, 56]);
        let config = TfrcConfig::default();
        let sink = TfrcSink::new(&config, SEGMENT, reports);
        let flow = Ends::new(TfrcSource::new(config, SEGMENT, data), sink);
        let (under_way, reports) = (VecDeque::new(), vec![]);
        let (lost, arrived) = ([0; 2], [0; 2]);
        let mut path = Self {
            flow,
            delay,
            loses: Box::new(loses),
            under_way,
            now: Instant::ZERO,
            lost,
            arrived,
            reports,
        };
        let mut out = Sent::default();
        path.flow.open(Instant::ZERO, 0, u64::MAX, &mut out);
        path.send(out);
        path
    }

    fn send(&mut self, out: Sent) {
        for (from, packet, option) in out.0 {
            if let PacketOption::TfrcReport(report) = option {
                self.reports.push((report.loss_event_rate, report.receive_rate));
            }
            if (self.loses)(from, &packet) {
                self.lost[from as usize] += 1;
            } else {
                self.under_way.push_back((self.now + self.delay, packet, option));
            }
        }
    }

    /// Does what is due next, if it is due until `end`.
    fn step(&mut self, end: Instant) -> bool {
        let arrival = self.under_way.front().map_or(Instant::NEVER, |(at, ..)| *at);
        let ends = [End::Sender, End::Receiver].map(|end| (self.flow.poll_at(end), end));
        let (timer, of) = if ends[0].0 <= ends[1].0 { ends[0] } else { ends[1] };
        self.now = arrival.min(timer);
        if self.now > end {
            return false;
        }
        let mut out = Sent::default();
        if arrival <= timer {
            let (_, packet, option) = self.under_way.pop_front().unwrap();
            self.flow.on_packet(self.now, &packet, Some(&option), &mut out);
            self.arrived[packet.to as usize] += 1;
        } else {
            self.flow.on_timer(self.now, of, &mut out);
        }
        self.send(out);
        true
    }

    fn run(&mut self, end: Instant) {
        while self.step(end) {}
    }
}

fn at(seconds: f64) -> Instant {
    Instant::ZERO + Duration::from_secs_f64(seconds)
}

proptest! {
    #![proptest_config(evenair_testing::config!(64))]

    /// Whatever is lost: p is a probability, X is at least s / 64 s, no packet is lost that the path
    /// has not lost, and reports are sent once per round-trip time, and with new loss events.
    #[test]
    fn invariants_hold(
        seed in 0_u64..1000, data in 0.0..0.6, reports in 0.0..0.6, delay_us in 500_u64..200_000,
    ) {
        let mut rng = RngStream::new(seed, StreamId::LinkLoss, 0);
        let delay = Duration::from_micros(delay_us);
        let mut path = Path::new(delay, move |from, _| {
            rng.uniform() < if from == End::Sender { data } else { reports }
        });
        let end = at(30.0 * delay.as_secs_f64() + 20.0);
        let mut sent = 0;
        while path.flow.counters().segments_sent < 20_000 && path.step(end) {
            let control = path.flow.rate_control().unwrap();
            prop_assert!((0.0..=1.0).contains(&control.loss_event_rate));
            prop_assert!(control.allowed >= f64::from(SEGMENT) / 64.0);
            sent = path.flow.counters().segments_sent;
        }
        let under_way = |kind| path.under_way.iter().filter(|(_, p, _)| p.kind == kind).count() as u64;
        let data = under_way(PacketKind::Datagram) + path.lost[0] + path.arrived[End::Receiver as usize];
        prop_assert_eq!(data, sent);
        let counted = path.reports.len() as u64;
        let reports = under_way(PacketKind::Report) + path.lost[1] + path.arrived[End::Sender as usize];
        prop_assert_eq!(reports, counted);
        let counters = path.flow.counters();
        prop_assert!(counters.loss_events <= counters.packets_lost);
        prop_assert!(counters.packets_lost <= path.lost[0]);
        prop_assert_eq!(counters.delivered, path.arrived[End::Receiver as usize] * u64::from(SEGMENT));
        // The path has a constant round-trip time. Until the sender knows it, it sends a packet per second.
        let rounds = path.now.as_secs_f64() / (2.0 * delay.as_secs_f64());
        let most = rounds + counters.loss_events as f64 + path.now.as_secs_f64() + 2.0;
        prop_assert!(counted as f64 <= most, "{} reports in {} rounds", counted, rounds);
        prop_assert!(path.reports.iter().all(|(p, x)| (0.0..=1.0).contains(p) && *x >= 0.0));
    }
}

/// Each 100th packet is lost, so that all intervals have 100 packets, and the rate is that of the
/// equation for p = 0.01 and a round-trip time of 0.1 s.
#[test]
fn periodic_losses_give_the_rate_of_the_equation() {
    let loses =
        |from, packet: &Packet| from == End::Sender && packet.seq / u64::from(SEGMENT) % 100 == 99;
    let mut path = Path::new(Duration::from_millis(50), loses);
    path.run(at(100.0));
    let before = path.flow.counters().segments_sent;
    path.run(at(1100.0));
    let rate = (path.flow.counters().segments_sent - before) as f64;
    // A packet counts as lost when a later one arrives: the last one may not count yet.
    let uncounted = path.lost[0] - path.flow.counters().packets_lost;
    assert!(uncounted <= 1, "{uncounted}");
    let expected = equation::throughput(1000.0, 0.1, 0.01);
    assert!((rate / expected - 1.0).abs() < 0.01, "{rate}: {expected}");
}

/// A flow that is limited at either end keeps to the limit, and recovers from it.
#[test]
fn limits_hold_at_either_end() {
    for end in [End::Sender, End::Receiver] {
        let mut path = Path::new(Duration::from_millis(20), |_, packet| {
            packet.kind == PacketKind::Datagram && packet.seq / u64::from(SEGMENT) % 5000 == 4999
        });
        path.run(at(20.0));
        let free = path.flow.rate_control().unwrap().allowed;
        assert!(free > 400_000.0, "{free}");
        let limit = crate::units::Rate::from_bps(800_000);
        path.flow.limit_rate(at(20.0), end, Some(limit));
        path.run(at(21.0));
        let before = path.flow.counters().delivered;
        path.run(at(31.0));
        let rate = (path.flow.counters().delivered - before) as f64 / 10.0;
        assert!((rate / 100_000.0 - 1.0).abs() < 0.01, "{end:?}: {rate}");
        path.flow.limit_rate(at(31.0), end, None);
        path.run(at(35.0));
        assert!(path.flow.rate_control().unwrap().allowed > 400_000.0);
    }
}
