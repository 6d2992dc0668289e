//! Capture files (pcapng) of a run: the *air* of the cell and the *wire* behind its access point.
//!
//! [`AirWriter`] writes IEEE 802.11 frames with radiotap headers, [`WireWriter`] Ethernet frames; both
//! take one call per transmitted frame and allocate nothing for it. Wireshark and tshark read them.
//!
//! The simulator's packets have no payload, so a capture holds the headers: a frame's *captured*
//! length ends with its TCP or UDP header, its *original* length is that of the whole frame. IPv4,
//! TCP and UDP checksums are right for a payload of zeros.
//!
//! Time 0 of a run is the epoch (1970-01-01 00:00 UTC) in the file; stamps are in nanoseconds.
//!
//! # What the headers say
//!
//! | who | MAC address | IPv4 address |
//! |---|---|---|
//! | server | 02:00:00:00:00:01 | 10.0.0.1 |
//! | access point (it is the gateway, and the BSSID) | 02:00:00:00:00:02 | - |
//! | station i, counted from 0, n = i + 1 | 02:00:00:01:00:00 + n | 10.1.0.0 + n |
//!
//! A flow's ports are 5001 + flow / 20,000 at the server and 40,000 + flow mod 20,000 at the
//! station. The sender of the data opens the connection. A packet that the gateway has passed on has a
//! time to live of 63, else 64.
//!
//! Byte `seq` of a flow ([`Packet::seq`](evenair_core::packet::Packet::seq)) has the TCP sequence number
//! ISN + 1 + `seq`, modulo 2^32. The 40-byte SYN of the simulator has no room for options: no maximum
//! segment size and no window scale is announced, and a receiver's window above 65,535 bytes is
//! written as 65,535.
//!
//! # Reading them
//!
//! `tshark -r wire.pcapng -Y tcp.analysis.retransmission` lists TCP's retransmissions. In a capture of
//! the air the MAC's retries repeat a segment, too; `-o wlan.retransmitted:FALSE` leaves them out.
//!
//! Sources: the pcapng Internet-Draft (draft-ietf-opsawg-pcapng, section 4), radiotap.org (defined
//! fields), the link-layer header types of tcpdump.org, IEEE 802.11-2007 clause 7, RFC 791, 9293, 768.

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
