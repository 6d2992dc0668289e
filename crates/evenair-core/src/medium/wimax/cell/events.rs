//! The events of a frame: its parts, requests and bursts. They are made for a cell that listens to them alone.

use super::burst::Burst;
use super::connection::{Pdu, tell_end};
use super::state::{SduEnd, Wimax};
use crate::medium::{
    Access, AccessDetail, AirEvent, CellContext, Contender, Fate, FramePart, Mpdu, Outcome, Ppdu,
    PpduKind, Slots,
};
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};

/// Bytes of a bandwidth request header (IEEE 802.16-2004, 6.3.2.1.2).
const REQUEST_BYTES: u32 = 6;

/// Keeps a PDU, which ends at `end`, until its burst is kept. The first of the burst may continue an SDU.
#[cold]
#[inline(never)]
pub(super) fn keep_pdu(
    mpdus: &mut Vec<Mpdu>,
    pdu: Pdu,
    end: Instant,
    continues: bool,
    corrupted: bool,
) {
    let Pdu { packet, bytes, ends: is_last, .. } = pdu;
    let is_first = !(continues && mpdus.is_empty());
    let fate = if corrupted { Fate::Corrupted } else { Fate::Received };
    mpdus.push(Mpdu { packet, bytes, end, is_first, is_last, fate, qos: None });
}

impl Wimax {
    /// Tells the cell of the end of an SDU that has been transmitted.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_end_of_sdu(
        &self,
        direction: Direction,
        end: SduEnd,
        cell: &mut impl CellContext,
    ) {
        let station = &self.stations[end.station as usize];
        let (from, _) = station.ends(direction);
        let outcome = if end.lost { Outcome::Failed } else { Outcome::Delivered };
        tell_end(end.at, end.packet, [from, station.node], outcome, cell);
    }

    /// Keeps `burst` with its PDUs until the frame is announced.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_burst(&mut self, burst: Burst, asks_for: Option<u32>) {
        let mpdus = std::mem::take(&mut self.mpdus);
        let station = &self.stations[burst.station.index() - 1];
        let (from, to) = station.ends(burst.direction);
        let is_corrupted = burst.corrupted_bytes > 0;
        self.filled.push(Ppdu {
            kind: PpduKind::Burst,
            from,
            to,
            start: self.frame_start + self.start_of(&burst),
            end: self.frame_start + self.end_of(&burst),
            mode: station.mode,
            bytes: burst.bytes,
            retries: 0,
            fate: if is_corrupted { Fate::Corrupted } else { Fate::Received },
            mpdus,
            asks_for,
            qos: None,
        });
    }

    /// Tells the cell of the frame that has just begun.
    #[cold]
    pub(super) fn announce(&mut self, cell: &mut impl CellContext) {
        let region = self.request_region();
        let [start, end] = region.map(|symbols| self.frame_start + symbols);
        let mut sent = self.sent_requests(region);
        sent.append(&mut self.filled);
        sent.sort_by_key(|ppdu| ppdu.start);
        cell.on_air(AirEvent::Access(Access {
            idle_since: self.frame_start,
            at: self.frame_start,
            slots: Slots { start, end, count: self.contention.opportunities().into() },
            contenders: self.contenders(),
            detail: AccessDetail::Frame(self.frame_parts()),
        }));
        for ppdu in sent {
            cell.on_air(AirEvent::Transmission(ppdu));
        }
    }

    /// The region of bandwidth requests, from the start of the frame.
    fn request_region(&self) -> [Duration; 2] {
        let symbols = [self.layout.before_requests(), self.layout.before_grants()];
        symbols.map(|symbols| self.layout.time(Direction::Up, symbols))
    }

    fn frame_parts(&self) -> Vec<(FramePart, Instant)> {
        let layout = &self.layout;
        let of = |wanted| self.bursts.iter().filter(|b| b.direction == wanted).count() as u32;
        let descriptors = self.descriptors_in + 1 == self.descriptor_period;
        let broadcast = layout.before_bursts(of(Direction::Up), of(Direction::Down), descriptors);
        let symbol = |direction, symbol| self.frame_start + layout.time(direction, symbol);
        let (down, up) = (Direction::Down, Direction::Up);
        vec![
            (FramePart::Broadcast, symbol(down, broadcast.min(layout.symbols(down)))),
            (FramePart::Downlink, symbol(down, layout.symbols(down))),
            (FramePart::Gap, symbol(up, 0)),
            (FramePart::Ranging, symbol(up, layout.before_requests())),
            (FramePart::Requests, symbol(up, layout.before_grants())),
            (FramePart::Uplink, symbol(up, layout.symbols(up))),
            (FramePart::Gap, self.next_frame),
        ]
    }

    /// The stations with a request that was sent in contention, or is yet to be.
    fn contenders(&self) -> Vec<Contender> {
        let opportunities = u64::from(self.contention.opportunities());
        let contender = |node: NodeId, before: u64, transmits: bool| Contender {
            node,
            category: None,
            from: 0,
            before,
            after: before.saturating_sub(opportunities),
            has_frame: true,
            immediate: false,
            transmits,
        };
        let sent = self
            .contention
            .outcomes()
            .map(|(index, skipped, _)| contender(self.stations[index].node, skipped.into(), true));
        let waiting = self.stations.iter().filter_map(|station| {
            let left = u64::from(station.request.backoff()?);
            Some(contender(station.node, left + opportunities, false))
        });
        let mut all: Vec<_> = sent.chain(waiting).collect();
        all.sort_by_key(|contender| contender.node);
        all
    }

    /// The requests sent in contention, in order of station. Opportunities divide their region evenly.
    fn sent_requests(&self, [start, end]: [Duration; 2]) -> Vec<Ppdu> {
        let opportunities = u64::from(self.contention.opportunities());
        let region = (end - start).as_nanos();
        let at = |opportunity: u32| {
            let part = Duration::from_nanos(region * u64::from(opportunity) / opportunities);
            self.frame_start + start + part
        };
        let sent = self.contention.outcomes().map(|(index, skipped, is_received)| {
            let station = &self.stations[index];
            Ppdu {
                kind: PpduKind::Request,
                from: station.node,
                to: NodeId::ACCESS_POINT,
                start: at(skipped),
                end: at(skipped + 1),
                mode: Self::REQUESTS,
                bytes: REQUEST_BYTES,
                retries: station.request.retries(),
                fate: if is_received { Fate::Received } else { Fate::Collided },
                mpdus: Vec::new(),
                asks_for: Some(station.request.value()),
                qos: None,
            }
        });
        sent.collect()
    }
}
