//! Beacons: broadcast frames of the access point.
//!
//! A beacon is the next frame that the access point transmits (IEEE 802.11-2007 11.1.2.1), before packets
//! that wait and before the retry of a packet. It takes part in contention like any frame: with the backoff
//! of the packet that it goes before, or as a packet would that arrives at its time. It has no RTS, no
//! acknowledgement and no retry. After it CW is CWmin (9.2.4: a group address resets the station's retry
//! counts, on which CW depends), while the retries of a suspended packet stay counted.
//!
//! A frame that meets it is lost to all, and so is the beacon. Otherwise loss models and channels of the links
//! decide for each station whether it has decoded the beacon, as a frame that carries no data. A station
//! that has not does not wait EIFS: contention has one deferral for all listeners.

use super::exchange::Exchange;
use super::mac::contender_of;
use super::state::{Dcf, Phase};
use crate::loss::FrameKind;
use crate::medium::{CellContext, Taken, Transmission, TxStatus};
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};

const AP: NodeId = NodeId::ACCESS_POINT;

impl Dcf {
    /// The access point is to send `beacon` next.
    pub(super) fn send_next(&mut self, now: Instant, beacon: Taken, cell: &mut impl CellContext) {
        self.has_beacons = true;
        let idle = matches!(self.phase, Phase::Idle { .. });
        let replaced = if !idle && self.transmitters.contains(&AP) {
            self.next_beacon.replace(beacon).map(|old| old.packet)
        } else if self.macs[AP.index()].has_broadcast() {
            let mac = &mut self.macs[AP.index()];
            let old = mac.packet.take();
            mac.load_broadcast(beacon);
            old
        } else {
            let mac = &mut self.macs[AP.index()];
            self.suspended = mac.suspend();
            mac.load_broadcast(beacon);
            if self.suspended.is_none() {
                self.contend(now, AP);
            }
            None
        };
        if let Some(packet) = replaced {
            cell.release(now, packet, TxStatus::Dropped);
        }
    }

    /// The access point transmits a beacon, alone.
    #[cold]
    pub(super) fn send_beacon(&mut self, start: Instant, cell: &mut impl CellContext) {
        let (airtime, rate) = self.begin_beacon(start);
        let end = start + airtime;
        self.links[AP.index()][0].airtime.successes += airtime;
        self.exchange = Exchange::of_broadcast(start, end, rate);
        let (kind, direction) = (FrameKind::Control, Direction::Down);
        let bytes = self.macs[AP.index()].bytes;
        for station in (1..self.nodes()).map(NodeId) {
            let frame = Transmission { kind, at: end, station, direction, rate, bytes };
            let may_be_lost = self.has_channels || cell.no_loss_before(station) <= end;
            self.decoded[station.index()] = !may_be_lost || !self.is_corrupted(&frame, cell);
        }
        self.phase = Phase::Sending;
        self.due = end;
    }

    /// The access point's beacon meets another frame. Returns its airtime.
    #[cold]
    pub(super) fn collide_with_beacon(&mut self, now: Instant) -> Duration {
        let (airtime, _) = self.begin_beacon(now);
        self.links[AP.index()][0].airtime.collisions += airtime;
        airtime
    }

    /// Airtime and rate of the beacon that the access point begins.
    fn begin_beacon(&mut self, now: Instant) -> (Duration, crate::units::Rate) {
        let mac = &mut self.macs[AP.index()];
        let frames = self.links[AP.index()][0].attempt(&self.config, now, mac.bytes);
        mac.first_frame = frames.airtime;
        (frames.airtime, frames.rate)
    }

    /// The attempt of `node` has succeeded: as [`Dcf::succeed`], where `node` may have sent a beacon, or has
    /// to send one next.
    #[inline(never)]
    pub(super) fn succeed_among_beacons(
        &mut self,
        now: Instant,
        node: NodeId,
        cell: &mut impl CellContext,
    ) {
        self.become_idle(0);
        if self.macs[node.index()].has_broadcast() {
            self.finish_beacon(now, TxStatus::Delivered, cell);
        } else {
            self.finish(now, node, 0, TxStatus::Delivered, cell);
        }
        self.load_next(now, node, cell);
    }

    /// The access point is done with its beacon and draws a backoff, which counts from boundary 0: it
    /// expects no response. A suspended packet, or the next beacon, takes its place.
    pub(super) fn finish_beacon(
        &mut self,
        now: Instant,
        status: TxStatus,
        cell: &mut impl CellContext,
    ) {
        let mac = &mut self.macs[AP.index()];
        if let Some(packet) = mac.packet.take() {
            cell.release(now, packet, status);
        }
        if let Some(next) = self.next_beacon.take() {
            mac.load_broadcast(next);
        } else if let Some(suspended) = self.suspended.take() {
            mac.resume(suspended);
        }
        mac.backoff.reset();
        let backoff = mac.backoff.draw();
        self.contention.back_off(contender_of(AP), 0, backoff, mac.packet.is_some());
    }

    /// `node`, which has failed and backs off, lets a beacon that waits go first.
    pub(super) fn send_beacon_before_retry(&mut self, node: NodeId) {
        if node == AP
            && let Some(beacon) = self.next_beacon.take()
        {
            let mac = &mut self.macs[AP.index()];
            self.suspended = mac.suspend();
            mac.load_broadcast(beacon);
        }
    }

    /// The MAC of `node`, unless it has a frame to send, takes a beacon that waits or the next packet.
    pub(super) fn load_next(&mut self, now: Instant, node: NodeId, cell: &mut impl CellContext) {
        if self.macs[node.index()].packet.is_some() {
            return;
        }
        match self.next_beacon.take_if(|_| node == AP) {
            Some(beacon) => {
                self.macs[AP.index()].load_broadcast(beacon);
                self.contend(now, AP);
            }
            None => self.fetch(now, node, cell),
        }
    }
}
