//! Captures of the air: IEEE 802.11 frames with radiotap headers.

use std::io::{self, Write};

use evenair_core::medium::{PhyFormat, TxVector};
use evenair_core::time::Instant;
use evenair_core::units::Rate;

use super::air_phy::AirPhy;
use super::beacon::Beacon;
use super::headers::{ETHERTYPE_IPV4, GATEWAY_MAC, Segment, station_mac};
use super::pcapng::{LinkType, Pcapng};

/// A node of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The access point.
    AccessPoint,
    /// A station, counted from 0.
    Station(u32),
}

/// A frame on the air (IEEE 802.11-2007 7.2.1 and 7.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "one is written at a time, most of them data")]
pub enum MacFrame {
    /// A data frame: ToDS from a station, FromDS from the access point.
    Data {
        /// The packet; its direction determines transmitter and receiver.
        segment: Segment,
        /// The Retry bit: this is a retransmission by the MAC.
        retry: bool,
        /// The sequence number, of which 12 bits are written. A retry has the number of the first
        /// attempt.
        sequence: u16,
    },
    /// An acknowledgement.
    Ack {
        /// The transmitter of the acknowledged frame.
        to: Node,
    },
    /// A request to send. A repeated one has no Retry bit either: that is of data and management
    /// frames alone (7.1.3.1.5; in IEEE 802.11-2016 9.2.4.1.6, and 0 in control frames, 9.3.1.1).
    Rts {
        /// The transmitter.
        from: Node,
        /// The receiver.
        to: Node,
    },
    /// A clear to send.
    Cts {
        /// The transmitter of the RTS, or of the CTS itself if there is none.
        to: Node,
    },
    /// A beacon of the access point.
    Beacon(Beacon),
}

/// Writes a capture of the air (LINKTYPE_IEEE802_11_RADIOTAP), as by a monitor that receives every
/// frame.
///
/// The 802.11 header has 24 bytes and LLC/SNAP 8, independent of the MAC overhead of the
/// simulation. Neither the captured nor the original length includes an FCS.
pub struct AirWriter<W: Write> {
    file: Pcapng<W>,
    phy: AirPhy,
}

impl<W: Write> AirWriter<W> {
    /// Writes the header of the file. `out` is buffered here.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new(out: W, phy: AirPhy) -> io::Result<Self> {
        Ok(Self { file: Pcapng::new(out, LinkType::Radiotap, "air")?, phy })
    }

    /// Writes the frame whose transmission begins at `start` in `mode`. Frames must be written in
    /// order of time. `duration_us` is the header's Duration field, microseconds (7.1.3.2).
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn frame(
        &mut self,
        start: Instant,
        mode: &TxVector,
        duration_us: u16,
        frame: &MacFrame,
    ) -> io::Result<()> {
        let comment = match frame {
            MacFrame::Data { segment, .. } => segment.comment(),
            _ => "",
        };
        let phy = self.phy;
        self.file.packet(0, start, comment, |out| {
            write_radiotap(phy, mode, out);
            u32::from(RADIOTAP_LENGTH) + write_frame(phy, duration_us, frame, out)
        })
    }

    /// Flushes the buffer and returns `out`. If the writer is dropped instead, errors of the last
    /// writes are not reported.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn finish(self) -> io::Result<W> {
        self.file.finish()
    }
}

// ---- radiotap (radiotap.org: "Flags", "Rate", "Channel") ----

const RADIOTAP_LENGTH: u16 = 14;
const PRESENT_FLAGS_RATE_CHANNEL: u32 = 1 << 1 | 1 << 2 | 1 << 3;
const FLAG_SHORT_PREAMBLE: u8 = 0x02;
const CHANNEL_CCK: u16 = 0x0020;
const CHANNEL_OFDM: u16 = 0x0040;
const CHANNEL_2_GHZ: u16 = 0x0080;
const CHANNEL_5_GHZ: u16 = 0x0100;

fn write_radiotap(phy: AirPhy, mode: &TxVector, out: &mut Vec<u8>) {
    let (mhz, channel, short) = match phy {
        AirPhy::B { short_preamble } => (
            2437_u16,
            CHANNEL_CCK | CHANNEL_2_GHZ,
            short_preamble && mode.rate > Rate::from_mbps(1),
        ),
        AirPhy::A => (5180, CHANNEL_OFDM | CHANNEL_5_GHZ, false),
        AirPhy::G if mode.format == PhyFormat::Dsss => (2437, CHANNEL_CCK | CHANNEL_2_GHZ, false),
        AirPhy::G => (2437, CHANNEL_OFDM | CHANNEL_2_GHZ, false),
    };
    let flags = if short { FLAG_SHORT_PREAMBLE } else { 0 };
    out.extend([0, 0]); // version, pad
    out.extend(RADIOTAP_LENGTH.to_le_bytes());
    out.extend(PRESENT_FLAGS_RATE_CHANNEL.to_le_bytes());
    out.push(flags);
    out.push((mode.rate.as_bps() / 500_000).min(u64::from(u8::MAX)) as u8); // 500 kb/s
    out.extend(mhz.to_le_bytes());
    out.extend(channel.to_le_bytes());
}

// ---- IEEE 802.11-2007 clause 7 ----

/// First byte of the Frame Control field: version 0, type, subtype (7.1.3.1).
const DATA: u8 = 0x08;
const RTS: u8 = 0xB4;
const CTS: u8 = 0xC4;
const ACK: u8 = 0xD4;
const BEACON: u8 = 0x80;
/// Second byte.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;

/// LLC (two SAPs, unnumbered information) and SNAP with the EtherType's organisation code.
const LLC_SNAP: [u8; 6] = [0xAA, 0xAA, 0x03, 0, 0, 0];
const BROADCAST: [u8; 6] = [0xFF; 6];
const DATA_HEADER: u32 = 24 + 8;

/// Appends the frame's headers; returns the length of the frame without FCS.
fn write_frame(phy: AirPhy, duration_us: u16, frame: &MacFrame, out: &mut Vec<u8>) -> u32 {
    let begin = out.len();
    let mut control = |kind: u8, flags: u8, receiver: [u8; 6]| {
        out.extend([kind, flags]);
        out.extend(duration_us.to_le_bytes());
        out.extend(receiver);
    };
    match *frame {
        MacFrame::Ack { to } => {
            control(ACK, 0, mac(to));
            10
        }
        MacFrame::Cts { to } => {
            control(CTS, 0, mac(to));
            10
        }
        MacFrame::Rts { from, to } => {
            control(RTS, 0, mac(to));
            out.extend(mac(from));
            16
        }
        MacFrame::Data { segment, retry, sequence } => {
            let station = station_mac(segment.station);
            // Table 7-7: with ToDS the addresses are BSSID, source, destination; with FromDS
            // destination, BSSID, source. The access point is the gateway, so its address is both
            // BSSID and that of the other end.
            let (ds, receiver, transmitter) = if segment.up {
                (TO_DS, GATEWAY_MAC, station)
            } else {
                (FROM_DS, station, GATEWAY_MAC)
            };
            control(DATA, ds | if retry { RETRY } else { 0 }, receiver);
            out.extend(transmitter);
            out.extend(GATEWAY_MAC);
            out.extend((sequence << 4).to_le_bytes()); // fragment 0
            out.extend(LLC_SNAP);
            out.extend(ETHERTYPE_IPV4);
            DATA_HEADER + segment.write(!segment.up, out)
        }
        MacFrame::Beacon(beacon) => {
            control(BEACON, 0, BROADCAST);
            out.extend(GATEWAY_MAC); // source
            out.extend(GATEWAY_MAC); // BSSID
            out.extend((beacon.sequence << 4).to_le_bytes());
            beacon.write(phy, out);
            (out.len() - begin) as u32
        }
    }
}

fn mac(node: Node) -> [u8; 6] {
    match node {
        Node::AccessPoint => GATEWAY_MAC,
        Node::Station(i) => station_mac(i),
    }
}
