//! The pcapng container: one section, its interfaces, enhanced packet blocks.
//!
//! Source: draft-ietf-opsawg-pcapng, section 4. All numbers are little-endian.

use std::io::{self, BufWriter, Write};

use evenair_core::time::Instant;

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const OPT_END: u16 = 0;
const OPT_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;

/// Offset of the packet data in a block, after type, block length, interface, timestamp (2 words),
/// captured length and original length.
const PACKET_DATA_AT: usize = 28;
const CAPTURED_LENGTH_AT: usize = 20;

/// The link-layer header type of the packets in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// LINKTYPE_ETHERNET.
    Ethernet = 1,
    /// LINKTYPE_RAW: IPv4 or IPv6.
    Raw = 101,
    /// LINKTYPE_IEEE802_11_RADIOTAP.
    Radiotap = 127,
}

/// A capture file.
pub struct Pcapng<W: Write> {
    out: BufWriter<W>,
    /// The block under construction.
    block: Vec<u8>,
}

impl<W: Write> Pcapng<W> {
    /// A file whose interface 0 is `name`.
    ///
    /// # Errors
    /// The writer fails.
    pub fn new(out: W, link: LinkType, name: &str) -> io::Result<Self> {
        let mut file = Self { out: BufWriter::new(out), block: Vec::with_capacity(512) };
        file.begin_block(SECTION_HEADER);
        file.block.extend(0x1A2B_3C4D_u32.to_le_bytes()); // byte-order magic
        file.block.extend([1, 0, 0, 0]); // version 1.0
        file.block.extend(u64::MAX.to_le_bytes()); // section length: unspecified
        let application = concat!("evenair ", env!("CARGO_PKG_VERSION"));
        file.option(SHB_USERAPPL, application.as_bytes());
        file.option(OPT_END, &[]);
        file.end_block()?;
        file.add_interface(link, name)?;
        Ok(file)
    }

    /// Describes the next interface.
    ///
    /// # Errors
    /// The writer fails.
    pub fn add_interface(&mut self, link: LinkType, name: &str) -> io::Result<()> {
        self.begin_block(INTERFACE_DESCRIPTION);
        self.block.extend((link as u16).to_le_bytes());
        self.block.extend([0; 2]); // reserved
        self.block.extend([0; 4]); // snapshot length: no limit
        self.option(IF_NAME, name.as_bytes());
        self.option(IF_TSRESOL, &[9]); // timestamps in 10^-9 s
        self.option(OPT_END, &[]);
        self.end_block()
    }

    /// Writes one packet of an interface with the timestamp `at`. `headers` appends the captured bytes and returns
    /// the length of the whole frame, bytes. `comment` may be empty.
    ///
    /// # Errors
    /// The writer fails.
    pub fn packet(
        &mut self,
        interface: u32,
        at: Instant,
        comment: &str,
        headers: impl FnOnce(&mut Vec<u8>) -> u32,
    ) -> io::Result<()> {
        self.begin_block(ENHANCED_PACKET);
        self.block.extend(interface.to_le_bytes());
        let stamp = at.as_nanos();
        self.block.extend(((stamp >> 32) as u32).to_le_bytes());
        self.block.extend((stamp as u32).to_le_bytes());
        self.block.extend([0; 8]); // captured and original length, set below
        let original = headers(&mut self.block);
        let captured = (self.block.len() - PACKET_DATA_AT) as u32;
        let lengths = &mut self.block[CAPTURED_LENGTH_AT..PACKET_DATA_AT];
        lengths[..4].copy_from_slice(&captured.to_le_bytes());
        lengths[4..].copy_from_slice(&original.max(captured).to_le_bytes());
        self.pad();
        if !comment.is_empty() {
            self.option(OPT_COMMENT, comment.as_bytes());
            self.option(OPT_END, &[]);
        }
        self.end_block()
    }

    /// Flushes the buffer and returns the writer.
    ///
    /// # Errors
    /// The writer fails.
    pub fn finish(self) -> io::Result<W> {
        self.out.into_inner().map_err(|e| e.into_error())
    }

    fn begin_block(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend([0; 4]); // block length, set by `end_block`
    }

    fn end_block(&mut self) -> io::Result<()> {
        let length = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.block.extend(length);
        self.out.write_all(&self.block)
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend_from_slice(value);
        self.pad();
    }

    /// Pads the block to a multiple of four bytes.
    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}
