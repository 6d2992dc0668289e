//! Capture files (pcapng) of a run: the *air* of the cell and the *wire* behind its access point.
//!
//! [`AirWriter`] writes IEEE 802.11 frames with radiotap headers, [`WireWriter`] Ethernet frames.
//! Both are called once per transmitted frame and do not allocate. Wireshark and tshark read the
//! files.
//!
//! Simulated packets have no payload, so a capture contains headers only: the *captured* length of
//! a frame extends to the end of its TCP or UDP header, its *original* length is that of the whole
//! frame. IPv4, TCP and UDP checksums are valid for a payload of zeros.
//!
//! Time 0 of a run is the epoch (1970-01-01 00:00 UTC) in the file. Timestamps are in nanoseconds.
//!
//! # Addresses and header fields
//!
//! | node | MAC address | IPv4 address |
//! |---|---|---|
//! | server | 02:00:00:00:00:01 | 10.0.0.1 |
//! | access point (it is the gateway, and the BSSID) | 02:00:00:00:00:02 | - |
//! | station i, counted from 0, n = i + 1 | 02:00:00:01:00:00 + n | 10.1.0.0 + n |
//!
//! Each connection of a flow has its own port at the station, a dynamic port (49,152 to 65,535; RFC
//! 6335 section 6): each of the k flows of a station takes every k-th of them, and begins again at the
//! first. The server's port is 5001. The time to live is 63 in packets that the gateway has forwarded,
//! otherwise 64.
//!
//! Byte `seq` of a flow ([`Packet::seq`](evenair_core::packet::Packet::seq)) has the TCP sequence
//! number ISN + 1 + `seq`, modulo 2^32.
//!
//! - **Options of the handshake.** SYN and SYN-ACK announce the segment size of the flow (MSS), SACK
//!   if the flow has it, and a window scale if the receive window exceeds 65,535 bytes (RFC 7323). The
//!   simulated SYN has no bytes for MSS and window scale, so it is 4 or 8 bytes longer here.
//! - **Window.** Both ends announce the receive window of the flow, rounded up to the unit of its
//!   scale. It is constant: the simulated application reads at once.
//! - **FIN.** No simulated packet closes a connection. The last data segment of a finite transfer has
//!   the FIN flag, and its acknowledgement covers it. The other direction stays open, as do
//!   connections of unlimited flows, and those that are kept for further requests.
//!
//! # Reading captures
//!
//! `tshark -r wire.pcapng -Y tcp.analysis.retransmission` lists TCP's retransmissions. In a capture
//! of the air, retries of the MAC repeat a segment as well; `-o wlan.retransmitted:FALSE` excludes
//! them.
//!
//! Sources: the pcapng Internet-Draft (draft-ietf-opsawg-pcapng, section 4), radiotap.org (defined
//! fields), the link-layer header types of tcpdump.org, IEEE 802.11-2007 clause 7, RFC 791, 9293,
//! 7323, 2018, 768.

mod air;
mod air_phy;
mod beacon;
pub(crate) mod captured_cell;
pub(crate) mod connections;
mod elements;
mod headers;
mod mac_header;
mod pcapng;
mod qos;
mod qos_air;
mod qos_writer;
mod radiotap;
mod rtp;
mod sinks;
mod wire;
pub(crate) mod writer;

pub use air::{AirWriter, MacFrame};
pub use air_phy::AirPhy;
pub use beacon::Beacon;
pub use headers::Segment;
pub use mac_header::Node;
pub use pcapng::{LinkType, Pcapng};
pub(crate) use sinks::CaptureError;
pub use sinks::{CaptureOf, CaptureSinks};
pub use wire::WireWriter;

#[cfg(test)]
mod qos_tests;
#[cfg(test)]
mod qos_tshark_tests;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tshark_tests;
