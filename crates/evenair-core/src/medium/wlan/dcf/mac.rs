//! The MAC of one node: the packet that it sends, its backoffs and retries.

use super::exchange::Frames;
use crate::medium::wlan::config::DcfConfig;
use crate::medium::wlan::contention::{Backoff, ContenderId};
use crate::medium::{AirUsage, PacketId, Taken, TxStatus};
use crate::packet::{Direction, NodeId};
use crate::time::Duration;

/// The contender of `node`. Each node has one.
pub(super) fn contender_of(node: NodeId) -> ContenderId {
    ContenderId(node.0)
}

/// The node of `contender`.
pub(super) fn node_of(contender: ContenderId) -> NodeId {
    NodeId(contender.0)
}

/// The MAC of one node.
#[derive(Debug)]
pub(super) struct Mac {
    /// The packet that it sends; `None` when it can take the next.
    pub(super) packet: Option<PacketId>,
    /// The receiver of that packet.
    pub(super) to: NodeId,
    /// The end of its link that is not the access point; [`NodeId::BROADCAST`] of a beacon.
    pub(super) station: NodeId,
    /// The place of its link in `Dcf::links`.
    pub(super) link: usize,
    /// Its size on the air, MAC overhead included.
    pub(super) bytes: u32,
    /// Whether it has been received: the receiver acknowledges a retransmission, and discards it.
    pub(super) received: bool,
    /// How long the first frame of the present attempt lasts that has a response: the RTS, or the data
    /// frame, with a CTS-to-self before it.
    pub(super) first_frame: Duration,
    pub(super) needs_rts: bool,
    pub(super) backoff: Backoff,
    pub(super) short_retries: u32,
    pub(super) long_retries: u32,
    /// Without the airtime, which its links have.
    pub(super) usage: AirUsage,
}

impl Mac {
    /// A MAC without a packet.
    pub(super) fn new(backoff: Backoff) -> Self {
        Self {
            packet: None,
            to: NodeId::BROADCAST,
            station: NodeId::BROADCAST,
            link: 0,
            bytes: 0,
            received: false,
            first_frame: Duration::ZERO,
            needs_rts: false,
            backoff,
            short_retries: 0,
            long_retries: 0,
            usage: AirUsage::default(),
        }
    }

    /// The MAC, that of `node`, has no packet and has taken one.
    #[inline(always)]
    pub(super) fn load(&mut self, config: &DcfConfig, node: NodeId, taken: Taken) {
        self.bytes = taken.bytes + config.mac_overhead;
        self.packet = Some(taken.packet);
        self.received = false;
        self.to = taken.to;
        self.station = if taken.link.direction() == Direction::Down { taken.to } else { node };
        self.link = taken.link.index();
        self.needs_rts = config.rts_threshold.is_some_and(|threshold| self.bytes > threshold);
    }

    /// An attempt begins that would consist of `frames`.
    #[inline(always)]
    pub(super) fn begin_attempt(&mut self, frames: &Frames) {
        self.needs_rts |= frames.rts;
        self.first_frame =
            if self.needs_rts { frames.control.rts } else { frames.prelude + frames.airtime };
        self.usage.attempts += 1;
    }

    /// It is done with its packet, which the caller takes out. Returns the backoff that follows.
    #[inline(always)]
    pub(super) fn complete(&mut self, status: TxStatus) -> u32 {
        match status {
            TxStatus::Delivered => self.usage.delivered += 1,
            TxStatus::Dropped => self.usage.dropped += 1,
        }
        self.backoff.reset();
        (self.short_retries, self.long_retries) = (0, 0);
        self.backoff.draw()
    }

    /// The MAC of an access point, which has no packet, takes a broadcast frame. Broadcast frames have their own
    /// link.
    pub(super) fn load_broadcast(&mut self, link: usize, frame: Taken) {
        self.packet = Some(frame.packet);
        (self.to, self.station, self.link) = (NodeId::BROADCAST, NodeId::BROADCAST, link);
        self.bytes = frame.bytes;
        self.received = false;
        self.needs_rts = false;
    }

    /// Whether it has a broadcast frame to send.
    pub(super) fn has_broadcast(&self) -> bool {
        self.packet.is_some() && self.to == NodeId::BROADCAST
    }

    /// Takes the packet out, for a frame that goes before it. Its retries stay counted here.
    pub(super) fn suspend(&mut self) -> Option<Suspended> {
        let &mut Self { to, station, link, bytes, received, needs_rts, .. } = self;
        let packet = self.packet.take()?;
        Some(Suspended { packet, to, station, link, bytes, received, needs_rts })
    }

    /// Goes on with a suspended packet.
    pub(super) fn resume(&mut self, suspended: Suspended) {
        let Suspended { packet, to, station, link, bytes, received, needs_rts } = suspended;
        self.packet = Some(packet);
        (self.to, self.station, self.link) = (to, station, link);
        (self.bytes, self.received, self.needs_rts) = (bytes, received, needs_rts);
    }
}

/// A packet of a MAC that sends another frame first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    packet: PacketId,
    to: NodeId,
    station: NodeId,
    link: usize,
    bytes: u32,
    received: bool,
    needs_rts: bool,
}

/// What an access point has to send because of its beacons.
#[derive(Debug, Default)]
pub(super) struct Beacons {
    /// A beacon that waits for the end of an attempt.
    pub(super) next: Option<Taken>,
    /// The packet that waits for a beacon to be sent.
    pub(super) suspended: Option<Suspended>,
}
