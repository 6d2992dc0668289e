//! The beacons of access points: those that wait and those on the air, and what is counted of them.

use super::config::BEACON;
use super::mac::{Mac, PER_NODE};
use crate::medium::wlan::contention::{Backoff, ContenderId};
use crate::medium::{Airtime, PacketId, PhyMode, Taken};
use crate::packet::NodeId;
use crate::rng::{RngStream, StreamId};
use crate::time::Instant;

/// What access points have broadcast, and what is about to be.
#[derive(Debug)]
pub(super) struct Broadcasts {
    /// By access point: what it transmits next.
    pub(super) waiting: Vec<Option<Taken>>,
    /// Those of the present access.
    pub(super) on_air: Vec<Beacon>,
    /// By access point, of accesses that are over.
    pub(super) airtime: Vec<Airtime>,
    /// By node: the stations that decoded the last one that met no other frame.
    pub(super) decoded: Vec<bool>,
    pub(super) mode: PhyMode,
    /// The contenders from this one on are those of access points for their beacons.
    pub(super) first: ContenderId,
}

/// A beacon on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beacon {
    pub(super) from: NodeId,
    pub(super) packet: PacketId,
    pub(super) bytes: u32,
    pub(super) start: Instant,
    pub(super) end: Instant,
}

impl Broadcasts {
    /// Those of cells with these numbers of nodes and access points; beacons have this mode.
    pub(super) fn new(nodes: u32, access_points: usize, mode: PhyMode) -> Self {
        Self {
            waiting: vec![None; access_points],
            on_air: Vec::new(),
            airtime: vec![Airtime::default(); access_points],
            decoded: vec![false; nodes as usize],
            mode,
            first: ContenderId(PER_NODE * nodes),
        }
    }

    /// The contenders for beacons.
    pub(super) fn contenders(&self, seed: u64) -> impl Iterator<Item = Mac> {
        let first = self.first.0;
        (first..first + self.waiting.len() as u32).map(move |contender| Mac {
            queue: None,
            backoff: {
                let stream = RngStream::new(seed, StreamId::Backoff, contender.into());
                Backoff::new(BEACON.cw_min, BEACON.cw_max, stream)
            },
            retries: 0,
            aifsn: BEACON.aifsn,
            txop: BEACON.txop,
        })
    }
}
