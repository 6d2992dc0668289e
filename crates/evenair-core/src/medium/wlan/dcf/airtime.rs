//! How much of the air the attempts of each node have used by some time.
//!
//! The counters of a link contain the whole of an attempt as soon as it starts. The part of the present
//! attempt that is still in the future is subtracted here.

use super::exchange::Failure;
use super::state::{Dcf, Phase};
use crate::medium::{Airtime, LinkId};
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};

impl Dcf {
    /// Airtime of the attempts of `node`.
    pub(super) fn airtime(&self, now: Instant, node: NodeId) -> Airtime {
        let mut airtime = Airtime::default();
        for link in self.links_of(node).filter(|link| link.direction() == self.direction(node)) {
            airtime += self.links[link.index()].airtime;
        }
        if let Some(beacons) = self.beacon_link(node) {
            airtime += self.links[beacons].airtime;
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
        let payload = self.link(node).frames().payload;
        payload.min(self.exchange.data_end.since(now))
    }

    /// Airtime of the attempts of `node` and of those for it. What overlaps counts once.
    pub(super) fn airtime_of_traffic(&self, now: Instant, node: NodeId) -> Duration {
        let links = self.links_of(node).map(LinkId::index).chain(self.beacon_link(node));
        let used = links.map(|link| self.links[link].airtime.total());
        let used = used.fold(Duration::ZERO, |sum, each| sum + each);
        let associations = &self.setup.associations;
        let access_point = associations.access_point_of(node);
        let is_of_it = |transmitter: &&NodeId| {
            if node == access_point {
                associations.access_point_of(**transmitter) == node
            } else {
                let for_it =
                    **transmitter == access_point && self.macs[access_point.index()].to == node;
                **transmitter == node || for_it
            }
        };
        let present = self.transmitters.iter().filter(is_of_it);
        let still_to_come = present.map(|&transmitter| self.still_to_come(now, transmitter));
        used - self.overlap[node.index()] - still_to_come.max().unwrap_or(Duration::ZERO)
    }

    /// The links of `node`: both with its access point, or those with all its stations.
    fn links_of(&self, node: NodeId) -> impl Iterator<Item = LinkId> {
        let associations = &self.setup.associations;
        let own = (!associations.is_access_point(node)).then_some(node);
        let stations = own.is_none().then(|| associations.stations_of(node));
        own.into_iter().chain(stations.into_iter().flatten()).flat_map(|station| {
            let number = associations.number(station);
            [Direction::Down, Direction::Up].map(|direction| LinkId::new(number, direction))
        })
    }

    /// The place of the beacons of `node` among the links; `None` of a station.
    pub(super) fn beacon_link(&self, node: NodeId) -> Option<usize> {
        let associations = &self.setup.associations;
        let place = 2 * associations.stations().len() + associations.number(node) as usize;
        associations.is_access_point(node).then_some(place)
    }

    /// The direction in which `node` transmits.
    fn direction(&self, node: NodeId) -> Direction {
        self.setup.associations.direction_from(node)
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
