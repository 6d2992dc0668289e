//! A cell driven by the wall clock: the access point sends a payload to a station every 5 ms for a
//! second. The cell queues handles; the payloads stay in a slab of the program.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program with a clock")]

use std::{thread, time};

use evenair_core::medium::Cell;
use evenair_core::medium::wlan::phy::{Phy, SHORT_PREAMBLE};
use evenair_core::medium::wlan::{ControlRate, Dcf, DcfConfig, StationConfig};
use evenair_core::packet::{FlowId, NodeId, Packet, PacketKind};
use evenair_core::queue::{Config, Queue, QueueLimit, TxQueue};
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

fn main() {
    let station = NodeId(1);
    let rate = Rate::from_mbps(11);
    let config =
        DcfConfig::new(Phy::dot11b(SHORT_PREAMBLE), ControlRate::Fixed(Rate::from_mbps(2)));
    let rng = |node| RngStream::new(1, StreamId::Queue, node);
    let queue = |node| {
        TxQueue::<Packet>::new(Queue::new(&Config::default(), QueueLimit::Packets(60), rng(node)))
    };
    let node = StationConfig::fixed(&config.phy, rate);
    let medium = Dcf::new(config, &[node.clone(), node], 1);
    let mut cell = Cell::new(medium, vec![queue(0), queue(1)], vec![None, None]);

    let start = time::Instant::now();
    let clock = || Instant::from_nanos(start.elapsed().as_nanos() as u64);
    let mut payloads: Vec<Option<Vec<u8>>> = Vec::new();
    let (mut next, end) = (Instant::ZERO, Instant::ZERO + Duration::from_secs(1));
    let (mut received, mut lateness) = (0, Duration::ZERO);
    loop {
        let due = next.min(cell.poll_at());
        if due == Instant::NEVER {
            break;
        }
        thread::sleep(time::Duration::from_nanos(due.since(clock()).as_nanos()));
        // The cell runs on its own time, so that lateness never costs capacity.
        while let Some(arrival) = cell.poll(due + Duration::from_nanos(1)) {
            let payload = payloads[arrival.packet.seq as usize].take().expect("received once");
            assert_eq!((arrival.to, payload.len()), (station, 1500));
            lateness = lateness.max(clock().since(arrival.at));
            received += 1;
        }
        if due == next {
            let seq = payloads.len() as u64;
            payloads.push(Some(vec![0; 1500]));
            let packet = Packet::new(FlowId(0), PacketKind::Datagram);
            let packet = Packet { station, size: 1500, seq, enqueued_at: due, ..packet };
            cell.send(due, NodeId::ACCESS_POINT, packet);
            next = Some(due + Duration::from_millis(5))
                .filter(|&at| at < end)
                .unwrap_or(Instant::NEVER);
        }
    }
    println!("{received} of {} payloads received, at most {lateness} late", payloads.len());
    assert_eq!(received, payloads.len());
}
