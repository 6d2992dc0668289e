//! The transmit queues of a cell.

use crate::packet::{AccessCategory, Direction, NodeId};

/// A transmit queue of a cell; which queues there are is the medium's [`QueueLayout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TxQueueId(pub u32);

/// The transmit queues of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLayout {
    /// One queue per node, as an 802.11 interface without aggregation has. Its id is that of the node.
    PerNode,
    /// One queue per node, receiver and access category: an access point or base station has queues for
    /// each station, and each station its own.
    PerReceiver {
        /// 1 without EDCA, in which case all packets are in this one, or [`AccessCategory::COUNT`].
        categories: u32,
    },
}

impl QueueLayout {
    /// The queue in which `from` keeps packets of `category` for `to`.
    #[inline(always)]
    pub const fn queue(self, from: NodeId, to: NodeId, category: AccessCategory) -> TxQueueId {
        match self {
            Self::PerNode => TxQueueId(from.0),
            Self::PerReceiver { categories } => {
                // Each station has a queue at the access point (even) and one of its own (odd).
                let pair = match Direction::from_node(from) {
                    Direction::Down => 2 * to.0 - 2,
                    Direction::Up => 2 * from.0 - 1,
                };
                TxQueueId(pair * categories + self.category(category))
            }
        }
    }

    /// The number of `category` among those of a node: 0 of all if packets of all share its queues.
    #[inline(always)]
    pub const fn category(self, category: AccessCategory) -> u32 {
        match self {
            Self::PerNode | Self::PerReceiver { categories: 1 } => 0,
            Self::PerReceiver { .. } => category as u32,
        }
    }

    /// The station of the link of `queue` and the number of its category; `None` of a queue for several
    /// links.
    pub const fn link(self, queue: TxQueueId) -> Option<(NodeId, u32)> {
        match self {
            Self::PerNode => None,
            Self::PerReceiver { categories } => {
                Some((NodeId(queue.0 / categories / 2 + 1), queue.0 % categories))
            }
        }
    }

    /// The node that transmits from `queue`.
    pub const fn sender(self, queue: TxQueueId) -> NodeId {
        match self {
            Self::PerNode => NodeId(queue.0),
            Self::PerReceiver { categories } => match queue.0 / categories {
                pair if pair % 2 == 0 => NodeId::ACCESS_POINT,
                pair => NodeId(pair.div_ceil(2)),
            },
        }
    }

    /// The number of queues of a cell with this many nodes.
    pub const fn count(self, nodes: u32) -> u32 {
        match self {
            Self::PerNode => nodes,
            Self::PerReceiver { categories } => 2 * (nodes - 1) * categories,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_of_a_layout_has_one_id_and_its_sender() {
        use AccessCategory::{Background, BestEffort, Video, Voice};
        let (ap, nodes) = (NodeId::ACCESS_POINT, 5);
        let layout = QueueLayout::PerReceiver { categories: AccessCategory::COUNT };
        let mut seen = vec![None; layout.count(nodes) as usize];
        for station in (1..nodes).map(NodeId) {
            for (from, to) in [(ap, station), (station, ap)] {
                for category in [BestEffort, Background, Video, Voice] {
                    let queue = layout.queue(from, to, category);
                    assert_eq!(layout.sender(queue), from);
                    assert_eq!(layout.link(queue), Some((station, category as u32)));
                    assert_eq!(seen[queue.0 as usize].replace((from, to, category)), None);
                }
            }
        }
        assert!(seen.iter().all(Option::is_some));
        assert_eq!(QueueLayout::PerNode.sender(TxQueueId(3)), NodeId(3));
    }
}
