//! What base station and station keep for one station.

use super::connection::Connection;
use super::request::Request;
use crate::delays::Delays;
use crate::medium::{Airtime, QueueLayout};
use crate::packet::{Direction, NodeId};
use crate::time::Duration;
use crate::units::Rate;

/// One station, and the base station's side of it.
#[derive(Debug)]
pub(super) struct Station {
    pub(super) node: NodeId,
    /// The rate of its bursts in both directions.
    pub(super) rate: Rate,
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

/// What became of SDUs that have left their queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SduCounts {
    /// Received.
    pub delivered: u64,
    /// Lost with a PDU on the air.
    pub lost: u64,
    /// Dropped with a bandwidth request that was given up.
    pub given_up: u64,
}

impl Station {
    /// Station number `index`, the first being 0.
    pub(super) fn new(layout: QueueLayout, index: usize, rate: Rate, seed: u64) -> Self {
        let node = NodeId(index as u32 + 1);
        let side = |from, to| Side {
            connection: Connection::new(layout.queue(from, to, 0)),
            pdus: 0,
            sdus: SduCounts::default(),
            airtime: Airtime::default(),
        };
        Self {
            node,
            rate,
            down: side(NodeId::ACCESS_POINT, node),
            up: side(node, NodeId::ACCESS_POINT),
            outstanding: 0,
            request: Request::new(seed, index as u64),
            attempts: 0,
            collisions: 0,
            grant_delays: Delays::default(),
        }
    }

    #[inline(always)]
    pub(super) fn side(&mut self, direction: Direction) -> &mut Side {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }

    /// Transmitting and receiving node of `direction`.
    #[inline(always)]
    pub(super) fn ends(&self, direction: Direction) -> (NodeId, NodeId) {
        match direction {
            Direction::Down => (NodeId::ACCESS_POINT, self.node),
            Direction::Up => (self.node, NodeId::ACCESS_POINT),
        }
    }
}

impl std::ops::AddAssign for SduCounts {
    fn add_assign(&mut self, other: Self) {
        self.delivered += other.delivered;
        self.lost += other.lost;
        self.given_up += other.given_up;
    }
}

/// A burst of the frame under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Its station.
    pub station: NodeId,
    /// Its direction.
    pub direction: Direction,
    /// Its first data symbol, counted from the start of the subframe.
    pub first_symbol: u32,
    /// Data symbols.
    pub symbols: u32,
    /// Bytes of its PDUs; the rest is padding.
    pub bytes: u32,
    /// Number of PDUs.
    pub pdus: u32,
    /// Bytes of corrupted PDUs.
    pub corrupted_bytes: u32,
}

impl Burst {
    /// Adds what has been transmitted after `elapsed` of `total` to `airtime`. `capacity` is the burst's
    /// size in bytes.
    pub(super) fn add_to(&self, airtime: &mut Airtime, elapsed: Duration, capacity: u32) {
        if self.corrupted_bytes == 0 {
            airtime.successes += elapsed;
            return;
        }
        let corrupted = elapsed * u64::from(self.corrupted_bytes) / u64::from(capacity);
        airtime.corrupted += corrupted;
        airtime.successes += elapsed - corrupted;
    }
}
