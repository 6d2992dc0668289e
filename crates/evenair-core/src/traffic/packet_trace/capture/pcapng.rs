//! pcapng: blocks in sections, with the interfaces that packets were captured at (draft-ietf-opsawg-pcapng,
//! section 4).

use super::record::{Link, Order, Record, WHOLE, array};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
/// The obsolete form of an enhanced packet block.
const PACKET: u32 = 2;
/// Without a time.
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// The option of an interface with the resolution of its times, and the one with their offset in seconds.
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// An interface.
#[derive(Clone, Copy)]
struct Interface {
    link: Link,
    /// Units of its times in a second.
    resolution: u128,
    /// Added to its times, seconds.
    offset: u64,
}

/// Whether the file begins with a section.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    array(bytes, 0).map(u32::from_be_bytes) == Some(SECTION_HEADER)
}

pub(super) fn read(
    bytes: &[u8],
    add: &mut impl FnMut(&Record<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let mut order = Order { is_big_endian: false };
    let mut interfaces: Vec<Interface> = Vec::new();
    let (mut rest, mut block, mut number) = (bytes, 0, 0);
    while !rest.is_empty() {
        block += 1;
        let cut = || format!("block {block}: got the end of the file within it; {WHOLE}");
        if is_one(rest) {
            order.is_big_endian = match array(rest, 8).ok_or_else(cut)? {
                [0x1a, 0x2b, 0x3c, 0x4d] => true,
                [0x4d, 0x3c, 0x2b, 0x1a] => false,
                other => {
                    return Err(format!("block {block}: got the byte order {other:x?}; {WHOLE}"));
                }
            };
            interfaces.clear();
        }
        let kind = order.u32(rest, 0).ok_or_else(cut)?;
        let length = order.u32(rest, 4).ok_or_else(cut)? as usize;
        if length < 12 || !length.is_multiple_of(4) {
            return Err(format!("block {block}: got a length of {length} bytes; {WHOLE}"));
        }
        let body = rest.get(8..length - 4).ok_or_else(cut)?;
        rest = rest.get(length..).ok_or_else(cut)?;
        let ends = || format!("block {block}: got content longer than the block; {WHOLE}");
        match kind {
            INTERFACE_DESCRIPTION => interfaces.push(interface(order, body).ok_or_else(ends)?),
            ENHANCED_PACKET | PACKET => {
                number += 1;
                let word = |place: usize| order.u32(body, 4 * place).ok_or_else(ends);
                let index = match kind {
                    PACKET => order.u16(body, 0).map(u32::from).ok_or_else(ends)?,
                    _ => word(0)?,
                };
                let Some(interface) = interfaces.get(index as usize) else {
                    return Err(format!(
                        "packet {number}: got interface {index}, which is not there; {WHOLE}"
                    ));
                };
                let units = (u128::from(word(1)?) << 32) | u128::from(word(2)?);
                let (captured, length) = (word(3)? as usize, word(4)?);
                let data = body[20..].get(..captured).ok_or_else(ends)?;
                let time = interface.nanoseconds(units);
                add(&Record { number, time, link: interface.link, data, length })?;
            }
            SIMPLE_PACKET => {
                return Err(format!(
                    "block {block}: got a packet without a time; accepted: packets with times"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

impl Interface {
    fn nanoseconds(self, units: u128) -> u128 {
        // At most 2^64 units, and a resolution of at most 10^18 or 2^63: no overflow.
        u128::from(self.offset) * 1_000_000_000 + units * 1_000_000_000 / self.resolution
    }
}

/// None if the block is too short.
fn interface(order: Order, body: &[u8]) -> Option<Interface> {
    let link = Link(order.u16(body, 0)?);
    let mut interface = Interface { link, resolution: 1_000_000, offset: 0 };
    let mut options = body.get(8..)?;
    while let (Some(code), Some(length)) = (order.u16(options, 0), order.u16(options, 2)) {
        let value = options.get(4..4 + usize::from(length))?;
        match (code, value) {
            (0, _) => break,
            // The highest bit: a power of two instead of ten.
            (IF_TSRESOL, &[power]) if power & 0x80 != 0 => {
                interface.resolution = 1_u128.checked_shl(u32::from(power & 0x7f).min(63))?;
            }
            (IF_TSRESOL, &[power]) => interface.resolution = 10_u128.pow(u32::from(power).min(18)),
            (IF_TSOFFSET, value) => {
                let halves = [order.u32(value, 0)?, order.u32(value, 4)?].map(u64::from);
                let [high, low] = if order.is_big_endian { halves } else { [halves[1], halves[0]] };
                interface.offset = (high << 32) | low;
            }
            _ => {}
        }
        options = options.get(4 + usize::from(length).next_multiple_of(4)..).unwrap_or_default();
    }
    Some(interface)
}
