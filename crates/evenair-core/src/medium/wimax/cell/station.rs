//! What base station and station keep for one station.

use super::connection::Connection;
use super::counts::SduCounts;
use crate::delays::Delays;
use crate::medium::wimax::request::Request;
use crate::medium::{Airtime, LinkId, PhyMode, TxQueueId};
use crate::packet::{Direction, NodeId};

/// One station, and the base station's side of it.
#[derive(Debug)]
pub(super) struct Station {
    pub(super) node: NodeId,
    /// The mode of its bursts in both directions.
    pub(super) mode: PhyMode,
    pub(super) down: Side,
    pub(super) up: Side,
    /// Bytes that it has requested and not been granted, as far as the base station knows.
    pub(super) outstanding: u32,
    pub(super) request: Request,
    /// Requests sent, and those that collided.
    pub(super) attempts: u64,
    pub(super) collisions: u64,
    /// From request to grant.
    pub(super) grant_delays: Delays,
}

/// One direction.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) connection: Connection,
    pub(super) pdus: u64,
    pub(super) sdus: SduCounts,
    /// Bursts of past frames.
    pub(super) airtime: Airtime,
}

impl Station {
    /// Station number `index`, the first being 0.
    pub(super) fn new(index: usize, mode: PhyMode, seed: u64) -> Self {
        let node = NodeId(index as u32 + 1);
        let side = |direction| Side {
            connection: Connection::new(TxQueueId(LinkId::new(index as u32, direction).0)),
            pdus: 0,
            sdus: SduCounts::default(),
            airtime: Airtime::default(),
        };
        Self {
            node,
            mode,
            down: side(Direction::Down),
            up: side(Direction::Up),
            outstanding: 0,
            request: Request::new(seed, index as u64),
            attempts: 0,
            collisions: 0,
            grant_delays: Delays::default(),
        }
    }

    pub(super) fn side(&mut self, direction: Direction) -> &mut Side {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }

    /// Transmitting and receiving node of `direction`.
    pub(super) fn ends(&self, direction: Direction) -> (NodeId, NodeId) {
        match direction {
            Direction::Down => (NodeId::ACCESS_POINT, self.node),
            Direction::Up => (self.node, NodeId::ACCESS_POINT),
        }
    }
}
