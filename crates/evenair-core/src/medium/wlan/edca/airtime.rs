//! How much of the air each node has used by some time.

use super::access_usage::AccessUsage;
use super::mac::{contender_of, node_of};
use super::state::{Edca, Fate, Phase, Sent};
use crate::medium::{Airtime, LinkId};
use crate::packet::{AccessCategory, NodeId};
use crate::time::{Duration, Instant};

impl Edca {
    /// Counts the access that ends at `now`.
    #[inline(always)]
    pub(super) fn settle_airtime(&mut self, now: Instant) {
        for place in 0..self.sent.len() {
            let sent = self.sent[place];
            let used = self.present(sent, now);
            let link = self.link_of(sent.queue).index();
            self.links[link].airtime += used;
            self.count_ppdu(sent, used);
        }
        let associations = &self.setup.associations;
        match self.sent[..] {
            [sent] if self.fate != Fate::Collision => {
                let (from, to) = associations.ends(self.link_of(sent.queue));
                let time = now.since(sent.start);
                self.traffic[from.index()] += time;
                self.traffic[to.index()] += time;
            }
            _ => self.settle_traffic(now),
        }
    }

    /// Counts the access of `sent`, which has ended, with the use of the air by it.
    #[inline(always)]
    fn count_ppdu(&mut self, sent: Sent, used: Airtime) {
        let link = &self.links[self.link_of(sent.queue).index()];
        let mpdus = sent.psdu.mpdus;
        let of_category = &mut self.access_usage[sent.contender.index()];
        of_category.airtime += used.total();
        if self.fate == Fate::Answered {
            let request = if mpdus == 0 { link.control.block_ack_req.time } else { Duration::ZERO };
            if mpdus != 1 {
                self.block_acks += request + link.control.block_ack.time;
            }
            if mpdus > 0 {
                self.preambles += link.preamble;
            }
        }
        if mpdus > 0 && sent.has_ppdu(self.fate) {
            let retried = self.agreements[sent.queue.0 as usize].transmitted(mpdus);
            of_category.ppdus += 1;
            of_category.mpdus += mpdus as u64;
            of_category.retried_mpdus += retried as u64;
            self.usage[node_of(sent.contender).index()].data_frames += mpdus as u64;
        }
    }

    /// The same of a beacon, or after a collision: what overlaps counts once.
    fn settle_traffic(&mut self, now: Instant) {
        for node in (0..self.setup.associations.nodes()).map(NodeId) {
            let time = self.present_traffic(now, node);
            self.traffic[node.index()] += time;
        }
    }

    /// How long the traffic of `node` in the present access has been on the air by `now`.
    fn present_traffic(&self, now: Instant, node: NodeId) -> Duration {
        let associations = &self.setup.associations;
        let is_of_it = |sent: &&Sent| {
            let (from, to) = associations.ends(self.link_of(sent.queue));
            from == node || to == node
        };
        let times = self.sent.iter().filter(is_of_it).map(|&sent| self.elapsed(sent, now));
        times.max().unwrap_or(Duration::ZERO).max(self.present_beacon(now, node))
    }

    /// The time since the start of `sent`, up to the end of its own frame in a collision.
    pub(super) fn elapsed(&self, sent: Sent, now: Instant) -> Duration {
        let end = if self.fate == Fate::Collision { sent.first_end.min(now) } else { now };
        end.since(sent.start)
    }

    /// Airtime of `sent`, of the present access, by `now`.
    fn present(&self, sent: Sent, now: Instant) -> Airtime {
        let time = self.elapsed(sent, now);
        let mut airtime = Airtime::default();
        match self.fate {
            Fate::Collision => airtime.collisions = time,
            Fate::NoCts | Fate::CorruptedCts | Fate::NoResponse | Fate::CorruptedResponse => {
                airtime.corrupted = time;
            }
            Fate::Answered => {
                airtime.successes = time;
                if sent.psdu.mpdus == 0 {
                    return airtime;
                }
                let link = &self.links[self.link_of(sent.queue).index()];
                let payloads = self.agreements[sent.queue.0 as usize].payloads();
                let decoded = payloads.zip(&self.decoded).filter(|(_, decoded)| **decoded);
                let bytes = decoded.map(|(bytes, _)| u64::from(bytes));
                // The payload ends with the PPDU.
                let payload = link.vector.rate.time_for(bytes.sum());
                airtime.payload = payload.saturating_sub(sent.end.since(now));
            }
        }
        airtime
    }

    /// Airtime of the PPDUs of `node` by `now`, with the responses to them.
    pub(super) fn airtime(&self, now: Instant, node: NodeId) -> Airtime {
        let mut airtime = self.airtime_of_beacons(now, node);
        for link in self.links_from(node) {
            airtime += self.links[link.index()].airtime;
        }
        if !matches!(self.phase, Phase::Idle { .. }) {
            for sent in self.sent.iter().filter(|sent| node_of(sent.contender) == node) {
                airtime += self.present(*sent, now);
            }
        }
        airtime
    }

    /// How long PPDUs of `node` and those for it have been on the air, with the responses; what overlaps counts once.
    pub(super) fn airtime_of_traffic(&self, now: Instant, node: NodeId) -> Duration {
        let present = match self.phase {
            Phase::Idle { .. } => Duration::ZERO,
            _ => self.present_traffic(now, node),
        };
        self.traffic[node.index()] + present
    }

    /// The accesses of `node` in `category` that have ended.
    pub fn access_usage(&self, node: NodeId, category: AccessCategory) -> &AccessUsage {
        &self.access_usage[contender_of(node, category).index()]
    }

    /// Of the successes of all nodes, the time of preambles and headers of data PPDUs.
    pub fn preambles(&self) -> Duration {
        self.preambles
    }

    /// Of the successes of all nodes, the time of Block Acks and BlockAckReqs.
    pub fn block_acks(&self) -> Duration {
        self.block_acks
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.setup.associations.nodes()
    }

    /// The links on which `node` transmits.
    fn links_from(&self, node: NodeId) -> impl Iterator<Item = LinkId> {
        let associations = &self.setup.associations;
        let links = (0..2 * associations.stations().len() as u32).map(LinkId);
        links.filter(move |link| associations.ends(*link).0 == node)
    }
}
