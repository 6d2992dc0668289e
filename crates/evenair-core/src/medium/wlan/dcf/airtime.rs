//! How much of the air the attempts of each node have used by some time.
//!
//! The counters of a link contain the whole of an attempt as soon as it starts. The part of the present
//! attempt that is still in the future is subtracted here.

use super::exchange::Failure;
use super::link::Link;
use super::state::{Dcf, Phase};
use crate::medium::Airtime;
use crate::packet::NodeId;
use crate::time::{Duration, Instant};

impl Dcf {
    /// Airtime of the attempts of `node`.
    pub(super) fn airtime(&self, now: Instant, node: NodeId) -> Airtime {
        let mut airtime = Airtime::default();
        if node.is_access_point() {
            self.links.iter().for_each(|[down, _]| airtime += down.airtime);
        } else {
            airtime += self.links[node.index()][1].airtime;
        }
        let present = match self.phase {
            Phase::Failing(Failure::Collision) => &mut airtime.collisions,
            Phase::Failing(Failure::Corrupted(_)) => &mut airtime.corrupted,
            Phase::Sending if !self.exchange.acknowledged => &mut airtime.corrupted,
            Phase::Idle { .. } | Phase::Sending | Phase::Acknowledging => &mut airtime.successes,
        };
        *present = *present - self.still_to_come(now, node);
        airtime.payload = airtime.payload - self.payload_to_come(now, node);
        airtime
    }

    /// How long the payload of the present exchange, if it is one of `node`, goes on after `now`: it ends
    /// with the data frame.
    fn payload_to_come(&self, now: Instant, node: NodeId) -> Duration {
        let succeeds = match self.phase {
            Phase::Sending | Phase::Acknowledging => self.exchange.acknowledged,
            Phase::Idle { .. } | Phase::Failing(_) => false,
        };
        let mac = &self.macs[node.index()];
        if !succeeds || !self.transmitters.contains(&node) || mac.has_broadcast() {
            return Duration::ZERO;
        }
        let (station, direction) = mac.link_from(node);
        let payload = self.links[station.index()][direction].frames().payload;
        payload.min(self.exchange.data_end.since(now))
    }

    /// Airtime of the attempts of `node` and of those for it. What overlaps counts once.
    pub(super) fn airtime_of_traffic(&self, now: Instant, node: NodeId) -> Duration {
        let both = |[down, up]: &[Link; 2]| down.airtime.total() + up.airtime.total();
        let (used, still_to_come) = if node.is_access_point() {
            let all = self.transmitters.iter().map(|&node| self.still_to_come(now, node));
            let used = self.links.iter().map(both).fold(Duration::ZERO, |sum, each| sum + each);
            (used, all.max().unwrap_or(Duration::ZERO))
        } else {
            let own = self.still_to_come(now, node);
            let ap = NodeId::ACCESS_POINT;
            let for_it = self.macs[ap.index()].to == node;
            let down = if for_it { self.still_to_come(now, ap) } else { Duration::ZERO };
            (both(&self.links[node.index()]), own.max(down))
        };
        used - self.overlap[node.index()] - still_to_come
    }

    /// How long the present attempt of `node`, if it has one, goes on after `now`.
    fn still_to_come(&self, now: Instant, node: NodeId) -> Duration {
        if !self.transmitters.contains(&node) {
            return Duration::ZERO;
        }
        let end = match self.phase {
            Phase::Idle { .. } => return Duration::ZERO,
            Phase::Sending => self.exchange.ack_end,
            Phase::Acknowledging | Phase::Failing(Failure::Corrupted(_)) => self.due,
            Phase::Failing(Failure::Collision) => {
                let longest = self.longest_first_frame();
                let own = self.macs[node.index()].first_frame;
                return (own + self.due.since(now)).saturating_sub(longest);
            }
        };
        end.since(now)
    }

    /// How long the longest frame lasts with which the present, or last, attempts begin.
    pub(super) fn longest_first_frame(&self) -> Duration {
        let first_frames = self.transmitters.iter().map(|node| self.macs[node.index()].first_frame);
        first_frames.max().unwrap_or(Duration::ZERO)
    }
}
