//! A packet that waits in the queue, and what the discipline decides about it.

use std::io;

use evenair_core::packet::{ConnectionId, Ecn};
use evenair_core::queue::{Actions, DropReason, QueueItem};
use evenair_core::time::Instant;

use super::Counts;
use super::flows::FlowTable;
use super::headers::{Headers, mark};
use super::netfilter::{Arrival, NetfilterQueue};

/// A packet that waits for its verdict.
#[derive(Debug)]
pub struct Held {
    /// Its number in the netfilter queue.
    pub id: u32,
    /// Bytes at IP level.
    pub size: u32,
    /// When it arrived.
    pub arrived_at: Instant,
    connection: ConnectionId,
    progress: u64,
    is_pure_ack: bool,
    is_high_priority: bool,
    ecn: Ecn,
    /// The packet, if a mark would change it.
    bytes: Vec<u8>,
    is_changed: bool,
}

impl Held {
    /// A packet that has arrived; `None` if it is no IP packet.
    pub fn new(now: Instant, arrival: Arrival<'_>, flows: &mut FlowTable) -> Option<Self> {
        let headers = Headers::parse(arrival.bytes, arrival.size)?;
        let size = u32::try_from(arrival.size).ok()?;
        let (connection, progress) = flows.arrive(now, &headers, size);
        // Of a packet that is read in part nothing can be changed.
        let is_whole = arrival.bytes.len() == arrival.size;
        let ecn = if is_whole { headers.ecn } else { Ecn::NotCapable };
        let bytes = if ecn == Ecn::Capable { arrival.bytes.to_vec() } else { Vec::new() };
        Some(Self {
            id: arrival.id,
            size,
            arrived_at: now,
            connection,
            progress,
            is_pure_ack: headers.tcp.is_some_and(|tcp| tcp.is_pure_ack),
            is_high_priority: headers.is_high_priority,
            ecn,
            bytes,
            is_changed: false,
        })
    }

    /// Its bytes, if they are others than those that arrived.
    pub fn changed(&self) -> Option<&[u8]> {
        self.is_changed.then_some(&self.bytes)
    }
}

impl QueueItem for Held {
    fn connection(&self) -> ConnectionId {
        self.connection
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn is_pure_ack(&self) -> bool {
        self.is_pure_ack
    }

    fn is_high_priority(&self) -> bool {
        self.is_high_priority
    }

    fn enqueued_at(&self) -> Instant {
        self.arrived_at
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    /// Disciplines set it to CE only.
    fn set_ecn(&mut self, ecn: Ecn) {
        if ecn == Ecn::CongestionExperienced && self.ecn == Ecn::Capable {
            mark(&mut self.bytes);
            self.is_changed = true;
        }
        self.ecn = ecn;
    }
}

/// The drops and marks of a call of the discipline.
pub struct Verdicts<'a> {
    counts: &'a mut Counts,
    dropped: Vec<u32>,
}

impl<'a> Verdicts<'a> {
    /// None yet.
    pub fn new(counts: &'a mut Counts) -> Self {
        Self { counts, dropped: Vec::new() }
    }

    /// Tells the kernel which packets were dropped.
    ///
    /// # Errors
    /// The socket fails.
    pub fn pass_on(self, queue: &NetfilterQueue) -> io::Result<()> {
        self.dropped.into_iter().try_for_each(|id| queue.drop(id))
    }
}

impl Actions<Held> for Verdicts<'_> {
    fn drop(&mut self, packet: Held, _: DropReason) {
        self.counts.dropped += 1;
        self.dropped.push(packet.id);
    }

    fn marked(&mut self) {
        self.counts.marked += 1;
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::queue::ActionLog;

    use super::*;
    use crate::queue::headers::tests::{data, pure_ack, tcp_v4};

    fn held(bytes: &[u8], size: usize) -> Held {
        let arrival = Arrival { id: 3, size, bytes };
        Held::new(Instant::ZERO, arrival, &mut FlowTable::default()).unwrap()
    }

    #[test]
    fn a_mark_changes_packets_of_transports_with_ecn_only() {
        let mut log = ActionLog::new();
        for (field, is_marked, is_changed) in
            [(0, false, false), (1, true, true), (2, true, true), (3, true, false)]
        {
            let mut bytes = data(1);
            bytes[1] = field;
            let mut packet = held(&bytes, bytes.len());
            assert_eq!(log.mark(&mut packet), is_marked, "{field}");
            let expected = is_changed.then(|| {
                mark(&mut bytes);
                &bytes[..]
            });
            assert_eq!(packet.changed(), expected, "{field}");
        }
        assert_eq!(log.marked, 3);
    }

    #[test]
    fn a_packet_that_is_read_in_part_is_not_marked() {
        let mut bytes = data(1);
        bytes[1] = 2;
        let mut packet = held(&bytes, bytes.len() + 1);
        assert!(!ActionLog::new().mark(&mut packet));
        assert_eq!((packet.changed(), packet.size as usize), (None, bytes.len() + 1));
    }

    #[test]
    fn kinds_of_packets() {
        let ack = pure_ack(5);
        assert!(held(&ack, ack.len()).is_pure_ack());
        let mut marked = tcp_v4(1, 2, 0x10, &[], 100);
        assert!(!held(&marked, marked.len()).is_high_priority());
        marked[1] = 46 << 2;
        let marked = held(&marked, marked.len());
        assert!(marked.is_high_priority() && !marked.is_pure_ack());
    }
}
