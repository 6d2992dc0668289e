//! What a burst carries.

use super::burst::Burst;
use super::connection::GRANT_MANAGEMENT;
use super::events::keep_pdu;
use super::state::{SduEnd, Wimax};
use crate::loss::FrameKind;
use crate::medium::wimax::scheduler::Allocation;
use crate::medium::{CellContext, Listening, Transmission};
use crate::packet::Direction;
use crate::time::Instant;

impl Wimax {
    /// Fills the burst of allocation `index`, whose data symbols begin with `first_symbol`.
    #[inline(always)]
    pub(super) fn fill(
        &mut self,
        now: Instant,
        direction: Direction,
        index: usize,
        first_symbol: u32,
        cell: &mut impl CellContext,
    ) {
        let Allocation { station: number, symbols } = self.allocations[index];
        let overhead = self.overhead;
        let size = self.sizes[number];
        let station = &mut self.stations[number];
        let (node, mode) = (station.node, station.mode);
        let side = station.side(direction);
        let mut room = symbols * size.bytes();
        let piggyback = self.config.piggyback && direction == Direction::Up;
        if piggyback && side.connection.need(overhead, cell) > u64::from(room) {
            room -= GRANT_MANAGEMENT;
        }
        let mut burst = Burst {
            station: node,
            direction,
            first_symbol,
            symbols,
            bytes: 0,
            pdus: 0,
            corrupted_bytes: 0,
        };
        let announced = self.listening == Listening::Everything;
        // Whether the burst begins with the rest of an SDU.
        let continues = announced && side.connection.head().is_some_and(|head| head.fragmented);
        // Whether the burst carries a request, and whether its PDU is corrupted.
        let mut carried = None;
        let ends = match direction {
            Direction::Down => &mut self.downlink,
            Direction::Up => &mut self.uplink,
        };
        let mut next = side.connection.next_pdu(now, room, overhead, cell);
        while let Some(mut pdu) = next {
            room -= pdu.bytes;
            next = side.connection.next_pdu(now, room, overhead, cell);
            let requests = piggyback && next.is_none() && !side.connection.is_empty(cell);
            if requests {
                pdu.bytes += GRANT_MANAGEMENT;
            }
            burst.pdus += 1;
            burst.bytes += pdu.bytes;
            let last_symbol = first_symbol + size.symbols(burst.bytes);
            let at = now + self.layout.time(direction, last_symbol);
            let (kind, bytes) = (FrameKind::Data, pdu.bytes);
            let air = Transmission { kind, at, station: node, direction, mode, bytes };
            let corrupted = cell.no_loss_before(node) <= at && cell.is_corrupted(&air);
            if corrupted {
                burst.corrupted_bytes += bytes;
            }
            if requests {
                carried = Some(corrupted);
            }
            if announced {
                keep_pdu(&mut self.mpdus, pdu, at, continues, corrupted);
            }
            if pdu.ends {
                let (packet, lost) = (pdu.packet, pdu.lost || corrupted);
                ends.push(SduEnd { at, packet, station: number as u32, lost });
            } else if corrupted {
                side.connection.lose_fragment();
            }
        }
        side.pdus += u64::from(burst.pdus);
        self.bursts.push(burst);
        if let Some(corrupted) = carried {
            let need = side.connection.need(overhead, cell);
            station.request.piggyback(now, self.next_frame, need, &self.config);
            if !corrupted {
                station.outstanding = station.request.value();
            }
        }
        if announced {
            let asks_for = carried.map(|_| station.request.value());
            self.keep_burst(burst, asks_for);
        }
    }
}
