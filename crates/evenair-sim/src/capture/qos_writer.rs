//! Writes the air of a cell with EDCA: all frames that their receivers decode.
//!
//! Each MPDU of an A-MPDU is a frame of its own. They begin with their PPDU, as receivers report them.

use std::io;

use evenair_core::medium::{
    AirEvent, Fate, Mpdu, PacketId, PhyModes, Ppdu, PpduKind, PsduFormat, TxVector,
};
use evenair_core::packet::Packet;
use evenair_core::time::Instant;
use evenair_core::transport::PacketOption;

use super::air::MacFrame;
use super::headers::Segment;
use super::qos::{QosData, QosFrame, tid};
use super::radiotap::AMpduStatus;
use super::writer::{CaptureWriter, control, micros, node};

impl CaptureWriter {
    /// Takes note of what happens on the air: as [`CaptureWriter::hear`] of a cell with EDCA. `packet` gives packets that
    /// are decoded for the first time.
    pub(super) fn hear_qos(
        &mut self,
        events: Vec<AirEvent>,
        modes: &PhyModes,
        packet: impl Fn(PacketId) -> (Packet, Option<PacketOption>),
    ) -> io::Result<()> {
        for event in events {
            let ppdu = match event {
                AirEvent::Access(access) => {
                    self.write_begun(access.at)?;
                    continue;
                }
                AirEvent::Transmission(ppdu) if ppdu.fate == Fate::Received => ppdu,
                AirEvent::Transmission(_) | AirEvent::Outcome(_) => continue,
            };
            let is_data = ppdu.kind == PpduKind::Data;
            let decoded = ppdu.mpdus.iter().filter(|mpdu| is_data && mpdu.fate == Fate::Received);
            let segments = decoded.map(|mpdu| self.segment_of(&ppdu, mpdu, &packet)).collect();
            let mode = *modes.vector(ppdu.mode);
            self.qos.begun.push((ppdu, mode, segments));
        }
        Ok(())
    }

    /// Writes the frames of PPDUs that have ended by `now`.
    pub(super) fn write_begun(&mut self, now: Instant) -> io::Result<()> {
        let mut begun = std::mem::take(&mut self.qos.begun);
        begun.iter().filter(|(ppdu, ..)| ppdu.end <= now).try_for_each(
            |(ppdu, mode, segments)| match ppdu.kind {
                PpduKind::Data => self.write_data(ppdu, mode, segments),
                _ => self.write_one(ppdu, mode),
            },
        )?;
        begun.retain(|(ppdu, ..)| ppdu.end > now);
        self.qos.begun = begun;
        Ok(())
    }

    /// The packet of an MPDU that is decoded.
    fn segment_of(
        &mut self,
        ppdu: &Ppdu,
        mpdu: &Mpdu,
        packet: impl Fn(PacketId) -> (Packet, Option<PacketOption>),
    ) -> Segment {
        let repeats = mpdu.qos.is_some_and(|qos| qos.repeats);
        if let Some(segment) = self.qos.decoded.get(&mpdu.packet).filter(|_| repeats) {
            return *segment;
        }
        let (packet, option) = packet(mpdu.packet);
        let segment = self.segment(ppdu.to.is_access_point(), &packet, option.as_ref());
        self.qos.decoded.insert(mpdu.packet, segment);
        segment
    }

    /// The MPDUs of a PPDU that are decoded.
    fn write_data(&mut self, ppdu: &Ppdu, mode: &TxVector, segments: &[Segment]) -> io::Result<()> {
        let Some(qos) = ppdu.qos else { return Ok(()) };
        let (is_a_mpdu, reference) = (qos.psdu != PsduFormat::Mpdu, self.qos.reference);
        self.qos.reference = reference.wrapping_add(u32::from(is_a_mpdu));
        let sequence = |mpdu: &Mpdu| mpdu.qos.map(|qos| qos.sequence);
        let last = ppdu.mpdus.last().and_then(sequence);
        let mut rest = segments;
        // Packets of an A-MSDU have the same sequence number.
        let mpdus = ppdu.mpdus.chunk_by(|one, other| sequence(one) == sequence(other));
        for mpdu in mpdus.filter(|mpdu| mpdu[0].fate == Fate::Received) {
            let Some(of_mpdu) = mpdu[0].qos else { continue };
            let (segments, others) = rest.split_at(mpdu.len().min(rest.len()));
            rest = others;
            // A station without QoS, of 802.11a or g.
            if let ([segment], None) = (segments, mode.mcs) {
                let (segment, sequence) = (*segment, of_mpdu.sequence);
                let frame = MacFrame::Data { segment, retry: of_mpdu.retry, sequence };
                self.write_frame(ppdu, mode, &frame)?;
                continue;
            }
            let status = AMpduStatus {
                reference,
                is_last: Some(of_mpdu.sequence) == last,
                is_single: qos.psdu == PsduFormat::SMpdu,
            };
            let data = QosData {
                segments,
                tid: tid(qos.category),
                retry: of_mpdu.retry,
                sequence: of_mpdu.sequence,
                a_mpdu: is_a_mpdu.then_some(status),
            };
            self.write_frame(ppdu, mode, &MacFrame::Qos(QosFrame::Data(data)))?;
        }
        Ok(())
    }

    /// A PPDU with one frame without packets.
    fn write_one(&mut self, ppdu: &Ppdu, mode: &TxVector) -> io::Result<()> {
        let (from, to) = (node(ppdu.from), node(ppdu.to));
        let of_category = ppdu.qos.map_or(0, |qos| tid(qos.category));
        let said = ppdu.qos.and_then(|qos| qos.block_ack);
        let frame = match (ppdu.kind, said) {
            (PpduKind::Beacon, _) => self.beacon(ppdu, ppdu.bytes),
            (PpduKind::CfEnd, _) => Some(MacFrame::Qos(QosFrame::CfEnd { from })),
            (PpduKind::BlockAckReq, Some(asked)) => {
                let (tid, start) = (of_category, asked.start);
                Some(MacFrame::Qos(QosFrame::BlockAckReq { from, to, tid, start }))
            }
            (PpduKind::BlockAck, Some(said)) => {
                let (tid, start) = (of_category, said.start);
                let bitmap = &said.bitmap[..usize::from(said.length / 64)];
                let frame = QosFrame::BlockAck { from, to, tid, start, bitmap };
                return self.write_frame(ppdu, mode, &MacFrame::Qos(frame));
            }
            _ => control(ppdu),
        };
        frame.map_or(Ok(()), |frame| self.write_frame(ppdu, mode, &frame))
    }

    fn write_frame(
        &mut self,
        ppdu: &Ppdu,
        mode: &TxVector,
        frame: &MacFrame<'_>,
    ) -> io::Result<()> {
        let until = ppdu.qos.map_or(ppdu.end, |qos| qos.reserved_until);
        let Some((air, _)) = &mut self.air else { return Ok(()) };
        air.frame(ppdu.start, mode, micros(until.since(ppdu.end)), frame)
    }
}
