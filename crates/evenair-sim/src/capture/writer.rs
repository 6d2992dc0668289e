//! Writes the captures of a run: of the air, and of the wire at the hosts.

use std::io::{self, Write};

use evenair_core::medium::Arrival;
use evenair_core::medium::wlan::{Dcf, beacon_bytes};
use evenair_core::packet::{NodeId, Packet};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::PacketOption;
use evenair_core::transport::SackBlocks;

use super::connections::{Connections, FlowMeta};
use crate::capture::{
    AirPhy, AirWriter, Beacon, CaptureError, CaptureOf, CaptureSinks, MacFrame, Node, Segment,
    WireWriter,
};

/// Why there is no capture of the air of a WiMAX cell.
const NO_AIR: &str = "frames of IEEE 802.16 are not captured";

/// The two captures of a run. The capture of the air contains the exchanges in which a packet is
/// received for the first time, with the frames that their receivers decode: the ACK is absent if it
/// is lost. Failed attempts and retransmissions of what has been received are absent.
pub(crate) struct CaptureWriter {
    air: Option<AirWriter<Box<dyn Write + Send>>>,
    wire: WireWriter<Box<dyn Write + Send>>,
    /// Time between two beacons, time units.
    beacon_interval: u16,
    /// The next MAC sequence number of each station.
    sequence: Vec<u16>,
    /// Flows between hosts are not captured.
    connections: Connections,
    /// The first error. Nothing is written after it; [`CaptureWriter::finish`] returns it.
    failed: Option<CaptureError>,
}

impl CaptureWriter {
    /// Begins both captures. Without `phy` the frames on the air cannot be captured. Beacons announce
    /// that they are `beacon_interval` apart.
    pub(crate) fn new(
        sinks: CaptureSinks,
        phy: Option<AirPhy>,
        beacon_interval: Duration,
        nodes: usize,
        flows: Vec<FlowMeta>,
    ) -> Result<Self, CaptureError> {
        let begin = |sink| match phy {
            Some(phy) => AirWriter::new(sink, phy),
            None => Err(io::Error::new(io::ErrorKind::Unsupported, NO_AIR)),
        };
        let air = sinks.air.map(begin).transpose();
        let wire = WireWriter::new(sinks.wire);
        Ok(Self {
            air: air.map_err(|error| (CaptureOf::Air, error))?,
            wire: wire.map_err(|error| (CaptureOf::Wire, error))?,
            beacon_interval: time_units(beacon_interval),
            sequence: vec![0; nodes],
            connections: Connections::new(flows),
            failed: None,
        })
    }

    /// Writes the frame exchange in which `arrival` has just been received.
    #[cold]
    pub(crate) fn exchange(
        &mut self,
        medium: &Dcf,
        arrival: &Arrival<Packet>,
        option: Option<&PacketOption>,
    ) {
        if self.failed.is_none()
            && let Err(error) = self.write_exchange(medium, arrival, option)
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

    /// Completes both captures, or returns the first error.
    pub(crate) fn finish(self) -> Result<(), CaptureError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let air = self.air.map_or(Ok(()), |air| air.finish().map(drop));
        air.map_err(|error| (CaptureOf::Air, error))?;
        self.wire.finish().map_err(|error| (CaptureOf::Wire, error))?;
        Ok(())
    }

    fn write_exchange(
        &mut self,
        medium: &Dcf,
        arrival: &Arrival<Packet>,
        option: Option<&PacketOption>,
    ) -> io::Result<()> {
        let Arrival { from, to, packet, .. } = arrival;
        let (from, to) = (*from, *to);
        if to == NodeId::BROADCAST {
            return self.write_beacon(medium, packet);
        }
        let segment = self.segment(to.is_access_point(), packet, option);
        let Some(air) = &mut self.air else { return Ok(()) };
        let (exchange, config) = (medium.exchange(), medium.config());
        let (sifs, control) = (config.phy.sifs, config.control_frames(exchange.rate));
        let (ack_start, end) = (exchange.data_end + sifs, exchange.ack_end);
        let retry = exchange.retries > 0;
        if exchange.rts {
            let rts_end = exchange.start + control.rts;
            let cts_start = rts_end + sifs;
            let rts = MacFrame::Rts { from: node(from), to: node(to) };
            air.frame(exchange.start, control.rts_rate, micros(end.since(rts_end)), &rts)?;
            let nav = micros(end.since(cts_start + control.cts));
            air.frame(cts_start, control.rts_rate, nav, &MacFrame::Cts { to: node(from) })?;
        }
        if exchange.cts_to_self {
            let nav = micros(end.since(exchange.start + control.cts));
            air.frame(exchange.start, control.rts_rate, nav, &MacFrame::Cts { to: node(from) })?;
        }
        let sequence = next_sequence(&mut self.sequence[from.index()]);
        let data = MacFrame::Data { segment, retry, sequence };
        let nav = micros(end.since(exchange.data_end));
        air.frame(exchange.data_start, exchange.rate, nav, &data)?;
        if exchange.acknowledged {
            air.frame(ack_start, control.rate, 0, &MacFrame::Ack { to: node(from) })?;
        }
        Ok(())
    }

    fn write_beacon(&mut self, medium: &Dcf, packet: &Packet) -> io::Result<()> {
        let Some(air) = &mut self.air else { return Ok(()) };
        let (exchange, config) = (medium.exchange(), medium.config());
        let phy = &config.phy;
        let possible = phy.kind.possible_basic_rates().into_iter().map(|rate| rate.rate());
        let basic = possible.filter(|rate| config.control_rate.is_basic(*rate));
        let basic = basic.map(|rate| 1 << (rate.as_bps() / 500_000));
        let beacon = Beacon {
            timestamp_us: exchange.start.as_nanos() / 1000,
            interval: self.beacon_interval,
            basic_rates: basic.sum(),
            sequence: next_sequence(&mut self.sequence[NodeId::ACCESS_POINT.index()]),
            further_bytes: (packet.size - beacon_bytes(phy.kind)) as u8,
        };
        air.frame(exchange.start, exchange.rate, 0, &MacFrame::Beacon(beacon))
    }

    fn segment(&self, up: bool, packet: &Packet, option: Option<&PacketOption>) -> Segment {
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

fn sack_blocks(option: Option<&PacketOption>) -> SackBlocks {
    match option {
        Some(PacketOption::Tcp(options)) => options.sack,
        _ => SackBlocks::default(),
    }
}

fn node(node: NodeId) -> Node {
    if node.is_access_point() { Node::AccessPoint } else { Node::Station(node.0 - 1) }
}

/// Returns the sequence number of a frame, and counts on.
fn next_sequence(counter: &mut u16) -> u16 {
    let sequence = *counter;
    *counter = (sequence + 1) % 4096;
    sequence
}

/// A Beacon Interval field: time units of 1024 us (IEEE 802.11-2007 7.3.1.3), rounded to the nearest.
fn time_units(span: Duration) -> u16 {
    const TIME_UNIT: u64 = 1_024_000;
    u16::try_from((span.as_nanos() + TIME_UNIT / 2) / TIME_UNIT).unwrap_or(u16::MAX)
}

/// A Duration field: microseconds, rounded up (IEEE 802.11-2007 7.1.3.2).
fn micros(span: Duration) -> u16 {
    u16::try_from(span.as_nanos().div_ceil(1000)).unwrap_or(u16::MAX)
}
