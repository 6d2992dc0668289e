//! The transmit queues of a cell.

use super::association::{Associations, LinkId};
use crate::packet::{AccessCategory, NodeId};

/// A transmit queue of a cell; which queues there are is the medium's [`QueueLayout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TxQueueId(pub u32);

/// The transmit queues of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLayout {
    /// One queue per node, as an 802.11 interface without aggregation has. Its id is that of the node.
    PerNode,
    /// One queue per link and access category: an access point or base station has queues for each of its
    /// stations, and each station its own.
    PerReceiver {
        /// 1 without EDCA, in which case all packets are in this one, or [`AccessCategory::COUNT`].
        categories: u32,
    },
}

impl QueueLayout {
    /// The queue in which `from` keeps packets of `category` for one of its links.
    #[inline(always)]
    pub const fn queue(self, from: NodeId, link: LinkId, category: AccessCategory) -> TxQueueId {
        match self {
            Self::PerNode => TxQueueId(from.0),
            Self::PerReceiver { categories } => {
                TxQueueId(link.0 * categories + self.category(category))
            }
        }
    }

    /// The number of `category` among those of a link: 0 of all if packets of all share its queues.
    #[inline(always)]
    pub const fn category(self, category: AccessCategory) -> u32 {
        match self {
            Self::PerNode | Self::PerReceiver { categories: 1 } => 0,
            Self::PerReceiver { .. } => category as u32,
        }
    }

    /// The number of categories that have queues of their own.
    pub const fn categories(self) -> u32 {
        match self {
            Self::PerNode => 1,
            Self::PerReceiver { categories } => categories,
        }
    }

    /// The link of `queue` and the number of its category; `None` of a queue for several links.
    pub const fn link(self, queue: TxQueueId) -> Option<(LinkId, u32)> {
        match self {
            Self::PerNode => None,
            Self::PerReceiver { categories } => {
                Some((LinkId(queue.0 / categories), queue.0 % categories))
            }
        }
    }

    /// The node that transmits from `queue`.
    pub fn sender(self, associations: &Associations, queue: TxQueueId) -> NodeId {
        match self.link(queue) {
            None => NodeId(queue.0),
            Some((link, _)) => associations.ends(link).0,
        }
    }

    /// The number of queues.
    pub fn count(self, associations: &Associations) -> u32 {
        match self {
            Self::PerNode => associations.nodes(),
            Self::PerReceiver { categories } => {
                2 * associations.stations().len() as u32 * categories
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One cell of four stations, and two cells of which the second has nodes 3 to 5.
    #[test]
    fn every_queue_of_a_layout_has_one_id_and_its_sender() {
        let layout = QueueLayout::PerReceiver { categories: AccessCategory::COUNT };
        let two = Associations::new(&[0, 0, 0, 3, 3, 3].map(NodeId));
        for associations in [Associations::one_cell(5), two] {
            let mut seen = vec![None; layout.count(&associations) as usize];
            for &station in associations.stations() {
                let ap = associations.access_point_of(station);
                for (from, to) in [(ap, station), (station, ap)] {
                    for category in AccessCategory::ALL {
                        let link = associations.link(from, to);
                        let queue = layout.queue(from, link, category);
                        assert_eq!(layout.sender(&associations, queue), from);
                        assert_eq!(layout.link(queue), Some((link, category as u32)));
                        assert_eq!(seen[queue.0 as usize].replace((from, to, category)), None);
                    }
                }
            }
            assert!(seen.iter().all(Option::is_some));
            let per_node = QueueLayout::PerNode;
            assert_eq!(per_node.count(&associations), associations.nodes());
            assert_eq!(per_node.sender(&associations, TxQueueId(3)), NodeId(3));
        }
    }
}
