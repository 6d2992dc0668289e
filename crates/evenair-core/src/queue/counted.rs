//! Queues in a queue: what an inner one drops is no longer of the backlog of both.

use super::{Actions, Backlog, DropReason, QueueItem};

/// Removes what a discipline drops from the backlog of the queue around it, which is told as well.
pub(super) struct Counted<'a, P> {
    pub(super) backlog: &'a mut Backlog,
    // A trait object, because a type of its own for each would have no end: the inner queue may be any by its type.
    pub(super) actions: &'a mut dyn Actions<P>,
}

impl<P: QueueItem> Actions<P> for Counted<'_, P> {
    fn drop(&mut self, packet: P, reason: DropReason) {
        self.backlog.remove(&packet);
        self.actions.drop(packet, reason);
    }

    fn marked(&mut self) {
        self.actions.marked();
    }
}
