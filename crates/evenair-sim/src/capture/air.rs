//! Captures of the air: IEEE 802.11 frames with radiotap headers.

use std::io::{self, Write};

use evenair_core::medium::TxVector;
use evenair_core::time::Instant;

use super::air_phy::AirPhy;
use super::beacon::Beacon;
use super::headers::{ETHERTYPE_IPV4, GATEWAY_MAC, Segment, station_mac};
use super::mac_header::{BROADCAST, FROM_DS, LLC_SNAP, Node, RETRY, TO_DS, mac};
use super::pcapng::{LinkType, Pcapng};
use super::qos::{self, QosFrame};
use super::radiotap;

/// A frame on the air (IEEE 802.11-2007 7.2.1 and 7.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "one is written at a time, most of them data")]
pub enum MacFrame<'a> {
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
    /// A frame of a cell with EDCA.
    Qos(QosFrame<'a>),
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
        frame: &MacFrame<'_>,
    ) -> io::Result<()> {
        let comment = match frame {
            MacFrame::Data { segment, .. } => segment.comment(),
            MacFrame::Qos(frame) => frame.comment(),
            _ => "",
        };
        let phy = self.phy;
        self.file.packet(0, start, comment, |out| {
            let (a_mpdu, is_up) = match frame {
                MacFrame::Qos(frame) => (frame.a_mpdu(), frame.is_up()),
                _ => (None, false),
            };
            radiotap::write(phy, mode, a_mpdu, is_up, out)
                + write_frame(phy, duration_us, frame, out)
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

// ---- IEEE 802.11-2007 clause 7 ----

/// First byte of the Frame Control field: version 0, type, subtype (7.1.3.1).
const DATA: u8 = 0x08;
const RTS: u8 = 0xB4;
const CTS: u8 = 0xC4;
const ACK: u8 = 0xD4;
const BEACON: u8 = 0x80;
const DATA_HEADER: u32 = 24 + 8;

/// Appends the frame's headers; returns the length of the frame without FCS.
fn write_frame(phy: AirPhy, duration_us: u16, frame: &MacFrame<'_>, out: &mut Vec<u8>) -> u32 {
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
        MacFrame::Qos(frame) => qos::write(&frame, duration_us, out),
    }
}
