//! The MAC of one node: the packet that it sends, its backoffs and retries.

use super::exchange::Frames;
use crate::medium::wlan::config::DcfConfig;
use crate::medium::wlan::contention::{Backoff, ContenderId};
use crate::medium::{AirUsage, PacketId, Taken, TxStatus};
use crate::packet::NodeId;
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
            to: NodeId::ACCESS_POINT,
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

    /// The MAC, which has no packet, has taken one.
    #[inline(always)]
    pub(super) fn load(&mut self, config: &DcfConfig, taken: Taken) {
        self.bytes = taken.bytes + config.mac_overhead;
        self.packet = Some(taken.packet);
        self.received = false;
        self.to = taken.to;
        self.needs_rts = config.rts_threshold.is_some_and(|threshold| self.bytes > threshold);
    }

    /// The link on which it, the MAC of `node`, transmits: the station, and 0 for down, 1 for up.
    #[inline(always)]
    pub(super) fn link_from(&self, node: NodeId) -> (NodeId, usize) {
        if node.is_access_point() { (self.to, 0) } else { (node, 1) }
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

    /// The MAC of the access point, which has no packet, takes a broadcast frame.
    pub(super) fn load_broadcast(&mut self, frame: Taken) {
        self.packet = Some(frame.packet);
        self.to = NodeId::BROADCAST;
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
        let &mut Self { to, bytes, received, needs_rts, .. } = self;
        self.packet.take().map(|packet| Suspended { packet, to, bytes, received, needs_rts })
    }

    /// Goes on with a suspended packet.
    pub(super) fn resume(&mut self, suspended: Suspended) {
        let Suspended { packet, to, bytes, received, needs_rts } = suspended;
        self.packet = Some(packet);
        (self.to, self.bytes, self.received, self.needs_rts) = (to, bytes, received, needs_rts);
    }
}

/// A packet of a MAC that sends another frame first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    packet: PacketId,
    to: NodeId,
    bytes: u32,
    received: bool,
    needs_rts: bool,
}
