//! What an observer sees of the channel between two polls: the counters of an idle period, and the
//! frames of the access that ends it. Nothing here changes the cell, and a cell that nobody observes does
//! nothing for it.

use super::exchange::{ExchangeFrame, Failure};
use super::mac::Mac;
use super::state::{Dcf, Phase};
use crate::medium::PacketId;
use crate::medium::wlan::contention::Counter;
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use crate::packet::NodeId;
use crate::time::Instant;
use crate::units::Rate;

/// An idle period of the medium.
#[derive(Clone, Debug)]
pub struct IdlePeriod {
    /// When the slot boundaries begin: a DIFS after the end of the last frame.
    pub grid: Instant,
    /// The boundary of the next access, and its time, if no further packet arrives; none if no node has a
    /// frame.
    pub next_access: Option<(u64, Instant)>,
    /// The nodes that count down, in order of node.
    pub counters: Vec<Counter>,
    macs: Vec<MacBefore>,
}

/// A MAC before its next attempt.
#[derive(Clone, Copy, Debug)]
struct MacBefore {
    /// Failed attempts that count for the short retry limit.
    short_retries: u32,
    /// Whether the packet that it sends has been received.
    received: bool,
}

/// The access with which an idle period has ended.
#[derive(Clone, Debug)]
pub struct Access {
    /// Who transmits, in order of node.
    pub transmitters: Vec<Transmitter>,
    /// In order of their beginning, those of a collision in order of node.
    pub frames: Vec<AirFrame>,
    /// The nodes that count down as soon as the medium is idle, in order of node.
    pub counters: Vec<Counter>,
}

/// A node that has won access, alone or together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmitter {
    /// The node.
    pub node: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The packet, which is a beacon if `to` is [`NodeId::BROADCAST`].
    pub packet: Option<PacketId>,
    /// The contention window of this attempt, slots.
    pub cw: u32,
    /// The backoff drawn for it, slots; 0 without one.
    pub backoff: u32,
    /// Whether the packet has been received already, so that only its acknowledgement is missing.
    pub repeats: bool,
}

/// The type of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameType {
    /// Request to send.
    Rts,
    /// Clear to send: the answer to an RTS, or addressed to its sender itself.
    Cts,
    /// Data.
    Data,
    /// Acknowledgement.
    Ack,
    /// Beacon.
    Beacon,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameFate {
    /// Its receiver decodes it. Of a beacon: it meets no other frame.
    Received,
    /// It meets another frame.
    Collided,
    /// A channel or loss model corrupts it.
    Corrupted,
}

/// A frame on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirFrame {
    /// Its type.
    pub kind: FrameType,
    /// Its transmitter.
    pub from: NodeId,
    /// Its receiver; [`NodeId::BROADCAST`] of a beacon.
    pub to: NodeId,
    /// When its preamble begins.
    pub start: Instant,
    /// Its end.
    pub end: Instant,
    /// Its rate.
    pub rate: Rate,
    /// Bytes on the air, with MAC header and FCS.
    pub bytes: u32,
    /// Of data and RTS: how often it was sent before, of an RTS since the last one that was answered.
    pub retries: u32,
    /// What becomes of it.
    pub fate: FrameFate,
}

impl Dcf {
    /// The present idle period; `None` while a frame exchange goes on.
    pub fn idle_period(&self) -> Option<IdlePeriod> {
        let Phase::Idle { grid } = self.phase else { return None };
        let before = |mac: &Mac| {
            let (short_retries, received) = (mac.short_retries, mac.received);
            MacBefore { short_retries, received }
        };
        let at = |boundary| (boundary, grid + self.config.phy.slot * boundary);
        Some(IdlePeriod {
            grid,
            next_access: self.contention.next_access().map(at),
            counters: self.contention.counters(),
            macs: self.macs.iter().map(before).collect(),
        })
    }

    /// The packet that the MAC of `node` sends, or sends next.
    pub fn packet_of(&self, node: NodeId) -> Option<PacketId> {
        self.macs[node.index()].packet
    }

    /// Packets that the MAC of `node` has given up since the start.
    pub fn dropped(&self, node: NodeId) -> u64 {
        self.macs[node.index()].usage.dropped
    }

    /// The access at `at` that has just ended the idle period `before`; `None` while the medium is idle.
    pub fn access(&self, before: &IdlePeriod, at: Instant) -> Option<Access> {
        let corrupted = match self.phase {
            Phase::Idle { .. } => return None,
            Phase::Failing(Failure::Corrupted(frame)) => Some(frame),
            Phase::Sending if !self.exchange.acknowledged => Some(ExchangeFrame::Ack),
            Phase::Sending | Phase::Acknowledging | Phase::Failing(Failure::Collision) => None,
        };
        let transmitter = |&node: &NodeId| {
            let mac = &self.macs[node.index()];
            let (packet, cw, backoff) = (mac.packet, mac.cw, mac.drawn);
            let repeats = before.macs[node.index()].received;
            Transmitter { node, to: mac.to, packet, cw, backoff, repeats }
        };
        let frames = match self.transmitters[..] {
            [node] => self.frames_of_exchange(node, before, corrupted),
            _ => {
                let each = self.transmitters.iter();
                each.flat_map(|&node| self.colliding_frames(node, before, at)).collect()
            }
        };
        Some(Access {
            transmitters: self.transmitters.iter().map(transmitter).collect(),
            frames,
            counters: self.contention.counters(),
        })
    }

    /// The frames of the exchange of `node` up to the first that is corrupted.
    fn frames_of_exchange(
        &self,
        node: NodeId,
        before: &IdlePeriod,
        corrupted: Option<ExchangeFrame>,
    ) -> Vec<AirFrame> {
        let (mac, exchange) = (&self.macs[node.index()], &self.exchange);
        let data = AirFrame {
            kind: FrameType::Data,
            from: node,
            to: mac.to,
            start: exchange.data_start,
            end: exchange.data_end,
            rate: exchange.rate,
            bytes: mac.bytes,
            retries: exchange.retries,
            fate: FrameFate::Received,
        };
        if mac.to == NodeId::BROADCAST {
            return vec![AirFrame { kind: FrameType::Beacon, ..data }];
        }
        let (sifs, control) = (self.config.phy.sifs, self.config.control_frames(exchange.rate));
        let rts_end = exchange.start + control.rts;
        let rts = AirFrame {
            kind: FrameType::Rts,
            start: exchange.start,
            end: rts_end,
            rate: control.rts_rate,
            bytes: RTS_BYTES,
            retries: before.macs[node.index()].short_retries,
            ..data
        };
        let cts = |from, start| AirFrame {
            kind: FrameType::Cts,
            from,
            to: node,
            start,
            end: start + control.cts,
            rate: control.rts_rate,
            bytes: CTS_BYTES,
            retries: 0,
            fate: FrameFate::Received,
        };
        let ack = AirFrame {
            kind: FrameType::Ack,
            from: mac.to,
            to: node,
            start: exchange.data_end + sifs,
            end: exchange.ack_end,
            rate: control.rate,
            bytes: ACK_BYTES,
            retries: 0,
            fate: FrameFate::Received,
        };
        let mut frames = Vec::with_capacity(4);
        if exchange.rts {
            frames.push((ExchangeFrame::Rts, rts));
            frames.push((ExchangeFrame::Cts, cts(mac.to, rts_end + sifs)));
        } else if exchange.cts_to_self {
            frames.push((ExchangeFrame::Cts, cts(node, exchange.start)));
        }
        frames.push((ExchangeFrame::Data, data));
        frames.push((ExchangeFrame::Ack, ack));
        if let Some(place) = frames.iter().position(|(name, _)| Some(*name) == corrupted) {
            frames[place].1.fate = FrameFate::Corrupted;
            frames.truncate(place + 1);
        }
        frames.into_iter().map(|(_, frame)| frame).collect()
    }

    /// What `node` transmits at `at` together with others: its first frame that has a response, and what
    /// protects it.
    fn colliding_frames(&self, node: NodeId, before: &IdlePeriod, at: Instant) -> Vec<AirFrame> {
        let mac = &self.macs[node.index()];
        let fate = FrameFate::Collided;
        let (station, direction) = mac.link_from(node);
        let retries = before.macs[node.index()].short_retries;
        let frame = |kind, to, (start, end), rate, bytes| AirFrame {
            kind,
            from: node,
            to,
            start,
            end,
            rate,
            bytes,
            retries,
            fate,
        };
        let end = at + mac.first_frame;
        let Some(links) = self.links.get(station.index()) else {
            let rate = self.links[NodeId::ACCESS_POINT.index()][0].frames().rate;
            let beacon = frame(FrameType::Beacon, mac.to, (at, end), rate, mac.bytes);
            return vec![AirFrame { retries: 0, ..beacon }];
        };
        let frames = links[direction].frames();
        let (control, start) = (&frames.control, at + frames.prelude);
        if mac.needs_rts {
            return vec![frame(FrameType::Rts, mac.to, (at, end), control.rts_rate, RTS_BYTES)];
        }
        let data = frame(FrameType::Data, mac.to, (start, end), frames.rate, mac.bytes);
        if start == at {
            return vec![data];
        }
        let ends = (at, at + control.cts);
        let cts = frame(FrameType::Cts, node, ends, control.rts_rate, CTS_BYTES);
        vec![AirFrame { retries: 0, ..cts }, data]
    }
}
