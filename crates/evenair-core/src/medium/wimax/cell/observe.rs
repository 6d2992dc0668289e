//! What an observer sees of the frames: all that is decided at the start of one. Nothing here changes the
//! cell, and a cell that nobody observes does nothing for it.
//!
//! The medium keeps bursts and the ends of SDUs. Their PDUs follow from these and from the SDUs that were
//! not complete before the frame ([`Before`]).

use super::burst::Burst;
use super::connection::Head;
use super::state::Wimax;
use super::station::Station;
use crate::medium::PacketId;
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Bytes of a bandwidth request header (IEEE 802.16-2004, 6.3.2.1.2).
const REQUEST_BYTES: u32 = 6;

/// The cell before a frame.
#[derive(Clone, Debug)]
pub struct Before {
    /// When the frame begins.
    pub begins: Instant,
    /// Whether the frame has something to do even if nothing waits in the queues: a request is pending, a
    /// request has been received, or an SDU is not complete.
    pub is_pending: bool,
    /// By station and direction.
    heads: Vec<[Option<Head>; 2]>,
}

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Preamble, FCH, maps, and DCD and UCD where the frame has them.
    Broadcast,
    /// Downlink bursts.
    Downlink,
    /// TTG, or RTG with what is left of the frame.
    Gap,
    /// The ranging region, and the gap behind it.
    Ranging,
    /// The region of bandwidth requests.
    Requests,
    /// Uplink bursts.
    Uplink,
}

/// A frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its parts with their ends, in order of time. The first begins with the frame, each other one at the
    /// end of the one before.
    pub parts: Vec<(Part, Instant)>,
    /// The bursts in order of time.
    pub bursts: Vec<FilledBurst>,
    /// The requests sent in contention, in order of station.
    pub requests: Vec<Request>,
    /// The stations whose requests are not sent yet, and the opportunities that they have yet to skip.
    pub backoffs: Vec<(NodeId, u32)>,
    /// Request opportunities of a frame.
    pub opportunities: u32,
}

/// A burst and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledBurst {
    /// Transmitter.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// When it begins: in the uplink with its preamble.
    pub start: Instant,
    /// The end of its last symbol.
    pub end: Instant,
    /// Its rate.
    pub rate: Rate,
    /// Bytes of its PDUs.
    pub bytes: u32,
    /// The PDUs in order.
    pub pdus: Vec<Pdu>,
    /// Bytes that a piggybacked request in its last PDU asks for.
    pub asks_for: Option<u32>,
}

/// A PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// The SDU that it carries, or a fragment of it.
    pub packet: PacketId,
    /// With headers.
    pub bytes: u32,
    /// The end of the symbol in which it ends.
    pub end: Instant,
    /// Whether its SDU begins with it.
    pub is_first: bool,
    /// Whether its SDU ends with it.
    pub is_last: bool,
    /// Whether it is lost.
    pub is_corrupted: bool,
}

/// A bandwidth request sent in contention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The station.
    pub station: NodeId,
    /// Opportunities that it has skipped in this frame.
    pub skipped: u32,
    /// When its opportunity begins. Opportunities divide their region evenly.
    pub start: Instant,
    /// When its opportunity ends.
    pub end: Instant,
    /// Its rate.
    pub rate: Rate,
    /// Its size on the air.
    pub bytes: u32,
    /// Bytes that it asks for.
    pub asks_for: u32,
    /// How often it has been repeated.
    pub retries: u32,
    /// Whether it is alone in its opportunity.
    pub is_received: bool,
}

impl Wimax {
    /// The present state, if all that the last frame has brought is over.
    pub fn before_frame(&self) -> Option<Before> {
        if self.next_end().is_some() {
            return None;
        }
        let heads =
            |station: &Station| [station.down.connection.head(), station.up.connection.head()];
        let is_pending = self.stations.iter().any(|station| {
            station.outstanding > 0
                || station.request.is_pending()
                || heads(station).iter().any(Option::is_some)
        });
        let heads = self.stations.iter().map(heads).collect();
        Some(Before { begins: self.next_frame, is_pending, heads })
    }

    /// Packets that have left the queues of the base station and are not complete, in order of station.
    pub fn incomplete(&self) -> impl Iterator<Item = PacketId> {
        let heads = self.stations.iter().filter_map(|station| station.down.connection.head());
        heads.map(|head| head.packet)
    }

    /// The frame that has just begun after `before`; `None` if none has. `size` has the bytes of an SDU.
    pub fn frame(&self, before: &Before, size: impl Fn(PacketId) -> u32) -> Option<Frame> {
        if self.frame_start != before.begins || self.next_frame == before.begins {
            return None;
        }
        let mut bursts: Vec<_> =
            self.bursts.iter().map(|burst| self.filled(burst, before, &size)).collect();
        bursts.sort_by_key(|burst| burst.start);
        let backoff =
            |station: &Station| station.request.backoff().map(|left| (station.node, left));
        Some(Frame {
            parts: self.parts(),
            bursts,
            requests: self.requests(),
            backoffs: self.stations.iter().filter_map(backoff).collect(),
            opportunities: self.contention.opportunities(),
        })
    }

    fn parts(&self) -> Vec<(Part, Instant)> {
        let layout = &self.layout;
        let of = |wanted| self.bursts.iter().filter(|b| b.direction == wanted).count() as u32;
        let descriptors = self.descriptors_in + 1 == self.descriptor_period;
        let broadcast = layout.before_bursts(of(Direction::Up), of(Direction::Down), descriptors);
        let symbol = |direction, symbol| self.frame_start + layout.time(direction, symbol);
        let (down, up) = (Direction::Down, Direction::Up);
        vec![
            (Part::Broadcast, symbol(down, broadcast.min(layout.symbols(down)))),
            (Part::Downlink, symbol(down, layout.symbols(down))),
            (Part::Gap, symbol(up, 0)),
            (Part::Ranging, symbol(up, layout.before_requests())),
            (Part::Requests, symbol(up, layout.before_grants())),
            (Part::Uplink, symbol(up, layout.symbols(up))),
            (Part::Gap, self.next_frame),
        ]
    }

    fn filled(
        &self,
        burst: &Burst,
        before: &Before,
        size: &impl Fn(PacketId) -> u32,
    ) -> FilledBurst {
        let index = burst.station.index() - 1;
        let (station, symbol) = (&self.stations[index], self.sizes[index]);
        let (from, to) = station.ends(burst.direction);
        let (side, ends) = match burst.direction {
            Direction::Down => (&station.down, &self.downlink),
            Direction::Up => (&station.up, &self.uplink),
        };
        // Packet, whether it ends in this burst, whether it is lost.
        let own = ends.iter().filter(|end| end.station as usize == index);
        let mut sdus: Vec<_> = own.map(|end| (end.packet, true, end.lost)).collect();
        if sdus.len() < burst.pdus as usize {
            sdus.extend(side.connection.head().map(|head| (head.packet, false, head.lost)));
        }
        // What was left of an SDU goes first.
        let mut begun = before.heads[index][usize::from(burst.direction == Direction::Up)];
        let had_lost = begun.is_some_and(|head| head.lost);
        let (mut left, mut corrupted) = (burst.bytes, burst.corrupted_bytes);
        let mut pdus: Vec<Pdu> = Vec::with_capacity(sdus.len());
        for &(packet, is_last, is_lost) in &sdus {
            let head = begun.take();
            let is_final = pdus.len() + 1 == sdus.len();
            let bytes = match head {
                // A fragment that fills the burst, or a PDU with a request.
                _ if is_final => left,
                Some(head) => head.need(self.overhead),
                None => self.overhead.of_whole(size(packet)),
            };
            left -= bytes;
            let symbols = burst.first_symbol + symbol.symbols(burst.bytes - left);
            let is_corrupted = is_lost && !head.is_some_and(|head| head.lost);
            corrupted -= if is_corrupted { bytes } else { 0 };
            pdus.push(Pdu {
                packet,
                bytes,
                end: self.frame_start + self.layout.time(burst.direction, symbols),
                is_first: head.is_none(),
                is_last,
                is_corrupted,
            });
        }
        // Whether a further fragment of an SDU that had lost one is corrupted is not kept.
        if let Some(first) = pdus.first_mut().filter(|_| had_lost) {
            first.is_corrupted = corrupted > 0;
        }
        let asked = station.request.sent() == Some(self.next_frame);
        FilledBurst {
            from,
            to,
            start: self.frame_start + self.start_of(burst),
            end: self.frame_start + self.end_of(burst),
            rate: station.rate,
            bytes: burst.bytes,
            pdus,
            asks_for: (asked && burst.direction == Direction::Up).then(|| station.request.value()),
        }
    }

    fn requests(&self) -> Vec<Request> {
        let layout = &self.layout;
        let time = |symbol| layout.time(Direction::Up, symbol);
        let (start, end) = (time(layout.before_requests()), time(layout.before_grants()));
        let opportunities = u64::from(self.contention.opportunities());
        let region = (end - start).as_nanos();
        let at = |opportunity: u32| {
            let part = Duration::from_nanos(region * u64::from(opportunity) / opportunities);
            self.frame_start + start + part
        };
        let sent = self.contention.outcomes().map(|(index, skipped, is_received)| {
            let station = &self.stations[index];
            Request {
                station: station.node,
                skipped,
                start: at(skipped),
                end: at(skipped + 1),
                rate: self.config.phy.rate(self.config.bytes_per_symbol),
                bytes: REQUEST_BYTES,
                asks_for: station.request.value(),
                retries: station.request.retries(),
                is_received,
            }
        });
        sent.collect()
    }
}
