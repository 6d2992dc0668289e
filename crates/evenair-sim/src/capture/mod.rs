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
//! A flow's ports are 5001 + flow / 20,000 at the server and 40,000 + flow mod 20,000 at the
//! station. The time to live is 63 in packets that the gateway has forwarded, otherwise 64.
//!
//! Byte `seq` of a flow ([`Packet::seq`](evenair_core::packet::Packet::seq)) has the TCP sequence
//! number ISN + 1 + `seq`, modulo 2^32. The 40-byte SYN of the simulator has no room for options:
//! no maximum segment size and no window scale is announced, and a receiver's window above 65,535
//! bytes is written as 65,535.
//!
//! # Reading captures
//!
//! `tshark -r wire.pcapng -Y tcp.analysis.retransmission` lists TCP's retransmissions. In a capture
//! of the air, retries of the MAC repeat a segment as well; `-o wlan.retransmitted:FALSE` excludes
//! them.
//!
//! Sources: the pcapng Internet-Draft (draft-ietf-opsawg-pcapng, section 4), radiotap.org (defined
//! fields), the link-layer header types of tcpdump.org, IEEE 802.11-2007 clause 7, RFC 791, 9293,
//! 768.

mod air;
mod headers;
mod pcapng;
mod wire;
pub(crate) mod writer;

pub use air::{AirFrame, AirPhy, AirWriter, Node};
pub use headers::Segment;
pub use wire::WireWriter;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tshark_tests;
