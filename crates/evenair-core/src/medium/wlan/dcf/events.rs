//! The events of an access: who counted down, who transmits, and the frames. They are made for a cell that
//! listens to them alone.

use super::exchange::{ExchangeFrame, Failure};
use super::mac::{Mac, node_of};
use super::state::{Dcf, Phase};
use crate::medium::wlan::contention::Counter;
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use crate::medium::{
    Access, AccessDetail, AirEvent, CellContext, Contender, Fate, Mpdu, PhyMode, Ppdu, PpduKind,
    Slots, Transmitter,
};
use crate::packet::NodeId;
use crate::time::Instant;

/// What is to be known of an idle period when the access that ends it has begun.
#[derive(Debug)]
pub(super) struct IdlePeriod {
    /// When the slot boundaries begin: a DIFS after the end of the last frame.
    grid: Instant,
    /// The boundary of the access.
    boundary: u64,
    /// What counts down, in order of node.
    counters: Vec<Counter>,
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

impl Dcf {
    /// The present idle period, which began at `grid` and ends with an access at `boundary`.
    pub(super) fn idle_before(&self, grid: Instant, boundary: u64) -> IdlePeriod {
        let before =
            |mac: &Mac| MacBefore { short_retries: mac.short_retries, received: mac.received };
        IdlePeriod {
            grid,
            boundary,
            counters: self.contention.counters(),
            macs: self.macs.iter().map(before).collect(),
        }
    }

    /// Tells the cell of the access at `at`, which has just begun after `idle`.
    pub(super) fn announce(&self, idle: &IdlePeriod, at: Instant, cell: &mut impl CellContext) {
        let before = |node: NodeId| idle.macs[node.index()];
        let after = self.contention.counters();
        let contender = |counter: &Counter| {
            let after = after.iter().find(|after| after.id == counter.id);
            let node = node_of(counter.id);
            Contender {
                node,
                category: None,
                from: counter.from,
                before: counter.slots,
                after: after.map_or(0, |after| after.slots),
                has_frame: counter.has_frame,
                immediate: counter.immediate,
                transmits: self.transmitters.contains(&node),
            }
        };
        let transmitter = |&node: &NodeId| {
            let mac = &self.macs[node.index()];
            let (to, cw, backoff) = (mac.to, mac.backoff.cw(), mac.backoff.drawn());
            let repeats = before(node).received;
            let packet = mac.packet;
            packet.map(|_| Transmitter { node, category: None, to, packet, cw, backoff, repeats })
        };
        let (phy, start) = (&self.config.phy, idle.grid);
        cell.on_air(AirEvent::Access(Access {
            idle_since: Instant::from_nanos(start.as_nanos() - phy.difs().as_nanos()),
            at,
            slots: Slots { start, end: at, count: idle.boundary },
            contenders: idle.counters.iter().map(contender).collect(),
            detail: AccessDetail::Contention(
                self.transmitters.iter().filter_map(transmitter).collect(),
            ),
        }));
        for ppdu in self.transmissions(at, |node| before(node).short_retries) {
            cell.on_air(AirEvent::Transmission(ppdu));
        }
    }

    /// The transmissions of the present access, which has begun at `at`. `short_retries` are those of a MAC
    /// before it.
    pub(in crate::medium::wlan) fn transmissions(
        &self,
        at: Instant,
        short_retries: impl Fn(NodeId) -> u32,
    ) -> Vec<Ppdu> {
        match self.transmitters[..] {
            [node] => self.exchange_of(node, short_retries(node)),
            _ => {
                let each = self.transmitters.iter();
                each.flat_map(|&node| self.colliding(node, short_retries(node), at)).collect()
            }
        }
    }

    /// The frames of the exchange of `node` up to the first that is corrupted.
    fn exchange_of(&self, node: NodeId, rts_retries: u32) -> Vec<Ppdu> {
        let (mac, exchange) = (&self.macs[node.index()], &self.exchange);
        if mac.to == NodeId::BROADCAST {
            let times = (exchange.start, exchange.data_end);
            return vec![self.packet_frame(node, times, exchange.mode, Fate::Received)];
        }
        let frames = self.link(node).frames();
        let (sifs, control) = (self.config.phy.sifs, &frames.control);
        let [ack_mode, rts_mode] = frames.control_modes;
        let (start, rts_end) = (exchange.start, exchange.start + control.rts);
        let cts = |from, start| {
            let times = (start, start + control.cts);
            control_frame(PpduKind::Cts, (from, node), times, rts_mode, CTS_BYTES)
        };
        let mut sent = Vec::with_capacity(4);
        let data_start = if mac.needs_rts {
            let cts_start = rts_end + sifs;
            let (ends, times) = ((node, mac.to), (start, rts_end));
            let rts = control_frame(PpduKind::Rts, ends, times, rts_mode, RTS_BYTES);
            sent.push((ExchangeFrame::Rts, Ppdu { retries: rts_retries, ..rts }));
            sent.push((ExchangeFrame::Cts, cts(mac.to, cts_start)));
            cts_start + control.cts + sifs
        } else {
            let data_start = start + frames.prelude;
            if start < data_start {
                sent.push((ExchangeFrame::Cts, cts(node, start)));
            }
            data_start
        };
        let times = (data_start, exchange.data_end);
        let data = self.packet_frame(node, times, exchange.mode, Fate::Received);
        sent.push((ExchangeFrame::Data, data));
        let (ends, times) = ((mac.to, node), (exchange.data_end + sifs, exchange.ack_end));
        let ack = control_frame(PpduKind::Ack, ends, times, ack_mode, ACK_BYTES);
        sent.push((ExchangeFrame::Ack, ack));
        let corrupted = match self.phase {
            Phase::Failing(Failure::Corrupted(frame)) => Some(frame),
            Phase::Sending if !exchange.acknowledged => Some(ExchangeFrame::Ack),
            _ => None,
        };
        if let Some(place) = sent.iter().position(|(name, _)| Some(*name) == corrupted) {
            sent.truncate(place + 1);
            let last = &mut sent[place].1;
            last.fate = Fate::Corrupted;
            last.mpdus.iter_mut().for_each(|mpdu| mpdu.fate = Fate::Corrupted);
        }
        sent.into_iter().map(|(_, frame)| frame).collect()
    }

    /// What `node` transmits at `at` together with others: its first frame that has a response, and what
    /// protects it.
    fn colliding(&self, node: NodeId, rts_retries: u32, at: Instant) -> Vec<Ppdu> {
        let (mac, fate) = (&self.macs[node.index()], Fate::Collided);
        let (end, frames) = (at + mac.first_frame, self.link(node).frames());
        if mac.has_broadcast() {
            return vec![self.packet_frame(node, (at, end), frames.mode, fate)];
        }
        let (control, start) = (&frames.control, at + frames.prelude);
        let [_, rts_mode] = frames.control_modes;
        if mac.needs_rts {
            let ends = (node, mac.to);
            let rts = control_frame(PpduKind::Rts, ends, (at, end), rts_mode, RTS_BYTES);
            return vec![Ppdu { retries: rts_retries, fate, ..rts }];
        }
        let data = self.packet_frame(node, (start, end), frames.mode, fate);
        if start == at {
            return vec![data];
        }
        let times = (at, at + control.cts);
        let cts = control_frame(PpduKind::Cts, (node, node), times, rts_mode, CTS_BYTES);
        vec![Ppdu { fate, ..cts }, data]
    }

    /// The data frame of `node`, or its beacon.
    fn packet_frame(
        &self,
        node: NodeId,
        (start, end): (Instant, Instant),
        mode: PhyMode,
        fate: Fate,
    ) -> Ppdu {
        let &Mac { packet, to, bytes, needs_rts, short_retries, long_retries, .. } =
            &self.macs[node.index()];
        let mpdu =
            |packet| Mpdu { packet, bytes, end, is_first: true, is_last: true, fate, qos: None };
        let (kind, retries) = match to {
            NodeId::BROADCAST => (PpduKind::Beacon, 0),
            _ if needs_rts => (PpduKind::Data, long_retries),
            _ => (PpduKind::Data, short_retries),
        };
        let mpdus = packet.map(mpdu).into_iter().collect();
        Ppdu {
            kind,
            from: node,
            to,
            start,
            end,
            mode,
            bytes,
            retries,
            fate,
            mpdus,
            asks_for: None,
            qos: None,
        }
    }
}

/// A control frame that is received.
fn control_frame(
    kind: PpduKind,
    (from, to): (NodeId, NodeId),
    (start, end): (Instant, Instant),
    mode: PhyMode,
    bytes: u32,
) -> Ppdu {
    let (retries, fate, mpdus, asks_for, qos) = (0, Fate::Received, Vec::new(), None, None);
    Ppdu { kind, from, to, start, end, mode, bytes, retries, fate, mpdus, asks_for, qos }
}
