//! Writes the captures of a run: of the air, and of the wire at the hosts.

use std::io::{self, Write};

use evenair_core::medium::{AirEvent, Arrival, Fate, PacketId, PhyModes, Ppdu, PpduKind, TxVector};
use evenair_core::packet::{NodeId, Packet};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::PacketOption;
use evenair_core::transport::SackBlocks;

use super::captured_cell::CapturedCell;
use super::connections::{Connections, FlowMeta};
use super::qos_air::QosAir;
use crate::capture::{
    AirWriter, CaptureError, CaptureOf, CaptureSinks, MacFrame, Node, Segment, WireWriter,
};

/// Why there is no capture of the air of a WiMAX cell.
const NO_AIR: &str = "frames of IEEE 802.16 are not captured";

/// The two captures of a run. The capture of the air contains the exchanges in which a packet is
/// received for the first time, with the frames that their receivers decode: the ACK is absent if it
/// is lost. Failed attempts and retransmissions of what has been received are absent. With EDCA it contains all
/// frames that their receivers decode.
pub(crate) struct CaptureWriter {
    pub(super) air: Option<(AirWriter<Box<dyn Write + Send>>, CapturedCell)>,
    wire: WireWriter<Box<dyn Write + Send>>,
    /// The transmissions of the last access to the medium, with their modes.
    sent: Vec<(Ppdu, TxVector)>,
    /// The next MAC sequence number of each station.
    sequence: Vec<u16>,
    pub(super) qos: QosAir,
    /// Flows between hosts are not captured.
    connections: Connections,
    /// The first error. Nothing is written after it; [`CaptureWriter::finish`] returns it.
    failed: Option<CaptureError>,
}

impl CaptureWriter {
    /// Begins both captures. The frames on the air can be captured of an 802.11 `cell` alone.
    pub(crate) fn new(
        sinks: CaptureSinks,
        cell: Option<CapturedCell>,
        nodes: usize,
        flows: Vec<FlowMeta>,
    ) -> Result<Self, CaptureError> {
        let begin = |sink| match cell {
            Some(cell) => Ok((AirWriter::new(sink, cell.phy)?, cell)),
            None => Err(io::Error::new(io::ErrorKind::Unsupported, NO_AIR)),
        };
        let air = sinks.air.map(begin).transpose();
        let wire = WireWriter::new(sinks.wire);
        Ok(Self {
            air: air.map_err(|error| (CaptureOf::Air, error))?,
            wire: wire.map_err(|error| (CaptureOf::Wire, error))?,
            sent: Vec::new(),
            sequence: vec![0; nodes],
            qos: QosAir::default(),
            connections: Connections::new(flows),
            failed: None,
        })
    }

    /// Whether the air is captured.
    pub(crate) fn has_air(&self) -> bool {
        self.air.is_some()
    }

    /// Takes note of what happens on the air of a cell with these modes. `packet` gives packets that are received
    /// now or later.
    #[cold]
    pub(crate) fn hear(
        &mut self,
        events: Vec<AirEvent>,
        modes: &PhyModes,
        packet: impl Fn(PacketId) -> (Packet, Option<PacketOption>),
    ) {
        if self.has_edca() {
            if self.failed.is_none()
                && let Err(error) = self.hear_qos(events, modes, packet)
            {
                self.failed = Some((CaptureOf::Air, error));
            }
            return;
        }
        for event in events {
            match event {
                AirEvent::Access(_) => self.sent.clear(),
                AirEvent::Transmission(ppdu) => {
                    let mode = *modes.vector(ppdu.mode);
                    self.sent.push((ppdu, mode));
                }
                AirEvent::Outcome(_) => {}
            }
        }
    }

    /// Writes the frame exchange in which `arrival` has just been received: the last access.
    #[cold]
    pub(crate) fn exchange(&mut self, arrival: &Arrival<Packet>, option: Option<&PacketOption>) {
        if self.failed.is_none()
            && !self.has_edca()
            && let Err(error) = self.write_exchange(&arrival.packet, option)
        {
            self.failed = Some((CaptureOf::Air, error));
        }
    }

    /// Writes a packet that a host sends to a station or receives from one.
    #[cold]
    pub(crate) fn wire(
        &mut self,
        now: Instant,
        up: bool,
        packet: &Packet,
        option: Option<&PacketOption>,
    ) {
        if self.failed.is_none()
            && !self.connections.flow(packet).station.is_access_point()
            && let Err(error) = self.wire.packet(now, &self.segment(up, packet, option))
        {
            self.failed = Some((CaptureOf::Wire, error));
        }
    }

    /// A flow begins a transfer of `bytes` over its next connection.
    #[cold]
    pub(crate) fn begin_transfer(&mut self, flow: usize, bytes: u64) {
        self.connections.begin(flow, bytes);
    }

    /// A flow goes on with `bytes` more over its connection.
    #[cold]
    pub(crate) fn continue_transfer(&mut self, flow: usize, bytes: u64) {
        self.connections.go_on(flow, bytes);
    }

    /// Completes both captures at the end of the run, or returns the first error.
    pub(crate) fn finish(mut self, end: Instant) -> Result<(), CaptureError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.write_begun(end).map_err(|error| (CaptureOf::Air, error))?;
        let air = self.air.map_or(Ok(()), |(air, _)| air.finish().map(drop));
        air.map_err(|error| (CaptureOf::Air, error))?;
        self.wire.finish().map_err(|error| (CaptureOf::Wire, error))?;
        Ok(())
    }

    fn write_exchange(&mut self, packet: &Packet, option: Option<&PacketOption>) -> io::Result<()> {
        let sent = std::mem::take(&mut self.sent);
        let Some(end) = sent.iter().map(|(ppdu, _)| ppdu.end).max() else { return Ok(()) };
        for (ppdu, mode) in sent.iter().filter(|(ppdu, _)| ppdu.fate == Fate::Received) {
            let frame = match ppdu.kind {
                PpduKind::Beacon => self.beacon(ppdu, packet.size),
                PpduKind::Data => Some(self.data(ppdu, packet, option)),
                _ => control(ppdu),
            };
            if let (Some(frame), Some((air, _))) = (frame, &mut self.air) {
                // Others are silent until the end of the exchange.
                air.frame(ppdu.start, mode, micros(end.since(ppdu.end)), &frame)?;
            }
        }
        Ok(())
    }

    /// Whether the air is that of a cell with EDCA.
    fn has_edca(&self) -> bool {
        self.air.as_ref().is_some_and(|(_, cell)| cell.has_edca())
    }

    pub(super) fn beacon(&mut self, ppdu: &Ppdu, bytes: u32) -> Option<MacFrame<'static>> {
        let (_, cell) = self.air.as_ref()?;
        let sequence = next_sequence(&mut self.sequence[ppdu.from.index()]);
        Some(MacFrame::Beacon(cell.beacon(ppdu.start, bytes, sequence)))
    }

    fn data(
        &mut self,
        ppdu: &Ppdu,
        packet: &Packet,
        option: Option<&PacketOption>,
    ) -> MacFrame<'static> {
        let segment = self.segment(ppdu.to.is_access_point(), packet, option);
        let sequence = next_sequence(&mut self.sequence[ppdu.from.index()]);
        MacFrame::Data { segment, retry: ppdu.retries > 0, sequence }
    }

    pub(super) fn segment(
        &self,
        up: bool,
        packet: &Packet,
        option: Option<&PacketOption>,
    ) -> Segment {
        let flow = self.connections.flow(packet);
        Segment {
            packet: *packet,
            station: flow.station.0 - 1,
            up,
            from_source: up == flow.data_up,
            connection: self.connections.connection(packet),
            sack: flow.sack.then(|| sack_blocks(option)),
            option: option.copied(),
        }
    }
}

/// A control frame of 802.11.
pub(super) fn control(ppdu: &Ppdu) -> Option<MacFrame<'static>> {
    let to = node(ppdu.to);
    match ppdu.kind {
        PpduKind::Rts => Some(MacFrame::Rts { from: node(ppdu.from), to }),
        PpduKind::Cts => Some(MacFrame::Cts { to }),
        PpduKind::Ack => Some(MacFrame::Ack { to }),
        _ => None,
    }
}

fn sack_blocks(option: Option<&PacketOption>) -> SackBlocks {
    match option {
        Some(PacketOption::Tcp(options)) => options.sack,
        _ => SackBlocks::default(),
    }
}

pub(super) fn node(node: NodeId) -> Node {
    if node.is_access_point() { Node::AccessPoint } else { Node::Station(node.0 - 1) }
}

/// Returns the sequence number of a frame, and counts on.
fn next_sequence(counter: &mut u16) -> u16 {
    let sequence = *counter;
    *counter = (sequence + 1) % 4096;
    sequence
}

/// A Duration field: microseconds, rounded up (IEEE 802.11-2007 7.1.3.2).
pub(super) fn micros(span: Duration) -> u16 {
    u16::try_from(span.as_nanos().div_ceil(1000)).unwrap_or(u16::MAX)
}
