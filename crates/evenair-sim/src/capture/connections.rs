//! What captures show of a connection beyond its packets: ports, window, and where the data end.

use evenair_core::packet::{NodeId, Packet, PacketKind};

/// Ports of the stations: the dynamic ports (RFC 6335 section 6), 49,152 to 65,535.
const FIRST_STATION_PORT: u32 = 49_152;
const STATION_PORTS: u32 = 65_536 - FIRST_STATION_PORT;
/// The server's port, and the first of more where a station has more flows than ports.
const SERVER_PORT: u32 = 5001;
/// The port of a host that sends datagrams back (RFC 862).
const ECHO_PORT: u16 = 7;

/// Metadata of a flow for captures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowMeta {
    /// Its station's index in the cell; the access point's for flows between hosts.
    pub(crate) station: NodeId,
    /// Whether the data go from the station to the host.
    pub(crate) data_up: bool,
    /// Receive window, bytes.
    pub(crate) window: u32,
    /// Maximum segment size, bytes.
    pub(crate) segment: u32,
    /// Payload of a request of the sink, bytes.
    pub(crate) request: u32,
    /// Whether a connection may go on after a transfer, so that none has a last segment.
    pub(crate) keeps: bool,
    /// Whether it has SACK.
    pub(crate) sack: bool,
    /// Whether the receiver sends back what it receives.
    pub(crate) is_echoed: bool,
}

/// The connection of a packet, as its headers show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// The number of the connection in its flow.
    pub number: u32,
    /// The station's port.
    pub station_port: u16,
    /// The server's port.
    pub server_port: u16,
    /// The receive window, bytes.
    pub window: u32,
    /// The maximum segment size, bytes; the option has 16 bits.
    pub segment: u32,
    /// Payload of the sink's requests before this packet, bytes: that it has sent, or that the source has
    /// received.
    pub requested: u32,
    /// Payload of the source that the sink had received when it sent this packet, if that is a request, bytes.
    pub received: u64,
    /// Payload bytes of a finite transfer. The segment that ends there has the FIN flag.
    pub total: Option<u64>,
}

/// The flows of a run and the connections that they have opened.
pub(super) struct Connections {
    flows: Vec<Flow>,
}

struct Flow {
    meta: FlowMeta,
    /// Its place among the flows of its station, and their number.
    place: u32,
    count: u32,
    /// Of each connection of finite transfers, from connection 1 on: the bytes after which each transfer ends.
    ends: Vec<Vec<u64>>,
}

impl Connections {
    pub(super) fn new(flows: Vec<FlowMeta>) -> Self {
        let nodes = flows.iter().map(|flow| flow.station.index() + 1).max().unwrap_or(0);
        let mut counts = vec![0; nodes];
        let mut place = |meta: FlowMeta| {
            let count = &mut counts[meta.station.index()];
            *count += 1;
            Flow { meta, place: *count - 1, count: 0, ends: Vec::new() }
        };
        let mut flows: Vec<Flow> = flows.into_iter().map(&mut place).collect();
        for flow in &mut flows {
            flow.count = counts[flow.meta.station.index()];
        }
        Self { flows }
    }

    /// A flow begins a transfer of `bytes` over its next connection.
    pub(super) fn begin(&mut self, flow: usize, bytes: u64) {
        self.flows[flow].ends.push(vec![bytes]);
    }

    /// A flow goes on with `bytes` more over its latest connection.
    pub(super) fn go_on(&mut self, flow: usize, bytes: u64) {
        if let Some(ends) = self.flows[flow].ends.last_mut() {
            let before = ends.last().copied().unwrap_or_default();
            ends.push(before + bytes);
        }
    }

    /// The flow of `packet`.
    pub(super) fn flow(&self, packet: &Packet) -> FlowMeta {
        self.flows[packet.flow.0 as usize].meta
    }

    /// The connection of `packet`.
    pub(super) fn connection(&self, packet: &Packet) -> ConnectionInfo {
        let flow = &self.flows[packet.flow.0 as usize];
        // Packets count connections modulo 256: this is the one nearest to the latest.
        let latest = flow.ends.len() as u32;
        let ahead = packet.connection.wrapping_sub(latest as u8) as i8;
        let number = latest.wrapping_add_signed(i32::from(ahead));
        let ends = flow.ends.get(number.wrapping_sub(1) as usize).map_or(&[][..], Vec::as_slice);
        let requests = requests_before(packet, ends);
        let FlowMeta { window, segment, request, keeps, data_up, is_echoed, .. } = flow.meta;
        let (station_port, server_port) = match ports(flow.place, flow.count, number) {
            (own, _) if is_echoed && data_up => (own, ECHO_PORT),
            (own, _) if is_echoed => (ECHO_PORT, own),
            ports => ports,
        };
        ConnectionInfo {
            number,
            station_port,
            server_port,
            window,
            segment,
            requested: request.wrapping_mul(requests),
            received: (requests as usize)
                .checked_sub(1)
                .map_or(0, |last| ends.get(last).copied().unwrap_or(0)),
            total: ends.last().copied().filter(|_| !keeps),
        }
    }
}

/// How many requests come before `packet` of a connection whose transfers end at these bytes. Each is sent when what the
/// one before asked for has arrived, so that the bytes of an answer tell their request. An acknowledgement of all
/// of an answer is taken to come before the next request.
fn requests_before(packet: &Packet, ends: &[u64]) -> u32 {
    match packet.kind {
        PacketKind::Request => packet.seq as u32,
        PacketKind::Ack => 1 + ends.partition_point(|&end| end < packet.seq) as u32,
        _ => 1 + ends.partition_point(|&end| end <= packet.seq) as u32,
    }
}

/// The ports of connection `number` of the flow at `place` among the `count` flows of a station. The
/// flows of a station take its ports in turn, so that two connections of a flow have the same only
/// after all others have been used.
fn ports(place: u32, count: u32, number: u32) -> (u16, u16) {
    let flows = count.min(STATION_PORTS);
    let rounds = STATION_PORTS / flows;
    let station = FIRST_STATION_PORT + place % flows + number % rounds * flows;
    let server = SERVER_PORT + place / flows % (FIRST_STATION_PORT - SERVER_PORT);
    (station as u16, server as u16)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use evenair_core::packet::FlowId;

    use super::*;

    fn connections(stations: &[u32]) -> Connections {
        let meta = |&station| FlowMeta {
            station: NodeId(station),
            data_up: false,
            window: 1,
            segment: 1,
            request: 0,
            keeps: false,
            sack: false,
            is_echoed: false,
        };
        Connections::new(stations.iter().map(meta).collect())
    }

    fn packet(flow: u32, connection: u8) -> Packet {
        Packet { connection, ..Packet::new(FlowId(flow), PacketKind::Data) }
    }

    #[test]
    fn connections_of_a_station_have_ports_of_their_own() {
        let mut connections = connections(&[1, 2, 1, 1]);
        let mut seen = BTreeSet::new();
        for number in 1..=5000 {
            for flow in [0, 2, 3] {
                connections.begin(flow, 1000 + number);
                let info = connections.connection(&packet(flow as u32, number as u8));
                assert_eq!((info.number, info.total), (number as u32, Some(1000 + number)));
                assert_eq!(info.server_port, 5001);
                assert!(info.station_port >= 49_152);
                assert!(seen.insert(info.station_port), "{} is used twice", info.station_port);
            }
        }
        // 16,384 ports are 5461 for each of three flows.
        assert_eq!(ports(0, 3, 5461), ports(0, 3, 0));
        assert_eq!(ports(2, 3, 5460), (49_152 + 16_382, 5001));
    }

    /// Answers of 1000, 500 and 2000 bytes, requests of 200: what was asked for before each packet.
    #[test]
    fn bytes_of_answers_tell_their_request() {
        let mut all = connections(&[1]);
        all.flows[0].meta.request = 200;
        all.begin(0, 1000);
        all.go_on(0, 500);
        all.go_on(0, 2000);
        let info = |kind, seq| {
            let packet = Packet { connection: 1, seq, ..Packet::new(FlowId(0), kind) };
            let ConnectionInfo { requested, received, .. } = all.connection(&packet);
            (requested, received)
        };
        assert_eq!(info(PacketKind::Request, 0), (0, 0));
        assert_eq!(info(PacketKind::Request, 1), (200, 1000));
        assert_eq!(info(PacketKind::Request, 2), (400, 1500));
        let data = [0, 999, 1000, 1499, 1500, 3499];
        let before = data.map(|seq| info(PacketKind::Data, seq).0);
        assert_eq!(before, [200, 200, 400, 400, 600, 600]);
        let acks = [0, 1000, 1001, 1500, 3500].map(|seq| info(PacketKind::Ack, seq).0);
        assert_eq!(acks, [200, 200, 400, 400, 600]);
    }

    #[test]
    fn late_packets_belong_to_their_old_connection() {
        let mut connections = connections(&[1]);
        for bytes in 1..=300 {
            connections.begin(0, bytes);
        }
        let number = |byte: u32| connections.connection(&packet(0, byte as u8)).number;
        assert_eq!([number(300), number(299), number(200)], [300, 299, 200]);
        // The SYN is sent before the transfer is noted.
        assert_eq!(number(301), 301);
        assert_eq!(connections.connection(&packet(0, 301_u32 as u8)).total, None);
    }

    #[test]
    fn a_station_with_more_flows_than_ports_talks_to_more_ports() {
        let all: BTreeSet<_> = (0..40_000).map(|place| ports(place, 40_000, 0)).collect();
        assert_eq!(all.len(), 40_000);
    }
}
