//! A packet that waits in the queue, and what the discipline decides about it.

use std::io;

use evenair_core::ip::IpPacket;
use evenair_core::ip::flows::FlowTable;
use evenair_core::ip::headers::{Headers, mark};
use evenair_core::packet::Ecn;
use evenair_core::queue::{Actions, DropReason, QueueItem};
use evenair_core::time::Instant;

use super::downlink::Counts;
use super::netfilter::{Arrival, NetfilterQueue};

/// A packet that waits for its verdict.
pub type Held = IpPacket<Content>;

/// What stands for the bytes of a packet.
#[derive(Debug)]
pub struct Content {
    /// Its number in the netfilter queue.
    pub id: u32,
    /// The packet, if a mark would change it.
    bytes: Vec<u8>,
}

/// A packet that has arrived; `None` if it is no IP packet.
pub fn hold(now: Instant, arrival: Arrival<'_>, flows: &mut FlowTable) -> Option<Held> {
    let mut headers = Headers::parse(arrival.bytes, arrival.size)?;
    let size = u32::try_from(arrival.size).ok()?;
    if arrival.bytes.len() != arrival.size {
        // Of a packet that is read in part nothing can be changed.
        headers.ecn = Ecn::NotEct;
    }
    let bytes = if matches!(headers.ecn, Ecn::Ect0 | Ecn::Ect1) {
        arrival.bytes.to_vec()
    } else {
        Vec::new()
    };
    Some(IpPacket::new(now, &headers, size, flows, Content { id: arrival.id, bytes }))
}

/// The bytes of a packet that leaves, if they are others than those that arrived.
pub fn changed(packet: &mut Held) -> Option<&[u8]> {
    let is_marked = packet.ecn() == Ecn::Ce;
    let bytes = &mut packet.content.bytes;
    if bytes.is_empty() || !is_marked {
        return None;
    }
    mark(bytes);
    Some(bytes)
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
        self.dropped.push(packet.content.id);
    }

    fn marked(&mut self) {
        self.counts.marked += 1;
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::queue::ActionLog;

    use super::*;

    /// A TCP segment of 1000 bytes over IPv4 with this ECN field.
    fn segment(ecn: u8) -> Vec<u8> {
        let mut packet = vec![0x45, ecn, 0x04, 0x10, 0, 1, 0x40, 0, 64, 6, 0, 0];
        packet.extend([192, 0, 2, 1, 198, 51, 100, 7]);
        packet.extend([0x01, 0xbb, 0xc3, 0x50, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10]);
        packet.resize(1040, 0);
        packet
    }

    fn held(bytes: &[u8], size: usize) -> Held {
        let arrival = Arrival { id: 3, size, bytes };
        hold(Instant::ZERO, arrival, &mut FlowTable::default()).unwrap()
    }

    #[test]
    fn a_mark_changes_packets_of_transports_with_ecn_only() {
        let mut log = ActionLog::new();
        for (field, is_marked, is_changed) in
            [(0, false, false), (1, true, true), (2, true, true), (3, true, false)]
        {
            let mut bytes = segment(field);
            let mut packet = held(&bytes, bytes.len());
            assert_eq!(log.mark(&mut packet), is_marked, "{field}");
            let expected = is_changed.then(|| {
                mark(&mut bytes);
                &bytes[..]
            });
            assert_eq!(changed(&mut packet), expected, "{field}");
        }
        assert_eq!(log.marked, 3);
    }

    #[test]
    fn a_packet_that_is_read_in_part_is_not_marked() {
        let bytes = segment(2);
        let mut packet = held(&bytes, bytes.len() + 1);
        assert!(!ActionLog::new().mark(&mut packet));
        assert_eq!(packet.size as usize, bytes.len() + 1);
        assert_eq!(changed(&mut packet), None);
    }
}
