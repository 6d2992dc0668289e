//! The channel of one 802.11 cell and the MAC of every node in it. `attempt.rs` has the frames of
//! an attempt and what follows from a failure.
//!
//! **Rules** (IEEE 802.11-2007, clause 9.2; one collision domain: every node hears every other).
//! - A node whose packet arrives while the medium is idle, and whose post-backoff is over, transmits
//!   at the next slot boundary (immediate access, 9.2.5.1). A packet that arrives while the medium is
//!   busy waits for a backoff. `contention/mod.rs` defines slots, freezing and who may use slot 0.
//! - A backoff is uniform on 0..=CW. CW starts at CWmin, becomes 2 CW + 1 (at most CWmax) after each
//!   failed attempt, and CWmin again after a success or a drop (9.2.4). Every packet, whether
//!   delivered or dropped, is followed by a post-backoff (9.2.5.2).
//! - A data frame is acknowledged after SIFS. Frames longer than the RTS threshold follow an RTS/CTS
//!   exchange. Nodes that hear an exchange are silent until its end (NAV).
//! - A sender that gets no response waits SIFS + slot + aPHY-RX-START-Delay after its frame (9.2.8) and
//!   then starts its backoff. The DIFS of idle medium that must precede a backoff slot (9.2.5.2) has
//!   passed by then, or passes after the end of the longest frame.
//! - All other nodes have heard a frame that they could not decode, and wait EIFS from its end
//!   (9.2.3.4) instead of DIFS. A corrupted frame is taken to be undecodable for all listeners; a
//!   listener resets the NAV of an RTS whose CTS it could not decode (permitted by 9.2.5.4). The
//!   sender of the shorter frame in a collision was transmitting when the longer frame began, and so
//!   has not detected a frame: it waits for its response timeout and a DIFS, not for an EIFS.
//! - A sender that receives a corrupted CTS or ACK, too, waits EIFS from its end, and has failed
//!   (9.2.8). The node that transmitted this frame waits DIFS. A data frame that is retransmitted
//!   because its ACK was lost is acknowledged again, but delivered once (9.2.9).
//! - Retry limits count attempts (9.2.5.3): the short one those of RTS frames and of frames without
//!   RTS, the long one those of data frames after RTS/CTS. A packet is dropped at its limit.
//!
//! The consequences of a failed attempt (drop, new backoff) are applied when the medium becomes idle.
//! This is indistinguishable from doing so at the response timeout, because no node can transmit in
//! between.
//!
//! A MAC takes its next packet as soon as it is done with the last one, before it contends: an 802.11
//! interface without aggregation holds one packet while it waits for access.

mod airtime;
mod attempt;
mod beacon;
mod events;
mod exchange;
mod link;
mod mac;
mod observed;
mod state;

pub use state::Dcf;

use exchange::{ExchangeFrame, Failure};
use mac::{contender_of, node_of};
use state::{Phase, take_next};

use crate::medium::{
    AirUsage, Broadcast, CellContext, Listening, Medium, Outcome, Reception, Setup, Taken,
    TxQueueId, TxStatus,
};
use crate::packet::{AccessCategory, NodeId};
use crate::time::{Duration, Instant};

impl Dcf {
    /// The transmissions of slot boundary `boundary`, which is `now`.
    #[inline(always)]
    fn begin(&mut self, now: Instant, boundary: u64, cell: &mut impl CellContext) {
        let Self { macs, transmitters, .. } = self;
        transmitters.clear();
        let transmit = |contender| transmitters.push(node_of(contender));
        let draw = |contender| macs[node_of(contender).index()].backoff.draw();
        self.contention.seize(boundary, transmit, draw);
        if self.transmitters.len() > 1 {
            self.transmitters.sort_unstable();
        }
        match self.transmitters[..] {
            [node] => self.send(now, node, cell),
            _ => self.collide(now),
        }
    }

    /// As [`Dcf::begin`], in an idle period that began at `grid`, and announces the access.
    #[cold]
    #[inline(never)]
    fn begin_announced(&mut self, grid: Instant, boundary: u64, cell: &mut impl CellContext) {
        let (now, idle) = (self.due, self.idle_before(grid, boundary));
        self.begin(now, boundary, cell);
        self.announce(&idle, now, cell);
    }

    /// The node that transmits from `queue`.
    #[inline(always)]
    fn sender(&self, queue: TxQueueId) -> NodeId {
        self.setup.layout.sender(&self.setup.associations, queue)
    }

    /// Looks up the next access.
    fn schedule_access(&mut self, grid: Instant) {
        self.next_access = self.contention.next_access();
        self.due = match self.next_access {
            Some(boundary) => grid + self.config.phy.slot * boundary,
            None => Instant::NEVER,
        };
    }

    /// The exchange of `node` has succeeded: the medium becomes idle, and `node` takes its next packet.
    /// Has the effect of [`Dcf::finish`] and [`Dcf::fetch`]: the backoff that follows an exchange is also
    /// that of a packet that already waits (9.2.5.2).
    #[inline(always)]
    fn succeed(&mut self, now: Instant, node: NodeId, cell: &mut impl CellContext) {
        self.become_idle(0);
        let mac = &mut self.macs[node.index()];
        let backoff = mac.complete(TxStatus::Delivered);
        cell.fill(now, node, AccessCategory::BestEffort);
        if let Some(packet) = mac.packet.take() {
            cell.release(now, packet, TxStatus::Delivered);
        }
        let next = take_next(now, node, cell);
        if let Some(packet) = next {
            mac.load(&self.config, node, packet);
        }
        self.contention.back_off(contender_of(node), 0, backoff, next.is_some());
    }
}

impl Medium for Dcf {
    fn setup(&self) -> &Setup {
        &self.setup
    }

    #[inline(always)]
    fn is_idle(&self, queue: TxQueueId) -> bool {
        self.macs[self.sender(queue).index()].packet.is_none()
    }

    #[inline(always)]
    fn wake(
        &mut self,
        now: Instant,
        queue: TxQueueId,
        arrived: Option<Taken>,
        cell: &mut impl CellContext,
    ) {
        if self.is_idle(queue) {
            let node = self.sender(queue);
            match arrived {
                Some(packet) => self.load(now, node, packet),
                None => self.fetch(now, node, cell),
            }
        }
    }

    fn listen(&mut self, to: Listening) {
        self.listening = self.listening.max(to);
        self.reports |= to >= Listening::Outcomes;
    }

    fn poll_at(&self) -> Instant {
        self.due
    }

    #[inline(always)]
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        let mut limit = limit.min(cell.wake_at());
        while self.due < limit {
            let now = self.due;
            match self.phase {
                Phase::Idle { grid } => {
                    if self.next_access.is_none() {
                        self.schedule_access(grid);
                    }
                    let boundary = self.next_access.filter(|_| self.due < limit)?;
                    if self.listening == Listening::Everything {
                        self.begin_announced(grid, boundary, cell);
                    } else {
                        self.begin(self.due, boundary, cell);
                    }
                }
                Phase::Sending => {
                    let from = self.transmitters[0];
                    self.phase = match self.exchange.acknowledged {
                        true => Phase::Acknowledging,
                        false => Phase::Failing(Failure::Corrupted(ExchangeFrame::Ack)),
                    };
                    self.due = self.exchange.ack_end;
                    let mac = &self.macs[from.index()];
                    if let Some(packet) = mac.packet {
                        let mode = self.exchange.mode;
                        return Some(Reception { at: now, packet, from, to: mac.to, mode });
                    }
                }
                Phase::Acknowledging => {
                    let node = self.transmitters[0];
                    if self.reports {
                        let airtime = now.since(self.exchange.start);
                        self.end_attempt(now, node, airtime, true, Outcome::Delivered, cell);
                    }
                    if self.has_beacons {
                        self.succeed_among_beacons(now, node, cell);
                    } else {
                        self.succeed(now, node, cell);
                    }
                    limit = limit.min(cell.wake_at());
                }
                Phase::Failing(failure) => {
                    self.fail(now, failure, cell);
                    limit = limit.min(cell.wake_at());
                }
            }
        }
        None
    }

    fn usage(&self, now: Instant, node: NodeId) -> AirUsage {
        AirUsage { airtime: self.airtime(now, node), ..self.macs[node.index()].usage }
    }

    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration {
        self.airtime_of_traffic(now, node)
    }
}

impl Broadcast for Dcf {
    fn broadcast(&mut self, now: Instant, from: NodeId, frame: Taken, cell: &mut impl CellContext) {
        self.send_next(now, from, frame, cell);
    }
}
