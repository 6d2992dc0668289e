//! The contenders of all nodes: what each of them sends, its backoffs and retries.

use crate::medium::TxQueueId;
use crate::medium::wlan::contention::{Backoff, ContenderId};
use crate::packet::{AccessCategory, NodeId};
use crate::time::Duration;

/// Contenders of a node.
pub(super) const PER_NODE: u32 = AccessCategory::COUNT;

/// The categories by priority, the highest last (802.11-2020 table 10-1).
const BY_PRIORITY: [AccessCategory; PER_NODE as usize] = [
    AccessCategory::Background,
    AccessCategory::BestEffort,
    AccessCategory::Video,
    AccessCategory::Voice,
];

/// The contender of `node` in this category.
#[inline(always)]
pub(super) const fn contender_of(node: NodeId, category: AccessCategory) -> ContenderId {
    let priority = match category {
        AccessCategory::Background => 0,
        AccessCategory::BestEffort => 1,
        AccessCategory::Video => 2,
        AccessCategory::Voice => 3,
    };
    ContenderId(PER_NODE * node.0 + priority)
}

/// The node of `contender`, which is one of a category.
#[inline(always)]
pub(super) const fn node_of(contender: ContenderId) -> NodeId {
    NodeId(contender.0 / PER_NODE)
}

/// The category of `contender`.
pub(super) const fn category_of(contender: ContenderId) -> AccessCategory {
    BY_PRIORITY[(contender.0 % PER_NODE) as usize]
}

/// A contender: one of a category, or for beacons, which have no queue.
#[derive(Debug)]
pub(super) struct Mac {
    /// The queue that it serves next; `None` when it has nothing to send.
    pub(super) queue: Option<TxQueueId>,
    pub(super) backoff: Backoff,
    /// QSRC: failures since the last success.
    pub(super) retries: u32,
    /// AIFSN.
    pub(super) aifsn: u32,
    /// TXOP limit.
    pub(super) txop: Duration,
}

impl Mac {
    /// Counts a failure, or an internal collision, and returns the backoff that follows (10.23.2.2): CW doubles, and
    /// starts anew when the retries have reached their limit.
    pub(super) fn fail(&mut self, limit: u32) -> u32 {
        if self.retries >= limit {
            return self.restart();
        }
        self.retries += 1;
        self.backoff.double();
        self.backoff.draw()
    }

    /// CW starts anew, after a success. Returns the backoff that follows.
    #[inline(always)]
    pub(super) fn restart(&mut self) -> u32 {
        self.retries = 0;
        self.backoff.reset();
        self.backoff.draw()
    }
}
