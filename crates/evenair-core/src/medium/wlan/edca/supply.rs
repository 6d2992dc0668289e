//! What a contender transmits next, and what is too old for that.

use super::lifetime;
use super::mac::{category_of, node_of};
use super::state::Edca;
use crate::medium::wlan::contention::ContenderId;
use crate::medium::{CellContext, LinkId, TxQueueId, TxStatus};
use crate::time::Instant;

impl Edca {
    /// `contender`, which has nothing to send, looks for a queue to serve, and takes a packet of it, so that there is
    /// one when it transmits. Returns whether there is.
    pub(super) fn load(
        &mut self,
        now: Instant,
        contender: ContenderId,
        cell: &mut impl CellContext,
    ) -> bool {
        let (node, category) = (node_of(contender), category_of(contender));
        cell.fill(now, node, category);
        loop {
            let Self { agreements, amsdus, usage, config, links, setup, .. } = self;
            let holds = |queue: TxQueueId| agreements[queue.0 as usize].has_frame();
            let next = |queue: TxQueueId| {
                let (link, _) = setup.layout.link(queue).unwrap_or((LinkId::BROADCAST, 0));
                agreements[queue.0 as usize].next_ppdu(config, &links[link.index()])
            };
            let chosen = cell.next_queue(now, node, category, holds, next);
            let Some(queue) = chosen else { return false };
            let agreement = &mut agreements[queue.0 as usize];
            if agreement.has_frame() {
                if config.lifetime.is_some() {
                    self.expire(now, contender, queue, false, cell);
                    if !self.agreements[queue.0 as usize].has_frame() {
                        continue;
                    }
                }
            } else {
                let Some(taken) = cell.take(now, queue, u32::MAX) else { return false };
                if let Some(lifetime) = config.lifetime
                    && let dropped = &mut usage[node.index()].dropped
                    && lifetime::drop_if_over(now, taken, lifetime, dropped, cell)
                {
                    continue;
                }
                agreement.push(taken, amsdus);
            }
            self.macs[contender.index()].queue = Some(queue);
            return true;
        }
    }

    /// Drops what `contender` has transmitted from `queue`, or is about to, and is too old; but not the last of all if
    /// it `keeps_last`.
    #[cold]
    pub(super) fn expire(
        &mut self,
        now: Instant,
        contender: ContenderId,
        queue: TxQueueId,
        keeps_last: bool,
        cell: &mut impl CellContext,
    ) {
        let Some(lifetime) = self.config.lifetime else { return };
        let has_agreement = self.links[self.link_of(queue).index()].has_agreements();
        let Self { agreements, amsdus, .. } = self;
        let agreement = &mut agreements[queue.0 as usize];
        let last = agreement.last().filter(|_| keeps_last);
        let is_over = |first| {
            let youngest = amsdus.packets(first).next_back().unwrap_or(first);
            last != Some(first) && now.since(cell.enqueued_at(youngest)) > lifetime
        };
        let mut over = Vec::new();
        agreement.expire(has_agreement, is_over, |first| over.extend(amsdus.packets(first)));
        self.usage[node_of(contender).index()].dropped += over.len() as u64;
        for packet in over {
            cell.release(now, packet, TxStatus::Dropped);
        }
    }
}
