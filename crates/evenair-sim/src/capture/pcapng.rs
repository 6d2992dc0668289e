//! The pcapng container: one section, one interface, enhanced packet blocks.
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
pub(super) enum LinkType {
    /// LINKTYPE_ETHERNET.
    Ethernet = 1,
    /// LINKTYPE_IEEE802_11_RADIOTAP.
    Radiotap = 127,
}

/// A capture file with one interface.
pub(super) struct Pcapng<W: Write> {
    out: BufWriter<W>,
    /// The block under construction.
    block: Vec<u8>,
}

impl<W: Write> Pcapng<W> {
    /// Writes the section header and the description of the interface `name`.
    pub(super) fn new(out: W, link: LinkType, name: &str) -> io::Result<Self> {
        let mut file = Self { out: BufWriter::new(out), block: Vec::with_capacity(512) };
        file.begin_block(SECTION_HEADER);
        file.block.extend(0x1A2B_3C4D_u32.to_le_bytes()); // byte-order magic
        file.block.extend([1, 0, 0, 0]); // version 1.0
        file.block.extend(u64::MAX.to_le_bytes()); // section length: unspecified
        let application = concat!("evenair ", env!("CARGO_PKG_VERSION"));
        file.option(SHB_USERAPPL, application.as_bytes());
        file.option(OPT_END, &[]);
        file.end_block()?;

        file.begin_block(INTERFACE_DESCRIPTION);
        file.block.extend((link as u16).to_le_bytes());
        file.block.extend([0; 2]); // reserved
        file.block.extend([0; 4]); // snapshot length: no limit
        file.option(IF_NAME, name.as_bytes());
        file.option(IF_TSRESOL, &[9]); // timestamps in 10^-9 s
        file.option(OPT_END, &[]);
        file.end_block()?;
        Ok(file)
    }

    /// Writes one packet with the timestamp `at`. `headers` appends the captured bytes and returns
    /// the length of the whole frame, bytes. `comment` may be empty.
    pub(super) fn packet(
        &mut self,
        at: Instant,
        comment: &str,
        headers: impl FnOnce(&mut Vec<u8>) -> u32,
    ) -> io::Result<()> {
        self.begin_block(ENHANCED_PACKET);
        self.block.extend([0; 4]); // interface 0
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
    pub(super) fn finish(self) -> io::Result<W> {
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
