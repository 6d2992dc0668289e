//! SDUs to PDUs: fragmentation, concatenation in a burst, and what a queue needs of one.

use crate::medium::{Attempt, CellContext, Listening, Outcome, PacketId, TxQueueId, TxStatus};
use crate::packet::NodeId;
use crate::time::{Duration, Instant};

/// Generic MAC header, bytes (IEEE 802.16-2004, 6.3.2.1.1).
const GENERIC_HEADER: u32 = 6;
/// Fragmentation subheader with a 3-bit FSN, and what rounds it up to bytes (6.3.2.2.1).
const FRAGMENTATION_SUBHEADER: u32 = 2;
/// Grant management subheader, bytes (6.3.2.2.2).
pub(super) const GRANT_MANAGEMENT: u32 = 2;
/// CRC-32, bytes (6.3.3.5).
const CRC: u32 = 4;

/// Bytes that a PDU adds to its payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overhead {
    /// With a whole SDU.
    whole: u32,
    /// With a fragment.
    fragment: u32,
}

impl Overhead {
    pub(super) const fn new(crc: bool) -> Self {
        let whole = GENERIC_HEADER + if crc { CRC } else { 0 };
        Self { whole, fragment: whole + FRAGMENTATION_SUBHEADER }
    }
}

/// Bytes that a PDU adds to an SDU that is not fragmented.
pub const fn pdu_overhead(crc: bool) -> u32 {
    Overhead::new(crc).whole
}

/// Bytes of a fragment with one byte of payload: a shorter burst carries nothing.
pub const fn smallest_pdu(crc: bool) -> u32 {
    Overhead::new(crc).fragment + 1
}

/// The packets of one queue: those that wait, and the one that is being sent.
#[derive(Debug)]
pub(super) struct Connection {
    queue: TxQueueId,
    head: Option<Head>,
}

/// An SDU that has left its queue and goes next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) packet: PacketId,
    /// Bytes that have not been sent.
    left: u32,
    /// Whether a fragment has been sent.
    pub(super) fragmented: bool,
    /// Whether a fragment has been lost.
    pub(super) lost: bool,
}

/// A PDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pdu {
    pub(super) packet: PacketId,
    /// Its size with headers.
    pub(super) bytes: u32,
    /// Whether its SDU ends with it.
    pub(super) ends: bool,
    /// Whether an earlier fragment of its SDU has been lost.
    pub(super) lost: bool,
}

/// Tells the cell that the SDU in `packet` is over. `ends` are its transmitter and the station of its link.
#[cold]
#[inline(never)]
pub(super) fn tell_end(
    at: Instant,
    packet: PacketId,
    [from, station]: [NodeId; 2],
    outcome: Outcome,
    cell: &mut impl CellContext,
) {
    let attempt = Attempt {
        at,
        packet,
        from,
        station,
        mode: None,
        space: Duration::ZERO,
        has_backoff: false,
        backoff: Duration::ZERO,
        airtime: Duration::ZERO,
        sent_data: outcome != Outcome::GivenUp,
        outcome,
    };
    cell.on_outcome(attempt, attempt.carried_alone());
}

impl Head {
    /// Bytes of the PDU that would carry what is left.
    pub(super) fn need(&self, overhead: Overhead) -> u32 {
        self.left + if self.fragmented { overhead.fragment } else { overhead.whole }
    }
}

impl Connection {
    pub(super) const fn new(queue: TxQueueId) -> Self {
        Self { queue, head: None }
    }

    /// Whether nothing is left to send.
    #[inline(always)]
    pub(super) fn is_empty(&self, cell: &impl CellContext) -> bool {
        self.head.is_none() && cell.backlog(self.queue).packets() == 0
    }

    /// The SDU that has left its queue and is not complete.
    pub(super) fn head(&self) -> Option<Head> {
        self.head
    }

    /// Bytes of the PDUs of all that is left to send, none of it fragmented again.
    #[inline(always)]
    pub(super) fn need(&self, overhead: Overhead, cell: &impl CellContext) -> u64 {
        let backlog = cell.backlog(self.queue);
        let head = self.head.map_or(0, |head| head.need(overhead));
        let headers = u64::from(backlog.packets()) * u64::from(overhead.whole);
        backlog.bytes() + headers + u64::from(head)
    }

    /// The next PDU of a burst with `room` bytes left: the rest of an SDU, a whole one, or a
    /// fragment that fills the burst. None if nothing fits or waits.
    #[inline(always)]
    pub(super) fn next_pdu(
        &mut self,
        now: Instant,
        room: u32,
        overhead: Overhead,
        cell: &mut impl CellContext,
    ) -> Option<Pdu> {
        // Less than a byte of payload in a fragment; no SDU is so short that it fits as a whole.
        if room <= overhead.fragment {
            return None;
        }
        let mut head = self.take_head(now, cell)?;
        let Head { packet, lost, .. } = head;
        let bytes = head.need(overhead);
        if bytes <= room {
            return Some(Pdu { packet, bytes, ends: true, lost });
        }
        head.left -= room - overhead.fragment;
        head.fragmented = true;
        self.head = Some(head);
        Some(Pdu { packet, bytes: room, ends: false, lost })
    }

    /// The fragment that was sent last is lost.
    pub(super) fn lose_fragment(&mut self) {
        if let Some(head) = &mut self.head {
            head.lost = true;
        }
    }

    /// Drops SDUs of `station` from the head that need `bytes` together, at least one; returns how many. An
    /// SDU that exceeds them has left its queue and goes next.
    #[cold]
    pub(super) fn discard(
        &mut self,
        now: Instant,
        (station, listening): (NodeId, Listening),
        bytes: u64,
        overhead: Overhead,
        cell: &mut impl CellContext,
    ) -> u64 {
        let (mut dropped, mut left) = (0, bytes);
        while dropped == 0 || left > 0 {
            let Some(head) = self.take_head(now, cell) else { break };
            let need = u64::from(head.need(overhead));
            if dropped > 0 && need > left {
                self.head = Some(head);
                break;
            }
            if listening >= Listening::Outcomes {
                tell_end(now, head.packet, [station; 2], Outcome::GivenUp, cell);
            }
            cell.release(now, head.packet, TxStatus::Dropped);
            dropped += 1;
            left = left.saturating_sub(need);
        }
        dropped
    }

    #[inline(always)]
    fn take_head(&mut self, now: Instant, cell: &mut impl CellContext) -> Option<Head> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        let taken = cell.take(now, self.queue, u32::MAX)?;
        let (packet, left) = (taken.packet, taken.bytes);
        Some(Head { packet, left, fragmented: false, lost: false })
    }
}
