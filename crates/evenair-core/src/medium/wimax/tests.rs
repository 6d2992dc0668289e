//! [`Wimax`] against the plain model frame by frame ([`comparison`]), against an independent
//! computation of the PHY ([`phy`]) and the frame ([`accounting`]), and against the theory of
//! binary backoff ([`contention`]).

mod accounting;
mod capacity;
mod comparison;
mod conservation;
mod contention;
mod examples;
mod oracle;
mod phy;
mod watched;

use oracle::Setup;

use super::phy::{CyclicPrefix, OfdmPhy};
use super::scheduler::{self, DrrConfig, RoundRobinConfig};
use super::{DlShare, FrameError, Maps, RequestSize, Wimax, WimaxConfig};
use crate::medium::{Associations, Cell, Medium, TxQueueId};
use crate::packet::{AccessCategory, Direction, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{self, Queue, QueueLimit, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// Usable bytes per symbol, BPSK 1/2 to 64QAM 3/4: 192 subcarriers of 1, 2, 4 or 6 bits times the
/// code rate, less the tail byte (8.3.3).
const BYTES_PER_SYMBOL: [u64; 7] = [11, 23, 35, 47, 71, 95, 107];

/// The medium of a [`Setup`].
fn wimax(setup: &Setup) -> Result<Wimax, FrameError> {
    let prefix = match setup.prefix {
        4 => CyclicPrefix::Quarter,
        8 => CyclicPrefix::Eighth,
        16 => CyclicPrefix::Sixteenth,
        _ => CyclicPrefix::ThirtySecond,
    };
    let phy = OfdmPhy::new(setup.bandwidth, prefix, Duration::from_nanos(setup.frame)).unwrap();
    let (dl, ul) = (setup.ratio.0 as u32, setup.ratio.1 as u32);
    let (first, last) = setup.backoff;
    let config = WimaxConfig {
        dl_share: DlShare::Ratio { dl, ul },
        bytes_per_symbol: setup.bytes_per_symbol as u32,
        contention_slots: setup.contention_slots as u32,
        request_backoff: [first, last],
        t16: Duration::from_nanos(setup.t16),
        request_retries: setup.retries,
        request_size: if setup.revalued { RequestSize::Current } else { RequestSize::Stored },
        maps: if setup.actual_maps { Maps::Actual } else { Maps::Maximum },
        piggyback: setup.piggyback,
        crc: setup.crc,
        scheduler: match setup.quantum {
            None => RoundRobinConfig::default().into(),
            Some(quantum) => scheduler::Config::from(DrrConfig { quantum }),
        },
        ..WimaxConfig::new(phy)
    };
    let stations: Vec<u32> = setup.stations.iter().map(|&bytes| bytes as u32).collect();
    Wimax::new(config, &stations, setup.seed)
}

/// The queue in which one node keeps packets for another.
fn queue_of(from: NodeId, to: NodeId) -> TxQueueId {
    let link = Associations::one_cell(from.0.max(to.0) + 1).link(from, to);
    Wimax::LAYOUT.queue(from, link, AccessCategory::BestEffort)
}

/// Drop-tail queues with the limits of `setup`.
fn queues(setup: &Setup) -> Vec<TxQueue<Packet>> {
    let queue = |id: u32| {
        let up = Wimax::LAYOUT.link(TxQueueId(id)).unwrap().0.direction() == Direction::Up;
        let limit = QueueLimit::Packets(setup.limits[usize::from(up)] as u32);
        let stream = RngStream::new(1, StreamId::Queue, id.into());
        TxQueue::new(Queue::new(&queue::Config::default(), limit, stream))
    };
    (0..2 * setup.stations.len() as u32).map(queue).collect()
}

/// A cell with the medium `medium`, without losses of its own.
fn cell<M: Medium>(setup: &Setup, medium: M) -> Cell<M> {
    let nodes = setup.stations.len() + 1;
    Cell::new(medium, queues(setup), (0..nodes).map(|_| None).collect())
}

/// A packet to or from the station with this index.
fn packet(at: Instant, station: usize, size: u32) -> Packet {
    let station = NodeId(station as u32 + 1);
    let packet = Packet::new(FlowId(0), PacketKind::Datagram);
    Packet { station, size, enqueued_at: at, ..packet }
}

/// The sender of a packet to or from the station with this index.
fn sender(station: usize, up: bool) -> NodeId {
    if up { NodeId(station as u32 + 1) } else { NodeId::ACCESS_POINT }
}
