//! The wire: Ethernet frames between server and gateway.

use std::io::{self, Write};

use evenair_core::time::Instant;

use super::headers::{ETHERTYPE_IPV4, GATEWAY_MAC, SERVER_MAC, Segment};
use super::pcapng::{LinkType, Pcapng};

const ETHERNET_HEADER: u32 = 14;

/// Writes a capture of the wire (LINKTYPE_ETHERNET).
///
/// A frame's original length is the Ethernet header's 14 bytes and the IP packet; padding to the
/// 64 bytes of a real Ethernet frame and the FCS are left out, as captures usually do.
pub struct WireWriter<W: Write> {
    file: Pcapng<W>,
}

impl<W: Write> WireWriter<W> {
    /// Begins the file. `out` needs no buffer of its own.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn new(out: W) -> io::Result<Self> {
        Ok(Self { file: Pcapng::new(out, LinkType::Ethernet, "wire")? })
    }

    /// Writes the packet that passed at `at`; to be called in the order of time.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn packet(&mut self, at: Instant, segment: &Segment) -> io::Result<()> {
        self.file.packet(at, segment.comment(), |frame| {
            let (target, source) =
                if segment.up { (SERVER_MAC, GATEWAY_MAC) } else { (GATEWAY_MAC, SERVER_MAC) };
            frame.extend(target);
            frame.extend(source);
            frame.extend(ETHERTYPE_IPV4);
            ETHERNET_HEADER + segment.write(segment.up, frame)
        })
    }

    /// Writes out what is buffered and gives `out` back. A writer that is dropped instead hides the
    /// errors of its last bytes.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn finish(self) -> io::Result<W> {
        self.file.finish()
    }
}
