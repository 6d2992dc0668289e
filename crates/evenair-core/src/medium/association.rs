//! Associations: which station belongs to which access point, and the links that follow from them.
//!
//! A station is associated with one access point, and transmits to it alone. Several access points, each
//! with the stations of its cell, may share a channel. A link is one direction of an association. Stations
//! and links are numbered without gaps, in the order of the nodes.

use crate::packet::{Direction, NodeId};

/// One direction of the link between a station and its access point: 2 k down and 2 k + 1 up of station
/// number k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u32);

impl LinkId {
    /// No link: that of a broadcast frame.
    pub const BROADCAST: Self = Self(u32::MAX);

    /// The link of station number `station` in this direction.
    #[inline(always)]
    pub const fn new(station: u32, direction: Direction) -> Self {
        Self(2 * station + direction as u32)
    }

    /// The direction of what is transmitted on it.
    #[inline(always)]
    pub const fn direction(self) -> Direction {
        if self.0.is_multiple_of(2) { Direction::Down } else { Direction::Up }
    }

    /// The other direction of its association.
    #[inline(always)]
    pub const fn reversed(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The number of its station.
    #[inline(always)]
    pub const fn station(self) -> u32 {
        self.0 / 2
    }

    /// Index into tables with an entry per link.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Who belongs to whom on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Associations {
    /// By node.
    places: Vec<Place>,
    /// By number.
    stations: Vec<NodeId>,
    access_points: Vec<NodeId>,
}

/// The place of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Its access point: that of a station, or the node itself.
    access_point: NodeId,
    /// Its number among the stations, or among the access points.
    number: u32,
}

impl Associations {
    /// One cell: the first node is the access point of the others.
    pub fn one_cell(nodes: u32) -> Self {
        Self::new(&vec![NodeId::ACCESS_POINT; nodes as usize])
    }

    /// The access point of each node; an access point is its own.
    ///
    /// # Panics
    /// If the access point of a node is none.
    pub fn new(access_point_of: &[NodeId]) -> Self {
        let (mut stations, mut access_points) = (Vec::new(), Vec::new());
        let mut place = |(node, &access_point): (u32, &NodeId)| {
            let own = access_point_of.get(access_point.index());
            assert_eq!(own, Some(&access_point), "an access point is its own");
            let node = NodeId(node);
            let among = if access_point == node { &mut access_points } else { &mut stations };
            among.push(node);
            Place { access_point, number: among.len() as u32 - 1 }
        };
        let places = (0..).zip(access_point_of).map(&mut place).collect();
        Self { places, stations, access_points }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.places.len() as u32
    }

    /// The stations, by number.
    pub fn stations(&self) -> &[NodeId] {
        &self.stations
    }

    /// The access points, by number.
    pub fn access_points(&self) -> &[NodeId] {
        &self.access_points
    }

    /// The access point of `node`, which may be one itself.
    #[inline(always)]
    pub fn access_point_of(&self, node: NodeId) -> NodeId {
        self.places[node.index()].access_point
    }

    /// Whether `node` is an access point.
    #[inline(always)]
    pub fn is_access_point(&self, node: NodeId) -> bool {
        self.access_point_of(node) == node
    }

    /// The number of `node` among the stations, or among the access points.
    #[inline(always)]
    pub fn number(&self, node: NodeId) -> u32 {
        self.places[node.index()].number
    }

    /// The direction in which `node` transmits.
    #[inline(always)]
    pub fn direction_from(&self, node: NodeId) -> Direction {
        if self.is_access_point(node) { Direction::Down } else { Direction::Up }
    }

    /// The link on which `from` transmits a packet of the link of `station`, and its receiver. `station` is not
    /// looked at unless `from` is an access point.
    #[inline(always)]
    pub fn route(&self, from: NodeId, station: NodeId) -> (LinkId, NodeId) {
        let Place { access_point, number } = self.places[from.index()];
        if access_point == from {
            (LinkId::new(self.number(station), Direction::Down), station)
        } else {
            (LinkId::new(number, Direction::Up), access_point)
        }
    }

    /// The link from one node to another, one of which is the access point of the other.
    #[inline(always)]
    pub fn link(&self, from: NodeId, to: NodeId) -> LinkId {
        let direction = self.direction_from(from);
        let station = if direction == Direction::Down { to } else { from };
        LinkId::new(self.number(station), direction)
    }

    /// The station of `link`.
    #[inline(always)]
    pub fn station(&self, link: LinkId) -> NodeId {
        self.stations[link.station() as usize]
    }

    /// Sender and receiver of `link`.
    pub fn ends(&self, link: LinkId) -> (NodeId, NodeId) {
        let station = self.station(link);
        let access_point = self.access_point_of(station);
        match link.direction() {
            Direction::Down => (access_point, station),
            Direction::Up => (station, access_point),
        }
    }

    /// The stations of `access_point`, in the order of the nodes.
    pub fn stations_of(&self, access_point: NodeId) -> impl Iterator<Item = NodeId> {
        let of = move |station: &NodeId| self.access_point_of(*station) == access_point;
        self.stations.iter().copied().filter(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cells: nodes 0 and 3 are access points, 1 and 4 belong to 3, and 2 to 0.
    #[test]
    fn links_are_looked_up() {
        let [a, b] = [NodeId(0), NodeId(3)];
        let associations = Associations::new(&[a, b, a, b, b]);
        assert_eq!(associations.access_points(), [a, b]);
        assert_eq!(associations.stations(), [1, 2, 4].map(NodeId));
        assert_eq!(associations.stations_of(b).collect::<Vec<_>>(), [1, 4].map(NodeId));
        for (number, (station, access_point)) in [(1, b), (2, a), (4, b)].into_iter().enumerate() {
            let (station, down) = (NodeId(station), 2 * number as u32);
            let links = [(access_point, station), (station, access_point)];
            for ((from, to), id) in links.into_iter().zip([down, down + 1].map(LinkId)) {
                assert_eq!(associations.link(from, to), id);
                assert_eq!(associations.ends(id), (from, to));
                assert_eq!(associations.route(from, station), (id, to));
                assert_eq!(id.direction(), associations.direction_from(from));
            }
        }
    }

    #[test]
    fn the_first_node_is_the_access_point_of_one_cell() {
        let associations = Associations::one_cell(3);
        assert_eq!(associations.access_points(), [NodeId::ACCESS_POINT]);
        let links = [(0, 1), (1, 0), (0, 2), (2, 0)];
        let ids = links.map(|(from, to)| associations.link(NodeId(from), NodeId(to)).0);
        assert_eq!(ids, [0, 1, 2, 3]);
    }

    #[test]
    #[should_panic(expected = "an access point is its own")]
    fn a_station_is_no_access_point() {
        Associations::new(&[NodeId(0), NodeId(0), NodeId(1)]);
    }
}
