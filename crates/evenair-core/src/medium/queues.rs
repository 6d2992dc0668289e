//! The transmit queues of a cell.

use crate::packet::{Direction, NodeId};

/// A transmit queue of a cell; which queues there are is the medium's [`QueueLayout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TxQueueId(pub u32);

/// The transmit queues of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLayout {
    /// One queue per node, as an 802.11 interface without aggregation has. Its id is that of the node.
    PerNode,
    /// One queue per node, receiver and traffic class: an 802.16 base station with a queue for each
    /// station, or 802.11e with its access categories.
    PerReceiver {
        /// Traffic classes; a class is 0 or more and below this.
        classes: u32,
    },
}

impl QueueLayout {
    /// The queue in which `from` keeps packets of `class` for `to`.
    #[inline(always)]
    pub const fn queue(self, from: NodeId, to: NodeId, class: u32) -> TxQueueId {
        match self {
            Self::PerNode => TxQueueId(from.0),
            Self::PerReceiver { classes } => {
                // Each station has a queue at the access point (even) and one of its own (odd).
                let pair = match Direction::from_node(from) {
                    Direction::Down => 2 * to.0 - 2,
                    Direction::Up => 2 * from.0 - 1,
                };
                TxQueueId(pair * classes + class)
            }
        }
    }

    /// The node that transmits from `queue`.
    pub const fn sender(self, queue: TxQueueId) -> NodeId {
        match self {
            Self::PerNode => NodeId(queue.0),
            Self::PerReceiver { classes } => match queue.0 / classes {
                pair if pair % 2 == 0 => NodeId::ACCESS_POINT,
                pair => NodeId(pair.div_ceil(2)),
            },
        }
    }

    /// The number of queues of a cell with this many nodes.
    pub const fn count(self, nodes: u32) -> u32 {
        match self {
            Self::PerNode => nodes,
            Self::PerReceiver { classes } => 2 * (nodes - 1) * classes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_of_a_layout_has_one_id_and_its_sender() {
        let (ap, nodes, classes) = (NodeId::ACCESS_POINT, 5, 3);
        let layout = QueueLayout::PerReceiver { classes };
        let mut seen = vec![None; layout.count(nodes) as usize];
        for station in (1..nodes).map(NodeId) {
            for (from, to) in [(ap, station), (station, ap)] {
                for class in 0..classes {
                    let queue = layout.queue(from, to, class);
                    assert_eq!(layout.sender(queue), from);
                    assert_eq!(seen[queue.0 as usize].replace((from, to, class)), None);
                }
            }
        }
        assert!(seen.iter().all(Option::is_some));
        assert_eq!(QueueLayout::PerNode.sender(TxQueueId(3)), NodeId(3));
    }
}
