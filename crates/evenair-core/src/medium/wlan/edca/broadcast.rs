//! Beacons: broadcast frames of an access point for the stations of its cell.
//!
//! An access point has a contender for its beacons, with AIFSN 1 and CW 0 (`BEACON`), above those of its
//! categories: a beacon follows PIFS after the medium has become idle, without a backoff. Categories of the access point
//! that reach 0 together with it collide internally. A beacon goes at the lowest basic rate, without RTS, acknowledgement and
//! retry; it does not interrupt a TXOP. A frame that meets it is lost to all, and so is the beacon.
//!
//! Loss models and channels of links decide for each station whether it has decoded the beacon, as a frame that carries no data.
//! A station that has not does not wait for EIFS, as with the DCF.

use super::beacons::{Beacon, Broadcasts};
use super::mac::{PER_NODE, node_of};
use super::state::{Edca, Fate, Phase};
use crate::loss::FrameKind;
use crate::medium::wlan::contention::ContenderId;
use crate::medium::{
    Airtime, Attempt, Broadcast, CellContext, Listening, Outcome, Taken, Transmission, TxStatus,
};
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};

impl Edca {
    /// Those of `reached`, which are in ascending order, that transmit beacons do so. Categories of the same access
    /// points collide internally.
    #[cold]
    pub(super) fn begin_beacons(&mut self, now: Instant) {
        while let Some(contender) = self.reached.pop_if(|last| *last >= self.broadcasts.first) {
            let number = (contender.0 - self.broadcasts.first.0) as usize;
            let from = self.setup.associations.access_points()[number];
            let Some(frame) = self.broadcasts.waiting[number].take() else { continue };
            let mode = self.setup.modes.vector(self.broadcasts.mode);
            let end = now + self.config.phy.airtime(frame.bytes, mode);
            let Taken { packet, bytes, .. } = frame;
            let beacon = Beacon { from, packet, bytes, start: now, end };
            self.broadcasts.on_air.push(beacon);
            let of_node = self.reached.extract_if(.., |other| node_of(*other) == from);
            self.collided.extend(of_node);
        }
    }

    /// Whether `reached`, which are in ascending order, has contenders with beacons.
    #[inline(always)]
    pub(super) fn has_beacons(&self) -> bool {
        self.reached.last().is_some_and(|last| *last >= self.broadcasts.first)
    }

    /// A beacon that meets no other frame.
    #[cold]
    pub(super) fn transmit_beacon(&mut self, beacon: Beacon, cell: &mut impl CellContext) {
        let (mode, at) = (self.broadcasts.mode, beacon.end);
        let associations = &self.setup.associations;
        for station in associations.stations_of(beacon.from) {
            let (kind, direction, bytes) = (FrameKind::Control, Direction::Down, beacon.bytes);
            let frame = Transmission { kind, at, station, direction, mode, bytes };
            let channel = self.channels[station.index()].as_deref_mut();
            // Both are asked, as of other frames.
            let by_channel = channel.map(|channel| channel.corrupts(&frame));
            let may_be_lost = by_channel.is_some() || cell.no_loss_before(station) <= at;
            let by_model = may_be_lost && cell.is_corrupted(&frame);
            let decoded = !by_model && by_channel != Some(true);
            self.broadcasts.decoded[station.index()] = decoded;
        }
        self.fate = Fate::Answered;
        (self.due, self.phase) = (at, Phase::Broadcasting);
        self.path = (beacon.from, NodeId::BROADCAST, mode);
        self.passed_on.push((at, beacon.packet));
    }

    /// The beacon that met no other frame has ended.
    #[cold]
    pub(super) fn end_beacon(&mut self, now: Instant, cell: &mut impl CellContext) {
        self.settle_airtime(now);
        self.become_idle(0);
        self.finish_beacons(now, Outcome::Delivered, cell);
    }

    /// The access points are done with their beacons. Nobody was to answer: they count from their AIFS on.
    #[cold]
    pub(super) fn finish_beacons(
        &mut self,
        now: Instant,
        outcome: Outcome,
        cell: &mut impl CellContext,
    ) {
        let collided = outcome != Outcome::Delivered;
        let status = if collided { TxStatus::Dropped } else { TxStatus::Delivered };
        while let Some(beacon) = self.broadcasts.on_air.pop() {
            let time = beacon.end.since(beacon.start);
            let contender = self.beacon_contender(beacon.from);
            let Broadcasts { waiting, airtime, first, .. } = &mut self.broadcasts;
            let number = (contender.0 - first.0) as usize;
            let has_frame = waiting[number].is_some();
            let of_fate = &mut airtime[number];
            *if collided { &mut of_fate.collisions } else { &mut of_fate.successes } += time;
            if collided {
                // It has heard nothing of the others' frames.
                for other in self.contenders_of(beacon.from).filter(|other| *other != contender) {
                    self.contention.exempt(other, 0);
                }
            }
            if self.listening >= Listening::Outcomes {
                let attempt = Attempt {
                    at: now,
                    packet: beacon.packet,
                    from: beacon.from,
                    station: NodeId::BROADCAST,
                    mode: None,
                    space: self.aifs(contender),
                    has_backoff: false,
                    backoff: Duration::ZERO,
                    airtime: time,
                    sent_data: true,
                    outcome,
                };
                cell.on_outcome(attempt, attempt.carried_alone());
            }
            cell.release(now, beacon.packet, status);
            let backoff = self.macs[contender.index()].restart();
            self.contention.back_off(contender, 0, backoff, has_frame);
        }
    }

    /// The contender for beacons of this access point.
    fn beacon_contender(&self, access_point: NodeId) -> ContenderId {
        ContenderId(self.broadcasts.first.0 + self.setup.associations.number(access_point))
    }

    /// The contenders of `node`, of an access point with that for its beacons.
    pub(super) fn contenders_of(&self, node: NodeId) -> impl Iterator<Item = ContenderId> + use<> {
        let categories = PER_NODE * node.0..PER_NODE * (node.0 + 1);
        let is_access_point = self.setup.associations.is_access_point(node);
        let beacons = is_access_point.then(|| self.beacon_contender(node));
        categories.map(ContenderId).chain(beacons)
    }

    /// The part of the airtime of `node` that its beacons have had by `now`.
    pub(super) fn airtime_of_beacons(&self, now: Instant, node: NodeId) -> Airtime {
        let associations = &self.setup.associations;
        if !associations.is_access_point(node) {
            return Airtime::default();
        }
        let mut airtime = self.broadcasts.airtime[associations.number(node) as usize];
        let present = self.present_beacon(now, node);
        let is_alone = self.fate != Fate::Collision;
        *if is_alone { &mut airtime.successes } else { &mut airtime.collisions } += present;
        airtime
    }

    /// How long the present beacon of `node` has been on the air by `now`.
    pub(super) fn present_beacon(&self, now: Instant, node: NodeId) -> Duration {
        let beacon = self.broadcasts.on_air.iter().find(|beacon| beacon.from == node);
        beacon.map_or(Duration::ZERO, |beacon| beacon.end.min(now).since(beacon.start))
    }
}

impl Broadcast for Edca {
    fn broadcast(&mut self, now: Instant, from: NodeId, frame: Taken, cell: &mut impl CellContext) {
        let number = self.setup.associations.number(from) as usize;
        let replaced = self.broadcasts.waiting[number].replace(frame);
        if let Some(old) = replaced {
            cell.release(now, old.packet, TxStatus::Dropped);
        } else if !self.broadcasts.on_air.iter().any(|beacon| beacon.from == from) {
            self.contend(now, self.beacon_contender(from));
        }
    }
}
