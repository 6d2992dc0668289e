//! The packets of a cell.

use crate::packet::{AccessCategory, NodeId, Packet};
use crate::queue::QueueItem;
use crate::time::Instant;

/// A packet that can cross a cell. Its copies stand for the same data.
pub trait CellPacket: QueueItem + Clone {
    /// The end of its link that is not the access point.
    fn station(&self) -> NodeId;

    /// The access category in which it is transmitted.
    fn access_category(&self) -> AccessCategory;

    /// The packet for its receiver. The sender's MAC keeps a copy until it is done with it.
    #[inline(always)]
    fn receive(&mut self) -> Self {
        self.clone()
    }

    /// The sender's MAC is done with it. Returns whether it is known that nobody has received it.
    #[inline(always)]
    fn release(&mut self) -> bool {
        false
    }
}

impl CellPacket for Packet {
    #[inline(always)]
    fn station(&self) -> NodeId {
        self.station
    }

    #[inline(always)]
    fn access_category(&self) -> AccessCategory {
        self.category
    }
}

/// A packet that has crossed the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<P> {
    /// When.
    pub at: Instant,
    /// The node that transmitted it.
    pub from: NodeId,
    /// The node that received it.
    pub to: NodeId,
    /// The packet.
    pub packet: P,
    /// The MAC has delivered it, but a loss model of level [`Level::Ip`](crate::loss::Level::Ip) discards it: it may be
    /// captured, and goes no further.
    pub lost: bool,
}
