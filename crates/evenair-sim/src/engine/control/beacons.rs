//! When the access point is to send a beacon.

use evenair_core::control::{Config, cot::BeaconElement};
use evenair_core::medium::wlan::beacon_bytes;
use evenair_core::packet::{FlowId, NodeId, Packet, PacketKind};
use evenair_core::time::{Duration, Instant};

use crate::scenario::{Cell, Scenario};

/// The beacons of a cell.
#[derive(Debug)]
pub(crate) struct Beacons {
    /// Time between two target beacon transmission times; the first is one interval after the start.
    pub(crate) interval: Duration,
    /// Bytes of a frame.
    bytes: u32,
    /// How many there have been.
    number: u64,
}

impl Beacons {
    /// Those of `scenario`, if its cell has any.
    pub(crate) fn new(scenario: &Scenario) -> Option<Self> {
        let Cell::Wlan(cell) = &scenario.cell else { return None };
        let interval = cell.beacon_interval.duration()?;
        let element = match cell.controller {
            Config::None(_) => 0,
            Config::Cot(_) => BeaconElement::BYTES,
        };
        Some(Self { interval, bytes: beacon_bytes(cell.phy) + element, number: 0 })
    }

    /// The next beacon, at its target beacon transmission time. Its sequence number counts them.
    pub(crate) fn next_frame(&mut self, now: Instant) -> Packet {
        self.number += 1;
        Packet {
            seq: self.number,
            station: NodeId::BROADCAST,
            size: self.bytes,
            enqueued_at: now,
            ..Packet::new(FlowId::NONE, PacketKind::Beacon)
        }
    }
}
