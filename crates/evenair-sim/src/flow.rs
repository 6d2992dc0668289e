//! A flow: its two ends, where they are, and the packets that they exchange.

use evenair_core::packet::{FlowId, NodeId, Packet, PacketKind};
use evenair_core::tcp::{AckAction, Receiver, SackBlocks, Segment, Sender};
use evenair_core::time::Instant;
use evenair_core::traffic::Datagrams;

use crate::capture::writer::FlowMeta;
use crate::transfers::{Reply, Transfers};

/// Bytes of the option that offers SACK, aligned (RFC 2018 section 2).
const SACK_PERMITTED: u32 = 4;

/// One flow.
#[derive(Debug)]
pub(crate) struct Flow {
    /// "up-1", "down-3", ...
    pub(crate) id: String,
    pub(crate) index: FlowId,
    pub(crate) place: Attachment,
    /// The transport's name, for reports.
    pub(crate) transport: &'static str,
    /// Bytes of the headers of what the data's source sends, and their sink.
    pub(crate) headers: [u32; 2],
    /// Receive window, bytes, as captures tell it.
    pub(crate) window_bytes: u32,
    pub(crate) start: Instant,
    pub(crate) stop: Instant,
    pub(crate) started: bool,
    /// Which connection this is, counted modulo 256.
    pub(crate) connection: u8,
    /// Whether what opens a connection is marked as crucial.
    pub(crate) marks_openings: bool,
    pub(crate) ends: Endpoints,
    /// Where the flow is one of finite transfers over TCP.
    pub(crate) transfers: Option<Box<Transfers>>,
}

/// Where a flow's ends are.
#[derive(Clone, Debug)]
pub(crate) enum Attachment {
    /// At a station of the cell and at a wired host.
    Station {
        /// The station's index in the cell (the AP's is 0).
        station: u32,
        /// Whether the data go from the station to the host.
        up: bool,
        host: String,
    },
    /// At two wired hosts.
    Wired { from: String, to: String },
}

impl Attachment {
    /// The station; the access point where there is none.
    pub(crate) fn station(&self) -> NodeId {
        match self {
            Self::Station { station, .. } => NodeId(*station),
            Self::Wired { .. } => NodeId::ACCESS_POINT,
        }
    }
}

/// The two ends.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "most flows are TCP's; a box is a detour per packet")]
pub(crate) enum Endpoints {
    /// TCP.
    Tcp {
        /// Where the data come from.
        sender: Sender,
        /// Where they go.
        receiver: Receiver,
        /// The receiver's window in segments, with SACK.
        sack_window: Option<u32>,
    },
    /// UDP.
    Udp(Udp),
}

/// A source of datagrams and its sink.
#[derive(Debug)]
pub(crate) struct Udp {
    pub(crate) payload: u32,
    pub(crate) source: Datagrams,
    pub(crate) sent: u64,
    pub(crate) received_bytes: u64,
}

impl Flow {
    /// What captures need to know.
    pub(crate) fn captured(&self) -> FlowMeta {
        let station = self.place.station();
        let data_up = matches!(self.place, Attachment::Station { up: true, .. });
        let request = self.transfers.as_ref().map_or(0, |transfers| transfers.request_bytes());
        FlowMeta { station, data_up, window: self.window_bytes, request }
    }

    /// The next packet that the data's source sends now, if any.
    pub(crate) fn poll_transmit(&mut self, now: Instant) -> Option<Packet> {
        match &mut self.ends {
            Endpoints::Tcp { sender, .. } => {
                let segment = sender.poll_transmit(now)?;
                Some(self.data_packet(now, &segment))
            }
            Endpoints::Udp(udp) => {
                if now < udp.source.next() || now >= self.stop {
                    return None;
                }
                udp.source.advance();
                udp.sent += 1;
                let (payload, seq) = (udp.payload, (udp.sent - 1) * u64::from(udp.payload));
                Some(self.packet(now, PacketKind::Datagram, payload, seq))
            }
        }
    }

    /// When the data's source wants to be woken.
    pub(crate) fn sender_timer(&self) -> Instant {
        match &self.ends {
            Endpoints::Tcp { sender, .. } => match &self.transfers {
                None => sender.timer_at(),
                Some(transfers) => sender.timer_at().min(transfers.next_start()),
            },
            Endpoints::Udp(udp) if udp.source.next() < self.stop => udp.source.next(),
            Endpoints::Udp(_) => Instant::NEVER,
        }
    }

    /// The data's source is woken, the first time for its start.
    pub(crate) fn on_sender_timer(&mut self, now: Instant) {
        let first = !std::mem::replace(&mut self.started, true);
        let Endpoints::Tcp { sender, receiver, .. } = &mut self.ends else { return };
        if let Some(transfers) = &mut self.transfers {
            if first {
                transfers.start(now);
            }
            if transfers.begin(now, sender, receiver) {
                self.connection = self.connection.wrapping_add(1);
                return;
            }
        }
        if !first {
            sender.on_timer(now);
        }
    }

    /// When the data's sink wants to be woken.
    pub(crate) fn receiver_timer(&self) -> Instant {
        match &self.ends {
            Endpoints::Tcp { receiver, .. } => match &self.transfers {
                None => receiver.timer_at(),
                Some(transfers) => receiver.timer_at().min(transfers.receiver_timer()),
            },
            Endpoints::Udp(_) => Instant::NEVER,
        }
    }

    /// The data's sink is woken; it may have an acknowledgement to send.
    pub(crate) fn on_receiver_timer(&mut self, now: Instant) -> Option<Packet> {
        let Endpoints::Tcp { receiver, .. } = &mut self.ends else { return None };
        if let Some(reply) = self.transfers.as_mut().and_then(|t| t.on_receiver_timer(now)) {
            return Some(self.reply(now, reply));
        }
        let ack = receiver.on_timer(now)?;
        Some(self.packet(now, PacketKind::Ack, 0, ack))
    }

    /// A packet has come to the end that it is for, an acknowledgement with these SACK blocks; the
    /// answer, if that end answers at once.
    pub(crate) fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        blocks: &[(u64, u64)],
    ) -> Option<Packet> {
        match &mut self.ends {
            Endpoints::Tcp { sender, receiver, .. } => match packet.kind {
                PacketKind::Data => {
                    match receiver.on_segment(now, packet.seq, u32::from(packet.payload)) {
                        AckAction::Ack(ack) => Some(self.packet(now, PacketKind::Ack, 0, ack)),
                        AckAction::Wait => None,
                    }
                }
                PacketKind::Syn => {
                    let mut answer = self.packet(now, PacketKind::SynAck, 0, 0);
                    answer.high_priority = packet.high_priority;
                    answer.size += self.offer();
                    Some(answer)
                }
                PacketKind::Ack => {
                    sender.on_ack(now, packet.seq, blocks);
                    None
                }
                PacketKind::SynAck => {
                    sender.on_syn_ack(now);
                    None
                }
                PacketKind::Datagram | PacketKind::Request => None,
            },
            Endpoints::Udp(udp) => {
                udp.received_bytes += u64::from(packet.payload);
                None
            }
        }
    }

    /// The same for a flow of transfers; also whether the answer comes from the data's source.
    pub(crate) fn on_transfer_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        blocks: &[(u64, u64)],
    ) -> Option<(bool, Packet)> {
        let (Endpoints::Tcp { sender, receiver, .. }, Some(transfers)) =
            (&mut self.ends, &mut self.transfers)
        else {
            return None;
        };
        if packet.connection != self.connection {
            return None;
        }
        let reply = transfers.on_packet(now, packet, blocks, sender, receiver)?;
        Some((reply.from_source, self.reply(now, reply)))
    }

    /// Nothing new is sent any more.
    pub(crate) fn on_stop(&mut self) {
        match (&mut self.ends, &mut self.transfers) {
            (Endpoints::Tcp { sender, .. }, Some(transfers)) => transfers.stop(sender),
            (Endpoints::Tcp { sender, .. }, None) => sender.stop(),
            (Endpoints::Udp(_), _) => {}
        }
    }

    /// Whether the flow has an end of its own before that of the run.
    pub(crate) fn is_finite(&self) -> bool {
        self.transfers.as_ref().is_some_and(|transfers| transfers.is_finite())
    }

    /// Whether it has come to that end.
    pub(crate) fn is_done(&self) -> bool {
        self.transfers.as_ref().is_some_and(|transfers| transfers.is_done())
    }

    /// Payload bytes that got through: acknowledged, or received where nothing acknowledges.
    pub(crate) fn delivered_bytes(&self) -> u64 {
        match &self.ends {
            Endpoints::Tcp { sender, .. } => match &self.transfers {
                None => sender.acked(),
                Some(transfers) => transfers.delivered(sender),
            },
            Endpoints::Udp(udp) => udp.received_bytes,
        }
    }

    /// The receiver's window in segments, where the flow has SACK.
    pub(crate) fn sack_window(&self) -> Option<u32> {
        match self.ends {
            Endpoints::Tcp { sack_window, .. } => sack_window,
            Endpoints::Udp(_) => None,
        }
    }

    /// What an acknowledgement that leaves now reports; `None` without SACK.
    pub(crate) fn sack_blocks(&self) -> Option<SackBlocks> {
        match &self.ends {
            Endpoints::Tcp { receiver, sack_window: Some(_), .. } => Some(receiver.sack()),
            _ => None,
        }
    }

    /// Bytes that the offer of SACK adds to the connection's first two packets.
    fn offer(&self) -> u32 {
        if self.sack_window().is_some() { SACK_PERMITTED } else { 0 }
    }

    fn data_packet(&self, now: Instant, segment: &Segment) -> Packet {
        let kind = if segment.syn { PacketKind::Syn } else { PacketKind::Data };
        let mut packet = self.packet(now, kind, segment.payload, segment.seq);
        packet.high_priority = segment.high_priority;
        packet.retransmission = segment.retransmission;
        if segment.syn {
            packet.size += self.offer();
        }
        packet
    }

    fn reply(&self, now: Instant, reply: Reply) -> Packet {
        let mut packet =
            self.packet_from(now, reply.from_source, reply.kind, reply.payload, reply.seq);
        match reply.kind {
            PacketKind::Syn | PacketKind::SynAck => packet.size += self.offer(),
            _ => {}
        }
        packet.high_priority = self.marks_openings && reply.kind != PacketKind::Ack;
        packet
    }

    fn packet(&self, now: Instant, kind: PacketKind, payload: u32, seq: u64) -> Packet {
        let from_source = matches!(kind, PacketKind::Data | PacketKind::Syn | PacketKind::Datagram);
        self.packet_from(now, from_source, kind, payload, seq)
    }

    fn packet_from(
        &self,
        now: Instant,
        from_source: bool,
        kind: PacketKind,
        payload: u32,
        seq: u64,
    ) -> Packet {
        Packet {
            station: self.place.station(),
            connection: self.connection,
            size: payload + self.headers[usize::from(!from_source)],
            // A scenario's segments have up to 65,495 bytes.
            payload: payload as u16,
            seq,
            enqueued_at: now,
            ..Packet::new(self.index, kind)
        }
    }
}
