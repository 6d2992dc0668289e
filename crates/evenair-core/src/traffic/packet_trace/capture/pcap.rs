//! pcap: a header of the file, and records one after the other (draft-ietf-opsawg-pcap, sections 4 and 5).

use super::record::{Link, Order, Record, WHOLE, array};

/// Bytes of the file's header, and of a record's.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    order: Order,
    /// Nanoseconds in a unit of the second word of a time.
    unit: u128,
}

impl<'a> Reader<'a> {
    /// None if the file is no pcap file.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let (is_big_endian, unit) = match array(bytes, 0)? {
            [0xa1, 0xb2, 0xc3, 0xd4] => (true, 1000),
            [0xd4, 0xc3, 0xb2, 0xa1] => (false, 1000),
            [0xa1, 0xb2, 0x3c, 0x4d] => (true, 1),
            [0x4d, 0x3c, 0xb2, 0xa1] => (false, 1),
            _ => return None,
        };
        Some(Self { bytes, order: Order { is_big_endian }, unit })
    }

    pub(super) fn read(
        self,
        add: &mut impl FnMut(&Record<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        let Self { bytes, order, unit } = self;
        let ends = |name: &str| format!("{name}: got the end of the file within it; {WHOLE}");
        // The upper bits are about the frame check sequence.
        let link = order.u32(bytes, 20).ok_or_else(|| ends("header"))?;
        let link = Link(link as u16);
        let mut rest = &bytes[FILE_HEADER..];
        let mut number = 0;
        while !rest.is_empty() {
            number += 1;
            let cut = || ends(&format!("packet {number}"));
            let word = |place: usize| order.u32(rest, 4 * place).ok_or_else(cut);
            let time = u128::from(word(0)?) * 1_000_000_000 + u128::from(word(1)?) * unit;
            let (captured, length) = (word(2)? as usize, word(3)?);
            let data = rest[RECORD_HEADER..].get(..captured).ok_or_else(cut)?;
            add(&Record { number, time, link, data, length })?;
            rest = &rest[RECORD_HEADER + captured..];
        }
        Ok(())
    }
}
