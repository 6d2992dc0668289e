//! Packets that enter a queue at times that nothing in the cell changes.

use std::fmt::Debug;

use crate::queue::TxQueue;
use crate::time::Instant;

/// The only source of the packets of a station's transmit queue, whose times nothing in the cell changes. They need no
/// events: they enter the queue before anything else happens to it.
pub trait Feed<P>: Debug + Send {
    /// When the next packet enters the queue; [`Instant::NEVER`] if there is none.
    fn next_at(&self) -> Instant;

    /// Enqueues the packets whose time is `last` or before. Returns how many these are.
    fn fill(&mut self, last: Instant, queue: &mut TxQueue<P>) -> u64;
}

/// The feed of a queue, or none.
#[derive(Debug)]
pub(super) struct Fed<P> {
    pub(super) next_at: Instant,
    feed: Option<Box<dyn Feed<P>>>,
}

impl<P> Default for Fed<P> {
    fn default() -> Self {
        Self { next_at: Instant::NEVER, feed: None }
    }
}

impl<P> Fed<P> {
    pub(super) fn new(feed: Box<dyn Feed<P>>) -> Self {
        Self { next_at: feed.next_at(), feed: Some(feed) }
    }

    /// Whether there is a feed.
    pub(super) fn is_fed(&self) -> bool {
        self.feed.is_some()
    }

    /// See [`Feed::fill`].
    pub(super) fn fill(&mut self, last: Instant, queue: &mut TxQueue<P>) -> u64 {
        let Some(feed) = &mut self.feed else { return 0 };
        let packets = feed.fill(last, queue);
        self.next_at = feed.next_at();
        packets
    }
}

/// The last moment before `at`.
pub(super) fn just_before(at: Instant) -> Option<Instant> {
    at.as_nanos().checked_sub(1).map(Instant::from_nanos)
}
