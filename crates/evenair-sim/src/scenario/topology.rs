//! The wired part: which hosts there are, and the way between any two of them.

use super::types::{Wired, WiredLink};
use super::validate::{Problem, fail};

/// The node that is the access point.
pub(crate) const ACCESS_POINT: &str = "ap";
/// The host that stations talk to where a flow names none.
pub(crate) const SERVER: &str = "server";

/// Hosts, routers and the access point, connected by links without a loop: a tree, in which the
/// shortest path between two nodes is the only one.
#[derive(Debug)]
pub(crate) struct Topology {
    /// In the order in which the links name them.
    nodes: Vec<String>,
    /// For each node the way to the access point begins with this directed link; `None` there.
    towards_ap: Vec<Option<Directed>>,
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
        // The part that each node belongs to, by the index of one of its nodes.
        let mut part: Vec<usize> = Vec::new();
        let mut ends: Vec<[usize; 2]> = Vec::new();
        for (index, WiredLink { between, .. }) in links.iter().enumerate() {
            let field = format!("wired.link.{index}.between");
            let [a, b] = between.each_ref().map(|name| {
                nodes.iter().position(|node| node == name).unwrap_or_else(|| {
                    nodes.push(name.clone());
                    part.push(part.len());
                    nodes.len() - 1
                })
            });
            if a == b {
                let got = format!("got a link from {:?} to itself", between[0]);
                return Err(fail(&field, &got, "two different nodes"));
            }
            if let Some(first) =
                ends.iter().position(|&[c, d]| [c, d] == [a, b] || [d, c] == [a, b])
            {
                let got = format!(
                    "got a second link between {:?} and {:?}, which wired.link.{first} connects",
                    between[0], between[1]
                );
                return Err(fail(&field, &got, "one link between two nodes"));
            }
            if part[a] == part[b] {
                let got = format!(
                    "got a link between {:?} and {:?}, which closes a loop",
                    between[0], between[1]
                );
                return Err(fail(&field, &got, "links that leave one way between any two nodes"));
            }
            let (from, to) = (part[b], part[a]);
            part.iter_mut().filter(|p| **p == from).for_each(|p| *p = to);
            ends.push([a, b]);
        }
        let Some(ap) = nodes.iter().position(|node| node == ACCESS_POINT) else {
            let got = format!("got no link to {ACCESS_POINT:?}, the access point");
            return Err(fail("wired.link", &got, "a link between it and another node"));
        };
        if let Some(lost) = (0..nodes.len()).find(|&node| part[node] != part[ap]) {
            let index = ends.iter().position(|ends| ends.contains(&lost)).unwrap_or(0);
            let got = format!("got {:?}, which no way leads to from {ACCESS_POINT:?}", nodes[lost]);
            let field = format!("wired.link.{index}.between");
            return Err(fail(&field, &got, "nodes that are all connected"));
        }
        let mut topology = Self { towards_ap: vec![None; nodes.len()], nodes };
        topology.grow_from(ap, &ends);
        Ok(topology)
    }

    /// The node called `name`.
    pub(crate) fn node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node == name)
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
        let mut directed = self.towards_ap.iter().flatten();
        directed.any(|d| d.link == link && d.forward == forward)
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
        let mut reached = vec![root];
        while let Some(node) = reached.pop() {
            for (link, &[a, b]) in ends.iter().enumerate() {
                let came_from = self.towards_ap[node].is_some_and(|d| d.link == link);
                if came_from || (a != node && b != node) {
                    continue;
                }
                let (next, forward) = if a == node { (b, false) } else { (a, true) };
                self.towards_ap[next] = Some(Directed { link, to: node, forward });
                reached.push(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
