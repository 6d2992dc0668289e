//! The channel of an 802.11 cell with EDCA, A-MPDUs and Block Ack, and the MAC of every node in it.
//!
//! **Rules** (IEEE 802.11-2020, clause 10; one collision domain: every node hears every other).
//! - A node has a contender for each of four access categories. AIFS, CWmin and CWmax belong to the category
//!   (10.23.2.2). All count on one grid of slots; `contention/` defines it, and when counters are decremented.
//! - A packet that arrives at an idle contender while the medium is idle, and after the post-backoff, is transmitted
//!   at the next slot boundary; one that arrives while the medium is busy waits for a backoff (10.23.2.2).
//! - Contenders of one node that reach 0 together collide internally: the highest category transmits, for the
//!   others this is a failure without a transmission (10.23.2.4).
//! - A PPDU has the MPDUs that are to be repeated for its receiver and category, in order of sequence number, then
//!   new ones, each with one packet or, as an A-MSDU, several, within the limits of the A-MPDU
//!   and the window of the Block Ack agreement (9.3.2.2.2, 9.7, 10.25.6). Its receiver answers after SIFS: a Block Ack, or an ACK of a single MPDU. Agreements are taken to be there.
//! - An access has one PPDU. With a TXOP limit the holder goes on SIFS after each response, as long as the next PPDU and
//!   its response end in time; a single MPDU may exceed the limit (10.23.2.8, 10.23.2.9). An RTS/CTS exchange goes
//!   before the first PPDU of an access if its PSDU exceeds the RTS threshold.
//! - The access has succeeded if the response is received. CW is then CWmin. What was acknowledged is done; other
//!   MPDUs are repeated.
//! - Otherwise CW doubles, and after as many failures in a row as the retry limit, with the next one, starts anew at
//!   CWmin. MPDUs under an agreement are repeated without a limit; others are dropped when they have been transmitted as
//!   often as the retry limit, which does not change CW (10.23.2.2).
//! - An A-MPDU without a Block Ack is repeated, or a BlockAckReq asks for the Block Ack in an access of its own.
//! - Nodes that have heard a frame that nobody decoded wait for EIFS - DIFS + AIFS. A receiver that decodes at least
//!   one MPDU of an A-MPDU answers, and then nobody waits for EIFS (10.3.2.3.7). A sender without a response waits
//!   for its timeout, SIFS + slot + aRxPHYStartDelay (10.3.2.11), and goes on at the next slot boundary.
//! - Beacons of an access point go before all else that it has to send: see [`broadcast`].
//! - With a lifetime, packets that are older are dropped: see [`lifetime`].
//! - A receiver passes packets on in order: what follows a gap is held back until the gap is filled, or the window
//!   moves past it (10.25.6.6). It has an MPDU with the symbol of its last bit, and passes it on, and
//!   what has waited for it, then.

mod a_msdu;
mod access;
mod access_usage;
mod aggregation;
mod agreement;
mod airtime;
mod beacons;
mod broadcast;
mod config;
mod events;
mod heard;
mod lifetime;
mod mac;
mod observed;
mod outcome;
mod state;
mod supply;
#[cfg(test)]
mod tests;

pub use access_usage::AccessUsage;
pub use aggregation::{AMpduConfig, AMpduLimit, AMsduLimit, Aggregation, AggregationConfig};
pub use config::{
    AccessParameters, AccessRules, BlockAckRecovery, EDCA_2020, EDCA_NS3, EDCA_WMM,
    EDCA_WMM_ACCESS_POINT, EdcaConfig, EdcaNode, EdcaParameters,
};
pub use state::Edca;

use state::Phase;

use crate::medium::{AirUsage, CellContext, Listening, Medium, Reception, Setup, Taken, TxQueueId};
use crate::packet::NodeId;
use crate::time::{Duration, Instant};

impl Medium for Edca {
    fn setup(&self) -> &Setup {
        &self.setup
    }

    #[inline(always)]
    fn is_idle(&self, queue: TxQueueId) -> bool {
        self.macs[self.contender_with(queue).index()].queue.is_none()
    }

    fn wake(
        &mut self,
        now: Instant,
        queue: TxQueueId,
        arrived: Option<Taken>,
        cell: &mut impl CellContext,
    ) {
        let contender = self.contender_with(queue);
        if self.macs[contender.index()].queue.is_some() {
            return;
        }
        let has_frame = match arrived {
            Some(taken) => {
                let agreement = &mut self.agreements[queue.0 as usize];
                agreement.push(taken, &mut self.amsdus);
                self.macs[contender.index()].queue = Some(queue);
                true
            }
            None => self.load(now, contender, cell),
        };
        // A contender draws its backoff when its TXOP has ended.
        if has_frame && self.phase != Phase::Ending(contender) {
            self.contend(now, contender);
        }
    }

    fn listen(&mut self, to: Listening) {
        self.listening = self.listening.max(to);
    }

    fn poll_at(&self) -> Instant {
        self.passed_on.last().map_or(self.due, |(at, _)| *at)
    }

    #[inline(always)]
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        loop {
            // They come before the end of their PPDU.
            let next = self.passed_on.last().copied();
            if next.map_or(self.due, |(at, _)| at) >= limit.min(cell.wake_at()) {
                return None;
            }
            if let Some((at, packet)) = next {
                self.passed_on.pop();
                return Some(self.reception(at, packet));
            }
            let now = self.due;
            match self.phase {
                Phase::Idle { grid } => match self.next_access {
                    None => self.schedule_access(grid),
                    Some(boundary) if self.listening == Listening::Everything => {
                        self.begin_announced(grid, boundary, cell);
                    }
                    Some(boundary) => self.begin(now, boundary, cell),
                },
                Phase::Sending => self.respond(now),
                Phase::Responding => self.end_response(now, cell),
                Phase::Failing => self.fail(now, cell),
                Phase::Broadcasting => self.end_beacon(now, cell),
                Phase::Ending(contender) => {
                    let has_frame = self.macs[contender.index()].queue.is_some();
                    self.end_txop(contender, has_frame);
                }
            }
        }
    }

    fn usage(&self, now: Instant, node: NodeId) -> AirUsage {
        AirUsage { airtime: self.airtime(now, node), ..self.usage[node.index()] }
    }

    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration {
        self.airtime_of_traffic(now, node)
    }
}
