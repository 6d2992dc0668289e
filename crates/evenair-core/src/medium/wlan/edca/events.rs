//! The events of an access: who counted down, who transmits, and the frames. They are made for a cell that listens to
//! them alone.
//!
//! The exchange of a TXOP that follows another one is announced when it begins, as is a CF-End.

use super::beacons::Beacon;
use super::config::{ControlFrame, LONG_BITMAP, SHORT_BITMAP};
use super::mac::{category_of, node_of};
use super::state::{Edca, Fate as AccessFate, Sent};
use crate::medium::wlan::contention::{ContenderId, Counter};
use crate::medium::{
    Access, AccessDetail, AirEvent, BlockAck, CellContext, Contender, Fate, LinkId, Mpdu, PacketId,
    PhyFormat, PhyMode, Ppdu, PpduKind, PsduFormat, QosMpdu, QosPpdu, Slots, Transmitter,
    TxQueueId,
};
use crate::packet::{AccessCategory, NodeId};
use crate::time::Instant;

impl Edca {
    /// As [`Edca::begin`], in an idle period that began at `grid`, and announces the access.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_announced(
        &mut self,
        grid: Instant,
        boundary: u64,
        cell: &mut impl CellContext,
    ) {
        let (now, counters) = (self.due, self.contention.counters());
        self.begin(now, boundary, cell);
        let phy = &self.config.phy;
        let aifs = phy.sifs + phy.slot * u64::from(self.smallest_aifsn);
        let after = self.contention.counters();
        let contenders = counters.iter().map(|counter| self.contender(counter, &after));
        let mut contenders: Vec<_> = contenders.collect();
        contenders.sort_by_key(|contender| contender.node);
        cell.on_air(AirEvent::Access(Access {
            idle_since: Instant::from_nanos(grid.as_nanos() - aifs.as_nanos()),
            at: now,
            slots: Slots { start: grid, end: now, count: boundary },
            contenders,
            detail: AccessDetail::Contention(self.transmitters()),
        }));
        self.announce_ppdus(cell);
    }

    /// Announces the PPDUs that have just begun, alone or in a collision.
    #[cold]
    #[inline(never)]
    pub(super) fn announce_ppdus(&self, cell: &mut impl CellContext) {
        let mut ppdus = match self.sent[..] {
            [sent] if self.fate != AccessFate::Collision => self.exchange_of(sent),
            _ => self.sent.iter().flat_map(|&sent| self.colliding(sent)).collect::<Vec<_>>(),
        };
        ppdus.extend(self.beacons_on_air());
        if self.fate == AccessFate::Collision {
            ppdus.sort_by_key(|ppdu| ppdu.from);
        }
        ppdus.into_iter().for_each(|ppdu| cell.on_air(AirEvent::Transmission(ppdu)));
    }

    /// Announces the CF-End with which the TXOP of `contender` ends.
    #[cold]
    #[inline(never)]
    pub(super) fn announce_cf_end(&self, contender: ContenderId, cell: &mut impl CellContext) {
        let (mode, frame) = self.config.cf_end();
        let mode = self.setup.modes.find(&mode).unwrap_or(PhyMode(0));
        let (ends, end) = ((node_of(contender), NodeId::BROADCAST), self.due);
        let times = (Instant::from_nanos(end.as_nanos() - frame.time.as_nanos()), end);
        let qos = self.qos(contender, PsduFormat::Mpdu, end);
        let ppdu = control_frame(PpduKind::CfEnd, ends, times, mode, frame.bytes, qos);
        cell.on_air(AirEvent::Transmission(ppdu));
    }

    /// Takes note of what the receiver of a PPDU makes of it, before it has it.
    #[cold]
    #[inline(never)]
    pub(super) fn note_heard(&mut self, sent: Sent) {
        self.heard.note(&self.agreements[sent.queue.0 as usize], &self.decoded);
    }

    /// Packets that `node` has taken from its queues and that are not acknowledged, by receiver and category.
    pub fn packets_of(&self, node: NodeId) -> impl Iterator<Item = PacketId> {
        let of_node = self.agreements.iter().zip(0..).filter(move |(_, queue)| {
            self.setup.layout.sender(&self.setup.associations, TxQueueId(*queue)) == node
        });
        let each = of_node.flat_map(|(agreement, _)| agreement.outgoing());
        each.flat_map(|(_, first)| self.amsdus.packets(first))
    }

    /// The node of `contender`, and its category; `None` of one for beacons.
    fn owner(&self, contender: ContenderId) -> (NodeId, Option<AccessCategory>) {
        match contender.0.checked_sub(self.broadcasts.first.0) {
            Some(number) => (self.setup.associations.access_points()[number as usize], None),
            None => (node_of(contender), Some(category_of(contender))),
        }
    }

    /// A contender as it counted before the access, and as its counter is `after` it has begun.
    fn contender(&self, counter: &Counter, after: &[Counter]) -> Contender {
        let (node, category) = self.owner(counter.id);
        let transmits = match category {
            Some(_) => self.sent.iter().any(|sent| sent.contender == counter.id),
            None => self.broadcasts.on_air.iter().any(|beacon| beacon.from == node),
        };
        let after = after.iter().find(|after| after.id == counter.id && !transmits);
        Contender {
            node,
            category,
            from: counter.from,
            before: counter.slots,
            after: after.map_or(0, |after| after.slots),
            has_frame: counter.has_frame,
            immediate: counter.immediate,
            transmits,
        }
    }

    /// Who transmits in the access that has just begun, in order of node.
    fn transmitters(&self) -> Vec<Transmitter> {
        let of_categories = self.sent.iter().map(|sent| {
            let (node, to) = self.setup.associations.ends(self.link_of(sent.queue));
            let backoff = &self.macs[sent.contender.index()].backoff;
            let first = self.mpdus_of(*sent).into_iter().next();
            Transmitter {
                node,
                category: Some(category_of(sent.contender)),
                to,
                packet: first.map(|mpdu| mpdu.packet),
                cw: backoff.cw(),
                backoff: backoff.drawn(),
                repeats: first.and_then(|mpdu| mpdu.qos).is_some_and(|qos| qos.repeats),
            }
        });
        let of_beacons = self.broadcasts.on_air.iter().map(|beacon| Transmitter {
            node: beacon.from,
            category: None,
            to: NodeId::BROADCAST,
            packet: Some(beacon.packet),
            cw: 0,
            backoff: 0,
            repeats: false,
        });
        let mut all: Vec<_> = of_categories.chain(of_beacons).collect();
        all.sort_by_key(|transmitter| transmitter.node);
        all
    }

    /// The frames of the exchange of `sent` up to the first that is corrupted.
    fn exchange_of(&self, sent: Sent) -> Vec<Ppdu> {
        let link = &self.links[self.link_of(sent.queue).index()];
        let (sifs, control) = (self.config.phy.sifs, link.control);
        let mut ppdus = Vec::with_capacity(4);
        if sent.has_rts {
            ppdus.push(self.control(sent, PpduKind::Rts, sent.start, control.rts));
            let start = sent.first_end + sifs;
            ppdus.push(self.control(sent, PpduKind::Cts, start, control.cts));
        }
        ppdus.extend(self.cts_to_self(sent));
        if sent.has_ppdu(self.fate) {
            ppdus.push(self.ppdu(sent));
            if self.fate != AccessFate::NoResponse {
                let is_single = sent.psdu.mpdus == 1;
                let kind = if is_single { PpduKind::Ack } else { PpduKind::BlockAck };
                let frame = link.response(sent.psdu);
                ppdus.push(self.control(sent, kind, sent.end + sifs, frame));
            }
        } else if self.fate == AccessFate::NoCts {
            ppdus.truncate(1);
        }
        if self.fate != AccessFate::Answered
            && let Some(last) = ppdus.last_mut()
        {
            last.fate = Fate::Corrupted;
        }
        ppdus
    }

    /// What `sent` transmits in a collision: its first frame that has a response, and what protects it.
    fn colliding(&self, sent: Sent) -> Vec<Ppdu> {
        let link = &self.links[self.link_of(sent.queue).index()];
        let ppdu = match sent.has_rts {
            true => self.control(sent, PpduKind::Rts, sent.start, link.control.rts),
            false => self.ppdu(sent),
        };
        let each = self.cts_to_self(sent).into_iter().chain([ppdu]);
        each.map(|ppdu| Ppdu { fate: Fate::Collided, ..ppdu }).collect()
    }

    /// The CTS that the sender of `sent` addresses to itself before it, if it has one.
    fn cts_to_self(&self, sent: Sent) -> Option<Ppdu> {
        let has_cts = !sent.has_rts && sent.start < sent.ppdu_start;
        let frame = self.links[self.link_of(sent.queue).index()].control.cts;
        let cts = has_cts.then(|| self.control(sent, PpduKind::Cts, sent.start, frame))?;
        Some(Ppdu { from: cts.to, ..cts })
    }

    /// The PPDU of `sent`, as if one of its MPDUs were decoded unless it collides.
    fn ppdu(&self, sent: Sent) -> Ppdu {
        let link_id = self.link_of(sent.queue);
        let link = &self.links[link_id.index()];
        if sent.psdu.mpdus == 0 {
            let frame = link.control.block_ack_req;
            return self.control(sent, PpduKind::BlockAckReq, sent.start, frame);
        }
        let has_delimiter = matches!(link.vector.format, PhyFormat::Vht | PhyFormat::He);
        let psdu = match sent.psdu.mpdus {
            1 if has_delimiter => PsduFormat::SMpdu,
            1 => PsduFormat::Mpdu,
            _ => PsduFormat::AMpdu,
        };
        let (from, to) = self.setup.associations.ends(link_id);
        Ppdu {
            kind: PpduKind::Data,
            from,
            to,
            start: sent.ppdu_start,
            end: sent.end,
            mode: link.mode,
            bytes: sent.psdu.bytes,
            retries: self.macs[sent.contender.index()].retries,
            fate: self.fate_on_air(),
            mpdus: self.mpdus_of(sent),
            asks_for: None,
            qos: Some(self.qos(sent.contender, psdu, self.end_of_exchange(sent))),
        }
    }

    /// The packets in the MPDUs of `sent`.
    fn mpdus_of(&self, sent: Sent) -> Vec<Mpdu> {
        let link = &self.links[self.link_of(sent.queue).index()];
        let agreement = &self.agreements[sent.queue.0 as usize];
        let (retries, recipient) = (agreement.retries(), agreement.recipient());
        let mut mpdus = Vec::with_capacity(sent.psdu.mpdus);
        let each = agreement.outgoing().zip(agreement.mpdus(sent.psdu));
        for (place, ((sequence, first), (bytes, end))) in each.enumerate() {
            let (fate, repeats) = match self.fate_on_air() {
                Fate::Received => self.heard.mpdu(place),
                collided => (collided, recipient.has(sequence)),
            };
            let end = sent.ppdu_start + link.received_after(end);
            let qos = Some(QosMpdu { sequence, retry: place < retries, repeats });
            let mpdu =
                |packet| Mpdu { packet, bytes, end, is_first: true, is_last: true, fate, qos };
            mpdus.extend(self.amsdus.packets(first).map(mpdu));
        }
        mpdus
    }

    /// A control frame of the exchange of `sent`, which begins at `start`.
    fn control(&self, sent: Sent, kind: PpduKind, start: Instant, frame: ControlFrame) -> Ppdu {
        let link_id = self.link_of(sent.queue);
        let link = &self.links[link_id.index()];
        let (node, peer) = self.setup.associations.ends(link_id);
        let is_response = matches!(kind, PpduKind::Cts | PpduKind::Ack | PpduKind::BlockAck);
        let (ends, retries) = match is_response {
            true => ((peer, node), 0),
            false => ((node, peer), self.macs[sent.contender.index()].retries),
        };
        let until = self.end_of_exchange(sent);
        let mut qos = self.qos(sent.contender, PsduFormat::Mpdu, until);
        qos.block_ack = match kind {
            PpduKind::BlockAck => Some(self.block_ack(sent, link_id)),
            PpduKind::BlockAckReq => Some(BlockAck {
                start: self.agreements[sent.queue.0 as usize].start(),
                length: bitmap_length(link.window()),
                bitmap: [0; 4],
            }),
            _ => None,
        };
        let times = (start, start + frame.time);
        let ppdu = control_frame(kind, ends, times, link.control_mode, frame.bytes, qos);
        Ppdu { retries, ..ppdu }
    }

    /// The Block Ack that answers `sent`. It begins with the sequence number of a BlockAckReq. That to an A-MPDU begins
    /// where the window of the receiver began, or with the oldest MPDU that has just been decoded, and no earlier than
    /// lets the bitmap reach the newest. (With a scoreboard that always ends with the newest, which the standard
    /// describes in 10.25.6.3, the bits are the same, and older ones are before them.)
    fn block_ack(&self, sent: Sent, link: LinkId) -> BlockAck {
        let agreement = &self.agreements[sent.queue.0 as usize];
        let (recipient, length) =
            (agreement.recipient(), bitmap_length(self.links[link.index()].window()));
        let start = match sent.psdu.mpdus {
            0 => agreement.start(),
            _ => {
                let places = agreement.outgoing().zip(0..);
                let decoded =
                    places.filter(|(_, place)| self.heard.mpdu(*place).0 == Fate::Received);
                let decoded = decoded.map(|((sequence, _), _)| sequence);
                recipient.bitmap_start(length, decoded.chain([self.heard.start()]))
            }
        };
        BlockAck { start, length, bitmap: recipient.bitmap(start, length) }
    }

    /// When the exchange of `sent` ends if nothing is lost.
    fn end_of_exchange(&self, sent: Sent) -> Instant {
        let link = &self.links[self.link_of(sent.queue).index()];
        sent.end + self.config.phy.sifs + link.response(sent.psdu).time
    }

    /// What becomes of the PPDUs that have just begun, unless they are corrupted.
    fn fate_on_air(&self) -> Fate {
        if self.fate == AccessFate::Collision { Fate::Collided } else { Fate::Received }
    }

    fn qos(&self, contender: ContenderId, psdu: PsduFormat, until: Instant) -> QosPpdu {
        let category = category_of(contender);
        QosPpdu { category, psdu, block_ack: None, reserved_until: until }
    }

    /// The beacons that have just begun.
    fn beacons_on_air(&self) -> impl Iterator<Item = Ppdu> {
        self.broadcasts.on_air.iter().map(|beacon| {
            let &Beacon { from, packet, bytes, start, end } = beacon;
            let (fate, is_first, is_last) = (self.fate_on_air(), true, true);
            Ppdu {
                kind: PpduKind::Beacon,
                from,
                to: NodeId::BROADCAST,
                start,
                end,
                mode: self.broadcasts.mode,
                bytes,
                retries: 0,
                fate,
                mpdus: vec![Mpdu { packet, bytes, end, is_first, is_last, fate, qos: None }],
                asks_for: None,
                qos: None,
            }
        })
    }
}

/// Bits of the bitmap of a Block Ack under agreements with this window.
fn bitmap_length(window: u16) -> u16 {
    if window > SHORT_BITMAP { LONG_BITMAP } else { SHORT_BITMAP }
}

/// A control frame that is received.
fn control_frame(
    kind: PpduKind,
    (from, to): (NodeId, NodeId),
    (start, end): (Instant, Instant),
    mode: PhyMode,
    bytes: u32,
    qos: QosPpdu,
) -> Ppdu {
    let (retries, fate, mpdus, asks_for) = (0, Fate::Received, Vec::new(), None);
    let qos = Some(qos);
    Ppdu { kind, from, to, start, end, mode, bytes, retries, fate, mpdus, asks_for, qos }
}
