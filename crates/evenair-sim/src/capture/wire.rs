//! Captures of the wire: Ethernet frames between server and gateway.

use std::io::{self, Write};

use evenair_core::time::Instant;

use super::headers::{ETHERTYPE_IPV4, GATEWAY_MAC, SERVER_MAC, Segment};
use super::pcapng::{LinkType, Pcapng};

const ETHERNET_HEADER: u32 = 14;

/// Writes a capture of the wire (LINKTYPE_ETHERNET).
///
/// The original length of a frame is that of the Ethernet header, 14 bytes, and the IP packet. As
/// in most captures, it includes neither the padding to 64 bytes nor the FCS.
pub struct WireWriter<W: Write> {
    file: Pcapng<W>,
}

impl<W: Write> WireWriter<W> {
    /// Writes the header of the file. `out` is buffered here.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new(out: W) -> io::Result<Self> {
        Ok(Self { file: Pcapng::new(out, LinkType::Ethernet, "wire")? })
    }

    /// Writes the packet observed at `at`. Packets must be written in order of time.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn packet(&mut self, at: Instant, segment: &Segment) -> io::Result<()> {
        self.file.packet(0, at, segment.comment(), |frame| {
            let (target, source) =
                if segment.up { (SERVER_MAC, GATEWAY_MAC) } else { (GATEWAY_MAC, SERVER_MAC) };
            frame.extend(target);
            frame.extend(source);
            frame.extend(ETHERTYPE_IPV4);
            ETHERNET_HEADER + segment.write(segment.up, frame)
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
