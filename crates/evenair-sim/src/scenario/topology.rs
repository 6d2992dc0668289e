//! The wired part: which hosts there are, and the way between any two of them.

use std::collections::BTreeMap;

use crate::scenario::problem::{Problem, fail};
use crate::scenario::tables::wired::{Wired, WiredLink};
use crate::scenario::values::node_names::ACCESS_POINT;

/// Hosts, routers and the access point, connected by links without a loop: a tree, in which the
/// shortest path between two nodes is the only one.
#[derive(Debug)]
pub(crate) struct Topology {
    /// In the order in which the links name them.
    nodes: Vec<String>,
    /// Their places in `nodes`.
    places: BTreeMap<String, usize>,
    /// For each node the way to the access point begins with this directed link; `None` there.
    towards_ap: Vec<Option<Directed>>,
    /// For each link whether its forward direction leads towards the access point.
    is_forward: Vec<bool>,
}

/// One direction of a link, and the node that it leads to.
#[derive(Clone, Copy, Debug)]
struct Directed {
    link: usize,
    to: usize,
    forward: bool,
}

/// The index of a link's direction: backward first, then forward (from the first of its `between`
/// to the second).
fn directed_index(link: usize, forward: bool) -> usize {
    2 * link + usize::from(forward)
}

/// The link of a direction.
pub(crate) fn link_of(directed: usize) -> usize {
    directed / 2
}

impl Topology {
    /// The topology of `wired`, whose links are known (see [`Wired::links`]).
    ///
    /// # Errors
    /// A link from a node to itself, a second link between two nodes, a loop, or a part that is
    /// not connected to the access point.
    pub(crate) fn new(wired: &Wired) -> Result<Self, Problem> {
        let links = wired.links();
        let mut nodes: Vec<String> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut parts = Parts::default();
        let mut ends: Vec<[usize; 2]> = Vec::new();
        // The link between two nodes, the smaller index first.
        let mut link_between: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for (index, WiredLink { between, .. }) in links.iter().enumerate() {
            let field = || format!("wired.link.{index}.between");
            let [a, b] = between.each_ref().map(|name| {
                places.get(name).copied().unwrap_or_else(|| {
                    places.insert(name.clone(), nodes.len());
                    nodes.push(name.clone());
                    parts.add()
                })
            });
            if a == b {
                let got = format!("got a link from {:?} to itself", between[0]);
                return Err(fail(&field(), &got, "two different nodes"));
            }
            if let Some(first) = link_between.insert([a.min(b), a.max(b)], index) {
                let got = format!(
                    "got a second link between {:?} and {:?}, which wired.link.{first} connects",
                    between[0], between[1]
                );
                return Err(fail(&field(), &got, "one link between two nodes"));
            }
            if !parts.join(a, b) {
                let got = format!(
                    "got a link between {:?} and {:?}, which closes a loop",
                    between[0], between[1]
                );
                return Err(fail(&field(), &got, "links that leave one way between any two nodes"));
            }
            ends.push([a, b]);
        }
        let Some(&ap) = places.get(ACCESS_POINT) else {
            let got = format!("got no link to {ACCESS_POINT:?}, the access point");
            return Err(fail("wired.link", &got, "a link between it and another node"));
        };
        let of_ap = parts.of(ap);
        if let Some(lost) = (0..nodes.len()).find(|&node| parts.of(node) != of_ap) {
            let index = ends.iter().position(|ends| ends.contains(&lost)).unwrap_or(0);
            let got = format!("got {:?}, which no way leads to from {ACCESS_POINT:?}", nodes[lost]);
            let field = format!("wired.link.{index}.between");
            return Err(fail(&field, &got, "nodes that are all connected"));
        }
        let (towards_ap, is_forward) = (vec![None; nodes.len()], vec![false; ends.len()]);
        let mut topology = Self { nodes, places, towards_ap, is_forward };
        topology.grow_from(ap, &ends);
        Ok(topology)
    }

    /// The node called `name`.
    pub(crate) fn node(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The names of all nodes but the access point.
    pub(crate) fn hosts(&self) -> Vec<&str> {
        self.nodes.iter().map(String::as_str).filter(|&node| node != ACCESS_POINT).collect()
    }

    /// The directed links from one node to another, in order.
    pub(crate) fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let (mut up, mut down) = (self.to_ap(from), self.to_ap(to));
        // What both have in common near the access point is on neither's way to the other.
        while up.last().is_some_and(|u| down.last().is_some_and(|d| u.link == d.link)) {
            up.pop();
            down.pop();
        }
        let ascent = up.iter().map(|d| directed_index(d.link, d.forward));
        let descent = down.iter().rev().map(|d| directed_index(d.link, !d.forward));
        ascent.chain(descent).collect()
    }

    /// Whether that direction of a link leads towards the access point.
    pub(crate) fn leads_to_ap(&self, link: usize, forward: bool) -> bool {
        self.is_forward[link] == forward
    }

    /// The links from `node` to the access point.
    fn to_ap(&self, mut node: usize) -> Vec<Directed> {
        let mut way = Vec::new();
        while let Some(directed) = self.towards_ap[node] {
            way.push(directed);
            node = directed.to;
        }
        way
    }

    /// Fills in the ways that lead to `root`.
    fn grow_from(&mut self, root: usize, ends: &[[usize; 2]]) {
        let mut links_of = vec![Vec::new(); self.nodes.len()];
        for (link, &[a, b]) in ends.iter().enumerate() {
            links_of[a].push(link);
            links_of[b].push(link);
        }
        let mut reached = vec![root];
        while let Some(node) = reached.pop() {
            for &link in &links_of[node] {
                if self.towards_ap[node].is_some_and(|d| d.link == link) {
                    continue;
                }
                let [a, b] = ends[link];
                let (next, forward) = if a == node { (b, false) } else { (a, true) };
                self.towards_ap[next] = Some(Directed { link, to: node, forward });
                self.is_forward[link] = forward;
                reached.push(next);
            }
        }
    }
}

/// Disjoint sets of nodes: the parts of a network that links connect (union by size with path
/// halving; Tarjan and van Leeuwen 1984).
#[derive(Debug, Default)]
struct Parts {
    /// The next node on the way to the root of the part; roots lead to themselves.
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl Parts {
    /// Adds a node, alone in its part, and returns it.
    fn add(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.size.push(1);
        self.parent.len() - 1
    }

    /// The root of the part of `node`.
    fn of(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    /// Joins the parts of two nodes. Returns whether they were different.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (self.of(a), self.of(b));
        if a == b {
            return false;
        }
        if self.size[a] < self.size[b] {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a;
        self.size[a] += self.size[b];
        true
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::rng::StreamId;
    use serde_json::json;

    use super::*;

    fn wired(links: &[[&str; 2]]) -> Wired {
        let links: Vec<_> = links.iter().map(|ends| json!({ "between": ends })).collect();
        serde_json::from_value(json!({ "link": links })).unwrap()
    }

    /// Figure 6 of Tsiknas and Stamatelos 2012, drawn by hand: link i is 2 i backward, 2 i + 1
    /// forward.
    #[test]
    fn paths_of_two_routers() {
        let links = [["server", "r0"], ["r0", "r1"], ["r1", "ap"], ["c1", "r0"], ["r1", "c3"]];
        let topology = Topology::new(&wired(&links)).unwrap();
        let path =
            |from, to| topology.path(topology.node(from).unwrap(), topology.node(to).unwrap());
        assert_eq!(path("server", "ap"), [1, 3, 5]);
        assert_eq!(path("ap", "server"), [4, 2, 0]);
        assert_eq!(path("c1", "c3"), [7, 3, 9]);
        assert_eq!(path("c3", "c1"), [8, 2, 6]);
        assert_eq!(path("c1", "server"), [7, 0]);
        assert_eq!(path("r0", "r0"), [0usize; 0]);
    }

    /// Random trees: the way between two nodes against a search of the links from one to the other.
    #[test]
    fn paths_of_random_trees() {
        let mut rng = evenair_core::rng::RngStream::new(1, StreamId::Queue, 0);
        for nodes in [2_u64, 3, 10, 60] {
            let mut ends: Vec<[String; 2]> = Vec::new();
            let name = |i: u64| if i == 0 { "ap".to_owned() } else { format!("n{i}") };
            for i in 1..nodes {
                let pair = [name(i), name(u64::from(rng.up_to(i as u32 - 1)))];
                ends.push(if rng.up_to(1) == 0 {
                    pair
                } else {
                    [pair[1].clone(), pair[0].clone()]
                });
            }
            let borrowed: Vec<[&str; 2]> =
                ends.iter().map(|e| e.each_ref().map(|n| &n[..])).collect();
            let topology = Topology::new(&wired(&borrowed)).unwrap();
            for (i, j) in (0..nodes).flat_map(|i| (0..nodes).map(move |j| (i, j))) {
                let (from, to) = (name(i), name(j));
                let path =
                    topology.path(topology.node(&from).unwrap(), topology.node(&to).unwrap());
                let mut at = &from[..];
                for &directed in &path {
                    let [a, b] = borrowed[link_of(directed)];
                    let (start, end) = if directed % 2 == 1 { (a, b) } else { (b, a) };
                    assert_eq!(start, at, "the links of a path follow one another");
                    at = end;
                    let leads = topology.leads_to_ap(link_of(directed), directed % 2 == 1);
                    assert!(
                        j != 0 || leads,
                        "every link of a path to the access point leads there"
                    );
                }
                assert_eq!(at, to);
                let links: std::collections::BTreeSet<_> =
                    path.iter().map(|&directed| link_of(directed)).collect();
                assert_eq!(links.len(), path.len(), "no link twice");
            }
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let refused = |links: &[[&str; 2]]| {
            let problem = Topology::new(&wired(links)).unwrap_err();
            format!("{}: {}", problem.field, problem.message)
        };
        let itself = refused(&[["ap", "ap"]]);
        assert!(itself.starts_with("wired.link.0.between: got a link from \"ap\" to itself"));
        let twice = refused(&[["server", "ap"], ["ap", "server"]]);
        assert!(twice.starts_with("wired.link.1.between: got a second link"), "{twice}");
        let ring = refused(&[["server", "ap"], ["ap", "r"], ["r", "server"]]);
        assert!(ring.contains("wired.link.2.between: ") && ring.contains("loop"), "{ring}");
        let island = refused(&[["server", "ap"], ["c1", "c2"]]);
        assert!(island.starts_with("wired.link.1.between: got \"c1\", which no way"), "{island}");
        assert!(refused(&[["server", "r0"]]).contains("no link to \"ap\""));
    }
}
