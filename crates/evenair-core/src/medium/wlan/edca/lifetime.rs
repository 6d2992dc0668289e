//! The lifetime of packets (IEEE 802.11-2020 10.23.2.12, 10.25.6.3).
//!
//! It begins when a packet is handed to its sender. A packet that has waited for longer is dropped: in a queue when its
//! turn comes, and before it is repeated. An A-MSDU is dropped with the youngest of its packets (10.11). If it had been
//! transmitted under a Block Ack agreement, a BlockAckReq tells the receiver where the window begins, so that the
//! receiver does not wait for it.
//!
//! If all packets that a contender holds have become too old during its backoff, its access still transmits the youngest
//! of them.

use crate::medium::{CellContext, Taken, TxQueueId, TxStatus};
use crate::time::{Duration, Instant};

/// Takes the next packet of `queue` that is not older than `lifetime`, as [`CellContext::take`]. Counts in `dropped`
/// those that are.
#[inline(never)] // only with a lifetime
pub(super) fn take(
    now: Instant,
    queue: TxQueueId,
    max_bytes: u32,
    lifetime: Duration,
    dropped: &mut u64,
    cell: &mut impl CellContext,
) -> Option<Taken> {
    loop {
        let taken = cell.take(now, queue, max_bytes)?;
        if !drop_if_over(now, taken, lifetime, dropped, cell) {
            return Some(taken);
        }
    }
}

/// Drops a packet that has been taken, and counts it in `dropped`, if it is older than `lifetime`. Returns whether it is.
pub(super) fn drop_if_over(
    now: Instant,
    taken: Taken,
    lifetime: Duration,
    dropped: &mut u64,
    cell: &mut impl CellContext,
) -> bool {
    let is_over = now.since(cell.enqueued_at(taken.packet)) > lifetime;
    if is_over {
        *dropped += 1;
        cell.release(now, taken.packet, TxStatus::Dropped);
    }
    is_over
}
