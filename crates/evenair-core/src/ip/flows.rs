//! The flows of the queue: their numbers, and how far each has progressed.
//!
//! Progress of TCP is that in sequence space since the first packet seen: the sequence number of
//! segments, the acknowledgement number of those without payload, each since its own first value and
//! without the wrap at 2^32. An old number has less progress than the latest one, and one before the
//! first has none. Other protocols progress by their bytes. A SYN begins another connection.
//!
//! A flow that has been silent for 60 s (the `flow_timeout` of LAS) is forgotten, and starts again without progress.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::packet::{ConnectionId, FlowId};
use crate::queue::LasConfig;
use crate::time::{Duration, Instant};

use super::headers::{FlowKey, Headers, Tcp};

/// More flows than this at once are an attack or an error: then the table starts again. A decision:
/// they take some 3 MB.
const MOST_FLOWS: usize = 16_384;
/// How often flows that are silent are looked for.
const SWEEP: Duration = Duration::from_secs(1);

/// The flows that were seen lately.
#[derive(Debug)]
pub struct FlowTable {
    flows: BTreeMap<FlowKey, Flow>,
    next: u32,
    timeout: Duration,
    swept_at: Instant,
}

#[derive(Debug)]
struct Flow {
    id: FlowId,
    connection: u8,
    /// The sequence number of the last SYN.
    syn: Option<u32>,
    sent: Position,
    acknowledged: Position,
    /// Of other protocols than TCP.
    bytes: u64,
    seen_at: Instant,
}

/// A position in a sequence space, which starts at the first number seen.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// The latest number, and its distance from the first.
    latest: Option<(u32, u64)>,
}

impl Default for FlowTable {
    /// A table without flows.
    fn default() -> Self {
        // As the disciplines that have a table of flows.
        let timeout = LasConfig::default().flow_timeout;
        Self { flows: BTreeMap::new(), next: 0, timeout, swept_at: Instant::ZERO }
    }
}

impl FlowTable {
    /// The connection of a packet of `size` bytes that has arrived, and its progress.
    pub fn arrive(&mut self, now: Instant, headers: &Headers, size: u32) -> (ConnectionId, u64) {
        self.forget_silent(now);
        let flow = match self.flows.entry(headers.key) {
            Entry::Occupied(flow) => flow.into_mut(),
            Entry::Vacant(place) => {
                let id = FlowId(self.next);
                // The last number stands for packets of no flow.
                self.next = (self.next + 1) % FlowId::NONE.0;
                place.insert(Flow::new(id))
            }
        };
        flow.seen_at = now;
        let progress = match &headers.tcp {
            Some(tcp) => flow.progress(tcp),
            None => {
                flow.bytes += u64::from(size);
                flow.bytes - u64::from(size)
            }
        };
        ((flow.id, flow.connection), progress)
    }

    fn forget_silent(&mut self, now: Instant) {
        if now.since(self.swept_at) >= SWEEP {
            self.swept_at = now;
            self.flows.retain(|_, flow| now.since(flow.seen_at) <= self.timeout);
        }
        if self.flows.len() >= MOST_FLOWS {
            self.flows.clear();
        }
    }
}

impl Flow {
    fn new(id: FlowId) -> Self {
        let (sent, acknowledged) = Default::default();
        let (syn, seen_at) = (None, Instant::ZERO);
        Self { id, connection: 0, syn, sent, acknowledged, bytes: 0, seen_at }
    }

    fn progress(&mut self, tcp: &Tcp) -> u64 {
        // A SYN that is sent again has the number of the first.
        if tcp.is_syn && self.syn != Some(tcp.seq) {
            let is_another = self.sent.latest.is_some() || self.acknowledged.latest.is_some();
            self.connection = self.connection.wrapping_add(u8::from(is_another));
            (self.sent, self.acknowledged, self.syn) = Default::default();
            self.syn = Some(tcp.seq);
        }
        match tcp.ack {
            Some(ack) if tcp.payload == 0 && !tcp.is_syn => self.acknowledged.at(ack),
            _ => self.sent.at(tcp.seq),
        }
    }
}

impl Position {
    /// The distance of `number` from the first.
    fn at(&mut self, number: u32) -> u64 {
        let (latest, distance) = *self.latest.get_or_insert((number, 0));
        // The nearest position with this number (RFC 9293 section 3.4).
        let ahead = number.wrapping_sub(latest).cast_signed();
        let position = distance.saturating_add_signed(ahead.into());
        if ahead > 0 {
            self.latest = Some((number, position));
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ip::headers::tests::{data, pure_ack, tcp_v4};

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    fn arrive(table: &mut FlowTable, now: Instant, bytes: &[u8]) -> (ConnectionId, u64) {
        table.arrive(now, &Headers::parse(bytes, bytes.len()).unwrap(), bytes.len() as u32)
    }

    #[test]
    fn progress_counts_from_the_first_number_and_over_the_wrap() {
        let mut table = FlowTable::default();
        let first = 0xffff_ff00_u32;
        for (number, expected) in [
            (first, 0),
            (first.wrapping_add(1000), 1000),
            (first.wrapping_add(500), 500),
            (first.wrapping_add(2_000_000_000), 2_000_000_000),
            (first.wrapping_add(4_000_000_000), 4_000_000_000),
            // 5,000,000,000 is beyond 2^32.
            (first.wrapping_add(705_032_704), 5_000_000_000),
            (first.wrapping_add(705_032_703), 4_999_999_999),
        ] {
            assert_eq!(arrive(&mut table, at(0), &data(number)).1, expected, "{number}");
        }
        // Acknowledgements of the same flow have a space of their own.
        assert_eq!(arrive(&mut table, at(0), &pure_ack(77)).1, 0);
        assert_eq!(arrive(&mut table, at(0), &pure_ack(177)).1, 100);
        assert_eq!(arrive(&mut table, at(0), &pure_ack(50)).1, 0);
    }

    #[test]
    fn a_syn_begins_another_connection() {
        let mut table = FlowTable::default();
        let syn = |seq| tcp_v4(seq, 0, 0x02, &[], 0);
        let first = arrive(&mut table, at(0), &syn(9)).0;
        assert_eq!(arrive(&mut table, at(0), &data(10 + 5000)), (first, 5001));
        assert_eq!(arrive(&mut table, at(0), &syn(9)), (first, 0));
        assert_eq!(arrive(&mut table, at(0), &data(10 + 6000)), (first, 6001));
        let second = arrive(&mut table, at(1), &syn(70_000));
        assert_eq!(second, ((first.0, first.1 + 1), 0));
        assert_eq!(arrive(&mut table, at(1), &data(70_001)), (second.0, 1));
    }

    #[test]
    fn a_silent_flow_is_forgotten() {
        let mut table = FlowTable::default();
        let first = arrive(&mut table, at(0), &data(0)).0;
        assert_eq!(arrive(&mut table, at(60), &data(1000)), (first, 1000));
        let later = arrive(&mut table, at(122), &data(3000));
        assert!(later.0 != first && later.1 == 0, "{later:?}");
    }

    #[test]
    fn the_table_is_bounded() {
        let mut table = FlowTable::default();
        let mut headers = Headers::parse(&data(0), 40).unwrap();
        for flow in 0..200_000_u32 {
            headers.key.ports = [(flow >> 16) as u16, flow as u16];
            table.arrive(at(0), &headers, 40);
            assert!(table.flows.len() <= MOST_FLOWS);
        }
    }

    #[test]
    fn other_protocols_progress_by_bytes() {
        let mut table = FlowTable::default();
        let mut packet = data(0);
        packet[9] = 17;
        assert_eq!(arrive(&mut table, at(0), &packet).1, 0);
        assert_eq!(arrive(&mut table, at(0), &packet).1, packet.len() as u64);
    }
}
