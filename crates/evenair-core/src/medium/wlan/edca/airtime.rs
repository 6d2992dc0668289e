//! How much of the air each node has used by some time.

use super::mac::node_of;
use super::state::{Edca, Fate, Phase, Sent};
use crate::medium::{Airtime, LinkId};
use crate::packet::NodeId;
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
        }
        let associations = &self.setup.associations;
        match self.sent[..] {
            [sent] => {
                let (from, to) = associations.ends(self.link_of(sent.queue));
                let time = now.since(sent.start);
                self.traffic[from.index()] += time;
                self.traffic[to.index()] += time;
            }
            _ => self.settle_traffic(now),
        }
    }

    /// The same after a collision: what overlaps counts once.
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
        times.max().unwrap_or(Duration::ZERO)
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
                let sizes = self.agreements[sent.queue.0 as usize].sizes();
                let decoded = sizes.zip(&self.decoded).filter(|(_, decoded)| **decoded);
                let bytes = decoded.map(|(bytes, _)| u64::from(bytes - self.config.mac_overhead));
                // The payload ends with the PPDU.
                let payload = link.vector.rate.time_for(bytes.sum());
                airtime.payload = payload.saturating_sub(sent.end.since(now));
            }
        }
        airtime
    }

    /// Airtime of the PPDUs of `node` by `now`, with the responses to them.
    pub(super) fn airtime(&self, now: Instant, node: NodeId) -> Airtime {
        let mut airtime = Airtime::default();
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

    /// The links on which `node` transmits.
    fn links_from(&self, node: NodeId) -> impl Iterator<Item = LinkId> {
        let associations = &self.setup.associations;
        let links = (0..2 * associations.stations().len() as u32).map(LinkId);
        links.filter(move |link| associations.ends(*link).0 == node)
    }
}
