//! Beacons: broadcast frames of an access point for the stations of its cell.
//!
//! A beacon is the next frame that its access point transmits (IEEE 802.11-2007 11.1.2.1), before packets
//! that wait and before the retry of a packet. It takes part in contention like any frame: with the backoff
//! of the packet that it goes before, or as a packet would that arrives at its time. It has no RTS, no
//! acknowledgement and no retry. After it CW is CWmin (9.2.4: a group address resets the station's retry
//! counts, on which CW depends), while the retries of a suspended packet stay counted.
//!
//! A frame that meets it is lost to all, and so is the beacon. Otherwise loss models and channels of the links
//! decide for each station of the cell whether it has decoded the beacon, as a frame that carries no data. A station
//! that has not does not wait EIFS: contention has one deferral for all listeners.

use super::exchange::Exchange;
use super::mac::{Beacons, Mac, contender_of};
use super::state::{Dcf, Phase};
use crate::loss::FrameKind;
use crate::medium::{CellContext, PhyMode, Taken, Transmission, TxStatus};
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};

impl Dcf {
    /// The access point `ap` is to send `beacon` next.
    pub(super) fn send_next(
        &mut self,
        now: Instant,
        ap: NodeId,
        beacon: Taken,
        cell: &mut impl CellContext,
    ) {
        self.has_beacons = true;
        let idle = matches!(self.phase, Phase::Idle { .. });
        let transmits = !idle && self.transmitters.contains(&ap);
        let Some((link, mac, beacons)) = self.beacons_of(ap) else { return };
        let replaced = if transmits {
            beacons.next.replace(beacon).map(|old| old.packet)
        } else if mac.has_broadcast() {
            let old = mac.packet.take();
            mac.load_broadcast(link, beacon);
            old
        } else {
            beacons.suspended = mac.suspend();
            mac.load_broadcast(link, beacon);
            if beacons.suspended.is_none() {
                self.contend(now, ap);
            }
            None
        };
        if let Some(packet) = replaced {
            cell.release(now, packet, TxStatus::Dropped);
        }
    }

    /// The access point `ap` transmits a beacon, alone.
    #[cold]
    pub(super) fn send_beacon(&mut self, start: Instant, ap: NodeId, cell: &mut impl CellContext) {
        let (airtime, mode) = self.begin_beacon(start, ap);
        let end = start + airtime;
        self.link_mut(ap).airtime.successes += airtime;
        self.exchange = Exchange::of_broadcast(start, end, mode);
        let (kind, direction) = (FrameKind::Control, Direction::Down);
        let bytes = self.macs[ap.index()].bytes;
        for i in 0..self.setup.associations.stations().len() {
            let station = self.setup.associations.stations()[i];
            if self.setup.associations.access_point_of(station) != ap {
                continue;
            }
            let frame = Transmission { kind, at: end, station, direction, mode, bytes };
            let may_be_lost = self.has_channels || cell.no_loss_before(station) <= end;
            self.decoded[station.index()] = !may_be_lost || !self.is_corrupted(&frame, cell);
        }
        self.phase = Phase::Sending;
        self.due = end;
    }

    /// The beacon of `ap` meets another frame.
    #[cold]
    pub(super) fn collide_with_beacon(&mut self, now: Instant, ap: NodeId) {
        let (airtime, _) = self.begin_beacon(now, ap);
        self.link_mut(ap).airtime.collisions += airtime;
    }

    /// Airtime and mode of the beacon that `ap` begins.
    fn begin_beacon(&mut self, now: Instant, ap: NodeId) -> (Duration, PhyMode) {
        let mac = &mut self.macs[ap.index()];
        let link = &mut self.links[mac.link];
        let frames = link.attempt(&self.config, &self.setup.modes, now, mac.bytes);
        mac.first_frame = frames.airtime;
        (frames.airtime, frames.mode)
    }

    /// The place of the link of the beacons of `node`, its MAC, and what it has to send because of them; `None`
    /// of a station.
    fn beacons_of(&mut self, node: NodeId) -> Option<(usize, &mut Mac, &mut Beacons)> {
        let link = self.beacon_link(node)?;
        let number = self.setup.associations.number(node) as usize;
        Some((link, &mut self.macs[node.index()], &mut self.beacons[number]))
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
            self.finish_beacon(now, node, TxStatus::Delivered, cell);
        } else {
            self.finish(now, node, 0, TxStatus::Delivered, cell);
        }
        self.load_next(now, node, cell);
    }

    /// The access point `ap` is done with its beacon and draws a backoff, which counts from boundary 0: it
    /// expects no response. A suspended packet, or the next beacon, takes its place.
    pub(super) fn finish_beacon(
        &mut self,
        now: Instant,
        ap: NodeId,
        status: TxStatus,
        cell: &mut impl CellContext,
    ) {
        let Some((link, mac, beacons)) = self.beacons_of(ap) else { return };
        if let Some(packet) = mac.packet.take() {
            cell.release(now, packet, status);
        }
        if let Some(next) = beacons.next.take() {
            mac.load_broadcast(link, next);
        } else if let Some(suspended) = beacons.suspended.take() {
            mac.resume(suspended);
        }
        mac.backoff.reset();
        let (backoff, has_frame) = (mac.backoff.draw(), mac.packet.is_some());
        self.contention.back_off(contender_of(ap), 0, backoff, has_frame);
    }

    /// `node`, which has failed and backs off, lets a beacon that waits go first.
    pub(super) fn send_beacon_before_retry(&mut self, node: NodeId) {
        if let Some((link, mac, beacons)) = self.beacons_of(node)
            && let Some(beacon) = beacons.next.take()
        {
            beacons.suspended = mac.suspend();
            mac.load_broadcast(link, beacon);
        }
    }

    /// The MAC of `node`, unless it has a frame to send, takes a beacon that waits or the next packet.
    pub(super) fn load_next(&mut self, now: Instant, node: NodeId, cell: &mut impl CellContext) {
        if self.macs[node.index()].packet.is_some() {
            return;
        }
        if let Some((link, mac, beacons)) = self.beacons_of(node)
            && let Some(beacon) = beacons.next.take()
        {
            mac.load_broadcast(link, beacon);
            self.contend(now, node);
        } else {
            self.fetch(now, node, cell);
        }
    }
}
