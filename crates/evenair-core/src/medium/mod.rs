//! Media: who of a cell transmits when, and what is received.
//!
//! A [`Medium`] is the channel of one cell together with the MAC of every node in it, as one state
//! machine. It owns no packets. They wait in the transmit queues of its [`Cell`], and the medium
//! *takes* from there what it sends at the moment at which it decides to send: one frame, an
//! aggregate, a burst. It reports each reception, and for every packet that it took whether the MAC
//! of the sender succeeded.

mod cell;
mod occupancy;
pub mod scheduler;
pub mod wimax;
pub mod wlan;

pub use cell::{Arrival, Cell, CellPacket};
pub use occupancy::{Attempts, BothWays, Occupancy};

use crate::loss::FrameKind;
use crate::packet::{Direction, NodeId};
use crate::queue::Backlog;
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// A transmit queue of a cell; which queues there are is the medium's [`QueueLayout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TxQueueId(pub u32);

/// The transmit queues of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLayout {
    /// One queue per node, as an 802.11 interface without aggregation has. Its id is that of the node.
    PerNode,
    /// One queue per node, receiver and traffic class: an 802.16 base station with a queue for each
    /// station, or 802.11e with its access categories.
    PerReceiver {
        /// Traffic classes; a class is 0 or more and below this.
        classes: u32,
    },
}

impl QueueLayout {
    /// The queue in which `from` keeps packets of `class` for `to`.
    #[inline(always)]
    pub const fn queue(self, from: NodeId, to: NodeId, class: u32) -> TxQueueId {
        match self {
            Self::PerNode => TxQueueId(from.0),
            Self::PerReceiver { classes } => {
                // Each station has a queue at the access point (even) and one of its own (odd).
                let pair = match Direction::from_node(from) {
                    Direction::Down => 2 * to.0 - 2,
                    Direction::Up => 2 * from.0 - 1,
                };
                TxQueueId(pair * classes + class)
            }
        }
    }

    /// The node that transmits from `queue`.
    pub const fn sender(self, queue: TxQueueId) -> NodeId {
        match self {
            Self::PerNode => NodeId(queue.0),
            Self::PerReceiver { classes } => match queue.0 / classes {
                pair if pair % 2 == 0 => NodeId::ACCESS_POINT,
                pair => NodeId(pair.div_ceil(2)),
            },
        }
    }

    /// The number of queues of a cell with this many nodes.
    pub const fn count(self, nodes: u32) -> u32 {
        match self {
            Self::PerNode => nodes,
            Self::PerReceiver { classes } => 2 * (nodes - 1) * classes,
        }
    }
}

/// A packet that a medium has taken and not yet released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(pub(crate) u32);

/// What a medium learns of a packet that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its name until it is released.
    pub packet: PacketId,
    /// Who is to receive it.
    pub to: NodeId,
    /// Bytes at IP level.
    pub bytes: u32,
}

/// How the MAC of the sender fared with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TxStatus {
    /// Acknowledged, or sent on a medium without acknowledgements.
    Delivered,
    /// Given up at a retry limit. It has been received nevertheless if only its ACKs were lost.
    Dropped,
}

/// A packet that was received: the first time that it was, if the sender repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reception {
    /// When it was complete.
    pub at: Instant,
    /// The packet, which the medium may keep until its acknowledgement is over.
    pub packet: PacketId,
    /// The transmitting node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// The rate at which it was transmitted.
    pub rate: Rate,
}

/// A frame on the air, as a loss model sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Whether it carries data.
    pub kind: FrameKind,
    /// Its end.
    pub at: Instant,
    /// The end of its link that is not the access point.
    pub station: NodeId,
    /// Its direction: that of an ACK is opposite to that of the data.
    pub direction: Direction,
    /// Its rate.
    pub rate: Rate,
    /// Bytes on the air, MAC overhead included.
    pub bytes: u32,
}

/// An attempt to transmit a packet, which is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The packet.
    pub packet: PacketId,
    /// The transmitting node.
    pub from: NodeId,
    /// The end of its link that is not the access point; [`NodeId::BROADCAST`] of a beacon.
    pub station: NodeId,
    /// The backoff drawn for it, whether or not it was interrupted; zero without a backoff.
    pub backoff: Duration,
    /// All its frames with the spaces between them and the response; where there was no response,
    /// the response timeout.
    pub airtime: Duration,
    /// Whether it was acknowledged. Of a beacon: whether it met no other frame.
    pub delivered: bool,
}

/// What a medium may ask of its cell during a call.
pub trait CellContext {
    /// What waits in `queue`, without taking anything.
    fn backlog(&self, queue: TxQueueId) -> &Backlog;

    /// When the cell wakes the medium next, because a shaper is ready: no poll may go beyond.
    fn wake_at(&self) -> Instant;

    /// Takes the next packet of `queue` if it has at most `max_bytes`. A packet that is too large
    /// stays the next one. `None` also when nothing waits, or while a shaper holds packets back: the
    /// cell wakes the medium when it may ask again.
    fn take(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken>;

    /// The sender is done with `packet`, which no longer counts against the limit of its queue.
    fn release(&mut self, now: Instant, packet: PacketId, status: TxStatus);

    /// `packet` was sent without acknowledgement and was not received: the sender is done with it.
    fn lose(&mut self, now: Instant, packet: PacketId) {
        self.release(now, packet, TxStatus::Dropped);
    }

    /// Frames on the link of `station` that end before this time are not corrupted: a medium need not
    /// ask [`CellContext::is_corrupted`] about them.
    fn no_loss_before(&self, station: NodeId) -> Instant;

    /// Whether a frame that met no other is undecodable. Asked once for each frame that is
    /// transmitted; for the frames of one link and direction in order of time.
    fn is_corrupted(&mut self, transmission: &Transmission) -> bool;

    /// An attempt is over, and its packet not yet released. Only after [`Medium::report_attempts`].
    fn on_attempt(&mut self, _now: Instant, _attempt: &Attempt) {}
}

/// The channel of a cell and the MACs of its nodes.
pub trait Medium {
    /// The transmit queues that it takes from.
    const LAYOUT: QueueLayout;

    /// Whether the MAC would take a packet that arrived in `queue` at once, whatever it is. A medium
    /// that collects packets for a later transmission never does.
    fn is_idle(&self, _queue: TxQueueId) -> bool {
        false
    }

    /// A packet that has arrived in `queue` while [`Medium::is_idle`], and that the MAC takes without
    /// asking for it.
    fn accept(&mut self, _now: Instant, _queue: TxQueueId, _packet: Taken) {
        unreachable!("a medium whose MACs are never idle accepts nothing");
    }

    /// A packet has arrived in `queue`, or a shaper has released one. May come at any time and more
    /// often than needed; what else is due before `now` has been polled.
    fn wake(&mut self, now: Instant, queue: TxQueueId, cell: &mut impl CellContext);

    /// The access point is to transmit `frame` to all stations, before packets that wait and before
    /// retries. It replaces a broadcast frame whose transmission has not begun. What was due before
    /// `now` has been polled.
    fn broadcast(&mut self, _now: Instant, _frame: Taken, _cell: &mut impl CellContext) {
        unreachable!("a medium without broadcast frames");
    }

    /// Attempts that end from now on are reported to [`CellContext::on_attempt`], if the medium has any.
    fn report_attempts(&mut self) {}

    /// When [`Medium::poll`] may have something to do; [`Instant::NEVER`] while all are idle, but of a
    /// medium with frames, which begins the next one then.
    fn poll_at(&self) -> Instant;

    /// Does what is due before `limit` and [`CellContext::wake_at`], which a packet that is asked for in
    /// vain brings forward, up to the next reception. Times never decrease from one call to the next.
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception>;

    /// What `node` has transmitted since the start. What is due before `now` has been polled, and an
    /// attempt that still goes on counts up to `now`.
    fn usage(&self, now: Instant, node: NodeId) -> AirUsage;

    /// How long the traffic of `node` has been on the air since the start, up to `now`: its own attempts
    /// and those for it; what overlaps counts once. Of the access point this is all traffic.
    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration;

    /// Starts the statistics that are no counters anew, such as distributions of delays. Counters go on.
    fn reset_stats(&mut self, _now: Instant) {}
}

/// Use of the air by the transmissions of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AirUsage {
    /// Attempts: in 802.11 RTS frames, and data frames sent without RTS; in 802.16 bandwidth requests.
    pub attempts: u64,
    /// Attempts that collided with another node's.
    pub collisions: u64,
    /// Data frames put on the air, retries included; in 802.16 PDUs.
    pub data_frames: u64,
    /// Packets acknowledged, or received on a medium without acknowledgements.
    pub delivered: u64,
    /// Packets given up at a retry limit, or lost on a medium without retries.
    pub dropped: u64,
    /// Time on the air.
    pub airtime: Airtime,
}

/// What the time on the air was spent on. In 802.11 an exchange counts with its control frames, its
/// acknowledgement and the interframe spaces inside it; in 802.16 bursts count, in the uplink with their
/// preamble, and corrupted PDUs by their share of the bytes of a burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Airtime {
    /// Exchanges that succeeded.
    pub successes: Duration,
    /// The node's own frames in collisions.
    pub collisions: Duration,
    /// Attempts in which a frame was corrupted.
    pub corrupted: Duration,
    /// The part of the successes in which bits of IP packets are sent. Only counted in 802.11.
    pub payload: Duration,
}

impl std::ops::AddAssign for Airtime {
    fn add_assign(&mut self, other: Self) {
        self.successes += other.successes;
        self.collisions += other.collisions;
        self.corrupted += other.corrupted;
        self.payload += other.payload;
    }
}

impl std::ops::Sub for Airtime {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            successes: self.successes - earlier.successes,
            collisions: self.collisions - earlier.collisions,
            corrupted: self.corrupted - earlier.corrupted,
            payload: self.payload - earlier.payload,
        }
    }
}

impl Airtime {
    /// Successes, collisions and corrupted attempts.
    pub fn total(&self) -> Duration {
        self.successes + self.collisions + self.corrupted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_of_a_layout_has_one_id_and_its_sender() {
        let (ap, nodes, classes) = (NodeId::ACCESS_POINT, 5, 3);
        let layout = QueueLayout::PerReceiver { classes };
        let mut seen = vec![None; layout.count(nodes) as usize];
        for station in (1..nodes).map(NodeId) {
            for (from, to) in [(ap, station), (station, ap)] {
                for class in 0..classes {
                    let queue = layout.queue(from, to, class);
                    assert_eq!(layout.sender(queue), from);
                    assert_eq!(seen[queue.0 as usize].replace((from, to, class)), None);
                }
            }
        }
        assert!(seen.iter().all(Option::is_some));
        assert_eq!(QueueLayout::PerNode.sender(TxQueueId(3)), NodeId(3));
    }
}
